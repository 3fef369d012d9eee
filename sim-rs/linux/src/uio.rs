// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! A chip behind `/dev/uioN`: the registers of `uio_pci_generic`, which are the first resource of the PCI device,
//! or those of another UIO driver, which are its first map; its interrupt; and memory for DMA.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use memmap2::MmapOptions;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::mapped::Mapped;
use crate::memory::PinnedMemory;
use crate::port::{Board, BoardError, DmaPort, Timing};

/// Bytes of the register map.
const MAP_BYTES: u64 = 0x1000;

/// The command register of a PCI device, and bits of it.
const COMMAND: u64 = 4;
const MEMORY: u16 = 1 << 1;
const MASTER: u16 = 1 << 2;
const INTERRUPT_OFF: u16 = 1 << 10;

/// Why a device cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum UioError {
    /// There is no such device.
    #[error(
        "there is no device {path}; bind the chip to uio_pci_generic first, as docs/linux.md says"
    )]
    NoDevice {
        /// The device.
        path: PathBuf,
    },
    /// It may not be opened.
    #[error("no permission for {path}: run as root, or let your user read and write it")]
    Permission {
        /// The device, or a file of it.
        path: PathBuf,
    },
    /// It cannot be opened.
    #[error("cannot open {path}: {source}")]
    Open {
        /// The device, or a file of it.
        path: PathBuf,
        /// What went wrong.
        source: io::Error,
    },
    /// It is no UIO device.
    #[error("{path} is no UIO device: give one such as /dev/uio0")]
    NoUio {
        /// What was given.
        path: PathBuf,
    },
    /// The registers are no register map.
    #[error(
        "{path} has {bytes} bytes, and the registers of the chip take {MAP_BYTES}: this is another device"
    )]
    Small {
        /// The file of the registers.
        path: PathBuf,
        /// Its bytes.
        bytes: u64,
    },
    /// Something cannot be mapped.
    #[error("cannot map {path}: {source}")]
    Map {
        /// The file.
        path: PathBuf,
        /// What went wrong.
        source: io::Error,
    },
    /// A file of the system cannot be read.
    #[error("cannot read {path}: {source}")]
    Read {
        /// The file.
        path: PathBuf,
        /// What went wrong.
        source: io::Error,
    },
    /// A file of the system holds no number.
    #[error("{path} holds '{text}', which is no number")]
    Number {
        /// The file.
        path: PathBuf,
        /// What it holds.
        text: String,
    },
    /// The device cannot be enabled.
    #[error("cannot enable {path} on its bus: {source}")]
    Enable {
        /// The file of its configuration.
        path: PathBuf,
        /// What went wrong.
        source: io::Error,
    },
    /// There is no memory for DMA.
    #[error("there are no huge pages for DMA; reserve some: echo 16 > /proc/sys/vm/nr_hugepages")]
    NoHugePages,
    /// Memory cannot be kept in its place.
    #[error(
        "cannot lock the memory for DMA: {source}; raise the limit of locked memory, or run as root"
    )]
    Lock {
        /// What went wrong.
        source: io::Error,
    },
    /// Physical addresses are hidden.
    #[error(
        "the kernel hides the addresses of memory from this process; run as root (CAP_SYS_ADMIN), or use a buffer \
         of u-dma-buf"
    )]
    NoAddresses,
    /// The chip is none that this crate drives.
    #[error(transparent)]
    Board(#[from] BoardError),
}

/// The registers and the interrupt of a UIO device.
pub struct UioBoard {
    registers: Mapped,
    device: File,
    interrupt: Interrupt,
}

/// How interrupts are enabled again after one.
enum Interrupt {
    /// By a write to the device.
    Control,
    /// By the command register of the PCI device.
    Pci(File),
    /// Not at all: the device is looked at from time to time.
    Polled,
}

/// Opens a file of a device for reading and writing.
pub(crate) fn open_device(path: &Path) -> Result<File, UioError> {
    let file = OpenOptions::new().read(true).write(true).open(path);
    file.map_err(|source| {
        let path = path.to_owned();
        match source.kind() {
            ErrorKind::NotFound => UioError::NoDevice { path },
            ErrorKind::PermissionDenied => UioError::Permission { path },
            _ => UioError::Open { path, source },
        }
    })
}

/// A number as the files of the system have them: decimal, or hexadecimal with 0x.
pub(crate) fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

impl UioBoard {
    /// Opens a device such as `/dev/uio0`.
    ///
    /// # Errors
    ///
    /// When there is no such device, it may not be used, or it is none of this kind.
    pub fn open(path: &Path) -> Result<Self, UioError> {
        Self::open_in(path, Path::new("/sys/class/uio"))
    }

    /// The same where `/sys/class/uio` is the folder `system`.
    pub fn open_in(path: &Path, system: &Path) -> Result<Self, UioError> {
        let device = open_device(path)?;
        let no_uio = || UioError::NoUio {
            path: path.to_owned(),
        };
        let folder = system.join(path.file_name().ok_or_else(no_uio)?);
        if !folder.is_dir() {
            return Err(no_uio());
        }
        let size = folder.join("maps/map0/size");
        let resource = folder.join("device/resource0");
        let (file, place, bytes) = if let Ok(text) = fs::read_to_string(&size) {
            let bytes = number(text.trim()).ok_or(UioError::Number { path: size, text })?;
            let file = device.try_clone().map_err(|source| UioError::Open {
                path: path.to_owned(),
                source,
            })?;
            (file, path.to_owned(), bytes)
        } else {
            let file = open_device(&resource)?;
            let bytes = file.metadata().map_err(|source| UioError::Read {
                path: resource.clone(),
                source,
            })?;
            (file, resource, bytes.len())
        };
        if bytes < MAP_BYTES {
            return Err(UioError::Small { path: place, bytes });
        }
        let config = folder.join("device/config");
        let interrupt = if config.exists() {
            let file = open_device(&config)?;
            let enable = |source| UioError::Enable {
                path: config.clone(),
                source,
            };
            // Registers, reads and writes of memory, and the interrupt.
            set_command(&file, MEMORY | MASTER, INTERRUPT_OFF).map_err(enable)?;
            Interrupt::Pci(file)
        } else if (&device).write_all(&1_u32.to_ne_bytes()).is_ok() {
            Interrupt::Control
        } else {
            Interrupt::Polled
        };
        let mapping = MmapOptions::new().len(MAP_BYTES as usize).map_raw(&file);
        let mapping = mapping.map_err(|source| UioError::Map {
            path: place,
            source,
        })?;
        Ok(Self {
            registers: Mapped::new(mapping),
            device,
            interrupt,
        })
    }

    fn enable(&mut self) -> io::Result<()> {
        match &self.interrupt {
            Interrupt::Control => (&self.device).write_all(&1_u32.to_ne_bytes()),
            Interrupt::Pci(config) => set_command(config, 0, INTERRUPT_OFF),
            Interrupt::Polled => Ok(()),
        }
    }
}

/// Sets and clears bits of the command register.
fn set_command(config: &File, set: u16, clear: u16) -> io::Result<()> {
    let mut bytes = [0; 2];
    config.read_exact_at(&mut bytes, COMMAND)?;
    let command = u16::from_le_bytes(bytes);
    let wanted = (command | set) & !clear;
    if wanted == command {
        return Ok(());
    }
    config.write_all_at(&wanted.to_le_bytes(), COMMAND)
}

impl Board for UioBoard {
    fn read(&mut self, address: u32) -> u32 {
        self.registers.read(address as usize)
    }

    fn write(&mut self, address: u32, value: u32) {
        self.registers.write(address as usize, value);
    }

    fn wait(&mut self, most: Duration) -> io::Result<()> {
        if let Interrupt::Polled = self.interrupt {
            std::thread::sleep(most.min(Duration::from_micros(100)));
            return Ok(());
        }
        // An interrupt that is due comes as soon as it is enabled.
        self.enable()?;
        let time = Timespec::try_from(most).map_err(io::Error::other)?;
        let mut files = [PollFd::new(&self.device, PollFlags::IN)];
        if poll(&mut files, Some(&time))? != 0 {
            let mut count = [0; 4];
            self.device.read_exact(&mut count)?;
        }
        Ok(())
    }
}

/// The chip behind a UIO device such as `/dev/uio0`, with huge pages for DMA, or the buffer of the device
/// `udmabuf` of `u-dma-buf`.
///
/// # Errors
///
/// When the device cannot be used, is no chip that this crate knows, or there is no memory for it.
pub fn open(
    path: &Path,
    udmabuf: Option<&Path>,
    timing: Timing,
) -> Result<DmaPort<UioBoard, PinnedMemory>, UioError> {
    let board = UioBoard::open(path)?;
    let memory = match udmabuf {
        Some(path) => PinnedMemory::udmabuf(path)?,
        None => PinnedMemory::huge()?,
    };
    Ok(DmaPort::new(board, memory, "uio", timing)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A device of files: its folder, and the device in it.
    fn device(files: &[(&str, &[u8])]) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("uio7"), []).unwrap();
        for (name, bytes) in files {
            let path = folder.path().join("system/uio7").join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
        let path = folder.path().join("uio7");
        (folder, path)
    }

    fn error(files: &[(&str, &[u8])]) -> String {
        let (folder, path) = device(files);
        let board = UioBoard::open_in(&path, &folder.path().join("system"));
        board.err().expect("this is no device").to_string()
    }

    #[test]
    fn wrong_devices_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("uio0");
        let error_at = |path: &Path| UioBoard::open(path).err().unwrap().to_string();
        assert!(error_at(&path).contains("there is no device"));
        fs::write(&path, []).unwrap();
        assert!(error_at(&path).contains("is no UIO device"));
        assert!(error(&[("name", b"x")]).contains("there is no device"));
        let message = error(&[("device/resource0", &[0; 256])]);
        assert!(message.contains("256 bytes"), "{message}");
        let message = error(&[("maps/map0/size", b"much\n")]);
        assert!(message.contains("'much"), "{message}");
        let message = error(&[("maps/map0/size", b"0x800\n")]);
        assert!(message.contains("2048 bytes"), "{message}");
    }

    #[test]
    fn a_pci_device_is_enabled_and_mapped() {
        let mut registers = vec![0; 0x1000];
        registers[..4].copy_from_slice(&0x4143_4D54_u32.to_le_bytes());
        let mut config = [0xEE; 64];
        config[4..6].copy_from_slice(&0x0401_u16.to_le_bytes());
        let (folder, path) =
            device(&[("device/resource0", &registers), ("device/config", &config)]);
        let mut board = UioBoard::open_in(&path, &folder.path().join("system")).unwrap();
        assert_eq!(board.read(0), 0x4143_4D54);
        board.write(0x058, 0x0102_0304);
        assert_eq!(board.read(0x058), 0x0102_0304);
        let folder = folder.path().join("system/uio7/device");
        let file = fs::read(folder.join("resource0")).unwrap();
        assert_eq!(file[0x58..0x5C], [4, 3, 2, 1]);
        // Memory and master on, the interrupt no longer off, and nothing else is changed.
        config[4..6].copy_from_slice(&0x0007_u16.to_le_bytes());
        assert_eq!(fs::read(folder.join("config")).unwrap(), config);
    }
}

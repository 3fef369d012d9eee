// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! A chip behind `/dev/uioN`: the registers of `uio_pci_generic`, which are the first resource of the PCI device,
//! or those of another UIO driver, which are its first map; its interrupt; and memory for DMA.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use acclmt_driver::registers;
use memmap2::MmapOptions;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

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
    /// There is no such buffer.
    #[error("there is no buffer {path}: load the module u-dma-buf first, as docs/linux.md says")]
    NoBuffer {
        /// The device of the buffer.
        path: PathBuf,
    },
    /// Another program has it.
    #[error("another program drives {path}: wait until it has ended, or take another device")]
    InUse {
        /// The device, or the buffer.
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
        "{path} has {bytes} bytes from its registers on, and those of the chip take {MAP_BYTES}: this is another device"
    )]
    Small {
        /// The file of the registers.
        path: PathBuf,
        /// Its bytes, from the first register on.
        bytes: u64,
    },
    /// The registers are at no place for registers.
    #[error(
        "{path} says that the registers begin at byte {offset}, which is no multiple of 4: this is another device"
    )]
    Offset {
        /// The file of the system that says so.
        path: PathBuf,
        /// What it says.
        offset: u64,
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
    shared: Arc<Shared>,
    device: File,
    interrupt: Interrupt,
}

/// What the end of the program needs of a device.
struct Shared {
    registers: Mapped,
    /// Where the registers begin in the mapping.
    offset: usize,
    /// The configuration of a PCI device.
    config: Option<File>,
    /// Whether the program is about to exit. Who writes to the device holds this.
    is_ended: Mutex<bool>,
}

/// How interrupts are enabled again after one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Interrupt {
    /// By a write to the device.
    Control,
    /// By the command register of the PCI device.
    Pci,
    /// Not at all: the device is looked at from time to time.
    Polled,
}

impl Interrupt {
    /// What a device has whose kernel driver answered `answer` when it was told to enable the interrupt, `is_pci` if
    /// it has a command register.
    fn of(answer: &io::Result<()>, is_pci: bool) -> Self {
        let error = |errno: Errno| errno.raw_os_error();
        match answer {
            Ok(()) => Self::Control,
            // The kernel says EIO where no interrupt line was found, whatever the driver can do (drivers/uio/uio.c),
            // and to reads and polls then, too.
            Err(answer) if answer.raw_os_error() == Some(error(Errno::IO)) => Self::Polled,
            // ENOSYS: there is one, and the driver leaves it to the command register.
            Err(_) if is_pci => Self::Pci,
            Err(_) => Self::Polled,
        }
    }
}

/// Devices that are open in this process.
static OPEN: Mutex<Vec<Weak<Shared>>> = Mutex::new(Vec::new());

/// Ends the DMA of all devices that this process has open, and lets none be opened or written from then on: for a
/// program that is about to exit, in the midst of anything. It takes two seconds at most for each.
pub fn end_all() {
    let open = lock(&OPEN);
    for shared in open.iter().filter_map(Weak::upgrade) {
        shared.end();
    }
    // No other one begins.
    std::mem::forget(open);
}

/// A panic elsewhere leaves nothing half done behind these locks.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    fn read(&self, address: u32) -> u32 {
        self.registers.read(self.offset + address as usize)
    }

    fn write(&self, address: u32, value: u32) {
        let is_ended = lock(&self.is_ended);
        if !*is_ended {
            self.registers.write(self.offset + address as usize, value);
        }
    }

    /// Sets and clears bits of the command register of a PCI device.
    fn command(&self, set: u16, clear: u16) -> io::Result<()> {
        let is_ended = lock(&self.is_ended);
        match &self.config {
            Some(config) if !*is_ended => set_command(config, set, clear),
            _ => Ok(()),
        }
    }

    /// Ends the DMA, and lets nobody write to the device from then on.
    fn end(&self) {
        const MOST: Duration = Duration::from_secs(2);
        let mut is_ended = lock(&self.is_ended);
        *is_ended = true;
        let control = self.offset + registers::DMA_CONTROL.address as usize;
        self.registers.write(control, 0);
        let began = Instant::now();
        loop {
            let status = self.read(registers::DMA_STATUS.address);
            let is_busy = status != u32::MAX && registers::DMA_STATUS_BUSY.is_set(status);
            if !is_busy || began.elapsed() >= MOST {
                break;
            }
            std::thread::sleep(Duration::from_micros(50));
        }
        if let Some(config) = &self.config {
            // The process ends; there is nobody to tell.
            let _ = set_command(config, 0, MASTER);
        }
    }
}

/// Opens a file of a device for reading and writing; `missing` is the error when there is none.
pub(crate) fn open_device(path: &Path, missing: fn(PathBuf) -> UioError) -> Result<File, UioError> {
    let file = OpenOptions::new().read(true).write(true).open(path);
    file.map_err(|source| {
        let path = path.to_owned();
        match source.kind() {
            ErrorKind::NotFound => missing(path),
            ErrorKind::PermissionDenied => UioError::Permission { path },
            _ => UioError::Open { path, source },
        }
    })
}

fn no_device(path: PathBuf) -> UioError {
    UioError::NoDevice { path }
}

/// Takes `file` for this program alone, for as long as it is open; the error is about the device at `path`.
pub(crate) fn take(file: &File, path: &Path) -> Result<(), UioError> {
    file.try_lock().map_err(|error| {
        let path = path.to_owned();
        match error {
            TryLockError::WouldBlock => UioError::InUse { path },
            TryLockError::Error(source) => UioError::Open { path, source },
        }
    })
}

/// The number in a file of the system.
pub(crate) fn number_in(path: &Path) -> Result<u64, UioError> {
    let text = fs::read_to_string(path).map_err(|source| UioError::Read {
        path: path.to_owned(),
        source,
    })?;
    let path = path.to_owned();
    number(text.trim()).ok_or(UioError::Number { path, text })
}

/// A number as the files of the system have them: decimal, or hexadecimal with 0x.
fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// Where the registers of a device are.
struct Place {
    /// The file of them, if it is not the device itself.
    file: Option<File>,
    path: PathBuf,
    /// Where they begin in its first mapping.
    offset: usize,
}

impl Place {
    /// That of the device at `path` with the folder `folder`.
    fn find(path: &Path, folder: &Path) -> Result<Self, UioError> {
        let map = folder.join("maps/map0");
        let (place, bytes) = if map.join("size").exists() {
            // The map has whole pages, and the registers begin somewhere in the first of them.
            let offset_path = map.join("offset");
            let offset = match offset_path.exists() {
                true => number_in(&offset_path)?,
                false => 0,
            };
            let page = rustix::param::page_size() as u64;
            if !offset.is_multiple_of(4) || offset >= page {
                let path = offset_path;
                return Err(UioError::Offset { path, offset });
            }
            let bytes = number_in(&map.join("size"))?;
            let place = Self {
                file: None,
                path: path.to_owned(),
                offset: offset as usize,
            };
            (place, bytes.saturating_sub(offset))
        } else {
            let path = folder.join("device/resource0");
            let file = open_device(&path, no_device)?;
            let bytes = file.metadata().map_err(|source| UioError::Read {
                path: path.clone(),
                source,
            })?;
            let place = Self {
                file: Some(file),
                path,
                offset: 0,
            };
            (place, bytes.len())
        };
        let path = place.path.clone();
        match bytes < MAP_BYTES {
            true => Err(UioError::Small { path, bytes }),
            false => Ok(place),
        }
    }
}

impl UioBoard {
    /// Opens a device such as `/dev/uio0`, for this program alone. The chip may not use memory yet.
    ///
    /// # Errors
    ///
    /// When there is no such device, it may not be used, another program has it, or it is none of this kind.
    pub fn open(path: &Path) -> Result<Self, UioError> {
        Self::open_in(path, Path::new("/sys/class/uio"))
    }

    /// The same where `/sys/class/uio` is the folder `system`.
    pub fn open_in(path: &Path, system: &Path) -> Result<Self, UioError> {
        let no_uio = || UioError::NoUio {
            path: path.to_owned(),
        };
        let folder = system.join(path.file_name().ok_or_else(no_uio)?);
        let config = folder.join("device/config");
        let config = match config.exists() {
            true => Some((open_device(&config, no_device)?, config)),
            false => None,
        };
        if let Some((file, _)) = &config {
            // Before the device is opened: uio_pci_generic takes Bus Master from a device whenever one of those who
            // have it open closes it, and so from the chip of the program that has it.
            take(file, path)?;
        }
        let device = open_device(path, no_device)?;
        if !folder.is_dir() {
            return Err(no_uio());
        }
        take(&device, path)?;
        let place = Place::find(path, &folder)?;
        if let Some((file, path)) = &config {
            // Registers alone: what the chip has under way is ended before it may use memory.
            set_command(file, MEMORY, 0).map_err(|source| UioError::Enable {
                path: path.clone(),
                source,
            })?;
        }
        let answer = (&device).write_all(&1_u32.to_ne_bytes());
        let interrupt = Interrupt::of(&answer, config.is_some());
        let mut options = MmapOptions::new();
        options.len(place.offset + MAP_BYTES as usize);
        let mapping = options.map_raw(place.file.as_ref().unwrap_or(&device));
        let mapping = mapping.map_err(|source| UioError::Map {
            path: place.path,
            source,
        })?;
        let shared = Arc::new(Shared {
            registers: Mapped::new(mapping),
            offset: place.offset,
            config: config.map(|(file, _)| file),
            is_ended: Mutex::new(false),
        });
        let mut open = lock(&OPEN);
        open.retain(|shared| shared.strong_count() > 0);
        open.push(Arc::downgrade(&shared));
        drop(open);
        Ok(Self {
            shared,
            device,
            interrupt,
        })
    }

    fn enable(&mut self) -> io::Result<()> {
        match self.interrupt {
            Interrupt::Control => (&self.device).write_all(&1_u32.to_ne_bytes()),
            Interrupt::Pci => self.shared.command(0, INTERRUPT_OFF),
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

/// Whether an interrupt came, by what poll says of the one device.
fn has_come(polled: Result<usize, Errno>) -> io::Result<bool> {
    match polled {
        Ok(count) => Ok(count != 0),
        // A signal of the process, which is none of the device.
        Err(Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

impl Board for UioBoard {
    fn read(&mut self, address: u32) -> u32 {
        self.shared.read(address)
    }

    fn write(&mut self, address: u32, value: u32) {
        self.shared.write(address, value);
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
        if has_come(poll(&mut files, Some(&time)))? {
            let mut count = [0; 4];
            self.device.read_exact(&mut count)?;
        }
        Ok(())
    }

    fn allow_dma(&mut self, is_allowed: bool) -> io::Result<()> {
        match is_allowed {
            true => self.shared.command(MASTER, 0),
            false => self.shared.command(0, MASTER),
        }
    }
}

/// The chip behind a UIO device such as `/dev/uio0`, with huge pages for DMA, or the buffer of the device
/// `udmabuf` of `u-dma-buf`.
///
/// # Errors
///
/// When the device or the buffer cannot be used, another program has one of them, the device is no chip that this crate
/// knows, or there is no memory for it.
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

    const ID: u32 = 0x4143_4D54;

    /// Registers with the mark of the chip at `offset`, and behind them nothing.
    fn register_file(offset: usize) -> Vec<u8> {
        let mut registers = vec![0; offset + 0x1000];
        registers[offset..][..4].copy_from_slice(&ID.to_le_bytes());
        registers
    }

    /// A PCI device that is off, with its interrupt off.
    fn configuration() -> [u8; 64] {
        let mut config = [0xEE; 64];
        config[4..6].copy_from_slice(&0x0401_u16.to_le_bytes());
        config
    }

    fn command(folder: &Path) -> u16 {
        let config = fs::read(folder.join("system/uio7/device/config")).unwrap();
        u16::from_le_bytes([config[4], config[5]])
    }

    #[test]
    fn a_pci_device_is_enabled_and_mapped() {
        let mut config = configuration();
        let files: &[(&str, &[u8])] = &[
            ("device/resource0", &register_file(0)),
            ("device/config", &config),
        ];
        let (folder, path) = device(files);
        let mut board = UioBoard::open_in(&path, &folder.path().join("system")).unwrap();
        assert_eq!(board.read(0), ID);
        board.write(0x058, 0x0102_0304);
        assert_eq!(board.read(0x058), 0x0102_0304);
        let device = folder.path().join("system/uio7/device");
        let file = fs::read(device.join("resource0")).unwrap();
        assert_eq!(file[0x58..0x5C], [4, 3, 2, 1]);
        // Memory alone is on, and nothing else is changed.
        config[4..6].copy_from_slice(&0x0403_u16.to_le_bytes());
        assert_eq!(fs::read(device.join("config")).unwrap(), config);
        board.allow_dma(true).unwrap();
        assert_eq!(command(folder.path()), 0x0407);
        board.interrupt = Interrupt::Pci;
        board.enable().unwrap();
        assert_eq!(command(folder.path()), 0x0007);
        board.allow_dma(false).unwrap();
        assert_eq!(command(folder.path()), 0x0003);
        config[4..6].copy_from_slice(&0x0003_u16.to_le_bytes());
        assert_eq!(fs::read(device.join("config")).unwrap(), config);
    }

    #[test]
    fn a_device_is_for_one_program() {
        let in_use = |files: &[(&str, &[u8])]| {
            let (folder, path) = device(files);
            let system = folder.path().join("system");
            let first = UioBoard::open_in(&path, &system).unwrap();
            let second = UioBoard::open_in(&path, &system);
            let message = second.err().expect("it is taken").to_string();
            assert!(
                message.contains(&format!("another program drives {}", path.display())),
                "{message}"
            );
            drop(first);
            UioBoard::open_in(&path, &system).unwrap();
        };
        let registers = register_file(0);
        in_use(&[("device/resource0", &registers)]);
        in_use(&[
            ("device/resource0", &registers),
            ("device/config", &configuration()),
        ]);
    }

    /// A device that is in use is not even opened: closing it again would take Bus Master from the chip.
    #[test]
    fn a_pci_device_in_use_is_not_opened() {
        let files: &[(&str, &[u8])] = &[
            ("device/resource0", &register_file(0)),
            ("device/config", &configuration()),
        ];
        let (folder, path) = device(files);
        let system = folder.path().join("system");
        let _first = UioBoard::open_in(&path, &system).unwrap();
        // Opening it would be this error.
        fs::remove_file(&path).unwrap();
        let message = UioBoard::open_in(&path, &system).err().unwrap().to_string();
        assert!(message.contains("another program drives"), "{message}");
    }

    #[test]
    fn registers_begin_where_the_map_says() {
        let (folder, path) = device(&[
            ("maps/map0/size", b"0x0000000000002000\n"),
            ("maps/map0/offset", b"0x40\n"),
        ]);
        let mut bytes = register_file(0x40);
        bytes.resize(0x2000, 0);
        fs::write(&path, bytes).unwrap();
        let mut board = UioBoard::open_in(&path, &folder.path().join("system")).unwrap();
        assert_eq!(board.read(0), ID);
        board.write(0xFFC, 7);
        assert_eq!(fs::read(&path).unwrap()[0x103C], 7);
        let size: (&str, &[u8]) = ("maps/map0/size", b"0x1000\n");
        let message = error(&[size, ("maps/map0/offset", b"0x40\n")]);
        assert!(message.contains("4032 bytes"), "{message}");
        let message = error(&[size, ("maps/map0/offset", b"0x42\n")]);
        assert!(message.contains("byte 66"), "{message}");
        let message = error(&[size, ("maps/map0/offset", b"0xFFFFFFFFFFFFFFFC\n")]);
        assert!(message.contains("another device"), "{message}");
        let message = error(&[size, ("maps/map0/offset", b"-\n")]);
        assert!(message.contains("which is no number"), "{message}");
    }

    #[test]
    fn a_device_says_by_an_error_whether_it_has_an_interrupt() {
        let answer = |errno: Errno| Err(io::Error::from(errno));
        for (answer, pci, other) in [
            (Ok(()), Interrupt::Control, Interrupt::Control),
            (answer(Errno::IO), Interrupt::Polled, Interrupt::Polled),
            (answer(Errno::NOSYS), Interrupt::Pci, Interrupt::Polled),
        ] {
            assert_eq!(Interrupt::of(&answer, true), pci, "{answer:?}");
            assert_eq!(Interrupt::of(&answer, false), other, "{answer:?}");
        }
    }

    /// Writes to this file give EIO, as those to a UIO device without an interrupt do: nothing is at address 0.
    #[test]
    fn a_pci_device_without_an_interrupt_is_polled() {
        let files: &[(&str, &[u8])] = &[
            ("device/resource0", &register_file(0)),
            ("device/config", &configuration()),
        ];
        let (folder, path) = device(files);
        fs::remove_file(&path).unwrap();
        std::os::unix::fs::symlink("/proc/self/mem", &path).unwrap();
        let mut board = UioBoard::open_in(&path, &folder.path().join("system")).unwrap();
        assert_eq!(board.interrupt, Interrupt::Polled);
        board.wait(Duration::from_millis(1)).unwrap();
        // Its interrupt stays off.
        assert_eq!(command(folder.path()), 0x0403);
    }

    #[test]
    fn a_signal_is_no_interrupt_of_the_device() {
        assert!(!has_come(Err(Errno::INTR)).unwrap());
        assert!(!has_come(Ok(0)).unwrap());
        assert!(has_come(Ok(1)).unwrap());
        let error = has_come(Err(Errno::INVAL)).unwrap_err();
        assert_eq!(error.raw_os_error(), Some(Errno::INVAL.raw_os_error()));
    }
}

// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! Memory of this process whose address on the bus is known: huge pages, which stay where they are, on a machine
//! without an IOMMU in between; or a buffer of the driver `u-dma-buf`.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;

use memmap2::{MmapOptions, MmapRaw};

use crate::mapped::Mapped;
use crate::port::DmaMemory;
use crate::uio::{UioError, number_in, open_device, take};

/// Base-2 logarithm of the bytes of a huge page.
const LOG2_HUGE: u8 = 21;
const HUGE: usize = 1 << LOG2_HUGE;

/// Huge pages that are asked for, the most first.
const PAGES: [usize; 6] = [32, 16, 8, 4, 2, 1];

/// Memory for a chip, in one piece on its bus.
pub struct PinnedMemory {
    mapped: Mapped,
    /// The piece that is used.
    offset: usize,
    bytes: usize,
    address: u64,
    /// The device of the buffer, which is taken for as long as this is open.
    _file: Option<File>,
}

impl PinnedMemory {
    /// As many huge pages of 2 MiB as there are, up to 32; of them the longest piece that is one in physical memory.
    ///
    /// # Errors
    ///
    /// When there are none, or this process may not know where they are.
    pub fn huge() -> Result<Self, UioError> {
        let mapped = PAGES.iter().find_map(|pages| {
            let mut options = MmapOptions::new();
            options.len(pages * HUGE).huge(Some(LOG2_HUGE)).populate();
            options.map_anon().ok()
        });
        let mapped = mapped.ok_or(UioError::NoHugePages)?;
        mapped.lock().map_err(|source| UioError::Lock { source })?;
        let mapped = Mapped::new(MmapRaw::from(mapped));
        let pages = physical(&mapped)?;
        let (first, count) = longest_piece(&pages);
        Ok(Self {
            offset: first * HUGE,
            bytes: count * HUGE,
            address: pages[first],
            mapped,
            _file: None,
        })
    }

    /// The buffer of a device of `u-dma-buf`, such as `/dev/udmabuf0`.
    ///
    /// # Errors
    ///
    /// When there is no such device, no permission for it, or another program has it.
    pub fn udmabuf(path: &Path) -> Result<Self, UioError> {
        Self::udmabuf_in(path, Path::new("/sys/class/u-dma-buf"))
    }

    /// The same where `/sys/class/u-dma-buf` is the folder `system`.
    fn udmabuf_in(path: &Path, system: &Path) -> Result<Self, UioError> {
        let file = open_device(path, |path| UioError::NoBuffer { path })?;
        take(&file, path)?;
        let folder = system.join(path.file_name().unwrap_or_default());
        let address = number_in(&folder.join("phys_addr"))?;
        let bytes = number_in(&folder.join("size"))? as usize;
        let mapping = MmapOptions::new().len(bytes).map_raw(&file);
        let mapping = mapping.map_err(|source| UioError::Map {
            path: path.to_owned(),
            source,
        })?;
        Ok(Self {
            mapped: Mapped::new(mapping),
            offset: 0,
            bytes,
            address,
            _file: Some(file),
        })
    }
}

impl DmaMemory for PinnedMemory {
    fn address(&self) -> u64 {
        self.address
    }

    fn bytes(&self) -> usize {
        self.bytes
    }

    fn copy_out(&self, offset: usize, bytes: &mut [u8]) {
        assert!(offset + bytes.len() <= self.bytes);
        self.mapped.copy_out(self.offset + offset, bytes);
    }

    fn copy_in(&mut self, offset: usize, bytes: &[u8]) {
        assert!(offset + bytes.len() <= self.bytes);
        self.mapped.copy_in(self.offset + offset, bytes);
    }
}

/// The physical addresses of the huge pages of a mapping.
fn physical(mapped: &Mapped) -> Result<Vec<u64>, UioError> {
    let path = Path::new("/proc/self/pagemap");
    let read = |source: io::Error| UioError::Read {
        path: path.to_owned(),
        source,
    };
    let page = rustix::param::page_size();
    let mut file = File::open(path).map_err(read)?;
    (0..mapped.len() / HUGE)
        .map(|number| {
            let place = (mapped.place() + number * HUGE) / page;
            file.seek(SeekFrom::Start(8 * place as u64)).map_err(read)?;
            let mut entry = [0; 8];
            file.read_exact(&mut entry).map_err(read)?;
            frame(u64::from_le_bytes(entry))
                .map(|frame| frame * page as u64)
                .ok_or(UioError::NoAddresses)
        })
        .collect()
}

/// The number of the page frame of an entry of `/proc/self/pagemap`, if the page is there and the process may
/// know it: to others the kernel says 0.
fn frame(entry: u64) -> Option<u64> {
    const PRESENT: u64 = 1 << 63;
    let frame = entry & ((1 << 55) - 1);
    (entry & PRESENT != 0 && frame != 0).then_some(frame)
}

/// First page and number of pages of the longest run of pages with addresses one after another.
fn longest_piece(pages: &[u64]) -> (usize, usize) {
    let mut best = (0, 0);
    let mut first = 0;
    for end in 1..=pages.len() {
        if end == pages.len() || pages[end] != pages[end - 1] + HUGE as u64 {
            if end - first > best.1 {
                best = (first, end - first);
            }
            first = end;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_longest_piece_is_found() {
        let at = |numbers: &[u64]| -> Vec<u64> {
            numbers.iter().map(|number| number * HUGE as u64).collect()
        };
        assert_eq!(longest_piece(&at(&[7])), (0, 1));
        assert_eq!(longest_piece(&at(&[7, 8, 9])), (0, 3));
        assert_eq!(longest_piece(&at(&[9, 8, 7])), (0, 1));
        assert_eq!(longest_piece(&at(&[1, 5, 6, 7, 3, 4])), (1, 3));
        assert_eq!(longest_piece(&at(&[1, 2, 5, 6, 7])), (2, 3));
    }

    #[test]
    fn a_buffer_is_for_one_program() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("udmabuf7");
        let open = || PinnedMemory::udmabuf_in(&path, &folder.path().join("system"));
        let error = || open().err().expect("it cannot be used").to_string();
        assert!(error().contains("there is no buffer"), "{}", error());
        assert!(error().contains("u-dma-buf"), "{}", error());
        fs::write(&path, [0; 4096]).unwrap();
        assert!(error().contains("phys_addr"), "{}", error());
        let system = folder.path().join("system/udmabuf7");
        fs::create_dir_all(&system).unwrap();
        fs::write(system.join("phys_addr"), "0x12340000\n").unwrap();
        fs::write(system.join("size"), "4096\n").unwrap();
        let first = open().unwrap();
        assert_eq!((first.address(), first.bytes()), (0x1234_0000, 4096));
        let message = format!("another program drives {}", path.display());
        assert!(error().contains(&message), "{}", error());
        drop(first);
        open().unwrap();
    }

    #[test]
    fn a_hidden_frame_is_no_address() {
        assert_eq!(frame(1 << 63 | 0x1234), Some(0x1234));
        assert_eq!(frame(1 << 63 | 1 << 61 | 0x1234), Some(0x1234));
        assert_eq!(frame(1 << 63), None);
        assert_eq!(frame(0x1234), None);
    }
}

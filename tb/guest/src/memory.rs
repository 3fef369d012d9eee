// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! The memory of the guest, as its devices see it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use acclmt_linux::Mapped;
use memmap2::MmapOptions;

use crate::proxy::Part;

/// Why memory cannot be used that QEMU has handed over.
#[derive(Debug, thiserror::Error)]
pub enum MemoryError {
    /// It is no part of its file.
    #[error(
        "QEMU handed over {bytes} bytes at {offset} of a file with {length}; give the guest memory by \
         memory-backend-memfd"
    )]
    Beyond {
        /// Bytes.
        bytes: u64,
        /// Where they begin in the file.
        offset: u64,
        /// Bytes of the file.
        length: u64,
    },
    /// It ends beyond the last address.
    #[error("QEMU handed over {bytes} bytes for address 0x{address:X}, which end beyond 2^64")]
    Address {
        /// Bytes.
        bytes: u64,
        /// Where the guest has them.
        address: u64,
    },
    /// Two parts are at the same place.
    #[error("QEMU handed over two parts of memory for address 0x{address:X}")]
    Twice {
        /// The address.
        address: u64,
    },
    /// It cannot be mapped.
    #[error("cannot map {bytes} bytes of the guest's memory: {source}")]
    Map {
        /// Bytes.
        bytes: u64,
        /// What went wrong.
        source: std::io::Error,
    },
}

/// Why an access of the chip failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// There is no memory.
    #[error("the guest has no memory at 0x{address:X}")]
    Nowhere {
        /// The first address without memory.
        address: u64,
    },
    /// The guest has not allowed the device to read and write memory.
    #[error("the guest has not set Bus Master in the command register of the device")]
    NoMaster,
}

/// Some of the memory.
struct Range {
    address: u64,
    bytes: u64,
    mapped: Mapped,
}

#[derive(Default)]
struct Ranges {
    /// In the order of their addresses.
    ranges: Vec<Range>,
    is_master: bool,
    refusals: u64,
    last_refusal: Option<Refusal>,
}

/// The memory of the guest; clones are the same memory.
#[derive(Clone, Default)]
pub struct GuestMemory(Arc<Mutex<Ranges>>);

impl GuestMemory {
    /// No memory yet, and no right to use it.
    pub fn new() -> Self {
        Self::default()
    }

    fn ranges(&self) -> MutexGuard<'_, Ranges> {
        // Whoever panicked has left the list whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on these parts are all of the memory.
    ///
    /// # Errors
    ///
    /// When they cannot be mapped, or are not what they say; the memory stays as it was.
    pub fn replace(&self, parts: &[Part]) -> Result<(), MemoryError> {
        let mut ranges = Vec::with_capacity(parts.len());
        for part in parts {
            ranges.push(map(part)?);
        }
        ranges.sort_by_key(|range| range.address);
        for pair in ranges.windows(2) {
            let address = pair[1].address;
            if address - pair[0].address < pair[0].bytes {
                return Err(MemoryError::Twice { address });
            }
        }
        self.ranges().ranges = ranges;
        Ok(())
    }

    /// Allows accesses, or not.
    pub fn set_master(&self, is_master: bool) {
        self.ranges().is_master = is_master;
    }

    /// Accesses that were refused, and why the last one was.
    pub fn refusals(&self) -> (u64, Option<Refusal>) {
        let ranges = self.ranges();
        (ranges.refusals, ranges.last_refusal)
    }

    /// Reads bytes.
    ///
    /// # Errors
    ///
    /// When not all of them are there, or the guest does not allow it.
    pub fn load(&self, address: u64, bytes: &mut [u8]) -> Result<(), Refusal> {
        self.ranges()
            .each(address, bytes.len(), |range, offset, place, count| {
                range
                    .mapped
                    .copy_out(offset, &mut bytes[place..place + count]);
            })
    }

    /// Writes bytes, the last ones first, four at a time where the address is a multiple of that: whoever sees the
    /// first bytes of a beat sees all of it.
    ///
    /// # Errors
    ///
    /// As of [`load`](Self::load); nothing is written then.
    pub fn store(&self, address: u64, bytes: &[u8]) -> Result<(), Refusal> {
        let mut ranges = self.ranges();
        ranges.each(address, bytes.len(), |_, _, _, _| {})?;
        ranges.each(address, bytes.len(), |range, offset, place, count| {
            let bytes = &bytes[place..place + count];
            let (words, rest) = bytes.as_chunks::<4>();
            if offset.is_multiple_of(4) && rest.is_empty() {
                for (number, word) in words.iter().enumerate().rev() {
                    range
                        .mapped
                        .write(offset + 4 * number, u32::from_le_bytes(*word));
                }
            } else {
                range.mapped.copy_in(offset, bytes);
            }
        })
    }
}

impl Ranges {
    /// Goes through the parts of an access: range, offset in it, place in the access, bytes.
    fn each(
        &mut self,
        address: u64,
        bytes: usize,
        visit: impl FnMut(&Range, usize, usize, usize),
    ) -> Result<(), Refusal> {
        let result = if self.is_master {
            visit_all(&self.ranges, address, bytes, visit)
        } else {
            Err(Refusal::NoMaster)
        };
        if let Err(refusal) = result {
            self.refusals += 1;
            self.last_refusal = Some(refusal);
        }
        result
    }
}

fn visit_all(
    ranges: &[Range],
    address: u64,
    bytes: usize,
    mut visit: impl FnMut(&Range, usize, usize, usize),
) -> Result<(), Refusal> {
    let mut place = 0;
    while place < bytes {
        let at = address.checked_add(place as u64);
        let at = at.ok_or(Refusal::Nowhere { address: u64::MAX })?;
        let after = ranges.partition_point(|range| range.address <= at);
        let range = after.checked_sub(1).map(|number| &ranges[number]);
        let range = range.filter(|range| at - range.address < range.bytes);
        let range = range.ok_or(Refusal::Nowhere { address: at })?;
        let offset = at - range.address;
        let count = (range.bytes - offset).min((bytes - place) as u64) as usize;
        visit(range, offset as usize, place, count);
        place += count;
    }
    Ok(())
}

fn map(part: &Part) -> Result<Range, MemoryError> {
    let &Part {
        ref file,
        offset,
        address,
        bytes,
    } = part;
    let failed = |source| MemoryError::Map { bytes, source };
    let length = file.metadata().map_err(failed)?.len();
    if bytes == 0 || offset.checked_add(bytes).is_none_or(|end| end > length) {
        return Err(MemoryError::Beyond {
            bytes,
            offset,
            length,
        });
    }
    if address.checked_add(bytes - 1).is_none() {
        return Err(MemoryError::Address { bytes, address });
    }
    let size = usize::try_from(bytes).map_err(|error| failed(std::io::Error::other(error)))?;
    let mapping = MmapOptions::new().offset(offset).len(size).map_raw(file);
    Ok(Range {
        address,
        bytes,
        mapped: Mapped::new(mapping.map_err(failed)?),
    })
}

#[cfg(feature = "testing")]
impl acclmt_linux::emulator::BusMemory for GuestMemory {
    fn read(&mut self, address: u64, bytes: &mut [u8]) -> bool {
        self.load(address, bytes).is_ok()
    }

    fn write(&mut self, address: u64, bytes: &[u8]) -> bool {
        self.store(address, bytes).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::os::unix::fs::FileExt as _;

    use super::*;

    const PAGE: u64 = 0x1000;

    /// A file of four pages, whose bytes are the numbers of their pages.
    fn file() -> File {
        let file = tempfile::tempfile().unwrap();
        for page in 0..4 {
            file.write_all_at(&[page as u8; PAGE as usize], page * PAGE)
                .unwrap();
        }
        file
    }

    fn part(file: &File, offset: u64, address: u64, bytes: u64) -> Part {
        Part {
            file: file.try_clone().unwrap(),
            offset,
            address,
            bytes,
        }
    }

    fn memory(file: &File) -> GuestMemory {
        let memory = GuestMemory::new();
        let parts = [
            part(file, 2 * PAGE, 0x1_0000_0000, PAGE),
            part(file, PAGE, 0x9000, PAGE),
            part(file, 3 * PAGE, 0xA000, PAGE),
        ];
        memory.replace(&parts).unwrap();
        memory.set_master(true);
        memory
    }

    #[test]
    fn the_guest_and_the_chip_see_the_same_memory() {
        let file = file();
        let memory = memory(&file);
        let mut bytes = [0; 8];
        memory.load(0x1_0000_0FF8, &mut bytes).unwrap();
        assert_eq!(bytes, [2; 8]);
        // Two parts that are next to each other.
        memory.load(0x9FFC, &mut bytes).unwrap();
        assert_eq!(bytes, [1, 1, 1, 1, 3, 3, 3, 3]);
        memory.store(0x9FFE, &[7, 8, 9]).unwrap();
        memory.store(0x9004, &[1, 2, 3, 4, 5, 6, 7, 8]).unwrap();
        let mut seen = [0; 3];
        file.read_exact_at(&mut seen[..2], 2 * PAGE - 2).unwrap();
        file.read_exact_at(&mut seen[2..], 3 * PAGE).unwrap();
        assert_eq!(seen, [7, 8, 9]);
        file.read_exact_at(&mut bytes, PAGE + 4).unwrap();
        assert_eq!(bytes, [1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(memory.refusals(), (0, None));
    }

    #[test]
    fn accesses_outside_are_refused_whole() {
        let file = file();
        let memory = memory(&file);
        let mut bytes = [0xEE; 8];
        for (address, first) in [
            (0, 0),
            (0x8FFC, 0x8FFC),
            (0xAFFC, 0xB000),
            (0x1_0000_1000, 0x1_0000_1000),
            (u64::MAX - 3, u64::MAX - 3),
        ] {
            let refusal = Refusal::Nowhere { address: first };
            assert_eq!(memory.load(address, &mut bytes), Err(refusal));
            assert_eq!(memory.store(address, &[5; 8]), Err(refusal));
            assert_eq!(memory.refusals().1, Some(refusal));
        }
        assert_eq!(memory.refusals().0, 10);
        let mut page = [0; PAGE as usize];
        file.read_exact_at(&mut page, 3 * PAGE).unwrap();
        assert_eq!(page, [3; PAGE as usize]);
    }

    #[test]
    fn nothing_is_read_or_written_without_bus_master() {
        let file = file();
        let memory = memory(&file);
        memory.set_master(false);
        assert_eq!(memory.load(0x9000, &mut [0]), Err(Refusal::NoMaster));
        assert_eq!(memory.store(0x9000, &[0]), Err(Refusal::NoMaster));
        let mut byte = [0];
        file.read_exact_at(&mut byte, PAGE).unwrap();
        assert_eq!(byte, [1]);
    }

    #[test]
    fn memory_that_is_not_there_is_not_taken() {
        let file = file();
        let memory = memory(&file);
        for (parts, expected) in [
            (
                vec![part(&file, 0, 0, 5 * PAGE)],
                "20480 bytes at 0 of a file with 16384",
            ),
            (vec![part(&file, u64::MAX, 0, PAGE)], "of a file with 16384"),
            (vec![part(&file, 0, 0, 0)], "0 bytes at 0"),
            (vec![part(&file, 0, u64::MAX, PAGE)], "end beyond 2^64"),
            (
                vec![part(&file, 0, 0x1000, PAGE), part(&file, 0, 0x800, PAGE)],
                "two parts of memory for address 0x1000",
            ),
        ] {
            let message = memory.replace(&parts).unwrap_err().to_string();
            assert!(message.contains(expected), "{message}");
        }
        // What was there still is.
        memory.load(0x9000, &mut [0]).unwrap();
    }
}

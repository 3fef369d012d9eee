// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! Memory that a device reads and writes, or whose reads and writes are those of a device: the one place of this
//! crate with `unsafe`.

#![allow(
    unsafe_code,
    reason = "memory that others change is read and written by volatile accesses, which take pointers"
)]

use memmap2::MmapRaw;

/// Keeps the accesses before it from those behind it, as a device sees them.
#[cfg(target_arch = "aarch64")]
fn barrier() {
    // SAFETY: a barrier changes no register and no memory. It is `dsb sy` since a fence of Rust orders accesses as
    // other processors see them (`dmb ish`), and a device on a bus is none.
    unsafe { std::arch::asm!("dsb sy", options(nostack, preserves_flags)) }
}

/// Keeps the accesses before it from those behind it, as a device sees them.
#[cfg(not(target_arch = "aarch64"))]
fn barrier() {
    std::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst);
}

/// A mapping, which is never lent as a slice: whoever is behind it may change it at any time.
pub struct Mapped {
    mapping: MmapRaw,
}

impl Mapped {
    /// Takes a mapping over.
    pub fn new(mapping: MmapRaw) -> Self {
        Self { mapping }
    }

    /// Its length in bytes.
    pub fn len(&self) -> usize {
        self.mapping.len()
    }

    /// Whether it has no bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Where it is in the memory of this process.
    pub(crate) fn place(&self) -> usize {
        self.mapping.as_ptr() as usize
    }

    fn check(&self, offset: usize, length: usize) {
        let fits = offset
            .checked_add(length)
            .is_some_and(|end| end <= self.len());
        assert!(fits, "{length} bytes at {offset} of {}", self.len());
    }

    /// Reads 32 bits in one access, which comes after all accesses before it.
    ///
    /// # Panics
    ///
    /// When the place is not within the mapping, or no multiple of 4.
    pub fn read(&self, offset: usize) -> u32 {
        self.check(offset, 4);
        assert!(offset.is_multiple_of(4), "{offset} is no multiple of 4");
        barrier();
        // SAFETY: the four bytes are within the mapping, which lives as long as `self` and begins at a page, so
        // that they are aligned; nothing in Rust refers to them, and any bits are a value.
        let value = unsafe {
            self.mapping
                .as_ptr()
                .add(offset)
                .cast::<u32>()
                .read_volatile()
        };
        barrier();
        u32::from_le(value)
    }

    /// Writes 32 bits in one access, which comes after all accesses before it.
    ///
    /// # Panics
    ///
    /// As of [`read`](Self::read).
    pub fn write(&self, offset: usize, value: u32) {
        self.check(offset, 4);
        assert!(offset.is_multiple_of(4), "{offset} is no multiple of 4");
        barrier();
        // SAFETY: as above, and the mapping is one for writing.
        unsafe {
            let place = self.mapping.as_mut_ptr().add(offset).cast::<u32>();
            place.write_volatile(value.to_le());
        }
        barrier();
    }

    /// Copies bytes out of the mapping.
    ///
    /// # Panics
    ///
    /// When they are not within the mapping.
    pub fn copy_out(&self, offset: usize, bytes: &mut [u8]) {
        self.check(offset, bytes.len());
        barrier();
        for (number, byte) in bytes.iter_mut().enumerate() {
            // SAFETY: the byte is within the mapping, by the check; nothing in Rust refers to it.
            *byte = unsafe { self.mapping.as_ptr().add(offset + number).read_volatile() };
        }
        barrier();
    }

    /// Copies bytes into the mapping.
    ///
    /// # Panics
    ///
    /// When they are not within the mapping.
    pub fn copy_in(&self, offset: usize, bytes: &[u8]) {
        self.check(offset, bytes.len());
        barrier();
        for (number, &byte) in bytes.iter().enumerate() {
            // SAFETY: the byte is within the mapping, by the check, and the mapping is one for writing; nothing
            // in Rust refers to it.
            unsafe {
                let place = self.mapping.as_mut_ptr().add(offset + number);
                place.write_volatile(byte);
            }
        }
        barrier();
    }
}

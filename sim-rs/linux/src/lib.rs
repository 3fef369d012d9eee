// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

#![doc = include_str!("../README.md")]
#![cfg(target_os = "linux")]

mod mapped;
mod memory;
mod port;
pub mod uio;

#[cfg(feature = "testing")]
pub mod emulator;
#[cfg(feature = "testing")]
pub mod script;

pub use mapped::Mapped;
pub use memory::PinnedMemory;
pub use port::{Board, BoardError, DmaMemory, DmaPort, Timing};

// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

#![doc = include_str!("../README.md")]
#![cfg(target_os = "linux")]

pub mod chip;
pub mod device;
pub mod interrupt;
pub mod machine;
pub mod memory;
pub mod program;
pub mod proxy;
pub mod session;
pub mod transcript;

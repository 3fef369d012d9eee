// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

#![doc = include_str!("../README.md")]
#![cfg(unix)]

mod client;
mod frames;
pub mod protocol;
mod server;
mod socket;

pub use client::SocketPort;
pub use server::{Event, Options, Server, Stopper, end_servers};
pub use socket::ServeError;

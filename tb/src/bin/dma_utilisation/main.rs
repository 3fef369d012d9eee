// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! How busy the hash engines are through the DMA: trees on the RTL of the default chip beside a memory that answers
//! late, and the same trees on the model of the bare core. Prints JSON for `acclmt bench paper --dma FILE`.
//!
//!     cargo run --release --package acclmt-tb --features dma_utilisation --bin dma_utilisation

use std::process::ExitCode;

#[cfg(target_os = "linux")]
mod measure;

#[cfg(target_os = "linux")]
fn main() -> ExitCode {
    match measure::run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn main() -> ExitCode {
    eprintln!("error: the driver of a chip with DMA is there on Linux only");
    ExitCode::FAILURE
}

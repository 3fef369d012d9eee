// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! The guest with the chip that is simulated from its SystemVerilog.

use std::process::ExitCode;

#[cfg(target_os = "linux")]
fn main() -> ExitCode {
    use acclmt_guest::chip::SimulatedChip;
    use acclmt_guest::program::{self, Arguments};
    use clap::Parser as _;

    match program::run(&Arguments::parse(), SimulatedChip::new) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn main() -> ExitCode {
    eprintln!("error: the memory of a guest can be shared on Linux only");
    ExitCode::FAILURE
}

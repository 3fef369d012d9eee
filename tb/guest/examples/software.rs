// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! The guest with the DMA in software over the model of the core in place of the simulated chip: everything but the
//! chip, in seconds.

use std::process::ExitCode;

use acclmt_guest::chip::SoftwareChip;
use acclmt_guest::program::{self, Arguments};
use clap::Parser as _;

fn main() -> ExitCode {
    let result = program::run(&Arguments::parse(), |_seed, memory| {
        Ok(SoftwareChip::new(memory))
    });
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

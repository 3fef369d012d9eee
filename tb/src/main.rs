// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! The command line `acclmt`, with the simulated chip, its model and the software reference as backends.

use std::process::ExitCode;

use acclmt::cli::{self, BackendError, BackendFactory, BackendOptions, LibraryBackends};
use acclmt::device::Device;
use acclmt::driver::ChipDevice;
use acclmt_tb::{RtlChip, WaveformWindow, Waves};

/// Seed of what the design leaves undefined: a run can be repeated.
const SEED: u32 = 1;

const RTL: &str = "rtl";

struct Backends;

impl BackendFactory for Backends {
    fn names(&self) -> &[&str] {
        &[RTL, cli::MODEL, cli::SOFTWARE]
    }

    fn open(&self, name: &str, options: &BackendOptions) -> Result<Box<dyn Device>, BackendError> {
        if name != RTL {
            return LibraryBackends.open(name, options);
        }
        let error = |error: &dyn std::error::Error| BackendError::new(error.to_string());
        let mut chip = RtlChip::new(SEED).map_err(|cause| error(&cause))?;
        if let Some(waves) = &options.waves {
            let waves = Waves {
                path: waves.path.clone(),
                window: WaveformWindow {
                    first: waves.from,
                    count: waves.cycles,
                    depth: 0,
                },
            };
            chip.trace(&waves).map_err(|cause| error(&cause))?;
        }
        let device = ChipDevice::new(chip).map_err(|cause| error(&cause))?;
        Ok(Box::new(device))
    }
}

fn main() -> ExitCode {
    cli::run(std::env::args_os(), &Backends)
}

// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! The backend `rtl`: the simulated chip, beside those of the library.

use std::env;

use acclmt::{BackendError, BackendFactory, BackendOptions, LibraryBackends, MODEL, SOFTWARE};
use acclmt_driver::chip::{ChipDevice, ChipPort};
use acclmt_driver::device::Device;
use acclmt_model::Hardware;
use acclmt_tb::{RtlChip, WAVES_VARIABLE, WaveformWindow, Waves, large_field};
use acclmt_verilated::RUNTIME_MODULUS;

/// Seed of what the design leaves undefined: a run can be repeated.
const SEED: u32 = 1;

const RTL: &str = "rtl";

/// The simulated chip, its model, and the software.
pub struct Backends;

impl BackendFactory for Backends {
    fn names(&self) -> &[&str] {
        &[RTL, MODEL, SOFTWARE]
    }

    fn at_a_time(&self, name: &str) -> usize {
        // The chips would write one waveform.
        match name == RTL && env::var_os(WAVES_VARIABLE).is_some() {
            true => 1,
            false => LibraryBackends.at_a_time(name),
        }
    }

    fn open(
        &self,
        name: &str,
        options: &BackendOptions,
    ) -> Result<Box<dyn Device + Send>, BackendError> {
        if name != RTL {
            return LibraryBackends.open(name, options);
        }
        let error = |error: &dyn std::error::Error| BackendError::new(error.to_string());
        if let Some(hardware) = options.hardware {
            check_build(&hardware)?;
        }
        options.check_engines("the RTL of this program", Hardware::default().num_engines)?;
        let mut chip = RtlChip::new(SEED).map_err(|cause| error(&cause))?;
        if let Some(stalls) = &options.stalls {
            chip.set_host(stalls).map_err(|cause| error(&cause))?;
        }
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
        let mut device = ChipDevice::new(chip).map_err(|cause| error(&cause))?;
        device.set_row_group(options.row_group);
        device.set_sharing(options.sharing);
        Ok(Box::new(device))
    }

    fn open_chip(
        &self,
        name: &str,
        options: &BackendOptions,
    ) -> Result<Box<dyn ChipPort>, BackendError> {
        if name != RTL {
            return LibraryBackends.open_chip(name, options);
        }
        if let Some(hardware) = &options.hardware {
            check_build(hardware)?;
            if hardware.field != large_field() {
                return Err(BackendError::new(format!(
                    "the RTL of this program has the prime of '{}'; leave --field out, or take the model",
                    large_field().name()
                )));
            }
        }
        options.check_engines("the RTL of this program", Hardware::default().num_engines)?;
        let chip = RtlChip::new(SEED).map_err(|error| BackendError::new(error.to_string()))?;
        Ok(Box::new(chip))
    }
}

/// The RTL is simulated as one build; another one is refused.
fn check_build(hardware: &Hardware) -> Result<(), BackendError> {
    let build = Hardware {
        field: large_field(),
        runtime_modulus: RUNTIME_MODULUS,
        store: true,
        adders: true,
        ..Hardware::default()
    };
    let asked = Hardware {
        field: build.field,
        runtime_modulus: build.runtime_modulus,
        ..*hardware
    };
    if asked == build {
        return Ok(());
    }
    Err(BackendError::new(
        "the RTL is simulated with its default parameters; take the model for other sub-engines and \
         memories",
    ))
}

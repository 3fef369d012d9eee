// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! The chip behind the device.

use acclmt_driver::registers;

/// The simulation of the chip failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the chip failed: {0}")]
pub struct ChipError(String);

impl ChipError {
    /// A failure that `message` describes.
    pub fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

/// A chip with DMA into the memory of the guest. Its time passes only within these calls.
pub trait Chip {
    /// Resets it.
    ///
    /// # Errors
    ///
    /// When the simulation fails, as of every call.
    fn reset(&mut self) -> Result<(), ChipError>;

    /// Reads the register at a byte address, a multiple of 4 below 0x1000; nothing where the chip answers with an
    /// error.
    ///
    /// # Errors
    ///
    /// When the simulation fails.
    fn read(&mut self, address: u32) -> Result<Option<u32>, ChipError>;

    /// Writes it; whether the chip has taken the value.
    ///
    /// # Errors
    ///
    /// When the simulation fails.
    fn write(&mut self, address: u32, value: u32) -> Result<bool, ChipError>;

    /// Lets so many clock cycles pass.
    ///
    /// # Errors
    ///
    /// When the simulation fails.
    fn run(&mut self, cycles: u64) -> Result<(), ChipError>;

    /// The level of the interrupt.
    fn interrupt(&self) -> bool;

    /// Clock cycles since the last reset.
    fn cycles(&self) -> u64;

    /// Whether something is under way: a run, a zeroisation, or the DMA.
    ///
    /// # Errors
    ///
    /// When the simulation fails.
    fn is_busy(&mut self) -> Result<bool, ChipError> {
        let status = self.read(registers::STATUS.address)?.unwrap_or(0);
        let dma = self.read(registers::DMA_STATUS.address)?.unwrap_or(0);
        Ok(registers::STATUS_BUSY.is_set(status) || registers::DMA_STATUS_BUSY.is_set(dma))
    }
}

#[cfg(feature = "testing")]
mod software {
    use std::time::Duration;

    use acclmt_linux::Board as _;
    use acclmt_linux::emulator::Emulator;

    use super::{Chip, ChipError};
    use crate::memory::GuestMemory;

    /// The DMA in software over the model of the core, for tests.
    pub struct SoftwareChip {
        memory: GuestMemory,
        chip: Emulator,
        cycles: u64,
    }

    impl SoftwareChip {
        /// A chip that has been reset.
        pub fn new(memory: GuestMemory) -> Self {
            Self {
                chip: Emulator::on_bus(memory.clone()),
                memory,
                cycles: 0,
            }
        }
    }

    impl Chip for SoftwareChip {
        fn reset(&mut self) -> Result<(), ChipError> {
            *self = Self::new(self.memory.clone());
            Ok(())
        }

        fn read(&mut self, address: u32) -> Result<Option<u32>, ChipError> {
            Ok(Some(self.chip.read(address)))
        }

        fn write(&mut self, address: u32, value: u32) -> Result<bool, ChipError> {
            self.chip.write(address, value);
            Ok(true)
        }

        fn run(&mut self, cycles: u64) -> Result<(), ChipError> {
            self.cycles += cycles;
            self.chip
                .wait(Duration::ZERO)
                .map_err(|error| ChipError::new(error.to_string()))
        }

        fn interrupt(&self) -> bool {
            self.chip.interrupt()
        }

        fn cycles(&self) -> u64 {
            self.cycles
        }
    }
}

#[cfg(feature = "testing")]
pub use software::SoftwareChip;

#[cfg(feature = "whole")]
mod simulated {
    use acclmt_driver::chip::PortError;
    use acclmt_tb::dma::{DmaChip, HostMemory, Refused, Timing, Variant};
    use acclmt_verilated::{Bench, BenchKind};

    use super::{Chip, ChipError};
    use crate::memory::GuestMemory;

    /// Clock cycles between an access of the DMA and its answer.
    const LATENCY: u64 = 64;

    /// How often, out of 256 cycles, each channel of the bus pauses.
    const PAUSES: u64 = 32;

    impl HostMemory for GuestMemory {
        fn read(&mut self, address: u64, bytes: &mut [u8]) -> Result<(), Refused> {
            self.load(address, bytes).map_err(|_| Refused)
        }

        fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), Refused> {
            self.store(address, bytes).map_err(|_| Refused)
        }
    }

    impl From<PortError> for ChipError {
        fn from(error: PortError) -> Self {
            Self::new(error.to_string())
        }
    }

    /// The default chip with DMA, simulated from its SystemVerilog.
    pub struct SimulatedChip {
        chip: DmaChip<GuestMemory>,
        /// Cycles at the last reset.
        began: u64,
    }

    impl SimulatedChip {
        /// A chip that has been reset. What has no reset, and the pauses of the bus, are random by `seed`.
        ///
        /// # Errors
        ///
        /// When the simulation fails.
        pub fn new(seed: u32, memory: GuestMemory) -> Result<Self, ChipError> {
            let timing = Timing {
                latency: LATENCY,
                pauses: [PAUSES; 5],
                ..Timing::default()
            };
            let bench = Bench::new(BenchKind::DmaChip, seed);
            let chip = DmaChip::new(bench, Variant::DEFAULT, seed.into(), memory, timing);
            let mut chip = Self { chip, began: 0 };
            chip.reset()?;
            Ok(chip)
        }
    }

    impl Chip for SimulatedChip {
        fn reset(&mut self) -> Result<(), ChipError> {
            self.chip.reset()?;
            self.began = self.chip.cycles();
            Ok(())
        }

        fn read(&mut self, address: u32) -> Result<Option<u32>, ChipError> {
            let answer = self.chip.read_register(address)?;
            Ok((!answer.refused).then_some(answer.data))
        }

        fn write(&mut self, address: u32, value: u32) -> Result<bool, ChipError> {
            Ok(!self.chip.write_register(address, value)?.refused)
        }

        fn run(&mut self, cycles: u64) -> Result<(), ChipError> {
            Ok(self.chip.run(cycles)?)
        }

        fn interrupt(&self) -> bool {
            self.chip.interrupt()
        }

        fn cycles(&self) -> u64 {
            self.chip.cycles() - self.began
        }
    }
}

#[cfg(feature = "whole")]
pub use simulated::SimulatedChip;

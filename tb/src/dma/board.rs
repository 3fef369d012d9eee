// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! A simulated chip with DMA as the driver for Linux has chips: registers and an interrupt, and memory that both reach.

use std::cell::RefCell;
use std::io;
use std::rc::Rc;
use std::time::Duration;

use acclmt_driver::chip::PortError;
use acclmt_linux::{Board, BoardError, DmaMemory, DmaPort};

use super::{DmaChip, HostMemory as _, Ram};

/// The most clock cycles of a wait for the interrupt, after which the driver looks at registers.
const WAIT_CYCLES: u64 = 1000;

/// The registers and the memory of a chip; clones are the same chip.
///
/// Registers and waits panic when the simulation fails, as it does where an assertion does.
#[derive(Clone)]
pub struct DmaBoard(Rc<RefCell<DmaChip<Ram>>>);

impl DmaBoard {
    /// A chip after a reset, which has come out of it.
    ///
    /// # Errors
    ///
    /// When the simulation fails.
    pub fn new(mut chip: DmaChip<Ram>) -> Result<Self, PortError> {
        chip.reset()?;
        // A core with a clock of its own refuses everything until its reset has ended.
        while chip.read_register(0)?.refused {}
        Ok(Self(Rc::new(RefCell::new(chip))))
    }

    /// The port of the chip. It is as patient as a simulation needs it.
    ///
    /// # Errors
    ///
    /// When the chip is none that the driver knows.
    pub fn port(&self) -> Result<DmaPort<Self, Self>, BoardError> {
        let patient = acclmt_linux::Timing {
            progress: Duration::from_secs(600),
            call: Duration::from_secs(60),
        };
        DmaPort::new(self.clone(), self.clone(), "dma", patient)
    }
}

impl Board for DmaBoard {
    fn read(&mut self, address: u32) -> u32 {
        let answer = self.0.borrow_mut().read_register(address).unwrap();
        // As a bus of a processor has it that does not trap.
        if answer.refused { 0 } else { answer.data }
    }

    fn write(&mut self, address: u32, value: u32) {
        self.0.borrow_mut().write_register(address, value).unwrap();
    }

    fn wait(&mut self, _most: Duration) -> io::Result<()> {
        let mut chip = self.0.borrow_mut();
        for _ in 0..WAIT_CYCLES {
            chip.cycle().unwrap();
            if chip.interrupt() {
                break;
            }
        }
        Ok(())
    }
}

impl DmaMemory for DmaBoard {
    fn address(&self) -> u64 {
        self.0.borrow_mut().memory().base()
    }

    fn bytes(&self) -> usize {
        self.0.borrow_mut().memory().bytes().len()
    }

    fn copy_out(&self, offset: usize, bytes: &mut [u8]) {
        let mut chip = self.0.borrow_mut();
        let address = chip.memory().base() + offset as u64;
        chip.memory().read(address, bytes).unwrap();
    }

    fn copy_in(&mut self, offset: usize, bytes: &[u8]) {
        let mut chip = self.0.borrow_mut();
        let address = chip.memory().base() + offset as u64;
        chip.memory().write(address, bytes).unwrap();
    }
}

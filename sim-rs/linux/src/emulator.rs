// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! A chip with DMA in software, for tests: the model of the core, and a DMA that follows `docs/dma.md` step by
//! step. It works while it is waited for.

use std::cell::RefCell;
use std::io;
use std::rc::Rc;
use std::time::Duration;

use acclmt_driver::chip::{ChipPort as _, OutputWord};
use acclmt_driver::registers;
use acclmt_model::{ComputingChip, Hardware};

use crate::port::{Board, DmaMemory};

/// What the chip, or the memory, does wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Nothing.
    None,
    /// Every register reads as all ones.
    Gone,
    /// A register reads as this value.
    Reads(u32, u32),
    /// Descriptors are never fetched.
    Stalls,
    /// The DMA never ends: memory does not answer it.
    StaysBusy,
    /// Every descriptor ends with this code; a code of 13 or 1 without a record.
    Code(u32),
}

/// Memory on the bus of the chip.
pub trait BusMemory {
    /// Reads bytes; whether all of them are there.
    fn read(&mut self, address: u64, bytes: &mut [u8]) -> bool;

    /// Writes bytes; whether there is a place for all of them.
    fn write(&mut self, address: u64, bytes: &[u8]) -> bool;
}

/// Where the memory of [`Emulator::new`] is on the bus.
const BASE: u64 = 0x1_2345_0000;

/// Clock cycles between two looks of the host.
const CYCLES: u64 = 256;

struct Machine {
    chip: ComputingChip,
    memory: Vec<u8>,
    /// The memory on the bus, if that is another one than `memory`.
    bus: Option<Box<dyn BusMemory>>,
    fault: Fault,
    ring: u64,
    log2_size: u32,
    is_enabled: bool,
    is_stopped: bool,
    tail: u32,
    head: u32,
    events: u32,
    enable: u32,
    error: (u32, u32),
    /// Whether the bus lets the chip read and write memory, if it was told at all.
    is_allowed: Option<bool>,
    /// Whether the DMA had something to do when it was let to memory.
    was_busy: bool,
    /// The run of descriptor `head`.
    run: Option<Run>,
}

struct Run {
    descriptor: [u8; 64],
    /// Words of the input that were taken.
    taken: u64,
    output: Vec<OutputWord>,
}

/// The chip: [`Emulator::board`] and [`Emulator::memory`] are the two sides of it.
#[derive(Clone)]
pub struct Emulator(Rc<RefCell<Machine>>);

impl Emulator {
    /// A chip with `bytes` of memory.
    ///
    /// # Panics
    ///
    /// Never: the chip is the default one.
    pub fn new(bytes: usize) -> Self {
        let chip = ComputingChip::new(Hardware::default()).expect("the default can be built");
        Self(Rc::new(RefCell::new(Machine {
            chip,
            memory: vec![0xA5; bytes],
            bus: None,
            fault: Fault::None,
            ring: 0,
            log2_size: 0,
            is_enabled: false,
            is_stopped: false,
            tail: 0,
            head: 0,
            events: 0,
            enable: 0,
            error: (0, 0),
            is_allowed: None,
            was_busy: false,
            run: None,
        })))
    }

    /// A chip in front of the memory `bus`.
    pub fn on_bus(bus: impl BusMemory + 'static) -> Self {
        let chip = Self::new(0);
        chip.0.borrow_mut().bus = Some(Box::new(bus));
        chip
    }

    /// The level of the interrupt.
    pub fn interrupt(&self) -> bool {
        let machine = self.0.borrow();
        machine.events & machine.enable != 0
    }

    /// Whether the DMA has something to do.
    pub fn is_busy(&self) -> bool {
        self.0.borrow().is_busy()
    }

    /// What the bus was told last, whether it lets the chip read and write memory.
    pub fn is_allowed(&self) -> Option<bool> {
        self.0.borrow().is_allowed
    }

    /// Whether the DMA had something to do at a time when it was let to memory.
    pub fn was_let_to_memory_busy(&self) -> bool {
        self.0.borrow().was_busy
    }

    /// From now on this goes wrong.
    pub fn set_fault(&self, fault: Fault) {
        self.0.borrow_mut().fault = fault;
    }

    /// Whether all of the memory is zero.
    pub fn is_zero(&self) -> bool {
        self.0.borrow().memory.iter().all(|byte| *byte == 0)
    }

    /// The registers.
    pub fn board(&self) -> Self {
        self.clone()
    }

    /// The memory.
    pub fn memory(&self) -> Memory {
        Memory(self.clone())
    }
}

/// The memory of an [`Emulator`].
pub struct Memory(Emulator);

impl DmaMemory for Memory {
    fn address(&self) -> u64 {
        BASE
    }

    fn bytes(&self) -> usize {
        self.0.0.borrow().memory.len()
    }

    fn copy_out(&self, offset: usize, bytes: &mut [u8]) {
        let machine = self.0.0.borrow();
        bytes.copy_from_slice(&machine.memory[offset..][..bytes.len()]);
    }

    fn copy_in(&mut self, offset: usize, bytes: &[u8]) {
        let mut machine = self.0.0.borrow_mut();
        machine.memory[offset..][..bytes.len()].copy_from_slice(bytes);
    }
}

impl Board for Emulator {
    fn read(&mut self, address: u32) -> u32 {
        self.0.borrow_mut().read(address)
    }

    fn write(&mut self, address: u32, value: u32) {
        self.0.borrow_mut().write(address, value);
    }

    fn wait(&mut self, _most: Duration) -> io::Result<()> {
        self.0.borrow_mut().work();
        Ok(())
    }

    fn allow_dma(&mut self, is_allowed: bool) -> io::Result<()> {
        let mut machine = self.0.borrow_mut();
        machine.is_allowed = Some(is_allowed);
        machine.was_busy |= is_allowed && machine.is_busy();
        Ok(())
    }
}

impl Machine {
    fn is_busy(&self) -> bool {
        self.is_enabled && !self.is_stopped && self.head != self.tail
    }

    fn read(&mut self, address: u32) -> u32 {
        match self.fault {
            Fault::Gone => return u32::MAX,
            Fault::Reads(at, value) if at == address => return value,
            Fault::StaysBusy if address == 0x90C => return 1,
            _ => {}
        }
        // Time passes for the chip as well as for the host.
        self.work();
        match address {
            0x900 => registers::DMA_VERSION_VALUE,
            0x908 => self.is_enabled.into(),
            0x90C => u32::from(self.is_busy()) | u32::from(self.is_stopped) << 1,
            0x910 => self.ring as u32,
            0x914 => (self.ring >> 32) as u32,
            0x918 => self.log2_size,
            0x91C => self.tail,
            0x920 => self.head,
            0x924 => self.events,
            0x928 => self.enable,
            0x92C => self.error.0,
            0x930 => self.error.1,
            _ => self.chip.read_register(address).expect("the model answers"),
        }
    }

    fn write(&mut self, address: u32, value: u32) {
        const REFUSED: u32 = 4;
        match address {
            0x908 => {
                let enables = value & 1 == 1;
                if enables && !self.is_enabled {
                    (self.tail, self.head, self.error) = (0, 0, (0, 0));
                    self.is_stopped = false;
                } else if !enables {
                    self.end();
                }
                self.is_enabled = enables;
            }
            0x910..=0x918 if self.is_enabled => self.events |= REFUSED,
            0x910 => self.ring = self.ring & !0xFFFF_FFFF | u64::from(value),
            0x914 => self.ring = self.ring & 0xFFFF_FFFF | u64::from(value) << 32,
            0x918 => self.log2_size = value,
            0x91C => {
                let given = value.wrapping_sub(self.head);
                if !self.is_enabled || given > 1 << self.log2_size {
                    self.events |= REFUSED;
                } else {
                    self.tail = value;
                }
            }
            0x924 => self.events &= !value,
            0x928 => self.enable = value,
            0x040 if value == 1 => self.events |= REFUSED,
            0x040 => {
                if value & 6 != 0 {
                    self.end();
                }
                self.core(address, value);
            }
            _ if self.is_busy() => self.events |= REFUSED,
            _ => self.core(address, value),
        }
    }

    fn core(&mut self, address: u32, value: u32) {
        let written = self.chip.write_register(address, value);
        written.expect("the model answers");
    }

    fn core_read(&mut self, address: u32) -> u32 {
        self.chip.read_register(address).expect("the model answers")
    }

    /// Ends the ring.
    fn end(&mut self) {
        if self.run.take().is_some() {
            self.core(0x040, 2);
        }
        self.is_enabled = false;
        self.is_stopped = false;
        (self.head, self.tail) = (0, 0);
    }

    /// A place of the memory by its address on the bus.
    fn place(&self, address: u64, bytes: u64) -> Option<usize> {
        let offset = address.checked_sub(BASE)?;
        let end = offset.checked_add(bytes)?;
        (end <= self.memory.len() as u64).then_some(offset as usize)
    }

    /// Reads memory; whether it is there.
    fn load(&mut self, address: u64, bytes: &mut [u8]) -> bool {
        if let Some(bus) = &mut self.bus {
            return bus.read(address, bytes);
        }
        let Some(at) = self.place(address, bytes.len() as u64) else {
            return false;
        };
        bytes.copy_from_slice(&self.memory[at..][..bytes.len()]);
        true
    }

    /// Writes memory; whether it is there.
    fn store(&mut self, address: u64, bytes: &[u8]) -> bool {
        if let Some(bus) = &mut self.bus {
            return bus.write(address, bytes);
        }
        let Some(at) = self.place(address, bytes.len() as u64) else {
            return false;
        };
        self.memory[at..][..bytes.len()].copy_from_slice(bytes);
        true
    }

    fn work(&mut self) {
        if !self.is_busy() || self.fault == Fault::Stalls {
            // The core's time passes, too.
            let moved = self.chip.transfer(&[], &mut Vec::new(), 16);
            moved.expect("the model works");
            return;
        }
        if self.run.is_none() {
            let address = self.ring + 64 * u64::from(self.head % (1 << self.log2_size));
            let mut descriptor = [0; 64];
            if !self.load(address, &mut descriptor) {
                return self.stop(None, 1);
            }
            if let Fault::Code(code) = self.fault {
                let record = (code != 1 && code != 13).then_some(descriptor);
                return self.stop(record.as_ref(), code);
            }
            if let Some(code) = check(&descriptor) {
                let record = (code != 2).then_some(descriptor);
                return self.stop(record.as_ref(), code);
            }
            self.core(0x040, 1);
            self.run = Some(Run {
                descriptor,
                taken: 0,
                output: Vec::new(),
            });
        }
        let Some(mut run) = self.run.take() else {
            return;
        };
        if self.core_read(0x044) & 8 != 0 {
            return self.stop(Some(&run.descriptor), 14);
        }
        let words = u64_at(&run.descriptor, 0x10);
        let address = u64_at(&run.descriptor, 0x08);
        // No more than can be taken in these cycles.
        let mut rest = vec![[0; 32]; (words - run.taken).min(CYCLES) as usize];
        if !self.load(address + 32 * run.taken, rest.as_flattened_mut()) {
            self.core(0x040, 2);
            return self.stop(Some(&run.descriptor), 8);
        }
        let taken = self.chip.transfer(&rest, &mut run.output, CYCLES);
        run.taken += taken.expect("the model works") as u64;
        let is_last = run.output.last().is_some_and(|word| word.last);
        if !is_last {
            self.run = Some(run);
            return;
        }
        if run.output.last().is_some_and(|word| word.error) {
            return self.stop(Some(&run.descriptor), 15);
        }
        if run.taken != words {
            return self.stop(Some(&run.descriptor), 10);
        }
        if run.output.len() as u64 > u64_at(&run.descriptor, 0x20) {
            return self.stop(Some(&run.descriptor), 11);
        }
        let (address, count) = (u64_at(&run.descriptor, 0x18), run.output.len());
        let mut stored = vec![[0; 64]; count];
        for (bytes, word) in stored.iter_mut().zip(&run.output) {
            bytes[..32].copy_from_slice(&word.data);
            let user = u64::from(word.index) | u64::from(word.level) << 40;
            bytes[32..40].copy_from_slice(&user.to_le_bytes());
        }
        if !self.store(address, stored.as_flattened()) {
            return self.stop(Some(&run.descriptor), 12);
        }
        self.record(&run.descriptor, 0, (0, 0), count as u64);
        self.head += 1;
        self.events |= u32::from(run.descriptor[0] & 1);
    }

    /// An error ends the descriptor, and stops the ring.
    fn stop(&mut self, descriptor: Option<&[u8; 64]>, code: u32) {
        let mut core = (0, 0);
        if code >= 14 {
            core = (self.core_read(0x048), self.core_read(0x04C));
        }
        if let Some(descriptor) = descriptor {
            self.record(descriptor, code, core, 0);
        }
        if code >= 8 {
            self.core(0x040, 2);
        }
        self.run = None;
        self.head += 1;
        self.error = (code, core.0);
        self.is_stopped = true;
        self.events |= 2;
    }

    fn record(&mut self, descriptor: &[u8; 64], code: u32, core: (u32, u32), words: u64) {
        let mut record = [0; 32];
        record[..4].copy_from_slice(&(1 << 31 | code | core.0 << 8).to_le_bytes());
        record[4..8].copy_from_slice(&descriptor[4..8]);
        record[8..16].copy_from_slice(&words.to_le_bytes());
        record[0x18..0x1C].copy_from_slice(&core.1.to_le_bytes());
        record[0x1C..].copy_from_slice(&self.head.to_le_bytes());
        self.store(u64_at(descriptor, 0x28), &record);
    }
}

fn u64_at(bytes: &[u8; 64], at: usize) -> u64 {
    u64::from_le_bytes([0, 1, 2, 3, 4, 5, 6, 7].map(|byte| bytes[at + byte]))
}

/// The code of a descriptor that is wrong.
fn check(descriptor: &[u8; 64]) -> Option<u32> {
    let flags = u64_at(descriptor, 0) as u32;
    let alignment = if flags & 2 == 0 { 32 } else { 64 };
    let is_wrong = |at: usize, multiple: u64| !u64_at(descriptor, at).is_multiple_of(multiple);
    if is_wrong(0x28, 32) {
        return Some(2);
    }
    let codes = [
        (flags & !3 != 0 || descriptor[0x30..] != [0; 16], 3),
        (is_wrong(0x08, 32), 4),
        (u64_at(descriptor, 0x10) == 0, 5),
        (is_wrong(0x18, alignment), 6),
        (u64_at(descriptor, 0x20) == 0, 7),
    ];
    codes
        .iter()
        .find(|(is_wrong, _)| *is_wrong)
        .map(|(_, code)| *code)
}

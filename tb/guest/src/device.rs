// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! The PCI function: its configuration space, the one resource with the registers of the chip, and its interrupt.

use std::time::Duration;

use acclmt_driver::registers;

use crate::chip::{Chip, ChipError};
use crate::interrupt::{Interrupt, InterruptError};
use crate::memory::{GuestMemory, MemoryError};
use crate::proxy::{Access, Message, Proxy, ProxyError, Received};

/// The vendor of devices that exist in QEMU only; no such board is made.
pub const VENDOR: u16 = 0x1234;

/// The number of the device.
pub const DEVICE: u16 = 0xACC1;

/// Bytes of the resource.
const RESOURCE: u64 = 0x1000;

/// Bytes of the configuration space.
const SPACE: usize = 256;

/// Places in the configuration space.
const COMMAND: usize = 0x04;
const STATUS: usize = 0x06;
const BASE: usize = 0x10;
const LINE: usize = 0x3C;

/// Bits of the command register.
const COMMAND_MEMORY: u16 = 1 << 1;
const COMMAND_MASTER: u16 = 1 << 2;
const COMMAND_INTERRUPT_OFF: u16 = 1 << 10;

/// The bit of the status register that says that the device interrupts.
const STATUS_INTERRUPT: u8 = 1 << 3;

/// Clock cycles of the chip between two looks for a message.
const SLICE: u64 = 8;

/// Slices between two looks whether the chip is busy.
const SLICES: u32 = 64;

/// Clock cycles after a register write before it is answered, if the chip interrupts: the write may have ended that.
const SETTLING: u64 = 8;

/// Registers whose writes give the chip something to do.
const STARTS: [u32; 3] = [
    registers::CONTROL.address,
    registers::DMA_CONTROL.address,
    registers::DMA_TAIL.address,
];

/// Why the device has ended.
#[derive(Debug, thiserror::Error)]
pub enum DeviceError {
    /// The connection to QEMU is of no use.
    #[error(transparent)]
    Proxy(#[from] ProxyError),
    /// The memory of the guest is of no use.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The interrupt cannot be raised.
    #[error(transparent)]
    Interrupt(#[from] InterruptError),
    /// The chip failed.
    #[error(transparent)]
    Chip(#[from] ChipError),
}

/// The configuration space.
struct Configuration {
    bytes: [u8; SPACE],
    /// Bits that can be written.
    mask: [u8; SPACE],
}

impl Configuration {
    fn new() -> Self {
        let (mut bytes, mut mask) = ([0; SPACE], [0; SPACE]);
        for place in [0x00, 0x2C] {
            // Numbers of the device, and of the subsystem.
            bytes[place..place + 2].copy_from_slice(&VENDOR.to_le_bytes());
            bytes[place + 2..place + 4].copy_from_slice(&DEVICE.to_le_bytes());
        }
        // A processing accelerator.
        bytes[0x0B] = 0x12;
        // Pin A.
        bytes[0x3D] = 1;
        let command = COMMAND_MEMORY | COMMAND_MASTER | COMMAND_INTERRUPT_OFF;
        mask[COMMAND..COMMAND + 2].copy_from_slice(&command.to_le_bytes());
        // Cache line size and latency timer.
        mask[0x0C..0x0E].fill(0xFF);
        let base = !(RESOURCE as u32 - 1);
        mask[BASE..BASE + 4].copy_from_slice(&base.to_le_bytes());
        mask[LINE] = 0xFF;
        Self { bytes, mask }
    }

    /// All ones beyond the end.
    fn read(&self, access: Access) -> u32 {
        (0..access.bytes).rev().fold(0, |value, number| {
            let place = usize::try_from(access.address + u64::from(number)).ok();
            let byte = place.and_then(|place| self.bytes.get(place));
            value << 8 | u32::from(byte.copied().unwrap_or(0xFF))
        })
    }

    fn write(&mut self, access: Access, value: u32) {
        let bytes = value.to_le_bytes();
        for (number, new) in bytes.iter().take(access.bytes.into()).enumerate() {
            let place = usize::try_from(access.address).unwrap_or(SPACE) + number;
            if place < SPACE {
                let mask = self.mask[place];
                self.bytes[place] = self.bytes[place] & !mask | new & mask;
            }
        }
    }

    fn command(&self) -> u16 {
        u16::from_le_bytes([self.bytes[COMMAND], self.bytes[COMMAND + 1]])
    }

    fn is_set(&self, bit: u16) -> bool {
        self.command() & bit != 0
    }

    fn base(&self) -> u64 {
        let bytes = [0, 1, 2, 3].map(|byte| self.bytes[BASE + byte]);
        u32::from_le_bytes(bytes).into()
    }
}

/// What has happened at the device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Registers that were read.
    pub reads: u64,
    /// Registers that were written.
    pub writes: u64,
    /// Accesses that no register answers: outside of the resource, or narrower than a register.
    pub ignored: u64,
}

/// What a step was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// QEMU is there.
    Alive,
    /// QEMU has ended.
    Closed,
}

/// The device.
pub struct Device<C> {
    configuration: Configuration,
    chip: C,
    memory: GuestMemory,
    proxy: Proxy,
    interrupt: Interrupt,
    counts: Counts,
    /// Whether time passes for the chip.
    is_running: bool,
    /// Slices since the last look whether it is busy.
    slices: u32,
    /// Whether the chip is as after a reset.
    is_fresh: bool,
}

impl<C: Chip> Device<C> {
    /// The device of a chip that has been reset and whose DMA goes to `memory`.
    pub fn new(chip: C, memory: GuestMemory, proxy: Proxy, interrupt: Interrupt) -> Self {
        Self {
            configuration: Configuration::new(),
            chip,
            memory,
            proxy,
            interrupt,
            counts: Counts::default(),
            is_running: false,
            slices: 0,
            is_fresh: true,
        }
    }

    /// What has happened so far.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// How often the interrupt was raised.
    pub fn interrupts(&self) -> u64 {
        self.interrupt.count()
    }

    /// The chip.
    pub fn chip(&self) -> &C {
        &self.chip
    }

    /// Answers a message, if there is one, and lets the chip work if it has something to do; else waits for a
    /// message for at most `most`.
    ///
    /// # Errors
    ///
    /// When QEMU says what cannot be understood, or the chip fails.
    pub fn step(&mut self, most: Duration) -> Result<Step, DeviceError> {
        let most = if self.is_running {
            Duration::ZERO
        } else {
            most
        };
        match self.proxy.receive(most)? {
            Received::Closed => return Ok(Step::Closed),
            Received::Nothing => {}
            Received::Message(message) => {
                if let Some(answer) = self.handle(message)? {
                    // The line is low, as far as this process can see to it, before the guest goes on.
                    self.update()?;
                    self.proxy.answer(answer)?;
                }
            }
        }
        if self.is_running {
            self.chip.run(SLICE)?;
            self.slices += 1;
            if self.slices >= SLICES {
                self.slices = 0;
                self.is_running = self.chip.is_busy()?;
            }
        }
        self.update()?;
        Ok(Step::Alive)
    }

    /// Acts on a message; what it is answered with.
    fn handle(&mut self, message: Message) -> Result<Option<u64>, DeviceError> {
        Ok(match message {
            Message::Memory(parts) => {
                self.memory.replace(&parts)?;
                None
            }
            Message::Interrupts => None,
            Message::ConfigurationRead(access) => Some(self.configuration.read(access).into()),
            Message::ConfigurationWrite(access, value) => {
                self.configuration.write(access, value);
                let is_master = self.configuration.is_set(COMMAND_MASTER);
                self.memory.set_master(is_master);
                Some(0)
            }
            Message::Read(access) => Some(self.read(access)?),
            Message::Write(access, value) => {
                self.write(access, value)?;
                Some(0)
            }
            Message::Reset => {
                self.configuration = Configuration::new();
                self.memory.set_master(false);
                self.is_running = false;
                if !self.is_fresh {
                    self.chip.reset()?;
                    self.is_fresh = true;
                }
                Some(0)
            }
        })
    }

    /// The interrupt as the guest sees it.
    fn update(&mut self) -> Result<(), DeviceError> {
        let level = self.chip.interrupt();
        let status = &mut self.configuration.bytes[STATUS];
        *status = *status & !STATUS_INTERRUPT | if level { STATUS_INTERRUPT } else { 0 };
        let is_off = self.configuration.is_set(COMMAND_INTERRUPT_OFF);
        let line = self.configuration.bytes[LINE];
        Ok(self.interrupt.set(level && !is_off, line)?)
    }

    /// The place of an access in the resource.
    fn place(&self, access: Access) -> Option<u32> {
        let offset = access.address.checked_sub(self.configuration.base())?;
        let fits = offset < RESOURCE && offset.is_multiple_of(access.bytes.into());
        (fits && self.configuration.is_set(COMMAND_MEMORY)).then_some(offset as u32)
    }

    /// All ones where nothing answers.
    fn read(&mut self, access: Access) -> Result<u64, DeviceError> {
        let ones = u64::MAX >> (64 - 8 * u32::from(access.bytes));
        let Some(place) = self.place(access) else {
            self.counts.ignored += 1;
            return Ok(ones);
        };
        let mut value = u64::from(self.read_register(place & !3)?);
        if access.bytes == 8 {
            value |= u64::from(self.read_register(place + 4)?) << 32;
        }
        Ok(value >> (8 * (place & 3)) & ones)
    }

    fn read_register(&mut self, address: u32) -> Result<u32, DeviceError> {
        self.is_fresh = false;
        self.counts.reads += 1;
        Ok(self.chip.read(address)?.unwrap_or(u32::MAX))
    }

    fn write(&mut self, access: Access, value: u64) -> Result<(), DeviceError> {
        match self.place(access) {
            // A refusal stands in the registers of the chip; PCI has no answer to a write.
            Some(place) if access.bytes >= 4 => {
                self.write_register(place, value as u32)?;
                if access.bytes == 8 {
                    self.write_register(place + 4, (value >> 32) as u32)?;
                }
            }
            _ => self.counts.ignored += 1,
        }
        Ok(())
    }

    fn write_register(&mut self, address: u32, value: u32) -> Result<(), DeviceError> {
        self.is_fresh = false;
        self.counts.writes += 1;
        self.chip.write(address, value)?;
        if self.chip.interrupt() {
            self.chip.run(SETTLING)?;
        }
        if STARTS.contains(&address) {
            self.is_running = true;
            self.slices = 0;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixStream;

    use super::*;
    use crate::proxy::peer;

    /// A chip that notes what it is asked, and interrupts while register 0x900 is not 0.
    #[derive(Default)]
    struct Notes {
        calls: Vec<String>,
        events: u32,
        cycles: u64,
        busy_until: u64,
    }

    impl Chip for Notes {
        fn reset(&mut self) -> Result<(), ChipError> {
            *self = Self::default();
            self.calls.push("reset".to_owned());
            Ok(())
        }

        fn read(&mut self, address: u32) -> Result<Option<u32>, ChipError> {
            if address == 0x90C {
                return Ok(Some((self.cycles < self.busy_until).into()));
            }
            if address == 0x044 {
                return Ok(Some(0));
            }
            self.calls.push(format!("read {address:03X}"));
            Ok((address != 0xFFC).then_some(0x0101_0000 + address))
        }

        fn write(&mut self, address: u32, value: u32) -> Result<bool, ChipError> {
            self.calls.push(format!("write {address:03X} {value:X}"));
            match address {
                0x900 => self.events = value,
                0x91C => self.busy_until = self.cycles + u64::from(value),
                _ => {}
            }
            Ok(true)
        }

        fn run(&mut self, cycles: u64) -> Result<(), ChipError> {
            self.cycles += cycles;
            Ok(())
        }

        fn interrupt(&self) -> bool {
            self.events != 0
        }

        fn cycles(&self) -> u64 {
            self.cycles
        }
    }

    struct Bench {
        device: Device<Notes>,
        qemu: UnixStream,
        line: UnixStream,
    }

    const BASE_ADDRESS: u64 = 0xFEBF_0000;

    impl Bench {
        fn new() -> Self {
            let (qemu, socket) = UnixStream::pair().unwrap();
            let (line, test) = UnixStream::pair().unwrap();
            line.set_nonblocking(true).unwrap();
            let (proxy, interrupt) = (Proxy::new(socket).unwrap(), Interrupt::new(test).unwrap());
            let device = Device::new(Notes::default(), GuestMemory::new(), proxy, interrupt);
            Self { device, qemu, line }
        }

        /// With its resource at an address, as firmware leaves it.
        fn ready() -> Self {
            let mut bench = Self::new();
            bench.configure(0x10, BASE_ADDRESS as u32, 4);
            bench.configure(0x3C, 11, 1);
            bench.configure(0x04, 0x0002, 2);
            bench
        }

        fn ask(&mut self, message: &[u8]) -> u64 {
            peer::send(&self.qemu, message, &[]).unwrap();
            assert_eq!(self.device.step(Duration::ZERO).unwrap(), Step::Alive);
            peer::answer(&self.qemu).unwrap()
        }

        fn configure(&mut self, address: u32, value: u32, bytes: i32) {
            self.ask(&peer::configuration(2, address, value, bytes));
        }

        fn configuration(&mut self, address: u32, bytes: i32) -> u64 {
            self.ask(&peer::configuration(3, address, 0, bytes))
        }

        fn read(&mut self, offset: u64, bytes: u32) -> u64 {
            self.ask(&peer::access(
                5,
                BASE_ADDRESS.wrapping_add(offset),
                0,
                bytes,
            ))
        }

        fn write(&mut self, offset: u64, value: u64, bytes: u32) {
            self.ask(&peer::access(
                4,
                BASE_ADDRESS.wrapping_add(offset),
                value,
                bytes,
            ));
        }

        /// What was sent to the test protocol.
        fn levels(&mut self) -> Vec<String> {
            let mut bytes = [0; 4096];
            let count = std::io::Read::read(&mut self.line, &mut bytes).unwrap_or(0);
            let text = String::from_utf8_lossy(&bytes[..count]).into_owned();
            let lines = text.lines().filter_map(|line| line.split_once("gpio-in "));
            lines.map(|(_, rest)| rest.to_owned()).collect()
        }
    }

    #[test]
    fn the_configuration_space_is_that_of_a_function_with_one_resource() {
        let mut bench = Bench::new();
        assert_eq!(bench.configuration(0x00, 4), 0xACC1_1234);
        assert_eq!(bench.configuration(0x08, 4), 0x1200_0000);
        assert_eq!(bench.configuration(0x0E, 1), 0);
        assert_eq!(bench.configuration(0x2C, 4), 0xACC1_1234);
        assert_eq!(bench.configuration(0x3D, 1), 1);
        // The sizes of the resources, as QEMU and firmware look for them.
        for place in (0x10..0x2C).step_by(4) {
            bench.configure(place, u32::MAX, 4);
            let expected = if place == 0x10 { 0xFFFF_F000 } else { 0 };
            assert_eq!(bench.configuration(place, 4), expected, "0x{place:X}");
        }
        // What cannot be written is not, a byte at a time too, and there is nothing beyond the end.
        bench.configure(0x00, 0, 4);
        assert_eq!(bench.configuration(0x00, 2), 0x1234);
        bench.configure(0x04, 0xFFFF_FFFF, 4);
        assert_eq!(bench.configuration(0x04, 4), 0x0406);
        bench.configure(0x05, 0, 1);
        assert_eq!(bench.configuration(0x04, 4), 0x0006);
        bench.configure(0xFE, 0xFFFF_FFFF, 4);
        assert_eq!(bench.configuration(0xFE, 4), 0xFFFF_0000);
        bench.configure(u32::MAX, 1, 4);
        assert_eq!(bench.configuration(u32::MAX, 4), 0xFFFF_FFFF);
    }

    #[test]
    fn accesses_reach_the_registers() {
        let mut bench = Bench::ready();
        assert_eq!(bench.read(0x058, 4), 0x0101_0058);
        assert_eq!(bench.read(0x05A, 2), 0x0101);
        assert_eq!(bench.read(0x059, 1), 0x00);
        assert_eq!(bench.read(0x060, 8), 0x0101_0064_0101_0060);
        bench.write(0x910, 0xFFFF_0000_1234_5678, 4);
        bench.write(0x910, 0x0000_0001_2345_0000, 8);
        let expected = [
            "read 058",
            "read 058",
            "read 058",
            "read 060",
            "read 064",
            "write 910 12345678",
            "write 910 23450000",
            "write 914 1",
        ];
        assert_eq!(bench.device.chip.calls, expected);
        // An error of the chip reads as all ones.
        assert_eq!(bench.read(0xFFC, 4), 0xFFFF_FFFF);
        let counts = Counts {
            reads: 6,
            writes: 3,
            ignored: 0,
        };
        assert_eq!(bench.device.counts(), counts);
    }

    #[test]
    fn other_accesses_reach_nothing() {
        let mut bench = Bench::ready();
        assert_eq!(bench.read(0x1000, 4), 0xFFFF_FFFF);
        assert_eq!(bench.read(0x058 + 1, 2), 0xFFFF);
        assert_eq!(bench.read(0_u64.wrapping_sub(4), 4), 0xFFFF_FFFF);
        bench.write(0x058, 1, 2);
        bench.write(0x058, 1, 1);
        bench.configure(0x04, 0, 2);
        assert_eq!(bench.read(0x058, 8), u64::MAX);
        bench.write(0x058, 1, 4);
        assert_eq!(bench.device.chip.calls, [""; 0]);
        assert_eq!(bench.device.counts().ignored, 7);
    }

    #[test]
    fn the_interrupt_follows_the_chip_and_the_command_register() {
        let mut bench = Bench::ready();
        bench.write(0x900, 1, 4);
        assert_eq!(bench.levels(), ["11 1"]);
        assert_eq!(bench.configuration(0x06, 1), 8);
        // As uio_pci_generic does on an interrupt.
        bench.configure(0x04, 0x0402, 2);
        assert_eq!(bench.levels(), ["11 0"]);
        assert_eq!(bench.configuration(0x06, 1), 8);
        bench.configure(0x04, 0x0002, 2);
        assert_eq!(bench.levels(), ["11 1"]);
        bench.write(0x900, 0, 4);
        assert_eq!(bench.levels(), ["11 0"]);
        assert_eq!(bench.configuration(0x06, 1), 0);
        assert_eq!(bench.device.interrupts(), 2);
    }

    #[test]
    fn time_passes_while_the_chip_is_busy() {
        let mut bench = Bench::ready();
        bench.read(0x058, 4);
        bench.write(0x058, 1, 4);
        bench.device.step(Duration::ZERO).unwrap();
        assert_eq!(bench.device.chip.cycles, 0);
        bench.write(0x91C, 5000, 4);
        for _ in 0..1000 {
            bench.device.step(Duration::ZERO).unwrap();
        }
        let cycles = bench.device.chip.cycles;
        assert!(
            (5000..5000 + 2 * SLICE * u64::from(SLICES)).contains(&cycles),
            "{cycles}"
        );
        // A guest that asks without a pause does not stop the chip.
        bench.write(0x91C, 5000, 4);
        for _ in 0..1000 {
            bench.read(0x058, 4);
        }
        let cycles = bench.device.chip.cycles - cycles;
        assert!(cycles >= 5000, "{cycles}");
    }

    #[test]
    fn a_reset_ends_everything() {
        let mut bench = Bench::ready();
        // The one at the start of the machine finds a chip that has been reset.
        bench.ask(&peer::message(7, &[]));
        assert_eq!(bench.device.chip.calls, [""; 0]);
        let mut bench = Bench::ready();
        bench.write(0x900, 1, 4);
        bench.levels();
        bench.ask(&peer::message(7, &[]));
        assert_eq!(bench.device.chip.calls, ["reset"]);
        assert_eq!(bench.levels(), ["11 0"]);
        assert_eq!(bench.configuration(0x04, 4), 0);
        assert_eq!(bench.configuration(0x10, 4), 0);
    }

    #[test]
    fn what_goes_wrong_ends_the_device() {
        let mut bench = Bench::ready();
        peer::send(&bench.qemu, &peer::message(9, &[]), &[]).unwrap();
        let message = bench.device.step(Duration::ZERO).unwrap_err().to_string();
        assert!(message.contains("command 9"), "{message}");
        // An interrupt that was routed nowhere.
        let mut bench = Bench::ready();
        bench.configure(0x3C, 0, 1);
        let write = peer::access(4, BASE_ADDRESS + 0x900, 1, 4);
        peer::send(&bench.qemu, &write, &[]).unwrap();
        let message = bench.device.step(Duration::ZERO).unwrap_err().to_string();
        assert!(message.contains("Interrupt Line is 0"), "{message}");
        let bench = Bench::ready();
        drop(bench.qemu);
        let mut device = bench.device;
        assert_eq!(device.step(Duration::ZERO).unwrap(), Step::Closed);
    }
}

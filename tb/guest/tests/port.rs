// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! The port of a chip with DMA, over QEMU's messages: this test is QEMU and the guest, and the chip one in software.

#![cfg(target_os = "linux")]

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use acclmt_driver::chip::{ChipDevice, ChipPort as _, RunPlan, suite};
use acclmt_driver::device::{CommitRequest, Device as _, LeafRule, NoProgress, WordSource};
use acclmt_driver::nodes::NoNodes;
use acclmt_driver::software::SoftwareDevice;
use acclmt_guest::chip::SoftwareChip;
use acclmt_guest::device::{Counts, Device, Step};
use acclmt_guest::interrupt::Interrupt;
use acclmt_guest::memory::{GuestMemory, Refusal};
use acclmt_guest::proxy::{Proxy, peer};
use acclmt_linux::{Board, DmaMemory, DmaPort, Mapped, Timing};
use acclmt_poseidon::{presets, word};
use memmap2::MmapOptions;

/// Where the resource and the memory are.
const RESOURCE: u64 = 0xFEBF_1000;
const MEMORY: u64 = 0x1_2340_0000;
const BYTES: u64 = 1 << 18;

/// QEMU's ends of the sockets.
struct Qemu {
    device: UnixStream,
    test: BufReader<UnixStream>,
    level: bool,
}

/// What the device knew at its end.
type End = (Counts, u64, (u64, Option<Refusal>));

impl Qemu {
    fn ask(&self, message: &[u8]) -> u64 {
        peer::send(&self.device, message, &[]).unwrap();
        peer::answer(&self.device).unwrap()
    }

    fn configure(&self, address: u32, value: u32, bytes: i32) {
        self.ask(&peer::configuration(2, address, value, bytes));
    }

    /// Takes a change of the interrupt, if one comes within some time.
    fn take_level(&mut self, most: Duration) -> io::Result<bool> {
        self.test.get_ref().set_read_timeout(Some(most))?;
        let mut line = String::new();
        match self.test.read_line(&mut line) {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(false),
            Err(error) => return Err(error),
        }
        let change = line
            .trim_end()
            .strip_prefix("set_irq_in /machine/i440fx/ioapic unnamed-gpio-in 10 ");
        self.level = match change {
            Some("1") => true,
            Some("0") => false,
            _ => return Err(io::Error::other(line)),
        };
        self.test.get_mut().write_all(b"OK\n")?;
        Ok(true)
    }
}

impl Board for Qemu {
    fn read(&mut self, address: u32) -> u32 {
        self.ask(&peer::access(5, RESOURCE + u64::from(address), 0, 4)) as u32
    }

    fn write(&mut self, address: u32, value: u32) {
        self.ask(&peer::access(
            4,
            RESOURCE + u64::from(address),
            value.into(),
            4,
        ));
    }

    fn wait(&mut self, most: Duration) -> io::Result<()> {
        let until = Instant::now() + most;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            if !self.take_level(left.max(Duration::from_micros(1)))? || self.level {
                return Ok(());
            }
        }
    }
}

/// The memory of the guest.
struct Memory {
    mapped: Mapped,
    address: u64,
}

impl DmaMemory for Memory {
    fn address(&self) -> u64 {
        self.address
    }

    fn bytes(&self) -> usize {
        self.mapped.len()
    }

    fn copy_out(&self, offset: usize, bytes: &mut [u8]) {
        self.mapped.copy_out(offset, bytes);
    }

    fn copy_in(&mut self, offset: usize, bytes: &[u8]) {
        self.mapped.copy_in(offset, bytes);
    }
}

fn memory(file: &File, address: u64) -> Memory {
    let mapping = MmapOptions::new()
        .len(BYTES as usize)
        .map_raw(file)
        .unwrap();
    Memory {
        mapped: Mapped::new(mapping),
        address,
    }
}

/// A device that has been set up by a guest with this command register, its memory, and its end.
fn start(command: u32) -> (Qemu, File, JoinHandle<End>) {
    let (device, device_end) = UnixStream::pair().unwrap();
    let (test, test_end) = UnixStream::pair().unwrap();
    let end = thread::spawn(move || {
        let memory = GuestMemory::new();
        let mut device = Device::new(
            SoftwareChip::new(memory.clone()),
            memory.clone(),
            Proxy::new(device_end).unwrap(),
            Interrupt::new(test_end).unwrap(),
        );
        while device.step(Duration::from_millis(20)).unwrap() == Step::Alive {}
        (device.counts(), device.interrupts(), memory.refusals())
    });
    let qemu = Qemu {
        device,
        test: BufReader::new(test),
        level: false,
    };
    let file = tempfile::tempfile().unwrap();
    file.set_len(BYTES).unwrap();
    // Two parts next to each other, the upper one first, as of a machine with a hole.
    let half = BYTES / 2;
    let parts = peer::memory(&[(MEMORY + half, half, half), (MEMORY, half, 0)]);
    let handle = file.as_fd();
    peer::send(&qemu.device, &parts, &[handle, handle]).unwrap();
    qemu.configure(0x10, RESOURCE as u32, 4);
    qemu.configure(0x3C, 10, 1);
    qemu.configure(0x04, command, 2);
    (qemu, file, end)
}

fn timing() -> Timing {
    Timing {
        progress: Duration::from_secs(5),
        call: Duration::from_millis(500),
    }
}

#[test]
fn the_suite_of_ports_passes() {
    let (qemu, file, end) = start(6);
    suite::run(
        DmaPort::new(qemu, memory(&file, MEMORY), "guest", timing()).unwrap(),
        22,
    );
    let (counts, _, refusals) = end.join().unwrap();
    assert_eq!(counts.ignored, 0);
    assert_eq!(refusals, (0, None));
}

#[test]
fn a_tree_is_committed_with_interrupts() {
    let (qemu, file, end) = start(6);
    let port = DmaPort::new(qemu, memory(&file, MEMORY), "guest", timing()).unwrap();
    let set = presets::by_name("filecoin-arity-2").unwrap();
    let words: Vec<_> = (1..=256).map(word::from_u64).collect();
    let request = CommitRequest::new(set, LeafRule::Hash(set), 128);
    let mut device = ChipDevice::new(port).unwrap();
    let mut root = || {
        let report = device.commit(
            &request,
            &mut WordSource(&words),
            &mut NoNodes,
            &mut NoProgress,
        );
        report.unwrap().cap
    };
    let roots = [root(), root()];
    let mut software = SoftwareDevice::new();
    let expected = software.commit(
        &request,
        &mut WordSource(&words),
        &mut NoNodes,
        &mut NoProgress,
    );
    let expected = expected.unwrap().cap;
    assert_eq!(roots, [expected.clone(), expected]);
    drop(device);
    let (_, interrupts, refusals) = end.join().unwrap();
    assert_eq!(interrupts, 2);
    assert_eq!(refusals, (0, None));
}

/// The error of a run whose memory the chip cannot use.
fn failed_run(command: u32, address: u64) -> (String, Option<Refusal>) {
    let (qemu, file, end) = start(command);
    let mut port = DmaPort::new(qemu, memory(&file, address), "guest", timing()).unwrap();
    let plan = RunPlan {
        input_words: 2,
        output_words: 1,
    };
    port.begin_run(&plan).unwrap();
    port.write_register(0x040, 1).unwrap();
    let error = port
        .transfer(&[[0; 32]; 2], &mut Vec::new(), 64)
        .unwrap_err();
    drop(port);
    (error.to_string(), end.join().unwrap().2.1)
}

#[test]
fn memory_that_the_guest_does_not_have_is_an_error_on_the_bus() {
    let (message, refusal) = failed_run(6, 0x1000);
    assert!(message.contains("error 1"), "{message}");
    assert_eq!(refusal, Some(Refusal::Nowhere { address: 0x1000 }));
}

#[test]
fn a_device_that_is_no_master_reads_nothing() {
    let (message, refusal) = failed_run(2, MEMORY);
    assert!(message.contains("error 1"), "{message}");
    assert_eq!(refusal, Some(Refusal::NoMaster));
}

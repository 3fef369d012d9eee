// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! The first hash of the integration guide on a chip with DMA, `docs/examples/first-hash-dma.txt`: done line by line
//! by a program that knows nothing of descriptors, on the chip in software; and compared with what the driver does.

#![cfg(target_os = "linux")]

use std::cell::RefCell;
use std::fs;
use std::io;
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

use acclmt_driver::chip::ChipDevice;
use acclmt_driver::device::{CommitRequest, Device, LeafRule, NoProgress, WordSource};
use acclmt_driver::nodes::NoNodes;
use acclmt_driver::registers;
use acclmt_linux::emulator::{BusMemory, Emulator};
use acclmt_linux::{Board, DmaMemory, DmaPort, Timing, script};
use acclmt_poseidon::{presets, word};

/// Where the file has its memory.
const BASE: u64 = 0x8000_0000;
const BYTES: usize = 0x1000;
const DMA_TAIL: u32 = 0x91C;

fn example(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/examples");
    fs::read_to_string(folder.join(name)).unwrap()
}

/// The configuration: every register write of the first hash but the last one, which starts it.
fn configuration() -> String {
    let text = example("first-hash.txt");
    let mut writes: Vec<_> = text
        .lines()
        .filter(|line| line.starts_with("write"))
        .collect();
    assert_eq!(writes.pop(), Some("write 40 1"));
    writes.join("\n")
}

/// The root that the reference computes, as the file of every chip has it.
fn root() -> String {
    let text = example("first-hash.txt");
    let last = text.lines().last().unwrap();
    last.split_whitespace().last().unwrap().to_owned()
}

/// Memory that host and chip share.
#[derive(Clone)]
struct Shared(Rc<RefCell<Vec<u8>>>);

impl Shared {
    fn new() -> Self {
        Self(Rc::new(RefCell::new(vec![0xA5; BYTES])))
    }
}

impl DmaMemory for Shared {
    fn address(&self) -> u64 {
        BASE
    }

    fn bytes(&self) -> usize {
        BYTES
    }

    fn copy_out(&self, offset: usize, bytes: &mut [u8]) {
        bytes.copy_from_slice(&self.0.borrow()[offset..][..bytes.len()]);
    }

    fn copy_in(&mut self, offset: usize, bytes: &[u8]) {
        self.0.borrow_mut()[offset..][..bytes.len()].copy_from_slice(bytes);
    }
}

impl BusMemory for Shared {
    fn read(&mut self, address: u64, bytes: &mut [u8]) -> bool {
        self.copy_out((address - BASE) as usize, bytes);
        true
    }

    fn write(&mut self, address: u64, bytes: &[u8]) -> bool {
        self.copy_in((address - BASE) as usize, bytes);
        true
    }
}

/// Register writes, and what memory held when DMA_TAIL was written.
#[derive(Default)]
struct Log {
    writes: Vec<(u32, u32)>,
    memory: Vec<u8>,
}

/// Registers whose writes are kept.
struct Recorded {
    board: Emulator,
    memory: Shared,
    log: Rc<RefCell<Log>>,
}

impl Board for Recorded {
    fn read(&mut self, address: u32) -> u32 {
        self.board.read(address)
    }

    fn write(&mut self, address: u32, value: u32) {
        let mut log = self.log.borrow_mut();
        if address >= 0x900 && log.memory.is_empty() {
            log.writes.push((address, value));
        }
        if address == DMA_TAIL && log.memory.is_empty() {
            log.memory = self.memory.0.borrow().clone();
        }
        self.board.write(address, value);
    }

    fn wait(&mut self, most: Duration) -> io::Result<()> {
        self.board.wait(most)
    }
}

fn recorded() -> Recorded {
    let memory = Shared::new();
    Recorded {
        board: Emulator::on_bus(memory.clone()),
        memory,
        log: Rc::default(),
    }
}

#[test]
fn the_file_runs_on_the_chip_in_software() {
    let dma = example("first-hash-dma.txt");
    assert!(dma.contains(&format!("expect 80000180 {}", root())));
    let memory = Shared::new();
    let mut board = Emulator::on_bus(memory.clone());
    script::run(&configuration(), &mut board, &mut memory.clone()).unwrap();
    script::run(&dma, &mut board, &mut memory.clone()).unwrap();
}

#[test]
fn lines_that_do_not_hold_are_told() {
    let dma = example("first-hash-dma.txt");
    for (old, new, expected) in [
        // Another input, too few words, and a place that is too small.
        (
            "memory 80000080 00",
            "memory 80000080 01",
            "memory at 0x80000180 holds",
        ),
        (
            "memory 80000010 0000000000000008",
            "memory 80000010 0000000000000009",
            "register 0x924 holds 0x2",
        ),
        (
            "memory 80000020 0000000000000001",
            "memory 80000020 0000000000000000",
            "register 0x924 holds 0x2",
        ),
        (
            "memory 80000000 00000003",
            "memory 80000000 00000013",
            "register 0x924 holds 0x2",
        ),
        ("write 91c 1", "write 91c 2", "register 0x924 holds 0x4"),
        ("write 91c 1", "write 91c", "is no command"),
        ("write 91c 1", "write 1000 1", "no register 0x1000"),
        ("write 91c 1", "give 91c 1", "no command 'give'"),
        (
            "expect 80000180 ",
            "expect 80001000 ",
            "not within the memory",
        ),
        ("expect 80000180 ", "expect 80000180 0", "no two digits"),
    ] {
        assert_eq!(dma.matches(old).count(), 1, "{old}");
        let memory = Shared::new();
        let mut board = Emulator::on_bus(memory.clone());
        script::run(&configuration(), &mut board, &mut memory.clone()).unwrap();
        let text = dma.replace(old, new);
        let message = script::run(&text, &mut board, &mut memory.clone()).unwrap_err();
        assert!(
            message.starts_with("line ") && message.contains(expected),
            "{message}"
        );
    }
}

#[test]
fn the_file_is_what_the_driver_does() {
    let by_driver = recorded();
    let log = by_driver.log.clone();
    let memory = by_driver.memory.clone();
    let timing = Timing::default();
    let port = DmaPort::new(by_driver, memory, "emulator", timing).unwrap();
    let set = presets::by_name("filecoin-arity-2").unwrap();
    let request = CommitRequest::new(set, LeafRule::Hash(set), 4);
    let words = [1, 2, 3, 4, 5, 6, 7, 8].map(word::from_u64);
    let report = ChipDevice::new(port)
        .unwrap()
        .commit(
            &request,
            &mut WordSource(&words),
            &mut NoNodes,
            &mut NoProgress,
        )
        .unwrap();
    assert_eq!(word::to_hex(&report.root()[0]), format!("0x{}", root()));

    let mut by_file = recorded();
    let mut memory = by_file.memory.clone();
    script::run(&configuration(), &mut by_file, &mut memory).unwrap();
    script::run(&example("first-hash-dma.txt"), &mut by_file, &mut memory).unwrap();
    let (by_driver, by_file) = (log.borrow(), by_file.log.borrow());
    // As it opens the chip the driver ends what another program may have left.
    let (opened, writes) = by_driver.writes.split_first().unwrap();
    assert_eq!(*opened, (registers::DMA_CONTROL.address, 0));
    assert_eq!(writes, by_file.writes);
    // The driver clears what is between the record and the input, too.
    for place in [0..0x60, 0x80..BYTES] {
        assert_eq!(by_driver.memory[place.clone()], by_file.memory[place]);
    }
}

// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! The port of a chip with DMA, on one in software.

#![cfg(target_os = "linux")]

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::rc::Rc;
use std::time::Duration;

use acclmt_driver::chip::{ChipDevice, ChipPort, RunPlan, suite};
use acclmt_driver::device::{CommitRequest, Device, LeafRule, NoProgress, Progress, WordSource};
use acclmt_driver::nodes::NoNodes;
use acclmt_driver::software::SoftwareDevice;
use acclmt_linux::emulator::{Emulator, Fault, Memory};
use acclmt_linux::{Board, DmaMemory, DmaPort, Timing};
use acclmt_poseidon::presets;
use acclmt_poseidon::word;

const BYTES: usize = 1 << 18;

/// Far longer than any run here, on any machine.
fn timing() -> Timing {
    Timing {
        progress: Duration::from_secs(600),
        call: Duration::from_millis(5),
    }
}

/// For what never comes: the time is over at once.
fn impatient() -> Timing {
    Timing {
        progress: Duration::ZERO,
        call: Duration::ZERO,
    }
}

fn port(chip: &Emulator) -> DmaPort<Emulator, Memory> {
    DmaPort::new(chip.board(), chip.memory(), "emulator", timing()).unwrap()
}

fn refused(chip: &Emulator) -> String {
    let port = DmaPort::new(chip.board(), chip.memory(), "emulator", timing());
    port.err().expect("this is no chip").to_string()
}

/// The root of a tree of the numbers from 1 on.
fn commit(device: &mut dyn Device, leaves: u64) -> Result<Vec<word::Word>, String> {
    let set = presets::by_name("filecoin-arity-2").unwrap();
    let request = CommitRequest::new(set, LeafRule::Hash(set), leaves);
    let words: Vec<_> = (1..=2 * leaves).map(word::from_u64).collect();
    let report = device.commit(
        &request,
        &mut WordSource(&words),
        &mut NoNodes,
        &mut NoProgress,
    );
    report
        .map(|report| report.cap.concat())
        .map_err(|error| error.to_string())
}

#[test]
fn the_suite_of_ports_passes() {
    suite::run(port(&Emulator::new(BYTES)), 21);
}

#[test]
fn other_devices_are_refused() {
    for (address, value, expected) in [
        (
            0x000,
            0x1234_5678,
            "this is no AcclMT chip: register ID holds 0x12345678",
        ),
        (0x900, 0, "the chip has no DMA"),
        (0x900, u32::MAX, "the chip has no DMA"),
        (
            0x900,
            0x0001_0000,
            "version 1.0.0, this program knows 0.1.0; use a newer program",
        ),
    ] {
        let chip = Emulator::new(BYTES);
        chip.set_fault(Fault::Reads(address, value));
        let message = refused(&chip);
        assert!(message.contains(expected), "{message}");
    }
    let chip = Emulator::new(BYTES);
    chip.set_fault(Fault::Gone);
    assert!(refused(&chip).contains("does not answer"));
    // A newer register map is the driver's to refuse.
    let chip = Emulator::new(BYTES);
    chip.set_fault(Fault::Reads(0x004, 0x0003_0000));
    let message = ChipDevice::new(port(&chip)).err().unwrap().to_string();
    assert!(message.contains("version 3.0.0"), "{message}");
    assert!(refused(&Emulator::new(128)).contains("too few"));
}

#[test]
fn what_goes_wrong_in_a_run_is_said_and_leaves_the_chip_usable() {
    for (fault, expected) in [
        (Fault::Gone, "answers no more"),
        (Fault::Code(8), "the DMA ended the run with error 8"),
        (Fault::Code(12), "the DMA ended the run with error 12"),
        (Fault::Code(1), "the DMA ended the run with error 1"),
        (
            Fault::Code(77),
            "error 77: a code that this program does not know",
        ),
    ] {
        let chip = Emulator::new(BYTES);
        let mut device = ChipDevice::new(port(&chip)).unwrap();
        chip.set_fault(fault);
        let message = commit(&mut device, 8).unwrap_err();
        assert!(message.contains(expected), "{fault:?}: {message}");
        chip.set_fault(Fault::None);
        assert_eq!(
            commit(&mut device, 8).unwrap(),
            commit(&mut SoftwareDevice::new(), 8).unwrap(),
            "{fault:?}"
        );
    }
}

/// A port that waits for nothing gives a run up at its first look; a working chip is given up then, too, so that
/// another port sees whether it is still of use.
#[test]
fn a_run_that_stands_still_is_given_up_and_leaves_the_chip_usable() {
    let chip = Emulator::new(BYTES);
    let port_of = DmaPort::new(chip.board(), chip.memory(), "emulator", impatient());
    let mut device = ChipDevice::new(port_of.unwrap()).unwrap();
    chip.set_fault(Fault::Stalls);
    let message = commit(&mut device, 8).unwrap_err();
    assert!(
        message.contains("the chip made no progress in"),
        "{message}"
    );
    drop(device);
    chip.set_fault(Fault::None);
    let mut device = ChipDevice::new(port(&chip)).unwrap();
    let expected = commit(&mut SoftwareDevice::new(), 8).unwrap();
    assert_eq!(commit(&mut device, 8).unwrap(), expected);
}

/// Memory that says when it is given back, and whether the DMA had ended by then.
struct Watched {
    memory: Memory,
    chip: Emulator,
    /// Whether the DMA was busy when it was given back.
    given_back: Rc<Cell<Option<bool>>>,
}

impl DmaMemory for Watched {
    fn address(&self) -> u64 {
        self.memory.address()
    }

    fn bytes(&self) -> usize {
        self.memory.bytes()
    }

    fn copy_out(&self, offset: usize, bytes: &mut [u8]) {
        self.memory.copy_out(offset, bytes);
    }

    fn copy_in(&mut self, offset: usize, bytes: &[u8]) {
        self.memory.copy_in(offset, bytes);
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        self.given_back.set(Some(self.chip.is_busy()));
    }
}

/// A port whose run is under way: its descriptor was given to a chip that never begins.
fn port_in_mid_run(
    chip: &Emulator,
    timing: Timing,
) -> (DmaPort<Emulator, Watched>, Rc<Cell<Option<bool>>>) {
    let given_back = Rc::new(Cell::new(None));
    let memory = Watched {
        memory: chip.memory(),
        chip: chip.clone(),
        given_back: Rc::clone(&given_back),
    };
    let mut port = DmaPort::new(chip.board(), memory, "emulator", timing).unwrap();
    chip.set_fault(Fault::Stalls);
    let plan = RunPlan {
        input_words: 2,
        output_words: 1,
    };
    port.begin_run(&plan).unwrap();
    port.write_register(0x040, 1).unwrap();
    port.transfer(&[[0; 32]; 2], &mut Vec::new(), 64).unwrap();
    assert!(chip.is_busy());
    (port, given_back)
}

#[test]
fn a_port_that_is_dropped_ends_the_dma_before_its_memory_is_given_back() {
    let chip = Emulator::new(BYTES);
    let (port, given_back) = port_in_mid_run(&chip, timing());
    assert_eq!(chip.is_allowed(), Some(true));
    drop(port);
    assert_eq!(given_back.get(), Some(false));
    assert!(!chip.is_busy());
    assert_eq!(chip.is_allowed(), Some(false));
}

#[test]
fn memory_of_a_dma_that_does_not_end_is_never_given_back() {
    for fault in [Fault::StaysBusy, Fault::Gone] {
        let chip = Emulator::new(BYTES);
        let (port, given_back) = port_in_mid_run(&chip, impatient());
        chip.set_fault(fault);
        drop(port);
        assert_eq!(given_back.get(), None, "{fault:?}");
        assert_eq!(chip.is_allowed(), Some(false), "{fault:?}");
    }
}

#[test]
fn a_panic_in_mid_run_ends_the_dma() {
    struct Panics;

    impl Progress for Panics {
        fn report(&mut self, _done: u64, _total: u64) {
            panic!("the receiver of the progress fails");
        }
    }

    let chip = Emulator::new(BYTES);
    let mut device = ChipDevice::new(port(&chip)).unwrap();
    chip.set_fault(Fault::Stalls);
    let mut panicking = || {
        let set = presets::by_name("filecoin-arity-2").unwrap();
        let inputs = [vec![word::from_u64(1), word::from_u64(2)]];
        device.hash(set, &inputs, &mut Panics).map(drop)
    };
    assert!(panic::catch_unwind(AssertUnwindSafe(&mut panicking)).is_err());
    assert!(chip.is_busy());
    drop(device);
    assert!(!chip.is_busy());
}

/// Of a program that was killed the DMA is still at work when the next one comes.
#[test]
fn a_run_of_a_program_before_is_ended_before_the_chip_may_use_memory() {
    let chip = Emulator::new(BYTES);
    let (killed, _) = port_in_mid_run(&chip, timing());
    std::mem::forget(killed);
    assert!(chip.is_busy());
    let next = DmaPort::new(chip.board(), chip.memory(), "emulator", impatient());
    let next = next.unwrap();
    assert!(!chip.is_busy());
    assert!(!chip.was_let_to_memory_busy());
    drop(next);
    chip.set_fault(Fault::None);
    let mut device = ChipDevice::new(port(&chip)).unwrap();
    let expected = commit(&mut SoftwareDevice::new(), 8).unwrap();
    assert_eq!(commit(&mut device, 8).unwrap(), expected);
}

#[test]
fn a_chip_whose_dma_does_not_end_is_refused() {
    let chip = Emulator::new(BYTES);
    chip.set_fault(Fault::StaysBusy);
    let port = DmaPort::new(chip.board(), chip.memory(), "emulator", impatient());
    let message = port.err().expect("it stays busy").to_string();
    assert!(message.contains("still busy"), "{message}");
    assert!(message.contains("reset the device"), "{message}");
    assert_eq!(chip.is_allowed(), Some(false));
}

/// Nothing of a chip is taken for granted after a reset.
#[test]
fn a_chip_that_was_reset_is_told_once_and_works_again() {
    let chip = Emulator::new(BYTES);
    let mut device = ChipDevice::new(port(&chip)).unwrap();
    let expected = commit(&mut SoftwareDevice::new(), 8).unwrap();
    assert_eq!(commit(&mut device, 8).unwrap(), expected);
    // What a reset does to the registers that the driver looks at.
    for address in (0x140..0x200).step_by(4) {
        chip.board().write(address, 0);
    }
    let message = commit(&mut device, 8).unwrap_err();
    assert!(message.contains("the chip was reset"), "{message}");
    assert_eq!(commit(&mut device, 8).unwrap(), expected);
}

#[test]
fn a_run_that_does_not_fit_is_refused_before_it_starts() {
    let chip = Emulator::new(4096);
    let mut device = ChipDevice::new(port(&chip)).unwrap();
    let message = commit(&mut device, 128).unwrap_err();
    assert!(
        message.contains("256 input and 1 output words"),
        "{message}"
    );
    assert!(message.contains("and there are 4096"), "{message}");
    let plan = RunPlan {
        input_words: u64::MAX,
        output_words: u64::MAX,
    };
    assert!(device.port().begin_run(&plan).is_err());
    let expected = commit(&mut SoftwareDevice::new(), 32).unwrap();
    assert_eq!(commit(&mut device, 32).unwrap(), expected);
}

#[test]
fn a_zeroisation_clears_the_memory() {
    let chip = Emulator::new(BYTES);
    let mut device = ChipDevice::new(port(&chip)).unwrap();
    commit(&mut device, 8).unwrap();
    assert!(!chip.is_zero());
    device.zeroise().unwrap();
    assert!(chip.is_zero());
}

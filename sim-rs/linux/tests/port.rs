// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! The port of a chip with DMA, on one in software.

#![cfg(target_os = "linux")]

use std::time::{Duration, Instant};

use acclmt_driver::chip::{ChipDevice, ChipPort, RunPlan, suite};
use acclmt_driver::device::{CommitRequest, Device, LeafRule, NoProgress, WordSource};
use acclmt_driver::nodes::NoNodes;
use acclmt_driver::software::SoftwareDevice;
use acclmt_linux::emulator::{Emulator, Fault, Memory};
use acclmt_linux::{DmaPort, Timing};
use acclmt_poseidon::presets;
use acclmt_poseidon::word;

const BYTES: usize = 1 << 18;

fn timing() -> Timing {
    Timing {
        progress: Duration::from_millis(500),
        call: Duration::from_millis(5),
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
        (Fault::Stalls, "no progress in 0."),
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
        let began = Instant::now();
        let message = commit(&mut device, 8).unwrap_err();
        assert!(message.contains(expected), "{fault:?}: {message}");
        assert!(began.elapsed() < Duration::from_secs(20), "{fault:?}");
        chip.set_fault(Fault::None);
        assert_eq!(
            commit(&mut device, 8).unwrap(),
            commit(&mut SoftwareDevice::new(), 8).unwrap(),
            "{fault:?}"
        );
    }
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

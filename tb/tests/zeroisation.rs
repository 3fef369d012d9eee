// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! Zeroisation of the chip: what is left of a run in the signals of a waveform, and what a host sees meanwhile.
//! The sweep of the memories is tested in faults.rs.

// The other primes have the same control blocks and buffers.
#![cfg(feature = "bls12-381")]

mod common;

use std::path::Path;

use acclmt_driver::chip::{ChipDevice, ChipPort};
use acclmt_driver::device::{
    CommitRequest, Device, DeviceError, LeafRule, NoProgress, WordSource, Zeroisation,
};
use acclmt_driver::nodes::NoNodes;
use acclmt_driver::registers::{self, Access};
use acclmt_driver::software::SoftwareDevice;
use acclmt_merkle::shape::Padding;
use acclmt_poseidon::dispatch;
use acclmt_poseidon::fields::{AnyParameters, FieldId};
use acclmt_poseidon::params::{PoseidonParameters, PoseidonSpecification, RoundOrder};
use acclmt_poseidon::random::{self, Ranges};
use acclmt_poseidon::sponge::{self, Absorption, Capacity, Sponge};
use acclmt_tb::{RtlChip, WaveformWindow, Waves, large_field, rtl_device};
use acclmt_verilated::RUNTIME_MODULUS;
use common::bits::{BUSY, CLEAR, ERROR, REFUSED, START, ZEROISE, ZEROISED};
use common::chip::{goldilocks_pairs, short_pairs};
use common::{Random, elements, seed, waveform_data};

/// More clock cycles than a zeroisation takes.
const ZEROISATION: u64 = 60_000;

/// Clock cycles between what the first of two chips has done and its waveform: by so many the other may take longer,
/// whose parameter set has other constants.
const PAUSE: u64 = 5_000;

/// Elements of a digest.
fn digest_length(field: FieldId) -> usize {
    if field == FieldId::Goldilocks { 4 } else { 1 }
}

/// Hashes of `arity` digests with a state of twelve elements and few rounds, and a sponge. Constants and matrices
/// depend on `seed`, and what a run does in which cycle does not.
fn set(field: FieldId, arity: usize, seed: u64) -> AnyParameters {
    let ranges = Ranges {
        widths: 12..=12,
        full_rounds: 2..=2,
        partial_rounds: 8..=8,
        orders: vec![RoundOrder::SboxFirst],
        ..Ranges::default()
    };
    let length = digest_length(field);
    let set = random::any_parameters(field, seed, &ranges).expect("there is such a set");
    dispatch!(&set, set => {
        PoseidonParameters::new(PoseidonSpecification {
            input_positions: (12 - arity * length..12).collect(),
            digest_positions: (0..length).collect(),
            sponge: Some(Sponge {
                rate_positions: (1..12).collect(),
                absorption: Absorption::Add,
                padding: sponge::Padding::None,
                capacity: Capacity::InitialState,
                permute_empty: false,
                short_rows_are_digests: false,
            }),
            ..set.specification().clone()
        })
        .expect("the positions are legal")
        .into()
    })
}

/// What a chip does before it is zeroised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Job {
    /// A tree over rows of several blocks.
    Rows,
    /// A tree of pairs of Goldilocks digests that lacks leaves.
    Goldilocks,
    /// A tree of hashes which ends with its input, when many hashes are in the chip.
    Aborted,
}

impl Job {
    /// Runs it on a chip with registers and memories of `state`; constants and leaves are those of `secret`.
    fn run(self, state: u32, secret: u64) -> ChipDevice<RtlChip> {
        let mut device = rtl_device(state).unwrap();
        let mut random = Random::new(secret);
        // Waveforms have the variables of loops, too, and a loop of one field has none before it has run.
        for set in [goldilocks_pairs(), short_pairs()] {
            check_tree(&mut device, set, &mut random);
        }
        let (field, arity, leaves, row) = match self {
            Self::Rows => (large_field(), 4, 64, Some(30)),
            Self::Goldilocks => (FieldId::Goldilocks, 2, 77, None),
            Self::Aborted => (large_field(), 11, 1331, None),
        };
        let set = set(field, arity, secret);
        let leaf = match row {
            Some(length) => LeafRule::Row {
                parameters: &set,
                columns: length,
            },
            None => LeafRule::Hash(&set),
        };
        let length = row.unwrap_or(arity * digest_length(field));
        let mut request = CommitRequest::new(&set, leaf, leaves);
        let empty = elements(&mut random, field, digest_length(field));
        if self == Self::Goldilocks {
            request.padding = Padding::Leaf(&empty);
        }
        let given = if self == Self::Aborted { 150 } else { leaves };
        let words = elements(&mut random, field, given as usize * length);
        let result = device.commit(
            &request,
            &mut WordSource(&words),
            &mut NoNodes,
            &mut NoProgress,
        );
        match result {
            Ok(_) => assert_ne!(self, Self::Aborted),
            Err(error) => assert_eq!(self, Self::Aborted, "{error}"),
        }
        device
    }
}

/// Lets so many clock cycles pass.
fn pass(chip: &mut RtlChip, cycles: u64) {
    assert_eq!(chip.transfer(&[], &mut Vec::new(), cycles).unwrap(), 0);
}

/// A waveform of a few clock cycles, without what its header says about the file, and its first cycle: this one, or
/// soon.
fn waveform(device: &mut ChipDevice<RtlChip>, name: &str, first: Option<u64>) -> (u64, Vec<u8>) {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let chip = device.port();
    // The data input holds a word of the run until the host offers another.
    let taken = chip.transfer(&[[0; 32]], &mut Vec::new(), 1).unwrap();
    assert_eq!(taken, 0);
    let now = chip.cycles();
    let first = first.unwrap_or(now + PAUSE);
    assert!(now <= first, "{name}: cycle {now}, waveform from {first}");
    pass(chip, first - now);
    chip.trace(&Waves {
        path: path.clone(),
        window: WaveformWindow {
            first,
            count: 3,
            depth: 0,
        },
    })
    .unwrap();
    pass(chip, 8);
    chip.finish().unwrap();
    (first, waveform_data(&path))
}

/// Two chips that were powered up with other values and have done the same with other constants and leaves are
/// alike in every signal after a zeroisation.
#[test]
fn nothing_is_left_of_a_run() {
    check_jobs(&[Job::Rows]);
}

#[test]
#[ignore = "long: waveforms of every signal of eight runs"]
fn nothing_is_left_of_other_runs() {
    check_jobs(&[Job::Goldilocks, Job::Aborted]);
}

fn check_jobs(jobs: &[Job]) {
    let seed = seed(120);
    for &job in jobs {
        let run = |number: u32, zeroised: bool, first| {
            let mut device = job.run(seed as u32 + number, seed + u64::from(number));
            if zeroised {
                assert_eq!(device.zeroise().unwrap(), Zeroisation::Complete);
            }
            let what = if zeroised { "zeroised" } else { "kept" };
            waveform(&mut device, &format!("{what}-{job:?}-{number}.fst"), first)
        };
        for zeroised in [false, true] {
            let (first, of_one) = run(1, zeroised, None);
            let (_, of_other) = run(2, zeroised, Some(first));
            // Without a zeroisation they are not alike.
            assert!(
                (of_one == of_other) == zeroised,
                "{job:?}, zeroised: {zeroised}, seed {seed}: see *-{job:?}-*.fst"
            );
        }
    }
}

fn check_tree(device: &mut ChipDevice<RtlChip>, set: &AnyParameters, random: &mut Random) {
    let words = elements(random, set.field(), 6 * set.inputs());
    let mut request = CommitRequest::new(set, LeafRule::Hash(set), 6);
    let empty = elements(random, set.field(), set.digest_length());
    request.padding = Padding::Leaf(&empty);
    let cap = |device: &mut dyn Device| {
        let source = &mut WordSource(&words);
        let report = device.commit(&request, source, &mut NoNodes, &mut NoProgress);
        report
            .unwrap_or_else(|error| panic!("{}: {error}", set.name()))
            .cap
    };
    let found = cap(device);
    assert_eq!(found, cap(&mut SoftwareDevice::new()), "{}", set.name());
}

/// The driver loads again what it had loaded, and results are right.
#[test]
fn a_zeroised_chip_commits_again() {
    let mut random = Random::new(seed(121));
    let mut device = rtl_device(7).unwrap();
    // Of a chip that has done nothing, too.
    device.zeroise().unwrap();
    for set in [short_pairs(), goldilocks_pairs()] {
        check_tree(&mut device, set, &mut random);
        device.zeroise().unwrap();
        check_tree(&mut device, set, &mut random);
    }
}

fn read(chip: &mut RtlChip, register: &registers::Register) -> u32 {
    chip.read_register(register.address).unwrap()
}

/// ERROR and ERROR_INFO.
fn error(chip: &mut RtlChip) -> (u32, u32) {
    (
        read(chip, &registers::ERROR),
        read(chip, &registers::ERROR_INFO),
    )
}

fn command(chip: &mut RtlChip, value: u32) {
    chip.write_register(registers::CONTROL.address, value)
        .unwrap();
}

/// Polls STATUS until the zeroisation has ended; returns the clock cycles.
fn wait(chip: &mut RtlChip) -> u64 {
    let begin = chip.cycles();
    while read(chip, &registers::STATUS) & BUSY != 0 {
        assert!(
            chip.cycles() < begin + ZEROISATION,
            "the zeroisation does not end"
        );
    }
    chip.cycles() - begin
}

/// All registers that a host can write.
fn configuration(chip: &mut RtlChip) -> Vec<(&'static str, u32)> {
    let mut values = Vec::new();
    for register in registers::REGISTERS {
        let exists = RUNTIME_MODULUS || *register != registers::RADIX_SQUARED;
        let is_config = matches!(
            register.access,
            Access::ReadWrite | Access::ReadWriteRuntime
        );
        if exists && is_config {
            for position in 0..register.count {
                let value = chip.read_register(register.at(position)).unwrap();
                assert!(!chip.refused(), "{}", register.name);
                values.push((register.name, value));
            }
        }
    }
    values
}

/// The registers are those of a chip after its reset, and the memories hold zero: a run with constants zero has
/// zero words.
#[test]
fn a_zeroised_chip_reads_as_after_a_reset() {
    let mut random = Random::new(seed(122));
    let mut reset = RtlChip::new(8).unwrap();
    let expected = configuration(&mut reset);
    let mut device = rtl_device(8).unwrap();
    check_tree(&mut device, short_pairs(), &mut random);
    let chip = device.port();
    assert_ne!(configuration(chip), expected);
    assert_ne!(read(chip, &registers::CYCLES), 0);
    command(chip, ZEROISE);
    assert!(!chip.refused());
    wait(chip);
    assert_eq!(read(chip, &registers::STATUS), ZEROISED);
    assert_eq!(configuration(chip), expected);
    for register in registers::REGISTERS
        .iter()
        .filter(|register| register.counter)
    {
        assert_eq!(read(chip, register), 0, "{}", register.name);
    }
}

/// During a zeroisation every command and every write of configuration is refused and changes nothing, no word
/// goes in or out, and it takes as many cycles as ever.
#[test]
fn a_zeroisation_takes_nothing() {
    let seed = seed(123);
    let mut random = Random::new(seed);
    let words = elements(&mut random, large_field(), 64);
    let busy_code = registers::ERROR_COMMAND_WHILE_BUSY.code;
    let write_code = registers::ERROR_WRITE_WHILE_RUNNING.code;
    let mut cycles = Vec::new();
    let mut device = rtl_device(seed as u32).unwrap();
    check_tree(&mut device, short_pairs(), &mut random);
    for what in 0..6 {
        let chip = device.port();
        command(chip, CLEAR);
        let begin = chip.cycles();
        command(chip, ZEROISE);
        // In the sweep, and in the run that follows it.
        for pause in [10, 8000] {
            let mut output = Vec::new();
            assert_eq!(chip.transfer(&words, &mut output, pause).unwrap(), 0);
            assert!(output.is_empty());
            let (expected, refused) = match what {
                0 => {
                    command(chip, START);
                    ((busy_code, START), REFUSED)
                }
                1 => {
                    command(chip, CLEAR);
                    ((busy_code, CLEAR), 0)
                }
                2 => {
                    command(chip, ZEROISE);
                    ((busy_code, ZEROISE), 0)
                }
                3 => {
                    let address = registers::CONSTANT_ADDRESS.address;
                    chip.write_register(address, 0x0030_0000).unwrap();
                    ((write_code, address), 0)
                }
                4 => {
                    let address = registers::LEAVES.address;
                    chip.write_register(address, 5).unwrap();
                    ((write_code, address), 0)
                }
                _ => {
                    // A word that lies on the input goes nowhere.
                    assert_eq!(chip.transfer(&words, &mut output, 100).unwrap(), 0);
                    ((0, 0), 0)
                }
            };
            assert_eq!(chip.refused(), expected.0 != 0);
            let flag = if expected.0 != 0 { ERROR } else { 0 };
            assert_eq!(read(chip, &registers::STATUS), BUSY | flag | refused);
            assert_eq!(error(chip), expected);
        }
        wait(chip);
        cycles.push(chip.cycles() - begin);
        // What was refused can still be read.
        let status = read(chip, &registers::STATUS);
        let flags = match what {
            0 => ERROR | REFUSED,
            5 => 0,
            _ => ERROR,
        };
        assert_eq!(status, ZEROISED | flags);
    }
    assert!(cycles.iter().all(|&count| count == cycles[0]), "{cycles:?}");
    // The driver is told.
    device.zeroise().unwrap();
    check_tree(&mut device, short_pairs(), &mut random);
}

/// A run is not disturbed by a zeroisation that is refused.
#[test]
fn a_zeroisation_during_a_run_is_refused() {
    let mut random = Random::new(seed(124));
    let mut device = rtl_device(9).unwrap();
    let set = short_pairs();
    let words = elements(&mut random, set.field(), 16);
    let request = CommitRequest::new(set, LeafRule::Hash(set), 8);
    let commit = |device: &mut ChipDevice<RtlChip>| -> Result<_, DeviceError> {
        device.commit(
            &request,
            &mut WordSource(&words),
            &mut NoNodes,
            &mut NoProgress,
        )
    };
    let expected = commit(&mut device).unwrap();
    // The configuration is still there: the run again, by hand.
    let chip = device.port();
    command(chip, CLEAR);
    command(chip, START);
    let mut output = Vec::new();
    assert_eq!(chip.transfer(&words[..5], &mut output, 300).unwrap(), 5);
    command(chip, ZEROISE);
    assert!(chip.refused());
    assert_eq!(
        error(chip),
        (registers::ERROR_COMMAND_WHILE_BUSY.code, ZEROISE)
    );
    assert_eq!(read(chip, &registers::STATUS), BUSY | ERROR);
    chip.transfer(&words[5..], &mut output, 400_000).unwrap();
    assert_eq!(
        output.last().map(|word| word.data),
        Some(expected.root()[0])
    );
    assert!(output.iter().all(|word| !word.error));
}

/// STATUS.Zeroised holds until something is written or a run starts, and the end of a zeroisation interrupts.
#[test]
fn zeroised_holds_until_something_is_written() {
    let mut chip = RtlChip::new(10).unwrap();
    let chip = &mut chip;
    let done = registers::INTERRUPT_ZEROISED.with(1);
    chip.write_register(registers::INTERRUPT_ENABLE.address, done)
        .unwrap();
    assert_eq!(read(chip, &registers::STATUS), 0);
    // What ends it, behind what does not.
    let writes = [
        (registers::LEAVES.address, 3),
        (registers::LEVEL_TABLE.address, 3),
        (registers::CONSTANT_DATA.at(7), 0),
        // All constants are zero.
        (registers::CONSTANT_ADDRESS.address, 0x0030_0000),
    ];
    let others = [
        // There is no sub-engine 9.
        (registers::CONSTANT_ADDRESS.address, 0x0039_0000),
        (registers::INTERRUPT_ENABLE.address, done),
        (registers::CONTROL.address, CLEAR),
        // The configuration is illegal.
        (registers::CONTROL.address, START),
    ];
    for (write, other) in writes.into_iter().zip(others) {
        command(chip, ZEROISE);
        assert!(!chip.interrupt());
        wait(chip);
        assert_eq!(read(chip, &registers::STATUS), ZEROISED);
        assert_eq!(read(chip, &registers::INTERRUPT_STATUS), done);
        assert!(chip.interrupt());
        for ((address, value), ends) in [(other, false), (write, true)] {
            chip.write_register(address, value).unwrap();
            let holds = read(chip, &registers::STATUS) & ZEROISED != 0;
            assert_eq!(holds, !ends, "0x{address:03X}: 0x{value:X}");
        }
        command(chip, CLEAR);
        assert_eq!(read(chip, &registers::INTERRUPT_STATUS), 0);
        assert!(!chip.interrupt());
    }
}

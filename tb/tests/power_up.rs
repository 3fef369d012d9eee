// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! Registers and memories hold anything when a chip is powered up. Nothing that a host sees depends on what was never
//! written: not the digests, not the cycle in which anything happens, not a counter, a status or an error.

// The other primes have the same control blocks and buffers.
#![cfg(feature = "bls12-381")]

mod common;

use std::iter;
use std::path::Path;
use std::thread;

use acclmt_driver::chip::ChipPort;
use acclmt_driver::device::{
    CommitReport, CommitRequest, Device, LeafRule, NoProgress, WordSource, Zeroisation,
};
use acclmt_driver::nodes::AllNodes;
use acclmt_driver::registers::{self, Access};
use acclmt_merkle::shape::Padding;
use acclmt_poseidon::fields::AnyParameters;
use acclmt_poseidon::presets;
use acclmt_poseidon::word::Word;
use acclmt_tb::{RtlChip, WaveformWindow, Waves, rtl_device};
use common::{Random, elements, rounds, seed, waveform_data};

/// Hashes with and without adders, of two beats, by the stored base, and rows of blocks.
const PRESETS: [&str; 4] = [
    "filecoin-arity-2",
    "plonky2",
    "plonky3-poseidon2-goldilocks-16",
    "winter-rp64-256",
];

/// What a host sees of a commitment.
type Run = (Result<CommitReport, String>, AllNodes);

/// What a host sees of a chip.
#[derive(PartialEq, Eq)]
struct Seen {
    runs: Vec<Run>,
    /// Each register that can be read, after each of the runs.
    registers: Vec<Vec<u32>>,
    /// The clock cycle since the reset in which all of it had ended.
    cycles: u64,
}

/// A tree that lacks leaves, whose input ends early if `ends`.
fn commit(
    device: &mut dyn Device,
    set: &AnyParameters,
    row: Option<usize>,
    ends: bool,
    random: &mut Random,
) -> Run {
    let count = set.arity() as u64 + 1;
    let leaf = match row {
        Some(columns) => LeafRule::Row {
            parameters: set,
            columns,
        },
        None => LeafRule::Hash(set),
    };
    let length = row.unwrap_or(set.inputs());
    let mut request = CommitRequest::new(set, leaf, count);
    let empty = elements(random, set.field(), set.digest_length());
    request.padding = Padding::Leaf(&empty);
    let mut words: Vec<Word> = elements(random, set.field(), count as usize * length);
    if ends {
        words.truncate(words.len() / 2);
    }
    let mut nodes = AllNodes::default();
    let source = &mut WordSource(&words);
    let result = device.commit(&request, source, &mut nodes, &mut NoProgress);
    (result.map_err(|error| error.to_string()), nodes)
}

/// What a host sees of a chip whose registers and memories are made from `power_up`.
fn seen(power_up: u32, seed: u64) -> Seen {
    let mut device = rtl_device(power_up).unwrap();
    let mut random = Random::new(seed);
    let mut seen = Seen {
        runs: Vec::new(),
        registers: vec![read_all(device.port())],
        cycles: 0,
    };
    let stages = PRESETS.map(|name| (name, None, false));
    let more = [
        ("plonky2", Some(20), false),
        // Ended in mid-run, and another run behind it.
        ("filecoin-arity-8", None, true),
        ("filecoin-arity-2", None, false),
    ];
    for (name, row, ends) in stages.into_iter().chain(more) {
        let run = commit(
            &mut device,
            presets::by_name(name).unwrap(),
            row,
            ends,
            &mut random,
        );
        assert_eq!(run.0.is_err(), ends, "{name}: {:?}", run.0);
        seen.runs.push(run);
        seen.registers.push(read_all(device.port()));
    }
    assert_eq!(device.zeroise().unwrap(), Zeroisation::Complete);
    seen.registers.push(read_all(device.port()));
    seen.cycles = device.port().cycles();
    seen
}

/// Every register that can be read.
fn read_all(chip: &mut RtlChip) -> Vec<u32> {
    let mut values = Vec::new();
    for register in registers::REGISTERS {
        if register.access == Access::WriteOnly {
            continue;
        }
        let words = register.count * if register.counter { 2 } else { 1 };
        for word in 0..words {
            let address = register.address + 4 * word;
            values.push(chip.read_register(address).unwrap());
        }
    }
    values
}

#[test]
fn what_was_never_written_changes_nothing() {
    compare(rounds(1));
}

#[test]
#[ignore = "long: a hundred chips"]
fn what_was_never_written_changes_nothing_in_many_chips() {
    compare(rounds(100));
}

/// Compares so many chips with one.
fn compare(chips: u64) {
    let seed = seed(170);
    // The first two run at once: most of these tests have no more.
    let [first, second] = thread::scope(|scope| {
        [0, 1]
            .map(|number| scope.spawn(move || seen((seed + number) as u32, seed)))
            .map(|chip| chip.join().unwrap())
    });
    let more = (2..=chips).map(|number| seen((seed + number) as u32, seed));
    for (number, other) in (1..).zip(iter::once(second).chain(more)) {
        let chip = format!("seed {seed}, chip {number}");
        for (run, (a, b)) in first.runs.iter().zip(&other.runs).enumerate() {
            assert_eq!(a.0, b.0, "{chip}: the result of run {run}");
            assert!(a.1 == b.1, "{chip}: nodes of run {run}");
        }
        assert_eq!(first.registers, other.registers, "{chip}: registers");
        assert_eq!(first.cycles, other.cycles, "{chip}: clock cycles");
    }
}

/// The chips of these tests do differ at power-up: their waveforms do, after the same reset.
#[test]
fn chips_differ_at_power_up() {
    let waveforms = [1, 2].map(|power_up| {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("power-up.fst");
        let mut chip = RtlChip::new(power_up).unwrap();
        let first = chip.cycles();
        chip.trace(&Waves {
            path: path.clone(),
            window: WaveformWindow {
                first,
                count: 2,
                depth: 0,
            },
        })
        .unwrap();
        chip.transfer(&[], &mut Vec::new(), 4).unwrap();
        chip.finish().unwrap();
        waveform_data(&path)
    });
    assert!(waveforms[0] != waveforms[1]);
}

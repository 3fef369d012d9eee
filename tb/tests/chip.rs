// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! The whole chip against the reference: vectors of other implementations, every shape of parameter set,
//! trees, stalls, counters, elements that are none. All of it is about the fields of the build.

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use acclmt_driver::chip::{ChipDevice, ChipPort};
use acclmt_driver::device::{CommitRequest, Device, LeafRule, NoProgress, WordSource};
use acclmt_driver::level_table::{NODE_WORDS, max_height, standard_tree};
use acclmt_driver::messages::hash_messages_with;
use acclmt_driver::nodes::NoNodes;
use acclmt_driver::program::{
    self, ADDER_BANK, Begin, ChipConstant, ChipProgram, ChipRegisters, ChipRows, EngineLimits,
    LANES, PASS_BANK, PassEntry, Power, ProgramFault, RowRegisters, SLICES, Segments, Store,
};
use acclmt_driver::registers;
use acclmt_driver::sharing::Sharing;
use acclmt_driver::software::SoftwareDevice;
use acclmt_measure::measurement::measure_engine;
use acclmt_measure::pc2;
use acclmt_measure::published::PC2_2_KIB_ROOTS;
use acclmt_measure::vectors::{Outcome, VectorCase, VectorFile, run_cases};
use acclmt_merkle::levels::UpperLevels;
use acclmt_merkle::shape::Padding;
use acclmt_poseidon::fields::{AnyParameters, FieldId};
use acclmt_poseidon::normal_form::InternalOrder;
use acclmt_poseidon::params::{
    Compression, InverseRounds, PoseidonSpecification, RoundOrder, is_permutation,
};
use acclmt_poseidon::permutation::permute_dense;
use acclmt_poseidon::presets::{self, Preset};
use acclmt_poseidon::random::{self, Ranges};
use acclmt_poseidon::sponge::{self, Absorption, Capacity, Sponge};
use acclmt_poseidon::word::{self, Word};
use acclmt_poseidon::{dispatch, with_field};
use acclmt_tb::{RtlChip, large_field, rtl_device};
use acclmt_verilated::RUNTIME_MODULUS;
use common::bits::{BUSY, CLEAR, DONE, ERROR, REFUSED, START};
use common::chip::{
    DIGESTS, ELEMENTS, HASHES, Host, LeafKind, NO_ELEMENTS, check_commit, check_counters,
    check_engine, check_hashes, check_work, chip_fields, commit, constant_address,
    constant_address_of, goldilocks_pairs, kinds, pairs, programmed, programmed_for, random_inputs,
    reference_root, set_with_rounds, short_hash, short_pairs, with_positions,
};
use common::{Random, elements, has_chains, prime, rounds, seed};
use num_bigint::BigUint;

// ---- Vectors of other implementations --------------------------------------------------------------

/// What the names of the vector files of a field begin with.
fn vector_files(field: FieldId) -> &'static [&'static str] {
    match field {
        FieldId::Bls12_381 => &[
            "neptune_bls12_381_",
            "filecoin_",
            "dusk_",
            "trident_",
            "zkhash_bls12_381_",
        ],
        FieldId::Bls12_377 => &["aleo_", "penumbra_"],
        FieldId::Bn254 => &["circom_bn254_", "taceo_bn254_"],
        FieldId::Pallas => &["neptune_pallas_", "orchard_", "mina_", "zkhash_pallas_"],
        FieldId::Vesta => &["neptune_vesta_"],
        FieldId::Starknet => &["starknet_"],
        FieldId::Goldilocks => &[
            "plonky2_",
            "plonky3_goldilocks_",
            "zkhash_goldilocks_",
            "zisk_goldilocks_",
            "miden_",
            "winter_",
        ],
    }
}

/// Whether the vectors of a file are over the Goldilocks field.
fn is_of_goldilocks(name: &str) -> bool {
    let prefixes = vector_files(FieldId::Goldilocks);
    prefixes.iter().any(|prefix| name.starts_with(prefix))
}

/// Whether a file of vectors has trees.
fn is_of_trees(name: &str) -> bool {
    name.contains("merkle") || name.contains("trees")
}

/// Circom's hash of 12 inputs has a state of 13 elements.
fn is_too_wide(case: &str) -> bool {
    case.starts_with("n12_")
}

/// Which cases of a vector file are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cases {
    /// One whose hashes do not wait for each other: the first, or the last of every other file.
    One,
    /// Two of the first half: a file of trees has the larger ones behind that.
    TwoSmall,
    /// All.
    All,
}

impl Cases {
    /// Those of a file with the number `number`.
    fn of(self, file: &VectorFile, number: usize) -> Vec<VectorCase> {
        let cases: Vec<_> = file.cases.iter().filter(|case| !case.is_chain()).collect();
        let half = cases.len().div_ceil(2);
        match self {
            Self::All => file.cases.clone(),
            Self::One => {
                let even = number.is_multiple_of(2);
                let case = if even { cases.first() } else { cases.last() };
                case.map(|&case| case.clone()).into_iter().collect()
            }
            Self::TwoSmall if half < 2 => cases.into_iter().take(half).cloned().collect(),
            Self::TwoSmall => vec![cases[0].clone(), cases[half - 1].clone()],
        }
    }
}

/// Runs cases of all vector files whose names `chosen` takes. Those of the fields of this build must
/// pass, those of other fields must be skipped because the chip does not have the field.
fn run_vectors(cases: Cases, chosen: impl Fn(&str) -> bool) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sim-rs/vectors");
    let mut device = rtl_device(1).unwrap();
    let prefixes: Vec<_> = chip_fields().into_iter().flat_map(vector_files).collect();
    let mut passed = 0;
    let mut paths: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    for (number, path) in paths.into_iter().enumerate() {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if !name.ends_with(".json") || !chosen(&name) {
            continue;
        }
        let is_ours = prefixes.iter().any(|prefix| name.starts_with(*prefix));
        let file = VectorFile::load(&path).unwrap();
        let cases = cases.of(&file, number);
        for (case, outcome) in cases.iter().zip(run_cases(&mut device, &cases)) {
            let case = &case.name;
            match outcome {
                Outcome::Passed if is_ours => passed += 1,
                Outcome::Skipped { reason } if is_too_wide(case) => {
                    assert!(
                        reason.contains("state width is 13"),
                        "{name} {case}: {reason}"
                    );
                }
                Outcome::Skipped { reason } if !is_ours => {
                    assert!(
                        reason.contains("the chip was built for"),
                        "{name} {case}: {reason}"
                    );
                }
                outcome => panic!("{name} {case}: {outcome:?}"),
            }
        }
    }
    println!("{passed} cases passed");
    assert!(passed > 0);
}

#[test]
fn vectors_of_hashes_of_large_primes() {
    run_vectors(Cases::One, |name| {
        !is_of_trees(name) && !is_of_goldilocks(name)
    });
}

#[test]
fn vectors_of_hashes_of_goldilocks() {
    run_vectors(Cases::One, |name| {
        !is_of_trees(name) && is_of_goldilocks(name)
    });
}

#[test]
fn vectors_of_trees() {
    run_vectors(Cases::TwoSmall, is_of_trees);
}

#[test]
#[ignore = "long: every case, also a hundred hashes one after the other, of every set"]
fn all_vectors() {
    run_vectors(Cases::All, |_| true);
}

// ---- Parameter sets --------------------------------------------------------------------------------

/// Every sixth preset; the vectors are of nearly all of them.
#[test]
fn presets_hash_as_the_reference() {
    check_presets(presets::all().iter().step_by(6));
}

#[test]
#[ignore = "long: all presets"]
fn every_preset_hashes_as_the_reference() {
    check_presets(presets::all().iter());
}

fn check_presets(presets: impl Iterator<Item = &'static Preset>) {
    let mut random = Random::new(seed(31));
    let mut device = rtl_device(2).unwrap();
    let mut hashed = 0;
    for preset in presets {
        let parameters = preset.parameters();
        if chip_fields().contains(&preset.field()) {
            check_hashes(
                &mut device,
                parameters,
                &random_inputs(&mut random, parameters, 3),
            );
            hashed += 1;
        } else {
            let reason = device.supports(parameters).unwrap_err().to_string();
            assert!(reason.contains("the chip was built for"), "{reason}");
        }
    }
    println!("{hashed} presets");
    assert!(hashed >= 3);
}

/// Hashes and permutes with the random parameter set of `seed`, with stalls.
fn check_random_set(device: &mut ChipDevice<RtlChip>, field: FieldId, seed: u64, ranges: &Ranges) {
    let Some(parameters) = random::any_parameters(field, seed, ranges) else {
        return;
    };
    println!("{} (seed {seed})", parameters.name());
    let mut random = Random::new(seed);
    let stalls = [(0.0, 0.0), (0.5, 0.5), (0.95, 0.0), (0.0, 0.95)];
    let (input, output) = *random.choose(&stalls);
    device
        .port()
        .set_stalls(random.next(), input, output)
        .unwrap();
    let count = 1 + random.below(12) as usize;
    let inputs = random_inputs(&mut random, &parameters, count);
    let counters = check_hashes(device, &parameters, &inputs);
    let limits = device.capabilities().limits;
    let program = ChipProgram::compile(&parameters, &limits).unwrap();
    check_engine(&counters.leaf, &program, count as u64);

    let states: Vec<_> = (0..2)
        .map(|_| elements(&mut random, field, parameters.width()))
        .collect();
    let found = device
        .permute(&parameters, &states, &mut NoProgress)
        .unwrap();
    let expected = SoftwareDevice::new()
        .permute(&parameters, &states, &mut NoProgress)
        .unwrap();
    assert_eq!(found.states, expected.states, "{}", parameters.name());
}

fn check_random_sets(first: u64, count: u64, ranges: &Ranges) {
    let mut device = rtl_device(first as u32).unwrap();
    for field in chip_fields() {
        for seed in first..first + count {
            check_random_set(&mut device, field, seed, ranges);
        }
    }
}

#[test]
fn random_parameter_sets() {
    check_random_sets(seed(1000), rounds(6), &Ranges::default());
}

#[test]
fn random_parameter_sets_with_dense_partial_rounds() {
    let ranges = Ranges {
        singular_minor: true,
        partial_rounds: 1..=5,
        ..Ranges::default()
    };
    check_random_sets(seed(2000), rounds(3), &ranges);
}

/// A linear layer ahead of the rounds and two matrices, with a recurrence, and with all partial rounds dense.
#[test]
fn random_parameter_sets_of_poseidon2() {
    let ranges = Ranges {
        poseidon2: true,
        partial_rounds: 0..=24,
        ..Ranges::default()
    };
    check_random_sets(seed(3000), rounds(4), &ranges);
    let ranges = Ranges {
        partial_rounds: 0..=3,
        ..ranges
    };
    check_random_sets(seed(4000), rounds(2), &ranges);
}

/// Matrices of small integers, which adders make, with a layer ahead of the rounds and without, few passes, and partial
/// rounds that are dense. The same chip without them is the one of other sets.
#[test]
fn random_parameter_sets_of_small_integers() {
    for (first, poseidon2, widths) in [
        (9000, false, 2..=12),
        (9500, true, 2..=12),
        (9600, false, 13..=16),
        (9700, true, 13..=16),
    ] {
        let ranges = Ranges {
            small_integers: true,
            poseidon2,
            partial_rounds: 1..=24,
            widths,
            ..Ranges::default()
        };
        let mut device = rtl_device(9).unwrap();
        let limits = device.capabilities().limits;
        let mut with_adders = 0;
        for seed in seed(first)..seed(first) + rounds(4) {
            check_random_set(&mut device, FieldId::Goldilocks, seed, &ranges);
            let set = random::any_parameters(FieldId::Goldilocks, seed, &ranges);
            let program = set.and_then(|set| ChipProgram::compile(&set, &limits).ok());
            with_adders += u32::from(program.is_some_and(|program| program.shape().adders));
        }
        assert!(with_adders >= 1, "{with_adders}");
    }
}

/// S-boxes that take several passes of a full-round sub-engine, whose base is stored meanwhile.
#[test]
fn random_parameter_sets_of_other_exponents() {
    let ranges = Ranges {
        exponents: vec![11, 13, 17, 23],
        full_rounds: 1..=3,
        partial_rounds: 0..=5,
        ..Ranges::default()
    };
    check_random_sets(seed(5000), rounds(3), &ranges);
    let ranges = Ranges {
        poseidon2: true,
        ..ranges
    };
    check_random_sets(seed(6000), rounds(2), &ranges);
}

/// Rescue Prime and its optimized form, in which every second S-box takes some thirty passes.
#[test]
fn random_parameter_sets_of_rescue() {
    let mut device = rtl_device(5).unwrap();
    for (inverse_rounds, is_optimized) in [
        (InverseRounds::EverySecond, false),
        (InverseRounds::EverySecondWithoutLastMatrix, true),
    ] {
        let ranges = Ranges {
            full_rounds: 1..=3,
            partial_rounds: 0..=0,
            poseidon2: is_optimized,
            inverse_rounds,
            ..Ranges::default()
        };
        for seed in seed(7000)..seed(7000) + 2 {
            check_random_set(&mut device, FieldId::Goldilocks, seed, &ranges);
        }
    }
}

/// Sums of the input stand beside the permutation, and are added to the digest.
#[test]
fn random_parameter_sets_of_compressions() {
    let mut device = rtl_device(7).unwrap();
    let mut seed = seed(9000);
    for compression in [Compression::FeedForward, Compression::Jive] {
        for (field, widths) in [
            (FieldId::Goldilocks, [6, 8, 12, 20]),
            (large_field(), [2, 3, 6, 11]),
        ] {
            for (number, width) in widths.into_iter().enumerate() {
                let is_rescue = field == FieldId::Goldilocks && number == 2;
                let ranges = Ranges {
                    widths: width..=width,
                    full_rounds: 1..=3,
                    partial_rounds: if is_rescue { 0..=0 } else { 0..=12 },
                    poseidon2: number % 2 == 1,
                    inverse_rounds: if is_rescue {
                        InverseRounds::EverySecond
                    } else {
                        InverseRounds::None
                    },
                    compression,
                    ..Ranges::default()
                };
                check_random_set(&mut device, field, seed, &ranges);
                seed += 1;
            }
        }
    }
}

/// States of every width up to those of two beats of Goldilocks, with full rounds that make loops.
#[test]
fn states_of_every_width() {
    let mut device = rtl_device(8).unwrap();
    for (number, field) in [large_field(), FieldId::Goldilocks].into_iter().enumerate() {
        for width in 2..=program::widest(false) {
            let ranges = Ranges {
                widths: width..=width,
                full_rounds: 3..=4,
                partial_rounds: 1..=2,
                ..Ranges::default()
            };
            let seed = seed(8200) + (100 * number + width) as u64;
            check_random_set(&mut device, field, seed, &ranges);
        }
    }
}

/// Each element of the widest states in each place of the input and of the digest.
#[test]
fn elements_in_every_place() {
    let seed = seed(8400);
    let mut random = Random::new(seed);
    let mut device = rtl_device(9).unwrap();
    for field in [large_field(), FieldId::Goldilocks] {
        let width = program::widest(field == FieldId::Goldilocks);
        let order = RoundOrder::ConstantsFirst;
        let set = set_with_rounds(field, seed, width, order, (1, 1), 1);
        for first in 0..width {
            let places = |step: usize| (0..width).map(move |i| (first + step * i) % width);
            let digest = if field == FieldId::Goldilocks { 4 } else { 1 };
            // The digest backwards.
            let turned = with_positions(
                &set,
                format!("{width} elements from {first}"),
                places(1).collect(),
                places(width - 1).take(digest).collect(),
            );
            let inputs = random_inputs(&mut random, &turned, 2);
            check_hashes(&mut device, &turned, &inputs);
        }
    }
}

/// Goldilocks states of two beats, of every width.
#[test]
fn random_goldilocks_states_of_two_beats() {
    let mut device = rtl_device(6).unwrap();
    let widest = program::widest(true);
    let mut seed = seed(8000);
    for width in program::widest(false) + 1..=widest {
        let ranges = Ranges {
            widths: width..=width,
            full_rounds: 1..=4,
            partial_rounds: 0..=24,
            singular_minor: width % 4 == 0,
            poseidon2: width % 2 == 1,
            ..Ranges::default()
        };
        check_random_set(&mut device, FieldId::Goldilocks, seed, &ranges);
        seed += 1;
    }
    // S-boxes of several passes.
    for width in [16, widest] {
        let ranges = Ranges {
            widths: width..=width,
            exponents: vec![11, 13, 17],
            full_rounds: 1..=2,
            partial_rounds: 0..=3,
            ..Ranges::default()
        };
        check_random_set(&mut device, FieldId::Goldilocks, seed, &ranges);
        seed += 1;
    }
}

/// Why the chip does not start a run with a program that cannot run, and that it starts the next one.
#[test]
fn programs_that_cannot_run_are_refused() {
    let mut random = Random::new(seed(56));
    let mut device = programmed(18);
    let program = ChipProgram::compile(short_pairs(), &device.capabilities().limits).unwrap();
    let mut host = Host::of(&mut device);
    let of_table =
        |constant: &&ChipConstant| (constant.sub_engine, constant.bank) == (0, PASS_BANK);
    let table: Vec<ChipConstant> = program.constants.iter().filter(of_table).copied().collect();
    let entries: Vec<PassEntry> = (table.iter())
        .map(|constant| PassEntry::read(&constant.word).unwrap())
        .collect();
    let last = entries.len() - 1;
    let a_loop = entries.iter().position(|entry| entry.times != 0).unwrap();
    let its_begin = (entries.iter().position(|entry| entry.loop_begins)).unwrap();
    type Change = Box<dyn Fn(&mut Vec<PassEntry>)>;
    let change = |number: usize, change: fn(&mut PassEntry)| -> Change {
        Box::new(move |entries| change(&mut entries[number]))
    };
    let cases: Vec<(Change, ProgramFault)> = vec![
        // A visit does not end, does not begin, begins in another; a loop in a loop, or one that leaves.
        (
            change(last, |entry| entry.leaves = false),
            ProgramFault::Missing,
        ),
        (
            change(0, |entry| entry.begin = None),
            ProgramFault::Malformed,
        ),
        (
            change(last, |entry| {
                entry.begin = Some(Begin {
                    set: 0,
                    visit: 1,
                    vector: 0,
                });
            }),
            ProgramFault::Malformed,
        ),
        (
            change(a_loop, |entry| entry.times = 1),
            ProgramFault::Malformed,
        ),
        (
            change(a_loop, |entry| entry.next += 1),
            ProgramFault::Malformed,
        ),
        (
            change(its_begin, |entry| entry.loop_begins = false),
            ProgramFault::Malformed,
        ),
        (
            change(last, |entry| entry.loop_begins = true),
            ProgramFault::Malformed,
        ),
        (
            change(a_loop, |entry| entry.leaves = true),
            ProgramFault::Malformed,
        ),
        // A base that is used before it is stored, or left behind.
        (
            change(0, |entry| entry.power = Power::SquareBase),
            ProgramFault::Malformed,
        ),
        (
            change(0, |entry| entry.store = Store::Take),
            ProgramFault::Malformed,
        ),
        (
            change(last, |entry| entry.store = Store::Put),
            ProgramFault::Malformed,
        ),
        // The same visit twice, and none of the set.
        (
            Box::new(|entries| {
                for entry in entries {
                    if let Some(begin) = &mut entry.begin {
                        begin.visit = 0;
                    }
                }
            }),
            ProgramFault::Malformed,
        ),
        (
            Box::new(|entries| {
                for entry in entries {
                    if let Some(begin) = &mut entry.begin {
                        begin.set = 2;
                    }
                }
            }),
            ProgramFault::Missing,
        ),
        (
            change(last, |entry| entry.power = Power::Seventh),
            if program.registers.alpha == 7 {
                ProgramFault::Passes
            } else {
                ProgramFault::Unit
            },
        ),
        (
            change(last, |entry| entry.matrix = 63),
            ProgramFault::Matrix,
        ),
        (
            change(0, |entry| {
                if let Some(begin) = &mut entry.begin {
                    begin.vector = 255;
                }
            }),
            ProgramFault::Vectors,
        ),
        (
            change(a_loop, |entry| entry.times += 1),
            ProgramFault::Passes,
        ),
    ];
    for (number, (change, fault)) in cases.iter().enumerate() {
        if *fault == ProgramFault::Passes && number + 1 != cases.len() {
            continue;
        }
        let mut changed = entries.clone();
        change(&mut changed);
        let constants: Vec<ChipConstant> = (table.iter().zip(&changed))
            .map(|(constant, entry)| ChipConstant {
                word: entry.word(),
                ..*constant
            })
            .collect();
        host.load_raw(&constants);
        host.set_up(DIGESTS, 4);
        host.write(registers::CONTROL.address, START);
        let input = elements(&mut random, large_field(), 8);
        assert_eq!(host.feed(&input, 60), 0, "case {number}");
        let code = registers::ERROR_ILLEGAL_PROGRAM.code;
        assert_eq!(host.error(), (code, *fault as u32), "case {number}");
        assert_eq!(host.status(), ERROR | REFUSED, "case {number}");
        host.clear();
        host.load_constants(&table);
        host.check_run(&mut random);
    }
    // A matrix that begins behind those that are loaded, anywhere.
    let of_matrices = |constant: &&ChipConstant| (constant.sub_engine, constant.bank) == (0, 0);
    let steps = program.constants.iter().filter(of_matrices);
    let loaded = steps.map(|constant| constant.index).max().unwrap();
    for matrix in loaded + 1..64 {
        let mut changed = table.clone();
        let mut entry = entries[last];
        entry.matrix = matrix;
        changed[last].word = entry.word();
        host.load_raw(&changed);
        host.set_up(DIGESTS, 4);
        host.write(registers::CONTROL.address, START);
        host.feed(&[], 20);
        let code = registers::ERROR_ILLEGAL_PROGRAM.code;
        let fault = ProgramFault::Matrix as u32;
        assert_eq!(host.error(), (code, fault), "a matrix from {matrix} on");
        host.clear();
        host.load_constants(&table);
    }
    // An entry that is left out.
    host.load_raw(&[table[0], table[2]]);
    host.set_up(DIGESTS, 4);
    host.write(registers::CONTROL.address, START);
    assert_eq!(host.feed(&[], 60), 0);
    let malformed = ProgramFault::Malformed as u32;
    assert_eq!(
        host.error(),
        (registers::ERROR_ILLEGAL_PROGRAM.code, malformed)
    );
    host.clear();
    host.load_constants(&table);
    host.check_run(&mut random);

    // The start of a run without a tree in the cycle behind the last entry: where that is missing,
    // where it makes the table sound, and where it is one too many.
    host.set_up(DIGESTS, 4);
    host.load_raw(&table[..last]);
    host.write(registers::CONTROL.address, START);
    assert_eq!(host.feed(&[], 60), 0);
    let code = registers::ERROR_ILLEGAL_PROGRAM.code;
    assert_eq!(host.error(), (code, ProgramFault::Missing as u32));
    host.clear();
    host.load_raw(&table);
    host.write(registers::CONTROL.address, START);
    assert_eq!(host.feed(&[], 60), 0);
    assert_eq!(host.error(), (0, 0));
    assert_eq!(host.status(), BUSY);
    host.clear();
    host.load_raw(&[ChipConstant {
        index: table[last].index + 1,
        ..table[last]
    }]);
    host.write(registers::CONTROL.address, START);
    assert_eq!(host.feed(&[], 60), 0);
    assert_eq!(host.error(), (code, malformed));
    host.clear();
    host.load_constants(&table);
    host.check_run(&mut random);
}

/// The same of adders: rows that are none, and tables whose visits adders cannot make.
#[test]
fn programs_that_adders_cannot_run_are_refused() {
    let mut random = Random::new(seed(57));
    let plonky2 = presets::by_name("plonky2").unwrap();
    let mut device = programmed_for(plonky2, 19);
    let program = ChipProgram::compile(plonky2, &device.capabilities().limits).unwrap();
    assert!(program.registers.adders());
    let in_bank = |bank: u8| {
        let constants = program.constants.iter().copied();
        let found =
            constants.filter(move |constant| (constant.sub_engine, constant.bank) == (0, bank));
        found.collect::<Vec<ChipConstant>>()
    };
    let (rows, table) = (in_bank(ADDER_BANK), in_bank(PASS_BANK));
    let last_visit = (table.iter())
        .position(|constant| {
            let begin = PassEntry::read(&constant.word).unwrap().begin;
            begin.is_some_and(|begin| begin.visit == 1)
        })
        .unwrap();
    let number = random.below(12) as usize;
    let with_row = |change: &dyn Fn(&mut Word)| {
        let mut row = rows[number];
        change(&mut row.word);
        vec![row]
    };
    let with_table = |entry: usize, change: &dyn Fn(&mut PassEntry)| {
        let mut changed = table.clone();
        change_entry(&mut changed[entry], change);
        changed
    };
    let cases = [
        // A digit that is x and 2x, and a bit behind the last one.
        (with_row(&|word| word[0] |= 0b11), ProgramFault::Matrix),
        (with_row(&|word| word[18] |= 1), ProgramFault::Matrix),
        // A last visit that begins with S-boxes, and with a loop.
        (
            with_table(last_visit, &|pass| pass.power = Power::Seventh),
            ProgramFault::Unit,
        ),
        (
            with_table(last_visit, &|pass| pass.power = Power::Third),
            ProgramFault::Unit,
        ),
        (
            with_table(last_visit, &|pass| {
                pass.loop_begins = true;
                pass.times = 2;
                pass.next = last_visit as u8;
            }),
            ProgramFault::Unit,
        ),
    ];
    for (number, (constants, fault)) in cases.iter().enumerate() {
        check_program_refused(&mut device, number, constants, *fault);
        let mut host = Host::of(&mut device);
        host.load_constants(&rows);
        host.load_constants(&table);
        let inputs = random_inputs(&mut random, plonky2, 3);
        check_hashes(&mut device, plonky2, &inputs);
    }
}

/// Loads constants with which the program cannot run: the run is refused, the chip idle.
fn check_program_refused(
    device: &mut ChipDevice<RtlChip>,
    number: usize,
    constants: &[ChipConstant],
    fault: ProgramFault,
) {
    let mut host = Host::of(device);
    host.load_raw(constants);
    host.set_up(DIGESTS, 4);
    host.write(registers::CONTROL.address, START);
    assert_eq!(host.feed(&[], 60), 0, "case {number}");
    let code = registers::ERROR_ILLEGAL_PROGRAM.code;
    assert_eq!(host.error(), (code, fault as u32), "case {number}");
    assert_eq!(host.status(), ERROR | REFUSED, "case {number}");
    host.clear();
}

/// The words of the adders for a second beat have no digits where that has no element.
#[test]
fn second_words_of_adders_are_checked() {
    let mut random = Random::new(seed(59));
    let preset = presets::by_name("plonky3-poseidon2-goldilocks-16").unwrap();
    let mut device = programmed_for(preset, 21);
    let program = ChipProgram::compile(preset, &device.capabilities().limits).unwrap();
    assert!(program.registers.adders());
    let constants = program.constants.iter().copied();
    let words: Vec<ChipConstant> = constants
        .filter(|constant| (constant.sub_engine, constant.bank) == (0, ADDER_BANK))
        .collect();
    // Cells 4 and 5 of every unit, and the last two of every third one; a digit that is x and 2x.
    for (number, (unit, byte, bits)) in [
        (12, 6, 1),
        (23, 8, 0x80),
        (14, 15, 1),
        (20, 17, 0x80),
        (17, 0, 3),
    ]
    .into_iter()
    .enumerate()
    {
        let mut word = words[unit];
        assert_eq!(usize::from(word.index), unit);
        word.word[byte] |= bits;
        check_program_refused(&mut device, number, &[word], ProgramFault::Matrix);
        let mut host = Host::of(&mut device);
        host.load_constants(&words);
        let inputs = random_inputs(&mut random, preset, 3);
        check_hashes(&mut device, preset, &inputs);
    }
}

#[test]
#[ignore = "long: 500 random parameter sets"]
fn many_random_parameter_sets() {
    let ranges = Ranges {
        partial_rounds: 0..=70,
        ..Ranges::default()
    };
    check_random_sets(seed(10_000), rounds(150), &ranges);
    let ranges = Ranges {
        singular_minor: true,
        partial_rounds: 1..=20,
        ..Ranges::default()
    };
    check_random_sets(seed(20_000), rounds(50), &ranges);
    let ranges = Ranges {
        poseidon2: true,
        partial_rounds: 0..=70,
        ..Ranges::default()
    };
    check_random_sets(seed(30_000), rounds(50), &ranges);
}

/// Inputs whose elements are 0, 1 or the largest.
fn corner_inputs(random: &mut Random, parameters: &AnyParameters) -> Vec<Vec<Word>> {
    let largest = common::word(&(prime(parameters.field()) - 1_u32));
    let corners = [Word::default(), word::from_u64(1), largest];
    let mut inputs: Vec<Vec<Word>> = corners
        .iter()
        .map(|corner| vec![*corner; parameters.inputs()])
        .collect();
    for _ in 0..3 {
        inputs.push(
            (0..parameters.inputs())
                .map(|_| *random.choose(&corners))
                .collect(),
        );
    }
    inputs
}

#[test]
fn every_width_and_exponent_at_its_corners() {
    let seed = seed(33);
    let mut random = Random::new(seed);
    let mut device = rtl_device(3).unwrap();
    for field in chip_fields() {
        for width in 2..=12 {
            for alpha in [3, 5, 7] {
                let ranges = Ranges {
                    widths: width..=width,
                    exponents: vec![alpha],
                    full_rounds: 1..=3,
                    partial_rounds: 0..=4,
                    ..Ranges::default()
                };
                let parameters = random::any_parameters(field, seed + alpha, &ranges);
                let is_possible = with_field!(field, F => is_permutation::<F>(alpha));
                assert_eq!(parameters.is_some(), is_possible, "{field} {width} {alpha}");
                if let Some(parameters) = parameters {
                    let inputs = corner_inputs(&mut random, &parameters);
                    check_hashes(&mut device, &parameters, &inputs);
                }
            }
        }
    }
}

/// Bank of lane 0 of the constant vectors of a full-round sub-engine.
const VECTOR_BANK: u8 = 18;

/// Another entry of a table of passes.
fn change_entry(constant: &mut ChipConstant, change: impl FnOnce(&mut PassEntry)) {
    let mut entry = PassEntry::read(&constant.word).unwrap();
    change(&mut entry);
    constant.word = entry.word();
}

/// The program with another exponent, which need not be a permutation of its field.
fn with_exponent(program: &ChipProgram, alpha: u32) -> (ChipRegisters, Vec<program::ChipConstant>) {
    let mut registers = program.registers;
    let mut constants = program.constants.clone();
    // Without x^7 a last round may make the beat of the digest alone, with the vector behind its own. What is
    // in it does not matter.
    if registers.alpha == 7 && alpha != 7 {
        let vectors = constants.iter().filter(|constant| {
            constant.sub_engine == 0 && (VECTOR_BANK..VECTOR_BANK + 3).contains(&constant.bank)
        });
        let beats = program.shape().beats() as u8;
        let last = vectors.clone().map(|constant| constant.index / beats).max();
        let further: Vec<_> = vectors
            .filter(|constant| Some(constant.index / beats) == last)
            .map(|constant| program::ChipConstant {
                index: constant.index + beats,
                ..*constant
            })
            .collect();
        constants.extend(further);
    }
    registers.alpha = alpha;
    let passes = constants
        .iter_mut()
        .filter(|constant| constant.sub_engine == 0 && constant.bank == PASS_BANK);
    for constant in passes {
        change_entry(constant, |entry| {
            if entry.power != Power::None {
                entry.power = Power::of_exponent(alpha.into()).unwrap();
            }
        });
    }
    (registers, constants)
}

#[test]
fn every_exponent_in_every_field() {
    let seed = seed(34);
    let mut random = Random::new(seed);
    let mut device = rtl_device(4).unwrap();
    let limits = device.capabilities().limits;
    let mut host = Host::of(&mut device);
    for field in [large_field(), FieldId::Goldilocks] {
        for width in 2..=12 {
            let ranges = Ranges {
                widths: width..=width,
                full_rounds: 1..=2,
                partial_rounds: 0..=4,
                ..Ranges::default()
            };
            let parameters = random::any_parameters(field, seed, &ranges).unwrap();
            let program = ChipProgram::compile(&parameters, &limits).unwrap();
            let inputs = random_inputs(&mut random, &parameters, 4).concat();
            let inputs = program.pack_inputs(&inputs);
            for alpha in [3, 5, 7] {
                let (registers, constants) = with_exponent(&program, alpha);
                let expected =
                    program::evaluate(field, &registers, &constants, 0, &limits, &inputs).unwrap();
                host.clear();
                host.load_registers(&registers);
                host.load_modulus(&program);
                host.load_constants(&constants);
                host.start(DIGESTS, 4);
                let found: Vec<Word> = host.finish(&inputs).iter().map(|word| word.data).collect();
                assert_eq!(found, expected, "{field}, width {width}, x^{alpha}");
            }
        }
    }
}

#[test]
fn unusual_numbers_of_rounds() {
    let seed = seed(35);
    let mut random = Random::new(seed);
    let mut device = rtl_device(5).unwrap();
    let limits = device.capabilities().limits;
    let (first, last) = (RoundOrder::ConstantsFirst, RoundOrder::SboxFirst);
    for field in [large_field(), FieldId::Goldilocks] {
        for (width, order, full, partial) in [
            // Mina's, dusk's and other old ones, all rounds full.
            (3, last, (28, 27), 0),
            // A loop of more than 64 passes.
            (3, first, (66, 31), 0),
            (3, last, (1, 1), 0),
            (4, first, (34, 20), 0),
            (5, first, (32, 31), 0),
            (12, first, (20, 34), 0),
            (3, first, (1, 1), 1),
            (2, first, (4, 4), 120),
            (3, first, (4, 4), 120),
            (9, last, (2, 7), 30),
            (12, first, (7, 1), 57),
        ] {
            let parameters = set_with_rounds(field, seed, width, order, full, partial);
            // Every round of a chain has constants in the full-round sub-engine, which has no room for many wide ones.
            let vectors = (full.0 + partial + full.1) * width.div_ceil(LANES);
            if has_chains(&parameters) && vectors > limits.constant_depth {
                let error = ChipProgram::compile(&parameters, &limits).unwrap_err();
                assert!(error.to_string().contains("constant"), "{error}");
                continue;
            }
            let inputs = random_inputs(&mut random, &parameters, 3);
            check_hashes(&mut device, &parameters, &inputs);
        }
    }
}

#[test]
#[ignore = "long: as many constants as the memories hold"]
fn full_memories() {
    let seed = seed(36);
    let mut random = Random::new(seed);
    let mut device = rtl_device(6).unwrap();
    for width in 2..=12 {
        for order in [RoundOrder::ConstantsFirst, RoundOrder::SboxFirst] {
            let parameters = set_with_rounds(large_field(), seed, width, order, (4, 4), 120);
            let inputs = random_inputs(&mut random, &parameters, 3);
            check_hashes(&mut device, &parameters, &inputs);
        }
    }
}

// ---- Changes of the parameter set ------------------------------------------------------------------

/// All of them one way and back, from a random one on.
#[test]
fn kinds_of_sets_after_one_another() {
    let seed = seed(37);
    let kinds = kinds(seed);
    let first = seed as usize % kinds.len();
    let way = (first..kinds.len()).chain(0..first);
    let order: Vec<usize> = way.clone().chain(way.rev()).collect();
    check_sets_in_order(seed, &kinds, &order);
}

#[test]
#[ignore = "long: every pair of kinds"]
fn every_kind_of_set_after_every_other() {
    let seed = seed(37);
    let kinds = kinds(seed);
    // Every pair in this order follows one another once.
    let mut order = Vec::new();
    for first in 0..kinds.len() {
        order.push(first);
        order.extend((first + 1..kinds.len()).flat_map(|second| [first, second]));
    }
    order.push(0);
    let pairs: BTreeSet<_> = order.windows(2).collect();
    assert_eq!(pairs.len(), kinds.len() * kinds.len());
    check_sets_in_order(seed, &kinds, &order);
}

fn check_sets_in_order(seed: u64, kinds: &[AnyParameters], order: &[usize]) {
    let mut random = Random::new(seed);
    let mut device = rtl_device(seed as u32).unwrap();
    for &number in order {
        let parameters = &kinds[number];
        let count = 1 + random.below(4) as usize;
        let inputs = random_inputs(&mut random, parameters, count);
        check_hashes(&mut device, parameters, &inputs);
    }
}

#[test]
fn a_set_after_an_aborted_run_of_another() {
    let seed = seed(38);
    let mut random = Random::new(seed);
    let mut device = rtl_device(seed as u32).unwrap();
    let kinds = kinds(seed);
    for round in 0..kinds.len() {
        let aborted = random.choose(&kinds);
        let limits = device.capabilities().limits;
        let program = ChipProgram::compile(aborted, &limits).unwrap();
        let inputs = program.pack_inputs(&random_inputs(&mut random, aborted, 100).concat());
        // The driver sets the chip up, a run by hand is cleared in the middle.
        let one = random_inputs(&mut random, aborted, 1);
        check_hashes(&mut device, aborted, &one);
        let mut host = Host::of(&mut device);
        host.start(DIGESTS, 100);
        let cycles = random.below([60, 600, 3000][round % 3]);
        host.chip
            .transfer(&inputs, &mut Vec::new(), cycles)
            .unwrap();
        host.clear();
        let parameters = &kinds[round % kinds.len()];
        let inputs = random_inputs(&mut random, parameters, 3);
        check_hashes(&mut device, parameters, &inputs);
    }
}

/// What is anywhere in the engines when a run is cleared is not in the next one, which begins at once.
#[test]
fn runs_right_behind_aborted_ones() {
    const COUNT: usize = 24;
    let seed = seed(42);
    let mut random = Random::new(seed);
    let mut device = rtl_device(seed as u32).unwrap();
    let limits = device.capabilities().limits;
    let mut with_adders = 0;
    for parameters in kinds(seed) {
        let program = ChipProgram::compile(&parameters, &limits).unwrap();
        with_adders += u32::from(program.shape().adders);
        let aborted = random_inputs(&mut random, &parameters, COUNT);
        let aborted = program.pack_inputs(&aborted.concat());
        let inputs = random_inputs(&mut random, &parameters, COUNT);
        let words = program.pack_inputs(&inputs.concat());
        // The driver sets the chip up; the runs go by hand.
        check_hashes(&mut device, &parameters, &inputs[..1]);
        let expected = SoftwareDevice::new()
            .hash(&parameters, &inputs, &mut NoProgress)
            .unwrap();
        let mut host = Host::of(&mut device);
        host.set_up(DIGESTS, COUNT as u32);
        for most in (0..rounds(2)).flat_map(|_| [60, 200, 400, 800]) {
            let cycles = random.below(most);
            host.write(registers::CONTROL.address, START);
            host.chip
                .transfer(&aborted, &mut Vec::new(), cycles)
                .unwrap();
            host.write(registers::CONTROL.address, CLEAR);
            host.write(registers::CONTROL.address, START);
            let output: Vec<_> = host.finish(&words).iter().map(|word| word.data).collect();
            let found = program.unpack_outputs(&output);
            let wrong = (found.iter().zip(&expected.digests)).position(|(a, b)| a != b);
            let name = parameters.name();
            assert_eq!(wrong, None, "{name}: a hash behind {cycles} cycles");
            host.clear();
        }
    }
    assert!(with_adders > 0);
}

// ---- Segments --------------------------------------------------------------------------------------

#[test]
fn segments_of_every_size() {
    let seed = seed(39);
    let mut random = Random::new(seed);
    let mut device = rtl_device(seed as u32).unwrap();
    let limits: EngineLimits = device.capabilities().limits;
    let port = device.port();
    // Full rounds first, partial rounds on each sub-engine, full rounds last.
    for (case, (full_first, split, full_last)) in [
        (1, [0, 0, 0, 0, 0], 1),
        (4, [0, 0, 0, 0, 0], 4),
        (1, [3, 0, 0, 0, 0], 2),
        (2, [0, 1, 0, 0, 0], 1),
        (3, [0, 1, 0, 2, 0], 1),
        (1, [1, 1, 1, 1, 1], 3),
        (4, [2, 3, 0, 7, 0], 4),
        (2, [5, 11, 0, 3, 1], 6),
        (4, [7, 12, 12, 12, 12], 4),
    ]
    .into_iter()
    .enumerate()
    {
        // Partial rounds on sub-engines of their own need a recurrence.
        let large = if has_chains(pairs()) {
            FieldId::Goldilocks
        } else {
            large_field()
        };
        let field = [large, large, FieldId::Goldilocks][case % 3];
        let width = [3, 2, 5, 8, 12][case % 5];
        let order = [RoundOrder::ConstantsFirst, RoundOrder::SboxFirst][case % 2];
        let mut partial = [0; program::SUB_ENGINES];
        partial[..5].copy_from_slice(&split);
        let rounds = split.iter().sum();
        let parameters =
            set_with_rounds(field, seed, width, order, (full_first, full_last), rounds);
        let segments = Segments {
            full_first,
            partial,
            full_last,
        };
        let program = ChipProgram::compile_segments(&parameters, &limits, &segments).unwrap();
        let inputs = random_inputs(&mut random, &parameters, 40);
        let words = program.pack_inputs(&inputs.concat());
        // Some stalls, so that hashes meet in every order.
        let (stall_input, stall_output) = [(0.0, 0.0), (0.4, 0.4), (0.0, 0.9)][case % 3];
        port.set_stalls(random.next(), stall_input, stall_output)
            .unwrap();
        let mut host = Host { chip: port };
        host.load(&program);
        host.start(DIGESTS, 40);
        let output = host.finish(&words);
        assert!(output.iter().all(|word| !word.error));
        let output: Vec<Word> = output.iter().map(|word| word.data).collect();
        let expected = SoftwareDevice::new()
            .hash(&parameters, &inputs, &mut NoProgress)
            .unwrap();
        assert_eq!(
            program.unpack_outputs(&output),
            expected.digests,
            "{} as {split:?}",
            parameters.name()
        );
        host.clear();
    }
}

// ---- Trees -----------------------------------------------------------------------------------------

#[test]
fn trees_back_to_back() {
    let mut random = Random::new(seed(41));
    let mut device = rtl_device(7).unwrap();
    let limits = device.capabilities().limits;
    let programs = [short_pairs(), goldilocks_pairs()]
        .map(|set| (set, ChipProgram::compile(set, &limits).unwrap()));
    for height in [1, 3, 5] {
        for leaf in [LeafKind::Hash, LeafKind::Element] {
            for (parameters, program) in &programs {
                let leaves = 1_u64 << height;
                let (length, words, leaf_hashes) = match leaf {
                    LeafKind::Hash => (parameters.inputs(), 2 * leaves, leaves),
                    LeafKind::Element => (parameters.digest_length(), leaves, 0),
                };
                let input = elements(&mut random, parameters.field(), length * leaves as usize);
                let (root, counters) = commit(&mut device, parameters, leaf, &input);
                assert_eq!(
                    root,
                    reference_root(parameters, leaf, &input),
                    "{leaves} leaves, {leaf:?}, {}",
                    parameters.name()
                );
                let counters = counters.unwrap();
                check_counters(&counters, program, words, leaf_hashes, leaves - 1);
            }
        }
    }
}

/// One preset of every field, arity and length of digests.
#[test]
fn trees_of_other_arities() {
    let mut seen = BTreeSet::new();
    check_arities(&[2], |preset, arity| {
        let length = preset.parameters().digest_length();
        seen.insert((preset.field().name(), arity, length))
    });
    assert!(!seen.is_empty());
}

#[test]
#[ignore = "long: trees of every preset"]
fn trees_of_other_arities_of_every_preset() {
    check_arities(&[1, 2], |_, _| true);
}

/// Trees of such heights with the presets of arities above two that `chosen` takes.
fn check_arities(heights: &[u32], mut chosen: impl FnMut(&Preset, usize) -> bool) {
    let mut random = Random::new(seed(42));
    let mut device = rtl_device(8).unwrap();
    let limits = device.capabilities().limits;
    let ours = (presets::all().iter()).filter(|preset| chip_fields().contains(&preset.field()));
    for preset in ours {
        let parameters = preset.parameters();
        let program = ChipProgram::compile(parameters, &limits).unwrap();
        let Some(arity) = program.tree_arity().filter(|&arity| arity > 2) else {
            continue;
        };
        if !chosen(preset, arity) {
            continue;
        }
        for leaves in heights.iter().map(|&height| arity.pow(height)) {
            let input = leaves * parameters.digest_length();
            let input = elements(&mut random, preset.field(), input);
            let leaf = LeafKind::Element;
            let (root, counters) = commit(&mut device, parameters, leaf, &input);
            assert_eq!(
                root,
                reference_root(parameters, leaf, &input),
                "{}",
                preset.name()
            );
            let hashes = (leaves as u64 - 1) / (arity as u64 - 1);
            check_counters(&counters.unwrap(), &program, leaves as u64, 0, hashes);
        }
    }
}

/// Missing siblings have the value of an empty sub-tree of their level.
#[test]
fn trees_that_lack_leaves() {
    let mut random = Random::new(seed(66));
    let mut device = programmed(27);
    let radix_bits = device.capabilities().limits.montgomery_bits;
    let mut host = Host::of(&mut device);
    let empty = elements(&mut random, large_field(), 4);
    for (level, value) in (0..).zip(&empty) {
        let residue = (BigUint::from_bytes_le(value) << radix_bits) % prime(large_field());
        host.write_word(&registers::CONSTANT_DATA, &common::word(&residue));
        let address = constant_address(14, 0, level);
        host.write(registers::CONSTANT_ADDRESS.address, address);
    }
    for leaves in [1_u32, 3, 8, 13, 16] {
        let input = elements(&mut random, large_field(), leaves as usize);
        let mut level = input.clone();
        for empty in &empty {
            if level.len() % 2 == 1 {
                level.push(*empty);
            }
            level = (level.chunks(2))
                .flat_map(|pair| reference_root(short_pairs(), LeafKind::Element, pair))
                .collect();
        }
        host.set_up(ELEMENTS, 16);
        host.write(registers::LEAVES.address, leaves);
        for pad in [true, false] {
            host.write(
                registers::MODE.address,
                registers::MODE_PAD.with(pad.into()),
            );
            host.write(registers::CONTROL.address, START);
            let output = host.finish(&input);
            if pad || leaves == 16 {
                assert_eq!([output[0].data], *level, "{leaves} leaves");
                assert_eq!(host.error(), (0, 0));
            } else {
                assert!(output[0].error);
                assert_eq!(host.error().0, registers::ERROR_INCOMPLETE_TREE.code);
            }
            host.clear();
        }
    }
}

#[test]
fn corner_leaves() {
    let mut random = Random::new(seed(43));
    let mut device = rtl_device(9).unwrap();
    for parameters in [pairs(), goldilocks_pairs()] {
        let input = corner_inputs(&mut random, parameters)[2..].concat();
        for leaf in [LeafKind::Hash, LeafKind::Element] {
            let (root, _) = commit(&mut device, parameters, leaf, &input);
            assert_eq!(root, reference_root(parameters, leaf, &input));
        }
    }
}

#[test]
#[ignore = "long: trees of 4096 and 8192 leaves on the simulated chip"]
fn large_trees_and_the_steady_state_of_the_root_engine() {
    let mut random = Random::new(seed(44));
    let mut device = rtl_device(10).unwrap();
    let parameters = pairs();
    let period = device.engine_plan(parameters).unwrap().unwrap().period;
    for leaf in [LeafKind::Hash, LeafKind::Element] {
        let cycles = [4096_usize, 8192].map(|leaves| {
            let words = if leaf == LeafKind::Hash { 2 } else { 1 } * leaves;
            let input = elements(&mut random, parameters.field(), words);
            let (root, counters) = commit(&mut device, parameters, leaf, &input);
            assert_eq!(
                root,
                reference_root(parameters, leaf, &input),
                "{leaves} leaves, {leaf:?}"
            );
            let counters = counters.unwrap();
            println!("{leaves} leaves, {leaf:?}: {} cycles", counters.cycles);
            counters.cycles
        });
        let is_default = large_field() == FieldId::Bls12_381 && !RUNTIME_MODULUS;
        assert!(leaf == LeafKind::Element || !is_default || cycles[0] <= 150_000);
        // The second standard tree comes on top of the first, with both engines in the steady state;
        // the one level more waits for one hash more.
        let pair = elements(&mut random, parameters.field(), 2);
        let (_, counters) = commit(&mut device, parameters, LeafKind::Element, &pair);
        let level = counters.unwrap().cycles;
        let steady = (cycles[1] - cycles[0] - level) as f64 / 4096.0;
        println!("{leaf:?}: {steady:.2} cycles a leaf in the steady state");
        assert!(steady <= period as f64 * 1.01);
    }
}

/// How long a run takes tells nothing of what is hashed: zeros, the largest elements and any others take the same
/// cycles, and every counter is the same.
#[test]
fn cycles_do_not_depend_on_values() {
    let mut random = Random::new(seed(91));
    let mut device = rtl_device(13).unwrap();
    for parameters in [pairs(), goldilocks_pairs()] {
        let field = parameters.field();
        let count = 16 * parameters.inputs();
        let largest = common::word(&(prime(field) - 1_u32));
        let inputs = [
            vec![Word::default(); count],
            vec![largest; count],
            elements(&mut random, field, count),
        ];
        let [zeros, others @ ..] = inputs.map(|input| {
            let (root, counters) = commit(&mut device, parameters, LeafKind::Hash, &input);
            assert_eq!(root, reference_root(parameters, LeafKind::Hash, &input));
            counters.unwrap()
        });
        for other in others {
            assert_eq!(other, zeros, "{}", parameters.name());
        }
    }
}

/// All hash engines and sub-engines work.
#[test]
fn the_self_test_passes() {
    let mut device = rtl_device(3).unwrap();
    let limits = device.capabilities().limits;
    let test = device.self_test().expect("the chip is sound");
    assert_eq!(test.engines, limits.num_engines);
    let sub_engines = limits.num_full + limits.num_partial;
    assert_eq!(test.sub_engines, limits.num_engines * sub_engines);
    assert!(test.hashes >= 2 * test.engines as u64, "{test:?}");
    // The chip works on behind it, with all of its engines.
    let mut random = Random::new(seed(57));
    let inputs = random_inputs(&mut random, pairs(), 5);
    check_hashes(&mut device, pairs(), &inputs);
}

/// Trees whose sizes are around powers of their arity, and two standard trees: one leaf less, exact, one more.
/// Each also at the greatest height that the level table has.
#[test]
#[ignore = "long: trees of some thousand leaves of every arity"]
fn trees_around_powers_of_the_arity() {
    let seed = seed(73);
    let mut random = Random::new(seed);
    let mut device = rtl_device(seed as u32).unwrap();
    for arity in 2..=11_usize {
        let parameters = short_hash(seed + arity as u64, arity);
        // A tree has fewer than 2^63 leaves, whatever the levels of the chip.
        let levels = max_height(arity, NODE_WORDS) as u32;
        let highest = levels.min(((1_u64 << 63) - 1).ilog(arity as u64));
        let mut sizes = Vec::new();
        let mut power = arity as u64;
        while power <= 4096 {
            sizes.extend([power - 1, power, power + 1]);
            power *= arity as u64;
        }
        let two_standard_trees = 2 * standard_tree(arity);
        sizes.extend(two_standard_trees - 1..=two_standard_trees + 1);
        sizes.sort_unstable();
        sizes.dedup();
        let value = elements(&mut random, large_field(), 1);
        for leaves in sizes {
            for (height, padding) in [
                (None, Padding::Leaf(&value[..])),
                (Some(highest), Padding::SubTree(&value[..])),
            ] {
                let request = CommitRequest {
                    padding,
                    height,
                    ..CommitRequest::new(&parameters, LeafRule::Digest, leaves)
                };
                let words = elements(&mut random, large_field(), leaves as usize);
                let run = |device: &mut dyn Device| {
                    let source = &mut WordSource(&words);
                    let report = device.commit(&request, source, &mut NoNodes, &mut NoProgress);
                    report.unwrap_or_else(|error| panic!("{request:?}: {error}"))
                };
                let expected = run(&mut SoftwareDevice::new());
                let found = run(&mut device);
                assert_eq!(
                    found.cap, expected.cap,
                    "arity {arity}, {leaves} leaves, {padding:?}"
                );
            }
        }
    }
}

/// Filecoin's trees over columns and over a replica, by both hash engines in roles of their own, and by both in both
/// roles.
#[test]
fn precommit_2_has_the_roots_of_neptune() {
    let mut device = rtl_device(34).unwrap();
    let sector = &pc2::SECTORS[0];
    for sharing in [Sharing::Fixed, Sharing::Shared] {
        let measured = pc2::measure_pc2(&mut device, sector, sharing, &mut NoProgress);
        if large_field() != FieldId::Bls12_381 && !RUNTIME_MODULUS {
            let error = measured.unwrap_err().to_string();
            assert!(error.contains("bls12-381"), "{error}");
            return;
        }
        let measured = measured.unwrap();
        let roots = measured.trees.iter().map(|tree| tree.root.as_deref());
        assert!(roots.eq(PC2_2_KIB_ROOTS.map(Some)), "{measured:?}");
        assert!(measured.comm_r.is_some());
    }
}

/// A tree of Winterfell: rows by its sponge, which closes a short block, and nodes by Jive's compression.
#[test]
fn trees_of_jive_over_rows() {
    let mut random = Random::new(seed(72));
    let [node, leaf] = ["winter-rpjive64-256-merge", "winter-rpjive64-256"]
        .map(|name| presets::by_name(name).unwrap());
    let mut device = rtl_device(73).unwrap();
    for columns in [5, 8] {
        let rule = LeafRule::Row {
            parameters: leaf,
            columns,
        };
        let request = CommitRequest::new(node, rule, 4);
        let words = elements(&mut random, leaf.field(), 4 * columns);
        let root = |device: &mut dyn Device| {
            let source = &mut WordSource(&words);
            let report = device.commit(&request, source, &mut NoNodes, &mut NoProgress);
            report.unwrap().root().to_vec()
        };
        let found = root(&mut device);
        assert_eq!(found, root(&mut SoftwareDevice::new()), "{columns} columns");
    }
}

/// Hash engines with both roles give the nodes of the software, whatever the host makes them wait for.
#[test]
fn shared_hash_engines_fold_the_same_trees() {
    let mut random = Random::new(seed(70));
    let mut device = rtl_device(71).unwrap();
    device.set_sharing(Some(Sharing::Shared));
    let plonky2 = presets::by_name("plonky2").unwrap();
    let rows = |columns| LeafRule::Row {
        parameters: plonky2,
        columns,
    };
    let node = short_pairs();
    let mut cases = vec![
        (node, LeafRule::Hash(node), 70),
        (node, LeafRule::Digest, 33),
        // More leaves than the node memory has words.
        (node, LeafRule::Hash(node), 600),
        (plonky2, LeafRule::Hash(plonky2), 40),
        (plonky2, rows(16), 130),
        (plonky2, rows(30), 60),
    ];
    if large_field() == FieldId::Bls12_381 {
        let filecoin = |arity: usize| presets::by_name(&format!("filecoin-arity-{arity}")).unwrap();
        cases.push((filecoin(8), LeafRule::Hash(filecoin(11)), 64));
    }
    for (number, (parameters, leaf, leaves)) in cases.into_iter().enumerate() {
        let value = elements(&mut random, parameters.field(), parameters.digest_length());
        let request = CommitRequest {
            padding: Padding::SubTree(&value),
            cap_height: random.below(2) as u32,
            ..CommitRequest::new(parameters, leaf, leaves)
        };
        let words = request.leaf_length() * leaves as usize;
        let words = elements(&mut random, parameters.field(), words);
        // Nodes that hardly leave fill the queues, so that rows wait for the place of their leaf.
        let stalls = [(0.0, 0.0), (0.5, 0.3), (0.0, 0.97)][number % 3];
        let port = device.port();
        port.set_stalls(number as u64, stalls.0, stalls.1).unwrap();
        check_commit(&mut device, &request, &words);
    }
}

/// Hashes without a tree by both hash engines, whose digests come out in the order of their inputs.
#[test]
fn hashes_of_all_engines_come_in_order() {
    let mut random = Random::new(seed(82));
    let mut device = rtl_device(77).unwrap();
    device.set_sharing(Some(Sharing::Shared));
    for parameters in [short_pairs(), goldilocks_pairs()] {
        for (number, output) in [0.0, 0.5, 0.95].into_iter().enumerate() {
            device
                .port()
                .set_stalls(number as u64 + 1, 0.0, output)
                .unwrap();
            let inputs = random_inputs(&mut random, parameters, 40);
            let counters = check_hashes(&mut device, parameters, &inputs);
            assert_eq!((counters.leaf.hashes, counters.root.hashes), (20, 20));
        }
    }
}

/// Few leaves under all levels that the chip has: nodes of every level, with their label, and each level as the top.
#[test]
fn trees_of_the_greatest_height() {
    let seed = seed(75);
    let mut random = Random::new(seed);
    let mut device = rtl_device(72).unwrap();
    let parameters = short_hash(seed, 2);
    let height = max_height(parameters.arity(), NODE_WORDS) as u32;
    for height in (1..=height).rev() {
        let value = elements(&mut random, parameters.field(), 1);
        let leaves = (1 + u64::from(height) % 5).min(1 << height.min(3));
        let request = CommitRequest {
            padding: Padding::SubTree(&value),
            height: Some(height),
            cap_height: (height % 3).min(height - 1),
            sharing: Some(*random.choose(&[Sharing::Fixed, Sharing::Shared])),
            ..CommitRequest::new(&parameters, LeafRule::Digest, leaves)
        };
        let words = elements(&mut random, parameters.field(), leaves as usize);
        check_commit(&mut device, &request, &words);
    }
}

/// The queues of all levels at the beginning of the node memory, at its end, and around its middle.
#[test]
fn queues_anywhere_in_the_node_memory() {
    let seed = seed(81);
    let mut random = Random::new(seed);
    let mut device = rtl_device(76).unwrap();
    let parameters = short_hash(seed, 2);
    let height = max_height(parameters.arity(), NODE_WORDS) as u32;
    let value = elements(&mut random, parameters.field(), 1);
    let request = CommitRequest {
        padding: Padding::SubTree(&value),
        height: Some(height),
        ..CommitRequest::new(&parameters, LeafRule::Digest, 3)
    };
    let words = elements(&mut random, parameters.field(), 3);
    // The registers and constants stay as they are.
    let report = device
        .commit(
            &request,
            &mut WordSource(&words),
            &mut NoNodes,
            &mut NoProgress,
        )
        .unwrap();
    let mut host = Host::of(&mut device);
    let others = NODE_WORDS / 2 - height;
    for large in [height, 0, 8, 16, 24] {
        host.clear();
        for level in 0..=height {
            let groups = if level == large { others } else { 1 };
            host.write_queue(level, groups);
        }
        host.write(registers::CONTROL.address, START);
        let output = host.finish(&words);
        let root: Vec<_> = output.iter().map(|word| word.data).collect();
        assert_eq!(root, report.root(), "a large queue of level {large}");
        assert_eq!((output[0].level, output[0].index), (height, 0));
    }
}

/// The hash of nodes that takes all elements of a Goldilocks state, and gives some, in another order.
fn in_any_order(random: &mut Random, set: &AnyParameters) -> AnyParameters {
    let mut positions: Vec<usize> = (0..set.width()).collect();
    for last in (1..set.width()).rev() {
        positions.swap(last, random.below(last as u64 + 1) as usize);
    }
    let name = format!("elements of {} in another order", set.name());
    let digest = positions[..4].to_vec();
    with_positions(set, name, positions, digest)
}

/// A tree over hashed leaves whose nodes above level 1 have a set of their own, all of Goldilocks.
fn check_tree_of_sets(
    device: &mut dyn Device,
    random: &mut Random,
    [leaf, node, upper]: &[AnyParameters; 3],
    leaves: u64,
    sharing: Sharing,
) {
    let value = elements(random, FieldId::Goldilocks, 4);
    let request = CommitRequest {
        upper: vec![UpperLevels {
            from: 1,
            parameters: upper,
        }],
        padding: Padding::SubTree(&value),
        sharing: Some(sharing),
        ..CommitRequest::new(node, LeafRule::Hash(leaf), leaves)
    };
    let words = request.leaf_length() * leaves as usize;
    let words = elements(random, FieldId::Goldilocks, words);
    check_commit(device, &request, &words);
}

/// Leaves, nodes and upper levels of the widest Goldilocks states, which take all of their elements in orders of their own.
#[test]
fn trees_of_the_widest_goldilocks_states() {
    let seed = seed(8300);
    let mut random = Random::new(seed);
    let mut device = rtl_device(74).unwrap();
    let width = program::widest(true);
    let sets = [0, 1, 2].map(|number| {
        let order = RoundOrder::ConstantsFirst;
        set_with_rounds(FieldId::Goldilocks, seed + number, width, order, (1, 1), 1)
    });
    for number in 0..9 {
        let (leaves, sharing) = match number {
            0 => (40, Sharing::Shared),
            1 => (7, Sharing::Shared),
            _ => (6 + number, Sharing::Fixed),
        };
        let sets = sets.each_ref().map(|set| in_any_order(&mut random, set));
        check_tree_of_sets(&mut device, &mut random, &sets, leaves, sharing);
    }
}

/// Leaves, nodes and upper levels of sets with other numbers of rounds, each set with each number once at least.
#[test]
fn trees_of_several_sets_of_any_rounds() {
    let seed = seed(8400);
    let mut random = Random::new(seed);
    let mut device = rtl_device(76).unwrap();
    let sharing = [Sharing::Shared, Sharing::Fixed];
    for number in 0..8_usize {
        let sets = [0, 1, 2].map(|set| {
            let full = (1 + (number + set) % 4, 1 + (number / 2 + 3 * set) % 4);
            let seed = seed + (3 * number + set) as u64;
            let order = RoundOrder::ConstantsFirst;
            let set = set_with_rounds(FieldId::Goldilocks, seed, 8, order, full, 8 + set);
            in_any_order(&mut random, &set)
        });
        let leaves = 5 + number as u64;
        check_tree_of_sets(&mut device, &mut random, &sets, leaves, sharing[number % 2]);
    }
}

/// Leaves, nodes and upper levels of sets of other kinds, all rounds of which are on the full-round sub-engines: each kind in
/// each of the three places.
#[test]
fn trees_of_several_kinds_of_sets() {
    let seed = seed(8800);
    let mut random = Random::new(seed);
    let mut device = rtl_device(79).unwrap();
    let limits = device.capabilities().limits;
    let usual = Ranges {
        widths: 8..=8,
        full_rounds: 1..=1,
        partial_rounds: 0..=0,
        ..Ranges::default()
    };
    let inverse = [
        InverseRounds::None,
        InverseRounds::EverySecond,
        InverseRounds::EverySecondWithoutLastMatrix,
    ]
    .map(|inverse_rounds| Ranges {
        inverse_rounds,
        ..usual.clone()
    });
    // S-boxes of several passes, some of which begin with a loop of them.
    let passes = [11, 13, 67].map(|exponent| Ranges {
        exponents: vec![exponent],
        partial_rounds: 1..=1,
        ..usual.clone()
    });
    for (family, leaves) in [(inverse, 6), (passes, 9)] {
        let mut sets = family
            .map(|ranges| random::any_parameters(FieldId::Goldilocks, seed, &ranges).unwrap())
            .map(|set| in_any_order(&mut random, &set));
        for sharing in [Sharing::Shared, Sharing::Fixed, Sharing::Shared] {
            // They are all on the chip at once.
            let compile = |set| ChipProgram::compile(set, &limits).unwrap();
            program::mixed_bases(&sets.each_ref().map(compile).each_ref()).unwrap();
            check_tree_of_sets(&mut device, &mut random, &sets, leaves, sharing);
            sets.rotate_left(1);
        }
    }
}

/// What the registers of upper levels hold changes nothing where there are none: permutations whose digest is the whole
/// state, beside sets of many rounds.
#[test]
fn a_set_that_is_not_used_changes_nothing() {
    let seed = seed(8600);
    let mut random = Random::new(seed);
    let mut device = rtl_device(78).unwrap();
    let limits = device.capabilities().limits;
    let order = RoundOrder::ConstantsFirst;
    let mut host = Host::of(&mut device);
    for (field, width) in [
        (large_field(), 12),
        (FieldId::Goldilocks, 12),
        (FieldId::Goldilocks, 24),
    ] {
        let set = set_with_rounds(field, seed, width, order, (2, 2), 4);
        let program = ChipProgram::compile_permutation(&set, &limits).unwrap();
        let states = elements(&mut random, field, 3 * width);
        let input = program.pack_inputs(&states);
        let expected = program.evaluate(&input).unwrap();
        for (width, full, partial) in [(2, (1, 30), 0), (3, (30, 1), 4), (12, (15, 17), 90)] {
            let of_rounds = |partial| set_with_rounds(field, seed, width, order, full, partial);
            let mut other = of_rounds(partial);
            if has_chains(&other) {
                // Its partial rounds are on the full-round sub-engines, too, whose tables hold fewer.
                other = of_rounds(partial / 4);
            }
            let other = ChipProgram::compile(&other, &limits).unwrap();
            host.clear();
            host.load(&program);
            host.load_set(&registers::TOP, &other.registers);
            host.start(DIGESTS, 3);
            let found: Vec<Word> = host.finish(&input).iter().map(|word| word.data).collect();
            assert_eq!(found, expected, "{field}, width {width}, {full:?} rounds");
        }
    }
}

/// The program of each of three sets is looked at, and the set is told whose program cannot run.
#[test]
fn programs_of_every_set_are_checked() {
    let seed = seed(8500);
    let mut random = Random::new(seed);
    let mut device = rtl_device(77).unwrap();
    let limits = device.capabilities().limits;
    let order = RoundOrder::ConstantsFirst;
    let set = set_with_rounds(FieldId::Goldilocks, seed, 8, order, (3, 6), 8);
    let sets = [(); 3].map(|()| in_any_order(&mut random, &set));
    check_tree_of_sets(&mut device, &mut random, &sets, 9, Sharing::Shared);
    let programs = sets.map(|set| ChipProgram::compile(&set, &limits).unwrap());
    let bases = program::mixed_bases(&programs.each_ref()).unwrap();
    let tables: Vec<Vec<ChipConstant>> = (0..3)
        .map(|set| {
            let constants = programs[set].constants.iter();
            let table =
                constants.filter(|constant| (constant.sub_engine, constant.bank) == (0, PASS_BANK));
            table
                .map(|constant| constant.placed(set, &bases[set]).unwrap())
                .collect()
        })
        .collect();
    let mut host = Host::of(&mut device);
    let mut start = |tables: &[Vec<ChipConstant>]| {
        host.clear();
        host.load_raw(&tables.concat());
        host.write(registers::CONTROL.address, START);
        host.feed(&[], 60);
        host.error()
    };
    let code = registers::ERROR_ILLEGAL_PROGRAM.code;
    for set in 0..3 {
        type OfEntry = fn(&PassEntry) -> bool;
        type Change = fn(&mut PassEntry);
        let cases: [(ProgramFault, OfEntry, Change); 3] = [
            (ProgramFault::Matrix, |_| true, |entry| entry.matrix = 63),
            (
                ProgramFault::Vectors,
                |entry| entry.begin.is_some(),
                |entry| {
                    if let Some(begin) = &mut entry.begin {
                        begin.vector = 255;
                    }
                },
            ),
            (
                ProgramFault::Passes,
                |entry| entry.times != 0,
                |entry| entry.times += 1,
            ),
        ];
        for (fault, of_entry, change) in cases {
            let mut changed = tables.clone();
            let constant = changed[set]
                .iter_mut()
                .find(|constant| of_entry(&PassEntry::read(&constant.word).unwrap()))
                .unwrap_or_else(|| panic!("set {set} has an entry for {fault:?}"));
            change_entry(constant, change);
            let info = (set as u32) << 8 | fault as u32;
            assert_eq!(start(&changed), (code, info), "set {set}: {fault:?}");
        }
    }
    // The programs are alike, and so the last place of their vectors is the same for all of them.
    let begins = |constant: &ChipConstant| PassEntry::read(&constant.word).unwrap().begin;
    let visits = (0..tables[0].len()).filter(|&number| begins(&tables[0][number]).is_some());
    for number in visits {
        let last_places = [0, 1, 2].map(|set| {
            let fits = |&vector: &u8| {
                let mut changed = tables.clone();
                change_entry(&mut changed[set][number], |entry| {
                    entry.begin = entry.begin.map(|begin| Begin { vector, ..begin });
                });
                start(&changed) == (0, 0)
            };
            (0..=255).rev().find(fits)
        });
        println!("entry {number}: vectors fit from {last_places:?} on");
        assert!(last_places[0].is_some_and(|place| place < 255));
        assert_eq!(last_places, [last_places[0]; 3], "entry {number}");
    }
    let missing = 2 << 8 | ProgramFault::Missing as u32;
    assert_eq!(start(&tables[..2]), (code, missing));
    assert_eq!(start(&tables), (0, 0));
}

/// Leaves, nodes and upper levels of different sets, the layers of which are made by the same adders.
#[test]
fn trees_of_several_sets_with_adders() {
    let mut random = Random::new(seed(79));
    let mut device = rtl_device(75).unwrap();
    let limits = device.capabilities().limits;
    // States of one beat and of two.
    for (width, leaves, sharing) in [
        (8, 5, Sharing::Shared),
        (12, 20, Sharing::Fixed),
        (12, 8, Sharing::Shared),
        (16, 15, Sharing::Fixed),
    ] {
        let ranges = Ranges {
            widths: width..=width,
            small_integers: true,
            full_rounds: 2..=2,
            partial_rounds: 2..=2,
            ..Ranges::default()
        };
        let mut sets = (0..20)
            .filter_map(|seed| random::any_parameters(FieldId::Goldilocks, 7900 + seed, &ranges));
        let compile = |set: &AnyParameters| ChipProgram::compile(set, &limits);
        let has_adders = |program: &ChipProgram| program.registers.adders();
        let set = sets
            .find(|set| compile(set).is_ok_and(|program| has_adders(&program)))
            .unwrap();
        let sets = [(); 3].map(|()| in_any_order(&mut random, &set));
        let programs = sets.each_ref().map(|set| compile(set).unwrap());
        assert!(programs.iter().all(has_adders));
        assert!(program::adders_agree(&programs.each_ref()));
        check_tree_of_sets(&mut device, &mut random, &sets, leaves, sharing);
        let words = elements(&mut random, FieldId::Goldilocks, 2000);
        check_aborted_runs(&mut device, &mut random, &words);
    }
}

/// A source that ends early while the run is under way: an error, and the chip is usable.
#[test]
fn a_source_that_ends_early_leaves_the_chip_usable() {
    let mut random = Random::new(seed(74));
    let mut device = rtl_device(33).unwrap();
    let parameters = short_pairs();
    let input = elements(&mut random, large_field(), 64 * 2);
    let request = CommitRequest::new(parameters, LeafRule::Hash(parameters), 64);
    for length in [0, 1, 2, 63, 127] {
        let source = &mut WordSource(&input[..length]);
        let error = device
            .commit(&request, source, &mut NoNodes, &mut NoProgress)
            .unwrap_err()
            .to_string();
        assert!(error.contains("early"), "{error}");
        let (root, _) = commit(&mut device, parameters, LeafKind::Hash, &input);
        assert_eq!(root, reference_root(parameters, LeafKind::Hash, &input));
    }
}

/// Rows of several blocks against the sponge in software: every length around whole blocks, groups that
/// are not full, stalls.
#[test]
fn rows_hash_as_the_sponge_does() {
    let seed = seed(68);
    let mut random = Random::new(seed);
    let mut device = rtl_device(seed as u32).unwrap();
    for field in chip_fields() {
        for number in 0..rounds(5) {
            let seed = seed + number;
            let ranges = common::up_to_widest(
                field,
                Ranges {
                    sponge: true,
                    ..Ranges::default()
                },
            );
            let parameters = random::any_parameters(field, seed, &ranges).unwrap();
            let sponge = parameters.sponge().unwrap();
            let rate = sponge.rate();
            let (input, output) = *random.choose(&[(0.0, 0.0), (0.5, 0.5), (0.9, 0.0), (0.0, 0.9)]);
            device
                .port()
                .set_stalls(random.next(), input, output)
                .unwrap();
            let length = 1 + random.below(4 * rate as u64) as usize;
            let count = 1 + random.below(40) as usize;
            let rows: Vec<_> = (0..count)
                .map(|_| elements(&mut random, field, length))
                .collect();
            let found = device.hash_rows(&parameters, sponge, &rows, &mut NoProgress);
            let report = found.unwrap().unwrap();
            let software = &mut SoftwareDevice::new();
            let expected = hash_messages_with(software, &parameters, sponge, &rows).unwrap();
            let name = parameters.name();
            assert_eq!(report.digests, expected, "{name}, {sponge:?}, {length}");
            let limits = device.capabilities().limits;
            let program = ChipRows::compile(&parameters, sponge, length, &limits).unwrap();
            let program = program.unwrap();
            let permutations = (count * program.blocks()) as u64;
            let busy = program.busy().map(|cycles| (cycles * count) as u64);
            check_work(&report.counters.unwrap().leaf, permutations, busy);
        }
    }
    device.port().set_stalls(0, 0.0, 0.0).unwrap();
}

/// Rows by sponges of the widest states, which add to their whole rate or overwrite it; the last block is short.
#[test]
fn rows_of_the_widest_sponges() {
    let seed = seed(78);
    let mut random = Random::new(seed);
    let mut device = rtl_device(seed as u32).unwrap();
    let order = RoundOrder::ConstantsFirst;
    for field in [large_field(), FieldId::Goldilocks] {
        let width = program::widest(field == FieldId::Goldilocks);
        let set = set_with_rounds(field, seed, width, order, (1, 1), 1);
        for absorption in [Absorption::Add, Absorption::Overwrite] {
            let rate = width - 1;
            let sponge = Sponge {
                rate_positions: (1..width).rev().collect(),
                absorption,
                padding: sponge::Padding::None,
                capacity: Capacity::Zero,
                permute_empty: false,
                short_rows_are_digests: false,
            };
            for length in [2 * rate, 3 * rate - 1] {
                let rows: Vec<_> = (0..5)
                    .map(|_| elements(&mut random, field, length))
                    .collect();
                let found = device.hash_rows(&set, &sponge, &rows, &mut NoProgress);
                let software = &mut SoftwareDevice::new();
                let expected = hash_messages_with(software, &set, &sponge, &rows).unwrap();
                let digests = found.unwrap().unwrap().digests;
                assert_eq!(digests, expected, "{field}, {absorption:?}, {length}");
            }
        }
    }
}

/// Rows of more blocks than a byte counts.
#[test]
fn rows_of_many_blocks() {
    let seed = seed(77);
    let mut random = Random::new(seed);
    let mut device = rtl_device(seed as u32).unwrap();
    let order = RoundOrder::ConstantsFirst;
    for (field, width) in [(large_field(), 3), (FieldId::Goldilocks, 6)] {
        let set = set_with_rounds(field, seed, width, order, (1, 1), 1);
        let rate = width - 1;
        let sponge = Sponge {
            rate_positions: (0..rate).collect(),
            absorption: Absorption::Add,
            padding: sponge::Padding::None,
            capacity: Capacity::Zero,
            permute_empty: false,
            short_rows_are_digests: false,
        };
        let length = 300 * rate - 1;
        let rows: Vec<_> = (0..3)
            .map(|_| elements(&mut random, field, length))
            .collect();
        let found = device.hash_rows(&set, &sponge, &rows, &mut NoProgress);
        let software = &mut SoftwareDevice::new();
        let expected = hash_messages_with(software, &set, &sponge, &rows).unwrap();
        assert_eq!(found.unwrap().unwrap().digests, expected, "{field}");
    }
}

/// Rows keep the engine as busy as hashes do, and groups of the largest size do not block it.
#[test]
fn rows_run_at_full_speed() {
    let mut random = Random::new(seed(69));
    let mut device = rtl_device(29).unwrap();
    let limits = device.capabilities().limits;
    for parameters in [pairs(), goldilocks_pairs()] {
        let width = parameters.width();
        let sponge = Sponge {
            rate_positions: (0..width - 1).collect(),
            absorption: Absorption::Overwrite,
            padding: sponge::Padding::None,
            capacity: Capacity::Zero,
            permute_empty: false,
            short_rows_are_digests: false,
        };
        let length = 3 * (width - 1);
        let rows = ChipRows::compile(parameters, &sponge, length, &limits);
        let rows = rows.unwrap().unwrap();
        let period = rows.program.period();
        let count = 4 * rows.group();
        let messages: Vec<_> = (0..count)
            .map(|_| elements(&mut random, parameters.field(), length))
            .collect();
        let report = device.hash_rows(parameters, &sponge, &messages, &mut NoProgress);
        let counters = report.unwrap().unwrap().counters.unwrap();
        let steady = counters.cycles as f64 / counters.leaf.hashes as f64;
        println!(
            "{}: groups of {} rows, {steady:.2} cycles a permutation, period {period}",
            parameters.name(),
            rows.group()
        );
        // The first permutations fill the engine. Where all rounds are on the full-round sub-engine, it has fewer places
        // than a pass takes cycles.
        let most = if has_chains(parameters) { 1.6 } else { 1.25 };
        assert!(steady < most * period as f64);
        // As many rows as the engine can hold: with chains no more than the driver takes.
        let most = if has_chains(parameters) {
            rows.group()
        } else {
            (limits.num_partial + 2) * (limits.places / rows.program.shape().beats())
        };
        let mut host = Host::of(&mut device);
        let mut rows = rows.clone();
        rows.registers.group = most as u32;
        let messages: Vec<_> = (0..most)
            .map(|_| elements(&mut random, parameters.field(), length))
            .collect();
        host.clear();
        host.load(&rows.program);
        host.set_up(DIGESTS, most as u32);
        for (address, value) in rows.registers.writes() {
            host.write(address, value);
        }
        host.write(
            registers::MODE.address,
            1 | registers::MODE_OVERWRITE.with(1),
        );
        host.write(registers::CONTROL.address, START);
        let output: Vec<Word> = (host.finish(&rows.pack(&messages)).iter())
            .map(|word| word.data)
            .collect();
        let software = &mut SoftwareDevice::new();
        let expected = hash_messages_with(software, parameters, &sponge, &messages).unwrap();
        assert_eq!(rows.program.unpack_outputs(&output), expected);
        device = rtl_device(30).unwrap();
    }
}

/// The largest legal groups of rows on rings of which some sub-engines have no rounds and store nothing:
/// the run ends, with the root of the software. One row more is refused.
#[test]
fn the_largest_groups_of_rows_come_to_their_end() {
    let seed = seed(74);
    let mut random = Random::new(seed);
    let mut device = rtl_device(seed as u32).unwrap();
    let limits = device.capabilities().limits;
    let mut sets: Vec<AnyParameters> = [
        (3, (1, 1), 0),
        (3, (1, 1), 1),
        (6, (1, 2), 2),
        (12, (1, 1), 0),
    ]
    .into_iter()
    .map(|(width, full, partial)| {
        let order = RoundOrder::ConstantsFirst;
        set_with_rounds(large_field(), seed, width, order, full, partial)
    })
    .collect();
    sets.push(set_with_rounds(
        FieldId::Goldilocks,
        seed,
        12,
        RoundOrder::SboxFirst,
        (1, 1),
        0,
    ));
    for parameters in &sets {
        let rate = parameters.width() - 1;
        let sponge = Sponge {
            rate_positions: (0..rate).collect(),
            absorption: Absorption::Overwrite,
            padding: sponge::Padding::None,
            capacity: Capacity::Zero,
            permute_empty: false,
            short_rows_are_digests: false,
        };
        let length = 2 * rate;
        let rows = ChipRows::compile(parameters, &sponge, length, &limits);
        let rows = rows.unwrap().unwrap();
        let registers = &rows.program.registers;
        let most = registers.most_rows(&limits);
        let name = parameters.name();
        println!(
            "{name}: {most} rows, segments {:?}",
            rows.program.segments()
        );
        assert!(rows.clone().with_group(most + 1).is_err(), "{name}");
        let messages: Vec<_> = (0..2 * most + 1)
            .map(|_| elements(&mut random, parameters.field(), length))
            .collect();
        let software = &mut SoftwareDevice::new();
        let expected = hash_messages_with(software, parameters, &sponge, &messages).unwrap();
        // The group that the driver chooses, and the largest one.
        for group in [None, Some(most)] {
            device.set_row_group(group);
            let found = device.hash_rows(parameters, &sponge, &messages, &mut NoProgress);
            assert_eq!(
                found.unwrap().unwrap().digests,
                expected,
                "{name}, {group:?}"
            );
        }
        device.set_row_group(None);
    }
}

/// Cycles of a round of a full-round sub-engine (docs/architecture.md).
fn round_cycles(set: &AnyParameters) -> usize {
    let width = set.width();
    let (goldilocks, seven) = (set.field() == FieldId::Goldilocks, set.alpha() == 7);
    let in_word = if goldilocks { SLICES } else { 1 };
    let beats = width.div_ceil(LANES * in_word);
    let cycles = match (goldilocks, width) {
        (true, ..=6) | (false, ..=3) => 1,
        (true, 7..=12) | (false, 4 | 5) => 2,
        (false, 6) => 3,
        (true, 13..=18) | (false, 7..=9) => 6,
        _ => 8,
    };
    cycles.max(if seven { 2 * beats } else { 1 })
}

/// Digests of two elements in every beat of a state: the last full round makes the first beat only, if both
/// are there, and takes so much less time.
#[test]
fn digests_in_every_beat() {
    let seed = seed(76);
    let mut random = Random::new(seed);
    let mut device = rtl_device(seed as u32).unwrap();
    let limits = device.capabilities().limits;
    let fields = [large_field(), FieldId::Goldilocks];
    let narrow = fields.map(|field| [4, 8, 12].map(|width| (field, width)));
    let wide = [16, 24].map(|width| (FieldId::Goldilocks, width));
    for (field, width) in narrow.concat().into_iter().chain(wide) {
        let order = RoundOrder::SboxFirst;
        // With one full round in the last visit no state comes round before it.
        let full_last = 1 + random.below(3) as usize;
        let set = set_with_rounds(field, seed, width, order, (2, full_last), 3);
        let program = ChipProgram::compile_permutation(&set, &limits).unwrap();
        let code = |element: usize| (((element / LANES) << 2) | (element % LANES)) as u32;
        let in_word = if field == FieldId::Goldilocks {
            SLICES
        } else {
            1
        };
        // In Goldilocks mode the last round makes all beats, wherever the digest is; elsewhere one element of every
        // beat at least.
        let step = if field == FieldId::Goldilocks { 5 } else { 3 };
        for last in (random.below(step as u64) as usize..width).step_by(step) {
            let other = random.below(last as u64 + 1) as usize;
            let mut digest_map = NO_ELEMENTS;
            digest_map[0] &= !0x3ff;
            digest_map[0] |= code(other) << 5 | code(last);
            // In Goldilocks mode the digest is one word.
            let registers = ChipRegisters {
                digest_words: 2_u32.div_ceil(in_word as u32),
                digest_map,
                ..program.registers
            };
            let states: Vec<Vec<Word>> = (0..20)
                .map(|_| elements(&mut random, field, width))
                .collect();
            let words = program.pack_inputs(&states.concat());
            let mut host = Host::of(&mut device);
            host.clear();
            host.load(&program);
            host.load_registers(&registers);
            // The constants of a last round that makes a beat alone are behind the others, and have nothing
            // of the matrix in them.
            let rounds =
                program.shape().recurrent as usize + 2 + full_last + program.segments().partial[0];
            let beats = program.shape().beats();
            let constants: Vec<Word> = dispatch!(&set, set => {
                let order = InternalOrder::swapped(width, set.partial_index());
                let last = set.round_constants().last().unwrap();
                order.apply(last).iter().map(|&element| word::from_field(element)).collect()
            });
            for (lane, constant) in constants.iter().enumerate().take(LANES) {
                let residue =
                    (BigUint::from_bytes_le(constant) << limits.montgomery_bits) % prime(field);
                if field != FieldId::Goldilocks {
                    host.write_word(&registers::CONSTANT_DATA, &common::word(&residue));
                    let bank = u32::from(VECTOR_BANK) + lane as u32;
                    let address = constant_address(0, bank, (rounds * beats) as u32);
                    host.write(registers::CONSTANT_ADDRESS.address, address);
                }
            }
            host.start(DIGESTS, states.len() as u32);
            let output = host.finish(&words);
            let busy = host.read(registers::LEAF_BUSY_FULL.address) as usize;
            let expected: Vec<Vec<Word>> = dispatch!(&set, set => {
                let order = InternalOrder::swapped(width, set.partial_index());
                (states.iter())
                    .map(|state| {
                        let mut state: Vec<_> =
                            state.iter().map(|word| word::to_field(word).unwrap()).collect();
                        permute_dense(set, &mut state);
                        let state = order.apply(&state);
                        [last, other].map(|element| word::from_field(state[element])).to_vec()
                    })
                    .collect()
            });
            let name = format!("{}, elements {last} and {other}", set.name());
            let digests = output.chunks(registers.digest_words as usize).map(|words| {
                if in_word == 1 {
                    return words.iter().map(|word| word.data).collect();
                }
                [0, 1]
                    .map(|slice| {
                        let mut element = Word::default();
                        element[..8].copy_from_slice(&words[0].data[8 * slice..8 * slice + 8]);
                        element
                    })
                    .to_vec()
            });
            assert_eq!(digests.collect::<Vec<Vec<Word>>>(), expected, "{name}");
            let full = round_cycles(&set);
            let is_short = in_word == 1 && beats > 1 && last < LANES && set.alpha() != 7;
            let last_cycles = if is_short { beats } else { full };
            let cycles = (rounds - 1) * full + last_cycles;
            if !has_chains(&set) {
                assert_eq!(busy, states.len() * cycles, "{name}");
            }
        }
    }
}

/// Trees of every kind through the driver: the result and every node as in software.
#[test]
fn every_kind_of_tree() {
    let seed = seed(72);
    let mut random = Random::new(seed);
    let mut device = rtl_device(seed as u32).unwrap();
    for number in 0..rounds(7) {
        let field = *random.choose(&[large_field(), FieldId::Goldilocks]);
        let set = |seed| {
            let ranges = Ranges {
                full_rounds: 1..=3,
                partial_rounds: 0..=6,
                ..Ranges::default()
            };
            random::any_parameters(field, seed, &ranges).unwrap()
        };
        let wide = set(seed + 100 + number);
        let node = if field == FieldId::Goldilocks {
            goldilocks_pairs()
        } else {
            short_pairs()
        };
        // A set for the leaves whose digests are those of the nodes.
        let length = node.digest_length();
        let leaf: AnyParameters = dispatch!(&wide, set => {
            acclmt_poseidon::params::PoseidonParameters::new(PoseidonSpecification {
                digest_positions: (0..length.min(set.width())).collect(),
                sponge: Some(Sponge {
                    rate_positions: (1..set.width()).collect(),
                    absorption: *random.choose(&[Absorption::Add, Absorption::Overwrite]),
                    padding: *random.choose(&[sponge::Padding::None, sponge::Padding::OneZerosOne]),
                    capacity: Capacity::InitialState,
                    permute_empty: false,
                    short_rows_are_digests: random.below(2) == 0,
                }),
                ..set.specification().clone()
            })
            .unwrap()
            .into()
        });
        if leaf.digest_length() != length {
            continue;
        }
        let rule = match random.below(3) {
            0 => LeafRule::Digest,
            1 => LeafRule::Hash(&leaf),
            _ => LeafRule::Row {
                parameters: &leaf,
                columns: 1 + random.below(20) as usize,
            },
        };
        let value = elements(&mut random, field, length);
        let leaves = 1 + random.below(40);
        let height = 6 + random.below(3) as u32;
        let request = CommitRequest {
            padding: *random.choose(&[Padding::Leaf(&value), Padding::SubTree(&value)]),
            height: Some(height),
            cap_height: random.below(u64::from(height)) as u32,
            ..CommitRequest::new(node, rule, leaves)
        };
        let words = elements(&mut random, field, request.leaf_length() * leaves as usize);
        let (input, output) = *random.choose(&[(0.0, 0.0), (0.5, 0.5), (0.0, 0.9)]);
        device
            .port()
            .set_stalls(random.next(), input, output)
            .unwrap();
        check_commit(&mut device, &request, &words);
        let words = elements(&mut random, field, 2000);
        check_aborted_runs(&mut device, &mut random, &words);
    }
}

/// The run that a chip is set up for must have the same output right behind itself, wherever it is aborted, as when nothing was before
/// it.
fn check_aborted_runs(device: &mut ChipDevice<RtlChip>, random: &mut Random, words: &[Word]) {
    let mut host = Host::of(device);
    // What an aborted run leaves must not be what the next one has at the same place.
    let (words, others) = words.split_at(words.len() / 2);
    let mut run = |words: &[Word], cycles: u64| {
        // The run before it is cleared.
        for command in [CLEAR, START] {
            host.write(registers::CONTROL.address, command);
        }
        let mut output = Vec::new();
        let taken = host.chip.transfer(words, &mut output, cycles).unwrap();
        assert!(taken < words.len(), "a run of {taken} words or more");
        output
    };
    const PATIENCE: u64 = 400_000;
    let expected = run(words, PATIENCE);
    assert!(expected.last().is_some_and(|word| word.last));
    for most in [60, 300, 1000, 2000] {
        let cycles = random.below(most);
        run(others, cycles);
        let output = run(words, PATIENCE);
        assert_eq!(output, expected, "aborted after {cycles} cycles");
    }
}

/// The leaves have a parameter set of their own.
#[test]
fn leaves_and_nodes_of_different_sets() {
    let seed = seed(70);
    let mut random = Random::new(seed);
    let mut device = rtl_device(31).unwrap();
    let limits = device.capabilities().limits;
    for number in 0..rounds(4) {
        let ranges = Ranges::default();
        let field = large_field();
        let set = |number| {
            let set = random::any_parameters(field, seed + number, &ranges).unwrap();
            dispatch!(&set, set => {
                acclmt_poseidon::params::PoseidonParameters::new(PoseidonSpecification {
                    digest_positions: vec![1],
                    ..set.specification().clone()
                })
                .unwrap()
                .into()
            })
        };
        let leaf_set: AnyParameters = set(2 * number);
        let node_set = short_pairs();
        let leaf_program = ChipProgram::compile(&leaf_set, &limits).unwrap();
        let node_program = ChipProgram::compile(node_set, &limits).unwrap();
        let inputs = random_inputs(&mut random, &leaf_set, 8);
        let leaves = SoftwareDevice::new()
            .hash(&leaf_set, &inputs, &mut NoProgress)
            .unwrap();
        let root = reference_root(node_set, LeafKind::Element, &leaves.digests.concat());
        let mut host = Host::of(&mut device);
        host.clear();
        host.load(&node_program);
        host.load_set(&registers::LEAF, &leaf_program.registers);
        for (address, value) in RowRegisters::one_block(&leaf_program.registers).writes() {
            host.write(address, value);
        }
        for constant in &leaf_program.constants {
            host.write_word(&registers::CONSTANT_DATA, &constant.word);
            let address = constant_address_of(
                1,
                constant.sub_engine.into(),
                constant.bank.into(),
                constant.index.into(),
            );
            host.write(registers::CONSTANT_ADDRESS.address, address);
        }
        host.start(HASHES, 8);
        let output = host.finish(&leaf_program.pack_inputs(&inputs.concat()));
        assert_eq!([output[0].data], *root, "{}", leaf_set.name());
        host.clear();
    }
}

// ---- Speed -----------------------------------------------------------------------------------------

/// By which share the formula of a parameter set may be missed in the steady state. Where adders make layers it says
/// how long the S-boxes are taken, and some slots stay free because the multipliers are.
fn tolerance(device: &ChipDevice<RtlChip>, parameters: &AnyParameters) -> f64 {
    let program = ChipProgram::compile(parameters, &device.capabilities().limits);
    if program.is_ok_and(|program| program.shape().adders) {
        0.1
    } else {
        0.02
    }
}

/// Cycles that a hash costs in the steady state. Hashes come in bunches, so `count` must be large. The formula may
/// be missed by the share `tolerance` of it.
fn steady_state(
    device: &mut ChipDevice<RtlChip>,
    parameters: &AnyParameters,
    count: usize,
    tolerance: f64,
) -> f64 {
    let measured = measure_engine(device, parameters, count as u64, &mut NoProgress)
        .unwrap_or_else(|error| panic!("{}: {error}", parameters.name()));
    let (steady, period) = (measured.cycles_per_hash, measured.period as f64);
    println!(
        "{}: {steady:.2} cycles a hash, {period} by the formula",
        parameters.name()
    );
    assert!(
        (steady - period).abs() <= tolerance * period,
        "{}: {steady} instead of {period}",
        parameters.name()
    );
    steady
}

/// So many hashes that the bunches in which they leave do not matter: they are some 1,500 cycles long.
fn many_hashes(device: &ChipDevice<RtlChip>, parameters: &AnyParameters) -> usize {
    let plan = device.engine_plan(parameters).unwrap().unwrap();
    80_000 / plan.period as usize
}

/// Most cycles a hash of the default build.
const MOST_CYCLES: [(&str, f64); 7] = [
    ("filecoin-arity-2", 13.3),
    ("plonky2", 8.5),
    ("plonky3-poseidon2-goldilocks-12", 8.7),
    ("filecoin-arity-4", 26.5),
    ("filecoin-arity-8", 51.9),
    ("filecoin-arity-11", 69.0),
    ("horizenlabs-poseidon2-bls12-381-3", 14.3),
];

/// What the chip is built for; `steady_states_take_the_same_cycles` in model.rs comes to the same in fewer cycles.
#[test]
#[ignore = "long: as many hashes as leave no doubt"]
fn steady_state_of_the_presets() {
    let mut device = rtl_device(11).unwrap();
    for (name, most) in MOST_CYCLES {
        let parameters = presets::by_name(name).unwrap();
        if !chip_fields().contains(&parameters.field()) {
            continue;
        }
        // Hashes leave in bunches, and two per cent of as many hashes must be more than a part of one. The
        // longer loops of the run-time modulus hold more, and make longer bunches.
        let plan = device.engine_plan(parameters).unwrap().unwrap();
        let fewest = if RUNTIME_MODULUS { 750 } else { 640 };
        let count = (40_000 / plan.period as usize).max(fewest);
        let tolerance = tolerance(&device, parameters);
        let steady = steady_state(&mut device, parameters, count, tolerance);
        assert!(steady <= most, "{name}");
    }
}

#[test]
#[ignore = "long: the steady state of many shapes"]
fn steady_state_of_every_shape() {
    let seed = seed(47);
    let mut device = rtl_device(13).unwrap();
    let (first, last) = (RoundOrder::ConstantsFirst, RoundOrder::SboxFirst);
    for field in [large_field(), FieldId::Goldilocks] {
        for (width, order, full, partial) in [
            (3, last, (6, 6), 0),
            (3, first, (2, 2), 12),
            (6, first, (2, 2), 12),
            (8, first, (1, 2), 8),
            (12, first, (1, 1), 9),
        ] {
            let parameters = set_with_rounds(field, seed, width, order, full, partial);
            let count = many_hashes(&device, &parameters);
            // Where hashes have so few rounds, a bunch of first visits fills the output buffer of the full-round
            // sub-engine, which then waits, and words come too slowly for such a bunch (docs/architecture.md).
            let tolerance = match (field, width) {
                (FieldId::Goldilocks, 8) => 0.25,
                (FieldId::Goldilocks, 12) => 0.06,
                _ => 0.02,
            };
            steady_state(&mut device, &parameters, count, tolerance);
        }
    }
}

// ---- Stalls ----------------------------------------------------------------------------------------

#[test]
fn stalls_change_no_result() {
    let seed = seed(48);
    let mut random = Random::new(seed);
    for parameters in [pairs(), goldilocks_pairs()] {
        let length = parameters.inputs();
        let input = elements(&mut random, parameters.field(), 16 * length);
        let hashes: Vec<Vec<Word>> = input.chunks(length).map(<[Word]>::to_vec).collect();
        let root = reference_root(parameters, LeafKind::Hash, &input);
        let mut device = rtl_device(seed as u32).unwrap();
        for (stall_input, stall_output) in [
            (0.0, 0.0),
            (0.5, 0.5),
            (0.98, 0.0),
            (0.0, 0.98),
            (0.9, 0.95),
        ] {
            device
                .port()
                .set_stalls(random.next(), stall_input, stall_output)
                .unwrap();
            let (found, _) = commit(&mut device, parameters, LeafKind::Hash, &input);
            assert_eq!(found, root, "stalls {stall_input}, {stall_output}");
            let counters = check_hashes(&mut device, parameters, &hashes);
            assert_eq!(counters.leaf.hashes, hashes.len() as u64);
            assert!(counters.cycle_first_out < counters.cycle_last_out);
            if stall_output > 0.9 {
                assert!(counters.stall_out > 0, "refused output was not counted");
            }
        }
    }
}

#[test]
fn initial_state_changes_nothing() {
    let mut random = Random::new(seed(49));
    for parameters in [pairs(), goldilocks_pairs()] {
        let input = elements(&mut random, parameters.field(), 8 * parameters.inputs());
        let root = reference_root(parameters, LeafKind::Hash, &input);
        let runs = [6, 7].map(|seed| {
            let mut device = rtl_device(seed).unwrap();
            let (found, counters) = commit(&mut device, parameters, LeafKind::Hash, &input);
            assert_eq!(found, root, "{}, initial state {seed}", parameters.name());
            counters.unwrap()
        });
        assert_eq!(runs[0], runs[1]);
    }
}

/// The first hashes after a reset, with every register and memory that has none at random.
#[test]
fn first_hashes_after_a_reset() {
    let seed = seed(50);
    let mut random = Random::new(seed);
    let ranges = Ranges {
        widths: 3..=3,
        full_rounds: 1..=1,
        partial_rounds: 1..=1,
        ..Ranges::default()
    };
    for state in 0..12 {
        let field = [large_field(), FieldId::Goldilocks][state % 2];
        let parameters = random::any_parameters(field, seed, &ranges).unwrap();
        let inputs = random_inputs(&mut random, &parameters, 1);
        check_hashes(
            &mut rtl_device(seed as u32 + state as u32).unwrap(),
            &parameters,
            &inputs,
        );
    }
}

// ---- Elements that are none --------------------------------------------------------------------------

/// Words of which an element is not below the prime.
fn words_of_no_elements(field: FieldId) -> Vec<BigUint> {
    let one = BigUint::from(1_u32);
    let ones: BigUint = (&one << 256) - 1_u32;
    match field {
        FieldId::Goldilocks => {
            let prime = prime(field);
            let mut words = vec![ones];
            for slice in 0..4_u32 {
                words.push(&prime << (64 * slice));
                words.push(((&one << 64) - 1_u32) << (64 * slice));
            }
            words
        }
        _ => vec![prime(field), prime(field) + 1_u32, ones, one << 255],
    }
}

#[test]
fn elements_not_below_the_prime_void_the_output() {
    let mut random = Random::new(seed(56));
    let code = registers::ERROR_ELEMENT_NOT_BELOW_PRIME.code;
    for parameters in [short_pairs(), goldilocks_pairs()] {
        let field = parameters.field();
        let mut device = programmed_for(parameters, 18);
        let limits = device.capabilities().limits;
        let program = ChipProgram::compile(parameters, &limits).unwrap();
        let mut host = Host::of(&mut device);
        for (run, words) in [(HASHES, 4), (ELEMENTS, 2), (DIGESTS, 4)] {
            let slices = if field == FieldId::Goldilocks { 4 } else { 1 };
            // The number of the first element of a word that is none.
            let first_bad = |value: &BigUint| {
                let bits = 256 / slices;
                let slice =
                    |s: usize| (value >> (bits * s)) & ((BigUint::from(1_u32) << bits) - 1_u32);
                (0..slices).find(|&s| slice(s) >= prime(field)).unwrap()
            };
            let pack = |elements: &[Word]| match run {
                ELEMENTS => program.pack_outputs(elements),
                _ => program.pack_inputs(elements),
            };
            for value in words_of_no_elements(field) {
                let index = random.below(words) as usize;
                let mut input = pack(&elements(&mut random, field, words as usize * slices));
                input[index] = common::word(&value);
                host.start(run, 2);
                let output = host.finish(&input);
                assert!(output.last().unwrap().error, "word {index}: {value:x}");
                let element = index * slices + first_bad(&value);
                assert_eq!(host.error(), (code, element as u32));
                assert_eq!(host.status(), DONE | ERROR);
                host.clear();
            }
            // The largest element that is one.
            let mut input = elements(&mut random, field, words as usize * slices);
            input[0] = common::word(&(prime(field) - 1_u32));
            host.start(run, 2);
            assert!(host.finish(&pack(&input)).iter().all(|word| !word.error));
            assert_eq!(host.error(), (0, 0));
            host.clear();
        }
        let inputs = random_inputs(&mut random, parameters, 3);
        check_hashes(&mut device, parameters, &inputs);
    }
}

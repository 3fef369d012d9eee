// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! The whole chip against the reference: vectors of other implementations, every shape of parameter set,
//! trees, stalls, counters, and what a host may do wrong. All of it is about the fields of the build.

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use acclmt_driver::checksum::ConstantChecksum;
use acclmt_driver::chip::{ChipDevice, ChipPort, OutputWord};
use acclmt_driver::device::{
    CommitRequest, Counters, Device, EngineCounters, LeafRule, NoProgress, WordSource,
};
use acclmt_driver::level_table::{LeafQueue, NODE_WORDS, level_table, max_height, standard_tree};
use acclmt_driver::messages::hash_messages_with;
use acclmt_driver::nodes::{AllNodes, NoNodes};
use acclmt_driver::program::{
    self, ADDER_BANK, Bases, Begin, ChipConstant, ChipProgram, ChipRegisters, ChipRows,
    EngineLimits, LANES, LevelEntry, NODE_SET, PASS_BANK, PassEntry, PositionMap, Power,
    ProgramFault, ROW_SET, Roles, RowRegisters, SLICES, SUB_ENGINES, Segments, Store,
};
use acclmt_driver::registers::{self, SETS};
use acclmt_driver::sharing::Sharing;
use acclmt_driver::software::SoftwareDevice;
use acclmt_measure::measurement::measure_engine;
use acclmt_measure::pc2;
use acclmt_measure::published::PC2_2_KIB_ROOTS;
use acclmt_measure::vectors::{Outcome, VectorCase, VectorFile, run_cases};
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
use acclmt_tb::{RtlChip, WaveformWindow, Waves, large_field, rtl_device};
use acclmt_verilated::RUNTIME_MODULUS;
use common::bits::{BUSY, CLEAR, DONE, ERROR, REFUSED, START, ZEROISE};
use common::{Random, elements, has_chains, prime, rounds, seed};
use num_bigint::BigUint;

/// Clock cycles within which every run of these tests ends.
const PATIENCE: u64 = 400_000;

/// Name of the preset of hashes of two elements over the large prime.
fn pair_preset() -> &'static str {
    match large_field() {
        FieldId::Bls12_381 => "filecoin-arity-2",
        FieldId::Bls12_377 => "penumbra-rate-2",
        FieldId::Bn254 => "circom-bn254-arity-2",
        FieldId::Pallas => "neptune-pallas-arity-2",
        FieldId::Vesta => "neptune-vesta-arity-2",
        FieldId::Starknet => "starknet",
        FieldId::Goldilocks => unreachable!("Goldilocks is no large prime"),
    }
}

/// Hashes of two elements over the large prime.
fn pairs() -> &'static AnyParameters {
    presets::by_name(pair_preset()).unwrap()
}

/// Hashes of two digests of four Goldilocks elements.
fn goldilocks_pairs() -> &'static AnyParameters {
    presets::by_name("plonky2").unwrap()
}

/// Fields that the chip of this build computes in.
fn chip_fields() -> Vec<FieldId> {
    FieldId::ALL
        .into_iter()
        .filter(|&field| RUNTIME_MODULUS || field == large_field() || field == FieldId::Goldilocks)
        .collect()
}

/// `count` inputs of hashes.
fn random_inputs(random: &mut Random, parameters: &AnyParameters, count: usize) -> Vec<Vec<Word>> {
    (0..count)
        .map(|_| elements(random, parameters.field(), parameters.inputs()))
        .collect()
}

/// Hashes `inputs` on a device and with the reference; both must agree.
fn check_hashes(
    device: &mut dyn Device,
    parameters: &AnyParameters,
    inputs: &[Vec<Word>],
) -> Counters {
    let name = parameters.name();
    let report = device
        .hash(parameters, inputs, &mut NoProgress)
        .unwrap_or_else(|error| panic!("{name}: {error}"));
    let expected = SoftwareDevice::new()
        .hash(parameters, inputs, &mut NoProgress)
        .unwrap();
    for (index, (found, expected)) in report.digests.iter().zip(&expected.digests).enumerate() {
        assert_eq!(found, expected, "{name}: hash {index}");
    }
    assert_eq!(report.digests.len(), inputs.len(), "{name}");
    report.counters.unwrap()
}

/// What the words of a tree are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LeafKind {
    /// Every leaf is a ready digest.
    Element,
    /// Every leaf is the hash of an input.
    Hash,
}

fn commit(
    device: &mut dyn Device,
    parameters: &AnyParameters,
    leaf: LeafKind,
    words: &[Word],
) -> (Vec<Word>, Option<Counters>) {
    let (rule, length) = match leaf {
        LeafKind::Element => (LeafRule::Digest, parameters.digest_length()),
        LeafKind::Hash => (LeafRule::Hash(parameters), parameters.inputs()),
    };
    let request = CommitRequest::new(parameters, rule, (words.len() / length) as u64);
    let source = &mut WordSource(words);
    let report = device
        .commit(&request, source, &mut NoNodes, &mut NoProgress)
        .unwrap();
    (report.root().to_vec(), report.counters)
}

fn reference_root(parameters: &AnyParameters, leaf: LeafKind, words: &[Word]) -> Vec<Word> {
    commit(&mut SoftwareDevice::new(), parameters, leaf, words).0
}

/// The counters of an engine must tell what it did.
fn check_engine(counters: &EngineCounters, program: &ChipProgram, hashes: u64) {
    let busy = program.busy().map(|cycles| cycles as u64 * hashes);
    check_work(counters, hashes, busy);
}

/// So many permutations, and so many cycles of each sub-engine.
fn check_work(counters: &EngineCounters, hashes: u64, busy: [u64; SUB_ENGINES]) {
    assert_eq!(counters.hashes, hashes);
    assert_eq!(counters.busy_full, busy[0]);
    assert_eq!(counters.busy_full_last, busy[7]);
    assert_eq!(counters.busy_partial, busy[1..=counters.busy_partial.len()]);
}

/// The counters of a run must tell what the run was.
fn check_counters(
    counters: &Counters,
    program: &ChipProgram,
    words: u64,
    leaf_hashes: u64,
    root_hashes: u64,
) {
    check_engine(&counters.leaf, program, leaf_hashes);
    check_engine(&counters.root, program, root_hashes);
    assert!(counters.cycle_first_in <= counters.cycle_last_in);
    assert!(counters.cycle_last_in < counters.cycle_first_out);
    assert!(counters.cycle_first_out <= counters.cycle_last_out);
    assert!(counters.cycle_last_out <= counters.cycles);
    assert!(counters.cycle_last_in + 1 >= counters.cycle_first_in + words);
}

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
    /// A few, from its beginning to its end, whose hashes do not wait for each other.
    Few,
    /// A few of the first half: a file of trees has the larger ones behind that.
    FewSmall,
    /// All.
    All,
}

impl Cases {
    fn of(self, file: &VectorFile) -> Vec<VectorCase> {
        const FEW: usize = 2;
        if self == Self::All {
            return file.cases.clone();
        }
        let cases: Vec<_> = file.cases.iter().filter(|case| !case.is_chain()).collect();
        let choice = match self {
            Self::FewSmall => cases.len().div_ceil(2),
            _ => cases.len(),
        };
        let count = choice.min(FEW);
        (0..count)
            .map(|number| cases[number * (choice - 1) / (count - 1).max(1)].clone())
            .collect()
    }
}

/// Runs cases of all vector files whose names `chosen` takes. Those of the fields of this build must
/// pass, those of other fields must be skipped because the chip does not have the field.
fn run_vectors(cases: Cases, chosen: impl Fn(&str) -> bool) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sim-rs/vectors");
    let mut device = rtl_device(1).unwrap();
    let prefixes: Vec<_> = chip_fields().into_iter().flat_map(vector_files).collect();
    let mut passed = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if !name.ends_with(".json") || !chosen(&name) {
            continue;
        }
        let is_ours = prefixes.iter().any(|prefix| name.starts_with(*prefix));
        let file = VectorFile::load(&path).unwrap();
        let cases = cases.of(&file);
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
    run_vectors(Cases::Few, |name| {
        !is_of_trees(name) && !is_of_goldilocks(name)
    });
}

#[test]
fn vectors_of_hashes_of_goldilocks() {
    run_vectors(Cases::Few, |name| {
        !is_of_trees(name) && is_of_goldilocks(name)
    });
}

#[test]
fn vectors_of_trees() {
    run_vectors(Cases::FewSmall, is_of_trees);
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
    assert!(hashed > 3);
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
    let program = ChipProgram::compile(pairs(), &device.capabilities().limits).unwrap();
    let mut host = Host {
        chip: device.port(),
    };
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
        let mut pass = PassEntry::read(&changed[entry].word).unwrap();
        change(&mut pass);
        changed[entry].word = pass.word();
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
        let mut host = Host {
            chip: device.port(),
        };
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
    let mut host = Host {
        chip: device.port(),
    };
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
        let mut host = Host {
            chip: device.port(),
        };
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
        let mut entry = PassEntry::read(&constant.word).unwrap();
        if entry.power != Power::None {
            entry.power = Power::of_exponent(alpha.into()).unwrap();
        }
        constant.word = entry.word();
    }
    (registers, constants)
}

#[test]
fn every_exponent_in_every_field() {
    let seed = seed(34);
    let mut random = Random::new(seed);
    let mut device = rtl_device(4).unwrap();
    let limits = device.capabilities().limits;
    let mut host = Host {
        chip: device.port(),
    };
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

/// A random parameter set with these numbers of rounds.
fn set_with_rounds(
    field: FieldId,
    seed: u64,
    width: usize,
    order: RoundOrder,
    full: (usize, usize),
    partial: usize,
) -> AnyParameters {
    let ranges = |rounds: usize| Ranges {
        widths: width..=width,
        orders: vec![order],
        full_rounds: rounds..=rounds,
        partial_rounds: partial..=partial,
        ..Ranges::default()
    };
    let set = random::any_parameters(field, seed, &ranges(full.0.max(full.1))).unwrap();
    // Rounds that are too many come off.
    dispatch!(&set, set => {
        let specification = set.specification().clone();
        let mut round_constants = specification.round_constants;
        round_constants.truncate(full.0 + partial + full.1);
        acclmt_poseidon::params::PoseidonParameters::new(PoseidonSpecification {
            name: format!("{field}, t = {width}, {order:?}, {full:?} + {partial} rounds"),
            full_rounds_first: full.0,
            full_rounds_last: full.1,
            round_constants,
            ..specification
        })
        .unwrap()
        .into()
    })
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
            (3, first, (32, 31), 0),
            (3, last, (1, 1), 0),
            (5, first, (32, 31), 0),
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

/// Parameter sets of very different kinds, with few rounds.
fn kinds(seed: u64) -> Vec<AnyParameters> {
    let large = large_field();
    let set = |field, widths: usize, partial: usize, order, singular_minor| {
        let ranges = Ranges {
            widths: widths..=widths,
            orders: vec![order],
            full_rounds: 1..=2,
            partial_rounds: partial..=partial,
            singular_minor,
            ..Ranges::default()
        };
        random::any_parameters(field, seed, &ranges).unwrap()
    };
    let (first, last) = (RoundOrder::ConstantsFirst, RoundOrder::SboxFirst);
    let mut kinds = vec![
        set(large, 3, 5, first, false),
        set(large, 9, 4, last, false),
        set(large, 12, 4, first, false),
        set(large, 3, 0, last, false),
        set(large, 4, 3, first, true),
        set(FieldId::Goldilocks, 12, 5, first, false),
        set(FieldId::Goldilocks, 16, 4, last, false),
        set(FieldId::Goldilocks, 3, 4, last, false),
        set(FieldId::Goldilocks, 8, 3, first, true),
    ];
    // Every exponent that the field has.
    for alpha in [3, 5, 7] {
        let ranges = Ranges {
            widths: 2..=7,
            exponents: vec![alpha],
            full_rounds: 1..=2,
            partial_rounds: 1..=4,
            ..Ranges::default()
        };
        kinds.extend(random::any_parameters(large, seed + alpha, &ranges));
    }
    if RUNTIME_MODULUS {
        kinds.extend(
            chip_fields()
                .into_iter()
                .map(|field| set(field, 3, 3, first, false)),
        );
    }
    kinds
}

#[test]
fn kinds_of_sets_after_one_another() {
    let seed = seed(37);
    let kinds: Vec<_> = kinds(seed).into_iter().step_by(2).collect();
    check_sets_after_one_another(seed, &kinds);
}

#[test]
#[ignore = "long: four times as many pairs of sets"]
fn every_kind_of_set_after_every_other() {
    let seed = seed(37);
    check_sets_after_one_another(seed, &kinds(seed));
}

fn check_sets_after_one_another(seed: u64, kinds: &[AnyParameters]) {
    let mut random = Random::new(seed);
    let mut device = rtl_device(seed as u32).unwrap();
    // Every pair in this order follows one another once.
    let mut order = Vec::new();
    for first in 0..kinds.len() {
        order.push(first);
        order.extend((first + 1..kinds.len()).flat_map(|second| [first, second]));
    }
    order.push(0);
    let pairs: BTreeSet<_> = order.windows(2).collect();
    assert_eq!(pairs.len(), kinds.len() * kinds.len());
    for number in order {
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
        let mut host = Host {
            chip: device.port(),
        };
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
    let programs =
        [pairs(), goldilocks_pairs()].map(|set| (set, ChipProgram::compile(set, &limits).unwrap()));
    for height in [1, 3, 6] {
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
    check_arities(|preset, arity| {
        let length = preset.parameters().digest_length();
        seen.insert((preset.field().name(), arity, length))
    });
    assert!(!seen.is_empty());
}

#[test]
#[ignore = "long: trees of every preset"]
fn trees_of_other_arities_of_every_preset() {
    check_arities(|_, _| true);
}

/// Trees with the presets of arities above two that `chosen` takes.
fn check_arities(mut chosen: impl FnMut(&Preset, usize) -> bool) {
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
        for leaves in [arity, arity * arity] {
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

/// Trees whose level tables have room for a few groups only, so that small trees fill every queue.
#[test]
fn trees_with_short_queues() {
    let mut random = Random::new(seed(64));
    let mut device = programmed(25);
    let mut host = Host {
        chip: device.port(),
    };
    let leaves = 64;
    for _ in 0..2 {
        let input = elements(&mut random, large_field(), leaves);
        host.set_up(ELEMENTS, leaves as u32);
        for level in 0..=6 {
            let groups = 1 + random.below(2) as u32;
            host.write(
                registers::LEVEL_TABLE.at(level),
                LevelEntry::of_nodes(groups).value(),
            );
        }
        host.write(registers::CONTROL.address, START);
        let output = host.finish(&input);
        assert_eq!(
            [output[0].data],
            *reference_root(pairs(), LeafKind::Element, &input)
        );
        assert_eq!((output[0].level, output[0].index), (6, 0));
        host.clear();
    }
}

/// Every node comes out once, with its level and index, and in order; so do the levels of a cap.
#[test]
fn nodes_come_out_in_order() {
    let mut random = Random::new(seed(65));
    let mut device = programmed(26);
    let mut host = Host {
        chip: device.port(),
    };
    let leaves = 32;
    let input = elements(&mut random, large_field(), leaves);
    let mut levels = vec![input.clone()];
    while levels[levels.len() - 1].len() > 1 {
        let level = levels[levels.len() - 1].chunks(2);
        let level = level.flat_map(|pair| reference_root(pairs(), LeafKind::Element, pair));
        levels.push(level.collect());
    }
    for (top, emit) in [
        (5, u32::MAX),
        (5, 0),
        (5, 0b1010),
        (3, 0),
        (3, 0b1),
        (1, u32::MAX),
    ] {
        host.set_up(ELEMENTS, leaves as u32);
        host.write(registers::TOP_LEVEL.address, top);
        host.write(registers::EMIT_LEVELS.address, emit);
        host.write(registers::CONTROL.address, START);
        let mut received = vec![Vec::new(); levels.len()];
        let output = host.finish(&input);
        for word in &output {
            let nodes = &mut received[word.level as usize];
            assert_eq!(word.index as usize, nodes.len());
            nodes.push(word.data);
        }
        for (level, nodes) in (0..).zip(&received) {
            if level == top || (level < top && emit >> level & 1 == 1) {
                assert_eq!(*nodes, levels[level as usize], "level {level} of {top}");
            } else {
                assert!(nodes.is_empty(), "level {level} of {top}");
            }
        }
        host.clear();
    }
}

/// Missing siblings have the value of an empty sub-tree of their level.
#[test]
fn trees_that_lack_leaves() {
    let mut random = Random::new(seed(66));
    let mut device = programmed(27);
    let radix_bits = device.capabilities().limits.montgomery_bits;
    let mut host = Host {
        chip: device.port(),
    };
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
                .flat_map(|pair| reference_root(pairs(), LeafKind::Element, pair))
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

/// Queues that do not fit into the node memory: trees of four levels above the leaves in 512 words.
#[test]
fn illegal_level_tables_do_not_start() {
    let mut random = Random::new(seed(67));
    let mut device = programmed(28);
    let mut host = Host {
        chip: device.port(),
    };
    let code = registers::ERROR_ILLEGAL_CONFIGURATION.code;
    // The level that is at fault, and the groups of all levels.
    for (level, table) in [
        (0, [0, 1, 1, 1, 1]),
        (0, [257, 1, 1, 1, 1]),
        (0, [0xFFFF, 1, 1, 1, 1]),
        (1, [1, 256, 1, 1, 1]),
        (1, [256, 1, 1, 1, 1]),
        (1, [128, 0, 1, 1, 1]),
        (2, [128, 64, 65, 1, 1]),
        (2, [128, 64, 0, 0, 1]),
        (2, [0x80, 0x40, 0x8000, 1, 1]),
        (3, [128, 64, 63, 2, 1]),
        (3, [1, 1, 1, 0, 1]),
        (3, [1, 1, 1, 0xFFFF, 1]),
        (4, [1, 1, 1, 1, 0]),
        (4, [128, 64, 62, 1, 2]),
        (4, [253, 1, 1, 1, 1]),
    ] {
        host.set_up(HASHES, 16);
        for (level, groups) in (0..).zip(table) {
            host.write(
                registers::LEVEL_TABLE.at(level),
                LevelEntry::of_nodes(groups).value(),
            );
        }
        host.write(registers::CONTROL.address, START);
        host.feed(&[], 8);
        let expected = (code, registers::LEVEL_TABLE.at(level));
        assert_eq!(host.error(), expected, "level {level}: {table:?}");
        assert_eq!(host.status(), ERROR | REFUSED);
        let input = elements(&mut random, large_field(), 8);
        assert_eq!(host.feed(&input, 60), 0);
        host.clear();
    }
    // A memory that is full to its last word.
    let input = elements(&mut random, large_field(), 32);
    for table in [
        [252, 1, 1, 1, 1],
        [1, 1, 1, 252, 1],
        [128, 64, 62, 1, 1],
        [1, 1, 1, 1, 252],
    ] {
        host.set_up(HASHES, 16);
        for (level, groups) in (0..).zip(table) {
            host.write(
                registers::LEVEL_TABLE.at(level),
                LevelEntry::of_nodes(groups).value(),
            );
        }
        host.write(registers::CONTROL.address, START);
        let output = host.finish(&input);
        let root = reference_root(pairs(), LeafKind::Hash, &input);
        assert_eq!(output[0].data, root[0], "{table:?}");
    }
    host.check_run(&mut random);
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

/// Random hashes of few rounds over the large prime, for trees.
fn short_hash(seed: u64, arity: usize) -> AnyParameters {
    let ranges = Ranges {
        widths: arity + 1..=arity + 1,
        full_rounds: 1..=1,
        partial_rounds: 1..=1,
        orders: vec![RoundOrder::ConstantsFirst],
        ..Ranges::default()
    };
    let set = random::any_parameters(large_field(), seed, &ranges).unwrap();
    dispatch!(&set, set => {
        acclmt_poseidon::params::PoseidonParameters::new(PoseidonSpecification {
            name: format!("short hash of {arity}"),
            input_positions: (1..=arity).collect(),
            digest_positions: vec![1],
            ..set.specification().clone()
        })
        .unwrap()
        .into()
    })
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
    let node = pairs();
    let mut cases = vec![
        (node, LeafRule::Hash(node), 70),
        (node, LeafRule::Digest, 33),
        (plonky2, LeafRule::Hash(plonky2), 40),
        (plonky2, rows(16), 130),
        (plonky2, rows(30), 60),
    ];
    if large_field() == FieldId::Bls12_381 {
        let filecoin = |arity: usize| presets::by_name(&format!("filecoin-arity-{arity}")).unwrap();
        cases.push((filecoin(8), LeafRule::Hash(filecoin(11)), 64));
        cases.push((filecoin(8), LeafRule::Hash(filecoin(2)), 65));
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
        let stalls = [(0.0, 0.0), (0.5, 0.3)][number % 2];
        let port = device.port();
        port.set_stalls(number as u64, stalls.0, stalls.1).unwrap();
        let run = |device: &mut dyn Device| {
            let mut nodes = AllNodes::default();
            let source = &mut WordSource(&words);
            let report = device.commit(&request, source, &mut nodes, &mut NoProgress);
            (report.unwrap().cap, nodes)
        };
        let expected = run(&mut SoftwareDevice::new());
        assert_eq!(run(&mut device), expected, "{request:?}");
    }
}

/// A source that ends early while the run is under way: an error, and the chip is usable.
#[test]
fn a_source_that_ends_early_leaves_the_chip_usable() {
    let mut random = Random::new(seed(74));
    let mut device = rtl_device(33).unwrap();
    let parameters = pairs();
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
        let mut host = Host {
            chip: device.port(),
        };
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

/// A map of positions of no element.
const NO_ELEMENTS: PositionMap = [0x0631_8C63; registers::MAP_REGISTERS as usize];

/// The largest group is that of [`ChipRegisters::most_rows`] for every subset of the partial-round
/// sub-engines and every number of beats.
#[test]
fn the_chip_refuses_larger_groups_than_the_driver() {
    let seed = seed(75);
    let mut device = rtl_device(seed as u32).unwrap();
    let limits = device.capabilities().limits;
    let fields = [(large_field(), false), (FieldId::Goldilocks, true)];
    let fields = fields.map(|(field, goldilocks)| (field, program::widest(goldilocks)));
    let mut host = Host {
        chip: device.port(),
    };
    for (field, widest) in fields {
        let order = RoundOrder::ConstantsFirst;
        let set = set_with_rounds(field, seed, widest, order, (1, 1), 0);
        let base = ChipProgram::compile(&set, &limits).unwrap().registers;
        let widths = [2, 3, 4, 6, 7, 9, 10, 12, 13, 24];
        for width in widths.into_iter().filter(|&width| width as usize <= widest) {
            // With a recurrence the first partial-round sub-engine has rounds.
            let present = (0..1_u32 << limits.num_partial).filter(|&p| p == 0 || p & 1 != 0);
            for present in present {
                let rounds = |number: usize| match number {
                    1..=6 => (present >> (number - 1) & 1) * (1 + number as u32),
                    _ => 0,
                };
                let values = ChipRegisters {
                    width,
                    input_map: NO_ELEMENTS,
                    digest_map: NO_ELEMENTS,
                    recurrence: present & 1,
                    partial_rounds: std::array::from_fn(rounds),
                    ..base
                };
                host.load_registers(&values);
                host.set_up(DIGESTS, 1);
                let most = values.most_rows(&limits) as u32;
                for (group, is_legal) in [(most, true), (most + 1, false)] {
                    host.write(registers::ROW_GROUP.address, group);
                    host.write(registers::CONTROL.address, START);
                    host.feed(&[], 20);
                    let found = host.error();
                    let code = registers::ERROR_ILLEGAL_CONFIGURATION.code;
                    let refused = (code, registers::ROW_GROUP.address);
                    // Nothing is loaded that could run.
                    let no_program = (
                        registers::ERROR_ILLEGAL_PROGRAM.code,
                        ProgramFault::Missing as u32,
                    );
                    let expected = if is_legal { no_program } else { refused };
                    assert_eq!(found, expected, "{group} rows: {values:X?}");
                    host.clear();
                }
            }
        }
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
            let mut host = Host {
                chip: device.port(),
            };
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
            pairs()
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
        let run = |device: &mut dyn Device| {
            let mut nodes = AllNodes::default();
            let source = &mut WordSource(&words);
            let report = device.commit(&request, source, &mut nodes, &mut NoProgress);
            (report.unwrap().cap, nodes)
        };
        let expected = run(&mut SoftwareDevice::new());
        assert!(run(&mut device) == expected, "{request:?}");
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
        let node_set = pairs();
        let leaf_program = ChipProgram::compile(&leaf_set, &limits).unwrap();
        let node_program = ChipProgram::compile(node_set, &limits).unwrap();
        let inputs = random_inputs(&mut random, &leaf_set, 8);
        let leaves = SoftwareDevice::new()
            .hash(&leaf_set, &inputs, &mut NoProgress)
            .unwrap();
        let root = reference_root(node_set, LeafKind::Element, &leaves.digests.concat());
        let mut host = Host {
            chip: device.port(),
        };
        host.clear();
        host.load(&node_program);
        for (address, value) in leaf_program.registers.writes(&registers::LEAF) {
            host.write(address, value);
        }
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

/// Sub-engines are counted as busy between two leaves.
#[test]
fn busy_cycles_are_counted_in_a_window() {
    let mut random = Random::new(seed(71));
    let mut device = programmed(32);
    let mut host = Host {
        chip: device.port(),
    };
    let input = elements(&mut random, large_field(), 128);
    let counter = |host: &mut Host<'_>, register: &registers::Register| {
        u64::from(host.read(register.address)) | u64::from(host.read(register.address + 4)) << 32
    };
    let mut measure = |first, last| {
        host.write(registers::WINDOW_FIRST.address, first);
        host.write(registers::WINDOW_LAST.address, last);
        host.start(HASHES, 64);
        host.finish(&input);
        // Counters stand once the chip says that it is done.
        assert_eq!(host.status(), DONE);
        let counted = [
            &registers::CYCLES,
            &registers::WINDOW_CYCLES,
            &registers::LEAF_BUSY_FULL,
            &registers::ROOT_BUSY_FULL,
            &registers::CYCLE_FIRST_LEAF,
            &registers::CYCLE_LAST_LEAF,
            &registers::CYCLE_LAST_OUT,
        ]
        .map(|register| counter(&mut host, register));
        host.clear();
        counted
    };
    let [cycles, all, leaf, root, first_leaf, last_leaf, last_out] = measure(0, 0);
    assert_eq!(cycles, all);
    assert!(0 < first_leaf && first_leaf < last_leaf && last_leaf < last_out);
    // The window and what is before and after it are the whole run.
    let parts = [measure(0, 20), measure(20, 50), measure(50, 0)];
    for part in &parts {
        assert_eq!(part[0], cycles);
    }
    let sum = |index: usize| parts.iter().map(|part| part[index]).sum::<u64>();
    assert_eq!((sum(1), sum(2), sum(3)), (all, leaf, root));
    assert!(parts.iter().all(|part| part[1] > 0));
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
const MOST_CYCLES: [(&str, f64); 3] = [
    ("filecoin-arity-2", 13.3),
    ("plonky2", 8.5),
    ("plonky3-poseidon2-goldilocks-12", 8.7),
];

/// The same for further presets.
const MOST_CYCLES_OF_MORE: [(&str, f64); 4] = [
    ("filecoin-arity-4", 26.5),
    ("filecoin-arity-8", 51.9),
    ("filecoin-arity-11", 69.0),
    ("horizenlabs-poseidon2-bls12-381-3", 14.3),
];

#[test]
fn steady_state_of_the_presets() {
    check_steady_states(&MOST_CYCLES);
}

#[test]
#[ignore = "long: as many hashes of wider states"]
fn steady_state_of_more_presets() {
    check_steady_states(&MOST_CYCLES_OF_MORE);
}

fn check_steady_states(most_cycles: &[(&str, f64)]) {
    let mut device = rtl_device(11).unwrap();
    for &(name, most) in most_cycles {
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
#[ignore = "long: the steady state of every preset"]
fn steady_state_of_every_preset() {
    let mut device = rtl_device(12).unwrap();
    for preset in presets::all() {
        if chip_fields().contains(&preset.field()) {
            let count = many_hashes(&device, preset.parameters());
            let tolerance = tolerance(&device, preset.parameters());
            steady_state(&mut device, preset.parameters(), count, tolerance);
        }
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
            // Where hashes have so few partial rounds, a bunch of first visits fills the output
            // buffer of the full-round sub-engine, which then waits (docs/architecture.md).
            let waits = field == FieldId::Goldilocks && width == 8;
            let tolerance = if waits { 0.06 } else { 0.02 };
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
        let input = elements(&mut random, parameters.field(), 32 * length);
        let hashes: Vec<Vec<Word>> = input.chunks(length).map(<[Word]>::to_vec).collect();
        let root = reference_root(parameters, LeafKind::Hash, &input);
        for (stall_input, stall_output) in [
            (0.0, 0.0),
            (0.5, 0.5),
            (0.98, 0.0),
            (0.0, 0.98),
            (0.9, 0.95),
        ] {
            let mut device = rtl_device(seed as u32).unwrap();
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

// ---- What a host may do wrong ----------------------------------------------------------------------

/// Of the interrupt: a run was completed, an error happened.
const INTERRUPT_DONE: u32 = 1;
const INTERRUPT_ERROR: u32 = 2;
/// What a run does: MODE, and whether there is a tree.
type Run = (u32, bool);
const ELEMENTS: Run = (0, true);
const HASHES: Run = (1, true);
const DIGESTS: Run = (1, false);

/// A host that programs the chip by hand.
struct Host<'a> {
    chip: &'a mut RtlChip,
}

impl Host<'_> {
    fn write(&mut self, address: u32, value: u32) {
        self.chip.write_register(address, value).unwrap();
    }

    fn write_word(&mut self, register: &registers::Register, word: &Word) {
        for (position, bytes) in (0..).zip(word.as_chunks::<4>().0) {
            self.write(register.at(position), u32::from_le_bytes(*bytes));
        }
    }

    fn read(&mut self, address: u32) -> u32 {
        self.chip.read_register(address).unwrap()
    }

    fn load(&mut self, program: &ChipProgram) {
        let interrupts = INTERRUPT_DONE | INTERRUPT_ERROR;
        self.write(registers::INTERRUPT_ENABLE.address, interrupts);
        self.load_registers(&program.registers);
        self.load_modulus(program);
        self.load_constants(&program.constants);
    }

    fn load_registers(&mut self, values: &ChipRegisters) {
        for engine in [&registers::LEAF, &registers::ROOT] {
            for (address, value) in values.writes(engine) {
                self.write(address, value);
            }
        }
        for (address, value) in RowRegisters::one_block(values).writes() {
            self.write(address, value);
        }
        self.write(registers::ROLES.address, Roles::LEAF_AND_ROOT.value());
    }

    fn load_modulus(&mut self, program: &ChipProgram) {
        if let Some(modulus) = &program.modulus {
            self.write_word(&registers::PRIME, &modulus.prime);
            self.write_word(&registers::RADIX_SQUARED, &modulus.radix_squared);
        }
    }

    fn load_constants(&mut self, constants: &[program::ChipConstant]) {
        // Hash engine 0 takes rows, with parameter set 0, and hash engine 1 nodes, with parameter set 1.
        for constant in constants {
            for set in [ROW_SET, NODE_SET] {
                let engine = 1 << set;
                let constant = constant.placed(set, &Bases::default()).unwrap();
                self.write_word(&registers::CONSTANT_DATA, &constant.word);
                if constant.engine_mask & engine != 0 {
                    let address = address_of(engine.into(), &constant);
                    self.write(registers::CONSTANT_ADDRESS.address, address);
                }
            }
        }
        assert_eq!(self.error(), (0, 0));
    }

    /// Loads constants of hash engine 0 as they are.
    fn load_raw(&mut self, constants: &[ChipConstant]) {
        for constant in constants {
            self.write_word(&registers::CONSTANT_DATA, &constant.word);
            let address = address_of(1, constant);
            self.write(registers::CONSTANT_ADDRESS.address, address);
        }
    }

    /// Sets up a run over `leaves` leaves, for a tree a power of two.
    fn set_up(&mut self, (mode, is_tree): Run, leaves: u32) {
        self.write(registers::MODE.address, mode);
        self.write(registers::LEAVES.address, leaves);
        let top = if is_tree { leaves.ilog2() } else { 0 };
        self.write(registers::TOP_LEVEL.address, top);
        let queues = level_table(
            &vec![2; top as usize + 1],
            1,
            NODE_WORDS,
            LeafQueue::InOrder,
        )
        .unwrap();
        for (level, &groups) in (0..).zip(&queues) {
            self.write(
                registers::LEVEL_TABLE.at(level),
                LevelEntry::of_nodes(groups).value(),
            );
        }
    }

    fn start(&mut self, run: Run, leaves: u32) {
        self.set_up(run, leaves);
        self.write(registers::CONTROL.address, START);
        assert!(!self.chip.refused(), "error {:X?}", self.error());
    }

    fn status(&mut self) -> u32 {
        self.read(registers::STATUS.address)
    }

    /// ERROR and ERROR_INFO.
    fn error(&mut self) -> (u32, u32) {
        let code = self.read(registers::ERROR.address);
        (code, self.read(registers::ERROR_INFO.address))
    }

    /// Runs `cycles` clock cycles with `input`; returns how many words were taken.
    fn feed(&mut self, input: &[Word], cycles: u64) -> usize {
        let mut output = Vec::new();
        let taken = self.chip.transfer(input, &mut output, cycles).unwrap();
        assert!(output.is_empty());
        taken
    }

    /// Offers `input` until the last output word comes.
    fn finish(&mut self, input: &[Word]) -> Vec<OutputWord> {
        let mut output = Vec::new();
        let taken = self.chip.transfer(input, &mut output, PATIENCE).unwrap();
        assert_eq!(taken, input.len(), "the run did not take its input");
        assert!(
            output.last().is_some_and(|word| word.last),
            "the run did not end"
        );
        assert!(output.iter().rev().skip(1).all(|word| !word.last));
        output
    }

    /// A run on the chip as it is, with the program of [`pairs`], must give the right root.
    fn check_run(&mut self, random: &mut Random) {
        let input = elements(random, large_field(), 4);
        self.start(HASHES, 2);
        assert_eq!(self.error(), (0, 0));
        assert_eq!(self.status(), BUSY);
        let output = self.finish(&input);
        assert_eq!(output.len(), 1);
        assert_eq!(
            [output[0].data],
            *reference_root(pairs(), LeafKind::Hash, &input)
        );
        assert!(!output[0].error);
        assert_eq!(self.status(), DONE);
        assert!(self.chip.interrupt());
        self.clear();
    }

    fn clear(&mut self) {
        self.write(registers::CONTROL.address, CLEAR);
        assert!(!self.chip.refused());
        assert_eq!(self.status(), 0);
        assert_eq!(self.error(), (0, 0));
        assert!(!self.chip.interrupt());
    }
}

/// The value of CONSTANT_ADDRESS for both engines; only the root hash engine has empty sub-trees.
fn constant_address(sub_engine: u32, bank: u32, index: u32) -> u32 {
    let mask = if sub_engine == 14 { 2 } else { 3 };
    constant_address_of(mask, sub_engine, bank, index)
}

/// The value of CONSTANT_ADDRESS for the engines of `mask`.
fn constant_address_of(mask: u32, sub_engine: u32, bank: u32, index: u32) -> u32 {
    registers::CONSTANT_INDEX.with(index)
        | registers::CONSTANT_BANK.with(bank)
        | registers::CONSTANT_ENGINE.with(sub_engine)
        | registers::CONSTANT_ENGINE_MASK.with(mask)
}

/// The value of CONSTANT_ADDRESS for a constant of these engines.
fn address_of(mask: u32, constant: &ChipConstant) -> u32 {
    constant_address_of(
        mask,
        constant.sub_engine.into(),
        constant.bank.into(),
        constant.index.into(),
    )
}

/// A chip with the program of `parameters` in it.
fn programmed_for(parameters: &AnyParameters, seed: u32) -> ChipDevice<RtlChip> {
    let mut device = rtl_device(seed).unwrap();
    let limits = device.capabilities().limits;
    let program = ChipProgram::compile(parameters, &limits).unwrap();
    Host {
        chip: device.port(),
    }
    .load(&program);
    device
}

/// A chip with the program of [`pairs`] in it.
fn programmed(seed: u32) -> ChipDevice<RtlChip> {
    programmed_for(pairs(), seed)
}

#[test]
fn illegal_configurations_do_not_start() {
    let mut random = Random::new(seed(51));
    let mut device = programmed(14);
    let limits = device.capabilities().limits;
    let max_height = device.capabilities().max_height;
    let mut host = Host {
        chip: device.port(),
    };
    let partial_depth = limits.partial_depth as u32;
    let max = u32::MAX;
    // A register and an illegal value, and what the run does. The state has three elements.
    let mut cases = Vec::new();
    let mut add = |address: u32, run: Run, values: &[u32]| {
        cases.extend(values.iter().map(|&value| (address, run, value)));
    };
    add(
        registers::MODE.address,
        HASHES,
        &[8, 9, 16, 0x105, 0x1901, 0x1F01, 0x2001, max],
    );
    // Without a tree the elements would come out as they are.
    add(registers::MODE.address, DIGESTS, &[0, 2, 8]);
    add(registers::LEAVES.address, HASHES, &[0]);
    add(registers::LEAVES.address, DIGESTS, &[0]);
    // More than 2^32.
    add(registers::LEAVES_HIGH.address, HASHES, &[1, 2, max]);
    add(registers::LEAVES_HIGH.address, DIGESTS, &[1, 2, max]);
    let top = registers::TOP_LEVEL.address;
    add(top, HASHES, &[max_height + 1, 64, max]);
    add(registers::FIELD.address, HASHES, &[2, 3, 4, max]);
    add(registers::ROW_BLOCKS.address, DIGESTS, &[0]);
    let most_rows = (limits.num_partial as u32 + 2) * limits.places as u32;
    let rows = [0, most_rows + 1, 1 << 16, max];
    add(registers::ROW_GROUP.address, DIGESTS, &rows);
    let last_words = registers::LAST_INPUT_WORDS.address;
    add(last_words, HASHES, &[0, 13, 16, 18, max]);

    // No engine for rows or for nodes, one that does not exist, a bit that no field has.
    let roles = registers::ROLES.address;
    add(
        roles,
        HASHES,
        &[0, 0x001, 0x200, 0x005, 0x0401, 0x0100_0201, max],
    );
    add(roles, DIGESTS, &[0, 0x200, 0x004, max]);
    add(roles, ELEMENTS, &[0, 0x001, 0x400, max]);

    let (leaf, root) = (registers::LEAF, registers::ROOT);
    let too_many = [13, 16, 17, max];
    // The state has three elements.
    let illegal_codes = [
        4,
        0xE,
        0x10,
        0x4000,
        0x2_0000,
        0x2000_0000,
        0x4000_0000,
        0x8631_8C63,
        max - 0x20,
    ];
    add(leaf.input_words.address, HASHES, &too_many);
    add(leaf.input_words.address, DIGESTS, &[0, 13]);
    add(root.input_words.address, HASHES, &[0, 1]);
    add(root.input_words.address, ELEMENTS, &too_many);
    add(leaf.digest_words.address, DIGESTS, &[0, 13, 16, 17, max]);
    add(leaf.digest_words.address, HASHES, &[0, 2, 12, 13, 17, max]);
    add(root.digest_words.address, ELEMENTS, &[0, 2, 12, 13, max]);
    for (engine, run) in [(leaf, HASHES), (leaf, DIGESTS), (root, ELEMENTS)] {
        add(
            engine.width.address,
            run,
            &[
                0, 1, 13, 15, 16, 19, 0x23, 0x303, 0x403, 0x1F03, 0x2003, max,
            ],
        );
        let exponents = [0, 1, 2, 4, 6, 8, 9, 11, 259, max];
        add(engine.alpha.address, run, &exponents);
        add(
            engine.passes.address,
            run,
            &[0, 1, 0xffff, 0x1_0000, 0xffff_0000],
        );
        let recurrence = [3, 4, 15, 16, 0x12, 0x100, 0x300, 0x103, 0x202, 0x10F, max];
        add(engine.recurrence.address, run, &recurrence);
        let rounds = engine.partial_rounds;
        if !has_chains(pairs()) {
            add(rounds.at(0), run, &[0]);
        }
        for number in 0..6 {
            if (number as usize) < limits.num_partial {
                add(rounds.at(number), run, &[partial_depth + 1, 256, 257, max]);
            } else {
                add(rounds.at(number), run, &[1, 256, max]);
            }
        }
        add(engine.partial_base.address, run, &[256, 1 << 31]);
        // Elements that the state does not have; what is above the codes.
        for map in [engine.input_map, engine.digest_map] {
            for part in 0..map.count {
                add(map.at(part), run, &illegal_codes);
            }
        }
    }
    let map = registers::LAST_INPUT_MAP;
    for part in 0..map.count {
        let run = if part % 2 == 0 { HASHES } else { DIGESTS };
        add(map.at(part), run, &illegal_codes);
    }
    assert_eq!(limits.num_full, 1);
    for &(register, run, value) in &cases {
        let name = registers::register_name(register).unwrap();
        host.set_up(run, 4);
        let legal = host.read(register);
        host.write(register, value);
        assert!(!host.chip.refused());
        assert_eq!(
            host.read(register),
            value,
            "{name} does not keep what is written"
        );
        host.write(registers::CONTROL.address, START);
        assert!(host.chip.refused(), "{name} = {value}");
        let code = registers::ERROR_ILLEGAL_CONFIGURATION.code;
        assert_eq!(host.error(), (code, register), "{name} = {value}");
        assert_eq!(host.status(), ERROR | REFUSED, "{name} = {value}");
        assert!(host.chip.interrupt());
        let input = elements(&mut random, large_field(), 8);
        assert_eq!(host.feed(&input, 60), 0, "{name} = {value}");
        host.clear();
        host.write(register, legal);
    }
    println!("{} illegal values", cases.len());
    host.check_run(&mut random);
}

#[test]
fn combinations_that_do_not_start() {
    let mut random = Random::new(seed(52));
    let mut device = programmed(15);
    let limits = device.capabilities().limits;
    let mut host = Host {
        chip: device.port(),
    };
    let leaf = registers::LEAF;
    let rounds = leaf.partial_rounds;
    let (width, field) = (leaf.width.address, registers::FIELD.address);
    let partial = limits.partial_depth as u32;
    // Writes that together are illegal, and the register that the chip names.
    let cases: [(&[(u32, u32)], u32); 9] = [
        // Goldilocks: six words at most, of a state of 24 elements at most.
        (
            &[(field, 1), (leaf.input_words.address, 7)],
            leaf.input_words.address,
        ),
        (
            &[(field, 1), (leaf.digest_words.address, 7)],
            leaf.digest_words.address,
        ),
        (&[(field, 1), (width, 25)], width),
        // Of two beats: half the rounds.
        (
            &[(field, 1), (width, 13), (rounds.at(1), partial / 2 + 1)],
            rounds.at(1),
        ),
        // A state of two beats: half the rounds.
        (&[(width, 6), (rounds.at(0), partial / 2 + 1)], rounds.at(0)),
        (
            &[(width, 12), (rounds.at(1), partial / 4 + 1)],
            rounds.at(1),
        ),
        // Without a recurrence a partial-round sub-engine has no rounds.
        (&[(leaf.recurrence.address, 0)], rounds.at(0)),
        // More sums move up than there are.
        (
            &[(width, 2), (leaf.recurrence.address, 2)],
            leaf.recurrence.address,
        ),
        // Coefficients beyond the memory.
        (
            &[(leaf.partial_base.address, partial - 1), (rounds.at(0), 2)],
            rounds.at(0),
        ),
    ];
    for (writes, register) in cases {
        if has_chains(pairs()) && writes[0] == (leaf.recurrence.address, 0) {
            continue;
        }
        host.set_up(DIGESTS, 4);
        let legal: Vec<_> = writes
            .iter()
            .map(|&(address, value)| {
                let legal = host.read(address);
                host.write(address, value);
                (address, legal)
            })
            .collect();
        host.write(registers::CONTROL.address, START);
        let code = registers::ERROR_ILLEGAL_CONFIGURATION.code;
        assert_eq!(host.error(), (code, register), "{writes:X?}");
        host.clear();
        for (address, value) in legal {
            host.write(address, value);
        }
    }
    host.check_run(&mut random);
}

/// What the chip accepts must be what the driver believes that it accepts.
#[test]
fn the_driver_knows_what_the_chip_accepts() {
    let seed = seed(53);
    let mut random = Random::new(seed);
    let mut device = rtl_device(seed as u32).unwrap();
    let limits = device.capabilities().limits;
    let mut host = Host {
        chip: device.port(),
    };
    let bases: Vec<_> = kinds(seed)
        .iter()
        .map(|set| ChipProgram::compile(set, &limits).unwrap().registers)
        .collect();
    let recurrences = [
        0, 1, 2, 3, 11, 12, 15, 16, 23, 24, 0x20, 0x100, 0x101, 0x102, 0x10B, 0x200, 0x201, 0x300,
        0x401,
    ];
    let random_values = (0..600).map(|_| {
        let mut values = *random.choose(&bases);
        for _ in 0..random.below(4) {
            let small = random.below(15) as u32;
            let any = *random.choose(&[0, 1, 2, 3, 60, 64, 65, 126, 128, 129, 255]);
            match random.below(12) {
                0 => values.arity = small,
                1 => values.field = small % 3,
                2 => values.width = random.below(27) as u32,
                3 => values.alpha = small % 9,
                4 => values.passes[0] = any,
                5 => values.passes[1] = any,
                6 => values.recurrence = *random.choose(&recurrences),
                7 => values.digest_words = small,
                8 => values.input_map[small as usize % 4] = random.next() as u32,
                9 => values.digest_map[small as usize % 4] = random.next() as u32,
                10 => values.partial_base = *random.choose(&[0, 1, 64, 127, 128, 255, 256]),
                _ => values.partial_rounds[1 + random.below(6) as usize] = any,
            }
        }
        values
    });
    let (mut accepted, mut refused) = (0, 0);
    for values in random_values {
        host.load_registers(&values);
        host.set_up(DIGESTS, 1);
        host.write(registers::CONTROL.address, START);
        match values.check(&limits) {
            Ok(()) => {
                // There is nothing that could run, which is found out later.
                assert!(!host.chip.refused(), "{values:X?}");
                host.feed(&[], 20);
                let code = registers::ERROR_ILLEGAL_PROGRAM.code;
                let missing = ProgramFault::Missing as u32;
                assert_eq!(host.error(), (code, missing), "{values:X?}");
                assert_eq!(host.status(), ERROR | REFUSED);
                accepted += 1;
            }
            Err(program::ProgramError::IllegalRegister { address, .. }) => {
                let code = registers::ERROR_ILLEGAL_CONFIGURATION.code;
                assert_eq!(host.error(), (code, address), "{values:X?}");
                refused += 1;
            }
            Err(error) => panic!("{error}"),
        }
        host.clear();
    }
    println!("{accepted} accepted, {refused} refused");
    assert!(accepted > 50 && refused > 50);
}

#[test]
fn constants_without_a_place_are_refused() {
    let mut random = Random::new(seed(54));
    let mut device = programmed(16);
    let limits = device.capabilities().limits;
    let max_height = device.capabilities().max_height;
    let mut host = Host {
        chip: device.port(),
    };
    let (matrix, partial) = (limits.matrix_depth as u32, limits.partial_depth as u32);
    let mut places = vec![
        (0, 0, matrix),
        (0, 17, 255),
        (0, 21, 128),
        (0, 22, 16),
        (0, 24, 255),
        (0, 25, 24),
        (0, 26, 0),
        (0, 255, 0),
        (0, 32, 0),
        (1, 0, partial),
        (1, 6, 255),
        (1, 7, 0),
        (1, 128, 0),
        (15, 0, 24),
        (15, 2, 255),
        (15, 3, 0),
        (15, 16, 0),
    ];
    places.extend((limits.num_partial as u32 + 1..14).map(|engine| (engine, 0, 0)));
    // The values of empty sub-trees.
    places.extend([(14, 0, max_height), (14, 0, 255), (14, 1, 0), (14, 16, 0)]);
    let code = registers::ERROR_ILLEGAL_CONSTANT_ADDRESS.code;
    let mut addresses: Vec<_> = (places.into_iter())
        .map(|(engine, bank, index)| constant_address(engine, bank, index))
        .collect();
    // For no hash engine, for one that does not exist, and bits that no field has, of an address that is legal
    // without them.
    let legal = constant_address(0, 0, 0);
    addresses.push(constant_address_of(0, 0, 0, 0));
    addresses.extend((22..32).map(|bit| legal | 1 << bit));
    // Something that would spoil every hash.
    let data = elements(&mut random, large_field(), 1)[0];
    for address in addresses {
        host.write_word(&registers::CONSTANT_DATA, &data);
        host.write(registers::CONSTANT_ADDRESS.address, address);
        assert!(host.chip.refused(), "{address:X}");
        assert_eq!(host.error(), (code, address));
        assert_eq!(host.status(), ERROR);
        host.clear();
    }
    host.check_run(&mut random);
    // Legal places at the end of the memories, which this program does not use.
    for (engine, bank, index) in [
        (0, 8, matrix - 1),
        (0, 24, 15),
        (0, 25, 23),
        (0, 17, matrix - 1),
        (0, 20, limits.constant_depth as u32 - 1),
        (1, 6, partial - 1),
        (14, 0, max_height - 1),
        (15, 2, 15),
    ] {
        let address = constant_address(engine, bank, index);
        host.write(registers::CONSTANT_ADDRESS.address, address);
        assert_eq!(host.error(), (0, 0), "{address:X}");
    }
    host.check_run(&mut random);
}

/// The registers that cannot be written during a run.
fn configuration(max_height: u32) -> Vec<u32> {
    let mut addresses = Vec::new();
    let run = [
        registers::MODE,
        registers::TOP_LEVEL,
        registers::LEAVES,
        registers::FIELD,
        registers::EMIT_LEVELS,
        registers::ROW_BLOCKS,
        registers::ROW_GROUP,
        registers::LAST_INPUT_WORDS,
        registers::LAST_INPUT_MAP,
        registers::WINDOW_FIRST,
        registers::WINDOW_LAST,
        registers::LEAVES_HIGH,
        registers::CONSTANT_DATA,
        registers::CONSTANT_ADDRESS,
    ];
    let engines = SETS.map(|set| set.all());
    for register in run.into_iter().chain(engines.concat()) {
        addresses.extend((0..register.count).map(|position| register.at(position)));
    }
    addresses.extend((0..=max_height).map(|level| registers::LEVEL_TABLE.at(level)));
    if RUNTIME_MODULUS {
        for register in [registers::PRIME, registers::RADIX_SQUARED] {
            addresses.extend((0..register.count).map(|position| register.at(position)));
        }
    }
    addresses
}

#[test]
fn writes_during_a_run_are_refused_and_change_nothing() {
    let mut random = Random::new(seed(55));
    let mut device = programmed(17);
    let max_height = device.capabilities().max_height;
    let mut host = Host {
        chip: device.port(),
    };
    let code = registers::ERROR_WRITE_WHILE_RUNNING.code;
    let addresses = configuration(max_height);
    // Each register by itself: the error names it.
    for &address in &addresses {
        host.start(HASHES, 4);
        host.write(address, 0);
        assert!(host.chip.refused(), "0x{address:03X}");
        assert_eq!(host.error(), (code, address));
        assert_eq!(host.status(), BUSY | ERROR);
        host.clear();
    }
    // All in one run, which ends as if nothing had happened.
    let input = elements(&mut random, large_field(), 8);
    host.start(HASHES, 4);
    assert_eq!(host.feed(&input[..3], 100), 3);
    for &address in &addresses {
        let before = host.read(address);
        // For CONSTANT_ADDRESS this is entry 0 of the first matrix of both engines.
        host.write(address, 0x0030_0000);
        assert!(host.chip.refused(), "0x{address:03X}");
        assert_eq!(host.read(address), before, "0x{address:03X} was changed");
    }
    let output = host.finish(&input[3..]);
    assert_eq!(
        [output[0].data],
        *reference_root(pairs(), LeafKind::Hash, &input)
    );
    assert!(!output[0].error);
    assert_eq!(host.error(), (code, addresses[0]));
    host.clear();
    host.check_run(&mut random);
}

/// Writes of constants that act are summed up, and no others; a zeroisation begins anew.
#[test]
fn constants_are_summed_up() {
    let mut random = Random::new(seed(60));
    let mut device = programmed(22);
    let mut host = Host {
        chip: device.port(),
    };
    let [data, place, checksum] = [
        registers::CONSTANT_DATA,
        registers::CONSTANT_ADDRESS,
        registers::CONSTANT_CHECKSUM,
    ];
    let mut sum = ConstantChecksum::from_register(host.read(checksum.address));
    assert_ne!(sum, ConstantChecksum::default());
    for _ in 0..300 {
        let value = random.next() as u32;
        let (address, value, acts) = match random.below(6) {
            // An entry of a matrix of both engines, and one of no sub-engine.
            0 => (place.address, 0x0030_0000, true),
            1 => (place.address, 0x0039_0000, false),
            2 => (registers::LEAVES.address, value, true),
            3 => (checksum.address, value, false),
            _ => (data.at(random.below(data.count.into()) as u32), value, true),
        };
        host.write(address, value);
        assert_eq!(host.chip.refused(), !acts, "0x{address:03X}");
        if acts {
            sum.write(address, value);
        }
        assert_eq!(host.read(checksum.address), sum.value());
    }
    host.clear();
    host.start(DIGESTS, 4);
    host.write(data.address, !0);
    assert!(host.chip.refused());
    host.clear();
    assert_eq!(host.read(checksum.address), sum.value());
    device.zeroise().unwrap();
    let mut host = Host {
        chip: device.port(),
    };
    assert_eq!(host.read(checksum.address), 0);
}

/// Writes in consecutive cycles all act: of two constants of one value, whichever was changed before.
#[test]
fn constants_are_written_in_every_cycle() {
    let mut random = Random::new(seed(92));
    let mut device = programmed(31);
    let limits = device.capabilities().limits;
    let program = ChipProgram::compile(pairs(), &limits).unwrap();
    // Of the engine that takes rows.
    let placed: Vec<_> = (program.constants.iter())
        .map(|constant| constant.placed(ROW_SET, &Bases::default()).unwrap())
        .filter(|constant| constant.engine_mask & 1 != 0 && constant.word != Word::default())
        .collect();
    let both = placed.iter().enumerate().find_map(|(number, first)| {
        let second = (placed[number + 1..].iter()).find(|other| other.word == first.word)?;
        Some([first, second])
    });
    let both = both.expect("two entries of the MDS matrix are equal");
    let mut host = Host {
        chip: device.port(),
    };
    let input = elements(&mut random, large_field(), 4);
    let root = reference_root(pairs(), LeafKind::Hash, &input);
    for changed in both {
        host.load_raw(&[ChipConstant {
            word: input[0],
            ..*changed
        }]);
        host.start(HASHES, 2);
        let output = host.finish(&input);
        assert_ne!([output[0].data], *root, "the constant is not read");
        host.clear();
        host.write_word(&registers::CONSTANT_DATA, &both[0].word);
        for constant in both {
            host.write(registers::CONSTANT_ADDRESS.address, address_of(1, constant));
        }
        host.check_run(&mut random);
    }
}

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
    for parameters in [pairs(), goldilocks_pairs()] {
        let field = parameters.field();
        let mut device = programmed_for(parameters, 18);
        let limits = device.capabilities().limits;
        let program = ChipProgram::compile(parameters, &limits).unwrap();
        let mut host = Host {
            chip: device.port(),
        };
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

#[test]
fn start_during_a_run_is_refused() {
    let mut random = Random::new(seed(57));
    let mut device = programmed(19);
    let mut host = Host {
        chip: device.port(),
    };
    let input = elements(&mut random, large_field(), 8);
    host.start(HASHES, 4);
    assert_eq!(host.feed(&input[..5], 300), 5);
    host.write(registers::CONTROL.address, START);
    assert!(host.chip.refused());
    assert_eq!(host.error().0, registers::ERROR_COMMAND_WHILE_BUSY.code);
    assert_eq!(host.status(), BUSY | ERROR | REFUSED);
    let output = host.finish(&input[5..]);
    assert_eq!(
        [output[0].data],
        *reference_root(pairs(), LeafKind::Hash, &input)
    );
    host.clear();
    host.check_run(&mut random);
}

#[test]
fn unknown_registers_are_errors() {
    let mut random = Random::new(seed(58));
    let mut device = programmed(20);
    let max_height = device.capabilities().max_height;
    let mut host = Host {
        chip: device.port(),
    };
    let code = registers::ERROR_UNKNOWN_REGISTER.code;
    let known = |address: u32| {
        registers::REGISTERS.iter().any(|r| r.contains(address))
            && (RUNTIME_MODULUS || !registers::RADIX_SQUARED.contains(address))
            && registers::later_engine(address).is_none()
            && (!registers::LEVEL_TABLE.contains(address)
                || address < registers::LEVEL_TABLE.at(0) + 4 * (max_height + 1))
    };
    let mut unknown = 0;
    for address in (0..0x1000).step_by(4) {
        let value = host.read(address);
        let expected = if known(address) {
            (0, 0)
        } else {
            (code, address)
        };
        assert_eq!(
            host.chip.refused(),
            !known(address),
            "read of 0x{address:03X}"
        );
        if !known(address) {
            unknown += 1;
            assert_eq!(value, 0);
            assert_eq!(host.error(), expected, "read of 0x{address:03X}");
            host.clear();
            host.write(address, 0xFFFF_FFFF);
            assert!(host.chip.refused(), "write of 0x{address:03X}");
            assert_eq!(host.error(), expected, "write of 0x{address:03X}");
            host.clear();
        }
    }
    assert!(unknown > 0);
    // Read-only registers and addresses between registers.
    let mut read_only = vec![
        registers::ID.address,
        registers::CAPS_FIELD.address,
        registers::STATUS.address,
        registers::ERROR.address,
        registers::CYCLES.address,
    ];
    if !RUNTIME_MODULUS {
        read_only.push(registers::PRIME.at(3));
    }
    for address in read_only {
        let before = host.read(address);
        host.write(address, !before);
        assert!(host.chip.refused(), "write of 0x{address:03X}");
        assert_eq!(host.error(), (code, address));
        host.clear();
    }
    for address in [1, 0x042, 0x051, 0x123] {
        host.write(address, 1);
        assert!(host.chip.refused(), "write of 0x{address:03X}");
        assert_eq!(host.error(), (code, address));
        host.clear();
    }
    host.check_run(&mut random);
}

/// What the register map says that registers read after a reset, whatever was there before.
#[test]
fn registers_after_a_reset_are_those_of_the_map() {
    let mut device = rtl_device(21).unwrap();
    let max_height = device.capabilities().max_height;
    let mut host = Host {
        chip: device.port(),
    };
    let exists = |address: u32| {
        (RUNTIME_MODULUS || !registers::RADIX_SQUARED.contains(address))
            && registers::later_engine(address).is_none()
            && (!registers::LEVEL_TABLE.contains(address)
                || address < registers::LEVEL_TABLE.at(0) + 4 * (max_height + 1))
    };
    for before in ["power", "other values"] {
        host.chip.reset();
        let mut compared = 0;
        for register in registers::REGISTERS {
            let end = register.address + register.count * register.stride();
            for address in (register.address..end).step_by(4).filter(|&a| exists(a)) {
                let value = host.read(address);
                assert!(!host.chip.refused(), "read of 0x{address:03X}");
                if let Some(expected) = register.reset {
                    assert_eq!(value, expected, "0x{address:03X} after {before}");
                    compared += 1;
                }
            }
        }
        assert!(compared > 100, "{compared}");
        for register in registers::REGISTERS {
            for position in 0..register.count {
                host.write(register.at(position), 1);
            }
        }
        for register in [registers::ERROR, registers::LEAF.width, registers::LEAVES] {
            assert_ne!(host.read(register.address), 0, "{}", register.name);
        }
    }
}

/// Bits that no field has, and several commands at once.
#[test]
fn illegal_values_are_refused_and_change_nothing() {
    let mut random = Random::new(seed(64));
    let mut device = programmed(25);
    let mut host = Host {
        chip: device.port(),
    };
    let code = registers::ERROR_ILLEGAL_VALUE.code;
    host.set_up(HASHES, 4);
    let (control, table) = (registers::CONTROL.address, registers::LEVEL_TABLE.at(1));
    let [status, enable] = [registers::INTERRUPT_STATUS, registers::INTERRUPT_ENABLE];
    let mut cases: Vec<(u32, u32)> = (2..32).map(|bit| (control, START | 1 << bit)).collect();
    cases.extend([
        (control, CLEAR | START),
        (control, ZEROISE | CLEAR),
        (control, 1 << 31),
        (control, u32::MAX),
    ]);
    cases.extend((18..32).map(|bit| (table, 5 | 1 << bit)));
    cases.extend((3..32).flat_map(|bit| [(status.address, 1 << bit), (enable.address, 1 << bit)]));
    for (address, value) in cases {
        let before = host.read(address);
        host.write(address, value);
        assert!(host.chip.refused(), "0x{address:03X} = 0x{value:X}");
        assert_eq!(
            host.error(),
            (code, address),
            "0x{address:03X} = 0x{value:X}"
        );
        assert_eq!(host.status(), ERROR, "0x{address:03X} = 0x{value:X}");
        if address != status.address {
            assert_eq!(host.read(address), before, "0x{address:03X} = 0x{value:X}");
        }
        host.clear();
    }
    host.check_run(&mut random);
}

/// A host that only waits for the end of a run must not wait for ever, whatever was before.
#[test]
fn a_start_that_is_refused_while_an_error_is_pending_is_seen() {
    let mut random = Random::new(seed(65));
    let mut device = programmed(26);
    let mut host = Host {
        chip: device.port(),
    };
    let unknown = (registers::ERROR_UNKNOWN_REGISTER.code, 0xFFC);
    // A run before, which is done; an error that has nothing to do with the starts.
    let input = elements(&mut random, large_field(), 4);
    host.start(HASHES, 2);
    host.finish(&input);
    host.write(0xFFC, 0);
    assert_eq!(host.status(), DONE | ERROR);
    // Refused at once.
    host.write(registers::LEAVES.address, 0);
    host.write(registers::CONTROL.address, START);
    assert!(host.chip.refused());
    assert_eq!(host.status(), DONE | ERROR | REFUSED);
    assert_eq!(host.error(), unknown);
    // The flag is of the last start: the level table is looked at later.
    host.set_up(HASHES, 4);
    let no_groups = LevelEntry::of_nodes(0);
    host.write(registers::LEVEL_TABLE.at(1), no_groups.value());
    host.write(registers::CONTROL.address, START);
    assert!(!host.chip.refused());
    assert_eq!(host.status(), BUSY | ERROR);
    host.feed(&[], 20);
    assert_eq!(host.status(), ERROR | REFUSED);
    assert_eq!(host.error(), unknown);
    // A start that is accepted takes it back, with the error still there.
    host.start(HASHES, 2);
    assert_eq!(host.status(), BUSY | ERROR);
    // During a run.
    host.write(registers::CONTROL.address, START);
    assert_eq!(host.status(), BUSY | ERROR | REFUSED);
    let output = host.finish(&input);
    assert_eq!(
        [output[0].data],
        *reference_root(pairs(), LeafKind::Hash, &input)
    );
    assert_eq!(host.status(), DONE | ERROR | REFUSED);
    assert_eq!(host.error(), unknown);
    host.clear();
    host.check_run(&mut random);
}

/// An acknowledgement takes the interrupt back, and nothing else.
#[test]
fn interrupts_are_enabled_and_acknowledged() {
    let mut random = Random::new(seed(66));
    let mut device = programmed(27);
    let mut host = Host {
        chip: device.port(),
    };
    let [status, enable] =
        [registers::INTERRUPT_STATUS, registers::INTERRUPT_ENABLE].map(|register| register.address);
    let input = elements(&mut random, large_field(), 4);
    for enabled in 0..4 {
        host.write(enable, enabled);
        assert_eq!(host.read(enable), enabled);
        host.start(HASHES, 2);
        assert!(!host.chip.interrupt());
        // Both can be written during a run.
        host.write(enable, enabled);
        host.write(status, 0);
        assert_eq!(host.error(), (0, 0));
        host.finish(&input);
        assert_eq!(host.read(status), INTERRUPT_DONE);
        assert_eq!(host.chip.interrupt(), enabled & INTERRUPT_DONE != 0);
        host.write(0xFFC, 0);
        let error = host.error();
        assert_eq!(error, (registers::ERROR_UNKNOWN_REGISTER.code, 0xFFC));
        assert_eq!(host.read(status), INTERRUPT_DONE | INTERRUPT_ERROR);
        assert_eq!(host.chip.interrupt(), enabled != 0);
        let cycles = host.read(registers::CYCLES.address);
        assert!(cycles > 0);
        host.write(status, INTERRUPT_DONE);
        assert_eq!(host.read(status), INTERRUPT_ERROR);
        assert_eq!(host.chip.interrupt(), enabled & INTERRUPT_ERROR != 0);
        host.write(status, INTERRUPT_ERROR);
        assert_eq!(host.read(status), 0);
        assert!(!host.chip.interrupt());
        // A second error interrupts again, although the first one stays registered.
        host.read(0xFF8);
        assert_eq!(host.read(status), INTERRUPT_ERROR);
        assert_eq!(host.chip.interrupt(), enabled & INTERRUPT_ERROR != 0);
        host.write(status, INTERRUPT_ERROR);
        assert_eq!(host.error(), error);
        assert_eq!(host.status(), DONE | ERROR);
        assert_eq!(host.read(registers::CYCLES.address), cycles);
        host.clear();
        assert_eq!(
            host.read(enable),
            enabled,
            "a clear changed what is enabled"
        );
    }
    host.write(enable, INTERRUPT_DONE | INTERRUPT_ERROR);
    host.check_run(&mut random);
}

/// The last word of a void run says so, and no word changes while it waits: digests wait at the output
/// when a bad element comes.
#[test]
fn a_word_that_waits_does_not_become_void() {
    let mut random = Random::new(seed(67));
    let mut device = programmed(28);
    let mut host = Host {
        chip: device.port(),
    };
    let (leaves, bad) = (64, 80);
    let mut input = elements(&mut random, large_field(), 2 * leaves as usize);
    input[bad] = common::word(&prime(large_field()));
    host.start(DIGESTS, leaves);
    // The output is refused until the first digests wait there, then the rest of the input comes.
    host.chip.set_stalls(3, 0.0, 0.9999).unwrap();
    let mut output = Vec::new();
    let mut taken = host
        .chip
        .transfer(&input[..bad], &mut output, 8000)
        .unwrap();
    assert_eq!(taken, bad);
    taken += host
        .chip
        .transfer(&input[bad..], &mut output, 8000)
        .unwrap();
    host.chip.set_stalls(0, 0.0, 0.0).unwrap();
    output.extend(host.finish(&input[taken..]));
    let void = output.iter().filter(|word| word.error).count();
    assert!(output.last().unwrap().error);
    // Those that waited when the bad element came are of before it.
    assert!((1..output.len() - 4).contains(&void), "{void} void words");
    assert!(output.is_sorted_by_key(|word| word.error));
    host.clear();
    host.check_run(&mut random);
}

#[test]
fn the_first_error_stays() {
    let mut random = Random::new(seed(59));
    let mut device = programmed(21);
    let mut host = Host {
        chip: device.port(),
    };
    host.write(0xFFC, 1);
    host.read(0xFF8);
    host.write(
        registers::CONSTANT_ADDRESS.address,
        constant_address(14, 1, 0),
    );
    host.write(registers::LEAVES.address, 0);
    host.write(registers::CONTROL.address, START);
    assert_eq!(
        host.error(),
        (registers::ERROR_UNKNOWN_REGISTER.code, 0xFFC)
    );
    host.clear();
    host.check_run(&mut random);
}

#[test]
fn illegal_primes_do_not_start() {
    let mut random = Random::new(seed(60));
    let mut device = programmed(22);
    let prime = prime(large_field());
    let mut host = Host {
        chip: device.port(),
    };
    let found = (0..8).rev().fold(BigUint::default(), |value, i| {
        (value << 32_u32) + host.read(registers::PRIME.at(i))
    });
    assert_eq!(found, prime);
    let one = BigUint::from(1_u32);
    let illegal = [
        BigUint::default(),
        one.clone(),
        (&one << 250_u32) - (&one << 28_u32) + 1_u32,
        (&one << 255_u32) + 1_u32,
        (&one << 256_u32) - (&one << 28_u32) + 1_u32,
        &prime + 1_u32,
        &prime - 1_u32,
        &prime ^ (&one << 27_u32),
        (&one << 254_u32) + 3_u32,
    ];
    for value in illegal {
        if RUNTIME_MODULUS {
            host.write_word(&registers::PRIME, &common::word(&value));
            host.set_up(HASHES, 4);
            host.write(registers::CONTROL.address, START);
            let code = registers::ERROR_ILLEGAL_CONFIGURATION.code;
            assert_eq!(host.error(), (code, registers::PRIME.at(0)), "{value:x}");
            host.clear();
            host.write_word(&registers::PRIME, &common::word(&prime));
        } else {
            // A prime that was built in cannot be changed.
            host.write(
                registers::PRIME.at(0),
                value.iter_u32_digits().next().unwrap_or(0),
            );
            let code = registers::ERROR_UNKNOWN_REGISTER.code;
            assert_eq!(host.error(), (code, registers::PRIME.at(0)));
            host.clear();
        }
    }
    host.check_run(&mut random);
}

#[test]
fn a_clear_aborts_a_run_at_any_time() {
    let seed = seed(61);
    let mut random = Random::new(seed);
    let mut device = programmed(seed as u32);
    let mut host = Host {
        chip: device.port(),
    };
    for round in 0..9 {
        let run = [HASHES, ELEMENTS, DIGESTS][round % 3];
        let input = elements(&mut random, large_field(), 128);
        // From the first cycles over full engines to the time of the output.
        let cycles = random.below([20, 400, 5000][round / 3 % 3]);
        host.start(run, 128);
        host.chip.transfer(&input, &mut Vec::new(), cycles).unwrap();
        if round % 2 == 0 {
            host.clear();
        } else {
            // Abort and error at once: a second start is refused, then everything is cleared.
            host.write(registers::CONTROL.address, START);
            host.write(registers::CONTROL.address, CLEAR);
            assert_eq!(host.status() & (ERROR | REFUSED), 0);
            host.clear();
        }
        // Nothing of the aborted run may come out.
        assert_eq!(host.feed(&input, 300), 0, "an idle chip took input");
        host.check_run(&mut random);
    }
}

#[test]
fn a_reset_during_a_run_is_survived() {
    let mut random = Random::new(seed(62));
    let mut device = programmed(23);
    let limits = device.capabilities().limits;
    let program = ChipProgram::compile(pairs(), &limits).unwrap();
    let mut host = Host {
        chip: device.port(),
    };
    let input = elements(&mut random, large_field(), 64);
    host.start(HASHES, 32);
    host.feed(&input, 700);
    host.chip.reset();
    assert_eq!(host.status(), 0);
    assert_eq!(host.error(), (0, 0));
    host.load(&program);
    host.check_run(&mut random);
}

#[test]
fn missing_input_and_refused_output_only_wait() {
    let mut random = Random::new(seed(63));
    let mut device = programmed(24);
    let mut host = Host {
        chip: device.port(),
    };
    let input = elements(&mut random, large_field(), 8);
    host.start(HASHES, 4);
    assert_eq!(host.feed(&input[..7], 5000), 7);
    assert_eq!(host.status(), BUSY);
    // Output refused in every cycle but one in a thousand.
    host.chip.set_stalls(46, 0.0, 0.999).unwrap();
    let output = host.finish(&input[7..]);
    assert_eq!(
        [output[0].data],
        *reference_root(pairs(), LeafKind::Hash, &input)
    );
    host.chip.set_stalls(0, 0.0, 0.0).unwrap();
    host.clear();
    host.check_run(&mut random);
}

// ---- Waveforms -------------------------------------------------------------------------------------

#[test]
fn waveforms_hold_a_window() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let sizes = [50, 400].map(|count| {
        let path = folder.join(format!("window-{count}.fst"));
        let mut chip = RtlChip::new(16).unwrap();
        chip.trace(&Waves {
            path: path.clone(),
            window: WaveformWindow {
                first: 100,
                count,
                depth: 0,
            },
        })
        .unwrap();
        chip.transfer(&[], &mut Vec::new(), 1000).unwrap();
        drop(chip);
        fs::metadata(&path).unwrap().len()
    });
    assert!(0 < sizes[0] && sizes[0] < sizes[1], "{sizes:?}");
}

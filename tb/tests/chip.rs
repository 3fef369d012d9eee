// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! The whole chip against the reference: vectors, trees, parameters, stalls, counters, and what a host
//! may do wrong.

mod common;

use std::fs;
use std::path::Path;

use acclmt::device::{CommitRequest, Counters, Device, LeafKind, NoProgress};
use acclmt::driver::{ChipDevice, ChipPort, OutputWord};
use acclmt::params::{PoseidonParameters, PoseidonSpecification};
use acclmt::poseidon::hash_dense;
use acclmt::presets;
use acclmt::program::{ChipProgram, EngineLimits};
use acclmt::registers;
use acclmt::software::SoftwareDevice;
use acclmt::vectors::{Outcome, VectorFile, run_case};
use acclmt::word::{self, Word};
use acclmt_tb::{RtlChip, WaveformWindow, Waves, rtl_device};
use ark_bls12_381::Fr;
use ark_ff::PrimeField;
use common::{Random, elements, prime, seed};
use num_bigint::BigUint;

/// Clock cycles within which every run of these tests ends.
const PATIENCE: u64 = 400_000;

/// Upper bound of the cycles a hash costs in the steady state at arity 2.
const CYCLES_PER_HASH: u64 = 17;

/// Rounds of a hash in the busiest sub-engine: what the formula of the ring promises.
const PERIOD: f64 = 16.0;

fn preset() -> &'static PoseidonParameters<Fr> {
    presets::by_name("filecoin-arity-2").unwrap()
}

fn field(word: &Word) -> Fr {
    Fr::from_le_bytes_mod_order(word)
}

fn commit(
    device: &mut dyn Device,
    parameters: &PoseidonParameters<Fr>,
    leaf: LeafKind,
    words: &[Word],
) -> (Word, Option<Counters>) {
    let request = CommitRequest {
        parameters,
        leaf,
        words,
    };
    let report = device.commit(&request, &mut NoProgress).unwrap();
    (report.root, report.counters)
}

fn reference_root(leaf: LeafKind, words: &[Word]) -> Word {
    commit(&mut SoftwareDevice::new(), preset(), leaf, words).0
}

/// The counters of a run must tell what the run was.
fn check_counters(counters: &Counters, words: u64, leaf_hashes: u64, root_hashes: u64) {
    assert_eq!(counters.leaf.hashes, leaf_hashes);
    assert_eq!(counters.root.hashes, root_hashes);
    let parameters = preset();
    for engine in [&counters.leaf, &counters.root] {
        let rounds = engine.busy_full + engine.busy_partial.iter().sum::<u64>();
        assert_eq!(rounds, engine.hashes * parameters.rounds() as u64);
    }
    assert!(counters.cycle_first_in <= counters.cycle_last_in);
    assert!(counters.cycle_last_in < counters.cycle_first_out);
    assert!(counters.cycle_first_out <= counters.cycle_last_out);
    assert!(counters.cycle_last_out <= counters.cycles);
    assert!(counters.cycle_last_in + 1 >= counters.cycle_first_in + words);
}

// ---- Results ---------------------------------------------------------------------------------------

/// Runs every case of the vector files whose name contains `part`; returns how many passed.
fn run_vectors(part: &str) -> usize {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sim-rs/vectors");
    let mut device = rtl_device(1).unwrap();
    let mut passed = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if !name.ends_with(".json") || !name.contains(part) {
            continue;
        }
        for case in VectorFile::load(&path).unwrap().cases {
            match run_case(&mut device, &case) {
                Outcome::Passed => passed += 1,
                Outcome::Skipped { reason } => println!("{name} {}: skipped, {reason}", case.name),
                Outcome::Failed { expected, got } => {
                    panic!("{name} {}: expected {expected}, got {got}", case.name)
                }
            }
        }
    }
    passed
}

#[test]
fn vectors_of_hashes() {
    assert_eq!(run_vectors("381_arity2.json"), 19);
}

#[test]
fn vectors_of_trees() {
    assert_eq!(run_vectors("merkle_arity2.json"), 10);
}

#[test]
fn vectors_of_other_widths_are_skipped_not_failed() {
    assert_eq!(run_vectors("arity4"), 0);
    assert_eq!(run_vectors("domain_tags"), 0);
}

#[test]
fn trees_back_to_back() {
    let mut random = Random::new(seed(31));
    let mut device = rtl_device(2).unwrap();
    for height in 1..=8 {
        for leaf in [LeafKind::Hash, LeafKind::Element] {
            let leaves = 1_u64 << height;
            let (words, leaf_hashes) = match leaf {
                LeafKind::Hash => (2 * leaves, leaves),
                LeafKind::Element => (leaves, 0),
            };
            let input = elements(&mut random, words as usize);
            let (root, counters) = commit(&mut device, preset(), leaf, &input);
            assert_eq!(
                root,
                reference_root(leaf, &input),
                "{leaves} leaves, {leaf:?}"
            );
            check_counters(&counters.unwrap(), words, leaf_hashes, leaves - 1);
        }
    }
}

#[test]
fn corner_elements() {
    let zero = Word::default();
    let largest = common::word(&(prime() - 1_u32));
    let one = word::from_u64(1);
    let mut device = rtl_device(3).unwrap();
    for input in [[zero; 4], [largest; 4], [zero, largest, one, zero]] {
        for leaf in [LeafKind::Hash, LeafKind::Element] {
            let (root, _) = commit(&mut device, preset(), leaf, &input);
            assert_eq!(root, reference_root(leaf, &input));
        }
    }
}

#[test]
#[ignore = "long: two trees of 4096 and 8192 leaves on the simulated chip"]
fn large_trees_and_the_steady_state_of_the_root_engine() {
    let mut random = Random::new(seed(32));
    let mut device = rtl_device(4).unwrap();
    for leaf in [LeafKind::Hash, LeafKind::Element] {
        let cycles = [4096_usize, 8192].map(|leaves| {
            let words = if leaf == LeafKind::Hash { 2 } else { 1 } * leaves;
            let input = elements(&mut random, words);
            let (root, counters) = commit(&mut device, preset(), leaf, &input);
            assert_eq!(
                root,
                reference_root(leaf, &input),
                "{leaves} leaves, {leaf:?}"
            );
            let counters = counters.unwrap();
            println!("{leaves} leaves, {leaf:?}: {} cycles", counters.cycles);
            counters.cycles
        });
        assert!(leaf == LeafKind::Element || cycles[0] <= 150_000);
        // The second standard tree comes on top of the first, with both engines in the steady state;
        // the one level more waits for one hash more.
        let (root, counters) = commit(
            &mut device,
            preset(),
            LeafKind::Element,
            &elements(&mut random, 2),
        );
        assert_ne!(root, Word::default());
        let level = counters.unwrap().cycles;
        let steady = (cycles[1] - cycles[0] - level) as f64 / 4096.0;
        println!("{leaf:?}: {steady:.2} cycles a leaf in the steady state");
        assert!(cycles[1] - cycles[0] <= 4096 * CYCLES_PER_HASH);
        assert!(steady <= PERIOD + 0.1);
    }
}

#[test]
fn steady_state_of_the_leaf_engine() {
    let mut random = Random::new(seed(33));
    let mut device = rtl_device(5).unwrap();
    let parameters = preset();
    let [short, long] = [1024_usize, 3072].map(|count| {
        let inputs: Vec<Vec<Word>> = (0..count).map(|_| elements(&mut random, 2)).collect();
        let report = device
            .hash_many(parameters, &inputs, &mut NoProgress)
            .unwrap();
        for (input, digest) in inputs.iter().zip(&report.digests) {
            let expected = hash_dense(parameters, &[field(&input[0]), field(&input[1])]).unwrap();
            assert_eq!(*digest, word::from_field(expected));
        }
        let counters = report.counters.unwrap();
        let engine = &counters.leaf;
        let count = count as u64;
        assert_eq!(engine.hashes, count);
        // No sub-engine may be busy for more cycles a hash than the period.
        assert!(engine.busy_full <= count * CYCLES_PER_HASH);
        assert!(
            engine
                .busy_partial
                .iter()
                .all(|&busy| busy <= count * CYCLES_PER_HASH)
        );
        counters.cycles
    });
    let (cycles, hashes) = (long - short, 3072 - 1024);
    let steady = cycles as f64 / hashes as f64;
    println!("{cycles} cycles for {hashes} hashes more: {steady:.2} cycles a hash");
    assert!(steady <= PERIOD + 0.1);
}

// ---- Stalls ----------------------------------------------------------------------------------------

#[test]
fn stalls_change_no_result() {
    let seed = seed(34);
    let mut random = Random::new(seed);
    let input = elements(&mut random, 64);
    let hashes: Vec<Vec<Word>> = input.chunks(2).map(<[Word]>::to_vec).collect();
    let root = reference_root(LeafKind::Hash, &input);
    let digests = SoftwareDevice::new()
        .hash_many(preset(), &hashes, &mut NoProgress)
        .unwrap()
        .digests;
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
        let (found, _) = commit(&mut device, preset(), LeafKind::Hash, &input);
        assert_eq!(found, root, "stalls {stall_input}, {stall_output}");
        let report = device
            .hash_many(preset(), &hashes, &mut NoProgress)
            .unwrap();
        assert_eq!(
            report.digests, digests,
            "stalls {stall_input}, {stall_output}"
        );
        let counters = report.counters.unwrap();
        assert_eq!(counters.leaf.hashes, hashes.len() as u64);
        assert!(counters.cycle_first_out < counters.cycle_last_out);
        if stall_output > 0.9 {
            assert!(counters.stall_out > 0, "refused output was not counted");
        }
    }
}

#[test]
fn initial_state_changes_nothing() {
    let input = elements(&mut Random::new(seed(35)), 16);
    let [first, second] = [6, 7].map(|seed| {
        let (root, counters) = commit(
            &mut rtl_device(seed).unwrap(),
            preset(),
            LeafKind::Hash,
            &input,
        );
        (root, counters.unwrap())
    });
    assert_eq!(first, second);
}

// ---- Parameters ------------------------------------------------------------------------------------

/// Random round constants and a random matrix.
fn random_parameters(
    random: &mut Random,
    rounds: (usize, usize, usize),
    digest_index: usize,
) -> PoseidonParameters<Fr> {
    let prime = prime();
    let mut row = || -> Vec<Fr> {
        (0..3)
            .map(|_| field(&common::word(&random.big_below(&prime))))
            .collect()
    };
    let (full_rounds_first, partial_rounds, full_rounds_last) = rounds;
    PoseidonParameters::new(PoseidonSpecification {
        name: format!("random {rounds:?}"),
        field_name: presets::BLS12_381.to_owned(),
        alpha: 5,
        full_rounds_first,
        partial_rounds,
        full_rounds_last,
        round_constants: (0..full_rounds_first + partial_rounds + full_rounds_last)
            .map(|_| row())
            .collect(),
        mds: (0..3).map(|_| row()).collect(),
        tag: row()[0],
        tag_index: 0,
        digest_index,
    })
    .unwrap()
}

#[test]
fn random_parameters_and_segments() {
    let seed = seed(36);
    let mut random = Random::new(seed);
    let mut device = rtl_device(seed as u32).unwrap();
    let limits: EngineLimits = device.capabilities().limits;
    let port = device.port();
    // Full rounds first, partial rounds on each sub-engine, full rounds last.
    for (case, (first, split, last)) in [
        (1, [0, 0, 0, 0], 1),
        (4, [0, 0, 0, 0], 4),
        (1, [3, 0, 0, 0], 2),
        (2, [0, 1, 0, 0], 1),
        (3, [0, 0, 0, 2], 1),
        (1, [1, 1, 1, 1], 3),
        (4, [2, 0, 7, 0], 4),
        (2, [5, 11, 0, 3], 6),
        (4, [7, 16, 16, 16], 4),
    ]
    .into_iter()
    .enumerate()
    {
        let rounds = (first, split.iter().sum(), last);
        let parameters = random_parameters(&mut random, rounds, case % 3);
        let program = ChipProgram::compile_split(&parameters, &limits, &split).unwrap();
        let inputs = elements(&mut random, 2 * 70);
        // Some stalls, so that hashes meet in every order.
        let (stall_input, stall_output) = [(0.0, 0.0), (0.4, 0.4), (0.0, 0.9)][case % 3];
        port.set_stalls(random.next(), stall_input, stall_output)
            .unwrap();
        let mut host = Host { chip: port };
        host.load(&program);
        host.start(DIGESTS, 70);
        let output = host.finish(&inputs);
        assert_eq!(output.len(), 70, "{rounds:?} as {split:?}");
        for (input, found) in inputs.chunks(2).zip(&output) {
            let expected = hash_dense(&parameters, &[field(&input[0]), field(&input[1])]).unwrap();
            assert_eq!(
                found.data,
                word::from_field(expected),
                "{rounds:?} as {split:?}"
            );
            assert!(!found.error);
        }
        host.write(registers::CONTROL.address, CLEAR);
    }
}

// ---- What a host may do wrong ----------------------------------------------------------------------

const START: u32 = 1;
const CLEAR: u32 = 2;
const BUSY: u32 = 1;
const DONE: u32 = 2;
const ERROR: u32 = 4;
/// Values of MODE.
const ELEMENTS: u32 = 0;
const HASHES: u32 = 1;
const DIGESTS: u32 = 3;

/// A host that programs the chip by hand.
struct Host<'a> {
    chip: &'a mut RtlChip,
}

impl Host<'_> {
    fn write(&mut self, address: u32, value: u32) {
        self.chip.write_register(address, value).unwrap();
    }

    fn read(&mut self, address: u32) -> u32 {
        self.chip.read_register(address).unwrap()
    }

    fn load(&mut self, program: &ChipProgram) {
        let values = &program.registers;
        for (register, value) in [
            (&registers::ARITY, values.arity),
            (&registers::WIDTH, values.width),
            (&registers::ALPHA, values.alpha),
            (&registers::FULL_ROUNDS_FIRST, values.full_rounds_first),
            (&registers::FULL_ROUNDS_LAST, values.full_rounds_last),
            (&registers::DIGEST_INDEX, values.digest_index),
        ] {
            self.write(register.address, value);
        }
        for (position, &rounds) in (0..).zip(&values.partial_rounds) {
            self.write(registers::PARTIAL_ROUNDS.at(position), rounds);
        }
        for constant in &program.constants {
            for (position, bytes) in (0..).zip(constant.word.as_chunks::<4>().0) {
                let address = registers::CONSTANT_DATA.at(position);
                self.write(address, u32::from_le_bytes(*bytes));
            }
            self.write(
                registers::CONSTANT_ADDRESS.address,
                registers::CONSTANT_INDEX.with(constant.index.into())
                    | registers::CONSTANT_BANK.with(constant.bank.into())
                    | registers::CONSTANT_ENGINE.with(constant.sub_engine.into())
                    | registers::CONSTANT_ENGINE_MASK.with(constant.engine_mask.into()),
            );
        }
        assert_eq!(self.error(), (0, 0));
    }

    fn start(&mut self, mode: u32, leaves: u32) {
        self.write(registers::MODE.address, mode);
        self.write(registers::LEAVES.address, leaves);
        self.write(registers::CONTROL.address, START);
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

    /// A run on the chip as it is must give the right root.
    fn check_run(&mut self, random: &mut Random) {
        let input = elements(random, 4);
        self.start(HASHES, 2);
        assert_eq!(self.error(), (0, 0));
        assert_eq!(self.status(), BUSY);
        let output = self.finish(&input);
        assert_eq!(output.len(), 1);
        assert_eq!(output[0].data, reference_root(LeafKind::Hash, &input));
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

/// A chip with the preset's program in it.
fn programmed(seed: u32) -> ChipDevice<RtlChip> {
    let mut device = rtl_device(seed).unwrap();
    let limits = device.capabilities().limits;
    let program = ChipProgram::compile(preset(), &limits).unwrap();
    Host {
        chip: device.port(),
    }
    .load(&program);
    device
}

#[test]
fn illegal_configurations_do_not_start() {
    let mut random = Random::new(seed(37));
    let mut device = programmed(8);
    let limits = device.capabilities().limits;
    let max_height = device.capabilities().max_height;
    let mut host = Host {
        chip: device.port(),
    };
    let rounds = registers::PARTIAL_ROUNDS;
    let mut cases = vec![
        (registers::MODE.address, 2, HASHES, 4),
        (registers::MODE.address, 4, HASHES, 4),
        (registers::MODE.address, u32::MAX, HASHES, 4),
        (registers::ARITY.address, 0, HASHES, 4),
        (registers::ARITY.address, 4, HASHES, 4),
        (registers::LEAVES.address, 0, HASHES, 4),
        (registers::LEAVES.address, 0, DIGESTS, 4),
        (registers::LEAVES.address, 1, HASHES, 4),
        (registers::LEAVES.address, 3, HASHES, 4),
        (registers::LEAVES.address, 6, ELEMENTS, 4),
        (registers::LEAVES.address, 2 << max_height, HASHES, 4),
        (registers::LEAVES.address, 1 << 31, HASHES, 4),
        (registers::LEAVES.address, u32::MAX, HASHES, 4),
        (registers::WIDTH.address, 5, HASHES, 4),
        (registers::ALPHA.address, 3, HASHES, 4),
        (registers::ALPHA.address, 7, HASHES, 4),
        (registers::FULL_ROUNDS_FIRST.address, 0, HASHES, 4),
        (registers::FULL_ROUNDS_FIRST.address, u32::MAX, HASHES, 4),
        (registers::FULL_ROUNDS_LAST.address, 0, HASHES, 4),
        (
            registers::FULL_ROUNDS_LAST.address,
            limits.constant_depth as u32,
            HASHES,
            4,
        ),
        (registers::DIGEST_INDEX.address, 3, HASHES, 4),
        (rounds.at(0), limits.matrix_depth as u32 - 1, HASHES, 4),
        (rounds.at(1), limits.partial_depth as u32 + 1, HASHES, 4),
    ];
    // Sub-engines that the chip does not have take no rounds.
    for absent in limits.num_partial + 1..rounds.count as usize {
        cases.push((rounds.at(absent as u32), 1, HASHES, 4));
    }
    for (register, value, mode, leaves) in cases {
        let name = registers::register_name(register).unwrap();
        host.write(registers::MODE.address, mode);
        host.write(registers::LEAVES.address, leaves);
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
        assert_eq!(host.status(), ERROR, "{name} = {value}");
        assert!(host.chip.interrupt());
        assert_eq!(
            host.feed(&elements(&mut random, 8), 200),
            0,
            "{name} = {value}"
        );
        host.clear();
        host.write(register, legal);
    }
    host.check_run(&mut random);
}

#[test]
fn writes_during_a_run_are_refused_and_change_nothing() {
    let mut random = Random::new(seed(38));
    let mut device = programmed(9);
    let mut host = Host {
        chip: device.port(),
    };
    let code = registers::ERROR_WRITE_WHILE_RUNNING.code;
    let mut addresses = vec![
        registers::MODE.address,
        registers::ARITY.address,
        registers::LEAVES.address,
        registers::WIDTH.address,
        registers::ALPHA.address,
        registers::FULL_ROUNDS_FIRST.address,
        registers::FULL_ROUNDS_LAST.address,
        registers::DIGEST_INDEX.address,
        registers::CONSTANT_ADDRESS.address,
    ];
    addresses.extend((0..registers::PARTIAL_ROUNDS.count).map(|i| registers::PARTIAL_ROUNDS.at(i)));
    addresses.extend((0..registers::CONSTANT_DATA.count).map(|i| registers::CONSTANT_DATA.at(i)));
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
    let input = elements(&mut random, 8);
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
    assert_eq!(output[0].data, reference_root(LeafKind::Hash, &input));
    assert!(!output[0].error);
    assert_eq!(host.error(), (code, addresses[0]));
    host.clear();
    host.check_run(&mut random);
}

#[test]
fn elements_not_below_the_prime_void_the_output() {
    let mut random = Random::new(seed(39));
    let mut device = programmed(10);
    let mut host = Host {
        chip: device.port(),
    };
    let code = registers::ERROR_ELEMENT_NOT_BELOW_PRIME.code;
    let ones: BigUint = (BigUint::from(1_u32) << 256) - 1_u32;
    for (mode, words) in [(HASHES, 4), (ELEMENTS, 2), (DIGESTS, 4)] {
        for value in [
            prime(),
            prime() + 1_u32,
            ones.clone(),
            BigUint::from(1_u32) << 255,
        ] {
            let index = random.below(words) as usize;
            let mut input = elements(&mut random, words as usize);
            input[index] = common::word(&value);
            host.start(mode, 2);
            let output = host.finish(&input);
            assert!(output.last().unwrap().error, "element {index}: {value:x}");
            assert_eq!(host.error(), (code, index as u32));
            assert_eq!(host.status(), DONE | ERROR);
            host.clear();
        }
        // The largest element that is one.
        let mut input = elements(&mut random, words as usize);
        input[0] = common::word(&(prime() - 1_u32));
        host.start(mode, 2);
        assert!(host.finish(&input).iter().all(|word| !word.error));
        assert_eq!(host.error(), (0, 0));
        host.clear();
    }
    host.check_run(&mut random);
}

#[test]
fn start_during_a_run_is_refused() {
    let mut random = Random::new(seed(40));
    let mut device = programmed(11);
    let mut host = Host {
        chip: device.port(),
    };
    let input = elements(&mut random, 8);
    host.start(HASHES, 4);
    assert_eq!(host.feed(&input[..5], 300), 5);
    host.write(registers::CONTROL.address, START);
    assert!(host.chip.refused());
    assert_eq!(host.error().0, registers::ERROR_START_WHILE_RUNNING.code);
    assert_eq!(host.status(), BUSY | ERROR);
    let output = host.finish(&input[5..]);
    assert_eq!(output[0].data, reference_root(LeafKind::Hash, &input));
    host.clear();
    host.check_run(&mut random);
}

#[test]
fn unknown_registers_are_errors() {
    let mut random = Random::new(seed(41));
    let mut device = programmed(12);
    let mut host = Host {
        chip: device.port(),
    };
    let code = registers::ERROR_UNKNOWN_REGISTER.code;
    let known = |address: u32| registers::REGISTERS.iter().any(|r| r.contains(address));
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
    for address in [
        registers::ID.address,
        registers::STATUS.address,
        registers::ERROR.address,
        registers::PRIME.at(3),
        registers::CYCLES.address,
    ] {
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

#[test]
fn the_first_error_stays() {
    let mut random = Random::new(seed(42));
    let mut device = programmed(13);
    let mut host = Host {
        chip: device.port(),
    };
    host.write(0xFFC, 1);
    host.read(0xFF8);
    host.write(registers::LEAVES.address, 3);
    host.write(registers::CONTROL.address, START);
    assert_eq!(
        host.error(),
        (registers::ERROR_UNKNOWN_REGISTER.code, 0xFFC)
    );
    host.clear();
    host.check_run(&mut random);
}

#[test]
fn a_clear_aborts_a_run_at_any_time() {
    let seed = seed(43);
    let mut random = Random::new(seed);
    let mut device = programmed(seed as u32);
    let mut host = Host {
        chip: device.port(),
    };
    for round in 0..9 {
        let mode = [HASHES, ELEMENTS, DIGESTS][round % 3];
        let input = elements(&mut random, 128);
        // From the first cycles over full engines to the time of the output.
        let cycles = random.below([20, 400, 5000][round / 3 % 3]);
        host.start(mode, 128);
        host.chip.transfer(&input, &mut Vec::new(), cycles).unwrap();
        if round % 2 == 0 {
            host.clear();
        } else {
            // Abort and error at once: a second start is refused, then everything is cleared.
            host.write(registers::CONTROL.address, START);
            host.write(registers::CONTROL.address, CLEAR | START);
            assert_eq!(host.status() & ERROR, 0);
            host.clear();
        }
        // Nothing of the aborted run may come out.
        assert_eq!(host.feed(&input, 300), 0, "an idle chip took input");
        host.check_run(&mut random);
    }
}

#[test]
fn a_reset_during_a_run_is_survived() {
    let mut random = Random::new(seed(44));
    let mut device = programmed(14);
    let limits = device.capabilities().limits;
    let program = ChipProgram::compile(preset(), &limits).unwrap();
    let mut host = Host {
        chip: device.port(),
    };
    let input = elements(&mut random, 64);
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
    let mut random = Random::new(seed(45));
    let mut device = programmed(15);
    let mut host = Host {
        chip: device.port(),
    };
    let input = elements(&mut random, 8);
    host.start(HASHES, 4);
    assert_eq!(host.feed(&input[..7], 5000), 7);
    assert_eq!(host.status(), BUSY);
    // Output refused in every cycle but one in a thousand.
    host.chip.set_stalls(46, 0.0, 0.999).unwrap();
    let output = host.finish(&input[7..]);
    assert_eq!(output[0].data, reference_root(LeafKind::Hash, &input));
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

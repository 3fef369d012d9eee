//! The driver against chips that have one fault each.

use super::fake::{BUILD, FakeChip, Fault};
use super::*;
use crate::device::{NoProgress, WordSource, Zeroisation};
use crate::nodes::{AllNodes, NoNodes};
use crate::program::PassEntry;
use crate::software::SoftwareDevice;
use acclmt_merkle::levels::UpperLevels;
use acclmt_merkle::shape::Padding;
use acclmt_poseidon::fields::{Bls12_381, FieldId, Goldilocks, PoseidonField};
use acclmt_poseidon::params::{PoseidonParameters, PoseidonSpecification};
use acclmt_poseidon::presets;
use acclmt_poseidon::random::{self, Ranges};

fn bls12_381() -> EngineLimits {
    EngineLimits {
        prime: FieldId::Bls12_381.prime(),
        ..BUILD
    }
}

fn device(fault: Fault) -> ChipDevice<FakeChip> {
    device_of(fault, bls12_381())
}

fn device_of(fault: Fault, limits: EngineLimits) -> ChipDevice<FakeChip> {
    ChipDevice::new(FakeChip::new(fault, limits)).unwrap()
}

/// A hash of `arity` elements with few rounds.
fn few_rounds(arity: usize) -> AnyParameters {
    let preset = presets::over::<Bls12_381>(&format!("filecoin-arity-{arity}")).unwrap();
    let constants = preset.round_constants();
    PoseidonParameters::new(PoseidonSpecification {
        name: "few-rounds".to_owned(),
        full_rounds_first: 1,
        partial_rounds: 4,
        full_rounds_last: 2,
        round_constants: constants[..7].to_vec(),
        ..preset.specification().clone()
    })
    .unwrap()
    .into()
}

/// A Goldilocks hash of `arity` digests of `length` elements.
fn goldilocks(arity: usize, length: usize) -> AnyParameters {
    let ranges = Ranges {
        widths: 12..=12,
        exponents: vec![7],
        full_rounds: 2..=2,
        partial_rounds: 5..=5,
        ..Ranges::default()
    };
    let any = random::parameters::<Goldilocks>(1, &ranges).unwrap();
    let parameters = PoseidonParameters::new(PoseidonSpecification {
        input_positions: (0..arity * length).rev().collect(),
        digest_positions: (3..3 + length).collect(),
        ..any.specification().clone()
    });
    Goldilocks::wrap(parameters.unwrap())
}

fn numbers(from: u64, count: usize) -> Vec<Word> {
    (from..).map(word::from_u64).take(count).collect()
}

/// The report of `device` on `words`.
fn commit_words(
    device: &mut dyn Device,
    request: &CommitRequest<'_>,
    words: &[Word],
) -> Result<CommitReport, DeviceError> {
    let source = &mut WordSource(words);
    device.commit(request, source, &mut NoNodes, &mut NoProgress)
}

/// The report of `device` on the elements 7, 8, 9, .. as hashed leaves.
fn commit(device: &mut dyn Device, leaves: usize) -> Result<CommitReport, DeviceError> {
    let parameters = few_rounds(2);
    let leaf = LeafRule::Hash(&parameters);
    let request = CommitRequest::new(&parameters, leaf, leaves as u64);
    commit_words(device, &request, &numbers(7, 2 * leaves))
}

/// Checks that the chip and the software give the same root and the same nodes.
fn check_tree(device: &mut dyn Device, request: &CommitRequest<'_>) {
    let words = numbers(7, request.leaf_length() * request.leaves as usize);
    let run = |device: &mut dyn Device| {
        let mut nodes = AllNodes::default();
        let source = &mut WordSource(&words);
        let report = device.commit(request, source, &mut nodes, &mut NoProgress);
        (report.unwrap(), nodes)
    };
    let (expected, expected_nodes) = run(&mut SoftwareDevice::new());
    let (got, nodes) = run(device);
    assert_eq!(got.cap, expected.cap, "{request:?}");
    assert_eq!(nodes, expected_nodes, "{request:?}");
    assert_eq!((got.leaves, got.hashes), (expected.leaves, expected.hashes));
    assert_eq!(got.counters.is_some(), expected.hashes > 0);
}

/// Checks that the chip and the software give the same root for all kinds of leaves.
fn check_roots(device: &mut dyn Device, parameters: &AnyParameters, leaves: usize) {
    for leaf in [LeafRule::Hash(parameters), LeafRule::Digest] {
        check_tree(device, &CommitRequest::new(parameters, leaf, leaves as u64));
    }
}

/// Checks hashes and permutations on the chip against the software.
fn check_hashes(device: &mut dyn Device, parameters: &AnyParameters) {
    let mut software = SoftwareDevice::new();
    let inputs: Vec<_> = (0..5)
        .map(|i| numbers(100 * i, parameters.inputs()))
        .collect();
    assert_eq!(
        device
            .hash(parameters, &inputs, &mut NoProgress)
            .unwrap()
            .digests,
        software
            .hash(parameters, &inputs, &mut NoProgress)
            .unwrap()
            .digests,
        "{}",
        parameters.name()
    );
    let states: Vec<_> = (0..3)
        .map(|i| numbers(50 * i, parameters.width()))
        .collect();
    assert_eq!(
        device
            .permute(parameters, &states, &mut NoProgress)
            .unwrap()
            .states,
        software
            .permute(parameters, &states, &mut NoProgress)
            .unwrap()
            .states,
        "{}",
        parameters.name()
    );
}

/// Commits to `leaves` leaves on a chip with `fault`, and then without it on the same chip, which
/// must work again. Returns the message of the first commitment's error.
fn message(fault: Fault, leaves: usize) -> String {
    let mut device = device(fault);
    let message = commit(&mut device, leaves).unwrap_err().to_string();
    device.port().fault = Fault::None;
    assert_eq!(
        commit(&mut device, leaves).unwrap().cap,
        commit(&mut SoftwareDevice::new(), leaves).unwrap().cap,
        "{message}"
    );
    message
}

#[test]
fn capabilities_are_read() {
    let capabilities = *device(Fault::None).capabilities();
    assert_eq!(capabilities.limits, bls12_381());
    assert_eq!((capabilities.lanes, capabilities.max_height), (3, 5));
    assert_eq!(capabilities.node_words, 64);
}

#[test]
fn foreign_chips_are_refused() {
    let refused = |fault| {
        ChipDevice::new(FakeChip::new(fault, bls12_381()))
            .err()
            .unwrap()
            .to_string()
    };
    assert!(refused(Fault::Id(0x1234_5678)).contains("register ID holds 0x12345678"));
    let message = refused(Fault::Id(0xFFFF_FFFF));
    assert!(
        message.contains("does not answer: register Id"),
        "{message}"
    );
    let message = refused(Fault::Version(0x100));
    assert!(message.contains("version 0.1.0 (0x00000100)"), "{message}");
    assert!(message.contains("build the chip anew"), "{message}");
    let message = refused(Fault::Version(0x0002_0304));
    assert!(message.contains("version 2.3.4 (0x00020304)"), "{message}");
    assert!(message.contains("use a newer driver"), "{message}");
    for (full, partial) in [(0, 3), (3, 3), (1, 7)] {
        let value = registers::CAPS_NUM_FULL.with(full) | registers::CAPS_NUM_PARTIAL.with(partial);
        let message = refused(Fault::Engine(value));
        let expected = format!("{full} full-round and {partial} partial-round sub-engines");
        assert!(message.contains(&expected), "{message}");
    }
}

#[test]
fn any_hash_in_any_order_on_one_chip() {
    let sets = [
        few_rounds(2),
        goldilocks(2, 4),
        few_rounds(11),
        few_rounds(1),
        goldilocks(3, 4),
        goldilocks(12, 1),
        few_rounds(4),
        goldilocks(2, 3),
    ];
    let mut device = device(Fault::None);
    for (i, j) in (0..sets.len()).flat_map(|i| (0..sets.len()).map(move |j| (i, j))) {
        check_hashes(&mut device, &sets[i]);
        check_hashes(&mut device, &sets[j]);
    }
}

#[test]
fn random_sets_of_every_field() {
    for field in FieldId::ALL {
        let mut device = device_of(
            Fault::None,
            EngineLimits {
                prime: field.prime(),
                num_full: 2,
                ..BUILD
            },
        );
        for seed in 0..8 {
            let ranges = Ranges {
                singular_minor: seed % 4 == 3,
                ..Ranges::default()
            };
            let parameters = random::any_parameters(field, seed, &ranges).unwrap();
            check_hashes(&mut device, &parameters);
        }
    }
}

#[test]
fn a_runtime_modulus_is_loaded_with_the_field() {
    let mut device = device_of(
        Fault::None,
        EngineLimits {
            runtime_modulus: true,
            montgomery_bits: 280,
            ..bls12_381()
        },
    );
    for field in FieldId::ALL.into_iter().chain(FieldId::ALL) {
        let parameters = random::any_parameters(field, 1, &Ranges::default()).unwrap();
        check_hashes(&mut device, &parameters);
    }
}

#[test]
fn trees_are_folded_by_the_chip() {
    let mut device = device(Fault::None);
    for leaves in [2, 4, 8, 16, 32] {
        check_roots(&mut device, &few_rounds(2), leaves);
        for length in 1..=4 {
            check_roots(&mut device, &goldilocks(2, length), leaves);
        }
        assert!(!device.port().digests());
    }
    for arity in [3, 4, 8, 11] {
        let parameters = few_rounds(arity);
        for leaves in [arity, arity * arity] {
            check_roots(&mut device, &parameters, leaves);
            assert!(!device.port().digests());
        }
    }
    check_roots(&mut device, &goldilocks(3, 4), 27);
    assert!(!device.port().digests());
}

#[test]
fn other_trees_are_folded_level_by_level() {
    let mut device = device(Fault::None);
    // Digests that share a stream word.
    for height in 0..3 {
        check_roots(&mut device, &goldilocks(8, 1), 8_usize.pow(height));
        assert!(device.port().digests());
    }
    // More leaves than the chip's tree takes, and fewer.
    check_roots(&mut device, &few_rounds(2), 64);
    check_roots(&mut device, &few_rounds(11), 11 * 11 * 11);
    check_roots(&mut device, &few_rounds(2), 1);
    assert!(device.port().digests());
}

/// Caps, padding, rows, leaves of another set, and every node, on the chip and level by level.
#[test]
fn every_kind_of_tree() {
    let value = numbers(99, 1);
    let four = numbers(99, 4);
    let arity_2 = few_rounds(2);
    let arity_4 = few_rounds(4);
    let plonky2 = presets::by_name("plonky2").unwrap();
    let dusk = presets::by_name("dusk").unwrap();
    let rows = |parameters, columns| LeafRule::Row {
        parameters,
        columns,
    };
    let request = |parameters, leaf, leaves| CommitRequest::new(parameters, leaf, leaves);
    let mut device = device(Fault::None);
    for request in [
        CommitRequest {
            cap_height: 2,
            ..request(&arity_2, LeafRule::Hash(&arity_2), 16)
        },
        CommitRequest {
            cap_height: 4,
            ..request(&arity_2, LeafRule::Hash(&arity_2), 16)
        },
        CommitRequest {
            padding: Padding::Leaf(&value),
            ..request(&arity_2, LeafRule::Digest, 11)
        },
        CommitRequest {
            padding: Padding::SubTree(&value),
            height: Some(5),
            cap_height: 2,
            ..request(&arity_2, LeafRule::Digest, 5)
        },
        CommitRequest {
            padding: Padding::SubTree(&value),
            ..request(&arity_4, LeafRule::Hash(&arity_2), 13)
        },
        // Too high for the chip of this test.
        CommitRequest {
            padding: Padding::Leaf(&value),
            height: Some(7),
            ..request(&arity_2, LeafRule::Digest, 70)
        },
        request(&arity_4, LeafRule::Hash(dusk), 16),
        request(dusk, rows(dusk, 6), 16),
        request(&arity_2, rows(dusk, 9), 32),
        request(plonky2, rows(plonky2, 3), 8),
        request(plonky2, rows(plonky2, 4), 8),
        request(plonky2, rows(plonky2, 19), 8),
        CommitRequest {
            padding: Padding::Leaf(&four),
            cap_height: 1,
            ..request(plonky2, rows(plonky2, 8), 9)
        },
        // Upper levels with sets of their own.
        CommitRequest {
            upper: vec![UpperLevels {
                from: 2,
                parameters: &arity_2,
            }],
            ..request(&arity_4, LeafRule::Hash(&arity_2), 32)
        },
        CommitRequest {
            upper: vec![
                UpperLevels {
                    from: 1,
                    parameters: &arity_4,
                },
                UpperLevels {
                    from: 2,
                    parameters: &arity_2,
                },
            ],
            padding: Padding::Leaf(&value),
            cap_height: 1,
            ..request(&arity_2, LeafRule::Digest, 11)
        },
    ] {
        check_tree(&mut device, &request);
    }
}

#[test]
fn a_source_that_ends_early_leaves_the_chip_usable() {
    let mut device = device(Fault::None);
    let parameters = few_rounds(2);
    let request = CommitRequest::new(&parameters, LeafRule::Hash(&parameters), 16);
    let message = commit_words(&mut device, &request, &numbers(7, 30))
        .unwrap_err()
        .to_string();
    assert!(message.contains("ends 2 field elements early"), "{message}");
    check_roots(&mut device, &parameters, 16);
}

#[test]
fn counters_of_several_runs_are_added() {
    let counters = commit(&mut device(Fault::None), 16)
        .unwrap()
        .counters
        .unwrap();
    assert_eq!((counters.cycles, counters.cycle_last_out), (1000, 999));
    assert_eq!(counters.leaf.busy_full_last, 7);
    // 64 + 32 + 16 + 8 + 4 + 2 + 1 hashes in seven runs.
    let counters = commit(&mut device(Fault::None), 64)
        .unwrap()
        .counters
        .unwrap();
    assert_eq!((counters.cycles, counters.cycle_last_out), (7000, 6999));
    assert_eq!(counters.leaf.busy_full_last, 49);
    assert_eq!(counters.leaf.hashes, 127);
}

#[test]
fn only_constants_that_differ_are_loaded() {
    let mut device = device(Fault::None);
    let parameters = few_rounds(2);
    commit(&mut device, 2).unwrap();
    let constants = device.port().constant_writes;
    assert!(constants > 0);
    commit(&mut device, 4).unwrap();
    assert_eq!(device.port().constant_writes, constants);

    // The permutation differs in the initial vector: one element of it, the domain tag.
    check_hashes(&mut device, &parameters);
    assert_eq!(device.port().constant_writes, constants + 1);
    check_hashes(&mut device, &parameters);
    assert_eq!(device.port().constant_writes, constants + 3);

    let tag = vec![word::from_u64(9), word::from_u64(0), word::from_u64(0)];
    let other = parameters.with_initial_state(&tag).unwrap();
    let inputs = [numbers(3, 2)];
    device.hash(&other, &inputs, &mut NoProgress).unwrap();
    assert_eq!(device.port().constant_writes, constants + 4);
}

#[test]
fn programs_are_kept() {
    let mut device = device(Fault::None);
    for seed in 0..7 {
        let parameters =
            random::any_parameters(FieldId::Bls12_381, seed, &Ranges::default()).unwrap();
        check_hashes(&mut device, &parameters);
        check_hashes(&mut device, &parameters);
        assert_eq!(
            device.compiled.len(),
            MAX_COMPILED.min(2 + 2 * seed as usize)
        );
    }
}

#[test]
fn digests_come_in_the_order_of_the_inputs() {
    let parameters = few_rounds(2);
    let inputs: Vec<_> = (0..5000).map(|i| vec![word::from_u64(i); 2]).collect();
    let report = device(Fault::None)
        .hash(&parameters, &inputs, &mut NoProgress)
        .unwrap();
    let expected = SoftwareDevice::new()
        .hash(&parameters, &inputs, &mut NoProgress)
        .unwrap();
    assert!(report.digests == expected.digests);
    let none = device(Fault::None)
        .hash(&parameters, &[], &mut NoProgress)
        .unwrap();
    assert!(none.digests.is_empty() && none.counters.is_none());
}

#[test]
fn progress_grows_to_the_end() {
    for leaves in [16, 8192] {
        let words = numbers(0, 2 * leaves);
        let parameters = few_rounds(2);
        let leaf = LeafRule::Hash(&parameters);
        let request = CommitRequest::new(&parameters, leaf, leaves as u64);
        let mut reports = Vec::new();
        let mut progress = |done: u64, total: u64| reports.push((done, total));
        device(Fault::None)
            .commit(
                &request,
                &mut WordSource(&words),
                &mut NoNodes,
                &mut progress,
            )
            .unwrap();
        assert!(!reports.is_empty() && reports.is_sorted(), "{reports:?}");
        let hashes = 2 * leaves as u64 - 1;
        assert!(
            (reports.iter()).all(|&(done, total)| done <= total && total == hashes),
            "{reports:?}"
        );
    }
}

#[test]
fn unsupported_work_is_refused_before_the_chip_is_touched() {
    let mut device = device(Fault::None);
    let pallas = random::any_parameters(FieldId::Pallas, 1, &Ranges::default()).unwrap();
    let reason = device.supports(&pallas).unwrap_err().to_string();
    assert!(
        reason.contains("is over pallas, the chip was built for bls12-381 and goldilocks"),
        "{reason}"
    );
    let inputs = [numbers(1, pallas.inputs())];
    let error = device.hash(&pallas, &inputs, &mut NoProgress).unwrap_err();
    assert!(matches!(error, DeviceError::Unsupported(_)), "{error}");
    assert!(device.engine_plan(&pallas).is_err());
    assert_eq!(device.port().constant_writes, 0);
}

#[test]
fn plans_and_notes() {
    let device = device(Fault::None);
    let filecoin = presets::by_name("filecoin-arity-2").unwrap();
    let plan = device.engine_plan(filecoin).unwrap().unwrap();
    assert_eq!((plan.num_full, plan.num_partial, plan.period), (1, 3, 16));
    assert_eq!((plan.products, plan.multipliers), (525, 37));
    assert!((plan.multiplier_bound() - 525.0 / 37.0).abs() < 1e-9);
    assert!(device.notes(filecoin).is_empty());
    let shallow = EngineLimits {
        partial_depth: 8,
        ..bls12_381()
    };
    let notes = device_of(Fault::None, shallow).notes(filecoin);
    assert!(
        (notes.iter()).any(|note| note.contains("40 cycles per hash, with deeper memories")),
        "{notes:?}"
    );
}

#[test]
fn a_refused_start_names_the_register_and_its_value() {
    let message = message(Fault::RefusesStart(registers::LEAF.partial_base.address), 2);
    assert!(message.contains("LEAF_PARTIAL_BASE holds 0"), "{message}");
}

#[test]
fn refused_constants_are_loaded_again() {
    let message = message(Fault::RefusesConstants, 2);
    assert!(
        message.contains("a write of register CONSTANT_ADDRESS"),
        "{message}"
    );
}

/// The first constant, one in the middle, and the last one.
#[test]
fn a_constant_that_came_otherwise_is_noticed() {
    let mut sound = device(Fault::None);
    let inputs = [numbers(1, 2)];
    sound
        .hash(&few_rounds(2), &inputs, &mut NoProgress)
        .unwrap();
    let writes = sound.port().constant_writes;
    for number in [0, writes / 2, writes - 1] {
        let mut device = self::device(Fault::FlipsConstant(number));
        let set = few_rounds(2);
        let error = device.hash(&set, &inputs, &mut NoProgress).unwrap_err();
        let message = error.to_string();
        assert!(
            message.contains("other constants than were sent"),
            "{message}"
        );
        // All are loaded again.
        device.hash(&set, &inputs, &mut NoProgress).unwrap();
    }
}

#[test]
fn a_constant_without_a_place_is_named() {
    let message = message(Fault::HasNoConstants, 2);
    assert!(
        message.contains("no place for a constant: sub-engine 15, bank 0, index 0"),
        "{message}"
    );
}

#[test]
fn a_refused_element_is_named_with_its_value() {
    let prime = FieldId::Bls12_381.prime();
    let error = |program: &ChipProgram, words: Vec<Word>| {
        let count = words.len() / program.input_words();
        let rows = RowRegisters::one_block(&program.registers);
        let element = |word, slice| program.element_index(word, slice);
        match device(Fault::None).run_digests(program, rows, words, count, &element, &mut |_| {}) {
            Err(RunError::Driver(error)) => error,
            _ => panic!("the chip took an element that is none"),
        }
    };
    let program = ChipProgram::compile(&few_rounds(2), &bls12_381()).unwrap();
    let mut elements = numbers(7, 8);
    elements[5] = prime;
    let found = error(&program, program.pack_inputs(&elements));
    assert_eq!(
        found,
        DriverError::ElementNotBelowPrime {
            index: 5,
            value: prime
        }
    );
    assert!(found.to_string().contains("element 5 ("), "{found}");

    let program = ChipProgram::compile(&goldilocks(2, 3), &bls12_381()).unwrap();
    let mut elements = numbers(7, 24);
    elements[16] = word::from_u64(u64::MAX);
    assert_eq!(
        error(&program, program.pack_inputs(&elements)),
        DriverError::ElementNotBelowPrime {
            index: 16,
            value: word::from_u64(u64::MAX)
        }
    );
}

#[test]
fn a_start_that_is_refused_is_reported_at_once() {
    let message = message(Fault::RefusesSilently, 2);
    assert!(message.contains("refused to start without"), "{message}");
}

#[test]
fn a_complaint_about_a_good_element_is_reported_as_it_is() {
    let message = message(Fault::RefusesWord(5), 8);
    assert!(
        message.contains("error 3") && message.contains("0x00000005"),
        "{message}"
    );
}

#[test]
fn unknown_error_codes_are_reported() {
    let message = message(Fault::UnknownCode, 2);
    assert!(
        message.contains("error 99") && message.contains("0x00000007"),
        "{message}"
    );
}

#[test]
fn a_run_without_progress_is_given_up() {
    // 65536 cycles and 512 for each of 7 rounds.
    let message = message(Fault::StopsTaking(3), 8);
    assert!(
        message.contains("no progress in 69632 cycles: 3 of 16 input words taken, 0 of 1"),
        "{message}"
    );
}

#[test]
fn a_chip_with_a_clock_of_its_own_is_waited_for_by_that_of_the_wall() {
    let mut device = device(Fault::StopsFor(Duration::from_millis(300)));
    let began = std::time::Instant::now();
    let message = commit(&mut device, 8).unwrap_err().to_string();
    assert!(began.elapsed() >= Duration::from_millis(300));
    assert!(message.contains("no progress in 0."), "{message}");
    assert!(message.contains(" s: 0 of 16 input words"), "{message}");
}

#[test]
fn a_chip_that_vanishes_is_not_taken_for_a_busy_one() {
    for after in [1, 3] {
        let message = message(Fault::Vanishes(after), 8);
        assert!(
            message.contains("does not answer: register Status"),
            "{message}"
        );
    }
}

#[test]
fn output_of_the_wrong_length_is_refused() {
    assert!(message(Fault::TooManyWords, 2).contains("after 2 words, expected 1"));
    let mut device = device(Fault::EndsEarly(3));
    let inputs: Vec<_> = (0..5).map(|i| vec![word::from_u64(i); 2]).collect();
    let message = device
        .hash(&few_rounds(2), &inputs, &mut NoProgress)
        .unwrap_err()
        .to_string();
    assert!(message.contains("after 3 words, expected 5"), "{message}");
}

#[test]
fn output_before_the_end_of_the_input_is_refused() {
    let mut device = device(Fault::IgnoresInput);
    let inputs: Vec<_> = (0..4096).map(|i| vec![word::from_u64(i); 2]).collect();
    let message = device
        .hash(&few_rounds(2), &inputs, &mut NoProgress)
        .unwrap_err()
        .to_string();
    assert!(
        message.contains("after taking 4096 of 8192 input words"),
        "{message}"
    );
}

#[test]
fn output_of_another_level_is_refused() {
    let message = message(Fault::WrongLevel, 4);
    assert!(
        message.contains("node 0 of level 3, expected node 0 of level 2"),
        "{message}"
    );
}

#[test]
fn void_output_is_refused() {
    assert!(message(Fault::VoidOutput, 2).contains("output word 0 as void"));
}

#[test]
fn output_that_is_no_field_element_is_refused() {
    let message = message(Fault::Ones(3), 4);
    assert!(
        message.contains("the chip put out 0xff") && message.contains("in output word 0"),
        "{message}"
    );
    // Of the four elements of a word only those of the digest count, of which there are three.
    let parameters = goldilocks(3, 3);
    let hash = |number| {
        let inputs = [numbers(5, 9)];
        let report = device(Fault::Ones(number)).hash(&parameters, &inputs, &mut NoProgress);
        report.map_err(|error| error.to_string())
    };
    for number in 0..3 {
        let message = hash(number).unwrap_err();
        assert!(message.contains("in output word 0"), "{message}");
    }
    hash(3).unwrap();
    // A state takes three words.
    let mut device = device(Fault::Ones(9));
    let states = [numbers(5, 12)];
    let message = device.permute(&parameters, &states, &mut NoProgress);
    let message = message.unwrap_err().to_string();
    assert!(message.contains("in output word 2"), "{message}");
}

#[test]
fn a_chip_that_stays_busy_is_given_up() {
    let mut device = device(Fault::StaysBusy);
    device.set_watchdog(1000);
    let message = commit(&mut device, 2).unwrap_err().to_string();
    assert!(
        message.contains("still busy 1024 cycles after a clear"),
        "{message}"
    );
}

#[test]
fn a_zeroised_chip_is_loaded_again() {
    let limits = EngineLimits {
        runtime_modulus: true,
        montgomery_bits: 280,
        ..bls12_381()
    };
    for limits in [bls12_381(), limits] {
        let mut device = device_of(Fault::None, limits);
        let first = commit(&mut device, 4).unwrap();
        let writes = device.port().constant_writes;
        assert_eq!(device.zeroise().unwrap(), Zeroisation::Complete);
        assert!(device.port().constants().is_empty());
        let second = commit(&mut device, 4).unwrap();
        assert_eq!(device.port().constant_writes, 2 * writes);
        assert_eq!(second.cap, first.cap);
        assert_eq!(device.zeroise().unwrap(), Zeroisation::Complete);
    }
}

#[test]
fn a_chip_that_was_reset_is_told_once_and_loaded_again() {
    let mut device = device(Fault::None);
    let first = commit(&mut device, 4).unwrap();
    let writes = device.port().constant_writes;
    device.port().reset();
    let message = commit(&mut device, 4).unwrap_err().to_string();
    assert!(message.contains("the chip was reset"), "{message}");
    assert!(
        message.contains("LEAF_INPUT_WORDS holds 0, and the driver had written 2"),
        "{message}"
    );
    assert_eq!(commit(&mut device, 4).unwrap().cap, first.cap);
    assert_eq!(device.port().constant_writes, 2 * writes);
}

/// The prime of the set before is not taken for that of a chip that was reset since, though all registers of the
/// next set are written.
#[test]
fn another_set_after_a_reset_gives_no_wrong_result() {
    let limits = EngineLimits {
        runtime_modulus: true,
        montgomery_bits: 280,
        ..BUILD
    };
    let mut device = device_of(Fault::None, limits);
    let hash = |device: &mut dyn Device, arity: usize| {
        let inputs = [numbers(5, arity)];
        device.hash(&few_rounds(arity), &inputs, &mut NoProgress)
    };
    hash(&mut device, 2).unwrap();
    device.port().reset();
    let message = hash(&mut device, 4).unwrap_err().to_string();
    assert!(message.contains("the chip was reset"), "{message}");
    let expected = hash(&mut SoftwareDevice::new(), 4).unwrap();
    assert_eq!(hash(&mut device, 4).unwrap().digests, expected.digests);
}

/// What a run was refused for may be that the chip has lost what was loaded.
#[test]
fn everything_is_loaded_again_after_an_error() {
    let mut device = device(Fault::None);
    let first = commit(&mut device, 4).unwrap();
    let writes = device.port().constant_writes;
    device.port().fault = Fault::RefusesStart(registers::LEAF.input_words.address);
    assert!(commit(&mut device, 4).is_err());
    device.port().fault = Fault::None;
    assert_eq!(commit(&mut device, 4).unwrap().cap, first.cap);
    assert_eq!(device.port().constant_writes, 2 * writes);
}

#[test]
fn a_zeroisation_that_is_not_confirmed_is_an_error() {
    let mut device = device(Fault::RefusesZeroisation);
    commit(&mut device, 2).unwrap();
    let message = device.zeroise().unwrap_err().to_string();
    assert!(message.contains("the chip was not zeroised"), "{message}");
    assert!(message.contains("ERROR 5"), "{message}");
    // It is not known what the chip holds, and everything is loaded again.
    let writes = device.port().constant_writes;
    commit(&mut device, 2).unwrap();
    assert_eq!(device.port().constant_writes, 2 * writes);
}

#[test]
fn a_zeroisation_without_end_is_given_up() {
    let mut device = device(Fault::StaysBusy);
    device.set_watchdog(1000);
    let message = device.zeroise().unwrap_err().to_string();
    assert!(message.contains("still busy 1024 cycles"), "{message}");
}

#[test]
fn a_clear_that_is_refused_during_a_zeroisation_is_repeated() {
    let [expected, found] = [Fault::None, Fault::RefusesClear].map(|fault| {
        let mut device = device(fault);
        commit(&mut device, 2).unwrap();
        device.port().clears
    });
    assert_eq!(found, expected + 1);
}

#[test]
fn a_broken_connection_is_reported() {
    assert!(message(Fault::Disconnects, 2).contains("the cable was pulled"));
}

/// Chips with so many hash engines.
fn pool(num_engines: usize) -> ChipDevice<FakeChip> {
    let limits = EngineLimits {
        num_engines,
        matrix_depth: 64,
        ..bls12_381()
    };
    device_of(Fault::None, limits)
}

fn roles(device: &mut ChipDevice<FakeChip>) -> (u8, u8) {
    let value = device.port().read_register(registers::ROLES.address);
    let roles = Roles::read(value.unwrap());
    (roles.rows, roles.nodes)
}

/// The base of the coefficients of nodes, and the first matrix of their passes.
fn node_bases(device: &mut ChipDevice<FakeChip>) -> (u32, u8) {
    let base = device
        .port()
        .read_register(registers::ROOT.partial_base.address);
    let engine = roles(device).1.trailing_zeros() as usize;
    let mut entries: Vec<_> = (device.port().constants().iter())
        .filter(|(place, _)| place.0 == engine && place.1 == 0 && place.2 == PASS_BANK)
        .map(|(place, constant)| (place.3, PassEntry::read(&constant.word).unwrap()))
        .collect();
    // What is left of other tables is behind the present one.
    entries.sort_by_key(|(index, _)| *index);
    let is_first = |entry: &PassEntry| {
        (entry.begin).is_some_and(|begin| begin.set == NODE_SET as u8 && begin.visit == 0)
    };
    let first = entries.iter().find(|(_, entry)| is_first(entry)).unwrap();
    (base.unwrap(), first.1.matrix)
}

/// Leaves of one set, nodes of another one, and the same set for both, in every number of hash engines.
#[test]
fn shared_hash_engines_have_the_constants_of_both_sets() {
    let (leaves, nodes) = (few_rounds(8), few_rounds(2));
    for num_engines in 1..=8 {
        let all = u8::MAX >> (8 - num_engines);
        let mut device = pool(num_engines);
        for (leaf, other) in [(&leaves, true), (&nodes, false), (&leaves, true)] {
            let request = CommitRequest {
                sharing: Some(Sharing::Shared),
                ..CommitRequest::new(&nodes, LeafRule::Hash(leaf), 16)
            };
            check_tree(&mut device, &request);
            assert!(!device.port().digests());
            assert_eq!(roles(&mut device), (all, all));
            let (base, matrix) = node_bases(&mut device);
            assert_eq!(base != 0, other);
            // 3 matrices of 3 groups in 2 steps; the only full round of the first visit has the second matrix.
            assert_eq!(matrix, if other { 19 } else { 1 });
            let fixed = CommitRequest {
                sharing: Some(Sharing::Fixed),
                ..request
            };
            if num_engines > 1 {
                check_tree(&mut device, &fixed);
                let (rows, nodes) = roles(&mut device);
                assert_eq!((rows | nodes, rows & nodes), (all, 0));
                assert_eq!(node_bases(&mut device), (0, 1));
            }
        }
    }
}

#[test]
fn the_default_is_fixed_with_several_hash_engines() {
    let set = few_rounds(2);
    for (num_engines, tree, ready, hashes) in [
        (1, (1, 1), (0, 1), (1, 0)),
        (2, (1, 2), (0, 2), (1, 0)),
        (4, (0b11, 0b1100), (0, 0b1110), (0b1111, 0)),
    ] {
        let mut device = pool(num_engines);
        check_tree(
            &mut device,
            &CommitRequest::new(&set, LeafRule::Hash(&set), 16),
        );
        assert_eq!(roles(&mut device), tree);
        check_tree(&mut device, &CommitRequest::new(&set, LeafRule::Digest, 16));
        assert_eq!(roles(&mut device), ready);
        check_hashes(&mut device, &set);
        assert_eq!(roles(&mut device), hashes);
        device.set_sharing(Some(Sharing::Shared));
        check_hashes(&mut device, &set);
        assert_eq!(roles(&mut device).0, u8::MAX >> (8 - num_engines));
    }
}

/// Rows of several blocks are dealt out in turn, or have one hash engine with roles of its own under a tree.
#[test]
fn rows_of_several_blocks_on_several_hash_engines() {
    let plonky2 = presets::by_name("plonky2").unwrap();
    let leaf = LeafRule::Row {
        parameters: plonky2,
        columns: 20,
    };
    let request = CommitRequest::new(plonky2, leaf, 16);
    let mut device = pool(4);
    check_tree(&mut device, &request);
    assert_eq!(roles(&mut device), (0b0001, 0b1110));
    let shared = CommitRequest {
        sharing: Some(Sharing::Shared),
        ..request.clone()
    };
    check_tree(&mut device, &shared);
    assert_eq!(roles(&mut device), (0b1111, 0b1111));
    // As many rows as the queue of the leaves has places for, if nobody asks for more.
    device.set_row_group(Some(4 * 64));
    let words = vec![Word::default(); 20 * 16];
    let error = device.commit(
        &shared,
        &mut WordSource(&words),
        &mut NoNodes,
        &mut NoProgress,
    );
    let error = error.unwrap_err().to_string();
    assert!(error.contains("256 rows are under way together"), "{error}");
    device.set_row_group(None);
    let mut one = pool(1);
    check_tree(&mut one, &request);
    assert!(!one.port().digests());

    let rows: Vec<_> = (0..9).map(|row| numbers(100 * row, 20)).collect();
    let sponge = plonky2.sponge().unwrap();
    let expected = crate::messages::hash_rows(&mut SoftwareDevice::new(), plonky2, &rows).unwrap();
    for group in [None, Some(4), Some(8)] {
        device.set_row_group(group);
        let found = device.hash_rows(plonky2, sponge, &rows, &mut NoProgress);
        assert_eq!(found.unwrap().unwrap().digests.concat(), expected);
        assert_eq!(roles(&mut device), (0b1111, 0));
        let written = device.port().read_register(registers::ROW_GROUP.address);
        assert_eq!(written.unwrap() % 4, 0);
    }
    device.set_row_group(Some(6));
    let error = device.hash_rows(plonky2, sponge, &rows, &mut NoProgress);
    let error = error.unwrap_err().to_string();
    assert!(error.contains("take a multiple of 4"), "{error}");
}

/// Trees whose sets have one matrix of small integers use adders, of states of one beat and of two; others do without.
#[test]
fn adders_are_used_where_all_sets_have_the_same() {
    let [wide, narrow, poseidon2, plonky3] = [
        "zisk-poseidon-arity-4",
        "plonky2",
        "zisk-poseidon2-arity-4",
        "plonky3-poseidon2-goldilocks-16",
    ]
    .map(|name| presets::by_name(name).unwrap());
    let row = |parameters, columns| LeafRule::Row {
        parameters,
        columns,
    };
    for (nodes, leaf, expected) in [
        (wide, LeafRule::Digest, true),
        (wide, LeafRule::Hash(wide), true),
        (wide, row(wide, 12), true),
        // The digest of a block goes on beside the next one, by a matrix of its own.
        (wide, row(wide, 20), false),
        (wide, row(narrow, 20), false),
        (wide, LeafRule::Hash(poseidon2), false),
        (poseidon2, LeafRule::Hash(poseidon2), true),
        (plonky3, row(plonky3, 40), true),
        (narrow, row(narrow, 20), true),
    ] {
        for sharing in [Sharing::Fixed, Sharing::Shared] {
            let mut device = pool(2);
            let request = CommitRequest {
                sharing: Some(sharing),
                ..CommitRequest::new(nodes, leaf, 16)
            };
            check_tree(&mut device, &request);
            assert!(!device.port().digests(), "{request:?}");
            let recurrence = registers::ROOT.recurrence.address;
            let value = device.port().read_register(recurrence).unwrap();
            let found = registers::RECURRENCE_ADDERS.is_set(value);
            assert_eq!(found, expected, "{request:?}");
        }
    }
}

#[test]
fn what_cannot_be_shared_is_refused_with_the_reason() {
    let (leaf, nodes) = (few_rounds(11), few_rounds(8));
    let message = |limits: EngineLimits, leaf: &AnyParameters, sharing| {
        let request = CommitRequest {
            sharing: Some(sharing),
            ..CommitRequest::new(&nodes, LeafRule::Hash(leaf), 8)
        };
        let words = numbers(0, request.leaf_length() * 8);
        let mut device = device_of(Fault::None, limits);
        let result = device.commit(
            &request,
            &mut WordSource(&words),
            &mut NoNodes,
            &mut NoProgress,
        );
        assert_eq!(device.port().constant_writes, 0);
        result.unwrap_err().to_string()
    };
    // 24 entries for rows, and 18 for nodes.
    let shallow = EngineLimits {
        matrix_depth: 41,
        ..bls12_381()
    };
    let error = message(shallow, &leaf, Sharing::Shared);
    let expected =
        "need 42 entries of each matrix memory, of which the chip has 41; take fixed roles";
    assert!(error.contains(expected), "{error}");
    let other = random::any_parameters(
        FieldId::Bls12_381,
        3,
        &Ranges {
            widths: 3..=3,
            exponents: vec![7],
            ..Ranges::default()
        },
    );
    let other = other.unwrap();
    if other.digest_length() == 1 {
        let error = message(bls12_381(), &other, Sharing::Shared);
        assert!(
            error.contains("one parameter set has the S-box x^7, another one x^5"),
            "{error}"
        );
    }
    let one = EngineLimits {
        num_engines: 1,
        ..bls12_381()
    };
    let error = message(one, &leaf, Sharing::Fixed);
    assert!(error.contains("the chip has 1; share it"), "{error}");
}

#[test]
fn more_hash_engines_than_the_input_feeds_are_noted() {
    let set = few_rounds(2);
    let request = CommitRequest::new(&set, LeafRule::Digest, 16);
    assert_eq!(pool(2).commit_notes(&request), [""; 0]);
    let request = CommitRequest {
        sharing: Some(Sharing::Shared),
        ..request
    };
    let notes = pool(8).commit_notes(&request);
    assert!(notes[0].contains("16 GB/s at 500 MHz"), "{notes:?}");
    assert!(
        notes[0].starts_with("8 hash engines could take"),
        "{notes:?}"
    );
}

//! Programs against the permutation of the specification.

use ark_ff::{AdditiveGroup as _, Field as _, PrimeField};
use proptest::prelude::*;
use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use super::registers::{encode, position};
use super::shape::{FIRST_FULL, SECOND_FULL};
use super::*;
use crate::messages::hash_messages_with;
use crate::software::SoftwareDevice;
use acclmt_poseidon::fields::{AnyParameters, Bls12_381, FieldId, Goldilocks, PoseidonField};
use acclmt_poseidon::params::{
    Compression, InverseRounds, PoseidonParameters, PoseidonSpecification, RoundOrder,
    is_permutation,
};
use acclmt_poseidon::permutation::{hash_dense, permute_dense};
use acclmt_poseidon::presets;
use acclmt_poseidon::random::{self, Ranges};
use acclmt_poseidon::recurrence::{self, RecurrentRounds};
use acclmt_poseidon::sponge::{Absorption, Capacity, Padding, Sponge};
use acclmt_poseidon::word::{self, Word};
use acclmt_poseidon::{dispatch, with_field};

fn limits(num_full: usize, num_partial: usize) -> EngineLimits {
    EngineLimits {
        num_engines: 2,
        prime: FieldId::Bls12_381.prime(),
        num_full,
        num_partial,
        matrix_depth: 32,
        constant_depth: 256,
        partial_depth: 256,
        goldilocks: true,
        montgomery_bits: 264,
        runtime_modulus: false,
        store: true,
        adders: true,
        places: 64,
        loop_cycles: 61,
    }
}

/// What is special about a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Nothing.
    Random,
    /// It is singular without the row and column of the partial S-box.
    SingularMinor,
    /// The entry of the partial S-box is zero: its output does not enter the next element.
    ZeroCorner,
    /// The same in both directions around, so that some sums of the recurrence stay.
    Circulant,
}

const KINDS: [Kind; 4] = [
    Kind::Random,
    Kind::SingularMinor,
    Kind::ZeroCorner,
    Kind::Circulant,
];

/// The numbers that a random parameter set is made from.
#[derive(Clone, Copy, Debug)]
struct Numbers {
    seed: u64,
    width: usize,
    alpha: u64,
    rounds: [usize; 3],
    order: RoundOrder,
    partial_index: usize,
    kind: Kind,
}

fn element<F: PrimeField>(random: &mut ChaCha8Rng) -> F {
    let mut bytes = [0; 32];
    random.fill(&mut bytes);
    F::from_le_bytes_mod_order(&bytes)
}

fn elements<F: PrimeField>(random: &mut ChaCha8Rng, count: usize) -> Vec<F> {
    (0..count).map(|_| element(random)).collect()
}

/// `count` of the numbers below `width`, in any order.
fn positions(random: &mut ChaCha8Rng, width: usize, count: usize) -> Vec<usize> {
    let mut positions: Vec<_> = (0..width).collect();
    for i in 0..count {
        let other = random.gen_range(i..width);
        positions.swap(i, other);
    }
    positions.truncate(count);
    positions
}

fn parameters<F: PoseidonField>(numbers: Numbers) -> PoseidonParameters<F> {
    let width = numbers.width;
    let random = &mut ChaCha8Rng::seed_from_u64(numbers.seed);
    let mut mds: Vec<_> = (0..width).map(|_| elements::<F>(random, width)).collect();
    let corner = numbers.partial_index;
    match numbers.kind {
        Kind::Random => {}
        Kind::SingularMinor => {
            for (column, entry) in mds[(corner + 1) % width].iter_mut().enumerate() {
                if column != corner {
                    *entry = F::ZERO;
                }
            }
        }
        Kind::ZeroCorner => mds[corner][corner] = F::ZERO,
        Kind::Circulant => {
            let entries = mds[0].clone();
            for (i, row) in mds.iter_mut().enumerate() {
                for (j, entry) in row.iter_mut().enumerate() {
                    let distance = i.abs_diff(j);
                    *entry = entries[distance.min(width - distance)];
                }
            }
        }
    }
    let digest = if F::ID == FieldId::Goldilocks {
        random.gen_range(1..=width.min(4))
    } else {
        1
    };
    let inputs = random.gen_range(1..=width);
    PoseidonParameters::new(PoseidonSpecification {
        name: format!("{numbers:?}"),
        field_name: F::ID.name().to_owned(),
        alpha: numbers.alpha,
        full_rounds_first: numbers.rounds[0],
        partial_rounds: numbers.rounds[1],
        full_rounds_last: numbers.rounds[2],
        round_order: numbers.order,
        partial_index: numbers.partial_index,
        partial_matrix: None,
        first_layer: false,
        inverse_rounds: InverseRounds::None,
        compression: Compression::None,
        round_constants: (0..numbers.rounds.iter().sum())
            .map(|_| elements(random, width))
            .collect(),
        mds,
        initial_state: elements(random, width),
        input_positions: positions(random, width, inputs),
        digest_positions: positions(random, width, digest),
        sponge: None,
    })
    .unwrap()
}

fn to_words<F: PrimeField>(elements: &[F]) -> Vec<Word> {
    elements.iter().map(|&e| word::from_field(e)).collect()
}

/// Checks hashes and permutations of a random parameter set, and returns the program.
fn check<F: PoseidonField>(numbers: Numbers, limits: &EngineLimits) -> ChipProgram {
    let parameters = parameters::<F>(numbers);
    check_parameters(&parameters, numbers.seed, limits)
}

fn check_parameters<F: PoseidonField>(
    parameters: &PoseidonParameters<F>,
    seed: u64,
    limits: &EngineLimits,
) -> ChipProgram {
    let any = F::wrap(parameters.clone());
    let random = &mut ChaCha8Rng::seed_from_u64(!seed);
    let program = ChipProgram::compile(&any, limits).unwrap();
    check_program(&program, parameters, random);

    let permutation = ChipProgram::compile_permutation(&any, limits).unwrap();
    let mut state = elements::<F>(random, parameters.width());
    let stream = permutation.pack_inputs(&to_words(&state));
    let states = permutation.unpack_outputs(&permutation.evaluate(&stream).unwrap());
    permute_dense(parameters, &mut state);
    assert_eq!(states, [to_words(&state)], "{}", parameters.name());
    program
}

/// Checks hashes of `program`.
fn check_program<F: PoseidonField>(
    program: &ChipProgram,
    parameters: &PoseidonParameters<F>,
    random: &mut ChaCha8Rng,
) {
    let inputs: Vec<_> = (0..3)
        .map(|_| elements::<F>(random, parameters.inputs()))
        .collect();
    let stream = program.pack_inputs(&to_words(&inputs.concat()));
    let digests = program.unpack_outputs(&program.evaluate(&stream).unwrap());
    for (input, digest) in inputs.iter().zip(&digests) {
        let expected = hash_dense(parameters, input).unwrap();
        assert_eq!(
            *digest,
            to_words(&expected),
            "{} {:?}",
            parameters.name(),
            program.segments()
        );
    }
    assert_eq!(digests.len(), inputs.len());
}

/// The program of a random set over Goldilocks.
fn compiled(numbers: &Numbers) -> ChipProgram {
    let any = Goldilocks::wrap(parameters(*numbers));
    ChipProgram::compile(&any, &limits(1, 4)).unwrap()
}

fn numbers(width: usize, alpha: u64, rounds: [usize; 3]) -> Numbers {
    Numbers {
        seed: 1,
        width,
        alpha,
        rounds,
        order: RoundOrder::ConstantsFirst,
        partial_index: 0,
        kind: Kind::Random,
    }
}

/// Exponents that S-boxes make in several passes, the inverse of x^7 among them, with a layer ahead of all rounds and a
/// matrix of partial rounds or without.
#[test]
fn exponents_that_take_several_passes() {
    const INVERSE: u64 = 10_540_996_611_094_048_183;
    for width in [2, 3, 5, 8, 12] {
        for num_full in 1..=2 {
            for (number, alpha) in [11, 13, 17, 23, INVERSE].into_iter().enumerate() {
                let limits = EngineLimits {
                    matrix_depth: 64,
                    ..limits(num_full, 2)
                };
                let few = alpha == INVERSE;
                let ranges = Ranges {
                    widths: width..=width,
                    exponents: vec![alpha],
                    full_rounds: 1..=if few { 1 } else { 4 },
                    partial_rounds: if few { 0..=1 } else { 0..=9 },
                    poseidon2: number % 2 == 1,
                    ..Ranges::default()
                };
                let seed = (width * 16 + num_full * 8 + number) as u64;
                if let Some(set) = random::parameters::<Bls12_381>(seed, &ranges) {
                    check_parameters(&set, seed, &limits);
                }
                let set = random::parameters::<Goldilocks>(seed, &ranges);
                let Some(set) = set else { continue };
                let program = check_parameters(&set, seed, &limits);
                assert_eq!(program.segments().recurrent_rounds(), 0);
                // A chip without a store says so.
                let without = EngineLimits {
                    store: false,
                    ..limits
                };
                let error = ChipProgram::compile(&Goldilocks::wrap(set), &without).unwrap_err();
                assert!(matches!(error, ProgramError::SBox { .. }), "{error}");
            }
        }
    }
}

/// Rescue Prime and its optimized form, of every width.
#[test]
fn rounds_of_rescue() {
    let mut cycles = Vec::new();
    for width in 2..=12 {
        for num_full in 1..=2 {
            for inverse_rounds in [
                InverseRounds::EverySecond,
                InverseRounds::EverySecondWithoutLastMatrix,
            ] {
                let is_optimized = inverse_rounds != InverseRounds::EverySecond;
                let ranges = Ranges {
                    widths: width..=width,
                    full_rounds: 7..=7,
                    partial_rounds: 0..=0,
                    orders: vec![if is_optimized {
                        RoundOrder::ConstantsFirst
                    } else {
                        RoundOrder::SboxFirst
                    }],
                    poseidon2: is_optimized,
                    inverse_rounds,
                    ..Ranges::default()
                };
                let seed = (width * 4 + num_full) as u64;
                let set = random::parameters::<Goldilocks>(seed, &ranges).unwrap();
                let program = check_parameters(&set, seed, &limits(num_full, 4));
                if width == 12 {
                    cycles.push(program.period());
                }
            }
        }
    }
    // 7 times 1 pass and 35, of 2 cycles, and a layer; with two sub-engines 3 times 1 and 4 times 35.
    assert_eq!(cycles, [504, 506, 286, 288]);
}

#[test]
fn every_width_exponent_and_number_of_sub_engines() {
    for width in (2..=12).chain([13, 15, 16, 18, 19, 24]) {
        for (num_full, num_partial) in (1..=2).flat_map(|f| (1..=6).map(move |p| (f, p))) {
            let limits = limits(num_full, num_partial);
            for alpha in [3, 5, 7] {
                let numbers = Numbers {
                    seed: (width * 64 + num_full * 8 + num_partial) as u64,
                    order: [RoundOrder::ConstantsFirst, RoundOrder::SboxFirst][width % 2],
                    partial_index: num_partial % width,
                    ..numbers(width, alpha, [2, 17, 3])
                };
                if is_permutation::<Bls12_381>(alpha) && width <= widest(false) {
                    check::<Bls12_381>(numbers, &limits);
                }
                if is_permutation::<Goldilocks>(alpha) {
                    check::<Goldilocks>(numbers, &limits);
                }
            }
        }
    }
}

/// A linear layer ahead of all rounds, and a matrix of partial rounds that is not that of full rounds.
#[test]
fn rounds_of_poseidon2() {
    let mut forms = std::collections::HashSet::new();
    for width in 2..=12 {
        for (num_full, num_partial) in [(1, 4), (1, 1), (2, 3)] {
            for (partial, depth) in [(0, 256), (1, 256), (20, 256), (20, 16)] {
                let limits = EngineLimits {
                    partial_depth: depth,
                    ..limits(num_full, num_partial)
                };
                let ranges = Ranges {
                    widths: width..=width,
                    partial_rounds: partial..=partial,
                    poseidon2: true,
                    ..Ranges::default()
                };
                let seed = (width * 64 + num_full * 16 + num_partial * 2 + partial) as u64;
                let program = random::parameters::<Bls12_381>(seed, &ranges)
                    .map(|set| check_parameters(&set, seed, &limits))
                    .unwrap();
                let set = random::parameters::<Goldilocks>(seed, &ranges).unwrap();
                check_parameters(&set, seed, &limits);
                let registers = &program.registers;
                let table = |constant: &&ChipConstant| {
                    constant.bank == PASS_BANK && constant.sub_engine != INITIAL_VECTOR
                };
                let entries = program.constants.iter().filter(table);
                let entries: Vec<_> = (entries.map(|constant| PassEntry::read(&constant.word)))
                    .collect::<Option<_>>()
                    .unwrap();
                assert_eq!(entries[0].power, Power::None);
                assert!(entries.iter().all(|entry| entry.add));
                assert!(partial > 0 || entries.iter().all(|entry| !entry.first));
                registers.check(&limits).unwrap();
                let dense =
                    program.segments.partial[FIRST_FULL] + program.segments.partial[SECOND_FULL];
                forms.insert((num_full, registers.order() > 0, dense > 0));
            }
        }
    }
    // With one full-round sub-engine and with two: no partial round, all dense, all in the recurrence, and both.
    assert_eq!(forms.len(), 8, "{forms:?}");
}

/// The cycles of Poseidon2 are those of Poseidon with one full round more, and where the partial-round sub-engines
/// take longer, the same.
#[test]
fn periods_of_poseidon2() {
    let set = |width, poseidon2, field: FieldId, partial| {
        let ranges = Ranges {
            widths: width..=width,
            exponents: vec![if field == FieldId::Goldilocks { 7 } else { 5 }],
            full_rounds: 4..=4,
            partial_rounds: partial..=partial,
            poseidon2,
            ..Ranges::default()
        };
        with_field!(field, F => {
            let set = random::parameters::<F>(width as u64, &ranges).unwrap();
            F::wrap(PoseidonParameters::new(PoseidonSpecification {
                partial_index: 0,
                digest_positions: vec![0],
                ..set.specification().clone()
            })
            .unwrap())
        })
    };
    for (field, width, partial, expected) in [
        (FieldId::Bls12_381, 3, 55, [13, 13]),
        (FieldId::Bls12_381, 3, 57, [14, 14]),
        (FieldId::Bls12_381, 4, 56, [26, 28]),
        (FieldId::Bls12_381, 8, 57, [51, 57]),
        (FieldId::Bls12_381, 12, 57, [68, 76]),
        (FieldId::Goldilocks, 8, 22, [18, 20]),
        (FieldId::Goldilocks, 12, 22, [18, 20]),
        (FieldId::Goldilocks, 16, 22, [54, 60]),
        (FieldId::Goldilocks, 24, 22, [72, 80]),
    ] {
        for (poseidon2, expected) in [false, true].into_iter().zip(expected) {
            let set = set(width, poseidon2, field, partial);
            let program = ChipProgram::compile(&set, &limits(1, 4)).unwrap();
            assert_eq!(
                program.period(),
                expected,
                "{field}, t = {width}, {poseidon2}"
            );
        }
    }
}

#[test]
fn every_preset_on_the_default_chip() {
    for preset in presets::all() {
        let build = EngineLimits {
            prime: preset.field().prime(),
            constant_depth: 255,
            partial_depth: 128,
            ..limits(1, 4)
        };
        dispatch!(preset.parameters(), parameters => {
            let program = check_parameters(parameters, 1, &build);
            assert!(program.notes().is_empty(), "{:?}", program.notes());
            let expected = match preset.name() {
                "filecoin-arity-2" => 13,
                "filecoin-arity-4" => 26,
                "filecoin-arity-8" => 51,
                "filecoin-arity-11" => 68,
                "plonky2" | "zisk-poseidon2-arity-3" => 8,
                "zisk-poseidon-arity-4" | "zisk-poseidon2-arity-4" => 16,
                "plonky3-poseidon2-goldilocks-16" => 16,
                _ => continue,
            };
            assert_eq!(program.period(), expected, "{}", preset.name());
        });
    }
}

#[test]
fn other_large_primes() {
    for field in FieldId::ALL {
        let build = EngineLimits {
            prime: field.prime(),
            ..limits(1, 3)
        };
        let runtime = EngineLimits {
            montgomery_bits: 280,
            runtime_modulus: true,
            ..limits(1, 3)
        };
        with_field!(field, F => {
            let alpha = [3, 5, 7, 17].into_iter().find(|&a| is_permutation::<F>(a)).unwrap();
            let numbers = numbers(5, alpha, [4, 20, 4]);
            assert_eq!(check::<F>(numbers, &build).modulus, None);
            let modulus = check::<F>(numbers, &runtime).modulus;
            let expected = (field != FieldId::Goldilocks).then(|| RuntimeModulus {
                prime: field.prime(),
                radix_squared: word::from_field(F::from(2_u64).pow([560])),
            });
            assert_eq!(modulus, expected);
        });
    }
}

#[test]
fn the_halves_without_partial_rounds() {
    for rounds in [[1, 0, 1], [54, 0, 1], [1, 0, 54], [28, 0, 27], [1, 1, 1]] {
        for num_full in 1..=2 {
            let limits = limits(num_full, 2);
            let program = check::<Bls12_381>(numbers(3, 5, rounds), &limits);
            let rounds: usize = rounds.iter().sum();
            if num_full == 2 && program.segments().partial == [0; SUB_ENGINES] {
                assert_eq!(program.period(), rounds.div_ceil(2));
            }
        }
    }
}

#[test]
fn the_best_segments_with_many_partial_rounds() {
    // Numbers have 8 bits: at most 255 rounds in a sub-engine, and 254 passes on those of full rounds.
    for num_full in [1, 2] {
        let limits = limits(num_full, 1);
        let plan = |partial| {
            let any = Bls12_381::wrap(parameters(numbers(2, 5, [4, partial, 4])));
            ChipProgram::compile(&any, &limits)
        };
        let registers = plan(255 + 245).unwrap().registers;
        assert_eq!(registers.partial_rounds[1], 255);
        registers.check(&limits).unwrap();
        let error = plan(255 + 246).unwrap_err();
        assert!(
            matches!(error, ProgramError::TooManyRounds { .. }),
            "{error}"
        );
    }
    // 8 + 120 rounds, the most that one of the protocols has.
    let program = check::<Bls12_381>(numbers(3, 5, [4, 120, 4]), &limits(1, 3));
    assert_eq!(program.segments().partial, [21, 33, 33, 33, 0, 0, 0, 0]);
    let program = check::<Bls12_381>(numbers(3, 5, [4, 120, 4]), &limits(2, 6));
    assert_eq!(program.period(), 17);
}

#[test]
fn matrices_of_every_kind_have_a_recurrence() {
    for (kind, order) in KINDS.into_iter().zip([4, 4, 4, 2]) {
        for (num_full, period) in [(1, 18), (2, 12)] {
            let numbers = Numbers {
                kind,
                partial_index: 2,
                ..numbers(5, 5, [4, 20, 4])
            };
            let program = check::<Bls12_381>(numbers, &limits(num_full, 3));
            let registers = program.registers;
            assert_eq!(registers.order(), order, "{kind:?}");
            assert_eq!(registers.output_enters(), kind != Kind::ZeroCorner);
            assert!(program.shape().recurrent);
            assert_eq!(program.period(), period, "{kind:?}, {num_full}");
            assert!(program.notes().is_empty());
        }
    }
}

/// Sums that stay have room for 128 rounds.
#[test]
fn a_recurrence_of_low_order_is_limited() {
    let numbers = Numbers {
        kind: Kind::Circulant,
        ..numbers(3, 5, [4, 200, 4])
    };
    let program = check::<Bls12_381>(numbers, &limits(1, 3));
    assert_eq!(program.segments().partial, [72, 43, 43, 42, 0, 0, 0, 0]);
    let [note] = program.notes() else {
        panic!("{:?}", program.notes());
    };
    let expected = "whose order 1 is below 2, no more than 128 rounds can run; 72 partial rounds run \
                    dense on the full-round sub-engines: 81 cycles per hash, with a recurrence of any \
                    number of rounds it would be 53";
    assert!(note.ends_with(expected), "{note}");
    let segments = Segments {
        partial: [71, 43, 43, 43, 0, 0, 0, 0],
        ..*program.segments()
    };
    let any = Bls12_381::wrap(parameters(numbers));
    let error = ChipProgram::compile_segments(&any, &limits(1, 3), &segments).unwrap_err();
    assert!(matches!(error, ProgramError::Segments { .. }), "{error}");
    // The same with room enough.
    let other = Numbers {
        kind: Kind::Random,
        ..numbers
    };
    assert_eq!(check::<Bls12_381>(other, &limits(1, 3)).period(), 53);
}

/// Numbers of partial rounds around the number of sums.
#[test]
fn few_partial_rounds() {
    for width in 2..=12 {
        for partial in [0, 1, width - 2, width - 1, width] {
            for num_full in 1..=2 {
                let kind = KINDS[(width + partial + num_full) % KINDS.len()];
                let seed = (width * 32 + partial * 2 + num_full) as u64;
                let numbers = Numbers {
                    kind,
                    seed,
                    partial_index: partial % width,
                    ..numbers(width, 5, [2, partial, 2])
                };
                all_on_partial::<Bls12_381>(numbers, num_full);
                all_on_partial::<Goldilocks>(
                    Numbers {
                        alpha: 7,
                        ..numbers
                    },
                    num_full,
                );
            }
        }
    }
}

/// Checks the best segments, and others that have all partial rounds in a recurrence.
fn all_on_partial<F: PoseidonField>(numbers: Numbers, num_full: usize) {
    let limits = limits(num_full, 3);
    check::<F>(numbers, &limits);
    let mut segments = Segments {
        full_first: numbers.rounds[0],
        partial: [0; SUB_ENGINES],
        full_last: numbers.rounds[2],
    };
    for number in 0..numbers.rounds[1] {
        segments.partial[1 + number % 3] += 1;
    }
    let parameters = parameters::<F>(numbers);
    let any = F::wrap(parameters.clone());
    let program = ChipProgram::compile_segments(&any, &limits, &segments).unwrap();
    assert_eq!(program.shape().recurrent, numbers.rounds[1] > 0);
    let random = &mut ChaCha8Rng::seed_from_u64(numbers.seed);
    check_program(&program, &parameters, random);
}

/// The last full round makes beat 0 only, wherever the digest is; of whole states it makes all beats.
#[test]
fn digests_in_every_position() {
    for width in [3, 4, 5, 6, 8, 12] {
        let specification = parameters::<Bls12_381>(Numbers {
            partial_index: width / 2,
            ..numbers(width, 5, [2, 9, 2])
        });
        for digest in 0..width {
            let parameters = PoseidonParameters::new(PoseidonSpecification {
                digest_positions: vec![digest],
                ..specification.specification().clone()
            })
            .unwrap();
            let program = check_parameters(&parameters, digest as u64, &limits(1, 2));
            assert_eq!(program.shape().is_short(), width > 3);
            assert_eq!(program.registers.shape(), program.shape());
            let any = Bls12_381::wrap(parameters);
            let permutation = ChipProgram::compile_permutation(&any, &limits(1, 2)).unwrap();
            assert!(!permutation.shape().is_short());
            assert_eq!(permutation.registers.shape(), permutation.shape());
        }
    }
}

#[test]
fn small_memories_are_noted() {
    let limits = EngineLimits {
        partial_depth: 20,
        ..limits(1, 3)
    };
    let program = check::<Bls12_381>(numbers(5, 5, [4, 56, 4]), &limits);
    let [note] = program.notes() else {
        panic!("{:?}", program.notes());
    };
    assert!(
        note.ends_with("70 cycles per hash, with deeper memories it would be 34"),
        "{note}"
    );
}

/// A constant that is wrong by one gives a wrong digest, whatever it is: a coefficient, a vector with the
/// products of a matrix taken off, a constant of the recurrence. Only what meets zeros may be anything, and
/// the vector of the last round for whole states.
#[test]
fn wrong_constants_are_found() {
    for (width, rounds) in [
        (3, [2, 4, 2]),
        (5, [2, 5, 1]),
        (8, [1, 8, 2]),
        (12, [2, 12, 1]),
    ] {
        let set = Bls12_381::wrap(parameters::<Bls12_381>(numbers(width, 5, rounds)));
        let limits = limits(1, 4);
        let program = ChipProgram::compile(&set, &limits).unwrap();
        let input: Vec<Word> = (1..=set.inputs() as u64).map(word::from_u64).collect();
        let hash = |constants: &[ChipConstant]| {
            let registers = &program.registers;
            evaluate(set.field(), registers, constants, 0, &limits, &input).unwrap()
        };
        let digest = hash(&program.constants);
        let shape = program.shape();
        let passes =
            rounds[0] + rounds[2] + program.segments().partial[0] + usize::from(shape.recurrent);
        let mut constants = program.constants.clone();
        for number in 0..constants.len() {
            let right = constants[number];
            // A table that is not as it was breaks rules, or has other passes.
            if right.sub_engine == 0 && right.bank == PASS_BANK {
                continue;
            }
            constants[number].word[0] ^= 1;
            let is_found = hash(&constants) != digest;
            let is_whole_state = right.sub_engine == 0
                && right.bank >= 18
                && usize::from(right.index) / shape.beats() == passes - 1;
            let meets_zeros = right.word == Word::default();
            assert!(
                is_found || meets_zeros || shape.is_short() && is_whole_state,
                "t = {width}: {right:?}"
            );
            constants[number] = right;
        }
    }
}

#[test]
fn constants_are_in_place_and_in_montgomery_form() {
    let numbers = numbers(5, 5, [4, 56, 4]);
    let parameters = parameters::<Bls12_381>(numbers);
    let parameters = PoseidonParameters::new(PoseidonSpecification {
        digest_positions: vec![1],
        ..parameters.specification().clone()
    })
    .unwrap();
    let program =
        ChipProgram::compile(&Bls12_381::wrap(parameters.clone()), &limits(1, 3)).unwrap();
    let partial = program.segments().partial;
    assert_eq!(partial, [5, 17, 17, 17, 0, 0, 0, 0]);
    // 3 matrices of 2 entries; vectors of 2 beats for 8 + 5 + 1 passes and the initial one; a beat for the short
    // round.
    let full = 3 * 2 * 18 + 15 * 2 * 3 + 3;
    // Full rounds, dense ones, the last one; the layer, full rounds, the last one.
    let table = 6;
    assert_eq!(program.constants.len(), full + 51 * (2 * 6 + 1) + table);
    let mut places: Vec<_> = (program.constants.iter())
        .map(|c| (c.sub_engine, c.bank, c.index))
        .collect();
    places.sort_unstable();
    places.dedup();
    assert_eq!(places.len(), program.constants.len());

    let rounds = RecurrentRounds::in_order(&parameters, &program.order, [5, 0]).unwrap();
    let recurrence = rounds.partial.as_ref().unwrap();
    let radix = Bls12_381::from(2_u64).pow([264]);
    let constant = |place| {
        let found = (program.constants.iter())
            .find(|c| (c.sub_engine, c.bank, c.index) == place)
            .unwrap();
        assert_eq!(found.engine_mask, BOTH_ENGINES);
        word::to_field::<Bls12_381>(&found.word).unwrap() / radix
    };
    let folded = |matrix: &[Vec<Bls12_381>], row: usize| {
        matrix[row][0] * matrix[row][3] + matrix[row][1] * matrix[row][4]
    };
    // Row 4 is row 1 of beat 1. Columns 0 and 3 are in lane 0 of the groups of the only step.
    let mds = &rounds.mds;
    assert_eq!(*mds, parameters.mds());
    assert_eq!(constant((0, 3, 1)), mds[4][0]);
    assert_eq!(constant((0, 9 + 3, 1)), mds[4][3]);
    assert_eq!(constant((0, 2, 0)), mds[0][2]);
    assert_eq!(constant((0, 9 + 2, 0)), Bls12_381::ZERO);
    assert_eq!(constant((0, 6, 1)), Bls12_381::ZERO);
    assert_eq!(constant((0, 2, 2)), recurrence.before.matrix[0][2]);
    assert_eq!(constant((0, 9 + 1, 5)), recurrence.after.matrix[3][4]);
    // Pass 4 is the first partial round, pass 8 the last one before the recurrence, pass 9 the one behind it.
    assert_eq!(
        constant((0, 18, 2 * 4)),
        rounds.first[4][0] - folded(mds, 0)
    );
    assert_eq!(
        constant((0, 19, 2 * 8 + 1)),
        recurrence.before.constants[4] - folded(&recurrence.before.matrix, 4)
    );
    assert_eq!(
        constant((0, 20, 2 * 9)),
        recurrence.after.constants[2] - folded(&recurrence.after.matrix, 2)
    );
    let last = &rounds.full_last[3];
    assert_eq!(constant((0, 19, 2 * 13)), last[1] - folded(mds, 1));
    assert_eq!(constant((0, 20, 2 * 13 + 1)), Bls12_381::ZERO);
    assert_eq!(constant((0, 19, 2 * 14)), last[1]);
    // The first round of all, and of partial-round sub-engine 2.
    assert_eq!(constant((1, 1, 0)), Bls12_381::ONE);
    assert_eq!(constant((1, 4, 0)), Bls12_381::ZERO);
    let round = &recurrence.rounds[17];
    assert_eq!(constant((2, 0, 0)), Bls12_381::ZERO);
    assert_eq!(constant((2, 0, 1)), round.pairs[2][0]);
    assert_eq!(constant((2, 3, 0)), Bls12_381::ZERO);
    assert_eq!(constant((2, 4, 1)), round.pairs[3][1]);
    assert_eq!(constant((2, 5, 1)), Bls12_381::ZERO);
    assert_eq!(constant((2, 6, 0)), round.constant);
    assert_eq!(constant((15, 2, 0)), rounds.initial[2]);
    assert_eq!(constant((15, 1, 1)), rounds.initial[4]);
    assert_eq!(program.registers.recurrence, 0x104);
}

#[test]
fn goldilocks_constants_are_packed() {
    let parameters = parameters::<Goldilocks>(numbers(12, 7, [4, 22, 4]));
    let program =
        ChipProgram::compile(&Goldilocks::wrap(parameters.clone()), &limits(1, 4)).unwrap();
    assert_eq!(program.period(), 18);
    assert_eq!(program.multipliers(), 4 * (19 + 4 * 6));
    assert_eq!(program.segments().partial, [0, 6, 6, 5, 5, 0, 0, 0]);
    let constant = |place| {
        let found = (program.constants.iter())
            .find(|c| (c.sub_engine, c.bank, c.index) == place)
            .unwrap();
        slices(&found.word).map(|slice| word::to_field::<Goldilocks>(&slice).unwrap())
    };
    let rounds = RecurrentRounds::new(&parameters).unwrap();
    let recurrence = rounds.partial.as_ref().unwrap();
    // Rows 1, 4, 7, 10 of column 6, which is lane 0 of slice 2, and of column 9.
    let mds = parameters.mds();
    assert_eq!(constant((0, 3, 1)), [1, 4, 7, 10].map(|i| mds[i][6]));
    assert_eq!(constant((0, 9 + 3, 1)), [1, 4, 7, 10].map(|i| mds[i][9]));
    let before = &recurrence.before.matrix;
    assert_eq!(constant((0, 8, 3)), [2, 5, 8, 11].map(|i| before[i][8]));
    let pairs = &recurrence.rounds[1].pairs;
    let zero = Goldilocks::ZERO;
    assert_eq!(
        constant((1, 0, 1)),
        [zero, pairs[2][0], pairs[5][0], pairs[8][0]]
    );
    assert_eq!(constant((1, 5, 1)), [1, 4, 7, 10].map(|i| pairs[i][1]));
    let first = recurrence.rounds[0].constant;
    assert_eq!(constant((1, 6, 0)), [first, zero, zero, zero]);
    let folded = |i: usize| -> Goldilocks {
        [0, 1, 2, 6, 7, 8]
            .map(|j| mds[i][j] * mds[i][j + 3])
            .iter()
            .sum()
    };
    assert_eq!(
        constant((0, 20, 0)),
        [2, 5, 8, 11].map(|i| rounds.first[0][i] - folded(i))
    );
}

#[test]
fn maps_name_positions() {
    // The partial S-box on element 4: elements 0 and 4 change places, unless the digest is in fewer beats
    // otherwise.
    let numbers = Numbers {
        partial_index: 4,
        ..numbers(5, 5, [4, 4, 4])
    };
    let specification = parameters::<Bls12_381>(numbers).specification().clone();
    let with_digest = |digest| {
        let parameters = PoseidonParameters::new(PoseidonSpecification {
            input_positions: vec![4, 2, 3],
            digest_positions: vec![digest],
            ..specification.clone()
        });
        Bls12_381::wrap(parameters.unwrap())
    };
    let any = with_digest(2);
    let registers = ChipProgram::compile(&any, &limits(1, 3)).unwrap().registers;
    assert_eq!((registers.arity, registers.digest_words), (3, 1));
    assert_eq!(registers.input_map, map(&[0, 2, 4]));
    assert_eq!(registers.digest_map, map(&[2]));
    // Element 0 comes right behind element 4.
    let moved = with_digest(0);
    let program = ChipProgram::compile(&moved, &limits(1, 3)).unwrap();
    assert_eq!(program.registers.input_map, map(&[0, 4, 5]));
    assert_eq!(program.registers.digest_map, map(&[1]));
    assert_eq!(program.shape().digest_beats, 1);
    let registers = ChipProgram::compile_permutation(&any, &limits(1, 3))
        .unwrap()
        .registers;
    assert_eq!((registers.arity, registers.digest_words), (5, 5));
    assert_eq!(registers.input_map, map(&[5, 1, 2, 4, 0]));
    assert_eq!(registers.digest_map, registers.input_map);
}

/// The map with these codes, and with none of an element behind them.
fn map(codes: &[u32]) -> PositionMap {
    let mut map = [0x0631_8C63; 4];
    for (number, code) in codes.iter().enumerate() {
        map[number / 6] ^= (3 ^ code) << (5 * (number % 6));
    }
    map
}

/// The codes of all 24 elements, from what a register holds.
#[test]
fn maps_have_six_codes_in_a_register() {
    let order: Vec<usize> = (0..24).rev().collect();
    let shape = ChipRegisters {
        field: GOLDILOCKS,
        width: 24,
        beside: 0,
        alpha: 7,
        ..compiled(&numbers(12, 7, [1, 0, 1])).registers
    };
    let shape = shape.shape();
    let whole = encode(&order, 4, shape);
    // 4 group + lane: element 23 is lane 2 of group 7.
    assert_eq!(whole[0], 0x319D_73BE);
    assert_eq!(whole[0], map(&[30, 29, 28, 26, 25, 24])[0]);
    for map in [
        whole,
        encode(&order[..18], 3, shape),
        encode(&order[..7], 2, shape),
    ] {
        assert!(map.iter().all(|register| register >> 30 == 0));
    }
    let found = (0..24).map(|number| position(&whole, number));
    assert!(found.eq(order.iter().map(|&element| Some(element))));
    // Two elements in a word of four.
    let pairs = encode(&order[..7], 2, shape);
    let found: Vec<_> = (0..24).map(|number| position(&pairs, number)).collect();
    for (word, elements) in order[..7].chunks(2).enumerate() {
        let mut expected = elements.iter().copied().map(Some).collect::<Vec<_>>();
        expected.resize(4, None);
        assert_eq!(found[4 * word..4 * word + 4], expected);
    }
    assert!(found[16..].iter().all(Option::is_none));
    assert_eq!(position(&whole, 24), None);
}

#[test]
fn goldilocks_hashes_of_two_digests_take_a_word_for_each() {
    for length in 1..=4 {
        let specification = parameters::<Goldilocks>(numbers(12, 7, [4, 4, 4]));
        let parameters = PoseidonParameters::new(PoseidonSpecification {
            input_positions: (0..2 * length).collect(),
            digest_positions: (0..length).collect(),
            ..specification.specification().clone()
        })
        .unwrap();
        let program = check_parameters(&parameters, 3, &limits(1, 3));
        assert_eq!(program.tree_arity(), Some(2));
        assert_eq!((program.input_words(), program.output_words()), (2, 1));
        // A digest leaves the chip in the form in which it enters it.
        let elements: Vec<_> = (1..=2 * length as u64).map(word::from_u64).collect();
        assert_eq!(
            program.pack_inputs(&elements),
            program.pack_outputs(&elements)
        );
    }
    let other = ChipProgram::compile(
        &Goldilocks::wrap(parameters(numbers(12, 7, [4, 4, 4]))),
        &limits(1, 3),
    )
    .unwrap();
    let is_tree = other.input_words() >= 2 && other.inputs == other.input_words() * other.outputs;
    assert_eq!(other.tree_arity().is_some(), is_tree);
}

#[test]
fn elements_that_are_not_canonical_are_found() {
    let parameters = PoseidonParameters::new(PoseidonSpecification {
        input_positions: (0..11).collect(),
        digest_positions: vec![0],
        ..parameters::<Goldilocks>(numbers(12, 7, [4, 4, 4]))
            .specification()
            .clone()
    })
    .unwrap();
    let program = ChipProgram::compile(&Goldilocks::wrap(parameters), &limits(1, 3)).unwrap();
    let mut elements = vec![word::from_u64(5); 2 * 11];
    elements[11 + 6] = FieldId::Goldilocks.prime();
    let words = program.pack_inputs(&elements);
    assert_eq!(
        program.evaluate(&words),
        Err(ProgramError::InputNotBelowPrime { word: 4 })
    );
    assert_eq!(program.element_index(4, 2), 17);
    assert_eq!(program.element_index(3, 0), 11);
}

#[test]
fn what_a_chip_cannot_do_is_named() {
    let any = |parameters| Bls12_381::wrap(parameters);
    let bls12_381 = any(parameters(numbers(12, 5, [4, 60, 4])));
    let message = |parameters: &AnyParameters, limits: &EngineLimits| {
        ChipProgram::compile(parameters, limits)
            .unwrap_err()
            .to_string()
    };
    let other = EngineLimits {
        prime: FieldId::Pallas.prime(),
        goldilocks: false,
        ..limits(1, 3)
    };
    let text = message(&bls12_381, &other);
    assert!(
        text.contains(
            "is over bls12-381, the chip was built for pallas; use a build for bls12-381"
        ),
        "{text}"
    );
    let goldilocks = Goldilocks::wrap(parameters(numbers(3, 7, [4, 4, 4])));
    let text = message(&goldilocks, &other);
    assert!(text.contains("is over goldilocks"), "{text}");
    let text = message(
        &any(parameters(numbers(2, 5, [4, 60, 4]))),
        &EngineLimits {
            prime: FieldId::Vesta.prime(),
            ..limits(1, 3)
        },
    );
    assert!(text.contains("built for vesta and goldilocks"), "{text}");

    let shallow = EngineLimits {
        matrix_depth: 23,
        ..limits(1, 3)
    };
    let text = message(&bls12_381, &shallow);
    assert!(
        text.contains("8 full and 60 partial rounds of width 12, more than the constant memories"),
        "{text}"
    );

    let mut segments = Segments {
        full_first: 4,
        partial: [0, 30, 30, 0, 0, 0, 0, 0],
        full_last: 4,
    };
    let compile = |segments| ChipProgram::compile_segments(&bls12_381, &limits(1, 2), &segments);
    assert!(compile(segments).is_ok());
    for partial in [
        [0, 30, 29, 0, 0, 0, 0, 0],
        [0, 30, 0, 30, 0, 0, 0, 0],
        [0, 30, 0, 0, 0, 0, 0, 30],
        [30, 0, 30, 0, 0, 0, 0, 0],
        [60, 0, 0, 0, 0, 0, 0, 0],
        [0, 60, usize::MAX, 1, 0, 0, 0, 0],
    ] {
        segments.partial = partial;
        let error = compile(segments).unwrap_err();
        assert!(matches!(error, ProgramError::Segments { .. }), "{error}");
    }
}

#[test]
fn an_incomplete_program_is_refused() {
    let any = Bls12_381::wrap(parameters(numbers(4, 5, [1, 5, 1])));
    let program = ChipProgram::compile_permutation(&any, &limits(1, 1)).unwrap();
    let words = vec![Word::default(); program.input_words()];
    assert!(program.evaluate(&words).is_ok());
    for missing in 0..program.constants.len() {
        let mut program = program.clone();
        program.constants.remove(missing);
        let error = program.evaluate(&words).unwrap_err();
        assert!(
            matches!(
                error,
                ProgramError::MissingConstant { .. } | ProgramError::Program(ProgramFault::Missing)
            ),
            "{error}"
        );
    }
    let length = program.input_words() + 1;
    assert_eq!(
        program.evaluate(&vec![Word::default(); length]),
        Err(ProgramError::InputLength {
            length,
            expected: length - 1
        })
    );
}

#[test]
fn register_values_that_a_chip_refuses() {
    let any = Bls12_381::wrap(parameters(numbers(4, 5, [1, 5, 1])));
    let program = ChipProgram::compile(&any, &limits(1, 2)).unwrap();
    type Change = fn(&mut ChipRegisters);
    let cases: [(Change, &str); 23] = [
        (|r| r.arity = 13, "LEAF_INPUT_WORDS cannot hold 13"),
        (|r| r.arity = 0, "LEAF_INPUT_WORDS cannot hold 0"),
        (|r| r.field = 2, "FIELD cannot hold 2"),
        (|r| r.width = 13, "WIDTH cannot hold 13"),
        (|r| r.alpha = 4, "ALPHA cannot hold 4"),
        (|r| r.passes[0] = 0, "LEAF_PASSES cannot"),
        (|r| r.passes[1] = 0, "LEAF_PASSES cannot"),
        (|r| r.recurrence = 0x104, "RECURRENCE cannot hold 260"),
        (|r| r.recurrence |= 0x10, "RECURRENCE cannot hold 275"),
        (|r| r.recurrence |= 0x200, "RECURRENCE cannot hold 771"),
        (|r| r.recurrence = 0x100, "RECURRENCE cannot hold 256"),
        (|r| r.digest_words = 0, "DIGEST_WORDS cannot hold 0"),
        (
            |r| r.partial_rounds[3] = 1,
            "PARTIAL_ROUNDS_3 cannot hold 1",
        ),
        (|r| r.partial_base = 256, "PARTIAL_BASE cannot hold 256"),
        (|r| r.partial_base = 254, "PARTIAL_ROUNDS_1 cannot hold 3"),
        (|r| r.recurrence = 0, "PARTIAL_ROUNDS_1 cannot hold 3"),
        (
            |r| r.partial_rounds[1] = 0,
            "PARTIAL_ROUNDS_1 cannot hold 0",
        ),
        (
            |r| r.partial_rounds[2] = 129,
            "PARTIAL_ROUNDS_2 cannot hold 129",
        ),
        (|r| r.input_map[0] = map(&[5])[0], "INPUT_MAP_0 cannot hold"),
        (|r| r.input_map[1] |= 1 << 30, "INPUT_MAP_1 cannot hold"),
        (|r| r.input_map[3] |= 1 << 31, "INPUT_MAP_3 cannot hold"),
        (
            |r| r.digest_map[1] = map(&[8])[0],
            "DIGEST_MAP_1 cannot hold",
        ),
        (
            |r| r.digest_map[3] = map(&[3, 3, 3, 3, 3, 16])[0],
            "DIGEST_MAP_3 cannot hold",
        ),
    ];
    for (change, expected) in cases {
        let mut registers = program.registers;
        change(&mut registers);
        let error = registers
            .check(&limits(1, 2))
            .expect_err(expected)
            .to_string();
        assert!(error.contains(expected), "{error}");
    }
    let goldilocks = compiled(&Numbers {
        seed: 5,
        ..numbers(24, 7, [1, 5, 1])
    });
    // 516: a recurrence of order 4, and adders.
    let cases: [(Change, Option<&str>); 14] = [
        (|r| (r.width, r.recurrence) = (16, 516), None),
        (|r| (r.width, r.recurrence) = (13, 516), None),
        (|r| (r.width, r.recurrence) = (12, 516), None),
        (
            |r| (r.width, r.recurrence) = (17, 516),
            Some("RECURRENCE cannot hold 516"),
        ),
        (
            |r| (r.width, r.recurrence) = (16, 512),
            Some("RECURRENCE cannot hold 512"),
        ),
        (|r| r.arity = 6, None),
        (|r| r.arity = 7, Some("LEAF_INPUT_WORDS cannot hold 7")),
        (|r| r.digest_words = 6, None),
        (|r| r.digest_words = 7, Some("DIGEST_WORDS cannot hold 7")),
        (|r| r.width = 25, Some("WIDTH cannot hold 25")),
        (|r| r.recurrence = 23, None),
        (|r| r.recurrence = 24, Some("RECURRENCE cannot hold 24")),
        (|r| r.digest_map = map(&[30; 24]), None),
        (|r| r.field = LARGE_PRIME, Some("WIDTH cannot hold 24")),
    ];
    for (change, expected) in cases {
        let mut registers = goldilocks.registers;
        registers.arity = 1;
        registers.input_map = map(&[]);
        registers.digest_map = map(&[]);
        change(&mut registers);
        let error = registers.check(&limits(1, 4)).err();
        let found = error.map(|error| error.to_string());
        match (&found, expected) {
            (None, None) => {}
            (Some(found), Some(expected)) => assert!(found.contains(expected), "{found}"),
            _ => panic!("{found:?}, not {expected:?}"),
        }
    }
    // One less than what is refused above.
    let legal: [Change; 5] = [
        |r| r.passes = [0xffff; 2],
        |r| r.partial_base = 250,
        |r| r.partial_rounds[2] = 128,
        |r| r.recurrence = 1,
        |r| (r.recurrence, r.partial_rounds) = (0, [0; 8]),
    ];
    for change in legal {
        let mut registers = program.registers;
        change(&mut registers);
        registers.check(&limits(1, 2)).unwrap();
    }
}

/// The presets with more than 12 elements: a default chip hashes as software does, with adders for the matrices of
/// small integers and without any.
#[test]
fn presets_of_two_beats() {
    // The matrix of this one is made by Cauchy's rule, and its entries are large.
    const LARGE: &str = "horizenlabs-poseidon-goldilocks-16";
    let default = EngineLimits {
        constant_depth: 255,
        partial_depth: 128,
        ..limits(1, 4)
    };
    let mut kinds = std::collections::HashSet::new();
    let wide = presets::all().iter().map(|preset| preset.parameters());
    for any in wide.filter(|any| any.width() > widest(false)) {
        for adders in [false, true] {
            let limits = EngineLimits { adders, ..default };
            let program = dispatch!(any, set => check_parameters(set, 16, &limits));
            let (shape, name) = (program.shape(), any.name());
            assert_eq!((shape.width, shape.beats()), (16, 2), "{name}");
            assert_eq!(shape.adders, adders && name != LARGE, "{name}");
            assert_eq!(program.registers.adders(), shape.adders);
            // Passes of 6 cycles: 8 full rounds and a layer, and of Poseidon2 one ahead. With adders the S-boxes of 8
            // full rounds take 2 cycles each.
            let expected = match (shape.adders, shape.first_layer) {
                (true, _) => 16,
                (_, true) => 60,
                _ => 54,
            };
            assert_eq!(program.period(), expected, "{name}");
            assert!(program.notes().is_empty(), "{name}: {:?}", program.notes());
            println!(
                "{name}: {expected} cycles, arity {:?}, {} products, adders {}",
                program.tree_arity(),
                program.products(),
                shape.adders
            );
            kinds.insert((shape.first_layer, shape.adders));
        }
    }
    assert_eq!(kinds.len(), 4, "both Poseidon and Poseidon2");
}

/// Matrices of small integers of every width that adders take, and of the one behind it, on every kind of chip.
#[test]
fn layers_by_adders() {
    let mut forms = std::collections::HashSet::new();
    for width in 2..=17 {
        for (number, (num_full, num_partial, poseidon2)) in [
            (1, 4, false),
            (1, 2, true),
            (2, 3, false),
            (2, 6, true),
            (1, 1, false),
            (2, 1, true),
        ]
        .into_iter()
        .enumerate()
        {
            let limits = EngineLimits {
                matrix_depth: 64,
                ..limits(num_full, num_partial)
            };
            let ranges = Ranges {
                widths: width..=width,
                exponents: vec![[3, 5, 7][(width + number) % 3], 7],
                full_rounds: 2..=4,
                partial_rounds: 20..=40,
                small_integers: true,
                poseidon2,
                ..Ranges::default()
            };
            let seed = (width * 8 + number) as u64;
            let Some(set) = random::parameters::<Goldilocks>(seed, &ranges) else {
                continue;
            };
            let program = check_parameters(&set, seed, &limits);
            let (shape, registers) = (program.shape(), &program.registers);
            registers.check(&limits).unwrap();
            assert_eq!(shape.adders, registers.adders());
            let may = shape.recurrent && width <= MOST_ADDER_ELEMENTS;
            assert_eq!(shape.adders, may, "t = {width}");
            let of_bank = |bank| {
                let constants = program.constants.iter();
                constants.filter(move |constant| (constant.sub_engine, constant.bank) == (0, bank))
            };
            let rows = of_bank(ADDER_BANK).map(|constant| usize::from(constant.index));
            let words = if shape.adders { 12 * shape.beats() } else { 0 };
            assert!(rows.eq(0..words), "t = {width}");
            // Beats of the dense layers on the first full-round sub-engine.
            let dense: Vec<u8> = of_bank(22).map(|constant| constant.index).collect();
            let expected: &[u8] = match (shape.adders, num_full, shape.beats()) {
                (false, ..) => &[],
                (_, 1, 1) => &[0, 2],
                (_, 1, _) => &[0, 1, 2, 3],
                (_, _, 1) => &[0],
                _ => &[0, 1],
            };
            assert_eq!(dense, expected, "t = {width}");
            let dense = program.segments().partial[FIRST_FULL] > 0;
            forms.insert((shape.adders, shape.beats(), num_full, poseidon2, dense));
        }
    }
    // Poseidon and Poseidon2 on one sub-engine and on two; of Poseidon also partial rounds that are dense.
    for beats in 1..=2 {
        for (num_full, poseidon2) in [(1, false), (1, true), (2, false), (2, true)] {
            let form = |dense| forms.contains(&(true, beats, num_full, poseidon2, dense));
            assert!(form(false) || form(true), "{forms:?}");
            assert!(!poseidon2 || !form(true));
        }
        assert!(forms.contains(&(true, beats, 1, false, true)), "{forms:?}");
    }
}

/// A set of Goldilocks elements with a matrix of small integers.
fn small_set(width: usize, seed: u64, partial: usize) -> PoseidonParameters<Goldilocks> {
    let ranges = Ranges {
        widths: width..=width,
        exponents: vec![7],
        full_rounds: 4..=4,
        partial_rounds: partial..=partial,
        small_integers: true,
        ..Ranges::default()
    };
    let set = random::parameters::<Goldilocks>(seed, &ranges).unwrap();
    let specification = PoseidonSpecification {
        partial_index: 0,
        ..set.specification().clone()
    };
    PoseidonParameters::new(specification).unwrap()
}

/// A set of one beat needs twelve words of the adders, one of two beats all of them.
#[test]
fn tables_need_the_words_of_adders() {
    let limits = limits(1, 4);
    let passes = limits.passes(0);
    for (width, needed) in [(12, 12), (13, 24), (16, 24)] {
        let set = Goldilocks::wrap(small_set(width, 3, 22));
        let program = ChipProgram::compile(&set, &limits).unwrap();
        assert!(program.shape().adders);
        // With the words of the adders that `change` lets be.
        let check = |change: &dyn Fn(usize, &mut Word) -> bool| {
            let mut table = PassTable::default();
            // Whatever else there is: digits in every cell.
            for index in 0..24 {
                table.write(ADDER_BANK, index, &[0x49; 32], &passes);
            }
            let of_table = (program.constants.iter()).filter(|constant| constant.sub_engine == 0);
            for ChipConstant {
                bank,
                index,
                mut word,
                ..
            } in of_table.copied()
            {
                if bank != ADDER_BANK || change(index.into(), &mut word) {
                    table.write(bank, index, &word, &passes);
                }
            }
            table.check(0, program.shape(), program.registers.passes, &passes)
        };
        assert_eq!(check(&|_, _| true), Ok(()));
        for missing in 0..needed {
            let fault = Err(ProgramFault::Matrix);
            assert_eq!(check(&|index, _| index != missing), fault, "{missing}");
            let cells = |cell: usize| {
                check(&|index, word| {
                    if index == missing {
                        word[12 * cell / 8] |= 1 << (12 * cell % 8);
                        word[12 * cell / 8] &= !(2 << (12 * cell % 8));
                    }
                    true
                })
            };
            // Digits where a second word has no entry.
            assert_eq!(cells(4), if missing < 12 { Ok(()) } else { fault });
            let is_last = missing >= 12 && missing % 3 == 2;
            assert_eq!(cells(11), if is_last { fault } else { Ok(()) });
        }
    }
}

/// Sets that are mixed have one matrix for the adders, and so states of as many beats.
#[test]
fn sets_with_other_adders_do_not_mix() {
    let limits = EngineLimits {
        matrix_depth: 64,
        ..limits(1, 4)
    };
    let compile = |set: &PoseidonParameters<Goldilocks>| {
        ChipProgram::compile(&Goldilocks::wrap(set.clone()), &limits).unwrap()
    };
    let with_matrix = |width, seed, matrix: &PoseidonParameters<Goldilocks>| {
        let specification = PoseidonSpecification {
            mds: matrix.mds().to_vec(),
            ..small_set(width, seed, 22).specification().clone()
        };
        compile(&PoseidonParameters::new(specification).unwrap())
    };
    for (width, of_other) in [(12, 16), (16, 12), (16, 13), (5, 13)] {
        let set = small_set(width, 1, 22);
        let program = compile(&set);
        assert!(program.shape().adders);
        // The same matrix, with other constants.
        let same = with_matrix(width, 2, &set);
        assert_ne!(program.constants, same.constants);
        let bases = mixed_bases(&[&program, &same, &same]).unwrap();
        // The constants of the third set are where the chip has them, and the program finds them there.
        let beats = program.shape().beats() as u8;
        for constant in &same.constants {
            let placed = constant.placed(2, &bases[2]).unwrap();
            if (22..25).contains(&constant.bank) && constant.sub_engine == 0 {
                assert!(constant.index & 1 < beats, "{constant:?}");
                assert_eq!(placed.index, 8 + constant.index);
                assert_eq!(placed.of_set(2, 0), Some(*constant));
                assert_eq!(placed.of_set(1, 0), None);
            }
            if constant.bank == ADDER_BANK {
                assert_eq!(placed, *constant);
            }
        }
        // Another matrix, and another width.
        for other in [
            compile(&small_set(width, 2, 22)),
            compile(&small_set(of_other, 1, 22)),
        ] {
            assert!(other.shape().adders);
            let programs = [&program, &other];
            assert!(!adders_agree(&programs));
            assert_eq!(mixed_bases(&programs), Err(MixError::Adders));
        }
        // Registers alone tell the beats.
        let other = compile(&small_set(of_other, 1, 22));
        let mix = check_mix(&program.registers, &other.registers);
        let is_same = program.shape().beats() == other.shape().beats();
        assert_eq!(
            mix,
            if is_same {
                Ok(())
            } else {
                Err(MixError::Adders)
            }
        );
    }
    // Rows of a matrix of one beat that are as well the first ones of one of two.
    let wide = small_set(16, 1, 22);
    let narrow = PoseidonParameters::new(PoseidonSpecification {
        mds: (wide.mds()[..12].iter())
            .map(|row| row[..12].to_vec())
            .collect(),
        ..small_set(12, 1, 22).specification().clone()
    });
    let [wide, narrow] = [compile(&wide), compile(&narrow.unwrap())];
    let rows = |program: &ChipProgram| {
        let constants = program.constants.iter().copied();
        let rows = constants.filter(|constant| constant.bank == ADDER_BANK && constant.index < 12);
        rows.collect::<Vec<ChipConstant>>()
    };
    assert!(rows(&narrow) == rows(&wide) && rows(&wide).len() == 12);
    assert_eq!(mixed_bases(&[&wide, &narrow]), Err(MixError::Adders));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// States of two beats: hashes, permutations and rows of any number of blocks.
    #[test]
    fn random_states_of_two_beats(
        seed: u64,
        width in 13_usize..=24,
        poseidon2: bool,
        partial in 0_usize..=40,
        num_full in 1_usize..=2,
        num_partial in 1_usize..=6,
        alpha in prop::sample::select(&[3_u64, 5, 7, 11][..]),
        singular_minor: bool,
        small_integers: bool,
        rate in any::<prop::sample::Index>(),
        absorption in prop::sample::select(&[Absorption::Add, Absorption::Overwrite][..]),
        length in 1_usize..70,
    ) {
        prop_assume!(is_permutation::<Goldilocks>(alpha));
        let limits = EngineLimits {
            matrix_depth: 64,
            ..limits(num_full, num_partial)
        };
        let ranges = Ranges {
            widths: width..=width,
            exponents: vec![alpha],
            full_rounds: 1..=4,
            partial_rounds: partial..=partial,
            singular_minor,
            poseidon2,
            small_integers,
            ..Ranges::default()
        };
        let set = random::parameters::<Goldilocks>(seed, &ranges);
        prop_assume!(set.is_some());
        let set = set.unwrap();
        let program = check_parameters(&set, seed, &limits);
        let shape = program.shape();
        let may = small_integers && shape.recurrent && width <= MOST_ADDER_ELEMENTS;
        prop_assert_eq!(shape.adders, may);
        prop_assert_eq!((shape.beats(), shape.digest_beats), (2, 2));
        prop_assert!(program.products() <= program.period() * program.multipliers());
        program.registers.check(&limits).unwrap();
        let rate = 1 + rate.index(width - 1);
        let sponge = Sponge {
            rate_positions: (0..rate).rev().collect(),
            absorption,
            padding: Padding::None,
            capacity: Capacity::InitialState,
            permute_empty: false,
            short_rows_are_digests: false,
        };
        check_rows_with(&Goldilocks::wrap(set), &sponge, length, &limits);
    }

    #[test]
    fn random_parameter_sets(
        seed: u64,
        width in 2_usize..=24,
        alpha in prop::sample::select(&[3_u64, 5, 7][..]),
        rounds in [1_usize..6, 0_usize..40, 1_usize..6],
        sbox_first: bool,
        partial_index in any::<prop::sample::Index>(),
        kind in prop::sample::select(&KINDS[..]),
        num_full in 1_usize..=2,
        num_partial in 1_usize..=6,
        field in prop::sample::select(&FieldId::ALL[..]),
    ) {
        let width = width.min(widest(field == FieldId::Goldilocks));
        let numbers = Numbers {
            seed,
            width,
            alpha,
            rounds,
            order: if sbox_first { RoundOrder::SboxFirst } else { RoundOrder::ConstantsFirst },
            partial_index: partial_index.index(width),
            kind,
        };
        let limits = EngineLimits {
            prime: field.prime(),
            ..limits(num_full, num_partial)
        };
        with_field!(field, F => {
            prop_assume!(is_permutation::<F>(alpha));
            let program = check::<F>(numbers, &limits);
            let recurrent = program.segments().recurrent_rounds() > 0;
            prop_assert_eq!(program.shape().recurrent, recurrent);
            let order = recurrence::order(&parameters::<F>(numbers)).unwrap();
            prop_assert_eq!(program.registers.order(), if recurrent { order } else { 0 });
            prop_assert_eq!(program.shape(), program.registers.shape());
            prop_assert!(program.products() <= program.period() * program.multipliers());
        });
    }

    #[test]
    fn any_segments_give_the_digest(
        seed: u64,
        width in 2_usize..=24,
        full in [1_usize..5, 1_usize..5],
        on_full in [0_usize..6, 0_usize..6],
        on_partial in prop::collection::vec(0_usize..5, 1..=6),
        kind in prop::sample::select(&KINDS[..]),
        partial_index in any::<prop::sample::Index>(),
        alpha in prop::sample::select(&[3_u64, 5, 7][..]),
        second: bool,
        recurrent in prop::bool::weighted(0.8),
        field in prop::sample::select(&[FieldId::Goldilocks, FieldId::Bls12_381, FieldId::Pallas][..]),
    ) {
        let limits = EngineLimits {
            runtime_modulus: true,
            ..limits(1 + usize::from(second), on_partial.len())
        };
        let mut partial = [0; SUB_ENGINES];
        partial[FIRST_FULL] = on_full[0];
        if recurrent {
            partial[1..=on_partial.len()].copy_from_slice(&on_partial);
            // The first one begins the recurrence.
            partial[1] += 1;
        }
        partial[SECOND_FULL] = if second { on_full[1] } else { 0 };
        let width = width.min(widest(field == FieldId::Goldilocks));
        let rounds = [full[0], partial.iter().sum(), full[1]];
        let segments = Segments { full_first: full[0], partial, full_last: full[1] };
        let numbers = Numbers {
            seed,
            kind,
            partial_index: partial_index.index(width),
            ..numbers(width, alpha, rounds)
        };
        with_field!(field, F => {
            prop_assume!(is_permutation::<F>(alpha));
            let parameters = parameters::<F>(numbers);
            let any = F::wrap(parameters.clone());
            let program = ChipProgram::compile_segments(&any, &limits, &segments).unwrap();
            prop_assert_eq!(program.shape(), program.registers.shape());
            let random = &mut ChaCha8Rng::seed_from_u64(!seed);
            check_program(&program, &parameters, random);
        });
    }
}

/// Rows of every length around whole blocks, with every absorption, padding and capacity.
#[test]
fn rows_hash_as_the_sponge_does() {
    let capacities = [
        Capacity::Zero,
        Capacity::InitialState,
        Capacity::Length { position: 1 },
        Capacity::LengthModuloRate {
            position: 1,
            domain_position: 0,
            domain: 7,
        },
    ];
    let mut seed = 0;
    for field in [FieldId::Bls12_381, FieldId::Goldilocks] {
        let paddings = [
            Padding::None,
            Padding::Zeros,
            Padding::One,
            Padding::OneZerosOne,
        ];
        let absorptions = [
            Absorption::Add,
            Absorption::AddClosed,
            Absorption::Overwrite,
        ];
        let both = absorptions.map(|absorption| paddings.map(|padding| (absorption, padding)));
        for (absorption, padding) in both.concat() {
            for capacity in capacities {
                seed += 1;
                let parameters = random::any_parameters(field, seed, &Ranges::default()).unwrap();
                let rate = 1 + seed as usize % (parameters.width() - 1);
                let sponge = Sponge {
                    rate_positions: (0..rate).rev().collect(),
                    absorption,
                    padding,
                    capacity,
                    permute_empty: false,
                    short_rows_are_digests: false,
                };
                for length in [1, rate, rate + 1, 2 * rate, 3 * rate - 1] {
                    for num_full in 1..=2 {
                        check_rows(&parameters, &sponge, length, num_full);
                    }
                }
            }
        }
    }
}

/// Zisk's sponge puts the digest of a block beside the next one.
#[test]
fn rows_whose_digest_goes_on() {
    for arity in 2..=4 {
        let name = format!("zisk-poseidon2-arity-{arity}");
        let parameters = presets::by_name(&name).unwrap();
        let sponge = parameters.sponge().unwrap();
        let rate = sponge.rate();
        for length in [1, rate, rate + 1, 2 * rate, 3 * rate - 1] {
            check_rows(parameters, sponge, length, 1 + length % 2);
        }
    }
    // Other places, widths, orders of the rounds, and last rounds that make the beat of the digest alone.
    for seed in 0..40 {
        let field = [FieldId::Bls12_381, FieldId::Goldilocks][seed as usize % 2];
        let ranges = Ranges {
            poseidon2: seed % 4 < 2,
            singular_minor: seed % 8 < 4,
            partial_rounds: 0..=3,
            ..Ranges::default()
        };
        let Some(parameters) = random::any_parameters(field, seed, &ranges) else {
            continue;
        };
        let (width, digest) = (parameters.width(), parameters.digest_length());
        if width <= digest {
            continue;
        }
        let first = seed as usize % (digest + 1);
        let rate = width - digest;
        let sponge = Sponge {
            rate_positions: (first..first + rate).rev().collect(),
            absorption: Absorption::OverwriteChained,
            padding: Padding::Zeros,
            capacity: Capacity::Zero,
            permute_empty: false,
            short_rows_are_digests: false,
        };
        // The memories of the default chip.
        let limits = EngineLimits {
            matrix_depth: 64,
            ..limits(1, 4)
        };
        for length in [rate, rate + 1, 3 * rate] {
            check_rows_with(&parameters, &sponge, length, &limits);
        }
    }
}

/// RpJive's sponge closes a short block by a one: rows of every length.
#[test]
fn rows_whose_last_block_is_closed() {
    let parameters = presets::by_name("winter-rpjive64-256").unwrap();
    let sponge = parameters.sponge().unwrap();
    for length in 1..=3 * sponge.rate() {
        check_rows(parameters, sponge, length, 1);
    }
}

/// Sums of the input stand beside the permutation: Poseidon, Poseidon2 and Rescue of every width that has room for them.
#[test]
fn compressions_of_every_kind() {
    let limits = EngineLimits {
        // The memories of the default chip.
        matrix_depth: 64,
        ..limits(1, 4)
    };
    let kinds = [
        (false, InverseRounds::None),
        (true, InverseRounds::None),
        (false, InverseRounds::EverySecond),
        (true, InverseRounds::EverySecondWithoutLastMatrix),
    ];
    let mut recurrences = 0;
    for compression in [Compression::FeedForward, Compression::Jive] {
        for (number, (poseidon2, inverse_rounds)) in kinds.into_iter().enumerate() {
            for field in [FieldId::Goldilocks, FieldId::Bls12_381] {
                let is_rescue = inverse_rounds != InverseRounds::None;
                if is_rescue && field != FieldId::Goldilocks {
                    continue;
                }
                for width in 2..widest(field == FieldId::Goldilocks) {
                    let ranges = Ranges {
                        widths: width..=width,
                        exponents: vec![if is_rescue { 7 } else { 5 }, 7],
                        full_rounds: 1..=2,
                        partial_rounds: if is_rescue { 0..=0 } else { 0..=9 },
                        poseidon2,
                        inverse_rounds,
                        compression,
                        ..Ranges::default()
                    };
                    let seed = (100 * number + width) as u64;
                    let Some(parameters) = random::any_parameters(field, seed, &ranges) else {
                        continue;
                    };
                    let any = &parameters;
                    dispatch!(any, parameters => {
                        let digest = parameters.digest_length();
                        if width + digest > widest(field == FieldId::Goldilocks) {
                            let error = ChipProgram::compile(any, &limits).unwrap_err();
                            assert!(matches!(error, ProgramError::Compression { .. }), "{error}");
                        } else {
                            let program = check_parameters(parameters, seed, &limits);
                            assert_eq!(program.registers.beside as usize, digest);
                            assert_eq!(program.shape().width, width + digest);
                            recurrences += usize::from(program.shape().recurrent);
                        }
                    });
                }
            }
        }
    }
    assert!(recurrences > 20, "{recurrences} have a recurrence");
}

fn check_rows(parameters: &AnyParameters, sponge: &Sponge, length: usize, num_full: usize) {
    let limits = EngineLimits {
        prime: parameters.prime(),
        ..limits(num_full, 3)
    };
    check_rows_with(parameters, sponge, length, &limits);
}

fn check_rows_with(
    parameters: &AnyParameters,
    sponge: &Sponge,
    length: usize,
    limits: &EngineLimits,
) {
    let program = ChipRows::compile(parameters, sponge, length, limits).unwrap();
    let mut rows = program.unwrap();
    // Groups of which the last one is not full.
    rows.registers.group = 3;
    let messages: Vec<Vec<Word>> = (0..8)
        .map(|row| {
            (0..length as u64)
                .map(|i| word::from_u64(100 * row + i))
                .collect()
        })
        .collect();
    let words = rows.pack(&messages);
    assert_eq!(words.len(), messages.len() * rows.row_words());
    // Elements of the later rows say which they are, and padding is smaller.
    let goldilocks = parameters.field() == FieldId::Goldilocks;
    for (number, word) in words.iter().enumerate() {
        let values = if goldilocks {
            slices(word).to_vec()
        } else {
            vec![*word]
        };
        for (slice, value) in values.iter().enumerate() {
            let value = u64::from_le_bytes(value[..8].try_into().unwrap()) as usize;
            if value >= 100 {
                let index = value / 100 * length + value % 100;
                let found = rows.element_index(messages.len(), number, slice);
                assert_eq!(found, index, "word {number}, slice {slice}");
            }
        }
    }
    let program = &rows.program;
    let digests = evaluate_rows(
        parameters.field(),
        &program.registers,
        &rows.registers,
        &program.constants,
        0,
        limits,
        &words,
        messages.len(),
    )
    .unwrap();
    let expected = hash_messages_with(&mut SoftwareDevice::new(), parameters, sponge, &messages);
    assert_eq!(program.unpack_outputs(&digests), expected.unwrap());
}

//! Partial rounds for the gate-level simulation of the partial-round sub-engine
//! (`synth/gates/partial_rounds.json`): the constants of the chip's program, and states inside
//! permutations of the reference before and after those rounds.

use std::path::Path;
use std::{env, fs};

use acclmt_driver::program::{ChipProgram, LANES, SLICES, SUB_ENGINES};
use acclmt_model::Hardware;
use acclmt_poseidon::fields::PoseidonField;
use acclmt_poseidon::normal_form::InternalOrder;
use acclmt_poseidon::params::PoseidonParameters;
use acclmt_poseidon::recurrence::{Recurrence, RecurrentRounds};
use acclmt_poseidon::word::{self, Word};
use acclmt_poseidon::{dispatch, presets};
use ark_ff::PrimeField;
use rand::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

/// One for each number of beats of a state, and one over Goldilocks.
const PRESETS: [&str; 5] = [
    "filecoin-arity-2",
    "filecoin-arity-4",
    "filecoin-arity-8",
    "filecoin-arity-11",
    "plonky2",
];
/// The sub-engine whose rounds are taken: the first partial-round sub-engine.
const SUB_ENGINE: u8 = 1;
/// Rounds and states of each.
const ROUNDS: usize = 4;
const STATES: usize = 6;
/// Banks of a partial-round sub-engine: coefficients of element 0 and of the last output of the S-box, and the
/// constant of element 0.
const CONSTANT_BANK: u8 = 6;

/// A state as the chip has it: beats of three words.
fn beats<F: PrimeField>(state: &[F], goldilocks: bool) -> Vec<Vec<String>> {
    let radix = F::from(2_u64).pow([264_u64]);
    let word = |element: usize| -> Word {
        match state.get(element) {
            Some(&value) if goldilocks => word::from_field(value),
            Some(&value) => word::from_field(value * radix),
            None => Word::default(),
        }
    };
    if !goldilocks {
        return (0..state.len().div_ceil(LANES))
            .map(|beat| {
                (0..LANES)
                    .map(|lane| word::to_hex(&word(LANES * beat + lane)))
                    .collect()
            })
            .collect();
    }
    let lane = |lane: usize| {
        let mut packed = Word::default();
        for slice in 0..SLICES {
            packed[8 * slice..8 * slice + 8].copy_from_slice(&word(LANES * slice + lane)[..8]);
        }
        word::to_hex(&packed)
    };
    vec![(0..LANES).map(lane).collect()]
}

/// A state inside a permutation, before the first rounds of the recurrence, and after so many of them: element 0,
/// then the sums, reduced, but for the last output of the S-box in the place of the last sum that moves up.
fn states<F: PoseidonField>(
    parameters: &PoseidonParameters<F>,
    rounds: &RecurrentRounds<F>,
    recurrence: &Recurrence<F>,
    count: usize,
    random: &mut ChaCha8Rng,
) -> (Vec<F>, Vec<F>) {
    let power = |element: &F| element.pow([parameters.alpha()]);
    let mut state: Vec<F> = rounds
        .initial_constants
        .iter()
        .map(|&constant| {
            let mut bytes = [0; 64];
            random.fill_bytes(&mut bytes);
            constant + F::from_le_bytes_mod_order(&bytes)
        })
        .collect();
    for number in 0..=rounds.first.len() {
        if number < rounds.full_first {
            state = state.iter().map(power).collect();
        } else {
            state[0] = power(&state[0]);
        }
        let Some(constants) = rounds.first.get(number) else {
            state = recurrence.before.apply(&state);
            break;
        };
        state = rounds
            .mds
            .iter()
            .zip(constants)
            .map(|(row, &constant)| {
                let sum: F = row.iter().zip(&state).map(|(&m, &x)| m * x).sum();
                sum + constant
            })
            .collect();
    }
    let before = state;
    let (mut y, mut x) = (before[0], F::ZERO);
    let mut sums = vec![F::ZERO; before.len() - 1];
    for (number, round) in recurrence.rounds[..count].iter().enumerate() {
        for (slot, (sum, &[alpha, beta])) in sums.iter_mut().zip(&round.pairs).enumerate() {
            let other = if number == 0 { before[1 + slot] } else { y };
            *sum += (alpha + x) * (beta + other) - x * y;
        }
        x = power(&y);
        y = sums[0] + round.constant;
        if recurrence.output_enters {
            y += x;
        }
        sums[..recurrence.order].rotate_left(1);
        sums[recurrence.order - 1] = F::ZERO;
    }
    let mut after = vec![y];
    after.extend(sums);
    after[recurrence.order] = x;
    (before, after)
}

fn entry<F: PoseidonField>(
    name: &str,
    parameters: &PoseidonParameters<F>,
    program: &ChipProgram,
) -> Value {
    let shape = program.shape();
    let partial = program.segments().partial;
    let order = InternalOrder::swapped(parameters.width(), parameters.partial_index());
    let dense = [partial[0], partial[SUB_ENGINES - 1]];
    let rounds = RecurrentRounds::in_order(parameters, &order, dense).unwrap();
    let recurrence = rounds.partial.as_ref().unwrap();
    let count = ROUNDS.min(partial[usize::from(SUB_ENGINE)]);
    let per_round = shape.beats();
    let constants: Vec<Value> = (program.constants.iter())
        .filter(|constant| {
            constant.sub_engine == SUB_ENGINE && usize::from(constant.index) < count * per_round
        })
        .map(|constant| {
            json!({
                "bank": constant.bank,
                "index": constant.index,
                "word": word::to_hex(&constant.word),
            })
        })
        .collect();
    // The program has the elements in the same order.
    let words: Vec<&Value> = (constants.iter())
        .filter(|constant| constant["bank"] == json!(CONSTANT_BANK))
        .map(|constant| &constant["word"])
        .collect();
    for (word, round) in words.iter().zip(&recurrence.rounds) {
        let expected = beats(&[round.constant], shape.goldilocks)[0][0].clone();
        assert_eq!(**word, json!(expected), "{name}");
    }
    assert_eq!(words.len(), count, "{name}");
    let mut random = ChaCha8Rng::seed_from_u64(name.len() as u64);
    let states: Vec<Value> = (0..STATES)
        .map(|_| {
            let (before, after) = states(parameters, &rounds, recurrence, count, &mut random);
            json!({
                "before": beats(&before, shape.goldilocks),
                "after": beats(&after, shape.goldilocks),
            })
        })
        .collect();
    json!({
        "preset": name,
        "goldilocks": shape.goldilocks,
        "alpha": shape.alpha,
        "width": shape.width,
        "rounds": count,
        "order": recurrence.order,
        "output_enters": recurrence.output_enters,
        "constants": constants,
        "states": states,
    })
}

fn render() -> String {
    let limits = Hardware::default().limits();
    let entries: Vec<Value> = PRESETS
        .iter()
        .map(|name| {
            let parameters = presets::by_name(name).unwrap();
            let program = ChipProgram::compile(parameters, &limits).unwrap();
            dispatch!(parameters, parameters => entry(name, parameters, &program))
        })
        .collect();
    serde_json::to_string_pretty(&entries).unwrap() + "\n"
}

#[test]
fn partial_rounds_are_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../synth/gates/partial_rounds.json");
    let expected = render();
    if env::var_os("UPDATE_PARTIAL_ROUNDS").is_some() {
        fs::write(&path, &expected).unwrap();
    }
    assert!(
        fs::read_to_string(&path).unwrap() == expected,
        "{} is not up to date; regenerate it with UPDATE_PARTIAL_ROUNDS=1",
        path.display()
    );
}

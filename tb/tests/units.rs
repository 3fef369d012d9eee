// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! The blocks of the chip against big integers: corner values and random ones, an operand set every clock
//! cycle, the exact latency. The same checks must fail on blocks with deliberate faults.

mod common;

use std::collections::VecDeque;
use std::ops::Range;

use acclmt_verilated::{Bench, BenchKind, SimulationError};
use common::{Random, prime, seed};
use num_bigint::BigUint;

/// Latencies of the design, in clock cycles (rtl/pkg/acclmt_pkg.sv).
const MUL: usize = 6;
const REDUCE: usize = 7;
const ADD: usize = 1;
const SBOX: usize = 3 * (MUL + REDUCE);
const DOT_PRODUCT: usize = MUL + 1 + REDUCE;
const LINEAR: usize = DOT_PRODUCT + ADD;
/// Parameters of tb/rtl/acclmt_tb_units.sv.
const DELAY: usize = 26;
const FIFO_DEPTH: usize = 5;
const MEMORY_DEPTH: u64 = 16;

/// Random operand sets of a check, besides the corner values.
const RANDOM_SETS: usize = 2000;

/// Control bits of the packed input.
const BYPASS: u32 = 1 << 0;
const FIFO_PUSH: u32 = 1 << 1;
const FIFO_POP: u32 = 1 << 2;
const FIFO_CLEAR: u32 = 1 << 3;
const MEMORY_WRITE: u32 = 1 << 4;
const MEMORY_READ: u32 = 1 << 5;

/// Words of the packed outputs of `BenchKind::Units`.
mod units {
    use std::ops::Range;
    pub const PRODUCT: Range<usize> = 0..16;
    pub const SQUARE: Range<usize> = 16..32;
    pub const RESIDUE: Range<usize> = 32..40;
    pub const SUM: Range<usize> = 40..48;
    pub const SBOX: Range<usize> = 48..56;
    pub const DOT_PRODUCT: Range<usize> = 56..64;
    pub const SCALED_ADD: Range<usize> = 64..72;
    pub const DELAYED: Range<usize> = 72..80;
    pub const HEAD: Range<usize> = 80..88;
    pub const STORED: Range<usize> = 88..96;
    pub const FLAGS: usize = 96;
}

/// Words of the packed outputs of `BenchKind::Mutants`.
mod mutants {
    use std::ops::Range;
    pub const PRODUCT: Range<usize> = 0..16;
    pub const SQUARE: Range<usize> = 16..32;
    pub const RESIDUE_CARRY: Range<usize> = 32..40;
    pub const RESIDUE_SUBTRACTION: Range<usize> = 40..48;
    pub const SUM: Range<usize> = 48..56;
}

/// What the blocks get in a clock cycle.
#[derive(Clone, Debug, Default)]
struct Operands {
    a: BigUint,
    b: BigUint,
    c: BigUint,
    value: BigUint,
    control: u32,
}

impl Operands {
    fn pack(&self) -> Vec<u32> {
        let mut words = Vec::new();
        for (value, length) in [
            (&self.a, 8),
            (&self.b, 16),
            (&self.c, 24),
            (&self.value, 41),
        ] {
            words.extend(value.iter_u32_digits());
            assert!(words.len() <= length, "an operand is too wide: {value:x}");
            words.resize(length, 0);
        }
        words.push(self.control);
        words
    }
}

fn number(words: &[u32]) -> BigUint {
    BigUint::from_slice(words)
}

/// A block gave a wrong result.
#[derive(Debug)]
#[allow(dead_code, reason = "a failed check prints it")]
struct Mismatch {
    cycle: usize,
    operands: Operands,
    expected: BigUint,
    found: BigUint,
}

/// Runs the operands through a bench, one set a clock cycle, and then enough other ones that all results
/// come out. Returns the packed outputs of every cycle.
fn run(kind: BenchKind, seed: u64, operands: &[Operands]) -> Vec<Vec<u32>> {
    let mut bench = Bench::new(kind, seed as u32);
    let mut random = Random::new(!seed);
    let mut input: Vec<u32> = operands.iter().flat_map(Operands::pack).collect();
    for _ in 0..=SBOX {
        let flush = Operands {
            a: random.big_below(&prime()),
            b: random.big_below(&prime()),
            c: random.big_below(&prime()),
            ..Operands::default()
        };
        input.extend(flush.pack());
    }
    let output = bench.run(&input).unwrap();
    output
        .chunks_exact(bench.output_words())
        .map(<[u32]>::to_vec)
        .collect()
}

/// Checks one output of a bench: the result of every operand set, exactly `latency` cycles later.
fn check(
    kind: BenchKind,
    seed: u64,
    output: &Range<usize>,
    latency: usize,
    operands: &[Operands],
    expected: impl Fn(&Operands) -> BigUint,
) -> Result<(), Box<Mismatch>> {
    let outputs = run(kind, seed, operands);
    for (cycle, operands) in operands.iter().enumerate() {
        let found = number(&outputs[cycle + latency][output.clone()]);
        let expected = expected(operands);
        if found != expected {
            return Err(Box::new(Mismatch {
                cycle,
                operands: operands.clone(),
                expected,
                found,
            }));
        }
    }
    Ok(())
}

fn one() -> BigUint {
    BigUint::from(1_u32)
}

/// Corners of 256-bit operands: near 0, near powers of two, all ones, long carries.
fn wide_corners() -> Vec<BigUint> {
    let mut values = vec![BigUint::default(), one(), prime(), prime() - 1_u32];
    for bit in [16, 31, 32, 33, 63, 64, 65, 127, 128, 129, 192, 255, 256] {
        values.push((one() << bit) - 1_u32);
        if bit < 256 {
            values.push(one() << bit);
        }
    }
    // Ones in one half of every split, and alternating bits.
    let ones = (one() << 256) - 1_u32;
    for half in [16, 32, 64, 128] {
        let low = &ones / ((one() << half) + 1_u32);
        values.push(&ones - &low);
        values.push(low);
    }
    values.push(&ones / 3_u32);
    values.push(ones / 3_u32 * 2_u32);
    values
}

/// Corners of field elements.
fn residue_corners() -> Vec<BigUint> {
    let prime = prime();
    let mut values = vec![
        BigUint::default(),
        one(),
        BigUint::from(2_u32),
        &prime - 1_u32,
        &prime - 2_u32,
        &prime / 2_u32,
        &prime / 2_u32 + 1_u32,
        // R and R^2, one and R in Montgomery form.
        (one() << 260) % &prime,
        (one() << 520) % &prime,
    ];
    for bit in [1, 32, 64, 128, 192, 224, 253, 254] {
        values.push(one() << bit);
        values.push((one() << bit) - 1_u32);
        values.push(&prime - (one() << bit));
    }
    values
}

/// Every pair of corners, then random pairs of 256 bits.
fn wide_pairs(random: &mut Random) -> Vec<Operands> {
    let corners = wide_corners();
    let mut operands = Vec::new();
    for a in &corners {
        for b in &corners {
            operands.push(Operands {
                a: a.clone(),
                b: b.clone(),
                ..Operands::default()
            });
        }
    }
    for _ in 0..RANDOM_SETS {
        operands.push(Operands {
            a: random.bits(256),
            b: random.bits(256),
            ..Operands::default()
        });
    }
    operands
}

/// Every pair of field element corners with a third, pairs whose sum is the prime or next to it, then
/// random elements.
fn residues(random: &mut Random) -> Vec<Operands> {
    let prime = prime();
    let corners = residue_corners();
    let mut operands = Vec::new();
    for (i, a) in corners.iter().enumerate() {
        for (j, b) in corners.iter().enumerate() {
            operands.push(Operands {
                a: a.clone(),
                b: b.clone(),
                c: corners[(i + j) % corners.len()].clone(),
                ..Operands::default()
            });
        }
    }
    for _ in 0..RANDOM_SETS {
        operands.push(Operands {
            a: random.big_below(&prime),
            b: random.big_below(&prime),
            c: random.big_below(&prime),
            ..Operands::default()
        });
    }
    for sum in [&prime - 1_u32, prime.clone(), &prime + 1_u32] {
        for _ in 0..16 {
            let a = random.big_below(&(&prime - 1_u32)) + 1_u32;
            operands.push(Operands {
                b: (&sum - &a) % &prime,
                a,
                ..Operands::default()
            });
        }
    }
    operands
}

/// Values for the reduction: corners and sums of 1 to 12 products of residues.
fn values_to_reduce(random: &mut Random) -> Vec<Operands> {
    let prime = prime();
    let square = (&prime - 1_u32) * (&prime - 1_u32);
    let largest = &square * 12_u32;
    let mut values = vec![largest.clone(), &largest - 1_u32, BigUint::default(), one()];
    values.extend((1_u32..=12).map(|count| &square * count));
    // Multiples of the prime: the quotient is the prime itself, and must become zero.
    for factor in [one(), BigUint::from(2_u32), &prime - 1_u32, one() << 200] {
        values.push(&prime * factor);
    }
    // Low part zero: nothing carries out of it, or only its top bits do.
    let high_limit = &largest >> 260;
    values.push(&high_limit << 260);
    for bit in [244, 251, 252, 253, 259, 260, 261] {
        values.push(one() << bit);
        values.push((one() << bit) - 1_u32);
        let limit = &largest >> bit;
        for _ in 0..64 {
            values.push(random.big_below(&limit) << bit);
        }
    }
    for bit in [1, 32, 64, 128, 255, 256, 300, 400, 512] {
        values.push(one() << bit);
        values.push((one() << bit) - 1_u32);
    }
    for _ in 0..RANDOM_SETS {
        let products = random.below(12) + 1;
        let mut sum = BigUint::default();
        for _ in 0..products {
            sum += random.big_below(&prime) * random.big_below(&prime);
        }
        values.push(sum);
    }
    for _ in 0..RANDOM_SETS {
        values.push(random.big_below(&largest));
    }
    assert!(values.iter().all(|value| *value <= largest));
    values
        .into_iter()
        .map(|value| Operands {
            value,
            ..Operands::default()
        })
        .collect()
}

/// value / R^power mod p, with R = 2^260.
fn divide_by_radix(value: &BigUint, power: u32) -> BigUint {
    let prime = prime();
    let inverse = (one() << 260_u32).modinv(&prime).unwrap();
    value * inverse.pow(power) % prime
}

fn check_multiplier(
    kind: BenchKind,
    output: &Range<usize>,
    seed: u64,
) -> Result<(), Box<Mismatch>> {
    let operands = wide_pairs(&mut Random::new(seed));
    check(kind, seed, output, MUL, &operands, |x| &x.a * &x.b)
}

fn check_squarer(kind: BenchKind, output: &Range<usize>, seed: u64) -> Result<(), Box<Mismatch>> {
    let operands = wide_pairs(&mut Random::new(seed));
    check(kind, seed, output, MUL, &operands, |x| &x.a * &x.a)
}

fn check_reduction(kind: BenchKind, output: &Range<usize>, seed: u64) -> Result<(), Box<Mismatch>> {
    let operands = values_to_reduce(&mut Random::new(seed));
    check(kind, seed, output, REDUCE, &operands, |x| {
        divide_by_radix(&x.value, 1)
    })
}

fn check_adder(kind: BenchKind, output: &Range<usize>, seed: u64) -> Result<(), Box<Mismatch>> {
    let operands = residues(&mut Random::new(seed));
    check(kind, seed, output, ADD, &operands, |x| {
        (&x.a + &x.b) % prime()
    })
}

#[test]
fn multiplier() {
    check_multiplier(BenchKind::Units, &units::PRODUCT, seed(11)).unwrap();
}

#[test]
fn squarer() {
    check_squarer(BenchKind::Units, &units::SQUARE, seed(12)).unwrap();
}

#[test]
fn reduction() {
    check_reduction(BenchKind::Units, &units::RESIDUE, seed(13)).unwrap();
}

#[test]
fn modular_adder() {
    check_adder(BenchKind::Units, &units::SUM, seed(14)).unwrap();
}

#[test]
fn faulty_multiplier_is_found() {
    check_multiplier(BenchKind::Mutants, &mutants::PRODUCT, seed(11)).unwrap_err();
}

#[test]
fn faulty_squarer_is_found() {
    check_squarer(BenchKind::Mutants, &mutants::SQUARE, seed(12)).unwrap_err();
}

#[test]
fn faulty_carry_of_the_reduction_is_found() {
    check_reduction(BenchKind::Mutants, &mutants::RESIDUE_CARRY, seed(13)).unwrap_err();
}

#[test]
fn faulty_subtraction_of_the_reduction_is_found() {
    check_reduction(BenchKind::Mutants, &mutants::RESIDUE_SUBTRACTION, seed(13)).unwrap_err();
}

#[test]
fn faulty_modular_adder_is_found() {
    check_adder(BenchKind::Mutants, &mutants::SUM, seed(14)).unwrap_err();
}

#[test]
fn sbox() {
    let seed = seed(15);
    let operands = residues(&mut Random::new(seed));
    check(BenchKind::Units, seed, &units::SBOX, SBOX, &operands, |x| {
        divide_by_radix(&x.a.pow(5), 4)
    })
    .unwrap();
}

#[test]
fn sbox_bypass() {
    // The choice is made in the cycle of the result.
    let seed = seed(16);
    let mut random = Random::new(seed);
    let mut operands = residues(&mut random);
    for x in &mut operands {
        x.control = BYPASS * random.below(2) as u32;
    }
    let outputs = run(BenchKind::Units, seed, &operands);
    for (cycle, result) in operands.iter().enumerate().skip(SBOX) {
        let x = &operands[cycle - SBOX].a;
        let expected = if result.control == 0 {
            divide_by_radix(&x.pow(5), 4)
        } else {
            x.clone()
        };
        assert_eq!(
            number(&outputs[cycle][units::SBOX]),
            expected,
            "cycle {cycle}"
        );
    }
}

#[test]
fn dot_product() {
    let seed = seed(17);
    let mut operands = residues(&mut Random::new(seed));
    // The largest sum of three products.
    let largest = prime() - 1_u32;
    operands.push(Operands {
        a: largest.clone(),
        b: largest.clone(),
        c: largest,
        ..Operands::default()
    });
    check(
        BenchKind::Units,
        seed,
        &units::DOT_PRODUCT,
        DOT_PRODUCT,
        &operands,
        |x| divide_by_radix(&(&x.a * &x.b + &x.b * &x.c + &x.c * &x.a), 1),
    )
    .unwrap();
}

#[test]
fn scaled_add() {
    let seed = seed(18);
    let operands = residues(&mut Random::new(seed));
    check(
        BenchKind::Units,
        seed,
        &units::SCALED_ADD,
        LINEAR,
        &operands,
        |x| (&x.a + divide_by_radix(&(&x.b * &x.c), 1)) % prime(),
    )
    .unwrap();
}

#[test]
fn delay_line() {
    let seed = seed(19);
    let operands = wide_pairs(&mut Random::new(seed));
    check(
        BenchKind::Units,
        seed,
        &units::DELAYED,
        DELAY,
        &operands,
        |x| x.a.clone(),
    )
    .unwrap();
}

#[test]
fn fifo_keeps_order_and_capacity() {
    let seed = seed(20);
    let mut random = Random::new(seed);
    let mut operands = Vec::new();
    // Phases with more pushes, more pops, and both in every cycle; now and then it is cleared.
    for (push, pop) in [
        (7, 3),
        (3, 7),
        (8, 8),
        (5, 5),
        (8, 0),
        (0, 8),
        (8, 1),
        (1, 8),
    ] {
        for _ in 0..400 {
            let mut control = 0;
            if random.below(8) < push {
                control |= FIFO_PUSH;
            }
            if random.below(8) < pop {
                control |= FIFO_POP;
            }
            if random.below(200) == 0 {
                control |= FIFO_CLEAR;
            }
            operands.push(Operands {
                a: random.bits(256),
                control,
                ..Operands::default()
            });
        }
    }
    let outputs = run(BenchKind::Units, seed, &operands);
    // Words inside, with the cycle in which they entered.
    let mut inside: VecDeque<(BigUint, usize)> = VecDeque::new();
    let mut most = 0;
    for (cycle, (x, output)) in operands.iter().zip(&outputs).enumerate() {
        let ready = output[units::FLAGS] & 1 != 0;
        let valid = output[units::FLAGS] & 2 != 0;
        assert!(
            ready || inside.len() >= FIFO_DEPTH,
            "cycle {cycle}: full too early"
        );
        if let Some((word, since)) = inside.front() {
            assert!(
                valid || cycle < since + 2,
                "cycle {cycle}: a word is held back"
            );
            if valid {
                assert_eq!(number(&output[units::HEAD]), *word, "cycle {cycle}");
            }
        } else {
            assert!(!valid, "cycle {cycle}: a word out of nothing");
        }
        if x.control & FIFO_CLEAR != 0 {
            inside.clear();
            continue;
        }
        if valid && x.control & FIFO_POP != 0 {
            inside.pop_front();
        }
        if ready && x.control & FIFO_PUSH != 0 {
            inside.push_back((x.a.clone(), cycle));
        }
        most = most.max(inside.len());
    }
    assert_eq!(
        most,
        FIFO_DEPTH + 1,
        "the memory and the head were never full"
    );
}

#[test]
fn memory_reads_what_was_written() {
    let seed = seed(21);
    let mut random = Random::new(seed);
    let mut operands = Vec::new();
    for _ in 0..RANDOM_SETS {
        let write = random.below(MEMORY_DEPTH);
        // Never the address that is written in the same cycle.
        let read = (write + 1 + random.below(MEMORY_DEPTH - 1)) % MEMORY_DEPTH;
        let mut control = (write << 8 | read << 12) as u32;
        if random.below(2) == 0 {
            control |= MEMORY_WRITE;
        }
        if random.below(2) == 0 {
            control |= MEMORY_READ;
        }
        operands.push(Operands {
            a: random.bits(256),
            control,
            ..Operands::default()
        });
    }
    let outputs = run(BenchKind::Units, seed, &operands);
    let mut memory = vec![None; MEMORY_DEPTH as usize];
    let mut shown = None;
    for (cycle, x) in operands.iter().enumerate() {
        if x.control & MEMORY_READ != 0 {
            shown = memory[(x.control >> 12 & 15) as usize].clone();
        }
        if x.control & MEMORY_WRITE != 0 {
            memory[(x.control >> 8 & 15) as usize] = Some(x.a.clone());
        }
        if let Some(word) = &shown {
            assert_eq!(
                number(&outputs[cycle + 1][units::STORED]),
                *word,
                "cycle {cycle}"
            );
        }
    }
}

#[test]
fn results_do_not_depend_on_the_initial_state() {
    let operands = residues(&mut Random::new(seed(22)));
    let settled = |seed| {
        let outputs = run(BenchKind::Units, seed, &operands);
        outputs[SBOX..operands.len()]
            .iter()
            .map(|words| words[..units::DELAYED.end].to_vec())
            .collect::<Vec<_>>()
    };
    assert_eq!(settled(1), settled(2));
}

#[test]
fn failed_assertions_are_errors() {
    // The memory asserts that nothing reads the address that is written.
    let collision = Operands {
        control: MEMORY_WRITE | MEMORY_READ,
        ..Operands::default()
    };
    let input = [Operands::default(), collision, Operands::default()];
    let input: Vec<u32> = input.iter().flat_map(Operands::pack).collect();
    let error = Bench::new(BenchKind::Units, 1).run(&input).unwrap_err();
    let SimulationError::Assertion { message, .. } = &error else {
        panic!("another error: {error}");
    };
    assert!(message.contains("no_collision_a"), "{message}");
}

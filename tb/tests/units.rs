// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! The blocks of the chip against big integers, in both modes: corner values and random ones, an operand
//! set every clock cycle, the exact latency. The same checks must fail on blocks with deliberate faults.

mod common;

use std::collections::VecDeque;
use std::ops::Range;

use acclmt_poseidon::fields::FieldId;
use acclmt_tb::large_field;
use acclmt_verilated::{Bench, BenchKind, RUNTIME_MODULUS, SimulationError};
use common::{Random, seed};
use num_bigint::BigUint;

/// Latencies of the design, in clock cycles (rtl/pkg/acclmt_timing_pkg.sv).
const MUL: usize = 6;
const ACCUMULATE: usize = 2;
/// Reduction by the constant prime and by the run-time one.
const REDUCE: [usize; 2] = [7, 13];
const ADD: usize = 1;
const MOD_MUL: usize = MUL + REDUCE[BUILD];
const SBOX: usize = 3 * MOD_MUL;
const DOT_PRODUCT: usize = MUL + ACCUMULATE + REDUCE[BUILD];
const SCALED_ADD: usize = MOD_MUL + ADD;
/// The reduction of the S-box and of the linear blocks: 0 by the constant prime, 1 by the run-time one.
const BUILD: usize = RUNTIME_MODULUS as usize;
/// log2 of the Montgomery radices of the two reductions.
const RADIX_BITS: [u32; 2] = [260, 280];
/// Most products in a sum.
const MOST_PRODUCTS: u32 = 12;
/// Parameters of tb/rtl/acclmt_tb_units.sv.
const DELAY: usize = 26;
const FIFO_DEPTH: usize = 5;
const MEMORY_DEPTH: u64 = 16;
/// Cycles of the conversions to and from Montgomery form before their buffers, by the constant prime and by
/// the run-time one.
const TO_MONTGOMERY: [usize; 2] = [5 + REDUCE[0], MUL + REDUCE[1]];
const FROM_MONTGOMERY: [usize; 2] = REDUCE;
/// Cycles of a buffer, and words in a conversion besides those in its pipeline.
const BUFFER: usize = 2;
const MORE_PLACES: usize = 4;

/// Random operand sets of a check, besides the corner values.
const RANDOM_SETS: usize = 2000;

/// Control bits of the packed input.
const GOLDILOCKS_MODE: u32 = 1 << 0;
const FIFO_PUSH: u32 = 1 << 1;
const FIFO_POP: u32 = 1 << 2;
const FIFO_CLEAR: u32 = 1 << 3;
const MEMORY_WRITE: u32 = 1 << 4;
const MEMORY_READ: u32 = 1 << 5;
const FIRST: u32 = 1 << 6;
const SBOX_VALID: u32 = 1 << 7;
const ENABLE_LSB: u32 = 16;
const TAKE_OTHER: u32 = 1 << 19;
const BYPASS_LSB: u32 = 20;
const ALPHA_LSB: u32 = 24;
const CONVERT_VALID: u32 = 1 << 26;
const CONVERT_READY: u32 = 1 << 27;

/// Words of the packed outputs of `BenchKind::Units`.
mod units {
    use std::ops::Range;
    pub const PRODUCT: Range<usize> = 0..16;
    pub const SQUARE: Range<usize> = 16..32;
    pub const ACCUMULATED: Range<usize> = 32..49;
    pub const ACROSS: Range<usize> = 49..66;
    /// By the constant prime and by the run-time one.
    pub const RESIDUE: [Range<usize>; 2] = [66..74, 98..106];
    pub const SUM: [Range<usize>; 2] = [74..82, 106..114];
    pub const TO_MONTGOMERY: [Range<usize>; 2] = [82..90, 114..122];
    pub const FROM_MONTGOMERY: [Range<usize>; 2] = [90..98, 122..130];
    pub const SBOX: Range<usize> = 130..138;
    pub const DOT_PRODUCT: Range<usize> = 138..146;
    pub const DOT_ACROSS: Range<usize> = 146..154;
    pub const SCALED_ADD: Range<usize> = 154..162;
    pub const DELAYED: Range<usize> = 162..170;
    pub const HEAD: Range<usize> = 170..178;
    pub const STORED: Range<usize> = 178..186;
    pub const FLAGS: usize = 186;
    /// Bits of the flags.
    pub const FIFO_READY: u32 = 1 << 0;
    pub const FIFO_VALID: u32 = 1 << 1;
    pub const TO_READY: [u32; 2] = [1 << 2, 1 << 3];
    pub const TO_VALID: [u32; 2] = [1 << 4, 1 << 5];
    pub const TO_IDLE: [u32; 2] = [1 << 6, 1 << 7];
    pub const NOT_BELOW_PRIME: [u32; 2] = [1 << 8, 1 << 9];
    pub const BAD_SLICE_LSB: [u32; 2] = [14, 16];
    pub const FROM_READY: [u32; 2] = [1 << 10, 1 << 11];
    pub const FROM_VALID: [u32; 2] = [1 << 12, 1 << 13];
}

// ---- Fields ----------------------------------------------------------------------------------------

/// Elements of a word in Goldilocks mode, and bits of one.
const SLICES: usize = 4;
const GOLDILOCKS: u64 = 0xffff_ffff_0000_0001;

/// A field as the chip computes in it.
#[derive(Clone, Debug)]
enum Field {
    /// Montgomery residues.
    Large {
        prime: BigUint,
        radix: BigUint,
        /// 1/R mod p.
        inverse: BigUint,
    },
    /// Four plain elements in a word.
    Goldilocks,
}

impl Field {
    fn large(prime: &BigUint, radix_bits: u32) -> Self {
        let radix = one() << radix_bits;
        Self::Large {
            inverse: radix.modinv(prime).unwrap(),
            radix,
            prime: prime.clone(),
        }
    }

    /// The large field of the build with the radix of one of the reductions.
    fn of_build(reduction: usize) -> Self {
        Self::large(&build_prime(), RADIX_BITS[reduction])
    }

    /// Bits of the packed input, and the run-time prime and its R^2.
    fn setting(&self) -> (u32, BigUint, BigUint) {
        match self {
            Self::Large { prime, radix, .. } => (0, prime.clone(), radix * radix % prime),
            // What the prime is does not matter.
            Self::Goldilocks => (GOLDILOCKS_MODE, build_prime(), one()),
        }
    }

    fn add(&self, a: &BigUint, b: &BigUint) -> BigUint {
        match self {
            Self::Large { prime, .. } => (a + b) % prime,
            Self::Goldilocks => slicewise(a, b, |a, b| {
                ((u128::from(a) + u128::from(b)) % u128::from(GOLDILOCKS)) as u64
            }),
        }
    }

    fn mul(&self, a: &BigUint, b: &BigUint) -> BigUint {
        match self {
            Self::Large { prime, inverse, .. } => a * b % prime * inverse % prime,
            Self::Goldilocks => slicewise(a, b, |a, b| {
                (u128::from(a) * u128::from(b) % u128::from(GOLDILOCKS)) as u64
            }),
        }
    }

    fn power(&self, x: &BigUint, exponent: u32) -> BigUint {
        let mut power = x.clone();
        for _ in 1..exponent {
            power = self.mul(&power, x);
        }
        power
    }

    /// The residue of a sum of products.
    fn reduce(&self, chunks: &Chunks) -> BigUint {
        match self {
            Self::Large { prime, inverse, .. } => number_of(chunks) % prime * inverse % prime,
            Self::Goldilocks => join(&chunks.each_ref().map(|chunk| {
                let residue = chunk % GOLDILOCKS;
                residue.iter_u64_digits().next().unwrap_or(0)
            })),
        }
    }

    fn random(&self, random: &mut Random) -> BigUint {
        match self {
            Self::Large { prime, .. } => random.big_below(prime),
            Self::Goldilocks => join(&[(); SLICES].map(|()| random.below(GOLDILOCKS))),
        }
    }

    /// Corners of elements.
    fn corners(&self) -> Vec<BigUint> {
        let Self::Large { prime, radix, .. } = self else {
            return goldilocks_corners();
        };
        let mut values = vec![
            BigUint::default(),
            one(),
            BigUint::from(2_u32),
            prime - 1_u32,
            prime - 2_u32,
            prime / 2_u32,
            prime / 2_u32 + 1_u32,
            // R and R^2, one and R in Montgomery form.
            radix % prime,
            radix * radix % prime,
        ];
        for bit in [1, 32, 64, 128, 192, 224, 248, 249] {
            values.push(one() << bit);
            values.push((one() << bit) - 1_u32);
            values.push(prime - (one() << bit));
        }
        values
    }
}

/// Words whose slices are corners: the same one in all, and another one in each.
fn goldilocks_corners() -> Vec<BigUint> {
    let p = GOLDILOCKS;
    let corners = [
        0,
        1,
        2,
        p - 1,
        p - 2,
        p / 2,
        p / 2 + 1,
        0xffff_ffff,
        0x1_0000_0000,
        0x1_0000_0001,
        0xffff_ffff_0000_0000,
        0xffff_fffe_ffff_ffff,
        1 << 63,
        1 << 31,
    ];
    let mut words: Vec<_> = corners.map(|corner| join(&[corner; SLICES])).to_vec();
    for i in 0..corners.len() {
        let mut slices = [0; SLICES];
        for (s, slice) in slices.iter_mut().enumerate() {
            *slice = corners[(i + 3 * s) % corners.len()];
        }
        words.push(join(&slices));
        // One slice alone: nothing of it may reach the others.
        let mut alone = [0; SLICES];
        alone[i % SLICES] = corners[i];
        words.push(join(&alone));
    }
    words
}

/// Four 132-bit sums; the chunks of a large sum have 128 bits each, but for the last one.
type Chunks = [BigUint; SLICES];

const CHUNK_BITS: usize = 132;

/// A large sum in chunks.
fn chunks_of(value: &BigUint) -> Chunks {
    let mask = (one() << 128_u32) - 1_u32;
    [0, 1, 2, 3].map(|k: u32| {
        let chunk = value >> (128 * k);
        if k < 3 { chunk & &mask } else { chunk }
    })
}

fn number_of(chunks: &Chunks) -> BigUint {
    chunks
        .iter()
        .enumerate()
        .map(|(k, chunk)| chunk << (128 * k))
        .sum()
}

/// The chunks side by side, as the ports have them.
fn packed(chunks: &Chunks) -> BigUint {
    chunks
        .iter()
        .enumerate()
        .map(|(k, chunk)| chunk << (CHUNK_BITS * k))
        .sum()
}

fn join(slices: &[u64; SLICES]) -> BigUint {
    let digits = slices.iter().flat_map(|&s| [s as u32, (s >> 32) as u32]);
    BigUint::new(digits.collect())
}

fn split(word: &BigUint) -> [u64; SLICES] {
    let mut slices = [0; SLICES];
    for (slice, digit) in slices.iter_mut().zip(word.iter_u64_digits()) {
        *slice = digit;
    }
    slices
}

fn slicewise(a: &BigUint, b: &BigUint, f: impl Fn(u64, u64) -> u64) -> BigUint {
    let (a, b) = (split(a), split(b));
    let mut result = [0; SLICES];
    for s in 0..SLICES {
        result[s] = f(a[s], b[s]);
    }
    join(&result)
}

/// The products of the slices, 128 bits each.
fn slice_products(a: &BigUint, b: &BigUint) -> BigUint {
    let (a, b) = (split(a), split(b));
    (0..SLICES)
        .map(|s| BigUint::from(u128::from(a[s]) * u128::from(b[s])) << (128 * s))
        .sum()
}

/// The full product as the multiplier gives it.
fn full_product(field: &Field, a: &BigUint, b: &BigUint) -> BigUint {
    match field {
        Field::Large { .. } => a * b,
        Field::Goldilocks => slice_products(a, b),
    }
}

fn build_prime() -> BigUint {
    common::prime(large_field())
}

fn one() -> BigUint {
    BigUint::from(1_u32)
}

// ---- The benches -----------------------------------------------------------------------------------

/// What the blocks get in a clock cycle.
#[derive(Clone, Debug, Default)]
struct Operands {
    a: BigUint,
    b: BigUint,
    c: BigUint,
    value: Chunks,
    products: [BigUint; 3],
    control: u32,
}

impl Operands {
    fn pack(&self, setting: &(u32, BigUint, BigUint)) -> Vec<u32> {
        let (mode, prime, radix_squared) = setting;
        let mut words = Vec::new();
        for (value, length) in [
            (&self.a, 8),
            (&self.b, 16),
            (&self.c, 24),
            (&packed(&self.value), 41),
            (&self.products[0], 57),
            (&self.products[1], 73),
            (&self.products[2], 89),
            (prime, 97),
            (radix_squared, 105),
        ] {
            words.extend(value.iter_u32_digits());
            assert!(words.len() <= length, "an operand is too wide: {value:x}");
            words.resize(length, 0);
        }
        words.push(self.control | mode);
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
fn run(kind: BenchKind, seed: u64, field: &Field, operands: &[Operands]) -> Vec<Vec<u32>> {
    let mut bench = Bench::new(kind, seed as u32);
    let mut random = Random::new(!seed);
    let setting = field.setting();
    let mut input: Vec<u32> = operands.iter().flat_map(|x| x.pack(&setting)).collect();
    for _ in 0..=SBOX {
        let flush = Operands {
            a: field.random(&mut random),
            b: field.random(&mut random),
            c: field.random(&mut random),
            // The exponent is stable while elements are inside.
            control: FIRST | operands.last().map_or(0, |x| x.control & 3 << ALPHA_LSB),
            ..Operands::default()
        };
        input.extend(flush.pack(&setting));
    }
    let output = bench.run(&input).unwrap();
    output
        .chunks_exact(bench.output_words())
        .map(<[u32]>::to_vec)
        .collect()
}

/// What of a bench is checked, and in which field.
struct Subject<'a> {
    kind: BenchKind,
    output: &'a Range<usize>,
    latency: usize,
    field: &'a Field,
}

impl Subject<'_> {
    /// Checks the result of every operand set, exactly as many cycles later as the latency is.
    fn check(
        &self,
        seed: u64,
        operands: &[Operands],
        mut expected: impl FnMut(&Operands) -> BigUint,
    ) -> Result<(), Box<Mismatch>> {
        let outputs = run(self.kind, seed, self.field, operands);
        for (cycle, operands) in operands.iter().enumerate() {
            let found = number(&outputs[cycle + self.latency][self.output.clone()]);
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
}

// ---- Operands --------------------------------------------------------------------------------------

/// Corners of 256-bit operands: near 0, near powers of two, all ones, long carries.
fn wide_corners() -> Vec<BigUint> {
    let prime = build_prime();
    let mut values = vec![BigUint::default(), one(), prime.clone(), prime - 1_u32];
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
fn residues(random: &mut Random, field: &Field) -> Vec<Operands> {
    let corners = field.corners();
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
            a: field.random(random),
            b: field.random(random),
            c: field.random(random),
            ..Operands::default()
        });
    }
    for distance in 0..3_u32 {
        for _ in 0..16 {
            let a = field.random(random);
            let b = match field {
                Field::Large { prime, .. } => (prime + prime + distance - 1_u32 - &a) % prime,
                Field::Goldilocks => join(&split(&a).map(|a| {
                    let p = u128::from(GOLDILOCKS);
                    ((2 * p + u128::from(distance) - 1 - u128::from(a)) % p) as u64
                })),
            };
            operands.push(Operands {
                a,
                b,
                ..Operands::default()
            });
        }
    }
    operands
}

/// The largest element: p - 1, in all slices.
fn largest(field: &Field) -> BigUint {
    match field {
        Field::Large { prime, .. } => prime - 1_u32,
        Field::Goldilocks => join(&[GOLDILOCKS - 1; SLICES]),
    }
}

/// Values for the reduction: corners and sums of 1 to 12 products of residues.
fn values_to_reduce(random: &mut Random, field: &Field) -> Vec<Operands> {
    let values = match field {
        Field::Large { prime, .. } => large_values(random, prime),
        Field::Goldilocks => goldilocks_values(random),
    };
    values
        .into_iter()
        .map(|value| Operands {
            value,
            ..Operands::default()
        })
        .collect()
}

fn large_values(random: &mut Random, prime: &BigUint) -> Vec<Chunks> {
    let square = (prime - 1_u32) * (prime - 1_u32);
    let largest = &square * MOST_PRODUCTS;
    let mut values = vec![largest.clone(), &largest - 1_u32, BigUint::default(), one()];
    values.extend((1..=MOST_PRODUCTS).map(|count| &square * count));
    // Multiples of the prime: the quotient is the prime itself, and must become zero.
    for factor in [one(), BigUint::from(2_u32), prime - 1_u32, one() << 200] {
        values.push(prime * factor);
    }
    // Low part zero: nothing carries out of it, or only its top bits do. Of both radices.
    for radix_bits in RADIX_BITS {
        values.push(&largest >> radix_bits << radix_bits);
    }
    for bit in [
        28, 56, 84, 112, 140, 168, 196, 224, 244, 251, 252, 253, 259, 260, 261, 279, 280, 281,
    ] {
        values.push(one() << bit);
        values.push((one() << bit) - 1_u32);
        let limit = &largest >> bit;
        for _ in 0..64 {
            values.push(random.big_below(&limit) << bit);
        }
    }
    for bit in [1, 32, 64, 128, 255, 256, 300, 400, 490] {
        values.push(one() << bit);
        values.push((one() << bit) - 1_u32);
    }
    for _ in 0..RANDOM_SETS {
        let products = random.below(MOST_PRODUCTS.into()) + 1;
        let mut sum = BigUint::default();
        for _ in 0..products {
            sum += random.big_below(prime) * random.big_below(prime);
        }
        values.push(sum);
    }
    for _ in 0..RANDOM_SETS {
        values.push(random.big_below(&largest));
    }
    assert!(values.iter().all(|value| *value <= largest));
    values.iter().map(chunks_of).collect()
}

fn goldilocks_values(random: &mut Random) -> Vec<Chunks> {
    let square = BigUint::from(GOLDILOCKS - 1) * (GOLDILOCKS - 1);
    let ones = (one() << CHUNK_BITS) - 1_u32;
    let mut corners = vec![BigUint::default(), one(), ones.clone(), &ones - 1_u32];
    corners.extend((1..=MOST_PRODUCTS).map(|count| &square * count));
    // Multiples of the prime and their neighbours: the residue is 0, 1 or p - 1.
    for bit in [0, 1, 31, 32, 33, 63, 64, 65, 66, 67] {
        let multiple = BigUint::from(GOLDILOCKS) << bit;
        corners.extend([&multiple - 1_u32, &multiple + 1_u32, multiple]);
    }
    corners.push(&ones / GOLDILOCKS * GOLDILOCKS);
    // Every 32-bit digit 0, all ones or the least, which carry and borrow between the parts.
    for digits in 0..243_u32 {
        let mut value = BigUint::default();
        let mut rest = digits;
        for position in 0..4_u32 {
            let digit = [0_u32, 1, u32::MAX][rest as usize % 3];
            value += BigUint::from(digit) << (32 * position);
            rest /= 3;
        }
        value += BigUint::from([0_u32, 1, 15][rest as usize % 3]) << 128_u32;
        corners.push(value);
    }
    for bit in 1..CHUNK_BITS {
        corners.push(one() << bit);
        corners.push((one() << bit) - 1_u32);
    }
    let mut values = Vec::new();
    for (i, corner) in corners.iter().enumerate() {
        values.push([(); SLICES].map(|()| corner.clone()));
        let mut mixed = Chunks::default();
        for chunk in &mut mixed {
            *chunk = random.choose(&corners).clone();
        }
        mixed[i % SLICES] = corner.clone();
        values.push(mixed);
    }
    for _ in 0..RANDOM_SETS {
        values.push([(); SLICES].map(|()| random.bits(CHUNK_BITS as u64)));
    }
    values
}

/// Sums of products, step by step: what the blocks that add get with their products, and the steps in
/// which a new sum begins. No sum has more than twelve products, across all slices if `across`.
fn steps(random: &mut Random, field: &Field, count: usize, across: bool) -> Vec<u32> {
    let weight = match field {
        Field::Goldilocks if across => SLICES as u32,
        _ => 1,
    };
    let mut controls = Vec::new();
    let mut products = MOST_PRODUCTS;
    for _ in 0..count {
        let enable = if random.below(2) == 0 {
            7
        } else {
            random.below(8) as u32
        };
        let added = weight * enable.count_ones();
        let mut control = enable << ENABLE_LSB;
        if controls.is_empty() || products + added > MOST_PRODUCTS || random.below(6) == 0 {
            control |= FIRST;
            products = 0;
        }
        products += added;
        controls.push(control);
    }
    controls
}

/// The running sums of products of steps.
struct Accumulator {
    across: bool,
    sums: Chunks,
}

impl Accumulator {
    fn new(across: bool) -> Self {
        Self {
            across,
            sums: Chunks::default(),
        }
    }

    /// Adds the enabled products; returns the sum as the block puts it out.
    fn step(&mut self, field: &Field, control: u32, products: &[BigUint; 3]) -> Chunks {
        if control & FIRST != 0 {
            self.sums = Chunks::default();
        }
        for (lane, product) in products.iter().enumerate() {
            if control >> ENABLE_LSB >> lane & 1 != 0 {
                for (sum, chunk) in self.sums.iter_mut().zip(chunks_of(product)) {
                    *sum += chunk;
                }
            }
        }
        match field {
            Field::Large { .. } => chunks_of(&number_of(&self.sums)),
            Field::Goldilocks if self.across => {
                let mut result = Chunks::default();
                result[0] = self.sums.iter().sum();
                result
            }
            Field::Goldilocks => self.sums.clone(),
        }
    }
}

// ---- Checks that blocks with faults must fail ------------------------------------------------------

type Checked = Result<(), Box<Mismatch>>;

fn fields(reduction: usize) -> [Field; 2] {
    [Field::of_build(reduction), Field::Goldilocks]
}

fn check_multiplier(kind: BenchKind, output: &Range<usize>, seed: u64, field: &Field) -> Checked {
    let operands = wide_pairs(&mut Random::new(seed));
    let subject = Subject {
        kind,
        output,
        latency: MUL,
        field,
    };
    subject.check(seed, &operands, |x| full_product(field, &x.a, &x.b))
}

fn check_squarer(kind: BenchKind, output: &Range<usize>, seed: u64, field: &Field) -> Checked {
    let operands = wide_pairs(&mut Random::new(seed));
    let subject = Subject {
        kind,
        output,
        latency: MUL,
        field,
    };
    subject.check(seed, &operands, |x| full_product(field, &x.a, &x.a))
}

fn check_accumulator(
    kind: BenchKind,
    output: &Range<usize>,
    seed: u64,
    field: &Field,
    across: bool,
) -> Checked {
    let mut random = Random::new(seed);
    let largest = largest(field);
    let mut operands = Vec::new();
    for (i, control) in steps(&mut random, field, 2 * RANDOM_SETS, across)
        .into_iter()
        .enumerate()
    {
        let products = [(); 3].map(|()| {
            if i < RANDOM_SETS && random.below(2) == 0 {
                full_product(field, &largest, &largest)
            } else {
                full_product(
                    field,
                    &field.random(&mut random),
                    &field.random(&mut random),
                )
            }
        });
        operands.push(Operands {
            products,
            control,
            ..Operands::default()
        });
    }
    let subject = Subject {
        kind,
        output,
        latency: ACCUMULATE,
        field,
    };
    let mut accumulator = Accumulator::new(across);
    subject.check(seed, &operands, |x| {
        packed(&accumulator.step(field, x.control, &x.products))
    })
}

fn check_reduction(
    kind: BenchKind,
    output: &Range<usize>,
    seed: u64,
    field: &Field,
    latency: usize,
) -> Checked {
    let operands = values_to_reduce(&mut Random::new(seed), field);
    let subject = Subject {
        kind,
        output,
        latency,
        field,
    };
    subject.check(seed, &operands, |x| field.reduce(&x.value))
}

fn check_adder(kind: BenchKind, output: &Range<usize>, seed: u64, field: &Field) -> Checked {
    let operands = residues(&mut Random::new(seed), field);
    let subject = Subject {
        kind,
        output,
        latency: ADD,
        field,
    };
    subject.check(seed, &operands, |x| field.add(&x.a, &x.b))
}

/// Every power of every element, in words that come `spacing` cycles apart.
fn check_sbox(
    kind: BenchKind,
    output: &Range<usize>,
    seed: u64,
    field: &Field,
    exponent: u32,
    spacing: usize,
) -> Checked {
    let mut random = Random::new(seed);
    let alpha = match exponent {
        3 => 0,
        5 => 1,
        _ => 2,
    };
    let mut operands = Vec::new();
    for mut element in residues(&mut random, field) {
        element.control = SBOX_VALID | alpha << ALPHA_LSB;
        operands.push(element);
        for _ in 1..spacing {
            operands.push(Operands {
                a: field.random(&mut random),
                control: alpha << ALPHA_LSB,
                ..Operands::default()
            });
        }
    }
    // The choice between the power and the element is made in the cycle of the result.
    let bypass: Vec<u32> = operands.iter().map(|_| random.below(16) as u32).collect();
    for (cycle, &bypass) in bypass.iter().enumerate().skip(SBOX) {
        operands[cycle].control |= bypass << BYPASS_LSB;
    }
    let outputs = run(kind, seed, field, &operands);
    for (cycle, operands) in operands.iter().enumerate() {
        if operands.control & SBOX_VALID == 0 {
            continue;
        }
        let power = field.power(&operands.a, exponent);
        let result = cycle + SBOX;
        let bypass = bypass.get(result).copied().unwrap_or(0);
        let (powers, elements) = (split(&power), split(&operands.a));
        let mut slices = [0; SLICES];
        for s in 0..SLICES {
            slices[s] = if bypass >> s & 1 != 0 {
                elements[s]
            } else {
                powers[s]
            };
        }
        let expected = join(&slices);
        let found = number(&outputs[result][output.clone()]);
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

// ---- Blocks with deliberate faults -----------------------------------------------------------------

/// Words of the packed outputs of `BenchKind::Mutants`.
mod mutants {
    use std::ops::Range;
    pub const PRODUCT_CARRY: Range<usize> = 0..16;
    pub const PRODUCT_GOLDILOCKS: Range<usize> = 16..32;
    pub const SQUARE: Range<usize> = 32..48;
    pub const ACCUMULATED: Range<usize> = 48..65;
    pub const ACROSS: Range<usize> = 65..82;
    pub const RESIDUE_CARRY: Range<usize> = 82..90;
    pub const RESIDUE_SUBTRACTION: Range<usize> = 90..98;
    pub const RESIDUE_GOLDILOCKS: Range<usize> = 98..106;
    pub const RESIDUE_RUNTIME: Range<usize> = 106..114;
    pub const SUM_SLICE: Range<usize> = 114..122;
    pub const SUM_BORROW: Range<usize> = 122..130;
    pub const SBOX: Range<usize> = 130..138;
}

const MUTANTS: BenchKind = BenchKind::Mutants;

#[test]
fn faulty_multipliers_are_found() {
    for field in fields(0) {
        check_multiplier(MUTANTS, &mutants::PRODUCT_CARRY, seed(11), &field).unwrap_err();
    }
    let output = mutants::PRODUCT_GOLDILOCKS;
    check_multiplier(MUTANTS, &output, seed(11), &Field::of_build(0)).unwrap();
    check_multiplier(MUTANTS, &output, seed(11), &Field::Goldilocks).unwrap_err();
}

#[test]
fn faulty_squarer_is_found() {
    for field in fields(0) {
        check_squarer(MUTANTS, &mutants::SQUARE, seed(12), &field).unwrap_err();
    }
}

#[test]
fn faulty_accumulators_are_found() {
    let (large, goldilocks) = (Field::of_build(0), Field::Goldilocks);
    let output = mutants::ACCUMULATED;
    check_accumulator(MUTANTS, &output, seed(13), &large, false).unwrap_err();
    check_accumulator(MUTANTS, &output, seed(13), &goldilocks, false).unwrap();
    let output = mutants::ACROSS;
    check_accumulator(MUTANTS, &output, seed(13), &large, true).unwrap();
    check_accumulator(MUTANTS, &output, seed(13), &goldilocks, true).unwrap_err();
}

#[test]
fn faulty_reductions_are_found() {
    let (large, goldilocks) = (Field::of_build(0), Field::Goldilocks);
    for output in [mutants::RESIDUE_CARRY, mutants::RESIDUE_SUBTRACTION] {
        check_reduction(MUTANTS, &output, seed(14), &large, REDUCE[0]).unwrap_err();
    }
    let output = mutants::RESIDUE_SUBTRACTION;
    check_reduction(MUTANTS, &output, seed(14), &goldilocks, REDUCE[0]).unwrap();
    let output = mutants::RESIDUE_GOLDILOCKS;
    check_reduction(MUTANTS, &output, seed(14), &goldilocks, 1).unwrap_err();
    let output = mutants::RESIDUE_RUNTIME;
    check_reduction(MUTANTS, &output, seed(14), &Field::of_build(1), REDUCE[1]).unwrap();
    check_reduction(MUTANTS, &output, seed(14), &goldilocks, REDUCE[1]).unwrap_err();
}

#[test]
fn faulty_modular_adders_are_found() {
    for output in [mutants::SUM_SLICE, mutants::SUM_BORROW] {
        check_adder(MUTANTS, &output, seed(16), &Field::of_build(0)).unwrap();
        check_adder(MUTANTS, &output, seed(16), &Field::Goldilocks).unwrap_err();
    }
}

#[test]
fn faulty_sbox_is_found() {
    for field in fields(BUILD) {
        let check = |exponent, spacing| {
            check_sbox(MUTANTS, &mutants::SBOX, seed(19), &field, exponent, spacing)
        };
        check(5, 1).unwrap();
        check(7, 2).unwrap_err();
    }
}

// ---- Products and sums -----------------------------------------------------------------------------

#[test]
fn multiplier() {
    for field in fields(0) {
        check_multiplier(BenchKind::Units, &units::PRODUCT, seed(11), &field).unwrap();
    }
}

#[test]
fn squarer() {
    for field in fields(0) {
        check_squarer(BenchKind::Units, &units::SQUARE, seed(12), &field).unwrap();
    }
}

#[test]
fn accumulator() {
    for field in fields(0) {
        for (across, output) in [(false, units::ACCUMULATED), (true, units::ACROSS)] {
            check_accumulator(BenchKind::Units, &output, seed(13), &field, across).unwrap();
        }
    }
}

// ---- Reduction and addition ------------------------------------------------------------------------

#[test]
fn reduction() {
    for (reduction, output) in units::RESIDUE.iter().enumerate() {
        for field in fields(reduction) {
            let latency = REDUCE[reduction];
            check_reduction(BenchKind::Units, output, seed(14), &field, latency).unwrap();
        }
    }
}

/// Moduli that the run-time reduction takes: those of the five fields, the smallest and the largest of
/// the right form, and random ones.
fn runtime_moduli(random: &mut Random) -> Vec<BigUint> {
    let step = one() << 28_u32;
    let (low, high) = (one() << 250_u32, one() << 255_u32);
    let mut moduli: Vec<_> = FieldId::ALL
        .into_iter()
        .filter(|&field| field != FieldId::Goldilocks)
        .map(common::prime)
        .collect();
    moduli.extend([&low + 1_u32, &low + &step + 1_u32, &high - &step + 1_u32]);
    for bits in 250..255_u32 {
        let size = one() << bits;
        moduli.push((&size + random.big_below(&size)) / &step * &step + 1_u32);
    }
    moduli
}

#[test]
fn reduction_and_addition_by_many_primes() {
    let seed = seed(15);
    for modulus in runtime_moduli(&mut Random::new(seed)) {
        println!("modulus {modulus:x}");
        let field = Field::large(&modulus, RADIX_BITS[1]);
        let kind = BenchKind::Units;
        check_reduction(kind, &units::RESIDUE[1], seed, &field, REDUCE[1]).unwrap();
        check_adder(kind, &units::SUM[1], seed, &field).unwrap();
    }
}

#[test]
fn modular_adder() {
    for (reduction, output) in units::SUM.iter().enumerate() {
        for field in fields(reduction) {
            check_adder(BenchKind::Units, output, seed(16), &field).unwrap();
        }
    }
}

// ---- Conversions -----------------------------------------------------------------------------------

/// Which signals of a conversion the bench has where.
struct Conversion<'a> {
    output: &'a Range<usize>,
    ready: u32,
    valid: u32,
    /// Shows that no word is inside, if the conversion has such a signal.
    idle: Option<u32>,
    /// Cycles from a word that is taken to the buffer.
    pipeline: usize,
}

/// Sends words through a conversion at random paces; every word must come out once, in order, as
/// `expected` says.
fn check_conversion(
    conversion: &Conversion<'_>,
    seed: u64,
    field: &Field,
    words: &[BigUint],
    expected: impl Fn(&BigUint) -> BigUint,
    mut flags: impl FnMut(&BigUint, bool, u32),
) {
    let mut random = Random::new(seed);
    let mut operands = Vec::new();
    let latency = conversion.pipeline + BUFFER;
    let places = conversion.pipeline + MORE_PLACES;
    // Offered and taken in every cycle, then at random, then blocked; an offered word stays.
    for (offer, take) in [(16, 16), (8, 8), (16, 3), (3, 16), (16, 0), (16, 16)] {
        for _ in 0..2 * words.len() / 3 {
            let mut control = 0;
            if random.below(16) < offer {
                control |= CONVERT_VALID;
            }
            if random.below(16) < take {
                control |= CONVERT_READY;
            }
            operands.push(Operands {
                a: random.choose(words).clone(),
                control,
                ..Operands::default()
            });
        }
    }
    operands.extend((0..100).map(|_| Operands {
        control: CONVERT_READY,
        ..Operands::default()
    }));
    let outputs = run(BenchKind::Units, seed, field, &operands);
    let mut inside = VecDeque::new();
    let mut results = 0;
    for (cycle, (x, output)) in operands.iter().zip(&outputs).enumerate() {
        let bits = output[units::FLAGS];
        let valid = bits & conversion.valid != 0;
        assert!(
            bits & conversion.ready != 0 || inside.len() >= places,
            "cycle {cycle}: full too early"
        );
        if let Some(idle) = conversion.idle {
            assert_eq!(bits & idle != 0, inside.is_empty(), "idle in cycle {cycle}");
        }
        match inside.front() {
            None => assert!(!valid, "cycle {cycle}: a word out of nothing"),
            Some((word, since)) => {
                assert!(
                    !valid || cycle >= since + latency,
                    "cycle {cycle}: too early"
                );
                // A word is there in time if it did not wait for others.
                assert!(
                    valid || cycle < since + latency || inside.len() > 1,
                    "cycle {cycle}: a word is held back"
                );
                if valid {
                    let found = number(&output[conversion.output.clone()]);
                    assert_eq!(found, *word, "cycle {cycle}");
                }
            }
        }
        let taken = x.control & CONVERT_VALID != 0 && bits & conversion.ready != 0;
        flags(&x.a, taken, bits);
        if valid && x.control & CONVERT_READY != 0 {
            inside.pop_front();
            results += 1;
        }
        if taken {
            inside.push_back((expected(&x.a), cycle));
        }
        assert!(
            inside.len() <= places,
            "cycle {cycle}: too many words inside"
        );
    }
    assert!(inside.is_empty(), "words stay inside");
    assert!(results > words.len());
}

/// Words to convert: elements, and words that are none.
fn words_to_convert(random: &mut Random, field: &Field) -> Vec<BigUint> {
    let mut words = field.corners();
    words.extend(wide_corners());
    for _ in 0..RANDOM_SETS {
        words.push(field.random(random));
    }
    if let Field::Large { prime, .. } = field {
        words.extend([prime.clone(), prime + 1_u32]);
    } else {
        // One slice alone is no element.
        for s in 0..SLICES {
            let mut slices = split(&field.random(random));
            slices[s] = GOLDILOCKS;
            words.push(join(&slices));
        }
    }
    words
}

fn is_element(field: &Field, word: &BigUint) -> bool {
    bad_slice(field, word).is_none()
}

/// The lowest slice that is no element; 0 if the word is one element and is none.
fn bad_slice(field: &Field, word: &BigUint) -> Option<u32> {
    match field {
        Field::Large { prime, .. } => (word >= prime).then_some(0),
        Field::Goldilocks => {
            let slices = split(word);
            let bad = slices.iter().position(|&slice| slice >= GOLDILOCKS)?;
            Some(bad as u32)
        }
    }
}

#[test]
fn conversion_to_montgomery_form() {
    let seed = seed(17);
    let mut random = Random::new(seed);
    for (reduction, &pipeline) in TO_MONTGOMERY.iter().enumerate() {
        let conversion = Conversion {
            output: &units::TO_MONTGOMERY[reduction],
            ready: units::TO_READY[reduction],
            valid: units::TO_VALID[reduction],
            idle: Some(units::TO_IDLE[reduction]),
            pipeline,
        };
        for field in fields(reduction) {
            let words = words_to_convert(&mut random, &field);
            let expected = |word: &BigUint| match &field {
                // What is no element is taken modulo the prime.
                Field::Large { prime, radix, .. } => word * radix % prime,
                Field::Goldilocks => join(&split(word).map(|slice| slice % GOLDILOCKS)),
            };
            // Of the word that was taken in the cycle before.
            let mut due = None;
            check_conversion(
                &conversion,
                seed,
                &field,
                &words,
                expected,
                |word, taken, bits| {
                    let slice = bits >> units::BAD_SLICE_LSB[reduction] & 3;
                    let refused = bits & units::NOT_BELOW_PRIME[reduction] != 0;
                    assert_eq!(refused.then_some(slice), due, "before {word:x}");
                    due = bad_slice(&field, word).filter(|_| taken);
                },
            );
        }
    }
}

#[test]
fn conversion_from_montgomery_form() {
    let seed = seed(18);
    let mut random = Random::new(seed);
    for (reduction, &pipeline) in FROM_MONTGOMERY.iter().enumerate() {
        let conversion = Conversion {
            output: &units::FROM_MONTGOMERY[reduction],
            ready: units::FROM_READY[reduction],
            valid: units::FROM_VALID[reduction],
            idle: None,
            pipeline,
        };
        for field in fields(reduction) {
            let mut words = words_to_convert(&mut random, &field);
            words.retain(|word| is_element(&field, word));
            let expected = |word: &BigUint| match &field {
                Field::Large { .. } => field.mul(word, &one()),
                Field::Goldilocks => word.clone(),
            };
            check_conversion(&conversion, seed, &field, &words, expected, |_, _, _| {});
        }
    }
}

// ---- Blocks of a round -----------------------------------------------------------------------------

#[test]
fn sbox() {
    for field in fields(BUILD) {
        for exponent in [3, 5] {
            let output = units::SBOX;
            check_sbox(BenchKind::Units, &output, seed(19), &field, exponent, 1).unwrap();
        }
    }
}

#[test]
fn sbox_with_two_products() {
    for field in fields(BUILD) {
        for spacing in 2..=4 {
            check_sbox(BenchKind::Units, &units::SBOX, seed(20), &field, 7, spacing).unwrap();
        }
    }
}

#[test]
fn sbox_refuses_elements_that_meet() {
    // x^7 in every cycle: the multiplier is asked for two products.
    let operands: Vec<_> = (0..60_u32)
        .map(|a| Operands {
            a: a.into(),
            control: SBOX_VALID | 2 << ALPHA_LSB,
            ..Operands::default()
        })
        .collect();
    let setting = Field::of_build(BUILD).setting();
    let input: Vec<u32> = operands.iter().flat_map(|x| x.pack(&setting)).collect();
    let error = Bench::new(BenchKind::Units, 1).run(&input).unwrap_err();
    assert!(error.to_string().contains("one_product_a"), "{error}");
}

#[test]
fn dot_product() {
    let seed = seed(21);
    for field in fields(BUILD) {
        for (across, output) in [(false, units::DOT_PRODUCT), (true, units::DOT_ACROSS)] {
            let mut random = Random::new(seed);
            let mut operands = residues(&mut random, &field);
            // The largest products.
            let largest = largest(&field);
            for _ in 0..40 {
                operands.push(Operands {
                    a: largest.clone(),
                    b: largest.clone(),
                    c: largest.clone(),
                    ..Operands::default()
                });
            }
            let others = values_to_reduce(&mut random, &field);
            // Operands, the control of their products and a sum in place of theirs come one after the
            // other.
            let controls = steps(&mut random, &field, operands.len(), across);
            let other: Vec<_> = operands
                .iter()
                .map(|_| (random.below(4) == 0).then(|| random.choose(&others).value.clone()))
                .collect();
            let mut input = operands.clone();
            input.resize(operands.len() + MUL + ACCUMULATE, Operands::default());
            for (cycle, (control, other)) in controls.iter().zip(&other).enumerate() {
                input[cycle + MUL].control |= control;
                if let Some(other) = other {
                    let input = &mut input[cycle + MUL + ACCUMULATE];
                    input.control |= TAKE_OTHER;
                    input.value = other.clone();
                }
            }
            let outputs = run(BenchKind::Units, seed, &field, &input);
            let mut accumulator = Accumulator::new(across);
            for (cycle, x) in operands.iter().enumerate() {
                let products = [(&x.a, &x.b), (&x.b, &x.c), (&x.c, &x.a)]
                    .map(|(a, b)| full_product(&field, a, b));
                let sum = accumulator.step(&field, controls[cycle], &products);
                let expected = field.reduce(other[cycle].as_ref().unwrap_or(&sum));
                let found = number(&outputs[cycle + DOT_PRODUCT][output.clone()]);
                assert_eq!(found, expected, "cycle {cycle}, across {across}, {field:?}");
            }
        }
    }
}

#[test]
fn scaled_add() {
    let seed = seed(22);
    for field in fields(BUILD) {
        let operands = residues(&mut Random::new(seed), &field);
        let subject = Subject {
            kind: BenchKind::Units,
            output: &units::SCALED_ADD,
            latency: SCALED_ADD,
            field: &field,
        };
        subject
            .check(seed, &operands, |x| field.add(&x.a, &field.mul(&x.b, &x.c)))
            .unwrap();
    }
}

// ---- Common blocks ---------------------------------------------------------------------------------

#[test]
fn delay_line() {
    let seed = seed(19);
    let operands = wide_pairs(&mut Random::new(seed));
    let field = Field::Goldilocks;
    let subject = Subject {
        kind: BenchKind::Units,
        output: &units::DELAYED,
        latency: DELAY,
        field: &field,
    };
    subject.check(seed, &operands, |x| x.a.clone()).unwrap();
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
    let outputs = run(BenchKind::Units, seed, &Field::Goldilocks, &operands);
    // Words inside, with the cycle in which they entered.
    let mut inside: VecDeque<(BigUint, usize)> = VecDeque::new();
    let mut most = 0;
    for (cycle, (x, output)) in operands.iter().zip(&outputs).enumerate() {
        let ready = output[units::FLAGS] & units::FIFO_READY != 0;
        let valid = output[units::FLAGS] & units::FIFO_VALID != 0;
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
    let outputs = run(BenchKind::Units, seed, &Field::Goldilocks, &operands);
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
    for field in fields(BUILD) {
        let mut operands = residues(&mut Random::new(seed(25)), &field);
        for x in &mut operands {
            x.control = FIRST | 7 << ENABLE_LSB;
        }
        let settled = |seed| {
            let outputs = run(BenchKind::Units, seed, &field, &operands);
            outputs[SBOX..operands.len()]
                .iter()
                .map(|words| {
                    let conversions = units::TO_MONTGOMERY
                        .into_iter()
                        .chain(units::FROM_MONTGOMERY);
                    let mut words = words[..units::DELAYED.end].to_vec();
                    // Nothing was given to the conversions.
                    for range in conversions {
                        words[range].fill(0);
                    }
                    words
                })
                .collect::<Vec<_>>()
        };
        assert_eq!(settled(1), settled(2));
    }
}

#[test]
fn failed_assertions_are_errors() {
    // The memory asserts that nothing reads the address that is written.
    let collision = Operands {
        control: MEMORY_WRITE | MEMORY_READ,
        ..Operands::default()
    };
    let setting = Field::Goldilocks.setting();
    let input = [Operands::default(), collision, Operands::default()];
    let input: Vec<u32> = input.iter().flat_map(|x| x.pack(&setting)).collect();
    let error = Bench::new(BenchKind::Units, 1).run(&input).unwrap_err();
    let SimulationError::Assertion { message, .. } = &error else {
        panic!("another error: {error}");
    };
    assert!(message.contains("no_collision_a"), "{message}");
}

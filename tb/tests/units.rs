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
const OPERAND: usize = 1;
const PAIR_PRODUCT: usize = OPERAND + MUL;
const PAIR_ROW: usize = PAIR_PRODUCT + ACCUMULATE + REDUCE[BUILD];
const SLOT_SUM: usize = 1;
/// From the last pair of a state until the sum of its pairs is there.
const PAIR_SUM: usize = PAIR_PRODUCT + 2;
const RESOLVE: usize = 1;
const ADDERS: usize = 6;
/// A product that is made beside in Goldilocks mode.
const BESIDE: usize = MUL - 2;
/// The reduction of the S-box and of the blocks with pairs: 0 by the constant prime, 1 by the run-time one.
const BUILD: usize = RUNTIME_MODULUS as usize;
/// log2 of the Montgomery radices of the two reductions.
const RADIX_BITS: [u32; 2] = [264, 280];
/// The largest sum that is reduced, in squares of the prime.
const MOST_PRODUCTS: u32 = 512;
/// Most products of which a chunk of a sum has room.
const MOST_CHUNKS: u32 = 256;
/// Lanes of a beat, and elements that a state has at most.
const LANES: usize = 3;
const MOST_ELEMENTS: usize = 12;
/// Parameters of tb/rtl/acclmt_tb_units.sv.
const DELAY: usize = 26;
const FIFO_DEPTH: usize = 5;
const MEMORY_DEPTH: u64 = 16;
/// Beats that wait behind the exit of the recurrence.
const EXIT_PLACES: usize = 8;
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
const NEGATIVE: u32 = 1 << 16;
const KEEP: u32 = 1 << 17;
const ADDERS_VALID: u32 = 1 << 18;
const ADDERS_TWO_BEATS: u32 = 1 << 19;
const ADDERS_WRITE: u32 = 1 << 30;
/// The word of a unit for the second beat, or that beat.
const ADDERS_SECOND: u32 = 1 << 31;
const ADDERS_ROW_LSB: u32 = 12;
const BYPASS_LSB: u32 = 20;
const ALPHA_LSB: u32 = 24;
const CONVERT_VALID: u32 = 1 << 26;
const CONVERT_READY: u32 = 1 << 27;
const CLEAR: u32 = 1 << 28;

/// Bits of the shape and the handshakes of states. Beats are in the lowest bits.
const LAST_PAIRS_LSB: u32 = 3;
const ORDER_LSB: u32 = 5;
const WIDTH_LSB: u32 = 10;
const PAIRS_VALID: u32 = 1 << 15;
const PAIRS_BEAT_LSB: u32 = 16;
const EXIT_VALID: u32 = 1 << 19;
const EXIT_READY: u32 = 1 << 20;
const EXIT_TAG_LSB: u32 = 21;

/// Bits of the flags of the exit, which follow its state.
const EXIT_TAKES: u32 = 1 << 0;
const EXIT_HAS: u32 = 1 << 1;
const EXIT_IDLE: u32 = 1 << 2;
const EXIT_HAS_TAG_LSB: u32 = 8;

/// Words of the packed outputs of `BenchKind::Units`.
mod units {
    use std::ops::Range;
    pub const PRODUCT: Range<usize> = 0..16;
    pub const SQUARE: Range<usize> = 16..32;
    pub const ACCUMULATED: Range<usize> = 32..49;
    pub const SLOT_SUM: Range<usize> = 49..66;
    /// By the constant prime and by the run-time one.
    pub const RESIDUE: [Range<usize>; 2] = [66..74, 106..114];
    pub const SUM: [Range<usize>; 2] = [74..82, 114..122];
    pub const OPERAND: [Range<usize>; 2] = [82..90, 122..130];
    pub const TO_MONTGOMERY: [Range<usize>; 2] = [90..98, 130..138];
    pub const FROM_MONTGOMERY: [Range<usize>; 2] = [98..106, 138..146];
    pub const OPERAND_PLAIN: Range<usize> = 146..154;
    pub const SBOX: Range<usize> = 154..162;
    pub const PAIR_PRODUCT: Range<usize> = 162..178;
    pub const PAIR_ROW: Range<usize> = 178..186;
    pub const DELAYED: Range<usize> = 186..194;
    pub const PAIR_SUM: Range<usize> = 194..211;
    /// With the flags.
    pub const EXIT: Range<usize> = 211..236;
    pub const HEAD: Range<usize> = 236..244;
    pub const STORED: Range<usize> = 244..252;
    pub const FLAGS: usize = 252;
    pub const BESIDE: Range<usize> = 253..269;
    pub const ADDERS: Range<usize> = 269..293;
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

    /// The operand of a multiplier: a + x, or p - x, in Goldilocks mode of slice 0.
    fn operand(&self, a: &BigUint, x: &BigUint, negative: bool) -> BigUint {
        match self {
            Self::Large { prime, .. } if negative => prime - x,
            Self::Large { .. } => a + x,
            Self::Goldilocks => {
                let mut operand = split(&self.add(a, x));
                if negative {
                    operand[0] = GOLDILOCKS - split(x)[0];
                }
                join(&operand)
            }
        }
    }

    /// p - x, in Goldilocks mode of all slices.
    fn negative(&self, x: &BigUint) -> BigUint {
        match self {
            Self::Large { prime, .. } => prime - x,
            Self::Goldilocks => join(&split(x).map(|x| GOLDILOCKS - x)),
        }
    }

    /// A sum of which each chunk may have grown, as a reduction takes it.
    fn resolve(&self, chunks: &Chunks) -> Chunks {
        match self {
            Self::Large { .. } => chunks_of(&number_of(chunks)),
            Self::Goldilocks => chunks.clone(),
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

/// Four 136-bit sums; the chunks of a large sum, once its carries are resolved, have 128 bits each, but for
/// the last one.
type Chunks = [BigUint; SLICES];

const CHUNK_BITS: usize = 136;

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

/// Adds chunk by chunk.
fn add_chunks(sum: &mut Chunks, more: &Chunks) {
    for (sum, more) in sum.iter_mut().zip(more) {
        *sum += more;
    }
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

/// Coefficients and elements of a pair: (a + x)(b + y).
#[derive(Clone, Debug, Default)]
struct Pair {
    a: BigUint,
    x: BigUint,
    b: BigUint,
    y: BigUint,
}

/// What the blocks get in a clock cycle.
#[derive(Clone, Debug, Default)]
struct Operands {
    a: BigUint,
    b: BigUint,
    c: BigUint,
    /// The first one is reduced, or what other sums begin with.
    values: [Chunks; LANES],
    products: [BigUint; LANES],
    pairs: [Pair; LANES],
    control: u32,
    shape: u32,
}

impl Operands {
    fn pack(&self, setting: &(u32, BigUint, BigUint)) -> Vec<u32> {
        let (mode, prime, radix_squared) = setting;
        let mut words = Vec::new();
        let mut push = |value: &BigUint, length: usize| {
            let end = words.len() + length;
            words.extend(value.iter_u32_digits());
            assert!(words.len() <= end, "an operand is too wide: {value:x}");
            words.resize(end, 0);
        };
        for value in [&self.a, &self.b, &self.c] {
            push(value, 8);
        }
        for value in &self.values {
            push(&packed(value), 17);
        }
        for value in &self.products {
            push(value, 16);
        }
        let operands: [fn(&Pair) -> &BigUint; 4] = [
            |pair| &pair.a,
            |pair| &pair.x,
            |pair| &pair.b,
            |pair| &pair.y,
        ];
        for operand in operands {
            for pair in &self.pairs {
                push(operand(pair), 8);
            }
        }
        push(prime, 8);
        push(radix_squared, 8);
        words.extend([self.control | mode, self.shape]);
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

/// Values for the reduction: corners and sums of products of residues.
fn values_to_reduce(random: &mut Random, field: &Field) -> Vec<Operands> {
    let values = match field {
        Field::Large { prime, .. } => large_values(random, prime),
        Field::Goldilocks => goldilocks_values(random),
    };
    values
        .into_iter()
        .map(|value| Operands {
            values: [value, Chunks::default(), Chunks::default()],
            ..Operands::default()
        })
        .collect()
}

fn large_values(random: &mut Random, prime: &BigUint) -> Vec<Chunks> {
    let square = prime * prime;
    let largest = &square * MOST_PRODUCTS;
    let mut values = vec![largest.clone(), &largest - 1_u32, BigUint::default(), one()];
    for count in 1..=MOST_PRODUCTS {
        // The largest sum of products of residues; multiples of the prime.
        values.push((prime - 1_u32) * (prime - 1_u32) * count);
        values.push(&square * count);
        values.push(&square * count - prime);
    }
    // Multiples of the prime: the quotient is the prime itself, and must become zero.
    for factor in [one(), BigUint::from(2_u32), prime - 1_u32, one() << 200] {
        values.push(prime * factor);
    }
    // Low part zero or all ones: nothing carries out of it, or everything; and the low parts with which the
    // quotient, or what is subtracted for it, is largest. Of both radices.
    for radix_bits in RADIX_BITS {
        let radix = one() << radix_bits;
        let low_parts = [
            BigUint::default(),
            one(),
            &radix - 1_u32,
            prime.clone(),
            &radix - prime,
            &radix >> 1_u32,
        ];
        for count in [1, 2, 3, 12, 128, 511, 512_u32] {
            let high = (((&square * count) >> radix_bits) - 1_u32) << radix_bits;
            values.extend(low_parts.iter().map(|low| &high + low));
        }
        values.extend(low_parts);
    }
    for bit in [
        28, 56, 84, 112, 140, 168, 196, 224, 244, 251, 252, 253, 255, 256, 257, 263, 264, 265, 279,
        280, 281,
    ] {
        values.push(one() << bit);
        values.push((one() << bit) - 1_u32);
        let limit = &largest >> bit;
        for _ in 0..64 {
            values.push(random.big_below(&limit) << bit);
        }
    }
    for bit in [1, 32, 64, 128, 300, 400, 490, 508] {
        values.push(one() << bit);
        values.push((one() << bit) - 1_u32);
    }
    for _ in 0..RANDOM_SETS {
        let products = random.below(12) + 1;
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
    corners.extend((1..=MOST_CHUNKS).map(|count| &square * count));
    // Multiples of the prime and their neighbours: the residue is 0, 1 or p - 1.
    for bit in [0, 1, 31, 32, 33, 63, 64, 65, 66, 67, 68, 69, 70, 71] {
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
        value += BigUint::from([0_u32, 1, 255][rest as usize % 3]) << 128_u32;
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

/// Pairs of elements with the same sum, in Goldilocks mode with one sum for each slice.
fn elements_with_sums(random: &mut Random, field: &Field) -> Vec<Operands> {
    let prime = match field {
        Field::Large { prime, .. } => prime.clone(),
        Field::Goldilocks => GOLDILOCKS.into(),
    };
    let mut sums = vec![
        &prime - 1_u32,
        prime.clone(),
        &prime + 1_u32,
        &prime * 2_u32 - 2_u32,
    ];
    for bit in [1, 32, 63, 64, 65, 127, 128, 129, 191, 192, 193, 250] {
        sums.extend([one() << bit, (one() << bit) - 1_u32]);
    }
    sums.retain(|sum| *sum <= &prime * 2_u32 - 2_u32);
    let two = |random: &mut Random, sum: &BigUint| {
        // Both are below the prime.
        let least = match *sum >= prime {
            true => sum - &prime + 1_u32,
            false => BigUint::default(),
        };
        let first = &least + random.big_below(&(sum - &least * 2_u32 + 1_u32));
        (sum - &first, first)
    };
    let mut operands = Vec::new();
    for sum in &sums {
        for _ in 0..16 {
            let (a, b) = match field {
                Field::Large { .. } => two(random, sum),
                Field::Goldilocks => {
                    let (mut a, mut b) = (BigUint::default(), BigUint::default());
                    for s in 0..SLICES {
                        let other = random.choose(&sums).clone();
                        let (first, second) = two(random, if s == 0 { sum } else { &other });
                        a += first << (64 * s);
                        b += second << (64 * s);
                    }
                    (a, b)
                }
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

/// A sum that has not been resolved: `count` times the chunks of a product.
fn unresolved(product: &BigUint, count: u32) -> Chunks {
    chunks_of(product).map(|chunk| chunk * count)
}

/// A product: of any bits, all ones, of the largest elements, or of random ones.
fn any_product(random: &mut Random, field: &Field) -> BigUint {
    match random.below(5) {
        0 => random.bits(512),
        1 => (one() << 512) - 1_u32,
        2 => BigUint::default(),
        3 => full_product(field, &largest(field), &largest(field)),
        _ => full_product(field, &field.random(random), &field.random(random)),
    }
}

/// What a sum begins with whose chunks are at most `most`: zero, the most, what carries as far as it can, or
/// anything.
fn any_initial(random: &mut Random, most: &BigUint) -> Chunks {
    let kind = random.below(5);
    [(); SLICES].map(|()| match kind {
        0 => BigUint::default(),
        1 => most.clone(),
        2 => random.big_below(&(most + 1_u32)),
        // All ones below what is carried, one more or one less of them.
        3 => {
            let carried = random.big_below(&(most >> 128_u32).max(one())) << 128_u32;
            carried + (one() << 128_u32) - 2_u32 + random.below(3)
        }
        _ => match random.below(3) {
            0 => BigUint::default(),
            1 => most.clone(),
            _ => BigUint::from(random.below(3)),
        },
    })
}

/// Sums of the products of some steps, with something to begin with.
fn sums_to_accumulate(random: &mut Random, field: &Field) -> Vec<Operands> {
    let largest_chunk = (one() << 128_u32) - 1_u32;
    let room = (one() << CHUNK_BITS) - 1_u32;
    let mut operands = Vec::new();
    // As many steps as there is room for, then fewer.
    let mut lengths = vec![85, 84, 43];
    lengths.extend((0..RANDOM_SETS / 2).map(|_| 1 + random.below(4) as u32));
    for (i, steps) in lengths.into_iter().enumerate() {
        let mut most = &room - &largest_chunk * (LANES as u32 * steps);
        if let Field::Large { .. } = field {
            // What the last chunk gets from the one before it.
            most -= 255_u32;
        }
        for step in 0..steps {
            let products = [(); LANES].map(|()| match i {
                0..3 => (one() << 512_u32) - 1_u32,
                _ if i % 2 == 0 => BigUint::default(),
                _ => any_product(random, field),
            });
            // What comes with other steps than the first one does not matter.
            let initial = match i {
                0..3 if step == 0 => [(); SLICES].map(|()| most.clone()),
                _ => any_initial(random, &most),
            };
            operands.push(Operands {
                values: [initial, Chunks::default(), Chunks::default()],
                products,
                control: if step == 0 { FIRST } else { 0 },
                ..Operands::default()
            });
        }
    }
    operands
}

/// The running sums of products of steps.
#[derive(Default)]
struct Accumulator {
    sum: Chunks,
}

impl Accumulator {
    /// Adds products; returns the sum as the block puts it out.
    fn step(
        &mut self,
        field: &Field,
        first: bool,
        initial: &Chunks,
        products: &[BigUint; LANES],
    ) -> Chunks {
        if first {
            self.sum = initial.clone();
        }
        for product in products {
            add_chunks(&mut self.sum, &chunks_of(product));
        }
        field.resolve(&self.sum)
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

/// Digits of an entry of the adders' matrix, of weights 1, 4, 16 and 64.
type Digits = [i8; 4];

/// Most elements of a state that adders take, in two beats.
const MOST_OF_ADDERS: usize = 16;

/// A matrix of the adders.
type DigitMatrix = [[Digits; MOST_OF_ADDERS]; MOST_OF_ADDERS];

/// A word of a unit of adders: each digit is a bit for x, one for 2x, and one for its complement.
fn unit_word(cells: &[Digits; MOST_ELEMENTS]) -> BigUint {
    let mut word = BigUint::default();
    for (place, &digit) in cells.as_flattened().iter().enumerate() {
        let code = u32::from(digit.unsigned_abs()) | u32::from(digit < 0) << 2;
        word |= BigUint::from(code) << (3 * place);
    }
    word
}

/// The words of the units, in order; with the second beat unit r goes on with its row, and helps with one of the last
/// four rows.
fn unit_words(matrix: &DigitMatrix) -> Vec<BigUint> {
    let first = |unit: usize| std::array::from_fn(|cell| matrix[unit][cell]);
    let second = |unit: usize| {
        std::array::from_fn(|cell| {
            let other = 6 * (unit % 3) + cell.saturating_sub(6);
            match cell {
                0..4 => matrix[unit][MOST_ELEMENTS + cell],
                6.. if other < MOST_OF_ADDERS => matrix[MOST_ELEMENTS + unit / 3][other],
                _ => Digits::default(),
            }
        })
    };
    let units = 0..MOST_ELEMENTS;
    let cells = units.clone().map(first).chain(units.map(second));
    cells.map(|cells| unit_word(&cells)).collect()
}

/// What the adders make of a state in a row: the entries times the elements, and for each negative digit all bits of
/// a term, as often as its weight.
fn row_of_adders(row: &[Digits], state: &[u64]) -> u64 {
    let prime = i128::from(GOLDILOCKS);
    let mut sum = 0_i128;
    for (digits, &element) in row.iter().zip(state) {
        for (number, &digit) in digits.iter().enumerate() {
            let weight = 1_i128 << (2 * number);
            sum += weight * i128::from(digit) * i128::from(element);
            if digit < 0 {
                sum += weight * ((1 << 66) - 1);
            }
        }
    }
    sum.rem_euclid(prime) as u64
}

/// Matrices of the largest digits, of the smallest ones, and of any, with states of corners and of any elements, of so
/// many beats.
fn check_adders(kind: BenchKind, output: &Range<usize>, seed: u64, beats: usize) -> Checked {
    let mut random = Random::new(seed);
    let corners: Vec<u64> = (goldilocks_corners().iter())
        .filter_map(|corner| corner.iter_u64_digits().next().or(Some(0)))
        .filter(|&corner| corner < GOLDILOCKS)
        .collect();
    let width = if beats == 1 {
        MOST_ELEMENTS
    } else {
        MOST_OF_ADDERS
    };
    let beat_bit = if beats == 1 { 0 } else { ADDERS_TWO_BEATS };
    for round in 0..8 {
        let mut matrix = DigitMatrix::default();
        for digit in matrix.as_flattened_mut().as_flattened_mut() {
            *digit = match round {
                0 => 2,
                1 => -2,
                _ => random.below(5) as i8 - 2,
            };
        }
        let words = unit_words(&matrix);
        let write = |(number, word): (usize, &BigUint)| {
            let (second, unit) = (number / MOST_ELEMENTS, number % MOST_ELEMENTS);
            let mut operands = Operands {
                control: ADDERS_WRITE
                    | (unit as u32) << ADDERS_ROW_LSB
                    | (second as u32 * ADDERS_SECOND)
                    | beat_bit,
                ..Operands::default()
            };
            operands.pairs[0].a = word.clone();
            operands
        };
        let words = words[..beats * MOST_ELEMENTS].iter();
        let mut operands: Vec<Operands> = words.enumerate().map(write).collect();
        // The last word is known to be legal a cycle later.
        operands.push(Operands {
            control: beat_bit,
            ..Operands::default()
        });
        let loaded = operands.len();
        let mut states = Vec::new();
        for number in 0..400 {
            let mut state = [0_u64; 2 * MOST_ELEMENTS];
            for element in &mut state[..width] {
                *element = match number % 4 {
                    0 => *random.choose(&corners),
                    1 => GOLDILOCKS - 1,
                    2 => random.below(2),
                    _ => random.next() % GOLDILOCKS,
                };
            }
            // Of elements that no row has, anything.
            for element in &mut state[width..] {
                *element = random.next() % GOLDILOCKS;
            }
            // Element e of a beat is in lane e mod 3, slice e div 3.
            for (second, beat) in state.chunks(MOST_ELEMENTS).take(beats).enumerate() {
                let lane =
                    |lane: usize| join(&[0, 1, 2, 3].map(|slice| beat[LANES * slice + lane]));
                operands.push(Operands {
                    a: lane(0),
                    b: lane(1),
                    c: lane(2),
                    control: ADDERS_VALID | (second as u32 * ADDERS_SECOND) | beat_bit,
                    ..Operands::default()
                });
            }
            states.push(state);
        }
        // States have as many beats until the last one has left.
        operands.resize(
            operands.len() + ADDERS + beats,
            Operands {
                control: beat_bit,
                ..Operands::default()
            },
        );
        let outputs = run(kind, seed, &Field::Goldilocks, &operands);
        for (number, state) in states.iter().enumerate() {
            let mut rows = [0; 2 * MOST_ELEMENTS];
            for (element, row) in rows.iter_mut().zip(&matrix).take(width) {
                *element = row_of_adders(&row[..width], &state[..width]);
            }
            for (second, beat) in rows.chunks(MOST_ELEMENTS).take(beats).enumerate() {
                let cycle = loaded + beats * number + second;
                let lane =
                    |lane: usize| join(&[0, 1, 2, 3].map(|slice| beat[LANES * slice + lane]));
                let expected: BigUint = (0..3).map(|place| lane(place) << (256 * place)).sum();
                let found = cycle + ADDERS + (beats - 1);
                let found = crate::number(&outputs[found][output.clone()]);
                if found != expected {
                    return Err(Box::new(Mismatch {
                        cycle,
                        operands: operands[cycle].clone(),
                        expected,
                        found,
                    }));
                }
            }
        }
    }
    Ok(())
}

#[test]
fn adders_of_small_integers() {
    for beats in [1, 2] {
        check_adders(BenchKind::Units, &units::ADDERS, seed(31), beats).unwrap();
    }
}

/// Four products beside those of Goldilocks mode, which change nothing of these.
#[test]
fn products_beside() {
    let mut random = Random::new(seed(32));
    let operands: Vec<Operands> = (wide_pairs(&mut random).into_iter())
        .map(|pair| Operands {
            b: pair.a,
            c: pair.b,
            a: random.bits(256),
            ..Operands::default()
        })
        .collect();
    let subject = |output, latency| Subject {
        kind: BenchKind::Units,
        output,
        latency,
        field: &Field::Goldilocks,
    };
    let beside = subject(&units::BESIDE, BESIDE);
    (beside.check(seed(32), &operands, |x| slice_products(&x.b, &x.c))).unwrap();
    let product = subject(&units::PRODUCT, MUL);
    (product.check(seed(32), &operands, |x| slice_products(&x.a, &x.b))).unwrap();
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

fn check_accumulator(kind: BenchKind, output: &Range<usize>, seed: u64, field: &Field) -> Checked {
    let operands = sums_to_accumulate(&mut Random::new(seed), field);
    let subject = Subject {
        kind,
        output,
        latency: ACCUMULATE,
        field,
    };
    let mut accumulator = Accumulator::default();
    subject.check(seed, &operands, |x| {
        packed(&accumulator.step(field, x.control & FIRST != 0, &x.values[0], &x.products))
    })
}

fn check_slot_sum(kind: BenchKind, output: &Range<usize>, seed: u64, field: &Field) -> Checked {
    let mut random = Random::new(seed);
    let mut operands = Vec::new();
    let new_sum = |x: &Operands| {
        let mut sum = chunks_of(&x.products[0]);
        add_chunks(&mut sum, &chunks_of(&x.products[1]));
        if x.control & KEEP != 0 {
            add_chunks(&mut sum, &x.values[0]);
        }
        sum
    };
    // The rounds of a hash: all chunks of all products all ones, and then any.
    let mut sum = Chunks::default();
    for round in 0..2 * RANDOM_SETS as u32 {
        let begins = round % (MOST_CHUNKS / 2) == 0;
        let mut products = [(); LANES].map(|()| any_product(&mut random, field));
        if round < MOST_CHUNKS {
            products[..2].fill((one() << 512_u32) - 1_u32);
        }
        let mut x = Operands {
            products,
            control: if begins { 0 } else { KEEP },
            ..Operands::default()
        };
        // What is not kept may be anything.
        x.values[0] = match begins {
            true => [(); SLICES].map(|()| random.bits(CHUNK_BITS as u64)),
            false => sum,
        };
        sum = new_sum(&x);
        operands.push(x);
    }
    let subject = Subject {
        kind,
        output,
        latency: SLOT_SUM,
        field,
    };
    subject.check(seed, &operands, |x| packed(&new_sum(x)))
}

/// `has_negative`: whether the block can make p - x.
fn check_operand_adder(
    kind: BenchKind,
    output: &Range<usize>,
    seed: u64,
    field: &Field,
    has_negative: bool,
) -> Checked {
    let mut random = Random::new(seed);
    let mut operands = residues(&mut random, field);
    operands.extend(elements_with_sums(&mut random, field));
    if has_negative {
        let mut negatives = operands.clone();
        for x in &mut negatives {
            x.control |= NEGATIVE;
        }
        operands.extend(negatives);
        // One after the other.
        for _ in 0..RANDOM_SETS {
            let x = random.choose(&operands).clone();
            operands.push(x);
        }
    }
    let subject = Subject {
        kind,
        output,
        latency: OPERAND,
        field,
    };
    subject.check(seed, &operands, |x| {
        field.operand(&x.a, &x.b, x.control & NEGATIVE != 0)
    })
}

/// The same numbers in every slice.
fn in_all_slices(field: &Field, value: u64) -> BigUint {
    match field {
        Field::Large { .. } => value.into(),
        Field::Goldilocks => join(&[value; SLICES]),
    }
}

fn any_pair(random: &mut Random, values: &[BigUint]) -> Pair {
    Pair {
        a: random.choose(values).clone(),
        x: random.choose(values).clone(),
        b: random.choose(values).clone(),
        y: random.choose(values).clone(),
    }
}

fn random_pair(random: &mut Random, field: &Field) -> Pair {
    Pair {
        a: field.random(random),
        x: field.random(random),
        b: field.random(random),
        y: field.random(random),
    }
}

fn check_pair_product(kind: BenchKind, output: &Range<usize>, seed: u64, field: &Field) -> Checked {
    let mut random = Random::new(seed);
    let extremes = [BigUint::default(), in_all_slices(field, 1), largest(field)];
    let mut pairs = Vec::new();
    for a in &extremes {
        for x in &extremes {
            for b in &extremes {
                for y in &extremes {
                    pairs.push(Pair {
                        a: a.clone(),
                        x: x.clone(),
                        b: b.clone(),
                        y: y.clone(),
                    });
                }
            }
        }
    }
    let corners = field.corners();
    pairs.extend((0..RANDOM_SETS).map(|_| any_pair(&mut random, &corners)));
    pairs.extend((0..RANDOM_SETS).map(|_| random_pair(&mut random, field)));
    let mut operands = Vec::new();
    for pair in pairs {
        let mut x = Operands::default();
        x.pairs[0] = pair;
        operands.push(x.clone());
        x.control |= NEGATIVE;
        operands.push(x);
    }
    let subject = Subject {
        kind,
        output,
        latency: PAIR_PRODUCT,
        field,
    };
    subject.check(seed, &operands, |operands| {
        let Pair { a, x, b, y } = &operands.pairs[0];
        let negative = operands.control & NEGATIVE != 0;
        let product = full_product(
            field,
            &field.operand(a, x, negative),
            &field.operand(b, y, false),
        );
        if !negative {
            // With (p - x) y it is congruent to a y + b x + a b.
            let mut sum = chunks_of(&product);
            add_chunks(
                &mut sum,
                &chunks_of(&full_product(field, &field.negative(x), y)),
            );
            let sum = field.reduce(&sum);
            let terms = [(a, y), (b, x), (a, b)].map(|(first, second)| field.mul(first, second));
            let [first, second, third] = &terms;
            assert_eq!(sum, field.add(&field.add(first, second), third));
        }
        product
    })
}

/// A state of which the sum of the pairs is made.
struct PairedState {
    beats: Vec<[BigUint; LANES]>,
    /// From its first beat to that of the next state, at least.
    cycles: usize,
}

/// The sum of (p - x) y over the pairs of a state, in chunks, for all rows.
fn sum_of_pairs(field: &Field, beats: &[[BigUint; LANES]]) -> Chunks {
    let mut sum = Chunks::default();
    match field {
        Field::Large { .. } => {
            for two in beats.chunks_exact(2) {
                for (x, y) in two[0].iter().zip(&two[1]) {
                    add_chunks(&mut sum, &chunks_of(&(field.negative(x) * y)));
                }
            }
        }
        Field::Goldilocks => {
            let mut total = BigUint::default();
            for word in beats.iter().flatten() {
                let slices = split(word);
                for two in slices.chunks_exact(2) {
                    total += BigUint::from(GOLDILOCKS - two[0]) * two[1];
                }
            }
            sum.fill(total);
        }
    }
    sum
}

/// Elements of a beat.
const fn elements_of_beat(field: &Field) -> usize {
    match field {
        Field::Large { .. } => LANES,
        Field::Goldilocks => LANES * SLICES,
    }
}

/// Elements of the largest states.
const fn most_elements(field: &Field) -> usize {
    match field {
        Field::Large { .. } => MOST_ELEMENTS,
        Field::Goldilocks => 2 * LANES * SLICES,
    }
}

/// The words of a state, beat by beat; places beyond its elements are zero.
fn words_of_state(field: &Field, elements: &[BigUint]) -> Vec<[BigUint; LANES]> {
    let of_beat = elements_of_beat(field);
    (0..elements.len().div_ceil(of_beat))
        .map(|beat| {
            [0, 1, 2].map(|lane| {
                (0..of_beat / LANES)
                    .map(|slice| {
                        let place = of_beat * beat + LANES * slice + lane;
                        elements.get(place).cloned().unwrap_or_default() << (64 * slice)
                    })
                    .sum()
            })
        })
        .collect()
}

/// Elements, one in a number also in Goldilocks mode: all of them the largest, zero, or random.
fn any_elements(random: &mut Random, field: &Field, count: usize) -> Vec<BigUint> {
    let kind = random.below(4);
    let prime = match field {
        Field::Large { prime, .. } => prime.clone(),
        Field::Goldilocks => GOLDILOCKS.into(),
    };
    (0..count)
        .map(|_| match kind {
            0 => &prime - 1_u32,
            1 => [BigUint::default(), one(), &prime - 1_u32][random.below(3) as usize].clone(),
            _ => random.big_below(&prime),
        })
        .collect()
}

/// States of `width` elements at the pace of a full-round sub-engine, or slower; `seventh` for x^7.
fn check_pair_sum(
    kind: BenchKind,
    output: &Range<usize>,
    seed: u64,
    field: &Field,
    width: usize,
    seventh: bool,
) -> Checked {
    let mut random = Random::new(seed);
    let groups = width.div_ceil(LANES);
    // Beats, cycles from one to the next, cycles of a state, and pairs in the last beat that has any.
    let (beats, spacing, cycles, last_pairs) = match field {
        Field::Large { .. } => match groups {
            2 => (2, 1, if width == 6 { 3 } else { 2 }, width - 3),
            3 => (3, 2, 6, 3),
            _ => (4, 2, 8, width - 9),
        },
        Field::Goldilocks => match groups {
            ..=2 => (1, 1, 1, 1),
            3 | 4 => (1, 1, 2, 2),
            // The second beat has no pair, one in each lane, or two.
            5 => (2, 2, 6, 0),
            6 => (2, 2, 6, 1),
            _ => (2, 2, 8, 2),
        },
    };
    let (spacing, cycles) = match seventh {
        true => (2, cycles.max(2 * beats)),
        false => (spacing, cycles),
    };
    let shape = beats as u32 | (last_pairs as u32) << LAST_PAIRS_LSB;
    let mut states = Vec::new();
    for i in 0..100 {
        let elements = any_elements(&mut random, field, width);
        states.push(PairedState {
            beats: words_of_state(field, &elements),
            cycles: match i < 40 {
                true => cycles,
                false => cycles + random.below(4) as usize,
            },
        });
    }
    let mut operands = Vec::new();
    // When the sum of a state is there.
    let mut due = Vec::new();
    for state in &states {
        let begin = operands.len();
        for _ in 0..state.cycles {
            operands.push(Operands {
                a: field.random(&mut random),
                b: field.random(&mut random),
                c: field.random(&mut random),
                shape,
                ..Operands::default()
            });
        }
        let mut last = begin;
        for (beat, words) in state.beats.iter().enumerate() {
            let cycle = begin + beat * spacing;
            let x = &mut operands[cycle];
            [x.a, x.b, x.c] = words.clone();
            x.shape |= PAIRS_VALID | (beat as u32) << PAIRS_BEAT_LSB;
            // The cycle of the last product.
            last = match field {
                Field::Large { .. } if beat % 2 == 0 => last,
                Field::Goldilocks if beat + 1 < beats => cycle + 1,
                _ if last_pairs == 0 => last,
                _ => cycle + last_pairs - 1,
            };
        }
        due.push(last + PAIR_SUM);
    }
    // Until the sum of the last state is there.
    operands.resize(
        operands.len() + PAIR_SUM + LANES,
        Operands {
            shape,
            ..Operands::default()
        },
    );
    let outputs = run(kind, seed, field, &operands);
    let mut next = 0;
    let mut expected = None;
    for (cycle, operands) in operands.iter().enumerate() {
        if next < due.len() && due[next] == cycle {
            expected = Some(packed(&sum_of_pairs(field, &states[next].beats)));
            next += 1;
        }
        let Some(expected) = &expected else { continue };
        let found = number(&outputs[cycle][output.clone()]);
        if found != *expected {
            return Err(Box::new(Mismatch {
                cycle,
                operands: operands.clone(),
                expected: expected.clone(),
                found,
            }));
        }
    }
    assert_eq!(next, states.len());
    Ok(())
}

/// A state behind the last partial round, and what leaves the exit.
struct EndingState {
    beats: Vec<[Chunks; LANES]>,
    residues: Vec<[BigUint; LANES]>,
    tag: u32,
}

/// A sum that the recurrence may end with.
fn ending_sum(random: &mut Random, field: &Field) -> Chunks {
    let largest = largest(field);
    match field {
        Field::Goldilocks => match random.below(3) {
            0 => [(); SLICES].map(|()| (one() << CHUNK_BITS) - 1_u32),
            _ => [(); SLICES].map(|()| random.bits(CHUNK_BITS as u64)),
        },
        Field::Large { .. } => match random.below(4) {
            // 128 rounds of the largest products, whose chunks have grown as far as they can or have not.
            0 => unresolved(&(&largest * &largest * 4_u32), MOST_PRODUCTS / 4),
            1 => {
                let product = largest.clone() * field.random(random) * 2_u32;
                unresolved(&product, 1 + random.below(MOST_CHUNKS.into()) as u32)
            }
            2 => chunks_of(&random.big_below(&(&largest * &largest * MOST_PRODUCTS))),
            _ => {
                let mut sum = Chunks::default();
                for _ in 0..1 + random.below(12) {
                    add_chunks(&mut sum, &chunks_of(&(field.random(random) * &largest)));
                }
                sum
            }
        },
    }
}

fn ending_state(random: &mut Random, field: &Field, width: usize, order: usize) -> EndingState {
    let of_beat = elements_of_beat(field);
    let beats = width.div_ceil(of_beat);
    let two = any_elements(random, field, 2);
    let [element, output] = [&two[0], &two[1]];
    let mut state = EndingState {
        beats: Vec::new(),
        residues: Vec::new(),
        tag: random.below(256) as u32,
    };
    for beat in 0..beats {
        let mut sums = [(); LANES].map(|()| ending_sum(random, field));
        // Element and output are in place 0.
        if beat == 0 {
            match field {
                Field::Large { .. } => {
                    let both = element + (output << 256_u32);
                    let mask = (one() << CHUNK_BITS) - 1_u32;
                    // The bits of the lane, whatever the chunks.
                    sums[0] = [0, 1, 2, 3].map(|k| (&both >> (CHUNK_BITS * k)) & &mask);
                }
                Field::Goldilocks => {
                    sums[0][0] = element
                        + (output << 64_u32)
                        + (BigUint::from(random.below(256)) << 128_u32);
                }
            }
        }
        let instead = |place: usize| match place {
            0 => Some(element.clone()),
            place if place == order => Some(output.clone()),
            place if place >= width => Some(BigUint::default()),
            _ => None,
        };
        state.residues.push([0, 1, 2].map(|lane| {
            let residue = field.reduce(&field.resolve(&sums[lane]));
            match field {
                Field::Large { .. } => instead(LANES * beat + lane).unwrap_or(residue),
                Field::Goldilocks => {
                    let mut slices = split(&residue);
                    for (s, slice) in slices.iter_mut().enumerate() {
                        if let Some(element) = instead(of_beat * beat + LANES * s + lane) {
                            *slice = element.iter_u64_digits().next().unwrap_or(0);
                        }
                    }
                    join(&slices)
                }
            }
        }));
        state.beats.push(sums);
    }
    state
}

/// States through the exit at random paces: every handshake in its cycle, every state as it must be.
fn check_exit(
    kind: BenchKind,
    output: &Range<usize>,
    seed: u64,
    field: &Field,
    width: usize,
    order: usize,
) -> Checked {
    let mut random = Random::new(seed);
    let mut bench = Bench::new(kind, seed as u32);
    let setting = field.setting();
    let states: Vec<_> = (0..60)
        .map(|_| ending_state(&mut random, field, width, order))
        .collect();
    let beats = states[0].beats.len();
    let places = EXIT_PLACES / beats;
    let shape = beats as u32 | (order as u32) << ORDER_LSB | (width as u32) << WIDTH_LSB;
    // The state that enters, its beat, and when it began; states with places, in order of leaving: which
    // and when each can be seen; the beat that leaves.
    let (mut entering, mut beat, mut begun) = (0, 0, None);
    let mut inside: VecDeque<(usize, usize)> = VecDeque::new();
    let mut leaving_beat = 0;
    let (mut left, mut full) = (0, false);
    let mut cycle = 0;
    while entering < states.len() || !inside.is_empty() {
        // At full pace, then with gaps, then with a consumer that is slow.
        let (offers, takes) = match entering {
            0..20 => (16, 16),
            20..40 => (3, 16),
            _ => (16, 2),
        };
        let offered = entering < states.len() && (begun.is_some() || random.below(16) < offers);
        full |= offered && begun.is_none() && inside.len() == places;
        if offered && begun.is_none() && inside.len() < places {
            begun = Some(cycle);
        }
        let is_idle = inside.is_empty();
        if begun == Some(cycle) {
            let enters = |beat| cycle + LANES * beat + 2 + RESOLVE + REDUCE[BUILD];
            inside.push_back((entering, (enters(0) + 2).max(enters(beats - 1) + 1)));
        }
        let takes_beat = begun.is_some_and(|begun| (cycle - begun) % LANES == LANES - 1);
        let leaving = inside
            .front()
            .filter(|(_, seen)| cycle >= *seen)
            .map(|(state, _)| *state);
        let taken = leaving.is_some() && random.below(16) < takes;
        let clears = kind == BenchKind::Units && random.below(400) == 0;

        let mut x = Operands {
            values: [(); LANES].map(|()| [(); SLICES].map(|()| random.bits(CHUNK_BITS as u64))),
            shape,
            control: if clears { CLEAR } else { 0 },
            ..Operands::default()
        };
        if offered {
            x.shape |= EXIT_VALID | states[entering].tag << EXIT_TAG_LSB;
            x.values = states[entering].beats[beat].clone();
        }
        if taken {
            x.shape |= EXIT_READY;
        }
        let outputs = bench.run(&x.pack(&setting)).unwrap();
        let output = &outputs[output.clone()];
        let (words, flags) = output.split_at(output.len() - 1);
        let mut expected = 0;
        for (flag, is_set) in [
            (EXIT_TAKES, takes_beat),
            (EXIT_HAS, leaving.is_some()),
            (EXIT_IDLE, is_idle),
        ] {
            if is_set {
                expected |= flag;
            }
        }
        let handshakes = flags[0] & (EXIT_TAKES | EXIT_HAS | EXIT_IDLE);
        let mismatch = |expected: BigUint, found: BigUint| {
            Err(Box::new(Mismatch {
                cycle,
                operands: x.clone(),
                expected,
                found,
            }))
        };
        if handshakes != expected {
            return mismatch(expected.into(), handshakes.into());
        }
        if let Some(state) = leaving {
            let [first, second, third] = &states[state].residues[leaving_beat];
            let expected = first + (second << 256_u32) + (third << 512_u32);
            let found = number(words);
            if found != expected {
                return mismatch(expected, found);
            }
            let tag = flags[0] >> EXIT_HAS_TAG_LSB & 255;
            if tag != states[state].tag {
                return mismatch(states[state].tag.into(), tag.into());
            }
        }

        if taken {
            leaving_beat += 1;
            if leaving_beat == beats {
                leaving_beat = 0;
                left += 1;
                inside.pop_front();
            }
        }
        if takes_beat {
            beat += 1;
            if beat == beats {
                (entering, beat, begun) = (entering + 1, 0, None);
            }
        }
        if clears {
            // The state that was entering is lost with those inside.
            if begun.is_some() {
                entering += 1;
            }
            (beat, begun, leaving_beat) = (0, None, 0);
            inside.clear();
        }
        cycle += 1;
    }
    assert!(left > 20, "{left} states left");
    assert!(full, "the places were never all taken");
    Ok(())
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
    subject.check(seed, &operands, |x| field.reduce(&x.values[0]))
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

/// Faulty blocks are found. They are built with the default prime only, as the faults are the same with every one.
#[cfg(feature = "bls12-381")]
mod faulty {
    use super::*;

    /// Words of the packed outputs of `BenchKind::Mutants`.
    mod mutants {
        use std::ops::Range;
        pub const PRODUCT_CARRY: Range<usize> = 0..16;
        pub const PRODUCT_GOLDILOCKS: Range<usize> = 16..32;
        pub const SQUARE: Range<usize> = 32..48;
        pub const SUM_CARRY: Range<usize> = 48..65;
        pub const SUM_ROOM: Range<usize> = 65..82;
        pub const SUM_INITIAL: Range<usize> = 82..99;
        pub const SLOT_SUM: Range<usize> = 99..116;
        pub const RESIDUE_CARRY: Range<usize> = 116..124;
        pub const RESIDUE_SUBTRACTION: Range<usize> = 124..132;
        pub const RESIDUE_GOLDILOCKS: Range<usize> = 132..140;
        pub const RESIDUE_GOLDILOCKS_ROOM: Range<usize> = 140..148;
        pub const RESIDUE_RUNTIME: Range<usize> = 148..156;
        pub const SUM_SLICE: Range<usize> = 156..164;
        pub const SUM_BORROW: Range<usize> = 164..172;
        pub const OPERAND_CARRY: Range<usize> = 172..180;
        pub const OPERAND_REDUCTION: Range<usize> = 180..188;
        pub const OPERAND_ONE: Range<usize> = 188..196;
        pub const OPERAND_SLICES: Range<usize> = 196..204;
        pub const PAIR_PRODUCT: Range<usize> = 204..220;
        pub const SBOX: Range<usize> = 220..228;
        pub const PAIR_SUM: Range<usize> = 228..245;
        pub const EXIT: Range<usize> = 245..270;
        pub const ADDERS: Range<usize> = 270..294;
    }

    const MUTANTS: BenchKind = BenchKind::Mutants;

    #[test]
    fn multipliers_are_found() {
        for field in fields(0) {
            check_multiplier(MUTANTS, &mutants::PRODUCT_CARRY, seed(11), &field).unwrap_err();
        }
        let output = mutants::PRODUCT_GOLDILOCKS;
        check_multiplier(MUTANTS, &output, seed(11), &Field::of_build(0)).unwrap();
        check_multiplier(MUTANTS, &output, seed(11), &Field::Goldilocks).unwrap_err();
    }

    #[test]
    fn squarer_is_found() {
        for field in fields(0) {
            check_squarer(MUTANTS, &mutants::SQUARE, seed(12), &field).unwrap_err();
        }
    }

    #[test]
    fn accumulators_are_found() {
        let (large, goldilocks) = (Field::of_build(0), Field::Goldilocks);
        let output = mutants::SUM_CARRY;
        check_accumulator(MUTANTS, &output, seed(13), &large).unwrap_err();
        check_accumulator(MUTANTS, &output, seed(13), &goldilocks).unwrap();
        for output in [mutants::SUM_ROOM, mutants::SUM_INITIAL] {
            check_accumulator(MUTANTS, &output, seed(13), &large).unwrap_err();
            check_accumulator(MUTANTS, &output, seed(13), &goldilocks).unwrap_err();
        }
    }

    #[test]
    fn sum_of_a_recurrence_is_found() {
        for field in fields(0) {
            check_slot_sum(MUTANTS, &mutants::SLOT_SUM, seed(26), &field).unwrap_err();
        }
    }

    #[test]
    fn operand_adders_are_found() {
        let (large, goldilocks) = (Field::of_build(0), Field::Goldilocks);
        let check = |output, field| {
            check_operand_adder(MUTANTS, &output, seed(27), field, true).map_err(drop)
        };
        let found = Err(());
        assert_eq!(check(mutants::OPERAND_CARRY, &large), found);
        assert_eq!(check(mutants::OPERAND_CARRY, &goldilocks), Ok(()));
        assert_eq!(check(mutants::OPERAND_REDUCTION, &large), Ok(()));
        assert_eq!(check(mutants::OPERAND_REDUCTION, &goldilocks), found);
        assert_eq!(check(mutants::OPERAND_ONE, &large), found);
        assert_eq!(check(mutants::OPERAND_ONE, &goldilocks), found);
        assert_eq!(check(mutants::OPERAND_SLICES, &large), Ok(()));
        assert_eq!(check(mutants::OPERAND_SLICES, &goldilocks), found);
    }

    #[test]
    fn pair_product_is_found() {
        for field in fields(BUILD) {
            check_pair_product(MUTANTS, &mutants::PAIR_PRODUCT, seed(28), &field).unwrap_err();
        }
    }

    #[test]
    fn sum_of_pairs_is_found() {
        for field in fields(BUILD) {
            let check =
                |width| check_pair_sum(MUTANTS, &mutants::PAIR_SUM, seed(29), &field, width, false);
            // A state of five elements has no pair in lane 2, and one pair of beats.
            check(5).unwrap();
            check(12).unwrap_err();
        }
    }

    #[test]
    fn adders_are_found() {
        check_adders(MUTANTS, &mutants::ADDERS, seed(31), 1).unwrap();
        check_adders(MUTANTS, &mutants::ADDERS, seed(31), 2).unwrap_err();
    }

    #[test]
    fn exit_is_found() {
        for field in fields(BUILD) {
            // No place of the last beat is beyond a state of six elements.
            if let Field::Large { .. } = field {
                check_exit(MUTANTS, &mutants::EXIT, seed(30), &field, 6, 3).unwrap();
            }
            check_exit(MUTANTS, &mutants::EXIT, seed(30), &field, 5, 3).unwrap_err();
        }
    }

    #[test]
    fn reductions_are_found() {
        let (large, goldilocks) = (Field::of_build(0), Field::Goldilocks);
        for output in [mutants::RESIDUE_CARRY, mutants::RESIDUE_SUBTRACTION] {
            check_reduction(MUTANTS, &output, seed(14), &large, REDUCE[0]).unwrap_err();
        }
        let output = mutants::RESIDUE_SUBTRACTION;
        check_reduction(MUTANTS, &output, seed(14), &goldilocks, REDUCE[0]).unwrap();
        let output = mutants::RESIDUE_GOLDILOCKS;
        check_reduction(MUTANTS, &output, seed(14), &goldilocks, 1).unwrap_err();
        let output = mutants::RESIDUE_GOLDILOCKS_ROOM;
        check_reduction(MUTANTS, &output, seed(14), &goldilocks, 1).unwrap_err();
        let output = mutants::RESIDUE_RUNTIME;
        check_reduction(MUTANTS, &output, seed(14), &Field::of_build(1), REDUCE[1]).unwrap();
        check_reduction(MUTANTS, &output, seed(14), &goldilocks, REDUCE[1]).unwrap_err();
    }

    #[test]
    fn modular_adders_are_found() {
        for output in [mutants::SUM_SLICE, mutants::SUM_BORROW] {
            check_adder(MUTANTS, &output, seed(16), &Field::of_build(0)).unwrap();
            check_adder(MUTANTS, &output, seed(16), &Field::Goldilocks).unwrap_err();
        }
    }

    #[test]
    fn sbox_is_found() {
        for field in fields(BUILD) {
            let check = |exponent, spacing| {
                check_sbox(MUTANTS, &mutants::SBOX, seed(19), &field, exponent, spacing)
            };
            check(5, 1).unwrap();
            check(7, 2).unwrap_err();
        }
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
        check_accumulator(BenchKind::Units, &units::ACCUMULATED, seed(13), &field).unwrap();
    }
}

#[test]
fn sum_of_a_recurrence() {
    for field in fields(0) {
        check_slot_sum(BenchKind::Units, &units::SLOT_SUM, seed(26), &field).unwrap();
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
        check_operand_adder(kind, &units::OPERAND[1], seed, &field, true).unwrap();
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

#[test]
fn operand_adder() {
    let kind = BenchKind::Units;
    for (reduction, output) in units::OPERAND.iter().enumerate() {
        for field in fields(reduction) {
            check_operand_adder(kind, output, seed(27), &field, true).unwrap();
            check_operand_adder(kind, &units::OPERAND_PLAIN, seed(27), &field, false).unwrap();
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
fn pair_product() {
    for field in fields(BUILD) {
        check_pair_product(BenchKind::Units, &units::PAIR_PRODUCT, seed(28), &field).unwrap();
    }
}

/// A step of a row: its pairs, and if it is the first one, what the row begins with.
#[derive(Clone, Default)]
struct Step {
    pairs: [Pair; LANES],
    initial: Option<Chunks>,
}

/// The residues that come out with each step.
fn run_rows(seed: u64, field: &Field, steps: &[Step]) -> Vec<BigUint> {
    let mut operands = vec![Operands::default(); steps.len() + PAIR_PRODUCT];
    for (cycle, step) in steps.iter().enumerate() {
        operands[cycle].pairs = step.pairs.clone();
        // With the products.
        let operands = &mut operands[cycle + PAIR_PRODUCT];
        if let Some(initial) = &step.initial {
            operands.control |= FIRST;
            operands.values[0] = initial.clone();
        }
    }
    let outputs = run(BenchKind::Units, seed, field, &operands);
    (0..steps.len())
        .map(|cycle| number(&outputs[cycle + PAIR_ROW][units::PAIR_ROW]))
        .collect()
}

#[test]
fn pair_row() {
    let seed = seed(21);
    for field in fields(BUILD) {
        let mut random = Random::new(seed);
        let corners = field.corners();
        let largest = largest(&field);
        let square = full_product(&field, &largest, &largest);
        let mut steps = Vec::new();
        // The longest sum of the largest products, then others.
        let mut lengths = vec![42, 41, 1, 2, 4];
        lengths.extend((0..RANDOM_SETS / 2).map(|_| 1 + random.below(4) as u32));
        for (i, length) in lengths.into_iter().enumerate() {
            // A product of two sums is that of four products of residues.
            let added = LANES as u32 * length;
            let most = (MOST_PRODUCTS - 4 * added).min(MOST_CHUNKS - added);
            let initial = match random.below(4) {
                _ if i < 5 => unresolved(&square, most),
                0 => Chunks::default(),
                1 => unresolved(&square, most),
                _ => {
                    let (x, y) = (field.random(&mut random), field.random(&mut random));
                    let count = 1 + random.below(most.into()) as u32;
                    unresolved(&full_product(&field, &x, &y), count)
                }
            };
            let kind = random.below(4);
            for step in 0..length {
                let pairs = [(); LANES].map(|()| match kind {
                    0 => any_pair(&mut random, &corners),
                    1 => random_pair(&mut random, &field),
                    2 if i >= 5 => any_pair(&mut random, &[BigUint::default(), largest.clone()]),
                    _ => any_pair(&mut random, std::slice::from_ref(&largest)),
                });
                steps.push(Step {
                    pairs,
                    initial: (step == 0).then(|| initial.clone()),
                });
            }
        }
        let found = run_rows(seed, &field, &steps);
        let mut accumulator = Accumulator::default();
        for (cycle, (step, found)) in steps.iter().zip(&found).enumerate() {
            let products = step.pairs.each_ref().map(|Pair { a, x, b, y }| {
                full_product(
                    &field,
                    &field.operand(a, x, false),
                    &field.operand(b, y, false),
                )
            });
            let first = step.initial.is_some();
            let initial = step.initial.clone().unwrap_or_default();
            let sum = accumulator.step(&field, first, &initial, &products);
            assert_eq!(*found, field.reduce(&sum), "cycle {cycle}, {field:?}");
        }
    }
}

/// The pairs of two beats, or slices, and the sum over all pairs give the product of a row and a state, but for
/// the products of coefficients, which the host takes off.
#[test]
fn pair_row_is_a_row_of_a_matrix() {
    let seed = seed(22);
    for field in fields(BUILD) {
        let mut random = Random::new(seed);
        let mut steps = Vec::new();
        // Of the last step of each row.
        let mut expected = Vec::new();
        for row in 0..40 * (MOST_ELEMENTS - 1) {
            let width = 2 + row % (MOST_ELEMENTS - 1);
            let elements = any_elements(&mut random, &field, width);
            let sum = sum_of_pairs(&field, &words_of_state(&field, &elements));
            // In Goldilocks mode each slice has a row of its own, and all have the elements.
            let coefficients: Vec<_> = (0..width)
                .map(|_| match row < 11 {
                    true => largest(&field),
                    false => field.random(&mut random),
                })
                .collect();
            let coefficient = |place: usize| coefficients.get(place).cloned().unwrap_or_default();
            let element = |place: usize| {
                let element = elements.get(place).cloned().unwrap_or_default();
                match field {
                    Field::Large { .. } => element,
                    Field::Goldilocks => (0..SLICES).map(|s| &element << (64 * s)).sum(),
                }
            };
            let mut plain = Chunks::default();
            for step in 0..width.div_ceil(2 * LANES) {
                let pairs = [0, 1, 2].map(|lane| {
                    let (even, odd) = (6 * step + lane, 6 * step + LANES + lane);
                    Pair {
                        a: coefficient(even),
                        x: element(odd),
                        b: coefficient(odd),
                        y: element(even),
                    }
                });
                for Pair { a, x, b, y } in &pairs {
                    for (first, second) in [(a, y), (b, x), (a, b)] {
                        let product = full_product(&field, first, second);
                        add_chunks(&mut plain, &chunks_of(&product));
                    }
                }
                steps.push(Step {
                    pairs,
                    initial: (step == 0).then(|| sum.clone()),
                });
            }
            expected.push((steps.len() - 1, field.reduce(&plain)));
        }
        let found = run_rows(seed, &field, &steps);
        for (step, expected) in expected {
            assert_eq!(found[step], expected, "step {step}, {field:?}");
        }
    }
}

#[test]
fn sum_of_the_pairs() {
    for field in fields(BUILD) {
        for width in 4..=most_elements(&field) {
            println!("width {width}, {field:?}");
            for seventh in [false, true] {
                let kind = BenchKind::Units;
                check_pair_sum(kind, &units::PAIR_SUM, seed(29), &field, width, seventh).unwrap();
            }
        }
    }
}

// ---- Exit of the recurrence ------------------------------------------------------------------------

#[test]
fn exit_of_the_recurrence() {
    for field in fields(BUILD) {
        for width in 2..=most_elements(&field) {
            for order in [1, width / 2, width - 1] {
                println!("width {width}, order {order}, {field:?}");
                let kind = BenchKind::Units;
                check_exit(kind, &units::EXIT, seed(30), &field, width, order.max(1)).unwrap();
            }
        }
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
            x.control = FIRST;
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

// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! What the tests share: the fields of the build and seeded random values.

#![allow(dead_code, reason = "every test file uses its own part")]

use std::env;
use std::fs;
use std::path::Path;

use acclmt_driver::program;
use acclmt_poseidon::fields::{AnyParameters, FieldId};
use acclmt_poseidon::presets;
use acclmt_poseidon::random::Ranges;
use acclmt_poseidon::word::Word;
use num_bigint::BigUint;

pub mod chip;
pub mod engine;
pub mod packed;
// The benches of the buses have the default prime.
#[cfg(feature = "bls12-381")]
pub mod axi;
#[cfg(feature = "bls12-381")]
pub mod clocks;
#[cfg(feature = "bls12-381")]
pub mod recorded;
#[cfg(feature = "bls12-381")]
pub mod runs;

/// Values of CONTROL and flags of STATUS, as the map of registers has them and not by the code for it.
pub mod bits {
    pub const START: u32 = 1;
    pub const CLEAR: u32 = 2;
    pub const ZEROISE: u32 = 4;
    pub const BUSY: u32 = 1;
    pub const DONE: u32 = 2;
    pub const ERROR: u32 = 4;
    pub const REFUSED: u32 = 8;
    pub const ZEROISED: u32 = 16;
}

/// The first preset of a field that hashes pairs.
pub fn pairs(field: FieldId) -> &'static AnyParameters {
    let mut sets = presets::all().iter().map(|preset| preset.parameters());
    let is_pairs = |set: &&AnyParameters| set.field() == field && set.arity() == 2;
    sets.find(is_pairs)
        .expect("every field has a preset of pairs")
}

/// Whether S-boxes of a set are chains of passes, since one pass has no exponent of it. Such sets have no recurrence and
/// no rounds on the partial-round sub-engines. Of BLS12-377 are no others.
pub fn has_chains(parameters: &AnyParameters) -> bool {
    ![3, 5, 7].contains(&parameters.alpha())
}

/// What a waveform (FST) holds, without its header, which has the date.
pub fn waveform_data(path: &Path) -> Vec<u8> {
    const HEADER: usize = 330;
    fs::read(path)
        .expect("the waveform was written")
        .split_off(HEADER)
}

/// The seed of a test: that of the environment variable `ACCLMT_SEED`, which repeats a failure, or
/// `default`. It is printed, so that a failure shows it.
pub fn seed(default: u64) -> u64 {
    let seed = match env::var("ACCLMT_SEED") {
        Ok(text) => text
            .parse()
            .unwrap_or_else(|_| panic!("ACCLMT_SEED is '{text}', not a number below 2^64")),
        Err(_) => default,
    };
    println!("seed {seed}; ACCLMT_SEED={seed} repeats it");
    seed
}

/// So many times as much of a random test as usual: the environment variable `ACCLMT_TEST_ROUNDS`, for runs
/// of a night, times `usual`.
pub fn rounds(usual: u64) -> u64 {
    let factor: u64 = match env::var("ACCLMT_TEST_ROUNDS") {
        Ok(text) => text
            .parse()
            .ok()
            .filter(|&factor| factor != 0)
            .unwrap_or_else(|| panic!("ACCLMT_TEST_ROUNDS is '{text}', not a number from 1 on")),
        Err(_) => 1,
    };
    usual.saturating_mul(factor)
}

/// The ranges with all widths that the chip has room for.
pub fn up_to_widest(field: FieldId, ranges: Ranges) -> Ranges {
    Ranges {
        widths: 2..=program::widest(field == FieldId::Goldilocks),
        ..ranges
    }
}

/// Random numbers: splitmix64.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut value = self.0;
        value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        value ^ (value >> 31)
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// One of `values`.
    pub fn choose<'a, T>(&mut self, values: &'a [T]) -> &'a T {
        &values[self.below(values.len() as u64) as usize]
    }

    /// A number of `bits` bits.
    pub fn bits(&mut self, bits: u64) -> BigUint {
        let words: Vec<u32> = (0..bits.div_ceil(32)).map(|_| self.next() as u32).collect();
        BigUint::new(words) & ((BigUint::from(1_u32) << bits) - 1_u32)
    }

    /// A number below `bound`, uniform up to 2^-64.
    pub fn big_below(&mut self, bound: &BigUint) -> BigUint {
        self.bits(bound.bits() + 64) % bound
    }
}

/// The prime of a field.
pub fn prime(field: FieldId) -> BigUint {
    BigUint::from_bytes_le(&field.prime())
}

/// A number below 2^256 as a word.
pub fn word(value: &BigUint) -> Word {
    let bytes = value.to_bytes_le();
    let mut word = Word::default();
    word[..bytes.len()].copy_from_slice(&bytes);
    word
}

/// Random field elements.
pub fn elements(random: &mut Random, field: FieldId, count: usize) -> Vec<Word> {
    let prime = prime(field);
    (0..count)
        .map(|_| word(&random.big_below(&prime)))
        .collect()
}

// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! What the tests of hash engines share: how they are built, and how they are configured.

use acclmt_driver::program::{ChipRegisters, EngineLimits};
use acclmt_poseidon::fields::FieldId;
use acclmt_poseidon::word::Word;
use acclmt_tb::large_field;
use acclmt_verilated::RUNTIME_MODULUS;
use num_bigint::BigUint;

use super::prime;

/// log2 of the Montgomery radix of the build.
const MONTGOMERY_BITS: u32 = if RUNTIME_MODULUS { 280 } else { 264 };

/// Configuration registers of a parameter set.
pub const REGISTERS: usize = 21;

/// The limits of the engine with these sub-engines and the default memories (rtl/engine/acclmt_hash_engine.sv).
pub fn limits(num_full: usize, num_partial: usize) -> EngineLimits {
    EngineLimits {
        prime: large_field().prime(),
        num_engines: 1,
        num_full,
        num_partial,
        matrix_depth: 32,
        constant_depth: 256,
        partial_depth: 128,
        goldilocks: true,
        montgomery_bits: MONTGOMERY_BITS,
        runtime_modulus: RUNTIME_MODULUS,
        store: true,
        adders: true,
        places: if RUNTIME_MODULUS { 128 } else { 64 },
        loop_cycles: 61,
    }
}

/// The values of the registers of an engine, in address order.
pub fn register_values(values: &ChipRegisters) -> [u32; REGISTERS] {
    let mut registers = vec![
        values.arity,
        values.width,
        values.alpha,
        values.passes_value(),
        values.recurrence,
        values.digest_words,
    ];
    registers.extend(values.input_map);
    registers.extend(values.digest_map);
    registers.extend(&values.partial_rounds[1..7]);
    registers.push(values.partial_base);
    registers.try_into().expect("there are as many registers")
}

/// A word times 2^bits modulo the prime, or divided by it.
pub fn scaled(field: FieldId, word: &Word, into_montgomery_form: bool) -> Word {
    if field == FieldId::Goldilocks {
        return *word;
    }
    let prime = prime(field);
    let radix = (BigUint::from(1_u32) << MONTGOMERY_BITS) % &prime;
    let factor = if into_montgomery_form {
        radix
    } else {
        radix.modinv(&prime).expect("the prime is odd")
    };
    super::word(&(BigUint::from_bytes_le(word) * factor % prime))
}

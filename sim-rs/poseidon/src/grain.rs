//! The Grain LFSR that round constants are drawn from.
//!
//! Source: the Poseidon paper, appendix on round constants, and its reference script
//! `generate_params_poseidon.sage`. The register has 80 bits, seeded with the fields (in bits,
//! each most significant bit first) field type 1 (2), S-box (4), bits of the prime (12), state
//! width (12), full rounds (10), partial rounds (10) and 30 ones. The first 160 bits are dropped;
//! after that bits are drawn in pairs, and the second of a pair counts where the first is 1.

use ark_ff::{BigInteger, PrimeField};

/// State of the LFSR.
#[derive(Clone, Debug)]
pub struct GrainLfsr {
    /// Bits of the integers that are drawn.
    bits: u32,
    /// Bit i is b_i of the specification: bit 0 leaves the register next.
    state: u128,
}

impl GrainLfsr {
    /// The S-box field in neptune's seed.
    pub const NEPTUNE_SBOX: u8 = 1;

    /// The S-box field for x^alpha in the reference script, which circom and Orchard follow.
    pub const ALPHA_SBOX: u8 = 0;

    const LENGTH: u32 = 80;

    /// The register seeded for a prime of `prime_bits` bits (at most 12 bits count of `prime_bits`
    /// and `width`, 10 of the rounds, 4 of `sbox`), with the first 160 bits dropped. Integers of
    /// `prime_bits` bits are drawn.
    pub fn new(
        sbox: u8,
        prime_bits: u32,
        width: usize,
        full_rounds: usize,
        partial_rounds: usize,
    ) -> Self {
        let fields = [
            (1, 2),
            (u64::from(sbox), 4),
            (u64::from(prime_bits), 12),
            (width as u64, 12),
            (full_rounds as u64, 10),
            (partial_rounds as u64, 10),
            ((1 << 30) - 1, 30),
        ];
        let bits = fields
            .iter()
            .flat_map(|&(value, length)| (0..length).rev().map(move |bit| (value >> bit) & 1));
        let state = (0..)
            .zip(bits)
            .fold(0, |state, (i, bit)| state | (u128::from(bit) << i));
        let mut grain = Self {
            bits: prime_bits,
            state,
        };
        for _ in 0..160 {
            grain.step();
        }
        grain
    }

    fn step(&mut self) -> bool {
        let new = [62, 51, 38, 23, 13, 0]
            .iter()
            .fold(0, |new, tap| new ^ ((self.state >> tap) & 1));
        self.state = (self.state >> 1) | (new << (Self::LENGTH - 1));
        new == 1
    }

    /// The next bit that counts.
    fn next_bit(&mut self) -> bool {
        loop {
            let counts = self.step();
            let bit = self.step();
            if counts {
                return bit;
            }
        }
    }

    fn next_bits(&mut self) -> Vec<bool> {
        (0..self.bits).map(|_| self.next_bit()).collect()
    }

    /// The next field element as round constants are drawn: integers, most significant bit first,
    /// until one is below the prime. An integer must not have more bits than the limbs of `F`.
    pub fn next_field<F: PrimeField>(&mut self) -> F {
        loop {
            if let Some(element) = F::from_bigint(F::BigInt::from_bits_be(&self.next_bits())) {
                return element;
            }
        }
    }

    /// The next field element as matrix entries are drawn: the next integer modulo the prime.
    pub fn next_reduced<F: PrimeField>(&mut self) -> F {
        let mut bits = self.next_bits();
        bits.reverse();
        let bytes: Vec<u8> = bits
            .chunks(8)
            .map(|byte| {
                (0..)
                    .zip(byte)
                    .fold(0, |sum, (i, &bit)| sum | u8::from(bit) << i)
            })
            .collect();
        F::from_le_bytes_mod_order(&bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ark_pallas::Fq;

    use crate::word;

    #[test]
    fn first_constant_of_neptune_over_pallas() {
        // neptune 13.0.0, Pallas base field, arity 2.
        let mut grain = GrainLfsr::new(GrainLfsr::NEPTUNE_SBOX, 255, 3, 8, 55);
        assert_eq!(
            word::to_hex(&word::from_field(grain.next_field::<Fq>())),
            "0x0a61a8defbacca36e4537ff2c84fa66ceee67c9645ac27346e72ab842b9d3f15"
        );
    }

    #[test]
    fn both_ways_to_draw_agree_below_the_prime() {
        let mut rejected = GrainLfsr::new(GrainLfsr::ALPHA_SBOX, 255, 3, 8, 56);
        let mut reduced = rejected.clone();
        // The prime of Pallas is little more than half of 2^255.
        let mut draws = 0;
        for _ in 0..20 {
            let element: Fq = rejected.next_field();
            while reduced.next_reduced::<Fq>() != element || reduced.state != rejected.state {
                draws += 1;
            }
        }
        assert!((1..100).contains(&draws), "{draws}");
    }

    #[test]
    fn the_seed_counts() {
        let first = |sbox| {
            let mut grain = GrainLfsr::new(sbox, 255, 3, 8, 56);
            word::to_hex(&word::from_field(grain.next_field::<Fq>()))
        };
        assert_ne!(first(GrainLfsr::NEPTUNE_SBOX), first(GrainLfsr::ALPHA_SBOX));
    }
}

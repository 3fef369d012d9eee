//! What a chip can hold and compute.

use super::pass_table::PassLimits;
use crate::registers::SETS;
use acclmt_poseidon::word::Word;

/// Largest index that a constant can be loaded at, plus one.
pub(super) const MAX_DEPTH: usize = 256;

/// Most rounds of one kind that a sub-engine has: their numbers have 8 bits.
pub(super) const MAX_ROUNDS: usize = 255;

/// Most passes of all full-round sub-engines together. Their numbers have 8 bits, and there is a vector behind the
/// last one where the last round is short.
pub(super) const MAX_PASSES: usize = 254;

/// Most sub-engines of full rounds in a hash engine.
pub const MAX_NUM_FULL: usize = 2;

/// What the hash engines of a chip can hold and compute, from its capability registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EngineLimits {
    /// The large prime of the chip, whatever it is where the modulus is loaded at run time.
    pub prime: Word,
    /// Hash engines, 1 to 8.
    pub num_engines: usize,
    /// Full-round sub-engines of a hash engine, 1 or 2.
    pub num_full: usize,
    /// Partial-round sub-engines of a hash engine, 1 to 6.
    pub num_partial: usize,
    /// Entries of the matrix memories of a full-round sub-engine.
    pub matrix_depth: usize,
    /// Entries of the constant memories of a full-round sub-engine.
    pub constant_depth: usize,
    /// Entries of the memories of a partial-round sub-engine.
    pub partial_depth: usize,
    /// Whether there is the Goldilocks mode.
    pub goldilocks: bool,
    /// Base-2 logarithm of the Montgomery radix of the large prime.
    pub montgomery_bits: u32,
    /// Whether the large prime is loaded at run time.
    pub runtime_modulus: bool,
    /// Whether full-round sub-engines store the elements of a pass, for exponents that are made in several passes.
    pub store: bool,
    /// Whether full-round sub-engines make layers of small integers by adders, in Goldilocks mode.
    pub adders: bool,
    /// Beats that the output buffer of a sub-engine holds.
    pub places: usize,
    /// Cycles that a state of one beat needs for a round of a full-round sub-engine.
    pub loop_cycles: usize,
}

impl EngineLimits {
    /// What full-round sub-engine `number` of a hash engine can do, counted from 0.
    pub fn passes(&self, number: usize) -> PassLimits {
        PassLimits {
            visits: match (self.num_full, number) {
                (1, _) => [true; 2],
                (_, 0) => [true, false],
                _ => [false, true],
            },
            matrix_depth: self.matrix_depth.min(MAX_DEPTH),
            constant_depth: self.constant_depth.min(MAX_DEPTH),
            num_sets: SETS.len(),
            store: self.store,
            adders: self.adders,
        }
    }
}

/// Multipliers and squarers of a hash engine, 256 bits wide: 19 in a full-round sub-engine, of which 9 are those of
/// its S-boxes and one makes what rows share, and 6 in a partial-round sub-engine.
pub fn engine_multipliers(num_full: usize, num_partial: usize) -> usize {
    19 * num_full + 6 * num_partial
}

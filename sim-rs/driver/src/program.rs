//! The compiler from a parameter set to what the chip is loaded with: register values and
//! constants.
//!
//! # A hash on the chip
//!
//! The state is in internal order, see [`acclmt_poseidon::sparse`]: the S-box of partial rounds is on element
//! 0. It starts as the initial vector plus the input elements at their places. The first full-round
//! sub-engine (number 0) runs the first full rounds and `p0` partial rounds, the partial-round
//! sub-engines 1 to N run `p1 .. pN` partial rounds in turn; then the first full-round sub-engine
//! runs the last full rounds, or, where there are two of them, the second one (number 7) `p7`
//! partial rounds and the last full rounds. Every round is S-box, matrix, and a vector of constants.
//!
//! Constants of the large prime are in Montgomery form with R = 2^`montgomery_bits`, below the
//! prime; those of the Goldilocks field are as they are, four in a word: element 3 hi + lane of the
//! state in slice hi of the lane's word.
//!
//! # Where constants are
//!
//! With b = ceil(t / 3), B = b beats (1 in Goldilocks mode), S = max(b, 2 with x^7) steps, and P = B
//! (S where B is 1) entries of a partial round, see [`Shape`]:
//!
//! | sub-engine | bank | index | constant |
//! |---|---|---|---|
//! | 0, 7 | 3 i + j | m B S + r S + k | matrix m (0: MDS, 1: pre-sparse), row 3 r + i, column 3 k + j; in Goldilocks mode slice s is row 3 s + i |
//! | 0, 7 | 3 i + j | 2 B S + n P + k | the same of the matrix of partial round n, where B is 1 |
//! | 0, 7 | 0, 1, 2 | 2 B S + n P + k | first row of that matrix, where B is more than 1: entries 3 k, 3 k + 1, 3 k + 2 |
//! | 0, 7 | 5, 3, 6 | 2 B S + n P + k | its first column: entries 3 k (0 for k = 0), 3 k + 1, 3 k + 2 |
//! | 0, 7 | 7, 4, 8 | 2 B S + n P + k | its diagonal, 1 at the same places |
//! | 0, 7 | 9 + lane | r B + beat | the vector added after round r of this sub-engine |
//! | 1 to 6 | lane | n B + beat | first row of the matrix of partial round n |
//! | 1 to 6 | 3 + lane | n B + beat | its first column, 0 for element 0 |
//! | 1 to 6 | 6 | n | constant added to element 0 |
//! | 15 | lane | beat | the initial vector |

mod compiler;
mod error;
mod evaluate;
mod limits;
mod registers;
mod rows;
mod shape;
mod words;

pub use compiler::ChipProgram;
pub use error::ProgramError;
pub use evaluate::{evaluate, evaluate_rows, plain_word};
pub use limits::{EngineLimits, MAX_NUM_FULL, engine_multipliers};
pub use registers::{
    BOTH_ENGINES, ChipConstant, ChipRegisters, EMPTY_SUB_TREES, GOLDILOCKS, INITIAL_VECTOR,
    LARGE_PRIME, LEAF_HASH_ENGINE, PARTIAL_DENSE, PARTIAL_SPARSE, ROOT_HASH_ENGINE, RowRegisters,
    RuntimeModulus,
};
pub use rows::ChipRows;
pub use shape::{LANES, MAX_ELEMENTS, Rounds, SLICES, SUB_ENGINES, Segments, Shape};
pub(crate) use words::slices;

#[cfg(test)]
mod tests;

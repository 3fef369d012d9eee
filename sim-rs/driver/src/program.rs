//! The compiler from a parameter set to what the chip is loaded with: register values and
//! constants.
//!
//! # A hash on the chip
//!
//! The state is in internal order, see [`acclmt_poseidon::normal_form`]: the S-box of partial rounds is on element
//! 0. It starts as the initial vector plus the input elements at their places. The first full-round
//! sub-engine (number 0) runs the first full rounds and `p0` dense partial rounds, the partial-round
//! sub-engines 1 to N run `p1 .. pN` partial rounds in turn as a recurrence, see
//! [`acclmt_poseidon::recurrence`]; then the first full-round sub-engine runs the last full rounds, or, where there
//! are two of them, the second one (number 7) `p7` dense partial rounds and the last full rounds. A pass of a
//! full-round sub-engine is S-box, matrix, and a vector of constants; which passes there are, and in which order, is a
//! program too, a table of entries, see [`PassTable`]. With a recurrence the matrix and the vector
//! of the last pass before it are other ones, and a pass without S-box comes behind it; `p1` is then at least 1.
//! Without one `p1 .. pN` are 0. An exponent that no pass makes is a chain of passes, and its partial rounds are dense.
//!
//! A row of a matrix is computed from pairs of elements, one of an even group of three and the one in the same
//! place of the odd group behind it. A product for each row and one for all of them take the place of two for
//! each row, see [`acclmt_poseidon::recurrence`]; the product of the two coefficients is taken off the vector
//! (it is *folded*). The last full round of a hash whose digest is in the first group makes that group only and
//! does without pairs: it is *short*. Its vector is not folded.
//!
//! Constants of the large prime are in Montgomery form with R = 2^`montgomery_bits`, below the
//! prime; those of the Goldilocks field are as they are, four in a word: element 12 beat + 3 q + lane of the
//! state in slice q of the lane's word. A Goldilocks state has one beat, or two where it has more than 12 elements.
//!
//! # Where constants are
//!
//! With b beats of a state, ceil(t / 3) or ceil(t / 12) in Goldilocks mode, and S = ceil(t / 6) steps of a row, see [`Shape`]:
//!
//! | sub-engine | bank | index | constant |
//! |---|---|---|---|
//! | 0, 7 | 3 i + j | m b S + c S + s | matrix m (0: MDS; 1: before the recurrence or the layer ahead, in chains the identity; 2: behind it), row 3 c + i, column 6 s + j; in Goldilocks mode slice q is row 12 c + 3 q + i |
//! | 0, 7 | 9 + 3 i + j | m b S + c S + s | the same of column 6 s + 3 + j, 0 where there is none |
//! | 0, 7 | 18 + lane | r b + beat | the vector added in pass r of those of this sub-engine that add one, folded |
//! | 0, 7 | 21 | e | entry e of the table of passes |
//! | 0, 7 | 22 + lane | 2 v + beat | where adders make other layers, the vector of the dense layer of visit v, folded |
//! | 0, 7 | 25 | r | where adders make layers, row r of matrix 0, a cell for each of columns 0 to 11 |
//! | 0, 7 | 25 | 12 + r | of two beats, row r in cells 0 to 3: columns 12 to 15; row 12 + r div 3 in cells 6 to 11: the columns from 6 (r mod 3) on |
//! | the last of them | 18 + lane | r b | the first beat of the vector of a short round, where r is the number of vectors |
//! | 1 to 6 | lane | n b + beat | what S-box inputs are multiplied with in round n of this sub-engine: sum 3 beat + lane, 0 for place 0; in Goldilocks mode slice q is sum 12 beat + 3 q + lane |
//! | 1 to 6 | 3 + lane | n b + beat | the same of the S-box outputs before |
//! | 1 to 6 | 6 | n b | constant added to the complete sum |
//! | 15 | lane | beat | the initial vector |
//! | 15 | lane | 4 + beat | that of later blocks of a row |
//!
//! A hash engine has three parameter sets, number 0 for rows, number 1 for nodes and number 2 for nodes of other levels.
//! Indices of set n begin at 8 n for the initial vector, at 4 n for the vectors of dense layers, and for all other
//! constants at the bases of the set, see [`Bases`]: 0 where the engine hashes one set, and behind the constants of the
//! others where it mixes them, see [`mixed_bases`]. All sets have the same rows of adders. Passes name what they use of
//! the full-round sub-engines, and so have no bases in registers.
//!
//! Vectors are counted through both visits of the first full-round sub-engine, or from 0 in each of two.

mod adders;
mod beside;
mod chain;
mod compiler;
mod error;
mod evaluate;
mod limits;
mod mix;
mod pass_table;
mod passes;
mod registers;
mod rows;
mod shape;
mod words;

pub use adders::{ADDER_BANK, ADDER_WIDTH, ADDER_WORDS, MOST_ADDER_ELEMENTS};
pub use compiler::ChipProgram;
pub use error::ProgramError;
pub use evaluate::{evaluate, evaluate_rows, plain_word};
pub use limits::{EngineLimits, MAX_NUM_FULL, engine_multipliers};
pub use mix::{MixError, adders_agree, check_mix, mixed_bases};
pub use pass_table::{
    Begin, PASS_BANK, PASS_TABLE_DEPTH, PassEntry, PassLimits, PassTable, Power, ProgramFault,
    Store,
};
pub use registers::{
    BOTH_ENGINES, Bases, ChipConstant, ChipRegisters, EMPTY_SUB_TREES, GOLDILOCKS, INITIAL_VECTOR,
    INITIAL_VECTORS, LARGE_PRIME, LevelEntry, NODE_SET, PositionMap, ROW_SET, Roles, RowRegisters,
    RuntimeModulus, TOP_SET, shared_rows_fit,
};
pub use rows::ChipRows;
pub use shape::{
    LANES, MAX_ELEMENTS, Rounds, SLICES, SUB_ENGINES, Segments, Shape, Work, most_words, widest,
};
pub(crate) use words::slices;

#[cfg(test)]
mod tests;

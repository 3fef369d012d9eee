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

mod evaluate;
mod rows;
mod shape;

use ark_ff::PrimeField;

use crate::registers;
use crate::registers::EngineRegisters;
use acclmt_poseidon::absorb::initial_state;
use acclmt_poseidon::fields::{AnyParameters, FieldId, PoseidonField};
use acclmt_poseidon::params::PoseidonParameters;
use acclmt_poseidon::sparse::{DenseRounds, PartialRound, SparseRounds, internal_index};
use acclmt_poseidon::sponge::{Absorption, Sponge};
use acclmt_poseidon::word::{self, Word};
use acclmt_poseidon::{dispatch, with_field};
use evaluate::Interpreter;
pub(crate) use rows::most_rows_rule;
pub use rows::{ChipRows, RowRegisters, evaluate_rows};
use shape::{FIRST_FULL, SECOND_FULL};
pub use shape::{LANES, MAX_ELEMENTS, Rounds, SLICES, SUB_ENGINES, Segments, Shape};

/// Number under which the initial vector is loaded.
pub const INITIAL_VECTOR: u8 = 15;

/// Mask of both hash engines: bit 0 the leaf hash engine, bit 1 the root hash engine.
pub const BOTH_ENGINES: u8 = LEAF_HASH_ENGINE | ROOT_HASH_ENGINE;

/// Number of the values of empty sub-trees among the sub-engines: bank 0, index level.
pub const EMPTY_SUB_TREES: u8 = 14;

/// Bit of an engine mask for the leaf hash engine.
pub const LEAF_HASH_ENGINE: u8 = 0b01;

/// Bit of an engine mask for the root hash engine.
pub const ROOT_HASH_ENGINE: u8 = 0b10;

/// Value of the register `FIELD` for the large prime.
pub const LARGE_PRIME: u32 = 0;

/// Value of the register `FIELD` for the Goldilocks field.
pub const GOLDILOCKS: u32 = 1;

/// Value of the register `PARTIAL_KIND` for sparse partial rounds.
pub const PARTIAL_SPARSE: u32 = 0;

/// Value of the register `PARTIAL_KIND` for dense partial rounds.
pub const PARTIAL_DENSE: u32 = 1;

/// Most sub-engines of full rounds in a hash engine.
pub const MAX_NUM_FULL: usize = 2;

/// Bank of lane 0 of the constant vectors of a full-round sub-engine.
const VECTOR_BANK: u8 = 9;

/// Number of the later vector of [`INITIAL_VECTOR`]: that of the second and later blocks of a row.
const LATER_VECTOR_INDEX: usize = 4;

/// Bank of lane 0 of the columns of a partial-round sub-engine.
const PARTIAL_COLUMN_BANK: u8 = 3;

/// Bank of the constants of a partial-round sub-engine.
const PARTIAL_CONSTANT_BANK: u8 = 6;

/// Position code of no element.
const LANE_NONE: u32 = 3;

/// Position codes in a register.
const CODES_PER_REGISTER: usize = 8;

/// Position codes in a map: one for each element of the widest state.
const CODES: usize = MAX_ELEMENTS;

/// Largest index that a constant can be loaded at, plus one.
const MAX_DEPTH: usize = 256;

/// Most rounds of a sub-engine, and of all full-round sub-engines together: their numbers have 8
/// bits.
const MAX_ROUNDS: usize = 255;

/// What the hash engines of a chip can hold and compute, from its capability registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EngineLimits {
    /// The large prime of the chip, whatever it is where the modulus is loaded at run time.
    pub prime: Word,
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
    /// Beats that the output buffer of a sub-engine holds.
    pub places: usize,
    /// Cycles that a state of one beat needs for a round of a full-round sub-engine.
    pub loop_cycles: usize,
}

/// A constant and where it is loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChipConstant {
    /// Hash engines that take it: bit 0 the leaf hash engine, bit 1 the root hash engine.
    pub engine_mask: u8,
    /// Number of the sub-engine.
    pub sub_engine: u8,
    /// Memory bank in the sub-engine.
    pub bank: u8,
    /// Address in the bank.
    pub index: u8,
    /// The value: in Montgomery form and below the large prime, or four Goldilocks elements.
    pub word: Word,
}

/// The run-time configuration of a chip, one value for each register of the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChipRegisters {
    /// Stream words of the input of a hash.
    pub arity: u32,
    /// [`LARGE_PRIME`] or [`GOLDILOCKS`].
    pub field: u32,
    /// State width.
    pub width: u32,
    /// S-box exponent.
    pub alpha: u32,
    /// Full rounds before the partial rounds.
    pub full_rounds_first: u32,
    /// Full rounds after the partial rounds.
    pub full_rounds_last: u32,
    /// [`PARTIAL_SPARSE`] or [`PARTIAL_DENSE`].
    pub partial_kind: u32,
    /// Stream words of a digest.
    pub digest_words: u32,
    /// Position codes of the input elements, 8 in a register.
    pub input_map: [u32; 2],
    /// Position codes of the elements of the digest.
    pub digest_map: [u32; 2],
    /// Partial rounds of each sub-engine.
    pub partial_rounds: [u32; SUB_ENGINES],
}

impl ChipRegisters {
    /// The registers of `engine`, from what `get` says of the one at an address.
    pub fn read(engine: &EngineRegisters, get: impl Fn(u32) -> u32) -> Self {
        let pair = |register: &registers::Register| [0, 1].map(|number| get(register.at(number)));
        Self {
            arity: get(engine.input_words.address),
            field: get(registers::FIELD.address),
            width: get(engine.width.address),
            alpha: get(engine.alpha.address),
            full_rounds_first: get(engine.full_rounds_first.address),
            full_rounds_last: get(engine.full_rounds_last.address),
            partial_kind: get(engine.partial_kind.address),
            digest_words: get(engine.digest_words.address),
            input_map: pair(&engine.input_map),
            digest_map: pair(&engine.digest_map),
            partial_rounds: std::array::from_fn(|number| {
                get(engine.partial_rounds.at(number as u32))
            }),
        }
    }

    /// The address of every register of `engine` and the value that is written to it; `FIELD` is one
    /// for both engines.
    pub fn writes(&self, engine: &EngineRegisters) -> Vec<(u32, u32)> {
        let single = [
            (&registers::FIELD, self.field),
            (&engine.input_words, self.arity),
            (&engine.width, self.width),
            (&engine.alpha, self.alpha),
            (&engine.full_rounds_first, self.full_rounds_first),
            (&engine.full_rounds_last, self.full_rounds_last),
            (&engine.partial_kind, self.partial_kind),
            (&engine.digest_words, self.digest_words),
        ];
        let runs = [
            (&engine.input_map, &self.input_map[..]),
            (&engine.digest_map, &self.digest_map[..]),
            (&engine.partial_rounds, &self.partial_rounds[..]),
        ];
        let single = single.map(|(register, value)| (register.address, value));
        let runs = runs.into_iter().flat_map(|(register, values)| {
            (0..)
                .zip(values)
                .map(|(position, &value)| (register.at(position), value))
        });
        single.into_iter().chain(runs).collect()
    }
}

/// What a chip with a run-time modulus needs to know about the large prime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuntimeModulus {
    /// The prime.
    pub prime: Word,
    /// R^2 modulo the prime, where R is the Montgomery radix.
    pub radix_squared: Word,
}

/// What a program takes in and gives out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose<'a> {
    /// Inputs of a hash, and digests.
    Hash,
    /// Whole states.
    Permutation,
    /// Blocks of rows of `length` elements, and digests.
    Rows { sponge: &'a Sponge, length: usize },
}

/// A parameter set compiled for a chip.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChipProgram {
    /// The register values.
    pub registers: ChipRegisters,
    /// What is written to `PRIME` and `RADIX_SQUARED`, for a large prime on a chip with a run-time
    /// modulus.
    pub modulus: Option<RuntimeModulus>,
    /// The constants, in the order of loading.
    pub constants: Vec<ChipConstant>,
    field: FieldId,
    shape: Shape,
    rounds: Rounds,
    segments: Segments,
    limits: EngineLimits,
    notes: Vec<String>,
    /// Field elements that the program takes, and how many of them are in a stream word.
    inputs: usize,
    inputs_in_word: usize,
    /// Field elements that the program gives.
    outputs: usize,
}

/// A chip cannot compute with a parameter set, or a program is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProgramError {
    /// No group of rows.
    #[error("{group} rows cannot be under way together; 1 to {most} can")]
    RowGroup {
        /// Rows.
        group: usize,
        /// Most that the buffers of a hash engine hold.
        most: usize,
    },
    /// The tag of a row does not exist.
    #[error(
        "'{name}' hashes no rows of {length} field elements: a SAFE tag has no room for the length"
    )]
    RowTooLong {
        /// Name of the parameter set.
        name: String,
        /// Elements of a row.
        length: usize,
    },
    /// The field is another one.
    #[error(
        "'{name}' is over {field}, the chip was built for {}; use a build for {field}, or the \
         software device",
        chip_fields(limits)
    )]
    Field {
        /// Name of the parameter set.
        name: String,
        /// Its field.
        field: FieldId,
        /// What the chip was built with.
        limits: Box<EngineLimits>,
    },
    /// The constant memories are too small.
    #[error(
        "'{name}' has {} full and {} partial rounds of width {}, more than the constant memories \
         of the chip hold ({} times {} matrix and {} constant entries for full rounds, {} times {} \
         entries for partial rounds); build it with deeper memories",
        rounds.full_first + rounds.full_last, rounds.partial, shape.width,
        limits.num_full, limits.matrix_depth, limits.constant_depth,
        limits.num_partial, limits.partial_depth
    )]
    TooManyRounds {
        /// Name of the parameter set.
        name: String,
        /// Its rounds.
        rounds: Rounds,
        /// Its shape.
        shape: Shape,
        /// What the chip holds.
        limits: Box<EngineLimits>,
    },
    /// Given segments do not fit.
    #[error(
        "the rounds of '{name}', {rounds:?}, cannot be shared out as {segments:?} on a chip with \
         {} full-round and {} partial-round sub-engines",
        limits.num_full, limits.num_partial
    )]
    Segments {
        /// Name of the parameter set.
        name: String,
        /// Its rounds.
        rounds: Rounds,
        /// The segments asked for.
        segments: Box<Segments>,
        /// What the chip holds.
        limits: Box<EngineLimits>,
    },
    /// A program lacks a constant.
    #[error(
        "the program has no constant for sub-engine {sub_engine}, bank {bank}, index {index}; \
         compile it again"
    )]
    MissingConstant {
        /// Number of the sub-engine.
        sub_engine: u8,
        /// The bank.
        bank: u8,
        /// The index.
        index: usize,
    },
    /// A constant of a program is no residue.
    #[error(
        "the constant for sub-engine {sub_engine}, bank {bank}, index {index} is not below the \
         prime; compile the program again"
    )]
    ConstantNotBelowPrime {
        /// Number of the sub-engine.
        sub_engine: u8,
        /// The bank.
        bank: u8,
        /// The index.
        index: usize,
    },
    /// A sparse partial round has a value where there must be 0.
    #[error(
        "the sparse matrix of sub-engine {engine} at index {base} has a value beside its first \
         row for element 0; compile the program again"
    )]
    SparseEntry {
        /// Number of the sub-engine.
        engine: u8,
        /// First index of the matrix.
        base: usize,
    },
    /// A register value that the chip refuses.
    #[error(
        "the register {} cannot hold {value}",
        registers::register_name(*address).unwrap_or_else(|| format!("0x{address:03X}"))
    )]
    IllegalRegister {
        /// Byte address of the register.
        address: u32,
        /// The value.
        value: u32,
    },
    /// The input is no whole number of hashes.
    #[error("{length} words are no whole number of inputs of {expected} words")]
    InputLength {
        /// Words given.
        length: usize,
        /// Words that a hash takes.
        expected: usize,
    },
    /// An input word is not canonical.
    #[error("input word {word} has an element that is not below the prime")]
    InputNotBelowPrime {
        /// Index of the word, counted from 0.
        word: usize,
    },
}

/// The fields of a chip, for messages.
fn chip_fields(limits: &EngineLimits) -> String {
    let large = if limits.runtime_modulus {
        "large primes".to_owned()
    } else {
        FieldId::from_prime(&limits.prime).map_or_else(
            || format!("the prime {}", word::to_hex(&limits.prime)),
            |field| field.name().to_owned(),
        )
    };
    if limits.goldilocks {
        format!("{large} and {}", FieldId::Goldilocks)
    } else {
        large
    }
}

impl ChipProgram {
    /// Compiles `parameters` for hashes on a chip with `limits`, with the segments that give the
    /// fewest cycles per hash.
    ///
    /// # Errors
    ///
    /// When the chip cannot compute with `parameters`.
    pub fn compile(
        parameters: &AnyParameters,
        limits: &EngineLimits,
    ) -> Result<Self, ProgramError> {
        dispatch!(parameters, parameters => {
            Self::build(parameters, limits, Purpose::Hash, None)
        })
    }

    /// Compiles the permutation of `parameters`: the program takes whole states, to which no
    /// initial state is added, and gives whole states.
    ///
    /// # Errors
    ///
    /// When the chip cannot compute with `parameters`.
    pub fn compile_permutation(
        parameters: &AnyParameters,
        limits: &EngineLimits,
    ) -> Result<Self, ProgramError> {
        dispatch!(parameters, parameters => {
            Self::build(parameters, limits, Purpose::Permutation, None)
        })
    }

    /// As [`ChipProgram::compile`] with `segments`, which need not be the best.
    ///
    /// # Errors
    ///
    /// When the chip cannot compute with `parameters`, or not with these segments.
    pub fn compile_segments(
        parameters: &AnyParameters,
        limits: &EngineLimits,
        segments: &Segments,
    ) -> Result<Self, ProgramError> {
        dispatch!(parameters, parameters => {
            Self::build(parameters, limits, Purpose::Hash, Some(*segments))
        })
    }

    fn build<F: PoseidonField>(
        parameters: &PoseidonParameters<F>,
        limits: &EngineLimits,
        purpose: Purpose<'_>,
        segments: Option<Segments>,
    ) -> Result<Self, ProgramError> {
        let name = parameters.name();
        let field = check_field(parameters, limits)?;
        let chip_rounds = ChipRounds::new(parameters);
        let rounds = Rounds {
            full_first: parameters.full_rounds_first(),
            partial: parameters.partial_rounds(),
            full_last: parameters.full_rounds_last(),
        };
        let shape = Shape {
            width: parameters.width(),
            alpha: parameters.alpha(),
            goldilocks: field == FieldId::Goldilocks,
            dense: matches!(chip_rounds.partial, PartialRounds::Dense(_)),
        };
        let segments = match segments {
            None => Segments::plan(shape, rounds, limits).ok_or_else(|| {
                ProgramError::TooManyRounds {
                    name: name.to_owned(),
                    rounds,
                    shape,
                    limits: Box::new(*limits),
                }
            })?,
            Some(segments) if segments.has(rounds) && segments.fit(shape, limits) => segments,
            Some(segments) => {
                return Err(ProgramError::Segments {
                    name: name.to_owned(),
                    rounds,
                    segments: Box::new(segments),
                    limits: Box::new(*limits),
                });
            }
        };

        let mut loader = Loader {
            shape,
            radix: montgomery_radix(limits.montgomery_bits),
            constants: Vec::new(),
        };
        let initial = match purpose {
            Purpose::Hash => chip_rounds.initial.clone(),
            Purpose::Permutation => chip_rounds.initial_constants.clone(),
            Purpose::Rows { sponge, length } => {
                let state = initial_state(sponge, parameters, length);
                let mut state = state.ok_or_else(|| ProgramError::RowTooLong {
                    name: name.to_owned(),
                    length,
                })?;
                if sponge.absorption == Absorption::Overwrite {
                    // The chip adds the first block to the initial vector.
                    let first = sponge.padded_length(length).min(sponge.rate());
                    for &position in &sponge.rate_positions[..first] {
                        state[position] = F::ZERO;
                    }
                }
                let internal = (0..shape.width)
                    .map(|element| state[internal_index(parameters.partial_index(), element)]);
                (chip_rounds.initial_constants.iter())
                    .zip(internal)
                    .map(|(&constant, element)| constant + element)
                    .collect()
            }
        };
        loader.vector(INITIAL_VECTOR, 0, 0, &initial);
        if let Purpose::Rows { .. } = purpose {
            let later = &chip_rounds.initial_constants;
            loader.vector_at(INITIAL_VECTOR, 0, LATER_VECTOR_INDEX, later);
        }
        loader.load(&chip_rounds, &segments, limits);
        let maps = Maps::new(parameters, shape, purpose);
        // All of these are small.
        let registers = ChipRegisters {
            arity: maps.inputs.len().div_ceil(maps.inputs_in_word) as u32,
            field: if shape.goldilocks {
                GOLDILOCKS
            } else {
                LARGE_PRIME
            },
            width: shape.width as u32,
            alpha: shape.alpha as u32,
            full_rounds_first: segments.full_first as u32,
            full_rounds_last: segments.full_last as u32,
            partial_kind: if shape.dense {
                PARTIAL_DENSE
            } else {
                PARTIAL_SPARSE
            },
            digest_words: maps.outputs.len().div_ceil(maps.outputs_in_word) as u32,
            input_map: encode(&maps.inputs, maps.inputs_in_word, shape),
            digest_map: encode(&maps.outputs, maps.outputs_in_word, shape),
            partial_rounds: segments.partial.map(|n| n as u32),
        };
        let modulus = (limits.runtime_modulus && !shape.goldilocks).then(|| RuntimeModulus {
            prime: parameters.prime(),
            radix_squared: word::from_field(loader.radix.square()),
        });
        let mut program = Self {
            registers,
            modulus,
            constants: loader.constants,
            field,
            shape,
            rounds,
            segments,
            limits: *limits,
            notes: Vec::new(),
            inputs: maps.inputs.len(),
            inputs_in_word: maps.inputs_in_word,
            outputs: maps.outputs.len(),
        };
        program.notes = program.cost_notes(name);
        Ok(program)
    }

    /// What a user should know about the cost of the program of the parameter set `name`.
    fn cost_notes(&self, name: &str) -> Vec<String> {
        let mut notes = Vec::new();
        let period = self.period();
        if self.shape.dense {
            let sparse = Shape {
                dense: false,
                ..self.shape
            };
            let instead = self.period_with(sparse, &self.limits).map_or_else(
                || "sparse ones would not fit into the memories".to_owned(),
                |period| format!("with sparse ones it would be {period}"),
            );
            notes.push(format!(
                "the matrix of '{name}' has no sparse form, because it is singular without the row \
                 and column of the partial S-box; its {} partial rounds run dense on the \
                 full-round sub-engines: {period} cycles per hash, {instead}",
                self.rounds.partial,
            ));
        }
        let deep = EngineLimits {
            matrix_depth: MAX_DEPTH,
            constant_depth: MAX_DEPTH,
            partial_depth: MAX_DEPTH,
            ..self.limits
        };
        if let Some(best) = self.period_with(self.shape, &deep)
            && best < period
        {
            notes.push(format!(
                "the rounds of '{name}' are shared out unevenly, because the constant memories of \
                 the chip are small: {period} cycles per hash, with deeper memories it would be \
                 {best}"
            ));
        }
        notes
    }

    /// The period with the best segments for `shape` on a chip with `limits`.
    fn period_with(&self, shape: Shape, limits: &EngineLimits) -> Option<usize> {
        let busy = Segments::plan(shape, self.rounds, limits)?.busy(shape, limits.num_full);
        busy.into_iter().max()
    }

    /// The field.
    pub fn field(&self) -> FieldId {
        self.field
    }

    /// What the program costs in the sub-engines, besides the numbers of rounds.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Which sub-engine runs which rounds.
    pub fn segments(&self) -> &Segments {
        &self.segments
    }

    /// What a user should know about the program, one sentence each.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Cycles that a hash occupies each sub-engine, by number.
    pub fn busy(&self) -> [usize; SUB_ENGINES] {
        self.segments.busy(self.shape, self.limits.num_full)
    }

    /// Cycles that a hash occupies the busiest sub-engine: the steady-state cycles per hash.
    pub fn period(&self) -> usize {
        self.busy().into_iter().max().unwrap_or_default()
    }

    /// Multiplications and squarings of field elements that a hash needs.
    pub fn products(&self) -> usize {
        self.shape.products(self.rounds)
    }

    /// Field multipliers and squarers of a hash engine, four times as many in Goldilocks mode, see
    /// [`engine_multipliers`].
    pub fn multipliers(&self) -> usize {
        let words = engine_multipliers(self.limits.num_full, self.limits.num_partial);
        if self.shape.goldilocks {
            SLICES * words
        } else {
            words
        }
    }

    /// Stream words of the input of a hash.
    pub fn input_words(&self) -> usize {
        self.registers.arity as usize
    }

    /// Stream words of a digest.
    pub fn output_words(&self) -> usize {
        self.registers.digest_words as usize
    }

    /// Packs field elements, those of any number of hashes one after another, into stream words.
    /// Elements that do not make up a whole hash are left out.
    pub fn pack_inputs(&self, elements: &[Word]) -> Vec<Word> {
        self.pack(elements, self.inputs, self.inputs_in_word)
    }

    /// Packs field elements, those of any number of digests one after another, into stream words
    /// as they leave the chip, and as the leaves of a tree enter it.
    pub fn pack_outputs(&self, elements: &[Word]) -> Vec<Word> {
        self.pack(elements, self.outputs, self.elements_in_word())
    }

    fn pack(&self, elements: &[Word], length: usize, in_word: usize) -> Vec<Word> {
        if !self.shape.goldilocks {
            return elements.to_vec();
        }
        elements
            .chunks_exact(length)
            .flat_map(|elements| elements.chunks(in_word))
            .map(from_slices)
            .collect()
    }

    /// Unpacks the stream words of any number of digests: the elements of each.
    pub fn unpack_outputs(&self, words: &[Word]) -> Vec<Vec<Word>> {
        words
            .chunks_exact(self.output_words())
            .map(|words| {
                if !self.shape.goldilocks {
                    return words.to_vec();
                }
                let mut elements: Vec<_> = words.iter().flat_map(slices).collect();
                elements.truncate(self.outputs);
                elements
            })
            .collect()
    }

    /// The index in the input of the element that stream word `word` holds, in slice `slice` of it where a
    /// word has several; both are counted from 0.
    pub fn element_index(&self, word: usize, slice: usize) -> usize {
        let (hash, word) = (word / self.input_words(), word % self.input_words());
        hash * self.inputs + word * self.inputs_in_word + slice
    }

    /// Field elements of a digest.
    pub(crate) fn digest_elements(&self) -> usize {
        self.outputs
    }

    /// The word of a constant, in the chip's form, that is a digest of this program: an element of the
    /// large prime, or up to four Goldilocks elements.
    pub(crate) fn constant_word(&self, elements: &[Word]) -> Word {
        with_field!(self.field, F => {
            let elements: Vec<F> = elements.iter().filter_map(word::to_field).collect();
            let radix = montgomery_radix(self.limits.montgomery_bits);
            constant_word(self.shape, radix, &elements)
        })
    }

    /// The arity of the trees that the chip can fold: those whose nodes are a stream word each.
    pub fn tree_arity(&self) -> Option<usize> {
        let arity = self.input_words();
        let is_tree = arity >= 2
            && self.output_words() == 1
            && self.inputs == arity * self.outputs
            && self.inputs_in_word == self.outputs;
        is_tree.then_some(arity)
    }

    fn elements_in_word(&self) -> usize {
        if self.shape.goldilocks { SLICES } else { 1 }
    }

    /// Computes the hashes of `words`, any number of inputs packed as stream words, with nothing
    /// but the registers and constants of the program, in the way the chip does. Returns the
    /// digests as stream words.
    ///
    /// # Errors
    ///
    /// When the number of words is wrong, one is not canonical, or the program is not complete.
    pub fn evaluate(&self, words: &[Word]) -> Result<Vec<Word>, ProgramError> {
        evaluate(
            self.field,
            &self.registers,
            &self.constants,
            &self.limits,
            words,
        )
    }
}

/// Computes the hashes of `words` like a chip with `limits` that holds `registers` and `constants`,
/// where the large prime is that of `field`; see [`ChipProgram::evaluate`].
///
/// # Errors
///
/// When the chip would refuse a register value, the number of words is wrong, one is not canonical,
/// or a constant is missing.
pub fn evaluate(
    field: FieldId,
    registers: &ChipRegisters,
    constants: &[ChipConstant],
    limits: &EngineLimits,
    words: &[Word],
) -> Result<Vec<Word>, ProgramError> {
    registers.check(limits)?;
    let arity = registers.arity as usize;
    if !words.len().is_multiple_of(arity) {
        return Err(ProgramError::InputLength {
            length: words.len(),
            expected: arity,
        });
    }
    with_field!(field, F => {
        let interpreter = Interpreter::<F>::new(registers, constants, limits);
        let mut digests = Vec::new();
        for (hash, words) in words.chunks_exact(arity).enumerate() {
            let digest = interpreter.hash(words).map_err(|error| match error {
                ProgramError::InputNotBelowPrime { word } => {
                    let word = hash * arity + word;
                    ProgramError::InputNotBelowPrime { word }
                }
                error => error,
            })?;
            digests.extend(digest);
        }
        Ok(digests)
    })
}

impl ChipRegisters {
    /// What the occupation of the sub-engines depends on, with a legal width.
    fn shape(&self) -> Shape {
        Shape {
            width: (self.width as usize).clamp(2, MAX_ELEMENTS),
            alpha: self.alpha.into(),
            goldilocks: self.field == GOLDILOCKS,
            dense: self.partial_kind == PARTIAL_DENSE,
        }
    }

    /// Checks the values as a chip with `limits` does for its leaf hash engine at the start of a run
    /// without tree.
    ///
    /// # Errors
    ///
    /// When one is illegal; the error names the first register, in address order.
    pub fn check(&self, limits: &EngineLimits) -> Result<(), ProgramError> {
        let shape = self.shape();
        let goldilocks = shape.goldilocks;
        let stream_words = if goldilocks { 3 } else { 12 };
        let segments = Segments {
            full_first: self.full_rounds_first as usize,
            partial: self.partial_rounds.map(|rounds| rounds as usize),
            full_last: self.full_rounds_last as usize,
        };
        let partial_rounds = (0..SUB_ENGINES).map(|engine| {
            (
                registers::LEAF.partial_rounds.at(engine as u32),
                self.partial_rounds[engine],
                segments.partial_fit(engine, shape, limits),
            )
        });
        let maps = [
            (registers::LEAF.input_map, self.input_map),
            (registers::LEAF.digest_map, self.digest_map),
        ];
        let maps = maps.into_iter().flat_map(|(register, map)| {
            [0, 1].map(|part| {
                let codes = part * CODES_PER_REGISTER..(part + 1) * CODES_PER_REGISTER;
                let legal = codes.into_iter().all(|number| {
                    let code = map[part] >> (4 * (number % CODES_PER_REGISTER)) & 15;
                    let element = LANES as u32 * (code >> 2) + (code & 3);
                    if number < CODES {
                        code & 3 == LANE_NONE || element < self.width
                    } else {
                        code == 0
                    }
                });
                (register.at(part as u32), map[part], legal)
            })
        });
        let values = [
            (
                registers::FIELD,
                self.field,
                self.field == LARGE_PRIME || goldilocks && limits.goldilocks,
            ),
            (
                registers::LEAF.input_words,
                self.arity,
                (1..=stream_words).contains(&self.arity),
            ),
            (
                registers::LEAF.width,
                self.width,
                (2..=12).contains(&self.width),
            ),
            (
                registers::LEAF.alpha,
                self.alpha,
                [3, 5, 7].contains(&self.alpha),
            ),
            (
                registers::LEAF.full_rounds_first,
                self.full_rounds_first,
                self.full_rounds_first > 0 && segments.first_fit(shape, limits),
            ),
            (
                registers::LEAF.full_rounds_last,
                self.full_rounds_last,
                self.full_rounds_last > 0 && segments.last_fit(shape, limits),
            ),
            (
                registers::LEAF.partial_kind,
                self.partial_kind,
                [PARTIAL_SPARSE, PARTIAL_DENSE].contains(&self.partial_kind),
            ),
            (
                registers::LEAF.digest_words,
                self.digest_words,
                (1..=stream_words).contains(&self.digest_words),
            ),
        ]
        .map(|(register, value, legal)| (register.address, value, legal));
        match values
            .into_iter()
            .chain(maps)
            .chain(partial_rounds)
            .find(|(_, _, legal)| !legal)
        {
            None => Ok(()),
            Some((address, value, _)) => Err(ProgramError::IllegalRegister { address, value }),
        }
    }
}

/// Multipliers and squarers of a hash engine, 256 bits wide: 18 in a full-round sub-engine and 9 in a
/// partial-round sub-engine.
pub fn engine_multipliers(num_full: usize, num_partial: usize) -> usize {
    18 * num_full + 9 * num_partial
}

/// The chip must have the field of the parameters.
fn check_field<F: PrimeField>(
    parameters: &PoseidonParameters<F>,
    limits: &EngineLimits,
) -> Result<FieldId, ProgramError> {
    let prime = parameters.prime();
    let field = FieldId::from_prime(&prime).expect("the parameters are over one of the fields");
    let supported = match field {
        FieldId::Goldilocks => limits.goldilocks,
        _ => limits.runtime_modulus || prime == limits.prime,
    };
    if supported {
        return Ok(field);
    }
    Err(ProgramError::Field {
        name: parameters.name().to_owned(),
        field,
        limits: Box::new(*limits),
    })
}

/// The rounds of a parameter set in the form in which the chip runs them.
struct ChipRounds<F> {
    initial_constants: Vec<F>,
    initial: Vec<F>,
    mds: Vec<Vec<F>>,
    pre_sparse: Vec<Vec<F>>,
    full_first: Vec<Vec<F>>,
    partial: PartialRounds<F>,
    full_last: Vec<Vec<F>>,
}

enum PartialRounds<F> {
    Sparse(Vec<PartialRound<F>>),
    /// The constants.
    Dense(Vec<Vec<F>>),
}

impl<F: PrimeField> ChipRounds<F> {
    fn new(parameters: &PoseidonParameters<F>) -> Self {
        match SparseRounds::new(parameters) {
            Ok(rounds) => Self {
                initial_constants: rounds.initial_constants,
                initial: rounds.initial,
                mds: rounds.mds,
                pre_sparse: rounds.pre_sparse,
                full_first: rounds.full_first,
                partial: PartialRounds::Sparse(rounds.partial),
                full_last: rounds.full_last,
            },
            Err(_) => {
                let rounds = DenseRounds::new(parameters);
                Self {
                    initial_constants: rounds.initial_constants,
                    initial: rounds.initial,
                    pre_sparse: rounds.mds.clone(),
                    mds: rounds.mds,
                    full_first: rounds.full_first,
                    partial: PartialRounds::Dense(rounds.partial),
                    full_last: rounds.full_last,
                }
            }
        }
    }
}

/// Where elements enter and leave the state, in internal order.
struct Maps {
    inputs: Vec<usize>,
    inputs_in_word: usize,
    outputs: Vec<usize>,
    outputs_in_word: usize,
}

impl Maps {
    fn new<F: PrimeField>(
        parameters: &PoseidonParameters<F>,
        shape: Shape,
        purpose: Purpose<'_>,
    ) -> Self {
        let internal = |positions: &mut dyn Iterator<Item = usize>| -> Vec<usize> {
            positions
                .map(|position| internal_index(parameters.partial_index(), position))
                .collect()
        };
        let (inputs, outputs) = match purpose {
            Purpose::Hash => (
                internal(&mut parameters.input_positions().iter().copied()),
                internal(&mut parameters.digest_positions().iter().copied()),
            ),
            Purpose::Permutation => (
                internal(&mut (0..shape.width)),
                internal(&mut (0..shape.width)),
            ),
            Purpose::Rows { sponge, .. } => (
                internal(&mut sponge.rate_positions.iter().copied()),
                internal(&mut parameters.digest_positions().iter().copied()),
            ),
        };
        let in_word = if shape.goldilocks { SLICES } else { 1 };
        // A hash of a few digests takes a word for each, as the tree does.
        let most_words = CODES / in_word;
        let is_tree = purpose == Purpose::Hash
            && outputs.len() <= in_word
            && inputs.len().is_multiple_of(outputs.len())
            && (2..=most_words).contains(&(inputs.len() / outputs.len()));
        let inputs_in_word = if is_tree { outputs.len() } else { in_word };
        Self {
            inputs,
            inputs_in_word,
            outputs,
            outputs_in_word: in_word,
        }
    }
}

/// Position codes of `elements`, of which `in_word` are in a stream word.
fn encode(elements: &[usize], in_word: usize, shape: Shape) -> [u32; 2] {
    let slices = if shape.goldilocks { SLICES } else { 1 };
    let mut codes = [0; 2 * CODES_PER_REGISTER];
    codes[..CODES].fill(LANE_NONE);
    for (word, elements) in elements.chunks(in_word).enumerate() {
        for (slice, element) in elements.iter().enumerate() {
            codes[word * slices + slice] = (((element / LANES) << 2) | (element % LANES)) as u32;
        }
    }
    let (registers, _) = codes.as_chunks::<CODES_PER_REGISTER>();
    [registers[0], registers[1]]
        .map(|codes| codes.iter().rev().fold(0, |value, code| value << 4 | code))
}

/// Collects constants in the chip's form.
struct Loader<F> {
    shape: Shape,
    radix: F,
    constants: Vec<ChipConstant>,
}

impl<F: PrimeField> Loader<F> {
    fn load(&mut self, rounds: &ChipRounds<F>, segments: &Segments, limits: &EngineLimits) {
        let (sparse, dense): (&[_], &[_]) = match &rounds.partial {
            PartialRounds::Sparse(rounds) => (rounds, &[]),
            PartialRounds::Dense(vectors) => (&[], vectors),
        };
        let (mut sparse, mut dense) = (sparse.iter(), dense.iter());
        // Without partial rounds the halves of the full rounds may be other ones.
        let mut full = rounds.full_first.iter().chain(&rounds.full_last);

        let mut round = 0;
        self.matrix(FIRST_FULL, 0, &rounds.mds);
        self.matrix(FIRST_FULL, self.shape.matrix_entries(), &rounds.pre_sparse);
        for vector in full.by_ref().take(segments.full_first) {
            self.round_vector(FIRST_FULL, &mut round, vector);
        }
        let count = segments.partial[FIRST_FULL];
        self.partial_on_full(FIRST_FULL, count, &mut sparse, &mut dense, &mut round);
        for engine in 1..=limits.num_partial {
            let count = segments.partial[engine];
            for (index, partial) in sparse.by_ref().take(count).enumerate() {
                self.partial_round(engine, index, partial);
            }
        }
        let last = if limits.num_full > 1 {
            round = 0;
            self.matrix(SECOND_FULL, 0, &rounds.mds);
            let count = segments.partial[SECOND_FULL];
            self.partial_on_full(SECOND_FULL, count, &mut sparse, &mut dense, &mut round);
            SECOND_FULL
        } else {
            FIRST_FULL
        };
        for vector in full {
            self.round_vector(last, &mut round, vector);
        }
    }

    /// `count` partial rounds of a full-round sub-engine, the next of `sparse` or else of `dense`.
    fn partial_on_full<'a>(
        &mut self,
        engine: usize,
        count: usize,
        sparse: &mut impl Iterator<Item = &'a PartialRound<F>>,
        dense: &mut impl Iterator<Item = &'a Vec<F>>,
        round: &mut usize,
    ) where
        F: 'a,
    {
        for (number, partial) in sparse.by_ref().take(count).enumerate() {
            let base = 2 * self.shape.matrix_entries() + number * self.shape.sparse_entries();
            if self.shape.beats() == 1 {
                self.matrix(engine, base, &as_dense(partial));
            } else {
                self.sparse_matrix(engine, base, partial);
            }
            let mut vector = vec![F::ZERO; self.shape.width];
            vector[0] = partial.constant;
            self.round_vector(engine, round, &vector);
        }
        for vector in dense.by_ref().take(count) {
            self.round_vector(engine, round, vector);
        }
    }

    /// The dense `matrix` at the memory entries from `base`.
    fn matrix(&mut self, engine: usize, base: usize, matrix: &[Vec<F>]) {
        let entry = |row: usize, column: usize| {
            let row = matrix.get(row)?;
            row.get(column).copied()
        };
        let shape = self.shape;
        for beat in 0..shape.beats() {
            for step in 0..shape.steps() {
                let index = base + beat * shape.steps() + step;
                for (i, j) in (0..LANES).flat_map(|i| (0..LANES).map(move |j| (i, j))) {
                    let column = LANES * step + j;
                    let entries = if shape.goldilocks {
                        [0, 1, 2, 3].map(|slice| entry(LANES * slice + i, column))
                    } else {
                        [entry(LANES * beat + i, column), None, None, None]
                    };
                    let entries = entries.map(Option::unwrap_or_default);
                    self.constant(engine as u8, (LANES * i + j) as u8, index, &entries);
                }
            }
        }
    }

    /// The matrix of `partial` on a full-round sub-engine, for states of several beats.
    fn sparse_matrix(&mut self, engine: usize, base: usize, partial: &PartialRound<F>) {
        let row = |element: usize| partial.matrix.row.get(element).copied();
        // Element 0 is in the first row.
        let column = |element: usize| {
            let index = element.checked_sub(1)?;
            partial.matrix.column.get(index).copied()
        };
        let diagonal = |element: usize| column(element).map(|_| F::ONE);
        for beat in 0..self.shape.beats() {
            let [first, second, third] = [0, 1, 2].map(|lane| LANES * beat + lane);
            for (bank, value) in (0..).zip([
                row(first),
                row(second),
                row(third),
                column(second),
                diagonal(second),
                column(first),
                column(third),
                diagonal(first),
                diagonal(third),
            ]) {
                let value = [value.unwrap_or_default()];
                self.constant(engine as u8, bank, base + beat, &value);
            }
        }
    }

    /// A round of a partial-round sub-engine.
    fn partial_round(&mut self, engine: usize, index: usize, partial: &PartialRound<F>) {
        let engine = engine as u8;
        let mut column = vec![F::ZERO];
        column.extend(&partial.matrix.column);
        self.vector(engine, 0, index, &partial.matrix.row);
        self.vector(engine, PARTIAL_COLUMN_BANK, index, &column);
        self.constant(engine, PARTIAL_CONSTANT_BANK, index, &[partial.constant]);
    }

    /// The constants after round `round` of a full-round sub-engine.
    fn round_vector(&mut self, engine: usize, round: &mut usize, vector: &[F]) {
        self.vector(engine as u8, VECTOR_BANK, *round, vector);
        *round += 1;
    }

    /// Vector `number` of those that begin in `bank`.
    fn vector(&mut self, engine: u8, bank: u8, number: usize, vector: &[F]) {
        self.vector_at(engine, bank, number * self.shape.beats(), vector);
    }

    /// The vector at the memory entries from `base` of the banks from `bank` on.
    fn vector_at(&mut self, engine: u8, bank: u8, base: usize, vector: &[F]) {
        let element = |index: usize| vector.get(index).copied().unwrap_or_default();
        for beat in 0..self.shape.beats() {
            for lane in 0..LANES {
                let elements = if self.shape.goldilocks {
                    [0, 1, 2, 3].map(|slice| element(LANES * slice + lane))
                } else {
                    [element(LANES * beat + lane), F::ZERO, F::ZERO, F::ZERO]
                };
                self.constant(engine, bank + lane as u8, base + beat, &elements);
            }
        }
    }

    /// One word: the first of `elements`, or in Goldilocks mode all of them.
    fn constant(&mut self, sub_engine: u8, bank: u8, index: usize, elements: &[F]) {
        let word = constant_word(self.shape, self.radix, elements);
        self.constants.push(ChipConstant {
            engine_mask: if sub_engine == INITIAL_VECTOR && index >= LATER_VECTOR_INDEX {
                LEAF_HASH_ENGINE
            } else {
                BOTH_ENGINES
            },
            sub_engine,
            bank,
            index: u8::try_from(index).expect("the segments fit into the memories"),
            word,
        });
    }
}

/// The first of `elements`, or in Goldilocks mode all of them, in the chip's form.
fn constant_word<F: PrimeField>(shape: Shape, radix: F, elements: &[F]) -> Word {
    if shape.goldilocks {
        let elements: Vec<_> = elements.iter().map(|&e| word::from_field(e)).collect();
        from_slices(&elements)
    } else {
        word::from_field(elements.first().copied().unwrap_or_default() * radix)
    }
}

/// The sparse matrix of a partial round with all its entries.
fn as_dense<F: PrimeField>(partial: &PartialRound<F>) -> Vec<Vec<F>> {
    let mut matrix = vec![partial.matrix.row.clone()];
    for (i, &first) in (1..).zip(&partial.matrix.column) {
        let mut row = vec![F::ZERO; partial.matrix.row.len()];
        row[0] = first;
        row[i] = F::ONE;
        matrix.push(row);
    }
    matrix
}

fn montgomery_radix<F: PrimeField>(bits: u32) -> F {
    F::from(2_u64).pow([u64::from(bits)])
}

/// The four 64-bit slices of a stream word, each as a word of its own.
pub(crate) fn slices(word: &Word) -> [Word; SLICES] {
    let mut slices = [Word::default(); SLICES];
    for (slice, bytes) in slices.iter_mut().zip(word.as_chunks::<8>().0) {
        slice[..8].copy_from_slice(bytes);
    }
    slices
}

/// The stream word with the low 64 bits of up to four words; the other slices are 0.
fn from_slices(slices: &[Word]) -> Word {
    let mut word = Word::default();
    for (bytes, slice) in word.as_chunks_mut::<8>().0.iter_mut().zip(slices) {
        bytes.copy_from_slice(&slice[..8]);
    }
    word
}

#[cfg(test)]
mod tests;

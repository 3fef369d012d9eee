//! The compiler from a parameter set to what the chip is loaded with: register values and
//! constants.
//!
//! A hash on the chip: the state starts as the initial vector plus `(0, x0, x1)`. The full-round
//! sub-engine (number 0) runs the first full rounds and `p0` partial rounds, the partial-round
//! sub-engines 1 to N run `p1 .. pN` partial rounds in turn, and the full-round sub-engine runs the
//! last full rounds. A full round is `state = M * sbox(state) + k`, a partial round
//! `state = S * (sbox(s0), s1, s2) + (k0, 0, 0)` with a sparse S; see [`crate::sparse`].
//!
//! Constants are in Montgomery form with R = 2^260, as canonical residues below the prime. They go
//! to a sub-engine, a bank and an index:
//!
//! | sub-engine | bank | index | constant |
//! |---|---|---|---|
//! | 0 | 3 i + j | 0, 1, 2 + n | row i, column j of: the MDS matrix, the pre-sparse matrix, the matrix of partial round n of this sub-engine (dense) |
//! | 0 | 9 + i | r | element i of the vector added after round r of this sub-engine, counted through first full, partial and last full rounds |
//! | 1 .. N | 0, 1, 2 | round | w of the sparse matrix |
//! | 1 .. N | 3, 4 | round | v of the sparse matrix |
//! | 1 .. N | 5 | round | k0 |
//! | 15 | i | 0 | element i of the initial vector |

use std::collections::HashMap;

use ark_ff::PrimeField;

use crate::params::PoseidonParameters;
use crate::sparse::{SparseError, SparseRounds};
use crate::word::{self, Word};

/// State width of the hash engines of this version of the chip.
pub const CHIP_WIDTH: usize = 3;

/// S-box exponent of this version of the chip.
pub const CHIP_ALPHA: u64 = 5;

/// The chip's Montgomery radix is 2 to the power of this.
pub const MONTGOMERY_BITS: u64 = 260;

/// Number of the sub-engine of full rounds.
pub const FULL_ROUND_ENGINE: u8 = 0;

/// Number under which the initial vector is loaded.
pub const INITIAL_VECTOR: u8 = 15;

/// Mask of both hash engines: bit 0 the leaf hash engine, bit 1 the root hash engine.
pub const BOTH_ENGINES: u8 = 0b11;

/// Bank of the first element of the constant vectors of the full-round sub-engine.
const VECTOR_BANK: u8 = (CHIP_WIDTH * CHIP_WIDTH) as u8;

/// Bank of the first element of the column of a sparse matrix, and of the constant.
const COLUMN_BANK: u8 = CHIP_WIDTH as u8;
const CONSTANT_BANK: u8 = 2 * CHIP_WIDTH as u8 - 1;

/// Indices of the matrices of the full-round sub-engine.
const MDS_INDEX: usize = 0;
const PRE_SPARSE_INDEX: usize = 1;
const FIRST_PARTIAL_INDEX: usize = 2;

/// Largest index that a constant can be loaded at, plus one.
const MAX_DEPTH: usize = 256;

/// What the hash engines of a chip can hold, from its capability registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EngineLimits {
    /// The prime the chip was built for.
    pub prime: Word,
    /// Partial-round sub-engines of a hash engine, 1 to 6.
    pub num_partial: usize,
    /// Matrices that the full-round sub-engine stores.
    pub matrix_depth: usize,
    /// Constant vectors that the full-round sub-engine stores.
    pub constant_depth: usize,
    /// Rounds that a partial-round sub-engine stores.
    pub partial_depth: usize,
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
    /// The value in Montgomery form with R = 2^260, below the prime.
    pub word: Word,
}

/// The run-time configuration of a chip, one value for each register of the same name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChipRegisters {
    /// Tree arity.
    pub arity: u32,
    /// State width.
    pub width: u32,
    /// S-box exponent.
    pub alpha: u32,
    /// Full rounds before the partial rounds.
    pub full_rounds_first: u32,
    /// Full rounds after the partial rounds.
    pub full_rounds_last: u32,
    /// Which state element is the digest.
    pub digest_index: u32,
    /// Partial rounds of sub-engine 0, 1, .. `num_partial`; sub-engine 0 is the full-round one.
    pub partial_rounds: Vec<u32>,
}

impl ChipRegisters {
    /// Cycles that a hash occupies the busiest sub-engine, the steady-state cycles per hash.
    pub fn period(&self) -> u32 {
        let full = self.full_rounds_first + self.full_rounds_last + self.partial_rounds[0];
        self.partial_rounds[1..]
            .iter()
            .copied()
            .fold(full, u32::max)
    }
}

/// A parameter set compiled for a chip.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChipProgram {
    /// The register values.
    pub registers: ChipRegisters,
    /// The constants, in the order of loading.
    pub constants: Vec<ChipConstant>,
}

/// A chip cannot compute with a parameter set, or a program is not complete.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProgramError {
    /// The field is another one.
    #[error(
        "'{name}' is over the prime {}, the chip was built for {}; build it for the other prime",
        word::to_hex(prime),
        word::to_hex(chip)
    )]
    Prime {
        /// Name of the parameter set.
        name: String,
        /// Its prime.
        prime: Word,
        /// The prime of the chip.
        chip: Word,
    },
    /// The state is too wide or narrow.
    #[error(
        "'{name}' has state width {width} (arity {}), this version of the chip has width \
         {CHIP_WIDTH} only; use the software device",
        width - 1
    )]
    Width {
        /// Name of the parameter set.
        name: String,
        /// Its state width.
        width: usize,
    },
    /// The S-box is another one.
    #[error(
        "'{name}' has the S-box x^{alpha}, this version of the chip has x^{CHIP_ALPHA} only; use \
         the software device"
    )]
    Alpha {
        /// Name of the parameter set.
        name: String,
        /// Its exponent.
        alpha: u64,
    },
    /// The tag is not in element 0.
    #[error(
        "'{name}' has its tag in state element {index}, this version of the chip has it in element \
         0; use the software device"
    )]
    TagIndex {
        /// Name of the parameter set.
        name: String,
        /// Index of the tag.
        index: usize,
    },
    /// The partial rounds have no sparse form.
    #[error(transparent)]
    Sparse(#[from] SparseError),
    /// The constant memories are too small.
    #[error(
        "'{name}' has {full_rounds} full and {partial_rounds} partial rounds, more than the \
         constant memories of the chip hold (matrices {}, vectors {}, and {} times {} partial \
         rounds); build it with deeper memories",
        limits.matrix_depth, limits.constant_depth, limits.num_partial, limits.partial_depth
    )]
    TooManyRounds {
        /// Name of the parameter set.
        name: String,
        /// Its full rounds.
        full_rounds: usize,
        /// Its partial rounds.
        partial_rounds: usize,
        /// What the chip holds.
        limits: EngineLimits,
    },
    /// A given split of the partial rounds does not fit.
    #[error(
        "the partial rounds of '{name}' cannot be split as {split:?}: expected {} numbers with the \
         sum {partial_rounds}",
        num_partial + 1
    )]
    Split {
        /// Name of the parameter set.
        name: String,
        /// The split asked for.
        split: Vec<usize>,
        /// Partial-round sub-engines of the chip.
        num_partial: usize,
        /// Partial rounds of the parameter set.
        partial_rounds: usize,
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
    /// A hash takes another number of elements.
    #[error("a hash on the chip takes {} field elements, not {length}", CHIP_WIDTH - 1)]
    InputLength {
        /// Number of elements given.
        length: usize,
    },
}

impl ChipProgram {
    /// Compiles `parameters` for a chip with `limits`, with the split of the partial rounds that
    /// gives the fewest cycles per hash.
    ///
    /// # Errors
    ///
    /// When the chip cannot compute with `parameters`.
    pub fn compile<F: PrimeField>(
        parameters: &PoseidonParameters<F>,
        limits: &EngineLimits,
    ) -> Result<Self, ProgramError> {
        check_shape(parameters, limits)?;
        let split = split_partial_rounds(parameters, limits)
            .ok_or_else(|| too_many_rounds(parameters, limits))?;
        Self::assemble(parameters, &split)
    }

    /// The same with `split[i]` partial rounds on sub-engine i; `split` has one number for the
    /// full-round sub-engine and one for each partial-round sub-engine. Numbers may be 0.
    ///
    /// # Errors
    ///
    /// When the chip cannot compute with `parameters`, or not with this split.
    pub fn compile_split<F: PrimeField>(
        parameters: &PoseidonParameters<F>,
        limits: &EngineLimits,
        split: &[usize],
    ) -> Result<Self, ProgramError> {
        check_shape(parameters, limits)?;
        let sum = split
            .iter()
            .try_fold(0_usize, |sum, &part| sum.checked_add(part));
        if split.len() != limits.num_partial + 1 || sum != Some(parameters.partial_rounds()) {
            return Err(ProgramError::Split {
                name: parameters.name().to_owned(),
                split: split.to_vec(),
                num_partial: limits.num_partial,
                partial_rounds: parameters.partial_rounds(),
            });
        }
        let (full, partial) = capacities(parameters.full_rounds(), limits)
            .ok_or_else(|| too_many_rounds(parameters, limits))?;
        if split[0] > full || split[1..].iter().any(|&part| part > partial) {
            return Err(too_many_rounds(parameters, limits));
        }
        Self::assemble(parameters, split)
    }

    fn assemble<F: PrimeField>(
        parameters: &PoseidonParameters<F>,
        split: &[usize],
    ) -> Result<Self, ProgramError> {
        let rounds = SparseRounds::new(parameters)?;
        let mut loader = Loader::new();
        let mut partial = rounds.partial.iter();
        let on_full_engine: Vec<_> = partial.by_ref().take(split[0]).collect();

        loader.vector(INITIAL_VECTOR, 0, 0, &rounds.initial);
        loader.matrix(MDS_INDEX, parameters.mds());
        loader.matrix(PRE_SPARSE_INDEX, &rounds.pre_sparse);
        for (index, round) in (FIRST_PARTIAL_INDEX..).zip(&on_full_engine) {
            let mut dense = vec![round.matrix.row.clone()];
            dense.extend((1..CHIP_WIDTH).map(|i| {
                let mut row = vec![F::ZERO; CHIP_WIDTH];
                row[0] = round.matrix.column[i - 1];
                row[i] = F::ONE;
                row
            }));
            loader.matrix(index, &dense);
        }
        let partial_vectors = on_full_engine.iter().map(|round| {
            let mut vector = vec![F::ZERO; CHIP_WIDTH];
            vector[0] = round.constant;
            vector
        });
        let vectors = rounds
            .full_first
            .iter()
            .cloned()
            .chain(partial_vectors)
            .chain(rounds.full_last.iter().cloned());
        for (index, vector) in vectors.enumerate() {
            loader.vector(FULL_ROUND_ENGINE, VECTOR_BANK, index, &vector);
        }
        for (sub_engine, &count) in (1..).zip(&split[1..]) {
            for (index, round) in partial.by_ref().take(count).enumerate() {
                loader.vector(sub_engine, 0, index, &round.matrix.row);
                loader.vector(sub_engine, COLUMN_BANK, index, &round.matrix.column);
                loader.constant(sub_engine, CONSTANT_BANK, index, round.constant);
            }
        }
        // All of these were checked to be small.
        let registers = ChipRegisters {
            arity: parameters.arity() as u32,
            width: parameters.width() as u32,
            alpha: parameters.alpha() as u32,
            full_rounds_first: parameters.full_rounds_first() as u32,
            full_rounds_last: parameters.full_rounds_last() as u32,
            digest_index: parameters.digest_index() as u32,
            partial_rounds: split.iter().map(|&part| part as u32).collect(),
        };
        Ok(Self {
            registers,
            constants: loader.constants,
        })
    }

    /// Computes a hash of `inputs` with nothing but the registers and constants of the program, in
    /// the way the chip does.
    ///
    /// # Errors
    ///
    /// When the number of inputs is wrong or the program lacks a constant.
    pub fn evaluate<F: PrimeField>(&self, inputs: &[F]) -> Result<F, ProgramError> {
        if inputs.len() != CHIP_WIDTH - 1 {
            return Err(ProgramError::InputLength {
                length: inputs.len(),
            });
        }
        let memory = Memory::new(&self.constants);
        let registers = &self.registers;
        let mut state = memory.vector(INITIAL_VECTOR, 0, 0)?;
        for (element, &input) in state[1..].iter_mut().zip(inputs) {
            *element += input;
        }

        let mut round = 0;
        let full_round = |state: &mut [F; CHIP_WIDTH], matrix, round: &mut usize| {
            for element in state.iter_mut() {
                *element = element.pow([u64::from(registers.alpha)]);
            }
            memory.dense_round(state, matrix, round)
        };
        for first in 0..registers.full_rounds_first {
            let last = first + 1 == registers.full_rounds_first;
            let matrix = if last { PRE_SPARSE_INDEX } else { MDS_INDEX };
            full_round(&mut state, matrix, &mut round)?;
        }
        for index in 0..registers.partial_rounds[0] as usize {
            state[0] = state[0].pow([u64::from(registers.alpha)]);
            memory.dense_round(&mut state, FIRST_PARTIAL_INDEX + index, &mut round)?;
        }
        for (sub_engine, &count) in (1..).zip(&registers.partial_rounds[1..]) {
            for index in 0..count as usize {
                let [w0, w1, w2] = memory.vector::<F>(sub_engine, 0, index)?;
                let v1 = memory.constant::<F>(sub_engine, COLUMN_BANK, index)?;
                let v2 = memory.constant::<F>(sub_engine, COLUMN_BANK + 1, index)?;
                let k0 = memory.constant::<F>(sub_engine, CONSTANT_BANK, index)?;
                let [s0, s1, s2] = state;
                let x = s0.pow([u64::from(registers.alpha)]);
                state = [w0 * x + w1 * s1 + w2 * s2 + k0, s1 + v1 * x, s2 + v2 * x];
            }
        }
        for _ in 0..registers.full_rounds_last {
            full_round(&mut state, MDS_INDEX, &mut round)?;
        }
        Ok(state[registers.digest_index as usize])
    }
}

fn check_shape<F: PrimeField>(
    parameters: &PoseidonParameters<F>,
    limits: &EngineLimits,
) -> Result<(), ProgramError> {
    let name = parameters.name().to_owned();
    if parameters.prime() != limits.prime {
        let (prime, chip) = (parameters.prime(), limits.prime);
        return Err(ProgramError::Prime { name, prime, chip });
    }
    if parameters.width() != CHIP_WIDTH {
        let width = parameters.width();
        return Err(ProgramError::Width { name, width });
    }
    if parameters.alpha() != CHIP_ALPHA {
        let alpha = parameters.alpha();
        return Err(ProgramError::Alpha { name, alpha });
    }
    if parameters.tag_index() != 0 {
        let index = parameters.tag_index();
        return Err(ProgramError::TagIndex { name, index });
    }
    Ok(())
}

fn too_many_rounds<F: PrimeField>(
    parameters: &PoseidonParameters<F>,
    limits: &EngineLimits,
) -> ProgramError {
    ProgramError::TooManyRounds {
        name: parameters.name().to_owned(),
        full_rounds: parameters.full_rounds(),
        partial_rounds: parameters.partial_rounds(),
        limits: *limits,
    }
}

/// Partial rounds that the full-round sub-engine can store beside the full rounds, and those that
/// a partial-round sub-engine can store; `None` when not even the full rounds fit.
fn capacities(full_rounds: usize, limits: &EngineLimits) -> Option<(usize, usize)> {
    let matrices = limits
        .matrix_depth
        .min(MAX_DEPTH)
        .checked_sub(FIRST_PARTIAL_INDEX)?;
    let vectors = limits
        .constant_depth
        .min(MAX_DEPTH)
        .checked_sub(full_rounds)?;
    Some((matrices.min(vectors), limits.partial_depth.min(MAX_DEPTH)))
}

/// Splits the partial rounds so that the busiest sub-engine has as few rounds as possible, and
/// among those splits the full-round sub-engine as few, and the others as even as possible.
fn split_partial_rounds<F: PrimeField>(
    parameters: &PoseidonParameters<F>,
    limits: &EngineLimits,
) -> Option<Vec<usize>> {
    let full_rounds = parameters.full_rounds();
    let rounds = parameters.partial_rounds();
    let (full, partial) = capacities(full_rounds, limits)?;
    let on_partial = |period: usize| limits.num_partial * period.min(partial);
    let period = (full_rounds..=full_rounds + rounds)
        .find(|&period| full.min(period - full_rounds) + on_partial(period) >= rounds)?;
    let rest = rounds.min(on_partial(period));
    let mut split = vec![rounds - rest];
    split.extend(
        (0..limits.num_partial)
            .map(|i| rest / limits.num_partial + usize::from(i < rest % limits.num_partial)),
    );
    Some(split)
}

/// Collects constants in the chip's form.
struct Loader {
    constants: Vec<ChipConstant>,
}

impl Loader {
    fn new() -> Self {
        Self {
            constants: Vec::new(),
        }
    }

    fn constant<F: PrimeField>(&mut self, sub_engine: u8, bank: u8, index: usize, value: F) {
        self.constants.push(ChipConstant {
            engine_mask: BOTH_ENGINES,
            sub_engine,
            bank,
            index: u8::try_from(index).expect("the depths were checked"),
            word: word::from_field(value * montgomery_radix::<F>()),
        });
    }

    fn vector<F: PrimeField>(&mut self, sub_engine: u8, bank: u8, index: usize, vector: &[F]) {
        for (bank, &value) in (bank..).zip(vector) {
            self.constant(sub_engine, bank, index, value);
        }
    }

    fn matrix<F: PrimeField>(&mut self, index: usize, matrix: &[Vec<F>]) {
        self.vector(FULL_ROUND_ENGINE, 0, index, &matrix.concat());
    }
}

fn montgomery_radix<F: PrimeField>() -> F {
    F::from(2_u64).pow([MONTGOMERY_BITS])
}

/// The constant memories of a hash engine.
struct Memory {
    words: HashMap<(u8, u8, usize), Word>,
}

impl Memory {
    fn new(constants: &[ChipConstant]) -> Self {
        let place = |c: &ChipConstant| (c.sub_engine, c.bank, usize::from(c.index));
        Self {
            words: constants.iter().map(|c| (place(c), c.word)).collect(),
        }
    }

    fn constant<F: PrimeField>(
        &self,
        sub_engine: u8,
        bank: u8,
        index: usize,
    ) -> Result<F, ProgramError> {
        let inverse = montgomery_radix::<F>()
            .inverse()
            .expect("2 is no multiple of the prime");
        self.words
            .get(&(sub_engine, bank, index))
            .and_then(word::to_field::<F>)
            .map(|value| value * inverse)
            .ok_or(ProgramError::MissingConstant {
                sub_engine,
                bank,
                index,
            })
    }

    fn vector<F: PrimeField>(
        &self,
        sub_engine: u8,
        bank: u8,
        index: usize,
    ) -> Result<[F; CHIP_WIDTH], ProgramError> {
        let mut vector = [F::ZERO; CHIP_WIDTH];
        for (bank, element) in (bank..).zip(&mut vector) {
            *element = self.constant(sub_engine, bank, index)?;
        }
        Ok(vector)
    }

    /// Matrix `matrix` and the vector of round `round` of the full-round sub-engine.
    fn dense_round<F: PrimeField>(
        &self,
        state: &mut [F; CHIP_WIDTH],
        matrix: usize,
        round: &mut usize,
    ) -> Result<(), ProgramError> {
        let old = *state;
        *state = self.vector(FULL_ROUND_ENGINE, VECTOR_BANK, *round)?;
        for (row_bank, element) in (0..).step_by(CHIP_WIDTH).zip(state) {
            let row: [F; CHIP_WIDTH] = self.vector(FULL_ROUND_ENGINE, row_bank, matrix)?;
            *element += row
                .iter()
                .zip(old)
                .map(|(&entry, old)| entry * old)
                .sum::<F>();
        }
        *round += 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ark_bls12_381::Fr;
    use ark_ff::{AdditiveGroup, Field};
    use proptest::prelude::*;

    use crate::params::PoseidonSpecification;
    use crate::poseidon::hash_dense;
    use crate::presets;

    fn limits(num_partial: usize) -> EngineLimits {
        EngineLimits {
            prime: word::prime::<Fr>(),
            num_partial,
            matrix_depth: 64,
            constant_depth: 64,
            partial_depth: 64,
        }
    }

    fn filecoin() -> &'static PoseidonParameters<Fr> {
        presets::by_name("filecoin-arity-2").unwrap()
    }

    /// Filecoin's matrix and constants with other numbers of rounds and another digest.
    fn with_rounds(
        [first, partial, last]: [usize; 3],
        digest_index: usize,
    ) -> PoseidonParameters<Fr> {
        let specification = filecoin().specification();
        let rounds = first + partial + last;
        let constants = &specification.round_constants;
        PoseidonParameters::new(PoseidonSpecification {
            full_rounds_first: first,
            partial_rounds: partial,
            full_rounds_last: last,
            round_constants: constants.iter().cycle().take(rounds).cloned().collect(),
            digest_index,
            ..specification.clone()
        })
        .unwrap()
    }

    #[test]
    fn split_of_filecoin() {
        for (num_partial, split, period) in [
            (1, vec![23, 32], 32),
            (2, vec![13, 21, 21], 21),
            (3, vec![7, 16, 16, 16], 16),
            (4, vec![3, 13, 13, 13, 13], 13),
            (6, vec![1, 9, 9, 9, 9, 9, 9], 9),
        ] {
            let registers = ChipProgram::compile(filecoin(), &limits(num_partial))
                .unwrap()
                .registers;
            assert_eq!(registers.partial_rounds, split);
            assert_eq!(registers.period(), period);
        }
    }

    #[test]
    fn split_respects_the_memories() {
        let shallow = EngineLimits {
            partial_depth: 10,
            ..limits(3)
        };
        let registers = ChipProgram::compile(filecoin(), &shallow)
            .unwrap()
            .registers;
        assert_eq!(registers.partial_rounds, [25, 10, 10, 10]);
        for limits in [
            EngineLimits {
                matrix_depth: 26,
                ..shallow
            },
            EngineLimits {
                constant_depth: 32,
                ..shallow
            },
            EngineLimits {
                matrix_depth: 1,
                ..shallow
            },
        ] {
            let error = ChipProgram::compile(filecoin(), &limits).unwrap_err();
            assert!(
                matches!(error, ProgramError::TooManyRounds { .. }),
                "{error}"
            );
        }
        let exact = EngineLimits {
            matrix_depth: 27,
            constant_depth: 33,
            ..shallow
        };
        assert!(ChipProgram::compile(filecoin(), &exact).is_ok());
    }

    #[test]
    fn constants_are_in_place_and_in_montgomery_form() {
        let program = ChipProgram::compile(filecoin(), &limits(3)).unwrap();
        // 3 initial, 2 + 7 matrices, 8 + 7 vectors, 48 partial rounds.
        assert_eq!(program.constants.len(), 3 + 9 * 9 + 15 * 3 + 48 * 6);
        let mut places: Vec<_> = program
            .constants
            .iter()
            .map(|c| (c.sub_engine, c.bank, c.index))
            .collect();
        places.sort_unstable();
        places.dedup();
        assert_eq!(places.len(), program.constants.len());
        // mds[2][1] * 2^260 = 2^260 / 6
        let mds = program
            .constants
            .iter()
            .find(|c| (c.sub_engine, c.bank, c.index) == (0, 7, 0))
            .unwrap();
        assert_eq!(mds.engine_mask, BOTH_ENGINES);
        let expected = Fr::from(2).pow([260]) / Fr::from(6);
        assert_eq!(mds.word, word::from_field(expected));
    }

    #[test]
    fn unsupported_parameters_are_named() {
        let wide = presets::by_name("filecoin-arity-4").unwrap();
        let message = ChipProgram::compile(wide, &limits(3))
            .unwrap_err()
            .to_string();
        assert!(
            message.contains("'filecoin-arity-4' has state width 5 (arity 4)"),
            "{message}"
        );

        let specification = filecoin().specification();
        let seventh = PoseidonSpecification {
            alpha: 7,
            ..specification.clone()
        };
        let seventh = PoseidonParameters::new(seventh).unwrap();
        let message = ChipProgram::compile(&seventh, &limits(3))
            .unwrap_err()
            .to_string();
        assert!(message.contains("x^7"), "{message}");

        let tag = PoseidonSpecification {
            tag_index: 2,
            ..specification.clone()
        };
        let tag = PoseidonParameters::new(tag).unwrap();
        let message = ChipProgram::compile(&tag, &limits(3))
            .unwrap_err()
            .to_string();
        assert!(message.contains("tag in state element 2"), "{message}");

        let other = EngineLimits {
            prime: word::from_u64(7),
            ..limits(3)
        };
        let message = ChipProgram::compile(filecoin(), &other)
            .unwrap_err()
            .to_string();
        assert!(message.contains("the chip was built for 0x0"), "{message}");

        for split in [
            vec![55, 0, 0],
            vec![7, 16, 16, 17],
            vec![usize::MAX, 56, 0, 0],
        ] {
            let error = ChipProgram::compile_split(filecoin(), &limits(3), &split).unwrap_err();
            assert!(matches!(error, ProgramError::Split { .. }), "{error}");
        }
    }

    #[test]
    fn an_incomplete_program_is_refused() {
        let program = ChipProgram::compile(filecoin(), &limits(3)).unwrap();
        for missing in 0..program.constants.len() {
            let mut program = program.clone();
            program.constants.remove(missing);
            let error = program.evaluate(&[Fr::ZERO; 2]).unwrap_err();
            assert!(
                matches!(error, ProgramError::MissingConstant { .. }),
                "{error}"
            );
        }
        assert_eq!(
            program.evaluate(&[Fr::ZERO]),
            Err(ProgramError::InputLength { length: 1 })
        );
    }

    #[test]
    fn no_partial_rounds_and_odd_halves() {
        for rounds in [
            [4, 0, 4],
            [28, 0, 27],
            [55, 0, 0],
            [5, 7, 2],
            [1, 1, 0],
            [0, 0, 3],
        ] {
            for digest_index in 0..3 {
                let parameters = with_rounds(rounds, digest_index);
                let program = ChipProgram::compile(&parameters, &limits(3)).unwrap();
                let inputs = [Fr::from(3), -Fr::ONE];
                assert_eq!(
                    program.evaluate(&inputs).unwrap(),
                    hash_dense(&parameters, &inputs).unwrap(),
                    "{rounds:?}, digest {digest_index}"
                );
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn any_split_gives_the_digest(
            first in 1_usize..6,
            last in 0_usize..6,
            digest_index in 0_usize..3,
            split in prop::collection::vec(
                prop_oneof![Just(0_usize), 1_usize..4, 4_usize..20],
                2..=7,
            ),
            inputs in any::<[u64; 2]>(),
        ) {
            let partial = split.iter().sum();
            let parameters = with_rounds([first, partial, last], digest_index);
            let inputs = inputs.map(|n| Fr::from(n).pow([n | 1, n, 1]));
            let limits = limits(split.len() - 1);
            let program = ChipProgram::compile_split(&parameters, &limits, &split).unwrap();
            prop_assert_eq!(
                program.evaluate(&inputs).unwrap(),
                hash_dense(&parameters, &inputs).unwrap()
            );
        }
    }
}

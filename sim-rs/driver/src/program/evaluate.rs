//! The interpreter of programs: what the chip computes, step by step, from registers and constants
//! alone.
//!
//! It follows the hardware to the beat, the step and the memory entry, so it says what the hardware
//! must do; only the order in which different hashes take turns, the pipelines, and the Montgomery
//! form of values on their way are left out.

use std::collections::HashMap;

use ark_ff::PrimeField;
use num_bigint::BigUint;

use super::error::ProgramError;
use super::limits::EngineLimits;
use super::registers::{
    ChipConstant, ChipRegisters, INITIAL_VECTOR, LATER_VECTOR_INDEX, PARTIAL_COLUMN_BANK,
    PARTIAL_CONSTANT_BANK, RowRegisters, VECTOR_BANK, position,
};
use super::shape::{FIRST_FULL, LANES, MAX_ELEMENTS, SECOND_FULL, SLICES, Shape};
use super::words::{from_slices, montgomery_radix, slices};
use acclmt_poseidon::fields::FieldId;
use acclmt_poseidon::with_field;
use acclmt_poseidon::word::{self, Word};

/// The elements of a state in the order of the chip: element 3 hi + lane is in lane `lane`, and
/// there in beat `hi`, or in Goldilocks mode in slice `hi` of the only beat.
type State<F> = [F; MAX_ELEMENTS];

/// A hash engine with its registers and constant memories.
pub struct Interpreter<'a, F> {
    registers: &'a ChipRegisters,
    shape: Shape,
    num_full: usize,
    /// Contents of the constant memories by sub-engine, bank and index: the slices of a word, of
    /// which the large prime has one. `None` stands for a word that is not canonical; there may be
    /// such in places that the program does not use.
    memory: HashMap<(u8, u8, usize), Option<[F; SLICES]>>,
}

impl<'a, F: PrimeField> Interpreter<'a, F> {
    /// A hash engine of a chip with `limits`. The register values are legal.
    pub fn new(
        registers: &'a ChipRegisters,
        constants: &[ChipConstant],
        limits: &EngineLimits,
    ) -> Self {
        let shape = registers.shape();
        let inverse = montgomery_radix::<F>(limits.montgomery_bits)
            .inverse()
            .expect("2 is no multiple of the prime");
        let value = |constant: &ChipConstant| {
            if shape.goldilocks {
                let mut elements = [F::ZERO; SLICES];
                for (element, slice) in elements.iter_mut().zip(slices(&constant.word)) {
                    *element = word::to_field(&slice)?;
                }
                return Some(elements);
            }
            let element: F = word::to_field(&constant.word)?;
            Some([element * inverse, F::ZERO, F::ZERO, F::ZERO])
        };
        let memory = constants.iter().map(|constant| {
            let place = (constant.sub_engine, constant.bank, constant.index.into());
            (place, value(constant))
        });
        Self {
            registers,
            shape,
            num_full: limits.num_full,
            memory: memory.collect(),
        }
    }

    /// The digest words of the hash of `input`, as many stream words as `INPUT_WORDS` says.
    pub fn hash(&self, input: &[Word]) -> Result<Vec<Word>, ProgramError> {
        let mut state = self.vector(0)?;
        self.absorb(&mut state, input, &self.registers.input_map, false)?;
        self.permute(&mut state, true)?;
        Ok(self.digest(&state))
    }

    /// The digest words of the row with these blocks.
    pub fn row(&self, blocks: &[&[Word]], rows: &RowRegisters) -> Result<Vec<Word>, ProgramError> {
        let mut state = [F::ZERO; MAX_ELEMENTS];
        for (number, block) in blocks.iter().enumerate() {
            let is_last = number + 1 == blocks.len();
            let map = if is_last {
                &rows.last_map
            } else {
                &self.registers.input_map
            };
            self.absorb(&mut state, block, map, rows.overwrite && number > 0)?;
            let vector = self.vector(if number == 0 { 0 } else { LATER_VECTOR_INDEX })?;
            for (element, constant) in state.iter_mut().zip(vector) {
                *element += constant;
            }
            self.permute(&mut state, is_last)?;
        }
        Ok(self.digest(&state))
    }

    /// The permutation; of a final state, only the beats of the digest.
    fn permute(&self, state: &mut State<F>, is_final: bool) -> Result<(), ProgramError> {
        let registers = self.registers;
        let mut round = 0;
        for left in (0..registers.full_rounds_first).rev() {
            let matrix = usize::from(left == 0);
            self.full_round(
                state,
                FIRST_FULL as u8,
                matrix,
                &mut round,
                self.shape.beats(),
            )?;
        }
        self.partial_rounds_on_full(state, FIRST_FULL, &mut round)?;
        for engine in FIRST_FULL + 1..SECOND_FULL {
            for index in 0..registers.partial_rounds[engine] as usize {
                self.partial_round(state, engine as u8, index)?;
            }
        }
        let last = if self.num_full > 1 {
            round = 0;
            self.partial_rounds_on_full(state, SECOND_FULL, &mut round)?;
            SECOND_FULL
        } else {
            FIRST_FULL
        };
        for left in (0..registers.full_rounds_last).rev() {
            let beats = if left == 0 && is_final {
                self.shape.last_beats()
            } else {
                self.shape.beats()
            };
            self.full_round(state, last as u8, 0, &mut round, beats)?;
        }
        Ok(())
    }

    fn partial_rounds_on_full(
        &self,
        state: &mut State<F>,
        engine: usize,
        round: &mut usize,
    ) -> Result<(), ProgramError> {
        for index in 0..self.registers.partial_rounds[engine] as usize {
            let engine = engine as u8;
            state[0] = self.s_box(state[0]);
            let sparse = 2 * self.shape.matrix_entries() + index * self.shape.sparse_entries();
            *state = if self.shape.dense {
                self.multiply(state, engine, 0, self.shape.beats())?
            } else if self.shape.beats() == 1 {
                self.multiply(state, engine, sparse, 1)?
            } else {
                self.multiply_sparse(state, engine, sparse)?
            };
            self.add_vector(state, engine, VECTOR_BANK, *round, self.shape.beats())?;
            *round += 1;
        }
        Ok(())
    }

    fn full_round(
        &self,
        state: &mut State<F>,
        engine: u8,
        matrix: usize,
        round: &mut usize,
        beats: usize,
    ) -> Result<(), ProgramError> {
        let after = state.map(|element| self.s_box(element));
        let base = matrix * self.shape.matrix_entries();
        *state = self.multiply(&after, engine, base, beats)?;
        self.add_vector(state, engine, VECTOR_BANK, *round, beats)?;
        *round += 1;
        Ok(())
    }

    fn s_box(&self, element: F) -> F {
        element.pow([self.shape.alpha])
    }

    /// The nine multipliers of a full-round sub-engine with a dense matrix, whose memory entries
    /// begin at `base`: multiplier 3 i + j multiplies lane j for row i of a group of three. The first
    /// `beats` beats are made, the others are zero.
    fn multiply(
        &self,
        state: &State<F>,
        engine: u8,
        base: usize,
        beats: usize,
    ) -> Result<State<F>, ProgramError> {
        let shape = self.shape;
        let mut result = [F::ZERO; MAX_ELEMENTS];
        for beat in 0..beats {
            for step in 0..shape.steps() {
                let index = base + beat * shape.steps() + step;
                for (i, j) in (0..LANES).flat_map(|i| (0..LANES).map(move |j| (i, j))) {
                    let entry = self.read(engine, (LANES * i + j) as u8, index)?;
                    // In Goldilocks mode one of the slices, for all multipliers of the lane.
                    let element = state[LANES * step + j];
                    if shape.goldilocks {
                        for (slice, entry) in entry.into_iter().enumerate() {
                            result[LANES * slice + i] += entry * element;
                        }
                    } else {
                        result[LANES * beat + i] += entry[0] * element;
                    }
                }
            }
        }
        Ok(result)
    }

    /// The nine multipliers of a full-round sub-engine with a sparse matrix over several beats:
    /// row 0 accumulates the first row, the others have the first column and the identity.
    fn multiply_sparse(
        &self,
        state: &State<F>,
        engine: u8,
        base: usize,
    ) -> Result<State<F>, ProgramError> {
        let mut result = [F::ZERO; MAX_ELEMENTS];
        let first = state[0];
        for beat in 0..self.shape.beats() {
            let entry = |bank| Ok::<_, ProgramError>(self.read(engine, bank, base + beat)?[0]);
            let [lane_0, lane_1, lane_2] = [0, 1, 2].map(|lane| state[LANES * beat + lane]);
            result[0] += entry(0)? * lane_0 + entry(1)? * lane_1 + entry(2)? * lane_2;
            // Multipliers (1, 2) and (2, 1) are free in a sparse round and do lane 0.
            let next = entry(5)? * first + entry(7)? * lane_0;
            if beat == 0 {
                if !next.is_zero() {
                    return Err(ProgramError::SparseEntry { engine, base });
                }
            } else {
                result[LANES * beat] = next;
            }
            result[LANES * beat + 1] = entry(3)? * first + entry(4)? * lane_1;
            result[LANES * beat + 2] = entry(6)? * first + entry(8)? * lane_2;
        }
        Ok(result)
    }

    /// A round of a partial-round sub-engine: three multipliers accumulate the new element 0, three
    /// add multiples of the S-box's result to the others.
    fn partial_round(
        &self,
        state: &mut State<F>,
        engine: u8,
        round: usize,
    ) -> Result<(), ProgramError> {
        let beats = self.shape.beats();
        let slices = if self.shape.goldilocks { SLICES } else { 1 };
        let first = self.s_box(state[0]);
        state[0] = first;
        let mut sum = F::ZERO;
        for beat in 0..beats {
            let index = round * beats + beat;
            for lane in 0..LANES {
                let row = self.read(engine, lane as u8, index)?;
                let column = self.read(engine, PARTIAL_COLUMN_BANK + lane as u8, index)?;
                for slice in 0..slices {
                    let element = &mut state[LANES * (beat + slice) + lane];
                    sum += row[slice] * *element;
                    *element += column[slice] * first;
                }
            }
        }
        state[0] = sum + self.read(engine, PARTIAL_CONSTANT_BANK, round)?[0];
        Ok(())
    }

    /// The initial vector at the entries from `base`.
    fn vector(&self, base: usize) -> Result<State<F>, ProgramError> {
        let mut state = [F::ZERO; MAX_ELEMENTS];
        self.add_vector_at(&mut state, INITIAL_VECTOR, 0, base, self.shape.beats())?;
        Ok(state)
    }

    /// Adds the first `beats` beats of the vector that begins in `bank` of `engine`, entry `number * B`.
    fn add_vector(
        &self,
        state: &mut State<F>,
        engine: u8,
        bank: u8,
        number: usize,
        beats: usize,
    ) -> Result<(), ProgramError> {
        self.add_vector_at(state, engine, bank, number * self.shape.beats(), beats)
    }

    fn add_vector_at(
        &self,
        state: &mut State<F>,
        engine: u8,
        bank: u8,
        base: usize,
        beats: usize,
    ) -> Result<(), ProgramError> {
        for beat in 0..beats {
            for lane in 0..LANES {
                let entry = self.read(engine, bank + lane as u8, base + beat)?;
                if self.shape.goldilocks {
                    for (slice, entry) in entry.into_iter().enumerate() {
                        state[LANES * slice + lane] += entry;
                    }
                } else {
                    state[LANES * beat + lane] += entry[0];
                }
            }
        }
        Ok(())
    }

    /// Adds the elements of `input` to the positions that `map` says, or puts them there.
    fn absorb(
        &self,
        state: &mut State<F>,
        input: &[Word],
        map: &[u32; 2],
        overwrite: bool,
    ) -> Result<(), ProgramError> {
        let words = input.iter().flat_map(|word| {
            if self.shape.goldilocks {
                slices(word).to_vec()
            } else {
                vec![*word]
            }
        });
        for (number, word) in words.enumerate() {
            let element: F = word::to_field(&word).ok_or(ProgramError::InputNotBelowPrime {
                word: number / if self.shape.goldilocks { SLICES } else { 1 },
            })?;
            if let Some(position) = position(map, number) {
                let kept = if overwrite { F::ZERO } else { state[position] };
                state[position] = kept + element;
            }
        }
        Ok(())
    }

    /// The elements that the digest map names.
    fn digest(&self, state: &State<F>) -> Vec<Word> {
        let element = |number| {
            position(&self.registers.digest_map, number)
                .map_or_else(Word::default, |position| word::from_field(state[position]))
        };
        (0..self.registers.digest_words as usize)
            .map(|word| {
                if self.shape.goldilocks {
                    from_slices(&[0, 1, 2, 3].map(|slice| element(SLICES * word + slice)))
                } else {
                    element(word)
                }
            })
            .collect()
    }

    fn read(&self, sub_engine: u8, bank: u8, index: usize) -> Result<[F; SLICES], ProgramError> {
        match self.memory.get(&(sub_engine, bank, index)) {
            Some(Some(value)) => Ok(*value),
            Some(None) => Err(ProgramError::ConstantNotBelowPrime {
                sub_engine,
                bank,
                index,
            }),
            None => Err(ProgramError::MissingConstant {
                sub_engine,
                bank,
                index,
            }),
        }
    }
}

/// Computes the hashes of `words` like a chip with `limits` that holds `registers` and `constants`,
/// where the large prime is that of `field`; see [`ChipProgram::evaluate`](super::ChipProgram::evaluate).
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

/// Computes the digests of rows like the leaf hash engine of a chip with `limits` that holds
/// `registers`, `rows` and `constants`, from the stream words of `count` rows; see
/// [`evaluate`](super::evaluate()).
///
/// # Errors
///
/// When the chip would refuse a register value, the number of words is wrong, one is not canonical,
/// or a constant is missing.
pub fn evaluate_rows(
    field: FieldId,
    registers: &ChipRegisters,
    rows: &RowRegisters,
    constants: &[ChipConstant],
    limits: &EngineLimits,
    words: &[Word],
    count: usize,
) -> Result<Vec<Word>, ProgramError> {
    registers.check(limits)?;
    let (blocks, block_words) = (rows.blocks as usize, registers.arity as usize);
    let expected = count * ((blocks - 1) * block_words + rows.last_words as usize);
    if words.len() != expected {
        return Err(ProgramError::InputLength {
            length: words.len(),
            expected,
        });
    }
    if let Some(word) = first_word_not_canonical(field, words) {
        return Err(ProgramError::InputNotBelowPrime { word });
    }
    with_field!(field, F => {
        let interpreter = Interpreter::<F>::new(registers, constants, limits);
        let mut digests = Vec::new();
        let mut rest = words;
        let mut left = count;
        while left > 0 {
            let group = left.min(rows.group as usize);
            let mut group_rows = vec![Vec::new(); group];
            for block in 0..blocks {
                let is_last = block + 1 == blocks;
                let length = if is_last { rows.last_words as usize } else { block_words };
                for row in &mut group_rows {
                    let (block, after) = rest.split_at(length);
                    row.push(block);
                    rest = after;
                }
            }
            for row in &group_rows {
                digests.extend(interpreter.row(row, rows)?);
            }
            left -= group;
        }
        Ok(digests)
    })
}

/// The stream word with the value of a constant `word`, which a chip with `limits` holds in Montgomery form if
/// `field` is one of the large prime.
pub fn plain_word(field: FieldId, limits: &EngineLimits, word: &Word) -> Word {
    if field == FieldId::Goldilocks {
        return *word;
    }
    let modulus = BigUint::from_bytes_le(&field.prime());
    // 2^-1 is (p + 1) / 2.
    let half = (&modulus + 1_u32) >> 1_u32;
    let inverse = half.modpow(&limits.montgomery_bits.into(), &modulus);
    let bytes = (BigUint::from_bytes_le(word) * inverse % modulus).to_bytes_le();
    let mut plain = Word::default();
    plain[..bytes.len()].copy_from_slice(&bytes);
    plain
}

/// Index of the first of `words` of which an element is not below the prime.
fn first_word_not_canonical(field: FieldId, words: &[Word]) -> Option<usize> {
    let prime = field.prime();
    words.iter().position(|word| {
        if field == FieldId::Goldilocks {
            !slices(word)
                .iter()
                .all(|slice| word::is_below(slice, &prime))
        } else {
            !word::is_below(word, &prime)
        }
    })
}

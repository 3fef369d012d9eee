//! The interpreter of programs: what the chip computes, step by step, from registers and constants
//! alone.
//!
//! It follows the hardware to the beat, the step and the memory entry, so it says what the hardware
//! must do; only the order in which different hashes take turns, the pipelines, the Montgomery
//! form of values on their way, and that the hardware adds before it reduces are left out.

use std::collections::HashMap;

use ark_ff::PrimeField;
use num_bigint::BigUint;

use super::adders::{ADDER_BANK, DENSE_BANK, DENSE_OF_VISIT, add_rows};
use super::error::ProgramError;
use super::limits::EngineLimits;
use super::pass_table::{PASS_BANK, PassEntry, PassTable, ProgramFault, Store};
use super::registers::{
    ChipConstant, ChipRegisters, INITIAL_VECTOR, LATER_VECTOR_INDEX, ODD_BANK,
    PARTIAL_CONSTANT_BANK, PARTIAL_OUTPUT_BANK, PositionMap, RowRegisters, VECTOR_BANK, position,
};
use super::shape::{FIRST_FULL, LANES, MAX_ELEMENTS, SECOND_FULL, SLICES, Shape, in_word};
use super::words::{from_slices, montgomery_radix, slices};
use acclmt_poseidon::fields::FieldId;
use acclmt_poseidon::with_field;
use acclmt_poseidon::word::{self, Word};

/// The elements of a state in the order of the chip: element 3 group + lane is in lane `lane`, and there in beat
/// `group`, or in Goldilocks mode in slice `group` mod 4 of beat `group` div 4.
type State<F> = [F; MAX_ELEMENTS];

/// A hash engine with its registers and constant memories.
pub struct Interpreter<'a, F> {
    registers: &'a ChipRegisters,
    shape: Shape,
    /// The passes of both visits: the sub-engine, the entry, and the beat of the constant vector.
    passes: [Vec<(u8, PassEntry, usize)>; 2],
    /// Contents of the constant memories by sub-engine, bank and index: the slices of a word, of
    /// which the large prime has one. `None` stands for a word that is not canonical; there may be
    /// such in places that the program does not use.
    memory: HashMap<(u8, u8, usize), Option<[F; SLICES]>>,
    /// Words of the adders by sub-engine and index, as they are loaded.
    rows: HashMap<(u8, usize), Word>,
}

impl<'a, F: PrimeField> Interpreter<'a, F> {
    /// A hash engine of a chip with `limits`, as parameter set `set` sees its constants. The register values are
    /// legal.
    pub fn new(
        registers: &'a ChipRegisters,
        constants: &[ChipConstant],
        set: usize,
        limits: &EngineLimits,
    ) -> Result<Self, ProgramError> {
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
        let last_engine = if limits.num_full > 1 {
            SECOND_FULL
        } else {
            FIRST_FULL
        };
        let visit = |visit: usize, engine: usize| {
            let passes = passes_of(constants, engine, set, visit, shape, limits)?;
            let passes = passes.into_iter();
            Ok::<_, ProgramError>(
                passes
                    .map(|(entry, vector)| (engine as u8, entry, vector))
                    .collect(),
            )
        };
        Ok(Self {
            registers,
            shape,
            passes: [visit(0, FIRST_FULL)?, visit(1, last_engine)?],
            memory: memory.collect(),
            rows: (constants.iter())
                .filter(|constant| constant.bank == ADDER_BANK)
                .map(|constant| ((constant.sub_engine, constant.index.into()), constant.word))
                .collect(),
        })
    }

    /// The digest words of the hash of `input`, as many stream words as `INPUT_WORDS` says.
    pub fn hash(&self, input: &[Word]) -> Result<Vec<Word>, ProgramError> {
        let mut state = self.vector(0)?;
        self.absorb(&mut state, input, &self.registers.input_map, MAX_ELEMENTS)?;
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
            // Elements that are added to those of the state; nothing is there yet for a first block.
            let added = match rows.close_from as usize {
                _ if number == 0 => MAX_ELEMENTS,
                _ if rows.overwrite => 0,
                from if is_last && from != 0 => from,
                _ => MAX_ELEMENTS,
            };
            self.absorb(&mut state, block, map, added)?;
            let vector = self.vector(if number == 0 { 0 } else { LATER_VECTOR_INDEX })?;
            for (element, constant) in state.iter_mut().zip(vector) {
                *element += constant;
            }
            self.permute(&mut state, is_last)?;
        }
        Ok(self.digest(&state))
    }

    /// The permutation; of a final state, no more than beat 0 where the last round is short.
    fn permute(&self, state: &mut State<F>, is_final: bool) -> Result<(), ProgramError> {
        let [first, last] = &self.passes;
        let mut base = [F::ZERO; MAX_ELEMENTS];
        for (number, pass) in first.iter().enumerate() {
            self.pass(
                state,
                &mut base,
                pass,
                (number + 1 == first.len()).then_some(0),
            )?;
        }
        if self.shape.recurrent {
            self.recurrence(state)?;
        }
        for (number, pass) in last.iter().enumerate() {
            if number + 1 == last.len() && is_final && self.shape.is_short() {
                self.short_round(state, &mut base, pass)?;
            } else {
                self.pass(state, &mut base, pass, (number == 0).then_some(1))?;
            }
        }
        Ok(())
    }

    /// A pass of a full-round sub-engine. Where adders make layers, the dense one of visit `dense` has constants of
    /// its own.
    fn pass(
        &self,
        state: &mut State<F>,
        base: &mut State<F>,
        (engine, entry, vector): &(u8, PassEntry, usize),
        dense: Option<usize>,
    ) -> Result<(), ProgramError> {
        s_boxes(state, base, self.shape, entry);
        let (bank, index) = match dense {
            Some(visit) if self.shape.adders => (DENSE_BANK, DENSE_OF_VISIT * visit),
            _ => (VECTOR_BANK, *vector),
        };
        *state = if self.shape.adders && dense.is_none() {
            self.add(state, *engine)?
        } else {
            self.multiply(state, *engine, entry.matrix.into())?
        };
        if entry.add {
            self.add_vector(state, *engine, bank, index, self.shape.beats())?;
        }
        Ok(())
    }

    /// The adders of a full-round sub-engine.
    fn add(&self, state: &State<F>, engine: u8) -> Result<State<F>, ProgramError> {
        let word = |index| self.rows.get(&(engine, index));
        let rows = add_rows(word, self.shape.beats(), state);
        let rows = rows.map_err(|index| ProgramError::MissingConstant {
            sub_engine: engine,
            bank: ADDER_BANK,
            index,
        })?;
        let mut result = [F::ZERO; MAX_ELEMENTS];
        result[..rows.len()].copy_from_slice(&rows);
        Ok(result)
    }

    fn s_box(&self, element: F) -> F {
        element.pow([self.shape.alpha])
    }

    /// The nine multipliers of a full-round sub-engine: multiplier 3 i + j has the products of lane j for row i of a
    /// group of three. A step takes an even group and the odd one behind it. An element of each makes a pair
    /// with one product for two entries of a row, beside one that all rows share,
    ///
    /// ```text
    /// (A + odd) (B + even) + (p - even) odd = A even + B odd + A B        modulo p
    /// ```
    ///
    /// whose last term has been taken off the vector behind the matrix. In large-prime mode an even group that is the
    /// last one has single elements.
    fn multiply(
        &self,
        state: &State<F>,
        engine: u8,
        matrix: usize,
    ) -> Result<State<F>, ProgramError> {
        let shape = self.shape;
        let mut result = [F::ZERO; MAX_ELEMENTS];
        let mut shared = F::ZERO;
        for (step, j) in self.steps_and_lanes() {
            let (even, odd) = self.pair(state, step, j);
            if let Some(odd) = odd {
                shared += -even * odd;
            }
        }
        for beat in 0..shape.beats() {
            for i in 0..LANES {
                // In Goldilocks mode a slice has a row of its own.
                let mut sums = [shared; SLICES];
                for (step, j) in self.steps_and_lanes() {
                    let index = matrix + beat * shape.steps() + step;
                    let [a, b] = self.coefficients(engine, i, j, index)?;
                    let (even, odd) = self.pair(state, step, j);
                    for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
                        *sum += match odd {
                            Some(odd) => (a + odd) * (b + even),
                            None => a * even,
                        };
                    }
                }
                for (place, sum) in shape.places(beat, i).zip(sums) {
                    result[place] = sum;
                }
            }
        }
        Ok(result)
    }

    /// The last full round of a final state where the digest is in beat 0: that beat alone, by a product for each
    /// entry of the matrix. A step takes a beat, and the entries of two steps are together in the memories.
    /// Nothing is folded into the vector, which is therefore another one than that of whole states, right behind
    /// it.
    fn short_round(
        &self,
        state: &mut State<F>,
        base: &mut State<F>,
        (engine, entry, vector): &(u8, PassEntry, usize),
    ) -> Result<(), ProgramError> {
        s_boxes(state, base, self.shape, entry);
        let matrix = usize::from(entry.matrix);
        let mut result = [F::ZERO; MAX_ELEMENTS];
        for step in 0..self.shape.beats() {
            for (i, j) in (0..LANES).flat_map(|i| (0..LANES).map(move |j| (i, j))) {
                let coefficients = self.coefficients(*engine, i, j, matrix + step / 2)?;
                result[i] += coefficients[step % 2][0] * state[LANES * step + j];
            }
        }
        *state = result;
        if entry.add {
            let vector = vector + self.shape.beats();
            self.add_vector(state, *engine, VECTOR_BANK, vector, 1)?;
        }
        Ok(())
    }

    /// Every lane of every step of a row.
    fn steps_and_lanes(&self) -> impl Iterator<Item = (usize, usize)> + use<F> {
        (0..self.shape.steps()).flat_map(|step| (0..LANES).map(move |j| (step, j)))
    }

    /// The elements that lane `j` takes in `step`: one of an even group, and one of the odd group behind it, which
    /// is zero or does not exist beyond the last group.
    fn pair(&self, state: &State<F>, step: usize, j: usize) -> (F, Option<F>) {
        let (even, odd) = (2 * step, 2 * step + 1);
        let exists = self.shape.goldilocks || odd < self.shape.beats();
        (
            state[LANES * even + j],
            exists.then(|| state[LANES * odd + j]),
        )
    }

    /// The coefficients of row i and lane j at `index`: of the elements in even groups and in odd ones.
    fn coefficients(
        &self,
        engine: u8,
        i: usize,
        j: usize,
        index: usize,
    ) -> Result<[[F; SLICES]; 2], ProgramError> {
        let bank = (LANES * i + j) as u8;
        Ok([
            self.read(engine, bank, index)?,
            self.read(engine, ODD_BANK + bank, index)?,
        ])
    }

    /// The partial-round sub-engines, and the reduction of the sums behind them. The state has element 0 before the
    /// S-box in place 0 and, at first, what the sums begin with in the others; at the end it has the sums there, and in
    /// the place of the last one that moves up, which is empty, the last output of the S-box.
    fn recurrence(&self, state: &mut State<F>) -> Result<(), ProgramError> {
        let order = self.registers.order();
        let beats = self.shape.beats();
        let first = *state;
        let (mut y, mut x) = (first[0], F::ZERO);
        let mut sums = [F::ZERO; MAX_ELEMENTS];
        let mut is_first = true;
        for engine in FIRST_FULL + 1..SECOND_FULL {
            let rounds = self.registers.partial_rounds[engine] as usize;
            let engine = engine as u8;
            for round in 0..rounds {
                // Place 0 makes what the others share.
                let shared = -x * y;
                for beat in 0..beats {
                    let index = round * beats + beat;
                    for lane in 0..LANES {
                        let a = self.read(engine, lane as u8, index)?;
                        let b = self.read(engine, PARTIAL_OUTPUT_BANK + lane as u8, index)?;
                        for (slice, place) in self.shape.places(beat, lane).enumerate() {
                            let value = if is_first { first[place] } else { y };
                            sums[place] += (a[slice] + x) * (b[slice] + value) + shared;
                        }
                    }
                }
                is_first = false;
                let constant = self.read(engine, PARTIAL_CONSTANT_BANK, round * beats)?[0];
                x = self.s_box(y);
                y = sums[1] + constant;
                if self.registers.output_enters() {
                    y += x;
                }
                sums[1..=order].rotate_left(1);
                sums[order] = F::ZERO;
            }
        }
        *state = sums;
        state[0] = y;
        state[order] = x;
        Ok(())
    }

    /// The initial vector at the entries from `base`.
    fn vector(&self, base: usize) -> Result<State<F>, ProgramError> {
        let mut state = [F::ZERO; MAX_ELEMENTS];
        self.add_vector(&mut state, INITIAL_VECTOR, 0, base, self.shape.beats())?;
        Ok(state)
    }

    /// Adds the first `beats` beats of the vector at the entries from `base` of the banks from `bank` on.
    fn add_vector(
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
                for (place, entry) in self.shape.places(beat, lane).zip(entry) {
                    state[place] += entry;
                }
            }
        }
        Ok(())
    }

    /// Adds the elements of `input`, so many, to the positions that `map` says, and puts the others there.
    fn absorb(
        &self,
        state: &mut State<F>,
        input: &[Word],
        map: &PositionMap,
        added: usize,
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
                word: number / in_word(self.shape.goldilocks),
            })?;
            if let Some(position) = position(map, number) {
                let kept = if number < added {
                    state[position]
                } else {
                    F::ZERO
                };
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

/// What the S-boxes of a pass make of a state, and what becomes of its base.
fn s_boxes<F: PrimeField>(
    state: &mut State<F>,
    base: &mut State<F>,
    shape: Shape,
    entry: &PassEntry,
) {
    let power = |element: F, base: F| {
        let power = element.pow([entry.power.exponent()]);
        if entry.power.uses_base() {
            power * base
        } else {
            power
        }
    };
    let before = *state;
    let passes = if entry.first {
        1
    } else {
        shape.width - shape.beside
    };
    for (element, base) in state.iter_mut().zip(&*base).take(passes) {
        *element = power(*element, *base);
    }
    if entry.store == Store::Put {
        *base = before;
    }
}

/// The passes of a visit to full-round sub-engine `engine`, each with the beat of its constant vector.
fn passes_of(
    constants: &[ChipConstant],
    engine: usize,
    set: usize,
    visit: usize,
    shape: Shape,
    limits: &EngineLimits,
) -> Result<Vec<(PassEntry, usize)>, ProgramError> {
    let limits = limits.passes(usize::from(engine == SECOND_FULL));
    let of_table = |constant: &&ChipConstant| {
        usize::from(constant.sub_engine) == engine && constant.bank == PASS_BANK
    };
    let mut entries: Vec<_> = constants.iter().filter(of_table).collect();
    entries.sort_by_key(|constant| constant.index);
    // Behind its last visit a table may have what is left of another one.
    let mut table = PassTable::default();
    for constant in entries {
        table.write(PASS_BANK, constant.index, &constant.word, &limits);
        if let Some(passes) = table.passes(set, visit, shape.beats()) {
            return Ok(passes);
        }
    }
    Err(ProgramError::Program(ProgramFault::Missing))
}

/// Computes the hashes of `words` like a chip with `limits` that holds `registers` and `constants`,
/// where the large prime is that of `field`, with parameter set `set` of them; see [`ChipProgram::evaluate`](super::ChipProgram::evaluate).
///
/// # Errors
///
/// When the chip would refuse a register value, the number of words is wrong, one is not canonical,
/// or a constant is missing.
pub fn evaluate(
    field: FieldId,
    registers: &ChipRegisters,
    constants: &[ChipConstant],
    set: usize,
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
        let interpreter = Interpreter::<F>::new(registers, constants, set, limits)?;
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
/// `registers`, `rows` and `constants`, with parameter set `set` of them, from the stream words of `count` rows; see
/// [`evaluate`](super::evaluate()).
///
/// # Errors
///
/// When the chip would refuse a register value, the number of words is wrong, one is not canonical,
/// or a constant is missing.
#[expect(
    clippy::too_many_arguments,
    reason = "all that the digests of rows depend on"
)]
pub fn evaluate_rows(
    field: FieldId,
    registers: &ChipRegisters,
    rows: &RowRegisters,
    constants: &[ChipConstant],
    set: usize,
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
        let interpreter = Interpreter::<F>::new(registers, constants, set, limits)?;
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

//! Programs of the leaf hash engine for rows: messages of one length, hashed by a sponge.
//!
//! A row is cut into blocks, one for each permutation. The chip adds the first block to the initial
//! vector of the program; before each later permutation the state comes back, its block is added to it
//! or takes the place of its rate elements, and the round constants before the first S-box are added.
//! The last block may be short and has a map of its own.

use super::compiler::{ChipProgram, Purpose};
use super::error::ProgramError;
use super::limits::EngineLimits;
use super::registers::{RowRegisters, encode};
use super::shape::{SUB_ENGINES, Shape};
use super::words::from_slices;
use acclmt_poseidon::dispatch;
use acclmt_poseidon::fields::AnyParameters;
use acclmt_poseidon::sponge::{Absorption, Sponge};
use acclmt_poseidon::word::{self, Word};

/// Beats of rows that keep a hash engine busy whose layers adders make, beside others.
const MOST_BEATS_WITH_ADDERS: usize = 240;

/// A sponge over rows of one length, compiled for a chip.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChipRows {
    /// The program of the leaf hash engine.
    pub program: ChipProgram,
    /// What a leaf is.
    pub registers: RowRegisters,
    sponge: Sponge,
    length: usize,
    /// Hash engines that take the rows in turn.
    engines: usize,
}

impl ChipRows {
    /// Compiles `sponge` over the permutation of `parameters` for rows of `length` elements; `None`
    /// when such a row has no block, so that there is nothing to compute.
    ///
    /// # Errors
    ///
    /// When the chip cannot compute with `parameters`, or the sponge does not fit them.
    pub fn compile(
        parameters: &AnyParameters,
        sponge: &Sponge,
        length: usize,
        limits: &EngineLimits,
    ) -> Result<Option<Self>, ProgramError> {
        let padded = sponge.padded_length(length);
        if padded == 0 {
            return Ok(None);
        }
        dispatch!(parameters, parameters => {
            let purpose = Purpose::Rows { sponge, length };
            let program = ChipProgram::build(parameters, limits, purpose, None)?;
            Ok(Some(Self::new(sponge, length, program)))
        })
    }

    fn new(sponge: &Sponge, length: usize, program: ChipProgram) -> Self {
        let rate = sponge.rate();
        let padded = sponge.padded_length(length);
        let blocks = padded.div_ceil(rate);
        // What closes a short block is sent with it.
        let closes = sponge.closes_short_block(length);
        let last_elements = if closes {
            rate
        } else {
            padded - (blocks - 1) * rate
        };
        let in_word = program.elements_in_word();
        let last: Vec<_> = sponge.rate_positions[..last_elements]
            .iter()
            .map(|&position| program.order.place(position))
            .collect();
        Self {
            registers: RowRegisters {
                // All of these are small, but for the blocks of rows that no memory could hold.
                blocks: u32::try_from(blocks).unwrap_or(u32::MAX),
                group: group(&program) as u32,
                last_words: last_elements.div_ceil(in_word) as u32,
                last_map: encode(&last, in_word, program.shape()),
                overwrite: !matches!(sponge.absorption, Absorption::Add | Absorption::AddClosed),
                close_from: if closes { length % rate } else { 0 } as u32,
            },
            sponge: sponge.clone(),
            length,
            engines: 1,
            program,
        }
    }

    /// The same on `engines` hash engines, which take the rows in turn: as many groups are under way together, one in
    /// each. That is for runs without a tree.
    #[must_use]
    pub fn on_engines(mut self, engines: usize) -> Self {
        // Rows of one block need not come in groups.
        if self.blocks() > 1 {
            let mut in_each = self.group() / self.engines;
            let is_shared = engines > 1 || self.program.limits.num_engines == 1;
            let shape = self.program.shape();
            if is_shared && shape.adders {
                // States that adders make pass more quickly than the estimate has it, and nodes need room as well.
                in_each = in_each.min(MOST_BEATS_WITH_ADDERS / shape.beats());
            }
            self.engines = engines.max(1);
            self.registers.group = (in_each * self.engines) as u32;
        }
        self
    }

    /// The same with `group` rows under way together, as many in each hash engine.
    ///
    /// # Errors
    ///
    /// When the buffers of the hash engines do not hold the states of so many rows, it is none, or they cannot be
    /// shared out evenly.
    pub fn with_group(mut self, group: usize) -> Result<Self, ProgramError> {
        let engines = self.engines;
        let most = engines * self.program.registers.most_rows(&self.program.limits);
        if !(1..=most).contains(&group) {
            return Err(ProgramError::RowGroup { group, most });
        }
        if !group.is_multiple_of(engines) {
            return Err(ProgramError::UnevenRowGroup { group, engines });
        }
        self.registers.group = group as u32;
        Ok(self)
    }

    /// Blocks of a row: permutations.
    pub fn blocks(&self) -> usize {
        self.registers.blocks as usize
    }

    /// Cycles that a row occupies each sub-engine, by number. Only its last permutation makes no more than the
    /// digest.
    pub fn busy(&self) -> [usize; SUB_ENGINES] {
        let program = &self.program;
        let whole = program.shape.of_whole_states();
        let before = program.segments.busy(whole, program.limits.num_full);
        let last = program.busy();
        std::array::from_fn(|engine| (self.blocks() - 1) * before[engine] + last[engine])
    }

    /// Elements of a row, without padding.
    pub fn length(&self) -> usize {
        self.length
    }

    /// Rows that are under way together.
    pub fn group(&self) -> usize {
        self.registers.group as usize
    }

    /// Stream words of a row.
    pub fn row_words(&self) -> usize {
        (self.blocks() - 1) * self.program.input_words() + self.registers.last_words as usize
    }

    /// The index of the element that word `word` of the stream of `rows` rows, one after another, holds in
    /// slice `slice`, as [`ChipRows::pack`] puts them there. The word must hold an element of a row there, no
    /// padding.
    pub fn element_index(&self, rows: usize, word: usize, slice: usize) -> usize {
        let group_words = self.group() * self.row_words();
        let first_row = word / group_words * self.group();
        let in_group = word % group_words;
        let rows_in_group = self.group().min(rows - first_row);
        let block_words = rows_in_group * self.program.input_words();
        let block = (in_group / block_words).min(self.blocks() - 1);
        let words_of_block = if block + 1 == self.blocks() {
            self.registers.last_words as usize
        } else {
            self.program.input_words()
        };
        let in_block = in_group - block * block_words;
        let (row, word) = (in_block / words_of_block, in_block % words_of_block);
        let in_row = block * self.sponge.rate() + word * self.program.elements_in_word() + slice;
        (first_row + row) * self.length + in_row
    }

    /// Packs rows of the length of the program into stream words in the order in which the chip takes
    /// them: in groups of [`ChipRows::group`] rows, block by block.
    pub fn pack(&self, rows: &[Vec<Word>]) -> Vec<Word> {
        let in_word = self.program.elements_in_word();
        let rows: Vec<Vec<Vec<Word>>> = rows
            .iter()
            .map(|row| {
                let mut padded = self.sponge.pad(row);
                if self.sponge.closes_short_block(self.length) {
                    padded.push(word::from_u64(1));
                    padded.resize(self.blocks() * self.sponge.rate(), Word::default());
                }
                let blocks = padded.chunks(self.sponge.rate());
                blocks.map(|block| pack_block(block, in_word)).collect()
            })
            .collect();
        let mut words = Vec::with_capacity(rows.len() * self.row_words());
        for group in rows.chunks(self.group()) {
            for block in 0..self.blocks() {
                words.extend(group.iter().flat_map(|row| &row[block]));
            }
        }
        words
    }
}

fn pack_block(block: &[Word], in_word: usize) -> Vec<Word> {
    if in_word == 1 {
        return block.to_vec();
    }
    block.chunks(in_word).map(from_slices).collect()
}

/// Rows that are under way together: as many permutations as there are in a hash engine in the steady
/// state, if its buffers can hold so many.
fn group(program: &ChipProgram) -> usize {
    let Shape { width, .. } = program.shape();
    let limits = &program.limits;
    // A round takes the loop cycles of its sub-engine, a state of several beats some more; a hash
    // spends a little time between the sub-engines, and waits for its turn.
    let rounds = &program.work.rounds;
    let rounds = rounds.full_first + rounds.partial + rounds.full_last;
    let cycles = rounds * (limits.loop_cycles + width) + 64 * (limits.num_partial + 2);
    (cycles.div_ceil(program.period()) + 1).clamp(1, program.registers.most_rows(limits))
}

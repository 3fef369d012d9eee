//! Where the constants of two parameter sets are in the memories of a hash engine that has both.

use super::compiler::ChipProgram;
use super::limits::EngineLimits;
use super::registers::{Bases, ChipConstant, INITIAL_VECTOR, LATER_VECTOR_INDEX, VECTOR_BANK};
use super::shape::{FIRST_FULL, SECOND_FULL};

/// Entries of the initial vectors of a set: one vector, and that of later blocks.
const INITIAL_ENTRIES: u8 = 2 * LATER_VECTOR_INDEX as u8;

/// Number of the parameter set of rows.
pub const ROW_SET: u8 = 0;

/// Number of the parameter set of nodes.
pub const NODE_SET: u8 = 1;

/// Two parameter sets cannot be mixed in a hash engine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MixError {
    /// They have different exponents.
    #[error(
        "a hash engine mixes sets of one exponent, and rows have x^{rows}, nodes x^{nodes}; use fixed roles"
    )]
    Exponents {
        /// That of rows.
        rows: u32,
        /// That of nodes.
        nodes: u32,
    },
    /// One of them has rounds on a partial-round sub-engine where the other has none.
    #[error(
        "a hash engine mixes sets with rounds on the same sub-engines, and on partial-round sub-engine \
         {sub_engine} rows have {rows} and nodes {nodes}; use fixed roles"
    )]
    Rounds {
        /// The number of the sub-engine.
        sub_engine: usize,
        /// Rounds of a row's permutation on it.
        rows: u32,
        /// Those of a node's.
        nodes: u32,
    },
    /// Their constants do not fit together.
    #[error(
        "the constants of rows and nodes take {entries} entries of the {memory} of a hash engine, which have \
         {depth}; use fixed roles, or a chip with more"
    )]
    Depth {
        /// What the memory holds.
        memory: &'static str,
        /// Entries of both sets.
        entries: usize,
        /// Entries that there are.
        depth: usize,
    },
    /// Rows of several blocks.
    #[error(
        "a row has {blocks} blocks, and hash engines with both roles hash rows of one block; use fixed roles"
    )]
    Blocks {
        /// Blocks of a row.
        blocks: u32,
    },
}

/// Entries that the constants of a program take: of matrices, of constant vectors, and of a partial-round
/// sub-engine.
fn entries(program: &ChipProgram) -> [usize; 3] {
    let mut entries = [0; 3];
    for constant in &program.constants {
        if let Some(memory) = memory(constant) {
            entries[memory] = entries[memory].max(usize::from(constant.index) + 1);
        }
    }
    entries
}

/// The memory of a constant, as they are counted by [`entries`].
fn memory(constant: &ChipConstant) -> Option<usize> {
    match usize::from(constant.sub_engine) {
        FIRST_FULL | SECOND_FULL => Some(usize::from(constant.bank >= VECTOR_BANK)),
        number if number < SECOND_FULL => Some(2),
        _ => None,
    }
}

impl ChipProgram {
    /// Whether states go round in the same way, with the same constants: only what goes in and what comes out may
    /// differ.
    fn has_ring_of(&self, other: &Self) -> bool {
        let ring = |program: &Self| {
            let constants = program.constants.iter();
            constants
                .filter(|constant| constant.sub_engine != INITIAL_VECTOR)
                .map(|constant| {
                    let ChipConstant {
                        sub_engine,
                        bank,
                        index,
                        word,
                        ..
                    } = *constant;
                    (sub_engine, bank, index, word)
                })
                .collect::<Vec<_>>()
        };
        let (one, two) = (&self.registers, &other.registers);
        one.width == two.width && one.recurrence == two.recurrence && ring(self) == ring(other)
    }

    /// Where the constants of nodes hashed by `self` begin in a hash engine that hashes rows by `rows` as well, in
    /// `blocks` blocks each.
    ///
    /// # Errors
    ///
    /// When a hash engine with `limits` cannot mix both.
    pub fn bases_behind(
        &self,
        rows: &Self,
        blocks: u32,
        limits: &EngineLimits,
    ) -> Result<Bases, MixError> {
        let (of_rows, of_nodes) = (&rows.registers, &self.registers);
        if of_rows.alpha != of_nodes.alpha {
            return Err(MixError::Exponents {
                rows: of_rows.alpha,
                nodes: of_nodes.alpha,
            });
        }
        for sub_engine in FIRST_FULL + 1..SECOND_FULL {
            let [rows, nodes] = [of_rows, of_nodes].map(|set| set.partial_rounds[sub_engine]);
            if (rows == 0) != (nodes == 0) {
                return Err(MixError::Rounds {
                    sub_engine,
                    rows,
                    nodes,
                });
            }
        }
        if blocks > 1 {
            return Err(MixError::Blocks { blocks });
        }
        if self.has_ring_of(rows) {
            return Ok(Bases::default());
        }
        let begin = entries(rows);
        let memories = [
            ("matrix memories", limits.matrix_depth),
            ("constant memories", limits.constant_depth),
            ("partial-round memories", limits.partial_depth),
        ];
        for ((begin, more), (memory, depth)) in begin.iter().zip(entries(self)).zip(memories) {
            let entries = begin + more;
            if entries > depth {
                return Err(MixError::Depth {
                    memory,
                    entries,
                    depth,
                });
            }
        }
        // No memory has more than 256 entries, of which the nodes have some.
        let [matrix, constant, partial] = begin.map(|begin| begin as u8);
        Ok(Bases {
            matrix,
            constant,
            partial,
        })
    }
}

impl ChipConstant {
    /// What the constant is to parameter set number `set`, whose constants begin at `bases`: the inverse of
    /// [`ChipConstant::of_set`]. Nothing if it is ahead of them.
    pub fn in_set(&self, set: u8, bases: &Bases) -> Option<Self> {
        let index = self
            .index
            .checked_sub(Self { index: 0, ..*self }.of_set(set, bases).index)?;
        let is_its_own = self.sub_engine != INITIAL_VECTOR || index < INITIAL_ENTRIES;
        is_its_own.then_some(Self { index, ..*self })
    }

    /// The constant where parameter set number `set` has it, whose constants begin at `bases`.
    #[must_use]
    pub fn of_set(&self, set: u8, bases: &Bases) -> Self {
        let base = match memory(self) {
            Some(0) => bases.matrix,
            Some(1) => bases.constant,
            Some(_) => bases.partial,
            None if self.sub_engine == INITIAL_VECTOR => INITIAL_ENTRIES * set,
            None => 0,
        };
        Self {
            index: self.index + base,
            ..*self
        }
    }
}

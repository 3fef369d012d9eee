//! The constants of two programs in one hash engine, which mixes rows and nodes.

use super::compiler::ChipProgram;
use super::limits::{EngineLimits, MAX_DEPTH};
use super::registers::{
    Bases, ChipConstant, ChipRegisters, INITIAL_VECTOR, INITIAL_VECTORS, ROW_SET, VECTOR_BANK,
};
use super::shape::{FIRST_FULL, SECOND_FULL};

/// Rows and nodes cannot be mixed in a hash engine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MixError {
    /// The exponents differ.
    #[error("rows have the S-box x^{rows}, nodes x^{nodes}")]
    Exponents {
        /// Exponent of rows.
        rows: u32,
        /// Exponent of nodes.
        nodes: u32,
    },
    /// One set has partial rounds on a sub-engine, the other one has none.
    #[error(
        "on partial-round sub-engine {sub_engine} rows have {rows} partial rounds, nodes {nodes}: both must have \
         some there, or neither"
    )]
    PartialRounds {
        /// Number of the sub-engine.
        sub_engine: usize,
        /// Rounds of rows.
        rows: u32,
        /// Rounds of nodes.
        nodes: u32,
    },
    /// The constants of both do not fit.
    #[error(
        "the constants of both need {entries} entries of each {memory} memory, of which the chip has {depth}"
    )]
    Memory {
        /// Which memory.
        memory: &'static str,
        /// Entries that both need.
        entries: usize,
        /// Entries that there are.
        depth: usize,
    },
}

/// A kind of constant memories.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Memory {
    Matrix,
    Constant,
    Partial,
}

impl Memory {
    /// The one that has a constant; none for those that have no base.
    fn of(constant: &ChipConstant) -> Option<Self> {
        const FIRST: u8 = FIRST_FULL as u8;
        const SECOND: u8 = SECOND_FULL as u8;
        match constant.sub_engine {
            FIRST | SECOND if constant.bank < VECTOR_BANK => Some(Self::Matrix),
            FIRST | SECOND => Some(Self::Constant),
            number if number < SECOND => Some(Self::Partial),
            _ => None,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Matrix => "matrix",
            Self::Constant => "constant",
            Self::Partial => "partial-round",
        }
    }

    fn depth(self, limits: &EngineLimits) -> usize {
        let depth = match self {
            Self::Matrix => limits.matrix_depth,
            Self::Constant => limits.constant_depth,
            Self::Partial => limits.partial_depth,
        };
        depth.min(MAX_DEPTH)
    }
}

impl ChipConstant {
    /// Index of the first constant of its kind of parameter set `set`, which has these bases.
    fn base(&self, set: usize, bases: &Bases) -> u8 {
        match Memory::of(self) {
            Some(Memory::Matrix) => bases.matrix,
            Some(Memory::Constant) => bases.constant,
            Some(Memory::Partial) => bases.partial,
            None if self.sub_engine == INITIAL_VECTOR && set != ROW_SET => INITIAL_VECTORS,
            None => 0,
        }
    }

    /// A constant of a program at the place where a chip has it in parameter set `set` with these bases; nothing
    /// where there is no such place.
    #[must_use]
    pub fn placed(&self, set: usize, bases: &Bases) -> Option<Self> {
        let index = self.index.checked_add(self.base(set, bases))?;
        Some(Self { index, ..*self })
    }

    /// A constant that a chip has at a place, as parameter set `set` with these bases sees it: where a program
    /// has it. Nothing if it is none of this set.
    #[must_use]
    pub fn of_set(&self, set: usize, bases: &Bases) -> Option<Self> {
        let index = self.index.checked_sub(self.base(set, bases))?;
        let is_other = self.sub_engine == INITIAL_VECTOR && index >= INITIAL_VECTORS;
        (!is_other).then_some(Self { index, ..*self })
    }
}

/// The constants of a program in one kind of memories.
fn constants(program: &ChipProgram, memory: Memory) -> impl Iterator<Item = &ChipConstant> {
    (program.constants.iter()).filter(move |constant| Memory::of(constant) == Some(memory))
}

/// Entries that a program needs in each memory of a kind.
fn entries(program: &ChipProgram, memory: Memory) -> usize {
    let last = constants(program, memory).map(|constant| usize::from(constant.index) + 1);
    let entries = last.max().unwrap_or_default();
    match memory {
        Memory::Matrix => entries,
        // The chip counts whole vectors.
        Memory::Constant | Memory::Partial => entries.next_multiple_of(program.shape().beats()),
    }
}

/// Checks that a hash engine can mix rows of one parameter set and nodes of another one: they share its S-boxes, and its
/// partial-round sub-engines, which are wires to sets without rounds there.
///
/// # Errors
///
/// When their exponents differ, or one of them has rounds where the other has none.
pub fn check_mix(rows: &ChipRegisters, nodes: &ChipRegisters) -> Result<(), MixError> {
    if rows.alpha != nodes.alpha {
        return Err(MixError::Exponents {
            rows: rows.alpha,
            nodes: nodes.alpha,
        });
    }
    for sub_engine in FIRST_FULL + 1..SECOND_FULL {
        let [rows, nodes] = [rows, nodes].map(|set| set.partial_rounds[sub_engine]);
        if (rows == 0) != (nodes == 0) {
            return Err(MixError::PartialRounds {
                sub_engine,
                rows,
                nodes,
            });
        }
    }
    Ok(())
}

/// The bases of the constants of `nodes` in hash engines that mix them with `rows`, whose constants begin at 0:
/// those of nodes are behind them, but where both have the same there is one copy.
///
/// # Errors
///
/// When a hash engine cannot mix the two.
pub fn mixed_bases(rows: &ChipProgram, nodes: &ChipProgram) -> Result<Bases, MixError> {
    check_mix(&rows.registers, &nodes.registers)?;
    let base = |memory: Memory| {
        if constants(rows, memory).eq(constants(nodes, memory)) {
            return Ok(0);
        }
        let base = entries(rows, memory);
        let (entries, depth) = (base + entries(nodes, memory), memory.depth(&rows.limits));
        let too_many = MixError::Memory {
            memory: memory.name(),
            entries,
            depth,
        };
        if entries > depth {
            return Err(too_many);
        }
        u8::try_from(base).map_err(|_| too_many)
    };
    Ok(Bases {
        matrix: base(Memory::Matrix)?,
        constant: base(Memory::Constant)?,
        partial: base(Memory::Partial)?,
    })
}

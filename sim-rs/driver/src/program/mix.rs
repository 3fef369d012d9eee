//! The constants of several programs in one hash engine, which mixes their hashes.

use super::adders::{ADDER_BANK, DENSE_BANK, DENSE_OF_SET};
use super::compiler::ChipProgram;
use super::limits::{EngineLimits, MAX_DEPTH};
use super::pass_table::{PASS_BANK, PASS_TABLE_DEPTH, PassEntry};
use super::registers::{
    Bases, ChipConstant, ChipRegisters, INITIAL_VECTOR, INITIAL_VECTORS, VECTOR_BANK,
};
use super::shape::{FIRST_FULL, SECOND_FULL};

/// Parameter sets cannot be mixed in a hash engine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MixError {
    /// The exponents differ.
    #[error("one parameter set has the S-box x^{one}, another one x^{other}")]
    Exponents {
        /// Exponent of a set.
        one: u32,
        /// Exponent of another one.
        other: u32,
    },
    /// The layers of one set are made by adders, or those of both by different ones.
    #[error(
        "adders make the layers of one parameter set, and not those of another one with its matrix"
    )]
    Adders,
    /// One set has partial rounds on a sub-engine, the other one has none.
    #[error(
        "on partial-round sub-engine {sub_engine} one parameter set has {one} partial rounds, another one \
         {other}: all must have some there, or none"
    )]
    PartialRounds {
        /// Number of the sub-engine.
        sub_engine: usize,
        /// Rounds of a set.
        one: u32,
        /// Rounds of another one.
        other: u32,
    },
    /// The constants of all do not fit.
    #[error(
        "the constants of all parameter sets need {entries} entries of each {memory} memory, of which the chip \
         has {depth}"
    )]
    Memory {
        /// Which memory.
        memory: &'static str,
        /// Entries that all need.
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
    /// The passes of a full-round sub-engine, by number among those.
    Passes(usize),
}

impl Memory {
    /// The one that has a constant; none for those that have no base.
    fn of(constant: &ChipConstant) -> Option<Self> {
        const FIRST: u8 = FIRST_FULL as u8;
        const SECOND: u8 = SECOND_FULL as u8;
        match constant.sub_engine {
            number @ (FIRST | SECOND) if constant.bank == PASS_BANK => {
                Some(Self::Passes(usize::from(number == SECOND)))
            }
            FIRST | SECOND if constant.bank >= DENSE_BANK => None,
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
            Self::Passes(_) => "pass",
        }
    }

    fn depth(self, limits: &EngineLimits) -> usize {
        let depth = match self {
            Self::Matrix => limits.matrix_depth,
            Self::Constant => limits.constant_depth,
            Self::Partial => limits.partial_depth,
            Self::Passes(_) => PASS_TABLE_DEPTH,
        };
        depth.min(MAX_DEPTH)
    }
}

impl ChipConstant {
    /// A constant of a program at the place where a chip has it in parameter set `set` with these bases; nothing
    /// where there is no such place.
    #[must_use]
    pub fn placed(&self, set: usize, bases: &Bases) -> Option<Self> {
        let base = match Memory::of(self) {
            Some(Memory::Matrix) => bases.matrix,
            Some(Memory::Constant) => bases.constant,
            Some(Memory::Partial) => bases.partial,
            Some(Memory::Passes(number)) => {
                let base = bases.passes[number];
                return self.placed_pass(set, bases, base);
            }
            None => self.base_of_set(set),
        };
        let index = self.index.checked_add(base)?;
        Some(Self { index, ..*self })
    }

    /// Entries that each parameter set has where a constant is that is in no memory with bases, if sets have their
    /// own there.
    fn of_each_set(&self) -> Option<u8> {
        let is_dense = (DENSE_BANK..ADDER_BANK).contains(&self.bank);
        match self.sub_engine {
            INITIAL_VECTOR => Some(INITIAL_VECTORS),
            number if is_dense && [FIRST_FULL, SECOND_FULL].contains(&number.into()) => {
                Some(DENSE_OF_SET)
            }
            _ => None,
        }
    }

    fn base_of_set(&self, set: usize) -> u8 {
        self.of_each_set().map_or(0, |entries| set as u8 * entries)
    }

    /// An entry of a table that begins at `base`; it names what is behind the other bases.
    fn placed_pass(&self, set: usize, bases: &Bases, base: u8) -> Option<Self> {
        let mut entry = PassEntry::read(&self.word)?;
        entry.matrix = entry.matrix.checked_add(bases.matrix)?;
        if entry.times != 0 {
            entry.next = entry.next.checked_add(base)?;
        }
        if let Some(begin) = &mut entry.begin {
            begin.set = u8::try_from(set).ok()?;
            begin.vector = begin.vector.checked_add(bases.constant)?;
        }
        let index = self.index.checked_add(base)?;
        (usize::from(index) < PASS_TABLE_DEPTH).then(|| Self {
            index,
            word: entry.word(),
            ..*self
        })
    }

    /// A constant that a chip has at a place, as parameter set `set` sees it, whose coefficients on partial-round
    /// sub-engines begin at `partial_base`: where a program has it that is set 0. Nothing if it is none of this set.
    #[must_use]
    pub fn of_set(&self, set: usize, partial_base: u32) -> Option<Self> {
        let base = match Memory::of(self) {
            Some(Memory::Partial) => u8::try_from(partial_base).ok()?,
            // Tables name the places of matrices and vectors.
            Some(_) => 0,
            None => self.base_of_set(set),
        };
        let index = self.index.checked_sub(base)?;
        let is_other = self.of_each_set().is_some_and(|entries| index >= entries);
        (!is_other).then_some(Self { index, ..*self })
    }
}

/// The constants of a program in one kind of memories.
fn constants(program: &ChipProgram, memory: Memory) -> impl Iterator<Item = &ChipConstant> {
    (program.constants.iter()).filter(move |constant| Memory::of(constant) == Some(memory))
}

/// The rows of the adders of a program.
fn adder_rows(program: &ChipProgram) -> impl Iterator<Item = &ChipConstant> {
    (program.constants.iter())
        .filter(|constant| constant.bank == ADDER_BANK && Memory::of(constant).is_none())
}

/// Whether the hash engines of a chip have the same adders for all these programs, or for none.
pub fn adders_agree(programs: &[&ChipProgram]) -> bool {
    programs
        .windows(2)
        .all(|pair| adder_rows(pair[0]).eq(adder_rows(pair[1])))
}

/// Entries that a program needs in each memory of a kind.
fn entries(program: &ChipProgram, memory: Memory) -> usize {
    let last = constants(program, memory).map(|constant| usize::from(constant.index) + 1);
    let entries = last.max().unwrap_or_default();
    match memory {
        Memory::Matrix | Memory::Passes(_) => entries,
        // The chip counts whole vectors.
        Memory::Constant | Memory::Partial => entries.next_multiple_of(program.shape().beats()),
    }
}

/// Checks that a hash engine can mix hashes of two parameter sets: they share its S-boxes, and its partial-round
/// sub-engines, which are wires to sets without rounds there.
///
/// # Errors
///
/// When their exponents differ, adders make the layers of one of them only, or of states of both with other numbers of
/// beats, or one of them has rounds where the other has none.
pub fn check_mix(one: &ChipRegisters, other: &ChipRegisters) -> Result<(), MixError> {
    if one.alpha != other.alpha {
        return Err(MixError::Exponents {
            one: one.alpha,
            other: other.alpha,
        });
    }
    // Adders take states of one number of beats.
    let differ = one.shape().beats() != other.shape().beats();
    if one.adders() != other.adders() || one.adders() && differ {
        return Err(MixError::Adders);
    }
    for sub_engine in FIRST_FULL + 1..SECOND_FULL {
        let [one, other] = [one, other].map(|set| set.partial_rounds[sub_engine]);
        if (one == 0) != (other == 0) {
            return Err(MixError::PartialRounds {
                sub_engine,
                one,
                other,
            });
        }
    }
    Ok(())
}

/// The bases of the constants of these programs in hash engines that mix them: those of each are behind those of the
/// ones before, but where two have the same there is one copy.
///
/// # Errors
///
/// When a hash engine cannot mix them.
pub fn mixed_bases(programs: &[&ChipProgram]) -> Result<Vec<Bases>, MixError> {
    for pair in programs.windows(2) {
        check_mix(&pair[0].registers, &pair[1].registers)?;
        if !adders_agree(pair) {
            return Err(MixError::Adders);
        }
    }
    let [matrix, constant, partial] =
        [Memory::Matrix, Memory::Constant, Memory::Partial].map(|memory| bases(programs, memory));
    let (matrix, constant, partial) = (matrix?, constant?, partial?);
    let passes = [
        bases(programs, Memory::Passes(0))?,
        bases(programs, Memory::Passes(1))?,
    ];
    let bases = (0..programs.len()).map(|number| Bases {
        matrix: matrix[number],
        constant: constant[number],
        passes: [passes[0][number], passes[1][number]],
        partial: partial[number],
    });
    Ok(bases.collect())
}

/// The same in one kind of memories.
fn bases(programs: &[&ChipProgram], memory: Memory) -> Result<Vec<u8>, MixError> {
    let mut bases: Vec<u8> = Vec::new();
    let mut end = 0;
    for (number, program) in programs.iter().enumerate() {
        let is_same =
            |&known: &usize| constants(programs[known], memory).eq(constants(program, memory));
        // Every set has a table of its own.
        let is_table = matches!(memory, Memory::Passes(_));
        if let Some(known) = (0..number).find(is_same).filter(|_| !is_table) {
            bases.push(bases[known]);
            continue;
        }
        let base = end;
        end += entries(program, memory);
        let depth = memory.depth(&program.limits);
        let too_many = MixError::Memory {
            memory: memory.name(),
            entries: end,
            depth,
        };
        // A single program fits, or it was not compiled.
        if number > 0 && end > depth {
            return Err(too_many);
        }
        bases.push(u8::try_from(base).map_err(|_| too_many)?);
    }
    Ok(bases)
}

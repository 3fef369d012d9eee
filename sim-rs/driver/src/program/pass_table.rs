//! The program of a full-round sub-engine: a table of passes, as the chip has it.
//!
//! A table is one visit after the other, of any parameter set. The first entry of a visit says so, and the last one
//! that the state leaves behind it. A loop is consecutive entries of a visit that are made several times.

use super::adders::{ADDER_BANK, ADDER_WIDTH, ADDER_WORDS, is_row};
use super::shape::Shape;
use acclmt_poseidon::word::Word;

/// Bank of the passes in a full-round sub-engine, behind those of its matrices and constant vectors.
pub const PASS_BANK: u8 = 21;

/// Entries of a table.
pub const PASS_TABLE_DEPTH: usize = 128;

/// Last bank of the matrices, with which a step counts as loaded.
const LAST_MATRIX_BANK: u8 = 17;

/// Steps of matrices that an index can name.
const MAX_STEPS: usize = 256;

/// The power of an element x that the S-boxes of a pass make.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Power {
    /// None: elements pass as they are.
    #[default]
    None,
    /// x^2.
    Square,
    /// x^4.
    Fourth,
    /// x^3.
    Third,
    /// x^5.
    Fifth,
    /// x^7.
    Seventh,
    /// x^2 times the stored base.
    SquareBase,
    /// x^4 times the stored base.
    FourthBase,
}

impl Power {
    const ALL: [Self; 8] = [
        Self::None,
        Self::Square,
        Self::Fourth,
        Self::Third,
        Self::Fifth,
        Self::Seventh,
        Self::SquareBase,
        Self::FourthBase,
    ];

    /// The power x^`exponent`, if S-boxes make it in one pass.
    pub const fn of_exponent(exponent: u64) -> Option<Self> {
        match exponent {
            2 => Some(Self::Square),
            3 => Some(Self::Third),
            4 => Some(Self::Fourth),
            5 => Some(Self::Fifth),
            7 => Some(Self::Seventh),
            _ => None,
        }
    }

    /// The exponent of x.
    pub const fn exponent(self) -> u64 {
        match self {
            Self::None => 1,
            Self::Square | Self::SquareBase => 2,
            Self::Third => 3,
            Self::Fourth | Self::FourthBase => 4,
            Self::Fifth => 5,
            Self::Seventh => 7,
        }
    }

    /// Multiplications and squarings that make it.
    pub const fn products(self) -> usize {
        match self {
            Self::None => 0,
            Self::Square => 1,
            Self::Third | Self::Fourth | Self::SquareBase => 2,
            Self::Fifth | Self::FourthBase => 3,
            Self::Seventh => 4,
        }
    }

    /// Whether it is multiplied with the base.
    pub const fn uses_base(self) -> bool {
        matches!(self, Self::SquareBase | Self::FourthBase)
    }
}

/// What becomes in a pass of the base that is stored of each element.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Store {
    /// There is none.
    #[default]
    None,
    /// The elements that come are stored.
    Put,
    /// It stays.
    Keep,
    /// It is there for the last time.
    Take,
}

impl Store {
    const ALL: [Self; 4] = [Self::None, Self::Put, Self::Keep, Self::Take];
}

/// The beginning of a visit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Begin {
    /// Number of the parameter set.
    pub set: u8,
    /// 0: the visit before the recurrence; 1: the one behind it.
    pub visit: usize,
    /// The beat with which its constant vectors begin.
    pub vector: u8,
}

/// An entry of the table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct PassEntry {
    /// What the S-boxes make of the elements.
    pub power: Power,
    /// Only element 0 goes through its S-box.
    pub first: bool,
    /// What becomes of the base.
    pub store: Store,
    /// The first step of the matrix.
    pub matrix: u8,
    /// Whether the next constant vector is added.
    pub add: bool,
    /// Whether the state leaves behind the pass.
    pub leaves: bool,
    /// Whether a visit begins with it.
    pub begin: Option<Begin>,
    /// Whether a loop begins with it.
    pub loop_begins: bool,
    /// If it is the last one of a loop, how often that is made, twice or more; else 0.
    pub times: u8,
    /// Where the loop begins that it ends, else 0.
    pub next: u8,
}

impl PassEntry {
    /// The word that the chip has.
    pub fn word(&self) -> Word {
        let mut low = u32::from(self.times) | u32::from(self.next) << 8;
        low |= u32::from(self.matrix) << 16 | (self.power as u32) << 24;
        low |= u32::from(self.first) << 27 | (self.store as u32) << 28;
        low |= u32::from(self.add) << 30 | u32::from(self.leaves) << 31;
        let mut high = u32::from(self.loop_begins) << 4;
        if let Some(begin) = &self.begin {
            high |= 1 | (begin.visit as u32) << 1 | u32::from(begin.set) << 2;
            high |= u32::from(begin.vector) << 8;
        }
        let mut word = Word::default();
        word[..4].copy_from_slice(&low.to_le_bytes());
        word[4..8].copy_from_slice(&high.to_le_bytes());
        word
    }

    /// The entry of a word; nothing where a bit is set that means nothing.
    pub fn read(word: &Word) -> Option<Self> {
        let half = |from: usize| {
            let bytes = word[from..from + 4].try_into().unwrap_or_default();
            u32::from_le_bytes(bytes)
        };
        let (low, high) = (half(0), half(4));
        let begin = Begin {
            set: (high >> 2 & 3) as u8,
            visit: (high >> 1 & 1) as usize,
            vector: (high >> 8) as u8,
        };
        let entry = Self {
            power: Power::ALL[(low >> 24 & 7) as usize],
            first: low >> 27 & 1 != 0,
            store: Store::ALL[(low >> 28 & 3) as usize],
            matrix: (low >> 16) as u8,
            add: low >> 30 & 1 != 0,
            leaves: low >> 31 & 1 != 0,
            begin: (high & 1 != 0).then_some(begin),
            loop_begins: high >> 4 & 1 != 0,
            times: low as u8,
            next: (low >> 8 & 0x7f) as u8,
        };
        (entry.word() == *word).then_some(entry)
    }
}

/// Why a parameter set has no program that can run: the codes of `ERROR_INFO` with
/// [`ERROR_ILLEGAL_PROGRAM`](crate::registers::ERROR_ILLEGAL_PROGRAM).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProgramFault {
    /// The table breaks a rule.
    #[error("its table of passes breaks a rule; compile it again")]
    Malformed = 1,
    /// There is no program of the set.
    #[error("the table of passes has no program of it; load it")]
    Missing = 2,
    /// A pass needs what the sub-engine does not have.
    #[error(
        "a pass needs a base that this chip does not store, adders that it does not have or that cannot make this \
         program, or an exponent that ALPHA does not announce; build the chip with Store = 1 and Adders = 1"
    )]
    Unit = 3,
    /// A matrix is not loaded.
    #[error(
        "a pass reads a matrix that is not loaded; load the matrices before the table of passes"
    )]
    Matrix = 4,
    /// The constant vectors do not fit.
    #[error(
        "its constant vectors do not fit into the memory; build the chip with more ConstantDepth"
    )]
    Vectors = 5,
    /// The number of passes is another one.
    #[error("PASSES has another number of passes than its table")]
    Passes = 6,
}

impl ProgramFault {
    /// That of a code.
    pub fn from_code(code: u32) -> Option<Self> {
        [
            Self::Malformed,
            Self::Missing,
            Self::Unit,
            Self::Matrix,
            Self::Vectors,
            Self::Passes,
        ]
        .into_iter()
        .find(|fault| *fault as u32 == code)
    }
}

/// What is known of a visit that is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Visit {
    set: u8,
    visit: usize,
    /// Its entries, from the first to the last one.
    entries: [usize; 2],
    passes: u32,
    vectors: u32,
}

/// A loop that is open.
#[derive(Clone, Copy, Debug)]
struct Loop {
    begin: usize,
    passes: u32,
    vectors: u32,
    stored: bool,
}

/// A visit that is open.
#[derive(Clone, Copy, Debug)]
struct Open {
    begin: Begin,
    entry: usize,
    passes: u32,
    vectors: u32,
    in_loop: Option<Loop>,
    stored: bool,
}

/// What a sub-engine that holds a table can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassLimits {
    /// Whether it has the visit before the recurrence, and the one behind it.
    pub visits: [bool; 2],
    /// Steps of matrices, and beats of constant vectors.
    pub matrix_depth: usize,
    /// See `matrix_depth`.
    pub constant_depth: usize,
    /// Parameter sets.
    pub num_sets: usize,
    /// Whether it can store the elements of a pass.
    pub store: bool,
    /// Whether it has adders.
    pub adders: bool,
}

/// The table of a full-round sub-engine, with the rules that make sure that no program runs for ever or reads what is
/// not there.
#[derive(Clone, Debug)]
pub struct PassTable {
    entries: Vec<PassEntry>,
    malformed: bool,
    open: Option<Open>,
    visits: Vec<Visit>,
    /// Entries whose matrix was not loaded when they came.
    unloaded: Vec<usize>,
    loaded: Vec<bool>,
    /// Words of the adders that are loaded, and are rows.
    rows: [bool; ADDER_WORDS],
}

impl Default for PassTable {
    fn default() -> Self {
        Self {
            entries: Vec::new(),
            malformed: false,
            open: None,
            visits: Vec::new(),
            unloaded: Vec::new(),
            loaded: vec![false; MAX_STEPS],
            rows: [false; ADDER_WORDS],
        }
    }
}

impl PassTable {
    /// A table that was erased: it has no program and no matrices, and begins with index 0 again.
    pub fn erased() -> Self {
        Self {
            malformed: true,
            ..Self::default()
        }
    }

    /// A constant of the sub-engine is written.
    pub fn write(&mut self, bank: u8, index: u8, word: &Word, limits: &PassLimits) {
        if bank == LAST_MATRIX_BANK {
            self.loaded[usize::from(index)] = true;
        }
        if bank == ADDER_BANK
            && let Some(row) = self.rows.get_mut(usize::from(index))
        {
            *row = is_row(index.into(), word);
        }
        if bank == PASS_BANK {
            self.write_entry(index.into(), word, limits);
        }
    }

    fn write_entry(&mut self, index: usize, word: &Word, limits: &PassLimits) {
        if index == 0 {
            let loaded = std::mem::take(&mut self.loaded);
            *self = Self {
                loaded,
                rows: self.rows,
                ..Self::default()
            };
        }
        if *word == Word::default() && self.open.is_none() {
            self.loaded.fill(false);
            self.rows.fill(false);
        }
        let is_next = index == self.entries.len();
        match PassEntry::read(word) {
            Some(entry) if is_next && !self.malformed => {
                self.entries.push(entry);
                let step = usize::from(entry.matrix);
                if step >= limits.matrix_depth || !self.loaded[step] {
                    self.unloaded.push(index);
                }
                self.malformed = self.take(index, entry, limits).is_none();
            }
            _ => self.malformed = true,
        }
    }

    /// Takes the next entry; nothing if it breaks a rule.
    fn take(&mut self, index: usize, entry: PassEntry, limits: &PassLimits) -> Option<()> {
        let mut open = match (entry.begin, self.open.take()) {
            (Some(begin), None) => {
                let exists = usize::from(begin.set) < limits.num_sets && limits.visits[begin.visit];
                let is_new = (self.visits.iter())
                    .all(|visit| (visit.set, visit.visit) != (begin.set, begin.visit));
                (exists && is_new).then_some(Open {
                    begin,
                    entry: index,
                    passes: 0,
                    vectors: 0,
                    in_loop: None,
                    stored: false,
                })?
            }
            (None, Some(open)) => open,
            _ => return None,
        };
        if entry.loop_begins {
            let begun = Loop {
                begin: index,
                passes: open.passes,
                vectors: open.vectors,
                stored: open.stored,
            };
            if open.in_loop.replace(begun).is_some() {
                return None;
            }
        }
        let has_base = match entry.store {
            Store::None => {
                if open.stored {
                    return None;
                }
                false
            }
            Store::Put => {
                if open.stored {
                    return None;
                }
                open.stored = true;
                false
            }
            Store::Keep | Store::Take => {
                if !open.stored {
                    return None;
                }
                open.stored = entry.store == Store::Keep;
                true
            }
        };
        if entry.power.uses_base() && !has_base {
            return None;
        }
        open.passes += 1;
        open.vectors += u32::from(entry.add);
        match entry.times {
            0 if entry.next != 0 => return None,
            0 => {}
            1 => return None,
            times => {
                let begun = open.in_loop.take()?;
                if usize::from(entry.next) != begun.begin || entry.leaves {
                    return None;
                }
                if open.stored != begun.stored {
                    return None;
                }
                let again = u32::from(times) - 1;
                open.passes += again * (open.passes - begun.passes);
                open.vectors += again * (open.vectors - begun.vectors);
            }
        }
        if !entry.leaves {
            self.open = Some(open);
            return Some(());
        }
        if open.in_loop.is_some() || open.stored {
            return None;
        }
        self.visits.push(Visit {
            set: open.begin.set,
            visit: open.begin.visit,
            entries: [open.entry, index],
            passes: open.passes,
            vectors: open.vectors,
        });
        Some(())
    }

    fn visit(&self, set: usize, visit: usize) -> Option<&Visit> {
        (self.visits.iter()).find(|known| (usize::from(known.set), known.visit) == (set, visit))
    }

    /// Checks the program of a parameter set of this shape, with the exponent and the numbers of passes of its
    /// registers, as the chip does when a run starts.
    ///
    /// # Errors
    ///
    /// Why it cannot run.
    pub fn check(
        &self,
        set: usize,
        shape: Shape,
        passes: [u32; 2],
        limits: &PassLimits,
    ) -> Result<(), ProgramFault> {
        if self.malformed {
            return Err(ProgramFault::Malformed);
        }
        let wanted = (0..2).filter(|&visit| limits.visits[visit]);
        let visits: Option<Vec<&Visit>> = wanted.map(|visit| self.visit(set, visit)).collect();
        let visits = visits.ok_or(ProgramFault::Missing)?;
        let numbers = || (visits.iter()).flat_map(|visit| visit.entries[0]..=visit.entries[1]);
        let entries = || numbers().map(|number| &self.entries[number]);
        let needs_store = entries().any(|entry| entry.store != Store::None);
        let is_seventh = entries().any(|entry| entry.power == Power::Seventh);
        if needs_store && !limits.store || is_seventh && shape.alpha != 7 {
            return Err(ProgramFault::Unit);
        }
        // A visit of states whose layers adders make can begin with one behind the S-boxes, and the last one does.
        let begins_in_line = |visit: &&Visit| {
            let first = &self.entries[visit.entries[0]];
            if first.power == Power::None {
                !first.leaves && first.times == 0
            } else {
                visit.visit == 0
            }
        };
        if shape.adders && (!limits.adders || needs_store || !visits.iter().all(begins_in_line)) {
            return Err(ProgramFault::Unit);
        }
        // States of two beats need second words, too. Wider ones have no adders.
        let words = (ADDER_WIDTH * shape.beats()).min(ADDER_WORDS);
        if shape.adders && self.rows[..words].contains(&false) {
            return Err(ProgramFault::Matrix);
        }
        let last = entries().map(|entry| usize::from(entry.matrix)).max();
        let last = last.unwrap_or_default() + shape.matrix_entries() - 1;
        if numbers().any(|number| self.unloaded.contains(&number))
            || last >= limits.matrix_depth
            || !self.loaded[last]
        {
            return Err(ProgramFault::Matrix);
        }
        let beats = shape.beats();
        let fits = |visit: &&Visit| {
            let short = usize::from(visit.visit == 1 && shape.is_short());
            let first = self.entries[visit.entries[0]].begin;
            let first = first.map_or(0, |begin| usize::from(begin.vector));
            first + (visit.vectors as usize + short) * beats <= limits.constant_depth
        };
        if !visits.iter().all(fits) {
            return Err(ProgramFault::Vectors);
        }
        if (visits.iter()).any(|visit| visit.passes != passes[visit.visit]) {
            return Err(ProgramFault::Passes);
        }
        Ok(())
    }

    /// The passes of a visit in the order in which a state makes them, each with the beat of its constant vector;
    /// nothing if there is none.
    pub fn passes(
        &self,
        set: usize,
        visit: usize,
        beats: usize,
    ) -> Option<Vec<(PassEntry, usize)>> {
        let found = self.visit(set, visit).filter(|_| !self.malformed)?;
        let [first, last] = found.entries;
        let begin = self.entries[first].begin?;
        let (mut pass, mut count, mut vector) = (first, 0, usize::from(begin.vector));
        let mut passes = Vec::new();
        loop {
            let entry = self.entries[pass];
            passes.push((entry, vector));
            if entry.add {
                vector += beats;
            }
            if pass == last {
                return Some(passes);
            }
            pass += 1;
            if entry.times != 0 {
                count += 1;
                if count < entry.times {
                    pass = entry.next.into();
                } else {
                    count = 0;
                }
            }
        }
    }
}

//! The registers of hash engines and rows, and constants with their places.

use super::error::ProgramError;
use super::limits::{EngineLimits, MAX_DEPTH};
use super::pass_table::Power;
use super::shape::{
    self, FIRST_FULL, LANES, MAX_ELEMENTS, SECOND_FULL, SUB_ENGINES, Shape, beats_up_to,
    most_words, partial_fits, widest,
};
use crate::registers::{self, EngineRegisters};
use acclmt_poseidon::word::Word;

/// Number under which the initial vector is loaded.
pub const INITIAL_VECTOR: u8 = 15;

/// Mask of the first two hash engines, which a chip has by default.
pub const BOTH_ENGINES: u8 = 0b11;

/// Number of the parameter set of rows.
pub const ROW_SET: usize = 0;

/// Number of the parameter set of nodes.
pub const NODE_SET: usize = 1;

/// Number of the parameter set of the nodes of other levels: that of `TOP`.
pub const TOP_SET: usize = 2;

/// Indices of initial vectors that a parameter set has.
pub const INITIAL_VECTORS: u8 = 8;

/// Number of the values of empty sub-trees among the sub-engines: bank 0, index level.
pub const EMPTY_SUB_TREES: u8 = 14;

/// Value of the register `FIELD` for the large prime.
pub const LARGE_PRIME: u32 = 0;

/// Value of the register `FIELD` for the Goldilocks field.
pub const GOLDILOCKS: u32 = 1;

/// First bank of the coefficients of elements in odd groups of a full-round sub-engine; those of elements in even
/// groups begin in bank 0.
pub(super) const ODD_BANK: u8 = 9;

/// Bank of lane 0 of the constant vectors of a full-round sub-engine.
pub(super) const VECTOR_BANK: u8 = 18;

/// Number of the later vector of [`INITIAL_VECTOR`]: that of the second and later blocks of a row.
pub(super) const LATER_VECTOR_INDEX: usize = 4;

/// Bank of lane 0 of the coefficients of the last output of the S-box of a partial-round sub-engine; those of
/// element 0 begin in bank 0.
pub(super) const PARTIAL_OUTPUT_BANK: u8 = 3;

/// Bank of the constants of a partial-round sub-engine.
pub(super) const PARTIAL_CONSTANT_BANK: u8 = 6;

/// Position code of no element.
pub(super) const LANE_NONE: u32 = 3;

/// Bits of a position code.
const CODE_BITS: usize = 5;

/// Position codes in a register.
const CODES_PER_REGISTER: usize = 6;

/// Position codes in a map: one for each element of the widest state.
const CODES: usize = MAX_ELEMENTS;

/// A map of positions: the values of its registers.
pub type PositionMap = [u32; registers::MAP_REGISTERS as usize];

const _: () = assert!(CODES == CODES_PER_REGISTER * registers::MAP_REGISTERS as usize);

/// A constant and where it is loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChipConstant {
    /// Hash engines that take it: bit e hash engine e. In a program [`BOTH_ENGINES`]; which ones take it in a run
    /// depends on the [`Roles`].
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
    /// Elements of the state.
    pub width: u32,
    /// Elements of it that stand beside the permutation.
    pub beside: u32,
    /// S-box exponent.
    pub alpha: u32,
    /// Passes of both visits to the full-round sub-engines.
    pub passes: [u32; 2],
    /// The recurrence: see [`ChipRegisters::order`] and [`ChipRegisters::output_enters`]. 0 without one.
    pub recurrence: u32,
    /// Stream words of a digest.
    pub digest_words: u32,
    /// Position codes of the input elements, 6 in a register.
    pub input_map: PositionMap,
    /// Position codes of the elements of the digest.
    pub digest_map: PositionMap,
    /// Rounds of the recurrence of each sub-engine, by its number; full-round sub-engines have none.
    pub partial_rounds: [u32; SUB_ENGINES],
    /// First beat of its coefficients in a partial-round sub-engine.
    pub partial_base: u32,
}

/// Where the constants of a parameter set begin in the memories of a hash engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bases {
    /// First step of its matrices in a full-round sub-engine.
    pub matrix: u8,
    /// First beat of its constant vectors in a full-round sub-engine.
    pub constant: u8,
    /// First entry of its passes in each full-round sub-engine, by number among those.
    pub passes: [u8; 2],
    /// First beat of its coefficients in a partial-round sub-engine: the register `PARTIAL_BASE`.
    pub partial: u8,
}

/// What each hash engine does in a run: the register `ROLES`. Bit e of a mask is hash engine e.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Roles {
    /// Those that hash rows into leaves.
    pub rows: u8,
    /// Those that hash groups of siblings into nodes.
    pub nodes: u8,
    /// Most nodes that are inside of an engine at a time; 0: as many as it takes.
    pub node_limit: u8,
}

impl Roles {
    /// A leaf hash engine and a root hash engine, as in the AcclMT paper.
    pub const LEAF_AND_ROOT: Self = Self {
        rows: 0b01,
        nodes: 0b10,
        node_limit: 0,
    };

    /// Those of a register value.
    pub fn read(value: u32) -> Self {
        // The fields have 8 bits.
        Self {
            rows: registers::ROLES_ROWS.get(value) as u8,
            nodes: registers::ROLES_NODES.get(value) as u8,
            node_limit: registers::ROLES_NODE_LIMIT.get(value) as u8,
        }
    }

    /// The register value.
    pub fn value(&self) -> u32 {
        registers::ROLES_ROWS.with(self.rows.into())
            | registers::ROLES_NODES.with(self.nodes.into())
            | registers::ROLES_NODE_LIMIT.with(self.node_limit.into())
    }

    /// Whether, in a run that hashes leaves for a tree, the place of a leaf is reserved as its row begins: leaves
    /// can come in any order then. Else there is one leaf hash engine with nothing else to do, and a leaf gets its
    /// place as it comes.
    pub fn reserve_leaves(&self) -> bool {
        self.rows.count_ones() != 1 || self.are_shared()
    }

    /// Whether an engine has both roles.
    pub fn are_shared(&self) -> bool {
        self.rows & self.nodes != 0
    }
}

/// A level of a tree: an entry of the register `LEVEL_TABLE`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LevelEntry {
    /// Number of the parameter set with which its nodes are hashed, see [`registers::SETS`].
    pub set: usize,
    /// Groups of siblings that its queue has room for.
    pub groups: u32,
}

impl LevelEntry {
    /// That of a level that is hashed as most are: with the parameter set of `ROOT`.
    pub const fn of_nodes(groups: u32) -> Self {
        Self {
            set: NODE_SET,
            groups,
        }
    }

    /// That of a register value.
    pub fn read(value: u32) -> Self {
        Self {
            set: registers::LEVEL_SET.get(value) as usize,
            groups: registers::LEVEL_GROUPS.get(value),
        }
    }

    /// The register value.
    pub fn value(&self) -> u32 {
        registers::LEVEL_SET.with(self.set as u32) | registers::LEVEL_GROUPS.with(self.groups)
    }
}

impl ChipRegisters {
    /// The registers of `engine`, from what `get` says of the one at an address.
    pub fn read(engine: &EngineRegisters, get: impl Fn(u32) -> u32) -> Self {
        Self {
            arity: get(engine.input_words.address),
            field: get(registers::FIELD.address),
            width: registers::WIDTH_ELEMENTS.get(get(engine.width.address)),
            beside: registers::WIDTH_BESIDE.get(get(engine.width.address)),
            alpha: get(engine.alpha.address),
            passes: [registers::PASSES_FIRST, registers::PASSES_LAST]
                .map(|field| field.get(get(engine.passes.address))),
            recurrence: get(engine.recurrence.address),
            digest_words: get(engine.digest_words.address),
            input_map: read_map(&engine.input_map, &get),
            digest_map: read_map(&engine.digest_map, &get),
            partial_rounds: std::array::from_fn(|number| match number {
                FIRST_FULL | SECOND_FULL => 0,
                _ => get(engine.partial_rounds.at(number as u32 - 1)),
            }),
            partial_base: get(engine.partial_base.address),
        }
    }

    /// The address of every register of `engine` and the value that is written to it; `FIELD` is one
    /// for both engines.
    pub fn writes(&self, engine: &EngineRegisters) -> Vec<(u32, u32)> {
        let single = [
            (&registers::FIELD, self.field),
            (&engine.input_words, self.arity),
            (&engine.width, self.width_value()),
            (&engine.alpha, self.alpha),
            (&engine.passes, self.passes_value()),
            (&engine.recurrence, self.recurrence),
            (&engine.digest_words, self.digest_words),
            (&engine.partial_base, self.partial_base),
        ];
        let runs = [
            (&engine.input_map, &self.input_map[..]),
            (&engine.digest_map, &self.digest_map[..]),
            (
                &engine.partial_rounds,
                &self.partial_rounds[FIRST_FULL + 1..SECOND_FULL],
            ),
        ];
        let single = single.map(|(register, value)| (register.address, value));
        let runs = (runs.into_iter()).flat_map(|(register, values)| run_writes(register, values));
        single.into_iter().chain(runs).collect()
    }
}

/// The map in the registers of a run, from what `get` says of the one at an address.
fn read_map(register: &registers::Register, get: impl Fn(u32) -> u32) -> PositionMap {
    std::array::from_fn(|number| get(register.at(number as u32)))
}

/// The address of each register of a run and the value that is written to it.
fn run_writes(register: &registers::Register, values: &[u32]) -> impl Iterator<Item = (u32, u32)> {
    (0..)
        .zip(values)
        .map(|(position, &value)| (register.at(position), value))
}

/// Multiplications and squarings of an S-box x^`alpha` in one pass.
fn s_box_products(alpha: u64) -> usize {
    Power::of_exponent(alpha).map_or(0, Power::products)
}

/// What a chip with a run-time modulus needs to know about the large prime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuntimeModulus {
    /// The prime.
    pub prime: Word,
    /// R^2 modulo the prime, where R is the Montgomery radix.
    pub radix_squared: Word,
}

/// The value of the register `RECURRENCE` for so many sums that move up, and layers made by adders.
pub(super) fn recurrence(order: usize, output_enters: bool, adders: bool) -> u32 {
    registers::RECURRENCE_ORDER.with(order as u32)
        | registers::RECURRENCE_ADDERS.with(adders.into())
        | registers::RECURRENCE_OUTPUT_ENTERS.with(output_enters.into())
}

impl ChipRegisters {
    /// Sums of the recurrence that move up behind a round; 0 where there is no recurrence.
    pub fn order(&self) -> usize {
        registers::RECURRENCE_ORDER.get(self.recurrence) as usize
    }

    /// Whether the output of the S-box is added to the next element 0.
    pub fn output_enters(&self) -> bool {
        registers::RECURRENCE_OUTPUT_ENTERS.is_set(self.recurrence)
    }

    /// Whether layers are made by adders.
    pub fn adders(&self) -> bool {
        registers::RECURRENCE_ADDERS.is_set(self.recurrence)
    }

    /// The value of the register `WIDTH`.
    pub fn width_value(&self) -> u32 {
        registers::WIDTH_ELEMENTS.with(self.width) | registers::WIDTH_BESIDE.with(self.beside)
    }

    /// The value of the register `PASSES`.
    pub fn passes_value(&self) -> u32 {
        let [first, last] = self.passes;
        registers::PASSES_FIRST.with(first) | registers::PASSES_LAST.with(last)
    }

    /// What the occupation of the sub-engines depends on, with a legal width. Of rounds of Poseidon2 the registers
    /// know nothing.
    pub fn shape(&self) -> Shape {
        let goldilocks = self.field == GOLDILOCKS;
        let shape = Shape {
            width: (self.width as usize).clamp(2, widest(goldilocks)),
            beside: self.beside as usize,
            alpha: self.alpha.into(),
            s_box_passes: [1; 2],
            s_box_products: [s_box_products(self.alpha.into()); 2],
            goldilocks,
            recurrent: self.order() != 0,
            adders: self.adders(),
            first_layer: false,
            partial_matrix: false,
            own_last_matrix: false,
            digest_beats: 1,
        };
        if goldilocks {
            return shape.of_whole_states();
        }
        let words = (self.digest_words as usize).min(most_words(goldilocks));
        let elements = (0..words).filter_map(|number| position(&self.digest_map, number));
        Shape {
            digest_beats: beats_up_to(elements).min(shape.beats()),
            ..shape
        }
    }

    /// Checks the values as a chip with `limits` does for its leaf hash engine at the start of a run
    /// without tree.
    ///
    /// # Errors
    ///
    /// When one is illegal; the error names the first register, in address order.
    pub fn check(&self, limits: &EngineLimits) -> Result<(), ProgramError> {
        // The memories behind the base.
        let depth = limits.partial_depth.min(MAX_DEPTH);
        let limits = &EngineLimits {
            partial_depth: depth.saturating_sub((self.partial_base & 0xff) as usize),
            ..*limits
        };
        let shape = self.shape();
        let goldilocks = shape.goldilocks;
        let (stream_words, widest) = (most_words(goldilocks) as u32, widest(goldilocks) as u32);
        let partial_rounds = (FIRST_FULL + 1..SECOND_FULL).map(|engine| {
            let rounds = self.partial_rounds[engine];
            (
                registers::LEAF.partial_rounds.at(engine as u32 - 1),
                rounds,
                partial_fits(engine, rounds as usize, shape, limits),
            )
        });
        let base = (
            registers::LEAF.partial_base.address,
            self.partial_base,
            self.partial_base <= u8::MAX.into(),
        );
        let maps = [
            (registers::LEAF.input_map, self.input_map),
            (registers::LEAF.digest_map, self.digest_map),
        ];
        let maps = maps.into_iter().flat_map(|(register, map)| {
            let legal = move |value: u32| {
                let names = |number| code(value, number).is_none_or(|at| at < self.width as usize);
                value >> (CODE_BITS * CODES_PER_REGISTER) == 0 && (0..CODES_PER_REGISTER).all(names)
            };
            (0..)
                .zip(map)
                .map(move |(part, value)| (register.at(part), value, legal(value)))
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
                self.width_value(),
                (2..=widest).contains(&self.width) && self.beside < self.width,
            ),
            (
                registers::LEAF.alpha,
                self.alpha,
                [3, 5, 7].contains(&self.alpha),
            ),
            (
                registers::LEAF.passes,
                self.passes_value(),
                self.passes.iter().all(|&passes| passes != 0),
            ),
            (
                registers::LEAF.recurrence,
                self.recurrence,
                self.recurrence & !registers::LEAF.recurrence.mask() == 0
                    && self.order() < self.width as usize
                    && (shape.recurrent || !self.output_enters())
                    && (!self.adders() || limits.adders && shape.recurrent && shape.fits_adders()),
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
            .chain([base])
            .find(|(_, _, legal)| !legal)
        {
            None => Ok(()),
            Some((address, value, _)) => Err(ProgramError::IllegalRegister { address, value }),
        }
    }
}

/// Output buffers of the full-round sub-engines that states on their way fill: one for each visit.
const FULL_ROUND_VISITS: usize = 2;

/// What a leaf is: the values of the registers of the same names, and of `MODE.Overwrite` and `MODE.CloseFrom`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowRegisters {
    /// Blocks of a row: permutations.
    pub blocks: u32,
    /// Rows that are under way together.
    pub group: u32,
    /// Stream words of the last block.
    pub last_words: u32,
    /// Position codes of the elements of the last block.
    pub last_map: PositionMap,
    /// Whether the elements of later blocks take their places in the state instead of being added.
    pub overwrite: bool,
    /// Elements of the last of these blocks from this number on take their places, though others are added; 0: none
    /// do.
    pub close_from: u32,
}

impl RowRegisters {
    /// Leaves of one block: the hashes of a program.
    pub fn one_block(hash: &ChipRegisters) -> Self {
        Self {
            blocks: 1,
            group: 1,
            last_words: hash.arity,
            last_map: hash.input_map,
            overwrite: false,
            close_from: 0,
        }
    }

    /// The registers, from what `get` says of the one at an address.
    pub fn read(get: impl Fn(u32) -> u32) -> Self {
        Self {
            blocks: get(registers::ROW_BLOCKS.address),
            group: get(registers::ROW_GROUP.address),
            last_words: get(registers::LAST_INPUT_WORDS.address),
            last_map: read_map(&registers::LAST_INPUT_MAP, &get),
            overwrite: registers::MODE_OVERWRITE.is_set(get(registers::MODE.address)),
            close_from: registers::MODE_CLOSE_FROM.get(get(registers::MODE.address)),
        }
    }

    /// The address of every register and the value that is written to it.
    pub fn writes(&self) -> Vec<(u32, u32)> {
        let single = [
            (registers::ROW_BLOCKS.address, self.blocks),
            (registers::ROW_GROUP.address, self.group),
            (registers::LAST_INPUT_WORDS.address, self.last_words),
        ];
        let map = run_writes(&registers::LAST_INPUT_MAP, &self.last_map);
        single.into_iter().chain(map).collect()
    }
}

impl ChipRegisters {
    /// Output buffers that states can fill while they wait.
    fn waiting_buffers(&self) -> usize {
        let partial = &self.partial_rounds[FIRST_FULL + 1..SECOND_FULL];
        FULL_ROUND_VISITS + partial.iter().filter(|&&rounds| rounds != 0).count()
    }

    /// Most rows that can be under way together in a hash engine: `ROW_GROUP` is at most this, and without a tree
    /// at most this for each hash engine that takes rows. All first blocks of a group
    /// come before the first second block, so that the states of a whole group wait in the output buffers
    /// of the sub-engines: one for each of the two visits of a full-round sub-engine, and one for each
    /// partial-round sub-engine that has rounds. One without rounds is a wire.
    ///
    /// The RTL has the same rule in `acclmt_timing_pkg::most_rows`. The buffer ahead of the first
    /// sub-engine holds some states more, which the rule leaves out.
    pub fn most_rows(&self, limits: &EngineLimits) -> usize {
        (self.waiting_buffers() * (limits.places / self.shape().beats())).max(1)
    }
}

/// Beats that an output buffer may lack for the next state, whatever its beats are.
const LOST_BEATS: usize = 3;

/// Whether hash engines with both roles have room for a group of rows of several blocks and for the nodes that are
/// inside of them, whose states have so many beats at most; the first engine gets a row more than others where they do
/// not go round: states of rows wait in the output buffers for words that come later, and nodes go past them.
///
/// The RTL has the same rule in `acclmt_timing_pkg::shared_rows_fit`.
pub fn shared_rows_fit(
    rows: &ChipRegisters,
    node_beats: usize,
    group: u32,
    roles: Roles,
    limits: &EngineLimits,
) -> bool {
    let engines = roles.rows.count_ones() as usize;
    let room = engines * rows.waiting_buffers() * (limits.places - LOST_BEATS);
    let of_rows = (group as usize + engines.saturating_sub(1)) * rows.shape().beats();
    let of_nodes = engines * usize::from(roles.node_limit) * node_beats;
    of_rows + of_nodes <= room
}

/// The state element that position code `number` of a map names; `None` for lane 3, and where there is no code.
pub(super) fn position(map: &PositionMap, number: usize) -> Option<usize> {
    code(
        *map.get(number / CODES_PER_REGISTER)?,
        number % CODES_PER_REGISTER,
    )
}

/// The same of code `number` of a register.
fn code(register: u32, number: usize) -> Option<usize> {
    let code = register >> (CODE_BITS * number) & ((1 << CODE_BITS) - 1);
    let (group, lane) = (code >> 2, code & 3);
    (lane != LANE_NONE).then_some(LANES * group as usize + lane as usize)
}

/// Position codes of `elements`, of which `in_word` are in a stream word.
pub(super) fn encode(elements: &[usize], in_word: usize, shape: Shape) -> PositionMap {
    let slices = shape::in_word(shape.goldilocks);
    let mut codes = [LANE_NONE; CODES];
    for (word, elements) in elements.chunks(in_word).enumerate() {
        for (slice, element) in elements.iter().enumerate() {
            codes[word * slices + slice] = (((element / LANES) << 2) | (element % LANES)) as u32;
        }
    }
    let (registers, _) = codes.as_chunks::<CODES_PER_REGISTER>();
    std::array::from_fn(|number| {
        let codes = registers[number].iter().rev();
        codes.fold(0, |value, code| value << CODE_BITS | code)
    })
}

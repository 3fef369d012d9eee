//! The modelled chip behind the port of the driver: its registers, and the time that passes.

use std::collections::HashMap;

use super::machine::{Host, Machine, Moved, RunSetup};
use super::tree::{LevelSetup, TreeSetup};
use super::zeroise;
use crate::latencies::{LEVEL_SETUP, Pipelines};
use crate::stalls::{Rate, Stalls};
use crate::strides::Strides;
use acclmt_driver::checksum::ConstantChecksum;
use acclmt_driver::chip::{ChipPort, OutputWord, PortError, RunAhead};
use acclmt_driver::device::Counters;
use acclmt_driver::level_table::NODE_WORDS;
use acclmt_driver::program::{
    ADDER_BANK, ADDER_WORDS, ChipRegisters, EMPTY_SUB_TREES, EngineLimits, GOLDILOCKS,
    INITIAL_VECTOR, LANES, LevelEntry, MAX_ELEMENTS, MAX_NUM_FULL, PASS_BANK, PASS_TABLE_DEPTH,
    PassTable, Power, ProgramError, ProgramFault, ROW_SET, Roles, RowRegisters, check_mix,
    most_words, shared_rows_fit,
};
use acclmt_driver::registers::{self, Access, Register, SETS};
use acclmt_driver::timeline::Timeline;
use acclmt_poseidon::fields::FieldId;
use acclmt_poseidon::word::{self, Word};

/// Which group of siblings the root hash engine takes next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dispatch {
    /// That of the highest level which is complete, whichever standard tree it belongs to, as in the RTL.
    #[default]
    DeepestFirst,
    /// The same, but none of a standard tree before the one before is folded: its minor aggregation is not
    /// merged with the next major aggregation. Only the model has it, to show what the merger is for
    /// (AcclMT paper, section III-C and figure 7).
    TreeByTree,
}

/// Parameters with which a chip is built: those of `acclmt_core`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hardware {
    /// The large prime.
    pub field: FieldId,
    /// Whether the prime is set at run time.
    pub runtime_modulus: bool,
    /// Whether full-round sub-engines store the elements of a pass (`Store`).
    pub store: bool,
    /// Whether full-round sub-engines make layers of small integers by adders (`Adders`), in Goldilocks mode alone.
    pub adders: bool,
    /// Whether the chip also computes in the Goldilocks field.
    pub goldilocks: bool,
    /// Hash engines, 1 to 8.
    pub num_engines: usize,
    /// Full-round sub-engines of each hash engine, 1 or 2.
    pub num_full: usize,
    /// Partial-round sub-engines of each hash engine, 1 to 6. The model also has engines with none, to show
    /// what they are for.
    pub num_partial: usize,
    /// Entries of the matrix and constant memories of a full-round sub-engine, and of those of a
    /// partial-round sub-engine.
    pub matrix_depth: usize,
    /// See `matrix_depth`.
    pub constant_depth: usize,
    /// See `matrix_depth`.
    pub partial_depth: usize,
    /// Levels above the leaves that a tree can have.
    pub max_height: u32,
    /// Words of the node memory.
    pub node_words: u32,
    /// Whether memories keep parity (`MemoryParity`): told in the capabilities, and no bit flips in the model.
    pub memory_parity: bool,
    /// Which group of siblings is next.
    pub dispatch: Dispatch,
}

impl Default for Hardware {
    /// The default of `acclmt_core`.
    fn default() -> Self {
        Self {
            field: FieldId::Bls12_381,
            runtime_modulus: false,
            store: true,
            adders: true,
            goldilocks: true,
            num_engines: 2,
            num_full: 1,
            num_partial: 4,
            matrix_depth: 64,
            constant_depth: 256,
            partial_depth: 128,
            max_height: registers::MAX_HEIGHT as u32,
            node_words: NODE_WORDS,
            memory_parity: false,
            dispatch: Dispatch::DeepestFirst,
        }
    }
}

/// A chip cannot be built like this.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no chip has {name} = {value}: {legal}")]
pub struct HardwareError {
    /// The parameter.
    pub name: &'static str,
    /// Its value.
    pub value: String,
    /// What it can be.
    pub legal: &'static str,
}

impl Hardware {
    /// Checks the values, as the elaboration of `acclmt_core` does but for what only the model has.
    ///
    /// # Errors
    ///
    /// When one is illegal; the error names the first.
    pub fn check(&self) -> Result<(), HardwareError> {
        let number = |name, value: u64, is_legal: bool, legal| {
            if is_legal {
                return Ok(());
            }
            let value = value.to_string();
            Err(HardwareError { name, value, legal })
        };
        let depth = |name, value: usize, least: usize, legal| {
            let is_legal = value.is_power_of_two() && (least..=256).contains(&value);
            number(name, value as u64, is_legal, legal)
        };
        if self.field == FieldId::Goldilocks {
            return Err(HardwareError {
                name: "the large prime",
                value: self.field.name().to_owned(),
                legal: "it is that of another field",
            });
        }
        let engines = self.num_engines;
        number(
            "NumEngines",
            engines as u64,
            (1..=registers::MAX_ENGINES).contains(&engines),
            "it is 1 to 8",
        )?;
        let (full, partial) = (self.num_full, self.num_partial);
        number(
            "NumFull",
            full as u64,
            (1..=2).contains(&full),
            "it is 1 or 2",
        )?;
        number(
            "NumPartial",
            partial as u64,
            partial <= registers::MAX_PARTIAL_ENGINES,
            "it is 1 to 6, or 0 in the model",
        )?;
        depth(
            "MatrixDepth",
            self.matrix_depth,
            32,
            "it is a power of two from 32 to 256",
        )?;
        depth(
            "ConstantDepth",
            self.constant_depth,
            16,
            "it is a power of two from 16 to 256",
        )?;
        depth(
            "PartialDepth",
            self.partial_depth,
            4,
            "it is a power of two from 4 to 256",
        )?;
        let height = self.max_height;
        number(
            "MaxHeight",
            height.into(),
            (1..=registers::MAX_HEIGHT as u32).contains(&height),
            "it is 1 to 32",
        )?;
        let words = self.node_words;
        number(
            "NodeWords",
            words.into(),
            words.is_power_of_two() && (32..=32_768).contains(&words),
            "it is a power of two from 32 to 32768",
        )
    }

    fn pipelines(&self) -> Pipelines {
        Pipelines::new(self.runtime_modulus)
    }

    /// What a program must fit into.
    pub fn limits(&self) -> EngineLimits {
        let pipelines = self.pipelines();
        EngineLimits {
            prime: self.field.prime(),
            num_engines: self.num_engines,
            num_full: self.num_full,
            num_partial: self.num_partial,
            matrix_depth: self.matrix_depth,
            constant_depth: self.constant_depth,
            partial_depth: self.partial_depth,
            goldilocks: self.goldilocks,
            montgomery_bits: if self.runtime_modulus { 280 } else { 264 },
            runtime_modulus: self.runtime_modulus,
            store: self.store,
            adders: self.adders && self.goldilocks,
            places: pipelines.places as usize,
            loop_cycles: pipelines.full_loop as usize,
        }
    }
}

/// Which cycles stall: the generator of the testbench (xorshift64*).
#[derive(Clone, Copy, Debug)]
struct Coin(u64);

impl Coin {
    fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(2).wrapping_add(1))
    }

    /// True with the probability `chance` * 2^-32.
    fn toss(&mut self, chance: u32) -> bool {
        if chance == 0 {
            return false;
        }
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        ((self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 32) as u32) < chance
    }
}

/// The words that a link of the host brings, as in the testbench: evenly; a word that waits for the chip
/// keeps the next one waiting.
#[derive(Clone, Copy, Debug)]
struct Link {
    words: u64,
    cycles: u64,
    credit: u64,
}

impl Link {
    fn new(rate: Rate) -> Self {
        Self {
            words: rate.words().into(),
            cycles: rate.cycles().into(),
            credit: 0,
        }
    }

    /// So many cycles begin.
    fn pass(&mut self, cycles: u64) {
        let credit = cycles
            .saturating_mul(self.words)
            .saturating_add(self.credit);
        self.credit = credit.min(self.cycles + self.words - 1);
    }

    /// Whether it lacks a word in some cycles.
    fn is_limited(&self) -> bool {
        self.words < self.cycles
    }

    /// In how many cycles a word is there.
    fn cycles_to_word(&self) -> u64 {
        if self.credit >= self.cycles {
            return 0;
        }
        self.cycles.saturating_sub(self.credit).div_ceil(self.words)
    }

    fn take(&mut self) {
        self.credit -= self.cycles;
    }
}

/// What elements of the input must be below.
#[derive(Clone, Debug)]
enum Prime {
    Large(Word),
    Goldilocks,
}

/// Cycles from a request of the register port to what it does.
const REQUEST: u64 = 1;

/// Number of the second full-round sub-engine.
const SECOND_FULL: u32 = 7;

/// Beats of the constant vectors of dense layers where others are made by adders: two in two visits of four sets.
const DENSE_DEPTH: u32 = 16;

/// Where a run is.
#[derive(Clone, Debug)]
enum State {
    Idle,
    /// A zeroisation sweeps the memories, for so many more cycles, until its run starts.
    Sweeping(u64),
    /// The queues are laid out, for so many more cycles.
    Setup(u64, Box<RunSetup>),
    /// The queues are laid out until, in so many cycles, the start is refused.
    Refusing(u64, Refusal),
    Running(Box<Machine>),
    /// The run of a zeroisation has ended; so many cycles are left.
    Finishing(u64),
    /// The run has ended with these counters.
    Done(Box<Counters>),
}

/// Why a start is refused after a while.
#[derive(Clone, Copy, Debug)]
enum Refusal {
    /// The queue of the level of this register does not fit.
    Register(u32),
    /// The program of a parameter set cannot run.
    Program { set: usize, fault: ProgramFault },
}

/// The chip, cycle for cycle, without its arithmetic: every output word is 0.
///
/// Registers, streams and counters behave as those of the RTL, through the same port. What is computed
/// comes from elsewhere, see [`ModelDevice`](super::ModelDevice).
#[derive(Clone, Debug)]
pub struct ModelChip {
    hardware: Hardware,
    registers: HashMap<u32, u32>,
    state: State,
    /// What the run repeats, if it is long.
    strides: Option<Strides>,
    /// Most leaves of a long run that are simulated, and whether one would have had more.
    most_simulated: Option<u64>,
    has_given_up: bool,
    cycles: u64,
    words_taken: u64,
    /// The last start was refused.
    start_refused: bool,
    /// What is under way is a zeroisation.
    zeroising: bool,
    /// `STATUS.Zeroised`.
    zeroised: bool,
    /// Of the constants that were written.
    checksum: ConstantChecksum,
    /// `INTERRUPT_STATUS`.
    pending: u32,
    /// That of the run.
    prime: Prime,
    coin: Coin,
    link: Link,
    stall_input: u32,
    stall_output: u32,
    slots: bool,
    records: bool,
    timeline: Option<Timeline>,
    /// The tables of passes, `MAX_NUM_FULL` of each hash engine.
    passes: Vec<PassTable>,
    /// A constant that was taken: the value of `CONSTANT_ADDRESS`, and the word.
    constant: Option<(u32, Word)>,
}

impl ModelChip {
    /// A chip after its reset.
    ///
    /// # Errors
    ///
    /// When no chip can be built like this.
    pub fn new(hardware: Hardware) -> Result<Self, HardwareError> {
        hardware.check()?;
        let pipelines = hardware.pipelines();
        let limits = hardware.limits();
        let engine = registers::CAPS_NUM_FULL.with(limits.num_full as u32)
            | registers::CAPS_NUM_PARTIAL.with(limits.num_partial as u32)
            | registers::CAPS_LANES.with(acclmt_driver::program::LANES as u32)
            | registers::CAPS_LOOP_CYCLES_FULL.with(pipelines.full_loop as u32)
            | registers::CAPS_LOOP_CYCLES_PARTIAL.with(pipelines.partial_loop as u32)
            | registers::CAPS_LOG2_PLACES.with(limits.places.ilog2());
        let depth = registers::CAPS_MATRIX_DEPTH.with(limits.matrix_depth as u32)
            | registers::CAPS_CONSTANT_DEPTH.with(limits.constant_depth as u32)
            | registers::CAPS_PARTIAL_DEPTH.with(limits.partial_depth as u32)
            | registers::CAPS_STORE.with(limits.store.into())
            | registers::CAPS_ADDERS.with(limits.adders.into());
        let tree = registers::CAPS_MAX_HEIGHT.with(hardware.max_height)
            | registers::CAPS_LOG2_NODE_WORDS.with(hardware.node_words.ilog2());
        let field = registers::CAPS_GOLDILOCKS.with(hardware.goldilocks.into())
            | registers::CAPS_RUNTIME_MODULUS.with(hardware.runtime_modulus.into())
            | registers::CAPS_MONTGOMERY_BITS.with(limits.montgomery_bits);
        let values = HashMap::from([
            (registers::ID.address, registers::ID_VALUE),
            (registers::VERSION.address, registers::VERSION_VALUE),
            (registers::CAPS_ENGINE.address, engine),
            (registers::CAPS_DEPTH.address, depth),
            (registers::CAPS_TREE.address, tree),
            (registers::CAPS_FIELD.address, field),
            (
                registers::CAPS_POOL.address,
                registers::CAPS_NUM_ENGINES.with(hardware.num_engines as u32)
                    | registers::CAPS_MEMORY_PARITY.with(hardware.memory_parity.into()),
            ),
        ]);
        let mut chip = Self {
            passes: vec![PassTable::default(); MAX_NUM_FULL * limits.num_engines],
            hardware,
            registers: values,
            state: State::Idle,
            strides: None,
            most_simulated: None,
            has_given_up: false,
            cycles: 0,
            words_taken: 0,
            start_refused: false,
            zeroising: false,
            zeroised: false,
            checksum: ConstantChecksum::default(),
            pending: 0,
            prime: Prime::Large(limits.prime),
            coin: Coin::new(0),
            link: Link::new(Rate::default()),
            stall_input: 0,
            stall_output: 0,
            slots: false,
            records: false,
            timeline: None,
            constant: None,
        };
        chip.reset_prime();
        Ok(chip)
    }

    /// The prime is that of the build.
    fn reset_prime(&mut self) {
        let prime = self.hardware.limits().prime;
        for (position, bytes) in (0..).zip(prime.as_chunks::<4>().0) {
            let value = u32::from_le_bytes(*bytes);
            self.registers.insert(registers::PRIME.at(position), value);
        }
    }

    /// What the chip is built like.
    pub fn hardware(&self) -> &Hardware {
        &self.hardware
    }

    /// Clock cycles since the reset.
    pub fn cycles(&self) -> u64 {
        self.cycles
    }

    /// From now on input is withheld and output refused at random, with these probabilities in a clock
    /// cycle, in the same cycles as by the testbench of the RTL.
    ///
    /// # Errors
    ///
    /// When a probability is not within 0 to below 1.
    pub fn set_stalls(&mut self, seed: u64, input: f64, output: f64) -> Result<(), PortError> {
        let chance = |value: f64| {
            if (0.0..1.0).contains(&value) {
                Ok((value * f64::from(u32::MAX)) as u32)
            } else {
                Err(PortError::new(format!(
                    "the probability of a stall is {value}; it must be at least 0 and below 1"
                )))
            }
        };
        (self.stall_input, self.stall_output) = (chance(input)?, chance(output)?);
        self.coin = Coin::new(seed);
        Ok(())
    }

    /// From now on input words are offered at this rate at most, evenly, in the same cycles as by the
    /// testbench of the RTL. A word that waits for the chip keeps the next one waiting.
    pub fn set_input_rate(&mut self, rate: Rate) {
        self.link = Link::new(rate);
    }

    /// Both: [`set_stalls`](Self::set_stalls) and [`set_input_rate`](Self::set_input_rate).
    ///
    /// # Errors
    ///
    /// When a probability is not within 0 to below 1.
    pub fn set_host(&mut self, stalls: &Stalls) -> Result<(), PortError> {
        self.set_input_rate(stalls.input_rate);
        self.set_stalls(stalls.seed, stalls.input, stalls.output)
    }

    /// Whether every slot of every sub-engine is simulated by itself, instead of whole visits where
    /// that gives the same; from the next run on.
    pub fn simulate_slots(&mut self, slots: bool) {
        self.slots = slots;
    }

    /// From now on a long run fails in which more than about `leaves` leaves would be simulated, as it does not repeat
    /// itself, see [`has_given_up`](Self::has_given_up).
    pub(crate) fn simulate_at_most(&mut self, leaves: u64) {
        self.most_simulated = Some(leaves);
    }

    /// Whether a run failed because of that.
    pub(crate) fn has_given_up(&self) -> bool {
        self.has_given_up
    }

    fn get(&self, register: &Register) -> u32 {
        self.get_at(register, 0)
    }

    fn get_at(&self, register: &Register, position: u32) -> u32 {
        self.at(register.at(position))
    }

    pub(crate) fn at(&self, address: u32) -> u32 {
        self.registers.get(&address).copied().unwrap_or(0)
    }

    fn report(&mut self, error: registers::ErrorCode, info: impl Into<u64>) {
        let info = info.into();
        self.pending |= registers::INTERRUPT_ERROR.with(1);
        if self.get(&registers::ERROR) == registers::ERROR_NONE.code {
            self.registers.insert(registers::ERROR.address, error.code);
            self.registers
                .insert(registers::ERROR_INFO.address, info as u32);
            self.registers
                .insert(registers::ERROR_INFO_HIGH.address, (info >> 32) as u32);
        }
    }

    /// The constant that the last write brought, if it brought one.
    pub(crate) fn take_constant(&mut self) -> Option<(u32, Word)> {
        self.constant.take()
    }

    /// Whether the last start was refused.
    pub(crate) fn is_refused(&self) -> bool {
        self.start_refused
    }

    pub(crate) fn is_zeroising(&self) -> bool {
        self.zeroising
    }

    pub(crate) fn is_running(&self) -> bool {
        self.zeroising
            || matches!(
                self.state,
                State::Setup(..) | State::Refusing(..) | State::Running(_)
            )
    }

    /// The cycles until a start has laid out the queues of a tree, and what the run then does; or the
    /// register that is illegal.
    fn setup(&self) -> Result<State, u32> {
        if self.hardware.runtime_modulus {
            self.check_prime()?;
        }
        let limits = self.hardware.limits();
        let get = |address| self.at(address);
        let sets = SETS.map(|set| ChipRegisters::read(set, get));
        let leaf = &sets[ROW_SET];
        let rows = RowRegisters::read(get);
        let roles = Roles::read(self.get(&registers::ROLES));
        let mode = self.get(&registers::MODE);
        let hash_leaves = registers::MODE_LEAF_KIND.is_set(self.get(&registers::MODE));
        let leaves = self.leaves();
        let is_too_large = leaves > 1 << 32;
        // The first illegal register of a set; `illegal` are those that depend on the run.
        let check = |set: usize, illegal: &[(bool, &Register)]| {
            let engine = SETS[set];
            let base = engine.input_words.address;
            let found = match sets[set].check(&limits) {
                Err(ProgramError::IllegalRegister { address, .. }) => {
                    Some(base + address.wrapping_sub(registers::LEAF.input_words.address))
                }
                _ => None,
            };
            let illegal = (illegal.iter().filter(|(is_illegal, _)| *is_illegal))
                .map(|(_, register)| register.address);
            found.into_iter().chain(illegal).min()
        };
        let top = self.get(&registers::TOP_LEVEL);
        let overwrite = registers::MODE_OVERWRITE.is_set(mode);
        let close_from = registers::MODE_CLOSE_FROM.get(mode);
        let closes = close_from == 0 || !overwrite && close_from as usize <= MAX_ELEMENTS;
        if mode & !registers::MODE.mask() != 0 || !hash_leaves && top == 0 || !closes {
            return Err(registers::MODE.address);
        }
        if top > self.hardware.max_height {
            return Err(registers::TOP_LEVEL.address);
        }
        if leaves == 0 {
            return Err(registers::LEAVES.address);
        }
        if self.get(&registers::FIELD) > u32::from(self.hardware.goldilocks) {
            return Err(registers::FIELD.address);
        }
        // The parameter sets of the levels of the tree, and of the run.
        let level_sets = self.level_sets(top);
        let has_level = |set: usize| level_sets.contains(&set);
        let is_row_set = |set: usize| hash_leaves && set == ROW_SET;
        let mut of_sets = (0..sets.len())
            .filter(|&set| has_level(set) || is_row_set(set))
            .filter_map(|set| {
                let registers = SETS[set];
                let is_leaf = is_row_set(set);
                let illegal = [
                    (!is_leaf && sets[set].arity < 2, &registers.input_words),
                    (
                        top != 0 && sets[set].digest_words != 1,
                        &registers.digest_words,
                    ),
                ];
                Some((set, check(set, &illegal)?))
            });
        let of_set = of_sets.next();
        if hash_leaves && of_set.is_none_or(|(set, _)| set != ROW_SET) {
            let most_words = most_words(leaf.field == GOLDILOCKS) as u32;
            let most_rows = leaf.most_rows(&limits) * roles.rows.count_ones() as usize;
            if rows.blocks == 0 {
                return Err(registers::ROW_BLOCKS.address);
            }
            let is_shared = top != 0 && roles.are_shared() && rows.blocks > 1;
            let node_beats = (0..sets.len())
                .filter(|&set| has_level(set))
                .map(|set| sets[set].shape().beats());
            let node_beats = node_beats.max().unwrap_or_default();
            let fit = !is_shared || shared_rows_fit(leaf, node_beats, rows.group, roles, &limits);
            if rows.group == 0 || roles.rows != 0 && rows.group as usize > most_rows || !fit {
                return Err(registers::ROW_GROUP.address);
            }
            if rows.last_words == 0 || rows.last_words > most_words {
                return Err(registers::LAST_INPUT_WORDS.address);
            }
            let last_block = ChipRegisters {
                input_map: rows.last_map,
                ..*leaf
            };
            if let Err(ProgramError::IllegalRegister { address, .. }) = last_block.check(&limits) {
                let offset = address.wrapping_sub(registers::LEAF.input_map.address);
                return Err(registers::LAST_INPUT_MAP.address + offset);
            }
        }
        if is_too_large {
            return Err(registers::LEAVES_HIGH.address);
        }
        if !self.has_legal_roles(hash_leaves, top != 0) {
            return Err(registers::ROLES.address);
        }
        let is_shared = hash_leaves && top != 0 && roles.are_shared();
        let leaves_room = rows.blocks == 1 || roles.node_limit != 0;
        let mixed: Vec<_> = (0..sets.len())
            .filter(|&set| has_level(set) || is_shared && set == ROW_SET)
            .map(|set| sets[set])
            .collect();
        let mixes = mixed
            .windows(2)
            .all(|pair| check_mix(&pair[0], &pair[1]).is_ok());
        if of_set.is_none() && (!mixes || is_shared && !leaves_room) {
            return Err(registers::ROLES.address);
        }
        if let Some((_, address)) = of_set {
            return Err(address);
        }
        let has_set = |set: usize| set < sets.len() && !is_row_set(set);
        if let Some(level) = level_sets.iter().position(|&set| !has_set(set)) {
            return Err(registers::LEVEL_TABLE.at(level as u32));
        }
        let mut queues = Vec::new();
        if top != 0 {
            let leaf_places = if hash_leaves && roles.reserve_leaves() {
                rows.group + sets[level_sets[0]].arity - 1
            } else {
                1
            };
            queues = match self.queues(&sets, &level_sets, leaf_places) {
                Ok(queues) => queues,
                Err(level) => {
                    let cycles = REQUEST + LEVEL_SETUP + u64::from(level);
                    let refusal = Refusal::Register(registers::LEVEL_TABLE.at(level));
                    return Ok(State::Refusing(cycles, refusal));
                }
            };
        }
        let state = self.set_up(queues);
        Ok(
            match (state, self.program_fault(hash_leaves, &level_sets, &sets)) {
                (State::Setup(cycles, _), Some((set, fault))) => {
                    State::Refusing(cycles, Refusal::Program { set, fault })
                }
                (state, _) => state,
            },
        )
    }

    /// The first parameter set, of the first hash engine that uses one, whose program cannot run.
    fn program_fault(
        &self,
        hash_leaves: bool,
        level_sets: &[usize],
        sets: &[ChipRegisters],
    ) -> Option<(usize, ProgramFault)> {
        let limits = self.hardware.limits();
        let roles = Roles::read(self.get(&registers::ROLES));
        let fault = |engine: usize, set: usize| {
            let of_engine = &self.passes[engine * MAX_NUM_FULL..][..limits.num_full];
            let checks = of_engine.iter().enumerate().map(|(number, table)| {
                let registers = &sets[set];
                table.check(
                    set,
                    registers.shape(),
                    registers.passes,
                    &limits.passes(number),
                )
            });
            let fault = checks.filter_map(Result::err).next()?;
            Some((set, fault))
        };
        (0..limits.num_engines).find_map(|engine| {
            let has = |mask: u8| mask >> engine & 1 == 1;
            let is_used = |set: &usize| {
                has(roles.rows) && hash_leaves && *set == ROW_SET
                    || has(roles.nodes) && level_sets.contains(set)
            };
            (0..sets.len())
                .filter(is_used)
                .find_map(|set| fault(engine, set))
        })
    }

    /// Whether the hash engines of `ROLES` exist, and there is one for what the run does.
    fn has_legal_roles(&self, hash_leaves: bool, is_tree: bool) -> bool {
        let value = self.get(&registers::ROLES);
        let roles = Roles::read(value);
        value & !registers::ROLES.mask() == 0
            && u32::from(roles.rows | roles.nodes) >> self.hardware.num_engines == 0
            && (!hash_leaves || roles.rows != 0)
            && (!is_tree || roles.nodes != 0)
    }

    /// The numbers of the parameter sets of the levels up to the top; nothing without a tree.
    fn level_sets(&self, top: u32) -> Vec<usize> {
        let levels = (0..=top).filter(|_| top != 0);
        levels.map(|level| self.level(level).set).collect()
    }

    /// The entry of a level.
    fn level(&self, level: u32) -> LevelEntry {
        LevelEntry::read(self.get_at(&registers::LEVEL_TABLE, level))
    }

    /// The run of the configuration, which is legal, with these queues.
    fn set_up(&self, queues: Vec<LevelSetup>) -> State {
        let limits = self.hardware.limits();
        let get = |address| self.at(address);
        let sets = SETS.map(|set| ChipRegisters::read(set, get));
        let rows = RowRegisters::read(get);
        let mode = self.get(&registers::MODE);
        let hash_leaves = registers::MODE_LEAF_KIND.is_set(mode);
        let leaves = self.leaves();
        let top = self.get(&registers::TOP_LEVEL);
        // One cycle for each queue, one without any, and the stages of the last one.
        let cycles = REQUEST + LEVEL_SETUP + queues.len().max(1) as u64;
        let setup = RunSetup {
            sets,
            layers_first: self.layers_first(&sets),
            rows,
            hash_leaves,
            leaves,
            tree: TreeSetup {
                top,
                levels: queues,
                gated: self.hardware.dispatch == Dispatch::TreeByTree,
            },
            pad: registers::MODE_PAD.is_set(mode),
            emit: self.get(&registers::EMIT_LEVELS),
            window: (
                self.get(&registers::WINDOW_FIRST),
                self.get(&registers::WINDOW_LAST),
            ),
            num_engines: limits.num_engines,
            roles: Roles::read(self.get(&registers::ROLES)),
            mixes: false,
            num_full: limits.num_full,
            num_partial: limits.num_partial,
            pipelines: self.hardware.pipelines(),
            slots: self.slots,
            records: self.records,
        };
        State::Setup(cycles, Box::new(setup))
    }

    /// Whether the program of each set begins with a layer without S-boxes, of each hash engine.
    fn layers_first(&self, sets: &[ChipRegisters; SETS.len()]) -> Vec<[bool; SETS.len()]> {
        // The table of the first full-round sub-engine has the first visit.
        let tables = self.passes.iter().step_by(MAX_NUM_FULL);
        let begins_with_layer = |table: &PassTable, set: usize| {
            let passes = table.passes(set, 0, sets[set].shape().beats());
            let first = passes.and_then(|passes| Some(passes.first()?.0.power));
            first == Some(Power::None)
        };
        tables
            .map(|table| std::array::from_fn(|set| begins_with_layer(table, set)))
            .collect()
    }

    /// The register of an illegal run-time modulus.
    fn check_prime(&self) -> Result<(), u32> {
        let [first, last] = [0, 7].map(|position| self.get_at(&registers::PRIME, position));
        // 1 modulo 2^28, from 2^250 up to 2^255.
        let is_legal = first & 0x0FFF_FFFF == 1 && (1 << 26..1 << 31).contains(&last);
        if is_legal {
            Ok(())
        } else {
            Err(registers::PRIME.address)
        }
    }

    /// The queues of the levels with these parameter sets, or the level of the one that does not fit.
    fn queues(
        &self,
        sets: &[ChipRegisters],
        level_sets: &[usize],
        leaf_places: u32,
    ) -> Result<Vec<LevelSetup>, u32> {
        let mut end = 0;
        (0..)
            .zip(level_sets)
            .map(|(level, &set)| {
                let arity = sets[set].arity;
                let groups = self.level(level).groups;
                end += groups * arity;
                let is_enough = level != 0 || end >= leaf_places;
                if groups != 0 && end <= self.hardware.node_words && is_enough {
                    Ok(LevelSetup { set, arity, groups })
                } else {
                    Err(level)
                }
            })
            .collect()
    }

    /// Leaves of the run.
    pub(crate) fn leaves(&self) -> u64 {
        let high = u64::from(self.get(&registers::LEAVES_HIGH));
        high << 32 | u64::from(self.get(&registers::LEAVES))
    }

    /// The prime of the run that begins.
    fn prime(&self) -> Prime {
        if self.get(&registers::FIELD) == GOLDILOCKS {
            return Prime::Goldilocks;
        }
        Prime::Large(self.word(&registers::PRIME))
    }

    /// The 256 bits of a run of eight registers.
    pub(crate) fn word(&self, register: &Register) -> Word {
        let mut word = Word::default();
        for (position, bytes) in (0..).zip(word.as_chunks_mut::<4>().0) {
            *bytes = self.get_at(register, position).to_le_bytes();
        }
        word
    }

    /// Reports an error of a request, which acts in the cycle after it. An illegal level that is found in that
    /// cycle, too, comes first.
    fn report_request(&mut self, error: registers::ErrorCode, info: u32) {
        if let State::Refusing(1, refusal) = self.state {
            self.report_refusal(refusal);
        }
        self.report(error, info);
    }

    fn report_refusal(&mut self, refusal: Refusal) {
        match refusal {
            Refusal::Register(address) => {
                self.report(registers::ERROR_ILLEGAL_CONFIGURATION, address);
            }
            Refusal::Program { set, fault } => {
                let info = (set as u32) << 8 | fault as u32;
                self.report(registers::ERROR_ILLEGAL_PROGRAM, info);
            }
        }
    }

    /// What CONTROL was told: at most one of its commands.
    fn command(&mut self, value: u32) {
        let is_start = registers::CONTROL_START.is_set(value);
        let is_clear = registers::CONTROL_CLEAR.is_set(value);
        if value == 0 {
            return;
        }
        if self.zeroising || self.is_running() && !is_clear {
            self.start_refused |= is_start;
            self.report_request(registers::ERROR_COMMAND_WHILE_BUSY, value);
        } else if is_start {
            self.start();
        } else {
            self.clear();
            if registers::CONTROL_ZEROISE.is_set(value) {
                self.zeroise();
            }
        }
    }

    fn start(&mut self) {
        match self.setup() {
            Ok(state) => {
                self.words_taken = 0;
                self.strides = None;
                self.zeroised = false;
                self.prime = self.prime();
                self.start_refused = false;
                self.state = state;
            }
            Err(address) => {
                self.start_refused = true;
                self.report(registers::ERROR_ILLEGAL_CONFIGURATION, address);
            }
        }
    }

    fn clear(&mut self) {
        self.registers
            .insert(registers::ERROR.address, registers::ERROR_NONE.code);
        self.registers.insert(registers::ERROR_INFO.address, 0);
        self.registers.insert(registers::ERROR_INFO_HIGH.address, 0);
        self.state = State::Idle;
        self.start_refused = false;
        self.pending = 0;
    }

    /// Begins a zeroisation: the sweep, a cycle in which the configuration of its run is loaded, and the run.
    fn zeroise(&mut self) {
        let words = self.hardware.node_words;
        let depth = |number, bank| self.constant_depth(number, bank);
        self.state = State::Sweeping(REQUEST + zeroise::sweep_cycles(words, depth) + 1);
        self.zeroising = true;
        self.zeroised = false;
        self.passes.fill(PassTable::erased());
    }

    /// The run of zero words starts.
    fn flush(&mut self) {
        let writes = zeroise::configuration(&self.hardware.limits(), self.hardware.node_words);
        for register in [&registers::CONSTANT_DATA, &registers::RADIX_SQUARED] {
            self.reset(register);
        }
        self.reset_prime();
        self.checksum = ConstantChecksum::default();
        self.registers.extend(writes);
        let get = |address| self.at(address);
        let sets = SETS.map(|set| ChipRegisters::read(set, get));
        self.state = match self.queues(&sets, &self.level_sets(1), 1) {
            Ok(queues) => self.set_up(queues),
            Err(_) => unreachable!("a node memory with room for two groups is part of the check"),
        };
    }

    /// All is done, and the configuration is as after a reset.
    fn finish_zeroisation(&mut self) {
        for register in registers::REGISTERS {
            if register.access == Access::ReadWrite {
                self.reset(register);
            }
        }
        self.state = State::Idle;
        self.zeroising = false;
        self.zeroised = true;
        self.pending |= registers::INTERRUPT_ZEROISED.with(1);
    }

    fn reset(&mut self, register: &Register) {
        for position in 0..register.count {
            self.registers.remove(&register.at(position));
        }
    }

    /// Up to `cycles` cycles pass, at least one, until up to `words` words have moved in, or one out.
    fn pass(&mut self, host: Host, cycles: u64, words: usize) -> (u64, Moved) {
        let mut moved = Moved::default();
        let passed;
        // The run of a zeroisation moves its own words, and nothing goes in or out.
        let (host, words) = if self.zeroising {
            let all = Host {
                offers: true,
                takes: true,
            };
            (all, usize::MAX)
        } else {
            (host, words)
        };
        match &mut self.state {
            State::Idle | State::Done(_) => passed = cycles,
            State::Sweeping(left) => {
                passed = cycles.min(*left);
                *left -= passed;
                if *left == 0 {
                    self.flush();
                }
            }
            State::Finishing(left) => {
                passed = cycles.min(*left);
                *left -= passed;
                if *left == 0 {
                    self.finish_zeroisation();
                }
            }
            State::Setup(left, setup) => {
                passed = cycles.min(*left);
                *left -= passed;
                if *left == 0 {
                    self.state = State::Running(Box::new(Machine::new(setup)));
                }
            }
            State::Refusing(left, refusal) => {
                passed = cycles.min(*left);
                *left -= passed;
                if *left == 0 {
                    let refusal = *refusal;
                    self.state = State::Idle;
                    self.start_refused = true;
                    self.report_refusal(refusal);
                }
            }
            State::Running(machine) => {
                let was_incomplete = machine.is_incomplete();
                (passed, moved) = machine.run(host, cycles, words);
                let is_incomplete = machine.is_incomplete();
                if machine.is_done() && self.zeroising {
                    self.state = State::Finishing(1);
                } else if machine.is_done() {
                    self.timeline = machine.timeline();
                    self.state = State::Done(Box::new(machine.counters(true)));
                    self.pending |= registers::INTERRUPT_DONE.with(1);
                }
                if is_incomplete && !was_incomplete {
                    self.report(registers::ERROR_INCOMPLETE_TREE, 0_u64);
                }
            }
        }
        if self.zeroising {
            moved = Moved::default();
        }
        self.cycles += passed;
        (passed, moved)
    }

    /// The cycle of an access to a register.
    fn access(&mut self) {
        let host = Host {
            offers: false,
            takes: false,
        };
        self.pass(host, 1, 1);
    }

    /// The first element of a word that is not below its prime: its number in the word.
    fn bad_element(&self, word: &Word) -> Option<u64> {
        match &self.prime {
            Prime::Goldilocks => {
                let bad = word.as_chunks::<8>().0.iter().position(|element| {
                    let mut wide = Word::default();
                    wide[..8].copy_from_slice(element);
                    !word::is_below(&wide, &FieldId::Goldilocks.prime())
                });
                bad.map(|slice| slice as u64)
            }
            Prime::Large(prime) => (!word::is_below(word, prime)).then_some(0),
        }
    }

    /// The position of the first word from `begin` on of which an element is not below its prime.
    pub(crate) fn next_bad(&self, input: &[Word], begin: usize) -> Option<usize> {
        let bad = |word: &Word| self.bad_element(word).is_some();
        Some(begin + input[begin..].iter().position(bad)?)
    }

    /// A word of the run, this one, with an element that is not below its prime was taken in the cycle that
    /// passed last.
    fn report_bad_word(&mut self, number: u64, word: &Word) {
        let elements = match self.prime {
            Prime::Goldilocks => 4,
            Prime::Large(_) => 1,
        };
        let element = self.bad_element(word).unwrap_or(0);
        let index = number * elements + element;
        self.report(registers::ERROR_ELEMENT_NOT_BELOW_PRIME, index);
        if let State::Running(machine) = &mut self.state {
            machine.make_void(1);
        }
    }

    /// All counters; those of busy cycles only if `busy`.
    fn counters(&self, busy: bool) -> Counters {
        match &self.state {
            State::Running(machine) => machine.counters(busy),
            State::Done(counters) => counters.as_ref().clone(),
            _ => Counters::default(),
        }
    }

    /// The value of the counter at an address, of its low word; nothing where there is none.
    fn counter(&self, address: u32) -> Option<u64> {
        let is_busy = registers::ENGINE_COUNTERS.iter().any(|engine| {
            let busy = [engine.busy_full, engine.busy_partial, engine.busy_full_last];
            busy.iter().any(|register| register.contains(address))
        });
        let counters = self.counters(is_busy);
        let single = [
            (&registers::CYCLES, counters.cycles),
            (&registers::CYCLE_FIRST_IN, counters.cycle_first_in),
            (&registers::CYCLE_LAST_IN, counters.cycle_last_in),
            (&registers::CYCLE_FIRST_LEAF, counters.cycle_first_leaf),
            (&registers::CYCLE_LAST_LEAF, counters.cycle_last_leaf),
            (&registers::CYCLE_FIRST_OUT, counters.cycle_first_out),
            (&registers::CYCLE_LAST_OUT, counters.cycle_last_out),
            (&registers::STALL_IN, counters.stall_in),
            (&registers::MISSING_IN, counters.missing_in),
            (&registers::STALL_LEAF, counters.stall_leaf),
            (&registers::STARVED_ROOT, counters.starved_root),
            (&registers::STALL_OUT, counters.stall_out),
            (&registers::WINDOW_CYCLES, counters.window_cycles),
            (&registers::HIGH_WATER, counters.high_water),
        ];
        let found = single
            .into_iter()
            .find(|(register, _)| register.address == address)
            .map(|(_, value)| value);
        found.or_else(|| {
            let engines = counters.engines(registers::MAX_ENGINES);
            let mut engines = registers::ENGINE_COUNTERS.iter().zip(engines);
            engines.find_map(|(registers, counters)| {
                let partial = &registers.busy_partial;
                if partial.contains(address) {
                    let position = (address - partial.address) / partial.stride();
                    let value = counters.busy_partial.get(position as usize).copied();
                    return Some(value.unwrap_or(0));
                }
                let single = [
                    (registers.hashes, counters.hashes),
                    (registers.busy_full, counters.busy_full),
                    (registers.busy_full_last, counters.busy_full_last),
                ];
                let found = single
                    .into_iter()
                    .find(|(register, _)| register.address == address);
                found.map(|(_, value)| value)
            })
        })
    }

    /// Whether this chip has a register at `address`.
    fn exists(&self, address: u32) -> bool {
        let is_known = registers::REGISTERS.iter().any(|r| r.contains(address));
        // The leaves have an entry as well.
        let levels = 4 * (self.hardware.max_height + 1);
        // Those of hash engines 0 and 1 are there in any case.
        let is_lacking = registers::later_engine(address)
            .is_some_and(|engine| engine >= self.hardware.num_engines);
        address.is_multiple_of(4)
            && is_known
            && !is_lacking
            && (self.hardware.runtime_modulus || !registers::RADIX_SQUARED.contains(address))
            && (!registers::LEVEL_TABLE.contains(address)
                || address < registers::LEVEL_TABLE.address + levels)
    }

    /// Whether a memory has a place for the constant with this value of `CONSTANT_ADDRESS`.
    fn is_constant_address(&self, value: u32) -> bool {
        let [index, bank, sub_engine, mask] = [
            registers::CONSTANT_INDEX,
            registers::CONSTANT_BANK,
            registers::CONSTANT_ENGINE,
            registers::CONSTANT_ENGINE_MASK,
        ]
        .map(|field| field.get(value));
        let depth = self.constant_depth(sub_engine, bank);
        value & !registers::CONSTANT_ADDRESS.mask() == 0
            && mask != 0
            && mask >> self.hardware.num_engines == 0
            && index < depth
    }

    /// A constant that may be one of a program.
    fn write_pass(&mut self, address: u32, word: &Word) {
        let limits = self.hardware.limits();
        let number = match registers::CONSTANT_ENGINE.get(address) {
            0 => 0,
            SECOND_FULL => 1,
            _ => return,
        };
        let mask = registers::CONSTANT_ENGINE_MASK.get(address);
        // The fields have 8 bits.
        let bank = registers::CONSTANT_BANK.get(address) as u8;
        let index = registers::CONSTANT_INDEX.get(address) as u8;
        for engine in (0..limits.num_engines).filter(|engine| mask >> engine & 1 == 1) {
            let table = &mut self.passes[engine * MAX_NUM_FULL + number];
            table.write(bank, index, word, &limits.passes(number));
        }
    }

    /// Words of a bank of a sub-engine of a hash engine: 0 if there is no such bank.
    fn constant_depth(&self, sub_engine: u32, bank: u32) -> u32 {
        let limits = self.hardware.limits();
        let lanes = LANES as u32;
        let is_partial = (1..=limits.num_partial as u32).contains(&sub_engine);
        let is_full = sub_engine == 0 || sub_engine == SECOND_FULL && limits.num_full > 1;
        // The coefficients of elements in even beats and in odd ones.
        let matrix_banks = 2 * lanes * lanes;
        let is_dense = (u32::from(PASS_BANK) + 1..u32::from(ADDER_BANK)).contains(&bank);
        if is_full && bank == u32::from(PASS_BANK) {
            PASS_TABLE_DEPTH as u32
        } else if is_full && limits.adders && bank == u32::from(ADDER_BANK) {
            ADDER_WORDS as u32
        } else if is_full && limits.adders && is_dense {
            DENSE_DEPTH
        } else if is_full && bank < matrix_banks {
            limits.matrix_depth as u32
        } else if is_full && bank < matrix_banks + lanes {
            limits.constant_depth as u32
        } else if is_partial && bank <= 2 * lanes {
            limits.partial_depth as u32
        } else if sub_engine == u32::from(INITIAL_VECTOR) && bank < lanes {
            // Each set has a second vector, for the later blocks of a row.
            8 * SETS.len() as u32
        } else if sub_engine == u32::from(EMPTY_SUB_TREES) && bank == 0 {
            self.hardware.max_height
        } else {
            0
        }
    }

    fn is_counter(address: u32) -> bool {
        let register = registers::REGISTERS.iter().find(|r| r.contains(address));
        register.is_some_and(|register| register.counter)
    }
}

/// With so many words to come the driver's looks at the registers, which take cycles of the run, are left out.
const MANY_WORDS: u64 = 1 << 20;

/// Words that the testbench of the RTL hands over at a time.
const BATCH: u64 = 1024;

impl ChipPort for ModelChip {
    fn name(&self) -> &str {
        "model"
    }

    fn write_register(&mut self, address: u32, value: u32) -> Result<(), PortError> {
        let known = (registers::REGISTERS.iter())
            .find(|register| register.contains(address) && address.is_multiple_of(4));
        let runtime = self.hardware.runtime_modulus;
        let is_writable = match known.map(|register| register.access) {
            Some(Access::ReadWrite) => self.exists(address),
            Some(Access::ReadWriteRuntime) => runtime,
            Some(Access::WriteOnly | Access::ReadWriteAnytime | Access::WriteOneToClear) => true,
            Some(Access::ReadOnly) | None => false,
        };
        // The cycle of the write passes with what was there before.
        self.access();
        if !is_writable {
            self.report_request(registers::ERROR_UNKNOWN_REGISTER, address);
            return Ok(());
        }
        let Some(register) = known else {
            return Ok(());
        };
        let is_config = !matches!(
            register.access,
            Access::ReadWriteAnytime | Access::WriteOneToClear
        ) && *register != registers::CONTROL;
        if is_config && self.is_running() {
            self.report_request(registers::ERROR_WRITE_WHILE_RUNNING, address);
        } else if *register == registers::CONSTANT_ADDRESS {
            if self.is_constant_address(value) {
                self.zeroised = false;
                self.checksum.write(address, value);
                let word = self.word(&registers::CONSTANT_DATA);
                self.write_pass(value, &word);
                self.constant = Some((value, word));
            } else {
                self.report_request(registers::ERROR_ILLEGAL_CONSTANT_ADDRESS, value);
            }
        } else if *register == registers::CONTROL {
            let commands = value & register.mask();
            if commands != value || commands.count_ones() > 1 {
                self.report_request(registers::ERROR_ILLEGAL_VALUE, address);
            } else {
                self.command(value);
            }
        } else if is_checked_at_write(register) && value & !register.mask() != 0 {
            self.report_request(registers::ERROR_ILLEGAL_VALUE, address);
        } else if *register == registers::INTERRUPT_STATUS {
            self.pending &= !value;
        } else {
            self.zeroised &= !is_config;
            self.checksum.write(address, value);
            self.registers.insert(address, value);
        }
        Ok(())
    }

    fn read_register(&mut self, address: u32) -> Result<u32, PortError> {
        // The request is registered; its answer is what is there then.
        self.access();
        if !self.exists(address) {
            self.report_request(registers::ERROR_UNKNOWN_REGISTER, address);
            return Ok(0);
        }
        Ok(if address == registers::STATUS.address {
            let error = self.get(&registers::ERROR) != registers::ERROR_NONE.code;
            let is_done = matches!(self.state, State::Done(_));
            registers::STATUS_BUSY.with(self.is_running().into())
                | registers::STATUS_DONE.with(is_done.into())
                | registers::STATUS_ERROR.with(error.into())
                | registers::STATUS_START_REFUSED.with(self.start_refused.into())
                | registers::STATUS_ZEROISED.with(self.zeroised.into())
        } else if address == registers::INTERRUPT_STATUS.address {
            self.pending
        } else if address == registers::CONSTANT_CHECKSUM.address {
            self.checksum.value()
        } else if Self::is_counter(address) {
            // The low word is at a multiple of 8, the high word behind it.
            let value = self.counter(address & !7).unwrap_or(0);
            (value >> (8 * (address & 4))) as u32
        } else {
            self.at(address)
        })
    }

    fn transfer(
        &mut self,
        input: &[Word],
        output: &mut Vec<OutputWord>,
        cycles: u64,
    ) -> Result<usize, PortError> {
        let stalls = self.stall_input != 0 || self.stall_output != 0;
        let mut taken = 0;
        // The next word that is no element.
        let mut bad = self.next_bad(input, 0);
        let mut offered = false;
        let mut left_of_batch = BATCH;
        let mut left = cycles;
        while left != 0 {
            if left_of_batch == 0 {
                // The testbench decides again what it offers.
                left_of_batch = BATCH;
                offered = false;
            }
            let is_more = taken < input.len();
            self.link.pass(1);
            let to_word = self.link.cycles_to_word();
            offered = is_more && (offered || to_word == 0 && !self.coin.toss(self.stall_input));
            let host = Host {
                offers: offered,
                takes: !self.coin.toss(self.stall_output),
            };
            let mut most = if stalls { 1 } else { left.min(left_of_batch) };
            if is_more && !offered {
                most = most.min(to_word.max(1));
            }
            // Without stalls the host offers a word in each cycle.
            let words = if stalls || self.link.is_limited() {
                1
            } else {
                input.len() - taken
            };
            // A word that is no element is the last one of its step, so that its cycle is known.
            let words = bad.map_or(words, |bad| words.min(bad + 1 - taken));
            let (passed, moved) = self.pass(host, most, words.max(1));
            self.link.pass(passed.saturating_sub(1));
            left -= passed;
            left_of_batch -= passed;
            if moved.words != 0 {
                let end = taken + moved.words;
                if bad.is_some_and(|bad| bad < end) {
                    let number = self.words_taken + moved.words as u64 - 1;
                    self.report_bad_word(number, &input[end - 1]);
                    bad = self.next_bad(input, end);
                }
                self.words_taken += moved.words as u64;
                self.link.take();
                taken += moved.words;
                offered = false;
            }
            if let Some(label) = moved.output {
                output.push(OutputWord {
                    data: Word::default(),
                    level: label.level,
                    index: label.index,
                    last: label.last,
                    error: label.void,
                });
                if label.last {
                    break;
                }
            }
        }
        Ok(taken)
    }

    fn only_counts(&self) -> bool {
        true
    }

    fn run_ahead(&mut self, words: u64) -> Result<Option<RunAhead>, PortError> {
        let is_undisturbed =
            self.stall_input == 0 && self.stall_output == 0 && !self.link.is_limited();
        let State::Running(machine) = &mut self.state else {
            return Ok(None);
        };
        if words < MANY_WORDS || !is_undisturbed || self.zeroising {
            return Ok(None);
        }
        let strides = self.strides.get_or_insert_with(|| Strides::new(machine));
        let before = machine.cycles();
        let taken = strides.run(machine, words);
        self.cycles += machine.cycles() - before;
        self.words_taken += taken;
        if let Some(most) = self.most_simulated
            && strides.simulates_more_than(most, machine)
        {
            self.has_given_up = true;
            return Err(PortError::new(format!(
                "the run does not repeat itself, and more than {most} leaves are not simulated"
            )));
        }
        Ok((taken != 0).then(|| RunAhead {
            words: taken,
            hashes: machine.begun(),
        }))
    }

    fn record_timeline(&mut self, on: bool) -> bool {
        self.records = on;
        true
    }

    fn take_timeline(&mut self, ended: bool) -> Option<Timeline> {
        match &mut self.state {
            State::Running(machine) => machine.timeline(),
            _ if ended => self.timeline.take(),
            _ => None,
        }
    }
}

/// Whether bits of a value that no field of the register has are refused as they are written; those of the
/// configuration of a run are at its start.
fn is_checked_at_write(register: &registers::Register) -> bool {
    [
        &registers::LEVEL_TABLE,
        &registers::INTERRUPT_STATUS,
        &registers::INTERRUPT_ENABLE,
    ]
    .contains(&register)
}

//! Drives a chip: registers, constants, data and counters, through the one trait [`ChipPort`].
//!
//! The same code drives the simulated chip and a real one. A run goes like this: the constants of
//! the parameter set are written, those that the chip does not have already, the run is set up and
//! started, the input is offered while the output is collected, and the counters are read. After an
//! error the chip is cleared, so that it can be used again, and what it had been loaded with counts as
//! unknown: the next run loads everything. A chip that was reset in between is told by an error, not by a
//! retry, and the run after that works.
//!
//! The chip folds trees whose digests have a stream word of their own. Other trees, and higher ones,
//! are computed level by level, every hash on the chip.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use crate::checksum::ConstantChecksum;
use crate::device::{
    CommitReport, CommitRequest, Counters, Device, DeviceError, EngineCounters, EnginePlan,
    HashReport, LeafReader, LeafRule, LeafSource, NO_TIMELINE, NoProgress, PermuteReport, Progress,
    Unsupported, Zeroisation, Zeros, check_inputs, check_rows, check_states, is_unhashed,
    row_sponge,
};
use crate::fold::{TreeHasher, fold, full_cap};
use crate::level_table::{self, LeafQueue};
use crate::messages::{hash_rows, unhashed_digests};
use crate::nodes::{NoNodes, NodeSink};
use crate::program::{
    self, Bases, ChipConstant, ChipProgram, ChipRegisters, ChipRows, EngineLimits, INITIAL_VECTOR,
    LevelEntry, MAX_NUM_FULL, NODE_SET, PASS_BANK, ProgramError, ProgramFault, ROW_SET, Roles,
    RowRegisters, RuntimeModulus, SLICES, TOP_SET, adders_agree, mixed_bases, shared_rows_fit,
};
use crate::registers::{self, SETS};
use crate::self_test::{self, SelfTest, SelfTestError};
use crate::sharing::{Sharing, TreeWork, roles_of_digests, roles_of_ready_leaves, roles_of_tree};
use crate::software::SoftwareDevice;
use crate::timeline::TimelineSink;
use acclmt_merkle::shape::TreeShape;
use acclmt_poseidon::fields::{AnyParameters, FieldId};
use acclmt_poseidon::sponge::Sponge;
use acclmt_poseidon::word::{self, Word};

use port::Wait;
pub use port::{ChipPort, OutputWord, Patience, PortError, RunAhead, RunPlan};

/// What the chip reports about how it was built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// What a program must fit into.
    pub limits: EngineLimits,
    /// Field elements that a sub-engine takes in a cycle.
    pub lanes: u32,
    /// Cycles a state needs for a round of the full-round sub-engine.
    pub loop_cycles_full: u32,
    /// Cycles a state needs for a round of a partial-round sub-engine.
    pub loop_cycles_partial: u32,
    /// Levels that the level table has.
    pub max_height: u32,
    /// Words of the node memory.
    pub node_words: u32,
    /// Whether a bit that flips in a memory is noticed.
    pub memory_parity: bool,
}

/// Why a chip could not be used or a run did not give a result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DriverError {
    /// The connection to the chip failed.
    #[error("the connection to the chip failed: {0}")]
    Port(#[from] PortError),
    /// Reads give all ones, as those of a bus do that nothing answers.
    #[error(
        "the chip does not answer: register {register} reads as 0xFFFFFFFF; see whether it has power and clock \
         and is configured, and whether its bus is enabled"
    )]
    NoAnswer {
        /// Name of the register.
        register: &'static str,
    },
    /// The `ID` register holds something else.
    #[error(
        "this is no AcclMT chip: register ID holds 0x{found:08X}, expected 0x{:08X}",
        registers::ID_VALUE
    )]
    ForeignChip {
        /// Value of the register.
        found: u32,
    },
    /// The `VERSION` register holds a version that this driver does not know.
    #[error(
        "the chip has version {} (0x{found:08X}) of the register map, this driver knows {} (0x{:08X}); use {}",
        registers::version_text(*found),
        registers::version_text(registers::VERSION_VALUE),
        registers::VERSION_VALUE,
        if *found > registers::VERSION_VALUE {
            "a newer driver: one of the chip's version"
        } else {
            "a driver of the chip's version, or build the chip anew"
        }
    )]
    UnknownVersion {
        /// Value of the register.
        found: u32,
    },
    /// The capabilities contradict the register map.
    #[error(
        "the chip reports {full} full-round and {partial} partial-round sub-engines, the register \
         map has room for 1 to {MAX_NUM_FULL} and up to {}",
        registers::MAX_PARTIAL_ENGINES
    )]
    SubEngines {
        /// Number of full-round sub-engines reported.
        full: u32,
        /// Number of partial-round sub-engines reported.
        partial: u32,
    },
    /// The chip refused to start.
    #[error(
        "the chip refused to start: register {register} holds {value}, which it does not support"
    )]
    IllegalConfiguration {
        /// Name of the register that holds the illegal value.
        register: String,
        /// The value.
        value: u32,
    },
    /// The chip refused to start.
    #[error(
        "the chip refused to start: the program of parameter set {set} ({name}) cannot run: {fault}"
    )]
    IllegalProgram {
        /// Number of the parameter set.
        set: usize,
        /// What it is for.
        name: &'static str,
        /// Why.
        fault: ProgramFault,
    },
    /// The chip no longer holds what the driver has written.
    #[error(
        "register {register} holds {found}, and the driver had written {written}: the chip was reset, or another \
         program drives it; run this again, which loads everything anew"
    )]
    Forgotten {
        /// Name of the register.
        register: String,
        /// Its value.
        found: u32,
        /// The value that was written.
        written: u32,
    },
    /// The chip refused a write because a run is in progress.
    #[error("the chip refused a write of register {register} because a run is in progress")]
    WriteWhileRunning {
        /// Name of the register.
        register: String,
    },
    /// An input element is not below the prime.
    #[error("element {index} ({}) is not below the prime", word::to_hex(value))]
    ElementNotBelowPrime {
        /// Index of the element in the input, counted from 0.
        index: usize,
        /// Its value.
        value: Word,
    },
    /// The chip does not know a register that the driver accessed.
    #[error("the chip has no register at address 0x{address:03X}")]
    UnknownRegister {
        /// Byte address of the access.
        address: u32,
    },
    /// The chip was given a command while a run or a zeroisation was in progress.
    #[error(
        "the chip refused a command (CONTROL 0x{command:02X}): a run or a zeroisation is in progress"
    )]
    CommandWhileBusy {
        /// Value of `CONTROL`.
        command: u32,
    },
    /// The chip refused to start, and gives no reason.
    #[error("the chip refused to start without giving an error code; clear it, and start again")]
    StartRefused,
    /// A register does not take a value.
    #[error("the chip refused a value for register {register}: it has a bit set that no field has")]
    IllegalValue {
        /// Name of the register.
        register: String,
    },
    /// A constant was written to a place that does not exist.
    #[error(
        "the chip has no place for a constant: sub-engine {}, bank {}, index {}",
        registers::CONSTANT_ENGINE.get(*address),
        registers::CONSTANT_BANK.get(*address),
        registers::CONSTANT_INDEX.get(*address)
    )]
    IllegalConstantAddress {
        /// Value written to `CONSTANT_ADDRESS`.
        address: u32,
    },
    /// Constants came otherwise than they were sent.
    #[error(
        "the chip got other constants than were sent: their checksum is 0x{sent:08X}, that of what came 0x{found:08X}; \
         nothing was started: check the connection to the chip, and repeat the run"
    )]
    ConstantsDiffer {
        /// Of what was sent.
        sent: u32,
        /// Value of `CONSTANT_CHECKSUM`.
        found: u32,
    },
    /// The leaves do not fill the tree.
    #[error("the chip reports that the leaves do not fill the tree")]
    IncompleteTree,
    /// A bit has flipped in a memory of the chip.
    #[error(
        "the chip reports that a bit has flipped in a memory: hash engine {engine}, {}; nothing of the run can be \
         used: load the constants again and repeat it",
        memory_name(*place)
    )]
    MemoryFault {
        /// The hash engine, 0 where the memory is of none.
        engine: u32,
        /// The sub-engine or another place, as [`ERROR_MEMORY_FAULT`](registers::ERROR_MEMORY_FAULT) numbers them.
        place: u32,
    },
    /// `ERROR` holds a code that this driver does not know.
    #[error(
        "the chip reports error {code}, which this driver does not know (ERROR_INFO 0x{info:08X})"
    )]
    UnknownErrorCode {
        /// The code.
        code: u32,
        /// Value of `ERROR_INFO`.
        info: u32,
    },
    /// Nothing moved for too long.
    #[error(
        "the chip made no progress in {waited}: {taken} of {offered} input words \
         taken, {received} of {expected} output words received, {hashes} hashes done; STATUS \
         0x{status:08X}, ERROR {code}, CYCLES {cycles}"
    )]
    NoProgress {
        /// How long there was none.
        waited: Patience,
        /// Input words taken.
        taken: usize,
        /// Input words of the run.
        offered: usize,
        /// Output words received.
        received: usize,
        /// Output words of the run.
        expected: usize,
        /// Hashes that all hash engines have begun.
        hashes: u64,
        /// Value of `STATUS`.
        status: u32,
        /// Value of `ERROR`.
        code: u32,
        /// Value of `CYCLES`.
        cycles: u64,
    },
    /// The flush after a clear, or a zeroisation, did not end.
    #[error("the chip is still busy {waited} after a {command} (STATUS 0x{status:08X}); reset it")]
    NotIdle {
        /// What it was told.
        command: &'static str,
        /// How long it has been.
        waited: Patience,
        /// Value of `STATUS`.
        status: u32,
    },
    /// The chip does not say that it was zeroised.
    #[error(
        "the chip was not zeroised (STATUS 0x{status:08X}, ERROR {code}): it may still hold leaves and \
         constants; reset it and try again"
    )]
    NotZeroised {
        /// Value of `STATUS`.
        status: u32,
        /// Value of `ERROR`.
        code: u32,
    },
    /// The output stream does not have the length of the run.
    #[error("the chip ended its output after {received} words, expected {expected}")]
    OutputLength {
        /// Output words received.
        received: usize,
        /// Output words of the run.
        expected: usize,
    },
    /// The output ended before all of the input was taken.
    #[error("the chip ended its output after taking {taken} of {offered} input words")]
    InputLeft {
        /// Input words taken.
        taken: usize,
        /// Input words of the run.
        offered: usize,
    },
    /// An output word belongs to another node than the one that is due.
    #[error(
        "the chip put out node {index} of level {level}, expected node {expected_index} of level \
         {expected_level}"
    )]
    WrongNode {
        /// Level of the node.
        level: u32,
        /// Its index in the level.
        index: u32,
        /// Level of the node that is due.
        expected_level: u32,
        /// Its index in the level.
        expected_index: u32,
    },
    /// An element of the output is no field element.
    #[error(
        "the chip put out {}, which is not below the prime, in output word {index}: chip or connection are at fault; \
         run this again, and reset the chip if it comes again",
        word::to_hex(value)
    )]
    OutputNotBelowPrime {
        /// Index of the word in the output.
        index: usize,
        /// The value.
        value: Word,
    },
    /// An output word is marked as void, but `ERROR` gives no reason.
    #[error("the chip marked output word {index} as void without giving an error code")]
    VoidOutput {
        /// Index of the word in the output.
        index: usize,
    },
}

/// Clock cycles between two looks at the status of a run.
const CYCLES_PER_TRANSFER: u64 = 4096;

/// Default of [`ChipDevice::set_watchdog`]: many times the latency of a round.
const WATCHDOG_CYCLES: u64 = 65_536;

/// Is added to the watchdog for each round of a hash: more than the latency of a round.
const WATCHDOG_CYCLES_PER_ROUND: u64 = 512;

/// A zeroisation takes some ten thousand cycles, and one for each word of the node memory, without a sign of
/// progress: it may take so many times as long as other waits.
const WATCHDOGS_OF_ZEROISATION: u32 = 4;

/// What a run does.
#[derive(Clone, Copy)]
struct RunSetup<'a> {
    /// What each hash engine does.
    roles: Roles,
    /// The parameter sets, by number.
    sets: [Option<LoadedSet<'a>>; SETS.len()],
    hash_leaves: bool,
    /// What a leaf is that is hashed.
    rows: RowRegisters,
    /// Leaves, or digests of a run without tree.
    leaves: u64,
    /// The levels up to the top; none in a run without tree.
    levels: &'a [LevelEntry],
    /// Whether groups may lack siblings.
    pad: bool,
    /// Levels whose nodes come out besides those of the top level.
    emit: u32,
    /// Leaves between which sub-engines are counted as busy.
    window: (u32, u32),
}

/// A parameter set of a run.
#[derive(Clone, Copy)]
struct LoadedSet<'a> {
    program: &'a ChipProgram,
    /// Where its constants begin.
    bases: Bases,
    /// The hash engines that take them.
    engines: u8,
}

impl LoadedSet<'_> {
    fn registers(&self) -> ChipRegisters {
        ChipRegisters {
            partial_base: self.bases.partial.into(),
            ..self.program.registers
        }
    }
}

impl RunSetup<'_> {
    /// Words of the input stream, where leaves are hashed by `program`.
    fn input_words(&self, program: &ChipProgram) -> u64 {
        let of_leaf = if self.hash_leaves {
            let whole = u64::from(self.rows.blocks) - 1;
            whole * program.input_words() as u64 + u64::from(self.rows.last_words)
        } else {
            1
        };
        self.leaves * of_leaf
    }
}

impl<'a> RunSetup<'a> {
    /// `count` digests of `program`, no tree.
    fn digests(program: &'a ChipProgram, roles: Roles, rows: RowRegisters, count: u64) -> Self {
        let mut sets = [None; SETS.len()];
        sets[ROW_SET] = Some(LoadedSet {
            program,
            bases: Bases::default(),
            engines: roles.rows,
        });
        Self {
            roles,
            sets,
            hash_leaves: true,
            rows,
            leaves: count,
            levels: &[],
            pad: false,
            emit: 0,
            window: (0, 0),
        }
    }
}

/// The words that go into a run.
enum Input<'a> {
    /// Gives the next ones, none at the end.
    Words(&'a mut dyn FnMut() -> Result<Vec<Word>, DeviceError>),
    /// So many more words, for a port that only counts.
    Zeros(u64),
}

impl Input<'_> {
    /// The next words, none at the end.
    fn next(&mut self) -> Result<Vec<Word>, DeviceError> {
        match self {
            Self::Words(next) => next(),
            Self::Zeros(left) => {
                let words = (*left).min(CYCLES_PER_TRANSFER);
                *left -= words;
                Ok(vec![Word::default(); words as usize])
            }
        }
    }
}

/// What goes into a run and what comes out of it.
struct Streams<'a> {
    input: Input<'a>,
    /// Takes an output word: a node, or a word of a digest.
    output: &'a mut dyn FnMut(&OutputWord) -> Result<(), DeviceError>,
    /// Takes the timeline, if it is recorded.
    timeline: Option<&'a mut dyn TimelineSink>,
    /// The index in the user's input of an element of the input stream: of a word, and in Goldilocks mode
    /// of one of its four slices.
    element: &'a dyn Fn(usize, usize) -> usize,
    /// Output words of each level up to the top, and those of a node.
    expected: Vec<u64>,
    node_words: u64,
    /// The program whose digests come out.
    digest: &'a ChipProgram,
}

/// Words of the input stream that were offered, for the message about one that is refused.
struct Offered<'a> {
    /// Number of the first one in the stream.
    first: usize,
    words: &'a [Word],
    /// Whether a word has four elements.
    goldilocks: bool,
    element: &'a dyn Fn(usize, usize) -> usize,
}

impl Offered<'_> {
    /// The element with the index `info` in the stream: its index in the user's input, and its value.
    /// Nothing if it is none of these words, or below the prime.
    fn refused(&self, info: u64, prime: &Word) -> Option<(usize, Word)> {
        let in_word = if self.goldilocks { SLICES } else { 1 };
        let offset = info.checked_sub((self.first * in_word) as u64)? as usize;
        let (word, slice) = (offset / in_word, offset % in_word);
        let word_value = self.words.get(word)?;
        let value = if self.goldilocks {
            program::slices(word_value)[slice]
        } else {
            *word_value
        };
        let index = (self.element)(self.first + word, slice);
        (!word::is_below(&value, prime)).then_some((index, value))
    }
}

/// Why a run did not end well.
enum RunError {
    Driver(DriverError),
    /// The source of the input or the receiver of the output failed.
    Streams(DeviceError),
}

impl From<DriverError> for RunError {
    fn from(error: DriverError) -> Self {
        Self::Driver(error)
    }
}

impl From<PortError> for RunError {
    fn from(error: PortError) -> Self {
        Self::Driver(error.into())
    }
}

impl From<RunError> for DeviceError {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Driver(error) => Self::failed(error),
            RunError::Streams(error) => error,
        }
    }
}

/// What the chip holds, as far as it is known.
#[derive(Default)]
struct Contents {
    /// Registers of the parameter sets.
    registers: [Option<ChipRegisters>; SETS.len()],
    modulus: Option<RuntimeModulus>,
    /// Constants by engine, sub-engine, bank and index.
    constants: HashMap<(usize, u8, u8, u8), Word>,
    /// Values of empty sub-trees by level.
    empty_sub_trees: HashMap<u8, Word>,
}

/// Who is told of a run over a tree: of its nodes, of what happens when, and of how far it is.
struct Outlets<'a> {
    nodes: &'a mut dyn NodeSink,
    timeline: Option<&'a mut dyn TimelineSink>,
    progress: &'a mut dyn Progress,
}

/// What a program is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    Hash,
    Permutation,
}

/// A parameter set and its program.
struct Compiled {
    parameters: AnyParameters,
    purpose: Purpose,
    /// Whether it may use adders.
    adders: bool,
    program: Arc<ChipProgram>,
}

/// A device that drives the chip behind `port`.
pub struct ChipDevice<P> {
    port: P,
    capabilities: Capabilities,
    contents: Contents,
    /// Of the constants that were written since it was compared.
    sent: Option<ConstantChecksum>,
    /// The last programs, the latest one last.
    compiled: Vec<Compiled>,
    watchdog_cycles: u64,
    row_group: Option<usize>,
    sharing: Option<Sharing>,
    /// The hash engine that makes all hashes, in a self-test.
    only_engine: Option<usize>,
}

/// Programs that are kept.
const MAX_COMPILED: usize = 4;

impl<P: ChipPort> ChipDevice<P> {
    /// Takes over the chip behind `port` and reads what it can do.
    ///
    /// # Errors
    ///
    /// When the connection fails, or the chip is none that this driver knows.
    pub fn new(mut port: P) -> Result<Self, DriverError> {
        let found = port.read_register(registers::ID.address)?;
        if found == u32::MAX {
            let register = registers::ID.name;
            return Err(DriverError::NoAnswer { register });
        }
        if found != registers::ID_VALUE {
            return Err(DriverError::ForeignChip { found });
        }
        let found = port.read_register(registers::VERSION.address)?;
        if found != registers::VERSION_VALUE {
            return Err(DriverError::UnknownVersion { found });
        }
        let capabilities = read_capabilities(&mut port)?;
        Ok(Self {
            port,
            capabilities,
            contents: Contents::default(),
            sent: None,
            compiled: Vec::new(),
            watchdog_cycles: WATCHDOG_CYCLES,
            row_group: None,
            sharing: None,
            only_engine: None,
        })
    }

    /// What the chip reports about how it was built.
    pub fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    /// The port of the chip, for what the driver does not offer.
    pub fn port(&mut self) -> &mut P {
        &mut self.port
    }

    /// Sets within how many clock cycles a chip shows some progress, for ports that count them; 512 for each
    /// round of a hash come on top. A run without progress is given up then, or after what the port makes of
    /// that, see [`ChipPort::patience`].
    pub fn set_watchdog(&mut self, cycles: u64) {
        self.watchdog_cycles = cycles;
    }

    /// Sets how many rows are under way together, where leaves are rows of several blocks; nothing is
    /// as many as keep the hash engine busy. Each run checks that the chip can hold so many.
    pub fn set_row_group(&mut self, rows: Option<usize>) {
        self.row_group = rows;
    }

    /// Sets how the hash engines are used where a request does not say so; nothing is [`Sharing::of_chip`].
    pub fn set_sharing(&mut self, sharing: Option<Sharing>) {
        self.sharing = sharing;
    }

    /// How the hash engines are used, where `asked` is what a request says.
    fn sharing(&self, asked: Option<Sharing>) -> Sharing {
        let asked = asked.or(self.sharing);
        asked.unwrap_or_else(|| Sharing::of_chip(self.capabilities.limits.num_engines))
    }

    /// The roles of the hash engines in a run without tree.
    fn roles_of_digests(&self) -> Roles {
        match self.only_engine {
            Some(engine) => Roles {
                rows: 1 << engine,
                nodes: 0,
                node_limit: 0,
            },
            None => {
                let num_engines = self.capabilities.limits.num_engines;
                roles_of_digests(self.sharing(None), num_engines)
            }
        }
    }

    /// Compiles a sponge over rows for so many hash engines of the chip.
    fn compile_rows(
        &self,
        parameters: &AnyParameters,
        sponge: &Sponge,
        length: usize,
        engines: usize,
        adders: bool,
    ) -> Result<Option<ChipRows>, Unsupported> {
        let limits = &self.limits(adders);
        let rows = ChipRows::compile(parameters, sponge, length, limits);
        let rows = rows.map(|rows| rows.map(|rows| rows.on_engines(engines)));
        match (rows, self.row_group) {
            (Ok(Some(rows)), Some(group)) => rows.with_group(group).map(Some),
            (rows, _) => rows,
        }
        .map_err(|error| self.unsupported(error.to_string()))
    }

    /// What the hash engines can do, with their adders or without.
    fn limits(&self, adders: bool) -> EngineLimits {
        let limits = &self.capabilities.limits;
        EngineLimits {
            adders: limits.adders && adders,
            ..*limits
        }
    }

    /// Compiles a parameter set for the chip, with its adders or without.
    fn compile(
        &self,
        parameters: &AnyParameters,
        purpose: Purpose,
        adders: bool,
    ) -> Result<ChipProgram, Unsupported> {
        let limits = &self.limits(adders);
        match purpose {
            Purpose::Hash => ChipProgram::compile(parameters, limits),
            Purpose::Permutation => ChipProgram::compile_permutation(parameters, limits),
        }
        .map_err(|error: ProgramError| self.unsupported(error.to_string()))
    }

    /// The program of a parameter set, compiled unless it was one of the last ones.
    fn program(
        &mut self,
        parameters: &AnyParameters,
        purpose: Purpose,
        adders: bool,
    ) -> Result<Arc<ChipProgram>, Unsupported> {
        let known = (self.compiled.iter()).find(|known| {
            (known.purpose, known.adders) == (purpose, adders) && known.parameters == *parameters
        });
        if let Some(known) = known {
            return Ok(Arc::clone(&known.program));
        }
        let program = Arc::new(self.compile(parameters, purpose, adders)?);
        if self.compiled.len() == MAX_COMPILED {
            self.compiled.remove(0);
        }
        self.compiled.push(Compiled {
            parameters: parameters.clone(),
            purpose,
            adders,
            program: Arc::clone(&program),
        });
        Ok(program)
    }

    fn unsupported(&self, reason: String) -> Unsupported {
        Unsupported {
            device: self.port.name().to_owned(),
            reason,
        }
    }

    /// Runs `setup` with `streams`; rows are hashed by `leaf`.
    /// Returns the counters. `on_progress` is told the permutations that all hash engines have begun.
    /// After an error the chip is cleared, and everything is loaded again by the next run.
    fn execute(
        &mut self,
        leaf: &ChipProgram,
        setup: RunSetup<'_>,
        streams: &mut Streams<'_>,
        on_progress: &mut dyn FnMut(u64),
    ) -> Result<Counters, RunError> {
        let result = self
            .clear()
            .and_then(|()| self.check_contents())
            .and_then(|()| self.load(&setup))
            .map_err(RunError::from)
            .and_then(|()| self.run(leaf, setup, streams, on_progress))
            .and_then(|()| Ok(self.read_counters()?));
        if let Err(error) = &result {
            // Whoever reads the leaves, or takes the nodes, has nothing to do with what the chip holds.
            if let RunError::Driver(_) = error {
                self.contents = Contents::default();
            }
            // The first error says more than one of the clear, which the next run repeats anyway.
            let _ = self.clear();
        }
        result
    }

    /// Checks that the chip still has the registers of the last run: a reset sets this one to 0, which no run
    /// has. What would not be loaded again could be gone without any error of the chip.
    fn check_contents(&mut self) -> Result<(), DriverError> {
        let known = self.contents.registers.iter().zip(SETS);
        let Some((written, register)) = known
            .filter_map(|(known, set)| Some((known.as_ref()?.arity, &set.input_words)))
            .next()
        else {
            return Ok(());
        };
        let found = self.read(register.address)?;
        if found == written {
            return Ok(());
        }
        Err(DriverError::Forgotten {
            register: registers::register_name(register.address)
                .unwrap_or_else(|| register.name.to_owned()),
            found,
            written,
        })
    }

    /// Loads what the chip does not have already of the programs of a run.
    fn load(&mut self, setup: &RunSetup<'_>) -> Result<(), DriverError> {
        // Nothing is known until everything was taken.
        self.sent = None;
        let mut contents = std::mem::take(&mut self.contents);
        let sets = contents.registers.iter_mut().zip(SETS).zip(&setup.sets);
        for ((known, registers), set) in sets {
            let Some(values) = set.map(|set| set.registers()) else {
                continue;
            };
            if known.as_ref() != Some(&values) {
                for (address, value) in values.writes(registers) {
                    self.write(address, value)?;
                }
                *known = Some(values);
            }
        }
        // All have one field.
        let mut programs = setup.sets.iter().flatten().map(|set| set.program);
        if let Some(modulus) = programs.find_map(|program| program.modulus.as_ref())
            && contents.modulus.as_ref() != Some(modulus)
        {
            self.write_word(&registers::PRIME, &modulus.prime)?;
            self.write_word(&registers::RADIX_SQUARED, &modulus.radix_squared)?;
            contents.modulus = Some(*modulus);
        }
        let (passes, constants): (Vec<_>, Vec<_>) =
            constants_of_run(setup).into_iter().partition(|constant| {
                constant.bank == PASS_BANK && constant.sub_engine != INITIAL_VECTOR
            });
        for constant in constants {
            self.load_constant_of_engines(&constant, &mut contents)?;
        }
        self.load_passes(passes, &mut contents)?;
        self.check_error(None)?;
        self.check_constants()?;
        self.contents = contents;
        Ok(())
    }

    /// Loads the tables of passes of those hash engines that lack an entry: a table is written from its first entry on,
    /// behind the matrices that it names.
    fn load_passes(
        &mut self,
        mut passes: Vec<ChipConstant>,
        contents: &mut Contents,
    ) -> Result<(), DriverError> {
        passes.sort_by_key(|constant| (constant.sub_engine, constant.index));
        for engine in 0..registers::MAX_ENGINES {
            let place = |constant: &ChipConstant| {
                (engine, constant.sub_engine, constant.bank, constant.index)
            };
            let of_engine: Vec<_> = (passes.iter())
                .filter(|constant| constant.engine_mask >> engine & 1 == 1)
                .collect();
            for table in of_engine.chunk_by(|one, other| one.sub_engine == other.sub_engine) {
                let is_there = |constant: &&ChipConstant| {
                    contents.constants.get(&place(constant)) == Some(&constant.word)
                };
                if table.iter().all(is_there) {
                    continue;
                }
                let sub_engine = table[0].sub_engine;
                (contents.constants).retain(|&(of, sub, bank, _), _| {
                    (of, sub, bank) != (engine, sub_engine, PASS_BANK)
                });
                for constant in table {
                    self.load_constant(&ChipConstant {
                        engine_mask: 1 << engine,
                        ..**constant
                    })?;
                    contents.constants.insert(place(constant), constant.word);
                }
            }
        }
        Ok(())
    }

    /// Loads a constant into those of its hash engines that lack it.
    fn load_constant_of_engines(
        &mut self,
        constant: &ChipConstant,
        contents: &mut Contents,
    ) -> Result<(), DriverError> {
        let place = |engine| (engine, constant.sub_engine, constant.bank, constant.index);
        let engines = (0..registers::MAX_ENGINES)
            .filter(|engine| constant.engine_mask >> engine & 1 == 1)
            .filter(|&engine| contents.constants.get(&place(engine)) != Some(&constant.word));
        let lacking: Vec<_> = engines.collect();
        if lacking.is_empty() {
            return Ok(());
        }
        let engine_mask = lacking.iter().fold(0, |mask, engine| mask | 1 << engine);
        self.load_constant(&ChipConstant {
            engine_mask,
            ..*constant
        })?;
        for engine in lacking {
            contents.constants.insert(place(engine), constant.word);
        }
        Ok(())
    }

    /// Writes 256 bits to a run of eight registers.
    fn write_word(
        &mut self,
        register: &registers::Register,
        word: &Word,
    ) -> Result<(), DriverError> {
        let (chunks, _) = word.as_chunks::<4>();
        for (position, bytes) in (0..).zip(chunks) {
            self.write(register.at(position), u32::from_le_bytes(*bytes))?;
        }
        Ok(())
    }

    fn load_constant(&mut self, constant: &ChipConstant) -> Result<(), DriverError> {
        if self.sent.is_none() {
            let found = self.read(registers::CONSTANT_CHECKSUM.address)?;
            self.sent = Some(ConstantChecksum::from_register(found));
        }
        self.write_word(&registers::CONSTANT_DATA, &constant.word)?;
        let address = registers::CONSTANT_INDEX.with(constant.index.into())
            | registers::CONSTANT_BANK.with(constant.bank.into())
            | registers::CONSTANT_ENGINE.with(constant.sub_engine.into())
            | registers::CONSTANT_ENGINE_MASK.with(constant.engine_mask.into());
        self.write(registers::CONSTANT_ADDRESS.address, address)
    }

    /// Checks that the constants that were written came as they were sent.
    fn check_constants(&mut self) -> Result<(), DriverError> {
        let Some(sent) = self.sent.take().map(ConstantChecksum::value) else {
            return Ok(());
        };
        let found = self.read(registers::CONSTANT_CHECKSUM.address)?;
        if found == sent {
            return Ok(());
        }
        Err(DriverError::ConstantsDiffer { sent, found })
    }

    /// Sets the run up and starts it; the leaf hash engine runs `program`, and `output_words` come out.
    fn start(
        &mut self,
        program: &ChipProgram,
        setup: RunSetup<'_>,
        output_words: u64,
    ) -> Result<(), DriverError> {
        let mode = registers::MODE_LEAF_KIND.with(u32::from(setup.hash_leaves))
            | registers::MODE_OVERWRITE.with(u32::from(setup.rows.overwrite))
            | registers::MODE_CLOSE_FROM.with(setup.rows.close_from)
            | registers::MODE_PAD.with(u32::from(setup.pad));
        self.write(registers::MODE.address, mode)?;
        self.write(registers::ROLES.address, setup.roles.value())?;
        for (address, value) in setup.rows.writes() {
            self.write(address, value)?;
        }
        self.write(registers::LEAVES.address, setup.leaves as u32)?;
        self.write(registers::LEAVES_HIGH.address, (setup.leaves >> 32) as u32)?;
        let top = setup.levels.len().saturating_sub(1);
        self.write(registers::TOP_LEVEL.address, top as u32)?;
        self.write(registers::EMIT_LEVELS.address, setup.emit)?;
        self.write(registers::WINDOW_FIRST.address, setup.window.0)?;
        self.write(registers::WINDOW_LAST.address, setup.window.1)?;
        for (level, entry) in (0..).zip(setup.levels) {
            self.write(registers::LEVEL_TABLE.at(level), entry.value())?;
        }
        self.port.begin_run(&RunPlan {
            input_words: setup.input_words(program),
            output_words,
        })?;
        self.write(registers::CONTROL.address, registers::CONTROL_START.with(1))
    }

    fn run(
        &mut self,
        program: &ChipProgram,
        setup: RunSetup<'_>,
        streams: &mut Streams<'_>,
        on_progress: &mut dyn FnMut(u64),
    ) -> Result<(), RunError> {
        self.start(program, setup, streams.expected.iter().sum())?;
        self.check_error(None)?;

        let registers = &program.registers;
        let rounds = (registers.passes.iter().chain(&registers.partial_rounds))
            .copied()
            .map(u64::from)
            .sum::<u64>();
        let watchdog = self.watchdog_cycles + rounds * WATCHDOG_CYCLES_PER_ROUND;
        let mut wait = Wait::new(self.port.patience(watchdog));
        // Words of the input from number `first` on, and how many words were taken.
        let mut input = Vec::new();
        let mut first = 0;
        let mut taken = 0;
        let mut input_ended = false;
        let mut output = Vec::new();
        let prime = self.prime(streams.digest.registers.field == program::GOLDILOCKS);
        let mut check = OutputCheck::new(streams, prime);
        let mut last_activity = (0, 0, 0);
        while !check.ended {
            if let Input::Zeros(left) = &mut streams.input {
                let waiting = first + input.len() - taken;
                let words = *left + waiting as u64;
                if let Some(ahead) = self.port.run_ahead(words)? {
                    *left = words - ahead.words;
                    taken += ahead.words as usize;
                    first = taken;
                    input.clear();
                    input_ended = false;
                    on_progress(ahead.hashes);
                    continue;
                }
            }
            while !input_ended && first + input.len() < taken + CYCLES_PER_TRANSFER as usize {
                input.drain(..taken - first);
                first = taken;
                let words = streams.input.next().map_err(RunError::Streams)?;
                input_ended = words.is_empty();
                input.extend(words);
            }
            let waiting = &input[taken - first..];
            let chunk = &waiting[..waiting.len().min(CYCLES_PER_TRANSFER as usize)];
            let count = self
                .port
                .transfer(chunk, &mut output, CYCLES_PER_TRANSFER)?
                .min(chunk.len());
            self.check_error(Some(&Offered {
                first,
                words: &input,
                goldilocks: registers.field == program::GOLDILOCKS,
                element: streams.element,
            }))?;
            taken += count;
            for word in output.drain(..) {
                check.take(&word)?;
                (streams.output)(&word).map_err(RunError::Streams)?;
            }
            if let Some(timeline) = &mut streams.timeline
                && let Some(part) = self.port.take_timeline(false)
            {
                let taken = timeline.take(part).map_err(DeviceError::failed);
                taken.map_err(RunError::Streams)?;
            }
            let engines = &registers::ENGINE_COUNTERS[..self.capabilities.limits.num_engines];
            let mut hashes = 0;
            for engine in engines {
                hashes += self.read_counter(&engine.hashes, 0)?;
            }
            on_progress(hashes);
            let activity = (taken, check.received, hashes);
            if activity != last_activity {
                last_activity = activity;
                wait.restart();
                continue;
            }
            wait.pass(CYCLES_PER_TRANSFER);
            if let Some(waited) = wait.is_over() {
                return Err(RunError::Driver(DriverError::NoProgress {
                    waited,
                    taken,
                    offered: first + input.len(),
                    received: check.received,
                    expected: check.total(),
                    hashes,
                    status: self.status()?,
                    code: self.read(registers::ERROR.address)?,
                    cycles: self.read_counter(&registers::CYCLES, 0)?,
                }));
            }
        }
        check.finish()?;
        while !input_ended {
            let words = streams.input.next().map_err(RunError::Streams)?;
            input_ended = words.is_empty();
            input.extend(words);
        }
        let offered = first + input.len();
        if taken != offered {
            return Err(RunError::Driver(DriverError::InputLeft { taken, offered }));
        }
        self.wait_until_idle("clear", 1)?;
        Ok(())
    }

    /// Clears status, error and counters, aborts a run, and waits until the chip is idle.
    fn clear(&mut self) -> Result<(), DriverError> {
        for _ in 0..2 {
            self.write(registers::CONTROL.address, registers::CONTROL_CLEAR.with(1))?;
            let status = self.wait_until_idle("clear", 1)?;
            // A clear is refused during a zeroisation, which has ended now.
            if !registers::STATUS_ERROR.is_set(status) {
                break;
            }
        }
        Ok(())
    }

    /// Zeroises the chip, which aborts a run, and checks that it says so.
    fn zeroise_chip(&mut self) -> Result<(), DriverError> {
        // Nothing of it is known any more, whatever happens.
        self.contents = Contents::default();
        self.clear()?;
        self.write(
            registers::CONTROL.address,
            registers::CONTROL_ZEROISE.with(1),
        )?;
        let status = self.wait_until_idle("zeroisation", WATCHDOGS_OF_ZEROISATION)?;
        if registers::STATUS_ZEROISED.is_set(status) {
            return Ok(());
        }
        let code = self.read(registers::ERROR.address)?;
        Err(DriverError::NotZeroised { status, code })
    }

    /// Waits until `STATUS.busy` is 0, after a command, for as long as `watchdogs` runs may show no progress;
    /// returns `STATUS`. What comes out meanwhile is dropped.
    fn wait_until_idle(
        &mut self,
        command: &'static str,
        watchdogs: u32,
    ) -> Result<u32, DriverError> {
        const CYCLES_PER_LOOK: u64 = 64;
        let patience = self.port.patience(self.watchdog_cycles).times(watchdogs);
        let mut wait = Wait::new(patience);
        loop {
            let status = self.status()?;
            if !registers::STATUS_BUSY.is_set(status) {
                return Ok(status);
            }
            if let Some(waited) = wait.is_over() {
                return Err(DriverError::NotIdle {
                    command,
                    waited,
                    status,
                });
            }
            self.port.transfer(&[], &mut Vec::new(), CYCLES_PER_LOOK)?;
            wait.pass(CYCLES_PER_LOOK);
        }
    }

    /// Reads `STATUS`, most of whose bits are 0 on every chip.
    fn status(&mut self) -> Result<u32, DriverError> {
        match self.read(registers::STATUS.address)? {
            u32::MAX => Err(DriverError::NoAnswer {
                register: registers::STATUS.name,
            }),
            status => Ok(status),
        }
    }

    /// Turns the `ERROR` register, and a start that was refused, into an error; `offered` are the words of
    /// the run.
    fn check_error(&mut self, offered: Option<&Offered<'_>>) -> Result<(), DriverError> {
        let status = self.status()?;
        if !registers::STATUS_ERROR.is_set(status) {
            // A chip that refuses a start and says why has an error.
            return if registers::STATUS_START_REFUSED.is_set(status) {
                Err(DriverError::StartRefused)
            } else {
                Ok(())
            };
        }
        let code = self.read(registers::ERROR.address)?;
        let info = self.read(registers::ERROR_INFO.address)?;
        let name = || registers::register_name(info).unwrap_or_else(|| format!("0x{info:03X}"));
        let code_of = |error: registers::ErrorCode| error.code;
        Err(if code == code_of(registers::ERROR_ILLEGAL_CONFIGURATION) {
            DriverError::IllegalConfiguration {
                register: name(),
                value: self.read(info)?,
            }
        } else if code == code_of(registers::ERROR_ILLEGAL_PROGRAM)
            && let Some(fault) = ProgramFault::from_code(info & 0xff)
            && let set = (info >> 8) as usize
            && let Some(&name) = SET_NAMES.get(set)
        {
            DriverError::IllegalProgram { set, name, fault }
        } else if code == code_of(registers::ERROR_WRITE_WHILE_RUNNING) {
            DriverError::WriteWhileRunning { register: name() }
        } else if code == code_of(registers::ERROR_UNKNOWN_REGISTER) {
            DriverError::UnknownRegister { address: info }
        } else if code == code_of(registers::ERROR_COMMAND_WHILE_BUSY) {
            DriverError::CommandWhileBusy { command: info }
        } else if code == code_of(registers::ERROR_INCOMPLETE_TREE) {
            DriverError::IncompleteTree
        } else if code == code_of(registers::ERROR_MEMORY_FAULT) {
            DriverError::MemoryFault {
                engine: info >> 8 & 0xff,
                place: info & 0xff,
            }
        } else if code == code_of(registers::ERROR_ILLEGAL_CONSTANT_ADDRESS) {
            DriverError::IllegalConstantAddress { address: info }
        } else if code == code_of(registers::ERROR_ILLEGAL_VALUE) {
            DriverError::IllegalValue { register: name() }
        } else if code == code_of(registers::ERROR_ELEMENT_NOT_BELOW_PRIME)
            && let Some(offered) = offered
            && let high = u64::from(self.read(registers::ERROR_INFO_HIGH.address)?)
            && let prime = self.prime(offered.goldilocks)
            && let Some((index, value)) = offered.refused(high << 32 | u64::from(info), &prime)
        {
            DriverError::ElementNotBelowPrime { index, value }
        } else {
            DriverError::UnknownErrorCode { code, info }
        })
    }

    /// The prime of a run.
    fn prime(&self, goldilocks: bool) -> Word {
        match &self.contents.modulus {
            _ if goldilocks => FieldId::Goldilocks.prime(),
            Some(modulus) => modulus.prime,
            None => self.capabilities.limits.prime,
        }
    }

    fn write(&mut self, address: u32, value: u32) -> Result<(), DriverError> {
        if let Some(sent) = &mut self.sent {
            sent.write(address, value);
        }
        Ok(self.port.write_register(address, value)?)
    }

    fn read(&mut self, address: u32) -> Result<u32, DriverError> {
        Ok(self.port.read_register(address)?)
    }

    /// Reads the counter at `position` of a run of counters. The low word comes first: reading it
    /// latches the high word.
    fn read_counter(
        &mut self,
        counter: &registers::Register,
        position: u32,
    ) -> Result<u64, DriverError> {
        let address = counter.at(position);
        let low = self.read(address)?;
        let high = self.read(address + 4)?;
        Ok(u64::from(high) << 32 | u64::from(low))
    }

    fn read_counters(&mut self) -> Result<Counters, DriverError> {
        let engines = registers::ENGINE_COUNTERS[..self.capabilities.limits.num_engines].iter();
        let engines: Result<Vec<_>, _> = engines
            .map(|engine| self.read_engine_counters(engine))
            .collect();
        let mut engines = engines?.into_iter();
        // A chip with one hash engine has no other.
        let leaf = engines.next().unwrap_or_default();
        let root = engines.next().unwrap_or_default();
        Ok(Counters {
            cycles: self.read_counter(&registers::CYCLES, 0)?,
            cycle_first_in: self.read_counter(&registers::CYCLE_FIRST_IN, 0)?,
            cycle_last_in: self.read_counter(&registers::CYCLE_LAST_IN, 0)?,
            cycle_first_leaf: self.read_counter(&registers::CYCLE_FIRST_LEAF, 0)?,
            cycle_last_leaf: self.read_counter(&registers::CYCLE_LAST_LEAF, 0)?,
            cycle_first_out: self.read_counter(&registers::CYCLE_FIRST_OUT, 0)?,
            cycle_last_out: self.read_counter(&registers::CYCLE_LAST_OUT, 0)?,
            window_cycles: self.read_counter(&registers::WINDOW_CYCLES, 0)?,
            stall_in: self.read_counter(&registers::STALL_IN, 0)?,
            missing_in: self.read_counter(&registers::MISSING_IN, 0)?,
            stall_leaf: self.read_counter(&registers::STALL_LEAF, 0)?,
            starved_root: self.read_counter(&registers::STARVED_ROOT, 0)?,
            stall_out: self.read_counter(&registers::STALL_OUT, 0)?,
            high_water: self.read_counter(&registers::HIGH_WATER, 0)?,
            leaf,
            root,
            more: engines.collect(),
        })
    }

    fn read_engine_counters(
        &mut self,
        engine: &registers::EngineCounterRegisters,
    ) -> Result<EngineCounters, DriverError> {
        Ok(EngineCounters {
            hashes: self.read_counter(&engine.hashes, 0)?,
            busy_full: self.read_counter(&engine.busy_full, 0)?,
            busy_full_last: self.read_counter(&engine.busy_full_last, 0)?,
            busy_partial: (0..self.capabilities.limits.num_partial as u32)
                .map(|number| self.read_counter(&engine.busy_partial, number))
                .collect::<Result<_, _>>()?,
        })
    }
}

/// Checks that the output is complete, valid and in order.
struct OutputCheck {
    expected: Vec<u64>,
    node_words: u64,
    /// Words of each level so far, and of all.
    counts: Vec<u64>,
    received: usize,
    ended: bool,
    prime: Word,
    /// Elements of a digest, where a word has several.
    elements: Option<usize>,
}

impl OutputCheck {
    fn new(streams: &Streams<'_>, prime: Word) -> Self {
        let is_goldilocks = streams.digest.registers.field == program::GOLDILOCKS;
        Self {
            prime,
            elements: is_goldilocks.then(|| streams.digest.digest_elements()),
            expected: streams.expected.clone(),
            node_words: streams.node_words,
            counts: vec![0; streams.expected.len()],
            received: 0,
            ended: false,
        }
    }

    fn total(&self) -> usize {
        self.expected.iter().sum::<u64>() as usize
    }

    fn take(&mut self, word: &OutputWord) -> Result<(), DriverError> {
        let index = self.received;
        if word.error {
            return Err(DriverError::VoidOutput { index });
        }
        let expected = self.total();
        self.received += 1;
        if self.ended || self.received > expected {
            let received = self.received;
            return Err(DriverError::OutputLength { received, expected });
        }
        // Levels that do not come out are to have no words.
        let top = self.expected.len() - 1;
        let level = (word.level as usize).min(top);
        let due = self.counts[level] / self.node_words;
        let is_due = self.expected[level] > self.counts[level];
        if word.level as usize != level || !is_due || u64::from(word.index) != due {
            let expected_level = if is_due { level } else { top };
            return Err(DriverError::WrongNode {
                level: word.level,
                index: word.index,
                expected_level: expected_level as u32,
                expected_index: (self.counts[expected_level] / self.node_words) as u32,
            });
        }
        let position = (self.counts[level] % self.node_words) as usize;
        self.check_elements(index, position, &word.data)?;
        self.counts[level] += 1;
        self.ended = word.last;
        Ok(())
    }

    /// Checks the elements of output word `index`, which is number `position` of its digest.
    fn check_elements(
        &self,
        index: usize,
        position: usize,
        data: &Word,
    ) -> Result<(), DriverError> {
        let slices = program::slices(data);
        let elements = match self.elements {
            // The last word need not be full.
            Some(elements) => {
                let left = elements.saturating_sub(SLICES * position);
                &slices[..left.min(SLICES)]
            }
            None => std::slice::from_ref(data),
        };
        let wrong = (elements.iter()).find(|element| !word::is_below(element, &self.prime));
        match wrong {
            Some(&value) => Err(DriverError::OutputNotBelowPrime { index, value }),
            None => Ok(()),
        }
    }

    fn finish(&self) -> Result<(), DriverError> {
        if self.counts == self.expected {
            return Ok(());
        }
        Err(DriverError::OutputLength {
            received: self.received,
            expected: self.total(),
        })
    }
}

impl<P: ChipPort> ChipDevice<P> {
    /// Runs `program` with `rows` over `input`, words that make up `count` leaves; returns the output
    /// words and the counters. `element` says which element of the input a word holds in a slice, and
    /// `on_progress` is told the permutations that are begun.
    fn run_digests(
        &mut self,
        program: &ChipProgram,
        rows: RowRegisters,
        input: Vec<Word>,
        count: usize,
        element: &dyn Fn(usize, usize) -> usize,
        on_progress: &mut dyn FnMut(u64),
    ) -> Result<(Vec<Word>, Counters), RunError> {
        let mut input = Some(input);
        let words = count * program.output_words();
        let mut output = Vec::with_capacity(words);
        let counters = self.execute(
            program,
            RunSetup::digests(program, self.roles_of_digests(), rows, count as u64),
            &mut Streams {
                input: Input::Words(&mut || Ok(input.take().unwrap_or_default())),
                output: &mut |word| {
                    output.push(word.data);
                    Ok(())
                },
                timeline: None,
                element,
                expected: vec![words as u64],
                node_words: program.output_words() as u64,
                digest: program,
            },
            on_progress,
        )?;
        Ok((output, counters))
    }

    /// Has one hash engine after the other make hashes of small parameter sets, and compares them with the software.
    fn test_engines(&mut self) -> Result<SelfTest, DeviceError> {
        let limits = self.capabilities.limits;
        let sets = self_test::parameter_sets(&limits);
        let mut done = SelfTest::default();
        for engine in 0..limits.num_engines {
            self.only_engine = Some(engine);
            let mut counters = None;
            for set in &sets {
                let inputs = self_test::inputs(set);
                let expected = SoftwareDevice::new().hash(set, &inputs, &mut NoProgress)?;
                let report = self.hash(set, &inputs, &mut NoProgress)?;
                let mut pairs = report.digests.iter().zip(&expected.digests);
                if let Some(hash) = pairs.position(|(found, expected)| found != expected) {
                    return Err(DeviceError::failed(SelfTestError::Digest {
                        engine,
                        field: set.field().name(),
                        hash,
                    }));
                }
                if let Some(run) = report.counters {
                    Counters::append_to(&mut counters, run);
                }
                done.hashes += inputs.len() as u64;
            }
            if let Some(counters) = &counters {
                done.sub_engines += self_test::check_busy(&limits, &sets, engine, counters)
                    .map_err(DeviceError::failed)?;
            }
            done.engines += 1;
        }
        Ok(done)
    }

    /// Computes with `program` from `elements`, those of any number of hashes, as many runs as
    /// needed; returns the elements of the digests one after another, and the counters.
    /// `on_progress` is told the hashes that are finished.
    fn hash_elements(
        &mut self,
        program: &ChipProgram,
        elements: &[Word],
        on_progress: &mut dyn FnMut(u64),
    ) -> Result<(Vec<Vec<Word>>, Option<Counters>), DeviceError> {
        let words = program.pack_inputs(elements);
        let mut first = 0;
        let mut digests = Vec::new();
        let mut counters: Option<Counters> = None;
        for input in words.chunks(MAX_HASHES * program.input_words()) {
            let hashes = input.len() / program.input_words();
            let before = digests.len() as u64;
            let rows = RowRegisters::one_block(&program.registers);
            let element = |word, slice| program.element_index(first + word, slice);
            let (output, run) = self.run_digests(
                program,
                rows,
                input.to_vec(),
                hashes,
                &element,
                &mut |done| {
                    on_progress(before + done.min(hashes as u64));
                },
            )?;
            first += input.len();
            digests.extend(program.unpack_outputs(&output));
            Counters::append_to(&mut counters, run);
        }
        Ok((digests, counters))
    }

    /// How the chip folds the tree of `request` by itself, or why it cannot.
    fn plan_tree(
        &mut self,
        request: &CommitRequest<'_>,
        shape: &TreeShape,
    ) -> Result<TreePlan, DeviceError> {
        self.plan_tree_with(request, shape, true)
    }

    /// The same, with the adders of the hash engines or without: they are used where all programs need the same.
    fn plan_tree_with(
        &mut self,
        request: &CommitRequest<'_>,
        shape: &TreeShape,
        adders: bool,
    ) -> Result<TreePlan, DeviceError> {
        let levels = |reason: String| Ok(TreePlan::Levels(reason));
        if shape.top() == 0 {
            return levels("the leaves are the result".to_owned());
        }
        let sets = request.sets()?;
        let mut nodes = NodePrograms::default();
        for level in 0..shape.top() {
            let parameters = sets.of_level(level);
            let program = self.program(parameters, Purpose::Hash, adders)?;
            let Some(arity) = program.tree_arity() else {
                let name = parameters.name();
                return levels(format!(
                    "the digests of '{name}' do not come in stream words of their own"
                ));
            };
            nodes.push(program, arity);
        }
        // With fixed roles one hash engine takes the rows of a group, else all of them in turn.
        let row_engines = match self.sharing(request.sharing) {
            Sharing::Fixed => 1,
            Sharing::Shared => self.capabilities.limits.num_engines,
        };
        let mut leaf = match request.leaf {
            LeafRule::Digest => TreeLeaf::Digest,
            LeafRule::Hash(parameters) => {
                TreeLeaf::Hash(self.program(parameters, Purpose::Hash, adders)?)
            }
            LeafRule::Row {
                parameters,
                columns,
            } if is_unhashed(parameters, columns) => TreeLeaf::Short {
                digest_length: parameters.digest_length(),
                columns,
            },
            LeafRule::Row {
                parameters,
                columns,
            } => {
                let sponge = row_sponge(parameters)?;
                match self.compile_rows(parameters, sponge, columns, row_engines, adders)? {
                    Some(rows) => TreeLeaf::Rows(Box::new(rows)),
                    None => {
                        let name = parameters.name();
                        return levels(format!("the chip does not absorb rows of '{name}'"));
                    }
                }
            }
        };
        let of_levels = nodes.programs.iter().map(|(program, _)| &**program);
        let programs: Vec<_> = leaf.program().into_iter().chain(of_levels).collect();
        if !adders_agree(&programs) && adders {
            return self.plan_tree_with(request, shape, false);
        }
        let is_one_word = leaf
            .program()
            .is_none_or(|program| program.output_words() == 1);
        if !is_one_word {
            return levels("the leaves do not come in stream words of their own".to_owned());
        }
        let most_sets = SETS.len() - usize::from(leaf.program().is_some());
        if nodes.programs.len() > most_sets {
            return levels(format!(
                "its levels have {} parameter sets, and it holds {most_sets} beside those of leaves",
                nodes.programs.len()
            ));
        }
        let (roles, bases) = match self.plan_roles(request, shape, &leaf, &nodes)? {
            Ok(planned) => planned,
            Err(reason) => return levels(reason),
        };
        let top = shape.top() as usize;
        let most = self.capabilities.max_height as usize;
        let words = self.capabilities.node_words;
        let leaf_queue = leaf_queue(leaf.program().is_some(), roles);
        let top_nodes = shape.nodes(shape.top());
        let arities = nodes.arities();
        let queues = level_table::level_table(&arities, top_nodes, words, leaf_queue);
        let queues = match queues {
            Ok(queues) if top <= most => queues,
            _ => {
                let arity = nodes.arity_text();
                return levels(format!(
                    "{top} levels of arity {arity} are more than its node memory holds"
                ));
            }
        };
        if let TreeLeaf::Rows(rows) = &mut leaf
            && roles.are_shared()
        {
            // The leaves of a group have places at once, beside those that still wait for siblings.
            let most = queues[0] as usize * arities[0] - (arities[0] - 1);
            self.limit_group(rows, most)?;
        }
        if shape.leaves() > MAX_LEAVES {
            return levels(format!("{} leaves are more than it counts", shape.leaves()));
        }
        let levels = nodes.levels.iter().chain(nodes.levels.last()).zip(queues);
        let levels = levels.map(|(&number, groups)| LevelEntry {
            set: NODE_SETS[number],
            groups,
        });
        Ok(TreePlan::Fold(TreeRun {
            levels: levels.collect(),
            nodes,
            leaf,
            roles,
            bases,
        }))
    }

    /// The roles of the hash engines in a run over the tree of `request`, and where the constants of each program of
    /// nodes begin.
    /// Where nobody asked for roles that the chip cannot have, it is only said why.
    fn plan_roles(
        &self,
        request: &CommitRequest<'_>,
        shape: &TreeShape,
        leaf: &TreeLeaf,
        nodes: &NodePrograms,
    ) -> Result<Result<(Roles, Vec<Bases>), String>, Unsupported> {
        let asked = request.sharing.or(self.sharing);
        let sharing = self.sharing(asked);
        let num_engines = self.capabilities.limits.num_engines;
        let programs: Vec<&ChipProgram> = nodes
            .programs
            .iter()
            .map(|(program, _)| &**program)
            .collect();
        let of_nodes = || {
            mixed_bases(&programs).map_err(|error| {
                format!("hash engines cannot mix the levels of this tree: {error}")
            })
        };
        let Some(program) = leaf.program() else {
            let roles = roles_of_ready_leaves(sharing, num_engines);
            return Ok(of_nodes().map(|bases| (roles, bases)));
        };
        let refuse = |reason: String| match asked {
            Some(_) => Err(self.unsupported(reason)),
            None => Ok(Err(reason)),
        };
        let what_to_do = if num_engines < 2 {
            "take a chip with two hash engines and fixed roles"
        } else {
            "take fixed roles"
        };
        let RowRegisters { blocks, group, .. } = leaf.rows(nodes.first());
        let work = leaf.work(shape, nodes);
        let Some(roles) = roles_of_tree(sharing, num_engines, work, blocks > 1) else {
            return refuse(format!(
                "fixed roles over hashed leaves need a hash engine for rows and one for nodes, and the chip has \
                 {num_engines}; share it"
            ));
        };
        if !roles.are_shared() {
            return Ok(of_nodes().map(|bases| (roles, bases)));
        }
        // Rows of several blocks wait inside for words that come later: nodes leave them room.
        let limits = &self.capabilities.limits;
        let fits = |&node_limit: &u8| {
            let roles = Roles {
                node_limit,
                ..roles
            };
            shared_rows_fit(&program.registers, nodes.most_beats(), group, roles, limits)
        };
        let node_limit = if blocks == 1 {
            Some(0)
        } else {
            (1..=MOST_NODES).rev().find(fits)
        };
        let Some(node_limit) = node_limit else {
            return refuse(format!(
                "hash engines cannot be shared where {group} rows of {blocks} blocks are under way together and leave \
                 no room for nodes; let fewer be, or {what_to_do}"
            ));
        };
        let roles = Roles {
            node_limit,
            ..roles
        };
        let all: Vec<_> = std::iter::once(program).chain(programs).collect();
        match mixed_bases(&all) {
            // The constants of rows begin at 0.
            Ok(bases) => Ok(Ok((roles, bases[1..].to_vec()))),
            Err(error) => refuse(format!(
                "hash engines cannot be shared between these leaves and nodes: {error}; {what_to_do}"
            )),
        }
    }

    /// Lets at most `most` rows be under way together, as many in each hash engine.
    fn limit_group(&self, rows: &mut ChipRows, most: usize) -> Result<(), Unsupported> {
        let group = rows.group();
        if group <= most {
            return Ok(());
        }
        let engines = self.capabilities.limits.num_engines;
        let fitting = most / engines * engines;
        if self.row_group.is_some() || fitting == 0 {
            return Err(self.unsupported(format!(
                "{group} rows are under way together, and the node memory has room for the leaves of {fitting}"
            )));
        }
        *rows = (rows.clone().with_group(fitting))
            .map_err(|error| self.unsupported(error.to_string()))?;
        Ok(())
    }

    /// A note where the hash engines of a run could take more words than the stream brings.
    fn feed_note(&self, run: &TreeRun, shape: &TreeShape) -> Option<String> {
        const WORD_BYTES: f64 = size_of::<Word>() as f64;
        const MEGAHERTZ: f64 = 500.0;
        let words_of_leaf = run.leaf.words(run.nodes.first());
        let words = shape.leaves().checked_mul(words_of_leaf)?;
        let cycles = run.leaf.work(shape, &run.nodes).cycles(run.roles).max(1);
        let wanted = words as f64 / cycles as f64;
        let engines = (run.roles.rows | run.roles.nodes).count_ones();
        (wanted > 1.0).then(|| {
            format!(
                "{engines} hash engines could take {wanted:.2} input words a cycle here, and the input brings one, \
                 {:.0} GB/s at {MEGAHERTZ:.0} MHz: with more hash engines than {} it takes no less time",
                WORD_BYTES * MEGAHERTZ / 1000.0,
                (f64::from(engines) / wanted).ceil(),
            )
        })
    }

    /// Cycles that a single hash takes, roughly: its rounds one after another, and the setup of its run.
    fn latency(&self, parameters: &AnyParameters) -> u64 {
        const SETUP_CYCLES: u64 = 200;
        let capabilities = &self.capabilities;
        let full = parameters.full_rounds() as u64 * u64::from(capabilities.loop_cycles_full);
        let partial =
            parameters.partial_rounds() as u64 * u64::from(capabilities.loop_cycles_partial);
        SETUP_CYCLES + full + partial
    }

    /// The time of so many cycles.
    fn time(&mut self, cycles: u64) -> Option<Duration> {
        // What is over in seconds is not worth a look at the clock.
        const FEW: u64 = 10_000;
        if cycles < FEW {
            return Some(Duration::ZERO);
        }
        let rate = self.port.cycles_per_second()?;
        Duration::try_from_secs_f64(cycles as f64 / rate).ok()
    }

    /// A tree that the chip folds by itself.
    fn fold(
        &mut self,
        run: &TreeRun,
        request: &CommitRequest<'_>,
        shape: &TreeShape,
        mut reader: LeafReader<'_>,
        outlets: Outlets<'_>,
    ) -> Result<(Vec<Vec<Word>>, Counters), DeviceError> {
        let Outlets {
            nodes,
            timeline,
            progress,
        } = outlets;
        // Those of the other levels have the same digests.
        let root = run.nodes.first();
        let leaf = run.leaf.program().unwrap_or(root);
        let top = shape.top();
        let emit = (0..top).filter(|&level| nodes.wants(level));
        let mut expected = vec![0; top as usize + 1];
        expected[top as usize] = shape.nodes(top);
        for level in emit.clone() {
            expected[level as usize] = shape.nodes(level);
        }
        let setup = RunSetup {
            roles: run.roles,
            sets: run.sets(),
            hash_leaves: run.leaf.program().is_some(),
            rows: run.leaf.rows(root),
            leaves: shape.leaves(),
            levels: &run.levels,
            pad: shape.is_padded(),
            emit: emit.fold(0, |mask, level| mask | 1 << level),
            window: (request.window.as_ref()).map_or((0, 0), |window| (window.start, window.end)),
        };
        if let Err(error) = self.load_empty(root, shape, run.roles.nodes) {
            self.contents = Contents::default();
            return Err(DeviceError::failed(error));
        }
        let input_words = setup.input_words(leaf);
        let mut cap = Vec::new();
        let leaves = shape.leaves() as usize;
        let hashes = request.hashes(shape);
        // Of a row of zeros not every word need be 0: the sponge may pad it.
        let is_counted = reader.is_zeros() && self.port.only_counts();
        let mut next = || Ok(run.leaf.pack(root, &reader.next(run.leaf.chunk())?));
        let input = if is_counted {
            Input::Zeros(input_words)
        } else {
            Input::Words(&mut next)
        };
        let counters = self.execute(
            leaf,
            setup,
            &mut Streams {
                input,
                output: &mut |word| {
                    let digest = root.unpack_outputs(&[word.data]).concat();
                    if nodes.wants(word.level) {
                        nodes.node(word.level, word.index.into(), &digest)?;
                    }
                    if word.level == top {
                        cap.push(digest);
                    }
                    Ok(())
                },
                timeline: timeline.map(|sink| sink as &mut dyn TimelineSink),
                element: &|word, slice| run.leaf.element_index(root, leaves, word, slice),
                expected,
                node_words: 1,
                digest: root,
            },
            &mut |done| progress.report(done.min(hashes), hashes),
        )?;
        Ok((full_cap(shape, cap), counters))
    }

    /// Loads the values of empty sub-trees, which are in the tree, whatever hash engines are named.
    fn load_empty(
        &mut self,
        root: &ChipProgram,
        shape: &TreeShape,
        engine_mask: u8,
    ) -> Result<(), DriverError> {
        self.clear()?;
        self.sent = None;
        for level in 0..shape.top() {
            let Some(value) = shape.empty(level) else {
                break;
            };
            let word = root.constant_word(value);
            let index = level as u8;
            if self.contents.empty_sub_trees.get(&index) != Some(&word) {
                self.contents.empty_sub_trees.remove(&index);
                self.load_constant(&ChipConstant {
                    engine_mask,
                    sub_engine: program::EMPTY_SUB_TREES,
                    bank: 0,
                    index,
                    word,
                })?;
                self.contents.empty_sub_trees.insert(index, word);
            }
        }
        self.check_error(None)?;
        self.check_constants()
    }
}

/// What the parameter sets are for.
const SET_NAMES: [&str; SETS.len()] = ["rows", "nodes", "nodes of other levels"];

/// The constants of a run, and which hash engines take them.
fn constants_of_run(setup: &RunSetup<'_>) -> Vec<ChipConstant> {
    let mut constants: Vec<ChipConstant> = Vec::new();
    let mut known = HashMap::new();
    for (set, loaded) in setup.sets.iter().enumerate() {
        let Some(LoadedSet {
            program,
            bases,
            engines: engine_mask,
        }) = *loaded
        else {
            continue;
        };
        if engine_mask == 0 {
            continue;
        }
        let placed = program.constants.iter();
        // They fit: of two sets by the rules of their bases, else by those of the program.
        for constant in placed.filter_map(|constant| constant.placed(set, &bases)) {
            let ChipConstant {
                sub_engine,
                bank,
                index,
                word,
                ..
            } = constant;
            // Several sets may have the same word in the same place: it is written once.
            match known.get(&(sub_engine, bank, index, word)) {
                Some(&number) => {
                    let same: &mut ChipConstant = &mut constants[number];
                    same.engine_mask |= engine_mask;
                }
                None => {
                    known.insert((sub_engine, bank, index, word), constants.len());
                    constants.push(ChipConstant {
                        engine_mask,
                        ..constant
                    });
                }
            }
        }
    }
    constants
}

/// Hashes for a tree that the chip does not fold by itself: every hash on the chip, level by level.
struct LevelHasher<'a, P> {
    device: &'a mut ChipDevice<P>,
    progress: &'a mut dyn Progress,
    /// Hashes that are done, and those of the tree.
    done: u64,
    total: u64,
    /// Permutations of a row.
    leaf_hashes: u64,
    counters: Option<Counters>,
}

impl<P: ChipPort> TreeHasher for LevelHasher<'_, P> {
    fn hash(
        &mut self,
        parameters: &AnyParameters,
        elements: &[Word],
    ) -> Result<Vec<Word>, DeviceError> {
        let program = self.device.program(parameters, Purpose::Hash, true)?;
        let (digests, run) = self.device.hash_elements(&program, elements, &mut |now| {
            self.progress
                .report((self.done + now).min(self.total), self.total);
        })?;
        self.done += digests.len() as u64;
        if let Some(run) = run {
            Counters::append_to(&mut self.counters, run);
        }
        Ok(digests.concat())
    }

    fn hash_rows(
        &mut self,
        parameters: &AnyParameters,
        rows: &[Vec<Word>],
    ) -> Result<Vec<Word>, DeviceError> {
        let digests = hash_rows(self.device, parameters, rows)?;
        self.done += rows.len() as u64 * self.leaf_hashes;
        self.progress.report(self.done.min(self.total), self.total);
        Ok(digests)
    }
}

/// How a tree is folded.
enum TreePlan {
    /// By the chip itself.
    Fold(TreeRun),
    /// Level by level, for this reason.
    Levels(String),
}

/// A tree that the chip folds by itself.
struct TreeRun {
    nodes: NodePrograms,
    leaf: TreeLeaf,
    roles: Roles,
    /// Where the constants of each program of nodes begin.
    bases: Vec<Bases>,
    /// The levels up to the top.
    levels: Vec<LevelEntry>,
}

impl TreeRun {
    /// The parameter sets of the run.
    fn sets(&self) -> [Option<LoadedSet<'_>>; SETS.len()] {
        let mut sets = [None; SETS.len()];
        sets[ROW_SET] = Some(LoadedSet {
            program: self.leaf.program().unwrap_or(self.nodes.first()),
            bases: Bases::default(),
            engines: self.roles.rows,
        });
        for (((program, _), &bases), set) in
            self.nodes.programs.iter().zip(&self.bases).zip(NODE_SETS)
        {
            sets[set] = Some(LoadedSet {
                program,
                bases,
                engines: self.roles.nodes,
            });
        }
        sets
    }
}

/// The parameter sets of nodes, in the order in which the levels of a tree take them; that of rows where rows are not
/// hashed.
const NODE_SETS: [usize; SETS.len()] = [NODE_SET, TOP_SET, ROW_SET];

/// The programs with which the levels of a tree are hashed.
#[derive(Default)]
struct NodePrograms {
    /// Each of them once, with its arity, in the order of the levels.
    programs: Vec<(Arc<ChipProgram>, usize)>,
    /// The number of that of each level below the top.
    levels: Vec<usize>,
}

impl NodePrograms {
    /// The next level is hashed with this program.
    fn push(&mut self, program: Arc<ChipProgram>, arity: usize) {
        let is_known = |(known, _): &(Arc<ChipProgram>, usize)| Arc::ptr_eq(known, &program);
        let known = self.programs.iter().position(is_known);
        self.levels.push(known.unwrap_or(self.programs.len()));
        if known.is_none() {
            self.programs.push((program, arity));
        }
    }

    /// That of the leaves' parents; there is one, as trees have levels above their leaves.
    fn first(&self) -> &ChipProgram {
        &self.programs[0].0
    }

    /// Nodes of a group of each level, the top level included, whose groups are as large as those below.
    fn arities(&self) -> Vec<usize> {
        let levels = self.levels.iter().chain(self.levels.last());
        levels.map(|&number| self.programs[number].1).collect()
    }

    /// The arities for a message.
    fn arity_text(&self) -> String {
        let arities: Vec<_> = self
            .programs
            .iter()
            .map(|(_, arity)| arity.to_string())
            .collect();
        arities.join(" and ")
    }

    /// Beats of the largest states.
    fn most_beats(&self) -> usize {
        let beats = self
            .programs
            .iter()
            .map(|(program, _)| program.shape().beats());
        beats.max().unwrap_or_default()
    }

    /// How long a hash engine alone would be busy with the nodes of a tree.
    fn cycles(&self, shape: &TreeShape) -> u64 {
        let levels = (1..).zip(&self.levels);
        levels.fold(0, |cycles: u64, (level, &number)| {
            let period = self.programs[number].0.period() as u64;
            cycles.saturating_add(shape.nodes(level).saturating_mul(period))
        })
    }
}

/// How leaves come into their queue, with these roles of the hash engines.
fn leaf_queue(are_hashed: bool, roles: Roles) -> LeafQueue {
    match are_hashed {
        false => LeafQueue::Ready,
        true if roles.reserve_leaves() => LeafQueue::Reserved,
        true => LeafQueue::InOrder,
    }
}

/// How the chip makes a leaf.
enum TreeLeaf {
    Digest,
    /// Rows that are digests, with zeros behind them.
    Short {
        digest_length: usize,
        columns: usize,
    },
    Hash(Arc<ChipProgram>),
    Rows(Box<ChipRows>),
}

impl TreeLeaf {
    /// The program of the leaf hash engine, if it hashes.
    fn program(&self) -> Option<&ChipProgram> {
        match self {
            Self::Digest | Self::Short { .. } => None,
            Self::Hash(program) => Some(program),
            Self::Rows(rows) => Some(&rows.program),
        }
    }

    fn rows(&self, root: &ChipProgram) -> RowRegisters {
        match self {
            Self::Rows(rows) => rows.registers,
            _ => RowRegisters::one_block(&self.program().unwrap_or(root).registers),
        }
    }

    /// How long a hash engine alone would be busy with the leaves, and with the nodes, of a tree.
    fn work(&self, shape: &TreeShape, nodes: &NodePrograms) -> TreeWork {
        let of_leaf = match self {
            Self::Digest | Self::Short { .. } => 0,
            Self::Hash(program) => program.period(),
            // Its last permutation may have a shorter period than those before.
            Self::Rows(rows) => rows
                .busy()
                .into_iter()
                .fold(rows.program.period(), usize::max),
        };
        TreeWork {
            rows: shape.leaves().saturating_mul(of_leaf as u64),
            nodes: nodes.cycles(shape),
        }
    }

    /// Words of the input stream for a leaf.
    fn words(&self, root: &ChipProgram) -> u64 {
        let rows = self.rows(root);
        let whole = |program: &ChipProgram| program.input_words() as u64;
        let before = self
            .program()
            .map(|program| (u64::from(rows.blocks) - 1) * whole(program));
        before.map_or(1, |before| before + u64::from(rows.last_words))
    }

    /// Leaves that are packed together: whole groups of rows.
    fn chunk(&self) -> usize {
        match self {
            Self::Rows(rows) => rows.group(),
            _ => LEAVES_PER_TRANSFER,
        }
    }

    /// The index of the element that word `word` of the stream of `leaves` leaves holds in slice `slice`.
    fn element_index(&self, root: &ChipProgram, leaves: usize, word: usize, slice: usize) -> usize {
        match self {
            Self::Digest => word * root.digest_elements() + slice,
            // Zeros come behind the elements of a row.
            Self::Short { columns, .. } => word * columns + slice,
            Self::Hash(program) => program.element_index(word, slice),
            Self::Rows(rows) => rows.element_index(leaves, word, slice),
        }
    }

    /// The stream words of leaves with these elements.
    fn pack(&self, root: &ChipProgram, elements: &[Word]) -> Vec<Word> {
        match self {
            Self::Digest => root.pack_outputs(elements),
            Self::Short {
                digest_length,
                columns,
            } => {
                let rows: Vec<_> = elements.chunks(*columns).map(<[Word]>::to_vec).collect();
                root.pack_outputs(&unhashed_digests(*digest_length, &rows))
            }
            Self::Hash(program) => program.pack_inputs(elements),
            Self::Rows(rows) => {
                let rows_of = elements.chunks(rows.length());
                rows.pack(&rows_of.map(<[Word]>::to_vec).collect::<Vec<_>>())
            }
        }
    }
}

/// Most nodes inside of a hash engine that also has rows of several blocks: more than are under way where a row
/// has two blocks.
const MOST_NODES: u8 = 64;

/// Leaves that are read and packed together: few enough that their memory is used again and again.
const LEAVES_PER_TRANSFER: usize = 1 << 10;

/// Most leaves of a run.
const MAX_LEAVES: u64 = 1 << 32;

/// Most hashes of a run without tree.
const MAX_HASHES: usize = MAX_LEAVES as usize;

impl<P: ChipPort> Device for ChipDevice<P> {
    fn name(&self) -> &str {
        self.port.name()
    }

    fn supports(&self, parameters: &AnyParameters) -> Result<(), Unsupported> {
        self.compile(parameters, Purpose::Hash, true).map(drop)
    }

    fn notes(&self, parameters: &AnyParameters) -> Vec<String> {
        let mut notes = parameters.warnings();
        if let Ok(program) = self.compile(parameters, Purpose::Hash, true) {
            notes.extend_from_slice(program.notes());
        }
        notes
    }

    fn commit_notes(&mut self, request: &CommitRequest<'_>) -> Vec<String> {
        let Ok(shape) = request.shape() else {
            return Vec::new();
        };
        match self.plan_tree(request, &shape) {
            Ok(TreePlan::Fold(run)) => self.feed_note(&run, &shape).into_iter().collect(),
            Ok(TreePlan::Levels(reason)) if shape.top() > 0 => vec![format!(
                "the chip does not fold this tree by itself, but level after level in runs of their own, \
                 which takes longer: {reason}"
            )],
            // What is wrong with the request is said when it is run.
            _ => Vec::new(),
        }
    }

    fn commit_time(&mut self, request: &CommitRequest<'_>) -> Option<Duration> {
        let shape = request.shape().ok()?;
        let latency = self.latency(request.parameters) * (u64::from(shape.top()) + 1);
        let cycles = match self.plan_tree(request, &shape).ok()? {
            TreePlan::Fold(run) => run.leaf.work(&shape, &run.nodes).cycles(run.roles),
            TreePlan::Levels(_) => {
                let mut period = |parameters| {
                    let program = self.program(parameters, Purpose::Hash, true).ok()?;
                    Some(program.period() as u64)
                };
                let leaf = match request.leaf {
                    LeafRule::Digest => 0,
                    LeafRule::Hash(parameters) | LeafRule::Row { parameters, .. } => {
                        period(parameters)?
                    }
                };
                let mut node = 0;
                for (parameters, hashes) in request.node_sets().zip(shape.hashes_of_sets()) {
                    node += period(parameters)? * hashes;
                }
                leaf * shape.leaves() * request.leaf_hashes() + node
            }
        };
        self.time(cycles.saturating_add(latency))
    }

    fn hash_time(
        &mut self,
        parameters: &AnyParameters,
        runs: u64,
        hashes: u64,
    ) -> Option<Duration> {
        let period = self.program(parameters, Purpose::Hash, true).ok()?.period() as u64;
        let engines = u64::from(self.roles_of_digests().rows.count_ones());
        let busy = hashes.saturating_sub(runs) * period;
        let cycles = runs * self.latency(parameters) + busy.div_ceil(engines.max(1));
        self.time(cycles)
    }

    fn finish(&mut self) -> Result<Vec<String>, DeviceError> {
        self.port.finish().map_err(DeviceError::failed)
    }

    fn zeroise(&mut self) -> Result<Zeroisation, DeviceError> {
        self.zeroise_chip().map_err(DeviceError::failed)?;
        Ok(Zeroisation::Complete)
    }

    fn self_test(&mut self) -> Result<SelfTest, DeviceError> {
        let result = self.test_engines();
        self.only_engine = None;
        result
    }

    fn engine_plan(&self, parameters: &AnyParameters) -> Result<Option<EnginePlan>, Unsupported> {
        let program = self.compile(parameters, Purpose::Hash, true)?;
        let limits = &self.capabilities.limits;
        Ok(Some(EnginePlan {
            num_full: limits.num_full,
            num_partial: limits.num_partial,
            period: program.period() as u64,
            products: program.products() as u64,
            multipliers: program.multipliers() as u64,
        }))
    }

    fn num_engines(&self) -> Option<usize> {
        Some(self.capabilities.limits.num_engines)
    }

    fn node_memory_bytes(&self) -> Option<u64> {
        Some(u64::from(self.capabilities.node_words) * size_of::<Word>() as u64)
    }

    fn commit(
        &mut self,
        request: &CommitRequest<'_>,
        source: &mut dyn LeafSource,
        nodes: &mut dyn NodeSink,
        progress: &mut dyn Progress,
    ) -> Result<CommitReport, DeviceError> {
        let shape = request.shape()?;
        let reader = LeafReader::new(request, source);
        let (cap, counters) = match self.plan_tree(request, &shape)? {
            TreePlan::Fold(run) => {
                let folded = self.fold(
                    &run,
                    request,
                    &shape,
                    reader,
                    Outlets {
                        nodes,
                        timeline: None,
                        progress,
                    },
                )?;
                (folded.0, Some(folded.1))
            }
            TreePlan::Levels(_) => {
                let mut hasher = LevelHasher {
                    device: self,
                    progress,
                    done: 0,
                    total: request.hashes(&shape),
                    leaf_hashes: request.leaf_hashes(),
                    counters: None,
                };
                // The runs are as the request says.
                let sharing = hasher.device.sharing;
                hasher.device.sharing = request.sharing.or(sharing);
                let cap = fold(request, &shape, reader, nodes, &mut hasher);
                hasher.device.sharing = sharing;
                (cap?, hasher.counters)
            }
        };
        Ok(CommitReport {
            cap,
            leaves: request.leaves,
            hashes: request.hashes(&shape),
            counters,
            devices: Vec::new(),
        })
    }

    fn timeline(
        &mut self,
        request: &CommitRequest<'_>,
        sink: &mut dyn TimelineSink,
        progress: &mut dyn Progress,
    ) -> Result<u64, DeviceError> {
        let refuse = |reason: String, device: &str| {
            let device = device.to_owned();
            DeviceError::from(Unsupported { device, reason })
        };
        let several_runs = format!(
            "the chip does not fold a tree of {} leaves of '{}' by itself",
            request.leaves,
            request.parameters.name()
        );
        let shape = request.shape()?;
        let run = match self.plan_tree(request, &shape)? {
            TreePlan::Fold(run) => run,
            TreePlan::Levels(reason) => {
                let reason = format!("{several_runs}: {reason}");
                return Err(refuse(reason, self.port.name()));
            }
        };
        if !self.port.record_timeline(true) {
            return Err(refuse(NO_TIMELINE.to_owned(), self.port.name()));
        }
        let source = &mut Zeros;
        let reader = LeafReader::new(request, source);
        let streamed: Option<&mut dyn TimelineSink> = Some(&mut *sink);
        let nodes = &mut NoNodes;
        let folded = self.fold(
            &run,
            request,
            &shape,
            reader,
            Outlets {
                nodes,
                timeline: streamed,
                progress,
            },
        );
        self.port.record_timeline(false);
        let rest = self.port.take_timeline(true);
        let cycles = folded?.1.cycles;
        // One run, of which nothing is missing.
        let rest = rest.filter(|rest| rest.cycles == cycles);
        let rest = rest.ok_or_else(|| refuse(several_runs, self.port.name()))?;
        sink.take(rest).map_err(DeviceError::failed)?;
        Ok(cycles)
    }

    fn hash(
        &mut self,
        parameters: &AnyParameters,
        inputs: &[Vec<Word>],
        progress: &mut dyn Progress,
    ) -> Result<HashReport, DeviceError> {
        check_inputs(parameters, inputs)?;
        let program = self.program(parameters, Purpose::Hash, true)?;
        let total = inputs.len() as u64;
        let (digests, counters) = self.hash_elements(&program, &inputs.concat(), &mut |done| {
            progress.report(done, total);
        })?;
        Ok(HashReport { digests, counters })
    }

    fn hash_rows(
        &mut self,
        parameters: &AnyParameters,
        sponge: &Sponge,
        rows: &[Vec<Word>],
        progress: &mut dyn Progress,
    ) -> Result<Option<HashReport>, DeviceError> {
        check_rows(parameters, rows)?;
        let length = rows.first().map_or(0, Vec::len);
        let engines = self.roles_of_digests().rows.count_ones() as usize;
        let Some(compiled) = self.compile_rows(parameters, sponge, length, engines, true)? else {
            return Ok(None);
        };
        let program = &compiled.program;
        let total = (rows.len() * compiled.blocks()) as u64;
        let input = compiled.pack(rows);
        let element = |word, slice| compiled.element_index(rows.len(), word, slice);
        let (output, counters) = self.run_digests(
            program,
            compiled.registers,
            input,
            rows.len(),
            &element,
            &mut |done| {
                progress.report(done.min(total), total);
            },
        )?;
        Ok(Some(HashReport {
            digests: program.unpack_outputs(&output),
            counters: Some(counters),
        }))
    }

    fn permute(
        &mut self,
        parameters: &AnyParameters,
        states: &[Vec<Word>],
        progress: &mut dyn Progress,
    ) -> Result<PermuteReport, DeviceError> {
        check_states(parameters, states)?;
        let program = self.program(parameters, Purpose::Permutation, true)?;
        let total = states.len() as u64;
        let (states, counters) = self.hash_elements(&program, &states.concat(), &mut |done| {
            progress.report(done, total);
        })?;
        Ok(PermuteReport { states, counters })
    }
}

/// What [`ERROR_MEMORY_FAULT`](registers::ERROR_MEMORY_FAULT) calls a place by its number.
fn memory_name(place: u32) -> String {
    const TREE: u32 = program::EMPTY_SUB_TREES as u32;
    const AROUND: u32 = INITIAL_VECTOR as u32;
    match place {
        12 => "conversion of the output".to_owned(),
        13 => "conversion of the input".to_owned(),
        TREE => "tree".to_owned(),
        AROUND => "around the sub-engines".to_owned(),
        number => format!("sub-engine {number}"),
    }
}

fn read_capabilities(port: &mut impl ChipPort) -> Result<Capabilities, DriverError> {
    let engine = port.read_register(registers::CAPS_ENGINE.address)?;
    let depth = port.read_register(registers::CAPS_DEPTH.address)?;
    let tree = port.read_register(registers::CAPS_TREE.address)?;
    let mut prime = Word::default();
    for (position, bytes) in (0..).zip(prime.as_chunks_mut::<4>().0) {
        *bytes = port
            .read_register(registers::PRIME.at(position))?
            .to_le_bytes();
    }
    let field = port.read_register(registers::CAPS_FIELD.address)?;
    let pool = port.read_register(registers::CAPS_POOL.address)?;
    let full = registers::CAPS_NUM_FULL.get(engine);
    let partial = registers::CAPS_NUM_PARTIAL.get(engine);
    if !(1..=MAX_NUM_FULL as u32).contains(&full) || partial > registers::MAX_PARTIAL_ENGINES as u32
    {
        return Err(DriverError::SubEngines { full, partial });
    }
    Ok(Capabilities {
        limits: EngineLimits {
            prime,
            num_full: full as usize,
            num_partial: partial as usize,
            num_engines: registers::CAPS_NUM_ENGINES.get(pool) as usize,
            matrix_depth: registers::CAPS_MATRIX_DEPTH.get(depth) as usize,
            constant_depth: registers::CAPS_CONSTANT_DEPTH.get(depth) as usize,
            partial_depth: registers::CAPS_PARTIAL_DEPTH.get(depth) as usize,
            goldilocks: registers::CAPS_GOLDILOCKS.is_set(field),
            montgomery_bits: registers::CAPS_MONTGOMERY_BITS.get(field),
            runtime_modulus: registers::CAPS_RUNTIME_MODULUS.is_set(field),
            store: registers::CAPS_STORE.is_set(depth),
            adders: registers::CAPS_ADDERS.is_set(depth),
            places: 1 << registers::CAPS_LOG2_PLACES.get(engine),
            loop_cycles: registers::CAPS_LOOP_CYCLES_FULL.get(engine) as usize,
        },
        lanes: registers::CAPS_LANES.get(engine),
        loop_cycles_full: registers::CAPS_LOOP_CYCLES_FULL.get(engine),
        loop_cycles_partial: registers::CAPS_LOOP_CYCLES_PARTIAL.get(engine),
        max_height: registers::CAPS_MAX_HEIGHT.get(tree),
        node_words: 1 << registers::CAPS_LOG2_NODE_WORDS.get(tree),
        memory_parity: registers::CAPS_MEMORY_PARITY.is_set(pool),
    })
}

#[cfg(any(test, feature = "testing"))]
pub mod fake;
mod port;
#[cfg(feature = "testing")]
pub mod recorder;
#[cfg(any(test, feature = "testing"))]
pub mod suite;
#[cfg(test)]
mod tests;

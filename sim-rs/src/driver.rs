//! Drives a chip: registers, constants, data and counters, through the one trait [`ChipPort`].
//!
//! The same code drives the simulated chip and a real one. A run goes like this: the constants of
//! the parameter set are written, those that the chip does not have already, the run is set up and
//! started, the input is offered while the output is collected, and the counters are read. After an
//! error the chip is cleared, so that it can be used again.
//!
//! The chip folds trees whose digests have a stream word of their own. Other trees, and higher ones,
//! are computed level by level, every hash on the chip.

use std::collections::HashMap;
use std::sync::Arc;

use crate::device::{
    CommitReport, CommitRequest, Counters, Device, DeviceError, EngineCounters, EnginePlan,
    HashReport, LeafKind, PermuteReport, Progress, Unsupported, check_inputs, check_rows,
    check_states,
};
use crate::fields::AnyParameters;
use crate::level_table::{self, LevelQueue, MEMORIES, NodeMemories};
use crate::program::{
    ChipConstant, ChipProgram, ChipRegisters, ChipRows, EngineLimits, MAX_NUM_FULL, ProgramError,
    RowRegisters, RuntimeModulus,
};
use crate::registers::{self, EngineRegisters};
use crate::sponge::Sponge;
use crate::word::{self, Word};

/// What a simulated, modelled or real chip offers: its register port and its two data streams.
///
/// Time passes only inside these calls; a register access takes a few clock cycles.
pub trait ChipPort {
    /// A short name for reports, such as `rtl`.
    fn name(&self) -> &str;

    /// Writes the register at byte address `address`.
    ///
    /// # Errors
    ///
    /// When the connection to the chip fails. A write that the chip refuses is no such failure: it
    /// shows in the `ERROR` register.
    fn write_register(&mut self, address: u32, value: u32) -> Result<(), PortError>;

    /// Reads the register at byte address `address`.
    ///
    /// # Errors
    ///
    /// When the connection to the chip fails.
    fn read_register(&mut self, address: u32) -> Result<u32, PortError>;

    /// Lets up to `cycles` clock cycles pass, in which the words of `input` are offered in order
    /// and what comes out is appended to `output`. Returns how many words of `input` were taken.
    /// It may return early when the last output word has come.
    ///
    /// # Errors
    ///
    /// When the connection to the chip fails.
    fn transfer(
        &mut self,
        input: &[Word],
        output: &mut Vec<OutputWord>,
        cycles: u64,
    ) -> Result<usize, PortError>;
}

/// A word of the output stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutputWord {
    /// A canonical field element, little-endian, or four Goldilocks elements.
    pub data: Word,
    /// Level of the node in the tree, the leaves are level 0.
    pub level: u32,
    /// Index of the node in its level.
    pub index: u32,
    /// Whether it is the last word of the run.
    pub last: bool,
    /// Whether the run had an error: the word is void.
    pub error: bool,
}

/// The connection to the chip failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PortError(String);

impl PortError {
    /// A failure that `message` describes: what was tried, and what to do.
    pub fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

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
    /// The memories of the tree.
    pub memories: NodeMemories,
}

/// Why a chip could not be used or a run did not give a result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DriverError {
    /// The connection to the chip failed.
    #[error("the connection to the chip failed: {0}")]
    Port(#[from] PortError),
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
        "the chip has version 0x{found:08X} of the register map, this driver knows \
         0x{:08X}; use a driver of the chip's version",
        registers::VERSION_VALUE
    )]
    UnknownVersion {
        /// Value of the register.
        found: u32,
    },
    /// The capabilities contradict the register map.
    #[error(
        "the chip reports {full} full-round and {partial} partial-round sub-engines, the register \
         map has room for 1 to {MAX_NUM_FULL} and 1 to {}",
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
    /// The chip was started while a run was in progress.
    #[error("the chip was started while a run was in progress")]
    StartWhileRunning,
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
    /// The leaves do not fill the tree.
    #[error("the chip reports that the leaves do not fill the tree")]
    IncompleteTree,
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
        "the chip made no progress in {idle_cycles} cycles: {taken} of {offered} input words \
         taken, {received} of {expected} output words received, {hashes} hashes done; STATUS \
         0x{status:08X}, ERROR {code}, CYCLES {cycles}"
    )]
    NoProgress {
        /// Cycles without progress.
        idle_cycles: u64,
        /// Input words taken.
        taken: usize,
        /// Input words of the run.
        offered: usize,
        /// Output words received.
        received: usize,
        /// Output words of the run.
        expected: usize,
        /// Hashes that both engines finished.
        hashes: u64,
        /// Value of `STATUS`.
        status: u32,
        /// Value of `ERROR`.
        code: u32,
        /// Value of `CYCLES`.
        cycles: u64,
    },
    /// The flush after a clear did not end.
    #[error(
        "the chip is still busy {cycles} cycles after a clear (STATUS 0x{status:08X}); reset it"
    )]
    NotIdle {
        /// Cycles waited.
        cycles: u64,
        /// Value of `STATUS`.
        status: u32,
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

/// What a run does.
#[derive(Clone, Copy)]
struct RunSetup<'a> {
    hash_leaves: bool,
    /// What a leaf is that is hashed.
    rows: RowRegisters,
    /// Leaves, or digests of a run without tree.
    leaves: u32,
    /// The queues of the levels below the root; none in a run without tree.
    levels: &'a [LevelQueue],
}

/// What the chip holds, as far as it is known.
#[derive(Default)]
struct Contents {
    /// Registers of the leaf hash engine and of the root hash engine.
    registers: [Option<ChipRegisters>; 2],
    modulus: Option<RuntimeModulus>,
    /// Constants by engine, sub-engine, bank and index.
    constants: HashMap<(usize, u8, u8, u8), Word>,
}

/// The registers of the leaf hash engine and of the root hash engine.
const ENGINES: [&EngineRegisters; 2] = [&registers::LEAF, &registers::ROOT];

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
    program: Arc<ChipProgram>,
}

/// A device that drives the chip behind `port`.
pub struct ChipDevice<P> {
    port: P,
    capabilities: Capabilities,
    contents: Contents,
    /// The last programs, the latest one last.
    compiled: Vec<Compiled>,
    watchdog_cycles: u64,
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
            compiled: Vec::new(),
            watchdog_cycles: WATCHDOG_CYCLES,
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

    /// Sets after how many clock cycles without any progress a run is given up; 512 for each round
    /// of a hash come on top.
    pub fn set_watchdog(&mut self, cycles: u64) {
        self.watchdog_cycles = cycles;
    }

    /// Compiles a parameter set for the chip.
    fn compile(
        &self,
        parameters: &AnyParameters,
        purpose: Purpose,
    ) -> Result<ChipProgram, Unsupported> {
        let limits = &self.capabilities.limits;
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
    ) -> Result<Arc<ChipProgram>, Unsupported> {
        let known = (self.compiled.iter())
            .find(|known| known.purpose == purpose && known.parameters == *parameters);
        if let Some(known) = known {
            return Ok(Arc::clone(&known.program));
        }
        let program = Arc::new(self.compile(parameters, purpose)?);
        if self.compiled.len() == MAX_COMPILED {
            self.compiled.remove(0);
        }
        self.compiled.push(Compiled {
            parameters: parameters.clone(),
            purpose,
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

    /// Runs `setup` with `program` over `input`; returns the output words, `expected` of them, and
    /// the counters. `on_progress` is told the hashes that both engines have finished. After an
    /// error the chip is cleared.
    fn execute(
        &mut self,
        program: &ChipProgram,
        setup: RunSetup<'_>,
        input: &[Word],
        expected: usize,
        on_progress: &mut dyn FnMut(u64),
    ) -> Result<(Vec<Word>, Counters), DriverError> {
        let result = self
            .clear()
            .and_then(|()| self.load(program))
            .and_then(|()| self.run(program, setup, input, expected, on_progress))
            .and_then(|output| Ok((output, self.read_counters()?)));
        if result.is_err() {
            // The first error says more than one of the clear, which the next run repeats anyway.
            let _ = self.clear();
        }
        result
    }

    /// Loads what of the program the chip does not have already.
    fn load(&mut self, program: &ChipProgram) -> Result<(), DriverError> {
        // Nothing is known until everything was taken.
        let mut contents = std::mem::take(&mut self.contents);
        for (known, engine) in contents.registers.iter_mut().zip(ENGINES) {
            if known.as_ref() != Some(&program.registers) {
                for (address, value) in program.registers.writes(engine) {
                    self.write(address, value)?;
                }
                *known = Some(program.registers);
            }
        }
        if let Some(modulus) = &program.modulus
            && contents.modulus.as_ref() != Some(modulus)
        {
            self.write_word(&registers::PRIME, &modulus.prime)?;
            self.write_word(&registers::RADIX_SQUARED, &modulus.radix_squared)?;
            contents.modulus = Some(*modulus);
        }
        for constant in &program.constants {
            let place = |engine| (engine, constant.sub_engine, constant.bank, constant.index);
            let lacking = (0..ENGINES.len()).filter(|&engine| {
                constant.engine_mask >> engine & 1 == 1
                    && contents.constants.get(&place(engine)) != Some(&constant.word)
            });
            let engine_mask = lacking.fold(0, |mask, engine| mask | 1 << engine);
            if engine_mask != 0 {
                self.load_constant(&ChipConstant {
                    engine_mask,
                    ..*constant
                })?;
            }
            for engine in (0..ENGINES.len()).filter(|engine| engine_mask >> engine & 1 == 1) {
                contents.constants.insert(place(engine), constant.word);
            }
        }
        self.check_error(program, &[])?;
        self.contents = contents;
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
        self.write_word(&registers::CONSTANT_DATA, &constant.word)?;
        let address = registers::CONSTANT_INDEX.with(constant.index.into())
            | registers::CONSTANT_BANK.with(constant.bank.into())
            | registers::CONSTANT_ENGINE.with(constant.sub_engine.into())
            | registers::CONSTANT_ENGINE_MASK.with(constant.engine_mask.into());
        self.write(registers::CONSTANT_ADDRESS.address, address)
    }

    fn run(
        &mut self,
        program: &ChipProgram,
        setup: RunSetup<'_>,
        input: &[Word],
        expected: usize,
        on_progress: &mut dyn FnMut(u64),
    ) -> Result<Vec<Word>, DriverError> {
        let mode = registers::MODE_LEAF_KIND.with(u32::from(setup.hash_leaves))
            | registers::MODE_OVERWRITE.with(u32::from(setup.rows.overwrite));
        self.write(registers::MODE.address, mode)?;
        for (address, value) in setup.rows.writes() {
            self.write(address, value)?;
        }
        self.write(registers::LEAVES.address, setup.leaves)?;
        self.write(registers::TOP_LEVEL.address, setup.levels.len() as u32)?;
        self.write(registers::EMIT_LEVELS.address, 0)?;
        for (level, queue) in (0..).zip(setup.levels) {
            let entry = registers::LEVEL_GROUPS.with(queue.groups)
                | registers::LEVEL_MEMORY.with(queue.memory as u32);
            self.write(registers::LEVEL_TABLE.at(level), entry)?;
        }
        self.write(registers::CONTROL.address, registers::CONTROL_START.with(1))?;
        self.check_error(program, input)?;

        let registers = &program.registers;
        let rounds = u64::from(registers.full_rounds_first)
            + u64::from(registers.full_rounds_last)
            + registers
                .partial_rounds
                .iter()
                .copied()
                .map(u64::from)
                .sum::<u64>();
        let watchdog = self.watchdog_cycles + rounds * WATCHDOG_CYCLES_PER_ROUND;
        let mut output = Vec::with_capacity(expected);
        let mut taken = 0;
        let mut last_activity = (0, 0, 0);
        let mut idle_cycles = 0;
        while !output.last().is_some_and(|word: &OutputWord| word.last) {
            let end = input.len().min(taken + CYCLES_PER_TRANSFER as usize);
            let chunk = &input[taken..end];
            taken += self
                .port
                .transfer(chunk, &mut output, CYCLES_PER_TRANSFER)?
                .min(chunk.len());
            self.check_error(program, input)?;
            if output.len() > expected {
                break;
            }
            let hashes = self.read_counter(&registers::LEAF_HASHES, 0)?
                + self.read_counter(&registers::ROOT_HASHES, 0)?;
            on_progress(hashes);
            let activity = (taken, output.len(), hashes);
            if activity != last_activity {
                last_activity = activity;
                idle_cycles = 0;
                continue;
            }
            idle_cycles += CYCLES_PER_TRANSFER;
            if idle_cycles >= watchdog {
                return Err(DriverError::NoProgress {
                    idle_cycles,
                    taken,
                    offered: input.len(),
                    received: output.len(),
                    expected,
                    hashes,
                    status: self.read(registers::STATUS.address)?,
                    code: self.read(registers::ERROR.address)?,
                    cycles: self.read_counter(&registers::CYCLES, 0)?,
                });
            }
        }
        check_output(&output, expected)?;
        let digest_words = program.registers.digest_words;
        check_nodes(&output, setup.levels.len() as u32, digest_words)?;
        if taken != input.len() {
            return Err(DriverError::InputLeft {
                taken,
                offered: input.len(),
            });
        }
        self.wait_until_idle()?;
        Ok(output.iter().map(|word| word.data).collect())
    }

    /// Clears status, error and counters, aborts a run, and waits until the chip is idle.
    fn clear(&mut self) -> Result<(), DriverError> {
        self.write(registers::CONTROL.address, registers::CONTROL_CLEAR.with(1))?;
        self.wait_until_idle()
    }

    /// Lets cycles pass until `STATUS.busy` is 0. What comes out meanwhile is dropped.
    fn wait_until_idle(&mut self) -> Result<(), DriverError> {
        const CYCLES_PER_LOOK: u64 = 64;
        let mut waited = 0;
        loop {
            let status = self.read(registers::STATUS.address)?;
            if !registers::STATUS_BUSY.is_set(status) {
                return Ok(());
            }
            if waited >= self.watchdog_cycles {
                return Err(DriverError::NotIdle {
                    cycles: waited,
                    status,
                });
            }
            self.port.transfer(&[], &mut Vec::new(), CYCLES_PER_LOOK)?;
            waited += CYCLES_PER_LOOK;
        }
    }

    /// Turns the `ERROR` register into an error; `input` is the input of the run of `program`.
    fn check_error(&mut self, program: &ChipProgram, input: &[Word]) -> Result<(), DriverError> {
        let status = self.read(registers::STATUS.address)?;
        if !registers::STATUS_ERROR.is_set(status) {
            return Ok(());
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
        } else if code == code_of(registers::ERROR_WRITE_WHILE_RUNNING) {
            DriverError::WriteWhileRunning { register: name() }
        } else if code == code_of(registers::ERROR_UNKNOWN_REGISTER) {
            DriverError::UnknownRegister { address: info }
        } else if code == code_of(registers::ERROR_START_WHILE_RUNNING) {
            DriverError::StartWhileRunning
        } else if code == code_of(registers::ERROR_INCOMPLETE_TREE) {
            DriverError::IncompleteTree
        } else if code == code_of(registers::ERROR_ILLEGAL_CONSTANT_ADDRESS) {
            DriverError::IllegalConstantAddress { address: info }
        } else {
            match program.element_not_below_prime(input, info as usize) {
                Some((index, value))
                    if code == code_of(registers::ERROR_ELEMENT_NOT_BELOW_PRIME) =>
                {
                    DriverError::ElementNotBelowPrime { index, value }
                }
                _ => DriverError::UnknownErrorCode { code, info },
            }
        })
    }

    fn write(&mut self, address: u32, value: u32) -> Result<(), DriverError> {
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
        Ok(Counters {
            cycles: self.read_counter(&registers::CYCLES, 0)?,
            cycle_first_in: self.read_counter(&registers::CYCLE_FIRST_IN, 0)?,
            cycle_last_in: self.read_counter(&registers::CYCLE_LAST_IN, 0)?,
            cycle_first_leaf: self.read_counter(&registers::CYCLE_FIRST_LEAF, 0)?,
            cycle_last_leaf: self.read_counter(&registers::CYCLE_LAST_LEAF, 0)?,
            cycle_first_out: self.read_counter(&registers::CYCLE_FIRST_OUT, 0)?,
            cycle_last_out: self.read_counter(&registers::CYCLE_LAST_OUT, 0)?,
            stall_in: self.read_counter(&registers::STALL_IN, 0)?,
            missing_in: self.read_counter(&registers::MISSING_IN, 0)?,
            stall_leaf: self.read_counter(&registers::STALL_LEAF, 0)?,
            starved_root: self.read_counter(&registers::STARVED_ROOT, 0)?,
            stall_out: self.read_counter(&registers::STALL_OUT, 0)?,
            high_water: (0..MEMORIES as u32)
                .map(|memory| self.read_counter(&registers::HIGH_WATER, memory))
                .collect::<Result<_, _>>()?,
            leaf: self.read_engine_counters(
                &registers::LEAF_HASHES,
                &registers::LEAF_BUSY_FULL,
                &registers::LEAF_BUSY_FULL_LAST,
                &registers::LEAF_BUSY_PARTIAL,
            )?,
            root: self.read_engine_counters(
                &registers::ROOT_HASHES,
                &registers::ROOT_BUSY_FULL,
                &registers::ROOT_BUSY_FULL_LAST,
                &registers::ROOT_BUSY_PARTIAL,
            )?,
        })
    }

    fn read_engine_counters(
        &mut self,
        hashes: &registers::Register,
        busy_full: &registers::Register,
        busy_full_last: &registers::Register,
        busy_partial: &registers::Register,
    ) -> Result<EngineCounters, DriverError> {
        Ok(EngineCounters {
            hashes: self.read_counter(hashes, 0)?,
            busy_full: self.read_counter(busy_full, 0)?,
            busy_full_last: self.read_counter(busy_full_last, 0)?,
            busy_partial: (0..self.capabilities.limits.num_partial as u32)
                .map(|engine| self.read_counter(busy_partial, engine))
                .collect::<Result<_, _>>()?,
        })
    }
}

/// The output stream must be complete and valid.
fn check_output(output: &[OutputWord], expected: usize) -> Result<(), DriverError> {
    if let Some(index) = output.iter().position(|word| word.error) {
        return Err(DriverError::VoidOutput { index });
    }
    let ends_early = output.iter().position(|word| word.last);
    let received = ends_early.map_or(output.len(), |index| index + 1);
    if received != expected || output.len() != expected {
        return Err(DriverError::OutputLength { received, expected });
    }
    Ok(())
}

/// The output words must be the nodes of `level` in order, of `words` words each.
fn check_nodes(output: &[OutputWord], level: u32, words: u32) -> Result<(), DriverError> {
    for (position, word) in (0..).zip(output) {
        let index = position / words;
        if (word.level, word.index) != (level, index) {
            return Err(DriverError::WrongNode {
                level: word.level,
                index: word.index,
                expected_level: level,
                expected_index: index,
            });
        }
    }
    Ok(())
}

impl<P: ChipPort> ChipDevice<P> {
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
        let mut digests = Vec::new();
        let mut counters: Option<Counters> = None;
        for input in words.chunks(MAX_HASHES * program.input_words()) {
            let hashes = input.len() / program.input_words();
            let setup = RunSetup {
                hash_leaves: true,
                rows: RowRegisters::one_block(&program.registers),
                leaves: hashes as u32,
                levels: &[],
            };
            let before = digests.len() as u64;
            let expected = hashes * program.output_words();
            let (output, run) = self
                .execute(program, setup, input, expected, &mut |done| {
                    on_progress(before + done.min(hashes as u64));
                })
                .map_err(DeviceError::failed)?;
            digests.extend(program.unpack_outputs(&output));
            add_run(&mut counters, run);
        }
        Ok((digests, counters))
    }

    /// The queues of the levels of a tree over `leaves` leaves, a power of the arity, if the chip can
    /// fold it.
    fn levels(&self, program: &ChipProgram, leaves: usize) -> Option<Vec<LevelQueue>> {
        let arity = program.tree_arity().filter(|_| leaves > 1)?;
        u32::try_from(leaves).ok()?;
        let height = leaves.ilog(arity) as usize;
        level_table::level_table(arity, height, &self.capabilities.memories)
            .ok()
            .filter(|levels| levels.len() <= self.capabilities.max_height as usize)
    }

    /// The root of a tree that the chip folds by itself.
    fn fold(
        &mut self,
        program: &ChipProgram,
        request: &CommitRequest<'_>,
        leaves: usize,
        levels: &[LevelQueue],
        progress: &mut dyn Progress,
    ) -> Result<(Vec<Word>, Option<Counters>), DeviceError> {
        let setup = RunSetup {
            hash_leaves: request.leaf == LeafKind::Hash,
            rows: RowRegisters::one_block(&program.registers),
            leaves: leaves as u32,
            levels,
        };
        let input = match request.leaf {
            LeafKind::Hash => program.pack_inputs(request.words),
            LeafKind::Element => program.pack_outputs(request.words),
        };
        let hashes = request.hashes(leaves);
        let (output, counters) = self
            .execute(program, setup, &input, 1, &mut |done| {
                progress.report(done, hashes);
            })
            .map_err(DeviceError::failed)?;
        Ok((program.unpack_outputs(&output).concat(), Some(counters)))
    }

    /// The root of any tree: level by level, every hash on the chip.
    fn fold_levels(
        &mut self,
        program: &ChipProgram,
        request: &CommitRequest<'_>,
        leaves: usize,
        progress: &mut dyn Progress,
    ) -> Result<(Vec<Word>, Option<Counters>), DeviceError> {
        let hashes = request.hashes(leaves);
        let mut counters = None;
        let mut done = 0;
        let mut level = request.words.to_vec();
        let mut hash_next = request.leaf == LeafKind::Hash || leaves > 1;
        while hash_next {
            let (digests, run) = self.hash_elements(program, &level, &mut |now| {
                progress.report(done + now, hashes);
            })?;
            done += digests.len() as u64;
            hash_next = digests.len() > 1;
            level = digests.concat();
            if let Some(run) = run {
                add_run(&mut counters, run);
            }
        }
        Ok((level, counters))
    }
}

/// Most hashes of a run.
const MAX_HASHES: usize = u32::MAX as usize;

/// Appends the counters of a run to those of the runs before it.
fn add_run(counters: &mut Option<Counters>, run: Counters) {
    let Some(total) = counters else {
        *counters = Some(run);
        return;
    };
    let before = total.cycles;
    total.cycles += run.cycles;
    total.cycle_last_in = before + run.cycle_last_in;
    total.cycle_last_leaf = before + run.cycle_last_leaf;
    total.cycle_last_out = before + run.cycle_last_out;
    total.stall_in += run.stall_in;
    total.missing_in += run.missing_in;
    total.stall_leaf += run.stall_leaf;
    total.starved_root += run.starved_root;
    total.stall_out += run.stall_out;
    for (total, run) in total.high_water.iter_mut().zip(run.high_water) {
        *total = run.max(*total);
    }
    for (total, run) in [(&mut total.leaf, run.leaf), (&mut total.root, run.root)] {
        total.hashes += run.hashes;
        total.busy_full += run.busy_full;
        total.busy_full_last += run.busy_full_last;
        for (total, run) in total.busy_partial.iter_mut().zip(run.busy_partial) {
            *total += run;
        }
    }
}

impl<P: ChipPort> Device for ChipDevice<P> {
    fn name(&self) -> &str {
        self.port.name()
    }

    fn supports(&self, parameters: &AnyParameters) -> Result<(), Unsupported> {
        self.compile(parameters, Purpose::Hash).map(drop)
    }

    fn notes(&self, parameters: &AnyParameters) -> Vec<String> {
        let mut notes = parameters.warnings();
        if let Ok(program) = self.compile(parameters, Purpose::Hash) {
            notes.extend_from_slice(program.notes());
        }
        notes
    }

    fn engine_plan(&self, parameters: &AnyParameters) -> Result<Option<EnginePlan>, Unsupported> {
        let program = self.compile(parameters, Purpose::Hash)?;
        let limits = &self.capabilities.limits;
        Ok(Some(EnginePlan {
            num_full: limits.num_full,
            num_partial: limits.num_partial,
            period: program.period() as u64,
            products: program.products() as u64,
            multipliers: program.multipliers() as u64,
        }))
    }

    fn commit(
        &mut self,
        request: &CommitRequest<'_>,
        progress: &mut dyn Progress,
    ) -> Result<CommitReport, DeviceError> {
        let leaves = request.validate()?;
        let program = self.program(request.parameters, Purpose::Hash)?;
        let (root, counters) = match self.levels(&program, leaves) {
            Some(levels) => self.fold(&program, request, leaves, &levels, progress)?,
            None => self.fold_levels(&program, request, leaves, progress)?,
        };
        Ok(CommitReport {
            root,
            leaves,
            hashes: request.hashes(leaves),
            counters,
        })
    }

    fn hash(
        &mut self,
        parameters: &AnyParameters,
        inputs: &[Vec<Word>],
        progress: &mut dyn Progress,
    ) -> Result<HashReport, DeviceError> {
        check_inputs(parameters, inputs)?;
        let program = self.program(parameters, Purpose::Hash)?;
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
        let limits = &self.capabilities.limits;
        let compiled = ChipRows::compile(parameters, sponge, length, limits)
            .map_err(|error| self.unsupported(error.to_string()))?;
        let Some(compiled) = compiled else {
            return Ok(None);
        };
        let setup = RunSetup {
            hash_leaves: true,
            rows: compiled.registers,
            leaves: rows.len() as u32,
            levels: &[],
        };
        let program = &compiled.program;
        let input = compiled.pack(rows);
        let expected = rows.len() * program.output_words();
        let total = (rows.len() * compiled.blocks()) as u64;
        let (output, counters) = self
            .execute(program, setup, &input, expected, &mut |done| {
                progress.report(done.min(total), total);
            })
            .map_err(DeviceError::failed)?;
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
        let program = self.program(parameters, Purpose::Permutation)?;
        let total = states.len() as u64;
        let (states, counters) = self.hash_elements(&program, &states.concat(), &mut |done| {
            progress.report(done, total);
        })?;
        Ok(PermuteReport { states, counters })
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
    let full = registers::CAPS_NUM_FULL.get(engine);
    let partial = registers::CAPS_NUM_PARTIAL.get(engine);
    if !(1..=MAX_NUM_FULL as u32).contains(&full)
        || !(1..=registers::MAX_PARTIAL_ENGINES as u32).contains(&partial)
    {
        return Err(DriverError::SubEngines { full, partial });
    }
    Ok(Capabilities {
        limits: EngineLimits {
            prime,
            num_full: full as usize,
            num_partial: partial as usize,
            matrix_depth: registers::CAPS_MATRIX_DEPTH.get(depth) as usize,
            constant_depth: registers::CAPS_CONSTANT_DEPTH.get(depth) as usize,
            partial_depth: registers::CAPS_PARTIAL_DEPTH.get(depth) as usize,
            goldilocks: registers::CAPS_GOLDILOCKS.is_set(field),
            montgomery_bits: registers::CAPS_MONTGOMERY_BITS.get(field),
            runtime_modulus: registers::CAPS_RUNTIME_MODULUS.is_set(field),
            places: 1 << registers::CAPS_LOG2_PLACES.get(engine),
            loop_cycles: registers::CAPS_LOOP_CYCLES_FULL.get(engine) as usize,
        },
        lanes: registers::CAPS_LANES.get(engine),
        loop_cycles_full: registers::CAPS_LOOP_CYCLES_FULL.get(engine),
        loop_cycles_partial: registers::CAPS_LOOP_CYCLES_PARTIAL.get(engine),
        max_height: registers::CAPS_MAX_HEIGHT.get(tree),
        memories: NodeMemories {
            words: [
                registers::CAPS_LOG2_LEAF_HASH_BUFFER,
                registers::CAPS_LOG2_ROOT_HASH_BUFFER,
                registers::CAPS_LOG2_SCRATCH_PAD,
                registers::CAPS_LOG2_HIDM_LEVEL_0,
                registers::CAPS_LOG2_HIDM_LEVEL_1,
            ]
            .map(|field| 1 << field.get(tree)),
        },
    })
}

#[cfg(test)]
mod tests;

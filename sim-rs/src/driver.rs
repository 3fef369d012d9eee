//! Drives a chip: registers, constants, data and counters, through the one trait [`ChipPort`].
//!
//! The same code drives the simulated chip and a real one. A run goes like this: the constants of
//! the parameter set are written unless the chip has them already, the run is set up and started,
//! the input is offered while the output is collected, and the counters are read. After an error
//! the chip is cleared, so that it can be used again.

use ark_bls12_381::Fr;

use crate::device::{
    CommitReport, CommitRequest, Counters, Device, DeviceError, EngineCounters, HashReport,
    LeafKind, Progress, Unsupported, check_inputs,
};
use crate::params::PoseidonParameters;
use crate::program::{ChipConstant, ChipProgram, EngineLimits};
use crate::registers;
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
    /// A canonical field element, little-endian.
    pub data: Word,
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
    /// Full-round sub-engines of each hash engine.
    pub num_full: u32,
    /// Field elements that a sub-engine takes in a cycle.
    pub lanes: u32,
    /// Cycles a state needs for a round of the full-round sub-engine.
    pub loop_cycles_full: u32,
    /// Cycles a state needs for a round of a partial-round sub-engine.
    pub loop_cycles_partial: u32,
    /// The chip takes trees of up to 2^`max_height` leaves.
    pub max_height: u32,
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
        "the chip reports {count} partial-round sub-engines, the register map has room for 1 to {}",
        registers::MAX_PARTIAL_ENGINES
    )]
    PartialEngines {
        /// Number of partial-round sub-engines reported.
        count: u32,
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
    /// An output word is marked as void, but `ERROR` gives no reason.
    #[error("the chip marked output word {index} as void without giving an error code")]
    VoidOutput {
        /// Index of the word in the output.
        index: usize,
    },
}

/// Clock cycles between two looks at the status of a run.
const CYCLES_PER_TRANSFER: u64 = 4096;

/// Default of [`ChipDevice::set_watchdog`]: many times the latency of a hash.
const WATCHDOG_CYCLES: u64 = 65_536;

/// What a run does.
#[derive(Clone, Copy)]
struct RunSetup {
    hash_leaves: bool,
    digests: bool,
    /// Leaves or digests.
    leaves: u32,
}

/// A device that drives the chip behind `port`.
pub struct ChipDevice<P> {
    port: P,
    capabilities: Capabilities,
    /// The program in the chip, if it is known.
    loaded: Option<ChipProgram>,
    watchdog_cycles: u64,
}

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
            loaded: None,
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

    /// Sets after how many clock cycles without any progress a run is given up.
    pub fn set_watchdog(&mut self, cycles: u64) {
        self.watchdog_cycles = cycles;
    }

    /// Compiles a parameter set for the chip.
    fn compile(&self, parameters: &PoseidonParameters<Fr>) -> Result<ChipProgram, Unsupported> {
        ChipProgram::compile(parameters, &self.capabilities.limits)
            .map_err(|error| self.unsupported(error.to_string()))
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
        setup: RunSetup,
        input: &[Word],
        expected: usize,
        on_progress: &mut dyn FnMut(u64),
    ) -> Result<(Vec<Word>, Counters), DriverError> {
        let result = self
            .clear()
            .and_then(|()| self.load(program))
            .and_then(|()| self.run(setup, input, expected, on_progress))
            .and_then(|output| Ok((output, self.read_counters()?)));
        if result.is_err() {
            // The first error says more than one of the clear, which the next run repeats anyway.
            let _ = self.clear();
        }
        result
    }

    /// Loads the program unless the chip has it already.
    fn load(&mut self, program: &ChipProgram) -> Result<(), DriverError> {
        if self.loaded.as_ref() == Some(program) {
            return Ok(());
        }
        self.loaded = None;
        let values = &program.registers;
        for (register, value) in [
            (&registers::ARITY, values.arity),
            (&registers::WIDTH, values.width),
            (&registers::ALPHA, values.alpha),
            (&registers::FULL_ROUNDS_FIRST, values.full_rounds_first),
            (&registers::FULL_ROUNDS_LAST, values.full_rounds_last),
            (&registers::DIGEST_INDEX, values.digest_index),
        ] {
            self.write(register.address, value)?;
        }
        for position in 0..registers::PARTIAL_ROUNDS.count {
            let rounds = values
                .partial_rounds
                .get(position as usize)
                .copied()
                .unwrap_or(0);
            self.write(registers::PARTIAL_ROUNDS.at(position), rounds)?;
        }
        for constant in &program.constants {
            self.load_constant(constant)?;
        }
        self.check_error(&[])?;
        self.loaded = Some(program.clone());
        Ok(())
    }

    fn load_constant(&mut self, constant: &ChipConstant) -> Result<(), DriverError> {
        for (position, bytes) in (0..).zip(constant.word.as_chunks::<4>().0) {
            let address = registers::CONSTANT_DATA.at(position);
            self.write(address, u32::from_le_bytes(*bytes))?;
        }
        let address = registers::CONSTANT_INDEX.with(constant.index.into())
            | registers::CONSTANT_BANK.with(constant.bank.into())
            | registers::CONSTANT_ENGINE.with(constant.sub_engine.into())
            | registers::CONSTANT_ENGINE_MASK.with(constant.engine_mask.into());
        self.write(registers::CONSTANT_ADDRESS.address, address)
    }

    fn run(
        &mut self,
        setup: RunSetup,
        input: &[Word],
        expected: usize,
        on_progress: &mut dyn FnMut(u64),
    ) -> Result<Vec<Word>, DriverError> {
        let mode = registers::MODE_LEAF_KIND.with(u32::from(setup.hash_leaves))
            | registers::MODE_OUTPUT.with(u32::from(setup.digests));
        self.write(registers::MODE.address, mode)?;
        self.write(registers::LEAVES.address, setup.leaves)?;
        self.write(registers::CONTROL.address, registers::CONTROL_START.with(1))?;
        self.check_error(input)?;

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
            self.check_error(input)?;
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
            if idle_cycles >= self.watchdog_cycles {
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
        self.check_output(&output, expected)?;
        if taken != input.len() {
            return Err(DriverError::InputLeft {
                taken,
                offered: input.len(),
            });
        }
        self.wait_until_idle()?;
        Ok(output.iter().map(|word| word.data).collect())
    }

    /// The output stream must be complete and valid.
    fn check_output(&self, output: &[OutputWord], expected: usize) -> Result<(), DriverError> {
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

    /// Turns the `ERROR` register into an error; `input` is the input of the run.
    fn check_error(&mut self, input: &[Word]) -> Result<(), DriverError> {
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
        } else {
            let index = info as usize;
            match input.get(index) {
                Some(&value) if code == code_of(registers::ERROR_ELEMENT_NOT_BELOW_PRIME) => {
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
            cycle_first_out: self.read_counter(&registers::CYCLE_FIRST_OUT, 0)?,
            cycle_last_out: self.read_counter(&registers::CYCLE_LAST_OUT, 0)?,
            stall_in: self.read_counter(&registers::STALL_IN, 0)?,
            stall_out: self.read_counter(&registers::STALL_OUT, 0)?,
            leaf: self.read_engine_counters(
                &registers::LEAF_HASHES,
                &registers::LEAF_BUSY_FULL,
                &registers::LEAF_BUSY_PARTIAL,
            )?,
            root: self.read_engine_counters(
                &registers::ROOT_HASHES,
                &registers::ROOT_BUSY_FULL,
                &registers::ROOT_BUSY_PARTIAL,
            )?,
        })
    }

    fn read_engine_counters(
        &mut self,
        hashes: &registers::Register,
        busy_full: &registers::Register,
        busy_partial: &registers::Register,
    ) -> Result<EngineCounters, DriverError> {
        Ok(EngineCounters {
            hashes: self.read_counter(hashes, 0)?,
            busy_full: self.read_counter(busy_full, 0)?,
            busy_partial: (0..self.capabilities.limits.num_partial as u32)
                .map(|engine| self.read_counter(busy_partial, engine))
                .collect::<Result<_, _>>()?,
        })
    }
}

impl<P: ChipPort> Device for ChipDevice<P> {
    fn name(&self) -> &str {
        self.port.name()
    }

    fn supports(&self, parameters: &PoseidonParameters<Fr>) -> Result<(), Unsupported> {
        self.compile(parameters).map(drop)
    }

    fn commit(
        &mut self,
        request: &CommitRequest<'_>,
        progress: &mut dyn Progress,
    ) -> Result<CommitReport, DeviceError> {
        let leaves = request.validate()?;
        let program = self.compile(request.parameters)?;
        let limit = 1_u64 << self.capabilities.max_height;
        if leaves < 2 || leaves as u64 > limit {
            return Err(self
                .unsupported(format!("{leaves} leaves; the chip takes 2 to {limit}"))
                .into());
        }
        let setup = RunSetup {
            hash_leaves: request.leaf == LeafKind::Hash,
            digests: false,
            leaves: leaves as u32,
        };
        let hashes = request.hashes(leaves);
        let (output, counters) = self
            .execute(&program, setup, request.words, 1, &mut |done| {
                progress.report(done, hashes)
            })
            .map_err(DeviceError::failed)?;
        Ok(CommitReport {
            root: output[0],
            leaves,
            hashes,
            counters: Some(counters),
        })
    }

    fn hash_many(
        &mut self,
        parameters: &PoseidonParameters<Fr>,
        inputs: &[Vec<Word>],
        progress: &mut dyn Progress,
    ) -> Result<HashReport, DeviceError> {
        check_inputs(parameters, inputs)?;
        let program = self.compile(parameters)?;
        let Ok(leaves) = u32::try_from(inputs.len()) else {
            let reason = format!(
                "{} hashes in a run; the chip takes {}",
                inputs.len(),
                u32::MAX
            );
            return Err(self.unsupported(reason).into());
        };
        if leaves == 0 {
            return Ok(HashReport {
                digests: Vec::new(),
                counters: None,
            });
        }
        let setup = RunSetup {
            hash_leaves: true,
            digests: true,
            leaves,
        };
        let words = inputs.concat();
        let (digests, counters) = self
            .execute(&program, setup, &words, inputs.len(), &mut |done| {
                progress.report(done, u64::from(leaves));
            })
            .map_err(DeviceError::failed)?;
        Ok(HashReport {
            digests,
            counters: Some(counters),
        })
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
    let num_partial = registers::CAPS_NUM_PARTIAL.get(engine);
    if !(1..=registers::MAX_PARTIAL_ENGINES as u32).contains(&num_partial) {
        return Err(DriverError::PartialEngines { count: num_partial });
    }
    Ok(Capabilities {
        limits: EngineLimits {
            prime,
            num_partial: num_partial as usize,
            matrix_depth: registers::CAPS_MATRIX_DEPTH.get(depth) as usize,
            constant_depth: registers::CAPS_CONSTANT_DEPTH.get(depth) as usize,
            partial_depth: registers::CAPS_PARTIAL_DEPTH.get(depth) as usize,
        },
        num_full: registers::CAPS_NUM_FULL.get(engine),
        lanes: registers::CAPS_LANES.get(engine),
        loop_cycles_full: registers::CAPS_LOOP_CYCLES_FULL.get(engine),
        loop_cycles_partial: registers::CAPS_LOOP_CYCLES_PARTIAL.get(engine),
        max_height: registers::CAPS_MAX_HEIGHT.get(tree),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::NoProgress;
    use crate::presets;
    use std::collections::HashMap;

    /// What the chip of a test does wrong.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    enum Fault {
        None,
        /// `ID` reads as this value.
        Id(u32),
        /// `VERSION` reads as this value.
        Version(u32),
        /// Nothing is taken after this many words.
        StopsTaking(usize),
        /// The start is refused because of the register at this address.
        RefusesStart(u32),
        /// Every write of constants is refused, as during a run.
        RefusesConstants,
        /// The element with this index is said to be not below the prime.
        RefusesElement(usize),
        /// The error code is one that does not exist.
        UnknownCode,
        /// One output word more than expected comes, and none is the last.
        TooManyWords,
        /// The output ends after this many words.
        EndsEarly(usize),
        /// The output comes before all input was taken.
        IgnoresInput,
        /// The output is void, without an error code.
        VoidOutput,
        /// `STATUS.busy` stays after a clear.
        StaysBusy,
        /// The connection breaks at the first transfer.
        Disconnects,
    }

    /// The protocol of a chip without its arithmetic: the digest of a leaf is its first element,
    /// the root is the first element of all.
    struct FakeChip {
        fault: Fault,
        registers: HashMap<u32, u32>,
        constants: usize,
        taken: Vec<Word>,
        sent: usize,
        busy: bool,
    }

    impl FakeChip {
        fn new(fault: Fault) -> Self {
            let mut registers = HashMap::from([
                (registers::ID.address, registers::ID_VALUE),
                (registers::VERSION.address, registers::VERSION_VALUE),
                (
                    registers::CAPS_ENGINE.address,
                    registers::CAPS_NUM_FULL.with(1)
                        | registers::CAPS_NUM_PARTIAL.with(3)
                        | registers::CAPS_LANES.with(3)
                        | registers::CAPS_LOOP_CYCLES_FULL.with(54)
                        | registers::CAPS_LOOP_CYCLES_PARTIAL.with(54),
                ),
                (
                    registers::CAPS_DEPTH.address,
                    registers::CAPS_MATRIX_DEPTH.with(64)
                        | registers::CAPS_CONSTANT_DEPTH.with(64)
                        | registers::CAPS_PARTIAL_DEPTH.with(64),
                ),
                (
                    registers::CAPS_TREE.address,
                    registers::CAPS_MAX_HEIGHT.with(13),
                ),
            ]);
            let prime = presets::by_name("filecoin-arity-2").unwrap().prime();
            for (position, bytes) in (0..).zip(prime.as_chunks::<4>().0) {
                registers.insert(registers::PRIME.at(position), u32::from_le_bytes(*bytes));
            }
            match fault {
                Fault::Id(value) => registers.insert(registers::ID.address, value),
                Fault::Version(value) => registers.insert(registers::VERSION.address, value),
                _ => None,
            };
            Self {
                fault,
                registers,
                constants: 0,
                taken: Vec::new(),
                sent: 0,
                busy: false,
            }
        }

        fn get(&self, register: &registers::Register) -> u32 {
            self.registers.get(&register.address).copied().unwrap_or(0)
        }

        fn report(&mut self, error: registers::ErrorCode, info: u32) {
            if self.get(&registers::ERROR) == 0 {
                self.registers.insert(registers::ERROR.address, error.code);
                self.registers.insert(registers::ERROR_INFO.address, info);
            }
        }

        /// Input words of the run, output words of the run, input words of a leaf.
        fn lengths(&self) -> (usize, usize, usize) {
            let mode = self.get(&registers::MODE);
            let leaves = self.get(&registers::LEAVES) as usize;
            let elements = if registers::MODE_LEAF_KIND.is_set(mode) {
                self.get(&registers::ARITY) as usize
            } else {
                1
            };
            let digests = registers::MODE_OUTPUT.is_set(mode);
            (
                leaves * elements,
                if digests { leaves } else { 1 },
                elements,
            )
        }
    }

    impl ChipPort for FakeChip {
        fn name(&self) -> &str {
            "fake"
        }

        fn write_register(&mut self, address: u32, value: u32) -> Result<(), PortError> {
            if address == registers::CONTROL.address {
                if registers::CONTROL_CLEAR.is_set(value) {
                    self.registers.insert(registers::ERROR.address, 0);
                    self.busy = self.fault == Fault::StaysBusy;
                }
                if registers::CONTROL_START.is_set(value) {
                    self.taken.clear();
                    self.sent = 0;
                    match self.fault {
                        Fault::RefusesStart(address) => {
                            self.report(registers::ERROR_ILLEGAL_CONFIGURATION, address);
                        }
                        _ => self.busy = true,
                    }
                }
                return Ok(());
            }
            if address == registers::CONSTANT_ADDRESS.address {
                if self.fault == Fault::RefusesConstants {
                    self.report(registers::ERROR_WRITE_WHILE_RUNNING, address);
                }
                self.constants += 1;
            }
            self.registers.insert(address, value);
            Ok(())
        }

        fn read_register(&mut self, address: u32) -> Result<u32, PortError> {
            if address == registers::STATUS.address {
                let error = self.get(&registers::ERROR) != 0;
                return Ok(registers::STATUS_BUSY.with(u32::from(self.busy))
                    | registers::STATUS_ERROR.with(u32::from(error)));
            }
            if address == registers::LEAF_HASHES.address {
                let (_, _, elements) = self.lengths();
                return Ok((self.taken.len() / elements) as u32);
            }
            Ok(self.registers.get(&address).copied().unwrap_or(0))
        }

        fn transfer(
            &mut self,
            input: &[Word],
            output: &mut Vec<OutputWord>,
            cycles: u64,
        ) -> Result<usize, PortError> {
            if self.fault == Fault::Disconnects && self.busy {
                return Err(PortError::new("the cable was pulled"));
            }
            if !self.busy || self.fault == Fault::StaysBusy {
                return Ok(0);
            }
            let (words_in, words_out, elements) = self.lengths();
            let mut room = words_in - self.taken.len();
            if let Fault::StopsTaking(after) = self.fault {
                room = after.saturating_sub(self.taken.len());
            }
            let count = input.len().min(cycles as usize).min(room);
            self.taken.extend(&input[..count]);
            match self.fault {
                Fault::RefusesElement(index) if self.taken.len() > index => {
                    self.report(registers::ERROR_ELEMENT_NOT_BELOW_PRIME, index as u32);
                }
                Fault::UnknownCode => {
                    let code = registers::ErrorCode {
                        code: 99,
                        ..registers::ERROR_NONE
                    };
                    self.report(code, 7);
                }
                _ => {}
            }
            if self.taken.len() == words_in || self.fault == Fault::IgnoresInput {
                let words_out = match self.fault {
                    Fault::TooManyWords => words_out + 1,
                    Fault::EndsEarly(after) => after,
                    _ => words_out,
                };
                while self.sent < words_out {
                    self.sent += 1;
                    let element = (self.sent - 1) * elements % self.taken.len();
                    output.push(OutputWord {
                        data: self.taken[element],
                        last: self.sent == words_out && self.fault != Fault::TooManyWords,
                        error: self.fault == Fault::VoidOutput,
                    });
                }
                self.busy = false;
            }
            Ok(count)
        }
    }

    fn device(fault: Fault) -> ChipDevice<FakeChip> {
        ChipDevice::new(FakeChip::new(fault)).unwrap()
    }

    /// Commits to the elements 7, 8, 9, .. as hashed leaves.
    fn commit(
        device: &mut ChipDevice<FakeChip>,
        leaves: usize,
    ) -> Result<CommitReport, DeviceError> {
        let words: Vec<_> = (7..).map(word::from_u64).take(2 * leaves).collect();
        let request = CommitRequest {
            parameters: presets::by_name("filecoin-arity-2").unwrap(),
            leaf: LeafKind::Hash,
            words: &words,
        };
        device.commit(&request, &mut NoProgress)
    }

    /// Commits to `leaves` leaves on a chip with `fault`, and then without it on the same chip,
    /// which must work again. Returns the message of the first commitment's error.
    fn message(fault: Fault, leaves: usize) -> String {
        let mut device = device(fault);
        let message = commit(&mut device, leaves).unwrap_err().to_string();
        device.port().fault = Fault::None;
        assert_eq!(
            commit(&mut device, leaves).unwrap().root,
            word::from_u64(7),
            "{message}"
        );
        message
    }

    #[test]
    fn capabilities_are_read() {
        let capabilities = *device(Fault::None).capabilities();
        assert_eq!(capabilities.limits.num_partial, 3);
        assert_eq!(capabilities.limits.partial_depth, 64);
        assert_eq!(
            capabilities.limits.prime,
            presets::by_name("filecoin-arity-2").unwrap().prime()
        );
        assert_eq!((capabilities.lanes, capabilities.max_height), (3, 13));
    }

    #[test]
    fn foreign_chips_are_refused() {
        let refused = |fault| {
            ChipDevice::new(FakeChip::new(fault))
                .err()
                .unwrap()
                .to_string()
        };
        assert!(refused(Fault::Id(0xFFFF_FFFF)).contains("register ID holds 0xFFFFFFFF"));
        assert!(refused(Fault::Version(0x20000)).contains("version 0x00020000"));
    }

    #[test]
    fn constants_are_loaded_once_for_a_parameter_set() {
        let mut device = device(Fault::None);
        commit(&mut device, 2).unwrap();
        let constants = device.port().constants;
        assert!(constants > 0);
        commit(&mut device, 4).unwrap();
        assert_eq!(device.port().constants, constants);

        let other = presets::by_name("filecoin-arity-2")
            .unwrap()
            .with_tag(Fr::from(1));
        device
            .hash_many(&other, &[vec![word::from_u64(3); 2]], &mut NoProgress)
            .unwrap();
        assert_eq!(device.port().constants, 2 * constants);
    }

    #[test]
    fn digests_come_in_the_order_of_the_inputs() {
        let parameters = presets::by_name("filecoin-arity-2").unwrap();
        let inputs: Vec<_> = (0..10_000).map(|i| vec![word::from_u64(i); 2]).collect();
        let report = device(Fault::None)
            .hash_many(parameters, &inputs, &mut NoProgress)
            .unwrap();
        let expected: Vec<_> = (0..10_000).map(word::from_u64).collect();
        assert!(report.digests == expected);
        let none = device(Fault::None)
            .hash_many(parameters, &[], &mut NoProgress)
            .unwrap();
        assert_eq!(none.digests, Vec::<Word>::new());
    }

    #[test]
    fn progress_grows_to_the_end() {
        let words: Vec<_> = (0..16384).map(word::from_u64).collect();
        let request = CommitRequest {
            parameters: presets::by_name("filecoin-arity-2").unwrap(),
            leaf: LeafKind::Hash,
            words: &words,
        };
        let mut reports = Vec::new();
        let mut progress = |done: u64, total: u64| reports.push((done, total));
        device(Fault::None).commit(&request, &mut progress).unwrap();
        assert!(reports.len() > 1 && reports.is_sorted(), "{reports:?}");
        assert!(
            reports
                .iter()
                .all(|&(done, total)| done <= total && total == 16383)
        );
    }

    #[test]
    fn unsupported_work_is_refused_before_the_chip_is_touched() {
        let mut device = device(Fault::None);
        let arity_4 = presets::by_name("filecoin-arity-4").unwrap();
        let reason = device.supports(arity_4).unwrap_err().to_string();
        assert!(
            reason.contains("'filecoin-arity-4' has state width 5"),
            "{reason}"
        );
        for leaves in [1, 16384] {
            let message = commit(&mut device, leaves).unwrap_err().to_string();
            assert!(message.contains("the chip takes 2 to 8192"), "{message}");
        }
        assert_eq!(device.port().constants, 0);
    }

    #[test]
    fn a_refused_start_names_the_register_and_its_value() {
        let message = message(Fault::RefusesStart(registers::FULL_ROUNDS_FIRST.address), 2);
        assert!(message.contains("FULL_ROUNDS_FIRST holds 4"), "{message}");
    }

    #[test]
    fn refused_constants_are_loaded_again() {
        let message = message(Fault::RefusesConstants, 2);
        assert!(
            message.contains("a write of register CONSTANT_ADDRESS"),
            "{message}"
        );
    }

    #[test]
    fn a_refused_element_is_named_with_its_value() {
        let message = message(Fault::RefusesElement(5), 8);
        assert!(message.contains("element 5 ("), "{message}");
        assert!(
            message.contains(&word::to_hex(&word::from_u64(12))),
            "{message}"
        );
        assert!(message.contains("is not below the prime"), "{message}");
    }

    #[test]
    fn unknown_error_codes_are_reported() {
        let message = message(Fault::UnknownCode, 2);
        assert!(
            message.contains("error 99") && message.contains("0x00000007"),
            "{message}"
        );
    }

    #[test]
    fn a_run_without_progress_is_given_up() {
        let message = message(Fault::StopsTaking(3), 8);
        assert!(
            message.contains("no progress in 65536 cycles: 3 of 16 input words taken, 0 of 1"),
            "{message}"
        );
    }

    #[test]
    fn output_of_the_wrong_length_is_refused() {
        assert!(message(Fault::TooManyWords, 2).contains("after 2 words, expected 1"));
        let mut device = device(Fault::EndsEarly(3));
        let inputs: Vec<_> = (0..5).map(|i| vec![word::from_u64(i); 2]).collect();
        let parameters = presets::by_name("filecoin-arity-2").unwrap();
        let message = device
            .hash_many(parameters, &inputs, &mut NoProgress)
            .unwrap_err()
            .to_string();
        assert!(message.contains("after 3 words, expected 5"), "{message}");
    }

    #[test]
    fn output_before_the_end_of_the_input_is_refused() {
        let message = message(Fault::IgnoresInput, 4096);
        assert!(
            message.contains("after taking 4096 of 8192 input words"),
            "{message}"
        );
    }

    #[test]
    fn void_output_is_refused() {
        assert!(message(Fault::VoidOutput, 2).contains("output word 0 as void"));
    }

    #[test]
    fn a_chip_that_stays_busy_is_given_up() {
        let mut device = device(Fault::StaysBusy);
        device.set_watchdog(1000);
        let message = commit(&mut device, 2).unwrap_err().to_string();
        assert!(
            message.contains("still busy 1024 cycles after a clear"),
            "{message}"
        );
    }

    #[test]
    fn a_broken_connection_is_reported() {
        assert!(message(Fault::Disconnects, 2).contains("the cable was pulled"));
    }
}

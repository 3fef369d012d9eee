// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! The port of a chip with DMA: runs are descriptors in a ring, streams are areas of a buffer, as `docs/dma.md`
//! has them.

use std::io;
use std::ops::{Deref, DerefMut};
use std::time::{Duration, Instant};

use acclmt_driver::chip::{ChipPort, OutputWord, Patience, PortError, RunPlan};
use acclmt_driver::registers::{self, Register};
use acclmt_poseidon::word::Word;

/// Registers of a chip, and its interrupt.
pub trait Board {
    /// Reads the register at a byte address, a multiple of 4 below 0x1000.
    fn read(&mut self, address: u32) -> u32;

    /// Writes it.
    fn write(&mut self, address: u32, value: u32);

    /// Waits for an interrupt, or for some time: at most `most`.
    ///
    /// # Errors
    ///
    /// When the device says no more of its interrupts.
    fn wait(&mut self, most: Duration) -> io::Result<()>;

    /// Lets the chip read and write memory, or no more, where the bus has a switch for that (Bus Master of PCI).
    ///
    /// # Errors
    ///
    /// When the switch cannot be reached.
    fn allow_dma(&mut self, _is_allowed: bool) -> io::Result<()> {
        Ok(())
    }
}

/// Memory that the chip reads and writes; neither side keeps a copy of it in a cache that the other does not see.
pub trait DmaMemory {
    /// Its address on the bus of the chip, a multiple of 64.
    fn address(&self) -> u64;

    /// Its bytes.
    fn bytes(&self) -> usize;

    /// Copies bytes out of it.
    ///
    /// # Panics
    ///
    /// When they are not within it.
    fn copy_out(&self, offset: usize, bytes: &mut [u8]);

    /// Copies bytes into it, which the chip sees before the next register write.
    ///
    /// # Panics
    ///
    /// When they are not within it.
    fn copy_in(&mut self, offset: usize, bytes: &[u8]);
}

/// How long a port waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// For a sign of progress of a run.
    pub progress: Duration,
    /// In one call, for something to move.
    pub call: Duration,
}

impl Default for Timing {
    fn default() -> Self {
        Self {
            progress: Duration::from_secs(10),
            call: Duration::from_millis(20),
        }
    }
}

/// Why a chip cannot be driven.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BoardError {
    /// Nothing answers on the bus.
    #[error(
        "the device does not answer: its registers read as 0xFFFFFFFF; see whether it is there, configured, and \
         enabled on its bus"
    )]
    NoAnswer,
    /// It is another device.
    #[error(
        "this is no AcclMT chip: register ID holds 0x{found:08X}, expected 0x{:08X}",
        registers::ID_VALUE
    )]
    Foreign {
        /// Value of ID.
        found: u32,
    },
    /// It has no DMA.
    #[error(
        "the chip has no DMA: register DMA_VERSION reads 0x{found:08X}; acclmt_axi_dma is the module that has it"
    )]
    NoDma {
        /// Value of DMA_VERSION.
        found: u32,
    },
    /// Its DMA has another version.
    #[error(
        "the DMA of the chip has version {}, this program knows {}; use {}",
        registers::version_text(*found),
        registers::version_text(registers::DMA_VERSION_VALUE),
        if *found > registers::DMA_VERSION_VALUE { "a newer program" } else { "an older one" }
    )]
    Version {
        /// Value of DMA_VERSION.
        found: u32,
    },
    /// There is too little memory.
    #[error(
        "{bytes} bytes of DMA memory are too few: descriptor and record alone take {}; give more",
        HEAD
    )]
    Memory {
        /// Bytes that there are.
        bytes: usize,
    },
    /// Its DMA does not end what another program has begun.
    #[error(
        "the DMA of the chip is still busy {:.1} s after it was told to end what a program before this one had begun; \
         reset the device",
        waited.as_secs_f64()
    )]
    Busy {
        /// How long it was waited for.
        waited: Duration,
    },
    /// It cannot be let to memory.
    #[error("cannot let the chip read and write memory: {reason}")]
    Master {
        /// What went wrong.
        reason: String,
    },
    /// The memory is where the chip cannot use it.
    #[error("the DMA memory is at 0x{address:X}, which is no multiple of 64")]
    Alignment {
        /// Its address.
        address: u64,
    },
}

/// Bytes of a descriptor, of a record, and of both before the streams.
const DESCRIPTOR: usize = 64;
const HEAD: usize = 128;

/// Bytes of an input word, and of an output word with what goes with it.
const INPUT: usize = 32;
const OUTPUT: usize = 64;

/// Flags of a descriptor: an interrupt at its end, and output words with what is known of them.
const INTERRUPT: u32 = 1;
const TAGGED: u32 = 2;

/// Of a record.
const DONE: u32 = 1 << 31;

/// Codes of a record after which the registers of the core say the rest.
const START_REFUSED: u32 = 14;
const RUN_VOID: u32 = 15;

/// A run that was begun.
struct Run {
    plan: RunPlan,
    /// Words that are in the buffer.
    given: u64,
    /// Whether the descriptor was given to the chip.
    is_posted: bool,
}

/// The fields of a record: code, error of the core and the mark of its end; then the descriptor's tag, the words of
/// the output, and what the core says of its error.
struct Record {
    state: u32,
    tag: u32,
    words: u64,
    info: u32,
}

/// What the core said of a run that the DMA has cleared since.
#[derive(Clone, Copy)]
struct CoreError {
    code: u32,
    info: u32,
    is_refused: bool,
}

/// The most that the end of a DMA is waited for where nothing is left to be told to.
const END: Duration = Duration::from_secs(2);

/// Waits until the DMA has nothing under way; whether it has, or nothing if the device does not answer.
fn is_idle_within<B: Board>(board: &mut B, most: Duration) -> Option<bool> {
    let began = Instant::now();
    loop {
        let status = board.read(registers::DMA_STATUS.address);
        if status == u32::MAX {
            return None;
        }
        if !registers::DMA_STATUS_BUSY.is_set(status) {
            return Some(true);
        }
        if began.elapsed() >= most {
            return Some(false);
        }
        std::thread::sleep(Duration::from_micros(50));
    }
}

/// Memory that may be kept for good at the end: it is there until then.
struct Held<M>(Option<M>);

impl<M> Deref for Held<M> {
    type Target = M;

    fn deref(&self) -> &M {
        self.0.as_ref().expect("only the end takes it")
    }
}

impl<M> DerefMut for Held<M> {
    fn deref_mut(&mut self) -> &mut M {
        self.0.as_mut().expect("only the end takes it")
    }
}

/// A chip with DMA.
///
/// When it is dropped, in the middle of a run or not, the DMA is ended before the memory is given back. Memory of a DMA
/// that does not end, or of a device that does not answer, is never given back.
pub struct DmaPort<B: Board, M: DmaMemory> {
    board: B,
    memory: Held<M>,
    timing: Timing,
    name: String,
    /// The streams of the next run.
    plan: Option<RunPlan>,
    run: Option<Run>,
    /// Descriptors so far, which name the record.
    tag: u32,
    error: Option<CoreError>,
}

impl<B: Board, M: DmaMemory> DmaPort<B, M> {
    /// A port over the registers of `board`, with `memory` for descriptors and streams. `name` is for reports.
    /// What the DMA has under way, for a program that was killed, is ended before it may use memory.
    ///
    /// # Errors
    ///
    /// When the chip is none that this crate knows, its DMA does not end, or the memory is of no use.
    pub fn new(
        mut board: B,
        memory: M,
        name: impl Into<String>,
        timing: Timing,
    ) -> Result<Self, BoardError> {
        let id = board.read(registers::ID.address);
        if id == u32::MAX {
            return Err(BoardError::NoAnswer);
        }
        if id != registers::ID_VALUE {
            return Err(BoardError::Foreign { found: id });
        }
        let found = board.read(registers::DMA_VERSION.address);
        if found == 0 || found == u32::MAX {
            return Err(BoardError::NoDma { found });
        }
        if found != registers::DMA_VERSION_VALUE {
            return Err(BoardError::Version { found });
        }
        let (bytes, address) = (memory.bytes(), memory.address());
        if bytes < HEAD + INPUT + OUTPUT {
            return Err(BoardError::Memory { bytes });
        }
        if !address.is_multiple_of(64) {
            return Err(BoardError::Alignment { address });
        }
        board.write(registers::DMA_CONTROL.address, 0);
        match is_idle_within(&mut board, timing.progress) {
            Some(true) => {}
            Some(false) => {
                // It is in nobody's memory then; a device that takes no such order is to be reset anyway.
                let _ = board.allow_dma(false);
                return Err(BoardError::Busy {
                    waited: timing.progress,
                });
            }
            None => return Err(BoardError::NoAnswer),
        }
        board.allow_dma(true).map_err(|error| BoardError::Master {
            reason: error.to_string(),
        })?;
        Ok(Self {
            board,
            memory: Held(Some(memory)),
            timing,
            name: name.into(),
            plan: None,
            run: None,
            tag: 0,
            error: None,
        })
    }

    /// The registers, for what the port does not offer.
    pub fn board(&mut self) -> &mut B {
        &mut self.board
    }

    fn read(&mut self, register: &Register) -> Result<u32, PortError> {
        let value = self.board.read(register.address);
        // No register of the DMA has all of its bits.
        if value == u32::MAX {
            return Err(PortError::new(format!(
                "the device answers no more: register {} reads as 0xFFFFFFFF; see whether it is still there",
                register.name
            )));
        }
        Ok(value)
    }

    /// Waits until the DMA has nothing under way.
    fn wait_idle(&mut self) -> Result<(), PortError> {
        let began = Instant::now();
        match is_idle_within(&mut self.board, self.timing.progress) {
            Some(true) => Ok(()),
            Some(false) => Err(PortError::new(format!(
                "the DMA is still busy {:.1} s after it was told to end: the memory does not answer it; reset the \
                 device",
                began.elapsed().as_secs_f64()
            ))),
            // This says so.
            None => self.read(&registers::DMA_STATUS).map(drop),
        }
    }

    /// Ends what is under way.
    fn end(&mut self) {
        self.run = None;
        self.plan = None;
        self.error = None;
    }

    /// Where the output is in the memory.
    fn output_offset(plan: &RunPlan) -> usize {
        let end = HEAD + INPUT * plan.input_words as usize;
        end.next_multiple_of(OUTPUT)
    }

    /// Bytes that a run takes.
    fn needed(plan: &RunPlan) -> Option<usize> {
        let input = usize::try_from(plan.input_words).ok()?.checked_mul(INPUT)?;
        let output = usize::try_from(plan.output_words)
            .ok()?
            .checked_mul(OUTPUT)?;
        HEAD.checked_add(input)?
            .checked_next_multiple_of(OUTPUT)?
            .checked_add(output)
    }

    /// Gives the run to the chip: all of its input is in memory.
    fn post(&mut self) -> Result<(), PortError> {
        let Some(run) = &mut self.run else {
            return Ok(());
        };
        run.is_posted = true;
        let plan = run.plan;
        self.tag = self.tag.wrapping_add(1);
        let base = self.memory.address();
        let at = |offset: usize| base + offset as u64;
        let mut descriptor = [0; DESCRIPTOR];
        descriptor[0x00..0x04].copy_from_slice(&(INTERRUPT | TAGGED).to_le_bytes());
        descriptor[0x04..0x08].copy_from_slice(&self.tag.to_le_bytes());
        let numbers = [
            at(HEAD),
            plan.input_words,
            at(Self::output_offset(&plan)),
            plan.output_words,
            at(DESCRIPTOR),
        ];
        for (place, number) in descriptor[0x08..0x30].chunks_exact_mut(8).zip(numbers) {
            place.copy_from_slice(&number.to_le_bytes());
        }
        self.memory.copy_in(0, &descriptor);
        self.memory.copy_in(DESCRIPTOR, &[0; HEAD - DESCRIPTOR]);
        // A ring of one descriptor.
        self.write(&registers::DMA_CONTROL, 0, 0);
        self.wait_idle()?;
        self.write(&registers::DMA_RING_BASE, 0, base as u32);
        self.write(&registers::DMA_RING_BASE, 1, (base >> 32) as u32);
        self.write(&registers::DMA_RING_SIZE, 0, 0);
        self.write(&registers::DMA_EVENTS, 0, u32::MAX >> 29);
        let events = registers::DMA_EVENT_DONE.with(1) | registers::DMA_EVENT_STOPPED.with(1);
        self.write(&registers::DMA_ENABLE, 0, events);
        self.write(
            &registers::DMA_CONTROL,
            0,
            registers::DMA_CONTROL_ENABLE.with(1),
        );
        self.write(&registers::DMA_TAIL, 0, 1);
        let events = self.read(&registers::DMA_EVENTS)?;
        if registers::DMA_EVENT_REFUSED.is_set(events) {
            return Err(PortError::new(
                "the DMA refused its ring: another program drives the chip, or it was reset; end that program",
            ));
        }
        Ok(())
    }

    fn write(&mut self, register: &Register, position: u32, value: u32) {
        self.board.write(register.at(position), value);
    }

    /// What the record of the descriptor says now.
    fn record(&self) -> Record {
        let mut bytes = [0; 32];
        self.memory.copy_out(DESCRIPTOR, &mut bytes);
        let word = |at: usize| u32::from_le_bytes([0, 1, 2, 3].map(|byte| bytes[at + byte]));
        Record {
            state: word(0),
            tag: word(4),
            words: u64::from(word(8)) | u64::from(word(12)) << 32,
            info: word(0x18),
        }
    }

    /// Looks whether the run has ended, and takes its output.
    fn collect(&mut self, output: &mut Vec<OutputWord>) -> Result<bool, PortError> {
        let Some(run) = &self.run else {
            return Ok(false);
        };
        let plan = run.plan;
        let mut record = self.record();
        if record.state & DONE == 0 {
            // Errors without a record stop the ring, and a device that has gone writes none.
            let status = self.read(&registers::DMA_STATUS)?;
            if !registers::DMA_STATUS_STOPPED.is_set(status) {
                return Ok(false);
            }
            // The record is written before the ring stops.
            record = self.record();
            if record.state & DONE == 0 {
                let code = self.read(&registers::DMA_ERROR)?;
                return Err(self.failed(code));
            }
        }
        let Record {
            state,
            tag,
            words,
            info,
        } = record;
        let (code, core_error) = (state & 0xFF, state >> 8 & 0xFF);
        self.write(&registers::DMA_EVENTS, 0, u32::MAX >> 29);
        if tag != self.tag {
            self.end();
            return Err(PortError::new(format!(
                "the record of descriptor {} names {tag}: another program drives the chip, or its memory is that of \
                 another",
                self.tag
            )));
        }
        if (code == START_REFUSED || code == RUN_VOID) && core_error != 0 {
            // The registers of the core would say it on a chip without DMA.
            self.run = None;
            self.error = Some(CoreError {
                code: core_error,
                info,
                is_refused: code == START_REFUSED,
            });
            return Ok(true);
        }
        if code != 0 {
            return Err(self.failed(code));
        }
        if words > plan.output_words {
            self.end();
            return Err(PortError::new(format!(
                "the DMA says that it wrote {words} words, and has room for {}",
                plan.output_words
            )));
        }
        let first = Self::output_offset(&plan);
        for number in 0..words as usize {
            let mut bytes = [0; OUTPUT];
            self.memory.copy_out(first + OUTPUT * number, &mut bytes);
            let (data, more) = bytes.split_at(INPUT);
            let data = data.try_into().unwrap_or_default();
            let user = more[..8]
                .iter()
                .rev()
                .fold(0, |user, byte| user << 8 | u64::from(*byte));
            output.push(OutputWord {
                data,
                level: (user >> 40) as u32 & 0xFF,
                index: user as u32,
                last: number + 1 == words as usize,
                error: user >> 56 & 1 == 1,
            });
        }
        self.run = None;
        Ok(true)
    }

    /// The error of a code of the DMA.
    fn failed(&mut self, code: u32) -> PortError {
        self.end();
        let known = registers::DMA_ERROR_CODES
            .iter()
            .find(|known| known.code == code);
        let text = known.map_or("a code that this program does not know", |known| {
            known.description
        });
        PortError::new(format!("the DMA ended the run with error {code}: {text}"))
    }
}

impl<B: Board, M: DmaMemory> Drop for DmaPort<B, M> {
    fn drop(&mut self) {
        self.write(&registers::DMA_CONTROL, 0, 0);
        let is_idle = is_idle_within(&mut self.board, self.timing.progress.min(END));
        // There is nobody to tell that it failed.
        let _ = self.board.allow_dma(false);
        if is_idle != Some(true) {
            // What the chip may still write to is to belong to nobody else.
            std::mem::forget(self.memory.0.take());
        }
    }
}

impl<B: Board, M: DmaMemory> ChipPort for DmaPort<B, M> {
    fn name(&self) -> &str {
        &self.name
    }

    fn write_register(&mut self, address: u32, value: u32) -> Result<(), PortError> {
        if address != registers::CONTROL.address {
            self.board.write(address, value);
            return Ok(());
        }
        if value == registers::CONTROL_START.with(1) {
            // The DMA starts the run when it has the descriptor.
            let Some(plan) = self.plan.take() else {
                return Err(PortError::new(
                    "a run is started whose streams were not announced",
                ));
            };
            if self.run.is_some() {
                return Err(PortError::new(
                    "a run is started while another one is under way; clear the chip first",
                ));
            }
            self.error = None;
            self.run = Some(Run {
                plan,
                given: 0,
                is_posted: false,
            });
            return Ok(());
        }
        self.board.write(address, value);
        if registers::CONTROL_CLEAR.is_set(value) || registers::CONTROL_ZEROISE.is_set(value) {
            self.end();
            self.wait_idle()?;
        }
        if registers::CONTROL_ZEROISE.is_set(value) {
            let zeros = vec![0; 1 << 16];
            let bytes = self.memory.bytes();
            for offset in (0..bytes).step_by(zeros.len()) {
                let length = zeros.len().min(bytes - offset);
                self.memory.copy_in(offset, &zeros[..length]);
            }
        }
        Ok(())
    }

    fn read_register(&mut self, address: u32) -> Result<u32, PortError> {
        let value = self.board.read(address);
        if value == u32::MAX {
            return Ok(value);
        }
        Ok(match self.error {
            _ if address == registers::STATUS.address && self.run.is_some() => {
                value | registers::STATUS_BUSY.with(1)
            }
            Some(error) if address == registers::STATUS.address => {
                value
                    | registers::STATUS_ERROR.with(1)
                    | registers::STATUS_START_REFUSED.with(error.is_refused.into())
            }
            Some(error) if address == registers::ERROR.address => error.code,
            Some(error) if address == registers::ERROR_INFO.address => error.info,
            _ => value,
        })
    }

    fn begin_run(&mut self, plan: &RunPlan) -> Result<(), PortError> {
        let (needed, there) = (Self::needed(plan), self.memory.bytes());
        if needed.is_none_or(|needed| needed > there) {
            return Err(PortError::new(format!(
                "a run of {} input and {} output words takes {} bytes of DMA memory, and there are {there}; reserve \
                 more, or compute fewer leaves at a time",
                plan.input_words,
                plan.output_words,
                needed.map_or("too many".to_owned(), |needed| needed.to_string()),
            )));
        }
        self.plan = Some(*plan);
        Ok(())
    }

    fn transfer(
        &mut self,
        input: &[Word],
        output: &mut Vec<OutputWord>,
        _cycles: u64,
    ) -> Result<usize, PortError> {
        let Some(run) = &mut self.run else {
            return Ok(0);
        };
        let mut taken = 0;
        if !run.is_posted {
            let left = run.plan.input_words - run.given;
            taken = input.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            let offset = HEAD + INPUT * run.given as usize;
            self.memory.copy_in(offset, input[..taken].as_flattened());
            run.given += taken as u64;
            if run.given < run.plan.input_words {
                if taken == 0 {
                    std::thread::sleep(Duration::from_micros(50));
                }
                return Ok(taken);
            }
            self.post()?;
        }
        let until = Instant::now() + self.timing.call;
        while !self.collect(output)? {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            let waited = self.board.wait(left);
            waited
                .map_err(|error| PortError::new(format!("the interrupt of the device: {error}")))?;
        }
        Ok(taken)
    }

    fn patience(&self, _cycles: u64) -> Patience {
        Patience::Time(self.timing.progress)
    }
}

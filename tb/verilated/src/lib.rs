// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

#![doc = include_str!("../README.md")]
//!
//! A model belongs to one thread at a time and can be sent to another. Everything that SystemVerilog
//! leaves undefined (registers without reset, memories) starts with random values of the model's seed.

use std::ffi::{CStr, CString, c_char};
use std::path::Path;
use std::ptr::NonNull;

#[allow(
    non_camel_case_types,
    missing_docs,
    unreachable_pub,
    dead_code,
    reason = "they are what the C header has, in every build"
)]
#[rustfmt::skip]
mod bindings;
mod bench;

pub use bench::{Bench, BenchKind};

/// Name of the field whose prime is the large one of this build.
pub const FIELD: &str = env!("ACCLMT_FIELD");

/// Whether the large prime of this build is a register.
pub const RUNTIME_MODULUS: bool = cfg!(feature = "runtime-modulus");

/// 32-bit words of a field element.
pub const WORDS: usize = bindings::ACCLMT_WORDS as usize;

/// 32-bit words of an output word: the element, the level, the index, the flags.
const OUTPUT_WORDS: usize = bindings::ACCLMT_OUTPUT_WORDS as usize;

/// 32-bit words of an [`Observation`], sub-engines of a hash engine that have one of them, and stalls.
const OBSERVED_WORDS: usize = bindings::ACCLMT_OBSERVED_WORDS as usize;
const OBSERVED_SUB_ENGINES: usize = bindings::ACCLMT_OBSERVED_SUB_ENGINES as usize;
const STALLS: usize = bindings::ACCLMT_OBSERVED_COUNTED as usize;

/// A field element as the chip's data ports carry it: 32 little-endian bytes.
pub type Word = [u8; 4 * WORDS];

/// The simulated design reported a fault of its own, or the simulation cannot be set up.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SimulationError {
    /// An assertion of the design failed.
    #[error("an assertion of the design failed in clock cycle {cycle}: {message}")]
    Assertion {
        /// Clock cycles since construction.
        cycle: u64,
        /// What the simulation printed.
        message: String,
    },
    /// A path that C cannot represent.
    #[error("the waveform path {path:?} contains a zero byte; choose another")]
    WaveformPath {
        /// The path.
        path: String,
    },
    /// The stall probability is no probability.
    #[error("the stall probability {value} is not within 0..1; choose one that is")]
    Probability {
        /// The value.
        value: f64,
    },
    /// The rate of the input is no rate.
    #[error(
        "{words} input words in {cycles} cycles are no rate; choose at least 1, and no more words than cycles"
    )]
    Rate {
        /// Words.
        words: u32,
        /// In so many cycles.
        cycles: u32,
    },
    /// A batch of bench input is no whole number of cycles.
    #[error("{words} words of bench input are no multiple of the {expected} words of a cycle")]
    InputLength {
        /// Words given.
        words: usize,
        /// Words of a cycle.
        expected: usize,
    },
}

/// The chip's answer to a register access, in the cycle after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Data of a read.
    pub data: u32,
    /// The chip answered with an error: an unknown register, or a write that it refused.
    pub refused: bool,
}

/// A word of the chip's output stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutputWord {
    /// The element.
    pub data: Word,
    /// Level of the node in the tree, the leaves are level 0.
    pub level: u32,
    /// Index of the node in its level.
    pub index: u32,
    /// The last word of the run.
    pub last: bool,
    /// The run had an error; the word is void.
    pub error: bool,
}

/// What the sub-engines, the queues and the streams of the chip did in a clock cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Observation<'a> {
    words: &'a [u32; OBSERVED_WORDS],
}

/// The slot of a round that begins in a sub-engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObservedSlot {
    /// Its length in clock cycles.
    pub cycles: u32,
    /// Round of the state within its visit, from 0 on.
    pub round: u32,
    /// Visit: 0 the first, 1 the last.
    pub visit: u32,
}

impl Observation<'_> {
    /// Sub-engines of each of the two hash engines: 0 and the last one the full-round sub-engines.
    pub const SUB_ENGINES: usize = OBSERVED_SUB_ENGINES;

    /// The performance counters count this cycle.
    pub fn is_counted(&self) -> bool {
        self.words[0] >> bindings::ACCLMT_OBSERVED_COUNTED & 1 != 0
    }

    /// The performance counters are 0 from the next cycle on.
    pub fn is_cleared(&self) -> bool {
        self.words[0] >> bindings::ACCLMT_OBSERVED_CLEARED & 1 != 0
    }

    /// The stalls that the performance counters count: of the input, missing input, of the leaves, of the
    /// root hash engine, of the output.
    pub fn stalls(&self) -> [bool; STALLS] {
        std::array::from_fn(|stall| self.words[0] >> stall & 1 != 0)
    }

    /// The level of the group of siblings that the root hash engine takes, if it takes one.
    pub fn job(&self) -> Option<u32> {
        let word = self.words[0];
        (word >> bindings::ACCLMT_OBSERVED_JOB & 1 != 0)
            .then_some(word >> bindings::ACCLMT_OBSERVED_JOB_LEVEL & 0xff)
    }

    /// The slot of a round that begins in a sub-engine of the leaf hash engine (0) or of the root hash
    /// engine (1).
    ///
    /// # Panics
    ///
    /// When there is no such sub-engine.
    pub fn slot(&self, engine: usize, sub_engine: usize) -> Option<ObservedSlot> {
        assert!(engine < 2 && sub_engine < OBSERVED_SUB_ENGINES);
        let word = self.words[1 + engine * OBSERVED_SUB_ENGINES + sub_engine];
        (word >> 31 != 0).then_some(ObservedSlot {
            cycles: word >> 16 & 0xff,
            round: word & 0xffff,
            visit: word >> 24 & 1,
        })
    }

    /// Groups of siblings of which a place is taken in the queue of each level.
    pub fn groups(&self) -> impl Iterator<Item = u32> {
        self.words[1 + 2 * OBSERVED_SUB_ENGINES..].iter().copied()
    }
}

/// Which signals of which clock cycles a waveform holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaveformWindow {
    /// First clock cycle since construction.
    pub first: u64,
    /// Number of clock cycles.
    pub count: u64,
    /// Levels of hierarchy; 0 is all.
    pub depth: u32,
}

/// The simulated chip.
pub struct Chip {
    model: NonNull<bindings::acclmt_chip>,
}

// SAFETY: a model has a context of its own, which every C function makes current on the calling thread
// before it enters the model; nothing of the model stays with a thread.
unsafe impl Send for Chip {}

impl Chip {
    /// A chip that has been reset.
    pub fn new(seed: u32) -> Self {
        // SAFETY: the function has no preconditions.
        let model = unsafe { bindings::acclmt_chip_new(seed) };
        Self {
            model: NonNull::new(model).expect("the constructor returns an object"),
        }
    }

    /// Resets the chip, as its reset input does. Memories keep their content.
    pub fn reset(&mut self) {
        // SAFETY: `model` is valid until drop, and `&mut self` excludes other calls.
        unsafe { bindings::acclmt_chip_reset(self.model.as_ptr()) }
    }

    /// Writes the register at a byte address. Takes one clock cycle.
    ///
    /// # Errors
    ///
    /// When an assertion of the design failed.
    pub fn write_register(&mut self, address: u32, value: u32) -> Result<Answer, SimulationError> {
        // SAFETY: `model` is valid until drop, and `&mut self` excludes other calls.
        let answer = unsafe { bindings::acclmt_chip_write(self.model.as_ptr(), address, value) };
        self.checked(answer.into())
    }

    /// Reads the register at a byte address. Takes one clock cycle.
    ///
    /// # Errors
    ///
    /// When an assertion of the design failed.
    pub fn read_register(&mut self, address: u32) -> Result<Answer, SimulationError> {
        // SAFETY: `model` is valid until drop, and `&mut self` excludes other calls.
        let answer = unsafe { bindings::acclmt_chip_read(self.model.as_ptr(), address) };
        self.checked(answer.into())
    }

    /// Runs up to `cycles` clock cycles, offers `input` in order and appends what comes out to `output`.
    /// Ends early with the last output word of a run. Returns how many words were taken.
    ///
    /// # Errors
    ///
    /// When an assertion of the design failed.
    pub fn transfer(
        &mut self,
        input: &[Word],
        output: &mut Vec<OutputWord>,
        cycles: u64,
    ) -> Result<usize, SimulationError> {
        const BATCH: usize = 1024;
        let mut taken = 0;
        let mut left = cycles;
        let mut words = [0; BATCH * (OUTPUT_WORDS)];
        while left > 0 {
            let packed: Vec<u32> = input[taken..]
                .iter()
                .take(BATCH)
                .flat_map(|word| word.as_chunks::<4>().0)
                .map(|bytes| u32::from_le_bytes(*bytes))
                .collect();
            let mut transfer = bindings::acclmt_transfer {
                input: packed.as_ptr(),
                input_count: (packed.len() / WORDS) as u64,
                output: words.as_mut_ptr(),
                output_capacity: BATCH as u64,
                cycles: left.min(BATCH as u64),
                taken: 0,
                given: 0,
            };
            left -= transfer.cycles;
            // SAFETY: `model` is valid until drop, and `&mut self` excludes other calls. `input` holds
            // `input_count` words and `output` has room for `output_capacity`; both outlive the call.
            unsafe { bindings::acclmt_chip_transfer(self.model.as_ptr(), &raw mut transfer) }
            taken += transfer.taken as usize;
            let given = &words[..transfer.given as usize * (OUTPUT_WORDS)];
            output.extend(
                given
                    .as_chunks::<{ OUTPUT_WORDS }>()
                    .0
                    .iter()
                    .map(output_word),
            );
            self.checked(())?;
            if transfer.given > 0 && output.last().is_some_and(|word| word.last) {
                break;
            }
        }
        Ok(taken)
    }

    /// From now on input is withheld and output refused at random, with these probabilities in a clock
    /// cycle.
    ///
    /// # Errors
    ///
    /// When a probability is not within 0 (no stalls) to below 1.
    pub fn set_stalls(
        &mut self,
        seed: u64,
        input: f64,
        output: f64,
    ) -> Result<(), SimulationError> {
        let chance = |value: f64| {
            if (0.0..1.0).contains(&value) {
                Ok((value * f64::from(u32::MAX)) as u32)
            } else {
                Err(SimulationError::Probability { value })
            }
        };
        let (input, output) = (chance(input)?, chance(output)?);
        // SAFETY: `model` is valid until drop, and `&mut self` excludes other calls.
        unsafe { bindings::acclmt_chip_stalls(self.model.as_ptr(), seed, input, output) }
        Ok(())
    }

    /// From now on at most `words` input words are offered every `cycles` clock cycles of
    /// [`transfer`](Self::transfer), evenly. A word that waits for the chip keeps the next one waiting.
    ///
    /// # Errors
    ///
    /// When there is no word, or there are more words than cycles.
    pub fn set_input_rate(&mut self, words: u32, cycles: u32) -> Result<(), SimulationError> {
        if words == 0 || words > cycles {
            return Err(SimulationError::Rate { words, cycles });
        }
        // SAFETY: `model` is valid until drop, and `&mut self` excludes other calls.
        unsafe { bindings::acclmt_chip_input_rate(self.model.as_ptr(), words, cycles) }
        Ok(())
    }

    /// Writes a waveform of a window of clock cycles to an FST file.
    ///
    /// # Errors
    ///
    /// When the path contains a zero byte.
    pub fn trace(&mut self, path: &Path, window: WaveformWindow) -> Result<(), SimulationError> {
        let text = path.to_string_lossy().into_owned();
        let path =
            CString::new(text.clone()).map_err(|_| SimulationError::WaveformPath { path: text })?;
        // SAFETY: `model` is valid until drop, and `&mut self` excludes other calls; the callee copies
        // the path.
        unsafe {
            bindings::acclmt_chip_trace(
                self.model.as_ptr(),
                path.as_ptr(),
                window.first,
                window.count,
                window.depth,
            );
        }
        Ok(())
    }

    /// Ends the waveform; returns the clock cycles that it holds, 0 where it could not be written.
    pub fn end_trace(&mut self) -> u64 {
        // SAFETY: `model` is valid until drop, and `&mut self` excludes other calls.
        unsafe { bindings::acclmt_chip_trace_end(self.model.as_ptr()) }
    }

    /// From now on every clock cycle is observed, or none.
    pub fn observe(&mut self, on: bool) {
        // SAFETY: `model` is valid until drop, and `&mut self` excludes other calls.
        unsafe { bindings::acclmt_chip_observe(self.model.as_ptr(), on.into()) }
    }

    /// Hands over what was observed since the last call, cycle by cycle, and forgets it.
    pub fn observed(&mut self, mut take: impl FnMut(Observation<'_>)) {
        // SAFETY: `model` is valid until drop; the calls only read.
        let (words, cycles) = unsafe {
            (
                bindings::acclmt_chip_observed(self.model.as_ptr()),
                bindings::acclmt_chip_observed_cycles(self.model.as_ptr()),
            )
        };
        if cycles == 0 {
            return;
        }
        // SAFETY: so many words are there, they are aligned and initialised, and they stay as they are
        // until the model is told to forget them, which `&mut self` leaves to this call.
        let words =
            unsafe { std::slice::from_raw_parts(words, cycles as usize * (OBSERVED_WORDS)) };
        for words in words.as_chunks::<{ OBSERVED_WORDS }>().0 {
            take(Observation { words });
        }
        // SAFETY: `model` is valid until drop, and `&mut self` excludes other calls; `words` is not used
        // any more.
        unsafe { bindings::acclmt_chip_forget(self.model.as_ptr()) }
    }

    /// Clock cycles since construction.
    pub fn cycles(&self) -> u64 {
        // SAFETY: `model` is valid until drop; the call only reads.
        unsafe { bindings::acclmt_chip_cycles(self.model.as_ptr()) }
    }

    /// Whether the interrupt output is high.
    pub fn interrupt(&self) -> bool {
        // SAFETY: `model` is valid until drop; the call only reads.
        unsafe { bindings::acclmt_chip_interrupt(self.model.as_ptr()) != 0 }
    }

    fn checked<T>(&self, value: T) -> Result<T, SimulationError> {
        // SAFETY: `model` is valid until drop; the message lives as long as the model and does not
        // change before the next call.
        let message = unsafe { message(bindings::acclmt_chip_failure(self.model.as_ptr())) };
        match message {
            None => Ok(value),
            Some(message) => Err(SimulationError::Assertion {
                cycle: self.cycles(),
                message,
            }),
        }
    }
}

impl Drop for Chip {
    fn drop(&mut self) {
        // SAFETY: `model` came from the constructor and is not used again.
        unsafe { bindings::acclmt_chip_free(self.model.as_ptr()) }
    }
}

impl From<bindings::acclmt_answer> for Answer {
    fn from(answer: bindings::acclmt_answer) -> Self {
        Self {
            data: answer.data,
            refused: answer.refused != 0,
        }
    }
}

fn output_word(words: &[u32; OUTPUT_WORDS]) -> OutputWord {
    let mut data = Word::default();
    for (bytes, word) in data.as_chunks_mut::<4>().0.iter_mut().zip(words) {
        *bytes = word.to_le_bytes();
    }
    OutputWord {
        data,
        level: words[WORDS],
        index: words[WORDS + 1],
        last: words[WORDS + 2] & 1 != 0,
        error: words[WORDS + 2] & 2 != 0,
    }
}

/// Copies a message of the C side.
///
/// # Safety
///
/// `text` is null or a zero-terminated text.
unsafe fn message(text: *const c_char) -> Option<String> {
    if text.is_null() {
        return None;
    }
    // SAFETY: the caller's promise.
    let text = unsafe { CStr::from_ptr(text) };
    Some(text.to_string_lossy().trim().to_owned())
}

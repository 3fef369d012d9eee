// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

#![doc = include_str!("../README.md")]
//!
//! The features of the crate choose what is simulated: `bls12-381` (the default), `bls12-377`, `bn254`, `pallas`, `vesta`
//! or `starknet` the large prime, of which a build has exactly one beside Goldilocks, and `runtime-modulus`
//! the reduction by a prime that is set at run time. Another prime than the default takes
//! `--no-default-features --features bn254`.

pub mod dma;

use std::env::{self, VarError};
use std::mem;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::OnceLock;
use std::time::Instant;

use acclmt_driver::chip::{ChipDevice, ChipPort, DriverError, OutputWord, PortError};
use acclmt_driver::program::SUB_ENGINES;
use acclmt_driver::timeline::{Recorder, Slot, Timeline};
use acclmt_merkle::new_file::NewFile;
use acclmt_model::stalls::{Rate, Stalls};
use acclmt_poseidon::fields::FieldId;
use acclmt_poseidon::word::Word;
use acclmt_verilated::Observation;
pub use acclmt_verilated::{Answer, SimulationError, WaveformWindow};

/// The environment variable that asks for a waveform: `FILE` or `FILE:FIRST:COUNT`, in clock cycles
/// since the reset.
pub const WAVES_VARIABLE: &str = "ACCLMT_WAVES";

/// Clock cycles of a waveform that gives no number: a cycle takes some kilobytes.
const DEFAULT_WAVE_CYCLES: u64 = 10_000;

/// The field of the large prime of this build; with a run-time modulus that after a reset.
pub fn large_field() -> FieldId {
    FieldId::from_name(acclmt_verilated::FIELD).expect("every feature names a field")
}

/// The chip, simulated from its SystemVerilog.
pub struct RtlChip {
    chip: acclmt_verilated::Chip,
    refused: bool,
    /// The run that goes on, or was last.
    recording: Recording,
    /// The waveform that is written.
    waves: Option<Waveform>,
}

/// A waveform on its way.
struct Waveform {
    file: NewFile,
    window: WaveformWindow,
}

/// The timeline of a run that is being recorded.
#[derive(Default)]
struct Recording {
    recorder: Recorder,
    slots: [[Vec<Slot>; SUB_ENGINES]; 2],
    /// Cycles of the run so far.
    cycles: u64,
}

// A sub-engine has the same number on both sides.
const _: () = assert!(Observation::SUB_ENGINES == SUB_ENGINES);

impl Recording {
    fn cycle(&mut self, observed: &Observation<'_>) {
        if observed.is_cleared() {
            *self = Self::default();
        }
        if !observed.is_counted() {
            return;
        }
        self.recorder.stalls(self.cycles, observed.stalls());
        self.recorder.groups(self.cycles, observed.groups());
        if let Some(level) = observed.job() {
            self.recorder.job(self.cycles, level);
        }
        for (engine, slots) in self.slots.iter_mut().enumerate() {
            for (sub_engine, slots) in slots.iter_mut().enumerate() {
                slots.extend(observed.slot(engine, sub_engine).map(|slot| Slot {
                    begin: self.cycles,
                    cycles: slot.cycles.into(),
                    round: slot.round,
                    visit: slot.visit as usize,
                }));
            }
        }
        self.cycles += 1;
    }

    /// What was recorded since the last call, if there is a run.
    fn part(&mut self, ended: bool) -> Option<Timeline> {
        let slots = mem::take(&mut self.slots);
        (self.cycles != 0).then(|| self.recorder.part(self.cycles, slots, ended))
    }
}

impl RtlChip {
    /// A chip that has been reset. Registers and memories without reset hold random values of `seed`. A
    /// waveform is written if [`WAVES_VARIABLE`] asks for one.
    ///
    /// # Errors
    ///
    /// When the value of the variable is no such request.
    pub fn new(seed: u32) -> Result<Self, RtlError> {
        let mut chip = Self {
            chip: acclmt_verilated::Chip::new(seed),
            refused: false,
            recording: Recording::default(),
            waves: None,
        };
        match env::var(WAVES_VARIABLE) {
            Ok(text) => chip.trace(&text.parse()?)?,
            Err(VarError::NotPresent) => {}
            Err(VarError::NotUnicode(text)) => {
                return Err(WavesError {
                    text: text.to_string_lossy().into_owned(),
                }
                .into());
            }
        }
        Ok(chip)
    }

    /// Writes a waveform, which has its name after [`ChipPort::finish`], or when the chip is dropped.
    ///
    /// # Errors
    ///
    /// When the file cannot be written, or there is a waveform already.
    pub fn trace(&mut self, waves: &Waves) -> Result<(), RtlError> {
        if self.waves.is_some() {
            return Err(RtlError::TwoWaveforms);
        }
        let mut file = NewFile::create(&waves.path).map_err(|source| RtlError::Waveform {
            path: waves.path.clone(),
            problem: source.to_string(),
        })?;
        self.chip.trace(&file.temporary_path(), waves.window)?;
        self.waves = Some(Waveform {
            file,
            window: waves.window,
        });
        Ok(())
    }

    /// Ends the waveform and gives it its name; returns what is worth knowing about it.
    fn finish_waves(&mut self) -> Result<Vec<String>, RtlError> {
        let Some(Waveform { file, window }) = self.waves.take() else {
            return Ok(Vec::new());
        };
        let path = file.path().to_owned();
        let error = |problem: String| RtlError::Waveform {
            path: path.clone(),
            problem,
        };
        let held = self.chip.end_trace();
        let cycles = self.chip.cycles();
        if held == 0 && cycles <= window.first {
            return Err(error(format!(
                "the run ended after {cycles} clock cycles, and the waveform was to begin with cycle {}",
                window.first
            )));
        }
        if held == 0 {
            return Err(error("the simulation could not write it".to_owned()));
        }
        file.finish().map_err(|source| error(source.to_string()))?;
        if cycles < window.first.saturating_add(window.count) {
            return Ok(vec![format!(
                "the waveform holds {held} clock cycles of the {} asked for: then the run ended",
                window.count
            )]);
        }
        Ok(Vec::new())
    }

    /// From now on input is withheld and output refused at random, with these probabilities in a clock
    /// cycle.
    ///
    /// # Errors
    ///
    /// When a probability is not within 0 to below 1.
    pub fn set_stalls(
        &mut self,
        seed: u64,
        input: f64,
        output: f64,
    ) -> Result<(), SimulationError> {
        self.chip.set_stalls(seed, input, output)
    }

    /// From now on input words are offered at this rate at most, evenly. A word that waits for the chip
    /// keeps the next one waiting.
    ///
    /// # Errors
    ///
    /// Never with the rates that there are.
    pub fn set_input_rate(&mut self, rate: Rate) -> Result<(), SimulationError> {
        self.chip.set_input_rate(rate.words(), rate.cycles())
    }

    /// Both: [`set_stalls`](Self::set_stalls) and [`set_input_rate`](Self::set_input_rate).
    ///
    /// # Errors
    ///
    /// When a probability is not within 0 to below 1.
    pub fn set_host(&mut self, stalls: &Stalls) -> Result<(), SimulationError> {
        self.set_input_rate(stalls.input_rate)?;
        self.set_stalls(stalls.seed, stalls.input, stalls.output)
    }

    /// Resets the chip, as its reset input does.
    pub fn reset(&mut self) {
        self.chip.reset();
    }

    /// Whether the chip answered the last register access with an error.
    pub fn refused(&self) -> bool {
        self.refused
    }

    /// Whether the interrupt output is high.
    pub fn interrupt(&self) -> bool {
        self.chip.interrupt()
    }

    /// Clock cycles since construction.
    pub fn cycles(&self) -> u64 {
        self.chip.cycles()
    }

    /// Takes over what was observed in the last cycles, if that was asked for.
    fn record(&mut self) {
        let recording = &mut self.recording;
        self.chip.observed(|observed| recording.cycle(&observed));
    }

    fn answer(&mut self, answer: Result<Answer, SimulationError>) -> Result<u32, PortError> {
        self.record();
        let answer = answer.map_err(port_error)?;
        self.refused = answer.refused;
        Ok(answer.data)
    }
}

impl ChipPort for RtlChip {
    fn name(&self) -> &str {
        "rtl"
    }

    fn write_register(&mut self, address: u32, value: u32) -> Result<(), PortError> {
        let answer = self.chip.write_register(address, value);
        self.answer(answer).map(drop)
    }

    fn read_register(&mut self, address: u32) -> Result<u32, PortError> {
        let answer = self.chip.read_register(address);
        self.answer(answer)
    }

    fn transfer(
        &mut self,
        input: &[Word],
        output: &mut Vec<OutputWord>,
        cycles: u64,
    ) -> Result<usize, PortError> {
        let mut words = Vec::new();
        let taken = self
            .chip
            .transfer(input, &mut words, cycles)
            .map_err(port_error)?;
        self.record();
        output.extend(words.iter().map(|word| OutputWord {
            data: word.data,
            level: word.level,
            index: word.index,
            last: word.last,
            error: word.error,
        }));
        Ok(taken)
    }

    fn record_timeline(&mut self, on: bool) -> bool {
        self.chip.observe(on);
        true
    }

    fn take_timeline(&mut self, ended: bool) -> Option<Timeline> {
        self.recording.part(ended)
    }

    fn cycles_per_second(&mut self) -> Option<f64> {
        Some(*SPEED.get_or_init(|| {
            const CYCLES: u64 = 512;
            let mut chip = acclmt_verilated::Chip::new(0);
            let start = Instant::now();
            // A chip that waits is simulated as one that works: whatever went wrong says a run.
            let _ = chip.transfer(&[], &mut Vec::new(), CYCLES);
            CYCLES as f64 / start.elapsed().as_secs_f64()
        }))
    }

    fn finish(&mut self) -> Result<Vec<String>, PortError> {
        self.finish_waves()
            .map_err(|error| PortError::new(error.to_string()))
    }
}

impl Drop for RtlChip {
    /// A waveform is of most use after a run that went wrong.
    fn drop(&mut self) {
        let _ = self.finish_waves();
    }
}

/// Clock cycles that are simulated in a second, by a few of them.
static SPEED: OnceLock<f64> = OnceLock::new();

fn port_error(error: SimulationError) -> PortError {
    PortError::new(error.to_string())
}

/// The simulated chip behind the library's driver.
///
/// # Errors
///
/// When [`WAVES_VARIABLE`] holds something else than a request, or the chip does not answer as it should.
pub fn rtl_device(seed: u32) -> Result<ChipDevice<RtlChip>, RtlError> {
    Ok(ChipDevice::new(RtlChip::new(seed)?)?)
}

/// Why the simulated chip could not be made.
#[derive(Debug, thiserror::Error)]
pub enum RtlError {
    /// The waveform variable is wrong.
    #[error(transparent)]
    Waves(#[from] WavesError),
    /// A waveform could not be written.
    #[error("cannot write the waveform {path}: {problem}")]
    Waveform {
        /// The file.
        path: PathBuf,
        /// What went wrong.
        problem: String,
    },
    /// Two waveforms of one chip are asked for.
    #[error("two waveforms are asked for, one of them by {WAVES_VARIABLE}; leave one out")]
    TwoWaveforms,
    /// The simulation failed.
    #[error(transparent)]
    Simulation(#[from] SimulationError),
    /// The chip does not answer as it should.
    #[error(transparent)]
    Driver(#[from] DriverError),
}

/// A waveform to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waves {
    /// The file, in FST format.
    pub path: PathBuf,
    /// What it holds.
    pub window: WaveformWindow,
}

/// A text asks for no waveform.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{WAVES_VARIABLE} is '{text}'; write FILE or FILE:FIRST:COUNT, with the first clock cycle and \
     the number of them"
)]
pub struct WavesError {
    text: String,
}

impl FromStr for Waves {
    type Err = WavesError;

    fn from_str(text: &str) -> Result<Self, WavesError> {
        let error = || WavesError {
            text: text.to_owned(),
        };
        let parts: Vec<&str> = text.split(':').collect();
        let (path, first, count) = match parts[..] {
            [path] => (path, 0, DEFAULT_WAVE_CYCLES),
            [path, first, count] => (
                path,
                first.parse().map_err(|_| error())?,
                count.parse().map_err(|_| error())?,
            ),
            _ => return Err(error()),
        };
        if path.is_empty() {
            return Err(error());
        }
        Ok(Self {
            path: PathBuf::from(path),
            window: WaveformWindow {
                first,
                count,
                depth: 0,
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waves_are_parsed() {
        let waves: Waves = "a.fst".parse().unwrap();
        assert_eq!(waves.path, PathBuf::from("a.fst"));
        assert_eq!((waves.window.first, waves.window.count), (0, 10_000));
        let waves: Waves = "b.fst:7:9".parse().unwrap();
        assert_eq!((waves.window.first, waves.window.count), (7, 9));
    }

    #[test]
    fn wrong_waves_are_named() {
        for text in ["", "a.fst:1", "a.fst:x:1", "a.fst:1:-1", ":1:2", "a:1:2:3"] {
            let error = text.parse::<Waves>().unwrap_err();
            assert!(error.to_string().contains(text), "{error}");
        }
    }
}

//! What the driver asks of a chip: its register port and its two data streams.

use std::fmt;
use std::time::{Duration, Instant};

use crate::timeline::Timeline;
use acclmt_poseidon::word::Word;

/// What a simulated, modelled or real chip offers: its register port and its two data streams.
///
/// A chip may run by itself, as one on a board does, or only while a call lasts, as one that is simulated: the
/// driver relies on neither. The calls of a run come in this order: the registers of its configuration are
/// written, [`begin_run`](Self::begin_run) says what goes in and comes out, the start is written to `CONTROL`,
/// and [`transfer`](Self::transfer) is called until the last output word has come. A clear or a zeroisation,
/// written to `CONTROL`, ends a run, and what was left of its streams is dropped by the port.
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

    /// Says how long the streams of the run are that the next register write starts. A port that moves whole
    /// packets or buffers makes them ready; others need not know.
    ///
    /// # Errors
    ///
    /// When the port has no room for such a run, or the connection to the chip fails.
    fn begin_run(&mut self, _plan: &RunPlan) -> Result<(), PortError> {
        Ok(())
    }

    /// Offers the words of `input` in order, and appends what comes out to `output`. Returns how many words of
    /// `input` were taken; the next call offers the rest again, and words behind them.
    ///
    /// The call ends when the last output word of a run has come, and otherwise after a while: `cycles` clock
    /// cycles of a chip that can count them, or a short time of the port's choice (milliseconds) in which
    /// nothing moved. What did not fit into it is no error.
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

    /// Whether the port only counts cycles: what the words are does not matter to it.
    fn only_counts(&self) -> bool {
        false
    }

    /// Lets time pass as [`transfer`](Self::transfer) does with up to `words` words of zeros, all of which are
    /// offered as soon as they can be taken, as long as nothing comes out. Returns what happened; nothing for a
    /// port that has to move the words, and at the end: this is for a model that only counts.
    ///
    /// # Errors
    ///
    /// When the connection to the chip fails.
    fn run_ahead(&mut self, _words: u64) -> Result<Option<RunAhead>, PortError> {
        Ok(None)
    }

    /// How long the driver is to wait for a sign of progress that a working chip gives within `cycles` clock
    /// cycles: so many cycles, which is right where time passes only in [`transfer`](Self::transfer), or a time
    /// on the wall that is long enough in any case.
    fn patience(&self, cycles: u64) -> Patience {
        Patience::Cycles(cycles)
    }

    /// From now on the timeline of every run is recorded, or no more. Returns whether the port can do
    /// that.
    fn record_timeline(&mut self, _on: bool) -> bool {
        false
    }

    /// What was recorded of the last run since the last call; all of the rest if the run has `ended`.
    fn take_timeline(&mut self, _ended: bool) -> Option<Timeline> {
        None
    }

    /// Clock cycles in a second of the user's time, roughly; nothing where runs are too short to speak
    /// of. The port may try a few to find out.
    fn cycles_per_second(&mut self) -> Option<f64> {
        None
    }

    /// Ends what is written beside the results, see [`Device::finish`](crate::device::Device::finish).
    ///
    /// # Errors
    ///
    /// When it could not be written.
    fn finish(&mut self) -> Result<Vec<String>, PortError> {
        Ok(Vec::new())
    }
}

/// What happened while a run went ahead, see [`ChipPort::run_ahead`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunAhead {
    /// Words that were taken.
    pub words: u64,
    /// Permutations that have begun since the start.
    pub hashes: u64,
}

impl<P: ChipPort + ?Sized> ChipPort for Box<P> {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn write_register(&mut self, address: u32, value: u32) -> Result<(), PortError> {
        (**self).write_register(address, value)
    }

    fn read_register(&mut self, address: u32) -> Result<u32, PortError> {
        (**self).read_register(address)
    }

    fn begin_run(&mut self, plan: &RunPlan) -> Result<(), PortError> {
        (**self).begin_run(plan)
    }

    fn transfer(
        &mut self,
        input: &[Word],
        output: &mut Vec<OutputWord>,
        cycles: u64,
    ) -> Result<usize, PortError> {
        (**self).transfer(input, output, cycles)
    }

    fn only_counts(&self) -> bool {
        (**self).only_counts()
    }

    fn run_ahead(&mut self, words: u64) -> Result<Option<RunAhead>, PortError> {
        (**self).run_ahead(words)
    }

    fn patience(&self, cycles: u64) -> Patience {
        (**self).patience(cycles)
    }

    fn record_timeline(&mut self, on: bool) -> bool {
        (**self).record_timeline(on)
    }

    fn take_timeline(&mut self, ended: bool) -> Option<Timeline> {
        (**self).take_timeline(ended)
    }

    fn cycles_per_second(&mut self) -> Option<f64> {
        (**self).cycles_per_second()
    }

    fn finish(&mut self) -> Result<Vec<String>, PortError> {
        (**self).finish()
    }
}

/// The lengths of the streams of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunPlan {
    /// Words of the input stream.
    pub input_words: u64,
    /// Words of the output stream.
    pub output_words: u64,
}

/// How long a chip may show, or has shown, no progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Patience {
    /// Clock cycles of the chip.
    Cycles(u64),
    /// Time on the wall.
    Time(Duration),
}

impl Patience {
    /// So many times as long.
    #[must_use]
    pub(crate) fn times(self, factor: u32) -> Self {
        match self {
            Self::Cycles(cycles) => Self::Cycles(cycles.saturating_mul(factor.into())),
            Self::Time(time) => Self::Time(time.saturating_mul(factor)),
        }
    }
}

impl fmt::Display for Patience {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cycles(cycles) => write!(formatter, "{cycles} cycles"),
            Self::Time(time) => write!(formatter, "{:.1} s", time.as_secs_f64()),
        }
    }
}

/// A wait for a sign of progress.
pub(crate) struct Wait {
    patience: Patience,
    cycles: u64,
    since: Instant,
}

impl Wait {
    pub fn new(patience: Patience) -> Self {
        Self {
            patience,
            cycles: 0,
            since: Instant::now(),
        }
    }

    /// There was progress: the wait begins again.
    pub fn restart(&mut self) {
        *self = Self::new(self.patience);
    }

    /// A transfer of so many cycles brought nothing.
    pub fn pass(&mut self, cycles: u64) {
        self.cycles += cycles;
    }

    /// How long the wait has been, if that is too long.
    pub fn is_over(&self) -> Option<Patience> {
        match self.patience {
            Patience::Cycles(most) => {
                (self.cycles >= most).then_some(Patience::Cycles(self.cycles))
            }
            Patience::Time(most) => {
                let waited = self.since.elapsed();
                (waited >= most).then_some(Patience::Time(waited))
            }
        }
    }
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

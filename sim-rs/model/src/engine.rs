//! A hash engine of the pool, in the role that it has in a run.

use super::hash_engine::{HashEngine, Tag, Word};
use super::machine::RunSetup;
use super::mixed::{MixedEngine, Programs};
use super::replay::PeriodicEngine;
use acclmt_driver::program::{ChipRegisters, ROW_SET, SUB_ENGINES};
use acclmt_driver::timeline::Slot;

/// A hash engine of the pool.
#[derive(Clone, Debug)]
pub(super) enum Engine {
    /// It has no role.
    Idle,
    /// All its states are alike: those of one parameter set, or of several with the same times.
    Single(Box<PeriodicEngine>),
    /// It mixes parameter sets.
    Mixed(Box<MixedEngine>),
}

/// Whether hashes of these parameter sets pass an engine in the same cycles.
fn are_alike(one: &ChipRegisters, other: &ChipRegisters) -> bool {
    let times = |set: &ChipRegisters| {
        (
            set.shape(),
            set.passes,
            set.partial_rounds,
            set.digest_words,
        )
    };
    times(one) == times(other)
}

impl Engine {
    /// The engine with this number, which takes rows, or nodes, or both. Where `replays`, what it repeats is
    /// replayed.
    pub(super) fn new(
        setup: &RunSetup,
        number: usize,
        rows: bool,
        nodes: bool,
        replays: bool,
    ) -> Self {
        let (full, partial) = (setup.num_full, setup.num_partial);
        let is_used = |&number: &usize| {
            let of_nodes = || setup.tree.levels.iter().any(|level| level.set == number);
            rows && number == ROW_SET || nodes && of_nodes()
        };
        let numbers: Vec<usize> = (0..setup.sets.len()).filter(is_used).collect();
        let sets: Vec<_> = numbers.iter().map(|&number| setup.sets[number]).collect();
        let Some((set, others)) = sets.split_first() else {
            return Self::Idle;
        };
        let of_engine = setup.layers_first.get(number).copied();
        let layers_first: Vec<bool> = (numbers.iter())
            .map(|&set| of_engine.is_some_and(|sets| sets[set]))
            .collect();
        let layer_first = layers_first[0];
        let differ = others.iter().any(|other| !are_alike(set, other))
            || set.adders() && layers_first.contains(&!layer_first);
        let pipelines = &setup.pipelines;
        if differ || setup.mixes && !others.is_empty() {
            let programs = Programs {
                numbers,
                sets,
                layers_first,
            };
            let engine = MixedEngine::with_pipelines(programs, full, partial, pipelines);
            return Self::Mixed(Box::new(engine));
        }
        let slots = setup.slots || setup.records;
        let engine = HashEngine::new(set, layer_first, full, partial, pipelines, slots);
        Self::Single(Box::new(PeriodicEngine::new(engine, replays && !slots)))
    }

    /// Records the slots of all sub-engines from now on.
    pub(super) fn record(&mut self) {
        match self {
            Self::Idle => {}
            Self::Single(engine) => engine.simulated().record(),
            Self::Mixed(engine) => engine.record(),
        }
    }

    /// The slots of each sub-engine since the last call, if they are recorded.
    pub(super) fn recorded(&mut self) -> [Vec<Slot>; SUB_ENGINES] {
        match self {
            Self::Idle => Default::default(),
            Self::Single(engine) => engine.simulated().recorded(),
            Self::Mixed(engine) => engine.recorded(),
        }
    }

    /// Permutations that began before cycle `now`, the present one.
    pub(super) fn begun(&self, now: u64) -> u64 {
        match self {
            Self::Idle => 0,
            Self::Single(engine) => engine.begun(now),
            Self::Mixed(engine) => engine.begun(),
        }
    }

    /// Cycles before `end` in which each sub-engine was occupied; `end` is the present cycle, or the next one if
    /// all that happens in the present one has happened.
    pub(super) fn busy_before(&self, end: u64) -> [u64; SUB_ENGINES] {
        match self {
            Self::Idle => Default::default(),
            Self::Single(engine) => engine.at(end).busy_before(end),
            Self::Mixed(engine) => engine.busy_before(end),
        }
    }

    /// See [`PeriodicEngine::begin`].
    #[inline]
    pub(super) fn begin(&mut self, now: u64) {
        if let Self::Single(engine) = self {
            engine.begin(now);
        }
    }

    /// See [`PeriodicEngine::horizon`].
    #[inline]
    pub(super) fn horizon(&self) -> u64 {
        match self {
            Self::Single(engine) => engine.horizon(),
            Self::Idle | Self::Mixed(_) => u64::MAX,
        }
    }

    /// See [`HashEngine::is_ready`].
    #[inline]
    pub(super) fn is_ready(&mut self, now: u64) -> bool {
        match self {
            Self::Idle => false,
            Self::Single(engine) => engine.is_ready(now),
            Self::Mixed(engine) => engine.is_ready(now),
        }
    }

    /// See [`HashEngine::ready_from`].
    #[inline]
    pub(super) fn ready_from(&mut self, now: u64) -> u64 {
        match self {
            Self::Idle => u64::MAX,
            Self::Single(engine) => engine.ready_from(now),
            Self::Mixed(engine) => engine.ready_from(now),
        }
    }

    /// See [`HashEngine::take_word`].
    #[inline]
    pub(super) fn take_word(&mut self, now: u64, word: Word) {
        match self {
            Self::Idle => {}
            Self::Single(engine) => engine.take_word(now, word),
            Self::Mixed(engine) => engine.take_word(now, word),
        }
    }

    /// See [`HashEngine::offer`].
    #[inline]
    pub(super) fn offer(&self, now: u64) -> Option<(Tag, bool)> {
        match self {
            Self::Idle => None,
            Self::Single(engine) => engine.offer(now),
            Self::Mixed(engine) => engine.offer(now),
        }
    }

    /// See [`HashEngine::offer_from`].
    #[inline]
    pub(super) fn offer_from(&self) -> u64 {
        match self {
            Self::Idle => u64::MAX,
            Self::Single(engine) => engine.offer_from(),
            Self::Mixed(engine) => engine.offer_from(),
        }
    }

    /// See [`HashEngine::leave_word`].
    #[inline]
    pub(super) fn leave_word(&mut self, now: u64) {
        match self {
            Self::Idle => {}
            Self::Single(engine) => engine.leave_word(now),
            Self::Mixed(engine) => engine.leave_word(now),
        }
    }

    /// See [`HashEngine::next`].
    #[inline]
    pub(super) fn next(&self) -> u64 {
        match self {
            Self::Idle => u64::MAX,
            Self::Single(engine) => engine.next(),
            Self::Mixed(engine) => engine.next(),
        }
    }

    /// See [`HashEngine::step`].
    #[inline]
    pub(super) fn step(&mut self, now: u64) -> bool {
        match self {
            Self::Idle => false,
            Self::Single(engine) => engine.step(now),
            Self::Mixed(engine) => engine.step(now),
        }
    }

    /// See [`MixedEngine::poll`].
    #[cfg(test)]
    pub(super) fn poll(&mut self, now: u64) {
        if let Self::Mixed(engine) = self {
            engine.poll(now);
        }
    }

    // ---- Strides -----------------------------------------------------------------------------------

    /// Notes the state in cycle `now`, the present one, with times relative to it and numbers of groups to the
    /// youngest ones.
    pub(super) fn note(&mut self, now: u64, youngest: &[u16], values: &mut Vec<u64>) {
        match self {
            Self::Idle => {}
            Self::Single(engine) => engine.settle(now).note(now, youngest, values),
            Self::Mixed(engine) => engine.note(now, youngest, values),
        }
    }

    /// All that is counted before cycle `now`, the present one.
    pub(super) fn totals(&mut self, now: u64) -> Vec<&mut u64> {
        match self {
            Self::Idle => Vec::new(),
            Self::Single(engine) => engine.settle(now).totals(),
            Self::Mixed(engine) => engine.totals(),
        }
    }

    /// The engine, which is in cycle `now`, does the same so many cycles later.
    pub(super) fn shift(&mut self, now: u64, cycles: u64) {
        match self {
            Self::Idle => {}
            Self::Single(engine) => engine.settle(now).shift(cycles),
            Self::Mixed(engine) => engine.shift(cycles),
        }
    }
}

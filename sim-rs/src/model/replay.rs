//! A hash engine that is not simulated while it repeats itself.
//!
//! An engine is a machine of which nothing is seen but the cycles in which it can take a word and in which
//! it offers one. If its whole state, with all times relative to the present cycle, is one that it had
//! before, and words come and go from here on in the same cycles as they did from there on, it does the
//! same once more, as often as that is so. Such a period is recorded while it is simulated, and then
//! replayed: a word costs a comparison. With the first word that does not come or go in its cycle the
//! engine is brought up to date, from the begin of the period, and is simulated again.

use super::hash_engine::{BLOCKS, HashEngine, Tag};

/// Blocks of a period at most.
const MOST_BLOCKS: u32 = 1024;

/// A search for a period that found none is followed by so many times as many blocks without one.
const REST: u32 = 15;

/// All that the future of a block depends on, as it is listed by the block itself: to compare two moments,
/// or to move it in time.
#[derive(Debug)]
pub(super) enum Survey<'a> {
    /// To be noted, relative to a cycle.
    Note { now: u64, values: &'a mut Vec<u64> },
    /// So many cycles pass.
    Shift(u64),
}

impl Survey<'_> {
    /// A cycle, past or future; `u64::MAX` is never.
    #[inline]
    pub(super) fn time(&mut self, time: &mut u64) {
        match self {
            Survey::Note { now, values } => values.push(if *time == u64::MAX {
                u64::MAX
            } else {
                time.wrapping_sub(*now)
            }),
            Survey::Shift(cycles) if *time != u64::MAX => *time += *cycles,
            Survey::Shift(_) => {}
        }
    }

    /// Something that does not depend on the time.
    #[inline]
    pub(super) fn number(&mut self, number: u64) {
        if let Survey::Note { values, .. } = self {
            values.push(number);
        }
    }

    /// Something happens at multiples of so many cycles only.
    #[inline]
    pub(super) fn grid(&mut self, cycles: u64) {
        if let Survey::Note { now, values } = self {
            values.push(*now % cycles);
        }
    }

    pub(super) fn shifts(&self) -> bool {
        matches!(self, Survey::Shift(_))
    }
}

/// A word that the engine takes: since when it could, and when it does.
#[derive(Clone, Copy, Debug)]
struct Take {
    ready_from: u64,
    at: u64,
    word: Word,
}

/// What a word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Word {
    /// Of the first block of a row; the last word of its block.
    pub(super) first_block: bool,
    pub(super) end: bool,
    pub(super) tag: Tag,
}

/// A word that the engine gives: since when it is offered, which may be before the period, and when it is
/// taken.
#[derive(Clone, Copy, Debug)]
struct Leave {
    offer_from: u64,
    at: u64,
    /// What is offered.
    offer: (Tag, bool),
}

/// The words since the end of a block.
#[derive(Clone, Debug)]
struct Record {
    begin: u64,
    /// The state then: a small part of it, all, and what was counted.
    wakes: [u64; BLOCKS],
    state: Vec<u64>,
    totals: Vec<u64>,
    blocks: u32,
    takes: Vec<Take>,
    leaves: Vec<Leave>,
    /// When permutations begin.
    begins: Vec<u64>,
}

/// A period that is replayed; its times are relative to its begin, which is the end of a block.
#[derive(Clone, Debug)]
struct Replay {
    /// When the period began that goes on, and how many were before it.
    begin: u64,
    periods: u64,
    cycles: u64,
    /// What is counted in a period.
    totals: Vec<u64>,
    takes: Vec<Take>,
    leaves: Vec<Leave>,
    /// When permutations begin.
    begins: Vec<u64>,
    /// The next ones; the last take ends the period.
    next_take: usize,
    next_leave: usize,
}

impl Replay {
    fn take(&self) -> Take {
        let take = self.takes[self.next_take];
        Take {
            ready_from: self.begin + take.ready_from,
            at: self.begin + take.at,
            word: take.word,
        }
    }

    fn leave(&self) -> Option<Leave> {
        let (leave, begin) = match self.leaves.get(self.next_leave) {
            Some(leave) => (leave, self.begin),
            None => (self.leaves.first()?, self.begin + self.cycles),
        };
        Some(Leave {
            offer_from: begin.wrapping_add(leave.offer_from),
            at: begin + leave.at,
            offer: leave.offer,
        })
    }

    /// When the next word comes or goes.
    fn next(&self) -> u64 {
        let leave = self.leave().map_or(u64::MAX, |leave| leave.at);
        self.take().at.min(leave)
    }

    fn took(&mut self) {
        self.next_take += 1;
        if self.next_take == self.takes.len() {
            self.begin += self.cycles;
            self.periods += 1;
            (self.next_take, self.next_leave) = (0, 0);
        }
    }

    /// The engine, which is as it was when the first period began, as it is in cycle `end`, before what
    /// happens there.
    fn catch_up(&self, engine: &mut HashEngine, end: u64) {
        engine.shift(self.periods * self.cycles);
        for (total, more) in engine.totals().into_iter().zip(&self.totals) {
            *total += self.periods * more;
        }
        let mut takes = self.takes[..self.next_take].iter().peekable();
        for leave in &self.leaves[..self.next_leave] {
            // In a cycle, words come before others go.
            while let Some(take) = takes.next_if(|take| take.at <= leave.at) {
                self.repeat(engine, take);
            }
            run(engine, self.begin + leave.at + 1);
            engine.leave_word(self.begin + leave.at);
        }
        takes.for_each(|take| self.repeat(engine, take));
        run(engine, end);
    }

    fn repeat(&self, engine: &mut HashEngine, take: &Take) {
        let now = self.begin + take.at;
        run(engine, now);
        engine.is_ready(now);
        engine.take_word(now, take.word);
    }
}

/// The cycles before `end` pass, in which no word comes or goes.
fn run(engine: &mut HashEngine, end: u64) {
    while engine.next() < end {
        engine.step(engine.next());
    }
}

/// Where a hash engine is.
#[derive(Clone, Debug)]
enum Mode {
    /// It is simulated; the words are recorded while a period is searched for.
    Simulated(Option<Box<Record>>),
    /// A period is replayed, and the engine is as it was when the first one began.
    Replayed(Box<Replay>),
}

/// A hash engine whose periods are replayed.
#[derive(Clone, Debug)]
pub(super) struct PeriodicEngine {
    engine: HashEngine,
    mode: Mode,
    /// Whether periods are replayed at all.
    replays: bool,
    /// Blocks until the state is noted anew (Brent's algorithm), and blocks without a search.
    limit: u32,
    rest: u32,
    noted: Vec<u64>,
}

impl PeriodicEngine {
    pub(super) fn new(engine: HashEngine, replays: bool) -> Self {
        Self {
            engine,
            mode: Mode::Simulated(None),
            replays,
            limit: 1,
            rest: 0,
            noted: Vec::new(),
        }
    }

    /// The engine itself, of which all slots are to be seen.
    pub(super) fn simulated(&mut self) -> &mut HashEngine {
        self.replays = false;
        &mut self.engine
    }

    /// The engine at the begin of cycle `end`, which is the present one, or the next one if all that
    /// happens in the present one has happened.
    pub(super) fn at(&self, end: u64) -> HashEngine {
        let mut engine = self.engine.clone();
        if let Mode::Replayed(replay) = &self.mode {
            replay.catch_up(&mut engine, end);
        }
        engine
    }

    /// Permutations that began before cycle `now`, the present one.
    pub(super) fn begun(&self, now: u64) -> u64 {
        let begun = self.engine.begun;
        match &self.mode {
            Mode::Simulated(_) => begun,
            Mode::Replayed(replay) => {
                let begins = replay.begins.len() as u64;
                let is_past = |&begin: &u64| replay.begin + begin < now;
                begun + replay.periods * begins + replay.begins.partition_point(is_past) as u64
            }
        }
    }

    /// Cycle `now` begins: what was to happen before, but did not, ends the replay.
    #[inline]
    pub(super) fn begin(&mut self, now: u64) {
        if let Mode::Replayed(replay) = &self.mode
            && replay.next() < now
        {
            self.simulate(now);
        }
    }

    /// The engine is simulated from cycle `now` on.
    #[cold]
    fn simulate(&mut self, now: u64) {
        if let Mode::Replayed(replay) = &self.mode {
            replay.catch_up(&mut self.engine, now);
            self.mode = Mode::Simulated(None);
            (self.limit, self.rest) = (1, 0);
        }
    }

    /// [`begin`](Self::begin) is due in this cycle at the latest.
    #[inline]
    pub(super) fn horizon(&self) -> u64 {
        match &self.mode {
            Mode::Simulated(_) => u64::MAX,
            Mode::Replayed(replay) => replay.next() + 1,
        }
    }

    /// See [`HashEngine::is_ready`].
    #[inline]
    pub(super) fn is_ready(&mut self, now: u64) -> bool {
        match &self.mode {
            Mode::Simulated(_) => self.engine.is_ready(now),
            Mode::Replayed(replay) => replay.take().ready_from <= now,
        }
    }

    /// See [`HashEngine::ready_from`].
    #[inline]
    pub(super) fn ready_from(&mut self, now: u64) -> u64 {
        match &self.mode {
            Mode::Simulated(_) => self.engine.ready_from(now),
            Mode::Replayed(replay) => replay.take().ready_from.max(now),
        }
    }

    /// See [`HashEngine::take_word`].
    #[inline]
    pub(super) fn take_word(&mut self, now: u64, word: Word) {
        if let Mode::Replayed(replay) = &mut self.mode {
            let take = replay.take();
            if take.at == now && take.word == word {
                replay.took();
                return;
            }
            self.simulate(now);
            self.engine.is_ready(now);
        }
        if let Mode::Simulated(Some(record)) = &mut self.mode {
            record.takes.push(Take {
                ready_from: self.engine.ready_since() - record.begin,
                at: now - record.begin,
                word,
            });
        }
        self.engine.take_word(now, word);
        if word.end && self.replays {
            self.search(now);
        }
    }

    /// A block ends: replays from here on what is recorded, if the state is the same as when that began.
    fn search(&mut self, now: u64) {
        let Mode::Simulated(record) = &mut self.mode else {
            return;
        };
        if self.rest != 0 {
            self.rest -= 1;
            return;
        }
        let wakes = self.engine.wakes(now);
        if let Some(record) = record {
            record.blocks += 1;
            if record.wakes == wakes {
                self.noted.clear();
                self.engine.note(now, &mut self.noted);
                if self.noted == record.state {
                    let totals = self.engine.totals().into_iter().zip(&record.totals);
                    let replay = Replay {
                        begin: now,
                        periods: 0,
                        cycles: now - record.begin,
                        totals: totals.map(|(after, before)| *after - before).collect(),
                        takes: std::mem::take(&mut record.takes),
                        leaves: std::mem::take(&mut record.leaves),
                        begins: std::mem::take(&mut record.begins),
                        next_take: 0,
                        next_leave: 0,
                    };
                    self.mode = Mode::Replayed(Box::new(replay));
                    return;
                }
            }
            if record.blocks < self.limit {
                return;
            }
            if self.limit == MOST_BLOCKS {
                (self.limit, self.rest) = (1, REST * MOST_BLOCKS);
                self.mode = Mode::Simulated(None);
                return;
            }
            self.limit *= 2;
        }
        let mut state = Vec::new();
        self.engine.note(now, &mut state);
        *record = Some(Box::new(Record {
            begin: now,
            wakes,
            state,
            totals: self
                .engine
                .totals()
                .into_iter()
                .map(|total| *total)
                .collect(),
            blocks: 0,
            takes: Vec::new(),
            leaves: Vec::new(),
            begins: Vec::new(),
        }));
    }

    /// See [`HashEngine::offer`].
    #[inline]
    pub(super) fn offer(&self, now: u64) -> Option<(Tag, bool)> {
        match &self.mode {
            Mode::Simulated(_) => self.engine.offer(now),
            Mode::Replayed(replay) => {
                let leave = replay.leave().filter(|leave| leave.offer_from <= now);
                leave.map(|leave| leave.offer)
            }
        }
    }

    /// See [`HashEngine::offer_from`].
    #[inline]
    pub(super) fn offer_from(&self) -> u64 {
        match &self.mode {
            Mode::Simulated(_) => self.engine.offer_from(),
            Mode::Replayed(replay) => replay.leave().map_or(u64::MAX, |leave| leave.offer_from),
        }
    }

    /// See [`HashEngine::leave_word`].
    #[inline]
    pub(super) fn leave_word(&mut self, now: u64) {
        match &mut self.mode {
            Mode::Replayed(replay) => {
                if replay.leave().is_some_and(|leave| leave.at == now)
                    && replay.next_leave < replay.leaves.len()
                {
                    replay.next_leave += 1;
                    return;
                }
                // What happens in this cycle inside the engine has happened.
                self.simulate(now + 1);
            }
            Mode::Simulated(Some(record)) => {
                if let Some(offer) = self.engine.offer(now) {
                    record.leaves.push(Leave {
                        offer_from: self.engine.offer_from().wrapping_sub(record.begin),
                        at: now - record.begin,
                        offer,
                    });
                }
            }
            Mode::Simulated(None) => {}
        }
        self.engine.leave_word(now);
    }

    /// See [`HashEngine::next`].
    #[inline]
    pub(super) fn next(&self) -> u64 {
        match &self.mode {
            Mode::Simulated(_) => self.engine.next(),
            Mode::Replayed(_) => u64::MAX,
        }
    }

    /// See [`HashEngine::step`].
    #[inline]
    pub(super) fn step(&mut self, now: u64) -> bool {
        match &mut self.mode {
            Mode::Simulated(record) => {
                let begun = self.engine.begun;
                let acted = self.engine.step(now);
                if self.engine.begun != begun
                    && let Some(record) = record
                {
                    record.begins.push(now - record.begin);
                }
                acted
            }
            Mode::Replayed(_) => false,
        }
    }
}

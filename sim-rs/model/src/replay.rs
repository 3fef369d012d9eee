//! A hash engine that is not simulated while it repeats itself.
//!
//! An engine is a machine of which nothing is seen but the cycles in which it can take a word and in which
//! it offers one. If its whole state, with all times relative to the present cycle, is one that it had
//! before, and words come and go from here on in the same cycles as they did from there on, it does the
//! same once more, as often as that is so. Such a period is recorded while it is simulated, and then
//! replayed: a word costs a comparison. With the first word that does not come or go in its cycle the
//! engine is brought up to date, from the begin of the period, and is simulated again.

use super::hash_engine::{BLOCKS, HashEngine, Tag, Word};

/// Blocks of a period at most.
const MOST_BLOCKS: u32 = 1024;

/// A search for a period that found none is followed by so many times as many blocks without one.
const REST: u32 = 15;

/// A word that the engine takes: since when it could, and when it does.
#[derive(Clone, Copy, Debug)]
struct Take {
    ready_from: u64,
    at: u64,
    word: Word,
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
    /// These, with the cycles of the run, and when the first of them is due.
    take: Take,
    leave: Option<Leave>,
    next: u64,
}

impl Replay {
    /// Looks up the next words.
    fn look_ahead(&mut self) {
        let take = self.takes[self.next_take];
        self.take = Take {
            ready_from: self.begin + take.ready_from,
            at: self.begin + take.at,
            word: take.word,
        };
        let leave = match self.leaves.get(self.next_leave) {
            Some(leave) => Some((leave, self.begin)),
            None => (self.leaves.first()).map(|leave| (leave, self.begin + self.cycles)),
        };
        self.leave = leave.map(|(leave, begin)| Leave {
            offer_from: begin.wrapping_add(leave.offer_from),
            at: begin + leave.at,
            offer: leave.offer,
        });
        self.next = (self.leave).map_or(self.take.at, |leave| leave.at.min(self.take.at));
    }

    fn took(&mut self) {
        self.next_take += 1;
        if self.next_take == self.takes.len() {
            self.begin += self.cycles;
            self.periods += 1;
            (self.next_take, self.next_leave) = (0, 0);
        }
        self.look_ahead();
    }

    fn left(&mut self) {
        self.next_leave += 1;
        self.look_ahead();
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

    /// The engine as it is at the begin of cycle `now`, simulated from here on.
    pub(super) fn settle(&mut self, now: u64) -> &mut HashEngine {
        self.simulate(now);
        if let Mode::Simulated(record) = &mut self.mode {
            *record = None;
        }
        (self.limit, self.rest) = (1, 0);
        &mut self.engine
    }

    /// Permutations that began before cycle `now`, the present one.
    pub(super) fn begun(&self, now: u64) -> u64 {
        let begun = self.engine.begun;
        match &self.mode {
            Mode::Simulated(_) => begun,
            Mode::Replayed(replay) => {
                let past = |from: u64| {
                    let is_past = |&begin: &u64| from + begin < now;
                    replay.begins.partition_point(is_past) as u64
                };
                // The word that ends the period may be late: the next one has begun all the same.
                begun
                    + replay.periods * replay.begins.len() as u64
                    + past(replay.begin)
                    + past(replay.begin + replay.cycles)
            }
        }
    }

    /// Cycle `now` begins: what was to happen before, but did not, ends the replay.
    #[inline]
    pub(super) fn begin(&mut self, now: u64) {
        if let Mode::Replayed(replay) = &self.mode
            && replay.next < now
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
            Mode::Replayed(replay) => replay.next + 1,
        }
    }

    /// See [`HashEngine::is_ready`].
    #[inline]
    pub(super) fn is_ready(&mut self, now: u64) -> bool {
        match &self.mode {
            Mode::Simulated(_) => self.engine.is_ready(now),
            Mode::Replayed(replay) => replay.take.ready_from <= now,
        }
    }

    /// See [`HashEngine::ready_from`].
    #[inline]
    pub(super) fn ready_from(&mut self, now: u64) -> u64 {
        match &self.mode {
            Mode::Simulated(_) => self.engine.ready_from(now),
            Mode::Replayed(replay) => replay.take.ready_from.max(now),
        }
    }

    /// See [`HashEngine::take_word`].
    #[inline]
    pub(super) fn take_word(&mut self, now: u64, word: Word) {
        if let Mode::Replayed(replay) = &mut self.mode {
            let take = &replay.take;
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
                self.engine.note(now, &[], &mut self.noted);
                if self.noted == record.state {
                    let totals = self.engine.totals().into_iter().zip(&record.totals);
                    let Some(&take) = record.takes.first() else {
                        return;
                    };
                    let mut replay = Replay {
                        begin: now,
                        periods: 0,
                        cycles: now - record.begin,
                        totals: totals.map(|(after, before)| *after - before).collect(),
                        takes: std::mem::take(&mut record.takes),
                        leaves: std::mem::take(&mut record.leaves),
                        begins: std::mem::take(&mut record.begins),
                        next_take: 0,
                        next_leave: 0,
                        take,
                        leave: None,
                        next: now,
                    };
                    replay.look_ahead();
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
        self.engine.note(now, &[], &mut state);
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
                let leave = replay.leave.filter(|leave| leave.offer_from <= now);
                leave.map(|leave| leave.offer)
            }
        }
    }

    /// See [`HashEngine::offer_from`].
    #[inline]
    pub(super) fn offer_from(&self) -> u64 {
        match &self.mode {
            Mode::Simulated(_) => self.engine.offer_from(),
            Mode::Replayed(replay) => replay.leave.map_or(u64::MAX, |leave| leave.offer_from),
        }
    }

    /// See [`HashEngine::leave_word`].
    #[inline]
    pub(super) fn leave_word(&mut self, now: u64) {
        match &mut self.mode {
            Mode::Replayed(replay) => {
                if replay.leave.is_some_and(|leave| leave.at == now)
                    && replay.next_leave < replay.leaves.len()
                {
                    replay.left();
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::latencies::Pipelines;
    use acclmt_driver::program::{ChipRegisters, GOLDILOCKS, PositionMap, SUB_ENGINES, widest};
    use acclmt_driver::registers::{RECURRENCE_ADDERS, RECURRENCE_ORDER};

    /// A hash engine and the host around it.
    #[derive(Clone, Debug)]
    struct Case {
        width: u32,
        goldilocks: bool,
        alpha: u32,
        full_rounds: [u32; 2],
        partial_rounds: [u32; SUB_ENGINES],
        num_full: usize,
        recurrent: bool,
        /// Layers are made by adders, where they can be, and the first one has no S-boxes.
        adders: bool,
        layer_first: bool,
        /// Words of a block and of a digest, blocks of a row, rows of a group.
        words: u32,
        digest_words: u32,
        blocks: u32,
        group: u32,
        /// Beat of the digest, where the state has so many.
        digest_beat: u32,
        /// A word is offered once in so many cycles at most.
        interval: u64,
        /// Cycles between disturbances, on average.
        calm: u64,
        cycles: u64,
        seed: u64,
    }

    fn case() -> impl Strategy<Value = Case> {
        let shape = (2_u32..=24, any::<bool>(), prop_oneof![Just(5_u32), Just(7)]);
        let rounds = (
            [1_u32..5, 1_u32..5],
            prop::array::uniform8(0_u32..12),
            any::<bool>(),
            any::<bool>(),
            any::<bool>(),
        );
        let words = (1_u32..4, 1_u32..3, 1_u32..3, 1_u32..20, 0_u32..4);
        let host = (prop_oneof![3 => Just(1_u64), 1 => 2_u64..40], 200_u64..8000);
        (shape, rounds, 1_usize..=2, words, host, any::<u64>()).prop_map(
            |(
                (width, goldilocks, alpha),
                (full_rounds, partial_rounds, recurrent, adders, layer_first),
                num_full,
                (words, digest_words, blocks, group, digest_beat),
                (interval, calm),
                seed,
            )| Case {
                width: width.min(widest(goldilocks) as u32),
                goldilocks,
                alpha,
                full_rounds,
                partial_rounds,
                num_full,
                recurrent,
                adders,
                layer_first,
                words,
                digest_words,
                blocks,
                group,
                digest_beat,
                interval,
                calm,
                cycles: 30_000,
                seed,
            },
        )
    }

    impl Case {
        fn engine(&self) -> HashEngine {
            let beat = self.digest_beat.min((self.width - 1) / 3);
            let adders = self.adders && self.goldilocks && self.width <= 16 && self.recurrent;
            let registers = ChipRegisters {
                arity: self.words,
                field: if self.goldilocks { GOLDILOCKS } else { 0 },
                width: self.width,
                beside: 0,
                alpha: self.alpha,
                passes: [
                    self.full_rounds[0] + self.partial_rounds[0],
                    self.full_rounds[1] + self.partial_rounds[7] + u32::from(self.recurrent),
                ],
                recurrence: RECURRENCE_ORDER.with(self.recurrent.into())
                    | RECURRENCE_ADDERS.with(adders.into()),
                digest_words: self.digest_words,
                input_map: PositionMap::default(),
                // The digest is the first element of the beat.
                digest_map: [beat << 2, 0, 0, 0],
                partial_rounds: self.partial_rounds,
                partial_base: 0,
            };
            let pipelines = Pipelines::new(false);
            let layer_first = self.layer_first && registers.passes[0] > 1;
            let num_full = self.num_full;
            HashEngine::new(&registers, layer_first, num_full, 6, &pipelines, false)
        }

        /// Runs the engine with and without replays. Returns how many replays there were.
        fn run(&self) -> u32 {
            let mut plain = self.engine();
            let mut periodic = PeriodicEngine::new(self.engine(), true);
            let mut seed = self.seed | 1;
            let mut random = |below: u64| {
                seed ^= seed << 13;
                seed ^= seed >> 7;
                seed ^= seed << 17;
                (seed >> 8) % below
            };
            let (mut word, mut row, mut block) = (0, 0, 0);
            // Until when the host offers no word, and takes none.
            let (mut withholds, mut refuses) = (0, 0);
            let (mut replays, mut replayed) = (0, false);
            for now in 0..self.cycles {
                periodic.begin(now);
                let (ready, offer) = (plain.is_ready(now), plain.offer(now));
                assert_eq!(periodic.is_ready(now), ready, "{now}");
                assert_eq!(periodic.offer(now), offer, "{now}");
                assert!(!ready || periodic.ready_from(now) == now, "{now}");
                match random(2 * self.calm) {
                    0 => withholds = now + random(300),
                    1 => refuses = now + random(300),
                    _ => {}
                }
                if ready && withholds <= now {
                    withholds = now + self.interval;
                    let end = word + 1 == self.words;
                    let continues = block + 1 != self.blocks;
                    let next = Word {
                        first_block: block == 0,
                        end,
                        tag: Tag::row(continues),
                    };
                    plain.take_word(now, next);
                    periodic.take_word(now, next);
                    word = if end { 0 } else { word + 1 };
                    if end {
                        row += 1;
                    }
                    if row == self.group {
                        row = 0;
                        block = if continues { block + 1 } else { 0 };
                    }
                }
                plain.step(now);
                periodic.step(now);
                if offer.is_some() && refuses <= now {
                    plain.leave_word(now);
                    periodic.leave_word(now);
                }
                let replays_now = matches!(periodic.mode, Mode::Replayed(_));
                replays += u32::from(replays_now && !replayed);
                replayed = replays_now;
                assert_eq!(periodic.begun(now + 1), plain.begun, "{now}");
                if random(1000) == 0 {
                    let busy = periodic.at(now + 1).busy_before(now + 1);
                    assert_eq!(busy, plain.busy_before(now + 1), "{now}");
                }
            }
            replays
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn a_replayed_engine_does_what_a_simulated_one_does(case in case()) {
            case.run();
        }
    }

    /// A permutation begins in the cycle in which the period would end, but its word is late.
    #[test]
    fn what_began_is_counted_where_a_period_does_not_end() {
        let case = Case {
            width: 12,
            goldilocks: false,
            alpha: 7,
            full_rounds: [2, 2],
            partial_rounds: [5, 4, 2, 8, 1, 6, 5, 0],
            num_full: 1,
            recurrent: true,
            adders: false,
            layer_first: false,
            words: 1,
            digest_words: 1,
            blocks: 2,
            group: 3,
            digest_beat: 0,
            interval: 1,
            calm: 4782,
            cycles: 30_000,
            seed: 5_873_191_044_169_213_220,
        };
        case.run();
    }

    /// Otherwise the test above would compare nothing.
    #[test]
    fn periods_are_found_again_after_a_disturbance() {
        let case = Case {
            width: 3,
            goldilocks: false,
            alpha: 5,
            // The full-round sub-engine has cycles to spare: two loops that are full have a long period.
            full_rounds: [4, 3],
            partial_rounds: [0, 9, 9, 9, 0, 0, 0, 0],
            num_full: 1,
            recurrent: true,
            adders: false,
            layer_first: false,
            words: 2,
            digest_words: 1,
            blocks: 1,
            group: 1,
            digest_beat: 0,
            interval: 1,
            calm: 40_000,
            cycles: 300_000,
            seed: 3,
        };
        let replays = case.run();
        assert!(replays >= 2, "{replays} replays");
        // The same where layers are made by adders: the partial rounds take most cycles.
        for (width, layer_first) in [(12, false), (12, true), (16, false), (16, true)] {
            let case = Case {
                width,
                goldilocks: true,
                alpha: 7,
                full_rounds: [4, 4],
                partial_rounds: [0, 12, 12, 12, 0, 0, 0, 0],
                adders: true,
                layer_first,
                ..case
            };
            let replays = case.run();
            assert!(replays >= 2, "{replays} replays");
        }
    }
}

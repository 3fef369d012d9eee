//! A hash engine that mixes parameter sets: the same ring as that of a single set, slot by slot, in which hashes of
//! different sizes go round side by side and overtake each other.

use std::collections::VecDeque;

use super::buffer::StateBuffer;
use super::sub_engine::{Round, Visit};
use crate::latencies::{self, Pipelines};
use acclmt_driver::program::{ChipRegisters, LANES, SUB_ENGINES, Shape};

/// Number of the second full-round sub-engine.
const SECOND_FULL: usize = SUB_ENGINES - 1;

/// Pages of the loader: one is filled while the other is read.
const PAGES: usize = 2;

/// What accompanies a hash through the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hash {
    /// Its parameter set.
    pub set: usize,
    /// Whether its state is to absorb another block.
    pub continues: bool,
    /// What the user of the engine wants to know of it.
    pub payload: u32,
}

/// A word that is offered to the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MixedWord {
    /// Of the first block of a row, or of the only one.
    pub first_block: bool,
    /// The last word of its block.
    pub end: bool,
    /// The hash that it belongs to.
    pub hash: Hash,
}

/// What the engine shows in a clock cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MixedOutput {
    /// It takes a word.
    pub ready: bool,
    /// The digest of which it offers a word, and whether that is the last one.
    pub digest: Option<(Hash, bool)>,
}

/// A state buffer, whose states have as many beats as their sets say.
#[derive(Clone, Debug)]
struct Buffer {
    /// Beats that fit, and that are taken, those included that are free from a time in `releases` on.
    places: u64,
    taken: u64,
    releases: VecDeque<(u64, u64)>,
    /// States, and when each of them is complete.
    states: VecDeque<(u64, Hash)>,
    /// When the beats of the state before the head have left.
    head_from: u64,
}

impl Buffer {
    fn new(places: u64) -> Self {
        Self {
            places,
            taken: 0,
            releases: VecDeque::new(),
            states: VecDeque::new(),
            head_from: 0,
        }
    }

    /// From when on so many beats can be reserved, at `now` or later, as far as that is known: `u64::MAX` if it is
    /// not.
    fn available_from(&mut self, now: u64, beats: u64) -> u64 {
        while let Some(&(_, released)) = self.releases.front().filter(|(time, _)| *time <= now) {
            self.releases.pop_front();
            self.taken -= released;
        }
        let mut taken = self.taken;
        let mut from = now;
        for &(time, released) in &self.releases {
            if taken + beats <= self.places {
                return from;
            }
            taken -= released;
            from = time;
        }
        if taken + beats <= self.places {
            from
        } else {
            u64::MAX
        }
    }

    fn reserve(&mut self, beats: u64) {
        self.taken += beats;
    }

    /// A state comes, its first and its last beat in these cycles.
    fn push(&mut self, first: u64, last: u64, hash: Hash) {
        let complete = StateBuffer::complete(first, last);
        self.states.push_back((complete, hash));
    }

    /// When the state at the head is there to be taken, and which one that is.
    fn head(&self) -> Option<(u64, Hash)> {
        let &(complete, hash) = self.states.front()?;
        Some((complete.max(self.head_from), hash))
    }

    /// The state at the head leaves, its last beat in cycle `last`; so many beats were reserved for it.
    fn take(&mut self, last: u64, beats: u64) {
        self.states.pop_front();
        self.head_from = last + 1;
        self.releases.push_back((last + 1, beats));
    }
}

/// What a set does on a sub-engine.
#[derive(Clone, Debug)]
struct Timing {
    beats: u64,
    /// Beats of a final state behind the last visit.
    final_beats: u64,
    /// Cycles from one beat to the next of a state that comes round.
    arrival: u64,
    visits: [Visit; 2],
}

/// A state in the loop.
#[derive(Clone, Copy, Debug)]
struct Inside {
    /// When its first beat and all beats are at the head of the queue.
    first_beat: u64,
    complete: u64,
    port: usize,
    /// Rounds that were issued.
    issued: u32,
    hash: Hash,
}

/// A loop of slots (`acclmt_slot_control`).
#[derive(Clone, Debug)]
struct MixedSubEngine {
    grid: u64,
    timings: Vec<Timing>,
    /// Beats that fit, and that are inside.
    places: u64,
    inside: u64,
    queue: VecDeque<Inside>,
    /// Where the states of each port come from and go to: numbers of buffers.
    inputs: [Option<usize>; 2],
    outputs: [usize; 2],
    /// End of the slot that is under way, and whether it is a state's.
    slot_end: u64,
    slot_is_busy: bool,
    busy: u64,
}

impl MixedSubEngine {
    fn new(
        grid: u64,
        timings: Vec<Timing>,
        pipelines: &Pipelines,
        inputs: [Option<usize>; 2],
        outputs: [usize; 2],
    ) -> Self {
        Self {
            grid,
            timings,
            places: pipelines.places,
            inside: 0,
            queue: VecDeque::new(),
            inputs,
            outputs,
            slot_end: 0,
            slot_is_busy: false,
            busy: 0,
        }
    }

    fn round(&self, hash: Hash, port: usize, issued: u32) -> &Round {
        self.timings[hash.set].visits[port].round(issued, !hash.continues)
    }

    /// The state that could enter from `port` in cycle `now`, as far as the buffers matter.
    fn candidate(&self, now: u64, port: usize, buffers: &mut [Buffer]) -> Option<Hash> {
        let (from, hash) = buffers[self.inputs[port]?].head()?;
        let beats = self.timings[hash.set].beats;
        let available = buffers[self.outputs[port]].available_from(now, beats);
        (from.max(available) <= now).then_some(hash)
    }

    /// What happens in cycle `now`.
    fn step(&mut self, now: u64, buffers: &mut [Buffer]) {
        if now < self.slot_end || !now.is_multiple_of(self.grid) {
            return;
        }
        let head = self.queue.front().copied();
        let here = head.filter(|head| head.first_beat <= now);
        let rounds = |head: &Inside| self.timings[head.hash.set].visits[head.port].rounds;
        let pending = here.filter(|head| head.issued != rounds(head));
        if let Some(mut head) = pending {
            let round = *self.round(head.hash, head.port, head.issued);
            let arrival = self.timings[head.hash.set].arrival;
            // Where it takes its beats faster than they come they must be there.
            if head.complete <= now || round.spacing >= arrival {
                self.queue.pop_front();
                head.issued += 1;
                head.first_beat = now + round.first_beat;
                head.complete = now + round.complete;
                self.queue.push_back(head);
                self.begin_slot(now, round.cycles, true);
                return;
            }
        }
        let leaving = here.filter(|head| pending.is_none() && head.complete <= now);
        let leaving_beats = leaving.map_or(0, |head| self.timings[head.hash.set].beats);
        let candidates = [0, 1].map(|port| self.candidate(now, port, buffers));
        // One that waits for room on its last visit keeps the others out.
        let port = usize::from(candidates[1].is_some());
        let entering = candidates[port].filter(|hash| {
            let beats = self.timings[hash.set].beats;
            self.inside - leaving_beats + beats <= self.places
        });
        let round = entering.map(|hash| *self.round(hash, port, 0));
        if let Some(head) = leaving {
            let timing = &self.timings[head.hash.set];
            // The beats leave in step with those that take their slot, if these are as many.
            let in_step = entering.filter(|hash| self.timings[hash.set].beats == timing.beats);
            let spacing = in_step.and(round).map_or(1, |round| round.spacing);
            let is_final = head.port == 1 && !head.hash.continues;
            let beats = if is_final {
                timing.final_beats
            } else {
                timing.beats
            };
            buffers[self.outputs[head.port]].push(now, now + (beats - 1) * spacing, head.hash);
            self.queue.pop_front();
            self.inside -= leaving_beats;
        }
        if let (Some(hash), Some(round)) = (entering, round) {
            let beats = self.timings[hash.set].beats;
            self.queue.push_back(Inside {
                first_beat: now + round.first_beat,
                complete: now + round.complete,
                port,
                issued: 1,
                hash,
            });
            self.inside += beats;
            buffers[self.outputs[port]].reserve(beats);
            let input = self.inputs[port].unwrap_or_default();
            buffers[input].take(now + (beats - 1) * round.spacing, beats);
            let cycles = round.cycles.max(leaving_beats);
            self.begin_slot(now, cycles, true);
        } else if leaving.is_some() {
            self.begin_slot(now, leaving_beats, false);
        }
    }

    fn begin_slot(&mut self, now: u64, cycles: u64, is_busy: bool) {
        self.slot_end = now + cycles;
        self.slot_is_busy = is_busy;
        if is_busy {
            self.busy += cycles;
        }
    }

    /// Cycles before `end` in which a slot of a state was under way.
    fn busy_before(&self, end: u64) -> u64 {
        let ahead = self.slot_end.saturating_sub(end);
        self.busy - if self.slot_is_busy { ahead } else { 0 }
    }
}

/// The exit from the recurrence (`acclmt_sum_reduction`), computed ahead.
#[derive(Clone, Copy, Debug)]
struct MixedExit {
    latency: u64,
    input: usize,
    output: usize,
}

/// The words of a permutation.
#[derive(Clone, Copy, Debug)]
struct Page {
    /// From when on they can be read.
    full_from: u64,
    first_block: bool,
    hash: Hash,
}

/// A digest that is read.
#[derive(Clone, Copy, Debug)]
struct Digest {
    hash: Hash,
    words_left: u32,
    /// When the next word is offered.
    from: u64,
}

/// A hash engine that mixes parameter sets, cycle by cycle.
#[derive(Clone, Debug)]
pub struct MixedEngine {
    now: u64,
    /// Beats of a state, beats of a final state, and words of a digest, of each set.
    shapes: Vec<(u64, u64, u32)>,
    load_cycles: u64,
    buffers: Vec<Buffer>,
    final_buffer: usize,
    sub_engines: [Option<MixedSubEngine>; SUB_ENGINES],
    exit: Option<MixedExit>,
    pages: VecDeque<Page>,
    page_releases: VecDeque<u64>,
    filling: Option<Page>,
    /// When the page before is read.
    reading_until: u64,
    digest: Option<Digest>,
    /// When the reader can take a state.
    reader_from: u64,
}

impl MixedEngine {
    /// An engine with these sub-engines, which mixes the sets with these registers (at least one); with
    /// `runtime_modulus` the pipelines of that. They have one exponent, and rounds on the same sub-engines.
    pub fn new(
        sets: &[ChipRegisters],
        num_full: usize,
        num_partial: usize,
        runtime_modulus: bool,
    ) -> Self {
        let pipelines = &Pipelines::new(runtime_modulus);
        let shapes: Vec<Shape> = sets.iter().map(ChipRegisters::shape).collect();
        let mut buffers = vec![Buffer::new(latencies::LOADER_PLACES)];
        let mut buffer = |places| {
            buffers.push(Buffer::new(places));
            buffers.len() - 1
        };
        let (full_grid, partial_grid) = grids(&shapes);
        let skew = shapes
            .iter()
            .map(|shape| shape.skew())
            .max()
            .unwrap_or_default();
        let has_rounds = |number| sets.iter().any(|set| set.partial_rounds[number] != 0);
        let mut sub_engines = [const { None }; SUB_ENGINES];
        let first_link = buffer(pipelines.places);
        let mut link = first_link;
        for number in (1..=num_partial).filter(|&number| has_rounds(number)) {
            let output = buffer(pipelines.places);
            let timings = sets.iter().zip(&shapes).map(|(set, &shape)| {
                let visit = Visit {
                    rounds: set.partial_rounds[number],
                    round: Round::partial(shape, pipelines),
                    short: None,
                };
                Timing {
                    beats: shape.beats() as u64,
                    final_beats: shape.beats() as u64,
                    arrival: 1,
                    visits: [visit; 2],
                }
            });
            let (inputs, outputs) = ([Some(link), None], [output; 2]);
            let timings = timings.collect();
            let sub_engine = MixedSubEngine::new(partial_grid, timings, pipelines, inputs, outputs);
            sub_engines[number] = Some(sub_engine);
            link = output;
        }
        let final_buffer = buffer(pipelines.places);
        let exit = shapes.iter().any(|shape| shape.recurrent).then(|| {
            let output = buffer(latencies::EXIT_PLACES);
            let exit = MixedExit {
                latency: pipelines.exit,
                input: link,
                output,
            };
            link = output;
            exit
        });
        let full = |inputs| {
            let timings = sets.iter().zip(&shapes).map(|(set, &shape)| {
                let first = set.full_rounds_first + set.partial_rounds[0];
                let after = u32::from(shape.recurrent);
                let last = after + set.partial_rounds[SECOND_FULL] + set.full_rounds_last;
                // All matrices begin as late as that of the set that needs longest.
                let later = (skew - shape.skew()) as u64;
                let round = Round::full(shape, pipelines).later(later);
                let short = Round::short(shape, pipelines).map(|round| round.later(later));
                Timing {
                    beats: shape.beats() as u64,
                    final_beats: shape.last_beats() as u64,
                    arrival: shape.steps() as u64,
                    visits: [(first, None), (last, short)].map(|(rounds, short)| Visit {
                        rounds,
                        round,
                        short,
                    }),
                }
            });
            let outputs = [first_link, final_buffer];
            let timings = timings.collect();
            Some(MixedSubEngine::new(
                full_grid, timings, pipelines, inputs, outputs,
            ))
        };
        if num_full == 1 {
            sub_engines[0] = full([Some(0), Some(link)]);
        } else {
            sub_engines[0] = full([Some(0), None]);
            sub_engines[SECOND_FULL] = full([None, Some(link)]);
        }
        Self {
            now: 0,
            shapes: sets
                .iter()
                .zip(&shapes)
                .map(|(set, shape)| {
                    let (beats, last) = (shape.beats() as u64, shape.last_beats() as u64);
                    (beats, last, set.digest_words)
                })
                .collect(),
            load_cycles: 1 + 2 * latencies::ADD,
            buffers,
            final_buffer,
            sub_engines,
            exit,
            pages: VecDeque::new(),
            page_releases: VecDeque::new(),
            filling: None,
            reading_until: 0,
            digest: None,
            reader_from: 0,
        }
    }

    /// A clock cycle, in which a word is offered or none, and a digest word would be taken or not.
    pub fn cycle(&mut self, word: Option<MixedWord>, ready: bool) -> MixedOutput {
        let now = self.now;
        while self.page_releases.front().is_some_and(|&from| from <= now) {
            self.page_releases.pop_front();
        }
        let output = MixedOutput {
            ready: self.pages.len() + self.page_releases.len() < PAGES,
            digest: (self.digest.filter(|digest| digest.from <= now))
                .map(|digest| (digest.hash, digest.words_left == 1)),
        };
        let digest_before = self.digest;
        self.advance_exit(now);
        for sub_engine in self.sub_engines.iter_mut().flatten() {
            sub_engine.step(now, &mut self.buffers);
        }
        self.step_loader(now);
        self.step_reader(now);
        if let Some(word) = word.filter(|_| output.ready) {
            self.take_word(now, word);
        }
        if let Some(digest) = digest_before.filter(|_| ready && output.digest.is_some()) {
            self.digest = (digest.words_left != 1).then(|| Digest {
                words_left: digest.words_left - 1,
                from: now + 2,
                ..digest
            });
            self.reader_from = now + 1;
        }
        self.now += 1;
        output
    }

    /// Cycles until now in which each sub-engine was occupied.
    pub fn busy(&self) -> [u64; SUB_ENGINES] {
        let busy = |sub_engine: &Option<MixedSubEngine>| {
            let sub_engine = sub_engine.as_ref();
            sub_engine.map_or(0, |sub_engine| sub_engine.busy_before(self.now))
        };
        std::array::from_fn(|number| busy(&self.sub_engines[number]))
    }

    fn take_word(&mut self, now: u64, word: MixedWord) {
        let page = *self.filling.get_or_insert(Page {
            full_from: u64::MAX,
            first_block: word.first_block,
            hash: word.hash,
        });
        if word.end {
            self.filling = None;
            self.pages.push_back(Page {
                full_from: now + 1,
                ..page
            });
        }
    }

    /// Computes the starts of all states at the exit that have become known.
    fn advance_exit(&mut self, now: u64) {
        let Some(exit) = self.exit else {
            return;
        };
        while let Some((from, hash)) = self.buffers[exit.input].head() {
            let beats = self.shapes[hash.set].0;
            let output = &mut self.buffers[exit.output];
            let start = output.available_from(now, beats).max(from);
            if start == u64::MAX {
                break;
            }
            // What is free by then is so now for whoever computes ahead.
            output.available_from(start, beats);
            output.reserve(beats);
            let first = start + exit.latency;
            // A word a cycle.
            let words = LANES as u64;
            output.push(first, first + words * (beats - 1), hash);
            self.buffers[exit.input].take(start + words * beats - 1, beats);
        }
    }

    /// The final state that is there in cycle `now`, if it is to go round once more, or if it is not.
    fn final_state(&self, now: u64, continues: bool) -> Option<Hash> {
        let (from, hash) = self.buffers[self.final_buffer].head()?;
        (from <= now && hash.continues == continues).then_some(hash)
    }

    fn take_final(&mut self, now: u64, hash: Hash, beats: u64) {
        let reserved = self.shapes[hash.set].0;
        self.buffers[self.final_buffer].take(now + beats - 1, reserved);
    }

    fn step_loader(&mut self, now: u64) {
        let Some(&page) = self.pages.front() else {
            return;
        };
        let beats = self.shapes[page.hash.set].0;
        let ready = self.reading_until.max(page.full_from) <= now
            && self.buffers[0].available_from(now, beats) <= now;
        if !ready {
            return;
        }
        if !page.first_block {
            let Some(hash) = self.final_state(now, true) else {
                return;
            };
            self.take_final(now, hash, beats);
        }
        self.pages.pop_front();
        self.buffers[0].reserve(beats);
        let first = now + self.load_cycles;
        self.buffers[0].push(first, first + beats - 1, page.hash);
        self.reading_until = now + beats;
        self.page_releases.push_back(self.reading_until);
    }

    fn step_reader(&mut self, now: u64) {
        if self.digest.is_some() || now < self.reader_from {
            return;
        }
        if let Some(hash) = self.final_state(now, false) {
            let (_, beats, words) = self.shapes[hash.set];
            self.take_final(now, hash, beats);
            // One cycle to fetch a word, after the beats.
            self.digest = Some(Digest {
                hash,
                words_left: words,
                from: now + beats + 1,
            });
        }
    }
}

/// The grids on which the slots of sets begin that are mixed (`acclmt_mixed_timing`): those of the full-round and of
/// the partial-round sub-engines.
fn grids(shapes: &[Shape]) -> (u64, u64) {
    let full = shapes.iter().map(|shape| shape.grid() as u64).min();
    let mut partial = shapes
        .iter()
        .map(|shape| shape.partial_round_cycles() as u64);
    let first = partial.next().unwrap_or(1);
    let partial = if partial.all(|interval| interval == first) {
        first
    } else if shapes.iter().any(|shape| shape.alpha == 7) {
        2
    } else {
        1
    };
    (full.unwrap_or(1), partial)
}

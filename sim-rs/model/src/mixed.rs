//! A hash engine that mixes parameter sets: the same ring as that of a single set, slot by slot, in which hashes of
//! different sizes go round side by side and overtake each other.

use std::collections::VecDeque;

use super::adders::{AdderLoop, SetPasses};
use super::buffer::StateBuffer;
use super::hash_engine::{LOAD_CYCLES, Tag, Word};
use super::slots::Slots;
use super::sub_engine::{Round, Visit};
use super::survey::Survey;
use super::turn::align;
use crate::latencies::{self, Pipelines};
use acclmt_driver::program::{ChipRegisters, LANES, SUB_ENGINES, Shape};
use acclmt_driver::timeline::Slot;

/// Number of the second full-round sub-engine.
const SECOND_FULL: usize = SUB_ENGINES - 1;

/// Pages of the loader: one is filled while the other is read.
const PAGES: usize = 2;

/// Blocks that act at times of their own: the sub-engines, then these.
const LOADER: usize = SUB_ENGINES;
const READER: usize = SUB_ENGINES + 1;
const BLOCKS: usize = SUB_ENGINES + 2;

/// The exit, which acts at no time of its own: what it does is computed ahead.
const EXIT: usize = BLOCKS;

/// Blocks, as the bits of their numbers.
type Blocks = u32;

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

impl Hash {
    /// That of a tag, whose set is one of these: their numbers.
    fn new(tag: Tag, numbers: &[usize]) -> Self {
        let set = numbers.iter().position(|&number| number == tag.set());
        Self {
            set: set.unwrap_or_default(),
            continues: tag.continues(),
            payload: tag.0,
        }
    }

    /// Lists it: its tag says all.
    fn survey(self, survey: &mut Survey<'_>) {
        survey.tag(Tag(self.payload));
    }
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

    /// Lists all that its future depends on.
    fn survey(&mut self, survey: &mut Survey<'_>) {
        survey.number(self.taken);
        survey.number(self.releases.len() as u64);
        for (time, beats) in &mut self.releases {
            survey.time(time);
            survey.number(*beats);
        }
        survey.number(self.states.len() as u64);
        for (time, hash) in &mut self.states {
            survey.due(time);
            hash.survey(survey);
        }
        survey.due(&mut self.head_from);
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

/// A loop of slots (`acclmt_slot_control`), or where layers are made by adders that of `acclmt_adder_control`.
#[derive(Clone, Debug)]
struct MixedSubEngine {
    grid: u64,
    timings: Vec<Timing>,
    adders: Option<Box<AdderLoop<Hash>>>,
    /// Beats of the largest states: there is room for a state where there is for one of those.
    most_beats: u64,
    /// Beats that fit, and that are inside.
    places: u64,
    inside: u64,
    queue: VecDeque<Inside>,
    /// Where the states of each port come from and go to: numbers of buffers.
    inputs: [Option<usize>; 2],
    outputs: [usize; 2],
    slots: Slots,
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
            most_beats: (timings.iter().map(|timing| timing.beats).max()).unwrap_or_default(),
            timings,
            adders: None,
            places: pipelines.places,
            inside: 0,
            queue: VecDeque::new(),
            inputs,
            outputs,
            slots: Slots::default(),
        }
    }

    fn round(&self, hash: Hash, port: usize, issued: u32) -> &Round {
        self.timings[hash.set].visits[port].round(issued, !hash.continues)
    }

    /// The state that is next to enter from `port`, and from when on it can, at `now` or later, as far as the
    /// buffers matter and that is known.
    fn candidate(&self, now: u64, port: usize, buffers: &mut [Buffer]) -> Option<(u64, Hash)> {
        let (from, hash) = buffers[self.inputs[port]?].head()?;
        let available = buffers[self.outputs[port]].available_from(now, self.most_beats);
        Some((from.max(available), hash))
    }

    /// Whether there is room for a state while so many beats leave.
    fn has_room(&self, leaving_beats: u64) -> bool {
        self.inside - leaving_beats + self.most_beats <= self.places
    }

    /// The next round of the state at the head, if there is one, and from when on that can begin.
    fn next_round(&self, head: &Inside) -> Option<(u64, Round)> {
        let timing = &self.timings[head.hash.set];
        if head.issued == timing.visits[head.port].rounds {
            return None;
        }
        let round = *self.round(head.hash, head.port, head.issued);
        // Where it takes its beats faster than they come they must be there.
        let from = if round.spacing >= timing.arrival {
            head.first_beat
        } else {
            head.first_beat.max(head.complete)
        };
        Some((from, round))
    }

    /// When it may act after cycle `now`, as far as that is known.
    fn wake(&self, now: u64, buffers: &mut [Buffer]) -> u64 {
        if let Some(adders) = &self.adders {
            let new_from = [0, 1].map(|port| {
                let candidate = self.candidate(now, port, buffers);
                candidate.map_or(u64::MAX, |(from, _)| from)
            });
            return adders.wake(now, new_from);
        }
        let from_head = self.queue.front().map_or(u64::MAX, |head| {
            let next = self.next_round(head).map(|(from, _)| from);
            next.unwrap_or(head.first_beat.max(head.complete))
        });
        let mut from = from_head;
        // One on its last visit that waits for room, which there is when the head leaves, keeps the others out.
        let mut until = u64::MAX;
        for port in [1, 0] {
            if let Some((time, _)) = self.candidate(now, port, buffers) {
                if self.has_room(0) {
                    if time < until {
                        from = from.min(time);
                    }
                } else {
                    until = time;
                }
            }
        }
        align(from.max(self.slots.end).max(now + 1), self.grid)
    }

    /// What happens in cycle `now`. Returns the buffers that states left for, by port, and the one that a state came
    /// from.
    fn step(&mut self, now: u64, buffers: &mut [Buffer]) -> [Option<usize>; 3] {
        if self.adders.is_some() {
            return self.step_adders(now, buffers);
        }
        if now < self.slots.end || !now.is_multiple_of(self.grid) {
            return [None; 3];
        }
        let head = self.queue.front().copied();
        let next = head.and_then(|head| Some((head, self.next_round(&head)?)));
        if let Some((mut head, (from, round))) = next
            && from <= now
        {
            self.queue.pop_front();
            self.slots
                .begin(now, round.cycles, Some((head.issued, head.port)));
            head.issued += 1;
            head.first_beat = now + round.first_beat;
            head.complete = now + round.complete;
            self.queue.push_back(head);
            return [None; 3];
        }
        let leaving =
            head.filter(|head| next.is_none() && head.first_beat <= now && head.complete <= now);
        let leaving_beats = leaving.map_or(0, |head| self.timings[head.hash.set].beats);
        let candidates = [0, 1].map(|port| {
            let candidate = self.candidate(now, port, buffers);
            candidate.filter(|(from, _)| *from <= now)
        });
        // One that waits for room on its last visit keeps the others out.
        let port = usize::from(candidates[1].is_some());
        let entering = candidates[port]
            .map(|(_, hash)| hash)
            .filter(|_| self.has_room(leaving_beats));
        let round = entering.map(|hash| *self.round(hash, port, 0));
        let mut moved = [None; 3];
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
            let output = self.outputs[head.port];
            buffers[output].push(now, now + (beats - 1) * spacing, head.hash);
            moved[head.port] = Some(output);
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
            moved[2] = Some(input);
            let cycles = round.cycles.max(leaving_beats);
            self.slots.begin(now, cycles, Some((0, port)));
        } else if leaving.is_some() {
            self.slots.begin(now, leaving_beats, None);
        }
        moved
    }

    /// The same where layers are made by adders.
    fn step_adders(&mut self, now: u64, buffers: &mut [Buffer]) -> [Option<usize>; 3] {
        let new = [0, 1].map(|port| {
            let candidate = self.candidate(now, port, buffers);
            let there = candidate.filter(|(from, _)| *from <= now);
            there.map(|(_, hash)| (hash.set, hash))
        });
        let Some(adders) = &mut self.adders else {
            return [None; 3];
        };
        let cycle = adders.step(now, new);
        let mut moved = [None; 3];
        for (port, leaving) in cycle.left.into_iter().enumerate() {
            if let Some((first, last, hash)) = leaving {
                let output = self.outputs[port];
                buffers[output].push(first, last, hash);
                moved[port] = Some(output);
            }
        }
        let entered = cycle.entered.and_then(|port| Some((port, new[port]?)));
        if let Some((port, (set, _))) = entered {
            let beats = self.timings[set].beats;
            buffers[self.outputs[port]].reserve(beats);
            let input = self.inputs[port].unwrap_or_default();
            buffers[input].take(now + beats - 1, beats);
            moved[2] = Some(input);
        }
        if let Some(pass) = cycle.issued {
            // All states have as many beats.
            self.slots.begin(now, self.most_beats, Some(pass));
        }
        moved
    }

    /// Lists all that its future depends on.
    fn survey(&mut self, survey: &mut Survey<'_>) {
        survey.grid(self.grid);
        survey.number(self.inside);
        survey.number(self.queue.len() as u64);
        for inside in &mut self.queue {
            survey.due(&mut inside.first_beat);
            survey.due(&mut inside.complete);
            survey.number(inside.port as u64);
            survey.number(inside.issued.into());
            inside.hash.survey(survey);
        }
        survey.due(&mut self.slots.end);
        if let Some(adders) = &mut self.adders {
            adders.survey(survey, Hash::survey);
        }
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

/// What an engine hashes: the numbers of its parameter sets in tags, their registers, and whether each begins with a
/// layer without S-boxes.
#[derive(Clone, Debug)]
pub(super) struct Programs {
    pub(super) numbers: Vec<usize>,
    pub(super) sets: Vec<ChipRegisters>,
    pub(super) layers_first: Vec<bool>,
}

/// A hash engine that mixes parameter sets. It goes from event to event; [`MixedEngine::cycle`] takes a clock cycle
/// at a time.
#[derive(Clone, Debug)]
pub struct MixedEngine {
    /// Of [`MixedEngine::cycle`] alone.
    now: u64,
    /// The numbers of the sets in tags.
    numbers: Vec<usize>,
    /// Beats of a state, beats of a final state, and words of a digest, of each set.
    shapes: Vec<(u64, u64, u32)>,
    buffers: Vec<Buffer>,
    /// The blocks that fill and empty each buffer.
    neighbours: Vec<Blocks>,
    final_buffer: usize,
    sub_engines: [Option<MixedSubEngine>; SUB_ENGINES],
    exit: Option<MixedExit>,
    /// When each block may act, and the earliest of these.
    wake: [u64; BLOCKS],
    next: u64,
    pages: VecDeque<Page>,
    page_releases: VecDeque<u64>,
    filling: Option<Page>,
    /// When the page before is read.
    reading_until: u64,
    digest: Option<Digest>,
    /// When the reader can take a state.
    reader_from: u64,
    /// Permutations that began.
    begun: u64,
}

impl MixedEngine {
    /// An engine with these sub-engines, which mixes the sets with these registers (at least one); with
    /// `runtime_modulus` the pipelines of that. They have one exponent, and rounds on the same sub-engines; all begin
    /// with a round.
    pub fn new(
        sets: &[ChipRegisters],
        num_full: usize,
        num_partial: usize,
        runtime_modulus: bool,
    ) -> Self {
        let none = vec![false; sets.len()];
        Self::with_layers(sets, none, num_full, num_partial, runtime_modulus)
    }

    /// The same where `layers_first` says of each set whether it begins with a layer without S-boxes, which makes a
    /// difference where layers are made by adders.
    pub fn with_layers(
        sets: &[ChipRegisters],
        layers_first: Vec<bool>,
        num_full: usize,
        num_partial: usize,
        runtime_modulus: bool,
    ) -> Self {
        let programs = Programs {
            numbers: (0..sets.len()).collect(),
            sets: sets.to_vec(),
            layers_first,
        };
        let pipelines = Pipelines::new(runtime_modulus);
        Self::with_pipelines(programs, num_full, num_partial, &pipelines)
    }

    /// The same with these pipelines.
    pub(super) fn with_pipelines(
        programs: Programs,
        num_full: usize,
        num_partial: usize,
        pipelines: &Pipelines,
    ) -> Self {
        let Programs {
            numbers,
            sets,
            layers_first,
        } = programs;
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
                let [first, last] = set.passes;
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
            let mut sub_engine =
                MixedSubEngine::new(full_grid, timings, pipelines, inputs, outputs);
            if shapes.iter().any(|shape| shape.adders) {
                let passes =
                    (sets.iter().zip(&shapes).enumerate()).map(|(number, (set, &shape))| {
                        let layer_first = layers_first.get(number).copied().unwrap_or_default();
                        SetPasses::new(shape, set.passes, layer_first)
                    });
                let adders = AdderLoop::new(passes.collect(), pipelines);
                sub_engine.adders = Some(Box::new(adders));
            }
            Some(sub_engine)
        };
        if num_full == 1 {
            sub_engines[0] = full([Some(0), Some(link)]);
        } else {
            sub_engines[0] = full([Some(0), None]);
            sub_engines[SECOND_FULL] = full([None, Some(link)]);
        }
        let mut neighbours: Vec<Blocks> = vec![0; buffers.len()];
        neighbours[0] |= 1 << LOADER;
        neighbours[final_buffer] |= 1 << LOADER | 1 << READER;
        for (number, sub_engine) in sub_engines.iter().enumerate() {
            if let Some(sub_engine) = sub_engine {
                let used = [0, 1].map(|port| sub_engine.inputs[port].map(|_| port));
                for port in used.into_iter().flatten() {
                    neighbours[sub_engine.outputs[port]] |= 1 << number;
                    neighbours[sub_engine.inputs[port].unwrap_or_default()] |= 1 << number;
                }
            }
        }
        if let Some(exit) = exit {
            neighbours[exit.input] |= 1 << EXIT;
            neighbours[exit.output] |= 1 << EXIT;
        }
        Self {
            now: 0,
            numbers,
            shapes: sets
                .iter()
                .zip(&shapes)
                .map(|(set, shape)| {
                    let (beats, last) = (shape.beats() as u64, shape.last_beats() as u64);
                    (beats, last, set.digest_words)
                })
                .collect(),
            buffers,
            neighbours,
            final_buffer,
            sub_engines,
            exit,
            wake: [u64::MAX; BLOCKS],
            next: u64::MAX,
            pages: VecDeque::new(),
            page_releases: VecDeque::new(),
            filling: None,
            reading_until: 0,
            digest: None,
            reader_from: 0,
            begun: 0,
        }
    }

    /// A clock cycle, in which a word is offered or none, and a digest word would be taken or not.
    pub fn cycle(&mut self, word: Option<MixedWord>, ready: bool) -> MixedOutput {
        let now = self.now;
        let output = MixedOutput {
            ready: self.is_ready(now),
            digest: (self.digest.filter(|digest| digest.from <= now))
                .map(|digest| (digest.hash, digest.words_left == 1)),
        };
        if let Some(word) = word.filter(|_| output.ready) {
            self.take(now, word);
        }
        self.step(now);
        if ready && output.digest.is_some() {
            self.leave_word(now);
        }
        self.now += 1;
        output
    }

    /// Cycles until now in which each sub-engine was occupied.
    pub fn busy(&self) -> [u64; SUB_ENGINES] {
        self.busy_before(self.now)
    }

    /// Cycles before `end` in which each sub-engine was occupied.
    pub(super) fn busy_before(&self, end: u64) -> [u64; SUB_ENGINES] {
        let busy = |sub_engine: &Option<MixedSubEngine>| {
            let sub_engine = sub_engine.as_ref();
            sub_engine.map_or(0, |sub_engine| sub_engine.slots.busy_before(end))
        };
        std::array::from_fn(|number| busy(&self.sub_engines[number]))
    }

    /// Permutations that have begun.
    pub(super) fn begun(&self) -> u64 {
        self.begun
    }

    /// Records the slots of all sub-engines from now on.
    pub(super) fn record(&mut self) {
        for sub_engine in self.sub_engines.iter_mut().flatten() {
            sub_engine.slots.record();
        }
    }

    /// The slots of each sub-engine since the last call.
    pub(super) fn recorded(&mut self) -> [Vec<Slot>; SUB_ENGINES] {
        std::array::from_fn(|number| {
            let sub_engine = self.sub_engines[number].as_mut();
            sub_engine.map_or_else(Vec::new, |sub_engine| sub_engine.slots.recorded())
        })
    }

    // ---- Words in and out ---------------------------------------------------------------------------

    /// Whether a word can be taken in cycle `now`.
    pub(super) fn is_ready(&mut self, now: u64) -> bool {
        while self.page_releases.front().is_some_and(|&from| from <= now) {
            self.page_releases.pop_front();
        }
        self.pages.len() + self.page_releases.len() < PAGES
    }

    /// When a word can be taken, as far as that is known.
    pub(super) fn ready_from(&mut self, now: u64) -> u64 {
        if self.is_ready(now) {
            return now;
        }
        self.page_releases.front().copied().unwrap_or(u64::MAX)
    }

    /// Takes a word of a block in cycle `now`.
    pub(super) fn take_word(&mut self, now: u64, word: Word) {
        let word = MixedWord {
            first_block: word.first_block,
            end: word.end,
            hash: Hash::new(word.tag, &self.numbers),
        };
        self.take(now, word);
    }

    fn take(&mut self, now: u64, word: MixedWord) {
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
            self.wake_earlier(LOADER, now);
        }
    }

    /// The tag of the digest of which a word is offered in cycle `now`, and whether that word is its last.
    pub(super) fn offer(&self, now: u64) -> Option<(Tag, bool)> {
        let digest = self.digest.filter(|digest| digest.from <= now)?;
        Some((Tag(digest.hash.payload), digest.words_left == 1))
    }

    /// When the next word is offered, as far as that is known.
    pub(super) fn offer_from(&self) -> u64 {
        self.digest.map_or(u64::MAX, |digest| digest.from)
    }

    /// The word on offer is taken in cycle `now`, after all else that happens in it.
    pub(super) fn leave_word(&mut self, now: u64) {
        let Some(digest) = self.digest else {
            return;
        };
        self.digest = (digest.words_left != 1).then(|| Digest {
            words_left: digest.words_left - 1,
            from: now + 2,
            ..digest
        });
        self.reader_from = now + 1;
        self.wake_earlier(READER, now);
    }

    // ---- Cycles -------------------------------------------------------------------------------------

    /// Every block may act in cycle `now`, whatever is known of it.
    #[cfg(test)]
    pub(super) fn poll(&mut self, now: u64) {
        self.advance_exit(now);
        self.wake = [now; BLOCKS];
        self.next = now;
    }

    /// When a block may act next.
    pub(super) fn next(&self) -> u64 {
        self.next
    }

    /// What happens in cycle `now`. Returns whether that may matter outside: the loader or the reader was at work.
    #[inline]
    pub(super) fn step(&mut self, now: u64) -> bool {
        self.next <= now && self.step_blocks(now)
    }

    fn step_blocks(&mut self, now: u64) -> bool {
        // What a block does in a cycle does not depend on what the others do in it.
        let mut changed: Blocks = 0;
        for number in 0..SUB_ENGINES {
            if self.wake[number] > now {
                continue;
            }
            changed |= 1 << number;
            if let Some(sub_engine) = &mut self.sub_engines[number] {
                let buffers = sub_engine.step(now, &mut self.buffers);
                for buffer in buffers.into_iter().flatten() {
                    changed |= self.neighbours[buffer];
                }
            }
        }
        let mut acted = false;
        if self.wake[LOADER] <= now {
            let blocks = self.step_loader(now);
            acted |= blocks != 0;
            changed |= blocks | 1 << LOADER;
        }
        if self.wake[READER] <= now {
            let blocks = self.step_reader(now);
            acted |= blocks != 0;
            changed |= blocks | 1 << READER;
        }
        if changed >> EXIT & 1 != 0 {
            changed |= self.advance_exit(now);
        }
        let mut left = changed & ((1 << BLOCKS) - 1);
        while left != 0 {
            let block = left.trailing_zeros() as usize;
            left &= left - 1;
            self.wake[block] = self.wake_of(block, now);
        }
        self.next = self.wake.iter().copied().fold(u64::MAX, u64::min);
        acted
    }

    /// When a block may act after cycle `now`, as far as that is known.
    fn wake_of(&mut self, block: usize, now: u64) -> u64 {
        let wake = match block {
            LOADER => self.load_from(now),
            READER => self.read_from(),
            number => match &self.sub_engines[number] {
                Some(sub_engine) => return sub_engine.wake(now, &mut self.buffers),
                None => u64::MAX,
            },
        };
        wake.max(now + 1)
    }

    /// Something happened in cycle `now` for which a block may act earlier.
    fn wake_earlier(&mut self, block: usize, now: u64) {
        let wake = self.wake_of(block, now).min(self.wake[block]);
        self.wake[block] = wake;
        self.next = self.next.min(wake);
    }

    /// Computes the starts of all states at the exit that have become known. Returns the blocks for which that
    /// matters.
    fn advance_exit(&mut self, now: u64) -> Blocks {
        let mut changed = 0;
        let Some(exit) = self.exit else {
            return changed;
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
            changed = self.neighbours[exit.input] | self.neighbours[exit.output];
        }
        changed
    }

    /// The state at the head of the last buffer, and when it is there, if it is to go round once more, or if it is
    /// not.
    fn final_state(&self, continues: bool) -> Option<(u64, Hash)> {
        let head = self.buffers[self.final_buffer].head();
        head.filter(|(_, hash)| hash.continues == continues)
    }

    fn take_final(&mut self, now: u64, hash: Hash, beats: u64) {
        let reserved = self.shapes[hash.set].0;
        self.buffers[self.final_buffer].take(now + beats - 1, reserved);
    }

    /// When the loader can read a page, as far as that is known.
    fn load_from(&mut self, now: u64) -> u64 {
        let Some(&page) = self.pages.front() else {
            return u64::MAX;
        };
        let beats = self.shapes[page.hash.set].0;
        let ready = self.reading_until.max(page.full_from);
        let available = self.buffers[0].available_from(now, beats);
        let state = if page.first_block {
            0
        } else {
            self.final_state(true).map_or(u64::MAX, |(from, _)| from)
        };
        ready.max(available).max(state)
    }

    /// Returns the blocks for which it matters that a page is read, or none if it is not.
    fn step_loader(&mut self, now: u64) -> Blocks {
        if self.load_from(now) > now {
            return 0;
        }
        let Some(page) = self.pages.pop_front() else {
            return 0;
        };
        let mut changed = self.neighbours[0];
        let beats = self.shapes[page.hash.set].0;
        if let Some((_, hash)) = self.final_state(true).filter(|_| !page.first_block) {
            self.take_final(now, hash, beats);
            changed |= self.neighbours[self.final_buffer];
        }
        self.begun += 1;
        self.buffers[0].reserve(beats);
        let first = now + LOAD_CYCLES;
        self.buffers[0].push(first, first + beats - 1, page.hash);
        self.reading_until = now + beats;
        self.page_releases.push_back(self.reading_until);
        changed
    }

    /// When the reader can take a state, as far as that is known.
    fn read_from(&self) -> u64 {
        match self.final_state(false) {
            Some((from, _)) if self.digest.is_none() => from.max(self.reader_from),
            _ => u64::MAX,
        }
    }

    /// Returns the blocks for which it matters that a state is taken, or none if none is.
    fn step_reader(&mut self, now: u64) -> Blocks {
        if self.read_from() > now {
            return 0;
        }
        let Some((_, hash)) = self.final_state(false) else {
            return 0;
        };
        let (_, beats, words) = self.shapes[hash.set];
        self.take_final(now, hash, beats);
        // One cycle to fetch a word, after the beats.
        self.digest = Some(Digest {
            hash,
            words_left: words,
            from: now + beats + 1,
        });
        self.neighbours[self.final_buffer]
    }

    // ---- Strides ------------------------------------------------------------------------------------

    /// Notes the state in cycle `now`, with times relative to it and numbers of groups to the youngest ones.
    pub(super) fn note(&mut self, now: u64, youngest: &[u16], values: &mut Vec<u64>) {
        // What is free by now is so whether somebody has looked or not.
        self.is_ready(now);
        for buffer in &mut self.buffers {
            buffer.available_from(now, 0);
        }
        self.survey(&mut Survey::Note {
            now,
            youngest,
            values,
        });
    }

    /// The engine does the same so many cycles later, where the state that is noted is the same.
    pub(super) fn shift(&mut self, cycles: u64) {
        self.survey(&mut Survey::Shift(cycles));
    }

    /// Lists all that its future depends on.
    fn survey(&mut self, survey: &mut Survey<'_>) {
        (self.wake.iter_mut()).for_each(|wake| survey.time(wake));
        survey.time(&mut self.next);
        survey.number(self.pages.len() as u64);
        for page in (self.pages.iter_mut()).chain(&mut self.filling) {
            survey.due(&mut page.full_from);
            survey.number(page.first_block.into());
            page.hash.survey(survey);
        }
        survey.number(self.filling.is_some().into());
        survey.number(self.page_releases.len() as u64);
        (self.page_releases.iter_mut()).for_each(|release| survey.time(release));
        survey.due(&mut self.reading_until);
        survey.due(&mut self.reader_from);
        survey.number(self.digest.is_some().into());
        if let Some(digest) = &mut self.digest {
            digest.hash.survey(survey);
            survey.number(digest.words_left.into());
            survey.due(&mut digest.from);
        }
        (self.buffers.iter_mut()).for_each(|buffer| buffer.survey(survey));
        for sub_engine in self.sub_engines.iter_mut().flatten() {
            sub_engine.survey(survey);
        }
    }

    /// All that is counted.
    pub(super) fn totals(&mut self) -> Vec<&mut u64> {
        let sub_engines = self.sub_engines.iter_mut().flatten();
        std::iter::once(&mut self.begun)
            .chain(sub_engines.map(|sub_engine| &mut sub_engine.slots.busy))
            .collect()
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
    } else if (shapes.iter()).any(|shape| shape.alpha == 7 && !shape.goldilocks) {
        2
    } else {
        1
    };
    (full.unwrap_or(1), partial)
}

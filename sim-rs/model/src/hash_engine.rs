//! A hash engine: the loader of initial states, the ring of sub-engines, and the reader of digests.

use std::collections::VecDeque;

use super::buffer::StateBuffer;
use super::exit::Exit;
use super::sub_engine::SubEngine;
use super::survey::{Survey, relative};
use super::tree::Group;
use super::visits::{Advance, PartialVisits};
use crate::latencies::{self, Pipelines};
use acclmt_driver::program::{ChipRegisters, SUB_ENGINES};
use acclmt_driver::timeline::Slot;

/// What accompanies a hash: its set, whether its state goes round once more, and the group of siblings that the
/// digest belongs to, if its place is reserved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tag(pub(super) u32);

impl Tag {
    /// Bits of the number of the group, and the lowest one of its level.
    const NUMBER: u32 = 0xFFFF;
    const LEVEL_LSB: u32 = 16;
    const LEVEL: u32 = 0x3F;
    const HAS_GROUP: u32 = 1 << 24;
    const NODE: u32 = 1 << 25;
    const CONTINUES: u32 = 1 << 26;
    const SET_LSB: u32 = 27;

    /// A row whose digest gets its place when it comes; `continues`: its state goes round once more.
    pub(super) fn row(continues: bool) -> Self {
        Self(if continues { Self::CONTINUES } else { 0 })
    }

    /// A row whose digest is written to this group.
    pub(super) fn reserved_row(group: Group) -> Self {
        let place = group.level << Self::LEVEL_LSB | u32::from(group.number);
        Self(place | Self::HAS_GROUP)
    }

    /// A node that is hashed with this parameter set, and written to this group.
    pub(super) fn node(group: Group, set: usize) -> Self {
        Self(Self::reserved_row(group).0 | Self::NODE | (set as u32) << Self::SET_LSB)
    }

    /// The number of its parameter set: that of a row is the first one.
    pub(super) fn set(self) -> usize {
        (self.0 >> Self::SET_LSB) as usize
    }

    pub(super) fn continues(self) -> bool {
        self.0 & Self::CONTINUES != 0
    }

    /// Whether it is the hash of a node, and not of a row.
    pub(super) fn is_node(self) -> bool {
        self.0 & Self::NODE != 0
    }

    /// The group that the digest is written to.
    pub(super) fn group(self) -> Group {
        Group {
            level: self.0 >> Self::LEVEL_LSB & Self::LEVEL,
            number: (self.0 & Self::NUMBER) as u16,
        }
    }

    /// The tag with the number of its group relative to that of the youngest one of its level.
    pub(super) fn relative(self, youngest: &[u16]) -> u64 {
        let group = self.group();
        let number = youngest
            .get(group.level as usize)
            .filter(|_| self.0 & Self::HAS_GROUP != 0)
            .map_or(group.number, |youngest| youngest.wrapping_sub(group.number));
        u64::from(self.0 & !Self::NUMBER | u32::from(number))
    }
}

/// What a word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Word {
    /// Of the first block of a row; the last word of its block.
    pub(super) first_block: bool,
    pub(super) end: bool,
    pub(super) tag: Tag,
}

/// Number of the second full-round sub-engine.
const SECOND_FULL: usize = SUB_ENGINES - 1;

/// Pages of the loader: one is filled while the other is read.
const PAGES: u64 = 2;

/// Cycles from the read of a beat to the loader's buffer: an element is added to the state and to a constant.
pub(super) const LOAD_CYCLES: u64 = 1 + 2 * latencies::ADD;

/// Blocks that act at times of their own: the sub-engines, then these.
const LOADER: usize = SUB_ENGINES;
const READER: usize = SUB_ENGINES + 1;
pub(super) const BLOCKS: usize = SUB_ENGINES + 2;

/// The exit, which acts at no time of its own: what it does is computed ahead.
const EXIT: usize = BLOCKS;

/// The words of a permutation.
#[derive(Clone, Copy, Debug)]
struct Page {
    /// From when on they can be read.
    full_from: u64,
    first_block: bool,
    tag: Tag,
}

#[derive(Clone, Debug)]
pub(super) struct HashEngine {
    beats: u64,
    /// Beats of a final state.
    digest_beats: u64,
    digest_words: u32,
    /// Cycles from the read of a beat to the loader's buffer.
    load_cycles: u64,
    buffers: Vec<StateBuffer>,
    /// The block that fills each buffer.
    producers: Vec<usize>,
    /// The block that empties it; the last one is emptied by the reader or the loader.
    consumers: Vec<usize>,
    final_buffer: usize,
    /// The sub-engine of the last full rounds.
    last_full: usize,
    /// The sub-engines that act at times of their own.
    sub_engines: [Option<SubEngine>; SUB_ENGINES],
    /// The numbers of those that there are.
    present: Vec<usize>,
    /// The partial-round sub-engines whose visits are computed ahead, in the order of the ring, and the
    /// number of each among the sub-engines.
    chain: Option<PartialVisits>,
    chain_numbers: Vec<usize>,
    /// The exit from the recurrence, if there is one.
    exit: Option<Exit>,
    /// When each block may act.
    wake: [u64; BLOCKS],
    /// The earliest of these.
    next: u64,
    /// Pages that are full; those that are taken, some of them up to a time.
    pages: VecDeque<Page>,
    pages_taken: u64,
    /// Since when there is a page that is not taken, if there is one.
    ready_since: u64,
    page_releases: VecDeque<u64>,
    /// Of the page that is filled.
    filling: Option<(bool, Tag)>,
    /// When the page before is read.
    reading_until: u64,
    /// Tags of the states inside.
    tags: VecDeque<Tag>,
    /// The digest that is read: its tag, words that are left, and when the next one is offered.
    digest: Option<(Tag, u32, u64)>,
    /// When the reader can take a state.
    reader_from: u64,
    /// Permutations that began.
    pub(super) begun: u64,
}

impl HashEngine {
    /// The engine with these registers, whose program may begin with a layer without S-boxes. With `slots` every
    /// slot is a step, which gives the same times and takes longer.
    pub(super) fn new(
        registers: &ChipRegisters,
        layer_first: bool,
        num_full: usize,
        num_partial: usize,
        pipelines: &Pipelines,
        slots: bool,
    ) -> Self {
        let shape = registers.shape();
        let beats = shape.beats() as u64;
        let limit = pipelines.places / beats;
        let mut buffers = vec![StateBuffer::new(latencies::LOADER_PLACES / beats)];
        let mut producers = vec![LOADER];
        let mut buffer = |producer| {
            buffers.push(StateBuffer::new(limit));
            producers.push(producer);
            buffers.len() - 1
        };
        let mut sub_engines = [const { None }; SUB_ENGINES];
        let partial = registers.partial_rounds;
        let mut link = buffer(0);
        let first_link = link;
        // One without rounds passes states through.
        let mut chain_numbers: Vec<_> = (1..=num_partial)
            .filter(|&number| partial[number] != 0)
            .collect();
        let mut chain = None;
        if slots {
            for number in chain_numbers.drain(..) {
                let output = buffer(number);
                let rounds = partial[number];
                let sub_engine = SubEngine::partial(shape, pipelines, rounds, link, output);
                sub_engines[number] = Some(sub_engine);
                link = output;
            }
        } else if let Some(&last) = chain_numbers.last() {
            let output = buffer(last);
            let rounds: Vec<_> = (chain_numbers.iter())
                .map(|&number| partial[number])
                .collect();
            let visits = SubEngine::partial_visits(shape, pipelines, &rounds, link, output);
            chain = Some(visits);
            link = output;
        }
        let one_full = num_full == 1;
        let final_buffer = buffer(if one_full { 0 } else { SECOND_FULL });
        let exit = shape.recurrent.then(|| {
            let output = buffers.len();
            buffers.push(Exit::buffer(beats));
            producers.push(EXIT);
            let exit = Exit::new(beats, pipelines, link, output);
            link = output;
            exit
        });
        let full = |passes, inputs| {
            let outputs = [first_link, final_buffer];
            Some(SubEngine::full(
                shape,
                pipelines,
                passes,
                layer_first,
                inputs,
                outputs,
                slots,
            ))
        };
        if one_full {
            sub_engines[0] = full(registers.passes, [Some(0), Some(link)]);
        } else {
            sub_engines[0] = full(registers.passes, [Some(0), None]);
            sub_engines[SECOND_FULL] = full(registers.passes, [None, Some(link)]);
        }
        let mut consumers = vec![READER; buffers.len()];
        for (number, sub_engine) in sub_engines.iter().enumerate() {
            let inputs = sub_engine
                .iter()
                .flat_map(|sub_engine| [0, 1].map(|port| sub_engine.input(port)));
            for input in inputs.flatten() {
                consumers[input] = number;
            }
        }
        for (visits, &number) in chain.iter().zip(&chain_numbers) {
            consumers[visits.input] = number;
        }
        if let Some(exit) = &exit {
            consumers[exit.input] = EXIT;
        }
        Self {
            beats,
            digest_beats: shape.last_beats() as u64,
            last_full: if one_full { 0 } else { SECOND_FULL },
            digest_words: registers.digest_words,
            load_cycles: LOAD_CYCLES,
            buffers,
            producers,
            consumers,
            final_buffer,
            present: (0..SUB_ENGINES)
                .filter(|&number| sub_engines[number].is_some())
                .collect(),
            sub_engines,
            chain,
            chain_numbers,
            exit,
            wake: [u64::MAX; BLOCKS],
            next: u64::MAX,
            pages: VecDeque::new(),
            pages_taken: 0,
            ready_since: 0,
            page_releases: VecDeque::new(),
            filling: None,
            reading_until: 0,
            tags: VecDeque::new(),
            digest: None,
            reader_from: 0,
            begun: 0,
        }
    }

    /// Records the slots of all sub-engines from now on.
    pub(super) fn record(&mut self) {
        self.sub_engines
            .iter_mut()
            .flatten()
            .for_each(SubEngine::record);
    }

    /// The slots of each sub-engine since the last call.
    pub(super) fn recorded(&mut self) -> [Vec<Slot>; SUB_ENGINES] {
        std::array::from_fn(|number| {
            let sub_engine = self.sub_engines[number].as_mut();
            sub_engine.map(SubEngine::recorded).unwrap_or_default()
        })
    }

    /// Cycles before `end` in which each sub-engine was occupied.
    pub(super) fn busy_before(&self, end: u64) -> [u64; SUB_ENGINES] {
        let mut busy = std::array::from_fn(|number| {
            let sub_engine = self.sub_engines[number].as_ref();
            sub_engine.map_or(0, |sub_engine| sub_engine.busy_before(end))
        });
        let chain = self.chain.iter().flat_map(|chain| chain.busy_before(end));
        for (&number, cycles) in self.chain_numbers.iter().zip(chain) {
            busy[number] = cycles;
        }
        busy
    }

    // ---- Periods -----------------------------------------------------------------------------------

    /// Lists all that the future depends on after cycle `now`.
    fn survey(&mut self, now: u64, survey: &mut Survey<'_>) {
        (self.wake.iter_mut()).for_each(|wake| survey.time(wake));
        survey.time(&mut self.next);
        survey.number(self.pages_taken);
        survey.time(&mut self.ready_since);
        survey.number(self.pages.len() as u64);
        for page in &mut self.pages {
            survey.time(&mut page.full_from);
            survey.number(page.first_block.into());
            survey.tag(page.tag);
        }
        survey.number(self.page_releases.len() as u64);
        (self.page_releases.iter_mut()).for_each(|release| survey.time(release));
        survey.time(&mut self.reading_until);
        survey.time(&mut self.reader_from);
        survey.number(self.filling.is_some().into());
        if let Some((first_block, tag)) = self.filling {
            survey.number(first_block.into());
            survey.tag(tag);
        }
        survey.number(self.digest.is_some().into());
        if let Some((tag, words, from)) = &mut self.digest {
            survey.tag(*tag);
            survey.number((*words).into());
            survey.time(from);
        }
        survey.number(self.tags.len() as u64);
        (self.tags.iter()).for_each(|&tag| survey.tag(tag));
        (self.buffers.iter_mut()).for_each(|buffer| buffer.survey(survey));
        for sub_engine in self.sub_engines.iter_mut().flatten() {
            sub_engine.survey(survey);
        }
        if let Some(chain) = &mut self.chain {
            chain.survey(now, survey);
        }
    }

    /// Notes the state in cycle `now`, with times relative to it and numbers of groups to the youngest ones.
    pub(super) fn note(&mut self, now: u64, youngest: &[u16], values: &mut Vec<u64>) {
        let mut survey = Survey::Note {
            now,
            youngest,
            values,
        };
        self.survey(now, &mut survey);
    }

    /// A small part of what [`HashEngine::note`] notes.
    pub(super) fn wakes(&self, now: u64) -> [u64; BLOCKS] {
        self.wake.map(|wake| relative(wake, now))
    }

    /// The engine does the same so many cycles later, where the state that is noted is the same.
    pub(super) fn shift(&mut self, cycles: u64) {
        self.survey(0, &mut Survey::Shift(cycles));
    }

    /// All that is counted.
    pub(super) fn totals(&mut self) -> Vec<&mut u64> {
        let sub_engines = self.sub_engines.iter_mut().flatten();
        std::iter::once(&mut self.begun)
            .chain(sub_engines.map(SubEngine::total))
            .chain(self.chain.iter_mut().flat_map(PartialVisits::totals))
            .collect()
    }

    // ---- Words in ----------------------------------------------------------------------------------

    /// Whether a word can be taken in cycle `now`.
    pub(super) fn is_ready(&mut self, now: u64) -> bool {
        while let Some(&from) = self.page_releases.front().filter(|&&from| from <= now) {
            self.page_releases.pop_front();
            if self.pages_taken == PAGES {
                self.ready_since = from;
            }
            self.pages_taken -= 1;
        }
        self.pages_taken < PAGES
    }

    /// When a word can be taken, as far as that is known.
    pub(super) fn ready_from(&mut self, now: u64) -> u64 {
        if self.is_ready(now) {
            return now;
        }
        self.page_releases.front().copied().unwrap_or(u64::MAX)
    }

    /// Since when a word can be taken, if that is so.
    pub(super) fn ready_since(&self) -> u64 {
        self.ready_since
    }

    /// Takes a word of a block.
    pub(super) fn take_word(&mut self, now: u64, word: Word) {
        let (first_block, tag) = *self.filling.get_or_insert((word.first_block, word.tag));
        self.ready_since = now + 1;
        if word.end {
            self.filling = None;
            self.pages_taken += 1;
            self.pages.push_back(Page {
                full_from: now + 1,
                first_block,
                tag,
            });
            if self.pages.len() == 1 {
                self.wake_loader(now);
            }
        }
    }

    // ---- Words out ---------------------------------------------------------------------------------

    /// The tag of the digest of which a word is offered in cycle `now`, and whether that word is its last.
    pub(super) fn offer(&self, now: u64) -> Option<(Tag, bool)> {
        let (tag, words, from) = self.digest?;
        (from <= now).then_some((tag, words == 1))
    }

    /// When the next word is offered, as far as that is known.
    pub(super) fn offer_from(&self) -> u64 {
        self.digest.map_or(u64::MAX, |(_, _, from)| from)
    }

    /// The word on offer is taken in cycle `now`.
    pub(super) fn leave_word(&mut self, now: u64) {
        let Some((tag, words, _)) = self.digest else {
            return;
        };
        if words == 1 {
            self.digest = None;
            self.reader_from = now + 1;
            self.wake_reader();
        } else {
            self.digest = Some((tag, words - 1, now + 2));
        }
    }

    // ---- Cycles ------------------------------------------------------------------------------------

    /// A block may act at `time`.
    fn wake(&mut self, block: usize, time: u64) {
        let wake = &mut self.wake[block];
        *wake = time.min(*wake);
        self.next = time.min(self.next);
    }

    /// The loader may act after cycle `now` as soon as its page and a place for it are there.
    fn wake_loader(&mut self, now: u64) {
        if let Some(page) = self.pages.front() {
            let ready = self.reading_until.max(page.full_from);
            let available = self.buffers[0].available_from(now);
            self.wake(LOADER, ready.max(available));
        }
    }

    /// The reader may act as soon as it is free and a final state is there.
    fn wake_reader(&mut self) {
        if self.digest.is_none() {
            let head = self.buffers[self.final_buffer].head_from();
            self.wake(READER, head.max(self.reader_from));
        }
    }

    /// The block that fills a buffer may get a place at `time`, after cycle `now`.
    fn notify_producer(&mut self, buffer: usize, now: u64, time: u64) {
        match self.producers[buffer] {
            LOADER => self.wake_loader(now),
            EXIT => self.advance_exit(now),
            number => self.notify_sub_engine(number, now, time),
        }
    }

    /// The block that empties a buffer has a state there at `time`, after cycle `now`.
    fn notify_consumer(&mut self, buffer: usize, now: u64, time: u64) {
        if buffer != self.final_buffer {
            match self.consumers[buffer] {
                EXIT => self.advance_exit(now),
                number => self.notify_sub_engine(number, now, time),
            }
            return;
        }
        self.wake_reader();
        // The loader waits for it if it is to go round once more.
        if self.pages.front().is_some_and(|page| !page.first_block) {
            self.wake(LOADER, time);
        }
    }

    fn notify_sub_engine(&mut self, number: usize, now: u64, time: u64) {
        if let Some(sub_engine) = &self.sub_engines[number] {
            // It acts no sooner on what happens then.
            if time < self.wake[number] {
                let time = sub_engine.wake(now, time, &mut self.buffers);
                self.wake(number, time);
            }
        } else {
            self.advance_chain(now);
        }
    }

    /// Computes the visits of the chain that have become known in cycle `now`.
    fn advance_chain(&mut self, now: u64) {
        let Some(chain) = &mut self.chain else {
            return;
        };
        let advance = chain.advance(&mut self.buffers);
        let (input, output) = (chain.input, chain.output);
        self.notify_both(advance, input, output, now);
    }

    /// Computes what has become known of the exit in cycle `now`.
    fn advance_exit(&mut self, now: u64) {
        let Some(exit) = self.exit else {
            return;
        };
        let advance = exit.advance(&mut self.buffers);
        self.notify_both(advance, exit.input, exit.output, now);
    }

    /// Something between two buffers was computed ahead in cycle `now`.
    fn notify_both(&mut self, advance: Advance, input: usize, output: usize, now: u64) {
        if let Some(time) = advance.freed {
            self.notify_producer(input, now, time);
        }
        if advance.arrives {
            let head = self.buffers[output].head_from();
            self.notify_consumer(output, now, head);
        }
    }

    /// When a block may act next.
    pub(super) fn next(&self) -> u64 {
        self.next
    }

    /// What happens in cycle `now`. Returns whether that may matter outside: the loader or the reader
    /// was at work.
    #[inline]
    pub(super) fn step(&mut self, now: u64) -> bool {
        self.next <= now && self.step_blocks(now)
    }

    fn step_blocks(&mut self, now: u64) -> bool {
        for position in 0..self.present.len() {
            let number = self.present[position];
            if self.wake[number] <= now {
                self.step_sub_engine(number, now);
            }
        }
        let mut acted = false;
        if self.wake[LOADER] <= now {
            acted |= self.step_loader(now);
        }
        if self.wake[READER] <= now {
            acted |= self.step_reader(now);
        }
        self.next = self.wake.iter().copied().fold(u64::MAX, u64::min);
        acted
    }

    fn step_sub_engine(&mut self, number: usize, now: u64) {
        let Some(sub_engine) = &mut self.sub_engines[number] else {
            return;
        };
        let (step, wake) = sub_engine.step(now, &mut self.buffers);
        let left = [0, 1].map(|port| Some((sub_engine.output(port), step.left[port]?)));
        let freed = (step.freed).and_then(|(port, time)| Some((sub_engine.input(port)?, time)));
        self.wake[number] = wake;
        for (buffer, complete) in left.into_iter().flatten() {
            self.notify_consumer(buffer, now, complete);
        }
        if let Some((buffer, free)) = freed {
            self.notify_producer(buffer, now, free);
        }
    }

    /// Takes the state behind the last round in cycle `now`, whose beats leave one a cycle.
    fn take_last(&mut self, now: u64, beats: u64) -> Tag {
        let buffer = self.final_buffer;
        if let Some(free) = self.buffers[buffer].take(now + beats - 1) {
            self.notify_producer(buffer, now, free);
        }
        let head = self.buffers[buffer].head_from();
        if head != u64::MAX {
            self.notify_consumer(buffer, now, head);
        }
        self.tags.pop_front().unwrap_or_default()
    }

    /// Whether the final state is there in cycle `now`, and is to go round once more.
    fn final_state(&self, now: u64) -> Option<bool> {
        let is_there = self.buffers[self.final_buffer].head_from() <= now;
        let tag = self.tags.front().filter(|_| is_there)?;
        Some(tag.continues())
    }

    /// Whether it read a page.
    fn step_loader(&mut self, now: u64) -> bool {
        self.wake[LOADER] = u64::MAX;
        let Some(&page) = self.pages.front() else {
            return false;
        };
        let ready = self.reading_until.max(page.full_from);
        if ready > now {
            self.wake[LOADER] = ready;
            return false;
        }
        if !self.buffers[0].is_available(now) {
            self.wake[LOADER] = self.buffers[0].available_from(now);
            return false;
        }
        if !page.first_block {
            let head = self.buffers[self.final_buffer].head_from();
            if self.final_state(now) != Some(true) {
                self.wake[LOADER] = if head > now { head } else { u64::MAX };
                return false;
            }
            self.take_last(now, self.beats);
        }
        self.pages.pop_front();
        self.begun += 1;
        self.tags.push_back(page.tag);
        if let Some(last) = &mut self.sub_engines[self.last_full] {
            last.begins(!page.tag.continues());
        }
        self.buffers[0].reserve();
        let first = now + self.load_cycles;
        let complete = self.buffers[0].push(first, first + self.beats - 1);
        self.notify_consumer(0, now, complete);
        self.reading_until = now + self.beats;
        self.page_releases.push_back(self.reading_until);
        self.wake_loader(now);
        true
    }

    /// Whether it took a state.
    fn step_reader(&mut self, now: u64) -> bool {
        self.wake[READER] = u64::MAX;
        if self.digest.is_some() {
            return false;
        }
        if now < self.reader_from {
            self.wake[READER] = self.reader_from;
            return false;
        }
        let head = self.buffers[self.final_buffer].head_from();
        if head > now {
            self.wake[READER] = head;
        } else if self.final_state(now) == Some(false) {
            let tag = self.take_last(now, self.digest_beats);
            // One cycle to fetch a word, after the beats.
            self.digest = Some((tag, self.digest_words, now + self.digest_beats + 1));
            return true;
        }
        false
    }
}

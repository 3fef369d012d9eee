//! A run of the machine: the input stream, the hash engines, the tree, the output stream and the
//! performance counters, cycle by cycle where something happens.

use std::collections::VecDeque;

use super::buffer::{Conversion, Fifo};
use super::engine::Engine;
use super::hash_engine::{Tag, Word};
use super::pool::{Engines, Pool};
use super::strides::{self, Totals, Upper};
use super::survey::Survey;
use super::tree::{FetchedWord, Group, Tree, TreeSetup};
use crate::latencies::{self, Pipelines};
use acclmt_driver::device::{Counters, EngineCounters};
use acclmt_driver::program::{ChipRegisters, ROW_SET, Roles, RowRegisters, SUB_ENGINES};
use acclmt_driver::registers::{MAX_LEVELS, SETS};
use acclmt_driver::timeline::{Recorder, Stall, Timeline};

/// What a run does.
#[derive(Clone, Debug)]
pub(super) struct RunSetup {
    /// The parameter sets: the first one is that of rows, a level of the tree has the number of its own. Those that
    /// the run does not use may be anything.
    pub(super) sets: [ChipRegisters; SETS.len()],
    /// Whether the program of each set begins with a layer without S-boxes, of each hash engine.
    pub(super) layers_first: Vec<[bool; SETS.len()]>,
    pub(super) rows: RowRegisters,
    pub(super) hash_leaves: bool,
    pub(super) leaves: u64,
    pub(super) tree: TreeSetup,
    /// Groups may lack siblings.
    pub(super) pad: bool,
    /// Bit l: nodes of level l go out.
    pub(super) emit: u32,
    pub(super) window: (u32, u32),
    pub(super) num_engines: usize,
    /// What they do, which may be anything for what the run does not do.
    pub(super) roles: Roles,
    /// Hashes that take the same cycles are mixed as others are.
    pub(super) mixes: bool,
    pub(super) num_full: usize,
    pub(super) num_partial: usize,
    pub(super) pipelines: Pipelines,
    /// Every slot of a sub-engine is a step.
    pub(super) slots: bool,
    /// The timeline is recorded, slot by slot.
    pub(super) records: bool,
}

/// Cycles from an error of the data until the run is void: the error is registered, and then that there
/// was one.
const VOID_LATENCY: u64 = 2;

/// A word on its way out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NodeLabel {
    pub(super) level: u32,
    pub(super) index: u32,
    pub(super) last: bool,
    /// The run was void when the word began its way out.
    pub(super) void: bool,
}

/// What the host does in a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Host {
    /// It offers a word.
    pub(super) offers: bool,
    /// It takes a word.
    pub(super) takes: bool,
}

/// What moved at the edges of the chip: words in, and a word out in the last cycle.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Moved {
    pub(super) words: usize,
    pub(super) output: Option<NodeLabel>,
}

/// Which word of which block comes next (`acclmt_input_sequencer`).
#[derive(Clone, Debug)]
struct Sequencer {
    open: bool,
    /// Leaves whose rows have not begun, rows of this group, and what is due.
    leaves_left: u64,
    group: u32,
    row: u32,
    block: u32,
    word: u32,
    blocks: u32,
    most_rows: u32,
    block_words: u32,
    last_words: u32,
}

/// What a word of the input is.
#[derive(Clone, Copy, Debug)]
struct InputLabel {
    first_block: bool,
    last_block: bool,
    block_end: bool,
    /// It belongs to the last row of its group, and to the last row of all.
    last_of_group: bool,
    last_row: bool,
}

impl Sequencer {
    fn new(setup: &RunSetup) -> Self {
        let rows = &setup.rows;
        let (blocks, group, last_words) = if setup.hash_leaves {
            (rows.blocks, rows.group, rows.last_words)
        } else {
            (1, 1, 1)
        };
        let mut sequencer = Self {
            open: false,
            leaves_left: setup.leaves,
            group: 0,
            row: 0,
            block: 0,
            word: 0,
            blocks,
            most_rows: group,
            block_words: setup.sets[ROW_SET].arity,
            last_words,
        };
        sequencer.next_group();
        sequencer
    }

    fn next_group(&mut self) {
        self.open = self.leaves_left != 0;
        self.group = self.leaves_left.min(self.most_rows.into()) as u32;
        self.leaves_left -= u64::from(self.group);
        (self.row, self.block, self.word) = (0, 0, 0);
    }

    /// Places of leaves that the first word of a row needs: those of its group, if it begins one.
    fn places(&self) -> u32 {
        if self.row == 0 { self.most_rows } else { 1 }
    }

    fn label(&self) -> InputLabel {
        let last_block = self.block + 1 == self.blocks;
        let words = if last_block {
            self.last_words
        } else {
            self.block_words
        };
        let last_of_group = self.row + 1 == self.group;
        InputLabel {
            first_block: self.block == 0,
            last_block,
            block_end: self.word + 1 == words,
            last_of_group,
            last_row: last_of_group && self.leaves_left == 0,
        }
    }

    fn take(&mut self) {
        let label = self.label();
        if !label.block_end {
            self.word += 1;
            return;
        }
        self.word = 0;
        self.row += 1;
        if self.row == self.group {
            self.row = 0;
            self.block += 1;
            if label.last_block {
                self.next_group();
            }
        }
    }
}

/// What waits in a cycle, by its number in [`Stall::ALL`]: bits.
type Waits = u8;

/// The bit of a stall, if it holds.
const fn wait_for(stall: Stall, holds: bool) -> Waits {
    (holds as Waits) << stall as u32
}

/// What happens in a cycle, decided by the state before it.
#[derive(Clone, Copy, Debug, Default)]
struct Signals {
    takes_input: bool,
    /// The hash engines that are ready.
    ready: Engines,
    /// A word of a row moves into this hash engine.
    row: Option<usize>,
    /// A word of a leaf is taken, of this hash engine if they are hashed.
    leaf_taken: bool,
    leaf_end: bool,
    leaf_engine: Option<usize>,
    /// The digest of a hash engine is written.
    digest: Option<(usize, Tag)>,
    /// A word of a job is taken, by this hash engine if it is hashed.
    word: Option<FetchedWord>,
    node: Option<usize>,
    waits: Waits,
}

#[derive(Clone, Debug)]
pub(super) struct Machine {
    /// Cycles of the run so far.
    now: u64,
    done: bool,
    sequencer: Sequencer,
    input: Conversion,
    /// The sequencer of the words that hash engines take.
    loads: Sequencer,
    hash_leaves: bool,
    /// Where the leaves of the rows go whose last blocks have not begun, where their places are reserved.
    places: VecDeque<Group>,
    pool: Pool,
    tree: Tree,
    emit: u32,
    /// Leaves of the run, and those that the tree has not got.
    leaves: u64,
    leaves_left: u64,
    /// Words that were taken.
    words: u64,
    /// A run of cycles ends behind a node of this level, and one has come.
    stop_level: Option<u32>,
    is_stopped: bool,
    /// Nodes of each level that went out.
    indices: [u32; MAX_LEVELS],
    node_output: Fifo,
    output_labels: VecDeque<NodeLabel>,
    output: Conversion,
    leaving_labels: VecDeque<NodeLabel>,
    num_partial: usize,
    window: (u32, u32),
    window_begin: Option<(u64, Vec<[u64; SUB_ENGINES]>)>,
    window_end: Option<(u64, Vec<[u64; SUB_ENGINES]>)>,
    leaves_out: u64,
    seen_in: bool,
    seen_leaf: bool,
    seen_out: bool,
    /// All that is counted by itself; the rest is put in when they are read.
    counters: Counters,
    /// What waits, and since when, which is not counted yet.
    waits: Waits,
    waits_since: u64,
    /// A group lacked siblings in a run without padding.
    incomplete: bool,
    pad: bool,
    /// From this cycle on the run is void.
    void_from: Option<u64>,
    recorder: Option<Box<Recorder>>,
}

impl Machine {
    pub(super) fn new(setup: &RunSetup) -> Self {
        let pipelines = &setup.pipelines;
        let mut machine = Self {
            now: 0,
            done: false,
            sequencer: Sequencer::new(setup),
            input: Conversion::new(pipelines.enter),
            loads: Sequencer::new(setup),
            hash_leaves: setup.hash_leaves,
            places: VecDeque::new(),
            pool: Pool::new(setup),
            tree: Tree::new(&setup.tree),
            emit: setup.emit,
            leaves: setup.leaves,
            leaves_left: setup.leaves,
            words: 0,
            stop_level: None,
            is_stopped: false,
            indices: [0; MAX_LEVELS],
            node_output: Fifo::new(latencies::NODE_OUTPUT_DEPTH),
            output_labels: VecDeque::new(),
            output: Conversion::new(pipelines.reduce),
            leaving_labels: VecDeque::new(),
            num_partial: setup.num_partial,
            window: setup.window,
            window_begin: None,
            window_end: None,
            leaves_out: 0,
            seen_in: false,
            seen_leaf: false,
            seen_out: false,
            counters: Counters::default(),
            waits: 0,
            waits_since: 0,
            incomplete: false,
            pad: setup.pad,
            void_from: None,
            recorder: setup.records.then(Box::default),
        };
        if setup.records {
            for engine in &mut machine.pool.engines {
                engine.record();
            }
        }
        machine.update_window(0);
        machine
    }

    /// Permutations that have begun.
    pub(super) fn begun(&self) -> u64 {
        self.pool.begun(self.now)
    }

    /// Words that were taken.
    pub(super) fn words(&self) -> u64 {
        self.words
    }

    /// Cycles of the run so far.
    pub(super) fn cycles(&self) -> u64 {
        self.now
    }

    pub(super) fn is_done(&self) -> bool {
        self.done
    }

    /// Whether a group lacked siblings in a run without padding.
    pub(super) fn is_incomplete(&self) -> bool {
        self.incomplete
    }

    /// An error of the data that happened in the cycle `cycles_ago`, and voids the run two cycles after
    /// that.
    pub(super) fn make_void(&mut self, cycles_ago: u64) {
        let from = (self.now + VOID_LATENCY).saturating_sub(cycles_ago);
        self.void_from = Some(self.void_from.map_or(from, |earlier| earlier.min(from)));
    }

    /// Lets a cycle pass as if something happened in each.
    #[cfg(test)]
    pub(super) fn run_cycle(&mut self, host: Host) -> Moved {
        for engine in &mut self.pool.engines {
            engine.poll(self.now);
        }
        let signals = self.signals(host);
        self.cycle(host, &signals)
    }

    /// What happened since the last call, if that is recorded.
    pub(super) fn timeline(&mut self) -> Option<Timeline> {
        let recorder = self.recorder.as_mut()?;
        let engines = &mut self.pool.engines;
        let slots = [0, 1].map(|number| {
            let engine = engines.get_mut(number);
            engine.map(Engine::recorded).unwrap_or_default()
        });
        Some(recorder.part(self.now, slots, self.done))
    }

    /// Lets up to `cycles` cycles pass, at least one, in which the host does `host`, until up to `words` words,
    /// at least one, have moved in, or one has moved out. Returns how many cycles.
    pub(super) fn run(&mut self, host: Host, cycles: u64, words: usize) -> (u64, Moved) {
        let begin = self.now;
        let end = begin + cycles;
        let mut taken = 0;
        let mut is_due = false;
        loop {
            let signals = self.signals(host);
            if !is_due {
                let next = self.next(host, &signals);
                if next > self.now {
                    let due = next.min(end).min(self.pool.horizon());
                    self.wait(signals.waits);
                    self.now = self.pool.run(due, signals.ready);
                    if self.now == end {
                        let moved = Moved {
                            words: taken,
                            output: None,
                        };
                        return (cycles, moved);
                    }
                    is_due = self.now == next;
                    continue;
                }
            }
            is_due = false;
            let moved = self.cycle(host, &signals);
            taken += moved.words;
            let ends = moved.output.is_some() || self.is_stopped;
            if taken == words || ends || self.now == end {
                let moved = Moved {
                    words: taken,
                    ..moved
                };
                return (self.now - begin, moved);
            }
        }
    }

    /// These waits hold from this cycle on.
    #[inline]
    fn wait(&mut self, waits: Waits) {
        if waits != self.waits {
            self.change_waits(waits);
        }
    }

    fn change_waits(&mut self, waits: Waits) {
        let (now, since) = (self.now, self.waits_since);
        Self::count(self.waits, now - since, &mut self.counters);
        self.waits = waits;
        self.waits_since = now;
        if let Some(recorder) = &mut self.recorder {
            let holds = Stall::ALL.map(|stall| waits & wait_for(stall, true) != 0);
            recorder.stalls(now, holds);
        }
    }

    /// Counts what held for so many cycles.
    fn count(waits: Waits, cycles: u64, counters: &mut Counters) {
        for (counter, stall) in strides::waits(counters).into_iter().zip(Stall::ALL) {
            if waits & wait_for(stall, true) != 0 {
                *counter += cycles;
            }
        }
    }

    /// The next cycle in which something can happen outside the hash engines while the host does `host`.
    fn next(&mut self, host: Host, signals: &Signals) -> u64 {
        let now = self.now;
        let is_taken = signals.leaf_taken || signals.row.is_some() || signals.word.is_some();
        if is_taken || signals.digest.is_some() {
            return now;
        }
        let mut next = u64::MAX;
        let at = |next: &mut u64, time: u64| *next = (*next).min(time);
        // Words in: a word is taken in each cycle in which there is room.
        if signals.takes_input {
            return now;
        }
        let head = self.input.head_from();
        if head > now {
            at(&mut next, head);
        }
        // Nodes out.
        if self.node_output.moves() || (!self.node_output.is_empty() && self.output.is_ready(now)) {
            return now;
        }
        let out = self.output.head_from();
        if out > now {
            at(&mut next, out);
        } else if host.takes {
            return now;
        }
        // The tree takes a job.
        if !self.tree.is_fetching() && self.tree.job().is_some() {
            return now;
        }
        // What hash engines offer, and when they can take words. Whether they wait for a job depends on that, too.
        at(
            &mut next,
            self.pool.changes_from(now, signals.ready, head <= now),
        );
        next.max(now)
    }

    fn signals(&mut self, host: Host) -> Signals {
        let now = self.now;
        self.pool.begin(now);
        let element_valid = self.input.head_from() <= now;
        let leaf = if self.hash_leaves {
            self.pool.leaf(now)
        } else {
            None
        };
        let (leaf_valid, leaf_end) = if self.hash_leaves {
            (leaf.is_some(), leaf.is_some_and(|(_, last)| last))
        } else {
            (element_valid, true)
        };
        let is_tree = self.tree.is_tree();
        let output_ready = self.node_output.is_ready();
        let digest = self.pool.digest(now);
        let leaf_ready = if is_tree {
            // The node memory takes a digest first.
            self.tree.has_leaf_place() && digest.is_none()
        } else {
            output_ready
        };
        let ready = self.pool.ready(now);
        let node_target = self.pool.node_target(ready);
        let offered = (self.tree.word()).filter(|word| !self.goes_out(word) || output_ready);
        let operand = offered.filter(|word| word.is_hashed);
        let word = offered.filter(|word| !word.is_hashed || node_target.is_some());
        // Words of rows.
        let is_row = self.hash_leaves && element_valid;
        let row_target = if is_row {
            self.pool.row_target(ready, operand.and(node_target))
        } else {
            None
        };
        let lacks_place = self.pool.reserves_leaves()
            && self.pool.row_begins()
            && self.loads.label().first_block
            && self.tree.leaf_places() < self.loads.places();
        let input_ready = self.input.is_ready(now);
        let open = self.sequencer.open;
        let stalls_leaf = leaf_valid && !leaf_ready || row_target.is_some() && lacks_place;
        Signals {
            takes_input: host.offers && open && input_ready,
            ready,
            row: row_target.filter(|_| !lacks_place),
            leaf_taken: leaf_valid && leaf_ready,
            leaf_end,
            leaf_engine: leaf.map(|(number, _)| number),
            digest,
            word,
            node: word.filter(|word| word.is_hashed).and(node_target),
            waits: wait_for(Stall::Input, host.offers && open && !input_ready)
                | wait_for(Stall::MissingInput, open && !host.offers)
                | wait_for(Stall::Leaf, stalls_leaf)
                | wait_for(
                    Stall::Root,
                    is_tree
                        && node_target.is_some()
                        && !self.tree.is_fetching()
                        && self.tree.job().is_none(),
                )
                | wait_for(Stall::Output, self.output.head_from() <= now && !host.takes),
        }
    }

    /// Whether a word of a job goes out.
    fn goes_out(&self, word: &FetchedWord) -> bool {
        word.is_node && (!word.is_hashed || self.emit >> word.job.level & 1 != 0)
    }

    /// A cycle passes.
    fn cycle(&mut self, host: Host, signals: &Signals) -> Moved {
        let now = self.now;
        self.wait(signals.waits);
        let mut moved = Moved::default();

        // What the tree decides, before anything changes.
        let job = self.tree.job().filter(|_| !self.tree.is_fetching());

        // Words in.
        if let Some(number) = signals.row {
            let label = self.loads.label();
            self.loads.take();
            self.input.leave(now);
            let mut tag = Tag::row(!label.last_block);
            // The tag of the first word of a block counts.
            if self.pool.reserves_leaves() && self.pool.row_begins() {
                if label.first_block {
                    let place = self.tree.reserve_leaf(label.last_row);
                    self.places.push_back(place);
                }
                if label.last_block {
                    let place = self.places.pop_front().unwrap_or_default();
                    tag = Tag::reserved_row(place);
                }
            }
            let word = Word {
                first_block: label.first_block,
                end: label.block_end,
                tag,
            };
            self.pool.engines[number].take_word(now, word);
            self.pool
                .row_taken(number, label.block_end, label.last_of_group);
        }
        if signals.takes_input {
            self.input.enter(now);
            self.sequencer.take();
            self.words += 1;
            moved.words = 1;
            if !self.seen_in {
                self.counters.cycle_first_in = now;
                self.seen_in = true;
            }
            self.counters.cycle_last_in = now;
        }

        // Nodes out.
        let output_ready = self.output.is_ready(now);
        let accepts = self.node_output.has_head() && output_ready;
        if self.output.head_from() <= now && host.takes {
            self.output.leave(now);
            let label = self.leaving_labels.pop_front();
            moved.output = label;
            if !self.seen_out {
                self.counters.cycle_first_out = now;
                self.seen_out = true;
            }
            self.counters.cycle_last_out = now;
            self.done = label.is_some_and(|label| label.last);
        }
        if accepts {
            self.output.enter(now);
            let void = self.void_from.is_some_and(|from| from <= now);
            let label = self.output_labels.pop_front();
            self.leaving_labels
                .extend(label.map(|label| NodeLabel { void, ..label }));
        }

        // The engines.
        self.pool.step(now);

        // The tree.
        let is_tree = self.tree.is_tree();
        let mut node = None;
        let mut written = None;
        let mut leaf_end = signals.leaf_taken && signals.leaf_end;
        if signals.leaf_taken {
            let last = signals.leaf_end && self.leaves_left == 1;
            self.leaves_left -= u64::from(signals.leaf_end);
            if is_tree {
                written = Some(self.tree.reserve_leaf(last));
            } else {
                node = Some((0, last, signals.leaf_end));
            }
            match signals.leaf_engine {
                Some(number) => self.pool.leaf_taken(now, number, signals.leaf_end),
                None => self.input.leave(now),
            }
        }
        if let Some((number, tag)) = signals.digest {
            let group = tag.group();
            written = Some(group);
            leaf_end |= !tag.is_node();
            self.is_stopped = self.stop_level == Some(group.level);
            self.pool.digest_written(now, number, tag.is_node());
        }
        if let Some(word) = signals.word.filter(|word| self.goes_out(word)) {
            let last = !word.is_hashed && word.job.last && word.is_last;
            node = Some((word.job.level, last, true));
        }
        if let Some((level, last, end)) = node {
            let index = &mut self.indices[level as usize];
            self.output_labels.push_back(NodeLabel {
                level,
                index: *index,
                last,
                void: false,
            });
            *index = index.wrapping_add(end.into());
        }
        self.node_output.cycle(node.is_some(), output_ready);
        if let (Some(number), Some(word)) = (signals.node, signals.word) {
            let end = word.is_last;
            let word = Word {
                first_block: true,
                end,
                tag: Tag::node(word.parent, self.tree.set(word.job)),
            };
            self.pool.engines[number].take_word(now, word);
            self.pool.node_taken(number, end);
        }
        if is_tree {
            if !self.pad && !self.incomplete && job.is_some_and(|job| self.tree.lacks_siblings(job))
            {
                self.incomplete = true;
                self.make_void(0);
            }
            self.tree.cycle(written, job, signals.word);
            if let Some(recorder) = &mut self.recorder {
                if let Some(job) = job.filter(|&job| !self.tree.is_top(job)) {
                    recorder.job(now, job.level);
                }
                recorder.groups(now + 1, self.tree.groups_used());
            }
        }

        if leaf_end {
            if !self.seen_leaf {
                self.counters.cycle_first_leaf = now;
                self.seen_leaf = true;
            }
            self.counters.cycle_last_leaf = now;
            self.leaves_out += 1;
            self.update_window(now + 1);
        }
        self.now += 1;
        moved
    }

    /// Notes what is counted at the begin and at the end of the window; `time` is the cycle from which
    /// on so many leaves are out.
    fn update_window(&mut self, time: u64) {
        let (first, last) = self.window;
        if self.window_begin.is_none() && self.leaves_out >= u64::from(first) {
            self.window_begin = Some((time, self.busy(time)));
        }
        if self.window_end.is_none() && last != 0 && self.leaves_out >= u64::from(last) {
            self.window_end = Some((time, self.busy(time)));
        }
    }

    fn busy(&self, end: u64) -> Vec<[u64; SUB_ENGINES]> {
        self.pool.busy_before(end)
    }

    /// The values of all counters; those of busy cycles, which take long in the midst of a run, if `busy`.
    pub(super) fn counters(&self, busy: bool) -> Counters {
        let end = (self.window_end.clone())
            .or_else(|| busy.then(|| (self.now, self.busy(self.now))))
            .unwrap_or((self.now, Vec::new()));
        let begin = self.window_begin.as_ref().unwrap_or(&end);
        let engine = |number: usize| {
            let at = |busy: &[[u64; SUB_ENGINES]], sub_engine: usize| {
                busy.get(number).map_or(0, |busy| busy[sub_engine])
            };
            let busy =
                |sub_engine: usize| at(&end.1, sub_engine).saturating_sub(at(&begin.1, sub_engine));
            let engine = self.pool.engines.get(number);
            EngineCounters {
                hashes: engine.map_or(0, |engine| engine.begun(self.now)),
                busy_full: busy(0),
                busy_full_last: busy(SUB_ENGINES - 1),
                busy_partial: (1..=self.num_partial).map(busy).collect(),
            }
        };
        let mut counters = self.counters.clone();
        Self::count(self.waits, self.now - self.waits_since, &mut counters);
        Counters {
            cycles: self.now,
            window_cycles: end.0.saturating_sub(begin.0),
            high_water: self.tree.high_water,
            leaf: engine(0),
            root: engine(1),
            more: (2..self.pool.engines.len()).map(engine).collect(),
            ..counters
        }
    }
}

// ---- Strides ---------------------------------------------------------------------------------------

impl Machine {
    pub(super) fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Whether nothing comes out but a root, and nothing but the tree is to be seen.
    pub(super) fn can_stride(&self) -> bool {
        let is_one_root = u128::from(self.leaves) <= self.tree.most_leaves();
        let below_top = (1_u64 << self.tree.top()) - 1;
        is_one_root
            && u64::from(self.emit) & below_top == 0
            && self.tree.is_tree()
            && !self.tree.is_gated()
            && !(self.pool.reserves_leaves() && self.loads.blocks > 1)
            && self.recorder.is_none()
    }

    /// Whether so many words from the begin of the run on are to come, and the last rows have not begun.
    pub(super) fn is_far_from_end(&self, words: u64) -> bool {
        let rows = u64::from(self.sequencer.most_rows);
        self.words < words
            && self.seen_in
            && self.seen_leaf
            && self.sequencer.leaves_left >= rows
            && self.loads.leaves_left >= rows
    }

    /// Lets cycles pass until a node of `level` has come; nothing if none comes in so many cycles, or before
    /// the word with this number.
    pub(super) fn run_to_node(
        &mut self,
        host: Host,
        level: u32,
        cycles: u64,
        words: u64,
    ) -> Option<()> {
        self.stop_level = Some(level);
        self.is_stopped = false;
        let end = self.now + cycles;
        while !self.is_stopped && self.now < end && self.words < words && !self.done {
            let (_, moved) = self.run(host, end - self.now, (words - self.words) as usize);
            debug_assert!(moved.output.is_none(), "a root comes before the last leaf");
        }
        self.stop_level = None;
        std::mem::take(&mut self.is_stopped).then_some(())
    }

    /// All that the future depends on, with times relative to the present cycle, but for the queues from
    /// `level` on. Nothing where that is not all.
    pub(super) fn note(&mut self, level: u32) -> Option<Vec<u64>> {
        let is_quiet = self.node_output.is_empty()
            && self.output.is_empty()
            && self.void_from.is_none()
            && !self.incomplete;
        if !is_quiet {
            return None;
        }
        let now = self.now;
        let mut values = Vec::new();
        let youngest = self.tree.youngest();
        self.pool.note(now, youngest, &mut values);
        self.input.survey(&mut Survey::Note {
            now,
            youngest,
            values: &mut values,
        });
        self.tree.note(level, &mut values);
        for sequencer in [&self.sequencer, &self.loads] {
            let place = [
                sequencer.group,
                sequencer.row,
                sequencer.block,
                sequencer.word,
            ];
            values.extend(place.map(u64::from));
        }
        values.push(self.waits.into());
        Some(values)
    }

    /// What is counted up to the present cycle, at the begin of a stride.
    pub(super) fn totals(&mut self) -> Totals {
        self.change_waits(self.waits);
        let now = self.now;
        let engines = (self.pool.engines.iter_mut())
            .map(|engine| engine.totals(now).into_iter().map(|total| *total).collect());
        Totals {
            cycles: self.now,
            words: self.words,
            begun: [&self.sequencer, &self.loads]
                .map(|sequencer| self.leaves - sequencer.leaves_left),
            leaves: self.leaves_out,
            waits: strides::waits(&mut self.counters).map(|cycles| *cycles),
            engines: engines.collect(),
        }
    }

    /// Leaves that came, and those that are to come.
    pub(super) fn leaves_done(&self) -> u64 {
        self.leaves_out
    }

    /// See [`leaves_done`](Self::leaves_done).
    pub(super) fn leaves_left(&self) -> u64 {
        self.leaves - self.leaves_out
    }

    pub(super) fn upper(&self, level: u32) -> Upper {
        self.tree.upper(level)
    }

    pub(super) fn watch(&mut self) {
        self.tree.watch();
    }

    pub(super) fn watched(&self, level: u32) -> (u64, u64) {
        self.tree.watched(level)
    }

    /// Cycles since the last word and the last leaf.
    pub(super) fn since(&self) -> [u64; 2] {
        let counters = &self.counters;
        [counters.cycle_last_in, counters.cycle_last_leaf].map(|last| self.now - last)
    }

    /// Leaves that may have begun so that the last rows have not.
    pub(super) fn most_begun(&self) -> u64 {
        self.leaves.saturating_sub(self.sequencer.most_rows.into())
    }

    /// Leaves with which the window begins or ends, whichever is next.
    pub(super) fn leaves_to_window(&self) -> u64 {
        let (first, last) = self.window;
        let begin = self.window_begin.is_none().then_some(first);
        let end = (self.window_end.is_none() && last != 0).then_some(last);
        begin.or(end).map_or(u64::MAX, u64::from)
    }

    /// Takes the state of `other`, which is at the begin of a stride, with these totals and queues.
    pub(super) fn become_state(
        &mut self,
        other: &Self,
        level: u32,
        totals: &Totals,
        upper: &Upper,
        since: [u64; 2],
    ) {
        let shift = totals.cycles - other.now;
        let mut machine = other.clone();
        machine.now = totals.cycles;
        machine.waits_since = totals.cycles;
        machine.words = totals.words;
        machine.sequencer.leaves_left = self.leaves - totals.begun[0];
        machine.loads.leaves_left = self.leaves - totals.begun[1];
        machine.leaves_left = self.leaves - totals.leaves;
        machine.leaves_out = totals.leaves;
        machine.input.survey(&mut Survey::Shift(shift));
        machine.output.survey(&mut Survey::Shift(shift));
        machine.tree.set_upper(level, upper);
        machine.window_begin = self.window_begin.clone();
        machine.window_end = self.window_end.clone();
        machine.counters = self.counters.clone();
        for (counter, cycles) in strides::waits(&mut machine.counters)
            .into_iter()
            .zip(totals.waits)
        {
            *counter = cycles;
        }
        machine.counters.cycle_last_in = totals.cycles - since[0];
        machine.counters.cycle_last_leaf = totals.cycles - since[1];
        for (engine, totals) in machine.pool.engines.iter_mut().zip(&totals.engines) {
            engine.shift(other.now, shift);
            for (total, value) in engine.totals(machine.now).into_iter().zip(totals) {
                *total = *value;
            }
        }
        *self = machine;
    }
}

//! The tree: queues of levels, dispatch, and the fetch of operands.

use std::collections::VecDeque;

use super::strides::Upper;
use acclmt_driver::level_table::{standard_height, standard_tree};

/// The queue of a level (`acclmt_level_queue`, `acclmt_group_counts`).
///
/// In the RTL a group behind one that is taken is looked at in the cycle after that, and can be ready in the next
/// one. No job is taken in either of these, as the words of the one before are fetched, so that the model may know
/// it at once.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Queue {
    /// Nodes of a group.
    arity: u32,
    groups: u32,
    /// Places reserved in the youngest group, and groups of which a place is.
    reserve_index: u32,
    groups_used: u32,
    /// Nodes of each group that are there, of those that were not taken, the oldest one first.
    counts: VecDeque<u8>,
    /// Nodes of the last group of the level, once the place of its last node is reserved.
    last_count: Option<u8>,
}

impl Clone for Queue {
    fn clone(&self) -> Self {
        Self {
            counts: self.counts.clone(),
            ..*self
        }
    }

    fn clone_from(&mut self, other: &Self) {
        let mut counts = std::mem::take(&mut self.counts);
        counts.clone_from(&other.counts);
        *self = Self { counts, ..*other };
    }
}

impl Queue {
    /// Whether the oldest group is complete.
    pub(super) fn is_ready(&self) -> bool {
        let is_complete = |&count: &u8| count == self.oldest().0;
        self.counts.front().is_some_and(is_complete)
    }

    /// Nodes of the oldest group when it is complete, and whether it is the last one.
    fn oldest(&self) -> (u8, bool) {
        let last = self.last_count.filter(|_| self.counts.len() == 1);
        (last.unwrap_or(self.arity as u8), last.is_some())
    }

    /// Places that are free.
    fn places(&self) -> u32 {
        let begun = if self.reserve_index == 0 {
            0
        } else {
            self.arity - self.reserve_index
        };
        (self.groups - self.groups_used) * self.arity + begun
    }

    fn has_place(&self) -> bool {
        self.reserve_index != 0 || self.groups_used != self.groups
    }

    /// Reserves a place; returns whether it is the first one of its group.
    fn reserve(&mut self, last: bool) -> bool {
        let is_first = self.reserve_index == 0;
        if is_first {
            self.groups_used += 1;
            self.counts.push_back(0);
        }
        self.reserve_index += 1;
        if last {
            self.last_count = Some(self.reserve_index as u8);
        }
        self.reserve_index %= self.arity;
        is_first
    }

    /// A node of a group is written, that so many groups were reserved behind.
    fn write(&mut self, behind: u16) {
        let group = (self.counts.len() - 1).checked_sub(behind.into());
        debug_assert!(
            group.is_some(),
            "a node of a group that was taken is written"
        );
        if let Some(count) = group.and_then(|group| self.counts.get_mut(group)) {
            *count += 1;
        }
    }
}

/// A group of siblings of a level that has or gets a place in the queue: its number modulo 2^16, more than groups
/// fit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Group {
    pub(super) level: u32,
    pub(super) number: u16,
}

/// A group of siblings to be hashed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Job {
    pub(super) level: u32,
    /// Siblings that there are.
    pub(super) count: u32,
    /// Whether it is the last one of its level.
    pub(super) last: bool,
}

/// A word of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FetchedWord {
    pub(super) job: Job,
    /// The group of its digest.
    pub(super) parent: Group,
    /// Whether it is an operand.
    pub(super) is_hashed: bool,
    /// Whether it is a node, and not the value of an empty sub-tree.
    pub(super) is_node: bool,
    /// Whether it is the last word of its job.
    pub(super) is_last: bool,
}

/// What the queue of a level is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LevelSetup {
    /// Number of the parameter set with which its nodes are hashed.
    pub(super) set: usize,
    /// Nodes of a group of siblings.
    pub(super) arity: u32,
    /// Groups of siblings that it has room for.
    pub(super) groups: u32,
}

/// What the tree of a run is.
#[derive(Clone, Debug)]
pub(super) struct TreeSetup {
    /// The level whose nodes are not hashed; 0: no tree.
    pub(super) top: u32,
    /// The queue of each level up to the top.
    pub(super) levels: Vec<LevelSetup>,
    /// Standard trees are folded one after the other.
    pub(super) gated: bool,
}

/// Holds back the jobs of a standard tree until the one before is folded.
#[derive(Clone, Debug)]
struct Gate {
    /// Of each level of a standard tree: its jobs, and those that were taken.
    levels: Vec<(u64, u64)>,
}

impl Gate {
    /// That of a tree with these levels, whose leaves have groups of this arity.
    fn new(levels: usize, arity: u32) -> Self {
        // The nodes just below the root of a standard tree are the first ones that join standard trees.
        let standard = (standard_height(arity as usize) as usize - 1).max(1);
        let mut nodes = standard_tree(arity as usize);
        let levels = (0..levels.min(standard)).map(|_| {
            nodes = (nodes / u64::from(arity)).max(1);
            (nodes, 0)
        });
        Self {
            levels: levels.collect(),
        }
    }

    /// The levels whose next job is one of the standard tree that is folded; those above are free.
    fn open(&self) -> u64 {
        let tree = |&(jobs, taken): &(u64, u64)| taken / jobs;
        let current = self.levels.iter().map(tree).min();
        let mut open = u64::MAX;
        for (level, jobs) in self.levels.iter().enumerate() {
            if Some(tree(jobs)) != current {
                open &= !(1_u64 << level);
            }
        }
        open
    }

    fn take(&mut self, level: usize) {
        if let Some((_, taken)) = self.levels.get_mut(level) {
            *taken += 1;
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Tree {
    top: u32,
    queues: Vec<Queue>,
    /// The parameter set of each level.
    sets: Vec<usize>,
    /// Of each level: the number of its youngest group.
    youngest: Vec<u16>,
    /// Bit l: the oldest group of level l is complete; it has room for a node.
    ready: u64,
    places: u64,
    gate: Option<Gate>,
    /// Bit l: jobs of level l may be taken.
    open: u64,
    /// The job whose words are fetched, the group of its digest, and those words that were taken.
    fetch: Option<(Job, Group, u32)>,
    /// Words in the node memory, now and at most.
    words: u64,
    pub(super) high_water: u64,
    /// Since somebody began to watch: bit l: the queue of level l has changed, it had a complete group; the most
    /// words.
    changed: u64,
    was_ready: u64,
    most_words: u64,
}

impl Tree {
    pub(super) fn new(setup: &TreeSetup) -> Self {
        let queues: Vec<_> = (setup.levels.iter())
            .map(|level| Queue {
                arity: level.arity,
                groups: level.groups,
                ..Queue::default()
            })
            .collect();
        let leaves = setup.levels.first().filter(|_| setup.gated);
        Self {
            top: setup.top,
            sets: setup.levels.iter().map(|level| level.set).collect(),
            places: (1 << queues.len()) - 1,
            youngest: vec![0; queues.len()],
            gate: leaves.map(|leaves| Gate::new(queues.len(), leaves.arity)),
            queues,
            ready: 0,
            open: u64::MAX,
            fetch: None,
            words: 0,
            high_water: 0,
            changed: 0,
            was_ready: 0,
            most_words: 0,
        }
    }

    pub(super) fn is_tree(&self) -> bool {
        self.top != 0
    }

    pub(super) fn top(&self) -> u32 {
        self.top
    }

    /// Whether the queue of the leaves has a place.
    pub(super) fn has_leaf_place(&self) -> bool {
        self.places & 1 != 0
    }

    /// Places in the queue of the leaves.
    pub(super) fn leaf_places(&self) -> u32 {
        self.queues[0].places()
    }

    /// Groups of each level that are in use: for the timeline.
    pub(super) fn groups_used(&self) -> impl Iterator<Item = u32> {
        self.queues.iter().map(|queue| queue.groups_used)
    }

    /// The job that is offered: the deepest one that is ready.
    pub(super) fn job(&self) -> Option<Job> {
        if !self.is_tree() {
            return None;
        }
        // The nodes of the top level go out and need no place.
        let above = self.places >> 1 | 1 << self.top;
        let jobs = self.ready & above & self.open;
        let level = jobs.checked_ilog2()?;
        let (count, last) = self.queues[level as usize].oldest();
        Some(Job {
            level,
            count: count.into(),
            last,
        })
    }

    /// Whether the group of a job lacks siblings that are hashed with it.
    pub(super) fn lacks_siblings(&self, job: Job) -> bool {
        job.count != self.arity(job.level) && !self.is_top(job)
    }

    /// Whether a word is on offer.
    pub(super) fn is_fetching(&self) -> bool {
        self.fetch.is_some()
    }

    /// The word that is on offer.
    pub(super) fn word(&self) -> Option<FetchedWord> {
        let (job, parent, taken) = self.fetch?;
        let is_hashed = !self.is_top(job);
        let words = if is_hashed {
            self.arity(job.level)
        } else {
            job.count
        };
        Some(FetchedWord {
            job,
            parent,
            is_hashed,
            is_node: taken < job.count,
            is_last: taken + 1 == words,
        })
    }

    /// Whether the nodes of a job go out and are not hashed.
    pub(super) fn is_top(&self, job: Job) -> bool {
        job.level == self.top
    }

    /// Nodes of a group of siblings of a level.
    fn arity(&self, level: u32) -> u32 {
        self.queues[level as usize].arity
    }

    /// The parameter set with which the nodes of a job are hashed.
    pub(super) fn set(&self, job: Job) -> usize {
        self.sets[job.level as usize]
    }

    /// Reserves the place of a leaf, which may be the last one. Returns its group.
    pub(super) fn reserve_leaf(&mut self, last: bool) -> Group {
        self.reserve(0, last)
    }

    fn reserve(&mut self, level: u32, last: bool) -> Group {
        let number = level as usize;
        let is_first = self.queues[number].reserve(last);
        let youngest = &mut self.youngest[number];
        *youngest = youngest.wrapping_add(is_first.into());
        let group = Group {
            level,
            number: *youngest,
        };
        self.update(number);
        group
    }

    /// What happens in a cycle, in which everything is decided by the state before it. `node`: a node is written
    /// to this group; `job`: the job is taken; `word`: the word on offer is taken.
    pub(super) fn cycle(
        &mut self,
        node: Option<Group>,
        job: Option<Job>,
        word: Option<FetchedWord>,
    ) {
        if let Some(group) = node {
            self.write(group);
        }
        if let Some(job) = job {
            self.queues[job.level as usize].counts.pop_front();
            self.update(job.level as usize);
            let parent = if job.level == self.top {
                Group::default()
            } else {
                self.reserve(job.level + 1, job.last)
            };
            self.fetch = Some((job, parent, 0));
            if let Some(gate) = &mut self.gate {
                gate.take(job.level as usize);
                self.open = gate.open();
            }
        } else if let Some(word) = word {
            if let Some((_, _, taken)) = &mut self.fetch {
                *taken += 1;
            }
            if word.is_last {
                let (level, count) = (word.job.level as usize, word.job.count);
                self.fetch = None;
                self.queues[level].groups_used -= 1;
                self.words -= u64::from(count);
                self.update(level);
            }
        }
        if node.is_some() {
            self.most_words = self.most_words.max(self.words);
            self.high_water = self.high_water.max(self.words);
        }
    }

    fn write(&mut self, group: Group) {
        let level = group.level as usize;
        let behind = self.youngest[level].wrapping_sub(group.number);
        self.queues[level].write(behind);
        self.words += 1;
        self.update(level);
    }

    fn update(&mut self, level: usize) {
        let queue = &self.queues[level];
        let bit = 1_u64 << level;
        let set = |mask: u64, value: bool| if value { mask | bit } else { mask & !bit };
        self.ready = set(self.ready, queue.is_ready());
        self.places = set(self.places, queue.has_place());
        self.changed |= bit;
        self.was_ready |= self.ready & bit;
    }

    // ---- Strides -----------------------------------------------------------------------------------

    /// The lowest level of which a node has at least so many leaves; at most one above the top.
    pub(super) fn level_of(&self, leaves: u64) -> u32 {
        let mut nodes = 1_u64;
        let below = self.queues.iter().take_while(|queue| {
            let goes_on = nodes < leaves;
            nodes = nodes.saturating_mul(queue.arity.into());
            goes_on
        });
        below.count() as u32
    }

    /// Leaves that a node of the top level can have.
    pub(super) fn most_leaves(&self) -> u128 {
        let hashed = self.queues.iter().take(self.top as usize);
        hashed.fold(1, |leaves, queue| leaves.saturating_mul(queue.arity.into()))
    }

    /// Whether standard trees are folded one after the other.
    pub(super) fn is_gated(&self) -> bool {
        self.gate.is_some()
    }

    /// Of each level: the number of its youngest group, which others are relative to.
    pub(super) fn youngest(&self) -> &[u16] {
        &self.youngest
    }

    /// Lists all that its future depends on but for the queues from `level` on.
    pub(super) fn note(&self, level: u32, values: &mut Vec<u64>) {
        for queue in &self.queues[..level as usize] {
            values.extend([queue.reserve_index, queue.groups_used].map(u64::from));
            // Most groups are complete.
            let is_complete = |&&count: &&u8| u32::from(count) == queue.arity;
            let complete = queue.counts.iter().take_while(is_complete).count();
            values.extend([complete as u64, (queue.counts.len() - complete) as u64]);
            values.extend(
                queue
                    .counts
                    .iter()
                    .skip(complete)
                    .map(|&count| u64::from(count)),
            );
        }
        let Some((job, parent, taken)) = self.fetch else {
            values.push(0);
            return;
        };
        let behind = self.youngest[parent.level as usize].wrapping_sub(parent.number);
        values.push(u64::from(taken) + 1);
        values.extend([job.level, job.count, job.last.into(), behind.into()].map(u64::from));
    }

    /// The queues from `level` on, and the words now and at most.
    pub(super) fn upper(&self, level: u32) -> Upper {
        Upper {
            queues: self.queues[level as usize..].to_vec(),
            words: self.words,
            high_water: self.high_water,
        }
    }

    pub(super) fn set_upper(&mut self, level: u32, upper: &Upper) {
        for (level, queue) in (level as usize..).zip(&upper.queues) {
            self.queues[level].clone_from(queue);
            self.update(level);
        }
        (self.words, self.high_water) = (upper.words, upper.high_water);
    }

    /// Begins to watch which queues change.
    pub(super) fn watch(&mut self) {
        self.changed = 0;
        self.was_ready = self.ready;
        self.most_words = self.words;
    }

    /// The queues from `level` on that have changed since, or on which a decision depended, and the most words.
    pub(super) fn watched(&self, level: u32) -> (u64, u64) {
        // A group is hashed if the level above has a place.
        let touched = self.changed | self.was_ready | self.was_ready << 1;
        let below = (1_u64 << level) - 1;
        let all = (1_u64 << self.queues.len()) - 1;
        (touched & all & !below, self.most_words)
    }
}

//! The tree of the root hash engine: queues of levels, dispatch, and the fetch of operands.

use acclmt_driver::level_table::{standard_height, standard_tree};

/// The queue of a level (`acclmt_level_queue`).
#[derive(Clone, Copy, Debug, Default)]
struct Queue {
    groups: u32,
    /// Places reserved in the youngest group, and groups of which a place is.
    reserve_index: u32,
    groups_used: u32,
    /// Nodes of the group that is written, and groups that are complete.
    write_index: u32,
    groups_ready: u32,
    /// Nodes of the last group of the level, once it is written.
    last_count: Option<u32>,
}

impl Queue {
    fn has_place(&self) -> bool {
        self.reserve_index != 0 || self.groups_used != self.groups
    }

    fn reserve(&mut self, arity: u32) {
        self.groups_used += u32::from(self.reserve_index == 0);
        self.reserve_index = (self.reserve_index + 1) % arity;
    }

    fn write(&mut self, arity: u32, last: bool) {
        self.write_index += 1;
        if last {
            self.last_count = Some(self.write_index);
        }
        if last || self.write_index == arity {
            self.write_index = 0;
            self.groups_ready += 1;
        }
    }
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

/// What the tree of a run is.
#[derive(Clone, Debug)]
pub(super) struct TreeSetup {
    pub(super) arity: u32,
    /// The level whose nodes are not hashed; 0: no tree.
    pub(super) top: u32,
    /// Groups of siblings that each level has room for.
    pub(super) queues: Vec<u32>,
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
    fn new(setup: &TreeSetup) -> Self {
        // The nodes just below the root of a standard tree are the first ones that join standard trees.
        let arity = setup.arity as usize;
        let standard = (standard_height(arity) as usize - 1).max(1);
        let mut nodes = standard_tree(arity);
        let levels = (0..setup.queues.len().min(standard)).map(|_| {
            nodes = (nodes / u64::from(setup.arity)).max(1);
            (nodes, 0)
        });
        Self {
            levels: levels.collect(),
        }
    }

    /// The levels whose next job is one of the standard tree that is folded; those above are free.
    fn open(&self) -> u32 {
        let tree = |&(jobs, taken): &(u64, u64)| taken / jobs;
        let current = self.levels.iter().map(tree).min();
        let mut open = u32::MAX;
        for (level, jobs) in self.levels.iter().enumerate() {
            if Some(tree(jobs)) != current {
                open &= !(1 << level);
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
    arity: u32,
    top: u32,
    queues: Vec<Queue>,
    /// Bit l: level l has a complete group; it has room for a node.
    ready: u32,
    places: u32,
    gate: Option<Gate>,
    /// Bit l: jobs of level l may be taken.
    open: u32,
    /// The job whose operands are fetched, and those that were taken.
    fetch: Option<(Job, u32)>,
    /// Words in the node memory, now and at most.
    words: u64,
    pub(super) high_water: u64,
}

impl Tree {
    pub(super) fn new(setup: &TreeSetup) -> Self {
        let queues: Vec<_> = (setup.queues.iter())
            .map(|&groups| Queue {
                groups,
                ..Queue::default()
            })
            .collect();
        Self {
            arity: setup.arity,
            top: setup.top,
            places: (1_u64 << queues.len()).wrapping_sub(1) as u32,
            queues,
            ready: 0,
            gate: setup.gated.then(|| Gate::new(setup)),
            open: u32::MAX,
            fetch: None,
            words: 0,
            high_water: 0,
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

    /// Groups of each level that are in use: for the timeline.
    pub(super) fn groups_used(&self) -> impl Iterator<Item = u32> {
        self.queues.iter().map(|queue| queue.groups_used)
    }

    /// The job that is offered: the deepest one that is ready.
    pub(super) fn job(&self) -> Option<Job> {
        if !self.is_tree() {
            return None;
        }
        // The job that makes a node of the top level needs no place.
        let above = self.places >> 1 | 1 << (self.top - 1);
        let jobs = self.ready & above & self.open;
        let level = jobs.checked_ilog2()?;
        let queue = &self.queues[level as usize];
        let last = queue.last_count.filter(|_| queue.groups_ready == 1);
        Some(Job {
            level,
            count: last.unwrap_or(self.arity),
            last: last.is_some(),
        })
    }

    /// Whether the group of a job lacks no sibling.
    pub(super) fn is_full(&self, job: Job) -> bool {
        job.count == self.arity
    }

    /// Whether operands are on offer.
    pub(super) fn is_fetching(&self) -> bool {
        self.fetch.is_some()
    }

    /// The job whose operand is on offer, and whether it is the last operand.
    pub(super) fn operand(&self) -> Option<(Job, bool)> {
        let (job, taken) = self.fetch?;
        Some((job, taken + 1 == self.arity))
    }

    /// What happens in a cycle, in which everything is decided by the state before it. `leaf`: a leaf
    /// comes, whether it is the last; `digest`: a digest of a job of a level comes, whether it is the
    /// last one of its level; `job`: the job is taken; `operand`: the operand is taken.
    pub(super) fn cycle(
        &mut self,
        leaf: Option<bool>,
        digest: Option<(u32, bool)>,
        job: Option<Job>,
        operand: bool,
    ) {
        let arity = self.arity;
        if let Some(last) = leaf {
            self.queues[0].reserve(arity);
            self.write(0, last);
        }
        if let Some((level, last)) = digest
            && level + 1 != self.top
        {
            self.write(level as usize + 1, last);
        }
        if let Some(job) = job {
            let queue = &mut self.queues[job.level as usize];
            queue.groups_ready -= 1;
            self.update(job.level as usize);
            if job.level + 1 != self.top {
                self.queues[job.level as usize + 1].reserve(arity);
                self.update(job.level as usize + 1);
            }
            self.fetch = Some((job, 0));
            if let Some(gate) = &mut self.gate {
                gate.take(job.level as usize);
                self.open = gate.open();
            }
        } else if operand && let Some((job, taken)) = &mut self.fetch {
            *taken += 1;
            if *taken == arity {
                let (level, count) = (job.level as usize, job.count);
                self.fetch = None;
                self.queues[level].groups_used -= 1;
                self.words -= u64::from(count);
                self.update(level);
            }
        }
        if leaf.is_some() || digest.is_some() {
            self.high_water = self.high_water.max(self.words);
        }
    }

    fn write(&mut self, level: usize, last: bool) {
        self.queues[level].write(self.arity, last);
        self.words += 1;
        self.update(level);
    }

    fn update(&mut self, level: usize) {
        let queue = &self.queues[level];
        let bit = 1 << level;
        let set = |mask: u32, value: bool| if value { mask | bit } else { mask & !bit };
        self.ready = set(self.ready, queue.groups_ready != 0);
        self.places = set(self.places, queue.has_place());
    }
}

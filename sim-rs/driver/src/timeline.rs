//! What happened when: the slots of the sub-engines, the queues of the tree, and the stalls of a run.
//!
//! A [`Timeline`] is the same whoever records it, the model or the simulated RTL. Cycles are those that the
//! counter `CYCLES` counts: cycle 0 is the first one of the run, in which the counter is still 0, and what
//! a cycle has is what holds before the clock edge that ends it.
//!
//! A run of many hashes has hundreds of events for each, so a timeline comes in parts, as the run goes on, and
//! goes to a [`TimelineSink`].

use std::{io, mem};

use crate::program::SUB_ENGINES;

/// A slot of a sub-engine: a round of a state begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The cycle in which it began.
    pub begin: u64,
    /// Its length in cycles.
    pub cycles: u64,
    /// Round of the state within its visit, from 0 on.
    pub round: u32,
    /// Visit: 0 the first, 1 the last.
    pub visit: usize,
}

/// Why a stream stood still.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stall {
    /// An input word waited.
    Input,
    /// An input word was due and none was there.
    MissingInput,
    /// A leaf waited for room in the tree or at the output.
    Leaf,
    /// The root hash engine had no group of siblings to hash.
    Root,
    /// An output word waited.
    Output,
}

impl Stall {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Input,
        Self::MissingInput,
        Self::Leaf,
        Self::Root,
        Self::Output,
    ];
}

/// A stretch of cycles, from `begin` to before `end`, in which something stood still.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Why.
    pub stall: Stall,
    /// First cycle.
    pub begin: u64,
    /// The cycle after the last one.
    pub end: u64,
}

/// A group of siblings that the root hash engine takes: the begin of a hash. The n-th hash of the engine is that of
/// the n-th job, in every visit and round, as states pass a hash engine in the order in which they came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Job {
    /// The cycle in which it is taken.
    pub begin: u64,
    /// Level of the siblings; the hash makes a node of the level above.
    pub level: u32,
}

/// The timeline of a run, or of a part of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timeline {
    /// Slots of the sub-engines of the leaf hash engine and of the root hash engine: 0 and 7 the full-round
    /// sub-engines, 1 to 6 the partial-round sub-engines.
    pub slots: [[Vec<Slot>; SUB_ENGINES]; 2],
    /// Jobs of the root hash engine.
    pub jobs: Vec<Job>,
    /// Groups of siblings of which a place is taken in the queue of each level, whenever their number
    /// changed: the first cycle that has the new number, level, groups. Every queue is empty at first.
    pub groups: Vec<(u64, u32, u32)>,
    /// Stalls, in the order of their ends; those that end together in the order of [`Stall::ALL`].
    pub stalls: Vec<Span>,
    /// Cycles of the run up to the end of this part.
    pub cycles: u64,
}

/// Takes a timeline, part after part.
pub trait TimelineSink {
    /// The events since the part before. Those of a list follow those of the same list in the part before.
    ///
    /// # Errors
    ///
    /// When they cannot be kept, which ends the run.
    fn take(&mut self, part: Timeline) -> io::Result<()>;
}

/// Puts the parts together.
impl TimelineSink for Timeline {
    fn take(&mut self, part: Timeline) -> io::Result<()> {
        for (all, part) in self.slots.iter_mut().zip(part.slots) {
            for (all, part) in all.iter_mut().zip(part) {
                all.extend(part);
            }
        }
        self.jobs.extend(part.jobs);
        self.groups.extend(part.groups);
        self.stalls.extend(part.stalls);
        self.cycles = part.cycles;
        Ok(())
    }
}

/// A timeline that is being written, cycle after cycle.
#[derive(Clone, Debug, Default)]
pub struct Recorder {
    timeline: Timeline,
    /// Groups of each level as they were last.
    groups: Vec<u32>,
    /// Stalls that go on, by their number in [`Stall::ALL`]: since when.
    since: [Option<u64>; Stall::ALL.len()],
}

impl Recorder {
    /// These stalls hold from the cycle `now` on, in the order of [`Stall::ALL`].
    pub fn stalls(&mut self, now: u64, holds: [bool; Stall::ALL.len()]) {
        for ((since, holds), stall) in self.since.iter_mut().zip(holds).zip(Stall::ALL) {
            if let Some(begin) = since.take_if(|_| !holds) {
                self.timeline.stalls.push(Span {
                    stall,
                    begin,
                    end: now,
                });
            } else if holds && since.is_none() {
                *since = Some(now);
            }
        }
    }

    /// The root hash engine takes a group of siblings of this level in the cycle `now`.
    pub fn job(&mut self, now: u64, level: u32) {
        self.timeline.jobs.push(Job { begin: now, level });
    }

    /// The queues hold so many groups from the cycle `now` on, from level 0 on.
    pub fn groups(&mut self, now: u64, groups: impl Iterator<Item = u32>) {
        for (level, groups) in groups.enumerate() {
            if self.groups.len() == level {
                self.groups.push(0);
            }
            if self.groups[level] != groups {
                self.groups[level] = groups;
                self.timeline.groups.push((now, level as u32, groups));
            }
        }
    }

    /// What was recorded since the last call, up to the cycle `cycles`, with the slots of the sub-engines since
    /// then; all stalls have ended if the run has.
    pub fn part(
        &mut self,
        cycles: u64,
        slots: [[Vec<Slot>; SUB_ENGINES]; 2],
        ended: bool,
    ) -> Timeline {
        if ended {
            self.stalls(cycles, [false; Stall::ALL.len()]);
        }
        Timeline {
            slots,
            cycles,
            ..mem::take(&mut self.timeline)
        }
    }
}

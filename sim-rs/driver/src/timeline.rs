//! What happened when: the slots of the sub-engines, the queues of the tree, and the stalls of a run.
//!
//! A [`Timeline`] is the same whoever records it, the model or the simulated RTL. Cycles are those that the
//! counter `CYCLES` counts: cycle 0 is the first one of the run, in which the counter is still 0, and what
//! a cycle has is what holds before the clock edge that ends it.

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

/// The timeline of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timeline {
    /// Slots of the sub-engines of the leaf hash engine and of the root hash engine: 0 and 7 the full-round
    /// sub-engines, 1 to 6 the partial-round sub-engines.
    pub slots: [[Vec<Slot>; SUB_ENGINES]; 2],
    /// Groups of siblings of which a place is taken in the queue of each level, whenever their number
    /// changed: the first cycle that has the new number, level, groups. Every queue is empty at first.
    pub groups: Vec<(u64, u32, u32)>,
    /// Stalls, in the order of their ends; those that end together in the order of [`Stall::ALL`].
    pub stalls: Vec<Span>,
    /// Cycles of the run.
    pub cycles: u64,
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

    /// The whole timeline of a run of so many cycles, with the slots of its sub-engines.
    pub fn finish(mut self, cycles: u64, slots: [[Vec<Slot>; SUB_ENGINES]; 2]) -> Timeline {
        self.stalls(cycles, [false; Stall::ALL.len()]);
        Timeline {
            slots,
            cycles,
            ..self.timeline
        }
    }
}

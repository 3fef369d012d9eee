// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! The slots of a sub-engine, one after the other.

use acclmt_driver::timeline::Slot;

/// The slot that is under way, what the slots before it took, and what is recorded of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Slots {
    /// End of the slot that is under way, and whether it is a state's.
    pub(super) end: u64,
    pub(super) is_busy: bool,
    /// Cycles of the slots of states that have begun.
    pub(super) busy: u64,
    /// Slots that began, if they are recorded.
    trace: Option<Vec<Slot>>,
}

impl Slots {
    /// A slot begins, of this round and visit of a state, or of none.
    pub(super) fn begin(&mut self, now: u64, cycles: u64, state: Option<(u32, usize)>) {
        self.end = now + cycles;
        self.is_busy = state.is_some();
        if let Some((round, visit)) = state {
            self.busy += cycles;
            if let Some(trace) = &mut self.trace {
                trace.push(Slot {
                    begin: now,
                    cycles,
                    round,
                    visit,
                });
            }
        }
    }

    /// Cycles before `end` in which a slot of a state was under way.
    pub(super) fn busy_before(&self, end: u64) -> u64 {
        let ahead = self.end.saturating_sub(end);
        self.busy - if self.is_busy { ahead } else { 0 }
    }

    /// Records the slots from now on.
    pub(super) fn record(&mut self) {
        self.trace = Some(Vec::new());
    }

    /// The slots that began since the last call.
    pub(super) fn recorded(&mut self) -> Vec<Slot> {
        self.trace.as_mut().map(std::mem::take).unwrap_or_default()
    }
}

//! A partial-round sub-engine whose visits are computed ahead.
//!
//! All its states come from one buffer and stay for equally many rounds, so nothing that happens later
//! changes when a state enters and leaves, once three times are known: when it is complete in the buffer
//! before, when a place in the buffer behind is free, and when the slots of the states before it are. A
//! whole visit is one step, done as soon as the state is on its way.

use super::buffer::StateBuffer;
use super::times::Times;
use super::turn::{Place, Turn, align};

#[derive(Clone, Debug)]
pub(super) struct PartialVisits {
    turn: Turn,
    beats: u64,
    /// Boundaries of slots are at multiples of this.
    grid: u64,
    /// States that fit, and that are inside.
    limit: usize,
    inside: usize,
    /// Slots of a turn that are taken.
    occupied: Place,
    /// Rounds of a visit.
    rounds: u64,
    /// When each state leaves, of those that had not left when this was last looked at. The last `inside`
    /// of them are inside when the next one enters.
    leaves: Times,
    /// No state enters before.
    from: u64,
    /// Cycles of the slots of the states that are no longer in `leaves`.
    busy: u64,
    pub(super) input: usize,
    pub(super) output: usize,
}

impl PartialVisits {
    /// The sub-engine with so many rounds between two buffers; its slots are of `grid` cycles.
    pub(super) fn new(
        turn: Turn,
        beats: u64,
        places: u64,
        rounds: u32,
        input: usize,
        output: usize,
    ) -> Self {
        Self {
            turn,
            beats,
            grid: turn.slot,
            limit: (places / beats) as usize,
            inside: 0,
            occupied: 0,
            rounds: rounds.into(),
            leaves: Times::new(2 * places / beats),
            from: 0,
            busy: 0,
            input,
            output,
        }
    }

    /// Forgets the states that have left before cycle `now`.
    fn forget(&mut self, now: u64) {
        while self.leaves.len() > self.inside && self.leaves.front() < now {
            self.leaves.pop();
            self.busy += self.rounds * self.turn.slot;
        }
    }

    /// Whether the visit of a state can be computed.
    pub(super) fn can_advance(&self, buffers: &[StateBuffer]) -> bool {
        buffers[self.input].head_from() != u64::MAX && buffers[self.output].place_from() != u64::MAX
    }

    /// Takes all states whose visits can be computed. Returns whether there were any, and when a place in
    /// the buffer before is free, if somebody may wait for it. `now`: the cycle that the machine is in.
    pub(super) fn advance(&mut self, now: u64, buffers: &mut [StateBuffer]) -> (bool, Option<u64>) {
        self.forget(now);
        let (mut advanced, mut freed) = (false, None);
        let Ok([input, output]) = buffers.get_disjoint_mut([self.input, self.output]) else {
            return (advanced, freed);
        };
        loop {
            let (head, place) = (input.head_from(), output.place_from());
            if head == u64::MAX || place == u64::MAX {
                return (advanced, freed);
            }
            let enters = self.enter(head.max(place));
            let leaves = enters + self.rounds * self.turn.cycles;
            self.leaves.push(leaves);
            self.inside += 1;
            let free = input.take(enters + self.beats - 1);
            freed = freed.or(free);
            output.reserve_at(enters);
            output.push(leaves, leaves + self.beats - 1);
            advanced = true;
        }
    }

    /// The cycle in which a state enters that can do so from `from` on.
    fn enter(&mut self, from: u64) -> u64 {
        let from = align(from.max(self.from), self.grid);
        let mut first = self.leaves.len() - self.inside;
        while self.inside != 0 && self.leaves.at(first) <= from {
            self.occupied &= !self.turn.place(self.leaves.at(first));
            self.inside -= 1;
            first += 1;
        }
        // Mostly each slot is taken, so that it takes the slot of the next state that leaves.
        let is_full = self.inside == self.limit || self.inside == self.turn.slots;
        let leaves = if self.inside == 0 {
            u64::MAX
        } else {
            self.leaves.at(first)
        };
        let free = if is_full {
            u64::MAX
        } else {
            self.turn.free_slot(from, self.occupied)
        };
        let enters = leaves.min(free);
        if leaves < free {
            self.inside -= 1;
        } else {
            self.occupied |= self.turn.place(enters);
        }
        self.from = enters + self.grid;
        enters
    }

    /// Cycles before `end` in which a slot of a state was under way.
    pub(super) fn busy_before(&self, end: u64) -> u64 {
        let visit = |leave: u64| {
            let entered = leave - self.rounds * self.turn.cycles;
            self.turn.busy(end.saturating_sub(entered), self.rounds)
        };
        self.busy + self.leaves.iter().map(visit).sum::<u64>()
    }
}

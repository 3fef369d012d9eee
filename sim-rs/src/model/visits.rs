//! A partial-round sub-engine whose visits are computed ahead.
//!
//! All its states come from one buffer and stay for equally many rounds, so nothing that happens later
//! changes when a state enters and leaves, once three times are known: when it is complete in the buffer
//! before, when a place in the buffer behind is free, and when the slots of the states before it are. A
//! whole visit is one step, done as soon as the state is on its way.

use std::collections::VecDeque;

use super::buffer::StateBuffer;
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
    leaves: VecDeque<u64>,
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
            leaves: VecDeque::new(),
            from: 0,
            busy: 0,
            input,
            output,
        }
    }

    /// Forgets the states that have left before cycle `now`.
    fn forget(&mut self, now: u64) {
        while self.leaves.len() > self.inside && self.leaves.front().is_some_and(|&time| time < now)
        {
            self.leaves.pop_front();
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
        loop {
            let head = buffers[self.input].head_from();
            let place = buffers[self.output].place_from();
            if head == u64::MAX || place == u64::MAX {
                return (advanced, freed);
            }
            let enters = self.enter(head.max(place));
            let leaves = enters + self.rounds * self.turn.cycles;
            self.leaves.push_back(leaves);
            self.inside += 1;
            let free = buffers[self.input].take(enters + self.beats - 1);
            freed = freed.or(free);
            let output = &mut buffers[self.output];
            output.reserve_at(enters);
            output.push(leaves, leaves + self.beats - 1);
            advanced = true;
        }
    }

    /// The cycle in which a state enters that can do so from `from` on.
    fn enter(&mut self, from: u64) -> u64 {
        let from = align(from.max(self.from), self.grid);
        let mut first = self.leaves.len() - self.inside;
        while self.inside != 0 && self.leaves[first] <= from {
            self.occupied &= !self.turn.place(self.leaves[first]);
            self.inside -= 1;
            first += 1;
        }
        let free = if self.inside == self.limit {
            u64::MAX
        } else {
            self.turn.free_slot(from, self.occupied)
        };
        let mut enters = free;
        if self.inside != 0 && self.leaves[first] <= free {
            // It takes the slot of the next state that leaves.
            enters = self.leaves[first];
            self.inside -= 1;
        } else {
            self.occupied |= self.turn.place(enters);
        }
        self.from = enters + self.grid;
        enters
    }

    /// Cycles before `end` in which a slot of a state was under way.
    pub(super) fn busy_before(&self, end: u64) -> u64 {
        let visit = |leave: &u64| {
            let entered = leave - self.rounds * self.turn.cycles;
            self.turn.busy(end.saturating_sub(entered), self.rounds)
        };
        self.busy + self.leaves.iter().map(visit).sum::<u64>()
    }
}

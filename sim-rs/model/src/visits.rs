//! The partial-round sub-engines of a hash engine, whose visits are computed ahead.
//!
//! Each takes its states from one buffer, in their order, and keeps all for equally many rounds, so nothing
//! that happens later changes when a state enters and leaves, once three times are known: when it is
//! complete in the buffer before, when a place in the buffer behind is free, and when the slots of the
//! states before it are. A whole visit is one step, done as soon as the state is on its way.
//!
//! States are numbered in the order of the ring. The time at which each entered each sub-engine says all
//! else: when it leaves, when it is complete in the buffer behind, and when its place in the buffer before
//! is free.

use super::buffer::StateBuffer;
use super::survey::Survey;
use super::turn::{Place, Turn, align};

/// A partial-round sub-engine.
#[derive(Clone, Debug)]
struct SubEngine {
    turn: Turn,
    /// Cycles of a visit.
    cycles: u64,
    /// Cycles of its slots.
    slots: u64,
    /// Rounds of a visit.
    rounds: u64,
    /// When each state enters, at its number modulo the length, which is a power of two: of those whose
    /// visit is computed and may not be over yet.
    enters: Box<[u64]>,
    /// States whose visits are computed, and the cycles of all their slots.
    computed: u64,
    busy: u64,
    /// Of these, the first that is inside when the last one enters.
    first: u64,
    /// Slots of a turn that are taken then.
    occupied: Place,
    /// No state enters before.
    from: u64,
}

impl SubEngine {
    fn new(turn: Turn, rounds: u32, room: u64) -> Self {
        let rounds = u64::from(rounds);
        Self {
            turn,
            cycles: rounds * turn.cycles,
            slots: rounds * turn.slot,
            rounds,
            enters: vec![0; (room as usize).next_power_of_two()].into_boxed_slice(),
            computed: 0,
            busy: 0,
            first: 0,
            occupied: 0,
            from: 0,
        }
    }

    /// When a state entered whose visit is among the last ones that were computed.
    #[inline]
    fn entered(&self, state: u64) -> u64 {
        debug_assert!(state < self.computed && self.computed - state <= self.enters.len() as u64);
        self.enters[state as usize & (self.enters.len() - 1)]
    }

    /// The next state enters as soon as it can from `from` on. Returns that cycle.
    #[inline]
    fn enter(&mut self, from: u64) -> u64 {
        let from = align(from.max(self.from), self.turn.slot);
        let mut next_leave = u64::MAX;
        while self.first != self.computed {
            let entered = self.entered(self.first);
            next_leave = entered + self.cycles;
            if next_leave > from {
                break;
            }
            self.occupied &= !self.turn.place(entered);
            self.first += 1;
            next_leave = u64::MAX;
        }
        // Mostly each slot is taken, so that it takes the slot of the next state that leaves.
        let is_full = self.computed - self.first == self.turn.slots as u64;
        let free = if is_full {
            u64::MAX
        } else {
            self.turn.free_slot(from, self.occupied)
        };
        let enters = next_leave.min(free);
        if next_leave < free {
            self.first += 1;
        } else {
            self.occupied |= self.turn.place(enters);
        }
        self.from = enters + self.turn.slot;
        let position = self.computed as usize & (self.enters.len() - 1);
        self.enters[position] = enters;
        self.computed += 1;
        self.busy += self.slots;
        enters
    }

    /// Lists all that the future depends on after cycle `now`; the sub-engine before has computed the visits
    /// of so many states, if there is one.
    fn survey(&mut self, now: u64, before: Option<u64>, limit: u64, survey: &mut Survey<'_>) {
        survey.grid(self.turn.slot);
        survey.time(&mut self.from);
        survey.number(self.computed - self.first);
        // States that are inside now or when the next one enters, and those behind which places are free.
        let place = before.map_or(self.first, |before| before.saturating_sub(limit));
        let mut state = self.computed;
        survey.number(before.map_or(0, |before| before - state));
        if survey.shifts() {
            self.occupied = 0;
        }
        let oldest = self.computed.saturating_sub(self.enters.len() as u64);
        while state != oldest {
            let is_inside = self.first < state;
            let leaves = self.entered(state - 1) + self.cycles;
            if !is_inside && state <= place && leaves <= now {
                break;
            }
            state -= 1;
            let position = state as usize & (self.enters.len() - 1);
            survey.time(&mut self.enters[position]);
            if survey.shifts() && is_inside {
                self.occupied |= self.turn.place(self.enters[position]);
            }
        }
        survey.number(self.computed - state);
    }

    /// Cycles before `end` in which a slot of a state was under way.
    fn busy_before(&self, end: u64) -> u64 {
        let mut busy = self.busy;
        for state in (0..self.computed).rev() {
            let entered = self.entered(state);
            if entered + self.cycles <= end {
                break;
            }
            busy -= self.slots - self.turn.busy(end.saturating_sub(entered), self.rounds);
        }
        busy
    }
}

/// The partial-round sub-engines between two buffers, in the order of the ring.
#[derive(Clone, Debug)]
pub(super) struct PartialVisits {
    sub_engines: Vec<SubEngine>,
    beats: u64,
    /// States for which a buffer has places.
    limit: u64,
    pub(super) input: usize,
    pub(super) output: usize,
}

/// What became known when visits were computed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Advance {
    /// States are on their way to the buffer behind the last sub-engine.
    pub(super) arrives: bool,
    /// When a place in the buffer before the first one is free, if somebody may wait for it.
    pub(super) freed: Option<u64>,
}

impl PartialVisits {
    /// Sub-engines of such turns, with so many rounds each, between two buffers. States have `beats` beats,
    /// and `limit` of them have a place in each buffer.
    pub(super) fn new(
        turn: Turn,
        beats: u64,
        limit: u64,
        rounds: &[u32],
        input: usize,
        output: usize,
    ) -> Self {
        // The state so many places ahead of the last one that a sub-engine has taken was taken by the next
        // one, and so on; behind the last one it has left in the past.
        let room = |position: usize| limit * (rounds.len() - position + 1) as u64;
        let sub_engines = rounds.iter().enumerate();
        Self {
            sub_engines: sub_engines
                .map(|(position, &rounds)| SubEngine::new(turn, rounds, room(position)))
                .collect(),
            beats,
            limit,
            input,
            output,
        }
    }

    /// When the next state of a sub-engine is there and has a place behind it, if that is known.
    #[inline]
    fn enters_from(
        &self,
        position: usize,
        input: &StateBuffer,
        output: &StateBuffer,
    ) -> Option<u64> {
        let state = self.sub_engines[position].computed;
        let head = match position
            .checked_sub(1)
            .map(|before| &self.sub_engines[before])
        {
            None => input.head_from(),
            Some(before) if before.computed == state => u64::MAX,
            Some(before) => {
                let leaves = before.entered(state) + before.cycles;
                StateBuffer::complete(leaves, leaves + self.beats - 1)
            }
        };
        let place = match self.sub_engines.get(position + 1) {
            None => output.place_from(),
            Some(_) if state < self.limit => 0,
            Some(behind) if behind.computed + self.limit == state => u64::MAX,
            Some(behind) => behind.entered(state - self.limit) + self.beats,
        };
        let from = head.max(place);
        (from != u64::MAX).then_some(from)
    }

    /// Computes all visits that have become known.
    pub(super) fn advance(&mut self, buffers: &mut [StateBuffer]) -> Advance {
        let mut advance = Advance::default();
        let Ok([input, output]) = buffers.get_disjoint_mut([self.input, self.output]) else {
            return advance;
        };
        let last = self.sub_engines.len() - 1;
        let mut position = 0;
        while position <= last {
            let Some(from) = self.enters_from(position, input, output) else {
                position += 1;
                continue;
            };
            let sub_engine = &mut self.sub_engines[position];
            let enters = sub_engine.enter(from);
            if position == last {
                let leaves = enters + sub_engine.cycles;
                output.reserve_at(enters);
                output.push(leaves, leaves + self.beats - 1);
                advance.arrives = true;
            }
            if position == 0 {
                let freed = input.take(enters + self.beats - 1);
                advance.freed = advance.freed.or(freed);
            } else {
                // The sub-engine before may have waited for the place.
                position -= 1;
            }
        }
        advance
    }

    /// Lists all that the future depends on after cycle `now`.
    pub(super) fn survey(&mut self, now: u64, survey: &mut Survey<'_>) {
        let mut before = None;
        for sub_engine in &mut self.sub_engines {
            sub_engine.survey(now, before, self.limit, survey);
            before = Some(sub_engine.computed);
        }
    }

    /// What is counted: cycles of slots.
    pub(super) fn totals(&mut self) -> impl Iterator<Item = &mut u64> {
        (self.sub_engines.iter_mut()).map(|sub_engine| &mut sub_engine.busy)
    }

    /// Cycles before `end`, which is not in the past, in which a slot of a state was under way, of each
    /// sub-engine.
    pub(super) fn busy_before(&self, end: u64) -> impl Iterator<Item = u64> + '_ {
        (self.sub_engines.iter()).map(move |sub_engine| sub_engine.busy_before(end))
    }
}

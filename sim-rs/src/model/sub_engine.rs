//! A sub-engine: the loop of slots that `acclmt_slot_control` runs.

use std::collections::VecDeque;

use super::buffer::StateBuffer;
use crate::latencies::Pipelines;
use crate::program::Shape;

/// Slot and latency of a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Round {
    /// Cycles of its slot.
    cycles: u64,
    /// Cycles from one beat to the next.
    spacing: u64,
    /// Cycles from the issue of its first beat until the first beat is at the head of the loop's queue,
    /// and until all are there.
    first_beat: u64,
    complete: u64,
}

/// Rounds of a visit: kinds and numbers, one kind after the other.
#[derive(Clone, Copy, Debug)]
struct Visit {
    kinds: [(Round, u32); 2],
}

impl Visit {
    fn rounds(&self) -> u32 {
        self.kinds[0].1 + self.kinds[1].1
    }

    fn round(&self, number: u32) -> &Round {
        let second = number >= self.kinds[0].1;
        &self.kinds[usize::from(second)].0
    }
}

/// A state in the loop.
#[derive(Clone, Copy, Debug)]
struct Inside {
    /// When its first beat and all beats are at the head of the queue.
    first_beat: u64,
    complete: u64,
    port: usize,
    /// Rounds that were issued.
    issued: u32,
}

/// What a sub-engine did in a cycle.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Step {
    /// A state left through this port; it is complete in the output buffer at this time.
    pub(super) left: Option<(usize, u64)>,
    /// A state of this port entered, for whose place in the buffer before somebody may wait: it is free at
    /// this time.
    pub(super) freed: Option<(usize, u64)>,
}

/// How the states in the loop are kept.
#[derive(Clone, Debug)]
enum Loop {
    /// One by one: a step for each slot.
    Slots { queue: VecDeque<Inside> },
    /// All slots are of one length and a round takes a whole number of them, so that a state keeps its
    /// slot in each turn of the loop until it leaves: a step for each visit.
    Turns {
        turn: Turn,
        /// Slots of a turn that are taken.
        occupied: u128,
        /// When the states of each port leave.
        leaves: [VecDeque<u64>; 2],
    },
}

/// A slot that began: for the timeline.
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

/// A turn of the loop.
#[derive(Clone, Copy, Debug)]
struct Turn {
    /// Cycles of a slot, and of the turn.
    slot: u64,
    cycles: u64,
    /// Slots of the turn.
    slots: u64,
    /// 2^64 / cycles, rounded up.
    reciprocal: u64,
}

impl Turn {
    fn new(slot: u64, cycles: u64) -> Self {
        Self {
            slot,
            cycles,
            slots: cycles / slot,
            reciprocal: (u64::MAX / cycles).wrapping_add(1),
        }
    }

    /// `time` modulo the cycles of the turn. The reciprocal makes it exact up to 2^56, beyond any run.
    fn phase(&self, time: u64) -> u64 {
        if self.cycles == 1 {
            return 0;
        }
        let turns = ((u128::from(time) * u128::from(self.reciprocal)) >> 64) as u64;
        time - turns * self.cycles
    }

    /// The number of the slot that begins at `time`.
    fn place(&self, time: u64) -> u64 {
        let phase = self.phase(time);
        if self.slot == 1 {
            phase
        } else {
            phase / self.slot
        }
    }

    /// The begin of the first slot from `from` on, itself such a begin, that is not occupied; `u64::MAX`
    /// if all are.
    fn free_slot(&self, from: u64, occupied: u128) -> u64 {
        if from == u64::MAX {
            return from;
        }
        let free = !occupied & ((1 << self.slots) - 1);
        let place = self.place(from);
        let ahead = free >> place;
        if ahead != 0 {
            from + u64::from(ahead.trailing_zeros()) * self.slot
        } else if free != 0 {
            from + (self.slots - place + u64::from(free.trailing_zeros())) * self.slot
        } else {
            u64::MAX
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct SubEngine {
    /// Boundaries of slots are at multiples of this.
    grid: u64,
    beats: u64,
    /// States that fit, and that are inside.
    limit: u64,
    inside: u64,
    visits: [Visit; 2],
    states: Loop,
    /// Ports that are in use: one, or two.
    ports: usize,
    /// Where the states of each port come from and go to: numbers of buffers.
    inputs: [Option<usize>; 2],
    outputs: [usize; 2],
    /// End of the slot that is under way, and whether it is a state's.
    slot_end: u64,
    slot_is_busy: bool,
    /// Cycles of the slots that have begun (slots), or of the states that have left (turns).
    busy: u64,
    /// Slots that began, if they are recorded.
    trace: Option<Vec<Slot>>,
}

/// The rounds that a sub-engine runs for a visit: full ones and partial ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct VisitRounds {
    pub(super) full: u32,
    pub(super) partial: u32,
}

impl SubEngine {
    /// A full-round sub-engine; the first visit has its full rounds first, the last one its partial
    /// rounds.
    pub(super) fn full(
        shape: Shape,
        pipelines: &Pipelines,
        visits: [VisitRounds; 2],
        inputs: [Option<usize>; 2],
        outputs: [usize; 2],
        slots: bool,
    ) -> Self {
        let (beats, steps) = (shape.beats() as u64, shape.steps() as u64);
        let first_beat = pipelines.full_loop + beats * (steps - 1);
        let full = Round {
            cycles: beats * steps,
            spacing: steps,
            first_beat,
            complete: first_beat.max(first_beat + (beats - 1) * steps - 1),
        };
        let partial = if shape.dense || beats == 1 {
            full
        } else {
            let skew = (beats - 1) * (steps - 1);
            Round {
                cycles: beats,
                spacing: 1,
                first_beat: pipelines.full_loop + skew + beats,
                complete: pipelines.full_loop + skew + beats,
            }
        };
        let [first, last] = visits;
        let visits = [
            Visit {
                kinds: [(full, first.full), (partial, first.partial)],
            },
            Visit {
                kinds: [(partial, last.partial), (full, last.full)],
            },
        ];
        let turns = beats == 1 && !slots;
        Self::new(steps, beats, pipelines, visits, inputs, outputs, turns)
    }

    /// A partial-round sub-engine with so many rounds.
    pub(super) fn partial(
        shape: Shape,
        pipelines: &Pipelines,
        rounds: u32,
        input: usize,
        output: usize,
        slots: bool,
    ) -> Self {
        let beats = shape.beats() as u64;
        let grid = if beats == 1 && shape.alpha == 7 {
            2
        } else {
            beats
        };
        let latency = pipelines.partial_loop + beats - 1;
        let round = Round {
            cycles: grid,
            spacing: 1,
            first_beat: latency,
            complete: latency,
        };
        let visit = Visit {
            kinds: [(round, rounds), (round, 0)],
        };
        let inputs = [Some(input), None];
        Self::new(
            grid,
            beats,
            pipelines,
            [visit; 2],
            inputs,
            [output; 2],
            !slots,
        )
    }

    fn new(
        grid: u64,
        beats: u64,
        pipelines: &Pipelines,
        visits: [Visit; 2],
        inputs: [Option<usize>; 2],
        outputs: [usize; 2],
        turns: bool,
    ) -> Self {
        let round = visits[0].kinds[0].0;
        let states = if turns {
            Loop::Turns {
                turn: Turn::new(round.cycles, round.complete.next_multiple_of(round.cycles)),
                occupied: 0,
                leaves: Default::default(),
            }
        } else {
            Loop::Slots {
                queue: VecDeque::new(),
            }
        };
        Self {
            grid,
            beats,
            limit: pipelines.places / beats,
            inside: 0,
            visits,
            states,
            ports: if inputs[1].is_some() { 2 } else { 1 },
            inputs,
            outputs,
            slot_end: 0,
            slot_is_busy: false,
            busy: 0,
            trace: None,
        }
    }

    /// Records the slots from now on; only of a sub-engine that runs slot by slot.
    pub(super) fn record(&mut self) {
        self.trace = Some(Vec::new());
    }

    /// The slots that began since the last call.
    pub(super) fn recorded(&mut self) -> Vec<Slot> {
        self.trace.as_mut().map(std::mem::take).unwrap_or_default()
    }

    pub(super) fn input(&self, port: usize) -> Option<usize> {
        self.inputs[port]
    }

    pub(super) fn output(&self, port: usize) -> usize {
        self.outputs[port]
    }

    /// The first boundary of a slot at or after `time`.
    fn align(&self, time: u64) -> u64 {
        if self.grid == 1 {
            time
        } else {
            time.checked_next_multiple_of(self.grid).unwrap_or(u64::MAX)
        }
    }

    /// When the sub-engine may act, as something happens to its buffers at `time`.
    pub(super) fn wake(&self, time: u64) -> u64 {
        match &self.states {
            Loop::Slots { .. } => self.align(time.max(self.slot_end)),
            Loop::Turns { .. } if self.inside == self.limit => u64::MAX,
            Loop::Turns { turn, occupied, .. } => turn.free_slot(self.align(time), *occupied),
        }
    }

    /// The port whose state at the head of its buffer can enter in cycle `now`.
    fn eligible(&self, now: u64, buffers: &mut [StateBuffer]) -> Option<usize> {
        [1, 0].into_iter().find(|&port| {
            self.inputs[port].is_some_and(|input| buffers[input].head_from() <= now)
                && buffers[self.outputs[port]].is_available(now)
        })
    }

    /// When a state can enter after `now` by what is known, as far as the buffers matter.
    fn eligible_from(&self, now: u64, buffers: &mut [StateBuffer]) -> u64 {
        let port = |port: usize| {
            let Some(input) = self.inputs[port] else {
                return u64::MAX;
            };
            let head = buffers[input].head_from();
            if head == u64::MAX {
                return u64::MAX;
            }
            head.max(buffers[self.outputs[port]].available_from(now))
        };
        [0, 1].map(port).into_iter().fold(u64::MAX, u64::min)
    }

    /// What happens in cycle `now`, and when the sub-engine may act again. To be called in each cycle
    /// in which it may act.
    pub(super) fn step(&mut self, now: u64, buffers: &mut [StateBuffer]) -> (Step, u64) {
        match &self.states {
            Loop::Slots { .. } => self.step_slots(now, buffers),
            Loop::Turns { .. } => self.step_turns(now, buffers),
        }
    }

    fn step_slots(&mut self, now: u64, buffers: &mut [StateBuffer]) -> (Step, u64) {
        debug_assert!(now >= self.slot_end && now.is_multiple_of(self.grid));
        let mut step = Step::default();
        let Loop::Slots { queue } = &mut self.states else {
            return (step, u64::MAX);
        };
        let head = queue.front().copied();
        let here = head.filter(|head| head.first_beat <= now);
        let is_done = |head: &Inside| head.issued == self.visits[head.port].rounds();
        if let Some(mut head) = here.filter(|head| !is_done(head)) {
            let round = *self.visits[head.port].round(head.issued);
            if head.complete > now && round.spacing == 1 && self.beats > 1 {
                // The beats would come too slowly. No new state passes this one.
                return (step, self.align(head.complete));
            }
            queue.pop_front();
            if let Some(trace) = &mut self.trace {
                trace.push(Slot {
                    begin: now,
                    cycles: round.cycles,
                    round: head.issued,
                    visit: head.port,
                });
            }
            head.issued += 1;
            head.first_beat = now + round.first_beat;
            head.complete = now + round.complete;
            queue.push_back(head);
            return (step, self.begin_slot(now, round.cycles, true));
        }
        let leaving = here.filter(|head| head.complete <= now);
        let has_room = self.inside != self.limit || leaving.is_some();
        let entering = self.eligible(now, buffers).filter(|_| has_room);
        let round = entering.map(|port| *self.visits[port].round(0));
        if let Some(head) = leaving {
            // The beats leave in step with those that take their slot.
            let spacing = round.map_or(1, |round| round.spacing);
            let last = now + (self.beats - 1) * spacing;
            let complete = buffers[self.outputs[head.port]].push(now, last);
            step.left = Some((head.port, complete));
            self.inside -= 1;
        }
        if let Loop::Slots { queue } = &mut self.states {
            if leaving.is_some() {
                queue.pop_front();
            }
            if let (Some(port), Some(round)) = (entering, round) {
                queue.push_back(Inside {
                    first_beat: now + round.first_beat,
                    complete: now + round.complete,
                    port,
                    issued: 1,
                });
            }
        }
        if let (Some(port), Some(round)) = (entering, round) {
            let freed = self.enter(now, port, round.spacing, buffers);
            step.freed = freed.map(|time| (port, time));
            if let Some(trace) = &mut self.trace {
                trace.push(Slot {
                    begin: now,
                    cycles: round.cycles,
                    round: 0,
                    visit: port,
                });
            }
            return (step, self.begin_slot(now, round.cycles, true));
        }
        if leaving.is_some() {
            return (step, self.begin_slot(now, self.beats, false));
        }
        // It acts again when the head has come, and when a state can enter for which there is room.
        let mut wake = head.map_or(u64::MAX, |head| {
            if head.first_beat > now {
                head.first_beat
            } else {
                head.complete
            }
        });
        if self.inside != self.limit {
            wake = wake.min(self.eligible_from(now, buffers));
        }
        (step, self.align(wake.max(now + 1)))
    }

    /// A state enters from `port`; returns when its place in the buffer before is free, if somebody may
    /// wait for it.
    fn enter(
        &mut self,
        now: u64,
        port: usize,
        spacing: u64,
        buffers: &mut [StateBuffer],
    ) -> Option<u64> {
        self.inside += 1;
        buffers[self.outputs[port]].reserve();
        let input = self.inputs[port].unwrap_or_default();
        buffers[input].take(now + (self.beats - 1) * spacing)
    }

    fn begin_slot(&mut self, now: u64, cycles: u64, is_busy: bool) -> u64 {
        self.slot_end = now + cycles;
        self.slot_is_busy = is_busy;
        if is_busy {
            self.busy += cycles;
        }
        self.align(self.slot_end)
    }

    fn step_turns(&mut self, now: u64, buffers: &mut [StateBuffer]) -> (Step, u64) {
        let mut step = Step::default();
        let Loop::Turns {
            turn,
            occupied,
            leaves,
        } = &mut self.states
        else {
            return (step, u64::MAX);
        };
        let place = 1 << turn.place(now);
        let leaving = (0..self.ports).find(|&port| leaves[port].front() == Some(&now));
        if let Some(port) = leaving {
            leaves[port].pop_front();
            *occupied &= !place;
        }
        let has_room = self.inside != self.limit || leaving.is_some();
        let mut entering = None;
        if *occupied & place == 0 && has_room {
            entering = (0..self.ports).rev().find(|&port| {
                self.inputs[port].is_some_and(|input| buffers[input].head_from() <= now)
                    && buffers[self.outputs[port]].is_available(now)
            });
        }
        let spacing = self.visits[0].kinds[0].0.spacing;
        if let Some(port) = leaving {
            let spacing = if entering.is_some() { spacing } else { 1 };
            let last = now + (self.beats - 1) * spacing;
            let complete = buffers[self.outputs[port]].push(now, last);
            step.left = Some((port, complete));
            self.inside -= 1;
            self.busy += u64::from(self.visits[port].rounds()) * turn.slot;
        }
        if let Some(port) = entering {
            *occupied |= place;
            leaves[port].push_back(now + u64::from(self.visits[port].rounds()) * turn.cycles);
            self.inside += 1;
            buffers[self.outputs[port]].reserve();
            if let Some(input) = self.inputs[port] {
                let freed = buffers[input].take(now + (self.beats - 1) * spacing);
                step.freed = freed.map(|time| (port, time));
            }
        }
        let mut next = u64::MAX;
        for leaves in &leaves[..self.ports] {
            next = next.min(leaves.front().copied().unwrap_or(u64::MAX));
        }
        if self.inside == self.limit {
            return (step, next);
        }
        // The next free slot from when on a state can enter. A slot that is not free becomes so when
        // its state leaves, which is a time to act anyway.
        let mut from = u64::MAX;
        for port in 0..self.ports {
            let head = self.inputs[port].map_or(u64::MAX, |input| buffers[input].head_from());
            if head < from {
                let available = buffers[self.outputs[port]].available_from(now);
                from = from.min(head.max(available));
            }
        }
        if from != u64::MAX {
            let turn = *turn;
            let occupied = *occupied;
            let from = self.align(from.max(now + 1));
            next = next.min(turn.free_slot(from, occupied));
        }
        (step, next)
    }

    /// Cycles before `end` in which a slot of a state was under way. `end` is at most a cycle ahead.
    pub(super) fn busy_before(&self, end: u64) -> u64 {
        match &self.states {
            Loop::Slots { .. } => {
                let ahead = self.slot_end.saturating_sub(end);
                self.busy - if self.slot_is_busy { ahead } else { 0 }
            }
            Loop::Turns { turn, leaves, .. } => {
                let mut busy = self.busy;
                for (visit, leaves) in self.visits.iter().zip(leaves) {
                    for leave in leaves {
                        let entered = leave - u64::from(visit.rounds()) * turn.cycles;
                        let time = end.saturating_sub(entered);
                        busy +=
                            time / turn.cycles * turn.slot + (time % turn.cycles).min(turn.slot);
                    }
                }
                // The last round of a state that left is over before it leaves.
                busy
            }
        }
    }
}

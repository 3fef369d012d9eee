//! A sub-engine: the loop of slots that `acclmt_slot_control` runs, or that of `acclmt_adder_control`.

use std::collections::VecDeque;

use super::adders::{AdderLoop, SetPasses};
use super::buffer::StateBuffer;
use super::slots::Slots;
use super::survey::Survey;
use super::times::Times;
use super::turn::{Place, Turn, align};
use super::visits::PartialVisits;
use crate::latencies::Pipelines;
use acclmt_driver::program::Shape;
use acclmt_driver::timeline::Slot;

/// Slot and latency of a round, or of another pass of a full-round sub-engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Round {
    /// Cycles of its slot.
    pub(super) cycles: u64,
    /// Cycles from one beat to the next.
    pub(super) spacing: u64,
    /// Cycles from the issue of its first beat until the first beat is at the head of the loop's queue,
    /// and until all are there.
    pub(super) first_beat: u64,
    pub(super) complete: u64,
}

impl Round {
    /// Any pass of a full-round sub-engine but a short one.
    pub(super) fn full(shape: Shape, pipelines: &Pipelines) -> Self {
        let (beats, steps) = (shape.beats() as u64, shape.steps() as u64);
        let first_beat = pipelines.full_loop + shape.skew() as u64 + steps - 1;
        Self {
            cycles: shape.full_round_cycles() as u64,
            spacing: shape.spacing() as u64,
            first_beat,
            complete: first_beat.max(first_beat + (beats - 1) * steps - 1),
        }
    }

    /// The last full round of a final state, if it is short: it makes one beat, in as many steps as the state
    /// has beats.
    pub(super) fn short(shape: Shape, pipelines: &Pipelines) -> Option<Self> {
        let latency = pipelines.full_loop + shape.skew() as u64 + shape.beats() as u64 - 1;
        shape.is_short().then(|| Self {
            cycles: shape.last_round_cycles() as u64,
            spacing: shape.last_spacing() as u64,
            first_beat: latency,
            complete: latency,
        })
    }

    /// A round on a partial-round sub-engine: element 0, which passes the S-box, is the last one to come.
    pub(super) fn partial(shape: Shape, pipelines: &Pipelines) -> Self {
        Self {
            cycles: shape.partial_round_cycles() as u64,
            spacing: 1,
            first_beat: pipelines.partial_loop,
            complete: pipelines.partial_loop,
        }
    }

    /// The same with a matrix that begins so many cycles later.
    pub(super) fn later(self, cycles: u64) -> Self {
        Self {
            first_beat: self.first_beat + cycles,
            complete: self.complete + cycles,
            ..self
        }
    }

    /// The turn of a loop of such rounds alone.
    fn turn(&self) -> Turn {
        Turn::new(self.cycles, self.complete.next_multiple_of(self.cycles))
    }
}

/// Rounds of a visit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Visit {
    pub(super) rounds: u32,
    pub(super) round: Round,
    /// What takes the place of the last round of a final state.
    pub(super) short: Option<Round>,
}

impl Visit {
    pub(super) fn round(&self, number: u32, is_final: bool) -> &Round {
        match &self.short {
            Some(short) if is_final && number + 1 == self.rounds => short,
            _ => &self.round,
        }
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
    /// Whether it is on its last visit and its digest is taken.
    is_final: bool,
}

/// What a sub-engine did in a cycle.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Step {
    /// By port, when a state that left is complete in the output buffer.
    pub(super) left: [Option<u64>; 2],
    /// A state of this port entered, for whose place in the buffer before somebody may wait: it is free at
    /// this time.
    pub(super) freed: Option<(usize, u64)>,
}

/// How the states in the loop are kept.
#[derive(Clone, Debug)]
enum Loop {
    /// One by one: a step for each slot.
    Slots { queue: VecDeque<Inside> },
    /// States of one beat: all slots are of one length and a round takes a whole number of them, so that a
    /// state keeps its slot in each turn of the loop until it leaves. A step for each visit.
    Turns {
        turn: Turn,
        /// Slots of a turn that are taken.
        occupied: Place,
        /// When the states of each port leave.
        leaves: [Times; 2],
    },
    /// Layers are made by adders.
    Adders(Box<AdderLoop<()>>),
}

#[derive(Clone, Debug)]
pub(super) struct SubEngine {
    /// Boundaries of slots are at multiples of this.
    grid: u64,
    /// Cycles from one beat to the next of a state that comes round.
    arrival: u64,
    beats: u64,
    /// Beats of a final state that leaves.
    final_beats: u64,
    /// Of the states that are on their way to their last visit, in their order: whether they are final.
    /// Nothing where that makes no difference.
    finals: Option<VecDeque<bool>>,
    /// States that fit, and that are inside.
    limit: u64,
    inside: u64,
    visits: [Visit; 2],
    states: Loop,
    /// Where the states of each port come from and go to: numbers of buffers.
    inputs: [Option<usize>; 2],
    outputs: [usize; 2],
    /// In turns there are none; what is busy is that of the states that have left.
    slots: Slots,
}

impl SubEngine {
    /// A full-round sub-engine with so many passes in both visits, whose states may begin with a layer without
    /// S-boxes.
    pub(super) fn full(
        shape: Shape,
        pipelines: &Pipelines,
        passes: [u32; 2],
        layer_first: bool,
        inputs: [Option<usize>; 2],
        outputs: [usize; 2],
        slots: bool,
    ) -> Self {
        let round = Round::full(shape, pipelines);
        let short = Round::short(shape, pipelines);
        let [first, last] = passes;
        let visits = [(first, None), (last, short)].map(|(rounds, short)| Visit {
            rounds,
            round,
            short,
        });
        let beats = shape.beats() as u64;
        let turns = beats == 1 && !slots;
        let grid = shape.grid() as u64;
        let mut sub_engine = Self::new(grid, beats, pipelines, visits, inputs, outputs, turns);
        sub_engine.arrival = shape.steps() as u64;
        if short.is_some() && inputs[1].is_some() {
            sub_engine.final_beats = shape.last_beats() as u64;
            sub_engine.finals = Some(VecDeque::new());
        }
        if shape.adders {
            let set = SetPasses::new(shape, passes, layer_first);
            let adders = AdderLoop::new(vec![set], pipelines);
            sub_engine.states = Loop::Adders(Box::new(adders));
        }
        sub_engine
    }

    /// A permutation begins, whose last visit is here: whether its state is final.
    pub(super) fn begins(&mut self, is_final: bool) {
        if let Some(finals) = &mut self.finals {
            finals.push_back(is_final);
        }
    }

    /// A partial-round sub-engine with so many rounds, slot by slot.
    pub(super) fn partial(
        shape: Shape,
        pipelines: &Pipelines,
        rounds: u32,
        input: usize,
        output: usize,
    ) -> Self {
        let beats = shape.beats() as u64;
        let round = Round::partial(shape, pipelines);
        let visit = Visit {
            rounds,
            round,
            short: None,
        };
        let (inputs, outputs) = ([Some(input), None], [output; 2]);
        let visits = [visit; 2];
        Self::new(
            round.cycles,
            beats,
            pipelines,
            visits,
            inputs,
            outputs,
            false,
        )
    }

    /// Partial-round sub-engines with so many rounds each, one after the other, visit by visit.
    pub(super) fn partial_visits(
        shape: Shape,
        pipelines: &Pipelines,
        rounds: &[u32],
        input: usize,
        output: usize,
    ) -> PartialVisits {
        let turn = Round::partial(shape, pipelines).turn();
        let beats = shape.beats() as u64;
        let limit = pipelines.places / beats;
        PartialVisits::new(turn, beats, limit, rounds, input, output)
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
        let round = visits[0].round;
        let states = if turns {
            Loop::Turns {
                turn: round.turn(),
                occupied: 0,
                leaves: [0, 1].map(|_| Times::new(pipelines.places)),
            }
        } else {
            Loop::Slots {
                queue: VecDeque::new(),
            }
        };
        Self {
            grid,
            arrival: 1,
            beats,
            final_beats: beats,
            finals: None,
            limit: pipelines.places / beats,
            inside: 0,
            visits,
            states,
            inputs,
            outputs,
            slots: Slots::default(),
        }
    }

    /// Records the slots from now on; only of a sub-engine that runs slot by slot.
    pub(super) fn record(&mut self) {
        self.slots.record();
    }

    /// The slots that began since the last call.
    pub(super) fn recorded(&mut self) -> Vec<Slot> {
        self.slots.recorded()
    }

    pub(super) fn input(&self, port: usize) -> Option<usize> {
        self.inputs[port]
    }

    pub(super) fn output(&self, port: usize) -> usize {
        self.outputs[port]
    }

    /// The first boundary of a slot at or after `time`.
    fn align(&self, time: u64) -> u64 {
        align(time, self.grid)
    }

    /// When the sub-engine may act, after cycle `now`, as something happens to its buffers at `time`.
    pub(super) fn wake(&self, now: u64, time: u64, buffers: &mut [StateBuffer]) -> u64 {
        match &self.states {
            // What has happened before does not take it from the boundaries of its slots.
            Loop::Slots { .. } => self.align(time.max(self.slots.end).max(now + 1)),
            Loop::Turns {
                turn,
                occupied,
                leaves,
            } => {
                let from = self.eligible_from(now, buffers);
                if from == u64::MAX {
                    return from;
                }
                // The next slot that is free, or becomes so as its state leaves.
                let from = self.align(from.max(now + 1));
                let next = leaves[0].front().min(leaves[1].front());
                if self.inside == self.limit {
                    from.max(next)
                } else if next <= from {
                    from
                } else {
                    next.min(turn.free_slot(from, *occupied))
                }
            }
            Loop::Adders(adders) => {
                let new_from = [0, 1].map(|port| self.new_from(now, port, buffers));
                adders.wake(now, new_from)
            }
        }
    }

    /// When a state can enter after `now` by what is known, as far as the buffers matter.
    fn eligible_from(&self, now: u64, buffers: &mut [StateBuffer]) -> u64 {
        let mut from = u64::MAX;
        for port in [0, 1] {
            let head = self.inputs[port].map_or(u64::MAX, |input| buffers[input].head_from());
            if head < from {
                let available = buffers[self.outputs[port]].available_from(now);
                from = from.min(head.max(available));
            }
        }
        from
    }

    /// When a state of `port` is there and has a place behind the sub-engine, after `now` and by what is known.
    fn new_from(&self, now: u64, port: usize, buffers: &mut [StateBuffer]) -> u64 {
        let head = self.inputs[port].map_or(u64::MAX, |input| buffers[input].head_from());
        head.max(buffers[self.outputs[port]].available_from(now))
    }

    /// What happens in cycle `now`, and when the sub-engine may act again. To be called in each cycle
    /// in which it may act.
    pub(super) fn step(&mut self, now: u64, buffers: &mut [StateBuffer]) -> (Step, u64) {
        match &self.states {
            Loop::Slots { .. } => self.step_slots(now, buffers),
            Loop::Turns { .. } => self.step_turns(now, buffers),
            Loop::Adders(_) => self.step_adders(now, buffers),
        }
    }

    fn step_slots(&mut self, now: u64, buffers: &mut [StateBuffer]) -> (Step, u64) {
        debug_assert!(now >= self.slots.end && now.is_multiple_of(self.grid));
        let mut step = Step::default();
        let Loop::Slots { queue } = &mut self.states else {
            return (step, u64::MAX);
        };
        let head = queue.front().copied();
        let here = head.filter(|head| head.first_beat <= now);
        let is_done = |head: &Inside| head.issued == self.visits[head.port].rounds;
        let next = here.filter(|head| !is_done(head)).map(|head| {
            let round = *self.visits[head.port].round(head.issued, head.is_final);
            // Where it takes its beats faster than they come they must be there.
            let can_go_on = head.complete <= now || round.spacing >= self.arrival;
            (head, round, can_go_on)
        });
        if let Some((mut head, round, true)) = next {
            queue.pop_front();
            let slot = (head.issued, head.port);
            head.issued += 1;
            head.first_beat = now + round.first_beat;
            head.complete = now + round.complete;
            queue.push_back(head);
            return (step, self.begin_slot(now, round.cycles, Some(slot)));
        }
        let leaving = here.filter(|head| next.is_none() && head.complete <= now);
        let has_room = self.inside != self.limit || leaving.is_some();
        let entering = eligible(&self.inputs, &self.outputs, now, buffers).filter(|_| has_room);
        let entering = entering.map(|port| {
            let finals = self.finals.as_mut().filter(|_| port == 1);
            let is_final = finals.and_then(VecDeque::pop_front).unwrap_or_default();
            (port, is_final)
        });
        let round = entering.map(|(port, is_final)| *self.visits[port].round(0, is_final));
        if let Some(head) = leaving {
            // The beats leave in step with those that take their slot.
            let spacing = round.map_or(1, |round| round.spacing);
            let beats = if head.is_final {
                self.final_beats
            } else {
                self.beats
            };
            let last = now + (beats - 1) * spacing;
            let complete = buffers[self.outputs[head.port]].push(now, last);
            step.left[head.port] = Some(complete);
            self.inside -= 1;
        }
        if let Loop::Slots { queue } = &mut self.states {
            if leaving.is_some() {
                queue.pop_front();
            }
            if let (Some((port, is_final)), Some(round)) = (entering, round) {
                queue.push_back(Inside {
                    first_beat: now + round.first_beat,
                    complete: now + round.complete,
                    port,
                    issued: 1,
                    is_final,
                });
            }
        }
        if let (Some((port, _)), Some(round)) = (entering, round) {
            let freed = self.enter(now, port, round.spacing, buffers);
            step.freed = freed.map(|time| (port, time));
            self.inside += 1;
            return (step, self.begin_slot(now, round.cycles, Some((0, port))));
        }
        if leaving.is_some() {
            return (step, self.begin_slot(now, self.beats, None));
        }
        // It acts again when the head has come or is complete, and when a state can enter for which there is
        // room.
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
        buffers[self.outputs[port]].reserve();
        let input = self.inputs[port].unwrap_or_default();
        buffers[input].take(now + (self.beats - 1) * spacing)
    }

    /// A slot begins, of this round and visit of a state, or of none; returns when the next one can.
    fn begin_slot(&mut self, now: u64, cycles: u64, state: Option<(u32, usize)>) -> u64 {
        self.slots.begin(now, cycles, state);
        self.align(self.slots.end)
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
        for (leaves, visit) in leaves.iter_mut().zip(&self.visits) {
            loop {
                let time = leaves.front();
                if time > now {
                    break;
                }
                leaves.pop();
                *occupied &= !turn.place(time);
                self.inside -= 1;
                self.slots.busy += u64::from(visit.rounds) * turn.slot;
            }
        }
        let place = turn.place(now);
        if *occupied & place == 0
            && self.inside != self.limit
            && let Some(port) = eligible(&self.inputs, &self.outputs, now, buffers)
        {
            *occupied |= place;
            // The state goes on when it leaves, which nothing changes from here on.
            let leave = now + u64::from(self.visits[port].rounds) * turn.cycles;
            leaves[port].push(leave);
            let complete = buffers[self.outputs[port]].push(leave, leave);
            step.left[port] = Some(complete);
            let freed = self.enter(now, port, 1, buffers);
            step.freed = freed.map(|time| (port, time));
            self.inside += 1;
        }
        (step, self.wake(now, now + 1, buffers))
    }

    fn step_adders(&mut self, now: u64, buffers: &mut [StateBuffer]) -> (Step, u64) {
        let mut step = Step::default();
        let new = [0, 1].map(|port| (self.new_from(now, port, buffers) <= now).then_some((0, ())));
        let Loop::Adders(adders) = &mut self.states else {
            return (step, u64::MAX);
        };
        let cycle = adders.step(now, new);
        for (port, leaving) in cycle.left.into_iter().enumerate() {
            let buffer = &mut buffers[self.outputs[port]];
            step.left[port] = leaving.map(|(first, last, ())| buffer.push(first, last));
        }
        if let Some(port) = cycle.entered {
            let freed = self.enter(now, port, 1, buffers);
            step.freed = freed.map(|time| (port, time));
        }
        if let Some(pass) = cycle.issued {
            // The state takes the S-boxes for a cycle a beat.
            self.begin_slot(now, self.beats, Some(pass));
        }
        (step, self.wake(now, now + 1, buffers))
    }

    /// Lists all that its future depends on.
    pub(super) fn survey(&mut self, survey: &mut Survey<'_>) {
        survey.grid(self.grid);
        survey.number(self.inside);
        if let Some(finals) = &self.finals {
            survey.number(finals.len() as u64);
            (finals.iter()).for_each(|&is_final| survey.number(is_final.into()));
        }
        match &mut self.states {
            Loop::Slots { queue } => {
                survey.number(queue.len() as u64);
                for inside in queue {
                    survey.time(&mut inside.first_beat);
                    survey.time(&mut inside.complete);
                    survey.number(inside.port as u64);
                    survey.number(inside.issued.into());
                    survey.number(inside.is_final.into());
                }
                survey.time(&mut self.slots.end);
                survey.number(self.slots.is_busy.into());
            }
            Loop::Turns {
                turn,
                occupied,
                leaves,
            } => {
                for leaves in &mut *leaves {
                    leaves.survey(survey);
                }
                if survey.shifts() {
                    let times = leaves.iter().flat_map(Times::iter);
                    *occupied = times.fold(0, |places, time| places | turn.place(time));
                }
            }
            Loop::Adders(adders) => {
                adders.survey(survey, |(), _| {});
                survey.due(&mut self.slots.end);
            }
        }
    }

    /// What is counted: cycles of slots.
    pub(super) fn total(&mut self) -> &mut u64 {
        &mut self.slots.busy
    }

    /// Cycles before `end` in which a slot of a state was under way.
    pub(super) fn busy_before(&self, end: u64) -> u64 {
        match &self.states {
            Loop::Slots { .. } | Loop::Adders(_) => self.slots.busy_before(end),
            Loop::Turns { turn, leaves, .. } => {
                let mut busy = self.slots.busy;
                for (visit, leaves) in self.visits.iter().zip(leaves) {
                    let rounds = u64::from(visit.rounds);
                    for leave in leaves.iter() {
                        let entered = leave - rounds * turn.cycles;
                        busy += turn.busy(end.saturating_sub(entered), rounds);
                    }
                }
                busy
            }
        }
    }
}

/// The port whose state at the head of its buffer can enter in cycle `now`.
fn eligible(
    inputs: &[Option<usize>; 2],
    outputs: &[usize; 2],
    now: u64,
    buffers: &mut [StateBuffer],
) -> Option<usize> {
    [1, 0].into_iter().find(|&port| {
        inputs[port].is_some_and(|input| buffers[input].head_from() <= now)
            && buffers[outputs[port]].is_available(now)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_of_every_kind() {
        let shape = |width, alpha, goldilocks| Shape {
            width,
            beside: 0,
            alpha,
            s_box_passes: [1; 2],
            s_box_products: [3; 2],
            goldilocks,
            recurrent: true,
            adders: false,
            first_layer: false,
            partial_matrix: false,
            own_last_matrix: false,
            digest_beats: 1,
        };
        let round = |cycles, spacing, first_beat, complete| Round {
            cycles,
            spacing,
            first_beat,
            complete,
        };
        let pipelines = Pipelines::new(false);
        for (shape, grid, full, short, partial) in [
            (shape(3, 5, false), 1, round(1, 1, 61, 61), None, 1),
            (shape(4, 5, false), 1, round(2, 1, 62, 62), Some((2, 63)), 2),
            (shape(5, 5, false), 1, round(2, 1, 63, 63), Some((2, 64)), 2),
            (shape(6, 5, false), 1, round(3, 1, 64, 64), Some((2, 65)), 2),
            (shape(8, 5, false), 1, round(6, 2, 66, 69), Some((3, 67)), 3),
            (
                shape(12, 5, false),
                1,
                round(8, 2, 70, 75),
                Some((4, 72)),
                4,
            ),
            (shape(3, 7, false), 2, round(2, 2, 61, 61), None, 2),
            (shape(5, 7, false), 2, round(4, 2, 64, 64), None, 2),
            (shape(8, 7, false), 2, round(6, 2, 66, 69), None, 3),
            (shape(12, 7, false), 2, round(8, 2, 70, 75), None, 4),
            (shape(6, 5, true), 1, round(1, 1, 61, 61), None, 1),
            (shape(12, 5, true), 2, round(2, 1, 63, 63), None, 1),
            (shape(12, 7, true), 2, round(2, 2, 63, 63), None, 1),
            (shape(13, 5, true), 1, round(6, 2, 64, 66), None, 2),
            (shape(15, 7, true), 2, round(6, 2, 64, 66), None, 2),
            (shape(16, 7, true), 2, round(6, 2, 65, 67), None, 2),
            (shape(19, 5, true), 1, round(8, 2, 67, 70), None, 2),
            (shape(24, 7, true), 2, round(8, 2, 67, 70), None, 2),
        ] {
            let short = short.map(|(cycles, latency)| round(cycles, 1, latency, latency));
            assert_eq!(shape.grid(), grid, "{shape:?}");
            assert_eq!(Round::full(shape, &pipelines), full, "{shape:?}");
            assert_eq!(Round::short(shape, &pipelines), short, "{shape:?}");
            let expected = round(partial, 1, 43, 43);
            assert_eq!(Round::partial(shape, &pipelines), expected, "{shape:?}");
        }
    }
}

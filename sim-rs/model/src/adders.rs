//! The loop of a full-round sub-engine whose layers are made by adders (`acclmt_adder_control`): states of one or two
//! beats, of which one enters the S-boxes and one behind them in as many cycles as it has beats.
//!
//! S-boxes and adders take states of their own, and keep them for a time that is known. Dense layers wait for the
//! multipliers in a queue. So it is known, as a state enters the S-boxes or behind them, when it is at the head of the
//! queue or leaves, or from when on its dense layer can begin; and as that begins, when the state comes back or leaves.

use std::collections::VecDeque;

use super::survey::Survey;
use super::times::Times;
use crate::latencies::{self, Pipelines};
use acclmt_driver::program::Shape;

/// The first and the last visit, as numbers of ports.
const FIRST: usize = 0;
const LAST: usize = 1;

/// What a parameter set does on the sub-engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SetPasses {
    /// Passes of both visits.
    passes: [u32; 2],
    /// Its states begin with a layer without S-boxes.
    layer_first: bool,
    /// Beats of a state.
    beats: u64,
    /// Cycles of a beat of a dense layer.
    steps: u64,
}

impl SetPasses {
    /// A set of this shape, with so many passes in both visits.
    pub(super) fn new(shape: Shape, passes: [u32; 2], layer_first: bool) -> Self {
        Self {
            passes,
            layer_first,
            beats: shape.beats() as u64,
            steps: shape.steps() as u64,
        }
    }

    /// Whether the layer behind the S-boxes of the pass with this number is dense: the last one of the first visit.
    fn is_dense(&self, port: usize, pass: u32) -> bool {
        port == FIRST && self.leaves(port, pass)
    }

    /// Whether the state leaves behind the pass with this number.
    fn leaves(&self, port: usize, pass: u32) -> bool {
        pass + 1 >= self.passes[port]
    }
}

/// A state in the loop.
#[derive(Clone, Copy, Debug)]
struct Inside<T> {
    /// When it is at the head of its queue if no other one is, or comes back from its dense layer.
    from: u64,
    port: usize,
    /// Passes that were begun.
    begun: u32,
    set: usize,
    state: T,
}

/// The last cycles, of each whether something happened in it.
#[derive(Clone, Copy, Debug, Default)]
struct History {
    /// Bit k: k cycles ago.
    bits: u64,
}

impl History {
    /// So many cycles pass.
    fn pass(&mut self, cycles: u64) {
        let cycles = u32::try_from(cycles).unwrap_or(u32::MAX);
        self.bits = self.bits.checked_shl(cycles).unwrap_or(0);
    }

    /// It happens in this cycle.
    fn note(&mut self) {
        self.bits |= 1;
    }

    /// Whether it happened so many cycles ago, which are fewer than there are bits.
    fn was(&self, cycles: u64) -> bool {
        self.bits >> cycles & 1 != 0
    }
}

/// A new state: its set, and what accompanies it.
pub(super) type New<T> = (usize, T);

/// A state that is to leave: when its first and its last beat do, and what accompanies it.
pub(super) type Leaving<T> = (u64, u64, T);

/// What happened in a cycle.
#[derive(Clone, Copy, Debug)]
pub(super) struct AdderStep<T> {
    /// The port whose new state entered.
    pub(super) entered: Option<usize>,
    /// By port, the state for which it is known from this cycle on when it leaves.
    pub(super) left: [Option<Leaving<T>>; 2],
    /// A state entered the S-boxes: the number of its pass, and its visit.
    pub(super) issued: Option<(u32, usize)>,
}

/// The loop. `T` is what accompanies a state.
#[derive(Clone, Debug)]
pub(super) struct AdderLoop<T> {
    sets: Vec<SetPasses>,
    /// Beats of every state.
    beats: u64,
    /// Cycles of the S-boxes, and of a dense layer of one step.
    lead: u64,
    layer: u64,
    /// States that fit, and that are inside, those included that leave at times in `leaves`.
    places: u64,
    inside: u64,
    /// When the last beats of states of both ports leave.
    leaves: [Times; 2],
    /// The queue of what comes out of the adders, in the order in which it comes.
    queue: VecDeque<Inside<T>>,
    /// What waits for its dense layer, or is to come for one, in the order in which it comes; when the multipliers
    /// are free.
    dense: VecDeque<Inside<T>>,
    free_from: u64,
    /// A state goes on to a dense layer only while fewer than so many are to begin: there is room for one that begins,
    /// and for another one that goes on in the same cycle.
    most_dense: u64,
    /// What comes back from the dense layer of its last visit.
    returns: VecDeque<Inside<T>>,
    /// The last cycle that was looked at; of the cycles before it those in which states entered the S-boxes for a
    /// dense layer, and for one of the adders.
    at: u64,
    to_dense: History,
    to_adders: History,
}

impl<T: Copy> AdderLoop<T> {
    /// The loop for states of these sets, which are all of as many beats.
    pub(super) fn new(sets: Vec<SetPasses>, pipelines: &Pipelines) -> Self {
        let beats = sets.iter().map(|set| set.beats).max().unwrap_or(1);
        Self {
            sets,
            beats,
            lead: pipelines.sbox,
            // A round without its issue, the S-boxes and the queue.
            layer: pipelines.full_loop - latencies::ISSUE - pipelines.sbox - latencies::FIFO,
            places: pipelines.places / beats,
            inside: 0,
            leaves: [0, 1].map(|_| Times::new(pipelines.places)),
            queue: VecDeque::new(),
            dense: VecDeque::new(),
            free_from: 0,
            most_dense: pipelines.turn_states - 2,
            returns: VecDeque::new(),
            at: 0,
            to_dense: History::default(),
            to_adders: History::default(),
        }
    }

    /// When it may act after cycle `now`, as far as that is known: new states of both ports, for which there are
    /// places, are there from `new_from` on. Often there is nothing to be done then.
    pub(super) fn wake(&self, now: u64, new_from: [u64; 2]) -> u64 {
        let dense_fits = self.dense_fits();
        // The begin of a dense layer lets the next one go.
        let head = (self.queue.front()).filter(|head| dense_fits || !self.is_dense(head));
        let inside = self.returns.front().into_iter().chain(head);
        let from = inside.map(|inside| inside.from).fold(u64::MAX, u64::min);
        let last = if dense_fits { new_from[LAST] } else { u64::MAX };
        let room = if self.inside < self.places {
            0
        } else {
            // A state that leaves makes room in the cycle after its last beat.
            let next = self.leaves[FIRST].front().min(self.leaves[LAST].front());
            next.saturating_add(1)
        };
        let next = now + 1;
        let turn = self.turn(from.max(next), 0);
        let new = new_from[FIRST].min(last).max(room).max(next);
        turn.min(new).min(self.begin_from(next))
    }

    /// What happens in cycle `now`, with new states of both ports for which there are places. To be called in each
    /// cycle in which it may act.
    pub(super) fn step(&mut self, now: u64, new: [Option<New<T>>; 2]) -> AdderStep<T> {
        self.pass(now);
        let mut step = AdderStep {
            entered: None,
            left: [None; 2],
            issued: None,
        };
        // What this cycle begins counts from the next one on.
        let dense_fits = self.dense_fits();
        let enters = self.turn(now, self.lead) == now;
        let issues = self.turn(now, 0) == now;
        let is_dense_free = dense_fits && !self.to_dense.was(self.lead);
        let enters_last = new[LAST].filter(|_| enters && is_dense_free && self.has_room(1));
        // A state of the first visit leaves room for one of the last visit that waits for its unit.
        let needed = 1 + u64::from(new[LAST].is_some());
        let first = new[FIRST].filter(|_| enters_last.is_none() && self.has_room(needed));
        let (layers, s_boxes) = match first {
            Some((set, _)) if self.sets[set].layer_first => (first, None),
            _ => (None, first),
        };
        let enters_first = layers.filter(|_| enters && !self.to_adders.was(self.lead));
        if self.begin_from(now) == now {
            self.begin_dense(now, &mut step);
        }
        let issued = if issues {
            self.next_issue(now, s_boxes, dense_fits)
        } else {
            None
        };
        if let Some(inside) = issued {
            if inside.begun == 0 {
                step.entered = Some(FIRST);
            }
            step.issued = Some((inside.begun, inside.port));
            self.issue(now, inside, &mut step);
        }
        if let Some((set, state)) = enters_last {
            self.enter(now, LAST, set, state);
            step.entered = Some(LAST);
        } else if let Some((set, state)) = enters_first {
            self.enter(now, FIRST, set, state);
            step.entered = Some(FIRST);
        }
        self.inside += u64::from(step.entered.is_some());
        step
    }

    /// The cycles before `now` pass.
    fn pass(&mut self, now: u64) {
        for leaves in &mut self.leaves {
            while leaves.front() < now {
                leaves.pop();
                self.inside -= 1;
            }
        }
        let cycles = now - self.at;
        for history in [&mut self.to_dense, &mut self.to_adders] {
            history.pass(cycles);
        }
        self.at = now;
    }

    /// The first cycle at or after `time` in which states have their turn that have it in cycle `phase`.
    fn turn(&self, time: u64, phase: u64) -> u64 {
        let ahead = (phase % self.beats + self.beats - time % self.beats) % self.beats;
        time.saturating_add(ahead)
    }

    /// Whether there is room for so many states.
    fn has_room(&self, states: u64) -> bool {
        self.inside + states <= self.places
    }

    /// Whether a state can go on to a dense layer.
    fn dense_fits(&self) -> bool {
        (self.dense.len() as u64) < self.most_dense
    }

    /// Whether the next layer of a state in the queue is dense.
    fn is_dense(&self, inside: &Inside<T>) -> bool {
        self.sets[inside.set].is_dense(inside.port, inside.begun)
    }

    /// When the next dense layer begins, at `time` or later, by what has come for one.
    fn begin_from(&self, time: u64) -> u64 {
        let next = self.dense.front().map_or(u64::MAX, |next| next.from);
        self.turn(next.max(self.free_from).max(time), self.layer)
    }

    /// The next dense layer begins in cycle `now`: its state leaves or comes back.
    fn begin_dense(&mut self, now: u64, step: &mut AdderStep<T>) {
        let Some(inside) = self.dense.pop_front() else {
            return;
        };
        let steps = self.sets[inside.set].steps;
        self.free_from = now + self.beats * steps;
        let first = now + self.layer + steps - 1;
        let last = first + (self.beats - 1) * steps;
        if inside.port == FIRST {
            self.leaves[FIRST].push(last);
            step.left[FIRST] = Some((first, last, inside.state));
        } else {
            // Its last beat enters the S-boxes as it comes, and those before it in the cycles before.
            let from = last + 1 - self.beats;
            self.returns.push_back(Inside { from, ..inside });
        }
    }

    /// The state that enters the S-boxes in cycle `now`, if one does: the one that comes back, that at the head, or
    /// the new one.
    fn next_issue(&mut self, now: u64, new: Option<New<T>>, dense_fits: bool) -> Option<Inside<T>> {
        let is_here = |inside: &&Inside<T>| inside.from <= now;
        if self.returns.front().filter(is_here).is_some() {
            return self.returns.pop_front();
        }
        let head = self.queue.front().filter(is_here);
        if head.is_some_and(|head| dense_fits || !self.is_dense(head)) {
            return self.queue.pop_front();
        }
        let new = new.map(|(set, state)| Inside {
            from: now,
            port: FIRST,
            begun: 0,
            set,
            state,
        });
        new.filter(|new| dense_fits || !self.is_dense(new))
    }

    /// A state enters the S-boxes in cycle `now`, and may be to leave behind this pass.
    fn issue(&mut self, now: u64, inside: Inside<T>, step: &mut AdderStep<T>) {
        let Inside {
            port,
            begun,
            set,
            state,
            ..
        } = inside;
        let come = now + latencies::ISSUE + self.lead;
        let inside = Inside {
            begun: begun + 1,
            ..inside
        };
        if self.sets[set].is_dense(port, begun) {
            self.to_dense.note();
            self.enter_dense(come, inside);
            return;
        }
        self.to_adders.note();
        if self.sets[set].leaves(port, begun) {
            let first = self.added(come);
            let last = first + self.beats - 1;
            self.leaves[port].push(last);
            step.left[port] = Some((first, last, state));
        } else {
            self.enter_adders(come, inside);
        }
    }

    /// A new state of `port` enters behind the S-boxes in cycle `now`.
    fn enter(&mut self, now: u64, port: usize, set: usize, state: T) {
        let come = now + latencies::ISSUE;
        let inside = Inside {
            from: come,
            port,
            begun: 1,
            set,
            state,
        };
        if port == LAST {
            self.enter_dense(come, inside);
        } else {
            self.enter_adders(come, inside);
        }
    }

    /// When the first beat of a state comes out of the adders that comes to them in this cycle: they wait for the
    /// last one.
    fn added(&self, come: u64) -> u64 {
        come + latencies::ADDERS + self.beats - 1
    }

    /// A state comes to the adders, and is to come round.
    fn enter_adders(&mut self, come: u64, inside: Inside<T>) {
        let from = self.added(come) + latencies::FIFO;
        enqueue(&mut self.queue, Inside { from, ..inside });
    }

    /// A state comes for its dense layer.
    fn enter_dense(&mut self, come: u64, inside: Inside<T>) {
        let from = come + latencies::FIFO;
        enqueue(&mut self.dense, Inside { from, ..inside });
    }

    /// Lists all that its future depends on, of what accompanies states by `state`.
    pub(super) fn survey(&mut self, survey: &mut Survey<'_>, state: impl Fn(T, &mut Survey<'_>)) {
        survey.grid(self.beats);
        survey.number(self.inside);
        for leaves in &mut self.leaves {
            leaves.survey(survey);
        }
        for queue in [&mut self.queue, &mut self.dense, &mut self.returns] {
            survey.number(queue.len() as u64);
            for inside in queue {
                survey.due(&mut inside.from);
                survey.number(inside.port as u64);
                survey.number(inside.begun.into());
                survey.number(inside.set as u64);
                state(inside.state, survey);
            }
        }
        survey.due(&mut self.free_from);
        survey.time(&mut self.at);
        // Those that are longer ago than the S-boxes take make no difference.
        let recent = (1 << (self.lead + 1)) - 1;
        for history in [self.to_dense, self.to_adders] {
            survey.number(history.bits & recent);
        }
    }
}

/// A state is to come into a queue. It may overtake others, which are in the S-boxes.
fn enqueue<T>(queue: &mut VecDeque<Inside<T>>, inside: Inside<T>) {
    let behind = queue.partition_point(|other| other.from < inside.from);
    queue.insert(behind, inside);
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    /// A state: its set, its port, passes that were begun, and its number.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    struct State {
        set: usize,
        port: usize,
        begun: u32,
        number: u64,
    }

    /// A beat of a state, and its number.
    type Beat = (State, u64);

    /// The registers of `acclmt_adder_control`, with the units around it, a cycle and a beat at a time.
    #[derive(Debug)]
    struct Reference {
        sets: Vec<SetPasses>,
        beats: u64,
        places: u64,
        most_booked: u64,
        lead: usize,
        /// Cycles from the begin of a dense layer until a beat comes out that takes one step.
        layer: u64,
        /// In cycles of an odd number.
        phase_q: bool,
        dense_q: Vec<bool>,
        adders_q: Vec<bool>,
        booked_q: u64,
        inside_q: u64,
        /// Cycles for which a dense layer still takes the multipliers.
        taken_q: u64,
        /// A first beat that came back, and cycles until it goes on; when the last one did.
        held_q: Option<(State, u64)>,
        went_on: u64,
        /// What comes out of the S-boxes, or enters behind them, and what comes out of both units, by cycle.
        turns: BTreeMap<u64, Beat>,
        behind: BTreeMap<u64, Beat>,
        ends: BTreeMap<u64, Beat>,
        layers: BTreeMap<u64, Beat>,
        /// The queues of the S-boxes and of the multipliers, each state with the cycle in which its first beat entered.
        queue: VecDeque<(u64, State)>,
        waiting: VecDeque<(u64, State)>,
    }

    /// A beat that leaves: its port, the number of its state, and its own.
    type LeftBeat = (usize, u64, u64);

    /// What is seen of a cycle: the port that accepts a state, whether one enters the S-boxes, and beats that leave.
    type Seen = (Option<usize>, bool, Vec<LeftBeat>);

    /// What the units do in a cycle: the state that comes back, beats that leave, whether a dense layer begins.
    type Units = (Option<State>, Vec<LeftBeat>, bool);

    /// A state that has entered is there behind so many cycles.
    const QUEUE: u64 = 2;

    impl Reference {
        fn new(sets: Vec<SetPasses>, pipelines: &Pipelines) -> Self {
            let lead = pipelines.sbox as usize;
            let beats = sets[0].beats;
            Self {
                sets,
                beats,
                places: pipelines.places / beats,
                most_booked: pipelines.turn_states - 2,
                lead,
                layer: latencies::TURN + latencies::OPERAND + pipelines.dot + latencies::ADD,
                phase_q: false,
                dense_q: vec![false; lead],
                adders_q: vec![false; lead],
                booked_q: 0,
                inside_q: 0,
                taken_q: 0,
                held_q: None,
                went_on: u64::MAX,
                turns: BTreeMap::new(),
                behind: BTreeMap::new(),
                ends: BTreeMap::new(),
                layers: BTreeMap::new(),
                queue: VecDeque::new(),
                waiting: VecDeque::new(),
            }
        }

        fn is_last(&self, state: &State) -> bool {
            state.begun == self.sets[state.set].passes[state.port]
        }

        fn is_dense(&self, state: &State) -> bool {
            state.port == 0 && state.begun + 1 == self.sets[state.set].passes[0]
        }

        /// Whether something that has its turn in cycles that are so many behind an even one has it now.
        fn has_turn(&self, behind: u64) -> bool {
            self.beats == 1 || self.phase_q == (behind % 2 == 1)
        }

        /// All beats of a state come to a place, the first one in cycle `from`.
        fn put(place: &mut BTreeMap<u64, Beat>, beats: u64, from: u64, spacing: u64, state: State) {
            for beat in 0..beats {
                let before = place.insert(from + spacing * beat, (state, beat));
                assert!(before.is_none(), "two at once");
            }
        }

        /// The beats that come to the adders and to the queue of the multipliers.
        fn beats_come(&mut self, now: u64) {
            let mut dense_comes = false;
            for beat in [self.turns.remove(&now), self.behind.remove(&now)] {
                let Some((state, number)) = beat else {
                    continue;
                };
                let dense = if state.port == 0 {
                    self.is_last(&state)
                } else {
                    state.begun == 1
                };
                if dense {
                    assert!(!dense_comes, "two at once");
                    dense_comes = true;
                    if number == 0 {
                        self.waiting.push_back((now, state));
                    }
                } else {
                    let end = now + latencies::ADDERS + self.beats - 1;
                    let before = self.layers.insert(end, (state, number));
                    assert!(before.is_none(), "two at once");
                }
            }
        }

        /// Whether a dense layer begins in cycle `now`.
        fn dense_begins(&mut self, now: u64) -> bool {
            self.taken_q = self.taken_q.saturating_sub(1);
            let is_there = |&(entered, _): &(u64, State)| entered + QUEUE <= now;
            if self.taken_q != 0
                || !self.has_turn(self.layer)
                || !self.waiting.front().is_some_and(is_there)
            {
                return false;
            }
            let (_, state) = self.waiting.pop_front().expect("it is there");
            let steps = self.sets[state.set].steps;
            let end = now + self.layer + steps - 1;
            Self::put(&mut self.ends, self.beats, end, steps, state);
            self.taken_q = self.beats * steps;
            true
        }

        /// The units in cycle `now`.
        fn units(&mut self, now: u64) -> Units {
            self.beats_come(now);
            let begins = self.dense_begins(now);
            let mut left = Vec::new();
            let mut back = None;
            if let Some((state, cycles)) = self.held_q.take() {
                if cycles == 1 {
                    back = Some(state);
                } else {
                    self.held_q = Some((state, cycles - 1));
                }
            }
            if let Some((state, beat)) = self.ends.remove(&now) {
                if self.is_last(&state) {
                    left.push((state.port, state.number, beat));
                } else if beat != 0 {
                    assert_eq!(self.went_on + 1, now, "the last beat does not follow");
                } else {
                    assert!(back.is_none() && self.held_q.is_none(), "two at once");
                    if self.beats == 1 {
                        back = Some(state);
                    } else {
                        self.held_q = Some((state, self.sets[state.set].steps - 1));
                    }
                }
            }
            if back.is_some() {
                assert!(self.has_turn(0), "it comes back at the wrong time");
                self.went_on = now;
            }
            if let Some((state, beat)) = self.layers.remove(&now) {
                if self.is_last(&state) {
                    left.push((state.port, state.number, beat));
                } else if beat == 0 {
                    self.queue.push_back((now, state));
                }
            }
            (back, left, begins)
        }

        fn cycle(&mut self, now: u64, new: [Option<New<u64>>; 2]) -> Seen {
            let (back, left, begins) = self.units(now);
            let head = self
                .queue
                .front()
                .filter(|(entered, _)| entered + QUEUE <= now);
            let head = head.map(|&(_, state)| state);
            let new = [0, 1].map(|port| {
                new[port].map(|(set, number)| State {
                    set,
                    port,
                    begun: 0,
                    number,
                })
            });
            let new_enters = new[0].is_some_and(|state| self.sets[state.set].layer_first);
            let new_dense = new[0].is_some_and(|state| self.is_dense(&state));
            // As in the RTL.
            let issue_turn = self.has_turn(0);
            let enter_turn = self.has_turn(self.lead as u64);
            let room = self.inside_q < self.places;
            let room_for_two = self.inside_q < self.places - 1;
            let dense_fits = self.booked_q < self.most_booked;
            let head_dense = head.is_some_and(|state| self.is_dense(&state));
            let head_take =
                issue_turn && back.is_none() && head.is_some() && (!head_dense || dense_fits);
            let enter_last =
                new[1].is_some() && enter_turn && room && dense_fits && !self.dense_q[0];
            let new_first = new[0].is_some()
                && !enter_last
                && if new[1].is_some() { room_for_two } else { room };
            let issue_new = new_first
                && issue_turn
                && !new_enters
                && back.is_none()
                && !head_take
                && (!new_dense || dense_fits);
            let enter_first = new_first && new_enters && enter_turn && !self.adders_q[0];
            let enter = enter_last || enter_first;
            let issue = back.is_some() || head_take || issue_new;
            let issue_dense = head_take && head_dense || issue_new && new_dense;
            let accepted = if enter_last {
                Some(1)
            } else {
                (issue_new || enter).then_some(0)
            };
            if head_take {
                self.queue.pop_front();
            }
            let issued = match back {
                Some(state) => Some(state),
                None if head_take => head,
                None => new[0].filter(|_| issue_new),
            };
            if let Some(mut state) = issued {
                state.begun += 1;
                let turn = now + 1 + self.lead as u64;
                Self::put(&mut self.turns, self.beats, turn, 1, state);
            }
            if enter {
                let mut state = new[usize::from(enter_last)].expect("it is there");
                state.begun += 1;
                Self::put(&mut self.behind, self.beats, now + 1, 1, state);
            }
            self.phase_q = !self.phase_q;
            self.dense_q.remove(0);
            self.dense_q.push(issue_dense);
            self.adders_q.remove(0);
            self.adders_q.push(issue && !issue_dense);
            self.booked_q += u64::from(issue_dense) + u64::from(enter_last);
            self.booked_q -= u64::from(begins);
            self.inside_q += u64::from(accepted.is_some());
            let states = (left.iter()).filter(|(.., beat)| beat + 1 == self.beats);
            self.inside_q -= states.count() as u64;
            (accepted, issue, left)
        }
    }

    fn set(width: usize, passes: [u32; 2], layer_first: bool) -> SetPasses {
        let shape = Shape {
            width,
            beside: 0,
            alpha: 7,
            s_box_passes: [1; 2],
            s_box_products: [4; 2],
            goldilocks: true,
            recurrent: true,
            adders: true,
            first_layer: layer_first,
            partial_matrix: false,
            own_last_matrix: false,
            digest_beats: 1,
        };
        SetPasses::new(shape, passes, layer_first)
    }

    /// Compares both over so many cycles, in which states of both ports are offered at random; a state of the
    /// loop is only looked at in cycles in which it says that it may act.
    fn compare(
        sets: &[SetPasses],
        chances: [u64; 2],
        seed: u64,
        cycles: u64,
        runtime_modulus: bool,
    ) {
        let pipelines = Pipelines::new(runtime_modulus);
        let mut reference = Reference::new(sets.to_vec(), &pipelines);
        let mut adders = AdderLoop::new(sets.to_vec(), &pipelines);
        let mut seed = seed | 1;
        let mut random = |below: u64| {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            (seed >> 8) % below
        };
        let mut new: [Option<New<u64>>; 2] = [None; 2];
        let mut number = 0;
        let (mut wake, mut leaves) = (0, BTreeMap::<u64, Vec<LeftBeat>>::new());
        for now in 0..cycles {
            for port in [0, 1] {
                if new[port].is_none() && random(100) < chances[port] {
                    new[port] = Some((random(sets.len() as u64) as usize, number));
                    number += 1;
                    wake = now;
                }
            }
            let (accepted, issued, mut expected) = reference.cycle(now, new);
            let mut seen = (None, false);
            if wake <= now {
                let step = adders.step(now, new);
                seen = (step.entered, step.issued.is_some());
                for (port, leaving) in step.left.into_iter().enumerate() {
                    let Some((first, last, number)) = leaving else {
                        continue;
                    };
                    assert!(first > now);
                    let beats = [first, last].into_iter().take(sets[0].beats as usize);
                    for (beat, time) in beats.enumerate() {
                        let left = leaves.entry(time).or_default();
                        left.push((port, number, beat as u64));
                    }
                }
                let new_from = [0, 1].map(|port| {
                    let is_there = new[port].is_some() && accepted != Some(port);
                    if is_there { now } else { u64::MAX }
                });
                wake = adders.wake(now, new_from);
                assert!(wake > now);
            }
            assert_eq!(seen, (accepted, issued), "{now}");
            let mut left = leaves.remove(&now).unwrap_or_default();
            left.sort_unstable();
            expected.sort_unstable();
            assert_eq!(left, expected, "{now}");
            if let Some(port) = accepted {
                new[port] = None;
            }
        }
    }

    /// Sets of states of such widths, with passes of their own.
    fn sets(widths: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = Vec<SetPasses>> {
        let set = (widths, 1_u32..6, 2_u32..6, any::<bool>());
        let set = set.prop_map(|(width, first, last, layer)| {
            self::set(width, [first, last], layer && first > 1)
        });
        prop::collection::vec(set, 1..4)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn the_loop_does_what_the_control_does(
            sets in sets(2..=12),
            chances in [1_u64..=100, 0_u64..=100],
            seed in any::<u64>(),
            runtime_modulus in any::<bool>(),
        ) {
            compare(&sets, chances, seed, 3000, runtime_modulus);
        }

        #[test]
        fn the_loop_does_what_the_control_does_with_two_beats(
            sets in sets(13..=16),
            chances in [1_u64..=100, 0_u64..=100],
            seed in any::<u64>(),
            runtime_modulus in any::<bool>(),
        ) {
            compare(&sets, chances, seed, 3000, runtime_modulus);
        }
    }

    /// Cycles a hash, where new hashes are always there and states come back from the partial rounds: behind so many
    /// cycles, and no closer to each other than sub-engines of so many rounds let them.
    fn period(set: SetPasses) -> f64 {
        const PARTIAL: u64 = 300;
        const ROUNDS: u64 = 6;
        const CYCLES: u64 = 20_000;
        let mut adders = AdderLoop::new(vec![set], &Pipelines::new(false));
        let mut back = VecDeque::new();
        let (mut free_from, mut hashes) = (0, 0);
        for now in 0..2 * CYCLES {
            let is_back = back.front().is_some_and(|&from| from <= now);
            let step = adders.step(now, [Some((0, ())), is_back.then_some((0, ()))]);
            if step.entered == Some(LAST) {
                back.pop_front();
            }
            let [first, last] = step.left;
            if let Some((_, time, ())) = first {
                let from = free_from.max(time + PARTIAL);
                back.push_back(from);
                free_from = from + ROUNDS * set.beats;
            }
            let last = last.filter(|(_, time, ())| (CYCLES..2 * CYCLES).contains(time));
            hashes += u32::from(last.is_some());
        }
        CYCLES as f64 / f64::from(hashes)
    }

    #[test]
    fn hashes_of_plonky2_take_the_s_boxes_all_the_time() {
        for (width, most) in [(12, 8.3), (16, 17.0)] {
            let period = period(set(width, [4, 5], false));
            assert!(period <= most, "{width} elements: {period} cycles");
        }
    }

    #[test]
    fn hashes_of_poseidon2_take_the_s_boxes_all_the_time() {
        for (width, most) in [(12, 8.3), (16, 17.0)] {
            let period = period(set(width, [5, 5], true));
            assert!(period <= most, "{width} elements: {period} cycles");
        }
    }
}

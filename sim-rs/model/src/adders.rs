//! The loop of a full-round sub-engine whose layers are made by adders (`acclmt_adder_control`): states of one beat,
//! of which one enters the S-boxes in a cycle and one behind them.
//!
//! S-boxes, adders and multipliers take states of their own, and all keep them for a time that is known. So it is
//! known, as a state enters the S-boxes or behind them, when it is at the head of the queue, comes back from the
//! dense layer of its last visit, or leaves.

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
    /// Cycles of a dense layer, from the state that comes out of the S-boxes until it is made.
    dense: u64,
}

impl SetPasses {
    /// A set of this shape, with so many passes in both visits, whose first matrix begins so late.
    pub(super) fn new(
        shape: Shape,
        skew: u64,
        passes: [u32; 2],
        layer_first: bool,
        pipelines: &Pipelines,
    ) -> Self {
        // A round without its issue, the S-boxes and the queue.
        let layer = pipelines.full_loop - latencies::ISSUE - pipelines.sbox - latencies::FIFO;
        Self {
            passes,
            layer_first,
            dense: layer + skew + shape.steps() as u64 - 1,
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
    /// When it is at the head of the queue if no other one is, or comes back from its dense layer.
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

/// What happened in a cycle.
#[derive(Clone, Copy, Debug)]
pub(super) struct AdderStep<T> {
    /// The port whose new state entered.
    pub(super) entered: Option<usize>,
    /// A state is to leave through this port in this cycle.
    pub(super) left: Option<(usize, u64, T)>,
    /// A state entered the S-boxes: the number of its pass, and its visit.
    pub(super) issued: Option<(u32, usize)>,
}

/// The loop. `T` is what accompanies a state.
#[derive(Clone, Debug)]
pub(super) struct AdderLoop<T> {
    sets: Vec<SetPasses>,
    /// Cycles of the S-boxes.
    lead: u64,
    /// States that fit, and that are inside, those included that leave at times in `leaves`.
    places: u64,
    inside: u64,
    /// When states of both ports leave.
    leaves: [Times; 2],
    /// The queue of what comes out of the adders, in the order in which it comes.
    queue: VecDeque<Inside<T>>,
    /// What comes back from the dense layer of its last visit.
    returns: VecDeque<Inside<T>>,
    /// The last cycle that was looked at; of the cycles before it those in which states entered the S-boxes for a
    /// dense layer, for one of the adders, and behind them for a dense layer.
    at: u64,
    dense: History,
    layers: History,
    entered: History,
}

impl<T: Copy> AdderLoop<T> {
    /// The loop for states of these sets.
    pub(super) fn new(sets: Vec<SetPasses>, pipelines: &Pipelines) -> Self {
        Self {
            sets,
            lead: pipelines.sbox,
            places: pipelines.places,
            inside: 0,
            leaves: [0, 1].map(|_| Times::new(pipelines.places)),
            queue: VecDeque::new(),
            returns: VecDeque::new(),
            at: 0,
            dense: History::default(),
            layers: History::default(),
            entered: History::default(),
        }
    }

    /// When it may act after cycle `now`, as far as that is known: new states of both ports, for which there are
    /// places, are there from `new_from` on. Often there is nothing to be done then.
    pub(super) fn wake(&self, now: u64, new_from: [u64; 2]) -> u64 {
        let inside = self.returns.front().into_iter().chain(self.queue.front());
        let from = inside.map(|inside| inside.from).fold(u64::MAX, u64::min);
        let new = new_from[FIRST].min(new_from[LAST]);
        let room = if self.inside < self.places {
            0
        } else {
            // A state that leaves makes room in the cycle after it.
            let next = self.leaves[FIRST].front().min(self.leaves[LAST].front());
            next.saturating_add(1)
        };
        from.min(new.max(room)).max(now + 1)
    }

    /// What happens in cycle `now`, with new states of both ports for which there are places. To be called in each
    /// cycle in which it may act.
    pub(super) fn step(&mut self, now: u64, new: [Option<New<T>>; 2]) -> AdderStep<T> {
        self.pass(now);
        let mut step = AdderStep {
            entered: None,
            left: None,
            issued: None,
        };
        let enters_last = new[LAST].filter(|_| self.has_room(1) && self.is_dense_free());
        // A state of the first visit leaves room for one of the last visit that waits for its unit.
        let needed = 1 + u64::from(new[LAST].is_some());
        let first = new[FIRST].filter(|_| enters_last.is_none() && self.has_room(needed));
        let (layers, s_boxes) = match first {
            Some((set, _)) if self.sets[set].layer_first => (first, None),
            _ => (None, first),
        };
        // What this cycle begins is in the cycles of others only in the next one.
        let enters_first = layers.filter(|_| !self.layers.was(self.lead));
        if let Some(inside) = self.next_issue(now, s_boxes) {
            if inside.begun == 0 {
                step.entered = Some(FIRST);
            }
            step.issued = Some((inside.begun, inside.port));
            step.left = self.issue(now, inside);
        }
        if let Some((set, state)) = enters_last {
            self.entered.note();
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
        for history in [&mut self.dense, &mut self.layers, &mut self.entered] {
            history.pass(cycles);
        }
        self.at = now;
    }

    /// Whether there is room for so many states.
    fn has_room(&self, states: u64) -> bool {
        self.inside + states <= self.places
    }

    /// Whether a dense layer of a state that enters behind the S-boxes meets no other one: none comes out of the
    /// S-boxes together with it, in the cycle before or in the one behind, and none has entered in the cycle before.
    fn is_dense_free(&self) -> bool {
        let from_s_boxes = [self.lead - 1, self.lead, self.lead + 1];
        !from_s_boxes
            .into_iter()
            .any(|cycles| self.dense.was(cycles))
            && !self.entered.was(1)
    }

    /// The state that enters the S-boxes in cycle `now`, if one does: the one that comes back, that at the head, or
    /// the new one.
    fn next_issue(&mut self, now: u64, new: Option<New<T>>) -> Option<Inside<T>> {
        if self
            .returns
            .front()
            .is_some_and(|inside| inside.from <= now)
        {
            return self.returns.pop_front();
        }
        // Two dense layers do not begin in consecutive cycles.
        let is_dense_free = !self.dense.was(1);
        let fits = |set: usize, port: usize, pass: u32| {
            is_dense_free || !self.sets[set].is_dense(port, pass)
        };
        let head = self.queue.front().filter(|inside| inside.from <= now);
        if head.is_some_and(|head| fits(head.set, head.port, head.begun)) {
            return self.queue.pop_front();
        }
        let (set, state) = new.filter(|&(set, _)| fits(set, FIRST, 0))?;
        Some(Inside {
            from: now,
            port: FIRST,
            begun: 0,
            set,
            state,
        })
    }

    /// A state enters the S-boxes in cycle `now`. Returns when and where it leaves, if it does behind this pass.
    fn issue(&mut self, now: u64, inside: Inside<T>) -> Option<(usize, u64, T)> {
        let Inside {
            port,
            begun,
            set,
            state,
            ..
        } = inside;
        let passes = self.sets[set];
        let turn = now + latencies::ISSUE + self.lead;
        let end = if passes.is_dense(port, begun) {
            self.dense.note();
            turn + passes.dense
        } else {
            self.layers.note();
            turn + latencies::ADDERS
        };
        if passes.leaves(port, begun) {
            self.leaves[port].push(end);
            return Some((port, end, state));
        }
        self.enqueue(Inside {
            from: end + latencies::FIFO,
            begun: begun + 1,
            ..inside
        });
        None
    }

    /// A new state of `port` enters behind the S-boxes in cycle `now`.
    fn enter(&mut self, now: u64, port: usize, set: usize, state: T) {
        let turn = now + latencies::ISSUE;
        let inside = |from| Inside {
            from,
            port,
            begun: 1,
            set,
            state,
        };
        if port == LAST {
            let end = turn + self.sets[set].dense;
            self.returns.push_back(inside(end));
        } else {
            self.enqueue(inside(turn + latencies::ADDERS + latencies::FIFO));
        }
    }

    /// A state is to come out of the adders. It may overtake others, which are in the S-boxes.
    fn enqueue(&mut self, inside: Inside<T>) {
        let behind = (self.queue).partition_point(|other| other.from < inside.from);
        self.queue.insert(behind, inside);
    }

    /// Lists all that its future depends on, of what accompanies states by `state`.
    pub(super) fn survey(&mut self, survey: &mut Survey<'_>, state: impl Fn(T, &mut Survey<'_>)) {
        survey.number(self.inside);
        for leaves in &mut self.leaves {
            leaves.survey(survey);
        }
        for queue in [&mut self.queue, &mut self.returns] {
            survey.number(queue.len() as u64);
            for inside in queue {
                survey.due(&mut inside.from);
                survey.number(inside.port as u64);
                survey.number(inside.begun.into());
                survey.number(inside.set as u64);
                state(inside.state, survey);
            }
        }
        survey.time(&mut self.at);
        // Those that are longer ago than the S-boxes take make no difference.
        let recent = (1 << (self.lead + 2)) - 1;
        for history in [self.dense, self.layers, self.entered] {
            survey.number(history.bits & recent);
        }
    }
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

    /// The registers of `acclmt_adder_control`, with the units around it, a cycle at a time.
    #[derive(Debug)]
    struct Reference {
        sets: Vec<SetPasses>,
        places: u64,
        lead: usize,
        dense_q: Vec<bool>,
        adders_q: Vec<bool>,
        dense_last_q: bool,
        inside_q: u64,
        /// What comes out of the S-boxes, or enters behind them, and what comes out of both units, by cycle.
        turns: BTreeMap<u64, State>,
        behind: BTreeMap<u64, State>,
        ends: BTreeMap<u64, State>,
        layers: BTreeMap<u64, State>,
        /// The queue, each with the cycle in which it entered.
        queue: VecDeque<(u64, State)>,
    }

    /// What is seen of a cycle: the port that accepts a state, whether one enters the S-boxes, and those that leave.
    type Seen = (Option<usize>, bool, Vec<(usize, u64)>);

    impl Reference {
        fn new(sets: Vec<SetPasses>, pipelines: &Pipelines) -> Self {
            let lead = pipelines.sbox as usize;
            Self {
                sets,
                places: pipelines.places,
                lead,
                dense_q: vec![false; lead],
                adders_q: vec![false; lead],
                dense_last_q: false,
                inside_q: 0,
                turns: BTreeMap::new(),
                behind: BTreeMap::new(),
                ends: BTreeMap::new(),
                layers: BTreeMap::new(),
                queue: VecDeque::new(),
            }
        }

        fn is_last(&self, state: &State) -> bool {
            state.begun == self.sets[state.set].passes[state.port]
        }

        fn is_dense(&self, state: &State) -> bool {
            state.port == 0 && state.begun + 1 == self.sets[state.set].passes[0]
        }

        /// The units in cycle `now`: what comes back, and what leaves.
        fn units(&mut self, now: u64) -> (Option<State>, Vec<(usize, u64)>) {
            for state in [self.turns.remove(&now), self.behind.remove(&now)] {
                let Some(state) = state else { continue };
                let dense = if state.port == 0 {
                    self.is_last(&state)
                } else {
                    state.begun == 1
                };
                let (unit, end) = if dense {
                    (&mut self.ends, now + self.sets[state.set].dense)
                } else {
                    (&mut self.layers, now + latencies::ADDERS)
                };
                assert!(unit.insert(end, state).is_none(), "two at once");
            }
            let mut left = Vec::new();
            let mut back = None;
            if let Some(state) = self.ends.remove(&now) {
                if self.is_last(&state) {
                    left.push((state.port, state.number));
                } else {
                    back = Some(state);
                }
            }
            if let Some(state) = self.layers.remove(&now) {
                if self.is_last(&state) {
                    left.push((state.port, state.number));
                } else {
                    self.queue.push_back((now, state));
                }
            }
            (back, left)
        }

        fn cycle(&mut self, now: u64, new: [Option<New<u64>>; 2]) -> Seen {
            let (back, left) = self.units(now);
            let head = self.queue.front().filter(|(entered, _)| entered + 2 <= now);
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
            let room = self.inside_q < self.places;
            let room_for_two = self.inside_q < self.places - 1;
            let dense_fits = !self.dense_q[self.lead - 1];
            let head_dense = head.is_some_and(|state| self.is_dense(&state));
            let head_take = back.is_none() && head.is_some() && (!head_dense || dense_fits);
            let enter_last = new[1].is_some()
                && room
                && !self.dense_last_q
                && !self.dense_q[0]
                && !self.dense_q[1];
            let new_first = new[0].is_some()
                && !enter_last
                && if new[1].is_some() { room_for_two } else { room };
            let issue_new = new_first
                && !new_enters
                && back.is_none()
                && !head_take
                && (!new_dense || dense_fits);
            let enter = enter_last || new_first && new_enters && !self.adders_q[0];
            let issue = back.is_some() || head_take || issue_new;
            let issue_dense = head_take && head_dense || issue_new && new_dense;
            let dense_now = self.dense_q[0] || enter_last;
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
                self.turns.insert(now + 1 + self.lead as u64, state);
            }
            if enter {
                let mut state = new[usize::from(enter_last)].expect("it is there");
                state.begun += 1;
                self.behind.insert(now + 1, state);
            }
            self.dense_q.remove(0);
            self.dense_q.push(issue_dense);
            self.adders_q.remove(0);
            self.adders_q.push(issue && !issue_dense);
            self.dense_last_q = dense_now;
            self.inside_q += u64::from(accepted.is_some());
            self.inside_q -= left.len() as u64;
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
        SetPasses::new(shape, 1, passes, layer_first, &Pipelines::new(false))
    }

    /// Compares both over so many cycles, in which states of both ports are offered at random; a state of the
    /// loop is only looked at in cycles in which it says that it may act.
    fn compare(sets: &[SetPasses], chances: [u64; 2], seed: u64, cycles: u64) {
        let pipelines = Pipelines::new(false);
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
        let (mut wake, mut leaves) = (0, BTreeMap::<u64, Vec<(usize, u64)>>::new());
        for now in 0..cycles {
            for port in [0, 1] {
                if new[port].is_none() && random(100) < chances[port] {
                    new[port] = Some((random(sets.len() as u64) as usize, number));
                    number += 1;
                    wake = now;
                }
            }
            let mut left = leaves.remove(&now).unwrap_or_default();
            let (accepted, issued, expected) = reference.cycle(now, new);
            let mut seen = (None, false);
            if wake <= now {
                let step = adders.step(now, new);
                seen = (step.entered, step.issued.is_some());
                if let Some((port, time, number)) = step.left {
                    assert!(time > now);
                    leaves.entry(time).or_default().push((port, number));
                }
                let new_from = [0, 1].map(|port| {
                    let is_there = new[port].is_some() && accepted != Some(port);
                    if is_there { now } else { u64::MAX }
                });
                wake = adders.wake(now, new_from);
                assert!(wake > now);
            }
            assert_eq!(seen, (accepted, issued), "{now}");
            left.sort_unstable();
            assert_eq!(left, expected, "{now}");
            if let Some(port) = accepted {
                new[port] = None;
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn the_loop_does_what_the_control_does(
            sets in prop::collection::vec((1_usize..=12, 1_u32..6, 2_u32..6, any::<bool>()), 1..4),
            chances in [1_u64..=100, 0_u64..=100],
            seed in any::<u64>(),
        ) {
            let sets: Vec<_> = (sets.into_iter())
                .map(|(width, first, last, layer)| set(width, [first, last], layer && first > 1))
                .collect();
            compare(&sets, chances, seed, 3000);
        }
    }

    /// Cycles a hash, where new hashes are always there and states come back from the partial rounds.
    fn period(set: SetPasses) -> f64 {
        const PARTIAL: u64 = 300;
        const CYCLES: u64 = 20_000;
        let mut adders = AdderLoop::new(vec![set], &Pipelines::new(false));
        let mut back = VecDeque::new();
        let mut hashes = 0;
        for now in 0..2 * CYCLES {
            let is_back = back.front().is_some_and(|&from| from <= now);
            let step = adders.step(now, [Some((0, ())), is_back.then_some((0, ()))]);
            if step.entered == Some(LAST) {
                back.pop_front();
            }
            match step.left {
                Some((FIRST, time, ())) => back.push_back(time + PARTIAL),
                Some((_, time, ())) if (CYCLES..2 * CYCLES).contains(&time) => hashes += 1,
                _ => {}
            }
        }
        CYCLES as f64 / f64::from(hashes)
    }

    #[test]
    fn hashes_of_plonky2_take_the_s_boxes_all_the_time() {
        let period = period(set(12, [4, 5], false));
        assert!(period <= 9.0, "{period} cycles");
    }

    #[test]
    fn hashes_of_poseidon2_take_the_s_boxes_all_the_time() {
        let period = period(set(12, [5, 5], true));
        assert!(period <= 9.0, "{period} cycles");
    }
}

//! Long stretches of a tree that were simulated before.
//!
//! Between two nodes of a level the chip does what its state at the first of them says, and little of that
//! state depends on the place in the tree: the hash engines, the queues below the level, and of the queues
//! above it only those in which something moves meanwhile. A *stride* goes from one node of the level to the
//! next. It is simulated once for each state in which it begins, with all times relative to its begin, and
//! for what the queues hold that it changes or looks at; afterwards it is only counted. Every cycle and every
//! counter are those of a simulation.

use std::collections::HashMap;

use super::machine::{Host, Machine};
use super::tree::Queue;
use acclmt_driver::device::Counters;

/// Leaves of a stride, about.
const LEAVES: u64 = 512;

/// States that are kept. From the others on a tree is simulated.
const MOST_STATES: usize = 4096;

/// Strides that are simulated at a time, and counted between two of these, so that whoever waits can be told
/// how far the run is.
const SIMULATED: usize = 64;
const COUNTED: usize = 1 << 14;

/// Cycles without a node of the level after which none is expected.
const PATIENCE: u64 = 1 << 22;

/// A host that never waits.
const ALWAYS: Host = Host {
    offers: true,
    takes: true,
};

/// What a run counts: that of a machine, or what a stride adds to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Totals {
    pub(super) cycles: u64,
    /// Words that were taken.
    pub(super) words: u64,
    /// Leaves whose rows have begun: at the input, and in the leaf hash engine.
    pub(super) begun: [u64; 2],
    /// Leaves that went to the tree.
    pub(super) leaves: u64,
    /// Cycles in which something waited, by its number.
    pub(super) waits: [u64; 5],
    /// Those of the hash engines.
    pub(super) engines: Vec<Vec<u64>>,
}

impl Totals {
    /// What was added since `earlier`.
    fn since(&self, earlier: &Self) -> Self {
        let vector = |now: &[u64], then: &[u64]| {
            let pairs = now.iter().zip(then);
            pairs.map(|(now, then)| now - then).collect::<Vec<_>>()
        };
        let engines = self.engines.iter().zip(&earlier.engines);
        Self {
            cycles: self.cycles - earlier.cycles,
            words: self.words - earlier.words,
            begun: [0, 1].map(|side| self.begun[side] - earlier.begun[side]),
            leaves: self.leaves - earlier.leaves,
            waits: std::array::from_fn(|stall| self.waits[stall] - earlier.waits[stall]),
            engines: engines.map(|(now, then)| vector(now, then)).collect(),
        }
    }

    fn add(&mut self, stride: &Self) {
        self.cycles += stride.cycles;
        self.words += stride.words;
        self.leaves += stride.leaves;
        for (total, more) in self.begun.iter_mut().zip(stride.begun) {
            *total += more;
        }
        for (total, more) in self.waits.iter_mut().zip(stride.waits) {
            *total += more;
        }
        for (totals, more) in self.engines.iter_mut().zip(&stride.engines) {
            for (total, more) in totals.iter_mut().zip(more) {
                *total += more;
            }
        }
    }
}

/// The queues from the level of the strides on, and the words in the node memory.
#[derive(Clone, Debug)]
pub(super) struct Upper {
    pub(super) queues: Vec<Queue>,
    pub(super) words: u64,
    pub(super) high_water: u64,
}

/// A stride that begins in a state.
#[derive(Clone, Debug)]
struct Stride {
    /// Bit l: the queue of level l is changed or looked at; from the level of the strides on.
    touched: u64,
    /// These queues before and behind it.
    before: Vec<Queue>,
    behind: Vec<Queue>,
    /// The state in which it ends.
    state: usize,
    totals: Totals,
    /// Words in the node memory behind it and at most, less those before it.
    words: i64,
    most_words: i64,
    /// Cycles since the last word and the last leaf at its end.
    since: [u64; 2],
}

/// A state in which a stride begins.
#[derive(Clone, Debug)]
struct State {
    /// A machine in this state.
    machine: Box<Machine>,
    strides: Vec<Stride>,
}

/// The strides of a run.
#[derive(Clone, Debug)]
pub(super) struct Strides {
    /// They go from node to node of this level.
    level: u32,
    /// The number of each state.
    numbers: HashMap<Box<[u64]>, usize>,
    states: Vec<State>,
    /// The tree does not repeat itself, or cannot be told to.
    ended: bool,
    /// Leaves of strides that were counted and not simulated.
    counted_leaves: u64,
}

/// Of the most leaves that may be simulated, those after which a part of all is to have been counted.
const TRIED: u64 = 8;

/// One leaf in so many is to have been counted then.
const COUNTED_PART: u64 = 16;

impl Strides {
    /// Those of a machine, before it has begun.
    pub(super) fn new(machine: &Machine) -> Self {
        let tree = machine.tree();
        let level = tree.level_of(LEAVES).max(1);
        Self {
            level,
            numbers: HashMap::new(),
            states: Vec::new(),
            ended: level + 1 >= tree.top() || !machine.can_stride(),
            counted_leaves: 0,
        }
    }

    /// Whether more than about `most` leaves are simulated in the run of this machine: it has come so far, or repeats
    /// itself so little that it will.
    pub(super) fn simulates_more_than(&self, most: u64, machine: &Machine) -> bool {
        let [simulated, left] = [
            machine.leaves_done() - self.counted_leaves,
            machine.leaves_left(),
        ];
        let is_many = simulated + left > most;
        let is_tried = simulated > most / TRIED;
        let repeats = self.counted_leaves > simulated / COUNTED_PART;
        simulated > most || is_many && (self.ended || is_tried && !repeats)
    }

    /// Lets time pass, in which the host offers a word in every cycle and would take one, as long as nothing
    /// comes out and at most `words` words are taken. Returns how many were.
    pub(super) fn run(&mut self, machine: &mut Machine, words: u64) -> u64 {
        let before = machine.words();
        let end = before + words;
        let mut number = None;
        for _ in 0..SIMULATED {
            if self.ended || !machine.is_far_from_end(end) {
                break;
            }
            let Some(from) = number.or_else(|| self.advance(machine, end)) else {
                break;
            };
            number = self.simulate(machine, from, end);
            if let Some(state) = number {
                number = self.repeat(machine, state, end);
            }
        }
        machine.words() - before
    }

    /// Lets the machine come to the begin of a stride. Returns the number of its state.
    fn advance(&mut self, machine: &mut Machine, end: u64) -> Option<usize> {
        machine.run_to_node(ALWAYS, self.level, PATIENCE, end)?;
        self.number(machine)
    }

    /// The number of the state of a machine at the begin of a stride.
    fn number(&mut self, machine: &mut Machine) -> Option<usize> {
        let Some(note) = machine.note(self.level) else {
            self.ended = true;
            return None;
        };
        if let Some(&number) = self.numbers.get(&note[..]) {
            return Some(number);
        }
        // What comes now is simulated, until a state comes back that is known.
        if self.states.len() == MOST_STATES {
            return None;
        }
        let number = self.states.len();
        self.numbers.insert(note.into_boxed_slice(), number);
        self.states.push(State {
            machine: Box::new(machine.clone()),
            strides: Vec::new(),
        });
        Some(number)
    }

    /// Simulates a stride that begins in the state with this number, and keeps it. Returns the number of the
    /// state in which it ends.
    fn simulate(&mut self, machine: &mut Machine, from: usize, end: u64) -> Option<usize> {
        let totals = machine.totals();
        let upper = machine.upper(self.level);
        machine.watch();
        machine.run_to_node(ALWAYS, self.level, PATIENCE, end)?;
        // What the last rows do is not to be repeated.
        if !machine.is_far_from_end(end) {
            return None;
        }
        let state = self.number(machine)?;
        let (touched, most_words) = machine.watched(self.level);
        let behind = machine.upper(self.level);
        let chosen = |queues: &[Queue]| {
            let levels = (self.level..).zip(queues);
            levels
                .filter(|(level, _)| touched >> level & 1 != 0)
                .map(|(_, queue)| queue.clone())
                .collect()
        };
        self.states[from].strides.push(Stride {
            touched,
            before: chosen(&upper.queues),
            behind: chosen(&behind.queues),
            state,
            totals: machine.totals().since(&totals),
            words: behind.words as i64 - upper.words as i64,
            most_words: most_words as i64 - upper.words as i64,
            since: machine.since(),
        });
        Some(state)
    }

    /// Counts strides that were simulated before, from the state with this number on. Leaves the machine as
    /// it is behind them, and returns the number of its state.
    fn repeat(&mut self, machine: &mut Machine, from: usize, end: u64) -> Option<usize> {
        let mut totals = machine.totals();
        let leaves = totals.leaves;
        let mut upper = machine.upper(self.level);
        let most_begun = machine.most_begun();
        let most_leaves = machine.leaves_to_window();
        let mut state = from;
        let mut last = None;
        for _ in 0..COUNTED {
            let stride = self.states[state]
                .strides
                .iter()
                .find(|stride| stride.applies(self.level, &upper.queues));
            let Some(stride) = stride else {
                break;
            };
            let is_within = totals.words + stride.totals.words <= end
                && totals.leaves + stride.totals.leaves < most_leaves
                && [0, 1]
                    .iter()
                    .all(|&side| totals.begun[side] + stride.totals.begun[side] <= most_begun);
            if !is_within {
                break;
            }
            totals.add(&stride.totals);
            let levels = (0..upper.queues.len())
                .filter(|level| stride.touched >> (self.level as usize + level) & 1 != 0);
            for (level, queue) in levels.zip(&stride.behind) {
                upper.queues[level].clone_from(queue);
            }
            upper.high_water =
                (upper.high_water).max(upper.words.saturating_add_signed(stride.most_words));
            upper.words = upper.words.saturating_add_signed(stride.words);
            state = stride.state;
            last = Some(stride.since);
        }
        if let Some(since) = last {
            machine.become_state(
                &self.states[state].machine,
                self.level,
                &totals,
                &upper,
                since,
            );
        }
        self.counted_leaves += totals.leaves - leaves;
        Some(state)
    }
}

impl Stride {
    /// Whether it is what happens with these queues.
    fn applies(&self, level: u32, queues: &[Queue]) -> bool {
        let mut before = self.before.iter();
        (level..).zip(queues).all(|(level, queue)| {
            if self.touched >> level & 1 != 0 {
                before.next() == Some(queue)
            } else {
                !queue.is_ready()
            }
        })
    }
}

/// Counters of waits, in the order of [`Stall::ALL`](acclmt_driver::timeline::Stall::ALL).
pub(super) fn waits(counters: &mut Counters) -> [&mut u64; 5] {
    [
        &mut counters.stall_in,
        &mut counters.missing_in,
        &mut counters.stall_leaf,
        &mut counters.starved_root,
        &mut counters.stall_out,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::latencies::Pipelines;
    use crate::machine::RunSetup;
    use crate::tree::{LevelSetup, TreeSetup};
    use acclmt_driver::level_table::{LeafQueue, NODE_WORDS, level_table};
    use acclmt_driver::program::{
        ChipProgram, ChipRegisters, EngineLimits, NODE_SET, Roles, RowRegisters,
    };
    use acclmt_poseidon::presets;

    /// A tree of `height` levels over leaves that are hashed by the preset `leaf`, or are ready.
    fn setup(
        leaf: Option<&str>,
        root: &str,
        height: u32,
        leaves: u64,
        roles: Roles,
        limits: &EngineLimits,
    ) -> RunSetup {
        let program = |name: &str| {
            let preset = presets::by_name(name).expect("the preset exists");
            ChipProgram::compile(preset, limits).expect("the preset fits")
        };
        let root = program(root);
        let leaf_registers = leaf.map_or(root.registers, |name| program(name).registers);
        let arity = root.registers.arity;
        let queues = vec![arity as usize; height as usize + 1];
        let leaf_queue = match leaf {
            None => LeafQueue::Ready,
            Some(_) if roles.reserve_leaves() => LeafQueue::Reserved,
            Some(_) => LeafQueue::InOrder,
        };
        let queues = level_table(&queues, 1, NODE_WORDS, leaf_queue).expect("the tree fits");
        let levels = queues.into_iter().map(|groups| LevelSetup {
            set: NODE_SET,
            arity,
            groups,
        });
        RunSetup {
            sets: [leaf_registers, root.registers, root.registers],
            layers_first: Vec::new(),
            rows: RowRegisters::one_block(&leaf_registers),
            hash_leaves: leaf.is_some(),
            leaves,
            tree: TreeSetup {
                top: height,
                levels: levels.collect(),
                gated: false,
            },
            pad: true,
            emit: 0,
            window: (600, 20_000),
            num_engines: 8 - (roles.rows | roles.nodes).leading_zeros() as usize,
            roles,
            mixes: false,
            num_full: limits.num_full,
            num_partial: limits.num_partial,
            pipelines: Pipelines::new(false),
            slots: false,
            records: false,
        }
    }

    fn run(machine: &mut Machine, strides: Option<&mut Strides>, input_words: u64) -> Counters {
        let mut ahead = strides;
        while !machine.is_done() {
            if let Some(strides) = &mut ahead {
                strides.run(machine, input_words - machine.words());
            }
            machine.run(ALWAYS, 10_000, usize::MAX);
        }
        machine.counters(true)
    }

    #[test]
    fn strides_count_what_a_simulation_counts_where_layers_are_made_by_adders() {
        let limits = crate::Hardware::default().limits();
        let shared = Roles {
            rows: 0b11,
            nodes: 0b11,
            node_limit: 0,
        };
        let fixed = Roles::LEAF_AND_ROOT;
        let alone = Roles {
            nodes: 0b1,
            rows: 0b1,
            node_limit: 0,
        };
        // A tree, and partial rounds that are more than those of its sets, so that it repeats itself.
        for (leaf, root, height, leaves, roles, rounds) in [
            (Some("plonky2"), "plonky2", 15, 1 << 15, fixed, None),
            (Some("plonky2"), "plonky2", 15, 30_001, shared, None),
            (None, "zisk-poseidon2-arity-2", 16, 1 << 16, shared, None),
            (
                Some("zisk-poseidon2-arity-2"),
                "plonky2",
                15,
                1 << 15,
                shared,
                None,
            ),
            (None, "zisk-poseidon2-arity-2", 17, 1 << 17, alone, Some(24)),
        ] {
            let mut setup = setup(leaf, root, height, leaves, roles, &limits);
            assert!(setup.sets.iter().all(ChipRegisters::adders));
            let begins = |name: &str| name.contains("poseidon2");
            let of_leaf = leaf.is_some_and(begins);
            for set in &mut setup.sets {
                set.partial_rounds[1] = rounds.unwrap_or(set.partial_rounds[1]);
            }
            setup.layers_first = vec![[of_leaf, begins(root), begins(root)]; 2];
            let words = leaves * leaf.map_or(1, |_| u64::from(setup.rows.last_words));
            let plain = run(&mut Machine::new(&setup), None, words);
            let mut machine = Machine::new(&setup);
            let mut strides = Strides::new(&machine);
            let counters = run(&mut machine, Some(&mut strides), words);
            assert_eq!(counters, plain, "{leaf:?}, {root}, {roles:?}");
            let is_counted = strides.counted_leaves != 0;
            assert!(
                rounds.is_none() || is_counted,
                "{leaf:?}, {root}, {roles:?}"
            );
        }
    }

    #[test]
    fn strides_count_what_a_simulation_counts() {
        let limits = crate::Hardware::default().limits();
        // A tree, and the share of its strides that is more than are simulated, where it repeats itself.
        let fixed = Roles::LEAF_AND_ROOT;
        let shared = |engines: u32| {
            let rows = u8::MAX >> (8 - engines);
            Roles {
                rows,
                nodes: rows,
                node_limit: 0,
            }
        };
        // Rows on so many engines of all.
        let split = |rows: u32, engines: u32| {
            let of = |count: u32| u8::MAX >> (8 - count);
            Roles {
                rows: of(rows),
                nodes: of(engines) & !of(rows),
                node_limit: 0,
            }
        };
        for (leaf, root, height, leaves, roles, most) in [
            (Some(8), 8, 7, 200_000, fixed, None),
            (None, 8, 7, 1 << 21, fixed, Some(2.0 / 3.0)),
            (Some(11), 8, 6, 100_000, fixed, None),
            (Some(4), 4, 10, 100_000, fixed, None),
            (Some(2), 2, 18, 1 << 17, fixed, None),
            (None, 2, 18, 100_001, fixed, None),
            (Some(2), 2, 18, 1 << 17, shared(2), None),
            (Some(8), 8, 7, 200_000, shared(1), Some(0.95)),
            (Some(11), 8, 6, 60_000, shared(2), None),
            (Some(4), 4, 10, 100_000, shared(3), None),
            (None, 8, 7, 1 << 19, shared(2), Some(0.9)),
            (Some(2), 2, 17, 1 << 16, shared(1), None),
            (Some(2), 2, 17, 1 << 16, shared(3), None),
            (Some(2), 2, 17, 1 << 16, shared(4), None),
            (Some(2), 2, 17, 1 << 16, split(1, 3), None),
            (Some(2), 2, 17, 1 << 16, split(2, 4), None),
            (None, 2, 17, 1 << 16, shared(1), None),
            (None, 2, 17, 1 << 16, shared(4), None),
            (Some(8), 8, 6, 60_000, shared(2), None),
            (Some(8), 8, 6, 60_000, shared(3), None),
            (Some(8), 8, 6, 60_000, shared(4), None),
            (Some(8), 8, 6, 60_000, split(2, 3), None),
            (Some(8), 8, 6, 60_000, split(3, 4), None),
            (None, 8, 6, 1 << 17, shared(1), None),
            (None, 8, 6, 1 << 17, shared(3), None),
            (None, 8, 6, 1 << 17, shared(4), None),
        ] {
            let preset = |arity: u32| format!("filecoin-arity-{arity}");
            let (leaf, root) = (leaf.map(preset), preset(root));
            let setup = setup(leaf.as_deref(), &root, height, leaves, roles, &limits);
            let words = leaves
                * leaf
                    .as_ref()
                    .map_or(1, |_| u64::from(setup.rows.last_words));
            let plain = run(&mut Machine::new(&setup), None, words);
            let what = format!("{leaf:?}, {root}, {leaves} leaves, {roles:?}");
            // Hashes that are alike take the same cycles where they are mixed as others are.
            let is_alike = roles.are_shared() && leaf.as_ref() == Some(&root);
            for mixes in [false, true].into_iter().take(1 + usize::from(is_alike)) {
                let mut machine = Machine::new(&RunSetup {
                    mixes,
                    ..setup.clone()
                });
                let mut strides = Strides::new(&machine);
                let counters = run(&mut machine, Some(&mut strides), words);
                assert_eq!(counters, plain, "{what}");
                let all = leaves as usize / 512;
                let simulated: usize = strides.states.iter().map(|state| state.strides.len()).sum();
                // What is said of how much was simulated.
                let arity = u64::from(setup.tree.levels[0].arity);
                let least = simulated as u64 * arity.pow(strides.level);
                let rest = leaves - strides.counted_leaves;
                assert!(10 * rest >= 9 * least, "{what}: {rest} of {least}");
                assert!(strides.simulates_more_than(0, &machine), "{what}");
                assert!(!strides.simulates_more_than(leaves, &machine), "{what}");
                assert!(
                    most.is_none_or(|share| (simulated as f64) < all as f64 * share),
                    "{what}: {simulated} of {all} strides"
                );
            }
        }
    }
}

//! Tests of the machine with pools of hash engines: every run comes to its end with as many hashes as it has, and
//! cycles are left out only where nothing happens.

use proptest::prelude::*;

use super::machine::{Host, Machine, Moved, NodeLabel, RunSetup};
use super::tree::{LevelSetup, TreeSetup};
use crate::Hardware;
use crate::latencies::Pipelines;
use acclmt_driver::device::Counters;
use acclmt_driver::level_table::{LeafQueue, NODE_WORDS, level_table};
use acclmt_driver::program::{ChipProgram, ChipRegisters, NODE_SET, ROW_SET, Roles, RowRegisters};
use acclmt_driver::registers::RECURRENCE_ADDERS;
use acclmt_poseidon::fields::{AnyParameters, Goldilocks, PoseidonField as _};
use acclmt_poseidon::params::{PoseidonParameters, PoseidonSpecification};
use acclmt_poseidon::presets;
use acclmt_poseidon::random::{self, Ranges};

/// Cycles that a hash may take alone, with words and digests that wait for the host: all hashes of a run one after
/// another, without a word in or out, are no hang.
const SLOWEST_HASH: u64 = 5_000;

/// A run of a pool.
#[derive(Clone, Debug)]
struct Case {
    num_engines: usize,
    roles: Roles,
    /// Nodes of four elements: states of one beat and of two.
    goldilocks: bool,
    /// Layers are made by adders, and the first ones of these sets, by bit, have no S-boxes: all states of one beat, or
    /// all of two.
    adders: Option<u8>,
    /// Arities of the hashes of rows, if there are, and of nodes.
    leaf: Option<u32>,
    root: u32,
    top: u32,
    /// The parameter set of each level: that of rows only where leaves are not hashed.
    levels: Vec<usize>,
    leaves: u64,
    /// Queues of one group, and levels that go out.
    tiny: bool,
    emit: u32,
    /// Cycles of a phase in which the host does the same; no phases if it always offers and takes.
    phase: u64,
    seed: u64,
}

fn case() -> impl Strategy<Value = Case> {
    let shape = (
        prop_oneof![Just(2_u32), Just(4), Just(8)],
        prop_oneof![
            3 => Just(Vec::new()),
            1 => proptest::collection::vec(0_usize..3, 9)
        ],
        prop_oneof![
            1 => Just(None),
            4 => prop_oneof![Just(2_u32), Just(4), Just(8), Just(11)].prop_map(Some)
        ],
        0.0..1.0,
    );
    let pool = (1_usize..=8, any::<[u8; 2]>(), 0_u32..4);
    let host = (any::<bool>(), 0_u32..8, 0_u64..60, any::<u64>());
    let adders = prop::option::weighted(0.5, any::<u8>());
    let goldilocks = (prop::bool::weighted(0.4), adders, any::<bool>());
    (pool, shape, host, goldilocks).prop_map(
        |(
            (num_engines, masks, kind),
            (root, sets, leaf, size),
            (tiny, emit, phase, seed),
            (goldilocks, adders, two_beats),
        )| {
            let adders = adders.filter(|_| goldilocks);
            let all = u8::MAX >> (8 - num_engines);
            let [rows, nodes] = masks.map(|mask| if mask & all == 0 { all } else { mask & all });
            let roles = match kind {
                0 => Roles {
                    rows,
                    nodes,
                    node_limit: 0,
                },
                1 => Roles {
                    rows: all,
                    nodes: all,
                    node_limit: 0,
                },
                // Fixed roles.
                _ if num_engines > 1 => Roles {
                    rows: all >> num_engines.div_ceil(2),
                    nodes: all & !(all >> num_engines.div_ceil(2)),
                    node_limit: 0,
                },
                _ => Roles {
                    rows,
                    nodes,
                    node_limit: 0,
                },
            };
            // The other arity of levels.
            let top = if root == 8 { 2 } else { 2 * root };
            let (least, most) = match adders {
                Some(_) if two_beats => (NODES_OF_TWO_BEATS, NODES_OF_TWO_BEATS),
                Some(_) => (2, MOST_NODES_OF_ONE_BEAT),
                None if goldilocks => (2, MOST_NODES),
                None => (2, u32::MAX),
            };
            let [root, top] = [root, top].map(|arity| arity.clamp(least, most));
            let leaf = leaf.map(|arity| arity.clamp(least, most));
            let arity = |set: usize| match set {
                ROW_SET => of_rows(leaf, adders, root).min(8),
                NODE_SET => root,
                _ => top,
            };
            let set = |level: usize| match (sets.get(level), leaf) {
                (Some(&ROW_SET), Some(_)) | (None, _) => NODE_SET,
                (Some(&set), _) => set,
            };
            let mut most = 1;
            let mut levels = Vec::new();
            while most < 300 {
                most *= u64::from(arity(set(levels.len())));
                levels.push(set(levels.len()));
            }
            let height = levels.len() as u32;
            Case {
                num_engines,
                roles,
                goldilocks,
                adders,
                leaf,
                root,
                top,
                levels,
                leaves: 1 + (size * (most - 1) as f64) as u64,
                tiny,
                emit: emit & ((1 << height) - 1),
                phase: phase.saturating_sub(20),
                seed,
            }
        },
    )
}

/// Most nodes of four elements that a state holds here.
const MOST_NODES: u32 = 6;

/// Most nodes of four elements of a state of one beat; those of a state of two whose layers adders can make.
const MOST_NODES_OF_ONE_BEAT: u32 = 3;
const NODES_OF_TWO_BEATS: u32 = 4;

/// Arity of the set of rows: one of a level where leaves are not hashed, of as many beats as the others where layers are
/// made by adders.
fn of_rows(leaf: Option<u32>, adders: Option<u8>, root: u32) -> u32 {
    leaf.unwrap_or(if adders.is_some() { root } else { 2 })
}

fn registers(goldilocks: bool, arity: u32) -> ChipRegisters {
    let set = if goldilocks {
        of_nodes(4 * arity as usize)
    } else {
        let name = format!("filecoin-arity-{arity}");
        presets::by_name(&name).expect("the preset exists").clone()
    };
    let program = ChipProgram::compile(&set, &Hardware::default().limits());
    program.expect("the set fits").registers
}

/// A set over Goldilocks whose state is nodes of four elements, with the rounds and the S-box of Plonky2.
fn of_nodes(width: usize) -> AnyParameters {
    let ranges = Ranges {
        widths: width..=width,
        exponents: vec![7],
        full_rounds: 4..=4,
        partial_rounds: 22..=22,
        ..Ranges::default()
    };
    let set = random::parameters::<Goldilocks>(1, &ranges).expect("there is such a set");
    let set = PoseidonParameters::new(PoseidonSpecification {
        input_positions: (0..width).collect(),
        digest_positions: (0..4).collect(),
        ..set.specification().clone()
    });
    Goldilocks::wrap(set.expect("the positions exist"))
}

impl Case {
    fn setup(&self) -> RunSetup {
        let hardware = Hardware::default();
        let registers = |arity| {
            let registers = registers(self.goldilocks, arity);
            let adders = RECURRENCE_ADDERS.with(self.adders.is_some().into());
            ChipRegisters {
                recurrence: registers.recurrence | adders,
                ..registers
            }
        };
        let root = registers(self.root);
        let leaf = registers(of_rows(self.leaf, self.adders, self.root));
        let sets = [leaf, root, registers(self.top)];
        let layers_first =
            std::array::from_fn(|set| self.adders.unwrap_or_default() >> set & 1 != 0);
        let numbers = self.levels.iter().chain(self.levels.last());
        let arities = numbers.clone().map(|&set| sets[set].arity as usize);
        let queues = if self.tiny {
            vec![1; self.levels.len() + 1]
        } else {
            let leaf_queue = match self.leaf {
                None => LeafQueue::Ready,
                Some(_) if self.roles.reserve_leaves() => LeafQueue::Reserved,
                Some(_) => LeafQueue::InOrder,
            };
            level_table(&arities.collect::<Vec<_>>(), 1, NODE_WORDS, leaf_queue)
                .expect("the tree fits")
        };
        let levels = numbers.zip(queues).map(|(&set, groups)| LevelSetup {
            set,
            arity: sets[set].arity,
            groups,
        });
        RunSetup {
            sets,
            layers_first: vec![layers_first; self.num_engines],
            rows: RowRegisters::one_block(&leaf),
            hash_leaves: self.leaf.is_some(),
            leaves: self.leaves,
            tree: TreeSetup {
                top: self.levels.len() as u32,
                levels: levels.collect(),
                gated: false,
            },
            pad: true,
            emit: self.emit,
            window: (self.leaves as u32 / 3, self.leaves as u32 * 2 / 3),
            num_engines: self.num_engines,
            roles: self.roles,
            mixes: false,
            num_full: hardware.num_full,
            num_partial: hardware.num_partial,
            pipelines: Pipelines::new(false),
            slots: false,
            records: false,
        }
    }

    /// What the host does in a phase.
    fn host(&self, phase: u64) -> Host {
        if self.phase == 0 {
            return Host {
                offers: true,
                takes: true,
            };
        }
        let mixed = (phase ^ self.seed).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mixed = (mixed ^ mixed >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 40;
        Host {
            offers: mixed & 3 != 0,
            takes: mixed & 28 != 0,
        }
    }

    /// What comes out, and when, and what was counted.
    fn run(&self, setup: &RunSetup, every_cycle: bool) -> (Vec<(u64, NodeLabel)>, Counters) {
        let mut machine = Machine::new(setup);
        let length = if self.phase == 0 { 50 } else { self.phase };
        let mut output = Vec::new();
        let mut last = 0;
        let patience = self.hashes() * SLOWEST_HASH;
        while !machine.is_done() {
            let now = machine.cycles();
            let host = self.host(now / length);
            let moved = if every_cycle {
                machine.run_cycle(host)
            } else {
                machine.run(host, length - now % length, usize::MAX).1
            };
            let Moved {
                words,
                output: label,
            } = moved;
            if words != 0 || label.is_some() {
                last = now;
            }
            output.extend(label.map(|label| (machine.cycles(), label)));
            assert!(
                now < last + patience,
                "nothing moves since cycle {last}: {self:?}"
            );
        }
        (output, machine.counters(true))
    }

    fn hashes(&self) -> u64 {
        let mut nodes = self.leaves;
        let mut hashes = if self.leaf.is_some() { nodes } else { 0 };
        let sets = self.setup().sets;
        for &set in &self.levels {
            nodes = nodes.div_ceil(sets[set].arity.into());
            hashes += nodes;
        }
        hashes
    }

    fn check(&self) {
        let setup = self.setup();
        let (output, counters) = self.run(&setup, false);
        let engines = [&counters.leaf, &counters.root]
            .into_iter()
            .chain(&counters.more);
        let hashes: Vec<u64> = engines.map(|engine| engine.hashes).collect();
        assert_eq!(hashes.iter().sum::<u64>(), self.hashes(), "{self:?}");
        let used = self.roles.rows | self.roles.nodes;
        for (number, hashes) in hashes.into_iter().enumerate() {
            assert!(hashes == 0 || used >> number & 1 != 0, "{number}: {self:?}");
        }
        let slowly = RunSetup {
            slots: true,
            mixes: true,
            ..setup
        };
        assert_eq!((output, counters), self.run(&slowly, true), "{self:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn every_run_of_a_pool_ends_and_skips_nothing(case in case()) {
        case.check();
    }
}

/// A tree with all its words in the input buffer, and queues of one group: hundreds of thousands of cycles pass between
/// the last word and the root.
#[test]
fn a_run_without_words_is_no_hang() {
    let roles = Roles::LEAF_AND_ROOT;
    let case = Case {
        leaves: 424,
        tiny: true,
        ..whole(false, Some(2), 2, 9, roles)
    };
    case.check();
    let (_, counters) = case.run(&case.setup(), false);
    assert!(counters.cycle_first_out - counters.cycle_last_in > 300_000);
}

/// A tree of `height` levels whose leaves are all there, with the arities `leaf` of rows and `root` of nodes.
fn whole(goldilocks: bool, leaf: Option<u32>, root: u32, height: u32, roles: Roles) -> Case {
    Case {
        num_engines: 2,
        roles,
        goldilocks,
        adders: None,
        leaf,
        root,
        top: 2,
        levels: vec![NODE_SET; height as usize],
        leaves: u64::from(root).pow(height),
        tiny: false,
        emit: 0,
        phase: 0,
        seed: 0,
    }
}

impl Case {
    /// Cycles of the run.
    fn cycles(&self) -> u64 {
        self.run(&self.setup(), false).1.cycles
    }
}

const SHARED: Roles = Roles {
    rows: 0b11,
    nodes: 0b11,
    node_limit: 0,
};

/// Trees on two hash engines, in fixed roles and shared.
#[test]
fn trees_take_their_cycles() {
    let fixed = Roles::LEAF_AND_ROOT;
    let trees = [
        (Some(2), 2, 12, fixed, 92_233),
        (Some(2), 2, 12, SHARED, 91_384),
        (None, 8, 4, fixed, 41_547),
        (None, 8, 4, SHARED, 26_469),
        (None, 8, 5, fixed, 253_566),
        (None, 8, 5, SHARED, 134_517),
        (Some(11), 8, 4, fixed, 294_036),
        (Some(11), 8, 4, SHARED, 168_895),
    ];
    let found = trees
        .map(|(leaf, root, height, roles, _)| whole(false, leaf, root, height, roles).cycles());
    assert_eq!(found, trees.map(|(.., cycles)| cycles));
}

/// Trees whose layers are made by adders, with first layers that differ and that do not, of states of one beat and of
/// two.
#[test]
fn layers_of_adders() {
    for (leaf, root, height, layers_first) in [
        (2, 2, 8, 0b000),
        (3, 2, 8, 0b011),
        (2, 3, 5, 0b001),
        (4, 4, 4, 0b000),
        (4, 4, 4, 0b011),
        (4, 4, 4, 0b001),
    ] {
        for roles in [Roles::LEAF_AND_ROOT, SHARED] {
            let case = Case {
                adders: Some(layers_first),
                ..whole(true, Some(leaf), root, height, roles)
            };
            case.check();
        }
    }
}

/// Rows of states of two beats below nodes of one, and the other way round: in a ring of their own, and in one ring.
#[test]
fn states_of_one_beat_and_of_two() {
    for (leaf, root, height) in [(4, 2, 10), (2, 4, 5), (6, 3, 6)] {
        let roles = [Roles::LEAF_AND_ROOT, SHARED];
        let [fixed, shared] = roles.map(|roles| {
            let case = whole(true, Some(leaf), root, height, roles);
            case.check();
            case.cycles()
        });
        // Two engines share what one has alone.
        assert!(shared < fixed, "{shared} cycles, in fixed roles {fixed}");
    }
}

// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! The tree without its hash engines, with a memory of few words: whatever the pace of leaves, operands, digests
//! and output, in whatever order digests come, and whether leaves come or are reserved and are digests too, every tree of every arity
//! and of every level with an arity of its own, ends, every node is the hash of the right children, comes out with the right level and index, and the
//! deepest ready group goes first.

// The tree is the same with every prime.
#![cfg(feature = "bls12-381")]

mod common;

use acclmt_driver::level_table::{LeafQueue, level_table, max_height};
use acclmt_verilated::{Bench, BenchKind};
use common::{Random, seed};

/// Parameters of tb/rtl/acclmt_tb_tree.sv.
const LEVELS: usize = 12;
const NODE_WORDS: u32 = 128;

/// Control bits of the packed input.
const LEAF_VALID: u32 = 1 << 0;
const OPERAND_READY: u32 = 1 << 1;
const DIGEST_VALID: u32 = 1 << 2;
const NODE_READY: u32 = 1 << 3;
const CLEAR: u32 = 1 << 4;
const SETUP: u32 = 1 << 5;
const CONSTANT: u32 = 1 << 6;
const RESERVE_LEAVES: u32 = 1 << 7;

/// Flags of the packed output.
const LEAF_READY: u32 = 1 << 0;
const OPERAND_VALID: u32 = 1 << 1;
const NODE_VALID: u32 = 1 << 2;
const NODE_LAST: u32 = 1 << 3;
const IDLE: u32 = 1 << 4;
const WORD_VALID: u32 = 1 << 7;
const WORD_READY: u32 = 1 << 8;
/// The level of the job that a word belongs to, six bits, and the parameter set of an operand.
const WORD_LEVEL: u32 = 9;
const OPERAND_SET: u32 = 15;

/// Clock cycles after which a tree of this test has certainly ended.
const PATIENCE: u64 = 400_000;

/// A tree.
#[derive(Clone, Debug)]
struct Tree {
    /// Nodes of a group of each level up to the top.
    arities: Vec<usize>,
    /// Level of the root or of the cap.
    top: usize,
    leaves: usize,
    /// Levels that go out.
    emit: u32,
    /// The place of a leaf is reserved before it is there; only with levels above the leaves.
    reserve_leaves: bool,
    /// Groups of siblings that the queue of each level has room for.
    queues: Vec<u32>,
}

/// How often things happen, out of 16 clock cycles, and what the hash engine holds.
#[derive(Clone, Copy, Debug)]
struct Pace {
    leaf: u64,
    operand: u64,
    digest: u64,
    output: u64,
    capacity: usize,
    latency: u64,
}

impl Pace {
    fn random(random: &mut Random) -> Self {
        let mut share = || 1 + random.below(16);
        Self {
            leaf: share(),
            operand: share(),
            digest: share(),
            output: share(),
            capacity: 1 + random.below(40) as usize,
            latency: random.below(200),
        }
    }
}

/// Stands for the hash: any function that depends on every operand and its position.
fn mix(state: u64, operand: u64) -> u64 {
    let value = (state ^ operand).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (value ^ (value >> 29)).wrapping_add(0x7f4a_7c15)
}

const START: u64 = 77;

impl Tree {
    /// Every level of the tree over `leaves`, with the values of empty sub-trees.
    fn nodes(&self, leaves: Vec<u64>, empty: &[u64]) -> Vec<Vec<u64>> {
        let mut levels = vec![leaves];
        for (empty, &arity) in empty[..self.top].iter().zip(&self.arities) {
            let level = levels[levels.len() - 1].chunks(arity).map(|group| {
                let missing = arity - group.len();
                let operands = group.iter().copied();
                operands
                    .chain(std::iter::repeat_n(*empty, missing))
                    .fold(START, mix)
            });
            levels.push(level.collect());
        }
        levels
    }

    fn goes_out(&self, level: usize) -> bool {
        level == self.top || self.emit >> level & 1 == 1
    }
}

/// What the queue of a level must look like.
#[derive(Clone, Default)]
struct Queue {
    groups: u64,
    /// Nodes of each group that were written.
    written: Vec<u64>,
    reserved: u64,
    taken: u64,
    freed: u64,
}

/// The queues of a tree, as the scheduler sees them.
struct Model<'a> {
    tree: &'a Tree,
    sizes: Vec<u64>,
    queues: Vec<Queue>,
}

impl Model<'_> {
    /// A node is written.
    fn write(&mut self, level: usize, index: u64) {
        let group = (index / self.tree.arities[level] as u64) as usize;
        self.queues[level].written[group] += 1;
    }

    /// Whether the oldest group is complete.
    fn is_complete(&self, level: usize) -> bool {
        let arity = self.tree.arities[level] as u64;
        let queue = &self.queues[level];
        let nodes = arity.min(self.sizes[level].saturating_sub(queue.taken * arity));
        nodes != 0 && queue.written[queue.taken as usize] == nodes
    }

    fn has_room(&self, level: usize) -> bool {
        let queue = &self.queues[level];
        let arity = self.tree.arities[level] as u64;
        !queue.reserved.is_multiple_of(arity) || queue.reserved / arity - queue.freed < queue.groups
    }

    /// The level whose group is next: it is hashed, or of the top and goes out.
    fn deepest(&self) -> Option<usize> {
        if self.tree.top == 0 {
            return None;
        }
        (0..=self.tree.top).rev().find(|&level| {
            self.is_complete(level) && (level == self.tree.top || self.has_room(level + 1))
        })
    }
}

/// The bench and what stays the same during a tree.
struct Host<'a> {
    bench: &'a mut Bench,
    input: [u32; 16],
}

/// A hash that is under way.
struct Hash {
    digest: u64,
    place: u32,
    /// The level of its digest, and its index there.
    level: usize,
    index: u64,
    /// The cycle in which it is finished.
    at: u64,
}

impl Host<'_> {
    fn cycle(&mut self, control: u32) -> [u32; 9] {
        self.input[0] = control;
        let output = self.bench.run(&self.input).expect("the bench runs");
        output.try_into().expect("the packed output has 9 words")
    }

    fn set(&mut self, at: usize, value: u64) {
        self.input[at] = value as u32;
        self.input[at + 1] = (value >> 32) as u32;
    }

    /// Sets up `tree`, with the values of empty sub-trees.
    fn set_up(&mut self, tree: &Tree, empty: &[u64]) {
        self.input[2..5].copy_from_slice(&[tree.leaves as u32, tree.top as u32, tree.emit]);
        let mut base = 0;
        for (level, &groups) in tree.queues.iter().enumerate() {
            self.input[1] = tree.arities[level] as u32;
            self.input[5] = level as u32;
            self.input[6] = base;
            self.input[7] = groups;
            base += groups * tree.arities[level] as u32;
            self.cycle(SETUP);
        }
        for (level, &value) in empty.iter().enumerate() {
            self.input[8] = level as u32;
            self.set(9, value);
            self.cycle(CONSTANT);
        }
        self.cycle(CLEAR);
    }
}

/// Folds `tree` over random leaves; after `stop_after` clock cycles it is abandoned and cleared.
fn fold(bench: &mut Bench, tree: &Tree, pace: Pace, random: &mut Random, stop_after: Option<u64>) {
    let context = format!("{tree:?}, {pace:?}");
    let empty: Vec<u64> = (0..LEVELS).map(|_| random.next()).collect();
    let nodes = tree.nodes((0..tree.leaves).map(|_| random.next()).collect(), &empty);
    let mut host = Host {
        bench,
        input: [0; 16],
    };
    host.set_up(tree, &empty);

    let mut model = Model {
        tree,
        sizes: nodes.iter().map(|level| level.len() as u64).collect(),
        queues: vec![Queue::default(); tree.top + 1],
    };
    for (queue, &groups) in model.queues.iter_mut().zip(&tree.queues) {
        queue.groups = groups.into();
    }
    for ((queue, nodes), &arity) in model.queues.iter_mut().zip(&nodes).zip(&tree.arities) {
        queue.written = vec![0; nodes.len().div_ceil(arity)];
    }
    let mut engine: Vec<Hash> = Vec::new();
    // The hash that takes operands, and words of the job that were taken.
    let (mut state, mut place, mut words) = (START, 0, 0);
    let mut received = vec![0; tree.top + 1];
    let mut sent = 0;
    let mut leaf = false;
    // The level of the job that is fetched, and of the one that must have been taken in the last cycle.
    let mut fetching: Option<usize> = None;
    let mut expected_job = None;
    let mut done = false;

    for cycle in 0.. {
        if stop_after == Some(cycle) {
            break;
        }
        assert!(cycle < PATIENCE, "the tree does not end: {context}");
        let mut chance = |share: u64| random.below(16) < share;
        leaf |= sent < tree.leaves && chance(pace.leaf);
        // Any of those that are finished.
        let mut digest = None;
        if chance(pace.digest) {
            let finished = |&number: &usize| engine[number].at <= cycle;
            let finished: Vec<usize> = (0..engine.len()).filter(finished).collect();
            if !finished.is_empty() {
                digest = Some(*random.choose(&finished));
            }
        }
        let mut chance = |share: u64| random.below(16) < share;
        let mut control = if tree.reserve_leaves {
            RESERVE_LEAVES
        } else {
            0
        };
        if leaf {
            host.set(11, nodes[0][sent]);
            control |= LEAF_VALID;
        }
        if (words > 0 || engine.len() < pace.capacity) && chance(pace.operand) {
            control |= OPERAND_READY;
        }
        if let Some(number) = digest {
            host.set(13, engine[number].digest);
            host.input[15] = engine[number].place;
            control |= DIGEST_VALID;
        } else {
            // The place comes with its digest: before that it is any.
            host.input[15] = 0x9e37_79b9_u32.wrapping_mul(cycle as u32);
        }
        if chance(pace.output) {
            control |= NODE_READY;
        }
        let [
            flags,
            low,
            high,
            operand_place,
            node_low,
            node_high,
            level,
            index,
            leaf_place,
        ] = host.cycle(control);

        // A job begins where none was being fetched: the deepest one that was ready a cycle ago.
        let is_fetching = flags & WORD_VALID != 0;
        let job_level = (flags >> WORD_LEVEL) as usize & 63;
        if fetching.is_none() {
            let begun = is_fetching.then_some(job_level);
            assert_eq!(begun, expected_job, "the job in cycle {cycle}: {context}");
        } else {
            let goes_on = is_fetching.then_some(job_level);
            assert_eq!(goes_on, fetching, "the job in cycle {cycle}: {context}");
        }
        let is_hashed = job_level != tree.top;
        let deepest = model.deepest();

        if flags & OPERAND_VALID != 0 {
            assert!(is_fetching && is_hashed, "an operand: {context}");
        }
        fetching = is_fetching.then_some(job_level);
        if is_fetching && flags & WORD_READY != 0 {
            words += 1;
            if is_hashed {
                let taken = flags & OPERAND_VALID != 0 && control & OPERAND_READY != 0;
                assert!(taken, "an operand is lost: {context}");
                let set = flags >> OPERAND_SET & 3;
                assert_eq!(set, job_level as u32 & 3, "a parameter set: {context}");
                state = mix(state, u64::from(high) << 32 | u64::from(low));
                place = operand_place;
            }
            let index = model.queues[job_level].freed;
            let arity = tree.arities[job_level];
            let all = if is_hashed {
                arity
            } else {
                arity.min(nodes[job_level].len() - index as usize * arity)
            };
            if words == all {
                if is_hashed {
                    engine.push(Hash {
                        digest: state,
                        place,
                        level: job_level + 1,
                        index,
                        at: cycle + random.below(pace.latency + 1),
                    });
                    state = START;
                }
                words = 0;
                fetching = None;
                model.queues[job_level].freed += 1;
            }
        }
        // The next job is taken in a cycle in which none is fetched.
        expected_job = deepest.filter(|_| !is_fetching);
        if let Some(level) = expected_job {
            model.queues[level].taken += 1;
            if level != tree.top {
                model.queues[level + 1].reserved += 1;
            }
        }

        let mut reserved = None;
        if leaf && flags & LEAF_READY != 0 {
            leaf = false;
            if !tree.reserve_leaves {
                model.write(0, sent as u64);
            }
            reserved = tree.reserve_leaves.then_some((sent, leaf_place));
            sent += 1;
            model.queues[0].reserved += 1;
        }
        if let Some(number) = digest {
            let hash = engine.remove(number);
            model.write(hash.level, hash.index);
        }
        // A leaf that has its place is hashed.
        engine.extend(reserved.map(|(index, place)| Hash {
            digest: nodes[0][index],
            place,
            level: 0,
            index: index as u64,
            at: cycle + random.below(pace.latency + 1),
        }));
        if flags & NODE_VALID != 0 && control & NODE_READY != 0 {
            let (level, index) = (level as usize, index as usize);
            let value = u64::from(node_high) << 32 | u64::from(node_low);
            assert!(tree.goes_out(level), "a node of level {level}: {context}");
            assert_eq!(index, received[level], "level {level}: {context}");
            assert_eq!(
                nodes[level].get(index),
                Some(&value),
                "level {level}, {index}: {context}"
            );
            received[level] += 1;
            let last = level == tree.top && received[level] == nodes[level].len();
            assert_eq!(flags & NODE_LAST != 0, last, "the last node: {context}");
            if last {
                done = true;
                break;
            }
        }
    }
    if !done {
        host.cycle(CLEAR);
        return;
    }
    for (level, count) in received.into_iter().enumerate() {
        let expected = if tree.goes_out(level) {
            nodes[level].len()
        } else {
            0
        };
        assert_eq!(count, expected, "nodes of level {level}: {context}");
    }
    assert_ne!(
        host.cycle(0)[0] & IDLE,
        0,
        "idle after the last node: {context}"
    );
}

fn leaf_queue(reserve_leaves: bool) -> LeafQueue {
    if reserve_leaves {
        LeafQueue::Reserved
    } else {
        LeafQueue::InOrder
    }
}

/// A tree of any shape, with queues of one to a few groups; half of them with an arity for each level.
fn random_tree(random: &mut Random) -> Tree {
    let arity = 2 + random.below(11) as usize;
    let top = random.below(max_height(arity, NODE_WORDS).min(LEVELS) as u64 + 1) as usize;
    let mut arities = vec![arity; top + 1];
    if random.below(2) == 0 {
        for arity in &mut arities[1..] {
            *arity = 2 + random.below(11) as usize;
        }
        // Each level has room for a group.
        let mut words = NODE_WORDS as usize;
        let fits = |&arity: &usize| {
            words = words.saturating_sub(arity);
            words > 0
        };
        let levels = arities.iter().copied().take_while(fits).count();
        arities.truncate(levels);
    }
    let top = arities.len() - 1;
    let full = arities[..top].iter().fold(1_usize, |full, &arity| {
        full.saturating_mul(arity).min(1 << 40)
    });
    let leaves = match random.below(4) {
        0 => full,
        1 => full.saturating_sub(1).max(1),
        2 => full * (1 + random.below(3) as usize) + 1,
        _ => 1 + random.below(2 * full as u64) as usize,
    };
    let nodes = leaves.min(1500).div_ceil(full) as u64;
    let reserve_leaves = top != 0 && random.below(2) == 0;
    let mut queues = level_table(&arities, nodes, NODE_WORDS, leaf_queue(reserve_leaves))
        .expect("the tree is not too high");
    for groups in &mut queues {
        *groups = 1 + random.below((*groups).into()) as u32;
    }
    Tree {
        arities,
        top,
        reserve_leaves,
        leaves: leaves.min(1500),
        emit: *random.choose(&[0, u32::MAX, 0b101, 0b10]),
        queues,
    }
}

#[test]
fn every_tree_ends_at_any_pace() {
    let mut random = Random::new(seed(11));
    let mut bench = Bench::new(BenchKind::Tree, random.next() as u32);
    for _ in 0..300 {
        let tree = random_tree(&mut random);
        let pace = Pace::random(&mut random);
        fold(&mut bench, &tree, pace, &mut random, None);
    }
}

/// One node less than a level holds, exactly as many, and one more, for every arity and level.
#[test]
fn the_boundaries_of_every_level() {
    let mut random = Random::new(seed(13));
    let mut bench = Bench::new(BenchKind::Tree, random.next() as u32);
    for arity in 2..=12_usize {
        for top in 0..=max_height(arity, NODE_WORDS).min(LEVELS) {
            for level in 0..=top {
                let full = arity.pow(level as u32);
                for leaves in [full.saturating_sub(1).max(1), full, full + 1] {
                    if leaves > 3000 {
                        continue;
                    }
                    let nodes = leaves.div_ceil(arity.pow(top as u32)) as u64;
                    let reserve_leaves = top != 0 && random.below(2) == 0;
                    let arities = vec![arity; top + 1];
                    let tree = Tree {
                        top,
                        leaves,
                        emit: 0,
                        reserve_leaves,
                        queues: level_table(
                            &arities,
                            nodes,
                            NODE_WORDS,
                            leaf_queue(reserve_leaves),
                        )
                        .expect("the tree is not too high"),
                        arities,
                    };
                    let pace = Pace {
                        leaf: 16,
                        operand: 16,
                        digest: 16,
                        output: 16,
                        ..Pace::random(&mut random)
                    };
                    fold(&mut bench, &tree, pace, &mut random, None);
                }
            }
        }
    }
}

#[test]
fn a_tree_can_be_abandoned_at_any_time() {
    let mut random = Random::new(seed(12));
    let mut bench = Bench::new(BenchKind::Tree, random.next() as u32);
    for _ in 0..60 {
        let tree = random_tree(&mut random);
        let pace = Pace::random(&mut random);
        let stop = random.below(400);
        fold(&mut bench, &tree, pace, &mut random, Some(stop));
        let tree = random_tree(&mut random);
        fold(&mut bench, &tree, pace, &mut random, None);
    }
}

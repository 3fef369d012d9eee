// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! The dispatch scheduler alone, with queues of a few words: whatever the pace of the leaves, the fetches
//! and the hash engine, every tree ends, every job takes the right two nodes, and the deepest ready job
//! goes first.

mod common;

use std::collections::{HashMap, VecDeque};

use acclmt_verilated::{Bench, BenchKind};
use common::{Random, seed};

/// Parameters of tb/rtl/acclmt_tb_scheduler.sv.
const MAX_HEIGHT: u32 = 8;
const LEAF_WORDS: u64 = 4;

/// Control bits of the packed input.
const LEAF_VALID: u32 = 1 << 0;
const JOB_READY: u32 = 1 << 1;
const FETCHED: u32 = 1 << 2;
const DIGEST_VALID: u32 = 1 << 3;
const CLEAR: u32 = 1 << 4;

/// Flags of the packed output.
const LEAF_READY: u32 = 1 << 0;
const JOB_VALID: u32 = 1 << 1;
const DIGEST_IS_ROOT: u32 = 1 << 2;
const IDLE: u32 = 1 << 3;

/// Clock cycles after which a tree of this test has certainly ended.
const PATIENCE: u64 = 200_000;

/// A node: its level and its number within it.
type Node = (u32, u64);

/// Words of the queue of a level: the table of `acclmt_pkg` for a root hash buffer of four words.
fn queue_words(level: u32) -> u64 {
    match level {
        0 => LEAF_WORDS,
        1 => 2,
        _ => 4,
    }
}

/// How often things happen, out of 16 clock cycles.
#[derive(Clone, Copy, Debug)]
struct Pace {
    leaf: u64,
    fetch: u64,
    digest: u64,
    /// Jobs that the engine holds.
    capacity: usize,
}

/// What the testbench knows about the nodes of a level.
#[derive(Clone, Default)]
struct Level {
    waiting: u64,
    reserved: u64,
    written: u64,
    taken: u64,
}

/// Folds a tree of 2^`height` leaves; `stop_after` clock cycles it is abandoned and cleared.
fn fold(bench: &mut Bench, height: u32, pace: Pace, random: &mut Random, stop_after: Option<u64>) {
    let leaves = 1_u64 << height;
    let mut levels = vec![Level::default(); height as usize + 1];
    let mut memory: HashMap<u32, Node> = HashMap::new();
    // Jobs whose operands are read next, and jobs in the engine: the level of the operands.
    let mut fetching: Option<(u32, u32)> = None;
    let mut engine: VecDeque<u32> = VecDeque::new();
    let mut jobs = 0_u64;
    let mut root = false;

    for cycle in 0.. {
        assert!(
            cycle < PATIENCE,
            "the tree of height {height} does not end: {pace:?}"
        );
        let clear = stop_after == Some(cycle);
        let chance = |random: &mut Random, share: u64| random.below(16) < share;

        let leaf = levels[0].written < leaves && chance(random, pace.leaf);
        let job_ready = fetching.is_none();
        let fetched =
            fetching.filter(|_| engine.len() < pace.capacity && chance(random, pace.fetch));
        let digest = engine
            .front()
            .copied()
            .filter(|_| chance(random, pace.digest));

        let mut control = 0;
        for (bit, set) in [
            (LEAF_VALID, leaf),
            (JOB_READY, job_ready),
            (FETCHED, fetched.is_some()),
            (DIGEST_VALID, digest.is_some()),
            (CLEAR, clear),
        ] {
            control |= if set { bit } else { 0 };
        }
        let input = [
            control,
            height,
            fetched.map_or(0, |(level, _)| level),
            digest.unwrap_or(0),
        ];
        let output = bench.run(&input).expect("the bench runs");
        let [flags, leaf_place, job_level, job_place, digest_place] = output[..] else {
            panic!("the packed output has {} words", output.len());
        };
        if clear {
            return;
        }

        // The job on offer is the deepest one with two nodes and a place for its digest.
        let ready = |level: u32| {
            levels[level as usize].waiting >= 2
                && (level + 1 == height
                    || levels[level as usize + 1].reserved < queue_words(level + 1))
        };
        let expected = (0..height).rev().find(|&level| ready(level));
        let offered = (flags & JOB_VALID != 0).then_some(job_level);
        assert_eq!(offered, expected, "the job on offer in cycle {cycle}");
        let room = levels[0].reserved < LEAF_WORDS;
        assert_eq!(
            flags & LEAF_READY != 0,
            room,
            "room for a leaf in cycle {cycle}"
        );
        let empty = levels.iter().all(|level| level.reserved == 0)
            && fetching.is_none()
            && engine.is_empty();
        assert_eq!(flags & IDLE != 0, empty, "idle in cycle {cycle}");

        if leaf && room {
            let level = &mut levels[0];
            let node = (0, level.written);
            assert_eq!(
                memory.insert(leaf_place, node),
                None,
                "a leaf overwrites a node"
            );
            level.written += 1;
            level.waiting += 1;
            level.reserved += 1;
        }
        if let (Some(level), true) = (offered, job_ready) {
            let queue = &mut levels[level as usize];
            for (operand, place) in [job_place, job_place + 1].into_iter().enumerate() {
                let node = (level, queue.taken + operand as u64);
                assert_eq!(
                    memory.get(&place),
                    Some(&node),
                    "an operand in cycle {cycle}"
                );
            }
            queue.waiting -= 2;
            queue.taken += 2;
            if level + 1 < height {
                levels[level as usize + 1].reserved += 1;
            }
            fetching = Some((level, job_place));
            jobs += 1;
        }
        if let Some((level, place)) = fetched {
            assert!(memory.remove(&place).is_some() && memory.remove(&(place + 1)).is_some());
            levels[level as usize].reserved -= 2;
            engine.push_back(level);
            fetching = None;
        }
        if let Some(level) = digest {
            engine.pop_front();
            let is_root = level + 1 == height;
            assert_eq!(
                flags & DIGEST_IS_ROOT != 0,
                is_root,
                "the root in cycle {cycle}"
            );
            if is_root {
                root = true;
            } else {
                let above = &mut levels[level as usize + 1];
                let node = (level + 1, above.written);
                assert_eq!(
                    memory.insert(digest_place, node),
                    None,
                    "a digest overwrites a node"
                );
                above.written += 1;
                above.waiting += 1;
            }
        }
        if root {
            break;
        }
    }
    assert_eq!(jobs, leaves - 1);
    assert!(memory.is_empty() && engine.is_empty() && fetching.is_none());
    let output = bench.run(&[0, height, 0, 0]).expect("the bench runs");
    assert_ne!(output[0] & IDLE, 0, "the scheduler is idle after the root");
}

#[test]
fn every_tree_ends_at_any_pace() {
    let mut random = Random::new(seed(11));
    let mut bench = Bench::new(BenchKind::Scheduler, random.next() as u32);
    for height in 1..=MAX_HEIGHT {
        for _ in 0..6 {
            let pace = Pace {
                leaf: 1 + random.below(16),
                fetch: 1 + random.below(16),
                digest: 1 + random.below(16),
                capacity: 1 + random.below(24) as usize,
            };
            fold(&mut bench, height, pace, &mut random, None);
        }
    }
}

#[test]
fn a_tree_can_be_abandoned_at_any_time() {
    let mut random = Random::new(seed(12));
    let mut bench = Bench::new(BenchKind::Scheduler, random.next() as u32);
    let pace = Pace {
        leaf: 12,
        fetch: 12,
        digest: 8,
        capacity: 8,
    };
    for _ in 0..40 {
        let height = 4 + random.below(5) as u32;
        let stop = random.below(30);
        fold(&mut bench, height, pace, &mut random, Some(stop));
        fold(&mut bench, height, pace, &mut random, None);
    }
}

// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! Bits that flip in the memories of a chip with parity: no root is wrong without an error. And what a zeroisation leaves in
//! them: nothing.
//!
//! A flip is in any memory, whatever its size. One half is at any clock edge between the reset and the end of a
//! commitment, in any bit of any word; the other half is in the run itself, which is much shorter than what is loaded for
//! it, and in one of the first words, which are those that are used most.

// A flip is noticed in any field.
#![cfg(feature = "bls12-381")]

mod common;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use acclmt_driver::chip::{ChipDevice, ChipPort, DriverError};
use acclmt_driver::device::{CommitRequest, Device, DeviceError, LeafRule, NoProgress, WordSource};
use acclmt_driver::nodes::NoNodes;
use acclmt_driver::registers;
use acclmt_driver::software::SoftwareDevice;
use acclmt_merkle::shape::Padding;
use acclmt_poseidon::fields::AnyParameters;
use acclmt_poseidon::presets;
use acclmt_poseidon::word::Word;
use acclmt_verilated::BenchKind;
use common::bits::{BUSY, ZEROISE};
use common::chip::with_rounds;
use common::packed::{Addition, PackedChip};
use common::{Random, elements, rounds, seed};

/// Flags of the first word of a flip in the packed input.
const FLIPS: u32 = 1 << 31;
const TWO_FLIP: u32 = 1 << 30;
/// The words of all memories are looked at instead.
const LOOK: u32 = 1 << 29;

/// Leaves of a commitment: one short of a full tree, so that a padding is read as well.
const LEAVES: u64 = 7;
/// Clock cycles without progress that end a commitment.
const WATCHDOG: u64 = 4096;

/// Which bits flip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flip {
    /// One, anywhere and at any time, or a used one.
    Any,
    /// One of one of the first words, forth and back, in one of so many cycles of the run.
    Steady(u64),
    /// Two of a word, when the run begins.
    Two,
}

/// What came of a flip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// The root is right, and there is no error.
    Masked,
    /// The chip says that a bit has flipped.
    Detected,
    /// It says something else, or gives no root.
    OtherError,
    /// The root is wrong, and there is no error.
    Silent,
}

/// Flips and what came of them.
#[derive(Clone, Copy, Debug, Default)]
struct Table {
    masked: u64,
    detected: u64,
    other_errors: u64,
    silent: u64,
}

impl Table {
    fn count(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Masked => self.masked += 1,
            Outcome::Detected => self.detected += 1,
            Outcome::OtherError => self.other_errors += 1,
            Outcome::Silent => self.silent += 1,
        }
    }
}

/// The hash engine and the place that the chip has said of flips in each memory.
#[derive(Debug, Default)]
struct Told(BTreeMap<u32, (u32, u32)>);

impl Told {
    /// It says the same of a memory whenever it says something.
    fn add(&mut self, memory: u32, place: (u32, u32)) {
        let first = *self.0.entry(memory).or_insert(place);
        assert_eq!(place, first, "where memory {memory} is");
    }
}

/// Commitments of a preset.
struct Commitment {
    set: &'static AnyParameters,
    words: Vec<Word>,
    padding: Vec<Word>,
    root: Vec<Vec<Word>>,
    /// Seed of what registers and memories hold at the beginning.
    state: u64,
    /// Clock edges of a commitment, the one at which its run has begun, and memories of the chip.
    edges: u64,
    run_begins: u64,
    memories: u32,
    told: RefCell<Told>,
}

impl Commitment {
    fn new(set: &'static AnyParameters, random: &mut Random) -> Self {
        let name = set.name();
        let mut this = Self {
            set,
            words: elements(random, set.field(), LEAVES as usize * set.inputs()),
            padding: elements(random, set.field(), set.digest_length()),
            root: Vec::new(),
            state: random.next(),
            edges: 0,
            run_begins: 0,
            memories: 0,
            told: RefCell::default(),
        };
        this.root = this
            .commit(&mut SoftwareDevice::new())
            .expect("the software commits");
        let mut device = this.device();
        let root = this.commit(&mut device).expect("the chip commits");
        assert_eq!(root, this.root, "{name}: nothing has flipped");
        this.edges = device.port().edges();
        this.run_begins = device.port().first_transfer.expect("there was a run");
        this.memories = device.port().added[0];
        assert!(this.memories > 50, "{name}: {} memories", this.memories);
        this
    }

    fn device(&self) -> ChipDevice<PackedChip> {
        let chip = PackedChip::new(BenchKind::Flips, self.state);
        let mut device = ChipDevice::new(chip).expect("the chip answers");
        device.set_watchdog(WATCHDOG);
        device
    }

    fn commit(&self, device: &mut dyn Device) -> Result<Vec<Vec<Word>>, DeviceError> {
        let mut request = CommitRequest::new(self.set, LeafRule::Hash(self.set), LEAVES);
        request.padding = Padding::Leaf(&self.padding);
        let source = &mut WordSource(&self.words);
        let report = device.commit(&request, source, &mut NoNodes, &mut NoProgress)?;
        Ok(report.cap)
    }

    /// Commits, and a bit flips in any memory, or two of the same word.
    fn with_flip(&self, random: &mut Random, flip: Flip) -> Outcome {
        let memory = random.below(u64::from(self.memories)) as u32;
        self.with_flip_in(memory, random, flip)
    }

    fn with_flip_in(&self, memory: u32, random: &mut Random, flip: Flip) -> Outcome {
        let flags = FLIPS | if flip == Flip::Two { TWO_FLIP } else { 0 };
        let position = random.next() as u32;
        let at = |edge: u64| (edge..edge + 1, 1);
        let (place, (edges, every)) = if flip != Flip::Any || random.below(2) == 0 {
            let in_run = self.run_begins + random.below(self.edges - self.run_begins);
            let edges = match flip {
                Flip::Any => at(in_run),
                Flip::Two => at(self.run_begins),
                Flip::Steady(every) => (self.run_begins + random.below(every)..u64::MAX, every),
            };
            (random.below(4) as u32, edges)
        } else {
            (random.next() as u32, at(random.below(self.edges)))
        };
        let mut device = self.device();
        device.port().addition = Some(Addition {
            edges: edges.clone(),
            every,
            words: vec![flags | memory, place, position],
        });
        let outcome = match self.commit(&mut device) {
            Ok(root) if root == self.root => Outcome::Masked,
            Ok(_) => Outcome::Silent,
            Err(DeviceError::Failed(error)) => match error.downcast_ref() {
                Some(&DriverError::MemoryFault { engine, place }) => {
                    self.told.borrow_mut().add(memory, (engine, place));
                    Outcome::Detected
                }
                _ => Outcome::OtherError,
            },
            Err(_) => Outcome::OtherError,
        };
        if outcome == Outcome::Silent || outcome == Outcome::OtherError {
            println!(
                "{outcome:?}: memory {memory}, place {place}, position {position}, edges {edges:?}"
            );
        }
        outcome
    }

    fn with_flips(&self, random: &mut Random, flips: u64, flip: Flip) -> Table {
        let mut table = Table::default();
        for _ in 0..flips {
            table.count(self.with_flip(random, flip));
        }
        let name = self.set.name();
        println!(
            "{name}, {flips} flips in {} memories: {table:?}",
            self.memories
        );
        table
    }
}

fn preset(name: &str) -> &'static AnyParameters {
    presets::by_name(name).expect("there is such a preset")
}

/// A preset with as many full rounds before the partial ones as behind them.
fn short(name: &str, full: usize, partial: usize) -> &'static AnyParameters {
    Box::leak(Box::new(with_rounds(preset(name), (full, full), partial)))
}

/// Single flips in commitments of a preset.
fn check_flips(name: &str, seed_of_name: u64, flips: u64) {
    check_flips_of(preset(name), seed_of_name, flips);
}

fn check_flips_of(set: &'static AnyParameters, seed_of_set: u64, flips: u64) {
    let name = set.name();
    let mut random = Random::new(seed(seed_of_set));
    let commitment = Commitment::new(set, &mut random);
    let table = commitment.with_flips(&mut random, rounds(flips), Flip::Any);
    assert_eq!(table.silent, 0, "{name}: {table:?}");
    assert!(table.detected > 0 && table.masked > 0, "{name}: {table:?}");
    // What is noticed otherwise is the exception.
    assert!(
        table.other_errors <= table.detected / 4,
        "{name}: {table:?}"
    );
}

#[test]
fn a_bit_that_flips_is_noticed_in_a_large_field() {
    check_flips("filecoin-arity-2", 201, 24);
}

/// States of four beats, whose digests are in one of them.
#[test]
fn a_bit_that_flips_is_noticed_in_wide_states() {
    check_flips("filecoin-arity-11", 202, 12);
}

/// Layers of adders.
#[test]
fn a_bit_that_flips_is_noticed_in_goldilocks_mode() {
    check_flips("plonky2", 203, 24);
}

/// States of two beats and of adders.
#[test]
fn a_bit_that_flips_is_noticed_in_states_of_two_beats() {
    check_flips("horizenlabs-poseidon2-goldilocks-16", 204, 24);
}

/// Bases of S-boxes of many passes.
#[test]
fn a_bit_that_flips_is_noticed_in_a_store_of_bases() {
    check_flips("miden-rpo256", 205, 6);
}

/// With few rounds, so that most of the time is not the loading of constants. Rescue has few as it is, and each of them
/// takes long.
#[test]
#[ignore = "long: two hundred flips in commitments of each of four sets, and some of Rescue"]
fn many_bits_that_flip_are_noticed() {
    std::thread::scope(|scope| {
        for (number, (name, rounds, flips)) in [
            ("filecoin-arity-2", Some((3, 8)), 200),
            ("filecoin-arity-11", Some((2, 6)), 200),
            ("plonky2", Some((3, 8)), 200),
            ("horizenlabs-poseidon2-goldilocks-16", Some((3, 8)), 200),
            ("miden-rpo256", None, 20),
        ]
        .into_iter()
        .enumerate()
        {
            let set = match rounds {
                Some((full, partial)) => short(name, full, partial),
                None => preset(name),
            };
            scope.spawn(move || check_flips_of(set, 210 + number as u64, flips));
        }
    });
}

/// Memories in which none of these flips is noticed: queues whose words leave in the cycle behind that in which they come,
/// or after an even number of flips.
const UNNOTICED: usize = 5;

/// Where memories of a chip with one hash engine are, as ERROR_INFO says it (`registers::ERROR_MEMORY_FAULT`): in its
/// sub-engines, and in 12 conversion of the output, 13 that of the input, 14 the tree, 15 around the sub-engines.
const PLACES: [u32; 6] = [0, 1, 12, 13, 14, 15];

/// The parity of each memory is heeded: in one of several commitments the chip notices that bits flip in it, and says in
/// all of them that it is in the same place.
#[test]
#[ignore = "long: flips in each memory until one is noticed"]
fn flips_are_noticed_in_every_memory() {
    let mut random = Random::new(seed(230));
    let mut unnoticed: Option<BTreeSet<u32>> = None;
    let sets = [
        "plonky2",
        "filecoin-arity-11",
        "horizenlabs-poseidon2-goldilocks-16",
    ]
    .map(|name| short(name, 3, 8));
    // Only Rescue stores bases.
    let all = (sets.iter().cycle().take(6).copied()).chain([preset("miden-rpo256")]);
    let mut told = Told::default();
    for set in all {
        let commitment = Commitment::new(set, &mut random);
        let open = unnoticed.get_or_insert_with(|| (0..commitment.memories).collect());
        let attempts = if open.len() > 20 { 2 } else { 12 };
        open.retain(|&memory| {
            // A word that stays for an even number of cycles is as it was behind a flip in each of them.
            [1, 3, 2, 5]
                .into_iter()
                .cycle()
                .take(attempts)
                .all(|every| {
                    let outcome = commitment.with_flip_in(memory, &mut random, Flip::Steady(every));
                    assert_ne!(outcome, Outcome::Silent, "{}: memory {memory}", set.name());
                    outcome != Outcome::Detected
                })
        });
        println!("{}: nothing was noticed in {open:?}", set.name());
        for (memory, place) in commitment.told.take().0 {
            told.add(memory, place);
        }
    }
    println!("{told:?}");
    let engines = told.0.values().map(|&(engine, _)| engine);
    assert_eq!(engines.collect::<BTreeSet<_>>(), BTreeSet::from([0]));
    let places = told.0.values().map(|&(_, place)| place);
    assert_eq!(places.collect::<BTreeSet<_>>(), BTreeSet::from(PLACES));
    let unnoticed = unnoticed.unwrap();
    assert!(unnoticed.len() <= UNNOTICED, "memories {unnoticed:?}");
}

/// Parity does not see two bits beside each other, and then this test does: it finds wrong roots.
#[test]
fn two_bits_that_flip_may_not_be_noticed() {
    let mut random = Random::new(seed(206));
    let commitment = Commitment::new(preset("plonky2"), &mut random);
    let table = commitment.with_flips(&mut random, 48, Flip::Two);
    assert!(table.silent > 0, "{table:?}");
}

/// Words of all memories that are not zero, and a sum of what they are, wherever they stand in their memory.
fn look(chip: &mut PackedChip) -> (u32, u32) {
    let before = (chip.added[1], chip.added[2]);
    chip.addition = Some(Addition {
        edges: chip.edges()..chip.edges() + 1,
        every: 1,
        words: vec![LOOK, 0, 0],
    });
    // The look, its edge, and what it has found.
    for _ in 0..3 {
        chip.read_register(registers::STATUS.address).unwrap();
    }
    (
        chip.added[1].wrapping_sub(before.0),
        chip.added[2].wrapping_sub(before.1),
    )
}

/// Behind a zeroisation all memories hold the same, whatever was in them: the labels of what flushes the pipelines, and
/// otherwise zeros.
#[test]
fn a_zeroisation_leaves_nothing_in_any_memory() {
    let mut left = Vec::new();
    let mut held = Vec::new();
    for (number, name) in (0..).zip([
        "filecoin-arity-2",
        "filecoin-arity-2",
        "filecoin-arity-11",
        "plonky2",
        "horizenlabs-poseidon2-goldilocks-16",
        "miden-rpo256",
    ]) {
        let mut random = Random::new(seed(220 + number));
        let set = match name {
            "miden-rpo256" => preset(name),
            _ => short(name, 3, 6),
        };
        let commitment = Commitment::new(set, &mut random);
        let mut device = commitment.device();
        let root = commitment.commit(&mut device).expect("the chip commits");
        assert_eq!(root, commitment.root, "{name}");
        let chip = device.port();
        held.push(look(chip));
        chip.write_register(registers::CONTROL.address, ZEROISE)
            .unwrap();
        let ends = (0..100_000).any(|_| {
            let status = chip.read_register(registers::STATUS.address).unwrap();
            status & BUSY == 0
        });
        assert!(ends, "{name}: the zeroisation does not end");
        left.push((name, look(chip)));
    }
    println!("held {held:?}, left {left:?}");
    let (_, expected) = left[0];
    for (name, found) in left {
        assert_eq!(found, expected, "{name}: words and their sum");
    }
    for (number, one) in held.iter().enumerate() {
        assert!(one.0 > 4 * expected.0, "{one:?} held, {expected:?} left");
        assert!(!held[..number].contains(one), "{held:?}");
    }
}

// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! The cycle-exact model against the RTL, through the same driver: every counter and time stamp, over
//! random parameter sets, leaves, tree sizes and stalls, and every slot of every sub-engine, every queue and
//! every stall of some of them.

mod common;

use acclmt_driver::chip::{ChipDevice, ChipPort};
use acclmt_driver::device::{
    CommitRequest, Counters, Device, DeviceError, LeafRule, NoProgress, WordSource,
};
use acclmt_driver::nodes::NodeSink;
use acclmt_driver::program::{
    self, Bases, ChipConstant, ChipProgram, LevelEntry, Roles, RowRegisters, TOP_SET,
};
use acclmt_driver::registers::{self, SETS};
use acclmt_driver::sharing::Sharing;
use acclmt_driver::timeline::{Stall, Timeline};
use acclmt_merkle::levels::UpperLevels;
use acclmt_merkle::shape::Padding;
use acclmt_model::stalls::{Rate, Stalls};
use acclmt_model::{Hardware, ModelChip};
use acclmt_poseidon::dispatch;
use acclmt_poseidon::fields::{AnyParameters, FieldId};
use acclmt_poseidon::params::{PoseidonParameters, PoseidonSpecification};
use acclmt_poseidon::presets::{self, Preset};
use acclmt_poseidon::random::{self, Ranges};
use acclmt_poseidon::sponge::{self, Absorption, Capacity, Sponge};
use acclmt_poseidon::word::Word;
use acclmt_tb::{RtlChip, large_field, rtl_device};
use acclmt_verilated::RUNTIME_MODULUS;
use common::bits::ZEROISE;
use common::chip::{short_pairs, with_positions};
use common::{Random, elements, has_chains, rounds, seed, up_to_widest};

/// The build that the RTL is simulated as.
fn hardware() -> Hardware {
    Hardware {
        field: large_field(),
        runtime_modulus: RUNTIME_MODULUS,
        ..Hardware::default()
    }
}

/// A chip in RTL and two models of it: by visits, and slot by slot.
struct Chips {
    rtl: ChipDevice<RtlChip>,
    models: [ChipDevice<ModelChip>; 2],
}

/// Wants the nodes of some levels.
struct Levels(u32);

impl NodeSink for Levels {
    fn wants(&self, level: u32) -> bool {
        self.0 >> level & 1 != 0
    }

    fn node(&mut self, _level: u32, _index: u64, _digest: &[Word]) -> Result<(), DeviceError> {
        Ok(())
    }
}

impl Chips {
    fn new(seed: u64) -> Self {
        let model = |slots| {
            let mut chip = ModelChip::new(hardware()).expect("the build is legal");
            chip.simulate_slots(slots);
            ChipDevice::new(chip).expect("the model answers")
        };
        Self {
            rtl: rtl_device(seed as u32).expect("the chip answers"),
            models: [model(false), model(true)],
        }
    }

    fn set_stalls(&mut self, seed: u64, input: f64, output: f64) {
        self.rtl.port().set_stalls(seed, input, output).unwrap();
        for model in &mut self.models {
            model.port().set_stalls(seed, input, output).unwrap();
        }
    }

    fn set_host(&mut self, stalls: &Stalls) {
        self.rtl.port().set_host(stalls).unwrap();
        for model in &mut self.models {
            model.port().set_host(stalls).unwrap();
        }
    }

    /// The same on all of them; every counter must be equal. There are none if nothing was hashed.
    #[track_caller]
    fn compare(&mut self, what: &str, run: impl Fn(&mut dyn Device) -> Option<Counters>) {
        let expected = run(&mut self.rtl);
        for (model, kind) in self.models.iter_mut().zip(["visits", "slots"]) {
            let found = run(model);
            check(&format!("{what}, model by {kind}"), &found, &expected);
        }
    }

    #[track_caller]
    fn commit(&mut self, what: &str, request: &CommitRequest<'_>, words: &[Word], emit: u32) {
        self.compare(what, |device| {
            let source = &mut WordSource(words);
            let report = device.commit(request, source, &mut Levels(emit), &mut NoProgress);
            match report {
                // Not every two sets can be mixed.
                Err(DeviceError::Unsupported(_)) if request.sharing == Some(Sharing::Shared) => {
                    None
                }
                report => {
                    report
                        .unwrap_or_else(|error| panic!("{what}: {error}"))
                        .counters
                }
            }
        });
    }

    /// The timelines of the same run; none if the chip does not fold the tree in one.
    #[track_caller]
    fn timeline(&mut self, what: &str, request: &CommitRequest<'_>) -> Option<Timeline> {
        // A netlist shows its ports alone.
        if cfg!(feature = "netlist") {
            return None;
        }
        let record = |device: &mut dyn Device| {
            let mut timeline = Timeline::default();
            let cycles = device.timeline(request, &mut timeline, &mut NoProgress)?;
            assert_eq!(timeline.cycles, cycles, "{what}");
            Ok::<_, DeviceError>(timeline)
        };
        let expected = record(&mut self.rtl);
        let mut timeline = None;
        for model in &mut self.models {
            let found = record(model);
            match (&expected, found) {
                (Ok(expected), Ok(found)) => {
                    let difference = first_difference(&found, expected);
                    assert_eq!(difference, None, "{what}: first difference (model, RTL)");
                    timeline = Some(found);
                }
                (Err(DeviceError::Unsupported(_)), Err(DeviceError::Unsupported(_))) => {}
                (expected, found) => panic!("{what}: model {found:?}\nRTL {expected:?}"),
            }
        }
        timeline
    }
}

/// The first difference of two lists.
fn difference<T: std::fmt::Debug + PartialEq>(
    what: &str,
    found: &[T],
    expected: &[T],
) -> Option<String> {
    (0..found.len().max(expected.len()))
        .find(|&index| found.get(index) != expected.get(index))
        .map(|index| {
            let (found, expected) = (found.get(index), expected.get(index));
            format!("{what}, number {index}: {found:?}, {expected:?}")
        })
}

/// The first difference of two timelines.
fn first_difference(found: &Timeline, expected: &Timeline) -> Option<String> {
    for (engine, lists) in found.slots.iter().zip(&expected.slots).enumerate() {
        for (sub_engine, (found, expected)) in lists.0.iter().zip(lists.1).enumerate() {
            let what = format!("slots of hash engine {engine}, sub-engine {sub_engine}");
            let difference = difference(&what, found, expected);
            if difference.is_some() {
                return difference;
            }
        }
    }
    difference("groups", &found.groups, &expected.groups)
        .or_else(|| difference("jobs", &found.jobs, &expected.jobs))
        .or_else(|| difference("stalls", &found.stalls, &expected.stalls))
        .or_else(|| difference("cycles", &[found.cycles], &[expected.cycles]))
        .or_else(|| (found != expected).then(|| "something else".to_owned()))
}

/// Prints the first difference.
#[track_caller]
fn check(what: &str, found: &Option<Counters>, expected: &Option<Counters>) {
    if found == expected {
        return;
    }
    let [found, expected] = [found, expected].map(|counters| format!("{counters:#?}"));
    let lines = found.lines().zip(expected.lines());
    let difference = lines
        .into_iter()
        .find(|(found, expected)| found != expected);
    panic!("{what}: first difference (model, RTL): {difference:?}\nmodel {found}\nRTL {expected}");
}

fn field(random: &mut Random) -> FieldId {
    *random.choose(&[large_field(), FieldId::Goldilocks])
}

fn stalls(random: &mut Random) -> (f64, f64) {
    let some = [
        (0.0, 0.0),
        (0.0, 0.0),
        (0.5, 0.5),
        (0.9, 0.0),
        (0.0, 0.9),
        (0.97, 0.3),
    ];
    *random.choose(&some)
}

/// Hashes without a tree: every width, exponent and number of rounds.
fn hashes(first: u64, count: u64) {
    for seed in first..first + count {
        println!("seed {seed}");
        let mut random = Random::new(seed);
        let mut chips = Chips::new(seed);
        let ranges = Ranges {
            full_rounds: 1..=5,
            partial_rounds: 0..=40,
            singular_minor: random.below(8) == 0,
            zero_corner: random.below(8) == 0,
            poseidon2: random.below(4) == 0,
            small_integers: random.below(2) == 0,
            ..Ranges::default()
        };
        let field = field(&mut random);
        let ranges = up_to_widest(field, ranges);
        let parameters = random::any_parameters(field, seed, &ranges).unwrap();
        let (input, output) = stalls(&mut random);
        chips.set_stalls(seed, input, output);
        let count = 1 + random.below(300) as usize;
        let inputs: Vec<Vec<Word>> = (0..count)
            .map(|_| elements(&mut random, field, parameters.inputs()))
            .collect();
        let name = format!("{}, {count} hashes, {input} {output}", parameters.name());
        chips.compare(&name, |device| {
            let report = device.hash(&parameters, &inputs, &mut NoProgress);
            report
                .unwrap_or_else(|error| panic!("{name}: {error}"))
                .counters
        });
    }
}

#[test]
fn hashes_take_the_same_cycles() {
    hashes(seed(81), rounds(7));
}

#[test]
#[ignore = "long: 100 random parameter sets"]
fn many_hashes_take_the_same_cycles() {
    hashes(seed(8100), 100);
}

/// Trees of every kind.
fn trees(first: u64, count: u64, most_leaves: u64) {
    for seed in first..first + count {
        println!("seed {seed}");
        let mut random = Random::new(seed);
        let mut chips = Chips::new(seed);
        let field = field(&mut random);
        let ranges = Ranges {
            full_rounds: 1..=4,
            partial_rounds: 0..=20,
            poseidon2: random.below(4) == 0,
            ..Ranges::default()
        };
        let ranges = up_to_widest(field, ranges);
        let wide = random::any_parameters(field, seed, &ranges).unwrap();
        let node = nodes_of(&mut random, field, seed);
        let length = node.digest_length();
        let leaf = rows_of(&mut random, &wide, length);
        let rule = match random.below(4) {
            0 => LeafRule::Digest,
            1 => LeafRule::Hash(&node),
            2 if leaf.digest_length() == length => LeafRule::Hash(&leaf),
            _ if leaf.digest_length() == length => LeafRule::Row {
                parameters: &leaf,
                columns: 1 + random.below(20) as usize,
            },
            _ => LeafRule::Digest,
        };
        let leaves = 1 + random.below(most_leaves);
        let value = elements(&mut random, field, length);
        let first = random.below(leaves + 1) as u32;
        let request = CommitRequest {
            padding: *random.choose(&[Padding::Leaf(&value), Padding::SubTree(&value)]),
            cap_height: random.below(2) as u32,
            window: (random.below(2) == 0).then_some(first..leaves as u32),
            height: Some(leaves.max(2).ilog(node.arity() as u64) + 1 + random.below(2) as u32),
            sharing: *random.choose(&[None, Some(Sharing::Shared)]),
            ..CommitRequest::new(&node, rule, leaves)
        };
        if request.height > Some(5) && node.arity() > 8 {
            continue;
        }
        let emit = *random.choose(&[0, 0, u32::MAX, 0b101]);
        let words = elements(&mut random, field, request.leaf_length() * leaves as usize);
        let (input, output) = stalls(&mut random);
        chips.set_stalls(seed, input, output);
        let name = format!("{request:?}, levels {emit:b}, stalls {input} {output}");
        chips.commit(&name, &request, &words, emit);
        if seed.is_multiple_of(4) {
            chips.timeline(&name, &request);
        }
    }
}

/// Whole timelines of presets, without stalls and with all of them.
#[test]
#[cfg_attr(feature = "netlist", ignore = "a netlist shows its ports alone")]
fn presets_have_the_same_timelines() {
    let mut chips = Chips::new(seed(85));
    for field in [large_field(), FieldId::Goldilocks] {
        let parameters = presets::all()
            .iter()
            .map(|preset| preset.parameters())
            .filter(|set| set.field() == field && set.arity() > 1)
            .min_by_key(|set| set.arity())
            .expect("every field has a preset of a tree");
        let arity = parameters.arity() as u64;
        let leaves = arity.pow(32_u64.ilog(arity));
        let request = CommitRequest::new(parameters, LeafRule::Hash(parameters), leaves);
        for (input, output) in [(0.0, 0.0), (0.6, 0.7)] {
            chips.set_stalls(1, input, output);
            let name = format!(
                "{leaves} leaves of {}, stalls {input} {output}",
                parameters.name()
            );
            let timeline = chips.timeline(&name, &request).expect("the chip folds it");
            // A timeline of nothing would be equal too.
            let with_rounds = if parameters.partial_rounds() == 0 || has_chains(parameters) {
                1
            } else {
                4
            };
            for slots in &timeline.slots {
                let mut slots = slots[..with_rounds].iter();
                assert!(slots.all(|slots| !slots.is_empty()), "{name}");
            }
            assert!(!timeline.groups.is_empty(), "{name}");
            assert_eq!(
                timeline.jobs.len() as u64,
                (leaves - 1) / (arity - 1),
                "{name}"
            );
            let has = |stall| timeline.stalls.iter().any(|span| span.stall == stall);
            assert!(has(Stall::Root), "{name}");
            assert!(input == 0.0 || has(Stall::MissingInput), "{name}");
            println!(
                "{name}: {} cycles, {} stalls",
                timeline.cycles,
                timeline.stalls.len()
            );
        }
    }
}

#[test]
fn input_rates_take_the_same_cycles() {
    let set = presets::by_name("plonky2").unwrap();
    let mut random = Random::new(seed(83));
    let mut chips = Chips::new(83);
    // Faster than the chip takes the words, about as fast, slower; with stalls besides.
    let rates = [
        (1, 1),
        (2, 3),
        (1, 3),
        (7, 30),
        (1, 7),
        (3, 100),
        (999, 1000),
    ];
    let stalls = [(0.0, 0.0), (0.4, 0.0), (0.3, 0.6)];
    for (case, (words, cycles)) in rates.into_iter().enumerate() {
        let (input, output) = stalls[case.saturating_sub(4)];
        let stalls = Stalls {
            seed: random.next(),
            input,
            output,
            input_rate: Rate::new(words, cycles).unwrap(),
        };
        chips.set_host(&stalls);
        // Both runs begin with what the link has brought meanwhile.
        let inputs: Vec<Vec<Word>> = (0..40)
            .map(|_| elements(&mut random, FieldId::Goldilocks, set.inputs()))
            .collect();
        let name = format!("{stalls:?}, 40 hashes");
        chips.compare(&name, |device| {
            let report = device.hash(set, &inputs, &mut NoProgress);
            report
                .unwrap_or_else(|error| panic!("{name}: {error}"))
                .counters
        });
        let leaves = 1 + random.below(80);
        let rule = LeafRule::Row {
            parameters: set,
            columns: 1 + random.below(20) as usize,
        };
        let value = elements(&mut random, FieldId::Goldilocks, set.digest_length());
        let request = CommitRequest {
            padding: Padding::Leaf(&value),
            ..CommitRequest::new(set, rule, leaves)
        };
        let words = request.leaf_length() * leaves as usize;
        let words = elements(&mut random, FieldId::Goldilocks, words);
        chips.commit(&format!("{stalls:?}, {request:?}"), &request, &words, 0);
    }
}

/// A random hash whose digest is a node: one element, or four in Goldilocks.
fn nodes_of(random: &mut Random, field: FieldId, seed: u64) -> AnyParameters {
    let length = if field == FieldId::Goldilocks { 4 } else { 1 };
    let most = program::widest(field == FieldId::Goldilocks) / length - 1;
    let arity = 2 + random.below(most as u64 - 1) as usize;
    let width = (arity + 1) * length;
    let ranges = Ranges {
        widths: width..=width,
        full_rounds: 1..=4,
        partial_rounds: 0..=20,
        poseidon2: random.below(4) == 0,
        ..Ranges::default()
    };
    let set = random::any_parameters(field, seed + 1, &ranges).unwrap();
    let name = format!("nodes of {arity}");
    let input = (width - arity * length..width).collect();
    with_positions(&set, name, input, (0..length).collect())
}

/// A set with a sponge, whose digest has `length` elements where its state is wide enough.
fn rows_of(random: &mut Random, set: &AnyParameters, length: usize) -> AnyParameters {
    dispatch!(set, set => {
        PoseidonParameters::new(PoseidonSpecification {
            digest_positions: (0..length.min(set.width())).collect(),
            sponge: Some(Sponge {
                rate_positions: (1..set.width()).collect(),
                absorption: *random.choose(&[Absorption::Add, Absorption::Overwrite]),
                padding: *random.choose(&[sponge::Padding::None, sponge::Padding::OneZerosOne]),
                capacity: Capacity::InitialState,
                permute_empty: false,
                short_rows_are_digests: random.below(2) == 0,
            }),
            ..set.specification().clone()
        })
        .unwrap()
        .into()
    })
}

#[test]
fn trees_take_the_same_cycles() {
    trees(seed(82), rounds(10), 80);
}

#[test]
#[ignore = "long: 60 random trees"]
fn many_trees_take_the_same_cycles() {
    trees(seed(8200), 60, 600);
}

/// Hash engines with both roles, whose leaves and nodes have one set or two, at any pace of the host.
#[test]
fn shared_hash_engines_take_the_same_cycles() {
    let seed = seed(88);
    let mut random = Random::new(seed);
    let mut chips = Chips::new(seed);
    let mut shapes = vec![
        ("plonky2", Some("plonky2"), 2, 0),
        // Rows of two and of three blocks.
        ("plonky2", Some("plonky2"), 2, 16),
        ("plonky2", Some("plonky2"), 2, 20),
    ];
    if large_field() == FieldId::Bls12_381 {
        shapes.extend([
            ("filecoin-arity-2", Some("filecoin-arity-2"), 2, 0),
            ("filecoin-arity-8", Some("filecoin-arity-11"), 8, 0),
            ("filecoin-arity-8", None, 8, 0),
            ("filecoin-arity-2", Some("filecoin-arity-8"), 2, 0),
            ("filecoin-arity-11", Some("filecoin-arity-2"), 11, 0),
        ]);
    }
    for (number, (nodes, rows, arity, columns)) in shapes.into_iter().enumerate() {
        let parameters = presets::by_name(nodes).unwrap();
        let rows = rows.map(|name| presets::by_name(name).unwrap());
        let rule = match rows {
            None => LeafRule::Digest,
            Some(parameters) if columns != 0 => LeafRule::Row {
                parameters,
                columns,
            },
            Some(parameters) => LeafRule::Hash(parameters),
        };
        let field = parameters.field();
        let leaves = 1 + random.below(if columns == 0 { 40 } else { 80 });
        let value = elements(&mut random, field, parameters.digest_length());
        let request = CommitRequest {
            padding: Padding::SubTree(&value),
            height: Some(leaves.max(2).ilog(arity) + 1),
            window: Some(leaves as u32 / 3..leaves as u32),
            sharing: Some(Sharing::Shared),
            ..CommitRequest::new(parameters, rule, leaves)
        };
        let words = elements(&mut random, field, request.leaf_length() * leaves as usize);
        let (input, output) = stalls(&mut random);
        chips.set_stalls(seed + number as u64, input, output);
        let emit = *random.choose(&[0, u32::MAX, 0b101]);
        let what = format!("{request:?}, levels {emit:b}, stalls {input} {output}");
        chips.compare(&what, |device| {
            let source = &mut WordSource(&words);
            let report = device.commit(&request, source, &mut Levels(emit), &mut NoProgress);
            let counters = report.expect("the sets can be mixed").counters;
            let of_engines = counters.as_ref().expect("something is hashed");
            let hashes = of_engines.leaf.hashes + of_engines.root.hashes;
            assert_eq!(hashes, request.hashes(&request.shape().unwrap()), "{what}");
            counters
        });
        chips.timeline(&what, &request);
    }
}

/// Trees whose levels have several parameter sets, all of which an engine mixes: as many as it has room for.
#[test]
#[cfg_attr(
    not(feature = "bls12-381"),
    ignore = "the presets of the other primes have no such arities"
)]
fn levels_of_several_sets_take_the_same_cycles() {
    let seed = seed(89);
    let mut random = Random::new(seed);
    let mut chips = Chips::new(seed);
    let set = |arity: u32| presets::by_name(&format!("filecoin-arity-{arity}")).unwrap();
    for (number, (rows, nodes, upper, leaves, sharing)) in [
        (Some(11), 8, vec![(1, 2)], 17..33, Sharing::Shared),
        (Some(11), 8, vec![(1, 2)], 17..33, Sharing::Fixed),
        (None, 4, vec![(1, 8), (2, 2)], 40..65, Sharing::Shared),
        (None, 2, vec![(3, 8)], 9..65, Sharing::Fixed),
        (Some(2), 2, vec![(1, 11)], 10..60, Sharing::Shared),
    ]
    .into_iter()
    .enumerate()
    {
        let leaves = leaves.start + random.below(leaves.end - leaves.start);
        let rule = rows.map_or(LeafRule::Digest, |arity| LeafRule::Hash(set(arity)));
        let value = elements(&mut random, large_field(), 1);
        let upper = upper.into_iter().map(|(from, arity)| UpperLevels {
            from,
            parameters: set(arity),
        });
        let request = CommitRequest {
            upper: upper.collect(),
            padding: Padding::SubTree(&value),
            sharing: Some(sharing),
            ..CommitRequest::new(set(nodes), rule, leaves)
        };
        assert_eq!(chips.rtl.commit_notes(&request), [""; 0], "{request:?}");
        let count = request.leaf_length() * leaves as usize;
        let words = elements(&mut random, large_field(), count);
        let (input, output) = stalls(&mut random);
        chips.set_stalls(seed + number as u64, input, output);
        let emit = *random.choose(&[0, u32::MAX, 0b101]);
        let what = format!("{request:?}, levels {emit:b}, stalls {input} {output}");
        chips.commit(&what, &request, &words, emit);
        chips.timeline(&what, &request);
    }
}

/// The presets of the build at their full number of rounds, several runs on the same chip.
#[test]
fn presets_take_the_same_cycles() {
    check_presets(presets::all().iter().step_by(6), 0);
}

/// The presets that the chip is built for, up to the steady state.
#[test]
fn steady_states_take_the_same_cycles() {
    let names = [
        "filecoin-arity-2",
        "plonky2",
        "plonky3-poseidon2-goldilocks-12",
    ];
    check_presets(names.iter().map(|name| presets::find(name).unwrap()), 5_000);
}

/// So long that the engine comes to its steady state, of which `acclmt-model` tests that it is the plan's.
#[test]
#[ignore = "long: every preset, up to its steady state"]
fn all_presets_take_the_same_cycles() {
    check_presets(presets::all().iter(), 10_000);
}

/// As many hashes of each preset as take so many cycles in the steady state, and eight at least.
fn check_presets(presets: impl Iterator<Item = &'static Preset>, cycles: u64) {
    let seed = seed(83);
    let mut random = Random::new(seed);
    let mut chips = Chips::new(seed);
    for preset in presets {
        let parameters = preset.parameters();
        if parameters.field() != large_field() && parameters.field() != FieldId::Goldilocks {
            continue;
        }
        let plan = chips.rtl.engine_plan(parameters).unwrap();
        let count = plan.map_or(8, |plan| (cycles / plan.period).max(8));
        let inputs: Vec<Vec<Word>> = (0..count)
            .map(|_| elements(&mut random, parameters.field(), parameters.inputs()))
            .collect();
        chips.compare(parameters.name(), |device| {
            let report = device.hash(parameters, &inputs, &mut NoProgress);
            report.expect("the chip computes").counters
        });
    }
}

/// Legal roles of two hash engines, for rows and nodes of the same set.
fn roles() -> [u32; 4] {
    [(0b01, 0b10), (0b11, 0b11), (0b10, 0b01), (0b01, 0b11)].map(|(rows, nodes)| {
        let roles = Roles {
            rows,
            nodes,
            node_limit: 0,
        };
        roles.value()
    })
}

/// The writes that load all parameter sets into all hash engines as far as a start looks at it: the last bank of each
/// step of the matrices, and the tables of passes. One time out of four something is wrong with them: a bit of an entry,
/// or an entry or a step that is not there.
fn program_writes(random: &mut Random, program: &ChipProgram) -> Vec<(u32, u32)> {
    let is_pass =
        |constant: &&ChipConstant| (constant.sub_engine, constant.bank) == (0, program::PASS_BANK);
    let entries = program.constants.iter().filter(is_pass).count();
    let steps = (program.constants.iter())
        .filter(|constant| (constant.sub_engine, constant.bank) == (0, 17))
        .copied();
    let tables = (0..SETS.len()).flat_map(|set| {
        let bases = Bases {
            passes: [(set * entries) as u8, 0],
            ..Bases::default()
        };
        let passes = program.constants.iter().filter(is_pass);
        passes.map(move |constant| constant.placed(set, &bases).unwrap())
    });
    let mut constants: Vec<ChipConstant> = steps.chain(tables).collect();
    let number = random.below(constants.len() as u64) as usize;
    match random.below(8) {
        0 => {
            constants.remove(number);
        }
        1 => {
            let bit = random.below(64) as usize;
            constants[number].word[bit / 8] ^= 1 << (bit % 8);
        }
        _ => {}
    }
    let mut writes = Vec::new();
    for constant in constants {
        for (position, bytes) in (0..).zip(constant.word.as_chunks::<4>().0) {
            let address = registers::CONSTANT_DATA.at(position);
            writes.push((address, u32::from_le_bytes(*bytes)));
        }
        let address = registers::CONSTANT_INDEX.with(constant.index.into())
            | registers::CONSTANT_BANK.with(constant.bank.into())
            | registers::CONSTANT_ENGINE.with(constant.sub_engine.into())
            | registers::CONSTANT_ENGINE_MASK.with(0b11);
        writes.push((registers::CONSTANT_ADDRESS.address, address));
    }
    writes
}

/// The register file: requests at random, in any state, are answered alike, and the streams do the same.
#[test]
#[cfg_attr(
    not(feature = "bls12-381"),
    ignore = "long: the registers are the same with every constant prime"
)]
fn registers_answer_alike() {
    check_registers(1_200);
}

#[test]
#[ignore = "long: as many requests again and more"]
fn registers_answer_alike_for_long() {
    check_registers(6_000);
}

fn check_registers(requests: usize) {
    let seed = seed(86);
    let mut random = Random::new(seed);
    let mut chips = Chips::new(seed);
    let rtl = chips.rtl.port();
    let [model, _] = &mut chips.models;
    let model = model.port();
    let program = ChipProgram::compile(short_pairs(), &hardware().limits()).unwrap();
    // The third set has another arity.
    let mut sets = [program.registers; SETS.len()];
    sets[TOP_SET].arity = 3;
    let mut writes: Vec<(u32, u32)> = (SETS.into_iter().zip(&sets))
        .flat_map(|(engine, set)| set.writes(engine))
        .chain(RowRegisters::one_block(&program.registers).writes())
        .collect();
    writes.extend([
        (registers::INTERRUPT_ENABLE.address, 3),
        (registers::FIELD.address, 0),
    ]);
    let words = elements(&mut random, large_field(), 64);
    let mut bad = words.clone();
    bad[3] = [0xFF; 32];
    let counters = registers::CYCLES.address..=registers::HIGH_WATER.address + 4;
    let control = registers::CONTROL.address;
    let (mut runs, mut zeroisations) = (0, 0);
    for number in 0..requests {
        // The configuration of a run that is legal, from time to time.
        if number % 40 == 0 {
            // Most of these runs end within the cycles below.
            let top = 1 + random.below(2) as u32;
            let leaves = 1 + random.below(1 << top) as u32;
            let kind = random.below(2) as u32;
            // A clear ends what the requests before have left under way.
            let mut all = vec![(control, 2)];
            all.extend(&writes);
            all.extend(program_writes(&mut random, &program));
            all.extend([
                (registers::MODE.address, kind | (random.below(2) as u32 * 2)),
                (registers::LEAVES.address, leaves),
                (registers::ROLES.address, *random.choose(&roles())),
                (registers::LEAVES_HIGH.address, 0),
                (registers::TOP_LEVEL.address, top),
                (
                    registers::EMIT_LEVELS.address,
                    random.below(2 << top) as u32,
                ),
            ]);
            // Most levels have a set; that of rows is one where leaves are not hashed.
            all.extend([4, 4, 1].into_iter().zip(0..).map(|(groups, level)| {
                let set = *random.choose(&[1, 1, 1, 1, 2, 2, 2, 0]);
                let entry = LevelEntry { set, groups };
                (registers::LEVEL_TABLE.at(level), entry.value())
            }));
            all.push((control, 1));
            for (address, value) in all {
                rtl.write_register(address, value).unwrap();
                model.write_register(address, value).unwrap();
            }
        }
        // Half of these runs go to their end at once.
        let whole = number % 40 == 0 && random.below(2) == 0;
        let register = *random.choose(registers::REGISTERS);
        let mut address = register.at(random.below(register.count.into()) as u32);
        match random.below(8) {
            0 => address = registers::STATUS.address,
            1 => address = control,
            2 => address = random.below(0x1000) as u32,
            _ => {}
        }
        if counters.contains(&address) && !whole {
            continue;
        }
        let what = format!("seed {seed}, request {number}, address 0x{address:03X}");
        match if whole { 7 } else { random.below(8) } {
            0..4 => {
                let values = [
                    0,
                    1,
                    2,
                    3,
                    4,
                    8,
                    12,
                    1 << random.below(32),
                    random.next() as u32,
                ];
                let legal = writes.iter().find(|write| write.0 == address);
                let mut value = match legal {
                    Some(&(_, value)) if random.below(4) != 0 => value,
                    _ => *random.choose(&values),
                };
                // Zeroisations are long: few of them.
                if address == control && value == ZEROISE && random.below(4) != 0 {
                    value = 1;
                }
                zeroisations += usize::from(address == control && value == ZEROISE);
                rtl.write_register(address, value).unwrap();
                model.write_register(address, value).unwrap();
            }
            4..7 => {
                let expected = rtl.read_register(address).unwrap();
                let found = model.read_register(address).unwrap();
                assert_eq!(found, expected, "{what}: model, RTL");
            }
            _ => {
                let input = if random.below(4) == 0 { &bad } else { &words };
                // A run takes some thousand cycles at most.
                let cycles = if whole {
                    4000
                } else {
                    *random.choose(&[1, 2, 10, 300, 4000])
                };
                let (mut expected, mut found) = (Vec::new(), Vec::new());
                let taken = rtl.transfer(input, &mut expected, cycles).unwrap();
                let by_model = model.transfer(input, &mut found, cycles).unwrap();
                assert_eq!(by_model, taken, "{what}: words taken by model, RTL");
                for word in &mut expected {
                    word.data = Word::default();
                }
                assert_eq!(found, expected, "{what}: output of model, RTL");
                runs += usize::from(found.last().is_some_and(|word| word.last));
            }
        }
        if random.below(6) == 0 {
            rtl.write_register(control, 2).unwrap();
            model.write_register(control, 2).unwrap();
        }
        for register in [
            registers::STATUS,
            registers::ERROR,
            registers::ERROR_INFO,
            registers::INTERRUPT_STATUS,
        ] {
            let expected = rtl.read_register(register.address).unwrap();
            let found = model.read_register(register.address).unwrap();
            assert_eq!(found, expected, "{what}: {} of model, RTL", register.name);
        }
    }
    println!("{runs} runs, {zeroisations} zeroisations");
    // A run-time modulus is written, too, and no run starts with an illegal one.
    let few = requests / if RUNTIME_MODULUS { 600 } else { 300 };
    assert!(
        runs > few && zeroisations > requests / 3_000,
        "seed {seed}: {runs}, {zeroisations}"
    );
}

/// In every clock cycle of a zeroisation the chip reads alike, and the registers of its run do.
#[test]
fn zeroisations_take_the_same_cycles() {
    let seed = seed(87);
    let mut random = Random::new(seed);
    let mut chips = Chips::new(seed);
    let rtl = chips.rtl.port();
    let [model, _] = &mut chips.models;
    let model = model.port();
    let configuration: Vec<u32> = registers::REGISTERS
        .iter()
        .flat_map(|register| {
            let count = register.count;
            (0..count).map(|position| register.at(position))
        })
        .filter(|address| {
            let engines = registers::ENGINE2.hashes.address..;
            !(registers::CYCLES.address..0x400).contains(address) && !engines.contains(address)
        })
        .collect();
    for address in &configuration {
        let value = random.next() as u32;
        if ![
            registers::CONTROL.address,
            registers::CONSTANT_ADDRESS.address,
        ]
        .contains(address)
        {
            rtl.write_register(*address, value).unwrap();
            model.write_register(*address, value).unwrap();
        }
    }
    for (address, value) in [
        (registers::CONTROL.address, 2),
        (registers::CONTROL.address, ZEROISE),
    ] {
        rtl.write_register(address, value).unwrap();
        model.write_register(address, value).unwrap();
    }
    let begin = model.cycles();
    let mut left = 1000;
    while left != 0 {
        let cycle = model.cycles() - begin;
        let address = match random.below(4) {
            0 => *random.choose(&configuration),
            _ => registers::STATUS.address,
        };
        let expected = rtl.read_register(address).unwrap();
        let found = model.read_register(address).unwrap();
        assert_eq!(
            found, expected,
            "cycle {cycle}, address 0x{address:03X}: model, RTL (seed {seed})"
        );
        if address == registers::STATUS.address && found & 1 == 0 {
            if left == 1000 {
                println!("busy for at most {cycle} cycles");
            }
            left -= 1;
        }
        assert!(cycle < 200_000, "the zeroisation does not end");
    }
}

/// Trees larger than a standard tree.
#[test]
#[ignore = "long: trees of 4096 and 8192 leaves"]
fn large_trees_take_the_same_cycles() {
    let seed = seed(84);
    let mut random = Random::new(seed);
    let mut chips = Chips::new(seed);
    let name = match large_field() {
        FieldId::Bls12_381 => "filecoin-arity-2",
        _ => "plonky2",
    };
    let parameters = presets::by_name(name).unwrap();
    let digest = parameters.digest_length();
    for (rule, leaves) in [
        (LeafRule::Hash(parameters), 4096),
        (LeafRule::Hash(parameters), 8192),
        (LeafRule::Digest, 8192),
    ] {
        let request = CommitRequest {
            window: Some(1000..leaves as u32),
            ..CommitRequest::new(parameters, rule, leaves)
        };
        let length = if matches!(rule, LeafRule::Digest) {
            digest
        } else {
            parameters.inputs()
        };
        let words = elements(&mut random, parameters.field(), length * leaves as usize);
        chips.commit(&format!("{leaves} leaves, {rule:?}"), &request, &words, 0);
    }
}

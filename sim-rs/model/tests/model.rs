// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! The model by visits against the model slot by slot, which are two descriptions of the same machine, on
//! hardware of every kind. (`tb/tests/model.rs` compares both with the RTL.)

use acclmt_driver::chip::ChipDevice;
use acclmt_driver::device::{
    CommitRequest, Counters, Device, DeviceError, LeafRule, LeafSource, NoProgress,
};
use acclmt_driver::level_table::{NODE_WORDS, PAPER_NODE_WORDS};
use acclmt_driver::nodes::NoNodes;
use acclmt_driver::program::widest;
use acclmt_merkle::shape::Padding;
use acclmt_model::{Hardware, ModelChip};
use acclmt_poseidon::fields::{AnyParameters, FieldId};
use acclmt_poseidon::params::{PoseidonParameters, PoseidonSpecification, RoundOrder};
use acclmt_poseidon::random::{self, Ranges};
use acclmt_poseidon::word::Word;
use acclmt_poseidon::{dispatch, presets};
use proptest::prelude::*;

/// Elements that are all 0.
struct Zeros;

impl LeafSource for Zeros {
    fn read(&mut self, elements: usize) -> Result<Vec<Word>, DeviceError> {
        Ok(vec![Word::default(); elements])
    }
}

/// How the host behaves.
#[derive(Clone, Copy, Debug)]
struct Stalls {
    seed: u64,
    input: f64,
    output: f64,
}

fn stalls() -> impl Strategy<Value = Stalls> {
    let shares = prop_oneof![
        3 => Just((0.0, 0.0)),
        1 => Just((0.5, 0.5)),
        1 => Just((0.9, 0.0)),
        1 => Just((0.0, 0.9)),
    ];
    (any::<u64>(), shares).prop_map(|(seed, (input, output))| Stalls {
        seed,
        input,
        output,
    })
}

fn hardware() -> impl Strategy<Value = Hardware> {
    let node_words = prop_oneof![
        2 => Just(NODE_WORDS),
        1 => Just(PAPER_NODE_WORDS),
        1 => Just(64),
        1 => Just(32),
    ];
    let engines = prop_oneof![
        1 => Just((1, 4)),
        1 => (1_usize..=2, 1_usize..=6),
    ];
    (engines, any::<bool>(), node_words).prop_map(
        |((num_full, num_partial), runtime_modulus, node_words)| Hardware {
            field: if runtime_modulus {
                FieldId::Bn254
            } else {
                FieldId::Bls12_381
            },
            runtime_modulus,
            num_full,
            num_partial,
            node_words,
            ..Hardware::default()
        },
    )
}

/// Which set of parameters.
#[derive(Clone, Copy, Debug)]
struct Set {
    seed: u64,
    goldilocks: bool,
    width: usize,
    full_rounds: usize,
    partial_rounds: usize,
}

fn set() -> impl Strategy<Value = Set> {
    let set = (
        any::<u64>(),
        any::<bool>(),
        2_usize..=24,
        1_usize..=5,
        0_usize..=60,
    );
    set.prop_map(
        |(seed, goldilocks, width, full_rounds, partial_rounds)| Set {
            seed,
            goldilocks,
            width: width.min(widest(goldilocks)),
            full_rounds,
            partial_rounds,
        },
    )
}

impl Set {
    /// The set; for a tree its digest is a node.
    fn parameters(&self, hardware: &Hardware, tree: bool) -> AnyParameters {
        let field = if self.goldilocks {
            FieldId::Goldilocks
        } else {
            hardware.field
        };
        let width = if tree && self.goldilocks {
            // Two to five digests of four elements.
            4 * (2 + self.width / 4 % 4).max(3)
        } else if tree {
            self.width.max(3)
        } else {
            self.width
        };
        let ranges = Ranges {
            widths: width..=width,
            orders: vec![RoundOrder::ConstantsFirst],
            full_rounds: self.full_rounds..=self.full_rounds,
            partial_rounds: self.partial_rounds..=self.partial_rounds,
            ..Ranges::default()
        };
        let set = random::any_parameters(field, self.seed, &ranges).unwrap();
        if !tree {
            return set;
        }
        let length = if self.goldilocks { 4 } else { 1 };
        let arity = width / length - 1;
        dispatch!(&set, set => {
            PoseidonParameters::new(PoseidonSpecification {
                input_positions: (width - arity * length..width).collect(),
                digest_positions: (0..length).collect(),
                ..set.specification().clone()
            })
            .unwrap()
            .into()
        })
    }
}

/// The counters of the same run by visits and slot by slot; nothing where the hardware refuses it.
fn run(
    hardware: Hardware,
    stalls: Stalls,
    parameters: &AnyParameters,
    run: impl Fn(&mut dyn Device) -> Result<Option<Counters>, DeviceError>,
) -> Result<(), TestCaseError> {
    let mut found = Vec::new();
    for slots in [false, true] {
        let mut chip = ModelChip::new(hardware).unwrap();
        chip.simulate_slots(slots);
        chip.set_stalls(stalls.seed, stalls.input, stalls.output)
            .unwrap();
        let mut device = ChipDevice::new(chip).unwrap();
        if device.supports(parameters).is_err() {
            return Ok(());
        }
        found.push(run(&mut device).map_err(|error| error.to_string()));
    }
    prop_assert_eq!(&found[0], &found[1]);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn hashes_take_the_same_cycles(
        hardware in hardware(),
        stalls in stalls(),
        set in set(),
        count in 1_usize..400,
    ) {
        let parameters = set.parameters(&hardware, false);
        let inputs = vec![vec![Word::default(); parameters.inputs()]; count];
        run(hardware, stalls, &parameters, |device| {
            Ok(device.hash(&parameters, &inputs, &mut NoProgress)?.counters)
        })?;
    }

    #[test]
    fn trees_take_the_same_cycles(
        hardware in hardware(),
        stalls in stalls(),
        set in set(),
        hashes in any::<bool>(),
        leaves in 1_u64..400,
        from in 0.0..1.0,
    ) {
        let parameters = set.parameters(&hardware, true);
        let zeros = vec![Word::default(); parameters.digest_length()];
        let leaf = if hashes {
            LeafRule::Hash(&parameters)
        } else {
            LeafRule::Digest
        };
        let first = (leaves as f64 * from) as u32;
        let request = CommitRequest {
            padding: Padding::Leaf(&zeros),
            window: Some(first..leaves as u32),
            ..CommitRequest::new(&parameters, leaf, leaves)
        };
        run(hardware, stalls, &parameters, |device| {
            let report = device.commit(&request, &mut Zeros, &mut NoNodes, &mut NoProgress)?;
            Ok(report.counters)
        })?;
    }
}

/// Engines in their steady state, at the full number of rounds.
#[test]
fn presets_take_the_same_cycles() {
    let calm = Stalls {
        seed: 0,
        input: 0.0,
        output: 0.0,
    };
    for preset in presets::all() {
        let parameters = preset.parameters();
        let field = match parameters.field() {
            FieldId::Goldilocks => FieldId::Bls12_381,
            field => field,
        };
        let hardware = Hardware {
            field,
            ..Hardware::default()
        };
        let inputs = vec![vec![Word::default(); parameters.inputs()]; 500];
        run(hardware, calm, parameters, |device| {
            Ok(device.hash(parameters, &inputs, &mut NoProgress)?.counters)
        })
        .unwrap();
    }
}

/// Long runs, in which the engines come to their steady state, are disturbed at times, and come back to it.
#[test]
fn long_runs_take_the_same_cycles() {
    let parameters = presets::by_name("filecoin-arity-2").unwrap();
    let leaves = 1 << 13;
    let request = CommitRequest {
        window: Some(4096..leaves),
        ..CommitRequest::new(parameters, LeafRule::Hash(parameters), leaves.into())
    };
    for (seed, share) in [(1, 0.0), (2, 0.000_05)] {
        let stalls = Stalls {
            seed,
            input: share,
            output: share,
        };
        run(Hardware::default(), stalls, parameters, |device| {
            let report = device.commit(&request, &mut Zeros, &mut NoNodes, &mut NoProgress)?;
            Ok(report.counters)
        })
        .unwrap();
    }
}

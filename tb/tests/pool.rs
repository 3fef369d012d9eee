// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! A chip with four hash engines: whichever of them take rows and nodes, nodes and roots are those of the software, and
//! every counter is that of the model.

mod common;

use acclmt_driver::chip::ChipDevice;
use acclmt_driver::device::{
    CommitRequest, Counters, Device, DeviceError, LeafRule, NoProgress, WordSource,
};
use acclmt_driver::nodes::AllNodes;
use acclmt_driver::sharing::Sharing;
use acclmt_driver::software::SoftwareDevice;
use acclmt_merkle::levels::UpperLevels;
use acclmt_merkle::shape::Padding;
use acclmt_model::{Hardware, ModelChip};
use acclmt_poseidon::fields::AnyParameters;
use acclmt_poseidon::presets;
use acclmt_poseidon::word::Word;
use acclmt_verilated::{BenchKind, RUNTIME_MODULUS};
use common::packed::PackedChip;
use common::{Random, elements, rounds, seed};

/// The build of tb/rtl/acclmt_tb_pool.sv.
fn hardware() -> Hardware {
    Hardware {
        field: acclmt_tb::large_field(),
        runtime_modulus: RUNTIME_MODULUS,
        num_engines: 4,
        num_partial: 1,
        partial_depth: 256,
        max_height: 12,
        node_words: 256,
        ..Hardware::default()
    }
}

/// Filecoin's presets of these arities, or those of the field of the build that hash as many.
fn presets_of(
    field: acclmt_poseidon::fields::FieldId,
    arities: &[usize],
) -> Vec<&'static AnyParameters> {
    let limits = hardware().limits();
    let mut sets: Vec<&AnyParameters> = Vec::new();
    for preset in presets::all() {
        let set = preset.parameters();
        let is_new = sets.iter().all(|other| other.arity() != set.arity());
        let fits = acclmt_driver::program::ChipProgram::compile(set, &limits).is_ok();
        if set.field() == field && arities.contains(&set.arity()) && is_new && fits {
            sets.push(set);
        }
    }
    sets
}

/// What there is to compare: every node and the counters.
type Results = (Vec<Vec<Word>>, AllNodes, Option<Counters>);

/// Commits on a device; nothing if it says that its engines cannot do that.
fn commit(device: &mut dyn Device, request: &CommitRequest<'_>, words: &[Word]) -> Option<Results> {
    let mut nodes = AllNodes::default();
    let source = &mut WordSource(words);
    match device.commit(request, source, &mut nodes, &mut NoProgress) {
        Ok(report) => Some((report.cap, nodes, report.counters)),
        Err(DeviceError::Unsupported(_)) => None,
        Err(error) => panic!("{request:?}: {error}"),
    }
}

#[test]
fn pools_make_the_trees_of_the_software_in_the_cycles_of_the_model() {
    let seed = seed(31);
    let mut random = Random::new(seed);
    let field = acclmt_tb::large_field();
    let mut rtl =
        ChipDevice::new(PackedChip::new(BenchKind::Pool, seed)).expect("the chip answers");
    let chip = ModelChip::new(hardware()).expect("the build is legal");
    let mut model = ChipDevice::new(chip).expect("the model answers");
    let sets = presets_of(field, &[2, 4, 8, 11]);
    assert!(!sets.is_empty());
    let mut shared = 0;
    let mut mixed = 0;
    for number in 0..rounds(24) {
        let nodes = *random.choose(&sets);
        let top = *random.choose(&sets);
        let hash = *random.choose(&sets);
        let rows = sets.iter().find(|set| set.sponge().is_some());
        let (rule, permutations) = match (random.below(4), rows) {
            (0, _) => (LeafRule::Digest, 0),
            (1, Some(rows)) => {
                let columns = 1 + random.below(40) as usize;
                let rule = LeafRule::Row {
                    parameters: rows,
                    columns,
                };
                (rule, 1 + columns as u64 / 4)
            }
            _ => (LeafRule::Hash(hash), 1),
        };
        let leaves = 1 + random.below(400 / (1 + permutations));
        let padding = elements(&mut random, field, 1);
        let sharing = *random.choose(&[Sharing::Shared, Sharing::Shared, Sharing::Fixed]);
        let mut request = CommitRequest {
            padding: Padding::Leaf(&padding),
            sharing: Some(sharing),
            ..CommitRequest::new(nodes, rule, leaves)
        };
        let height = request.shape().expect("a tree of one arity").height();
        if random.below(2) == 0 && height > 1 {
            // The uppermost levels have another parameter set.
            request.upper = vec![UpperLevels {
                from: 1 + random.below(u64::from(height) - 1) as u32,
                parameters: top,
            }];
        }
        let Ok(shape) = request.shape() else {
            continue;
        };
        let words = elements(&mut random, field, request.leaf_length() * leaves as usize);
        let what = format!("seed {seed}, run {number}: {request:?}");
        let found = commit(&mut rtl, &request, &words);
        let by_model = commit(&mut model, &request, &words);
        match (&found, &by_model) {
            (Some((cap, nodes, counters)), Some((_, _, expected))) => {
                assert_eq!(counters, expected, "{what}: RTL, model");
                let software = commit(&mut SoftwareDevice::new(), &request, &words);
                let (expected, expected_nodes, _) = software.expect("software makes any tree");
                assert_eq!(*cap, expected, "{what}");
                assert!(*nodes == expected_nodes, "{what}: nodes");
                shared += usize::from(sharing == Sharing::Shared);
                mixed += usize::from(!request.upper.is_empty() && shape.height() > 0);
            }
            (None, None) => {}
            _ => panic!("{what}: one of RTL and model refuses it"),
        }
    }
    println!("{shared} runs were shared, {mixed} had levels of two parameter sets");
    assert!(shared > 3 && mixed > 1);
}

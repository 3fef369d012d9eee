//! Trees with upper levels on the software and on several devices, against hashes level by level.

use acclmt_driver::device::{
    CommitReport, CommitRequest, Device, LeafRule, NoProgress, WordSource,
};
use acclmt_driver::nodes::AllNodes;
use acclmt_driver::several::SeveralDevices;
use acclmt_driver::software::SoftwareDevice;
use acclmt_merkle::levels::UpperLevels;
use acclmt_merkle::shape::Padding;
use acclmt_poseidon::dispatch;
use acclmt_poseidon::fields::{AnyParameters, words};
use acclmt_poseidon::permutation::hash_dense;
use acclmt_poseidon::presets;
use acclmt_poseidon::word::{self, Word};
use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

/// Sets over one field.
const SETS: [&str; 7] = [
    "filecoin-arity-2",
    "filecoin-arity-3",
    "filecoin-arity-4",
    "dusk",
    "filecoin-arity-5",
    "filecoin-arity-8",
    "filecoin-arity-8-strengthened",
];

fn set(name: &str) -> &'static AnyParameters {
    presets::by_name(name).unwrap()
}

/// The digest of `children`, straight from the specification.
fn hash(set: &AnyParameters, children: &[Word]) -> Vec<Word> {
    dispatch!(set, set => {
        let children: Vec<_> = children.iter().map(|it| word::to_field(it).unwrap()).collect();
        words(&hash_dense(set, &children).unwrap())
    })
}

/// The given nodes of each level, the leaves first, and the nodes of the top level with padding.
fn tree(
    sets: &[&AnyParameters],
    leaves: Vec<Word>,
    padding: Padding<'_>,
    top: usize,
) -> (Vec<Vec<Word>>, Vec<Vec<Word>>) {
    let (value, is_leaf) = match padding {
        Padding::Refuse => (None, false),
        Padding::Leaf(value) => (Some(value[0]), true),
        Padding::SubTree(value) => (Some(value[0]), false),
    };
    let mut empty = value;
    let mut levels = vec![leaves];
    for set in &sets[..top] {
        let arity = set.arity();
        let mut below = levels[levels.len() - 1].clone();
        while !below.len().is_multiple_of(arity) {
            below.push(empty.expect("leaves fill a tree without padding"));
        }
        let groups = below.chunks(arity).flat_map(|group| hash(set, group));
        levels.push(groups.collect());
        if is_leaf {
            empty = empty.map(|value| hash(set, &vec![value; arity])[0]);
        }
    }
    let mut cap: Vec<_> = levels[top].iter().map(|&node| vec![node]).collect();
    let nodes = sets[top..].iter().map(|set| set.arity()).product();
    while cap.len() < nodes {
        cap.push(vec![empty.expect("leaves fill a tree without padding")]);
    }
    (levels, cap)
}

fn commit(
    device: &mut dyn Device,
    request: &CommitRequest<'_>,
    elements: &[Word],
) -> (CommitReport, AllNodes) {
    let mut nodes = AllNodes::default();
    let mut last = (0, 0);
    let progress = &mut |done, total| last = (done, total);
    let report = device
        .commit(request, &mut WordSource(elements), &mut nodes, progress)
        .unwrap();
    assert_eq!(last, (report.hashes, report.hashes));
    (report, nodes)
}

#[test]
fn random_trees() {
    for seed in 0..40 {
        println!("seed {seed}");
        let random = &mut ChaCha8Rng::seed_from_u64(seed);
        let mut sets = vec![set(SETS[random.gen_range(0..SETS.len())])];
        let mut upper: Vec<UpperLevels<'_>> = Vec::new();
        let mut room = sets[0].arity();
        loop {
            let last = sets[sets.len() - 1];
            let next = match random.gen_range(0..2) {
                0 => last,
                _ => set(SETS[random.gen_range(0..SETS.len())]),
            };
            if room * next.arity() > 600 {
                break;
            }
            if next != last {
                upper.push(UpperLevels {
                    from: sets.len() as u32,
                    parameters: next,
                });
            }
            room *= next.arity();
            sets.push(next);
        }
        let height = sets.len();
        let value = [word::from_u64(random.r#gen())];
        let (leaves, padding) = match random.gen_range(0..3) {
            0 => (room, Padding::Refuse),
            1 => (random.gen_range(1..=room), Padding::Leaf(&value)),
            _ => (random.gen_range(1..=room), Padding::SubTree(&value)),
        };
        let cap_height = random.gen_range(0..=height as u32) / 2;
        let columns = set("filecoin-arity-11");
        let (leaf, length) = match random.gen_range(0..3) {
            0 => (LeafRule::Hash(columns), columns.inputs()),
            _ => (LeafRule::Digest, 1),
        };
        let elements: Vec<Word> = (0..leaves * length)
            .map(|_| word::from_u64(random.r#gen()))
            .collect();
        let request = CommitRequest {
            upper,
            padding,
            height: Some(height as u32),
            cap_height,
            ..CommitRequest::new(sets[0], leaf, leaves as u64)
        };
        let hashed = match leaf {
            LeafRule::Digest => elements.clone(),
            _ => (elements.chunks(length))
                .flat_map(|column| hash(columns, column))
                .collect(),
        };
        let (levels, cap) = tree(&sets, hashed, padding, height - cap_height as usize);
        let of_nodes = levels[1..].iter().map(|level| level.len() as u64);
        let hashes = of_nodes.sum::<u64>() + request.leaf_hashes() * leaves as u64;
        let by_level = request.sets().unwrap();
        for (level, set) in (0..).zip(&sets) {
            assert_eq!(by_level.of_level(level), set);
        }

        let check = |device: &mut dyn Device| {
            let (report, nodes) = commit(device, &request, &elements);
            assert_eq!((&report.cap, report.hashes), (&cap, hashes));
            assert_eq!(nodes.levels, levels);
            report
        };
        check(&mut SoftwareDevice::new());
        for count in [2, 5] {
            let devices = || {
                (0..count).map(|_| -> Box<dyn Device + Send> { Box::new(SoftwareDevice::new()) })
            };
            check(&mut SeveralDevices::new(devices().collect()));
            let report = check(&mut SeveralDevices::new(devices().collect()).evenly());
            let sub_trees: u64 = report.devices.iter().map(|share| share.sub_trees).sum();
            assert!(leaves <= sets[0].arity() || sub_trees > 1);
            // Sub-trees have one parameter set, as there are few nodes in the first upper level.
            let first = request.upper.first().map(|upper| upper.from);
            let least = first.map_or(1, |first| request.shape().unwrap().nodes(first));
            assert!(sub_trees >= least, "{sub_trees} sub-trees, {least} nodes");
        }
    }
}

/// Upper levels that make no tree.
#[test]
fn wrong_upper_levels_are_refused() {
    let upper = |from, name| UpperLevels {
        from,
        parameters: set(name),
    };
    for (upper, expected) in [
        (vec![upper(0, "filecoin-arity-2")], "level 0, the leaves"),
        (
            vec![upper(1, "plonky2")],
            "'plonky2', of the levels from 1 on",
        ),
        (
            vec![upper(2, "filecoin-arity-2")],
            "no nodes of level 2 are hashed",
        ),
        (
            vec![upper(2, "filecoin-arity-2"), upper(1, "filecoin-arity-4")],
            "upper level 1 follows upper level 2",
        ),
    ] {
        let request = CommitRequest {
            upper,
            ..CommitRequest::new(set("filecoin-arity-8"), LeafRule::Digest, 64)
        };
        for device in [
            &mut SoftwareDevice::new() as &mut dyn Device,
            &mut SeveralDevices::new(vec![Box::new(SoftwareDevice::new())]),
        ] {
            let source = &mut WordSource(&[]);
            let result = device.commit(&request, source, &mut AllNodes::default(), &mut NoProgress);
            let message = result.unwrap_err().to_string();
            assert!(message.contains(expected), "{message}");
        }
    }
}

//! Multiproofs of random leaves of trees of any shape, against their definition.
//!
//! What is expected is computed with sets of nodes of the whole tree, and with the authentication
//! paths of the leaves; the multiproof is made level by level.

use std::collections::{BTreeMap, BTreeSet};

use acclmt_merkle::levels::{UpperLevels, UpperPreset};
use acclmt_merkle::multiproof::{Multiproof, OpenedLeaf};
use acclmt_merkle::proof::{Opening, Proof};
use acclmt_merkle::proof_file::AnyProof;
use acclmt_merkle::tree_file::{TreeFile, TreeFileWriter, TreeHeader};
use acclmt_poseidon::dispatch;
use acclmt_poseidon::fields::{AnyParameters, words};
use acclmt_poseidon::permutation::hash_dense;
use acclmt_poseidon::presets;
use acclmt_poseidon::word::{self, Word};
use proptest::prelude::*;
use proptest::sample::Index;
use tempfile::TempDir;

/// Parameter sets of all arities, and some whose digests have several elements.
const SETS: [&str; 13] = [
    "filecoin-arity-2",
    "circom-bn254-arity-3",
    "dusk",
    "neptune-pallas-arity-5",
    "filecoin-arity-6",
    "neptune-vesta-arity-7",
    "filecoin-arity-8",
    "filecoin-arity-9",
    "circom-bn254-arity-10",
    "filecoin-arity-11",
    "starknet",
    "plonky2",
    "polygon-zkevm",
];

/// A node: its level and index.
type Place = (u32, u64);

/// The value of every node of a tree.
type Values = BTreeMap<Place, Vec<Word>>;

/// A tree in a file.
struct Tree {
    _folder: TempDir,
    file: TreeFile,
    parameters: &'static AnyParameters,
    height: u32,
    values: Values,
}

impl Tree {
    /// A tree whose first `leaves` leaves are given. All missing leaves have one value, or, if
    /// `sub_trees`, all sub-trees without given leaves.
    fn new(name: &str, height: u32, leaves: u64, sub_trees: bool) -> Self {
        let parameters = presets::by_name(name).unwrap();
        let arity = parameters.arity() as u64;
        let digest = |value: u64| -> Vec<Word> {
            let elements = 0..parameters.digest_length() as u64;
            elements.map(|it| word::from_u64(value * 8 + it)).collect()
        };
        let padding = digest(1 << 40);
        let mut values = Values::new();
        for index in 0..arity.pow(height) {
            let given = index < leaves;
            values.insert(
                (0, index),
                if given {
                    digest(index + 1)
                } else {
                    padding.clone()
                },
            );
        }
        for level in 1..=height {
            for index in 0..arity.pow(height - level) {
                let is_empty = index * arity.pow(level) >= leaves;
                let value = match (is_empty, sub_trees) {
                    (true, true) => padding.clone(),
                    // The first empty node of a level has the value of all.
                    (true, false) if index * arity.pow(level) >= leaves + arity.pow(level) => {
                        values[&(level, index - 1)].clone()
                    }
                    _ => hash(parameters, &values, (level, index)),
                };
                values.insert((level, index), value);
            }
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tree");
        let header = TreeHeader::of(parameters, height, leaves).unwrap();
        let mut writer = TreeFileWriter::create(&path, header).unwrap();
        for (&(level, index), value) in &values {
            writer.write_node(level, index, value).unwrap();
        }
        writer.finish().unwrap();
        Self {
            file: TreeFile::open(&path).unwrap(),
            _folder: folder,
            parameters,
            height,
            values,
        }
    }

    fn cap(&self, cap_height: u32) -> Vec<Vec<Word>> {
        let level = self.height - cap_height;
        let nodes = self.values.range((level, 0)..(level + 1, 0));
        nodes.map(|(_, value)| value.clone()).collect()
    }
}

fn children((level, index): Place, arity: u64) -> impl Iterator<Item = Place> {
    (index * arity..(index + 1) * arity).map(move |child| (level - 1, child))
}

/// The hash of the children of a node, by the permutation as it is defined.
fn hash(parameters: &AnyParameters, values: &Values, node: Place) -> Vec<Word> {
    let inputs = children(node, parameters.arity() as u64).flat_map(|child| values[&child].clone());
    dispatch!(parameters, parameters => {
        let inputs: Vec<_> = inputs.map(|it| word::to_field(&it).unwrap()).collect();
        words(&hash_dense(parameters, &inputs).unwrap())
    })
}

/// All nodes that can be computed from `known`, with themselves, up to the level `top`.
fn computable(known: &BTreeSet<Place>, arity: u64, top: u32) -> BTreeSet<Place> {
    let mut all = known.clone();
    for level in 1..=top {
        let below: Vec<_> = all.range((level - 1, 0)..(level, 0)).copied().collect();
        for (_, index) in below {
            let parent = (level, index / arity);
            if children(parent, arity).all(|child| all.contains(&child)) {
                all.insert(parent);
            }
        }
    }
    all
}

/// The nodes of the authentication paths of the leaves that the leaves' own paths do not compute.
fn expected_nodes(leaves: &BTreeSet<u64>, arity: u64, top: u32) -> BTreeSet<Place> {
    let mut siblings = BTreeSet::new();
    let mut paths = BTreeSet::new();
    for &leaf in leaves {
        let mut index = leaf;
        for level in 0..top {
            paths.insert((level, index));
            siblings.extend(children((level + 1, index / arity), arity));
            index /= arity;
        }
    }
    siblings.difference(&paths).copied().collect()
}

fn verify(proof: &Multiproof, tree: &Tree, cap: &[Vec<Word>]) -> Result<(), String> {
    (proof.verify(tree.parameters, cap)).map_err(|error| error.to_string())
}

#[track_caller]
fn fails(proof: &Multiproof, tree: &Tree, cap: &[Vec<Word>], expected: &str) {
    let message = verify(proof, tree, cap).unwrap_err();
    assert!(
        message.contains(expected),
        "{message}\nexpected: {expected}"
    );
}

/// Another element of the field.
fn change(value: &mut [Word]) {
    let last = value.len() - 1;
    value[last][0] ^= 1;
}

/// Everything that holds for the multiproof of `leaves`.
fn check(tree: &Tree, leaves: &BTreeSet<u64>, given: &[u64], cap_height: u32) {
    let arity = tree.parameters.arity() as u64;
    let top = tree.height - cap_height;
    let cap = tree.cap(cap_height);
    let proof = Multiproof::of_tree(&tree.file, given, cap_height).unwrap();
    verify(&proof, tree, &cap).unwrap();

    // The leaves, by index.
    let expected: Vec<_> = (leaves.iter())
        .map(|&index| {
            let leaf = tree.values[&(0, index)].clone();
            OpenedLeaf { index, leaf }
        })
        .collect();
    assert_eq!(proof.openings, expected);

    // The nodes, level by level and by index.
    let nodes = expected_nodes(leaves, arity, top);
    let mut levels = vec![Vec::new(); top as usize];
    for place in &nodes {
        levels[place.0 as usize].push(tree.values[place].clone());
    }
    assert_eq!(proof.nodes, levels);
    assert_eq!(proof.node_count(), nodes.len() as u64);

    // They are enough, and none can be left out.
    let opened = leaves.iter().map(|&leaf| (0, leaf));
    let known: BTreeSet<Place> = nodes.iter().copied().chain(opened).collect();
    let cap_nodes: BTreeSet<Place> = (leaves.iter())
        .map(|&leaf| (top, leaf / arity.pow(top)))
        .collect();
    assert!(cap_nodes.is_subset(&computable(&known, arity, top)));
    for node in &nodes {
        let mut less = known.clone();
        less.remove(node);
        let computable = computable(&less, arity, top);
        assert!(!cap_nodes.is_subset(&computable) && !computable.contains(node));
    }

    // The paths that are taken from the multiproof alone are those of the tree.
    let mut values = Values::new();
    for (place, value) in nodes.iter().zip(proof.nodes.iter().flatten()) {
        values.insert(*place, value.clone());
    }
    for opening in &proof.openings {
        values.insert((0, opening.index), opening.leaf.clone());
    }
    for &(level, index) in computable(&known, arity, top).difference(&known) {
        let value = hash(tree.parameters, &values, (level, index));
        values.insert((level, index), value);
    }
    let openings = proof.openings.iter().map(|OpenedLeaf { index, leaf }| {
        let siblings = (0..top).map(|level| {
            let below = index / arity.pow(level);
            let all = children((level + 1, below / arity), arity);
            let siblings = all.filter(|&(_, child)| child != below);
            siblings.map(|place| values[&place].clone()).collect()
        });
        Opening {
            index: *index,
            leaf: leaf.clone(),
            siblings: siblings.collect(),
        }
    });
    let paths = Proof {
        preset: proof.preset.clone(),
        field: proof.field,
        arity: proof.arity,
        upper: proof.upper.clone(),
        height: proof.height,
        cap_height,
        openings: openings.collect(),
    };
    let leaves: Vec<u64> = leaves.iter().copied().collect();
    let of_tree = Proof::of_tree(&tree.file, &leaves, cap_height).unwrap();
    assert_eq!(paths, of_tree);
    paths.verify(tree.parameters, &cap).unwrap();
    assert_eq!(proof.nodes_of_paths(), of_tree.node_count());
}

/// What is wrong in `proof` is found, whatever it is.
fn check_tampering(tree: &Tree, proof: &Multiproof, cap_height: u32) {
    let cap = tree.cap(cap_height);
    let fails_when = |alter: &dyn Fn(&mut Multiproof), expected: &str| {
        let mut altered = proof.clone();
        alter(&mut altered);
        if altered != *proof {
            fails(&altered, tree, &cap, expected);
        }
    };
    let arity = tree.parameters.arity() as u64;
    let all_leaves = arity.pow(tree.height);
    let node_of = |index: u64| index / arity.pow(tree.height - cap_height);
    let prime = || vec![tree.parameters.prime(); tree.parameters.digest_length()];
    for (position, opening) in proof.openings.iter().enumerate() {
        let hashed = format!("not to node {} of the cap", node_of(opening.index));
        fails_when(&|it| change(&mut it.openings[position].leaf), &hashed);
        let place = format!("openings[{position}], of leaf {}: ", opening.index);
        for (leaf, expected) in [
            (prime(), "the leaf is wrong: its element 0 is 0x"),
            (Vec::new(), "the leaf is wrong: it has 0 field elements"),
        ] {
            let expected = format!("{place}{expected}");
            fails_when(&|it| it.openings[position].leaf = leaf.clone(), &expected);
        }
        let beyond = format!("openings[{position}], of leaf {all_leaves}: there is no such leaf");
        fails_when(&|it| it.openings[position].index = all_leaves, &beyond);
        // Every other index: another place in the order, other nodes, or another hash.
        for index in 0..all_leaves.min(40) {
            fails_when(&|it| it.openings[position].index = index, "");
        }
        // Where leaves are compared with the cap, each is proved by itself.
        if proof.nodes.is_empty() && proof.openings.len() > 1 {
            let mut others = proof.clone();
            others.openings.remove(position);
            verify(&others, tree, &cap).unwrap();
        } else {
            fails_when(&|it| drop(it.openings.remove(position)), "");
        }
        if position > 0 {
            let before = proof.openings[position - 1].index;
            let expected = format!(
                "openings[{position}], of leaf {before}: the openings of a multiproof ascend, but \
                 openings[{}] is of leaf {}",
                position - 1,
                opening.index
            );
            fails_when(&|it| it.openings.swap(position - 1, position), &expected);
            let expected = format!(
                "openings[{position}], of leaf {before}: openings[{}] is of the same leaf",
                position - 1
            );
            fails_when(&|it| it.openings[position].index = before, &expected);
        }
    }
    for (level, nodes) in proof.nodes.iter().enumerate() {
        let count = nodes.len();
        for position in 0..count {
            fails_when(&|it| change(&mut it.nodes[level][position]), "of the cap");
            let place = format!("nodes[{level}][{position}] is wrong: ");
            for (node, expected) in [
                (prime(), "its element 0 is 0x"),
                (Vec::new(), "it has 0 field elements"),
            ] {
                let expected = format!("{place}{expected}");
                fails_when(&|it| it.nodes[level][position] = node.clone(), &expected);
            }
            fails_when(
                &|it| drop(it.nodes[level].remove(position)),
                &format!(
                    "nodes[{level}] has {} nodes, expected {count}, those beside the paths of its \
                     leaves: some are missing",
                    count - 1
                ),
            );
            fails_when(&|it| it.nodes[level].swap(0, position), "of the cap");
        }
        let superfluous = format!(
            "nodes[{level}] has {} nodes, expected {count}, those beside the paths of its leaves: \
             some are superfluous",
            count + 1
        );
        for position in 0..=count {
            let node = proof.openings[0].leaf.clone();
            fails_when(
                &|it| it.nodes[level].insert(position, node.clone()),
                &superfluous,
            );
        }
        let levels = format!(
            "nodes of {} levels, expected {}",
            proof.nodes.len() - 1,
            proof.nodes.len()
        );
        fails_when(&|it| drop(it.nodes.remove(level)), &levels);
        fails_when(&|it| it.nodes.swap(0, level), "nodes");
    }
    fails_when(&|it| it.nodes.push(Vec::new()), "levels, expected");
    fails_when(&|it| it.openings.clear(), "has no openings");
    fails_when(&|it| it.arity += 1, "of a tree of arity");
    fails_when(&|it| it.height += 1, "levels, expected");

    // The nodes of the cap above a leaf are compared, the others have no part in the proof.
    let touched: BTreeSet<u64> = (proof.openings.iter())
        .map(|it| node_of(it.index))
        .collect();
    for node in 0..cap.len() {
        let mut altered = cap.clone();
        change(&mut altered[node]);
        if touched.contains(&(node as u64)) {
            let expected = format!("not to node {node} of the cap");
            fails(proof, tree, &altered, &expected);
        } else {
            verify(proof, tree, &altered).unwrap();
        }
        let mut altered = cap.clone();
        altered[node] = prime();
        let expected = format!("node {node} of the cap: its element 0 is 0x");
        fails(proof, tree, &altered, &expected);
    }
    fails(proof, tree, &cap[1..], "and is to be verified against");
}

/// A tree.
#[derive(Clone, Debug)]
struct Case {
    name: &'static str,
    height: u32,
    leaves: u64,
    sub_trees: bool,
}

impl Case {
    fn tree(&self) -> Tree {
        Tree::new(self.name, self.height, self.leaves, self.sub_trees)
    }
}

/// Most leaves of a tree, padding included.
const MOST_LEAVES: u64 = 400;

prop_compose! {
    fn case()(
        name in prop::sample::select(&SETS[..]),
        height in any::<Index>(),
        leaves in any::<Index>(),
        is_full in prop::bool::weighted(0.2),
        sub_trees: bool,
    ) -> Case {
        let arity = presets::by_name(name).unwrap().arity() as u64;
        let highest = MOST_LEAVES.ilog(arity) as usize;
        let height = height.index(highest + 1) as u32;
        let room = arity.pow(height);
        let leaves = match is_full {
            true => room,
            false => leaves.index(room as usize) as u64 + 1,
        };
        Case { name, height, leaves, sub_trees }
    }
}

/// Levels and arities of upper levels, right or wrong.
fn upper_levels() -> impl Strategy<Value = Vec<(u32, usize)>> {
    let level = prop_oneof![0_u32..4, any::<u32>()];
    let arity = prop_oneof![Just(2_usize), any::<usize>()];
    prop::collection::vec((level, arity), 0..3)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn multiproofs_have_the_fewest_nodes(
        case in case(),
        cap_height in any::<Index>(),
        indices in prop::collection::vec(any::<Index>(), 1..24),
        neighbours: bool,
    ) {
        let (tree, given) = (case.tree(), case.leaves as usize);
        let cap_height = cap_height.index(tree.height as usize + 1) as u32;
        // In the order of the list, each once; neighbours share more.
        let first = indices[0].index(given);
        let mut seen = BTreeSet::new();
        let indices: Vec<u64> = (indices.iter().enumerate())
            .map(|(position, index)| match neighbours {
                true => ((first + position) % given) as u64,
                false => index.index(given) as u64,
            })
            .filter(|&index| seen.insert(index))
            .collect();
        check(&tree, &seen, &indices, cap_height);
    }

    #[test]
    fn tampering_is_found(
        case in case(),
        cap_height in any::<Index>(),
        indices in prop::collection::btree_set(0_u64..MOST_LEAVES, 1..6),
    ) {
        let (tree, given) = (case.tree(), case.leaves);
        let cap_height = cap_height.index(tree.height as usize + 1) as u32;
        let indices: BTreeSet<u64> = indices.into_iter().map(|index| index % given).collect();
        let indices: Vec<u64> = indices.into_iter().collect();
        let proof = Multiproof::of_tree(&tree.file, &indices, cap_height).unwrap();
        check_tampering(&tree, &proof, cap_height);
    }

    /// A file may hold anything.
    #[test]
    fn nothing_panics(
        arity in prop_oneof![Just(2_usize), any::<usize>()],
        height in prop_oneof![0_u32..45, any::<u32>()],
        cap_height in prop_oneof![0_u32..3, any::<u32>()],
        indices in prop::collection::vec(prop_oneof![0_u64..8, any::<u64>()], 0..4),
        nodes in prop::collection::vec(0_usize..3, 0..45),
        cap in 0_usize..5,
        upper in upper_levels(),
        given in upper_levels(),
        same: bool,
    ) {
        let parameters = presets::by_name("filecoin-arity-2").unwrap();
        let given = match same {
            true => upper.clone(),
            false => given,
        };
        let given: Vec<_> = given.iter().map(|&(from, _)| UpperLevels { from, parameters }).collect();
        let upper = upper.into_iter().map(|(from, arity)| UpperPreset {
            from,
            preset: parameters.name().to_owned(),
            arity,
        });
        let digest = vec![word::from_u64(3)];
        let openings = indices.into_iter().map(|index| OpenedLeaf { index, leaf: digest.clone() });
        let proof = Multiproof {
            preset: parameters.name().to_owned(),
            field: parameters.field(),
            arity,
            upper: upper.collect(),
            height,
            cap_height,
            openings: openings.collect(),
            nodes: nodes.into_iter().map(|count| vec![digest.clone(); count]).collect(),
        };
        let is_leaf = proof.height == cap_height && cap_height <= 2;
        let result = proof.verify_with_upper(parameters, &given, &vec![digest; cap]);
        prop_assert!(result.is_err() || is_leaf);
        let proof = AnyProof::Multiproof(proof);
        prop_assert!(proof.node_count() <= 2 * 45);
        prop_assert!(proof.arities().levels().len() <= 40);
        let _ = proof.nodes_of_paths();
    }
}

/// Every set of leaves of small trees, at every cap.
#[test]
fn every_set_of_leaves() {
    for (name, height, leaves) in [
        ("filecoin-arity-2", 3, 8),
        ("filecoin-arity-2", 3, 5),
        ("circom-bn254-arity-3", 2, 7),
        ("plonky2", 2, 3),
    ] {
        let tree = Tree::new(name, height, leaves, false);
        for set in 1_u32..1 << leaves {
            let indices: BTreeSet<u64> = (0..leaves).filter(|leaf| set >> leaf & 1 == 1).collect();
            let given: Vec<u64> = indices.iter().rev().copied().collect();
            for cap_height in 0..=height {
                check(&tree, &indices, &given, cap_height);
            }
        }
    }
}

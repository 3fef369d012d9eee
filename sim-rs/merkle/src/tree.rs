//! Merkle trees of any arity, and authentication paths.
//!
//! A node is the hash of its `arity` children in index order, the root is the last node left. Upper levels may have
//! a hash and an arity of their own, see [`levels`](crate::levels). Nodes are digests: one field element or a few, see
//! [`digest_length`](acclmt_poseidon::params::PoseidonParameters::digest_length). Leaves have as many
//! elements; whether those are data or hashes of data is up to the caller.

use ark_ff::PrimeField;
use rayon::prelude::*;

use crate::levels::{Arities, ByLevel, UpperError};
use acclmt_poseidon::dispatch;
use acclmt_poseidon::fields::AnyParameters;
use acclmt_poseidon::params::PoseidonParameters;
use acclmt_poseidon::permutation::{PermutationField, Poseidon};

/// Nodes that are hashed between two reports of progress.
const NODES_PER_REPORT: usize = 1 << 13;

/// Least number of hashes that are worth a thread.
const NODES_PER_JOB: usize = 8;

/// A number of leaves is no power of the arity.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{leaves} leaves do not fill a tree of arity {arity}: the number of leaves must be a power of \
     {arity}, the next one is {next}"
)]
pub struct LeafCountError {
    /// Number of leaves.
    pub leaves: usize,
    /// The arity.
    pub arity: usize,
    /// The next power of the arity.
    pub next: u128,
}

/// Checks that `leaves` is a power of `arity`; the power 0 is a tree of one leaf, its root.
///
/// # Errors
///
/// When it is not.
pub fn check_leaf_count(leaves: usize, arity: usize) -> Result<(), LeafCountError> {
    let mut next = 1_u128;
    while next < leaves as u128 && arity > 1 {
        next *= arity as u128;
    }
    if next == leaves as u128 {
        return Ok(());
    }
    Err(LeafCountError {
        leaves,
        arity,
        next,
    })
}

/// The hash of a parameter set does not take two or more whole digests.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{name}' makes no tree of more than one leaf: its hash takes {inputs} field elements, expected two \
     or more whole digests of {digest_length}"
)]
pub struct NoTree {
    /// Name of the parameter set.
    pub name: String,
    /// Elements that a hash takes.
    pub inputs: usize,
    /// Elements of a digest.
    pub digest_length: usize,
}

/// Leaves make no tree.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TreeError {
    /// Their number is wrong.
    #[error(transparent)]
    LeafCount(#[from] LeafCountError),
    /// It is not that of a tree with upper levels.
    #[error(
        "{leaves} leaves do not fill a tree of {arities}: its number of leaves is their product, {product}"
    )]
    NotFull {
        /// Number of leaves.
        leaves: usize,
        /// The arities of the levels.
        arities: Arities,
        /// Leaves of the tree.
        product: u128,
    },
    /// The hash does not take digests.
    #[error(transparent)]
    Hash(#[from] NoTree),
    /// Upper levels are wrong.
    #[error(transparent)]
    Upper(#[from] UpperError),
    /// Hashes of upper levels have digests of another length.
    #[error(
        "the hash of the levels from {level} on has digests of {length} field elements, the tree of {expected}"
    )]
    UpperDigest {
        /// The level.
        level: u32,
        /// Elements of a digest of its hash.
        length: usize,
        /// Those of the tree.
        expected: usize,
    },
    /// Leaves are digests.
    #[error("{elements} field elements are no whole number of digests of {digest_length}")]
    PartialLeaf {
        /// Number of elements.
        elements: usize,
        /// Elements of a digest.
        digest_length: usize,
    },
}

/// Checks that the hash of `parameters` makes trees: that it takes two or more whole digests.
///
/// # Errors
///
/// When it does not.
pub fn check_tree(parameters: &AnyParameters) -> Result<(), NoTree> {
    dispatch!(parameters, parameters => check_hash(parameters))
}

/// The same for a parameter set whose field is known.
pub(crate) fn check_hash<F: PrimeField>(parameters: &PoseidonParameters<F>) -> Result<(), NoTree> {
    let (inputs, digest_length) = (parameters.inputs(), parameters.digest_length());
    if parameters.arity() >= 2 && inputs.is_multiple_of(digest_length) {
        return Ok(());
    }
    Err(NoTree {
        name: parameters.name().to_owned(),
        inputs,
        digest_length,
    })
}

/// A Merkle tree with all of its nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MerkleTree<F> {
    /// The arity of each level below the root.
    arities: Vec<usize>,
    digest_length: usize,
    /// The leaves first, the root last; the elements of all nodes of a level one after another.
    layers: Vec<Vec<F>>,
}

impl<F: PermutationField> MerkleTree<F> {
    /// Builds the tree over the leaves whose elements are `leaves` on all threads.
    ///
    /// # Errors
    ///
    /// When the number of leaves is no power of the arity, or the hash makes no trees.
    pub fn build(poseidon: &Poseidon<F>, leaves: Vec<F>) -> Result<Self, TreeError> {
        Self::build_by_level(&ByLevel::new(poseidon), leaves)
    }

    /// The same with a hash for each level.
    ///
    /// # Errors
    ///
    /// When the leaves do not fill a tree, it does not reach a level from which on there is another hash, a hash makes
    /// no trees, or hashes have digests of different lengths.
    pub fn build_by_level(
        hashes: &ByLevel<&Poseidon<F>>,
        leaves: Vec<F>,
    ) -> Result<Self, TreeError> {
        let digest_length = hashes.base().parameters().digest_length();
        for (level, poseidon) in hashes.iter() {
            check_hash(poseidon.parameters())?;
            let length = poseidon.parameters().digest_length();
            if length != digest_length {
                return Err(TreeError::UpperDigest {
                    level,
                    length,
                    expected: digest_length,
                });
            }
        }
        if !leaves.len().is_multiple_of(digest_length) {
            return Err(TreeError::PartialLeaf {
                elements: leaves.len(),
                digest_length,
            });
        }
        let arities = find_arities(hashes, leaves.len() / digest_length)?;
        let mut layers = vec![leaves];
        for level in 0..arities.len() {
            let poseidon = hashes.of_level(level as u32);
            let nodes = hash_groups(poseidon, &layers[level], &mut |_| {});
            layers.push(nodes);
        }
        Ok(Self {
            arities,
            digest_length,
            layers,
        })
    }

    /// The elements of the root.
    pub fn root(&self) -> &[F] {
        &self.layers[self.height()]
    }

    /// Levels above the leaves.
    pub fn height(&self) -> usize {
        self.layers.len() - 1
    }

    /// Elements of a node.
    pub fn digest_length(&self) -> usize {
        self.digest_length
    }

    /// The nodes of each level, the leaves first, the root last: the elements of all nodes of a level
    /// one after another.
    pub fn layers(&self) -> &[Vec<F>] {
        &self.layers
    }

    /// The authentication path of the leaf `index`; `None` when there is no such leaf.
    pub fn path(&self, index: usize) -> Option<AuthenticationPath<F>> {
        if index >= self.layers[0].len() / self.digest_length {
            return None;
        }
        let mut position = index;
        let siblings = self
            .layers
            .iter()
            .zip(&self.arities)
            .map(|(layer, &arity)| {
                let nodes = layer.chunks_exact(self.digest_length);
                let first = position - position % arity;
                let siblings = (first..)
                    .zip(nodes.skip(first).take(arity))
                    .filter(|&(sibling, _)| sibling != position)
                    .map(|(_, node)| node.to_vec())
                    .collect();
                position /= arity;
                siblings
            });
        Some(AuthenticationPath {
            siblings: siblings.collect(),
            index,
        })
    }
}

/// What proves that a leaf is in a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuthenticationPath<F> {
    /// Index of the leaf, counted from 0.
    pub index: usize,
    /// For each level, the leaves first, the other children of the node's parent in index order, one less than the
    /// arity of the level: the elements of each.
    pub siblings: Vec<Vec<Vec<F>>>,
}

impl<F: PermutationField> AuthenticationPath<F> {
    /// The root of the tree in which `leaf` has this path, or `None` when the path or the leaf has
    /// the wrong shape: a level without `arity - 1` siblings, a node that is no digest, or an index
    /// beyond the leaves.
    pub fn root(&self, poseidon: &Poseidon<F>, leaf: &[F]) -> Option<Vec<F>> {
        self.root_by_level(&ByLevel::new(poseidon), leaf)
    }

    /// The same with a hash for each level.
    pub fn root_by_level(&self, hashes: &ByLevel<&Poseidon<F>>, leaf: &[F]) -> Option<Vec<F>> {
        let digest_length = hashes.base().parameters().digest_length();
        let mut index = self.index;
        let mut node = leaf.to_vec();
        for (level, siblings) in (0..).zip(&self.siblings) {
            let poseidon = hashes.of_level(level);
            let arity = poseidon.parameters().arity();
            if siblings.len() + 1 != arity {
                return None;
            }
            let mut children = siblings.clone();
            children.insert(index % arity, node);
            if children.iter().any(|child| child.len() != digest_length) {
                return None;
            }
            node = poseidon.hash(&children.concat()).ok()?;
            index /= arity;
        }
        (index == 0).then_some(node)
    }

    /// Whether the path proves that `leaf` is in the tree with `root`.
    pub fn verify(&self, poseidon: &Poseidon<F>, leaf: &[F], root: &[F]) -> bool {
        self.root(poseidon, leaf).as_deref() == Some(root)
    }

    /// The same with a hash for each level.
    pub fn verify_by_level(&self, hashes: &ByLevel<&Poseidon<F>>, leaf: &[F], root: &[F]) -> bool {
        self.root_by_level(hashes, leaf).as_deref() == Some(root)
    }
}

/// The arities of the levels of the tree that `leaves` fill.
fn find_arities<F: PermutationField>(
    hashes: &ByLevel<&Poseidon<F>>,
    leaves: usize,
) -> Result<Vec<usize>, TreeError> {
    let arity_of = hashes.map(|poseidon| poseidon.parameters().arity());
    if arity_of.iter().len() == 1 {
        check_leaf_count(leaves, *arity_of.base())?;
    }
    let mut product = 1_u128;
    let mut height = 0;
    while product < leaves as u128 {
        product *= *arity_of.of_level(height) as u128;
        height += 1;
    }
    let arities = Arities::new(&arity_of, height);
    if product != leaves as u128 {
        return Err(TreeError::NotFull {
            leaves,
            arities,
            product,
        });
    }
    arity_of.check_reached(height)?;
    Ok(arities.levels().to_vec())
}

/// Hashes every `inputs` elements of `layer`, whose length is a multiple of it, on all threads; the
/// digests come one after another. `report` is told now and then how many hashes more are done.
pub fn hash_groups<F: PermutationField>(
    poseidon: &Poseidon<F>,
    layer: &[F],
    report: &mut dyn FnMut(u64),
) -> Vec<F> {
    let parameters = poseidon.parameters();
    let (inputs, digest_length) = (parameters.inputs(), parameters.digest_length());
    let mut digests = vec![F::ZERO; layer.len() / inputs * digest_length];
    let parts = layer.chunks(NODES_PER_REPORT * inputs);
    for (part, digests) in parts.zip(digests.chunks_mut(NODES_PER_REPORT * digest_length)) {
        part.par_chunks_exact(inputs)
            .with_min_len(NODES_PER_JOB)
            .zip(digests.par_chunks_exact_mut(digest_length))
            .for_each(|(group, digest)| poseidon.hash_into(group, digest));
        report((part.len() / inputs) as u64);
    }
    digests
}

#[cfg(test)]
mod tests {
    use super::*;
    use ark_ff::Field as _;

    use acclmt_poseidon::fields::{AnyParameters, Bls12_381, Goldilocks};
    use acclmt_poseidon::permutation::hash_dense;
    use acclmt_poseidon::{dispatch, presets, word};

    fn leaves<F: PermutationField>(count: usize) -> Vec<F> {
        (0..count as u64).map(F::from).collect()
    }

    fn filecoin(arity: usize) -> Poseidon<Bls12_381> {
        Poseidon::new(presets::over(&format!("filecoin-arity-{arity}")).unwrap())
    }

    /// Parameter sets of trees with different arities, digests and digest positions.
    fn sets() -> Vec<&'static AnyParameters> {
        [
            "filecoin-arity-2",
            "filecoin-arity-11",
            "circom-bn254-arity-3",
            "dusk",
            "plonky2",
        ]
        .map(|name| presets::by_name(name).unwrap())
        .to_vec()
    }

    /// More groups than are reported together, with digests of several elements.
    #[test]
    fn groups_are_hashed_to_the_last_one() {
        let poseidon: Poseidon<Goldilocks> = Poseidon::new(presets::over("plonky2").unwrap());
        let inputs = poseidon.parameters().inputs();
        let groups = NODES_PER_REPORT + 3;
        let layer = leaves(groups * inputs);
        let mut reported = 0;
        let digests = hash_groups(&poseidon, &layer, &mut |hashes| reported += hashes);
        assert_eq!(reported, groups as u64);
        let length = poseidon.parameters().digest_length();
        assert_eq!(digests.len(), groups * length);
        for group in (0..groups).step_by(257).chain([groups - 1]) {
            let expected = poseidon.hash(&layer[group * inputs..][..inputs]).unwrap();
            let found = &digests[group * length..][..length];
            assert_eq!(found, expected, "group {group}");
        }
    }

    #[test]
    fn anchor_of_filecoin() {
        let tree = MerkleTree::build(&filecoin(2), leaves(4)).unwrap();
        assert_eq!(
            word::to_hex(&word::from_field(tree.root()[0])),
            "0x333edd9de0908b764241a566fcf4447556a2556fb71ef154ee0da1436fcf4f24"
        );
    }

    #[test]
    fn nodes_are_the_hashes_of_their_children() {
        for set in sets() {
            dispatch!(set, set => {
                let poseidon = Poseidon::new(set);
                let count = set.arity() * set.arity() * set.digest_length();
                let tree = MerkleTree::build(&poseidon, leaves(count)).unwrap();
                assert_eq!(tree.height(), 2);
                assert_eq!(tree.root().len(), set.digest_length());
                for pair in tree.layers().windows(2) {
                    assert_eq!(pair[1].len() * set.arity(), pair[0].len());
                    let nodes = pair[1].chunks(set.digest_length());
                    for (node, children) in nodes.zip(pair[0].chunks(set.inputs())) {
                        assert_eq!(node, hash_dense(set, children).unwrap());
                    }
                }
            });
        }
    }

    #[test]
    fn paths_prove_their_leaf_and_nothing_else() {
        for set in sets() {
            dispatch!(set, set => {
                let poseidon = Poseidon::new(set);
                let count = set.arity() * set.arity();
                let all = leaves(count * set.digest_length());
                let tree = MerkleTree::build(&poseidon, all.clone()).unwrap();
                let root = tree.root();
                for (index, leaf) in all.chunks(set.digest_length()).enumerate() {
                    let path = tree.path(index).unwrap();
                    assert!(path.verify(&poseidon, leaf, root));
                    let one = all[set.digest_length()].pow([0]);
                    let mut other = leaf.to_vec();
                    other[set.digest_length() - 1] += one;
                    assert!(!path.verify(&poseidon, &other, root));
                    other.push(one);
                    assert!(!path.verify(&poseidon, &other, root));
                    let mut moved = path.clone();
                    moved.index = (index + 1) % count;
                    assert!(!moved.verify(&poseidon, leaf, root));
                    let mut beyond = path.clone();
                    beyond.index += count;
                    assert!(!beyond.verify(&poseidon, leaf, root));
                    let mut changed = path.clone();
                    changed.siblings[1][0][0] += one;
                    assert!(!changed.verify(&poseidon, leaf, root));
                    let mut short = path.clone();
                    short.siblings[0].pop();
                    assert!(!short.verify(&poseidon, leaf, root));
                    let mut thin = path.clone();
                    thin.siblings[0][0].pop();
                    assert!(!thin.verify(&poseidon, leaf, root));
                    let mut long = path;
                    long.siblings[0].push(vec![one]);
                    assert!(!long.verify(&poseidon, leaf, root));
                }
                assert_eq!(tree.path(count), None);
            });
        }
    }

    #[test]
    fn a_single_leaf_is_its_root() {
        let poseidon = filecoin(2);
        let tree = MerkleTree::build(&poseidon, leaves(1)).unwrap();
        assert_eq!((tree.root(), tree.height()), (&[Bls12_381::from(0)][..], 0));
        let path = tree.path(0).unwrap();
        assert!(path.verify(&poseidon, tree.root(), tree.root()));
    }

    #[test]
    fn leaf_counts_are_checked() {
        let poseidon = filecoin(4);
        for (leaf_count, next) in [(0, 1), (3, 4), (17, 64)] {
            let error = MerkleTree::build(&poseidon, leaves(leaf_count)).unwrap_err();
            let expected = LeafCountError {
                leaves: leaf_count,
                arity: 4,
                next,
            };
            assert_eq!(error, TreeError::LeafCount(expected));
        }
        assert_eq!(
            check_leaf_count(usize::MAX, 2).unwrap_err().next,
            u128::from(u64::MAX) + 1
        );
        let poseidon = Poseidon::new(presets::over::<Goldilocks>("plonky2").unwrap());
        let error = MerkleTree::build(&poseidon, leaves(6)).unwrap_err();
        assert!(error.to_string().contains("digests of 4"), "{error}");
        let error = MerkleTree::build(&filecoin(1), leaves(1)).unwrap_err();
        assert!(error.to_string().contains("makes no tree"), "{error}");
    }

    /// More nodes than are hashed between two reports.
    #[test]
    fn progress_adds_up() {
        let poseidon = filecoin(2);
        let mut reports = Vec::new();
        let layer = leaves(4 * NODES_PER_REPORT);
        let nodes = hash_groups(&poseidon, &layer, &mut |done| reports.push(done));
        assert_eq!(reports, [NODES_PER_REPORT as u64; 2]);
        let middle = NODES_PER_REPORT + 5;
        assert_eq!(nodes.len(), 2 * NODES_PER_REPORT);
        assert_eq!(
            nodes[middle],
            poseidon.hash(&layer[2 * middle..][..2]).unwrap()[0]
        );
    }
}

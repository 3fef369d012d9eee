//! Merkle trees of any arity, and authentication paths.
//!
//! A node is the hash of its `arity` children in index order, the root is the last node left. The
//! leaves are field elements; whether those are data or hashes of data is up to the caller.

use rayon::prelude::*;

use crate::montgomery::MontgomeryField;
use crate::poseidon::Poseidon;

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

/// A Merkle tree with all of its nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MerkleTree<F> {
    arity: usize,
    /// The leaves first, the root last.
    layers: Vec<Vec<F>>,
}

impl<F: MontgomeryField> MerkleTree<F> {
    /// Builds the tree over `leaves` on all threads.
    ///
    /// # Errors
    ///
    /// When the number of leaves is no power of the arity.
    pub fn build(poseidon: &Poseidon<F>, leaves: Vec<F>) -> Result<Self, LeafCountError> {
        let arity = poseidon.parameters().arity();
        check_leaf_count(leaves.len(), arity)?;
        let mut layers = vec![leaves];
        while let Some(layer) = layers.last().filter(|layer| layer.len() > 1) {
            let nodes = hash_groups(poseidon, layer, &mut |_| {});
            layers.push(nodes);
        }
        Ok(Self { arity, layers })
    }

    /// The root.
    pub fn root(&self) -> F {
        self.layers[self.height()][0]
    }

    /// Levels above the leaves.
    pub fn height(&self) -> usize {
        self.layers.len() - 1
    }

    /// The nodes of each level, the leaves first, the root last.
    pub fn layers(&self) -> &[Vec<F>] {
        &self.layers
    }

    /// The authentication path of the leaf `index`; `None` when there is no such leaf.
    pub fn path(&self, index: usize) -> Option<AuthenticationPath<F>> {
        self.layers[0].get(index)?;
        let mut position = index;
        let siblings = self.layers[..self.height()].iter().map(|layer| {
            let first = position - position % self.arity;
            let siblings = (first..first + self.arity)
                .filter(|&sibling| sibling != position)
                .map(|sibling| layer[sibling])
                .collect();
            position /= self.arity;
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
    /// For each level, the leaves first, the `arity - 1` other children of the node's parent in
    /// index order.
    pub siblings: Vec<Vec<F>>,
}

impl<F: MontgomeryField> AuthenticationPath<F> {
    /// The root of the tree in which `leaf` has this path, or `None` when the path has the wrong
    /// shape: a level without `arity - 1` siblings, or an index beyond the leaves.
    pub fn root(&self, poseidon: &Poseidon<F>, leaf: F) -> Option<F> {
        let arity = poseidon.parameters().arity();
        let mut index = self.index;
        let mut node = leaf;
        for siblings in &self.siblings {
            if siblings.len() + 1 != arity {
                return None;
            }
            let mut children = siblings.clone();
            children.insert(index % arity, node);
            node = poseidon.hash_unchecked(&children);
            index /= arity;
        }
        (index == 0).then_some(node)
    }

    /// Whether the path proves that `leaf` is in the tree with `root`.
    pub fn verify(&self, poseidon: &Poseidon<F>, leaf: F, root: F) -> bool {
        self.root(poseidon, leaf) == Some(root)
    }
}

/// Hashes every `arity` elements of `layer`, whose length is a multiple of it, on all threads.
/// `report` is told now and then how many hashes more are done.
pub(crate) fn hash_groups<F: MontgomeryField>(
    poseidon: &Poseidon<F>,
    layer: &[F],
    report: &mut dyn FnMut(u64),
) -> Vec<F> {
    let arity = poseidon.parameters().arity();
    let mut digests = Vec::with_capacity(layer.len() / arity);
    for part in layer.chunks(NODES_PER_REPORT * arity) {
        let groups = part.par_chunks_exact(arity).with_min_len(NODES_PER_JOB);
        digests.par_extend(groups.map(|group| poseidon.hash_unchecked(group)));
        report((part.len() / arity) as u64);
    }
    digests
}

#[cfg(test)]
mod tests {
    use super::*;
    use ark_bls12_381::Fr;
    use ark_ff::Field;

    use crate::poseidon::hash_dense;
    use crate::presets;
    use crate::word;

    fn leaves(count: usize) -> Vec<Fr> {
        (0..count as u64).map(Fr::from).collect()
    }

    #[test]
    fn anchor_of_filecoin() {
        let poseidon = Poseidon::new(&presets::all()[0]).unwrap();
        let tree = MerkleTree::build(&poseidon, leaves(4)).unwrap();
        assert_eq!(
            word::to_hex(&word::from_field(tree.root())),
            "0x333edd9de0908b764241a566fcf4447556a2556fb71ef154ee0da1436fcf4f24"
        );
    }

    #[test]
    fn nodes_are_the_hashes_of_their_children() {
        for preset in presets::all() {
            let poseidon = Poseidon::new(preset).unwrap();
            let arity = preset.arity();
            let tree = MerkleTree::build(&poseidon, leaves(arity * arity)).unwrap();
            assert_eq!(tree.height(), 2);
            for pair in tree.layers().windows(2) {
                assert_eq!(pair[1].len() * arity, pair[0].len());
                for (node, children) in pair[1].iter().zip(pair[0].chunks(arity)) {
                    assert_eq!(*node, hash_dense(preset, children).unwrap());
                }
            }
        }
    }

    #[test]
    fn paths_prove_their_leaf_and_nothing_else() {
        for preset in presets::all() {
            let poseidon = Poseidon::new(preset).unwrap();
            let arity = preset.arity();
            let count = arity * arity;
            let tree = MerkleTree::build(&poseidon, leaves(count)).unwrap();
            let root = tree.root();
            for index in 0..count {
                let path = tree.path(index).unwrap();
                let leaf = Fr::from(index as u64);
                assert!(path.verify(&poseidon, leaf, root));
                assert!(!path.verify(&poseidon, leaf + Fr::ONE, root));
                let mut moved = path.clone();
                moved.index = (index + 1) % count;
                assert!(!moved.verify(&poseidon, leaf, root));
                let mut beyond = path.clone();
                beyond.index += count;
                assert!(!beyond.verify(&poseidon, leaf, root));
                let mut changed = path.clone();
                changed.siblings[1][0] += Fr::ONE;
                assert!(!changed.verify(&poseidon, leaf, root));
                let mut short = path.clone();
                short.siblings[0].pop();
                assert!(!short.verify(&poseidon, leaf, root));
                let mut long = path;
                long.siblings[0].push(Fr::ONE);
                assert!(!long.verify(&poseidon, leaf, root));
            }
            assert_eq!(tree.path(count), None);
        }
    }

    #[test]
    fn a_single_leaf_is_its_root() {
        let poseidon = Poseidon::new(&presets::all()[0]).unwrap();
        let tree = MerkleTree::build(&poseidon, leaves(1)).unwrap();
        assert_eq!((tree.root(), tree.height()), (Fr::from(0), 0));
        assert!(
            tree.path(0)
                .unwrap()
                .verify(&poseidon, Fr::from(0), tree.root())
        );
    }

    #[test]
    fn leaf_counts_are_checked() {
        let poseidon = Poseidon::new(&presets::all()[1]).unwrap();
        for (count, next) in [(0, 1), (3, 4), (17, 64)] {
            let error = MerkleTree::build(&poseidon, leaves(count)).unwrap_err();
            assert_eq!((error.leaves, error.arity, error.next), (count, 4, next));
        }
        assert_eq!(
            check_leaf_count(usize::MAX, 2).unwrap_err().next,
            u128::from(u64::MAX) + 1
        );
    }

    /// More nodes than are hashed between two reports.
    #[test]
    fn progress_adds_up() {
        let poseidon = Poseidon::new(&presets::all()[0]).unwrap();
        let mut reports = Vec::new();
        let layer = leaves(4 * NODES_PER_REPORT);
        let nodes = hash_groups(&poseidon, &layer, &mut |done| reports.push(done));
        assert_eq!(reports, [NODES_PER_REPORT as u64; 2]);
        let middle = NODES_PER_REPORT + 5;
        assert_eq!(nodes.len(), 2 * NODES_PER_REPORT);
        assert_eq!(
            nodes[middle],
            poseidon.hash(&layer[2 * middle..][..2]).unwrap()
        );
    }
}

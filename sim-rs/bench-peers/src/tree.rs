//! The time of whole Merkle trees.
//!
//! As in the AcclMT paper every leaf is the hash of `arity` elements, and nodes are hashes of `arity`
//! nodes. A level is hashed when the one below it is complete, by all threads. All nodes are kept.

use std::time::{Duration, Instant};

use acclmt_merkle::tree::MerkleTree;
use acclmt_poseidon::dispatch;
use acclmt_poseidon::fields::AnyParameters;
use acclmt_poseidon::permutation::Poseidon;
use acclmt_poseidon::word::{self, Word};
use rayon::prelude::*;

use crate::measure::{fastest, median, repeat};
use crate::peer::{Checked, Peer, PeerError, compare, random_words, to_element};
use crate::workers::Workers;

/// Least number of nodes that are worth a thread.
const NODES_PER_JOB: usize = 16;

/// Trees of a size that are built at least.
const LEAST_BUILDS: usize = 3;

/// What trees of one size took.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TreeTiming {
    /// Milliseconds of the median tree.
    pub milliseconds: f64,
    /// Milliseconds of the fastest tree.
    pub fastest_milliseconds: f64,
    /// Trees that were timed.
    pub builds: usize,
}

/// A library with the elements of a tree, whose root is that of the reference.
#[derive(Debug)]
pub struct CheckedTree<'a, P: Peer> {
    hash: &'a Checked<P>,
    elements: Vec<P::Element>,
    leaves: usize,
    expected: Vec<Word>,
}

impl<'a, P: Peer> CheckedTree<'a, P> {
    /// A tree of `leaves` hashed leaves, a power of the arity, over random elements from `seed`. The peer
    /// must have one lane.
    ///
    /// # Errors
    ///
    /// When the reference makes no such tree.
    pub fn new(hash: &'a Checked<P>, leaves: usize, seed: u64) -> Result<Self, PeerError> {
        const { assert!(P::LANES == 1, "trees are built with one hash at a time") };
        let parameters = hash.peer().parameters();
        let words = random_words(parameters, seed, leaves * parameters.inputs());
        let elements = words.iter().map(|&word| to_element(hash.peer(), &[word]));
        Ok(Self {
            hash,
            elements: elements.collect::<Result<_, _>>()?,
            leaves,
            expected: reference_root(parameters, &words)?,
        })
    }

    /// Builds the tree once to warm up and to check its root, and then again and again for `time`, at
    /// least three times. Returns nothing when it takes longer than `time` to build it once.
    ///
    /// # Errors
    ///
    /// When the root is not that of the reference.
    pub fn time(&self, workers: &Workers, time: Duration) -> Result<Option<TreeTiming>, PeerError> {
        let start = Instant::now();
        let levels = self.build(workers);
        let first = start.elapsed();
        self.check(&levels)?;
        if first > time {
            return Ok(None);
        }
        let mut last = levels;
        let milliseconds = repeat(time, LEAST_BUILDS, || {
            let start = Instant::now();
            let levels = self.build(workers);
            let elapsed = start.elapsed();
            // The levels before are freed here, outside of the time.
            last = levels;
            elapsed.as_secs_f64() * 1e3
        });
        self.check(&last)?;
        Ok(Some(TreeTiming {
            milliseconds: median(&milliseconds),
            fastest_milliseconds: fastest(&milliseconds),
            builds: milliseconds.len(),
        }))
    }

    /// All levels: the leaves, which are hashes of the elements, first, the root last.
    fn build(&self, workers: &Workers) -> Vec<Vec<P::Element>> {
        let parameters = self.hash.peer().parameters();
        let digest_length = parameters.digest_length();
        let mut levels = vec![self.level(&self.elements, workers)];
        while let Some(level) = levels.last().filter(|level| level.len() > digest_length) {
            let above = self.level(level, workers);
            levels.push(above);
        }
        levels
    }

    /// The hashes of `below`.
    fn level(&self, below: &[P::Element], workers: &Workers) -> Vec<P::Element> {
        let peer = self.hash.peer();
        let (inputs, digest) = (
            peer.parameters().inputs(),
            peer.parameters().digest_length(),
        );
        let mut level = vec![P::Element::default(); below.len() / inputs * digest];
        match workers.pool() {
            None => {
                let mut hasher = peer.hasher();
                let nodes = level.chunks_mut(digest);
                for (inputs, node) in below.chunks(inputs).zip(nodes) {
                    peer.hash(&mut hasher, inputs, node);
                }
            }
            Some(pool) => pool.install(|| {
                (below.par_chunks(inputs), level.par_chunks_mut(digest))
                    .into_par_iter()
                    .with_min_len(NODES_PER_JOB)
                    .for_each_init(
                        || peer.hasher(),
                        |hasher, (inputs, node)| peer.hash(hasher, inputs, node),
                    );
            }),
        }
        level
    }

    fn check(&self, levels: &[Vec<P::Element>]) -> Result<(), PeerError> {
        let peer = self.hash.peer();
        let root: Vec<_> = levels.last().map_or(Vec::new(), |root| {
            root.iter()
                .flat_map(|element| peer.words(element))
                .collect()
        });
        let task = || format!("the root of a tree of {} leaves", self.leaves);
        let expected = self.expected.clone();
        Ok(compare(
            peer.identity(),
            peer.parameters(),
            task,
            root,
            expected,
        )?)
    }
}

/// The root by the reference: the tree over `elements` is that over the hashed leaves and one level more.
fn reference_root(parameters: &AnyParameters, elements: &[Word]) -> Result<Vec<Word>, PeerError> {
    dispatch!(parameters, set => {
        let elements = elements.iter().filter_map(word::to_field).collect();
        let tree = MerkleTree::build(&Poseidon::new(set), elements)?;
        Ok(tree.root().iter().map(|&element| word::from_field(element)).collect())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::peers;

    #[test]
    fn roots_are_those_of_the_reference() {
        let hash = peers::of_trees(1).unwrap();
        for leaves in [1, 2, 64, 256] {
            let tree = CheckedTree::new(&hash, leaves, 5).unwrap();
            for threads in [1, 3] {
                let workers = Workers::new(threads).unwrap();
                let levels = tree.build(&workers);
                let lengths: Vec<_> = levels.iter().map(Vec::len).collect();
                let expected: Vec<_> =
                    std::iter::successors(Some(leaves), |&nodes| (nodes > 1).then_some(nodes / 2))
                        .collect();
                assert_eq!(lengths, expected);
                tree.check(&levels).unwrap();
                let timing = tree.time(&workers, Duration::from_millis(200)).unwrap();
                let timing = timing.unwrap();
                assert!(timing.builds >= LEAST_BUILDS);
                assert!(timing.fastest_milliseconds <= timing.milliseconds);
            }
        }
    }

    #[test]
    fn wrong_roots_are_found() {
        let hash = peers::of_trees(1).unwrap();
        let mut tree = CheckedTree::new(&hash, 64, 5).unwrap();
        tree.elements.swap(70, 71);
        let error = tree.time(&Workers::one(), Duration::from_secs(1));
        let message = error.unwrap_err().to_string();
        assert!(
            message.contains("the root of a tree of 64 leaves as [0x"),
            "{message}"
        );
    }

    #[test]
    fn trees_that_take_too_long_are_left_out() {
        let hash = peers::of_trees(1).unwrap();
        let tree = CheckedTree::new(&hash, 64, 5).unwrap();
        let time = Duration::from_nanos(1);
        assert_eq!(tree.time(&Workers::one(), time).unwrap(), None);
    }

    #[test]
    fn leaves_that_fill_no_tree_are_refused() {
        let hash = peers::of_trees(1).unwrap();
        let error = CheckedTree::new(&hash, 3, 5).unwrap_err().to_string();
        assert!(error.starts_with("6 leaves do not fill a tree"), "{error}");
    }
}

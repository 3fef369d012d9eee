//! The shape of Merkle trees over any number of leaves.
//!
//! Level 0 of a tree are its leaves, level l + 1 the hashes of the groups of nodes of level l, as many in each as
//! the arity of level l, see [`levels`](crate::levels); the root is the only node of level `height`. A cap of height c are the nodes of level `height` - c.
//! Leaves that are missing are padding: the value of a leaf, or one value for every empty sub-tree.

use acclmt_poseidon::dispatch;
use acclmt_poseidon::fields::{AnyParameters, ElementNotBelowPrime, words};
use acclmt_poseidon::permutation::{InputLengthError, Poseidon};
use acclmt_poseidon::word::{self, Word};

use crate::levels::{Arities, ByLevel, UpperError, UpperLevels, parameters_by_level};
use crate::tree::{LeafCountError, NoTree, check_tree};

/// Most nodes of a cap, which are kept in memory.
pub const MAX_CAP_NODES: u64 = 1 << 20;

/// What stands for the leaves that are missing in a tree that they do not fill.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Padding<'a> {
    /// Nothing: such trees are refused.
    #[default]
    Refuse,
    /// This digest as a leaf; an empty sub-tree has the root of a tree of such leaves.
    Leaf(&'a [Word]),
    /// This digest for every empty sub-tree, whatever its height (dusk's rule).
    SubTree(&'a [Word]),
}

/// A tree does not exist.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ShapeError {
    /// There are no leaves.
    #[error("there are no leaves to commit to; give at least one")]
    NoLeaves,
    /// The leaves do not fill the tree.
    #[error(transparent)]
    LeafCount(#[from] LeafCountError),
    /// The leaves do not fill a tree with upper levels.
    #[error(
        "{leaves} leaves do not fill a tree of {arities}: its number of leaves is their product, {product}"
    )]
    NotFull {
        /// Number of leaves.
        leaves: u64,
        /// The arities of the levels.
        arities: Arities,
        /// Leaves of the tree.
        product: u64,
    },
    /// The hash does not take digests.
    #[error(transparent)]
    NoTree(#[from] NoTree),
    /// Upper levels are wrong.
    #[error(transparent)]
    Upper(#[from] UpperError),
    /// A node cannot be hashed.
    #[error(transparent)]
    Inputs(#[from] InputLengthError),
    /// An element of the padding is not below the prime.
    #[error("the padding is no digest: {0}")]
    Padding(#[from] ElementNotBelowPrime),
    /// The tree has more leaves than it has room for.
    #[error(
        "{leaves} leaves do not fit into a tree of {arities} and height {height}; give a height \
         of at least {needed}"
    )]
    TooManyLeaves {
        /// Number of leaves.
        leaves: u64,
        /// The arities of the levels.
        arities: Arities,
        /// The height that was asked for.
        height: u32,
        /// The least height.
        needed: u32,
    },
    /// The tree is too high to count its leaves.
    #[error("a tree of {arities} and height {height} has 2^63 leaves or more")]
    TooHigh {
        /// The arities of the levels.
        arities: Arities,
        /// The height.
        height: u32,
    },
    /// The cap has more nodes than are kept in memory.
    #[error(
        "a cap of height {cap_height} of a tree of {arities} has {nodes} nodes, more than the \
         {MAX_CAP_NODES} that a cap may have; give a lower one"
    )]
    CapTooLarge {
        /// Height of the cap.
        cap_height: u32,
        /// The arities of the levels.
        arities: Arities,
        /// Nodes of the cap.
        nodes: u64,
    },
    /// The cap is higher than the tree.
    #[error("a cap of height {cap_height} is higher than the tree, which has height {height}")]
    CapTooHigh {
        /// Height of the cap.
        cap_height: u32,
        /// Height of the tree.
        height: u32,
    },
    /// The padding is no digest.
    #[error("the padding has {length} field elements, a digest has {expected}")]
    PaddingLength {
        /// Its number of elements.
        length: usize,
        /// That of a digest.
        expected: usize,
    },
}

/// The shape of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeShape {
    /// The arity of each level below the root.
    arities: Arities,
    /// The lowest level of each parameter set, 0 for that of the tree.
    sets: ByLevel<()>,
    digest_length: usize,
    leaves: u64,
    height: u32,
    cap_height: u32,
    /// Values of empty sub-trees of each level up to the top; empty when none is needed.
    empty: Vec<Vec<Word>>,
}

impl TreeShape {
    /// The tree of `parameters`, and of `upper` in its upper levels, over `leaves` leaves, with the least height or
    /// at least `height`.
    ///
    /// # Errors
    ///
    /// When there is no such tree: no leaves, leaves that do not fill it where `padding` refuses that,
    /// a height that is too small, a cap that is too high or has more than [`MAX_CAP_NODES`] nodes,
    /// padding that is no digest, upper levels that do not ascend, that the tree does not reach, or whose parameter
    /// set makes no nodes for it.
    pub fn new(
        parameters: &AnyParameters,
        upper: &[UpperLevels<'_>],
        leaves: u64,
        padding: Padding<'_>,
        height: Option<u32>,
        cap_height: u32,
    ) -> Result<Self, ShapeError> {
        if leaves == 0 {
            return Err(ShapeError::NoLeaves);
        }
        let sets = parameters_by_level(parameters, upper)?;
        if leaves > 1 || height.unwrap_or(0) > 0 {
            check_tree(parameters)?;
        }
        let arity_of = sets.map(|set| set.arity());
        let arities = |height| Arities::new(&arity_of, height);
        let grown = |room: u64, level: u32| {
            (room.checked_mul(*arity_of.of_level(level) as u64))
                .filter(|room| room >> 63 == 0)
                .ok_or_else(|| ShapeError::TooHigh {
                    arities: arities(level + 1),
                    height: level + 1,
                })
        };
        let mut needed = 0;
        let mut room = 1_u64;
        while room < leaves {
            room = grown(room, needed)?;
            needed += 1;
        }
        let height = height.unwrap_or(needed);
        if height < needed {
            return Err(ShapeError::TooManyLeaves {
                leaves,
                arities: arities(height),
                height,
                needed,
            });
        }
        for level in needed..height {
            room = grown(room, level)?;
        }
        sets.check_reached(height)?;
        if cap_height > height {
            return Err(ShapeError::CapTooHigh { cap_height, height });
        }
        let mut shape = Self {
            arities: arities(height),
            sets: sets.map(|_| ()),
            digest_length: parameters.digest_length(),
            leaves,
            height,
            cap_height,
            empty: Vec::new(),
        };
        // No more than the leaves of the tree, which were counted.
        let nodes = shape.capacity(shape.top());
        if nodes > MAX_CAP_NODES {
            return Err(ShapeError::CapTooLarge {
                cap_height,
                arities: shape.arities,
                nodes,
            });
        }
        if room != leaves {
            shape.empty = empty_values(&sets, padding, shape.top() + 1)?.ok_or_else(|| {
                if !upper.is_empty() {
                    return ShapeError::NotFull {
                        leaves,
                        arities: shape.arities.clone(),
                        product: room,
                    };
                }
                ShapeError::LeafCount(LeafCountError {
                    leaves: usize::try_from(leaves).unwrap_or(usize::MAX),
                    arity: parameters.arity(),
                    next: room.into(),
                })
            })?;
        }
        Ok(shape)
    }

    /// Children of a node of `level + 1`: nodes of `level`, below the root, that are hashed together.
    pub fn arity_of_level(&self, level: u32) -> usize {
        self.arities.levels()[level as usize]
    }

    /// The arity of each level below the root, the leaves first.
    pub fn arities(&self) -> &Arities {
        &self.arities
    }

    /// Which parameter set hashes the nodes of `level`, counted from 0 for that of the tree, then its upper levels
    /// in their order.
    pub fn set_of_level(&self, level: u32) -> usize {
        self.sets.index_of_level(level)
    }

    /// Elements of a node.
    pub fn digest_length(&self) -> usize {
        self.digest_length
    }

    /// Leaves that are given.
    pub fn leaves(&self) -> u64 {
        self.leaves
    }

    /// Levels above the leaves.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// The level whose nodes are the result: that of the root, or of the cap.
    pub fn top(&self) -> u32 {
        self.height - self.cap_height
    }

    /// Nodes of `level`, up to the top, that have a given leaf below them.
    pub fn nodes(&self, level: u32) -> u64 {
        self.leaves
            .div_ceil(product(&self.arities.levels()[..level as usize]))
    }

    /// Nodes of `level`, padding included.
    pub fn capacity(&self, level: u32) -> u64 {
        product(&self.arities.levels()[level as usize..])
    }

    /// Nodes of `level` below a node of the level `above`, which is not lower; padding included.
    pub fn nodes_below(&self, above: u32, level: u32) -> u64 {
        self.capacity(level) / self.capacity(above)
    }

    /// Whether a group of siblings lacks some, or the cap does.
    pub fn is_padded(&self) -> bool {
        !self.empty.is_empty()
    }

    /// The value of an empty sub-tree whose root is in `level`, up to the top, of a tree with padding.
    pub fn empty(&self, level: u32) -> Option<&[Word]> {
        self.empty.get(level as usize).map(Vec::as_slice)
    }

    /// Hashes of the nodes up to the top.
    pub fn hashes(&self) -> u64 {
        (1..=self.top()).map(|level| self.nodes(level)).sum()
    }

    /// Hashes of the nodes up to the top with each parameter set, in the order of
    /// [`set_of_level`](TreeShape::set_of_level).
    pub fn hashes_of_sets(&self) -> Vec<u64> {
        let mut hashes = vec![0; self.sets.iter().len()];
        for level in 0..self.top() {
            hashes[self.set_of_level(level)] += self.nodes(level + 1);
        }
        hashes
    }
}

/// The leaves of a tree are fewer than 2^63, so this is.
fn product(arities: &[usize]) -> u64 {
    arities.iter().map(|&arity| arity as u64).product()
}

/// The values of empty sub-trees of the lowest `levels` levels; nothing when padding is refused.
fn empty_values(
    sets: &ByLevel<&AnyParameters>,
    padding: Padding<'_>,
    levels: u32,
) -> Result<Option<Vec<Vec<Word>>>, ShapeError> {
    let (value, hashed) = match padding {
        Padding::Refuse => return Ok(None),
        Padding::Leaf(value) => (value, true),
        Padding::SubTree(value) => (value, false),
    };
    let (length, expected) = (value.len(), sets.base().digest_length());
    if length != expected {
        return Err(ShapeError::PaddingLength { length, expected });
    }
    sets.base().check_elements(value)?;
    if !hashed {
        return Ok(Some(vec![value.to_vec(); levels as usize]));
    }
    let mut values = vec![value.to_vec()];
    // The set of some levels makes the values up to the level above them.
    let ends = sets.iter().skip(1).map(|(from, _)| from.saturating_add(1));
    for ((_, set), end) in sets.iter().zip(ends.chain([levels])) {
        let end = end.min(levels);
        dispatch!(set, set => {
            let poseidon = Poseidon::new(set);
            while values.len() < end as usize {
                let below: Vec<_> = (values[values.len() - 1].iter())
                    .filter_map(word::to_field)
                    .collect();
                let group = below.repeat(set.arity());
                let digest = poseidon.hash(&group)?;
                values.push(words(&digest));
            }
        });
    }
    Ok(Some(values))
}

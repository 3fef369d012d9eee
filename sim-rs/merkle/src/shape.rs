//! The shape of Merkle trees over any number of leaves.
//!
//! Level 0 of a tree are its leaves, level l + 1 the hashes of the groups of `arity` nodes of level l;
//! the root is the only node of level `height`. A cap of height c are the nodes of level `height` - c.
//! Leaves that are missing are padding: the value of a leaf, or one value for every empty sub-tree.

use acclmt_poseidon::dispatch;
use acclmt_poseidon::fields::{AnyParameters, ElementNotBelowPrime, words};
use acclmt_poseidon::permutation::{InputLengthError, Poseidon};
use acclmt_poseidon::word::{self, Word};

use crate::tree::{LeafCountError, NoTree, check_tree};

/// Most nodes of a cap, which are kept in memory.
pub const MAX_CAP_NODES: u64 = 1 << 20;

/// What stands for the leaves that are missing in a tree whose leaves are no power of the arity.
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
    /// The hash does not take digests.
    #[error(transparent)]
    NoTree(#[from] NoTree),
    /// A node cannot be hashed.
    #[error(transparent)]
    Inputs(#[from] InputLengthError),
    /// An element of the padding is not below the prime.
    #[error("the padding is no digest: {0}")]
    Padding(#[from] ElementNotBelowPrime),
    /// The tree has more leaves than it has room for.
    #[error(
        "{leaves} leaves do not fit into a tree of arity {arity} and height {height}; give a height \
         of at least {needed}"
    )]
    TooManyLeaves {
        /// Number of leaves.
        leaves: u64,
        /// The arity.
        arity: usize,
        /// The height that was asked for.
        height: u32,
        /// The least height.
        needed: u32,
    },
    /// The tree is too high to count its leaves.
    #[error("a tree of arity {arity} and height {height} has more than 2^63 leaves")]
    TooHigh {
        /// The arity.
        arity: usize,
        /// The height.
        height: u32,
    },
    /// The cap has more nodes than are kept in memory.
    #[error(
        "a cap of height {cap_height} of a tree of arity {arity} has {nodes} nodes, more than the \
         {MAX_CAP_NODES} that a cap may have; give a lower one"
    )]
    CapTooLarge {
        /// Height of the cap.
        cap_height: u32,
        /// The arity.
        arity: usize,
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
    arity: usize,
    digest_length: usize,
    leaves: u64,
    height: u32,
    cap_height: u32,
    /// Values of empty sub-trees of each level up to the top; empty when none is needed.
    empty: Vec<Vec<Word>>,
}

impl TreeShape {
    /// The tree of `parameters` over `leaves` leaves, with the least height or at least `height`.
    ///
    /// # Errors
    ///
    /// When there is no such tree: no leaves, leaves that do not fill it where `padding` refuses that,
    /// a height that is too small, a cap that is too high or has more than [`MAX_CAP_NODES`] nodes,
    /// padding that is no digest.
    pub fn new(
        parameters: &AnyParameters,
        leaves: u64,
        padding: Padding<'_>,
        height: Option<u32>,
        cap_height: u32,
    ) -> Result<Self, ShapeError> {
        if leaves == 0 {
            return Err(ShapeError::NoLeaves);
        }
        if leaves > 1 || height.unwrap_or(0) > 0 {
            check_tree(parameters)?;
        }
        let (arity, digest_length) = (parameters.arity(), parameters.digest_length());
        let mut needed = 0;
        let mut room = 1_u64;
        while room < leaves {
            room = checked_product(room, arity, needed + 1)?;
            needed += 1;
        }
        let height = height.unwrap_or(needed);
        if height < needed {
            return Err(ShapeError::TooManyLeaves {
                leaves,
                arity,
                height,
                needed,
            });
        }
        for level in needed..height {
            room = checked_product(room, arity, level + 1)?;
        }
        if cap_height > height {
            return Err(ShapeError::CapTooHigh { cap_height, height });
        }
        // No more than the leaves of the tree, which were counted.
        let nodes = (arity as u64).pow(cap_height);
        if nodes > MAX_CAP_NODES {
            return Err(ShapeError::CapTooLarge {
                cap_height,
                arity,
                nodes,
            });
        }
        let mut shape = Self {
            arity,
            digest_length,
            leaves,
            height,
            cap_height,
            empty: Vec::new(),
        };
        if room != leaves {
            shape.empty = empty_values(parameters, padding, shape.top() + 1)?.ok_or({
                ShapeError::LeafCount(LeafCountError {
                    leaves: usize::try_from(leaves).unwrap_or(usize::MAX),
                    arity,
                    next: room.into(),
                })
            })?;
        }
        Ok(shape)
    }

    /// Children of a node.
    pub fn arity(&self) -> usize {
        self.arity
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
        self.leaves.div_ceil((self.arity as u64).pow(level))
    }

    /// Nodes of `level`, padding included.
    pub fn capacity(&self, level: u32) -> u64 {
        (self.arity as u64).pow(self.height - level)
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
}

fn checked_product(room: u64, arity: usize, height: u32) -> Result<u64, ShapeError> {
    room.checked_mul(arity as u64)
        .filter(|room| room >> 63 == 0)
        .ok_or(ShapeError::TooHigh { arity, height })
}

/// The values of empty sub-trees of the lowest `levels` levels; nothing when padding is refused.
fn empty_values(
    parameters: &AnyParameters,
    padding: Padding<'_>,
    levels: u32,
) -> Result<Option<Vec<Vec<Word>>>, ShapeError> {
    let (value, hashed) = match padding {
        Padding::Refuse => return Ok(None),
        Padding::Leaf(value) => (value, true),
        Padding::SubTree(value) => (value, false),
    };
    let (length, expected) = (value.len(), parameters.digest_length());
    if length != expected {
        return Err(ShapeError::PaddingLength { length, expected });
    }
    parameters.check_elements(value)?;
    if !hashed {
        return Ok(Some(vec![value.to_vec(); levels as usize]));
    }
    let mut values = vec![value.to_vec()];
    dispatch!(parameters, parameters => {
        let poseidon = Poseidon::new(parameters);
        while values.len() < levels as usize {
            let below: Vec<_> = (values[values.len() - 1].iter())
                .filter_map(word::to_field)
                .collect();
            let group = below.repeat(parameters.arity());
            let digest = poseidon.hash(&group)?;
            values.push(words(&digest));
        }
    });
    Ok(Some(values))
}

//! The shape of Merkle trees over any number of leaves, and folding them leaf by leaf.
//!
//! Level 0 of a tree are its leaves, level l + 1 the hashes of the groups of `arity` nodes of level l;
//! the root is the only node of level `height`. A cap of height c are the nodes of level `height` - c.
//! Leaves that are missing are padding: the value of a leaf, or one value for every empty sub-tree.

use crate::device::{CommitRequest, DeviceError, LeafReader, LeafRule, check_elements, check_tree};
use crate::dispatch;
use crate::fields::{AnyParameters, words};
use crate::merkle::LeafCountError;
use crate::poseidon::Poseidon;
use crate::word::{self, Word};

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
    /// a height that is too small, a cap that is too high, padding that is no digest.
    pub fn new(
        parameters: &AnyParameters,
        leaves: u64,
        padding: Padding<'_>,
        height: Option<u32>,
        cap_height: u32,
    ) -> Result<Self, DeviceError> {
        if leaves == 0 {
            return Err(ShapeError::NoLeaves.into());
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
            }
            .into());
        }
        for level in needed..height {
            room = checked_product(room, arity, level + 1)?;
        }
        if cap_height > height {
            return Err(ShapeError::CapTooHigh { cap_height, height }.into());
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
) -> Result<Option<Vec<Vec<Word>>>, DeviceError> {
    let (value, hashed) = match padding {
        Padding::Refuse => return Ok(None),
        Padding::Leaf(value) => (value, true),
        Padding::SubTree(value) => (value, false),
    };
    let (length, expected) = (value.len(), parameters.digest_length());
    if length != expected {
        return Err(ShapeError::PaddingLength { length, expected }.into());
    }
    check_elements(parameters, value)?;
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
            let digest = poseidon.hash(&group).map_err(DeviceError::failed)?;
            values.push(words(&digest));
        }
    });
    Ok(Some(values))
}

/// Takes nodes as they are made.
pub trait NodeSink {
    /// Whether the nodes of `level` are wanted.
    fn wants(&self, level: u32) -> bool;

    /// Takes the elements of node `index` of `level`. The nodes of a level come in order, those of
    /// different levels in any.
    ///
    /// # Errors
    ///
    /// When the node cannot be kept; that ends the computation.
    fn node(&mut self, level: u32, index: u64, digest: &[Word]) -> Result<(), DeviceError>;
}

/// Wants no nodes.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoNodes;

impl NodeSink for NoNodes {
    fn wants(&self, _level: u32) -> bool {
        false
    }

    fn node(&mut self, _level: u32, _index: u64, _digest: &[Word]) -> Result<(), DeviceError> {
        Ok(())
    }
}

/// Keeps every node in memory: the elements of all nodes of a level one after another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AllNodes {
    /// Level by level, the leaves first.
    pub levels: Vec<Vec<Word>>,
}

impl NodeSink for AllNodes {
    fn wants(&self, _level: u32) -> bool {
        true
    }

    fn node(&mut self, level: u32, _index: u64, digest: &[Word]) -> Result<(), DeviceError> {
        let level = level as usize;
        if self.levels.len() <= level {
            self.levels.resize(level + 1, Vec::new());
        }
        self.levels[level].extend(digest);
        Ok(())
    }
}

/// Hashes whole groups of siblings, one after another, into the digests of their parents.
type HashGroups<'a> = dyn FnMut(&[Word]) -> Result<Vec<Word>, DeviceError> + 'a;

/// Folds a tree from its leaves, as they come, with memory for a few nodes of each level.
struct Folder<'a> {
    shape: &'a TreeShape,
    nodes: &'a mut dyn NodeSink,
    /// Nodes of each level that wait for siblings, and the nodes of each level so far.
    pending: Vec<Vec<Word>>,
    counts: Vec<u64>,
}

impl<'a> Folder<'a> {
    /// A tree without leaves so far.
    fn new(shape: &'a TreeShape, nodes: &'a mut dyn NodeSink) -> Self {
        let levels = shape.top() as usize + 1;
        Self {
            shape,
            nodes,
            pending: vec![Vec::new(); levels],
            counts: vec![0; levels],
        }
    }

    /// Takes the next leaves, any number of whole digests, and folds what can be folded.
    ///
    /// # Errors
    ///
    /// Those of `hash` and of the sink.
    fn push(&mut self, leaves: &[Word], hash: &mut HashGroups<'_>) -> Result<(), DeviceError> {
        self.add(0, leaves)?;
        let group = self.shape.arity * self.shape.digest_length;
        for level in 0..self.shape.top() as usize {
            let whole = self.pending[level].len() / group * group;
            if whole > 0 {
                let rest = self.pending[level].split_off(whole);
                let groups = std::mem::replace(&mut self.pending[level], rest);
                self.add(level + 1, &hash(&groups)?)?;
            }
        }
        Ok(())
    }

    /// Ends the tree after its last leaf; returns the nodes of the top level, padding included.
    ///
    /// # Errors
    ///
    /// Those of `hash` and of the sink.
    fn finish(mut self, hash: &mut HashGroups<'_>) -> Result<Vec<Vec<Word>>, DeviceError> {
        let length = self.shape.digest_length;
        let top = self.shape.top();
        for level in 0..top {
            let mut group = std::mem::take(&mut self.pending[level as usize]);
            if group.is_empty() {
                continue;
            }
            let missing = self.shape.arity - group.len() / length;
            let empty = self.shape.empty(level).unwrap_or_default();
            group.extend(empty.repeat(missing));
            self.add(level as usize + 1, &hash(&group)?)?;
        }
        let cap = std::mem::take(&mut self.pending[top as usize]);
        Ok(full_cap(
            self.shape,
            cap.chunks(length).map(<[Word]>::to_vec).collect(),
        ))
    }

    fn add(&mut self, level: usize, digests: &[Word]) -> Result<(), DeviceError> {
        for digest in digests.chunks(self.shape.digest_length) {
            if self.nodes.wants(level as u32) {
                self.nodes.node(level as u32, self.counts[level], digest)?;
            }
            self.counts[level] += 1;
        }
        self.pending[level].extend(digests);
        Ok(())
    }
}

/// Computes the hashes of a tree.
pub(crate) trait TreeHasher {
    /// The digests of all hashes whose inputs follow each other in `elements`.
    fn hash(
        &mut self,
        parameters: &AnyParameters,
        elements: &[Word],
    ) -> Result<Vec<Word>, DeviceError>;

    /// The digests of rows of one length as leaves.
    fn hash_rows(
        &mut self,
        parameters: &AnyParameters,
        rows: &[Vec<Word>],
    ) -> Result<Vec<Word>, DeviceError>;
}

/// Leaves that are read and folded together.
pub(crate) const LEAVES_PER_CHUNK: usize = 1 << 14;

/// The nodes of the top level of the tree of `request`, padding included, from the leaves of `reader`.
pub(crate) fn fold(
    request: &CommitRequest<'_>,
    shape: &TreeShape,
    mut reader: LeafReader<'_>,
    nodes: &mut dyn NodeSink,
    hasher: &mut dyn TreeHasher,
) -> Result<Vec<Vec<Word>>, DeviceError> {
    let mut folder = Folder::new(shape, nodes);
    loop {
        let elements = reader.next(LEAVES_PER_CHUNK)?;
        if elements.is_empty() {
            break;
        }
        let leaves = match request.leaf {
            LeafRule::Digest => elements,
            LeafRule::Hash(parameters) => hasher.hash(parameters, &elements)?,
            LeafRule::Row {
                parameters,
                columns,
            } => {
                let rows: Vec<_> = elements.chunks(columns).map(<[Word]>::to_vec).collect();
                hasher.hash_rows(parameters, &rows)?
            }
        };
        folder.push(&leaves, &mut |groups| {
            hasher.hash(request.parameters, groups)
        })?;
    }
    folder.finish(&mut |group| hasher.hash(request.parameters, group))
}

/// The nodes of the top level with padding behind the given ones.
pub(crate) fn full_cap(shape: &TreeShape, mut cap: Vec<Vec<Word>>) -> Vec<Vec<Word>> {
    if let Some(empty) = shape.empty(shape.top()) {
        let count = usize::try_from(shape.capacity(shape.top())).unwrap_or(cap.len());
        cap.resize(count.max(cap.len()), empty.to_vec());
    }
    cap
}

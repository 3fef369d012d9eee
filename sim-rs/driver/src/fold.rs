//! Folding trees leaf by leaf.

use acclmt_merkle::levels::ByLevel;
use acclmt_merkle::shape::TreeShape;
use acclmt_poseidon::fields::AnyParameters;
use acclmt_poseidon::word::Word;

use crate::device::{CommitRequest, LeafReader, LeafRule};
use crate::error::DeviceError;
use crate::nodes::NodeSink;

/// Hashes whole groups of siblings of a level, one after another, into the digests of their parents.
type HashGroups<'a> = dyn FnMut(u32, &[Word]) -> Result<Vec<Word>, DeviceError> + 'a;

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
        for level in 0..self.shape.top() {
            let group = self.shape.arity_of_level(level) * self.shape.digest_length();
            let (number, level) = (level, level as usize);
            let whole = self.pending[level].len() / group * group;
            if whole > 0 {
                let rest = self.pending[level].split_off(whole);
                let groups = std::mem::replace(&mut self.pending[level], rest);
                self.add(level + 1, &hash(number, &groups)?)?;
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
        let length = self.shape.digest_length();
        let top = self.shape.top();
        for level in 0..top {
            let mut group = std::mem::take(&mut self.pending[level as usize]);
            if group.is_empty() {
                continue;
            }
            let missing = self.shape.arity_of_level(level) - group.len() / length;
            let empty = self.shape.empty(level).unwrap_or_default();
            group.extend(empty.repeat(missing));
            self.add(level as usize + 1, &hash(level, &group)?)?;
        }
        let cap = std::mem::take(&mut self.pending[top as usize]);
        Ok(full_cap(
            self.shape,
            cap.chunks(length).map(<[Word]>::to_vec).collect(),
        ))
    }

    fn add(&mut self, level: usize, digests: &[Word]) -> Result<(), DeviceError> {
        for digest in digests.chunks(self.shape.digest_length()) {
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
pub trait TreeHasher {
    /// The digests of all hashes whose inputs follow each other in `elements`.
    ///
    /// # Errors
    ///
    /// When they cannot be computed.
    fn hash(
        &mut self,
        parameters: &AnyParameters,
        elements: &[Word],
    ) -> Result<Vec<Word>, DeviceError>;

    /// The digests of rows of one length as leaves.
    ///
    /// # Errors
    ///
    /// When they cannot be computed.
    fn hash_rows(
        &mut self,
        parameters: &AnyParameters,
        rows: &[Vec<Word>],
    ) -> Result<Vec<Word>, DeviceError>;
}

/// Leaves that are read and folded together.
pub const LEAVES_PER_CHUNK: usize = 1 << 14;

/// Most elements of leaves that are read and folded together, unless a single leaf has more.
const ELEMENTS_PER_CHUNK: usize = 1 << 22;

/// The nodes of the top level of the tree of `request`, padding included, from the leaves of `reader`.
///
/// # Errors
///
/// Those of `reader`, of `hasher` and of `nodes`.
pub fn fold(
    request: &CommitRequest<'_>,
    shape: &TreeShape,
    mut reader: LeafReader<'_>,
    nodes: &mut dyn NodeSink,
    hasher: &mut dyn TreeHasher,
) -> Result<Vec<Vec<Word>>, DeviceError> {
    let sets: ByLevel<&AnyParameters> = request.sets()?;
    let mut folder = Folder::new(shape, nodes);
    let chunk = (ELEMENTS_PER_CHUNK / request.leaf_length().max(1)).clamp(1, LEAVES_PER_CHUNK);
    loop {
        let elements = reader.next(chunk)?;
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
        folder.push(&leaves, &mut |level, groups| {
            hasher.hash(sets.of_level(level), groups)
        })?;
    }
    folder.finish(&mut |level, group| hasher.hash(sets.of_level(level), group))
}

/// The nodes of the top level with padding behind the given ones.
pub fn full_cap(shape: &TreeShape, mut cap: Vec<Vec<Word>>) -> Vec<Vec<Word>> {
    if let Some(empty) = shape.empty(shape.top()) {
        let count = usize::try_from(shape.capacity(shape.top())).unwrap_or(cap.len());
        cap.resize(count.max(cap.len()), empty.to_vec());
    }
    cap
}

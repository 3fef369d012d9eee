use acclmt_driver::device::{CommitRequest, Device, DeviceError, LeafRule, LeafSource, NoProgress};
use acclmt_driver::nodes::NodeSink;
use acclmt_driver::shared::SharedDevice;
use acclmt_merkle::shape::{MAX_CAP_NODES, Padding};
use acclmt_poseidon::fields::AnyParameters;
use acclmt_poseidon::word::{self, Word};
use p3_field::{PrimeCharacteristicRing as _, PrimeField64 as _};
use p3_goldilocks::Goldilocks;
use p3_matrix::Matrix;

use crate::error::MmcsError;
use crate::parameters::DIGEST;

/// A node of a tree.
pub type Digest = [Goldilocks; DIGEST];

/// The committed matrices with the tree over them.
#[derive(Clone, Debug)]
pub struct Tree<M> {
    pub(crate) matrices: Vec<M>,
    pub(crate) layers: Vec<Vec<Digest>>,
}

impl<M> Tree<M> {
    /// The matrices, in the order in which they were given.
    pub fn matrices(&self) -> &[M] {
        &self.matrices
    }

    /// The nodes of every layer without padding, the hashes of the rows of the highest matrices first, the
    /// root last.
    pub fn layers(&self) -> &[Vec<Digest>] {
        &self.layers
    }

    /// A node; the default digest, zeros, where there is padding.
    pub(crate) fn node(&self, layer: usize, index: usize) -> Digest {
        self.layers[layer].get(index).copied().unwrap_or_default()
    }
}

/// The layers of the tree over matrices whose heights Plonky3 accepts.
///
/// Between the heights of two matrices there is one run of the device: it takes rows or pairs of digests, and
/// gives all layers up to the next matrix. A matrix below the highest one needs a run for its rows, too.
pub(crate) fn layers<M: Matrix<Goldilocks>, D: Device + ?Sized>(
    device: &SharedDevice<D>,
    parameters: &AnyParameters,
    matrices: &[M],
) -> Result<Vec<Vec<Digest>>, MmcsError> {
    let mut ordered: Vec<&M> = matrices.iter().collect();
    ordered.sort_by_key(|matrix| std::cmp::Reverse(matrix.height()));
    let groups: Vec<&[&M]> = (ordered.chunk_by(|a, b| a.height() == b.height())).collect();
    let depth = |group: &[&M]| p3_util::log2_ceil_usize(group[0].height()) as u32;
    let mut layers = Vec::new();
    let mut pairs: Option<Vec<Word>> = None;
    for (index, group) in groups.iter().enumerate() {
        let next = groups.get(index + 1);
        let levels = depth(group) - next.map_or(0, |next| depth(next));
        let mut rows = match pairs.take() {
            None => layers_of_rows(device, parameters, group, levels)?,
            Some(pairs) => {
                let mut source = Words(pairs.into_iter());
                let leaves = group[0].height();
                run(
                    device,
                    parameters,
                    LeafRule::Hash(parameters),
                    leaves,
                    &mut source,
                    levels,
                )?
            }
        };
        if let Some(next) = next {
            let nodes = rows.pop().unwrap_or_default();
            let digests = layers_of_rows(device, parameters, next, 0)?.concat();
            let both = nodes.iter().zip(&digests);
            pairs = Some(
                both.flat_map(|(node, row)| [node, row])
                    .flatten()
                    .map(to_word)
                    .collect(),
            );
        }
        layers.append(&mut rows);
    }
    Ok(layers)
}

/// The hashes of rows of matrices of one height, and so many layers above them.
fn layers_of_rows<M: Matrix<Goldilocks>, D: Device + ?Sized>(
    device: &SharedDevice<D>,
    parameters: &AnyParameters,
    matrices: &[&M],
    levels: u32,
) -> Result<Vec<Vec<Digest>>, MmcsError> {
    let height = matrices[0].height();
    let columns = matrices.iter().map(|matrix| matrix.width()).sum();
    if columns == 0 {
        // The digest of an empty row is that of the initial state.
        let mut source = Words(std::iter::repeat_n(Word::default(), height * DIGEST));
        return run(
            device,
            parameters,
            LeafRule::Digest,
            height,
            &mut source,
            levels,
        );
    }
    let rows = (0..height).flat_map(|row| {
        (matrices.iter()).flat_map(move |matrix| {
            let row = matrix.row(row).into_iter().flatten();
            row.map(|element| to_word(&element)).collect::<Vec<_>>()
        })
    });
    let leaf = LeafRule::Row {
        parameters,
        columns,
    };
    run(device, parameters, leaf, height, &mut Words(rows), levels)
}

/// The leaves of a tree and so many layers above them. More than the largest cap of nodes are several runs.
fn run<D: Device + ?Sized>(
    device: &SharedDevice<D>,
    parameters: &AnyParameters,
    leaf: LeafRule<'_>,
    leaves: usize,
    source: &mut dyn LeafSource,
    levels: u32,
) -> Result<Vec<Vec<Digest>>, MmcsError> {
    let empty = [Word::default(); DIGEST];
    let mut nodes = Nodes(vec![Vec::new(); levels as usize + 1]);
    let mut left = leaves;
    let most = (MAX_CAP_NODES as usize)
        .checked_shl(levels)
        .unwrap_or(usize::MAX);
    let mut device = device.lock()?;
    while left > 0 {
        let now = left.min(most);
        let height = levels.max(p3_util::log2_ceil_usize(now) as u32);
        let request = CommitRequest {
            padding: Padding::SubTree(&empty),
            height: Some(height),
            cap_height: height - levels,
            ..CommitRequest::new(parameters, leaf, now as u64)
        };
        device.commit(&request, source, &mut nodes, &mut NoProgress)?;
        left -= now;
    }
    for (layer, nodes) in nodes.0.iter().enumerate() {
        let expected = leaves.div_ceil(1 << layer);
        if nodes.len() != expected {
            return Err(MmcsError::Defective(format!(
                "it gave {} nodes of a layer of {expected}",
                nodes.len()
            )));
        }
    }
    Ok(nodes.0)
}

pub(crate) fn to_word(element: &Goldilocks) -> Word {
    word::from_u64(element.as_canonical_u64())
}

fn from_word(word: &Word) -> Result<Goldilocks, DeviceError> {
    let (low, high) = word.split_first_chunk().unwrap_or((&[0; 8], &[]));
    let value = u64::from_le_bytes(*low);
    if value >= Goldilocks::ORDER_U64 || high.iter().any(|&byte| byte != 0) {
        let message = format!("it gave {}, which is no field element", word::to_hex(word));
        return Err(DeviceError::failed(MmcsError::Defective(message)));
    }
    Ok(Goldilocks::new(value))
}

/// Words as the source of leaves.
struct Words<I>(I);

impl<I: Iterator<Item = Word>> LeafSource for Words<I> {
    fn read(&mut self, elements: usize) -> Result<Vec<Word>, DeviceError> {
        let words: Vec<Word> = self.0.by_ref().take(elements).collect();
        if words.len() < elements {
            return Err(DeviceError::SourceEnds {
                given: words.len() as u64,
                expected: elements as u64,
            });
        }
        Ok(words)
    }
}

/// Keeps the nodes of all layers, one after another.
struct Nodes(Vec<Vec<Digest>>);

impl NodeSink for Nodes {
    fn wants(&self, level: u32) -> bool {
        (level as usize) < self.0.len()
    }

    fn node(&mut self, level: u32, _index: u64, digest: &[Word]) -> Result<(), DeviceError> {
        if digest.len() != DIGEST {
            let message = format!("it gave a digest of {} elements", digest.len());
            return Err(DeviceError::failed(MmcsError::Defective(message)));
        }
        let mut node = [Goldilocks::ZERO; DIGEST];
        for (element, word) in node.iter_mut().zip(digest) {
            *element = from_word(word)?;
        }
        if let Some(layer) = self.0.get_mut(level as usize) {
            layer.push(node);
        }
        Ok(())
    }
}

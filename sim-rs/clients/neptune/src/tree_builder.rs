use std::fmt;

use acclmt_driver::device::{CommitRequest, Device, DeviceError, LeafRule, LeafSource, NoProgress};
use acclmt_driver::nodes::NodeSink;
use acclmt_poseidon::fields::AnyParameters;
use acclmt_poseidon::word::Word;
use neptune::poseidon::{Poseidon, PoseidonConstants};
use neptune::{Arity, Error};

use crate::batcher::{Batcher, Kind, element};
use crate::error::BatcherError;
use crate::field::DeviceField;

/// The methods of neptune's `TreeBuilderTrait`, which neptune has with its GPU features only.
pub trait TreeBuilderTrait<F: DeviceField, TreeArity: Arity<F>> {
    /// Adds leaves behind those that are there.
    ///
    /// # Errors
    ///
    /// When there are more than the tree has; none of them is added.
    fn add_leaves(&mut self, leaves: &[F]) -> Result<(), Error>;

    /// Adds the last leaves and builds the tree; returns all leaves, and the rows above those that are
    /// discarded, from the lowest to the root. The builder is as new afterwards.
    ///
    /// # Errors
    ///
    /// When there are more or fewer leaves than the tree has, or the device fails; the last leaves are not
    /// added then. neptune fills up with zeros where there are fewer.
    fn add_final_leaves(&mut self, leaves: &[F]) -> Result<(Vec<F>, Vec<F>), Error>;

    /// Forgets all leaves.
    fn reset(&mut self);
}

/// Builds trees as neptune's `TreeBuilder` does: TreeR of Filecoin is one of arity 8.
///
/// ```
/// use acclmt_driver::device::Device;
/// use acclmt_driver::software::SoftwareDevice;
/// use acclmt_neptune::{Batcher, DEFAULT_MAX_BATCH_SIZE, SharedDevice, TreeBuilder, TreeBuilderTrait};
/// use blstrs::Scalar;
/// use generic_array::typenum::U8;
///
/// let device: Box<dyn Device + Send> = Box::new(SoftwareDevice::new());
/// let batcher = Batcher::new(device.into(), DEFAULT_MAX_BATCH_SIZE)?;
/// let mut builder = TreeBuilder::<Scalar, U8>::new(Some(batcher), 64, 0)?;
/// builder.add_leaves(&[Scalar::from(1); 24])?;
/// let (leaves, tree) = builder.add_final_leaves(&[Scalar::from(1); 40])?;
/// assert_eq!((leaves.len(), tree.len()), (64, 8 + 1));
/// assert_eq!(tree.last(), Some(&builder.compute_uniform_tree_root(Scalar::from(1))?));
/// # Ok::<(), neptune::Error>(())
/// ```
pub struct TreeBuilder<F: DeviceField, TreeArity: Arity<F>, D: Device + ?Sized = dyn Device + Send>
{
    /// Leaves of the tree.
    leaf_count: usize,
    height: usize,
    data: Vec<F>,
    tree_constants: Option<PoseidonConstants<F, TreeArity>>,
    tree_batcher: Option<Batcher<F, TreeArity, D>>,
    rows_to_discard: usize,
}

impl<F: DeviceField, TreeArity: Arity<F>, D: Device + ?Sized> TreeBuilder<F, TreeArity, D> {
    /// A tree of `leaf_count` leaves, a power of the arity. The rows above the leaves that are discarded are
    /// not returned; the root always is. The device builds it with the hash of the batcher, in one run if it
    /// can; without a batcher neptune does on the calling thread.
    ///
    /// # Errors
    ///
    /// When there is no such tree. neptune panics.
    pub fn new(
        tree_batcher: Option<Batcher<F, TreeArity, D>>,
        leaf_count: usize,
        rows_to_discard: usize,
    ) -> Result<Self, Error> {
        let arity = TreeArity::to_usize();
        let height = height(leaf_count, arity)?;
        if rows_to_discard >= height {
            return Err(BatcherError::Rows {
                rows: rows_to_discard,
                height,
            }
            .into());
        }
        if let Some(Kind::ConstantLength(length)) = tree_batcher.as_ref().map(Batcher::kind)
            && length != arity
        {
            return Err(BatcherError::NodeLength { length, arity }.into());
        }
        Ok(Self {
            leaf_count,
            height,
            data: Vec::new(),
            tree_constants: None,
            tree_batcher,
            rows_to_discard,
        })
    }

    /// Leaves of the tree.
    pub fn leaf_count(&self) -> usize {
        self.leaf_count
    }

    /// The batcher, if there is one.
    pub fn tree_batcher(&self) -> Option<&Batcher<F, TreeArity, D>> {
        self.tree_batcher.as_ref()
    }

    /// Builds the tree of the leaves that are there, and keeps them; returns what
    /// [`add_final_leaves`](TreeBuilderTrait::add_final_leaves) does.
    ///
    /// # Errors
    ///
    /// When there are fewer leaves than the tree has, more rows are to be discarded than there are, or the
    /// device fails.
    pub fn build_tree(&mut self, rows_to_discard: usize) -> Result<(Vec<F>, Vec<F>), Error> {
        if rows_to_discard >= self.height {
            return Err(BatcherError::Rows {
                rows: rows_to_discard,
                height: self.height,
            }
            .into());
        }
        check_all("leaves", self.data.len(), 0, self.leaf_count)?;
        let data = std::mem::take(&mut self.data);
        let tree = self.tree(&mut data.iter(), rows_to_discard);
        self.data = data;
        Ok((self.data.clone(), tree?))
    }

    /// Nodes of the tree without its leaves and so many rows above them, as neptune counts them.
    pub fn tree_size(&self, rows_to_discard: usize) -> usize {
        (self.row_sizes().skip(1))
            .skip(rows_to_discard)
            .sum::<usize>()
    }

    /// Rows above the leaves.
    pub fn tree_height(&self) -> usize {
        self.height
    }

    /// The root of a tree whose leaves are all `leaf`, which neptune computes on the calling thread: to check
    /// the device without the cost of a whole tree.
    ///
    /// # Errors
    ///
    /// None; the type is that of neptune.
    pub fn compute_uniform_tree_root(&mut self, leaf: F) -> Result<F, Error> {
        let height = self.height;
        let constants = self.constants();
        Ok((0..height).fold(leaf, |node, _| {
            let children = vec![node; TreeArity::to_usize()];
            Poseidon::new_with_preimage(&children, constants).hash()
        }))
    }

    /// neptune's constants of the hash of the nodes.
    fn constants(&mut self) -> &PoseidonConstants<F, TreeArity> {
        let batcher = self.tree_batcher.as_ref();
        self.tree_constants
            .get_or_insert_with(|| batcher.map(Batcher::constants).unwrap_or_default())
    }

    /// Nodes of each row, the leaves first.
    fn row_sizes(&self) -> impl Iterator<Item = usize> + use<F, TreeArity, D> {
        let arity = TreeArity::to_usize();
        std::iter::successors(Some(self.leaf_count), move |size| Some(size / arity))
            .take(self.height + 1)
    }

    /// The rows that are kept above the given leaves, of which there are as many as the tree has.
    pub(crate) fn tree(
        &mut self,
        leaves: &mut dyn Iterator<Item = &F>,
        rows_to_discard: usize,
    ) -> Result<Vec<F>, BatcherError> {
        let Some(batcher) = &self.tree_batcher else {
            return Ok(self.tree_of_neptune(leaves, rows_to_discard));
        };
        let rows = self.rows(batcher, LeafRule::Digest, false, leaves, rows_to_discard)?;
        Ok(rows.concat())
    }

    /// The rows of a tree whose leaves are hashes by the parameter set `leaf`, in one run of the device of
    /// `batcher`: all leaves, and the rows that are kept above them.
    pub(crate) fn tree_of_hashes(
        &self,
        batcher: &Batcher<F, TreeArity, D>,
        leaf: &AnyParameters,
        elements: &mut dyn Iterator<Item = &F>,
    ) -> Result<(Vec<F>, Vec<F>), BatcherError> {
        let leaf = LeafRule::Hash(leaf);
        let mut rows = self.rows(batcher, leaf, true, elements, self.rows_to_discard)?;
        let base = std::mem::take(&mut rows[0]);
        Ok((base, rows.concat()))
    }

    /// Every row of the tree, the leaves first; empty ones where a row is not wanted.
    fn rows(
        &self,
        batcher: &Batcher<F, TreeArity, D>,
        leaf: LeafRule<'_>,
        with_leaves: bool,
        elements: &mut dyn Iterator<Item = &F>,
        rows_to_discard: usize,
    ) -> Result<Vec<Vec<F>>, BatcherError> {
        let request = CommitRequest::new(batcher.parameters(), leaf, self.leaf_count as u64);
        let mut rows = Rows {
            is_wanted: (0..=self.height)
                .map(|row| {
                    if row == 0 {
                        with_leaves
                    } else {
                        row > rows_to_discard
                    }
                })
                .collect(),
            rows: vec![Vec::new(); self.height + 1],
        };
        let mut source = Elements(elements);
        let mut device = batcher.device().lock()?;
        device.commit(&request, &mut source, &mut rows, &mut NoProgress)?;
        drop(device);
        for (row, (nodes, size)) in rows.rows.iter().zip(self.row_sizes()).enumerate() {
            let expected = if rows.is_wanted[row] { size } else { 0 };
            if nodes.len() != expected {
                return Err(BatcherError::Nodes {
                    given: nodes.len(),
                    expected,
                });
            }
        }
        Ok(rows.rows)
    }

    /// The same by neptune on the calling thread.
    fn tree_of_neptune(
        &mut self,
        leaves: &mut dyn Iterator<Item = &F>,
        rows_to_discard: usize,
    ) -> Vec<F> {
        let height = self.height;
        let constants = self.constants();
        let mut row: Vec<F> = leaves.copied().collect();
        let mut tree = Vec::new();
        for index in 1..=height {
            row = (row.chunks(TreeArity::to_usize()))
                .map(|children| Poseidon::new_with_preimage(children, constants).hash())
                .collect();
            if index > rows_to_discard {
                tree.extend(&row);
            }
        }
        tree
    }
}

/// Rows above `leaves` leaves.
fn height(leaves: usize, arity: usize) -> Result<usize, BatcherError> {
    if arity < 2 {
        return Err(BatcherError::NoTree(arity));
    }
    let height = leaves.checked_ilog(arity).unwrap_or_default();
    if height == 0 || arity.pow(height) != leaves {
        return Err(BatcherError::Leaves { leaves, arity });
    }
    Ok(height as usize)
}

/// Refuses `more` things where `given` are there and the tree has room for `expected`.
pub(crate) fn check_room(
    things: &'static str,
    given: usize,
    more: usize,
    expected: usize,
) -> Result<(), BatcherError> {
    if more > expected - given {
        return Err(BatcherError::TooMany {
            things,
            given,
            more,
            expected,
        });
    }
    Ok(())
}

/// Refuses the last things where they do not fill the tree.
pub(crate) fn check_all(
    things: &'static str,
    given: usize,
    more: usize,
    expected: usize,
) -> Result<(), BatcherError> {
    check_room(things, given, more, expected)?;
    if given + more < expected {
        return Err(BatcherError::TooFew {
            things,
            given: given + more,
            expected,
        });
    }
    Ok(())
}

/// Elements as the source of leaves.
struct Elements<'a, 'b, F>(&'a mut dyn Iterator<Item = &'b F>);

impl<F: DeviceField> LeafSource for Elements<'_, '_, F> {
    fn read(&mut self, elements: usize) -> Result<Vec<Word>, DeviceError> {
        let words: Vec<Word> = (self.0.take(elements)).map(F::to_repr).collect();
        if words.len() < elements {
            return Err(DeviceError::SourceEnds {
                given: words.len() as u64,
                expected: elements as u64,
            });
        }
        Ok(words)
    }
}

/// Keeps the rows that are wanted.
struct Rows<F> {
    is_wanted: Vec<bool>,
    rows: Vec<Vec<F>>,
}

impl<F: DeviceField> NodeSink for Rows<F> {
    fn wants(&self, level: u32) -> bool {
        self.is_wanted.get(level as usize) == Some(&true)
    }

    fn node(&mut self, level: u32, _index: u64, digest: &[Word]) -> Result<(), DeviceError> {
        // A level that the tree does not have is an error after the run: its nodes are missing elsewhere.
        if let Some(row) = self.rows.get_mut(level as usize) {
            row.push(element(digest).map_err(DeviceError::failed)?);
        }
        Ok(())
    }
}

impl<F: DeviceField, TreeArity: Arity<F>, D: Device + ?Sized> TreeBuilderTrait<F, TreeArity>
    for TreeBuilder<F, TreeArity, D>
{
    fn add_leaves(&mut self, leaves: &[F]) -> Result<(), Error> {
        check_room("leaves", self.data.len(), leaves.len(), self.leaf_count)?;
        self.data.extend(leaves);
        Ok(())
    }

    fn add_final_leaves(&mut self, leaves: &[F]) -> Result<(Vec<F>, Vec<F>), Error> {
        let given = self.data.len();
        check_all("leaves", given, leaves.len(), self.leaf_count)?;
        let mut data = std::mem::take(&mut self.data);
        data.extend(leaves);
        match self.tree(&mut data.iter(), self.rows_to_discard) {
            Ok(tree) => Ok((data, tree)),
            Err(error) => {
                data.truncate(given);
                self.data = data;
                Err(error.into())
            }
        }
    }

    fn reset(&mut self) {
        self.data = Vec::new();
    }
}

impl<F: DeviceField, TreeArity: Arity<F>, D: Device + ?Sized> fmt::Debug
    for TreeBuilder<F, TreeArity, D>
{
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("TreeBuilder")
            .field("leaf_count", &self.leaf_count)
            .field("leaves", &self.data.len())
            .field("rows_to_discard", &self.rows_to_discard)
            .field("tree_batcher", &self.tree_batcher)
            .finish_non_exhaustive()
    }
}

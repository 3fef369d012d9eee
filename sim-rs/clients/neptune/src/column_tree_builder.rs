use std::fmt;

use acclmt_driver::device::Device;
use generic_array::GenericArray;
use neptune::poseidon::{Poseidon, PoseidonConstants};
use neptune::{Arity, BatchHasher as _, Error};

use crate::batcher::Batcher;
use crate::error::BatcherError;
use crate::field::DeviceField;
use crate::tree_builder::{TreeBuilder, check_all, check_room};

/// The methods of neptune's `ColumnTreeBuilderTrait`, which neptune has with its GPU features only.
pub trait ColumnTreeBuilderTrait<F: DeviceField, ColumnArity: Arity<F>, TreeArity: Arity<F>> {
    /// Adds columns behind those that are there.
    ///
    /// # Errors
    ///
    /// When there are more than the tree has leaves, or the device fails; none of them is added.
    fn add_columns(&mut self, columns: &[GenericArray<F, ColumnArity>]) -> Result<(), Error>;

    /// Adds the last columns and builds the tree; returns the hashes of all columns, and the rows above them,
    /// from the lowest to the root. The builder is as new afterwards.
    ///
    /// # Errors
    ///
    /// When there are more or fewer columns than the tree has leaves, or the device fails; the last columns
    /// are not added then. neptune fills up with leaves of 0 where there are fewer.
    fn add_final_columns(
        &mut self,
        columns: &[GenericArray<F, ColumnArity>],
    ) -> Result<(Vec<F>, Vec<F>), Error>;

    /// Forgets all columns.
    fn reset(&mut self);
}

/// Builds trees over the hashes of columns as neptune's `ColumnTreeBuilder` does: TreeC of Filecoin has
/// columns of 11 elements under a tree of arity 8.
///
/// Where both batchers are of one device, and no more columns than a batch of the first one have been added
/// before the last ones, the whole tree is one run of the device: columns go in, every row comes out.
/// More columns are hashed in batches, so that no more of them have to be kept, and the tree is a run of its
/// own.
///
/// ```
/// use acclmt_driver::device::Device;
/// use acclmt_driver::software::SoftwareDevice;
/// use acclmt_neptune::{
///     Batcher, ColumnTreeBuilder, ColumnTreeBuilderTrait, DEFAULT_MAX_BATCH_SIZE, SharedDevice,
/// };
/// use blstrs::Scalar;
/// use generic_array::GenericArray;
/// use generic_array::typenum::{U8, U11};
///
/// let device: Box<dyn Device + Send> = Box::new(SoftwareDevice::new());
/// let device = SharedDevice::from(device);
/// let columns = Batcher::new(device.clone(), DEFAULT_MAX_BATCH_SIZE)?;
/// let nodes = Batcher::new(device, DEFAULT_MAX_BATCH_SIZE)?;
/// let mut builder = ColumnTreeBuilder::<Scalar, U11, U8>::new(Some(columns), Some(nodes), 8)?;
/// let column = GenericArray::from([Scalar::from(1); 11]);
/// builder.add_columns(&[column; 3])?;
/// let (base, tree) = builder.add_final_columns(&[column; 5])?;
/// assert_eq!((base.len(), tree.len()), (8, 1));
/// assert_eq!(tree[0], builder.compute_uniform_tree_root(&column)?);
/// # Ok::<(), neptune::Error>(())
/// ```
pub struct ColumnTreeBuilder<
    F: DeviceField,
    ColumnArity: Arity<F>,
    TreeArity: Arity<F>,
    D: Device + ?Sized = dyn Device + Send,
> {
    /// Hashes of the first columns.
    data: Vec<F>,
    /// The columns after these.
    columns: Vec<GenericArray<F, ColumnArity>>,
    column_constants: Option<PoseidonConstants<F, ColumnArity>>,
    column_batcher: Option<Batcher<F, ColumnArity, D>>,
    tree_builder: TreeBuilder<F, TreeArity, D>,
}

impl<F: DeviceField, ColumnArity: Arity<F>, TreeArity: Arity<F>, D: Device + ?Sized>
    ColumnTreeBuilder<F, ColumnArity, TreeArity, D>
{
    /// A tree of `leaf_count` columns, a power of the arity of the tree. What has no batcher is hashed by
    /// neptune on the calling thread.
    ///
    /// # Errors
    ///
    /// When there is no such tree. neptune panics.
    pub fn new(
        column_batcher: Option<Batcher<F, ColumnArity, D>>,
        tree_batcher: Option<Batcher<F, TreeArity, D>>,
        leaf_count: usize,
    ) -> Result<Self, Error> {
        Ok(Self {
            data: Vec::new(),
            columns: Vec::new(),
            column_constants: None,
            column_batcher,
            tree_builder: TreeBuilder::new(tree_batcher, leaf_count, 0)?,
        })
    }

    /// Columns of the tree.
    pub fn leaf_count(&self) -> usize {
        self.tree_builder.leaf_count()
    }

    /// The batcher of the columns, if there is one.
    pub fn column_batcher(&self) -> Option<&Batcher<F, ColumnArity, D>> {
        self.column_batcher.as_ref()
    }

    /// Nodes of the tree without its leaves.
    pub fn tree_size(&self) -> usize {
        self.tree_builder.tree_size(0)
    }

    /// The root of a tree whose columns are all `column`, which neptune computes on the calling thread: to
    /// check the device without the cost of a whole tree.
    ///
    /// # Errors
    ///
    /// When the type of hash does not take the column.
    pub fn compute_uniform_tree_root(
        &mut self,
        column: &GenericArray<F, ColumnArity>,
    ) -> Result<F, Error> {
        let element = self.digests_of_neptune(std::slice::from_ref(column))?;
        self.tree_builder.compute_uniform_tree_root(element[0])
    }

    /// The digests of columns by neptune on the calling thread.
    fn digests_of_neptune(
        &mut self,
        columns: &[GenericArray<F, ColumnArity>],
    ) -> Result<Vec<F>, BatcherError> {
        let batcher = self.column_batcher.as_ref();
        if let Some(batcher) = batcher {
            batcher.check(columns)?;
        }
        let length = batcher.map_or(ColumnArity::to_usize(), Batcher::message_length);
        let constants = self
            .column_constants
            .get_or_insert_with(|| batcher.map(Batcher::constants).unwrap_or_default());
        Ok((columns.iter())
            .map(|column| Poseidon::new_with_preimage(&column[..length], constants).hash())
            .collect())
    }

    fn given(&self) -> usize {
        self.data.len() + self.columns.len()
    }
}

impl<F: DeviceField, ColumnArity: Arity<F>, TreeArity: Arity<F>, D: Device + ?Sized>
    ColumnTreeBuilderTrait<F, ColumnArity, TreeArity>
    for ColumnTreeBuilder<F, ColumnArity, TreeArity, D>
{
    fn add_columns(&mut self, columns: &[GenericArray<F, ColumnArity>]) -> Result<(), Error> {
        check_room("columns", self.given(), columns.len(), self.leaf_count())?;
        let Some(batcher) = &self.column_batcher else {
            let digests = self.digests_of_neptune(columns)?;
            self.data.extend(digests);
            return Ok(());
        };
        batcher.check(columns)?;
        let waiting = self.columns.len();
        self.columns.extend_from_slice(columns);
        if self.columns.len() > batcher.max_batch_size() {
            match batcher.digests(&self.columns) {
                Ok(digests) => {
                    self.data.extend(digests);
                    self.columns.clear();
                }
                Err(error) => {
                    self.columns.truncate(waiting);
                    return Err(error.into());
                }
            }
        }
        Ok(())
    }

    fn add_final_columns(
        &mut self,
        columns: &[GenericArray<F, ColumnArity>],
    ) -> Result<(Vec<F>, Vec<F>), Error> {
        check_all("columns", self.given(), columns.len(), self.leaf_count())?;
        let both = (self.column_batcher.as_ref()).zip(self.tree_builder.tree_batcher());
        let one_run = both.filter(|(column_batcher, tree_batcher)| {
            self.data.is_empty() && column_batcher.device().is(tree_batcher.device())
        });
        let (base, tree) = if let Some((column_batcher, tree_batcher)) = one_run {
            column_batcher.check(columns)?;
            let mut elements = (self.columns.iter().chain(columns)).flatten();
            let leaf = column_batcher.parameters();
            self.tree_builder
                .tree_of_hashes(tree_batcher, leaf, &mut elements)?
        } else {
            let digests = match &self.column_batcher {
                Some(batcher) => {
                    batcher.check(columns)?;
                    let mut digests = batcher.digests(&self.columns)?;
                    digests.extend(batcher.digests(columns)?);
                    digests
                }
                None => self.digests_of_neptune(columns)?,
            };
            let mut leaves = self.data.iter().chain(&digests);
            let tree = self.tree_builder.tree(&mut leaves, 0)?;
            let mut base = std::mem::take(&mut self.data);
            base.extend(digests);
            (base, tree)
        };
        self.reset();
        Ok((base, tree))
    }

    fn reset(&mut self) {
        self.data = Vec::new();
        self.columns = Vec::new();
    }
}

impl<F: DeviceField, ColumnArity: Arity<F>, TreeArity: Arity<F>, D: Device + ?Sized> fmt::Debug
    for ColumnTreeBuilder<F, ColumnArity, TreeArity, D>
{
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ColumnTreeBuilder")
            .field("leaf_count", &self.leaf_count())
            .field("columns", &self.given())
            .field("column_batcher", &self.column_batcher)
            .field("tree_builder", &self.tree_builder)
            .finish_non_exhaustive()
    }
}

//! Devices: everything that hashes and commits to data, whether it is the host's processor or a
//! chip.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;
use std::time::Duration;

use serde::Serialize;

pub use crate::error::{DeviceError, Unsupported};
use crate::limits::{MAX_COLUMNS, MAX_ELEMENTS};
use crate::nodes::{NoNodes, NodeSink};
use crate::self_test::SelfTest;
use crate::sharing::Sharing;
use crate::timeline::TimelineSink;
use acclmt_merkle::levels::{ByLevel, UpperLevels, parameters_by_level};
use acclmt_merkle::shape::{Padding, ShapeError, TreeShape};
use acclmt_poseidon::fields::AnyParameters;
use acclmt_poseidon::sponge::Sponge;
use acclmt_poseidon::text::shortened;
use acclmt_poseidon::word::Word;

/// What a leaf is.
#[derive(Clone, Copy, Debug)]
pub enum LeafRule<'a> {
    /// A ready digest.
    Digest,
    /// The hash of as many elements as a hash of this parameter set takes.
    Hash(&'a AnyParameters),
    /// The digest of a row of `columns` elements by the sponge of this parameter set.
    Row {
        /// The parameter set, which has a sponge.
        parameters: &'a AnyParameters,
        /// Elements of a row.
        columns: usize,
    },
}

/// What a leaf is, as a user says it: `element` (or `digest`), `hash`, or `row=C`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum LeafKind {
    /// `element`: [`LeafRule::Digest`]
    Digest,
    /// `hash`: [`LeafRule::Hash`]
    #[default]
    Hash,
    /// `row=C`: [`LeafRule::Row`] of this number of columns, from 1 to [`MAX_COLUMNS`].
    Row(usize),
}

impl LeafKind {
    /// The rule of leaves of this kind that are made with `parameters`.
    pub fn rule(self, parameters: &AnyParameters) -> LeafRule<'_> {
        match self {
            Self::Digest => LeafRule::Digest,
            Self::Hash => LeafRule::Hash(parameters),
            Self::Row(columns) => LeafRule::Row {
                parameters,
                columns,
            },
        }
    }
}

/// A text names no kind of leaves.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LeafKindError {
    /// It is none of the three.
    #[error("'{0}' is no kind of leaves, expected element, hash or row=C")]
    Unknown(String),
    /// The columns of a row are out of range.
    #[error("'{0}' is no number of columns, expected 1 to {MAX_COLUMNS}")]
    Columns(String),
}

impl FromStr for LeafKind {
    type Err = LeafKindError;

    fn from_str(text: &str) -> Result<Self, LeafKindError> {
        match text {
            "element" | "digest" => Ok(Self::Digest),
            "hash" => Ok(Self::Hash),
            _ => {
                let columns = text
                    .strip_prefix("row=")
                    .ok_or_else(|| LeafKindError::Unknown(shortened(text)))?;
                // A sign is no digit.
                (columns.bytes().all(|digit| digit.is_ascii_digit()))
                    .then(|| columns.parse().ok())
                    .flatten()
                    .filter(|columns| (1..=MAX_COLUMNS).contains(columns))
                    .map(Self::Row)
                    .ok_or_else(|| LeafKindError::Columns(shortened(columns)))
            }
        }
    }
}

impl fmt::Display for LeafKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Digest => formatter.write_str("element"),
            Self::Hash => formatter.write_str("hash"),
            Self::Row(columns) => write!(formatter, "row={columns}"),
        }
    }
}

/// The order to compute the root, or a cap, of a Merkle tree.
#[derive(Clone, Debug)]
pub struct CommitRequest<'a> {
    /// The parameter set of the nodes, whose arity is that of the tree.
    pub parameters: &'a AnyParameters,
    /// Parameter sets of upper levels, by ascending level; they have arities of their own.
    pub upper: Vec<UpperLevels<'a>>,
    /// What a leaf is.
    pub leaf: LeafRule<'a>,
    /// Number of leaves that the source has.
    pub leaves: u64,
    /// What stands for missing leaves.
    pub padding: Padding<'a>,
    /// Levels above the leaves; the least where this is nothing.
    pub height: Option<u32>,
    /// Levels of the tree that are not computed: the nodes of the level below are the result.
    pub cap_height: u32,
    /// Leaves between which a chip counts its sub-engines as busy; the whole run where this is
    /// nothing.
    pub window: Option<Range<u32>>,
    /// How a chip uses its hash engines; as it is set up, see
    /// [`ChipDevice::set_sharing`](crate::chip::ChipDevice::set_sharing), where this is nothing. Devices without hash
    /// engines do not look at it.
    pub sharing: Option<Sharing>,
}

impl<'a> CommitRequest<'a> {
    /// The root of a tree over `leaves` leaves, which fill it.
    pub fn new(parameters: &'a AnyParameters, leaf: LeafRule<'a>, leaves: u64) -> Self {
        Self {
            parameters,
            upper: Vec::new(),
            leaf,
            leaves,
            padding: Padding::Refuse,
            height: None,
            cap_height: 0,
            window: None,
            sharing: None,
        }
    }

    /// Checks the request and returns the shape of its tree.
    ///
    /// # Errors
    ///
    /// When there is no such tree, leaves are no digests of its nodes' kind, or there are more than
    /// [`MAX_COLUMNS`] elements in a row or [`MAX_ELEMENTS`] in all.
    pub fn shape(&self) -> Result<TreeShape, DeviceError> {
        if let LeafRule::Hash(leaf)
        | LeafRule::Row {
            parameters: leaf, ..
        } = self.leaf
        {
            let kind = |set: &AnyParameters| (set.field(), set.digest_length());
            if kind(leaf) != kind(self.parameters) {
                return Err(DeviceError::LeafKind {
                    leaf: leaf.name().to_owned(),
                    nodes: self.parameters.name().to_owned(),
                });
            }
        }
        if let LeafRule::Row {
            parameters,
            columns,
        } = self.leaf
        {
            if !(1..=MAX_COLUMNS).contains(&columns) {
                return Err(DeviceError::Columns { columns });
            }
            row_sponge(parameters)?;
        }
        let (leaves, length) = (self.leaves, self.leaf_length());
        if leaves
            .checked_mul(length as u64)
            .is_none_or(|elements| elements > MAX_ELEMENTS)
        {
            return Err(DeviceError::TooManyElements { leaves, length });
        }
        Ok(TreeShape::new(
            self.parameters,
            &self.upper,
            self.leaves,
            self.padding,
            self.height,
            self.cap_height,
        )?)
    }

    /// The parameter set that hashes the nodes of each level.
    ///
    /// # Errors
    ///
    /// When upper levels do not ascend, or their parameter set makes no nodes for the tree.
    pub fn sets(&self) -> Result<ByLevel<&'a AnyParameters>, DeviceError> {
        let sets = parameters_by_level(self.parameters, &self.upper);
        Ok(sets.map_err(ShapeError::from)?)
    }

    /// All parameter sets of nodes, that of the tree first, then those of its upper levels.
    pub fn node_sets(&self) -> impl Iterator<Item = &'a AnyParameters> {
        let upper = self.upper.iter().map(|upper| upper.parameters);
        std::iter::once(self.parameters).chain(upper)
    }

    /// Elements of a leaf in the source.
    pub fn leaf_length(&self) -> usize {
        match self.leaf {
            LeafRule::Digest => self.parameters.digest_length(),
            LeafRule::Hash(parameters) => parameters.inputs(),
            LeafRule::Row { columns, .. } => columns,
        }
    }

    /// Permutations of a leaf.
    pub fn leaf_hashes(&self) -> u64 {
        match self.leaf {
            LeafRule::Digest => 0,
            LeafRule::Hash(_) => 1,
            LeafRule::Row {
                parameters,
                columns,
            } => {
                let is_digest = is_unhashed(parameters, columns);
                let sponge = parameters.sponge().filter(|_| !is_digest);
                sponge.map_or(0, |sponge| sponge.blocks_of(columns))
            }
        }
    }

    /// Permutations of the whole run over a tree of `shape`.
    pub fn hashes(&self, shape: &TreeShape) -> u64 {
        shape.leaves() * self.leaf_hashes() + shape.hashes()
    }
}

/// Whether rows of `columns` elements are digests as they are, by the rule of the sponge of
/// `parameters`.
pub fn is_unhashed(parameters: &AnyParameters, columns: usize) -> bool {
    let rule = parameters
        .sponge()
        .is_some_and(|sponge| sponge.short_rows_are_digests);
    rule && columns <= parameters.digest_length()
}

/// The sponge of a parameter set whose rows are leaves.
///
/// # Errors
///
/// When the parameter set has none.
pub fn row_sponge(parameters: &AnyParameters) -> Result<&Sponge, DeviceError> {
    parameters.sponge().ok_or_else(|| DeviceError::NoSponge {
        name: parameters.name().to_owned(),
        inputs: parameters.inputs(),
    })
}

/// Where the elements of leaves come from.
pub trait LeafSource {
    /// The next `elements` field elements, exactly so many.
    ///
    /// # Errors
    ///
    /// When they cannot be read. [`DeviceError::SourceEnds`] counts the elements of this call.
    fn read(&mut self, elements: usize) -> Result<Vec<Word>, DeviceError>;

    /// Whether all elements that are to come are 0 and as many as are wanted, so that nothing need be read.
    fn is_zeros(&self) -> bool {
        false
    }
}

/// Elements in memory.
#[derive(Clone, Copy, Debug)]
pub struct WordSource<'a>(pub &'a [Word]);

impl LeafSource for WordSource<'_> {
    fn read(&mut self, elements: usize) -> Result<Vec<Word>, DeviceError> {
        let missing = || DeviceError::SourceEnds {
            given: self.0.len() as u64,
            expected: elements as u64,
        };
        let (read, rest) = self.0.split_at_checked(elements).ok_or_else(missing)?;
        self.0 = rest;
        Ok(read.to_vec())
    }
}

/// Elements that are all 0, where only the cycles count.
#[derive(Clone, Copy, Debug, Default)]
pub struct Zeros;

impl LeafSource for Zeros {
    fn read(&mut self, elements: usize) -> Result<Vec<Word>, DeviceError> {
        Ok(vec![Word::default(); elements])
    }

    fn is_zeros(&self) -> bool {
        true
    }
}

/// Reads leaves and checks that their elements are below the prime.
pub struct LeafReader<'a> {
    source: &'a mut dyn LeafSource,
    parameters: &'a AnyParameters,
    leaf_length: usize,
    left: u64,
    elements: usize,
}

impl<'a> LeafReader<'a> {
    /// Reads the leaves of `request` from `source`.
    pub fn new(request: &CommitRequest<'a>, source: &'a mut dyn LeafSource) -> Self {
        let parameters = match request.leaf {
            LeafRule::Digest => request.parameters,
            LeafRule::Hash(parameters) | LeafRule::Row { parameters, .. } => parameters,
        };
        Self {
            source,
            parameters,
            leaf_length: request.leaf_length(),
            left: request.leaves,
            elements: 0,
        }
    }

    /// See [`LeafSource::is_zeros`].
    pub fn is_zeros(&self) -> bool {
        self.source.is_zeros()
    }

    /// The elements of up to `leaves` leaves; none after the last one.
    ///
    /// # Errors
    ///
    /// When they cannot be read, or an element is not below the prime.
    pub fn next(&mut self, leaves: usize) -> Result<Vec<Word>, DeviceError> {
        let leaves = usize::try_from(self.left).map_or(leaves, |left| leaves.min(left));
        let read = self.source.read(leaves * self.leaf_length);
        let read = read.map_err(|error| match error {
            DeviceError::SourceEnds { given, .. } => DeviceError::SourceEnds {
                given: self.elements as u64 + given,
                expected: self.elements as u64 + self.left * self.leaf_length as u64,
            },
            error => error,
        })?;
        (self.parameters.check_elements(&read)).map_err(|error| error.after(self.elements))?;
        self.left -= leaves as u64;
        self.elements += read.len();
        Ok(read)
    }
}

/// Checks that each of `inputs` has as many elements as a hash of `parameters` takes, all below the
/// prime.
///
/// # Errors
///
/// When one has not. The index of an element counts through all inputs.
pub fn check_inputs(parameters: &AnyParameters, inputs: &[Vec<Word>]) -> Result<(), DeviceError> {
    check_lengths(parameters, inputs, parameters.inputs(), |index, length| {
        DeviceError::InputLength {
            index,
            length,
            expected: parameters.inputs(),
        }
    })
}

/// Checks that each of `states` has as many elements as the state of `parameters`, all below the
/// prime.
///
/// # Errors
///
/// When one has not. The index of an element counts through all states.
pub fn check_states(parameters: &AnyParameters, states: &[Vec<Word>]) -> Result<(), DeviceError> {
    check_lengths(parameters, states, parameters.width(), |index, length| {
        DeviceError::StateLength {
            index,
            length,
            width: parameters.width(),
        }
    })
}

/// Checks that all of `rows` have the same number of elements, all below the prime of `parameters`.
///
/// # Errors
///
/// When one has not. The index of an element counts through all rows.
pub fn check_rows(parameters: &AnyParameters, rows: &[Vec<Word>]) -> Result<(), DeviceError> {
    let expected = rows.first().map_or(0, Vec::len);
    check_lengths(parameters, rows, expected, |index, length| {
        DeviceError::RowLength {
            index,
            length,
            expected,
        }
    })
}

fn check_lengths(
    parameters: &AnyParameters,
    lists: &[Vec<Word>],
    expected: usize,
    wrong_length: impl Fn(usize, usize) -> DeviceError,
) -> Result<(), DeviceError> {
    for (number, list) in lists.iter().enumerate() {
        if list.len() != expected {
            return Err(wrong_length(number, list.len()));
        }
        (parameters.check_elements(list)).map_err(|error| error.after(number * expected))?;
    }
    Ok(())
}

/// The result of a commitment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitReport {
    /// The nodes of the top level, padding included: the root alone, or the cap. The elements of each.
    pub cap: Vec<Vec<Word>>,
    /// Number of leaves, without padding.
    pub leaves: u64,
    /// Number of hashes, those of the leaves included.
    pub hashes: u64,
    /// Performance counters, where the device has them.
    pub counters: Option<Counters>,
    /// What each device did, where [several](crate::several) worked together; otherwise nothing.
    pub devices: Vec<DeviceShare>,
}

/// What one of several devices did for a commitment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DeviceShare {
    /// Name of the device.
    pub device: String,
    /// Sub-trees that it finished.
    pub sub_trees: u64,
    /// Whether it joined the top of the tree.
    pub joined_top: bool,
    /// Clock cycles of what it finished, one run after the other, where it counts them.
    pub cycles: Option<u64>,
    /// Where in the tree it failed, and why, if it did; another device did that part again.
    pub failed: Option<String>,
}

impl CommitReport {
    /// The elements of the first node of the top level: the root, if there is no cap.
    pub fn root(&self) -> &[Word] {
        self.cap.first().map_or(&[], Vec::as_slice)
    }

    /// Clock cycles from start to done, where the device counts them.
    pub fn cycles(&self) -> Option<u64> {
        self.counters.as_ref().map(|counters| counters.cycles)
    }
}

/// The result of many separate hashes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HashReport {
    /// The digests, in the order of the inputs: the elements of each.
    pub digests: Vec<Vec<Word>>,
    /// Performance counters, where the device has them.
    pub counters: Option<Counters>,
}

impl HashReport {
    /// Clock cycles from start to done, where the device counts them.
    pub fn cycles(&self) -> Option<u64> {
        self.counters.as_ref().map(|counters| counters.cycles)
    }
}

/// The result of many separate permutations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PermuteReport {
    /// The states after the permutation, in the order of those before it.
    pub states: Vec<Vec<Word>>,
    /// Performance counters, where the device has them.
    pub counters: Option<Counters>,
}

impl PermuteReport {
    /// Clock cycles from start to done, where the device counts them.
    pub fn cycles(&self) -> Option<u64> {
        self.counters.as_ref().map(|counters| counters.cycles)
    }
}

/// Values of the performance counters of a chip after a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counters {
    /// Cycles from start to done.
    pub cycles: u64,
    /// Cycle, counted from start, in which the first input word was taken.
    pub cycle_first_in: u64,
    /// Cycle in which the last input word was taken.
    pub cycle_last_in: u64,
    /// Cycle in which the first leaf left the leaf hash engine.
    pub cycle_first_leaf: u64,
    /// Cycle in which the last leaf left the leaf hash engine.
    pub cycle_last_leaf: u64,
    /// Cycle in which the first output word left.
    pub cycle_first_out: u64,
    /// Cycle in which the last output word left.
    pub cycle_last_out: u64,
    /// Cycles of the window in which sub-engines are counted as busy, see
    /// [`CommitRequest::window`].
    pub window_cycles: u64,
    /// Cycles in which an input word waited.
    pub stall_in: u64,
    /// Cycles in which an input word was due and none was there.
    pub missing_in: u64,
    /// Cycles in which a leaf waited for room in the tree or at the output.
    pub stall_leaf: u64,
    /// Cycles in which the root hash engine had no group of siblings to hash.
    pub starved_root: u64,
    /// Cycles in which an output word waited.
    pub stall_out: u64,
    /// Most words that the node memory held at a time.
    pub high_water: u64,
    /// The leaf hash engine.
    pub leaf: EngineCounters,
    /// The root hash engine.
    pub root: EngineCounters,
    /// Hash engines 2 and more, where a chip has them; the leaf hash engine and the root hash engine are 0 and 1.
    pub more: Vec<EngineCounters>,
}

/// Values of the performance counters of one hash engine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct EngineCounters {
    /// Permutations begun.
    pub hashes: u64,
    /// Cycles in which the first full-round sub-engine was occupied by a round.
    pub busy_full: u64,
    /// The same for the second full-round sub-engine, 0 where there is none.
    pub busy_full_last: u64,
    /// The same for each partial-round sub-engine that the chip has.
    pub busy_partial: Vec<u64>,
}

impl Counters {
    /// Cycles from the first word in to the last word out.
    pub fn span(&self) -> u64 {
        self.cycle_last_out.saturating_sub(self.cycle_first_in)
    }

    /// The counters of every hash engine that a chip with `count` of them has, by its number.
    pub fn engines(&self, count: usize) -> impl Iterator<Item = &EngineCounters> {
        [&self.leaf, &self.root]
            .into_iter()
            .chain(&self.more)
            .take(count)
    }

    /// Adds the counters of a run after these ones: cycles and events are added up, first times stay, last
    /// times are those of the new run.
    pub fn append(&mut self, run: Self) {
        let before = self.cycles;
        self.cycles += run.cycles;
        self.cycle_last_in = before + run.cycle_last_in;
        self.cycle_last_leaf = before + run.cycle_last_leaf;
        self.cycle_last_out = before + run.cycle_last_out;
        self.window_cycles += run.window_cycles;
        self.stall_in += run.stall_in;
        self.missing_in += run.missing_in;
        self.stall_leaf += run.stall_leaf;
        self.starved_root += run.starved_root;
        self.stall_out += run.stall_out;
        self.high_water = self.high_water.max(run.high_water);
        self.more
            .resize_with(self.more.len().max(run.more.len()), Default::default);
        let first = [(&mut self.leaf, run.leaf), (&mut self.root, run.root)];
        for (total, run) in (first.into_iter()).chain(self.more.iter_mut().zip(run.more)) {
            let partial = total.busy_partial.len().max(run.busy_partial.len());
            total.busy_partial.resize(partial, 0);
            total.hashes += run.hashes;
            total.busy_full += run.busy_full;
            total.busy_full_last += run.busy_full_last;
            for (total, run) in total.busy_partial.iter_mut().zip(run.busy_partial) {
                *total += run;
            }
        }
    }

    /// Appends the counters of a run to those of the runs before it, if there were any.
    pub(crate) fn append_to(counters: &mut Option<Self>, run: Self) {
        match counters {
            Some(total) => total.append(run),
            None => *counters = Some(run),
        }
    }
}

impl EngineCounters {
    /// Cycles in which the busiest sub-engine was occupied: hashes times the period of the engine.
    pub fn busiest(&self) -> u64 {
        let full = self.busy_full.max(self.busy_full_last);
        self.busy_partial.iter().copied().fold(full, u64::max)
    }

    /// How busy the engine was in `cycles` cycles, from 0 to 1: hashes times its period / cycles, the
    /// share of cycles in which the busiest sub-engine was occupied.
    pub fn utilisation(&self, cycles: u64) -> f64 {
        self.busiest() as f64 / cycles.max(1) as f64
    }
}

/// How a hash engine of a chip runs a parameter set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct EnginePlan {
    /// Full-round sub-engines of the hash engine.
    pub num_full: usize,
    /// Partial-round sub-engines of the hash engine.
    pub num_partial: usize,
    /// Cycles that a hash occupies the busiest sub-engine: the steady-state cycles per hash.
    pub period: u64,
    /// Multiplications and squarings of field elements that a hash needs.
    pub products: u64,
    /// Multipliers and squarers for field elements that the hash engine has.
    pub multipliers: u64,
}

impl EnginePlan {
    /// Cycles per hash if no multiplier ever waited: no machine with these multipliers is faster.
    pub fn multiplier_bound(&self) -> f64 {
        self.products as f64 / self.multipliers as f64
    }

    /// How busy the engine was that began `hashes` permutations in `cycles` cycles, from 0 to 1: a hash
    /// occupies the busiest sub-engine for the period.
    pub fn utilisation(&self, hashes: u64, cycles: u64) -> f64 {
        (hashes * self.period) as f64 / cycles.max(1) as f64
    }
}

/// Is told how far a run is.
pub trait Progress {
    /// `done` of `total` hashes are finished. `done` never falls during a run.
    fn report(&mut self, done: u64, total: u64);
}

/// Ignores the progress.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoProgress;

impl Progress for NoProgress {
    fn report(&mut self, _done: u64, _total: u64) {}
}

impl<F: FnMut(u64, u64)> Progress for F {
    fn report(&mut self, done: u64, total: u64) {
        self(done, total);
    }
}

/// What became of what a device kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Zeroisation {
    /// It was overwritten, and the device says so.
    Complete,
    /// The device keeps nothing between runs. Memory of this program that it used may still hold values.
    NothingKept,
}

/// A device that hashes and commits to data.
pub trait Device {
    /// A short name for reports, such as `software`.
    fn name(&self) -> &str;

    /// Says whether the device can compute with `parameters`.
    ///
    /// # Errors
    ///
    /// When it cannot; the error gives the reason.
    fn supports(&self, parameters: &AnyParameters) -> Result<(), Unsupported>;

    /// What is worth knowing before a computation with `parameters`, one sentence each: what it
    /// costs on this device, and warnings about the security of the parameters.
    fn notes(&self, parameters: &AnyParameters) -> Vec<String> {
        parameters.warnings()
    }

    /// How the hash engines of the device run the hash of `parameters`; `None` for devices that
    /// have no such engines.
    ///
    /// # Errors
    ///
    /// When the device cannot compute with `parameters`; the error gives the reason.
    fn engine_plan(&self, parameters: &AnyParameters) -> Result<Option<EnginePlan>, Unsupported> {
        self.supports(parameters).map(|()| None)
    }

    /// Hash engines of a chip, where the device is one.
    fn num_engines(&self) -> Option<usize> {
        None
    }

    /// Bytes of the memory in which the nodes of a tree wait for their siblings; `None` for devices that
    /// have no such memory, or do not know it yet.
    fn node_memory_bytes(&self) -> Option<u64> {
        None
    }

    /// What is worth knowing before the run of `request`, one sentence each: why it takes longer than
    /// others would.
    fn commit_notes(&mut self, _request: &CommitRequest<'_>) -> Vec<String> {
        Vec::new()
    }

    /// How long the run of `request` takes, roughly, for a word to the user; `None` where that is not
    /// known. The device may compute a little to find out.
    fn commit_time(&mut self, _request: &CommitRequest<'_>) -> Option<Duration> {
        None
    }

    /// How long it takes, roughly, to compute `hashes` hashes of `parameters` in `runs` runs one after
    /// another; as [`commit_time`](Device::commit_time).
    fn hash_time(
        &mut self,
        _parameters: &AnyParameters,
        _runs: u64,
        _hashes: u64,
    ) -> Option<Duration> {
        None
    }

    /// Ends what the device writes beside its results, such as a waveform; returns what is worth
    /// knowing about it, one sentence each.
    ///
    /// # Errors
    ///
    /// When it could not be written.
    fn finish(&mut self) -> Result<Vec<String>, DeviceError> {
        Ok(Vec::new())
    }

    /// Overwrites what the device keeps between runs of leaves, of nodes and of parameters; a run that was
    /// aborted leaves something, too. The next computation loads again what it needs.
    ///
    /// # Errors
    ///
    /// When the device does not say that all is gone.
    fn zeroise(&mut self) -> Result<Zeroisation, DeviceError> {
        Ok(Zeroisation::NothingKept)
    }

    /// Has each of its hash engines make hashes whose digests are known, which every sub-engine works on.
    ///
    /// # Errors
    ///
    /// When a digest is wrong, a sub-engine did nothing, or a run failed.
    fn self_test(&mut self) -> Result<SelfTest, DeviceError> {
        Ok(SelfTest::default())
    }

    /// Whether results are computed. Those of a device that only counts cycles mean nothing.
    fn computes(&self) -> bool {
        true
    }

    /// Computes the root or the cap that `request` asks for, from the leaves of `source`. The nodes
    /// that `nodes` wants, up to the top level, go there as they are made.
    ///
    /// # Errors
    ///
    /// When the request is wrong or not supported, the source or the sink fails, or the device does.
    fn commit(
        &mut self,
        request: &CommitRequest<'_>,
        source: &mut dyn LeafSource,
        nodes: &mut dyn NodeSink,
        progress: &mut dyn Progress,
    ) -> Result<CommitReport, DeviceError>;

    /// As [`commit`](Device::commit), on a device that only counts cycles. Nothing where it would simulate more than
    /// about `leaves` leaves, as the tree does not repeat itself often enough to count the others by these.
    ///
    /// # Errors
    ///
    /// As [`commit`](Device::commit).
    fn count_within(
        &mut self,
        request: &CommitRequest<'_>,
        _leaves: u64,
        progress: &mut dyn Progress,
    ) -> Result<Option<CommitReport>, DeviceError> {
        self.commit(request, &mut Zeros, &mut NoNodes, progress)
            .map(Some)
    }

    /// Hands over what happens when on the device in the run of `request`, a tree of more than one leaf, whose
    /// leaves do not matter but for their number. Returns the cycles of the run.
    ///
    /// # Errors
    ///
    /// When the request is wrong or not supported, the device records no timelines or does not fold the
    /// tree in one run, or the device or `sink` fails.
    fn timeline(
        &mut self,
        _request: &CommitRequest<'_>,
        _sink: &mut dyn TimelineSink,
        _progress: &mut dyn Progress,
    ) -> Result<u64, DeviceError> {
        Err(Unsupported {
            device: self.name().to_owned(),
            reason: NO_TIMELINE.to_owned(),
        }
        .into())
    }

    /// Computes the digest of each of `inputs`, every one of as many canonical field elements as a
    /// hash of `parameters` takes.
    ///
    /// # Errors
    ///
    /// When an input is wrong, the parameters are not supported, or the device fails.
    fn hash(
        &mut self,
        parameters: &AnyParameters,
        inputs: &[Vec<Word>],
        progress: &mut dyn Progress,
    ) -> Result<HashReport, DeviceError>;

    /// Hashes `rows`, messages of one length of canonical field elements, with `sponge` over the
    /// permutation of `parameters`; `None` when the device has no way of its own to do so, and the
    /// caller is to absorb the rows with [`Device::permute`].
    ///
    /// # Errors
    ///
    /// When the parameters are not supported, or the device fails.
    fn hash_rows(
        &mut self,
        _parameters: &AnyParameters,
        _sponge: &Sponge,
        _rows: &[Vec<Word>],
        _progress: &mut dyn Progress,
    ) -> Result<Option<HashReport>, DeviceError> {
        Ok(None)
    }

    /// Applies the permutation of `parameters` to each of `states`, every one of as many canonical
    /// field elements as the state is wide. The initial state and the positions of inputs and
    /// digest do not count.
    ///
    /// # Errors
    ///
    /// When a state is wrong, the parameters are not supported, or the device fails.
    fn permute(
        &mut self,
        parameters: &AnyParameters,
        states: &[Vec<Word>],
        progress: &mut dyn Progress,
    ) -> Result<PermuteReport, DeviceError>;
}

/// Why a device has no timeline to give.
pub(crate) const NO_TIMELINE: &str = "it records no timeline; use the simulated chip or its model";

#[cfg(test)]
mod tests {
    use super::*;
    use acclmt_poseidon::presets;
    use acclmt_poseidon::word;

    fn shape(preset: &str, leaves: u64) -> Result<TreeShape, String> {
        let parameters = presets::by_name(preset).unwrap();
        CommitRequest::new(parameters, LeafRule::Digest, leaves)
            .shape()
            .map_err(|error| error.to_string())
    }

    #[test]
    fn leaf_counts_must_be_powers_of_the_arity() {
        for (preset, arity) in [("filecoin-arity-4", 4_u64), ("plonky2", 2)] {
            for height in 0..4 {
                let shape = shape(preset, arity.pow(height)).unwrap();
                assert_eq!((shape.height(), shape.is_padded()), (height, false));
            }
        }
        for (leaves, next) in [(2, 4), (5, 16), (17, 64)] {
            let message = shape("filecoin-arity-4", leaves).unwrap_err();
            assert!(
                message.starts_with(&format!("{leaves} leaves"))
                    && message.ends_with(&format!("power of 4, the next one is {next}")),
                "{message}"
            );
        }
        assert!(shape("plonky2", 0).unwrap_err().contains("no leaves"));
        let message = shape("filecoin-arity-1", 2).unwrap_err();
        assert!(message.contains("takes 1 field elements"), "{message}");
        assert_eq!(shape("filecoin-arity-1", 1).unwrap().height(), 0);
    }

    #[test]
    fn requests_that_make_no_sense_are_refused() {
        let [filecoin, plonky2, dusk] =
            ["filecoin-arity-2", "plonky2", "dusk"].map(|name| presets::by_name(name).unwrap());
        let refused = |request: &CommitRequest<'_>| request.shape().unwrap_err().to_string();
        let hash = |leaf| CommitRequest::new(filecoin, leaf, 4);
        let message = refused(&hash(LeafRule::Hash(plonky2)));
        assert!(message.contains("'plonky2' makes no leaves"), "{message}");
        assert!(hash(LeafRule::Hash(dusk)).shape().is_ok());
        let rows = |parameters, columns| {
            hash(LeafRule::Row {
                parameters,
                columns,
            })
        };
        assert!(refused(&rows(dusk, 0)).contains("0 columns, expected 1 to 262144"));
        let message = refused(&rows(dusk, MAX_COLUMNS + 1));
        assert!(message.contains("262145 columns"), "{message}");
        let mut request = rows(dusk, MAX_COLUMNS);
        request.leaves = 1 << 62;
        assert!(refused(&request).contains("more than 2^58 elements"));
        let starknet = presets::by_name("circom-bn254-arity-2").unwrap();
        let request = CommitRequest::new(
            starknet,
            LeafRule::Row {
                parameters: starknet,
                columns: 3,
            },
            4,
        );
        assert!(refused(&request).contains("has no sponge"));
        let mut request = hash(LeafRule::Digest);
        request.cap_height = 3;
        assert!(refused(&request).contains("cap of height 3 is higher"));
        request.cap_height = 0;
        request.height = Some(1);
        assert!(refused(&request).contains("height of at least 2"));
        request.height = Some(70);
        assert!(refused(&request).contains("has 2^63 leaves or more"));
        let value = [word::from_u64(1); 2];
        request.height = Some(3);
        assert!(refused(&request).contains("4 leaves do not fill"));
        request.padding = Padding::SubTree(&value);
        assert!(refused(&request).contains("the padding has 2 field elements"));
        let prime = [filecoin.prime()];
        request.padding = Padding::Leaf(&prime);
        assert!(refused(&request).contains("not below the prime"));
        request.padding = Padding::Leaf(&value[..1]);
        let shape = request.shape().unwrap();
        assert_eq!((shape.height(), shape.nodes(1), shape.nodes(3)), (3, 2, 1));
    }

    #[test]
    fn kinds_of_leaves_are_read_as_they_are_printed() {
        for (text, kind) in [
            ("element", LeafKind::Digest),
            ("hash", LeafKind::Hash),
            ("row=1", LeafKind::Row(1)),
            ("row=262144", LeafKind::Row(MAX_COLUMNS)),
        ] {
            assert_eq!(text.parse(), Ok(kind));
            assert_eq!(kind.to_string(), text);
        }
        assert_eq!("digest".parse(), Ok(LeafKind::Digest));
        let large = format!("row={}", "9".repeat(1000));
        for (text, part) in [
            ("", "'' is no kind of leaves"),
            (
                "rows=4",
                "'rows=4' is no kind of leaves, expected element, hash or row=C",
            ),
            ("row=", "'' is no number of columns"),
            ("row=0", "'0' is no number of columns, expected 1 to 262144"),
            ("row=+5", "'+5'"),
            ("row=262145", "'262145'"),
            ("row=9223372036854775807", "'9223372036854775807'"),
            (&large, "999... (1000 characters)"),
        ] {
            let message = text.parse::<LeafKind>().unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
        }
    }

    /// A source that ends early says how much is missing of all leaves, not of one read.
    #[test]
    fn missing_elements_are_counted_in_all() {
        let parameters = presets::by_name("filecoin-arity-2").unwrap();
        let words = vec![[0; 32]; 10];
        let request = CommitRequest::new(parameters, LeafRule::Digest, 1 << 25);
        let mut source = WordSource(&words);
        let mut reader = LeafReader::new(&request, &mut source);
        reader.next(8).unwrap();
        let message = reader.next(8).unwrap_err().to_string();
        assert_eq!(
            message,
            "the input ends 33554422 field elements early: it has 10 of the 33554432 that the leaves \
             need"
        );
    }

    #[test]
    fn elements_must_be_below_the_prime() {
        for preset in ["filecoin-arity-4", "plonky2"] {
            let parameters = presets::by_name(preset).unwrap();
            let mut words = vec![[0; 32]; 64];
            words[17] = parameters.prime();
            let request = CommitRequest::new(
                parameters,
                LeafRule::Digest,
                (64 / parameters.digest_length()) as u64,
            );
            let mut source = WordSource(&words);
            let mut reader = LeafReader::new(&request, &mut source);
            let whole = 16 / parameters.digest_length();
            assert_eq!(reader.next(whole).unwrap().len(), 16);
            let message = reader.next(whole).unwrap_err().to_string();
            let prime = word::to_hex(&parameters.prime());
            assert!(
                message.starts_with(&format!(
                    "element 17 is {prime}, not below the prime {prime} of {}; ",
                    parameters.field()
                )),
                "{message}"
            );
            let lists = |length| -> Vec<_> { words.chunks(length).map(<[Word]>::to_vec).collect() };
            let message = |result: Result<(), DeviceError>| result.unwrap_err().to_string();
            let error = message(check_inputs(parameters, &lists(parameters.inputs())));
            assert!(error.starts_with("element 17 is"), "{error}");
            let width = parameters.width();
            let error = message(check_states(parameters, &lists(width)[..4]));
            assert!(error.starts_with("element 17 is"), "{error}");
            let error = message(check_inputs(parameters, &[vec![[0; 32]; 3]]));
            assert!(error.starts_with("input 0 has 3"), "{error}");
            let error = message(check_states(parameters, &[vec![[0; 32]; 3]]));
            assert!(error.starts_with("state 0 has 3"), "{error}");
        }
    }

    #[test]
    fn hashes_of_a_tree() {
        let filecoin = presets::by_name("filecoin-arity-8").unwrap();
        let plonky2 = presets::by_name("plonky2").unwrap();
        let rows = |columns| LeafRule::Row {
            parameters: plonky2,
            columns,
        };
        for (parameters, leaf, expected) in [
            (filecoin, LeafRule::Hash(filecoin), 64 + 8 + 1),
            (filecoin, LeafRule::Digest, 9),
            (plonky2, LeafRule::Digest, 63),
            (plonky2, rows(4), 63),
            (plonky2, rows(5), 64 + 63),
            (plonky2, rows(135), 64 * 17 + 63),
        ] {
            let request = CommitRequest::new(parameters, leaf, 64);
            assert_eq!(request.hashes(&request.shape().unwrap()), expected);
        }
    }
}

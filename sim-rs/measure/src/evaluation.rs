//! The evaluation of the AcclMT paper, repeated with this chip: hash rates (Table I), trees (Table II and
//! figure 8), the schedule of the sub-engines (figure 5), and what its ideas are worth (sections III and
//! IV), each beside the paper's figures and those of others; and trees over wide rows, which it does not have.
//!
//! Everything is measured with the cycle-exact model, which `tb/tests/model.rs` compares with the RTL.
//! Rates and times are cycles at [`CLOCK_HZ`].

use serde::{Deserialize, Serialize};

use crate::measurement::{
    CLOCK_HZ, DEFAULT_HASHES, EngineMeasurement, MeasurementError, TreeMeasurement, engine_hashes,
    engine_plan, measure_engine, measure_tree,
};
use crate::published;
use acclmt_driver::device::{CommitRequest, Device, LeafKind, LeafRule, NoProgress, Progress};
use acclmt_driver::level_table::standard_tree;
use acclmt_driver::program::SUB_ENGINES;
use acclmt_driver::sharing::Sharing;
use acclmt_driver::timeline::{Slot, Timeline};
use acclmt_model::{Dispatch, Hardware, HardwareError, ModelDevice};
use acclmt_poseidon::fields::AnyParameters;
use acclmt_poseidon::presets::{self, UnknownPreset};

/// The preset of the paper's trees.
pub const TREE_PRESET: &str = "filecoin-arity-2";

/// The preset of the evaluation over Goldilocks.
pub const GOLDILOCKS_PRESET: &str = "plonky2";

/// The most leaves of a tree of the evaluation: those of the paper's largest.
pub const MOST_LEAVES: u64 = 1 << 23;

/// Elements of the rows that are the leaves of the trees of the evaluation over Goldilocks; Plonky2 has 135.
pub const COLUMNS: [usize; 5] = [8, 16, 100, 135, 1000];

/// The most rows of such a tree: beside so many, the begin and the end of a run hardly count.
pub const MOST_ROWS: u64 = 1 << 16;

/// Presets of the trees by which the node memory is sized, one of each arity.
const NODE_MEMORY_PRESETS: [&str; 4] = [
    "filecoin-arity-2",
    "filecoin-arity-4",
    "filecoin-arity-8",
    "filecoin-arity-11",
];

/// Words of the node memories that are compared.
pub const NODE_MEMORY_WORDS: [u32; 6] = [64, 128, 256, 512, 1024, 2048];

/// The most leaves of such a tree: beyond the first standard tree the engines are in their steady state.
const MOST_NODE_MEMORY_LEAVES: u64 = 1 << 15;

/// Full-round and partial-round sub-engines of the default hash engine.
pub const DEFAULT_ENGINE: (usize, usize) = (1, 4);

/// The most leaves of a tree without merger; by then nothing changes any more.
const MOST_UNMERGED_LEAVES: u64 = 1 << 20;

/// Leaves of the tree whose schedule is shown, and the first and the last cycle of what is shown.
const SCHEDULE_LEAVES: u64 = 1024;

/// Hashes whose way through the engine is shown.
const SCHEDULE_HASHES: usize = 72;

/// Engines whose schedule is shown, and the cycles of the steady state that are.
const SCHEDULES: [(usize, usize, u64); 3] = [(1, 4, 96), (1, 1, 96), (2, 0, 2400)];

/// In a stretch of more cycles than this, rounds of the same kind that follow each other are one.
const MOST_SLOTS: u64 = 200;

/// Why there is no evaluation.
#[derive(Debug, thiserror::Error)]
pub enum EvaluationError {
    /// A preset is missing.
    #[error(transparent)]
    Preset(#[from] UnknownPreset),
    /// A chip cannot be built.
    #[error(transparent)]
    Hardware(#[from] HardwareError),
    /// A run failed.
    #[error("{what}: {cause}")]
    Run {
        /// The run.
        what: String,
        /// Why it failed.
        cause: MeasurementError,
    },
    /// A figure is none that can be measured.
    #[error("{what} is {value}, which cannot have been measured")]
    Figure {
        /// The figure.
        what: String,
        /// Its value.
        value: f64,
    },
}

/// All that was measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Evaluation {
    /// Version of this program.
    pub version: String,
    /// What the user says about it, such as a commit.
    pub label: Option<String>,
    /// The clock rate of rates and times, in Hz.
    pub clock_hz: u64,
    /// Hash engines.
    pub engines: Vec<Engine>,
    /// Trees of arity 2.
    pub trees: Vec<TreeMeasurement>,
    /// The same without merging the minor aggregation.
    pub unmerged: Vec<TreeMeasurement>,
    /// Trees whose leaves are rows of Goldilocks elements.
    #[serde(default)]
    pub wide_rows: Vec<WideRows>,
    /// The same trees with node memories of several sizes.
    #[serde(default)]
    pub node_memories: Vec<NodeMemory>,
    /// What each sub-engine does when.
    pub schedules: Vec<Schedule>,
    /// Other libraries on a CPU, if they were measured.
    pub peers: Option<Peers>,
    /// Runs through the DMA, if they were measured.
    #[serde(default)]
    pub dma: Option<DmaRuns>,
}

/// A hash engine in its steady state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Engine {
    /// The parameter set.
    pub preset: String,
    /// Children of a node.
    pub arity: usize,
    /// Full-round sub-engines.
    pub num_full: usize,
    /// Partial-round sub-engines.
    pub num_partial: usize,
    /// Multipliers and squarers for elements.
    pub multipliers: u64,
    /// Hashes a second at [`CLOCK_HZ`].
    pub hash_rate: f64,
    /// What was measured.
    #[serde(flatten)]
    pub measurement: EngineMeasurement,
}

/// A tree on two shared hash engines with a node memory of some size; its leaves are hashed with the parameter set of its
/// nodes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NodeMemory {
    /// The parameter set.
    pub preset: String,
    /// Children of a node.
    pub arity: usize,
    /// Words of the node memory.
    pub words: u32,
    /// How busy the hash engines are on average, from the last leaf of the first standard tree to the last leaf, or in the
    /// whole run of a smaller tree; from 0 to 1.
    pub utilisation: f64,
    /// What was measured.
    #[serde(flatten)]
    pub tree: TreeMeasurement,
}

/// A tree whose leaves are rows of elements, each the digest of a sponge.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WideRows {
    /// The parameter set.
    pub preset: String,
    /// Elements of a row.
    pub columns: usize,
    /// Permutations that a row takes.
    pub permutations: u64,
    /// Rows a second at [`CLOCK_HZ`], of the whole run.
    pub row_rate: f64,
    /// Elements of rows a second at [`CLOCK_HZ`], of the whole run.
    pub element_rate: f64,
    /// The same tree where every hash engine takes rows and nodes, if it was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shared: Option<TreeMeasurement>,
    /// What was measured: a leaf is a row.
    #[serde(flatten)]
    pub tree: TreeMeasurement,
}

/// What the sub-engines of a leaf hash engine do when.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Schedule {
    /// The parameter set.
    pub preset: String,
    /// Full-round sub-engines.
    pub num_full: usize,
    /// Partial-round sub-engines.
    pub num_partial: usize,
    /// Visits of the first hashes.
    pub visits: Vec<Visit>,
    /// First cycle of the stretch of the steady state.
    pub from: u64,
    /// Its cycles.
    pub cycles: u64,
    /// Slots within the stretch.
    pub slots: Vec<SlotOf>,
}

impl Schedule {
    /// Whether each of its slots is one of the machine.
    pub fn is_by_slots(&self) -> bool {
        self.cycles <= MOST_SLOTS
    }
}

/// The stay of a hash in a sub-engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Visit {
    /// Number of the hash.
    pub hash: usize,
    /// The sub-engine: 0 and 7 the full-round sub-engines, 1 to 6 the partial-round sub-engines.
    pub sub_engine: usize,
    /// Whether it is the visit of the last full rounds.
    pub last: bool,
    /// First cycle.
    pub begin: u64,
    /// The cycle after the slot of its last round.
    pub end: u64,
}

/// A slot of a sub-engine, or several of the same kind, see [`Schedule::is_by_slots`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SlotOf {
    /// The sub-engine, as in [`Visit`].
    pub sub_engine: usize,
    /// First cycle.
    pub begin: u64,
    /// Its cycles.
    pub cycles: u64,
    /// Whether it is a partial round, or the pass behind a recurrence.
    pub partial: bool,
    /// Whether it belongs to the visit of the last full rounds.
    pub last: bool,
}

/// What the program `dma_utilisation` of `acclmt-tb` prints: trees on the RTL of the default chip with DMA, beside a
/// memory that answers late.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DmaRuns {
    /// Bits of a beat of the memory's bus.
    pub beat_bits: usize,
    /// The runs.
    pub runs: Vec<DmaRun>,
}

/// A tree whose leaves the DMA read and all of whose nodes it wrote.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DmaRun {
    /// The parameter set.
    pub preset: String,
    /// Children of a node.
    pub arity: usize,
    /// Number of leaves, each a hash.
    pub leaves: u64,
    /// Cycles from the address of a read to its first beat, and from the last beat of a write to its answer.
    pub latency_cycles: u64,
    /// Cycles of the run, from start to done.
    pub cycles: u64,
    /// The same of the bare core.
    pub bare_cycles: u64,
    /// Utilisation of the leaf hash engine from the first word in to the last leaf, from 0 to 1.
    pub utilisation: f64,
    /// The same of the bare core.
    pub bare_utilisation: f64,
}

/// What `acclmt-bench-peers --json` writes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Peers {
    /// The machine.
    pub machine: Machine,
    /// Hashes.
    pub hashes: Vec<PeerHash>,
    /// Trees.
    #[serde(default)]
    pub trees: Vec<PeerTree>,
}

/// The machine on which peers were measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// Model of the processor.
    pub cpu: String,
    /// Its threads.
    pub threads: usize,
    /// Version of the compiler.
    #[serde(default)]
    pub rustc: Option<String>,
}

/// The speed of a library's hash.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PeerHash {
    /// The library.
    pub library: String,
    /// Its version.
    pub version: String,
    /// The parameter set, by our name.
    pub preset: String,
    /// Children of a node.
    pub arity: usize,
    /// Threads that hashed.
    pub threads: usize,
    /// Nanoseconds per hash, of all threads together.
    pub nanoseconds_per_hash: f64,
    /// Whether its constants are those of the parameter set; if not, the work is the same all the same.
    #[serde(default = "same_constants")]
    pub same_constants: bool,
}

const fn same_constants() -> bool {
    true
}

/// The time of a library's tree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PeerTree {
    /// The library.
    pub library: String,
    /// The parameter set, by our name.
    pub preset: String,
    /// Number of leaves, each a hash.
    pub leaves: u64,
    /// Threads that hashed.
    pub threads: usize,
    /// Milliseconds.
    pub milliseconds: f64,
}

impl Evaluation {
    /// Checks that all figures are some that can be measured: numbers above 0, shares from 0 on.
    ///
    /// # Errors
    ///
    /// Names the first one that is not.
    pub fn check(&self) -> Result<(), EvaluationError> {
        positive("the clock rate", self.clock_hz as f64)?;
        for engine in &self.engines {
            let of = |what: &str| {
                format!(
                    "{what} of {} on {} + {}",
                    engine.preset, engine.num_full, engine.num_partial
                )
            };
            let found = &engine.measurement;
            for (what, value) in [
                ("hash_rate", engine.hash_rate),
                ("cycles_per_hash", found.cycles_per_hash),
                ("latency_cycles", found.latency_cycles as f64),
                ("multiplier_utilisation", found.multiplier_utilisation),
            ] {
                positive(&of(what), value)?;
            }
        }
        for tree in self.trees.iter().chain(&self.unmerged) {
            check_tree(tree, |what| format!("{what} of {} leaves", tree.leaves))?;
        }
        for rows in &self.wide_rows {
            let of = |what: &str| format!("{what} of rows of {} elements", rows.columns);
            for (what, value) in [
                ("columns", rows.columns as f64),
                ("permutations", rows.permutations as f64),
                ("row_rate", rows.row_rate),
                ("element_rate", rows.element_rate),
            ] {
                positive(&of(what), value)?;
            }
            check_tree(&rows.tree, of)?;
            if let Some(shared) = &rows.shared {
                check_tree(shared, |what| of(&format!("{what}, shared,")))?;
            }
        }
        for memory in &self.node_memories {
            let of =
                |what: &str| format!("{what} of arity {} in {} words", memory.arity, memory.words);
            positive(&of("words"), memory.words.into())?;
            positive(&of("utilisation"), memory.utilisation)?;
            check_tree(&memory.tree, of)?;
        }
        self.dma.as_ref().map_or(Ok(()), DmaRuns::check)?;
        self.peers.as_ref().map_or(Ok(()), Peers::check)
    }
}

impl DmaRuns {
    /// Checks that all figures are above 0.
    ///
    /// # Errors
    ///
    /// Names the first one that is not.
    pub fn check(&self) -> Result<(), EvaluationError> {
        positive("beat_bits", self.beat_bits as f64)?;
        for run in &self.runs {
            let of = |what: &str| format!("{what} of {} through DMA", run.preset);
            for (what, value) in [
                ("leaves", run.leaves as f64),
                ("latency_cycles", run.latency_cycles as f64),
                ("cycles", run.cycles as f64),
                ("bare_cycles", run.bare_cycles as f64),
                ("utilisation", run.utilisation),
                ("bare_utilisation", run.bare_utilisation),
            ] {
                positive(&of(what), value)?;
            }
        }
        Ok(())
    }
}

impl Peers {
    /// Checks that all times are above 0.
    ///
    /// # Errors
    ///
    /// Names the first one that is not.
    pub fn check(&self) -> Result<(), EvaluationError> {
        for hash in &self.hashes {
            let what = format!(
                "nanoseconds_per_hash of {} for {}",
                hash.library, hash.preset
            );
            positive(&what, hash.nanoseconds_per_hash)?;
        }
        for tree in &self.trees {
            let what = format!(
                "milliseconds of {} for {} leaves",
                tree.library, tree.leaves
            );
            positive(&what, tree.milliseconds)?;
            positive("the number of leaves", tree.leaves as f64)?;
        }
        Ok(())
    }
}

/// Checks the figures of a tree, of which `of` makes names.
fn check_tree(tree: &TreeMeasurement, of: impl Fn(&str) -> String) -> Result<(), EvaluationError> {
    positive("the number of leaves", tree.leaves as f64)?;
    positive(&of("cycles"), tree.cycles as f64)?;
    positive(&of("cycles_per_leaf"), tree.cycles_per_leaf)?;
    positive(&of("milliseconds_at_500_mhz"), tree.milliseconds_at_500_mhz)?;
    let steady = tree.steady.iter();
    let shares = [tree.lhe_utilisation, tree.rhe_utilisation].into_iter();
    for share in shares.chain(steady.flat_map(|it| [it.lhe_utilisation, it.rhe_utilisation])) {
        not_negative(&of("utilisation"), share)?;
    }
    Ok(())
}

fn positive(what: &str, value: f64) -> Result<(), EvaluationError> {
    if value > 0.0 && value.is_finite() {
        return Ok(());
    }
    let what = what.to_owned();
    Err(EvaluationError::Figure { what, value })
}

fn not_negative(what: &str, value: f64) -> Result<(), EvaluationError> {
    positive(what, if value == 0.0 { 1.0 } else { value })
}

/// Measures everything; trees have up to `most_leaves` leaves, a power of two. Progress is counted in hashes.
///
/// # Errors
///
/// When a run fails.
pub fn evaluate(
    most_leaves: u64,
    progress: &mut dyn Progress,
) -> Result<Evaluation, EvaluationError> {
    let mut work = Work::new(most_leaves, progress)?;
    let mut engines = Vec::new();
    for parameters in engine_presets()? {
        for (num_full, num_partial) in ENGINES {
            engines.push(engine(parameters, num_full, num_partial)?);
            work.done(ENGINE_WORK);
        }
    }
    let mut trees = Vec::new();
    let mut unmerged = Vec::new();
    for (dispatch, most, rows) in [
        (Dispatch::DeepestFirst, MOST_LEAVES, &mut trees),
        (Dispatch::TreeByTree, MOST_UNMERGED_LEAVES, &mut unmerged),
    ] {
        for leaves in sizes(most_leaves.min(most)) {
            rows.push(tree(leaves, dispatch)?);
            work.done(2 * leaves);
        }
    }
    let mut wide_rows = Vec::new();
    for columns in COLUMNS {
        let rows = tree_of_rows(columns, most_leaves.min(MOST_ROWS))?;
        work.done(2 * (rows.permutations + 1) * rows.tree.leaves);
        wide_rows.push(rows);
    }
    let mut node_memories = Vec::new();
    for preset in NODE_MEMORY_PRESETS {
        let request = node_memory_request(preset, most_leaves)?;
        for words in NODE_MEMORY_WORDS {
            node_memories.push(node_memory(&request, words)?);
            work.done(2 * request.leaves);
        }
    }
    let mut schedules = Vec::new();
    for (num_full, num_partial, cycles) in SCHEDULES {
        schedules.push(schedule(num_full, num_partial, cycles)?);
    }
    Ok(Evaluation {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        label: None,
        clock_hz: CLOCK_HZ,
        engines,
        trees,
        unmerged,
        wide_rows,
        node_memories,
        schedules,
        peers: None,
        dma: None,
    })
}

/// Engines that are measured: full-round and partial-round sub-engines. 1 + 1 are those of the paper, 2 + 0
/// those of its baseline, which is TRIDENT's.
const ENGINES: [(usize, usize); 8] = [
    (2, 0),
    (1, 1),
    (1, 2),
    (1, 3),
    (1, 4),
    (1, 5),
    (1, 6),
    (2, 4),
];

/// The work of measuring an engine beside that of a tree, in hashes.
const ENGINE_WORK: u64 = engine_hashes(DEFAULT_HASHES);

struct Work<'a> {
    progress: &'a mut dyn Progress,
    done: u64,
    total: u64,
}

impl<'a> Work<'a> {
    fn new(most_leaves: u64, progress: &'a mut dyn Progress) -> Result<Self, EvaluationError> {
        let engines = (published::HASHES.len() + 1) * ENGINES.len();
        let trees: u64 = sizes(most_leaves).map(|leaves| 2 * leaves).sum();
        let unmerged = sizes(most_leaves.min(MOST_UNMERGED_LEAVES));
        let rows = most_leaves.min(MOST_ROWS);
        let mut wide_rows = 0;
        for columns in COLUMNS {
            wide_rows += 2 * (rows_request(columns, rows)?.leaf_hashes() + 1) * rows;
        }
        let mut node_memories = 0;
        for preset in NODE_MEMORY_PRESETS {
            let leaves = node_memory_request(preset, most_leaves)?.leaves;
            node_memories += 2 * leaves * NODE_MEMORY_WORDS.len() as u64;
        }
        let total = engines as u64 * ENGINE_WORK
            + trees
            + unmerged.map(|n| 2 * n).sum::<u64>()
            + wide_rows
            + node_memories;
        progress.report(0, total);
        Ok(Self {
            progress,
            done: 0,
            total,
        })
    }

    fn done(&mut self, hashes: u64) {
        self.done += hashes;
        self.progress.report(self.done, self.total);
    }
}

fn engine_presets() -> Result<Vec<&'static AnyParameters>, EvaluationError> {
    let names = published::HASHES.iter().map(|figures| figures.preset);
    let names = names.chain([GOLDILOCKS_PRESET]);
    Ok(names.map(presets::by_name).collect::<Result<_, _>>()?)
}

/// The paper's sizes up to `most` leaves.
fn sizes(most: u64) -> impl Iterator<Item = u64> {
    let sizes = published::TREES.iter().map(|figures| figures.leaves);
    sizes.take_while(move |&leaves| leaves <= most)
}

/// A chip with so many sub-engines, and memories for the constants of any share of the rounds. The matrix memories
/// have the same content whatever the share.
fn hardware(num_full: usize, num_partial: usize) -> Hardware {
    Hardware {
        num_full,
        num_partial,
        partial_depth: 256,
        ..Hardware::default()
    }
}

fn failed<E: Into<MeasurementError>>(what: &str) -> impl Fn(E) -> EvaluationError {
    let what = what.to_owned();
    move |cause| EvaluationError::Run {
        what: what.clone(),
        cause: cause.into(),
    }
}

/// A model that counts cycles only.
fn open(hardware: Hardware) -> Result<ModelDevice, EvaluationError> {
    Ok(ModelDevice::new(hardware)?.with_results(false))
}

fn engine(
    parameters: &AnyParameters,
    num_full: usize,
    num_partial: usize,
) -> Result<Engine, EvaluationError> {
    let what = format!("{} on {num_full} + {num_partial}", parameters.name());
    let mut device = open(hardware(num_full, num_partial))?;
    let plan = engine_plan(&device, parameters).map_err(failed(&what))?;
    let measurement = measure_engine(&mut device, parameters, DEFAULT_HASHES, &mut NoProgress)
        .map_err(failed(&what))?;
    Ok(Engine {
        preset: parameters.name().to_owned(),
        arity: parameters.arity(),
        num_full,
        num_partial,
        multipliers: plan.multipliers,
        hash_rate: CLOCK_HZ as f64 / measurement.cycles_per_hash,
        measurement,
    })
}

fn tree(leaves: u64, dispatch: Dispatch) -> Result<TreeMeasurement, EvaluationError> {
    let parameters = presets::by_name(TREE_PRESET)?;
    let what = format!("a tree of {leaves} leaves");
    let hardware = Hardware {
        dispatch,
        ..Hardware::default()
    };
    let standard = standard_tree(parameters.arity());
    let request = CommitRequest::new(parameters, LeafRule::Hash(parameters), leaves);
    let measured = measure_tree(&mut open(hardware)?, &request, standard, &mut NoProgress);
    Ok(measured.map_err(failed(&what))?.0)
}

/// A tree over so many rows of so many elements.
fn rows_request(columns: usize, rows: u64) -> Result<CommitRequest<'static>, EvaluationError> {
    let parameters = presets::by_name(GOLDILOCKS_PRESET)?;
    let rule = LeafKind::Row(columns).rule(parameters);
    Ok(CommitRequest::new(parameters, rule, rows))
}

/// The same on the default chip, in fixed roles and shared.
fn tree_of_rows(columns: usize, rows: u64) -> Result<WideRows, EvaluationError> {
    let request = rows_request(columns, rows)?;
    let what = format!("a tree over {rows} rows of {columns} elements");
    let standard = standard_tree(request.parameters.arity());
    let measure = |sharing| {
        let request = CommitRequest {
            sharing: Some(sharing),
            ..request.clone()
        };
        let mut device = open(Hardware::default())?;
        let measured = measure_tree(&mut device, &request, standard, &mut NoProgress);
        Ok::<_, EvaluationError>(measured.map_err(failed(&what))?.0)
    };
    let tree = measure(Sharing::Fixed)?;
    let row_rate = CLOCK_HZ as f64 / tree.cycles_per_leaf;
    Ok(WideRows {
        preset: request.parameters.name().to_owned(),
        columns,
        permutations: request.leaf_hashes(),
        row_rate,
        element_rate: row_rate * columns as f64,
        shared: Some(measure(Sharing::Shared)?),
        tree,
    })
}

/// A tree of a preset by which the node memory is sized.
fn node_memory_request(
    preset: &str,
    most_leaves: u64,
) -> Result<CommitRequest<'static>, EvaluationError> {
    let parameters = presets::by_name(preset)?;
    let arity = parameters.arity() as u64;
    let most = most_leaves.clamp(arity, MOST_NODE_MEMORY_LEAVES);
    let leaves = arity.pow(most.ilog(arity));
    Ok(CommitRequest {
        sharing: Some(Sharing::Shared),
        ..CommitRequest::new(parameters, LeafRule::Hash(parameters), leaves)
    })
}

/// The same with a node memory of so many words.
fn node_memory(request: &CommitRequest<'_>, words: u32) -> Result<NodeMemory, EvaluationError> {
    let (preset, arity) = (request.parameters.name(), request.parameters.arity());
    let hardware = Hardware {
        node_words: words,
        ..Hardware::default()
    };
    let standard = standard_tree(arity);
    let measured = measure_tree(&mut open(hardware)?, request, standard, &mut NoProgress);
    let what = format!("a tree of '{preset}' in {words} words");
    let (tree, _) = measured.map_err(failed(&what))?;
    let [rows, nodes] = match &tree.steady {
        Some(steady) => [steady.lhe_utilisation, steady.rhe_utilisation],
        None => [tree.lhe_utilisation, tree.rhe_utilisation],
    };
    Ok(NodeMemory {
        preset: preset.to_owned(),
        arity,
        words,
        utilisation: (rows + nodes) / 2.0,
        tree,
    })
}

fn schedule(num_full: usize, num_partial: usize, cycles: u64) -> Result<Schedule, EvaluationError> {
    let parameters = presets::by_name(TREE_PRESET)?;
    let what = format!("the schedule of {num_full} + {num_partial}");
    let mut device = open(hardware(num_full, num_partial))?;
    let plan = engine_plan(&device, parameters).map_err(failed(&what))?;
    let request = CommitRequest::new(parameters, LeafRule::Hash(parameters), SCHEDULE_LEAVES);
    let mut timeline = Timeline::default();
    let recorded = device.timeline(&request, &mut timeline, &mut NoProgress);
    recorded.map_err(failed(&what))?;
    let [leaf, _] = &timeline.slots;
    // In the middle of the leaves.
    let from = SCHEDULE_LEAVES * plan.period / 2;
    let halves = (parameters.full_rounds() / 2) as u32;
    let mut shown = Vec::new();
    let mut visits = Vec::new();
    for (sub_engine, slots) in leaf.iter().enumerate() {
        visits.extend(visits_of(sub_engine, slots));
        let within = slots
            .iter()
            .filter(|slot| slot.begin < from + cycles && slot.begin + slot.cycles > from);
        let rounds = rounds_of(slots);
        let within = within.map(|slot| SlotOf {
            sub_engine,
            begin: slot.begin,
            cycles: slot.cycles,
            partial: match sub_engine {
                0 | LAST if slot.visit == 0 => slot.round >= halves,
                0 | LAST => slot.round + halves < rounds[1],
                _ => true,
            },
            last: slot.visit == 1,
        });
        if cycles > MOST_SLOTS {
            shown.extend(joined(within));
        } else {
            shown.extend(within);
        }
    }
    Ok(Schedule {
        preset: parameters.name().to_owned(),
        num_full,
        num_partial,
        visits,
        from,
        cycles,
        slots: shown,
    })
}

/// The slots of a sub-engine, those of the same kind that follow each other as one.
fn joined(slots: impl Iterator<Item = SlotOf>) -> Vec<SlotOf> {
    let mut joined: Vec<SlotOf> = Vec::new();
    for slot in slots {
        match joined.last_mut() {
            Some(last)
                if last.begin + last.cycles == slot.begin
                    && (last.partial, last.last) == (slot.partial, slot.last) =>
            {
                last.cycles += slot.cycles;
            }
            _ => joined.push(slot),
        }
    }
    joined
}

/// The second full-round sub-engine.
const LAST: usize = SUB_ENGINES - 1;

/// Rounds of each visit of a sub-engine.
fn rounds_of(slots: &[Slot]) -> [u32; 2] {
    [0, 1].map(|visit| {
        let slots = slots.iter().filter(|slot| slot.visit == visit);
        slots.map(|slot| slot.round + 1).max().unwrap_or(0)
    })
}

/// The visits of the first hashes. States of a visit stay in order, so the n-th slot of a round is that of
/// the n-th hash.
fn visits_of(sub_engine: usize, slots: &[Slot]) -> Vec<Visit> {
    let mut visits = Vec::new();
    for (visit, rounds) in rounds_of(slots).into_iter().enumerate() {
        let of = |round: u32| {
            let slots = slots.iter();
            slots.filter(move |slot| slot.visit == visit && slot.round == round)
        };
        if rounds == 0 {
            continue;
        }
        let both = of(0).zip(of(rounds - 1)).take(SCHEDULE_HASHES).enumerate();
        visits.extend(both.map(|(hash, (first, last))| Visit {
            hash,
            sub_engine,
            last: sub_engine == LAST || visit == 1,
            begin: first.begin,
            end: last.begin + last.cycles,
        }));
    }
    visits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_engine_is_that_of_the_hardware() {
        let hardware = Hardware::default();
        assert_eq!(DEFAULT_ENGINE, (hardware.num_full, hardware.num_partial));
        assert!(ENGINES.contains(&DEFAULT_ENGINE));
    }
}

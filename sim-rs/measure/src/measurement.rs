//! What is measured of a chip: a hash engine in its steady state, and whole trees.
//!
//! The commands `bench` and `sweep` and the evaluation of the paper all measure with these functions, on any
//! device that counts cycles. A device that computes is checked meanwhile: every digest and every root is
//! compared with that of the software.

use serde::{Deserialize, Serialize};

use crate::large::{CountedTree, count_tree};
use crate::vectors::generate_element;
use acclmt_driver::device::{
    CommitReport, CommitRequest, Counters, Device, DeviceError, EnginePlan, LeafRule, LeafSource,
    NoProgress, Progress, Zeros,
};
use acclmt_driver::nodes::NoNodes;
use acclmt_driver::software::SoftwareDevice;
use acclmt_poseidon::fields::{AnyParameters, FieldId};
use acclmt_poseidon::word::Word;

/// The clock rate at which rates and times are given, in Hz: that of the AcclMT paper.
pub const CLOCK_HZ: u64 = 500_000_000;

/// Hashes of the shorter run of an engine, where no number is given. Hashes leave the ring of sub-engines
/// in bunches as long as its pipelines: they must not matter beside so many.
pub const DEFAULT_HASHES: u64 = 2048;

/// The most hashes of the shorter run of an engine: the inputs and digests of twice as many are in memory.
pub const MAX_HASHES: u64 = 1 << 16;

/// The most leaves of a tree that is measured: those that a chip can fold.
pub const MAX_LEAVES: u64 = 1 << 32;

/// Milliseconds of so many cycles at [`CLOCK_HZ`].
pub fn milliseconds(cycles: u64) -> f64 {
    cycles as f64 * 1e3 / CLOCK_HZ as f64
}

/// Why nothing was measured.
#[derive(Debug, thiserror::Error)]
pub enum MeasurementError {
    /// A run failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The device has no chip.
    #[error("the backend '{device}' has no hash engine and counts no cycles; use one of a chip")]
    NoHashEngine {
        /// Its name.
        device: String,
    },
    /// So few hashes never fill the engine.
    #[error(
        "{hashes} hashes of '{name}' show no steady state: a single hash takes {latency_cycles} cycles, in \
         which the engine can begin {inside} others; measure {least} hashes or more"
    )]
    TooFewHashes {
        /// Hashes of the shorter run.
        hashes: u64,
        /// The parameter set.
        name: String,
        /// Cycles of a single hash.
        latency_cycles: u64,
        /// Hashes that are inside the engine at a time.
        inside: u64,
        /// The least number of hashes.
        least: u64,
    },
    /// So many hashes are not measured.
    #[error("{hashes} hashes are not measured in a run; 1 to {MAX_HASHES} are")]
    Hashes {
        /// Their number.
        hashes: u64,
    },
    /// So many leaves are not measured.
    #[error("a tree of {leaves} leaves cannot be measured; 1 to {MAX_LEAVES} leaves can")]
    Leaves {
        /// Their number.
        leaves: u64,
    },
    /// Hashes leave an engine in bunches, and the longer run ended in another part of one than the shorter one.
    #[error(
        "{hashes} hashes of '{name}' show no steady state: they come out every {cycles_per_hash:.2} cycles, \
         faster than the multipliers can be ({bound:.2}), in a bunch; measure more hashes"
    )]
    Bunch {
        /// Hashes of the shorter run.
        hashes: u64,
        /// The parameter set.
        name: String,
        /// What was measured.
        cycles_per_hash: f64,
        /// Cycles per hash if no multiplier ever waited.
        bound: f64,
    },
    /// A digest is wrong.
    #[error("hash {index} of {hashes} of '{name}' on '{device}' differs from that of the software")]
    WrongDigest {
        /// Number of the hash, from 0 on.
        index: usize,
        /// Hashes of the run.
        hashes: u64,
        /// The parameter set.
        name: String,
        /// The device.
        device: String,
    },
    /// A root is wrong.
    #[error(
        "the root of {leaves} leaves of '{name}' on '{device}' differs from that of the software"
    )]
    WrongRoot {
        /// Leaves of the tree.
        leaves: u64,
        /// The parameter set.
        name: String,
        /// The device.
        device: String,
    },
    /// One of several devices failed, and others did its part.
    #[error(
        "device {number}, '{device}', failed, so {leaves} leaves of '{name}' were not measured on all devices: \
         {failure}"
    )]
    DeviceFailed {
        /// Number of the device, from 0 on.
        number: usize,
        /// The device.
        device: String,
        /// Leaves of the tree.
        leaves: u64,
        /// The parameter set.
        name: String,
        /// Where in the tree it failed, and why.
        failure: String,
    },
    /// The counters of two runs cannot both be right.
    #[error(
        "the counters of {hashes} hashes of '{name}' say what cannot be: {what}; the chip counts wrongly"
    )]
    Contradiction {
        /// Hashes of the shorter run.
        hashes: u64,
        /// The parameter set.
        name: String,
        /// What they say.
        what: String,
    },
}

// ---- Hash engines ----------------------------------------------------------------------------------

/// A hash engine in its steady state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EngineMeasurement {
    /// Cycles that each further hash costs.
    pub cycles_per_hash: f64,
    /// Cycles from the first word in to the last word out of a single hash.
    pub latency_cycles: u64,
    /// Cycles per hash that the occupation of the busiest sub-engine allows.
    pub period: u64,
    /// Cycles per hash if no multiplier ever waited.
    pub multiplier_bound: f64,
    /// How busy the sub-engines are.
    pub utilisation: Utilisation,
    /// The share of its cycles in which a multiplier does work that the hash needs, from 0 to 1.
    pub multiplier_utilisation: f64,
    /// Hashes between which the steady state was measured.
    pub hashes: u64,
}

/// The share of the cycles in the steady state in which each sub-engine is occupied, from 0 to 1.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Utilisation {
    /// The full-round sub-engine, or the first of two.
    pub full: f64,
    /// The second full-round sub-engine, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub full_last: Option<f64>,
    /// The partial-round sub-engines.
    pub partial: Vec<f64>,
}

/// A run of those that measure an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineRun {
    /// A single hash: the latency.
    Single,
    /// The shorter one of two runs.
    Short,
    /// The other one, of twice as many hashes.
    Long,
}

impl EngineRun {
    /// Hashes of the run, where the shorter one has `hashes`.
    pub fn hashes(self, hashes: u64) -> u64 {
        match self {
            Self::Single => 1,
            Self::Short => hashes,
            Self::Long => 2 * hashes,
        }
    }
}

/// Hashes of all runs that measure an engine, of which the shorter one has `hashes`.
pub const fn engine_hashes(hashes: u64) -> u64 {
    1 + 3 * hashes
}

/// How the hash engine of a device runs a parameter set.
///
/// # Errors
///
/// When the device cannot, or has none.
pub fn engine_plan(
    device: &dyn Device,
    parameters: &AnyParameters,
) -> Result<EnginePlan, MeasurementError> {
    let plan = device.engine_plan(parameters).map_err(DeviceError::from)?;
    plan.ok_or_else(|| no_hash_engine(device))
}

pub(crate) fn no_hash_engine(device: &dyn Device) -> MeasurementError {
    MeasurementError::NoHashEngine {
        device: device.name().to_owned(),
    }
}

/// Measures the hash engine of a device: a single hash, and what the second half of a run of `2 * hashes`
/// hashes adds to the first one.
///
/// # Errors
///
/// When a run fails, a digest is wrong, or so few hashes show no steady state.
pub fn measure_engine(
    device: &mut dyn Device,
    parameters: &AnyParameters,
    hashes: u64,
    progress: &mut dyn Progress,
) -> Result<EngineMeasurement, MeasurementError> {
    let plan = engine_plan(device, parameters)?;
    let total = engine_hashes(hashes);
    let mut before = 0;
    let mut run = |run: EngineRun| {
        let count = run.hashes(hashes);
        let counters = run_engine(device, parameters, count, &mut |now: u64, _| {
            progress.report(before + now, total);
        });
        before += count;
        counters
    };
    let single = run(EngineRun::Single)?;
    check_hashes(parameters, &plan, hashes, &single)?;
    let (short, long) = (run(EngineRun::Short)?, run(EngineRun::Long)?);
    steady_state(parameters, &plan, hashes, [&single, &short, &long])
}

/// The counters of a run of `count` hashes, whose digests must be right. Progress is counted in hashes.
///
/// # Errors
///
/// When the run fails or a digest is wrong.
pub fn run_engine(
    device: &mut dyn Device,
    parameters: &AnyParameters,
    count: u64,
    progress: &mut dyn Progress,
) -> Result<Counters, MeasurementError> {
    if !(1..=2 * MAX_HASHES).contains(&count) {
        return Err(MeasurementError::Hashes { hashes: count });
    }
    let arity = parameters.inputs();
    let inputs: Vec<Vec<Word>> = if device.computes() {
        (0..count as usize)
            .map(|hash| {
                (0..arity)
                    .map(|i| generate_element(parameters.field(), "bench", hash * arity + i))
                    .collect()
            })
            .collect()
    } else {
        vec![vec![Word::default(); arity]; count as usize]
    };
    let report = device.hash(parameters, &inputs, progress)?;
    if device.computes() {
        let expected = SoftwareDevice::new().hash(parameters, &inputs, &mut NoProgress)?;
        let is_wrong = |&index: &usize| report.digests.get(index) != expected.digests.get(index);
        if let Some(index) = (0..inputs.len()).find(is_wrong) {
            return Err(MeasurementError::WrongDigest {
                index,
                hashes: count,
                name: parameters.name().to_owned(),
                device: device.name().to_owned(),
            });
        }
    }
    report.counters.ok_or_else(|| no_hash_engine(device))
}

/// Checks that runs of `hashes` and of twice as many hashes show the steady state of an engine; `single` are
/// the counters of a single hash.
///
/// The first hashes find an empty ring. It is full when as many have begun as the engine can begin during the
/// latency of one; the shorter run has twice as many at least. What is measured is then within a tenth of what
/// ever more hashes come to, and with eight times as many within three per cent.
///
/// # Errors
///
/// When they are too few, or too many for the memory.
pub fn check_hashes(
    parameters: &AnyParameters,
    plan: &EnginePlan,
    hashes: u64,
    single: &Counters,
) -> Result<(), MeasurementError> {
    if !(1..=MAX_HASHES).contains(&hashes) {
        return Err(MeasurementError::Hashes { hashes });
    }
    let latency_cycles = single.span();
    let inside = latency_cycles / plan.period.max(1);
    let least = 2 * inside;
    if hashes < least {
        return Err(MeasurementError::TooFewHashes {
            hashes,
            name: parameters.name().to_owned(),
            latency_cycles,
            inside,
            least,
        });
    }
    Ok(())
}

/// The steady state of an engine, from the counters of a single hash, of `hashes` hashes and of twice as many.
///
/// # Errors
///
/// When the counters contradict each other.
pub fn steady_state(
    parameters: &AnyParameters,
    plan: &EnginePlan,
    hashes: u64,
    [single, short, long]: [&Counters; 3],
) -> Result<EngineMeasurement, MeasurementError> {
    let contradiction = |what: String| MeasurementError::Contradiction {
        hashes,
        name: parameters.name().to_owned(),
        what,
    };
    for counters in [single, short, long] {
        if counters.cycle_last_out < counters.cycle_first_in {
            return Err(contradiction(format!(
                "the last word came out in cycle {}, before the first one went in in cycle {}",
                counters.cycle_last_out, counters.cycle_first_in
            )));
        }
    }
    let difference = |what: &str, long: u64, short: u64| {
        let difference = long.checked_sub(short);
        difference.ok_or_else(|| {
            contradiction(format!(
                "{long} {what} of {} hashes, and {short} of {hashes}",
                2 * hashes
            ))
        })
    };
    let more = difference("hashes", long.leaf.hashes, short.leaf.hashes)?;
    let cycles = difference("cycles", long.span(), short.span())?;
    let cycles_per_hash = cycles as f64 / more.max(1) as f64;
    let bound = plan.multiplier_bound();
    if cycles_per_hash < bound {
        return Err(MeasurementError::Bunch {
            hashes,
            name: parameters.name().to_owned(),
            cycles_per_hash,
            bound,
        });
    }
    let busy = "busy cycles";
    let share = |long: u64, short: u64| {
        let busy = difference(busy, long, short)?;
        Ok::<_, MeasurementError>(busy as f64 / cycles.max(1) as f64)
    };
    let (long, short) = (&long.leaf, &short.leaf);
    let full_last = share(long.busy_full_last, short.busy_full_last)?;
    Ok(EngineMeasurement {
        cycles_per_hash,
        latency_cycles: single.span(),
        period: plan.period,
        multiplier_bound: bound,
        utilisation: Utilisation {
            full: share(long.busy_full, short.busy_full)?,
            full_last: (plan.num_full > 1).then_some(full_last),
            partial: (long.busy_partial.iter())
                .zip(&short.busy_partial)
                .take(plan.num_partial)
                .map(|(&long, &short)| share(long, short))
                .collect::<Result<_, _>>()?,
        },
        multiplier_utilisation: bound / cycles_per_hash,
        hashes: more,
    })
}

// ---- Trees -----------------------------------------------------------------------------------------

/// A whole tree.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TreeMeasurement {
    /// Number of leaves.
    pub leaves: u64,
    /// Leaves of the largest tree that was simulated, where that is less than the tree, which does not repeat itself: what
    /// the other leaves count is what the last ones of it do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub simulated_leaves: Option<u64>,
    /// Cycles from the first word in to the root out; on several devices see [`measure_tree_on_several`].
    pub cycles: u64,
    /// The same as a time.
    pub milliseconds_at_500_mhz: f64,
    /// Cycles divided by leaves.
    pub cycles_per_leaf: f64,
    /// How busy the leaf hash engine is in the whole run, from 0 to 1: see
    /// [`EnginePlan::utilisation`].
    pub lhe_utilisation: f64,
    /// The same of the root hash engine.
    pub rhe_utilisation: f64,
    /// Between the last leaf of the first standard tree and the last leaf of the last one, if there are
    /// several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steady: Option<SteadyTree>,
}

/// The time between the last leaf of the first standard tree and that of the last one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SteadyTree {
    /// Its leaves.
    pub leaves: u64,
    /// Its cycles.
    pub cycles: u64,
    /// The share of them in which the busiest sub-engine of the leaf hash engine is occupied.
    pub lhe_utilisation: f64,
    /// The same of the root hash engine.
    pub rhe_utilisation: f64,
}

/// Checks that a tree can be measured, and how the device hashes its nodes.
///
/// # Errors
///
/// When there is no such tree, it has too many leaves, or the device has no hash engine for it.
pub fn tree_plan(
    device: &dyn Device,
    request: &CommitRequest<'_>,
) -> Result<EnginePlan, MeasurementError> {
    let leaves = request.leaves;
    if leaves > MAX_LEAVES {
        return Err(MeasurementError::Leaves { leaves });
    }
    request.shape()?;
    for upper in &request.upper {
        engine_plan(device, upper.parameters)?;
    }
    engine_plan(device, request.parameters)
}

/// Measures the tree of `request` over generated elements on a device whose standard trees have `standard`
/// leaves; its window is that of the steady state. Returns the counters of the run, too: in them sub-engines
/// are busy in the steady state, if there is one. On a device that only counts cycles a tree that is too large to be
/// simulated, and does not repeat itself, goes on as a smaller one ended, see [`TreeMeasurement::simulated_leaves`].
///
/// # Errors
///
/// When there is no such tree, the run fails, or the root is wrong.
pub fn measure_tree(
    device: &mut dyn Device,
    request: &CommitRequest<'_>,
    standard: u64,
    progress: &mut dyn Progress,
) -> Result<(TreeMeasurement, Counters), MeasurementError> {
    let plan = tree_plan(device, request)?;
    let leaves = request.leaves;
    // No more than MAX_LEAVES, which `tree_plan` checks.
    let window = (leaves > standard).then_some(standard as u32..leaves as u32);
    let request = CommitRequest {
        window,
        ..request.clone()
    };
    let CountedTree {
        counters,
        simulated_leaves,
        ..
    } = count_tree(device, &request, "bench", progress)?;
    let cycles = counters.span();
    let steady = request.window.is_some().then(|| SteadyTree {
        leaves: leaves - standard,
        cycles: counters.window_cycles,
        lhe_utilisation: counters.leaf.utilisation(counters.window_cycles),
        rhe_utilisation: counters.root.utilisation(counters.window_cycles),
    });
    let periods = periods(device, &request, &plan, &counters)?;
    let measurement = TreeMeasurement {
        simulated_leaves,
        ..tree_measurement(leaves, cycles, periods, &counters, steady)
    };
    Ok((measurement, counters))
}

/// Measures the tree of `request` over generated elements on several devices that build it together and are built
/// alike.
///
/// The counters are those of the device whose sub-trees took the most cycles, one run after the other, and of the
/// top after them, see [`SeveralDevices`](acclmt_driver::several::SeveralDevices). Cycles are theirs, each run from
/// its start to its end: the root is there after so many. A steady state is that of one run, so there is none.
///
/// # Errors
///
/// When there is no such tree, the run or one of the devices fails, or the root is wrong.
pub fn measure_tree_on_several(
    devices: &mut dyn Device,
    request: &CommitRequest<'_>,
    progress: &mut dyn Progress,
) -> Result<(TreeMeasurement, Counters), MeasurementError> {
    let plan = tree_plan(devices, request)?;
    let leaves = request.leaves;
    let report = commit_generated(devices, request, "bench", progress)?;
    let mut shares = report.devices.iter().enumerate();
    let failed = shares.find_map(|(number, share)| Some((number, share, share.failed.as_ref()?)));
    if let Some((number, share, failure)) = failed {
        return Err(MeasurementError::DeviceFailed {
            number,
            device: share.device.clone(),
            leaves,
            name: request.parameters.name().to_owned(),
            failure: failure.clone(),
        });
    }
    let counters = report.counters.ok_or_else(|| no_hash_engine(devices))?;
    let periods = periods(devices, request, &plan, &counters)?;
    let measurement = tree_measurement(leaves, counters.cycles, periods, &counters, None);
    Ok((measurement, counters))
}

/// Cycles that a hash occupies the leaf hash engine and the root hash engine, on average where there are several
/// parameter sets: those of the nodes where the root hash engine had all of these, else those of the whole tree.
fn periods(
    device: &dyn Device,
    request: &CommitRequest<'_>,
    plan: &EnginePlan,
    counters: &Counters,
) -> Result<[f64; 2], MeasurementError> {
    let base = plan.period as f64;
    if request.upper.is_empty() {
        return Ok([base; 2]);
    }
    let shape = request.shape()?;
    let mut node_cycles = 0.0;
    for (set, hashes) in request.node_sets().zip(shape.hashes_of_sets()) {
        node_cycles += engine_plan(device, set)?.period as f64 * hashes as f64;
    }
    let (of_leaves, of_nodes) = (shape.leaves() * request.leaf_hashes(), shape.hashes());
    if (counters.leaf.hashes, counters.root.hashes) == (of_leaves, of_nodes) {
        return Ok([base, node_cycles / of_nodes.max(1) as f64]);
    }
    let all = of_leaves as f64 * base + node_cycles;
    Ok([all / (of_leaves + of_nodes).max(1) as f64; 2])
}

/// What the counters say of a tree that took so many cycles.
fn tree_measurement(
    leaves: u64,
    cycles: u64,
    [leaf_period, root_period]: [f64; 2],
    counters: &Counters,
    steady: Option<SteadyTree>,
) -> TreeMeasurement {
    let utilisation =
        |hashes: u64, period: f64| hashes as f64 * period / counters.cycles.max(1) as f64;
    TreeMeasurement {
        leaves,
        simulated_leaves: None,
        cycles,
        milliseconds_at_500_mhz: milliseconds(cycles),
        cycles_per_leaf: cycles as f64 / leaves as f64,
        lhe_utilisation: utilisation(counters.leaf.hashes, leaf_period),
        rhe_utilisation: utilisation(counters.root.hashes, root_period),
        steady,
    }
}

/// Commits to elements that are made of `seed` and their index. The root must be that of the software, unless the
/// device only counts cycles: then it gets zeros.
///
/// # Errors
///
/// When the run fails or the root is wrong.
pub(crate) fn commit_generated(
    device: &mut dyn Device,
    request: &CommitRequest<'_>,
    seed: &str,
    progress: &mut dyn Progress,
) -> Result<CommitReport, MeasurementError> {
    if !device.computes() {
        return Ok(device.commit(request, &mut Zeros, &mut NoNodes, progress)?);
    }
    let source = || Generated::new(request, seed);
    let report = device.commit(request, &mut source(), &mut NoNodes, progress)?;
    let software = &mut SoftwareDevice::new();
    let expected = software.commit(request, &mut source(), &mut NoNodes, &mut NoProgress)?;
    if report.cap != expected.cap {
        return Err(MeasurementError::WrongRoot {
            leaves: request.leaves,
            name: request.parameters.name().to_owned(),
            device: device.name().to_owned(),
        });
    }
    Ok(report)
}

/// Elements made of a seed and their index.
struct Generated<'a> {
    field: FieldId,
    seed: &'a str,
    index: usize,
}

impl<'a> Generated<'a> {
    fn new(request: &CommitRequest<'_>, seed: &'a str) -> Self {
        let parameters = match request.leaf {
            LeafRule::Digest => request.parameters,
            LeafRule::Hash(parameters) | LeafRule::Row { parameters, .. } => parameters,
        };
        Self {
            field: parameters.field(),
            seed,
            index: 0,
        }
    }
}

impl LeafSource for Generated<'_> {
    fn read(&mut self, elements: usize) -> Result<Vec<Word>, DeviceError> {
        let indices = self.index..self.index + elements;
        self.index = indices.end;
        Ok(indices
            .map(|index| generate_element(self.field, self.seed, index))
            .collect())
    }
}

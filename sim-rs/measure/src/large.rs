//! Trees that are too large to be simulated.
//!
//! A model that only counts cycles counts most of a large tree by what it simulated of it, as far as that repeats
//! itself. Nodes that come as often as leaves, as at arity 2, hashes of different sets in one ring, and many hash engines
//! hardly ever meet in the same way twice. Such a tree goes on as a smaller one ended.

use crate::measurement::{MeasurementError, commit_generated, no_hash_engine};
use acclmt_driver::device::{
    CommitReport, CommitRequest, Counters, Device, EngineCounters, LeafRule, Progress, Zeros,
};
use acclmt_driver::nodes::NoNodes;
use acclmt_driver::sharing::Sharing;
use acclmt_merkle::shape::{Padding, TreeShape};
use acclmt_poseidon::word::Word;

/// Most hashes of leaves, or leaves that are ready, that are simulated of a tree before it goes on as a smaller one ends.
const MOST_SIMULATED: u64 = 1 << 25;

/// The same of the smaller tree.
const SMALLER: u64 = 1 << 22;

/// The same of the smaller tree where hashes of different sets are mixed in a ring, which takes longer to simulate.
const SMALLER_MIXED: u64 = 1 << 18;

/// The counters of a tree.
#[derive(Clone, Debug)]
pub(crate) struct CountedTree {
    /// The report of its run, or that of the smaller one with its counters.
    pub(crate) report: CommitReport,
    /// What it counts.
    pub(crate) counters: Counters,
    /// Leaves of the largest tree that was simulated, where that is smaller: see
    /// [`TreeMeasurement::simulated_leaves`](crate::measurement::TreeMeasurement::simulated_leaves).
    pub(crate) simulated_leaves: Option<u64>,
}

/// Commits to elements that are made of `seed`, as [`commit_generated`] does. Where the device only counts cycles, and
/// would have to simulate too much of the tree, it goes on as a smaller one ended. Progress is counted in hashes.
///
/// # Errors
///
/// When a run fails, the root is wrong, or the device counts no cycles.
pub(crate) fn count_tree(
    device: &mut dyn Device,
    request: &CommitRequest<'_>,
    seed: &str,
    progress: &mut dyn Progress,
) -> Result<CountedTree, MeasurementError> {
    let shape = request.shape()?;
    let smaller = smaller_tree(request, &shape);
    let report = if device.computes() {
        Some(commit_generated(device, request, seed, progress)?)
    } else {
        count_within(device, request, smaller, progress)?
    };
    if let Some(report) = report {
        return Ok(CountedTree {
            counters: (report.counters.clone()).ok_or_else(|| no_hash_engine(device))?,
            report,
            simulated_leaves: None,
        });
    }
    let hashes = request.hashes(&shape);
    let tree = count_on(device, request, smaller, progress)?;
    progress.report(hashes, hashes);
    Ok(tree)
}

/// Whether rows and nodes of different sets are mixed in the rings of a device.
fn is_mixed(request: &CommitRequest<'_>) -> bool {
    let shares = request.sharing == Some(Sharing::Shared);
    let name = request.parameters.name();
    matches!(request.leaf, LeafRule::Hash(leaf) if shares && leaf.name() != name)
}

/// Leaves of full trees of one, two and more levels that are like the lowest ones of a tree.
fn full_trees(shape: &TreeShape) -> impl Iterator<Item = u64> {
    let arities = shape.arities().levels().iter();
    arities.scan(1_u64, |leaves, &arity| {
        *leaves = leaves.checked_mul(arity as u64)?;
        Some(*leaves)
    })
}

/// Leaves of the tree that a large one of this shape is counted by.
fn smaller_tree(request: &CommitRequest<'_>, shape: &TreeShape) -> u64 {
    let most = if is_mixed(request) {
        SMALLER_MIXED
    } else {
        SMALLER
    };
    let most = most / request.leaf_hashes().max(1);
    let trees = full_trees(shape).enumerate();
    let fitting = trees.take_while(|&(level, leaves)| level < 2 || leaves <= most);
    fitting.last().map_or(shape.leaves(), |(_, leaves)| leaves)
}

/// The report of the tree; nothing where it is to go on as one of `smaller` leaves, since it is not to be simulated or
/// the device found that it does not repeat itself.
fn count_within(
    device: &mut dyn Device,
    request: &CommitRequest<'_>,
    smaller: u64,
    progress: &mut dyn Progress,
) -> Result<Option<CommitReport>, MeasurementError> {
    let can_go_on = request.cap_height == 0 && request.leaves > smaller;
    if !can_go_on {
        let report = device.commit(request, &mut Zeros, &mut NoNodes, progress)?;
        return Ok(Some(report));
    }
    if is_mixed(request) {
        return Ok(None);
    }
    let most = (MOST_SIMULATED / request.leaf_hashes().max(1)).max(smaller);
    Ok(device.count_within(request, most, progress)?)
}

/// The tree of `request` if it goes on as a full one of so many leaves ends: as that differs from the one a level lower.
/// Both have the height of the tree, and so the same queues and the same way from the last leaf to the root.
fn count_on(
    device: &mut dyn Device,
    request: &CommitRequest<'_>,
    smaller: u64,
    progress: &mut dyn Progress,
) -> Result<CountedTree, MeasurementError> {
    let shape = request.shape()?;
    let all_hashes = request.hashes(&shape);
    let nothing = vec![Word::default(); request.parameters.digest_length()];
    let mut before = 0;
    let shorter = full_trees(&shape).take_while(|&leaves| leaves < smaller);
    let shorter = shorter.last().unwrap_or(1);
    let both = smaller + shorter;
    let mut count = |leaves: u64| {
        let padding = match request.padding {
            Padding::Refuse => Padding::SubTree(&nothing),
            padding => padding,
        };
        let request = CommitRequest {
            leaves,
            padding,
            height: Some(shape.height()),
            window: (request.window.clone()).map(|window| window.start..leaves as u32),
            ..request.clone()
        };
        let hashes = request.hashes(&request.shape()?).max(1);
        let share = u128::from(all_hashes) * u128::from(leaves) / u128::from(both);
        let report = device.commit(
            &request,
            &mut Zeros,
            &mut NoNodes,
            &mut |done: u64, _: u64| {
                let done = share * u128::from(done.min(hashes)) / u128::from(hashes);
                progress.report(before + done as u64, all_hashes);
            },
        )?;
        before += share as u64;
        let counters = report.counters.clone();
        let counters = counters.ok_or_else(|| no_hash_engine(device))?;
        Ok::<_, MeasurementError>((report, counters))
    };
    let (_, before_last) = count(shorter)?;
    let (report, longer) = count(smaller)?;
    let more = More {
        leaves: request.leaves - smaller,
        of: smaller - shorter,
    };
    let counters = more.counters(&longer, &before_last);
    Ok(CountedTree {
        report: CommitReport {
            counters: Some(counters.clone()),
            ..report
        },
        counters,
        simulated_leaves: Some(smaller),
    })
}

/// Leaves that are counted by others.
#[derive(Clone, Copy, Debug)]
struct More {
    leaves: u64,
    /// Those that they are counted by.
    of: u64,
}

impl More {
    /// What is counted with these leaves where so many are counted without them, and so many without those either that
    /// they are counted by.
    fn count(self, longer: u64, shorter: u64) -> u64 {
        let more = u128::from(longer.saturating_sub(shorter)) * u128::from(self.leaves);
        longer + (more / u128::from(self.of)) as u64
    }

    fn counters(self, longer: &Counters, shorter: &Counters) -> Counters {
        let count = |part: fn(&Counters) -> u64| self.count(part(longer), part(shorter));
        let engines = |longer: &EngineCounters, shorter: &EngineCounters| {
            let count = |part: fn(&EngineCounters) -> u64| self.count(part(longer), part(shorter));
            let partial = longer.busy_partial.iter().zip(&shorter.busy_partial);
            EngineCounters {
                hashes: count(|engine| engine.hashes),
                busy_full: count(|engine| engine.busy_full),
                busy_full_last: count(|engine| engine.busy_full_last),
                busy_partial: partial
                    .map(|(&longer, &shorter)| self.count(longer, shorter))
                    .collect(),
            }
        };
        let more = longer.more.iter().zip(&shorter.more);
        Counters {
            cycles: count(|counters| counters.cycles),
            cycle_first_in: longer.cycle_first_in,
            cycle_last_in: count(|counters| counters.cycle_last_in),
            cycle_first_leaf: longer.cycle_first_leaf,
            cycle_last_leaf: count(|counters| counters.cycle_last_leaf),
            cycle_first_out: count(|counters| counters.cycle_first_out),
            cycle_last_out: count(|counters| counters.cycle_last_out),
            window_cycles: count(|counters| counters.window_cycles),
            stall_in: count(|counters| counters.stall_in),
            missing_in: count(|counters| counters.missing_in),
            stall_leaf: count(|counters| counters.stall_leaf),
            starved_root: count(|counters| counters.starved_root),
            stall_out: count(|counters| counters.stall_out),
            high_water: longer.high_water.max(shorter.high_water),
            leaf: engines(&longer.leaf, &shorter.leaf),
            root: engines(&longer.root, &shorter.root),
            more: more
                .map(|(longer, shorter)| engines(longer, shorter))
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use acclmt_driver::device::NoProgress;
    use acclmt_model::{Hardware, ModelDevice};
    use acclmt_poseidon::presets;

    fn model(num_engines: usize) -> ModelDevice {
        let hardware = Hardware {
            num_engines,
            ..Hardware::default()
        };
        ModelDevice::new(hardware)
            .expect("it is legal")
            .with_results(false)
    }

    /// A tree that goes on as a smaller one ended takes the cycles of its own simulation, to 0.3 %.
    #[test]
    fn a_tree_goes_on_as_a_smaller_one() {
        let hash = |arity| Some(format!("filecoin-arity-{arity}"));
        for (arity, leaf, engines, sharing, smaller, leaves) in [
            (2, hash(2), 2, Sharing::Fixed, 1 << 16, 1 << 19),
            (2, hash(2), 2, Sharing::Shared, 1 << 16, 1 << 19),
            (2, hash(2), 1, Sharing::Shared, 1 << 15, 1 << 18),
            (2, hash(2), 3, Sharing::Shared, 1 << 15, 1 << 18),
            (2, hash(2), 4, Sharing::Fixed, 1 << 15, 1 << 18),
            (2, None, 2, Sharing::Fixed, 1 << 16, 1 << 19),
            (2, None, 2, Sharing::Shared, 1 << 16, 1 << 19),
            (8, None, 4, Sharing::Shared, 1 << 18, 1 << 21),
            (8, None, 8, Sharing::Shared, 1 << 18, 1 << 21),
            (8, hash(11), 2, Sharing::Shared, 1 << 15, 1 << 18),
            (8, hash(11), 4, Sharing::Shared, 1 << 15, 1 << 18),
            (8, hash(8), 3, Sharing::Fixed, 1 << 15, 1 << 18),
        ] {
            let what = format!("arity {arity}, {leaf:?}, {engines} engines, {sharing}");
            let preset = |name: &str| presets::by_name(name).expect("it is a preset");
            let rule = leaf.map_or(LeafRule::Digest, |leaf| LeafRule::Hash(preset(&leaf)));
            let nodes = preset(&format!("filecoin-arity-{arity}"));
            let request = CommitRequest {
                window: Some(2048..leaves as u32),
                sharing: Some(sharing),
                ..CommitRequest::new(nodes, rule, leaves)
            };
            let mut device = model(engines);
            let report = device
                .commit(&request, &mut Zeros, &mut NoNodes, &mut NoProgress)
                .expect("the tree is counted");
            let expected = report.counters.expect("a model counts");
            let mut last = 0;
            let total = request.hashes(&request.shape().expect("the tree exists"));
            let tree = count_on(&mut device, &request, smaller, &mut |done: u64, of: u64| {
                assert!(
                    (last..=of).contains(&done),
                    "{what}: {last} to {done} of {of}"
                );
                assert_eq!(of, total);
                last = done;
            });
            let tree = tree.expect("the smaller trees are counted");
            assert_eq!(tree.simulated_leaves, Some(smaller));
            let is_near = |found: u64, expected: u64| {
                let part = found as f64 / expected as f64;
                assert!((part - 1.0).abs() < 3e-3, "{what}: {found}, {expected}");
            };
            let found = &tree.counters;
            is_near(found.span(), expected.span());
            is_near(found.cycle_last_in, expected.cycle_last_in);
            is_near(found.window_cycles, expected.window_cycles);
            let busy = |counters: &Counters| {
                let engines = counters.engines(engines);
                engines.map(EngineCounters::busiest).sum()
            };
            is_near(busy(found), busy(&expected));
            let hashes = |counters: &Counters| {
                let engines = counters.engines(engines);
                engines.map(|engine| engine.hashes).sum()
            };
            is_near(hashes(found), hashes(&expected));
        }
    }

    /// Trees that repeat themselves are counted to the end, and others are not.
    #[test]
    fn trees_that_repeat_themselves_are_counted() {
        let preset = |name: &str| presets::by_name(name).expect("it is a preset");
        for (arity, leaves, engines, sharing, repeats) in [
            (8, 1 << 27, 1, Sharing::Shared, true),
            (8, 1 << 27, 2, Sharing::Shared, true),
            (8, 1 << 27, 2, Sharing::Fixed, true),
            (8, 1 << 27, 4, Sharing::Shared, false),
            (2, 1 << 21, 2, Sharing::Shared, false),
            (2, 1 << 21, 2, Sharing::Fixed, false),
        ] {
            let nodes = preset(&format!("filecoin-arity-{arity}"));
            let request = CommitRequest {
                sharing: Some(sharing),
                ..CommitRequest::new(nodes, LeafRule::Digest, leaves)
            };
            let mut device = model(engines);
            let report = device.count_within(&request, leaves / 8, &mut NoProgress);
            let report = report.expect("nothing fails");
            assert_eq!(
                report.is_some(),
                repeats,
                "{arity}, {engines} engines, {sharing}"
            );
        }
    }
}

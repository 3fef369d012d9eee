//! `acclmt bench tree`: cycles of whole Merkle trees, and how busy both hash engines are.

use crate::arguments::{
    DevicesArguments, EngineArguments, NodeMemoryArguments, UpperArguments, UpperSets,
};
use clap::Args;
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::backends::{
    BackendFactory, BackendOptions, different, only_cycles, open_devices, open_with,
};
use crate::console::Console;
use crate::error::CommandError;
use crate::prove::Upper;
use crate::side_by_side::{self, Effort};
use acclmt_driver::device::{
    CommitRequest, Counters, Device, EnginePlan, LeafKind, NoProgress, Progress, Zeros,
};
use acclmt_driver::level_table::standard_tree;
use acclmt_driver::nodes::NoNodes;
use acclmt_driver::sharing::Sharing;
use acclmt_measure::measurement::{
    TreeMeasurement, measure_tree, measure_tree_on_several, tree_plan,
};
use acclmt_measure::published;
use acclmt_merkle::levels::UpperPreset;
use acclmt_poseidon::fields::AnyParameters;
use acclmt_poseidon::presets;

/// Measure whole Merkle trees on a chip: cycles, and how busy both hash engines are
///
/// The root is compared with that of the software, unless the backend counts cycles only. That of a model counts a tree
/// that is too large to be simulated, and does not repeat itself, as a smaller one went on (`simulated_leaves` in the JSON
/// form). Several trees are measured side by side. On several devices a tree takes the cycles of the one that has most to
/// do, from the start of each of its runs to its end, and of the top that joins the sub-trees.
#[derive(Args)]
pub struct BenchTreeArguments {
    /// Numbers of leaves, powers of the arity, or with --upper products of the arities of the levels [default: those of a standard tree, 4096 at arity 2]
    #[arg(long, value_name = "N", num_args = 1.., value_delimiter = ',')]
    leaves: Vec<u64>,
    /// Named parameter sets, see `acclmt presets`
    #[arg(long, value_name = "NAME", num_args = 1.., default_value = "filecoin-arity-2")]
    preset: Vec<String>,
    /// What a leaf is: `element`, a ready digest; `hash`, the hash of as many elements as a hash takes;
    /// `row=C`, the digest of a row of C elements by the sponge of the parameter set
    #[arg(long, value_name = "RULE", default_value_t)]
    leaf: LeafKind,
    #[command(flatten)]
    upper: UpperArguments,
    #[command(flatten)]
    devices: DevicesArguments,
    #[command(flatten)]
    engines: EngineArguments,
    #[command(flatten)]
    node_memory: NodeMemoryArguments,
    /// Print a JSON object for each tree, one a line
    #[arg(long)]
    json: bool,
}

/// What was measured for a tree; a line of the JSON form.
#[derive(Serialize)]
struct Row {
    preset: String,
    #[serde(flatten)]
    upper: Option<Upper>,
    backend: String,
    /// What a leaf is, as `--leaf` says it.
    leaf: String,
    /// Devices that built the tree together.
    devices: usize,
    /// Hash engines of each of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    engines: Option<usize>,
    /// How they are used.
    #[serde(skip_serializing_if = "Option::is_none")]
    sharing: Option<Sharing>,
    #[serde(flatten)]
    tree: TreeMeasurement,
    /// Bytes of the memory in which nodes wait for their siblings.
    #[serde(skip_serializing_if = "Option::is_none")]
    node_memory_bytes: Option<u64>,
    /// Sub-engines are counted as busy in the time of `steady`, if there is one.
    counters: Counters,
    #[serde(skip_serializing_if = "Option::is_none")]
    paper_milliseconds: Option<f64>,
}

/// What is said of trees that were not simulated to their ends.
pub(crate) const GOES_ON: &str = "* too large to be simulated, and it does not repeat itself: all counters go on as those of a \
    smaller tree of its height ended; --json has `simulated_leaves`, the leaves of that.";

pub fn run(
    arguments: &BenchTreeArguments,
    backends: &dyn BackendFactory,
    console: &mut Console<'_>,
) -> Result<(), CommandError> {
    let names = &arguments.devices.names(backends)?;
    let backend = &different(names).join(" + ");
    let sets = arguments.preset.iter().map(|name| presets::by_name(name));
    let sets: Vec<_> = sets
        .collect::<Result<_, _>>()
        .map_err(CommandError::usage)?;
    let sets: Vec<(&AnyParameters, UpperSets)> = (sets.into_iter())
        .map(|set| Ok((set, arguments.upper.load(set)?)))
        .collect::<Result<_, CommandError>>()?;
    let options = arguments.engines.add_to(only_cycles());
    let options = &arguments.node_memory.add_to(options, names)?;
    let mut device = open_with(backends, names[0], options)?;
    let engines = device.num_engines();
    let sharing = engines.map(|count| (options.sharing).unwrap_or_else(|| Sharing::of_chip(count)));

    // What cannot be measured is said before hours of simulation.
    let mut trees = Vec::new();
    for (parameters, upper) in &sets {
        let parameters = *parameters;
        let leaves = match &arguments.leaves[..] {
            [] => vec![standard_tree(parameters.arity())],
            leaves => leaves.to_vec(),
        };
        for leaves in leaves {
            let rule = arguments.leaf.rule(parameters);
            let request = CommitRequest {
                upper: upper.levels(),
                ..CommitRequest::new(parameters, rule, leaves)
            };
            let plan = tree_plan(device.as_ref(), &request).map_err(CommandError::failure)?;
            trees.push((request, plan));
        }
        let mut notes = device.notes(parameters);
        // That of the largest tree says what is worth knowing of all.
        if names.len() == 1
            && let Some((request, _)) = trees.last()
        {
            notes.extend(device.commit_notes(request));
        }
        console.notes(&notes)?;
    }
    check_alike(backends, names, options, device.as_ref(), &trees)?;
    let hashes = |(request, _): &(CommitRequest<'_>, EnginePlan)| {
        let shape = request.shape().map_err(CommandError::failure)?;
        Ok::<_, CommandError>(request.hashes(&shape))
    };
    let total = (trees.iter().map(hashes)).sum::<Result<u64, CommandError>>()?;
    if let Some((request, _)) = trees.first() {
        Effort {
            cycles: trees.iter().map(cycles).sum(),
            longest: trees.iter().map(cycles).fold(0.0, f64::max) / names.len() as f64,
            tasks: trees.len() * names.len(),
            sample: sample(device.as_mut(), request).unwrap_or_default(),
        }
        .announce(backends, names[0], console)?;
    }
    // There may be no more than one: the measurements have theirs.
    drop(device);
    if !arguments.json {
        print_head(console)?;
    }
    let is_one = names.len() == 1;
    let is_paper = is_one
        && trees
            .iter()
            .any(|(request, _)| request.parameters.arity() == 2);
    let message = match trees.as_slice() {
        [(request, _)] => format!("{}, {} leaves", request.parameters.name(), request.leaves),
        trees => format!("{} trees", trees.len()),
    };
    let mut bar = console.progress(message);
    let work = |(request, _): &(CommitRequest<'_>, EnginePlan), progress: &mut dyn Progress| {
        // With equal shares the cycles do not depend on this machine.
        let mut device = open_devices(backends, names, options, true)?;
        let measured = if is_one {
            let standard = standard_tree(request.parameters.arity());
            measure_tree(device.as_mut(), request, standard, progress)
        } else {
            measure_tree_on_several(device.as_mut(), request, progress)
        };
        let (tree, counters) = measured.map_err(CommandError::failure)?;
        Ok((tree, counters, device.node_memory_bytes()))
    };
    let mut goes_on = false;
    side_by_side::run(&trees, &mut bar, total, work, |number, measured, bar| {
        let (request, leaf) = (&trees[number].0, arguments.leaf);
        let mut row = Row::new(request, backend, names.len(), leaf, measured);
        // It was measured, so there is such a tree.
        let shape = request.shape().map_err(CommandError::failure)?;
        row.upper = Upper::of(shape.arities(), &UpperPreset::of(&request.upper));
        (row.engines, row.sharing) = (engines, sharing);
        goes_on |= row.tree.simulated_leaves.is_some();
        bar.suspend(|| {
            if arguments.json {
                console.json_line(&row)
            } else {
                row.print(console)
            }
        })?;
        Ok(())
    })?;
    drop(bar);
    if !arguments.json && goes_on {
        console.line(GOES_ON)?;
    }
    if !arguments.json && is_paper {
        let (lhe, rhe) = published::UTILISATION;
        console.line(format!(
            "The paper's averages: LHE {:.1} %, RHE {:.1} %. `steady` is the time between the last leaf \
             of the first standard tree and that of the last one.",
            100.0 * lhe,
            100.0 * rhe
        ))?;
    }
    if !arguments.json && !is_one {
        console.line(
            "Cycles are those of the device whose sub-trees take the most, each run from its start to its end, and \
             of the top after them; LHE and RHE are the engines of that path.",
        )?;
    }
    Ok(())
}

/// Refuses devices that are not built alike: a measurement would be of none of them.
fn check_alike(
    backends: &dyn BackendFactory,
    names: &[&str],
    options: &BackendOptions,
    first: &dyn Device,
    trees: &[(CommitRequest<'_>, EnginePlan)],
) -> Result<(), CommandError> {
    for name in different(names).into_iter().skip(1) {
        let other = open_with(backends, name, options)?;
        let differ = |how: String| {
            Err(CommandError::Failure(format!(
                "the chips of the backends '{}' and '{name}' are not built alike: {how}; measure each of them \
                 on its own",
                names[0]
            )))
        };
        for (request, plan) in trees {
            let own = tree_plan(other.as_ref(), request).map_err(CommandError::failure)?;
            if own != *plan {
                let engine = |plan: &EnginePlan| {
                    format!(
                        "{} + {} sub-engines with {} cycles",
                        plan.num_full, plan.num_partial, plan.period
                    )
                };
                return differ(format!(
                    "a hash of '{}' takes {} and {}",
                    request.parameters.name(),
                    engine(plan),
                    engine(&own)
                ));
            }
        }
        if other.node_memory_bytes() != first.node_memory_bytes() {
            return differ("their node memories differ".to_owned());
        }
    }
    Ok(())
}

/// About the cycles of a tree: the hash engines work at the same time.
fn cycles((request, plan): &(CommitRequest<'_>, EnginePlan)) -> f64 {
    let leaves = request.leaves as f64;
    // Upper levels have few of them.
    let nodes = leaves / (request.parameters.arity().max(2) - 1) as f64;
    plan.period as f64 * nodes.max(leaves * request.leaf_hashes() as f64)
}

/// The cycles of the smallest tree with the same leaves, and how long they took.
fn sample(device: &mut dyn Device, request: &CommitRequest<'_>) -> Option<(u64, Duration)> {
    let request = CommitRequest {
        upper: Vec::new(),
        leaves: request.leaves.min(request.parameters.arity() as u64),
        ..request.clone()
    };
    let begin = Instant::now();
    // What goes wrong is said by the measurement.
    let report = device.commit(&request, &mut Zeros, &mut NoNodes, &mut NoProgress);
    Some((report.ok()?.cycles()?, begin.elapsed()))
}

impl Row {
    fn new(
        request: &CommitRequest<'_>,
        backend: &str,
        devices: usize,
        leaf: LeafKind,
        (tree, counters, node_memory_bytes): (TreeMeasurement, Counters, Option<u64>),
    ) -> Self {
        let name = request.parameters.name();
        // The paper has one device.
        let is_paper = name == "filecoin-arity-2"
            && request.upper.is_empty()
            && leaf == LeafKind::Hash
            && devices == 1;
        let paper = published::tree_figures(tree.leaves).filter(|_| is_paper);
        Self {
            preset: name.to_owned(),
            upper: None,
            backend: backend.to_owned(),
            leaf: leaf.to_string(),
            devices,
            engines: None,
            sharing: None,
            tree,
            node_memory_bytes,
            counters,
            paper_milliseconds: paper.map(|figures| figures.paper_milliseconds),
        }
    }

    fn print(&self, console: &mut Console<'_>) -> std::io::Result<()> {
        let percent = |share: f64| format!("{:.1} %", 100.0 * share);
        let steady = self
            .tree
            .steady
            .as_ref()
            .map_or_else(String::new, |steady| {
                let (lhe, rhe) = (steady.lhe_utilisation, steady.rhe_utilisation);
                format!("{} {}", percent(lhe), percent(rhe))
            });
        let goes_on = self.tree.simulated_leaves.map_or("", |_| " *");
        let paper = (self.paper_milliseconds).map_or_else(String::new, |time| format!("{time}"));
        console.line(format!(
            "{:<20}  {:>8}  {:>7}  {:>10}  {:>9.3}  {:>6}  {:>8.2}  {:>7}  {:>7}  {:>15}  {}{goes_on}",
            self.preset,
            self.tree.leaves,
            self.devices,
            self.tree.cycles,
            self.tree.milliseconds_at_500_mhz,
            paper,
            self.tree.cycles_per_leaf,
            percent(self.tree.lhe_utilisation),
            percent(self.tree.rhe_utilisation),
            steady,
            self.counters.high_water
        ))
    }
}

fn print_head(console: &mut Console<'_>) -> std::io::Result<()> {
    console.line(format!(
        "{:<20}  {:>8}  {:>7}  {:>10}  {:>9}  {:>6}  {:>8}  {:>7}  {:>7}  {:>15}  {}",
        "preset",
        "leaves",
        "devices",
        "cycles",
        "ms",
        "paper",
        "per leaf",
        "LHE",
        "RHE",
        "steady LHE RHE",
        "most words in the node memory"
    ))
}

//! `acclmt bench tree`: cycles of whole Merkle trees, and how busy both hash engines are.

use serde::Serialize;

use super::console::Console;
use super::{
    BackendFactory, BenchTreeArguments, CommandError, milliseconds, no_hash_engine, open_for_cycles,
};
use acclmt_driver::device::{
    CommitRequest, Counters, Device, DeviceError, EnginePlan, LeafKind, LeafSource, Progress,
};
use acclmt_driver::level_table::{NodeMemories, standard_tree};
use acclmt_driver::nodes::NoNodes;
use acclmt_driver::software::SoftwareDevice;
use acclmt_measure::published;
use acclmt_measure::vectors::generate_element;
use acclmt_poseidon::fields::FieldId;
use acclmt_poseidon::presets;
use acclmt_poseidon::word::Word;

/// What was measured for a tree; a line of the JSON form.
#[derive(Serialize)]
struct Row {
    preset: String,
    backend: String,
    /// What a leaf is, as `--leaf` says it.
    leaf: String,
    leaves: u64,
    /// Cycles from the first word in to the root out.
    cycles: u64,
    milliseconds_at_500_mhz: f64,
    cycles_per_leaf: f64,
    lhe_utilisation: f64,
    rhe_utilisation: f64,
    /// Between the last leaf of the first standard tree and the last leaf of the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    steady: Option<Steady>,
    /// Sub-engines are counted as busy in the time of `steady`, if there is one.
    counters: Counters,
    #[serde(skip_serializing_if = "Option::is_none")]
    paper_milliseconds: Option<f64>,
}

/// The time between the last leaf of the first standard tree and that of the last one.
#[derive(Serialize)]
struct Steady {
    leaves: u64,
    cycles: u64,
    lhe_utilisation: f64,
    rhe_utilisation: f64,
}

pub fn run(
    arguments: &BenchTreeArguments,
    backends: &dyn BackendFactory,
    console: &mut Console<'_>,
) -> Result<(), CommandError> {
    let backend = arguments.backend.name(backends)?;
    let sets = arguments.preset.iter().map(|name| presets::by_name(name));
    let sets: Vec<_> = sets
        .collect::<Result<_, _>>()
        .map_err(CommandError::usage)?;
    let mut device = open_for_cycles(backends, backend)?;

    // What cannot be measured is said before hours of simulation.
    let mut trees = Vec::new();
    for parameters in sets {
        let plan = device
            .engine_plan(parameters)
            .map_err(CommandError::failure)?;
        let plan = plan.ok_or_else(|| no_hash_engine(backend))?;
        let leaves = match &arguments.leaves[..] {
            [] => vec![standard_tree(parameters.arity(), &NodeMemories::PAPER)],
            leaves => leaves.to_vec(),
        };
        for leaves in leaves {
            let rule = arguments.leaf.rule(parameters);
            let request = CommitRequest::new(parameters, rule, leaves);
            request.shape().map_err(CommandError::failure)?;
            trees.push((request, plan));
        }
        console.notes(&device.notes(parameters))?;
    }
    if !arguments.json {
        print_head(console)?;
    }
    let is_paper = trees
        .iter()
        .any(|(request, _)| request.parameters.arity() == 2);
    for (request, plan) in trees {
        let row = measure(
            device.as_mut(),
            request,
            &plan,
            backend,
            arguments.leaf,
            console,
        )?;
        if arguments.json {
            console.json_line(&row)?;
        } else {
            row.print(console)?;
        }
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
    Ok(())
}

fn measure(
    device: &mut dyn Device,
    mut request: CommitRequest<'_>,
    plan: &EnginePlan,
    backend: &str,
    leaf: LeafKind,
    console: &Console<'_>,
) -> Result<Row, CommandError> {
    let (parameters, leaves) = (request.parameters, request.leaves);
    let standard = standard_tree(parameters.arity(), &NodeMemories::PAPER);
    if leaves > standard {
        let window = u32::try_from(standard)
            .and_then(|first| Ok(first..u32::try_from(leaves)?))
            .map_err(CommandError::failure)?;
        request.window = Some(window);
    }
    let mut bar = console.progress(format!("{}, {leaves} leaves", parameters.name()));
    let (root, counters) = commit(device, &request, &mut bar)?;
    if device.computes() {
        let source = &mut Generated::new(parameters.field());
        let expected = SoftwareDevice::new()
            .commit(&request, source, &mut NoNodes, &mut |_, _| {})
            .map_err(CommandError::failure)?;
        if root != expected.cap {
            return Err(CommandError::Failure(format!(
                "the root of {leaves} leaves of '{}' on '{}' differs from that of the software",
                parameters.name(),
                device.name()
            )));
        }
    }
    let steady = request.window.is_some().then(|| Steady {
        leaves: leaves - standard,
        cycles: counters.window_cycles,
        lhe_utilisation: counters.leaf.utilisation(counters.window_cycles),
        rhe_utilisation: counters.root.utilisation(counters.window_cycles),
    });
    let cycles = counters.span();
    let is_paper = parameters.name() == "filecoin-arity-2" && leaf == LeafKind::Hash;
    let paper = published::tree_figures(leaves).filter(|_| is_paper);
    Ok(Row {
        preset: parameters.name().to_owned(),
        backend: backend.to_owned(),
        leaf: leaf.to_string(),
        leaves,
        cycles,
        milliseconds_at_500_mhz: milliseconds(cycles),
        cycles_per_leaf: cycles as f64 / leaves as f64,
        lhe_utilisation: plan.utilisation(counters.leaf.hashes, counters.cycles),
        rhe_utilisation: plan.utilisation(counters.root.hashes, counters.cycles),
        steady,
        counters,
        paper_milliseconds: paper.map(|figures| figures.paper_milliseconds),
    })
}

/// The root and the counters of a tree over generated elements.
fn commit(
    device: &mut dyn Device,
    request: &CommitRequest<'_>,
    progress: &mut dyn Progress,
) -> Result<(Vec<Vec<Word>>, Counters), CommandError> {
    let source = &mut Generated::new(request.parameters.field());
    let report = device
        .commit(request, source, &mut NoNodes, progress)
        .map_err(CommandError::failure)?;
    let counters = report.counters.ok_or_else(|| {
        CommandError::Failure(format!("the backend '{}' counts no cycles", device.name()))
    })?;
    Ok((report.cap, counters))
}

/// Elements made of their index.
struct Generated {
    field: FieldId,
    index: usize,
}

impl Generated {
    fn new(field: FieldId) -> Self {
        Self { field, index: 0 }
    }
}

impl LeafSource for Generated {
    fn read(&mut self, elements: usize) -> Result<Vec<Word>, DeviceError> {
        let indices = self.index..self.index + elements;
        self.index = indices.end;
        Ok(indices
            .map(|index| generate_element(self.field, "bench", index))
            .collect())
    }
}

impl Row {
    fn print(&self, console: &mut Console<'_>) -> std::io::Result<()> {
        let percent = |share: f64| format!("{:.1} %", 100.0 * share);
        let steady = self.steady.as_ref().map_or_else(String::new, |steady| {
            let (lhe, rhe) = (steady.lhe_utilisation, steady.rhe_utilisation);
            format!("{} {}", percent(lhe), percent(rhe))
        });
        let paper = (self.paper_milliseconds).map_or_else(String::new, |time| format!("{time}"));
        let words: Vec<_> = self
            .counters
            .high_water
            .iter()
            .map(u64::to_string)
            .collect();
        console.line(format!(
            "{:<20}  {:>8}  {:>10}  {:>9.3}  {:>6}  {:>8.2}  {:>7}  {:>7}  {:>15}  {}",
            self.preset,
            self.leaves,
            self.cycles,
            self.milliseconds_at_500_mhz,
            paper,
            self.cycles_per_leaf,
            percent(self.lhe_utilisation),
            percent(self.rhe_utilisation),
            steady,
            words.join(" ")
        ))
    }
}

fn print_head(console: &mut Console<'_>) -> std::io::Result<()> {
    console.line(format!(
        "{:<20}  {:>8}  {:>10}  {:>9}  {:>6}  {:>8}  {:>7}  {:>7}  {:>15}  {}",
        "preset",
        "leaves",
        "cycles",
        "ms",
        "paper",
        "per leaf",
        "LHE",
        "RHE",
        "steady LHE RHE",
        "most words in the node memories"
    ))
}

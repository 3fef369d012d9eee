//! `acclmt bench pc2`: Filecoin's PreCommit 2 on a chip.

use clap::Args;

use crate::arguments::{BackendArguments, EngineArguments, NodeMemoryArguments};
use crate::backends::{BackendFactory, only_cycles, open_with};
use crate::bench_tree::GOES_ON;
use crate::console::Console;
use crate::error::CommandError;
use crate::side_by_side::Effort;
use acclmt_driver::device::{Device, NoProgress, Progress};
use acclmt_driver::sharing::Sharing;
use acclmt_measure::clocks::ASAP7;
use acclmt_measure::pc2::{
    Pc2Measurement, SECTORS, Sector, TreeFigures, expected_cycles, hashes, measure_pc2, notes,
};

/// Measure Filecoin's PreCommit 2 on a chip: the trees over the columns and over the replica of a sector
///
/// TreeC has the hashes of columns of 2 elements as leaves, of 11 from 32 GiB on; TreeR has the elements of the
/// replica. Nodes have eight children. The roots are compared with those of the software, unless the backend
/// counts cycles only.
#[derive(Args)]
pub struct Pc2Arguments {
    /// Size of the sector: 2KiB, 8MiB, 512MiB, 32GiB or 64GiB
    #[arg(long, value_name = "SIZE", default_value = "32GiB")]
    sector: String,
    /// What computes: `model` counts the cycles of every sector within a minute
    #[arg(long, value_name = "NAME", default_value = "model")]
    backend: String,
    #[command(flatten)]
    engines: EngineArguments,
    #[command(flatten)]
    node_memory: NodeMemoryArguments,
    /// Print a JSON object
    #[arg(long)]
    json: bool,
}

pub fn run(
    arguments: &Pc2Arguments,
    backends: &dyn BackendFactory,
    console: &mut Console<'_>,
) -> Result<(), CommandError> {
    let sector: Sector = arguments.sector.parse().map_err(CommandError::usage)?;
    let chosen = BackendArguments {
        backend: Some(arguments.backend.clone()),
    };
    let backend = chosen.name(backends)?;
    let options = arguments.engines.add_to(only_cycles());
    let options = arguments.node_memory.add_to(options, &[backend])?;
    let mut device = open_with(backends, backend, &options)?;
    // Both trees differ in what they need: engines that do both are always busy.
    let sharing = options.sharing.unwrap_or(Sharing::Shared);
    // What cannot be measured is said before hours of simulation.
    let total = hashes(device.as_ref(), &sector).map_err(CommandError::failure)?;
    console.notes(&notes(device.as_mut(), &sector, sharing))?;
    if device.computes() && sector != SECTORS[0] {
        let cycles = expected_cycles(device.as_ref(), &sector).map_err(CommandError::failure)?;
        Effort {
            cycles,
            longest: cycles,
            tasks: 1,
            sample: sample(device.as_mut(), sharing).unwrap_or_default(),
        }
        .announce(backends, backend, console)?;
    }
    let mut bar = console.progress(format!("PreCommit 2 of {}", sector.name));
    let measured = measure_pc2(
        device.as_mut(),
        &sector,
        sharing,
        &mut |done: u64, _: u64| {
            bar.report(done, total);
        },
    );
    let measured = measured.map_err(CommandError::failure)?;
    drop(bar);
    if arguments.json {
        console.json_line(&measured)?;
    } else {
        print(&measured, console)?;
    }
    Ok(())
}

/// The cycles of the smallest sector, and how long they took.
fn sample(device: &mut dyn Device, sharing: Sharing) -> Option<(u64, std::time::Duration)> {
    let begin = std::time::Instant::now();
    let report = measure_pc2(device, &SECTORS[0], sharing, &mut NoProgress).ok()?;
    Some((report.cycles, begin.elapsed()))
}

fn print(measured: &Pc2Measurement, console: &mut Console<'_>) -> std::io::Result<()> {
    let percent = |share: f64| format!("{:.1} %", 100.0 * share);
    console.line(format!(
        "{:<6}  {:>7}  {:>11}  {:>14}  {:>10}  {:>12}  {:>12}  {:>7}  {:>7}",
        "tree", "columns", "leaves", "cycles", "s", "words in", "words out", "LHE", "RHE"
    ))?;
    for tree in &measured.trees {
        let goes_on = tree.simulated_leaves.map_or("", |_| " *");
        console.line(format!(
            "{:<6}  {:>7}  {:>11}  {:>14}  {:>10.3}  {:>12}  {:>12}  {:>7}  {:>7}{goes_on}",
            format!("{:?}", tree.tree),
            tree.columns,
            tree.leaves,
            tree.cycles,
            tree.seconds,
            tree.words_in,
            tree.words_out,
            percent(tree.lhe_utilisation),
            percent(tree.rhe_utilisation),
        ))?;
    }
    let goes_on = |tree: &TreeFigures| tree.simulated_leaves.is_some();
    if measured.trees.iter().any(goes_on) {
        console.line(GOES_ON)?;
    }
    for tree in &measured.trees {
        if let Some(root) = &tree.root {
            console.line(format!("root of {:?}  {root}", tree.tree))?;
        }
    }
    if let Some(comm_r) = &measured.comm_r {
        console.line(format!("hash of both   {comm_r}"))?;
    }
    console.line(format!(
        "{} with {} hash engines ({}) at 500 MHz: {:.3} s ({:.3} s at {} MHz, {}), {} of the time busy; {:.2} GB/s in, {:.2} GB/s out",
        measured.sector,
        measured.engines,
        measured.sharing,
        measured.seconds,
        ASAP7.seconds(measured.cycles),
        ASAP7.megahertz,
        ASAP7.library,
        percent(measured.utilisation),
        measured.gigabytes_per_second_in,
        measured.gigabytes_per_second_out,
    ))?;
    if let Some(gpu) = &measured.gpu {
        let [from, to] = gpu.seconds;
        console.line(format!("published: {from:.0} to {to:.0} s, {}", gpu.what))?;
    }
    Ok(())
}

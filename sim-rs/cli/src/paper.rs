//! `acclmt bench paper`: the evaluation of the AcclMT paper, repeated.

use std::fs;
use std::path::PathBuf;

use clap::Args;

use crate::console::Console;
use crate::error::{CommandError, file_failure};
use crate::evaluation_file::{FILE, read, write, wrong_figure};
use crate::report;
use acclmt_measure::evaluation::{
    self, DEFAULT_ENGINE, DmaRuns, Evaluation, GOLDILOCKS_PRESET, MOST_LEAVES, Peers, TREE_PRESET,
};
use acclmt_measure::published;

/// Repeat the evaluation of the AcclMT paper: hash rates, trees, utilisation, schedules, ablations; and wide rows
///
/// Measured with the cycle-exact model; `acclmt bench engine` and `acclmt bench tree` measure the same on the
/// RTL. Writes `paper.json` and `report.html` into a folder.
#[derive(Args)]
pub struct PaperArguments {
    /// The folder to write into
    #[arg(long, value_name = "DIR", default_value = "target/paper")]
    out: PathBuf,
    /// Speed of other libraries on this CPU, as `acclmt-bench-peers --json` writes it
    #[arg(long, value_name = "FILE")]
    peers: Option<PathBuf>,
    /// Runs of the RTL through its DMA, as `dma_utilisation` of `acclmt-tb` prints them
    #[arg(long, value_name = "FILE")]
    dma: Option<PathBuf>,
    /// Leaves of the largest tree, a power of two
    #[arg(long, value_name = "N", default_value_t = MOST_LEAVES, value_parser = parse_most_leaves)]
    most_leaves: u64,
    /// What stands in the report as the version that was measured, such as a commit
    #[arg(long, value_name = "TEXT")]
    label: Option<String>,
    /// Print the whole evaluation as one JSON object
    #[arg(long)]
    json: bool,
}

fn parse_most_leaves(text: &str) -> Result<u64, String> {
    let sizes = || published::TREES.iter().map(|figures| figures.leaves);
    let leaves = text.parse().ok();
    leaves
        .filter(|leaves| sizes().any(|size| size == *leaves))
        .ok_or_else(|| {
            let sizes: Vec<_> = sizes().map(|leaves| leaves.to_string()).collect();
            format!("the paper's trees have {} leaves", sizes.join(", "))
        })
}

pub fn run(arguments: &PaperArguments, console: &mut Console<'_>) -> Result<(), CommandError> {
    // What cannot be read or written is said before the measurement.
    let peers: Option<Peers> = arguments.peers.as_deref().map(read).transpose()?;
    if let (Some(peers), Some(path)) = (&peers, &arguments.peers) {
        peers.check().map_err(|error| wrong_figure(path, &error))?;
    }
    let dma: Option<DmaRuns> = arguments.dma.as_deref().map(read).transpose()?;
    if let (Some(dma), Some(path)) = (&dma, &arguments.dma) {
        dma.check().map_err(|error| wrong_figure(path, &error))?;
    }
    let out = &arguments.out;
    fs::create_dir_all(out).map_err(|error| file_failure(out, &error))?;
    let mut bar = console.progress("the evaluation of the paper");
    let evaluation =
        evaluation::evaluate(arguments.most_leaves, &mut bar).map_err(CommandError::failure)?;
    drop(bar);
    let evaluation = Evaluation {
        label: arguments.label.clone(),
        peers,
        dma,
        ..evaluation
    };
    let path = out.join(FILE);
    write(&path, &evaluation)?;
    let page = report::write_page(out)?;
    if arguments.json {
        console.json(&evaluation)?;
        return Ok(());
    }
    console.line(format!(
        "{:<20}  {:>15}  {:>9}  {:>8}",
        "preset", "cycles per hash", "the paper", "Mhash/s"
    ))?;
    for figures in &published::HASHES {
        let mut engines = evaluation.engines.iter();
        let engine = engines.find(|engine| {
            engine.preset == figures.preset
                && (engine.num_full, engine.num_partial) == DEFAULT_ENGINE
        });
        if let Some(engine) = engine {
            console.line(format!(
                "{:<20}  {:>15.2}  {:>9.1}  {:>8.2}",
                engine.preset,
                engine.measurement.cycles_per_hash,
                figures.paper_cycles,
                engine.hash_rate / 1e6
            ))?;
        }
    }
    console.line(format!(
        "\n{:<20}  {:>15}  {:>9}  {:>8}",
        TREE_PRESET, "cycles", "paper, ms", "ms"
    ))?;
    for tree in &evaluation.trees {
        let figures = published::tree_figures(tree.leaves);
        let paper = figures.map_or_else(String::new, |f| f.paper_milliseconds.to_string());
        console.line(format!(
            "{:<20}  {:>15}  {:>9}  {:>8.3}",
            tree.leaves, tree.cycles, paper, tree.milliseconds_at_500_mhz
        ))?;
    }
    console.line(format!(
        "\n{:<20}  {:>15}  {:>9}  {:>8}  {:>15}",
        format!("{GOLDILOCKS_PRESET}, columns"),
        "cycles per row",
        "Mrow/s",
        "Melem/s",
        "shared: cycles"
    ))?;
    for rows in &evaluation.wide_rows {
        let shared = rows.shared.as_ref();
        let shared = shared.map_or_else(String::new, |tree| format!("{:.2}", tree.cycles_per_leaf));
        console.line(format!(
            "{:<20}  {:>15.2}  {:>9.3}  {:>8.1}  {shared:>15}",
            rows.columns,
            rows.tree.cycles_per_leaf,
            rows.row_rate / 1e6,
            rows.element_rate / 1e6
        ))?;
    }
    console.line("")?;
    console.entry("results", path.display())?;
    console.entry("report", page.display())?;
    Ok(())
}

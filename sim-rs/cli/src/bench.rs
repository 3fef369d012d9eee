//! `acclmt bench engine`: cycles per hash, latency and utilisation of a chip's hash engine.

use crate::arguments::BackendArguments;
use acclmt_measure::measurement::MAX_HASHES;
use clap::Args;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::backends::{BackendFactory, no_hash_engine, open_for_cycles};
use crate::console::Console;
use crate::error::CommandError;
use crate::side_by_side::{self, Effort};
use acclmt_driver::device::{Counters, EnginePlan, Progress};
use acclmt_measure::measurement::{
    self, DEFAULT_HASHES, EngineMeasurement, EngineRun, check_hashes, run_engine,
};
use acclmt_measure::published;
use acclmt_poseidon::fields::AnyParameters;
use acclmt_poseidon::{presets, user_file};

/// Measure the hash engine of a chip: cycles per hash in the steady state, latency, utilisation
///
/// Each row is measured with the chip's counters: a run of n hashes and one of 2 n hashes differ by
/// n hashes in the steady state. The digests of all runs are compared with those of the software. Runs are made
/// side by side.
#[derive(Args)]
pub struct BenchEngineArguments {
    /// `all`: every preset whose field the chip has, which is the default
    #[arg(value_name = "all", value_parser = [ALL_PRESETS])]
    all: Option<String>,
    /// Named parameter sets, see `acclmt presets`, or `all`
    #[arg(long, value_name = "NAME", num_args = 1.., value_delimiter = ',', conflicts_with = "all")]
    preset: Vec<String>,
    /// File with a parameter set, TOML or JSON
    #[arg(long, value_name = "FILE", conflicts_with = "all")]
    parameters: Vec<PathBuf>,
    #[command(flatten)]
    backend: BackendArguments,
    /// The hashes n of the shorter run, enough to fill the engine twice [default: 2048]
    #[arg(long, value_name = "N",
        value_parser = clap::value_parser!(u32).range(1..=MAX_HASHES as i64))]
    hashes: Option<u32>,
    /// Print a JSON object for each row, one a line
    #[arg(long)]
    json: bool,
}

/// Stands for every preset.
pub const ALL_PRESETS: &str = "all";

/// What was measured for a parameter set; a line of the JSON form.
#[derive(Serialize)]
struct Row {
    preset: String,
    backend: String,
    field: &'static str,
    width: usize,
    alpha: u64,
    full_rounds: usize,
    partial_rounds: usize,
    num_full: usize,
    num_partial: usize,
    #[serde(flatten)]
    engine: EngineMeasurement,
    paper_cycles_per_hash: Option<f64>,
    trident_cycles_per_hash: Option<f64>,
    notes: Vec<String>,
}

/// A preset that was not measured, and why not; a line of the JSON form.
#[derive(Serialize)]
struct Skipped {
    preset: String,
    skipped: String,
}

pub fn run(
    arguments: &BenchEngineArguments,
    backends: &dyn BackendFactory,
    console: &mut Console<'_>,
) -> Result<(), CommandError> {
    let backend = arguments.backend.name(backends)?;
    let (sets, all) = parameter_sets(arguments)?;
    let device = open_for_cycles(backends, backend)?;

    // What cannot be measured is said before hours of simulation.
    let mut plans = Vec::new();
    let mut left_out = Vec::new();
    for parameters in &sets {
        match device.engine_plan(parameters) {
            Ok(Some(plan)) => plans.push((parameters, plan)),
            Ok(None) => return Err(no_hash_engine(backend)),
            Err(unsupported) if all => left_out.push(Skipped {
                preset: parameters.name().to_owned(),
                skipped: unsupported.reason,
            }),
            Err(unsupported) => return Err(CommandError::failure(unsupported)),
        }
    }
    if plans.is_empty() {
        return Err(CommandError::Failure(format!(
            "the backend '{backend}' supports none of the {} presets, so nothing was measured",
            left_out.len()
        )));
    }
    let hashes = arguments.hashes.map_or(DEFAULT_HASHES, u64::from);
    let all_notes: Vec<_> = (plans.iter())
        .map(|(parameters, _)| device.notes(parameters))
        .collect();
    // There may be no more than one: the measurements have theirs.
    drop(device);
    for notes in &all_notes {
        console.notes(notes)?;
    }
    // Single hashes, which say whether so many hashes are enough, and how fast the backend is.
    let mut singles = Vec::new();
    let mut time = Duration::ZERO;
    let mut bar = console.progress("single hashes");
    let work = |(parameters, _): &(&AnyParameters, EnginePlan), progress: &mut dyn Progress| {
        let mut device = open_for_cycles(backends, backend)?;
        let begin = Instant::now();
        let counters =
            run_engine(device.as_mut(), parameters, 1, progress).map_err(CommandError::failure)?;
        Ok((counters, begin.elapsed()))
    };
    side_by_side::run(
        &plans,
        &mut bar,
        plans.len() as u64,
        work,
        |_, (single, took), _| {
            singles.push(single);
            time += took;
            Ok(())
        },
    )?;
    drop(bar);
    for ((parameters, plan), single) in plans.iter().zip(&singles) {
        check_hashes(parameters, plan, hashes, single).map_err(CommandError::failure)?;
    }

    // The two long runs of each set.
    let tasks: Vec<_> = (plans.iter())
        .flat_map(|plan| [EngineRun::Long, EngineRun::Short].map(|run| (plan, run)))
        .collect();
    let cycles = |&((_, plan), run): &(&(&AnyParameters, EnginePlan), EngineRun)| {
        (plan.period * run.hashes(hashes)) as f64
    };
    Effort {
        cycles: tasks.iter().map(cycles).sum(),
        longest: tasks.iter().map(cycles).fold(0.0, f64::max),
        tasks: tasks.len(),
        sample: (singles.iter().map(|single| single.cycles).sum(), time),
    }
    .announce(backends, backend, console)?;
    if !arguments.json {
        print_head(console, &sets)?;
    }
    let total = 3 * hashes * plans.len() as u64;
    let message = match plans.as_slice() {
        [(parameters, _)] => parameters.name().to_owned(),
        plans => format!("{} parameter sets", plans.len()),
    };
    let mut bar = console.progress(message);
    let work = |&((parameters, _), run): &(&(&AnyParameters, _), EngineRun),
                progress: &mut dyn Progress| {
        let mut device = open_for_cycles(backends, backend)?;
        run_engine(device.as_mut(), parameters, run.hashes(hashes), progress)
            .map_err(CommandError::failure)
    };
    let mut long: Option<Counters> = None;
    let mut notes = all_notes.into_iter();
    side_by_side::run(&tasks, &mut bar, total, work, |number, counters, bar| {
        let Some(long) = long.take() else {
            long = Some(counters);
            return Ok(());
        };
        let (parameters, plan) = tasks[number].0;
        let runs = [&singles[number / 2], &counters, &long];
        let engine = measurement::steady_state(parameters, plan, hashes, runs)
            .map_err(CommandError::failure)?;
        let notes = notes.next().unwrap_or_default();
        let row = Row::new(parameters, backend, plan, engine, notes);
        bar.suspend(|| {
            if arguments.json {
                console.json_line(&row)
            } else {
                row.print(console, &sets)
            }
        })?;
        Ok(())
    })?;
    drop(bar);
    for preset in &left_out {
        if arguments.json {
            console.json_line(preset)?;
        } else {
            console.line(format!("skipped {}: {}", preset.preset, preset.skipped))?;
        }
    }
    Ok(())
}

/// The parameter sets asked for, and whether that were all presets.
fn parameter_sets(
    arguments: &BenchEngineArguments,
) -> Result<(Vec<AnyParameters>, bool), CommandError> {
    let named = !arguments.preset.is_empty() || !arguments.parameters.is_empty();
    let all = arguments.preset.iter().any(|name| name == ALL_PRESETS);
    if all && (arguments.preset.len() > 1 || !arguments.parameters.is_empty()) {
        return Err(CommandError::Usage(format!(
            "'{ALL_PRESETS}' stands for every preset; give it alone"
        )));
    }
    if all || !named {
        let sets = presets::all()
            .iter()
            .map(|preset| preset.parameters().clone());
        return Ok((sets.collect(), true));
    }
    let presets = arguments.preset.iter().map(|name| {
        let preset = presets::by_name(name).map_err(CommandError::usage)?;
        Ok(preset.clone())
    });
    let files = arguments
        .parameters
        .iter()
        .map(|path| user_file::load(path).map_err(CommandError::failure));
    let sets = presets.chain(files).collect::<Result<_, CommandError>>()?;
    Ok((sets, false))
}

impl Row {
    fn new(
        parameters: &AnyParameters,
        backend: &str,
        plan: &EnginePlan,
        engine: EngineMeasurement,
        notes: Vec<String>,
    ) -> Self {
        let published = published::hash_figures(parameters.name());
        Self {
            preset: parameters.name().to_owned(),
            backend: backend.to_owned(),
            field: parameters.field().name(),
            width: parameters.width(),
            alpha: parameters.alpha(),
            full_rounds: parameters.full_rounds(),
            partial_rounds: parameters.partial_rounds(),
            num_full: plan.num_full,
            num_partial: plan.num_partial,
            engine,
            paper_cycles_per_hash: published.map(|figures| figures.paper_cycles),
            trident_cycles_per_hash: published.and_then(|figures| figures.trident_cycles),
            notes,
        }
    }

    fn print(&self, console: &mut Console<'_>, sets: &[AnyParameters]) -> std::io::Result<()> {
        let width = name_width(sets);
        let percent = |share: f64| format!("{:.1} %", 100.0 * share);
        let published = |value: Option<f64>| value.map_or_else(String::new, |v| format!("{v:.1}"));
        let engine = &self.engine;
        let occupied: Vec<_> = [engine.utilisation.full]
            .into_iter()
            .chain(engine.utilisation.partial.iter().copied())
            .chain(engine.utilisation.full_last)
            .map(|share| format!("{:.1}", 100.0 * share))
            .collect();
        console.line(format!(
            "{:<width$}  {:>7.2}  {:>7}  {:>6}  {:>6.2}  {:>11}  {:>6}  {:>7}  {} %",
            self.preset,
            engine.cycles_per_hash,
            engine.latency_cycles,
            engine.period,
            engine.multiplier_bound,
            percent(engine.multiplier_utilisation),
            published(self.paper_cycles_per_hash),
            published(self.trident_cycles_per_hash),
            occupied.join(" ")
        ))
    }
}

fn name_width(sets: &[AnyParameters]) -> usize {
    let names = sets.iter().map(|set| set.name().len());
    names.chain(["preset".len()]).max().unwrap_or_default()
}

fn print_head(console: &mut Console<'_>, sets: &[AnyParameters]) -> std::io::Result<()> {
    console.line(format!(
        "{:<width$}  {:>7}  {:>7}  {:>6}  {:>6}  {:>11}  {:>6}  {:>7}  {}",
        "preset",
        "cycles",
        "latency",
        "period",
        "bound",
        "multipliers",
        "paper",
        "TRIDENT",
        "occupied: full, partial ..",
        width = name_width(sets)
    ))
}

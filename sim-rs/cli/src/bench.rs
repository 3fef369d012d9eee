//! `acclmt bench engine`: cycles per hash, latency and utilisation of a chip's hash engine.

use serde::Serialize;

use super::console::Console;
use super::{
    ALL_PRESETS, BackendFactory, BenchEngineArguments, CommandError, no_hash_engine,
    open_for_cycles,
};
use acclmt_driver::device::{Counters, Device, EnginePlan, Progress};
use acclmt_driver::software::SoftwareDevice;
use acclmt_measure::published;
use acclmt_measure::vectors::generate_element;
use acclmt_poseidon::fields::AnyParameters;
use acclmt_poseidon::word::Word;
use acclmt_poseidon::{parameter_file, presets};

/// Hashes of the shorter of two runs, where no number is given. Hashes leave the ring of sub-engines in
/// bunches as long as its pipelines: they must not matter beside so many.
const HASHES: u32 = 2048;

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
    /// Cycles per hash in the steady state.
    cycles_per_hash: f64,
    /// Cycles from the first word in to the last word out of a single hash.
    latency_cycles: u64,
    /// Cycles per hash that the occupation of the busiest sub-engine allows.
    period: u64,
    /// Cycles per hash if no multiplier ever waited.
    multiplier_bound: f64,
    utilisation: Utilisation,
    /// The share of its cycles in which a multiplier does work that the hash needs.
    multiplier_utilisation: f64,
    paper_cycles_per_hash: Option<f64>,
    trident_cycles_per_hash: Option<f64>,
    /// Hashes between which the steady state was measured.
    hashes: u64,
    notes: Vec<String>,
}

/// The share of the cycles in the steady state in which each sub-engine is occupied.
#[derive(Serialize)]
struct Utilisation {
    full: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    full_last: Option<f64>,
    partial: Vec<f64>,
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
    let mut device = open_for_cycles(backends, backend)?;

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
    if !arguments.json {
        print_head(console, &sets)?;
    }
    for (parameters, plan) in plans {
        let notes = device.notes(parameters);
        console.notes(&notes)?;
        let hashes = u64::from(arguments.hashes.unwrap_or(HASHES));
        let mut bar = console.progress(parameters.name().to_owned());
        let measured = measure(device.as_mut(), parameters, &plan, hashes, &mut bar);
        drop(bar);
        let row = Row::new(parameters, backend, &plan, &measured?, notes);
        if arguments.json {
            console.json_line(&row)?;
        } else {
            row.print(console, &sets)?;
        }
    }
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
        .map(|path| parameter_file::load(path).map_err(CommandError::failure));
    let sets = presets.chain(files).collect::<Result<_, CommandError>>()?;
    Ok((sets, false))
}

/// What the counters gave.
struct Measured {
    latency_cycles: u64,
    /// Hashes of the steady state.
    hashes: u64,
    /// Cycles of these hashes.
    cycles: u64,
    /// Occupied cycles of the sub-engines meanwhile.
    busy_full: u64,
    busy_full_last: u64,
    busy_partial: Vec<u64>,
}

/// Measures a single hash, a run of `hashes` and one of twice as many.
fn measure(
    device: &mut dyn Device,
    parameters: &AnyParameters,
    plan: &EnginePlan,
    hashes: u64,
    progress: &mut dyn Progress,
) -> Result<Measured, CommandError> {
    let total = 1 + 3 * hashes;
    let mut done = 0;
    let mut run = |count: u64| {
        let before = done;
        done += count;
        counters_of(device, parameters, count, &mut |now: u64, _| {
            progress.report(before + now, total);
        })
    };
    let single = run(1)?;
    let short = run(hashes)?;
    let long = run(2 * hashes)?;
    let span = |counters: &Counters| counters.cycle_last_out.checked_sub(counters.cycle_first_in);
    let difference = |long: u64, short: u64| {
        long.checked_sub(short).ok_or_else(|| {
            CommandError::Failure(format!(
                "the counters of {} and of {hashes} hashes of '{}' contradict each other: {long} \
                 is less than {short}",
                2 * hashes,
                parameters.name()
            ))
        })
    };
    let (Some(latency_cycles), Some(short_cycles), Some(long_cycles)) =
        (span(&single), span(&short), span(&long))
    else {
        return Err(CommandError::Failure(format!(
            "the counters say that hashes of '{}' came out before their input went in",
            parameters.name()
        )));
    };
    let (short, long) = (short.leaf, long.leaf);
    Ok(Measured {
        latency_cycles,
        hashes: difference(long.hashes, short.hashes)?,
        cycles: difference(long_cycles, short_cycles)?,
        busy_full: difference(long.busy_full, short.busy_full)?,
        busy_full_last: difference(long.busy_full_last, short.busy_full_last)?,
        busy_partial: (long.busy_partial.iter())
            .zip(&short.busy_partial)
            .take(plan.num_partial)
            .map(|(&long, &short)| difference(long, short))
            .collect::<Result<_, _>>()?,
    })
}

/// The counters of a run of `count` hashes, whose digests must be right.
fn counters_of(
    device: &mut dyn Device,
    parameters: &AnyParameters,
    count: u64,
    progress: &mut dyn Progress,
) -> Result<Counters, CommandError> {
    let inputs: Vec<Vec<Word>> = (0..count as usize)
        .map(|hash| {
            (0..parameters.inputs())
                .map(|i| hash * parameters.inputs() + i)
                .map(|index| generate_element(parameters.field(), "bench", index))
                .collect()
        })
        .collect();
    let report = device
        .hash(parameters, &inputs, progress)
        .map_err(CommandError::failure)?;
    if device.computes() {
        let expected = SoftwareDevice::new()
            .hash(parameters, &inputs, &mut |_, _| {})
            .map_err(CommandError::failure)?;
        if let Some(index) =
            (0..inputs.len()).find(|&i| report.digests.get(i) != expected.digests.get(i))
        {
            return Err(CommandError::Failure(format!(
                "hash {index} of {count} of '{}' on '{}' differs from that of the software",
                parameters.name(),
                device.name()
            )));
        }
    }
    report.counters.ok_or_else(|| {
        CommandError::Failure(format!("the backend '{}' counts no cycles", device.name()))
    })
}

impl Row {
    fn new(
        parameters: &AnyParameters,
        backend: &str,
        plan: &EnginePlan,
        measured: &Measured,
        notes: Vec<String>,
    ) -> Self {
        let share = |busy: u64| busy as f64 / measured.cycles.max(1) as f64;
        let cycles_per_hash = measured.cycles as f64 / measured.hashes.max(1) as f64;
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
            cycles_per_hash,
            latency_cycles: measured.latency_cycles,
            period: plan.period,
            multiplier_bound: plan.multiplier_bound(),
            utilisation: Utilisation {
                full: share(measured.busy_full),
                full_last: (plan.num_full > 1).then(|| share(measured.busy_full_last)),
                partial: measured.busy_partial.iter().copied().map(share).collect(),
            },
            multiplier_utilisation: plan.multiplier_bound() / cycles_per_hash,
            paper_cycles_per_hash: published.map(|figures| figures.paper_cycles),
            trident_cycles_per_hash: published.and_then(|figures| figures.trident_cycles),
            hashes: measured.hashes,
            notes,
        }
    }

    fn print(&self, console: &mut Console<'_>, sets: &[AnyParameters]) -> std::io::Result<()> {
        let width = name_width(sets);
        let percent = |share: f64| format!("{:.1} %", 100.0 * share);
        let published = |value: Option<f64>| value.map_or_else(String::new, |v| format!("{v:.1}"));
        let occupied: Vec<_> = [self.utilisation.full]
            .into_iter()
            .chain(self.utilisation.partial.iter().copied())
            .chain(self.utilisation.full_last)
            .map(|share| format!("{:.1}", 100.0 * share))
            .collect();
        console.line(format!(
            "{:<width$}  {:>7.2}  {:>7}  {:>6}  {:>6.2}  {:>11}  {:>6}  {:>7}  {} %",
            self.preset,
            self.cycles_per_hash,
            self.latency_cycles,
            self.period,
            self.multiplier_bound,
            percent(self.multiplier_utilisation),
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

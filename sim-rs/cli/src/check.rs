//! `acclmt check`: test vectors of other implementations.

use crate::arguments::BackendArguments;
use clap::Args;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use serde::Serialize;

use crate::backends::{BackendFactory, BackendOptions};
use crate::console::Console;
use crate::error::CommandError;
use crate::long_runs::{LONG, about, faster};
use acclmt_driver::device::Progress as _;
use acclmt_measure::vectors::{self, Outcome, VectorFile};
use acclmt_poseidon::fields::AnyParameters;

/// Run every case of files of test vectors that the backend supports
#[derive(Args)]
pub struct CheckArguments {
    /// Files in the format `poseidon-vectors/1`
    #[arg(required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    backend: BackendArguments,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// What came of all files, in its JSON form.
#[derive(Serialize)]
struct Report<'a> {
    backend: &'a str,
    passed: usize,
    failed: usize,
    skipped: usize,
    files: Vec<FileReport>,
}

/// What came of a file.
#[derive(Serialize)]
struct FileReport {
    file: String,
    source: String,
    cases: Vec<CaseReport>,
}

/// What came of a case.
#[derive(Serialize)]
struct CaseReport {
    name: String,
    outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    got: Option<String>,
}

pub fn run(
    arguments: &CheckArguments,
    backends: &dyn BackendFactory,
    console: &mut Console<'_>,
) -> Result<(), CommandError> {
    let backend = arguments.backend.name(backends)?;
    // A file that cannot be read is noticed before hours of simulation.
    let files = arguments
        .files
        .iter()
        .map(|path| VectorFile::load(path))
        .collect::<Result<Vec<_>, _>>()
        .map_err(CommandError::failure)?;
    let parts = parts(&files);
    let threads = thread::available_parallelism()
        .map_or(1, NonZeroUsize::get)
        .min(backends.at_a_time(backend))
        .min(parts.len())
        .max(1);
    console.notes(&time_note(&files, threads, backends, backend)?)?;

    let total = files.iter().map(|file| file.cases.len() as u64).sum();
    let mut progress = console.progress_of("checking", "cases");
    let mut done = 0;
    // What came of the cases of each file, as far as it is known.
    let mut outcomes: Vec<Vec<Option<Outcome>>> = (files.iter())
        .map(|file| vec![None; file.cases.len()])
        .collect();
    let mut report = Report {
        backend,
        passed: 0,
        failed: 0,
        skipped: 0,
        files: Vec::new(),
    };
    // Whoever reads the results may want no more of them; the cases are run all the same.
    let mut printed = Ok(());
    run_parts(
        &files,
        parts,
        threads,
        backends,
        backend,
        &mut |part, came| {
            for (&case, outcome) in part.cases.iter().zip(came) {
                outcomes[part.file][case] = Some(outcome);
            }
            done += part.cases.len() as u64;
            progress.report(done, total);
            // Files are reported in order, each as soon as it is complete.
            while let Some(outcomes) = outcomes.get_mut(report.files.len())
                && outcomes.iter().all(Option::is_some)
            {
                let number = report.files.len();
                let outcomes = outcomes.iter_mut().filter_map(Option::take);
                let file = FileReport::new(&arguments.files[number], &files[number], outcomes);
                report.passed += file.count(PASSED);
                report.failed += file.count(FAILED);
                report.skipped += file.count(SKIPPED);
                if !arguments.json && printed.is_ok() {
                    printed = progress.suspend(|| file.print(console));
                }
                report.files.push(file);
            }
        },
    )?;
    drop(progress);
    if printed.is_ok() {
        printed = if arguments.json {
            console.json(&report)
        } else {
            console.line(format!(
                "{} passed, {} failed, {} skipped on the backend '{backend}'",
                report.passed, report.failed, report.skipped
            ))
        };
    }
    match (report.failed, report.passed) {
        (0, 0) => Err(CommandError::Failure(format!(
            "the backend '{backend}' supports none of the {} cases, so nothing was checked",
            report.skipped
        ))),
        (0, _) => Ok(printed?),
        (failed, passed) => Err(CommandError::Failure(format!(
            "{failed} of the {} cases that were run failed",
            failed + passed
        ))),
    }
}

/// Cases of a file that go to a device together.
struct Part {
    file: usize,
    cases: Vec<usize>,
    /// Runs that wait for the one before, for an order in which long parts come first.
    runs: u64,
}

/// Every chain is a part of its own, and so is what is left of each file.
fn parts(files: &[VectorFile]) -> Vec<Part> {
    let mut parts = Vec::new();
    for (file, vectors) in files.iter().enumerate() {
        let (chains, rest): (Vec<usize>, Vec<usize>) =
            (0..vectors.cases.len()).partition(|&case| vectors.cases[case].is_chain());
        let groups = chains.into_iter().map(|case| vec![case]).chain([rest]);
        parts.extend(groups.filter(|cases| !cases.is_empty()).map(|cases| {
            let work = cases.iter().flat_map(|&case| vectors.cases[case].work());
            let runs = work.map(|work| work.runs).sum();
            Part { file, cases, runs }
        }));
    }
    // Files stay in order where they take no longer than others.
    parts.sort_by_key(|part| std::cmp::Reverse(part.runs));
    parts
}

/// Runs all parts, each of `threads` threads with a device of its own, and hands over what came of each.
fn run_parts(
    files: &[VectorFile],
    parts: Vec<Part>,
    threads: usize,
    backends: &dyn BackendFactory,
    backend: &str,
    take: &mut dyn FnMut(Part, Vec<Outcome>),
) -> Result<(), CommandError> {
    let parts = Mutex::new(parts.into_iter());
    let next = || (parts.lock().unwrap_or_else(PoisonError::into_inner)).next();
    let (sender, receiver) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..threads {
            let sender = sender.clone();
            scope.spawn(move || {
                let mut device = match backends.open(backend, &BackendOptions::default()) {
                    Ok(device) => device,
                    Err(error) => {
                        // Nobody listens where another device could not be made either.
                        let _ = sender.send(Err(CommandError::failure(error)));
                        return;
                    }
                };
                while let Some(part) = next() {
                    let cases = part.cases.iter().map(|&case| &files[part.file].cases[case]);
                    let outcomes = vectors::run_cases(device.as_mut(), cases);
                    if sender.send(Ok((part, outcomes))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        for result in receiver {
            let (part, outcomes) = result?;
            take(part, outcomes);
        }
        Ok(())
    })
}

/// What is to be said before a check that takes minutes.
fn time_note(
    files: &[VectorFile],
    threads: usize,
    backends: &dyn BackendFactory,
    backend: &str,
) -> Result<Vec<String>, CommandError> {
    // Runs and hashes of each parameter set, those of chains apart.
    let mut sets: BTreeMap<(&str, bool), (&AnyParameters, u64, u64)> = BTreeMap::new();
    for case in files.iter().flat_map(|file| &file.cases) {
        for work in case.work() {
            let set = sets.entry((work.parameters.name(), case.is_chain()));
            let (_, runs, hashes) = set.or_insert((work.parameters, 0, 0));
            *runs += work.runs;
            *hashes += work.hashes;
        }
    }
    let time = |name: &str, only_chains: bool| -> Option<Duration> {
        let mut device = backends.open(name, &BackendOptions::default()).ok()?;
        let sets = (sets.iter()).filter(|((_, is_chain), _)| *is_chain || !only_chains);
        let times = sets.filter_map(|(_, &(parameters, runs, hashes))| {
            device.supports(parameters).ok()?;
            device.hash_time(parameters, runs, hashes)
        });
        Some(times.sum::<Duration>() / threads as u32)
    };
    let Some(known) = time(backend, false).filter(|&time| time >= LONG) else {
        return Ok(Vec::new());
    };
    let mut note = format!("this takes {} on the backend '{backend}'", about(known));
    if let Some(chains) = time(backend, true).filter(|&chains| 2 * chains > known) {
        let _ = write!(
            note,
            ", {} of it for chains, where every hash waits for the one before",
            about(chains)
        );
    }
    note += &faster(backends, backend, known, |name| time(name, false));
    Ok(vec![note])
}

impl FileReport {
    fn new(path: &Path, file: &VectorFile, outcomes: impl Iterator<Item = Outcome>) -> Self {
        let cases = file.cases.iter().zip(outcomes);
        Self {
            file: path.display().to_string(),
            source: file.source.clone(),
            cases: cases
                .map(|(case, outcome)| CaseReport::new(&case.name, outcome))
                .collect(),
        }
    }

    /// Cases of which this came.
    fn count(&self, outcome: &str) -> usize {
        let cases = self.cases.iter();
        cases.filter(|case| case.outcome == outcome).count()
    }

    fn print(&self, console: &mut Console<'_>) -> io::Result<()> {
        console.line(format!("{} ({})", self.file, self.source))?;
        self.cases.iter().try_for_each(|case| case.print(console))
    }
}

const PASSED: &str = "passed";
const FAILED: &str = "failed";
const SKIPPED: &str = "skipped";

impl CaseReport {
    fn new(name: &str, outcome: Outcome) -> Self {
        let report = Self {
            name: name.to_owned(),
            outcome: PASSED,
            reason: None,
            expected: None,
            got: None,
        };
        match outcome {
            Outcome::Passed => report,
            Outcome::Failed { expected, got } => Self {
                outcome: FAILED,
                expected: Some(expected),
                got: Some(got),
                ..report
            },
            Outcome::Skipped { reason } => Self {
                outcome: SKIPPED,
                reason: Some(reason),
                ..report
            },
        }
    }

    fn print(&self, console: &mut Console<'_>) -> std::io::Result<()> {
        let (outcome, name) = (self.outcome, &self.name);
        match (&self.reason, &self.expected, &self.got) {
            (Some(reason), _, _) => console.line(format!("  {outcome:<8} {name}: {reason}")),
            (_, Some(expected), Some(got)) => {
                console.line(format!("  {outcome:<8} {name}"))?;
                console.line(format!("           expected {expected}"))?;
                console.line(format!("           got      {got}"))
            }
            _ => console.line(format!("  {outcome:<8} {name}")),
        }
    }
}

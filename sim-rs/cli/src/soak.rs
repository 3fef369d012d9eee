//! `acclmt soak`: random cases, for as long as wanted.

mod case;
mod run;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;
use serde::Serialize;

use crate::arguments::BackendArguments;
use crate::backends::{BackendFactory, SOFTWARE};
use crate::console::Console;
use crate::error::{CommandError, file_failure};
use crate::{files, side_by_side};
use acclmt_poseidon::fields::FieldId;
use case::{Case, Leaf, Set, Work};
use run::{Done, Runner};

/// Run random cases on a device, for as long as wanted: parameter sets, trees, rows, stalls, aborted runs, bad elements,
/// zeroisations and wild register writes, against the reference and, on a chip, the model
///
/// Every case follows from its seed. One that fails is made smaller and written to the corpus, with the command that
/// repeats it; cases of a new kind are kept there, too. A later run begins with what the corpus has, and with cases
/// that never ended. The exit code is 1 where a case failed.
#[derive(Args)]
pub struct SoakArguments {
    /// Hours that it goes on
    #[arg(long, value_name = "H", conflicts_with = "replay")]
    hours: Option<f64>,
    /// Cases, at most [default: as many as there is time for, and if neither is given, 1000]
    #[arg(long, value_name = "N", conflicts_with = "replay")]
    cases: Option<u64>,
    /// Seed of the first case; each other one has the next number
    #[arg(long, value_name = "S", default_value_t = 1, conflicts_with = "replay")]
    seed: u64,
    /// Folder of cases that are kept
    #[arg(
        long,
        value_name = "DIR",
        default_value = "soak-corpus",
        conflicts_with = "replay"
    )]
    corpus: PathBuf,
    /// Cases at the same time [default: the processors]
    #[arg(long, value_name = "N", conflicts_with = "replay")]
    jobs: Option<usize>,
    /// Run the case of this file only
    #[arg(long, value_name = "FILE")]
    replay: Option<PathBuf>,
    #[command(flatten)]
    backend: BackendArguments,
    /// Print one JSON object
    #[arg(long, conflicts_with = "replay")]
    json: bool,
}

/// What was done.
#[derive(Clone, Debug, Default, Serialize)]
struct Total {
    backend: String,
    seconds: u64,
    cases: u64,
    /// Cases that the device or the reference refused.
    refused: u64,
    /// Hashes that were compared with the reference.
    hashes: u64,
    cycles: u64,
    /// Cases whose counters were compared with those of the model.
    compared_with_model: u64,
    failed: Vec<Failure>,
    next_seed: u64,
}

/// A case that failed.
#[derive(Clone, Debug, Serialize)]
struct Failure {
    seed: u64,
    /// What was wrong.
    fault: String,
    /// The small case that is as wrong.
    file: PathBuf,
}

/// Cases that shrinking tries.
const MOST_TRIES: usize = 300;
/// How often it is said how far it is.
const MINUTE: Duration = Duration::from_secs(60);
/// Hours beyond which a number is a mistake.
const MOST_HOURS: f64 = 10_000.0;
const DEFAULT_CASES: u64 = 1000;

pub fn run(
    arguments: &SoakArguments,
    backends: &dyn BackendFactory,
    console: &mut Console<'_>,
) -> Result<(), CommandError> {
    let backend = arguments.backend.name(backends)?;
    if backend == SOFTWARE {
        return Err(CommandError::Usage(format!(
            "the backend '{SOFTWARE}' is the reference itself; take that of a chip"
        )));
    }
    if let Some(file) = &arguments.replay {
        return replay(file, backend, backends, console);
    }
    if let Some(hours) = arguments.hours
        && !(hours > 0.0 && hours <= MOST_HOURS)
    {
        return Err(CommandError::Usage(format!(
            "--hours {hours} is not above 0 and at most {MOST_HOURS}"
        )));
    }
    if arguments.cases == Some(0) || arguments.jobs == Some(0) {
        return Err(CommandError::Usage(
            "--cases and --jobs are at least 1".to_owned(),
        ));
    }
    let total = soak(arguments, backend, backends, console)?;
    if arguments.json {
        console.json(&total)?;
    } else {
        console.line(describe(&total))?;
    }
    match total.failed.len() {
        0 => Ok(()),
        count => Err(CommandError::Failure(format!(
            "{count} of {} cases failed",
            total.cases
        ))),
    }
}

/// Reads a case.
fn read(path: &Path) -> Result<Case, CommandError> {
    let text = fs::read_to_string(path).map_err(|error| file_failure(path, &error))?;
    serde_json::from_str(&text).map_err(|error| {
        CommandError::Failure(format!("{} is no case of a soak: {error}", path.display()))
    })
}

fn replay(
    file: &Path,
    backend: &str,
    backends: &dyn BackendFactory,
    console: &mut Console<'_>,
) -> Result<(), CommandError> {
    let case = read(file)?;
    let fault = |fault| CommandError::Failure(format!("{}: {fault}", file.display()));
    let done = Runner::new(backends, backend).run(&case).map_err(fault)?;
    console.line(match done.refused {
        true => "the device refuses the case, as the reference or its build does".to_owned(),
        false => format!("right: {} hashes, {} cycles", done.hashes, done.cycles),
    })?;
    Ok(())
}

/// Where cases are written to.
struct Corpus<'a>(&'a Path);

impl Corpus<'_> {
    fn write(&self, name: &str, case: &Case) -> Result<PathBuf, CommandError> {
        let path = self.0.join(format!("{name}.json"));
        let text = serde_json::to_string_pretty(case).map_err(CommandError::failure)?;
        files::write_text(&path, &format!("{text}\n"))?;
        Ok(path)
    }

    /// The names of the cases that are there, without `.json`, those that never ended first.
    fn names(&self) -> Result<Vec<String>, CommandError> {
        let entries = fs::read_dir(self.0).map_err(|error| file_failure(self.0, &error))?;
        let mut names = Vec::new();
        for entry in entries {
            let name = entry
                .map_err(|error| file_failure(self.0, &error))?
                .file_name();
            let name = name.to_string_lossy().into_owned();
            if let Some(name) = name.strip_suffix(".json") {
                names.push(name.to_owned());
            }
        }
        names.sort_by_key(|name| (!name.starts_with(RUNNING), name.clone()));
        Ok(names)
    }

    fn read(&self, name: &str) -> Result<Case, CommandError> {
        read(&self.0.join(format!("{name}.json")))
    }
}

const RUNNING: &str = "running-";

/// What a case is of, one of which is kept.
fn kind(case: &Case) -> String {
    let set = match &case.set {
        Set::Preset(_) => "preset".to_owned(),
        Set::Random {
            family,
            long_exponent,
            sponge,
            ..
        } => {
            let exponent = if *long_exponent { "-long" } else { "" };
            let sponge = if *sponge { "-sponge" } else { "" };
            format!("{family:?}{exponent}{sponge}").to_lowercase()
        }
    };
    let work = match case.work {
        Work::Hashes(_) => "hashes",
        Work::Permutations(_) => "permutations",
        Work::Registers(_) => "registers",
        Work::Tree {
            leaf: Leaf::Digest, ..
        } => "tree",
        Work::Tree {
            leaf: Leaf::Hash, ..
        } => "tree-of-hashes",
        Work::Tree {
            leaf: Leaf::Row(_), ..
        } => "tree-of-rows",
    };
    let before = match case.before {
        case::Before::Nothing => "",
        case::Before::InputEnds(_) => "-after-an-abort",
        case::Before::BadElement => "-after-a-bad-element",
        case::Before::Zeroise => "-after-a-zeroisation",
    };
    format!("kept-{set}-{work}{before}")
}

/// The smallest case that is found to fail as well, and what is wrong with it.
fn shrink(runner: &mut Runner<'_>, case: &Case, fault: String) -> (Case, String) {
    let (mut case, mut fault) = (case.clone(), fault);
    let mut tries = 0;
    'smaller: loop {
        for next in case.smaller() {
            tries += 1;
            if tries > MOST_TRIES {
                break 'smaller;
            }
            if let Err(found) = runner.run(&next) {
                (case, fault) = (next, found);
                continue 'smaller;
            }
        }
        break;
    }
    (case, fault)
}

/// What a thread says of a case.
enum Event {
    Done {
        case: Case,
        done: Done,
    },
    Failed {
        case: Box<Case>,
        small: Box<Case>,
        fault: String,
    },
    Broken(CommandError),
}

fn soak(
    arguments: &SoakArguments,
    backend: &str,
    backends: &dyn BackendFactory,
    console: &mut Console<'_>,
) -> Result<Total, CommandError> {
    let began = Instant::now();
    let ends = arguments
        .hours
        .map(|hours| began + Duration::from_secs_f64(3600.0 * hours));
    let most = match (arguments.cases, ends) {
        (Some(cases), _) => cases,
        (None, Some(_)) => u64::MAX - arguments.seed,
        (None, None) => DEFAULT_CASES,
    };
    let last = arguments.seed.saturating_add(most);
    fs::create_dir_all(&arguments.corpus)
        .map_err(|error| file_failure(&arguments.corpus, &error))?;
    let corpus = &Corpus(&arguments.corpus);
    let fields = &Runner::new(backends, backend)
        .fields()
        .map_err(CommandError::failure)?;
    if fields.is_empty() {
        return Err(CommandError::Failure(format!(
            "the backend '{backend}' supports no preset"
        )));
    }
    let mut old = Vec::new();
    for name in corpus.names()? {
        if name.starts_with(RUNNING) {
            console.notes(&[format!("a case of an earlier run never ended: {name}.json")])?;
        }
        old.push(corpus.read(&name)?);
    }
    let mut kinds: BTreeSet<String> = old.iter().map(kind).collect();
    let threads = arguments
        .jobs
        .unwrap_or_else(|| side_by_side::threads(usize::MAX));
    let threads = threads.min(backends.at_a_time(backend));
    let (next_old, next_seed) = (&AtomicU64::new(0), &AtomicU64::new(arguments.seed));
    let old = &old;
    let mut total = Total {
        backend: backend.to_owned(),
        ..Total::default()
    };
    let mut broken = None;
    thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        for thread in 0..threads {
            let sender = sender.clone();
            scope.spawn(move || {
                let mut runner = Runner::new(backends, backend);
                let running = format!("{RUNNING}{thread}");
                while ends.is_none_or(|ends| Instant::now() < ends) {
                    let Some(case) = next_case(old, next_old, next_seed, last, fields) else {
                        break;
                    };
                    let event = attempt(&mut runner, corpus, &running, case);
                    let stops = matches!(event, Event::Broken(_));
                    if sender.send(event).is_err() || stops {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let mut minute = began + MINUTE;
        loop {
            match receiver.recv_timeout(minute.saturating_duration_since(Instant::now())) {
                Ok(event) => {
                    if let Err(error) = take(event, &mut total, &mut kinds, corpus, console) {
                        // Threads end with their next word.
                        broken = Some(error);
                        break;
                    }
                }
                Err(RecvTimeoutError::Timeout) => {
                    minute += MINUTE;
                    total.seconds = began.elapsed().as_secs();
                    total.next_seed = next_seed.load(Ordering::Relaxed).min(last);
                    if let Err(error) = console.notes(&[describe(&total)]) {
                        broken = Some(error.into());
                        break;
                    }
                }
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
    });
    if let Some(error) = broken {
        return Err(error);
    }
    total.seconds = began.elapsed().as_secs();
    total.next_seed = next_seed.load(Ordering::Relaxed).min(last);
    Ok(total)
}

/// What is next: the cases of the corpus, then new ones.
fn next_case(
    old: &[Case],
    next_old: &AtomicU64,
    next_seed: &AtomicU64,
    last: u64,
    fields: &[FieldId],
) -> Option<Case> {
    let number = next_old.fetch_add(1, Ordering::Relaxed);
    if let Some(case) = usize::try_from(number)
        .ok()
        .and_then(|number| old.get(number))
    {
        return Some(case.clone());
    }
    let seed = next_seed.fetch_add(1, Ordering::Relaxed);
    (seed < last).then(|| Case::draw(seed, fields))
}

/// Runs a case, whose file says that it is under way; one that fails is made smaller.
fn attempt(runner: &mut Runner<'_>, corpus: &Corpus<'_>, running: &str, case: Case) -> Event {
    let file = match corpus.write(running, &case) {
        Ok(file) => file,
        Err(error) => return Event::Broken(error),
    };
    let event = match runner.run(&case) {
        Ok(done) => Event::Done { case, done },
        Err(fault) => {
            let (small, fault) = shrink(runner, &case, fault);
            Event::Failed {
                case: Box::new(case),
                small: Box::new(small),
                fault,
            }
        }
    };
    match fs::remove_file(&file) {
        Ok(()) => event,
        Err(error) => Event::Broken(file_failure(&file, &error)),
    }
}

/// Counts a case, and keeps it where it is of a new kind or wrong.
fn take(
    event: Event,
    total: &mut Total,
    kinds: &mut BTreeSet<String>,
    corpus: &Corpus<'_>,
    console: &mut Console<'_>,
) -> Result<(), CommandError> {
    match event {
        Event::Broken(error) => return Err(error),
        Event::Done { case, done } => {
            total.cases += 1;
            total.refused += u64::from(done.refused);
            total.hashes += done.hashes;
            total.cycles += done.cycles;
            total.compared_with_model += u64::from(done.compared);
            if !done.refused && kinds.insert(kind(&case)) {
                corpus.write(&kind(&case), &case)?;
            }
        }
        Event::Failed { case, small, fault } => {
            total.cases += 1;
            corpus.write(&format!("failed-{}-whole", case.seed), &case)?;
            let file = corpus.write(&format!("failed-{}", case.seed), &small)?;
            console.notes(&[
                format!("the case of seed {} fails: {fault}", case.seed),
                format!(
                    "repeat it: acclmt soak --backend {} --replay {}",
                    total.backend,
                    file.display()
                ),
            ])?;
            total.failed.push(Failure {
                seed: case.seed,
                fault,
                file,
            });
        }
    }
    Ok(())
}

fn describe(total: &Total) -> String {
    format!(
        "{} min: {} cases ({} refused), {} hashes, {} cycles, {} compared with the model, {} failed; next seed {}",
        total.seconds / 60,
        total.cases,
        total.refused,
        total.hashes,
        total.cycles,
        total.compared_with_model,
        total.failed.len(),
        total.next_seed
    )
}

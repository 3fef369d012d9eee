//! Measures the Poseidon hashes of other libraries on this machine.

use std::io::{self, Write as _};
use std::num::NonZero;
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use acclmt_bench_peers::report::{self, Event, RunError};
use clap::Parser;
use indicatif::{ProgressBar, ProgressStyle};

/// Longest measurement, in seconds.
const MOST_SECONDS: f64 = 3600.0;

/// Most threads that may be asked for.
const MOST_THREADS: u64 = 1024;

/// Measures the Poseidon hashes of other libraries, after a comparison of their digests with acclmt's.
#[derive(Debug, Parser)]
#[command(version)]
struct Arguments {
    /// Print one JSON object in place of tables.
    #[arg(long)]
    json: bool,

    /// Seconds of each measurement; trees that take longer are left out.
    #[arg(long, value_name = "S", default_value = "3", value_parser = seconds)]
    seconds: Duration,

    /// Threads of the measurement that follows the one on a single thread [default: all of the machine].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=MOST_THREADS))]
    threads: Option<u64>,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = (text.parse()).map_err(|_| "write a number of seconds".to_owned())?;
    if seconds > 0.0 && seconds <= MOST_SECONDS {
        return Ok(Duration::from_secs_f64(seconds));
    }
    Err(format!("it must be above 0 and at most {MOST_SECONDS}"))
}

/// The run failed.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Run(#[from] RunError),
    #[error("the results cannot be written: {0}")]
    Output(#[from] io::Error),
}

fn measure(arguments: &Arguments) -> Result<(), Failure> {
    let all = || thread::available_parallelism().map_or(1, NonZero::get);
    let threads = arguments
        .threads
        .and_then(|threads| usize::try_from(threads).ok())
        .unwrap_or_else(all);
    // Hidden where the standard error is no terminal. No steady tick: its thread would disturb.
    let bar = ProgressBar::new(0);
    if let Ok(style) = ProgressStyle::with_template("[{bar:40}] {pos} of {len}: {msg}") {
        bar.set_style(style.progress_chars("=> "));
    }
    let report = report::run(threads, arguments.seconds, &mut |event| match event {
        Event::Begins { done, total, what } => {
            bar.set_length(total);
            bar.set_position(done);
            bar.set_message(what);
            bar.tick();
        }
        Event::Note(note) => bar.suspend(|| eprintln!("note: {note}")),
    });
    bar.finish_and_clear();
    let report = report?;
    let out = &mut io::stdout().lock();
    if arguments.json {
        report.print_json(out)?;
    } else {
        report.print(out)?;
    }
    Ok(out.flush()?)
}

fn main() -> ExitCode {
    match measure(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            // Nothing is left to be told to when the stream is closed.
            let _ = writeln!(io::stderr(), "error: {failure}");
            ExitCode::FAILURE
        }
    }
}

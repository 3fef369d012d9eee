#![doc = include_str!("../README.md")]
//!
//! # Running it
//!
//! A program hands [`run`] its arguments and the backends it has. Exit codes: 0 when everything
//! asked for was done, 1 when something went wrong with the data or the device, 2 when the command
//! line was wrong. Results go to standard output, errors and progress to standard error.

mod arguments;
mod backends;
mod bench;
mod bench_tree;
mod check;
mod commit;
mod console;
mod error;
mod evaluation_file;
mod files;
mod generate;
mod hash;
mod input;
mod interrupt;
mod list;
mod long_runs;
mod paper;
mod pc2;
mod prove;
mod report;
mod self_test;
mod serve;
mod side_by_side;
mod soak;
mod sweep;
mod trace;
mod verify;

use std::ffi::OsString;
use std::io::{self, IsTerminal as _};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

pub use backends::{
    BackendError, BackendFactory, BackendOptions, LibraryBackends, MODEL, SOFTWARE, Waves,
};

use console::Console;
use error::CommandError;

/// Poseidon Merkle trees on the AcclMT accelerator.
#[derive(Parser)]
#[command(name = "acclmt", version, about)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Commit(commit::CommitArguments),
    Hash(hash::HashArguments),
    Check(check::CheckArguments),
    Presets(list::PresetsArguments),
    Generate(generate::GenerateArguments),
    Prove(prove::ProveArguments),
    Verify(verify::VerifyArguments),
    Trace(trace::TraceArguments),
    Sweep(sweep::SweepArguments),
    Report(report::ReportArguments),
    Serve(serve::ServeArguments),
    Soak(soak::SoakArguments),
    SelfTest(self_test::SelfTestArguments),
    /// Measure
    #[command(subcommand)]
    Bench(BenchCommand),
}

#[derive(Subcommand)]
enum BenchCommand {
    Engine(bench::BenchEngineArguments),
    Tree(bench_tree::BenchTreeArguments),
    Pc2(pc2::Pc2Arguments),
    Paper(paper::PaperArguments),
}

/// Runs the command line `arguments`, the program's name first, with `backends`.
pub fn run(
    arguments: impl IntoIterator<Item = impl Into<OsString> + Clone>,
    backends: &dyn BackendFactory,
) -> ExitCode {
    // Without it an interrupted run leaves a temporary file, which is in nobody's way.
    let _ = interrupt::remove_files_on_signals();
    let show_progress = io::stderr().is_terminal();
    let code = run_with(
        arguments,
        backends,
        &mut io::stdout().lock(),
        &mut io::stderr(),
        show_progress,
    );
    ExitCode::from(code)
}

/// As [`run`], with results and errors written to `out` and `err`; returns the exit code. A
/// progress bar goes to the standard error of the process when `show_progress` is set.
pub fn run_with(
    arguments: impl IntoIterator<Item = impl Into<OsString> + Clone>,
    backends: &dyn BackendFactory,
    out: &mut dyn io::Write,
    err: &mut dyn io::Write,
    show_progress: bool,
) -> u8 {
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => {
            // --help and --version come this way too; they are no errors.
            let text = error.render();
            // Nothing is left to be told to when the stream is closed.
            let _ = if error.use_stderr() {
                write!(err, "{text}")
            } else {
                write!(out, "{text}")
            };
            let code = if error.use_stderr() { 2 } else { 0 };
            return code;
        }
    };
    let mut console = Console::new(out, err, show_progress);
    let result = match &arguments.command {
        Command::Commit(arguments) => commit::run(arguments, backends, &mut console),
        Command::Hash(arguments) => hash::run(arguments, backends, &mut console),
        Command::Check(arguments) => check::run(arguments, backends, &mut console),
        Command::Presets(arguments) => list::run(arguments, &mut console),
        Command::Generate(arguments) => generate::run(arguments, &mut console),
        Command::Prove(arguments) => prove::run(arguments, &mut console),
        Command::Verify(arguments) => verify::run(arguments, &mut console),
        Command::Bench(BenchCommand::Engine(arguments)) => {
            bench::run(arguments, backends, &mut console)
        }
        Command::Trace(arguments) => trace::run(arguments, backends, &mut console),
        Command::Sweep(arguments) => sweep::run(arguments, backends, &mut console),
        Command::Report(arguments) => report::run(arguments, &mut console),
        Command::Serve(arguments) => serve::run(arguments, backends, &mut console),
        Command::Soak(arguments) => soak::run(arguments, backends, &mut console),
        Command::SelfTest(arguments) => self_test::run(arguments, backends, &mut console),
        Command::Bench(BenchCommand::Tree(arguments)) => {
            bench_tree::run(arguments, backends, &mut console)
        }
        Command::Bench(BenchCommand::Pc2(arguments)) => pc2::run(arguments, backends, &mut console),
        Command::Bench(BenchCommand::Paper(arguments)) => paper::run(arguments, &mut console),
    };
    match result.and_then(|()| Ok(out.flush()?)) {
        Ok(()) => 0,
        // Whoever reads the results wants no more of them.
        Err(CommandError::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => 0,
        Err(error) => {
            let _ = writeln!(err, "error: {error}");
            error.exit_code()
        }
    }
}

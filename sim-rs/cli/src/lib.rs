#![doc = include_str!("../README.md")]
//!
//! # Running it
//!
//! A program hands [`run`] its arguments and the backends it has. Exit codes: 0 when everything
//! asked for was done, 1 when something went wrong with the data or the device, 2 when the command
//! line was wrong. Results go to standard output, errors and progress to standard error.

mod bench;
mod bench_tree;
mod check;
mod commit;
mod console;
mod generate;
mod hash;
mod input;
mod interrupt;
mod list;
mod paper;
mod prove;
mod report;
mod side_by_side;
mod sweep;
mod trace;
mod verify;

use std::ffi::OsString;
use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};

use acclmt_driver::device::{Device, LeafKind};
use acclmt_driver::software::SoftwareDevice;
use acclmt_measure::measurement::{MAX_HASHES, milliseconds};
use acclmt_merkle::new_file::NewFile;
use acclmt_model::stalls::Stalls;
use acclmt_model::{Hardware, ModelDevice};
use acclmt_poseidon::fields::{AnyParameters, FieldId};
use acclmt_poseidon::word::{self, Word};
use acclmt_poseidon::{parameter_file, presets, text};
use console::Console;
use input::LeafOrder;

/// The backends that a program offers.
pub trait BackendFactory: Sync {
    /// Names of the backends; the first one is used where none is asked for.
    fn names(&self) -> &[&str];

    /// How many devices of the backend `name` may work at the same time.
    fn at_a_time(&self, _name: &str) -> usize {
        usize::MAX
    }

    /// Makes the backend `name`, one of [`BackendFactory::names`].
    ///
    /// # Errors
    ///
    /// When the backend cannot be made, or does not offer what `options` ask for.
    fn open(&self, name: &str, options: &BackendOptions) -> Result<Box<dyn Device>, BackendError>;
}

/// What the command line asks of a backend.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BackendOptions {
    /// The waveform to write, if any.
    pub waves: Option<Waves>,
    /// Only cycles are of interest: a backend that can count them without computing results does so.
    pub only_cycles: bool,
    /// How the chip is to be built, if not as the backend has it.
    pub hardware: Option<Hardware>,
    /// Stalls of the streams of the chip, if any.
    pub stalls: Option<Stalls>,
    /// Rows that are under way together, see [`ChipDevice::set_row_group`]; nothing is as the driver has it.
    ///
    /// [`ChipDevice::set_row_group`]: acclmt_driver::chip::ChipDevice::set_row_group
    pub row_group: Option<usize>,
}

/// A window of a simulation that is written as a waveform.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waves {
    /// The file, in FST format.
    pub path: PathBuf,
    /// First clock cycle, counted from the reset.
    pub from: u64,
    /// Number of clock cycles.
    pub cycles: u64,
}

/// Why a backend could not be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BackendError(String);

impl BackendError {
    /// A failure that `message` describes: what was tried, and what to do.
    pub fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

/// The name of the software backend, which every program offers.
pub const SOFTWARE: &str = "software";

/// The name of the backend of the cycle-exact model, which every program offers.
pub const MODEL: &str = "model";

/// The backends of the library: the software, and the model of a chip with default parameters.
#[derive(Clone, Copy, Debug, Default)]
pub struct LibraryBackends;

impl BackendFactory for LibraryBackends {
    fn names(&self) -> &[&str] {
        &[SOFTWARE, MODEL]
    }

    fn open(&self, name: &str, options: &BackendOptions) -> Result<Box<dyn Device>, BackendError> {
        if options.waves.is_some() {
            return Err(BackendError::new(format!(
                "the backend '{name}' has no waveforms; leave --waves out"
            )));
        }
        if name == MODEL {
            let device = ModelDevice::new(options.hardware.unwrap_or_default())
                .map_err(|error| BackendError::new(error.to_string()))?
                .with_results(!options.only_cycles)
                .with_row_group(options.row_group)
                .with_stalls(options.stalls.unwrap_or_default());
            return Ok(Box::new(device));
        }
        Ok(Box::new(SoftwareDevice::new()))
    }
}

/// Poseidon Merkle trees on the AcclMT accelerator.
#[derive(Parser)]
#[command(name = "acclmt", version, about)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Commit(CommitArguments),
    Hash(HashArguments),
    Check(CheckArguments),
    Presets(PresetsArguments),
    Generate(GenerateArguments),
    Prove(prove::ProveArguments),
    Verify(verify::VerifyArguments),
    Trace(trace::TraceArguments),
    Sweep(sweep::SweepArguments),
    Report(report::ReportArguments),
    /// Measure
    #[command(subcommand)]
    Bench(BenchCommand),
}

#[derive(Subcommand)]
enum BenchCommand {
    Engine(BenchEngineArguments),
    Tree(BenchTreeArguments),
    Paper(paper::PaperArguments),
}

/// Measure whole Merkle trees on a chip: cycles, and how busy both hash engines are
///
/// The root is compared with that of the software, unless the backend counts cycles only. Several trees are
/// measured side by side.
#[derive(Args)]
struct BenchTreeArguments {
    /// Numbers of leaves, powers of the arity [default: those of a standard tree, 4096 at arity 2]
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
    backend: BackendArguments,
    /// Print a JSON object for each tree, one a line
    #[arg(long)]
    json: bool,
}

/// Measure the hash engine of a chip: cycles per hash in the steady state, latency, utilisation
///
/// Each row is measured with the chip's counters: a run of n hashes and one of 2 n hashes differ by
/// n hashes in the steady state. The digests of all runs are compared with those of the software. Runs are made
/// side by side.
#[derive(Args)]
struct BenchEngineArguments {
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
const ALL_PRESETS: &str = "all";

/// Commit to a file: print the root of its Merkle tree
#[derive(Args)]
struct CommitArguments {
    /// File of little-endian field elements, of 32 bytes or, for Goldilocks, 8 bytes each, or a NumPy
    /// array (.npy) of uint64; `-` is standard input
    file: PathBuf,
    #[command(flatten)]
    parameters: ParameterArguments,
    #[command(flatten)]
    backend: BackendArguments,
    /// What a leaf is: `element`, a digest in the file; `hash`, the hash of as many elements as a hash
    /// takes; `row=C`, the digest of a row of C elements by the sponge of the parameter set
    #[arg(long, value_name = "RULE", default_value_t)]
    leaf: LeafKind,
    /// Named parameter set of the leaves, if it is not that of the nodes; for leaves that are hashed
    #[arg(long, value_name = "NAME")]
    leaf_preset: Option<String>,
    /// Number of leaves of standard input or a pipe, which is then taken as it comes, and otherwise kept
    /// on disk first. A file has as many leaves as it holds
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    leaves: Option<u64>,
    /// The order in which leaves are taken from the file
    #[arg(long, value_enum, default_value_t = LeafOrder::Natural)]
    order: LeafOrder,
    /// Print the nodes H levels below the root instead of the root
    #[arg(long, value_name = "H", default_value_t = 0)]
    cap: u32,
    /// What stands for missing leaves, where they do not fill the tree: the elements of a digest as
    /// decimal numbers or hex with 0x, separated by commas
    #[arg(long, value_name = "VALUE", conflicts_with = "pack")]
    pad: Option<String>,
    /// Where the padding stands: for every missing leaf, or for every empty sub-tree of any height
    #[arg(long, value_enum, default_value_t = PadRule::Leaf, requires = "pad")]
    pad_rule: PadRule,
    /// Levels of the tree above the leaves, if not the least
    #[arg(long, value_name = "H", requires = "pad")]
    height: Option<u32>,
    /// Write all nodes to this file, see docs/trees.md
    #[arg(long, value_name = "FILE")]
    tree_out: Option<PathBuf>,
    /// Take any file: 31 bytes an element, or 7 for Goldilocks, filled up with zeros to a whole tree, or
    /// to the end of the last leaf where --leaves says how many there are
    #[arg(long)]
    pack: bool,
    /// Do not compute the root a second time in software
    #[arg(long)]
    no_check: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Write a waveform (FST) of the simulated chip to this file
    #[arg(long, value_name = "FILE")]
    waves: Option<PathBuf>,
    /// First clock cycle of the waveform, counted from the reset
    #[arg(long, value_name = "CYCLE", default_value_t = 0, requires = "waves")]
    waves_from: u64,
    /// Clock cycles of the waveform
    #[arg(long, value_name = "N", default_value_t = 1000, requires = "waves",
          value_parser = clap::value_parser!(u64).range(1..))]
    waves_cycles: u64,
}

/// Hash field elements
#[derive(Args)]
struct HashArguments {
    /// Field elements, big-endian hex with 0x
    #[arg(required = true)]
    inputs: Vec<String>,
    #[command(flatten)]
    parameters: ParameterArguments,
    #[command(flatten)]
    backend: BackendArguments,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Run every case of files of test vectors that the backend supports
#[derive(Args)]
struct CheckArguments {
    /// Files in the format `poseidon-vectors/1`
    #[arg(required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    backend: BackendArguments,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// List the named parameter sets
#[derive(Args)]
struct PresetsArguments {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Write a file of pseudo-random field elements, as `acclmt commit` takes them
#[derive(Args)]
struct GenerateArguments {
    /// The file to write
    file: PathBuf,
    /// Number of elements
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    elements: u32,
    /// Name of the field
    #[arg(long, value_name = "NAME", default_value_t = FieldId::Bls12_381.name().to_owned())]
    field: String,
    /// The field of this named parameter set
    #[arg(long, value_name = "NAME", conflicts_with = "field")]
    preset: Option<String>,
    /// The field of the parameter set in this file
    #[arg(long, value_name = "FILE", conflicts_with_all = ["field", "preset"])]
    parameters: Option<PathBuf>,
    /// The same seed gives the same elements
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// The parameter set: a named one, or one of a file.
#[derive(Args)]
#[group(required = true, multiple = false)]
struct ParameterArguments {
    /// Named parameter set, see `acclmt presets`
    #[arg(long, value_name = "NAME")]
    preset: Option<String>,
    /// File with a parameter set, TOML or JSON
    #[arg(long, value_name = "FILE")]
    parameters: Option<PathBuf>,
}

/// The parameter set of something that names its own.
#[derive(Args)]
struct NamedArguments {
    /// Named parameter set, see `acclmt presets` [default: the one that the file names]
    #[arg(long, value_name = "NAME", conflicts_with = "parameters")]
    preset: Option<String>,
    /// File with a parameter set, TOML or JSON
    #[arg(long, value_name = "FILE")]
    parameters: Option<PathBuf>,
}

impl NamedArguments {
    /// The parameter set asked for, or the preset `named` by the file at `path`, a `what`.
    fn load(&self, named: &str, what: &str, path: &Path) -> Result<AnyParameters, CommandError> {
        match (&self.parameters, &self.preset) {
            (Some(path), _) => parameter_file::load(path).map_err(CommandError::failure),
            (None, Some(name)) => (presets::by_name(name).cloned()).map_err(CommandError::usage),
            (None, None) => presets::by_name(named).cloned().map_err(|_| {
                CommandError::Failure(format!(
                    "{}: the {what} names the parameter set '{}', which is no preset; give it with \
                     --parameters",
                    path.display(),
                    text::shortened(named)
                ))
            }),
        }
    }
}

#[derive(Args)]
struct BackendArguments {
    /// What computes [default: the first that this program has]
    #[arg(long, value_name = "NAME")]
    backend: Option<String>,
}

/// Where padding stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum PadRule {
    Leaf,
    Subtree,
}

/// Why a command did not succeed.
#[derive(Debug, thiserror::Error)]
enum CommandError {
    /// The command line asks for something that does not exist.
    #[error("{0}")]
    Usage(String),
    /// Something went wrong with the data or the device.
    #[error("{0}")]
    Failure(String),
    /// Results could not be written.
    #[error("cannot write the result: {0}")]
    Output(#[from] io::Error),
}

impl CommandError {
    fn usage(error: impl std::fmt::Display) -> Self {
        Self::Usage(error.to_string())
    }

    fn failure(error: impl std::fmt::Display) -> Self {
        Self::Failure(error.to_string())
    }

    fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_) => 2,
            Self::Failure(_) | Self::Output(_) => 1,
        }
    }
}

/// Writes a whole file or nothing.
fn write_text(path: &Path, text: &str) -> Result<(), CommandError> {
    use std::io::Write as _;
    let write = || {
        let mut file = NewFile::create(path)?;
        file.file().write_all(text.as_bytes())?;
        file.finish()
    };
    write().map_err(|error| file_failure(path, &error))
}

/// Refuses an output that is one of the files that are read, or another output: they would be lost.
///
/// Each has its name in front, an option or what the file is.
fn check_outputs(
    inputs: &[(&str, Option<&Path>)],
    outputs: &[(&str, Option<&Path>)],
) -> Result<(), CommandError> {
    for (position, (name, output)) in outputs.iter().enumerate() {
        let Some(output) = output else { continue };
        let others = inputs.iter().chain(&outputs[..position]);
        let same = others
            .filter_map(|(other, path)| path.map(|path| (other, path)))
            .find(|(_, path)| is_same(path, output));
        if let Some((other, _)) = same {
            return Err(CommandError::Usage(format!(
                "{name} {} is the same file as {other}; choose another name",
                output.display()
            )));
        }
    }
    Ok(())
}

/// Whether two paths lead to one file, by whatever links.
fn is_same(path: &Path, output: &Path) -> bool {
    if path == Path::new(input::STANDARD_INPUT) {
        let handles = same_file::Handle::stdin()
            .and_then(|input| Ok(input == same_file::Handle::from_path(output)?));
        return handles.unwrap_or(false);
    }
    if let Ok(same) = same_file::is_same_file(path, output) {
        return same;
    }
    // One of them is not there yet.
    let absolute = |path: &Path| {
        let folder = match path.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        };
        Some(folder.canonicalize().ok()?.join(path.file_name()?))
    };
    absolute(path).is_some_and(|path| Some(path) == absolute(output))
}

/// A file or a folder that could not be read or written.
fn file_failure(path: &Path, error: &io::Error) -> CommandError {
    CommandError::Failure(format!("{}: {error}", path.display()))
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
        Command::Bench(BenchCommand::Tree(arguments)) => {
            bench_tree::run(arguments, backends, &mut console)
        }
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

impl BackendArguments {
    /// The name of the backend asked for.
    fn name<'a>(&self, backends: &'a dyn BackendFactory) -> Result<&'a str, CommandError> {
        let names = backends.names();
        let Some(asked) = &self.backend else {
            return Ok(names[0]);
        };
        if let Some(name) = names.iter().find(|name| *name == asked) {
            return Ok(name);
        }
        Err(CommandError::Usage(format!(
            "unknown backend '{}'; the backends are: {}",
            text::shortened(asked),
            names.join(", ")
        )))
    }
}

/// The backend `name`, which is asked for cycles alone.
fn open_for_cycles(
    backends: &dyn BackendFactory,
    name: &str,
) -> Result<Box<dyn Device>, CommandError> {
    let options = BackendOptions {
        only_cycles: true,
        ..BackendOptions::default()
    };
    backends.open(name, &options).map_err(CommandError::failure)
}

/// A backend that was asked for cycles has no chip.
fn no_hash_engine(backend: &str) -> CommandError {
    CommandError::Failure(format!(
        "the backend '{backend}' has no hash engine and counts no cycles; use one of a chip"
    ))
}

impl ParameterArguments {
    /// The parameter set asked for.
    fn load(&self) -> Result<AnyParameters, CommandError> {
        match (&self.preset, &self.parameters) {
            (_, Some(path)) => parameter_file::load(path).map_err(CommandError::failure),
            (Some(name), None) => {
                let parameters = presets::by_name(name).map_err(CommandError::usage)?;
                Ok(parameters.clone())
            }
            (None, None) => Err(CommandError::Usage(
                "no parameter set; give --preset or --parameters".to_owned(),
            )),
        }
    }
}

/// Runs that take longer are announced.
const LONG: Duration = Duration::from_secs(60);

/// The backends beside `backend` that take less than a quarter of its time, by `time` of each; a part of
/// a sentence, or nothing.
fn faster(
    backends: &dyn BackendFactory,
    backend: &str,
    own: Duration,
    time: impl Fn(&str) -> Option<Duration>,
) -> String {
    let others = backends.names().iter().filter(|name| **name != backend);
    let faster = others.filter_map(|name| {
        let time = time(name).filter(|&time| 4 * time < own)?;
        Some(format!("'{name}' takes {}", about(time)))
    });
    let faster: Vec<String> = faster.collect();
    if faster.is_empty() {
        return String::new();
    }
    format!("; the backend {}", faster.join(", "))
}

/// A time as people say it.
fn about(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    let (number, unit) = match seconds {
        ..1.0 => return "less than a second".to_owned(),
        1.0..120.0 => (seconds, "seconds"),
        120.0..7200.0 => (seconds / 60.0, "minutes"),
        7200.0..172_800.0 => (seconds / 3600.0, "hours"),
        _ => (seconds / 86_400.0, "days"),
    };
    format!("about {number:.0} {unit}")
}

/// Field elements as text.
fn hex(elements: &[Word]) -> Vec<String> {
    elements.iter().map(word::to_hex).collect()
}

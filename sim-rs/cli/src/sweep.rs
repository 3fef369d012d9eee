//! `acclmt sweep`: a measurement over every combination of parameters, which can be stopped, continued,
//! split and merged.

use std::collections::{BTreeSet, HashMap};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, BufWriter, Read as _, Seek as _, Write as _};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::mpsc;
use std::thread;

use clap::{Args, Subcommand};
use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};
use serde::Serialize;

use crate::arguments::BackendArguments;
use crate::backends::{BackendFactory, BackendOptions};
use crate::console::Console;
use crate::error::{CommandError, file_failure};
use acclmt_driver::device::Progress as _;
use acclmt_measure::report;
use acclmt_measure::sweep::{
    AreaResult, Measured, Point, Row, Specification, TableError, measure, write_csv, write_parquet,
};
use acclmt_merkle::new_file::NewFile;

/// Rows as they are measured, one JSON object a line.
const ROWS: &str = "rows.jsonl";
/// The same as tables, when the sweep has ended.
const TABLES: [(&str, WriteTable); 2] = [
    ("rows.csv", |rows, file| write_csv(rows, file)),
    ("rows.parquet", |rows, file| write_parquet(rows, file)),
];
type WriteTable = fn(&[Row], &mut File) -> Result<(), TableError>;
/// The specification.
const SPECIFICATION: &str = "sweep.toml";

/// Measure every combination of the parameters that a specification names
///
/// Rows go to DIR/rows.jsonl as they are measured, one a line, and to DIR/rows.csv and DIR/rows.parquet at
/// the end. A sweep that was stopped, in whatever way, goes on with --resume: no point is measured twice.
/// docs/sweeps.md describes the specification. A point that cannot be measured has its reason in its row; the
/// exit code is 1 when no point at all was measured, unless these were those of a shard.
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct SweepArguments {
    #[command(subcommand)]
    command: Option<SweepCommand>,
    /// The specification, TOML
    #[arg(value_name = "SPEC", required = true)]
    specification: Option<PathBuf>,
    /// The folder of the rows [default: the name of the specification with `.sweep`]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Points that are measured at the same time [default: the processors]
    #[arg(long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
    /// Go on with a sweep whose folder has rows
    #[arg(long)]
    resume: bool,
    /// Only every Nth point, from the Ith on: a share of the sweep
    #[arg(long, value_name = "I/N", value_parser = Shard::from_str)]
    shard: Option<Shard>,
    /// A result of the area flow, JSON: rows get the area of their hash engine where it has it
    #[arg(long, value_name = "FILE")]
    area: Option<PathBuf>,
    #[command(flatten)]
    backend: BackendArguments,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Subcommand)]
enum SweepCommand {
    /// Merge the rows of shards, or of several sweeps, in one folder
    Merge(MergeArguments),
}

#[derive(Args)]
struct MergeArguments {
    /// The folder to write
    #[arg(value_name = "OUT")]
    out: PathBuf,
    /// The folders to read
    #[arg(value_name = "DIR", required = true)]
    folders: Vec<PathBuf>,
    /// A result of the area flow, JSON: all rows get the area of their hash engine where it has it
    #[arg(long, value_name = "FILE")]
    area: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// A share of the points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shard {
    index: usize,
    count: usize,
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split_once('/');
        let numbers =
            numbers.and_then(|(index, count)| Some((index.parse().ok()?, count.parse().ok()?)));
        match numbers {
            Some((index, count)) if (1..=count).contains(&index) => Ok(Self { index, count }),
            _ => Err("expected I/N with I from 1 to N, such as 1/4".to_owned()),
        }
    }
}

/// What a sweep came to.
#[derive(Serialize)]
struct Report {
    folder: String,
    points: usize,
    /// Rows that were there already.
    kept: usize,
    measured: usize,
    /// Rows that have an error.
    errors: usize,
    /// Why, and how many points have each reason; the most frequent ones first.
    reasons: Vec<Reason>,
    /// Rows in the folder that are of no point of the specification on this backend.
    others: usize,
}

/// Why points could not be measured.
#[derive(Serialize)]
struct Reason {
    points: usize,
    error: String,
}

/// The distinct errors of rows, the most frequent ones first, and otherwise in the order of the rows.
fn reasons<'a>(rows: impl IntoIterator<Item = &'a Row>) -> Vec<Reason> {
    let mut reasons: Vec<Reason> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for error in rows.into_iter().filter_map(|row| row.error.as_deref()) {
        let place = *places.entry(error).or_insert_with(|| {
            reasons.push(Reason {
                points: 0,
                error: error.to_owned(),
            });
            reasons.len() - 1
        });
        reasons[place].points += 1;
    }
    reasons.sort_by_key(|reason| std::cmp::Reverse(reason.points));
    reasons
}

/// Reasons that are printed; `rows.csv` has all.
const MOST_REASONS: usize = 20;

impl Report {
    fn print(&self, json: bool, console: &mut Console<'_>) -> Result<(), CommandError> {
        if json {
            return Ok(console.json(self)?);
        }
        console.entry("folder", &self.folder)?;
        console.entry("points", self.points)?;
        console.entry("kept", self.kept)?;
        console.entry("measured", self.measured)?;
        if self.others != 0 {
            console.entry("other rows", self.others)?;
        }
        if self.errors == 0 {
            return Ok(console.entry("errors", self.errors)?);
        }
        console.entry("errors", format!("{} of {}", self.errors, self.points))?;
        for Reason { points, error } in self.reasons.iter().take(MOST_REASONS) {
            console.line(format!("{points:>12} {error}"))?;
        }
        if let Some(more @ 1..) = self.reasons.len().checked_sub(MOST_REASONS) {
            console.line(format!(
                "{:>12} {more} further reasons are in rows.csv",
                ".."
            ))?;
        }
        Ok(())
    }

    /// An error if there are points and none was measured.
    fn check(&self) -> Result<(), CommandError> {
        if self.points == 0 || self.errors != self.points {
            return Ok(());
        }
        let first = self.reasons.first().map_or("", |reason| &reason.error);
        Err(CommandError::Failure(match self.reasons.len() {
            1 => format!("none of {} points was measured: {first}", self.points),
            count => format!(
                "none of {} points was measured, for {count} reasons; the most frequent one: {first}",
                self.points
            ),
        }))
    }
}

pub fn run(
    arguments: &SweepArguments,
    backends: &dyn BackendFactory,
    console: &mut Console<'_>,
) -> Result<(), CommandError> {
    if let Some(SweepCommand::Merge(arguments)) = &arguments.command {
        return merge(arguments, console);
    }
    let backend = arguments.backend.name(backends)?;
    let Some(path) = &arguments.specification else {
        return Err(CommandError::Usage(
            "no specification; give a TOML file".to_owned(),
        ));
    };
    let text = fs::read_to_string(path).map_err(|error| file_failure(path, &error))?;
    let specification = Specification::from_toml(&text)
        .map_err(|error| CommandError::Failure(format!("{}: {error}", path.display())))?;
    let area = read_area(arguments.area.as_deref())?;
    let mut points: Vec<Named> = specification.points().into_iter().map(Named::new).collect();
    if let Some(shard) = arguments.shard {
        points = points
            .into_iter()
            .skip(shard.index - 1)
            .step_by(shard.count)
            .collect();
    }
    let ids: Vec<String> = points.iter().map(|point| point.id.clone()).collect();
    let folder = arguments
        .out
        .clone()
        .unwrap_or_else(|| path.with_extension("sweep"));
    fs::create_dir_all(&folder).map_err(|error| file_failure(&folder, &error))?;
    let mut file = Rows::open(&folder)?;
    if !file.rows.is_empty() && !arguments.resume {
        return Err(file.refusal("go on with --resume, or choose another folder with --out"));
    }
    if let Some(area) = &area
        && let Some(row) = file
            .rows
            .iter()
            .find(|row| row.area != area.area(&row.point))
    {
        return Err(file.refusal(&format!(
            "the one of point {} has another area than the file of --area says, and rows that are kept are \
             not changed; go on without --area, and then give all rows their areas with `acclmt sweep merge \
             OUT {} --area FILE`",
            row.id,
            folder.display()
        )));
    }
    fs::write(folder.join(SPECIFICATION), &text).map_err(|error| file_failure(&folder, &error))?;

    // A row belongs to its point and its backend.
    let done: BTreeSet<&str> = file
        .rows
        .iter()
        .filter(|row| row.backend == backend)
        .map(|row| row.id.as_str())
        .collect();
    let left: Vec<Named> = points
        .into_iter()
        .filter(|point| !done.contains(point.id.as_str()))
        .collect();
    let kept = ids.len() - left.len();
    let total = left.len();
    let mut bar = console.progress_of(format!("{}", folder.display()), "points");
    let mut measured = Vec::new();
    let context = Context {
        backend,
        backends,
        area: area.as_ref(),
    };
    measure_all(left, &context, arguments.jobs, &mut |row| {
        file.append(&row)?;
        measured.push(row);
        bar.report(measured.len() as u64, total as u64);
        Ok(())
    })?;
    drop(bar);
    let count = measured.len();
    file.rows.extend(measured);
    let order = sort(&mut file.rows, &ids);
    let of_sweep = |row: &&Row| row.backend == backend && order.contains_key(row.id.as_str());
    let rows: Vec<&Row> = file.rows.iter().filter(of_sweep).collect();
    write_tables(&folder, &file.rows)?;
    let report = Report {
        folder: folder.display().to_string(),
        points: ids.len(),
        kept,
        measured: count,
        errors: rows.iter().filter(|row| row.error.is_some()).count(),
        others: file.rows.len() - rows.len(),
        reasons: reasons(rows),
    };
    report.print(arguments.json, console)?;
    // The points of a share may all be ones that cannot be measured; `merge` sees the whole sweep.
    match arguments.shard {
        Some(_) => Ok(()),
        None => report.check(),
    }
}

/// A point with its name, which takes a hash.
struct Named {
    id: String,
    point: Point,
}

impl Named {
    fn new(point: Point) -> Self {
        Self {
            id: point.id(),
            point,
        }
    }
}

/// What measures the points.
struct Context<'a> {
    backend: &'a str,
    backends: &'a dyn BackendFactory,
    area: Option<&'a AreaResult>,
}

fn read_area(path: Option<&Path>) -> Result<Option<AreaResult>, CommandError> {
    let Some(path) = path else {
        return Ok(None);
    };
    let text = fs::read_to_string(path).map_err(|error| file_failure(path, &error))?;
    let area = AreaResult::from_json(&text)
        .map_err(|error| CommandError::Failure(format!("{}: {error}", path.display())))?;
    Ok(Some(area))
}

/// Sorts rows by the place of their points in `ids`, others last; returns the places.
fn sort<'a>(rows: &mut [Row], ids: &'a [String]) -> HashMap<&'a str, usize> {
    let order: HashMap<&str, usize> = ids.iter().map(String::as_str).zip(0..).collect();
    rows.sort_by_key(|row| order.get(row.id.as_str()).copied().unwrap_or(usize::MAX));
    order
}

/// Measures all points, `jobs` at a time, and hands over each row as soon as it is there.
fn measure_all(
    points: Vec<Named>,
    context: &Context<'_>,
    jobs: Option<NonZeroUsize>,
    take: &mut dyn FnMut(Row) -> Result<(), CommandError>,
) -> Result<(), CommandError> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(jobs.map_or(0, NonZeroUsize::get))
        .build()
        .map_err(CommandError::failure)?;
    let (sender, receiver) = mpsc::channel();
    thread::scope(|scope| {
        scope.spawn(move || {
            pool.install(|| {
                // An error means that nobody takes rows any more.
                points
                    .into_par_iter()
                    .try_for_each_with(sender, |sender, point| {
                        sender.send(row(point, context)).map_err(drop)
                    })
            })
        });
        receiver.into_iter().try_for_each(take)
    })
}

/// The row of a point. What goes wrong is part of it.
fn row(Named { id, point }: Named, context: &Context<'_>) -> Row {
    let options = BackendOptions {
        only_cycles: true,
        hardware: Some(point.hardware()),
        stalls: Some(point.stalls()),
        row_group: point.row_group,
        ..BackendOptions::default()
    };
    let result = context
        .backends
        .open(context.backend, &options)
        .map_err(|error| error.to_string())
        .and_then(|mut device| measure(&point, device.as_mut()));
    let (result, error) = match result {
        Ok(result) => (result, None),
        Err(error) => (Measured::default(), Some(error)),
    };
    Row {
        id,
        backend: context.backend.to_owned(),
        area: (context.area).map_or_else(Default::default, |area| area.area(&point)),
        point,
        result,
        error,
    }
}

/// The file of rows of a folder, which one process writes at a time.
struct Rows {
    path: PathBuf,
    file: File,
    rows: Vec<Row>,
}

impl Rows {
    /// Opens the file and reads what is there.
    fn open(folder: &Path) -> Result<Self, CommandError> {
        let path = folder.join(ROWS);
        let mut file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .open(&path)
            .map_err(|error| file_failure(&path, &error))?;
        file.try_lock().map_err(|_| {
            CommandError::Failure(format!("{}: another sweep is writing it", path.display()))
        })?;
        let (rows, end) = read_rows(&path, &mut file)?;
        // A row that a kill cut off is measured again.
        file.set_len(end)
            .map_err(|error| file_failure(&path, &error))?;
        file.seek(io::SeekFrom::End(0))
            .map_err(|error| file_failure(&path, &error))?;
        Ok(Self { path, file, rows })
    }

    /// The rows that are there are not to be touched.
    fn refusal(&self, hint: &str) -> CommandError {
        CommandError::Failure(format!(
            "{} has {} rows; {hint}",
            self.path.display(),
            self.rows.len()
        ))
    }

    fn append(&mut self, row: &Row) -> Result<(), CommandError> {
        let mut line = serde_json::to_vec(row).map_err(CommandError::failure)?;
        line.push(b'\n');
        self.file
            .write_all(&line)
            .map_err(|error| file_failure(&self.path, &error))
    }
}

/// A sweep in a folder.
pub(super) struct SweepOfFolder {
    /// The file of its rows.
    pub path: PathBuf,
    pub sweep: report::Sweep,
}

/// The sweep in a folder, by the name of the folder and in the order of its specification; nothing if there
/// is none.
pub(super) fn rows_of(folder: &Path) -> Result<Option<SweepOfFolder>, CommandError> {
    let path = folder.join(ROWS);
    if !path.is_file() {
        return Ok(None);
    }
    let mut file = File::open(&path).map_err(|error| file_failure(&path, &error))?;
    let (mut rows, _) = read_rows(&path, &mut file)?;
    // Without its specification the rows stay in the order in which they were measured.
    let text = fs::read_to_string(folder.join(SPECIFICATION)).unwrap_or_default();
    sort(&mut rows, &ids_of(&text));
    let whole = folder.canonicalize();
    let whole = whole.map_err(|error| file_failure(folder, &error))?;
    let name = whole.file_name().unwrap_or_default().to_string_lossy();
    Ok(Some(SweepOfFolder {
        path,
        sweep: report::Sweep {
            name: name.into_owned(),
            rows,
        },
    }))
}

/// The names of the points of a specification, none if the text is none.
fn ids_of(specification: &str) -> Vec<String> {
    Specification::from_toml(specification)
        .map(|specification| specification.points())
        .unwrap_or_default()
        .iter()
        .map(Point::id)
        .collect()
}

/// The rows of a file, and where the last whole one ends.
fn read_rows(path: &Path, file: &mut File) -> Result<(Vec<Row>, u64), CommandError> {
    let mut rows = Vec::new();
    let mut end = 0;
    let mut reader = BufReader::new(file);
    let mut line = Vec::new();
    loop {
        line.clear();
        let length = reader
            .read_until(b'\n', &mut line)
            .map_err(|error| file_failure(path, &error))?;
        if line.last() != Some(&b'\n') {
            return Ok((rows, end));
        }
        let place = format!("{}, line {}", path.display(), rows.len() + 1);
        let row: Row = serde_json::from_slice(&line).map_err(|error| {
            CommandError::Failure(format!("{place}: this is no row of a sweep: {error}"))
        })?;
        row.check()
            .map_err(|error| CommandError::Failure(format!("{place}: {error}")))?;
        rows.push(row);
        end += length as u64;
    }
}

fn merge(arguments: &MergeArguments, console: &mut Console<'_>) -> Result<(), CommandError> {
    let area = read_area(arguments.area.as_deref())?;
    let mut rows: Vec<Row> = Vec::new();
    let mut seen = BTreeSet::new();
    let mut specification = String::new();
    for folder in &arguments.folders {
        let path = folder.join(ROWS);
        let mut file = File::open(&path).map_err(|error| file_failure(&path, &error))?;
        let (found, _) = read_rows(&path, &mut file)?;
        rows.extend(
            found
                .into_iter()
                .filter(|row| seen.insert((row.backend.clone(), row.id.clone()))),
        );
        if let Ok(mut file) = File::open(folder.join(SPECIFICATION)) {
            specification.clear();
            // Without it the rows are merged all the same, in the order of the folders.
            let _ = file.read_to_string(&mut specification);
        }
    }
    sort(&mut rows, &ids_of(&specification));
    if let Some(area) = &area {
        for row in &mut rows {
            row.area = area.area(&row.point);
        }
    }
    let out = &arguments.out;
    fs::create_dir_all(out).map_err(|error| file_failure(out, &error))?;
    let file = Rows::open(out)?;
    if !file.rows.is_empty() {
        return Err(file.refusal("choose another folder"));
    }
    fs::write(out.join(SPECIFICATION), &specification)
        .map_err(|error| file_failure(out, &error))?;
    write_tables(out, &rows)?;
    // The rows come last: a folder that has them is whole.
    write_whole(&out.join(ROWS), |file| {
        let mut file = BufWriter::new(file);
        for row in &rows {
            serde_json::to_writer(&mut file, row).map_err(io::Error::from)?;
            file.write_all(b"\n")?;
        }
        Ok(file.flush()?)
    })?;
    let report = Report {
        folder: out.display().to_string(),
        points: rows.len(),
        kept: rows.len(),
        measured: 0,
        errors: rows.iter().filter(|row| row.error.is_some()).count(),
        others: 0,
        reasons: reasons(&rows),
    };
    report.print(arguments.json, console)?;
    report.check()
}

/// Writes all rows as tables.
fn write_tables(folder: &Path, rows: &[Row]) -> Result<(), CommandError> {
    TABLES
        .into_iter()
        .try_for_each(|(name, write)| write_whole(&folder.join(name), |file| write(rows, file)))
}

/// Writes a file of a folder whose rows this process has locked.
fn write_whole(
    path: &Path,
    write: impl FnOnce(&mut File) -> Result<(), TableError>,
) -> Result<(), CommandError> {
    let mut file = NewFile::create(path).map_err(|error| file_failure(path, &error))?;
    write(file.file())
        .map_err(|error| CommandError::Failure(format!("{}: {error}", path.display())))?;
    file.finish().map_err(|error| file_failure(path, &error))
}

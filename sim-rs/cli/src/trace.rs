//! `acclmt trace`: the timeline of a run in the trace format of Chrome and Perfetto.

use std::io::{BufWriter, Write as _};
use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use serde_json::{Value, json};

use super::console::Console;
use super::{
    BackendArguments, BackendFactory, CommandError, ParameterArguments, milliseconds,
    open_for_cycles,
};
use acclmt_driver::device::{CommitRequest, LeafRule};
use acclmt_driver::program::SUB_ENGINES;
use acclmt_driver::timeline::{Slot, Stall, Timeline};
use acclmt_merkle::new_file::NewFile;

/// Write a timeline of every sub-engine, queue and stall of a tree, for chrome://tracing and Perfetto
///
/// It comes from the simulated RTL or from the cycle-exact model, which agrees with the RTL cycle for cycle
/// and takes large trees. A microsecond of the timeline is a clock cycle.
#[derive(Args)]
pub struct TraceArguments {
    /// The file to write, JSON in the Chrome trace event format
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Number of leaves, a power of the arity, each the hash of as many elements as a hash takes
    #[arg(long, value_name = "N", default_value_t = 64)]
    leaves: u64,
    #[command(flatten)]
    parameters: ParameterArguments,
    #[command(flatten)]
    backend: BackendArguments,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// What was written.
#[derive(Serialize)]
struct Report {
    file: String,
    preset: String,
    backend: String,
    leaves: u64,
    cycles: u64,
    milliseconds_at_500_mhz: f64,
    events: usize,
}

pub fn run(
    arguments: &TraceArguments,
    backends: &dyn BackendFactory,
    console: &mut Console<'_>,
) -> Result<(), CommandError> {
    let parameters = arguments.parameters.load()?;
    let backend = arguments.backend.name(backends)?;
    let request = CommitRequest::new(&parameters, LeafRule::Hash(&parameters), arguments.leaves);
    request.shape().map_err(CommandError::failure)?;
    let mut device = open_for_cycles(backends, backend)?;
    let timeline = device
        .timeline(&request, &mut console.progress("recording"))
        .map_err(CommandError::failure)?;
    let events = events(&timeline);
    let error = |error: std::io::Error| {
        CommandError::Failure(format!("{}: {error}", arguments.out.display()))
    };
    let mut file = NewFile::create(&arguments.out).map_err(error)?;
    let mut writer = BufWriter::new(file.file());
    let trace = json!({
        "displayTimeUnit": "ns",
        "otherData": {
            "preset": parameters.name(),
            "backend": backend,
            "leaves": arguments.leaves,
            "unit": "a microsecond is a clock cycle",
        },
        "traceEvents": events,
    });
    serde_json::to_writer(&mut writer, &trace).map_err(|cause| error(cause.into()))?;
    writer.flush().map_err(error)?;
    drop(writer);
    file.finish().map_err(error)?;
    let report = Report {
        file: arguments.out.display().to_string(),
        preset: parameters.name().to_owned(),
        backend: backend.to_owned(),
        leaves: arguments.leaves,
        cycles: timeline.cycles,
        milliseconds_at_500_mhz: milliseconds(timeline.cycles),
        events: events.len(),
    };
    if arguments.json {
        console.json(&report)?;
    } else {
        console.entry("file", &report.file)?;
        console.entry("cycles", report.cycles)?;
        console.entry("events", report.events)?;
        console.line("Open it in https://ui.perfetto.dev or chrome://tracing.")?;
    }
    Ok(())
}

/// Processes of the trace.
const ENGINES: [&str; 2] = ["leaf hash engine", "root hash engine"];
const TREE: usize = ENGINES.len();
const STALLS: usize = TREE + 1;

fn name_of(sub_engine: usize) -> String {
    match sub_engine {
        0 => "full-round sub-engine".to_owned(),
        number if number == SUB_ENGINES - 1 => "second full-round sub-engine".to_owned(),
        number => format!("partial-round sub-engine {number}"),
    }
}

fn stall_name(stall: Stall) -> &'static str {
    match stall {
        Stall::Input => "an input word waits",
        Stall::MissingInput => "no input word is there",
        Stall::Leaf => "a leaf waits for room",
        Stall::Root => "the root hash engine has no group of siblings",
        Stall::Output => "an output word waits",
    }
}

/// The events of the trace, those of a track in the order of time.
fn events(timeline: &Timeline) -> Vec<Value> {
    let mut events = Vec::new();
    let name = |process: usize, thread: Option<usize>, name: &str| {
        let kind = thread.map_or("process_name", |_| "thread_name");
        json!({
            "ph": "M", "name": kind, "pid": process, "tid": thread.unwrap_or(0),
            "args": {"name": name},
        })
    };
    for (process, (engine, sub_engines)) in ENGINES.iter().zip(&timeline.slots).enumerate() {
        events.push(name(process, None, engine));
        for (thread, slots) in sub_engines.iter().enumerate() {
            if !slots.is_empty() {
                events.push(name(process, Some(thread), &name_of(thread)));
            }
        }
    }
    events.push(name(TREE, None, "groups of siblings in the queues"));
    events.push(name(STALLS, None, "stalls"));
    for (thread, stall) in Stall::ALL.into_iter().enumerate() {
        events.push(name(STALLS, Some(thread), stall_name(stall)));
    }
    for (process, sub_engines) in timeline.slots.iter().enumerate() {
        for (thread, slots) in sub_engines.iter().enumerate() {
            events.extend(slots.iter().map(|slot: &Slot| {
                let visit = if slot.visit == 0 {
                    "round"
                } else {
                    "round of the last visit"
                };
                json!({
                    "ph": "X", "pid": process, "tid": thread, "ts": slot.begin, "dur": slot.cycles,
                    "name": format!("{visit} {}", slot.round),
                })
            }));
        }
    }
    events.extend(timeline.groups.iter().map(|(time, level, groups)| {
        json!({
            "ph": "C", "pid": TREE, "ts": time, "name": format!("level {level:02}"),
            "args": {"groups": groups},
        })
    }));
    events.extend(timeline.stalls.iter().map(|span| {
        let thread = Stall::ALL.iter().position(|stall| *stall == span.stall);
        json!({
            "ph": "X", "pid": STALLS, "tid": thread, "ts": span.begin, "dur": span.end - span.begin,
            "name": stall_name(span.stall),
        })
    }));
    events
}

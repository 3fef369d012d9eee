//! `acclmt trace`: the timeline of a run in the trace format of Chrome and Perfetto.

use std::collections::{HashMap, VecDeque};
use std::io::{self, BufWriter, Write};
use std::mem;
use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use serde_json::{Value, json};

use crate::arguments::{BackendArguments, ParameterArguments};
use crate::backends::{BackendFactory, SOFTWARE, is_place, open_for_cycles};
use crate::console::Console;
use crate::error::CommandError;
use acclmt_driver::device::{CommitRequest, DeviceError, LeafRule};
use acclmt_driver::program::SUB_ENGINES;
use acclmt_driver::timeline::{Slot, Stall, Timeline, TimelineSink};
use acclmt_measure::measurement::milliseconds;
use acclmt_measure::measurement::{MeasurementError, tree_plan};
use acclmt_merkle::new_file::NewFile;

/// Write a timeline of every sub-engine, queue and stall of a tree, for chrome://tracing and Perfetto
///
/// It comes from the simulated RTL or from the cycle-exact model, which agrees with the RTL cycle for cycle
/// and takes large trees; events are written as they come. A microsecond of the timeline is a clock cycle. Every
/// round of a hash has the number of the hash in its engine, and level and index of the node that it computes;
/// arrows lead from visit to visit of a hash.
#[derive(Args)]
pub struct TraceArguments {
    /// The file to write, JSON in the Chrome trace event format
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Number of leaves, a power of the arity, more than 1, each the hash of as many elements as a hash takes
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
    events: u64,
}

pub fn run(
    arguments: &TraceArguments,
    backends: &dyn BackendFactory,
    console: &mut Console<'_>,
) -> Result<(), CommandError> {
    let parameters = arguments.parameters.load()?;
    let backend = arguments.backend.name(backends)?;
    if is_place(backend) {
        return Err(CommandError::Failure(format!(
            "the chip of '{backend}' tells no timeline: that takes a look inside, which only a chip of this program \
             allows; take one of the backends: {}",
            (backends.names().iter().copied())
                .filter(|name| *name != SOFTWARE)
                .collect::<Vec<_>>()
                .join(", ")
        )));
    }
    let request = CommitRequest::new(&parameters, LeafRule::Hash(&parameters), arguments.leaves);
    let mut device = open_for_cycles(backends, backend)?;
    tree_plan(device.as_ref(), &request).map_err(|error| match error {
        // What it lacks is a timeline.
        MeasurementError::NoHashEngine { .. } => CommandError::Failure(format!(
            "the backend '{backend}' has no chip: it records no timeline; use the simulated chip or its model"
        )),
        error => CommandError::failure(error),
    })?;
    let error =
        |error: io::Error| CommandError::Failure(format!("{}: {error}", arguments.out.display()));
    let mut file = NewFile::create(&arguments.out).map_err(error)?;
    let about = json!({
        "preset": parameters.name(),
        "backend": backend,
        "leaves": arguments.leaves,
        "unit": "a microsecond is a clock cycle",
    });
    let mut trace = Trace::new(BufWriter::new(file.file()), &about).map_err(error)?;
    let cycles = device
        .timeline(&request, &mut trace, &mut console.progress("recording"))
        .map_err(|cause| match cause {
            DeviceError::Failed(_) => {
                CommandError::Failure(format!("{}: {cause}", arguments.out.display()))
            }
            cause => CommandError::failure(cause),
        })?;
    let events = trace.finish().map_err(error)?;
    file.finish().map_err(error)?;
    let report = Report {
        file: arguments.out.display().to_string(),
        preset: parameters.name().to_owned(),
        backend: backend.to_owned(),
        leaves: arguments.leaves,
        cycles,
        milliseconds_at_500_mhz: milliseconds(cycles),
        events,
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

/// Processes of the trace, which are numbered from 1 on: the hash engines, the queues, the stalls.
const ENGINES: [&str; 2] = ["leaf hash engine", "root hash engine"];
const ROOT: usize = 1;
const TREE: usize = ENGINES.len() + 1;
const STALLS: usize = TREE + 1;

/// Number of the process of a hash engine.
const fn process(engine: usize) -> usize {
    engine + 1
}

/// Number of the thread of a sub-engine or a stall.
const fn thread(number: usize) -> usize {
    number + 1
}

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

/// The node that a hash computes.
#[derive(Clone, Copy)]
struct Node {
    level: u32,
    index: u64,
}

/// Nodes of the hashes that are under way: the root hash engine takes jobs in some order of levels.
#[derive(Default)]
struct Nodes {
    /// Number of the first hash that is kept.
    first: u64,
    nodes: VecDeque<Node>,
    /// Nodes of each level so far.
    counts: [u64; 32],
}

impl Nodes {
    /// More hashes than any engine has inside: eight sub-engines and their buffers of 64 states.
    const KEPT: usize = 4096;

    /// Another hash computes a node of this level.
    fn push(&mut self, level: u32) {
        if self.nodes.len() == Self::KEPT {
            self.nodes.pop_front();
            self.first += 1;
        }
        let count = &mut self.counts[level as usize % 32];
        self.nodes.push_back(Node {
            level,
            index: *count,
        });
        *count += 1;
    }

    fn get(&self, hash: u64) -> Option<Node> {
        let place = usize::try_from(hash.checked_sub(self.first)?).ok()?;
        self.nodes.get(place).copied()
    }
}

/// A trace that is written event by event.
struct Trace<W: Write> {
    file: W,
    events: u64,
    nodes: Nodes,
    /// Hashes of which a round has begun, by engine, sub-engine, visit and round. States of a visit stay in order,
    /// so the next one is that of the next hash.
    begun: HashMap<(usize, usize, usize, u32), u64>,
    /// Sub-engines whose threads have their names.
    named: [[bool; SUB_ENGINES]; 2],
}

impl<W: Write> Trace<W> {
    /// Begins the file.
    fn new(mut file: W, about: &Value) -> io::Result<Self> {
        write!(
            file,
            "{{\"displayTimeUnit\":\"ns\",\"otherData\":{about},\"traceEvents\":["
        )?;
        let mut trace = Self {
            file,
            events: 0,
            nodes: Nodes::default(),
            begun: HashMap::new(),
            named: [[false; SUB_ENGINES]; 2],
        };
        for (engine, name) in ENGINES.into_iter().enumerate() {
            trace.name(process(engine), None, name)?;
        }
        trace.name(TREE, None, "groups of siblings in the queues")?;
        trace.name(STALLS, None, "stalls")?;
        for (number, stall) in Stall::ALL.into_iter().enumerate() {
            trace.name(STALLS, Some(thread(number)), stall_name(stall))?;
        }
        Ok(trace)
    }

    fn event(&mut self, event: &Value) -> io::Result<()> {
        let separator = if self.events == 0 { "\n" } else { ",\n" };
        self.file.write_all(separator.as_bytes())?;
        serde_json::to_writer(&mut self.file, event)?;
        self.events += 1;
        Ok(())
    }

    /// Names a process, or a thread of it.
    fn name(&mut self, process: usize, thread: Option<usize>, name: &str) -> io::Result<()> {
        let mut event = json!({
            "ph": "M", "name": "process_name", "pid": process, "args": {"name": name},
        });
        if let Some(thread) = thread {
            event["name"] = "thread_name".into();
            event["tid"] = thread.into();
        }
        self.event(&event)
    }

    /// The round of a hash, and where its visit begins, an arrow to the next visit of the hash.
    fn slot(&mut self, engine: usize, sub_engine: usize, slot: &Slot) -> io::Result<()> {
        let (pid, tid) = (process(engine), thread(sub_engine));
        if !mem::replace(&mut self.named[engine][sub_engine], true) {
            self.name(pid, Some(tid), &name_of(sub_engine))?;
        }
        let next = self
            .begun
            .entry((engine, sub_engine, slot.visit, slot.round))
            .or_default();
        let hash = *next;
        *next += 1;
        let mut args = json!({"hash": hash, "visit": slot.visit, "round": slot.round});
        let node = match engine {
            ROOT => self.nodes.get(hash),
            _ => Some(Node {
                level: 0,
                index: hash,
            }),
        };
        if let Some(node) = node {
            args["level"] = node.level.into();
            args["index"] = node.index.into();
        }
        let name = if slot.visit == 0 {
            "round"
        } else {
            "round of the last visit"
        };
        self.event(&json!({
            "ph": "X", "pid": pid, "tid": tid, "ts": slot.begin, "dur": slot.cycles,
            "name": format!("{name} {}", slot.round), "args": args,
        }))?;
        if slot.round != 0 {
            return Ok(());
        }
        // From the first visit through the partial-round sub-engines to the last one.
        let step = match (sub_engine, slot.visit) {
            (0, 0) => "s",
            (_, 0) if sub_engine != SUB_ENGINES - 1 => "t",
            _ => "f",
        };
        let mut arrow = json!({
            "ph": step, "pid": pid, "tid": tid, "ts": slot.begin, "name": "hash", "cat": "hash",
            "id": format!("{}.{hash}", engine + 1),
        });
        if step == "f" {
            arrow["bp"] = "e".into();
        }
        self.event(&arrow)
    }

    /// Ends the file; returns the number of events.
    fn finish(mut self) -> io::Result<u64> {
        self.file.write_all(b"\n]}\n")?;
        self.file.flush()?;
        Ok(self.events)
    }
}

impl<W: Write> TimelineSink for Trace<W> {
    fn take(&mut self, part: Timeline) -> io::Result<()> {
        for job in &part.jobs {
            self.nodes.push(job.level + 1);
        }
        for (engine, sub_engines) in part.slots.iter().enumerate() {
            for (sub_engine, slots) in sub_engines.iter().enumerate() {
                for slot in slots {
                    self.slot(engine, sub_engine, slot)?;
                }
            }
        }
        for (time, level, groups) in &part.groups {
            self.event(&json!({
                "ph": "C", "pid": TREE, "ts": time, "name": format!("level {level:02}"),
                "args": {"groups": groups},
            }))?;
        }
        for span in &part.stalls {
            let number = Stall::ALL.iter().position(|stall| *stall == span.stall);
            self.event(&json!({
                "ph": "X", "pid": STALLS, "tid": thread(number.unwrap_or_default()),
                "ts": span.begin, "dur": span.end - span.begin, "name": stall_name(span.stall),
            }))?;
        }
        Ok(())
    }
}

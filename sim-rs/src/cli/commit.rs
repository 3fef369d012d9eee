//! `acclmt commit`: the Merkle root of a file.

use std::fmt::Write as _;

use rayon::prelude::*;
use serde::Serialize;

use super::console::Console;
use super::{
    BackendFactory, BackendOptions, CLOCK_HZ, CommandError, CommitArguments, Leaf, Waves, hex,
    input,
};
use crate::device::{
    CommitReport, CommitRequest, Counters, DeviceError, EngineCounters, LeafKind, Progress,
};
use crate::dispatch;
use crate::fields::{AnyParameters, PoseidonField};
use crate::merkle::check_leaf_count;
use crate::params::PoseidonParameters;
use crate::poseidon::{InputLengthError, hash_dense};
use crate::word::{self, Word};

/// The result of the command, and its JSON form.
#[derive(Serialize)]
struct Commitment<'a> {
    root: Vec<String>,
    leaves: usize,
    preset: &'a str,
    field: &'a str,
    leaf: &'static str,
    elements: usize,
    padding_elements: usize,
    backend: &'a str,
    hashes: u64,
    cycles: Option<u64>,
    milliseconds_at_500_mhz: Option<f64>,
    utilization: Option<Utilization>,
    counters: Option<&'a Counters>,
    check: Check,
    #[serde(skip_serializing_if = "Option::is_none")]
    check_root: Option<Vec<String>>,
    notes: &'a [String],
}

/// How busy the engines were, from 0 to 1.
#[derive(Serialize)]
struct Utilization {
    leaf: f64,
    root: f64,
}

/// What became of the independent computation.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Check {
    Ok,
    Failed,
    Skipped,
}

pub fn run(
    arguments: &CommitArguments,
    backends: &dyn BackendFactory,
    console: &mut Console<'_>,
) -> Result<(), CommandError> {
    let parameters = &arguments.parameters.load()?;
    let field = parameters.field();
    let leaf = match arguments.leaf {
        Leaf::Element => LeafKind::Element,
        Leaf::Hash => LeafKind::Hash,
    };
    let backend = arguments.backend.name(backends)?;

    let mut words = if arguments.pack {
        input::read_packed(&arguments.file, field)
    } else {
        input::read_words(&arguments.file, field)
    }
    .map_err(CommandError::failure)?;
    let elements = words.len();
    if arguments.pack {
        fill_up(&mut words, leaf, parameters);
    }
    let request = CommitRequest {
        parameters,
        leaf,
        words: &words,
    };
    let in_file = |error: DeviceError| {
        CommandError::Failure(format!("{}: {error}", arguments.file.display()))
    };
    request.validate().map_err(in_file)?;

    let waves = arguments.waves.clone().map(|path| Waves {
        path,
        from: arguments.waves_from,
        cycles: arguments.waves_cycles,
    });
    let mut device = backends
        .open(backend, &BackendOptions { waves })
        .map_err(CommandError::failure)?;
    device.supports(parameters).map_err(CommandError::failure)?;
    let notes = device.notes(parameters);
    console.notes(&notes)?;
    let report = device
        .commit(&request, &mut console.progress("committing"))
        .map_err(CommandError::failure)?;

    let expected = if arguments.no_check {
        None
    } else {
        let mut progress = console.progress("checking");
        Some(dense_root(&request, report.hashes, &mut progress).map_err(CommandError::failure)?)
    };
    let check = match &expected {
        None => Check::Skipped,
        Some(expected) if *expected == report.root => Check::Ok,
        Some(_) => Check::Failed,
    };
    let commitment = Commitment {
        root: hex(&report.root),
        leaves: report.leaves,
        preset: parameters.name(),
        field: field.name(),
        leaf: match leaf {
            LeafKind::Element => "element",
            LeafKind::Hash => "hash",
        },
        elements,
        padding_elements: words.len() - elements,
        backend,
        hashes: report.hashes,
        cycles: report.cycles(),
        milliseconds_at_500_mhz: report.cycles().map(milliseconds),
        utilization: report.counters.as_ref().map(|counters| Utilization {
            leaf: utilization(&counters.leaf, counters.cycles),
            root: utilization(&counters.root, counters.cycles),
        }),
        counters: report.counters.as_ref(),
        check,
        check_root: (expected.as_ref())
            .filter(|_| check == Check::Failed)
            .map(|expected| hex(expected)),
        notes: &notes,
    };
    if arguments.json {
        console.json(&commitment)?;
    } else {
        print(&commitment, &report, parameters, console)?;
    }
    match expected {
        Some(expected) if check == Check::Failed => Err(CommandError::Failure(format!(
            "the backend '{backend}' computed the root {}, the independent check {}",
            hex(&report.root).join(" "),
            hex(&expected).join(" ")
        ))),
        _ => Ok(()),
    }
}

/// The root, computed level by level with the dense permutation, straight from the specification.
/// The request is valid and has `hashes` hashes.
fn dense_root(
    request: &CommitRequest<'_>,
    hashes: u64,
    progress: &mut dyn Progress,
) -> Result<Vec<Word>, InputLengthError> {
    dispatch!(request.parameters, parameters => dense_root_of(parameters, request, hashes, progress))
}

fn dense_root_of<F: PoseidonField>(
    parameters: &PoseidonParameters<F>,
    request: &CommitRequest<'_>,
    hashes: u64,
    progress: &mut dyn Progress,
) -> Result<Vec<Word>, InputLengthError> {
    let mut layer: Vec<F> = request
        .words
        .iter()
        .filter_map(word::to_field::<F>)
        .collect();
    let is_tree = layer.len() > parameters.digest_length();
    let mut hash_next = request.leaf == LeafKind::Hash || is_tree;
    let mut done = 0;
    while hash_next {
        let digests = layer
            .par_chunks(parameters.inputs())
            .map(|elements| hash_dense(parameters, elements))
            .collect::<Result<Vec<_>, _>>()?;
        done += digests.len() as u64;
        progress.report(done, hashes);
        hash_next = digests.len() > 1;
        layer = digests.concat();
    }
    Ok(layer.into_iter().map(word::from_field).collect())
}

/// Appends zeros until `words` fill a whole tree.
fn fill_up(words: &mut Vec<Word>, leaf: LeafKind, parameters: &AnyParameters) {
    let per_leaf = match leaf {
        LeafKind::Element => parameters.digest_length(),
        LeafKind::Hash => parameters.inputs(),
    };
    let arity = parameters.arity();
    let leaves = words.len().div_ceil(per_leaf);
    let whole = match check_leaf_count(leaves, arity) {
        // Such a hash makes no trees, which is said elsewhere.
        _ if arity < 2 => leaves,
        // A single leaf is no tree.
        Ok(()) => leaves.max(arity),
        Err(error) => usize::try_from(error.next).unwrap_or(leaves),
    };
    words.resize(whole * per_leaf, Word::default());
}

/// How busy an engine was, from 0 to 1: hashes * period / cycles, where the period is the number of
/// cycles that a hash occupies the busiest sub-engine. So it is the share of cycles in which the
/// busiest sub-engine was occupied.
fn utilization(engine: &EngineCounters, cycles: u64) -> f64 {
    let busiest = engine
        .busy_partial
        .iter()
        .copied()
        .fold(engine.busy_full.max(engine.busy_full_last), u64::max);
    if cycles == 0 {
        0.0
    } else {
        busiest as f64 / cycles as f64
    }
}

fn milliseconds(cycles: u64) -> f64 {
    cycles as f64 * 1e3 / CLOCK_HZ as f64
}

fn print(
    commitment: &Commitment<'_>,
    report: &CommitReport,
    parameters: &AnyParameters,
    console: &mut Console<'_>,
) -> Result<(), CommandError> {
    console.entry("root", commitment.root.join(" "))?;
    let mut leaves = commitment.leaves.to_string();
    let _ = match commitment.leaf {
        "hash" => write!(
            leaves,
            ", each the hash of {} elements",
            parameters.inputs()
        ),
        _ if parameters.digest_length() == 1 => write!(leaves, ", each an element"),
        _ => write!(leaves, ", each of {} elements", parameters.digest_length()),
    };
    console.entry("leaves", leaves)?;
    if commitment.padding_elements > 0 {
        console.entry(
            "padding",
            format!(
                "{} zero elements after the {} elements of the file, to a whole tree",
                commitment.padding_elements, commitment.elements
            ),
        )?;
    }
    console.entry("backend", commitment.backend)?;
    if let Some(counters) = &report.counters {
        console.entry(
            "cycles",
            format!(
                "{} from start to done; {} from the first word in to the root out",
                counters.cycles,
                counters
                    .cycle_last_out
                    .saturating_sub(counters.cycle_first_in)
            ),
        )?;
        console.entry(
            "time",
            format!("{:.3} ms at 500 MHz", milliseconds(counters.cycles)),
        )?;
        for (name, engine) in [
            ("leaf engine", &counters.leaf),
            ("root engine", &counters.root),
        ] {
            console.entry(
                name,
                format!(
                    "{} hashes, {:.1} % busy",
                    engine.hashes,
                    100.0 * utilization(engine, counters.cycles)
                ),
            )?;
        }
    }
    console.entry(
        "check",
        match commitment.check {
            Check::Ok => "ok: the dense permutation in software gives the same root",
            Check::Failed => "FAILED: the dense permutation in software gives another root",
            Check::Skipped => "skipped",
        },
    )?;
    Ok(())
}

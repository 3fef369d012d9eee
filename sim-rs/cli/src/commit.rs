//! `acclmt commit`: the Merkle root of a file.

use std::fmt::Write as _;
use std::path::Path;

use num_bigint::BigUint;
use rayon::prelude::*;
use serde::Serialize;

use super::console::Console;
use super::input::{Format, Input, LeafOrder};
use super::{
    BackendFactory, BackendOptions, CommandError, CommitArguments, PadRule, Waves, hex,
    milliseconds,
};
use acclmt_driver::device::{
    CommitReport, CommitRequest, Counters, DeviceError, LeafReader, LeafRule, LeafSource, Progress,
    is_unhashed, row_sponge,
};
use acclmt_driver::fold::{TreeHasher, fold, full_cap};
use acclmt_driver::messages::unhashed_digests;
use acclmt_driver::nodes::{NoNodes, NodeSink};
use acclmt_merkle::shape::{Padding, TreeShape};
use acclmt_merkle::tree_file::{TreeFileWriter, TreeHeader};
use acclmt_poseidon::absorb::absorb;
use acclmt_poseidon::fields::{AnyParameters, PoseidonField};
use acclmt_poseidon::permutation::{hash_dense, permute_dense};
use acclmt_poseidon::word::{self, Word};
use acclmt_poseidon::{dispatch, presets};

/// The result of the command, and its JSON form.
#[derive(Serialize)]
struct Commitment<'a> {
    /// Left out where a cap was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    root: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cap: Option<Vec<Vec<String>>>,
    leaves: u64,
    height: u32,
    preset: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    leaf_preset: Option<&'a str>,
    field: &'a str,
    leaf: String,
    elements: u64,
    padding_elements: u64,
    backend: &'a str,
    hashes: u64,
    cycles: Option<u64>,
    milliseconds_at_500_mhz: Option<f64>,
    utilization: Option<Utilization>,
    counters: Option<&'a Counters>,
    check: Check,
    #[serde(skip_serializing_if = "Option::is_none")]
    check_cap: Option<Vec<Vec<String>>>,
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
    let leaf_parameters = match &arguments.leaf_preset {
        None => parameters,
        Some(name) => presets::by_name(name).map_err(CommandError::usage)?,
    };
    let leaf = arguments.leaf.rule(leaf_parameters);
    let field = parameters.field();
    let backend = arguments.backend.name(backends)?;
    let pad = (arguments.pad.as_deref())
        .map(parse_digest)
        .transpose()
        .map_err(CommandError::Usage)?;

    let format = if arguments.pack {
        Format::Packed
    } else {
        Format::Elements
    };
    let is_stream = arguments.leaves.is_some() && arguments.order == LeafOrder::Natural;
    let mut input =
        Input::open(&arguments.file, field, format, is_stream).map_err(CommandError::failure)?;
    let path = input.path().display().to_string();
    let in_file = |error: DeviceError| CommandError::Failure(format!("{path}: {error}"));

    let mut request = CommitRequest::new(parameters, leaf, 0);
    let length = request.leaf_length();
    let elements = input.elements();
    request.leaves = count_leaves(arguments, elements, length, parameters).map_err(in_file)?;
    request.height = arguments.height;
    request.cap_height = arguments.cap;
    if let Some(value) = &pad {
        request.padding = match arguments.pad_rule {
            PadRule::Leaf => Padding::Leaf(value),
            PadRule::Subtree => Padding::SubTree(value),
        };
    }
    let shape = request.shape().map_err(in_file)?;
    if arguments.order == LeafOrder::BitReversed && !request.leaves.is_power_of_two() {
        return Err(CommandError::Failure(format!(
            "{path}: {} leaves have no bit-reversed order, which takes a power of two",
            request.leaves
        )));
    }

    let waves = arguments.waves.clone().map(|path| Waves {
        path,
        from: arguments.waves_from,
        cycles: arguments.waves_cycles,
    });
    let mut device = backends
        .open(
            backend,
            &BackendOptions {
                waves,
                ..BackendOptions::default()
            },
        )
        .map_err(CommandError::failure)?;
    device.supports(parameters).map_err(CommandError::failure)?;
    let mut notes = device.notes(parameters);
    if arguments.leaf_preset.is_some() {
        device
            .supports(leaf_parameters)
            .map_err(CommandError::failure)?;
        notes.extend(device.notes(leaf_parameters));
    }
    console.notes(&notes)?;

    let mut commit = |request: &CommitRequest<'_>, nodes: &mut dyn NodeSink| {
        let mut source = input
            .leaves(length, request.leaves, arguments.order, arguments.pack)
            .map_err(CommandError::failure)?;
        device
            .commit(
                request,
                &mut source,
                nodes,
                &mut console.progress("committing"),
            )
            .map_err(in_file)
    };
    let report = match &arguments.tree_out {
        None => commit(&request, &mut NoNodes)?,
        Some(path) => write_tree(path, &request, &mut commit)?,
    };

    let expected = if arguments.no_check || !input.is_file() {
        None
    } else {
        let mut progress = console.progress("checking");
        let mut source = input
            .leaves(length, request.leaves, arguments.order, arguments.pack)
            .map_err(CommandError::failure)?;
        Some(dense_cap(&request, &shape, &mut source, &mut progress).map_err(in_file)?)
    };
    let check = match &expected {
        None => Check::Skipped,
        Some(expected) if *expected == report.cap => Check::Ok,
        Some(_) => Check::Failed,
    };
    let all_hex =
        |cap: &[Vec<Word>]| -> Vec<Vec<String>> { cap.iter().map(|node| hex(node)).collect() };
    let has_cap = arguments.cap > 0;
    let given = request.leaves * length as u64;
    let commitment = Commitment {
        root: (!has_cap).then(|| hex(report.root())),
        cap: has_cap.then(|| all_hex(&report.cap)),
        leaves: report.leaves,
        height: shape.height(),
        preset: parameters.name(),
        leaf_preset: arguments.leaf_preset.as_deref(),
        field: field.name(),
        leaf: arguments.leaf.to_string(),
        elements: elements.unwrap_or(given).min(given),
        padding_elements: given.saturating_sub(elements.unwrap_or(given)),
        backend,
        hashes: report.hashes,
        cycles: report.cycles(),
        milliseconds_at_500_mhz: report.cycles().map(milliseconds),
        utilization: report.counters.as_ref().map(|counters| Utilization {
            leaf: counters.leaf.utilisation(counters.cycles),
            root: counters.root.utilisation(counters.cycles),
        }),
        counters: report.counters.as_ref(),
        check,
        check_cap: (expected.as_ref())
            .filter(|_| check == Check::Failed)
            .map(|expected| all_hex(expected)),
        notes: &notes,
    };
    if arguments.json {
        console.json(&commitment)?;
    } else {
        print(&commitment, &report, &request, console)?;
    }
    match expected {
        Some(expected) if check == Check::Failed => {
            let wrong = (report.cap.iter().zip(&expected)).position(|(got, cap)| got != cap);
            let node = wrong.unwrap_or_default();
            let text = |cap: &[Vec<Word>]| {
                cap.get(node)
                    .map_or(String::new(), |node| hex(node).join(" "))
            };
            Err(CommandError::Failure(format!(
                "the backend '{backend}' computed the root {}, the independent check {}",
                text(&report.cap),
                text(&expected)
            )))
        }
        _ => Ok(()),
    }
}

/// The number of leaves of `length` elements.
fn count_leaves(
    arguments: &CommitArguments,
    elements: Option<u64>,
    length: usize,
    parameters: &AnyParameters,
) -> Result<u64, DeviceError> {
    let Some(elements) = elements else {
        return Ok(arguments.leaves.unwrap_or(0));
    };
    let length = length as u64;
    if arguments.pack {
        return Ok(whole_tree(
            elements.div_ceil(length),
            parameters.arity() as u64,
        ));
    }
    match arguments.leaves {
        Some(leaves) if leaves.saturating_mul(length) > elements => Err(DeviceError::SourceEnds {
            elements: (leaves.saturating_mul(length) - elements) as usize,
        }),
        Some(leaves) if leaves * length < elements => Err(DeviceError::SourceGoesOn {
            elements: elements - leaves * length,
            leaves,
        }),
        Some(leaves) => Ok(leaves),
        None if !elements.is_multiple_of(length) => Err(DeviceError::PartialLeaf {
            elements,
            length: length as usize,
        }),
        None => Ok(elements / length),
    }
}

/// Leaves of the smallest tree that holds `leaves`: zeros follow.
fn whole_tree(leaves: u64, arity: u64) -> u64 {
    // Such a hash makes no trees, which is said elsewhere.
    if arity < 2 {
        return leaves;
    }
    // A single leaf is no tree.
    let mut whole = arity;
    while whole < leaves {
        whole = whole.saturating_mul(arity);
    }
    whole
}

/// The elements of a digest, as the user wrote them.
fn parse_digest(text: &str) -> Result<Vec<Word>, String> {
    text.split(',')
        .map(|element| {
            let element = element.trim();
            let number = match element.strip_prefix("0x") {
                Some(digits) => BigUint::parse_bytes(digits.as_bytes(), 16),
                None => BigUint::parse_bytes(element.as_bytes(), 10),
            };
            let bytes = number
                .map(|number| number.to_bytes_le())
                .filter(|bytes| bytes.len() <= Word::default().len())
                .ok_or_else(|| {
                    format!("--pad: '{element}' is no field element, decimal or hex with 0x")
                })?;
            let mut word = Word::default();
            word[..bytes.len()].copy_from_slice(&bytes);
            Ok(word)
        })
        .collect()
}

/// The cap, computed from the leaves with the dense permutation, straight from the specification.
fn dense_cap(
    request: &CommitRequest<'_>,
    shape: &TreeShape,
    source: &mut dyn LeafSource,
    progress: &mut dyn Progress,
) -> Result<Vec<Vec<Word>>, DeviceError> {
    let mut hasher = DenseHasher {
        progress,
        done: 0,
        total: request.hashes(shape),
    };
    let reader = LeafReader::new(request, source);
    fold(request, shape, reader, &mut NoNodes, &mut hasher)
}

/// Hashes with the dense permutation, and tells how far it is.
struct DenseHasher<'a> {
    progress: &'a mut dyn Progress,
    done: u64,
    total: u64,
}

impl TreeHasher for DenseHasher<'_> {
    fn hash(
        &mut self,
        parameters: &AnyParameters,
        elements: &[Word],
    ) -> Result<Vec<Word>, DeviceError> {
        let digests = dense_hashes(parameters, elements)?;
        self.done += (digests.len() / parameters.digest_length()) as u64;
        self.progress.report(self.done.min(self.total), self.total);
        Ok(digests)
    }

    fn hash_rows(
        &mut self,
        parameters: &AnyParameters,
        rows: &[Vec<Word>],
    ) -> Result<Vec<Word>, DeviceError> {
        dense_rows(parameters, rows)
    }
}

/// The digests of all hashes whose inputs follow each other in `elements`.
fn dense_hashes(parameters: &AnyParameters, elements: &[Word]) -> Result<Vec<Word>, DeviceError> {
    dispatch!(parameters, parameters => {
        let elements = to_fields(elements);
        let digests = elements
            .par_chunks(parameters.inputs())
            .map(|inputs| hash_dense(parameters, inputs))
            .collect::<Result<Vec<_>, _>>()
            .map_err(DeviceError::failed)?;
        Ok(digests.concat().into_iter().map(word::from_field).collect())
    })
}

/// The digests of rows.
fn dense_rows(parameters: &AnyParameters, rows: &[Vec<Word>]) -> Result<Vec<Word>, DeviceError> {
    if is_unhashed(parameters, rows.first().map_or(0, Vec::len)) {
        return Ok(unhashed_digests(parameters.digest_length(), rows));
    }
    let sponge = row_sponge(parameters)?;
    let mut permute = |states: &[Vec<Word>]| {
        Ok::<_, DeviceError>(dispatch!(parameters, parameters => {
            states
                .par_iter()
                .map(|state| {
                    let mut state = to_fields(state);
                    permute_dense(parameters, &mut state);
                    state.into_iter().map(word::from_field).collect()
                })
                .collect()
        }))
    };
    Ok(absorb(parameters, sponge, rows, &mut permute)?.concat())
}

fn to_fields<F: PoseidonField>(elements: &[Word]) -> Vec<F> {
    elements.iter().filter_map(word::to_field).collect()
}

/// Commits with every node of the tree written to the file `path`; returns the report with the cap that
/// `request` asks for.
fn write_tree(
    path: &Path,
    request: &CommitRequest<'_>,
    commit: &mut Commit<'_>,
) -> Result<CommitReport, CommandError> {
    let whole = CommitRequest {
        cap_height: 0,
        ..request.clone()
    };
    let shape = whole.shape().map_err(CommandError::failure)?;
    let header = TreeHeader::of(request.parameters, shape.height(), shape.leaves())
        .map_err(CommandError::failure)?;
    let mut nodes = TreeNodes {
        file: TreeFileWriter::create(path, header).map_err(CommandError::failure)?,
        cap_level: shape.height() - request.cap_height,
        cap: Vec::new(),
    };
    let mut report = commit(&whole, &mut nodes)?;
    let TreeNodes { mut file, cap, .. } = nodes;
    for level in 0..shape.height() {
        if let Some(empty) = shape.empty(level) {
            file.fill(level, empty).map_err(CommandError::failure)?;
        }
    }
    file.finish().map_err(CommandError::failure)?;
    report.cap = full_cap(&request.shape().map_err(CommandError::failure)?, cap);
    Ok(report)
}

/// Computes a request with the nodes going to a sink.
type Commit<'a> =
    dyn FnMut(&CommitRequest<'_>, &mut dyn NodeSink) -> Result<CommitReport, CommandError> + 'a;

/// Writes nodes to a file and keeps those of the cap.
struct TreeNodes {
    file: TreeFileWriter,
    cap_level: u32,
    cap: Vec<Vec<Word>>,
}

impl NodeSink for TreeNodes {
    fn wants(&self, _level: u32) -> bool {
        true
    }

    fn node(&mut self, level: u32, index: u64, digest: &[Word]) -> Result<(), DeviceError> {
        if level == self.cap_level {
            self.cap.push(digest.to_vec());
        }
        (self.file)
            .write_node(level, index, digest)
            .map_err(DeviceError::failed)
    }
}

fn print(
    commitment: &Commitment<'_>,
    report: &CommitReport,
    request: &CommitRequest<'_>,
    console: &mut Console<'_>,
) -> Result<(), CommandError> {
    if let Some(root) = &commitment.root {
        console.entry("root", root.join(" "))?;
    }
    for (index, node) in commitment.cap.iter().flatten().enumerate() {
        console.entry(&format!("cap {index}"), node.join(" "))?;
    }
    let mut leaves = commitment.leaves.to_string();
    let _ = match request.leaf {
        LeafRule::Hash(parameters) => write!(
            leaves,
            ", each the hash of {} elements",
            parameters.inputs()
        ),
        LeafRule::Row { columns, .. } => {
            write!(leaves, ", each the digest of a row of {columns} elements")
        }
        LeafRule::Digest if request.leaf_length() == 1 => write!(leaves, ", each an element"),
        LeafRule::Digest => write!(leaves, ", each of {} elements", request.leaf_length()),
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
                counters.span()
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
                    100.0 * engine.utilisation(counters.cycles)
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

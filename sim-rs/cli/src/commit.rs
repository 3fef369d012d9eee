//! `acclmt commit`: the Merkle root of a file.

use crate::arguments::{
    DevicesArguments, EngineArguments, ParameterArguments, TreeSets, UpperArguments,
};
use clap::{Args, ValueEnum};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rayon::prelude::*;
use serde::Serialize;

use crate::backends::{BackendFactory, BackendOptions, Waves, different, open_devices};
use crate::console::Console;
use crate::console::hex;
use crate::error::CommandError;
use crate::files::check_outputs;
use crate::input::{Format, Input, LeafOrder, is_regular};
use crate::long_runs::{LONG, about, faster};
use crate::prove::Upper;
use acclmt_driver::device::{
    CommitReport, CommitRequest, Counters, DeviceError, EngineCounters, LeafKind, LeafReader,
    LeafRule, LeafSource, Progress, is_unhashed, row_sponge,
};
use acclmt_driver::fold::{TreeHasher, fold, full_cap};
use acclmt_driver::messages::unhashed_digests;
use acclmt_driver::nodes::{NoNodes, NodeSink};
use acclmt_measure::measurement::milliseconds;
use acclmt_merkle::levels::{UpperError, UpperPreset};
use acclmt_merkle::shape::{Padding, ShapeError, TreeShape};
use acclmt_merkle::tree_file::{TreeFileWriter, TreeHeader};
use acclmt_poseidon::absorb::absorb;
use acclmt_poseidon::fields::{AnyParameters, PoseidonField};
use acclmt_poseidon::permutation::{hash_dense, permute_dense};
use acclmt_poseidon::word::{self, Word};
use acclmt_poseidon::{dispatch, presets, text};

/// Commit to a file: print the root of its Merkle tree
#[derive(Args)]
pub struct CommitArguments {
    /// File of little-endian field elements, of 32 bytes or, for Goldilocks, 8 bytes each, or a NumPy
    /// array (.npy) of uint64; `-` is standard input
    file: PathBuf,
    #[command(flatten)]
    parameters: ParameterArguments,
    #[command(flatten)]
    upper: UpperArguments,
    #[command(flatten)]
    devices: DevicesArguments,
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
    #[command(flatten)]
    engines: EngineArguments,
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

/// Where padding stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PadRule {
    Leaf,
    Subtree,
}

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
    #[serde(flatten)]
    upper: Option<Upper>,
    field: &'a str,
    leaf: String,
    elements: u64,
    /// Zero elements after those of the input.
    padding_elements: u64,
    /// Zero bytes in the last element of the input.
    padding_bytes: u64,
    /// Leaves after those of the input, whose value `--pad` gives.
    padding_leaves: u64,
    backend: &'a str,
    hashes: u64,
    cycles: Option<u64>,
    milliseconds_at_500_mhz: Option<f64>,
    /// How busy the hash engines were, from 0 to 1.
    lhe_utilisation: Option<f64>,
    rhe_utilisation: Option<f64>,
    counters: Option<&'a Counters>,
    /// What each device did, in the order in which they were named.
    devices: Vec<DeviceEntry<'a>>,
    check: Check,
    #[serde(skip_serializing_if = "Option::is_none")]
    check_cap: Option<Vec<Vec<String>>>,
    notes: &'a [String],
}

/// What a device did.
#[derive(Serialize)]
struct DeviceEntry<'a> {
    backend: &'a str,
    /// Sub-trees that it finished; 1 where it did the whole tree.
    sub_trees: u64,
    /// Whether it joined their roots.
    joined_top: bool,
    cycles: Option<u64>,
    /// Where in the tree it failed, and why.
    failed: Option<&'a str>,
}

impl DeviceEntry<'_> {
    /// The device in a line.
    fn text(&self) -> String {
        let plural = if self.sub_trees == 1 { "" } else { "s" };
        let mut text = format!("{}, {} sub-tree{plural}", self.backend, self.sub_trees);
        if self.joined_top {
            text += " and the top";
        }
        if let Some(cycles) = self.cycles {
            let _ = write!(text, ", {cycles} cycles");
        }
        if let Some(failed) = self.failed {
            let _ = write!(text, "; FAILED: {failed}");
        }
        text
    }
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
    arguments.check()?;
    let parameters = &arguments.parameters.load()?;
    let leaf_parameters = match &arguments.leaf_preset {
        None => parameters,
        Some(name) => presets::by_name(name).map_err(CommandError::usage)?,
    };
    let leaf = arguments.leaf.rule(leaf_parameters);
    let upper = arguments.upper.load(parameters)?;
    let field = parameters.field();
    let names = arguments.devices.names(backends)?;
    let backend = &different(&names).join(" + ");
    if names.len() > 1 && arguments.waves.is_some() {
        return Err(CommandError::Usage(
            "--waves writes the waveform of one chip; leave it out, or take one device".to_owned(),
        ));
    }
    let pad = (arguments.pad.as_deref())
        .map(|text| parse_digest(text, parameters))
        .transpose()
        .map_err(CommandError::Usage)?;

    let format = if arguments.pack {
        Format::Packed
    } else {
        Format::Elements
    };
    let is_counted = arguments.leaves.is_some() && arguments.order == LeafOrder::Natural;
    let mut input =
        Input::open(&arguments.file, field, format, is_counted).map_err(CommandError::failure)?;
    let path = input.path().display().to_string();
    let is_file = input.is_file();
    let in_file = |error: DeviceError| arguments.blame(&path, is_file, error);

    let mut request = CommitRequest::new(parameters, leaf, 0);
    request.upper = upper.levels();
    let length = request.leaf_length();
    request.leaves = count_leaves(arguments, input.elements(), &request).map_err(in_file)?;
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
    let options = arguments.engines.add_to(BackendOptions {
        waves,
        ..BackendOptions::default()
    });
    let is_one_kind = different(&names).len() == 1;
    let mut device = open_devices(backends, &names, &options, is_one_kind)?;
    device.supports(parameters).map_err(CommandError::failure)?;
    let mut notes = device.notes(parameters);
    if arguments.leaf_preset.is_some() {
        device
            .supports(leaf_parameters)
            .map_err(CommandError::failure)?;
        notes.extend(device.notes(leaf_parameters));
    }
    for upper in &request.upper {
        device
            .supports(upper.parameters)
            .map_err(CommandError::failure)?;
        for note in device.notes(upper.parameters) {
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
    }
    notes.extend(device.commit_notes(&request));
    console.notes(&notes)?;
    let is_checked = !arguments.no_check && input.is_file();
    let time = device.commit_time(&request);
    let check_time = is_checked.then(|| dense_time(&request, &shape)).flatten();
    console.notes(&time_note(
        &request, backends, &names, backend, time, check_time,
    ))?;

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
    let (report, tree) = match &arguments.tree_out {
        None => (commit(&request, &mut NoNodes)?, None),
        Some(path) => {
            let (report, tree) = write_tree(path, &request, &mut commit)?;
            (report, Some(tree))
        }
    };
    let failures = failure_notes(&names, &report);
    console.notes(&failures)?;
    notes.extend(failures);
    // A result counts more than a waveform, whose failure is said at the end.
    let finished = device.finish().map_err(CommandError::failure);
    if let Ok(more) = &finished {
        console.notes(more)?;
        notes.extend_from_slice(more);
    }

    let expected = if is_checked {
        let mut progress = console.progress("checking");
        let mut source = input
            .leaves(length, request.leaves, arguments.order, arguments.pack)
            .map_err(CommandError::failure)?;
        Some(dense_cap(&request, &shape, &mut source, &mut progress).map_err(in_file)?)
    } else {
        None
    };
    let check = match &expected {
        None => Check::Skipped,
        Some(expected) if *expected == report.cap => Check::Ok,
        Some(_) => Check::Failed,
    };
    // A tree that is wrong gets no name.
    if let Some(tree) = tree.filter(|_| check != Check::Failed) {
        tree.finish().map_err(CommandError::failure)?;
    }
    let all_hex =
        |cap: &[Vec<Word>]| -> Vec<Vec<String>> { cap.iter().map(|node| hex(node)).collect() };
    let has_cap = arguments.cap > 0;
    // The request was checked: both products are small enough.
    let taken = request.leaves * length as u64;
    let element = input.element_bytes() as u64;
    let elements = input.bytes().div_ceil(element);
    let utilisation = |engine: fn(&Counters) -> &EngineCounters| {
        let counters = report.counters.as_ref()?;
        Some(engine(counters).utilisation(counters.cycles))
    };
    let commitment = Commitment {
        root: (!has_cap).then(|| hex(report.root())),
        cap: has_cap.then(|| all_hex(&report.cap)),
        leaves: report.leaves,
        height: shape.height(),
        preset: parameters.name(),
        leaf_preset: arguments.leaf_preset.as_deref(),
        upper: Upper::of(shape.arities(), &UpperPreset::of(&request.upper)),
        field: field.name(),
        leaf: arguments.leaf.to_string(),
        elements: elements.min(taken),
        padding_elements: taken.saturating_sub(elements),
        padding_bytes: (elements * element).saturating_sub(input.bytes()),
        padding_leaves: shape.capacity(0) - report.leaves,
        backend,
        hashes: report.hashes,
        cycles: report.cycles(),
        milliseconds_at_500_mhz: report.cycles().map(milliseconds),
        lhe_utilisation: utilisation(|counters| &counters.leaf),
        rhe_utilisation: utilisation(|counters| &counters.root),
        counters: report.counters.as_ref(),
        devices: device_entries(&names, &report),
        check,
        check_cap: (expected.as_ref())
            .filter(|_| check == Check::Failed)
            .map(|expected| all_hex(expected)),
        notes: &notes,
    };
    let printed = if arguments.json {
        console.json(&commitment).map_err(CommandError::from)
    } else {
        print(&commitment, &report, &request, arguments, console)
    };
    match expected {
        // This counts more than results that nobody reads.
        Some(expected) if check == Check::Failed => {
            let wrong = (report.cap.iter().zip(&expected)).position(|(got, cap)| got != cap);
            let node = wrong.unwrap_or_default();
            let node_of = |cap: &[Vec<Word>]| {
                cap.get(node)
                    .map_or(String::new(), |node| hex(node).join(" "))
            };
            let no_tree = match &arguments.tree_out {
                None => String::new(),
                Some(path) => format!("; {} was not written", path.display()),
            };
            Err(CommandError::Failure(format!(
                "the backend '{backend}' computed the root {}, the independent check {}{no_tree}",
                node_of(&report.cap),
                node_of(&expected)
            )))
        }
        _ => printed.and(finished.map(drop)),
    }
}

impl CommitArguments {
    /// Refuses options that have no effect, and outputs that are inputs.
    fn check(&self) -> Result<(), CommandError> {
        if self.leaf == LeafKind::Digest && self.leaf_preset.is_some() {
            return Err(CommandError::Usage(
                "--leaf-preset is for leaves that are hashed, and --leaf element takes them as they are; \
                 leave one of them out"
                    .to_owned(),
            ));
        }
        if self.leaves.is_some() && is_regular(&self.file) {
            return Err(CommandError::Usage(format!(
                "--leaves is for standard input and pipes: {} is a file and has as many leaves as it \
                 holds; leave --leaves out, or cut the file",
                self.file.display()
            )));
        }
        let upper_files = self.upper.files();
        let mut inputs = vec![
            ("the input", Some(&*self.file)),
            ("--parameters", self.parameters.parameters.as_deref()),
        ];
        inputs.extend(
            upper_files
                .iter()
                .map(|path| ("--upper-parameters", Some(&**path))),
        );
        check_outputs(
            &inputs,
            &[
                ("--tree-out", self.tree_out.as_deref()),
                ("--waves", self.waves.as_deref()),
            ],
        )
    }

    /// The message of an error with what it is about: an option, or the file at `path`.
    fn blame(&self, path: &str, is_file: bool, error: DeviceError) -> CommandError {
        let what = match &error {
            DeviceError::Shape(ShapeError::CapTooHigh { .. } | ShapeError::CapTooLarge { .. }) => {
                format!("--cap {}", self.cap)
            }
            DeviceError::Shape(ShapeError::TooManyLeaves { .. } | ShapeError::TooHigh { .. })
                if self.height.is_some() =>
            {
                format!("--height {}", self.height.unwrap_or_default())
            }
            DeviceError::TooManyElements { .. } => match self.leaves {
                Some(leaves) => format!("--leaves {leaves}"),
                None => path.to_owned(),
            },
            DeviceError::LeafKind { .. } if self.leaf_preset.is_some() => {
                "--leaf-preset".to_owned()
            }
            DeviceError::NoSponge { .. } => format!("--leaf {}", self.leaf),
            DeviceError::Shape(ShapeError::Upper(UpperError::NotReached { level, .. })) => {
                format!("{path}: {}", self.upper.option(*level))
            }
            _ => path.to_owned(),
        };
        let hint = match error {
            DeviceError::SourceEnds { .. } if self.pack && !is_file => {
                "; without --leaves it is kept on disk and filled up with zeros to a whole tree"
            }
            _ => "",
        };
        CommandError::Failure(format!("{what}: {error}{hint}"))
    }
}

/// What each device did for `report`.
fn device_entries<'a>(names: &[&'a str], report: &'a CommitReport) -> Vec<DeviceEntry<'a>> {
    if report.devices.is_empty() {
        return (names.iter())
            .map(|backend| DeviceEntry {
                backend,
                sub_trees: 1,
                joined_top: false,
                cycles: report.cycles(),
                failed: None,
            })
            .collect();
    }
    (names.iter().zip(&report.devices))
        .map(|(backend, share)| DeviceEntry {
            backend,
            sub_trees: share.sub_trees,
            joined_top: share.joined_top,
            cycles: share.cycles,
            failed: share.failed.as_deref(),
        })
        .collect()
}

/// Devices that have failed, one a sentence.
fn failure_notes(names: &[&str], report: &CommitReport) -> Vec<String> {
    let shares = names.iter().zip(&report.devices).enumerate();
    let notes = shares.filter_map(|(number, (name, share))| {
        let failed = share.failed.as_ref()?;
        Some(format!(
            "device {number}, '{name}', failed, and others went on without it: {failed}"
        ))
    });
    notes.collect()
}

/// The number of leaves of `length` elements.
fn count_leaves(
    arguments: &CommitArguments,
    elements: Option<u64>,
    request: &CommitRequest<'_>,
) -> Result<u64, DeviceError> {
    let Some(elements) = elements else {
        return Ok(arguments.leaves.unwrap_or(0));
    };
    let length = request.leaf_length() as u64;
    let given = elements.div_ceil(length);
    match arguments.leaves {
        Some(leaves) => {
            let expected = (leaves.checked_mul(length)).ok_or(DeviceError::TooManyElements {
                leaves,
                length: length as usize,
            })?;
            // Packed bytes may end within the last leaf.
            let is_complete = elements == expected || arguments.pack && given == leaves;
            match is_complete {
                true => Ok(leaves),
                false if elements < expected => Err(DeviceError::SourceEnds {
                    given: elements,
                    expected,
                }),
                false => Err(DeviceError::SourceGoesOn {
                    elements: elements - expected,
                    leaves,
                }),
            }
        }
        None if arguments.pack => whole_tree(given, request),
        None if !elements.is_multiple_of(length) => Err(DeviceError::PartialLeaf {
            elements,
            length: length as usize,
        }),
        None => Ok(given),
    }
}

/// Leaves of the smallest tree that holds `leaves`, and reaches its upper levels: zeros follow.
fn whole_tree(leaves: u64, request: &CommitRequest<'_>) -> Result<u64, DeviceError> {
    // Such a hash makes no trees, which is said elsewhere.
    if request.parameters.arity() < 2 {
        return Ok(leaves);
    }
    let arities = request.sets()?.map(|set| set.arity() as u64);
    // A single leaf is no tree, and what is hashed in the last upper level is more than its root.
    let least = (request.upper.last()).map_or(1, |upper| upper.from.saturating_add(1));
    let mut whole = 1_u64;
    let mut level = 0;
    while whole < leaves || level < least {
        whole = whole.saturating_mul(*arities.of_level(level));
        level += 1;
        if whole == u64::MAX {
            break;
        }
    }
    Ok(whole)
}

/// The elements of a digest of `parameters`, as the user wrote them.
fn parse_digest(text: &str, parameters: &AnyParameters) -> Result<Vec<Word>, String> {
    let digest = text.split(',').map(|element| {
        let element = element.trim();
        let bytes = word::read_number(element)
            .map(|number| number.to_bytes_le())
            .filter(|bytes| bytes.len() <= Word::default().len())
            .ok_or_else(|| {
                let element = text::shortened(element);
                format!("--pad: '{element}' is no field element, decimal or hex with 0x")
            })?;
        let mut word = Word::default();
        word[..bytes.len()].copy_from_slice(&bytes);
        Ok(word)
    });
    let digest: Vec<Word> = digest.collect::<Result<_, String>>()?;
    let (length, expected) = (digest.len(), parameters.digest_length());
    if length != expected {
        return Err(format!(
            "--pad: {}",
            ShapeError::PaddingLength { length, expected }
        ));
    }
    parameters
        .check_elements(&digest)
        .map_err(|error| format!("--pad: {error}"))?;
    Ok(digest)
}

/// What is to be said before a commitment that takes minutes: how long it takes, and which backends are
/// faster.
fn time_note(
    request: &CommitRequest<'_>,
    backends: &dyn BackendFactory,
    names: &[&str],
    backend: &str,
    time: Option<Duration>,
    check: Option<Duration>,
) -> Vec<String> {
    let known = time.unwrap_or_default();
    let total = known + check.unwrap_or_default();
    if total < LONG {
        return Vec::new();
    }
    let mut note = format!("this takes {} on the backend '{backend}'", about(total));
    if let Some(check) = check.filter(|check| 10 * *check > total) {
        let _ = write!(
            note,
            ", {} of it for the check (--no-check leaves that out)",
            about(check)
        );
    }
    note += &faster(backends, backend, known, |name| {
        if names.contains(&name) {
            return None;
        }
        let mut device = backends.open(name, &BackendOptions::default()).ok()?;
        for set in request.node_sets() {
            device.supports(set).ok()?;
        }
        device.commit_time(request)
    });
    vec![note]
}

/// How long the check takes, roughly, by a few hashes.
fn dense_time(request: &CommitRequest<'_>, shape: &TreeShape) -> Option<Duration> {
    const SAMPLES: u64 = 64;
    let hashes = request.hashes(shape);
    // No check of so few takes a minute.
    if hashes < 100 * SAMPLES {
        return None;
    }
    let mut hashes = shape.hashes_of_sets();
    hashes[0] += shape.leaves() * request.leaf_hashes();
    let times = request.node_sets().zip(hashes).map(|(set, hashes)| {
        let inputs = vec![Word::default(); SAMPLES as usize * set.inputs()];
        let start = Instant::now();
        dense_hashes(set, &inputs).ok()?;
        Some(start.elapsed().mul_f64(hashes as f64 / SAMPLES as f64))
    });
    times.sum()
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
        leaf_hashes: request.leaf_hashes(),
    };
    let reader = LeafReader::new(request, source);
    fold(request, shape, reader, &mut NoNodes, &mut hasher)
}

/// Hashes with the dense permutation, and tells how far it is.
struct DenseHasher<'a> {
    progress: &'a mut dyn Progress,
    done: u64,
    total: u64,
    /// Permutations of a row.
    leaf_hashes: u64,
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
        let digests = dense_rows(parameters, rows)?;
        self.done += rows.len() as u64 * self.leaf_hashes;
        self.progress.report(self.done.min(self.total), self.total);
        Ok(digests)
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

/// Most bytes of all nodes of a tree that are written.
const MAX_TREE_BYTES: u64 = 1 << 40;

/// Commits with every node of the tree written to a file that is to be at `path`; returns the report with
/// the cap that `request` asks for, and the file, which has no name yet.
fn write_tree(
    path: &Path,
    request: &CommitRequest<'_>,
    commit: &mut Commit<'_>,
) -> Result<(CommitReport, TreeFileWriter), CommandError> {
    let whole = CommitRequest {
        cap_height: 0,
        ..request.clone()
    };
    let shape = whole.shape().map_err(CommandError::failure)?;
    let header = TreeHeader::with_upper(
        request.parameters,
        &request.upper,
        shape.height(),
        shape.leaves(),
    )
    .map_err(CommandError::failure)?;
    let bytes = (0..=shape.height()).try_fold(0_u64, |bytes, level| {
        let node = (shape.digest_length() * header.field().element_bytes()) as u64;
        bytes.checked_add(shape.capacity(level).checked_mul(node)?)
    });
    if bytes.is_none_or(|bytes| bytes > MAX_TREE_BYTES) {
        return Err(CommandError::Failure(format!(
            "--tree-out {}: all nodes of a tree of {} and height {} are more than {MAX_TREE_BYTES} \
             bytes, the most that are written; give a lower --height",
            path.display(),
            shape.arities(),
            shape.height()
        )));
    }
    let mut nodes = TreeNodes {
        file: TreeFileWriter::create(path, header).map_err(CommandError::failure)?,
        cap_level: shape.height() - request.cap_height,
        cap: Vec::new(),
        root: Vec::new(),
        height: shape.height(),
    };
    let mut report = commit(&whole, &mut nodes)?;
    let TreeNodes {
        mut file,
        cap,
        root,
        ..
    } = nodes;
    if report.root() != root {
        return Err(CommandError::Failure(format!(
            "the backend computed the root {} and put out another one among the nodes, {}; {} was not \
             written",
            hex(report.root()).join(" "),
            hex(&root).join(" "),
            path.display()
        )));
    }
    for level in 0..shape.height() {
        if let Some(empty) = shape.empty(level) {
            file.fill(level, empty).map_err(CommandError::failure)?;
        }
    }
    report.cap = full_cap(&request.shape().map_err(CommandError::failure)?, cap);
    Ok((report, file))
}

/// Computes a request with the nodes going to a sink.
type Commit<'a> =
    dyn FnMut(&CommitRequest<'_>, &mut dyn NodeSink) -> Result<CommitReport, CommandError> + 'a;

/// Writes nodes to a file and keeps those of the cap.
struct TreeNodes {
    file: TreeFileWriter,
    cap_level: u32,
    cap: Vec<Vec<Word>>,
    height: u32,
    root: Vec<Word>,
}

impl NodeSink for TreeNodes {
    fn wants(&self, _level: u32) -> bool {
        true
    }

    fn node(&mut self, level: u32, index: u64, digest: &[Word]) -> Result<(), DeviceError> {
        if level == self.cap_level {
            self.cap.push(digest.to_vec());
        }
        if level == self.height {
            self.root = digest.to_vec();
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
    arguments: &CommitArguments,
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
    if let Some(upper) = &commitment.upper {
        let sets = TreeSets(commitment.preset, &upper.upper).to_string();
        let arities: Vec<_> = upper.arities.iter().map(usize::to_string).collect();
        console.entry("nodes", format!("{sets}, arities {}", arities.join(", ")))?;
    }
    if commitment.padding_bytes > 0 {
        console.entry(
            "padding",
            format!(
                "{} zero bytes complete the last of the {} elements of the input",
                commitment.padding_bytes, commitment.elements
            ),
        )?;
    }
    if commitment.padding_elements > 0 {
        let end = match arguments.leaves {
            None => "a whole tree",
            Some(_) => "the end of the last leaf",
        };
        console.entry(
            "padding",
            format!(
                "{} zero elements after the {} elements of the input, to {end}",
                commitment.padding_elements, commitment.elements
            ),
        )?;
    }
    if let Padding::Leaf(value) | Padding::SubTree(value) = request.padding
        && commitment.padding_leaves > 0
    {
        let place = match arguments.pad_rule {
            PadRule::Leaf => "for each",
            PadRule::Subtree => "for every empty sub-tree",
        };
        console.entry(
            "padding",
            format!(
                "{} leaves after the {} of the input; {place} stands {}",
                commitment.padding_leaves,
                commitment.leaves,
                hex(value).join(" ")
            ),
        )?;
    }
    console.entry("backend", commitment.backend)?;
    let is_one = report.devices.is_empty();
    if !is_one {
        for (number, device) in commitment.devices.iter().enumerate() {
            console.entry(&format!("device {number}"), device.text())?;
        }
    }
    if let Some(counters) = &report.counters {
        let cycles = match is_one {
            true => format!(
                "{} from start to done; {} from the first word in to the root out",
                counters.cycles,
                counters.span()
            ),
            false => format!(
                "{} of the device that took longest and of the top",
                counters.cycles
            ),
        };
        console.entry("cycles", cycles)?;
        console.entry(
            "time",
            format!("{:.3} ms at 500 MHz", milliseconds(counters.cycles)),
        )?;
        for (name, engine) in [
            ("leaf engine", &counters.leaf),
            ("root engine", &counters.root),
        ]
        .into_iter()
        .filter(|_| is_one)
        {
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
            Check::Skipped if arguments.no_check => "skipped",
            Check::Skipped => {
                "skipped: a stream is read once; leave --leaves out to keep it on disk"
            }
        },
    )?;
    Ok(())
}

//! Test vectors in the format `poseidon-vectors/1`, run on any [`Device`].
//!
//! A file holds the parameters and many cases. Parameters are recognised by their values (prime,
//! widths, rounds, first and last round constant, MDS matrix), never by the name of the file. The
//! kinds `hash` and `merkle` are run; a case of another kind, or of other parameters, is skipped
//! with a reason. `sim-rs/vectors/README.md` describes the format.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, io};

use ark_bls12_381::Fr;
use ark_ff::PrimeField;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use sha2::{Digest, Sha512};

use crate::device::{CommitRequest, Device, DeviceError, LeafKind, NoProgress};
use crate::merkle::{AuthenticationPath, MerkleTree};
use crate::params::PoseidonParameters;
use crate::poseidon::Poseidon;
use crate::presets;
use crate::word::{self, Word};

/// The format that [`VectorFile::load`] reads.
pub const SCHEMA: &str = "poseidon-vectors/1";

/// Most leaves that a case may have.
pub const MAX_LEAVES: usize = 1 << 24;

/// Element `index` of the pseudo-random sequence with `seed`: the SHA-512 of the text `seed:index`
/// as a big-endian integer, modulo the prime.
pub fn generate_element(seed: &str, index: usize) -> Word {
    let digest = Sha512::digest(format!("{seed}:{index}"));
    word::from_field(Fr::from_be_bytes_mod_order(&digest))
}

/// A file of test vectors.
#[derive(Clone, Debug)]
pub struct VectorFile {
    /// Where the vectors come from, in the words of the file.
    pub source: String,
    /// The kind of the cases, in the words of the file.
    pub kind: String,
    /// The cases.
    pub cases: Vec<VectorCase>,
}

/// A case of a file.
#[derive(Clone, Debug)]
pub struct VectorCase {
    /// Name of the case.
    pub name: String,
    check: Check,
}

/// What a case asks for.
#[derive(Clone, Debug)]
enum Check {
    Hash {
        parameters: Arc<PoseidonParameters<Fr>>,
        inputs: Vec<Word>,
        output: Word,
    },
    Chain {
        parameters: Arc<PoseidonParameters<Fr>>,
        length: u64,
        output: Word,
    },
    Merkle(Box<MerkleCheck>),
    Skip {
        reason: String,
    },
}

#[derive(Clone, Debug)]
struct MerkleCheck {
    parameters: Arc<PoseidonParameters<Fr>>,
    leaves: Vec<Word>,
    root: Word,
    layers: Option<Vec<Vec<Word>>>,
    paths: Vec<PathRecord>,
}

/// What came of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Everything that the case gives was found.
    Passed,
    /// Something else was found.
    Failed {
        /// What the case gives.
        expected: String,
        /// What was found.
        got: String,
    },
    /// The case was not run.
    Skipped {
        /// Why.
        reason: String,
    },
}

/// A file of test vectors could not be read.
#[derive(Debug, thiserror::Error)]
pub enum VectorError {
    /// The file could not be read.
    #[error("cannot read {path}: {source}")]
    Read {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// The content does not follow the format.
    #[error("{path} is no file of test vectors: {problem}")]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        problem: String,
    },
}

/// The outermost object of a file.
#[derive(Deserialize)]
struct FileRecord {
    schema: String,
    #[serde(default)]
    source: String,
    kind: String,
    params: Option<Value>,
    case_count: Option<usize>,
    cases: Vec<Value>,
}

/// The parameters, as far as they are compared. What is missing is reported, not an error: other
/// files describe their parameters in other ways.
#[derive(Deserialize)]
struct ParametersRecord {
    p: String,
    t: usize,
    arity: Option<usize>,
    alpha: u64,
    rf: usize,
    rp: usize,
    domain_tag: String,
    capacity_index: usize,
    output_index: usize,
    partial_sbox_index: usize,
    round_order: String,
    rc_first: String,
    rc_last: String,
    rc_count: Option<usize>,
    mds: Option<Value>,
    mds_0_0: Option<String>,
}

#[derive(Deserialize)]
struct HashRecord {
    domain_tag: Option<String>,
    inputs: Vec<String>,
    output: String,
}

#[derive(Deserialize)]
struct ChainRecord {
    domain_tag: Option<String>,
    length: u64,
    output: String,
}

#[derive(Deserialize)]
struct MerkleRecord {
    arity: Option<usize>,
    height: Option<u32>,
    leaf_count: usize,
    leaves_gen: Option<String>,
    seed: Option<String>,
    leaves: Option<Vec<String>>,
    root: String,
    layers: Option<Vec<Vec<String>>>,
    #[serde(default)]
    paths: Vec<PathTextRecord>,
}

#[derive(Deserialize)]
struct PathTextRecord {
    index: usize,
    leaf: String,
    siblings: Vec<Vec<String>>,
}

#[derive(Clone, Debug)]
struct PathRecord {
    index: usize,
    leaf: Word,
    siblings: Vec<Vec<Word>>,
}

impl VectorFile {
    /// Reads the file at `path`.
    ///
    /// # Errors
    ///
    /// When it cannot be read, or does not follow the format.
    pub fn load(path: &Path) -> Result<Self, VectorError> {
        let text = fs::read_to_string(path).map_err(|source| VectorError::Read {
            path: path.to_owned(),
            source,
        })?;
        Self::parse(&text).map_err(|problem| VectorError::Malformed {
            path: path.to_owned(),
            problem,
        })
    }

    fn parse(text: &str) -> Result<Self, String> {
        let file: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        match file.get("schema").and_then(Value::as_str) {
            Some(SCHEMA) => {}
            Some(schema) => return Err(format!("its schema is '{schema}', expected '{SCHEMA}'")),
            None => return Err(format!("it names no schema, expected '{SCHEMA}'")),
        }
        let file: FileRecord = serde_json::from_value(file).map_err(|error| error.to_string())?;
        debug_assert_eq!(file.schema, SCHEMA);
        if file.cases.is_empty() {
            return Err("it has no cases".to_owned());
        }
        if let Some(count) = file.case_count.filter(|&count| count != file.cases.len()) {
            return Err(format!(
                "it announces {count} cases and has {}; is it complete?",
                file.cases.len()
            ));
        }
        let parameters = match file.kind.as_str() {
            "hash" | "merkle" => recognise(file.params),
            kind => Err(format!("cases of the kind '{kind}' are not supported")),
        };
        let cases = file.cases.into_iter().enumerate().map(|(index, case)| {
            let name = match case.get("name").and_then(Value::as_str) {
                Some(name) => name.to_owned(),
                None => format!("#{index}"),
            };
            let check = match &parameters {
                Err(reason) => Ok(Check::Skip {
                    reason: reason.clone(),
                }),
                Ok(parameters) if file.kind == "merkle" => merkle_check(parameters, case),
                Ok(parameters) => hash_check(parameters, case),
            };
            match check {
                Ok(check) => Ok(VectorCase { name, check }),
                Err(problem) => Err(format!("case '{name}': {problem}")),
            }
        });
        Ok(Self {
            cases: cases.collect::<Result<_, String>>()?,
            source: file.source,
            kind: file.kind,
        })
    }
}

/// The parameter set with the values of `record`, or the reason why it is not known.
fn recognise(record: Option<Value>) -> Result<Arc<PoseidonParameters<Fr>>, String> {
    let record = record.ok_or("the file gives no parameters, and its name does not count")?;
    if let Some(prime) = record.get("p").and_then(Value::as_str)
        && word::from_hex(prime).ok() != Some(word::prime::<Fr>())
    {
        return Err(format!("fields with the prime {prime} are not supported"));
    }
    let record: ParametersRecord = serde_json::from_value(record)
        .map_err(|error| format!("the parameters are not described in full: {error}"))?;
    let unknown = |what: String| Err(format!("no parameter set is known with {what}"));

    if word::from_hex(&record.p).ok() != Some(word::prime::<Fr>()) {
        return Err(format!(
            "fields with the prime {} are not supported",
            record.p
        ));
    }
    if record.partial_sbox_index != 0 {
        return unknown(format!(
            "the partial S-box on element {}",
            record.partial_sbox_index
        ));
    }
    if record.round_order != "ARC,SBOX,MDS" {
        return unknown(format!("the order of a round '{}'", record.round_order));
    }
    let width = record.t;
    let same_shape = |set: &&PoseidonParameters<Fr>| {
        set.width() == width && set.full_rounds() == record.rf && set.partial_rounds() == record.rp
    };
    // Neptune's rule gives the sets of other arities and strengths too.
    let candidate = match presets::all().iter().find(same_shape) {
        Some(preset) => preset.clone(),
        None => PoseidonParameters::neptune(
            &format!("neptune t={width} rf={} rp={}", record.rf, record.rp),
            presets::BLS12_381,
            width.saturating_sub(1),
            record.rf,
            record.rp,
        )
        .map_err(|error| error.to_string())?,
    };

    if record.arity.is_some_and(|arity| arity != candidate.arity()) {
        return unknown(format!("t = {width} and the arity {:?}", record.arity));
    }
    for (what, value, known) in [
        ("alpha", record.alpha, candidate.alpha()),
        (
            "the capacity at index",
            record.capacity_index as u64,
            candidate.tag_index() as u64,
        ),
        (
            "the output at index",
            record.output_index as u64,
            candidate.digest_index() as u64,
        ),
    ] {
        if value != known {
            return unknown(format!("t = {width} and {what} {value}"));
        }
    }
    let constants = candidate.round_constants();
    let count = constants.len() * width;
    if record.rc_count.is_some_and(|given| given != count) {
        return unknown(format!(
            "{:?} round constants, not {count}",
            record.rc_count
        ));
    }
    let first = constants.first().and_then(|vector| vector.first());
    let last = constants.last().and_then(|vector| vector.last());
    for (what, given, known) in [
        ("the first round constant", &record.rc_first, first),
        ("the last round constant", &record.rc_last, last),
    ] {
        if !is_element(given, known) {
            return unknown(format!("{what} {given}"));
        }
    }
    match (&record.mds, &record.mds_0_0) {
        (Some(Value::Array(rows)), _) => {
            let same_row = |(row, known): (&Value, &Vec<Fr>)| {
                row.as_array().is_some_and(|row| {
                    row.len() == known.len()
                        && row.iter().zip(known).all(|(given, known)| {
                            given
                                .as_str()
                                .is_some_and(|given| is_element(given, Some(known)))
                        })
                })
            };
            if rows.len() != width || !rows.iter().zip(candidate.mds()).all(same_row) {
                return unknown("this MDS matrix".to_owned());
            }
        }
        (_, Some(given)) => {
            if !is_element(given, Some(&candidate.mds()[0][0])) {
                return unknown(format!("the MDS matrix entry {given} in row 0, column 0"));
            }
        }
        _ => return Err("the parameters give no entry of the MDS matrix".to_owned()),
    }
    let tag = word::from_hex(&record.domain_tag).map_err(|error| error.to_string())?;
    let tag = word::to_field(&tag).ok_or_else(|| {
        format!(
            "the domain tag {} is not below the prime",
            record.domain_tag
        )
    })?;
    Ok(Arc::new(candidate.with_tag(tag)))
}

fn is_element(given: &str, known: Option<&Fr>) -> bool {
    word::from_hex(given).ok() == known.map(|&known| word::from_field(known))
}

/// Reads a field element: hexadecimal, below the prime. `what` is its place, for the error.
fn element(text: &str, what: impl Fn() -> String) -> Result<Word, String> {
    let word = word::from_hex(text).map_err(|error| format!("{}: {error}", what()))?;
    if word::is_below(&word, &word::prime::<Fr>()) {
        return Ok(word);
    }
    Err(format!("{}: {text} is not below the prime", what()))
}

fn elements(texts: &[String], what: &str) -> Result<Vec<Word>, String> {
    texts
        .iter()
        .enumerate()
        .map(|(index, text)| element(text, || format!("{what}[{index}]")))
        .collect()
}

fn record<T: DeserializeOwned>(case: Value) -> Result<T, String> {
    serde_json::from_value(case).map_err(|error| error.to_string())
}

/// `parameters` with the domain tag of a case, if it has one.
fn with_case_tag(
    parameters: &Arc<PoseidonParameters<Fr>>,
    tag: Option<&String>,
) -> Result<Arc<PoseidonParameters<Fr>>, String> {
    let Some(tag) = tag else {
        return Ok(Arc::clone(parameters));
    };
    let tag = element(tag, || "domain_tag".to_owned())?;
    let tag = word::to_field(&tag).ok_or("domain_tag is not below the prime")?;
    Ok(Arc::new(parameters.with_tag(tag)))
}

fn hash_check(parameters: &Arc<PoseidonParameters<Fr>>, case: Value) -> Result<Check, String> {
    match case.get("kind").and_then(Value::as_str) {
        None | Some("hash") => {}
        Some("chain") => {
            let case: ChainRecord = record(case)?;
            return Ok(Check::Chain {
                parameters: with_case_tag(parameters, case.domain_tag.as_ref())?,
                length: case.length,
                output: element(&case.output, || "output".to_owned())?,
            });
        }
        Some(kind) => {
            return Ok(Check::Skip {
                reason: format!("cases of the kind '{kind}' are not supported"),
            });
        }
    }
    let case: HashRecord = record(case)?;
    let mut inputs = elements(&case.inputs, "inputs")?;
    let arity = parameters.arity();
    // A hash of constant length has a tag of its own; its preimage is filled up with zeros.
    let may_be_short = case.domain_tag.is_some();
    if inputs.len() > arity || inputs.len() < arity && !may_be_short {
        return Err(format!(
            "it has {} inputs, expected {arity}, the arity",
            inputs.len()
        ));
    }
    inputs.resize(arity, Word::default());
    Ok(Check::Hash {
        parameters: with_case_tag(parameters, case.domain_tag.as_ref())?,
        inputs,
        output: element(&case.output, || "output".to_owned())?,
    })
}

fn merkle_check(parameters: &Arc<PoseidonParameters<Fr>>, case: Value) -> Result<Check, String> {
    let case: MerkleRecord = record(case)?;
    let arity = parameters.arity();
    if let Some(given) = case.arity.filter(|&given| given != arity) {
        return Err(format!(
            "its arity is {given}, that of the parameters {arity}"
        ));
    }
    let count = case.leaf_count;
    if !(1..=MAX_LEAVES).contains(&count) {
        return Err(format!("it has {count} leaves, expected 1 to {MAX_LEAVES}"));
    }
    crate::merkle::check_leaf_count(count, arity).map_err(|error| error.to_string())?;
    if let Some(height) = case.height
        && arity.checked_pow(height) != Some(count)
    {
        return Err(format!(
            "it has {count} leaves, which is not {arity}^{height}"
        ));
    }
    let generated = match (case.leaves_gen.as_deref(), &case.seed) {
        (Some("iota"), _) => Some((0..count as u64).map(word::from_u64).collect()),
        (Some("sha512"), Some(seed)) => Some(
            (0..count)
                .map(|index| generate_element(seed, index))
                .collect(),
        ),
        (Some("sha512"), None) => {
            return Err("its leaves are generated by 'sha512' without a seed".to_owned());
        }
        _ => None,
    };
    let leaves = match (&case.leaves, generated) {
        (Some(given), generated) => {
            let given = elements(given, "leaves")?;
            if given.len() != count {
                return Err(format!(
                    "it announces {count} leaves and has {}",
                    given.len()
                ));
            }
            if generated.is_some_and(|generated: Vec<Word>| generated != given) {
                return Err("its leaves are not those that its generator gives".to_owned());
            }
            given
        }
        (None, Some(generated)) => generated,
        (None, None) => {
            return Ok(Check::Skip {
                reason: format!(
                    "its leaves are not given, and the generator {:?} is not known",
                    case.leaves_gen.unwrap_or_default()
                ),
            });
        }
    };
    let layers = case.layers.map(|layers| {
        let layers = layers.iter().enumerate();
        layers
            .map(|(level, nodes)| elements(nodes, &format!("layers[{level}]")))
            .collect()
    });
    let paths = case.paths.iter().enumerate().map(|(index, path)| {
        let siblings = path.siblings.iter().enumerate().map(|(level, siblings)| {
            elements(siblings, &format!("paths[{index}].siblings[{level}]"))
        });
        Ok::<_, String>(PathRecord {
            index: path.index,
            leaf: element(&path.leaf, || format!("paths[{index}].leaf"))?,
            siblings: siblings.collect::<Result<_, _>>()?,
        })
    });
    Ok(Check::Merkle(Box::new(MerkleCheck {
        parameters: Arc::clone(parameters),
        leaves,
        root: element(&case.root, || "root".to_owned())?,
        layers: layers.transpose()?,
        paths: paths.collect::<Result<_, _>>()?,
    })))
}

/// Runs `case` on `device`. The layers and paths of a Merkle tree, which a device does not give,
/// are checked with the reference in addition.
pub fn run_case(device: &mut dyn Device, case: &VectorCase) -> Outcome {
    let (parameters, output, result) = match &case.check {
        Check::Skip { reason } => {
            return Outcome::Skipped {
                reason: reason.clone(),
            };
        }
        Check::Hash {
            parameters,
            inputs,
            output,
        } => (parameters, output, hash(device, parameters, inputs)),
        Check::Chain {
            parameters,
            length,
            output,
        } => (parameters, output, chain(device, parameters, *length)),
        Check::Merkle(check) => (&check.parameters, &check.root, commit(device, check)),
    };
    match result {
        Ok(got) if got == *output => {}
        Ok(got) => return failed(word::to_hex(output), word::to_hex(&got)),
        Err(DeviceError::Unsupported(unsupported)) => {
            return Outcome::Skipped {
                reason: unsupported.to_string(),
            };
        }
        Err(error) => {
            return failed(
                word::to_hex(output),
                format!("'{}' on {}: {error}", parameters.name(), device.name()),
            );
        }
    }
    match &case.check {
        Check::Merkle(check) => check_tree(check),
        _ => Outcome::Passed,
    }
}

fn failed(expected: impl Into<String>, got: impl Into<String>) -> Outcome {
    Outcome::Failed {
        expected: expected.into(),
        got: got.into(),
    }
}

fn hash(
    device: &mut dyn Device,
    parameters: &PoseidonParameters<Fr>,
    inputs: &[Word],
) -> Result<Word, DeviceError> {
    device.supports(parameters)?;
    let report = device.hash_many(parameters, &[inputs.to_vec()], &mut NoProgress)?;
    match report.digests.as_slice() {
        [digest] => Ok(*digest),
        digests => Err(DeviceError::failed(format!(
            "{} digests came for one input",
            digests.len()
        ))),
    }
}

/// `x_0 = 0`, `x_(k+1) = H(x_k, k + 1, k + 2, ..)`; returns `x_length`.
fn chain(
    device: &mut dyn Device,
    parameters: &PoseidonParameters<Fr>,
    length: u64,
) -> Result<Word, DeviceError> {
    let mut value = Word::default();
    for k in 0..length {
        let mut inputs = vec![value];
        inputs.extend((k + 1..).take(parameters.arity() - 1).map(word::from_u64));
        value = hash(device, parameters, &inputs)?;
    }
    Ok(value)
}

fn commit(device: &mut dyn Device, check: &MerkleCheck) -> Result<Word, DeviceError> {
    device.supports(&check.parameters)?;
    let request = CommitRequest {
        parameters: &check.parameters,
        leaf: LeafKind::Element,
        words: &check.leaves,
    };
    Ok(device.commit(&request, &mut NoProgress)?.root)
}

/// Checks layers and paths against the tree of the reference.
fn check_tree(check: &MerkleCheck) -> Outcome {
    if check.layers.is_none() && check.paths.is_empty() {
        return Outcome::Passed;
    }
    let poseidon = match Poseidon::new(&check.parameters) {
        Ok(poseidon) => poseidon,
        Err(error) => {
            return Outcome::Skipped {
                reason: error.to_string(),
            };
        }
    };
    let leaves = check.leaves.iter().filter_map(word::to_field).collect();
    let tree = match MerkleTree::build(&poseidon, leaves) {
        Ok(tree) => tree,
        Err(error) => return failed("a tree", error.to_string()),
    };
    if let Some(layers) = &check.layers {
        let lengths = |layers: &mut dyn Iterator<Item = usize>| -> String {
            layers.map(|length| format!("{length} ")).collect()
        };
        let expected = lengths(&mut layers.iter().map(Vec::len));
        let got = lengths(&mut tree.layers().iter().map(Vec::len));
        if expected != got {
            return failed(format!("layers of lengths {expected}"), got);
        }
        for (level, (nodes, built)) in layers.iter().zip(tree.layers()).enumerate() {
            for (index, (node, &built)) in nodes.iter().zip(built).enumerate() {
                let built = word::from_field(built);
                if built != *node {
                    return failed(
                        format!("layers[{level}][{index}] = {}", word::to_hex(node)),
                        word::to_hex(&built),
                    );
                }
            }
        }
    }
    for (number, path) in check.paths.iter().enumerate() {
        let Some(built) = tree.path(path.index) else {
            return failed(
                format!("paths[{number}] of leaf {}", path.index),
                format!("there are {} leaves", check.leaves.len()),
            );
        };
        let given = AuthenticationPath {
            index: path.index,
            siblings: path
                .siblings
                .iter()
                .map(|siblings| siblings.iter().filter_map(word::to_field).collect())
                .collect(),
        };
        if given != built {
            return failed(
                format!("paths[{number}].siblings of leaf {}", path.index),
                "other siblings",
            );
        }
        let proven = word::to_field(&path.leaf)
            .is_some_and(|leaf| given.verify(&poseidon, leaf, tree.root()));
        if !proven {
            return failed(
                format!("paths[{number}] proves leaf {}", path.index),
                format!("it does not prove {}", word::to_hex(&path.leaf)),
            );
        }
    }
    Outcome::Passed
}

//! Test vectors in the format `poseidon-vectors/1`, run on any [`Device`].
//!
//! A file holds the parameters and many cases. Parameters are recognised by their values (prime,
//! widths, rounds, round constants, MDS matrix), never by the name of the file. A case of parameters
//! or of a kind that is not known is skipped with a reason. `sim-rs/vectors/README.md` describes the
//! format.
//!
//! What a case asks for is computed by the methods of [`Device`] alone. The hashes of many cases go
//! to the device together.

mod cases;
mod elements;
mod recognise;
mod run;
mod sectors;

use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

use acclmt_driver::device::Device;
use acclmt_poseidon::text;
pub use cases::{MAX_CHAIN, MAX_LEAVES, VectorCase, Work};
pub use elements::generate_element;
pub use run::Outcome;

use cases::Skipped;
use recognise::Head;

/// The format that [`VectorFile::load`] reads.
pub const SCHEMA: &str = "poseidon-vectors/1";

/// Most bytes of a file.
const MAX_BYTES: u64 = 1 << 28;

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
    #[serde(default)]
    source: String,
    kind: String,
    case_count: Option<usize>,
}

impl VectorFile {
    /// Reads the file at `path`.
    ///
    /// # Errors
    ///
    /// When it cannot be read, or does not follow the format.
    pub fn load(path: &Path) -> Result<Self, VectorError> {
        let text = text::read_file(path, MAX_BYTES).map_err(|source| VectorError::Read {
            path: path.to_owned(),
            source,
        })?;
        Self::parse(&text).map_err(|problem| VectorError::Malformed {
            path: path.to_owned(),
            problem,
        })
    }

    fn parse(text: &str) -> Result<Self, String> {
        let mut file: Value = serde_json::from_str(text).map_err(|error| text::message(&error))?;
        match file.get("schema").and_then(Value::as_str) {
            Some(SCHEMA) => {}
            Some(schema) => {
                let schema = text::shortened(schema);
                return Err(format!("its schema is '{schema}', expected '{SCHEMA}'"));
            }
            None => return Err(format!("it names no schema, expected '{SCHEMA}'")),
        }
        let cases = match file.get_mut("cases").map(Value::take) {
            Some(Value::Array(cases)) => cases,
            Some(_) => return Err("its cases are no list".to_owned()),
            None => return Err("missing field `cases`".to_owned()),
        };
        let record = FileRecord::deserialize(&file).map_err(|error| text::message(&error))?;
        if cases.is_empty() {
            return Err("it has no cases".to_owned());
        }
        if let Some(count) = record.case_count.filter(|&count| count != cases.len()) {
            return Err(format!(
                "it announces {count} cases and has {}; is it complete?",
                cases.len()
            ));
        }
        let parameters = recognise::recognise(&Head {
            source: &record.source,
            kind: &record.kind,
            whole: &file,
        });
        let cases = cases.into_iter().enumerate().map(|(index, case)| {
            let name = match case.get("name").and_then(Value::as_str) {
                Some(name) => name.to_owned(),
                None => format!("#{index}"),
            };
            let checks = match &parameters {
                Err(reason) => Ok(Err(Skipped(reason.clone()))),
                Ok(parameters) => cases::read(parameters, &record.kind, case),
            };
            match checks {
                Ok(checks) => Ok(VectorCase { name, checks }),
                Err(problem) => Err(format!("case '{name}': {problem}")),
            }
        });
        Ok(Self {
            cases: cases.collect::<Result<_, String>>()?,
            source: record.source,
            kind: record.kind,
        })
    }
}

/// Runs `cases` on `device` and returns what came of each, in order. Hashes and permutations of all
/// cases that have the same parameters go to the device together. The layers and paths of a Merkle
/// tree, which a device does not give, are checked with the reference in addition.
pub fn run_cases<'a>(
    device: &mut dyn Device,
    cases: impl IntoIterator<Item = &'a VectorCase>,
) -> Vec<Outcome> {
    let cases: Vec<&VectorCase> = cases.into_iter().collect();
    run::run_cases(device, &cases)
}

/// [`run_cases`] of a single case.
pub fn run_case(device: &mut dyn Device, case: &VectorCase) -> Outcome {
    run_cases(device, [case]).remove(0)
}

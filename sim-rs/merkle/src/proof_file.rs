//! Files with proofs, of paths or multiproofs.

use std::io::{self, Write as _};
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::format::{Formats, check_format};
use crate::levels::{Arities, UpperLevels, UpperPreset};
use crate::multiproof::{self, Multiproof};
use crate::new_file::NewFile;
use crate::proof::{self, Proof, ProofError};
use crate::tree_file::MAX_HEIGHT;
use acclmt_poseidon::fields::{AnyParameters, FieldId};
use acclmt_poseidon::text;
use acclmt_poseidon::word::Word;

/// Most bytes of a file.
const MAX_BYTES: u64 = 1 << 28;

/// A proof of either format.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum AnyProof {
    /// An authentication path for each leaf.
    Paths(Proof),
    /// Every node once.
    Multiproof(Multiproof),
}

/// Evaluates `$body` with `$proof` bound to the proof of `$any`.
macro_rules! either {
    ($any:expr, $proof:ident => $body:expr) => {
        match $any {
            AnyProof::Paths($proof) => $body,
            AnyProof::Multiproof($proof) => $body,
        }
    };
}

impl AnyProof {
    /// Reads a proof from its JSON form, whose key `format` says which.
    ///
    /// # Errors
    ///
    /// When the file cannot be read or is no proof; the error names the place. Whether the openings
    /// are right is what [`AnyProof::verify`] checks.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, ProofError> {
        let path = path.as_ref();
        let formats = [proof::FORMATS.names(), multiproof::FORMATS.names()].concat();
        let (json, format) = read(path, &formats)?;
        if multiproof::FORMATS.names().contains(&format) {
            return parse(path, &json, format).map(Self::Multiproof);
        }
        parse(path, &json, format).map(Self::Paths)
    }

    /// Writes the JSON form of the proof. A file at `path` is replaced at the end, when the proof is
    /// whole.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), ProofError> {
        save(path.as_ref(), self)
    }

    /// Verifies the proof: see [`Proof::verify`] and [`Multiproof::verify`].
    ///
    /// # Errors
    ///
    /// When it proves nothing.
    pub fn verify(&self, parameters: &AnyParameters, cap: &[Vec<Word>]) -> Result<(), ProofError> {
        either!(self, proof => proof.verify(parameters, cap))
    }

    /// Verifies a proof of a tree with upper levels: see [`Proof::verify_with_upper`] and
    /// [`Multiproof::verify_with_upper`].
    ///
    /// # Errors
    ///
    /// When it proves nothing.
    pub fn verify_with_upper(
        &self,
        parameters: &AnyParameters,
        upper: &[UpperLevels<'_>],
        cap: &[Vec<Word>],
    ) -> Result<(), ProofError> {
        either!(self, proof => proof.verify_with_upper(parameters, upper, cap))
    }

    /// Name of the format.
    pub fn format(&self) -> &'static str {
        either!(self, proof => proof.format())
    }

    /// Name of the parameter set.
    pub fn preset(&self) -> &str {
        either!(self, proof => &proof.preset)
    }

    /// The field.
    pub fn field(&self) -> FieldId {
        either!(self, proof => proof.field)
    }

    /// Children of a node, below the upper levels.
    pub fn arity(&self) -> usize {
        either!(self, proof => proof.arity)
    }

    /// Parameter sets of upper levels.
    pub fn upper(&self) -> &[UpperPreset] {
        either!(self, proof => &proof.upper)
    }

    /// The arity of each level below the root, of as many as a tree may have; a proof that was not verified may say
    /// anything of its height.
    pub fn arities(&self) -> Arities {
        Arities::new(
            &UpperPreset::arities_or_base(self.arity(), self.upper()),
            self.height().min(MAX_HEIGHT),
        )
    }

    /// Levels above the leaves.
    pub fn height(&self) -> u32 {
        either!(self, proof => proof.height)
    }

    /// Levels above the nodes where the proof ends; 0 when it ends at the root.
    pub fn cap_height(&self) -> u32 {
        either!(self, proof => proof.cap_height)
    }

    /// The index and the elements of each opened leaf.
    pub fn leaves(&self) -> Vec<(u64, &[Word])> {
        either!(self, proof => {
            let openings = proof.openings.iter();
            openings.map(|opening| (opening.index, &opening.leaf[..])).collect()
        })
    }

    /// Nodes of the proof, without the leaves.
    pub fn node_count(&self) -> u64 {
        either!(self, proof => proof.node_count())
    }

    /// Nodes of the authentication paths of its leaves, each with nodes of its own.
    pub fn nodes_of_paths(&self) -> u64 {
        match self {
            Self::Paths(proof) => proof.node_count(),
            Self::Multiproof(proof) => proof.nodes_of_paths(),
        }
    }
}

/// The JSON text of a proof, and the one of `formats` that it has.
fn read<'a>(path: &Path, formats: &[&'a str]) -> Result<(String, &'a str), ProofError> {
    let malformed = |problem| ProofError::Malformed {
        path: path.to_owned(),
        format: formats.join(" or "),
        problem,
    };
    let json = text::read_file(path, MAX_BYTES).map_err(|source| match source.kind() {
        io::ErrorKind::InvalidData => malformed(source.to_string()),
        _ => ProofError::Read {
            path: path.to_owned(),
            source,
        },
    })?;
    let format = check_format(json.as_bytes(), formats).map_err(malformed)?;
    Ok((json, format))
}

fn parse<T: DeserializeOwned>(path: &Path, json: &str, format: &str) -> Result<T, ProofError> {
    serde_json::from_str(json).map_err(|error| ProofError::Malformed {
        path: path.to_owned(),
        format: format.to_owned(),
        problem: text::message(&error),
    })
}

/// Reads a proof of one of `formats`.
pub(crate) fn load<T: DeserializeOwned>(path: &Path, formats: Formats) -> Result<T, ProofError> {
    let (json, format) = read(path, &formats.names())?;
    parse(path, &json, format)
}

/// Writes a proof; a file at `path` is replaced when it is whole.
pub(crate) fn save(path: &Path, proof: &impl Serialize) -> Result<(), ProofError> {
    let write = || {
        let mut json = serde_json::to_vec_pretty(proof)?;
        json.push(b'\n');
        let mut file = NewFile::create(path)?;
        file.file().write_all(&json)?;
        file.finish()
    };
    write().map_err(|source| ProofError::Write {
        path: path.to_owned(),
        source,
    })
}

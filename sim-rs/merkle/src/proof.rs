//! Proofs that leaves are in a Merkle tree.
//!
//! A proof opens one leaf or more: for each it has the leaf and its authentication path, from the
//! leaves up to the root or to a cap. It is a JSON object:
//!
//! ```json
//! {"format":"acclmt-proof/1","preset":"filecoin-arity-2","field":"bls12-381","arity":2,
//!  "height":3,"cap_height":1,
//!  "openings":[{"index":5,"leaf":["0x.."],"siblings":[[["0x.."]],[["0x.."]]]}]}
//! ```
//!
//! `siblings` has one list for each level from the leaves up to the cap: the other children of the node's parent in
//! index order, one less than the arity of the level. A leaf, and a sibling, is the list of its field
//! elements, `0x` and 64 hexadecimal digits each, the most significant first.
//!
//! A proof of a tree with [upper levels](crate::levels) has the format `acclmt-proof/2`, and behind `arity` the key
//! `upper`: a list of `{"from":10,"preset":"filecoin-arity-2","arity":2}` by ascending level.
//!
//! A [multiproof](crate::multiproof) opens several leaves with fewer nodes.

use std::collections::HashMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::format::Formats;
use crate::levels::{
    Arities, ByLevel, UpperError, UpperLevels, UpperPreset, parameters_by_level, prepared,
};
use crate::proof_file;
use crate::tree::{self, AuthenticationPath, NoTree};
use crate::tree_file::{MAX_HEIGHT, TreeFile, TreeFileError, TreeHeader};
use acclmt_poseidon::fields::{AnyParameters, FieldId, PoseidonField, words};
use acclmt_poseidon::permutation::Poseidon;
use acclmt_poseidon::text;
use acclmt_poseidon::with_field;
use acclmt_poseidon::word::{self, Word};

/// Names of the format.
pub(crate) const FORMATS: Formats = Formats {
    plain: "acclmt-proof/1",
    upper: "acclmt-proof/2",
};

/// Why there is no proof, or why it proves nothing.
#[derive(Debug, thiserror::Error)]
pub enum ProofError {
    /// The file could not be read.
    #[error("cannot read {path}: {source}")]
    Read {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// The file could not be written.
    #[error("cannot write {path}: {source}")]
    Write {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// The file is no proof.
    #[error("{path} does not follow the format {format}: {problem}")]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The format, or the formats that it may have.
        format: String,
        /// What is wrong.
        problem: String,
    },
    /// The tree cannot be read.
    #[error(transparent)]
    Tree(#[from] TreeFileError),
    /// No leaf is to be opened.
    #[error("no leaf is opened; give the index of at least one")]
    NoIndices,
    /// There is no such leaf.
    #[error("there is no leaf {index}: the {leaves} leaves of the tree are counted from 0")]
    Index {
        /// Index of the leaf.
        index: u64,
        /// Leaves of the tree, without padding.
        leaves: u64,
    },
    /// A leaf is to be opened twice.
    #[error("leaf {index} is given twice; give each leaf once")]
    DuplicateIndex {
        /// Index of the leaf.
        index: u64,
    },
    /// The cap is higher than the tree.
    #[error("a cap of height {cap_height} is higher than the tree, which has height {height}")]
    CapHeight {
        /// Height of the cap.
        cap_height: u32,
        /// Levels above the leaves.
        height: u32,
    },
    /// The parameter set makes no trees.
    #[error(transparent)]
    Hash(#[from] NoTree),
    /// The proof is over another field.
    #[error("the proof is over the field {field}, '{preset}' over {expected}")]
    Field {
        /// Field of the proof.
        field: FieldId,
        /// Name of the parameter set.
        preset: String,
        /// Its field.
        expected: FieldId,
    },
    /// The proof is of a tree of another arity.
    #[error("the proof is of a tree of arity {arity}, those of '{preset}' have arity {expected}")]
    Arity {
        /// Arity of the proof.
        arity: usize,
        /// Name of the parameter set.
        preset: String,
        /// Its arity.
        expected: usize,
    },
    /// The proof is of a tree with other upper levels.
    #[error("the proof is of a tree {proof}, and is to be verified {expected}")]
    UpperLevels {
        /// Upper levels of the proof.
        proof: String,
        /// Those to verify with.
        expected: String,
    },
    /// Upper levels are wrong.
    #[error(transparent)]
    Upper(#[from] UpperError),
    /// The tree is too high.
    #[error(
        "the proof is of a tree of {what} and height {height}: expected a height of at most \
         {MAX_HEIGHT}, and less than 2^64 leaves"
    )]
    Height {
        /// Its arities.
        what: String,
        /// Levels above the leaves.
        height: u32,
    },
    /// The cap to verify against has the wrong number of nodes.
    #[error(
        "the proof ends at a cap of height {cap_height}, which has {expected} nodes, and is to be \
         verified against {nodes}"
    )]
    CapLength {
        /// Height of the cap.
        cap_height: u32,
        /// Nodes to verify against.
        nodes: usize,
        /// Nodes of the cap.
        expected: u64,
    },
    /// A node of the cap is no digest.
    #[error("node {node} of the cap: {problem}")]
    CapNode {
        /// Index of the node.
        node: usize,
        /// What is wrong.
        problem: DigestError,
    },
    /// The proof opens nothing.
    #[error("the proof has no openings, so it proves nothing")]
    NoOpenings,
    /// An opening is wrong.
    #[error("openings[{position}], of leaf {index}: {problem}")]
    Opening {
        /// Position of the opening in the proof, counted from 0.
        position: usize,
        /// Index of its leaf.
        index: u64,
        /// What is wrong.
        problem: OpeningError,
    },
    /// A multiproof does not have the levels from the leaves up to the cap.
    #[error("nodes of {levels} levels, expected {expected}, those from the leaves to the cap")]
    NodeLevels {
        /// Levels that have nodes.
        levels: usize,
        /// Levels from the leaves to the cap.
        expected: u32,
    },
    /// A level of a multiproof has the wrong number of nodes.
    #[error(
        "nodes[{level}] has {nodes} nodes, expected {expected}, those beside the paths of its leaves: \
         {what}",
        what = if nodes < expected { "some are missing" } else { "some are superfluous" }
    )]
    NodeCount {
        /// The level.
        level: usize,
        /// Its number of nodes.
        nodes: usize,
        /// The number expected.
        expected: usize,
    },
    /// A node of a multiproof is no digest.
    #[error("nodes[{level}][{position}] is wrong: {problem}")]
    Node {
        /// The level.
        level: usize,
        /// Position of the node in its level.
        position: usize,
        /// What is wrong.
        problem: DigestError,
    },
    /// The leaves and nodes of a multiproof hash to something else.
    #[error(
        "{openings} and the nodes beside their paths hash to {hashed}, not to node {node} of the cap, \
         {expected}",
        openings = Positions(positions),
        hashed = Digest(hashed),
        expected = Digest(expected)
    )]
    Mismatch {
        /// Positions of the openings below the node of the cap, the first and the last.
        positions: [usize; 2],
        /// What they hash to.
        hashed: Vec<Word>,
        /// Index of the node in the cap; the root is node 0 of the cap of height 0.
        node: u64,
        /// The node.
        expected: Vec<Word>,
    },
}

/// Values are no digest.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DigestError {
    /// Their number is wrong.
    #[error("it has {elements} field elements, expected {expected}, those of a digest")]
    Length {
        /// Number of elements.
        elements: usize,
        /// Elements of a digest.
        expected: usize,
    },
    /// A value is no field element.
    #[error(
        "its element {element} is {value}, which is not below the prime of {field}",
        value = word::to_hex(value)
    )]
    Element {
        /// Index of the element.
        element: usize,
        /// Its value.
        value: Word,
        /// The field.
        field: FieldId,
    },
}

/// Why an opening proves nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OpeningError {
    /// The leaf is beyond the tree.
    #[error("there is no such leaf: the {leaves} leaves of the tree are counted from 0")]
    Index {
        /// Leaves of the tree, padding included.
        leaves: u64,
    },
    /// The leaf was opened before.
    #[error("openings[{first}] is of the same leaf")]
    Duplicate {
        /// Position of the first opening of the leaf.
        first: usize,
    },
    /// The openings of a multiproof do not ascend.
    #[error("the openings of a multiproof ascend, but openings[{before}] is of leaf {index}")]
    Order {
        /// Position of the opening before.
        before: usize,
        /// Index of its leaf.
        index: u64,
    },
    /// The leaf is no digest.
    #[error("the leaf is wrong: {0}")]
    Leaf(DigestError),
    /// The path does not have the levels from the leaves up to the cap.
    #[error("siblings of {levels} levels, expected {expected}, those from the leaves to the cap")]
    Levels {
        /// Levels that have siblings.
        levels: usize,
        /// Levels from the leaves to the cap.
        expected: u32,
    },
    /// A level has the wrong number of siblings.
    #[error("siblings[{level}] has {siblings} nodes, expected {expected}, the arity less 1")]
    Siblings {
        /// The level.
        level: usize,
        /// Its number of siblings.
        siblings: usize,
        /// The number expected.
        expected: usize,
    },
    /// A sibling is no digest.
    #[error("siblings[{level}][{sibling}] is wrong: {problem}")]
    Sibling {
        /// The level.
        level: usize,
        /// Position of the sibling in its level.
        sibling: usize,
        /// What is wrong.
        problem: DigestError,
    },
    /// The leaf and its path hash to something else.
    #[error(
        "the leaf and its siblings hash to {hashed}, not to node {node} of the cap, {expected}",
        hashed = Digest(hashed),
        expected = Digest(expected)
    )]
    Mismatch {
        /// What they hash to.
        hashed: Vec<Word>,
        /// Index of the node in the cap; the root is node 0 of the cap of height 0.
        node: u64,
        /// The node.
        expected: Vec<Word>,
    },
}

/// Shows the elements of a digest.
struct Digest<'a>(&'a [Word]);

impl fmt::Display for Digest<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, element) in self.0.iter().enumerate() {
            let space = if index == 0 { "" } else { " " };
            write!(formatter, "{space}{}", word::to_hex(element))?;
        }
        Ok(())
    }
}

/// Names openings from the first to the last position.
struct Positions<'a>(&'a [usize; 2]);

impl fmt::Display for Positions<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, last] = self.0;
        write!(formatter, "openings[{first}]")?;
        if first < last {
            write!(formatter, " to openings[{last}]")?;
        }
        Ok(())
    }
}

/// A proof that leaves are in a tree; the module describes its JSON form.
///
/// The tree is known to whoever verifies the proof by its root or cap, which do not tell its height.
/// A proof of another height than the tree's can open an inner node as if it were a leaf: compare
/// `height` with that of the tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "ProofRecord", into = "ProofRecord")]
pub struct Proof {
    /// Name of the parameter set.
    pub preset: String,
    /// The field.
    pub field: FieldId,
    /// Children of a node, below the upper levels.
    pub arity: usize,
    /// Parameter sets of upper levels.
    pub upper: Vec<UpperPreset>,
    /// Levels above the leaves.
    pub height: u32,
    /// Levels above the nodes where the paths end; 0 when they end at the root.
    pub cap_height: u32,
    /// The leaves with their paths, one or more, each leaf once.
    pub openings: Vec<Opening>,
}

/// A leaf and its authentication path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    /// Index of the leaf, counted from 0.
    pub index: u64,
    /// The elements of the leaf.
    pub leaf: Vec<Word>,
    /// For each level, from the leaves up to the cap, the other children of the node's parent in index order, one less
    /// than the arity of the level: the elements of each.
    pub siblings: Vec<Vec<Vec<Word>>>,
}

/// A proof as it is in JSON.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ProofRecord {
    format: String,
    preset: String,
    field: String,
    arity: usize,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    upper: Vec<UpperPreset>,
    height: u32,
    cap_height: u32,
    openings: Vec<OpeningRecord>,
}

/// An opening as it is in JSON.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct OpeningRecord {
    index: u64,
    leaf: Vec<String>,
    siblings: Vec<Vec<Vec<String>>>,
}

/// A value of the JSON form is wrong.
#[derive(Debug, thiserror::Error)]
#[error("`{place}`: {problem}")]
pub(crate) struct RecordError {
    place: String,
    problem: String,
}

impl RecordError {
    pub(crate) fn new(place: impl Into<String>, problem: impl ToString) -> Self {
        Self {
            place: place.into(),
            problem: problem.to_string(),
        }
    }
}

/// Checks that a record is of one of `formats`, with upper levels as that has them, and reads its field.
pub(crate) fn read_kind(
    format: &str,
    formats: Formats,
    upper: &[UpperPreset],
    field: &str,
) -> Result<FieldId, RecordError> {
    if !formats.names().contains(&format) {
        let names = formats.names().join("' or '");
        let problem = format!("it is '{format}', expected '{names}'");
        return Err(RecordError::new("format", problem));
    }
    formats
        .check_upper(format, upper)
        .map_err(|problem| RecordError::new("upper", problem))?;
    FieldId::from_name(field).map_err(|unknown| RecordError::new("field", unknown))
}

/// The elements of a digest in hexadecimal.
pub(crate) fn write_elements(digest: &[Word]) -> Vec<String> {
    digest.iter().map(word::to_hex).collect()
}

/// The elements of the digest at `place`.
pub(crate) fn read_elements(digest: &[String], place: &str) -> Result<Vec<Word>, RecordError> {
    let elements = digest.iter().enumerate().map(|(index, text)| {
        word::from_hex(text).map_err(|error| RecordError::new(format!("{place}[{index}]"), error))
    });
    elements.collect()
}

/// The digests of every level of a list at `place`.
pub(crate) fn read_levels(
    levels: &[Vec<Vec<String>>],
    place: &str,
) -> Result<Vec<Vec<Vec<Word>>>, RecordError> {
    let levels = levels.iter().enumerate().map(|(level, nodes)| {
        let nodes = nodes.iter().enumerate();
        nodes
            .map(|(position, node)| read_elements(node, &format!("{place}[{level}][{position}]")))
            .collect()
    });
    levels.collect()
}

/// The digests of every level in hexadecimal.
pub(crate) fn write_levels(levels: &[Vec<Vec<Word>>]) -> Vec<Vec<Vec<String>>> {
    let levels = levels.iter();
    levels
        .map(|nodes| nodes.iter().map(|node| write_elements(node)).collect())
        .collect()
}

impl TryFrom<ProofRecord> for Proof {
    type Error = RecordError;

    fn try_from(record: ProofRecord) -> Result<Self, RecordError> {
        let field = read_kind(&record.format, FORMATS, &record.upper, &record.field)?;
        let openings = record.openings.iter().enumerate();
        Ok(Self {
            preset: record.preset,
            field,
            arity: record.arity,
            upper: record.upper,
            height: record.height,
            cap_height: record.cap_height,
            openings: openings
                .map(|(position, opening)| opening.read(&format!("openings[{position}]")))
                .collect::<Result<_, _>>()?,
        })
    }
}

impl From<Proof> for ProofRecord {
    fn from(proof: Proof) -> Self {
        Self {
            format: proof.format().to_owned(),
            preset: proof.preset,
            field: proof.field.name().to_owned(),
            arity: proof.arity,
            upper: proof.upper,
            height: proof.height,
            cap_height: proof.cap_height,
            openings: proof.openings.iter().map(OpeningRecord::of).collect(),
        }
    }
}

impl OpeningRecord {
    fn of(opening: &Opening) -> Self {
        Self {
            index: opening.index,
            leaf: write_elements(&opening.leaf),
            siblings: write_levels(&opening.siblings),
        }
    }

    fn read(&self, place: &str) -> Result<Opening, RecordError> {
        Ok(Opening {
            index: self.index,
            leaf: read_elements(&self.leaf, &format!("{place}.leaf"))?,
            siblings: read_levels(&self.siblings, &format!("{place}.siblings"))?,
        })
    }
}

impl Proof {
    /// Opens the leaves `indices` of `tree`, with paths up to its cap of height `cap_height`: 0 is
    /// the root. Padding cannot be opened, since it need not be a leaf: it may stand for a sub-tree.
    ///
    /// # Errors
    ///
    /// When there are no indices, one is beyond the given leaves or there twice, the cap is higher
    /// than the tree, or the tree cannot be read.
    pub fn of_tree(tree: &TreeFile, indices: &[u64], cap_height: u32) -> Result<Self, ProofError> {
        let header = tree.header();
        let levels = check_opened(header, indices, cap_height)?;
        let openings = indices.iter().map(|&index| {
            Ok(Opening {
                index,
                leaf: tree.node(0, index)?,
                siblings: tree.siblings(index, levels)?,
            })
        });
        Ok(Self {
            preset: header.preset().to_owned(),
            field: header.field(),
            arity: header.arity(),
            upper: header.upper().to_vec(),
            height: header.height(),
            cap_height,
            openings: openings.collect::<Result<_, TreeFileError>>()?,
        })
    }

    /// Verifies that every opened leaf is in the tree of `parameters` with this root or cap. `cap`
    /// are the `arity^cap_height` nodes of the cap, the elements of each; the root alone for the
    /// height 0.
    ///
    /// The height is that of the proof; see [`Proof`] for why to compare it with that of the tree.
    /// The name of the parameter set is not compared.
    ///
    /// # Errors
    ///
    /// When the proof is of another kind of tree, its cap has another number of nodes than `cap`, or
    /// an opening is wrong; the error names the first such opening.
    pub fn verify(&self, parameters: &AnyParameters, cap: &[Vec<Word>]) -> Result<(), ProofError> {
        self.verify_with_upper(parameters, &[], cap)
    }

    /// The same for a tree with upper levels, which have to be those of the proof.
    ///
    /// # Errors
    ///
    /// As [`verify`](Proof::verify), and when the proof has other upper levels.
    pub fn verify_with_upper(
        &self,
        parameters: &AnyParameters,
        upper: &[UpperLevels<'_>],
        cap: &[Vec<Word>],
    ) -> Result<(), ProofError> {
        let tree = ProofTree {
            field: self.field,
            arity: self.arity,
            upper: &self.upper,
            height: self.height,
            cap_height: self.cap_height,
        };
        let shape = Shape::new(parameters, upper, tree)?;
        with_field!(self.field, F => self.verify_in::<F>(&shape, cap))
    }

    /// Name of the format of its file.
    pub fn format(&self) -> &'static str {
        FORMATS.of(&self.upper)
    }

    fn verify_in<F: PoseidonField>(
        &self,
        shape: &Shape<'_>,
        cap: &[Vec<Word>],
    ) -> Result<(), ProofError> {
        shape.check_cap::<F>(self.cap_height, cap)?;
        if self.openings.is_empty() {
            return Err(ProofError::NoOpenings);
        }
        let first_positions = first_positions(self.openings.iter().map(|opening| opening.index));
        let hashes = shape.prepared::<F>()?;
        let hashes = &hashes.map_ref();
        let wrong = (self.openings.par_iter().enumerate())
            .map(|(position, opening)| {
                let result = match first_positions.get(&opening.index) {
                    Some(&first) if first < position => Err(OpeningError::Duplicate { first }),
                    _ => opening.verify(hashes, shape, cap),
                };
                result.map_err(|problem| ProofError::Opening {
                    position,
                    index: opening.index,
                    problem,
                })
            })
            .find_first(Result::is_err);
        wrong.unwrap_or(Ok(()))
    }

    /// Nodes of the paths, without the leaves.
    pub fn node_count(&self) -> u64 {
        let paths = self.openings.iter().map(|opening| &opening.siblings);
        paths.flatten().map(|nodes| nodes.len() as u64).sum()
    }

    /// Reads a proof from its JSON form.
    ///
    /// # Errors
    ///
    /// When the file cannot be read or is no proof; the error names the place. Whether the openings
    /// are right is what [`Proof::verify`] checks.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, ProofError> {
        proof_file::load(path.as_ref(), FORMATS)
    }

    /// Writes the JSON form of the proof. A file at `path` is replaced at the end, when the proof is
    /// whole.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), ProofError> {
        proof_file::save(path.as_ref(), self)
    }
}

/// Checks that the leaves `indices` of a tree can be opened up to its cap of height `cap_height`:
/// the number of levels below the cap.
pub(crate) fn check_opened(
    header: &TreeHeader,
    indices: &[u64],
    cap_height: u32,
) -> Result<u32, ProofError> {
    let (height, leaves) = (header.height(), header.leaves());
    if indices.is_empty() {
        return Err(ProofError::NoIndices);
    }
    let levels = height
        .checked_sub(cap_height)
        .ok_or(ProofError::CapHeight { cap_height, height })?;
    let first_positions = first_positions(indices.iter().copied());
    for (position, &index) in indices.iter().enumerate() {
        if index >= leaves {
            return Err(ProofError::Index { index, leaves });
        }
        if first_positions.get(&index) != Some(&position) {
            return Err(ProofError::DuplicateIndex { index });
        }
    }
    Ok(levels)
}

/// The position at which each index is for the first time.
fn first_positions(indices: impl Iterator<Item = u64>) -> HashMap<u64, usize> {
    let mut positions = HashMap::new();
    for (position, index) in indices.enumerate() {
        positions.entry(index).or_insert(position);
    }
    positions
}

/// What a proof says about its tree.
pub(crate) struct ProofTree<'a> {
    pub(crate) field: FieldId,
    pub(crate) arity: usize,
    pub(crate) upper: &'a [UpperPreset],
    pub(crate) height: u32,
    pub(crate) cap_height: u32,
}

/// The shape of a proof's tree.
pub(crate) struct Shape<'a> {
    sets: ByLevel<&'a AnyParameters>,
    pub(crate) digest_length: usize,
    /// The arity of each level below the root.
    arities: Vec<usize>,
    /// Leaves of the tree.
    pub(crate) leaves: u64,
    /// Nodes of the cap.
    cap_nodes: u64,
    /// Levels from the leaves to the cap.
    pub(crate) levels: u32,
    /// Leaves below a node of the cap.
    pub(crate) leaves_of_cap_node: u64,
}

impl<'a> Shape<'a> {
    /// The shape of the tree of a proof, which is one of `parameters` and `upper`.
    pub(crate) fn new(
        parameters: &'a AnyParameters,
        upper: &[UpperLevels<'a>],
        tree: ProofTree<'_>,
    ) -> Result<Self, ProofError> {
        let ProofTree {
            field,
            arity,
            height,
            cap_height,
            ..
        } = tree;
        tree::check_tree(parameters)?;
        let preset = || parameters.name().to_owned();
        if field != parameters.field() {
            return Err(ProofError::Field {
                field,
                preset: preset(),
                expected: parameters.field(),
            });
        }
        if arity != parameters.arity() {
            return Err(ProofError::Arity {
                arity,
                preset: preset(),
                expected: parameters.arity(),
            });
        }
        let sets = parameters_by_level(parameters, upper)?;
        let levels_of = |upper: &[UpperPreset]| -> Vec<(u32, usize)> {
            upper.iter().map(|it| (it.from, it.arity)).collect()
        };
        let expected = UpperPreset::of(upper);
        if levels_of(tree.upper) != levels_of(&expected) {
            return Err(ProofError::UpperLevels {
                proof: upper_text(tree.upper),
                expected: upper_text(&expected),
            });
        }
        let levels = height
            .checked_sub(cap_height)
            .ok_or(ProofError::CapHeight { cap_height, height })?;
        let arity_of = sets.map(|set| set.arity());
        let too_high = || ProofError::Height {
            what: Arities::new(&arity_of, height.min(MAX_HEIGHT)).to_string(),
            height,
        };
        if height > MAX_HEIGHT {
            return Err(too_high());
        }
        sets.check_reached(height)?;
        let arities = Arities::new(&arity_of, height).levels().to_vec();
        let product = |arities: &[usize]| {
            let mut arities = arities.iter();
            let product = arities.try_fold(1_u64, |nodes, &arity| nodes.checked_mul(arity as u64));
            product.ok_or_else(too_high)
        };
        let (below, above) = arities.split_at(levels as usize);
        Ok(Self {
            digest_length: parameters.digest_length(),
            leaves: product(&arities)?,
            cap_nodes: product(above)?,
            levels,
            leaves_of_cap_node: product(below)?,
            arities,
            sets,
        })
    }

    /// Children of a node of `level + 1`.
    pub(crate) fn arity_of_level(&self, level: usize) -> usize {
        self.arities[level]
    }

    /// The hash of each level; the field was compared.
    pub(crate) fn prepared<F: PoseidonField>(&self) -> Result<ByLevel<Poseidon<F>>, ProofError> {
        prepared(&self.sets).ok_or_else(|| ProofError::Field {
            field: F::ID,
            preset: self.sets.base().name().to_owned(),
            expected: self.sets.base().field(),
        })
    }

    /// Checks that `cap` has the nodes of a cap of height `cap_height`, and that each is a digest.
    pub(crate) fn check_cap<F: PoseidonField>(
        &self,
        cap_height: u32,
        cap: &[Vec<Word>],
    ) -> Result<(), ProofError> {
        if cap.len() as u64 != self.cap_nodes {
            return Err(ProofError::CapLength {
                cap_height,
                nodes: cap.len(),
                expected: self.cap_nodes,
            });
        }
        for (node, digest) in cap.iter().enumerate() {
            read_digest::<F>(digest, self.digest_length)
                .map_err(|problem| ProofError::CapNode { node, problem })?;
        }
        Ok(())
    }
}

/// Upper levels for messages.
fn upper_text(upper: &[UpperPreset]) -> String {
    if upper.is_empty() {
        return "without upper levels".to_owned();
    }
    let upper = upper.iter().map(|it| {
        let preset = text::shortened(&it.preset);
        format!("{} of arity {} ('{preset}')", it.from, it.arity)
    });
    format!(
        "with the upper levels {}",
        upper.collect::<Vec<_>>().join(", ")
    )
}

/// The field elements of a digest.
pub(crate) fn read_digest<F: PoseidonField>(
    digest: &[Word],
    expected: usize,
) -> Result<Vec<F>, DigestError> {
    if digest.len() != expected {
        return Err(DigestError::Length {
            elements: digest.len(),
            expected,
        });
    }
    let elements = digest.iter().enumerate().map(|(element, value)| {
        word::to_field(value).ok_or(DigestError::Element {
            element,
            value: *value,
            field: F::ID,
        })
    });
    elements.collect()
}

impl Opening {
    fn verify<F: PoseidonField>(
        &self,
        hashes: &ByLevel<&Poseidon<F>>,
        shape: &Shape<'_>,
        cap: &[Vec<Word>],
    ) -> Result<(), OpeningError> {
        if self.index >= shape.leaves {
            return Err(OpeningError::Index {
                leaves: shape.leaves,
            });
        }
        let leaf = read_digest::<F>(&self.leaf, shape.digest_length).map_err(OpeningError::Leaf)?;
        if self.siblings.len() as u64 != u64::from(shape.levels) {
            return Err(OpeningError::Levels {
                levels: self.siblings.len(),
                expected: shape.levels,
            });
        }
        let levels = self.siblings.iter().enumerate().map(|(level, siblings)| {
            let arity = shape.arity_of_level(level);
            if siblings.len() + 1 != arity {
                return Err(OpeningError::Siblings {
                    level,
                    siblings: siblings.len(),
                    expected: arity - 1,
                });
            }
            let nodes = siblings.iter().enumerate().map(|(sibling, node)| {
                read_digest(node, shape.digest_length).map_err(|problem| OpeningError::Sibling {
                    level,
                    sibling,
                    problem,
                })
            });
            nodes.collect()
        });
        let siblings = levels.collect::<Result<Vec<Vec<Vec<F>>>, _>>()?;
        let node = self.index / shape.leaves_of_cap_node;
        let below = self.index % shape.leaves_of_cap_node;
        // Only a machine that cannot hold the tree's leaves has too small an index.
        let path = usize::try_from(below).map(|index| AuthenticationPath { index, siblings });
        let hashed = (path.ok())
            .and_then(|path| path.root_by_level(hashes, &leaf))
            .map(|root| words(&root))
            .unwrap_or_default();
        let expected = (usize::try_from(node).ok())
            .and_then(|node| cap.get(node))
            .map(Vec::as_slice)
            .unwrap_or_default();
        if hashed.is_empty() || hashed != expected {
            return Err(OpeningError::Mismatch {
                hashed,
                node,
                expected: expected.to_vec(),
            });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::Value;
    use tempfile::TempDir;

    use super::*;
    use crate::tree_file::testing::{SETS, write};
    use crate::tree_file::{TreeFileWriter, TreeHeader};
    use acclmt_poseidon::dispatch;
    use acclmt_poseidon::presets;

    fn set(name: &str) -> &'static AnyParameters {
        presets::by_name(name).unwrap()
    }

    /// The file of a tree whose leaves count up, its folder, and the nodes of its levels.
    fn tree(name: &str, height: u32) -> (TempDir, TreeFile, Vec<Vec<Vec<Word>>>) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tree");
        let levels = write(&path, set(name), height);
        let file = TreeFile::open(&path).unwrap();
        (folder, file, levels)
    }

    /// Adds 1 to an element, modulo 2 so that it stays a field element.
    fn change(digest: &mut [Word]) {
        digest[digest.len() - 1][0] ^= 1;
    }

    #[track_caller]
    fn fails(proof: &Proof, cap: &[Vec<Word>], expected: &str) {
        let message = proof
            .verify(set(&proof.preset), cap)
            .unwrap_err()
            .to_string();
        assert!(
            message.contains(expected),
            "{message}\nexpected: {expected}"
        );
    }

    #[test]
    fn leaves_are_proved_up_to_the_root_and_every_cap() {
        for (name, height) in SETS {
            let (folder, file, levels) = tree(name, height);
            let indices: Vec<u64> = (0..levels[0].len() as u64).rev().collect();
            for cap_height in 0..=height {
                let proof = Proof::of_tree(&file, &indices, cap_height).unwrap();
                let cap = &levels[(height - cap_height) as usize];
                assert_eq!(file.cap(cap_height).unwrap(), *cap);
                proof.verify(set(name), cap).unwrap();
                assert_eq!(proof.openings.len(), indices.len());
                for (opening, &index) in proof.openings.iter().zip(&indices) {
                    assert_eq!(opening.index, index);
                    assert_eq!(opening.leaf, levels[0][index as usize]);
                    assert_eq!(opening.siblings.len(), (height - cap_height) as usize);
                }
                let path = folder.path().join("proof.json");
                proof.save(&path).unwrap();
                assert_eq!(Proof::load(&path).unwrap(), proof);
            }
        }
    }

    /// The paths are those of the tree in memory, which verifies them too.
    #[test]
    fn paths_are_authentication_paths() {
        for (name, height) in SETS {
            let (_folder, file, levels) = tree(name, height);
            let indices: Vec<u64> = (0..levels[0].len() as u64).collect();
            let proof = Proof::of_tree(&file, &indices, 0).unwrap();
            dispatch!(set(name), set => {
                let poseidon = Poseidon::new(set);
                let digest = |digest: &Vec<Word>| -> Vec<_> {
                    digest.iter().map(|word| word::to_field(word).unwrap()).collect()
                };
                let leaves = levels[0].iter().flat_map(digest).collect();
                let tree = tree::MerkleTree::build(&poseidon, leaves).unwrap();
                for opening in &proof.openings {
                    let levels = opening.siblings.iter();
                    let siblings = levels.map(|nodes| nodes.iter().map(digest).collect()).collect();
                    let path = AuthenticationPath { index: opening.index as usize, siblings };
                    assert_eq!(tree.path(path.index), Some(path.clone()));
                    assert!(path.verify(&poseidon, &digest(&opening.leaf), tree.root()));
                }
            });
        }
    }

    #[test]
    fn altered_openings_fail() {
        for (name, height) in SETS {
            for cap_height in [0, 1] {
                let (_folder, file, levels) = tree(name, height);
                let leaves = levels[0].len() as u64;
                let cap = &levels[(height - cap_height) as usize];
                let proof = Proof::of_tree(&file, &[leaves - 1, 0, 1], cap_height).unwrap();
                proof.verify(set(name), cap).unwrap();
                let fails_when = |alter: &dyn Fn(&mut Opening), expected: &str| {
                    let mut altered = proof.clone();
                    alter(&mut altered.openings[1]);
                    let expected = match expected {
                        "" => "openings[1], of leaf 0: the leaf and its siblings hash to 0x",
                        other => other,
                    };
                    fails(&altered, cap, expected);
                };

                fails_when(&|opening| change(&mut opening.leaf), "");
                for level in 0..(height - cap_height) as usize {
                    for sibling in 0..proof.arity - 1 {
                        fails_when(&|opening| change(&mut opening.siblings[level][sibling]), "");
                    }
                    fails_when(
                        &|opening| {
                            opening.siblings[level].pop();
                        },
                        &format!("siblings[{level}] has {} nodes", proof.arity - 2),
                    );
                    fails_when(
                        &|opening| {
                            let sibling = opening.siblings[level][0].clone();
                            opening.siblings[level].push(sibling);
                        },
                        &format!("siblings[{level}] has {} nodes", proof.arity),
                    );
                    if proof.arity > 2 {
                        fails_when(&|opening| opening.siblings[level].reverse(), "");
                        fails_when(&|opening| opening.siblings[level].swap(0, 1), "");
                    }
                    fails_when(
                        &|opening| {
                            opening.siblings[level][0].pop();
                        },
                        &format!("siblings[{level}][0] is wrong: it has"),
                    );
                    fails_when(
                        &|opening| opening.siblings[level][0][0] = proof.field.prime(),
                        &format!("siblings[{level}][0] is wrong: its element 0 is 0x"),
                    );
                    fails_when(
                        &|opening| {
                            opening.siblings.remove(level);
                        },
                        &format!(
                            "siblings of {} levels, expected {}",
                            height - cap_height - 1,
                            height - cap_height
                        ),
                    );
                }
                fails_when(
                    &|opening| std::mem::swap(&mut opening.leaf, &mut opening.siblings[0][0]),
                    "",
                );
                if height - cap_height > 1 {
                    fails_when(&|opening| opening.siblings.swap(0, 1), "");
                }
                fails_when(
                    &|opening| opening.siblings.push(opening.siblings[0].clone()),
                    "siblings of ",
                );
                fails_when(
                    &|opening| {
                        opening.leaf.pop();
                    },
                    "the leaf is wrong: it has",
                );
                fails_when(
                    &|opening| opening.leaf.push(Word::default()),
                    "the leaf is wrong: it has",
                );
                fails_when(
                    &|opening| opening.leaf[0] = proof.field.prime(),
                    "the leaf is wrong: its element 0 is 0x",
                );
                // Every other index: of a leaf beside, below another node of the cap, and beyond.
                for index in 2..leaves - 1 {
                    fails_when(
                        &|opening| opening.index = index,
                        &format!("openings[1], of leaf {index}: the leaf and"),
                    );
                }
                for index in [leaves, u64::MAX] {
                    fails_when(
                        &|opening| opening.index = index,
                        &format!("openings[1], of leaf {index}: there is no such leaf"),
                    );
                }
                fails_when(
                    &|opening| opening.index = leaves - 1,
                    "openings[0] is of the same leaf",
                );
            }
        }
    }

    /// The first of several wrong openings is named.
    #[test]
    fn the_first_wrong_opening_is_named() {
        let (_folder, file, levels) = tree("filecoin-arity-2", 4);
        let indices: Vec<u64> = (0..16).collect();
        let proof = Proof::of_tree(&file, &indices, 0).unwrap();
        let mut altered = proof;
        for position in [15, 9, 4] {
            change(&mut altered.openings[position].leaf);
            let expected = format!("openings[{position}], of leaf {position}: the leaf and");
            fails(&altered, &levels[4], &expected);
        }
        altered.openings[3].index = 1;
        let expected = "openings[3], of leaf 1: openings[1] is of the same leaf";
        fails(&altered, &levels[4], expected);
    }

    #[test]
    fn other_trees_fail() {
        let (_folder, file, levels) = tree("dusk", 2);
        let proof = Proof::of_tree(&file, &[5], 1).unwrap();
        let cap = &levels[1];
        proof.verify(set("dusk"), cap).unwrap();

        // The cap.
        let mut changed = cap.clone();
        change(&mut changed[1]);
        fails(&proof, &changed, "not to node 1 of the cap, 0x");
        // The other nodes of the cap have no part in this proof.
        let mut changed = cap.clone();
        change(&mut changed[0]);
        proof.verify(set("dusk"), &changed).unwrap();
        let mut swapped = cap.clone();
        swapped.swap(1, 2);
        fails(&proof, &swapped, "not to node 1 of the cap");
        fails(
            &proof,
            &cap[..3],
            "has 4 nodes, and is to be verified against 3",
        );
        fails(&proof, &[], "against 0");
        fails(&proof, &levels[2], "against 1");
        let mut long = cap.clone();
        long[3].push(Word::default());
        fails(
            &proof,
            &long,
            "node 3 of the cap: it has 2 field elements, expected 1",
        );
        let mut short = cap.clone();
        short[2].clear();
        fails(&proof, &short, "node 2 of the cap: it has 0 field elements");
        let mut high = cap.clone();
        high[0] = vec![proof.field.prime()];
        fails(
            &proof,
            &high,
            "node 0 of the cap: its element 0 is 0x73eda753",
        );

        // The heights.
        let mut altered = proof.clone();
        altered.cap_height = 0;
        fails(&altered, &levels[2], "siblings of 1 levels, expected 2");
        altered.cap_height = 3;
        fails(&altered, cap, "a cap of height 3 is higher than the tree");
        let mut altered = proof.clone();
        altered.height = 3;
        fails(&altered, cap, "siblings of 1 levels, expected 2");
        for height in [32, 40, 41, u32::MAX] {
            altered.height = height;
            fails(
                &altered,
                cap,
                &format!("arity 4 and height {height}: expected"),
            );
        }

        // The parameter set.
        let verify = |name: &str| proof.verify(set(name), cap).unwrap_err().to_string();
        assert!(verify("filecoin-arity-2").contains("arity 4, those of 'filecoin-arity-2'"));
        assert!(verify("filecoin-arity-4").contains("not to node 1"));
        assert!(verify("circom-bn254-arity-4").contains("over the field bls12-381, 'circom"));
        assert!(verify("filecoin-arity-1").contains("makes no tree"));
        let mut altered = proof.clone();
        altered.arity = 3;
        fails(&altered, cap, "arity 3, those of 'dusk' have arity 4");
        altered.arity = 0;
        fails(&altered, cap, "arity 0");
        let mut altered = proof.clone();
        altered.field = FieldId::Pallas;
        fails(
            &altered,
            cap,
            "over the field pallas, 'dusk' over bls12-381",
        );

        // No openings.
        let mut altered = proof.clone();
        altered.openings.clear();
        fails(&altered, cap, "proves nothing");
    }

    #[test]
    fn what_cannot_be_opened_is_refused() {
        let (_folder, file, _) = tree("filecoin-arity-2", 3);
        for (indices, cap_height, expected) in [
            (&[][..], 0, "no leaf is opened"),
            (&[8], 0, "no leaf 8: the 8 leaves"),
            (&[0, u64::MAX], 0, "no leaf 18446744073709551615"),
            (&[3, 1, 3], 0, "leaf 3 is given twice"),
            (
                &[3],
                4,
                "a cap of height 4 is higher than the tree, which has height 3",
            ),
        ] {
            let message = Proof::of_tree(&file, indices, cap_height)
                .unwrap_err()
                .to_string();
            assert!(message.contains(expected), "{message}");
        }
    }

    /// The siblings of the last leaf are padding, which no proof opens.
    #[test]
    fn leaves_beside_padding_are_proved() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tree");
        let parameters = set("filecoin-arity-2");
        let AnyParameters::Bls12_381(parameters_of_field) = parameters else {
            panic!("another field");
        };
        let poseidon = Poseidon::new(parameters_of_field);
        let hash = |left: &[Word], right: &[Word]| {
            let inputs = [left, right].concat();
            let inputs: Vec<_> = (inputs.iter())
                .map(|word| word::to_field(word).unwrap())
                .collect();
            words(&poseidon.hash(&inputs).unwrap())
        };
        let leaf = |value| vec![word::from_u64(value)];
        let header = TreeHeader::of(parameters, 2, 1).unwrap();
        let mut writer = TreeFileWriter::create(&path, header).unwrap();
        writer.write_node(0, 0, &leaf(7)).unwrap();
        writer.fill(0, &leaf(0)).unwrap();
        // An empty sub-tree is zero whatever its height.
        let left = hash(&leaf(7), &leaf(0));
        writer.write_node(1, 0, &left).unwrap();
        writer.fill(1, &leaf(0)).unwrap();
        let root = hash(&left, &leaf(0));
        writer.write_node(2, 0, &root).unwrap();
        writer.finish().unwrap();
        let tree = TreeFile::open(&path).unwrap();
        let proof = Proof::of_tree(&tree, &[0], 0).unwrap();
        proof.verify(parameters, &[root]).unwrap();
        let message = Proof::of_tree(&tree, &[1], 0).unwrap_err().to_string();
        assert!(message.contains("no leaf 1: the 1 leaves"), "{message}");
    }

    #[test]
    fn a_single_leaf_is_its_own_proof() {
        let (_folder, file, levels) = tree("plonky2", 0);
        let proof = Proof::of_tree(&file, &[0], 0).unwrap();
        proof.verify(set("plonky2"), &levels[0]).unwrap();
        let mut altered = proof;
        change(&mut altered.openings[0].leaf);
        fails(&altered, &levels[0], "hash to 0x");
    }

    #[test]
    fn the_json_form_is_as_documented() {
        let (folder, file, levels) = tree("plonky2", 2);
        let proof = Proof::of_tree(&file, &[2], 1).unwrap();
        let hex = |digest: &Vec<Word>| -> Vec<_> { digest.iter().map(word::to_hex).collect() };
        let expected = serde_json::json!({
            "format": "acclmt-proof/1",
            "preset": "plonky2",
            "field": "goldilocks",
            "arity": 2,
            "height": 2,
            "cap_height": 1,
            "openings": [
                { "index": 2, "leaf": hex(&levels[0][2]), "siblings": [[hex(&levels[0][3])]] }
            ],
        });
        assert_eq!(serde_json::to_value(&proof).unwrap(), expected);
        assert_eq!(serde_json::from_value::<Proof>(expected).unwrap(), proof);
        let path = folder.path().join("proof.json");
        proof.save(&path).unwrap();
        let json: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        let leaf = json["openings"][0]["leaf"][0].as_str().unwrap();
        assert_eq!(leaf.len(), 2 + 64);
    }

    #[test]
    fn malformed_files_are_refused_with_the_place() {
        let (folder, file, _) = tree("dusk", 2);
        let path = folder.path().join("proof.json");
        let proof = Proof::of_tree(&file, &[5, 6], 0).unwrap();
        let json = serde_json::to_value(&proof).unwrap();
        let altered = |pointer: &str, value: Value| {
            let mut json = json.clone();
            *json.pointer_mut(pointer).unwrap() = value;
            json.to_string()
        };
        let mut more = json.clone();
        more["openings"][1]["root"] = "0x0".into();
        let mut less = json.clone();
        less.as_object_mut().unwrap().remove("height");
        for (text, expected) in [
            (String::new(), "EOF"),
            ("{}".to_owned(), "missing field `format`"),
            (format!("{json}x"), "trailing characters"),
            (json.to_string().split_off(1), "expected"),
            (more.to_string(), "unknown field `root`"),
            (less.to_string(), "missing field `height`"),
            (
                altered("/format", "acclmt-proof/3".into()),
                "'acclmt-proof/3', expected 'acclmt-proof/1' or 'acclmt-proof/2'",
            ),
            (
                altered("/format", "acclmt-proof/2".into()),
                "`upper`: it has no levels, or is missing; this format is for upper levels",
            ),
            (
                altered("/field", "babybear".into()),
                "`field`: unknown field 'babybear'",
            ),
            (altered("/arity", "4".into()), "invalid type"),
            (altered("/height", (-1).into()), "invalid value"),
            (altered("/openings/1/index", 1.5.into()), "invalid type"),
            (altered("/openings/1/index", (-5).into()), "invalid value"),
            (
                altered("/openings/1/leaf/0", "5".into()),
                "`openings[1].leaf[0]`: '5' is no field element: the prefix 0x is missing",
            ),
            (
                altered("/openings/0/siblings/1/2/0", "0xg".into()),
                "`openings[0].siblings[1][2][0]`: '0xg' is no field element",
            ),
            (
                altered("/openings/0/siblings/1/2", "0x0".into()),
                "invalid type",
            ),
        ] {
            fs::write(&path, text).unwrap();
            let message = Proof::load(&path).unwrap_err().to_string();
            assert!(
                message.contains(expected)
                    && message.contains("proof.json does not follow the format acclmt-proof/"),
                "{message}\nexpected: {expected}"
            );
        }
        fs::write(&path, [0xFF, 0xFE]).unwrap();
        assert!(Proof::load(&path).is_err());
        let message = Proof::load(folder.path().join("absent"))
            .unwrap_err()
            .to_string();
        assert!(message.starts_with("cannot read"), "{message}");
    }

    #[test]
    fn files_are_written_whole_or_not_at_all() {
        let (folder, file, _) = tree("dusk", 1);
        let proof = Proof::of_tree(&file, &[1], 0).unwrap();
        for path in [folder.path().to_owned(), folder.path().join("absent/proof")] {
            let message = proof.save(&path).unwrap_err().to_string();
            assert!(message.starts_with("cannot write"), "{message}");
        }
        let path = folder.path().join("proof");
        proof.save(&path).unwrap();
        proof.save(&path).unwrap();
        let mut names: Vec<_> = (fs::read_dir(folder.path()).unwrap())
            .map(|entry| entry.unwrap().file_name())
            .collect();
        names.sort_unstable();
        assert_eq!(names, ["proof", "tree"]);
    }
}

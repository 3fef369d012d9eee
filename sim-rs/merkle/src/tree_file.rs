//! Files with all nodes of a Merkle tree.
//!
//! A file has, one after another:
//!
//! - 8 bytes: `ACMTTREE`;
//! - 4 bytes: the length of the header in bytes, little-endian;
//! - the header, a JSON object with spaces behind it, so that the nodes begin at a multiple of 64
//!   bytes:
//!
//!   ```json
//!   {"format":"acclmt-tree/2","preset":"filecoin-arity-2","field":"bls12-381","arity":2,
//!    "height":3,"digest_length":1,"element_bytes":32,"leaves":8}
//!   ```
//!
//! - the nodes in heap order, the root first: node 1 is the root, and the children of node n are the
//!   nodes `arity * (n - 1) + 2` to `arity * (n - 1) + arity + 1`. A node is `digest_length` field
//!   elements of `element_bytes` bytes each: 8 for Goldilocks, 32 for the other fields. An element is
//!   its canonical integer, little-endian;
//! - 32 bytes: the checksum. It is the SHA-256 of everything before the nodes and the SHA-256 of the nodes
//!   of each level, the root first.
//!
//! Level 0 of the tree are the leaves, level `height` is the root alone. The tree is complete: it has
//! `arity^height` leaves, the first `leaves` of which are given and the others padding.
//!
//! A tree with [upper levels](crate::levels) has the format `acclmt-tree/3`. Its header has one key more, before
//! `height`: `upper`, a list of `{"from":10,"preset":"filecoin-arity-2","arity":2}` by ascending level, for the levels
//! `from` and above. The nodes follow each other in the same order, level by level, and the tree has as many leaves as
//! the product of the arities of its levels.
//!
//! A [`TreeFileWriter`] writes a file while the tree is computed, a [`TreeFile`] reads nodes of it;
//! neither holds the tree in memory.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::format::{Formats, check_format};
use crate::levels::{Arities, UpperError, UpperLevels, UpperPreset, parameters_by_level};
use crate::new_file::NewFile;
use crate::shape::MAX_CAP_NODES;
use crate::tree::{self, NoTree};
use acclmt_poseidon::dispatch;
use acclmt_poseidon::fields::{AnyParameters, FieldId};
use acclmt_poseidon::text;
use acclmt_poseidon::word::{self, Word};

/// The first bytes of a file.
const MAGIC: [u8; 8] = *b"ACMTTREE";

/// Names of the format.
const FORMATS: Formats = Formats {
    plain: "acclmt-tree/2",
    upper: "acclmt-tree/3",
};

/// Bytes before the header: [`MAGIC`] and the length of the header.
const START_BYTES: usize = MAGIC.len() + size_of::<u32>();

/// The nodes begin at a multiple of this number of bytes.
const ALIGNMENT: usize = 64;

/// Most bytes of a header; it is a small part of these.
const MAX_HEADER_BYTES: usize = 1 << 16;

/// Arities of trees.
const ARITIES: std::ops::RangeInclusive<usize> = 2..=16;

/// Elements of a node.
const DIGEST_LENGTHS: std::ops::RangeInclusive<usize> = 1..=12;

/// Most levels above the leaves.
pub(crate) const MAX_HEIGHT: u32 = 40;

/// Bytes of the checksum, which is behind the nodes.
const CHECKSUM_BYTES: u64 = 32;

/// Bytes that are read together.
const READ_BYTES: usize = 1 << 20;

/// Bytes of a level that are kept until they are written.
const BUFFER_BYTES: usize = 1 << 17;

/// Why a tree could not be written to a file or read from it.
#[derive(Debug, thiserror::Error)]
pub enum TreeFileError {
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
    /// The file is something else.
    #[error("{path} is no tree file: it does not begin with ACMTTREE")]
    Magic {
        /// The file.
        path: PathBuf,
    },
    /// The length of the header is wrong.
    #[error(
        "{path} has {length} bytes and says that {header} of them are its header: expected at most \
         {MAX_HEADER_BYTES}, and with the {START_BYTES} bytes before it a multiple of {ALIGNMENT}"
    )]
    HeaderLength {
        /// The file.
        path: PathBuf,
        /// Bytes of the header, as the file says.
        header: u32,
        /// Bytes of the file.
        length: u64,
    },
    /// The header is no JSON of the format.
    #[error("the header does not follow the format {formats}: {0}", formats = FORMATS.names().join(" or "))]
    Malformed(String),
    /// A value of the header is wrong.
    #[error("`{key}` of the tree is wrong: {problem}")]
    Header {
        /// The key in the header.
        key: &'static str,
        /// What is wrong.
        problem: String,
    },
    /// The tree has more bytes than a file.
    #[error("a tree of {arities} and height {height} is too large for a file")]
    TooLarge {
        /// The arities of the levels.
        arities: Arities,
        /// Levels above the leaves.
        height: u32,
    },
    /// The parameter set makes no trees.
    #[error(transparent)]
    Hash(#[from] NoTree),
    /// Upper levels are wrong.
    #[error(transparent)]
    Upper(#[from] UpperError),
    /// The header of a file is wrong.
    #[error("{path}: {error}")]
    In {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        error: Box<TreeFileError>,
    },
    /// The file does not end where its nodes do.
    #[error(
        "{path} has {length} bytes, but its tree of {arities} and height {height} takes \
         {expected}: it was cut off or appended to; write it again"
    )]
    Length {
        /// The file.
        path: PathBuf,
        /// Bytes of the file.
        length: u64,
        /// Bytes that it should have.
        expected: u64,
        /// The arities of the levels.
        arities: Arities,
        /// Levels above the leaves.
        height: u32,
    },
    /// The file is not what was written.
    #[error("{path} is damaged: its checksum is not that of its content; write it again")]
    Damaged {
        /// The file.
        path: PathBuf,
    },
    /// The cap has more nodes than are kept in memory.
    #[error(
        "a cap of height {cap_height} has {nodes} nodes, more than the {MAX_CAP_NODES} that a cap may \
         have; give a lower one"
    )]
    CapTooLarge {
        /// Height of the cap.
        cap_height: u32,
        /// Nodes of the cap.
        nodes: u64,
    },
    /// There is no such level.
    #[error("there is no level {level}: the levels of a tree of height {height} are 0 to {height}")]
    Level {
        /// The level.
        level: u32,
        /// Levels above the leaves.
        height: u32,
    },
    /// There is no such cap.
    #[error("a cap of height {cap_height} is higher than the tree, which has height {height}")]
    CapHeight {
        /// Height of the cap.
        cap_height: u32,
        /// Levels above the leaves.
        height: u32,
    },
    /// There is no such node.
    #[error("there is no node {index} in level {level}: its {nodes} nodes are counted from 0")]
    Index {
        /// The level.
        level: u32,
        /// Index of the node in the level.
        index: u64,
        /// Nodes of the level.
        nodes: u64,
    },
    /// A node comes too early, or again.
    #[error(
        "node {index} of level {level} is out of order: the nodes of a level are written in order, \
         and the first {written} were"
    )]
    Order {
        /// The level.
        level: u32,
        /// Index of the node in the level.
        index: u64,
        /// Nodes of the level that were written.
        written: u64,
    },
    /// A node has the wrong number of elements.
    #[error("node {index} of level {level} has {elements} field elements, expected {expected}")]
    NodeLength {
        /// The level.
        level: u32,
        /// Index of the node in the level.
        index: u64,
        /// Its elements.
        elements: usize,
        /// Elements of a digest.
        expected: usize,
    },
    /// A value is no field element.
    #[error(
        "element {element} of node {index} of level {level} of {path} is {value}, which is not below \
         the prime of {field}",
        value = word::to_hex(value)
    )]
    Element {
        /// The file.
        path: PathBuf,
        /// The level.
        level: u32,
        /// Index of the node in the level.
        index: u64,
        /// Index of the element in the node.
        element: usize,
        /// Its value.
        value: Word,
        /// The field.
        field: FieldId,
    },
    /// Nodes are missing.
    #[error(
        "level {level} of {path} is not complete: {written} nodes were written, expected {expected}"
    )]
    Missing {
        /// The file.
        path: PathBuf,
        /// The level.
        level: u32,
        /// Nodes of the level that were written.
        written: u64,
        /// Nodes that were expected.
        expected: u64,
    },
}

impl TreeFileError {
    fn header(key: &'static str, problem: impl Into<String>) -> Self {
        Self::Header {
            key,
            problem: problem.into(),
        }
    }
}

/// What a file says about its tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeHeader {
    preset: String,
    field: FieldId,
    arity: usize,
    upper: Vec<UpperPreset>,
    height: u32,
    digest_length: usize,
    leaves: u64,
}

/// A header as it is in a file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct HeaderRecord {
    format: String,
    preset: String,
    field: String,
    arity: usize,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    upper: Vec<UpperPreset>,
    height: u32,
    digest_length: usize,
    element_bytes: usize,
    leaves: u64,
}

impl TreeHeader {
    /// The header of a tree of `height` levels above the leaves over the hash of `parameters`, the
    /// first `leaves` leaves of which are given.
    ///
    /// # Errors
    ///
    /// When the hash makes no trees, or the tree is higher than 40 levels, has fewer leaves than are
    /// given, or does not fit into a file.
    pub fn of(parameters: &AnyParameters, height: u32, leaves: u64) -> Result<Self, TreeFileError> {
        Self::with_upper(parameters, &[], height, leaves)
    }

    /// The same with parameter sets of upper levels.
    ///
    /// # Errors
    ///
    /// As [`of`](TreeHeader::of), and when upper levels do not ascend, the tree does not reach them, or their
    /// parameter sets make no nodes for it.
    pub fn with_upper(
        parameters: &AnyParameters,
        upper: &[UpperLevels<'_>],
        height: u32,
        leaves: u64,
    ) -> Result<Self, TreeFileError> {
        dispatch!(parameters, parameters => tree::check_hash(parameters))?;
        parameters_by_level(parameters, upper)?;
        let header = Self {
            preset: parameters.name().to_owned(),
            field: parameters.field(),
            arity: parameters.arity(),
            upper: UpperPreset::of(upper),
            height,
            digest_length: parameters.digest_length(),
            leaves,
        };
        header.layout()?;
        header.encode()?;
        Ok(header)
    }

    /// Name of the parameter set.
    pub fn preset(&self) -> &str {
        &self.preset
    }

    /// The field.
    pub fn field(&self) -> FieldId {
        self.field
    }

    /// Children of a node, below the upper levels.
    pub fn arity(&self) -> usize {
        self.arity
    }

    /// Parameter sets of upper levels.
    pub fn upper(&self) -> &[UpperPreset] {
        &self.upper
    }

    /// The arity of each level below the root.
    pub fn arities(&self) -> Arities {
        // The upper levels were checked.
        let arities = UpperPreset::arities_or_base(self.arity, &self.upper);
        Arities::new(&arities, self.height)
    }

    /// Levels above the leaves.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// Field elements of a node.
    pub fn digest_length(&self) -> usize {
        self.digest_length
    }

    /// Leaves that are given; those after them are padding.
    pub fn leaves(&self) -> u64 {
        self.leaves
    }

    /// Nodes of `level`, padding included: level 0 are the leaves, the last level is the root.
    ///
    /// # Errors
    ///
    /// When there is no such level.
    pub fn nodes(&self, level: u32) -> Result<u64, TreeFileError> {
        if level > self.height {
            return Err(TreeFileError::Level {
                level,
                height: self.height,
            });
        }
        // Trees with more nodes than fit into a file are refused before.
        let arities = self.arities();
        let above = arities.levels()[level as usize..].iter();
        Ok(above.fold(1, |nodes: u64, &arity| nodes.saturating_mul(arity as u64)))
    }

    /// Bytes of a node.
    fn node_bytes(&self) -> usize {
        self.digest_length * self.field.element_bytes()
    }

    /// Checks all values, and finds the levels.
    fn layout(&self) -> Result<Layout, TreeFileError> {
        let (arity, height) = (self.arity, self.height);
        let wrong_upper = |error: String| TreeFileError::header("upper", error);
        let by_level = UpperPreset::arities(arity, &self.upper)
            .map_err(|error| wrong_upper(error.to_string()))?;
        for (key, value, range) in [
            ("arity", arity, ARITIES),
            ("height", height as usize, 0..=MAX_HEIGHT as usize),
            ("digest_length", self.digest_length, DIGEST_LENGTHS),
        ] {
            if !range.contains(&value) {
                let (least, most) = range.into_inner();
                let problem = format!("it is {value}, expected {least} to {most}");
                return Err(TreeFileError::header(key, problem));
            }
        }
        for upper in &self.upper {
            if !ARITIES.contains(&upper.arity) {
                let (least, most) = ARITIES.into_inner();
                return Err(wrong_upper(format!(
                    "the arity from level {} on is {}, expected {least} to {most}",
                    upper.from, upper.arity
                )));
            }
        }
        by_level
            .check_reached(height)
            .map_err(|error| wrong_upper(error.to_string()))?;
        let arities = self.arities();
        let layout = Layout::new(arities.levels(), self.node_bytes())
            .ok_or(TreeFileError::TooLarge { arities, height })?;
        let capacity = self.nodes(0)?;
        if !(1..=capacity).contains(&self.leaves) {
            let problem = format!(
                "it is {}, expected 1 to {capacity}, the leaves of a tree of {} and height {height}",
                self.leaves,
                self.arities()
            );
            return Err(TreeFileError::header("leaves", problem));
        }
        Ok(layout)
    }

    /// The bytes of a file before the nodes.
    fn encode(&self) -> Result<Vec<u8>, TreeFileError> {
        let record = HeaderRecord {
            format: self.format().to_owned(),
            preset: self.preset.clone(),
            field: self.field.name().to_owned(),
            arity: self.arity,
            upper: self.upper.clone(),
            height: self.height,
            digest_length: self.digest_length,
            element_bytes: self.field.element_bytes(),
            leaves: self.leaves,
        };
        let mut json = serde_json::to_vec(&record)
            .map_err(|error| TreeFileError::Malformed(error.to_string()))?;
        let padded = (START_BYTES + json.len()).next_multiple_of(ALIGNMENT) - START_BYTES;
        let length = (u32::try_from(padded).ok())
            .filter(|_| padded <= MAX_HEADER_BYTES)
            .ok_or_else(|| {
                let names = (self.upper.iter()).map(|upper| upper.preset.len());
                let problem = format!(
                    "the name has {} bytes; shorten it",
                    self.preset.len() + names.sum::<usize>()
                );
                TreeFileError::header("preset", problem)
            })?;
        json.resize(padded, b' ');
        Ok([&MAGIC[..], &length.to_le_bytes(), &json].concat())
    }

    /// Name of the format.
    fn format(&self) -> &'static str {
        FORMATS.of(&self.upper)
    }

    fn decode(json: &[u8]) -> Result<Self, TreeFileError> {
        let format = check_format(json, &FORMATS.names()).map_err(TreeFileError::Malformed)?;
        let record: HeaderRecord = serde_json::from_slice(json)
            .map_err(|error| TreeFileError::Malformed(text::message(&error)))?;
        FORMATS
            .check_upper(format, &record.upper)
            .map_err(|problem| TreeFileError::header("upper", problem))?;
        let field = FieldId::from_name(&record.field)
            .map_err(|error| TreeFileError::header("field", error.to_string()))?;
        if record.element_bytes != field.element_bytes() {
            let problem = format!(
                "it is {}, expected {}, the bytes of an element of {field}",
                record.element_bytes,
                field.element_bytes()
            );
            return Err(TreeFileError::header("element_bytes", problem));
        }
        Ok(Self {
            preset: record.preset,
            field,
            arity: record.arity,
            upper: record.upper,
            height: record.height,
            digest_length: record.digest_length,
            leaves: record.leaves,
        })
    }
}

/// Where the levels are, in bytes from the first node.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Layout {
    /// The first byte of each level, the leaves first.
    starts: Vec<u64>,
    /// Bytes of all nodes.
    bytes: u64,
}

impl Layout {
    /// Nothing where the tree does not fit into a file.
    fn new(arities: &[usize], node_bytes: usize) -> Option<Self> {
        let mut level_bytes = node_bytes as u64;
        let mut starts = vec![0];
        let mut bytes = level_bytes;
        for &arity in arities.iter().rev() {
            level_bytes = level_bytes.checked_mul(arity as u64)?;
            starts.push(bytes);
            bytes = bytes.checked_add(level_bytes)?;
        }
        starts.reverse();
        let largest = i64::MAX as u64 - (START_BYTES + MAX_HEADER_BYTES) as u64 - CHECKSUM_BYTES;
        (bytes <= largest).then_some(Self { starts, bytes })
    }
}

/// The nodes of a level on their way to the file.
#[derive(Clone, Debug)]
struct LevelBuffer {
    /// Nodes of the level.
    nodes: u64,
    /// Nodes that were written, those in `bytes` included.
    written: u64,
    /// Where in the file `bytes` belong.
    offset: u64,
    /// What is not in the file yet.
    bytes: Vec<u8>,
    /// The digest of what is.
    digest: Sha256,
}

impl LevelBuffer {
    fn flush(&mut self, file: &mut File) -> io::Result<()> {
        file.seek(SeekFrom::Start(self.offset))?;
        file.write_all(&self.bytes)?;
        self.digest.update(&self.bytes);
        self.offset += self.bytes.len() as u64;
        self.bytes.clear();
        Ok(())
    }
}

/// Writes a file with the nodes of a tree, each level from left to right, the levels in any order or
/// interleaved.
///
/// The file has no name until [`TreeFileWriter::finish`], see [`NewFile`]; a writer that is dropped before
/// removes it.
#[derive(Debug)]
pub struct TreeFileWriter {
    file: NewFile,
    header: TreeHeader,
    /// The bytes before the nodes.
    start: Vec<u8>,
    /// Where the checksum belongs.
    end: u64,
    levels: Vec<LevelBuffer>,
}

impl TreeFileWriter {
    /// Creates the file of a tree. A file at `path` is replaced at the end.
    ///
    /// # Errors
    ///
    /// When the file cannot be created.
    pub fn create(path: impl AsRef<Path>, header: TreeHeader) -> Result<Self, TreeFileError> {
        let path = path.as_ref();
        let layout = header.layout()?;
        let start = header.encode()?;
        let offset = start.len() as u64;
        let file = NewFile::create(path).and_then(|mut file| {
            file.file()
                .set_len(offset + layout.bytes + CHECKSUM_BYTES)?;
            file.file().write_all(&start)?;
            Ok(file)
        });
        let file = file.map_err(|source| TreeFileError::Write {
            path: path.to_owned(),
            source,
        })?;
        let levels = (0..).zip(&layout.starts).map(|(level, start)| {
            Ok(LevelBuffer {
                nodes: header.nodes(level)?,
                written: 0,
                offset: offset + start,
                bytes: Vec::new(),
                digest: Sha256::new(),
            })
        });
        let levels = levels.collect::<Result<_, TreeFileError>>()?;
        Ok(Self {
            file,
            header,
            start,
            end: offset + layout.bytes,
            levels,
        })
    }

    /// What the file says about its tree.
    pub fn header(&self) -> &TreeHeader {
        &self.header
    }

    /// Writes the elements of node `index` of `level`, which comes after the nodes of the level that
    /// were written. Level 0 are the leaves, the last level is the root.
    ///
    /// # Errors
    ///
    /// When there is no such node, it is not the next one of its level, `digest` has not as many
    /// elements as a digest or one that is not below the prime, or the file cannot be written.
    pub fn write_node(
        &mut self,
        level: u32,
        index: u64,
        digest: &[Word],
    ) -> Result<(), TreeFileError> {
        let (nodes, written) = self.progress(level)?;
        if index >= nodes {
            return Err(TreeFileError::Index {
                level,
                index,
                nodes,
            });
        }
        if index != written {
            return Err(TreeFileError::Order {
                level,
                index,
                written,
            });
        }
        let bytes = self.encode(level, index, digest)?;
        self.append(level, &bytes)
    }

    /// Writes `value` as every node of `level` that was not written. Those are padding, so the given
    /// leaves must have been written.
    ///
    /// # Errors
    ///
    /// When there is no such level, a given leaf is missing, `value` has not as many elements as a
    /// digest or one that is not below the prime, or the file cannot be written.
    pub fn fill(&mut self, level: u32, value: &[Word]) -> Result<(), TreeFileError> {
        let (nodes, written) = self.progress(level)?;
        if level == 0 && written < self.header.leaves {
            return Err(self.missing(level, written, self.header.leaves));
        }
        let bytes = self.encode(level, written, value)?;
        for _ in written..nodes {
            self.append(level, &bytes)?;
        }
        Ok(())
    }

    /// Gives the file its name.
    ///
    /// # Errors
    ///
    /// When a node is missing or the file cannot be written; the partial file is removed.
    pub fn finish(mut self) -> Result<(), TreeFileError> {
        for (level, buffer) in (0..).zip(&self.levels) {
            if buffer.written < buffer.nodes {
                return Err(self.missing(level, buffer.written, buffer.nodes));
            }
        }
        let path = self.file.path().to_owned();
        let write = || {
            let file = self.file.file();
            let mut checksum = Sha256::new_with_prefix(&self.start);
            // The root comes first in the file.
            for buffer in self.levels.iter_mut().rev() {
                buffer.flush(file)?;
                checksum.update(buffer.digest.finalize_reset());
            }
            file.seek(SeekFrom::Start(self.end))?;
            file.write_all(&checksum.finalize())?;
            self.file.finish()
        };
        write().map_err(|source| TreeFileError::Write { path, source })
    }

    fn missing(&self, level: u32, written: u64, expected: u64) -> TreeFileError {
        TreeFileError::Missing {
            path: self.file.path().to_owned(),
            level,
            written,
            expected,
        }
    }

    /// Nodes of `level`, and how many of them were written.
    fn progress(&self, level: u32) -> Result<(u64, u64), TreeFileError> {
        let height = self.header.height;
        let buffer = self.levels.get(level as usize);
        buffer
            .map(|buffer| (buffer.nodes, buffer.written))
            .ok_or(TreeFileError::Level { level, height })
    }

    /// The bytes of a node.
    fn encode(&self, level: u32, index: u64, digest: &[Word]) -> Result<Vec<u8>, TreeFileError> {
        let TreeHeader {
            field,
            digest_length,
            ..
        } = self.header;
        if digest.len() != digest_length {
            return Err(TreeFileError::NodeLength {
                level,
                index,
                elements: digest.len(),
                expected: digest_length,
            });
        }
        check_elements(self.file.path(), field, level, index, digest)?;
        let elements = digest.iter();
        Ok(elements
            .flat_map(|element| element.iter().take(field.element_bytes()))
            .copied()
            .collect())
    }

    /// Appends the node that is `bytes` to `level`, which has room.
    fn append(&mut self, level: u32, bytes: &[u8]) -> Result<(), TreeFileError> {
        let Self {
            file,
            header,
            levels,
            ..
        } = self;
        let height = header.height;
        let buffer =
            (levels.get_mut(level as usize)).ok_or(TreeFileError::Level { level, height })?;
        buffer.bytes.extend_from_slice(bytes);
        buffer.written += 1;
        if buffer.bytes.len() < BUFFER_BYTES {
            return Ok(());
        }
        buffer
            .flush(file.file())
            .map_err(|source| TreeFileError::Write {
                path: file.path().to_owned(),
                source,
            })
    }
}

/// Checks that the elements of a node are below the prime.
fn check_elements(
    path: &Path,
    field: FieldId,
    level: u32,
    index: u64,
    digest: &[Word],
) -> Result<(), TreeFileError> {
    let prime = field.prime();
    let wrong = (digest.iter().enumerate()).find(|(_, value)| !word::is_below(value, &prime));
    match wrong {
        None => Ok(()),
        Some((element, value)) => Err(TreeFileError::Element {
            path: path.to_owned(),
            level,
            index,
            element,
            value: *value,
            field,
        }),
    }
}

/// Reads nodes and checksum of `file`, which is at its first node; returns the checksum of the content,
/// where `checksum` has what is before the nodes, and the one in the file.
fn read_checksum(
    file: &mut File,
    layout: &Layout,
    mut checksum: Sha256,
    progress: &mut dyn FnMut(u64, u64),
) -> io::Result<([u8; CHECKSUM_BYTES as usize], [u8; CHECKSUM_BYTES as usize])> {
    let mut buffer = vec![0; READ_BYTES];
    let mut done = 0;
    // From the root on, each level ends where the one below it begins.
    let ends = layout.starts.iter().rev().skip(1).copied();
    for end in ends.chain([layout.bytes]) {
        let mut level = Sha256::new();
        while done < end {
            let count = (end - done).min(READ_BYTES as u64);
            let bytes = &mut buffer[..count as usize];
            file.read_exact(bytes)?;
            level.update(bytes);
            done += count;
            progress(done, layout.bytes);
        }
        checksum.update(level.finalize());
    }
    let mut written = [0; CHECKSUM_BYTES as usize];
    file.read_exact(&mut written)?;
    Ok((checksum.finalize().into(), written))
}

/// A file with all nodes of a tree.
#[derive(Debug)]
pub struct TreeFile {
    path: PathBuf,
    header: TreeHeader,
    layout: Layout,
    /// Where in the file the nodes begin.
    nodes_offset: u64,
    file: Mutex<File>,
}

impl TreeFile {
    /// Opens the file at `path`, reads all of it once and checks its header, length and checksum, but not
    /// that nodes are the hashes of their children.
    ///
    /// # Errors
    ///
    /// When the file cannot be read, is no tree file, is longer or shorter than its tree, or is not as it
    /// was written.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, TreeFileError> {
        Self::open_with(path, &mut |_, _| {})
    }

    /// The same; `progress` is told how many bytes of how many were read.
    ///
    /// # Errors
    ///
    /// As [`open`](TreeFile::open).
    pub fn open_with(
        path: impl AsRef<Path>,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<Self, TreeFileError> {
        let path = path.as_ref();
        let read_error = |source| TreeFileError::Read {
            path: path.to_owned(),
            source,
        };
        let mut file = File::open(path).map_err(read_error)?;
        let length = file.metadata().map_err(read_error)?.len();
        let mut magic = [0; MAGIC.len()];
        let mut header_bytes = [0; size_of::<u32>()];
        for part in [&mut magic[..], &mut header_bytes] {
            file.read_exact(part).map_err(|source| {
                if source.kind() != io::ErrorKind::UnexpectedEof {
                    return read_error(source);
                }
                TreeFileError::Magic {
                    path: path.to_owned(),
                }
            })?;
        }
        if magic != MAGIC {
            return Err(TreeFileError::Magic {
                path: path.to_owned(),
            });
        }
        let header_bytes = u32::from_le_bytes(header_bytes);
        let header_length = header_bytes as usize;
        let nodes_offset = START_BYTES as u64 + u64::from(header_bytes);
        if header_length > MAX_HEADER_BYTES
            || !nodes_offset.is_multiple_of(ALIGNMENT as u64)
            || nodes_offset > length
        {
            return Err(TreeFileError::HeaderLength {
                path: path.to_owned(),
                header: header_bytes,
                length,
            });
        }
        let mut json = vec![0; header_length];
        file.read_exact(&mut json).map_err(read_error)?;
        let header = TreeHeader::decode(&json)
            .and_then(|header| header.layout().map(|layout| (header, layout)));
        let (header, layout) = header.map_err(|error| TreeFileError::In {
            path: path.to_owned(),
            error: Box::new(error),
        })?;
        let expected = nodes_offset + layout.bytes + CHECKSUM_BYTES;
        if length != expected {
            return Err(TreeFileError::Length {
                path: path.to_owned(),
                length,
                expected,
                arities: header.arities(),
                height: header.height,
            });
        }
        let mut checksum = Sha256::new_with_prefix(MAGIC);
        checksum.update(header_bytes.to_le_bytes());
        checksum.update(&json);
        let read = read_checksum(&mut file, &layout, checksum, progress);
        let (computed, written) = read.map_err(read_error)?;
        if computed != written {
            return Err(TreeFileError::Damaged {
                path: path.to_owned(),
            });
        }
        Ok(Self {
            path: path.to_owned(),
            header,
            layout,
            nodes_offset,
            file: Mutex::new(file),
        })
    }

    /// What the file says about its tree.
    pub fn header(&self) -> &TreeHeader {
        &self.header
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The elements of node `index` of `level`.
    ///
    /// # Errors
    ///
    /// When there is no such node, it cannot be read, or an element is not below the prime.
    pub fn node(&self, level: u32, index: u64) -> Result<Vec<Word>, TreeFileError> {
        Ok(self.read(level, index, 1)?.concat())
    }

    /// The elements of the root.
    ///
    /// # Errors
    ///
    /// When it cannot be read, or an element is not below the prime.
    pub fn root(&self) -> Result<Vec<Word>, TreeFileError> {
        self.node(self.header.height, 0)
    }

    /// The cap of height `cap_height`: the nodes so many levels below the root, the elements of each. The cap of height 0 is the root.
    ///
    /// # Errors
    ///
    /// When the cap is higher than the tree or has more than [`MAX_CAP_NODES`] nodes, a node cannot be
    /// read, or an element is not below the prime.
    pub fn cap(&self, cap_height: u32) -> Result<Vec<Vec<Word>>, TreeFileError> {
        let height = self.header.height;
        let level = height
            .checked_sub(cap_height)
            .ok_or(TreeFileError::CapHeight { cap_height, height })?;
        let nodes = self.header.nodes(level)?;
        if nodes > MAX_CAP_NODES {
            return Err(TreeFileError::CapTooLarge { cap_height, nodes });
        }
        self.read(level, 0, nodes)
    }

    /// The authentication path of leaf `index` over the first `levels` levels: for each level, the
    /// leaves first, the other children of the node's parent in index order, the elements of each.
    ///
    /// # Errors
    ///
    /// When there is no such leaf, there are not so many levels above the leaves, a node cannot be
    /// read, or an element is not below the prime.
    pub fn siblings(&self, index: u64, levels: u32) -> Result<Vec<Vec<Vec<Word>>>, TreeFileError> {
        self.header.nodes(levels)?;
        self.check_nodes(0, index, 1)?;
        let arities = self.header.arities();
        let mut position = index;
        let siblings = (0..levels).zip(arities.levels()).map(|(level, &arity)| {
            let arity = arity as u64;
            let first = position - position % arity;
            let nodes = (first..).zip(self.read(level, first, arity)?);
            let siblings = nodes
                .filter(|&(sibling, _)| sibling != position)
                .map(|(_, node)| node)
                .collect();
            position /= arity;
            Ok(siblings)
        });
        siblings.collect()
    }

    /// Checks that there are `count` nodes, one or more, from node `first` of `level` on.
    fn check_nodes(&self, level: u32, first: u64, count: u64) -> Result<(), TreeFileError> {
        let nodes = self.header.nodes(level)?;
        if first < nodes && count <= nodes - first {
            return Ok(());
        }
        Err(TreeFileError::Index {
            level,
            index: first,
            nodes,
        })
    }

    /// The elements of each of `count` nodes from node `first` of `level` on.
    pub(crate) fn read(
        &self,
        level: u32,
        first: u64,
        count: u64,
    ) -> Result<Vec<Vec<Word>>, TreeFileError> {
        self.check_nodes(level, first, count)?;
        let node_bytes = self.header.node_bytes();
        let start = (self.layout.starts.get(level as usize)).copied().ok_or({
            TreeFileError::Level {
                level,
                height: self.header.height,
            }
        })?;
        let offset = self.nodes_offset + start + first * node_bytes as u64;
        let bytes = self.read_bytes(offset, count * node_bytes as u64);
        let bytes = bytes.map_err(|source| TreeFileError::Read {
            path: self.path.clone(),
            source,
        })?;
        let nodes = (first..).zip(bytes.chunks_exact(node_bytes));
        let nodes = nodes.map(|(index, bytes)| {
            let elements = bytes.chunks_exact(self.header.field.element_bytes());
            let node: Vec<Word> = elements
                .map(|bytes| {
                    let mut element = Word::default();
                    for (to, from) in element.iter_mut().zip(bytes) {
                        *to = *from;
                    }
                    element
                })
                .collect();
            check_elements(&self.path, self.header.field, level, index, &node)?;
            Ok(node)
        });
        nodes.collect()
    }

    fn read_bytes(&self, offset: u64, length: u64) -> io::Result<Vec<u8>> {
        // Whoever held the file last left no more than another position.
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(offset))?;
        let mut bytes = Vec::new();
        (&mut *file).take(length).read_to_end(&mut bytes)?;
        if bytes.len() as u64 == length {
            return Ok(bytes);
        }
        Err(io::ErrorKind::UnexpectedEof.into())
    }
}

/// Trees for tests.
#[cfg(any(test, feature = "testing"))]
pub mod testing {
    use std::path::Path;

    use super::{TreeFileWriter, TreeHeader};
    use crate::tree::MerkleTree;
    use acclmt_poseidon::dispatch;
    use acclmt_poseidon::fields::{AnyParameters, words};
    use acclmt_poseidon::permutation::Poseidon;
    use acclmt_poseidon::word::Word;

    /// Parameter sets of trees with different arities and digests, and a height for each.
    pub const SETS: [(&str, u32); 5] = [
        ("filecoin-arity-2", 4),
        ("circom-bn254-arity-3", 3),
        ("dusk", 2),
        ("filecoin-arity-11", 2),
        ("plonky2", 3),
    ];

    /// The nodes of each level of a tree whose leaves count up, the leaves first.
    pub fn levels(parameters: &AnyParameters, height: u32) -> Vec<Vec<Vec<Word>>> {
        dispatch!(parameters, set => {
            let count = set.arity().pow(height) * set.digest_length();
            let leaves = (1..=count as u64).map(Into::into).collect();
            let tree = MerkleTree::build(&Poseidon::new(set), leaves).unwrap();
            let layers = tree.layers().iter();
            layers
                .map(|layer| layer.chunks(set.digest_length()).map(words).collect())
                .collect()
        })
    }

    /// Writes such a tree to a file, every node as soon as its children were written.
    pub fn write(path: &Path, parameters: &AnyParameters, height: u32) -> Vec<Vec<Vec<Word>>> {
        let levels = levels(parameters, height);
        let header = TreeHeader::of(parameters, height, levels[0].len() as u64).unwrap();
        let mut writer = TreeFileWriter::create(path, header).unwrap();
        for leaf in 0..levels[0].len() {
            let mut index = leaf;
            for (level, nodes) in (0..).zip(&levels) {
                writer
                    .write_node(level, index as u64, &nodes[index])
                    .unwrap();
                if (index + 1) % parameters.arity() != 0 {
                    break;
                }
                index /= parameters.arity();
            }
        }
        writer.finish().unwrap();
        levels
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::fs;

    use super::testing::{SETS, levels, write};
    use super::*;
    use acclmt_poseidon::fields::Bls12_381;
    use acclmt_poseidon::permutation::Poseidon;
    use acclmt_poseidon::presets;

    const ARITY_2: &str = "filecoin-arity-2";

    fn set(name: &str) -> &'static AnyParameters {
        presets::by_name(name).unwrap()
    }

    fn number(value: u64) -> Vec<Word> {
        vec![word::from_u64(value)]
    }

    fn names(folder: &Path) -> Vec<OsString> {
        let entries = fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().file_name()).collect()
    }

    /// A writer of a tree of arity 2 with 4 leaves, `leaves` of them given.
    fn small_writer(path: &Path, leaves: u64) -> TreeFileWriter {
        TreeFileWriter::create(path, TreeHeader::of(set(ARITY_2), 2, leaves).unwrap()).unwrap()
    }

    #[test]
    fn nodes_are_read_as_they_were_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tree");
        for (name, height) in SETS {
            let parameters = set(name);
            let levels = write(&path, parameters, height);
            assert_eq!(names(folder.path()), ["tree"]);
            let tree = TreeFile::open(&path).unwrap();
            let leaves = levels[0].len() as u64;
            let header = TreeHeader::of(parameters, height, leaves).unwrap();
            assert_eq!(*tree.header(), header);
            assert_eq!(
                (header.preset(), header.field(), header.leaves()),
                (name, parameters.field(), leaves)
            );
            assert_eq!(header.digest_length(), parameters.digest_length());
            for (level, nodes) in (0..).zip(&levels) {
                assert_eq!(header.nodes(level).unwrap(), nodes.len() as u64);
                for (index, node) in (0..).zip(nodes) {
                    assert_eq!(tree.node(level, index).unwrap(), *node);
                }
                assert_eq!(tree.cap(height - level).unwrap(), *nodes);
            }
            assert_eq!(tree.root().unwrap(), levels[height as usize][0]);
        }
    }

    #[test]
    fn siblings_are_those_of_the_tree_in_memory() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tree");
        for (name, height) in SETS {
            let parameters = set(name);
            let levels = write(&path, parameters, height);
            let file = TreeFile::open(&path).unwrap();
            dispatch!(parameters, set => {
                let leaves = levels[0].concat();
                let leaves = leaves.iter().map(|word| word::to_field(word).unwrap()).collect();
                let tree = tree::MerkleTree::build(&Poseidon::new(set), leaves).unwrap();
                for index in 0..levels[0].len() {
                    let path = tree.path(index).unwrap().siblings;
                    let path: Vec<Vec<_>> = path
                        .iter()
                        .map(|nodes| nodes.iter().map(|node| acclmt_poseidon::fields::words(node)).collect())
                        .collect();
                    for count in 0..=height {
                        let siblings = file.siblings(index as u64, count).unwrap();
                        assert_eq!(siblings, path[..count as usize]);
                    }
                }
            });
        }
    }

    /// The format, byte by byte.
    #[test]
    fn nodes_are_in_heap_order_behind_the_header() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tree");
        for (name, height) in SETS {
            let parameters = set(name);
            let levels = write(&path, parameters, height);
            let bytes = fs::read(&path).unwrap();
            assert_eq!(bytes[..8], *b"ACMTTREE");
            let length = u32::from_le_bytes(bytes[8..12].try_into().unwrap()) as usize;
            let (header, nodes) = bytes[12..].split_at(length);
            let json = header.trim_ascii_end().len();
            assert_eq!(12 + length, (12 + json).next_multiple_of(64));
            let (nodes, checksum) = nodes.split_at(nodes.len() - 32);
            let element_bytes = match parameters.field() {
                FieldId::Goldilocks => 8,
                _ => 32,
            };
            assert_eq!(
                str::from_utf8(header).unwrap().trim_end_matches(' '),
                format!(
                    "{{\"format\":\"acclmt-tree/2\",\"preset\":\"{name}\",\"field\":\"{}\",\
                     \"arity\":{},\"height\":{height},\"digest_length\":{},\
                     \"element_bytes\":{element_bytes},\"leaves\":{}}}",
                    parameters.field(),
                    parameters.arity(),
                    parameters.digest_length(),
                    levels[0].len()
                )
            );
            let heap = levels.iter().rev().flatten().flatten();
            let heap: Vec<u8> = heap
                .flat_map(|word| &word[..element_bytes])
                .copied()
                .collect();
            assert_eq!(nodes, heap);
            let mut content = Sha256::new_with_prefix(&bytes[..12 + length]);
            for level in levels.iter().rev() {
                let level = level.iter().flatten();
                let level: Vec<u8> = level
                    .flat_map(|word| &word[..element_bytes])
                    .copied()
                    .collect();
                content.update(Sha256::digest(&level));
            }
            assert_eq!(checksum, &content.finalize()[..]);
            // The nodes of level l + 1 are the parents of those of level l, by the numbers of the
            // format.
            let node_bytes = element_bytes * parameters.digest_length();
            let node = |number: usize| &nodes[(number - 1) * node_bytes..][..node_bytes];
            let parents = nodes.len() / node_bytes - levels[0].len();
            dispatch!(parameters, set => {
                let poseidon = Poseidon::new(set);
                for number in 1..=parents {
                    let first = set.arity() * (number - 1) + 2;
                    let children: Vec<_> = (first..first + set.arity())
                        .flat_map(|child| node(child).chunks(element_bytes))
                        .map(|bytes| {
                            let mut word = Word::default();
                            word[..bytes.len()].copy_from_slice(bytes);
                            word::to_field(&word).unwrap()
                        })
                        .collect();
                    let digest = acclmt_poseidon::fields::words(&poseidon.hash(&children).unwrap());
                    let digest: Vec<u8> = (digest.iter())
                        .flat_map(|word| &word[..element_bytes])
                        .copied()
                        .collect();
                    assert_eq!(node(number), digest);
                }
            });
        }
    }

    #[test]
    fn levels_may_come_in_any_order() {
        let folder = tempfile::tempdir().unwrap();
        let expected = folder.path().join("expected");
        let parameters = set("circom-bn254-arity-3");
        let levels = write(&expected, parameters, 3);
        let path = folder.path().join("tree");
        let header = TreeHeader::of(parameters, 3, 27).unwrap();
        let mut writer = TreeFileWriter::create(&path, header).unwrap();
        for level in [2, 0, 3, 1] {
            for (index, node) in (0..).zip(&levels[level as usize]) {
                writer.write_node(level, index, node).unwrap();
            }
        }
        writer.finish().unwrap();
        assert_eq!(fs::read(&path).unwrap(), fs::read(&expected).unwrap());
    }

    /// More nodes than are kept until they are written, in two levels in turn.
    #[test]
    fn levels_are_larger_than_the_buffers() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tree");
        let height = 14;
        let leaves = 1_u64 << height;
        assert!(leaves as usize * 32 > 2 * BUFFER_BYTES);
        let header = TreeHeader::of(set(ARITY_2), height, leaves).unwrap();
        let mut writer = TreeFileWriter::create(&path, header).unwrap();
        let value = |level: u32, index: u64| number(u64::from(level) << 32 | index);
        for leaf in 0..leaves {
            writer.write_node(0, leaf, &value(0, leaf)).unwrap();
            if leaf % 2 == 1 {
                writer.write_node(1, leaf / 2, &value(1, leaf / 2)).unwrap();
            }
        }
        for level in 2..=height {
            for index in 0..leaves >> level {
                writer
                    .write_node(level, index, &value(level, index))
                    .unwrap();
            }
        }
        writer.finish().unwrap();
        let tree = TreeFile::open(&path).unwrap();
        for level in 0..=height {
            for index in (0..leaves >> level).step_by(97) {
                assert_eq!(tree.node(level, index).unwrap(), value(level, index));
            }
        }
    }

    #[test]
    fn padding_fills_up_levels() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tree");
        let height = 13;
        let leaves = 1_u64 << height;
        let header = TreeHeader::of(set(ARITY_2), height, 3).unwrap();
        let mut writer = TreeFileWriter::create(&path, header).unwrap();
        for index in 0..3 {
            writer.write_node(0, index, &number(index)).unwrap();
        }
        writer.fill(0, &number(1000)).unwrap();
        writer.write_node(1, 0, &number(10)).unwrap();
        for level in 1..=height {
            writer
                .fill(level, &number(1000 + u64::from(level)))
                .unwrap();
            // There is nothing left to fill.
            writer.fill(level, &number(5)).unwrap();
        }
        writer.finish().unwrap();
        let tree = TreeFile::open(&path).unwrap();
        assert_eq!(tree.header().leaves(), 3);
        for index in 0..leaves {
            let value = if index < 3 { index } else { 1000 };
            assert_eq!(tree.node(0, index).unwrap(), number(value));
        }
        assert_eq!(tree.node(1, 0).unwrap(), number(10));
        assert_eq!(tree.node(1, 1).unwrap(), number(1001));
        assert_eq!(tree.node(1, leaves / 2 - 1).unwrap(), number(1001));
        assert_eq!(tree.root().unwrap(), number(1000 + u64::from(height)));
    }

    #[test]
    fn a_single_leaf_is_its_root() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tree");
        let header = TreeHeader::of(set(ARITY_2), 0, 1).unwrap();
        let mut writer = TreeFileWriter::create(&path, header).unwrap();
        writer.write_node(0, 0, &number(7)).unwrap();
        writer.finish().unwrap();
        let tree = TreeFile::open(&path).unwrap();
        assert_eq!(tree.root().unwrap(), number(7));
        assert_eq!(tree.cap(0).unwrap(), [number(7)]);
        assert_eq!(tree.siblings(0, 0).unwrap(), Vec::<Vec<Vec<Word>>>::new());
    }

    #[test]
    fn wrong_nodes_are_not_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tree");
        let mut writer = small_writer(&path, 4);
        let one = number(1);
        writer.write_node(0, 0, &one).unwrap();
        let prime = vec![FieldId::Bls12_381.prime()];
        for (level, index, digest, expected) in [
            (
                3,
                0,
                &one,
                "no level 3: the levels of a tree of height 2 are 0 to 2",
            ),
            (u32::MAX, 0, &one, "no level 4294967295"),
            (0, 4, &one, "no node 4 in level 0: its 4 nodes"),
            (2, 1, &one, "no node 1 in level 2: its 1 nodes"),
            (0, 2, &one, "node 2 of level 0 is out of order"),
            (0, 0, &one, "node 0 of level 0 is out of order"),
            (1, 1, &one, "node 1 of level 1 is out of order"),
            (
                0,
                1,
                &vec![],
                "node 1 of level 0 has 0 field elements, expected 1",
            ),
            (0, 1, &one.repeat(2), "has 2 field elements, expected 1"),
            (0, 1, &prime, "element 0 of node 1 of level 0 of"),
            (
                1,
                0,
                &prime,
                "00000001, which is not below the prime of bls12-381",
            ),
        ] {
            let message = writer
                .write_node(level, index, digest)
                .unwrap_err()
                .to_string();
            assert!(message.contains(expected), "{message}");
        }
        for (level, value, expected) in [
            (3, &one, "no level 3"),
            (1, &prime, "not below the prime"),
            (1, &vec![], "has 0 field elements"),
            (0, &one, "level 0 of"),
        ] {
            let message = writer.fill(level, value).unwrap_err().to_string();
            assert!(message.contains(expected), "{message}");
        }
        // What was refused has left nothing behind.
        for index in 1..4 {
            writer.write_node(0, index, &number(1 + index)).unwrap();
        }
        writer.write_node(1, 0, &number(5)).unwrap();
        writer.fill(1, &number(6)).unwrap();
        let message = writer.write_node(1, 1, &one).unwrap_err().to_string();
        assert!(message.contains("the first 2 were"), "{message}");
        writer.write_node(2, 0, &number(7)).unwrap();
        writer.finish().unwrap();
        let tree = TreeFile::open(&path).unwrap();
        assert_eq!(tree.cap(2).unwrap(), [1, 2, 3, 4].map(number));
        assert_eq!(tree.cap(1).unwrap(), [5, 6].map(number));
        assert_eq!(tree.cap(0).unwrap(), [number(7)]);

        let header = TreeHeader::of(set("plonky2"), 1, 2).unwrap();
        let mut writer = TreeFileWriter::create(&path, header).unwrap();
        let mut wide = number(1).repeat(4);
        wide[3][8] = 1;
        let message = writer.write_node(0, 0, &wide).unwrap_err().to_string();
        assert!(message.contains("element 3 of node 0"), "{message}");
    }

    #[test]
    fn files_with_missing_nodes_do_not_appear() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tree");
        // Nothing is written; one node is missing in each level.
        let missing = [(0, 0), (0, 3), (1, 1), (2, 0)];
        for (level, written) in missing {
            let mut writer = small_writer(&path, 4);
            assert!(!path.exists());
            for it in 0..=2 {
                let nodes = if it == level { written } else { 4 >> it };
                for index in 0..nodes {
                    writer.write_node(it, index, &number(index)).unwrap();
                }
            }
            let message = writer.finish().unwrap_err().to_string();
            assert!(
                message.starts_with(&format!("level {level} of"))
                    && message.contains(&format!("{written} nodes were written")),
                "{message}"
            );
            assert!(names(folder.path()).is_empty());
        }
        // Given leaves are no padding.
        let mut writer = small_writer(&path, 2);
        writer.write_node(0, 0, &number(1)).unwrap();
        let message = writer.fill(0, &number(1)).unwrap_err().to_string();
        assert!(
            message.contains("1 nodes were written, expected 2"),
            "{message}"
        );
        drop(writer);
        assert!(names(folder.path()).is_empty());
    }

    #[test]
    fn files_are_replaced_when_they_are_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tree");
        write(&path, set(ARITY_2), 2);
        let before = fs::read(&path).unwrap();
        let mut writer = small_writer(&path, 4);
        for level in 0..2 {
            for index in 0..4 >> level {
                writer.write_node(level, index, &number(index)).unwrap();
            }
        }
        assert_eq!(fs::read(&path).unwrap(), before);
        writer.write_node(2, 0, &number(9)).unwrap();
        writer.finish().unwrap();
        assert_eq!(names(folder.path()), ["tree"]);
        assert_eq!(TreeFile::open(&path).unwrap().root().unwrap(), number(9));
    }

    #[test]
    fn trees_that_are_no_files_are_refused() {
        let arity_2 = set(ARITY_2);
        for (parameters, height, leaves, expected) in [
            (
                arity_2,
                2,
                5,
                "`leaves` of the tree is wrong: it is 5, expected 1 to 4",
            ),
            (arity_2, 2, 0, "`leaves` of the tree is wrong: it is 0"),
            (
                arity_2,
                41,
                1,
                "`height` of the tree is wrong: it is 41, expected 0 to 40",
            ),
            (
                set("filecoin-arity-11"),
                40,
                1,
                "arity 11 and height 40 is too large",
            ),
            (set("filecoin-arity-11"), 17, 1, "too large for a file"),
            (set("filecoin-arity-1"), 1, 1, "makes no tree"),
        ] {
            let message = TreeHeader::of(parameters, height, leaves)
                .unwrap_err()
                .to_string();
            assert!(message.contains(expected), "{message}");
        }
        assert_eq!(
            TreeHeader::of(arity_2, 40, 1 << 40)
                .unwrap()
                .nodes(0)
                .unwrap(),
            1 << 40
        );
        let mut specification = presets::over::<Bls12_381>("filecoin-arity-2")
            .unwrap()
            .specification()
            .clone();
        specification.name = "long".repeat(MAX_HEADER_BYTES / 4);
        let long = acclmt_poseidon::params::PoseidonParameters::new(specification).unwrap();
        let message = TreeHeader::of(&long.into(), 1, 2).unwrap_err().to_string();
        assert!(message.contains("shorten it"), "{message}");
        let header = TreeHeader::of(arity_2, 1, 2).unwrap();
        let message = TreeFileWriter::create("/", header).unwrap_err();
        assert!(
            message.to_string().starts_with("cannot write /"),
            "{message}"
        );
    }

    #[test]
    fn files_of_the_wrong_length_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tree");
        write(&path, set(ARITY_2), 2);
        let whole = fs::read(&path).unwrap();
        // Seven nodes and the checksum.
        let nodes = whole.len() - 8 * 32;
        for length in [nodes, nodes + 1, whole.len() - 32, whole.len() - 1] {
            fs::write(&path, &whole[..length]).unwrap();
            let message = TreeFile::open(&path).unwrap_err().to_string();
            assert!(
                message.contains(&format!("has {length} bytes"))
                    && message.contains(&format!("takes {}", whole.len())),
                "{message}"
            );
        }
        for length in 0..12 {
            fs::write(&path, &whole[..length]).unwrap();
            let message = TreeFile::open(&path).unwrap_err().to_string();
            assert!(message.contains("no tree file"), "{message}");
        }
        for length in [12, nodes - 1] {
            fs::write(&path, &whole[..length]).unwrap();
            let message = TreeFile::open(&path).unwrap_err().to_string();
            assert!(
                message.contains(&format!("has {length} bytes and says that {}", nodes - 12)),
                "{message}"
            );
        }
        for more in [1, 32] {
            fs::write(&path, [&whole[..], &vec![0; more]].concat()).unwrap();
            let message = TreeFile::open(&path).unwrap_err().to_string();
            assert!(
                message.contains(&format!("has {} bytes", whole.len() + more))
                    && message.contains(&format!("takes {}", whole.len())),
                "{message}"
            );
        }
        // The file is cut off while it is open.
        fs::write(&path, &whole).unwrap();
        let tree = TreeFile::open(&path).unwrap();
        fs::write(&path, &whole[..whole.len() - 33]).unwrap();
        assert!(tree.node(0, 2).is_ok());
        let message = tree.node(0, 3).unwrap_err().to_string();
        assert!(message.starts_with("cannot read"), "{message}");
    }

    #[test]
    fn wrong_headers_are_refused_with_the_key() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tree");
        write(&path, set(ARITY_2), 2);
        let whole = fs::read(&path).unwrap();
        // With the checksum.
        let nodes = &whole[whole.len() - 8 * 32..];
        let header = str::from_utf8(&whole[12..whole.len() - nodes.len()]).unwrap();
        let header = header.trim_end();
        for (from, to, expected) in [
            (
                "acclmt-tree/2",
                "acclmt-tree/1",
                "'acclmt-tree/1', expected 'acclmt-tree/2' or 'acclmt-tree/3'; another version of this \
                 program wrote it",
            ),
            ("\"format\"", "\"formal\"", "missing field `format`"),
            (
                "bls12-381",
                "babybear",
                "`field` of the tree is wrong: unknown field 'babybear'",
            ),
            (
                "\"arity\":2",
                "\"arity\":1",
                "`arity` of the tree is wrong: it is 1, expected 2 to 16",
            ),
            (
                "\"arity\":2",
                "\"arity\":17",
                "`arity` of the tree is wrong: it is 17",
            ),
            ("\"arity\":2", "\"arity\":-2", "does not follow the format"),
            ("\"arity\":2", "\"arity\":3", "arity 3 and height 2 takes"),
            (
                "\"height\":2",
                "\"height\":41",
                "`height` of the tree is wrong: it is 41",
            ),
            (
                "\"height\":2",
                "\"height\":4294967296",
                "does not follow the format",
            ),
            ("\"height\":2", "\"height\":3", "arity 2 and height 3 takes"),
            (
                "\"digest_length\":1",
                "\"digest_length\":0",
                "`digest_length` of the tree is wrong: it is 0, expected 1 to 12",
            ),
            (
                "\"digest_length\":1",
                "\"digest_length\":13",
                "it is 13, expected 1 to 12",
            ),
            (
                "\"element_bytes\":32",
                "\"element_bytes\":8",
                "`element_bytes` of the tree is wrong: it is 8, expected 32",
            ),
            (
                "\"leaves\":4",
                "\"leaves\":5",
                "`leaves` of the tree is wrong: it is 5",
            ),
            (
                "\"leaves\":4",
                "\"leaves\":0",
                "`leaves` of the tree is wrong: it is 0",
            ),
            ("\"leaves\":4", "\"leaf\":4", "unknown field `leaf`"),
            (",\"leaves\":4", "", "missing field `leaves`"),
            ("}", "", "does not follow the format"),
            ("}", "}}", "does not follow the format"),
            (
                "\"preset\":",
                "\"preset\":5,\"preset\":",
                "does not follow the format",
            ),
            (
                "\"arity\":2,\"height\":2",
                "\"arity\":16,\"height\":40",
                "arity 16 and height 40 is too large",
            ),
        ] {
            assert!(header.contains(from), "{from}");
            let mut json = header.replace(from, to);
            while (12 + json.len()) % 64 != 0 {
                json.push(' ');
            }
            let length = json.len() as u32;
            let parts = [
                b"ACMTTREE",
                &length.to_le_bytes()[..],
                json.as_bytes(),
                nodes,
            ];
            fs::write(&path, parts.concat()).unwrap();
            let message = TreeFile::open(&path).unwrap_err().to_string();
            assert!(
                message.contains(expected) && message.contains("tree"),
                "{message}\nexpected: {expected}"
            );
            assert!(message.contains(path.to_str().unwrap()), "{message}");
        }
        for length in [0_u32, 51, 53, 1 << 17, u32::MAX] {
            let mut bytes = whole.clone();
            bytes[8..12].copy_from_slice(&length.to_le_bytes());
            fs::write(&path, bytes).unwrap();
            let message = TreeFile::open(&path).unwrap_err().to_string();
            assert!(message.contains(&format!("that {length} of")), "{message}");
        }
        // Whatever bit is turned round.
        for position in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[position] ^= 1 << (position % 8);
            fs::write(&path, &bytes).unwrap();
            let message = TreeFile::open(&path).unwrap_err().to_string();
            if position >= whole.len() - nodes.len() {
                assert!(message.contains("is damaged: its checksum"), "{message}");
            }
        }
        let mut bytes = whole.clone();
        bytes[3] ^= 1;
        fs::write(&path, bytes).unwrap();
        let message = TreeFile::open(&path).unwrap_err().to_string();
        assert!(message.contains("no tree file"), "{message}");
        for (path, expected) in [
            (folder.path().join("absent"), "cannot read"),
            (folder.path().to_owned(), "cannot read"),
        ] {
            let message = TreeFile::open(&path).unwrap_err().to_string();
            assert!(message.starts_with(expected), "{message}");
        }
    }

    #[test]
    fn elements_in_a_file_are_below_the_prime() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tree");
        for (name, height) in [(ARITY_2, 2), ("plonky2", 2)] {
            let parameters = set(name);
            write(&path, parameters, height);
            let mut bytes = fs::read(&path).unwrap();
            let element_bytes = parameters.field().element_bytes();
            // The last element of the last leaf, and the checksum of whoever put it there.
            let end = bytes.len() - 32;
            bytes[end - element_bytes..end].copy_from_slice(&parameters.prime()[..element_bytes]);
            let node_bytes = element_bytes * parameters.digest_length();
            let nodes = end - 7 * node_bytes;
            let mut content = Sha256::new_with_prefix(&bytes[..nodes]);
            for (first, count) in [(0, 1), (1, 2), (3, 4)] {
                let level = &bytes[nodes + first * node_bytes..][..count * node_bytes];
                content.update(Sha256::digest(level));
            }
            bytes[end..].copy_from_slice(&content.finalize());
            fs::write(&path, &bytes).unwrap();
            let tree = TreeFile::open(&path).unwrap();
            assert!(tree.node(0, 2).is_ok());
            let expected = format!(
                "element {} of node 3 of level 0 of {}",
                parameters.digest_length() - 1,
                path.display()
            );
            for result in [
                tree.node(0, 3).map(|_| ()),
                tree.cap(2).map(|_| ()),
                tree.siblings(2, 1).map(|_| ()),
            ] {
                let message = result.unwrap_err().to_string();
                assert!(message.contains(&expected), "{message}");
            }
        }
    }

    #[test]
    fn nodes_that_do_not_exist_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tree");
        write(&path, set(ARITY_2), 2);
        let tree = TreeFile::open(&path).unwrap();
        for (result, expected) in [
            (tree.node(0, 4).map(|_| ()), "no node 4 in level 0"),
            (
                tree.node(0, u64::MAX).map(|_| ()),
                "no node 18446744073709551615",
            ),
            (tree.node(2, 1).map(|_| ()), "no node 1 in level 2"),
            (tree.node(3, 0).map(|_| ()), "no level 3"),
            (
                tree.cap(3).map(|_| ()),
                "a cap of height 3 is higher than the tree",
            ),
            (tree.siblings(4, 2).map(|_| ()), "no node 4 in level 0"),
            (tree.siblings(0, 3).map(|_| ()), "no level 3"),
        ] {
            let message = result.unwrap_err().to_string();
            assert!(message.contains(expected), "{message}");
        }
    }

    /// A tree can be read from several threads.
    #[test]
    fn threads_share_a_file() {
        use rayon::prelude::*;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tree");
        let parameters = set(ARITY_2);
        write(&path, parameters, 4);
        let expected = levels(parameters, 4);
        let tree = TreeFile::open(&path).unwrap();
        (0..1000_u64).into_par_iter().for_each(|index| {
            let leaf = index * 7 % 16;
            assert_eq!(tree.node(0, leaf).unwrap(), expected[0][leaf as usize]);
        });
    }
}

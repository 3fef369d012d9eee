//! Why a device gave no result.

use std::error::Error;

use crate::limits::MAX_COLUMNS;
use acclmt_merkle::shape::ShapeError;
use acclmt_poseidon::absorb::SpongeError;
use acclmt_poseidon::fields::ElementNotBelowPrime;

/// A device cannot do what it was asked for, although it makes sense.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the device '{device}' does not support this: {reason}")]
pub struct Unsupported {
    /// Name of the device.
    pub device: String,
    /// What it does not support.
    pub reason: String,
}

/// Why a device gave no result.
#[derive(Debug, thiserror::Error)]
pub enum DeviceError {
    /// The elements are no whole number of leaves.
    #[error(
        "{elements} field elements are no whole number of leaves: a leaf is made of {length} \
         elements; give a multiple of {length}"
    )]
    PartialLeaf {
        /// Number of elements.
        elements: u64,
        /// Elements of a leaf.
        length: usize,
    },
    /// There is no such tree.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// Leaves are no nodes.
    #[error(
        "'{leaf}' makes no leaves for a tree of '{nodes}': both must be over the same field and have \
         digests of the same length"
    )]
    LeafKind {
        /// Parameter set of the leaves.
        leaf: String,
        /// Parameter set of the nodes.
        nodes: String,
    },
    /// Rows have no elements, or too many.
    #[error("a row has {columns} columns, expected 1 to {MAX_COLUMNS}")]
    Columns {
        /// Elements of a row.
        columns: usize,
    },
    /// The leaves have more elements than can be counted in bytes.
    #[error(
        "{leaves} leaves of {length} field elements are more than 2^58 elements, the most that a tree \
         may have; give fewer"
    )]
    TooManyElements {
        /// Number of leaves.
        leaves: u64,
        /// Elements of a leaf.
        length: usize,
    },
    /// The parameter set of the rows has no sponge.
    #[error(
        "'{name}' hashes no rows: it has no sponge, and takes {inputs} field elements at a time"
    )]
    NoSponge {
        /// Name of the parameter set.
        name: String,
        /// Elements that a hash takes.
        inputs: usize,
    },
    /// The source has more elements than the leaves need.
    #[error(
        "the input has {elements} field elements more than {leaves} leaves need; give the number of \
         its leaves, or cut it"
    )]
    SourceGoesOn {
        /// Elements that are left over.
        elements: u64,
        /// Leaves that were asked for.
        leaves: u64,
    },
    /// The source has fewer elements than the leaves need.
    #[error(
        "the input ends {} field elements early: it has {given} of the {expected} that the leaves need",
        expected - given
    )]
    SourceEnds {
        /// Elements that there are.
        given: u64,
        /// Elements of all leaves, more than `given`.
        expected: u64,
    },
    /// A row has another length than the first one.
    #[error("row {index} has {length} field elements, the rows before it have {expected}")]
    RowLength {
        /// Index of the row, counted from 0.
        index: usize,
        /// Its number of elements.
        length: usize,
        /// That of the rows before it.
        expected: usize,
    },
    /// An input of a hash has the wrong length.
    #[error(
        "input {index} has {length} field elements, a hash of these parameters takes {expected}"
    )]
    InputLength {
        /// Index of the input, counted from 0.
        index: usize,
        /// Its number of elements.
        length: usize,
        /// The elements that a hash takes.
        expected: usize,
    },
    /// A state has the wrong length.
    #[error("state {index} has {length} field elements, expected {width}, the state width")]
    StateLength {
        /// Index of the state, counted from 0.
        index: usize,
        /// Its number of elements.
        length: usize,
        /// The state width.
        width: usize,
    },
    /// A word is no canonical field element.
    #[error(transparent)]
    Element(#[from] ElementNotBelowPrime),
    /// A message cannot be hashed.
    #[error(transparent)]
    Sponge(#[from] SpongeError),
    /// The device cannot do this.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
    /// The device failed.
    #[error(transparent)]
    Failed(Box<dyn Error + Send + Sync>),
}

impl DeviceError {
    /// A failure of the device itself.
    pub fn failed(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Failed(error.into())
    }
}

use acclmt_driver::device::DeviceError;
use acclmt_poseidon::params::ParameterError;
use acclmt_poseidon::presets::UnknownPreset;

/// Why there is no hash, or no tree. As neptune's [`Error`](neptune::Error) it is `Other`, with the text of
/// this one.
#[derive(Debug, thiserror::Error)]
pub enum BatcherError {
    /// AcclMT has no parameter set of this arity.
    #[error(
        "there is no hash of arity {arity} on an AcclMT device: the arities are 1 to {most}; hash with neptune \
         on the processor"
    )]
    Arity {
        /// The arity.
        arity: usize,
        /// The largest one that there is.
        most: usize,
    },
    /// neptune itself does not support the type of hash.
    #[error("neptune does not support hashes of the type {0}")]
    HashType(&'static str),
    /// The identifier of a custom type of hash is out of range.
    #[error("the identifier of a custom hash type is {0}, expected 1 to 256")]
    CustomType(u64),
    /// The length of the messages is larger than the arity.
    #[error(
        "messages of {length} elements do not fit into a hash of arity {arity}; give a length of at most {arity}"
    )]
    Length {
        /// Elements of a message.
        length: usize,
        /// The arity.
        arity: usize,
    },
    /// A message of a constant length is followed by something else than zeros.
    #[error(
        "preimage {index} has an element other than 0 at {position}, behind the {length} elements of a message"
    )]
    NotPadded {
        /// Index of the preimage, counted from 0.
        index: usize,
        /// Index of the element, counted from 0.
        position: usize,
        /// Elements of a message.
        length: usize,
    },
    /// No hash fits into a batch.
    #[error("the largest batch has 0 hashes, expected at least 1")]
    NoBatch,
    /// The device counts cycles, and its digests mean nothing.
    #[error("the device '{0}' only counts cycles; make one that computes results")]
    OnlyCycles(String),
    /// The nodes of a tree are no messages of the length of the type of hash.
    #[error(
        "a hash of messages of {length} elements makes no nodes of arity {arity}; take the type MerkleTree"
    )]
    NodeLength {
        /// Elements of a message.
        length: usize,
        /// The arity.
        arity: usize,
    },
    /// The target of digests has another length than the preimages.
    #[error("there is room for {target} digests, and there are {preimages} preimages")]
    Target {
        /// Digests that there is room for.
        target: usize,
        /// Number of preimages.
        preimages: usize,
    },
    /// The leaves fill no tree.
    #[error(
        "{leaves} leaves fill no tree of arity {arity}; their number must be a power of {arity}, and at least {arity}"
    )]
    Leaves {
        /// Number of leaves.
        leaves: usize,
        /// The arity.
        arity: usize,
    },
    /// A tree cannot have this arity.
    #[error("there is no tree of arity {0}, expected at least 2")]
    NoTree(usize),
    /// More rows are to be discarded than lie between the leaves and the root.
    #[error(
        "{rows} rows are to be discarded of a tree with {} between the leaves and the root; give at most as \
         many", height - 1
    )]
    Rows {
        /// Rows to discard.
        rows: usize,
        /// Rows above the leaves, at least 1.
        height: usize,
    },
    /// There are more leaves than the tree has room for.
    #[error("too many {things}: {given} of {expected} are there, and {more} more were given")]
    TooMany {
        /// What is added: `leaves` or `columns`.
        things: &'static str,
        /// Those that are there.
        given: usize,
        /// Those that were to be added.
        more: usize,
        /// Those of the tree.
        expected: usize,
    },
    /// There are fewer leaves than the tree needs.
    #[error("too few {things}: {given} with the last ones, and the tree has {expected}")]
    TooFew {
        /// What is added: `leaves` or `columns`.
        things: &'static str,
        /// Those that there are with the last ones.
        given: usize,
        /// Those of the tree.
        expected: usize,
    },
    /// A digest of the device is no field element.
    #[error(
        "the device gave {0}, which is no field element: it is defective, or its build has another prime"
    )]
    Digest(String),
    /// The device did not give as many digests as it should.
    #[error("the device gave {given} nodes instead of {expected}: it is defective")]
    Nodes {
        /// Those that it gave.
        given: usize,
        /// Those of the tree.
        expected: usize,
    },
    /// There is no such parameter set.
    #[error(transparent)]
    Preset(#[from] UnknownPreset),
    /// The parameter set does not take the tag.
    #[error(transparent)]
    Parameters(#[from] ParameterError),
    /// The device gave no result.
    #[error(transparent)]
    Device(#[from] DeviceError),
}

impl From<BatcherError> for neptune::Error {
    fn from(error: BatcherError) -> Self {
        Self::Other(error.to_string())
    }
}

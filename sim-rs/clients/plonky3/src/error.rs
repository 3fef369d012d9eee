use acclmt_driver::device::DeviceError;
use acclmt_poseidon::params::ParameterError;
use acclmt_poseidon::presets::PresetError;
use p3_merkle_tree::MerkleTreeError;

/// Why there is no commitment.
#[derive(Debug, thiserror::Error)]
pub enum MmcsError {
    /// The parameter set does not make the hashes of Plonky3's Merkle trees.
    #[error("'{name}' does not make Plonky3's hashes: {problem}")]
    Parameters {
        /// Name of the parameter set.
        name: String,
        /// What is different.
        problem: String,
    },
    /// The parameter set and the permutation of the host are different.
    #[error(
        "'{name}' is another permutation than that of the host: they differ at state {state}; give the \
         parameter set of this permutation"
    )]
    Permutation {
        /// Name of the parameter set.
        name: String,
        /// Index of the state among those that are compared.
        state: usize,
    },
    /// The matrices do not go into one tree.
    #[error(transparent)]
    Matrices(#[from] MerkleTreeError),
    /// The layer of the cap is not a power of two.
    #[error(
        "a cap of height {cap_height} of a tree over {rows} rows has {nodes} nodes, which is no power of two; \
         give a lower one"
    )]
    Cap {
        /// Height of the cap.
        cap_height: usize,
        /// Rows of the highest matrix.
        rows: usize,
        /// Nodes of the cap, padding included.
        nodes: usize,
    },
    /// A matrix joins the tree above its cap.
    #[error(
        "a matrix of {rows} rows joins the tree above a cap of height {cap_height}, which does not commit to \
         it: any rows of it would verify; give a lower cap, or a tree of its own"
    )]
    AboveCap {
        /// Rows of the matrix.
        rows: usize,
        /// Height of the cap of this tree.
        cap_height: usize,
    },
    /// The device counts cycles, and its digests mean nothing.
    #[error("the device '{0}' only counts cycles; make one that computes results")]
    OnlyCycles(String),
    /// A digest of the device is not as it should be.
    #[error("the device is defective: {0}")]
    Defective(String),
    /// There is no such preset.
    #[error(transparent)]
    Preset(#[from] PresetError),
    /// The values are no parameter set.
    #[error(transparent)]
    Values(#[from] ParameterError),
    /// The device gave no result.
    #[error(transparent)]
    Device(#[from] DeviceError),
}

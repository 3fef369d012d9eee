#![doc = include_str!("../README.md")]

mod error;
mod mmcs;
mod parameters;
mod tree;

pub use acclmt_driver::shared::SharedDevice;

pub use error::MmcsError;
pub use mmcs::{AcclmtMmcs, Plonky3Mmcs};
pub use parameters::{
    DIGEST, Plonky2Permutation, plonky2, plonky3_poseidon1_8, plonky3_poseidon1_12,
    plonky3_poseidon2_8, plonky3_poseidon2_12,
};
pub use tree::{Digest, Tree};

//! Reference library of AcclMT, an accelerator of Poseidon Merkle trees.
//!
//! - [`fields`], [`params`], [`grain`], [`generate`], [`presets`], [`parameter_file`], [`random`]:
//!   the fields and Poseidon parameter sets over them: generated from the specifications of the
//!   protocols, read from a file, or arbitrary for tests.
//! - [`poseidon`], [`sparse`], [`sponge`], [`merkle`]: the permutation (straight from the
//!   specification, and with sparse partial rounds), messages of any length, Merkle trees and
//!   authentication paths.
//! - [`tree`], [`tree_file`], [`proof`]: the shapes of trees over any number of leaves, files with all
//!   nodes of a tree, and proofs from them.
//! - [`new_file`]: files that appear under their name only when they are whole.
//! - [`program`]: the compiler from a parameter set to the registers and constants of the chip.
//! - [`device`], [`software`]: the trait of everything that commits to data, and the device that
//!   computes on the host's processor.
//! - [`driver`], [`registers`], [`level_table`]: the device that drives a chip, the description of its
//!   registers, and where the chip keeps the nodes of a tree.
//! - [`model`], [`latencies`]: the cycle-exact model of the chip, and the latencies that it shares with the
//!   RTL.
//! - [`timeline`]: what happened when in a run of the chip or of its model.
//! - [`sweep`]: the same measurement over every combination of parameters.
//! - [`cli`]: the command line, for any set of backends.
//! - [`vectors`]: test vectors of other implementations, run on any device.
//!
//! ```
//! use acclmt::device::{CommitRequest, Device, LeafRule, NoProgress, WordSource};
//! use acclmt::{presets, software::SoftwareDevice, tree::NoNodes, word};
//!
//! let parameters = presets::by_name("filecoin-arity-2")?;
//! let request = CommitRequest::new(parameters, LeafRule::Digest, 4);
//! let leaves = [0, 1, 2, 3].map(word::from_u64);
//! let report = SoftwareDevice::new().commit(
//!     &request,
//!     &mut WordSource(&leaves),
//!     &mut NoNodes,
//!     &mut NoProgress,
//! )?;
//! assert_eq!(
//!     word::to_hex(&report.root()[0]),
//!     "0x333edd9de0908b764241a566fcf4447556a2556fb71ef154ee0da1436fcf4f24"
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod cli;
pub mod device;
pub mod driver;
pub mod evaluation;
pub mod fields;
pub mod generate;
pub mod grain;
pub mod latencies;
pub mod level_table;
pub mod merkle;
pub mod model;
mod montgomery;
pub mod new_file;
pub mod parameter_file;
pub mod params;
pub mod poseidon;
pub mod presets;
pub mod program;
pub mod proof;
pub mod published;
pub mod random;
pub mod registers;
pub mod report;
pub mod software;
pub mod sparse;
pub mod sponge;
pub mod stalls;
pub mod sweep;
pub mod timeline;
pub mod tree;
pub mod tree_file;
pub mod vectors;
pub mod word;

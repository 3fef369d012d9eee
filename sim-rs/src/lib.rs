//! Reference library of AcclMT, an accelerator of Poseidon Merkle trees.
//!
//! - [`fields`], [`params`], [`grain`], [`generate`], [`presets`], [`parameter_file`], [`random`]:
//!   the fields and Poseidon parameter sets over them: generated from the specifications of the
//!   protocols, read from a file, or arbitrary for tests.
//! - [`poseidon`], [`sparse`], [`sponge`], [`merkle`]: the permutation (straight from the
//!   specification, and with sparse partial rounds), messages of any length, Merkle trees and
//!   authentication paths.
//! - [`program`]: the compiler from a parameter set to the registers and constants of the chip.
//! - [`device`], [`software`]: the trait of everything that commits to data, and the device that
//!   computes on the host's processor.
//! - [`driver`], [`registers`]: the device that drives a chip, and the description of its registers.
//! - [`cli`]: the command line, for any set of backends.
//! - [`vectors`]: test vectors of other implementations, run on any device.
//!
//! ```
//! use acclmt::device::{CommitRequest, Device, LeafKind, NoProgress};
//! use acclmt::{presets, software::SoftwareDevice, word};
//!
//! let request = CommitRequest {
//!     parameters: presets::by_name("filecoin-arity-2")?,
//!     leaf: LeafKind::Element,
//!     words: &[0, 1, 2, 3].map(word::from_u64),
//! };
//! let report = SoftwareDevice::new().commit(&request, &mut NoProgress)?;
//! assert_eq!(
//!     word::to_hex(&report.root[0]),
//!     "0x333edd9de0908b764241a566fcf4447556a2556fb71ef154ee0da1436fcf4f24"
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod cli;
pub mod device;
pub mod driver;
pub mod fields;
pub mod generate;
pub mod grain;
pub mod level_table;
pub mod merkle;
mod montgomery;
pub mod parameter_file;
pub mod params;
pub mod poseidon;
pub mod presets;
pub mod program;
pub mod random;
pub mod registers;
pub mod software;
pub mod sparse;
pub mod sponge;
pub mod vectors;
pub mod word;

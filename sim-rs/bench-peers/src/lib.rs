//! Poseidon hashes of other libraries on a processor, measured beside those of acclmt.
//!
//! - [`peer`]: the trait of a library that is measured, and [`Checked`](peer::Checked), a library whose
//!   digests are those of the reference. Only these are timed.
//! - [`peers`]: the libraries, called in their fastest way.
//! - [`workers`], [`measure`], [`tree`]: the threads, and what is timed on them: hashes and whole trees.
//! - [`machine`], [`report`]: where it was measured, and what comes out.

pub mod machine;
pub mod measure;
pub mod peer;
pub mod peers;
pub mod report;
pub mod tree;
pub mod workers;

/// What the build script has recorded.
mod built_info {
    #![allow(missing_docs, dead_code)]
    include!(concat!(env!("OUT_DIR"), "/built.rs"));
}

#![doc = include_str!("../README.md")]

mod format;
pub mod levels;
pub mod multiproof;
pub mod new_file;
pub mod proof;
pub mod proof_file;
pub mod shape;
pub mod tree;
pub mod tree_file;

#![doc = include_str!("../README.md")]

pub mod new_file;
pub mod proof;
pub mod shape;
pub mod tree;
pub mod tree_file;

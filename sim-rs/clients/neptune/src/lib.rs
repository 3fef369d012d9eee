#![doc = include_str!("../README.md")]

mod batcher;
mod column_tree_builder;
mod error;
mod field;
mod tree_builder;

pub use acclmt_driver::shared::SharedDevice;

pub use batcher::{Batcher, DEFAULT_MAX_BATCH_SIZE, parameters};
pub use column_tree_builder::{ColumnTreeBuilder, ColumnTreeBuilderTrait};
pub use error::BatcherError;
pub use field::DeviceField;
pub use tree_builder::{TreeBuilder, TreeBuilderTrait};

#![doc = include_str!("../README.md")]

pub mod chip;
pub mod device;
pub mod error;
pub mod fold;
pub mod level_table;
pub mod limits;
pub mod messages;
pub mod nodes;
pub mod program;
pub mod registers;
pub mod self_test;
pub mod several;
pub mod shared;
pub mod sharing;
pub mod software;
pub mod timeline;

#![doc = include_str!("../README.md")]

pub mod clocks;
pub mod evaluation;
mod large;
pub mod measurement;
pub mod pc2;
pub mod published;
pub mod report;
pub mod sweep;
pub mod vectors;

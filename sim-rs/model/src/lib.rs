#![doc = include_str!("../README.md")]
//!
//! # How it works
//!
//! [`ModelChip`] stands where the RTL does, behind the port of the driver, so that the same driver runs
//! both and every counter can be compared. Total cycles, counters and time stamps equal those of the RTL;
//! `tb/tests/model.rs` compares them over random configurations. [`ModelDevice`] adds the results of the
//! software reference, and [`ComputingChip`] those of the programs and constants that the chip is loaded with: it
//! can be used in place of the RTL.
//!
//! The model goes from event to event. What one block tells another has the cycle from which on the other
//! can see it, so that the order in which blocks are looked at in a cycle does not matter. Where all slots
//! of a sub-engine are of one length, a state keeps its slot in every turn of the loop, and a visit of any
//! number of rounds is one event. Where layers are made by adders, it is known as a state enters the S-boxes, or as its
//! dense layer begins, when it comes round or leaves. The exit from the partial rounds is computed ahead, too. What the
//! leaf hash engine repeats in its steady state is replayed instead of simulated, and stretches of long trees
//! that repeat are counted. Latencies and depths come from [`crate::latencies`], which the RTL shares.

mod adders;
mod buffer;
mod chip;
mod computing;
mod device;
mod engine;
mod exit;
#[cfg(test)]
mod groups;
mod hash_engine;
pub mod latencies;
mod machine;
mod mixed;
mod pool;
#[cfg(test)]
mod pools;
mod replay;
mod slots;
pub mod stalls;
mod strides;
mod sub_engine;
mod survey;
mod times;
mod tree;
mod turn;
mod visits;
mod zeroise;

pub use chip::{Dispatch, Hardware, HardwareError, ModelChip};
pub use computing::ComputingChip;
pub use device::ModelDevice;
pub use mixed::{Hash, MixedEngine, MixedOutput, MixedWord};

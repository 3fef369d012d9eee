#![doc = include_str!("../README.md")]

pub mod absorb;
pub mod bounds;
pub mod fields;
mod generate;
mod goldilocks;
pub mod grain;
mod history;
mod late;
mod matrix;
mod montgomery;
pub mod normal_form;
pub mod parameter_file;
pub mod params;
pub mod permutation;
pub mod poseidon2;
pub mod presets;
pub mod random;
pub mod recurrence;
mod round_numbers;
mod security;
pub mod sponge;
pub mod text;
pub mod user_file;
pub mod word;

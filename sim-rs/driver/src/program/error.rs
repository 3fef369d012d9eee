//! Why a chip cannot compute with a parameter set.

use super::limits::EngineLimits;
use super::pass_table::{PASS_TABLE_DEPTH, ProgramFault};
use super::shape::{Rounds, Segments, Shape};
use crate::registers;
use acclmt_poseidon::fields::FieldId;
use acclmt_poseidon::recurrence::RecurrenceError;
use acclmt_poseidon::word;

/// A chip cannot compute with a parameter set, or a program is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProgramError {
    /// No group of rows.
    #[error("{group} rows cannot be under way together; 1 to {most} can")]
    RowGroup {
        /// Rows.
        group: usize,
        /// Most that the buffers of a hash engine hold.
        most: usize,
    },
    /// A group of rows cannot be shared out.
    #[error(
        "{group} rows under way together cannot be shared out evenly among {engines} hash engines; take a multiple of \
         {engines}"
    )]
    UnevenRowGroup {
        /// Rows.
        group: usize,
        /// Hash engines that take rows.
        engines: usize,
    },
    /// The tag of a row does not exist.
    #[error(
        "'{name}' hashes no rows of {length} field elements: a SAFE tag has no room for the length"
    )]
    RowTooLong {
        /// Name of the parameter set.
        name: String,
        /// Elements of a row.
        length: usize,
    },
    /// The state is too wide.
    #[error(
        "'{name}' has a state of {width} elements over {field}, of which the chip holds {most}; use the software \
         device"
    )]
    Width {
        /// Name of the parameter set.
        name: String,
        /// Elements of its state.
        width: usize,
        /// Their field.
        field: FieldId,
        /// Elements of the widest state over it.
        most: usize,
    },
    /// What is added to the digest has no room beside the permutation.
    #[error(
        "'{name}' adds its input to the digest: {beside} elements beside a state of {width}, and the \
         chip holds {most} in all; use the software device"
    )]
    Compression {
        /// Name of the parameter set.
        name: String,
        /// State width of the permutation.
        width: usize,
        /// Elements beside it.
        beside: usize,
        /// Elements that the chip holds.
        most: usize,
    },
    /// The field is another one.
    #[error(
        "'{name}' is over {field}, the chip was built for {}; use a build for {field}, or the \
         software device",
        chip_fields(limits)
    )]
    Field {
        /// Name of the parameter set.
        name: String,
        /// Its field.
        field: FieldId,
        /// What the chip was built with.
        limits: Box<EngineLimits>,
    },
    /// The constant memories are too small.
    #[error(
        "'{name}' has {} full and {} partial rounds of width {}, more than the constant memories \
         of the chip hold ({} times {} matrix and {} constant entries for full rounds, {} times {} \
         entries for partial rounds); build it with deeper memories",
        rounds.full_first + rounds.full_last - usize::from(shape.first_layer), rounds.partial,
        shape.width,
        limits.num_full, limits.matrix_depth, limits.constant_depth,
        limits.num_partial, limits.partial_depth
    )]
    TooManyRounds {
        /// Name of the parameter set.
        name: String,
        /// Its rounds.
        rounds: Rounds,
        /// Its shape.
        shape: Box<Shape>,
        /// What the chip holds.
        limits: Box<EngineLimits>,
    },
    /// The S-box takes several passes, which do not exist.
    #[error(
        "the S-box x^{alpha} of '{name}' takes passes that this chip does not have: it stores no elements; build it with \
         Store = 1"
    )]
    SBox {
        /// Name of the parameter set.
        name: String,
        /// The exponent.
        alpha: u64,
    },
    /// The tables of passes are too small.
    #[error(
        "the {passes} passes of '{name}' do not fit into the table of a full-round sub-engine, loops counted once; it \
         has {PASS_TABLE_DEPTH} entries"
    )]
    TooManyPasses {
        /// Name of the parameter set.
        name: String,
        /// Its passes.
        passes: usize,
    },
    /// Partial rounds are to run as a recurrence, and there is none.
    #[error(transparent)]
    NoRecurrence(#[from] RecurrenceError),
    /// Given segments do not fit.
    #[error(
        "the rounds of '{name}', {rounds:?}, cannot be shared out as {segments:?} on a chip with \
         {} full-round and {} partial-round sub-engines",
        limits.num_full, limits.num_partial
    )]
    Segments {
        /// Name of the parameter set.
        name: String,
        /// Its rounds.
        rounds: Rounds,
        /// The segments asked for.
        segments: Box<Segments>,
        /// What the chip holds.
        limits: Box<EngineLimits>,
    },
    /// A program lacks a constant.
    #[error(
        "the program has no constant for sub-engine {sub_engine}, bank {bank}, index {index}; \
         compile it again"
    )]
    MissingConstant {
        /// Number of the sub-engine.
        sub_engine: u8,
        /// The bank.
        bank: u8,
        /// The index.
        index: usize,
    },
    /// A constant of a program is no residue.
    #[error(
        "the constant for sub-engine {sub_engine}, bank {bank}, index {index} is not below the \
         prime; compile the program again"
    )]
    ConstantNotBelowPrime {
        /// Number of the sub-engine.
        sub_engine: u8,
        /// The bank.
        bank: u8,
        /// The index.
        index: usize,
    },
    /// The program cannot run.
    #[error("the parameter set cannot run: {0}")]
    Program(ProgramFault),
    /// A register value that the chip refuses.
    #[error(
        "the register {} cannot hold {value}",
        registers::register_name(*address).unwrap_or_else(|| format!("0x{address:03X}"))
    )]
    IllegalRegister {
        /// Byte address of the register.
        address: u32,
        /// The value.
        value: u32,
    },
    /// The input is no whole number of hashes.
    #[error("{length} words are no whole number of inputs of {expected} words")]
    InputLength {
        /// Words given.
        length: usize,
        /// Words that a hash takes.
        expected: usize,
    },
    /// An input word is not canonical.
    #[error("input word {word} has an element that is not below the prime")]
    InputNotBelowPrime {
        /// Index of the word, counted from 0.
        word: usize,
    },
}

/// The fields of a chip, for messages.
fn chip_fields(limits: &EngineLimits) -> String {
    let large = if limits.runtime_modulus {
        "large primes".to_owned()
    } else {
        FieldId::from_prime(&limits.prime).map_or_else(
            || format!("the prime {}", word::to_hex(&limits.prime)),
            |field| field.name().to_owned(),
        )
    };
    if limits.goldilocks {
        format!("{large} and {}", FieldId::Goldilocks)
    } else {
        large
    }
}

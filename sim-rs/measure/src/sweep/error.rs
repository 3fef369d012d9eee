//! Why a specification makes no sweep.

use crate::measurement::MAX_HASHES;

/// Most points of a sweep.
pub const MAX_POINTS: u64 = 10_000_000;

/// A specification that makes no sweep.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpecificationError {
    /// It is no TOML, or has other keys.
    #[error("{0}")]
    Syntax(String),
    /// Both kinds of parameter sets are asked for.
    #[error("the axes 'preset' and '{axis}' exclude each other: a preset has its own {axis}")]
    PresetAndAxis {
        /// The other axis.
        axis: &'static str,
    },
    /// Two axes say the same.
    #[error("the axes 'arity' and 'width' exclude each other: the arity gives the width")]
    ArityAndWidth,
    /// A value is none of its axis.
    #[error("the axis '{axis}' has the value {value}: {legal}")]
    Value {
        /// The axis.
        axis: &'static str,
        /// The value.
        value: String,
        /// What it can be.
        legal: String,
    },
    /// A value would be measured twice.
    #[error("the axis '{axis}' has the value {value} twice; leave one out")]
    Twice {
        /// The axis.
        axis: &'static str,
        /// The value.
        value: String,
    },
    /// So many hashes are not measured.
    #[error("hashes = {hashes}: 1 to {MAX_HASHES} hashes are measured in a run")]
    Hashes {
        /// Their number.
        hashes: u64,
    },
    /// What is measured does not depend on it.
    #[error("'{key}' does not apply to {to}; leave it out")]
    DoesNotApply {
        /// The axis or key.
        key: &'static str,
        /// To what.
        to: &'static str,
    },
    /// Too many points.
    #[error("the axes make {points} points, more than {MAX_POINTS}; leave out values")]
    TooMany {
        /// Their number.
        points: u64,
    },
}

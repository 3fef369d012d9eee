//! What a specification may say: every value has bounds, and every axis has something to act on.

use std::fmt;

use super::axes::Axes;
use super::error::SpecificationError;
use super::kind::Measure;
use crate::measurement::MAX_LEAVES;
use acclmt_driver::device::LeafKind;
use acclmt_driver::limits::MAX_COLUMNS;
use acclmt_driver::sharing::Sharing;
use acclmt_model::{Hardware, HardwareError};
use acclmt_poseidon::fields::FieldId;
use acclmt_poseidon::params::{MAX_ROUNDS, MAX_SMALL_WIDTH, MAX_WIDTH, MIN_WIDTH};
use acclmt_poseidon::presets;

/// The largest share of the cycles in which a stream stalls: as slow as the lowest rate.
pub const MAX_STALL: f64 = 0.9999;

/// The most rows that are under way together, of any chip.
pub const MAX_ROW_GROUP: usize = 1 << 16;

/// A text of a user, no longer than a line can take.
fn shown(text: impl fmt::Display) -> String {
    cut(text.to_string(), 60)
}

/// No more than so many characters of a text.
pub(super) fn cut(mut text: String, most: usize) -> String {
    if let Some((end, _)) = text.char_indices().nth(most) {
        text.truncate(end);
        text += " ..";
    }
    text
}

/// Checks the values of an axis one by one, and that none is there twice.
fn each<T: PartialEq + fmt::Display>(
    axis: &'static str,
    values: &[T],
    check: impl Fn(&T) -> Result<(), String>,
) -> Result<(), SpecificationError> {
    for (number, value) in values.iter().enumerate() {
        check(value).map_err(|legal| SpecificationError::Value {
            axis,
            value: shown(value),
            legal,
        })?;
        if values[..number].contains(value) {
            return Err(SpecificationError::Twice {
                axis,
                value: shown(value),
            });
        }
    }
    Ok(())
}

/// Checks that the numbers of an axis lie between two others.
fn within<T: Copy + PartialOrd + fmt::Display>(
    axis: &'static str,
    values: &[T],
    least: T,
    most: T,
) -> Result<(), SpecificationError> {
    each(axis, values, |value| {
        if (least..=most).contains(value) {
            return Ok(());
        }
        Err(format!("it is {least} to {most}"))
    })
}

/// Checks a parameter of the chip.
fn part<T: Copy + PartialEq + fmt::Display>(
    axis: &'static str,
    values: &[T],
    with: impl Fn(Hardware, T) -> Hardware,
) -> Result<(), SpecificationError> {
    each(axis, values, |&value| {
        let legal = |error: HardwareError| error.legal.to_owned();
        with(Hardware::default(), value).check().map_err(legal)
    })
}

fn check_leaf(leaf: &str) -> Result<(), String> {
    let kind: Result<LeafKind, _> = leaf.parse();
    kind.map(drop)
        .map_err(|_| format!("it is hash, element or row=C with C from 1 to {MAX_COLUMNS}"))
}

fn check_stall(share: f64) -> Result<(), String> {
    if (0.0..=MAX_STALL).contains(&share) {
        return Ok(());
    }
    Err(format!(
        "it is a share of the cycles, from 0 to {MAX_STALL}"
    ))
}

impl Axes {
    pub(super) fn check_exclusion(&self) -> Result<(), SpecificationError> {
        if !self.preset.is_empty() {
            for (axis, is_empty) in [
                ("field", self.field.is_empty()),
                ("width", self.width.is_empty()),
                ("arity", self.arity.is_empty()),
                ("exponent", self.exponent.is_empty()),
                ("full_rounds", self.full_rounds.is_empty()),
                ("partial_rounds", self.partial_rounds.is_empty()),
            ] {
                if !is_empty {
                    return Err(SpecificationError::PresetAndAxis { axis });
                }
            }
        }
        if !self.arity.is_empty() && !self.width.is_empty() {
            return Err(SpecificationError::ArityAndWidth);
        }
        Ok(())
    }

    /// Axes that what is measured does not depend on are refused.
    pub(super) fn check_measure(&self, measure: Measure) -> Result<(), SpecificationError> {
        match measure {
            Measure::Engine => {
                let of_trees = [
                    ("leaves", self.leaves.is_empty()),
                    ("leaf", self.leaf.is_empty()),
                    ("row_group", self.row_group.is_empty()),
                    ("node_words", self.node_words.is_empty()),
                    ("engines", self.engines.is_empty()),
                    ("sharing", self.sharing.is_empty()),
                ];
                match of_trees.into_iter().find(|(_, is_empty)| !is_empty) {
                    None => Ok(()),
                    Some((key, _)) => Err(SpecificationError::DoesNotApply {
                        key,
                        to: "hash engines alone, which build no tree",
                    }),
                }
            }
            Measure::Tree => {
                let is_other = |leaf: &String| !matches!(leaf.parse(), Ok(LeafKind::Row(_)));
                let has_others = self.leaf.is_empty() || self.leaf.iter().any(is_other);
                if !self.row_group.is_empty() && has_others {
                    return Err(SpecificationError::DoesNotApply {
                        key: "row_group",
                        to: "leaves that are no rows; give every value of the axis 'leaf' as row=C",
                    });
                }
                Ok(())
            }
        }
    }

    pub(super) fn check_values(&self) -> Result<(), SpecificationError> {
        each("preset", &self.preset, |name| {
            // A name as long as a file is not said twice.
            let found = presets::find(name).map(drop);
            found
                .or_else(|_| presets::find(&shown(name)).map(drop))
                .map_err(|error| error.to_string())
        })?;
        each("field", &self.field, |name| {
            let names = FieldId::ALL.map(FieldId::name);
            if names.contains(&name.as_str()) {
                return Ok(());
            }
            Err(format!("it is one of {}", names.join(", ")))
        })?;
        within("width", &self.width, MIN_WIDTH, MAX_SMALL_WIDTH)?;
        within("arity", &self.arity, 2, MAX_WIDTH - 1)?;
        each("exponent", &self.exponent, |exponent| {
            if [3, 5, 7].contains(exponent) {
                return Ok(());
            }
            Err("it is 3, 5 or 7".to_owned())
        })?;
        each("full_rounds", &self.full_rounds, |&rounds| {
            if (2..=MAX_ROUNDS).contains(&rounds) && rounds.is_multiple_of(2) {
                return Ok(());
            }
            Err(format!("it is an even number from 2 to {}", MAX_ROUNDS - 1))
        })?;
        within("partial_rounds", &self.partial_rounds, 0, MAX_ROUNDS)?;
        within("leaves", &self.leaves, 1, MAX_LEAVES)?;
        each("leaf", &self.leaf, |leaf| check_leaf(leaf))?;
        within("row_group", &self.row_group, 1, MAX_ROW_GROUP)?;
        part("engines", &self.engines, |chip, num_engines| Hardware {
            num_engines,
            ..chip
        })?;
        each("sharing", &self.sharing, |sharing| {
            let parsed = sharing.parse::<Sharing>().map(drop);
            parsed.map_err(|error| error.to_string())
        })?;
        part("num_full", &self.num_full, |chip, num_full| Hardware {
            num_full,
            ..chip
        })?;
        part("num_partial", &self.num_partial, |chip, num_partial| {
            Hardware {
                num_partial,
                ..chip
            }
        })?;
        part("matrix_depth", &self.matrix_depth, |chip, matrix_depth| {
            Hardware {
                matrix_depth,
                ..chip
            }
        })?;
        part(
            "constant_depth",
            &self.constant_depth,
            |chip, constant_depth| Hardware {
                constant_depth,
                ..chip
            },
        )?;
        part(
            "partial_depth",
            &self.partial_depth,
            |chip, partial_depth| Hardware {
                partial_depth,
                ..chip
            },
        )?;
        part("node_words", &self.node_words, |chip, node_words| {
            Hardware { node_words, ..chip }
        })?;
        each("input_rate", &self.input_rate, |_| Ok(()))?;
        each("input_stall", &self.input_stall, |&share| {
            check_stall(share)
        })?;
        each("output_stall", &self.output_stall, |&share| {
            check_stall(share)
        })
    }
}

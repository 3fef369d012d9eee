//! The specification of a sweep, and its points.

use super::axes::{AXES, Axes};
use super::check;
use super::error::{MAX_POINTS, SpecificationError};
use super::kind::Measure;
use super::point::{GOLDILOCKS_DIGEST, HASHES, Point};
use crate::measurement::MAX_HASHES;
use acclmt_model::Hardware;
use acclmt_poseidon::fields::FieldId;
use serde::Deserialize;

/// The specification of a sweep.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Specification {
    /// What is measured.
    pub measure: Measure,
    /// Hashes of the shorter of the two runs that measure an engine, up to [`MAX_HASHES`]; 1024. Nothing for
    /// trees.
    #[serde(default)]
    pub hashes: Option<u64>,
    /// The values of each axis.
    #[serde(default)]
    pub axes: Axes,
}

/// Characters of a message about the syntax, which repeats a line of the file.
const MOST_SYNTAX: usize = 1000;

impl Specification {
    /// Reads a specification from TOML.
    ///
    /// # Errors
    ///
    /// When the text is no such specification.
    pub fn from_toml(text: &str) -> Result<Self, SpecificationError> {
        let specification: Self = toml::from_str(text).map_err(|error| {
            let text = error.to_string().trim_end().to_owned();
            SpecificationError::Syntax(check::cut(text, MOST_SYNTAX))
        })?;
        specification.check()?;
        let points = specification
            .axes
            .lengths()
            .into_iter()
            .try_fold(1_u64, |points, length| points.checked_mul(length as u64));
        match points {
            Some(points) if points <= MAX_POINTS => Ok(specification),
            points => Err(SpecificationError::TooMany {
                points: points.unwrap_or(u64::MAX),
            }),
        }
    }

    /// All points, the last axis fastest.
    pub fn points(&self) -> Vec<Point> {
        let lengths = self.axes.lengths();
        let count: usize = lengths.iter().product();
        (0..count)
            .map(|number| {
                let mut rest = number;
                let mut indices = [0; AXES];
                for (index, length) in indices.iter_mut().zip(lengths).rev() {
                    *index = rest % length;
                    rest /= length;
                }
                self.point(indices)
            })
            .collect()
    }

    fn point(&self, indices: [usize; AXES]) -> Point {
        fn at<T: Clone>(values: &[T], index: usize) -> Option<T> {
            values.get(index).cloned()
        }
        let axes = &self.axes;
        let [
            preset,
            field,
            width,
            arity,
            exponent,
            full,
            partial,
            leaves,
            leaf,
            row_group,
            rest @ ..,
        ] = indices;
        let [
            engines,
            sharing,
            num_full,
            num_partial,
            matrix_depth,
            constant_depth,
            partial_depth,
            words,
            rate,
            input,
            output,
        ] = rest;
        let default = Hardware::default();
        let preset = at(&axes.preset, preset);
        let random = preset.is_none();
        let field = at(&axes.field, field).unwrap_or_else(|| default.field.name().to_owned());
        let is_goldilocks = field == FieldId::Goldilocks.name();
        // Digests, and as much capacity as a digest.
        let digest = if is_goldilocks { GOLDILOCKS_DIGEST } else { 1 };
        let width = (at(&axes.width, width)).or_else(|| {
            Some(
                at(&axes.arity, arity)?
                    .saturating_add(1)
                    .saturating_mul(digest),
            )
        });
        Point {
            measure: self.measure,
            hashes: (self.measure == Measure::Engine).then(|| self.hashes.unwrap_or(HASHES)),
            width: random.then(|| width.unwrap_or(3)),
            exponent: random
                .then(|| at(&axes.exponent, exponent).unwrap_or(if is_goldilocks { 7 } else { 5 })),
            full_rounds: random.then(|| at(&axes.full_rounds, full).unwrap_or(8)),
            partial_rounds: random.then(|| at(&axes.partial_rounds, partial).unwrap_or(55)),
            field: random.then_some(field),
            preset,
            leaves: at(&axes.leaves, leaves),
            leaf: at(&axes.leaf, leaf).unwrap_or_else(|| "hash".to_owned()),
            row_group: at(&axes.row_group, row_group),
            engines: at(&axes.engines, engines),
            sharing: at(&axes.sharing, sharing),
            num_full: at(&axes.num_full, num_full).unwrap_or(default.num_full),
            num_partial: at(&axes.num_partial, num_partial).unwrap_or(default.num_partial),
            matrix_depth: at(&axes.matrix_depth, matrix_depth).unwrap_or(default.matrix_depth),
            constant_depth: at(&axes.constant_depth, constant_depth)
                .unwrap_or(default.constant_depth),
            partial_depth: at(&axes.partial_depth, partial_depth).unwrap_or(default.partial_depth),
            node_words: at(&axes.node_words, words).unwrap_or(default.node_words),
            input_rate: at(&axes.input_rate, rate).unwrap_or_default(),
            // Minus 0 is 0: one point has one name.
            input_stall: at(&axes.input_stall, input).unwrap_or(0.0) + 0.0,
            output_stall: at(&axes.output_stall, output).unwrap_or(0.0) + 0.0,
        }
    }

    fn check(&self) -> Result<(), SpecificationError> {
        if let Some(hashes) = self.hashes {
            if self.measure == Measure::Tree {
                return Err(SpecificationError::DoesNotApply {
                    key: "hashes",
                    to: "whole trees, whose size is the axis 'leaves'",
                });
            }
            if !(1..=MAX_HASHES).contains(&hashes) {
                return Err(SpecificationError::Hashes { hashes });
            }
        }
        let axes = &self.axes;
        axes.check_exclusion()?;
        axes.check_measure(self.measure)?;
        axes.check_values()
    }
}

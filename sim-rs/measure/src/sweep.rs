//! Sweeps: the same measurement over every combination of parameters.
//!
//! A specification names values for some axes; every combination of them is a [`Point`]. A point is measured
//! on a device and gives a [`Row`]. Rows are plain records of one line each, so that a sweep can be stopped
//! at any time, continued, split into shards and merged.

mod area;
mod check;
mod columns;
mod table;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

pub use area::{Area, AreaError, AreaResult};
pub use check::{MAX_ROW_GROUP, MAX_STALL};
pub use columns::{Cell, Column, Kind};
pub use table::{TableError, write_csv, write_parquet};

use columns::{Value as _, record};

use crate::measurement::{MAX_HASHES, engine_plan, measure_engine, measure_tree};
use acclmt_driver::device::{CommitRequest, Device, LeafKind, LeafKindError, NoProgress};
use acclmt_driver::level_table::{NodeMemories, standard_tree};
use acclmt_model::Hardware;
use acclmt_model::stalls::{Rate, Stalls};
use acclmt_poseidon::dispatch;
use acclmt_poseidon::fields::{AnyParameters, FieldId};
use acclmt_poseidon::params::{PoseidonParameters, PoseidonSpecification, RoundOrder};
use acclmt_poseidon::presets;
use acclmt_poseidon::random::{self, Ranges};

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Measure {
    /// The leaf hash engine in its steady state.
    Engine,
    /// A whole tree.
    Tree,
}

impl Measure {
    /// As in specifications and rows.
    pub fn name(self) -> &'static str {
        match self {
            Self::Engine => "engine",
            Self::Tree => "tree",
        }
    }
}

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

/// Hashes of the shorter of the two runs that measure an engine, where no number is given.
const HASHES: u64 = 1024;

/// Characters of a message about the syntax, which repeats a line of the file.
const MOST_SYNTAX: usize = 1000;

/// Most points of a sweep.
pub const MAX_POINTS: u64 = 10_000_000;

/// The values of each axis; an axis without values has its default alone.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Axes {
    /// Presets. Without them, random parameter sets are made of the following six.
    #[serde(deserialize_with = "check::values")]
    pub preset: Vec<String>,
    /// Fields of random parameter sets; BLS12-381.
    #[serde(deserialize_with = "check::values")]
    pub field: Vec<String>,
    /// State widths; 3. The arity is one less, in Goldilocks two digests of four elements with width 12.
    #[serde(deserialize_with = "check::values")]
    pub width: Vec<usize>,
    /// Children of a node, which give the width: one more, in Goldilocks digests of four elements and a
    /// capacity of as many.
    #[serde(deserialize_with = "check::values")]
    pub arity: Vec<usize>,
    /// Exponents of the S-box; 5, in Goldilocks 7.
    #[serde(deserialize_with = "check::values")]
    pub exponent: Vec<u64>,
    /// Full rounds, an even number; 8.
    #[serde(deserialize_with = "check::values")]
    pub full_rounds: Vec<usize>,
    /// Partial rounds; 55.
    #[serde(deserialize_with = "check::values")]
    pub partial_rounds: Vec<usize>,
    /// Leaves of a tree; those of a standard tree.
    #[serde(deserialize_with = "check::values")]
    pub leaves: Vec<u64>,
    /// What a leaf is: `hash`, `element` or `row=C`; `hash`.
    #[serde(deserialize_with = "check::values")]
    pub leaf: Vec<String>,
    /// Rows that are under way together, where a leaf is a row of several blocks; as many as keep the
    /// hash engine busy.
    #[serde(deserialize_with = "check::values")]
    pub row_group: Vec<usize>,
    /// Full-round sub-engines of a hash engine; 1.
    #[serde(deserialize_with = "check::values")]
    pub num_full: Vec<usize>,
    /// Partial-round sub-engines; 3.
    #[serde(deserialize_with = "check::values")]
    pub num_partial: Vec<usize>,
    /// Entries of the memories of matrices; 128.
    #[serde(deserialize_with = "check::values")]
    pub matrix_depth: Vec<usize>,
    /// Entries of the memories of round constants of full rounds; 256.
    #[serde(deserialize_with = "check::values")]
    pub constant_depth: Vec<usize>,
    /// Entries of the memories of partial rounds; 128.
    #[serde(deserialize_with = "check::values")]
    pub partial_depth: Vec<usize>,
    /// Words of the leaf hash buffer, which is the size of a standard tree; 4096.
    #[serde(deserialize_with = "check::values")]
    pub leaf_words: Vec<u32>,
    /// Words of the root hash buffer; 2048.
    #[serde(deserialize_with = "check::values")]
    pub root_words: Vec<u32>,
    /// Words of the scratch pad; 128.
    #[serde(deserialize_with = "check::values")]
    pub scratch_words: Vec<u32>,
    /// Words of level 0 of the HIDM; 256.
    #[serde(deserialize_with = "check::values")]
    pub hidm_words_0: Vec<u32>,
    /// Words of level 1 of the HIDM; 16.
    #[serde(deserialize_with = "check::values")]
    pub hidm_words_1: Vec<u32>,
    /// Input words that the host has in a cycle, evenly; 1.
    #[serde(deserialize_with = "check::values")]
    pub input_rate: Vec<Rate>,
    /// Share of the cycles in which no input word is offered, up to [`MAX_STALL`]; 0.
    #[serde(deserialize_with = "check::values")]
    pub input_stall: Vec<f64>,
    /// Share of the cycles in which no output word is taken, up to [`MAX_STALL`]; 0.
    #[serde(deserialize_with = "check::values")]
    pub output_stall: Vec<f64>,
}

record! {
    /// A combination of parameters.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct Point {
        /// What is measured.
        pub measure: Measure,
        /// Hashes of the shorter run (engine), see [`Specification::hashes`].
        pub hashes: Option<u64>,
        /// The preset, or nothing for a random set of the next five.
        pub preset: Option<String>,
        /// Field of a random set.
        pub field: Option<String>,
        /// State width of a random set.
        pub width: Option<usize>,
        /// S-box exponent of a random set.
        pub exponent: Option<u64>,
        /// Full rounds of a random set.
        pub full_rounds: Option<usize>,
        /// Partial rounds of a random set.
        pub partial_rounds: Option<usize>,
        /// Leaves, nothing for a standard tree.
        pub leaves: Option<u64>,
        /// What a leaf is.
        pub leaf: String,
        /// Rows that are under way together, nothing for as many as keep the hash engine busy.
        pub row_group: Option<usize>,
        /// Full-round sub-engines.
        pub num_full: usize,
        /// Partial-round sub-engines.
        pub num_partial: usize,
        /// Entries of the memories of matrices.
        pub matrix_depth: usize,
        /// Entries of the memories of round constants of full rounds.
        pub constant_depth: usize,
        /// Entries of the memories of partial rounds.
        pub partial_depth: usize,
        /// Words of the node memories.
        pub leaf_words: u32,
        /// See `leaf_words`.
        pub root_words: u32,
        /// See `leaf_words`.
        pub scratch_words: u32,
        /// See `leaf_words`.
        pub hidm_words_0: u32,
        /// See `leaf_words`.
        pub hidm_words_1: u32,
        /// Input words of the host in a cycle, evenly.
        pub input_rate: Rate,
        /// Share of the cycles without input, at random.
        pub input_stall: f64,
        /// Share of the cycles without output, at random.
        pub output_stall: f64,
    }
}

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
            num_full,
            num_partial,
            matrix_depth,
            constant_depth,
            partial_depth,
            words @ ..,
            rate,
            input,
            output,
        ] = rest;
        let default = Hardware::default();
        let [
            leaf_words,
            root_words,
            scratch_words,
            hidm_words_0,
            hidm_words_1,
        ] = default.memories.words;
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
            num_full: at(&axes.num_full, num_full).unwrap_or(default.num_full),
            num_partial: at(&axes.num_partial, num_partial).unwrap_or(default.num_partial),
            matrix_depth: at(&axes.matrix_depth, matrix_depth).unwrap_or(default.matrix_depth),
            constant_depth: at(&axes.constant_depth, constant_depth)
                .unwrap_or(default.constant_depth),
            partial_depth: at(&axes.partial_depth, partial_depth).unwrap_or(default.partial_depth),
            leaf_words: at(&axes.leaf_words, words[0]).unwrap_or(leaf_words),
            root_words: at(&axes.root_words, words[1]).unwrap_or(root_words),
            scratch_words: at(&axes.scratch_words, words[2]).unwrap_or(scratch_words),
            hidm_words_0: at(&axes.hidm_words_0, words[3]).unwrap_or(hidm_words_0),
            hidm_words_1: at(&axes.hidm_words_1, words[4]).unwrap_or(hidm_words_1),
            input_rate: at(&axes.input_rate, rate).unwrap_or_default(),
            // Minus 0 is 0: one point has one name.
            input_stall: at(&axes.input_stall, input).unwrap_or(0.0) + 0.0,
            output_stall: at(&axes.output_stall, output).unwrap_or(0.0) + 0.0,
        }
    }
}

/// Number of axes.
const AXES: usize = 23;

/// Elements of a digest over Goldilocks, where one is too few for its security.
const GOLDILOCKS_DIGEST: usize = 4;

impl Axes {
    /// Values of each axis, in the order of the fields; at least one.
    fn lengths(&self) -> [usize; AXES] {
        [
            self.preset.len(),
            self.field.len(),
            self.width.len(),
            self.arity.len(),
            self.exponent.len(),
            self.full_rounds.len(),
            self.partial_rounds.len(),
            self.leaves.len(),
            self.leaf.len(),
            self.row_group.len(),
            self.num_full.len(),
            self.num_partial.len(),
            self.matrix_depth.len(),
            self.constant_depth.len(),
            self.partial_depth.len(),
            self.leaf_words.len(),
            self.root_words.len(),
            self.scratch_words.len(),
            self.hidm_words_0.len(),
            self.hidm_words_1.len(),
            self.input_rate.len(),
            self.input_stall.len(),
            self.output_stall.len(),
        ]
        .map(|length| length.max(1))
    }
}

/// Seed of the random parameter sets and stalls: a point gives the same row wherever it is measured.
const SEED: u64 = 1;

impl Point {
    /// Names the point: a hash of all its values.
    pub fn id(&self) -> String {
        let text = serde_json::to_string(self).unwrap_or_default();
        hex::encode(&Sha256::digest(text)[..8])
    }

    /// How the chip is built.
    pub fn hardware(&self) -> Hardware {
        Hardware {
            num_full: self.num_full,
            num_partial: self.num_partial,
            matrix_depth: self.matrix_depth,
            constant_depth: self.constant_depth,
            partial_depth: self.partial_depth,
            memories: NodeMemories {
                words: [
                    self.leaf_words,
                    self.root_words,
                    self.scratch_words,
                    self.hidm_words_0,
                    self.hidm_words_1,
                ],
            },
            ..Hardware::default()
        }
    }

    /// Stalls of the streams.
    pub fn stalls(&self) -> Stalls {
        Stalls {
            seed: SEED,
            input: self.input_stall,
            output: self.output_stall,
            input_rate: self.input_rate,
        }
    }

    /// The parameter set.
    ///
    /// # Errors
    ///
    /// When there is none like this; the text says why.
    pub fn parameters(&self) -> Result<AnyParameters, String> {
        if let Some(name) = &self.preset {
            let preset = presets::by_name(name).map_err(|error| error.to_string())?;
            return Ok(preset.clone());
        }
        let name = self.field.clone().unwrap_or_default();
        let field = FieldId::from_name(&name).map_err(|error| error.to_string())?;
        let (width, exponent) = (self.width.unwrap_or(3), self.exponent.unwrap_or(5));
        let (full, partial) = (
            self.full_rounds.unwrap_or(8),
            self.partial_rounds.unwrap_or(55),
        );
        if full == 0 || full % 2 == 1 {
            return Err(format!("{full} full rounds are no even number above 0"));
        }
        let ranges = Ranges {
            widths: width..=width,
            exponents: vec![exponent],
            orders: vec![RoundOrder::ConstantsFirst],
            full_rounds: full / 2..=full / 2,
            partial_rounds: partial..=partial,
            singular_minor: false,
        };
        if !(2..=acclmt_driver::program::MAX_ELEMENTS).contains(&width) {
            return Err(format!(
                "no state is {width} elements wide; 2 to 12 are possible"
            ));
        }
        let set = random::any_parameters(field, SEED, &ranges).ok_or_else(|| {
            format!("x^{exponent} is no permutation of {name}, or the round numbers are too large")
        })?;
        let digest = if field == FieldId::Goldilocks && width == 3 * GOLDILOCKS_DIGEST {
            GOLDILOCKS_DIGEST
        } else {
            1
        };
        let inputs = width - digest;
        dispatch!(&set, set => {
            let parameters = PoseidonParameters::new(PoseidonSpecification {
                name: format!("{name}, t = {width}, x^{exponent}, {full} + {partial} rounds"),
                input_positions: (width - inputs..width).collect(),
                digest_positions: (0..digest).collect(),
                ..set.specification().clone()
            });
            parameters.map(AnyParameters::from).map_err(|error| error.to_string())
        })
    }
}

/// What was measured at a point, or why nothing was.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Of the point.
    pub id: String,
    /// What measured it.
    pub backend: String,
    /// The point.
    #[serde(flatten)]
    pub point: Point,
    /// The result.
    #[serde(flatten)]
    pub result: Measured,
    /// The area of a hash engine.
    #[serde(flatten)]
    pub area: Area,
    /// Why there is no result.
    pub error: Option<String>,
}

/// Columns whose figures are above 0.
const POSITIVE: [&str; 7] = [
    "cycles_per_hash",
    "latency_cycles",
    "tree_leaves",
    "cycles",
    "cycles_per_leaf",
    "area_um2",
    "area_ge",
];

/// A row has a figure that nothing can measure.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("the point {id} has {column} = {value}, which cannot have been measured; measure it again")]
pub struct RowError {
    /// Of the point.
    pub id: String,
    /// The column.
    pub column: &'static str,
    /// Its figure.
    pub value: f64,
}

impl Row {
    /// The columns of every table of rows, in the order of the values in JSON.
    pub fn columns() -> impl Iterator<Item = &'static Column> {
        const fn text(name: &'static str, optional: bool) -> Column {
            Column {
                name,
                kind: Kind::Text,
                optional,
            }
        }
        const FIRST: &[Column] = &[text("id", false), text("backend", false)];
        const LAST: &[Column] = &[text("error", true)];
        [
            FIRST,
            Point::COLUMNS,
            Measured::COLUMNS,
            Area::COLUMNS,
            LAST,
        ]
        .into_iter()
        .flatten()
    }

    /// Checks that all figures are some that can be measured: none is negative or infinite, and cycles and
    /// areas are above 0.
    ///
    /// # Errors
    ///
    /// Names the first column that has another one, and its value.
    pub fn check(&self) -> Result<(), RowError> {
        for (column, cell) in Self::columns().zip(self.cells()) {
            let is_positive = POSITIVE.contains(&column.name);
            let value = match cell {
                Some(Cell::Float(value)) => value,
                Some(Cell::Integer(0)) if is_positive => 0.0,
                _ => continue,
            };
            if !value.is_finite() || value < 0.0 || (is_positive && value == 0.0) {
                return Err(RowError {
                    id: self.id.clone(),
                    column: column.name,
                    value,
                });
            }
        }
        Ok(())
    }

    /// The value of each column.
    pub fn cells(&self) -> Vec<Option<Cell>> {
        let mut cells = vec![self.id.cell(), self.backend.cell()];
        cells.extend(self.point.cells());
        cells.extend(self.result.cells());
        cells.extend(self.area.cells());
        cells.push(self.error.cell());
        cells
    }
}

record! {
    /// The result of a point; what does not apply is nothing.
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    pub struct Measured {
        /// Name of the parameter set.
        pub parameters: Option<String>,
        /// Children of a node.
        pub arity: Option<usize>,
        /// State width.
        pub state_width: Option<usize>,
        /// Cycles per hash that the busiest sub-engine allows.
        pub period: Option<u64>,
        /// Cycles per hash in the steady state (engine).
        pub cycles_per_hash: Option<f64>,
        /// Cycles of a single hash (engine).
        pub latency_cycles: Option<u64>,
        /// Leaves (tree).
        pub tree_leaves: Option<u64>,
        /// Cycles from the first word in to the last word out (tree).
        pub cycles: Option<u64>,
        /// Cycles per leaf (tree).
        pub cycles_per_leaf: Option<f64>,
        /// Share of the cycles in which the leaf hash engine is busy (tree).
        pub lhe_utilisation: Option<f64>,
        /// The same of the root hash engine (tree).
        pub rhe_utilisation: Option<f64>,
        /// Cycles in which an input word waited (tree).
        pub stall_in: Option<u64>,
        /// Cycles in which an input word was missing (tree).
        pub missing_in: Option<u64>,
        /// Cycles in which a leaf waited (tree).
        pub stall_leaf: Option<u64>,
        /// Cycles in which the root hash engine had nothing to do (tree).
        pub starved_root: Option<u64>,
        /// Most words in each node memory (tree), from the leaf hash buffer to the HIDM.
        pub high_water_0: Option<u64>,
        /// See `high_water_0`.
        pub high_water_1: Option<u64>,
        /// See `high_water_0`.
        pub high_water_2: Option<u64>,
        /// See `high_water_0`.
        pub high_water_3: Option<u64>,
        /// See `high_water_0`.
        pub high_water_4: Option<u64>,
    }
}

/// Measures a point on a device that is built like it.
///
/// # Errors
///
/// When nothing can be measured; the text says why.
pub fn measure(point: &Point, device: &mut dyn Device) -> Result<Measured, String> {
    let parameters = point.parameters()?;
    let plan = engine_plan(device, &parameters).map_err(|error| error.to_string())?;
    let common = Measured {
        parameters: Some(parameters.name().to_owned()),
        arity: Some(parameters.arity()),
        state_width: Some(parameters.width()),
        period: Some(plan.period),
        ..Measured::default()
    };
    match point.measure {
        Measure::Engine => engine_row(point, &parameters, common, device),
        Measure::Tree => tree_row(point, &parameters, common, device),
    }
}

fn engine_row(
    point: &Point,
    parameters: &AnyParameters,
    common: Measured,
    device: &mut dyn Device,
) -> Result<Measured, String> {
    let hashes = point.hashes.unwrap_or(HASHES);
    let engine = measure_engine(device, parameters, hashes, &mut NoProgress)
        .map_err(|error| error.to_string())?;
    Ok(Measured {
        cycles_per_hash: Some(engine.cycles_per_hash),
        latency_cycles: Some(engine.latency_cycles),
        ..common
    })
}

fn tree_row(
    point: &Point,
    parameters: &AnyParameters,
    common: Measured,
    device: &mut dyn Device,
) -> Result<Measured, String> {
    let memories = point.hardware().memories;
    let standard = standard_tree(parameters.arity(), &memories);
    let leaves = point.leaves.unwrap_or(standard);
    let kind: LeafKind = (point.leaf.parse()).map_err(|error: LeafKindError| error.to_string())?;
    let rule = kind.rule(parameters);
    let request = CommitRequest::new(parameters, rule, leaves);
    if point.row_group.is_some() && request.leaf_hashes() == 1 {
        return Err(format!(
            "row_group does not apply to leaves of one block, such as '{}' of '{}'; leave it out",
            point.leaf,
            parameters.name()
        ));
    }
    let (tree, counters) = measure_tree(device, &request, standard, &mut NoProgress)
        .map_err(|error| error.to_string())?;
    let high_water = |memory: usize| counters.high_water.get(memory).copied();
    Ok(Measured {
        tree_leaves: Some(leaves),
        cycles: Some(tree.cycles),
        cycles_per_leaf: Some(tree.cycles_per_leaf),
        lhe_utilisation: Some(tree.lhe_utilisation),
        rhe_utilisation: Some(tree.rhe_utilisation),
        stall_in: Some(counters.stall_in),
        missing_in: Some(counters.missing_in),
        stall_leaf: Some(counters.stall_leaf),
        starved_root: Some(counters.starved_root),
        high_water_0: high_water(0),
        high_water_1: high_water(1),
        high_water_2: high_water(2),
        high_water_3: high_water(3),
        high_water_4: high_water(4),
        ..common
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use acclmt_model::ModelDevice;

    #[test]
    fn every_combination_is_a_point() {
        let text = "measure = 'tree'\n[axes]\npreset = ['filecoin-arity-2', 'plonky2']\n\
                    num_partial = [1, 2, 3]\ninput_stall = [0.0, 0.5]";
        let points = Specification::from_toml(text).unwrap().points();
        assert_eq!(points.len(), 12);
        let mut ids: Vec<_> = points.iter().map(Point::id).collect();
        assert_eq!(points[0].input_stall, 0.0);
        assert_eq!((points[1].input_stall, points[1].num_partial), (0.5, 1));
        assert_eq!(points[11].preset.as_deref(), Some("plonky2"));
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), 12, "points have names of their own");
    }

    #[test]
    fn wrong_specifications_are_refused() {
        let error = |text: &str| Specification::from_toml(text).unwrap_err().to_string();
        assert!(error("measure = 'chip'").contains("unknown variant"));
        assert!(error("measure = 'tree'\nsize = 3").contains("unknown field"));
        let both = "measure = 'tree'\n[axes]\npreset = ['plonky2']\nwidth = [3]";
        assert!(error(both).contains("exclude each other"));
        let numbers: Vec<String> = (1..=1000).map(|number| number.to_string()).collect();
        let numbers = numbers.join(",");
        let many = format!(
            "measure = 'tree'\n[axes]\nleaves = [{numbers}]\npartial_rounds = [{numbers}]\n\
             leaf = ['row=1']\nrow_group = [{numbers}]"
        );
        assert!(error(&many).contains("1000000000 points"));
        for (text, part) in [
            (
                "measure = 'engine'\nhashes = 10000000000000",
                "hashes = 10000000000000: 1 to 65536",
            ),
            ("measure = 'engine'\nhashes = 0", "hashes = 0: 1 to 65536"),
            (
                "measure = 'tree'\nhashes = 64",
                "'hashes' does not apply to whole trees",
            ),
        ] {
            assert!(error(text).contains(part), "{}", error(text));
        }
        for (measure, axis, part) in [
            ("engine", "width = []", "an axis without values"),
            (
                "engine",
                "width = [13]",
                "'width' has the value 13: it is 2 to 12",
            ),
            (
                "engine",
                "width = [3, 5, 3]",
                "'width' has the value 3 twice",
            ),
            ("engine", "width = [-1]", "invalid value: integer `-1`"),
            (
                "tree",
                "arity = [1]",
                "'arity' has the value 1: it is 2 to 11",
            ),
            (
                "engine",
                "preset = ['filecoin-arity-99']",
                "'preset' has the value filecoin-arity-99",
            ),
            ("engine", "field = ['gf2']", "'field' has the value gf2"),
            ("engine", "exponent = [9]", "it is 3, 5 or 7"),
            (
                "engine",
                "full_rounds = [7]",
                "it is an even number from 2 to 1022",
            ),
            (
                "engine",
                "full_rounds = [0]",
                "it is an even number from 2 to 1022",
            ),
            ("engine", "partial_rounds = [1024]", "it is 0 to 1023"),
            (
                "engine",
                "num_partial = [7]",
                "'num_partial' has the value 7: it is 1 to 6",
            ),
            ("engine", "num_full = [0]", "it is 1 or 2"),
            (
                "engine",
                "matrix_depth = [100]",
                "it is a power of two from 32 to 256",
            ),
            (
                "engine",
                "constant_depth = [8]",
                "it is a power of two from 16 to 256",
            ),
            (
                "engine",
                "partial_depth = [512]",
                "it is a power of two from 4 to 256",
            ),
            (
                "engine",
                "leaves = [64]",
                "'leaves' does not apply to hash engines alone",
            ),
            ("engine", "leaf = ['hash']", "'leaf' does not apply"),
            (
                "engine",
                "hidm_words_1 = [16]",
                "'hidm_words_1' does not apply",
            ),
            ("tree", "leaves = [0]", "it is 1 to 4294967295"),
            ("tree", "leaves = [1099511627776]", "it is 1 to 4294967295"),
            (
                "tree",
                "leaf = ['twig']",
                "it is hash, element or row=C with C from 1 to 262144",
            ),
            ("tree", "leaf = ['row=0']", "it is hash, element or row=C"),
            (
                "tree",
                "leaf = ['row=1000000000000']",
                "it is hash, element or row=C",
            ),
            (
                "tree",
                "leaf = ['hash', 'row=9']\nrow_group = [2]",
                "'row_group' does not apply",
            ),
            (
                "tree",
                "leaf = ['row=9']\nrow_group = [0]",
                "it is 1 to 65536",
            ),
            (
                "tree",
                "scratch_words = [100]",
                "it is a power of two from 2 to 32768",
            ),
            (
                "tree",
                "input_stall = [nan]",
                "'input_stall' has the value NaN: it is a share",
            ),
            (
                "tree",
                "input_stall = [inf]",
                "'input_stall' has the value inf",
            ),
            (
                "tree",
                "input_stall = [-0.5]",
                "'input_stall' has the value -0.5",
            ),
            (
                "tree",
                "output_stall = [1.0]",
                "it is a share of the cycles, from 0 to 0.9999",
            ),
        ] {
            let found = error(&format!("measure = '{measure}'\n[axes]\n{axis}"));
            assert!(found.contains(part), "{axis}: {found}");
        }
        let long = format!(
            "measure = 'engine'\n[axes]\nfield = ['{}']",
            "x".repeat(1 << 20)
        );
        assert!(error(&long).len() < 300);
    }

    #[test]
    fn figures_that_nothing_measures_are_refused() {
        let text = "measure = 'tree'\n[axes]\npreset = ['plonky2']";
        let row = |cycles: Option<u64>, share: f64| Row {
            id: "7".to_owned(),
            backend: "model".to_owned(),
            point: Specification::from_toml(text).unwrap().points().remove(0),
            result: Measured {
                cycles,
                lhe_utilisation: Some(share),
                ..Measured::default()
            },
            area: Area::default(),
            error: None,
        };
        assert_eq!(row(Some(1), 0.0).check(), Ok(()));
        assert_eq!(row(None, 1.0).check(), Ok(()));
        let error = row(Some(0), 0.5).check().unwrap_err().to_string();
        assert!(error.contains("point 7 has cycles = 0"), "{error}");
        for share in [-0.5, f64::INFINITY, f64::NAN] {
            let error = row(Some(1), share).check().unwrap_err().to_string();
            assert!(error.contains("lhe_utilisation"), "{error}");
        }
    }

    #[test]
    fn the_arity_gives_the_width() {
        let text = "measure = 'tree'\n[axes]\nfield = ['bls12-381', 'goldilocks']\narity = [2, 8]";
        let points = Specification::from_toml(text).unwrap().points();
        assert_eq!(
            points
                .iter()
                .map(|point| point.width.unwrap())
                .collect::<Vec<_>>(),
            [3, 9, 12, 36]
        );
        let arities: Vec<_> = (points.iter())
            .map(|point| point.parameters().map(|parameters| parameters.arity()))
            .collect();
        assert_eq!(arities[..3], [Ok(2), Ok(8), Ok(2)]);
        assert!(
            arities[3]
                .as_ref()
                .unwrap_err()
                .contains("no state is 36 elements wide")
        );
    }

    #[test]
    fn every_value_of_a_row_has_its_column() {
        let text = "measure = 'tree'\n[axes]\ninput_rate = ['1/3']";
        for point in Specification::from_toml(text).unwrap().points() {
            let row = Row {
                id: point.id(),
                backend: "model".to_owned(),
                point,
                result: Measured::default(),
                area: Area::default(),
                error: None,
            };
            let json = serde_json::to_value(&row).unwrap();
            let names: Vec<_> = json
                .as_object()
                .unwrap()
                .keys()
                .map(String::as_str)
                .collect();
            assert_eq!(
                names,
                Row::columns().map(|column| column.name).collect::<Vec<_>>()
            );
            assert_eq!(row.cells().len(), names.len());
            assert_eq!(serde_json::from_value::<Row>(json).unwrap(), row);
        }
    }

    #[test]
    fn points_are_measured() {
        let text = "measure = 'engine'\nhashes = 1024\n[axes]\nwidth = [3, 12]\nnum_partial = [3, 6]\n\
                    field = ['bls12-381', 'goldilocks']\nexponent = [5, 7]";
        let mut rows = 0;
        for point in Specification::from_toml(text).unwrap().points() {
            let device = ModelDevice::new(point.hardware()).unwrap();
            match measure(&point, &mut device.with_results(false)) {
                Ok(measured) => {
                    let (steady, period) = (measured.cycles_per_hash, measured.period);
                    let share = steady.unwrap() / period.unwrap() as f64;
                    assert!((0.8..1.3).contains(&share), "{point:?}: {measured:?}");
                    rows += 1;
                }
                Err(error) => assert!(error.contains("no permutation"), "{error}"),
            }
        }
        // x^5 is no permutation of the Goldilocks field.
        assert_eq!(rows, 12);
    }
}

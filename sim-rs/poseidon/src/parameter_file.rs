//! Parameter sets from TOML and JSON files.
//!
//! A file has these keys; `docs` of [`ParameterFile`] and its parts say what each may be:
//!
//! ```toml
//! name = "my-hash"
//! field = "bls12-381"
//! width = 3
//! alpha = 5
//! full_rounds_first = 4
//! partial_rounds = 57
//! full_rounds_last = 4
//! round_order = "constants-sbox-matrix"  # or "sbox-matrix-constants"
//! partial_index = 0
//! initial_state = [3, 0, "0x0"]
//! input_positions = [1, 2]
//! digest_positions = [1]
//!
//! [constants]
//! method = "grain"
//! sbox = 0
//!
//! [matrix]
//! method = "grain-cauchy"
//! ```

use std::path::{Path, PathBuf};
use std::{fmt, io};

use ark_ff::PrimeField;
use num_bigint::{BigInt, BigUint, Sign};
use serde::Deserialize;
use serde::de::{Deserializer, Visitor};

use crate::bounds::{check_rounds, check_width};
use crate::fields::{AnyParameters, FieldId, PoseidonField};
use crate::generate;
use crate::grain::GrainLfsr;
use crate::params::{
    Compression, InverseRounds, MAX_ROUNDS, ParameterError, PoseidonParameters,
    PoseidonSpecification, RoundOrder,
};
use crate::poseidon2;
use crate::sponge::{Absorption, Capacity, Padding, Sponge};
use crate::{text, with_field, word};

/// Most bytes of a parameter file: several times the constants of as many rounds as there can be.
pub const MAX_FILE_BYTES: u64 = 16 << 20;

/// Most characters of the name of a set.
const MAX_NAME_LENGTH: usize = 200;

/// Why a file gives no parameter set.
#[derive(Debug, thiserror::Error)]
pub enum ParameterFileError {
    /// The file could not be read.
    #[error("cannot read {path}: {source}")]
    Read {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// The name of the file does not tell its format.
    #[error("{path} is neither a TOML nor a JSON file; name it .toml or .json")]
    Format {
        /// The file.
        path: PathBuf,
    },
    /// The file is too long to be one.
    #[error(
        "{path} is longer than {MAX_FILE_BYTES} bytes, the most that a parameter file can have"
    )]
    TooLong {
        /// The file.
        path: PathBuf,
    },
    /// The text does not follow the format.
    #[error("the parameter file does not follow the format: {0}")]
    Malformed(String),
    /// A value is wrong.
    #[error("{place} of the parameter file: {problem}")]
    Value {
        /// The key, and the index in it.
        place: String,
        /// What is wrong.
        problem: String,
    },
    /// The values do not go together.
    #[error(transparent)]
    Parameters(#[from] ParameterError),
    /// One of these in the file at a path.
    #[error("{path}: {error}")]
    In {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        error: Box<ParameterFileError>,
    },
}

pub(crate) fn value_error(
    place: impl Into<String>,
    problem: impl Into<String>,
) -> ParameterFileError {
    ParameterFileError::Value {
        place: place.into(),
        problem: problem.into(),
    }
}

/// What a parser says, where it says it, and with which key.
fn malformed(key: &str, line: Option<usize>, message: &str) -> ParameterFileError {
    let mut place = match line {
        Some(line) => format!("line {line}"),
        None => String::new(),
    };
    // serde_path_to_error calls the whole file a dot.
    if key != "." {
        let key = text::shortened(key);
        place = if place.is_empty() {
            key
        } else {
            format!("{key} ({place})")
        };
    }
    let message = text::message(&message.trim_end().replace('\n', " "));
    let separator = if place.is_empty() { "" } else { ": " };
    ParameterFileError::Malformed(format!("{place}{separator}{message}"))
}

/// A field element: an integer, or a text with a decimal or hexadecimal (`0x`) one. A negative
/// integer counts from the prime; the magnitude is below the prime.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ElementRecord {
    /// An integer of 64 bits.
    Integer(i64),
    /// An integer of 64 bits without a sign.
    Unsigned(u64),
    /// An integer of any size.
    Text(String),
}

impl<'de> Deserialize<'de> for ElementRecord {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ElementVisitor)
    }
}

struct ElementVisitor;

impl Visitor<'_> for ElementVisitor {
    type Value = ElementRecord;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(
            "a field element: an integer of 64 bits, or a text with a decimal or hexadecimal (0x) \
             integer",
        )
    }

    fn visit_i64<E>(self, value: i64) -> Result<ElementRecord, E> {
        Ok(ElementRecord::Integer(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<ElementRecord, E> {
        Ok(ElementRecord::Unsigned(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<ElementRecord, E> {
        Ok(ElementRecord::Text(value.to_owned()))
    }
}

impl ElementRecord {
    fn element<F: PrimeField>(&self, place: impl Fn() -> String) -> Result<F, ParameterFileError> {
        let integer = match self {
            Self::Integer(value) => BigInt::from(*value),
            Self::Unsigned(value) => BigInt::from(*value),
            Self::Text(text) => {
                let (sign, digits) = match text.strip_prefix('-') {
                    Some(digits) => (Sign::Minus, digits),
                    None => (Sign::Plus, text.as_str()),
                };
                let magnitude = word::read_number(digits).ok_or_else(|| {
                    let problem = format!(
                        "'{}' is no field element; write an integer, or a text with a decimal or \
                         hexadecimal (0x) integer",
                        text::shortened(text)
                    );
                    value_error(place(), problem)
                })?;
                BigInt::from_biguint(sign, magnitude)
            }
        };
        let magnitude = integer.magnitude();
        let prime = BigUint::from_bytes_le(&word::prime::<F>());
        if *magnitude >= prime {
            return Err(value_error(
                place(),
                format!("{integer} is not below the prime of the field, {prime:#x}"),
            ));
        }
        let element = F::from_le_bytes_mod_order(&magnitude.to_bytes_le());
        Ok(if integer.sign() == Sign::Minus {
            -element
        } else {
            element
        })
    }
}

fn elements<F: PrimeField>(
    records: &[ElementRecord],
    place: &str,
) -> Result<Vec<F>, ParameterFileError> {
    (records.iter().enumerate())
        .map(|(index, record)| record.element(|| format!("{place}[{index}]")))
        .collect()
}

fn rows<F: PrimeField>(
    records: &[Vec<ElementRecord>],
    place: &str,
) -> Result<Vec<Vec<F>>, ParameterFileError> {
    (records.iter().enumerate())
        .map(|(index, row)| elements(row, &format!("{place}[{index}]")))
        .collect()
}

/// Refuses keys that are `present` but not among those of a method.
fn check_keys(method: &str, keys: &[&str], present: &[(&str, bool)]) -> Result<(), String> {
    let wrong = (present.iter()).find(|(key, is_present)| *is_present && !keys.contains(key));
    match wrong {
        None => Ok(()),
        Some((key, _)) => {
            let keys = match keys {
                [] => "no other key".to_owned(),
                [key] => (*key).to_owned(),
                [keys @ .., last] => format!("{} and {last}", keys.join(", ")),
            };
            Err(format!("'{method}' goes with {keys}, not with {key}"))
        }
    }
}

/// The value of a key that a method needs.
fn needed<T>(method: &str, key: &str, value: Option<T>) -> Result<T, String> {
    value.ok_or_else(|| format!("'{method}' needs {key}, which is missing"))
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum ConstantsMethod {
    Given,
    Grain,
    Sha256,
    Chacha8,
    DuskSha512,
    Zero,
}

/// The table `constants` with the keys of all methods. An enumeration with fields would do, but the place of
/// an error in it would be lost.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ConstantsTable {
    method: ConstantsMethod,
    values: Option<Vec<Vec<ElementRecord>>>,
    sbox: Option<u8>,
    bits: Option<u32>,
    single_in_partial_rounds: Option<bool>,
    prefix: Option<String>,
    seed: Option<u64>,
}

impl TryFrom<ConstantsTable> for ConstantsRecord {
    type Error = String;

    fn try_from(table: ConstantsTable) -> Result<Self, String> {
        let (name, keys): (&str, &[&str]) = match table.method {
            ConstantsMethod::Given => ("given", &["values"]),
            ConstantsMethod::Grain => ("grain", &["sbox", "bits", "single_in_partial_rounds"]),
            ConstantsMethod::Sha256 => ("sha256", &["prefix"]),
            ConstantsMethod::Chacha8 => ("chacha8", &["seed"]),
            ConstantsMethod::DuskSha512 => ("dusk-sha512", &[]),
            ConstantsMethod::Zero => ("zero", &[]),
        };
        let present = [
            ("values", table.values.is_some()),
            ("sbox", table.sbox.is_some()),
            ("bits", table.bits.is_some()),
            (
                "single_in_partial_rounds",
                table.single_in_partial_rounds.is_some(),
            ),
            ("prefix", table.prefix.is_some()),
            ("seed", table.seed.is_some()),
        ];
        check_keys(name, keys, &present)?;
        Ok(match table.method {
            ConstantsMethod::Given => Self::Given {
                values: needed(name, "values", table.values)?,
            },
            ConstantsMethod::Grain => Self::Grain {
                sbox: needed(name, "sbox", table.sbox)?,
                bits: table.bits,
                single_in_partial_rounds: table.single_in_partial_rounds.unwrap_or_default(),
            },
            ConstantsMethod::Sha256 => Self::Sha256 {
                prefix: needed(name, "prefix", table.prefix)?,
            },
            ConstantsMethod::Chacha8 => Self::Chacha8 {
                seed: needed(name, "seed", table.seed)?,
            },
            ConstantsMethod::DuskSha512 => Self::DuskSha512 {},
            ConstantsMethod::Zero => Self::Zero {},
        })
    }
}

/// Where round constants come from.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(try_from = "ConstantsTable")]
pub enum ConstantsRecord {
    /// They are in the file: one list for each round.
    Given {
        /// `values[r][i]` is added to element i in round r.
        values: Vec<Vec<ElementRecord>>,
    },
    /// From the Grain LFSR of the reference script.
    Grain {
        /// The S-box field of the header: 0 in the reference script, 1 in neptune.
        sbox: u8,
        /// The field for the number of bits; that of the prime where it is left out.
        bits: Option<u32>,
        /// Whether a partial round has a constant for the element with the S-box only, as in Poseidon2; no where it
        /// is left out.
        single_in_partial_rounds: bool,
    },
    /// SHA-256 of a text and a number, as Starknet has it with `Hades`.
    Sha256 {
        /// The text.
        prefix: String,
    },
    /// The ChaCha8 generator of the Rust crate rand, version 0.8, as Plonky2 has it with 0. For
    /// Goldilocks only.
    Chacha8 {
        /// The seed.
        seed: u64,
    },
    /// The chain of SHA-512 that dusk has.
    DuskSha512 {},
    /// All zero.
    Zero {},
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum MatrixMethod {
    Given,
    Cauchy,
    GrainCauchy,
    GivenCauchy,
    Circulant,
    #[serde(rename = "poseidon2-external")]
    Poseidon2External,
    #[serde(rename = "poseidon2-internal")]
    Poseidon2Internal,
}

/// The table `matrix` with the keys of all methods.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MatrixTable {
    method: MatrixMethod,
    rows: Option<Vec<Vec<ElementRecord>>>,
    scale: Option<ElementRecord>,
    x: Option<Vec<ElementRecord>>,
    y: Option<Vec<ElementRecord>>,
    row: Option<Vec<ElementRecord>>,
    diagonal: Option<Vec<ElementRecord>>,
    block: Option<Vec<Vec<ElementRecord>>>,
}

impl TryFrom<MatrixTable> for MatrixRecord {
    type Error = String;

    fn try_from(table: MatrixTable) -> Result<Self, String> {
        let (name, keys): (&str, &[&str]) = match table.method {
            MatrixMethod::Given => ("given", &["rows"]),
            MatrixMethod::Cauchy => ("cauchy", &["scale"]),
            MatrixMethod::GrainCauchy => ("grain-cauchy", &[]),
            MatrixMethod::GivenCauchy => ("given-cauchy", &["x", "y"]),
            MatrixMethod::Circulant => ("circulant", &["row", "diagonal"]),
            MatrixMethod::Poseidon2External => ("poseidon2-external", &["block"]),
            MatrixMethod::Poseidon2Internal => ("poseidon2-internal", &["diagonal"]),
        };
        let present = [
            ("rows", table.rows.is_some()),
            ("scale", table.scale.is_some()),
            ("x", table.x.is_some()),
            ("y", table.y.is_some()),
            ("row", table.row.is_some()),
            ("diagonal", table.diagonal.is_some()),
            ("block", table.block.is_some()),
        ];
        check_keys(name, keys, &present)?;
        Ok(match table.method {
            MatrixMethod::Given => Self::Given {
                rows: needed(name, "rows", table.rows)?,
            },
            MatrixMethod::Cauchy => Self::Cauchy { scale: table.scale },
            MatrixMethod::GrainCauchy => Self::GrainCauchy {},
            MatrixMethod::GivenCauchy => Self::GivenCauchy {
                x: needed(name, "x", table.x)?,
                y: needed(name, "y", table.y)?,
            },
            MatrixMethod::Circulant => Self::Circulant {
                row: needed(name, "row", table.row)?,
                diagonal: table.diagonal,
            },
            MatrixMethod::Poseidon2External => Self::Poseidon2External { block: table.block },
            MatrixMethod::Poseidon2Internal => Self::Poseidon2Internal {
                diagonal: needed(name, "diagonal", table.diagonal)?,
            },
        })
    }
}

/// Where a matrix comes from.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(try_from = "MatrixTable")]
pub enum MatrixRecord {
    /// It is in the file.
    Given {
        /// Row by row.
        rows: Vec<Vec<ElementRecord>>,
    },
    /// `m[i][j] = scale / (i + j + width)`: neptune.
    Cauchy {
        /// Factor of every entry, 1 where it is left out.
        scale: Option<ElementRecord>,
    },
    /// `m[i][j] = 1 / (x[i] + y[j])`, with x and y drawn from the Grain LFSR after the round
    /// constants, which must come from there.
    GrainCauchy {},
    /// `m[i][j] = 1 / (x[i] + y[j])`.
    GivenCauchy {
        /// One value for each row.
        x: Vec<ElementRecord>,
        /// One value for each column.
        y: Vec<ElementRecord>,
    },
    /// `m[i][j] = row[(j - i) mod width]`, plus `diagonal[i]` where `i == j`: Plonky2.
    Circulant {
        /// The first row.
        row: Vec<ElementRecord>,
        /// Zero where it is left out.
        diagonal: Option<Vec<ElementRecord>>,
    },
    /// Poseidon2's matrix of full rounds: for widths that are a multiple of four blocks of four, those of the diagonal
    /// twice as much as the others; a single block as it is. For widths of two and three all ones, those of the
    /// diagonal two.
    Poseidon2External {
        /// The block, for those widths that have it.
        block: Option<Vec<Vec<ElementRecord>>>,
    },
    /// Poseidon2's matrix of partial rounds: all ones, plus `diagonal[i]` where `i == j`.
    Poseidon2Internal {
        /// The entries of the diagonal less one.
        diagonal: Vec<ElementRecord>,
    },
}

/// The order of the steps of a round.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum RoundOrderRecord {
    /// [`RoundOrder::ConstantsFirst`]
    #[default]
    ConstantsSboxMatrix,
    /// [`RoundOrder::SboxFirst`]
    SboxMatrixConstants,
}

/// [`InverseRounds`]
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum InverseRoundsRecord {
    /// [`InverseRounds::None`]
    #[default]
    None,
    /// [`InverseRounds::EverySecond`]
    EverySecond,
    /// [`InverseRounds::EverySecondWithoutLastMatrix`]
    EverySecondWithoutLastMatrix,
}

/// [`Compression`]
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum CompressionRecord {
    /// [`Compression::None`]
    #[default]
    None,
    /// [`Compression::FeedForward`]
    FeedForward,
    /// [`Compression::Jive`]
    Jive,
}

impl From<CompressionRecord> for Compression {
    fn from(record: CompressionRecord) -> Self {
        match record {
            CompressionRecord::None => Self::None,
            CompressionRecord::FeedForward => Self::FeedForward,
            CompressionRecord::Jive => Self::Jive,
        }
    }
}

impl From<InverseRoundsRecord> for InverseRounds {
    fn from(record: InverseRoundsRecord) -> Self {
        match record {
            InverseRoundsRecord::None => Self::None,
            InverseRoundsRecord::EverySecond => Self::EverySecond,
            InverseRoundsRecord::EverySecondWithoutLastMatrix => Self::EverySecondWithoutLastMatrix,
        }
    }
}

/// [`Absorption`]
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum AbsorptionRecord {
    /// [`Absorption::Add`]
    #[default]
    Add,
    /// [`Absorption::Overwrite`]
    Overwrite,
    /// [`Absorption::OverwriteChained`]
    OverwriteChained,
    /// [`Absorption::AddClosed`]
    AddClosed,
}

/// [`Padding`]
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum PaddingRecord {
    /// [`Padding::None`]
    #[default]
    None,
    /// [`Padding::Zeros`]
    Zeros,
    /// [`Padding::One`]
    One,
    /// [`Padding::OneZerosOne`]
    OneZerosOne,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum CapacityKind {
    Zero,
    InitialState,
    Length,
    LengthModuloRate,
    Safe,
    ShortBlock,
    WholeLength,
}

/// The table `sponge.capacity` with the keys of all kinds.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CapacityTable {
    kind: CapacityKind,
    position: Option<usize>,
    domain: Option<u64>,
    domain_position: Option<usize>,
}

impl TryFrom<CapacityTable> for CapacityRecord {
    type Error = String;

    fn try_from(table: CapacityTable) -> Result<Self, String> {
        let (name, keys): (&str, &[&str]) = match table.kind {
            CapacityKind::Zero => ("zero", &[]),
            CapacityKind::InitialState => ("initial-state", &[]),
            CapacityKind::Length => ("length", &["position"]),
            CapacityKind::LengthModuloRate => (
                "length-modulo-rate",
                &["position", "domain", "domain_position"],
            ),
            CapacityKind::Safe => ("safe", &["position", "domain"]),
            CapacityKind::ShortBlock => ("short-block", &["position"]),
            CapacityKind::WholeLength => ("whole-length", &["position"]),
        };
        let present = [
            ("position", table.position.is_some()),
            ("domain", table.domain.is_some()),
            ("domain_position", table.domain_position.is_some()),
        ];
        check_keys(name, keys, &present)?;
        Ok(match table.kind {
            CapacityKind::Zero => Self::Zero {},
            CapacityKind::InitialState => Self::InitialState {},
            CapacityKind::Length => Self::Length {
                position: needed(name, "position", table.position)?,
            },
            CapacityKind::LengthModuloRate => Self::LengthModuloRate {
                position: needed(name, "position", table.position)?,
                domain_position: needed(name, "domain_position", table.domain_position)?,
                domain: table.domain.unwrap_or_default(),
            },
            CapacityKind::Safe => Self::Safe {
                position: needed(name, "position", table.position)?,
                domain: needed(name, "domain", table.domain)?,
            },
            CapacityKind::ShortBlock => Self::ShortBlock {
                position: needed(name, "position", table.position)?,
            },
            CapacityKind::WholeLength => Self::WholeLength {
                position: needed(name, "position", table.position)?,
            },
        })
    }
}

/// [`Capacity`]
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(try_from = "CapacityTable")]
pub enum CapacityRecord {
    /// [`Capacity::Zero`]
    Zero {},
    /// [`Capacity::InitialState`]
    InitialState {},
    /// [`Capacity::Length`]
    Length {
        /// The element.
        position: usize,
    },
    /// [`Capacity::Safe`]
    Safe {
        /// The element.
        position: usize,
        /// The domain separator.
        domain: u64,
    },
    /// [`Capacity::ShortBlock`]
    ShortBlock {
        /// The element.
        position: usize,
    },
    /// [`Capacity::WholeLength`]
    WholeLength {
        /// The element.
        position: usize,
    },
    /// [`Capacity::LengthModuloRate`]
    LengthModuloRate {
        /// The element with the length.
        position: usize,
        /// The element with the domain.
        domain_position: usize,
        /// The domain; 0 where it is left out.
        domain: u64,
    },
}

impl Default for CapacityRecord {
    fn default() -> Self {
        Self::Zero {}
    }
}

/// [`Sponge`]
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct SpongeRecord {
    /// The state elements that a block goes into, in order.
    pub rate_positions: Vec<usize>,
    /// How it goes there; added where it is left out.
    #[serde(default)]
    pub absorption: AbsorptionRecord,
    /// What is appended to a message; nothing where it is left out.
    #[serde(default)]
    pub padding: PaddingRecord,
    /// The initial state; zero where it is left out.
    #[serde(default)]
    pub capacity: CapacityRecord,
    /// Whether the state is permuted once where there is not a single block; it is where this is left
    /// out.
    #[serde(default = "yes")]
    pub permute_empty: bool,
    /// Whether a row that is a leaf and has no more elements than a digest is not hashed; it is where
    /// this is left out.
    #[serde(default)]
    pub short_rows_are_digests: bool,
}

fn yes() -> bool {
    true
}

impl SpongeRecord {
    fn sponge(&self) -> Sponge {
        Sponge {
            rate_positions: self.rate_positions.clone(),
            absorption: match self.absorption {
                AbsorptionRecord::Add => Absorption::Add,
                AbsorptionRecord::Overwrite => Absorption::Overwrite,
                AbsorptionRecord::OverwriteChained => Absorption::OverwriteChained,
                AbsorptionRecord::AddClosed => Absorption::AddClosed,
            },
            padding: match self.padding {
                PaddingRecord::None => Padding::None,
                PaddingRecord::Zeros => Padding::Zeros,
                PaddingRecord::One => Padding::One,
                PaddingRecord::OneZerosOne => Padding::OneZerosOne,
            },
            capacity: match self.capacity {
                CapacityRecord::Zero {} => Capacity::Zero,
                CapacityRecord::InitialState {} => Capacity::InitialState,
                CapacityRecord::Length { position } => Capacity::Length { position },
                CapacityRecord::Safe { position, domain } => Capacity::Safe { position, domain },
                CapacityRecord::ShortBlock { position } => Capacity::ShortBlock { position },
                CapacityRecord::WholeLength { position } => Capacity::WholeLength { position },
                CapacityRecord::LengthModuloRate {
                    position,
                    domain_position,
                    domain,
                } => Capacity::LengthModuloRate {
                    position,
                    domain_position,
                    domain,
                },
            },
            permute_empty: self.permute_empty,
            short_rows_are_digests: self.short_rows_are_digests,
        }
    }
}

/// The content of a parameter file.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct ParameterFile {
    /// Name of the set; that of a preset only with the values of the preset.
    pub name: String,
    /// What it is, in a few words.
    pub description: Option<String>,
    /// Where its rules and values are from.
    pub source: Option<String>,
    /// Name of the field, see [`FieldId::name`].
    pub field: String,
    /// State width.
    pub width: usize,
    /// Exponent of the S-box.
    pub alpha: u64,
    /// Full rounds before the partial rounds.
    pub full_rounds_first: usize,
    /// Partial rounds.
    pub partial_rounds: usize,
    /// Full rounds after the partial rounds.
    pub full_rounds_last: usize,
    /// The order of the steps of a round; that of the Poseidon paper where it is left out.
    #[serde(default)]
    pub round_order: RoundOrderRecord,
    /// The element with the S-box in partial rounds; 0 where it is left out.
    #[serde(default)]
    pub partial_index: usize,
    /// The state before the inputs are added; zero where it is left out.
    pub initial_state: Option<Vec<ElementRecord>>,
    /// The state element that each input is added to.
    pub input_positions: Vec<usize>,
    /// The state elements that are the digest.
    pub digest_positions: Vec<usize>,
    /// The round constants.
    pub constants: ConstantsRecord,
    /// The matrix.
    pub matrix: MatrixRecord,
    /// The matrix of partial rounds, where it is another one: Poseidon2.
    pub partial_matrix: Option<MatrixRecord>,
    /// Whether the state is multiplied by the matrix before the first round, as in Poseidon2; no where it is left out.
    #[serde(default)]
    pub first_layer: bool,
    /// Which rounds have the inverse S-box; none where it is left out.
    #[serde(default)]
    pub inverse_rounds: InverseRoundsRecord,
    /// What of the state before the permutation is in the digest; nothing where it is left out.
    #[serde(default)]
    pub compression: CompressionRecord,
    /// How messages of other lengths are hashed, where that is defined.
    pub sponge: Option<SpongeRecord>,
}

impl ParameterFile {
    /// Reads the file at `path`, whose name ends in `.toml` or `.json`.
    ///
    /// # Errors
    ///
    /// When it cannot be read, or does not follow the format.
    pub fn load(path: &Path) -> Result<Self, ParameterFileError> {
        let parse = match path.extension().and_then(|extension| extension.to_str()) {
            Some("toml") => Self::from_toml,
            Some("json") => Self::from_json,
            _ => {
                return Err(ParameterFileError::Format {
                    path: path.to_owned(),
                });
            }
        };
        let text =
            text::read_file(path, MAX_FILE_BYTES).map_err(|source| ParameterFileError::Read {
                path: path.to_owned(),
                source,
            })?;
        parse(&text)
    }

    /// Reads a text in TOML.
    ///
    /// # Errors
    ///
    /// When it does not follow the format.
    pub fn from_toml(text: &str) -> Result<Self, ParameterFileError> {
        let failed = |key: &str, error: &toml::de::Error| {
            let line = (error.span()).and_then(|span| Some(line_of(text.get(..span.start)?)));
            malformed(key, line, error.message())
        };
        let deserializer = toml::Deserializer::parse(text).map_err(|error| failed(".", &error))?;
        serde_path_to_error::deserialize(deserializer)
            .map_err(|error| failed(&error.path().to_string(), error.inner()))
    }

    /// Reads a text in JSON.
    ///
    /// # Errors
    ///
    /// When it does not follow the format.
    pub fn from_json(text: &str) -> Result<Self, ParameterFileError> {
        let mut deserializer = serde_json::Deserializer::from_str(text);
        let file = serde_path_to_error::deserialize(&mut deserializer)
            .map_err(|error| malformed_json(&error.path().to_string(), error.inner()))?;
        (deserializer.end()).map_err(|error| malformed_json(".", &error))?;
        Ok(file)
    }

    /// The parameter set, whatever its name.
    pub(crate) fn generate(&self) -> Result<AnyParameters, ParameterFileError> {
        if self.name.is_empty() || self.name.chars().count() > MAX_NAME_LENGTH {
            let problem = format!(
                "a name has 1 to {MAX_NAME_LENGTH} characters, not {}",
                self.name.chars().count()
            );
            return Err(value_error("name", problem));
        }
        if self.name.chars().any(char::is_control) {
            let problem = format!("{:?} has a control character", self.name);
            return Err(value_error("name", problem));
        }
        let field = FieldId::from_name(&self.field)
            .map_err(|error| value_error("field", error.to_string()))?;
        with_field!(field, F => Ok(F::wrap(self.over::<F>()?)))
    }

    fn over<F: PoseidonField>(&self) -> Result<PoseidonParameters<F>, ParameterFileError> {
        let width = self.width;
        // The generators need these to be in range.
        check_width(width, F::MODULUS_BIT_SIZE)
            .and_then(|()| {
                check_rounds(
                    self.full_rounds_first,
                    self.partial_rounds,
                    self.full_rounds_last,
                )
            })
            .map_err(|problem| ParameterError::new(&self.name, problem))?;
        let (round_constants, grain) = self.constants::<F>()?;
        let partial_matrix = match &self.partial_matrix {
            Some(record) => Some(self.matrix(record, "partial_matrix", grain.clone())?),
            None => None,
        };
        Ok(PoseidonParameters::new(PoseidonSpecification {
            name: self.name.clone(),
            field_name: F::ID.name().to_owned(),
            alpha: self.alpha,
            full_rounds_first: self.full_rounds_first,
            partial_rounds: self.partial_rounds,
            full_rounds_last: self.full_rounds_last,
            round_order: match self.round_order {
                RoundOrderRecord::ConstantsSboxMatrix => RoundOrder::ConstantsFirst,
                RoundOrderRecord::SboxMatrixConstants => RoundOrder::SboxFirst,
            },
            partial_index: self.partial_index,
            round_constants,
            mds: self.matrix(&self.matrix, "matrix", grain)?,
            partial_matrix,
            first_layer: self.first_layer,
            inverse_rounds: self.inverse_rounds.into(),
            compression: self.compression.into(),
            initial_state: match &self.initial_state {
                Some(values) => elements(values, "initial_state")?,
                None => vec![F::ZERO; width],
            },
            input_positions: self.input_positions.clone(),
            digest_positions: self.digest_positions.clone(),
            sponge: self.sponge.as_ref().map(SpongeRecord::sponge),
        })?)
    }

    /// The round constants, and the Grain LFSR after them if they come from it.
    fn constants<F: PoseidonField>(
        &self,
    ) -> Result<(Vec<Vec<F>>, Option<GrainLfsr>), ParameterFileError> {
        let width = self.width;
        let full_rounds = self.full_rounds_first + self.full_rounds_last;
        let rounds = full_rounds + self.partial_rounds;
        let constants = match &self.constants {
            ConstantsRecord::Given { values } => rows(values, "constants.values")?,
            ConstantsRecord::Grain {
                sbox,
                bits,
                single_in_partial_rounds,
            } => {
                if *sbox > 15 {
                    let problem = format!("{sbox} is more than the 4 bits of the header hold");
                    return Err(value_error("constants.sbox", problem));
                }
                let most = 64 * F::MODULUS.as_ref().len() as u32;
                let bits = bits.unwrap_or(F::MODULUS_BIT_SIZE);
                if !(F::MODULUS_BIT_SIZE..=most).contains(&bits) {
                    return Err(value_error(
                        "constants.bits",
                        format!(
                            "{bits} bits, expected {} (those of the prime) to {most}",
                            F::MODULUS_BIT_SIZE
                        ),
                    ));
                }
                const { assert!(MAX_ROUNDS < 1 << 10) };
                let mut grain =
                    GrainLfsr::new(*sbox, bits, width, full_rounds, self.partial_rounds);
                let partial = self.full_rounds_first..self.full_rounds_first + self.partial_rounds;
                let mut constants = vec![vec![F::ZERO; width]; rounds];
                for (round, vector) in constants.iter_mut().enumerate() {
                    if *single_in_partial_rounds && partial.contains(&round) {
                        let element = vector.get_mut(self.partial_index).ok_or_else(|| {
                            let problem = format!("expected less than {width}, the width");
                            value_error("partial_index", problem)
                        })?;
                        *element = grain.next_field();
                    } else {
                        vector.fill_with(|| grain.next_field());
                    }
                }
                return Ok((constants, Some(grain)));
            }
            ConstantsRecord::Sha256 { prefix } => generate::sha256_constants(prefix, rounds, width),
            ConstantsRecord::Chacha8 { seed } => {
                if F::ID != FieldId::Goldilocks {
                    return Err(value_error(
                        "constants.method",
                        format!("chacha8 draws elements of 64 bits, not of {}", F::ID),
                    ));
                }
                generate::chacha8_constants(*seed, rounds, width)
            }
            ConstantsRecord::DuskSha512 {} => generate::dusk_constants(rounds, width),
            ConstantsRecord::Zero {} => vec![vec![F::ZERO; width]; rounds],
        };
        Ok((constants, None))
    }

    /// The matrix of `record`, which stands at `place`.
    fn matrix<F: PrimeField>(
        &self,
        record: &MatrixRecord,
        place: &str,
        grain: Option<GrainLfsr>,
    ) -> Result<Vec<Vec<F>>, ParameterFileError> {
        let width = self.width;
        let of_width = |records: &[ElementRecord], key: &str| {
            let place = format!("{place}.{key}");
            if records.len() == width {
                return elements::<F>(records, &place);
            }
            let problem = format!("{} values, expected {width}, the width", records.len());
            Err(value_error(place, problem))
        };
        let square = |given: &[Vec<ElementRecord>], key: &str, size: usize, what: &str| {
            let place = format!("{place}.{key}");
            if given.len() != size {
                let problem = format!("{} rows, expected {size}, {what}", given.len());
                return Err(value_error(place, problem));
            }
            rows::<F>(given, &place)
        };
        let no_matrix = |problem: String| ParameterError::new(&self.name, problem);
        Ok(match record {
            MatrixRecord::Given { rows: given } => square(given, "rows", width, "the width")?,
            MatrixRecord::Cauchy { scale } => {
                let scale = match scale {
                    Some(scale) => scale.element(|| format!("{place}.scale"))?,
                    None => F::ONE,
                };
                let matrix = generate::counting_cauchy_matrix::<F>(width).map_err(no_matrix)?;
                (matrix.into_iter())
                    .map(|row| row.into_iter().map(|entry| entry * scale).collect())
                    .collect()
            }
            MatrixRecord::GrainCauchy {} => {
                let mut grain = grain.ok_or_else(|| {
                    let problem = "grain-cauchy goes on where the round constants end, so they must \
                                   have the method grain";
                    value_error(format!("{place}.method"), problem)
                })?;
                generate::grain_cauchy_matrix(&mut grain, width).map_err(no_matrix)?
            }
            MatrixRecord::GivenCauchy { x, y } => {
                let (x, y) = (of_width(x, "x")?, of_width(y, "y")?);
                generate::cauchy_matrix(&x, &y).map_err(no_matrix)?
            }
            MatrixRecord::Circulant { row, diagonal } => {
                let row = of_width(row, "row")?;
                let diagonal = match diagonal {
                    Some(diagonal) => of_width(diagonal, "diagonal")?,
                    None => vec![F::ZERO; width],
                };
                generate::circulant_matrix(&row, &diagonal)
            }
            MatrixRecord::Poseidon2External { block } => {
                const SIZE: usize = poseidon2::EXTERNAL_BLOCK;
                let wrong = |problem: &str| value_error(format!("{place}.block"), problem);
                let block = match block {
                    None => None,
                    Some(_) if !width.is_multiple_of(SIZE) => {
                        return Err(wrong("goes with widths that are a multiple of 4 only"));
                    }
                    Some(rows) => {
                        let block = square(rows, "block", SIZE, "the size of a block")?;
                        if block.iter().any(|row| row.len() != SIZE) {
                            return Err(wrong("every row has 4 entries"));
                        }
                        Some(block)
                    }
                };
                poseidon2::external_matrix(width, block.as_deref())
                    .map_err(|problem| wrong(&problem))?
            }
            MatrixRecord::Poseidon2Internal { diagonal } => {
                poseidon2::internal_matrix(&of_width(diagonal, "diagonal")?)
            }
        })
    }
}

/// The number of the line that a text ends in.
fn line_of(text: &str) -> usize {
    1 + text.matches('\n').count()
}

fn malformed_json(key: &str, error: &serde_json::Error) -> ParameterFileError {
    // The message ends with the place, which goes before it here.
    let message = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    let message = message.strip_suffix(&place).unwrap_or(&message);
    malformed(key, Some(error.line()), message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dispatch;
    use crate::presets;
    use crate::user_file::load;

    use std::fs;

    const FILECOIN: &str = r#"
        name = "filecoin-arity-2"
        field = "bls12-381"
        width = 3
        alpha = 5
        full_rounds_first = 4
        partial_rounds = 55
        full_rounds_last = 4
        initial_state = [3, 0, "0x0"]
        input_positions = [1, 2]
        digest_positions = [1]
        [constants]
        method = "grain"
        sbox = 1
        [matrix]
        method = "cauchy"
    "#;

    const ORCHARD: &str = r#"
        name = "orchard"
        field = "pallas"
        width = 3
        alpha = 5
        full_rounds_first = 4
        partial_rounds = 56
        full_rounds_last = 4
        initial_state = [0, 0, "0x20000000000000000"]
        input_positions = [0, 1]
        digest_positions = [0]
        [constants]
        method = "grain"
        sbox = 0
        bits = 255
        [matrix]
        method = "grain-cauchy"
        [sponge]
        rate_positions = [0, 1]
        capacity = { kind = "length", position = 2 }
    "#;

    const STARKNET: &str = r#"
        name = "starknet"
        field = "starknet"
        width = 3
        alpha = 3
        full_rounds_first = 4
        partial_rounds = 83
        full_rounds_last = 4
        partial_index = 2
        initial_state = [0, 0, 2]
        input_positions = [0, 1]
        digest_positions = [0]
        [constants]
        method = "sha256"
        prefix = "Hades"
        [matrix]
        method = "given"
        rows = [[3, 1, 1], [1, -1, "1"], [1, "0x1", "-2"]]
        [sponge]
        rate_positions = [0, 1]
        padding = "one"
    "#;

    const PLONKY2: &str = r#"
        name = "plonky2"
        field = "goldilocks"
        width = 12
        alpha = 7
        full_rounds_first = 4
        partial_rounds = 22
        full_rounds_last = 4
        input_positions = [0, 1, 2, 3, 4, 5, 6, 7]
        digest_positions = [0, 1, 2, 3]
        [constants]
        method = "chacha8"
        seed = 0
        [matrix]
        method = "circulant"
        row = [17, 15, 41, 16, 2, 28, 13, 13, 39, 18, 34, 20]
        diagonal = [8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        [sponge]
        rate_positions = [0, 1, 2, 3, 4, 5, 6, 7]
        absorption = "overwrite"
        permute_empty = false
        short_rows_are_digests = true
    "#;

    fn from_toml(text: &str) -> Result<AnyParameters, String> {
        ParameterFile::from_toml(text)
            .and_then(|file| file.parameters())
            .map_err(|error| error.to_string())
    }

    fn list<F: PrimeField>(elements: &[F]) -> Vec<String> {
        elements.iter().map(F::to_string).collect()
    }

    fn table<F: PrimeField>(rows: &[Vec<F>]) -> Vec<Vec<String>> {
        rows.iter().map(|row| list(row)).collect()
    }

    /// A file may have the name of a preset with the same values.
    #[test]
    fn files_give_the_same_sets_as_the_presets() {
        for text in [FILECOIN, ORCHARD, STARKNET, PLONKY2] {
            let parameters = from_toml(text).unwrap();
            assert_eq!(Ok(&parameters), presets::by_name(parameters.name()));
        }
    }

    #[test]
    fn the_example_of_the_documentation_is_a_set() {
        let path =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/examples/few-rounds.toml");
        let set = load(&path).unwrap();
        assert_eq!(set.field(), FieldId::Goldilocks);
        dispatch!(&set, set => {
            assert_eq!(set.width(), 8);
            assert_eq!((set.full_rounds_first(), set.full_rounds_last()), (1, 2));
            assert_eq!(set.partial_rounds(), 8);
        });
    }

    #[test]
    fn values_can_be_given() {
        for name in ["dusk", "mina-kimchi", "plonky2"] {
            let preset = presets::by_name(name).unwrap();
            let text = dispatch!(preset, set => {
                serde_json::json!({
                    "name": "copy", "field": set.field_name(), "width": set.width(),
                    "alpha": set.alpha(), "full_rounds_first": set.full_rounds_first(),
                    "partial_rounds": set.partial_rounds(),
                    "full_rounds_last": set.full_rounds_last(),
                    "round_order": match set.round_order() {
                        RoundOrder::ConstantsFirst => "constants-sbox-matrix",
                        RoundOrder::SboxFirst => "sbox-matrix-constants",
                    },
                    "partial_index": set.partial_index(),
                    "initial_state": list(set.initial_state()),
                    "input_positions": set.input_positions(),
                    "digest_positions": set.digest_positions(),
                    "constants": { "method": "given", "values": table(set.round_constants()) },
                    "matrix": { "method": "given", "rows": table(set.mds()) },
                })
            });
            let directory = tempfile::tempdir().unwrap();
            let path = directory.path().join("set.json");
            fs::write(&path, text.to_string()).unwrap();
            let copy = load(&path).unwrap();
            let expected: AnyParameters = dispatch!(preset, set => {
                let mut expected = set.specification().clone();
                expected.name = "copy".to_owned();
                expected.sponge = None;
                PoseidonParameters::new(expected).unwrap().into()
            });
            assert_eq!(copy, expected);
        }
    }

    /// Poseidon2 of three elements, see `sim-rs/vectors/taceo_bn254_poseidon2_t3.json`.
    const POSEIDON2: &str = r#"
        name = "mine"
        field = "bn254"
        width = 3
        alpha = 5
        full_rounds_first = 4
        partial_rounds = 56
        full_rounds_last = 4
        first_layer = true
        input_positions = [0, 1, 2]
        digest_positions = [0]
        [constants]
        method = "grain"
        sbox = 0
        single_in_partial_rounds = true
        [matrix]
        method = "poseidon2-external"
        [partial_matrix]
        method = "poseidon2-internal"
        diagonal = [1, 1, 2]
    "#;

    /// Poseidon2 of Plonky3 over Goldilocks, see `sim-rs/vectors/plonky3_goldilocks_poseidon2_t8.json`, and of the
    /// paper, see `zisk_goldilocks_poseidon2_t4.json`.
    fn poseidon2_of_goldilocks() -> [String; 2] {
        let external = "\"poseidon2-external\"";
        let set = |width: usize, partial_rounds: usize, block: &str, diagonal: &str| {
            POSEIDON2
                .replace("bn254", "goldilocks")
                .replace("alpha = 5", "alpha = 7")
                .replace("width = 3", &format!("width = {width}"))
                .replace("rounds = 56", &format!("rounds = {partial_rounds}"))
                .replace(external, &format!("{external}\nblock = {block}"))
                .replace("[1, 1, 2]\n", &format!("{diagonal}\n"))
        };
        [
            set(
                8,
                22,
                "[[2, 3, 1, 1], [1, 2, 3, 1], [1, 1, 2, 3], [3, 1, 1, 2]]",
                "[-2, 1, 2, '0x7fffffff80000001', 3, '0x7fffffff80000000', -3, -4]",
            ),
            set(
                4,
                21,
                "[[5, 7, 1, 3], [4, 6, 1, 1], [1, 3, 5, 7], [1, 1, 4, 6]]",
                "['0xf0ce126fe8a83094', '0x60f87e0b59fb4ee6', '0xa8106c221cd6d882', '0x5529eddc46e372e7']",
            ),
        ]
    }

    /// Permutations of zeros, of the vectors that are named beside the files.
    #[test]
    fn files_of_poseidon2_are_those_of_other_implementations() {
        let [eight, four] = poseidon2_of_goldilocks();
        for (text, expected) in [
            (
                POSEIDON2,
                &[
                    "0x2ed1da00b14d635bd35b88ab49390d5c13c90da7e9e3a5f1ea69cd87a0aa3e82",
                    "0x1e21e979cc3fd844b88c2016fd18f4db07a698aa27deca67ca509f5b0a4480d0",
                    "0x2c40d0115da2c9b55553b231be55295f411e628ed0cd0e187917066515f0a060",
                ][..],
            ),
            (
                &eight,
                &[
                    "0x4411ec57c44145f5",
                    "0x5ff55b96baa2f47b",
                    "0xdee0e2ae35662802",
                    "0x023c96b32c07981d",
                    "0x777e4afeaaf2e6a1",
                    "0x606c248e5ef427da",
                    "0x862e82242b2c5001",
                    "0x61ea532cc4c908c7",
                ],
            ),
            (
                &four,
                &[
                    "0x0c60525cbe99b163",
                    "0xf3f06ac0a08e5cf0",
                    "0xfb9b12e25e93be1c",
                    "0x497755568b1d4ff2",
                ],
            ),
        ] {
            let set = from_toml(text).unwrap();
            assert_eq!(set.warnings(), Vec::<String>::new());
            dispatch!(&set, set => {
                let mut state = vec![Default::default(); set.width()];
                crate::permutation::Poseidon::new(set).permute(&mut state);
                let expected: Vec<_> = (expected.iter())
                    .map(|text| word::from_hex(text).unwrap())
                    .collect();
                let state: Vec<_> = state.into_iter().map(word::from_field).collect();
                assert_eq!(state, expected);
            });
        }
    }

    #[test]
    fn wrong_files_of_poseidon2_are_refused_with_the_place() {
        let [eight, four] = poseidon2_of_goldilocks();
        for (text, from, to, expected) in [
            (
                POSEIDON2,
                "[1, 1, 2]",
                "[1, 1]",
                "partial_matrix.diagonal of the parameter file: 2 values, expected 3, the width",
            ),
            (
                POSEIDON2,
                "partial_rounds = 56",
                "partial_rounds = 0",
                "it has a matrix of partial rounds, and no partial rounds",
            ),
            (
                POSEIDON2,
                "\"poseidon2-external\"",
                "\"poseidon2-external\"\nblock = [[1]]",
                "matrix.block of the parameter file: goes with widths that are a multiple of 4",
            ),
            (
                POSEIDON2,
                "full_rounds_last = 4",
                "full_rounds_last = 4\npartial_index = 3",
                "partial_index of the parameter file: expected less than 3",
            ),
            (
                POSEIDON2,
                "diagonal = [1, 1, 2]",
                "diagonal = [1, 1, 2]\nrow = [1]",
                "'poseidon2-internal' goes with diagonal, not with row",
            ),
            (
                &four,
                "[1, 1, 4, 6]",
                "[1, 1, 4]",
                "matrix.block of the parameter file: every row has 4 entries",
            ),
            (
                &four,
                ", [1, 1, 4, 6]",
                "",
                "matrix.block of the parameter file: 3 rows, expected 4, the size of a block",
            ),
            (
                &eight,
                "block",
                "rows",
                "'poseidon2-external' goes with block, not with rows",
            ),
        ] {
            assert!(text.contains(from), "{from}");
            let message = from_toml(&text.replacen(from, to, 1)).unwrap_err();
            assert!(
                message.contains(expected),
                "{message}\nexpected: {expected}"
            );
        }
        let without = eight.lines().filter(|line| !line.starts_with("block"));
        let message = from_toml(&without.collect::<Vec<_>>().join("\n")).unwrap_err();
        assert!(
            message.contains("matrix.block of the parameter file: is missing"),
            "{message}"
        );
        // Entries of the diagonal that repeat leave subspaces alone.
        let warned = from_toml(&POSEIDON2.replace("[1, 1, 2]", "[1, 2, 2]")).unwrap();
        let warnings = warned.warnings();
        assert!(
            warnings[0]
                .starts_with("the matrix of partial rounds of 'mine' allows infinitely long"),
            "{warnings:?}"
        );
        let singular = from_toml(&POSEIDON2.replace("[1, 1, 2]", "[0, 0, 2]")).unwrap();
        let warnings = singular.warnings();
        assert!(
            warnings[0].starts_with("the matrix of partial rounds of 'mine' is singular"),
            "{warnings:?}"
        );
    }

    #[test]
    fn wrong_files_are_refused_with_the_place() {
        for (text, from, to, expected) in [
            (
                FILECOIN,
                "bls12-381",
                "babybear",
                "field of the parameter file: unknown field",
            ),
            (FILECOIN, "width = 3", "width = 13", "state width is 13"),
            (FILECOIN, "width = 3", "width = -3", "width"),
            (FILECOIN, "sbox = 1", "sbox = 16", "constants.sbox"),
            (
                FILECOIN,
                "sbox = 1",
                "sbox = 1\nbits = 254",
                "constants.bits",
            ),
            (
                FILECOIN,
                "sbox = 1",
                "sbox = 1\nbits = 300",
                "constants.bits",
            ),
            (FILECOIN, "sbox = 1", "sbox = 1\nseed = 1", "seed"),
            (FILECOIN, "alpha = 5", "", "missing field `alpha`"),
            (FILECOIN, "alpha = 5", "alpha = 3", "x^3 is no permutation"),
            (
                FILECOIN,
                "alpha = 5",
                "alpha = 5\nbeta = 5",
                "unknown field `beta`",
            ),
            (
                FILECOIN,
                "[3, 0,",
                "[3, \"zero\",",
                "initial_state[1] of the parameter file: 'zero'",
            ),
            (
                FILECOIN,
                "[3, 0,",
                "[3, \"\",",
                "initial_state[1] of the parameter file: ''",
            ),
            (FILECOIN, "[3, 0,", "[3, 1.5,", "initial_state"),
            (FILECOIN, "\"0x0\"", "", "initial state has 2 values"),
            (FILECOIN, "[1, 2]", "[1, 3]", "input 1 is state element 3"),
            (
                FILECOIN,
                "\"cauchy\"",
                "\"grain-cauchy\"\nrows = []",
                "matrix",
            ),
            (FILECOIN, "\"cauchy\"", "\"cauchi\"", "cauchi"),
            (
                FILECOIN,
                "\"grain\"\n        sbox = 1",
                "\"chacha8\"\nseed = 1",
                "constants.method",
            ),
            (
                STARKNET,
                "\"given\"\n        rows = ",
                "\"circulant\"\nrow = [1, 2]\n#",
                "matrix.row",
            ),
            (
                STARKNET,
                "[[3, 1, 1],",
                "[",
                "matrix.rows of the parameter file: 2 rows",
            ),
            (
                STARKNET,
                "[[3, 1, 1],",
                "[[3, 1],",
                "row 0 of its matrix has 2 entries",
            ),
            (STARKNET, "\"-2\"", "\"0x--2\"", "matrix.rows[2][2]"),
            (
                STARKNET,
                "\"-2\"",
                "\"-0x0800000000000011000000000000000000000000000000000000000000000001\"",
                "not below the prime",
            ),
            (
                STARKNET,
                "\"given\"\n        rows = ",
                "\"grain-cauchy\"\n#",
                "must have the method grain",
            ),
            (
                STARKNET,
                "\"given\"\n        rows = ",
                "\"given-cauchy\"\nx = [1, 2, 3]\ny = [1, -2, 1]\n#",
                "x[1] + y[1] is zero",
            ),
            (
                ORCHARD,
                "position = 2",
                "position = 3",
                "capacity is state element 3",
            ),
            (ORCHARD, "rate_positions", "rates", "rates"),
            (
                ORCHARD,
                "rate_positions = [0, 1]",
                "rate_positions = [0, 1, 2]",
                "its sponge has no capacity",
            ),
            (
                ORCHARD,
                "position = 2",
                "position = 1",
                "is state element 1, which blocks of the message go into",
            ),
            (
                ORCHARD,
                "kind = \"length\", position = 2",
                "kind = \"length-modulo-rate\", position = 2",
                "'length-modulo-rate' needs domain_position",
            ),
            (
                ORCHARD,
                "kind = \"length\", position = 2",
                "kind = \"length-modulo-rate\", position = 2, domain_position = 2",
                "the length and the domain of its sponge are both state element 2",
            ),
            (
                ORCHARD,
                "kind = \"length\", position = 2",
                "kind = \"length\", position = 2, domain_position = 2",
                "'length' goes with position, not with domain_position",
            ),
            (
                ORCHARD,
                "rate_positions = [0, 1]",
                "rate_positions = [0]\nabsorption = \"overwrite-chained\"",
                "its sponge puts a digest of 1 elements into the 2 that are not in the rate",
            ),
            (
                STARKNET,
                "[[3, 1, 1], [1, -1, \"1\"], [1, \"0x1\", \"-2\"]]",
                "[[1, 0, 0], [0, 1, 0], [0, 0, 1]]",
                "its matrix is the identity",
            ),
            (
                FILECOIN,
                "partial_rounds = 55",
                "partial_rounds = 56",
                "name of the parameter file: 'filecoin-arity-2' is a preset, which differs from this \
                 set in partial_rounds",
            ),
            (
                FILECOIN,
                "filecoin-arity-2",
                "filecoin-arity-3",
                "'filecoin-arity-3' is a preset, which differs from this set in width",
            ),
            (
                FILECOIN,
                "filecoin-arity-2",
                "orchard",
                "'orchard' is a preset, which differs from this set in field",
            ),
            (
                ORCHARD,
                "capacity = { kind = \"length\", position = 2 }",
                "",
                "'orchard' is a preset, which differs from this set in sponge",
            ),
            (
                FILECOIN,
                "filecoin-arity-2",
                "",
                "a name has 1 to 200 characters, not 0",
            ),
            (
                FILECOIN,
                "filecoin-arity-2",
                "\\u0007",
                "has a control character",
            ),
            (
                FILECOIN,
                "[3, 0, \"0x0\"]",
                "[3, true, \"0x0\"]",
                "initial_state[1] (line 9): invalid type: boolean `true`, expected a field element: an \
                 integer of 64 bits, or a text",
            ),
            (
                FILECOIN,
                "[3, 0, \"0x0\"]",
                "[3, 1.5, \"0x0\"]",
                "initial_state[1] (line 9): invalid type: floating point `1.5`, expected a field element",
            ),
            (
                STARKNET,
                "[1, -1,",
                "[1, [],",
                "matrix.rows[1][1] (line 18): invalid type: sequence, expected a field element",
            ),
            (
                FILECOIN,
                "sbox = 1",
                "sbox = 1\nprefix = \"Hades\"",
                "constants (line 12): 'grain' goes with sbox, bits and single_in_partial_rounds, not with prefix",
            ),
            (
                FILECOIN,
                "sbox = 1",
                "",
                "constants (line 12): 'grain' needs sbox, which is missing",
            ),
            (
                ORCHARD,
                ", position = 2",
                "",
                "sponge.capacity (line 20): 'length' needs position, which is missing",
            ),
        ] {
            assert!(text.contains(from), "{from}");
            let message = from_toml(&text.replace(from, to)).unwrap_err();
            assert!(
                message.contains(expected),
                "{message}\nexpected: {expected}"
            );
        }
        let directory = tempfile::tempdir().unwrap();
        let json = r#"{"name": "x", "field": "pallas", "width": 3,
            "input_positions": [1, "two"]}"#;
        for (name, text, expected) in [
            (
                "element.json",
                json,
                "input_positions[1] (line 2): invalid type: string",
            ),
            ("set.txt", "", "neither a TOML nor a JSON file"),
            ("set.toml", "name", "does not follow the format"),
            ("set.json", "{", "does not follow the format"),
            ("none.json", "", "does not follow the format"),
        ] {
            let path = directory.path().join(name);
            fs::write(&path, text).unwrap();
            let message = load(&path).unwrap_err().to_string();
            assert!(
                message.contains(expected) && message.contains(name),
                "{message}"
            );
        }
        let path = directory.path().join("long.toml");
        fs::write(&path, " ".repeat(MAX_FILE_BYTES as usize + 1)).unwrap();
        let message = load(&path).unwrap_err().to_string();
        assert!(message.contains("more than 16777216 bytes"), "{message}");
        let message = load(&directory.path().join("missing.toml"))
            .unwrap_err()
            .to_string();
        assert!(message.starts_with("cannot read"), "{message}");
    }
    /// Numbers of two million digits are refused before they are computed, and not repeated.
    #[test]
    fn long_values_are_refused_in_short() {
        let digits = "7".repeat(2_000_000);
        for (text, from, to) in [
            (FILECOIN, "\"0x0\"", format!("\"{digits}\"")),
            (FILECOIN, "\"0x0\"", format!("\"0x{digits}\"")),
            (FILECOIN, "\"0x0\"", format!("\"-{digits}\"")),
            (FILECOIN, "\"0x0\"", digits.clone()),
            (FILECOIN, "width = 3", format!("width = \"{digits}\"")),
            (FILECOIN, "filecoin-arity-2", digits.clone()),
            (FILECOIN, "bls12-381", digits.clone()),
            (FILECOIN, "alpha", format!("a{digits}")),
            (FILECOIN, "\"cauchy\"", format!("\"{digits}\"")),
        ] {
            assert!(text.contains(from), "{from}");
            let message = from_toml(&text.replace(from, &to)).unwrap_err();
            assert!(message.len() < 1000, "{} characters", message.len());
        }
        let json = format!(r#"{{"name": "x", "initial_state": [{digits}]}}"#);
        let message = ParameterFile::from_json(&json).unwrap_err().to_string();
        assert!(message.len() < 1000, "{} characters", message.len());
        // The longest element of all fields, with its sign.
        let longest = ElementRecord::Text(format!("-0x{}{}", "0".repeat(13), "7".repeat(63)));
        assert!(
            longest
                .element::<crate::fields::Bls12_381>(String::new)
                .is_ok()
        );
    }
}

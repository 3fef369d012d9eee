//! The axes of a sweep.

use acclmt_model::stalls::Rate;
use serde::{Deserialize, Deserializer, de};

/// The values of each axis; an axis without values has its default alone.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Axes {
    /// Presets. Without them, random parameter sets are made of the following six.
    #[serde(deserialize_with = "values")]
    pub preset: Vec<String>,
    /// Fields of random parameter sets; BLS12-381.
    #[serde(deserialize_with = "values")]
    pub field: Vec<String>,
    /// State widths; 3. Up to 12, over Goldilocks up to 24. The arity is one less; in Goldilocks with widths 12, 16, 20
    /// and 24 nodes are digests of four elements.
    #[serde(deserialize_with = "values")]
    pub width: Vec<usize>,
    /// Children of a node, which give the width: one more, in Goldilocks digests of four elements and a
    /// capacity of as many.
    #[serde(deserialize_with = "values")]
    pub arity: Vec<usize>,
    /// Exponents of the S-box; 5, in Goldilocks 7.
    #[serde(deserialize_with = "values")]
    pub exponent: Vec<u64>,
    /// Full rounds, an even number; 8.
    #[serde(deserialize_with = "values")]
    pub full_rounds: Vec<usize>,
    /// Partial rounds; 55.
    #[serde(deserialize_with = "values")]
    pub partial_rounds: Vec<usize>,
    /// Leaves of a tree; those of a standard tree.
    #[serde(deserialize_with = "values")]
    pub leaves: Vec<u64>,
    /// What a leaf is: `hash`, `element` or `row=C`; `hash`.
    #[serde(deserialize_with = "values")]
    pub leaf: Vec<String>,
    /// Rows that are under way together, where a leaf is a row of several blocks; as many as keep the
    /// hash engine busy.
    #[serde(deserialize_with = "values")]
    pub row_group: Vec<usize>,
    /// Hash engines of the chip; 2.
    #[serde(deserialize_with = "values")]
    pub engines: Vec<usize>,
    /// How they are used: `fixed` or `shared`; fixed, on a chip with one hash engine shared.
    #[serde(deserialize_with = "values")]
    pub sharing: Vec<String>,
    /// Full-round sub-engines of a hash engine; 1.
    #[serde(deserialize_with = "values")]
    pub num_full: Vec<usize>,
    /// Partial-round sub-engines; 4.
    #[serde(deserialize_with = "values")]
    pub num_partial: Vec<usize>,
    /// Entries of the memories of matrices; 32.
    #[serde(deserialize_with = "values")]
    pub matrix_depth: Vec<usize>,
    /// Entries of the memories of round constants of full rounds; 256.
    #[serde(deserialize_with = "values")]
    pub constant_depth: Vec<usize>,
    /// Entries of the memories of partial rounds; 128.
    #[serde(deserialize_with = "values")]
    pub partial_depth: Vec<usize>,
    /// Words of the node memory; 512.
    #[serde(deserialize_with = "values")]
    pub node_words: Vec<u32>,
    /// Input words that the host has in a cycle, evenly; 1.
    #[serde(deserialize_with = "values")]
    pub input_rate: Vec<Rate>,
    /// Share of the cycles in which no input word is offered, up to [`MAX_STALL`]; 0.
    #[serde(deserialize_with = "values")]
    pub input_stall: Vec<f64>,
    /// Share of the cycles in which no output word is taken, up to [`MAX_STALL`]; 0.
    #[serde(deserialize_with = "values")]
    pub output_stall: Vec<f64>,
}

/// Number of axes.
pub(super) const AXES: usize = 21;

impl Axes {
    /// Values of each axis, in the order of the fields; at least one.
    pub(super) fn lengths(&self) -> [usize; AXES] {
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
            self.engines.len(),
            self.sharing.len(),
            self.num_full.len(),
            self.num_partial.len(),
            self.matrix_depth.len(),
            self.constant_depth.len(),
            self.partial_depth.len(),
            self.node_words.len(),
            self.input_rate.len(),
            self.input_stall.len(),
            self.output_stall.len(),
        ]
        .map(|length| length.max(1))
    }
}

/// The values of an axis, of which there is at least one.
fn values<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    let values = Vec::deserialize(deserializer)?;
    if values.is_empty() {
        return Err(de::Error::custom(
            "an axis without values makes no point; give it values or leave it out",
        ));
    }
    Ok(values)
}

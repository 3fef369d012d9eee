//! A point of a sweep.

use super::columns::record;
use super::kind::Measure;
use acclmt_driver::program::widest;
use acclmt_model::Hardware;
use acclmt_model::stalls::{Rate, Stalls};
use acclmt_poseidon::dispatch;
use acclmt_poseidon::fields::{AnyParameters, FieldId};
use acclmt_poseidon::params::{MIN_WIDTH, PoseidonParameters, PoseidonSpecification, RoundOrder};
use acclmt_poseidon::presets;
use acclmt_poseidon::random::{self, Ranges};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// Hashes of the shorter of the two runs that measure an engine, where no number is given.
pub(super) const HASHES: u64 = 1024;

record! {
    /// A combination of parameters.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct Point {
        /// What is measured.
        pub measure: Measure,
        /// Hashes of the shorter run (engine), see [`Specification::hashes`](super::Specification::hashes).
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
        /// Hash engines, nothing for as many as a chip has by default.
        #[serde(default)]
        pub engines: Option<usize>,
        /// How they are used, nothing for what the driver does by default.
        #[serde(default)]
        pub sharing: Option<String>,
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
        /// Words of the node memory.
        pub node_words: u32,
        /// Input words of the host in a cycle, evenly.
        pub input_rate: Rate,
        /// Share of the cycles without input, at random.
        pub input_stall: f64,
        /// Share of the cycles without output, at random.
        pub output_stall: f64,
    }
}

/// Elements of a digest over Goldilocks, where one is too few for its security.
pub(super) const GOLDILOCKS_DIGEST: usize = 4;

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
        let default = Hardware::default();
        Hardware {
            num_engines: self.engines.unwrap_or(default.num_engines),
            num_full: self.num_full,
            num_partial: self.num_partial,
            matrix_depth: self.matrix_depth,
            constant_depth: self.constant_depth,
            partial_depth: self.partial_depth,
            node_words: self.node_words,
            ..default
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
            ..Ranges::default()
        };
        let widest = widest(field == FieldId::Goldilocks);
        if !(MIN_WIDTH..=widest).contains(&width) {
            return Err(format!(
                "no state over {name} is {width} elements wide; {MIN_WIDTH} to {widest} are possible"
            ));
        }
        let set = random::any_parameters(field, SEED, &ranges).ok_or_else(|| {
            format!("x^{exponent} is no permutation of {name}, or the round numbers are too large")
        })?;
        let has_nodes = width >= 3 * GOLDILOCKS_DIGEST && width.is_multiple_of(GOLDILOCKS_DIGEST);
        let digest = if field == FieldId::Goldilocks && has_nodes {
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

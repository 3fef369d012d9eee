//! The named parameter sets.

use std::sync::LazyLock;

use ark_bls12_381::Fr;

use crate::params::PoseidonParameters;

/// Name of the field of all presets: the scalar field of BLS12-381.
pub const BLS12_381: &str = "bls12-381";

/// There is no parameter set of this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown preset '{name}'; the presets are: {known}")]
pub struct UnknownPreset {
    name: String,
    known: String,
}

/// Arity and partial rounds of Filecoin's sets (neptune, standard strength, 8 full rounds).
const FILECOIN: [(usize, usize); 4] = [(2, 55), (4, 56), (8, 57), (11, 57)];

static PRESETS: LazyLock<Vec<PoseidonParameters<Fr>>> = LazyLock::new(|| {
    FILECOIN
        .iter()
        .map(|&(arity, partial_rounds)| {
            let name = format!("filecoin-arity-{arity}");
            PoseidonParameters::neptune(&name, BLS12_381, arity, 8, partial_rounds)
                .expect("the presets are in range")
        })
        .collect()
});

/// All presets. They are generated at the first use.
pub fn all() -> &'static [PoseidonParameters<Fr>] {
    &PRESETS
}

/// The preset `name`.
///
/// # Errors
///
/// When there is none; the error lists the names.
pub fn by_name(name: &str) -> Result<&'static PoseidonParameters<Fr>, UnknownPreset> {
    all()
        .iter()
        .find(|preset| preset.name() == name)
        .ok_or_else(|| UnknownPreset {
            name: name.to_owned(),
            known: all()
                .iter()
                .map(PoseidonParameters::name)
                .collect::<Vec<_>>()
                .join(", "),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_are_found_by_name() {
        for preset in all() {
            assert_eq!(by_name(preset.name()), Ok(preset));
        }
        assert_eq!(
            by_name("filecoin-arity-3").unwrap_err().to_string(),
            "unknown preset 'filecoin-arity-3'; the presets are: filecoin-arity-2, \
             filecoin-arity-4, filecoin-arity-8, filecoin-arity-11"
        );
    }
}

//! The named parameter sets.

use std::sync::{LazyLock, OnceLock};

use crate::fields::{AnyParameters, FieldId};
use crate::generate;
use crate::parameter_file::ParameterFile;
use crate::params::ParameterError;
use crate::text;

/// There is no parameter set of this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown preset '{name}'{hint}")]
pub struct UnknownPreset {
    name: String,
    hint: String,
}

/// A named parameter set, which is generated at its first use.
#[derive(Debug)]
pub struct Preset {
    name: String,
    description: String,
    field: FieldId,
    source: Source,
    parameters: OnceLock<AnyParameters>,
}

/// How a preset is generated.
#[derive(Clone, Copy, Debug)]
enum Source {
    Filecoin { arity: usize, is_strengthened: bool },
    NeptunePallas { arity: usize },
    NeptuneVesta { arity: usize },
    Circom { inputs: usize },
    Dusk,
    Orchard,
    Starknet,
    MinaKimchi,
    Plonky2,
    PolygonZkevm,
    PolygonZkevmCapacity,
}

impl Source {
    fn generate(self, name: &str) -> Result<AnyParameters, ParameterError> {
        let partial = |arity| generate::neptune_partial_rounds(arity + 1);
        Ok(match self {
            Self::Filecoin {
                arity,
                is_strengthened,
            } => generate::filecoin(arity, is_strengthened)?.into(),
            Self::NeptunePallas { arity } => {
                let field = FieldId::Pallas.name();
                let set = generate::neptune(name, field, arity, 8, partial(arity))?;
                AnyParameters::Pallas(set)
            }
            Self::NeptuneVesta { arity } => {
                let field = FieldId::Vesta.name();
                let set = generate::neptune(name, field, arity, 8, partial(arity))?;
                AnyParameters::Vesta(set)
            }
            Self::Circom { inputs } => generate::circom(inputs)?.into(),
            Self::Dusk => generate::dusk()?.into(),
            Self::Orchard => generate::orchard()?.into(),
            Self::Starknet => generate::starknet()?.into(),
            Self::MinaKimchi => mina_kimchi()?,
            Self::Plonky2 => generate::plonky2()?.into(),
            Self::PolygonZkevm => generate::polygon_zkevm()?.into(),
            Self::PolygonZkevmCapacity => generate::polygon_zkevm_capacity()?.into(),
        })
    }
}

/// Mina's Kimchi parameter set over the base field of Pallas, from `presets/mina-kimchi.toml`, which
/// names its source.
fn mina_kimchi() -> Result<AnyParameters, ParameterError> {
    ParameterFile::from_toml(include_str!("../presets/mina-kimchi.toml"))
        .and_then(|file| file.parameters())
        .map_err(|error| ParameterError::new("mina-kimchi", error.to_string()))
}

impl Preset {
    fn new(name: &str, description: &str, field: FieldId, source: Source) -> Self {
        Self {
            name: name.to_owned(),
            description: description.to_owned(),
            field,
            source,
            parameters: OnceLock::new(),
        }
    }

    /// Name of the preset, which is that of its parameter set too.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it is, in a few words.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// Its field.
    pub fn field(&self) -> FieldId {
        self.field
    }

    /// The parameter set.
    pub fn parameters(&self) -> &AnyParameters {
        self.parameters.get_or_init(|| {
            self.source
                .generate(&self.name)
                .expect("the presets are parameter sets, which a test generates all")
        })
    }
}

/// Arities of the families of presets.
const ARITIES: std::ops::RangeInclusive<usize> = 1..=11;

static PRESETS: LazyLock<Vec<Preset>> = LazyLock::new(|| {
    let mut presets = Vec::new();
    let mut add = |name: String, description: &str, field, source| {
        presets.push(Preset::new(&name, description, field, source));
    };
    for arity in ARITIES {
        let source = Source::Filecoin {
            arity,
            is_strengthened: false,
        };
        let name = format!("filecoin-arity-{arity}");
        add(name, "Filecoin (neptune)", FieldId::Bls12_381, source);
    }
    for arity in ARITIES {
        let source = Source::Filecoin {
            arity,
            is_strengthened: true,
        };
        let name = format!("filecoin-arity-{arity}-strengthened");
        let description = "Filecoin (neptune), strengthened";
        add(name, description, FieldId::Bls12_381, source);
    }
    for arity in ARITIES {
        let source = Source::NeptunePallas { arity };
        let name = format!("neptune-pallas-arity-{arity}");
        add(name, "neptune over Pallas", FieldId::Pallas, source);
    }
    for arity in ARITIES {
        let source = Source::NeptuneVesta { arity };
        let name = format!("neptune-vesta-arity-{arity}");
        add(name, "neptune over Vesta", FieldId::Vesta, source);
    }
    for inputs in ARITIES {
        let source = Source::Circom { inputs };
        let name = format!("circom-bn254-arity-{inputs}");
        add(name, "circom and iden3", FieldId::Bn254, source);
    }
    for (name, description, field, source) in [
        (
            "dusk",
            "dusk, node of a Merkle tree of arity 4",
            FieldId::Bls12_381,
            Source::Dusk,
        ),
        (
            "orchard",
            "Zcash Orchard, P128Pow5T3 of two elements",
            FieldId::Pallas,
            Source::Orchard,
        ),
        (
            "starknet",
            "Starknet, hash of two elements",
            FieldId::Starknet,
            Source::Starknet,
        ),
        (
            "mina-kimchi",
            "Mina Kimchi",
            FieldId::Pallas,
            Source::MinaKimchi,
        ),
        (
            "plonky2",
            "Plonky2, two digests to one",
            FieldId::Goldilocks,
            Source::Plonky2,
        ),
        (
            "polygon-zkevm",
            "Polygon zkEVM, capacity zero",
            FieldId::Goldilocks,
            Source::PolygonZkevm,
        ),
        (
            "polygon-zkevm-capacity",
            "Polygon zkEVM, the last 4 inputs are the capacity",
            FieldId::Goldilocks,
            Source::PolygonZkevmCapacity,
        ),
    ] {
        add(name.to_owned(), description, field, source);
    }
    presets
});

/// All presets.
pub fn all() -> &'static [Preset] {
    &PRESETS
}

/// The preset `name`.
///
/// # Errors
///
/// When there is none; the error says which one was probably meant, or lists the names.
pub fn find(name: &str) -> Result<&'static Preset, UnknownPreset> {
    all()
        .iter()
        .find(|preset| preset.name() == name)
        .ok_or_else(|| unknown(name))
}

/// The error names the preset that was probably meant, or all of them.
fn unknown(name: &str) -> UnknownPreset {
    let names: Vec<&str> = all().iter().map(Preset::name).collect();
    let hint = match text::nearest(name, names.iter().copied()) {
        Some(known) => format!("; did you mean '{known}'? `acclmt presets` lists all"),
        None => format!("; the presets are: {}", names.join(", ")),
    };
    UnknownPreset {
        name: text::shortened(name),
        hint,
    }
}

/// The parameter set of the preset `name`.
///
/// # Errors
///
/// When there is none; the error says which one was probably meant, or lists the names.
pub fn by_name(name: &str) -> Result<&'static AnyParameters, UnknownPreset> {
    Ok(find(name)?.parameters())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Generates every preset.
    #[test]
    fn presets_are_what_they_say() {
        for preset in all() {
            let parameters = preset.parameters();
            assert_eq!(parameters.name(), preset.name());
            assert_eq!(parameters.field(), preset.field());
            let field_name = crate::dispatch!(parameters, set => set.field_name());
            assert_eq!(field_name, preset.field().name());
            assert_eq!(by_name(preset.name()), Ok(parameters));
            assert!(parameters.warnings().is_empty());
            if let Some((_, arity)) = preset.name().split_once("arity-") {
                let arity = arity.trim_end_matches("-strengthened");
                assert_eq!(arity, parameters.arity().to_string());
            }
        }
        let mut names: Vec<_> = all().iter().map(Preset::name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all().len());
    }

    #[test]
    fn unknown_presets_are_refused_with_the_names() {
        let message = find("filecoin-arty-2").unwrap_err().to_string();
        assert!(
            message
                .starts_with("unknown preset 'filecoin-arty-2'; did you mean 'filecoin-arity-2'?"),
            "{message}"
        );
        let message = find("sha256").unwrap_err().to_string();
        assert!(
            message.starts_with("unknown preset 'sha256'; the presets are: ")
                && message.contains("filecoin-arity-2, ")
                && message.contains(", plonky2, "),
            "{message}"
        );
    }
}

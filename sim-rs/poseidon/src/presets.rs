//! The named parameter sets: the files in the folder `presets`, each a [`ParameterFile`] with the keys
//! `description` and `source`.

use std::cmp::Ordering;
use std::sync::{LazyLock, OnceLock};

use include_dir::{Dir, include_dir};

use crate::fields::{AnyParameters, FieldId, PoseidonField};
use crate::parameter_file::ParameterFile;
use crate::params::PoseidonParameters;
use crate::text;

static FILES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/presets");

/// There is no parameter set of this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown preset '{name}'{hint}")]
pub struct UnknownPreset {
    name: String,
    hint: String,
}

/// There is no parameter set of this name over this field.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PresetError {
    /// No parameter set has the name.
    #[error(transparent)]
    Unknown(#[from] UnknownPreset),
    /// It is over another field.
    #[error("the preset '{name}' is over {field}, not {expected}")]
    Field {
        /// Name of the preset.
        name: String,
        /// Its field.
        field: FieldId,
        /// The field that was asked for.
        expected: FieldId,
    },
}

/// A named parameter set, which is generated at its first use.
#[derive(Debug)]
pub struct Preset {
    file: ParameterFile,
    field: FieldId,
    parameters: OnceLock<AnyParameters>,
}

impl Preset {
    fn new(text: &str) -> Result<Self, String> {
        let file = ParameterFile::from_toml(text).map_err(|error| error.to_string())?;
        let field = FieldId::from_name(&file.field).map_err(|error| error.to_string())?;
        Ok(Self {
            file,
            field,
            parameters: OnceLock::new(),
        })
    }

    /// Name of the preset, which is that of its parameter set too.
    pub fn name(&self) -> &str {
        &self.file.name
    }

    /// What it is, in a few words.
    pub fn description(&self) -> &str {
        self.file.description.as_deref().unwrap_or_default()
    }

    /// Where its rules and values are from.
    pub fn source(&self) -> &str {
        self.file.source.as_deref().unwrap_or_default()
    }

    /// Its field.
    pub fn field(&self) -> FieldId {
        self.field
    }

    /// Its parameter file.
    pub fn file(&self) -> &ParameterFile {
        &self.file
    }

    /// The parameter set.
    pub fn parameters(&self) -> &AnyParameters {
        self.parameters.get_or_init(|| {
            self.file
                .generate()
                .expect("the presets are parameter sets, which a test generates all")
        })
    }
}

static PRESETS: LazyLock<Vec<Preset>> = LazyLock::new(|| {
    let mut presets: Vec<_> = (FILES.files())
        .map(|file| {
            let text = file.contents_utf8().unwrap_or_default();
            Preset::new(text)
                .expect("the files of presets follow the format, which a test reads all")
        })
        .collect();
    presets.sort_by(|a, b| by_number(a.name(), b.name()));
    presets
});

/// Compares names with the numbers in them as numbers: `arity-2` comes before `arity-10`.
fn by_number(a: &str, b: &str) -> Ordering {
    let parts = |name: &str| -> Vec<(u64, String)> {
        (name.split('-'))
            .map(|part| (part.parse().unwrap_or(0), part.to_owned()))
            .collect()
    };
    parts(a).cmp(&parts(b))
}

/// All presets, by name.
pub fn all() -> &'static [Preset] {
    &PRESETS
}

/// The preset `name`.
///
/// # Errors
///
/// When there is none; the error says which one was probably meant, or lists the names.
pub fn find(name: &str) -> Result<&'static Preset, UnknownPreset> {
    let found = all().iter().find(|preset| preset.name() == name);
    found.ok_or_else(|| unknown(name))
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

/// The parameter set of the preset `name`, which is over the field `F`.
///
/// # Errors
///
/// When there is none, or it is over another field.
///
/// ```
/// use acclmt_poseidon::{fields::Pallas, permutation::Poseidon, presets};
///
/// let orchard = Poseidon::new(presets::over::<Pallas>("orchard")?);
/// assert_eq!(orchard.hash(&[Pallas::from(1), Pallas::from(2)])?.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn over<F: PoseidonField>(name: &str) -> Result<&'static PoseidonParameters<F>, PresetError> {
    let preset = find(name)?;
    F::of(preset.parameters()).ok_or_else(|| PresetError::Field {
        name: name.to_owned(),
        field: preset.field(),
        expected: F::ID,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::fs;
    use std::path::Path;

    use crate::fields::{Bls12_381, Goldilocks};

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
            assert!(!preset.description().is_empty(), "{}", preset.name());
            assert!(!preset.source().is_empty(), "{}", preset.name());
            let warnings = parameters.warnings();
            assert!(warnings.is_empty(), "{warnings:?}");
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

    /// The program has every file of the folder, and each has the name of its preset.
    #[test]
    fn every_file_is_a_preset() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("presets");
        let mut files: Vec<_> = (fs::read_dir(folder).unwrap())
            .map(|file| file.unwrap().file_name().into_string().unwrap())
            .collect();
        files.sort_unstable();
        let mut names: Vec<_> = (all().iter())
            .map(|preset| format!("{}.toml", preset.name()))
            .collect();
        names.sort_unstable();
        assert_eq!(files, names);
        let mut embedded: Vec<_> = (FILES.files())
            .map(|file| file.path().to_str().unwrap())
            .collect();
        embedded.sort_unstable();
        assert_eq!(embedded, files);
    }

    #[test]
    fn numbers_in_names_count_as_numbers() {
        let names: Vec<_> = (all().iter())
            .map(Preset::name)
            .filter(|name| name.starts_with("filecoin"))
            .collect();
        let expected = (1..=11).flat_map(|arity| {
            ["", "-strengthened"].map(|suffix| format!("filecoin-arity-{arity}{suffix}"))
        });
        assert_eq!(names, expected.collect::<Vec<_>>());
    }

    #[test]
    fn unknown_presets_are_refused_with_the_names() {
        for (name, nearest) in [
            ("filecoin-arty-2", "filecoin-arity-2"),
            ("filecoin-arity8", "filecoin-arity-8"),
            ("Plonky2", "plonky2"),
            ("starkent", "starknet"),
        ] {
            let message = find(name).unwrap_err().to_string();
            let expected = format!("unknown preset '{name}'; did you mean '{nearest}'?");
            assert!(message.starts_with(&expected), "{message}");
        }
        let message = find("sha256").unwrap_err().to_string();
        assert!(
            message.starts_with("unknown preset 'sha256'; the presets are: ")
                && message.contains("filecoin-arity-2, ")
                && message.contains(", plonky2, "),
            "{message}"
        );
    }

    #[test]
    fn presets_over_another_field_are_refused() {
        assert_eq!(over::<Goldilocks>("plonky2").unwrap().width(), 12);
        let message = over::<Bls12_381>("plonky2").unwrap_err().to_string();
        assert_eq!(
            message,
            "the preset 'plonky2' is over goldilocks, not bls12-381"
        );
        assert!(over::<Bls12_381>("plonky").is_err());
    }
}

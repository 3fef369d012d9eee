//! Parameter sets of users: files that may not give the name of a preset to other values.

use std::path::Path;

use crate::dispatch;
use crate::fields::{AnyParameters, PoseidonField};
use crate::parameter_file::{ParameterFile, ParameterFileError, value_error};
use crate::presets;

impl ParameterFile {
    /// The parameter set.
    ///
    /// # Errors
    ///
    /// When a value is wrong, the values make up no parameter set, or the name is that of a preset with other
    /// values.
    pub fn parameters(&self) -> Result<AnyParameters, ParameterFileError> {
        let set = self.generate()?;
        if let Ok(preset) = presets::find(&self.name)
            && let Some(key) = difference(&set, preset.parameters())
        {
            let problem = format!(
                "'{}' is a preset, which differs from this set in {key}; give the set another name",
                self.name
            );
            return Err(value_error("name", problem));
        }
        Ok(set)
    }
}

/// The key in which two sets differ.
fn difference(set: &AnyParameters, other: &AnyParameters) -> Option<&'static str> {
    dispatch!(set, set => match PoseidonField::of(other) {
        Some(other) => set.difference(other),
        None => Some("field"),
    })
}

/// The parameter set in the file at `path`.
///
/// # Errors
///
/// When there is none; the error names the file and the place.
pub fn load(path: &Path) -> Result<AnyParameters, ParameterFileError> {
    let result = ParameterFile::load(path).and_then(|file| file.parameters());
    result.map_err(|error| match error {
        ParameterFileError::Read { .. } | ParameterFileError::Format { .. } => error,
        error => ParameterFileError::In {
            path: path.to_owned(),
            error: Box::new(error),
        },
    })
}

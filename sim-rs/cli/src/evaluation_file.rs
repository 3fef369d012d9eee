//! The file of the evaluation of the paper.

use std::fs;
use std::path::Path;

use acclmt_measure::evaluation::{Evaluation, EvaluationError};
use serde::Serialize;

use crate::error::{CommandError, file_failure};
use crate::files::write_text;

/// The file of the evaluation.
pub const FILE: &str = "paper.json";

/// Reads the evaluation of a folder.
pub fn read_evaluation(path: &Path) -> Result<Evaluation, CommandError> {
    let evaluation: Evaluation = read(path)?;
    let checked = evaluation.check();
    checked.map_err(|error| wrong_figure(path, &error))?;
    Ok(evaluation)
}

/// A figure of the file at `path` that cannot be.
pub fn wrong_figure(path: &Path, error: &EvaluationError) -> CommandError {
    CommandError::Failure(format!("{}: {error}; measure it again", path.display()))
}

/// Reads a file of JSON.
pub fn read<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T, CommandError> {
    let text = fs::read_to_string(path).map_err(|error| file_failure(path, &error))?;
    serde_json::from_str(&text).map_err(|error| {
        CommandError::Failure(format!("{}: {error}; measure it again", path.display()))
    })
}

/// Writes a file of JSON.
pub fn write(path: &Path, value: &impl Serialize) -> Result<(), CommandError> {
    let mut text = serde_json::to_string_pretty(value).map_err(CommandError::failure)?;
    text.push('\n');
    write_text(path, &text)
}

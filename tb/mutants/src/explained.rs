// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! Mutants that no test can find, and why.

use std::path::Path;

use serde::Deserialize;

use crate::list::Mutant;
use crate::{Error, Result, read};

/// Mutants, by what they all have.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Explanation {
    /// Their file, from the root of the project.
    pub file: String,
    /// What is in a line that they come from.
    pub text: String,
    /// The kind of their mutation.
    pub mode: Option<String>,
    /// The lowest and the highest bit of the port.
    pub bits: Option<(u32, u32)>,
    /// Why no test finds them.
    pub reason: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    explanation: Vec<Explanation>,
}

/// The explanations of a file.
///
/// # Errors
///
/// If it cannot be read, is no such file, or has no reason.
pub fn read_file(path: &Path) -> Result<Vec<Explanation>> {
    let wrong = |what: String| Error::Content {
        path: path.to_owned(),
        what,
    };
    let file: File = toml::from_str(&read(path)?).map_err(|error| wrong(error.to_string()))?;
    for (number, explanation) in (1..).zip(&file.explanation) {
        if explanation.reason.trim().is_empty() || explanation.text.trim().is_empty() {
            return Err(wrong(format!(
                "explanation {number} has no reason or no text"
            )));
        }
    }
    Ok(file.explanation)
}

impl Explanation {
    /// Whether it is one of a mutant, whose lines are `lines`.
    pub fn has(&self, mutant: &Mutant, lines: &[String]) -> bool {
        let has_bit = |(low, high)| mutant.bit().is_some_and(|bit| (low..=high).contains(&bit));
        self.file == mutant.file
            && lines.iter().any(|line| line.contains(&self.text))
            && self.mode.as_ref().is_none_or(|mode| mode == mutant.mode())
            && self.bits.is_none_or(has_bit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::list::tests::mutant;
    use std::fs;

    #[test]
    fn everything_named_must_fit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("explained.toml");
        let text = "[[explanation]]\nfile = 'rtl/a.sv'\ntext = 'sum_q'\nmode = 'inv'\nbits = [2, 3]\nreason = 'why'\n";
        fs::write(&path, text).unwrap();
        let explanation = &read_file(&path).unwrap()[0];
        let lines = ["  sum_q <= sum;".to_owned()];
        assert!(explanation.has(&mutant(1, "rtl/a.sv", 3), &lines));
        assert!(!explanation.has(&mutant(1, "rtl/b.sv", 3), &lines));
        assert!(!explanation.has(&mutant(1, "rtl/a.sv", 3), &["  other".to_owned()]));
        let mut other = explanation.clone();
        other.bits = Some((3, 4));
        assert!(!other.has(&mutant(1, "rtl/a.sv", 3), &lines));
        other = explanation.clone();
        other.mode = Some("const0".to_owned());
        assert!(!other.has(&mutant(1, "rtl/a.sv", 3), &lines));
        fs::write(&path, text.replace("why", " ")).unwrap();
        let error = read_file(&path).unwrap_err().to_string();
        assert!(error.contains("explanation 1 has no reason"), "{error}");
    }
}

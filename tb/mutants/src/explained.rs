// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! Mutants that no test can find, and why.

use std::collections::BTreeSet;
use std::path::Path;

use serde::Deserialize;

use crate::list::{List, Mutant};
use crate::{Error, Result, read};

/// Mutants, by what they all have.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Explanation {
    /// Their file, from the root of the project. Any without one.
    pub file: Option<String>,
    /// Their module in the netlist, whose number tells sizes of the module apart.
    pub module: Option<String>,
    /// What is in a line that they come from.
    pub text: Option<String>,
    /// The port of the cell.
    pub port: Option<String>,
    /// The kind of their mutation.
    pub mode: Option<String>,
    /// The lowest and the highest bit of the port.
    pub bits: Option<(u32, u32)>,
    /// The lowest and the highest bit of the wire there.
    pub wire_bits: Option<(u32, u32)>,
    /// The lowest and the highest bit of the port that turns it on (`cnot0` and `cnot1`).
    pub control: Option<(u32, u32)>,
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
        let is_empty =
            |text: &Option<String>| text.as_ref().is_none_or(|text| text.trim().is_empty());
        let names_nothing = is_empty(&explanation.text) && is_empty(&explanation.port);
        if explanation.reason.trim().is_empty() || names_nothing {
            return Err(wrong(format!(
                "explanation {number} has no reason, or neither a text nor a port"
            )));
        }
    }
    Ok(file.explanation)
}

/// The explanation of a mutant of the sources below `root`, if there is one.
///
/// # Errors
///
/// If its source cannot be read, or has not the lines that it comes from.
pub fn of<'a>(
    mutant: &Mutant,
    explanations: &'a [Explanation],
    root: &Path,
) -> Result<Option<&'a Explanation>> {
    let lines = lines_of(mutant, root)?;
    Ok((explanations.iter()).find(|explanation| explanation.has(mutant, &lines)))
}

/// The numbers of those mutants of a list, of the sources below `root`, that are explained.
///
/// # Errors
///
/// If a source cannot be read, or has not the lines that a mutant comes from.
pub fn numbers(list: &List, explanations: &[Explanation], root: &Path) -> Result<BTreeSet<u32>> {
    let mut numbers = BTreeSet::new();
    for mutant in &list.mutants {
        if of(mutant, explanations, root)?.is_some() {
            numbers.insert(mutant.number);
        }
    }
    Ok(numbers)
}

/// The lines of its source that a mutant comes from.
fn lines_of(mutant: &Mutant, root: &Path) -> Result<Vec<String>> {
    let path = root.join(&mutant.file);
    let text = read(&path)?;
    let all: Vec<_> = text.lines().collect();
    let line = |number: usize| match all.get(number - 1) {
        Some(line) => Ok((*line).to_owned()),
        None => Err(Error::Content {
            path: path.clone(),
            what: format!(
                "it has no line {number}, of which there is a mutant; make the mutants of this design"
            ),
        }),
    };
    mutant.lines().into_iter().map(line).collect()
}

impl Explanation {
    /// Whether it is one of a mutant, whose lines are `lines`.
    pub fn has(&self, mutant: &Mutant, lines: &[String]) -> bool {
        let is_within = |bit: Option<u32>, range: Option<(u32, u32)>| {
            range.is_none_or(|(low, high)| bit.is_some_and(|bit| (low..=high).contains(&bit)))
        };
        let is_named = |name: &Option<String>, of_mutant: Option<&str>| {
            name.as_ref().is_none_or(|name| Some(&**name) == of_mutant)
        };
        let has_text = |text: &String| lines.iter().any(|line| line.contains(text));
        self.file.as_ref().is_none_or(|file| *file == mutant.file)
            && self.text.as_ref().is_none_or(has_text)
            && is_named(&self.module, mutant.module())
            && is_named(&self.port, mutant.port())
            && self.mode.as_ref().is_none_or(|mode| mode == mutant.mode())
            && is_within(mutant.bit(), self.bits)
            && is_within(mutant.wire_bit(), self.wire_bits)
            && is_within(mutant.control(), self.control)
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
        other.port = Some("Y".to_owned());
        other.mode = None;
        assert!(other.has(&mutant(1, "rtl/a.sv", 3), &lines));
        other.port = Some("A".to_owned());
        assert!(!other.has(&mutant(1, "rtl/a.sv", 3), &lines));
        for (module, fits) in [("m_v1", true), ("m_v2", false)] {
            other = explanation.clone();
            other.module = Some(module.to_owned());
            assert_eq!(other.has(&mutant(1, "rtl/a.sv", 3), &lines), fits);
        }
        for (wire_bits, fits) in [((0, 2), true), ((3, 7), false)] {
            other = explanation.clone();
            other.wire_bits = Some(wire_bits);
            assert_eq!(other.has(&mutant(1, "rtl/a.sv", 3), &lines), fits);
        }
        let mut turned_on = mutant(1, "rtl/a.sv", 3);
        turned_on.mutation = turned_on.mutation.replace("inv", "cnot1") + " -ctrlbit 5";
        for (control, fits) in [((4, 5), true), ((6, 7), false)] {
            other = explanation.clone();
            (other.mode, other.control) = (None, Some(control));
            assert_eq!(other.has(&turned_on, &lines), fits);
            assert!(!other.has(&mutant(1, "rtl/a.sv", 3), &lines));
        }
        for wrong in [
            text.replace("why", " "),
            text.replace("text = 'sum_q'\n", ""),
        ] {
            fs::write(&path, wrong).unwrap();
            let error = read_file(&path).unwrap_err().to_string();
            assert!(error.contains("explanation 1 has no reason"), "{error}");
        }
        // Of any file.
        fs::write(&path, "[[explanation]]\nport = 'Y'\nreason = 'why'\n").unwrap();
        let explanation = &read_file(&path).unwrap()[0];
        assert!(explanation.has(&mutant(1, "rtl/b.sv", 3), &[]));
    }
}

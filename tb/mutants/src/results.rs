// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! What is known of mutants, in a file that grows with each of them: a run that is interrupted goes on where it was.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::list::List;
use crate::{Error, Result, read};

/// A test on the netlist without a mutant.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Sound {
    /// Its title.
    pub test: String,
    /// Whether it passes; one that does not is left out.
    pub passes: bool,
    /// Seconds that it takes.
    pub seconds: f64,
    /// Mutants that would change a bit in it, by their numbers; it need not be run on others. Unknown without a list.
    #[serde(default)]
    pub differs: Option<BTreeSet<u32>>,
}

impl Sound {
    /// Whether a mutant changes nothing in the test.
    pub fn is_blind_to(&self, mutant: u32) -> bool {
        let differs = self.differs.as_ref();
        differs.is_some_and(|numbers| !numbers.contains(&mutant))
    }
}

/// A test that had not ended on the netlist without a mutant when it was stopped.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Longer {
    /// Its title.
    pub test: String,
    /// Seconds that it takes more than.
    pub seconds: f64,
}

/// What came of a mutant.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Outcome {
    /// Its number.
    pub mutant: u32,
    /// The test that found it.
    pub found_by: Option<String>,
    /// Whether it did so by not ending.
    pub hung: bool,
    /// The tests that did not find it.
    pub passed: Vec<String>,
    /// Seconds of all of them.
    pub seconds: f64,
}

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
enum Line {
    /// The digest of the list of mutants.
    List(String),
    Sound(Sound),
    Longer(Longer),
    Outcome(Outcome),
}

/// The file.
pub struct Results {
    path: PathBuf,
    file: File,
    /// By the title of the test.
    pub sound: BTreeMap<String, Sound>,
    /// Seconds that a test takes more than, by its title; it may be in `sound` as well.
    pub longer: BTreeMap<String, f64>,
    /// By the number of the mutant, the last of each.
    pub outcomes: BTreeMap<u32, Outcome>,
}

impl Results {
    /// Opens the file of a list, or begins it.
    ///
    /// # Errors
    ///
    /// If it cannot be read or written, or is that of another list.
    pub fn open(path: &Path, list: &List) -> Result<Self> {
        let failed = |source| Error::Write {
            path: path.to_owned(),
            source,
        };
        let mut sound = BTreeMap::new();
        let mut longer = BTreeMap::new();
        let mut outcomes = BTreeMap::new();
        let text = if path.exists() {
            read(path)?
        } else {
            String::new()
        };
        // A last line without an end is of a run that was interrupted while it wrote.
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        for (number, line) in (1..).zip(text[..whole].lines()) {
            let wrong = |what: String| Error::Content {
                path: path.to_owned(),
                what: format!("line {number}: {what}"),
            };
            let line = serde_json::from_str(line)
                .map_err(|error| wrong(format!("this is no result: {error}")))?;
            match line {
                Line::List(digest) if digest == list.digest => {}
                Line::List(_) => {
                    return Err(wrong(
                        "these results are of other mutants; remove the file".to_owned(),
                    ));
                }
                Line::Sound(test) => drop(sound.insert(test.test.clone(), test)),
                Line::Longer(test) => drop(longer.insert(test.test, test.seconds)),
                Line::Outcome(outcome) => drop(outcomes.insert(outcome.mutant, outcome)),
            }
        }
        let file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(path)
            .map_err(failed)?;
        file.set_len(whole as u64).map_err(failed)?;
        let mut results = Self {
            path: path.to_owned(),
            file,
            sound,
            longer,
            outcomes,
        };
        if whole == 0 {
            results.write(&Line::List(list.digest.clone()))?;
        }
        Ok(results)
    }

    /// Adds what is known of a test.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn add_sound(&mut self, sound: Sound) -> Result<()> {
        self.write(&Line::Sound(sound.clone()))?;
        self.sound.insert(sound.test.clone(), sound);
        Ok(())
    }

    /// Adds that a test was stopped.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn add_longer(&mut self, longer: Longer) -> Result<()> {
        self.write(&Line::Longer(longer.clone()))?;
        self.longer.insert(longer.test, longer.seconds);
        Ok(())
    }

    /// Adds what came of a mutant.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn add(&mut self, outcome: Outcome) -> Result<()> {
        self.write(&Line::Outcome(outcome.clone()))?;
        self.outcomes.insert(outcome.mutant, outcome);
        Ok(())
    }

    fn write(&mut self, line: &Line) -> Result<()> {
        let text = serde_json::to_string(line).expect("a line is JSON") + "\n";
        self.file
            .write_all(text.as_bytes())
            .map_err(|source| Error::Write {
                path: self.path.clone(),
                source,
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn list(digest: &str) -> List {
        List {
            top: "acclmt_core".to_owned(),
            seed: 1,
            per_file: 1,
            mutants: Vec::new(),
            digest: digest.to_owned(),
        }
    }

    fn outcome(mutant: u32) -> Outcome {
        Outcome {
            mutant,
            found_by: None,
            hung: false,
            passed: vec!["chip::root".to_owned()],
            seconds: 1.5,
        }
    }

    #[test]
    fn a_run_goes_on_where_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.jsonl");
        let mut results = Results::open(&path, &list("a")).unwrap();
        results.add(outcome(3)).unwrap();
        drop(results);
        // Half a line of an interrupted run.
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, format!("{text}{{\"outcome\":{{\"mut")).unwrap();
        let mut results = Results::open(&path, &list("a")).unwrap();
        assert_eq!(results.outcomes.keys().collect::<Vec<_>>(), [&3]);
        results.add(outcome(4)).unwrap();
        let results = Results::open(&path, &list("a")).unwrap();
        assert_eq!(results.outcomes.keys().collect::<Vec<_>>(), [&3, &4]);
    }

    #[test]
    fn results_of_other_mutants_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.jsonl");
        drop(Results::open(&path, &list("a")).unwrap());
        let error = Results::open(&path, &list("b")).err().unwrap().to_string();
        assert!(error.contains("of other mutants"), "{error}");
        fs::write(&path, "nothing\n").unwrap();
        let error = Results::open(&path, &list("a")).err().unwrap().to_string();
        assert!(error.contains("line 1: this is no result"), "{error}");
    }
}

// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! How often tests have found mutants, which says in what order they run.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::list::List;
use crate::results::Results;
use crate::{Error, Result, read};

/// How often a test was asked, and how often it has found a mutant.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
struct Record(u32, u32);

impl Record {
    fn add(&mut self, Record(asked, found): Record) {
        self.0 += asked;
        self.1 += found;
    }

    /// The share of mutants that it is to be expected to find, as if `before` had said so of two of them.
    fn share(self, before: f64) -> f64 {
        (f64::from(self.1) + 2.0 * before) / f64::from(self.0 + 2)
    }
}

/// The records of tests, by their titles and by the folders of the design that the mutants were in.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Records {
    tests: BTreeMap<String, BTreeMap<String, Record>>,
}

impl Records {
    /// Those of results.
    pub fn new(list: &List, results: &Results) -> Self {
        let mut records = Self::default();
        for mutant in &list.mutants {
            let Some(outcome) = results.outcomes.get(&mutant.number) else {
                continue;
            };
            for title in outcome.passed.iter().chain(&outcome.found_by) {
                let is_found = outcome.found_by.as_ref() == Some(title);
                records.add(title, mutant.folder(), is_found);
            }
        }
        records
    }

    /// Reads those of an earlier sample.
    ///
    /// # Errors
    ///
    /// If there is no such file, or it is none of [`file`](Self::file).
    pub fn read(path: &Path) -> Result<Self> {
        serde_json::from_str(&read(path)?).map_err(|error| Error::Content {
            path: path.to_owned(),
            what: format!("these are no records of tests: {error}"),
        })
    }

    /// Their file: a line for each test.
    pub fn file(&self) -> String {
        let lines = self.tests.iter().map(|(title, folders)| {
            let folders = serde_json::to_string(folders).expect("a record is JSON");
            format!("  \"{title}\": {folders}")
        });
        let lines: Vec<_> = lines.collect();
        format!("{{\n{}\n}}\n", lines.join(",\n"))
    }

    /// Adds what a test said of a mutant of a folder.
    pub fn add(&mut self, title: &str, folder: &str, is_found: bool) {
        self.add_record(title, folder, Record(1, u32::from(is_found)));
    }

    fn add_record(&mut self, title: &str, folder: &str, record: Record) {
        let folders = self.tests.entry(title.to_owned()).or_default();
        folders.entry(folder.to_owned()).or_default().add(record);
    }

    /// Adds others.
    pub fn extend(&mut self, others: &Self) {
        for (title, folders) in &others.tests {
            for (folder, &record) in folders {
                self.add_record(title, folder, record);
            }
        }
    }

    /// The share of mutants of this folder that a test is to be expected to find.
    pub fn share(&self, title: &str, folder: &str) -> f64 {
        let Some(folders) = self.tests.get(title) else {
            return 0.5;
        };
        let mut all = Record::default();
        folders.values().for_each(|&record| all.add(record));
        let of_folder = folders.get(folder).copied().unwrap_or_default();
        of_folder.share(all.share(0.5))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::list::tests::mutant;
    use crate::results::Outcome;

    #[test]
    fn what_tests_have_found_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let list = List {
            top: "acclmt_core".to_owned(),
            seed: 1,
            per_file: 2,
            mutants: vec![
                mutant(1, "rtl/tree/a.sv", 1),
                mutant(2, "rtl/field/b.sv", 1),
            ],
            digest: "a".to_owned(),
        };
        let mut results = Results::open(&folder.path().join("r.jsonl"), &list).unwrap();
        for mutant in [1, 2] {
            let outcome = Outcome {
                mutant,
                found_by: (mutant == 2).then(|| "chip::b".to_owned()),
                hung: false,
                passed: vec!["chip::a".to_owned()],
                seconds: 1.0,
            };
            results.add(outcome).unwrap();
        }
        let records = Records::new(&list, &results);
        let text = "{\n  \"chip::a\": {\"field\":[1,0],\"tree\":[1,0]},\n  \"chip::b\": {\"field\":[1,1]}\n}\n";
        assert_eq!(records.file(), text);
        let path = folder.path().join("records.json");
        std::fs::write(&path, text).unwrap();
        let mut read = Records::read(&path).unwrap();
        assert_eq!(read, records);
        // What is known of a folder is worth more there than what is known of all.
        assert!(records.share("chip::b", "field") > records.share("chip::b", "tree"));
        assert!(records.share("chip::a", "tree") < records.share("chip::new", "tree"));
        read.extend(&records);
        assert_eq!(read.tests["chip::b"]["field"], Record(2, 2));
        std::fs::write(&path, "{\"chip::a\": 3}").unwrap();
        let error = Records::read(&path).unwrap_err().to_string();
        assert!(error.contains("no records of tests"), "{error}");
    }
}

// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! How often tests have found mutants, and which ones, which says in what order they run.

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

/// The folder of a file of the design.
fn folder(file: &str) -> Option<&str> {
    Some(file.rsplit_once('/')?.0)
}

/// The records of tests, by their titles.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Records {
    /// The digest of the netlist of a sample.
    netlist: String,
    /// The numbers of the mutants of that sample that each test has found.
    found: BTreeMap<String, Vec<u32>>,
    /// How often each was asked, and has found, by the files of the design that the mutants were in.
    asked: BTreeMap<String, BTreeMap<String, Record>>,
}

impl Records {
    /// Those of results.
    pub fn new(list: &List, results: &Results) -> Self {
        let mut records = Self {
            netlist: list.digest.clone(),
            ..Self::default()
        };
        for mutant in &list.mutants {
            let Some(outcome) = results.outcomes.get(&mutant.number) else {
                continue;
            };
            for title in &outcome.passed {
                records.add(title, &mutant.file, false);
            }
            if let Some(title) = &outcome.found_by {
                records.add(title, &mutant.file, true);
                let found = records.found.entry(title.clone()).or_default();
                found.push(mutant.number);
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
        fn lines<T: Serialize>(tests: &BTreeMap<String, T>) -> String {
            let lines = tests.iter().map(|(title, of_test)| {
                let of_test = serde_json::to_string(of_test).expect("a record is JSON");
                format!("    \"{title}\": {of_test}")
            });
            let lines: Vec<_> = lines.collect();
            lines.join(",\n")
        }
        format!(
            "{{\n  \"netlist\": \"{}\",\n  \"found\": {{\n{}\n  }},\n  \"asked\": {{\n{}\n  }}\n}}\n",
            self.netlist,
            lines(&self.found),
            lines(&self.asked)
        )
    }

    /// Adds what a test said of a mutant of a file.
    pub fn add(&mut self, title: &str, file: &str, is_found: bool) {
        self.add_record(title, file, Record(1, u32::from(is_found)));
    }

    fn add_record(&mut self, title: &str, file: &str, record: Record) {
        let files = self.asked.entry(title.to_owned()).or_default();
        files.entry(file.to_owned()).or_default().add(record);
    }

    /// Adds how often the tests of others were asked.
    pub fn extend(&mut self, others: &Self) {
        for (title, files) in &others.asked {
            for (file, &record) in files {
                self.add_record(title, file, record);
            }
        }
    }

    /// The tests that have found mutants of this list, by the number of each.
    pub fn finders(&self, list: &List) -> BTreeMap<u32, &str> {
        let found = self.found.iter().filter(|_| self.netlist == list.digest);
        found
            .flat_map(|(title, numbers)| numbers.iter().map(|&number| (number, title.as_str())))
            .collect()
    }

    /// The share of mutants of this file that a test is to be expected to find: what is known of the file is worth more
    /// than what is known of its folder, and that more than what is known of all.
    pub fn share(&self, title: &str, file: &str) -> f64 {
        let Some(files) = self.asked.get(title) else {
            return 0.5;
        };
        let (mut all, mut of_folder) = (Record::default(), Record::default());
        for (other, &record) in files {
            all.add(record);
            if folder(other) == folder(file) {
                of_folder.add(record);
            }
        }
        let of_file = files.get(file).copied().unwrap_or_default();
        of_file.share(of_folder.share(all.share(0.5)))
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
        let text = r#"{
  "netlist": "a",
  "found": {
    "chip::b": [2]
  },
  "asked": {
    "chip::a": {"rtl/field/b.sv":[1,0],"rtl/tree/a.sv":[1,0]},
    "chip::b": {"rtl/field/b.sv":[1,1]}
  }
}
"#;
        assert_eq!(records.file(), text);
        let path = folder.path().join("records.json");
        std::fs::write(&path, text).unwrap();
        let mut read = Records::read(&path).unwrap();
        assert_eq!(read, records);
        assert_eq!(read.finders(&list), BTreeMap::from([(2, "chip::b")]));
        let other = List {
            digest: "b".to_owned(),
            ..list
        };
        assert_eq!(read.finders(&other), BTreeMap::new());
        // What is known of a file is worth more there than what is known of its folder, and that more than the rest.
        let shares = ["rtl/field/b.sv", "rtl/field/c.sv", "rtl/tree/a.sv"]
            .map(|file| records.share("chip::b", file));
        assert!(shares.is_sorted_by(|a, b| a > b), "{shares:?}");
        let [known, new] =
            ["chip::a", "chip::new"].map(|title| records.share(title, "rtl/tree/a.sv"));
        assert!(known < new);
        read.extend(&records);
        assert_eq!(read.asked["chip::b"]["rtl/field/b.sv"], Record(2, 2));
        std::fs::write(&path, "{\"chip::a\": 3}").unwrap();
        let error = Records::read(&path).unwrap_err().to_string();
        assert!(error.contains("no records of tests"), "{error}");
    }
}

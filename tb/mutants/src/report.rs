// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! How many mutants the tests have found, and which ones live.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use serde::Serialize;

use crate::Result;
use crate::explained::{self, Explanation};
use crate::list::{Comparison, List};
use crate::results::Results;

/// Percent of the mutants of arithmetic, and of all others, that are to be found.
const GOALS: [(&str, f64); 2] = [("arithmetic", 99.0), ("control", 95.0)];

/// Counts of mutants.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Counts {
    /// Those that were run.
    pub mutants: usize,
    /// Those of what nothing reads; they are not among the others.
    pub unread: usize,
    /// Those that no test found, and that are equal to their module; they are not among the others.
    pub equal: usize,
    /// Those that a test found.
    pub found: usize,
    /// Those that live, and of which it is explained why.
    pub explained: usize,
}

impl Counts {
    fn add(&mut self, other: Self) {
        self.mutants += other.mutants;
        self.unread += other.unread;
        self.equal += other.equal;
        self.found += other.found;
        self.explained += other.explained;
    }

    /// Percent that were found of those that can be.
    pub fn score(self) -> f64 {
        match self.mutants - self.explained {
            0 => 100.0,
            all => self.found as f64 / all as f64 * 100.0,
        }
    }
}

/// A mutant that lives.
#[derive(Debug, Serialize)]
pub struct Living {
    /// Its number in the netlist.
    pub number: u32,
    /// Where it is, and what it does.
    pub what: String,
    /// Tests that did not find it.
    pub tests: usize,
    /// Why none can.
    pub reason: Option<String>,
}

/// What came of all mutants.
#[derive(Debug, Serialize)]
pub struct Report {
    /// The module of the design.
    pub top: String,
    /// The seed of the sample.
    pub seed: u64,
    /// Mutants of each file that were asked for.
    pub per_file: u32,
    /// Tests that pass without a mutant.
    pub tests: usize,
    /// Mutants that were not run yet.
    pub missing: usize,
    /// By the folders of the design.
    pub folders: BTreeMap<String, Counts>,
    /// Those that live.
    pub living: Vec<Living>,
}

impl Report {
    /// Of a list of the sources below `root`.
    ///
    /// # Errors
    ///
    /// If a source cannot be read, or has not the lines that a mutant comes from.
    pub fn new(
        list: &List,
        results: &Results,
        explained: &[Explanation],
        root: &Path,
    ) -> Result<Self> {
        let mut report = Self {
            top: list.top.clone(),
            seed: list.seed,
            per_file: list.per_file,
            tests: results.sound.values().filter(|test| test.passes).count(),
            missing: 0,
            folders: BTreeMap::new(),
            living: Vec::new(),
        };
        for mutant in &list.mutants {
            let counts = report
                .folders
                .entry(mutant.folder().to_owned())
                .or_default();
            if mutant.compared.is_without_effect() {
                counts.unread += usize::from(mutant.compared == Comparison::Unread);
                counts.equal += usize::from(mutant.compared == Comparison::Equal);
                continue;
            }
            let number = mutant.number;
            let Some(outcome) = results.outcomes.get(&number) else {
                report.missing += 1;
                continue;
            };
            counts.mutants += 1;
            if outcome.found_by.is_some() {
                counts.found += 1;
                continue;
            }
            let explanation = explained::of(mutant, explained, root)?;
            counts.explained += usize::from(explanation.is_some());
            report.living.push(Living {
                number,
                what: mutant.to_string(),
                tests: outcome.passed.len(),
                reason: explanation.map(|explanation| explanation.reason.clone()),
            });
        }
        Ok(report)
    }

    /// The counts of the arithmetic and of everything else.
    fn kinds(&self) -> [(&'static str, Counts, f64); 2] {
        GOALS.map(|(kind, goal)| {
            let mut sum = Counts::default();
            for (folder, counts) in &self.folders {
                if (folder == "field") == (kind == "arithmetic") {
                    sum.add(*counts);
                }
            }
            (kind, sum, goal)
        })
    }

    /// The kinds of which less was found than is to be.
    pub fn short(&self) -> Vec<&'static str> {
        let kinds = self.kinds().into_iter();
        kinds
            .filter(|(_, counts, goal)| counts.score() < *goal)
            .map(|(kind, ..)| kind)
            .collect()
    }

    /// The figures in Markdown.
    pub fn figures(&self) -> String {
        let mut text = format!(
            "Of `{}`: {} mutants of each file (seed {}), {} tests.\n\n\
             | folder | mutants | found | explained | live | found of those that can be | unread | equal to their module |\n\
             |---|---|---|---|---|---|---|---|\n",
            self.top, self.per_file, self.seed, self.tests
        );
        let folders = self
            .folders
            .iter()
            .map(|(folder, &counts)| (format!("`rtl/{folder}`"), counts));
        let kinds = self
            .kinds()
            .into_iter()
            .filter(|(_, counts, _)| counts.mutants > 0)
            .map(|(kind, counts, _)| (kind.to_owned(), counts));
        for (name, counts) in folders.chain(kinds) {
            let _ = writeln!(
                text,
                "| {} | {} | {} | {} | {} | {:.1} % | {} | {} |",
                name.replace("`rtl/top`", "`rtl`"),
                counts.mutants,
                counts.found,
                counts.explained,
                counts.mutants - counts.found - counts.explained,
                counts.score(),
                counts.unread,
                counts.equal
            );
        }
        if self.missing > 0 {
            let _ = writeln!(text, "\nNot run yet: {} mutants.", self.missing);
        }
        if !self.living.is_empty() {
            text += "\nThose that live:\n\n";
        }
        for living in &self.living {
            let _ = writeln!(
                text,
                "- {} `{}`: {}",
                living.number,
                living.what,
                living.reason.as_deref().unwrap_or("not explained")
            );
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::list::tests::mutant;
    use crate::results::Outcome;
    use std::fs;

    #[test]
    fn mutants_are_counted() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("rtl/tree")).unwrap();
        fs::create_dir_all(folder.path().join("rtl/field")).unwrap();
        for file in ["rtl/tree/a.sv", "rtl/field/b.sv"] {
            fs::write(folder.path().join(file), "first\n  second\n").unwrap();
        }
        let mut equal = mutant(0, "rtl/tree/a.sv", 1);
        equal.compared = Comparison::Equal;
        let mut unread = mutant(5, "rtl/field/b.sv", 1);
        unread.compared = Comparison::Unread;
        let list = List {
            top: "acclmt_core".to_owned(),
            seed: 1,
            per_file: 3,
            mutants: vec![
                mutant(1, "rtl/tree/a.sv", 1),
                mutant(2, "rtl/tree/a.sv", 2),
                mutant(3, "rtl/field/b.sv", 1),
                mutant(4, "rtl/field/b.sv", 2),
                equal,
                unread,
            ],
            digest: "a".to_owned(),
        };
        let mut results = Results::open(&folder.path().join("r.jsonl"), &list).unwrap();
        for (mutant, found) in [(1, true), (2, false), (3, true)] {
            let outcome = Outcome {
                mutant,
                found_by: found.then(|| "chip::root".to_owned()),
                hung: false,
                passed: vec!["chip::other".to_owned()],
                seconds: 1.0,
            };
            results.add(outcome).unwrap();
        }
        let report = Report::new(&list, &results, &[], folder.path()).unwrap();
        assert_eq!(report.missing, 1);
        assert_eq!(report.short(), ["control"]);
        let figures = report.figures();
        assert!(
            figures.contains("| `rtl/tree` | 2 | 1 | 0 | 1 | 50.0 % | 0 | 1 |"),
            "{figures}"
        );
        assert!(
            figures.contains("| arithmetic | 1 | 1 | 0 | 0 | 100.0 % | 1 | 0 |"),
            "{figures}"
        );
        assert!(figures.contains("- 2 `rtl/tree/a.sv:2: inv "), "{figures}");

        let explanation = Explanation {
            file: Some("rtl/tree/a.sv".to_owned()),
            module: None,
            text: Some("second".to_owned()),
            port: None,
            mode: None,
            bits: None,
            wire_bits: None,
            control: None,
            reason: "it is seldom".to_owned(),
        };
        let report = Report::new(&list, &results, &[explanation], folder.path()).unwrap();
        assert!(report.short().is_empty());
        assert!(report.figures().contains(": it is seldom\n"));

        fs::write(folder.path().join("rtl/tree/a.sv"), "first\n").unwrap();
        let error = Report::new(&list, &results, &[], folder.path()).unwrap_err();
        assert!(error.to_string().contains("has no line 2"), "{error}");
    }
}

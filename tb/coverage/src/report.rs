// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! What was reached, and what is left.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde::Serialize;

use crate::exclusions::{Exclusion, lines_of_checks, name_and_bit};
use crate::points::{Counts, Kind, Point};
use crate::{Error, Result};

/// The least share of the points of a kind that is to be reached, in percent.
pub fn goal(kind: Kind) -> f64 {
    match kind {
        Kind::Line | Kind::Branch | Kind::Cover => 100.0,
        Kind::Toggle => 95.0,
    }
}

/// Numbers of points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// Those that were reached.
    pub reached: u64,
    /// Those that are to be.
    pub points: u64,
    /// Those that are left out.
    pub excluded: u64,
}

impl Tally {
    /// The share that was reached, in percent; all of nothing.
    pub fn percent(&self) -> f64 {
        match self.points {
            0 => 100.0,
            points => 100.0 * self.reached as f64 / points as f64,
        }
    }

    fn add(&mut self, other: Self) {
        self.reached += other.reached;
        self.points += other.points;
        self.excluded += other.excluded;
    }
}

/// Numbers of points of each kind.
pub type Tallies = BTreeMap<Kind, Tally>;

/// Points of one line and kind that were not reached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Missed {
    /// The file, relative to the folder of the design.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// What they are.
    pub kind: Kind,
    /// What Verilator says of them, without the numbers of bits.
    pub name: String,
    /// The numbers of bits, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub bits: Vec<u32>,
    /// The line.
    pub text: String,
}

/// An exclusion, and how many points it left out.
#[derive(Clone, Debug, Serialize)]
pub struct Used {
    /// The exclusion.
    #[serde(flatten)]
    pub exclusion: Exclusion,
    /// The points.
    pub points: u64,
}

/// What was reached of a design.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Of the whole design.
    pub total: Tallies,
    /// By file.
    pub files: BTreeMap<String, Tallies>,
    /// What is left.
    pub missed: Vec<Missed>,
    /// What was left out.
    pub exclusions: Vec<Used>,
}

impl Report {
    /// Compares what was counted with the design in the folder `design`.
    ///
    /// # Errors
    ///
    /// If a file of the design cannot be read or has not the lines of which something was counted.
    pub fn new(counts: &Counts, design: &Path, exclusions: Vec<Exclusion>) -> Result<Self> {
        let mut used: Vec<Used> = exclusions
            .into_iter()
            .map(|exclusion| Used {
                exclusion,
                points: 0,
            })
            .collect();
        let mut lines: BTreeMap<&str, (Vec<String>, Vec<bool>)> = BTreeMap::new();
        let mut files: BTreeMap<String, Tallies> = BTreeMap::new();
        let mut missed: Vec<Missed> = Vec::new();
        for (point, &count) in counts {
            if !lines.contains_key(point.file.as_str()) {
                let of_file = lines_of(&design.join(&point.file))?;
                let of_checks = lines_of_checks(of_file.iter().map(String::as_str));
                lines.insert(&point.file, (of_file, of_checks));
            }
            let (of_file, of_checks) = &lines[point.file.as_str()];
            let (line, &is_check) = (point.line.checked_sub(1))
                .and_then(|line| of_file.get(line as usize).zip(of_checks.get(line as usize)))
                .ok_or_else(|| Error::Line {
                    path: design.join(&point.file),
                    line: point.line,
                })?;
            let tally = files
                .entry(point.file.clone())
                .or_default()
                .entry(point.kind)
                .or_default();
            let left_out = used
                .iter_mut()
                .find(|used| used.exclusion.has(point, line, is_check));
            match left_out {
                Some(used) if count == 0 => {
                    used.points += 1;
                    tally.excluded += 1;
                }
                // An exclusion by name may have bits that are reached: they count.
                _ => {
                    tally.points += 1;
                    tally.reached += u64::from(count > 0);
                    if count == 0 {
                        add_missed(&mut missed, point, line);
                    }
                }
            }
        }
        let mut total = Tallies::new();
        for tallies in files.values() {
            for (&kind, &tally) in tallies {
                total.entry(kind).or_default().add(tally);
            }
        }
        Ok(Self {
            total,
            files,
            missed,
            exclusions: used,
        })
    }

    /// The kinds of which less was reached than is to be.
    pub fn short(&self) -> Vec<Kind> {
        let is_short = |kind: &Kind| {
            self.total
                .get(kind)
                .is_none_or(|tally| tally.percent() < goal(*kind))
        };
        Kind::ALL.into_iter().filter(is_short).collect()
    }

    /// The exclusions that leave out nothing that was not reached, a line for each with its number in their file.
    pub fn idle(&self) -> String {
        let mut text = String::new();
        for (number, used) in (1..).zip(&self.exclusions) {
            if used.points == 0 {
                let _ = writeln!(
                    text,
                    "exclusion {number}, {}: {}",
                    used.exclusion, used.exclusion.reason
                );
            }
        }
        text
    }

    /// The tables of the page of the book.
    pub fn tables(&self) -> String {
        let mut text =
            String::from("| | lines | branches | cover properties | changes of bits |\n");
        text += "|---|---|---|---|---|\n";
        let mut folders: BTreeMap<&str, Tallies> = BTreeMap::new();
        for (file, tallies) in &self.files {
            let folder = file.rsplit_once('/').map_or("top", |(folder, _)| folder);
            for (&kind, &tally) in tallies {
                let sum = folders.entry(folder).or_default();
                sum.entry(kind).or_default().add(tally);
            }
        }
        for (folder, tallies) in &folders {
            row(&mut text, &format!("`{folder}`"), tallies);
        }
        row(&mut text, "**all**", &self.total);
        text
    }

    /// What the page of the book says: the tables, what is left, and what was left out.
    pub fn figures(&self) -> String {
        let mut text = self.tables();
        if !self.missed.is_empty() {
            let _ = write!(text, "\nNot reached:\n\n```text\n{}```\n", self.list());
        }
        if !self.exclusions.is_empty() {
            text += "\n| left out | points | why |\n|---|---|---|\n";
        }
        for Used { exclusion, points } in &self.exclusions {
            let _ = writeln!(text, "| {exclusion} | {points} | {} |", exclusion.reason);
        }
        text
    }

    /// What is left, a line for each.
    pub fn list(&self) -> String {
        let mut text = String::new();
        for missed in &self.missed {
            let Missed {
                file,
                line,
                kind,
                name,
                ..
            } = missed;
            let bits = ranges(&missed.bits);
            let _ = writeln!(
                text,
                "{file}:{line}: {kind} {name}{bits}: {}",
                missed.text.trim()
            );
        }
        text
    }
}

fn lines_of(path: &Path) -> Result<Vec<String>> {
    let text = fs::read_to_string(path).map_err(|source| Error::Read {
        path: path.to_owned(),
        source,
    })?;
    Ok(text.lines().map(str::to_owned).collect())
}

/// Adds a point; bits of one signal come together.
fn add_missed(missed: &mut Vec<Missed>, point: &Point, text: &str) {
    let (name, bit) = match point.kind {
        Kind::Toggle => name_and_bit(&point.comment),
        _ => (point.comment.as_str(), None),
    };
    let same = |last: &&mut Missed| {
        last.file == point.file
            && last.line == point.line
            && last.kind == point.kind
            && last.name == name
    };
    match missed.iter_mut().rev().find(same).zip(bit) {
        Some((last, bit)) => {
            last.bits.push(bit);
            last.bits.sort_unstable();
        }
        None => missed.push(Missed {
            file: point.file.clone(),
            line: point.line,
            kind: point.kind,
            name: name.to_owned(),
            bits: bit.into_iter().collect(),
            text: text.to_owned(),
        }),
    }
}

/// Numbers in order as ranges, from the highest: `[7:4,2]`.
fn ranges(bits: &[u32]) -> String {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for &bit in bits {
        match ranges.last_mut() {
            Some((_, high)) if *high + 1 == bit => *high = bit,
            _ => ranges.push((bit, bit)),
        }
    }
    if ranges.is_empty() {
        return String::new();
    }
    let texts: Vec<_> = ranges
        .iter()
        .rev()
        .map(|&(low, high)| match low == high {
            true => low.to_string(),
            false => format!("{high}:{low}"),
        })
        .collect();
    format!("[{}]", texts.join(","))
}

fn row(text: &mut String, name: &str, tallies: &Tallies) {
    *text += &format!("| {name} |");
    for kind in Kind::ALL {
        let cell = match tallies.get(&kind) {
            None => String::new(),
            Some(tally) => {
                let Tally {
                    reached, points, ..
                } = tally;
                let mut cell = format!("{reached} of {points}, {:.1} %", floor(tally.percent()));
                if tally.excluded > 0 {
                    let _ = write!(cell, " ({} left out)", tally.excluded);
                }
                cell
            }
        };
        *text += &format!(" {cell} |");
    }
    *text += "\n";
}

/// A share of which a part is missing is never shown as the whole.
fn floor(percent: f64) -> f64 {
    (percent * 10.0).floor() / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::points::Kind;

    fn counts(points: &[(u32, Kind, &str, u64)]) -> Counts {
        points
            .iter()
            .map(|&(line, kind, comment, count)| {
                let point = Point {
                    file: "tree/acclmt_tree.sv".to_owned(),
                    line,
                    column: 1,
                    kind,
                    comment: comment.to_owned(),
                };
                (point, count)
            })
            .collect()
    }

    fn report(counts: &Counts, exclusions: Vec<Exclusion>) -> Result<Report> {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("tree")).unwrap();
        let text = "module acclmt_tree;\n  logic [11:0] count_q;\n  if (full) begin\n";
        fs::write(folder.path().join("tree/acclmt_tree.sv"), text).unwrap();
        Report::new(counts, folder.path(), exclusions)
    }

    fn exclusion(name: &str) -> Exclusion {
        Exclusion {
            file: None,
            kind: Kind::Toggle,
            text: None,
            name: Some(name.to_owned()),
            bits: None,
            checks: false,
            reason: "none".to_owned(),
        }
    }

    #[test]
    fn what_is_left_is_listed() {
        let counts = counts(&[
            (2, Kind::Toggle, "count_q[0]", 3),
            (2, Kind::Toggle, "count_q[1]", 0),
            (2, Kind::Toggle, "count_q[2]", 0),
            (2, Kind::Toggle, "count_q[11]", 0),
            (3, Kind::Branch, "if", 1),
            (3, Kind::Branch, "else", 0),
        ]);
        let report = report(&counts, Vec::new()).unwrap();
        assert_eq!(
            report.list(),
            "tree/acclmt_tree.sv:2: toggle count_q[11,2:1]: logic [11:0] count_q;\n\
             tree/acclmt_tree.sv:3: branch else: if (full) begin\n"
        );
        let toggles = report.total[&Kind::Toggle];
        assert_eq!((toggles.reached, toggles.points), (1, 4));
        // No line and no cover property is counted here, which is short of the goal as well.
        assert_eq!(report.short(), Kind::ALL);
        let tables = report.tables();
        assert!(
            tables.contains("| `tree` |  | 1 of 2, 50.0 % |  | 1 of 4, 25.0 % |"),
            "{tables}"
        );
    }

    #[test]
    fn exclusions_are_counted() {
        let counts = counts(&[
            (2, Kind::Toggle, "count_q[0]", 3),
            (2, Kind::Toggle, "count_q[1]", 0),
        ]);
        let with = report(&counts, vec![exclusion("count_q")]).unwrap();
        let toggles = with.total[&Kind::Toggle];
        assert_eq!((toggles.points, toggles.excluded), (1, 1));
        assert_eq!(with.exclusions[0].points, 1);
        assert_eq!(with.idle(), "");
        let with = report(&counts, vec![exclusion("count_q"), exclusion("other")]).unwrap();
        assert!(
            with.idle().starts_with("exclusion 2, toggle `other`"),
            "{}",
            with.idle()
        );
    }

    #[test]
    fn another_design_is_refused() {
        let error = report(&counts(&[(4, Kind::Line, "block", 1)]), Vec::new()).unwrap_err();
        assert!(error.to_string().contains("has no line 4"), "{error}");
    }

    #[test]
    fn nearly_all_is_not_all() {
        let tally = Tally {
            reached: 9_999,
            points: 10_000,
            excluded: 0,
        };
        assert_eq!(format!("{:.1}", floor(tally.percent())), "99.9");
    }
}

// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! What the simulation counts: points of the design, and how often they were reached.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::{Error, Result};

/// What a point is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Statements that are always executed together.
    Line,
    /// A side of an `if`, or an item of a `case`.
    Branch,
    /// A cover property.
    Cover,
    /// A bit that changes.
    Toggle,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 4] = [Self::Line, Self::Branch, Self::Cover, Self::Toggle];

    /// The name in a table.
    pub fn name(self) -> &'static str {
        match self {
            Self::Line => "line",
            Self::Branch => "branch",
            Self::Cover => "cover",
            Self::Toggle => "toggle",
        }
    }

    fn of_page(page: &str) -> Option<Self> {
        match page {
            "v_line" => Some(Self::Line),
            "v_branch" => Some(Self::Branch),
            "v_user" => Some(Self::Cover),
            "v_toggle" => Some(Self::Toggle),
            _ => None,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A point of the design. Copies of a block with other parameters have the same points.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Point {
    /// The file, relative to the folder of the design: `tree/acclmt_tree.sv`.
    pub file: String,
    /// The line in it, from 1.
    pub line: u32,
    /// The column in it, from 1.
    pub column: u32,
    /// What it is.
    pub kind: Kind,
    /// What Verilator says of it: the name of a cover property, a signal with the number of its bit, a side of a branch.
    pub comment: String,
}

/// How often each point was reached.
pub type Counts = BTreeMap<Point, u64>;

/// The sum of what all files `*.dat` of a folder say of the design.
///
/// # Errors
///
/// If the folder or a file cannot be read, if there is no file, or if one has something else in it.
pub fn read_folder(folder: &Path) -> Result<Counts> {
    let read = |path: &Path, source| Error::Read {
        path: path.to_owned(),
        source,
    };
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .and_then(|entries| {
            entries
                .map(|entry| entry.map(|entry| entry.path()))
                .collect()
        })
        .map_err(|source| read(folder, source))?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "dat"));
    paths.sort();
    if paths.is_empty() {
        return Err(Error::NoData {
            folder: folder.to_owned(),
        });
    }
    let mut counts = Counts::new();
    for path in paths {
        let text = fs::read_to_string(&path).map_err(|source| read(&path, source))?;
        add(&mut counts, &text).map_err(|line| Error::Data { path, line })?;
    }
    Ok(counts)
}

/// Adds what a file says of the design, in Verilator's form; the number of the line that has something else in it is the
/// error.
fn add(counts: &mut Counts, text: &str) -> std::result::Result<(), usize> {
    for (number, line) in (1_usize..).zip(text.lines()) {
        if number == 1 && line.starts_with('#') {
            continue;
        }
        let (point, count) = parse(line).ok_or(number)?;
        if let Some(point) = point {
            *counts.entry(point).or_default() += count;
        }
    }
    Ok(())
}

/// A point of the design, none for one of another file, and its count.
fn parse(line: &str) -> Option<(Option<Point>, u64)> {
    let (items, count) = line.strip_prefix("C '")?.rsplit_once("' ")?;
    let items: BTreeMap<&str, &str> = items
        .split('\u{1}')
        .skip(1)
        .map(|item| item.split_once('\u{2}'))
        .collect::<Option<_>>()?;
    let (page, _module) = items.get("page")?.split_once('/')?;
    let count = count.parse().ok()?;
    let Some(file) = items.get("f")?.strip_prefix("rtl/") else {
        return Some((None, count));
    };
    let point = Point {
        file: file.to_owned(),
        line: items.get("l")?.parse().ok()?,
        column: items.get("n")?.parse().ok()?,
        kind: Kind::of_page(page)?,
        comment: (*items.get("o")?).to_owned(),
    };
    Some((Some(point), count))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLOCK: &str = "C '\u{1}f\u{2}rtl/common/acclmt_fifo.sv\u{1}l\u{2}12\u{1}n\u{2}5\u{1}page\u{2}v_toggle/acclmt_fifo__D4\u{1}o\u{2}count_q[1]' 7";

    #[test]
    fn copies_of_a_block_are_added() {
        let other = CLOCK.replace("__D4", "__D8").replace("' 7", "' 0");
        let bench = CLOCK.replace("rtl/", "bench/");
        let mut counts = Counts::new();
        let text = format!("# SystemC::Coverage-3\n{CLOCK}\n{other}\n{bench}\n");
        add(&mut counts, &text).unwrap();
        add(&mut counts, &text).unwrap();
        let points: Vec<_> = counts.into_iter().collect();
        let expected = Point {
            file: "common/acclmt_fifo.sv".to_owned(),
            line: 12,
            column: 5,
            kind: Kind::Toggle,
            comment: "count_q[1]".to_owned(),
        };
        assert_eq!(points, [(expected, 14)]);
    }

    #[test]
    fn what_is_no_point_is_refused() {
        for line in [
            "",
            "C '' 1",
            &CLOCK.replace("' 7", "'"),
            &CLOCK.replace("' 7", "' -7"),
            &CLOCK.replace("v_toggle", "v_other"),
            &CLOCK.replace("\u{1}n\u{2}5", ""),
            &CLOCK.replace("\u{2}12", "\u{2}twelve"),
        ] {
            let text = format!("# SystemC::Coverage-3\n{line}\n");
            assert_eq!(add(&mut Counts::new(), &text), Err(2), "{line:?}");
        }
    }

    #[test]
    fn a_folder_without_data_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let error = read_folder(folder.path()).unwrap_err().to_string();
        assert!(error.contains("no file *.dat"), "{error}");
        let error = read_folder(&folder.path().join("none")).unwrap_err();
        assert!(matches!(error, Error::Read { .. }), "{error}");
        fs::write(folder.path().join("1.dat"), "C\n").unwrap();
        let error = read_folder(folder.path()).unwrap_err().to_string();
        assert!(error.contains("1.dat, line 1"), "{error}");
    }
}

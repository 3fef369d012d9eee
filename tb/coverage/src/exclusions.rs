// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! What is not to be reached, and why.

use std::fmt::{Display, Formatter};
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::points::{Kind, Point};
use crate::{Error, Result};

/// Points that are left out, by what they all have.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Exclusion {
    /// Their file, relative to the folder of the design; all files without it. A `*` at its end stands for anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// What they are.
    pub kind: Kind,
    /// What is in their line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The name of the signal, of the cover property, or of the side of the branch, without the number of a bit. A `*` at
    /// its end stands for anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The lowest and the highest of the bits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bits: Option<(u32, u32)>,
    /// Whether it is only what is declared for assertions, between `` `ifndef SYNTHESIS `` and its end.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub checks: bool,
    /// Why they cannot be reached, or need not be.
    pub reason: String,
}

impl Display for Exclusion {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.kind)?;
        if let Some(name) = &self.name {
            write!(f, " `{name}`")?;
        }
        if let Some((low, high)) = self.bits {
            write!(f, " bits {low} to {high}")?;
        }
        if let Some(text) = &self.text {
            write!(f, " at `{text}`")?;
        }
        if self.checks {
            write!(f, " for assertions alone")?;
        }
        if let Some(file) = &self.file {
            write!(f, " of {file}")?;
        }
        Ok(())
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    exclusion: Vec<Exclusion>,
}

/// The exclusions of a file.
///
/// # Errors
///
/// If it cannot be read, is no such file, or leaves points out by nothing or without a reason.
pub fn read(path: &Path) -> Result<Vec<Exclusion>> {
    let text = fs::read_to_string(path).map_err(|source| Error::Read {
        path: path.to_owned(),
        source,
    })?;
    let wrong = |what: String| Error::Exclusions {
        path: path.to_owned(),
        what,
    };
    let file: File = toml::from_str(&text).map_err(|error| wrong(error.to_string()))?;
    for (number, exclusion) in (1..).zip(&file.exclusion) {
        if exclusion.reason.trim().is_empty() {
            return Err(wrong(format!("exclusion {number} has no reason")));
        }
        let is_named =
            exclusion.file.is_some() || exclusion.text.is_some() || exclusion.name.is_some();
        if !is_named && !exclusion.checks {
            return Err(wrong(format!(
                "exclusion {number} leaves out every {}; name a file, a text or a name",
                exclusion.kind
            )));
        }
        if (exclusion.bits).is_some_and(|(low, high)| low > high || exclusion.kind != Kind::Toggle)
        {
            return Err(wrong(format!(
                "exclusion {number}: bits are two numbers of bits that change, the lower one first"
            )));
        }
    }
    Ok(file.exclusion)
}

impl Exclusion {
    /// Whether it leaves out the point, whose line is `line`, and declared for assertions if `is_check`.
    pub fn has(&self, point: &Point, line: &str, is_check: bool) -> bool {
        let (name, bit) = name_and_bit(&point.comment);
        let fits = |text: &str, pattern: &String| match pattern.strip_suffix('*') {
            Some(begin) => text.starts_with(begin),
            None => text == pattern,
        };
        let has_name = |pattern: &String| fits(name, pattern);
        self.kind == point.kind
            && (is_check || !self.checks)
            && (self.file.as_ref()).is_none_or(|file| fits(&point.file, file))
            && self.text.as_ref().is_none_or(|text| line.contains(text))
            && self.name.as_ref().is_none_or(has_name)
            && self
                .bits
                .is_none_or(|(low, high)| bit.is_some_and(|bit| (low..=high).contains(&bit)))
    }
}

/// Which of the lines of a file are for assertions alone, between `` `ifndef SYNTHESIS `` and its `` `endif ``.
pub fn lines_of_checks<'a>(lines: impl IntoIterator<Item = &'a str>) -> Vec<bool> {
    // The directives that are open, and whether each is that of the assertions.
    let mut open: Vec<bool> = Vec::new();
    let mut of_checks = Vec::new();
    for line in lines {
        let line = line.trim_start();
        let mut words = line.split_whitespace();
        match words.next() {
            Some("`ifndef") => open.push(words.next() == Some("SYNTHESIS")),
            Some("`ifdef") => open.push(false),
            Some("`else" | "`elsif") => {
                open.pop();
                open.push(false);
            }
            Some("`endif") => {
                open.pop();
            }
            _ => {}
        }
        of_checks.push(open.contains(&true));
    }
    of_checks
}

/// What Verilator says of a point, and the number of the bit behind it.
pub fn name_and_bit(comment: &str) -> (&str, Option<u32>) {
    let parts = comment
        .strip_suffix(']')
        .and_then(|comment| comment.rsplit_once('['));
    match parts.and_then(|(name, bit)| Some((name, bit.parse().ok()?))) {
        Some((name, bit)) => (name, Some(bit)),
        None => (comment, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(comment: &str) -> Point {
        Point {
            file: "tree/acclmt_tree.sv".to_owned(),
            line: 3,
            column: 1,
            kind: Kind::Toggle,
            comment: comment.to_owned(),
        }
    }

    fn read_text(text: &str) -> Result<Vec<Exclusion>> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("exclusions.toml");
        fs::write(&path, text).unwrap();
        read(&path)
    }

    #[test]
    fn everything_named_must_fit() {
        let text = "[[exclusion]]\nfile = 'tree/acclmt_tree.sv'\nkind = 'toggle'\nname = 'count_*'\nbits = [4, 7]\n\
                    text = 'logic'\nreason = 'trees are small'\n";
        let exclusion = &read_text(text).unwrap()[0];
        let has = |point: &Point, line: &str| exclusion.has(point, line, false);
        assert!(has(&point("count_q[4]"), "  logic [7:0] count_q;"));
        assert!(!has(&point("count_q[3]"), "  logic [7:0] count_q;"));
        assert!(!has(&point("count_q"), "  logic [7:0] count_q;"));
        assert!(!has(&point("sum_q[4]"), "  logic [7:0] sum_q;"));
        assert!(!has(&point("count_q[4]"), "  input count_q"));
        let mut other = point("count_q[4]");
        other.file = "tree/acclmt_node_fetch.sv".to_owned();
        assert!(!has(&other, "  logic [7:0] count_q;"));
        let mut other = point("count_q[4]");
        other.kind = Kind::Line;
        assert!(!has(&other, "  logic [7:0] count_q;"));
    }

    #[test]
    fn what_is_for_assertions_alone_is_found() {
        let text = "logic a;\n`ifndef SYNTHESIS\nlogic b;\n`ifdef FORMAL\nlogic c;\n`else\nlogic d;\n`endif\nlogic e;\n\
                    `endif\nlogic f;\n`ifdef SYNTHESIS\nlogic g;\n`else\nlogic h;\n`endif\n";
        let lines: Vec<&str> = text.lines().collect();
        let of_checks: String = (lines.iter().zip(lines_of_checks(text.lines())))
            .filter(|(line, is_check)| *is_check && line.starts_with("logic"))
            .map(|(line, _)| line.chars().nth(6).unwrap())
            .collect();
        assert_eq!(of_checks, "bcde");
        let text = "[[exclusion]]\nfile = 'tree/*'\nkind = 'toggle'\nchecks = true\nreason = 'they hold'\n";
        let exclusion = &read_text(text).unwrap()[0];
        assert!(exclusion.has(&point("holds"), "  logic holds;", true));
        assert!(!exclusion.has(&point("holds"), "  logic holds;", false));
        let mut other = point("holds");
        other.file = "stream/acclmt_tree.sv".to_owned();
        assert!(!exclusion.has(&other, "  logic holds;", true));
    }

    #[test]
    fn wrong_exclusions_are_refused() {
        for (text, said) in [
            (
                "[[exclusion]]\nkind = 'line'\nreason = 'none'\n",
                "leaves out every line",
            ),
            (
                "[[exclusion]]\nkind = 'line'\ntext = 'x'\nreason = ' '\n",
                "has no reason",
            ),
            ("[[exclusion]]\nkind = 'line'\ntext = 'x'\n", "reason"),
            (
                "[[exclusion]]\nkind = 'fsm'\ntext = 'x'\nreason = 'y'\n",
                "fsm",
            ),
            (
                "[[exclusion]]\nkind = 'line'\nlines = 3\nreason = 'y'\n",
                "lines",
            ),
            (
                "[[exclusion]]\nkind = 'toggle'\nname = 'x'\nbits = [3, 2]\nreason = 'y'\n",
                "the lower one first",
            ),
        ] {
            let error = read_text(text).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
    }
}

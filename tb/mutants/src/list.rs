// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! The mutants of a netlist, as `synth/mutants/mutate.py` writes them.

use std::fmt::{Display, Formatter};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::{Error, Result, read};

/// What is known of a mutant without a test.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Comparison {
    /// Nothing reads what it changes.
    Unread,
    /// It changes nothing that leaves the module or is stored in it: what it changes is constant, or by a formal
    /// comparison.
    Equal,
    /// It does for some values.
    Different,
    /// It was not compared yet, or there was no answer in the time that it had.
    Unknown,
}

impl Comparison {
    /// Whether no test can find it.
    pub fn is_without_effect(self) -> bool {
        matches!(self, Self::Unread | Self::Equal)
    }
}

/// A mutant.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Mutant {
    /// Its file of the design, from the root of the project.
    pub file: String,
    /// The command of Yosys that makes it.
    pub mutation: String,
    /// What is known of it without a test.
    pub compared: Comparison,
    /// Its number in the netlist, from 1.
    pub number: u32,
}

impl Mutant {
    /// The value of an option of the command that makes it.
    fn option(&self, name: &str) -> Option<&str> {
        let mut words = self.mutation.split(' ');
        words.find(|word| word.strip_prefix('-') == Some(name))?;
        words.next()
    }

    /// The kind of the mutation: `inv`, `const0`, `const1`, `cnot0` or `cnot1`.
    pub fn mode(&self) -> &str {
        self.option("mode").unwrap_or_default()
    }

    /// The module of the netlist.
    pub fn module(&self) -> Option<&str> {
        self.option("module")
    }

    /// The port of the cell.
    pub fn port(&self) -> Option<&str> {
        self.option("port")
    }

    /// The bit of the port of the cell.
    pub fn bit(&self) -> Option<u32> {
        self.option("portbit")?.parse().ok()
    }

    /// The bit of the wire at the port.
    pub fn wire_bit(&self) -> Option<u32> {
        self.option("wirebit")?.parse().ok()
    }

    /// The bit of the port that turns it on, of a mutation that changes a bit with another one.
    pub fn control(&self) -> Option<u32> {
        self.option("ctrlbit")?.parse().ok()
    }

    /// The lines of its file that it comes from, from 1.
    pub fn lines(&self) -> Vec<usize> {
        let mut lines = Vec::new();
        let mut words = self.mutation.split(' ');
        while let Some(word) = words.next() {
            let place = (word == "-src").then(|| words.next()).flatten();
            let range = place.and_then(|place| place.strip_prefix(&self.file)?.strip_prefix(':'));
            let line = range.and_then(|range| range.split('.').next()?.parse().ok());
            lines.extend(line.filter(|line| !lines.contains(line)));
        }
        lines
    }

    /// The folder of the design below `rtl/`.
    pub fn folder(&self) -> &str {
        let mut parts = self.file.split('/').skip(1);
        match (parts.next(), parts.next()) {
            (Some(folder), Some(_)) => folder,
            _ => "top",
        }
    }
}

impl Display for Mutant {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let lines: Vec<_> = self.lines().iter().map(usize::to_string).collect();
        write!(f, "{}:{}: {}", self.file, lines.join(","), self.mode())?;
        let named = ["cell", "port", "portbit", "wire", "wirebit"];
        for (name, value) in named
            .into_iter()
            .filter_map(|name| Some((name, self.option(name)?)))
        {
            write!(f, " {name} {value}")?;
        }
        Ok(())
    }
}

/// All mutants of a netlist.
#[derive(Clone, Debug, Deserialize)]
pub struct List {
    /// The module of the design that the netlist is of.
    pub top: String,
    /// The seed of the sample.
    pub seed: u64,
    /// Mutants of each file that were asked for.
    pub per_file: u32,
    /// Those without an effect, too.
    pub mutants: Vec<Mutant>,
    /// The SHA-256 digest of the netlist, which tells lists apart.
    #[serde(rename = "netlist")]
    pub digest: String,
}

impl List {
    /// Reads a list.
    ///
    /// # Errors
    ///
    /// If there is no such file, or it is none of `mutate.py`.
    pub fn read(path: &Path) -> Result<Self> {
        let text = read(path)?;
        serde_json::from_str(&text).map_err(|error| Error::Content {
            path: path.to_owned(),
            what: format!("this is no list of mutants: {error}"),
        })
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A mutant of a line of a file.
    pub fn mutant(number: u32, file: &str, line: u32) -> Mutant {
        Mutant {
            file: file.to_owned(),
            mutation: format!(
                "mutate -mode inv -module m_v1 -cell $add${file}:{line}$7 -port Y -portbit 2 -wire sum_q -wirebit 2 \
                 -src {file}:{line}.3-{line}.9 -src {file}:{line}.5-{line}.7 -src rtl/other.sv:9.1-9.2"
            ),
            compared: Comparison::Different,
            number,
        }
    }

    #[test]
    fn what_a_command_says_is_found() {
        let mutant = mutant(1, "rtl/tree/acclmt_tree.sv", 35);
        assert_eq!((mutant.mode(), mutant.bit()), ("inv", Some(2)));
        assert_eq!(mutant.lines(), [35]);
        assert_eq!(mutant.folder(), "tree");
        let said = mutant.to_string();
        assert!(
            said.starts_with("rtl/tree/acclmt_tree.sv:35: inv cell "),
            "{said}"
        );
        assert!(
            said.ends_with("port Y portbit 2 wire sum_q wirebit 2"),
            "{said}"
        );
    }

    #[test]
    fn the_folder_of_the_core_is_the_top() {
        assert_eq!(mutant(1, "rtl/acclmt_core.sv", 1).folder(), "top");
    }
}

// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

#![doc = include_str!("../README.md")]

pub mod cases;
pub mod explained;
pub mod list;
pub mod records;
pub mod report;
pub mod results;
pub mod run;

use std::path::PathBuf;

/// What goes wrong.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file that cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// Its path.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A file that cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// Its path.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A file with something else in it than it has to have.
    #[error("{}: {what}", path.display())]
    Content {
        /// Its path.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// A program of tests that does not run.
    #[error("cannot run {}: {what}", path.display())]
    Program {
        /// Its path.
        path: PathBuf,
        /// Why.
        what: String,
    },
    /// Tests that the netlist has to pass.
    #[error(
        "{} not pass on the netlist without a mutant: the netlist is not the design, or --leave-out has to name what cannot pass",
        match &tests[..] { [test] => format!("{test} does"), _ => format!("{} do", tests.join(", ")) }
    )]
    Unsound {
        /// Their titles.
        tests: Vec<String>,
    },
    /// A test that finds what changes nothing in it.
    #[error(
        "{test} finds mutant {mutant}, which changed no bit in it when it ran without a mutant: it does not do the same each time, or the netlist's notes are wrong"
    )]
    Blind {
        /// Its title.
        test: String,
        /// The number of the mutant.
        mutant: u32,
    },
    /// There is nothing to run.
    #[error("there is no test that takes so little time; give more --seconds")]
    NoTest,
    /// No threads.
    #[error(transparent)]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// The page.
    #[error(transparent)]
    Page(#[from] acclmt_coverage::Error),
}

/// The result of what can go wrong so.
pub type Result<T> = std::result::Result<T, Error>;

fn read(path: &std::path::Path) -> Result<String> {
    std::fs::read_to_string(path).map_err(|source| Error::Read {
        path: path.to_owned(),
        source,
    })
}

// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

#![doc = include_str!("../README.md")]

pub mod exclusions;
pub mod page;
pub mod points;
pub mod report;

use std::path::PathBuf;

/// What goes wrong.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file or folder that cannot be read.
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
    /// Nothing was counted.
    #[error("there is no file *.dat in {}; run the tests with the feature coverage and ACCLMT_COVERAGE", folder.display())]
    NoData {
        /// The folder.
        folder: PathBuf,
    },
    /// A file that has something else in it.
    #[error("{}, line {line}: this is no point of Verilator's coverage", path.display())]
    Data {
        /// Its path.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
    },
    /// A point at a line that is not there: the design was changed since.
    #[error("{} has no line {line}, of which something was counted; count again with this design", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u32,
    },
    /// A page without a place for the figures.
    #[error("{} has no lines '{}' and '{}', between which the figures are written", path.display(), page::BEGIN, page::END)]
    Page {
        /// Its path.
        path: PathBuf,
    },
    /// Exclusions that are wrong.
    #[error("{}: {what}", path.display())]
    Exclusions {
        /// Their file.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
}

/// The result of what can go wrong so.
pub type Result<T> = std::result::Result<T, Error>;

//! Reports: what was measured, as tables and figures.
//!
//! A folder holds the evaluation of `acclmt bench paper` (`paper.json`) and the rows of sweeps (`rows.jsonl`),
//! itself or in its sub-folders; [`document`] makes a [`Document`] of both, which is one HTML page or a
//! chapter of the book.

mod document;
mod figures;
mod paper;
mod sweeps;

pub use document::{Block, Document, Figure, Section, Table};
pub use figures::FigureError;

use std::collections::BTreeSet;

use crate::clocks::ASAP7;
use crate::evaluation::Evaluation;
use crate::sweep::Row;

/// What a report is made of.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Contents {
    /// The evaluation of the paper.
    pub evaluation: Option<Evaluation>,
    /// Sweeps.
    pub sweeps: Vec<Sweep>,
}

/// A sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct Sweep {
    /// Its name.
    pub name: String,
    /// Its rows, in the order in which they are to be shown.
    pub rows: Vec<Row>,
}

/// Makes a report.
///
/// # Errors
///
/// When a figure cannot be drawn.
pub fn document(contents: &Contents) -> Result<Document, FigureError> {
    let mut sections = Vec::new();
    if let Some(evaluation) = &contents.evaluation {
        sections.extend(paper::sections(evaluation)?);
    }
    for Sweep { name, rows } in &contents.sweeps {
        sections.extend(sweeps::sections(name, rows)?);
    }
    if let Some(evaluation) = &contents.evaluation {
        sections.push(paper::configuration(evaluation));
    }
    name_figures(&mut sections);
    Ok(Document {
        title: "AcclMT: what was measured".to_owned(),
        summary: summary(contents),
        sections,
    })
}

/// What measured the contents.
fn summary(contents: &Contents) -> String {
    let rows = || contents.sweeps.iter().flat_map(|sweep| &sweep.rows);
    let of_model = contents.evaluation.is_some() || rows().any(|row| row.backend == "model");
    let of_others = rows().any(|row| row.backend != "model");
    let source = match (of_model, of_others) {
        (true, false) => "from its cycle-exact model, which agrees with the RTL in every counter",
        (false, _) => "as the backends that are named below count them",
        (true, true) => {
            "from its cycle-exact model, which agrees with the RTL in every counter, and from other backends, \
             which are named below"
        }
    };
    let beside = match contents.evaluation {
        Some(_) => ", beside the figures of the AcclMT paper and of others",
        None => "",
    };
    format!(
        "Cycles of the Poseidon Merkle-tree accelerator {source}{beside}. Rates and times of the chip are cycles at \
         500 MHz, the clock of the AcclMT paper, and at {} MHz, which is stated for the chip in ASAP7 (docs/place.md).",
        ASAP7.megahertz
    )
}

/// Gives every figure a name of its own that a file and an address can have.
fn name_figures(sections: &mut [Section]) {
    let mut names = BTreeSet::new();
    for block in sections.iter_mut().flat_map(|section| &mut section.blocks) {
        let Block::Figure(figure) = block else {
            continue;
        };
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        let plain = figure.name.replace(|c| !is_plain(c), "-");
        let mut name = plain.clone();
        let mut number = 2;
        while !names.insert(name.clone()) {
            name = format!("{plain}-{number}");
            number += 1;
        }
        figure.name = name;
    }
}

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

use crate::evaluation::Evaluation;
use crate::sweep::Row;

/// What a report is made of.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Contents {
    /// The evaluation of the paper.
    pub evaluation: Option<Evaluation>,
    /// Sweeps: the name and the rows of each.
    pub sweeps: Vec<(String, Vec<Row>)>,
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
    for (name, rows) in &contents.sweeps {
        sections.extend(sweeps::sections(name, rows)?);
    }
    if let Some(evaluation) = &contents.evaluation {
        sections.push(paper::configuration(evaluation));
    }
    Ok(Document {
        title: "AcclMT: what was measured".to_owned(),
        summary: "Cycles of the Poseidon Merkle-tree accelerator from its cycle-exact model, which agrees with \
                  the RTL in every counter, beside the figures of the AcclMT paper and of others. Rates and \
                  times of the chip are cycles at 500 MHz, the clock of the paper."
            .to_owned(),
        sections,
    })
}

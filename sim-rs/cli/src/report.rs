//! `acclmt report`: what a folder of results holds, as a page to look at.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;

use crate::console::Console;
use crate::error::{CommandError, file_failure};
use crate::files::write_text;
use crate::{evaluation_file, sweep};
use acclmt_measure::report::{self, Contents, Document};

/// Write a report of measurements: one HTML page of tables and figures that needs no network
///
/// Takes the results of `acclmt bench paper` and of `acclmt sweep` in the folder and in its sub-folders.
#[derive(Args)]
pub struct ReportArguments {
    /// The folder with the results
    folder: PathBuf,
    /// The page to write [default: report.html in the folder]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Also write the report as Markdown, with its figures as SVG files in a folder of the same name beside
    /// it
    #[arg(long, value_name = "FILE.md")]
    markdown: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// What was written.
#[derive(Serialize)]
struct Written {
    page: String,
    markdown: Option<String>,
    sections: usize,
    figures: usize,
}

/// The page of a folder.
const PAGE: &str = "report.html";

pub fn run(arguments: &ReportArguments, console: &mut Console<'_>) -> Result<(), CommandError> {
    let (document, inputs) = load(&arguments.folder)?;
    let page = match &arguments.out {
        Some(page) => page.clone(),
        None => arguments.folder.join(PAGE),
    };
    check_outputs(&page, arguments.markdown.as_deref(), &inputs)?;
    write_text(&page, &document.html())?;
    if let Some(path) = &arguments.markdown {
        write_markdown(path, &document)?;
    }
    let written = Written {
        page: page.display().to_string(),
        markdown: (arguments.markdown.as_ref()).map(|path| path.display().to_string()),
        sections: document.sections.len(),
        figures: document.figures().count(),
    };
    if arguments.json {
        console.json(&written)?;
    } else {
        console.entry("page", &written.page)?;
        if let Some(markdown) = &written.markdown {
            console.entry("markdown", markdown)?;
        }
        console.entry("sections", written.sections)?;
        console.entry("figures", written.figures)?;
    }
    Ok(())
}

/// Writes the page of a folder; returns its path.
pub(super) fn write_page(folder: &Path) -> Result<PathBuf, CommandError> {
    let page = folder.join(PAGE);
    write_text(&page, &load(folder)?.0.html())?;
    Ok(page)
}

/// Nothing that was measured is overwritten, and the page and its Markdown are two files.
fn check_outputs(
    page: &Path,
    markdown: Option<&Path>,
    inputs: &[PathBuf],
) -> Result<(), CommandError> {
    let place = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    for output in [Some(page), markdown].into_iter().flatten() {
        if inputs.iter().any(|input| place(input) == place(output)) {
            return Err(CommandError::Usage(format!(
                "{} is one of the results, which the report would overwrite; write it elsewhere",
                output.display()
            )));
        }
    }
    if markdown.is_some_and(|markdown| place(markdown) == place(page)) {
        return Err(CommandError::Usage(format!(
            "{} cannot be both the page and its Markdown; give another name to one",
            page.display()
        )));
    }
    Ok(())
}

/// The report of the results in a folder and in its sub-folders, and the files that it was made of.
fn load(folder: &Path) -> Result<(Document, Vec<PathBuf>), CommandError> {
    let mut folders = vec![folder.to_owned()];
    let entries = fs::read_dir(folder).map_err(|error| file_failure(folder, &error))?;
    for entry in entries {
        let path = entry.map_err(|error| file_failure(folder, &error))?.path();
        if path.is_dir() {
            folders.push(path);
        }
    }
    folders[1..].sort();
    let mut contents = Contents::default();
    let mut inputs = Vec::new();
    let mut evaluated: Option<PathBuf> = None;
    for folder in folders {
        let path = folder.join(evaluation_file::FILE);
        if path.is_file() {
            if let Some(other) = evaluated {
                return Err(CommandError::Failure(format!(
                    "{} and {} are two evaluations, and a report is of one; report one folder of them",
                    other.display(),
                    path.display()
                )));
            }
            contents.evaluation = Some(evaluation_file::read_evaluation(&path)?);
            inputs.push(path.clone());
            evaluated = Some(path);
        }
        if let Some(sweep) = sweep::rows_of(&folder)? {
            inputs.push(sweep.path);
            contents.sweeps.push(sweep.sweep);
        }
    }
    if contents == Contents::default() {
        return Err(CommandError::Failure(format!(
            "{}: there are no results; make them with `acclmt bench paper --out DIR` or `acclmt sweep --out DIR`",
            folder.display()
        )));
    }
    let document = report::document(&contents).map_err(CommandError::failure)?;
    Ok((document, inputs))
}

fn write_markdown(path: &Path, document: &Document) -> Result<(), CommandError> {
    let name = path.file_stem().filter(|_| path.extension().is_some());
    let Some(name) = name else {
        return Err(CommandError::Usage(format!(
            "{}: the name of a Markdown file ends in .md",
            path.display()
        )));
    };
    let figures = path.with_extension("");
    fs::create_dir_all(&figures).map_err(|error| file_failure(&figures, &error))?;
    for figure in document.figures() {
        let file = figures.join(format!("{}.svg", figure.name));
        write_text(&file, &figure.file())?;
    }
    write_text(path, &document.markdown(&name.to_string_lossy()))
}

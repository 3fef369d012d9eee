// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! Says what the tests of the design have reached.

use std::path::PathBuf;
use std::process::ExitCode;

use acclmt_coverage::points::{Kind, read_folder};
use acclmt_coverage::report::{Report, goal};
use acclmt_coverage::{Result, exclusions, page};
use clap::Parser;

/// Says which lines, branches, cover properties and changes of bits of the design its tests have reached.
#[derive(Parser)]
struct Arguments {
    /// The folder of what the processes of the tests have counted, of which ACCLMT_COVERAGE told them.
    #[arg(long)]
    data: PathBuf,
    /// The folder of the design.
    #[arg(long, default_value = "rtl")]
    design: PathBuf,
    /// What is left out, with reasons.
    #[arg(long, default_value = "tb/coverage/exclusions.toml")]
    exclusions: PathBuf,
    /// Writes the report to a file, as JSON.
    #[arg(long)]
    json: Option<PathBuf>,
    /// Writes the figures into a page, between `<!-- figures -->` and `<!-- end of figures -->`.
    #[arg(long)]
    page: Option<PathBuf>,
    /// Fails where less was reached than is to be.
    #[arg(long)]
    check: bool,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Whether everything that is asked for was reached.
fn run(arguments: &Arguments) -> Result<bool> {
    let counts = read_folder(&arguments.data)?;
    let left_out = exclusions::read(&arguments.exclusions)?;
    let report = Report::new(&counts, &arguments.design, left_out)?;
    print!("{}\n{}", report.list(), report.tables());
    if let Some(path) = &arguments.json {
        let text = serde_json::to_string_pretty(&report).expect("a report is JSON");
        page::write(path, &(text + "\n"))?;
    }
    if let Some(path) = &arguments.page {
        page::update(path, &report.figures())?;
    }
    let idle = report.idle();
    if arguments.check && !idle.is_empty() {
        eprint!(
            "error: {}: these leave out nothing that was not reached, take them out:\n{idle}",
            arguments.exclusions.display()
        );
        return Ok(false);
    }
    let short = report.short();
    if arguments.check && !short.is_empty() {
        let kinds: Vec<_> = short
            .iter()
            .map(|&kind: &Kind| format!("{kind}: {} %", goal(kind)))
            .collect();
        eprintln!(
            "error: less was reached than is to be ({})",
            kinds.join(", ")
        );
        return Ok(false);
    }
    Ok(true)
}

// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! Runs the tests of the design on mutants of its netlist.

use std::path::PathBuf;
use std::process::ExitCode;

use acclmt_coverage::page;
use acclmt_mutants::list::List;
use acclmt_mutants::records::Records;
use acclmt_mutants::report::Report;
use acclmt_mutants::results::Results;
use acclmt_mutants::run::{Plan, run};
use acclmt_mutants::{Result, cases, explained};
use clap::Parser;

/// Runs the tests of the design on mutants of its netlist, and says which of them they find.
#[derive(Parser)]
struct Arguments {
    /// The list of the mutants, of synth/mutants/mutate.py.
    #[arg(long)]
    mutants: PathBuf,
    /// What is known of them, which is added to.
    #[arg(long)]
    results: PathBuf,
    /// A program of tests, which were built with the netlist; without any the results are reported.
    #[arg(long = "test")]
    tests: Vec<PathBuf>,
    /// A test that a netlist cannot pass, such as one that looks into the chip: chip::NAME.
    #[arg(long)]
    leave_out: Vec<String>,
    /// The folder that the tests run in.
    #[arg(long, default_value = "tb")]
    folder: PathBuf,
    /// Processes at a time.
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: u16,
    /// Runs for each mutant, behind the test that has found it before, those that have found most in their time, which take so
    /// many seconds together.
    #[arg(long)]
    seconds: Option<u32>,
    /// Which tests have found mutants of an earlier sample: these run first.
    #[arg(long, default_value = "tb/mutants/records.json")]
    records: PathBuf,
    /// Writes the records of these results there.
    #[arg(long)]
    keep_records: bool,
    /// Explanations of mutants that live.
    #[arg(long, default_value = "tb/mutants/explained.toml")]
    explained: PathBuf,
    /// Writes the report to a file, as JSON.
    #[arg(long)]
    json: Option<PathBuf>,
    /// Writes the figures into a page, between `<!-- figures -->` and `<!-- end of figures -->`.
    #[arg(long)]
    page: Option<PathBuf>,
    /// Fails where fewer were found than are to be.
    #[arg(long)]
    check: bool,
}

fn main() -> ExitCode {
    match work(&Arguments::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Whether as many were found as are to be.
fn work(arguments: &Arguments) -> Result<bool> {
    let list = List::read(&arguments.mutants)?;
    let explanations = explained::read_file(&arguments.explained)?;
    let root = arguments.folder.join("..");
    let mut results = Results::open(&arguments.results, &list)?;
    if !arguments.tests.is_empty() {
        let mut all = Vec::new();
        for program in &arguments.tests {
            all.extend(cases::of_program(program)?);
        }
        let plan = Plan {
            cases: &all,
            records: &Records::read(&arguments.records)?,
            explained: &explained::numbers(&list, &explanations, &root)?,
            left_out: &arguments.leave_out,
            folder: &arguments.folder,
            jobs: usize::from(arguments.jobs),
            seconds: arguments.seconds.map(f64::from),
        };
        run(&list, &plan, &mut results)?;
    }
    let report = Report::new(&list, &results, &explanations, &root)?;
    print!("{}", report.figures());
    if let Some(path) = &arguments.json {
        let text = serde_json::to_string_pretty(&report).expect("a report is JSON");
        page::write(path, &(text + "\n"))?;
    }
    if let Some(path) = &arguments.page {
        page::update(path, &report.figures())?;
    }
    if arguments.keep_records {
        page::write(&arguments.records, &Records::new(&list, &results).file())?;
    }
    let short = report.short();
    if arguments.check && (!short.is_empty() || report.missing > 0) {
        eprintln!(
            "error: fewer mutants were found than are to be ({}); {} were not run",
            short.join(", "),
            report.missing
        );
        return Ok(false);
    }
    Ok(true)
}

//! `acclmt check`: test vectors of other implementations.

use serde::Serialize;

use super::console::Console;
use super::{BackendFactory, BackendOptions, CheckArguments, CommandError};
use acclmt_measure::vectors::{self, Outcome, VectorFile};

/// What came of all files, in its JSON form.
#[derive(Serialize)]
struct Report<'a> {
    backend: &'a str,
    passed: usize,
    failed: usize,
    skipped: usize,
    files: Vec<FileReport>,
}

/// What came of a file.
#[derive(Serialize)]
struct FileReport {
    file: String,
    source: String,
    cases: Vec<CaseReport>,
}

/// What came of a case.
#[derive(Serialize)]
struct CaseReport {
    name: String,
    outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    got: Option<String>,
}

pub fn run(
    arguments: &CheckArguments,
    backends: &dyn BackendFactory,
    console: &mut Console<'_>,
) -> Result<(), CommandError> {
    let backend = arguments.backend.name(backends)?;
    // A file that cannot be read is noticed before hours of simulation.
    let files = arguments
        .files
        .iter()
        .map(|path| VectorFile::load(path))
        .collect::<Result<Vec<_>, _>>()
        .map_err(CommandError::failure)?;
    let mut device = backends
        .open(backend, &BackendOptions::default())
        .map_err(CommandError::failure)?;

    let mut report = Report {
        backend,
        passed: 0,
        failed: 0,
        skipped: 0,
        files: Vec::new(),
    };
    for (path, file) in arguments.files.iter().zip(&files) {
        if !arguments.json {
            console.line(format!("{} ({})", path.display(), file.source))?;
        }
        let mut cases = Vec::with_capacity(file.cases.len());
        let outcomes = vectors::run_cases(device.as_mut(), &file.cases);
        for (case, outcome) in file.cases.iter().zip(outcomes) {
            let case = CaseReport::new(&case.name, outcome);
            match case.outcome {
                PASSED => report.passed += 1,
                FAILED => report.failed += 1,
                _ => report.skipped += 1,
            }
            if !arguments.json {
                case.print(console)?;
            }
            cases.push(case);
        }
        let (file, source) = (path.display().to_string(), file.source.clone());
        report.files.push(FileReport {
            file,
            source,
            cases,
        });
    }
    if arguments.json {
        console.json(&report)?;
    } else {
        console.line(format!(
            "{} passed, {} failed, {} skipped on the backend '{backend}'",
            report.passed, report.failed, report.skipped
        ))?;
    }
    match (report.failed, report.passed) {
        (0, 0) => Err(CommandError::Failure(format!(
            "the backend '{backend}' supports none of the {} cases, so nothing was checked",
            report.skipped
        ))),
        (0, _) => Ok(()),
        (failed, passed) => Err(CommandError::Failure(format!(
            "{failed} of the {} cases that were run failed",
            failed + passed
        ))),
    }
}

const PASSED: &str = "passed";
const FAILED: &str = "failed";
const SKIPPED: &str = "skipped";

impl CaseReport {
    fn new(name: &str, outcome: Outcome) -> Self {
        let report = Self {
            name: name.to_owned(),
            outcome: PASSED,
            reason: None,
            expected: None,
            got: None,
        };
        match outcome {
            Outcome::Passed => report,
            Outcome::Failed { expected, got } => Self {
                outcome: FAILED,
                expected: Some(expected),
                got: Some(got),
                ..report
            },
            Outcome::Skipped { reason } => Self {
                outcome: SKIPPED,
                reason: Some(reason),
                ..report
            },
        }
    }

    fn print(&self, console: &mut Console<'_>) -> std::io::Result<()> {
        let (outcome, name) = (self.outcome, &self.name);
        match (&self.reason, &self.expected, &self.got) {
            (Some(reason), _, _) => console.line(format!("  {outcome:<8} {name}: {reason}")),
            (_, Some(expected), Some(got)) => {
                console.line(format!("  {outcome:<8} {name}"))?;
                console.line(format!("           expected {expected}"))?;
                console.line(format!("           got      {got}"))
            }
            _ => console.line(format!("  {outcome:<8} {name}")),
        }
    }
}

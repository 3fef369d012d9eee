// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! Tests of programs of `cargo test`, each in a process of its own.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::{Error, Result, read};

/// How often a process is looked at.
const POLL: Duration = Duration::from_millis(10);

/// A test.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Case {
    /// Its program.
    pub program: PathBuf,
    /// Its name there.
    pub name: String,
}

/// A test without a mutant.
#[derive(Clone, Debug, PartialEq)]
pub struct WithoutMutant {
    /// How it ended.
    pub ending: Ending,
    /// How long it took.
    pub time: Duration,
    /// The mutants that would have changed a bit, by their numbers, of a test that passed on a netlist that says so.
    pub differs: Option<BTreeSet<u32>>,
}

/// How a test ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It passed.
    Passed,
    /// It failed, or its process died.
    Failed,
    /// It had not ended in its time.
    Hung,
}

impl Case {
    /// The name of the program and of the test.
    pub fn title(&self) -> String {
        // Cargo puts a digest behind the name.
        let stem = self
            .program
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy();
        let program = stem.rsplit_once('-').map_or(&*stem, |(name, _)| name);
        format!("{program}::{}", self.name)
    }

    /// Runs the test in `folder` with a mutant for so long at most.
    ///
    /// # Errors
    ///
    /// If the program does not start.
    pub fn run(&self, folder: &Path, mutant: u32, limit: Duration) -> Result<(Ending, Duration)> {
        self.run_with(folder, limit, |command| {
            command.env("ACCLMT_MUTANT", mutant.to_string())
        })
    }

    /// Runs the test in `folder` without a mutant for so long at most.
    ///
    /// # Errors
    ///
    /// If the program does not start, or does not say what it has to.
    pub fn run_without(&self, folder: &Path, limit: Duration) -> Result<WithoutMutant> {
        let differences = tempfile::NamedTempFile::new().map_err(|error| self.failed(error))?;
        let (ending, time) = self.run_with(folder, limit, |command| {
            command
                .env("ACCLMT_MUTANT", "0")
                .env("ACCLMT_MUTANT_DIFFERENCES", differences.path())
        })?;
        let wrong = |line: &str| Error::Content {
            path: differences.path().to_owned(),
            what: format!("'{line}' is no number of a mutant"),
        };
        let numbers = read(differences.path())?
            .lines()
            .map(|line| line.parse().map_err(|_| wrong(line)))
            .collect::<Result<BTreeSet<u32>>>()?;
        // Every netlist has mutants that always change their bit, or the program knows nothing of them.
        let is_known = ending == Ending::Passed && !numbers.is_empty();
        Ok(WithoutMutant {
            ending,
            time,
            differs: is_known.then_some(numbers),
        })
    }

    fn failed(&self, error: std::io::Error) -> Error {
        Error::Program {
            path: self.program.clone(),
            what: error.to_string(),
        }
    }

    fn run_with(
        &self,
        folder: &Path,
        limit: Duration,
        with: impl FnOnce(&mut Command) -> &mut Command,
    ) -> Result<(Ending, Duration)> {
        let begin = Instant::now();
        let failed = |error| self.failed(error);
        // The program looks for it from there.
        let folder = &std::path::absolute(folder).map_err(failed)?;
        let mut command = Command::new(&self.program);
        command
            .args(["--exact", &self.name, "--test-threads", "1"])
            .current_dir(folder)
            // Where cargo runs tests.
            .env("CARGO_MANIFEST_DIR", folder)
            .env("RUST_BACKTRACE", "0")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let mut child = with(&mut command).spawn().map_err(failed)?;
        loop {
            if let Some(status) = child.try_wait().map_err(failed)? {
                let ending = if status.success() {
                    Ending::Passed
                } else {
                    Ending::Failed
                };
                return Ok((ending, begin.elapsed()));
            }
            if begin.elapsed() > limit {
                child.kill().map_err(failed)?;
                child.wait().map_err(failed)?;
                return Ok((Ending::Hung, begin.elapsed()));
            }
            sleep(POLL);
        }
    }
}

/// The tests of a program, without those that are ignored.
///
/// # Errors
///
/// If it is no program of tests.
pub fn of_program(program: &Path) -> Result<Vec<Case>> {
    let wrong = |what: String| Error::Program {
        path: program.to_owned(),
        what,
    };
    // It is started in another folder.
    let program = &std::path::absolute(program).map_err(|error| wrong(error.to_string()))?;
    let run = |arguments: &[&str]| -> Result<Vec<String>> {
        let output = Command::new(program)
            .args(arguments)
            .output()
            .map_err(|error| wrong(error.to_string()))?;
        if !output.status.success() {
            return Err(wrong("it does not list its tests".to_owned()));
        }
        let text = String::from_utf8_lossy(&output.stdout);
        let names = text.lines().filter_map(|line| line.strip_suffix(": test"));
        Ok(names.map(str::to_owned).collect())
    };
    let ignored = run(&["--list", "--format", "terse", "--ignored"])?;
    let mut names = run(&["--list", "--format", "terse"])?;
    names.retain(|name| !ignored.contains(name));
    if names.is_empty() {
        return Err(wrong("it has no test".to_owned()));
    }
    let case = |name| Case {
        program: program.to_owned(),
        name,
    };
    Ok(names.into_iter().map(case).collect())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::fs;

    /// A program in place of one of tests. Another process writes it: what this one has open for writing is open in
    /// the processes as well that other tests are about to start, and a program that is open so is not run.
    pub(crate) fn program(folder: &Path, text: &str) -> PathBuf {
        let [path, written] = ["chip-0123456789abcdef", "text"].map(|name| folder.join(name));
        fs::write(&written, format!("#!/bin/sh\n{text}\n")).unwrap();
        let installed = Command::new("install")
            .args(["-m", "755"])
            .args([&written, &path])
            .status();
        assert!(installed.unwrap().success());
        path
    }

    #[test]
    fn a_program_is_found_from_another_folder() {
        let here = std::env::current_dir().unwrap();
        let folder = tempfile::tempdir_in(&here).unwrap();
        let text = "case \"$*\" in *--ignored*) ;; *--list*) echo 'short: test';; *) test \"$PWD\" = \"$CARGO_MANIFEST_DIR\";; esac";
        let path = program(folder.path(), text);
        let relative = path.strip_prefix(&here).unwrap();
        let case = &of_program(relative).unwrap()[0];
        fs::create_dir(folder.path().join("other")).unwrap();
        let other = relative.parent().unwrap().join("other");
        let sound = case.run_without(&other, Duration::from_secs(60)).unwrap();
        assert_eq!(sound.ending, Ending::Passed);
        assert_eq!(sound.differs, None);
    }

    #[test]
    fn tests_that_are_ignored_are_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let text = "case \"$*\" in *--ignored*) echo 'long: test';; *) echo 'long: test'; echo 'short: test'; esac";
        let cases = of_program(&program(folder.path(), text)).unwrap();
        let titles: Vec<_> = cases.iter().map(Case::title).collect();
        assert_eq!(titles, ["chip::short"]);
        let error = of_program(&program(folder.path(), "exit 3")).unwrap_err();
        assert!(
            error.to_string().contains("does not list its tests"),
            "{error}"
        );
        let error = of_program(&program(folder.path(), "")).unwrap_err();
        assert!(error.to_string().contains("has no test"), "{error}");
        assert!(of_program(&folder.path().join("absent")).is_err());
    }

    #[test]
    fn the_end_of_a_process_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let text = "case $ACCLMT_MUTANT in 0) printf '7\\n300\\n' >$ACCLMT_MUTANT_DIFFERENCES;; \
             1) exit 1;; 2) kill -9 $$;; *) exec sleep 60; esac";
        let case = Case {
            program: program(folder.path(), text),
            name: "any".to_owned(),
        };
        let run = |mutant, limit| case.run(folder.path(), mutant, limit).unwrap().0;
        let long = Duration::from_secs(60);
        let sound = case.run_without(folder.path(), long).unwrap();
        assert_eq!(sound.ending, Ending::Passed);
        assert_eq!(sound.differs, Some(BTreeSet::from([7, 300])));
        assert_eq!(run(1, long), Ending::Failed);
        assert_eq!(run(2, long), Ending::Failed);
        assert_eq!(run(3, Duration::from_millis(50)), Ending::Hung);
    }
}

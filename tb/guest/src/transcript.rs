// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! What the guest says on its console: lines that begin with `@guest`, and what its program prints between two of
//! them.
//!
//! - `@guest note TEXT`: what it does now.
//! - `@guest begin NAME`, then what a program prints, then `@guest end NAME STATUS` with its exit status.
//! - `@guest waited STATUS`: it has waited for an interrupt that it has provoked, with success where the status is 0.
//! - `@guest interrupts COUNT`: interrupts of the device that it has counted.
//! - `@guest done`: it has done everything.

use serde_json::Value;

/// How the lines begin.
const MARK: &str = "@guest ";

/// Lines that are kept for a message.
const KEPT: usize = 20;

/// What the guest did was not what was expected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TranscriptError {
    /// It never came to its end.
    #[error("the guest ended before it was done; its last lines:\n{last}")]
    NotDone {
        /// The last lines of the console.
        last: String,
    },
    /// It says what cannot be understood.
    #[error("the guest said '{line}', which has no meaning here")]
    Line {
        /// The line.
        line: String,
    },
    /// A program failed.
    #[error("{name} failed in the guest with status {status}:\n{text}")]
    Failed {
        /// The program.
        name: String,
        /// Its exit status.
        status: String,
        /// What it printed.
        text: String,
    },
    /// It printed no result.
    #[error("{name} printed no commitment in the guest but:\n{text}")]
    NoRoot {
        /// The program.
        name: String,
        /// What it printed.
        text: String,
    },
    /// A root is another one.
    #[error("the root of {name} in the guest is {found}, expected {expected}")]
    Root {
        /// The program.
        name: String,
        /// The root.
        found: String,
        /// What it should be.
        expected: String,
    },
    /// There was no program.
    #[error("the guest made no commitment")]
    NoRuns,
    /// An interrupt did not come.
    #[error(
        "the guest provoked an interrupt of the chip and has not received it (status {status}, {count} counted)"
    )]
    NoInterrupt {
        /// How the wait ended; nothing if there was none.
        status: String,
        /// Interrupts that it has counted.
        count: u64,
    },
    /// The expected commitment is none.
    #[error("the expected commitment has no root: {0}")]
    Expected(String),
}

/// A program that ran in the guest.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Run {
    name: String,
    text: String,
    /// Empty before its end.
    status: String,
}

/// What the guest has said.
#[derive(Clone, Debug, Default)]
pub struct Transcript {
    runs: Vec<Run>,
    is_running: bool,
    waited: String,
    interrupts: u64,
    is_done: bool,
    last: Vec<String>,
}

/// A commitment that the guest made.
#[derive(Clone, Debug, PartialEq)]
pub struct Commitment {
    /// The name that the guest gave it.
    pub name: String,
    /// The elements of the root.
    pub root: String,
    /// Clock cycles of the chip, if they are told.
    pub cycles: Option<u64>,
}

/// What the guest did.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Its commitments.
    pub commitments: Vec<Commitment>,
    /// Interrupts that it counted.
    pub interrupts: u64,
}

impl Transcript {
    /// Takes a line; what it says of the progress.
    ///
    /// # Errors
    ///
    /// When it is a mark that has no meaning.
    pub fn take(&mut self, line: &str) -> Result<Option<String>, TranscriptError> {
        if self.last.len() == KEPT {
            self.last.remove(0);
        }
        self.last.push(line.to_owned());
        let Some(said) = line.strip_prefix(MARK) else {
            if self.is_running
                && let Some(run) = self.runs.last_mut()
            {
                run.text += line;
                run.text.push('\n');
            }
            return Ok(None);
        };
        let wrong = || TranscriptError::Line {
            line: line.to_owned(),
        };
        let (word, rest) = said.split_once(' ').unwrap_or((said, ""));
        match word {
            "note" => return Ok(Some(rest.to_owned())),
            "begin" if !self.is_running => {
                self.is_running = true;
                self.runs.push(Run {
                    name: rest.to_owned(),
                    text: String::new(),
                    status: String::new(),
                });
                return Ok(Some(rest.to_owned()));
            }
            "end" if self.is_running => {
                let run = self.runs.last_mut().ok_or_else(wrong)?;
                let (name, status) = rest.rsplit_once(' ').ok_or_else(wrong)?;
                if name != run.name {
                    return Err(wrong());
                }
                run.status = status.to_owned();
                self.is_running = false;
            }
            "waited" => self.waited = rest.to_owned(),
            "interrupts" => self.interrupts = rest.parse().map_err(|_| wrong())?,
            "done" => self.is_done = true,
            _ => return Err(wrong()),
        }
        Ok(None)
    }

    /// The last lines of the console.
    pub fn last(&self) -> String {
        self.last.join("\n")
    }

    /// What the guest did, where every root is that of `expected`, a commitment as `acclmt commit --json` prints it.
    ///
    /// # Errors
    ///
    /// When it has not come to its end, a program failed, a root is another one, or interrupts are missing.
    pub fn outcome(&self, expected: &str) -> Result<Outcome, TranscriptError> {
        let expected =
            root(expected).ok_or_else(|| TranscriptError::Expected(expected.to_owned()))?;
        for run in &self.runs {
            if !run.status.is_empty() && run.status != "0" {
                return Err(TranscriptError::Failed {
                    name: run.name.clone(),
                    status: run.status.clone(),
                    text: run.text.clone(),
                });
            }
        }
        if !self.is_done || self.is_running {
            return Err(TranscriptError::NotDone { last: self.last() });
        }
        let mut commitments = Vec::new();
        for run in &self.runs {
            let found = root(&run.text).ok_or_else(|| TranscriptError::NoRoot {
                name: run.name.clone(),
                text: run.text.clone(),
            })?;
            if found != expected {
                return Err(TranscriptError::Root {
                    name: run.name.clone(),
                    found,
                    expected,
                });
            }
            let cycles = commitment(&run.text).and_then(|value| value.get("cycles")?.as_u64());
            commitments.push(Commitment {
                name: run.name.clone(),
                root: found,
                cycles,
            });
        }
        if commitments.is_empty() {
            return Err(TranscriptError::NoRuns);
        }
        // Those of the commitments are not counted on: the program may see the end of a run before its interrupt.
        if self.waited != "0" || self.interrupts == 0 {
            return Err(TranscriptError::NoInterrupt {
                status: self.waited.clone(),
                count: self.interrupts,
            });
        }
        Ok(Outcome {
            commitments,
            interrupts: self.interrupts,
        })
    }
}

/// The elements of the root of a commitment.
fn root(text: &str) -> Option<String> {
    let value = commitment(text)?;
    let elements = value.get("root")?.as_array()?;
    let elements: Option<Vec<_>> = elements.iter().map(Value::as_str).collect();
    elements
        .filter(|elements| !elements.is_empty())
        .map(|elements| elements.join(" "))
}

/// The commitment in what a program has printed, before and after which may be other text.
fn commitment(text: &str) -> Option<Value> {
    let (begin, end) = (text.find('{')?, text.rfind('}')?);
    serde_json::from_str(text.get(begin..=end)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXPECTED: &str = r#"{"root": ["0x12", "0x3"], "check": "ok"}"#;

    const GOOD: &str = "\
[    0.5] booting
@guest note the device is /dev/uio0
@guest begin run 1
{
  \"root\": [
    \"0x12\",
    \"0x3\"
  ],
  \"cycles\": 345
}
@guest end run 1 0
@guest begin run 2
a warning
{\"root\": [\"0x12\", \"0x3\"]}
@guest end run 2 0
@guest waited 0
@guest interrupts 2
@guest done
[    9.9] reboot: Power down";

    fn outcome(text: &str) -> Result<Outcome, TranscriptError> {
        let mut transcript = Transcript::default();
        for line in text.lines() {
            transcript.take(line)?;
        }
        transcript.outcome(EXPECTED)
    }

    fn error(from: &str, to: &str) -> String {
        assert!(GOOD.contains(from), "{from}");
        outcome(&GOOD.replace(from, to)).unwrap_err().to_string()
    }

    #[test]
    fn commitments_are_found() {
        let outcome = outcome(GOOD).unwrap();
        assert_eq!(outcome.interrupts, 2);
        let commitment = |name: &str, cycles| Commitment {
            name: name.to_owned(),
            root: "0x12 0x3".to_owned(),
            cycles,
        };
        let expected = [commitment("run 1", Some(345)), commitment("run 2", None)];
        assert_eq!(outcome.commitments, expected);
    }

    #[test]
    fn notes_are_progress() {
        let mut transcript = Transcript::default();
        let mut take = |line| transcript.take(line).unwrap();
        assert_eq!(take("@guest note here"), Some("here".to_owned()));
        assert_eq!(take("@guest begin run 1"), Some("run 1".to_owned()));
        assert_eq!(take("here"), None);
    }

    #[test]
    fn everything_else_is_an_error() {
        const ROOT: &str = r#"{"root": ["0x12", "0x3"]}"#;
        for (from, to, expected) in [
            ("@guest done", "", "ended before it was done"),
            (
                "@guest end run 1 0",
                "",
                "'@guest begin run 2', which has no meaning",
            ),
            (
                "run 1 0",
                "run 1 101",
                "run 1 failed in the guest with status 101:\n{",
            ),
            ("run 1 0", "run 3 0", "'@guest end run 3 0'"),
            (ROOT, "error: no device", "run 2 printed no commitment"),
            (
                ROOT,
                r#"{"root": ["0x12", "0x4"]}"#,
                "is 0x12 0x4, expected 0x12 0x3",
            ),
            (
                "interrupts 2",
                "interrupts 0",
                "not received it (status 0, 0 counted)",
            ),
            (
                "waited 0",
                "waited 124",
                "not received it (status 124, 2 counted)",
            ),
            (
                "@guest waited 0",
                "",
                "not received it (status , 2 counted)",
            ),
            (
                "interrupts 2",
                "interrupts many",
                "'@guest interrupts many'",
            ),
            ("note", "sing", "'@guest sing the device"),
        ] {
            let message = error(from, to);
            assert!(message.contains(expected), "{message}");
        }
        let message = outcome("@guest done").unwrap_err().to_string();
        assert!(message.contains("made no commitment"), "{message}");
        let message = Transcript::default().outcome("{}").unwrap_err().to_string();
        assert!(message.contains("has no root"), "{message}");
    }

    #[test]
    fn the_last_lines_are_kept() {
        let mut transcript = Transcript::default();
        for number in 0..100 {
            transcript.take(&format!("line {number}")).unwrap();
        }
        let last = transcript.last();
        assert!(
            last.starts_with("line 80\n") && last.ends_with("line 99"),
            "{last}"
        );
    }
}

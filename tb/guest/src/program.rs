// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! The command line, whatever chip is behind it.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use clap::Parser;
use serde_json::json;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use crate::chip::{Chip, ChipError};
use crate::machine::Description;
use crate::memory::GuestMemory;
use crate::session::{self, Event, Session, SessionError};
use crate::transcript::{Outcome, TranscriptError};

/// Runs a Linux guest under QEMU, with a chip as its PCI device, and compares the commitments that it makes with an
/// expected one.
#[derive(Debug, Parser)]
#[command(name = "acclmt-guest", version)]
pub struct Arguments {
    /// The kernel of the guest
    #[arg(long, value_name = "FILE")]
    pub kernel: PathBuf,
    /// The first file system of the guest, whose /init prints what this program waits for
    #[arg(long, value_name = "FILE")]
    pub initramfs: PathBuf,
    /// The expected commitment, as `acclmt commit --json` prints it
    #[arg(long, value_name = "FILE")]
    pub expected: PathBuf,
    /// The program of QEMU
    #[arg(long, value_name = "PROGRAM", default_value = "qemu-system-x86_64")]
    pub qemu: OsString,
    /// The memory of the guest, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 512, value_parser = clap::value_parser!(u32).range(128..=2048))]
    pub memory: u32,
    /// Seconds after which the guest is given up
    #[arg(long, value_name = "SECONDS", default_value_t = 1200, value_parser = clap::value_parser!(u64).range(1..))]
    pub time_limit: u64,
    /// The seed of what is random in the chip
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub seed: u32,
    /// Write the console of the guest to this file
    #[arg(long, value_name = "FILE")]
    pub console: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// Why the program failed.
#[derive(Debug, thiserror::Error)]
pub enum ProgramError {
    /// The session failed.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// The guest did something else.
    #[error(transparent)]
    Transcript(#[from] TranscriptError),
    /// The expected commitment cannot be read.
    #[error("cannot read the expected commitment {path}: {source}")]
    Expected {
        /// The file.
        path: PathBuf,
        /// What went wrong.
        source: io::Error,
    },
    /// The console cannot be written.
    #[error("cannot write the console to {path}: {source}")]
    Console {
        /// The file.
        path: PathBuf,
        /// What went wrong.
        source: io::Error,
    },
    /// Signals cannot be caught, or nothing can be printed.
    #[error("{0}")]
    System(#[from] io::Error),
}

/// Runs the guest with a chip that `chip` makes from the seed and the memory.
///
/// # Errors
///
/// When it does not come to its end, or not with what was expected.
pub fn run<C: Chip>(
    arguments: &Arguments,
    chip: impl FnOnce(u32, GuestMemory) -> Result<C, ChipError>,
) -> Result<(), ProgramError> {
    let expected = &arguments.expected;
    let expected = fs::read_to_string(expected).map_err(|source| ProgramError::Expected {
        path: expected.clone(),
        source,
    })?;
    let console_error = |source| ProgramError::Console {
        path: arguments.console.clone().unwrap_or_default(),
        source,
    };
    let console = arguments.console.as_ref().map(File::create);
    let mut console = console.transpose().map_err(console_error)?;
    // QEMU is ended on every way out.
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        signal_hook::flag::register(signal, Arc::clone(&stop))?;
    }
    let description = Description {
        qemu: arguments.qemu.clone(),
        kernel: arguments.kernel.clone(),
        initramfs: arguments.initramfs.clone(),
        memory: arguments.memory,
    };
    let mut written = Ok(());
    let session = session::run(
        &description,
        |memory| chip(arguments.seed, memory),
        Duration::from_secs(arguments.time_limit),
        &stop,
        |event| match event {
            Event::Line(line) => {
                if let Some(console) = &mut console
                    && written.is_ok()
                {
                    written = writeln!(console, "{line}");
                }
            }
            Event::Note(note) => eprintln!("guest: {note}"),
        },
    )?;
    written.map_err(console_error)?;
    let outcome = session.transcript.outcome(&expected)?;
    print(arguments, &session, &outcome)?;
    Ok(())
}

fn print(arguments: &Arguments, session: &Session, outcome: &Outcome) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let counts = session.counts;
    if arguments.json {
        let commitments = outcome.commitments.iter().map(|commitment| {
            json!({
                "name": commitment.name,
                "root": commitment.root,
                "cycles": commitment.cycles,
            })
        });
        let value = json!({
            "commitments": commitments.collect::<Vec<_>>(),
            "interrupts": outcome.interrupts,
            "interrupts_raised": session.interrupts,
            "register_reads": counts.reads,
            "register_writes": counts.writes,
            "refused_accesses": session.refusals.0,
            "cycles": session.cycles,
            "seed": arguments.seed,
            "seconds": session.time.as_secs_f64(),
        });
        return writeln!(out, "{value:#}");
    }
    for commitment in &outcome.commitments {
        let cycles = commitment
            .cycles
            .map_or(String::new(), |cycles| format!(", {cycles} cycles"));
        writeln!(
            out,
            "{}: {}{cycles}, as expected",
            commitment.name, commitment.root
        )?;
    }
    writeln!(
        out,
        "interrupts: {}; registers read {} times, written {} times; {:.1} s, seed {}",
        outcome.interrupts,
        counts.reads,
        counts.writes,
        session.time.as_secs_f64(),
        arguments.seed
    )?;
    if let (count, Some(refusal)) = session.refusals {
        writeln!(
            out,
            "accesses of the chip that were refused: {count}, the last one because {refusal}"
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        Arguments::command().debug_assert();
        let files = ["--kernel", "k", "--initramfs", "i", "--expected", "e"];
        let parse = |more: &[&str]| {
            Arguments::try_parse_from(["acclmt-guest"].iter().chain(&files).chain(more))
        };
        assert_eq!(parse(&[]).unwrap().memory, 512);
        assert!(parse(&["--memory", "64"]).is_err());
        assert!(parse(&["--time-limit", "0"]).is_err());
        assert!(Arguments::try_parse_from(["acclmt-guest"]).is_err());
    }
}

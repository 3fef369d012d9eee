//! Everything that is measured, as a table and as JSON.

use std::io::{self, Write};
use std::time::Duration;

use serde::Serialize;

use crate::machine::Machine;
use crate::measure;
use crate::peer::{PeerError, Timed};
use crate::peers;
use crate::tree::CheckedTree;
use crate::workers::{Workers, WorkersError};

/// Seed of the elements that are hashed.
pub const SEED: u64 = 1;

/// Sizes of the trees: two to these powers.
const LOG_LEAVES: std::ops::RangeInclusive<u32> = 12..=16;

/// A measurement failed.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// A library cannot be measured.
    #[error(transparent)]
    Peer(#[from] PeerError),
    /// The threads could not be started.
    #[error(transparent)]
    Workers(#[from] WorkersError),
}

/// All results.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Where it was measured.
    pub machine: Machine,
    /// Times of hashes.
    pub hashes: Vec<HashRow>,
    /// Times of trees.
    pub trees: Vec<TreeRow>,
}

/// The time of a hash.
#[derive(Clone, Debug, Serialize)]
pub struct HashRow {
    /// Name of the package.
    pub library: &'static str,
    /// Its version.
    pub version: &'static str,
    /// The preset of acclmt with the same work.
    pub preset: String,
    /// Whether its round constants and matrix are those of the preset.
    pub same_constants: bool,
    /// Digests that a hash takes.
    pub arity: usize,
    /// Threads, which hash independent inputs.
    pub threads: usize,
    /// Nanoseconds over hashes of all threads in the median batch.
    pub nanoseconds_per_hash: f64,
    /// The same in the fastest batch.
    pub fastest_nanoseconds_per_hash: f64,
    /// Hashes that were timed.
    pub hashes: u64,
    /// Whether digests were compared with the reference's before; a difference ends the run.
    pub digest_checked: bool,
}

/// The time of a tree.
#[derive(Clone, Debug, Serialize)]
pub struct TreeRow {
    /// Name of the package.
    pub library: &'static str,
    /// Its version.
    pub version: &'static str,
    /// The preset of acclmt.
    pub preset: String,
    /// Leaves, each of which is hashed from as many elements as the arity.
    pub leaves: usize,
    /// Threads.
    pub threads: usize,
    /// Milliseconds of the median tree.
    pub milliseconds: f64,
    /// Milliseconds of the fastest tree.
    pub fastest_milliseconds: f64,
    /// Trees that were timed.
    pub builds: usize,
    /// Whether the root was compared with the reference's; a difference ends the run.
    pub root_checked: bool,
}

/// How far a run is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// Measurement `done` of `total` begins.
    Begins {
        /// Measurements before.
        done: u64,
        /// All measurements.
        total: u64,
        /// What is measured.
        what: String,
    },
    /// Something to know about the results.
    Note(String),
}

/// Checks and measures everything for `time` each, on one thread and on `threads`.
///
/// # Errors
///
/// When a digest or a root is not that of the reference, or threads cannot be started.
pub fn run(
    threads: usize,
    time: Duration,
    events: &mut dyn FnMut(Event),
) -> Result<Report, RunError> {
    let mut workers = vec![Workers::one()];
    if threads > 1 {
        workers.push(Workers::new(threads)?);
    }
    let sizes: Vec<usize> = LOG_LEAVES.map(|power| 1 << power).collect();
    let mut done = 0;
    let mut begins = |events: &mut dyn FnMut(Event), total: usize, what: String| {
        events(Event::Begins {
            done,
            total: total as u64,
            what,
        });
        done += 1;
    };

    let timed = peers::all(SEED)?;
    let hash = peers::of_trees(SEED)?;
    let total = workers.len() * (timed.len() + sizes.len());
    let mut report = Report {
        machine: Machine::here(threads),
        hashes: Vec::new(),
        trees: Vec::new(),
    };
    for peer in &timed {
        for workers in &workers {
            let identity = peer.identity();
            let (library, preset) = (identity.library, &identity.preset);
            let what = format!("{library} {preset}, {}", count_threads(workers.threads()));
            begins(events, total, what);
            report.hashes.push(hash_row(peer.as_ref(), workers, time));
        }
    }

    let mut fits = vec![true; workers.len()];
    for &leaves in &sizes {
        let tree = CheckedTree::new(&hash, leaves, SEED)?;
        for (workers, fits) in workers.iter().zip(&mut fits) {
            let identity = hash.identity();
            let (library, threads) = (identity.library, count_threads(workers.threads()));
            let what = format!("{library} tree of {leaves} leaves, {threads}");
            begins(events, total, what);
            if !*fits {
                continue;
            }
            let Some(timing) = tree.time(workers, time)? else {
                *fits = false;
                events(Event::Note(format!(
                    "trees of {leaves} leaves and more on {threads} are left out: one takes longer than \
                     {} s, see --seconds",
                    time.as_secs_f64()
                )));
                continue;
            };
            report.trees.push(TreeRow {
                library,
                version: identity.version,
                preset: identity.preset.clone(),
                leaves,
                threads: workers.threads(),
                milliseconds: timing.milliseconds,
                fastest_milliseconds: timing.fastest_milliseconds,
                builds: timing.builds,
                root_checked: true,
            });
        }
    }
    Ok(report)
}

fn hash_row(peer: &dyn Timed, workers: &Workers, time: Duration) -> HashRow {
    let identity = peer.identity();
    let timing = measure::hashes(peer, workers, time);
    HashRow {
        library: identity.library,
        version: identity.version,
        preset: identity.preset.clone(),
        same_constants: identity.same_constants,
        arity: peer.arity(),
        threads: workers.threads(),
        nanoseconds_per_hash: timing.nanoseconds_per_hash,
        fastest_nanoseconds_per_hash: timing.fastest_nanoseconds_per_hash,
        hashes: timing.hashes,
        digest_checked: true,
    }
}

fn count_threads(threads: usize) -> String {
    if threads == 1 {
        "1 thread".to_owned()
    } else {
        format!("{threads} threads")
    }
}

impl Report {
    /// Prints one JSON object.
    ///
    /// # Errors
    ///
    /// When `out` cannot be written to.
    pub fn print_json(&self, out: &mut dyn Write) -> io::Result<()> {
        serde_json::to_writer_pretty(&mut *out, self)?;
        writeln!(out)
    }

    /// Prints tables to read.
    ///
    /// # Errors
    ///
    /// When `out` cannot be written to.
    pub fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        let Machine {
            cpu,
            rustc,
            target_features,
            ..
        } = &self.machine;
        writeln!(out, "processor    {cpu}")?;
        writeln!(out, "compiler     {rustc}")?;
        let features = match target_features.join(" ") {
            none if none.is_empty() => "none beyond the target's".to_owned(),
            features => features,
        };
        writeln!(out, "extensions   {features}")?;
        writeln!(out)?;
        writeln!(
            out,
            "{:<14} {:>8} {:<18} {:>5} {:>7} {:>12} {:>12} {:>10}",
            "library", "version", "preset", "arity", "threads", "ns per hash", "fastest", "hashes"
        )?;
        for row in &self.hashes {
            let mark = if row.same_constants { "" } else { " *" };
            writeln!(
                out,
                "{:<14} {:>8} {:<18} {:>5} {:>7} {:>12.1} {:>12.1} {:>10}",
                row.library,
                row.version,
                format!("{}{mark}", row.preset),
                row.arity,
                row.threads,
                row.nanoseconds_per_hash,
                row.fastest_nanoseconds_per_hash,
                row.hashes,
            )?;
        }
        writeln!(
            out,
            "* other constants than the preset's: the same work, other digests"
        )?;
        writeln!(out)?;
        writeln!(
            out,
            "{:<14} {:>8} {:<18} {:>8} {:>7} {:>12} {:>12} {:>10}",
            "trees of", "version", "preset", "leaves", "threads", "ms", "fastest", "trees"
        )?;
        for row in &self.trees {
            writeln!(
                out,
                "{:<14} {:>8} {:<18} {:>8} {:>7} {:>12.2} {:>12.2} {:>10}",
                row.library,
                row.version,
                row.preset,
                row.leaves,
                row.threads,
                row.milliseconds,
                row.fastest_milliseconds,
                row.builds,
            )?;
        }
        Ok(())
    }
}

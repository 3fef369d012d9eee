//! `acclmt prove`: openings of leaves of a tree.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use crate::arguments::NamedArguments;
use crate::console::Console;
use crate::console::hex;
use crate::error::CommandError;
use crate::files::check_outputs;
use acclmt_driver::device::Progress as _;
use acclmt_merkle::proof::{Proof, ProofError};
use acclmt_merkle::tree_file::TreeFile;
use acclmt_poseidon::word::Word;

/// Prove that leaves are in a tree: print or write a proof, as `acclmt verify` takes it
#[derive(Args)]
pub struct ProveArguments {
    /// File with all nodes of the tree
    tree: PathBuf,
    /// Index of a leaf to open, counted from 0; give the option again to open more
    #[arg(long, value_name = "I", required = true, value_delimiter = ',')]
    index: Vec<u64>,
    /// Let the paths end at the cap of this height, so many levels below the root
    #[arg(long, value_name = "H", default_value_t = 0)]
    cap: u32,
    #[command(flatten)]
    parameters: NamedArguments,
    /// Write the proof to this file, and print what it proves; it is printed itself otherwise
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Print one JSON object, which `acclmt verify --cap-file` takes where there is --out
    #[arg(long)]
    json: bool,
}

/// What the proof in a file proves, in its JSON form.
#[derive(Serialize)]
struct Proven<'a> {
    file: String,
    preset: &'a str,
    field: &'a str,
    arity: usize,
    height: u32,
    leaves: u64,
    root: Vec<String>,
    cap_height: u32,
    cap: Vec<Vec<String>>,
    openings: Vec<Opened>,
}

/// A leaf, in its JSON form.
#[derive(Serialize)]
pub struct Opened {
    index: u64,
    leaf: Vec<String>,
}

impl Opened {
    /// The leaves that `proof` opens.
    pub fn all_of(proof: &Proof) -> Vec<Self> {
        let openings = proof.openings.iter();
        openings
            .map(|opening| Self {
                index: opening.index,
                leaf: hex(&opening.leaf),
            })
            .collect()
    }

    /// Prints a line for each leaf.
    pub fn print(openings: &[Self], console: &mut Console<'_>) -> std::io::Result<()> {
        for Self { index, leaf } in openings {
            console.entry(&format!("leaf {index}"), leaf.join(" "))?;
        }
        Ok(())
    }
}

pub fn run(arguments: &ProveArguments, console: &mut Console<'_>) -> Result<(), CommandError> {
    check_outputs(
        &[
            ("the tree", Some(&arguments.tree)),
            ("--parameters", arguments.parameters.parameters.as_deref()),
        ],
        &[("--out", arguments.out.as_deref())],
    )?;
    let mut progress = console.progress_of("checking the tree", "bytes");
    let tree = TreeFile::open_with(&arguments.tree, &mut |done, total| {
        progress.report(done, total)
    });
    let tree = tree.map_err(CommandError::failure)?;
    drop(progress);
    let parameters = arguments
        .parameters
        .load(tree.header().preset(), "tree", &arguments.tree)?;
    let proof =
        Proof::of_tree(&tree, &arguments.index, arguments.cap).map_err(|error| match error {
            ProofError::Index { .. }
            | ProofError::DuplicateIndex { .. }
            | ProofError::CapHeight { .. }
            | ProofError::NoIndices => CommandError::usage(error),
            error => CommandError::failure(error),
        })?;
    let root = tree.root().map_err(CommandError::failure)?;
    let cap = tree.cap(proof.cap_height).map_err(CommandError::failure)?;
    // A proof that proves nothing is not given away.
    proof.verify(&parameters, &cap).map_err(|error| {
        CommandError::Failure(format!(
            "{} is no tree of '{}', so there is no proof: {error}",
            arguments.tree.display(),
            parameters.name()
        ))
    })?;
    let Some(path) = &arguments.out else {
        console.json(&proof)?;
        return Ok(());
    };
    proof.save(path).map_err(CommandError::failure)?;
    let header = tree.header();
    let proven = Proven {
        file: path.display().to_string(),
        preset: header.preset(),
        field: header.field().name(),
        arity: header.arity(),
        height: header.height(),
        leaves: header.leaves(),
        root: hex(&root),
        cap_height: proof.cap_height,
        cap: cap.iter().map(|node: &Vec<Word>| hex(node)).collect(),
        openings: Opened::all_of(&proof),
    };
    if arguments.json {
        console.json(&proven)?;
        return Ok(());
    }
    console.entry("proof", &proven.file)?;
    console.entry("root", proven.root.join(" "))?;
    console.entry(
        "tree",
        format!(
            "'{}', arity {}, height {}, {} leaves",
            proven.preset, proven.arity, proven.height, proven.leaves
        ),
    )?;
    if proven.cap_height > 0 {
        console.entry(
            "cap",
            format!("height {}, {} nodes", proven.cap_height, proven.cap.len()),
        )?;
    }
    Opened::print(&proven.openings, console)?;
    Ok(())
}

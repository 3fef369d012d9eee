//! `acclmt prove`: openings of leaves of a tree.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde::Serialize;

use crate::arguments::{NamedArguments, TreeSets, UpperArguments};
use crate::console::Console;
use crate::console::hex;
use crate::error::CommandError;
use crate::files::check_outputs;
use acclmt_driver::device::Progress as _;
use acclmt_merkle::levels::{Arities, UpperPreset};
use acclmt_merkle::multiproof::Multiproof;
use acclmt_merkle::proof::{Proof, ProofError};
use acclmt_merkle::proof_file::AnyProof;
use acclmt_merkle::tree_file::TreeFile;
use acclmt_poseidon::word::Word;

/// Prove that leaves are in a tree: print or write a proof, as `acclmt verify` takes it
#[derive(Args)]
pub struct ProveArguments {
    /// File with all nodes of the tree
    tree: PathBuf,
    /// Index of a leaf to open, counted from 0; several, in any order, are separated by commas, or
    /// the option is given again
    #[arg(long, value_name = "I", required = true, value_delimiter = ',')]
    index: Vec<u64>,
    /// Form of the proof [default: paths for one leaf, multiproof for several]
    #[arg(long, value_name = "FORM")]
    form: Option<Form>,
    /// Let the proof end at the cap of this height, so many levels below the root
    #[arg(long, value_name = "H", default_value_t = 0)]
    cap: u32,
    #[command(flatten)]
    parameters: NamedArguments,
    #[command(flatten)]
    upper: UpperArguments,
    /// Write the proof to this file, and print what it proves; it is printed itself otherwise
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Print one JSON object, which `acclmt verify --cap-file` takes where there is --out
    #[arg(long)]
    json: bool,
}

/// What a proof is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    /// An authentication path for each leaf
    Paths,
    /// The leaves, and every node that they need once
    Multiproof,
}

/// What the proof in a file proves, in its JSON form.
#[derive(Serialize)]
struct Proven<'a> {
    file: String,
    format: &'a str,
    preset: &'a str,
    field: &'a str,
    arity: usize,
    #[serde(flatten)]
    upper: Option<Upper>,
    height: u32,
    leaves: u64,
    root: Vec<String>,
    cap_height: u32,
    cap: Vec<Vec<String>>,
    #[serde(flatten)]
    nodes: Nodes,
    openings: Vec<Opened>,
}

/// Upper levels of a tree, in their JSON form.
#[derive(Serialize)]
pub struct Upper {
    /// The arity of each level below the root, the leaves first.
    pub arities: Vec<usize>,
    pub upper: Vec<UpperPreset>,
}

impl Upper {
    /// Nothing for a tree without them.
    pub fn of(arities: &Arities, upper: &[UpperPreset]) -> Option<Self> {
        (!upper.is_empty()).then(|| Self {
            arities: arities.levels().to_vec(),
            upper: upper.to_vec(),
        })
    }
}

/// Nodes of a proof besides its leaves, in their JSON form.
#[derive(Serialize)]
pub struct Nodes {
    nodes: u64,
    /// Those of an authentication path for each leaf.
    nodes_of_paths: u64,
}

impl Nodes {
    pub fn of(proof: &AnyProof) -> Self {
        Self {
            nodes: proof.node_count(),
            nodes_of_paths: proof.nodes_of_paths(),
        }
    }

    /// Prints a line, if paths have another number of nodes.
    pub fn print(&self, console: &mut Console<'_>) -> std::io::Result<()> {
        let Self {
            nodes,
            nodes_of_paths,
        } = self;
        if nodes == nodes_of_paths {
            return Ok(());
        }
        console.entry(
            "nodes",
            format!("{nodes} instead of {nodes_of_paths} with a path for each leaf"),
        )
    }
}

/// A leaf, in its JSON form.
#[derive(Serialize)]
pub struct Opened {
    index: u64,
    leaf: Vec<String>,
}

impl Opened {
    /// The leaves that `proof` opens.
    pub fn all_of(proof: &AnyProof) -> Vec<Self> {
        let leaves = proof.leaves().into_iter();
        leaves
            .map(|(index, leaf)| Self {
                index,
                leaf: hex(leaf),
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
    let upper_files = arguments.upper.files();
    let mut inputs = vec![
        ("the tree", Some(&*arguments.tree)),
        ("--parameters", arguments.parameters.parameters.as_deref()),
    ];
    inputs.extend(
        upper_files
            .iter()
            .map(|path| ("--upper-parameters", Some(&**path))),
    );
    check_outputs(&inputs, &[("--out", arguments.out.as_deref())])?;
    let mut progress = console.progress_of("checking the tree", "bytes");
    let tree = TreeFile::open_with(&arguments.tree, &mut |done, total| {
        progress.report(done, total)
    });
    let tree = tree.map_err(CommandError::failure)?;
    drop(progress);
    let parameters = arguments
        .parameters
        .load(tree.header().preset(), "tree", &arguments.tree)?;
    let upper = (arguments.upper).load_named(
        &parameters,
        tree.header().upper(),
        "tree",
        &arguments.tree,
    )?;
    let (indices, cap_height) = (&arguments.index, arguments.cap);
    let form = arguments.form.unwrap_or(match indices.len() {
        1 => Form::Paths,
        _ => Form::Multiproof,
    });
    let proof = match form {
        Form::Paths => Proof::of_tree(&tree, indices, cap_height).map(AnyProof::Paths),
        Form::Multiproof => {
            Multiproof::of_tree(&tree, indices, cap_height).map(AnyProof::Multiproof)
        }
    };
    let proof = proof.map_err(|error| match error {
        ProofError::Index { .. }
        | ProofError::DuplicateIndex { .. }
        | ProofError::CapHeight { .. }
        | ProofError::NoIndices => CommandError::usage(error),
        error => CommandError::failure(error),
    })?;
    let root = tree.root().map_err(CommandError::failure)?;
    let cap = tree.cap(cap_height).map_err(CommandError::failure)?;
    // A proof that proves nothing is not given away.
    let verified = proof.verify_with_upper(&parameters, &upper.levels(), &cap);
    verified.map_err(|error| {
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
        format: proof.format(),
        preset: header.preset(),
        field: header.field().name(),
        arity: header.arity(),
        upper: Upper::of(&header.arities(), header.upper()),
        height: header.height(),
        leaves: header.leaves(),
        root: hex(&root),
        cap_height,
        cap: cap.iter().map(|node: &Vec<Word>| hex(node)).collect(),
        nodes: Nodes::of(&proof),
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
            "{}, {}, height {}, {} leaves",
            TreeSets(proven.preset, header.upper()),
            header.arities(),
            proven.height,
            proven.leaves
        ),
    )?;
    if proven.cap_height > 0 {
        console.entry(
            "cap",
            format!("height {}, {} nodes", proven.cap_height, proven.cap.len()),
        )?;
    }
    proven.nodes.print(console)?;
    Opened::print(&proven.openings, console)?;
    Ok(())
}

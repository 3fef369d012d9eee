//! `acclmt verify`: whether leaves are in the tree with a root.

use std::path::{Path, PathBuf};

use clap::Args;
use serde::{Deserialize, Serialize};

use crate::arguments::{NamedArguments, TreeSets, UpperArguments};
use crate::console::Console;
use crate::console::hex;
use crate::error::CommandError;
use crate::prove::{Nodes, Opened, Upper};
use acclmt_merkle::levels::UpperPreset;
use acclmt_merkle::proof_file::AnyProof;
use acclmt_poseidon::fields::AnyParameters;
use acclmt_poseidon::text;
use acclmt_poseidon::word::{self, Word};

/// Verify a proof, of paths or a multiproof: whether its leaves are in the tree with a root or cap
///
/// A root does not tell the height of its tree, so compare the height that is printed with that of
/// the tree, or give it.
#[derive(Args)]
pub struct VerifyArguments {
    /// File with a proof, as `acclmt prove` writes it
    proof: PathBuf,
    #[command(flatten)]
    commitment: CommitmentArguments,
    /// The height that the tree has: its levels above the leaves
    #[arg(long, value_name = "H")]
    height: Option<u32>,
    #[command(flatten)]
    parameters: NamedArguments,
    #[command(flatten)]
    upper: UpperArguments,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// What the tree is known by.
#[derive(Args)]
#[group(required = true, multiple = false)]
struct CommitmentArguments {
    /// The root, big-endian hex with 0x: all elements of its digest, separated by spaces or commas
    #[arg(long, value_name = "HEX", num_args = 1.., value_delimiter = ',')]
    root: Vec<String>,
    /// JSON file with the root or the cap, as `acclmt commit --json` prints it
    #[arg(long, value_name = "FILE")]
    cap_file: Option<PathBuf>,
}

/// The keys of a JSON file with a root or a cap that are of use here.
#[derive(Deserialize)]
struct CapFile {
    root: Option<Vec<String>>,
    cap: Option<CapRecord>,
    preset: Option<String>,
    #[serde(default)]
    upper: Vec<UpperPreset>,
    height: Option<u32>,
    /// What became of the check of that commitment.
    check: Option<String>,
}

/// The nodes of a cap.
#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "expected a list of nodes, each a list of its elements in hexadecimal"
)]
enum CapRecord {
    /// The elements of each.
    Nodes(Vec<Vec<String>>),
    /// The elements of all, one after another.
    Elements(Vec<String>),
}

/// Most bytes of a file with a root or cap.
const MAX_BYTES: u64 = 1 << 28;

/// The result of the command, in its JSON form.
#[derive(Serialize)]
struct Verification<'a> {
    valid: bool,
    problem: Option<String>,
    format: &'a str,
    preset: &'a str,
    field: &'a str,
    arity: usize,
    #[serde(flatten)]
    upper: Option<Upper>,
    height: u32,
    cap_height: u32,
    cap: Vec<Vec<String>>,
    #[serde(flatten)]
    nodes: Nodes,
    openings: Vec<Opened>,
}

pub fn run(arguments: &VerifyArguments, console: &mut Console<'_>) -> Result<(), CommandError> {
    let proof = AnyProof::load(&arguments.proof).map_err(CommandError::failure)?;
    let parameters = (arguments.parameters).load(proof.preset(), "proof", &arguments.proof)?;
    let parameters = &parameters;
    let upper =
        (arguments.upper).load_named(parameters, proof.upper(), "proof", &arguments.proof)?;
    let upper = upper.levels();
    let presets = UpperPreset::of(&upper);
    let commitment = (arguments.commitment).load(&proof, parameters, &presets)?;
    let name = arguments.proof.display();
    let heights = [arguments.height, commitment.height];
    let height = proof.height();
    let problem = match heights.into_iter().flatten().find(|&it| it != height) {
        Some(expected) => Some(format!(
            "{name}: the proof is of a tree of height {height}, expected {expected}"
        )),
        None => (proof
            .verify_with_upper(parameters, &upper, &commitment.cap)
            .err())
        .map(|error| format!("{name}: {error}")),
    };
    let verification = Verification {
        valid: problem.is_none(),
        problem,
        format: proof.format(),
        preset: parameters.name(),
        field: parameters.field().name(),
        arity: proof.arity(),
        upper: Upper::of(&proof.arities(), &presets),
        height,
        cap_height: proof.cap_height(),
        cap: commitment.cap.iter().map(|node| hex(node)).collect(),
        nodes: Nodes::of(&proof),
        openings: Opened::all_of(&proof),
    };
    let printed = match (arguments.json, &verification.problem) {
        (true, _) => console.json(&verification).map_err(CommandError::from),
        (false, None) => print(&verification, &proof, &presets, console),
        (false, Some(_)) => Ok(()),
    };
    // This counts more than results that nobody reads.
    match verification.problem {
        Some(problem) => Err(CommandError::Failure(problem)),
        None => printed,
    }
}

fn print(
    verification: &Verification<'_>,
    proof: &AnyProof,
    upper: &[UpperPreset],
    console: &mut Console<'_>,
) -> Result<(), CommandError> {
    let top = match verification.cap_height {
        0 => "root".to_owned(),
        height => format!("cap of height {height}"),
    };
    let leaves = match verification.openings.len() {
        1 => "the leaf is".to_owned(),
        count => format!("all {count} leaves are"),
    };
    console.entry("proof", format!("ok: {leaves} in the tree with this {top}"))?;
    if let [root] = &verification.cap[..] {
        console.entry("root", root.join(" "))?;
    }
    console.entry(
        "tree",
        format!(
            "{}, {}, height {}",
            TreeSets(verification.preset, upper),
            proof.arities(),
            verification.height
        ),
    )?;
    verification.nodes.print(console)?;
    Opened::print(&verification.openings, console)?;
    Ok(())
}

/// What the tree is known by.
struct Commitment {
    cap: Vec<Vec<Word>>,
    /// Its height, if that is known.
    height: Option<u32>,
}

impl CommitmentArguments {
    /// The root or cap that `proof` is to be verified against.
    fn load(
        &self,
        proof: &AnyProof,
        parameters: &AnyParameters,
        upper: &[UpperPreset],
    ) -> Result<Commitment, CommandError> {
        if let Some(path) = &self.cap_file {
            let in_file =
                |error: String| CommandError::Failure(format!("{}: {error}", path.display()));
            return CapFile::load(path)?
                .commitment(proof, parameters, upper)
                .map_err(in_file);
        }
        if proof.cap_height() > 0 {
            return Err(CommandError::Usage(format!(
                "the proof ends at a cap of height {}, not at the root; give the cap with --cap-file",
                proof.cap_height()
            )));
        }
        let root = read_node(&self.root).map_err(CommandError::Usage)?;
        if root.len() != parameters.digest_length() {
            return Err(CommandError::Usage(format!(
                "--root has {} field elements, but a digest of '{}' has {}",
                root.len(),
                parameters.name(),
                parameters.digest_length()
            )));
        }
        let prime = parameters.prime();
        if let Some(element) = root.iter().find(|element| !word::is_below(element, &prime)) {
            return Err(CommandError::Usage(format!(
                "--root has the element {}, which is not below the prime of {}",
                word::to_hex(element),
                parameters.field()
            )));
        }
        Ok(Commitment {
            cap: vec![root],
            height: None,
        })
    }
}

impl CapFile {
    fn load(path: &Path) -> Result<Self, CommandError> {
        let path_name = path.display();
        let json = text::read_file(path, MAX_BYTES)
            .map_err(|error| CommandError::Failure(format!("cannot read {path_name}: {error}")))?;
        let file: Self = serde_json::from_str(&json).map_err(|error| {
            CommandError::Failure(format!(
                "{path_name} is no JSON object with a root or cap as acclmt commit --json prints it: {}",
                text::message(&error)
            ))
        })?;
        if file.check.as_deref() == Some("failed") {
            return Err(CommandError::Failure(format!(
                "{path_name}: the check of this commitment failed; commit again"
            )));
        }
        Ok(file)
    }

    fn commitment(
        self,
        proof: &AnyProof,
        parameters: &AnyParameters,
        upper: &[UpperPreset],
    ) -> Result<Commitment, String> {
        let names_sets = self.preset.is_some() || !self.upper.is_empty();
        if let Some(preset) = self.preset.filter(|preset| preset != parameters.name()) {
            return Err(format!(
                "it is of a tree of '{}', and the proof is to be verified with '{}'",
                text::shortened(&preset),
                parameters.name()
            ));
        }
        // A file that names no parameter set names none of upper levels either.
        if names_sets && self.upper != upper {
            let sets = |upper: &[UpperPreset]| match upper {
                [] => "without upper levels".to_owned(),
                upper => format!("of {}", TreeSets(parameters.name(), upper)),
            };
            return Err(format!(
                "it is of a tree {}, and the proof is to be verified as one {}",
                text::message(&sets(&self.upper)),
                sets(upper)
            ));
        }
        let cap = match (self.root, self.cap) {
            (Some(root), _) if proof.cap_height() == 0 => vec![read_node(&root)?],
            (_, Some(CapRecord::Nodes(nodes))) => {
                let nodes = nodes.iter().map(|node| read_node(node));
                nodes.collect::<Result<_, _>>()?
            }
            (_, Some(CapRecord::Elements(elements))) => {
                let nodes = elements.chunks(parameters.digest_length());
                nodes.map(read_node).collect::<Result<_, _>>()?
            }
            (Some(_), None) => {
                return Err(format!(
                    "it has a root and no cap, but the proof ends at a cap of height {}",
                    proof.cap_height()
                ));
            }
            (None, None) => return Err("it has neither a root nor a cap".to_owned()),
        };
        Ok(Commitment {
            cap,
            height: self.height,
        })
    }
}

fn read_node(elements: &[String]) -> Result<Vec<Word>, String> {
    let elements = elements.iter().map(|text| word::from_hex(text));
    let elements: Result<_, _> = elements.collect();
    elements.map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::{Value, json};
    use tempfile::TempDir;

    use super::*;
    use crate::{LibraryBackends, run_with};
    use acclmt_merkle::tree_file::testing::write;
    use acclmt_poseidon::presets;

    /// What a run of the command line gave: its exit code, output and errors.
    type Run = (u8, String, String);

    fn run(arguments: &[&str]) -> Run {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let arguments = ["acclmt"].iter().chain(arguments);
        let code = run_with(arguments, &LibraryBackends, &mut out, &mut err, false);
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (code, text(out), text(err))
    }

    #[track_caller]
    fn succeeds(arguments: &[&str]) -> String {
        let (code, out, err) = run(arguments);
        assert_eq!((code, err.as_str()), (0, ""), "{out}");
        out
    }

    #[track_caller]
    fn fails(arguments: &[&str], expected_code: u8, expected: &str) {
        let (code, out, err) = run(arguments);
        assert_eq!(code, expected_code, "{out}{err}");
        assert_eq!(out, "");
        assert!(err.contains(expected), "{err}");
    }

    /// A folder with the file of a tree.
    struct Files {
        folder: TempDir,
        tree: String,
        levels: Vec<Vec<Vec<Word>>>,
    }

    impl Files {
        fn new(name: &str, height: u32) -> Self {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("tree");
            let levels = write(&path, presets::by_name(name).unwrap(), height);
            let tree = path.to_str().unwrap().to_owned();
            Self {
                folder,
                tree,
                levels,
            }
        }

        fn path(&self, name: &str) -> String {
            self.folder.path().join(name).to_str().unwrap().to_owned()
        }

        fn text(&self, name: &str, text: &str) -> String {
            let path = self.path(name);
            fs::write(&path, text).unwrap();
            path
        }

        /// A node in hexadecimal.
        fn node(&self, level: usize, index: usize) -> Vec<String> {
            hex(&self.levels[level][index])
        }
    }

    #[test]
    fn proofs_are_written_and_verified() {
        let files = Files::new("filecoin-arity-2", 3);
        let proof = files.path("proof.json");
        let root = &files.node(3, 0)[0];
        let leaf = &files.node(0, 5)[0];
        let text = succeeds(&["prove", &files.tree, "--index", "5", "--out", &proof]);
        for part in [
            &proof,
            root,
            "height 3, 8 leaves",
            &format!("leaf 5       {leaf}"),
        ] {
            assert!(text.contains(part), "no '{part}' in {text}");
        }
        // The printed proof is the same.
        let printed = succeeds(&["prove", &files.tree, "--index", "5"]);
        assert_eq!(printed, fs::read_to_string(&proof).unwrap());
        assert_eq!(
            printed,
            succeeds(&["prove", &files.tree, "--index", "5", "--json"])
        );

        let text = succeeds(&["verify", &proof, "--root", root]);
        for part in [
            "ok: the leaf is in the tree with this root",
            root,
            "height 3",
            &format!("leaf 5       {leaf}"),
        ] {
            assert!(text.contains(part), "no '{part}' in {text}");
        }
        succeeds(&["verify", &proof, "--root", root, "--height", "3"]);
        let result = succeeds(&["verify", &proof, "--root", root, "--json"]);
        let result: Value = serde_json::from_str(&result).unwrap();
        assert_eq!(
            result,
            json!({
                "valid": true, "problem": null, "format": "acclmt-proof/1",
                "preset": "filecoin-arity-2", "field": "bls12-381", "arity": 2, "height": 3,
                "cap_height": 0, "cap": [[root]], "nodes": 3, "nodes_of_paths": 3,
                "openings": [{ "index": 5, "leaf": [leaf] }],
            })
        );
    }

    #[test]
    fn wrong_proofs_fail_with_the_opening() {
        let files = Files::new("filecoin-arity-2", 3);
        let proof = files.path("proof.json");
        let root = &files.node(3, 0)[0];
        let prove = ["prove", &files.tree, "--index", "1", "--index", "6,2"];
        succeeds(&[&prove[..], &["--form", "paths", "--out", &proof]].concat());
        let text = succeeds(&["verify", &proof, "--root", root]);
        assert!(text.contains("all 3 leaves are in the tree"), "{text}");
        let leaf = &files.node(0, 6)[0];
        let json = fs::read_to_string(&proof).unwrap();
        let altered = files.text("altered.json", &json.replace(leaf, "0x5"));
        let expected = "openings[1], of leaf 6: the leaf and its siblings hash to 0x";
        fails(&["verify", &altered, "--root", root], 1, expected);
        fails(&["verify", &altered, "--root", root], 1, "altered.json");
        let (code, out, err) = run(&["verify", &altered, "--root", root, "--json"]);
        assert_eq!(code, 1);
        assert!(
            err.starts_with("error: ") && err.contains(expected),
            "{err}"
        );
        let result: Value = serde_json::from_str(&out).unwrap();
        assert_eq!(result["valid"], false);
        assert!(result["problem"].as_str().unwrap().contains(expected));

        fails(
            &["verify", &proof, "--root", leaf],
            1,
            "openings[0], of leaf 1",
        );
        fails(
            &["verify", &proof, "--root", root, "--height", "4"],
            1,
            "a tree of height 3, expected 4",
        );
        let other = ["--preset", "neptune-pallas-arity-2"];
        fails(
            &[&["verify", &proof, "--root", "0x1"], &other[..]].concat(),
            1,
            "over the field bls12-381",
        );
        let other = ["--preset", "filecoin-arity-2-strengthened"];
        fails(
            &[&["verify", &proof, "--root", root], &other[..]].concat(),
            1,
            "openings[0], of leaf 1",
        );
        fails(
            &["verify", &files.tree, "--root", root],
            1,
            "does not follow the format",
        );
        fails(
            &["verify", &files.path("absent"), "--root", root],
            1,
            "cannot read",
        );
        let named = files.text("mine.json", &json.replace("filecoin-arity-2", "mine"));
        fails(
            &["verify", &named, "--root", root],
            1,
            "names the parameter set 'mine', which is no preset",
        );
        let preset = ["--preset", "filecoin-arity-2"];
        succeeds(&[&["verify", &named, "--root", root], &preset[..]].concat());
    }

    #[test]
    fn wrong_command_lines_are_refused() {
        let files = Files::new("filecoin-arity-2", 3);
        let proof = files.path("proof.json");
        let root = &files.node(3, 0)[0];
        let prove = |more: &[&str], code, expected: &str| {
            fails(&[&["prove", &files.tree], more].concat(), code, expected);
        };
        prove(&[], 2, "--index");
        prove(&["--index", "-1"], 2, "-1");
        prove(&["--index", "8"], 2, "no leaf 8: the 8 leaves");
        prove(&["--index", "1,1"], 2, "leaf 1 is given twice");
        prove(&["--index", "1", "--cap", "4"], 2, "higher than the tree");
        let absent = files.path("absent/proof.json");
        prove(&["--index", "1", "--out", &absent], 1, "cannot write");
        fails(&["prove", &absent, "--index", "1"], 1, "cannot read");

        succeeds(&["prove", &files.tree, "--index", "1", "--out", &proof]);
        let verify = |more: &[&str], expected: &str| {
            fails(&[&["verify", &proof], more].concat(), 2, expected);
        };
        verify(&[], "--root");
        verify(&["--root", root, "--cap-file", &proof], "--cap-file");
        verify(&["--root", "5"], "'5' is no field element");
        verify(
            &["--root", root, root],
            "--root has 2 field elements, but a digest",
        );
        verify(
            &[
                "--root",
                "0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001",
            ],
            "not below the prime of bls12-381",
        );
        verify(
            &["--root", root, "--preset", "none"],
            "unknown preset 'none'",
        );
        succeeds(&[
            "prove",
            "--index",
            "1",
            &files.tree,
            "--cap",
            "1",
            "--out",
            &proof,
        ]);
        verify(&["--root", root], "give the cap with --cap-file");
    }

    #[test]
    fn caps_and_roots_come_from_a_file() {
        let files = Files::new("plonky2", 3);
        let proof = files.path("proof.json");
        let prove = [
            "prove",
            &files.tree,
            "--index",
            "1",
            "--out",
            &proof,
            "--json",
        ];
        let root = files.node(3, 0);
        for cap in ["0", "2"] {
            let printed = succeeds(&[&prove[..], &["--cap", cap]].concat());
            let cap_file = files.text("printed.json", &printed);
            succeeds(&["verify", &proof, "--cap-file", &cap_file]);
        }
        // The proof is of the cap of height 2.
        let cap = [0, 1, 2, 3].map(|index| files.node(1, index));
        let verify = |record: Value| {
            let cap_file = files.text("cap.json", &record.to_string());
            run(&["verify", &proof, "--cap-file", &cap_file])
        };
        for record in [
            json!({ "cap": cap }),
            json!({ "cap": cap.concat() }),
            json!({ "cap": cap, "root": root, "preset": "plonky2", "height": 3, "more": 5 }),
        ] {
            let (code, out, err) = verify(record);
            assert_eq!(code, 0, "{err}");
            assert!(
                out.contains("in the tree with this cap of height 2"),
                "{out}"
            );
        }
        let mut changed = cap.clone();
        changed[0][3] = "0x1".to_owned();
        let mut high = cap.clone();
        high[3][3] = "0xffffffff00000001".to_owned();
        for (record, expected) in [
            (json!({ "root": root }), "it has a root and no cap"),
            (json!({}), "neither a root nor a cap"),
            (json!({ "cap": null }), "neither a root nor a cap"),
            (json!({ "cap": cap[..3] }), "verified against 3"),
            (
                json!({ "cap": cap.concat()[..15] }),
                "node 3 of the cap: it has 3",
            ),
            (json!({ "cap": changed }), "openings[0], of leaf 1"),
            (json!({ "cap": high }), "node 3 of the cap: its element 3"),
            (json!({ "cap": ["x"] }), "'x' is no field element"),
            (json!({ "cap": 5 }), "no JSON object with a root or cap"),
            (json!([]), "no JSON object with a root or cap"),
            (json!({ "cap": cap, "height": 4 }), "height 3, expected 4"),
            (
                json!({ "cap": cap, "preset": "polygon-zkevm" }),
                "it is of a tree of 'polygon-zkevm'",
            ),
        ] {
            let (code, out, err) = verify(record);
            assert_eq!((code, out.as_str()), (1, ""), "{err}");
            assert!(err.contains(expected), "{err}\nexpected: {expected}");
        }
        let absent = files.path("absent");
        fails(&["verify", &proof, "--cap-file", &absent], 1, "cannot read");

        // A proof up to the root takes the root of the file, or a cap of one node.
        succeeds(&["prove", &files.tree, "--index", "1", "--out", &proof]);
        for record in [
            json!({ "cap": cap, "root": root }),
            json!({ "root": root, "cap": null }),
            json!({ "cap": [root] }),
            json!({ "cap": root }),
        ] {
            let (code, _, err) = verify(record);
            assert_eq!(code, 0, "{err}");
        }
        let elements: Vec<&str> = root.iter().map(String::as_str).collect();
        succeeds(&[&["verify", &proof, "--root"], &elements[..]].concat());
    }

    /// From a file of leaves to a proof that what `acclmt commit` prints verifies.
    #[test]
    fn committed_leaves_are_proved() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        let (leaves, tree, proof) = (path("leaves"), path("tree"), path("proof.json"));
        for (name, more) in [
            ("filecoin-arity-2", &["--pad", "0"][..]),
            ("dusk", &["--pad", "0", "--pad-rule", "subtree"]),
            ("filecoin-arity-11", &["--pad", "7", "--height", "3"]),
            ("plonky2", &["--pad", "0,0,0,0"]),
        ] {
            let parameters = presets::by_name(name).unwrap();
            let element_bytes = parameters.field().element_bytes();
            let words = (1..=21 * parameters.digest_length() as u64).map(word::from_u64);
            let bytes: Vec<u8> = words
                .flat_map(|word| word.into_iter().take(element_bytes))
                .collect();
            fs::write(&leaves, bytes).unwrap();
            for cap in ["0", "1"] {
                let commit = ["commit", &leaves, "--preset", name, "--leaf", "element"];
                let options = ["--json", "--cap", cap, "--tree-out", &tree];
                let cap_file = path("commitment.json");
                let printed = succeeds(&[&commit[..], &options, more].concat());
                fs::write(&cap_file, printed).unwrap();
                let indices: Vec<_> = (0..21).map(|index| index.to_string()).collect();
                let prove = [
                    "prove",
                    &tree,
                    "--index",
                    &indices.join(","),
                    "--out",
                    &proof,
                ];
                for form in ["paths", "multiproof"] {
                    succeeds(&[&prove[..], &["--cap", cap, "--form", form]].concat());
                    let text = succeeds(&["verify", &proof, "--cap-file", &cap_file]);
                    assert!(text.contains("all 21 leaves are in the tree"), "{text}");
                }
                let prove = ["prove", &tree, "--index", "21"];
                fails(&prove, 2, "no leaf 21: the 21 leaves");
            }
        }
    }
}

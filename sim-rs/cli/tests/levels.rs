//! Trees whose upper levels have parameter sets of their own, on the command line.

use std::fs;

use acclmt::LibraryBackends;
use acclmt_measure::vectors::generate_element;
use acclmt_poseidon::fields::FieldId;
use acclmt_poseidon::word::{self, Word};
use serde_json::{Value, json};
use tempfile::TempDir;

/// What a run of the command line gave.
#[derive(Debug)]
struct Run {
    code: u8,
    out: String,
    err: String,
}

fn run(arguments: &[&str]) -> Run {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let arguments = ["acclmt"].iter().chain(arguments);
    let code = acclmt::run_with(arguments, &LibraryBackends, &mut out, &mut err, false);
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Run {
        code,
        out: text(out),
        err: text(err),
    }
}

/// The output of a run that succeeds.
#[track_caller]
fn succeeds(arguments: &[&str]) -> String {
    let run = run(arguments);
    assert_eq!(run.code, 0, "{run:?}");
    run.out
}

#[track_caller]
fn json_of(arguments: &[&str]) -> Value {
    serde_json::from_str(&succeeds(arguments)).unwrap()
}

/// A run that fails with `code` and an error that begins with `expected`.
#[track_caller]
fn fails(arguments: &[&str], code: u8, expected: &str) {
    let run = run(arguments);
    assert_eq!((run.code, run.out.as_str()), (code, ""), "{run:?}");
    let message = run.err.strip_prefix("error: ").unwrap_or_default();
    assert!(message.starts_with(expected), "no '{expected}' in {run:?}");
}

/// A folder with files.
struct Files(TempDir);

impl Files {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_owned()
    }

    fn words(&self, name: &str, words: impl Iterator<Item = Word>) -> String {
        let path = self.path(name);
        fs::write(&path, words.collect::<Vec<_>>().concat()).unwrap();
        path
    }

    fn numbers(&self, name: &str, count: u64) -> String {
        self.words(name, (0..count).map(word::from_u64))
    }
}

const EIGHT: [&str; 2] = ["--preset", "filecoin-arity-8"];

/// A set of arity 2 that is no preset.
const MINE: &str = r#"
    name = "mine"
    field = "bls12-381"
    width = 3
    alpha = 5
    full_rounds_first = 2
    partial_rounds = 3
    full_rounds_last = 2
    input_positions = [1, 2]
    digest_positions = [0]
    [constants]
    method = "grain"
    sbox = 0
    [matrix]
    method = "given"
    rows = [[2, 1, 3], [1, 1, 1], [7, 1, 1]]
"#;

/// Roots of neptune 13.0.0 for the shape of 64 GiB sectors, `joined_k1_sub8_top2` of `filecoin_column_trees`: 16 trees
/// of eight leaves, eight of which are joined by arity 8, and two of these by arity 2.
#[test]
fn joined_trees_are_those_of_neptune() {
    let files = Files::new();
    let file = |kind: &str, elements: usize| {
        let seed = format!("public/filecoin_column_trees/joined_k1_sub8_top2_{kind}");
        let elements =
            (0..elements).map(|index| generate_element(FieldId::Bls12_381, &seed, index));
        files.words(kind, elements)
    };
    let columns = file("c", 128 * 11);
    let replica = file("r", 128);
    for (file, leaf, root) in [
        (
            &columns,
            &["--leaf-preset", "filecoin-arity-11"][..],
            "0x69e8603bf8f66009b42279a3783f23a464ca452ce9a561a1c5cd6ac100e67c81",
        ),
        (
            &replica,
            &["--leaf", "element"],
            "0x075ba7955209efff4f07a4a4cc166e3c073b9fc6dbf3c99fd1caa6907b244264",
        ),
    ] {
        let commit = [
            &["commit", file, "--upper", "2=filecoin-arity-2"],
            &EIGHT[..],
            leaf,
        ]
        .concat();
        for devices in [
            &["--backend", "software"][..],
            &["--backend", "model"],
            &["--backend", "model", "--devices", "3"],
        ] {
            let result = json_of(&[&commit[..], devices, &["--json"]].concat());
            assert_eq!(result["root"], json!([root]), "{devices:?}");
            assert_eq!(
                (&result["check"], &result["height"]),
                (&json!("ok"), &json!(3))
            );
            assert_eq!(result["arities"], json!([8, 8, 2]));
            let upper = json!([{ "from": 2, "preset": "filecoin-arity-2", "arity": 2 }]);
            assert_eq!(result["upper"], upper);
        }
        let text = succeeds(&[&commit[..], &["--backend", "software"]].concat());
        let sets = "'filecoin-arity-8', from level 2 on 'filecoin-arity-2', arities 8, 8, 2";
        assert!(text.contains(sets) && text.contains(root), "{text}");
    }
    // Nothing new where all levels have one set.
    let replica = files.numbers("one", 64);
    let result = json_of(
        &[
            &["commit", &replica, "--leaf", "element", "--json"],
            &EIGHT[..],
        ]
        .concat(),
    );
    assert!(result.get("arities").is_none() && result.get("upper").is_none());
}

/// From a file of leaves to a proof that what `acclmt commit` prints verifies.
#[test]
fn committed_leaves_are_proved() {
    let files = Files::new();
    let leaves = files.numbers("leaves", 21);
    let mine = files.path("mine.toml");
    fs::write(&mine, MINE).unwrap();
    let own = format!("3={mine}");
    let (tree, proof, cap_file) = (
        files.path("tree"),
        files.path("proof.json"),
        files.path("commitment.json"),
    );
    let four_two = [
        "--upper",
        "2=filecoin-arity-2",
        "--upper",
        "1=filecoin-arity-4",
    ];
    for (preset, upper, arities, named) in [
        ("filecoin-arity-8", &four_two[..], json!([8, 4, 2]), &[][..]),
        (
            "filecoin-arity-3",
            &["--upper", "1=dusk"],
            json!([3, 4, 4]),
            &[],
        ),
        (
            "filecoin-arity-3",
            &["--upper", "2=dusk", "--upper-parameters", &own],
            json!([3, 3, 4, 2]),
            &["--upper-parameters", &own],
        ),
    ] {
        let height = arities.as_array().unwrap().len();
        let commit = [
            "commit", &leaves, "--preset", preset, "--leaf", "element", "--pad", "7",
        ];
        let height_text = height.to_string();
        let commit = [&commit[..], upper, &["--height", &height_text]].concat();
        for cap in ["0", "1", "2"] {
            let printed =
                succeeds(&[&commit[..], &["--cap", cap, "--tree-out", &tree, "--json"]].concat());
            fs::write(&cap_file, &printed).unwrap();
            let result: Value = serde_json::from_str(&printed).unwrap();
            assert_eq!(result["arities"], arities);
            let cap_height: usize = cap.parse().unwrap();
            let sizes = arities.as_array().unwrap()[height - cap_height..].iter();
            let nodes: u64 = sizes.map(|arity| arity.as_u64().unwrap()).product();
            if cap_height > 0 {
                assert_eq!(result["cap"].as_array().unwrap().len() as u64, nodes);
            }
            for (form, format) in [
                ("paths", "acclmt-proof/2"),
                ("multiproof", "acclmt-multiproof/2"),
            ] {
                let prove = [
                    "prove", &tree, "--index", "0,5,20", "--cap", cap, "--form", form,
                ];
                if !named.is_empty() {
                    let expected = format!(
                        "{tree}: the tree names the parameter set 'mine' of upper level 3, which is no preset; \
                         give it with --upper-parameters 3=FILE"
                    );
                    fails(&prove, 1, &expected);
                }
                let prove = [&prove[..], named, &["--out", &proof, "--json"]].concat();
                let proven = json_of(&prove);
                assert_eq!(
                    (&proven["arities"], &proven["format"]),
                    (&arities, &json!(format))
                );
                assert_eq!(proven["upper"], result["upper"]);
                let verify = [&["verify", &proof, "--cap-file", &cap_file], named].concat();
                let text = succeeds(&verify);
                assert!(text.contains("all 3 leaves are in the tree"), "{text}");
                let verified = json_of(&[&verify[..], &["--json"]].concat());
                assert_eq!(
                    (&verified["arities"], &verified["valid"]),
                    (&arities, &json!(true))
                );
                // With other sets of upper levels it proves nothing.
                let other = [&["verify", &proof, "--cap-file", &cap_file], upper].concat();
                succeeds(&other);
                let last = if named.is_empty() { "2" } else { "3" };
                let wrong = format!("{last}=filecoin-arity-2-strengthened");
                let wrong = [
                    &["verify", &proof, "--cap-file", &cap_file, "--upper"],
                    &[&*wrong][..],
                ]
                .concat();
                let expected = format!("{cap_file}: it is of a tree of '{preset}', from level");
                fails(&wrong, 1, &expected);
            }
        }
    }
}

/// Of a proof and a root alone.
#[test]
fn proofs_with_other_upper_levels_prove_nothing() {
    let files = Files::new();
    let leaves = files.numbers("leaves", 16);
    let (tree, proof) = (files.path("tree"), files.path("proof.json"));
    let commit = [
        "commit",
        &leaves,
        "--leaf",
        "element",
        "--tree-out",
        &tree,
        "--json",
    ];
    let root = |more: &[&str]| {
        let result = json_of(&[&commit[..], more].concat());
        result["root"][0].as_str().unwrap().to_owned()
    };
    let two = ["--upper", "1=filecoin-arity-2"];
    let mixed = root(&[&EIGHT[..], &two].concat());
    succeeds(&["prove", &tree, "--index", "9", "--out", &proof]);
    succeeds(&["verify", &proof, "--root", &mixed]);
    let verify = ["verify", &proof, "--root", &mixed];
    succeeds(&[&verify[..], &two].concat());
    fails(
        &[&verify[..], &["--upper", "1=filecoin-arity-2-strengthened"]].concat(),
        1,
        &format!("{proof}: openings[0], of leaf 9: the leaf and its siblings hash to 0x"),
    );
    fails(
        &[&verify[..], &["--upper", "2=filecoin-arity-2"]].concat(),
        1,
        &format!(
            "{proof}: the proof is of a tree with the upper levels 1 of arity 2 ('filecoin-arity-2'), and is to be \
             verified with the upper levels 1 of arity 2 ('filecoin-arity-2'), 2 of arity 2"
        ),
    );
    // A tree without upper levels has another root, and a proof without them.
    let one = root(&["--preset", "filecoin-arity-2"]);
    assert_ne!(one, mixed);
    succeeds(&["prove", &tree, "--index", "9", "--out", &proof]);
    assert!(
        fs::read_to_string(&proof)
            .unwrap()
            .contains("acclmt-proof/1")
    );
    fails(
        &[
            "verify",
            &proof,
            "--root",
            &one,
            "--upper",
            "1=filecoin-arity-2",
        ],
        1,
        &format!(
            "{proof}: the proof is of a tree without upper levels, and is to be verified with"
        ),
    );
}

#[test]
fn packed_files_fill_the_tree() {
    let files = Files::new();
    let file = files.path("bytes");
    fs::write(&file, [7; 31 * 9]).unwrap();
    let commit = ["commit", &file, "--pack", "--leaf", "element", "--json"];
    let result = json_of(&[&commit[..], &EIGHT, &["--upper", "1=filecoin-arity-2"]].concat());
    assert_eq!(
        (&result["leaves"], &result["arities"]),
        (&json!(16), &json!([8, 2]))
    );
    // The upper level is reached, whatever the size of the file.
    let result = json_of(&[&commit[..], &EIGHT, &["--upper", "2=filecoin-arity-2"]].concat());
    assert_eq!(
        (&result["leaves"], &result["arities"]),
        (&json!(128), &json!([8, 8, 2]))
    );
}

#[test]
fn wrong_upper_levels_are_refused() {
    let files = Files::new();
    let leaves = files.numbers("leaves", 128);
    let absent = format!("2={}", files.path("absent.toml"));
    let not_reached =
        format!("{leaves}: --upper 3: no nodes of level 3 are hashed, as the tree has height 3");
    let not_full = format!(
        "{leaves}: 128 leaves do not fill a tree of arities 8, 3, 3, 3: its number of leaves is their product, 216"
    );
    for (upper, code, expected) in [
        (
            &["--upper", "filecoin-arity-2"][..],
            2,
            "invalid value 'filecoin-arity-2' for '--upper <LEVEL=PRESET>': there is no '='",
        ),
        (
            &["--upper", "x=filecoin-arity-2"],
            2,
            "invalid value 'x=filecoin-arity-2' for '--upper <LEVEL=PRESET>': 'x' is no level",
        ),
        (
            &["--upper", "=filecoin-arity-2"],
            2,
            "invalid value '=filecoin-arity-2' for '--upper <LEVEL=PRESET>': '' is no level",
        ),
        (
            &["--upper", "+2=filecoin-arity-2"],
            2,
            "invalid value '+2=filecoin-arity-2' for '--upper <LEVEL=PRESET>': '+2' is no level",
        ),
        (
            &["--upper", "2=filecoin"],
            2,
            "--upper 2: unknown preset 'filecoin'",
        ),
        (
            &["--upper", "2=plonky2"],
            2,
            "--upper: 'plonky2', of the levels from 2 on, makes no nodes for a tree of 'filecoin-arity-8': it is over \
             goldilocks with digests of 4",
        ),
        (
            &["--upper", "2=filecoin-arity-1"],
            2,
            "--upper: 'filecoin-arity-1' makes no tree",
        ),
        (
            &["--upper", "0=filecoin-arity-2"],
            2,
            "--upper: the nodes of level 0, the leaves, are hashed with the parameter set of the tree",
        ),
        (
            &[
                "--upper",
                "2=filecoin-arity-2",
                "--upper",
                "2=filecoin-arity-4",
            ],
            2,
            "--upper: level 2 has two parameter sets; give one",
        ),
        (&["--upper", "3=filecoin-arity-2"], 1, &not_reached),
        (&["--upper", "1=filecoin-arity-3"], 1, &not_full),
        (&["--upper-parameters", &absent], 1, "cannot read"),
        (
            &["--upper", "2=filecoin-arity-2", "--cap", "4"],
            1,
            "--cap 4: a cap of height 4 is higher than the tree, which has height 3",
        ),
    ] {
        let commit = ["commit", &leaves, "--leaf", "element"];
        fails(&[&commit[..], &EIGHT, upper].concat(), code, expected);
    }
    let tree = ["bench", "tree", "--backend", "model", "--leaves", "64"];
    fails(
        &[&tree[..], &EIGHT, &["--upper", "2=filecoin-arity-2"]].concat(),
        1,
        "no nodes of level 2 are hashed, as the tree has height 2",
    );
}

#[test]
fn mixed_trees_are_measured() {
    let tree = [
        "bench",
        "tree",
        "--backend",
        "model",
        "--leaves",
        "128",
        "--json",
    ];
    let row = json_of(&[&tree[..], &EIGHT, &["--upper", "2=filecoin-arity-2"]].concat());
    assert_eq!(
        (&row["leaves"], &row["arities"]),
        (&json!(128), &json!([8, 8, 2]))
    );
    let upper = json!([{ "from": 2, "preset": "filecoin-arity-2", "arity": 2 }]);
    assert_eq!(row["upper"], upper);
    let hashes = |engine: &str| row["counters"][engine]["hashes"].as_u64().unwrap();
    assert_eq!(hashes("leaf") + hashes("root"), 128 + 16 + 2 + 1);
    // Busy by the mean of the sets' cycles, of which arity 8 has more than twice those of arity 2.
    let busy = |key: &str| row[key].as_f64().unwrap();
    let sum = busy("lhe_utilisation") + busy("rhe_utilisation");
    assert!(sum > 0.1 && sum <= 2.0, "{row}");
}

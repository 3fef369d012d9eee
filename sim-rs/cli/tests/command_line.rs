//! The command line with the software backend: results, messages and exit codes.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use acclmt::{BackendError, BackendFactory, BackendOptions, LibraryBackends};
use acclmt_driver::device::{
    CommitReport, CommitRequest, Counters, Device, DeviceError, EngineCounters, EnginePlan,
    HashReport, LeafSource, PermuteReport, Progress, Unsupported,
};
use acclmt_driver::nodes::NodeSink;
use acclmt_driver::program::{ChipProgram, EngineLimits};
use acclmt_driver::software::SoftwareDevice;
use acclmt_merkle::tree_file::{TreeFileWriter, TreeHeader};
use acclmt_poseidon::fields::{AnyParameters, FieldId};
use acclmt_poseidon::presets;
use acclmt_poseidon::word::{self, Word};
use serde_json::{Value, json};
use tempfile::TempDir;

const ARITY_2: &str = "filecoin-arity-2";

/// What a run of the command line gave.
#[derive(Debug)]
struct Run {
    code: u8,
    out: String,
    err: String,
}

fn run_with(backends: &dyn BackendFactory, arguments: &[&str]) -> Run {
    let mut out = Vec::new();
    let mut err = Vec::new();
    let arguments = ["acclmt"].iter().chain(arguments);
    let code = acclmt::run_with(arguments, backends, &mut out, &mut err, false);
    Run {
        code,
        out: String::from_utf8(out).unwrap(),
        err: String::from_utf8(err).unwrap(),
    }
}

fn run(arguments: &[&str]) -> Run {
    run_with(&LibraryBackends, arguments)
}

/// The JSON that a successful run printed.
fn json(arguments: &[&str]) -> Value {
    let run = run(arguments);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{run:?}");
    serde_json::from_str(&run.out).unwrap()
}

/// The JSON objects that a run printed, one a line.
fn json_lines(run: &Run) -> Vec<Value> {
    run.out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// A run that fails with `code` and a single line that contains every one of `parts`.
#[track_caller]
fn fails(arguments: &[&str], code: u8, parts: &[&str]) {
    let run = run(arguments);
    assert_eq!(run.code, code, "{run:?}");
    assert_eq!(run.out, "", "{run:?}");
    assert!(
        run.err.starts_with("error: ") && run.err.lines().count() == 1,
        "{run:?}"
    );
    for part in parts {
        assert!(run.err.contains(part), "no '{part}' in {run:?}");
    }
}

/// A folder with files of the test.
struct Files(TempDir);

impl Files {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn bytes(&self, name: &str, bytes: &[u8]) -> String {
        fs::write(self.path(name), bytes).unwrap();
        text(&self.path(name))
    }

    fn words(&self, name: &str, words: &[Word]) -> String {
        self.bytes(name, &words.concat())
    }

    /// Whether no temporary file is left.
    fn has_no_leftovers(&self) -> bool {
        let names = fs::read_dir(self.0.path()).unwrap();
        let mut names = names.map(|entry| entry.unwrap().file_name());
        names.all(|name| !name.to_string_lossy().contains(".partial"))
    }
}

fn text(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

fn count(words: u64) -> Vec<Word> {
    (0..words).map(word::from_u64).collect()
}

/// neptune 13.0.0: root of the leaves 0 to 3 at arity 2.
const ROOT_OF_0_TO_3: &str = "0x333edd9de0908b764241a566fcf4447556a2556fb71ef154ee0da1436fcf4f24";
/// neptune 13.0.0: hash of 0 and 1 at arity 2.
const HASH_OF_0_AND_1: &str = "0x396508d75e76a56b739e0fd902efe161a6fba9339d05a69d2e203c369a02e7ff";

#[test]
fn commit_prints_the_root_of_ready_leaves() {
    let files = Files::new();
    let file = files.words("elements", &count(4));
    let run = run(&["commit", &file, "--preset", ARITY_2, "--leaf", "element"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    assert!(run.out.contains(ROOT_OF_0_TO_3), "{}", run.out);
    assert!(run.out.contains("check        ok"), "{}", run.out);
}

#[test]
fn commit_hashes_leaves_by_default() {
    let files = Files::new();
    // Hashing pairs into leaves gives the same tree as taking the elements as leaves.
    let file = files.words("elements", &count(4));
    let result = json(&["commit", &file, "--preset", ARITY_2, "--json"]);
    assert_eq!(result["root"][0], ROOT_OF_0_TO_3);
    assert_eq!(result["leaves"], 2);
    assert_eq!(result["leaf"], "hash");
    assert_eq!(result["backend"], "software");
    assert_eq!(result["cycles"], Value::Null);
    assert_eq!(result["check"], "ok");
    let result = json(&["commit", &file, "--preset", ARITY_2, "--json", "--no-check"]);
    assert_eq!(result["check"], "skipped");
}

/// Elements of a field, in the form in which `preset` takes them from a file.
fn elements(preset: &AnyParameters, words: &[Word]) -> Vec<u8> {
    let length = if preset.field() == FieldId::Goldilocks {
        8
    } else {
        32
    };
    words
        .iter()
        .flat_map(|word| &word[..length])
        .copied()
        .collect()
}

#[test]
fn commit_works_with_every_preset() {
    let files = Files::new();
    for preset in presets::all() {
        let preset = preset.parameters();
        if preset.arity() < 2 {
            continue;
        }
        let words = count((preset.arity() * preset.inputs()) as u64);
        let file = files.bytes("elements", &elements(preset, &words));
        let result = json(&["commit", &file, "--preset", preset.name(), "--json"]);
        assert_eq!(result["leaves"], preset.arity());
        assert_eq!(result["check"], "ok");
        assert_eq!(result["field"], preset.field().name());
        let root = result["root"].as_array().unwrap();
        assert_eq!(root.len(), preset.digest_length());
    }
}

#[test]
fn digests_of_several_elements_can_be_leaves() {
    let files = Files::new();
    let plonky2 = presets::by_name("plonky2").unwrap();
    let file = files.bytes("leaves", &elements(plonky2, &count(16)));
    let arguments = ["commit", &file, "--preset", "plonky2", "--leaf", "element"];
    let result = json(&[&arguments[..], &["--json"]].concat());
    assert_eq!(
        (&result["leaves"], &result["elements"]),
        (&4.into(), &16.into())
    );
    assert_eq!(result["check"], "ok");
    let text = run(&arguments).out;
    assert!(text.contains("4, each of 4 elements"), "{text}");
    for element in result["root"].as_array().unwrap() {
        assert!(text.contains(element.as_str().unwrap()), "{text}");
    }
}

/// A parameter file whose matrix has a singular part, so that it is not MDS, and, where `singular`, no inverse.
fn parameter_file(singular: bool) -> String {
    let last = if singular { "[1, 1, 1]" } else { "[7, 1, 1]" };
    format!(
        r#"
        name = "mine"
        field = "bn254"
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
        rows = [[2, 1, 3], [1, 1, 1], {last}]
        "#
    )
}

#[test]
fn parameter_files_are_taken_and_warned_about() {
    let files = Files::new();
    let file = files.words("elements", &count(4));
    for singular in [false, true] {
        let parameters = files.bytes("mine.toml", parameter_file(singular).as_bytes());
        let run = run(&["commit", &file, "--parameters", &parameters, "--json"]);
        assert_eq!(run.code, 0, "{run:?}");
        let result: Value = serde_json::from_str(&run.out).unwrap();
        assert_eq!(
            (&result["preset"], &result["check"]),
            (&"mine".into(), &"ok".into())
        );
        let warnings: Vec<_> = run.err.lines().collect();
        let few_rounds =
            "'mine' has 4 full and 3 partial rounds, too few against statistical attacks";
        let expected: &[&str] = if singular {
            &[
                "the matrix of 'mine' is singular",
                "infinitely long subspace trails",
                few_rounds,
            ]
        } else {
            &["the matrix of 'mine' is not MDS", few_rounds]
        };
        assert_eq!(warnings.len(), expected.len(), "{run:?}");
        for (warning, expected) in warnings.iter().zip(expected) {
            assert!(
                warning.starts_with("note: ") && warning.contains(expected),
                "{run:?}"
            );
        }
        assert_eq!(result["notes"].as_array().unwrap().len(), warnings.len());
    }
    fails(
        &[
            "commit",
            &file,
            "--parameters",
            &text(&files.path("absent.toml")),
        ],
        1,
        &["absent.toml"],
    );
    let broken = files.bytes("broken.toml", b"name = 5");
    let broken = run(&["hash", "--parameters", &broken, "0x1"]);
    assert_eq!(broken.code, 1, "{broken:?}");
    assert!(broken.err.contains("broken.toml"), "{broken:?}");
}

/// Every way to say what a leaf is and what comes out, each with the check against the dense permutation.
#[test]
fn commit_takes_every_kind_of_tree() {
    let files = Files::new();
    let plonky2 = presets::by_name("plonky2").unwrap();
    let rows = files.bytes("rows", &elements(plonky2, &count(8 * 19)));
    let arguments = [
        "commit", &rows, "--preset", "plonky2", "--leaf", "row=19", "--json",
    ];
    let natural = json(&arguments);
    assert_eq!(
        (&natural["leaf"], &natural["leaves"]),
        (&"row=19".into(), &8.into())
    );
    assert_eq!(
        (&natural["check"], &natural["hashes"]),
        (&"ok".into(), &(8 * 3 + 7).into())
    );
    let with = |more: &[&str]| json(&[&arguments[..], more].concat());
    let reversed = with(&["--order", "bit-reversed"]);
    assert_eq!(reversed["check"], "ok");
    assert_ne!(reversed["root"], natural["root"]);
    let cap = with(&["--cap", "2"]);
    assert_eq!(cap["cap"].as_array().unwrap().len(), 4);
    assert_eq!((&cap["root"], &cap["check"]), (&Value::Null, &"ok".into()));

    // The rows in the other order by hand.
    let order = [0, 4, 2, 6, 1, 5, 3, 7];
    let moved: Vec<Word> = order
        .iter()
        .flat_map(|&row| count(8 * 19)[19 * row..][..19].to_vec())
        .collect();
    let moved = files.bytes("moved", &elements(plonky2, &moved));
    let by_hand = json(&[
        "commit", &moved, "--preset", "plonky2", "--leaf", "row=19", "--json",
    ]);
    assert_eq!(by_hand["root"], reversed["root"]);

    // Filecoin's column trees.
    let columns = files.words("columns", &count(64 * 11));
    let tree = json(&[
        "commit",
        &columns,
        "--preset",
        "filecoin-arity-8",
        "--leaf-preset",
        "filecoin-arity-11",
        "--json",
    ]);
    assert_eq!(
        (&tree["leaves"], &tree["check"]),
        (&64.into(), &"ok".into())
    );
    assert_eq!(tree["leaf_preset"], "filecoin-arity-11");

    // Leaves that do not fill the tree.
    let few = files.words("few", &count(11));
    let dusk = [
        "commit", &few, "--preset", "dusk", "--leaf", "element", "--json",
    ];
    fails(&dusk, 1, &["11 leaves do not fill a tree of arity 4"]);
    let with = |more: &[&str]| json(&[&dusk[..], more].concat());
    let leaf = with(&["--pad", "0"]);
    let subtree = with(&["--pad", "0x0", "--pad-rule", "subtree", "--height", "3"]);
    assert_eq!(
        (&leaf["check"], &subtree["check"]),
        (&"ok".into(), &"ok".into())
    );
    assert_eq!(
        (&leaf["height"], &subtree["height"]),
        (&2.into(), &3.into())
    );
    assert_ne!(leaf["root"], subtree["root"]);
}

#[test]
fn wrong_trees_are_refused() {
    let files = Files::new();
    let file = files.words("elements", &count(8));
    let commit = |more: &[&str], code, part: &str| {
        let arguments = ["commit", &file, "--preset", "dusk"];
        fails(&[&arguments[..], more].concat(), code, &[part]);
    };
    for (leaf, part) in [
        ("row=0", "'0' is no number of columns"),
        ("column", "expected element, hash or row=C"),
        ("row=1000000000000", "expected 1 to 262144"),
        ("row=9223372036854775807", "expected 1 to 262144"),
        ("row=4611686018427387904", "expected 1 to 262144"),
    ] {
        let run = run(&["commit", &file, "--preset", "dusk", "--leaf", leaf]);
        assert!(run.code == 2 && run.err.contains(part), "{run:?}");
    }
    commit(&["--leaf", "row=3"], 1, "no whole number of leaves");
    commit(
        &["--leaf", "row=2", "--cap", "2"],
        1,
        "--cap 2: a cap of height 2 is higher",
    );
    commit(
        &["--leaf", "element", "--pad", "0", "--height", "1"],
        1,
        "--height 1: 8 leaves do not fit",
    );
    for leaves in ["9", "8", "4"] {
        commit(
            &["--leaf", "element", "--leaves", leaves],
            2,
            "--leaves is for standard input and pipes",
        );
    }
    let prime = word::to_hex(&presets::by_name("dusk").unwrap().prime());
    let long = "7".repeat(100_000);
    for (pad, part) in [
        ("x", "--pad: 'x' is no field element"),
        ("", "--pad: '' is no field element"),
        ("-1", "--pad: '-1' is no field element"),
        ("1_0", "--pad: '1_0' is no field element"),
        (
            "1,2",
            "--pad: the padding has 2 field elements, a digest has 1",
        ),
        (&prime, "--pad: element 0 is"),
        (&long, "777... (100000 characters)' is no field element"),
    ] {
        commit(&["--leaf", "element", &format!("--pad={pad}")], 2, part);
    }
    commit(
        &["--leaf-preset", "plonky2"],
        1,
        "--leaf-preset: 'plonky2' makes no leaves",
    );
    commit(
        &["--leaf", "element", "--leaf-preset", "dusk"],
        2,
        "--leaf-preset is for leaves that are hashed",
    );
    let tree = text(&files.path("absent/tree"));
    commit(&["--leaf", "row=2", "--tree-out", &tree], 1, "absent");
    let three = files.words("three", &count(3));
    fails(
        &[
            "commit",
            &three,
            "--preset",
            "dusk",
            "--leaf",
            "element",
            "--order",
            "bit-reversed",
            "--pad",
            "0",
        ],
        1,
        &["3 leaves have no bit-reversed order"],
    );
    // No file is left where nothing was computed.
    let mut bad = count(4);
    bad[3] = [0xFF; 32];
    let bad = files.words("bad", &bad);
    let tree = text(&files.path("tree"));
    fails(
        &[
            "commit",
            &bad,
            "--preset",
            "dusk",
            "--leaf",
            "element",
            "--tree-out",
            &tree,
        ],
        1,
        &["element 3 is 0xff"],
    );
    assert!(!files.path("tree").exists());
    assert!(files.has_no_leftovers());
}

#[test]
fn commit_packs_any_file_and_says_how_much_was_filled_in() {
    let files = Files::new();
    let bytes: Vec<u8> = (0..200).collect();
    let packed = files.bytes("bytes", &bytes);
    // 200 bytes are 7 elements of 31 bytes, 4 leaves of 2 elements.
    let mut words: Vec<Word> = bytes
        .chunks(31)
        .map(|chunk| {
            let mut word = Word::default();
            word[..chunk.len()].copy_from_slice(chunk);
            word
        })
        .collect();
    words.push(Word::default());
    let by_hand = files.words("elements", &words);

    let result = json(&["commit", &packed, "--preset", ARITY_2, "--pack", "--json"]);
    assert_eq!(
        (&result["elements"], &result["padding_elements"]),
        (&7.into(), &1.into())
    );
    assert_eq!(result["leaves"], 4);
    let expected = json(&["commit", &by_hand, "--preset", ARITY_2, "--json"]);
    assert_eq!(result["root"], expected["root"]);

    let run = run(&["commit", &packed, "--preset", ARITY_2, "--pack"]);
    for part in [
        "1 zero elements after the 7 elements",
        "17 zero bytes complete the last of the 7 elements",
    ] {
        assert!(run.out.contains(part), "{}", run.out);
    }
    assert_eq!(
        (&result["padding_bytes"], &result["padding_leaves"]),
        (&17.into(), &0.into())
    );
}

/// Whatever stands where the input has nothing is said.
#[test]
fn padding_leaves_are_said() {
    let files = Files::new();
    let file = files.words("elements", &count(5));
    let arguments = [
        "commit", &file, "--preset", ARITY_2, "--leaf", "element", "--pad", "7",
    ];
    let result = json(&[&arguments[..], &["--json"]].concat());
    assert_eq!(
        (&result["leaves"], &result["padding_leaves"]),
        (&5.into(), &3.into())
    );
    let text = run(&arguments).out;
    let value = word::to_hex(&word::from_u64(7));
    assert!(
        text.contains(&format!(
            "3 leaves after the 5 of the input; for each stands {value}"
        )),
        "{text}"
    );
    let rule = [&arguments[..], &["--pad-rule", "subtree", "--height", "4"]].concat();
    let text = run(&rule).out;
    assert!(
        text.contains("11 leaves after the 5 of the input; for every empty"),
        "{text}"
    );
    let whole = files.words("whole", &count(4));
    let arguments = [&["commit", &whole], &arguments[2..]].concat();
    assert!(!run(&arguments).out.contains("padding"));
}

/// Numbers of a user that no machine has memory for.
#[test]
fn sizes_are_bounded() {
    let files = Files::new();
    let file = files.words("elements", &count(4));
    let commit = |more: &[&str], parts: &[&str]| {
        fails(
            &[&["commit", &file, "--preset", ARITY_2], more].concat(),
            1,
            parts,
        );
    };
    commit(
        &["--pad", "0", "--height", "40", "--cap", "40"],
        &["--cap 40", "1099511627776 nodes", "more than the 1048576"],
    );
    commit(
        &["--pad", "0", "--height", "63"],
        &["--height 63", "2^63 leaves or more"],
    );
    let tree = text(&files.path("tree"));
    commit(
        &["--pad", "0", "--height", "40", "--tree-out", &tree],
        &["--tree-out", "are more than 1099511627776 bytes"],
    );
    let pipe = pipe_of(&files, "pipe", Vec::new());
    fails(
        &[
            "commit",
            &pipe,
            "--preset",
            "dusk",
            "--leaf",
            "row=262144",
            "--leaves",
            "4611686018427387904",
        ],
        1,
        &["--leaves 4611686018427387904", "more than 2^58 elements"],
    );
}

/// A pipe in the file system, into which `bytes` are written.
fn pipe_of(files: &Files, name: &str, bytes: Vec<u8>) -> String {
    use std::io::Write as _;
    let path = files.path(name);
    let made = Command::new("mkfifo").arg(&path).status().unwrap();
    assert!(made.success());
    let text = text(&path);
    std::thread::spawn(move || {
        let mut pipe = fs::OpenOptions::new().write(true).open(path).unwrap();
        // Whoever refuses the input closes the pipe.
        let _ = pipe.write_all(&bytes);
    });
    text
}

#[test]
fn pipes_are_read_as_standard_input_is() {
    let files = Files::new();
    let words = count(16).concat();
    let file = files.bytes("elements", &words);
    let expected = json(&["commit", &file, "--preset", ARITY_2, "--json"]);
    let kept = pipe_of(&files, "kept", words.clone());
    let result = json(&["commit", &kept, "--preset", ARITY_2, "--json"]);
    assert_eq!(result, expected);
    let counted = pipe_of(&files, "counted", words.clone());
    let arguments = [
        "commit", &counted, "--preset", ARITY_2, "--leaves", "8", "--json",
    ];
    let result = json(&arguments);
    assert_eq!(result["root"], expected["root"]);
    assert_eq!(result["check"], "skipped");

    let refused = |name: &str, bytes: Vec<u8>, more: &[&str], parts: &[&str]| {
        let pipe = pipe_of(&files, name, bytes);
        fails(
            &[&["commit", &pipe, "--preset", ARITY_2], more].concat(),
            1,
            parts,
        );
    };
    // Far more is missing than one read asks for.
    refused(
        "short",
        words.clone(),
        &["--leaves", "65536"],
        &["ends 131056 field elements early: it has 16 of the 131072"],
    );
    refused(
        "long",
        words,
        &["--leaves", "4"],
        &["goes on after 4 leaves"],
    );
    refused(
        "empty",
        Vec::new(),
        &[],
        &["empty: there is nothing to commit to"],
    );
    let array = [b"\x93NUMPY\x01\x00".to_vec(), vec![0; 24]].concat();
    refused("array", array, &["--leaves", "1"], &["is a NumPy array"]);
    fails(
        &["commit", "/dev/zero", "--preset", ARITY_2],
        1,
        &["/dev/zero is a device", "--leaves"],
    );
}

/// A producer that sent nothing, or less than it was to send.
#[test]
fn streams_that_end_early_are_not_filled_up() {
    let files = Files::new();
    let arguments = |pipe: &'static str| ["--preset", ARITY_2, "--pack", "--leaves", pipe];
    for (name, length) in [("nothing", 0), ("less", 62 * 4095), ("half", 62 * 2048 + 5)] {
        let pipe = pipe_of(&files, name, vec![1; length]);
        let run = run(&[&["commit", &pipe], &arguments("4096")[..]].concat());
        assert_eq!((run.code, run.out.as_str()), (1, ""), "{run:?}");
        assert!(
            run.err.contains("field elements early") && run.err.contains("without --leaves"),
            "{run:?}"
        );
    }
    // The last leaf may be short, and that is said.
    let pipe = pipe_of(&files, "last", vec![1; 62 * 3 + 5]);
    let result = json(&[&["commit", &pipe, "--json"], &arguments("4")[..]].concat());
    assert_eq!(
        (
            &result["elements"],
            &result["padding_elements"],
            &result["padding_bytes"]
        ),
        (&7.into(), &1.into(), &26.into())
    );
    let kept = files.bytes("kept", &[1; 62 * 3 + 5]);
    let expected = json(&["commit", &kept, "--preset", ARITY_2, "--pack", "--json"]);
    assert_eq!(result["root"], expected["root"]);
}

/// Outputs that are inputs, by their names and by links.
#[test]
fn inputs_are_not_overwritten() {
    let files = Files::new();
    let file = files.words("elements", &count(4));
    let parameters = files.bytes("mine.toml", parameter_file(false).as_bytes());
    let [link, hard] = ["link", "hard"].map(|name| files.path(name));
    std::os::unix::fs::symlink(&file, &link).unwrap();
    fs::hard_link(&file, &hard).unwrap();
    let dotted = text(&files.path("../")) + files.0.path().file_name().unwrap().to_str().unwrap();
    let dotted = dotted + "/elements";
    let before = fs::read(&file).unwrap();
    for output in [&file, &text(&link), &text(&hard), &dotted] {
        let commit = ["commit", &file, "--preset", ARITY_2, "--tree-out", output];
        fails(&commit, 2, &["--tree-out", "is the same file as the input"]);
    }
    let commit = [
        "commit",
        &file,
        "--parameters",
        &parameters,
        "--tree-out",
        &parameters,
    ];
    fails(&commit, 2, &["is the same file as --parameters"]);
    let new = text(&files.path("new"));
    let commit = [
        "commit",
        &file,
        "--preset",
        ARITY_2,
        "--tree-out",
        &new,
        "--waves",
        &new,
    ];
    fails(&commit, 2, &["--waves", "is the same file as --tree-out"]);
    let generate = [
        "generate",
        &parameters,
        "--elements",
        "1",
        "--parameters",
        &parameters,
    ];
    fails(&generate, 2, &["is the same file as --parameters"]);

    let tree = text(&files.path("tree"));
    json(&[
        "commit",
        &file,
        "--preset",
        ARITY_2,
        "--tree-out",
        &tree,
        "--json",
    ]);
    let whole = fs::read(&tree).unwrap();
    let prove = ["prove", &tree, "--index", "0", "--out", &tree];
    fails(&prove, 2, &["--out", "is the same file as the tree"]);
    assert_eq!(fs::read(&tree).unwrap(), whole);
    assert_eq!(fs::read(&file).unwrap(), before);
}

/// A tree file that was changed proves nothing, and nor does one that is no tree.
#[test]
fn proofs_come_from_whole_trees_only() {
    let files = Files::new();
    let file = files.words("elements", &count(16));
    let tree = text(&files.path("tree"));
    json(&[
        "commit",
        &file,
        "--preset",
        ARITY_2,
        "--tree-out",
        &tree,
        "--json",
    ]);
    let proof = text(&files.path("proof"));
    let mut bytes = fs::read(&tree).unwrap();
    let place = bytes.len() - 100;
    bytes[place] ^= 1;
    let damaged = files.bytes("damaged", &bytes);
    let prove = |tree: &str, parts: &[&str]| {
        for out in [&["--out", &proof][..], &[]] {
            fails(&[&["prove", tree, "--index", "0"], out].concat(), 1, parts);
        }
        assert!(!Path::new(&proof).exists());
    };
    prove(&damaged, &["damaged is damaged: its checksum"]);

    let parameters = presets::by_name(ARITY_2).unwrap();
    let wrong = text(&files.path("wrong"));
    let header = TreeHeader::of(parameters, 1, 2).unwrap();
    let mut writer = TreeFileWriter::create(&wrong, header).unwrap();
    for (level, index) in [(0, 0), (0, 1), (1, 0)] {
        writer
            .write_node(level, index, &[word::from_u64(5)])
            .unwrap();
    }
    writer.finish().unwrap();
    prove(
        &wrong,
        &[
            "wrong is no tree of 'filecoin-arity-2'",
            "openings[0], of leaf 0",
        ],
    );

    // A tree of a parameter set that has no name here.
    let own = parameter_file(false).replace("bn254", "bls12-381");
    let own = files.bytes("mine.toml", own.as_bytes());
    let arguments = ["commit", &file, "--parameters", &own, "--tree-out", &tree];
    assert_eq!(run(&arguments).code, 0);
    prove(
        &tree,
        &["names the parameter set 'mine', which is no preset"],
    );
    let arguments = [
        "prove",
        &tree,
        "--index",
        "3",
        "--parameters",
        &own,
        "--out",
        &proof,
    ];
    assert_eq!(run(&arguments).code, 0);
    assert!(Path::new(&proof).exists());
}

/// A tree over rows of Goldilocks elements, with padding, and what commits to it.
struct Committed {
    files: Files,
    tree: String,
    /// The output of `acclmt commit --json` by the height of the cap.
    caps: [String; 3],
    root: Vec<String>,
}

impl Committed {
    /// 11 rows of 6 elements in a tree of 16 leaves.
    fn rows() -> Self {
        let files = Files::new();
        let elements: Vec<u8> = (0..66_u64).flat_map(u64::to_le_bytes).collect();
        let file = files.bytes("rows", &elements);
        let tree = text(&files.path("tree"));
        let commit = |cap| {
            json(&[
                "commit",
                &file,
                "--preset",
                "plonky2",
                "--leaf",
                "row=6",
                "--pad",
                "0,0,0,0",
                "--tree-out",
                &tree,
                "--cap",
                cap,
                "--json",
            ])
        };
        let commitments = ["0", "1", "2"].map(commit);
        let caps = [0, 1, 2].map(|cap| {
            let name = format!("cap{cap}.json");
            files.bytes(&name, commitments[cap].to_string().as_bytes())
        });
        let root = commitments[0]["root"].as_array().unwrap().iter();
        Self {
            tree,
            caps,
            root: root.map(|it| it.as_str().unwrap().to_owned()).collect(),
            files,
        }
    }
}

/// Several indices make one proof with every node once, one index the proof of a path.
#[test]
fn multiproofs_have_every_node_once() {
    let committed = Committed::rows();
    let Committed { files, tree, .. } = &committed;
    let proof = text(&files.path("proof.json"));
    let prove = |more: &[&str]| {
        let arguments = ["prove", tree, "--out", &proof, "--json"];
        json(&[&arguments[..], more].concat())
    };
    let read = || -> Value { serde_json::from_slice(&fs::read(&proof).unwrap()).unwrap() };
    // The nodes of each level.
    let has_nodes = |expected: &[usize]| {
        let proof = read();
        let levels = proof["nodes"].as_array().unwrap().iter();
        let nodes: Vec<usize> = levels.map(|it| it.as_array().unwrap().len()).collect();
        assert_eq!(nodes, expected);
    };

    // 2 and 3 know node 1 of level 1; 9 is alone. Beside them: 8, then 0 and 5, then 1 and 3.
    let proven = prove(&["--index", "9,2", "--index", "3"]);
    assert_eq!(proven["format"], "acclmt-multiproof/1");
    assert_eq!(
        (&proven["nodes"], &proven["nodes_of_paths"]),
        (&json!(5), &json!(12))
    );
    has_nodes(&[1, 2, 2, 0]);
    let first = fs::read(&proof).unwrap();
    let opened = read()["openings"].as_array().unwrap().clone();
    let indices: Vec<_> = opened.iter().map(|it| it["index"].clone()).collect();
    assert_eq!(indices, [2, 3, 9]);
    assert_eq!(proven["openings"], json!(opened));

    // Leaves have one multiproof, whatever the order, and printed or written.
    prove(&["--index", "2,3,9"]);
    assert_eq!(fs::read(&proof).unwrap(), first);
    let printed = run(&["prove", tree, "--index", "3,9,2"]);
    assert_eq!(printed.out.as_bytes(), first);
    let nodes = "nodes        5 instead of 12 with a path for each leaf";
    let written = run(&["prove", tree, "--index", "3,9,2", "--out", &proof]);
    assert!(written.out.lines().any(|line| line == nodes), "{written:?}");

    let root = committed.root.join(",");
    let verified = run(&["verify", &proof, "--root", &root, "--height", "4"]);
    assert_eq!(verified.code, 0, "{verified:?}");
    let ok = "ok: all 3 leaves are in the tree with this root";
    assert!(verified.out.contains(ok), "{verified:?}");
    assert!(
        verified.out.lines().any(|line| line == nodes),
        "{verified:?}"
    );
    let verified = json(&["verify", &proof, "--root", &root, "--json"]);
    for key in ["format", "nodes", "nodes_of_paths", "openings"] {
        assert_eq!(verified[key], proven[key], "{key}");
    }
    assert_eq!(verified["valid"], true);

    // The cap's nodes 0 and 2 are above them.
    let cap = prove(&["--index", "2,3,9", "--cap", "2"]);
    assert_eq!(
        (&cap["nodes"], &cap["nodes_of_paths"]),
        (&json!(3), &json!(6))
    );
    has_nodes(&[1, 2]);
    json(&["verify", &proof, "--cap-file", &committed.caps[2], "--json"]);
    let whole: Value = serde_json::from_slice(&fs::read(&committed.caps[2]).unwrap()).unwrap();
    for (node, is_above) in [(0, true), (1, false), (2, true), (3, false)] {
        let mut changed = whole.clone();
        changed["cap"][node][0] = "0x1".into();
        let changed = files.bytes("changed.json", changed.to_string().as_bytes());
        let verify = ["verify", &proof, "--cap-file", &changed];
        match is_above {
            true => fails(&verify, 1, &[&format!("not to node {node} of the cap, 0x")]),
            false => assert_eq!(run(&verify).code, 0),
        }
    }
    let other = ["verify", &proof, "--cap-file", &committed.caps[1]];
    fails(&other, 1, &["a cap of height 2, which has 4 nodes"]);
    let verify = ["verify", &proof, "--root", &root];
    fails(&verify, 2, &["give the cap with --cap-file"]);

    // All leaves need the padding alone.
    let all = prove(&["--index", "0,1,2,3,4,5,6,7,8,9,10"]);
    assert_eq!(
        (&all["nodes"], &all["nodes_of_paths"]),
        (&json!(2), &json!(44))
    );
    has_nodes(&[1, 0, 1, 0]);

    // One index writes what it always did, unless it is asked for otherwise.
    for (more, format) in [
        (&["--index", "9"][..], "acclmt-proof/1"),
        (&["--index", "9,2", "--form", "paths"], "acclmt-proof/1"),
        (
            &["--index", "9", "--form", "multiproof"],
            "acclmt-multiproof/1",
        ),
    ] {
        let proven = prove(more);
        assert_eq!(
            (&proven["format"], &read()["format"]),
            (&json!(format), &json!(format))
        );
        assert_eq!(proven["nodes"], proven["nodes_of_paths"]);
        let out = run(&["prove", tree, "--out", &proof, "--index", "9"]).out;
        assert!(!out.contains("instead of"), "{out}");
        json(&["verify", &proof, "--root", &root, "--json"]);
    }
    assert!(files.has_no_leftovers());
}

/// Every value of a multiproof counts, and messages say which is wrong.
#[test]
fn altered_multiproofs_are_refused() {
    let committed = Committed::rows();
    let Committed { files, tree, .. } = &committed;
    let proof = text(&files.path("proof.json"));
    json(&["prove", tree, "--index", "2,3,9", "--out", &proof, "--json"]);
    let whole: Value = serde_json::from_slice(&fs::read(&proof).unwrap()).unwrap();
    let root = committed.root.join(",");
    let refuses = |alter: &dyn Fn(&mut Value), parts: &[&str]| {
        let mut altered = whole.clone();
        alter(&mut altered);
        let altered = files.bytes("altered.json", altered.to_string().as_bytes());
        let verify = ["verify", &altered, "--root", &root];
        fails(&verify, 1, &[&["altered.json"], parts].concat());
        // The JSON form says it as well, if the file is a proof.
        let run = run(&["verify", &altered, "--root", &root, "--json"]);
        assert_eq!(run.code, 1);
        if !run.out.is_empty() {
            let said: Value = serde_json::from_str(&run.out).unwrap();
            assert_eq!(said["valid"], false);
            assert!(said["problem"].as_str().unwrap().contains(parts[0]));
        }
    };
    let hashed = "openings[0] to openings[2] and the nodes beside their paths hash to 0x";
    refuses(&|it| it["openings"][1]["leaf"][3] = "0x1".into(), &[hashed]);
    refuses(&|it| it["nodes"][1][1][0] = "0x1".into(), &[hashed]);
    refuses(
        &|it| it["openings"][1]["index"] = 2.into(),
        &["openings[1], of leaf 2: openings[0] is of the same leaf"],
    );
    refuses(
        &|it| it["openings"][2]["index"] = 1.into(),
        &["openings[2], of leaf 1: the openings of a multiproof ascend"],
    );
    refuses(
        &|it| it["openings"][2]["index"] = 16.into(),
        &["openings[2], of leaf 16: there is no such leaf: the 16 leaves"],
    );
    refuses(&|it| it["openings"][2]["index"] = 8.into(), &[hashed]);
    refuses(&|it| it["openings"] = json!([]), &["has no openings"]);
    refuses(
        &|it| drop(it["nodes"][1].as_array_mut().unwrap().pop()),
        &["nodes[1] has 1 nodes, expected 2", "some are missing"],
    );
    refuses(
        &|it| {
            let node = it["nodes"][0][0].clone();
            it["nodes"][3].as_array_mut().unwrap().push(node);
        },
        &["nodes[3] has 1 nodes, expected 0", "some are superfluous"],
    );
    refuses(
        &|it| it["nodes"][1].as_array_mut().unwrap().swap(0, 1),
        &[hashed],
    );
    refuses(
        &|it| drop(it["nodes"].as_array_mut().unwrap().pop()),
        &["nodes of 3 levels, expected 4"],
    );
    refuses(
        &|it| it["nodes"][2][0][1] = "0xffffffff00000001".into(),
        &["nodes[2][0] is wrong: its element 1 is 0x", "goldilocks"],
    );
    refuses(
        &|it| drop(it["nodes"][2][0].as_array_mut().unwrap().pop()),
        &["nodes[2][0] is wrong: it has 3 field elements, expected 4"],
    );
    refuses(
        &|it| it["nodes"][2][0][1] = "7".into(),
        &["`nodes[2][0][1]`: '7' is no field element"],
    );
    refuses(&|it| it["arity"] = 4.into(), &["of a tree of arity 4"]);
    refuses(
        &|it| it["field"] = "bn254".into(),
        &["the proof is over the field bn254, 'plonky2' over goldilocks"],
    );
    refuses(
        &|it| it["height"] = 5.into(),
        &["nodes of 4 levels, expected 5"],
    );
    refuses(
        &|it| it["format"] = "acclmt-multiproof/0".into(),
        &["its `format` is 'acclmt-multiproof/0'"],
    );
    let other = ["verify", &proof, "--root", &root, "--height", "5"];
    fails(&other, 1, &["a tree of height 4, expected 5"]);

    // Nothing is written for leaves that cannot be opened.
    fs::remove_file(&proof).unwrap();
    for (index, part) in [
        ("2,3,2", "leaf 2 is given twice"),
        ("2,11", "no leaf 11: the 11 leaves of the tree"),
        ("2,18446744073709551615", "no leaf 18446744073709551615"),
    ] {
        let prove = ["prove", tree, "--index", index, "--out", &proof];
        fails(&prove, 2, &[part]);
    }
    for index in ["", "2,", "2,x", "2,-1"] {
        let run = run(&["prove", tree, "--index", index, "--out", &proof]);
        assert_eq!((run.code, run.out.as_str()), (2, ""), "{run:?}");
        assert!(run.err.contains("--index"), "{run:?}");
    }
    let prove = [
        "prove", tree, "--index", "2,3", "--cap", "5", "--out", &proof,
    ];
    fails(&prove, 2, &["a cap of height 5 is higher than the tree"]);
    assert!(!Path::new(&proof).exists());
    assert!(files.has_no_leftovers());
}

/// It takes as much memory for many elements as for few: what cannot be written is noticed at once.
#[test]
fn generate_writes_as_it_goes() {
    use std::io::Read as _;
    let files = Files::new();
    let path = files.path("pipe");
    assert!(
        Command::new("mkfifo")
            .arg(&path)
            .status()
            .unwrap()
            .success()
    );
    let pipe = text(&path);
    let reader = std::thread::spawn(move || {
        let mut start = vec![0; 1 << 20];
        let mut pipe = fs::File::open(path).unwrap();
        pipe.read_exact(&mut start).unwrap();
        start
    });
    fails(
        &["generate", &pipe, "--elements", "4294967295"],
        1,
        &["cannot write", "Broken pipe"],
    );
    let file = text(&files.path("file"));
    json(&["generate", &file, "--elements", "32768", "--json"]);
    assert_eq!(fs::read(file).unwrap(), reader.join().unwrap());
}

/// Takes no results.
struct Closed;

impl std::io::Write for Closed {
    fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
        Err(std::io::ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Whoever reads the results may leave: that is no failure, but a failure stays one.
#[test]
fn results_that_nobody_reads_are_no_failure() {
    let files = Files::new();
    let file = files.words("elements", &count(4));
    let vectors = vectors("neptune_bls12_381_merkle_arity2.json");
    let closed = |backends: &dyn BackendFactory, arguments: &[&str]| {
        let mut err = Vec::new();
        let arguments = ["acclmt"].iter().chain(arguments);
        let code = acclmt::run_with(arguments, backends, &mut Closed, &mut err, false);
        (code, String::from_utf8(err).unwrap())
    };
    let commit = ["commit", &file, "--preset", ARITY_2];
    for arguments in [
        &["presets", "--json"][..],
        &["presets"],
        &commit,
        &["check", &vectors],
        &["hash", "--preset", ARITY_2, "0x1", "0x2"],
    ] {
        let (code, err) = closed(&LibraryBackends, arguments);
        assert_eq!((code, err.as_str()), (0, ""), "{arguments:?}");
    }
    for arguments in [&commit[..], &["check", &vectors]] {
        let (code, err) = closed(&WRONG, arguments);
        assert!(
            code == 1 && err.starts_with("error: "),
            "{arguments:?}: {err}"
        );
    }
}

/// A tree that the chip does not fold in one run.
#[test]
fn slow_paths_are_announced() {
    let files = Files::new();
    let file = files.words("elements", &count(8));
    let arguments = |height: &'static str| {
        [
            "commit",
            &file,
            "--preset",
            ARITY_2,
            "--leaf",
            "element",
            "--pad",
            "0",
            "--backend",
            "model",
            "--height",
            height,
            "--json",
        ]
    };
    let run = run(&arguments("33"));
    assert_eq!(run.code, 0, "{run:?}");
    assert!(
        run.err
            .starts_with("note: the chip does not fold this tree by itself")
            && run
                .err
                .contains("33 levels of arity 2 are more than its node memory holds"),
        "{run:?}"
    );
    let result: Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(result["notes"].as_array().unwrap().len(), 1);
    json(&arguments("23"));
}

/// A device that takes its time, so it says.
struct SlowBackend;

impl BackendFactory for SlowBackend {
    fn names(&self) -> &[&str] {
        &["slow", acclmt::SOFTWARE]
    }

    fn open(
        &self,
        name: &str,
        options: &BackendOptions,
    ) -> Result<Box<dyn Device + Send>, BackendError> {
        if name == acclmt::SOFTWARE {
            return LibraryBackends.open(name, options);
        }
        Ok(Box::new(ChangedDevice {
            software: SoftwareDevice::new(),
            flip: 0,
            minutes: 21,
        }))
    }
}

#[test]
fn long_runs_are_announced() {
    let files = Files::new();
    let file = files.words("elements", &count(8));
    let run = run_with(&SlowBackend, &["commit", &file, "--preset", ARITY_2]);
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(
        run.err,
        "note: this takes about 21 minutes on the backend 'slow'; the backend 'software' takes less \
         than a second\n"
    );
    let run = run_with(
        &SlowBackend,
        &["check", &vectors("neptune_bls12_381_arity2.json")],
    );
    assert_eq!(run.code, 0, "{run:?}");
    assert!(
        run.err.starts_with("note: this takes about")
            && run
                .err
                .contains("for chains, where every hash waits for the one before")
            && run.err.contains("the backend 'software' takes"),
        "{run:?}"
    );
}

/// What is wrong in a file is named with its place, and long values are cut.
#[test]
fn messages_name_the_place_and_stay_short() {
    let files = Files::new();
    let long = "9".repeat(2_000_000);
    for (from, to, part) in [
        (
            "[2, 1, 3]",
            "[2, 1.5, 3]",
            "matrix.rows[0][1] (line 16): invalid type: floating point `1.5`, expected a field element",
        ),
        (
            "[2, 1, 3]",
            "[2, true, 3]",
            "matrix.rows[0][1] (line 16): invalid type: boolean `true`, expected a field element",
        ),
        (
            "[2, 1, 3]",
            &format!("[2, '{long}', 3]"),
            "999... (2000000 characters)' is no field element",
        ),
        ("alpha = 5", &format!("alpha = {long}"), "mine.toml"),
    ] {
        let text = parameter_file(false).replace(from, to);
        let file = files.bytes("mine.toml", text.as_bytes());
        let run = run(&["hash", "--parameters", &file, "0x1", "0x2"]);
        assert_eq!(run.code, 1, "{from}");
        assert!(run.err.contains(part), "{}", run.err);
        assert!(
            !run.err.contains("untagged") && run.err.len() < 1000,
            "{}",
            run.err.len()
        );
    }
    let vectors = fs::read_to_string(vectors("neptune_bls12_381_merkle_arity2.json")).unwrap();
    let mut vectors: Value = serde_json::from_str(&vectors).unwrap();
    vectors["cases"][0]["root"] = 5.into();
    let file = files.bytes("wrong.json", vectors.to_string().as_bytes());
    fails(
        &["check", &file],
        1,
        &[
            "wrong.json",
            "case '",
            "root: expected a field element in hexadecimal",
        ],
    );
    fails(
        &[
            "hash",
            "--preset",
            ARITY_2,
            "0x1",
            &format!("0x{}", "f".repeat(100_000)),
        ],
        2,
        &["fff... (100002 characters)", "more than 64 digits"],
    );
}

#[test]
fn commit_packs_a_single_byte_into_the_smallest_tree() {
    let files = Files::new();
    let file = files.bytes("byte", &[1]);
    for (leaf, elements) in [("hash", 4), ("element", 2)] {
        let result = json(&[
            "commit", &file, "--preset", ARITY_2, "--pack", "--leaf", leaf, "--json",
        ]);
        assert_eq!(result["leaves"], 2);
        assert_eq!(result["padding_elements"], elements - 1);
    }
}

#[test]
fn bad_files_are_refused() {
    let files = Files::new();
    let commit = |file: &str, parts: &[&str]| {
        fails(&["commit", file, "--preset", ARITY_2], 1, parts);
    };
    commit(
        &text(&files.path("absent")),
        &["cannot read", "absent", "No such file"],
    );
    commit(&text(files.0.path()), &["cannot read"]);
    commit(
        &files.bytes("empty", &[]),
        &["empty: there is nothing to commit to"],
    );
    commit(
        &files.bytes("odd", &[0; 100]),
        &["odd has 100 bytes", "no multiple of 32"],
    );
    commit(
        &files.words("five", &count(5)),
        &["five", "5 field elements", "multiple of 2"],
    );
    commit(
        &files.words("six", &count(6)),
        &["six", "3 leaves", "power of 2", "next one is 4"],
    );

    let prime = presets::by_name(ARITY_2).unwrap().prime();
    let mut words = count(8);
    words[6] = [0xFF; 32];
    words[5] = prime;
    commit(
        &files.words("large", &words),
        &[
            "large",
            "element 5 is",
            &word::to_hex(&prime),
            "not below the prime",
        ],
    );
    // The largest element is one below.
    words[5][0] = 0;
    words[6] = words[5];
    assert_eq!(
        run(&["commit", &files.words("ok", &words), "--preset", ARITY_2]).code,
        0
    );
}

#[test]
fn bad_arguments_are_refused() {
    let files = Files::new();
    let file = files.words("elements", &count(4));
    fails(
        &["commit", &file, "--preset", "nonsense"],
        2,
        &["unknown preset 'nonsense'", ARITY_2],
    );
    fails(
        &["commit", &file, "--preset", "filecoin-arty-2"],
        2,
        &["unknown preset 'filecoin-arty-2'; did you mean 'filecoin-arity-2'?"],
    );
    fails(
        &["commit", &file, "--preset", ARITY_2, "--backend", "gpu"],
        2,
        &["unknown backend 'gpu'", "the backends are: software, model"],
    );
    fails(
        &["generate", &file, "--elements", "1", "--field", "nonsense"],
        2,
        &["unknown field 'nonsense'", "bn254"],
    );
    fails(
        &["commit", &file, "--preset", ARITY_2, "--backend", "rtl"],
        2,
        &["unknown backend 'rtl'", "the backends are: software"],
    );
    fails(
        &["commit", &file, "--preset", ARITY_2, "--waves", "x.fst"],
        1,
        &["the backend 'software' has no waveforms"],
    );
    for backend in ["software", "model"] {
        fails(
            &["self-test", "--backend", backend],
            2,
            &[backend, "has no hash engines to test"],
        );
    }
    for arguments in [
        &["commit", &file][..],
        &["commit", "--preset", ARITY_2],
        &["commit", &file, "--preset", ARITY_2, "--parameters", &file],
        &[
            "generate",
            &file,
            "--elements",
            "1",
            "--preset",
            ARITY_2,
            "--field",
            "bn254",
        ],
        &["bench"],
        &["bench", "engine", "nonsense"],
        &["bench", "engine", "all", "--preset", ARITY_2],
        &["commit", &file, "--preset", ARITY_2, "--leaf", "nonsense"],
        &["commit", &file, "--preset", ARITY_2, "--waves-from", "5"],
        &["generate", &file, "--elements", "0"],
        &[
            "commit",
            &file,
            "--preset",
            ARITY_2,
            "--waves",
            "w.fst",
            "--waves-cycles",
            "0",
        ],
        &["hash", "--preset", ARITY_2],
        &["check"],
        &["nonsense"],
        &[],
    ] {
        let run = run(arguments);
        assert_eq!((run.code, run.out.as_str()), (2, ""), "{run:?}");
        assert!(!run.err.is_empty());
    }
    let help = run(&["--help"]);
    assert_eq!((help.code, help.err.as_str()), (0, ""));
    assert!(help.out.contains("commit"));
}

#[test]
fn hash_prints_the_digest() {
    let hash = run(&["hash", "--preset", ARITY_2, "0x0", "0x01"]);
    assert_eq!((hash.code, hash.out.trim()), (0, HASH_OF_0_AND_1));
    let result = json(&["hash", "--preset", ARITY_2, "--json", "0x0", "0x1"]);
    assert_eq!(result["digest"], serde_json::json!([HASH_OF_0_AND_1]));
    assert_eq!(result["backend"], "software");

    let inputs = ["0x0"; 8];
    let arguments = [&["hash", "--preset", "plonky2"][..], &inputs].concat();
    let digests = run(&arguments).out;
    assert_eq!(digests.split_whitespace().count(), 4, "{digests}");
    let result = json(&[&arguments[..], &["--json"]].concat());
    let digest: Vec<_> = digests.split_whitespace().collect();
    assert_eq!(result["digest"], serde_json::json!(digest));
}

#[test]
fn bad_hash_inputs_are_refused() {
    let hash = |inputs: &[&str], parts: &[&str]| {
        fails(&[&["hash", "--preset", ARITY_2], inputs].concat(), 2, parts);
    };
    hash(&["0x1"], &["1 inputs", "takes 2"]);
    hash(&["0x1", "0x2", "0x3"], &["3 inputs", "takes 2"]);
    hash(&["0x1", "12"], &["'12'", "prefix 0x"]);
    hash(&["0xg", "0x1"], &["'0xg'", "no hexadecimal digit"]);
    let prime = word::to_hex(&presets::by_name(ARITY_2).unwrap().prime());
    hash(
        &["0x1", &prime],
        &["element 1 is", &prime, "not below the prime"],
    );
}

#[test]
fn presets_lists_all_of_them() {
    let text = run(&["presets"]);
    assert_eq!(text.code, 0);
    let result = json(&["presets", "--json"]);
    let listed = result["presets"].as_array().unwrap();
    assert_eq!(listed.len(), presets::all().len());
    for (listed, preset) in listed.iter().zip(presets::all()) {
        assert!(text.out.contains(preset.name()));
        assert!(text.out.contains(preset.description()));
        assert_eq!(listed["name"], preset.name());
        assert_eq!(listed["field"], preset.field().name());
        let parameters = preset.parameters();
        assert_eq!(listed["arity"], parameters.arity());
        assert_eq!(listed["partial_rounds"], parameters.partial_rounds());
        assert_eq!(listed["prime"], word::to_hex(&parameters.prime()));
    }
}

#[test]
fn generate_writes_the_same_file_for_the_same_seed() {
    let files = Files::new();
    let generate = |name: &str, seed: &str| {
        let path = text(&files.path(name));
        let result = json(&[
            "generate",
            &path,
            "--elements",
            "16",
            "--seed",
            seed,
            "--json",
        ]);
        assert_eq!(result["elements"], 16);
        fs::read(path).unwrap()
    };
    let first = generate("a", "1");
    assert_eq!(first.len(), 16 * 32);
    // python3: hex(int.from_bytes(hashlib.sha512(b"1:0").digest(), "big") % p)
    assert_eq!(
        word::to_hex(first.first_chunk().unwrap()),
        "0x0214ba0051de1d9ab0002a4a11c3a13f636ea083d39a0809b7c04c0d43ab56a0"
    );
    assert_eq!(first, generate("b", "1"));
    assert_ne!(first, generate("c", "2"));
    let file = text(&files.path("a"));
    assert_eq!(
        json(&["commit", &file, "--preset", ARITY_2, "--json"])["check"],
        "ok"
    );

    let path = text(&files.path("goldilocks"));
    for field in [&["--field", "goldilocks"], &["--preset", "plonky2"]] {
        let arguments = ["generate", &path, "--elements", "16", "--json"];
        let result = json(&[&arguments[..], field].concat());
        assert_eq!(result["field"], "goldilocks");
        assert_eq!(fs::metadata(&path).unwrap().len(), 16 * 8);
        let result = json(&["commit", &path, "--preset", "plonky2", "--json"]);
        assert_eq!(result["check"], "ok");
    }

    let nowhere = text(&files.path("absent/file"));
    fails(
        &["generate", &nowhere, "--elements", "1"],
        1,
        &["cannot write", "absent/file"],
    );
}

fn vectors(name: &str) -> String {
    text(
        &Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../vectors")
            .join(name),
    )
}

#[test]
fn check_runs_every_case_of_several_files() {
    let files = [
        vectors("neptune_bls12_381_arity2.json"),
        vectors("neptune_bls12_381_merkle_arity4.json"),
    ];
    let result = json(&["check", &files[0], &files[1], "--json"]);
    assert_eq!(
        (&result["failed"], &result["skipped"]),
        (&0.into(), &0.into())
    );
    let mut total = 0;
    for (report, file) in result["files"].as_array().unwrap().iter().zip(&files) {
        assert_eq!(report["file"], *file);
        assert!(report["source"].as_str().unwrap().starts_with("neptune"));
        let given: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
        let given = given["cases"].as_array().unwrap();
        let cases = report["cases"].as_array().unwrap();
        assert_eq!(cases.len(), given.len());
        for (case, given) in cases.iter().zip(given) {
            assert_eq!(
                (&case["name"], &case["outcome"]),
                (&given["name"], &"passed".into())
            );
        }
        total += cases.len();
    }
    assert_eq!(result["passed"], total);
    let run = run(&["check", &files[0], &files[1]]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(
        run.out
            .contains(&format!("{total} passed, 0 failed, 0 skipped")),
        "{}",
        run.out
    );
}

#[test]
fn check_fails_on_a_wrong_output_and_runs_the_rest() {
    let files = Files::new();
    let original = fs::read_to_string(vectors("neptune_bls12_381_arity2.json")).unwrap();
    let mut original: Value = serde_json::from_str(&original).unwrap();
    original["cases"][0]["output"] = HASH_OF_0_AND_1.into();
    let file = files.bytes("wrong.json", original.to_string().as_bytes());

    let checked = run(&["check", &file, "--json"]);
    assert_eq!(checked.code, 1, "{checked:?}");
    assert!(checked.err.starts_with("error: 1 of the "), "{checked:?}");
    let result: Value = serde_json::from_str(&checked.out).unwrap();
    assert_eq!(result["failed"], 1);
    assert!(result["passed"].as_u64().unwrap() > 1);
    let case = &result["files"][0]["cases"][0];
    assert_eq!(
        (&case["outcome"], &case["expected"]),
        (&"failed".into(), &HASH_OF_0_AND_1.into())
    );
    assert_ne!(case["got"], case["expected"]);
    let text = run(&["check", &file]).out;
    assert!(
        text.contains(&format!("expected {HASH_OF_0_AND_1}")),
        "{text}"
    );
}

#[test]
fn check_skips_with_a_reason_and_fails_when_nothing_ran() {
    let arity_2 = vectors("neptune_bls12_381_arity2.json");
    let arity_4 = vectors("neptune_bls12_381_arity4.json");
    let run = run_with(&ARITY_2_ONLY, &["check", &arity_4]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(
        run.out.contains("skipped") && run.out.contains("the chip has arity 2"),
        "{run:?}"
    );
    assert!(run.err.contains("nothing was checked"), "{run:?}");
    let run = run_with(&ARITY_2_ONLY, &["check", &arity_4, &arity_2, "--json"]);
    assert_eq!(run.code, 0, "{run:?}");
    let result: Value = serde_json::from_str(&run.out).unwrap();
    assert!(result["skipped"].as_u64().unwrap() > 0 && result["passed"].as_u64().unwrap() > 0);
}

#[test]
fn check_catches_a_wrong_device() {
    let run = run_with(
        &WRONG,
        &["check", &vectors("neptune_bls12_381_merkle_arity2.json")],
    );
    assert_eq!(run.code, 1, "{run:?}");
    assert!(
        run.out.lines().any(|line| line.starts_with("0 passed, ")),
        "{}",
        run.out
    );
}

#[test]
fn bad_vector_files_are_refused() {
    let files = Files::new();
    fails(
        &["check", &text(&files.path("absent.json"))],
        1,
        &["cannot read", "absent.json"],
    );
    for (content, part) in [
        ("", "no file of test vectors"),
        ("{}", "names no schema"),
        (r#"{"schema": "other/1"}"#, "its schema is 'other/1'"),
        (
            r#"{"schema": "poseidon-vectors/1", "kind": "hash", "cases": []}"#,
            "no cases",
        ),
    ] {
        fails(
            &["check", &files.bytes("bad.json", content.as_bytes())],
            1,
            &["bad.json", part],
        );
    }
}

/// A device with arity 2 only, whose results are wrong in the bits of `flip`.
struct ChangedDevice {
    software: SoftwareDevice,
    flip: u8,
    /// How long a run takes, so it says.
    minutes: u64,
}

impl Device for ChangedDevice {
    fn name(&self) -> &str {
        "changed"
    }

    fn commit_time(&mut self, _: &CommitRequest<'_>) -> Option<Duration> {
        Some(Duration::from_secs(60 * self.minutes))
    }

    fn hash_time(&mut self, _: &AnyParameters, runs: u64, _: u64) -> Option<Duration> {
        Some(Duration::from_secs(60 * self.minutes * runs))
    }

    fn supports(&self, parameters: &AnyParameters) -> Result<(), Unsupported> {
        if parameters.arity() == 2 {
            return Ok(());
        }
        Err(Unsupported {
            device: "changed".to_owned(),
            reason: "the chip has arity 2".to_owned(),
        })
    }

    fn commit(
        &mut self,
        request: &CommitRequest<'_>,
        source: &mut dyn LeafSource,
        nodes: &mut dyn NodeSink,
        progress: &mut dyn Progress,
    ) -> Result<CommitReport, DeviceError> {
        let mut report = self.software.commit(request, source, nodes, progress)?;
        report.cap[0][0][0] ^= self.flip;
        Ok(report)
    }

    fn hash(
        &mut self,
        parameters: &AnyParameters,
        inputs: &[Vec<Word>],
        progress: &mut dyn Progress,
    ) -> Result<HashReport, DeviceError> {
        self.supports(parameters)?;
        let mut report = self.software.hash(parameters, inputs, progress)?;
        report.digests[0][0][0] ^= self.flip;
        if self.flip == u8::MAX {
            report.digests[0][0].fill(u8::MAX);
        }
        Ok(report)
    }

    fn permute(
        &mut self,
        parameters: &AnyParameters,
        states: &[Vec<Word>],
        progress: &mut dyn Progress,
    ) -> Result<PermuteReport, DeviceError> {
        self.supports(parameters)?;
        let mut report = self.software.permute(parameters, states, progress)?;
        report.states[0][0][0] ^= self.flip;
        Ok(report)
    }
}

/// A backend with a [`ChangedDevice`].
struct ChangedBackend {
    flip: u8,
}

const WRONG: ChangedBackend = ChangedBackend { flip: 1 };
/// Its digests are all ones.
const ONES: ChangedBackend = ChangedBackend { flip: u8::MAX };
const ARITY_2_ONLY: ChangedBackend = ChangedBackend { flip: 0 };

impl BackendFactory for ChangedBackend {
    fn names(&self) -> &[&str] {
        &["changed"]
    }

    fn open(&self, _: &str, _: &BackendOptions) -> Result<Box<dyn Device + Send>, BackendError> {
        Ok(Box::new(ChangedDevice {
            software: SoftwareDevice::new(),
            flip: self.flip,
            minutes: 0,
        }))
    }
}

#[test]
fn a_wrong_root_is_caught_by_the_check() {
    let files = Files::new();
    let file = files.words("elements", &count(4));
    // The tree does not get its name, and a tree that was there stays.
    let tree = files.bytes("tree", b"before");
    let arguments = ["commit", &file, "--preset", ARITY_2, "--tree-out", &tree];
    let run = run_with(&WRONG, &arguments);
    assert!(
        run.code == 1 && run.err.contains("tree was not written"),
        "{run:?}"
    );
    assert_eq!(fs::read(&tree).unwrap(), b"before");
    assert!(files.has_no_leftovers());

    let arguments = ["commit", &file, "--preset", ARITY_2, "--json"];
    let run = run_with(&WRONG, &arguments);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(
        run.err.contains("computed the root") && run.err.contains(ROOT_OF_0_TO_3),
        "{run:?}"
    );
    let result: Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(result["check"], "failed");
    assert_eq!(result["check_cap"][0][0], ROOT_OF_0_TO_3);
}

#[test]
fn a_wrong_digest_is_caught_by_the_check() {
    let arguments = ["hash", "--preset", ARITY_2, "0x0", "0x1"];
    let with = |option| [&arguments[..], &[option]].concat();
    let wrong = run_with(&WRONG, &arguments);
    assert_eq!((wrong.code, wrong.out.as_str()), (1, ""), "{wrong:?}");
    assert!(
        wrong.err.contains("computed the digest") && wrong.err.contains(HASH_OF_0_AND_1),
        "{wrong:?}"
    );
    let wrong = run_with(&WRONG, &with("--json"));
    assert_eq!(wrong.code, 1, "{wrong:?}");
    let result: Value = serde_json::from_str(&wrong.out).unwrap();
    assert_eq!(result["check"], "failed");
    assert_eq!(result["check_digest"][0], HASH_OF_0_AND_1);
    let skipped = run_with(&WRONG, &with("--no-check"));
    assert_eq!(skipped.code, 0, "{skipped:?}");
    assert_ne!(skipped.out.trim(), HASH_OF_0_AND_1);
    assert_eq!(json(&with("--json"))["check"], "ok");
    let both = [&arguments[..], &["--json", "--no-check"]].concat();
    assert_eq!(json(&both)["check"], "skipped");
    assert!(run(&["hash", "--help"]).out.contains("--no-check"));
}

#[test]
fn a_digest_that_is_no_field_element_is_refused_without_the_check() {
    let run = run_with(
        &ONES,
        &["hash", "--preset", ARITY_2, "0x0", "0x1", "--no-check"],
    );
    assert_eq!((run.code, run.out.as_str()), (1, ""), "{run:?}");
    assert!(run.err.contains("computed no digest"), "{run:?}");
    assert!(run.err.contains("below"), "{run:?}");
}

#[test]
fn places_of_chips_without_a_path_are_errors_of_the_command_line() {
    for (backend, part) in [
        ("uio:", "give a device, as in uio:/dev/uio0"),
        ("uio:,", "give a device and a buffer"),
        ("uio:/dev/uio0,", "give a device and a buffer"),
        ("uio:,/dev/udmabuf0", "give a device and a buffer"),
        ("socket:", "give the path of a socket"),
    ] {
        let option = format!("--backend '{backend}' names no chip: ");
        let arguments = ["hash", "--preset", ARITY_2, "0x0", "0x1"];
        let arguments = [&arguments[..], &["--backend", backend]].concat();
        fails(&arguments, 2, &[&option, part]);
    }
}

#[test]
fn presets_that_the_backend_does_not_have_are_refused() {
    let files = Files::new();
    let file = files.words("elements", &count(16));
    let hash = [
        "hash",
        "--preset",
        "filecoin-arity-4",
        "0x1",
        "0x2",
        "0x3",
        "0x4",
    ];
    for arguments in [
        &["commit", &file, "--preset", "filecoin-arity-4"][..],
        &hash,
    ] {
        let run = run_with(&ARITY_2_ONLY, arguments);
        assert_eq!((run.code, run.out.as_str()), (1, ""), "{run:?}");
        assert!(run.err.contains("the chip has arity 2"), "{run:?}");
    }
}

/// A device that computes in software and counts like a chip whose hash engine starts with a latency
/// of 1000 cycles and then takes a tenth more than its period. Its digests may be wrong from hash
/// `wrong_from` on.
struct CountingDevice {
    software: SoftwareDevice,
    wrong_from: usize,
}

impl CountingDevice {
    fn program(&self, parameters: &AnyParameters) -> Result<ChipProgram, Unsupported> {
        let limits = EngineLimits {
            num_engines: 2,
            prime: FieldId::Bls12_381.prime(),
            num_full: 1,
            num_partial: 4,
            matrix_depth: 32,
            constant_depth: 256,
            partial_depth: 128,
            goldilocks: true,
            montgomery_bits: 264,
            runtime_modulus: false,
            store: true,
            adders: true,
            places: 64,
            loop_cycles: 61,
        };
        ChipProgram::compile(parameters, &limits).map_err(|error| Unsupported {
            device: "counting".to_owned(),
            reason: error.to_string(),
        })
    }
}

impl Device for CountingDevice {
    fn name(&self) -> &str {
        "counting"
    }

    fn supports(&self, parameters: &AnyParameters) -> Result<(), Unsupported> {
        self.program(parameters).map(drop)
    }

    fn notes(&self, parameters: &AnyParameters) -> Vec<String> {
        self.program(parameters).unwrap().notes().to_vec()
    }

    fn engine_plan(&self, parameters: &AnyParameters) -> Result<Option<EnginePlan>, Unsupported> {
        let program = self.program(parameters)?;
        Ok(Some(EnginePlan {
            num_full: 1,
            num_partial: 4,
            period: program.period() as u64,
            products: program.products() as u64,
            multipliers: program.multipliers() as u64,
        }))
    }

    fn commit(
        &mut self,
        request: &CommitRequest<'_>,
        source: &mut dyn LeafSource,
        nodes: &mut dyn NodeSink,
        progress: &mut dyn Progress,
    ) -> Result<CommitReport, DeviceError> {
        let program = self.program(request.parameters)?;
        let mut report = self.software.commit(request, source, nodes, progress)?;
        if self.wrong_from == 0 {
            report.cap[0][0][0] ^= 1;
        }
        // A window counts half of the run.
        let (cycles, parts) = match request.window {
            None => (2000 * request.leaves, 1),
            Some(_) => (1000 * request.leaves, 2),
        };
        let engine = |hashes: u64| EngineCounters {
            hashes,
            busy_full: program.period() as u64 * hashes / parts,
            busy_full_last: 0,
            busy_partial: vec![7; 4],
        };
        report.counters = Some(Counters {
            cycles: 2000 * request.leaves,
            cycle_first_in: 7,
            cycle_last_out: 1007,
            window_cycles: cycles,
            leaf: engine(request.leaves),
            root: engine(request.leaves - 1),
            high_water: 5,
            ..Counters::default()
        });
        Ok(report)
    }

    fn hash(
        &mut self,
        parameters: &AnyParameters,
        inputs: &[Vec<Word>],
        progress: &mut dyn Progress,
    ) -> Result<HashReport, DeviceError> {
        let program = self.program(parameters)?;
        let mut report = self.software.hash(parameters, inputs, progress)?;
        for digest in report.digests.iter_mut().skip(self.wrong_from) {
            digest[0][0] ^= 1;
        }
        let hashes = inputs.len() as u64;
        let busy = program.busy().map(|cycles| cycles as u64 * hashes);
        report.counters = Some(Counters {
            cycles: 5000,
            cycle_first_in: 7,
            cycle_last_out: 1007 + (hashes - 1) * program.period() as u64 * 11 / 10,
            leaf: EngineCounters {
                hashes,
                busy_full: busy[0],
                busy_full_last: 0,
                busy_partial: busy[1..5].to_vec(),
            },
            ..Counters::default()
        });
        Ok(report)
    }

    fn permute(
        &mut self,
        parameters: &AnyParameters,
        states: &[Vec<Word>],
        progress: &mut dyn Progress,
    ) -> Result<PermuteReport, DeviceError> {
        self.software.permute(parameters, states, progress)
    }
}

/// The backend `counting` with a [`CountingDevice`], and `software`.
struct CountingBackend {
    wrong_from: usize,
}

const COUNTING: CountingBackend = CountingBackend {
    wrong_from: usize::MAX,
};

impl BackendFactory for CountingBackend {
    fn names(&self) -> &[&str] {
        &["counting", acclmt::SOFTWARE]
    }

    fn open(
        &self,
        name: &str,
        options: &BackendOptions,
    ) -> Result<Box<dyn Device + Send>, BackendError> {
        if name == acclmt::SOFTWARE {
            return LibraryBackends.open(name, options);
        }
        Ok(Box::new(CountingDevice {
            software: SoftwareDevice::new(),
            wrong_from: self.wrong_from,
        }))
    }
}

fn close(value: &Value, expected: f64) -> bool {
    (value.as_f64().unwrap() - expected).abs() < 0.01
}

/// Reports have the clocks that the flow states.
#[test]
fn clocks_of_reports_are_those_of_the_flow() {
    let text = include_str!("../../../synth/clocks.toml");
    let file: toml::Table = toml::from_str(text).unwrap();
    let stated: Vec<_> = (file.iter())
        .map(|(library, clock)| (library.as_str(), clock["mhz"].as_integer().unwrap()))
        .collect();
    let known: Vec<_> = (acclmt_measure::clocks::ALL.iter())
        .map(|clock| (clock.library, clock.megahertz as i64))
        .collect();
    assert_eq!(stated, known);
}

/// The area flow divides by these figures, and the energies of hashes are sums over them.
#[test]
fn cycles_of_the_area_flow_are_those_of_the_model() {
    let text = include_str!("../../../synth/cycles.json");
    let file: Value = serde_json::from_str(text).unwrap();
    assert_eq!(
        (&file["num_full"], &file["num_partial"]),
        (&1.into(), &4.into())
    );
    let arities = file["arities"].as_object().unwrap();
    let goldilocks = file["goldilocks"].as_object().unwrap();
    assert_eq!((arities.len(), goldilocks.len()), (4, 1));
    for (name, figures) in arities.iter().chain(goldilocks) {
        let run = run(&[
            "bench",
            "engine",
            "--backend",
            "model",
            "--preset",
            figures["preset"].as_str().unwrap(),
            "--hashes",
            "16384",
            "--json",
        ]);
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{run:?}");
        let row = &json_lines(&run)[0];
        let partial = row["utilisation"]["partial"].as_array().unwrap();
        let mean = partial
            .iter()
            .map(|share| share.as_f64().unwrap())
            .sum::<f64>()
            / 4.0;
        let full = row["utilisation"]["full"].as_f64().unwrap();
        for (measured, stated) in [
            (row["cycles_per_hash"].as_f64().unwrap(), "cycles"),
            (full, "busy_full"),
            (mean, "busy_partial"),
        ] {
            let difference = measured - figures[stated].as_f64().unwrap();
            assert!(difference.abs() < 0.0051, "{name}, {stated}: {measured}");
        }
        assert_eq!(row["width"], figures["width"], "{name}");
        let is_large = row["field"] != "goldilocks";
        assert_eq!(is_large, figures["field"] == "large", "{name}");
        assert_eq!(
            row["paper_cycles_per_hash"],
            figures.get("paper_cycles").cloned().unwrap_or_default(),
            "{name}"
        );
    }
}

#[test]
fn bench_engine_measures_the_steady_state() {
    let arguments = ["bench", "engine", "--preset", ARITY_2, "plonky2"];
    let run = run_with(&COUNTING, &[&arguments[..], &["--json"]].concat());
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{run:?}");
    let rows = json_lines(&run);
    let [filecoin, plonky2] = rows.as_slice() else {
        panic!("{run:?}");
    };
    assert_eq!(filecoin["preset"], ARITY_2);
    assert_eq!(
        (&filecoin["num_full"], &filecoin["num_partial"]),
        (&1.into(), &4.into())
    );
    assert_eq!(filecoin["period"], 13);
    assert_eq!(filecoin["latency_cycles"], 1000);
    assert_eq!(filecoin["hashes"], 2048);
    assert!(close(&filecoin["cycles_per_hash"], 14.3), "{filecoin}");
    // 79 S-boxes of 3 products, 12 layers of 9, and 52 rounds of the recurrence of 3.
    assert!(
        close(&filecoin["multiplier_bound"], 501.0 / 43.0),
        "{filecoin}"
    );
    assert!(
        close(&filecoin["multiplier_utilisation"], 501.0 / 43.0 / 14.3),
        "{filecoin}"
    );
    // 8 full and 3 partial rounds, and the pass behind the recurrence; 13 partial rounds on each of the others.
    let utilisation = &filecoin["utilisation"];
    assert!(close(&utilisation["full"], 12.0 / 14.3), "{filecoin}");
    assert_eq!(utilisation["partial"].as_array().unwrap().len(), 4);
    assert!(close(&utilisation["partial"][3], 13.0 / 14.3), "{filecoin}");
    assert!(
        close(&filecoin["paper_cycles_per_hash"], 35.4),
        "{filecoin}"
    );
    assert!(
        close(&filecoin["trident_cycles_per_hash"], 103.0),
        "{filecoin}"
    );
    assert_eq!(plonky2["period"], 8);
    assert_eq!(plonky2["paper_cycles_per_hash"], Value::Null);

    let text = run_with(&COUNTING, &arguments);
    assert_eq!((text.code, text.err.as_str()), (0, ""));
    let row = text
        .out
        .lines()
        .find(|line| line.starts_with(ARITY_2))
        .unwrap();
    for part in [
        "14.30",
        "1000",
        "13",
        "11.65",
        "35.4",
        "103.0",
        "83.9 90.9 90.9 90.9 90.9 %",
    ] {
        assert!(row.contains(part), "no '{part}' in {row}");
    }
}

#[test]
fn bench_engine_all_skips_other_fields_with_the_reason() {
    for arguments in [
        &["bench", "engine", "--hashes", "260", "--json"][..],
        &["bench", "engine", "all", "--hashes", "260", "--json"],
        &[
            "bench", "engine", "--preset", "all", "--hashes", "260", "--json",
        ],
    ] {
        let run = run_with(&COUNTING, arguments);
        assert_eq!(run.code, 0, "{run:?}");
        let (skipped, rows): (Vec<_>, Vec<_>) = json_lines(&run)
            .into_iter()
            .partition(|row| row["skipped"].is_string());
        assert_eq!(rows.len() + skipped.len(), presets::all().len());
        for row in rows {
            let preset = presets::find(row["preset"].as_str().unwrap()).unwrap();
            let fields = [FieldId::Bls12_381, FieldId::Goldilocks];
            assert!(fields.contains(&preset.field()), "{row}");
            assert_eq!(row["hashes"], 260);
        }
        for skipped in skipped {
            let reason = skipped["skipped"].as_str().unwrap();
            assert!(
                reason.contains("was built for bls12-381 and goldilocks"),
                "{reason}"
            );
        }
    }
}

#[test]
fn bench_engine_takes_parameter_files() {
    let files = Files::new();
    let toml = parameter_file(false).replace("bn254", "bls12-381");
    let bench = |toml: &str| {
        let file = files.bytes("mine.toml", toml.as_bytes());
        let arguments = ["bench", "engine", "--parameters", &file, "--json"];
        let run = run_with(&COUNTING, &arguments);
        assert_eq!(run.code, 0, "{run:?}");
        let row = json_lines(&run)[0].clone();
        assert_eq!(row["preset"], "mine");
        (run, row["period"].clone(), row["notes"].clone())
    };
    // A singular part of the matrix costs nothing.
    let (run, period, notes) = bench(&toml);
    assert_eq!((run.err.as_str(), notes), ("", json!([])));
    assert_eq!(period, 5);
    // The first row observes a space of one dimension only: a recurrence of order 1, which is not for all of so many
    // rounds.
    let toml = toml
        .replace(
            "[2, 1, 3], [1, 1, 1], [7, 1, 1]",
            "[2, 1, 1], [1, 2, 3], [4, 3, 2]",
        )
        .replace("partial_rounds = 3", "partial_rounds = 200");
    let (run, period, notes) = bench(&toml);
    let expected = "in the recurrence of 'mine', whose order 1 is below 2, no more than 128 rounds can run; 72 \
                    partial rounds run dense on the full-round sub-engines: 77 cycles per hash, with a recurrence \
                    of any number of rounds it would be 41";
    assert_eq!(run.err, format!("note: {expected}\n"));
    assert_eq!((period, notes), (77.into(), json!([expected])));
}

#[test]
fn bench_tree_measures_whole_trees() {
    let arguments = ["bench", "tree", "--leaves", "4096", "8192", "--json"];
    let run = run_with(&COUNTING, &arguments);
    assert_eq!(run.code, 0, "{run:?}");
    let rows = json_lines(&run);
    assert_eq!(rows.len(), 2);
    for (row, leaves, paper) in [(&rows[0], 4096, 0.91), (&rows[1], 8192, 1.22)] {
        assert_eq!(
            (&row["leaves"], &row["cycles"]),
            (&leaves.into(), &1000.into())
        );
        assert_eq!(row["milliseconds_at_500_mhz"], 0.002);
        assert_eq!(row["paper_milliseconds"], paper);
        // A period of 13 cycles in 2000.
        assert_eq!(row["lhe_utilisation"], 0.0065);
        assert!(row["rhe_utilisation"].as_f64().unwrap() < 0.0065);
    }
    assert_eq!(rows[0]["steady"], Value::Null);
    assert_eq!(rows[1]["steady"]["leaves"], 4096);
    assert_eq!(rows[1]["steady"]["cycles"], 8_192_000);
    assert_eq!(rows[1]["steady"]["lhe_utilisation"], 0.0065);

    let text = run_with(&COUNTING, &arguments[..5]);
    assert_eq!(text.code, 0, "{text:?}");
    for part in ["4096", "0.91", "0.7 %", "The paper's averages"] {
        assert!(text.out.contains(part), "{part}: {}", text.out);
    }
}

/// The cycles of the RTL (`acclmt bench tree --backend rtl`), from the model.
#[test]
fn the_model_counts_the_cycles_of_trees() {
    let arguments = [
        "bench",
        "tree",
        "--leaves",
        "4096",
        "8192",
        "--backend",
        "model",
        "--json",
    ];
    let run = run(&arguments);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{run:?}");
    let rows = json_lines(&run);
    let cycles: Vec<_> = rows.iter().map(|row| &row["cycles"]).collect();
    assert_eq!(cycles, [92_232, 148_503]);
    assert!(rows[1]["steady"]["rhe_utilisation"].as_f64() > Some(0.97));

    // Other leaves, and standard trees of other arities.
    let trees = [
        "bench",
        "tree",
        "--preset",
        ARITY_2,
        "filecoin-arity-8",
        "--leaf",
        "element",
        "--backend",
        "model",
        "--json",
    ];
    let run = self::run(&trees);
    let rows = json_lines(&run);
    assert_eq!(
        (&rows[0]["leaves"], &rows[1]["leaves"]),
        (&4096.into(), &4096.into())
    );
    for row in &rows {
        assert_eq!(
            (&row["leaf"], &row["lhe_utilisation"]),
            (&"element".into(), &0.0.into())
        );
        assert!(row["rhe_utilisation"].as_f64() > Some(0.5), "{row}");
    }
}

#[test]
fn the_model_commits_as_the_software_does() {
    let files = Files::new();
    let plonky2 = presets::by_name("plonky2").unwrap();
    let rows = files.bytes("rows", &elements(plonky2, &count(8 * 19)));
    let commit = |backend: &str| {
        json(&[
            "commit",
            &rows,
            "--preset",
            "plonky2",
            "--leaf",
            "row=19",
            "--cap",
            "1",
            "--backend",
            backend,
            "--json",
        ])
    };
    let (model, software) = (commit("model"), commit("software"));
    assert_eq!(model["cap"], software["cap"]);
    assert!(model["cycles"].as_u64() > Some(1000), "{model}");
    assert_eq!(software["cycles"], Value::Null);

    // Every preset, whatever its field.
    let run = run(&[
        "bench",
        "engine",
        "--backend",
        "model",
        "--hashes",
        "1024",
        "--json",
    ]);
    assert_eq!(run.code, 0, "{run:?}");
    let rows = json_lines(&run);
    assert_eq!(rows.len(), presets::all().len());
    assert!(
        rows.iter()
            .all(|row| row["cycles_per_hash"].as_f64() > Some(1.0))
    );
}

/// What the trace event format of Chrome asks of events, and what a timeline of slices and counters is:
/// every track has a name, its slices are in order and do not overlap, and all end with the run.
fn check_trace_events(events: &[Value], cycles: u64) {
    let number = |event: &Value, key: &str| -> u64 {
        let value = event[key].as_u64();
        value.unwrap_or_else(|| panic!("'{key}' is no number: {event}"))
    };
    // Names of processes and of tracks, and where the last event of each track and counter ends. The slices that
    // begin a visit, to which arrows are bound.
    let mut visits = HashSet::new();
    let mut arrows: HashMap<String, Vec<(String, u64)>> = HashMap::new();
    let mut processes = HashSet::new();
    let mut tracks = HashSet::new();
    let mut ends: HashMap<(u64, String), u64> = HashMap::new();
    for event in events {
        let process = number(event, "pid");
        assert!(process > 0 && event["tid"] != 0, "{event}");
        let name = event["name"].as_str().expect("an event has a name");
        match event["ph"].as_str() {
            Some("M") => {
                assert!(event["args"]["name"].is_string(), "{event}");
                match name {
                    "process_name" => assert!(processes.insert(process), "{event}"),
                    "thread_name" => {
                        let track = (process, number(event, "tid"));
                        assert!(tracks.insert(track), "{event}");
                    }
                    _ => panic!("unknown metadata: {event}"),
                }
            }
            Some("X") => {
                let track = (process, number(event, "tid"));
                assert!(tracks.contains(&track), "a track without name: {event}");
                let begin = number(event, "ts");
                let end = begin + number(event, "dur");
                let last = ends.entry((process, track.1.to_string())).or_default();
                assert!(*last <= begin && begin < end && end <= cycles, "{event}");
                *last = end;
                visits.insert((track, begin, event["args"]["hash"].as_u64()));
            }
            Some(step @ ("s" | "t" | "f")) => {
                let id = event["id"]
                    .as_str()
                    .expect("an arrow has the name of its hash");
                let hash = id.split('.').nth(1).unwrap().parse().ok();
                let track = (process, number(event, "tid"));
                assert!(
                    visits.contains(&(track, number(event, "ts"), hash)),
                    "{event}"
                );
                let steps = arrows.entry(id.to_owned()).or_default();
                steps.push((step.to_owned(), number(event, "ts")));
            }
            Some("C") => {
                assert!(event["args"]["groups"].is_u64(), "{event}");
                let time = number(event, "ts");
                let last = ends.entry((process, name.to_owned())).or_default();
                assert!(*last <= time && time <= cycles, "{event}");
                *last = time + 1;
            }
            _ => panic!("unknown phase: {event}"),
        }
        assert!(processes.contains(&process), "{event}");
    }
    assert_eq!(processes, HashSet::from([1, 2, 3, 4]));
    // Every hash goes from its first visit through four partial-round sub-engines to its last one.
    for (id, mut steps) in arrows {
        steps.sort_by_key(|(_, time)| *time);
        let steps: Vec<_> = steps.iter().map(|(step, _)| step.as_str()).collect();
        assert_eq!(steps, ["s", "t", "t", "t", "t", "f"], "{id}");
    }
}

/// The rounds of every hash, followed through the trace: in order of time each hash runs all rounds of its
/// visits, on the way of its engine, and computes one node.
fn check_hashes(events: &[Value], leaves: u64, rounds: usize) {
    type Round = (u64, u64, u64, u64);
    let mut hashes: HashMap<(u64, u64), Vec<Round>> = HashMap::new();
    let mut nodes: HashMap<(u64, u64), (u64, u64)> = HashMap::new();
    let number = |value: &Value| value.as_u64().expect("a number");
    for event in events.iter().filter(|event| event["ph"] == "X") {
        let args = &event["args"];
        if !args.is_object() {
            continue;
        }
        let hash = (number(&event["pid"]), number(&args["hash"]));
        let [begin, dur] = [&event["ts"], &event["dur"]].map(number);
        let round = (
            begin,
            begin + dur,
            number(&args["visit"]),
            number(&args["round"]),
        );
        hashes.entry(hash).or_default().push(round);
        let node = (number(&args["level"]), number(&args["index"]));
        assert_eq!(*nodes.entry(hash).or_insert(node), node, "{event}");
    }
    assert_eq!(hashes.len() as u64, 2 * leaves - 1);
    // When the node of a level and index is there at the earliest.
    let mut done: HashMap<(u64, u64), u64> = HashMap::new();
    let mut begun: Vec<(u64, (u64, u64))> = Vec::new();
    for (hash, mut slots) in hashes {
        slots.sort_unstable();
        assert_eq!(slots.len(), rounds, "{hash:?}");
        for pair in slots.windows(2) {
            assert!(pair[0].1 <= pair[1].0, "{hash:?}: {pair:?}");
            assert!(pair[0].2 <= pair[1].2, "{hash:?}: {pair:?}");
        }
        begun.push((slots[0].0, nodes[&hash]));
        let end = slots.last().unwrap().1;
        assert_eq!(
            done.insert(nodes[&hash], end),
            None,
            "{hash:?} computes a node again"
        );
    }
    // Every node of the tree, and none before its children.
    for (begin, (level, index)) in begun {
        assert!(index < leaves >> level);
        for child in (level > 0)
            .then(|| [2 * index, 2 * index + 1])
            .into_iter()
            .flatten()
        {
            assert!(
                done[&(level - 1, child)] < begin,
                "level {level}, node {index}"
            );
        }
    }
}

/// The slots of the timeline are what the counters count.
#[test]
fn trace_writes_the_timeline() {
    let files = Files::new();
    let path = text(&files.path("trace.json"));
    let arguments = [
        "trace",
        "--preset",
        ARITY_2,
        "--leaves",
        "32",
        "--backend",
        "model",
        "--out",
        &path,
        "--json",
    ];
    let report = json(&arguments);
    let trace: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let events = trace["traceEvents"].as_array().unwrap();
    assert_eq!(report["events"], events.len());
    check_trace_events(events, report["cycles"].as_u64().unwrap());
    // The recurrence has a pass behind it.
    check_hashes(events, 32, 8 + 55 + 1);
    let bench = [
        "bench",
        "tree",
        "--leaves",
        "32",
        "--backend",
        "model",
        "--json",
    ];
    let row = &json_lines(&run(&bench))[0];
    assert_eq!(report["cycles"], row["counters"]["cycles"]);
    for (process, engine) in ["leaf", "root"].into_iter().enumerate() {
        let counters = &row["counters"][engine];
        let partial = counters["busy_partial"].as_array().unwrap();
        for (thread, busy) in [&counters["busy_full"]]
            .into_iter()
            .chain(partial)
            .enumerate()
        {
            let slots = events.iter().filter(|event| {
                event["ph"] == "X" && event["pid"] == process + 1 && event["tid"] == thread + 1
            });
            let cycles: u64 = slots.map(|slot| slot["dur"].as_u64().unwrap()).sum();
            assert_eq!(Some(cycles), busy.as_u64(), "{engine}, sub-engine {thread}");
        }
    }
    let starved = events
        .iter()
        .filter(|event| event["pid"] == 4 && event["tid"] == 4);
    let cycles: u64 = starved.filter_map(|event| event["dur"].as_u64()).sum();
    assert_eq!(Some(cycles), row["counters"]["starved_root"].as_u64());

    fails(
        &[
            "trace", "--preset", ARITY_2, "--leaves", "5", "--out", &path,
        ],
        1,
        &["5 leaves do not fill"],
    );
    for (leaves, message) in [
        ("1", "does not fold a tree of 1 leaves"),
        (
            "1099511627776",
            "a tree of 1099511627776 leaves cannot be measured; 1 to 4294967296",
        ),
    ] {
        let arguments = ["--leaves", leaves, "--backend", "model", "--out", &path];
        fails(
            &[&["trace", "--preset", ARITY_2], &arguments[..]].concat(),
            1,
            &[message],
        );
    }
    let nothing = text(&files.path("nothing.json"));
    for (backend, code, message) in [
        ("software", 1, "it records no timeline"),
        ("nonsense", 2, "unknown backend 'nonsense'"),
    ] {
        fails(
            &[
                "trace",
                "--preset",
                ARITY_2,
                "--backend",
                backend,
                "--out",
                &nothing,
            ],
            code,
            &[message],
        );
        assert!(!Path::new(&nothing).exists());
    }
    let folder = text(&files.path("missing/trace.json"));
    fails(
        &[
            "trace",
            "--preset",
            ARITY_2,
            "--backend",
            "model",
            "--out",
            &folder,
        ],
        1,
        &["missing/trace.json"],
    );
}

#[test]
fn the_node_memory_can_be_chosen() {
    let cycles = |more: &[&str]| {
        let tree = ["bench", "tree", "--backend", "model", "--json"];
        let row = json(&[&tree[..], &["--leaf", "element"], more].concat());
        (
            row["cycles"].as_u64().expect("it is counted"),
            row["node_memory_bytes"].clone(),
        )
    };
    let [small, default] = [&["--node-words", "64"][..], &[]].map(cycles);
    assert_eq!((small.1, default.1), (json!(64 * 32), json!(512 * 32)));
    assert!(small.0 > 2 * default.0, "{} {}", small.0, default.0);
    let bench = ["bench", "tree", "--node-words"];
    fails(
        &[&bench[..], &["100", "--backend", "model"]].concat(),
        1,
        &["100"],
    );
    fails(
        &[&bench[..], &["1024", "--backend", "software"]].concat(),
        2,
        &["--node-words 1024", "the backend 'software' is not"],
    );
}

#[test]
fn what_bench_tree_cannot_measure_is_refused() {
    let bench = |backends: &dyn BackendFactory, arguments: &[&str], code, part: &str| {
        let run = run_with(backends, &[&["bench", "tree"], arguments].concat());
        assert_eq!(run.code, code, "{run:?}");
        assert!(run.err.contains(part), "{run:?}");
    };
    bench(
        &COUNTING,
        &["--preset", "nonsense"],
        2,
        "unknown preset 'nonsense'",
    );
    bench(
        &COUNTING,
        &["--preset", "orchard"],
        1,
        "'orchard' is over pallas",
    );
    bench(&COUNTING, &["--leaves", "5"], 1, "5 leaves do not fill");
    bench(&COUNTING, &["--backend", "software"], 1, "counts no cycles");
    let wrong = CountingBackend { wrong_from: 0 };
    bench(&wrong, &["--leaves", "16"], 1, "the root of 16 leaves");
    for leaves in ["1099511627776", "4294967297", "18446744073709551615"] {
        bench(
            &COUNTING,
            &["--leaves", leaves],
            1,
            &format!("a tree of {leaves} leaves cannot be measured; 1 to 4294967296 leaves can"),
        );
    }
    bench(&COUNTING, &["--leaves", "0"], 1, "there are no leaves");
}

/// The roots of neptune are in a test of acclmt-measure.
#[test]
fn bench_pc2_measures_sectors() {
    let row = json(&["bench", "pc2", "--sector", "8MiB", "--json"]);
    let trees = &row["trees"];
    assert_eq!(
        (&row["sector"], &row["engines"], &row["cycles"]),
        (&json!("8MiB"), &json!(2), &json!(2_646_031 + 973_313))
    );
    assert_eq!(row["sharing"], "shared");
    let fixed = json(&[
        "bench",
        "pc2",
        "--sector",
        "8MiB",
        "--sharing",
        "fixed",
        "--json",
    ]);
    assert_eq!(
        (&fixed["sharing"], &fixed["cycles"]),
        (&json!("fixed"), &json!(3_430_055 + 1_927_961))
    );
    let one = json(&[
        "bench",
        "pc2",
        "--sector",
        "2KiB",
        "--engines",
        "1",
        "--json",
    ]);
    assert_eq!(
        (&one["engines"], &one["sharing"]),
        (&json!(1), &json!("shared"))
    );
    assert_eq!(
        (&trees[0]["columns"], &trees[0]["leaves"]),
        (&json!(2), &json!(262_144))
    );
    assert_eq!(trees[0]["root"], Value::Null);
    let text = run(&["bench", "pc2", "--sector", "2KiB"]);
    assert_eq!(text.code, 0, "{text:?}");
    for part in [
        "TreeC",
        "TreeR",
        "2KiB with 2 hash engines (shared) at 500 MHz",
    ] {
        assert!(text.out.contains(part), "{part}: {}", text.out);
    }
    // Rows and nodes of different sets do not repeat themselves.
    let large = ["bench", "pc2", "--sector", "512MiB"];
    let text = run(&large);
    assert_eq!(text.code, 0, "{text:?}");
    assert!(text.out.contains("`simulated_leaves`"), "{}", text.out);
    let is_marked = |tree| {
        let mut lines = text.out.lines();
        lines.any(|line| line.starts_with(tree) && line.ends_with(" *"))
    };
    assert_eq!([is_marked("TreeC"), is_marked("TreeR")], [true, false]);
    let row = json(&[&large[..], &["--json"]].concat());
    assert_eq!(row["trees"][0]["simulated_leaves"], json!(1 << 18));
    assert_eq!(row["trees"][1]["simulated_leaves"], Value::Null);
    fails(
        &["bench", "pc2", "--sector", "1GiB"],
        2,
        &[
            "there is no sector of '1GiB'",
            "2KiB, 8MiB, 512MiB, 32GiB and 64GiB",
        ],
    );
    let software = ["bench", "pc2", "--sector", "2KiB", "--backend", "software"];
    fails(&software, 1, &["counts no cycles"]);
    let shared = [&software[..], &["--sharing", "shared"]].concat();
    fails(&shared, 1, &["'software' has no hash engines"]);
    let fixed = [
        "bench",
        "pc2",
        "--sector",
        "2KiB",
        "--engines",
        "1",
        "--sharing",
        "fixed",
    ];
    fails(&fixed, 1, &["the chip has 1; share it"]);
}

#[test]
fn what_bench_engine_cannot_measure_is_refused() {
    let bench = |backends: &dyn BackendFactory, arguments: &[&str], code, part| {
        let run = run_with(backends, &[&["bench", "engine"], arguments].concat());
        assert_eq!(run.code, code, "{run:?}");
        assert!(run.err.contains(part), "{run:?}");
    };
    bench(
        &COUNTING,
        &["--preset", "orchard"],
        1,
        "'orchard' is over pallas",
    );
    bench(
        &COUNTING,
        &["--preset", "nonsense"],
        2,
        "unknown preset 'nonsense'",
    );
    bench(&COUNTING, &["--preset", ARITY_2, "all"], 2, "give it alone");
    bench(&COUNTING, &["--backend", "gpu"], 2, "unknown backend 'gpu'");
    bench(&COUNTING, &["--backend", "software"], 1, "counts no cycles");
    let wrong = CountingBackend { wrong_from: 5 };
    bench(
        &wrong,
        &["--preset", ARITY_2],
        1,
        "of 'filecoin-arity-2' on 'counting' differs from that of the software",
    );
    // A hash of 1000 cycles, every 13 cycles another one.
    for hashes in ["1", "123"] {
        bench(
            &COUNTING,
            &["--preset", ARITY_2, "--hashes", hashes],
            1,
            "show no steady state: a single hash takes 1000 cycles, in which the engine can begin 76 others; \
             measure 152 hashes or more",
        );
    }
    bench(&COUNTING, &["--hashes", "0"], 2, "1..=65536");
    bench(&COUNTING, &["--hashes", "65537"], 2, "1..=65536");
    // The model, whose counters of few hashes said that the multipliers were at work for 432 % of the time.
    bench(
        &LibraryBackends,
        &["--backend", "model", "--preset", ARITY_2, "--hashes", "1"],
        1,
        "1 hashes of 'filecoin-arity-2' show no steady state",
    );
}

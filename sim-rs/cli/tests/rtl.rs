// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! The program itself, with the simulated chip: roots of Plonky2's rows, standard input, proofs.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// Runs the program. `input` is its standard input.
fn run(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_acclmt"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut pipe = child.stdin.take().expect("standard input is a pipe");
    // A program that refuses its arguments closes the pipe before it has read all.
    let _ = pipe.write_all(input);
    drop(pipe);
    child.wait_with_output().expect("the program ends")
}

/// The JSON that a successful run printed.
#[track_caller]
fn json(arguments: &[&str], input: &[u8]) -> Value {
    let output = run(arguments, input);
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    serde_json::from_slice(&output.stdout).expect("--json prints JSON")
}

/// The cases of Plonky2's Merkle trees.
fn plonky2_trees() -> Vec<Value> {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../vectors/plonky2_goldilocks_merkle.json");
    let text = fs::read_to_string(path).expect("the vectors are there");
    let mut file: Value = serde_json::from_str(&text).expect("the vectors are JSON");
    file["cases"]
        .as_array_mut()
        .expect("cases")
        .drain(..)
        .collect()
}

fn number(value: &Value) -> u64 {
    let text = value.as_str().expect("an element is text");
    u64::from_str_radix(text.trim_start_matches("0x"), 16).expect("an element is hexadecimal")
}

/// The rows of a case as 8-byte little-endian elements, as far as the file states them.
fn rows(case: &Value) -> Option<Vec<u8>> {
    let elements =
        |row: &Value| -> Vec<u64> { row.as_array().expect("a row").iter().map(number).collect() };
    let columns = case["columns"].as_u64()?;
    let count = case["row_count"].as_u64()?;
    let all: Vec<u64> = match (case["rows"].as_array(), case["rows_gen"].as_str()) {
        (Some(rows), _) => rows.iter().flat_map(elements).collect(),
        (None, Some("iota")) => (0..count * columns).collect(),
        _ => return None,
    };
    assert_eq!(all.len() as u64, count * columns);
    Some(
        all.iter()
            .flat_map(|element| element.to_le_bytes())
            .collect(),
    )
}

struct Files(TempDir);

impl Files {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, bytes: &[u8]) -> String {
        fs::write(self.path(name), bytes).expect("the file is written");
        self.text(name)
    }

    fn text(&self, name: &str) -> String {
        self.path(name).to_str().expect("a path of text").to_owned()
    }
}

/// The digest as it is printed: four elements.
fn elements_of(value: &Value) -> Vec<u64> {
    value
        .as_array()
        .expect("a digest of four elements")
        .iter()
        .map(number)
        .collect()
}

/// A timeline of the simulated chip, and that of its model.
#[test]
fn timelines_of_both_backends() {
    let files = Files::new();
    let trace = |backend: &[&str]| -> (Value, Value) {
        let path = files.text("trace.json");
        let arguments = [
            "trace", "--preset", "plonky2", "--leaves", "16", "--out", &path, "--json",
        ];
        let report = json(&[&arguments[..], backend].concat(), &[]);
        let text = fs::read(&path).expect("the trace is written");
        let mut trace: Value = serde_json::from_slice(&text).expect("the trace is JSON");
        assert_eq!(trace["otherData"]["backend"], report["backend"]);
        (report, trace["traceEvents"].take())
    };
    // The first backend is the chip.
    let (report, events) = trace(&[]);
    assert_eq!(report["backend"], "rtl");
    let tree = [
        "bench", "tree", "--preset", "plonky2", "--leaves", "16", "--json",
    ];
    let row = json(&[&tree[..], &["--backend", "rtl"]].concat(), &[]);
    assert_eq!(report["cycles"], row["counters"]["cycles"]);
    // The model of the command line has a prime that does not change.
    if !acclmt_verilated::RUNTIME_MODULUS {
        let (modelled, expected) = trace(&["--backend", "model"]);
        assert_eq!(report["cycles"], modelled["cycles"]);
        let (events, expected) = (events.as_array(), expected.as_array());
        let [events, expected] = [events, expected].map(|list| list.expect("a list of events"));
        assert_eq!(events.len(), expected.len());
        // Each comes in parts as long as it likes.
        let sorted = |events: &[Value]| {
            let mut texts: Vec<_> = events.iter().map(Value::to_string).collect();
            texts.sort_unstable();
            texts
        };
        for (found, expected) in sorted(events).iter().zip(sorted(expected)) {
            assert_eq!(*found, expected);
        }
    }

    let path = files.text("none.json");
    let refused = run(
        &[
            "trace",
            "--preset",
            "plonky2",
            "--out",
            &path,
            "--backend",
            "software",
        ],
        &[],
    );
    let message = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(1), "{message}");
    assert!(message.contains("it records no timeline"), "{message}");
    assert!(!Path::new(&path).exists());
}

/// Roots of rows of 1, 4, 8, 12 and 135 columns, and a path of each tree.
#[test]
fn rows_of_plonky2() {
    let files = Files::new();
    let mut columns_seen = Vec::new();
    for case in plonky2_trees() {
        let (Some(rows), Some(columns)) = (rows(&case), case["columns"].as_u64()) else {
            continue;
        };
        // The two kinds of rows take turns; the software backend runs every case.
        let name = case["name"].as_str().expect("a case has a name").to_owned();
        if ![1, 4, 8, 12, 135].contains(&columns) || !name.contains("_k2_") {
            continue;
        }
        columns_seen.push(columns);
        let file = files.write(&name, &rows);
        let tree = files.text(&format!("{name}.tree"));
        let leaf = format!("row={columns}");
        let arguments = [
            "commit",
            &file,
            "--preset",
            "plonky2",
            "--leaf",
            &leaf,
            "--tree-out",
            &tree,
            "--json",
        ];
        let report = json(&arguments, &[]);
        assert_eq!(report["backend"], "rtl");
        assert_eq!(
            elements_of(&report["root"]),
            elements_of(&case["root"]),
            "{name}"
        );
        assert!(
            report["cycles"].as_u64() > Some(0),
            "{name}: the chip counts its cycles"
        );

        // The path of the last row.
        let index = (case["row_count"].as_u64().expect("rows") - 1).to_string();
        let proof = files.text(&format!("{name}.proof"));
        json(
            &["prove", &tree, "--index", &index, "--out", &proof, "--json"],
            &[],
        );
        let root = report["root"].as_array().expect("a root").iter();
        let root: Vec<&str> = root
            .map(|element| element.as_str().expect("text"))
            .collect();
        let verified = json(
            &["verify", &proof, "--root", &root.join(","), "--json"],
            &[],
        );
        assert_eq!(verified["valid"], true, "{name}");
    }
    columns_seen.dedup();
    assert_eq!(columns_seen, [1, 4, 8, 12, 135]);
}

/// A stream gives the root of the file with the same bytes.
#[test]
fn standard_input_is_streamed() {
    let files = Files::new();
    let rows: Vec<u8> = (0..16 * 12_u64).flat_map(u64::to_le_bytes).collect();
    let file = files.write("rows", &rows);
    let arguments = |input: &'static str| {
        [
            "commit", input, "--preset", "plonky2", "--leaf", "row=12", "--json",
        ]
    };
    let from_file = {
        let mut arguments: Vec<&str> = arguments("-").to_vec();
        arguments[1] = &file;
        json(&arguments, &[])
    };
    let counted = [&arguments("-")[..], &["--leaves", "16"]].concat();
    assert_eq!(json(&counted, &rows)["root"], from_file["root"]);

    // A stream that ends early, one that runs long, and one that ends within a row.
    for (bytes, message) in [
        (&rows[..15 * 96], "early"),
        (&[&rows[..], &[0; 96]].concat()[..], "long"),
        (&rows[..15 * 96 + 8], "early"),
    ] {
        let tree = files.text("refused.tree");
        let arguments = [&counted[..], &["--tree-out", &tree]].concat();
        let output = run(&arguments, bytes);
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success(), "{message}: {output:?}");
        assert_eq!(error.matches("error: ").count(), 1, "{error}");
        println!("{error}");
        assert!(!files.path("refused.tree").exists(), "{message}");
        assert!(output.stdout.is_empty(), "{message}");
    }
}

/// Refusals of the program, with one line that contains `part`.
#[track_caller]
fn fails(arguments: &[&str], part: &str) -> Output {
    let output = run(arguments, &[]);
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{arguments:?}: {error}");
    assert_eq!(error.matches("error: ").count(), 1, "{error}");
    assert!(error.contains(part), "{error}");
    output
}

/// Names of the files of a folder.
fn names(files: &Files) -> Vec<String> {
    let entries = fs::read_dir(files.0.path()).expect("the folder is there");
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("an entry").file_name())
        .map(|name| name.to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// A waveform is written, or the run says why not.
#[test]
fn waveforms_are_written_or_refused() {
    let files = Files::new();
    let rows: Vec<u8> = (0..16 * 8_u64).flat_map(u64::to_le_bytes).collect();
    let file = files.write("rows", &rows);
    let waves = files.text("waves.fst");
    let commit = ["commit", &file, "--preset", "plonky2", "--waves", &waves];
    let with = |more: &[&'static str]| [&commit[..], more].concat();
    let report = json(&with(&["--waves-cycles", "100", "--json"]), &[]);
    assert_eq!(report["notes"].as_array().map(Vec::len), Some(0));
    assert!(fs::metadata(&waves).expect("the waveform").len() > 1000);
    assert_eq!(names(&files), ["rows", "waves.fst"]);

    // A window that goes on after the run is shorter, and one that begins there is none.
    let report = json(&with(&["--waves-cycles", "100000000", "--json"]), &[]);
    let note = report["notes"][0].as_str().expect("a note");
    assert!(note.contains("of the 100000000 asked for"), "{note}");
    fs::remove_file(&waves).expect("the waveform is removed");
    let output = fails(&with(&["--waves-from", "100000000"]), "the run ended after");
    assert!(String::from_utf8_lossy(&output.stdout).contains("root"));
    assert_eq!(names(&files), ["rows"]);

    let absent = files.text("absent/waves.fst");
    let commit = ["commit", &file, "--preset", "plonky2", "--waves", &absent];
    let output = fails(&commit, "cannot write the waveform");
    assert!(output.stdout.is_empty());
    assert_eq!(names(&files), ["rows"]);
}

/// A run of minutes says so first. Which backends are said to be faster is a matter of measurements here, and tested
/// with given times in `command_line.rs`. The preset is over the prime of the default build.
#[cfg(feature = "bls12-381")]
#[test]
fn long_simulations_are_announced() {
    use std::io::{BufRead as _, BufReader};
    let files = Files::new();
    let file = files.write("ten-megabytes", &vec![0; 10 << 20]);
    let mut child = Command::new(env!("CARGO_BIN_EXE_acclmt"))
        .args(["commit", &file, "--preset", "filecoin-arity-2", "--pack"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let stderr = child.stderr.take().expect("standard error is a pipe");
    let mut line = String::new();
    let read = BufReader::new(stderr).read_line(&mut line);
    child.kill().expect("the program is stopped");
    child.wait().expect("the program ends");
    read.expect("a line");
    for part in ["note: this takes about", "on the backend 'rtl'"] {
        assert!(line.contains(part), "{line}");
    }
}

/// Simulated chips in threads of their own, and their model beside them.
#[test]
fn several_simulated_chips_build_one_tree() {
    let leaves: Vec<u8> = (0..4 * 64_u64).flat_map(u64::to_le_bytes).collect();
    let commit = |more: &[&str]| {
        let first = [
            "commit", "-", "--preset", "plonky2", "--leaf", "element", "--json",
        ];
        json(&[&first, more].concat(), &leaves)
    };
    let one = commit(&["--backend", "software"]);
    for (more, names) in [
        (&["--backend", "rtl", "--devices", "2"][..], ["rtl", "rtl"]),
        (
            &["--backend", "model", "--backend", "rtl"],
            ["model", "rtl"],
        ),
    ] {
        let several = commit(more);
        assert_eq!(several["root"], one["root"]);
        assert_eq!(several["check"], "ok");
        let devices = several["devices"].as_array().expect("an array");
        let backends: Vec<_> = devices.iter().map(|device| &device["backend"]).collect();
        assert_eq!(backends, names);
        assert!(devices.iter().all(|device| device["failed"].is_null()));
        let sub_trees = devices.iter().map(|device| device["sub_trees"].as_u64());
        assert!(sub_trees.sum::<Option<u64>>() >= Some(2), "{several}");
    }
}

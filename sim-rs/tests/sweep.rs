//! `acclmt sweep`: rows, kills, shards, and what is refused.

use std::fs;
use std::path::{Path, PathBuf};

use acclmt::cli::{self, LibraryBackends};
use serde_json::Value;
use tempfile::TempDir;

const ENGINES: &str = "
measure = 'engine'
hashes = 64

[axes]
field = ['bls12-381', 'goldilocks']
width = [3, 12]
exponent = [5, 7]
num_partial = [1, 3]
";

struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) -> String {
        fs::write(self.path(name), text).unwrap();
        text_of(&self.path(name))
    }
}

fn text_of(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

/// Exit code, output and errors.
fn run(arguments: &[&str]) -> (u8, String, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let arguments = ["acclmt", "sweep"].iter().chain(arguments);
    let code = cli::run_with(arguments, &LibraryBackends, &mut out, &mut err, false);
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (code, text(out), text(err))
}

#[track_caller]
fn json(arguments: &[&str]) -> Value {
    let (code, out, err) = run(&[arguments, &["--json"]].concat());
    assert_eq!((code, err.as_str()), (0, ""), "{arguments:?}");
    serde_json::from_str(&out).unwrap()
}

fn rows(folder: &Path) -> Vec<Value> {
    let text = fs::read_to_string(folder.join("rows.jsonl")).unwrap();
    let mut rows: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    rows.sort_by_key(|row| row["id"].as_str().unwrap().to_owned());
    rows
}

#[test]
fn sweeps_are_stopped_and_continued() {
    let folder = Folder::new();
    let specification = folder.write("engines.toml", ENGINES);
    let report = json(&[&specification, "--backend", "model", "--jobs", "2"]);
    assert_eq!(report["points"], 16);
    // x^5 is no permutation of the Goldilocks field: four points have errors, and the others rows.
    assert_eq!(
        (&report["measured"], &report["errors"]),
        (&16.into(), &4.into())
    );
    let out = folder.path("engines.sweep");
    let all = rows(&out);
    assert_eq!(all.len(), 16);
    let table = fs::read_to_string(out.join("rows.csv")).unwrap();
    assert_eq!(table.lines().count(), 17);
    assert!(table.lines().next().unwrap().contains("cycles_per_hash"));
    let errors = all.iter().filter(|row| row["error"] != Value::Null);
    assert!(errors.clone().count() == 4);
    for row in errors {
        assert!(
            row["error"].as_str().unwrap().contains("no permutation"),
            "{row}"
        );
        assert_eq!(row["cycles_per_hash"], Value::Null);
    }

    // A sweep that has rows is not begun again by accident.
    let (code, _, err) = run(&[&specification, "--backend", "model"]);
    assert_eq!(code, 1);
    assert!(err.contains("has 16 rows; go on with --resume"), "{err}");
    // A kill within the eleventh row.
    let path = out.join("rows.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let cut = format!("{}\n{}", lines[..10].join("\n"), &lines[10][..40]);
    fs::write(&path, cut).unwrap();
    let report = json(&[&specification, "--backend", "model", "--resume"]);
    assert_eq!(
        (&report["kept"], &report["measured"]),
        (&10.into(), &6.into())
    );
    assert_eq!(
        rows(&out),
        all,
        "a row does not depend on when it is measured"
    );
    let again = json(&[&specification, "--backend", "model", "--resume"]);
    assert_eq!(
        (&again["kept"], &again["measured"]),
        (&16.into(), &0.into())
    );
}

#[test]
fn shards_make_the_whole_sweep() {
    let folder = Folder::new();
    let specification = folder.write("engines.toml", ENGINES);
    let whole = text_of(&folder.path("whole"));
    json(&[&specification, "--backend", "model", "--out", &whole]);
    let shards: Vec<String> = (1..=3)
        .map(|index| {
            let out = text_of(&folder.path(&format!("shard-{index}")));
            let shard = format!("{index}/3");
            json(&[
                &specification,
                "--backend",
                "model",
                "--out",
                &out,
                "--shard",
                &shard,
            ]);
            out
        })
        .collect();
    let merged = text_of(&folder.path("merged"));
    let mut arguments = vec!["merge", merged.as_str()];
    arguments.extend(shards.iter().map(String::as_str));
    let report = json(&arguments);
    assert_eq!(report["points"], 16);
    assert_eq!(rows(Path::new(&merged)), rows(Path::new(&whole)));
    let table = |folder: &str| fs::read_to_string(Path::new(folder).join("rows.csv")).unwrap();
    assert_eq!(table(&merged), table(&whole));
}

#[test]
fn trees_with_stalls_and_small_memories() {
    let folder = Folder::new();
    let specification = folder.write(
        "trees.toml",
        "measure = 'tree'\n[axes]\npreset = ['filecoin-arity-2']\nleaves = [64]\n\
         leaf = ['hash', 'element', 'row=9', 'twig']\nleaf_words = [64]\ninput_stall = [0.0, 0.9]",
    );
    let report = json(&[&specification, "--backend", "model"]);
    assert_eq!(
        (&report["points"], &report["errors"]),
        (&8.into(), &4.into())
    );
    let rows = rows(&folder.path("trees.sweep"));
    let cycles = |leaf: &str, stall: f64| {
        let is_row = |row: &&Value| row["leaf"] == leaf && row["input_stall"] == stall;
        rows.iter().find(is_row).unwrap()["cycles"].as_u64()
    };
    assert!(cycles("hash", 0.9) > cycles("hash", 0.0));
    assert!(cycles("element", 0.0).is_some());
    assert!(cycles("twig", 0.0).is_none());
}

#[test]
fn wrong_sweeps_are_refused() {
    let folder = Folder::new();
    let fails = |arguments: &[&str], code: u8, part: &str| {
        let (found, out, err) = run(arguments);
        assert_eq!((found, out.as_str()), (code, ""), "{err}");
        assert!(err.contains(part), "{err}");
    };
    fails(&["missing.toml"], 1, "missing.toml");
    let wrong = folder.write(
        "wrong.toml",
        "measure = 'engine'\n[axes]\ncolour = ['blue']",
    );
    fails(&[&wrong], 1, "unknown field `colour`");
    assert!(!folder.path("wrong.sweep").exists());
    let good = folder.write("good.toml", ENGINES);
    fails(&[&good, "--shard", "4/3"], 2, "expected I/N");
    fails(&[&good, "--backend", "gpu"], 2, "unknown backend 'gpu'");
    let out = text_of(&folder.path("out"));
    fails(
        &["merge", &out, &text_of(&folder.path("nothing"))],
        1,
        "nothing",
    );
    fs::create_dir(folder.path("rubbish")).unwrap();
    folder.write("rubbish/rows.jsonl", "{\"id\": 3}\n");
    let rubbish = text_of(&folder.path("rubbish"));
    fails(
        &["merge", &out, &rubbish],
        1,
        "line 1: this is no row of a sweep",
    );
    // The software counts no cycles: every point says so.
    let report = json(&[&good, "--backend", "software", "--out", &out]);
    assert_eq!(
        (&report["points"], &report["errors"]),
        (&16.into(), &16.into())
    );
}

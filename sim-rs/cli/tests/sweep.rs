//! `acclmt sweep`: rows, tables, kills, shards, areas, and what is refused.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use std::{env, thread};

use acclmt::{BackendError, BackendFactory, BackendOptions, LibraryBackends};
use acclmt_driver::device::Device;
use parquet::basic::{LogicalType, Repetition, Type as PhysicalType};
use parquet::file::reader::{FileReader as _, SerializedFileReader};
use parquet::record::Field;
use serde_json::{Value, json};
use tempfile::TempDir;

const ENGINES: &str = "
measure = 'engine'
hashes = 512

[axes]
field = ['bls12-381', 'goldilocks']
width = [3, 12]
exponent = [5, 7]
num_partial = [1, 4]
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
    let code = acclmt::run_with(arguments, &LibraryBackends, &mut out, &mut err, false);
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (code, text(out), text(err))
}

#[track_caller]
fn json(arguments: &[&str]) -> Value {
    let (code, out, err) = run(&[arguments, &["--json"]].concat());
    assert_eq!((code, err.as_str()), (0, ""), "{arguments:?}");
    serde_json::from_str(&out).unwrap()
}

fn rows_as_written(folder: &Path) -> Vec<Value> {
    let text = fs::read_to_string(folder.join("rows.jsonl")).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    lines.collect()
}

fn rows(folder: &Path) -> Vec<Value> {
    let mut rows = rows_as_written(folder);
    rows.sort_by_key(|row| row["id"].as_str().unwrap().to_owned());
    rows
}

/// The rows of a Parquet file as JSON objects.
fn parquet_rows(folder: &Path) -> Vec<Value> {
    let file = File::open(folder.join("rows.parquet")).unwrap();
    let reader = SerializedFileReader::new(file).unwrap();
    let rows = reader.get_row_iter(None).unwrap().map(|row| {
        let row = row.unwrap();
        let values = row.get_column_iter().map(|(name, field)| {
            let value = match field {
                Field::Null => Value::Null,
                Field::Long(value) => json!(value),
                Field::Double(value) => json!(value),
                Field::Str(text) => json!(text),
                field => panic!("{name} is {field:?}"),
            };
            (name.clone(), value)
        });
        Value::Object(values.collect())
    });
    rows.collect()
}

/// All three files have the same rows, the tables in the order of the specification.
#[track_caller]
fn check_tables(folder: &Path) {
    let mut table = csv::Reader::from_path(folder.join("rows.csv")).unwrap();
    let names: Vec<String> = table.headers().unwrap().iter().map(str::to_owned).collect();
    let cells: Vec<csv::StringRecord> = table.records().map(Result::unwrap).collect();
    let lines = rows_as_written(folder);
    let parquet = parquet_rows(folder);
    assert_eq!((cells.len(), parquet.len()), (lines.len(), lines.len()));
    for (cells, row) in cells.iter().zip(&parquet) {
        let line = lines.iter().find(|line| line["id"] == row["id"]).unwrap();
        let line = line.as_object().unwrap();
        assert_eq!(names, line.keys().cloned().collect::<Vec<_>>());
        // Names, order, and values with their types.
        assert_eq!(
            row.as_object().unwrap().iter().collect::<Vec<_>>(),
            line.iter().collect::<Vec<_>>()
        );
        for (cell, value) in cells.iter().zip(line.values()) {
            let text = match value {
                Value::Null => String::new(),
                Value::String(text) => text.clone(),
                value => value.to_string(),
            };
            assert_eq!(cell, text);
        }
    }
}

#[test]
fn tables_have_types() {
    let folder = Folder::new();
    let specification = folder.write(
        "trees.toml",
        "measure = 'tree'\n[axes]\nfield = ['bls12-381', 'goldilocks']\narity = [2, 4]\nleaves = [4, 16]\n\
         partial_rounds = [3]\ninput_rate = [1, '1/3', 0.25]\nleaf = ['hash', 'element']",
    );
    json(&[&specification, "--backend", "model"]);
    let out = folder.path("trees.sweep");
    check_tables(&out);
    // A file of no rows has its columns too.
    let empty = text_of(&folder.path("empty"));
    json(&[
        &specification,
        "--backend",
        "model",
        "--shard",
        "99/99",
        "--out",
        &empty,
    ]);
    assert!(parquet_rows(Path::new(&empty)).is_empty());
    for folder in [out.as_path(), Path::new(&empty)] {
        let file = File::open(folder.join("rows.parquet")).unwrap();
        let reader = SerializedFileReader::new(file).unwrap();
        let schema = reader.metadata().file_metadata().schema_descr();
        let column = |name: &str| {
            let found = schema.columns().iter().find(|column| column.name() == name);
            let column = found.unwrap_or_else(|| panic!("no column {name}"));
            let info = column.self_type().get_basic_info();
            (
                column.physical_type(),
                info.repetition(),
                info.logical_type_ref().cloned(),
            )
        };
        let (required, optional) = (Repetition::REQUIRED, Repetition::OPTIONAL);
        assert_eq!(
            column("id"),
            (
                PhysicalType::BYTE_ARRAY,
                required,
                Some(LogicalType::String)
            )
        );
        assert_eq!(
            column("error"),
            (
                PhysicalType::BYTE_ARRAY,
                optional,
                Some(LogicalType::String)
            )
        );
        assert_eq!(column("num_full"), (PhysicalType::INT64, required, None));
        assert_eq!(column("cycles"), (PhysicalType::INT64, optional, None));
        assert_eq!(column("input_rate"), (PhysicalType::DOUBLE, required, None));
        assert_eq!(
            column("cycles_per_leaf"),
            (PhysicalType::DOUBLE, optional, None)
        );
    }
}

/// The model, which hangs after so many points.
struct Hangs(AtomicUsize);

impl BackendFactory for Hangs {
    fn names(&self) -> &[&str] {
        LibraryBackends.names()
    }

    fn open(
        &self,
        name: &str,
        options: &BackendOptions,
    ) -> Result<Box<dyn Device + Send>, BackendError> {
        let open = |left: usize| left.checked_sub(1);
        while self
            .0
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, open)
            .is_err()
        {
            thread::sleep(Duration::from_secs(1));
        }
        LibraryBackends.open(name, options)
    }
}

/// The arguments of a sweep in a process of its own, one a line.
const SWEEP_ARGUMENTS: &str = "ACCLMT_TEST_SWEEP";

#[test]
#[ignore = "the process that a_kill_loses_nothing kills"]
fn a_sweep_that_hangs() {
    // Not a test by itself: without arguments the tests are run with all that are ignored.
    let Ok(arguments) = env::var(SWEEP_ARGUMENTS) else {
        return;
    };
    let backends = Hangs(AtomicUsize::new(5));
    let arguments = ["acclmt", "sweep"].into_iter().chain(arguments.lines());
    acclmt::run_with(
        arguments,
        &backends,
        &mut Vec::new(),
        &mut Vec::new(),
        false,
    );
}

#[test]
fn a_kill_loses_nothing() {
    let folder = Folder::new();
    let specification = folder.write("engines.toml", ENGINES);
    let whole = text_of(&folder.path("whole"));
    json(&[&specification, "--backend", "model", "--out", &whole]);
    let killed = text_of(&folder.path("killed"));
    let arguments = [
        &specification,
        "--backend",
        "model",
        "--jobs",
        "2",
        "--out",
        &killed,
    ];
    let mut process = Command::new(env::current_exe().unwrap())
        .args(["--exact", "--ignored", "a_sweep_that_hangs"])
        .env(SWEEP_ARGUMENTS, arguments.join("\n"))
        .spawn()
        .unwrap();
    // All the points that do not hang.
    let path = Path::new(&killed).join("rows.jsonl");
    while fs::read_to_string(&path).map_or(0, |text| text.lines().count()) < 5 {
        assert_eq!(
            process.try_wait().unwrap(),
            None,
            "the sweep ended by itself"
        );
        thread::sleep(Duration::from_millis(20));
    }
    // Meanwhile nobody else writes the rows.
    let again = [arguments.as_slice(), &["--resume"]].concat();
    let (code, _, err) = run(&again);
    assert!(
        code == 1 && err.contains("another sweep is writing it"),
        "{err}"
    );
    process.kill().unwrap();
    process.wait().unwrap();
    // As if the kill had come while a table was written.
    fs::write(Path::new(&killed).join(".acclmt-killed.partial"), "PAR").unwrap();

    let report = json(&again);
    assert_eq!(
        (&report["kept"], &report["measured"]),
        (&5.into(), &11.into())
    );
    let all = rows_as_written(Path::new(&killed));
    let ids: BTreeSet<&str> = all.iter().map(|row| row["id"].as_str().unwrap()).collect();
    assert_eq!(
        (all.len(), ids.len()),
        (16, 16),
        "no point is measured twice"
    );
    assert_eq!(rows(Path::new(&killed)), rows(Path::new(&whole)));
    for table in ["rows.csv", "rows.parquet"] {
        let [killed, whole] =
            [&killed, &whole].map(|folder| fs::read(Path::new(folder).join(table)).unwrap());
        assert!(killed == whole, "{table}");
    }
}

#[test]
fn areas_are_added() {
    let folder = Folder::new();
    let area = folder.write(
        "area.json",
        r#"{"library": "cells", "commit": "0", "engine": {"area_um2": 9.5, "ge": 100}, "modules": {},
            "engines": [{"num_full": 1, "num_partial": 4, "goldilocks": true, "area_um2": 9.5, "ge": 100},
                        {"num_full": 1, "num_partial": 1, "goldilocks": false, "area_um2": 4, "ge": 40}]}"#,
    );
    let specification = folder.write("engines.toml", ENGINES);
    let areas = |folder: &str| {
        let rows = rows(Path::new(folder));
        let known = rows.into_iter().map(|row| {
            let area = [&row["area_um2"], &row["area_ge"], &row["area_library"]].map(Value::clone);
            (row["num_partial"].clone(), area)
        });
        known.collect::<Vec<_>>()
    };
    let expected = |partial: &Value| {
        if partial == 4 {
            [json!(9.5), json!(100.0), json!("cells")]
        } else {
            [const { Value::Null }; 3]
        }
    };
    let with = text_of(&folder.path("with"));
    json(&[
        &specification,
        "--backend",
        "model",
        "--area",
        &area,
        "--out",
        &with,
    ]);
    check_tables(Path::new(&with));
    let found = areas(&with);
    assert_eq!(found.len(), 16);
    assert!(
        found
            .iter()
            .all(|(partial, area)| *area == expected(partial))
    );
    // What was measured before there were areas gets them when it is merged.
    let without = text_of(&folder.path("without"));
    json(&[&specification, "--backend", "model", "--out", &without]);
    assert!(
        areas(&without)
            .iter()
            .all(|(_, area)| area == &expected(&Value::Null))
    );
    let merged = text_of(&folder.path("merged"));
    json(&["merge", &merged, &without, "--area", &area]);
    assert_eq!(rows(Path::new(&merged)), rows(Path::new(&with)));
    // Rows that are kept do not get them silently not.
    let arguments = [
        &specification,
        "--backend",
        "model",
        "--area",
        &area,
        "--out",
        &without,
    ];
    let (code, _, err) = run(&[&arguments[..], &["--resume"]].concat());
    assert_eq!(code, 1);
    assert!(
        err.contains("another area than the file of --area says"),
        "{err}"
    );

    // Nothing is measured with wrong areas.
    let wrong = folder.write("wrong.json", "{\"library\": \"cells\"}");
    let out = folder.path("none");
    let (code, _, err) = run(&[
        &specification,
        "--backend",
        "model",
        "--area",
        &wrong,
        "--out",
        &text_of(&out),
    ]);
    assert_eq!(code, 1);
    assert!(
        err.contains("wrong.json: this is no result of the area flow: missing field `engines`"),
        "{err}"
    );
    assert!(!out.exists());
}

#[test]
fn the_input_rate_bounds_the_leaves() {
    let folder = Folder::new();
    let specification = folder.write(
        "trees.toml",
        "measure = 'tree'\n[axes]\npreset = ['filecoin-arity-2']\nleaves = [256]\n\
         input_rate = ['1/1', '1/16', '1/40', '3/200']",
    );
    json(&[&specification, "--backend", "model"]);
    let rows = rows(&folder.path("trees.sweep"));
    let cycles = |rate: f64| {
        let row = rows.iter().find(|row| row["input_rate"] == rate).unwrap();
        row["cycles"].as_f64().unwrap()
    };
    // Between the first and the last of 512 words are 511 times the cycles of a word. Then comes the way to
    // the root, nine hashes one after the other, which the rate does not change.
    let end = cycles(1.0 / 40.0) - 511.0 * 40.0;
    let other = cycles(0.015) - 511.0 / 0.015;
    assert!((0.0..40_000.0).contains(&end), "{end}");
    assert!((end - other).abs() < 200.0, "{end} {other}");
    assert!(cycles(1.0) < cycles(1.0 / 16.0));
    assert!(cycles(1.0 / 16.0) < cycles(1.0 / 40.0));
}

#[test]
fn rows_in_groups() {
    let folder = Folder::new();
    let specification = folder.write(
        "rows.toml",
        "measure = 'tree'\n[axes]\npreset = ['plonky2']\nleaves = [64]\nleaf = ['row=100']\n\
         row_group = [1, 4, 65536]",
    );
    let report = json(&[&specification, "--backend", "model"]);
    assert_eq!(
        (&report["points"], &report["errors"]),
        (&3.into(), &1.into())
    );
    let rows = rows(&folder.path("rows.sweep"));
    let row = |group: u64| rows.iter().find(|row| row["row_group"] == group).unwrap();
    assert!(row(1)["cycles"].as_u64() > row(4)["cycles"].as_u64());
    let error = row(65_536)["error"].as_str().unwrap();
    assert!(
        error.contains("rows cannot be under way together; 1 to"),
        "{error}"
    );
    // A row of one block has no group.
    let specification = folder.write(
        "short.toml",
        "measure = 'tree'\n[axes]\npreset = ['plonky2']\nleaves = [4]\nleaf = ['row=8', 'row=9']\n\
         row_group = [1]",
    );
    let report = json(&[&specification, "--backend", "model"]);
    assert_eq!(report["errors"], 1);
    let error = report["reasons"][0]["error"].as_str().unwrap();
    assert!(
        error.contains("leaves of one block, such as 'row=8'"),
        "{error}"
    );
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
    check_tables(Path::new(&merged));
    // A folder that has rows is left alone.
    let (code, _, err) = run(&arguments);
    assert!(
        code == 1 && err.contains("has 16 rows; choose another folder"),
        "{err}"
    );
}

#[test]
fn trees_with_stalls_and_small_memories() {
    let folder = Folder::new();
    let specification = folder.write(
        "trees.toml",
        "measure = 'tree'\n[axes]\npreset = ['filecoin-arity-2']\nleaves = [64]\n\
         leaf = ['hash', 'element', 'row=9']\nnode_words = [64]\ninput_stall = [0.0, 0.9]",
    );
    let report = json(&[&specification, "--backend", "model"]);
    assert_eq!(
        (&report["points"], &report["errors"]),
        (&6.into(), &2.into())
    );
    let rows = rows(&folder.path("trees.sweep"));
    let cycles = |leaf: &str, stall: f64| {
        let is_row = |row: &&Value| row["leaf"] == leaf && row["input_stall"] == stall;
        rows.iter().find(is_row).unwrap()["cycles"].as_u64()
    };
    assert!(cycles("hash", 0.9) > cycles("hash", 0.0));
    assert!(cycles("element", 0.0).is_some());
    assert!(cycles("row=9", 0.0).is_none());
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
    for (axes, part) in [
        (
            "arity = [2]\nwidth = [3]",
            "'arity' and 'width' exclude each other",
        ),
        (
            "arity = [2]\npreset = ['plonky2']",
            "a preset has its own arity",
        ),
        ("arity = [4, 1]", "'arity' has the value 1"),
        ("input_rate = ['4/3']", "'4/3' is no rate"),
        ("input_rate = [0]", "'0' is no rate"),
        ("width = []", "an axis without values"),
        ("input_stall = [nan]", "'input_stall' has the value NaN"),
        ("input_stall = [inf]", "'input_stall' has the value inf"),
        ("preset = ['plonky3']", "'preset' has the value plonky3"),
    ] {
        let wrong = folder.write("wrong.toml", &format!("measure = 'tree'\n[axes]\n{axes}"));
        fails(&[&wrong], 1, part);
    }
    assert!(!folder.path("wrong.sweep").exists());
    let wrong = folder.write("wrong.toml", "measure = 'engine'\nhashes = 10000000000000");
    fails(&[&wrong], 1, "hashes = 10000000000000: 1 to 65536 hashes");
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
}

/// Points that cannot be measured are said, each reason once, and a sweep of nothing else fails.
#[test]
fn reasons_are_said() {
    let folder = Folder::new();
    let good = folder.write("good.toml", ENGINES);
    // The software counts no cycles: every point says so.
    let out = text_of(&folder.path("software"));
    let (code, text, err) = run(&[&good, "--backend", "software", "--out", &out]);
    assert_eq!(code, 1, "{text}");
    assert!(
        err.contains("none of 16 points was measured, for 2 reasons"),
        "{err}"
    );
    assert!(text.contains("errors       16 of 16"), "{text}");
    assert!(
        text.contains("          12 the backend 'software' has no hash engine"),
        "{text}"
    );
    let arguments = [
        good.as_str(),
        "--backend",
        "software",
        "--out",
        &out,
        "--resume",
    ];
    let (code, text, _) = run(&[&arguments[..], &["--json"]].concat());
    let report: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((code, &report["errors"]), (1, &16.into()));
    assert_eq!(report["reasons"][1]["points"], 4);
    // A share of a sweep may have no other points.
    let (code, text, err) = run(&[
        &good,
        "--backend",
        "software",
        "--shard",
        "2/3",
        "--out",
        &text_of(&folder.path("share")),
    ]);
    assert_eq!((code, err.as_str()), (0, ""), "{text}");
    assert!(text.contains("errors       5 of 5"), "{text}");
    let merged = text_of(&folder.path("merged"));
    let (code, _, err) = run(&["merge", &merged, &out]);
    assert_eq!(code, 1);
    assert!(err.contains("none of 16 points was measured"), "{err}");

    // Some of them.
    let out = text_of(&folder.path("model"));
    let (code, text, err) = run(&[&good, "--backend", "model", "--out", &out]);
    assert_eq!((code, err.as_str()), (0, ""), "{text}");
    assert!(text.contains("errors       4 of 16"), "{text}");
    assert!(
        text.contains("           4 x^5 is no permutation of goldilocks"),
        "{text}"
    );

    // Too few hashes to fill the engine.
    let few = folder.write("few.toml", &ENGINES.replace("512", "2"));
    let (code, text, err) = run(&[&few, "--backend", "model"]);
    assert_eq!(code, 1);
    assert!(err.contains("none of 16 points was measured"), "{err}");
    assert!(text.contains("2 hashes of 'bls12-381, t = 3"), "{text}");
    assert!(text.contains("show no steady state"), "{text}");
}

/// Every point of the sweeps that are shipped can be measured.
#[test]
fn examples_have_no_errors() {
    let folder = Folder::new();
    for name in ["paper", "trees"] {
        let specification = format!(
            "{}/../../docs/examples/{name}.toml",
            env!("CARGO_MANIFEST_DIR")
        );
        let out = text_of(&folder.path(name));
        let report = json(&[&specification, "--backend", "model", "--out", &out]);
        assert_eq!(report["errors"], 0, "{name}: {}", report["reasons"]);
    }
}

/// Rows with figures that nothing measures are refused wherever rows are read.
#[test]
fn wrong_figures_are_refused() {
    let folder = Folder::new();
    let good = folder.write("good.toml", ENGINES);
    let out = text_of(&folder.path("out"));
    json(&[&good, "--backend", "model", "--out", &out]);
    let path = Path::new(&out).join("rows.jsonl");
    let lines = fs::read_to_string(&path).unwrap();
    let line = lines
        .lines()
        .position(|line| line.contains("\"error\":null"))
        .unwrap();
    for (value, part) in [
        (json!(-3.5), "has cycles_per_hash = -3.5"),
        (json!(0), "has cycles_per_hash = 0"),
    ] {
        let mut rows: Vec<Value> = rows_as_written(Path::new(&out));
        rows[line]["cycles_per_hash"] = value;
        let text: Vec<String> = rows.iter().map(Value::to_string).collect();
        fs::write(&path, text.join("\n") + "\n").unwrap();
        let merged = text_of(&folder.path("merged"));
        for arguments in [
            vec![
                good.as_str(),
                "--backend",
                "model",
                "--out",
                &out,
                "--resume",
            ],
            vec!["merge", &merged, &out],
        ] {
            let (code, _, err) = run(&arguments);
            assert_eq!(code, 1, "{arguments:?}");
            let place = format!("line {}: the point", line + 1);
            assert!(err.contains(part) && err.contains(&place), "{err}");
        }
        assert!(!Path::new(&merged).exists());
    }
    // What JSON has no number for.
    fs::write(
        &path,
        lines.replacen("\"input_stall\":0.0", "\"input_stall\":null", 1),
    )
    .unwrap();
    let (code, _, err) = run(&[&good, "--backend", "model", "--out", &out, "--resume"]);
    assert!(code == 1 && err.contains("line 1: this is no row"), "{err}");
}

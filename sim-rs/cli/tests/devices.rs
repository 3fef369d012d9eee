// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! `acclmt commit` and `acclmt bench tree` on several devices.

use std::fs;
use std::path::PathBuf;

use acclmt::{BackendError, BackendFactory, BackendOptions, LibraryBackends};
use acclmt_driver::device::{
    CommitReport, CommitRequest, Device, DeviceError, EnginePlan, HashReport, LeafSource,
    PermuteReport, Progress, Unsupported,
};
use acclmt_driver::nodes::NodeSink;
use acclmt_driver::software::SoftwareDevice;
use acclmt_model::{Hardware, ModelDevice};
use acclmt_poseidon::fields::AnyParameters;
use acclmt_poseidon::presets;
use acclmt_poseidon::word::{self, Word};
use serde_json::Value;
use tempfile::TempDir;

/// What a run of the command line gave.
#[derive(Debug)]
struct Run {
    code: u8,
    out: String,
    err: String,
}

fn run(arguments: &[&str]) -> Run {
    let mut out = Vec::new();
    let mut err = Vec::new();
    let arguments = ["acclmt"].iter().chain(arguments);
    let code = acclmt::run_with(arguments, &Backends, &mut out, &mut err, false);
    Run {
        code,
        out: String::from_utf8(out).unwrap(),
        err: String::from_utf8(err).unwrap(),
    }
}

/// The JSON and the notes of a run that succeeds.
#[track_caller]
fn json(arguments: &[&str]) -> (Value, String) {
    let run = run(&[arguments, &["--json"]].concat());
    assert_eq!(run.code, 0, "{run:?}");
    (serde_json::from_str(&run.out).unwrap(), run.err)
}

/// A run that fails with `code` and an error of a single line that has `part`.
#[track_caller]
fn fails(arguments: &[&str], code: u8, part: &str) {
    let run = run(arguments);
    assert_eq!((run.code, run.out.as_str()), (code, ""), "{run:?}");
    let is_error = run.err.starts_with("error: ") && run.err.lines().count() == 1;
    assert!(is_error && run.err.contains(part), "no '{part}' in {run:?}");
}

/// Fails when it is to put out its fourth node, those of leaves not counted.
struct Failing(SoftwareDevice);

struct FailingNodes<'a>(&'a mut dyn NodeSink, usize);

impl NodeSink for FailingNodes<'_> {
    fn wants(&self, _level: u32) -> bool {
        true
    }

    fn node(&mut self, level: u32, index: u64, digest: &[Word]) -> Result<(), DeviceError> {
        if level > 0 {
            self.1 += 1;
        }
        if self.1 == 4 {
            return Err(DeviceError::failed("it went up in smoke"));
        }
        match self.0.wants(level) {
            true => self.0.node(level, index, digest),
            false => Ok(()),
        }
    }
}

impl Device for Failing {
    fn name(&self) -> &str {
        "failing"
    }

    fn supports(&self, _parameters: &AnyParameters) -> Result<(), Unsupported> {
        Ok(())
    }

    fn commit(
        &mut self,
        request: &CommitRequest<'_>,
        source: &mut dyn LeafSource,
        nodes: &mut dyn NodeSink,
        progress: &mut dyn Progress,
    ) -> Result<CommitReport, DeviceError> {
        let nodes = &mut FailingNodes(nodes, 0);
        self.0.commit(request, source, nodes, progress)
    }

    fn hash(
        &mut self,
        parameters: &AnyParameters,
        inputs: &[Vec<Word>],
        progress: &mut dyn Progress,
    ) -> Result<HashReport, DeviceError> {
        self.0.hash(parameters, inputs, progress)
    }

    fn permute(
        &mut self,
        parameters: &AnyParameters,
        states: &[Vec<Word>],
        progress: &mut dyn Progress,
    ) -> Result<PermuteReport, DeviceError> {
        self.0.permute(parameters, states, progress)
    }
}

/// A chip that counts its cycles, and fails when it is to build a tree.
struct Broken(ModelDevice);

impl Device for Broken {
    fn name(&self) -> &str {
        "broken"
    }

    fn supports(&self, parameters: &AnyParameters) -> Result<(), Unsupported> {
        self.0.supports(parameters)
    }

    fn engine_plan(&self, parameters: &AnyParameters) -> Result<Option<EnginePlan>, Unsupported> {
        self.0.engine_plan(parameters)
    }

    fn node_memory_bytes(&self) -> Option<u64> {
        self.0.node_memory_bytes()
    }

    fn computes(&self) -> bool {
        self.0.computes()
    }

    fn commit(
        &mut self,
        _request: &CommitRequest<'_>,
        _source: &mut dyn LeafSource,
        _nodes: &mut dyn NodeSink,
        _progress: &mut dyn Progress,
    ) -> Result<CommitReport, DeviceError> {
        Err(DeviceError::failed("it went up in smoke"))
    }

    fn hash(
        &mut self,
        parameters: &AnyParameters,
        inputs: &[Vec<Word>],
        progress: &mut dyn Progress,
    ) -> Result<HashReport, DeviceError> {
        self.0.hash(parameters, inputs, progress)
    }

    fn permute(
        &mut self,
        parameters: &AnyParameters,
        states: &[Vec<Word>],
        progress: &mut dyn Progress,
    ) -> Result<PermuteReport, DeviceError> {
        self.0.permute(parameters, states, progress)
    }
}

/// The backends of the library, those that fail, and chips that are built in another way than the model.
struct Backends;

impl BackendFactory for Backends {
    fn names(&self) -> &[&str] {
        &[
            "software", "model", "failing", "single", "broken", "slow", "roomy",
        ]
    }

    fn at_a_time(&self, name: &str) -> usize {
        match name {
            "single" => 1,
            _ => LibraryBackends.at_a_time(name),
        }
    }

    fn open(
        &self,
        name: &str,
        options: &BackendOptions,
    ) -> Result<Box<dyn Device + Send>, BackendError> {
        let model = |hardware: Hardware| {
            let model = ModelDevice::new(hardware);
            let model = model.map_err(|error| BackendError::new(error.to_string()))?;
            Ok(model.with_results(!options.only_cycles))
        };
        let slow = Hardware {
            num_partial: 2,
            ..Hardware::default()
        };
        let roomy = Hardware {
            node_words: 1024,
            ..Hardware::default()
        };
        match name {
            "failing" => Ok(Box::new(Failing(SoftwareDevice::new()))),
            "broken" => Ok(Box::new(Broken(model(Hardware::default())?))),
            "slow" => Ok(Box::new(model(slow)?)),
            "roomy" => Ok(Box::new(model(roomy)?)),
            _ => LibraryBackends.open(name, options),
        }
    }
}

/// A folder with a file of 1000 elements.
struct Files {
    folder: TempDir,
    elements: String,
}

impl Files {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let words: Vec<Word> = (0..1000).map(word::from_u64).collect();
        let elements = folder.path().join("elements");
        fs::write(&elements, words.concat()).unwrap();
        let elements = elements.to_str().unwrap().to_owned();
        Self { folder, elements }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The arguments of a commitment.
    fn commit<'a>(&'a self, more: &[&'a str]) -> Vec<&'a str> {
        let first = [
            "commit",
            &self.elements,
            "--preset",
            "filecoin-arity-4",
            "--leaf",
            "element",
            "--pad",
            "7",
        ];
        [&first, more].concat()
    }

    /// Names of the files in the folder.
    fn names(&self) -> Vec<String> {
        let names = fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<_> = names
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

#[test]
fn devices_of_one_backend_give_the_tree_of_one_device() {
    let files = Files::new();
    let [one_file, several_file] =
        ["one", "several"].map(|name| files.path(name).to_str().unwrap().to_owned());
    let (one, _) = json(&files.commit(&["--backend", "model", "--tree-out", &one_file]));
    let model = ["--backend", "model", "--devices", "3"];
    let (several, err) =
        json(&files.commit(&[&model[..], &["--tree-out", &several_file]].concat()));
    assert_eq!(err, "");
    assert_eq!(
        (&several["root"], &several["backend"], &several["check"]),
        (&one["root"], &"model".into(), &"ok".into())
    );
    assert_eq!(fs::read(one_file).unwrap(), fs::read(several_file).unwrap());
    // One device did it all.
    assert_eq!(one["devices"].as_array().unwrap().len(), 1);
    let device = &one["devices"][0];
    assert_eq!(
        (
            &device["backend"],
            &device["sub_trees"],
            &device["joined_top"]
        ),
        (&"model".into(), &1.into(), &false.into())
    );
    assert_eq!(
        (&device["cycles"], &device["failed"]),
        (&one["cycles"], &Value::Null)
    );
    // 1000 leaves are four sub-trees of 256.
    let devices = several["devices"].as_array().unwrap();
    assert_eq!(devices.len(), 3);
    let sub_trees = devices.iter().map(|device| &device["sub_trees"]);
    assert_eq!(sub_trees.collect::<Vec<_>>(), [2, 1, 1]);
    let joined = devices.iter().filter(|device| device["joined_top"] == true);
    assert_eq!(joined.count(), 1);
    assert_eq!(devices[0]["joined_top"], true);
    assert_eq!(several["cycles"], devices[0]["cycles"]);

    let (cap, _) = json(&files.commit(&["--cap", "2"]));
    let (several_cap, _) = json(&files.commit(&[&model[..], &["--cap", "2"]].concat()));
    assert_eq!(several_cap["cap"], cap["cap"]);
    let text = run(&files.commit(&model));
    assert!(text.out.contains("\ndevice 2     model, "), "{}", text.out);
    assert!(text.out.contains(" and the top, "), "{}", text.out);
    assert!(text.out.contains(" of the device that took longest"));
    // A single device is as without the option.
    let (single, _) = json(&files.commit(&["--devices", "1"]));
    assert_eq!(single["devices"].as_array().unwrap().len(), 1);
}

#[test]
fn any_mixture_of_backends_is_taken() {
    let files = Files::new();
    let mixture = [
        "--backend",
        "model",
        "--backend",
        "software",
        "--backend",
        "model",
    ];
    let (result, _) = json(&files.commit(&mixture));
    let (one, _) = json(&files.commit(&[]));
    assert_eq!(result["root"], one["root"]);
    assert_eq!(result["backend"], "model + software");
    let devices = result["devices"].as_array().unwrap();
    let names: Vec<_> = devices.iter().map(|device| &device["backend"]).collect();
    assert_eq!(names, ["model", "software", "model"]);
    assert_eq!(devices[1]["cycles"], Value::Null);
}

#[test]
fn a_device_that_fails_is_told_and_no_more() {
    let files = Files::new();
    let tree = files.path("tree").to_str().unwrap().to_owned();
    let (one, _) = json(&files.commit(&["--tree-out", &tree]));
    let expected = fs::read(&tree).unwrap();
    let mixture = [
        "--backend",
        "failing",
        "--backend",
        "software",
        "--tree-out",
        &tree,
    ];
    let (result, err) = json(&files.commit(&mixture));
    assert_eq!(result["root"], one["root"]);
    assert_eq!(fs::read(&tree).unwrap(), expected);
    let failed = result["devices"][0]["failed"].as_str().unwrap();
    assert!(failed.starts_with("leaves ") && failed.ends_with(": it went up in smoke"));
    assert_eq!(result["devices"][1]["failed"], Value::Null);
    assert_eq!(result["devices"][0]["sub_trees"], 0);
    let note = format!("device 0, 'failing', failed, and others went on without it: {failed}");
    assert_eq!(err, format!("note: {note}\n"));
    assert_eq!(result["notes"].as_array().unwrap().last().unwrap(), &note);
    let text = run(&files.commit(&mixture));
    assert_eq!(text.code, 0);
    let line = "\ndevice 0     failing, 0 sub-trees; FAILED: leaves ";
    assert!(text.out.contains(line), "{}", text.out);
    assert!(
        text.out
            .contains("\ndevice 1     software, 16 sub-trees and the top\n")
    );
}

#[test]
fn nothing_is_left_when_all_devices_fail_or_the_input_is_wrong() {
    let files = Files::new();
    let tree = files.path("tree").to_str().unwrap().to_owned();
    let failing = [
        "--backend",
        "failing",
        "--devices",
        "2",
        "--tree-out",
        &tree,
    ];
    fails(
        &files.commit(&failing),
        1,
        "no device is left that works: device 0 (failing), leaves ",
    );
    assert_eq!(files.names(), ["elements"]);

    let mut words: Vec<Word> = (0..1000).map(word::from_u64).collect();
    words[777] = presets::by_name("filecoin-arity-4").unwrap().prime();
    fs::write(&files.elements, words.concat()).unwrap();
    let devices = ["--backend", "model", "--devices", "2", "--tree-out", &tree];
    fails(
        &files.commit(&devices),
        1,
        "elements: element 777 is 0x73eda753299d7d48",
    );
    assert_eq!(files.names(), ["elements"]);
}

#[test]
fn devices_that_make_no_sense_are_refused() {
    let files = Files::new();
    let refused = |more: &[&str], part| fails(&files.commit(more), 2, part);
    for count in ["0", "65"] {
        let run = run(&files.commit(&["--backend", "model", "--devices", count]));
        assert_eq!(run.code, 2, "{run:?}");
        assert!(run.err.contains("1..=64"), "{run:?}");
    }
    let many: Vec<&str> = [["--backend", "model"]; 65].concat();
    refused(&many, "65 devices, more than the 64");
    refused(&["--devices", "2"], "'software' computes on all processors");
    refused(
        &[
            "--backend",
            "software",
            "--backend",
            "model",
            "--backend",
            "software",
        ],
        "'software' computes on all processors",
    );
    refused(
        &[
            "--backend",
            "model",
            "--backend",
            "software",
            "--devices",
            "2",
        ],
        "--devices is for one backend",
    );
    refused(
        &["--backend", "single", "--devices", "2"],
        "2 devices of the backend 'single' do not work at the same time here; take 1",
    );
    refused(
        &["--backend", "model", "--backend", "nosuch"],
        "unknown backend 'nosuch'",
    );
    refused(
        &[
            "--backend",
            "model",
            "--devices",
            "2",
            "--waves",
            "waves.fst",
        ],
        "--waves writes the waveform of one chip",
    );
    // The same chip, however its path is written.
    let socket = files.path("elements").to_str().unwrap().to_owned();
    let other = files.path("./elements").to_str().unwrap().to_owned();
    let [socket, other] = [socket, other].map(|path| format!("socket:{path}"));
    refused(&["--backend", &socket, "--devices", "2"], "is one chip");
    refused(&["--backend", &socket, "--backend", &other], "is one chip");
    refused(
        &[
            "--backend",
            "uio:/dev/uio9,/dev/udmabuf0",
            "--backend",
            "uio:/dev/uio9",
        ],
        "is one chip",
    );
    assert_eq!(files.names(), ["elements"]);
}

// ---- acclmt bench tree -----------------------------------------------------------------------------

/// The rows of `acclmt bench tree`.
#[track_caller]
fn bench(arguments: &[&str]) -> Vec<Value> {
    let run = run(&[&["bench", "tree", "--json"], arguments].concat());
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{run:?}");
    let lines = run.out.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn a_tree_is_measured_on_several_devices() {
    let trees = ["--backend", "model", "--leaves", "4096", "65536"];
    let cycles = |devices: &str| {
        let rows = bench(&[&trees[..], &["--devices", devices]].concat());
        for row in &rows {
            assert_eq!(row["devices"].to_string(), devices);
            assert_eq!(row["backend"], "model");
            let cycles = row["cycles"].as_f64().unwrap();
            assert_eq!(row["milliseconds_at_500_mhz"], cycles / 500e3);
            let leaves = row["leaves"].as_f64().unwrap();
            assert_eq!(row["cycles_per_leaf"], cycles / leaves);
        }
        rows.iter()
            .map(|row| row["cycles"].as_u64().unwrap())
            .collect::<Vec<_>>()
    };
    assert_eq!(cycles("1"), [92_232, 903_056]);
    assert_eq!(cycles("2"), [65_597, 522_214]);
    assert_eq!(cycles("4"), [52_084, 306_055]);

    // Those of a commitment, which computes.
    let folder = tempfile::tempdir().unwrap();
    let elements = folder.path().join("elements");
    let words: Vec<Word> = (0..2 * 4096).map(word::from_u64).collect();
    fs::write(&elements, words.concat()).unwrap();
    let four = ["--backend", "model", "--devices", "4"];
    let commit = [
        "commit",
        elements.to_str().unwrap(),
        "--preset",
        "filecoin-arity-2",
    ];
    let (commitment, _) = json(&[&commit[..], &four].concat());
    let row = &bench(&[&four[..], &["--leaves", "4096"]].concat())[0];
    for figure in ["cycles", "counters"] {
        assert_eq!(row[figure], commitment[figure], "{figure}");
    }
    // A hash occupies the busiest sub-engine for 13 cycles. The path has two sub-trees of eight, and the top.
    let hashes = &row["counters"]["leaf"]["hashes"];
    assert_eq!(hashes, 1024);
    assert_eq!(row["lhe_utilisation"], 1024.0 * 13.0 / 52_084.0);
    // There is no window that would be that of all devices, and the paper has one.
    assert_eq!(
        (&row["steady"], &row["paper_milliseconds"]),
        (&Value::Null, &Value::Null)
    );

    // Rows of Goldilocks elements, and a single group of siblings, which one device has.
    let rows = ["--preset", "plonky2", "--leaf", "row=100"];
    let row = &bench(&[&four[..], &rows, &["--leaves", "256"]].concat())[0];
    assert_eq!(
        (&row["devices"], &row["cycles"]),
        (&4.into(), &30_001.into())
    );
    let group = &bench(&[&four[..], &["--leaves", "2"]].concat())[0];
    assert_eq!(group["cycles"], 6035);
    assert_eq!(group["counters"]["leaf"]["hashes"], 2);
}

#[test]
fn the_table_of_trees_says_how_many_devices() {
    let tree = ["bench", "tree", "--backend", "model", "--leaves", "4096"];
    let one = run(&tree);
    assert_eq!((one.code, one.err.as_str()), (0, ""), "{one:?}");
    assert!(one.out.contains("    4096        1       92232"), "{one:?}");
    assert!(one.out.contains("The paper's averages") && one.out.contains(" 0.91 "));
    let four = run(&[&tree[..], &["--devices", "4"]].concat());
    assert_eq!((four.code, four.err.as_str()), (0, ""), "{four:?}");
    assert!(
        four.out.contains("    4096        4       52084"),
        "{four:?}"
    );
    assert!(four.out.contains("of the device whose sub-trees"));
    assert!(!four.out.contains("The paper's averages") && !four.out.contains(" 0.91 "));
}

#[test]
fn devices_that_cannot_be_measured_together_are_refused() {
    let refused = |code, arguments: &[&str], part: &str| {
        let tree = ["bench", "tree", "--leaves", "64"];
        fails(&[&tree[..], arguments].concat(), code, part);
    };
    let both = |name| ["--backend", "model", "--backend", name];
    refused(
        2,
        &["--backend", "software", "--devices", "2"],
        "'software' computes on all processors",
    );
    refused(
        2,
        &["--backend", "single", "--devices", "2"],
        "2 devices of the backend 'single'",
    );
    refused(
        2,
        &[&both("slow")[..], &["--devices", "2"]].concat(),
        "--devices is for one backend",
    );
    refused(
        1,
        &both("software"),
        "the backend 'software' has no hash engine",
    );
    refused(
        1,
        &both("slow"),
        "'model' and 'slow' are not built alike: a hash of 'filecoin-arity-2' takes 1 + 4 sub-engines with 13 cycles \
         and 1 + 2 sub-engines with ",
    );
    refused(
        1,
        &both("roomy"),
        "'model' and 'roomy' are not built alike: their node memories differ",
    );
    // Others do its part, and would be measured.
    let run = run(&[
        &["bench", "tree", "--json", "--leaves", "64"],
        &both("broken")[..],
    ]
    .concat());
    assert_eq!((run.code, run.out.as_str()), (1, ""), "{run:?}");
    assert_eq!(
        run.err,
        "error: device 1, 'broken', failed, so 64 leaves of 'filecoin-arity-2' were not measured on all devices: \
         leaves 32 to 63: it went up in smoke\n"
    );
}

// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! `acclmt commit` on several devices.

use std::fs;
use std::path::PathBuf;

use acclmt::{BackendError, BackendFactory, BackendOptions, LibraryBackends};
use acclmt_driver::device::{
    CommitReport, CommitRequest, Device, DeviceError, HashReport, LeafSource, PermuteReport,
    Progress, Unsupported,
};
use acclmt_driver::nodes::NodeSink;
use acclmt_driver::software::SoftwareDevice;
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

/// The backends of the library, and one that fails.
struct Backends;

impl BackendFactory for Backends {
    fn names(&self) -> &[&str] {
        &["software", "model", "failing", "single"]
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
        match name {
            "failing" => Ok(Box::new(Failing(SoftwareDevice::new()))),
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

//! `acclmt soak`: what it counts, keeps, finds and repeats.

use std::fs;
use std::path::Path;

use acclmt::{BackendError, BackendFactory, BackendOptions, LibraryBackends};
use acclmt_driver::device::{
    CommitReport, CommitRequest, Device, DeviceError, HashReport, LeafSource, PermuteReport,
    Progress, Unsupported,
};
use acclmt_driver::nodes::NodeSink;
use acclmt_poseidon::fields::AnyParameters;
use acclmt_poseidon::word::Word;
use serde_json::Value;
use tempfile::TempDir;

struct Run {
    code: u8,
    out: String,
    err: String,
}

fn run(backends: &dyn BackendFactory, arguments: &[&str]) -> Run {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let arguments = ["acclmt", "soak"].iter().chain(arguments);
    let code = acclmt::run_with(arguments, backends, &mut out, &mut err, false);
    Run {
        code,
        out: String::from_utf8(out).unwrap(),
        err: String::from_utf8(err).unwrap(),
    }
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// The model, whose permutations of wide states are wrong.
struct Faulty(Box<dyn Device + Send>);

/// Elements of a state that is wrong.
const WIDE: usize = 5;

impl Device for Faulty {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn supports(&self, parameters: &AnyParameters) -> Result<(), Unsupported> {
        self.0.supports(parameters)
    }

    fn commit(
        &mut self,
        request: &CommitRequest<'_>,
        source: &mut dyn LeafSource,
        nodes: &mut dyn NodeSink,
        progress: &mut dyn Progress,
    ) -> Result<CommitReport, DeviceError> {
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
        let mut report = self.0.permute(parameters, states, progress)?;
        if parameters.width() >= WIDE && states.len() >= 2 {
            report.states[1][0][0] ^= 1;
        }
        Ok(report)
    }
}

struct FaultyBackends;

impl BackendFactory for FaultyBackends {
    fn names(&self) -> &[&str] {
        LibraryBackends.names()
    }

    fn open(
        &self,
        name: &str,
        options: &BackendOptions,
    ) -> Result<Box<dyn Device + Send>, BackendError> {
        Ok(Box::new(Faulty(LibraryBackends.open(name, options)?)))
    }
}

#[test]
fn cases_are_counted_and_one_of_a_kind_is_kept() {
    let folder = TempDir::new().unwrap();
    let corpus = folder.path().join("corpus");
    let path = corpus.to_str().unwrap();
    let soak = |cases: &str, seed: &str| {
        let arguments = [
            "--backend",
            "model",
            "--cases",
            cases,
            "--seed",
            seed,
            "--corpus",
            path,
            "--json",
        ];
        let run = run(&LibraryBackends, &arguments);
        assert_eq!((run.code, run.err.as_str()), (0, ""));
        serde_json::from_str::<Value>(&run.out).unwrap()
    };
    let first = soak("60", "1");
    assert_eq!(
        (first["cases"].as_u64(), first["next_seed"].as_u64()),
        (Some(60), Some(61))
    );
    assert!(first["hashes"].as_u64().unwrap() > 100 && first["cycles"].as_u64().unwrap() > 1000);
    assert!(first["refused"].as_u64().unwrap() < 40);
    let kept = names(&corpus);
    assert!(
        kept.len() > 5 && kept.iter().all(|name| name.starts_with("kept-")),
        "{kept:?}"
    );
    // A later run begins with what is kept, and goes on from its seed.
    let second = soak("3", "61");
    assert_eq!(second["cases"].as_u64(), Some(3 + kept.len() as u64));
    assert_eq!(second["next_seed"].as_u64(), Some(64));
}

#[test]
fn a_fault_is_made_small_and_repeated() {
    let folder = TempDir::new().unwrap();
    let corpus = folder.path().to_str().unwrap();
    let arguments = [
        "--backend",
        "model",
        "--cases",
        "60",
        "--corpus",
        corpus,
        "--json",
    ];
    let found = run(&FaultyBackends, &arguments);
    assert_eq!(found.code, 1);
    let report: Value = serde_json::from_str(&found.out).unwrap();
    let failed = report["failed"].as_array().unwrap();
    assert!(
        found
            .err
            .contains(&format!("error: {} of 60 cases failed", failed.len())),
        "{}",
        found.err
    );
    assert!(!failed.is_empty());
    for failure in failed {
        let file = failure["file"].as_str().unwrap();
        assert!(
            found
                .err
                .contains(&format!("acclmt soak --backend model --replay {file}"))
        );
        assert!(
            failure["fault"]
                .as_str()
                .unwrap()
                .starts_with("result 1 is 0x"),
            "{failure}"
        );
        let case: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
        assert_eq!(
            (&case["work"]["permutations"], &case["before"]),
            (&2.into(), &"nothing".into()),
            "{case}"
        );
        if let Some(set) = case["set"].get("random") {
            assert_eq!(
                (&set["width"], &set["partial_rounds"]),
                (&WIDE.into(), &0.into()),
                "{case}"
            );
        }
        let again = run(&FaultyBackends, &["--backend", "model", "--replay", file]);
        assert_eq!(again.code, 1);
        assert!(again.err.contains("result 1 is 0x"), "{}", again.err);
        let right = run(&LibraryBackends, &["--backend", "model", "--replay", file]);
        assert_eq!((right.code, right.err.as_str()), (0, ""));
        assert!(right.out.starts_with("right: 2 hashes, "), "{}", right.out);
    }
}

#[test]
fn a_case_that_never_ended_comes_first() {
    let folder = TempDir::new().unwrap();
    let corpus = folder.path().to_str().unwrap();
    let arguments = ["--backend", "model", "--cases", "1", "--corpus", corpus];
    assert_eq!(run(&LibraryBackends, &arguments).code, 0);
    let kept = names(folder.path());
    fs::rename(
        folder.path().join(&kept[0]),
        folder.path().join("running-0.json"),
    )
    .unwrap();
    let again = run(&LibraryBackends, &arguments);
    assert_eq!(again.code, 0, "{}", again.err);
    assert!(
        again.err.contains("never ended: running-0.json"),
        "{}",
        again.err
    );
    assert!(again.out.contains("2 cases"), "{}", again.out);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("case.json");
    fs::write(&file, "{\"seed\": 1}").unwrap();
    let file = file.to_str().unwrap();
    for (arguments, code, message) in [
        (vec!["--backend", "software"], 2, "is the reference itself"),
        (vec!["--hours", "0"], 2, "--hours 0 is not above 0"),
        (vec!["--hours", "nan"], 2, "--hours NaN is not above 0"),
        (vec!["--cases", "0"], 2, "--cases and --jobs are at least 1"),
        (
            vec!["--replay", file, "--cases", "2"],
            2,
            "cannot be used with",
        ),
        (vec!["--replay", file, "--json"], 2, "cannot be used with"),
        (
            vec!["--replay", file],
            1,
            "case.json is no case of a soak: missing field",
        ),
    ] {
        let backend = if arguments.contains(&"--backend") {
            vec![]
        } else {
            vec!["--backend", "model"]
        };
        let run = run(&LibraryBackends, &[backend, arguments].concat());
        assert_eq!(run.code, code, "{}", run.err);
        assert!(
            run.err.contains(message) && run.out.is_empty(),
            "{}",
            run.err
        );
    }
}

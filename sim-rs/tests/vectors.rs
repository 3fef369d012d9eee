//! Runs the vectors of `sim-rs/vectors` with the software device.

use std::fs;
use std::path::{Path, PathBuf};

use acclmt::software::SoftwareDevice;
use acclmt::vectors::{Outcome, VectorFile, generate_element, run_case};
use acclmt::word;
use serde_json::{Value, json};

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors")
}

fn read(name: &str) -> Value {
    serde_json::from_str(&fs::read_to_string(directory().join(name)).unwrap()).unwrap()
}

/// Loads `file` from a temporary file, under a name that says nothing.
fn load(file: &Value) -> Result<VectorFile, String> {
    load_text(&file.to_string())
}

fn load_text(text: &str) -> Result<VectorFile, String> {
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(&file, text).unwrap();
    VectorFile::load(file.path()).map_err(|error| error.to_string())
}

fn outcomes(file: &VectorFile) -> Vec<Outcome> {
    let mut device = SoftwareDevice::new();
    file.cases
        .iter()
        .map(|case| run_case(&mut device, case))
        .collect()
}

fn only_skipped(file: &Value, reason: &str) {
    let file = load(file).unwrap();
    for outcome in outcomes(&file) {
        match outcome {
            Outcome::Skipped { reason: given } if given.contains(reason) => {}
            outcome => panic!("{outcome:?}, expected to be skipped: {reason}"),
        }
    }
}

fn refused(file: &Value, problem: &str) {
    let message = load(file).unwrap_err();
    assert!(message.contains(problem), "{message}\nexpected: {problem}");
}

#[test]
fn all_vectors_pass() {
    let mut files = 0;
    let mut cases = 0;
    for entry in fs::read_dir(directory()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let file = VectorFile::load(&path).unwrap();
        assert_eq!(file.source, "neptune 13.0.0");
        let mut device = SoftwareDevice::new();
        for case in &file.cases {
            let outcome = run_case(&mut device, case);
            assert_eq!(
                outcome,
                Outcome::Passed,
                "{}: {}",
                path.display(),
                case.name
            );
            cases += 1;
        }
        files += 1;
    }
    assert_eq!((files, cases), (13, CASES));
}

/// Cases in all files together.
const CASES: usize = 108;

#[test]
fn a_wrong_output_fails() {
    let mut file = read("neptune_bls12_381_arity8.json");
    let digest = file["cases"][3]["output"].clone();
    for case in file["cases"].as_array_mut().unwrap() {
        case["output"] = json!(word::to_hex(&word::from_u64(1)));
    }
    let outcomes = outcomes(&load(&file).unwrap());
    assert!(
        outcomes
            .iter()
            .all(|outcome| matches!(outcome, Outcome::Failed { .. }))
    );
    assert_eq!(
        outcomes[3],
        Outcome::Failed {
            expected: word::to_hex(&word::from_u64(1)),
            got: digest.as_str().unwrap().to_owned(),
        }
    );
}

#[test]
fn a_wrong_input_or_tag_fails() {
    let file = read("neptune_bls12_381_domain_tags.json");
    for index in 0..file["cases"].as_array().unwrap().len() {
        for place in ["/inputs/0", "/domain_tag"] {
            let mut file = file.clone();
            *file["cases"][index].pointer_mut(place).unwrap() = json!("0x77");
            let outcome = &outcomes(&load(&file).unwrap())[index];
            assert!(
                matches!(outcome, Outcome::Failed { .. }),
                "{place} {outcome:?}"
            );
        }
    }
}

/// Every element of a tree's record is checked.
#[test]
fn a_wrong_element_of_a_tree_fails() {
    for name in ["merkle_arity2", "merkle_arity4", "merkle_arity11"] {
        let mut file = read(&format!("neptune_bls12_381_{name}.json"));
        let cases = file["cases"].as_array_mut().unwrap();
        cases.truncate(2);
        let height = cases[1]["height"].as_u64().unwrap();
        file["case_count"] = json!(2);
        for (place, expected) in [
            ("/root", "0x77"),
            (
                &format!("/layers/{height}/0"),
                &format!("layers[{height}][0]"),
            ),
            ("/layers/0/1", "layers[0][1]"),
            ("/paths/1/leaf", "proves leaf"),
            ("/paths/1/siblings/0/0", "siblings of leaf"),
        ] {
            let mut file = file.clone();
            *file["cases"][1].pointer_mut(place).unwrap() = json!(if place == "/root" {
                format!("0x{:0>64}", 77)
            } else {
                "0x77".to_owned()
            });
            let outcomes = outcomes(&load(&file).unwrap());
            assert_eq!(outcomes[0], Outcome::Passed);
            let expected = if place == "/root" { "77" } else { expected };
            match &outcomes[1] {
                Outcome::Failed {
                    expected: given, ..
                } if given.contains(expected) => {}
                outcome => panic!("{name} {place}: {outcome:?}"),
            }
        }
        for (place, value, expected) in [
            (
                "/paths/1/index",
                json!(1_u64 << 40),
                "of leaf 1099511627776",
            ),
            ("/layers", json!([]), "layers of lengths"),
            ("/paths/0/siblings", json!([]), "siblings of leaf"),
        ] {
            let mut file = file.clone();
            *file["cases"][1].pointer_mut(place).unwrap() = value;
            match &outcomes(&load(&file).unwrap())[1] {
                Outcome::Failed {
                    expected: given, ..
                } if given.contains(expected) => {}
                outcome => panic!("{name} {place}: {outcome:?}"),
            }
        }
    }
}

#[test]
fn large_trees_come_from_their_seed() {
    let mut file = read("neptune_bls12_381_merkle_arity2.json");
    let seed = "any text: 1";
    let leaves: Vec<String> = (0..1 << 13)
        .map(|index| word::to_hex(&generate_element(seed, index)))
        .collect();
    let case = |leaves_given: bool, root: &str| {
        let mut case = json!({
            "name": "large", "leaf_count": 1 << 13, "leaves_gen": "sha512", "seed": seed,
            "root": root,
        });
        if leaves_given {
            case["leaves"] = json!(leaves);
        }
        case
    };
    file["case_count"] = json!(2);
    file["cases"] = json!([case(false, "0x0"), case(true, "0x0")]);
    let roots: Vec<String> = outcomes(&load(&file).unwrap())
        .into_iter()
        .map(|outcome| match outcome {
            Outcome::Failed { got, .. } => got,
            outcome => panic!("{outcome:?}"),
        })
        .collect();
    assert_eq!(roots[0], roots[1]);
    file["cases"] = json!([case(false, &roots[0]), case(true, &roots[0])]);
    assert_eq!(
        outcomes(&load(&file).unwrap()),
        [Outcome::Passed, Outcome::Passed]
    );
}

#[test]
fn elements_are_generated_as_the_format_says() {
    let file = read("neptune_bls12_381_merkle_arity2.json");
    let case = &file["cases"][1];
    let seed = case["seed"].as_str().unwrap();
    for (index, leaf) in case["leaves"].as_array().unwrap().iter().enumerate() {
        assert_eq!(
            word::to_hex(&generate_element(seed, index)),
            leaf.as_str().unwrap()
        );
    }
}

#[test]
fn other_parameters_are_skipped() {
    let file = read("neptune_bls12_381_arity2.json");
    for (key, value, reason) in [
        (
            "p",
            json!(format!("0x{:0>64}", 7)),
            "fields with the prime 0x0",
        ),
        ("p", json!("7"), "fields with the prime 7"),
        ("t", json!(4), "no parameter set is known"),
        ("t", json!(1), "state width is 1"),
        ("t", json!(37), "state width is 37"),
        ("arity", json!(3), "the arity"),
        ("alpha", json!(7), "alpha 7"),
        ("rf", json!(6), "no parameter set is known"),
        ("rp", json!(54), "no parameter set is known"),
        ("capacity_index", json!(2), "the capacity at index 2"),
        ("output_index", json!(0), "the output at index 0"),
        (
            "partial_sbox_index",
            json!(2),
            "the partial S-box on element 2",
        ),
        ("round_order", json!("SBOX,MDS,ARC"), "the order of a round"),
        ("rc_first", json!("0x1"), "the first round constant 0x1"),
        ("rc_last", json!("0x1"), "the last round constant 0x1"),
        ("rc_count", json!(188), "round constants"),
        ("mds_0_0", json!("0x1"), "the MDS matrix entry 0x1"),
        ("mds", json!([["0x1"]]), "this MDS matrix"),
        ("rc_first", json!(null), "not described in full"),
    ] {
        let mut file = file.clone();
        file["params"][key] = value;
        only_skipped(&file, reason);
    }
    let mut without = file.clone();
    without["params"].as_object_mut().unwrap().remove("rc_last");
    only_skipped(&without, "missing field `rc_last`");
    let mut without = file.clone();
    without.as_object_mut().unwrap().remove("params");
    only_skipped(&without, "gives no parameters");
    let mut sponge = file;
    sponge["kind"] = json!("sponge");
    only_skipped(&sponge, "the kind 'sponge'");
}

#[test]
fn the_tag_of_the_parameters_counts() {
    let mut file = read("neptune_bls12_381_arity2.json");
    file["params"]["domain_tag"] = json!("0x4");
    let outcomes = outcomes(&load(&file).unwrap());
    assert!(
        outcomes
            .iter()
            .all(|outcome| matches!(outcome, Outcome::Failed { .. }))
    );
}

#[test]
fn malformed_files_are_refused_with_the_place() {
    let hashes = read("neptune_bls12_381_arity2.json");
    for (place, value, problem) in [
        (
            "/schema",
            json!("poseidon-vectors/2"),
            "its schema is 'poseidon-vectors/2'",
        ),
        ("/case_count", json!(7), "announces 7 cases"),
        ("/cases", json!([]), "has no cases"),
        (
            "/cases/2/inputs/1",
            json!("12"),
            "case 'random_0': inputs[1]: '12'",
        ),
        (
            "/cases/2/inputs/1",
            json!(12),
            "case 'random_0': invalid type",
        ),
        (
            "/cases/2/inputs",
            json!(["0x1"]),
            "case 'random_0': it has 1 inputs, expected 2",
        ),
        (
            "/cases/2/output",
            json!(format!("0x{:f>64}", "f")),
            "output: 0xf",
        ),
        (
            "/cases/2/output",
            json!(null),
            "case 'random_0': invalid type: null",
        ),
    ] {
        let mut file = hashes.clone();
        *file.pointer_mut(place).unwrap() = value;
        refused(&file, problem);
    }
    let trees = read("neptune_bls12_381_merkle_arity4.json");
    for (place, value, problem) in [
        (
            "/cases/0/arity",
            json!(2),
            "its arity is 2, that of the parameters 4",
        ),
        ("/cases/0/height", json!(2), "which is not 4^2"),
        (
            "/cases/0/leaf_count",
            json!(5),
            "5 leaves do not fill a tree of arity 4",
        ),
        ("/cases/0/leaf_count", json!(0), "0 leaves, expected 1 to"),
        ("/cases/0/leaf_count", json!(1_u64 << 40), "expected 1 to"),
        (
            "/cases/0/leaves/1",
            json!("0x5"),
            "not those that its generator gives",
        ),
        (
            "/cases/0/leaves",
            json!(["0x5"]),
            "announces 4 leaves and has 1",
        ),
        ("/cases/0/layers/1/0", json!("0xg"), "layers[1][0]: '0xg'"),
        (
            "/cases/0/paths/1/siblings/0/2",
            json!("0x"),
            "paths[1].siblings[0][2]: '0x'",
        ),
    ] {
        let mut file = trees.clone();
        *file.pointer_mut(place).unwrap() = value;
        refused(&file, problem);
    }
    let mut unseeded = trees.clone();
    unseeded["cases"][1].as_object_mut().unwrap().remove("seed");
    refused(&unseeded, "without a seed");
    for (text, problem) in [
        ("", "EOF"),
        ("{", "EOF"),
        ("[]", "names no schema"),
        (r#"{"schema": "poseidon-vectors/1"}"#, "missing field"),
    ] {
        let message = load_text(text).unwrap_err();
        assert!(message.contains(problem), "{message}");
    }
    let missing = VectorFile::load(&directory().join("none.json"))
        .unwrap_err()
        .to_string();
    assert!(
        missing.starts_with("cannot read") && missing.contains("none.json"),
        "{missing}"
    );
}

#[test]
fn a_tree_whose_leaves_are_not_known_is_skipped() {
    let mut file = read("neptune_bls12_381_merkle_arity4.json");
    for case in file["cases"].as_array_mut().unwrap() {
        case["leaves_gen"] = json!("other");
        case.as_object_mut().unwrap().remove("leaves");
    }
    only_skipped(&file, "the generator \"other\" is not known");
}

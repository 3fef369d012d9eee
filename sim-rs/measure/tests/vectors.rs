//! Runs the vectors of `sim-rs/vectors` with the software device.

use std::path::{Path, PathBuf};
use std::{fs, io};

use acclmt_driver::chip::ChipDevice;
use acclmt_driver::chip::fake::{BUILD, FakeChip, Fault};
use acclmt_driver::program::EngineLimits;
use acclmt_driver::software::SoftwareDevice;
use acclmt_measure::vectors::{Outcome, VectorFile, generate_element, run_case, run_cases};
use acclmt_poseidon::fields::{FieldId, Goldilocks, PoseidonField};
use acclmt_poseidon::params::PoseidonParameters;
use acclmt_poseidon::{presets, word};
use rayon::prelude::*;
use serde_json::{Value, json};

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../vectors")
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
    run_cases(&mut SoftwareDevice::new(), &file.cases)
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

/// The names of all files.
fn names() -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(directory())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".json"))
        .collect();
    names.sort();
    names
}

/// Circom's hash of 12 inputs is too wide.
fn is_too_wide(name: &str) -> bool {
    name.starts_with("n12_")
}

#[test]
fn all_vectors_pass() {
    let mut passed = 0;
    for name in names() {
        let file = VectorFile::load(&directory().join(&name)).unwrap();
        for (case, outcome) in file.cases.iter().zip(outcomes(&file)) {
            match outcome {
                Outcome::Skipped { reason } if is_too_wide(&case.name) => {
                    assert!(reason.contains("state width is 13"), "{reason}");
                }
                outcome => {
                    assert_eq!(outcome, Outcome::Passed, "{name}: {}", case.name);
                    passed += 1;
                }
            }
        }
    }
    assert_eq!((names().len(), passed), (89, CASES));
}

/// Cases in all files together, without those that are too wide.
const CASES: usize = 1393;

/// Cases do not depend on those before them.
#[test]
fn cases_alone_have_the_same_outcome() {
    for name in [
        "dusk_poseidon_hash",
        "starknet_poseidon3",
        "plonky2_goldilocks_hash_no_pad",
    ] {
        let file = VectorFile::load(&directory().join(format!("{name}.json"))).unwrap();
        for case in &file.cases {
            let outcome = run_case(&mut SoftwareDevice::new(), case);
            assert_eq!(outcome, Outcome::Passed, "{name}: {}", case.name);
        }
    }
}

/// The round constants, with those of partial rounds that no S-box takes added behind the matrix of the round.
fn late_constants(set: &PoseidonParameters<Goldilocks>) -> Vec<Vec<Goldilocks>> {
    let zero = Goldilocks::from(0);
    let mut constants = set.round_constants().to_vec();
    let first = set.full_rounds_first();
    for round in first..first + set.partial_rounds() {
        let taken = vec![zero; set.width()];
        let mut rest = std::mem::replace(&mut constants[round], taken);
        constants[round][0] = std::mem::replace(&mut rest[0], zero);
        for (sum, row) in constants[round + 1].iter_mut().zip(set.partial_matrix()) {
            *sum += row
                .iter()
                .zip(&rest)
                .map(|(&entry, &constant)| entry * constant)
                .sum::<Goldilocks>();
        }
    }
    constants
}

/// All constants and matrices of presets over Goldilocks are those of the tables of files. The files of Plonky3's and
/// HorizenLabs' Poseidon at t = 12 are recognised as presets, which compares the same.
#[test]
fn presets_have_the_tables_of_the_files() {
    for (file, preset, in_number, widths) in [
        (
            "plonky3_goldilocks_poseidon1",
            "plonky3-poseidon-goldilocks",
            1,
            &[8][..],
        ),
        (
            "plonky3_goldilocks_poseidon2",
            "plonky3-poseidon2-goldilocks",
            1,
            &[8, 12, 16],
        ),
        (
            "zisk_goldilocks_poseidon1",
            "zisk-poseidon-arity",
            4,
            &[12, 16],
        ),
        (
            "zkhash_goldilocks_poseidon1",
            "horizenlabs-poseidon-goldilocks",
            1,
            &[8, 16],
        ),
        (
            "zkhash_goldilocks_poseidon2",
            "horizenlabs-poseidon2-goldilocks",
            1,
            &[8, 12, 16],
        ),
        (
            "zkhash_goldilocks_poseidon2",
            "zisk-poseidon2-arity",
            4,
            &[8, 12, 16],
        ),
    ] {
        // Zisk's files have other constants in partial rounds than the generators give.
        let constants = match file {
            "zisk_goldilocks_poseidon1" => late_constants,
            _ => |set: &PoseidonParameters<_>| set.round_constants().to_vec(),
        };
        for width in widths {
            let vectors = VectorFile::load(&directory().join(format!("{file}_t{width}.json")));
            let vectors = vectors.unwrap();
            let work = vectors.cases[0].work();
            let given = Goldilocks::of(work[0].parameters).unwrap();
            let name = format!("{preset}-{}", width / in_number);
            // The preset would be compared with itself.
            assert_ne!(given.name(), name);
            let preset = presets::over::<Goldilocks>(&name).unwrap();
            assert_eq!(constants(preset), constants(given), "{name}");
            assert_eq!(preset.mds(), given.mds(), "{name}");
            assert_eq!(preset.partial_matrix(), given.partial_matrix(), "{name}");
            assert_eq!(preset.first_layer(), given.first_layer(), "{name}");
        }
    }
}

/// The text of the first field element in `value`.
fn first_element(value: &mut Value) -> Option<&mut Value> {
    match value {
        Value::String(text) if text.starts_with("0x") => Some(value),
        Value::Array(values) => values.iter_mut().find_map(first_element),
        _ => None,
    }
}

/// Another element; the primes are odd and more than 1.
fn change(value: &mut Value) {
    let zero = word::from_u64(0);
    let text = value.as_str().unwrap();
    let other = u64::from(word::from_hex(text).unwrap() == zero);
    *value = json!(word::to_hex(&word::from_u64(other)));
}

/// Every case of every file fails when any of its parts is another.
#[test]
fn a_wrong_part_of_a_case_fails() {
    for name in names() {
        let file = read(&name);
        for key in [
            "output",
            "root",
            "inputs",
            "state0",
            "left",
            "right",
            "leaves",
            "rows",
            "hash_pad",
            "hash_or_noop",
            "column_hash",
            "column_base_roots",
            "column_sub_roots",
            "column_root",
            "leaf_base_roots",
            "leaf_sub_roots",
            "leaf_root",
            "comm_r",
            "domain",
        ] {
            let mut file = file.clone();
            let mut changed = Vec::new();
            for case in file["cases"].as_array_mut().unwrap() {
                let is_ours = !is_too_wide(case["name"].as_str().unwrap());
                let element = case.get_mut(key).and_then(first_element);
                changed.push(is_ours && element.is_some());
                if let Some(element) = element {
                    change(element);
                }
                // Leaves that are given are compared with those generated.
                if ["leaves", "rows"].contains(&key) {
                    case["leaves_gen"] = Value::Null;
                    case["rows_gen"] = Value::Null;
                }
            }
            // Without its leaves a tree cannot be checked.
            if changed.iter().all(|changed| !changed) {
                continue;
            }
            let loaded = load(&file).unwrap();
            for ((outcome, case), changed) in
                outcomes(&loaded).iter().zip(&loaded.cases).zip(changed)
            {
                let is_failure = matches!(outcome, Outcome::Failed { .. });
                assert_eq!(
                    is_failure, changed,
                    "{name}: {} {key} {outcome:?}",
                    case.name
                );
            }
        }
    }
}

/// A range beyond the state is refused, and not filled.
#[test]
fn sponges_beyond_the_state_are_skipped() {
    for range in ["rate", "capacity", "digest"] {
        let mut file = read("miden_poseidon2.json");
        file["params"]["sponge"][range] = json!([0, 1_u64 << 50]);
        only_skipped(&file, "up to 1125899906842624; t is 12");
    }
}

/// Levels and paths of trees whose groups are filled up with zero digests.
#[test]
fn wrong_levels_and_paths_of_groups_fail() {
    let file = read("zisk_goldilocks_merkle_arity3.json");
    let cases = file["cases"].as_array().unwrap();
    // Five rows: groups of 3 and 2, then of 2.
    let index = cases.iter().position(|case| case["name"] == "n5_c3");
    let index = index.unwrap();
    assert_eq!(outcomes(&load(&file).unwrap())[index], Outcome::Passed);
    for (place, value, expected) in [
        ("/levels/0/nodes", json!(6), "levels[0] of 6 nodes"),
        ("/levels/1/first/3", json!("0x77"), "levels[1].first"),
        ("/levels/1/last/0", json!("0x77"), "levels[1].last"),
        ("/levels/2", json!(null), ""),
        ("/paths/0/siblings/0/1/2", json!("0x77"), "siblings[0]"),
        ("/paths/0/siblings/1/0/0", json!("0x77"), "siblings[1]"),
        ("/paths/0/siblings/1", json!(null), ""),
        ("/paths/0/index", json!(5), ""),
        ("/paths/0/row/2", json!("0x77"), ""),
    ] {
        let mut file = file.clone();
        let case = &mut file["cases"][index];
        match value {
            Value::Null => {
                let (list, number) = place.rsplit_once('/').unwrap();
                let list = case.pointer_mut(list).unwrap().as_array_mut().unwrap();
                list.remove(number.parse().unwrap());
            }
            value => *case.pointer_mut(place).unwrap() = value,
        }
        match load(&file) {
            Ok(file) => match &outcomes(&file)[index] {
                Outcome::Failed {
                    expected: given, ..
                } if given.contains(expected) => {}
                outcome => panic!("{place}: {outcome:?}"),
            },
            Err(error) => assert!(
                error.to_string().contains("paths[0].row"),
                "{place}: {error}"
            ),
        }
    }
}

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

/// Nodes and paths of column trees, and cases that contradict themselves.
#[test]
fn wrong_column_trees_fail_or_are_refused() {
    let file = read("filecoin_column_trees.json");
    let cases = file["cases"].as_array().unwrap();
    let number = |name: &str| {
        let mut names = cases.iter().map(|case| case["name"].as_str().unwrap());
        names.position(|it| it == name).unwrap()
    };
    let altered = |name: &str, place: &str, value: Value| {
        let mut file = file.clone();
        let case = &mut file["cases"][number(name)];
        *case.pointer_mut(place).unwrap() = value;
        file
    };
    for (place, expected) in [
        ("/nodes/1/value", "nodes[1].value = 0x"),
        ("/paths/0/leaf", "paths[0].leaf = 0x"),
        ("/paths/0/siblings/1/6", "paths[0].siblings[1] = 0x"),
    ] {
        let file = load(&altered("column11_k2", place, json!("0x77"))).unwrap();
        match &outcomes(&file)[number("column11_k2")] {
            Outcome::Failed {
                expected: given, ..
            } if given.starts_with(expected) => {}
            outcome => panic!("{place}: {outcome:?}"),
        }
    }
    let beyond = altered("leaf_k1", "/nodes/0/index", json!(8));
    let beyond = &outcomes(&load(&beyond).unwrap())[number("leaf_k1")];
    let no_node = |got: &str| got == "no node 8 of level 0";
    assert!(
        matches!(beyond, Outcome::Failed { got, .. } if no_node(got)),
        "{beyond:?}"
    );
    for (name, place, value, problem) in [
        (
            "column2_k1",
            "/columns/3/1",
            json!("0x77"),
            "its columns are not those that its generator gives",
        ),
        (
            "column2_k1",
            "/leaf_count",
            json!(9),
            "its columns are not those",
        ),
        (
            "leaf_k2",
            "/leaf_count",
            json!(65),
            "it has 65 leaves, which is not 8^height",
        ),
        (
            "leaf_k2",
            "/leaf_count",
            json!(1_u64 << 40),
            "expected 1 to 16777216 elements",
        ),
        (
            "leaf_k2",
            "/height",
            json!(3),
            "it has 64 leaves, which is not 8^height",
        ),
        (
            "leaf_k2",
            "/tree_arity",
            json!(0),
            "its tree_arity is 0, expected 2 or more",
        ),
        (
            "leaf_k2",
            "/paths/0/siblings",
            json!([]),
            "paths[0] has siblings of 0 levels, expected 2",
        ),
        (
            "leaf_k2",
            "/paths/0/siblings/0",
            json!([]),
            "paths[0].siblings[0] has 0 nodes, expected 7",
        ),
        ("leaf_k2", "/root", json!(3), "root: invalid type"),
        (
            "joined_k1_sub8_top2",
            "/leaf_count",
            json!(64),
            "it has 64 leaves, which is not 8^1 * 8 * 2",
        ),
        (
            "joined_k1_sub8_top2",
            "/base_height",
            json!(0),
            "its base_height is 0, expected 1 to 60",
        ),
        (
            "joined_k1_sub8_top2",
            "/base_height",
            json!(u32::MAX),
            "its base_height is 4294967295, expected 1 to 60",
        ),
        (
            "joined_k1_sub8_top2",
            "/sub_arity",
            json!(0),
            "its arities are [11, 8, 0, 2], expected 1 or more",
        ),
        ("joined_k1_sub8_top2", "/comm_r", json!("0xg"), "comm_r: "),
    ] {
        refused(&altered(name, place, value), problem);
    }
    for (name, place, value, reason) in [
        (
            "joined_k1_sub8_top2",
            "/top_arity",
            json!(12),
            "no set of Filecoin is known with the arity 12",
        ),
        (
            "leaf_k1",
            "/op",
            json!("other"),
            "column trees with the op 'other' are not supported",
        ),
    ] {
        let file = load(&altered(name, place, value)).unwrap();
        let outcome = &outcomes(&file)[number(name)];
        let expected = Outcome::Skipped {
            reason: reason.to_owned(),
        };
        assert_eq!(*outcome, expected);
    }
    let mut other = file.clone();
    other["params"]["hash"] = json!("neptune Strengthened");
    only_skipped(
        &other,
        "column trees over bls12-381 and the hash 'neptune Str",
    );
}

#[test]
fn large_trees_come_from_their_seed() {
    let mut file = read("neptune_bls12_381_merkle_arity2.json");
    let seed = "any text: 1";
    let leaves: Vec<String> = (0..1 << 13)
        .map(|index| word::to_hex(&generate_element(FieldId::Bls12_381, seed, index)))
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
            word::to_hex(&generate_element(FieldId::Bls12_381, seed, index)),
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
        ("p", json!("0x78000001"), "nor others of at most 32 bits"),
        ("round_steps", json!(["ADD1,EXT7"]), "cubic extension"),
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
    let mut other = file.clone();
    other["kind"] = json!("encryption");
    only_skipped(&other, "the kind 'encryption");
    let mut sponge = file.clone();
    sponge["kind"] = json!("sponge");
    sponge["cases"].as_array_mut().unwrap().truncate(17);
    sponge["case_count"] = json!(17);
    only_skipped(&sponge, "'filecoin-arity-2' has no sponge");
    let mut other = file.clone();
    other["params"]["permutation"] = json!("rescue");
    only_skipped(&other, "not described in full");
    for (name, key, value, reason) in [
        (
            "circom_bn254_hash",
            "rp_by_t_from_2",
            json!([56, 58]),
            "58 partial rounds",
        ),
        (
            "circom_bn254_hash",
            "rc",
            json!("Grain, sbox=1"),
            "missing field `rc_first`",
        ),
        (
            "dusk_poseidon_hash",
            "rc",
            json!("Grain"),
            "missing field `rc_first`",
        ),
        (
            "dusk_poseidon_hash",
            "partial_sbox_index",
            json!(0),
            "the partial S-box",
        ),
        (
            "plonky2_goldilocks_two_to_one",
            "output_index",
            json!("0..3"),
            "the output at",
        ),
        (
            "plonky2_goldilocks_two_to_one",
            "capacity_index",
            json!("8..11"),
            "the capacity at",
        ),
        (
            "starknet_poseidon3",
            "mds",
            json!([[3, 1, 1], [1, -1, 1], [1, 1, -1]]),
            "MDS",
        ),
        (
            "orchard_p128pow5t3_pallas",
            "rp",
            json!(57),
            "no parameter set is known",
        ),
    ] {
        let mut file = read(&format!("{name}.json"));
        file["params"][key] = value;
        only_skipped(&file, reason);
    }
    let mut wide = read("trident_testbench.json");
    wide["t"] = json!(13);
    only_skipped(&wide, "state width is 13");
    wide["t"] = json!(9);
    wide["rp"] = json!(56);
    only_skipped(&wide, "no parameter set is known");
}

/// Sets of Poseidon2 are those of the tables of their files.
#[test]
fn wrong_tables_of_poseidon2_are_named() {
    let file = read("plonky3_goldilocks_poseidon2_t8.json");
    let mut without = file.clone();
    let params = without["params"].as_object_mut().unwrap();
    params.remove("internal_constants");
    only_skipped(&without, "missing field `internal_constants`");
    for (key, value, reason) in [
        ("p", json!("0x78000001"), "prime 0x78000001 are not"),
        ("t", json!(25), "state width is 25"),
        ("t", json!(7), "internal_diagonal_minus_one has 8 entries"),
        ("partial_sbox_index", json!(8), "partial_sbox_index is 8"),
        ("alpha", json!(5), "x^5 is no permutation"),
        ("external_matrix", json!([[1, "x"]]), "external_matrix[1]"),
        (
            "internal_constants",
            json!(["0x1"]),
            "30 rounds but 9 vectors",
        ),
    ] {
        let mut other = file.clone();
        other["params"][key] = value;
        only_skipped(&other, reason);
    }
    // Another matrix is another permutation.
    let mut other = file;
    other["params"]["internal_diagonal_minus_one"][3] = json!("0x3");
    let outcomes = outcomes(&load(&other).unwrap());
    let failed = |outcome: &Outcome| matches!(outcome, Outcome::Failed { .. });
    assert!(outcomes.iter().all(failed), "{outcomes:?}");
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
            "case 'random_0': inputs[1]: invalid type",
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
            "case 'random_0': output: expected a field element",
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
            "announces 5 leaves and has 4",
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
    let mut uneven = trees.clone();
    uneven["cases"][0]["leaf_count"] = json!(5);
    uneven["cases"][0]["leaves"] = Value::Null;
    refused(&uneven, "5 leaves do not fill a tree of arity 4");
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

/// A file that gives all tables describes a set that no preset has.
#[test]
fn sets_can_be_given_in_full() {
    let file = read("mina_kimchi_fp.json");
    // Not so many rounds, and another order.
    let mut other = file.clone();
    let constants = &mut other["params"]["round_constants"];
    constants.as_array_mut().unwrap().truncate(30);
    other["params"]["rf"] = json!(6);
    other["params"]["rp"] = json!(4);
    other["params"]["round_order"] = json!("ARC,SBOX,MDS");
    other["kind"] = json!("permutation");
    let states: Vec<Value> = (0..3)
        .map(|i| json!({"inputs": ["0x1", "0x2", format!("0x{i}")], "output": ["0x0", "0x0", "0x0"]}))
        .collect();
    other["case_count"] = json!(3);
    other["cases"] = json!(states);
    let got: Vec<String> = outcomes(&load(&other).unwrap())
        .into_iter()
        .map(|outcome| match outcome {
            Outcome::Failed { got, .. } => got,
            outcome => panic!("{outcome:?}"),
        })
        .collect();
    assert!(got[0] != got[1] && got[1] != got[2]);
    other["params"]["round_constants"][29] = json!("0x1");
    let changed = outcomes(&load(&other).unwrap());
    assert!(matches!(&changed[0], Outcome::Failed { got: new, .. } if *new != got[0]));
    other["params"]["round_constants"][29] = json!("0xg");
    only_skipped(&other, "round_constants[29]");
}

/// No case fails on any build, and those of every file pass on the one that has its prime.
#[test]
fn vectors_of_the_peers_pass_on_the_build_that_has_their_prime() {
    let files = fs::read_dir(directory()).unwrap();
    let of_file = |entry: io::Result<fs::DirEntry>| {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "json") {
            return 0;
        }
        let file = VectorFile::load(&path).unwrap();
        let name = path.display();
        let results = FieldId::ALL[..6].iter().map(|field| {
            let prime = field.prime();
            let mut device =
                ChipDevice::new(FakeChip::new(Fault::None, EngineLimits { prime, ..BUILD }))
                    .unwrap();
            let outcomes = run_cases(&mut device, &file.cases);
            let mut count = 0;
            for (case, outcome) in file.cases.iter().zip(outcomes) {
                match outcome {
                    Outcome::Passed => count += 1,
                    Outcome::Skipped { .. } => {}
                    failed => panic!("{name}, {}, {field}: {failed:?}", case.name),
                }
            }
            count
        });
        let best = results.max().unwrap_or_default();
        assert!(best > 0, "no case of {name} passed");
        best
    };
    let passed: usize = files.par_bridge().map(of_file).sum();
    assert!(passed > 1000, "{passed} cases passed");
}

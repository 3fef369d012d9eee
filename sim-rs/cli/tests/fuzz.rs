// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! Files of users, damaged at random: parameter sets, vectors, trees, proofs, caps, specifications, arrays and
//! elements. The program reads them in little memory, and must end in time with an exit code of its own and, where it
//! refuses one, with an error of one line: no panic, no abort, no memory that a file only claims to need.
//!
//! `ACCLMT_FUZZ_CASES` is the number of cases of a kind, `ACCLMT_FUZZ_SEED` where they begin. What failed is kept, and
//! its path printed.

#![cfg(target_os = "linux")]

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use acclmt_measure::sweep::{MAX_POINTS, Specification};
use rand::{Rng as _, RngCore as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use tempfile::TempDir;

/// Memory that the program may take, in KiB: its own size, threads and tables are below half of it.
const MEMORY_KIB: u32 = 1 << 20;
/// The longest that a run may take.
const TIME: Duration = Duration::from_secs(60);
/// Bytes of a file that standard error may name; an error shows values of the user shortened.
const MOST_ERROR: usize = 4096;

/// Texts that stand for a value where a file has one.
const VALUES: [&str; 22] = [
    "-1",
    "0",
    "1",
    "4294967295",
    "4294967296",
    "18446744073709551615",
    "18446744073709551616",
    "340282366920938463463374607431768211456",
    "9223372036854775808",
    "1e309",
    "-0.0",
    "null",
    "true",
    "\"\"",
    "\"0x\"",
    "\"0x-1\"",
    "\"\\u0000\"",
    "[]",
    "{}",
    "[[]]",
    "[0]",
    "\"0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff\"",
];

fn number_of(variable: &str, default: u64) -> u64 {
    env::var(variable).map_or(default, |text| text.parse().unwrap())
}

/// A file of a user.
struct Case<'a> {
    /// Its name, with the ending that the program goes by.
    name: &'static str,
    /// A file that is right.
    bytes: &'a [u8],
    /// The arguments of the program; `FILE` stands for the file.
    arguments: &'a [&'a str],
}

/// Where values of a text are: numbers and words, and strings with their quotes.
fn tokens(bytes: &[u8]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut start = None;
    for (place, byte) in bytes.iter().enumerate() {
        let part = byte.is_ascii_alphanumeric() || b"\"-_.".contains(byte);
        match (part, start) {
            (true, None) => start = Some(place),
            (false, Some(begin)) => {
                found.push((begin, place));
                start = None;
            }
            _ => {}
        }
    }
    found
}

fn replace(bytes: &mut Vec<u8>, range: (usize, usize), with: &[u8]) {
    bytes.splice(range.0..range.1, with.iter().copied());
}

/// One change of a file.
fn damage(bytes: &mut Vec<u8>, random: &mut ChaCha8Rng) {
    let place = |random: &mut ChaCha8Rng, length: usize| random.gen_range(0..=length);
    if bytes.is_empty() {
        bytes.push(random.r#gen());
        return;
    }
    match random.gen_range(0..12) {
        0 => {
            let at = random.gen_range(0..bytes.len());
            bytes[at] ^= 1 << random.gen_range(0..8);
        }
        1 => {
            let at = random.gen_range(0..bytes.len());
            bytes[at] = random.r#gen();
        }
        2 => bytes.truncate(place(random, bytes.len())),
        3 => {
            let at = place(random, bytes.len());
            let mut new = vec![0; random.gen_range(1..40)];
            random.fill_bytes(&mut new);
            replace(bytes, (at, at), &new);
        }
        // A part is missing, or there twice.
        4 | 5 => {
            let (a, b) = (place(random, bytes.len()), place(random, bytes.len()));
            let (from, to) = (a.min(b), a.max(b).min(a.min(b) + 300));
            let part = bytes[from..to].to_vec();
            if random.r#gen() {
                replace(bytes, (from, to), &[]);
            } else {
                let at = place(random, bytes.len());
                replace(bytes, (at, at), &part);
            }
        }
        // A number of 4 or 8 bytes that is large, or near to a power of two.
        6 => {
            let value = (1_u64 << random.gen_range(0..64)).wrapping_sub(random.gen_range(0..3));
            let value = value.to_le_bytes();
            let length = if random.r#gen() { 4 } else { 8 };
            let at = random.gen_range(0..bytes.len());
            let end = bytes.len().min(at + length);
            bytes[at..end].copy_from_slice(&value[..end - at]);
        }
        // Deep, or long.
        7 => {
            let at = place(random, bytes.len());
            let character = b"[{(\"0x,\n"[random.gen_range(0..8)];
            let new = vec![character; 1 << random.gen_range(1..17)];
            replace(bytes, (at, at), &new);
        }
        // Another value, or one of elsewhere.
        _ => {
            let all = tokens(bytes);
            if let Some(&range) = all.get(random.gen_range(0..all.len().max(1))) {
                let with = if random.gen_range(0..3) == 0 {
                    let (from, to) = all[random.gen_range(0..all.len())];
                    bytes[from..to].to_vec()
                } else {
                    VALUES[random.gen_range(0..VALUES.len())]
                        .as_bytes()
                        .to_vec()
                };
                replace(bytes, range, &with);
            }
        }
    }
}

/// A file with changes, which the seed gives: half of all seeds have one, the others more.
fn damaged(right: &[u8], seed: u64) -> Vec<u8> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut bytes = right.to_vec();
    let changes = if random.r#gen() {
        1
    } else {
        random.gen_range(2..8)
    };
    for _ in 0..changes {
        damage(&mut bytes, &mut random);
    }
    bytes
}

/// Runs the program in little memory; `None` if it does not end.
fn run(arguments: &[String], folder: &Path) -> Option<Output> {
    let mut command = Command::new("sh");
    command
        .args([
            "-c",
            &format!("ulimit -v {MEMORY_KIB}; ulimit -c 0; exec \"$0\" \"$@\""),
        ])
        .arg(env!("CARGO_BIN_EXE_acclmt"))
        .args(arguments)
        .current_dir(folder)
        .env("RAYON_NUM_THREADS", "2")
        .stdin(Stdio::null())
        .stdout(fs::File::create(folder.join("out")).unwrap())
        .stderr(fs::File::create(folder.join("err")).unwrap());
    let mut child = command.spawn().unwrap();
    let began = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if began.elapsed() > TIME {
            child.kill().unwrap();
            child.wait().unwrap();
            return None;
        }
        thread::sleep(Duration::from_millis(2));
    };
    Some(Output {
        status,
        stdout: fs::read(folder.join("out")).unwrap(),
        stderr: fs::read(folder.join("err")).unwrap(),
    })
}

/// What is wrong with a run, if anything.
fn fault(output: Option<&Output>) -> Option<String> {
    let Some(output) = output else {
        return Some(format!("it has not ended after {} s", TIME.as_secs()));
    };
    let error = String::from_utf8_lossy(&output.stderr);
    match output.status.code() {
        Some(0) => None,
        // Cases of vectors that differ are results, not errors.
        Some(1) if error.is_empty() && !output.stdout.is_empty() => None,
        Some(1 | 2) if error.len() > MOST_ERROR => {
            Some(format!("an error of {} bytes", error.len()))
        }
        Some(1 | 2) if error.starts_with("error: ") || error.contains("\nerror: ") => None,
        code => Some(format!("exit code {code:?}: {error}")),
    }
}

/// Damages a file again and again, and runs the program on it.
fn fuzz(case: &Case<'_>) {
    let cases = number_of("ACCLMT_FUZZ_CASES", 60);
    let first = number_of("ACCLMT_FUZZ_SEED", 1);
    println!("{}: seeds {first} to {}", case.name, first + cases - 1);
    let folder = TempDir::new().unwrap();
    let file = folder.path().join(case.name);
    let arguments: Vec<String> = (case.arguments.iter())
        .map(|argument| argument.replace("FILE", file.to_str().unwrap()))
        .collect();
    fs::write(&file, case.bytes).unwrap();
    let right = run(&arguments, folder.path());
    assert_eq!(fault(right.as_ref()), None, "the file as it is");
    assert_eq!(right.unwrap().status.code(), Some(0), "the file as it is");
    for seed in first..first + cases {
        fs::write(&file, damaged(case.bytes, seed)).unwrap();
        let output = run(&arguments, folder.path());
        if let Some(fault) = fault(output.as_ref()) {
            let kept: PathBuf = folder.keep().join(case.name);
            panic!("seed {seed}, file {}: {fault}", kept.display());
        }
    }
}

/// A file that the program writes.
fn written(folder: &TempDir, name: &str, arguments: &[&str]) -> Vec<u8> {
    let arguments: Vec<String> = arguments.iter().map(|&text| text.to_owned()).collect();
    let output = run(&arguments, folder.path()).unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    match name {
        "-" => output.stdout,
        _ => fs::read(folder.path().join(name)).unwrap(),
    }
}

fn repository(path: &str) -> Vec<u8> {
    fs::read(
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../..")
            .join(path),
    )
    .unwrap()
}

const PARAMETERS: &str = r#"
name = "mine"
field = "bls12-381"
width = 3
alpha = 5
full_rounds_first = 2
partial_rounds = 3
full_rounds_last = 2
round_order = "constants-sbox-matrix"
partial_index = 0
initial_state = [3, 0, "0x0"]
input_positions = [1, 2]
digest_positions = [1]

[constants]
method = "grain"
sbox = 0

[matrix]
method = "given"
rows = [[2, 1, 3], [1, 1, 1], [7, 1, "0x2"]]

[sponge]
rate_positions = [1, 2]
absorption = "add"
"#;

/// What a parameter set is tried with.
const HASH: [&str; 7] = [
    "hash",
    "--parameters",
    "FILE",
    "--backend",
    "model",
    "0x1",
    "0x2",
];

#[test]
fn parameter_sets_in_toml() {
    fuzz(&Case {
        name: "set.toml",
        bytes: PARAMETERS.as_bytes(),
        arguments: &HASH,
    });
}

#[test]
fn parameter_sets_in_json() {
    let value: toml::Value = toml::from_str(PARAMETERS).unwrap();
    let json = serde_json::to_vec_pretty(&value).unwrap();
    fuzz(&Case {
        name: "set.json",
        bytes: &json,
        arguments: &HASH,
    });
}

#[test]
fn vectors() {
    let bytes = repository("sim-rs/vectors/neptune_bls12_381_domain_tags.json");
    fuzz(&Case {
        name: "vectors.json",
        bytes: &bytes,
        arguments: &["check", "FILE", "--backend", "software"],
    });
}

#[test]
fn vectors_with_tables() {
    let bytes = repository("sim-rs/vectors/penumbra_poseidon377_t2.json");
    fuzz(&Case {
        name: "tables.json",
        bytes: &bytes,
        arguments: &["check", "FILE", "--backend", "model"],
    });
}

#[test]
fn trees_proofs_and_caps() {
    let folder = TempDir::new().unwrap();
    let elements = folder.path().join("elements.bin");
    fs::write(&elements, [7, 0, 0, 0, 0, 0, 0, 0].repeat(4 * 32)).unwrap();
    let preset = ["--preset", "filecoin-arity-2", "--backend", "software"];
    let commit = [
        "commit",
        "elements.bin",
        "--tree-out",
        "tree.acclmt",
        "--leaf",
        "element",
        "--json",
    ];
    let cap = written(&folder, "-", &[&commit, &preset[..]].concat());
    let tree = fs::read(folder.path().join("tree.acclmt")).unwrap();
    fuzz(&Case {
        name: "tree.acclmt",
        bytes: &tree,
        arguments: &["prove", "FILE", "--index", "3"],
    });
    fuzz(&Case {
        name: "several.acclmt",
        bytes: &tree,
        arguments: &["prove", "FILE", "--index", "3,9,26", "--json"],
    });
    for (name, index) in [("proof.json", "5"), ("multiproof.json", "5,6,20")] {
        let proof = written(
            &folder,
            name,
            &["prove", "tree.acclmt", "--index", index, "--out", name],
        );
        let cap_file = folder.path().join("cap.json");
        fs::write(&cap_file, &cap).unwrap();
        let cap_path = cap_file.to_str().unwrap();
        fuzz(&Case {
            name,
            bytes: &proof,
            arguments: &["verify", "FILE", "--cap-file", cap_path],
        });
        let proof_path = folder.path().join(name);
        let arguments = ["verify", proof_path.to_str().unwrap(), "--cap-file", "FILE"];
        fuzz(&Case {
            name: "cap.json",
            bytes: &cap,
            arguments: &arguments,
        });
    }
}

#[test]
fn arrays_and_elements() {
    // A NumPy array of 16 numbers, and the same without its head.
    let head = "{'descr': '<u8', 'fortran_order': False, 'shape': (8, 2), }";
    let mut array = b"\x93NUMPY\x01\x00".to_vec();
    array.extend(118_u16.to_le_bytes());
    array.extend(format!("{head:<117}\n").bytes());
    let numbers: Vec<u8> = (0..16_u64).flat_map(u64::to_le_bytes).collect();
    array.extend(&numbers);
    let arguments = [
        "commit",
        "FILE",
        "--preset",
        "plonky2",
        "--leaf",
        "row=2",
        "--backend",
        "software",
    ];
    fuzz(&Case {
        name: "rows.npy",
        bytes: &array,
        arguments: &arguments,
    });
    fuzz(&Case {
        name: "rows.bin",
        bytes: &numbers,
        arguments: &arguments,
    });
}

/// A specification may ask for days: it is read here, and its points are counted out.
#[test]
fn specifications() {
    let right = repository("sim-rs/workflow/ci.toml");
    let first = number_of("ACCLMT_FUZZ_SEED", 1);
    let mut read = 0;
    for seed in first..first + 20 * number_of("ACCLMT_FUZZ_CASES", 60) {
        let bytes = damaged(&right, seed);
        println!("seed {seed}");
        let text = String::from_utf8_lossy(&bytes);
        match Specification::from_toml(&text) {
            Ok(specification) => {
                read += 1;
                assert!(specification.points().len() as u64 <= MAX_POINTS);
            }
            Err(error) => assert!(error.to_string().len() <= MOST_ERROR, "{error}"),
        }
    }
    assert!(
        read > 0,
        "no damaged specification can be read: nothing behind the syntax was tested"
    );
}

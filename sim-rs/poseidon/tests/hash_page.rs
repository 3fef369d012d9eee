//! The worked example of the page "The hash, exactly", computed from the page.

use std::fs;
use std::path::Path;

use serde::Deserialize;

use acclmt_poseidon::fields::{AnyParameters, Goldilocks, PoseidonField as _};
use acclmt_poseidon::parameter_file::ParameterFile;
use acclmt_poseidon::params::{PoseidonParameters, RoundOrder};
use acclmt_poseidon::permutation::{Poseidon, hash_dense};
use acclmt_poseidon::{absorb, word};

const PRIME: u128 = 0xFFFF_FFFF_0000_0001;

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Example {
    inputs: Vec<u64>,
    state: Vec<u64>,
    constants_sbox_matrix: Trace,
    sbox_matrix_constants: Trace,
    messages: Vec<Message>,
    #[serde(rename = "files")]
    _files: Vec<toml::Value>,
}

#[derive(Deserialize)]
struct Trace {
    rounds: Vec<Vec<String>>,
    digest: String,
}

#[derive(Deserialize)]
struct Message {
    message: Vec<u64>,
    digest: String,
}

/// The two blocks of TOML of the page: the parameter file, and what comes out.
fn page() -> (String, Example) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/hash.md");
    let page = fs::read_to_string(path).unwrap();
    let mut blocks = page.split("```toml\n").skip(1);
    let mut block = || {
        blocks
            .next()
            .unwrap()
            .split("```")
            .next()
            .unwrap()
            .to_owned()
    };
    (block(), toml::from_str(&block()).unwrap())
}

fn set(file: &str, order: &str) -> PoseidonParameters<Goldilocks> {
    let file = format!("round_order = \"{order}\"\n{file}");
    let set = ParameterFile::from_toml(&file).unwrap().parameters();
    Goldilocks::of(&set.unwrap()).unwrap().clone()
}

fn decimal(element: Goldilocks) -> String {
    number(element).to_string()
}

fn number(element: Goldilocks) -> u128 {
    let word = word::from_field(element);
    u128::from_le_bytes(word[..16].try_into().unwrap())
}

/// The state after each round, by integers modulo the prime.
fn states(set: &PoseidonParameters<Goldilocks>, mut state: Vec<u128>) -> Vec<Vec<String>> {
    let add = |state: &mut Vec<u128>, round: usize| {
        for (element, &constant) in state.iter_mut().zip(&set.round_constants()[round]) {
            *element = (*element + number(constant)) % PRIME;
        }
    };
    let partial = set.full_rounds_first()..set.full_rounds_first() + set.partial_rounds();
    (0..set.rounds())
        .map(|round| {
            if set.round_order() == RoundOrder::ConstantsFirst {
                add(&mut state, round);
            }
            for (i, element) in state.iter_mut().enumerate() {
                if !partial.contains(&round) || i == set.partial_index() {
                    let base = *element;
                    for _ in 1..set.alpha() {
                        *element = *element * base % PRIME;
                    }
                }
            }
            state = (set.mds().iter())
                .map(|row| {
                    let products = row.iter().zip(&state).map(|(&m, s)| number(m) * s % PRIME);
                    products.sum::<u128>() % PRIME
                })
                .collect();
            if set.round_order() == RoundOrder::SboxFirst {
                add(&mut state, round);
            }
            state.iter().map(u128::to_string).collect()
        })
        .collect()
}

#[test]
fn hashes_of_the_page() {
    let (file, example) = page();
    for (order, trace) in [
        ("constants-sbox-matrix", &example.constants_sbox_matrix),
        ("sbox-matrix-constants", &example.sbox_matrix_constants),
    ] {
        let set = set(&file, order);
        let state = example
            .state
            .iter()
            .map(|&element| element.into())
            .collect();
        assert_eq!(states(&set, state), trace.rounds, "{order}");
        let inputs: Vec<_> = example.inputs.iter().map(|&input| input.into()).collect();
        let poseidon = Poseidon::new(&set);
        for digest in [poseidon.hash(&inputs), hash_dense(&set, &inputs)] {
            assert_eq!(decimal(digest.unwrap()[0]), trace.digest, "{order}");
        }
        let mut state: Vec<_> = example
            .state
            .iter()
            .map(|&element| element.into())
            .collect();
        poseidon.permute(&mut state);
        let state: Vec<_> = state.into_iter().map(decimal).collect();
        assert_eq!(Some(&state), trace.rounds.last(), "{order}");
    }
}

#[test]
fn messages_of_the_page() {
    let (file, example) = page();
    let set: AnyParameters = set(&file, "constants-sbox-matrix").into();
    assert!(example.messages.len() > 3);
    for Message { message, digest } in example.messages {
        let words = message
            .iter()
            .map(|&element| word::from_u64(element))
            .collect();
        let digests = absorb::hash_messages(&set, &[words]).unwrap();
        let found = word::to_field(&digests[0][0]).unwrap();
        assert_eq!(decimal(found), digest, "{message:?}");
    }
}

/// The defaults that the page states.
#[test]
fn defaults_of_the_page() {
    let (file, _) = page();
    let short = ParameterFile::from_toml(&file).unwrap();
    let long = file
        .replace(
            "input_positions",
            "round_order = \"constants-sbox-matrix\"\npartial_index = 0\ninverse_rounds = \"none\"\n\
             compression = \"none\"\ninput_positions",
        )
        .replace(
            "[sponge]",
            "[sponge]\nabsorption = \"add\"\npermute_empty = true\nshort_rows_are_digests = false",
        );
    assert_eq!(ParameterFile::from_toml(&long).unwrap(), short);
    let plain = file
        .replace("padding = \"one\"\n", "")
        .replace("capacity = { kind = \"initial-state\" }\n", "")
        .replace("initial_state = [7, 0, 0]\n", "");
    let spelt = plain
        .replace(
            "[sponge]",
            "[sponge]\npadding = \"none\"\ncapacity = { kind = \"zero\" }",
        )
        .replace(
            "input_positions",
            "initial_state = [0, 0, 0]\ninput_positions",
        );
    let set = |text: &str| {
        ParameterFile::from_toml(text)
            .unwrap()
            .parameters()
            .unwrap()
    };
    assert_eq!(set(&plain), set(&spelt));
    for key in [
        "name",
        "field",
        "width",
        "alpha",
        "full_rounds_first",
        "partial_rounds",
        "full_rounds_last",
        "input_positions",
        "digest_positions",
    ] {
        let without: String = (file.lines())
            .filter(|line| !line.starts_with(&format!("{key} =")))
            .map(|line| format!("{line}\n"))
            .collect();
        let message = ParameterFile::from_toml(&without).unwrap_err().to_string();
        assert!(
            message.contains(&format!("missing field `{key}`")),
            "{message}"
        );
    }
}

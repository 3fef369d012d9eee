//! The values of every preset, against digests of them that do not come from the preset files.
//!
//! Those of states of 16 elements, and of Zisk's Poseidon, are computed from the tables of `sim-rs/vectors`. Zisk's
//! tables have other constants in partial rounds: in their place are those of a Grain LFSR and of ChaCha8 written
//! apart from this library, which give the permutations of the files.

use ark_ff::PrimeField;
use sha2::{Digest as _, Sha256};

use acclmt_poseidon::params::{Compression, InverseRounds, PoseidonParameters};
use acclmt_poseidon::{dispatch, presets, word};

/// All values of a set as text, one a line.
fn text<F: PrimeField>(set: &PoseidonParameters<F>) -> String {
    let list = |elements: &[F]| -> Vec<String> {
        (elements.iter())
            .map(|&element| word::to_hex(&word::from_field(element)))
            .collect()
    };
    let table =
        |rows: &[Vec<F>]| -> Vec<String> { rows.iter().map(|row| list(row).join(" ")).collect() };
    let mut parts = vec![
        format!("{} {} {}", set.name(), set.field_name(), set.alpha()),
        format!(
            "{} {} {}",
            set.full_rounds_first(),
            set.partial_rounds(),
            set.full_rounds_last()
        ),
        format!("{:?} {}", set.round_order(), set.partial_index()),
        table(set.round_constants()).join("\n"),
        table(set.mds()).join("\n"),
        list(set.initial_state()).join(" "),
        format!("{:?} {:?}", set.input_positions(), set.digest_positions()),
        format!("{:?}", set.sponge()),
    ];
    if set.first_layer() {
        parts.push("first layer".to_owned());
    }
    if set.inverse_rounds() != InverseRounds::None {
        parts.push(format!("{:?}", set.inverse_rounds()));
    }
    if set.compression() != Compression::None {
        parts.push(format!("{:?}", set.compression()));
    }
    if set.has_partial_matrix() {
        parts.push(table(set.partial_matrix()).join("\n"));
    }
    parts.join("\n")
}

#[test]
fn values_are_those_of_the_list() {
    let computed: String = (presets::all().iter())
        .map(|preset| {
            let text = dispatch!(preset.parameters(), set => text(set));
            let digest = hex::encode(Sha256::digest(text));
            format!("{digest}  {}\n", preset.name())
        })
        .collect();
    assert_eq!(computed, include_str!("presets.sha256"));
}

//! The presets of Aztec's Poseidon2 against values that Noir's `Poseidon2::hash` and barretenberg's test
//! `Poseidon2.HashConsistencyCheck` have.

use acclmt_poseidon::absorb::{hash_messages, sponge_of};
use acclmt_poseidon::fields::Bn254;
use acclmt_poseidon::permutation::Poseidon;
use acclmt_poseidon::presets;
use acclmt_poseidon::word::{self, Word};

/// The prime of BN254's scalar field less one, and less two.
const LAST: [&str; 2] = [
    "0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000000",
    "0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f593efffffff",
];

fn words(elements: &[&str]) -> Vec<Word> {
    (elements.iter())
        .map(|text| word::from_hex(text).unwrap())
        .collect()
}

#[test]
fn hashes_of_up_to_three_elements() {
    let cases: [(&[&str], &str); 5] = [
        (
            &["0x1"],
            "0x168758332d5b3e2d13be8048c8011b454590e06c44bce7f702f09103eef5a373",
        ),
        (
            &["0x1", "0x2"],
            "0x038682aa1cb5ae4e0a3f13da432a95c77c5c111f6f030faf9cad641ce1ed7383",
        ),
        (
            &["0x0", "0x0"],
            "0x0b63a53787021a4a962a452c2921b3663aff1ffd8d5510540f8e659e782956f1",
        ),
        (
            &LAST,
            "0x2a3af28ae45056e36af2c3a829f1500c199a3f0aa681c199b7366d00676f0ca9",
        ),
        (
            &["0x1", "0x2", "0x3"],
            "0x23864adb160dddf590f1d3303683ebcb914f828e2635f6e85a32f0a1aecd3dd8",
        ),
    ];
    for (inputs, expected) in cases {
        let name = format!("aztec-poseidon2-arity-{}", inputs.len());
        let poseidon = Poseidon::new(presets::over::<Bn254>(&name).unwrap());
        let inputs: Vec<Bn254> = (words(inputs).iter())
            .map(|word| word::to_field(word).unwrap())
            .collect();
        let digest = poseidon.hash(&inputs).unwrap();
        assert_eq!(
            word::to_hex(&word::from_field(digest[0])),
            expected,
            "{name}"
        );
    }
}

#[test]
fn messages_of_any_length() {
    let cases: [(Vec<&str>, &str); 5] = [
        (
            vec!["0x1", "0x2"],
            "0x038682aa1cb5ae4e0a3f13da432a95c77c5c111f6f030faf9cad641ce1ed7383",
        ),
        (
            vec!["0x1", "0x2", "0x3", "0x4"],
            "0x130bf204a32cac1f0ace56c78b731aa3809f06df2731ebcf6b3464a15788b1b9",
        ),
        (
            vec!["0x1", "0x2", "0x3", "0x4", "0x5"],
            "0x2247be7014a54d17342a7ef677f58d28877780d203860396967f5d0a18d259db",
        ),
        (
            vec!["0x1", "0x2", "0x3", "0x4", "0x5", "0x6"],
            "0x7f57fcda925c06dc0a311f3f17fa0218e079b514552744a25ba8a74ee8c9e7a",
        ),
        // 0x9a807b61..23456789 modulo the prime.
        (
            vec!["0x9539008b8b85db277c0f1b060715e72864101bf0927e05ce0280e4553456786"; 4],
            "0x2f43a0f83b51a6f5fc839dea0ecec74947637802a579fa9841930a25a0bcec11",
        ),
    ];
    let set = presets::by_name("aztec-poseidon2-arity-2").unwrap();
    sponge_of(set).unwrap();
    for (message, expected) in cases {
        let digests = hash_messages(set, &[words(&message)]).unwrap();
        let expected = word::from_hex(expected).unwrap();
        assert_eq!(digests, [[expected]], "{message:?}");
    }
}

//! Trees of Filecoin's 64 GiB sectors, with fewer levels: roots of neptune, which `filecoin_column_trees` has.

use acclmt_driver::device::{CommitRequest, Device as _, LeafRule, NoProgress, WordSource};
use acclmt_driver::nodes::NoNodes;
use acclmt_driver::software::SoftwareDevice;
use acclmt_measure::vectors::generate_element;
use acclmt_merkle::levels::UpperLevels;
use acclmt_poseidon::presets;
use acclmt_poseidon::word::{self, Word};

/// `joined` cases of the file: base trees of 8 leaves, eight of which are joined by arity 8 where the height is 2, and
/// two of these by arity 2. Made with neptune 13.0.0 (`ColumnTreeBuilder`, `TreeBuilder`, `Poseidon`).
struct Joined {
    name: &'static str,
    leaves: usize,
    /// The level whose two nodes are joined.
    upper: u32,
    column_root: &'static str,
    leaf_root: &'static str,
    comm_r: &'static str,
}

const JOINED: [Joined; 2] = [
    Joined {
        name: "joined_k1_sub1_top2",
        leaves: 16,
        upper: 1,
        column_root: "0x3343047ba70234bc6b137fc568b936058855311c123cf8b9f7532f5e0e66ec3d",
        leaf_root: "0x23647544b4b7e2986dbcbb8631a4a46c8dafe8620f35bd33dfd3b424ae87bd02",
        comm_r: "0x3df1ff1aba7b935962e70ff462a22ee5c1718f4fd04a2d4d1c5977e3052752bc",
    },
    Joined {
        name: "joined_k1_sub8_top2",
        leaves: 128,
        upper: 2,
        column_root: "0x69e8603bf8f66009b42279a3783f23a464ca452ce9a561a1c5cd6ac100e67c81",
        leaf_root: "0x075ba7955209efff4f07a4a4cc166e3c073b9fc6dbf3c99fd1caa6907b244264",
        comm_r: "0x588d54653eef2e3cf70d878f7c32183787913d53696e516c5a6658c1addd63f8",
    },
];

#[test]
fn joined_trees_are_those_of_neptune() {
    let set = |arity: usize| presets::by_name(&format!("filecoin-arity-{arity}")).unwrap();
    let mut device = SoftwareDevice::new();
    for case in &JOINED {
        let mut root = |kind: &str, leaf: LeafRule<'_>, elements: usize| -> Word {
            let seed = format!("public/filecoin_column_trees/{}_{kind}", case.name);
            let field = set(8).field();
            let elements = 0..case.leaves * elements;
            let elements: Vec<_> = elements
                .map(|index| generate_element(field, &seed, index))
                .collect();
            let request = CommitRequest {
                upper: vec![UpperLevels {
                    from: case.upper,
                    parameters: set(2),
                }],
                ..CommitRequest::new(set(8), leaf, case.leaves as u64)
            };
            let source = &mut WordSource(&elements);
            let report = device.commit(&request, source, &mut NoNodes, &mut NoProgress);
            report.unwrap().root()[0]
        };
        let columns = root("c", LeafRule::Hash(set(11)), 11);
        let leaves = root("r", LeafRule::Digest, 1);
        assert_eq!(word::to_hex(&columns), case.column_root, "{}", case.name);
        assert_eq!(word::to_hex(&leaves), case.leaf_root, "{}", case.name);
        let report = device.hash(set(2), &[vec![columns, leaves]], &mut NoProgress);
        let comm_r = &report.unwrap().digests[0];
        assert_eq!(word::to_hex(&comm_r[0]), case.comm_r, "{}", case.name);
    }
}

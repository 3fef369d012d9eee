//! Trees with upper levels, against a hash of every node that goes down to the leaves.

use acclmt_merkle::levels::{ByLevel, UpperError, UpperLevels, parameters_by_level};
use acclmt_merkle::multiproof::Multiproof;
use acclmt_merkle::proof::Proof;
use acclmt_merkle::proof_file::AnyProof;
use acclmt_merkle::shape::{Padding, ShapeError, TreeShape};
use acclmt_merkle::tree::MerkleTree;
use acclmt_merkle::tree_file::{TreeFile, TreeFileWriter, TreeHeader};
use acclmt_poseidon::fields::{AnyParameters, Bls12_381, PoseidonField, words};
use acclmt_poseidon::permutation::{Poseidon, hash_dense};
use acclmt_poseidon::presets;
use acclmt_poseidon::word::{self, Word};
use acclmt_poseidon::{dispatch, with_field};
use tempfile::TempDir;

/// Sets over one field with one length of digests.
const BLS: [&str; 12] = [
    "filecoin-arity-2",
    "filecoin-arity-2-strengthened",
    "filecoin-arity-3",
    "filecoin-arity-4",
    "filecoin-arity-5",
    "filecoin-arity-6",
    "filecoin-arity-7",
    "filecoin-arity-8",
    "filecoin-arity-9",
    "filecoin-arity-10",
    "filecoin-arity-11",
    "dusk",
];
const GOLDILOCKS: [&str; 2] = ["plonky2", "polygon-zkevm"];

fn set(name: &str) -> &'static AnyParameters {
    presets::by_name(name).unwrap()
}

fn upper(levels: &[(u32, &str)]) -> Vec<UpperLevels<'static>> {
    let levels = levels.iter();
    levels
        .map(|&(from, name)| UpperLevels {
            from,
            parameters: set(name),
        })
        .collect()
}

/// Numbers that look random (splitmix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut value = self.0;
        value = (value ^ (value >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        value = (value ^ (value >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        value ^ (value >> 31)
    }

    /// From 0 to below `end`.
    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }
}

/// A tree by its definition.
struct Definition {
    /// The set of each level below the root.
    sets: Vec<&'static AnyParameters>,
    leaves: u64,
    padding: Vec<Word>,
    pads_sub_trees: bool,
}

impl Definition {
    fn digest(&self, value: u64) -> Vec<Word> {
        let elements = 0..self.sets[0].digest_length() as u64;
        elements.map(|it| word::from_u64(value * 8 + it)).collect()
    }

    fn leaves_below(&self, level: u32) -> u64 {
        let below = self.sets[..level as usize].iter();
        below.map(|set| set.arity() as u64).product()
    }

    fn nodes(&self, level: u32) -> u64 {
        self.leaves_below(self.sets.len() as u32) / self.leaves_below(level)
    }

    /// A node, from the leaves below it.
    fn node(&self, level: u32, index: u64) -> Vec<Word> {
        let is_empty = index * self.leaves_below(level) >= self.leaves;
        if is_empty && (level == 0 || self.pads_sub_trees) {
            return self.padding.clone();
        }
        if level == 0 {
            return self.digest(index + 1);
        }
        let set = self.sets[level as usize - 1];
        let arity = set.arity() as u64;
        let children =
            (index * arity..(index + 1) * arity).map(|child| self.node(level - 1, child));
        let children: Vec<Word> = children.flatten().collect();
        dispatch!(set, set => {
            let inputs: Vec<_> = children.iter().map(|it| word::to_field(it).unwrap()).collect();
            words(&hash_dense(set, &inputs).unwrap())
        })
    }

    fn level(&self, level: u32) -> Vec<Vec<Word>> {
        (0..self.nodes(level))
            .map(|index| self.node(level, index))
            .collect()
    }
}

/// A tree of random sets, its upper levels, and its levels.
fn random_tree(random: &mut Random) -> (Definition, Vec<UpperLevels<'static>>) {
    let names: &[&str] = match random.below(4) {
        0 => &GOLDILOCKS,
        _ => &BLS,
    };
    let pick = |random: &mut Random| set(names[random.below(names.len() as u64) as usize]);
    let mut sets = vec![pick(random)];
    let mut levels = Vec::new();
    let mut leaves = sets[0].arity() as u64;
    while sets.len() < 6 {
        let other = pick(random);
        let last = sets[sets.len() - 1];
        let next = if random.below(3) == 0 { last } else { other };
        leaves *= next.arity() as u64;
        if leaves > 400 {
            break;
        }
        if next != last {
            levels.push(UpperLevels {
                from: sets.len() as u32,
                parameters: next,
            });
        }
        sets.push(next);
    }
    let mut definition = Definition {
        sets,
        leaves: 0,
        padding: Vec::new(),
        pads_sub_trees: random.below(2) == 0,
    };
    let all = definition.nodes(0);
    definition.leaves = match random.below(3) {
        0 => all,
        _ => 1 + random.below(all),
    };
    definition.padding = definition.digest(1 << 40);
    (definition, levels)
}

fn write(
    definition: &Definition,
    upper: &[UpperLevels<'_>],
    levels: &[Vec<Vec<Word>>],
) -> (TempDir, TreeFile) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tree");
    let height = definition.sets.len() as u32;
    let base = definition.sets[0];
    let header = TreeHeader::with_upper(base, upper, height, definition.leaves).unwrap();
    let mut writer = TreeFileWriter::create(&path, header).unwrap();
    for (level, nodes) in (0..).zip(levels) {
        for (index, node) in (0..).zip(nodes) {
            writer.write_node(level, index, node).unwrap();
        }
    }
    writer.finish().unwrap();
    let file = TreeFile::open(&path).unwrap();
    (folder, file)
}

#[test]
fn random_trees() {
    for seed in 0..40 {
        println!("seed {seed}");
        let mut random = Random(seed);
        let (definition, upper) = random_tree(&mut random);
        let height = definition.sets.len() as u32;
        let base = definition.sets[0];
        let levels: Vec<_> = (0..=height).map(|level| definition.level(level)).collect();
        let arities: Vec<_> = definition.sets.iter().map(|set| set.arity()).collect();

        let sets = parameters_by_level(base, &upper).unwrap();
        for (level, set) in (0..).zip(&definition.sets) {
            assert_eq!(sets.of_level(level), set);
        }
        check_shape(&definition, &upper, &levels);
        let (_folder, file) = write(&definition, &upper, &levels);
        assert_eq!(file.header().arities().levels(), arities);
        for (level, nodes) in (0..).zip(&levels) {
            assert_eq!(file.header().nodes(level).unwrap(), nodes.len() as u64);
            assert_eq!(file.cap(height - level).unwrap(), *nodes);
        }
        check_proofs(&definition, &upper, &levels, &file, &mut random);
        if definition.leaves == definition.nodes(0) {
            with_field!(base.field(), F => check_memory::<F>(&sets, &levels));
        }
    }
}

fn check_shape(definition: &Definition, upper: &[UpperLevels<'_>], levels: &[Vec<Vec<Word>>]) {
    let (base, height) = (definition.sets[0], definition.sets.len() as u32);
    let padding = match definition.pads_sub_trees {
        true => Padding::SubTree(&definition.padding),
        false => Padding::Leaf(&definition.padding),
    };
    for cap_height in 0..=height {
        let shape = |padding, height| {
            TreeShape::new(base, upper, definition.leaves, padding, height, cap_height)
        };
        let of_height = shape(padding, Some(height)).unwrap();
        let top = height - cap_height;
        assert_eq!((of_height.height(), of_height.top()), (height, top));
        let is_full = definition.leaves == definition.nodes(0);
        assert_eq!(of_height.is_padded(), !is_full);
        if is_full {
            assert_eq!(shape(Padding::Refuse, None).unwrap(), of_height);
        } else {
            let message = shape(Padding::Refuse, Some(height))
                .unwrap_err()
                .to_string();
            assert!(message.contains("do not fill a tree of ar"), "{message}");
        }
        let mut hashes = vec![0; upper.len() + 1];
        for (level, nodes) in (0..=height).zip(levels) {
            assert_eq!(of_height.capacity(level), nodes.len() as u64);
            let given = definition.leaves.div_ceil(definition.leaves_below(level));
            if level <= top {
                assert_eq!(of_height.nodes(level), given);
            }
            if !is_full && level <= top && given < nodes.len() as u64 {
                assert_eq!(of_height.empty(level), nodes.last().map(Vec::as_slice));
            }
            if level < height {
                let set = definition.sets[level as usize];
                assert_eq!(of_height.arity_of_level(level), set.arity());
                let index = of_height.set_of_level(level);
                let expected = upper.iter().filter(|upper| upper.from <= level).count();
                assert_eq!(index, expected);
            }
            if (1..=top).contains(&level) {
                let below = upper.iter().filter(|upper| upper.from < level);
                hashes[below.count()] += given;
            }
        }
        assert_eq!(of_height.hashes_of_sets(), hashes);
        assert_eq!(of_height.hashes(), hashes.iter().sum::<u64>());
    }
}

/// Paths and multiproofs of random leaves up to every cap.
fn check_proofs(
    definition: &Definition,
    upper: &[UpperLevels<'static>],
    levels: &[Vec<Vec<Word>>],
    file: &TreeFile,
    random: &mut Random,
) {
    let (base, height) = (definition.sets[0], definition.sets.len() as u32);
    let path = file.path().with_extension("json");
    let mut indices: Vec<u64> = (0..5).map(|_| random.below(definition.leaves)).collect();
    indices.sort_unstable();
    indices.dedup();
    for cap_height in 0..=height {
        let cap = &levels[(height - cap_height) as usize];
        let paths = Proof::of_tree(file, &indices, cap_height).unwrap();
        for opening in &paths.openings {
            let siblings = opening.siblings.iter().map(Vec::len);
            let expected = definition.sets[..(height - cap_height) as usize].iter();
            assert!(siblings.eq(expected.map(|set| set.arity() - 1)));
        }
        let multiproof = Multiproof::of_tree(file, &indices, cap_height).unwrap();
        for proof in [AnyProof::Paths(paths), AnyProof::Multiproof(multiproof)] {
            let format = match (&proof, upper.is_empty()) {
                (AnyProof::Paths(_), true) => "acclmt-proof/1",
                (AnyProof::Paths(_), false) => "acclmt-proof/2",
                (AnyProof::Multiproof(_), true) => "acclmt-multiproof/1",
                (AnyProof::Multiproof(_), false) => "acclmt-multiproof/2",
            };
            assert_eq!(proof.format(), format);
            proof.save(&path).unwrap();
            assert_eq!(AnyProof::load(&path).unwrap(), proof);
            proof.verify_with_upper(base, upper, cap).unwrap();
            // Neither other levels nor another hash of a level.
            if let Some((last, below)) = upper.split_last() {
                for wrong in [
                    below.to_vec(),
                    [
                        below,
                        &[UpperLevels {
                            from: last.from + 1,
                            ..*last
                        }],
                    ]
                    .concat(),
                ] {
                    let error = proof.verify_with_upper(base, &wrong, cap).unwrap_err();
                    let message = error.to_string();
                    assert!(message.contains("and is to be verified with"), "{message}");
                }
                assert!(proof.verify(base, cap).is_err());
            }
            let mut altered = cap.clone();
            for node in &mut altered {
                node[0][0] ^= 1;
            }
            assert!(proof.verify_with_upper(base, upper, &altered).is_err());
        }
        let paths = Proof::of_tree(file, &indices, cap_height).unwrap();
        for level in 0..(height - cap_height) as usize {
            let mut altered = paths.clone();
            altered.openings[0].siblings[level][0][0][0] ^= 1;
            let message = altered.verify_with_upper(base, upper, cap).unwrap_err();
            assert!(message.to_string().contains("openings[0]"), "{message}");
            let mut altered = paths.clone();
            altered.openings[0].siblings[level].pop();
            let message = altered.verify_with_upper(base, upper, cap).unwrap_err();
            let expected = format!("siblings[{level}] has");
            assert!(message.to_string().contains(&expected), "{message}");
        }
    }
}

/// The tree in memory, and its paths.
fn check_memory<F: PoseidonField>(sets: &ByLevel<&AnyParameters>, levels: &[Vec<Vec<Word>>]) {
    let prepared = sets.map(|set| Poseidon::new(F::of(set).unwrap()));
    let hashes = prepared.map_ref();
    let fields = |digest: &Vec<Word>| -> Vec<F> {
        digest
            .iter()
            .map(|it| word::to_field(it).unwrap())
            .collect()
    };
    let leaves = levels[0].iter().flat_map(fields).collect();
    let tree = MerkleTree::build_by_level(&hashes, leaves).unwrap();
    for (layer, level) in tree.layers().iter().zip(levels) {
        assert_eq!(words(layer), level.concat());
    }
    assert_eq!(tree.height() + 1, levels.len());
    for (index, leaf) in levels[0].iter().enumerate() {
        let path = tree.path(index).unwrap();
        let leaf = fields(leaf);
        assert!(path.verify_by_level(&hashes, &leaf, tree.root()));
        let mut moved = path;
        moved.index = (index + 1) % levels[0].len();
        assert!(!moved.verify_by_level(&hashes, &leaf, tree.root()));
    }
}

/// The trees of Filecoin's 64 GiB sectors: arity 8, and two nodes of level 10 that are hashed with arity 2.
#[test]
fn sectors_of_64_gib() {
    let upper = upper(&[(10, "filecoin-arity-2")]);
    let base = set("filecoin-arity-8");
    let leaves = 1 << 31;
    let shape = TreeShape::new(base, &upper, leaves, Padding::Refuse, None, 0).unwrap();
    assert_eq!(shape.height(), 11);
    assert_eq!(shape.arities().levels(), [8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 2]);
    assert_eq!(shape.nodes(10), 2);
    assert_eq!(shape.hashes_of_sets(), [2 * ((1 << 30) - 1) / 7, 1]);
    let capped = TreeShape::new(base, &upper, leaves, Padding::Refuse, None, 2).unwrap();
    assert_eq!(capped.nodes(capped.top()), 16);
    assert_eq!(capped.hashes_of_sets()[1], 0);
}

#[test]
fn what_makes_no_tree_is_refused() {
    let base = set("filecoin-arity-8");
    let shape = |levels: &[(u32, &str)], leaves: u64, height: Option<u32>| {
        let upper = upper(levels);
        TreeShape::new(base, &upper, leaves, Padding::Refuse, height, 0)
    };
    let two = "filecoin-arity-2";
    for (levels, leaves, expected) in [
        (
            &[(0, two)][..],
            16,
            "the nodes of level 0, the leaves, are hashed with",
        ),
        (
            &[(2, two), (1, two)],
            16,
            "upper level 1 follows upper level 2",
        ),
        (
            &[(2, two), (2, two)],
            16,
            "upper level 2 follows upper level 2",
        ),
        (
            &[(1, "plonky2")],
            16,
            "'plonky2', of the levels from 1 on, makes no nodes for a tree of 'filecoin-arity-8': it is over \
             goldilocks with digests of 4, the tree over bls12-381 with digests of 1",
        ),
        (&[(1, "circom-bn254-arity-2")], 16, "it is over bn254"),
        (
            &[(1, "filecoin-arity-1")],
            16,
            "'filecoin-arity-1' makes no tree",
        ),
        (
            &[(2, two)],
            64,
            "no nodes of level 2 are hashed, as the tree has height 2",
        ),
        (
            &[(9, two)],
            64,
            "no nodes of level 9 are hashed, as the tree has height 2",
        ),
        (
            &[(1, two)],
            1,
            "no nodes of level 1 are hashed, as the tree has height 0",
        ),
        (
            &[(1, "filecoin-arity-4"), (2, two)],
            40,
            "40 leaves do not fill a tree of arities 8, 4, 2: its number of leaves is their product, 64",
        ),
    ] {
        let message = shape(levels, leaves, None);
        let message = message
            .err()
            .map_or(String::new(), |error| error.to_string());
        assert!(message.contains(expected), "{levels:?}: {message}");
    }
    let error = shape(&[(1, two)], 64, Some(2)).unwrap_err();
    let expected = "64 leaves do not fit into a tree of arities 8, 2 and height 2; give a height of at least 4";
    assert_eq!(error.to_string(), expected);
    let error = shape(&[(1, two)], 16, Some(62)).unwrap_err();
    assert!(matches!(error, ShapeError::TooHigh { .. }), "{error}");
    let error = shape(&[(62, two)], 64, None).unwrap_err();
    let expected = UpperError::NotReached {
        level: 62,
        height: 2,
    };
    assert_eq!(error, ShapeError::Upper(expected));
    // With the height to reach it, there is such a tree.
    let padding = [word::from_u64(0)];
    let upper = upper(&[(2, two)]);
    let padding = Padding::Leaf(&padding);
    let shape = TreeShape::new(base, &upper, 64, padding, Some(3), 0).unwrap();
    assert_eq!(shape.capacity(0), 128);

    let poseidon = |name| Poseidon::<Bls12_381>::new(presets::over(name).unwrap());
    let (eight, two) = (poseidon("filecoin-arity-8"), poseidon(two));
    let mut hashes = ByLevel::new(&eight);
    hashes.push(1, &two).unwrap();
    let tree = |leaves: u64| {
        let leaves = (0..leaves).map(Bls12_381::from).collect();
        MerkleTree::build_by_level(&hashes, leaves).map(|tree| tree.height())
    };
    assert_eq!(tree(32).unwrap(), 3);
    for (leaves, expected) in [
        (
            8,
            "no nodes of level 1 are hashed, as the tree has height 1",
        ),
        (
            24,
            "24 leaves do not fill a tree of arities 8, 2, 2: its number of leaves is their product, 32",
        ),
    ] {
        let message = tree(leaves).unwrap_err().to_string();
        assert!(message.contains(expected), "{message}");
    }
}

/// The header of a tree file with upper levels, and what is wrong with others.
#[test]
fn headers_of_tree_files() {
    let base = set("filecoin-arity-8");
    let definition = Definition {
        sets: vec![base, set("filecoin-arity-2")],
        leaves: 16,
        padding: Vec::new(),
        pads_sub_trees: false,
    };
    let levels: Vec<_> = (0..=2).map(|level| definition.level(level)).collect();
    let upper = upper(&[(1, "filecoin-arity-2")]);
    let (folder, file) = write(&definition, &upper, &levels);
    let bytes = std::fs::read(file.path()).unwrap();
    let length = u32::from_le_bytes(bytes[8..12].try_into().unwrap()) as usize;
    let header = std::str::from_utf8(&bytes[12..][..length]).unwrap();
    let expected = "{\"format\":\"acclmt-tree/3\",\"preset\":\"filecoin-arity-8\",\"field\":\"bls12-381\",\
                    \"arity\":8,\"upper\":[{\"from\":1,\"preset\":\"filecoin-arity-2\",\"arity\":2}],\
                    \"height\":2,\"digest_length\":1,\"element_bytes\":32,\"leaves\":16}";
    assert_eq!(header.trim_end(), expected);
    // The root, then the two nodes below it, then the leaves.
    let nodes: Vec<u8> = levels
        .iter()
        .rev()
        .flatten()
        .flatten()
        .flatten()
        .copied()
        .collect();
    assert_eq!(bytes[12 + length..bytes.len() - 32], nodes);
    for (from, to, expected) in [
        (
            "/3",
            "/2",
            "`upper` of the tree is wrong: this format has no upper levels",
        ),
        (
            ",\"upper\":[{\"from\":1,\"preset\":\"filecoin-arity-2\",\"arity\":2}]",
            "",
            "`upper` of the tree is wrong: it has no levels, or is missing",
        ),
        (
            "\"from\":1",
            "\"from\":0",
            "the nodes of level 0, the leaves",
        ),
        ("\"from\":1", "\"from\":2", "no nodes of level 2 are hashed"),
        (
            "\"arity\":2",
            "\"arity\":1",
            "the arity from level 1 on is 1, expected 2 to 16",
        ),
        (
            "\"arity\":2",
            "\"arity\":3",
            "its tree of arities 8, 3 and height 2 takes",
        ),
        ("\"from\":1", "\"fron\":1", "unknown field `fron`"),
        (
            "\"leaves\":16",
            "\"leaves\":17",
            "expected 1 to 16, the leaves of a tree of arities 8, 2",
        ),
    ] {
        let header = expected_length(&header.replace(from, to), length);
        let path = folder.path().join("altered");
        std::fs::write(
            &path,
            [&bytes[..12], header.as_bytes(), &bytes[12 + length..]].concat(),
        )
        .unwrap();
        let message = TreeFile::open(&path).unwrap_err().to_string();
        assert!(message.contains(expected), "{message}");
    }
}

fn expected_length(header: &str, length: usize) -> String {
    format!("{:<length$}", header.trim_end())
}

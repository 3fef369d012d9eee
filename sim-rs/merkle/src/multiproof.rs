//! Proofs that several leaves are in a Merkle tree, with every node once.
//!
//! The authentication paths of several leaves share nodes, and a path has nodes that another leaf's
//! path computes. A multiproof has neither: it has the leaves, and of every level the fewest nodes
//! from which, with the leaves, the root or the cap is computed. It is a JSON object:
//!
//! ```json
//! {"format":"acclmt-multiproof/1","preset":"filecoin-arity-2","field":"bls12-381","arity":2,
//!  "height":3,"cap_height":0,
//!  "openings":[{"index":4,"leaf":["0x.."]},{"index":7,"leaf":["0x.."]}],
//!  "nodes":[[["0x.."],["0x.."]],[],[["0x.."]]]}
//! ```
//!
//! There is one such object for every set of leaves:
//!
//! - `openings` has the leaves by ascending index, each once.
//! - `nodes` has one list for each level from the leaves up to below the cap. A node of a level is
//!   known if it is an opened leaf or above one. The list has the other children of the parents of
//!   known nodes, by ascending index. Above, it has nodes 5 and 6 of level 0, none of level 1, where
//!   2 and 3 are known, and node 0 of level 2.
//!
//! A proof of a tree with [upper levels](crate::levels) has the format `acclmt-multiproof/2`, and behind `arity` the key
//! `upper`, as in a [proof](crate::proof) of paths.
//!
//! Indices of nodes are not written, they follow from those of the leaves. Padding is written where a
//! path passes by it, since it does not follow from anything else in the proof. A leaf, and a node, is
//! the list of its field elements, as in a [proof](crate::proof) of paths.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::format::Formats;
use crate::levels::{UpperLevels, UpperPreset};
use crate::proof::{
    OpeningError, ProofError, ProofTree, RecordError, Shape, check_opened, read_digest,
    read_elements, read_kind, read_levels, write_elements, write_levels,
};
use crate::proof_file;
use crate::tree::hash_groups;
use crate::tree_file::TreeFile;
use acclmt_poseidon::fields::{AnyParameters, FieldId, PoseidonField, words};
use acclmt_poseidon::with_field;
use acclmt_poseidon::word::Word;

/// Names of the format.
pub(crate) const FORMATS: Formats = Formats {
    plain: "acclmt-multiproof/1",
    upper: "acclmt-multiproof/2",
};

/// A proof that leaves are in a tree, with every node once; the module describes its JSON form.
///
/// As with a [`Proof`](crate::proof::Proof), compare `height` with that of the tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "MultiproofRecord", into = "MultiproofRecord")]
pub struct Multiproof {
    /// Name of the parameter set.
    pub preset: String,
    /// The field.
    pub field: FieldId,
    /// Children of a node, below the upper levels.
    pub arity: usize,
    /// Parameter sets of upper levels.
    pub upper: Vec<UpperPreset>,
    /// Levels above the leaves.
    pub height: u32,
    /// Levels above the nodes where the proof ends; 0 when it ends at the root.
    pub cap_height: u32,
    /// The leaves, one or more, by ascending index.
    pub openings: Vec<OpenedLeaf>,
    /// For each level, from the leaves up to below the cap, the nodes that have no opened leaf at or
    /// below them and a parent that has, by ascending index: the elements of each.
    pub nodes: Vec<Vec<Vec<Word>>>,
}

/// A leaf of a multiproof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenedLeaf {
    /// Index of the leaf, counted from 0.
    pub index: u64,
    /// The elements of the leaf.
    pub leaf: Vec<Word>,
}

/// A multiproof as it is in JSON.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct MultiproofRecord {
    format: String,
    preset: String,
    field: String,
    arity: usize,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    upper: Vec<UpperPreset>,
    height: u32,
    cap_height: u32,
    openings: Vec<LeafRecord>,
    nodes: Vec<Vec<Vec<String>>>,
}

/// A leaf as it is in JSON.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LeafRecord {
    index: u64,
    leaf: Vec<String>,
}

impl TryFrom<MultiproofRecord> for Multiproof {
    type Error = RecordError;

    fn try_from(record: MultiproofRecord) -> Result<Self, RecordError> {
        let field = read_kind(&record.format, FORMATS, &record.upper, &record.field)?;
        let openings = record
            .openings
            .iter()
            .enumerate()
            .map(|(position, opening)| {
                Ok(OpenedLeaf {
                    index: opening.index,
                    leaf: read_elements(&opening.leaf, &format!("openings[{position}].leaf"))?,
                })
            });
        Ok(Self {
            preset: record.preset,
            field,
            arity: record.arity,
            upper: record.upper,
            height: record.height,
            cap_height: record.cap_height,
            openings: openings.collect::<Result<_, RecordError>>()?,
            nodes: read_levels(&record.nodes, "nodes")?,
        })
    }
}

impl From<Multiproof> for MultiproofRecord {
    fn from(proof: Multiproof) -> Self {
        let openings = proof.openings.iter().map(|opening| LeafRecord {
            index: opening.index,
            leaf: write_elements(&opening.leaf),
        });
        Self {
            format: proof.format().to_owned(),
            openings: openings.collect(),
            nodes: write_levels(&proof.nodes),
            preset: proof.preset,
            field: proof.field.name().to_owned(),
            arity: proof.arity,
            upper: proof.upper,
            height: proof.height,
            cap_height: proof.cap_height,
        }
    }
}

impl Multiproof {
    /// Opens the leaves `indices` of `tree`, in any order, up to its cap of height `cap_height`: 0 is
    /// the root. Padding cannot be opened, since it need not be a leaf: it may stand for a sub-tree.
    ///
    /// # Errors
    ///
    /// When there are no indices, one is beyond the given leaves or there twice, the cap is higher
    /// than the tree, or the tree cannot be read.
    pub fn of_tree(tree: &TreeFile, indices: &[u64], cap_height: u32) -> Result<Self, ProofError> {
        let header = tree.header();
        let levels = check_opened(header, indices, cap_height)?;
        let mut known = indices.to_vec();
        known.sort_unstable();
        let openings = known.iter().map(|&index| {
            let leaf = tree.node(0, index)?;
            Ok(OpenedLeaf { index, leaf })
        });
        let mut proof = Self {
            preset: header.preset().to_owned(),
            field: header.field(),
            arity: header.arity(),
            upper: header.upper().to_vec(),
            height: header.height(),
            cap_height,
            openings: openings.collect::<Result<_, ProofError>>()?,
            nodes: Vec::new(),
        };
        let arities = header.arities();
        for (level, &arity) in (0..levels).zip(arities.levels()) {
            let arity = arity as u64;
            let mut nodes = Vec::with_capacity(unknown_children(&known, arity));
            for group in groups(&known, arity) {
                if group.known.len() as u64 == arity {
                    continue;
                }
                let children = tree.read(level, group.children().start, arity)?;
                let children = group.children().zip(children);
                let unknown = children.filter(|(child, _)| !group.known.contains(child));
                nodes.extend(unknown.map(|(_, node)| node));
            }
            proof.nodes.push(nodes);
            known = parents(&known, arity);
        }
        Ok(proof)
    }

    /// Verifies that every opened leaf is in the tree of `parameters` with this root or cap. `cap`
    /// are the `arity^cap_height` nodes of the cap, the elements of each; the root alone for the
    /// height 0. Every node of the cap that is above an opened leaf is compared.
    ///
    /// The height is that of the proof, see [`Multiproof`]. The name of the parameter set is not
    /// compared.
    ///
    /// # Errors
    ///
    /// When the proof is of another kind of tree, its cap has another number of nodes than `cap`,
    /// openings do not ascend, a node is missing, superfluous or no digest, or what the leaves and
    /// nodes hash to is not in the cap.
    pub fn verify(&self, parameters: &AnyParameters, cap: &[Vec<Word>]) -> Result<(), ProofError> {
        self.verify_with_upper(parameters, &[], cap)
    }

    /// The same for a tree with upper levels, which have to be those of the proof.
    ///
    /// # Errors
    ///
    /// As [`verify`](Multiproof::verify), and when the proof has other upper levels.
    pub fn verify_with_upper(
        &self,
        parameters: &AnyParameters,
        upper: &[UpperLevels<'_>],
        cap: &[Vec<Word>],
    ) -> Result<(), ProofError> {
        let tree = ProofTree {
            field: self.field,
            arity: self.arity,
            upper: &self.upper,
            height: self.height,
            cap_height: self.cap_height,
        };
        let shape = Shape::new(parameters, upper, tree)?;
        with_field!(self.field, F => self.verify_in::<F>(&shape, cap))
    }

    /// Name of the format of its file.
    pub fn format(&self) -> &'static str {
        FORMATS.of(&self.upper)
    }

    fn verify_in<F: PoseidonField>(
        &self,
        shape: &Shape<'_>,
        cap: &[Vec<Word>],
    ) -> Result<(), ProofError> {
        shape.check_cap::<F>(self.cap_height, cap)?;
        let (mut known, mut digests) = self.read_leaves::<F>(shape)?;
        if self.nodes.len() as u64 != u64::from(shape.levels) {
            return Err(ProofError::NodeLevels {
                levels: self.nodes.len(),
                expected: shape.levels,
            });
        }
        let hashes = shape.prepared::<F>()?;
        for (level, nodes) in self.nodes.iter().enumerate() {
            let arity = shape.arity_of_level(level) as u64;
            let expected = unknown_children(&known, arity);
            if nodes.len() != expected {
                return Err(ProofError::NodeCount {
                    level,
                    nodes: nodes.len(),
                    expected,
                });
            }
            let mut known_digests = digests.chunks_exact(shape.digest_length);
            let mut nodes = nodes.iter().enumerate();
            let mut children = Vec::new();
            for group in groups(&known, arity) {
                for child in group.children() {
                    if group.known.contains(&child) {
                        children.extend(known_digests.next().into_iter().flatten());
                    } else if let Some((position, node)) = nodes.next() {
                        let node = read_digest::<F>(node, shape.digest_length);
                        children.extend(node.map_err(|problem| ProofError::Node {
                            level,
                            position,
                            problem,
                        })?);
                    }
                }
            }
            digests = hash_groups(hashes.of_level(level as u32), &children, &mut |_| {});
            known = parents(&known, arity);
        }
        let hashed = digests.chunks_exact(shape.digest_length);
        for (&node, hashed) in known.iter().zip(hashed) {
            let hashed = words(hashed);
            // The leaves are below the cap, which has been counted.
            let expected = (usize::try_from(node).ok())
                .and_then(|node| cap.get(node))
                .map(Vec::as_slice)
                .unwrap_or_default();
            if hashed != expected {
                return Err(ProofError::Mismatch {
                    positions: self.openings_below(node, shape),
                    hashed,
                    node,
                    expected: expected.to_vec(),
                });
            }
        }
        Ok(())
    }

    /// The indices of the leaves, which ascend, and their elements one after another.
    fn read_leaves<F: PoseidonField>(
        &self,
        shape: &Shape<'_>,
    ) -> Result<(Vec<u64>, Vec<F>), ProofError> {
        if self.openings.is_empty() {
            return Err(ProofError::NoOpenings);
        }
        let mut indices: Vec<u64> = Vec::with_capacity(self.openings.len());
        let mut elements = Vec::with_capacity(self.openings.len() * shape.digest_length);
        for (position, opening) in self.openings.iter().enumerate() {
            let index = opening.index;
            let wrong = |problem| ProofError::Opening {
                position,
                index,
                problem,
            };
            if index >= shape.leaves {
                let leaves = shape.leaves;
                return Err(wrong(OpeningError::Index { leaves }));
            }
            match indices.last() {
                Some(&before) if before == index => {
                    let first = position - 1;
                    return Err(wrong(OpeningError::Duplicate { first }));
                }
                Some(&before) if before > index => {
                    return Err(wrong(OpeningError::Order {
                        before: position - 1,
                        index: before,
                    }));
                }
                _ => indices.push(index),
            }
            let leaf = read_digest::<F>(&opening.leaf, shape.digest_length);
            elements.extend(leaf.map_err(|problem| wrong(OpeningError::Leaf(problem)))?);
        }
        Ok((indices, elements))
    }

    /// The positions of the first and the last opening below a node of the cap.
    fn openings_below(&self, node: u64, shape: &Shape<'_>) -> [usize; 2] {
        let node_of = |opening: &OpenedLeaf| opening.index / shape.leaves_of_cap_node;
        let first = self.openings.partition_point(|it| node_of(it) < node);
        let end = self.openings.partition_point(|it| node_of(it) <= node);
        [first, end.saturating_sub(1)]
    }

    /// Nodes of the proof, without the leaves.
    pub fn node_count(&self) -> u64 {
        self.nodes.iter().map(|nodes| nodes.len() as u64).sum()
    }

    /// Nodes of the authentication paths of all its leaves, each with nodes of its own.
    pub fn nodes_of_paths(&self) -> u64 {
        // A proof that was not verified may have any arity.
        let arities = UpperPreset::arities_or_base(self.arity, &self.upper);
        let path = (0..self.nodes.len() as u32)
            .map(|level| (*arities.of_level(level) as u64).saturating_sub(1))
            .fold(0, u64::saturating_add);
        path.saturating_mul(self.openings.len() as u64)
    }

    /// Reads a multiproof from its JSON form.
    ///
    /// # Errors
    ///
    /// When the file cannot be read or is no multiproof; the error names the place. Whether the leaves
    /// and nodes are right is what [`Multiproof::verify`] checks.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, ProofError> {
        proof_file::load(path.as_ref(), FORMATS)
    }

    /// Writes the JSON form of the proof. A file at `path` is replaced at the end, when the proof is
    /// whole.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), ProofError> {
        proof_file::save(path.as_ref(), self)
    }
}

/// The known children of a node, one or more.
struct Group<'a> {
    parent: u64,
    arity: u64,
    /// Their indices, which ascend.
    known: &'a [u64],
}

impl Group<'_> {
    /// The indices of all children.
    fn children(&self) -> std::ops::Range<u64> {
        let first = self.parent * self.arity;
        first..first + self.arity
    }
}

/// The groups of nodes of a level with the same parent, of `known` nodes, whose indices ascend.
fn groups(known: &[u64], arity: u64) -> impl Iterator<Item = Group<'_>> {
    known
        .chunk_by(move |left, right| left / arity == right / arity)
        .map(move |known| Group {
            parent: known[0] / arity,
            arity,
            known,
        })
}

/// The parents of `known` nodes of a level.
fn parents(known: &[u64], arity: u64) -> Vec<u64> {
    groups(known, arity).map(|group| group.parent).collect()
}

/// The number of children of these parents that are not known.
fn unknown_children(known: &[u64], arity: u64) -> usize {
    let children = groups(known, arity).count() * arity as usize;
    children - known.len()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::Value;
    use tempfile::TempDir;

    use super::*;
    use crate::proof::Proof;
    use crate::proof_file::AnyProof;
    use crate::tree_file::testing::write;
    use acclmt_poseidon::{presets, word};

    /// The file of a tree whose leaves count up, its folder, and the nodes of its levels.
    fn tree(name: &str, height: u32) -> (TempDir, TreeFile, Vec<Vec<Vec<Word>>>) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tree");
        let levels = write(&path, presets::by_name(name).unwrap(), height);
        let file = TreeFile::open(&path).unwrap();
        (folder, file, levels)
    }

    /// The example of the module's documentation.
    #[test]
    fn the_json_form_is_as_documented() {
        let (folder, file, levels) = tree("filecoin-arity-2", 3);
        let proof = Multiproof::of_tree(&file, &[7, 4], 0).unwrap();
        let hex = |level: usize, index: usize| write_elements(&levels[level][index]);
        let expected = serde_json::json!({
            "format": "acclmt-multiproof/1",
            "preset": "filecoin-arity-2",
            "field": "bls12-381",
            "arity": 2,
            "height": 3,
            "cap_height": 0,
            "openings": [
                { "index": 4, "leaf": hex(0, 4) },
                { "index": 7, "leaf": hex(0, 7) },
            ],
            "nodes": [[hex(0, 5), hex(0, 6)], [], [hex(2, 0)]],
        });
        assert_eq!(serde_json::to_value(&proof).unwrap(), expected);
        assert_eq!(
            serde_json::from_value::<Multiproof>(expected).unwrap(),
            proof
        );
        assert_eq!((proof.node_count(), proof.nodes_of_paths()), (3, 6));
        let path = folder.path().join("proof.json");
        proof.save(&path).unwrap();
        assert_eq!(Multiproof::load(&path).unwrap(), proof);
        // The order of the indices has no part in it.
        let other = folder.path().join("other.json");
        let proof = Multiproof::of_tree(&file, &[4, 7], 0).unwrap();
        proof.save(&other).unwrap();
        assert_eq!(fs::read(&other).unwrap(), fs::read(&path).unwrap());
    }

    #[test]
    fn either_format_is_read() {
        let (folder, file, levels) = tree("plonky2", 3);
        let parameters = presets::by_name("plonky2").unwrap();
        let path = folder.path().join("proof.json");
        let indices = [6, 1];
        let paths = Proof::of_tree(&file, &indices, 1).unwrap();
        let multiproof = Multiproof::of_tree(&file, &indices, 1).unwrap();
        for (proof, leaves, counts) in [
            (AnyProof::Paths(paths), [6, 1], (4, 4)),
            (AnyProof::Multiproof(multiproof), [1, 6], (4, 4)),
        ] {
            proof.save(&path).unwrap();
            assert_eq!(AnyProof::load(&path).unwrap(), proof);
            proof.verify(parameters, &levels[2]).unwrap();
            let leaf = |index| (index, &levels[0][index as usize][..]);
            assert_eq!(proof.leaves(), leaves.map(leaf));
            assert_eq!((proof.node_count(), proof.nodes_of_paths()), counts);
            assert_eq!((proof.preset(), proof.arity()), ("plonky2", 2));
            assert_eq!((proof.height(), proof.cap_height()), (3, 1));
        }
        // Each is refused where the other is asked for.
        let message = Proof::load(&path).unwrap_err().to_string();
        let expected = "'acclmt-multiproof/1', expected 'acclmt-proof/1'";
        assert!(message.contains(expected), "{message}");
        fs::write(&path, r#"{"format":"acclmt-multiproof/3"}"#).unwrap();
        let message = AnyProof::load(&path).unwrap_err().to_string();
        let expected = "does not follow the format acclmt-proof/1 or acclmt-proof/2 or \
                        acclmt-multiproof/1 or acclmt-multiproof/2: its `format` is \
                        'acclmt-multiproof/3', expected 'acclmt-proof/1' or 'acclmt-proof/2' or \
                        'acclmt-multiproof/1' or 'acclmt-multiproof/2'; another version of this program \
                        wrote it";
        assert!(message.contains(expected), "{message}");
    }

    #[test]
    fn malformed_files_are_refused_with_the_place() {
        let (folder, file, _) = tree("dusk", 2);
        let path = folder.path().join("proof.json");
        let proof = Multiproof::of_tree(&file, &[5, 6], 0).unwrap();
        let json = serde_json::to_value(&proof).unwrap();
        let altered = |pointer: &str, value: Value| {
            let mut json = json.clone();
            *json.pointer_mut(pointer).unwrap() = value;
            json.to_string()
        };
        let mut more = json.clone();
        more["openings"][1]["siblings"] = Value::Array(Vec::new());
        let mut less = json.clone();
        less.as_object_mut().unwrap().remove("nodes");
        for (text, expected) in [
            (String::new(), "EOF"),
            ("{}".to_owned(), "missing field `format`"),
            (format!("{json}x"), "trailing characters"),
            (more.to_string(), "unknown field `siblings`"),
            (less.to_string(), "missing field `nodes`"),
            (altered("/field", "x".into()), "`field`: unknown field 'x'"),
            (altered("/arity", "4".into()), "invalid type"),
            (altered("/openings/1/index", (-5).into()), "invalid value"),
            (
                altered("/openings/1/leaf/0", "5".into()),
                "`openings[1].leaf[0]`: '5' is no field element: the prefix 0x is missing",
            ),
            (
                altered("/nodes/1/2/0", "0xg".into()),
                "`nodes[1][2][0]`: '0xg' is no field element",
            ),
            (altered("/nodes/1/2", "0x0".into()), "invalid type"),
            (altered("/nodes/1", Value::Null), "invalid type"),
        ] {
            fs::write(&path, text).unwrap();
            let message = AnyProof::load(&path).unwrap_err().to_string();
            assert!(message.contains(expected), "{message}\n{expected}");
            assert!(message.contains("proof.json does not follow the format acclmt-"));
        }
    }

    #[test]
    fn what_cannot_be_opened_is_refused() {
        let (_folder, file, _) = tree("filecoin-arity-2", 3);
        for (indices, cap_height, expected) in [
            (&[][..], 0, "no leaf is opened"),
            (&[1, 8], 0, "no leaf 8: the 8 leaves"),
            (&[1, u64::MAX], 0, "no leaf 18446744073709551615"),
            (&[3, 1, 3], 0, "leaf 3 is given twice"),
            (&[3, 1], 4, "a cap of height 4 is higher than the tree"),
        ] {
            let proof = Multiproof::of_tree(&file, indices, cap_height);
            let message = proof.unwrap_err().to_string();
            assert!(message.contains(expected), "{message}");
        }
    }

    /// A proof of one parameter set is none of another.
    #[test]
    fn other_parameter_sets_are_refused() {
        let (_folder, file, levels) = tree("dusk", 2);
        let proof = Multiproof::of_tree(&file, &[5, 6, 11], 1).unwrap();
        let verify = |proof: &Multiproof, name: &str| {
            let result = proof.verify(presets::by_name(name).unwrap(), &levels[1]);
            result.map_err(|error| error.to_string())
        };
        verify(&proof, "dusk").unwrap();
        for (name, expected) in [
            ("filecoin-arity-2", "arity 4, those of 'filecoin-arity-2'"),
            ("circom-bn254-arity-4", "over the field bls12-381, 'circom"),
            ("filecoin-arity-1", "makes no tree"),
            (
                "filecoin-arity-4",
                "openings[0] to openings[1] and the nodes beside their paths hash to 0x",
            ),
        ] {
            let message = verify(&proof, name).unwrap_err();
            assert!(message.contains(expected), "{message}");
        }
        let mut altered = proof.clone();
        altered.openings[2].leaf = vec![word::from_u64(7)];
        let message = verify(&altered, "dusk").unwrap_err();
        let expected = "openings[2] and the nodes beside their paths hash to 0x";
        assert!(message.contains(expected), "{message}");
        assert!(message.contains("not to node 2 of the cap, 0x"));
        let mut altered = proof;
        altered.cap_height = 3;
        let message = verify(&altered, "dusk").unwrap_err();
        assert!(message.contains("a cap of height 3 is higher than the tree"));
    }
}

//! Reads the trees of Filecoin's sectors: columns of elements or elements as leaves, nodes of one arity, and several
//! such trees that are joined by nodes of other arities.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;

use super::cases::{Check, LevelsCheck, MAX_LEAVES, NodeCheck, Read, record, skip};
use super::elements::{element, generate_element};
use acclmt_poseidon::fields::{AnyParameters, FieldId};
use acclmt_poseidon::presets;
use acclmt_poseidon::word::Word;

/// Most levels of a tree that is joined: there are no more leaves than can be counted.
const MAX_HEIGHT: u32 = 60;

/// The field of the sets.
const FIELD: FieldId = FieldId::Bls12_381;

#[derive(Deserialize)]
struct TreeRecord {
    column_arity: Option<usize>,
    tree_arity: usize,
    height: Option<u32>,
    leaf_count: usize,
    seed: Option<String>,
    element: Option<String>,
    column_hash: Option<String>,
    columns: Option<Vec<Vec<String>>>,
    root: String,
    #[serde(default)]
    nodes: Vec<NodeRecord>,
    #[serde(default)]
    paths: Vec<PathRecord>,
}

#[derive(Deserialize)]
struct NodeRecord {
    level: u32,
    index: u64,
    value: String,
}

#[derive(Deserialize)]
struct PathRecord {
    index: u64,
    leaf: String,
    siblings: Vec<Vec<String>>,
}

#[derive(Deserialize)]
struct JoinedRecord {
    column_arity: usize,
    tree_arity: usize,
    base_height: u32,
    sub_arity: usize,
    top_arity: usize,
    leaf_count: usize,
    column_seed: String,
    leaf_seed: String,
    column_base_roots: Vec<String>,
    column_sub_roots: Vec<String>,
    column_root: String,
    leaf_base_roots: Vec<String>,
    leaf_sub_roots: Vec<String>,
    leaf_root: String,
    comm_r: String,
}

/// What a case with this `op` asks for.
///
/// # Errors
///
/// When the case does not follow the format.
pub(super) fn read(op: &str, case: Value) -> Read {
    match op {
        "column_tree" | "column_tree_uniform" | "leaf_tree" => tree(op, record(case)?),
        "joined" => joined(&record(case)?),
        op => skip(format!("column trees with the op '{op}' are not supported")),
    }
}

/// Filecoin's set of this arity.
fn set(arity: usize) -> Result<Arc<AnyParameters>, String> {
    let set = presets::by_name(&format!("filecoin-arity-{arity}"));
    let set = set.map_err(|_| format!("no set of Filecoin is known with the arity {arity}"))?;
    Ok(Arc::new(set.clone()))
}

/// A node that a case gives at `place`.
fn node(place: String, level: u32, index: u64, text: &str) -> Result<NodeCheck, String> {
    let value = element(text, FIELD, || place.clone())?;
    Ok(NodeCheck {
        place,
        level,
        index,
        value,
    })
}

/// The elements of `leaves` leaves of `length` elements each, counted.
fn count_elements(leaves: usize, length: usize) -> Result<usize, String> {
    let elements = leaves.saturating_mul(length);
    if leaves == 0 || elements > MAX_LEAVES {
        return Err(format!(
            "it has {leaves} leaves of {length} elements, expected 1 to {MAX_LEAVES} elements together"
        ));
    }
    Ok(elements)
}

/// The elements of `leaves` leaves of `length` elements each.
fn generate(seed: &str, leaves: usize, length: usize) -> Result<Vec<Word>, String> {
    let elements = 0..count_elements(leaves, length)?;
    let elements = elements.map(|index| generate_element(FIELD, seed, index));
    Ok(elements.collect())
}

fn tree(op: &str, case: TreeRecord) -> Read {
    if case.tree_arity < 2 {
        return Err(format!(
            "its tree_arity is {}, expected 2 or more",
            case.tree_arity
        ));
    }
    let parameters = match set(case.tree_arity) {
        Ok(set) => set,
        Err(reason) => return skip(reason),
    };
    let columns = match (op, case.column_arity) {
        ("leaf_tree", _) => None,
        (_, Some(arity)) => Some(arity),
        (_, None) => return Err("missing field `column_arity`".to_owned()),
    };
    let leaf = match columns.map(set).transpose() {
        Ok(leaf) => leaf,
        Err(reason) => return skip(reason),
    };
    let length = columns.unwrap_or(1);
    let elements = match (&case.element, &case.seed) {
        (Some(text), _) if op == "column_tree_uniform" => {
            let one = element(text, FIELD, || "element".to_owned())?;
            vec![one; count_elements(case.leaf_count, length)?]
        }
        (_, Some(seed)) => generate(seed, case.leaf_count, length)?,
        _ => return Err("it does not say its elements".to_owned()),
    };
    if let Some(given) = &case.columns {
        let given = given.concat();
        let given = (given.iter().enumerate())
            .map(|(index, text)| element(text, FIELD, || format!("columns, element {index}")));
        if given.collect::<Result<Vec<_>, _>>()? != elements {
            return Err("its columns are not those that its generator gives".to_owned());
        }
    }
    let mut height = 0;
    let mut room = 1_usize;
    while room < case.leaf_count {
        room = room.saturating_mul(case.tree_arity);
        height += 1;
    }
    if room != case.leaf_count || case.height.is_some_and(|given| given != height) {
        return Err(format!(
            "it has {} leaves, which is not {}^height",
            case.leaf_count, case.tree_arity
        ));
    }
    let mut nodes = Vec::new();
    for (number, it) in case.nodes.iter().enumerate() {
        let place = format!("nodes[{number}].value");
        nodes.push(node(place, it.level, it.index, &it.value)?);
    }
    if let Some(hash) = &case.column_hash {
        let last = case.leaf_count as u64 - 1;
        nodes.push(node("column_hash".to_owned(), 0, last, hash)?);
    }
    for (number, path) in case.paths.iter().enumerate() {
        nodes.extend(path_nodes(path, number, case.tree_arity as u64, height)?);
    }
    nodes.push(node("root".to_owned(), height, 0, &case.root)?);
    Ok(Ok(vec![Check::Levels(Box::new(LevelsCheck {
        parameters,
        leaf,
        upper: Vec::new(),
        leaves: case.leaf_count as u64,
        elements,
        nodes,
    }))]))
}

/// The nodes that a path gives: its leaf, and the siblings of each level.
fn path_nodes(
    path: &PathRecord,
    number: usize,
    arity: u64,
    height: u32,
) -> Result<Vec<NodeCheck>, String> {
    let place = format!("paths[{number}]");
    if path.siblings.len() != height as usize {
        return Err(format!(
            "{place} has siblings of {} levels, expected {height}",
            path.siblings.len()
        ));
    }
    let mut nodes = vec![node(format!("{place}.leaf"), 0, path.index, &path.leaf)?];
    let mut index = path.index;
    for (level, siblings) in (0..).zip(&path.siblings) {
        let first = index - index % arity;
        let others: Vec<u64> = (first..first + arity).filter(|&it| it != index).collect();
        if siblings.len() != others.len() {
            return Err(format!(
                "{place}.siblings[{level}] has {} nodes, expected {}",
                siblings.len(),
                others.len()
            ));
        }
        for (other, text) in others.into_iter().zip(siblings) {
            let place = format!("{place}.siblings[{level}]");
            nodes.push(node(place, level, other, text)?);
        }
        index /= arity;
    }
    Ok(nodes)
}

/// Trees of columns and of leaves, joined in the same way, and the hash of both roots.
fn joined(case: &JoinedRecord) -> Read {
    let arities = [
        case.column_arity,
        case.tree_arity,
        case.sub_arity,
        case.top_arity,
    ];
    if arities.contains(&0) || case.tree_arity < 2 {
        return Err(format!(
            "its arities are {arities:?}, expected 1 or more, and 2 or more of the tree"
        ));
    }
    if !(1..=MAX_HEIGHT).contains(&case.base_height) {
        return Err(format!(
            "its base_height is {}, expected 1 to {MAX_HEIGHT}",
            case.base_height
        ));
    }
    // Nothing is joined by an arity of 1.
    let mut upper = Vec::new();
    let mut levels = vec![(case.tree_arity, case.base_height)];
    let mut height = case.base_height;
    for arity in [case.sub_arity, case.top_arity] {
        if arity == 1 {
            continue;
        }
        if levels.last().is_none_or(|(below, _)| *below != arity) {
            match set(arity) {
                Ok(set) => upper.push((height, set)),
                Err(reason) => return skip(reason),
            }
        }
        levels.push((arity, 1));
        height += 1;
    }
    let leaves = levels.iter().try_fold(1_usize, |leaves, (arity, levels)| {
        leaves.checked_mul(arity.checked_pow(*levels)?)
    });
    if leaves != Some(case.leaf_count) {
        return Err(format!(
            "it has {} leaves, which is not {}^{} * {} * {}",
            case.leaf_count, case.tree_arity, case.base_height, case.sub_arity, case.top_arity
        ));
    }
    let sets = [case.tree_arity, case.column_arity, 2].map(set);
    let [parameters, columns, pair] = match sets.into_iter().collect::<Result<Vec<_>, _>>() {
        Ok(sets) => <[_; 3]>::try_from(sets).map_err(|_| "three sets are read".to_owned())?,
        Err(reason) => return skip(reason),
    };
    let sub_level = case.base_height + u32::from(case.sub_arity > 1);
    let tree =
        |kind: &str, leaf: Option<Arc<AnyParameters>>, seed, [base, sub]: [&[String]; 2], root| {
            let length = leaf.as_ref().map_or(1, |_| case.column_arity);
            let mut nodes = Vec::new();
            for (what, level, roots) in [("base", case.base_height, base), ("sub", sub_level, sub)]
            {
                for (index, text) in roots.iter().enumerate() {
                    let place = format!("{kind}_{what}_roots[{index}]");
                    nodes.push(node(place, level, index as u64, text)?);
                }
            }
            nodes.push(node(format!("{kind}_root"), height, 0, root)?);
            Ok::<_, String>(Check::Levels(Box::new(LevelsCheck {
                parameters: Arc::clone(&parameters),
                leaf,
                upper: upper.clone(),
                leaves: case.leaf_count as u64,
                elements: generate(seed, case.leaf_count, length)?,
                nodes,
            })))
        };
    let column_roots: [&[String]; 2] = [&case.column_base_roots, &case.column_sub_roots];
    let leaf_roots: [&[String]; 2] = [&case.leaf_base_roots, &case.leaf_sub_roots];
    let inputs = [
        ("column_root", &case.column_root),
        ("leaf_root", &case.leaf_root),
    ];
    let inputs = inputs.map(|(place, text)| element(text, FIELD, || place.to_owned()));
    Ok(Ok(vec![
        tree(
            "column",
            Some(columns),
            &case.column_seed,
            column_roots,
            &case.column_root,
        )?,
        tree("leaf", None, &case.leaf_seed, leaf_roots, &case.leaf_root)?,
        Check::Hash {
            parameters: pair,
            inputs: inputs.into_iter().collect::<Result<_, _>>()?,
            output: vec![element(&case.comm_r, FIELD, || "comm_r".to_owned())?],
        },
    ]))
}

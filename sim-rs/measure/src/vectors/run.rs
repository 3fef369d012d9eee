//! Runs the checks of cases on a device, many hashes together.

use std::sync::Arc;

use super::cases::{Check, Leaves, LevelsCheck, MerkleCheck, Skipped, VectorCase};
use acclmt_driver::device::{CommitRequest, Device, DeviceError, LeafRule, NoProgress, WordSource};
use acclmt_driver::messages::hash_messages_with;
use acclmt_driver::nodes::{AllNodes, NoNodes};
use acclmt_merkle::levels::UpperLevels;
use acclmt_merkle::shape::Padding;
use acclmt_merkle::tree::{AuthenticationPath, MerkleTree};
use acclmt_poseidon::fields::{AnyParameters, FieldId, PoseidonField, words};
use acclmt_poseidon::params::PoseidonParameters;
use acclmt_poseidon::permutation::Poseidon;
use acclmt_poseidon::sponge::Sponge;
use acclmt_poseidon::word::{self, Word};
use acclmt_poseidon::{dispatch, with_field};

/// What came of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Everything that the case gives was found.
    Passed,
    /// Something else was found.
    Failed {
        /// What the case gives.
        expected: String,
        /// What was found.
        got: String,
    },
    /// The case was not run.
    Skipped {
        /// Why.
        reason: String,
    },
}

/// What goes to the device in one call.
#[derive(PartialEq)]
enum Batch<'a> {
    Hash(&'a Arc<AnyParameters>),
    Permute(&'a Arc<AnyParameters>),
    Sponge(&'a Arc<AnyParameters>, &'a Sponge),
}

/// A check in a batch.
struct Member<'a> {
    /// Index of the case.
    case: usize,
    /// Input, state or message.
    elements: &'a [Word],
    /// The elements of the result that are compared; all when there are none.
    positions: &'a [usize],
    output: &'a [Word],
}

/// Why nothing was computed.
enum Failure {
    Unsupported(String),
    Error(String),
}

impl From<DeviceError> for Failure {
    fn from(error: DeviceError) -> Self {
        match error {
            DeviceError::Unsupported(unsupported) => Self::Unsupported(unsupported.to_string()),
            error => Self::Error(error.to_string()),
        }
    }
}

pub(super) fn run_cases(device: &mut dyn Device, cases: &[&VectorCase]) -> Vec<Outcome> {
    let mut outcomes = vec![Outcome::Passed; cases.len()];
    let mut batches: Vec<(Batch<'_>, Vec<Member<'_>>)> = Vec::new();
    let mut single = Vec::new();
    for (case, VectorCase { checks, .. }) in cases.iter().enumerate() {
        let checks = match checks {
            Ok(checks) => checks,
            Err(Skipped(reason)) => {
                outcomes[case] = Outcome::Skipped {
                    reason: reason.clone(),
                };
                continue;
            }
        };
        for check in checks {
            let (batch, elements, positions, output) = match check {
                Check::Hash {
                    parameters,
                    inputs,
                    output,
                } => (Batch::Hash(parameters), inputs, [].as_slice(), output),
                Check::Permute {
                    parameters,
                    state,
                    positions,
                    output,
                } => (
                    Batch::Permute(parameters),
                    state,
                    positions.as_slice(),
                    output,
                ),
                Check::Sponge {
                    parameters,
                    sponge,
                    message,
                    output,
                } => (
                    Batch::Sponge(parameters, sponge),
                    message,
                    [].as_slice(),
                    output,
                ),
                check => {
                    single.push((case, check));
                    continue;
                }
            };
            let member = Member {
                case,
                elements,
                positions,
                output,
            };
            match batches.iter_mut().find(|(known, _)| *known == batch) {
                Some((_, members)) => members.push(member),
                None => batches.push((batch, vec![member])),
            }
        }
    }
    for (batch, members) in &batches {
        let results = batch.run(device, members);
        for (index, member) in members.iter().enumerate() {
            let outcome = match &results {
                Ok(results) => {
                    let result = &results[index];
                    match member.positions {
                        [] => compare(member.output, result),
                        positions => {
                            let chosen: Vec<Word> = positions.iter().map(|&i| result[i]).collect();
                            compare(member.output, &chosen)
                        }
                    }
                }
                Err(failure) => not_computed(device, batch.parameters(), member.output, failure),
            };
            settle(&mut outcomes[member.case], outcome);
        }
    }
    for (case, check) in single {
        let outcome = run_single(device, check);
        settle(&mut outcomes[case], outcome);
    }
    outcomes
}

/// The outcome of a case is that of its first check that did not pass; a failure counts more than a
/// skipped check.
fn settle(outcome: &mut Outcome, new: Outcome) {
    let replaces = matches!(
        (&outcome, &new),
        (Outcome::Passed, _) | (Outcome::Skipped { .. }, Outcome::Failed { .. })
    );
    if replaces {
        *outcome = new;
    }
}

impl Batch<'_> {
    fn parameters(&self) -> &AnyParameters {
        match self {
            Self::Hash(parameters) | Self::Permute(parameters) | Self::Sponge(parameters, _) => {
                parameters
            }
        }
    }

    fn run(
        &self,
        device: &mut dyn Device,
        members: &[Member<'_>],
    ) -> Result<Vec<Vec<Word>>, Failure> {
        device
            .supports(self.parameters())
            .map_err(DeviceError::from)?;
        let lists: Vec<Vec<Word>> = (members.iter())
            .map(|member| member.elements.to_vec())
            .collect();
        let results = match self {
            Self::Hash(parameters) => device.hash(parameters, &lists, &mut NoProgress)?.digests,
            Self::Permute(parameters) => {
                device.permute(parameters, &lists, &mut NoProgress)?.states
            }
            Self::Sponge(parameters, sponge) => {
                hash_messages_with(device, parameters, sponge, &lists)?
            }
        };
        if results.len() == members.len() {
            return Ok(results);
        }
        Err(Failure::Error(format!(
            "{} results came for {} inputs",
            results.len(),
            members.len()
        )))
    }
}

fn run_single(device: &mut dyn Device, check: &Check) -> Outcome {
    let (parameters, output, result) = match check {
        Check::Equal { output, got } => return compare(output, got),
        Check::HashChain {
            parameters,
            length,
            output,
        } => (parameters, output, hash_chain(device, parameters, *length)),
        Check::PermutationChain {
            parameters,
            length,
            output,
        } => {
            let result = permutation_chain(device, parameters, *length);
            (parameters, output, result)
        }
        Check::Squeeze {
            parameters,
            message,
            output,
        } => {
            let result = squeeze(device, parameters, message, output.len());
            (parameters, output, result)
        }
        Check::Merkle(check) => {
            let leaves = match leaf_digests(device, check) {
                Ok(leaves) => leaves,
                Err(failure) => {
                    return not_computed(device, &check.parameters, &check.root, &failure);
                }
            };
            let outcome = match root(device, check, &leaves) {
                Ok(root) => compare(&check.root, &root),
                Err(failure) => not_computed(device, &check.parameters, &check.root, &failure),
            };
            return match outcome {
                Outcome::Passed => check_tree(check, &leaves),
                outcome => outcome,
            };
        }
        Check::Levels(check) => {
            return match levels(device, check) {
                Ok(nodes) => check_levels(check, &nodes),
                Err(failure) => {
                    let root = check.nodes.last().map(|node| node.value);
                    let root = root.as_slice();
                    not_computed(device, &check.parameters, root, &failure)
                }
            };
        }
        Check::Hash { .. } | Check::Permute { .. } | Check::Sponge { .. } => {
            unreachable!("these go in batches")
        }
    };
    match result {
        Ok(got) => compare(output, &got),
        Err(failure) => not_computed(device, parameters, output, &failure),
    }
}

/// The state behind a permutation on the device.
fn permuted(
    device: &mut dyn Device,
    parameters: &AnyParameters,
    state: Vec<Word>,
) -> Result<Vec<Word>, Failure> {
    let report = device.permute(parameters, &[state], &mut NoProgress)?;
    (report.states.into_iter().next())
        .ok_or_else(|| Failure::Error("no state came for a permutation".to_owned()))
}

/// See [`Check::Squeeze`].
fn squeeze(
    device: &mut dyn Device,
    parameters: &AnyParameters,
    message: &[Word],
    length: usize,
) -> Result<Vec<Word>, Failure> {
    device.supports(parameters).map_err(DeviceError::from)?;
    let rate = parameters.width() - 1;
    let mut state = vec![Word::default(); parameters.width()];
    for block in message.chunks(rate) {
        for (element, input) in state[1..].iter_mut().zip(block) {
            *element = sum(parameters.field(), &[*element, *input]);
        }
        state = permuted(device, parameters, state)?;
    }
    let mut output = Vec::new();
    while output.len() < length {
        if !output.is_empty() {
            state = permuted(device, parameters, state)?;
        }
        output.extend_from_slice(&state[1..]);
    }
    output.truncate(length);
    Ok(output)
}

/// The sum of field elements.
fn sum(field: FieldId, elements: &[Word]) -> Word {
    with_field!(field, F => {
        let sum: F = elements.iter().filter_map(word::to_field::<F>).sum();
        word::from_field(sum)
    })
}

fn text(elements: &[Word]) -> String {
    let elements: Vec<String> = elements.iter().map(word::to_hex).collect();
    elements.join(" ")
}

fn compare(expected: &[Word], got: &[Word]) -> Outcome {
    if expected == got {
        return Outcome::Passed;
    }
    failed(text(expected), text(got))
}

fn failed(expected: impl Into<String>, got: impl Into<String>) -> Outcome {
    Outcome::Failed {
        expected: expected.into(),
        got: got.into(),
    }
}

fn not_computed(
    device: &dyn Device,
    parameters: &AnyParameters,
    output: &[Word],
    failure: &Failure,
) -> Outcome {
    match failure {
        Failure::Unsupported(reason) => Outcome::Skipped {
            reason: reason.clone(),
        },
        Failure::Error(error) => failed(
            text(output),
            format!("'{}' on {}: {error}", parameters.name(), device.name()),
        ),
    }
}

/// The only one of `lists`.
fn only(mut lists: Vec<Vec<Word>>) -> Result<Vec<Word>, Failure> {
    match lists.len() {
        1 => Ok(lists.remove(0)),
        count => Err(Failure::Error(format!(
            "{count} results came for one input"
        ))),
    }
}

fn hash_chain(
    device: &mut dyn Device,
    parameters: &AnyParameters,
    length: u64,
) -> Result<Vec<Word>, Failure> {
    device.supports(parameters).map_err(DeviceError::from)?;
    let mut value = vec![Word::default()];
    for k in 0..length {
        let mut inputs = value;
        inputs.extend((k + 1..).take(parameters.inputs() - 1).map(word::from_u64));
        value = only(device.hash(parameters, &[inputs], &mut NoProgress)?.digests)?;
    }
    Ok(value)
}

fn permutation_chain(
    device: &mut dyn Device,
    parameters: &AnyParameters,
    length: u64,
) -> Result<Vec<Word>, Failure> {
    device.supports(parameters).map_err(DeviceError::from)?;
    let mut state = vec![Word::default(); parameters.width()];
    for _ in 0..length {
        state = only(
            device
                .permute(parameters, &[state], &mut NoProgress)?
                .states,
        )?;
    }
    Ok(state)
}

/// The elements of the leaves, one after another.
fn leaf_digests(device: &mut dyn Device, check: &MerkleCheck) -> Result<Vec<Word>, Failure> {
    match &check.leaves {
        Leaves::Digests(leaves) => Ok(leaves.clone()),
        Leaves::Messages(sponge, messages) => {
            let set = check.rows.as_ref().unwrap_or(&check.parameters);
            device.supports(set).map_err(DeviceError::from)?;
            let digests = hash_messages_with(device, set, sponge, messages)?;
            Ok(digests.concat())
        }
    }
}

fn root(
    device: &mut dyn Device,
    check: &MerkleCheck,
    leaves: &[Word],
) -> Result<Vec<Word>, Failure> {
    device
        .supports(&check.parameters)
        .map_err(DeviceError::from)?;
    let parameters = &check.parameters;
    let length = parameters.digest_length();
    let zero = vec![Word::default(); length];
    let mut request =
        CommitRequest::new(parameters, LeafRule::Digest, (leaves.len() / length) as u64);
    if let Some(height) = check.sparse_height {
        // An absent leaf, and a node without any leaf below, is zero.
        request.height = Some(height);
        request.padding = Padding::SubTree(&zero);
    }
    let source = &mut WordSource(leaves);
    let report = device.commit(&request, source, &mut NoNodes, &mut NoProgress)?;
    Ok(report.root().to_vec())
}

/// The nodes of a tree whose levels may have parameter sets of their own.
fn levels(device: &mut dyn Device, check: &LevelsCheck) -> Result<AllNodes, Failure> {
    let upper = check.upper.iter();
    let leaf = match &check.leaf {
        Some(parameters) => LeafRule::Hash(parameters),
        None => LeafRule::Digest,
    };
    let request = CommitRequest {
        upper: upper
            .map(|(from, parameters)| UpperLevels {
                from: *from,
                parameters,
            })
            .collect(),
        ..CommitRequest::new(&check.parameters, leaf, check.leaves)
    };
    for set in request.node_sets().chain(check.leaf.as_deref()) {
        device.supports(set).map_err(DeviceError::from)?;
    }
    let mut nodes = AllNodes::default();
    let source = &mut WordSource(&check.elements);
    device.commit(&request, source, &mut nodes, &mut NoProgress)?;
    Ok(nodes)
}

/// Checks the nodes that the device gave.
fn check_levels(check: &LevelsCheck, nodes: &AllNodes) -> Outcome {
    for node in &check.nodes {
        let level = nodes.levels.get(node.level as usize);
        let index = usize::try_from(node.index).ok();
        let got = level.zip(index).and_then(|(level, index)| level.get(index));
        if got != Some(&node.value) {
            return failed(
                format!("{} = {}", node.place, text(&[node.value])),
                got.map_or_else(
                    || format!("no node {} of level {}", node.index, node.level),
                    |got| text(&[*got]),
                ),
            );
        }
    }
    Outcome::Passed
}

/// Checks layers and paths against the tree of the reference.
fn check_tree(check: &MerkleCheck, leaves: &[Word]) -> Outcome {
    if check.layers.is_none() && check.paths.is_empty() && check.ends.is_empty() {
        return Outcome::Passed;
    }
    if check.rows.is_some() {
        return dispatch!(&*check.parameters, set => check_groups(check, set, leaves));
    }
    if check.sparse_height.is_some() {
        return Outcome::Skipped {
            reason: "layers and paths of a tree with absent leaves are not supported".to_owned(),
        };
    }
    dispatch!(&*check.parameters, parameters => check_reference(check, parameters, leaves))
}

/// Checks levels and paths of a tree of which groups with missing nodes are filled up with zero digests.
fn check_groups<F: PoseidonField>(
    check: &MerkleCheck,
    parameters: &PoseidonParameters<F>,
    leaves: &[Word],
) -> Outcome {
    let poseidon = Poseidon::new(parameters);
    let (length, group) = (parameters.digest_length(), parameters.inputs());
    let mut levels = vec![leaves.to_vec()];
    while let Some(below) = levels.last().filter(|below| below.len() > length) {
        let mut above = Vec::new();
        for children in below.chunks(group) {
            let mut children: Vec<F> = to_fields(children);
            children.resize(group, F::ZERO);
            match poseidon.hash(&children) {
                Ok(node) => above.extend(words(&node)),
                Err(error) => return failed("a node", error.to_string()),
            }
        }
        levels.push(above);
    }
    if !check.ends.is_empty() && check.ends.len() != levels.len() {
        return failed(
            format!("{} levels", check.ends.len()),
            format!("{} levels", levels.len()),
        );
    }
    for (number, (given, level)) in check.ends.iter().zip(&levels).enumerate() {
        if given.nodes != level.len() / length {
            return failed(
                format!("levels[{number}] of {} nodes", given.nodes),
                (level.len() / length).to_string(),
            );
        }
        let (first, last) = (&level[..length], &level[level.len() - length..]);
        for (what, given, found) in [("first", &given.first, first), ("last", &given.last, last)] {
            if given != found {
                return failed(
                    format!("levels[{number}].{what} = {}", text(given)),
                    text(found),
                );
            }
        }
    }
    for (number, path) in check.paths.iter().enumerate() {
        let mut index = path.index;
        if path.siblings.len() + 1 != levels.len() || index >= leaves.len() / length {
            return failed(
                format!(
                    "paths[{number}] of leaf {index} through {} levels",
                    path.siblings.len()
                ),
                format!(
                    "{} leaves and {} levels",
                    leaves.len() / length,
                    levels.len()
                ),
            );
        }
        for (number_of_level, (given, level)) in path.siblings.iter().zip(&levels).enumerate() {
            let arity = group / length;
            let first = index / arity * arity;
            let node = |index: usize| {
                let node = level.get(index * length..(index + 1) * length);
                node.map_or_else(|| vec![Word::default(); length], <[Word]>::to_vec)
            };
            let siblings: Vec<Vec<Word>> = (first..first + arity)
                .filter(|&other| other != index)
                .map(node)
                .collect();
            if *given != siblings {
                return failed(
                    format!(
                        "paths[{number}].siblings[{number_of_level}] = {}",
                        text(&given.concat())
                    ),
                    text(&siblings.concat()),
                );
            }
            index /= arity;
        }
    }
    Outcome::Passed
}

fn to_fields<F: PoseidonField>(elements: &[Word]) -> Vec<F> {
    elements.iter().filter_map(word::to_field).collect()
}

fn check_reference<F: PoseidonField>(
    check: &MerkleCheck,
    parameters: &PoseidonParameters<F>,
    leaves: &[Word],
) -> Outcome {
    let poseidon = Poseidon::new(parameters);
    let length = parameters.digest_length();
    let tree = match MerkleTree::build(&poseidon, to_fields(leaves)) {
        Ok(tree) => tree,
        Err(error) => return failed("a tree", error.to_string()),
    };
    if let Some(layers) = &check.layers {
        let lengths = |lengths: &mut dyn Iterator<Item = usize>| -> String {
            lengths
                .map(|elements| format!("{} ", elements / length))
                .collect()
        };
        let expected = lengths(&mut layers.iter().map(Vec::len));
        let got = lengths(&mut tree.layers().iter().map(Vec::len));
        if expected != got {
            return failed(format!("layers of lengths {expected}"), got);
        }
        for (level, (nodes, built)) in layers.iter().zip(tree.layers()).enumerate() {
            let nodes = nodes.chunks(length).zip(built.chunks(length));
            for (index, (node, built)) in nodes.enumerate() {
                let built = words(built);
                if built != node {
                    return failed(
                        format!("layers[{level}][{index}] = {}", text(node)),
                        text(&built),
                    );
                }
            }
        }
    }
    for (number, path) in check.paths.iter().enumerate() {
        let Some(built) = tree.path(path.index) else {
            return failed(
                format!("paths[{number}] of leaf {}", path.index),
                format!("there are {} leaves", leaves.len() / length),
            );
        };
        let given = AuthenticationPath {
            index: path.index,
            siblings: (path.siblings.iter())
                .map(|siblings| siblings.iter().map(|sibling| to_fields(sibling)).collect())
                .collect(),
        };
        if given != built {
            return failed(
                format!("paths[{number}].siblings of leaf {}", path.index),
                "other siblings",
            );
        }
        let leaf = match &path.leaf {
            Some(leaf) => leaf.as_slice(),
            None => &leaves[path.index * length..][..length],
        };
        if !given.verify(&poseidon, &to_fields(leaf), tree.root()) {
            return failed(
                format!("paths[{number}] proves leaf {}", path.index),
                format!("it does not prove {}", text(leaf)),
            );
        }
    }
    Outcome::Passed
}

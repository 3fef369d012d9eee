//! The device that computes on the host's processor.

use std::sync::Arc;
use std::time::{Duration, Instant};

use rayon::prelude::*;

use crate::device::{
    CommitReport, CommitRequest, Device, DeviceError, HashReport, LeafReader, LeafSource,
    PermuteReport, Progress, Unsupported, check_inputs, check_states,
};
use crate::fold::{TreeHasher, fold};
use crate::messages::hash_rows;
use crate::nodes::NodeSink;
use acclmt_merkle::tree::hash_groups;
use acclmt_poseidon::fields::{AnyParameters, PoseidonField, words};
use acclmt_poseidon::params::PoseidonParameters;
use acclmt_poseidon::permutation::Poseidon;
use acclmt_poseidon::word::{self, Word};
use acclmt_poseidon::{dispatch, fields};

/// Name of the device.
pub const NAME: &str = "software";

/// Permutations between two reports of progress.
const STATES_PER_REPORT: usize = 1 << 13;

/// Least number of permutations that are worth a thread.
const STATES_PER_JOB: usize = 8;

/// Computes with [`Poseidon`] on all threads of the host, over every field.
#[derive(Clone, Debug, Default)]
pub struct SoftwareDevice {
    /// What was prepared last of each field, for the leaves and levels of a tree: preparing takes as long as many
    /// hashes.
    prepared: Prepared,
}

/// Parameter sets of a field that stay prepared.
const MAX_PREPARED: usize = 4;

/// Prepared permutations of each field, the one that was used last at the end.
#[derive(Clone, Debug, Default)]
struct Prepared {
    bls12_381: Vec<Arc<Poseidon<fields::Bls12_381>>>,
    bls12_377: Vec<Arc<Poseidon<fields::Bls12_377>>>,
    bn254: Vec<Arc<Poseidon<fields::Bn254>>>,
    pallas: Vec<Arc<Poseidon<fields::Pallas>>>,
    vesta: Vec<Arc<Poseidon<fields::Vesta>>>,
    starknet: Vec<Arc<Poseidon<fields::Starknet>>>,
    goldilocks: Vec<Arc<Poseidon<fields::Goldilocks>>>,
}

/// Finds the place of a field in [`Prepared`].
trait Place: PoseidonField {
    fn place(prepared: &mut Prepared) -> &mut Vec<Arc<Poseidon<Self>>>;
}

macro_rules! implement_place {
    ($($field:ident: $member:ident),*) => {$(
        impl Place for fields::$field {
            fn place(prepared: &mut Prepared) -> &mut Vec<Arc<Poseidon<Self>>> {
                &mut prepared.$member
            }
        }
    )*};
}

implement_place!(
    Bls12_381: bls12_381,
    Bls12_377: bls12_377,
    Bn254: bn254,
    Pallas: pallas,
    Vesta: vesta,
    Starknet: starknet,
    Goldilocks: goldilocks
);

impl SoftwareDevice {
    /// A device.
    pub fn new() -> Self {
        Self::default()
    }

    /// The digests of all hashes whose inputs follow each other in `elements`.
    fn hash_all(&mut self, parameters: &AnyParameters, elements: &[Word]) -> Vec<Word> {
        dispatch!(parameters, parameters => {
            let poseidon = self.poseidon(parameters);
            words(&hash_groups(&poseidon, &to_fields(elements), &mut |_| {}))
        })
    }

    /// The permutation of `parameters`.
    fn poseidon<F: Place>(&mut self, parameters: &PoseidonParameters<F>) -> Arc<Poseidon<F>> {
        let place = F::place(&mut self.prepared);
        let known = (place.iter()).position(|poseidon| poseidon.parameters() == parameters);
        let poseidon = match known {
            Some(index) => place.remove(index),
            None => Arc::new(Poseidon::new(parameters)),
        };
        if place.len() == MAX_PREPARED {
            place.remove(0);
        }
        place.push(Arc::clone(&poseidon));
        poseidon
    }
}

/// Reports how many of a fixed number of hashes are done.
struct Tally<'a> {
    progress: &'a mut dyn Progress,
    done: u64,
    total: u64,
}

impl<'a> Tally<'a> {
    fn new(progress: &'a mut dyn Progress, total: u64) -> Self {
        progress.report(0, total);
        Self {
            progress,
            done: 0,
            total,
        }
    }

    fn add(&mut self, hashes: u64) {
        self.done += hashes;
        self.progress.report(self.done, self.total);
    }
}

fn to_fields<'a, F: PoseidonField>(words: impl IntoParallelIterator<Item = &'a Word>) -> Vec<F> {
    words
        .into_par_iter()
        .flat_map_iter(word::to_field::<F>)
        .collect()
}

/// Hashes for a tree, and tells how far it is.
struct Hasher<'a, 'b> {
    device: &'a mut SoftwareDevice,
    tally: &'a mut Tally<'b>,
    /// Permutations of a row.
    leaf_hashes: u64,
}

impl TreeHasher for Hasher<'_, '_> {
    fn hash(
        &mut self,
        parameters: &AnyParameters,
        elements: &[Word],
    ) -> Result<Vec<Word>, DeviceError> {
        let digests = self.device.hash_all(parameters, elements);
        self.tally
            .add((digests.len() / parameters.digest_length()) as u64);
        Ok(digests)
    }

    fn hash_rows(
        &mut self,
        parameters: &AnyParameters,
        rows: &[Vec<Word>],
    ) -> Result<Vec<Word>, DeviceError> {
        let digests = hash_rows(self.device, parameters, rows)?;
        self.tally.add(rows.len() as u64 * self.leaf_hashes);
        Ok(digests)
    }
}

/// Hashes that are computed to see how long many take.
const SAMPLES: u64 = 1 << 7;

/// Times that they are computed; the shortest counts.
const RUNS: usize = 3;

impl SoftwareDevice {
    /// How long `hashes` hashes of `parameters` take, by a few of them.
    fn time(&mut self, parameters: &AnyParameters, hashes: u64) -> Duration {
        let inputs = vec![Word::default(); SAMPLES as usize * parameters.inputs()];
        // What is prepared once does not count.
        self.hash_all(parameters, &inputs[..parameters.inputs()]);
        // A processor that does something else meanwhile lengthens single runs.
        let runs = (0..RUNS).map(|_| {
            let start = Instant::now();
            self.hash_all(parameters, &inputs);
            start.elapsed()
        });
        let shortest = runs.min().unwrap_or_default();
        shortest.mul_f64(hashes as f64 / SAMPLES as f64)
    }
}

impl Device for SoftwareDevice {
    fn name(&self) -> &str {
        NAME
    }

    fn commit_time(&mut self, request: &CommitRequest<'_>) -> Option<Duration> {
        let shape = request.shape().ok()?;
        let mut hashes = shape.hashes_of_sets();
        hashes[0] += shape.leaves() * request.leaf_hashes();
        let sets = request.node_sets().zip(hashes);
        Some(sets.map(|(set, hashes)| self.time(set, hashes)).sum())
    }

    fn hash_time(
        &mut self,
        parameters: &AnyParameters,
        _runs: u64,
        hashes: u64,
    ) -> Option<Duration> {
        Some(self.time(parameters, hashes))
    }

    fn supports(&self, _parameters: &AnyParameters) -> Result<(), Unsupported> {
        Ok(())
    }

    fn commit(
        &mut self,
        request: &CommitRequest<'_>,
        source: &mut dyn LeafSource,
        nodes: &mut dyn NodeSink,
        progress: &mut dyn Progress,
    ) -> Result<CommitReport, DeviceError> {
        let shape = request.shape()?;
        let hashes = request.hashes(&shape);
        let mut tally = Tally::new(progress, hashes);
        let reader = LeafReader::new(request, source);
        let mut hasher = Hasher {
            device: self,
            tally: &mut tally,
            leaf_hashes: request.leaf_hashes(),
        };
        let cap = fold(request, &shape, reader, nodes, &mut hasher)?;
        Ok(CommitReport {
            cap,
            leaves: request.leaves,
            hashes,
            counters: None,
            devices: Vec::new(),
        })
    }

    fn hash(
        &mut self,
        parameters: &AnyParameters,
        inputs: &[Vec<Word>],
        progress: &mut dyn Progress,
    ) -> Result<HashReport, DeviceError> {
        check_inputs(parameters, inputs)?;
        let mut tally = Tally::new(progress, inputs.len() as u64);
        let digests = dispatch!(parameters, parameters => {
            let poseidon = self.poseidon(parameters);
            let elements = to_fields(inputs.par_iter().flatten_iter());
            let digests = hash_groups(&poseidon, &elements, &mut |hashes| tally.add(hashes));
            digests.chunks(parameters.digest_length()).map(words).collect()
        });
        Ok(HashReport {
            digests,
            counters: None,
        })
    }

    fn permute(
        &mut self,
        parameters: &AnyParameters,
        states: &[Vec<Word>],
        progress: &mut dyn Progress,
    ) -> Result<PermuteReport, DeviceError> {
        check_states(parameters, states)?;
        let mut tally = Tally::new(progress, states.len() as u64);
        let states = dispatch!(parameters, parameters => {
            let poseidon = self.poseidon(parameters);
            let width = parameters.width();
            let mut elements = to_fields(states.par_iter().flatten_iter());
            for part in elements.chunks_mut(STATES_PER_REPORT * width) {
                part.par_chunks_exact_mut(width)
                    .with_min_len(STATES_PER_JOB)
                    .for_each(|state| poseidon.permute(state));
                tally.add((part.len() / width) as u64);
            }
            elements.chunks(width).map(words).collect()
        });
        Ok(PermuteReport {
            states,
            counters: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::{LeafRule, NoProgress, WordSource};
    use crate::nodes::{AllNodes, NoNodes};
    use acclmt_merkle::shape::Padding;
    use acclmt_merkle::tree::MerkleTree;
    use acclmt_poseidon::fields::FieldId;
    use acclmt_poseidon::permutation::{hash_dense, permute_dense};
    use acclmt_poseidon::presets;
    use acclmt_poseidon::random::{Ranges, any_parameters};

    fn numbers(count: usize) -> Vec<Word> {
        (0..count as u64).map(word::from_u64).collect()
    }

    #[test]
    fn hashed_leaves_give_the_tree_one_level_lower() {
        let mut device = SoftwareDevice::new();
        for name in [
            "filecoin-arity-2",
            "filecoin-arity-8",
            "starknet",
            "plonky2",
        ] {
            let parameters = presets::by_name(name).unwrap();
            let arity = parameters.arity();
            let all = numbers(arity.pow(3) * parameters.digest_length());
            let mut commit = |leaf, leaves| {
                let request = CommitRequest::new(parameters, leaf, leaves as u64);
                let source = &mut WordSource(&all);
                device
                    .commit(&request, source, &mut NoNodes, &mut NoProgress)
                    .unwrap()
            };
            let elements = commit(LeafRule::Digest, arity.pow(3));
            let hashed = commit(LeafRule::Hash(parameters), arity.pow(2));
            assert_eq!(elements.leaves, arity.pow(3) as u64);
            assert_eq!(hashed.leaves, arity.pow(2) as u64);
            // The same hashes, but for what is called a leaf.
            assert_eq!(elements.cap, hashed.cap);
            assert_eq!(elements.hashes, hashed.hashes);
            let root = dispatch!(parameters, parameters => {
                let poseidon = Poseidon::new(parameters);
                let tree = MerkleTree::build(&poseidon, to_fields(&all)).unwrap();
                words(tree.root())
            });
            assert_eq!(hashed.root(), root);
        }
    }

    /// Sets in turn, so that nothing prepared for one is used for another.
    #[test]
    fn hashes_and_permutations_come_in_order() {
        let mut device = SoftwareDevice::new();
        let mut sets: Vec<AnyParameters> = (0..4)
            .flat_map(|seed| {
                FieldId::ALL
                    .into_iter()
                    .filter_map(move |field| any_parameters(field, seed, &Ranges::default()))
            })
            .collect();
        assert_eq!(sets.len(), 28);
        let mut tagged = sets[0].initial_state();
        tagged[0] = word::from_u64(77);
        sets.push(sets[0].with_initial_state(&tagged).unwrap());
        sets.push(sets[0].clone());
        for parameters in &sets {
            let lists = |length: usize| -> Vec<Vec<Word>> {
                numbers(100 * length)
                    .chunks(length)
                    .map(<[Word]>::to_vec)
                    .collect()
            };
            let inputs = lists(parameters.inputs());
            let hashed = device.hash(parameters, &inputs, &mut NoProgress).unwrap();
            let states = lists(parameters.width());
            let permuted = device
                .permute(parameters, &states, &mut NoProgress)
                .unwrap();
            dispatch!(parameters, parameters => {
                for (digest, input) in hashed.digests.iter().zip(&inputs) {
                    let expected = hash_dense(parameters, &to_fields(input)).unwrap();
                    assert_eq!(*digest, words(&expected));
                }
                for (after, before) in permuted.states.iter().zip(&states) {
                    let mut expected = to_fields(before);
                    permute_dense(parameters, &mut expected);
                    assert_eq!(*after, words(&expected));
                }
            });
            assert_eq!((hashed.digests.len(), permuted.states.len()), (100, 100));
        }
        let none = device.hash(&sets[0], &[], &mut NoProgress).unwrap();
        assert!(none.digests.is_empty());
        let none = device.permute(&sets[0], &[], &mut NoProgress).unwrap();
        assert!(none.states.is_empty());
    }

    #[test]
    fn progress_rises_to_the_total() {
        let parameters = presets::by_name("filecoin-arity-2").unwrap();
        let mut device = SoftwareDevice::new();
        let mut reports = Vec::new();
        let all = numbers(1 << 15);
        let request = CommitRequest::new(parameters, LeafRule::Hash(parameters), 1 << 14);
        let report = device
            .commit(
                &request,
                &mut WordSource(&all),
                &mut NoNodes,
                &mut |done, total| reports.push((done, total)),
            )
            .unwrap();
        let total = (1 << 15) - 1;
        assert_eq!(report.hashes, total);
        assert_eq!(reports.first(), Some(&(0, total)));
        assert_eq!(reports.last(), Some(&(total, total)));
        assert!(reports.is_sorted() && reports.len() > 3, "{reports:?}");

        let mut reports = Vec::new();
        let states = vec![numbers(3); STATES_PER_REPORT + 1];
        device
            .permute(parameters, &states, &mut |done, _| reports.push(done))
            .unwrap();
        assert_eq!(reports, [0, 1 << 13, (1 << 13) + 1]);
    }

    #[test]
    fn wrong_input_is_an_error() {
        let mut device = SoftwareDevice::new();
        let parameters = presets::by_name("filecoin-arity-2").unwrap();
        let mut all = numbers(4);
        all[2] = [0xFF; 32];
        let request = CommitRequest::new(parameters, LeafRule::Digest, 4);
        let source = &mut WordSource(&all);
        let error = device
            .commit(&request, source, &mut NoNodes, &mut NoProgress)
            .unwrap_err();
        assert!(
            error.to_string().starts_with("element 2 is 0xff"),
            "{error}"
        );
        let lists = [all];
        let error = device
            .hash(parameters, &lists, &mut NoProgress)
            .unwrap_err();
        assert!(error.to_string().contains("input 0 has 4"), "{error}");
        let error = device
            .permute(parameters, &lists, &mut NoProgress)
            .unwrap_err();
        assert!(error.to_string().contains("state 0 has 4"), "{error}");
    }

    /// Every node of padded trees, level by level, by hand.
    #[test]
    fn missing_leaves_are_padding() {
        let mut device = SoftwareDevice::new();
        for (name, arity) in [
            ("filecoin-arity-2", 2),
            ("filecoin-arity-4", 4),
            ("plonky2", 2),
        ] {
            let parameters = presets::by_name(name).unwrap();
            let length = parameters.digest_length();
            let value = numbers(20)[20 - length..].to_vec();
            for leaves in [1, 2, 3, 4, 5, 9, 16] {
                let all = numbers(leaves * length);
                for (padding, cap_height) in [
                    (Padding::Leaf(&value), 0),
                    (Padding::SubTree(&value), 0),
                    (Padding::Leaf(&value), 2),
                    (Padding::SubTree(&value), 1),
                ] {
                    let request = CommitRequest {
                        padding,
                        height: Some(5),
                        cap_height,
                        ..CommitRequest::new(parameters, LeafRule::Digest, leaves as u64)
                    };
                    let mut nodes = AllNodes::default();
                    let source = &mut WordSource(&all);
                    let report = device
                        .commit(&request, source, &mut nodes, &mut NoProgress)
                        .unwrap();
                    let mut level = all.clone();
                    let mut empty = value.clone();
                    for built in &nodes.levels[..5 - cap_height as usize] {
                        assert_eq!(*built, level, "{name}, {leaves} leaves");
                        let missing = (level.len() / length).next_multiple_of(arity);
                        while level.len() < missing * length {
                            level.extend(&empty);
                        }
                        level = device.hash_all(parameters, &level);
                        if let Padding::Leaf(_) = padding {
                            empty = device.hash_all(parameters, &empty.repeat(arity));
                        }
                    }
                    let mut cap: Vec<_> = level.chunks(length).map(<[Word]>::to_vec).collect();
                    cap.resize(arity.pow(cap_height), empty);
                    assert_eq!(report.cap, cap, "{name}, {leaves} leaves, {padding:?}");
                }
            }
        }
    }

    /// Plonky2: rows of no more than four elements are leaves, and a tree of rows of eight is one of
    /// rows of four without its leaves.
    #[test]
    fn rows_are_leaves() {
        let mut device = SoftwareDevice::new();
        let parameters = presets::by_name("plonky2").unwrap();
        let all = numbers(64);
        let mut root = |columns: usize| {
            let leaf = LeafRule::Row {
                parameters,
                columns,
            };
            let request = CommitRequest::new(parameters, leaf, (64 / columns) as u64);
            let source = &mut WordSource(&all);
            let report = device.commit(&request, source, &mut NoNodes, &mut NoProgress);
            report.unwrap().cap
        };
        assert_eq!(root(4), root(8));
        assert_ne!(root(2), root(4));
    }
}

//! The device that computes on the host's processor.

use std::sync::Arc;

use rayon::prelude::*;

use crate::device::{
    CommitReport, CommitRequest, Device, DeviceError, HashReport, LeafKind, PermuteReport,
    Progress, Unsupported, check_inputs, check_states,
};
use crate::fields::{AnyParameters, PoseidonField, words};
use crate::merkle::hash_groups;
use crate::params::PoseidonParameters;
use crate::poseidon::Poseidon;
use crate::word::{self, Word};
use crate::{dispatch, fields};

/// Name of the device.
pub const NAME: &str = "software";

/// Permutations between two reports of progress.
const STATES_PER_REPORT: usize = 1 << 13;

/// Least number of permutations that are worth a thread.
const STATES_PER_JOB: usize = 8;

/// Computes with [`Poseidon`] on all threads of the host, over every field.
#[derive(Clone, Debug, Default)]
pub struct SoftwareDevice {
    /// What was prepared last of each field: preparing takes as long as many hashes.
    prepared: Prepared,
}

/// A prepared permutation of each field.
#[derive(Clone, Debug, Default)]
struct Prepared {
    bls12_381: Option<Arc<Poseidon<fields::Bls12_381>>>,
    bn254: Option<Arc<Poseidon<fields::Bn254>>>,
    pallas: Option<Arc<Poseidon<fields::Pallas>>>,
    vesta: Option<Arc<Poseidon<fields::Vesta>>>,
    starknet: Option<Arc<Poseidon<fields::Starknet>>>,
    goldilocks: Option<Arc<Poseidon<fields::Goldilocks>>>,
}

/// Finds the place of a field in [`Prepared`].
trait Place: PoseidonField {
    fn place(prepared: &mut Prepared) -> &mut Option<Arc<Poseidon<Self>>>;
}

macro_rules! implement_place {
    ($($field:ident: $member:ident),*) => {$(
        impl Place for fields::$field {
            fn place(prepared: &mut Prepared) -> &mut Option<Arc<Poseidon<Self>>> {
                &mut prepared.$member
            }
        }
    )*};
}

implement_place!(
    Bls12_381: bls12_381,
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

    /// The permutation of `parameters`.
    fn poseidon<F: Place>(&mut self, parameters: &PoseidonParameters<F>) -> Arc<Poseidon<F>> {
        let place = F::place(&mut self.prepared);
        let poseidon = match place.take() {
            Some(poseidon) if poseidon.parameters() == parameters => poseidon,
            _ => Arc::new(Poseidon::new(parameters)),
        };
        Arc::clone(place.insert(poseidon))
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

impl Device for SoftwareDevice {
    fn name(&self) -> &str {
        NAME
    }

    fn supports(&self, _parameters: &AnyParameters) -> Result<(), Unsupported> {
        Ok(())
    }

    fn commit(
        &mut self,
        request: &CommitRequest<'_>,
        progress: &mut dyn Progress,
    ) -> Result<CommitReport, DeviceError> {
        let leaves = request.validate()?;
        let hashes = request.hashes(leaves);
        let mut tally = Tally::new(progress, hashes);
        let root = dispatch!(request.parameters, parameters => {
            let poseidon = self.poseidon(parameters);
            let mut layer = to_fields(request.words);
            if request.leaf == LeafKind::Hash {
                layer = hash_groups(&poseidon, &layer, &mut |hashes| tally.add(hashes));
            }
            while layer.len() > parameters.digest_length() {
                layer = hash_groups(&poseidon, &layer, &mut |hashes| tally.add(hashes));
            }
            words(&layer)
        });
        Ok(CommitReport {
            root,
            leaves,
            hashes,
            counters: None,
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
    use crate::device::NoProgress;
    use crate::fields::FieldId;
    use crate::merkle::MerkleTree;
    use crate::poseidon::{hash_dense, permute_dense};
    use crate::presets;
    use crate::random::{Ranges, any_parameters};

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
            let mut commit = |leaf| {
                let request = CommitRequest {
                    parameters,
                    leaf,
                    words: &all,
                };
                device.commit(&request, &mut NoProgress).unwrap()
            };
            let elements = commit(LeafKind::Element);
            let hashed = commit(LeafKind::Hash);
            assert_eq!(elements.leaves, arity.pow(3));
            assert_eq!(hashed.leaves, arity.pow(2));
            // The same hashes, but for what is called a leaf.
            assert_eq!(elements.root, hashed.root);
            assert_eq!(elements.hashes, hashed.hashes);
            let root = dispatch!(parameters, parameters => {
                let poseidon = Poseidon::new(parameters);
                let tree = MerkleTree::build(&poseidon, to_fields(&all)).unwrap();
                words(tree.root())
            });
            assert_eq!(hashed.root, root);
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
        assert_eq!(sets.len(), 24);
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
        let request = CommitRequest {
            parameters,
            leaf: LeafKind::Hash,
            words: &all,
        };
        let report = device
            .commit(&request, &mut |done, total| reports.push((done, total)))
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
        let request = CommitRequest {
            parameters,
            leaf: LeafKind::Element,
            words: &all,
        };
        let error = device.commit(&request, &mut NoProgress).unwrap_err();
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
}

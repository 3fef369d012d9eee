//! The device that computes on the host's processor.

use ark_bls12_381::Fr;
use rayon::prelude::*;

use crate::device::{
    CommitReport, CommitRequest, Device, DeviceError, HashReport, LeafKind, Progress, Unsupported,
    check_inputs,
};
use crate::merkle::hash_groups;
use crate::params::PoseidonParameters;
use crate::poseidon::Poseidon;
use crate::word::{self, Word};

/// Name of the device.
pub const NAME: &str = "software";

/// Computes with [`Poseidon`] on all threads of the host.
#[derive(Clone, Debug, Default)]
pub struct SoftwareDevice {
    /// What was prepared last: preparing takes as long as many hashes.
    poseidon: Option<Poseidon<Fr>>,
}

impl SoftwareDevice {
    /// A device.
    pub fn new() -> Self {
        Self::default()
    }

    /// The permutation of `parameters`.
    fn poseidon(
        &mut self,
        parameters: &PoseidonParameters<Fr>,
    ) -> Result<&Poseidon<Fr>, Unsupported> {
        let poseidon = match self.poseidon.take() {
            Some(poseidon) if poseidon.parameters() == parameters => poseidon,
            _ => prepare(parameters)?,
        };
        Ok(self.poseidon.insert(poseidon))
    }
}

fn prepare(parameters: &PoseidonParameters<Fr>) -> Result<Poseidon<Fr>, Unsupported> {
    Poseidon::new(parameters).map_err(|error| Unsupported {
        device: NAME.to_owned(),
        reason: error.to_string(),
    })
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

fn to_fields<'a>(words: impl IntoParallelIterator<Item = &'a Word>) -> Vec<Fr> {
    words
        .into_par_iter()
        .flat_map_iter(word::to_field::<Fr>)
        .collect()
}

impl Device for SoftwareDevice {
    fn name(&self) -> &str {
        NAME
    }

    fn supports(&self, parameters: &PoseidonParameters<Fr>) -> Result<(), Unsupported> {
        prepare(parameters).map(drop)
    }

    fn commit(
        &mut self,
        request: &CommitRequest<'_>,
        progress: &mut dyn Progress,
    ) -> Result<CommitReport, DeviceError> {
        let leaves = request.validate()?;
        let hashes = request.hashes(leaves);
        let poseidon = self.poseidon(request.parameters)?;
        let mut tally = Tally::new(progress, hashes);
        let mut layer = to_fields(request.words);
        if request.leaf == LeafKind::Hash {
            layer = hash_groups(poseidon, &layer, &mut |hashes| tally.add(hashes));
        }
        while layer.len() > 1 {
            layer = hash_groups(poseidon, &layer, &mut |hashes| tally.add(hashes));
        }
        Ok(CommitReport {
            root: word::from_field(layer[0]),
            leaves,
            hashes,
            counters: None,
        })
    }

    fn hash_many(
        &mut self,
        parameters: &PoseidonParameters<Fr>,
        inputs: &[Vec<Word>],
        progress: &mut dyn Progress,
    ) -> Result<HashReport, DeviceError> {
        check_inputs(parameters, inputs)?;
        let poseidon = self.poseidon(parameters)?;
        let mut tally = Tally::new(progress, inputs.len() as u64);
        let elements = to_fields(inputs.par_iter().flatten_iter());
        let digests = hash_groups(poseidon, &elements, &mut |hashes| tally.add(hashes));
        Ok(HashReport {
            digests: digests.into_iter().map(word::from_field).collect(),
            counters: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::NoProgress;
    use crate::merkle::MerkleTree;
    use crate::poseidon::hash_dense;
    use crate::presets;

    fn words(count: u64) -> Vec<Word> {
        (0..count).map(word::from_u64).collect()
    }

    #[test]
    fn hashed_leaves_give_the_tree_one_level_lower() {
        let mut device = SoftwareDevice::new();
        for parameters in presets::all() {
            let arity = parameters.arity() as u64;
            let words = words(arity.pow(3));
            let mut commit = |leaf| {
                let request = CommitRequest {
                    parameters,
                    leaf,
                    words: &words,
                };
                device.commit(&request, &mut NoProgress).unwrap()
            };
            let elements = commit(LeafKind::Element);
            let hashed = commit(LeafKind::Hash);
            assert_eq!(elements.leaves as u64, arity.pow(3));
            assert_eq!(hashed.leaves as u64, arity.pow(2));
            // The same hashes, but for what is called a leaf.
            assert_eq!(elements.root, hashed.root);
            assert_eq!(elements.hashes, hashed.hashes);
            let poseidon = Poseidon::new(parameters).unwrap();
            let leaves = to_fields(&words);
            let tree = MerkleTree::build(&poseidon, leaves).unwrap();
            assert_eq!(hashed.root, word::from_field(tree.root()));
        }
    }

    #[test]
    fn digests_come_in_order_and_a_tag_counts() {
        let mut device = SoftwareDevice::new();
        let preset = presets::by_name("filecoin-arity-4").unwrap();
        let tagged = preset.with_tag(Fr::from(77));
        let inputs: Vec<Vec<Word>> = words(400).chunks(4).map(<[Word]>::to_vec).collect();
        for parameters in [preset, &tagged, preset] {
            let report = device
                .hash_many(parameters, &inputs, &mut NoProgress)
                .unwrap();
            assert_eq!(report.digests.len(), inputs.len());
            for (digest, input) in report.digests.iter().zip(&inputs) {
                let expected = hash_dense(parameters, &to_fields(input)).unwrap();
                assert_eq!(*digest, word::from_field(expected));
            }
        }
        let none = device.hash_many(preset, &[], &mut NoProgress).unwrap();
        assert!(none.digests.is_empty());
    }

    #[test]
    fn progress_rises_to_the_total() {
        let mut reports = Vec::new();
        let words = words(1 << 15);
        let request = CommitRequest {
            parameters: &presets::all()[0],
            leaf: LeafKind::Hash,
            words: &words,
        };
        let report = SoftwareDevice::new()
            .commit(&request, &mut |done, total| reports.push((done, total)))
            .unwrap();
        let total = (1 << 15) - 1;
        assert_eq!(report.hashes, total);
        assert_eq!(reports.first(), Some(&(0, total)));
        assert_eq!(reports.last(), Some(&(total, total)));
        assert!(reports.is_sorted() && reports.len() > 3, "{reports:?}");
    }

    #[test]
    fn wrong_input_is_an_error() {
        let mut device = SoftwareDevice::new();
        let parameters = &presets::all()[0];
        let mut words = words(4);
        words[2] = [0xFF; 32];
        let request = CommitRequest {
            parameters,
            leaf: LeafKind::Element,
            words: &words,
        };
        let error = device.commit(&request, &mut NoProgress).unwrap_err();
        assert!(
            error.to_string().starts_with("element 2 is 0xff"),
            "{error}"
        );
        let error = device
            .hash_many(parameters, &[words], &mut NoProgress)
            .unwrap_err();
        assert!(error.to_string().contains("input 0 has 4"), "{error}");
    }
}

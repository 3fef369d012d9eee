//! Devices: everything that hashes and commits to data, whether it is the host's processor or a
//! chip.

use std::error::Error;

use ark_bls12_381::Fr;
use serde::Serialize;

use crate::merkle::{LeafCountError, check_leaf_count};
use crate::params::PoseidonParameters;
use crate::word::{self, Word};

/// What the words of a [`CommitRequest`] are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LeafKind {
    /// Every word is a ready leaf digest.
    Element,
    /// Every `arity` words are hashed into a leaf.
    Hash,
}

/// The order to compute a Merkle root.
#[derive(Clone, Copy, Debug)]
pub struct CommitRequest<'a> {
    /// The parameter set, whose arity is that of the tree.
    pub parameters: &'a PoseidonParameters<Fr>,
    /// What the words are.
    pub leaf: LeafKind,
    /// Canonical field elements: as many as the leaves with [`LeafKind::Element`], `arity` times
    /// as many with [`LeafKind::Hash`]. The number of leaves is a power of the arity.
    pub words: &'a [Word],
}

impl CommitRequest<'_> {
    /// Checks the request and returns the number of leaves.
    ///
    /// # Errors
    ///
    /// When the number of words does not fit, or a word is not below the prime.
    pub fn validate(&self) -> Result<usize, DeviceError> {
        let arity = self.parameters.arity();
        let words = self.words.len();
        if words == 0 {
            return Err(DeviceError::NoWords);
        }
        let leaves = match self.leaf {
            LeafKind::Element => words,
            LeafKind::Hash if words.is_multiple_of(arity) => words / arity,
            LeafKind::Hash => return Err(DeviceError::PartialLeaf { words, arity }),
        };
        check_leaf_count(leaves, arity)?;
        check_elements(self.parameters, self.words)?;
        Ok(leaves)
    }

    /// Hashes of the whole tree over `leaves` leaves: those of the leaves, if they are hashed, and
    /// those of the inner nodes.
    pub fn hashes(&self, leaves: usize) -> u64 {
        let inner = (leaves as u64).saturating_sub(1) / (self.parameters.arity() as u64 - 1).max(1);
        match self.leaf {
            LeafKind::Element => inner,
            LeafKind::Hash => inner + leaves as u64,
        }
    }
}

/// Checks that every element is below the prime of `parameters`.
///
/// # Errors
///
/// When one is not; the error names the first.
pub fn check_elements(
    parameters: &PoseidonParameters<Fr>,
    elements: &[Word],
) -> Result<(), DeviceError> {
    let prime = parameters.prime();
    match elements
        .iter()
        .position(|element| !word::is_below(element, &prime))
    {
        None => Ok(()),
        Some(index) => Err(DeviceError::ElementNotBelowPrime {
            index,
            value: elements[index],
            prime,
            field: parameters.field_name().to_owned(),
        }),
    }
}

/// Checks that each of `inputs` has `arity` elements below the prime.
///
/// # Errors
///
/// When one has not. The index of an element counts through all inputs.
pub fn check_inputs(
    parameters: &PoseidonParameters<Fr>,
    inputs: &[Vec<Word>],
) -> Result<(), DeviceError> {
    let arity = parameters.arity();
    for (index, input) in inputs.iter().enumerate() {
        if input.len() != arity {
            return Err(DeviceError::InputLength {
                index,
                length: input.len(),
                arity,
            });
        }
        check_elements(parameters, input).map_err(|error| match error {
            DeviceError::ElementNotBelowPrime {
                index: position,
                value,
                prime,
                field,
            } => {
                let index = index * arity + position;
                DeviceError::ElementNotBelowPrime {
                    index,
                    value,
                    prime,
                    field,
                }
            }
            error => error,
        })?;
    }
    Ok(())
}

/// The result of a commitment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitReport {
    /// The Merkle root.
    pub root: Word,
    /// Number of leaves.
    pub leaves: usize,
    /// Number of hashes, those of the leaves included.
    pub hashes: u64,
    /// Performance counters, where the device has them.
    pub counters: Option<Counters>,
}

impl CommitReport {
    /// Clock cycles from start to done, where the device counts them.
    pub fn cycles(&self) -> Option<u64> {
        self.counters.as_ref().map(|counters| counters.cycles)
    }
}

/// The result of many separate hashes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HashReport {
    /// The digests, in the order of the inputs.
    pub digests: Vec<Word>,
    /// Performance counters, where the device has them.
    pub counters: Option<Counters>,
}

impl HashReport {
    /// Clock cycles from start to done, where the device counts them.
    pub fn cycles(&self) -> Option<u64> {
        self.counters.as_ref().map(|counters| counters.cycles)
    }
}

/// Values of the performance counters of a chip after a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counters {
    /// Cycles from start to done.
    pub cycles: u64,
    /// Cycle, counted from start, in which the first input word was taken.
    pub cycle_first_in: u64,
    /// Cycle in which the last input word was taken.
    pub cycle_last_in: u64,
    /// Cycle in which the first output word left.
    pub cycle_first_out: u64,
    /// Cycle in which the last output word left.
    pub cycle_last_out: u64,
    /// Cycles in which an input word waited.
    pub stall_in: u64,
    /// Cycles in which an output word waited.
    pub stall_out: u64,
    /// The leaf hash engine.
    pub leaf: EngineCounters,
    /// The root hash engine.
    pub root: EngineCounters,
}

/// Values of the performance counters of one hash engine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct EngineCounters {
    /// Digests finished.
    pub hashes: u64,
    /// Cycles in which the full-round sub-engine issued a round.
    pub busy_full: u64,
    /// The same for each partial-round sub-engine that the chip has.
    pub busy_partial: Vec<u64>,
}

/// Is told how far a run is.
pub trait Progress {
    /// `done` of `total` hashes are finished. `done` never falls during a run.
    fn report(&mut self, done: u64, total: u64);
}

/// Ignores the progress.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoProgress;

impl Progress for NoProgress {
    fn report(&mut self, _done: u64, _total: u64) {}
}

impl<F: FnMut(u64, u64)> Progress for F {
    fn report(&mut self, done: u64, total: u64) {
        self(done, total);
    }
}

/// A device that hashes and commits to data.
pub trait Device {
    /// A short name for reports, such as `software`.
    fn name(&self) -> &str;

    /// Says whether the device can compute with `parameters`.
    ///
    /// # Errors
    ///
    /// When it cannot; the error gives the reason.
    fn supports(&self, parameters: &PoseidonParameters<Fr>) -> Result<(), Unsupported>;

    /// Computes the Merkle root that `request` asks for.
    ///
    /// # Errors
    ///
    /// When the request is wrong or not supported, or the device fails.
    fn commit(
        &mut self,
        request: &CommitRequest<'_>,
        progress: &mut dyn Progress,
    ) -> Result<CommitReport, DeviceError>;

    /// Computes the digest of each of `inputs`, every one of `arity` canonical field elements.
    ///
    /// # Errors
    ///
    /// When an input is wrong, the parameters are not supported, or the device fails.
    fn hash_many(
        &mut self,
        parameters: &PoseidonParameters<Fr>,
        inputs: &[Vec<Word>],
        progress: &mut dyn Progress,
    ) -> Result<HashReport, DeviceError>;
}

/// A device cannot do what it was asked for, although it makes sense.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the device '{device}' does not support this: {reason}")]
pub struct Unsupported {
    /// Name of the device.
    pub device: String,
    /// What it does not support.
    pub reason: String,
}

/// Why a device gave no result.
#[derive(Debug, thiserror::Error)]
pub enum DeviceError {
    /// There is no input.
    #[error("there are no field elements to commit to; give at least one leaf")]
    NoWords,
    /// The words are no whole number of leaves.
    #[error(
        "{words} field elements are no whole number of leaves: a leaf is the hash of {arity} \
         elements; give a multiple of {arity}"
    )]
    PartialLeaf {
        /// Number of words.
        words: usize,
        /// The arity.
        arity: usize,
    },
    /// The number of leaves is no power of the arity.
    #[error(transparent)]
    LeafCount(#[from] LeafCountError),
    /// An input of a hash has the wrong length.
    #[error("input {index} has {length} field elements, a hash of this arity takes {arity}")]
    InputLength {
        /// Index of the input, counted from 0.
        index: usize,
        /// Its number of elements.
        length: usize,
        /// The arity.
        arity: usize,
    },
    /// A word is no canonical field element.
    #[error(
        "element {index} is {}, not below the prime {} of {field}; reduce it or pack the data \
         into fewer bits an element",
        word::to_hex(value),
        word::to_hex(prime)
    )]
    ElementNotBelowPrime {
        /// Index of the element in the input, counted from 0.
        index: usize,
        /// Its value.
        value: Word,
        /// The prime.
        prime: Word,
        /// Name of the field.
        field: String,
    },
    /// The device cannot do this.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
    /// The device failed.
    #[error(transparent)]
    Failed(Box<dyn Error + Send + Sync>),
}

impl DeviceError {
    /// A failure of the device itself.
    pub fn failed(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Failed(error.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::presets;

    fn request(words: &[Word], leaf: LeafKind) -> Result<usize, String> {
        let parameters = presets::by_name("filecoin-arity-4").unwrap();
        CommitRequest {
            parameters,
            leaf,
            words,
        }
        .validate()
        .map_err(|error| error.to_string())
    }

    #[test]
    fn leaf_counts_must_be_powers_of_the_arity() {
        for leaves in [1, 4, 16, 64] {
            assert_eq!(
                request(&vec![[0; 32]; leaves], LeafKind::Element),
                Ok(leaves)
            );
            assert_eq!(
                request(&vec![[0; 32]; 4 * leaves], LeafKind::Hash),
                Ok(leaves)
            );
        }
        for (leaves, next) in [(2, 4), (5, 16), (17, 64)] {
            let message = request(&vec![[0; 32]; leaves], LeafKind::Element).unwrap_err();
            assert!(
                message.starts_with(&format!("{leaves} leaves"))
                    && message.ends_with(&format!("power of 4, the next one is {next}")),
                "{message}"
            );
        }
        assert!(
            request(&[], LeafKind::Element)
                .unwrap_err()
                .contains("no field elements")
        );
        assert!(
            request(&[[0; 32]; 6], LeafKind::Hash)
                .unwrap_err()
                .contains("multiple of 4")
        );
    }

    #[test]
    fn elements_must_be_below_the_prime() {
        let parameters = presets::by_name("filecoin-arity-4").unwrap();
        let mut words = vec![[0; 32]; 64];
        words[17] = parameters.prime();
        let message = request(&words, LeafKind::Element).unwrap_err();
        let prime = word::to_hex(&parameters.prime());
        assert!(
            message.starts_with(&format!(
                "element 17 is {prime}, not below the prime {prime} of bls12-381; "
            )),
            "{message}"
        );
        let inputs: Vec<_> = words.chunks(4).map(<[Word]>::to_vec).collect();
        let error = check_inputs(parameters, &inputs).unwrap_err().to_string();
        assert!(error.starts_with("element 17 is"), "{error}");
        let error = check_inputs(parameters, &[vec![[0; 32]; 3]])
            .unwrap_err()
            .to_string();
        assert!(error.starts_with("input 0 has 3"), "{error}");
    }

    #[test]
    fn hashes_of_a_tree() {
        let parameters = presets::by_name("filecoin-arity-8").unwrap();
        let request = CommitRequest {
            parameters,
            leaf: LeafKind::Hash,
            words: &[],
        };
        assert_eq!(request.hashes(64), 64 + 8 + 1);
        assert_eq!(
            CommitRequest {
                leaf: LeafKind::Element,
                ..request
            }
            .hashes(64),
            9
        );
    }
}

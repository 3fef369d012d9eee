//! Devices: everything that hashes and commits to data, whether it is the host's processor or a
//! chip.

use std::error::Error;

use serde::Serialize;

use crate::fields::AnyParameters;
use crate::merkle::{LeafCountError, check_leaf_count};
use crate::sponge::Sponge;
use crate::word::{self, Word};

/// What the words of a [`CommitRequest`] are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LeafKind {
    /// Every `digest_length` words are a ready leaf digest.
    Element,
    /// Every `inputs` words are hashed into a leaf.
    Hash,
}

/// The order to compute a Merkle root.
#[derive(Clone, Copy, Debug)]
pub struct CommitRequest<'a> {
    /// The parameter set, whose arity is that of the tree.
    pub parameters: &'a AnyParameters,
    /// What the words are.
    pub leaf: LeafKind,
    /// Canonical field elements: `digest_length` of them a leaf with [`LeafKind::Element`], `inputs`
    /// with [`LeafKind::Hash`]. The number of leaves is a power of the arity.
    pub words: &'a [Word],
}

impl CommitRequest<'_> {
    /// Checks the request and returns the number of leaves.
    ///
    /// # Errors
    ///
    /// When the number of words does not fit, or a word is not below the prime.
    pub fn validate(&self) -> Result<usize, DeviceError> {
        let parameters = self.parameters;
        let words = self.words.len();
        if words == 0 {
            return Err(DeviceError::NoWords);
        }
        let length = self.leaf_length();
        if !words.is_multiple_of(length) {
            return Err(DeviceError::PartialLeaf { words, length });
        }
        let leaves = words / length;
        if leaves > 1 {
            check_tree(parameters)?;
        }
        check_leaf_count(leaves, parameters.arity())?;
        check_elements(parameters, self.words)?;
        Ok(leaves)
    }

    /// Words of a leaf.
    pub fn leaf_length(&self) -> usize {
        match self.leaf {
            LeafKind::Element => self.parameters.digest_length(),
            LeafKind::Hash => self.parameters.inputs(),
        }
    }

    /// Hashes of the whole tree over `leaves` leaves: those of the leaves, if they are hashed, and
    /// those of the inner nodes.
    pub fn hashes(&self, leaves: usize) -> u64 {
        let arity = self.parameters.arity() as u64;
        let inner = (leaves as u64).saturating_sub(1) / arity.saturating_sub(1).max(1);
        match self.leaf {
            LeafKind::Element => inner,
            LeafKind::Hash => inner + leaves as u64,
        }
    }
}

/// Checks that the hash of `parameters` makes trees: that it takes two or more whole digests.
///
/// # Errors
///
/// When it does not.
pub fn check_tree(parameters: &AnyParameters) -> Result<(), DeviceError> {
    let (inputs, digest_length) = (parameters.inputs(), parameters.digest_length());
    if parameters.arity() >= 2 && inputs.is_multiple_of(digest_length) {
        return Ok(());
    }
    Err(DeviceError::NoTree {
        name: parameters.name().to_owned(),
        inputs,
        digest_length,
    })
}

/// Checks that every element is below the prime of `parameters`.
///
/// # Errors
///
/// When one is not; the error names the first.
pub fn check_elements(parameters: &AnyParameters, elements: &[Word]) -> Result<(), DeviceError> {
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
            field: parameters.field().name().to_owned(),
        }),
    }
}

/// Checks that each of `inputs` has as many elements as a hash of `parameters` takes, all below the
/// prime.
///
/// # Errors
///
/// When one has not. The index of an element counts through all inputs.
pub fn check_inputs(parameters: &AnyParameters, inputs: &[Vec<Word>]) -> Result<(), DeviceError> {
    check_lengths(parameters, inputs, parameters.inputs(), |index, length| {
        DeviceError::InputLength {
            index,
            length,
            expected: parameters.inputs(),
        }
    })
}

/// Checks that each of `states` has as many elements as the state of `parameters`, all below the
/// prime.
///
/// # Errors
///
/// When one has not. The index of an element counts through all states.
pub fn check_states(parameters: &AnyParameters, states: &[Vec<Word>]) -> Result<(), DeviceError> {
    check_lengths(parameters, states, parameters.width(), |index, length| {
        DeviceError::StateLength {
            index,
            length,
            width: parameters.width(),
        }
    })
}

/// Checks that all of `rows` have the same number of elements, all below the prime of `parameters`.
///
/// # Errors
///
/// When one has not. The index of an element counts through all rows.
pub fn check_rows(parameters: &AnyParameters, rows: &[Vec<Word>]) -> Result<(), DeviceError> {
    let expected = rows.first().map_or(0, Vec::len);
    check_lengths(parameters, rows, expected, |index, length| {
        DeviceError::RowLength {
            index,
            length,
            expected,
        }
    })
}

fn check_lengths(
    parameters: &AnyParameters,
    lists: &[Vec<Word>],
    expected: usize,
    wrong_length: impl Fn(usize, usize) -> DeviceError,
) -> Result<(), DeviceError> {
    for (number, list) in lists.iter().enumerate() {
        if list.len() != expected {
            return Err(wrong_length(number, list.len()));
        }
        check_elements(parameters, list).map_err(|error| match error {
            DeviceError::ElementNotBelowPrime {
                index,
                value,
                prime,
                field,
            } => DeviceError::ElementNotBelowPrime {
                index: number * expected + index,
                value,
                prime,
                field,
            },
            error => error,
        })?;
    }
    Ok(())
}

/// The result of a commitment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitReport {
    /// The Merkle root: the elements of its digest.
    pub root: Vec<Word>,
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
    /// The digests, in the order of the inputs: the elements of each.
    pub digests: Vec<Vec<Word>>,
    /// Performance counters, where the device has them.
    pub counters: Option<Counters>,
}

impl HashReport {
    /// Clock cycles from start to done, where the device counts them.
    pub fn cycles(&self) -> Option<u64> {
        self.counters.as_ref().map(|counters| counters.cycles)
    }
}

/// The result of many separate permutations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PermuteReport {
    /// The states after the permutation, in the order of those before it.
    pub states: Vec<Vec<Word>>,
    /// Performance counters, where the device has them.
    pub counters: Option<Counters>,
}

impl PermuteReport {
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
    /// Cycle in which the first leaf left the leaf hash engine.
    pub cycle_first_leaf: u64,
    /// Cycle in which the last leaf left the leaf hash engine.
    pub cycle_last_leaf: u64,
    /// Cycle in which the first output word left.
    pub cycle_first_out: u64,
    /// Cycle in which the last output word left.
    pub cycle_last_out: u64,
    /// Cycles in which an input word waited.
    pub stall_in: u64,
    /// Cycles in which an input word was due and none was there.
    pub missing_in: u64,
    /// Cycles in which a leaf waited for room in the tree or at the output.
    pub stall_leaf: u64,
    /// Cycles in which the root hash engine had no group of siblings to hash.
    pub starved_root: u64,
    /// Cycles in which an output word waited.
    pub stall_out: u64,
    /// Most words that each node memory held at a time, see
    /// [`NodeMemories`](crate::level_table::NodeMemories).
    pub high_water: Vec<u64>,
    /// The leaf hash engine.
    pub leaf: EngineCounters,
    /// The root hash engine.
    pub root: EngineCounters,
}

/// Values of the performance counters of one hash engine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct EngineCounters {
    /// Permutations begun.
    pub hashes: u64,
    /// Cycles in which the first full-round sub-engine was occupied by a round.
    pub busy_full: u64,
    /// The same for the second full-round sub-engine, 0 where there is none.
    pub busy_full_last: u64,
    /// The same for each partial-round sub-engine that the chip has.
    pub busy_partial: Vec<u64>,
}

/// How a hash engine of a chip runs a parameter set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct EnginePlan {
    /// Full-round sub-engines of the hash engine.
    pub num_full: usize,
    /// Partial-round sub-engines of the hash engine.
    pub num_partial: usize,
    /// Cycles that a hash occupies the busiest sub-engine: the steady-state cycles per hash.
    pub period: u64,
    /// Multiplications and squarings of field elements that a hash needs.
    pub products: u64,
    /// Multipliers and squarers for field elements that the hash engine has.
    pub multipliers: u64,
}

impl EnginePlan {
    /// Cycles per hash if no multiplier ever waited: no machine with these multipliers is faster.
    pub fn multiplier_bound(&self) -> f64 {
        self.products as f64 / self.multipliers as f64
    }
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
    fn supports(&self, parameters: &AnyParameters) -> Result<(), Unsupported>;

    /// What is worth knowing before a computation with `parameters`, one sentence each: what it
    /// costs on this device, and warnings about the security of the parameters.
    fn notes(&self, parameters: &AnyParameters) -> Vec<String> {
        parameters.warnings()
    }

    /// How the hash engines of the device run the hash of `parameters`; `None` for devices that
    /// have no such engines.
    ///
    /// # Errors
    ///
    /// When the device cannot compute with `parameters`; the error gives the reason.
    fn engine_plan(&self, parameters: &AnyParameters) -> Result<Option<EnginePlan>, Unsupported> {
        self.supports(parameters).map(|()| None)
    }

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

    /// Computes the digest of each of `inputs`, every one of as many canonical field elements as a
    /// hash of `parameters` takes.
    ///
    /// # Errors
    ///
    /// When an input is wrong, the parameters are not supported, or the device fails.
    fn hash(
        &mut self,
        parameters: &AnyParameters,
        inputs: &[Vec<Word>],
        progress: &mut dyn Progress,
    ) -> Result<HashReport, DeviceError>;

    /// Hashes `rows`, messages of one length of canonical field elements, with `sponge` over the
    /// permutation of `parameters`; `None` when the device has no way of its own to do so, and the
    /// caller is to absorb the rows with [`Device::permute`].
    ///
    /// # Errors
    ///
    /// When the parameters are not supported, or the device fails.
    fn hash_rows(
        &mut self,
        _parameters: &AnyParameters,
        _sponge: &Sponge,
        _rows: &[Vec<Word>],
        _progress: &mut dyn Progress,
    ) -> Result<Option<HashReport>, DeviceError> {
        Ok(None)
    }

    /// Applies the permutation of `parameters` to each of `states`, every one of as many canonical
    /// field elements as the state is wide. The initial state and the positions of inputs and
    /// digest do not count.
    ///
    /// # Errors
    ///
    /// When a state is wrong, the parameters are not supported, or the device fails.
    fn permute(
        &mut self,
        parameters: &AnyParameters,
        states: &[Vec<Word>],
        progress: &mut dyn Progress,
    ) -> Result<PermuteReport, DeviceError>;
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
        "{words} field elements are no whole number of leaves: a leaf is made of {length} \
         elements; give a multiple of {length}"
    )]
    PartialLeaf {
        /// Number of words.
        words: usize,
        /// Words of a leaf.
        length: usize,
    },
    /// The hash does not take digests.
    #[error(
        "'{name}' makes no tree of more than one leaf: its hash takes {inputs} field elements, \
         expected two or more whole digests of {digest_length}"
    )]
    NoTree {
        /// Name of the parameter set.
        name: String,
        /// Elements that a hash takes.
        inputs: usize,
        /// Elements of a digest.
        digest_length: usize,
    },
    /// The number of leaves is no power of the arity.
    #[error(transparent)]
    LeafCount(#[from] LeafCountError),
    /// A row has another length than the first one.
    #[error("row {index} has {length} field elements, the rows before it have {expected}")]
    RowLength {
        /// Index of the row, counted from 0.
        index: usize,
        /// Its number of elements.
        length: usize,
        /// That of the rows before it.
        expected: usize,
    },
    /// An input of a hash has the wrong length.
    #[error(
        "input {index} has {length} field elements, a hash of these parameters takes {expected}"
    )]
    InputLength {
        /// Index of the input, counted from 0.
        index: usize,
        /// Its number of elements.
        length: usize,
        /// The elements that a hash takes.
        expected: usize,
    },
    /// A state has the wrong length.
    #[error("state {index} has {length} field elements, expected {width}, the state width")]
    StateLength {
        /// Index of the state, counted from 0.
        index: usize,
        /// Its number of elements.
        length: usize,
        /// The state width.
        width: usize,
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

    fn request(preset: &str, words: &[Word], leaf: LeafKind) -> Result<usize, String> {
        CommitRequest {
            parameters: presets::by_name(preset).unwrap(),
            leaf,
            words,
        }
        .validate()
        .map_err(|error| error.to_string())
    }

    #[test]
    fn leaf_counts_must_be_powers_of_the_arity() {
        for (preset, arity, digest_length) in [("filecoin-arity-4", 4, 1), ("plonky2", 2, 4)] {
            for leaves in [1, arity, arity * arity, arity * arity * arity] {
                let elements = vec![[0; 32]; digest_length * leaves];
                assert_eq!(request(preset, &elements, LeafKind::Element), Ok(leaves));
                let elements = vec![[0; 32]; arity * digest_length * leaves];
                assert_eq!(request(preset, &elements, LeafKind::Hash), Ok(leaves));
            }
        }
        for (leaves, next) in [(2, 4), (5, 16), (17, 64)] {
            let message = request(
                "filecoin-arity-4",
                &vec![[0; 32]; leaves],
                LeafKind::Element,
            )
            .unwrap_err();
            assert!(
                message.starts_with(&format!("{leaves} leaves"))
                    && message.ends_with(&format!("power of 4, the next one is {next}")),
                "{message}"
            );
        }
        for (preset, count, leaf, expected) in [
            (
                "filecoin-arity-4",
                0,
                LeafKind::Element,
                "no field elements",
            ),
            ("filecoin-arity-4", 6, LeafKind::Hash, "multiple of 4"),
            ("plonky2", 6, LeafKind::Element, "multiple of 4"),
            ("plonky2", 12, LeafKind::Hash, "multiple of 8"),
            (
                "filecoin-arity-1",
                2,
                LeafKind::Element,
                "takes 1 field elements",
            ),
        ] {
            let message = request(preset, &vec![[0; 32]; count], leaf).unwrap_err();
            assert!(message.contains(expected), "{message}");
        }
        assert_eq!(
            request("filecoin-arity-1", &[[0; 32]], LeafKind::Hash),
            Ok(1)
        );
    }

    #[test]
    fn elements_must_be_below_the_prime() {
        for preset in ["filecoin-arity-4", "plonky2"] {
            let parameters = presets::by_name(preset).unwrap();
            let mut words = vec![[0; 32]; 64];
            words[17] = parameters.prime();
            let message = request(preset, &words, LeafKind::Element).unwrap_err();
            let prime = word::to_hex(&parameters.prime());
            assert!(
                message.starts_with(&format!(
                    "element 17 is {prime}, not below the prime {prime} of {}; ",
                    parameters.field()
                )),
                "{message}"
            );
            let lists = |length| -> Vec<_> { words.chunks(length).map(<[Word]>::to_vec).collect() };
            let message = |result: Result<(), DeviceError>| result.unwrap_err().to_string();
            let error = message(check_inputs(parameters, &lists(parameters.inputs())));
            assert!(error.starts_with("element 17 is"), "{error}");
            let width = parameters.width();
            let error = message(check_states(parameters, &lists(width)[..4]));
            assert!(error.starts_with("element 17 is"), "{error}");
            let error = message(check_inputs(parameters, &[vec![[0; 32]; 3]]));
            assert!(error.starts_with("input 0 has 3"), "{error}");
            let error = message(check_states(parameters, &[vec![[0; 32]; 3]]));
            assert!(error.starts_with("state 0 has 3"), "{error}");
        }
    }

    #[test]
    fn hashes_of_a_tree() {
        let request = CommitRequest {
            parameters: presets::by_name("filecoin-arity-8").unwrap(),
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
        let request = CommitRequest {
            parameters: presets::by_name("plonky2").unwrap(),
            leaf: LeafKind::Element,
            words: &[],
        };
        assert_eq!(request.hashes(64), 63);
    }
}

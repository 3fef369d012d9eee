//! What a library is asked for, and the check of its digests.

use std::hint::black_box;

use acclmt_poseidon::fields::AnyParameters;
use acclmt_poseidon::params::ParameterError;
use acclmt_poseidon::permutation::{InputLengthError, hash_dense};
use acclmt_poseidon::presets::PresetError;
use acclmt_poseidon::random::Generator;
use acclmt_poseidon::word::{self, Word};
use acclmt_poseidon::{dispatch, with_field};
use rayon::prelude::*;

use crate::built_info;
use crate::workers::Workers;

/// Hashes with different inputs that are checked, and then timed again and again.
pub const INPUTS: usize = 256;

/// Least number of calls that are worth a thread.
const CALLS_PER_JOB: usize = 16;

/// Which hash of which library it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Name of the package.
    pub library: &'static str,
    /// Its version, from Cargo.lock.
    pub version: &'static str,
    /// The preset of acclmt with as many elements, rounds and the same S-box.
    pub preset: String,
    /// Whether the library has the round constants and the matrix of that preset, so that digests are
    /// comparable. If not, its own ones give the same amount of work.
    pub same_constants: bool,
}

impl Identity {
    pub(crate) fn new(library: &'static str, preset: &str, same_constants: bool) -> Self {
        // Of the packages of acclmt this is the one that hashes.
        let package = match library {
            "acclmt" => "acclmt-poseidon",
            other => other,
        };
        Self {
            library,
            version: version(package),
            preset: preset.to_owned(),
            same_constants,
        }
    }
}

/// The version of a package that this one is built with.
fn version(package: &str) -> &'static str {
    (built_info::DEPENDENCIES.iter())
        .find(|(name, _)| *name == package)
        .map_or("unknown", |(_, version)| version)
}

/// A library computes something else than the reference.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{library} {version} computes {task} as {}, but the reference with the parameters of '{parameters}' as \
     {}; it was not timed",
    list(.digest), list(.expected)
)]
pub struct Difference {
    /// Name of the package.
    pub library: &'static str,
    /// Its version.
    pub version: &'static str,
    /// What was to be computed.
    pub task: String,
    /// Name of the parameter set of the reference.
    pub parameters: String,
    /// What the library computes.
    pub digest: Vec<Word>,
    /// What the reference computes.
    pub expected: Vec<Word>,
}

/// Compares the result `digest` of a `task` with the reference's.
pub(crate) fn compare(
    identity: &Identity,
    parameters: &AnyParameters,
    task: impl FnOnce() -> String,
    digest: Vec<Word>,
    expected: Vec<Word>,
) -> Result<(), Box<Difference>> {
    if digest == expected {
        return Ok(());
    }
    Err(Box::new(Difference {
        library: identity.library,
        version: identity.version,
        task: task(),
        parameters: parameters.name().to_owned(),
        digest,
        expected,
    }))
}

/// A library cannot be measured.
#[derive(Debug, thiserror::Error)]
pub enum PeerError {
    /// A digest or a root is wrong.
    #[error(transparent)]
    Difference(#[from] Box<Difference>),
    /// An element is none for the library.
    #[error("{library} refuses the field element {}, which is below the prime", word::to_hex(.element))]
    Element {
        /// Name of the package.
        library: &'static str,
        /// The element.
        element: Word,
    },
    /// The reference has no such preset.
    #[error(transparent)]
    Preset(#[from] PresetError),
    /// The reference cannot have the parameters of the library.
    #[error(transparent)]
    Parameters(#[from] ParameterError),
    /// The reference takes another number of elements.
    #[error(transparent)]
    InputLength(#[from] InputLengthError),
    /// The hash makes no trees.
    #[error(transparent)]
    Tree(#[from] acclmt_merkle::tree::TreeError),
}

fn list(words: &[Word]) -> String {
    let words: Vec<_> = words.iter().map(word::to_hex).collect();
    format!("[{}]", words.join(", "))
}

/// A hash of a library.
///
/// A call computes [`LANES`](Self::LANES) independent hashes. Element i of its inputs holds element i of
/// the inputs of each of them; so does element i of its digests.
pub trait Peer: Send + Sync {
    /// Field elements of all lanes in the form that the library computes with.
    type Element: Copy + Default + Send + Sync;

    /// What a thread keeps between calls.
    type Hasher<'a>
    where
        Self: 'a;

    /// Hashes of a call.
    const LANES: usize = 1;

    /// Which hash it is.
    fn identity(&self) -> &Identity;

    /// The parameters that the library computes with, for the reference.
    fn parameters(&self) -> &AnyParameters;

    /// The element that holds the canonical integers `lanes`, or `None` if one is not below the prime.
    fn element(&self, lanes: &[Word]) -> Option<Self::Element>;

    /// The canonical integers of the lanes of `element`.
    fn words(&self, element: &Self::Element) -> Vec<Word>;

    /// Makes what a thread needs to hash.
    fn hasher(&self) -> Self::Hasher<'_>;

    /// Hashes `inputs` to `digest`, which are as many as the parameters have.
    fn hash(
        &self,
        hasher: &mut Self::Hasher<'_>,
        inputs: &[Self::Element],
        digest: &mut [Self::Element],
    );
}

/// A library that gave the digests of the reference for [`INPUTS`] random inputs. These are what is timed.
#[derive(Debug)]
pub struct Checked<P: Peer> {
    peer: P,
    /// Elements of one call after another.
    elements: Vec<P::Element>,
    /// Elements of the inputs of a call.
    inputs: usize,
    digest_length: usize,
}

impl<P: Peer> Checked<P> {
    /// Checks `peer` with inputs that are drawn from `seed`.
    ///
    /// # Errors
    ///
    /// When a digest is not that of the reference.
    pub fn new(peer: P, seed: u64) -> Result<Self, PeerError> {
        let reference = peer.parameters().clone();
        Self::against(peer, &reference, seed)
    }

    /// Checks `peer` against the digests of the parameter set `reference`, computed straight from the
    /// specification.
    fn against(peer: P, reference: &AnyParameters, seed: u64) -> Result<Self, PeerError> {
        let (inputs, digest_length) = (reference.inputs(), reference.digest_length());
        let hashes = INPUTS.next_multiple_of(P::LANES);
        let words = random_words(reference, seed, hashes * inputs);
        let mut elements = Vec::with_capacity(hashes / P::LANES * inputs);
        for call in words.chunks(P::LANES * inputs) {
            for index in 0..inputs {
                let lanes: Vec<_> = call.chunks(inputs).map(|hash| hash[index]).collect();
                elements.push(to_element(&peer, &lanes)?);
            }
        }
        let mut digest = vec![P::Element::default(); digest_length];
        let mut hasher = peer.hasher();
        for (call, words) in elements.chunks(inputs).zip(words.chunks(P::LANES * inputs)) {
            peer.hash(&mut hasher, call, &mut digest);
            let columns: Vec<_> = digest.iter().map(|element| peer.words(element)).collect();
            for (lane, inputs) in words.chunks(inputs).enumerate() {
                let digest: Vec<_> = columns.iter().map(|column| column[lane]).collect();
                let expected = reference_digest(reference, inputs)?;
                let task = || format!("the hash of {}", list(inputs));
                compare(peer.identity(), reference, task, digest, expected)?;
            }
        }
        drop(hasher);
        Ok(Self {
            peer,
            elements,
            inputs,
            digest_length,
        })
    }

    /// The library.
    pub fn peer(&self) -> &P {
        &self.peer
    }

    /// One call with the inputs of the number `call`.
    fn call(&self, hasher: &mut P::Hasher<'_>, digest: &mut [P::Element], call: usize) {
        let first = call % (self.elements.len() / self.inputs) * self.inputs;
        let inputs = &self.elements[first..first + self.inputs];
        self.peer.hash(hasher, black_box(inputs), digest);
        black_box(digest);
    }
}

/// A checked library of any type, which can be timed.
pub trait Timed: Send + Sync {
    /// Which hash it is.
    fn identity(&self) -> &Identity;

    /// Digests that a hash takes: the arity of Merkle trees.
    fn arity(&self) -> usize;

    /// Hashes at least `hashes` times on all threads of `workers`, and returns how often.
    fn run(&self, hashes: u64, workers: &Workers) -> u64;
}

impl<P: Peer> Timed for Checked<P> {
    fn identity(&self) -> &Identity {
        self.peer.identity()
    }

    fn arity(&self) -> usize {
        self.peer.parameters().arity()
    }

    fn run(&self, hashes: u64, workers: &Workers) -> u64 {
        let lanes = P::LANES as u64;
        let calls = hashes.div_ceil(lanes);
        let thread = || {
            let digest = vec![P::Element::default(); self.digest_length];
            (self.peer.hasher(), digest)
        };
        match workers.pool() {
            None => {
                let (mut hasher, mut digest) = thread();
                for call in 0..calls as usize {
                    self.call(&mut hasher, &mut digest, call);
                }
            }
            Some(pool) => pool.install(|| {
                (0..calls as usize)
                    .into_par_iter()
                    .with_min_len(CALLS_PER_JOB)
                    .for_each_init(thread, |(hasher, digest), call| {
                        self.call(hasher, digest, call);
                    });
            }),
        }
        calls * lanes
    }
}

/// The element of `peer` that holds `lanes`.
pub(crate) fn to_element<P: Peer>(peer: &P, lanes: &[Word]) -> Result<P::Element, PeerError> {
    peer.element(lanes).ok_or_else(|| PeerError::Element {
        library: peer.identity().library,
        element: lanes[0],
    })
}

/// `count` random elements of the field of `parameters`, corner values among them.
pub(crate) fn random_words(parameters: &AnyParameters, seed: u64, count: usize) -> Vec<Word> {
    let mut generator = Generator::new(seed);
    with_field!(parameters.field(), F => {
        let elements = generator.elements::<F>(count);
        elements.into_iter().map(word::from_field).collect()
    })
}

/// The digest of `inputs`, which are below the prime, straight from the specification.
fn reference_digest(
    parameters: &AnyParameters,
    inputs: &[Word],
) -> Result<Vec<Word>, InputLengthError> {
    dispatch!(parameters, set => {
        let inputs: Vec<_> = inputs.iter().filter_map(word::to_field).collect();
        let digest = hash_dense(set, &inputs)?;
        Ok(digest.into_iter().map(word::from_field).collect())
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use acclmt_poseidon::fields::PoseidonField;
    use acclmt_poseidon::params::PoseidonParameters;

    use super::*;

    /// `parameters` with one round constant that is larger by one.
    fn with_a_wrong_constant<F: PoseidonField>(
        parameters: &PoseidonParameters<F>,
        round: usize,
    ) -> AnyParameters {
        let mut specification = parameters.specification().clone();
        specification.round_constants[round][1] += F::ONE;
        F::wrap(PoseidonParameters::new(specification).unwrap())
    }

    /// Digests equal the reference's for other inputs than those of the measurement, and a wrong constant
    /// in a full or a partial round is found.
    pub(crate) fn check<P: Peer>(make: impl Fn() -> P) {
        for seed in 100..103 {
            Checked::new(make(), seed).unwrap();
        }
        let peer = make();
        let last = peer.parameters().rounds() - 1;
        for round in [0, last / 2, last] {
            let wrong = dispatch!(peer.parameters(), set => with_a_wrong_constant(set, round));
            assert_refused(make(), &wrong);
        }
    }

    /// The digests of `peer` are not those of `reference`, and the error names both.
    pub(crate) fn assert_refused<P: Peer>(peer: P, reference: &AnyParameters) {
        let identity = peer.identity().clone();
        let Err(error) = Checked::against(peer, reference, 1) else {
            panic!("the wrong digests of {} are not found", identity.library);
        };
        let message = error.to_string();
        let (library, version) = (identity.library, identity.version);
        let head = format!("{library} {version} computes the hash of [0x");
        assert!(message.starts_with(&head), "{message}");
        assert!(message.contains(reference.name()), "{message}");
        assert!(matches!(error, PeerError::Difference(_)), "{message}");
    }

    #[test]
    fn versions_are_those_of_the_lock_file() {
        for peer in crate::peers::all(1).unwrap() {
            let version = peer.identity().version;
            assert!(version.split('.').count() >= 3, "{version}");
        }
        assert_eq!(version("neptune-of-the-sea"), "unknown");
    }
}

//! Hashes of messages of any length by a [`Sponge`].
//!
//! [`hash_messages`] computes them on the host's processor; [`absorb`] leaves the permutations to its
//! caller, which can give many of them to a device at the same time.

use crate::dispatch;
use crate::fields::{AnyParameters, ElementNotBelowPrime, PoseidonField, words};
use crate::generate;
use crate::params::PoseidonParameters;
use crate::permutation::Poseidon;
use crate::sponge::{Capacity, Sponge};
use crate::word::{self, Word};

/// Why messages could not be hashed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpongeError {
    /// The parameter set says nothing about messages of other lengths.
    #[error("'{name}' has no sponge: it hashes {inputs} field elements at a time and nothing else")]
    NoSponge {
        /// Name of the parameter set.
        name: String,
        /// Elements that a hash takes.
        inputs: usize,
    },
    /// The sponge does not go with the state.
    #[error("the sponge does not fit '{name}': {problem}")]
    Misfit {
        /// Name of the parameter set.
        name: String,
        /// What is wrong.
        problem: String,
    },
    /// The tag of a message does not exist.
    #[error(
        "message {index} has {length} field elements, a sponge with a SAFE tag takes at most 2^31 - 1"
    )]
    TooLong {
        /// Index of the message, counted from 0.
        index: usize,
        /// Its number of elements.
        length: usize,
    },
    /// An element of a message is not below the prime.
    #[error(transparent)]
    Element(#[from] ElementNotBelowPrime),
}

/// The sponge of `parameters`.
///
/// # Errors
///
/// When the parameter set has none.
pub fn sponge_of(parameters: &AnyParameters) -> Result<&Sponge, SpongeError> {
    parameters.sponge().ok_or_else(|| SpongeError::NoSponge {
        name: parameters.name().to_owned(),
        inputs: parameters.inputs(),
    })
}

/// Checks that `sponge` goes with the state of `parameters`, and that the elements of `messages` are
/// below the prime.
///
/// # Errors
///
/// When one of these is not so.
pub fn check_messages(
    parameters: &AnyParameters,
    sponge: &Sponge,
    messages: &[Vec<Word>],
) -> Result<(), SpongeError> {
    sponge
        .check(parameters.width())
        .map_err(|problem| SpongeError::Misfit {
            name: parameters.name().to_owned(),
            problem,
        })?;
    for message in messages {
        parameters.check_elements(message)?;
    }
    Ok(())
}

/// The digests of `messages` by the sponge of `parameters`, computed on the host's processor: for each
/// the elements of its digest.
///
/// # Errors
///
/// When the parameter set has no sponge, an element is not below the prime, or a message is too long
/// for its tag.
///
/// ```
/// use acclmt_poseidon::{absorb, presets, word};
///
/// let starknet = presets::by_name("starknet")?;
/// let messages = [vec![word::from_u64(1), word::from_u64(2), word::from_u64(3)]];
/// let digests = absorb::hash_messages(starknet, &messages)?;
/// assert_eq!(
///     word::to_hex(&digests[0][0]),
///     "0x02f0d8840bcf3bc629598d8a6cc80cb7c0d9e52d93dab244bbf9cd0dca0ad082"
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn hash_messages(
    parameters: &AnyParameters,
    messages: &[Vec<Word>],
) -> Result<Vec<Vec<Word>>, SpongeError> {
    let sponge = sponge_of(parameters)?;
    check_messages(parameters, sponge, messages)?;
    dispatch!(parameters, set => {
        let poseidon = Poseidon::new(set);
        absorb_all(set, sponge, messages, &mut |states| {
            let permuted = states.iter().map(|state| {
                let mut state: Vec<_> = state.iter().filter_map(word::to_field).collect();
                poseidon.permute(&mut state);
                words(&state)
            });
            Ok(permuted.collect())
        })
    })
}

/// The message with its padding, block by block. The last block may be short.
fn blocks<F: PoseidonField>(sponge: &Sponge, message: &[Word]) -> Vec<Vec<F>> {
    let padded = sponge.pad(message);
    let mut blocks: Vec<Vec<F>> = padded
        .chunks(sponge.rate())
        .map(|block| block.iter().filter_map(word::to_field).collect())
        .collect();
    if blocks.is_empty() && sponge.permute_empty {
        blocks.push(Vec::new());
    }
    blocks
}

/// The initial state of `sponge` for a message of `length` elements; `None` when it does not exist.
pub fn initial_state<F: PoseidonField>(
    sponge: &Sponge,
    parameters: &PoseidonParameters<F>,
    length: usize,
) -> Option<Vec<F>> {
    let mut state = vec![F::ZERO; parameters.width()];
    match sponge.capacity {
        Capacity::Zero => {}
        Capacity::InitialState => state.copy_from_slice(parameters.initial_state()),
        Capacity::Length { position } => state[position] = F::from((length as u128) << 64),
        Capacity::Safe { position, domain } => {
            state[position] = generate::safe_tag(length, domain)?;
        }
        Capacity::WholeLength { position } => state[position] = F::from(length as u64),
        Capacity::ShortBlock { position } => {
            state[position] = F::from(!length.is_multiple_of(sponge.rate()));
        }
        Capacity::LengthModuloRate {
            position,
            domain_position,
            domain,
        } => {
            state[position] = F::from((length % sponge.rate()) as u64);
            state[domain_position] = F::from(domain);
        }
    }
    Some(state)
}

/// A message on its way through the sponge.
struct Absorbing<F> {
    blocks: std::vec::IntoIter<Vec<F>>,
    is_first: bool,
    state: Vec<F>,
}

/// Applies the permutation to each of many states.
type Permute<'a, E> = dyn FnMut(&[Vec<Word>]) -> Result<Vec<Vec<Word>>, E> + 'a;

/// Hashes `messages`, which [`check_messages`] has accepted, with permutations by `permute`: it is given
/// the n-th states of all messages together, and returns them permuted, in the same order.
///
/// # Errors
///
/// When a message is too long for its tag, and those of `permute`.
pub fn absorb<E: From<SpongeError>>(
    parameters: &AnyParameters,
    sponge: &Sponge,
    messages: &[Vec<Word>],
    permute: &mut Permute<'_, E>,
) -> Result<Vec<Vec<Word>>, E> {
    dispatch!(parameters, parameters => absorb_all(parameters, sponge, messages, permute))
}

fn absorb_all<F: PoseidonField, E: From<SpongeError>>(
    set: &PoseidonParameters<F>,
    sponge: &Sponge,
    messages: &[Vec<Word>],
    permute: &mut Permute<'_, E>,
) -> Result<Vec<Vec<Word>>, E> {
    let start = |(index, message): (usize, &Vec<Word>)| {
        let length = message.len();
        Ok(Absorbing {
            blocks: blocks(sponge, message).into_iter(),
            is_first: true,
            state: initial_state(sponge, set, length)
                .ok_or(SpongeError::TooLong { index, length })?,
        })
    };
    let mut absorbing = (messages.iter().enumerate())
        .map(start)
        .collect::<Result<Vec<_>, SpongeError>>()?;
    loop {
        let mut active = Vec::new();
        let mut states = Vec::new();
        for (index, message) in absorbing.iter_mut().enumerate() {
            if let Some(block) = message.blocks.next() {
                if !message.is_first {
                    sponge.chain(&mut message.state, set.digest_positions());
                }
                message.is_first = false;
                sponge.absorb(&mut message.state, &block);
                active.push(index);
                states.push(words(&message.state));
            }
        }
        if active.is_empty() {
            break;
        }
        for (index, state) in active.into_iter().zip(permute(&states)?) {
            absorbing[index].state = state.iter().filter_map(word::to_field).collect();
        }
    }
    let digest = |message: &Absorbing<F>| -> Vec<Word> {
        (set.digest_positions().iter())
            .map(|&position| word::from_field(message.state[position]))
            .collect()
    };
    Ok(absorbing.iter().map(digest).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random;
    use crate::sponge::{Absorption, Padding};

    #[test]
    fn initial_states() {
        let ranges = random::Ranges::default();
        let set = random::parameters::<crate::fields::Pallas>(7, &ranges).unwrap();
        let mut sponge = Sponge {
            rate_positions: vec![1, 0],
            absorption: Absorption::Add,
            padding: Padding::None,
            capacity: Capacity::InitialState,
            permute_empty: false,
            short_rows_are_digests: false,
        };
        assert_eq!(
            initial_state(&sponge, &set, 3).unwrap(),
            set.initial_state()
        );
        sponge.capacity = Capacity::Zero;
        let zeros = initial_state(&sponge, &set, 3).unwrap();
        assert!(zeros.iter().all(|&element| element == 0_u64.into()));
        sponge.capacity = Capacity::Safe {
            position: 0,
            domain: 0,
        };
        assert_eq!(initial_state(&sponge, &set, 1 << 31), None);
    }

    /// Where a sponge has two messages of one digest these are told, and where none is told no short messages have.
    #[test]
    fn messages_with_one_digest_are_told() {
        let ranges = random::Ranges {
            widths: 4..=4,
            ..random::Ranges::default()
        };
        let set = random::parameters::<crate::fields::Goldilocks>(9, &ranges).unwrap();
        let capacities = [
            Capacity::Zero,
            Capacity::InitialState,
            Capacity::Length { position: 3 },
            Capacity::LengthModuloRate {
                position: 3,
                domain_position: 1,
                domain: 5,
            },
            Capacity::Safe {
                position: 3,
                domain: 1,
            },
        ];
        let absorptions = [
            Absorption::Add,
            Absorption::Overwrite,
            Absorption::OverwriteChained,
        ];
        let paddings = [
            Padding::None,
            Padding::Zeros,
            Padding::One,
            Padding::OneZerosOne,
        ];
        let mut told = 0;
        for (number, capacity) in (0..96).flat_map(|number| capacities.map(|it| (number, it))) {
            let sponge = Sponge {
                rate_positions: [&[0][..], &[2, 0], &[0, 2, 1], &[2]][number / 24].to_vec(),
                absorption: absorptions[number % 3],
                padding: paddings[number / 3 % 4],
                capacity,
                permute_empty: number / 12 % 2 == 0,
                short_rows_are_digests: false,
            };
            let has_room = sponge.check_capacity().is_ok() && sponge.check_chaining(4, 2).is_ok();
            if !has_room {
                continue;
            }
            let set = PoseidonParameters::new(crate::params::PoseidonSpecification {
                digest_positions: vec![0, 3],
                sponge: Some(sponge.clone()),
                ..set.specification().clone()
            })
            .unwrap();
            let digests = |messages: &[Vec<Word>]| {
                hash_messages(&PoseidonField::wrap(set.clone()), messages).unwrap()
            };
            let warning = set
                .warnings()
                .into_iter()
                .find(|it| it.contains("one digest"));
            let collision = sponge.collision(set.initial_state());
            assert_eq!(warning.is_some(), collision.is_some());
            if let Some(messages) = collision {
                assert_ne!(messages[0], messages[1]);
                let digests = digests(&messages);
                assert_eq!(digests[0], digests[1], "{sponge:?}");
                told += 1;
                continue;
            }
            let some: Vec<Word> = ([0, 1].map(word::from_u64).into_iter())
                .chain(words(set.initial_state()))
                .collect();
            let mut messages = vec![vec![]];
            for length in 0..3 {
                let longest: Vec<Vec<Word>> = (messages.iter())
                    .filter(|message| message.len() == length)
                    .cloned()
                    .collect();
                for message in longest {
                    messages.extend(some.iter().map(|&more| [&message[..], &[more]].concat()));
                }
            }
            let mut digests = digests(&messages);
            digests.sort_unstable();
            digests.dedup();
            assert_eq!(digests.len(), messages.len(), "{sponge:?}");
        }
        assert!(told > 20, "{told}");
    }
}

//! Hashes of messages of any length: how a message is cut into blocks and absorbed.
//!
//! A sponge starts with an initial state, takes a block into its rate elements, applies the
//! permutation, and so on; the digest is what [`PoseidonParameters::digest_positions`] name of the
//! last state. The permutations are computed by a [`Device`], many messages at the same time.
//!
//! [`PoseidonParameters::digest_positions`]: crate::params::PoseidonParameters::digest_positions

use std::collections::BTreeSet;

use crate::device::{Device, DeviceError, NoProgress, check_elements, is_unhashed, row_sponge};
use crate::dispatch;
use crate::fields::{AnyParameters, PoseidonField, words};
use crate::generate;
use crate::params::{PoseidonParameters, check_positions};
use crate::word::{self, Word};

/// Why messages could not be hashed.
#[derive(Debug, thiserror::Error)]
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
    /// The device gave no result, or an element of a message is not below the prime.
    #[error(transparent)]
    Device(#[from] DeviceError),
}

impl From<SpongeError> for DeviceError {
    fn from(error: SpongeError) -> Self {
        match error {
            SpongeError::Device(error) => error,
            error => Self::failed(error),
        }
    }
}

/// How a block goes into the rate elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Absorption {
    /// Added to them.
    Add,
    /// In place of them; a short last block leaves the other rate elements as they are.
    Overwrite,
}

/// What is appended to a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Padding {
    /// Nothing. With [`Absorption::Add`] a short last block counts as filled up with zeros.
    None,
    /// A one, then zeros to a whole number of blocks (Starknet).
    One,
    /// A one, then zeros, then a one as the last element of a block (pad10*1, Plonky2's
    /// `hash_pad`).
    OneZerosOne,
}

/// The initial state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Capacity {
    /// All zero.
    Zero,
    /// The initial state of the parameter set.
    InitialState,
    /// The length of the message times 2^64 in one element, the others zero (ConstantLength of
    /// neptune and halo2).
    Length {
        /// The element.
        position: usize,
    },
    /// The tag of the SAFE framework for one absorption of the message and one squeezed element,
    /// in one element, the others zero: Blake2b-512 of 2^31 + length (32 bits), 1 (32 bits), domain
    /// (64 bits), all big-endian, as a little-endian integer modulo the prime (dusk).
    Safe {
        /// The element.
        position: usize,
        /// The domain separator.
        domain: u64,
    },
}

/// How messages of any length are hashed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Sponge {
    /// The state elements that a block goes into, in order.
    pub rate_positions: Vec<usize>,
    /// How it goes there.
    pub absorption: Absorption,
    /// What is appended to a message.
    pub padding: Padding,
    /// The initial state.
    pub capacity: Capacity,
    /// Whether the state is permuted once where there is not a single block (Mina); the digest is
    /// that of the initial state otherwise (Plonky2).
    pub permute_empty: bool,
    /// Whether a row that is a leaf of a tree and has no more elements than a digest is not hashed:
    /// it is the digest, with zeros behind it (Plonky2's `hash_or_noop`).
    pub short_rows_are_digests: bool,
}

impl Sponge {
    /// Elements of a block.
    pub fn rate(&self) -> usize {
        self.rate_positions.len()
    }

    /// Checks the positions against the state width.
    pub(crate) fn check(&self, width: usize) -> Result<(), String> {
        check_positions(&self.rate_positions, width, "rate element")?;
        match self.capacity {
            Capacity::Length { position } | Capacity::Safe { position, .. }
                if position >= width =>
            {
                Err(format!(
                    "the capacity is state element {position}, expected less than {width}, the \
                     state width"
                ))
            }
            _ => Ok(()),
        }
    }
}

impl Sponge {
    /// Elements of a message of `length` elements with its padding.
    pub(crate) fn padded_length(&self, length: usize) -> usize {
        let rate = self.rate();
        match self.padding {
            Padding::None => length,
            Padding::One => (length + 1).next_multiple_of(rate),
            Padding::OneZerosOne => (length + 2).next_multiple_of(rate),
        }
    }

    /// The message with its padding.
    pub(crate) fn pad(&self, message: &[Word]) -> Vec<Word> {
        let mut padded = message.to_vec();
        padded.resize(self.padded_length(message.len()), Word::default());
        let one = word::from_u64(1);
        if self.padding != Padding::None {
            padded[message.len()] = one;
        }
        if let (Padding::OneZerosOne, Some(last)) = (self.padding, padded.last_mut()) {
            *last = one;
        }
        padded
    }

    /// The message with its padding, block by block. The last block may be short.
    fn blocks<F: PoseidonField>(&self, message: &[Word]) -> Vec<Vec<F>> {
        let padded = self.pad(message);
        let mut blocks: Vec<Vec<F>> = padded
            .chunks(self.rate())
            .map(|block| block.iter().filter_map(word::to_field).collect())
            .collect();
        if blocks.is_empty() && self.permute_empty {
            blocks.push(Vec::new());
        }
        blocks
    }

    /// The initial state for a message of `length` elements; `None` when it does not exist.
    pub(crate) fn initial_state<F: PoseidonField>(
        &self,
        parameters: &PoseidonParameters<F>,
        length: usize,
    ) -> Option<Vec<F>> {
        let mut state = vec![F::ZERO; parameters.width()];
        match self.capacity {
            Capacity::Zero => {}
            Capacity::InitialState => state.copy_from_slice(parameters.initial_state()),
            Capacity::Length { position } => state[position] = F::from((length as u128) << 64),
            Capacity::Safe { position, domain } => {
                state[position] = generate::safe_tag(length, domain)?;
            }
        }
        Some(state)
    }

    fn absorb<F: PoseidonField>(&self, state: &mut [F], block: &[F]) {
        for (&position, &element) in self.rate_positions.iter().zip(block) {
            match self.absorption {
                Absorption::Add => state[position] += element,
                Absorption::Overwrite => state[position] = element,
            }
        }
    }
}

/// Hashes each of `messages` with the sponge of `parameters`. The permutations run on `device`, the
/// n-th ones of all messages together.
///
/// # Errors
///
/// When the parameter set has no sponge, an element is not below the prime, or the device fails.
pub fn hash_messages(
    device: &mut dyn Device,
    parameters: &AnyParameters,
    messages: &[Vec<Word>],
) -> Result<Vec<Vec<Word>>, SpongeError> {
    let sponge = parameters.sponge().ok_or_else(|| SpongeError::NoSponge {
        name: parameters.name().to_owned(),
        inputs: parameters.inputs(),
    })?;
    hash_messages_with(device, parameters, sponge, messages)
}

/// The same with another sponge over the permutation of `parameters`.
///
/// # Errors
///
/// As with [`hash_messages`], and when the sponge names elements that the state does not have.
pub fn hash_messages_with(
    device: &mut dyn Device,
    parameters: &AnyParameters,
    sponge: &Sponge,
    messages: &[Vec<Word>],
) -> Result<Vec<Vec<Word>>, SpongeError> {
    sponge
        .check(parameters.width())
        .map_err(|problem| SpongeError::Misfit {
            name: parameters.name().to_owned(),
            problem,
        })?;
    for message in messages {
        check_elements(parameters, message)?;
    }
    let mut digests = vec![None; messages.len()];
    // A device may hash messages of one length by itself.
    let lengths: BTreeSet<usize> = messages.iter().map(Vec::len).collect();
    for length in lengths {
        let (indices, rows): (Vec<_>, Vec<_>) = (messages.iter().enumerate())
            .filter(|(_, message)| message.len() == length)
            .map(|(index, message)| (index, message.clone()))
            .unzip();
        if let Some(report) = device.hash_rows(parameters, sponge, &rows, &mut NoProgress)? {
            for (index, digest) in indices.into_iter().zip(report.digests) {
                digests[index] = Some(digest);
            }
        }
    }
    // The others are absorbed here, with the permutations of the device.
    let (indices, rest): (Vec<_>, Vec<_>) = (messages.iter().enumerate())
        .filter(|&(index, _)| digests[index].is_none())
        .map(|(index, message)| (index, message.clone()))
        .unzip();
    if !rest.is_empty() {
        let absorbed = absorb(parameters, sponge, &rest, &mut |states| {
            let report = device.permute(parameters, states, &mut NoProgress)?;
            Ok(report.states)
        })?;
        for (index, digest) in indices.into_iter().zip(absorbed) {
            digests[index] = Some(digest);
        }
    }
    Ok(digests.into_iter().flatten().collect())
}

/// The digests of rows of one length as leaves of a tree, one after another: by the sponge of
/// `parameters`, or the rows themselves where that has such a rule.
pub(crate) fn hash_rows(
    device: &mut dyn Device,
    parameters: &AnyParameters,
    rows: &[Vec<Word>],
) -> Result<Vec<Word>, DeviceError> {
    let columns = rows.first().map_or(0, Vec::len);
    if is_unhashed(parameters, columns) {
        return Ok(unhashed_digests(parameters.digest_length(), rows));
    }
    let sponge = row_sponge(parameters)?;
    Ok(hash_messages_with(device, parameters, sponge, rows)?.concat())
}

/// Rows that are digests of `length` elements, with zeros behind them.
pub(crate) fn unhashed_digests(length: usize, rows: &[Vec<Word>]) -> Vec<Word> {
    let digest = |row: &Vec<Word>| {
        let mut digest = row.clone();
        digest.resize(length, Word::default());
        digest
    };
    rows.iter().flat_map(digest).collect()
}

/// A message on its way through the sponge.
struct Absorbing<F> {
    blocks: std::vec::IntoIter<Vec<F>>,
    state: Vec<F>,
}

/// Applies the permutation to each of many states.
type Permute<'a> = dyn FnMut(&[Vec<Word>]) -> Result<Vec<Vec<Word>>, DeviceError> + 'a;

/// Hashes `messages`, whose elements are below the prime, with permutations by `permute`.
pub(crate) fn absorb(
    parameters: &AnyParameters,
    sponge: &Sponge,
    messages: &[Vec<Word>],
    permute: &mut Permute<'_>,
) -> Result<Vec<Vec<Word>>, SpongeError> {
    dispatch!(parameters, parameters => absorb_all(parameters, sponge, messages, permute))
}

fn absorb_all<F: PoseidonField>(
    set: &PoseidonParameters<F>,
    sponge: &Sponge,
    messages: &[Vec<Word>],
    permute: &mut Permute<'_>,
) -> Result<Vec<Vec<Word>>, SpongeError> {
    let start = |(index, message): (usize, &Vec<Word>)| {
        let length = message.len();
        Ok(Absorbing {
            blocks: sponge.blocks(message).into_iter(),
            state: (sponge.initial_state(set, length))
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
    use crate::software::SoftwareDevice;
    use crate::{presets, random};

    fn numbers(count: u64) -> Vec<Word> {
        (1..=count).map(word::from_u64).collect()
    }

    fn messages() -> Vec<Vec<Word>> {
        (0..20).map(numbers).collect()
    }

    fn permute(parameters: &AnyParameters, state: &[Word]) -> Vec<Word> {
        let states = [state.to_vec()];
        let report = SoftwareDevice::new().permute(parameters, &states, &mut NoProgress);
        report.unwrap().states.remove(0)
    }

    fn hash_one(parameters: &AnyParameters, sponge: &Sponge, message: &[Word]) -> Vec<Word> {
        let messages = [message.to_vec()];
        let device = &mut SoftwareDevice::new();
        hash_messages_with(device, parameters, sponge, &messages)
            .unwrap()
            .remove(0)
    }

    #[test]
    fn messages_together_give_what_they_give_alone() {
        for name in ["orchard", "starknet", "mina-kimchi", "dusk", "plonky2"] {
            let parameters = presets::by_name(name).unwrap();
            let sponge = parameters.sponge().unwrap();
            let together =
                hash_messages(&mut SoftwareDevice::new(), parameters, &messages()).unwrap();
            let alone: Vec<_> = messages()
                .iter()
                .map(|message| hash_one(parameters, sponge, message))
                .collect();
            assert_eq!(together, alone);
        }
    }

    #[test]
    fn one_block_is_a_permutation() {
        let parameters = presets::by_name("starknet").unwrap();
        let sponge = parameters.sponge().unwrap();
        let [zero, one, five] = [0, 1, 5].map(word::from_u64);
        assert_eq!(
            hash_one(parameters, sponge, &[five]),
            permute(parameters, &[five, one, zero])[..1]
        );
        assert_eq!(
            hash_one(parameters, sponge, &[]),
            permute(parameters, &[one, zero, zero])[..1]
        );
        let parameters = presets::by_name("plonky2").unwrap();
        let sponge = parameters.sponge().unwrap();
        assert_eq!(hash_one(parameters, sponge, &[]), [zero; 4]);
        // A short last block leaves the other elements as they are.
        let mut state = numbers(8);
        state.resize(12, zero);
        let mut state = permute(parameters, &state);
        state[0] = word::from_u64(9);
        assert_eq!(
            hash_one(parameters, sponge, &numbers(9)),
            permute(parameters, &state)[..4]
        );
        let padded = Sponge {
            padding: Padding::OneZerosOne,
            ..sponge.clone()
        };
        for (length, rest) in [(0, "10000001"), (5, "101"), (6, "11"), (7, "100000001")] {
            let mut explicit = numbers(length);
            explicit.extend(
                rest.bytes()
                    .map(|digit| word::from_u64(u64::from(digit - b'0'))),
            );
            assert_eq!(
                hash_one(parameters, &padded, &numbers(length)),
                hash_one(parameters, sponge, &explicit)
            );
        }
    }

    #[test]
    fn the_length_counts() {
        for name in ["orchard", "dusk", "starknet"] {
            let parameters = presets::by_name(name).unwrap();
            let lists = [numbers(3), [numbers(3), vec![word::from_u64(0)]].concat()];
            let digests = hash_messages(&mut SoftwareDevice::new(), parameters, &lists).unwrap();
            assert_ne!(digests[0], digests[1]);
        }
    }

    #[test]
    fn the_hash_of_a_preset_is_its_sponge() {
        for (name, length) in [("orchard", 2), ("mina-kimchi", 2), ("plonky2", 8)] {
            let parameters = presets::by_name(name).unwrap();
            let lists = [numbers(length)];
            let mut device = SoftwareDevice::new();
            let digests = hash_messages(&mut device, parameters, &lists).unwrap();
            let report = device.hash(parameters, &lists, &mut NoProgress).unwrap();
            assert_eq!(digests, report.digests);
        }
    }

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
        assert_eq!(sponge.initial_state(&set, 3).unwrap(), set.initial_state());
        sponge.capacity = Capacity::Zero;
        let zeros = sponge.initial_state(&set, 3).unwrap();
        assert!(zeros.iter().all(|&element| element == 0_u64.into()));
        sponge.capacity = Capacity::Safe {
            position: 0,
            domain: 0,
        };
        assert_eq!(sponge.initial_state(&set, 1 << 31), None);
    }

    #[test]
    fn what_cannot_be_hashed_is_an_error() {
        let mut device = SoftwareDevice::new();
        let parameters = presets::by_name("filecoin-arity-2").unwrap();
        let error = hash_messages(&mut device, parameters, &messages()).unwrap_err();
        assert!(error.to_string().contains("has no sponge"), "{error}");
        let sponge = presets::by_name("plonky2").unwrap().sponge().unwrap();
        let error = hash_messages_with(&mut device, parameters, sponge, &[]).unwrap_err();
        assert!(error.to_string().contains("rate element 3"), "{error}");
        let parameters = presets::by_name("plonky2").unwrap();
        let lists = [numbers(3), vec![parameters.prime()]];
        let error = hash_messages(&mut device, parameters, &lists).unwrap_err();
        assert!(error.to_string().contains("not below the prime"), "{error}");
    }
}

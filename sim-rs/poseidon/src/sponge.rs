//! Sponges: how a message of any length is cut into blocks and absorbed.
//!
//! A sponge starts with an initial state, takes a block into its rate elements, applies the
//! permutation, and so on; the digest is what
//! [`PoseidonSpecification::digest_positions`](crate::params::PoseidonSpecification::digest_positions)
//! name of the last state. [`crate::absorb`] computes it.

use ark_ff::PrimeField;

use crate::bounds::check_positions;
use crate::word::{self, Word};

/// How a block goes into the rate elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Absorption {
    /// Added to them.
    Add,
    /// In place of them; a short last block leaves the other rate elements as they are.
    Overwrite,
    /// In place of them; before each further block the elements of the digest take the place of the elements that are
    /// not in the rate, in ascending order (Zisk).
    OverwriteChained,
    /// Added to them; a short last block is closed: the element behind it becomes one, the others behind that zero
    /// (RpJive).
    AddClosed,
}

/// What is appended to a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Padding {
    /// Nothing. With [`Absorption::Add`] a short last block counts as filled up with zeros.
    None,
    /// Zeros to a whole number of blocks (Miden, Zisk).
    Zeros,
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
    /// The length of the message in one element, the others zero (Rescue Prime).
    WholeLength {
        /// The element.
        position: usize,
    },
    /// One in one element where the last block is short, the others zero (RpJive).
    ShortBlock {
        /// The element.
        position: usize,
    },
    /// The length of the message modulo the elements of a block in one element, a domain in another one, the others
    /// zero (Miden).
    LengthModuloRate {
        /// The element with the length.
        position: usize,
        /// The element with the domain.
        domain_position: usize,
        /// The domain; 0 where there is none.
        domain: u64,
    },
}

impl Capacity {
    /// The elements that say something of the message.
    pub(crate) fn positions(&self) -> Vec<usize> {
        match *self {
            Self::Zero | Self::InitialState => vec![],
            Self::Length { position }
            | Self::Safe { position, .. }
            | Self::WholeLength { position }
            | Self::ShortBlock { position } => vec![position],
            Self::LengthModuloRate {
                position,
                domain_position,
                ..
            } => vec![position, domain_position],
        }
    }
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
    ///
    /// # Errors
    ///
    /// What is wrong with them.
    pub(crate) fn check(&self, width: usize) -> Result<(), String> {
        check_positions(&self.rate_positions, width, "rate element")?;
        if self.rate_positions.len() == width {
            return Err(format!(
                "its sponge has no capacity: the rate is all {width} elements of the state, so that \
                 messages with the same digest are easy to find; leave at least one element out"
            ));
        }
        let positions = self.capacity.positions();
        if let Some(position) = positions.iter().find(|&&position| position >= width) {
            return Err(format!(
                "the capacity is state element {position}, expected less than {width}, the state width"
            ));
        }
        match positions.as_slice() {
            [length, domain] if length == domain => Err(format!(
                "the length and the domain of its sponge are both state element {length}; name two elements"
            )),
            _ => Ok(()),
        }
    }

    /// Checks that the digest, where it goes from block to block, has as many elements as there are for it.
    ///
    /// # Errors
    ///
    /// When it has not.
    pub(crate) fn check_chaining(&self, width: usize, digest_length: usize) -> Result<(), String> {
        let others = width - self.rate();
        if self.absorption == Absorption::OverwriteChained && others != digest_length {
            return Err(format!(
                "its sponge puts a digest of {digest_length} elements into the {others} that are not in the rate; both \
                 numbers have to be the same"
            ));
        }
        Ok(())
    }

    /// Checks that no block goes into the element with the length or the tag.
    ///
    /// # Errors
    ///
    /// Where one does.
    pub(crate) fn check_capacity(&self) -> Result<(), String> {
        let positions = self.capacity.positions();
        match (positions.iter()).find(|position| self.rate_positions.contains(position)) {
            Some(position) => Err(format!(
                "the capacity of its sponge is state element {position}, which blocks of the \
                 message go into; name an element that is not in the rate"
            )),
            None => Ok(()),
        }
    }

    /// Elements of a message of `length` elements with its padding.
    pub fn padded_length(&self, length: usize) -> usize {
        let rate = self.rate();
        match self.padding {
            Padding::None => length,
            Padding::Zeros => length.next_multiple_of(rate),
            Padding::One => (length + 1).next_multiple_of(rate),
            Padding::OneZerosOne => (length + 2).next_multiple_of(rate),
        }
    }

    /// Blocks of a message of `length` elements with its padding.
    pub fn blocks_of(&self, length: usize) -> u64 {
        self.padded_length(length).div_ceil(self.rate()) as u64
    }

    /// The message with its padding.
    pub fn pad(&self, message: &[Word]) -> Vec<Word> {
        let mut padded = message.to_vec();
        padded.resize(self.padded_length(message.len()), Word::default());
        let one = word::from_u64(1);
        if matches!(self.padding, Padding::One | Padding::OneZerosOne) {
            padded[message.len()] = one;
        }
        if let (Padding::OneZerosOne, Some(last)) = (self.padding, padded.last_mut()) {
            *last = one;
        }
        padded
    }

    /// Two messages with one digest, where the padding leaves such: a last block that is short and one that says what
    /// the state has there anyway. `initial_state` is that of the parameter set.
    pub fn collision<F: PrimeField>(&self, initial_state: &[F]) -> Option<[Vec<Word>; 2]> {
        let start = match self.capacity {
            Capacity::Zero | Capacity::LengthModuloRate { .. } => None,
            Capacity::InitialState => Some(initial_state),
            Capacity::Length { .. } | Capacity::Safe { .. } | Capacity::WholeLength { .. } => {
                return None;
            }
            // Behind a short block is a one.
            Capacity::ShortBlock { .. } if self.absorption == Absorption::AddClosed => return None,
            Capacity::ShortBlock { .. } => None,
        };
        if matches!(self.padding, Padding::One | Padding::OneZerosOne) {
            return None;
        }
        // What a block of one element more says of the rate element with this number.
        let silent = |number: usize| match (self.absorption, start) {
            (Absorption::Overwrite | Absorption::OverwriteChained, Some(state)) => {
                word::from_field(state[self.rate_positions[number]])
            }
            _ => Word::default(),
        };
        let says_length = matches!(self.capacity, Capacity::LengthModuloRate { .. });
        if self.rate() > 1 && !says_length {
            let one = word::from_u64(1);
            let more = match self.padding {
                Padding::None => silent(1),
                _ => Word::default(),
            };
            Some([vec![one], vec![one, more]])
        } else if self.permute_empty {
            // A whole block has the length of none.
            Some([vec![], (0..self.rate()).map(silent).collect()])
        } else {
            None
        }
    }

    /// Writes or adds `block` into the rate elements of `state`.
    pub(crate) fn absorb<F: PrimeField>(&self, state: &mut [F], block: &[F]) {
        for (&position, &element) in self.rate_positions.iter().zip(block) {
            match self.absorption {
                Absorption::Add | Absorption::AddClosed => state[position] += element,
                Absorption::Overwrite | Absorption::OverwriteChained => state[position] = element,
            }
        }
        if self.absorption == Absorption::AddClosed {
            let behind = self.rate_positions.iter().skip(block.len());
            for (&position, element) in
                behind.zip([F::ONE].into_iter().chain(std::iter::repeat(F::ZERO)))
            {
                state[position] = element;
            }
        }
    }

    /// Whether elements of the rate are replaced that no block brings, in a message of `length` elements: those behind
    /// a block that is short even with the padding.
    pub fn closes_short_block(&self, length: usize) -> bool {
        let is_short = !self.padded_length(length).is_multiple_of(self.rate());
        self.absorption == Absorption::AddClosed && is_short
    }

    /// Whether the digest of a block goes on beside the next one, in a message of `length` elements.
    pub fn chains_digest(&self, length: usize) -> bool {
        self.absorption == Absorption::OverwriteChained && self.blocks_of(length) > 1
    }

    /// The elements of a state of `width` that are not in the rate.
    pub fn positions_beside(&self, width: usize) -> impl Iterator<Item = usize> {
        (0..width).filter(|position| !self.rate_positions.contains(position))
    }

    /// What happens to `state` between two blocks: the digest, which is at `digest_positions`, goes on where it does.
    pub(crate) fn chain<F: PrimeField>(&self, state: &mut [F], digest_positions: &[usize]) {
        if self.absorption != Absorption::OverwriteChained {
            return;
        }
        let digest: Vec<F> = digest_positions.iter().map(|&it| state[it]).collect();
        for (position, element) in self.positions_beside(state.len()).zip(digest) {
            state[position] = element;
        }
    }
}

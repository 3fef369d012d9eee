//! Matrices of small integers, as the adders of a full-round sub-engine take them: each entry as signed digits, so
//! that a row takes additions of elements and of their doubles only.

use ark_ff::PrimeField;

use super::shape::{LANES, SLICES};
use acclmt_poseidon::word::Word;

/// First bank of the constant vectors of the dense layers, where other layers are made by adders: bank
/// [`DENSE_BANK`] + lane at index 2 set + visit.
pub(super) const DENSE_BANK: u8 = 22;

/// Bank of the rows of the matrix of the adders, at the index of a row.
pub const ADDER_BANK: u8 = 25;

/// Elements of a state that adders take.
pub const ADDER_WIDTH: usize = LANES * SLICES;

/// Digits of an entry, the lowest one first, of weights 1, 4, 16 and 64.
const DIGITS: usize = 4;

/// Bits of a digit: once, twice, negative.
const DIGIT_BITS: usize = 3;

/// Bits of an element and of its double.
const TERM_BITS: u32 = 66;

/// Largest entry that digits up to 2 make, and smallest one with the other sign.
const LARGEST: u64 = 170;

/// A matrix of small integers, row by row, each entry as its digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SmallMatrix {
    rows: Vec<[[i8; DIGITS]; ADDER_WIDTH]>,
}

impl SmallMatrix {
    /// That of `matrix`, if its entries are small enough and it has not too many.
    pub(super) fn new<F: PrimeField>(matrix: &[Vec<F>]) -> Option<Self> {
        if matrix.len() > ADDER_WIDTH {
            return None;
        }
        let rows = matrix.iter().map(|row| {
            let mut digits = [[0; DIGITS]; ADDER_WIDTH];
            for (digits, &entry) in digits.iter_mut().zip(row) {
                *digits = entry_digits(entry)?;
            }
            Some(digits)
        });
        Some(Self {
            rows: rows.collect::<Option<_>>()?,
        })
    }

    /// The words of the rows, those behind the last one of the matrix as well.
    pub(super) fn words(&self) -> [Word; ADDER_WIDTH] {
        let mut words = [Word::default(); ADDER_WIDTH];
        for (word, row) in words.iter_mut().zip(&self.rows) {
            let digits = row.as_flattened().iter().enumerate();
            for (place, &digit) in digits {
                let code = match digit.unsigned_abs() {
                    0 => 0,
                    1 => 0b001,
                    _ => 0b010,
                } | u8::from(digit < 0) << 2;
                for bit in (0..DIGIT_BITS).filter(|bit| code >> bit & 1 == 1) {
                    let place = DIGIT_BITS * place + bit;
                    word[place / 8] |= 1 << (place % 8);
                }
            }
        }
        words
    }

    /// What the adders make too much of each row: a negative digit takes the complement of an element among
    /// [`TERM_BITS`] bits.
    pub(super) fn excess<F: PrimeField>(&self) -> Vec<F> {
        let ones = complement::<F>();
        let rows = self.rows.iter();
        rows.map(|row| {
            let negative = row.as_flattened().iter().enumerate();
            let negative = negative.filter(|(_, digit)| **digit < 0);
            negative.map(|(place, _)| weight::<F>(place) * ones).sum()
        })
        .collect()
    }
}

/// The digits of an entry, if there are few enough.
fn entry_digits<F: PrimeField>(entry: F) -> Option<[i8; DIGITS]> {
    let small = |entry: F| {
        let value: u64 = entry
            .into_bigint()
            .as_ref()
            .iter()
            .rev()
            .try_fold(0_u64, |high, &limb| (high == 0).then_some(limb))?;
        (value <= LARGEST).then_some(value)
    };
    let (mut rest, sign) = match (small(entry), small(-entry)) {
        (Some(value), _) => (value, 1),
        (None, Some(value)) => (value, -1),
        (None, None) => return None,
    };
    let mut digits = [0; DIGITS];
    for (number, digit) in digits.iter_mut().enumerate() {
        // Rounded so that nothing is left in the end.
        let three = rest % 4 == 3;
        if three && number + 1 == DIGITS {
            return None;
        }
        *digit = if three {
            -sign
        } else {
            sign * (rest % 4) as i8
        };
        rest = rest / 4 + u64::from(three);
    }
    (rest == 0).then_some(digits)
}

/// Weight of the digit at a place of a row.
fn weight<F: PrimeField>(place: usize) -> F {
    F::from(1_u64 << (2 * (place % DIGITS)))
}

/// What all bits of a term are together.
fn complement<F: PrimeField>() -> F {
    F::from((1_u128 << TERM_BITS) - 1)
}

/// The digits of a row of the adders: nothing where a code means none.
fn digits_of(word: &Word) -> Option<[i8; DIGITS * ADDER_WIDTH]> {
    let bit = |place: usize| word[place / 8] >> (place % 8) & 1;
    let mut digits = [0; DIGITS * ADDER_WIDTH];
    let used = DIGIT_BITS * digits.len();
    if (used..8 * word.len()).any(|place| bit(place) == 1) {
        return None;
    }
    for (number, digit) in digits.iter_mut().enumerate() {
        let [once, twice, negative] = [0, 1, 2].map(|part| bit(DIGIT_BITS * number + part));
        if once & twice == 1 {
            return None;
        }
        let size = (once + 2 * twice) as i8;
        // A negative zero is the complement of zero.
        *digit = match (size, negative) {
            (0, 1) => NEGATIVE_ZERO,
            (size, 1) => -size,
            (size, _) => size,
        };
    }
    Some(digits)
}

/// The digit that takes the complement of nothing.
const NEGATIVE_ZERO: i8 = i8::MIN;

/// Whether the adders take `word` as a row.
pub(super) fn is_row(word: &Word) -> bool {
    digits_of(word).is_some()
}

/// What the adders make of `state` in the row of `word`; nothing where that is none.
pub(super) fn add_row<F: PrimeField>(word: &Word, state: &[F]) -> Option<F> {
    let digits = digits_of(word)?;
    let terms = digits.iter().enumerate().map(|(place, &digit)| {
        let element = state.get(place / DIGITS).copied().unwrap_or_default();
        let term = match digit {
            NEGATIVE_ZERO => complement(),
            0 => F::ZERO,
            digit => {
                let multiple = element * F::from(u64::from(digit.unsigned_abs()));
                if digit < 0 {
                    complement::<F>() - multiple
                } else {
                    multiple
                }
            }
        };
        term * weight::<F>(place)
    });
    Some(terms.sum())
}

#[cfg(test)]
mod tests {
    use super::*;
    use acclmt_poseidon::fields::Goldilocks;
    use ark_ff::Field;

    /// Entries of either sign up to the bound, and what adders make of them.
    #[test]
    fn rows_are_sums_of_digits() {
        let state: Vec<Goldilocks> = (1..=12_u64).map(|i| Goldilocks::from(i).pow([9])).collect();
        for entry in -170..=170_i64 {
            let value = Goldilocks::from(entry);
            let row: Vec<_> = (0..12).map(|i| value * Goldilocks::from(i % 2)).collect();
            let matrix = SmallMatrix::new(std::slice::from_ref(&row)).expect("the entry is small");
            let sum: Goldilocks = row.iter().zip(&state).map(|(a, b)| *a * b).sum();
            let made = add_row(&matrix.words()[0], &state).expect("it is a row");
            assert_eq!(made - matrix.excess::<Goldilocks>()[0], sum, "{entry}");
        }
    }

    #[test]
    fn other_matrices_are_none() {
        let one = |entry: i64| SmallMatrix::new(&[vec![Goldilocks::from(entry)]]);
        assert!(one(171).is_none() && one(-171).is_none());
        assert!(SmallMatrix::new(&vec![vec![Goldilocks::from(1_u64)]; 13]).is_none());
        let mut word = Word::default();
        assert!(is_row(&word));
        word[0] = 0b011;
        assert!(!is_row(&word));
        word = Word::default();
        word[18] = 1;
        assert!(!is_row(&word));
    }
}

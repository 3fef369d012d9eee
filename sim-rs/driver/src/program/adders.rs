//! Matrices of small integers, as the adders of a full-round sub-engine take them: each entry as signed digits, so
//! that a row takes additions of elements and of their doubles only.

use ark_ff::PrimeField;

use super::shape::{LANES, SLICES};
use acclmt_poseidon::word::Word;

/// First bank of the constant vectors of the dense layers, where other layers are made by adders: bank
/// [`DENSE_BANK`] + lane at index [`DENSE_OF_SET`] set + [`DENSE_OF_VISIT`] visit + beat.
pub(super) const DENSE_BANK: u8 = 22;

/// Entries of a visit there: beats of the widest state that adders take.
pub(super) const DENSE_OF_VISIT: usize = 2;

/// Entries of a parameter set there: those of two visits.
pub(super) const DENSE_OF_SET: u8 = 4;

/// Bank of the rows of the matrix of the adders, at the index of a word.
pub const ADDER_BANK: u8 = 25;

/// Units of the adders, and elements of a beat: cells of a word.
pub const ADDER_WIDTH: usize = LANES * SLICES;

/// Elements of the widest state that adders take, which has two beats.
pub const MOST_ADDER_ELEMENTS: usize = 16;

/// Words of the adders: a first one of each unit, and a second one, which only states of two beats have.
pub const ADDER_WORDS: usize = 2 * ADDER_WIDTH;

/// Units that make a row behind the first twelve, each with so many elements.
const UNITS_OF_ROW: usize = 3;
const ELEMENTS_OF_UNIT: usize = 6;

/// First cell of a second word with entries of such a row. Ahead of it are those of the unit's own row.
const ROW_CELL: usize = 6;

/// Digits of an entry, the lowest one first, of weights 1, 4, 16 and 64.
const DIGITS: usize = 4;

/// Bits of a digit: once, twice, negative.
const DIGIT_BITS: usize = 3;

/// Bits of an element and of its double.
const TERM_BITS: u32 = 66;

/// Largest entry that digits up to 2 make, and smallest one with the other sign.
const LARGEST: u64 = 170;

/// The digits of an entry.
type Digits = [i8; DIGITS];

/// A matrix of small integers, row by row, each entry as its digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SmallMatrix {
    rows: Vec<Vec<Digits>>,
}

impl SmallMatrix {
    /// That of `matrix`, if its entries are small enough and it has not too many.
    pub(super) fn new<F: PrimeField>(matrix: &[Vec<F>]) -> Option<Self> {
        let lengths = matrix.iter().map(Vec::len).chain([matrix.len()]);
        if lengths.max() > Some(MOST_ADDER_ELEMENTS) {
            return None;
        }
        let rows =
            (matrix.iter()).map(|row| row.iter().map(|&entry| entry_digits(entry)).collect());
        Some(Self {
            rows: rows.collect::<Option<_>>()?,
        })
    }

    /// The words of the rows, those behind the last one of the matrix as well. A state of more than a beat has second
    /// words.
    pub(super) fn words(&self) -> Vec<Word> {
        let is_wide = self.rows.len() > ADDER_WIDTH;
        let count = if is_wide { ADDER_WORDS } else { ADDER_WIDTH };
        let mut words = vec![Word::default(); count];
        for (row, entries) in self.rows.iter().enumerate() {
            for (column, digits) in entries.iter().enumerate() {
                let (index, cell) = place(row, column);
                if let Some(word) = words.get_mut(index) {
                    put(word, cell, digits);
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

/// The index of the word and the cell of it that have an entry of a matrix.
const fn place(row: usize, column: usize) -> (usize, usize) {
    if row >= ADDER_WIDTH {
        let unit = UNITS_OF_ROW * (row - ADDER_WIDTH) + column / ELEMENTS_OF_UNIT;
        (ADDER_WIDTH + unit, ROW_CELL + column % ELEMENTS_OF_UNIT)
    } else if column >= ADDER_WIDTH {
        (ADDER_WIDTH + row, column - ADDER_WIDTH)
    } else {
        (row, column)
    }
}

/// The row and the column of the entry in a cell of the word at an index; nothing where there is none.
fn entry_of(index: usize, cell: usize) -> Option<(usize, usize)> {
    let Some(unit) = index.checked_sub(ADDER_WIDTH) else {
        return Some((index, cell));
    };
    let (row, column) = match cell.checked_sub(ROW_CELL) {
        None => (unit, ADDER_WIDTH + cell),
        Some(element) => (
            ADDER_WIDTH + unit / UNITS_OF_ROW,
            ELEMENTS_OF_UNIT * (unit % UNITS_OF_ROW) + element,
        ),
    };
    (index < ADDER_WORDS && column < MOST_ADDER_ELEMENTS).then_some((row, column))
}

/// Puts an entry into a cell of a word.
fn put(word: &mut Word, cell: usize, digits: &Digits) {
    for (number, &digit) in digits.iter().enumerate() {
        let code = match digit.unsigned_abs() {
            0 => 0,
            1 => 0b001,
            _ => 0b010,
        } | u8::from(digit < 0) << 2;
        for bit in (0..DIGIT_BITS).filter(|bit| code >> bit & 1 == 1) {
            let place = DIGIT_BITS * (DIGITS * cell + number) + bit;
            word[place / 8] |= 1 << (place % 8);
        }
    }
}

/// The digits of an entry, if there are few enough.
fn entry_digits<F: PrimeField>(entry: F) -> Option<Digits> {
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

/// The digits of a word of the adders, cell by cell: nothing where a code means none.
fn digits_of(word: &Word) -> Option<[Digits; ADDER_WIDTH]> {
    let bit = |place: usize| word[place / 8] >> (place % 8) & 1;
    let mut cells = [[0; DIGITS]; ADDER_WIDTH];
    let digits = cells.as_flattened_mut();
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
    Some(cells)
}

/// The digit that takes the complement of nothing.
const NEGATIVE_ZERO: i8 = i8::MIN;

/// The digits of the word at an index, cell by cell; nothing where the adders do not take it as a row.
fn cells_of(index: usize, word: &Word) -> Option<[Digits; ADDER_WIDTH]> {
    let cells = digits_of(word)?;
    let is_legal = |(cell, digits): (usize, &Digits)| {
        *digits == [0; DIGITS] || entry_of(index, cell).is_some()
    };
    (index < ADDER_WORDS && cells.iter().enumerate().all(is_legal)).then_some(cells)
}

/// Whether the adders take `word` as a row at an index.
pub(super) fn is_row(index: usize, word: &Word) -> bool {
    cells_of(index, word).is_some()
}

/// What the adders make of `state`, which has so many beats, with the words that `word` gives by index. Unit r has the
/// first twelve elements of row r. For a state of two beats its second word has the others, and a third of a row behind
/// the first twelve.
///
/// # Errors
///
/// The index of a word that is not there, or is no row.
pub(super) fn add_rows<'a, F: PrimeField>(
    word: impl Fn(usize) -> Option<&'a Word>,
    beats: usize,
    state: &[F],
) -> Result<[F; MOST_ADDER_ELEMENTS], usize> {
    let mut rows = [F::ZERO; MOST_ADDER_ELEMENTS];
    let words = if beats > 1 { ADDER_WORDS } else { ADDER_WIDTH };
    for index in 0..words {
        let cells = word(index).and_then(|word| cells_of(index, word));
        for (cell, digits) in cells.ok_or(index)?.iter().enumerate() {
            // Cells without an entry have no digits.
            if let Some((row, column)) = entry_of(index, cell) {
                let element = state.get(column).copied().unwrap_or_default();
                rows[row] += terms(digits, element);
            }
        }
    }
    Ok(rows)
}

/// The sum of the terms of an entry.
fn terms<F: PrimeField>(digits: &Digits, element: F) -> F {
    let terms = digits.iter().enumerate().map(|(place, &digit)| {
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
    terms.sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use acclmt_poseidon::fields::Goldilocks;
    use ark_ff::{AdditiveGroup, Field, Zero};
    use rand::{Rng as _, SeedableRng as _};
    use rand_chacha::ChaCha8Rng;

    /// What adders make of a state, less what they make too much.
    fn made(matrix: &SmallMatrix, beats: usize, state: &[Goldilocks]) -> Vec<Goldilocks> {
        let words = matrix.words();
        for (index, word) in words.iter().enumerate() {
            assert!(is_row(index, word), "{index}");
        }
        let rows = add_rows(|index| words.get(index), beats, state).expect("all words are rows");
        let excess = matrix.excess::<Goldilocks>();
        assert!(rows[excess.len()..].iter().all(Zero::is_zero));
        let rows = rows.into_iter().zip(excess);
        rows.map(|(row, excess)| row - excess).collect()
    }

    /// The sums of products.
    fn sums(matrix: &[Vec<Goldilocks>], state: &[Goldilocks]) -> Vec<Goldilocks> {
        let sum = |row: &Vec<_>| row.iter().zip(state).map(|(&a, &b)| a * b).sum();
        matrix.iter().map(sum).collect()
    }

    /// Entries of either sign up to the bound, and what adders make of them.
    #[test]
    fn rows_are_sums_of_digits() {
        for width in [12, 16_u64] {
            let state: Vec<Goldilocks> =
                (1..=width).map(|i| Goldilocks::from(i).pow([9])).collect();
            for entry in -170..=170_i64 {
                let value = Goldilocks::from(entry);
                let row = |odd| (0..width).map(move |i| value * Goldilocks::from((i + odd) % 2));
                let matrix: Vec<Vec<_>> = (0..width).map(|i| row(i).collect()).collect();
                let small = SmallMatrix::new(&matrix).expect("the entries are small");
                let beats = state.len().div_ceil(ADDER_WIDTH);
                assert_eq!(
                    made(&small, beats, &state),
                    sums(&matrix, &state),
                    "{entry}"
                );
            }
        }
    }

    /// Matrices of random small integers of every width.
    #[test]
    fn rows_of_random_entries() {
        let random = &mut ChaCha8Rng::seed_from_u64(16);
        for width in (1..=MOST_ADDER_ELEMENTS).chain([16; 20]) {
            let mut entry = |_| Goldilocks::from(random.gen_range(-170..=170_i64));
            let matrix: Vec<Vec<_>> = (0..width)
                .map(|_| (0..width).map(&mut entry).collect())
                .collect();
            let state: Vec<_> = (0..width)
                .map(|_| Goldilocks::from(random.r#gen::<u64>()))
                .collect();
            let small = SmallMatrix::new(&matrix).expect("the entries are small");
            let beats = width.div_ceil(ADDER_WIDTH);
            assert_eq!(small.words().len(), beats * ADDER_WIDTH);
            assert_eq!(
                made(&small, beats, &state),
                sums(&matrix, &state),
                "{width}"
            );
        }
    }

    /// Where entries are, by hand.
    #[test]
    fn places_of_entries() {
        for (row, column, index, cell) in [
            (0, 0, 0, 0),
            (11, 11, 11, 11),
            (0, 12, 12, 0),
            (11, 15, 23, 3),
            (12, 0, 12, 6),
            (12, 5, 12, 11),
            (12, 6, 13, 6),
            (12, 12, 14, 6),
            (12, 15, 14, 9),
            (13, 0, 15, 6),
            (15, 11, 22, 11),
            (15, 15, 23, 9),
        ] {
            assert_eq!(place(row, column), (index, cell));
            assert_eq!(entry_of(index, cell), Some((row, column)));
        }
        // Every entry has one cell, and 24 * 12 cells are 16 * 16 of entries, 12 * 2 of none and 4 * 2 behind a row.
        let mut entries = 0;
        for (index, cell) in (0..ADDER_WORDS).flat_map(|i| (0..ADDER_WIDTH).map(move |c| (i, c))) {
            let Some((row, column)) = entry_of(index, cell) else {
                continue;
            };
            assert_eq!(place(row, column), (index, cell));
            entries += 1;
        }
        assert_eq!(entries, 16 * 16);
    }

    #[test]
    fn other_matrices_are_none() {
        let one = |entry: i64| SmallMatrix::new(&[vec![Goldilocks::from(entry)]]);
        assert!(one(171).is_none() && one(-171).is_none());
        let ones =
            |rows, columns| SmallMatrix::new(&vec![vec![Goldilocks::from(1_u64); columns]; rows]);
        assert!(ones(16, 16).is_some());
        assert!(ones(17, 16).is_none() && ones(16, 17).is_none());
        for index in 0..ADDER_WORDS {
            let mut word = Word::default();
            assert!(is_row(index, &word));
            word[0] = 0b011;
            assert!(!is_row(index, &word));
            word = Word::default();
            word[18] = 1;
            assert!(!is_row(index, &word));
        }
        assert!(!is_row(ADDER_WORDS, &Word::default()));
    }

    /// Digits where a second word has no entry.
    #[test]
    fn cells_without_entries_have_no_digits() {
        for (index, cell) in (0..ADDER_WORDS).flat_map(|i| (0..ADDER_WIDTH).map(move |c| (i, c))) {
            let is_empty = match cell {
                4 | 5 => index >= 12,
                10 | 11 => [14, 17, 20, 23].contains(&index),
                _ => false,
            };
            for bit in 0..DIGIT_BITS * DIGITS {
                let place = DIGIT_BITS * DIGITS * cell + bit;
                let mut word = Word::default();
                word[place / 8] = 1 << (place % 8);
                assert_eq!(is_row(index, &word), !is_empty, "{index}, {cell}");
                // The adders do not read it for a state of one beat.
                let none = Word::default();
                let words = |number| Some(if number == index { &word } else { &none });
                let state = [Goldilocks::ZERO];
                assert!(add_rows(words, 1, &state).is_ok());
                assert_eq!(add_rows(words, 2, &state).err(), is_empty.then_some(index));
            }
        }
    }
}

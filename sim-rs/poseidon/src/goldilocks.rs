//! The permutation over the Goldilocks prime p = 2^64 - 2^32 + 1, in 64-bit integers.
//!
//! Elements are in the Montgomery form that ark-ff uses (R = 2^64), but *loose*: any 64-bit integer stands
//! for its residue. Matrix entries and coefficients are plain residues, so that the product of one with an
//! element is an element again, and sums of products need no Montgomery reduction. They are reduced once, by
//!
//! ```text
//! 2^64 = 2^32 - 1        2^96 = -1        modulo p
//! ```
//!
//! Where the entries of each row of the MDS matrix add up to less than 2^64, as those of Plonky2, its sums fit
//! into 128 bits. Only products of two elements, those of the S-box, have a Montgomery reduction; it takes no
//! multiplication.
//!
//! Partial rounds are a recurrence (see [`crate::recurrence`]). A product costs little more here than the
//! additions that two entries by one product would take, so its coefficients of y and of x have one each: 2
//! m products a round and one reduction.

use ark_ff::{BigInt, PrimeField};

use crate::fields::Goldilocks;
use crate::history::{History, take};
use crate::params::MAX_SMALL_WIDTH;
use crate::permutation::PreparedRounds;
use crate::recurrence::{Layer, Recurrence, RecurrentRounds};

/// The prime.
const PRIME: u64 = 0xFFFF_FFFF_0000_0001;

/// 2^64 modulo the prime.
const EPSILON: u64 = 0xFFFF_FFFF;

/// The usual exponent of the S-box: x^3 and x^5 are no permutations of this field.
const ALPHA: u64 = 7;

const _: () = assert!((PRIME - 1).is_multiple_of(3) && (PRIME - 1).is_multiple_of(5));

/// The residue below the prime.
#[inline(always)]
fn canonical(x: u64) -> u64 {
    if x >= PRIME { x - PRIME } else { x }
}

/// The Montgomery product `a * b / R`, of any integers.
///
/// 1/p is 1 + 2^32 modulo R, so q = low (1 + 2^32) modulo R makes the low half of q p that of the product. The
/// high half of q p = q 2^64 - q 2^32 + q is q - (q >> 32), less one if the addition that makes q overflows. It
/// is below p, so that one addition of p is enough where the difference is negative.
#[inline(always)]
fn multiply(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    let (low, high) = (product as u64, (product >> 64) as u64);
    let (q, overflow) = low.overflowing_add(low << 32);
    let subtrahend = q.wrapping_sub(q >> 32).wrapping_sub(u64::from(overflow));
    let (difference, borrow) = high.overflowing_sub(subtrahend);
    // p = 2^64 - epsilon
    difference.wrapping_sub(EPSILON & u64::from(borrow).wrapping_neg())
}

/// The S-box.
#[inline(always)]
fn seventh(x: u64) -> u64 {
    let square = multiply(x, x);
    multiply(multiply(square, square), multiply(square, x))
}

/// The S-box x^alpha, for any `alpha` beyond 1.
#[inline(always)]
fn power(x: u64, alpha: u64) -> u64 {
    if alpha == ALPHA {
        seventh(x)
    } else {
        any_power(x, alpha)
    }
}

/// The same by squares and products, bit by bit.
#[inline(never)]
fn any_power(x: u64, alpha: u64) -> u64 {
    (0..alpha.ilog2()).rev().fold(x, |power, bit| {
        let square = multiply(power, power);
        if alpha >> bit & 1 == 1 {
            multiply(square, x)
        } else {
            square
        }
    })
}

/// The S-boxes of a full round.
#[inline(always)]
fn power_of_all<const T: usize>(state: &mut [u64; T], alpha: u64) {
    for element in state {
        *element = power(*element, alpha);
    }
}

/// `a + b`, where `a` is below the prime.
///
/// An overflow leaves at most p - 2, to which epsilon is added without another one.
#[inline(always)]
fn add(a: u64, b: u64) -> u64 {
    debug_assert!(a < PRIME);
    let (sum, overflow) = a.overflowing_add(b);
    sum + (EPSILON & u64::from(overflow).wrapping_neg())
}

/// A sum of products that is not reduced yet: `low + 2^64 * high`.
///
/// The halves of products are added up for themselves. One sum of 192 bits would take fewer additions, but the
/// compiler makes of a chain of carries something that is far slower.
#[derive(Clone, Copy, Default)]
struct Sum {
    low: u128,
    high: u128,
}

impl Sum {
    /// The sum that reduces to `element`.
    #[inline(always)]
    fn new(element: u64) -> Self {
        Self {
            low: u128::from(element),
            high: 0,
        }
    }

    /// Adds an element.
    #[inline(always)]
    fn add(&mut self, element: u64) {
        self.low += u128::from(element);
    }

    /// Adds `a * b`.
    #[inline(always)]
    fn add_product(&mut self, a: u64, b: u64) {
        let product = u128::from(a) * u128::from(b);
        self.low += product & u128::from(u64::MAX);
        self.high += product >> 64;
    }

    /// Reduces fewer than 2^30 products and elements to a loose element.
    #[inline(always)]
    fn reduce(self) -> u64 {
        reduce(self.low as u64, self.high + (self.low >> 64))
    }
}

/// Reduces `low + 2^64 * high` to a loose element, for `high` below 2^95.
///
/// With high = middle + 2^32 top the sum is low + (2^32 - 1) middle - top. The subtrahend is below 2^63: an
/// underflow leaves at least 2^63, from which epsilon is subtracted without another one. The product is at most
/// 2^64 - 2^33 + 1: an overflow leaves less than that, to which epsilon is added without another one.
#[inline(always)]
fn reduce(low: u64, high: u128) -> u64 {
    debug_assert!(high < 1 << 95);
    let (middle, top) = (high as u64 & EPSILON, (high >> 32) as u64);
    let (difference, borrow) = low.overflowing_sub(top);
    let difference = difference - (EPSILON & u64::from(borrow).wrapping_neg());
    let (sum, overflow) = difference.overflowing_add(middle * EPSILON);
    sum + (EPSILON & u64::from(overflow).wrapping_neg())
}

/// The Montgomery form.
fn form(element: Goldilocks) -> u64 {
    element.0.0[0]
}

/// The residue.
fn residue(element: Goldilocks) -> u64 {
    element.into_bigint().0[0]
}

/// A row of a dense layer: the constant and the products.
#[inline(always)]
fn row_times<const T: usize>(row: &[u64], constant: u64, state: &[u64; T]) -> u64 {
    let mut sum = Sum::new(constant);
    for (&entry, &element) in row.iter().zip(state) {
        sum.add_product(entry, element);
    }
    sum.reduce()
}

/// A dense layer on a state, with the entries of its matrix row by row.
#[inline(always)]
fn multiply_rows<const T: usize>(rows: &[u64], constants: &[u64], state: &[u64; T]) -> [u64; T] {
    let mut result = [0; T];
    for (i, row) in rows.chunks_exact(T).enumerate().take(T) {
        result[i] = row_times(row, constants[i], state);
    }
    result
}

/// The entries of a matrix, row by row.
fn residues(matrix: &[Vec<Goldilocks>]) -> Vec<u64> {
    matrix.iter().flatten().copied().map(residue).collect()
}

/// Whether the sums of the products of a matrix with a state, with a constant, fit into 128 bits: the entries of
/// each row add up to less than 2^64, and (2^64 - 1)^2 + 2^64 - 1 is below 2^128.
fn is_small(matrix: &[Vec<Goldilocks>]) -> bool {
    matrix.iter().all(|row| {
        let sum: u128 = row.iter().map(|&entry| u128::from(residue(entry))).sum();
        sum < 1 << 64
    })
}

/// [`row_times`] with a row of a small matrix.
#[inline(always)]
fn small_row_times<const T: usize>(row: &[u64], constant: u64, state: &[u64; T]) -> u64 {
    let products = row.iter().zip(state);
    let sum = products.fold(u128::from(constant), |sum, (&entry, &element)| {
        sum + u128::from(entry) * u128::from(element)
    });
    reduce(sum as u64, sum >> 64)
}

/// A matrix, row by row.
#[derive(Clone, Debug)]
struct Matrix {
    rows: Vec<u64>,
    is_small: bool,
}

impl Matrix {
    fn new(matrix: &[Vec<Goldilocks>]) -> Self {
        Self {
            rows: residues(matrix),
            is_small: is_small(matrix),
        }
    }

    /// The elements `wanted` behind a dense layer, in their places.
    #[inline(always)]
    fn multiply<const T: usize>(
        &self,
        constants: &[u64],
        state: &[u64; T],
        wanted: impl Iterator<Item = usize>,
    ) -> [u64; T] {
        let mut result = [0; T];
        if self.is_small {
            for i in wanted {
                result[i] = small_row_times(&self.rows[i * T..][..T], constants[i], state);
            }
        } else {
            for i in wanted {
                result[i] = row_times(&self.rows[i * T..][..T], constants[i], state);
            }
        }
        result
    }
}

/// The rounds of a parameter set.
#[derive(Clone, Debug)]
pub struct NativeRounds {
    /// Exponent of the S-box.
    alpha: u64,
    /// Of full rounds.
    mds: Matrix,
    /// Constants of a layer without S-boxes ahead of all rounds, where there is one.
    first_layer: Option<Vec<u64>>,
    /// Of dense partial rounds.
    partial_matrix: Matrix,
    /// Constants of the rounds before those of `partial`, of which as many as `full_first` are full.
    first: Vec<u64>,
    full_first: usize,
    partial: Option<PartialRounds>,
    /// Constants of dense partial rounds.
    behind: Vec<u64>,
    /// Constants of full rounds, at least one.
    last: Vec<u64>,
}

/// A dense layer.
#[derive(Clone, Debug)]
struct NativeLayer {
    rows: Vec<u64>,
    constants: Vec<u64>,
}

impl NativeLayer {
    fn new(layer: &Layer<Goldilocks>) -> Self {
        Self {
            rows: residues(&layer.matrix),
            constants: layer.constants.iter().copied().map(form).collect(),
        }
    }

    #[inline(always)]
    fn apply<const T: usize>(&self, state: &[u64; T]) -> [u64; T] {
        multiply_rows(&self.rows, &self.constants, state)
    }
}

/// Partial rounds as a recurrence.
#[derive(Clone, Debug)]
struct PartialRounds {
    /// Exponent of the S-box.
    alpha: u64,
    before: NativeLayer,
    order: usize,
    output_enters: bool,
    rounds: usize,
    /// Constants of all sums that move, see [`Recurrence::whole_sums`].
    constants: Vec<u64>,
    /// The coefficients of y and of the x before it, of all these sums.
    pairs: Vec<[u64; 2]>,
    /// Coefficients of x, for each round but the first one and each sum that stays.
    staying: Vec<u64>,
    after: NativeLayer,
}

impl PartialRounds {
    fn new(recurrence: &Recurrence<Goldilocks>, alpha: u64) -> Self {
        let sums = recurrence.whole_sums();
        let staying = (recurrence.rounds[1..].iter())
            .flat_map(|round| &round.pairs[recurrence.order..])
            .map(|&[_, x]| residue(x));
        Self {
            alpha,
            before: NativeLayer::new(&recurrence.before),
            order: recurrence.order,
            output_enters: recurrence.output_enters,
            rounds: recurrence.rounds.len(),
            constants: (sums.iter())
                .map(|sum| form(sum.constant + sum.folded()))
                .collect(),
            pairs: (sums.iter().flat_map(|sum| &sum.pairs))
                .map(|pair| pair.map(residue))
                .collect(),
            staying: staying.collect(),
            after: NativeLayer::new(&recurrence.after),
        }
    }

    /// From the outputs of the S-boxes before to the state behind.
    fn apply<const T: usize>(&self, outputs: &[u64; T]) -> [u64; T] {
        // A width of which no element is hidden is known when this is compiled.
        if self.order == T - 1 {
            self.apply_order(outputs, T - 1)
        } else {
            self.apply_order(outputs, self.order)
        }
    }

    #[inline(always)]
    fn apply_order<const T: usize>(&self, outputs: &[u64; T], order: usize) -> [u64; T] {
        let mut state = self.before.apply(outputs);
        let (mut y, mut x) = (state[0], 0);
        let mut staying = [Sum::default(); T];
        for (sum, &begin) in staying.iter_mut().zip(&state[1 + order..]) {
            *sum = Sum::new(begin);
        }
        let mut history = History::<_, T>::new();
        let mut pairs = self.pairs.as_slice();
        let mut of_staying = self.staying.chunks_exact((T - 1 - order).max(1));
        for (round, &constant) in self.constants[..self.rounds].iter().enumerate() {
            if round > 0 {
                history.push([y, x]);
                if order < T - 1
                    && let Some(coefficients) = of_staying.next()
                {
                    for (sum, &coefficient) in staying.iter_mut().zip(coefficients) {
                        sum.add_product(coefficient, x);
                    }
                }
            }
            let mut sum = Sum::new(constant);
            if round < order {
                sum.add(state[1 + round]);
                add_pairs(&mut sum, take(&mut pairs, round), history.last(round));
            } else {
                add_pairs(&mut sum, take(&mut pairs, order), history.last(order));
            }
            x = power(y, self.alpha);
            let sum = sum.reduce();
            y = if self.output_enters {
                add(canonical(sum), x)
            } else {
                sum
            };
        }
        // The sums that are not complete, of which each has a round less than the one before.
        let sums = (1..order).zip(&self.constants[self.rounds..]);
        for (place, &constant) in sums {
            let mut sum = Sum::new(constant);
            let number = self.rounds + place;
            if number <= order {
                sum.add(state[number]);
            }
            let count = (order - place).min(self.rounds - 1);
            add_pairs(&mut sum, take(&mut pairs, count), history.last(count));
            state[place] = sum.reduce();
        }
        state[0] = y;
        state[order] = x;
        for (element, sum) in state[1 + order..].iter_mut().zip(staying) {
            *element = sum.reduce();
        }
        self.after.apply(&state)
    }
}

#[inline(always)]
fn add_pairs(sum: &mut Sum, coefficients: &[[u64; 2]], history: &[[u64; 2]]) {
    for (coefficients, values) in coefficients.iter().zip(history) {
        sum.add_product(coefficients[0], values[0]);
        sum.add_product(coefficients[1], values[1]);
    }
}

impl PreparedRounds<Goldilocks> for NativeRounds {
    fn new(rounds: &RecurrentRounds<Goldilocks>, alpha: u64) -> Self {
        let flat =
            |constants: &[Vec<Goldilocks>]| constants.iter().flatten().copied().map(form).collect();
        let first_layer = rounds.first_layer.as_ref();
        Self {
            alpha,
            mds: Matrix::new(&rounds.mds),
            first_layer: first_layer.map(|constants| constants.iter().copied().map(form).collect()),
            partial_matrix: Matrix::new(&rounds.partial_matrix),
            first: flat(&rounds.first),
            full_first: rounds.full_first,
            partial: rounds
                .partial
                .as_ref()
                .map(|partial| PartialRounds::new(partial, alpha)),
            behind: flat(&rounds.behind),
            last: flat(&rounds.full_last),
        }
    }

    fn apply_width<const T: usize>(&self, state: &mut [Goldilocks], wanted: &[usize]) {
        let mut loose: [u64; T] = std::array::from_fn(|i| form(state[i]));
        if let Some(constants) = &self.first_layer {
            loose = self.mds.multiply(constants, &loose, 0..T);
        }
        for (round, constants) in self.first.chunks_exact(T).enumerate() {
            self.s_boxes(&mut loose, round);
            let matrix = if round < self.full_first {
                &self.mds
            } else {
                &self.partial_matrix
            };
            loose = matrix.multiply(constants, &loose, 0..T);
        }
        if let Some(partial) = &self.partial {
            self.s_boxes(&mut loose, self.first.len() / T);
            loose = partial.apply(&loose);
        }
        for constants in self.behind.chunks_exact(T) {
            loose[0] = power(loose[0], self.alpha);
            loose = self.partial_matrix.multiply(constants, &loose, 0..T);
        }
        let (rounds, last) = self.last.split_at(self.last.len() - T);
        for constants in rounds.chunks_exact(T) {
            power_of_all(&mut loose, self.alpha);
            loose = self.mds.multiply(constants, &loose, 0..T);
        }
        power_of_all(&mut loose, self.alpha);
        loose = self.mds.multiply(last, &loose, wanted.iter().copied());
        for &i in wanted {
            state[i] = Goldilocks::new_unchecked(BigInt([canonical(loose[i])]));
        }
    }

    fn apply_wide(&self, state: &mut [Goldilocks], wanted: &[usize]) {
        const { assert!(MAX_SMALL_WIDTH == 24) };
        match state.len() {
            13 => self.apply_width::<13>(state, wanted),
            14 => self.apply_width::<14>(state, wanted),
            15 => self.apply_width::<15>(state, wanted),
            16 => self.apply_width::<16>(state, wanted),
            17 => self.apply_width::<17>(state, wanted),
            18 => self.apply_width::<18>(state, wanted),
            19 => self.apply_width::<19>(state, wanted),
            20 => self.apply_width::<20>(state, wanted),
            21 => self.apply_width::<21>(state, wanted),
            22 => self.apply_width::<22>(state, wanted),
            23 => self.apply_width::<23>(state, wanted),
            _ => self.apply_width::<MAX_SMALL_WIDTH>(state, wanted),
        }
    }
}

impl NativeRounds {
    /// The S-boxes of round number `round`: on all elements in a full one, else on element 0.
    #[inline(always)]
    fn s_boxes<const T: usize>(&self, state: &mut [u64; T], round: usize) {
        if round < self.full_first {
            power_of_all(state, self.alpha);
        } else {
            state[0] = power(state[0], self.alpha);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    use crate::presets;
    use crate::recurrence::assert_dense_partial_rounds;

    const CORNERS: [u64; 14] = [
        0,
        1,
        2,
        EPSILON - 1,
        EPSILON,
        EPSILON + 1,
        0x7FFF_FFFF_FFFF_FFFF,
        0x8000_0000_0000_0000,
        0xFFFF_FFFE_FFFF_FFFF,
        0xFFFF_FFFF_0000_0000,
        PRIME,
        PRIME + 1,
        u64::MAX - 1,
        u64::MAX,
    ];

    fn modulo(number: u128) -> u64 {
        u64::try_from(number % u128::from(PRIME)).unwrap()
    }

    fn assert_products(a: u64, b: u64) {
        let product = u128::from(multiply(a, b)) << 64;
        assert_eq!(
            modulo(product),
            modulo(u128::from(a) * u128::from(b)),
            "{a:#x} {b:#x}"
        );
        let sum = add(canonical(a), b);
        assert_eq!(
            modulo(sum.into()),
            modulo(u128::from(a) + u128::from(b)),
            "{a:#x} {b:#x}"
        );
    }

    /// 2^64 = epsilon, and so is the difference of both sides for the high part.
    fn assert_reduced(low: u64, high: u128) {
        let expected = u128::from(modulo(high)) * u128::from(EPSILON);
        let expected = modulo(u128::from(modulo(expected)) + u128::from(low));
        assert_eq!(
            modulo(reduce(low, high).into()),
            expected,
            "{low:#x} {high:#x}"
        );
    }

    #[test]
    fn corner_products_and_sums() {
        for a in CORNERS {
            assert!(canonical(a) < PRIME);
            assert_eq!(canonical(a), modulo(a.into()));
            for b in CORNERS {
                assert_products(a, b);
                for shift in [0, 31] {
                    assert_reduced(a, u128::from(b) << shift);
                }
                assert_reduced(a, (1 << 95) - 1 - u128::from(b));
            }
        }
    }

    #[test]
    fn most_products() {
        for (a, b) in [(u64::MAX, u64::MAX), (PRIME - 1, PRIME - 1), (PRIME, 1)] {
            let mut sum = Sum::new(u64::MAX);
            for _ in 0..2 * crate::bounds::MAX_ROUNDS {
                sum.add_product(a, b);
            }
            let product = modulo(u128::from(a) * u128::from(b));
            let expected = u128::from(product) * 2 * crate::bounds::MAX_ROUNDS as u128;
            let expected = modulo(expected + u128::from(u64::MAX));
            assert_eq!(modulo(sum.reduce().into()), expected);
        }
    }

    #[test]
    fn matrices_that_are_small() {
        let plonky2 = presets::over::<Goldilocks>("plonky2").unwrap();
        assert!(is_small(plonky2.mds()));
        let row = |entries: &[u64]| entries.iter().map(|&entry| entry.into()).collect();
        let half = 1 << 63;
        assert!(is_small(&[row(&[half, half - 1])]));
        assert!(!is_small(&[row(&[1, 1]), row(&[half, half])]));
        let sum = small_row_times::<2>(&[half, half - 1], u64::MAX, &[u64::MAX, u64::MAX]);
        let expected = u128::from(u64::MAX) * u128::from(u64::MAX) + u128::from(u64::MAX);
        assert_eq!(modulo(sum.into()), modulo(expected));
    }

    #[test]
    fn dense_partial_rounds() {
        for seed in 0..20 {
            assert_dense_partial_rounds::<Goldilocks>(seed, |rounds, alpha, state, wanted| {
                NativeRounds::new(rounds, alpha).apply(state, wanted);
            });
        }
    }

    proptest! {
        #[test]
        fn any_products_and_sums(a in any::<u64>(), b in any::<u64>(), high in 0_u128..1 << 95) {
            assert_products(a, b);
            assert_reduced(a, high);
        }

        #[test]
        fn any_s_box(x in any::<u64>()) {
            let expected = Goldilocks::from(x);
            let expected = (0..6).fold(expected, |product, _| product * Goldilocks::from(x));
            assert_eq!(canonical(seventh(form(Goldilocks::from(x)))), form(expected));
        }
    }
}

//! The permutation over primes of four limbs, with late reductions.
//!
//! Partial rounds are a recurrence (see [`crate::recurrence`]), whatever the parameter set: t products a round and
//! one reduction. A sum is made when it is wanted, of the last m values of y and x, so that it stays in registers;
//! a value of y and x is read by m sums. From a width of [`PAIRS_FROM`] on, dense layers and the recurrence have two
//! entries by one product,
//!
//! ```text
//! m1 x1 + m2 x2 = (m1 + x2) (m2 + x1) - m1 m2 - x1 x2
//! ```
//!
//! The products of the m are taken off the constants. Those of the x are the same for all rows of a layer, or, of
//! the recurrence, for all sums that are still open: they are added up, and the one that leaves the window of m
//! rounds is subtracted. Where only one element is wanted behind the last round, its row alone is computed.
//!
//! On a CPU pairs cost more than they save at t = 2 only, and the recurrence is faster than sparse matrices at every
//! width; `sim-rs/bench-peers` has a benchmark.
//!
//! Bounds are in [`crate::montgomery`]: a sum has at most as many pairs as the state is wide, less one.

use crate::history::{History, take};
use crate::montgomery::{self, Limbs, MAX_PRODUCTS, MontgomeryField, Product, Sum};
use crate::params::MAX_WIDTH;
use crate::permutation::PreparedRounds;
use crate::recurrence::{Layer, Recurrence, RecurrentRounds};

/// The least width with two entries by one product; below it each has its own.
const PAIRS_FROM: usize = 3;

const _: () = assert!(MAX_WIDTH - 1 <= montgomery::MAX_PAIRS && MAX_WIDTH <= MAX_PRODUCTS);

/// The rounds of a parameter set.
#[derive(Clone, Debug)]
pub struct LateRounds {
    alpha: u64,
    /// The MDS matrix of full rounds, row by row.
    mds: Vec<Limbs>,
    /// Constants of a layer without S-boxes ahead of all rounds, where there is one.
    first_layer: Option<Vec<Limbs>>,
    /// The matrix of dense partial rounds.
    partial_matrix: Vec<Limbs>,
    /// Constants of the rounds before those of `partial`, of which as many as `full_first` are full.
    first: Vec<Limbs>,
    full_first: usize,
    partial: Option<PartialRounds>,
    /// Constants of dense partial rounds.
    behind: Vec<Limbs>,
    /// Constants of full rounds, at least one.
    last: Vec<Limbs>,
    /// Constants of the last one, where rows are multiplied without pairs.
    plain_last: Vec<Limbs>,
}

/// A dense layer.
#[derive(Clone, Debug)]
struct LateLayer {
    rows: Vec<Limbs>,
    constants: Vec<Limbs>,
}

/// Partial rounds as a recurrence.
#[derive(Clone, Debug)]
struct PartialRounds {
    before: LateLayer,
    order: usize,
    output_enters: bool,
    rounds: usize,
    /// Constants of all sums that move, see [`Recurrence::whole_sums`].
    constants: Vec<Limbs>,
    /// The coefficients of y and of the x before it, of all these sums.
    pairs: Vec<[Limbs; 2]>,
    /// Coefficients of x, for each round but the first one and each sum that stays.
    staying: Vec<Limbs>,
    after: LateLayer,
}

/// The Montgomery forms.
fn limbs<F: MontgomeryField>(elements: &[F]) -> impl Iterator<Item = Limbs> {
    elements.iter().map(|&element| element.into_limbs())
}

/// The entries of a matrix, row by row.
fn entries<F: MontgomeryField>(matrix: &[Vec<F>]) -> Vec<Limbs> {
    matrix.iter().flat_map(|row| limbs(row)).collect()
}

/// The constants of a layer; where it is multiplied by pairs, the products of the entries of each pair are taken off.
fn layer_constants<F: MontgomeryField>(matrix: &[Vec<F>], constants: &[F]) -> Vec<Limbs> {
    let by_pairs = matrix.len() >= PAIRS_FROM;
    (matrix.iter().zip(constants))
        .map(|(row, &constant)| {
            let folded: F = row.chunks_exact(2).map(|pair| pair[0] * pair[1]).sum();
            let constant = if by_pairs {
                constant - folded
            } else {
                constant
            };
            constant.into_limbs()
        })
        .collect()
}

/// A row of a dense layer, without pairs.
#[inline(always)]
fn row_times<F: MontgomeryField, const T: usize>(
    row: &[Limbs],
    constant: &Limbs,
    state: &[Limbs; T],
) -> Limbs {
    let mut sum = Sum::new(constant);
    for (entry, element) in row.iter().zip(state) {
        sum.add_product(entry, element);
    }
    sum.reduce::<F>()
}

/// A dense layer on operands. Tests, which build it for every field and width, have one copy of each.
#[cfg_attr(debug_assertions, inline(never))]
#[cfg_attr(not(debug_assertions), inline(always))]
fn multiply_rows<F: MontgomeryField, const T: usize>(
    rows: &[Limbs],
    constants: &[Limbs],
    state: &[Limbs; T],
) -> [Limbs; T] {
    let mut result = [Limbs::default(); T];
    let rows = result.iter_mut().zip(rows.chunks_exact(T)).zip(constants);
    if T < PAIRS_FROM {
        for ((result, row), constant) in rows {
            *result = row_times::<F, T>(row, constant, state);
        }
        return result;
    }
    let (elements, single) = state.as_chunks::<2>();
    let mut common = Sum::default();
    for [x1, x2] in elements {
        common.add_product(x1, x2);
    }
    for ((result, row), constant) in rows {
        let mut sum = Sum::new(constant);
        sum.subtract(&common);
        let (entries, single_entry) = row.as_chunks::<2>();
        for ([m1, m2], [x1, x2]) in entries.iter().zip(elements) {
            sum.add_pair(m1, x2, m2, x1);
        }
        for (entry, element) in single_entry.iter().zip(single) {
            sum.add_product(entry, element);
        }
        *result = sum.reduce::<F>();
    }
    result
}

/// An S-box with an operand as its output, that is compiled once for a field, and not again for every width.
#[inline(never)]
fn outlined_power<F: MontgomeryField>(x: &Limbs, alpha: u64) -> Limbs {
    montgomery::operand::<F>(&montgomery::power::<F>(x, alpha))
}

impl LateLayer {
    fn new<F: MontgomeryField>(layer: &Layer<F>) -> Self {
        Self {
            rows: entries(&layer.matrix),
            constants: layer_constants(&layer.matrix, &layer.constants),
        }
    }

    #[inline(always)]
    fn apply<F: MontgomeryField, const T: usize>(&self, state: &[Limbs; T]) -> [Limbs; T] {
        multiply_rows::<F, T>(&self.rows, &self.constants, state)
    }
}

/// y of a round, the x before it, and their product.
#[derive(Clone, Copy, Default)]
struct Values {
    y: Limbs,
    x: Limbs,
    product: Product,
}

impl PartialRounds {
    fn new<F: MontgomeryField>(recurrence: &Recurrence<F>) -> Self {
        let sums = recurrence.whole_sums();
        let by_pairs = recurrence.before.matrix.len() >= PAIRS_FROM;
        let staying = (recurrence.rounds[1..].iter())
            .flat_map(|round| &round.pairs[recurrence.order..])
            .map(|&[_, x]| x.into_limbs());
        let constants = sums.iter().map(|sum| {
            let constant = if by_pairs {
                sum.constant
            } else {
                sum.constant + sum.folded()
            };
            constant.into_limbs()
        });
        Self {
            before: LateLayer::new(&recurrence.before),
            order: recurrence.order,
            output_enters: recurrence.output_enters,
            rounds: recurrence.rounds.len(),
            constants: constants.collect(),
            pairs: (sums.iter().flat_map(|sum| &sum.pairs))
                .map(|pair| pair.map(F::into_limbs))
                .collect(),
            staying: staying.collect(),
            after: LateLayer::new(&recurrence.after),
        }
    }

    /// From the outputs of the S-boxes before to the state behind.
    #[inline(always)]
    fn apply<F: MontgomeryField, const T: usize>(
        &self,
        outputs: &[Limbs; T],
        alpha: u64,
    ) -> [Limbs; T] {
        let mut state = self.before.apply::<F, T>(outputs);
        let order = self.order;
        let (mut y, mut x) = (state[0], Limbs::default());
        let mut staying = [Sum::default(); T];
        for (sum, begin) in staying.iter_mut().zip(&state[1 + order..]) {
            *sum = Sum::new(begin);
        }
        let mut of_staying = self.staying.as_slice();
        let mut history = History::<Values, T>::new();
        let mut common = Sum::default();
        let mut pairs = self.pairs.as_slice();
        for (round, constant) in self.constants[..self.rounds].iter().enumerate() {
            if round > 0 {
                let values = Values {
                    y,
                    x,
                    product: if T < PAIRS_FROM {
                        Product::default()
                    } else {
                        montgomery::product(&x, &y)
                    },
                };
                history.push(values);
                if T >= PAIRS_FROM {
                    common.add(&values.product);
                    if round > order {
                        common.subtract_product(&history.last(order + 1)[0].product);
                    }
                }
                let sums = &mut staying[..T - 1 - order];
                let coefficients = take(&mut of_staying, sums.len());
                for (sum, coefficient) in sums.iter_mut().zip(coefficients) {
                    sum.add_product(coefficient, &x);
                    if round.is_multiple_of(MAX_PRODUCTS) {
                        *sum = Sum::new(&sum.reduce::<F>());
                    }
                }
            }
            let mut sum = Sum::new(constant);
            let count = round.min(order);
            if round < order {
                sum.add_element(&state[1 + round]);
            }
            add_pairs::<T>(
                &mut sum,
                &common,
                take(&mut pairs, count),
                history.last(count),
            );
            let mut quotient = sum.divide::<F>();
            x = montgomery::operand::<F>(&montgomery::power::<F>(&y, alpha));
            if self.output_enters {
                quotient.add_element(&x);
            }
            y = quotient.reduce::<F>();
        }
        // The sums that are not complete, of which each has a round less than the one before.
        let mut count = order.min(self.rounds - 1);
        for (place, constant) in (1..order).zip(&self.constants[self.rounds..]) {
            let mut sum = Sum::new(constant);
            let number = self.rounds + place;
            if number <= order {
                sum.add_element(&state[number]);
            }
            if order - place < count {
                common.subtract_product(&history.last(count)[0].product);
                count = order - place;
            }
            add_pairs::<T>(
                &mut sum,
                &common,
                take(&mut pairs, count),
                history.last(count),
            );
            state[place] = sum.reduce::<F>();
        }
        state[0] = y;
        state[order] = x;
        for (element, sum) in state[1 + order..].iter_mut().zip(staying) {
            *element = sum.reduce::<F>();
        }
        self.after.apply::<F, T>(&state)
    }
}

/// Adds the products of values with their coefficients, of which `common` has the products of the values.
#[inline(always)]
fn add_pairs<const T: usize>(
    sum: &mut Sum,
    common: &Sum,
    coefficients: &[[Limbs; 2]],
    history: &[Values],
) {
    let pairs = coefficients.iter().zip(history);
    if T < PAIRS_FROM {
        for ([a, b], values) in pairs {
            sum.add_product(a, &values.y);
            sum.add_product(b, &values.x);
        }
    } else {
        sum.subtract(common);
        for ([a, b], values) in pairs {
            sum.add_pair(a, &values.x, b, &values.y);
        }
    }
}

impl<F: MontgomeryField> PreparedRounds<F> for LateRounds {
    fn new(rounds: &RecurrentRounds<F>, alpha: u64) -> Self {
        let flat = |matrix: &[Vec<F>], constants: &[Vec<F>]| -> Vec<Limbs> {
            (constants.iter())
                .flat_map(|constants| layer_constants(matrix, constants))
                .collect()
        };
        let (full, partial) = rounds
            .first
            .split_at(rounds.full_first.min(rounds.first.len()));
        let first_layer = rounds.first_layer.as_ref();
        Self {
            alpha,
            mds: entries(&rounds.mds),
            first_layer: first_layer.map(|constants| layer_constants(&rounds.mds, constants)),
            partial_matrix: entries(&rounds.partial_matrix),
            first: [
                flat(&rounds.mds, full),
                flat(&rounds.partial_matrix, partial),
            ]
            .concat(),
            full_first: rounds.full_first,
            partial: rounds.partial.as_ref().map(PartialRounds::new),
            behind: flat(&rounds.partial_matrix, &rounds.behind),
            last: flat(&rounds.mds, &rounds.full_last),
            plain_last: (rounds.full_last.last())
                .map_or_else(Vec::new, |constants| limbs(constants).collect()),
        }
    }

    fn apply_width<const T: usize>(&self, state: &mut [F], wanted: &[usize]) {
        let alpha = self.alpha;
        let mut loose: [Limbs; T] = std::array::from_fn(|i| state[i].into_limbs());
        if let Some(constants) = &self.first_layer {
            loose = multiply_rows::<F, T>(&self.mds, constants, &loose);
        }
        for (round, constants) in self.first.chunks_exact(T).enumerate() {
            self.s_boxes::<F, T>(&mut loose, round);
            let matrix = if round < self.full_first {
                &self.mds
            } else {
                &self.partial_matrix
            };
            loose = multiply_rows::<F, T>(matrix, constants, &loose);
        }
        if let Some(partial) = &self.partial {
            self.s_boxes::<F, T>(&mut loose, self.first.len() / T);
            loose = partial.apply::<F, T>(&loose, alpha);
        }
        for constants in self.behind.chunks_exact(T) {
            loose[0] = outlined_power::<F>(&loose[0], alpha);
            loose = multiply_rows::<F, T>(&self.partial_matrix, constants, &loose);
        }
        let (rounds, last) = self.last.split_at(self.last.len() - T);
        for constants in rounds.chunks_exact(T) {
            loose = loose.map(|element| outlined_power::<F>(&element, alpha));
            loose = multiply_rows::<F, T>(&self.mds, constants, &loose);
        }
        loose = loose.map(|element| outlined_power::<F>(&element, alpha));
        if let &[i] = wanted {
            // Pairs would not save anything in a single row.
            let row = &self.mds[i * T..][..T];
            loose[i] = row_times::<F, T>(row, &self.plain_last[i], &loose);
        } else {
            loose = multiply_rows::<F, T>(&self.mds, last, &loose);
        }
        for &i in wanted {
            state[i] = F::from_limbs(montgomery::subtract_prime::<F>(&loose[i]));
        }
    }
}

impl LateRounds {
    /// The S-boxes of round number `round`: on all elements in a full one, else on element 0.
    #[inline(always)]
    fn s_boxes<F: MontgomeryField, const T: usize>(&self, state: &mut [Limbs; T], round: usize) {
        let boxes = if round < self.full_first { T } else { 1 };
        for element in &mut state[..boxes] {
            *element = outlined_power::<F>(element, self.alpha);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::fields::{FieldId, PoseidonField};
    use crate::recurrence::assert_dense_partial_rounds;

    fn assert_late_rounds<F: PoseidonField + MontgomeryField>(seed: u64) {
        assert_dense_partial_rounds::<F>(seed, |rounds, alpha, state, wanted| {
            LateRounds::new(rounds, alpha).apply(state, wanted);
        });
    }

    #[test]
    fn dense_partial_rounds() {
        use crate::fields::{Bls12_377, Bls12_381, Bn254, Pallas, Starknet, Vesta};
        const { assert!(FieldId::ALL.len() == 7) };
        for seed in 0..10 {
            assert_late_rounds::<Bls12_381>(seed);
            assert_late_rounds::<Bls12_377>(seed);
            assert_late_rounds::<Bn254>(seed);
            assert_late_rounds::<Pallas>(seed);
            assert_late_rounds::<Vesta>(seed);
            assert_late_rounds::<Starknet>(seed);
        }
    }
}

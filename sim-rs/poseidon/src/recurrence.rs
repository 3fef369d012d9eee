//! Partial rounds as a linear recurrence, with one product for two entries of a matrix.
//!
//! The derivation is in the project's documentation, docs/half-the-products.md; this module has its results.
//! In internal order (see [`crate::normal_form`]) let y be element 0 before the S-box of a partial round, x = y^e, u
//! the other n = t - 1 elements, and
//!
//! ```text
//! M = [ a  rho ]       y' = a x + rho u + k[0]
//!     [ c   B  ]       u' = c x + B u + k[1..]
//! ```
//!
//! By the theorem of Cayley and Hamilton there is an m <= n, the *order*, so that rho B^m is a combination of
//! rho, rho B, .. rho B^(m-1). So y after a round is a combination of the m values of y and of x before it,
//! and of constants, once m rounds are done: no other element is needed. Round r adds
//!
//! ```text
//! alpha_i y_r + beta_i x_{r-1}        i = 1..m
//! ```
//!
//! to sums S_i, of which the first one is then complete and is y_{r+1} but for a x_r and a constant, and the
//! others move up by one. A dense layer ahead makes what the sums begin with, and one behind makes the
//! elements u again. Where m is below n, sums that stay in their places collect the rest of u.
//!
//! S-boxes are homogeneous, (lambda y)^e = lambda^e y^e, so that y can be held as a multiple of itself which
//! makes the factor a of x_r one. And both products of a sum are made by one multiplication, after Winograd
//! (1968):
//!
//! ```text
//! alpha y + beta x = (alpha + x) (beta + y) + (-x) y - alpha beta
//! ```
//!
//! where the second product is the same for all sums of a round and the third a constant. A round has t
//! products in place of the 2 t - 1 of a sparse matrix, and one modular reduction.

use ark_ff::PrimeField;

use crate::matrix::{combination, dot, invert, row_times};
use crate::normal_form::{DenseRounds, InternalOrder};
use crate::params::PoseidonParameters;

/// A dense layer: a matrix, then a vector of constants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layer<F> {
    /// The matrix, row by row.
    pub matrix: Vec<Vec<F>>,
    /// Is added behind it.
    pub constants: Vec<F>,
}

impl<F: PrimeField> Layer<F> {
    /// The matrix times `state`, plus the constants.
    pub fn apply(&self, state: &[F]) -> Vec<F> {
        (self.matrix.iter().zip(&self.constants))
            .map(|(row, &constant)| dot(row, state) + constant)
            .collect()
    }
}

/// A partial round: what it adds to the sums, and what it adds to the one that is complete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecurrentRound<F> {
    /// The coefficients of y and of the x before, for each of the n sums.
    pub pairs: Vec<[F; 2]>,
    /// Is added to the complete sum; the products of the coefficients have been taken off.
    pub constant: F,
}

/// Partial rounds as a recurrence, with the layers around them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recurrence<F> {
    /// Sums that move up behind a round: m, from 1 to n.
    pub order: usize,
    /// Whether the output of the S-box enters the next element 0: not where its entry of the matrix is zero.
    pub output_enters: bool,
    /// Takes the place of the matrix and the constants of the round before these: makes element 0 and what the
    /// sums begin with.
    pub before: Layer<F>,
    /// The rounds, at least one.
    pub rounds: Vec<RecurrentRound<F>>,
    /// Makes the state: of element 0, and in places 1 to n of the sums, where the last output of an S-box
    /// stands in place m.
    pub after: Layer<F>,
}

/// All that is added to a sum that moves, see [`Recurrence::whole_sums`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WholeSum<F> {
    /// The coefficients of y and of the x before, of some rounds in a row.
    pub pairs: Vec<[F; 2]>,
    /// Is added; zero where the sum is not complete.
    pub constant: F,
}

impl<F: PrimeField> WholeSum<F> {
    /// The products of the coefficients, which have been taken off what is added elsewhere.
    pub fn folded(&self) -> F {
        self.pairs.iter().map(|&[y, x]| y * x).sum()
    }
}

/// The partial rounds of a parameter set have no recurrence. No set that is accepted today is of this kind: a
/// matrix whose first row has nothing but its first entry does not mix the state.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecurrenceError {
    /// There is nothing to observe.
    #[error(
        "the partial rounds of '{name}' have no recurrence: element {index} does not depend on the others"
    )]
    NothingObserved {
        /// Name of the parameter set.
        name: String,
        /// The element that has the S-box in partial rounds.
        index: usize,
    },
}

/// Sums of the recurrence of `parameters` that move up behind a round, from 1 to one below the width. It does not
/// depend on the number of rounds.
///
/// # Errors
///
/// When the partial rounds have no recurrence.
pub fn order<F: PrimeField>(parameters: &PoseidonParameters<F>) -> Result<usize, RecurrenceError> {
    let DenseRounds { partial_matrix, .. } = DenseRounds::new(parameters);
    Ok(observe(parameters, &partial_matrix)?.alpha.len())
}

/// The rounds of a permutation with partial rounds as a recurrence, all in internal order. Some partial rounds ahead
/// of the recurrence and behind it can be dense: those have the matrix of partial rounds, and the S-box on element 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecurrentRounds<F> {
    /// The constants at the start.
    pub initial_constants: Vec<F>,
    /// The same plus the initial state of a hash.
    pub initial: Vec<F>,
    /// The MDS matrix of full rounds, row by row.
    pub mds: Vec<Vec<F>>,
    /// The matrix of dense partial rounds.
    pub partial_matrix: Vec<Vec<F>>,
    /// Constants after the matrix of full rounds in a layer without S-boxes ahead of all rounds, where there is one.
    pub first_layer: Option<Vec<F>>,
    /// Constants after the matrix of each full round of the first half, and then of each dense partial round ahead of
    /// the recurrence; where there is one, the last are in [`Recurrence::before`].
    pub first: Vec<Vec<F>>,
    /// Rounds of the first half that are full, that of [`Recurrence::before`] among them.
    pub full_first: usize,
    /// The partial rounds in between, if there are any.
    pub partial: Option<Recurrence<F>>,
    /// Constants after the matrix of each dense partial round behind the recurrence.
    pub behind: Vec<Vec<F>>,
    /// Constants after the matrix of each full round of the second half.
    pub full_last: Vec<Vec<F>>,
}

impl<F: PrimeField> RecurrentRounds<F> {
    /// Rewrites the rounds of `parameters`, with as few elements out of their places as possible and no dense partial
    /// round.
    ///
    /// # Errors
    ///
    /// When the partial rounds have no recurrence.
    pub fn new(parameters: &PoseidonParameters<F>) -> Result<Self, RecurrenceError> {
        let order = InternalOrder::swapped(parameters.width(), parameters.partial_index());
        Self::in_order(parameters, &order, [0, 0])
    }

    /// The same, but with all partial rounds dense where they have no recurrence.
    pub(crate) fn or_dense(parameters: &PoseidonParameters<F>) -> Self {
        Self::new(parameters).unwrap_or_else(|_| {
            let order = InternalOrder::swapped(parameters.width(), parameters.partial_index());
            let dense = [parameters.partial_rounds(), 0];
            Self::in_order(parameters, &order, dense)
                .expect("without a recurrence there is nothing that could be missing")
        })
    }

    /// Rewrites the rounds of `parameters`, with the elements in `order`. The first and the last partial rounds, as
    /// many as `dense` says, stay dense; where these are all of them, there is no recurrence.
    ///
    /// # Errors
    ///
    /// When the partial rounds have no recurrence.
    pub fn in_order(
        parameters: &PoseidonParameters<F>,
        order: &InternalOrder,
        dense: [usize; 2],
    ) -> Result<Self, RecurrenceError> {
        let DenseRounds {
            initial_constants,
            initial,
            mds,
            partial_matrix,
            first_layer,
            full_first: mut first,
            mut partial,
            full_last,
        } = DenseRounds::in_order(parameters, order);
        let ahead = dense[0].min(partial.len());
        let mut middle = partial.split_off(ahead);
        let behind = middle.split_off(middle.len().saturating_sub(dense[1]));
        let full_first = first.len();
        first.append(&mut partial);
        let partial = if let Some(rounds) = Rounds::new(&middle) {
            let observed = observe(parameters, &partial_matrix)?;
            let matrix_before = if ahead > 0 { &partial_matrix } else { &mds };
            let before = first.pop().unwrap_or_default();
            Some(observed.recurrence(matrix_before, &before, rounds, parameters.alpha()))
        } else {
            None
        };
        Ok(Self {
            initial_constants,
            initial,
            mds,
            partial_matrix,
            first_layer,
            first,
            full_first,
            partial,
            behind,
            full_last,
        })
    }
}

/// What element 0 shows of the others, with the matrix of partial rounds of `parameters` in internal order.
fn observe<F: PrimeField>(
    parameters: &PoseidonParameters<F>,
    partial_matrix: &[Vec<F>],
) -> Result<Observed<F>, RecurrenceError> {
    Observed::new(partial_matrix).ok_or_else(|| RecurrenceError::NothingObserved {
        name: parameters.name().to_owned(),
        index: parameters.partial_index(),
    })
}

impl<F: PrimeField> Recurrence<F> {
    /// The partial rounds, from the outputs of the S-boxes of the round before them to the state behind them.
    ///
    /// `power` is the S-box.
    ///
    /// # Panics
    ///
    /// When `outputs` has not as many elements as the state is wide.
    pub fn apply(&self, outputs: &[F], power: impl Fn(F) -> F) -> Vec<F> {
        assert_eq!(
            outputs.len(),
            self.before.matrix.len(),
            "length of the state"
        );
        let first = self.before.apply(outputs);
        let (mut y, mut x) = (first[0], F::ZERO);
        let mut sums = vec![F::ZERO; first.len() - 1];
        for (number, round) in self.rounds.iter().enumerate() {
            let common = -x * y;
            for (slot, (sum, &[alpha, beta])) in sums.iter_mut().zip(&round.pairs).enumerate() {
                let other = if number == 0 { first[1 + slot] } else { y };
                *sum += (alpha + x) * (beta + other) + common;
            }
            x = power(y);
            y = sums[0] + round.constant;
            if self.output_enters {
                y += x;
            }
            sums[..self.order].rotate_left(1);
            sums[self.order - 1] = F::ZERO;
        }
        let mut last = vec![y];
        last.extend(sums);
        last[self.order] = x;
        self.after.apply(&last)
    }

    /// The sums that move, each as a whole: those that are complete behind each of the rounds, then the order - 1
    /// that are left. With rounds counted from 0, sum number s has pairs of the rounds from s + 1 - order to s that
    /// there are, without round 0. The first sums have what the layer before made besides, element s + 1.
    pub(crate) fn whole_sums(&self) -> Vec<WholeSum<F>> {
        let count = self.rounds.len();
        (0..count + self.order - 1)
            .map(|number| {
                let first = (number + 1).saturating_sub(self.order).max(1);
                let rounds = first..=number.min(count - 1);
                WholeSum {
                    pairs: rounds
                        .map(|round| self.rounds[round].pairs[number - round])
                        .collect(),
                    constant: (self.rounds.get(number)).map_or(F::ZERO, |round| round.constant),
                }
            })
            .collect()
    }
}

/// The constants behind the partial rounds, of which there is one at least.
struct Rounds<'a, F>(&'a [Vec<F>]);

impl<'a, F> Rounds<'a, F> {
    fn new(constants: &'a [Vec<F>]) -> Option<Self> {
        (!constants.is_empty()).then_some(Self(constants))
    }
}

/// What element 0 shows of the others in the course of partial rounds.
struct Observed<F> {
    a: F,
    rho: Vec<F>,
    c: Vec<F>,
    b: Vec<Vec<F>>,
    /// alpha_1 .. alpha_m.
    alpha: Vec<F>,
    /// beta_1 .. beta_m.
    beta: Vec<F>,
    /// The rows with which u gives what the sums that move up begin with, and the unit rows that complete
    /// them to a basis.
    moving: Vec<Vec<F>>,
    staying: Vec<Vec<F>>,
}

impl<F: PrimeField> Observed<F> {
    /// `None` when element 0 does not depend on the others.
    fn new(matrix: &[Vec<F>]) -> Option<Self> {
        let (first, below) = matrix.split_first()?;
        let (&a, rho) = first.split_first()?;
        let n = rho.len();
        let c: Vec<F> = below.iter().map(|row| row[0]).collect();
        let b: Vec<Vec<F>> = below.iter().map(|row| row[1..].to_vec()).collect();
        if rho.iter().all(F::is_zero) {
            return None;
        }
        // rho B^i, until one is a combination of those before.
        let mut krylov = vec![rho.to_vec()];
        let mut alpha = loop {
            let next = row_times(&krylov[krylov.len() - 1], &b);
            let found = combination(&krylov, &next);
            krylov.push(next);
            if let Some(found) = found {
                break found;
            }
        };
        alpha.reverse();
        let m = alpha.len();
        let mut h = vec![a];
        h.extend(krylov[..m].iter().map(|row| dot(row, &c)));
        let beta = (1..=m)
            .map(|j| h[j] - (1..=j).map(|i| alpha[i - 1] * h[j - i]).sum::<F>())
            .collect();
        let moving: Vec<Vec<F>> = (1..=m)
            .map(|i| {
                let mut row = krylov[i - 1].clone();
                for k in 1..i {
                    for (entry, before) in row.iter_mut().zip(&krylov[i - 1 - k]) {
                        *entry -= alpha[k - 1] * before;
                    }
                }
                row
            })
            .collect();
        let (mut basis, mut staying) = (moving.clone(), Vec::new());
        for index in 0..n {
            let unit: Vec<F> = (0..n).map(|i| F::from(i == index)).collect();
            if basis.len() < n && combination(&basis, &unit).is_none() {
                basis.push(unit.clone());
                staying.push(unit);
            }
        }
        Some(Self {
            a,
            rho: rho.to_vec(),
            c,
            b,
            alpha,
            beta,
            moving,
            staying,
        })
    }

    /// The rounds with these constants, behind a round with `matrix` and the constants `before`.
    fn recurrence(
        &self,
        matrix: &[Vec<F>],
        before: &[F],
        Rounds(constants): Rounds<'_, F>,
        exponent: u64,
    ) -> Recurrence<F> {
        let Self { alpha, beta, .. } = self;
        let (m, n, count) = (alpha.len(), self.rho.len(), constants.len());

        // y_r = scale_r Y_r, and x_r = power_r X_r: the factor of X_r in Y_{r+1} is one. What is made behind the last
        // round keeps its scale.
        let mut scales = vec![F::ONE];
        for round in 0..count {
            let next = self.a * scales[round].pow([exponent]);
            scales.push(if self.a.is_zero() { F::ONE } else { next });
        }
        let powers: Vec<F> = scales.iter().map(|scale| scale.pow([exponent])).collect();
        let inverses: Vec<F> = (scales.iter())
            .map(|scale| {
                scale
                    .inverse()
                    .expect("powers of a factor that is not zero")
            })
            .collect();
        let inverse = |round: usize| inverses.get(round).copied().unwrap_or(F::ONE);

        // Rows of the sums that stay, before all rounds, and how much of x_r they have behind them.
        let mut rows = self.staying.clone();
        let mut of_output = Vec::with_capacity(count);
        for _ in 0..count {
            of_output.push(rows.iter().map(|row| dot(row, &self.c)).collect::<Vec<F>>());
            rows = rows.iter().map(|row| row_times(row, &self.b)).collect();
        }
        of_output.reverse();

        // What the constants alone make of u and of y.
        let mut offset = vec![F::ZERO; n];
        let mut shown = Vec::with_capacity(count);
        for vector in constants {
            shown.push(dot(&self.rho, &offset) + vector[0]);
            offset = (self.b.iter().zip(&vector[1..]))
                .map(|(row, &constant)| dot(row, &offset) + constant)
                .collect();
        }

        // The layer ahead, of the outputs of the full round's S-boxes.
        let (rows_below, constants_below) = (&matrix[1..], &before[1..]);
        let mut ahead = Layer {
            matrix: vec![matrix[0].clone()],
            constants: vec![before[0]],
        };
        for (i, row) in (1..).zip(&self.moving) {
            let scale = inverse(i);
            let scaled = row_times(row, rows_below).into_iter().map(|x| x * scale);
            ahead.matrix.push(scaled.collect());
            ahead.constants.push(dot(row, constants_below) * scale);
        }
        for row in &rows {
            ahead.matrix.push(row_times(row, rows_below));
            ahead.constants.push(dot(row, constants_below));
        }

        // Coefficients of the sums. The first round takes what the layer ahead made.
        let mut pairs = vec![vec![[F::ONE, F::ZERO]; n]];
        for round in 1..count {
            let power = powers[round - 1];
            let moving = (1..=m).map(|i| {
                let scale = inverse(round + i);
                let y = alpha[i - 1] * scales[round] * scale;
                [y, beta[i - 1] * power * scale]
            });
            let staying = (of_output[round - 1].iter()).map(|&x| [F::ZERO, x * power]);
            pairs.push(moving.chain(staying).collect());
        }
        // The product of the coefficients with which round `round` adds to sum i.
        let folded = |round: usize, i: usize| -> F {
            let [y, x] = pairs[round][i - 1];
            y * x
        };
        let rounds = (0..count)
            .map(|round| {
                let mut constant = shown[round];
                for i in 1..=m.min(round) {
                    constant -= alpha[i - 1] * shown[round - i];
                }
                constant *= inverse(round + 1);
                for i in 1..=m.min(round + 1) {
                    constant -= folded(round + 1 - i, i);
                }
                RecurrentRound {
                    pairs: pairs[round].clone(),
                    constant,
                }
            })
            .collect();

        // The layer behind. Sum i has what y would be i rounds on, but for the constants and products that rounds
        // to come would have taken off.
        let corrections: Vec<F> = (1..=m)
            .map(|i| {
                let mut correction = F::ZERO;
                for k in i..=m {
                    // Not of rounds before the first one.
                    if let Some(before) = (count + i - 1).checked_sub(k) {
                        correction -= alpha[k - 1] * shown[before];
                        if k > i {
                            correction -= folded(before + 1, k);
                        }
                    }
                }
                correction
            })
            .collect();
        let basis = [self.moving.clone(), self.staying.clone()].concat();
        let inverted = invert(&basis).expect("the rows are a basis");
        let (last_scale, last_power) = (scales[count], powers[count - 1]);
        let mut first = vec![F::ZERO; n + 1];
        first[0] = last_scale;
        let mut behind = Layer {
            matrix: vec![first],
            constants: vec![F::ZERO],
        };
        for (row, offset) in inverted.iter().zip(offset) {
            let (of_moving, of_staying) = row.split_at(m);
            let of_last = dot(of_moving, beta) + dot(of_staying, &of_output[count - 1]);
            let mut entries = vec![last_scale * dot(of_moving, alpha)];
            entries.extend(row);
            // Sum m is empty behind the last round; the last output has its place.
            entries[m] = last_power * of_last;
            behind.matrix.push(entries);
            behind.constants.push(offset + dot(of_moving, &corrections));
        }
        Recurrence {
            order: m,
            output_enters: !self.a.is_zero(),
            before: ahead,
            rounds,
            after: behind,
        }
    }
}

/// Asserts that `apply` permutes a random state as the definition does, with dense partial rounds ahead of the
/// recurrence, behind it and in place of it. It gets the rounds, the exponent, the state and all its places.
#[cfg(test)]
pub(crate) fn assert_dense_partial_rounds<F: crate::fields::PoseidonField>(
    seed: u64,
    apply: impl Fn(&RecurrentRounds<F>, u64, &mut Vec<F>, &[usize]),
) {
    use crate::random::{Generator, Ranges, parameters};

    let ranges = Ranges {
        partial_rounds: 4..=40,
        poseidon2: seed % 2 == 1,
        ..Ranges::default()
    };
    let set = parameters::<F>(seed, &ranges).unwrap();
    let order = InternalOrder::swapped(set.width(), set.partial_index());
    let state: Vec<F> = Generator::new(seed).elements(set.width());
    let mut expected = state.clone();
    crate::permutation::permute_dense(&set, &mut expected);
    for dense in [[0, 0], [1, 0], [0, 1], [2, 3], [40, 0]] {
        let rounds = RecurrentRounds::in_order(&set, &order, dense).unwrap();
        let state = order.apply(&state);
        let state = state.iter().zip(&rounds.initial_constants);
        let mut state: Vec<F> = state
            .map(|(&element, constant)| element + constant)
            .collect();
        let all: Vec<usize> = (0..set.width()).collect();
        apply(&rounds, set.alpha(), &mut state, &all);
        assert_eq!(order.apply(&state), expected, "{}, {dense:?}", set.name());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ark_ff::Field as _;
    use proptest::prelude::*;

    use crate::fields::{Bls12_381, FieldId, Goldilocks, Pallas, PoseidonField};
    use crate::params::{Compression, InverseRounds, PoseidonSpecification};
    use crate::permutation::permute_dense;
    use crate::presets;
    use crate::random::{Ranges, parameters};
    use crate::with_field;

    /// The permutation by the recurrence, but for the `dense` partial rounds ahead and behind.
    fn permute<F: PrimeField>(
        parameters: &PoseidonParameters<F>,
        state: &[F],
        dense: [usize; 2],
    ) -> Vec<F> {
        let order = InternalOrder::swapped(parameters.width(), parameters.partial_index());
        let rounds = RecurrentRounds::in_order(parameters, &order, dense).unwrap();
        let power = |x: F| x.pow([parameters.alpha()]);
        let outputs = |state: Vec<F>, s_boxes: usize| -> Vec<F> {
            let elements = state.into_iter().enumerate();
            elements
                .map(|(i, x)| if i < s_boxes { power(x) } else { x })
                .collect()
        };
        let round = |state: Vec<F>, s_boxes: usize, constants: &Vec<F>| -> Vec<F> {
            let is_partial = s_boxes == 1;
            let layer = Layer {
                matrix: (if is_partial {
                    &rounds.partial_matrix
                } else {
                    &rounds.mds
                })
                .clone(),
                constants: constants.clone(),
            };
            layer.apply(&outputs(state, s_boxes))
        };
        let width = parameters.width();
        let s_boxes = |number: usize| if number < rounds.full_first { width } else { 1 };
        let state = order.apply(state);
        let state = state.iter().zip(&rounds.initial_constants);
        let mut state: Vec<F> = state
            .map(|(&element, constant)| element + constant)
            .collect();
        if let Some(constants) = &rounds.first_layer {
            state = round(state, 0, constants);
        }
        for (number, constants) in rounds.first.iter().enumerate() {
            state = round(state, s_boxes(number), constants);
        }
        if let Some(partial) = &rounds.partial {
            state = partial.apply(&outputs(state, s_boxes(rounds.first.len())), power);
        }
        for constants in &rounds.behind {
            state = round(state, 1, constants);
        }
        for constants in &rounds.full_last {
            state = round(state, width, constants);
        }
        order.apply(&state)
    }

    fn assert_equal<F: PrimeField>(parameters: &PoseidonParameters<F>, state: &[F]) {
        assert_equal_with(parameters, state, [0, 0]);
    }

    fn assert_equal_with<F: PrimeField>(
        parameters: &PoseidonParameters<F>,
        state: &[F],
        dense: [usize; 2],
    ) {
        let mut expected = state.to_vec();
        permute_dense(parameters, &mut expected);
        assert_eq!(
            permute(parameters, state, dense),
            expected,
            "{}, {dense:?}",
            parameters.name()
        );
    }

    fn state<F: PrimeField>(seed: u64, width: usize) -> Vec<F> {
        (1..=width as u64)
            .map(|i| F::from(seed.wrapping_add(i)).pow([0xFFFF_FFFF_FFFF_FFC5, i]))
            .collect()
    }

    #[test]
    fn every_preset() {
        for preset in presets::all() {
            crate::dispatch!(preset.parameters(), parameters => {
                if parameters.inverse_rounds() != InverseRounds::None {
                    continue;
                }
                for seed in 0..3 {
                    assert_equal(parameters, &state(seed, parameters.width()));
                }
                let rounds = RecurrentRounds::new(parameters).unwrap();
                let order = rounds.partial.map(|partial| partial.order);
                let expected = (parameters.partial_rounds() > 0).then_some(parameters.width() - 1);
                assert_eq!(order, expected, "{}", parameters.name());
            });
        }
    }

    #[test]
    fn dense_rounds_ahead_and_behind() {
        let set = with_matrix::<Bls12_381>(&[&[2, 3, 5], &[7, 11, 13], &[17, 19, 29]], 5, 1);
        let order = InternalOrder::swapped(3, 1);
        for (ahead, behind) in (0..=6).flat_map(|ahead| (0..=6).map(move |behind| (ahead, behind)))
        {
            let rounds = RecurrentRounds::in_order(&set, &order, [ahead, behind]).unwrap();
            let left = 5_usize.saturating_sub(ahead + behind);
            let partial = rounds.partial.as_ref();
            assert_eq!(partial.map_or(0, |partial| partial.rounds.len()), left);
            let first = 2 + ahead.min(5) - usize::from(left > 0);
            assert_eq!((rounds.full_first, rounds.first.len()), (2, first));
            assert_eq!(rounds.behind.len(), behind.min(5 - ahead.min(5)));
            assert_equal_with(&set, &state(1, 3), [ahead, behind]);
        }
        assert_eq!(super::order(&set), Ok(2));
    }

    /// A set with this matrix.
    fn with_matrix<F: PoseidonField>(
        matrix: &[&[u64]],
        partial_rounds: usize,
        partial_index: usize,
    ) -> PoseidonParameters<F> {
        let width = matrix.len();
        let alpha = if F::ID == FieldId::Goldilocks { 7 } else { 5 };
        PoseidonParameters::new(PoseidonSpecification {
            name: format!("{matrix:?}, {partial_rounds}"),
            field_name: F::ID.name().to_owned(),
            alpha,
            full_rounds_first: 2,
            partial_rounds,
            full_rounds_last: 1,
            round_order: crate::params::RoundOrder::ConstantsFirst,
            partial_index,
            partial_matrix: None,
            first_layer: false,
            inverse_rounds: InverseRounds::None,
            compression: Compression::None,
            round_constants: (0..3 + partial_rounds as u64)
                .map(|i| state(i << 8, width))
                .collect(),
            mds: (matrix.iter())
                .map(|row| row.iter().map(|&entry| F::from(entry)).collect())
                .collect(),
            initial_state: vec![F::ZERO; width],
            input_positions: vec![0],
            digest_positions: vec![0],
            sponge: None,
        })
        .unwrap()
    }

    fn awkward<F: PoseidonField>() {
        for partial_rounds in [1, 2, 3, 4, 5, 9] {
            // The order where it is below n.
            let cases: [(&[&[u64]], usize, usize); 6] = [
                // A circulant with equal entries to both sides.
                (&[&[2, 1, 1], &[1, 2, 1], &[1, 1, 2]], 0, 1),
                (
                    &[&[5, 2, 3, 2], &[2, 5, 2, 3], &[3, 2, 5, 2], &[2, 3, 2, 5]],
                    1,
                    2,
                ),
                // Nothing of the S-box's output enters the next element 0.
                (&[&[0, 3, 5], &[7, 11, 13], &[17, 19, 29]], 0, 2),
                // No sparse form: the minor is singular.
                (&[&[1, 2, 3], &[4, 5, 6], &[7, 10, 12]], 0, 2),
                (&[&[1, 2, 3], &[4, 0, 0], &[7, 0, 0]], 0, 1),
                (&[&[2, 3], &[5, 7]], 1, 1),
            ];
            for (matrix, partial_index, order) in cases {
                let set = with_matrix::<F>(matrix, partial_rounds, partial_index);
                let rounds = RecurrentRounds::new(&set).unwrap();
                assert_eq!(rounds.partial.unwrap().order, order, "{}", set.name());
                for seed in 0..3 {
                    assert_equal(&set, &state(seed, set.width()));
                }
                assert_equal(&set, &vec![F::ZERO; set.width()]);
            }
        }
    }

    #[test]
    fn awkward_matrices() {
        awkward::<Bls12_381>();
        awkward::<Pallas>();
        awkward::<Goldilocks>();
    }

    /// Parameter sets with such a matrix are refused before: it does not mix the state.
    #[test]
    fn where_nothing_is_observed() {
        let matrix = [[2, 0, 0], [3, 4, 5], [6, 7, 9]];
        let matrix = matrix.map(|row| row.map(Bls12_381::from).to_vec());
        assert!(Observed::new(&matrix).is_none());
    }

    #[test]
    fn combinations_of_rows() {
        let row = |entries: &[u64]| -> Vec<Bls12_381> {
            entries
                .iter()
                .map(|&entry| Bls12_381::from(entry))
                .collect()
        };
        let rows = [row(&[0, 1, 2]), row(&[3, 0, 1])];
        assert_eq!(combination(&rows, &row(&[6, 5, 12])), Some(row(&[5, 2])));
        assert_eq!(combination(&rows, &row(&[6, 5, 13])), None);
        assert_eq!(
            combination::<Bls12_381>(&[], &row(&[0, 0])),
            Some(Vec::new())
        );
        assert_eq!(combination::<Bls12_381>(&[], &row(&[0, 1])), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(96))]

        #[test]
        fn any_parameters(
            field in prop::sample::select(FieldId::ALL.to_vec()),
            seed in any::<u64>(),
            singular_minor in any::<bool>(),
            poseidon2 in any::<bool>(),
            corner in any::<bool>(),
            dense in [0_usize..8, 0_usize..8],
        ) {
            with_field!(field, F => {
                let ranges = Ranges { singular_minor, poseidon2, ..Ranges::default() };
                let set = parameters::<F>(seed, &ranges);
                let set = set.expect("the ranges have an exponent of every field");
                let state = if corner {
                    vec![-F::ONE; set.width()]
                } else {
                    state(seed, set.width())
                };
                assert_equal(&set, &state);
                assert_equal_with(&set, &state, dense);
            });
        }
    }
}

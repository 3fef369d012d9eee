//! The Poseidon permutation and hash: straight from the specification, and fast.
//!
//! [`permute_dense`] and [`hash_dense`] follow the definition of the Poseidon paper (section 2)
//! step by step; they are what everything else is tested against. [`Poseidon`] computes the same
//! digests with sparse partial rounds (see [`crate::sparse`]) where there are such, and over primes
//! of four limbs with late reductions.
//!
//! Late reductions also defer the update of elements 1 to t-1 in partial rounds. In a group of a few
//! rounds the S-box outputs `x` are kept, and element 0 after the round is computed from the
//! elements `s` at the start of the group and the outputs so far:
//!
//! ```text
//! w_r[0] * x_r + sum_i w_r[i] * s_i + sum_{q < r} (sum_i w_r[i] * v_q[i]) * x_q + k_r
//! ```
//!
//! The factors of `x_q` are computed in advance. At the end of the group each `s_i` gets
//! `sum_q v_q[i] * x_q` at once, with one reduction in place of one for each round.

use std::fmt::Debug;

use ark_ff::PrimeField;

use crate::fields::{Bls12_381, Bn254, Goldilocks, Pallas, Starknet, Vesta};
use crate::montgomery::{self, Limbs, MontgomeryField, Sum};
use crate::params::{MAX_WIDTH, PoseidonParameters, RoundOrder};
use crate::sparse::{DenseRounds, InternalOrder, SparseRounds};

/// A hash was given the wrong number of field elements.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a hash of '{name}' takes {expected} field elements, not {length}")]
pub struct InputLengthError {
    name: String,
    expected: usize,
    length: usize,
}

fn check_length<F: PrimeField>(
    parameters: &PoseidonParameters<F>,
    length: usize,
) -> Result<(), InputLengthError> {
    let expected = parameters.inputs();
    if length == expected {
        return Ok(());
    }
    Err(InputLengthError {
        name: parameters.name().to_owned(),
        expected,
        length,
    })
}

/// The permutation as the specification has it: each round adds its constants, applies the S-box to
/// every element (one element only in partial rounds), and multiplies by the MDS matrix; or adds
/// its constants last, with [`RoundOrder::SboxFirst`].
///
/// # Panics
///
/// When `state` has not as many elements as the state is wide.
pub fn permute_dense<F: PrimeField>(parameters: &PoseidonParameters<F>, state: &mut [F]) {
    assert_eq!(state.len(), parameters.width(), "length of the state");
    let first = parameters.full_rounds_first();
    let partial = first..first + parameters.partial_rounds();
    let add = |state: &mut [F], constants: &[F]| {
        for (element, constant) in state.iter_mut().zip(constants) {
            *element += constant;
        }
    };
    for (round, constants) in parameters.round_constants().iter().enumerate() {
        if parameters.round_order() == RoundOrder::ConstantsFirst {
            add(state, constants);
        }
        for (index, element) in state.iter_mut().enumerate() {
            if !partial.contains(&round) || index == parameters.partial_index() {
                *element = element.pow([parameters.alpha()]);
            }
        }
        multiply(parameters.mds(), state);
        if parameters.round_order() == RoundOrder::SboxFirst {
            add(state, constants);
        }
    }
}

/// `state = matrix * state`.
fn multiply<F: PrimeField>(matrix: &[Vec<F>], state: &mut [F]) {
    let mut old = [F::ZERO; MAX_WIDTH];
    let old = &mut old[..state.len()];
    old.copy_from_slice(state);
    for (element, row) in state.iter_mut().zip(matrix) {
        *element = row.iter().zip(&*old).map(|(&entry, old)| entry * old).sum();
    }
}

/// The digest of `inputs` by [`permute_dense`].
///
/// # Errors
///
/// When there are not as many inputs as a hash takes.
pub fn hash_dense<F: PrimeField>(
    parameters: &PoseidonParameters<F>,
    inputs: &[F],
) -> Result<Vec<F>, InputLengthError> {
    check_length(parameters, inputs.len())?;
    let mut state = parameters.initial_state().to_vec();
    for (&position, input) in parameters.input_positions().iter().zip(inputs) {
        state[position] += input;
    }
    permute_dense(parameters, &mut state);
    let positions = parameters.digest_positions().iter();
    Ok(positions.map(|&position| state[position]).collect())
}

/// The prime fields that [`Poseidon`] computes in: those of [`FieldId`](crate::fields::FieldId).
///
/// The permutation is much code for each width and field. As methods of types it is compiled once, in this
/// crate; generic, it would be compiled again in each crate that hashes.
pub trait PermutationField: PrimeField {
    /// What sparse rounds are prepared as.
    #[doc(hidden)]
    type Prepared: PreparedRounds<Self>;

    /// See [`Poseidon::new`].
    #[doc(hidden)]
    fn prepare(parameters: &PoseidonParameters<Self>) -> Poseidon<Self>;

    /// The rounds on a state in internal order that has the initial constants.
    #[doc(hidden)]
    fn apply(rounds: &Rounds<Self>, state: &mut [Self]);
}

/// Rounds with sparse partial rounds, prepared for many permutations.
#[doc(hidden)]
pub trait PreparedRounds<F>: Clone + Debug + Send + Sync {
    /// Prepares `rounds` with the S-box exponent `alpha`.
    fn prepare(rounds: SparseRounds<F>, alpha: u64) -> Self;

    /// Applies them to a state in internal order that has the initial constants.
    fn apply(&self, state: &mut [F]);
}

macro_rules! permutation_fields {
    ($prepared:ty: $($field:ident),*) => {$(
        impl PermutationField for $field {
            type Prepared = $prepared;

            #[inline(never)]
            fn prepare(parameters: &PoseidonParameters<Self>) -> Poseidon<Self> {
                Poseidon::prepare(parameters)
            }

            #[inline(never)]
            fn apply(rounds: &Rounds<Self>, state: &mut [Self]) {
                rounds.apply(state);
            }
        }
    )*};
}

permutation_fields!(LateRounds: Bls12_381, Bn254, Pallas, Vesta, Starknet);
permutation_fields!(PlainRounds<Self>: Goldilocks);

/// A parameter set prepared for many hashes.
#[derive(Clone, Debug)]
pub struct Poseidon<F: PermutationField> {
    parameters: PoseidonParameters<F>,
    initial_constants: Vec<F>,
    initial: Vec<F>,
    input_positions: Vec<usize>,
    digest_positions: Vec<usize>,
    rounds: Rounds<F>,
}

/// The rounds of a parameter set.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub enum Rounds<F: PermutationField> {
    /// With sparse partial rounds.
    Sparse(F::Prepared),
    /// There is no sparse form.
    Dense {
        /// The rounds.
        rounds: DenseRounds<F>,
        /// The exponent of the S-box.
        alpha: u64,
    },
}

impl<F: PermutationField> Poseidon<F> {
    /// Prepares `parameters`.
    pub fn new(parameters: &PoseidonParameters<F>) -> Self {
        F::prepare(parameters)
    }

    fn prepare(parameters: &PoseidonParameters<F>) -> Self {
        let dense = DenseRounds::new(parameters);
        let order = InternalOrder::swapped(parameters.width(), parameters.partial_index());
        let internal = |positions: &[usize]| -> Vec<usize> {
            let positions = positions.iter();
            positions.map(|&position| order.place(position)).collect()
        };
        Self {
            parameters: parameters.clone(),
            initial_constants: dense.initial_constants.clone(),
            initial: dense.initial.clone(),
            input_positions: internal(parameters.input_positions()),
            digest_positions: internal(parameters.digest_positions()),
            rounds: match SparseRounds::new(parameters) {
                Ok(rounds) => Rounds::Sparse(F::Prepared::prepare(rounds, parameters.alpha())),
                Err(_) => Rounds::Dense {
                    rounds: dense,
                    alpha: parameters.alpha(),
                },
            },
        }
    }

    /// The parameter set.
    pub fn parameters(&self) -> &PoseidonParameters<F> {
        &self.parameters
    }

    /// The digest of `inputs`, which are as many as a hash takes.
    ///
    /// # Errors
    ///
    /// When they are not.
    pub fn hash(&self, inputs: &[F]) -> Result<Vec<F>, InputLengthError> {
        check_length(&self.parameters, inputs.len())?;
        let mut digest = vec![F::ZERO; self.parameters.digest_length()];
        self.hash_into(inputs, &mut digest);
        Ok(digest)
    }

    /// [`Poseidon::hash`] without memory of its own: writes the digest of `inputs` into `digest`.
    ///
    /// # Panics
    ///
    /// When there are not as many inputs as a hash takes, or `digest` is not as long as one.
    pub fn hash_into(&self, inputs: &[F], digest: &mut [F]) {
        assert_eq!(inputs.len(), self.input_positions.len(), "number of inputs");
        assert_eq!(
            digest.len(),
            self.digest_positions.len(),
            "length of the digest"
        );
        let mut state = [F::ZERO; MAX_WIDTH];
        let state = &mut state[..self.initial.len()];
        state.copy_from_slice(&self.initial);
        for (&position, input) in self.input_positions.iter().zip(inputs) {
            state[position] += input;
        }
        F::apply(&self.rounds, state);
        for (element, &position) in digest.iter_mut().zip(&self.digest_positions) {
            *element = state[position];
        }
    }

    /// Applies the permutation to `state`.
    ///
    /// # Panics
    ///
    /// When `state` has not as many elements as the state is wide.
    pub fn permute(&self, state: &mut [F]) {
        assert_eq!(state.len(), self.parameters.width(), "length of the state");
        let partial_index = self.parameters.partial_index();
        state.swap(0, partial_index);
        for (element, constant) in state.iter_mut().zip(&self.initial_constants) {
            *element += constant;
        }
        F::apply(&self.rounds, state);
        state.swap(0, partial_index);
    }
}

impl<F: PermutationField> Rounds<F> {
    fn apply(&self, state: &mut [F]) {
        match self {
            Rounds::Sparse(rounds) => rounds.apply(state),
            Rounds::Dense { rounds, alpha } => {
                for constants in &rounds.full_first {
                    dense_round(state, *alpha, &rounds.mds, constants);
                }
                for constants in &rounds.partial {
                    state[0] = state[0].pow([*alpha]);
                    multiply(&rounds.mds, state);
                    for (element, constant) in state.iter_mut().zip(constants) {
                        *element += constant;
                    }
                }
                for constants in &rounds.full_last {
                    dense_round(state, *alpha, &rounds.mds, constants);
                }
            }
        }
    }
}

/// A full round: S-box, matrix, constants.
fn dense_round<F: PrimeField>(state: &mut [F], alpha: u64, matrix: &[Vec<F>], constants: &[F]) {
    for element in &mut *state {
        *element = power(*element, alpha);
    }
    multiply(matrix, state);
    for (element, constant) in state.iter_mut().zip(constants) {
        *element += constant;
    }
}

/// `x^alpha`, `alpha` 3, 5 or 7.
fn power<F: PrimeField>(x: F, alpha: u64) -> F {
    let square = x.square();
    match alpha {
        3 => square * x,
        5 => square.square() * x,
        _ => square.square() * square * x,
    }
}

/// Sparse rounds as they are.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct PlainRounds<F> {
    rounds: SparseRounds<F>,
    alpha: u64,
}

impl<F: PrimeField> PreparedRounds<F> for PlainRounds<F> {
    fn prepare(rounds: SparseRounds<F>, alpha: u64) -> Self {
        Self { rounds, alpha }
    }

    fn apply(&self, state: &mut [F]) {
        let Self { rounds, alpha } = self;
        let last = rounds.full_first.len() - 1;
        for (round, constants) in rounds.full_first.iter().enumerate() {
            let matrix = if round == last {
                &rounds.pre_sparse
            } else {
                &rounds.mds
            };
            dense_round(state, *alpha, matrix, constants);
        }
        for round in &rounds.partial {
            let output = power(state[0], *alpha);
            let (first, row) = (round.matrix.row[0], &round.matrix.row[1..]);
            let sum: F = row.iter().zip(&state[1..]).map(|(&w, s)| w * s).sum();
            state[0] = first * output + sum + round.constant;
            for (element, &v) in state[1..].iter_mut().zip(&round.matrix.column) {
                *element += v * output;
            }
        }
        for constants in &rounds.full_last {
            dense_round(state, *alpha, &rounds.mds, constants);
        }
    }
}

/// Rounds with late reductions.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct LateRounds {
    alpha: u64,
    /// Rows of the matrix and constants of each full round of the first half, one after another:
    /// the constant and the row for each element.
    full_first: Vec<Limbs>,
    groups: Vec<Group>,
    full_last: Vec<Limbs>,
}

/// Some partial rounds in a row.
#[derive(Clone, Debug)]
struct Group {
    /// For each round the constant, w[1..] and the factors of the S-box outputs of this group up
    /// to its own, one after another.
    rounds: Vec<Limbs>,
    /// For each element after the first, its v of each round.
    columns: Vec<Limbs>,
    length: usize,
}

/// Most partial rounds in a group.
const MAX_GROUP: usize = 4;

/// Partial rounds in a group; the best lengths by count of multiplications and by measurement.
const fn group_length(width: usize) -> usize {
    match width {
        ..=4 => 2,
        5..=8 => 3,
        _ => MAX_GROUP,
    }
}

impl<F: MontgomeryField> PreparedRounds<F> for LateRounds {
    fn prepare(rounds: SparseRounds<F>, alpha: u64) -> Self {
        let width = rounds.mds.len();
        let mut full_first = Vec::new();
        for (round, constants) in rounds.full_first.iter().enumerate() {
            let last = round + 1 == rounds.full_first.len();
            let matrix = if last {
                &rounds.pre_sparse
            } else {
                &rounds.mds
            };
            push_full_round(&mut full_first, constants, matrix);
        }
        let mut full_last = Vec::new();
        for constants in &rounds.full_last {
            push_full_round(&mut full_last, constants, &rounds.mds);
        }
        let groups = rounds.partial.chunks(group_length(width)).map(|group| {
            let mut flat = Vec::new();
            for (r, round) in group.iter().enumerate() {
                let (row, rest) = round.matrix.row.split_first().expect("the width is not 0");
                flat.push(round.constant.into_limbs());
                flat.extend(rest.iter().map(|&w| w.into_limbs()));
                flat.extend(group[..r].iter().map(|before| {
                    let columns = &before.matrix.column;
                    rest.iter()
                        .zip(columns)
                        .map(|(&w, v)| w * v)
                        .sum::<F>()
                        .into_limbs()
                }));
                flat.push(row.into_limbs());
            }
            let columns = (0..width - 1)
                .flat_map(|i| {
                    group
                        .iter()
                        .map(move |round| round.matrix.column[i].into_limbs())
                })
                .collect();
            Group {
                rounds: flat,
                columns,
                length: group.len(),
            }
        });
        Self {
            alpha,
            groups: groups.collect(),
            full_first,
            full_last,
        }
    }

    fn apply(&self, state: &mut [F]) {
        const { assert!(MAX_WIDTH == 12) };
        match state.len() {
            2 => self.apply_width::<F, 2>(state),
            3 => self.apply_width::<F, 3>(state),
            4 => self.apply_width::<F, 4>(state),
            5 => self.apply_width::<F, 5>(state),
            6 => self.apply_width::<F, 6>(state),
            7 => self.apply_width::<F, 7>(state),
            8 => self.apply_width::<F, 8>(state),
            9 => self.apply_width::<F, 9>(state),
            10 => self.apply_width::<F, 10>(state),
            11 => self.apply_width::<F, 11>(state),
            _ => self.apply_width::<F, MAX_WIDTH>(state),
        }
    }
}

impl LateRounds {
    fn apply_width<F: MontgomeryField, const T: usize>(&self, state: &mut [F]) {
        let mut loose: [Limbs; T] = std::array::from_fn(|i| state[i].into_limbs());
        full_rounds::<F, T>(&mut loose, &self.full_first, self.alpha);
        for group in &self.groups {
            group.apply::<F, T>(&mut loose, self.alpha);
        }
        full_rounds::<F, T>(&mut loose, &self.full_last, self.alpha);
        for (element, loose) in state.iter_mut().zip(&loose) {
            *element = F::from_limbs(montgomery::subtract_prime::<F>(loose));
        }
    }
}

fn push_full_round<F: MontgomeryField>(flat: &mut Vec<Limbs>, constants: &[F], matrix: &[Vec<F>]) {
    for (constant, row) in constants.iter().zip(matrix) {
        flat.push(constant.into_limbs());
        flat.extend(row.iter().map(|&entry| entry.into_limbs()));
    }
}

/// An S-box that is compiled once for a field, and not again for every width.
#[inline(never)]
fn outlined_power<F: MontgomeryField>(x: &Limbs, alpha: u64) -> Limbs {
    montgomery::power::<F>(x, alpha)
}

/// Full rounds on a state of loose elements.
fn full_rounds<F: MontgomeryField, const T: usize>(
    state: &mut [Limbs; T],
    rounds: &[Limbs],
    alpha: u64,
) {
    for round in rounds.chunks_exact(T * (T + 1)) {
        let boxed = state.map(|element| outlined_power::<F>(&element, alpha));
        for (element, row) in state.iter_mut().zip(round.chunks_exact(T + 1)) {
            let mut sum = Sum::new(&row[0]);
            for (entry, boxed) in row[1..].iter().zip(&boxed) {
                sum.add_product(entry, boxed);
            }
            *element = sum.reduce::<F>();
        }
    }
}

impl Group {
    /// The rounds of the group on a state of loose elements.
    #[inline(always)]
    fn apply<F: MontgomeryField, const T: usize>(&self, state: &mut [Limbs; T], alpha: u64) {
        let mut outputs = [Limbs::default(); MAX_GROUP];
        let mut rounds = self.rounds.as_slice();
        for r in 0..self.length {
            let (round, rest) = rounds.split_at(T + r + 1);
            rounds = rest;
            // What does not wait for the S-box comes first.
            let mut sum = Sum::new(&round[0]);
            for (w, element) in round[1..T].iter().zip(&state[1..]) {
                sum.add_product(w, element);
            }
            for (factor, output) in round[T..T + r].iter().zip(&outputs) {
                sum.add_product(factor, output);
            }
            outputs[r] = montgomery::power::<F>(&state[0], alpha);
            sum.add_product(&round[T + r], &outputs[r]);
            state[0] = sum.reduce::<F>();
        }
        let columns = self.columns.chunks_exact(self.length);
        for (element, column) in state[1..].iter_mut().zip(columns) {
            let mut sum = Sum::new(element);
            for (v, output) in column.iter().zip(&outputs) {
                sum.add_product(v, output);
            }
            *element = sum.reduce::<F>();
        }
    }
}

const _: () = assert!(MAX_WIDTH + MAX_GROUP <= montgomery::MAX_PRODUCTS);

#[cfg(test)]
mod tests {
    use super::*;
    use ark_ff::{AdditiveGroup, Field};
    use proptest::prelude::*;

    use crate::fields::{Bls12_381, FieldId, Goldilocks, PoseidonField};
    use crate::params::{PoseidonSpecification, is_permutation};
    use crate::random::{Ranges, parameters};
    use crate::{presets, with_field, word};

    /// Corner values and any other, by a number.
    fn element<F: PrimeField>(number: u64) -> F {
        match number % 8 {
            0 => F::ZERO,
            1 => F::ONE,
            2 => -F::ONE,
            3 => F::from(2_u64).inverse().unwrap(),
            _ => F::from(number).pow([0xFFFF_FFFF_FFFF_FFC5, number, number, 1]),
        }
    }

    fn elements<F: PrimeField>(numbers: impl IntoIterator<Item = u64>, count: usize) -> Vec<F> {
        numbers.into_iter().map(element).take(count).collect()
    }

    /// The permutation written in another way: the state and the constants of all rounds as one
    /// vector with a one appended, on which a round's constants and matrix are one matrix.
    fn permute_affine<F: PrimeField>(parameters: &PoseidonParameters<F>, state: &[F]) -> Vec<F> {
        let width = parameters.width();
        let first = parameters.full_rounds_first();
        let last = first + parameters.partial_rounds();
        let mut state = state.to_vec();
        for (round, constants) in parameters.round_constants().iter().enumerate() {
            let early = parameters.round_order() == RoundOrder::ConstantsFirst;
            let boxed = (0..width).map(|i| {
                let x = if early {
                    state[i] + constants[i]
                } else {
                    state[i]
                };
                let full = round < first || round >= last;
                let exponent = if full || i == parameters.partial_index() {
                    parameters.alpha()
                } else {
                    1
                };
                (0..exponent).fold(F::ONE, |product, _| product * x)
            });
            let boxed: Vec<F> = boxed.collect();
            state = (0..width)
                .map(|i| {
                    let constant = if early { F::ZERO } else { constants[i] };
                    (0..width).fold(constant, |sum, j| sum + parameters.mds()[i][j] * boxed[j])
                })
                .collect();
        }
        state
    }

    /// Compares all ways to compute a hash and a permutation.
    fn assert_equal<F: PoseidonField>(parameters: &PoseidonParameters<F>, numbers: &[u64]) {
        let poseidon = Poseidon::new(parameters);
        let numbers = || numbers.iter().copied().cycle();
        let inputs = elements::<F>(numbers(), parameters.inputs());
        let digest = poseidon.hash(&inputs).unwrap();
        assert_eq!(
            digest,
            hash_dense(parameters, &inputs).unwrap(),
            "{}",
            parameters.name()
        );

        let state = elements::<F>(numbers(), parameters.width());
        let mut dense = state.clone();
        permute_dense(parameters, &mut dense);
        assert_eq!(
            dense,
            permute_affine(parameters, &state),
            "{}",
            parameters.name()
        );
        let mut fast = state;
        poseidon.permute(&mut fast);
        assert_eq!(fast, dense, "{}", parameters.name());
    }

    #[test]
    fn anchor_of_filecoin() {
        let preset = presets::over("filecoin-arity-2").unwrap();
        let digest = Poseidon::new(preset)
            .hash(&[Bls12_381::ZERO, Bls12_381::ONE])
            .unwrap();
        assert_eq!(
            word::to_hex(&word::from_field(digest[0])),
            "0x396508d75e76a56b739e0fd902efe161a6fba9339d05a69d2e203c369a02e7ff"
        );
    }

    #[test]
    fn corner_values_in_every_element_of_every_preset() {
        for preset in presets::all() {
            crate::dispatch!(preset.parameters(), parameters => {
                for corner in 0..4 {
                    assert_equal(parameters, &[corner]);
                    assert_equal(parameters, &[corner, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2]);
                }
                for seed in 0..4 {
                    assert_equal(parameters, &(100 * seed..100 * seed + 12).collect::<Vec<_>>());
                }
            });
        }
    }

    /// All constants p - 1: the sums of products are as large as they get.
    #[test]
    fn largest_constants() {
        for field in FieldId::ALL {
            with_field!(field, F => {
                let exponents = [3, 5, 7].into_iter().filter(|&alpha| is_permutation::<F>(alpha));
                for (width, alpha) in
                    exponents.flat_map(|alpha| (2..=MAX_WIDTH).map(move |width| (width, alpha)))
                {
                    let parameters = PoseidonParameters::new(PoseidonSpecification {
                        name: format!("largest {field} {width} {alpha}"),
                        field_name: field.name().to_owned(),
                        alpha,
                        full_rounds_first: 4,
                        partial_rounds: 0,
                        full_rounds_last: 4,
                        round_order: RoundOrder::ConstantsFirst,
                        partial_index: 0,
                        round_constants: vec![vec![-F::ONE; width]; 8],
                        mds: vec![vec![-F::ONE; width]; width],
                        initial_state: vec![-F::ONE; width],
                        input_positions: (1..width).collect(),
                        digest_positions: vec![1],
                        sponge: None,
                    });
                    let parameters = parameters.unwrap();
                    assert_equal(&parameters, &[2]);
                    assert_equal(&parameters, &[0]);
                }
            });
        }
    }

    #[test]
    fn wrong_number_of_inputs() {
        let preset = presets::over("filecoin-arity-4").unwrap();
        let expected = "a hash of 'filecoin-arity-4' takes 4 field elements, not 3";
        let inputs = [Bls12_381::ZERO; 3];
        let error = Poseidon::new(preset).hash(&inputs).unwrap_err();
        assert_eq!(error.to_string(), expected);
        let error = hash_dense(preset, &inputs).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }

    /// A matrix without a sparse form, and a singular one.
    #[test]
    fn dense_partial_rounds() {
        for mds in [
            [[1, 2, 3], [4, 5, 6], [7, 10, 12]],
            [[1, 2, 3], [4, 5, 6], [7, 8, 9]],
        ] {
            for partial_index in 0..3 {
                let preset = presets::over::<Bls12_381>("filecoin-arity-2").unwrap();
                let mut specification = preset.specification().clone();
                specification.partial_rounds = 9;
                specification.round_constants.truncate(17);
                specification.partial_index = partial_index;
                specification.mds = mds.map(|row| row.map(Bls12_381::from).to_vec()).to_vec();
                let parameters = PoseidonParameters::new(specification).unwrap();
                assert_equal(&parameters, &[11, 12, 13]);
            }
        }
    }

    /// Every width, exponent, order and index of the partial S-box of every field.
    #[test]
    fn every_shape() {
        for field in FieldId::ALL {
            with_field!(field, F => {
                for width in 2..=MAX_WIDTH {
                    for alpha in [3, 5, 7] {
                        for order in [RoundOrder::ConstantsFirst, RoundOrder::SboxFirst] {
                            let ranges = Ranges {
                                widths: width..=width,
                                exponents: vec![alpha],
                                orders: vec![order],
                                full_rounds: 1..=2,
                                partial_rounds: 0..=4,
                                singular_minor: false,
                            };
                            let seed = (width as u64) << 8 | alpha;
                            let Some(set) = parameters::<F>(seed, &ranges) else {
                                assert!(!is_permutation::<F>(alpha));
                                continue;
                            };
                            for partial_index in 0..width {
                                let mut specification = set.specification().clone();
                                specification.partial_index = partial_index;
                                let set = PoseidonParameters::new(specification).unwrap();
                                assert_equal(&set, &[3, 5, 6, 2, 1, 0, 4]);
                            }
                        }
                    }
                }
            });
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(96))]

        #[test]
        fn any_parameters(
            field in prop::sample::select(FieldId::ALL.to_vec()),
            seed in any::<u64>(),
            singular_minor in any::<bool>(),
            numbers in prop::collection::vec(any::<u64>(), MAX_WIDTH),
        ) {
            with_field!(field, F => {
                let ranges = Ranges { singular_minor, ..Ranges::default() };
                let set = parameters::<F>(seed, &ranges);
                assert_equal(&set.expect("the ranges have an exponent of every field"), &numbers);
            });
        }
    }

    /// Goldilocks elements are one limb, and its rounds have a code of their own.
    #[test]
    fn goldilocks_against_plain_integers() {
        let prime = (1_u128 << 64) - (1 << 32) + 1;
        let x = Goldilocks::from(0xFEDC_BA98_7654_3210_u64);
        let integer = 0xFEDC_BA98_7654_3210_u128;
        let seventh = (0..7).fold(1, |product, _| product * integer % prime);
        assert_eq!(power(x, 7), Goldilocks::from(seventh));
    }
}

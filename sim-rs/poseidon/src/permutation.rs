//! The Poseidon permutation and hash: straight from the specification, and fast.
//!
//! [`permute_dense`] and [`hash_dense`] follow the definition of the Poseidon paper (section 2)
//! step by step; they are what everything else is tested against. [`Poseidon`] computes the same
//! digests faster, with partial rounds as a recurrence (see [`crate::recurrence`]): over primes of four limbs with two
//! entries of a matrix by one product and late reductions, over Goldilocks in 64-bit integers. A hash computes only
//! those elements behind the last round that are the digest.

use std::fmt::Debug;

use ark_ff::PrimeField;

use crate::fields::{Bls12_377, Bls12_381, Bn254, Goldilocks, Pallas, Starknet, Vesta};
use crate::goldilocks::NativeRounds;
use crate::late::LateRounds;
use crate::normal_form::{DenseRounds, InternalOrder};
use crate::params::{InverseRounds, MAX_SMALL_WIDTH, MAX_WIDTH, PoseidonParameters, RoundOrder};
use crate::recurrence::RecurrentRounds;

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
/// its constants last, with [`RoundOrder::SboxFirst`]. Poseidon2 multiplies by the matrix of full rounds once before,
/// and has another matrix in partial rounds. Rescue Prime has the inverse S-box in every second round.
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
    if parameters.first_layer() {
        multiply(parameters.mds(), state);
    }
    let exponents = parameters.exponents();
    let last = parameters.round_constants().len() - 1;
    for (round, constants) in parameters.round_constants().iter().enumerate() {
        let is_partial = partial.contains(&round);
        if parameters.round_order() == RoundOrder::ConstantsFirst {
            add(state, constants);
        }
        for (index, element) in state.iter_mut().enumerate() {
            if !is_partial || index == parameters.partial_index() {
                *element = element.pow([exponents[round % 2]]);
            }
        }
        let matrix = if is_partial {
            parameters.partial_matrix()
        } else {
            parameters.mds()
        };
        let has_matrix = round != last
            || parameters.inverse_rounds() != InverseRounds::EverySecondWithoutLastMatrix;
        if has_matrix {
            multiply(matrix, state);
        }
        if parameters.round_order() == RoundOrder::SboxFirst {
            add(state, constants);
        }
    }
}

/// `state = matrix * state`.
fn multiply<F: PrimeField>(matrix: &[Vec<F>], state: &mut [F]) {
    let mut old = [F::ZERO; MAX_SMALL_WIDTH];
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
    if let Some(sums) = parameters.digest_sums() {
        let before = state.clone();
        permute_dense(parameters, &mut state);
        let sum = |elements: &Vec<usize>| elements.iter().map(|&it| before[it] + state[it]).sum();
        return Ok(sums.iter().map(sum).collect());
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
    /// What the rounds are prepared as.
    #[doc(hidden)]
    type Prepared: PreparedRounds<Self>;

    /// See [`Poseidon::new`].
    #[doc(hidden)]
    fn prepare(parameters: &PoseidonParameters<Self>) -> Poseidon<Self>;

    /// See [`PreparedRounds::apply`].
    #[doc(hidden)]
    fn apply(rounds: &Self::Prepared, state: &mut [Self], wanted: &[usize]);
}

/// The rounds of a parameter set, prepared for many permutations.
#[doc(hidden)]
pub trait PreparedRounds<F>: Clone + Debug + Send + Sync {
    /// Prepares `rounds` with S-boxes x^alpha.
    fn new(rounds: &RecurrentRounds<F>, alpha: u64) -> Self;

    /// [`apply`](Self::apply) for a state of `T` elements.
    fn apply_width<const T: usize>(&self, state: &mut [F], wanted: &[usize]);

    /// Applies them to a state in internal order that has the initial constants. Behind it the elements `wanted`
    /// are the result's, the others have no meaning.
    fn apply(&self, state: &mut [F], wanted: &[usize]) {
        const { assert!(MAX_WIDTH == 12) };
        match state.len() {
            2 => self.apply_width::<2>(state, wanted),
            3 => self.apply_width::<3>(state, wanted),
            4 => self.apply_width::<4>(state, wanted),
            5 => self.apply_width::<5>(state, wanted),
            6 => self.apply_width::<6>(state, wanted),
            7 => self.apply_width::<7>(state, wanted),
            8 => self.apply_width::<8>(state, wanted),
            9 => self.apply_width::<9>(state, wanted),
            10 => self.apply_width::<10>(state, wanted),
            11 => self.apply_width::<11>(state, wanted),
            MAX_WIDTH => self.apply_width::<MAX_WIDTH>(state, wanted),
            _ => self.apply_wide(state, wanted),
        }
    }

    /// [`apply`](Self::apply) for more than [`MAX_WIDTH`] elements.
    ///
    /// # Panics
    ///
    /// Where parameter sets of the field are not so wide.
    fn apply_wide(&self, state: &mut [F], _wanted: &[usize]) {
        unreachable!(
            "no parameter set over a large prime has {} elements",
            state.len()
        );
    }
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
            fn apply(rounds: &Self::Prepared, state: &mut [Self], wanted: &[usize]) {
                rounds.apply(state, wanted);
            }
        }
    )*};
}

permutation_fields!(LateRounds: Bls12_381, Bls12_377, Bn254, Pallas, Vesta, Starknet);
permutation_fields!(NativeRounds: Goldilocks);

/// A parameter set prepared for many hashes.
#[derive(Clone, Debug)]
pub struct Poseidon<F: PermutationField> {
    parameters: PoseidonParameters<F>,
    initial_constants: Vec<F>,
    initial: Vec<F>,
    input_positions: Vec<usize>,
    digest_positions: Vec<usize>,
    /// Of a compression: the elements whose sums are the digest, and what the sums before the permutation have of the
    /// initial constants.
    digest_sums: Option<Vec<(Vec<usize>, F)>>,
    all_positions: Vec<usize>,
    rounds: F::Prepared,
    /// The rounds of a set with inverse S-boxes.
    inverse: Option<InverseSBoxes<F>>,
}

/// Full rounds of which every second one has the inverse S-box.
#[derive(Clone, Debug)]
struct InverseSBoxes<F> {
    exponents: [u64; 2],
    has_last_matrix: bool,
    rounds: DenseRounds<F>,
}

impl<F: PrimeField> InverseSBoxes<F> {
    fn new(parameters: &PoseidonParameters<F>, rounds: &DenseRounds<F>) -> Option<Self> {
        let inverse_rounds = parameters.inverse_rounds();
        (inverse_rounds != InverseRounds::None).then(|| Self {
            exponents: parameters.exponents(),
            has_last_matrix: inverse_rounds == InverseRounds::EverySecond,
            rounds: rounds.clone(),
        })
    }

    /// Applies them to a state that has the initial constants.
    fn apply(&self, state: &mut [F]) {
        let DenseRounds {
            mds,
            first_layer,
            full_first,
            full_last,
            ..
        } = &self.rounds;
        let add = |state: &mut [F], constants: &[F]| {
            for (element, constant) in state.iter_mut().zip(constants) {
                *element += constant;
            }
        };
        if let Some(constants) = first_layer {
            multiply(mds, state);
            add(state, constants);
        }
        let last = full_first.len() + full_last.len() - 1;
        for (round, constants) in full_first.iter().chain(full_last).enumerate() {
            for element in state.iter_mut() {
                *element = element.pow([self.exponents[round % 2]]);
            }
            if round != last || self.has_last_matrix {
                multiply(mds, state);
            }
            add(state, constants);
        }
    }
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
        let sum = |elements: Vec<usize>| {
            let elements = internal(&elements);
            let constants = elements.iter().map(|&it| dense.initial_constants[it]);
            let constant = constants.sum();
            (elements, constant)
        };
        Self {
            inverse: InverseSBoxes::new(parameters, &dense),
            digest_sums: (parameters.digest_sums()).map(|sums| sums.into_iter().map(sum).collect()),
            parameters: parameters.clone(),
            initial_constants: dense.initial_constants,
            initial: dense.initial,
            input_positions: internal(parameters.input_positions()),
            digest_positions: internal(parameters.digest_positions()),
            all_positions: (0..parameters.width()).collect(),
            rounds: F::Prepared::new(&RecurrentRounds::or_dense(parameters), parameters.alpha()),
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
        let mut state = [F::ZERO; MAX_SMALL_WIDTH];
        let state = &mut state[..self.initial.len()];
        state.copy_from_slice(&self.initial);
        for (&position, input) in self.input_positions.iter().zip(inputs) {
            state[position] += input;
        }
        if let Some(sums) = &self.digest_sums {
            let sum =
                |state: &[F], elements: &[usize]| elements.iter().map(|&it| state[it]).sum::<F>();
            for (element, (elements, constant)) in digest.iter_mut().zip(sums) {
                *element = sum(state, elements) - constant;
            }
            self.apply(state, &self.all_positions);
            for (element, (elements, _)) in digest.iter_mut().zip(sums) {
                *element += sum(state, elements);
            }
            return;
        }
        self.apply(state, &self.digest_positions);
        for (element, &position) in digest.iter_mut().zip(&self.digest_positions) {
            *element = state[position];
        }
    }

    /// Applies the rounds to a state in internal order that has the initial constants.
    fn apply(&self, state: &mut [F], wanted: &[usize]) {
        match &self.inverse {
            None => F::apply(&self.rounds, state, wanted),
            Some(rounds) => rounds.apply(state),
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
        self.apply(state, &self.all_positions);
        state.swap(0, partial_index);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ark_ff::{AdditiveGroup, Field};
    use proptest::prelude::*;

    use crate::bounds::widest;
    use crate::fields::{Bls12_381, FieldId, PoseidonField};
    use crate::params::{Compression, InverseRounds, PoseidonSpecification, is_permutation};
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

    /// The element whose power x^alpha is `x`: by the number of times that alpha goes into the order of the field with
    /// whole turns, which is found by trying the turns.
    fn root<F: PrimeField>(alpha: u64, x: F) -> F {
        let order = num_bigint::BigUint::from_bytes_le(&word::prime::<F>()) - 1_u32;
        let exponent = (1..=alpha)
            .map(|turns| &order * turns + 1_u32)
            .find(|power| power % alpha == num_bigint::BigUint::ZERO)
            .map(|power| power / alpha)
            .unwrap();
        let root = x.pow(exponent.to_u64_digits());
        assert_eq!(root.pow([alpha]), x);
        root
    }

    /// The permutation written in another way: the state and the constants of all rounds as one
    /// vector with a one appended, on which a round's constants and matrix are one matrix.
    fn permute_affine<F: PrimeField>(parameters: &PoseidonParameters<F>, state: &[F]) -> Vec<F> {
        let width = parameters.width();
        let first = parameters.full_rounds_first();
        let last = first + parameters.partial_rounds();
        let mut state = state.to_vec();
        if parameters.first_layer() {
            let rows = parameters.mds().iter();
            state = rows
                .map(|row| (0..width).map(|j| row[j] * state[j]).sum())
                .collect();
        }
        for (round, constants) in parameters.round_constants().iter().enumerate() {
            let early = parameters.round_order() == RoundOrder::ConstantsFirst;
            let boxed = (0..width).map(|i| {
                let x = if early {
                    state[i] + constants[i]
                } else {
                    state[i]
                };
                let full = round < first || round >= last;
                if parameters.inverse_rounds() != InverseRounds::None && round % 2 == 1 {
                    return root(parameters.alpha(), x);
                }
                let exponent = if full || i == parameters.partial_index() {
                    parameters.alpha()
                } else {
                    1
                };
                (0..exponent).fold(F::ONE, |product, _| product * x)
            });
            let boxed: Vec<F> = boxed.collect();
            let matrix = if round < first || round >= last {
                parameters.mds()
            } else {
                parameters.partial_matrix()
            };
            let is_last = round + 1 == parameters.round_constants().len();
            if is_last && parameters.inverse_rounds() == InverseRounds::EverySecondWithoutLastMatrix
            {
                return boxed;
            }
            state = (0..width)
                .map(|i| {
                    let constant = if early { F::ZERO } else { constants[i] };
                    (0..width).fold(constant, |sum, j| sum + matrix[i][j] * boxed[j])
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
                for ((width, partial_rounds), alpha) in exponents.flat_map(|alpha| {
                    let widths = 2..=widest(field.bits());
                    let widths = widths.flat_map(|width| [(width, 0), (width, 20)]);
                    widths.map(move |shape| (shape, alpha))
                }) {
                    let parameters = PoseidonParameters::new(PoseidonSpecification {
                        name: format!("largest {field} {width} {alpha} {partial_rounds}"),
                        field_name: field.name().to_owned(),
                        alpha,
                        full_rounds_first: 4,
                        partial_rounds,
                        full_rounds_last: 4,
                        round_order: RoundOrder::ConstantsFirst,
                        partial_index: 0,
                        partial_matrix: None,
                        first_layer: false,
                        inverse_rounds: InverseRounds::None,
                        compression: Compression::None,
                        round_constants: vec![vec![-F::ONE; width]; 8 + partial_rounds],
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

    /// Matrices of which element 0 does not show all others, or without its own output, with few and many rounds.
    #[test]
    fn awkward_matrices() {
        for field in FieldId::ALL {
            with_field!(field, F => {
                let matrices: [&[&[u64]]; 6] = [
                    &[&[2, 1, 1], &[1, 2, 1], &[1, 1, 2]],
                    &[&[5, 2, 3, 2], &[2, 5, 2, 3], &[3, 2, 5, 2], &[2, 3, 2, 5]],
                    &[
                        &[7, 1, 2, 3, 2, 1],
                        &[1, 7, 1, 2, 3, 2],
                        &[2, 1, 7, 1, 2, 3],
                        &[3, 2, 1, 7, 1, 2],
                        &[2, 3, 2, 1, 7, 1],
                        &[1, 2, 3, 2, 1, 7],
                    ],
                    &[&[0, 3, 5], &[7, 11, 13], &[17, 19, 29]],
                    &[&[1, 2, 3], &[4, 0, 0], &[7, 0, 0]],
                    &[&[2, 3], &[5, 7]],
                ];
                let ranges = Ranges { full_rounds: 1..=2, partial_rounds: 0..=1, ..Ranges::default() };
                for (matrix, partial_rounds) in matrices
                    .into_iter()
                    .flat_map(|matrix| [1, 2, 3, 5, 15, 16, 17, 33, 100].map(|rounds| (matrix, rounds)))
                {
                    let width = matrix.len();
                    let ranges = Ranges {
                        widths: width..=width,
                        partial_rounds: partial_rounds..=partial_rounds,
                        ..ranges.clone()
                    };
                    let set = parameters::<F>(partial_rounds as u64, &ranges).unwrap();
                    let mut specification = set.specification().clone();
                    specification.mds = (matrix.iter())
                        .map(|row| row.iter().map(|&entry| F::from(entry)).collect())
                        .collect();
                    specification.partial_index = partial_rounds % width;
                    let set = PoseidonParameters::new(specification).unwrap();
                    assert_equal(&set, &[11, 12, 13, 14, 15, 16]);
                    assert_equal(&set, &[2]);
                }
            });
        }
    }

    /// Compressions add the input to the digest.
    #[test]
    fn compressions() {
        for field in FieldId::ALL {
            with_field!(field, F => {
                for (seed, compression) in [Compression::FeedForward, Compression::Jive]
                    .into_iter()
                    .flat_map(|compression| (0..40).map(move |seed| (seed, compression)))
                {
                    let inverse_rounds = if seed % 4 == 0 && field == FieldId::Goldilocks {
                        InverseRounds::EverySecond
                    } else {
                        InverseRounds::None
                    };
                    let ranges = Ranges {
                        widths: 2..=widest(field.bits()),
                        exponents: vec![if inverse_rounds == InverseRounds::None { 5 } else { 7 }, 7],
                        partial_rounds: if inverse_rounds == InverseRounds::None { 0..=9 } else { 0..=0 },
                        poseidon2: seed % 4 == 1,
                        inverse_rounds,
                        compression,
                        ..Ranges::default()
                    };
                    let Some(set) = parameters::<F>(seed, &ranges) else {
                        continue;
                    };
                    assert_equal(&set, &[seed, 11, 12, 13, 14, 15]);
                    // By the states before and behind the permutation.
                    let inputs = elements::<F>(20.., set.inputs());
                    let mut before = set.initial_state().to_vec();
                    for (&position, input) in set.input_positions().iter().zip(&inputs) {
                        before[position] += input;
                    }
                    let mut state = before.clone();
                    permute_dense(&set, &mut state);
                    let length = set.digest_length();
                    let sum = |at: usize| before[at] + state[at];
                    let expected: Vec<F> = match compression {
                        Compression::Jive => (0..length)
                            .map(|at| (at..set.width()).step_by(length).map(sum).sum())
                            .collect(),
                        _ => set.digest_positions().iter().map(|&at| sum(at)).collect(),
                    };
                    assert_eq!(hash_dense(&set, &inputs).unwrap(), expected, "{}", set.name());
                }
            });
        }
    }

    /// Every width, exponent, order and index of the partial S-box of every field.
    #[test]
    fn every_shape() {
        for field in FieldId::ALL {
            with_field!(field, F => {
                for width in 2..=widest(field.bits()) {
                    for alpha in [3, 5, 7] {
                        for order in [RoundOrder::ConstantsFirst, RoundOrder::SboxFirst] {
                            let ranges = Ranges {
                                widths: width..=width,
                                exponents: vec![alpha],
                                orders: vec![order],
                                full_rounds: 1..=2,
                                partial_rounds: 0..=4,
                                poseidon2: alpha > 3,
                                ..Ranges::default()
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
            poseidon2 in any::<bool>(),
            numbers in prop::collection::vec(any::<u64>(), MAX_WIDTH),
        ) {
            with_field!(field, F => {
                let ranges = Ranges { singular_minor, poseidon2, ..Ranges::default() };
                let set = parameters::<F>(seed, &ranges);
                assert_equal(&set.expect("the ranges have an exponent of every field"), &numbers);
            });
        }
    }
}

//! The Poseidon permutation and hash: straight from the specification, and fast.
//!
//! [`permute_dense`] and [`hash_dense`] follow the definition of the Poseidon paper (section 2)
//! step by step; they are what everything else is tested against. [`Poseidon`] computes the same
//! digests with sparse partial rounds (see [`crate::sparse`]) and late reductions.
//!
//! [`Poseidon`] also defers the update of elements 1 to t-1 in partial rounds. In a group of a few
//! rounds the S-box outputs `x` are kept, and element 0 after the round is computed from the
//! elements `s` at the start of the group and the outputs so far:
//!
//! ```text
//! w_r[0] * x_r + sum_i w_r[i] * s_i + sum_{q < r} (sum_i w_r[i] * v_q[i]) * x_q + k_r
//! ```
//!
//! The factors of `x_q` are computed in advance. At the end of the group each `s_i` gets
//! `sum_q v_q[i] * x_q` at once, with one reduction in place of one for each round.

use ark_ff::PrimeField;

use crate::montgomery::{self, Limbs, MontgomeryField, Sum};
use crate::params::{MAX_WIDTH, PoseidonParameters};
use crate::sparse::{SparseError, SparseRounds};

/// A hash was given the wrong number of field elements.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a hash of '{name}' takes {arity} field elements, not {length}")]
pub struct InputLengthError {
    name: String,
    arity: usize,
    length: usize,
}

fn check_length<F: PrimeField>(
    parameters: &PoseidonParameters<F>,
    length: usize,
) -> Result<(), InputLengthError> {
    let arity = parameters.arity();
    if length == arity {
        return Ok(());
    }
    Err(InputLengthError {
        name: parameters.name().to_owned(),
        arity,
        length,
    })
}

/// The permutation as the specification has it: each round adds its constants, applies the S-box to
/// every element (element 0 only in partial rounds), and multiplies by the MDS matrix.
///
/// # Panics
///
/// When `state` has not as many elements as the state is wide.
pub fn permute_dense<F: PrimeField>(parameters: &PoseidonParameters<F>, state: &mut [F]) {
    assert_eq!(state.len(), parameters.width(), "length of the state");
    let first = parameters.full_rounds_first();
    let partial = first..first + parameters.partial_rounds();
    for (round, constants) in parameters.round_constants().iter().enumerate() {
        for (element, constant) in state.iter_mut().zip(constants) {
            *element += constant;
        }
        let boxes = if partial.contains(&round) {
            1
        } else {
            state.len()
        };
        for element in &mut state[..boxes] {
            *element = element.pow([parameters.alpha()]);
        }
        let old = state.to_vec();
        for (element, row) in state.iter_mut().zip(parameters.mds()) {
            *element = row.iter().zip(&old).map(|(&entry, old)| entry * old).sum();
        }
    }
}

/// The digest of `inputs` by [`permute_dense`].
///
/// # Errors
///
/// When there are not `arity` inputs.
pub fn hash_dense<F: PrimeField>(
    parameters: &PoseidonParameters<F>,
    inputs: &[F],
) -> Result<F, InputLengthError> {
    check_length(parameters, inputs.len())?;
    let mut state = inputs.to_vec();
    state.insert(parameters.tag_index(), parameters.tag());
    permute_dense(parameters, &mut state);
    Ok(state[parameters.digest_index()])
}

/// A parameter set prepared for many hashes.
#[derive(Clone, Debug)]
pub struct Poseidon<F: MontgomeryField> {
    parameters: PoseidonParameters<F>,
    initial: Vec<F>,
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

impl<F: MontgomeryField> Poseidon<F> {
    /// Prepares `parameters`.
    ///
    /// # Errors
    ///
    /// When the partial rounds have no sparse form; [`hash_dense`] computes such hashes.
    pub fn new(parameters: &PoseidonParameters<F>) -> Result<Self, SparseError> {
        let rounds = SparseRounds::new(parameters)?;
        let mds = parameters.mds();
        let mut full_first = Vec::new();
        for (round, constants) in rounds.full_first.iter().enumerate() {
            let last = round + 1 == rounds.full_first.len();
            push_full_round(
                &mut full_first,
                constants,
                if last { &rounds.pre_sparse } else { mds },
            );
        }
        let mut full_last = Vec::new();
        for constants in &rounds.full_last {
            push_full_round(&mut full_last, constants, mds);
        }
        let groups = rounds
            .partial
            .chunks(group_length(parameters.width()))
            .map(|group| {
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
                let columns = (0..parameters.arity())
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
        Ok(Self {
            parameters: parameters.clone(),
            groups: groups.collect(),
            initial: rounds.initial,
            full_first,
            full_last,
        })
    }

    /// The parameter set.
    pub fn parameters(&self) -> &PoseidonParameters<F> {
        &self.parameters
    }

    /// The digest of `inputs`, which are as many as the arity.
    ///
    /// # Errors
    ///
    /// When they are not.
    pub fn hash(&self, inputs: &[F]) -> Result<F, InputLengthError> {
        check_length(&self.parameters, inputs.len())?;
        Ok(self.hash_unchecked(inputs))
    }

    /// [`Poseidon::hash`] of inputs of the right number.
    pub(crate) fn hash_unchecked(&self, inputs: &[F]) -> F {
        const { assert!(MAX_WIDTH == 12) };
        match self.parameters.width() {
            2 => self.hash_width::<2>(inputs),
            3 => self.hash_width::<3>(inputs),
            4 => self.hash_width::<4>(inputs),
            5 => self.hash_width::<5>(inputs),
            6 => self.hash_width::<6>(inputs),
            7 => self.hash_width::<7>(inputs),
            8 => self.hash_width::<8>(inputs),
            9 => self.hash_width::<9>(inputs),
            10 => self.hash_width::<10>(inputs),
            11 => self.hash_width::<11>(inputs),
            _ => self.hash_width::<MAX_WIDTH>(inputs),
        }
    }

    fn hash_width<const T: usize>(&self, inputs: &[F]) -> F {
        match self.parameters.alpha() {
            3 => self.hash_alpha::<T, 3>(inputs),
            5 => self.hash_alpha::<T, 5>(inputs),
            _ => self.hash_alpha::<T, 7>(inputs),
        }
    }

    fn hash_alpha<const T: usize, const ALPHA: u64>(&self, inputs: &[F]) -> F {
        let tag_index = self.parameters.tag_index();
        let mut state: [Limbs; T] = std::array::from_fn(|i| {
            let constant = self.initial[i];
            match i.cmp(&tag_index) {
                std::cmp::Ordering::Less => constant + inputs[i],
                std::cmp::Ordering::Equal => constant,
                std::cmp::Ordering::Greater => constant + inputs[i - 1],
            }
            .into_limbs()
        });
        full_rounds::<F, T, ALPHA>(&mut state, &self.full_first);
        for group in &self.groups {
            group.apply::<F, T, ALPHA>(&mut state);
        }
        full_rounds::<F, T, ALPHA>(&mut state, &self.full_last);
        let digest = &state[self.parameters.digest_index()];
        F::from_limbs(montgomery::subtract_prime::<F>(digest))
    }
}

fn push_full_round<F: MontgomeryField>(flat: &mut Vec<Limbs>, constants: &[F], matrix: &[Vec<F>]) {
    for (constant, row) in constants.iter().zip(matrix) {
        flat.push(constant.into_limbs());
        flat.extend(row.iter().map(|&entry| entry.into_limbs()));
    }
}

/// Full rounds on a state of loose elements.
fn full_rounds<F: MontgomeryField, const T: usize, const ALPHA: u64>(
    state: &mut [Limbs; T],
    rounds: &[Limbs],
) {
    for round in rounds.chunks_exact(T * (T + 1)) {
        let boxed = state.map(|element| montgomery::power::<F, ALPHA>(&element));
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
    fn apply<F: MontgomeryField, const T: usize, const ALPHA: u64>(&self, state: &mut [Limbs; T]) {
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
            outputs[r] = montgomery::power::<F, ALPHA>(&state[0]);
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
    use ark_bls12_381::Fr;
    use ark_ff::{AdditiveGroup, Field, Fp256, MontBackend, MontConfig};
    use ark_pallas::Fq;
    use proptest::prelude::*;

    use crate::params::PoseidonSpecification;
    use crate::presets;

    /// The field of Starknet: a prime of 252 bits, for which x^3 is a permutation.
    #[derive(MontConfig)]
    #[modulus = "3618502788666131213697322783095070105623107215331596699973092056135872020481"]
    #[generator = "3"]
    struct StarknetConfig;
    type Starknet = Fp256<MontBackend<StarknetConfig, 4>>;

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

    /// A parameter set of nothing but pseudo-random values.
    fn arbitrary<F: PrimeField>(
        width: usize,
        alpha: u64,
        [first, partial, last]: [usize; 3],
        indices: [usize; 2],
        seed: u64,
    ) -> PoseidonParameters<F> {
        let mut number = seed;
        let mut next = || {
            number = number
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            F::from(number >> 1).pow([5, number, 3])
        };
        PoseidonParameters::new(PoseidonSpecification {
            name: format!("arbitrary {seed}"),
            field_name: "test".to_owned(),
            alpha,
            full_rounds_first: first,
            partial_rounds: partial,
            full_rounds_last: last,
            round_constants: (0..first + partial + last)
                .map(|_| (0..width).map(|_| next()).collect())
                .collect(),
            mds: (0..width)
                .map(|_| (0..width).map(|_| next()).collect())
                .collect(),
            tag: next(),
            tag_index: indices[0] % width,
            digest_index: indices[1] % width,
        })
        .unwrap()
    }

    fn assert_equal<F: MontgomeryField>(parameters: &PoseidonParameters<F>, inputs: &[F]) {
        let fast = Poseidon::new(parameters).unwrap().hash(inputs).unwrap();
        assert_eq!(
            fast,
            hash_dense(parameters, inputs).unwrap(),
            "{}",
            parameters.name()
        );
    }

    #[test]
    fn anchor_of_filecoin() {
        let preset = presets::by_name("filecoin-arity-2").unwrap();
        let digest = Poseidon::new(preset)
            .unwrap()
            .hash(&[Fr::ZERO, Fr::ONE])
            .unwrap();
        assert_eq!(
            crate::word::to_hex(&crate::word::from_field(digest)),
            "0x396508d75e76a56b739e0fd902efe161a6fba9339d05a69d2e203c369a02e7ff"
        );
    }

    #[test]
    fn corner_values_in_every_element() {
        for preset in presets::all() {
            for corner in 0..4 {
                assert_equal(preset, &vec![element(corner); preset.arity()]);
                let mut mixed = vec![-Fr::ONE; preset.arity()];
                mixed[0] = element(corner);
                assert_equal(preset, &mixed);
            }
        }
    }

    /// All constants p - 1: the sums of products are as large as they get.
    #[test]
    fn largest_constants() {
        let largest = |width: usize| PoseidonSpecification {
            name: "largest".to_owned(),
            field_name: "test".to_owned(),
            alpha: 5,
            full_rounds_first: 4,
            partial_rounds: 0,
            full_rounds_last: 4,
            round_constants: vec![vec![-Fr::ONE; width]; 8],
            mds: vec![vec![-Fr::ONE; width]; width],
            tag: -Fr::ONE,
            tag_index: 0,
            digest_index: 1,
        };
        for width in 2..=MAX_WIDTH {
            let parameters = PoseidonParameters::new(largest(width)).unwrap();
            assert_equal(&parameters, &vec![-Fr::ONE; width - 1]);
            assert_equal(&parameters, &vec![Fr::ZERO; width - 1]);
        }
    }

    #[test]
    fn wrong_number_of_inputs() {
        let preset = presets::by_name("filecoin-arity-4").unwrap();
        let expected = "a hash of 'filecoin-arity-4' takes 4 field elements, not 3";
        let poseidon = Poseidon::new(preset).unwrap();
        assert_eq!(
            poseidon.hash(&[Fr::ZERO; 3]).unwrap_err().to_string(),
            expected
        );
        assert_eq!(
            hash_dense(preset, &[Fr::ZERO; 3]).unwrap_err().to_string(),
            expected
        );
    }

    #[test]
    fn many_inputs_of_presets() {
        for preset in presets::all() {
            for seed in 0..200 {
                let numbers = 100 * seed..;
                let inputs: Vec<Fr> = numbers.map(element).take(preset.arity()).collect();
                assert_equal(preset, &inputs);
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn any_parameters_bls12_381(
            width in 2..=MAX_WIDTH,
            alpha in prop::sample::select(vec![5_u64, 7]),
            first in 1_usize..5,
            partial in 0_usize..12,
            last in 0_usize..5,
            indices in any::<[usize; 2]>(),
            seed in any::<u64>(),
            inputs in prop::collection::vec(any::<u64>(), MAX_WIDTH),
        ) {
            let parameters =
                arbitrary::<Fr>(width, alpha, [first, partial, last], indices, seed);
            let inputs: Vec<Fr> = inputs[1..width].iter().map(|&n| element(n)).collect();
            assert_equal(&parameters, &inputs);
        }

        #[test]
        fn any_parameters_pallas(
            width in 2..=MAX_WIDTH,
            alpha in prop::sample::select(vec![5_u64, 7]),
            first in 1_usize..5,
            partial in 0_usize..12,
            last in 0_usize..5,
            indices in any::<[usize; 2]>(),
            seed in any::<u64>(),
            inputs in prop::collection::vec(any::<u64>(), MAX_WIDTH),
        ) {
            let parameters =
                arbitrary::<Fq>(width, alpha, [first, partial, last], indices, seed);
            let inputs: Vec<Fq> = inputs[1..width].iter().map(|&n| element(n)).collect();
            assert_equal(&parameters, &inputs);
        }

        #[test]
        fn any_parameters_starknet(
            width in 2..=MAX_WIDTH,
            alpha in prop::sample::select(vec![3_u64]),
            first in 1_usize..5,
            partial in 0_usize..12,
            last in 0_usize..5,
            indices in any::<[usize; 2]>(),
            seed in any::<u64>(),
            inputs in prop::collection::vec(any::<u64>(), MAX_WIDTH),
        ) {
            let parameters =
                arbitrary::<Starknet>(width, alpha, [first, partial, last], indices, seed);
            let inputs: Vec<Starknet> = inputs[1..width].iter().map(|&n| element(n)).collect();
            assert_equal(&parameters, &inputs);
        }
    }
}

//! Generators of the parameter sets of protocols, and their parts.
//!
//! Each function names its source. Round constants and matrices can be combined freely in
//! [`crate::parameter_file`].

use ark_ff::{Field as _, PrimeField};
use blake2::{Blake2b512, Digest as _};
use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use sha2::{Sha256, Sha512};

use crate::bounds::{check_rounds, check_width};
use crate::fields::{Bls12_381, Bn254, Goldilocks, Pallas, PoseidonField, Starknet};
use crate::grain::GrainLfsr;
use crate::params::{ParameterError, PoseidonParameters, PoseidonSpecification, RoundOrder};
use crate::sponge::{Absorption, Capacity, Padding, Sponge};

/// The matrix `m[i][j] = 1 / (x[i] + y[j])`, or the indices of two that add up to zero.
pub(crate) fn cauchy_matrix<F: PrimeField>(x: &[F], y: &[F]) -> Result<Vec<Vec<F>>, String> {
    (x.iter().enumerate())
        .map(|(i, &x)| {
            (y.iter().enumerate())
                .map(|(j, &y)| {
                    (x + y).inverse().ok_or_else(|| {
                        format!("its Cauchy matrix does not exist: x[{i}] + y[{j}] is zero")
                    })
                })
                .collect()
        })
        .collect()
}

/// The Cauchy matrix `m[i][j] = 1 / (i + j + width)`: neptune, dusk.
pub(crate) fn counting_cauchy_matrix<F: PrimeField>(width: usize) -> Result<Vec<Vec<F>>, String> {
    let count =
        |from: usize| -> Vec<F> { (from..from + width).map(|i| F::from(i as u64)).collect() };
    cauchy_matrix(&count(0), &count(width))
}

/// The Cauchy matrix of the reference script: x, then y are drawn from the Grain LFSR, modulo the
/// prime, after the round constants.
pub(crate) fn grain_cauchy_matrix<F: PrimeField>(
    grain: &mut GrainLfsr,
    width: usize,
) -> Result<Vec<Vec<F>>, String> {
    let mut draw = || -> Vec<F> { (0..width).map(|_| grain.next_reduced()).collect() };
    let x = draw();
    cauchy_matrix(&x, &draw())
}

/// The matrix `m[i][j] = row[(j - i) mod width]`, plus `diagonal[i]` where `i == j`. Both lists have
/// as many entries as the state is wide.
pub(crate) fn circulant_matrix<F: PrimeField>(row: &[F], diagonal: &[F]) -> Vec<Vec<F>> {
    let width = row.len();
    (0..width)
        .map(|i| {
            (0..width)
                .map(|j| {
                    let entry = row[(width + j - i) % width];
                    if i == j { entry + diagonal[i] } else { entry }
                })
                .collect()
        })
        .collect()
}

/// Constants drawn one after another, `width` to a round.
pub(crate) fn rounds_of<F>(
    rounds: usize,
    width: usize,
    mut draw: impl FnMut() -> F,
) -> Vec<Vec<F>> {
    (0..rounds)
        .map(|_| (0..width).map(|_| draw()).collect())
        .collect()
}

/// Constant k is the SHA-256 of `prefix` and k in decimal, as a big-endian integer modulo the prime
/// (Starknet, with the prefix `Hades`).
pub(crate) fn sha256_constants<F: PrimeField>(
    prefix: &str,
    rounds: usize,
    width: usize,
) -> Vec<Vec<F>> {
    let mut numbers = 0..;
    rounds_of(rounds, width, || {
        let number: usize = numbers.next().unwrap_or_default();
        F::from_be_bytes_mod_order(&Sha256::digest(format!("{prefix}{number}")))
    })
}

/// The u64 stream of `rand` 0.8's `ChaCha8Rng` with `seed`, each `gen_range(0..p)` (Plonky2, with the
/// seed 0). The prime must have 64 bits.
pub(crate) fn chacha8_constants<F: PrimeField>(
    seed: u64,
    rounds: usize,
    width: usize,
) -> Vec<Vec<F>> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let prime = F::MODULUS.as_ref()[0];
    rounds_of(rounds, width, || F::from(random.gen_range(0..prime)))
}

/// Dusk's constants: h_0 = `poseidon-for-plonk`, h_i = SHA-512(h_(i-1)), and the sums
/// c_i = h_i + c_(i-1) with c_(-1) = 1, h_i as a little-endian integer modulo the prime. Its files
/// hold them in Montgomery form, and its loader converts to that form once more, so that every
/// constant is used times 2^256.
pub(crate) fn dusk_constants<F: PrimeField>(rounds: usize, width: usize) -> Vec<Vec<F>> {
    let radix = F::from(2_u64).pow([256]);
    let mut hash = b"poseidon-for-plonk".to_vec();
    let mut sum = F::ONE;
    rounds_of(rounds, width, || {
        hash = Sha512::digest(&hash).to_vec();
        sum += F::from_le_bytes_mod_order(&hash);
        sum * radix
    })
}

/// The tag of the SAFE framework as dusk has it, see [`Capacity::Safe`].
pub(crate) fn safe_tag<F: PrimeField>(length: usize, domain: u64) -> Option<F> {
    let absorb = u32::try_from(length)
        .ok()
        .filter(|length| *length < 1 << 31)?;
    let mut hash = Blake2b512::new();
    hash.update(((1 << 31) + absorb).to_be_bytes());
    hash.update(1_u32.to_be_bytes());
    hash.update(domain.to_be_bytes());
    Some(F::from_le_bytes_mod_order(&hash.finalize()))
}

/// An element that is `value` at `position` and zero elsewhere.
fn state<F: PrimeField>(width: usize, position: usize, value: F) -> Vec<F> {
    let mut state = vec![F::ZERO; width];
    state[position] = value;
    state
}

/// The parameter set of neptune (Filecoin) for trees of `arity`: S-box x^5, round constants from
/// the Grain LFSR whose header has the S-box field 1, the Cauchy matrix
/// `mds[i][j] = 1 / (i + j + t)`, domain tag `2^arity - 1` in element 0, digest in element 1.
///
/// # Errors
///
/// When the numbers make up no parameter set.
pub fn neptune<F: PrimeField>(
    name: &str,
    field_name: &str,
    arity: usize,
    full_rounds: usize,
    partial_rounds: usize,
) -> Result<PoseidonParameters<F>, ParameterError> {
    let width = arity.saturating_add(1);
    let (first, last) = (full_rounds / 2, full_rounds - full_rounds / 2);
    // The other checks need the tables, and the tables need these.
    check_width(width)
        .and_then(|()| check_rounds(first, partial_rounds, last))
        .map_err(|problem| ParameterError::new(name, problem))?;
    let mut grain = GrainLfsr::new(
        GrainLfsr::NEPTUNE_SBOX,
        F::MODULUS_BIT_SIZE,
        width,
        full_rounds,
        partial_rounds,
    );
    PoseidonParameters::new(PoseidonSpecification {
        name: name.to_owned(),
        field_name: field_name.to_owned(),
        alpha: 5,
        full_rounds_first: first,
        partial_rounds,
        full_rounds_last: last,
        round_order: RoundOrder::ConstantsFirst,
        partial_index: 0,
        round_constants: rounds_of(full_rounds + partial_rounds, width, || grain.next_field()),
        mds: counting_cauchy_matrix(width).map_err(|problem| ParameterError::new(name, problem))?,
        initial_state: state(width, 0, F::from((1_u64 << arity) - 1)),
        input_positions: (1..width).collect(),
        digest_positions: vec![1],
        sponge: None,
    })
}

/// Partial rounds of neptune's standard sets, for widths up to 15.
pub const fn neptune_partial_rounds(width: usize) -> usize {
    match width {
        ..=3 => 55,
        4..=7 => 56,
        _ => 57,
    }
}

/// Partial rounds of neptune's strengthened sets: a quarter more, rounded up.
pub const fn strengthened(partial_rounds: usize) -> usize {
    (5 * partial_rounds).div_ceil(4)
}

/// Filecoin's parameter set for `arity`: neptune over BLS12-381 with 8 full rounds, standard or
/// strengthened.
///
/// # Errors
///
/// When the state is too wide or narrow.
pub fn filecoin(
    arity: usize,
    is_strengthened: bool,
) -> Result<PoseidonParameters<Bls12_381>, ParameterError> {
    let standard = neptune_partial_rounds(arity.saturating_add(1));
    let (suffix, partial_rounds) = if is_strengthened {
        ("-strengthened", strengthened(standard))
    } else {
        ("", standard)
    };
    let name = format!("filecoin-arity-{arity}{suffix}");
    neptune(&name, Bls12_381::ID.name(), arity, 8, partial_rounds)
}

/// Rows of field elements.
type Table<F> = Vec<Vec<F>>;

/// Constants and matrix of the reference script `generate_params_poseidon.sage` with the S-box field
/// 0 in its header, which stands for x^alpha.
fn reference_tables<F: PrimeField>(
    width: usize,
    full_rounds: usize,
    partial_rounds: usize,
) -> Result<(Table<F>, Table<F>), String> {
    let mut grain = GrainLfsr::new(
        GrainLfsr::ALPHA_SBOX,
        F::MODULUS_BIT_SIZE,
        width,
        full_rounds,
        partial_rounds,
    );
    let constants = rounds_of(full_rounds + partial_rounds, width, || grain.next_field());
    Ok((constants, grain_cauchy_matrix(&mut grain, width)?))
}

/// Partial rounds of circomlib for 1 to 11 inputs (commit 35e54ea, `poseidon.circom`).
const CIRCOM_PARTIAL_ROUNDS: [usize; 11] = [56, 57, 56, 60, 60, 63, 64, 63, 60, 66, 60];

/// The parameter set of circom and iden3 over BN254 for 1 to 11 inputs: the reference script, zero in
/// element 0, digest in element 0.
///
/// # Errors
///
/// When there are not 1 to 11 inputs.
pub fn circom(inputs: usize) -> Result<PoseidonParameters<Bn254>, ParameterError> {
    let name = format!("circom-bn254-arity-{inputs}");
    let width = inputs.saturating_add(1);
    check_width(width).map_err(|problem| ParameterError::new(&name, problem))?;
    let partial_rounds = CIRCOM_PARTIAL_ROUNDS[inputs - 1];
    let (round_constants, mds) = reference_tables(width, 8, partial_rounds)
        .map_err(|problem| ParameterError::new(&name, problem))?;
    PoseidonParameters::new(PoseidonSpecification {
        name,
        field_name: Bn254::ID.name().to_owned(),
        alpha: 5,
        full_rounds_first: 4,
        partial_rounds,
        full_rounds_last: 4,
        round_order: RoundOrder::ConstantsFirst,
        partial_index: 0,
        round_constants,
        mds,
        initial_state: vec![Bn254::from(0_u64); width],
        input_positions: (1..width).collect(),
        digest_positions: vec![0],
        sponge: None,
    })
}

/// Zcash Orchard's P128Pow5T3 over Pallas (halo2): the reference script, the length times 2^64 in
/// element 2, digest in element 0. The hash is that of two elements.
///
/// # Errors
///
/// None; the result is that of [`PoseidonParameters::new`].
pub fn orchard() -> Result<PoseidonParameters<Pallas>, ParameterError> {
    let name = "orchard";
    let (round_constants, mds) =
        reference_tables(3, 8, 56).map_err(|problem| ParameterError::new(name, problem))?;
    PoseidonParameters::new(PoseidonSpecification {
        name: name.to_owned(),
        field_name: Pallas::ID.name().to_owned(),
        alpha: 5,
        full_rounds_first: 4,
        partial_rounds: 56,
        full_rounds_last: 4,
        round_order: RoundOrder::ConstantsFirst,
        partial_index: 0,
        round_constants,
        mds,
        initial_state: state(3, 2, Pallas::from(2_u128 << 64)),
        input_positions: vec![0, 1],
        digest_positions: vec![0],
        sponge: Some(Sponge {
            rate_positions: vec![0, 1],
            absorption: Absorption::Add,
            padding: Padding::None,
            capacity: Capacity::Length { position: 2 },
            permute_empty: true,
            short_rows_are_digests: false,
        }),
    })
}

/// Starknet's Poseidon3: S-box x^3, in partial rounds on element 2, constants from SHA-256, a matrix
/// of small entries. The hash is `hash(x, y)`, with 2 in element 2 and the digest in element 0; the
/// sponge is `hash_many`.
///
/// # Errors
///
/// None; the result is that of [`PoseidonParameters::new`].
pub fn starknet() -> Result<PoseidonParameters<Starknet>, ParameterError> {
    PoseidonParameters::new(PoseidonSpecification {
        name: "starknet".to_owned(),
        field_name: Starknet::ID.name().to_owned(),
        alpha: 3,
        full_rounds_first: 4,
        partial_rounds: 83,
        full_rounds_last: 4,
        round_order: RoundOrder::ConstantsFirst,
        partial_index: 2,
        round_constants: sha256_constants("Hades", 91, 3),
        mds: [[3, 1, 1], [1, -1, 1], [1, 1, -2]]
            .map(|row| row.map(Starknet::from).to_vec())
            .to_vec(),
        initial_state: state(3, 2, Starknet::from(2_u64)),
        input_positions: vec![0, 1],
        digest_positions: vec![0],
        sponge: Some(Sponge {
            rate_positions: vec![0, 1],
            absorption: Absorption::Add,
            padding: Padding::One,
            capacity: Capacity::Zero,
            permute_empty: true,
            short_rows_are_digests: false,
        }),
    })
}

/// Separates dusk's Merkle trees of arity 4 from other hashes.
pub const DUSK_MERKLE4_DOMAIN: u64 = 15;

/// Dusk's parameter set over BLS12-381: partial S-box on the last element, the SAFE tag in element 0,
/// digest in element 1. The hash is that of a node of a tree of arity 4; the sponge is that of its
/// domain `Other`. It is not compatible with Filecoin's set for arity 4.
///
/// # Errors
///
/// None; the result is that of [`PoseidonParameters::new`].
pub fn dusk() -> Result<PoseidonParameters<Bls12_381>, ParameterError> {
    let name = "dusk";
    let error = |problem: &str| ParameterError::new(name, problem);
    let radix = Bls12_381::from(2_u64).pow([256]);
    let mds = counting_cauchy_matrix::<Bls12_381>(5).map_err(|problem| error(&problem))?;
    let tag = safe_tag(4, DUSK_MERKLE4_DOMAIN).ok_or_else(|| error("its tag does not exist"))?;
    PoseidonParameters::new(PoseidonSpecification {
        name: name.to_owned(),
        field_name: Bls12_381::ID.name().to_owned(),
        alpha: 5,
        full_rounds_first: 4,
        partial_rounds: 60,
        full_rounds_last: 4,
        round_order: RoundOrder::ConstantsFirst,
        partial_index: 4,
        round_constants: dusk_constants(68, 5),
        // In Montgomery form twice, as the constants.
        mds: (mds.iter())
            .map(|row| row.iter().map(|&entry| entry * radix).collect())
            .collect(),
        initial_state: state(5, 0, tag),
        input_positions: vec![1, 2, 3, 4],
        digest_positions: vec![1],
        sponge: Some(Sponge {
            rate_positions: vec![1, 2, 3, 4],
            absorption: Absorption::Add,
            padding: Padding::None,
            capacity: Capacity::Safe {
                position: 0,
                domain: 0,
            },
            permute_empty: true,
            short_rows_are_digests: false,
        }),
    })
}

/// First row of Plonky2's circulant matrix, and what is added to its diagonal.
const PLONKY2_CIRCULANT: [u64; 12] = [17, 15, 41, 16, 2, 28, 13, 13, 39, 18, 34, 20];
const PLONKY2_DIAGONAL: [u64; 12] = [8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];

fn goldilocks(
    name: &str,
    inputs: usize,
    sponge: Option<Sponge>,
) -> Result<PoseidonParameters<Goldilocks>, ParameterError> {
    PoseidonParameters::new(PoseidonSpecification {
        name: name.to_owned(),
        field_name: Goldilocks::ID.name().to_owned(),
        alpha: 7,
        full_rounds_first: 4,
        partial_rounds: 22,
        full_rounds_last: 4,
        round_order: RoundOrder::ConstantsFirst,
        partial_index: 0,
        round_constants: chacha8_constants(0, 30, 12),
        mds: circulant_matrix(
            &PLONKY2_CIRCULANT.map(Goldilocks::from),
            &PLONKY2_DIAGONAL.map(Goldilocks::from),
        ),
        initial_state: vec![Goldilocks::from(0_u64); 12],
        input_positions: (0..inputs).collect(),
        digest_positions: vec![0, 1, 2, 3],
        sponge,
    })
}

/// Plonky2's parameter set over Goldilocks: the hash is `two_to_one` of two digests of 4 elements,
/// the sponge `hash_no_pad`.
///
/// # Errors
///
/// None; the result is that of [`PoseidonParameters::new`].
pub fn plonky2() -> Result<PoseidonParameters<Goldilocks>, ParameterError> {
    let sponge = Sponge {
        rate_positions: (0..8).collect(),
        absorption: Absorption::Overwrite,
        padding: Padding::None,
        capacity: Capacity::Zero,
        permute_empty: false,
        short_rows_are_digests: true,
    };
    goldilocks("plonky2", 8, Some(sponge))
}

/// Polygon zkEVM's parameter set over Goldilocks, with Plonky2's constants and matrix. The hash takes
/// 8 elements; the capacity in elements 8 to 11 is zero, as in inner nodes of the state tree, until
/// [`PoseidonParameters::with_initial_state`] gives it another value.
///
/// # Errors
///
/// None; the result is that of [`PoseidonParameters::new`].
pub fn polygon_zkevm() -> Result<PoseidonParameters<Goldilocks>, ParameterError> {
    goldilocks("polygon-zkevm", 8, None)
}

/// The same with the capacity as an argument: the hash takes 12 elements, the last 4 of which are the
/// capacity.
///
/// # Errors
///
/// None; the result is that of [`PoseidonParameters::new`].
pub fn polygon_zkevm_capacity() -> Result<PoseidonParameters<Goldilocks>, ParameterError> {
    goldilocks("polygon-zkevm-capacity", 12, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::word;

    fn hex<F: PrimeField>(element: F) -> String {
        word::to_hex(&word::from_field(element))
    }

    #[test]
    fn neptune_round_numbers_and_tag() {
        let parameters = filecoin(8, false).unwrap();
        assert_eq!((parameters.width(), parameters.arity()), (9, 8));
        assert_eq!((parameters.full_rounds(), parameters.rounds()), (8, 65));
        assert_eq!(parameters.initial_state()[0], Bls12_381::from(255));
        assert_eq!(
            parameters.mds()[3][4],
            Bls12_381::from(16).inverse().unwrap()
        );
        let strengthened = [2, 4, 8, 11].map(|arity| {
            let set = filecoin(arity, true).unwrap();
            set.partial_rounds()
        });
        assert_eq!(strengthened, [69, 70, 72, 72]);
    }

    #[test]
    fn what_neptune_does_not_have_is_refused() {
        for (arity, rounds, expected) in [
            (0, 8, "state width is 1"),
            (12, 8, "state width is 13"),
            (usize::MAX, 8, "state width is"),
            (2, 5000, "5000 full rounds"),
            (2, 1, "no full round before"),
        ] {
            let message = neptune::<Bls12_381>("test", "bls12-381", arity, rounds, 55)
                .unwrap_err()
                .to_string();
            assert!(message.contains(expected), "{message}");
        }
        for inputs in [0, 12, usize::MAX] {
            assert!(circom(inputs).unwrap_err().to_string().contains("width"));
        }
    }

    /// Plonky2's `ALL_ROUND_CONSTANTS` starts like this.
    #[test]
    fn first_constants_of_plonky2() {
        let constants = chacha8_constants::<Goldilocks>(0, 1, 12);
        assert_eq!(hex(constants[0][0])[50..], *"b585f766f2144405");
        let set = plonky2().unwrap();
        assert_eq!(set.mds()[0][0], Goldilocks::from(25_u64));
        assert_eq!(set.mds()[1][0], Goldilocks::from(20_u64));
        assert_eq!(set.mds()[0][1], Goldilocks::from(15_u64));
    }

    #[test]
    fn tags_of_dusk() {
        let four: Bls12_381 = safe_tag(4, DUSK_MERKLE4_DOMAIN).unwrap();
        assert_ne!(Some(four), safe_tag(2, DUSK_MERKLE4_DOMAIN));
        assert_ne!(Some(four), safe_tag(4, 0));
        assert_eq!(safe_tag::<Bls12_381>(1 << 31, 0), None);
    }

    #[test]
    fn matrices() {
        let elements = |values: [i32; 3]| values.map(Starknet::from);
        assert_eq!(
            circulant_matrix(&elements([1, 2, 3]), &elements([10, 0, 20])),
            [[11, 2, 3], [3, 1, 2], [2, 3, 21]].map(elements)
        );
        let error = cauchy_matrix(&elements([1, 2, 3]), &elements([5, -2, 7])).unwrap_err();
        assert!(error.ends_with("x[1] + y[1] is zero"), "{error}");
    }
}

//! The rules by which protocols make round constants, matrices and tags. Each function names its source;
//! [`crate::parameter_file`] combines them.

use ark_ff::PrimeField;
use blake2::{Blake2b512, Digest as _};
use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use sha2::{Sha256, Sha512};

use crate::grain::GrainLfsr;

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

/// The tag of the SAFE framework as dusk has it, see [`Capacity::Safe`](crate::sponge::Capacity::Safe).
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

#[cfg(test)]
mod tests {
    use super::*;

    use crate::fields::{Bls12_381, Goldilocks, Starknet};
    use crate::word;

    fn hex<F: PrimeField>(element: F) -> String {
        word::to_hex(&word::from_field(element))
    }

    /// Plonky2's `ALL_ROUND_CONSTANTS` starts like this.
    #[test]
    fn first_constants_of_plonky2() {
        let constants = chacha8_constants::<Goldilocks>(0, 1, 12);
        assert_eq!(hex(constants[0][0])[50..], *"b585f766f2144405");
    }

    #[test]
    fn tags_of_dusk() {
        let four: Bls12_381 = safe_tag(4, 15).unwrap();
        assert_ne!(Some(four), safe_tag(2, 15));
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

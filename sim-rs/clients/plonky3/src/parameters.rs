use std::sync::Arc;

use acclmt_poseidon::fields;
use acclmt_poseidon::params::{PoseidonParameters, PoseidonSpecification};
use acclmt_poseidon::permutation::Poseidon;
use acclmt_poseidon::presets;
use acclmt_poseidon::sponge::{Absorption, Capacity, Padding, Sponge};
use p3_field::PrimeField64 as _;
use p3_goldilocks::Goldilocks;
use p3_symmetric::{CryptographicPermutation, Permutation};

use crate::error::MmcsError;

/// Elements of a digest.
pub const DIGEST: usize = 4;

/// The sponge of Plonky3's `PaddingFreeSponge`.
fn sponge(rate: usize) -> Sponge {
    Sponge {
        rate_positions: (0..rate).collect(),
        absorption: Absorption::Overwrite,
        padding: Padding::None,
        capacity: Capacity::Zero,
        permute_empty: false,
        short_rows_are_digests: false,
    }
}

/// The parameter set of a preset.
fn preset(name: &str) -> Result<PoseidonParameters<fields::Goldilocks>, MmcsError> {
    Ok(presets::over::<fields::Goldilocks>(name)?.clone())
}

/// Plonky3's own Poseidon of width 12, that of `default_goldilocks_poseidon1_12`: rows by
/// `PaddingFreeSponge<_, 12, 8, 4>`, nodes by `TruncatedPermutation<_, 2, 4, 12>`. It is the preset
/// `plonky3-poseidon-goldilocks-12`.
///
/// # Errors
///
/// When there is no such preset; a test takes it.
pub fn plonky3_poseidon1_12() -> Result<PoseidonParameters<fields::Goldilocks>, MmcsError> {
    preset("plonky3-poseidon-goldilocks-12")
}

/// Plonky3's own Poseidon of width 8, that of `default_goldilocks_poseidon1_8`: rows by
/// `PaddingFreeSponge<_, 8, 4, 4>`, nodes by `TruncatedPermutation<_, 2, 4, 8>`. It is the preset
/// `plonky3-poseidon-goldilocks-8`.
///
/// # Errors
///
/// When there is no such preset; a test takes it.
pub fn plonky3_poseidon1_8() -> Result<PoseidonParameters<fields::Goldilocks>, MmcsError> {
    preset("plonky3-poseidon-goldilocks-8")
}

/// Plonky3's Poseidon2 of width 12, that of `default_goldilocks_poseidon2_12`: rows by
/// `PaddingFreeSponge<_, 12, 8, 4>`, nodes by `TruncatedPermutation<_, 2, 4, 12>`. It is the preset
/// `plonky3-poseidon2-goldilocks-12`.
///
/// # Errors
///
/// When there is no such preset; a test takes it.
pub fn plonky3_poseidon2_12() -> Result<PoseidonParameters<fields::Goldilocks>, MmcsError> {
    preset("plonky3-poseidon2-goldilocks-12")
}

/// Plonky3's Poseidon2 of width 8, that of `default_goldilocks_poseidon2_8`: rows by
/// `PaddingFreeSponge<_, 8, 4, 4>`, nodes by `TruncatedPermutation<_, 2, 4, 8>`. It is the preset
/// `plonky3-poseidon2-goldilocks-8`.
///
/// # Errors
///
/// When there is no such preset; a test takes it.
pub fn plonky3_poseidon2_8() -> Result<PoseidonParameters<fields::Goldilocks>, MmcsError> {
    preset("plonky3-poseidon2-goldilocks-8")
}

/// The permutation of Plonky2 and Polygon zkEVM, the preset `plonky2`, in Plonky3's trees: the sponge hashes
/// rows of up to 4 elements too, which Plonky2 takes as digests. On the host it is [`Plonky2Permutation`].
///
/// # Errors
///
/// When there is no such preset; a test takes it.
pub fn plonky2() -> Result<PoseidonParameters<fields::Goldilocks>, MmcsError> {
    let preset = preset("plonky2")?;
    Ok(PoseidonParameters::new(PoseidonSpecification {
        name: "plonky2-in-plonky3".to_owned(),
        sponge: Some(sponge(8)),
        ..preset.specification().clone()
    })?)
}

/// The permutation of the preset `plonky2` on the host, which Plonky3 itself does not have.
#[derive(Clone, Debug)]
pub struct Plonky2Permutation(Arc<Poseidon<fields::Goldilocks>>);

impl Plonky2Permutation {
    /// The permutation.
    ///
    /// # Errors
    ///
    /// When there is no such preset; a test takes it.
    pub fn new() -> Result<Self, MmcsError> {
        let preset = presets::over::<fields::Goldilocks>("plonky2")?;
        Ok(Self(Arc::new(Poseidon::new(preset))))
    }
}

impl Permutation<[Goldilocks; 12]> for Plonky2Permutation {
    fn permute_mut(&self, state: &mut [Goldilocks; 12]) {
        let mut elements = state.each_ref().map(to_field);
        self.0.permute(&mut elements);
        *state = elements.map(from_field);
    }
}

impl CryptographicPermutation<[Goldilocks; 12]> for Plonky2Permutation {}

pub(crate) fn to_field(element: &Goldilocks) -> fields::Goldilocks {
    fields::Goldilocks::from(element.as_canonical_u64())
}

pub(crate) fn from_field(element: fields::Goldilocks) -> Goldilocks {
    let [low, ..] = *acclmt_poseidon::word::from_field(element)
        .as_chunks::<8>()
        .0
    else {
        unreachable!("a word has 32 bytes")
    };
    Goldilocks::new(u64::from_le_bytes(low))
}

/// Refuses a parameter set that is not the sponge and the compression of Plonky3 over the permutation of the
/// host.
pub(crate) fn check<P, const WIDTH: usize, const RATE: usize>(
    parameters: &PoseidonParameters<fields::Goldilocks>,
    permutation: &P,
) -> Result<(), MmcsError>
where
    P: CryptographicPermutation<[Goldilocks; WIDTH]>,
{
    let set = parameters.specification();
    let problem = |problem: String| {
        Err(MmcsError::Parameters {
            name: set.name.clone(),
            problem,
        })
    };
    if parameters.width() != WIDTH {
        return problem(format!(
            "its width is {}, expected {WIDTH}",
            parameters.width()
        ));
    }
    let is = |positions: &[usize], expected: usize| positions.iter().copied().eq(0..expected);
    if !is(&set.input_positions, 2 * DIGEST) || !is(&set.digest_positions, DIGEST) {
        return problem(format!(
            "the inputs of a node are elements {:?} and its digest {:?}, expected 0 to {} and 0 to {}",
            set.input_positions,
            set.digest_positions,
            2 * DIGEST - 1,
            DIGEST - 1
        ));
    }
    if set
        .initial_state
        .iter()
        .any(|&e| e != fields::Goldilocks::from(0))
    {
        return problem("its initial state is not 0".to_owned());
    }
    if set.sponge != Some(sponge(RATE)) {
        return problem(format!(
            "its sponge is not that of PaddingFreeSponge: zero capacity, elements 0 to {} overwritten, no \
             padding, rows of every length hashed",
            RATE - 1
        ));
    }
    let reference = Poseidon::new(parameters);
    // Zeros, ones, the largest elements, and states without any pattern.
    for state in 0..8_usize {
        let value = |index: usize| match state {
            0 | 1 => state as u64,
            2 => Goldilocks::ORDER_U64 - 1,
            _ => {
                ((state * WIDTH + index) as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15)
                    % Goldilocks::ORDER_U64
            }
        };
        let start: [Goldilocks; WIDTH] = std::array::from_fn(|index| Goldilocks::new(value(index)));
        let mut elements = start.each_ref().map(to_field);
        reference.permute(&mut elements);
        if elements.map(from_field) != permutation.permute(start) {
            return Err(MmcsError::Permutation {
                name: set.name.clone(),
                state,
            });
        }
    }
    Ok(())
}

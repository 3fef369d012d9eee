//! Plonky3's Poseidon (not Poseidon2) over Goldilocks: width 12, x^7, 8 full and 22 partial rounds.
//!
//! Plonky2 itself needs a nightly compiler. Plonky3's packages have the same numbers of elements and rounds
//! and the same S-box, but round constants from the Grain LFSR, and a circulant matrix of other entries;
//! they take no matrix of the form that Plonky2 has (a circulant one plus a diagonal). So a hash is about the
//! same amount of work as one of the preset `plonky2`, and its digest is another one. It is checked against
//! a parameter set of acclmt that is made of the constants that p3-goldilocks publishes.

use std::fmt::{self, Debug, Formatter};

use acclmt_poseidon::fields::{self, AnyParameters, PoseidonField as _};
use acclmt_poseidon::params::{PoseidonParameters, PoseidonSpecification};
use acclmt_poseidon::presets;
use acclmt_poseidon::word::{self, Word};
use p3_field::{Field, PackedValue, PrimeField64 as _};
use p3_goldilocks::poseidon1::{
    GOLDILOCKS_POSEIDON1_RC_12, Poseidon1Goldilocks, default_goldilocks_poseidon1_12,
};
use p3_goldilocks::{Goldilocks, MATRIX_CIRC_MDS_12_COL};
use p3_symmetric::{CryptographicPermutation, PseudoCompressionFunction, TruncatedPermutation};

use crate::peer::{Identity, Peer, PeerError};

/// The preset with the same amount of work.
const PRESET: &str = "plonky2";

/// Elements of the state and of a digest.
const WIDTH: usize = 12;
const DIGEST: usize = 4;

/// As many elements as the vector registers of the build hold; one without AVX2, AVX-512 or NEON.
type Packing = <Goldilocks as Field>::Packing;

/// Plonky3's hash of two digests to one, several hashes at a time where the build has vectors.
pub struct Plonky3<H = Poseidon1Goldilocks<WIDTH>> {
    identity: Identity,
    parameters: AnyParameters,
    compression: TruncatedPermutation<H, 2, DIGEST, WIDTH>,
}

impl Plonky3 {
    /// The hash with Plonky3's own constants.
    ///
    /// # Errors
    ///
    /// When these make no parameter set of acclmt.
    pub fn new() -> Result<Self, PeerError> {
        Self::with_permutation(default_goldilocks_poseidon1_12())
    }
}

impl<H> Plonky3<H> {
    fn with_permutation(permutation: H) -> Result<Self, PeerError> {
        Ok(Self {
            identity: Identity::new("p3-goldilocks", PRESET, false),
            parameters: parameters()?,
            compression: TruncatedPermutation::new(permutation),
        })
    }
}

/// The parameter set of Plonky3: Plonky2's with other round constants and another matrix.
fn parameters() -> Result<AnyParameters, PeerError> {
    let column = MATRIX_CIRC_MDS_12_COL.map(fields::Goldilocks::from);
    let row = |i: usize| {
        (0..WIDTH)
            .map(|j| column[(WIDTH + i - j) % WIDTH])
            .collect()
    };
    let constants = GOLDILOCKS_POSEIDON1_RC_12.iter().map(|round| {
        let constants = round.iter().map(Goldilocks::as_canonical_u64);
        constants.map(fields::Goldilocks::from).collect()
    });
    let set = PoseidonParameters::new(PoseidonSpecification {
        name: "plonky3".to_owned(),
        round_constants: constants.collect(),
        mds: (0..WIDTH).map(row).collect(),
        ..presets::over::<fields::Goldilocks>("plonky2")?
            .specification()
            .clone()
    })?;
    Ok(fields::Goldilocks::wrap(set))
}

impl<H> Debug for Plonky3<H> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Plonky3")
            .field("identity", &self.identity)
            .finish_non_exhaustive()
    }
}

impl<H> Peer for Plonky3<H>
where
    H: CryptographicPermutation<[Packing; WIDTH]> + Send + Sync,
{
    type Element = Packing;
    type Hasher<'a>
        = ()
    where
        H: 'a;

    const LANES: usize = <Packing as PackedValue>::WIDTH;

    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn parameters(&self) -> &AnyParameters {
        &self.parameters
    }

    fn element(&self, lanes: &[Word]) -> Option<Packing> {
        let mut elements = Vec::with_capacity(Self::LANES);
        for word in lanes {
            let (low, high) = word.split_first_chunk()?;
            let value = u64::from_le_bytes(*low);
            if value >= Goldilocks::ORDER_U64 || high.iter().any(|&byte| byte != 0) {
                return None;
            }
            elements.push(Goldilocks::new(value));
        }
        let is_full = elements.len() == Self::LANES;
        is_full.then(|| Packing::from_fn(|lane| elements[lane]))
    }

    fn words(&self, element: &Packing) -> Vec<Word> {
        let lanes = element.as_slice().iter();
        lanes
            .map(|lane| word::from_u64(lane.as_canonical_u64()))
            .collect()
    }

    fn hasher(&self) -> Self::Hasher<'_> {}

    fn hash(&self, (): &mut (), inputs: &[Packing], digest: &mut [Packing]) {
        // Inputs of a wrong number leave the digest as it is, and the check finds that.
        if let ([left, right], []) = inputs.as_chunks() {
            digest.copy_from_slice(&self.compression.compress([*left, *right]));
        }
    }
}

#[cfg(test)]
mod tests {
    use p3_goldilocks::poseidon1::Poseidon1GoldilocksGeneric;
    use p3_poseidon1::{Poseidon1, Poseidon1Constants};

    use super::*;
    use crate::peer::Checked;
    use crate::peer::tests::{assert_refused, check};

    fn generic(
        change: impl Fn(&mut [[Goldilocks; WIDTH]]),
    ) -> Plonky3<Poseidon1GoldilocksGeneric<WIDTH>> {
        let mut round_constants = GOLDILOCKS_POSEIDON1_RC_12.to_vec();
        change(&mut round_constants);
        let permutation = Poseidon1::new(&Poseidon1Constants {
            rounds_f: 8,
            rounds_p: 22,
            mds_circ_col: MATRIX_CIRC_MDS_12_COL,
            round_constants,
        });
        Plonky3::with_permutation(permutation).unwrap()
    }

    #[test]
    fn digests_are_checked() {
        check(|| Plonky3::new().unwrap());
    }

    #[test]
    fn a_wrong_constant_of_the_library_is_found() {
        Checked::new(generic(|_| {}), 1).unwrap();
        for round in [0, 3, 4, 25, 26, 29] {
            let peer = generic(|constants| constants[round][5] += Goldilocks::new(1));
            assert_refused(peer, &parameters().unwrap());
        }
    }

    #[test]
    fn its_digests_are_not_plonky2s() {
        let plonky2 = presets::by_name("plonky2").unwrap();
        assert_refused(Plonky3::new().unwrap(), plonky2);
    }

    #[test]
    fn integers_from_the_prime_on_are_refused() {
        let peer = Plonky3::new().unwrap();
        let lanes = [word::from_u64(Goldilocks::ORDER_U64); Packing::WIDTH];
        assert!(peer.element(&lanes).is_none());
        assert!(peer.element(&[[1; 32]; Packing::WIDTH]).is_none());
        let lanes = [word::from_u64(Goldilocks::ORDER_U64 - 1); Packing::WIDTH];
        assert_eq!(peer.words(&peer.element(&lanes).unwrap()), lanes);
    }
}

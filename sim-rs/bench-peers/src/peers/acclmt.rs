//! The reference of this project, with partial rounds as a recurrence.

use acclmt_poseidon::fields::{AnyParameters, PoseidonField};
use acclmt_poseidon::params::PoseidonParameters;
use acclmt_poseidon::permutation::Poseidon;
use acclmt_poseidon::word::{self, Word};

use crate::peer::{Identity, Peer};

/// acclmt's [`Poseidon`] with a preset.
#[derive(Debug)]
pub struct Acclmt<F: PoseidonField> {
    identity: Identity,
    parameters: AnyParameters,
    poseidon: Poseidon<F>,
}

impl<F: PoseidonField> Acclmt<F> {
    /// The hash of `parameters`, which are a preset.
    pub fn new(parameters: &PoseidonParameters<F>) -> Self {
        Self {
            identity: Identity::new("acclmt", parameters.name(), true),
            parameters: F::wrap(parameters.clone()),
            poseidon: Poseidon::new(parameters),
        }
    }
}

impl<F: PoseidonField> Peer for Acclmt<F> {
    type Element = F;
    type Hasher<'a> = ();

    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn parameters(&self) -> &AnyParameters {
        &self.parameters
    }

    fn element(&self, lanes: &[Word]) -> Option<F> {
        word::to_field(lanes.first()?)
    }

    fn words(&self, element: &F) -> Vec<Word> {
        vec![word::from_field(*element)]
    }

    fn hasher(&self) -> Self::Hasher<'_> {}

    fn hash(&self, (): &mut (), inputs: &[F], digest: &mut [F]) {
        // Inputs of a wrong number leave the digest as it is, and the check finds that.
        if let Ok(elements) = self.poseidon.hash(inputs) {
            digest.copy_from_slice(&elements);
        }
    }
}

#[cfg(test)]
mod tests {
    use acclmt_poseidon::fields::{Bls12_381, Goldilocks};
    use acclmt_poseidon::presets;

    use super::*;
    use crate::peer::tests::check;

    #[test]
    fn digests_are_checked() {
        check(|| Acclmt::new(presets::over::<Bls12_381>("filecoin-arity-2").unwrap()));
        check(|| Acclmt::new(presets::over::<Bls12_381>("dusk").unwrap()));
        check(|| Acclmt::new(presets::over::<Goldilocks>("plonky2").unwrap()));
    }
}

//! neptune, Filecoin's library: BLS12-381 on the assembly of blst.

use std::fmt::{self, Debug, Formatter};

use acclmt_poseidon::fields::AnyParameters;
use acclmt_poseidon::word::Word;
use blstrs::Scalar;
use ff::PrimeField as _;
use neptune::Arity;
use neptune::poseidon::{HashMode, PoseidonConstants};

use super::preset;
use crate::peer::{Identity, Peer, PeerError};

/// neptune with Filecoin's parameters of the arity `A`, in its default and fastest mode: sparse partial
/// rounds with precomputed constants ([`HashMode::OptimizedStatic`]).
pub struct Neptune<A: Arity<Scalar>> {
    identity: Identity,
    parameters: &'static AnyParameters,
    constants: PoseidonConstants<Scalar, A>,
}

impl<A: Arity<Scalar>> Neptune<A> {
    /// The hash of a node of a Merkle tree.
    ///
    /// # Errors
    ///
    /// When acclmt has no preset of this arity.
    pub fn new() -> Result<Self, PeerError> {
        Self::with_constants(PoseidonConstants::new())
    }

    fn with_constants(constants: PoseidonConstants<Scalar, A>) -> Result<Self, PeerError> {
        let parameters = preset(&format!("filecoin-arity-{}", A::to_usize()))?;
        Ok(Self {
            identity: Identity::new("neptune", parameters.name(), true),
            parameters,
            constants,
        })
    }
}

impl<A: Arity<Scalar>> Debug for Neptune<A> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Neptune")
            .field("identity", &self.identity)
            .finish_non_exhaustive()
    }
}

impl<A: Arity<Scalar> + Send + Sync> Peer for Neptune<A> {
    type Element = Scalar;
    type Hasher<'a> = neptune::Poseidon<'a, Scalar, A>;

    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn parameters(&self) -> &AnyParameters {
        self.parameters
    }

    fn element(&self, lanes: &[Word]) -> Option<Scalar> {
        Scalar::from_repr(*lanes.first()?).into_option()
    }

    fn words(&self, element: &Scalar) -> Vec<Word> {
        vec![element.to_repr()]
    }

    fn hasher(&self) -> Self::Hasher<'_> {
        neptune::Poseidon::new(&self.constants)
    }

    fn hash(&self, hasher: &mut Self::Hasher<'_>, inputs: &[Scalar], digest: &mut [Scalar]) {
        hasher.set_preimage(inputs);
        digest[0] = hasher.hash_in_mode(HashMode::OptimizedStatic);
    }
}

#[cfg(test)]
mod tests {
    use neptune::Strength;
    use neptune::hash_type::HashType;
    use typenum::{U2, U4, U8, U11};

    use super::*;
    use crate::peer::tests::{assert_refused, check};

    #[test]
    fn digests_are_checked() {
        check(|| Neptune::<U2>::new().unwrap());
        check(|| Neptune::<U4>::new().unwrap());
        check(|| Neptune::<U8>::new().unwrap());
        check(|| Neptune::<U11>::new().unwrap());
    }

    #[test]
    fn a_wrong_domain_tag_is_found() {
        let constants = PoseidonConstants::<Scalar, U2>::new_with_strength_and_type(
            Strength::Standard,
            HashType::Encryption,
        );
        let peer = Neptune::with_constants(constants).unwrap();
        let parameters = peer.parameters;
        assert_refused(peer, parameters);
    }
}

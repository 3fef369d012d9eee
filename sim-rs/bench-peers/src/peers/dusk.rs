//! dusk-poseidon, the library of the Dusk network: BLS12-381.
//!
//! 0.41.0 is the newest version that the Rust of this project compiles: 0.44.0 needs Rust 1.96.1.

use acclmt_poseidon::fields::AnyParameters;
use acclmt_poseidon::word::Word;
use dusk_bls12_381::BlsScalar;
use dusk_poseidon::{Domain, Hash};

use super::preset;
use crate::peer::{Identity, Peer, PeerError};

/// dusk-poseidon's hash of a node of a Merkle tree of arity 4, by its one public function.
///
/// That function computes the tag of the SAFE framework (one BLAKE2b) and allocates its sponge in every
/// hash, and its partial rounds are dense; all of that is in the time, as users of the library have it.
#[derive(Debug)]
pub struct Dusk {
    identity: Identity,
    parameters: &'static AnyParameters,
    domain: Domain,
}

impl Dusk {
    /// The hash.
    ///
    /// # Errors
    ///
    /// When acclmt has no such preset.
    pub fn new() -> Result<Self, PeerError> {
        let parameters = preset("dusk")?;
        Ok(Self {
            identity: Identity::new("dusk-poseidon", parameters.name(), true),
            parameters,
            domain: Domain::Merkle4,
        })
    }
}

impl Peer for Dusk {
    type Element = BlsScalar;
    type Hasher<'a> = ();

    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn parameters(&self) -> &AnyParameters {
        self.parameters
    }

    fn element(&self, lanes: &[Word]) -> Option<BlsScalar> {
        BlsScalar::from_bytes(lanes.first()?).into_option()
    }

    fn words(&self, element: &BlsScalar) -> Vec<Word> {
        vec![element.to_bytes()]
    }

    fn hasher(&self) -> Self::Hasher<'_> {}

    fn hash(&self, (): &mut (), inputs: &[BlsScalar], digest: &mut [BlsScalar]) {
        digest.copy_from_slice(&Hash::digest(self.domain, inputs));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::peer::tests::{assert_refused, check};

    #[test]
    fn digests_are_checked() {
        check(|| Dusk::new().unwrap());
    }

    #[test]
    fn a_wrong_domain_is_found() {
        let mut peer = Dusk::new().unwrap();
        peer.domain = Domain::Other;
        let parameters = peer.parameters;
        assert_refused(peer, parameters);
    }
}

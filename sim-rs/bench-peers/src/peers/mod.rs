//! The libraries.

mod acclmt;
mod dusk;
mod neptune;
mod plonky3;

use acclmt_poseidon::fields::AnyParameters;
use acclmt_poseidon::presets::PresetError;
use acclmt_poseidon::{dispatch, presets};
use typenum::{U2, U4, U8, U11};

pub use self::acclmt::Acclmt;
pub use self::dusk::Dusk;
pub use self::neptune::Neptune;
pub use self::plonky3::Plonky3;
use crate::peer::{Checked, PeerError, Timed};

/// The presets of acclmt that have a peer.
const PRESETS: [&str; 6] = [
    "filecoin-arity-2",
    "filecoin-arity-4",
    "filecoin-arity-8",
    "filecoin-arity-11",
    "dusk",
    "plonky2",
];

/// All hashes of all libraries, with inputs from `seed`: first those of acclmt, then its peers.
///
/// # Errors
///
/// When a digest is not that of the reference.
pub fn all(seed: u64) -> Result<Vec<Box<dyn Timed>>, PeerError> {
    let mut peers: Vec<Box<dyn Timed>> = Vec::new();
    for name in PRESETS {
        peers
            .push(dispatch!(preset(name)?, set => Box::new(Checked::new(Acclmt::new(set), seed)?)));
    }
    peers.push(Box::new(Checked::new(Neptune::<U2>::new()?, seed)?));
    peers.push(Box::new(Checked::new(Neptune::<U4>::new()?, seed)?));
    peers.push(Box::new(Checked::new(Neptune::<U8>::new()?, seed)?));
    peers.push(Box::new(Checked::new(Neptune::<U11>::new()?, seed)?));
    peers.push(Box::new(Checked::new(Dusk::new()?, seed)?));
    peers.push(Box::new(Checked::new(Plonky3::new()?, seed)?));
    Ok(peers)
}

/// The library whose trees are measured: neptune with its arity of two.
///
/// # Errors
///
/// When a digest is not that of the reference.
pub fn of_trees(seed: u64) -> Result<Checked<Neptune<U2>>, PeerError> {
    Checked::new(Neptune::new()?, seed)
}

fn preset(name: &str) -> Result<&'static AnyParameters, PeerError> {
    Ok(presets::by_name(name).map_err(PresetError::from)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_peer_has_a_preset_that_acclmt_is_measured_with() {
        let peers = all(1).unwrap();
        let (ours, others): (Vec<_>, Vec<_>) = (peers.iter())
            .map(|peer| peer.identity())
            .partition(|identity| identity.library == "acclmt");
        assert_eq!((ours.len(), others.len()), (6, 6));
        for other in others {
            assert!(ours.iter().any(|ours| ours.preset == other.preset));
            assert_eq!(other.same_constants, other.library != "p3-goldilocks");
        }
    }
}

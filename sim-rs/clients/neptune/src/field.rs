use acclmt_poseidon::word::Word;
use ff::PrimeField;
use neptune::Strength;

/// A field of neptune that AcclMT has presets of. An element's `Repr` is its word on the device: 32 bytes of
/// the canonical integer, the least significant first.
pub trait DeviceField: PrimeField<Repr = Word> {
    /// Name of the preset of an arity, with the tag of Merkle trees.
    fn preset(arity: usize, strength: Strength) -> String;
}

impl DeviceField for blstrs::Scalar {
    fn preset(arity: usize, strength: Strength) -> String {
        match strength {
            Strength::Standard => format!("filecoin-arity-{arity}"),
            Strength::Strengthened => format!("filecoin-arity-{arity}-strengthened"),
        }
    }
}

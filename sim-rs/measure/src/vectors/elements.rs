//! Field elements of test vectors: written out, or from a seed.

use acclmt_poseidon::fields::FieldId;
use acclmt_poseidon::with_field;
use acclmt_poseidon::word::{self, Word};
use ark_ff::PrimeField;
use sha2::{Digest, Sha512};

/// Element `index` of the pseudo-random sequence with `seed` over `field`: the SHA-512 of the text
/// `seed:index` as a big-endian integer, modulo the prime.
pub fn generate_element(field: FieldId, seed: &str, index: usize) -> Word {
    let digest = Sha512::digest(format!("{seed}:{index}"));
    with_field!(field, F => word::from_field(F::from_be_bytes_mod_order(&digest)))
}

/// Reads a field element: hexadecimal, below the prime of `field`. `what` is its place, for the
/// error.
pub(super) fn element(
    text: &str,
    field: FieldId,
    what: impl Fn() -> String,
) -> Result<Word, String> {
    let word = word::from_hex(text).map_err(|error| format!("{}: {error}", what()))?;
    if word::is_below(&word, &field.prime()) {
        return Ok(word);
    }
    Err(format!("{}: {text} is not below the prime", what()))
}

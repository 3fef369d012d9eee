//! Stream words and their slices.

use super::shape::SLICES;
use acclmt_poseidon::word::Word;
use ark_ff::PrimeField;

pub(super) fn montgomery_radix<F: PrimeField>(bits: u32) -> F {
    F::from(2_u64).pow([u64::from(bits)])
}

/// The four 64-bit slices of a stream word, each as a word of its own.
pub(crate) fn slices(word: &Word) -> [Word; SLICES] {
    let mut slices = [Word::default(); SLICES];
    for (slice, bytes) in slices.iter_mut().zip(word.as_chunks::<8>().0) {
        slice[..8].copy_from_slice(bytes);
    }
    slices
}

/// The stream word with the low 64 bits of up to four words; the other slices are 0.
pub(super) fn from_slices(slices: &[Word]) -> Word {
    let mut word = Word::default();
    for (bytes, slice) in word.as_chunks_mut::<8>().0.iter_mut().zip(slices) {
        bytes.copy_from_slice(&slice[..8]);
    }
    word
}

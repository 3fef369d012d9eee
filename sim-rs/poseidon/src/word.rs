//! The unit of transport: a 256-bit word that holds a canonical field element.

use ark_ff::{BigInteger, PrimeField};
use num_bigint::BigUint;

use crate::text::shortened;

/// A field element as 32 little-endian bytes of its canonical integer, which is below the prime
/// (never the Montgomery form).
pub type Word = [u8; 32];

/// A text is no hexadecimal number of at most 256 bits.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{text}' is no field element: {reason}; write 0x and 1 to 64 hexadecimal digits")]
pub struct HexError {
    text: String,
    reason: &'static str,
}

/// The word as `0x` and 64 hexadecimal digits, the most significant first.
pub fn to_hex(word: &Word) -> String {
    let mut bytes = *word;
    bytes.reverse();
    format!("0x{}", hex::encode(bytes))
}

/// Reads `0x` and 1 to 64 hexadecimal digits, the most significant first.
///
/// # Errors
///
/// When `text` is anything else.
pub fn from_hex(text: &str) -> Result<Word, HexError> {
    let error = |reason| HexError {
        text: shortened(text),
        reason,
    };
    let digits = text
        .strip_prefix("0x")
        .ok_or_else(|| error("the prefix 0x is missing"))?;
    if digits.is_empty() {
        return Err(error("there are no digits"));
    }
    if digits.len() > 64 {
        return Err(error("there are more than 64 digits"));
    }
    let mut word = Word::default();
    hex::decode_to_slice(format!("{digits:0>64}"), &mut word)
        .map_err(|_| error("there is a character that is no hexadecimal digit"))?;
    word.reverse();
    Ok(word)
}

/// Most characters of a number: with zeros in front there is more room than any element needs.
const MAX_NUMBER: usize = 128;

/// The magnitude of a number, decimal or hexadecimal with `0x`; nothing where `text` is something else
/// or has more than 128 characters, which no element needs.
pub fn read_number(text: &str) -> Option<BigUint> {
    let (digits, radix) = match text.strip_prefix("0x") {
        Some(digits) => (digits, 16),
        None => (text, 10),
    };
    // A parser of large numbers takes signs and underscores, and long for long texts.
    let is_number = digits.len() <= MAX_NUMBER
        && (digits.bytes()).all(|digit| char::from(digit).is_digit(radix));
    is_number
        .then(|| BigUint::parse_bytes(digits.as_bytes(), radix))
        .flatten()
}

/// The word that holds a small integer.
pub fn from_u64(value: u64) -> Word {
    let mut word = Word::default();
    word[..8].copy_from_slice(&value.to_le_bytes());
    word
}

/// Whether `word`, as an integer, is below `bound`.
pub fn is_below(word: &Word, bound: &Word) -> bool {
    word.iter().rev().lt(bound.iter().rev())
}

/// The canonical integer of a field element. The prime must be below 2^256, which
/// [`PoseidonParameters`](crate::params::PoseidonParameters) checks.
pub fn from_field<F: PrimeField>(element: F) -> Word {
    from_integer(element.into_bigint())
}

/// The prime of a field.
pub fn prime<F: PrimeField>() -> Word {
    from_integer(F::MODULUS)
}

fn from_integer<I: BigInteger>(integer: I) -> Word {
    let mut word = Word::default();
    for (bytes, limb) in word.as_chunks_mut::<8>().0.iter_mut().zip(integer.as_ref()) {
        *bytes = limb.to_le_bytes();
    }
    word
}

/// The field element that `word` holds, or `None` when `word` is not below the prime.
pub fn to_field<F: PrimeField>(word: &Word) -> Option<F> {
    let mut integer = F::BigInt::default();
    let limbs = integer.as_mut();
    for (position, bytes) in word.as_chunks::<8>().0.iter().enumerate() {
        let value = u64::from_le_bytes(*bytes);
        match limbs.get_mut(position) {
            Some(limb) => *limb = value,
            None if value != 0 => return None,
            None => {}
        }
    }
    F::from_bigint(integer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ark_bls12_381::Fr;
    use ark_ff::{AdditiveGroup, Field};

    #[test]
    fn hexadecimal_is_big_endian() {
        let word = from_u64(0x1234);
        assert_eq!(to_hex(&word), format!("0x{:0>64}", "1234"));
        assert_eq!(from_hex(&to_hex(&word)).unwrap(), word);
        assert_eq!(from_hex("0x1234").unwrap(), word);
    }

    #[test]
    fn bad_hexadecimal_is_refused_with_the_reason() {
        for (text, reason) in [
            ("12", "prefix"),
            ("0x", "no digits"),
            ("0x1g", "no hexadecimal digit"),
            ("0x 1", "no hexadecimal digit"),
            ("0xé1", "no hexadecimal digit"),
            (&format!("0x{:0>65}", 1), "more than 64"),
        ] {
            let message = from_hex(text).unwrap_err().to_string();
            assert!(
                message.contains(reason) && message.contains(text),
                "{message}"
            );
        }
    }

    #[test]
    fn numbers_are_decimal_or_hexadecimal() {
        for text in ["255", "0xff", "0xFF", "000255"] {
            assert_eq!(read_number(text), Some(BigUint::from(255_u8)), "{text}");
        }
        let long = "1".repeat(2_000_000);
        for text in ["", "0x", "-1", "+1", "1_0", "0x-1", "ff", " 1", &long] {
            assert_eq!(read_number(text), None);
        }
    }

    #[test]
    fn corners_convert_both_ways_and_the_prime_does_not() {
        for element in [
            Fr::ZERO,
            Fr::ONE,
            -Fr::ONE,
            Fr::from(7u8).inverse().unwrap(),
        ] {
            let word = from_field(element);
            assert_eq!(to_field::<Fr>(&word), Some(element));
            assert!(is_below(&word, &prime::<Fr>()));
        }
        assert_eq!(to_field::<Fr>(&prime::<Fr>()), None);
        assert_eq!(to_field::<Fr>(&[0xFF; 32]), None);
        assert!(!is_below(&prime::<Fr>(), &prime::<Fr>()));
    }
}

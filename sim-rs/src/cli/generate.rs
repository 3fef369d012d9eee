//! `acclmt generate`: a file of pseudo-random field elements.

use std::fs;

use num_bigint::BigUint;
use serde::Serialize;
use sha2::{Digest as _, Sha512};

use super::console::Console;
use super::{CommandError, GenerateArguments, parameters};
use crate::word::Word;

/// The result of the command, in its JSON form.
#[derive(Serialize)]
struct Generated<'a> {
    file: String,
    elements: u32,
    seed: u64,
    preset: &'a str,
}

pub fn run(arguments: &GenerateArguments, console: &mut Console<'_>) -> Result<(), CommandError> {
    let prime = BigUint::from_bytes_le(&parameters(&arguments.preset)?.prime());
    let bytes: Vec<u8> = (0..arguments.elements)
        .flat_map(|index| element(arguments.seed, index, &prime))
        .collect();
    let file = arguments.file.display();
    fs::write(&arguments.file, bytes)
        .map_err(|error| CommandError::Failure(format!("cannot write {file}: {error}")))?;
    if arguments.json {
        console.json(&Generated {
            file: file.to_string(),
            elements: arguments.elements,
            seed: arguments.seed,
            preset: &arguments.preset,
        })?;
    } else {
        console.line(format!(
            "{} elements from the seed {} written to {file}",
            arguments.elements, arguments.seed
        ))?;
    }
    Ok(())
}

/// The element `index`: SHA-512 of the text `seed:index`, both decimal, as a big-endian integer
/// modulo the prime. It is easily computed in any language.
fn element(seed: u64, index: u32, prime: &BigUint) -> Word {
    let hash = Sha512::digest(format!("{seed}:{index}"));
    let mut word = Word::default();
    let bytes = (BigUint::from_bytes_be(&hash) % prime).to_bytes_le();
    word[..bytes.len()].copy_from_slice(&bytes);
    word
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{presets, word};

    #[test]
    fn elements_are_those_of_the_written_rule() {
        // python3: int.from_bytes(hashlib.sha512(b"1:0").digest(), "big") % p
        let prime = presets::by_name("filecoin-arity-2").unwrap().prime();
        let prime = BigUint::from_bytes_le(&prime);
        assert_eq!(
            word::to_hex(&element(1, 0, &prime)),
            "0x0214ba0051de1d9ab0002a4a11c3a13f636ea083d39a0809b7c04c0d43ab56a0"
        );
        assert_eq!(
            word::to_hex(&element(7, 4095, &prime)),
            "0x6fbd53cf1c72cd2c17f4d9495d2a934c80134d0cea47320116646d45740a2c99"
        );
    }
}

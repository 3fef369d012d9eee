//! Reads files as field elements.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::element_bytes;
use crate::fields::FieldId;
use crate::word::Word;

/// Why a file could not be used as input.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    /// The file could not be read.
    #[error("cannot read {path}: {source}")]
    Read {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// The file has no bytes.
    #[error("{path} is empty: there is nothing to commit to")]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// The length of the file is no whole number of elements.
    #[error(
        "{path} has {length} bytes, which is no multiple of {element}: an element has {element} \
         bytes (--pack takes any file)"
    )]
    PartialElement {
        /// The file.
        path: PathBuf,
        /// Its length in bytes.
        length: usize,
        /// Bytes of an element.
        element: usize,
    },
}

fn read(path: &Path) -> Result<Vec<u8>, InputError> {
    let bytes = fs::read(path).map_err(|source| InputError::Read {
        path: path.to_owned(),
        source,
    })?;
    if bytes.is_empty() {
        return Err(InputError::Empty {
            path: path.to_owned(),
        });
    }
    Ok(bytes)
}

/// Reads a file of little-endian elements of `field`.
///
/// # Errors
///
/// When the file cannot be read, is empty, or does not hold a whole number of elements.
pub fn read_words(path: &Path, field: FieldId) -> Result<Vec<Word>, InputError> {
    let bytes = read(path)?;
    let element = element_bytes(field);
    if !bytes.len().is_multiple_of(element) {
        return Err(InputError::PartialElement {
            path: path.to_owned(),
            length: bytes.len(),
            element,
        });
    }
    Ok(words(&bytes, element))
}

/// Reads any file, a byte less an element than the prime of `field` has, so that any bytes are
/// below it; little-endian. The last element is filled up with zeros.
///
/// # Errors
///
/// When the file cannot be read or is empty.
pub fn read_packed(path: &Path, field: FieldId) -> Result<Vec<Word>, InputError> {
    Ok(words(&read(path)?, element_bytes(field) - 1))
}

/// Words of `length` bytes each.
fn words(bytes: &[u8], length: usize) -> Vec<Word> {
    bytes
        .chunks(length)
        .map(|chunk| {
            let mut element = Word::default();
            element[..chunk.len()].copy_from_slice(chunk);
            element
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_bytes_are_little_endian_and_filled_up_with_zeros() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bytes");
        fs::write(&path, (1..=33).collect::<Vec<u8>>()).unwrap();
        let words = read_packed(&path, FieldId::Bls12_381).unwrap();
        assert_eq!(words.len(), 2);
        assert_eq!(words[0][..31], (1..=31).collect::<Vec<u8>>());
        assert_eq!(
            (words[0][31], words[1][0], words[1][1], words[1][2]),
            (0, 32, 33, 0)
        );
        let words = read_packed(&path, FieldId::Goldilocks).unwrap();
        assert_eq!(words.len(), 5);
        assert_eq!(words[4][..8], [29, 30, 31, 32, 33, 0, 0, 0]);
    }

    #[test]
    fn elements_have_the_size_of_their_field() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bytes");
        fs::write(&path, (1..=24).collect::<Vec<u8>>()).unwrap();
        let words = read_words(&path, FieldId::Goldilocks).unwrap();
        assert_eq!(words.len(), 3);
        assert_eq!(words[2][..9], [17, 18, 19, 20, 21, 22, 23, 24, 0]);
        let message = read_words(&path, FieldId::Bn254).unwrap_err().to_string();
        assert!(
            message.contains("has 24 bytes, which is no multiple of 32"),
            "{message}"
        );
    }
}

//! Reads files as field elements.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::word::Word;

/// Bytes of a field element in a file.
const ELEMENT_BYTES: usize = 32;

/// Bytes of a packed file that go into an element: any 31 bytes are below a prime above 2^248.
const PACKED_BYTES: usize = 31;

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
        "{path} has {length} bytes, which is no multiple of {ELEMENT_BYTES}: an element has \
         {ELEMENT_BYTES} bytes (--pack takes any file)"
    )]
    PartialElement {
        /// The file.
        path: PathBuf,
        /// Its length in bytes.
        length: usize,
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

/// Reads a file of 32-byte little-endian words.
///
/// # Errors
///
/// When the file cannot be read, is empty, or does not hold a whole number of words.
pub fn read_words(path: &Path) -> Result<Vec<Word>, InputError> {
    let bytes = read(path)?;
    let (words, rest) = bytes.as_chunks::<ELEMENT_BYTES>();
    if !rest.is_empty() {
        return Err(InputError::PartialElement {
            path: path.to_owned(),
            length: bytes.len(),
        });
    }
    Ok(words.to_vec())
}

/// Reads any file, 31 bytes an element, little-endian; the last element is filled up with zeros.
///
/// # Errors
///
/// When the file cannot be read or is empty.
pub fn read_packed(path: &Path) -> Result<Vec<Word>, InputError> {
    Ok(read(path)?
        .chunks(PACKED_BYTES)
        .map(|chunk| {
            let mut element = Word::default();
            element[..chunk.len()].copy_from_slice(chunk);
            element
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_bytes_are_little_endian_and_filled_up_with_zeros() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bytes");
        fs::write(&path, (1..=33).collect::<Vec<u8>>()).unwrap();
        let words = read_packed(&path).unwrap();
        assert_eq!(words.len(), 2);
        assert_eq!(words[0][..31], (1..=31).collect::<Vec<u8>>());
        assert_eq!(
            (words[0][31], words[1][0], words[1][1], words[1][2]),
            (0, 32, 33, 0)
        );
    }
}

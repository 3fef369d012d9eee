// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! The page of the book.

use std::fs;
use std::path::Path;

use crate::{Error, Result};

/// The lines between which the figures are.
pub const BEGIN: &str = "<!-- figures -->";
/// The second of them.
pub const END: &str = "<!-- end of figures -->";

/// Writes a file.
///
/// # Errors
///
/// If it cannot be written.
pub fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).map_err(|source| Error::Write {
        path: path.to_owned(),
        source,
    })
}

/// Writes the figures into a page, in the place of those that are there.
///
/// # Errors
///
/// If it cannot be read or written, or has no place for them.
pub fn update(path: &Path, figures: &str) -> Result<()> {
    let text = fs::read_to_string(path).map_err(|source| Error::Read {
        path: path.to_owned(),
        source,
    })?;
    let parts = (text.split_once(BEGIN)).and_then(|(before, rest)| {
        let (_, after) = rest.split_once(END)?;
        Some((before, after))
    });
    let (before, after) = parts.ok_or_else(|| Error::Page {
        path: path.to_owned(),
    })?;
    write(path, &format!("{before}{BEGIN}\n\n{figures}\n{END}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_take_the_place_of_older_ones() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("page.md");
        fs::write(
            &path,
            format!("# Coverage\n\n{BEGIN}\nold\n{END}\n\nmore\n"),
        )
        .unwrap();
        update(&path, "new\n").unwrap();
        let expected = format!("# Coverage\n\n{BEGIN}\n\nnew\n\n{END}\n\nmore\n");
        assert_eq!(fs::read_to_string(&path).unwrap(), expected);
        fs::write(&path, "# Coverage\n").unwrap();
        let error = update(&path, "new\n").unwrap_err().to_string();
        assert!(error.contains("has no lines"), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "# Coverage\n");
    }
}

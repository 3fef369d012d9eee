//! Names of the file formats, and what a name says of upper levels.

use serde::Deserialize;

use crate::levels::UpperPreset;
use acclmt_poseidon::text;

/// The two names of the format of a kind of file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Formats {
    /// Of trees that have one parameter set.
    pub(crate) plain: &'static str,
    /// Of trees with upper levels.
    pub(crate) upper: &'static str,
}

impl Formats {
    /// Both names.
    pub(crate) fn names(self) -> [&'static str; 2] {
        [self.plain, self.upper]
    }

    /// The name for a tree with these upper levels.
    pub(crate) fn of(self, upper: &[UpperPreset]) -> &'static str {
        match upper.is_empty() {
            true => self.plain,
            false => self.upper,
        }
    }

    /// Checks that there are upper levels where `format` is the one with them, and only there.
    pub(crate) fn check_upper(
        self,
        format: &str,
        upper: &[UpperPreset],
    ) -> Result<(), &'static str> {
        match (format == self.upper, upper.is_empty()) {
            (true, true) => Err("it has no levels, or is missing; this format is for upper levels"),
            (false, false) => Err("this format has no upper levels"),
            _ => Ok(()),
        }
    }
}

/// The one key that a file of any format of this family has.
#[derive(Deserialize)]
struct FormatRecord {
    format: String,
}

/// The one of `formats` that the JSON object `json` is of.
pub(crate) fn check_format<'a>(json: &[u8], formats: &[&'a str]) -> Result<&'a str, String> {
    let record: FormatRecord =
        serde_json::from_slice(json).map_err(|error| text::message(&error))?;
    if let Some(format) = formats.iter().find(|format| **format == record.format) {
        return Ok(format);
    }
    let family = |format: &str| format.split_once('/').map(|(family, _)| family.to_owned());
    let hint = match formats
        .iter()
        .any(|it| family(it) == family(&record.format))
    {
        true => "; another version of this program wrote it: write it again",
        false => "",
    };
    Err(format!(
        "its `format` is '{}', expected '{}'{hint}",
        text::shortened(&record.format),
        formats.join("' or '")
    ))
}

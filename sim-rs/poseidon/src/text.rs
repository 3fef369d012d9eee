//! Texts of users: how messages quote them, what was probably meant, and files that are not too long.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

/// Most characters of a text that a message quotes.
const QUOTED: usize = 80;

/// Most characters of a message of a parser, which may quote its input.
const MESSAGE: usize = 400;

/// `text` as a message quotes it: control characters are escaped, and of a long text there is the
/// beginning and its length.
pub fn shortened(text: &str) -> String {
    shortened_to(text, QUOTED)
}

/// The message of a parser: a long one, which quotes its input, is cut.
pub fn message(error: &impl ToString) -> String {
    let text = error.to_string();
    // The lines of a message are those of its parser.
    let lines: Vec<String> = text
        .lines()
        .map(|line| shortened_to(line, MESSAGE / 2))
        .collect();
    lines.join("\n")
}

fn shortened_to(text: &str, most: usize) -> String {
    let escaped = |text: &str| -> String {
        text.chars()
            .flat_map(|letter| {
                let is_control = letter.is_control();
                let escape = is_control.then(|| letter.escape_default());
                let plain = (!is_control).then_some(letter);
                escape.into_iter().flatten().chain(plain)
            })
            .collect()
    };
    match text.char_indices().nth(most) {
        None => escaped(text),
        Some((end, _)) => {
            let start = escaped(&text[..end]);
            format!("{start}... ({} characters)", text.chars().count())
        }
    }
}

/// The one of `names` that was probably meant by `name`: the nearest, if it is near.
pub fn nearest<'a>(name: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Nothing that long is a name, and comparing it takes time.
    if name.len() > QUOTED {
        return None;
    }
    let lower = name.to_lowercase();
    let allowed = (name.chars().count() / 3).max(1);
    names
        .into_iter()
        .map(|known| (strsim::damerau_levenshtein(&lower, known), known))
        .filter(|&(distance, _)| distance <= allowed)
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, known)| known)
}

/// `; did you mean '..'?` for the one of `names` that was probably meant by `name`, or nothing.
pub fn did_you_mean<'a>(name: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    nearest(name, names).map_or_else(String::new, |known| format!("; did you mean '{known}'?"))
}

/// Reads a text file of at most `most` bytes.
///
/// # Errors
///
/// When it cannot be read, is longer, or is no UTF-8.
pub fn read_file(path: &Path, most: u64) -> io::Result<String> {
    let mut bytes = Vec::new();
    let mut file = File::open(path)?;
    // A folder is opened, and then cannot be read.
    file.by_ref().take(most + 1).read_to_end(&mut bytes)?;
    let invalid = |problem: String| io::Error::new(io::ErrorKind::InvalidData, problem);
    if bytes.len() as u64 > most {
        return Err(invalid(format!(
            "it has more than {most} bytes, the most that such a file may have"
        )));
    }
    String::from_utf8(bytes).map_err(|error| {
        let place = error.utf8_error().valid_up_to();
        invalid(format!("it is no text: byte {place} is no UTF-8"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_are_short_and_plain() {
        assert_eq!(shortened("row=4"), "row=4");
        assert_eq!(shortened("a\u{1b}[2Jb\nc"), "a\\u{1b}[2Jb\\nc");
        let long = "7".repeat(2_000_000);
        assert_eq!(
            shortened(&long),
            format!("{}... (2000000 characters)", "7".repeat(80))
        );
        let letters = "é".repeat(81);
        assert!(shortened(&letters).ends_with("é... (81 characters)"));
        let two = message(&format!("line 1\n{long}\nline 3"));
        assert_eq!(two.lines().count(), 3);
        assert!(two.len() < 300, "{two}");
    }

    #[test]
    fn near_names_are_found() {
        let names = ["filecoin-arity-2", "filecoin-arity-4", "plonky2", "dusk"];
        for (name, expected) in [
            ("filecoin-arty-2", Some("filecoin-arity-2")),
            ("Filecoin-Arity-4", Some("filecoin-arity-4")),
            ("plonky", Some("plonky2")),
            ("duks", Some("dusk")),
            ("sha256", None),
            ("", None),
        ] {
            assert_eq!(nearest(name, names), expected, "{name}");
        }
        assert_eq!(nearest(&"x".repeat(1 << 20), names), None);
        assert_eq!(did_you_mean("plonk2", names), "; did you mean 'plonky2'?");
    }

    #[test]
    fn files_that_are_too_long_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("text");
        std::fs::write(&path, "12345").unwrap();
        assert_eq!(read_file(&path, 5).unwrap(), "12345");
        let message = read_file(&path, 4).unwrap_err().to_string();
        assert!(message.contains("more than 4 bytes"), "{message}");
        std::fs::write(&path, b"ab\xff").unwrap();
        let message = read_file(&path, 5).unwrap_err().to_string();
        assert!(message.contains("byte 2 is no UTF-8"), "{message}");
        assert!(read_file(folder.path(), 5).is_err());
    }
}

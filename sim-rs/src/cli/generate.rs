//! `acclmt generate`: a file of pseudo-random field elements.

use std::fs;

use serde::Serialize;

use super::console::Console;
use super::{CommandError, GenerateArguments};
use crate::vectors::generate_element;

/// The result of the command, in its JSON form.
#[derive(Serialize)]
struct Generated {
    file: String,
    elements: u32,
    seed: u64,
}

pub fn run(arguments: &GenerateArguments, console: &mut Console<'_>) -> Result<(), CommandError> {
    let seed = arguments.seed.to_string();
    let bytes: Vec<u8> = (0..arguments.elements as usize)
        .flat_map(|index| generate_element(&seed, index))
        .collect();
    let file = arguments.file.display();
    fs::write(&arguments.file, bytes)
        .map_err(|error| CommandError::Failure(format!("cannot write {file}: {error}")))?;
    if arguments.json {
        console.json(&Generated {
            file: file.to_string(),
            elements: arguments.elements,
            seed: arguments.seed,
        })?;
    } else {
        console.line(format!(
            "{} elements from the seed {} written to {file}",
            arguments.elements, arguments.seed
        ))?;
    }
    Ok(())
}

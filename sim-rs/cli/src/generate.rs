//! `acclmt generate`: a file of pseudo-random field elements.

use std::fs;

use serde::Serialize;

use super::console::Console;
use super::{CommandError, GenerateArguments};
use acclmt_measure::vectors::generate_element;
use acclmt_poseidon::fields::FieldId;
use acclmt_poseidon::{parameter_file, presets};

/// The result of the command, in its JSON form.
#[derive(Serialize)]
struct Generated {
    file: String,
    elements: u32,
    field: &'static str,
    seed: u64,
}

pub fn run(arguments: &GenerateArguments, console: &mut Console<'_>) -> Result<(), CommandError> {
    let field = match (&arguments.preset, &arguments.parameters) {
        (_, Some(path)) => {
            let parameters = parameter_file::load(path).map_err(CommandError::failure)?;
            parameters.field()
        }
        (Some(preset), None) => presets::find(preset).map_err(CommandError::usage)?.field(),
        (None, None) => FieldId::from_name(&arguments.field).map_err(CommandError::usage)?,
    };
    let length = field.element_bytes();
    let seed = arguments.seed.to_string();
    let bytes: Vec<u8> = (0..arguments.elements as usize)
        .flat_map(|index| {
            generate_element(field, &seed, index)
                .into_iter()
                .take(length)
        })
        .collect();
    let file = arguments.file.display();
    fs::write(&arguments.file, bytes)
        .map_err(|error| CommandError::Failure(format!("cannot write {file}: {error}")))?;
    if arguments.json {
        console.json(&Generated {
            file: file.to_string(),
            elements: arguments.elements,
            field: field.name(),
            seed: arguments.seed,
        })?;
    } else {
        console.line(format!(
            "{} elements of {field} from the seed {} written to {file}",
            arguments.elements, arguments.seed
        ))?;
    }
    Ok(())
}

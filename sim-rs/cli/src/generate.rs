//! `acclmt generate`: a file of pseudo-random field elements.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};

use rayon::prelude::*;
use serde::Serialize;

use super::console::Console;
use super::{CommandError, GenerateArguments, check_outputs};
use acclmt_driver::device::Progress as _;
use acclmt_measure::vectors::generate_element;
use acclmt_merkle::new_file::NewFile;
use acclmt_poseidon::fields::FieldId;
use acclmt_poseidon::word::Word;
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
    let parameters = arguments.parameters.as_deref();
    check_outputs(
        &[("--parameters", parameters)],
        &[("the output", Some(&arguments.file))],
    )?;
    let file = arguments.file.display();
    write(arguments, field, console)
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

/// Elements that are generated together.
const CHUNK: usize = 1 << 14;

/// Writes the elements as they are made.
fn write(
    arguments: &GenerateArguments,
    field: FieldId,
    console: &mut Console<'_>,
) -> io::Result<()> {
    let path = &arguments.file;
    let is_stream = fs::metadata(path).is_ok_and(|file| !file.is_file() && !file.is_dir());
    if is_stream {
        // A pipe or a device takes them as they come.
        let mut file = OpenOptions::new().write(true).open(path)?;
        return write_to(&mut file, arguments, field, console);
    }
    let mut file = NewFile::create(path)?;
    write_to(file.file(), arguments, field, console)?;
    file.finish()
}

fn write_to(
    file: &mut File,
    arguments: &GenerateArguments,
    field: FieldId,
    console: &mut Console<'_>,
) -> io::Result<()> {
    let seed = arguments.seed.to_string();
    let (elements, length) = (arguments.elements as usize, field.element_bytes());
    let mut progress = console.progress_of("generating", "elements");
    for first in (0..elements).step_by(CHUNK) {
        let end = elements.min(first + CHUNK);
        let words: Vec<Word> = (first..end)
            .into_par_iter()
            .map(|index| generate_element(field, &seed, index))
            .collect();
        let bytes: Vec<u8> = (words.iter())
            .flat_map(|word| &word[..length])
            .copied()
            .collect();
        file.write_all(&bytes)?;
        progress.report(end as u64, elements as u64);
    }
    Ok(())
}

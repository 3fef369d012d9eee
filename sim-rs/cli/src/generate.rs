//! `acclmt generate`: a file of pseudo-random field elements.

use clap::Args;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::PathBuf;

use rayon::prelude::*;
use serde::Serialize;

use crate::console::Console;
use crate::error::CommandError;
use crate::files::check_outputs;
use acclmt_driver::device::Progress as _;
use acclmt_measure::vectors::generate_element;
use acclmt_merkle::new_file::NewFile;
use acclmt_poseidon::fields::FieldId;
use acclmt_poseidon::word::Word;
use acclmt_poseidon::{presets, user_file};

/// Write a file of pseudo-random field elements, as `acclmt commit` takes them
#[derive(Args)]
pub struct GenerateArguments {
    /// The file to write
    file: PathBuf,
    /// Number of elements
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    elements: u32,
    /// Name of the field
    #[arg(long, value_name = "NAME", default_value_t = FieldId::Bls12_381.name().to_owned())]
    field: String,
    /// The field of this named parameter set
    #[arg(long, value_name = "NAME", conflicts_with = "field")]
    preset: Option<String>,
    /// The field of the parameter set in this file
    #[arg(long, value_name = "FILE", conflicts_with_all = ["field", "preset"])]
    parameters: Option<PathBuf>,
    /// The same seed gives the same elements
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

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
            let parameters = user_file::load(path).map_err(CommandError::failure)?;
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

//! `acclmt hash`: one hash.

use crate::arguments::{BackendArguments, ParameterArguments};
use clap::Args;
use serde::Serialize;

use crate::backends::{BackendFactory, BackendOptions};
use crate::console::Console;
use crate::console::hex;
use crate::error::CommandError;
use acclmt_driver::device::{NoProgress, check_inputs};
use acclmt_poseidon::word;

/// Hash field elements
#[derive(Args)]
pub struct HashArguments {
    /// Field elements, big-endian hex with 0x
    #[arg(required = true)]
    inputs: Vec<String>,
    #[command(flatten)]
    parameters: ParameterArguments,
    #[command(flatten)]
    backend: BackendArguments,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// The result of the command, in its JSON form.
#[derive(Serialize)]
struct Hash<'a> {
    digest: Vec<String>,
    preset: &'a str,
    field: &'a str,
    backend: &'a str,
    cycles: Option<u64>,
    notes: Vec<String>,
}

pub fn run(
    arguments: &HashArguments,
    backends: &dyn BackendFactory,
    console: &mut Console<'_>,
) -> Result<(), CommandError> {
    let parameters = arguments.parameters.load()?;
    let backend = arguments.backend.name(backends)?;
    let inputs = arguments
        .inputs
        .iter()
        .map(|text| word::from_hex(text))
        .collect::<Result<Vec<_>, _>>()
        .map_err(CommandError::usage)?;
    if inputs.len() != parameters.inputs() {
        return Err(CommandError::Usage(format!(
            "{} inputs, but a hash of '{}' takes {}",
            inputs.len(),
            parameters.name(),
            parameters.inputs()
        )));
    }
    let inputs = [inputs];
    check_inputs(&parameters, &inputs).map_err(CommandError::usage)?;

    let mut device = backends
        .open(backend, &BackendOptions::default())
        .map_err(CommandError::failure)?;
    device
        .supports(&parameters)
        .map_err(CommandError::failure)?;
    let notes = device.notes(&parameters);
    console.notes(&notes)?;
    let report = device
        .hash(&parameters, &inputs, &mut NoProgress)
        .map_err(CommandError::failure)?;
    let digest = hex(&report.digests[0]);
    if arguments.json {
        console.json(&Hash {
            digest,
            preset: parameters.name(),
            field: parameters.field().name(),
            backend,
            cycles: report.cycles(),
            notes,
        })?;
    } else {
        console.line(digest.join(" "))?;
    }
    Ok(())
}

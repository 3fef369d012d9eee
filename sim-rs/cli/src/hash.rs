//! `acclmt hash`: one hash.

use crate::arguments::{BackendArguments, EngineArguments, ParameterArguments};
use clap::Args;
use serde::Serialize;

use crate::backends::{BackendFactory, BackendOptions};
use crate::console::Console;
use crate::console::hex;
use crate::error::CommandError;
use acclmt_driver::device::{NoProgress, check_inputs};
use acclmt_poseidon::dispatch;
use acclmt_poseidon::fields::AnyParameters;
use acclmt_poseidon::permutation::hash_dense;
use acclmt_poseidon::word::{self, Word};

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
    #[command(flatten)]
    engines: EngineArguments,
    /// Do not compute the digest a second time in software
    #[arg(long)]
    no_check: bool,
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
    check: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    check_digest: Option<Vec<String>>,
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
        .open(
            backend,
            &arguments.engines.add_to(BackendOptions::default()),
        )
        .map_err(CommandError::failure)?;
    device
        .supports(&parameters)
        .map_err(CommandError::failure)?;
    let notes = device.notes(&parameters);
    console.notes(&notes)?;
    let report = device
        .hash(&parameters, &inputs, &mut NoProgress)
        .map_err(CommandError::failure)?;
    let digest = &report.digests[0];
    parameters.check_elements(digest).map_err(|error| {
        CommandError::Failure(format!(
            "the backend '{backend}' computed no digest: {error}; see whether its chip, or the server of it, works"
        ))
    })?;
    let expected = match arguments.no_check {
        true => None,
        false => Some(hash_in_software(&parameters, &inputs[0])?),
    };
    let wrong = expected.as_ref().filter(|expected| *expected != digest);
    let check = match (&expected, wrong) {
        (None, _) => "skipped",
        (_, None) => "ok",
        (_, Some(_)) => "failed",
    };
    let printed = if arguments.json {
        console.json(&Hash {
            digest: hex(digest),
            preset: parameters.name(),
            field: parameters.field().name(),
            backend,
            cycles: report.cycles(),
            check,
            check_digest: wrong.map(|expected| hex(expected)),
            notes,
        })
    } else if wrong.is_none() {
        console.line(hex(digest).join(" "))
    } else {
        // A wrong digest alone would look like a right one.
        Ok(())
    };
    match wrong {
        // This counts more than results that nobody reads.
        Some(expected) => Err(CommandError::Failure(format!(
            "the backend '{backend}' computed the digest {}, the independent check {}",
            hex(digest).join(" "),
            hex(expected).join(" ")
        ))),
        None => Ok(printed?),
    }
}

/// The digest, by the dense permutation, straight from the specification.
fn hash_in_software(
    parameters: &AnyParameters,
    inputs: &[Word],
) -> Result<Vec<Word>, CommandError> {
    dispatch!(parameters, parameters => {
        let inputs: Vec<_> = inputs.iter().filter_map(word::to_field).collect();
        let digest = hash_dense(parameters, &inputs).map_err(CommandError::failure)?;
        Ok(digest.into_iter().map(word::from_field).collect())
    })
}

//! `acclmt hash`: one hash.

use serde::Serialize;

use super::console::Console;
use super::{BackendFactory, BackendOptions, CommandError, HashArguments, parameters};
use crate::device::{NoProgress, check_inputs};
use crate::word;

/// The result of the command, in its JSON form.
#[derive(Serialize)]
struct Hash<'a> {
    digest: String,
    preset: &'a str,
    backend: &'a str,
    cycles: Option<u64>,
}

pub fn run(
    arguments: &HashArguments,
    backends: &dyn BackendFactory,
    console: &mut Console<'_>,
) -> Result<(), CommandError> {
    let parameters = parameters(&arguments.preset)?;
    let backend = arguments.backend.name(backends)?;
    let inputs = arguments
        .inputs
        .iter()
        .map(|text| word::from_hex(text))
        .collect::<Result<Vec<_>, _>>()
        .map_err(CommandError::usage)?;
    let arity = parameters.arity();
    if inputs.len() != arity {
        return Err(CommandError::Usage(format!(
            "{} inputs, but a hash of '{}' takes {arity}",
            inputs.len(),
            arguments.preset
        )));
    }
    let inputs = [inputs];
    check_inputs(parameters, &inputs).map_err(CommandError::usage)?;

    let mut device = backends
        .open(backend, &BackendOptions::default())
        .map_err(CommandError::failure)?;
    device.supports(parameters).map_err(CommandError::failure)?;
    let report = device
        .hash_many(parameters, &inputs, &mut NoProgress)
        .map_err(CommandError::failure)?;
    let digest = word::to_hex(&report.digests[0]);
    if arguments.json {
        console.json(&Hash {
            digest,
            preset: &arguments.preset,
            backend,
            cycles: report.cycles(),
        })?;
    } else {
        console.line(digest)?;
    }
    Ok(())
}

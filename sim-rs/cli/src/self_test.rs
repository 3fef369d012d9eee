//! `acclmt self-test`: a test of every hash engine of a chip.

use clap::Args;
use serde::Serialize;

use crate::arguments::BackendArguments;
use crate::backends::{BackendFactory, BackendOptions};
use crate::console::Console;
use crate::error::CommandError;

/// Have every sub-engine of a chip work on hashes whose digests are known
#[derive(Args)]
pub struct SelfTestArguments {
    #[command(flatten)]
    backend: BackendArguments,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// The result of the command, in its JSON form.
#[derive(Serialize)]
struct SelfTest<'a> {
    backend: &'a str,
    engines: usize,
    sub_engines: usize,
    hashes: u64,
}

pub fn run(
    arguments: &SelfTestArguments,
    backends: &dyn BackendFactory,
    console: &mut Console<'_>,
) -> Result<(), CommandError> {
    let backend = arguments.backend.name(backends)?;
    let mut device = backends
        .open(backend, &BackendOptions::default())
        .map_err(CommandError::failure)?;
    let test = device.self_test().map_err(CommandError::failure)?;
    if test.engines == 0 {
        return Err(CommandError::Usage(format!(
            "the backend '{backend}' has no hash engines to test: it computes in software"
        )));
    }
    if arguments.json {
        console.json(&SelfTest {
            backend,
            engines: test.engines,
            sub_engines: test.sub_engines,
            hashes: test.hashes,
        })?;
    } else {
        console.line(format!(
            "{} hash engines with {} sub-engines passed: {} hashes with the digests of the reference",
            test.engines, test.sub_engines, test.hashes
        ))?;
    }
    Ok(())
}

//! Arguments that several commands have.

use std::path::{Path, PathBuf};

use acclmt_poseidon::fields::AnyParameters;
use acclmt_poseidon::{presets, text, user_file};
use clap::Args;

use crate::backends::{BackendFactory, is_place};
use crate::error::CommandError;

/// The parameter set: a named one, or one of a file.
#[derive(Args)]
#[group(required = true, multiple = false)]
pub struct ParameterArguments {
    /// Named parameter set, see `acclmt presets`
    #[arg(long, value_name = "NAME")]
    pub preset: Option<String>,
    /// File with a parameter set, TOML or JSON
    #[arg(long, value_name = "FILE")]
    pub parameters: Option<PathBuf>,
}

/// The parameter set of something that names its own.
#[derive(Args)]
pub struct NamedArguments {
    /// Named parameter set, see `acclmt presets` [default: the one that the file names]
    #[arg(long, value_name = "NAME", conflicts_with = "parameters")]
    pub preset: Option<String>,
    /// File with a parameter set, TOML or JSON
    #[arg(long, value_name = "FILE")]
    pub parameters: Option<PathBuf>,
}

impl NamedArguments {
    /// The parameter set asked for, or the preset `named` by the file at `path`, a `what`.
    pub fn load(
        &self,
        named: &str,
        what: &str,
        path: &Path,
    ) -> Result<AnyParameters, CommandError> {
        match (&self.parameters, &self.preset) {
            (Some(path), _) => user_file::load(path).map_err(CommandError::failure),
            (None, Some(name)) => (presets::by_name(name).cloned()).map_err(CommandError::usage),
            (None, None) => presets::by_name(named).cloned().map_err(|_| {
                CommandError::Failure(format!(
                    "{}: the {what} names the parameter set '{}', which is no preset; give it with \
                     --parameters",
                    path.display(),
                    text::shortened(named)
                ))
            }),
        }
    }
}

#[derive(Args)]
pub struct BackendArguments {
    /// What computes; `socket:PATH` is the chip of `acclmt serve`, `uio:/dev/uioN` one with DMA [default: the first
    /// that this program has]
    #[arg(long, value_name = "NAME")]
    pub backend: Option<String>,
}

/// Whether the name of a backend that says where a chip is names a place; what is missing otherwise.
fn check_place(name: &str) -> Result<(), &'static str> {
    let (kind, place) = name.split_once(':').unwrap_or((name, ""));
    match kind {
        "uio" => match place.split_once(',') {
            _ if place.is_empty() => Err("give a device, as in uio:/dev/uio0"),
            Some(("", _) | (_, "")) => {
                Err("give a device and a buffer, as in uio:/dev/uio0,/dev/udmabuf0")
            }
            _ => Ok(()),
        },
        _ if place.is_empty() => {
            Err("give the path of a socket, as acclmt serve prints it: socket:/tmp/chip")
        }
        _ => Ok(()),
    }
}

impl BackendArguments {
    /// The name of the backend asked for.
    pub fn name<'a>(&'a self, backends: &'a dyn BackendFactory) -> Result<&'a str, CommandError> {
        let names = backends.names();
        let Some(asked) = &self.backend else {
            return Ok(names[0]);
        };
        if let Some(name) = names.iter().find(|name| *name == asked) {
            return Ok(name);
        }
        if is_place(asked) {
            return match check_place(asked) {
                Ok(()) => Ok(asked),
                Err(what) => Err(CommandError::Usage(format!(
                    "--backend '{}' names no chip: {what}",
                    text::shortened(asked)
                ))),
            };
        }
        Err(CommandError::Usage(format!(
            "unknown backend '{}'; the backends are: {}, socket:PATH, uio:DEVICE",
            text::shortened(asked),
            names.join(", ")
        )))
    }
}

impl ParameterArguments {
    /// The parameter set asked for.
    pub fn load(&self) -> Result<AnyParameters, CommandError> {
        match (&self.preset, &self.parameters) {
            (_, Some(path)) => user_file::load(path).map_err(CommandError::failure),
            (Some(name), None) => {
                let parameters = presets::by_name(name).map_err(CommandError::usage)?;
                Ok(parameters.clone())
            }
            (None, None) => Err(CommandError::Usage(
                "no parameter set; give --preset or --parameters".to_owned(),
            )),
        }
    }
}

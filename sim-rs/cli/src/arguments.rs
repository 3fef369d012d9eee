//! Arguments that several commands have.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use acclmt_driver::registers::MAX_ENGINES;
use acclmt_driver::sharing::Sharing;
use acclmt_merkle::levels::{UpperError, UpperLevels, UpperPreset, parameters_by_level};
use acclmt_model::Hardware;
use acclmt_poseidon::fields::AnyParameters;
use acclmt_poseidon::{presets, text, user_file};
use clap::Args;

use crate::backends::{BackendFactory, BackendOptions, MODEL, SOFTWARE, is_place};
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

/// The parameter sets of upper levels of a tree.
#[derive(Args)]
pub struct UpperArguments {
    /// Hash the nodes of LEVEL and above with another preset, e.g. 10=filecoin-arity-2; several times for several
    /// levels
    #[arg(long, value_name = "LEVEL=PRESET")]
    upper: Vec<AtLevel>,
    /// The same with the parameter set of a file, TOML or JSON
    #[arg(long, value_name = "LEVEL=FILE")]
    upper_parameters: Vec<AtLevel>,
}

/// A level and what it has, as a user says it.
#[derive(Clone, Debug)]
struct AtLevel {
    level: u32,
    value: String,
}

/// A text names no level and what it has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AtLevelError {
    /// There is no `=`.
    #[error(
        "there is no '=' between a level and its parameter set; give both, as in 10=filecoin-arity-2"
    )]
    NoSeparator,
    /// What is before it is no level.
    #[error("'{0}' is no level; give its number, as in 10=filecoin-arity-2")]
    NoLevel(String),
}

impl FromStr for AtLevel {
    type Err = AtLevelError;

    fn from_str(text: &str) -> Result<Self, AtLevelError> {
        let (level, value) = text.split_once('=').ok_or(AtLevelError::NoSeparator)?;
        // A sign is no digit.
        let level = (level.bytes().all(|digit| digit.is_ascii_digit()))
            .then(|| level.parse().ok())
            .flatten()
            .ok_or_else(|| AtLevelError::NoLevel(text::shortened(level)))?;
        Ok(Self {
            level,
            value: value.to_owned(),
        })
    }
}

/// Parameter sets of upper levels, by ascending level.
pub struct UpperSets(Vec<(u32, AnyParameters)>);

impl UpperSets {
    /// The same for what takes references.
    pub fn levels(&self) -> Vec<UpperLevels<'_>> {
        let sets = self.0.iter();
        sets.map(|(from, parameters)| UpperLevels {
            from: *from,
            parameters,
        })
        .collect()
    }
}

impl UpperArguments {
    /// The parameter sets asked for, which make nodes for a tree of `base`.
    pub fn load(&self, base: &AnyParameters) -> Result<UpperSets, CommandError> {
        let sets = UpperSets(self.asked()?);
        (sets.check(base)).map_err(|error| CommandError::Usage(format!("--upper: {error}")))?;
        Ok(sets)
    }

    /// The same, and for levels that are not asked for the presets `named` by the file at `path`, a `what`.
    pub fn load_named(
        &self,
        base: &AnyParameters,
        named: &[UpperPreset],
        what: &str,
        path: &Path,
    ) -> Result<UpperSets, CommandError> {
        let mut sets = self.asked()?;
        let asked: Vec<u32> = sets.iter().map(|(level, _)| *level).collect();
        for UpperPreset { from, preset, .. } in named {
            if asked.contains(from) {
                continue;
            }
            let set = presets::by_name(preset).map_err(|_| {
                CommandError::Failure(format!(
                    "{}: the {what} names the parameter set '{}' of upper level {from}, which is no preset; give it \
                     with --upper-parameters {from}=FILE",
                    path.display(),
                    text::shortened(preset)
                ))
            })?;
            sets.push((*from, set.clone()));
        }
        sets.sort_by_key(|(level, _)| *level);
        let sets = UpperSets(sets);
        sets.check(base).map_err(|error| match asked.is_empty() {
            true => CommandError::Failure(format!("{}: {error}", path.display())),
            false => CommandError::Usage(format!("--upper: {error}")),
        })?;
        Ok(sets)
    }

    /// Files that are read.
    pub fn files(&self) -> Vec<PathBuf> {
        let files = self.upper_parameters.iter();
        files.map(|at| PathBuf::from(&at.value)).collect()
    }

    /// The option with a level for messages.
    pub fn option(&self, level: u32) -> String {
        let is_file = self.upper_parameters.iter().any(|at| at.level == level);
        let option = if is_file {
            "--upper-parameters"
        } else {
            "--upper"
        };
        format!("{option} {level}")
    }

    /// What is asked for, by ascending level.
    fn asked(&self) -> Result<Vec<(u32, AnyParameters)>, CommandError> {
        let mut sets = Vec::new();
        for AtLevel { level, value } in &self.upper {
            let set = presets::by_name(value)
                .map_err(|error| CommandError::Usage(format!("--upper {level}: {error}")))?;
            sets.push((*level, set.clone()));
        }
        for AtLevel { level, value } in &self.upper_parameters {
            let set = user_file::load(Path::new(value)).map_err(CommandError::failure)?;
            sets.push((*level, set));
        }
        sets.sort_by_key(|(level, _)| *level);
        let pairs = sets.iter().zip(sets.iter().skip(1));
        if let Some(((level, _), _)) = pairs.into_iter().find(|(one, other)| one.0 == other.0) {
            return Err(CommandError::Usage(format!(
                "--upper: level {level} has two parameter sets; give one"
            )));
        }
        Ok(sets)
    }
}

impl UpperSets {
    fn check(&self, base: &AnyParameters) -> Result<(), UpperError> {
        parameters_by_level(base, &self.levels()).map(drop)
    }
}

/// The parameter sets of a tree for people: `'filecoin-arity-8', from level 10 on 'filecoin-arity-2'`.
pub struct TreeSets<'a>(pub &'a str, pub &'a [UpperPreset]);

impl fmt::Display for TreeSets<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "'{}'", self.0)?;
        for UpperPreset { from, preset, .. } in self.1 {
            write!(formatter, ", from level {from} on '{preset}'")?;
        }
        Ok(())
    }
}

#[derive(Args)]
pub struct BackendArguments {
    /// What computes; `socket:PATH` is the chip of `acclmt serve`, `uio:/dev/uioN` one with DMA [default: the first
    /// that this program has]
    #[arg(long, value_name = "NAME")]
    pub backend: Option<String>,
}

/// How many hash engines the chip has, and how they are used.
#[derive(Args)]
pub struct EngineArguments {
    /// Hash engines of the modelled chip, 1 to 8 [default: 2]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=MAX_ENGINES as i64))]
    engines: Option<u8>,
    /// How hash engines are used: `fixed`, each hashes rows or nodes; `shared`, each hashes both [default: fixed, on a
    /// chip with one hash engine shared]
    #[arg(long, value_name = "HOW")]
    pub sharing: Option<Sharing>,
}

impl EngineArguments {
    /// `options` with what is asked for.
    pub fn add_to(&self, options: BackendOptions) -> BackendOptions {
        BackendOptions {
            engines: self.engines.map(usize::from),
            sharing: self.sharing,
            ..options
        }
    }
}

/// The node memory of the modelled chip.
#[derive(Args)]
pub struct NodeMemoryArguments {
    /// Words of the node memory of the modelled chip, a power of two from 32 to 32768 [default: 512]
    #[arg(long, value_name = "WORDS")]
    node_words: Option<u32>,
}

impl NodeMemoryArguments {
    /// `options` with what is asked for, for these backends.
    ///
    /// # Errors
    ///
    /// When another backend than the model is to have what is asked for.
    pub fn add_to(
        &self,
        options: BackendOptions,
        names: &[&str],
    ) -> Result<BackendOptions, CommandError> {
        let Some(node_words) = self.node_words else {
            return Ok(options);
        };
        if let Some(name) = names.iter().find(|name| **name != MODEL) {
            return Err(CommandError::Usage(format!(
                "--node-words {node_words} is for a chip that is modelled, and the backend '{}' is not; leave it out, or \
                 take the backend '{MODEL}'",
                text::shortened(name)
            )));
        }
        let hardware = Hardware {
            node_words,
            ..options.hardware.unwrap_or_default()
        };
        Ok(BackendOptions {
            hardware: Some(hardware),
            ..options
        })
    }
}

/// Most devices that build a tree together.
const MAX_DEVICES: u16 = 64;

/// What computes, in a command that several devices may do together.
#[derive(Args)]
pub struct DevicesArguments {
    /// What computes; `socket:PATH` is the chip of `acclmt serve`, `uio:/dev/uioN` one with DMA. Several times: a
    /// device of each, which build the tree together [default: the first that this program has]
    #[arg(long, value_name = "NAME")]
    backend: Vec<String>,
    /// Number of devices of the backend that build the tree together
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=i64::from(MAX_DEVICES)))]
    devices: Option<u16>,
}

impl DevicesArguments {
    /// The names of the backends asked for, one for each device.
    pub fn names<'a>(
        &'a self,
        backends: &'a dyn BackendFactory,
    ) -> Result<Vec<&'a str>, CommandError> {
        let names = match &self.backend[..] {
            [] => vec![backends.names()[0]],
            asked => (asked.iter())
                .map(|asked| find_backend(asked, backends))
                .collect::<Result<_, _>>()?,
        };
        let names = match (self.devices, &names[..]) {
            (None, _) => names,
            (Some(count), [name]) => vec![*name; count.into()],
            (Some(_), _) => {
                return Err(CommandError::Usage(
                    "--devices is for one backend, and --backend names several; leave --devices out, and name a \
                     backend as often as it has devices"
                        .to_owned(),
                ));
            }
        };
        if names.len() > MAX_DEVICES.into() {
            return Err(CommandError::Usage(format!(
                "--backend names {} devices, more than the {MAX_DEVICES} that build a tree together",
                names.len()
            )));
        }
        check_numbers(&names, backends)?;
        Ok(names)
    }
}

/// Refuses more devices of a backend than can work together.
fn check_numbers(names: &[&str], backends: &dyn BackendFactory) -> Result<(), CommandError> {
    for (index, &name) in names.iter().enumerate() {
        let same = |other: &&&str| chip_of(other) == chip_of(name);
        let count = names[..=index].iter().filter(same).count();
        let refuse = |why: String| Err(CommandError::Usage(why));
        if count > 1 && name == SOFTWARE {
            return refuse(format!(
                "the backend '{name}' computes on all processors by itself: more devices of it are no faster; take \
                 one"
            ));
        }
        if count > 1 && is_place(name) {
            return refuse(format!(
                "--backend '{}' is one chip; name the place of each",
                text::shortened(name)
            ));
        }
        let most = backends.at_a_time(name);
        if count > most {
            return refuse(format!(
                "{count} devices of the backend '{name}' do not work at the same time here; take {most}"
            ));
        }
    }
    Ok(())
}

/// What says whether two names of backends are those of one chip: a place may have several paths.
fn chip_of(name: &str) -> PathBuf {
    let place = match name.split_once(':') {
        // Behind a comma is the buffer of the chip.
        Some(("uio", place)) => place.split(',').next(),
        Some((_, place)) if is_place(name) => Some(place),
        _ => None,
    };
    place.map_or_else(
        || PathBuf::from(name),
        |place| {
            Path::new(place)
                .canonicalize()
                .unwrap_or_else(|_| place.into())
        },
    )
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
        match &self.backend {
            None => Ok(backends.names()[0]),
            Some(asked) => find_backend(asked, backends),
        }
    }
}

/// The name of a backend that the user names.
fn find_backend<'a>(
    asked: &'a str,
    backends: &'a dyn BackendFactory,
) -> Result<&'a str, CommandError> {
    let names = backends.names();
    if let Some(name) = names.iter().find(|name| **name == asked) {
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

//! The backends of the program.

use std::path::{Path, PathBuf};

use acclmt_driver::chip::{ChipDevice, ChipPort};
use acclmt_driver::device::Device;
use acclmt_driver::several::SeveralDevices;
use acclmt_driver::sharing::Sharing;
use acclmt_driver::software::SoftwareDevice;
use acclmt_model::stalls::Stalls;
use acclmt_model::{ComputingChip, Hardware, ModelDevice};
use acclmt_serve::SocketPort;

use crate::error::CommandError;

/// The backends that a program offers.
pub trait BackendFactory: Sync {
    /// Names of the backends; the first one is used where none is asked for.
    fn names(&self) -> &[&str];

    /// How many devices of the backend `name` may work at the same time.
    fn at_a_time(&self, name: &str) -> usize {
        if is_place(name) { 1 } else { usize::MAX }
    }

    /// Makes the backend `name`, one of [`BackendFactory::names`], `socket:PATH`, or
    /// `uio:/dev/uioN`.
    ///
    /// # Errors
    ///
    /// When the backend cannot be made, or does not offer what `options` ask for.
    fn open(
        &self,
        name: &str,
        options: &BackendOptions,
    ) -> Result<Box<dyn Device + Send>, BackendError>;

    /// Makes the chip of the backend `name`, after a reset, for those who drive it themselves.
    ///
    /// # Errors
    ///
    /// When the backend has no chip, or not as `options` ask for.
    fn open_chip(
        &self,
        name: &str,
        _options: &BackendOptions,
    ) -> Result<Box<dyn ChipPort>, BackendError> {
        Err(BackendError::new(format!(
            "the backend '{name}' has no chip to serve; take one of a chip"
        )))
    }
}

/// What the command line asks of a backend.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BackendOptions {
    /// The waveform to write, if any.
    pub waves: Option<Waves>,
    /// Only cycles are of interest: a backend that can count them without computing results does so.
    pub only_cycles: bool,
    /// How the chip is to be built, if not as the backend has it.
    pub hardware: Option<Hardware>,
    /// Hash engines that the chip is to have, if not as many as the backend's.
    pub engines: Option<usize>,
    /// How they are used, see [`ChipDevice::set_sharing`]; nothing is as the driver has it.
    ///
    /// [`ChipDevice::set_sharing`]: acclmt_driver::chip::ChipDevice::set_sharing
    pub sharing: Option<Sharing>,
    /// Stalls of the streams of the chip, if any.
    pub stalls: Option<Stalls>,
    /// Rows that are under way together, see [`ChipDevice::set_row_group`]; nothing is as the driver has it.
    ///
    /// [`ChipDevice::set_row_group`]: acclmt_driver::chip::ChipDevice::set_row_group
    pub row_group: Option<usize>,
}

impl BackendOptions {
    /// How a model is built.
    fn model(&self) -> Hardware {
        let hardware = self.hardware.unwrap_or_default();
        Hardware {
            num_engines: self.engines.unwrap_or(hardware.num_engines),
            ..hardware
        }
    }

    /// Refuses another number of hash engines than a chip has.
    ///
    /// # Errors
    ///
    /// When so many are not asked for.
    pub fn check_engines(&self, chip: &str, num_engines: usize) -> Result<(), BackendError> {
        match self.engines {
            Some(asked) if asked != num_engines => Err(BackendError::new(format!(
                "{asked} hash engines are asked for, and {chip} has {num_engines}; leave --engines out, or take \
                 the backend 'model'"
            ))),
            _ => Ok(()),
        }
    }
}

/// A window of a simulation that is written as a waveform.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waves {
    /// The file, in FST format.
    pub path: PathBuf,
    /// First clock cycle, counted from the reset.
    pub from: u64,
    /// Number of clock cycles.
    pub cycles: u64,
}

/// Why a backend could not be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BackendError(String);

impl BackendError {
    /// A failure that `message` describes: what was tried, and what to do.
    pub fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

/// The name of the software backend, which every program offers.
pub const SOFTWARE: &str = "software";

/// The name of the backend of the cycle-exact model, which every program offers.
pub const MODEL: &str = "model";

/// How the names of backends begin that say where a chip is.
const SOCKET: &str = "socket:";

const UIO: &str = "uio:";

/// Whether the name of a backend says where a chip is.
pub fn is_place(name: &str) -> bool {
    name.starts_with(SOCKET) || name.starts_with(UIO)
}

/// What the options of a chip that is there already cannot ask for.
fn check_chip(what: &str, options: &BackendOptions) -> Result<(), BackendError> {
    let refused = |option: &str| {
        Err(BackendError::new(format!(
            "a chip {what} {option}; leave that out, or take the backend of a chip of this program"
        )))
    };
    if options.waves.is_some() {
        return refused("has no waveforms");
    }
    if options
        .stalls
        .is_some_and(|stalls| stalls != Stalls::default())
    {
        return refused("has no stalls to choose");
    }
    Ok(())
}

/// A device that drives the chip behind `port`, which is built as it is.
fn drive<P: ChipPort + Send + 'static>(
    port: P,
    what: &str,
    options: &BackendOptions,
) -> Result<Box<dyn Device + Send>, BackendError> {
    let mut device = ChipDevice::new(port).map_err(|error| BackendError::new(error.to_string()))?;
    if let Some(hardware) = &options.hardware
        && device.capabilities().limits != hardware.limits()
    {
        return Err(BackendError::new(format!(
            "the chip {what} is built in another way than asked for; leave that out, or take the backend 'model'"
        )));
    }
    options.check_engines(
        &format!("the chip {what}"),
        device.capabilities().limits.num_engines,
    )?;
    device.set_row_group(options.row_group);
    device.set_sharing(options.sharing);
    Ok(Box::new(device))
}

/// The chip behind `/dev/uioN`, or behind that and a buffer of u-dma-buf after a comma.
#[cfg(target_os = "linux")]
fn open_uio(place: &str, options: &BackendOptions) -> Result<Box<dyn Device + Send>, BackendError> {
    let what = "of a board";
    check_chip(what, options)?;
    let (device, udmabuf) = match place.split_once(',') {
        Some((device, udmabuf)) => (device, Some(Path::new(udmabuf))),
        None => (place, None),
    };
    let timing = acclmt_linux::Timing::default();
    let port = acclmt_linux::uio::open(Path::new(device), udmabuf, timing);
    drive(
        port.map_err(|error| BackendError::new(error.to_string()))?,
        what,
        options,
    )
}

#[cfg(not(target_os = "linux"))]
fn open_uio(
    _place: &str,
    _options: &BackendOptions,
) -> Result<Box<dyn Device + Send>, BackendError> {
    Err(BackendError::new("devices /dev/uioN are those of Linux"))
}

/// The chip behind a socket, which is as its server has built it.
fn open_socket(
    path: &str,
    options: &BackendOptions,
) -> Result<Box<dyn Device + Send>, BackendError> {
    let what = "behind a socket";
    check_chip(what, options)?;
    let mut told = None;
    let port = SocketPort::connect(Path::new(path), &mut |place| {
        if told != Some(place) {
            told = Some(place);
            eprintln!("note: the chip is in use; sessions before this one: {place}");
        }
    });
    drive(
        port.map_err(|error| BackendError::new(error.to_string()))?,
        what,
        options,
    )
}

/// The backends of the library: the software, and the model of a chip with default parameters.
#[derive(Clone, Copy, Debug, Default)]
pub struct LibraryBackends;

impl BackendFactory for LibraryBackends {
    fn names(&self) -> &[&str] {
        &[SOFTWARE, MODEL]
    }

    fn open(
        &self,
        name: &str,
        options: &BackendOptions,
    ) -> Result<Box<dyn Device + Send>, BackendError> {
        if let Some(path) = name.strip_prefix(SOCKET) {
            return open_socket(path, options);
        }
        if let Some(place) = name.strip_prefix(UIO) {
            return open_uio(place, options);
        }
        if options.waves.is_some() {
            return Err(BackendError::new(format!(
                "the backend '{name}' has no waveforms; leave --waves out"
            )));
        }
        if name == MODEL {
            let device = ModelDevice::new(options.model())
                .map_err(|error| BackendError::new(error.to_string()))?
                .with_results(!options.only_cycles)
                .with_row_group(options.row_group)
                .with_sharing(options.sharing)
                .with_stalls(options.stalls.unwrap_or_default());
            return Ok(Box::new(device));
        }
        if options.engines.is_some() || options.sharing.is_some() {
            return Err(BackendError::new(format!(
                "the backend '{name}' has no hash engines; leave --engines and --sharing out, or take one of a chip"
            )));
        }
        Ok(Box::new(SoftwareDevice::new()))
    }

    fn open_chip(
        &self,
        name: &str,
        options: &BackendOptions,
    ) -> Result<Box<dyn ChipPort>, BackendError> {
        if name != MODEL {
            return Err(BackendError::new(format!(
                "the backend '{name}' has no chip to serve; take one of a chip"
            )));
        }
        let chip = ComputingChip::new(options.model());
        let chip = chip.map_err(|error| BackendError::new(error.to_string()))?;
        Ok(Box::new(chip))
    }
}

/// What asks a backend for cycles alone.
pub fn only_cycles() -> BackendOptions {
    BackendOptions {
        only_cycles: true,
        ..BackendOptions::default()
    }
}

/// The backend `name`, which is asked for cycles alone.
pub fn open_for_cycles(
    backends: &dyn BackendFactory,
    name: &str,
) -> Result<Box<dyn Device + Send>, CommandError> {
    open_with(backends, name, &only_cycles())
}

/// The backend `name` with these options.
pub fn open_with(
    backends: &dyn BackendFactory,
    name: &str,
    options: &BackendOptions,
) -> Result<Box<dyn Device + Send>, CommandError> {
    let device = backends.open(name, options);
    device.map_err(CommandError::failure)
}

/// Names of backends, each once.
pub fn different<'a>(names: &[&'a str]) -> Vec<&'a str> {
    let mut different: Vec<&str> = Vec::new();
    for name in names {
        if !different.contains(name) {
            different.push(name);
        }
    }
    different
}

/// The device of these backends, or several of them as one: with equal shares, or each with what it gets done.
pub fn open_devices(
    backends: &dyn BackendFactory,
    names: &[&str],
    options: &BackendOptions,
    evenly: bool,
) -> Result<Box<dyn Device>, CommandError> {
    let devices = names.iter().map(|name| backends.open(name, options));
    let mut devices = devices
        .collect::<Result<Vec<_>, _>>()
        .map_err(CommandError::failure)?;
    match (devices.pop(), devices.is_empty()) {
        (Some(device), true) => Ok(device),
        (last, _) => {
            devices.extend(last);
            let several = SeveralDevices::new(devices);
            Ok(Box::new(match evenly {
                true => several.evenly(),
                false => several,
            }))
        }
    }
}

/// A backend that was asked for cycles has no chip.
pub fn no_hash_engine(backend: &str) -> CommandError {
    CommandError::Failure(format!(
        "the backend '{backend}' has no hash engine and counts no cycles; use one of a chip"
    ))
}

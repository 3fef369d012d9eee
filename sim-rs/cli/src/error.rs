//! Why a command did not succeed.

use std::io;
use std::path::Path;

/// Why a command did not succeed.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// The command line asks for something that does not exist.
    #[error("{0}")]
    Usage(String),
    /// Something went wrong with the data or the device.
    #[error("{0}")]
    Failure(String),
    /// Results could not be written.
    #[error("cannot write the result: {0}")]
    Output(#[from] io::Error),
}

impl CommandError {
    pub fn usage(error: impl std::fmt::Display) -> Self {
        Self::Usage(error.to_string())
    }

    pub fn failure(error: impl std::fmt::Display) -> Self {
        Self::Failure(error.to_string())
    }

    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_) => 2,
            Self::Failure(_) | Self::Output(_) => 1,
        }
    }
}

/// A file or a folder that could not be read or written.
pub fn file_failure(path: &Path, error: &io::Error) -> CommandError {
    CommandError::Failure(format!("{}: {error}", path.display()))
}

// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! The socket in the file system: made with its permissions, and removed by whoever made it.

use std::fs::{self, File, Metadata, Permissions};
use std::io::{self, ErrorKind};
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _};
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Why there is no server.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// A server is there already.
    #[error("{path}: a server listens on it already; give another name, or end that server first")]
    InUse {
        /// The socket.
        path: PathBuf,
    },
    /// A server was there.
    #[error(
        "{path}: the socket exists and nobody listens on it: a server was killed; remove the socket and start \
         again"
    )]
    Stale {
        /// The socket.
        path: PathBuf,
    },
    /// Something else is there.
    #[error("{path} exists and is no socket; give another name")]
    Exists {
        /// What is there.
        path: PathBuf,
    },
    /// The socket could not be made.
    #[error("cannot make the socket {path}: {problem}")]
    Socket {
        /// The socket.
        path: PathBuf,
        /// What went wrong, and what to do.
        problem: String,
    },
    /// No client can connect any more.
    #[error("the socket {path} takes no clients any more: {problem}")]
    Accept {
        /// The socket.
        path: PathBuf,
        /// What went wrong.
        problem: String,
    },
}

/// Sockets of this process, with device and number of the file.
static SOCKETS: Mutex<Vec<(PathBuf, (u64, u64))>> = Mutex::new(Vec::new());

fn sockets() -> MutexGuard<'static, Vec<(PathBuf, (u64, u64))>> {
    SOCKETS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A socket that is listened on; it is removed when it is dropped.
pub struct Socket {
    pub listener: UnixListener,
    path: PathBuf,
}

impl Socket {
    /// Makes the socket, which its owner alone may use.
    ///
    /// It is made in a folder that nobody else can enter, and gets its name when its permissions are set; the
    /// umask of the process, which other threads share, stays as it is.
    pub fn new(path: &Path) -> Result<Self, ServeError> {
        let error = |error: &io::Error| failure(path, error);
        // A name that no client could connect to.
        if SocketAddr::from_pathname(path).is_err() {
            let bytes = path.as_os_str().len();
            return Err(ServeError::Socket {
                path: path.to_owned(),
                problem: format!(
                    "its path has {bytes} bytes, that of a socket at most {}; give a shorter one",
                    longest_path()
                ),
            });
        }
        if fs::symlink_metadata(path).is_ok() {
            return Err(occupied(path));
        }
        let folder = match path.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        };
        let hidden = tempfile::Builder::new()
            .prefix(".acclmt-")
            .permissions(Permissions::from_mode(0o700))
            .tempdir_in(folder)
            .map_err(|cause| error(&cause))?;
        let made = hidden.path().join("s");
        let listener = bind(hidden.path(), &made, path)?;
        fs::set_permissions(&made, Permissions::from_mode(0o600)).map_err(|cause| error(&cause))?;
        // Between its name and its entry nothing may end the process without removing it.
        let mut sockets = sockets();
        let file = fs::symlink_metadata(&made).map_err(|cause| error(&cause))?;
        match fs::hard_link(&made, path) {
            Ok(()) => {}
            Err(cause) if cause.kind() == ErrorKind::AlreadyExists => return Err(occupied(path)),
            Err(cause) => return Err(error(&cause)),
        }
        let path = path.to_owned();
        sockets.push((path.clone(), identity(&file)));
        Ok(Self { listener, path })
    }

    /// What went wrong with the socket.
    pub fn error(&self, error: &io::Error) -> ServeError {
        failure(&self.path, error)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        let mut sockets = sockets();
        if let Some(index) = sockets.iter().position(|(path, _)| *path == self.path) {
            let (path, identity) = sockets.swap_remove(index);
            remove(&path, identity);
        }
    }
}

/// Removes the sockets of this process, and lets no other one be made from then on: for a program that is about to
/// exit.
pub fn remove_sockets() {
    let mut sockets = sockets();
    for (path, identity) in sockets.drain(..) {
        remove(&path, identity);
    }
    std::mem::forget(sockets);
}

fn identity(file: &Metadata) -> (u64, u64) {
    (file.dev(), file.ino())
}

/// Removes a socket, unless its name belongs to something else by now.
fn remove(path: &Path, made: (u64, u64)) {
    if fs::symlink_metadata(path).is_ok_and(|file| identity(&file) == made) {
        // There is nobody to tell that a socket of no use is left.
        let _ = fs::remove_file(path);
    }
}

/// What is at a path where a socket was to be made.
fn occupied(path: &Path) -> ServeError {
    let path = path.to_owned();
    if !fs::metadata(&path).is_ok_and(|file| file.file_type().is_socket()) {
        return ServeError::Exists { path };
    }
    match UnixStream::connect(&path) {
        Err(error) if error.kind() == ErrorKind::ConnectionRefused => ServeError::Stale { path },
        _ => ServeError::InUse { path },
    }
}

/// Binds `made` in the folder `hidden`, whose name is longer than that of the socket at `path` will be.
fn bind(hidden: &Path, made: &Path, path: &Path) -> Result<UnixListener, ServeError> {
    if SocketAddr::from_pathname(made).is_ok() {
        return UnixListener::bind(made).map_err(|cause| failure(path, &cause));
    }
    let folder = File::open(hidden).map_err(|cause| failure(path, &cause))?;
    let short = format!("/proc/self/fd/{}/s", folder.as_raw_fd());
    UnixListener::bind(short).map_err(|cause| {
        let excess = made.as_os_str().len() - longest_path();
        ServeError::Socket {
            path: path.to_owned(),
            problem: format!(
                "it gets its name from a hidden one beside it that is too long, and not within reach of /proc: \
                 {cause}; give a folder whose name is {excess} bytes shorter"
            ),
        }
    })
}

/// Bytes of the path of a socket at most.
fn longest_path() -> usize {
    let fits = |bytes: &usize| SocketAddr::from_pathname("x".repeat(*bytes)).is_ok();
    (1..).take_while(fits).last().unwrap_or_default()
}

fn failure(path: &Path, error: &io::Error) -> ServeError {
    ServeError::Socket {
        path: path.to_owned(),
        problem: problem(error),
    }
}

fn problem(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "its folder does not exist; make the folder first".to_owned(),
        ErrorKind::PermissionDenied => {
            "its folder may not be written to; give another one".to_owned()
        }
        _ => error.to_string(),
    }
}

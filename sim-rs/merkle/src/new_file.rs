//! Files that appear under their name only when they are whole.
//!
//! A [`NewFile`] is a temporary file in the folder of the file that it becomes. It is removed when it is
//! dropped before [`NewFile::finish`], and by [`remove_unfinished`], which a program calls when it is
//! interrupted. A program that is killed leaves `.acclmt-*.partial` behind, which is in nobody's way.

use std::collections::BTreeSet;
use std::fs::{self, File, Permissions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::{Builder, NamedTempFile};

/// How the name of a temporary file begins and ends.
const PREFIX: &str = ".acclmt-";
const SUFFIX: &str = ".partial";

/// Temporary files that there are now.
static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn unfinished() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A file on its way to its name.
#[derive(Debug)]
pub struct NewFile {
    file: Option<NamedTempFile>,
    path: PathBuf,
}

impl NewFile {
    /// Creates the temporary file of `path`. A file that is there stays as it is until
    /// [`finish`](NewFile::finish) replaces it; a symbolic link stays one, and what it leads to is
    /// replaced.
    ///
    /// # Errors
    ///
    /// When the folder cannot be written to, or `path` is something else than a file.
    pub fn create(path: &Path) -> io::Result<Self> {
        let existing = fs::metadata(path).ok();
        if path.file_name().is_none() || existing.as_ref().is_some_and(|it| !it.is_file()) {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "it is no regular file; give the name of a file",
            ));
        }
        // Where a link leads to nothing, the link is replaced.
        let path = match existing {
            Some(_) => path.canonicalize()?,
            None => path.to_owned(),
        };
        let folder = match path.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        };
        let mut builder = Builder::new();
        builder.prefix(PREFIX).suffix(SUFFIX);
        if let Some(permissions) = permissions(existing.as_ref()) {
            builder.permissions(permissions);
        }
        // Between the creation and its entry nothing may remove what is unfinished.
        let mut unfinished = unfinished();
        let file = builder.tempfile_in(folder).map_err(|error| {
            // The name of the temporary file says nothing to anybody.
            io::Error::new(error.kind(), reason(&error))
        })?;
        unfinished.insert(file.path().to_owned());
        drop(unfinished);
        Ok(Self {
            file: Some(file),
            path,
        })
    }

    /// The file to write to.
    pub fn file(&mut self) -> &mut File {
        self.named().as_file_mut()
    }

    /// The path of the whole file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where the file is until it has its name.
    pub fn temporary_path(&mut self) -> PathBuf {
        self.named().path().to_owned()
    }

    /// Gives the file its name, once all of it is on the disk.
    ///
    /// # Errors
    ///
    /// When that fails; there is no temporary file then either.
    pub fn finish(mut self) -> io::Result<()> {
        self.file().sync_all()?;
        let Some(file) = self.file.take() else {
            return Ok(());
        };
        let temporary = file.path().to_owned();
        let mut unfinished = unfinished();
        let result = file.persist(&self.path);
        unfinished.remove(&temporary);
        result.map(drop).map_err(|error| error.error)
    }

    fn named(&mut self) -> &mut NamedTempFile {
        self.file
            .as_mut()
            .expect("only `finish` and `drop` take the file")
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if let Some(file) = self.file.take() {
            let temporary = file.path().to_owned();
            // There is nobody to tell that a file of no use is left.
            let _ = file.close();
            unfinished().remove(&temporary);
        }
    }
}

/// The permissions of a file that is replaced; those of any new file where there is none.
#[cfg(unix)]
fn permissions(existing: Option<&fs::Metadata>) -> Option<Permissions> {
    use std::os::unix::fs::PermissionsExt as _;
    let any = || Permissions::from_mode(0o666);
    Some(existing.map_or_else(any, fs::Metadata::permissions))
}

#[cfg(not(unix))]
fn permissions(_existing: Option<&fs::Metadata>) -> Option<Permissions> {
    None
}

/// What the operating system said, without the path that `tempfile` puts behind it.
fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    match text.split_once(" at path ") {
        Some((reason, _)) => reason.to_owned(),
        None => text,
    }
}

/// Removes every temporary file of the process, and lets no [`NewFile`] be made or end from then on:
/// for a program that is about to exit. What a library keeps beside such a file, under its name with
/// something behind it, is removed too.
pub fn remove_unfinished() {
    let unfinished = unfinished();
    for path in unfinished.iter() {
        // There is nobody to tell that a file of no use is left.
        let _ = fs::remove_file(path);
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            continue;
        };
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let other = entry.file_name();
            if (other.as_encoded_bytes()).starts_with(name.as_encoded_bytes()) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
    std::mem::forget(unfinished);
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::io::Write as _;

    use super::*;

    fn names(folder: &Path) -> Vec<OsString> {
        let entries = fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().file_name()).collect()
    }

    #[test]
    fn files_appear_when_they_are_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let mut file = NewFile::create(&path).unwrap();
        file.file().write_all(b"one").unwrap();
        assert!(!path.exists());
        assert_eq!(names(folder.path()).len(), 1);
        file.finish().unwrap();
        assert_eq!(names(folder.path()), ["file"]);

        let mut file = NewFile::create(&path).unwrap();
        file.file().write_all(b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"one");
        drop(file);
        assert_eq!(names(folder.path()), ["file"]);
        assert_eq!(fs::read(&path).unwrap(), b"one");

        let mut file = NewFile::create(&path).unwrap();
        file.file().write_all(b"three").unwrap();
        file.finish().unwrap();
        assert_eq!(names(folder.path()), ["file"]);
        assert_eq!(fs::read(&path).unwrap(), b"three");
    }

    /// What a killed program leaves blocks nobody, and of two writers the last one wins.
    #[test]
    fn leftovers_are_in_nobodys_way() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(folder.path().join("file.partial"), "left").unwrap();
        let mut first = NewFile::create(&path).unwrap();
        let mut second = NewFile::create(&path).unwrap();
        first.file().write_all(b"first").unwrap();
        second.file().write_all(b"second").unwrap();
        second.finish().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        first.finish().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"first");
        assert_eq!(names(folder.path()).len(), 2);
    }

    #[cfg(unix)]
    #[test]
    fn permissions_and_links_stay() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let mode = || fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        fs::write(folder.path().join("any"), "").unwrap();
        let any = fs::metadata(folder.path().join("any")).unwrap();
        NewFile::create(&path).unwrap().finish().unwrap();
        assert_eq!(mode(), any.permissions().mode() & 0o777);
        fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
        let link = folder.path().join("link");
        symlink("file", &link).unwrap();
        let mut file = NewFile::create(&link).unwrap();
        file.file().write_all(b"through").unwrap();
        file.finish().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"through");
        assert_eq!(mode(), 0o600);
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    }

    #[test]
    fn only_files_are_replaced() {
        let folder = tempfile::tempdir().unwrap();
        for path in [folder.path(), Path::new("/"), Path::new("..")] {
            let message = NewFile::create(path).unwrap_err().to_string();
            assert!(message.contains("no regular file"), "{message}");
        }
        let absent = folder.path().join("absent").join("file");
        let message = NewFile::create(&absent).unwrap_err().to_string();
        assert!(
            message.starts_with("No such file") && !message.contains(PREFIX),
            "{message}"
        );
        // The name is taken by a folder before the end.
        let path = folder.path().join("file");
        let file = NewFile::create(&path).unwrap();
        fs::create_dir(&path).unwrap();
        assert!(file.finish().is_err());
        assert_eq!(names(folder.path()), ["file"]);
    }
}

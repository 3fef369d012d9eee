//! Files that appear under their name only when they are whole.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// A file on its way: it is `<name>.partial` in the folder of the file until [`finish`], and is
/// removed when it is dropped before.
///
/// [`finish`]: PartialFile::finish
#[derive(Debug)]
pub(crate) struct PartialFile {
    file: File,
    path: PathBuf,
    partial: PathBuf,
    is_finished: bool,
}

impl PartialFile {
    /// Creates the partial file of `path`, which a whole file may have already.
    ///
    /// # Errors
    ///
    /// When the partial file cannot be created or is there already, or `path` is something else than
    /// a file.
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        let partial = partial_name(path)?;
        let file = File::create_new(&partial).map_err(|error| {
            if error.kind() != io::ErrorKind::AlreadyExists {
                return error;
            }
            let problem = format!(
                "{} exists: the file is being written, or writing it was interrupted; remove it if \
                 nothing writes it",
                partial.display()
            );
            io::Error::new(io::ErrorKind::AlreadyExists, problem)
        })?;
        Ok(Self {
            file,
            path: path.to_owned(),
            partial,
            is_finished: false,
        })
    }

    /// The same for a caller who knows that nobody else writes the file: a partial file was left by an
    /// interrupted one, and goes.
    ///
    /// # Errors
    ///
    /// As [`create`](PartialFile::create).
    pub(crate) fn create_again(path: &Path) -> io::Result<Self> {
        match fs::remove_file(partial_name(path)?) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Self::create(path),
        }
    }

    /// The file to write to.
    pub(crate) fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// The path of the whole file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Gives the file its name, once all of it is on the disk.
    ///
    /// # Errors
    ///
    /// When that fails; there is no partial file then either.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.file.sync_all()?;
        fs::rename(&self.partial, &self.path)?;
        self.is_finished = true;
        Ok(())
    }
}

/// The name of a file while it is on its way.
fn partial_name(path: &Path) -> io::Result<PathBuf> {
    match path.file_name() {
        Some(name) if !path.metadata().is_ok_and(|it| !it.is_file()) => {
            let mut partial = OsString::from(name);
            partial.push(".partial");
            Ok(path.with_file_name(partial))
        }
        _ => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "it is no regular file; give the name of a file",
        )),
    }
}

impl Drop for PartialFile {
    fn drop(&mut self) {
        if !self.is_finished {
            // There is nobody to tell that a file of no use is left.
            let _ = fs::remove_file(&self.partial);
        }
    }
}

#[cfg(test)]
mod tests {
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
        let mut file = PartialFile::create(&path).unwrap();
        file.file().write_all(b"one").unwrap();
        assert_eq!(names(folder.path()), ["file.partial"]);
        file.finish().unwrap();
        assert_eq!(names(folder.path()), ["file"]);

        let mut file = PartialFile::create(&path).unwrap();
        file.file().write_all(b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"one");
        drop(file);
        assert_eq!(names(folder.path()), ["file"]);
        assert_eq!(fs::read(&path).unwrap(), b"one");

        let mut file = PartialFile::create(&path).unwrap();
        file.file().write_all(b"three").unwrap();
        file.finish().unwrap();
        assert_eq!(names(folder.path()), ["file"]);
        assert_eq!(fs::read(&path).unwrap(), b"three");
    }

    #[test]
    fn two_writers_of_a_file_are_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let first = PartialFile::create(&path).unwrap();
        let message = PartialFile::create(&path).unwrap_err().to_string();
        assert!(
            message.contains("file.partial exists") && message.contains("remove it"),
            "{message}"
        );
        first.finish().unwrap();
        assert_eq!(names(folder.path()), ["file"]);
    }

    #[test]
    fn only_files_are_replaced() {
        let folder = tempfile::tempdir().unwrap();
        for path in [folder.path(), Path::new("/"), Path::new("..")] {
            let message = PartialFile::create(path).unwrap_err().to_string();
            assert!(message.contains("no regular file"), "{message}");
        }
        let absent = folder.path().join("absent").join("file");
        assert!(PartialFile::create(&absent).is_err());
        // The name is taken by a folder before the end.
        let path = folder.path().join("file");
        let file = PartialFile::create(&path).unwrap();
        fs::create_dir(&path).unwrap();
        assert!(file.finish().is_err());
        assert_eq!(names(folder.path()), ["file"]);
    }
}

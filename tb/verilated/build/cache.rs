// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! Keeps what Verilator and the C++ compiler made, in the target folder of cargo, under a hash of what they
//! made it from. All profiles and all sets of features share it, and `cargo clean` removes it.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::{Result, paths_in, with_path};

/// Entries of one name that stay: a build for every large prime, and some older states of the sources.
const KEPT: usize = 10;

/// The file of an entry whose time says when it was last used.
const USED: &str = "used";

/// The hash of everything that an entry is made from.
#[derive(Clone, Default)]
pub struct Key(DefaultHasher);

impl Key {
    pub fn add(&mut self, value: impl Hash) {
        value.hash(&mut self.0);
    }

    pub fn text(&self) -> String {
        format!("{:016x}", self.0.finish())
    }
}

/// The folder of all entries, locked against other builds.
pub struct Cache {
    directory: PathBuf,
    // The lock lasts as long as the file is open.
    _lock: File,
}

impl Cache {
    /// Opens the cache of the target folder that `out_dir` is in; waits while another build has it open.
    pub fn open(out_dir: &Path) -> Result<Self> {
        // Cargo names TARGET/PROFILE/build/PACKAGE/out. Elsewhere the entries serve this build only.
        let build = out_dir.ancestors().nth(2);
        let target = build
            .filter(|build| build.ends_with("build"))
            .and_then(|build| build.ancestors().nth(2))
            .unwrap_or(out_dir);
        let directory = target.join("acclmt-simulation");
        fs::create_dir_all(&directory).map_err(|error| with_path("create", &directory, error))?;
        let path = directory.join("lock");
        let lock = File::create(&path).map_err(|error| with_path("create", &path, error))?;
        lock.lock()
            .map_err(|error| with_path("lock", &path, error))?;
        Ok(Self {
            directory,
            _lock: lock,
        })
    }

    /// The entry of `name` for `key`, made already or not.
    pub fn entry(&self, name: &str, key: &Key) -> Result<Entry> {
        let path = self.directory.join(name).join(key.text());
        let ready = path.is_dir();
        if ready {
            let used = path.join(USED);
            fs::write(&used, "").map_err(|error| with_path("write", &used, error))?;
        }
        Ok(Entry { path, ready })
    }

    /// A file with this text, the same path for the same text.
    pub fn file(&self, name: &str, text: &str) -> Result<PathBuf> {
        let mut key = Key::default();
        key.add(text);
        let mut entry = self.entry(&format!("sources/{name}"), &key)?;
        if !entry.ready {
            let path = entry.begin()?.join(name);
            fs::write(&path, text).map_err(|error| with_path("write", &path, error))?;
            entry.finish()?;
        }
        Ok(entry.path.join(name))
    }
}

/// A folder of the cache.
pub struct Entry {
    /// Where it is when it is made.
    pub path: PathBuf,
    pub ready: bool,
}

impl Entry {
    /// An empty folder to make the entry in. Only [`finish`](Self::finish) gives it its name, so that an
    /// interrupted build leaves no half of an entry.
    pub fn begin(&self) -> Result<PathBuf> {
        let partial = self.partial();
        if partial.exists() {
            fs::remove_dir_all(&partial).map_err(|error| with_path("empty", &partial, error))?;
        }
        fs::create_dir_all(&partial).map_err(|error| with_path("create", &partial, error))?;
        Ok(partial)
    }

    /// The entry is made. Entries of the name that have not been used for longest go.
    pub fn finish(&mut self) -> Result<()> {
        let partial = self.partial();
        let used = partial.join(USED);
        fs::write(&used, "").map_err(|error| with_path("write", &used, error))?;
        fs::rename(&partial, &self.path).map_err(|error| with_path("rename", &partial, error))?;
        self.ready = true;
        let mut entries = paths_in(self.path.parent().unwrap_or(&self.path))?;
        entries.sort_by_key(|entry| {
            let used = fs::metadata(entry.join(USED)).and_then(|data| data.modified());
            std::cmp::Reverse(used.unwrap_or(SystemTime::UNIX_EPOCH))
        });
        for entry in entries.iter().skip(KEPT) {
            fs::remove_dir_all(entry).map_err(|error| with_path("remove", entry, error))?;
        }
        Ok(())
    }

    fn partial(&self) -> PathBuf {
        let mut name = self.path.file_name().unwrap_or(OsStr::new("")).to_owned();
        name.push(".partial");
        self.path.with_file_name(name)
    }
}

// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! Compiles C++, and only what the cache has not got: Verilator writes the same code for the same block
//! again, and a change of the design leaves most blocks as they are.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::time::Duration;

use crate::cache::{Cache, Entry, Key};
use crate::{BENCHES, INSTALL_HINT, Result, paths_in, read, variable, with_path};

/// Bytes of generated code that are compiled at once. Most of the files are small, and the headers that each
/// of them includes take a second to read. Less would be slower, more would keep processors waiting.
const UNIT_BYTES: usize = 1_500_000;

/// Files that become objects together.
pub struct Library {
    pub name: String,
    pub files: Vec<PathBuf>,
    /// The folders of the headers.
    pub includes: Vec<PathBuf>,
    pub defines: Vec<(&'static str, String)>,
    /// What Verilator has written can be compiled in larger pieces.
    pub generated: bool,
}

/// A C++ compiler with what all files have in common.
pub struct Compiler {
    /// By optimization level.
    tools: BTreeMap<u32, cc::Tool>,
    includes: Vec<PathBuf>,
    prelude: PathBuf,
    /// What all objects depend on.
    key: Key,
}

/// One run of the compiler.
struct Job {
    /// The number of the library.
    library: usize,
    source: PathBuf,
    command: Command,
    bytes: usize,
}

impl Compiler {
    /// The compiler that `CXX` or the system names. `runtime` says which headers Verilator brings, in
    /// `includes`.
    pub fn new(runtime: &str, includes: Vec<PathBuf>, prelude: PathBuf) -> Result<Self> {
        let mut key = Key::default();
        key.add((runtime, &includes, read(&prelude)?, UNIT_BYTES));
        let mut tools = BTreeMap::new();
        for level in [0, 1, 3] {
            let tool = cc::Build::new()
                .cpp(true)
                .std("c++20")
                // The same in every profile: a simulation without optimisation is of no use.
                .opt_level(level)
                .debug(false)
                .warnings(false)
                .define("VL_TIME_CONTEXT", None)
                .try_get_compiler()
                .map_err(|error| format!("no C++ compiler: {error}; {INSTALL_HINT}"))?;
            key.add((
                level,
                tool.path(),
                tool.args(),
                tool.get_envs().collect::<Vec<_>>(),
            ));
            tools.insert(level, tool);
        }
        let tool = &tools[&0];
        let version = Command::new(tool.path())
            .arg("--version")
            .output()
            .map_err(|error| {
                format!(
                    "the C++ compiler {} was not found ({error}); {INSTALL_HINT}",
                    tool.path().display()
                )
            })?;
        key.add(version.stdout);
        Ok(Self {
            tools,
            includes,
            prelude,
            key,
        })
    }

    /// The objects of the libraries, as many at a time as cargo allows.
    pub fn compile(&self, cache: &Cache, libraries: &[Library]) -> Result<Vec<PathBuf>> {
        let mut entries = Vec::new();
        let mut jobs = Vec::new();
        for library in libraries {
            let entry = cache.entry(&format!("objects/{}", library.name), &self.key(library)?)?;
            let first = jobs.len();
            if !entry.ready {
                self.add_jobs(library, entries.len(), &entry, &mut jobs)?;
            }
            entries.push((entry, jobs.len() - first));
        }
        // An entry is finished with the last of its objects: a build that is interrupted keeps what it has.
        let entries = Mutex::new(entries);
        run(jobs, &|library| {
            let (entry, left) = &mut entries.lock().expect("no job panics")[library];
            *left -= 1;
            if *left == 0 { entry.finish() } else { Ok(()) }
        })?;
        let mut objects = Vec::new();
        for (entry, _) in entries.into_inner().expect("no job panics") {
            let mut paths = paths_in(&entry.path)?;
            paths.retain(|path| path.extension() == Some(OsStr::new("o")));
            objects.extend(paths);
        }
        Ok(objects)
    }

    /// What the objects depend on: the files, the headers beside them and in further folders, the flags.
    fn key(&self, library: &Library) -> Result<Key> {
        let mut key = self.key.clone();
        key.add((&library.defines, library.generated));
        for path in &library.files {
            key.add((path.file_name(), read(path)?, optimization_level(path)));
        }
        for folder in &library.includes {
            for path in paths_in(folder)? {
                if path.extension() == Some(OsStr::new("h")) {
                    key.add((path.file_name(), read(&path)?));
                }
            }
        }
        Ok(key)
    }

    fn add_jobs(
        &self,
        library: &Library,
        number: usize,
        entry: &Entry,
        jobs: &mut Vec<Job>,
    ) -> Result<()> {
        let folder = entry.begin()?;
        for (count, unit) in units(library)?.into_iter().enumerate() {
            let name = folder.join(format!("{}-{count}", library.name));
            let source = match &unit.files[..] {
                [file] => file.clone(),
                files => {
                    let text: String = files
                        .iter()
                        .map(|file| format!("#include \"{}\"\n", file.display()))
                        .collect();
                    let path = name.with_added_extension("cpp");
                    fs::write(&path, text).map_err(|error| with_path("write", &path, error))?;
                    path
                }
            };
            let mut command = self.tools[&unit.level].to_command();
            command.arg("-include").arg(&self.prelude);
            for folder in self.includes.iter().chain(&library.includes) {
                command.arg("-I").arg(folder);
            }
            for (name, value) in &library.defines {
                command.arg(format!("-D{name}={value}"));
            }
            command.arg("-c").arg(&source);
            command.arg("-o").arg(name.with_added_extension("o"));
            jobs.push(Job {
                library: number,
                source,
                command,
                bytes: unit.bytes,
            });
        }
        Ok(())
    }
}

/// Files that are compiled at once.
struct Unit {
    level: u32,
    files: Vec<PathBuf>,
    bytes: usize,
}

fn units(library: &Library) -> Result<Vec<Unit>> {
    let mut units: Vec<Unit> = Vec::new();
    // The last unit of each level takes further files until it is full.
    let mut last: BTreeMap<u32, usize> = BTreeMap::new();
    for path in &library.files {
        let level = optimization_level(path);
        let bytes = read(path)?.len();
        let open = last
            .get(&level)
            .filter(|&&unit| library.generated && units[unit].bytes + bytes <= UNIT_BYTES);
        if let Some(&unit) = open {
            units[unit].files.push(path.clone());
            units[unit].bytes += bytes;
        } else {
            last.insert(level, units.len());
            units.push(Unit {
                level,
                files: vec![path.clone()],
                bytes,
            });
        }
    }
    Ok(units)
}

/// Runs the jobs, the long ones first; `done` takes the library of each that has passed.
fn run(mut jobs: Vec<Job>, done: &(dyn Fn(usize) -> Result<()> + Sync)) -> Result<()> {
    let workers: usize = variable("NUM_JOBS")?.parse()?;
    // SAFETY: nothing in this process has closed or taken over the file descriptors that the environment
    // names.
    let server = unsafe { jobserver::Client::from_env() };
    jobs.sort_by_key(|job| job.bytes);
    let queue = Mutex::new(jobs);
    let next = || queue.lock().expect("no job panics").pop();
    let waiting = || !queue.lock().expect("no job panics").is_empty();
    let failures = Mutex::new(Vec::new());
    let work = |job: Job| {
        let library = job.library;
        if let Err(error) = job.run().and_then(|()| done(library)) {
            queue.lock().expect("no job panics").clear();
            failures
                .lock()
                .expect("no job panics")
                .push(error.to_string());
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..workers {
            scope.spawn(|| {
                // A process may run one job; for more it has to ask cargo, which runs others meanwhile.
                while waiting() {
                    let token = server.as_ref().map(jobserver::Client::try_acquire);
                    if matches!(token, Some(Ok(None))) {
                        std::thread::sleep(Duration::from_millis(50));
                    } else if let Some(job) = next() {
                        work(job);
                    }
                }
            });
        }
        while let Some(job) = next() {
            work(job);
        }
    });
    match failures.into_inner().expect("no job panics").pop() {
        Some(failure) => Err(failure.into()),
        None => Ok(()),
    }
}

impl Job {
    fn run(mut self) -> Result<()> {
        let output = self.command.output()?;
        if !output.status.success() {
            let words = std::iter::once(self.command.get_program()).chain(self.command.get_args());
            let words: Vec<_> = words.map(OsStr::to_string_lossy).collect();
            return Err(format!(
                "the C++ compiler refused {}:\n{}\n{}",
                self.source.display(),
                words.join(" "),
                String::from_utf8_lossy(&output.stderr)
            )
            .into());
        }
        Ok(())
    }
}

/// How much optimisation pays for a file: everything for the chip and for the blocks that are compiled once, little
/// for the rest of the benches, which run some thousand cycles, and nothing for construction and tracing.
fn optimization_level(path: &Path) -> u32 {
    let name = path.file_stem().and_then(OsStr::to_str).unwrap_or_default();
    if name.ends_with("__Slow") || name.ends_with("__Syms") || name.contains("__Trace__") {
        0
    } else if (BENCHES.iter()).any(|bench| name.starts_with(bench.top.class)) {
        1
    } else {
        3
    }
}

// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! Has Verilator translate the SystemVerilog into C++, compiles that, and generates the bindings of the
//! C interface.
//!
//! Environment: `VERILATOR_ROOT` names a Verilator other than the one on the `PATH`;
//! `ACCLMT_LINT_ONLY=1` stops after the bindings, which is all that a check of the Rust code needs.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::error::Error;
use std::ffi::OsStr;
use std::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The oldest Verilator that works.
const VERILATOR_MINIMUM: (u32, u32) = (5, 6);

/// Classes of the benches of the blocks.
const BENCH_PREFIXES: [&str; 3] = ["VacclmtUnits", "VacclmtMutants", "VacclmtScheduler"];

const INSTALL_HINT: &str = "install what is missing with `make setup`, or on Debian and Ubuntu with \
     `apt-get install g++ make verilator libclang1 zlib1g-dev` (libclang1 has a version in its name, \
     such as libclang1-14)";

/// A deliberate fault: a copy of a block under another name, with one text replaced.
struct Mutant {
    source: &'static str,
    module: &'static str,
    name: &'static str,
    original: &'static str,
    fault: &'static str,
}

/// One fault for each kind of mistake that the tests of the blocks must find.
const MUTANTS: [Mutant; 5] = [
    Mutant {
        source: "field/acclmt_mul.sv",
        module: "acclmt_mul",
        name: "acclmt_mul_mutant",
        // The recombination loses the carry of the middle term.
        original: "Upper'(middle) - Upper'(low)",
        fault: "Upper'(middle[2*Low-1:0]) - Upper'(low)",
    },
    Mutant {
        source: "field/acclmt_sqr.sv",
        module: "acclmt_sqr",
        name: "acclmt_sqr_mutant",
        // The middle term of a leaf is counted once instead of twice.
        original: "{{(High - 1) {1'b0}}, middle, {(Low + 1) {1'b0}}}",
        fault: "{{(High - 0) {1'b0}}, middle, {(Low + 0) {1'b0}}}",
    },
    Mutant {
        source: "field/acclmt_reduce.sv",
        module: "acclmt_reduce",
        name: "acclmt_reduce_mutant_carry",
        // The known top bits are wrong where all bits below them are zero.
        original: "rest_nonzero ? ~top : ~top + 8'd1",
        fault: "~top",
    },
    Mutant {
        source: "field/acclmt_reduce.sv",
        module: "acclmt_reduce",
        name: "acclmt_reduce_mutant_subtraction",
        // No subtraction when the quotient is the prime itself.
        original: "residue_q <= difference[HighWidth] ?",
        fault: "residue_q <= (difference[HighWidth] || difference == '0) ?",
    },
    Mutant {
        source: "field/acclmt_mod_add.sv",
        module: "acclmt_mod_add",
        name: "acclmt_mod_add_mutant",
        // No subtraction when the sum is the prime itself.
        original: "sum_q <= difference[WordWidth-1] ?",
        fault: "sum_q <= (difference[WordWidth-1] || difference == '0) ?",
    },
];

fn main() -> ExitCode {
    match build() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn build() -> Result<()> {
    let crate_dir = PathBuf::from(variable("CARGO_MANIFEST_DIR")?);
    let out_dir = PathBuf::from(variable("OUT_DIR")?);
    let root = crate_dir
        .join("../..")
        .canonicalize()
        .map_err(|error| format!("cannot find the folder above tb/verilated: {error}"))?;
    for name in ["VERILATOR_ROOT", "ACCLMT_LINT_ONLY"] {
        println!("cargo:rerun-if-env-changed={name}");
    }
    println!("cargo:rerun-if-changed=cpp");

    // The bindings first: a missing libclang is then found before minutes of compiling.
    generate_bindings(&crate_dir, &out_dir)?;
    if env::var_os("ACCLMT_LINT_ONLY").is_some_and(|value| value == "1") {
        return Ok(());
    }

    let verilator = Verilator::find()?;
    let design = read_file_list(&root.join("rtl/acclmt.f"))?;
    let bench = root.join("tb/rtl");
    let config = watched(bench.join("acclmt_tb.vlt"));
    let hierarchy = watched(bench.join("acclmt_tb_hierarchy.vlt"));
    let units = watched(bench.join("acclmt_tb_units.sv"));
    let mutants = watched(bench.join("acclmt_tb_mutants.sv"));
    let scheduler = watched(bench.join("acclmt_tb_scheduler.sv"));

    let mut mutant_sources = vec![config.clone()];
    mutant_sources.extend(design.iter().cloned());
    mutant_sources.extend(write_mutants(&root.join("rtl"), &out_dir.join("mutants"))?);
    mutant_sources.push(mutants);

    let with_design = |first: &[&Path], last: &[&Path]| {
        let mut sources: Vec<PathBuf> = first.iter().map(PathBuf::from).collect();
        sources.extend(design.iter().cloned());
        sources.extend(last.iter().map(PathBuf::from));
        sources
    };
    let models = [
        Model {
            top: "acclmt_core",
            prefix: "VacclmtCore",
            hierarchical: true,
            sources: with_design(&[&config, &hierarchy], &[]),
        },
        Model {
            top: "acclmt_tb_units",
            prefix: BENCH_PREFIXES[0],
            hierarchical: false,
            sources: with_design(&[&config], &[&units]),
        },
        Model {
            top: "acclmt_tb_mutants",
            prefix: BENCH_PREFIXES[1],
            hierarchical: false,
            sources: mutant_sources,
        },
        Model {
            top: "acclmt_tb_scheduler",
            prefix: BENCH_PREFIXES[2],
            hierarchical: false,
            sources: with_design(&[&config], &[&scheduler]),
        },
    ];

    let mut files = Vec::new();
    let mut includes = BTreeSet::from([crate_dir.join("cpp")]);
    for model in &models {
        let directory = out_dir.join(model.prefix);
        verilator.translate(model, &directory)?;
        collect_sources(&directory, &mut files, &mut includes)?;
    }
    for name in ["messages.cpp", "chip.cpp", "bench.cpp"] {
        files.push(crate_dir.join("cpp").join(name));
    }
    compile(&verilator, &crate_dir, &files, &includes)
}

/// Generates the Rust declarations of `cpp/shim.h`.
fn generate_bindings(crate_dir: &Path, out_dir: &Path) -> Result<()> {
    let header = crate_dir.join("cpp/shim.h");
    // bindgen panics where it finds no libclang; its message is replaced by one that says what to do.
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let bindings = std::panic::catch_unwind(|| {
        bindgen::Builder::default()
            .header(header.to_string_lossy())
            .allowlist_file(".*/shim\\.h")
            .generate()
    });
    std::panic::set_hook(hook);
    let bindings = bindings
        .map_err(|_| format!("bindgen found no libclang; {INSTALL_HINT}"))?
        .map_err(|error| format!("bindgen cannot read {}: {error}", header.display()))?;
    bindings
        .write_to_file(out_dir.join("bindings.rs"))
        .map_err(|error| with_path("write", &out_dir.join("bindings.rs"), error))
}

/// A SystemVerilog top that becomes a C++ class.
struct Model {
    top: &'static str,
    prefix: &'static str,
    /// Whether blocks are compiled on their own.
    hierarchical: bool,
    sources: Vec<PathBuf>,
}

/// The program that translates, and where its C++ runtime is.
struct Verilator {
    program: PathBuf,
    /// The value of `VERILATOR_ROOT` for the program: an installation of the distribution needs none.
    root_variable: Option<PathBuf>,
    include: PathBuf,
}

impl Verilator {
    fn find() -> Result<Self> {
        let missing = |what: String| format!("{what}; {INSTALL_HINT}");
        let named = env::var_os("VERILATOR_ROOT")
            .map(PathBuf::from)
            .filter(|root| root.join("bin/verilator_bin").is_file());
        let verilator = if let Some(root) = named {
            Self {
                program: root.join("bin/verilator_bin"),
                include: root.join("include"),
                root_variable: Some(root),
            }
        } else {
            let output = Command::new("verilator")
                .env_remove("VERILATOR_ROOT")
                .args(["--getenv", "VERILATOR_ROOT"])
                .output()
                .map_err(|error| missing(format!("verilator was not found ({error})")))?;
            let root = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
            Self {
                program: PathBuf::from("verilator"),
                include: root.join("include"),
                root_variable: None,
            }
        };
        let runtime = verilator.include.join("verilated.cpp");
        if !runtime.is_file() {
            return Err(missing(format!("{} does not exist", runtime.display())).into());
        }
        verilator.check_version()?;
        Ok(verilator)
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        match &self.root_variable {
            Some(root) => command.env("VERILATOR_ROOT", root),
            None => command.env_remove("VERILATOR_ROOT"),
        };
        command
    }

    /// Refuses a version that is too old; one that cannot be read (of a development build) passes.
    fn check_version(&self) -> Result<()> {
        let output = self.command().arg("--version").output()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let version = text
            .split_whitespace()
            .nth(1)
            .and_then(|number| number.split_once('.'))
            .and_then(|(major, minor)| {
                Some((major.parse::<u32>().ok()?, minor.parse::<u32>().ok()?))
            });
        match version {
            Some(version) if version < VERILATOR_MINIMUM => Err(format!(
                "'{}' is too old, Verilator {}.{:03} or later is needed; {INSTALL_HINT}",
                text.trim(),
                VERILATOR_MINIMUM.0,
                VERILATOR_MINIMUM.1
            )
            .into()),
            _ => Ok(()),
        }
    }

    /// Translates a model into C++ in `directory`.
    fn translate(&self, model: &Model, directory: &Path) -> Result<()> {
        // Files of an earlier run would be compiled too.
        if directory.exists() {
            fs::remove_dir_all(directory).map_err(|error| with_path("empty", directory, error))?;
        }
        fs::create_dir_all(directory).map_err(|error| with_path("create", directory, error))?;
        let mut command = self.command();
        command
            .args(["--cc", "--assert", "--trace-fst", "--output-split", "20000"])
            .args(["--x-initial", "unique", "--x-assign", "unique"])
            // Verilator 5.006 forgets to declare the variable of a loop that it makes of the copies of a
            // wide input.
            .arg("-fno-reloop")
            .args(["--top-module", model.top, "--prefix", model.prefix])
            .arg("--Mdir")
            .arg(directory)
            // Verilator runs make, which is not to share the job slots of cargo.
            .env_remove("MAKEFLAGS")
            .env_remove("CARGO_MAKEFLAGS");
        if model.hierarchical {
            command.arg("--hierarchical");
        }
        let output = command.args(&model.sources).output()?;
        if !output.status.success() {
            return Err(format!(
                "Verilator refused {}:\n{}{}",
                model.top,
                String::from_utf8_lossy(&output.stdout),
                String::from_utf8_lossy(&output.stderr)
            )
            .into());
        }
        Ok(())
    }
}

/// The sources that a file list names, relative to its folder.
fn read_file_list(list: &Path) -> Result<Vec<PathBuf>> {
    let list = watched(list.to_owned());
    let folder = list.parent().unwrap_or(Path::new("."));
    Ok(read(&list)?
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default().trim())
        .filter(|line| !line.is_empty())
        .map(|line| watched(folder.join(line)))
        .collect())
}

/// Writes the faulty copies; fails if a fault no longer fits the source.
fn write_mutants(rtl: &Path, directory: &Path) -> Result<Vec<PathBuf>> {
    fs::create_dir_all(directory).map_err(|error| with_path("create", directory, error))?;
    MUTANTS
        .iter()
        .map(|mutant| {
            let source = rtl.join(mutant.source);
            let text = read(&source)?;
            let count = text.matches(mutant.original).count();
            if count != 1 {
                return Err(format!(
                    "the fault of {} fits {count} places of {}, not one; adapt MUTANTS in \
                     tb/verilated/build.rs to the source",
                    mutant.name,
                    source.display()
                )
                .into());
            }
            let text = text.replace(mutant.original, mutant.fault).replace(
                &format!("{} #(", mutant.module),
                &format!("{} #(", mutant.name),
            );
            let path = directory.join(format!("{}.sv", mutant.name));
            fs::write(&path, text).map_err(|error| with_path("write", &path, error))?;
            Ok(path)
        })
        .collect()
}

/// All C++ files below `directory`, and the folders they are in.
fn collect_sources(
    directory: &Path,
    files: &mut Vec<PathBuf>,
    includes: &mut BTreeSet<PathBuf>,
) -> Result<()> {
    let entries = fs::read_dir(directory).map_err(|error| with_path("read", directory, error))?;
    let mut paths = entries
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<std::io::Result<Vec<_>>>()?;
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect_sources(&path, files, includes)?;
        } else if path.extension() == Some(OsStr::new("cpp")) {
            files.push(path);
            includes.insert(directory.to_owned());
        }
    }
    Ok(())
}

fn compile(
    verilator: &Verilator,
    crate_dir: &Path,
    files: &[PathBuf],
    includes: &BTreeSet<PathBuf>,
) -> Result<()> {
    let runtime = [
        "verilated",
        "verilated_dpi",
        "verilated_fst_c",
        "verilated_threads",
    ]
    .map(|name| verilator.include.join(name).with_extension("cpp"));
    let mut by_level: BTreeMap<u32, Vec<&PathBuf>> = BTreeMap::new();
    for file in files.iter().chain(&runtime) {
        by_level
            .entry(optimization_level(file))
            .or_default()
            .push(file);
    }
    let mut objects = Vec::new();
    for (level, files) in by_level {
        let mut build = cc::Build::new();
        build
            .cpp(true)
            .std("c++20")
            // The same in every profile: a simulation without optimisation is of no use.
            .opt_level(level)
            .debug(false)
            .warnings(false)
            .define("VL_TIME_CONTEXT", None)
            .flag("-include")
            .flag(crate_dir.join("cpp/prelude.h"))
            .include(&verilator.include)
            .include(verilator.include.join("vltstd"))
            .includes(includes)
            .files(files);
        objects.extend(
            build
                .try_compile_intermediates()
                .map_err(|error| format!("the C++ compiler failed: {error}; {INSTALL_HINT}"))?,
        );
    }
    cc::Build::new()
        .cpp(true)
        .objects(objects)
        .try_compile("acclmt_verilated")?;
    println!("cargo:rustc-link-lib=z");
    println!("cargo:rustc-link-lib=pthread");
    Ok(())
}

/// How much optimisation pays for a file: everything for the chip, little for the benches, which run some
/// thousand cycles, and nothing for construction and tracing.
fn optimization_level(path: &Path) -> u32 {
    let name = path.file_stem().and_then(OsStr::to_str).unwrap_or_default();
    if name.ends_with("__Slow") || name.ends_with("__Syms") || name.contains("__Trace__") {
        0
    } else if BENCH_PREFIXES.iter().any(|prefix| name.starts_with(prefix)) {
        1
    } else {
        3
    }
}

/// Has cargo run this build again when the file changes.
fn watched(path: PathBuf) -> PathBuf {
    println!("cargo:rerun-if-changed={}", path.display());
    path
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).map_err(|error| with_path("read", path, error))
}

fn with_path(what: &str, path: &Path, error: impl Display) -> Box<dyn Error> {
    format!("cannot {what} {}: {error}", path.display()).into()
}

fn variable(name: &str) -> Result<String> {
    env::var(name).map_err(|_| format!("cargo did not set {name}").into())
}

// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! Has Verilator translate the SystemVerilog into C++, compiles that, and generates the bindings of the
//! C interface.
//!
//! The features of the crate choose the large prime and the reduction of the build; both go into a package
//! that the tops of the testbench take their parameters from.
//!
//! Environment: `VERILATOR_ROOT` names a Verilator other than the one on the `PATH`;
//! `ACCLMT_LINT_ONLY=1` stops after the bindings, which is all that a check of the Rust code needs.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::error::Error;
use std::ffi::OsStr;
use std::fmt::Display;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The oldest Verilator that works.
const VERILATOR_MINIMUM: (u32, u32) = (5, 6);

/// The large primes that a build can have: the feature, and the prime in hexadecimal.
const PRIMES: [(&str, &str); 5] = [
    (
        "bls12-381",
        "73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001",
    ),
    (
        "bn254",
        "30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001",
    ),
    (
        "pallas",
        "40000000000000000000000000000000224698fc094cf91b992d30ed00000001",
    ),
    (
        "vesta",
        "40000000000000000000000000000000224698fc0994a8dd8c46eb2100000001",
    ),
    (
        "starknet",
        "0800000000000011000000000000000000000000000000000000000000000001",
    ),
];

/// Classes of the benches of the blocks.
const BENCH_PREFIXES: [&str; 4] = [
    "VacclmtUnits",
    "VacclmtMutants",
    "VacclmtTree",
    "VacclmtEngines",
];

const INSTALL_HINT: &str = "install what is missing with `make setup`, or on Debian and Ubuntu with \
     `apt-get install g++ make verilator libclang1 zlib1g-dev` (libclang1 has a version in its name, \
     such as libclang1-14)";

/// A deliberate fault: a copy of a block under another name, with one text replaced.
struct Mutant {
    module: &'static str,
    name: &'static str,
    original: &'static str,
    fault: &'static str,
}

/// One fault for each kind of mistake that the tests of the blocks must find.
const MUTANTS: [Mutant; 12] = [
    Mutant {
        module: "acclmt_mul",
        name: "acclmt_mul_mutant_carry",
        // The recombination loses the carry of the middle term.
        original: "Upper'(middle) - Upper'(low)",
        fault: "Upper'(middle[2*Low-1:0]) - Upper'(low)",
    },
    Mutant {
        module: "acclmt_mul",
        name: "acclmt_mul_mutant_goldilocks",
        // The products of the slices disturb each other.
        original: "low = separate ? '0 : low_product",
        fault: "low = low_product",
    },
    Mutant {
        module: "acclmt_sqr",
        name: "acclmt_sqr_mutant",
        // The recombination loses the carry of the middle term.
        original: "Upper'(middle) - Upper'(low)",
        fault: "Upper'(middle[2*Low-1:0]) - Upper'(low)",
    },
    Mutant {
        module: "acclmt_accumulate",
        name: "acclmt_accumulate_mutant_carry",
        // The carries between the chunks are lost.
        original: "number = digits + carries",
        fault: "number = digits",
    },
    Mutant {
        module: "acclmt_accumulate",
        name: "acclmt_accumulate_mutant_across",
        // A slice is missing.
        original: "sum_q[0] + sum_q[1] + sum_q[2] + sum_q[3]",
        fault: "sum_q[0] + sum_q[1] + sum_q[2]",
    },
    Mutant {
        module: "acclmt_reduce_constant",
        name: "acclmt_reduce_constant_mutant_carry",
        // The known top bits are wrong where all bits below them are zero.
        original: "rest_nonzero ? ~top : ~top + 8'd1",
        fault: "~top",
    },
    Mutant {
        module: "acclmt_reduce_constant",
        name: "acclmt_reduce_constant_mutant_subtraction",
        // No subtraction when the quotient is the prime itself.
        original: "residue_q <= difference[HighWidth] ||",
        fault: "residue_q <= difference[HighWidth] || difference == '0 ||",
    },
    Mutant {
        module: "acclmt_reduce_goldilocks",
        name: "acclmt_reduce_goldilocks_mutant",
        // No subtraction when the sum of the parts is the prime itself.
        original: "!corrected[Width-1])",
        fault: "(!corrected[Width-1] && corrected != '0))",
    },
    Mutant {
        module: "acclmt_reduce_runtime",
        name: "acclmt_reduce_runtime_mutant",
        // The residue of the uppermost slice is taken for a sign.
        original: "negative = remainder[Digits][WordWidth]",
        fault: "negative = remainder[Digits][WordWidth-1]",
    },
    Mutant {
        module: "acclmt_mod_add",
        name: "acclmt_mod_add_mutant_slice",
        // The negative primes of the slices are complements without their ones.
        original: "if (goldilocks) carry[int'(SliceWidth)*s] = 1'b1;",
        fault: "",
    },
    Mutant {
        module: "acclmt_mod_add",
        name: "acclmt_mod_add_mutant_borrow",
        // A carry out of the redundant form is lost.
        original: "majority[int'(SliceWidth)*(s+1)-1] ||",
        fault: "",
    },
    Mutant {
        module: "acclmt_sbox",
        name: "acclmt_sbox_mutant",
        // x^7: the first product takes the element of another cycle.
        original: "third_valid ? residue[2] : x_second",
        fault: "third_valid ? residue[2] : x_third",
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
    let parameters = Parameters::of_features()?;
    println!("cargo:rustc-env=ACCLMT_FIELD={}", parameters.field);

    // The bindings first: a missing libclang is then found before minutes of compiling.
    generate_bindings(&crate_dir, &out_dir)?;
    if env::var_os("ACCLMT_LINT_ONLY").is_some_and(|value| value == "1") {
        return Ok(());
    }

    let verilator = Verilator::find()?;
    let design = read_file_list(&root.join("rtl/acclmt.f"))?;
    let bench = root.join("tb/rtl");
    let package = out_dir.join("acclmt_tb_build_pkg.sv");
    parameters.write_package(&package)?;
    let bench_file = |name: &str| watched(bench.join(name));
    let config = bench_file("acclmt_tb.vlt");
    let mutants = write_mutants(&design, &out_dir.join("mutants"))?;

    // The top, the files ahead of the design, those after it.
    let model = |top, prefix, hierarchy: Option<&str>, last: &[PathBuf]| {
        let mut sources = vec![config.clone()];
        sources.extend(hierarchy.map(bench_file));
        sources.extend(design.iter().cloned());
        sources.push(package.clone());
        sources.extend(last.iter().cloned());
        sources.push(bench_file(&format!("{top}.sv")));
        Model {
            top,
            prefix,
            hierarchical: hierarchy.is_some(),
            sources,
        }
    };
    let [units, mutant_units, tree, engines] = BENCH_PREFIXES;
    let mut models = vec![
        model(
            "acclmt_tb_chip",
            "VacclmtChip",
            Some("acclmt_tb_chip.vlt"),
            &[],
        ),
        model("acclmt_tb_units", units, Some("acclmt_tb_units.vlt"), &[]),
        model(
            "acclmt_tb_mutants",
            mutant_units,
            Some("acclmt_tb_units.vlt"),
            &mutants,
        ),
        model("acclmt_tb_tree", tree, None, &[]),
    ];
    if parameters.engines {
        models.push(model(
            "acclmt_tb_engines",
            engines,
            Some("acclmt_tb_engines.vlt"),
            &[],
        ));
    }

    let mut folders = Vec::new();
    for model in &models {
        let directory = out_dir.join(model.prefix);
        verilator.translate(model, &directory)?;
        collect_folders(&directory, &mut folders)?;
    }
    let compiler = Compiler {
        flags: parameters.flags(),
        includes: [
            &[
                verilator.include.clone(),
                verilator.include.join("vltstd"),
                crate_dir.join("cpp"),
            ],
            &folders[..],
        ]
        .concat(),
        prelude: crate_dir.join("cpp/prelude.h"),
        out_dir: out_dir.clone(),
    };
    let mut objects = Vec::new();
    for folder in &folders {
        let mut files = paths_in(folder)?;
        files.retain(|path| is_source(path));
        let name = folder.strip_prefix(&out_dir).unwrap_or(folder);
        objects.extend(compiler.compile(&name.to_string_lossy().replace('/', "."), &files)?);
    }
    let runtime = [
        "verilated",
        "verilated_dpi",
        "verilated_fst_c",
        "verilated_threads",
    ]
    .map(|name| verilator.include.join(name).with_extension("cpp"));
    objects.extend(compiler.compile("runtime", &runtime)?);
    let interface =
        ["messages.cpp", "chip.cpp", "bench.cpp"].map(|name| crate_dir.join("cpp").join(name));
    // These see the headers of the models, which no stamp tells them about.
    objects.extend(compiler.compile_always("interface", &interface)?);
    cc::Build::new()
        .cpp(true)
        .objects(objects)
        .try_compile("acclmt_verilated")?;
    println!("cargo:rustc-link-lib=z");
    println!("cargo:rustc-link-lib=pthread");
    Ok(())
}

/// What the features choose.
struct Parameters {
    /// Name of the field whose prime is the large one.
    field: &'static str,
    /// The prime in hexadecimal.
    prime: &'static str,
    /// Whether the prime can be changed at run time.
    runtime_modulus: bool,
    /// Whether the hash engines of every size are wanted besides the chip.
    engines: bool,
}

impl Parameters {
    fn of_features() -> Result<Self> {
        let enabled = |feature: &str| {
            let name = feature.to_uppercase().replace('-', "_");
            env::var_os(format!("CARGO_FEATURE_{name}")).is_some()
        };
        let chosen: Vec<_> = PRIMES
            .into_iter()
            .filter(|(feature, _)| enabled(feature))
            .collect();
        let &[(field, prime)] = &chosen[..] else {
            let names = |primes: &[(&str, &str)]| {
                let names: Vec<_> = primes.iter().map(|(feature, _)| *feature).collect();
                names.join(", ")
            };
            let found = match chosen.len() {
                0 => "no feature names the large prime of the chip".to_owned(),
                _ => format!("several features name its large prime ({})", names(&chosen)),
            };
            return Err(format!(
                "the chip has one large prime, but {found}; give `--no-default-features --features \
                 NAME` with one of {}",
                names(&PRIMES)
            )
            .into());
        };
        Ok(Self {
            field,
            prime,
            runtime_modulus: enabled("runtime-modulus"),
            engines: enabled("engines"),
        })
    }

    /// What the C++ has to know.
    fn flags(&self) -> Vec<&'static str> {
        let mut flags = Vec::new();
        if self.engines {
            flags.push("-DACCLMT_ENGINES");
        }
        flags
    }

    /// Writes the package that the tops of the testbench take their parameters from.
    fn write_package(&self, path: &Path) -> Result<()> {
        let text = format!(
            "// Made by tb/verilated/build.rs from the features of the crate.\n\
             package acclmt_tb_build_pkg;\n  \
             localparam logic [255:0] Prime = 256'h{};\n  \
             localparam int unsigned Reduction = {};\n\
             endpackage\n",
            self.prime,
            u32::from(self.runtime_modulus)
        );
        fs::write(path, text).map_err(|error| with_path("write", path, error))
    }
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
        if model.hierarchical {
            rename_blocks(directory, model.prefix)?;
        }
        Ok(())
    }
}

/// Puts the prefix of a model before the names of the blocks in it that were compiled on their own.
/// Verilator only numbers them within a model, and all models are linked together.
fn rename_blocks(directory: &Path, prefix: &str) -> Result<()> {
    let mut blocks = Vec::new();
    for path in paths_in(directory)? {
        let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
        if let Some(block) = name.strip_prefix('V').filter(|_| path.is_dir()) {
            blocks.push(block.to_owned());
        }
    }
    let rename = |text: &str| {
        let mut text = text.to_owned();
        for block in &blocks {
            text = replace_name(&text, block, &format!("{prefix}_{block}"));
        }
        text
    };
    let mut folders = vec![directory.to_owned()];
    folders.extend(
        blocks
            .iter()
            .map(|block| directory.join(format!("V{block}"))),
    );
    for path in folders.iter().map(|folder| paths_in(folder)) {
        for path in path? {
            let extension = path.extension().and_then(OsStr::to_str);
            if !matches!(extension, Some("cpp" | "h")) {
                continue;
            }
            let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
            let text = rename(&read(&path)?);
            let renamed = path.with_file_name(rename(name));
            fs::remove_file(&path).map_err(|error| with_path("remove", &path, error))?;
            fs::write(&renamed, text).map_err(|error| with_path("write", &renamed, error))?;
        }
    }
    Ok(())
}

/// Replaces `name` wherever it is not the beginning of a longer word; an underscore ends a word.
fn replace_name(text: &str, name: &str, replacement: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(position) = rest.find(name) {
        let (before, after) = (&rest[..position], &rest[position + name.len()..]);
        let longer = after.starts_with(|next: char| next.is_ascii_alphanumeric());
        result.push_str(before);
        result.push_str(if longer { name } else { replacement });
        rest = after;
    }
    result.push_str(rest);
    result
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
fn write_mutants(design: &[PathBuf], directory: &Path) -> Result<Vec<PathBuf>> {
    fs::create_dir_all(directory).map_err(|error| with_path("create", directory, error))?;
    MUTANTS
        .iter()
        .map(|mutant| {
            let file = format!("{}.sv", mutant.module);
            let source = design
                .iter()
                .find(|source| source.ends_with(&file))
                .ok_or_else(|| format!("the file list of the design has no {file}"))?;
            let text = read(source)?;
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
            // Its own name, and that of the instances of a recursive block.
            let text = text
                .replace(mutant.original, mutant.fault)
                .replace(
                    &format!("module {} ", mutant.module),
                    &format!("module {} ", mutant.name),
                )
                .replace(
                    &format!(" {} #(", mutant.module),
                    &format!(" {} #(", mutant.name),
                );
            let path = directory.join(format!("{}.sv", mutant.name));
            fs::write(&path, text).map_err(|error| with_path("write", &path, error))?;
            Ok(path)
        })
        .collect()
}

/// What is in a folder, in order.
fn paths_in(directory: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(directory).map_err(|error| with_path("read", directory, error))?;
    let mut paths = entries
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<std::io::Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}

/// The folders of C++ at and below `directory`.
fn collect_folders(directory: &Path, folders: &mut Vec<PathBuf>) -> Result<()> {
    let paths = paths_in(directory)?;
    if paths.iter().any(|path| is_source(path)) {
        folders.push(directory.to_owned());
    }
    for path in paths {
        if path.is_dir() {
            collect_folders(&path, folders)?;
        }
    }
    Ok(())
}

fn is_source(path: &Path) -> bool {
    path.extension() == Some(OsStr::new("cpp"))
}

/// Compiles C++, and only what has changed: Verilator writes the same code for the same block again, and a
/// change of the design leaves most blocks as they are.
struct Compiler {
    flags: Vec<&'static str>,
    includes: Vec<PathBuf>,
    prelude: PathBuf,
    out_dir: PathBuf,
}

impl Compiler {
    /// The objects of the files of one folder; `name` tells the folders apart.
    fn compile(&self, name: &str, files: &[PathBuf]) -> Result<Vec<PathBuf>> {
        let directory = self.out_dir.join("objects").join(name);
        let stamp = directory.join("stamp");
        let fingerprint = self.fingerprint(files)?;
        if fs::read_to_string(&stamp).is_ok_and(|found| found == fingerprint) {
            let mut objects = paths_in(&directory)?;
            objects.retain(|path| *path != stamp);
            return Ok(objects);
        }
        let objects = self.compile_always(name, files)?;
        fs::write(&stamp, fingerprint).map_err(|error| with_path("write", &stamp, error))?;
        Ok(objects)
    }

    fn compile_always(&self, name: &str, files: &[PathBuf]) -> Result<Vec<PathBuf>> {
        let directory = self.out_dir.join("objects").join(name);
        if directory.exists() {
            fs::remove_dir_all(&directory)
                .map_err(|error| with_path("empty", &directory, error))?;
        }
        fs::create_dir_all(&directory).map_err(|error| with_path("create", &directory, error))?;
        let mut by_level: BTreeMap<u32, Vec<&PathBuf>> = BTreeMap::new();
        for file in files {
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
                .flag(&self.prelude)
                .includes(&self.includes)
                .files(files)
                .out_dir(&directory);
            for flag in &self.flags {
                build.flag(flag);
            }
            objects.extend(
                build
                    .try_compile_intermediates()
                    .map_err(|error| format!("the C++ compiler failed: {error}; {INSTALL_HINT}"))?,
            );
        }
        Ok(objects)
    }

    /// What the objects of `files` depend on: the files, the headers beside them, and the flags.
    fn fingerprint(&self, files: &[PathBuf]) -> Result<String> {
        let mut hasher = DefaultHasher::new();
        (&self.flags, &self.includes).hash(&mut hasher);
        read(&self.prelude)?.hash(&mut hasher);
        let folders: BTreeSet<_> = files.iter().filter_map(|file| file.parent()).collect();
        for folder in folders {
            for path in paths_in(folder)? {
                if is_source(&path) || path.extension() == Some(OsStr::new("h")) {
                    path.hash(&mut hasher);
                    read(&path)?.hash(&mut hasher);
                    optimization_level(&path).hash(&mut hasher);
                }
            }
        }
        Ok(format!("{:016x}", hasher.finish()))
    }
}

/// How much optimisation pays for a file: everything for the arithmetic of the chip, little for what is
/// around it and for the benches, which run some thousand cycles, and nothing for construction and tracing.
fn optimization_level(path: &Path) -> u32 {
    let name = path.file_stem().and_then(OsStr::to_str).unwrap_or_default();
    if name.ends_with("__Slow") || name.ends_with("__Syms") || name.contains("__Trace__") {
        0
    } else if name.starts_with("VacclmtChip") || BENCH_PREFIXES.iter().any(|x| name.contains(x)) {
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

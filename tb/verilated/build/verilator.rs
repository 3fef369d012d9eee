// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! Has Verilator translate SystemVerilog into C++.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::cache::{Cache, Key};
use crate::coverage;
use crate::{INSTALL_HINT, Result, Top, paths_in, read, with_path};

/// The oldest Verilator that works.
const MINIMUM: (u32, u32) = (5, 6);

const ARGUMENTS: [&str; 9] = [
    "--cc",
    "--assert",
    "--output-split",
    "20000",
    "--x-initial",
    "unique",
    "--x-assign",
    "unique",
    // Verilator 5.006 forgets to declare the variable of a loop that it makes of the copies of a wide input.
    "-fno-reloop",
];

/// Those for waveforms, which take a third of the compiler's time. A beat of a state is wider than what is traced
/// by default.
const WAVEFORM_ARGUMENTS: [&str; 3] = ["--trace-fst", "--trace-max-width", "4096"];

/// The program that translates, and where its C++ runtime is.
pub struct Verilator {
    program: PathBuf,
    /// The value of `VERILATOR_ROOT` for the program: an installation of the distribution needs none.
    root_variable: Option<PathBuf>,
    /// The folder of the runtime and of its headers.
    pub include: PathBuf,
    /// What it says that it is.
    pub version: String,
}

impl Verilator {
    /// Finds an installed Verilator that is not too old, by `VERILATOR_ROOT` or on the `PATH`.
    pub fn find() -> Result<Self> {
        let missing = |what: String| format!("{what}; {INSTALL_HINT}");
        let named = env::var_os("VERILATOR_ROOT")
            .map(PathBuf::from)
            .filter(|root| root.join("bin/verilator_bin").is_file());
        let mut verilator = if let Some(root) = named {
            Self {
                program: root.join("bin/verilator_bin"),
                include: root.join("include"),
                root_variable: Some(root),
                version: String::new(),
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
                version: String::new(),
            }
        };
        let runtime = verilator.include.join("verilated.cpp");
        if !runtime.is_file() {
            return Err(missing(format!("{} does not exist", runtime.display())).into());
        }
        verilator.read_version()?;
        Ok(verilator)
    }

    /// The sources of the runtime.
    pub fn runtime(&self) -> Vec<PathBuf> {
        [
            "verilated",
            "verilated_dpi",
            "verilated_fst_c",
            "verilated_threads",
        ]
        .map(|name| self.include.join(name).with_extension("cpp"))
        .into()
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
    fn read_version(&mut self) -> Result<()> {
        let output = self.command().arg("--version").output()?;
        self.version = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        let version = self
            .version
            .split_whitespace()
            .nth(1)
            .and_then(|number| number.split_once('.'))
            .and_then(|(major, minor)| {
                Some((major.parse::<u32>().ok()?, minor.parse::<u32>().ok()?))
            });
        match version {
            Some(version) if version < MINIMUM => Err(format!(
                "'{}' is too old, Verilator {}.{:03} or later is needed; {INSTALL_HINT}",
                self.version, MINIMUM.0, MINIMUM.1
            )
            .into()),
            _ => Ok(()),
        }
    }

    /// The folder with the C++ of a top.
    ///
    /// With `counted`, the folder's models count what the tests reach (see [`coverage`]).
    pub fn translate(
        &self,
        cache: &Cache,
        top: &Top,
        sources: &[PathBuf],
        counted: bool,
    ) -> Result<PathBuf> {
        let mut key = Key::default();
        let waveforms: &[&str] = match top.waveforms {
            true => &WAVEFORM_ARGUMENTS,
            false => &[],
        };
        let counts: &[&str] = match counted {
            true => &coverage::ARGUMENTS,
            false => &[],
        };
        if counted {
            key.add((counts, include_str!("coverage.rs")));
        }
        key.add((
            &self.version,
            &self.include,
            // What is done with the code that Verilator writes.
            include_str!("verilator.rs"),
            ARGUMENTS,
            waveforms,
            top.module,
        ));
        for source in sources {
            key.add((source, read(source)?));
        }
        let mut entry = cache.entry(&format!("generated/{}", top.class), &key)?;
        if entry.ready {
            return Ok(entry.path);
        }
        let directory = entry.begin()?;
        let mut command = self.command();
        command
            .args(ARGUMENTS)
            .args(waveforms)
            .args(counts)
            .args(["--top-module", top.module, "--prefix", top.class])
            .arg("--Mdir")
            .arg(&directory)
            // Verilator runs make, which is not to share the job slots of cargo.
            .env_remove("MAKEFLAGS")
            .env_remove("CARGO_MAKEFLAGS");
        if top.blocks.is_some() {
            command.arg("--hierarchical");
        }
        run(command.args(sources), top)?;
        if top.blocks.is_some() {
            if counted {
                self.translate_without_wrappers(top, &directory)?;
            }
            rename_blocks(&directory)?;
        }
        if counted {
            let mut folders = Vec::new();
            collect_folders(&directory, &mut folders)?;
            for folder in folders {
                coverage::count_for_all_models(&folder)?;
            }
        }
        entry.finish()?;
        Ok(entry.path)
    }

    /// Translates the top again, whose blocks have been translated, so that nothing of what connects it with them is
    /// counted.
    fn translate_without_wrappers(&self, top: &Top, directory: &Path) -> Result<()> {
        coverage::leave_out_wrappers(directory, &blocks_in(directory)?)?;
        for path in code_in(directory)? {
            fs::remove_file(&path).map_err(|error| with_path("remove", &path, error))?;
        }
        let arguments = directory.join(format!("{}_hierMkArgs.f", top.class));
        run(self.command().arg("-f").arg(arguments), top)
    }
}

/// Runs Verilator for a top; what it says is the error where it fails.
fn run(command: &mut Command, top: &Top) -> Result<()> {
    let output = command.output()?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!(
        "Verilator refused {}:\n{}{}",
        top.module,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
    .into())
}

/// The blocks in the folder of a top that were compiled on their own, by Verilator's names.
fn blocks_in(directory: &Path) -> Result<Vec<String>> {
    let mut blocks = Vec::new();
    for folder in paths_in(directory)? {
        let name = folder.file_name().and_then(OsStr::to_str);
        if let Some(block) = name.and_then(|name| name.strip_prefix('V'))
            && folder.is_dir()
            && !code_in(&folder)?.is_empty()
        {
            blocks.push(block.to_owned());
        }
    }
    Ok(blocks)
}

/// Names the blocks that were compiled on their own by what they are: Verilator only numbers them within a model,
/// and all models are linked together. A block that several of them have is compiled and linked once.
fn rename_blocks(directory: &Path) -> Result<()> {
    // The files of each, by its name, and their text.
    let mut blocks = BTreeMap::new();
    for block in blocks_in(directory)? {
        let code = code_in(&directory.join(format!("V{block}")))?
            .iter()
            .map(|path| Ok(without_model(&read(path)?)))
            .collect::<Result<Vec<_>>>()?;
        blocks.insert(block, code.concat());
    }
    let names = names_by_code(&blocks)?;
    let rename = |text: &str| {
        names.iter().fold(text.to_owned(), |text, (block, name)| {
            replace_name(&text, block, name)
        })
    };
    let mut folders = vec![directory.to_owned()];
    let mut wrappers = Vec::new();
    for (block, name) in &names {
        let folder = directory.join(format!("V{block}"));
        let renamed = directory.join(format!("V{name}"));
        fs::rename(&folder, &renamed).map_err(|error| with_path("rename", &folder, error))?;
        wrappers.push(renamed.join(format!("{block}.cpp")));
        folders.push(renamed);
    }
    // All of them or none: a block can only rest if those in it do.
    let resting = wrappers.into_iter().map(|path| {
        let code = with_rest(&rename(&without_model(&read(&path)?)));
        Ok(code.map(|code| (path, code)))
    });
    let resting: Option<BTreeMap<PathBuf, String>> = resting.collect::<Result<_>>()?;
    let resting = resting.unwrap_or_default();
    for folder in folders {
        for path in code_in(&folder)? {
            let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
            let text = match resting.get(&path) {
                Some(code) => code.clone(),
                None => rename(&without_model(&read(&path)?)),
            };
            let renamed = path.with_file_name(rename(name));
            fs::remove_file(&path).map_err(|error| with_path("remove", &path, error))?;
            fs::write(&renamed, text).map_err(|error| with_path("write", &renamed, error))?;
        }
    }
    Ok(())
}

/// The code without what differs from model to model for the same block: comments, which have paths, and the hash of all
/// sources of the model, which a block checks. That the two belong together is in the block's name.
fn without_model(code: &str) -> String {
    const EXPECTED: &str = "const int expected_hash__V = ";
    const CHECKED: &str = "protectlib_check_hash_TOP(0x";
    let mut result = String::with_capacity(code.len());
    for line in code.lines() {
        if line.trim_start().starts_with("//") {
            continue;
        } else if let Some((before, _)) = line.split_once(EXPECTED) {
            result += before;
            result += EXPECTED;
            result += "protectlib_hash__V;";
        } else if let Some((before, _)) = line.split_once(CHECKED) {
            result += before;
            result += CHECKED;
            result += "0);";
        } else {
            result += line;
        }
        result.push('\n');
    }
    result
}

/// The functions of a block that a model calls, so that a block at rest is not evaluated (`rest.h`). None if they are not
/// as Verilator is known to write them: of a block with other clocks than `clk_i`, say.
fn with_rest(code: &str) -> Option<String> {
    const NUMBER: &str = "    long long m_seqnum;\n";
    const INTERFACE: &str = "#include \"verilated_dpi.h\"\n";
    const EVALUATE: &str = "        handlep__V->eval();\n";
    const CLOCK: &str = "        handlep__V->clk_i = clk_i;\n";
    const NUMBERED: &str = "return handlep__V->m_seqnum++;";
    const RESTING: &str = "return handlep__V->m_rest.number(handlep__V->m_seqnum);";
    let (_, class) = code.split_once("#include \"")?;
    let (class, _) = class.split_once(".h\"")?;
    let mut parts = code.split(EVALUATE);
    let (settled, clocked, end) = (parts.next()?, parts.next()?, parts.next()?);
    let (before, settled) = settled.split_once("_protectlib_combo_update(")?;
    let (settled_outputs, clocked) = clocked.split_once("_protectlib_seq_update(")?;
    let (outputs, end) = end.split_once("        return")?;
    let is_known = parts.next().is_none()
        && before.contains(INTERFACE)
        && before.contains(NUMBER)
        && clocked.contains(CLOCK);
    if !is_known {
        return None;
    }
    let before = before
        .replace(
            INTERFACE,
            &format!("{INTERFACE}#include \"{class}__Syms.h\"\n#include \"rest.h\"\n"),
        )
        .replace(NUMBER, &format!("{NUMBER}    acclmt::Rest m_rest;\n"));
    let settled = with_inputs_at_rest(settled);
    let clocked = with_inputs_at_rest(&clocked.replacen(CLOCK, "", 1));
    let watched: String = outputs
        .lines()
        .map(|line| watch_output(line) + "\n")
        .collect();
    let code = format!(
        "{before}_protectlib_combo_update({settled}        handlep__V->m_rest.settle(*handlep__V);\n\
         {settled_outputs}_protectlib_seq_update({clocked}        \
         handlep__V->m_rest.clock(*handlep__V, clk_i);\n{watched}        return{end}"
    );
    // The number of each call, of the settled and of the clocked ones.
    (code.matches(NUMBERED).count() == 2).then(|| code.replace(NUMBERED, RESTING))
}

/// The assignments of inputs of a block, of which its rest is told.
fn with_inputs_at_rest(code: &str) -> String {
    let told = |line: &str| {
        let port = line.split_once("handlep__V->").map(|(_, rest)| rest);
        match port.and_then(|rest| rest.split([' ', ',']).next()) {
            Some(port) => {
                let assignment = line.trim();
                format!(
                    "        handlep__V->m_rest.set(*handlep__V, handlep__V->{port}, [&] {{ {assignment} }});\n"
                )
            }
            None => format!("{line}\n"),
        }
    };
    code.lines().map(told).collect()
}

/// The assignment of an output of a block, which its rest is told.
fn watch_output(line: &str) -> String {
    let port = line.rsplit_once("handlep__V->").map(|(_, rest)| rest);
    match port.and_then(|rest| rest.split([')', ';', '[']).next()) {
        Some(port) => format!("{line}\n        handlep__V->m_rest.watch(handlep__V->{port});"),
        None => line.to_owned(),
    }
}

/// A name for each of `blocks` (name and code): its module's, and a digest of its code, in which the names of blocks
/// stand for what those are.
fn names_by_code(blocks: &BTreeMap<String, String>) -> Result<BTreeMap<String, String>> {
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    while names.len() < blocks.len() {
        let before = names.len();
        for (block, code) in blocks {
            let waits = (blocks.keys())
                .any(|part| part != block && !names.contains_key(part) && has_name(code, part));
            if waits || names.contains_key(block) {
                continue;
            }
            let mut code = replace_name(code, block, "");
            for (part, name) in &names {
                code = replace_name(&code, part, name);
            }
            let mut key = Key::default();
            key.add(code);
            // Verilator puts a number behind the name of a module with parameters.
            let module = match block.rsplit_once('_') {
                Some((module, number)) if number.chars().all(|c| c.is_ascii_hexdigit()) => module,
                _ => block,
            };
            names.insert(block.clone(), format!("{module}_{}", key.text()));
        }
        if names.len() == before {
            return Err(
                "the blocks that Verilator compiled on their own contain each other".into(),
            );
        }
    }
    Ok(names)
}

/// The files of C++ in a folder, in order.
pub fn code_in(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut paths = paths_in(folder)?;
    paths.retain(|path| {
        let extension = path.extension().and_then(OsStr::to_str);
        matches!(extension, Some("cpp" | "h"))
    });
    Ok(paths)
}

/// Whether the text has this name, as [`replace_name`] finds it.
fn has_name(text: &str, name: &str) -> bool {
    replace_name(text, name, "") != text
}

/// Replaces `name` wherever it is not the beginning of a longer word; an underscore ends a word. The file of the module stays
/// what it is: what is counted is told by it.
fn replace_name(text: &str, name: &str, replacement: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(position) = rest.find(name) {
        let (before, after) = (&rest[..position], &rest[position + name.len()..]);
        let longer = after.starts_with(|next: char| next.is_ascii_alphanumeric());
        let stays = longer || after.starts_with(".sv");
        result.push_str(before);
        result.push_str(if stays { name } else { replacement });
        rest = after;
    }
    result.push_str(rest);
    result
}

/// The folders of C++ at and below `directory`.
pub fn collect_folders(directory: &Path, folders: &mut Vec<PathBuf>) -> Result<()> {
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

pub fn is_source(path: &Path) -> bool {
    path.extension() == Some(OsStr::new("cpp"))
}

// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! What a build with the feature `coverage` counts, and how.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use crate::verilator::code_in;
use crate::{Result, read, with_path};

/// What has Verilator count: lines and branches, cover properties, bits that change.
pub const ARGUMENTS: [&str; 3] = ["--coverage-line", "--coverage-user", "--coverage-toggle"];

/// Folders of the design whose blocks are there once for every element, sub-engine or memory: of the bits that change
/// only those of registers are counted: the C++ grows with every copy.
const OF_REGISTERS: [&str; 4] = ["common", "engine", "memory", "sub_engine"];
/// The folder of the arithmetic, of whose bits none is counted: every result is compared.
const ARITHMETIC: &str = "field";
/// The beginnings of declarations.
const DECLARATIONS: [&str; 5] = ["input ", "output ", "logic ", "logic[", "acclmt_"];
/// What the declarations of field elements, their parts and the words of memories have.
const OF_WORDS: [&str; 10] = [
    "word_t",
    "WordWidth",
    "ChunkWidth",
    "DigitWidth",
    "SliceWidth",
    "SumWidth",
    "BeatWidth",
    "ProductWidth",
    "[Width-1:0]",
    "[DataWidth-1:0]",
];

/// The settings for Verilator that leave out what is not to be counted: the testbench, and by the lines of their
/// declarations the changes of field elements and of what [`OF_REGISTERS`] says.
pub fn settings(design: &[PathBuf]) -> Result<String> {
    let mut text = String::from(
        "// Made by tb/verilated/build/coverage.rs.\n`verilator_config\n\
         coverage_off -file \"bench/*\"\ncoverage_off -file \"*_mutant*.sv\"\n\
         coverage_off -file \"*/acclmt_tb_build_pkg.sv\"\n",
    );
    for source in design {
        let folders: Vec<_> = source.iter().filter_map(OsStr::to_str).collect();
        let in_folder = |name: &str| folders.contains(&name);
        let registers_only = OF_REGISTERS.into_iter().any(in_folder);
        for (number, line) in (1..).zip(read(source)?.lines()) {
            let line = line.trim_start();
            if !DECLARATIONS.iter().any(|begin| line.starts_with(begin)) {
                continue;
            }
            let is_left_out = in_folder(ARITHMETIC)
                || OF_WORDS.iter().any(|of_words| line.contains(of_words))
                || (registers_only && !declares_register(line));
            if is_left_out {
                text += &format!(
                    "coverage_off -file \"{}\" -lines {number}\n",
                    source.display()
                );
            }
        }
    }
    Ok(text)
}

/// Whether a name in the line ends as those of registers do.
fn declares_register(line: &str) -> bool {
    line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .any(|word| word.ends_with("_q"))
}

/// Takes the changes of their ports out of the modules by which Verilator connects the blocks that it compiled on their
/// own; each is there many times.
pub fn leave_out_wrappers(directory: &Path, blocks: &[String]) -> Result<()> {
    for block in blocks {
        let path = directory
            .join(format!("V{block}"))
            .join(format!("{block}.sv"));
        let text = format!("/*verilator coverage_off*/\n{}", read(&path)?);
        fs::write(&path, text).map_err(|error| with_path("write", &path, error))?;
    }
    Ok(())
}

/// Has the models of all tests count into one array for each class, which outlives them, and name what is counted to
/// `cpp/coverage.cpp`. Verilator's own counts are those of one model, and end with it. A point is counted once
/// (`acclmt::reach`): threads that add to one count all the time wait for each other. Of a bit that changes Verilator keeps the
/// last value, random ahead of the first reset: what that changes is not counted (`acclmt::reach_change`).
pub fn count_for_all_models(folder: &Path) -> Result<()> {
    const COUNTS: &str = "    std::atomic<uint32_t> __Vcoverage[";
    const ADDS: &str = ".fetch_add(1, std::memory_order_relaxed);";
    const LAST_VALUE: &str = "__Vtogcov__";
    const BEGIN: &str = "    assert(sizeof(uint32_t) == sizeof(std::atomic<uint32_t>));\n";
    let mut changes = 0;
    for path in code_in(folder)? {
        let text = read(&path)?;
        let mut counted = String::with_capacity(text.len());
        let mut changes_bit = false;
        for line in text.lines().filter(|line| !is_lost(line)) {
            let line = line.replace(
                COUNTS,
                "    static inline std::atomic<uint32_t> __Vcoverage[",
            );
            match line
                .strip_suffix(ADDS)
                .and_then(|line| line.rsplit_once("vlSymsp->"))
            {
                Some((before, count)) => {
                    let reach = if changes_bit { "reach_change" } else { "reach" };
                    counted += &format!("{before}acclmt::{reach}(vlSymsp->{count});");
                }
                None => counted += &line,
            }
            counted.push('\n');
            // The condition may be broken into several lines.
            changes_bit = line.contains(LAST_VALUE) || (changes_bit && !line.ends_with([';', '}']));
        }
        // The function that a model calls for each of its counts.
        let body = (counted.split_once(BEGIN))
            .and_then(|(head, rest)| Some((head, rest.split_once("\n}\n")?.1)));
        if let Some((head, tail)) = body {
            counted = format!(
                "#include <atomic>\n#include <cstdint>\nextern \"C\" void acclmt_cover(const std::atomic<uint32_t> *, const \
                 char *, int, int, const char *, const char *);\n{head}    if (enable) acclmt_cover(countp, filenamep, \
                 lineno, column, pagep, commentp);\n}}\n{tail}"
            );
            changes += 1;
        }
        if counted != text {
            fs::write(&path, counted).map_err(|error| with_path("write", &path, error))?;
        }
    }
    match changes {
        0 => Err(format!(
            "nothing is counted in {}: this Verilator writes other code for coverage than 5.006",
            folder.display()
        )
        .into()),
        _ => Ok(()),
    }
}

/// Whether the line is of a bit for which Verilator 5.006 keeps no count: the port of a block with a function of its own,
/// which changes with the signal above that drives it. It gives such a bit the first count of all, that of a clock.
fn is_lost(line: &str) -> bool {
    line.contains("__vlCoverInsert(&(vlSymsp->__Vcoverage[0]), first, ")
        && line.contains("\"v_toggle/")
        && !line.contains("\"clk_i\"")
}

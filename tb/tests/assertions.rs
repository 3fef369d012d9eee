// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! Assertions of the control blocks must fail on copies of the RTL with a deliberate fault, and hold on the RTL
//! as it is. The copies are small parts of the chip, so that each is built by Verilator in seconds.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use acclmt_driver::program::{ChipProgram, RowRegisters};
use acclmt_driver::registers;
use acclmt_model::Hardware;
use acclmt_poseidon::presets;
use tempfile::TempDir;

/// A fault: in this file the line that begins with `line` becomes `fault`.
struct Fault {
    file: &'static str,
    line: &'static str,
    fault: &'static str,
    /// What an assertion says of it.
    message: &'static str,
}

const FAULTS: [Fault; 2] = [
    // The machine starts in the cycle of the command, while what was written the cycle before still settles.
    Fault {
        file: "control/acclmt_run_control.sv",
        line: "assign start_o =",
        fault: "assign start_o = start_legal;",
        message: "acclmt_register_file: a run starts before its configuration has settled",
    },
    // Configuration is written during a run.
    Fault {
        file: "control/acclmt_register_file.sv",
        line: "assign write_config =",
        fault: "assign write_config = write && is_config && value_legal;",
        message: "acclmt_register_file: the configuration changed during a run",
    },
];

const TOP: &str = "acclmt_tb_registers";

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name)
}

/// The writes that configure a run of pairs, its start the cycle after the last of them.
fn writes() -> String {
    let set = presets::by_name("filecoin-arity-2").unwrap();
    let program = ChipProgram::compile(set, &Hardware::default().limits()).unwrap();
    let mut writes: Vec<(u32, u32)> = [&registers::LEAF, &registers::ROOT]
        .into_iter()
        .flat_map(|engine| program.registers.writes(engine))
        .chain(RowRegisters::one_block(&program.registers).writes())
        .collect();
    writes.extend([
        (registers::LEVEL_TABLE.at(0), 0x0_0004),
        (registers::LEVEL_TABLE.at(1), 0x1_0004),
        (registers::LEVEL_TABLE.at(2), 0x1_0001),
        (registers::TOP_LEVEL.address, 3),
        (registers::EMIT_LEVELS.address, 8),
        (registers::LEAVES.address, 8),
        (registers::CONTROL.address, 1),
    ]);
    writes
        .iter()
        .map(|(address, value)| format!("{address:x} {value:x}\n"))
        .collect()
}

/// Builds the bench with the sources of the chip, the one of the fault exchanged, and runs it: whether it ended
/// well, and all that it said.
fn run(fault: Option<&Fault>) -> (bool, String) {
    let work = TempDir::new().unwrap();
    let rtl = folder("rtl");
    let list = fs::read_to_string(rtl.join("acclmt.f")).unwrap();
    let mut sources = Vec::new();
    for name in list.lines().filter(|line| line.ends_with(".sv")) {
        let mut path = rtl.join(name);
        if let Some(fault) = fault.filter(|fault| fault.file == name) {
            let text = fs::read_to_string(&path).unwrap();
            let is_line = |line: &&str| line.trim_start().starts_with(fault.line);
            assert_eq!(
                text.lines().filter(is_line).count(),
                1,
                "{name} must have one line '{}', in one line",
                fault.line
            );
            let broken: Vec<&str> = text
                .lines()
                .map(|line| if is_line(&line) { fault.fault } else { line })
                .collect();
            path = work.path().join(Path::new(name).file_name().unwrap());
            fs::write(&path, broken.join("\n")).unwrap();
        }
        sources.push(path);
    }
    let built = Command::new("verilator")
        .args([
            "--binary",
            "--timing",
            "--assert",
            "-Wno-lint",
            "-Wno-style",
            "-O0",
        ])
        .args(["--top-module", TOP, "--Mdir"])
        .arg(work.path().join("obj"))
        .args(&sources)
        .arg(folder("tb/rtl").join(format!("{TOP}.sv")))
        .output()
        .expect("verilator runs: it is what the chip is simulated with");
    assert!(
        built.status.success(),
        "{}{}",
        String::from_utf8_lossy(&built.stdout),
        String::from_utf8_lossy(&built.stderr)
    );
    let file = work.path().join("writes");
    fs::write(&file, writes()).unwrap();
    let done = Command::new(work.path().join("obj").join(format!("V{TOP}")))
        .arg(format!("+writes={}", file.display()))
        .output()
        .unwrap();
    let said = [done.stdout, done.stderr].concat();
    (done.status.success(), String::from_utf8(said).unwrap())
}

/// Without the faults nothing is said, and what they are about happens: a run starts, a write meets it.
#[test]
fn assertions_hold_on_the_register_file() {
    let (ended_well, said) = run(None);
    assert!(ended_well, "{said}");
    assert!(!said.contains("%Error"), "{said}");
    assert!(said.contains("starts 1, running 1, errors 1"), "{said}");
}

#[test]
fn assertions_fail_on_broken_register_files() {
    for fault in &FAULTS {
        let (ended_well, said) = run(Some(fault));
        assert!(!ended_well, "{}: {said}", fault.fault);
        assert!(said.contains(fault.message), "{}: {said}", fault.fault);
    }
}

// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! The sweep of a zeroisation overwrites every word, and a sweep that leaves one out is found: on copies of the
//! RTL with a deliberate fault. The bench is small, so that Verilator builds it in seconds.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// A fault: in this file the text `original`, which is there once, becomes `fault`.
struct Fault {
    file: &'static str,
    original: &'static str,
    fault: &'static str,
    /// What is left then.
    left: &'static str,
}

const FAULTS: [Fault; 6] = [
    // The last word of the largest memory.
    Fault {
        file: "control/acclmt_zeroiser.sv",
        original: "AddressWidth'(NodeWords - 1);",
        fault: "AddressWidth'(NodeWords - 2);",
        left: "left: 1 nodes, 0 constants",
    },
    // The first one of each.
    Fault {
        file: "tree/acclmt_node_memory.sv",
        original: "sweep = sweep_i.valid && 32'(sweep_i.address) < Depth;",
        fault: "sweep = sweep_i.valid && 32'(sweep_i.address) < Depth && sweep_i.address != '0;",
        left: "left: 10 nodes, 0 constants",
    },
    // The registers at the outputs of the node memories.
    Fault {
        file: "tree/acclmt_node_memory.sv",
        original: "read_enable_i(sweep_read || ",
        fault: "read_enable_i(",
        left: "left: 5 nodes, 0 constants",
    },
    // The last word of every bank with several.
    Fault {
        file: "control/acclmt_zeroiser.sv",
        original: "32'(index_q) + 32'd1 >= depth;",
        fault: "32'(index_q) + 32'd2 >= depth;",
        left: "left: 0 nodes, 42 constants",
    },
    // The last bank: constants of lane 2.
    Fault {
        file: "control/acclmt_zeroiser.sv",
        original: "acclmt_pkg::FullMatrixBanks + acclmt_pkg::Lanes - 1;",
        fault: "acclmt_pkg::FullMatrixBanks + acclmt_pkg::Lanes - 2;",
        left: "left: 0 nodes, 32 constants",
    },
    // The initial vectors.
    Fault {
        file: "control/acclmt_zeroiser.sv",
        original: "LastSubEngine = 4'd15;",
        fault: "LastSubEngine = 4'd14;",
        left: "acclmt_zeroiser: LastSubEngine",
    },
];

const TOP: &str = "acclmt_tb_zeroiser";

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name)
}

/// Builds the bench with the sources of the chip, the one of the fault exchanged, and runs it: what it said, or
/// what the build did.
fn run(fault: Option<&Fault>) -> String {
    let work = TempDir::new().unwrap();
    let rtl = folder("rtl");
    let list = fs::read_to_string(rtl.join("acclmt.f")).unwrap();
    let mut sources = Vec::new();
    for name in list.lines().filter(|line| line.ends_with(".sv")) {
        let mut path = rtl.join(name);
        if let Some(fault) = fault.filter(|fault| fault.file == name) {
            let text = fs::read_to_string(&path).unwrap();
            let count = text.matches(fault.original).count();
            assert_eq!(count, 1, "{name} must have '{}' once", fault.original);
            path = work.path().join(Path::new(name).file_name().unwrap());
            fs::write(&path, text.replace(fault.original, fault.fault)).unwrap();
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
        ])
        .args(["-O0", "--top-module", TOP, "--Mdir"])
        .arg(work.path().join("obj"))
        .args(&sources)
        .arg(folder("tb/rtl").join(format!("{TOP}.sv")))
        .output()
        .expect("verilator runs: it is what the chip is simulated with");
    let said = if built.status.success() {
        let program = work.path().join("obj").join(format!("V{TOP}"));
        let done = Command::new(program).output().unwrap();
        [done.stdout, done.stderr].concat()
    } else {
        [built.stdout, built.stderr].concat()
    };
    String::from_utf8(said).unwrap()
}

#[test]
fn a_sweep_leaves_nothing() {
    let said = run(None);
    assert!(said.contains("left: 0 nodes, 0 constants"), "{said}");
    assert!(!said.contains("%Error"), "{said}");
}

#[test]
fn what_a_broken_sweep_leaves_is_found() {
    for fault in &FAULTS {
        let said = run(Some(fault));
        println!(
            "{}: {}",
            fault.fault,
            said.lines().next().unwrap_or_default()
        );
        assert!(!said.contains("left: 0 nodes, 0 constants"), "{said}");
        assert!(said.contains(fault.left), "{}: {said}", fault.fault);
    }
}

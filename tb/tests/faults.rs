// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! Control blocks with deliberate faults are found: copies of the RTL, each a small part of the chip with a bench
//! of its own, so that Verilator builds it in seconds. On the RTL as it is the same benches find nothing.

// The control blocks are the same with every prime.
#![cfg(feature = "bls12-381")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use acclmt_driver::program::{ChipProgram, LevelEntry, Roles, RowRegisters};
use acclmt_driver::registers;
use acclmt_model::Hardware;
use acclmt_poseidon::presets;
use tempfile::TempDir;

/// A fault: in this file the text `original`, which is there once, becomes `fault`.
struct Fault {
    file: &'static str,
    original: &'static str,
    fault: &'static str,
    /// What the bench says of it.
    message: &'static str,
}

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name)
}

/// Builds the bench `top` with the sources of the chip, the one of the fault exchanged, and runs it with these
/// arguments: whether it was built and ended well, and all that was said.
fn run(top: &str, fault: Option<&Fault>, arguments: &[String]) -> (bool, String) {
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
    let objects = work.path().join("obj");
    let mut output = Command::new("verilator")
        .args(["--binary", "--timing", "--assert"])
        .args(["-Wno-lint", "-Wno-style", "-O0"])
        .args(["--top-module", top, "--Mdir"])
        .arg(&objects)
        .args(&sources)
        .arg(folder("tb/rtl").join(format!("{top}.sv")))
        .output()
        .expect("verilator runs: it is what the chip is simulated with");
    if output.status.success() {
        output = Command::new(objects.join(format!("V{top}")))
            .args(arguments)
            .output()
            .unwrap();
    }
    let said = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8(said).unwrap())
}

// ---- Configuration and runs -------------------------------------------------------------------------------

const REGISTERS: &str = "acclmt_tb_registers";

const REGISTER_FAULTS: [Fault; 2] = [
    // The machine starts in the cycle of the command, while what was written the cycle before still settles.
    Fault {
        file: "control/acclmt_run_control.sv",
        original: "assign start_o = setup_done;",
        fault: "assign start_o = start_legal;",
        message: "acclmt_register_file: a run starts before its configuration has settled",
    },
    // Configuration is written during a run.
    Fault {
        file: "control/acclmt_register_file.sv",
        original: "assign write_config = write && is_config && value_legal && !busy;",
        fault: "assign write_config = write && is_config && value_legal;",
        message: "acclmt_register_file: the configuration changed during a run",
    },
];

/// The writes that configure a run of pairs, its start the cycle after the last of them.
fn writes() -> String {
    let set = presets::by_name("filecoin-arity-2").unwrap();
    let program = ChipProgram::compile(set, &Hardware::default().limits()).unwrap();
    let mut writes: Vec<(u32, u32)> = [&registers::LEAF, &registers::ROOT]
        .into_iter()
        .flat_map(|engine| program.registers.writes(engine))
        .chain(RowRegisters::one_block(&program.registers).writes())
        .collect();
    writes.extend([4, 4, 1, 1].iter().zip(0..).map(|(&groups, level)| {
        let entry = LevelEntry::of_nodes(groups);
        (registers::LEVEL_TABLE.at(level), entry.value())
    }));
    writes.extend([
        (registers::TOP_LEVEL.address, 3),
        (registers::EMIT_LEVELS.address, 8),
        (registers::LEAVES.address, 8),
        (registers::ROLES.address, Roles::LEAF_AND_ROOT.value()),
        (registers::CONTROL.address, 1),
    ]);
    writes
        .iter()
        .map(|(address, value)| format!("{address:x} {value:x}\n"))
        .collect()
}

fn run_registers(fault: Option<&Fault>) -> (bool, String) {
    let work = TempDir::new().unwrap();
    let file = work.path().join("writes");
    fs::write(&file, writes()).unwrap();
    run(REGISTERS, fault, &[format!("+writes={}", file.display())])
}

/// Nothing is said, and what the faults are about happens: a run starts, a write meets it.
#[test]
fn assertions_hold_on_the_register_file() {
    let (ended_well, said) = run_registers(None);
    assert!(ended_well, "{said}");
    assert!(!said.contains("%Error"), "{said}");
    assert!(said.contains("starts 1, running 1, errors 1"), "{said}");
}

#[test]
fn assertions_fail_on_broken_register_files() {
    for fault in &REGISTER_FAULTS {
        let (ended_well, said) = run_registers(Some(fault));
        assert!(!ended_well, "{}: {said}", fault.fault);
        assert!(said.contains(fault.message), "{}: {said}", fault.fault);
    }
}

// ---- The sweep of a zeroisation ---------------------------------------------------------------------------

const SWEEP: &str = "acclmt_tb_zeroiser";
const NOTHING_LEFT: &str = "left: 0 nodes, 0 constants";

const SWEEP_FAULTS: [Fault; 6] = [
    // The last word of the largest memory.
    Fault {
        file: "control/acclmt_zeroiser.sv",
        original: "AddressWidth'(NodeWords - 1);",
        fault: "AddressWidth'(NodeWords - 2);",
        message: "left: 1 nodes, 0 constants",
    },
    // The first one of each.
    Fault {
        file: "tree/acclmt_node_memory.sv",
        original: ".write_enable_i(write_i || sweep_i.valid),",
        fault: ".write_enable_i(write_i || (sweep_i.valid && sweep_i.address != '0)),",
        message: "left: 2 nodes, 0 constants",
    },
    // The register at the output of the node memory.
    Fault {
        file: "tree/acclmt_node_memory.sv",
        original: "read_enable_i(sweep_read || read_i)",
        fault: "read_enable_i(read_i && !sweep_read)",
        message: "left: 1 nodes, 0 constants",
    },
    // The last word of every bank with several.
    Fault {
        file: "control/acclmt_zeroiser.sv",
        original: "32'(index_q) + 32'd1 >= depth;",
        fault: "32'(index_q) + 32'd2 >= depth;",
        message: "left: 0 nodes, 60 constants",
    },
    // The last bank: constants of lane 2.
    Fault {
        file: "control/acclmt_zeroiser.sv",
        original: "acclmt_pkg::FullMatrixBanks + acclmt_pkg::Lanes - 1;",
        fault: "acclmt_pkg::FullMatrixBanks + acclmt_pkg::Lanes - 2;",
        message: "left: 0 nodes, 32 constants",
    },
    // The initial vectors.
    Fault {
        file: "control/acclmt_zeroiser.sv",
        original: "LastSubEngine = '1;",
        fault: "LastSubEngine = 4'd14;",
        message: "acclmt_zeroiser: LastSubEngine",
    },
];

#[test]
fn a_sweep_leaves_nothing() {
    let (ended_well, said) = run(SWEEP, None, &[]);
    assert!(ended_well, "{said}");
    assert!(said.contains(NOTHING_LEFT), "{said}");
    assert!(!said.contains("%Error"), "{said}");
}

#[test]
fn what_a_broken_sweep_leaves_is_found() {
    for fault in &SWEEP_FAULTS {
        let (_, said) = run(SWEEP, Some(fault), &[]);
        assert!(!said.contains(NOTHING_LEFT), "{}: {said}", fault.fault);
        assert!(said.contains(fault.message), "{}: {said}", fault.fault);
    }
}

// ---- Digests in any order ---------------------------------------------------------------------------------

const PLACES: &str = "acclmt_tb_places";
const ALL_IN_ORDER: &str = "ended: 120 nodes, 0 wrong";

const PLACE_FAULTS: [Fault; 7] = [
    // A group begins with the nodes of the one that had its words before.
    Fault {
        file: "tree/acclmt_group_counts.sv",
        original: "if (forget_i) count_q",
        fault: "if (forget_i && write_i) count_q",
        message: "acclmt_dispatch_scheduler: a group has 4 nodes",
    },
    // A digest is not counted while a group is forgotten.
    Fault {
        file: "tree/acclmt_group_counts.sv",
        original: "if (write_i) count_q",
        fault: "if (write_i && !forget_i) count_q",
        message: "acclmt_dispatch_scheduler: the leaf queue is full and nothing can move",
    },
    // All groups are as short as the last one, as soon as that is known.
    Fault {
        file: "tree/acclmt_level_queue.sv",
        original: "assign is_last = read_group_q == reserve_group_q && (complete_q || written_last_i);",
        fault: "assign is_last = complete_q || written_last_i;",
        message: "unfinished: 102 nodes",
    },
    // A group that was complete before it became the oldest is not seen.
    Fault {
        file: "tree/acclmt_level_queue.sv",
        original: "(looked_i && looked_count_i == read_count)",
        fault: "(looked_i && looked_count_i > read_count)",
        message: "acclmt_dispatch_scheduler: the leaf queue is full and nothing can move",
    },
    // In a queue of one group the taken group is complete once more.
    Fault {
        file: "tree/acclmt_dispatch_scheduler.sv",
        original: "assign looks = look_group != taken_group_q;",
        fault: "assign looks = 1'b1;",
        message: "acclmt_level_queue: a group is complete that has no place",
    },
    // Digests are written in the order in which they come.
    Fault {
        file: "tree/acclmt_tree.sv",
        original: "assign write_index = digest_valid_i ? digest_index : leaf_index;",
        fault: "assign write_index = digest_valid_i ? u_scheduler.written_count - 1'b1 : leaf_index;",
        message: "ended: 120 nodes, 27 wrong",
    },
    // The last node is that of a whole group.
    Fault {
        file: "tree/acclmt_dispatch_scheduler.sv",
        original: "assign reserve_last = group_last[l-1];",
        fault: "assign reserve_last = group_last[l-1] && group_count[l-1] == arity[l-1];",
        message: "unfinished: 119 nodes",
    },
];

#[test]
fn digests_in_any_order_make_the_tree() {
    let (ended_well, said) = run(PLACES, None, &[]);
    assert!(ended_well, "{said}");
    assert!(said.contains(ALL_IN_ORDER), "{said}");
    assert!(!said.contains("%Error"), "{said}");
}

#[test]
fn broken_places_are_found() {
    for fault in &PLACE_FAULTS {
        let (_, said) = run(PLACES, Some(fault), &[]);
        assert!(!said.contains(ALL_IN_ORDER), "{}: {said}", fault.fault);
        assert!(said.contains(fault.message), "{}: {said}", fault.fault);
    }
}

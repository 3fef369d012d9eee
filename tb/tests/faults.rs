// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! Control blocks with deliberate faults are found: copies of the RTL, each a small part of the chip with a bench
//! of its own, so that Verilator builds it in seconds. On the RTL as it is the same benches find nothing.

// The control blocks are the same with every prime.
#![cfg(feature = "bls12-381")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use acclmt_driver::program::{ChipProgram, LevelEntry, Roles, RowRegisters};
use acclmt_driver::registers;
use acclmt_model::Hardware;
use acclmt_poseidon::presets;
use rayon::prelude::*;
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

/// The source `name` with this text, which is there once, exchanged.
fn exchanged(name: &str, text: &str, original: &str, fault: &str) -> String {
    let count = text.matches(original).count();
    assert_eq!(count, 1, "{name} must have '{original}' once");
    text.replace(original, fault)
}

fn source(name: &str) -> String {
    fs::read_to_string(folder("rtl").join(name)).unwrap()
}

/// Builds the bench `top` in the folder `work` with the sources of the chip: some of them with a text of their own,
/// some with files of the testbench in their places.
fn build(
    top: &str,
    changed: &BTreeMap<&str, String>,
    replaced: &[(&str, &[&str])],
    work: &Path,
) -> Output {
    let benches = folder("tb/rtl");
    let list = source("acclmt.f");
    let mut sources = Vec::new();
    for name in list.lines().filter(|line| line.ends_with(".sv")) {
        if let Some((_, others)) = replaced.iter().find(|(file, _)| *file == name) {
            sources.extend(others.iter().map(|other| benches.join(other)));
        } else if let Some(text) = changed.get(name) {
            let path = work.join(Path::new(name).file_name().unwrap());
            fs::write(&path, text).unwrap();
            sources.push(path);
        } else {
            sources.push(folder("rtl").join(name));
        }
    }
    Command::new("verilator")
        .args(["--binary", "--timing", "--assert"])
        // Without its optimisations Verilator takes parts of one block for loops.
        .args(["-Wno-lint", "-Wno-style", "-Wno-UNOPTFLAT", "-O0"])
        .args(["-MAKEFLAGS", "OPT_FAST=-O0 OPT_SLOW=-O0 OPT_GLOBAL=-O0"])
        .args(["--top-module", top, "--Mdir"])
        .arg(work.join("obj"))
        .args(&sources)
        .arg(benches.join(format!("{top}.sv")))
        .output()
        .expect("verilator runs: it is what the chip is simulated with")
}

/// Runs the bench `top` that was built in the folder `work`.
fn start(top: &str, work: &Path, arguments: &[String]) -> Output {
    Command::new(work.join("obj").join(format!("V{top}")))
        .args(arguments)
        .output()
        .unwrap()
}

/// Whether it ended well, and all that was said.
fn outcome(output: Output) -> (bool, String) {
    let said = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8(said).unwrap())
}

/// Builds the bench `top` with the sources of the chip, the one of the fault exchanged, and runs it with these
/// arguments: whether it was built and ended well, and all that was said.
fn run(top: &str, fault: Option<&Fault>, arguments: &[String]) -> (bool, String) {
    let work = TempDir::new().unwrap();
    let changed = fault.map(|fault| {
        let text = exchanged(fault.file, &source(fault.file), fault.original, fault.fault);
        (fault.file, text)
    });
    let mut output = build(top, &changed.into_iter().collect(), &[], work.path());
    if output.status.success() {
        output = start(top, work.path(), arguments);
    }
    outcome(output)
}

// ---- Configuration and runs -------------------------------------------------------------------------------

const REGISTERS: &str = "acclmt_tb_registers";

const REGISTER_FAULTS: [Fault; 2] = [
    // The machine starts in the cycle of the command, while what was written the cycle before still settles.
    Fault {
        file: "control/acclmt_run_control.sv",
        original: "assign start_o = setup_done && !program_illegal_o;",
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

/// Faults that the normal tests build a simulation for, of a list that is long.
const FEW: usize = 2;

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
        message: "left: 0 nodes, 70 constants",
    },
    // The last bank: the rows of the adders of both full-round sub-engines.
    Fault {
        file: "control/acclmt_zeroiser.sv",
        original: "LastBank = acclmt_pkg::AdderBank;",
        fault: "LastBank = acclmt_pkg::AdderBank - 1;",
        message: "left: 0 nodes, 48 constants",
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
    find_all(SWEEP, NOTHING_LEFT, &SWEEP_FAULTS[..FEW]);
}

#[test]
#[ignore = "long: a simulation is built for each fault"]
fn what_any_broken_sweep_leaves_is_found() {
    find_all(SWEEP, NOTHING_LEFT, &SWEEP_FAULTS[FEW..]);
}

/// Each fault makes the bench say its message, and not what it says when all is well.
fn find_all(bench: &str, well: &str, faults: &[Fault]) {
    for fault in faults {
        let (_, said) = run(bench, Some(fault), &[]);
        assert!(!said.contains(well), "{}: {said}", fault.fault);
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
        original: "forget_row[row] = forget_i &&",
        fault: "forget_row[row] = forget_i && write_i &&",
        message: "acclmt_dispatch_scheduler: a group has 4 nodes",
    },
    // A digest is not counted while a group is forgotten.
    Fault {
        file: "tree/acclmt_group_counts.sv",
        original: "write_row[row] = write_i &&",
        fault: "write_row[row] = write_i && !forget_i &&",
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
    find_all(PLACES, ALL_IN_ORDER, &PLACE_FAULTS[..FEW]);
}

#[test]
#[ignore = "long: a simulation is built for each fault"]
fn any_broken_places_are_found() {
    find_all(PLACES, ALL_IN_ORDER, &PLACE_FAULTS[FEW..]);
}

// ---- A pool of hash engines ---------------------------------------------------------------------------------

const DEALING: &str = "acclmt_tb_dealing";
const ALL_RUNS: &str = "all ended: 1244 nodes, 0 wrong";

/// The arithmetic of the engines is left out, their order is not.
const STAND_IN: &[(&str, &[&str])] = &[(
    "engine/acclmt_hash_engine.sv",
    &["acclmt_tb_hash_pkg.sv", "acclmt_tb_hash_engine.sv"],
)];

/// A fault in an expression: behind the text `before`, together with which it is there once, it becomes `fault`.
struct PoolFault {
    file: &'static str,
    before: &'static str,
    original: &'static str,
    fault: &'static str,
    message: &'static str,
}

const POOL_FAULTS: [PoolFault; 30] = [
    // A word does not wake an engine.
    PoolFault {
        file: "engine/acclmt_engine_pool.sv",
        before: "constant_write.valid || ",
        original: "valid",
        fault: "1'b0",
        message: "pauses: unfinished: 0 nodes",
    },
    // The gate of the clock looks at its enable while the clock is high.
    PoolFault {
        file: "common/acclmt_clock_gate.sv",
        before: "if (",
        original: "!clk_i",
        fault: "1'b1",
        message: "acclmt_tb_hash_engine: word 2 of a block of 2 words ends it: 0",
    },
    // The lock on the engine of a row is dropped: blocks are interleaved.
    PoolFault {
        file: "engine/acclmt_engine_pool.sv",
        before: "",
        original: "row_label_i.block_end ? '0 : row_target",
        fault: "'0",
        message: "acclmt_tb_hash_engine: word 1 of a block of 2 words ends it: 1",
    },
    // An engine begins a row and a node in one cycle.
    PoolFault {
        file: "engine/acclmt_engine_pool.sv",
        before: "",
        original: "node_valid_i ? node_target : '0",
        fault: "'0",
        message: "acclmt_engine_pool: an engine takes a row and a node at once",
    },
    // A row begins in the midst of a node.
    PoolFault {
        file: "engine/acclmt_engine_pool.sv",
        before: "engine_ready & ",
        original: "~node_lock_q",
        fault: "'1",
        message: "acclmt_tb_hash_engine: a word of another block comes within a block",
    },
    // A node begins in the midst of a row.
    PoolFault {
        file: "engine/acclmt_engine_pool.sv",
        before: "within_limit & ",
        original: "~row_lock_q",
        fault: "'1",
        message: "acclmt_engine_pool: an engine takes a row and a node at once",
    },
    // A row has the place of the node on offer.
    PoolFault {
        file: "engine/acclmt_engine_pool.sv",
        before: "reserve_leaves ? ",
        original: "leaf_place_i",
        fault: "node_place_i",
        message: "acclmt_dispatch_scheduler: a digest is written to place 0, which is not reserved",
    },
    // A row begins without a place.
    PoolFault {
        file: "engine/acclmt_engine_pool.sv",
        before: "",
        original: "reserve_leaves && row_begins && !leaf_ready_i",
        fault: "1'b0",
        message: "acclmt_dispatch_scheduler: a digest is written to place 0, which is not reserved",
    },
    // The first row of a group asks for its own place only.
    PoolFault {
        file: "engine/acclmt_engine_pool.sv",
        before: "",
        original: "row_label_i.first_row ? run_i.row.group : 16'd1",
        fault: "16'd1",
        message: "two blocks, one engine for nodes: unfinished: 14 nodes, 0 wrong",
    },
    // Rows of several blocks go to any engine with room.
    PoolFault {
        file: "engine/acclmt_engine_pool.sv",
        before: "",
        original: "in_turn ? row_engines : row_can",
        fault: "row_can",
        message: "acclmt_tb_hash_engine: a block comes that no state waits for",
    },
    // A round of blocks begins where the last one ended.
    PoolFault {
        file: "engine/acclmt_engine_pool.sv",
        before: "",
        original: "clear_i || round_ends",
        fault: "clear_i",
        message: "acclmt_tb_hash_engine: a block comes that no state waits for",
    },
    // So many nodes enter as there are.
    PoolFault {
        file: "engine/acclmt_engine_pool.sv",
        before: "",
        original: "run_i.node_limit == '0 || nodes_q != run_i.node_limit",
        fault: "1'b1",
        message: "two blocks, one engine for nodes: unfinished: 10 nodes, 0 wrong",
    },
    // The digests of rows make room for nodes.
    PoolFault {
        file: "engine/acclmt_engine_pool.sv",
        before: "",
        original: "digest_has_place[e] && digest_ready[e] && !digest_is_row[e]",
        fault: "digest_has_place[e] && digest_ready[e]",
        message: "two blocks, one engine for nodes: unfinished: 10 nodes, 0 wrong",
    },
    // The last block of a row has the words of the others.
    PoolFault {
        file: "engine/acclmt_engine_pool.sv",
        before: "",
        original: "row_label_i.last_block ? run_i.row.last_words : row_config.input_words",
        fault: "row_config.input_words",
        message: "acclmt_tb_hash_engine: word 2 of a block of 3 words ends it: 1",
    },
    // The last block of a row has the map of the others.
    PoolFault {
        file: "engine/acclmt_engine_pool.sv",
        before: "",
        original: "row_label_i.last_block ? run_i.row.last_map : row_config.input_map",
        fault: "row_config.input_map",
        message: "shared: ended: 120 nodes, 120 wrong",
    },
    // Ready leaves are taken for rows: so are the nodes of set 0.
    PoolFault {
        file: "engine/acclmt_engine_pool.sv",
        before: "",
        original: "hash_rows && tag[TagSet+:SetWidth] == RowSet",
        fault: "tag[TagSet+:SetWidth] == RowSet",
        message: "elements: unfinished: 27 nodes, 0 wrong",
    },
    // Every engine with a digest writes its own.
    PoolFault {
        file: "engine/acclmt_engine_pool.sv",
        before: "if (",
        original: "digest_choice[e]",
        fault: "digest_has_place[e]",
        message: "acclmt_dispatch_scheduler: a digest is written to place 6, which is not reserved",
    },
    // Without a tree digests are collected from any engine.
    PoolFault {
        file: "engine/acclmt_engine_pool.sv",
        before: ".request_i(",
        original: "row_engines",
        fault: "row_engines & digest_valid",
        message: "no tree: ended: 160 nodes, 112 wrong",
    },
    // The turn of digests begins again with each of them.
    PoolFault {
        file: "engine/acclmt_engine_pool.sv",
        before: "",
        original: "leaf_taken && leaf_last && leaf_ends_group",
        fault: "leaf_taken && leaf_last",
        message: "no tree: unfinished: 18 nodes, 16 wrong",
    },
    // Every node has the words of set 1.
    PoolFault {
        file: "engine/acclmt_engine_pool.sv",
        before: ".set_i(",
        original: "node_set_i",
        fault: "acclmt_pkg::NodeSet",
        message: "elements: ended: 120 nodes, 40 wrong",
    },
    // The turn stays where it was.
    PoolFault {
        file: "common/acclmt_turns.sv",
        before: "",
        original: "~(advance_i | (advance_i - Count'(1)))",
        fault: "~(advance_i - Count'(1))",
        message: "acclmt_engine_pool: the digest of engine 1 waits for too long",
    },
    // Every node has set 1.
    PoolFault {
        file: "tree/acclmt_tree.sv",
        before: "",
        original: "word_job.parameter_set",
        fault: "acclmt_pkg::NodeSet",
        message: "elements: ended: 120 nodes, 40 wrong",
    },
    // A leaf is taken while a digest is written.
    PoolFault {
        file: "tree/acclmt_tree.sv",
        before: "",
        original: "place_free && (reserve_leaves_i || !digest_valid_i)",
        fault: "place_free",
        message: "one engine for rows: unfinished: 105 nodes, 77 wrong",
    },
    // Nodes have as many children at every level as above the leaves.
    PoolFault {
        file: "tree/acclmt_dispatch_scheduler.sv",
        before: "of_level.arity = ",
        original: "arity[l]",
        fault: "arity[0]",
        message: "acclmt_tb_hash_engine: word 2 of a block of 2 words ends it: 0",
    },
    // A group of leaves frees as many places as a node of the next level has children.
    PoolFault {
        file: "tree/acclmt_dispatch_scheduler.sv",
        before: "AddressWidth'(",
        original: "arity[0]",
        fault: "arity[1]",
        message: "acclmt_dispatch_scheduler: 0 places of leaves are free, and that is wrong",
    },
    // A leaf that needs several places takes one.
    PoolFault {
        file: "tree/acclmt_dispatch_scheduler.sv",
        before: "",
        original: "leaf_places_q >= leaf_places_i",
        fault: "leaf_places_q != '0",
        message: "two blocks, one engine for nodes: unfinished: 14 nodes, 0 wrong",
    },
    // Groups of every level are as far apart as three nodes.
    PoolFault {
        file: "tree/acclmt_level_queue.sv",
        before: "read_group_q + ",
        original: "AddressWidth'(arity_q)",
        fault: "AddressWidth'(3)",
        message: "acclmt_dispatch_scheduler: the leaf queue is full and nothing can move",
    },
    // Every level has set 1.
    PoolFault {
        file: "tree/acclmt_level_queue.sv",
        before: "set_q <= ",
        original: "set_i",
        fault: "2'd1",
        message: "elements: ended: 120 nodes, 40 wrong",
    },
    // Siblings that a group lacks are left out.
    PoolFault {
        file: "tree/acclmt_node_fetch.sv",
        before: "",
        original: "job_q.is_top ? job_q.count : job_q.arity",
        fault: "job_q.count",
        message: "acclmt_tb_hash_engine: word 2 of a block of 3 words ends it: 1",
    },
    // Siblings that a group lacks are what is in their places.
    PoolFault {
        file: "tree/acclmt_node_fetch.sv",
        before: "",
        original: "index_q + 1'b1 >= job_q.count",
        fault: "index_q + 1'b1 >= job_q.arity",
        message: "shared: ended: 121 nodes, 5 wrong",
    },
];

#[test]
fn a_pool_makes_the_nodes_of_every_run() {
    let work = TempDir::new().unwrap();
    let mut output = build(DEALING, &BTreeMap::new(), STAND_IN, work.path());
    if output.status.success() {
        output = start(DEALING, work.path(), &[]);
    }
    let (ended_well, said) = outcome(output);
    assert!(ended_well, "{said}");
    assert!(said.contains(ALL_RUNS), "{said}");
    assert!(!said.contains("%Error"), "{said}");
}

/// All faults are in one simulation, and an argument chooses one: to build one for each would take minutes.
#[test]
fn broken_pools_are_found() {
    let argument = |index: usize| format!("fault_{index:02}");
    let mut changed = BTreeMap::new();
    for (index, fault) in POOL_FAULTS.iter().enumerate() {
        let PoolFault {
            file,
            before,
            original,
            fault,
            ..
        } = fault;
        let text = changed.entry(*file).or_insert_with(|| source(file));
        let chosen = format!(
            "{before}($test$plusargs(\"{}\") != 0 ? ({fault}) : ({original}))",
            argument(index)
        );
        *text = exchanged(file, text, &format!("{before}{original}"), &chosen);
    }
    let work = TempDir::new().unwrap();
    let output = build(DEALING, &changed, STAND_IN, work.path());
    if !output.status.success() {
        panic!("{}", outcome(output).1);
    }
    let (ended_well, said) = outcome(start(DEALING, work.path(), &[]));
    assert!(ended_well && said.contains(ALL_RUNS), "no fault: {said}");
    POOL_FAULTS
        .par_iter()
        .enumerate()
        .for_each(|(index, fault)| {
            let chosen = format!("+{}", argument(index));
            let (_, said) = outcome(start(DEALING, work.path(), &[chosen]));
            assert!(!said.contains(ALL_RUNS), "{}: {said}", fault.fault);
            assert!(said.contains(fault.message), "{}: {said}", fault.fault);
        });
}

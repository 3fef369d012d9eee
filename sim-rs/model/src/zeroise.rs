//! Zeroisation: how long the memories are swept, and the run of zero words (`acclmt_zeroiser` and
//! `acclmt_flush_configuration`).

use acclmt_driver::program::{
    ADDER_BANK, ChipRegisters, EngineLimits, LARGE_PRIME, LevelEntry, PositionMap, Roles,
    RowRegisters,
};
use acclmt_driver::registers::{self, SETS};

/// Elements of the widest state of the large prime, and its beats: those of no other are as many.
const WIDTH: u32 = 12;
const BEATS: u32 = 4;

/// Element j of a block is element j of the state: position codes of twelve elements, and twelve of none.
const MAP: PositionMap = [0x0C52_0820, 0x1CD6_2928, 0x0631_8C63, 0x0631_8C63];

/// Banks of a sub-engine that are looked at, and sub-engines: all numbers that there can be.
const BANKS: u32 = ADDER_BANK as u32 + 1;
const NUMBERS: u32 = 16;

/// Cycles in which the memories are swept: a word of the node memory and a constant of all hash engines in
/// each, a bank that there is not in one, and one to see that both are done. `depth` are the words of a bank
/// of a sub-engine.
pub(super) fn sweep_cycles(node_words: u32, depth: impl Fn(u32, u32) -> u32) -> u64 {
    let constants: u32 = (0..NUMBERS)
        .flat_map(|number| (0..BANKS).map(move |bank| (number, bank)))
        .map(|(number, bank)| depth(number, bank).max(1))
        .sum();
    u64::from(node_words.max(constants)) + 1
}

/// The registers of the run of zero words, by address: those of the run, of both hash engines, and of the
/// leaves and the level above them, which share the node memory.
pub(super) fn configuration(limits: &EngineLimits, node_words: u32) -> Vec<(u32, u32)> {
    // So many nodes of each engine that the beats of their states fill the largest buffer.
    let nodes = limits.places as u32 / BEATS + 1;
    // Every hash engine takes rows and nodes.
    let engines = limits.num_engines as u32;
    let all = u8::MAX.unbounded_shr(8 - engines);
    let roles = Roles {
        rows: all,
        nodes: all,
        node_limit: nodes as u8,
    };
    // Groups of siblings of each level, and rows of a group, which all have places.
    let groups = node_words / (2 * WIDTH);
    let places = groups * WIDTH - (WIDTH - 1);
    let engine = ChipRegisters {
        arity: WIDTH,
        field: LARGE_PRIME,
        width: WIDTH,
        beside: 0,
        alpha: 5,
        passes: [1; 2],
        // Sums move up through all places, and what leaves the S-box is added.
        recurrence: registers::RECURRENCE_ORDER.with(WIDTH - 1)
            | registers::RECURRENCE_OUTPUT_ENTERS.with(1),
        digest_words: 1,
        input_map: MAP,
        // Its last element: final states have all of their beats.
        digest_map: [0xe, 0, 0, 0],
        partial_rounds: std::array::from_fn(|number| {
            let is_there = (1..=limits.num_partial).contains(&number);
            if is_there { 2 } else { 0 }
        }),
        partial_base: 0,
    };
    let rows = RowRegisters {
        blocks: 2,
        group: places.min(nodes * engines),
        last_words: WIDTH,
        last_map: MAP,
        overwrite: false,
        close_from: 0,
    };
    let mode = registers::MODE_LEAF_KIND.with(1) | registers::MODE_PAD.with(1);
    let mut writes: Vec<(u32, u32)> = SETS
        .into_iter()
        .flat_map(|registers| engine.writes(registers))
        .chain(rows.writes())
        .collect();
    writes.extend([
        (registers::MODE.address, mode),
        (registers::TOP_LEVEL.address, 1),
        // The last group lacks a sibling.
        (registers::LEAVES.address, nodes * engines * WIDTH - 1),
        (registers::LEAVES_HIGH.address, 0),
        // Leaves go out as well.
        (registers::EMIT_LEVELS.address, 1),
        (registers::WINDOW_FIRST.address, 0),
        (registers::WINDOW_LAST.address, 0),
        (registers::ROLES.address, roles.value()),
    ]);
    let entry = LevelEntry::of_nodes(groups).value();
    writes.extend([0, 1].map(|level| (registers::LEVEL_TABLE.at(level), entry)));
    writes
}

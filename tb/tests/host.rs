// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! What a host of the chip may do, and may do wrong: registers, commands, constants and streams, at any time.

// The other primes have the same control blocks.
#![cfg(feature = "bls12-381")]

mod common;

use std::fs;
use std::path::Path;

use acclmt_driver::checksum::ConstantChecksum;
use acclmt_driver::chip::ChipPort;
use acclmt_driver::device::Device;
use acclmt_driver::level_table::{NODE_WORDS, max_height};
use acclmt_driver::program::{
    self, Bases, ChipConstant, ChipProgram, ChipRegisters, LevelEntry, ProgramFault, ROW_SET,
};
use acclmt_driver::registers::{self, Access, SETS};
use acclmt_poseidon::fields::FieldId;
use acclmt_poseidon::params::RoundOrder;
use acclmt_poseidon::word::Word;
use acclmt_tb::{RtlChip, WaveformWindow, Waves, large_field, rtl_device};
use acclmt_verilated::RUNTIME_MODULUS;
use common::bits::{BUSY, CLEAR, DONE, ERROR, REFUSED, START, ZEROISE};
use common::chip::{
    DIGESTS, ELEMENTS, HASHES, Host, INTERRUPT_DONE, INTERRUPT_ERROR, LeafKind, NO_ELEMENTS, Run,
    address_of, constant_address, constant_address_of, kinds, programmed, programmed_for,
    reference_root, set_with_rounds, short_hash, short_pairs,
};
use common::{Random, elements, prime, seed};
use num_bigint::BigUint;

// ---- Levels and counters ---------------------------------------------------------------------------

/// Trees whose level tables have room for a few groups only, so that small trees fill every queue.
#[test]
fn trees_with_short_queues() {
    let mut random = Random::new(seed(64));
    let mut device = programmed(25);
    let mut host = Host::of(&mut device);
    let leaves = 64;
    for _ in 0..2 {
        let input = elements(&mut random, large_field(), leaves);
        host.set_up(ELEMENTS, leaves as u32);
        for level in 0..=6 {
            let groups = 1 + random.below(2) as u32;
            host.write_queue(level, groups);
        }
        host.write(registers::CONTROL.address, START);
        let output = host.finish(&input);
        assert_eq!(
            [output[0].data],
            *reference_root(short_pairs(), LeafKind::Element, &input)
        );
        assert_eq!((output[0].level, output[0].index), (6, 0));
        host.clear();
    }
}

/// A queue of leaves over all of the node memory that the levels above leave, which fills it and goes round: every word of it
/// is used twice.
#[test]
fn every_word_of_the_node_memory_is_used() {
    let seed = seed(76);
    let mut random = Random::new(seed);
    for (arity, height) in [(2_u32, 10), (5, 5)] {
        let set = short_hash(seed, arity as usize);
        let mut device = programmed_for(&set, 77);
        let mut host = Host::of(&mut device);
        let leaves = arity.pow(height);
        host.clear();
        host.set_up(ELEMENTS, leaves);
        host.write(registers::TOP_LEVEL.address, height);
        let above = arity * height;
        for level in 0..=height {
            let groups = if level == 0 {
                (NODE_WORDS - above) / arity
            } else {
                1
            };
            host.write_queue(level, groups);
        }
        host.write(registers::CONTROL.address, START);
        assert_eq!(host.error(), (0, 0), "arity {arity}");
        let input = elements(&mut random, large_field(), leaves as usize);
        let output = host.finish(&input);
        let root = reference_root(&set, LeafKind::Element, &input);
        assert_eq!([output[0].data], *root, "arity {arity}");
        let full = host.read(registers::HIGH_WATER.address);
        let most = NODE_WORDS - above;
        let used = most - arity + 1..=NODE_WORDS;
        assert!(used.contains(&full), "{full} words, not {used:?}");
        host.clear();
    }
}

/// Every node comes out once, with its level and index, and in order; so do the levels of a cap.
#[test]
fn nodes_come_out_in_order() {
    let mut random = Random::new(seed(65));
    let mut device = programmed(26);
    let mut host = Host::of(&mut device);
    let leaves = 32;
    let input = elements(&mut random, large_field(), leaves);
    let mut levels = vec![input.clone()];
    while levels[levels.len() - 1].len() > 1 {
        let level = levels[levels.len() - 1].chunks(2);
        let level = level.flat_map(|pair| reference_root(short_pairs(), LeafKind::Element, pair));
        levels.push(level.collect());
    }
    for (top, emit) in [
        (5, u32::MAX),
        (5, 0),
        (5, 0b1010),
        (3, 0),
        (3, 0b1),
        (1, u32::MAX),
    ] {
        host.set_up(ELEMENTS, leaves as u32);
        host.write(registers::TOP_LEVEL.address, top);
        host.write(registers::EMIT_LEVELS.address, emit);
        host.write(registers::CONTROL.address, START);
        let mut received = vec![Vec::new(); levels.len()];
        let output = host.finish(&input);
        for word in &output {
            let nodes = &mut received[word.level as usize];
            assert_eq!(word.index as usize, nodes.len());
            nodes.push(word.data);
        }
        for (level, nodes) in (0..).zip(&received) {
            if level == top || (level < top && emit >> level & 1 == 1) {
                assert_eq!(*nodes, levels[level as usize], "level {level} of {top}");
            } else {
                assert!(nodes.is_empty(), "level {level} of {top}");
            }
        }
        host.clear();
    }
}

/// Queues that do not fit into the node memory: trees of four levels above the leaves in 512 words.
#[test]
fn illegal_level_tables_do_not_start() {
    let mut random = Random::new(seed(67));
    let mut device = programmed(28);
    let mut host = Host::of(&mut device);
    let code = registers::ERROR_ILLEGAL_CONFIGURATION.code;
    // The level that is at fault, and the groups of all levels.
    for (level, table) in [
        (0, [0, 1, 1, 1, 1]),
        (0, [257, 1, 1, 1, 1]),
        (0, [0xFFFF, 1, 1, 1, 1]),
        (1, [1, 256, 1, 1, 1]),
        (1, [256, 1, 1, 1, 1]),
        (1, [128, 0, 1, 1, 1]),
        (2, [128, 64, 65, 1, 1]),
        (2, [128, 64, 0, 0, 1]),
        (2, [0x80, 0x40, 0x8000, 1, 1]),
        (3, [128, 64, 63, 2, 1]),
        (3, [1, 1, 1, 0, 1]),
        (3, [1, 1, 1, 0xFFFF, 1]),
        (4, [1, 1, 1, 1, 0]),
        (4, [128, 64, 62, 1, 2]),
        (4, [253, 1, 1, 1, 1]),
    ] {
        host.set_up(HASHES, 16);
        for (level, groups) in (0..).zip(table) {
            host.write_queue(level, groups);
        }
        host.write(registers::CONTROL.address, START);
        host.feed(&[], 8);
        let expected = (code, registers::LEVEL_TABLE.at(level));
        assert_eq!(host.error(), expected, "level {level}: {table:?}");
        assert_eq!(host.status(), ERROR | REFUSED);
        let input = elements(&mut random, large_field(), 8);
        assert_eq!(host.feed(&input, 60), 0);
        host.clear();
    }
    // Every level of the highest tree, with more groups than the memory has by any bit of their number.
    let height = max_height(2, NODE_WORDS) as u32;
    host.set_up(HASHES, 16);
    host.write(registers::TOP_LEVEL.address, height);
    (0..=height).for_each(|level| host.write_queue(level, 1));
    for level in 0..=height {
        for bit in 8..16 {
            host.write_queue(level, 1 | 1 << bit);
            host.write(registers::CONTROL.address, START);
            host.feed(&[], u64::from(height) + 8);
            let expected = (code, registers::LEVEL_TABLE.at(level));
            assert_eq!(host.error(), expected, "level {level}, bit {bit}");
            host.clear();
        }
        // With that bit alone there is room for them.
        for bit in 0..8 {
            host.write_queue(level, 1 << bit);
            host.write(registers::CONTROL.address, START);
            host.feed(&[], u64::from(height) + 8);
            assert_eq!(host.error(), (0, 0), "level {level}, bit {bit}");
            assert_eq!(host.status(), BUSY, "level {level}, bit {bit}");
            host.clear();
        }
        host.write_queue(level, 1);
    }
    // A memory that is full to its last word.
    let input = elements(&mut random, large_field(), 32);
    for table in [
        [252, 1, 1, 1, 1],
        [1, 1, 1, 252, 1],
        [128, 64, 62, 1, 1],
        [1, 1, 1, 1, 252],
    ] {
        host.set_up(HASHES, 16);
        for (level, groups) in (0..).zip(table) {
            host.write_queue(level, groups);
        }
        host.write(registers::CONTROL.address, START);
        let output = host.finish(&input);
        let root = reference_root(short_pairs(), LeafKind::Hash, &input);
        assert_eq!(output[0].data, root[0], "{table:?}");
    }
    host.check_run(&mut random);
}

/// The largest group is that of [`ChipRegisters::most_rows`] for every subset of the partial-round
/// sub-engines and every number of beats.
#[test]
fn the_chip_refuses_larger_groups_than_the_driver() {
    let seed = seed(75);
    let mut device = rtl_device(seed as u32).unwrap();
    let limits = device.capabilities().limits;
    let fields = [(large_field(), false), (FieldId::Goldilocks, true)];
    let fields = fields.map(|(field, goldilocks)| (field, program::widest(goldilocks)));
    let mut host = Host::of(&mut device);
    for (field, widest) in fields {
        let order = RoundOrder::ConstantsFirst;
        let set = set_with_rounds(field, seed, widest, order, (1, 1), 0);
        let base = ChipProgram::compile(&set, &limits).unwrap().registers;
        let widths = [2, 3, 4, 6, 7, 9, 10, 12, 13, 24];
        for width in widths.into_iter().filter(|&width| width as usize <= widest) {
            // With a recurrence the first partial-round sub-engine has rounds.
            let present = (0..1_u32 << limits.num_partial).filter(|&p| p == 0 || p & 1 != 0);
            for present in present {
                let rounds = |number: usize| match number {
                    1..=6 => (present >> (number - 1) & 1) * (1 + number as u32),
                    _ => 0,
                };
                let values = ChipRegisters {
                    width,
                    input_map: NO_ELEMENTS,
                    digest_map: NO_ELEMENTS,
                    recurrence: present & 1,
                    partial_rounds: std::array::from_fn(rounds),
                    ..base
                };
                host.load_registers(&values);
                host.set_up(DIGESTS, 1);
                let most = values.most_rows(&limits) as u32;
                for (group, is_legal) in [(most, true), (most + 1, false)] {
                    host.write(registers::ROW_GROUP.address, group);
                    host.write(registers::CONTROL.address, START);
                    host.feed(&[], 20);
                    let found = host.error();
                    let code = registers::ERROR_ILLEGAL_CONFIGURATION.code;
                    let refused = (code, registers::ROW_GROUP.address);
                    // Nothing is loaded that could run.
                    let no_program = (
                        registers::ERROR_ILLEGAL_PROGRAM.code,
                        ProgramFault::Missing as u32,
                    );
                    let expected = if is_legal { no_program } else { refused };
                    assert_eq!(found, expected, "{group} rows: {values:X?}");
                    host.clear();
                }
            }
        }
    }
}

/// Sub-engines are counted as busy between two leaves.
#[test]
fn busy_cycles_are_counted_in_a_window() {
    let mut random = Random::new(seed(71));
    let mut device = programmed(32);
    let mut host = Host::of(&mut device);
    let input = elements(&mut random, large_field(), 128);
    let counter = |host: &mut Host<'_>, register: &registers::Register| {
        u64::from(host.read(register.address)) | u64::from(host.read(register.address + 4)) << 32
    };
    let mut measure = |first, last| {
        host.write(registers::WINDOW_FIRST.address, first);
        host.write(registers::WINDOW_LAST.address, last);
        host.start(HASHES, 64);
        host.finish(&input);
        // Counters stand once the chip says that it is done.
        assert_eq!(host.status(), DONE);
        let counted = [
            &registers::CYCLES,
            &registers::WINDOW_CYCLES,
            &registers::LEAF_BUSY_FULL,
            &registers::ROOT_BUSY_FULL,
            &registers::CYCLE_FIRST_LEAF,
            &registers::CYCLE_LAST_LEAF,
            &registers::CYCLE_LAST_OUT,
        ]
        .map(|register| counter(&mut host, register));
        host.clear();
        counted
    };
    let [cycles, all, leaf, root, first_leaf, last_leaf, last_out] = measure(0, 0);
    assert_eq!(cycles, all);
    assert!(0 < first_leaf && first_leaf < last_leaf && last_leaf < last_out);
    // The window and what is before and after it are the whole run.
    let parts = [measure(0, 20), measure(20, 50), measure(50, 0)];
    for part in &parts {
        assert_eq!(part[0], cycles);
    }
    let sum = |index: usize| parts.iter().map(|part| part[index]).sum::<u64>();
    assert_eq!((sum(1), sum(2), sum(3)), (all, leaf, root));
    assert!(parts.iter().all(|part| part[1] > 0));
}

// ---- Configurations --------------------------------------------------------------------------------

#[test]
fn illegal_configurations_do_not_start() {
    let mut random = Random::new(seed(51));
    let mut device = programmed(14);
    let limits = device.capabilities().limits;
    let max_height = device.capabilities().max_height;
    let program = ChipProgram::compile(short_pairs(), &limits).unwrap();
    let mut host = Host::of(&mut device);
    host.load_set(&registers::TOP, &program.registers);
    let partial_depth = limits.partial_depth as u32;
    let max = u32::MAX;
    // A register and an illegal value, and what the run does. The state has three elements.
    let mut cases = Vec::new();
    let mut add = |address: u32, run: Run, values: &[u32]| {
        cases.extend(values.iter().map(|&value| (address, run, value)));
    };
    add(
        registers::MODE.address,
        HASHES,
        &[8, 9, 16, 0x105, 0x1901, 0x1F01, 0x2001, max],
    );
    // Without a tree the elements would come out as they are.
    add(registers::MODE.address, DIGESTS, &[0, 2, 8]);
    add(registers::LEAVES.address, HASHES, &[0]);
    add(registers::LEAVES.address, DIGESTS, &[0]);
    // More than 2^32.
    add(registers::LEAVES_HIGH.address, HASHES, &[1, 2, max]);
    add(registers::LEAVES_HIGH.address, DIGESTS, &[1, 2, max]);
    let top = registers::TOP_LEVEL.address;
    add(top, HASHES, &[max_height + 1, 64, max]);
    add(registers::FIELD.address, HASHES, &[2, 3, 4, max]);
    add(registers::ROW_BLOCKS.address, DIGESTS, &[0]);
    let most_rows = (limits.num_partial as u32 + 2) * limits.places as u32;
    let rows = [0, most_rows + 1, 1 << 16, max];
    add(registers::ROW_GROUP.address, DIGESTS, &rows);
    let last_words = registers::LAST_INPUT_WORDS.address;
    add(last_words, HASHES, &[0, 13, 16, 18, max]);

    // No engine for rows or for nodes, one that does not exist, a bit that no field has.
    let roles = registers::ROLES.address;
    add(
        roles,
        HASHES,
        &[0, 0x001, 0x200, 0x005, 0x0401, 0x0100_0201, max],
    );
    add(roles, DIGESTS, &[0, 0x200, 0x004, max]);
    add(roles, ELEMENTS, &[0, 0x001, 0x400, max]);

    let [leaf, root, top_set] = SETS;
    let too_many = [13, 16, 17, max];
    // The state has three elements. Each of the six codes of a register is one that there is not.
    let mut illegal_codes = vec![0xE, 0x4000_0000, 0x8000_0000, 0x8631_8C63, max - 0x20];
    for code in 0..6 {
        // One bit of the number of the lanes that the element is in.
        illegal_codes.extend((2..5).map(|bit| 1 << (5 * code + bit)));
    }
    add(leaf.input_words.address, HASHES, &too_many);
    add(leaf.input_words.address, DIGESTS, &[0, 13]);
    add(root.input_words.address, HASHES, &[0, 1]);
    add(root.input_words.address, ELEMENTS, &too_many);
    add(leaf.digest_words.address, DIGESTS, &[0, 13, 16, 17, max]);
    add(leaf.digest_words.address, HASHES, &[0, 2, 12, 13, 17, max]);
    add(root.digest_words.address, ELEMENTS, &[0, 2, 12, 13, max]);
    add(top_set.input_words.address, HASHES, &[0, 1, 13, max]);
    add(top_set.digest_words.address, HASHES, &[0, 2, max]);
    for (engine, run) in [
        (leaf, HASHES),
        (leaf, DIGESTS),
        (root, ELEMENTS),
        (top_set, HASHES),
    ] {
        add(
            engine.width.address,
            run,
            &[
                0, 1, 13, 15, 16, 19, 0x23, 0x303, 0x403, 0x1F03, 0x2003, max,
            ],
        );
        let exponents = [0, 1, 2, 4, 6, 8, 9, 11, 259, max];
        add(engine.alpha.address, run, &exponents);
        add(
            engine.passes.address,
            run,
            &[0, 1, 0xffff, 0x1_0000, 0xffff_0000],
        );
        let recurrence = [3, 4, 15, 16, 0x12, 0x100, 0x300, 0x103, 0x202, 0x10F, max];
        add(engine.recurrence.address, run, &recurrence);
        let rounds = engine.partial_rounds;
        add(rounds.at(0), run, &[0]);
        for number in 0..6 {
            if (number as usize) < limits.num_partial {
                add(rounds.at(number), run, &[partial_depth + 1, 256, 257, max]);
            } else {
                add(rounds.at(number), run, &[1, 256, max]);
            }
        }
        add(engine.partial_base.address, run, &[256, 1 << 31]);
        // Elements that the state does not have; what is above the codes.
        for map in [engine.input_map, engine.digest_map] {
            for part in 0..map.count {
                add(map.at(part), run, &illegal_codes);
            }
        }
    }
    let map = registers::LAST_INPUT_MAP;
    for part in 0..map.count {
        let run = if part % 2 == 0 { HASHES } else { DIGESTS };
        add(map.at(part), run, &illegal_codes);
    }
    assert_eq!(limits.num_full, 1);
    for &(register, run, value) in &cases {
        let name = registers::register_name(register).unwrap();
        host.set_up(run, 4);
        // The upper one of two levels has the third parameter set.
        let upper = LevelEntry { set: 2, groups: 1 };
        host.write(registers::LEVEL_TABLE.at(1), upper.value());
        let legal = host.read(register);
        host.write(register, value);
        assert!(!host.chip.refused());
        assert_eq!(
            host.read(register),
            value,
            "{name} does not keep what is written"
        );
        host.write(registers::CONTROL.address, START);
        assert!(host.chip.refused(), "{name} = {value}");
        let code = registers::ERROR_ILLEGAL_CONFIGURATION.code;
        assert_eq!(host.error(), (code, register), "{name} = {value}");
        assert_eq!(host.status(), ERROR | REFUSED, "{name} = {value}");
        assert!(host.chip.interrupt());
        let input = elements(&mut random, large_field(), 8);
        assert_eq!(host.feed(&input, 60), 0, "{name} = {value}");
        host.clear();
        host.write(register, legal);
    }
    println!("{} illegal values", cases.len());
    host.check_run(&mut random);
}

#[test]
fn combinations_that_do_not_start() {
    let mut random = Random::new(seed(52));
    let mut device = programmed(15);
    let limits = device.capabilities().limits;
    let mut host = Host::of(&mut device);
    let leaf = registers::LEAF;
    let rounds = leaf.partial_rounds;
    let (width, field) = (leaf.width.address, registers::FIELD.address);
    let partial = limits.partial_depth as u32;
    // Writes that together are illegal, and the register that the chip names.
    let cases: [(&[(u32, u32)], u32); 9] = [
        // Goldilocks: six words at most, of a state of 24 elements at most.
        (
            &[(field, 1), (leaf.input_words.address, 7)],
            leaf.input_words.address,
        ),
        (
            &[(field, 1), (leaf.digest_words.address, 7)],
            leaf.digest_words.address,
        ),
        (&[(field, 1), (width, 25)], width),
        // Of two beats: half the rounds.
        (
            &[(field, 1), (width, 13), (rounds.at(1), partial / 2 + 1)],
            rounds.at(1),
        ),
        // A state of two beats: half the rounds.
        (&[(width, 6), (rounds.at(0), partial / 2 + 1)], rounds.at(0)),
        (
            &[(width, 12), (rounds.at(1), partial / 4 + 1)],
            rounds.at(1),
        ),
        // Without a recurrence a partial-round sub-engine has no rounds.
        (&[(leaf.recurrence.address, 0)], rounds.at(0)),
        // More sums move up than there are.
        (
            &[(width, 2), (leaf.recurrence.address, 2)],
            leaf.recurrence.address,
        ),
        // Coefficients beyond the memory.
        (
            &[(leaf.partial_base.address, partial - 1), (rounds.at(0), 2)],
            rounds.at(0),
        ),
    ];
    for (writes, register) in cases {
        host.set_up(DIGESTS, 4);
        let legal: Vec<_> = writes
            .iter()
            .map(|&(address, value)| {
                let legal = host.read(address);
                host.write(address, value);
                (address, legal)
            })
            .collect();
        host.write(registers::CONTROL.address, START);
        let code = registers::ERROR_ILLEGAL_CONFIGURATION.code;
        assert_eq!(host.error(), (code, register), "{writes:X?}");
        host.clear();
        for (address, value) in legal {
            host.write(address, value);
        }
    }
    // Rows of two blocks by engines that make nodes as well, with a limit of nodes under way and without one.
    let [roles, blocks] =
        [registers::ROLES, registers::ROW_BLOCKS].map(|register| register.address);
    let fixed = host.read(roles);
    host.set_up(HASHES, 4);
    host.write(blocks, 2);
    for limit in [0, 1, 2, 4, 8] {
        host.write(roles, limit << 16 | 0x0303);
        host.write(registers::CONTROL.address, START);
        let refused = (registers::ERROR_ILLEGAL_CONFIGURATION.code, roles);
        let expected = if limit == 0 { refused } else { (0, 0) };
        assert_eq!(host.error(), expected, "limit {limit}");
        host.clear();
    }
    host.write(roles, fixed);
    host.write(blocks, 1);
    host.check_run(&mut random);
}

/// What the chip accepts must be what the driver believes that it accepts.
#[test]
fn the_driver_knows_what_the_chip_accepts() {
    let seed = seed(53);
    let mut random = Random::new(seed);
    let mut device = rtl_device(seed as u32).unwrap();
    let limits = device.capabilities().limits;
    let mut host = Host::of(&mut device);
    let bases: Vec<_> = kinds(seed)
        .iter()
        .map(|set| ChipProgram::compile(set, &limits).unwrap().registers)
        .collect();
    let recurrences = [
        0, 1, 2, 3, 11, 12, 15, 16, 23, 24, 0x20, 0x100, 0x101, 0x102, 0x10B, 0x200, 0x201, 0x300,
        0x401,
    ];
    let random_values = (0..600).map(|_| {
        let mut values = *random.choose(&bases);
        for _ in 0..random.below(4) {
            let small = random.below(15) as u32;
            let any = *random.choose(&[0, 1, 2, 3, 60, 64, 65, 126, 128, 129, 255]);
            match random.below(12) {
                0 => values.arity = small,
                1 => values.field = small % 3,
                2 => values.width = random.below(27) as u32,
                3 => values.alpha = small % 9,
                4 => values.passes[0] = any,
                5 => values.passes[1] = any,
                6 => values.recurrence = *random.choose(&recurrences),
                7 => values.digest_words = small,
                8 => values.input_map[small as usize % 4] = random.next() as u32,
                9 => values.digest_map[small as usize % 4] = random.next() as u32,
                10 => values.partial_base = *random.choose(&[0, 1, 64, 127, 128, 255, 256]),
                _ => values.partial_rounds[1 + random.below(6) as usize] = any,
            }
        }
        values
    });
    let (mut accepted, mut refused) = (0, 0);
    for values in random_values {
        host.load_registers(&values);
        host.set_up(DIGESTS, 1);
        host.write(registers::CONTROL.address, START);
        match values.check(&limits) {
            Ok(()) => {
                // There is nothing that could run, which is found out later.
                assert!(!host.chip.refused(), "{values:X?}");
                host.feed(&[], 20);
                let code = registers::ERROR_ILLEGAL_PROGRAM.code;
                let missing = ProgramFault::Missing as u32;
                assert_eq!(host.error(), (code, missing), "{values:X?}");
                assert_eq!(host.status(), ERROR | REFUSED);
                accepted += 1;
            }
            Err(program::ProgramError::IllegalRegister { address, .. }) => {
                let code = registers::ERROR_ILLEGAL_CONFIGURATION.code;
                assert_eq!(host.error(), (code, address), "{values:X?}");
                refused += 1;
            }
            Err(error) => panic!("{error}"),
        }
        host.clear();
    }
    println!("{accepted} accepted, {refused} refused");
    assert!(accepted > 50 && refused > 50);
}

#[test]
fn constants_without_a_place_are_refused() {
    let mut random = Random::new(seed(54));
    let mut device = programmed(16);
    let limits = device.capabilities().limits;
    let max_height = device.capabilities().max_height;
    let mut host = Host::of(&mut device);
    let (matrix, partial) = (limits.matrix_depth as u32, limits.partial_depth as u32);
    let mut places = vec![
        (0, 0, matrix),
        (0, 17, 255),
        (0, 21, 128),
        (0, 22, 16),
        (0, 24, 255),
        (0, 25, 24),
        (0, 26, 0),
        (0, 255, 0),
        (0, 32, 0),
        (1, 0, partial),
        (1, 6, 255),
        (1, 7, 0),
        (1, 128, 0),
        (15, 0, 24),
        (15, 2, 255),
        (15, 3, 0),
        (15, 16, 0),
    ];
    places.extend((limits.num_partial as u32 + 1..14).map(|engine| (engine, 0, 0)));
    // The values of empty sub-trees.
    places.extend([(14, 0, max_height), (14, 0, 255), (14, 1, 0), (14, 16, 0)]);
    let code = registers::ERROR_ILLEGAL_CONSTANT_ADDRESS.code;
    let mut addresses: Vec<_> = (places.into_iter())
        .map(|(engine, bank, index)| constant_address(engine, bank, index))
        .collect();
    // For no hash engine, for one that does not exist, and bits that no field has, of an address that is legal
    // without them.
    let legal = constant_address(0, 0, 0);
    addresses.push(constant_address_of(0, 0, 0, 0));
    addresses.extend((22..32).map(|bit| legal | 1 << bit));
    // Something that would spoil every hash.
    let data = elements(&mut random, large_field(), 1)[0];
    for address in addresses {
        host.write_word(&registers::CONSTANT_DATA, &data);
        host.write(registers::CONSTANT_ADDRESS.address, address);
        assert!(host.chip.refused(), "{address:X}");
        assert_eq!(host.error(), (code, address));
        assert_eq!(host.status(), ERROR);
        host.clear();
    }
    host.check_run(&mut random);
    // Legal places at the end of the memories, which this program does not use.
    for (engine, bank, index) in [
        (0, 8, matrix - 1),
        (0, 24, 15),
        (0, 25, 23),
        (0, 17, matrix - 1),
        (0, 20, limits.constant_depth as u32 - 1),
        (1, 6, partial - 1),
        (14, 0, max_height - 1),
        (15, 2, 15),
    ] {
        let address = constant_address(engine, bank, index);
        host.write(registers::CONSTANT_ADDRESS.address, address);
        assert_eq!(host.error(), (0, 0), "{address:X}");
    }
    host.check_run(&mut random);
}

/// The registers that cannot be written during a run.
fn configuration(max_height: u32) -> Vec<u32> {
    let mut addresses = Vec::new();
    let run = [
        registers::MODE,
        registers::TOP_LEVEL,
        registers::LEAVES,
        registers::FIELD,
        registers::EMIT_LEVELS,
        registers::ROW_BLOCKS,
        registers::ROW_GROUP,
        registers::LAST_INPUT_WORDS,
        registers::LAST_INPUT_MAP,
        registers::WINDOW_FIRST,
        registers::WINDOW_LAST,
        registers::LEAVES_HIGH,
        registers::CONSTANT_DATA,
        registers::CONSTANT_ADDRESS,
    ];
    let engines = SETS.map(|set| set.all());
    for register in run.into_iter().chain(engines.concat()) {
        addresses.extend((0..register.count).map(|position| register.at(position)));
    }
    addresses.extend((0..=max_height).map(|level| registers::LEVEL_TABLE.at(level)));
    if RUNTIME_MODULUS {
        for register in [registers::PRIME, registers::RADIX_SQUARED] {
            addresses.extend((0..register.count).map(|position| register.at(position)));
        }
    }
    addresses
}

#[test]
fn writes_during_a_run_are_refused_and_change_nothing() {
    let mut random = Random::new(seed(55));
    let mut device = programmed(17);
    let max_height = device.capabilities().max_height;
    let mut host = Host::of(&mut device);
    let code = registers::ERROR_WRITE_WHILE_RUNNING.code;
    let addresses = configuration(max_height);
    // Each register by itself: the error names it.
    for &address in &addresses {
        host.start(HASHES, 4);
        host.write(address, 0);
        assert!(host.chip.refused(), "0x{address:03X}");
        assert_eq!(host.error(), (code, address));
        assert_eq!(host.status(), BUSY | ERROR);
        host.clear();
    }
    // All in one run, which ends as if nothing had happened.
    let input = elements(&mut random, large_field(), 8);
    host.start(HASHES, 4);
    assert_eq!(host.feed(&input[..3], 100), 3);
    for &address in &addresses {
        let before = host.read(address);
        // For CONSTANT_ADDRESS this is entry 0 of the first matrix of both engines.
        host.write(address, 0x0030_0000);
        assert!(host.chip.refused(), "0x{address:03X}");
        assert_eq!(host.read(address), before, "0x{address:03X} was changed");
    }
    let output = host.finish(&input[3..]);
    assert_eq!(
        [output[0].data],
        *reference_root(short_pairs(), LeafKind::Hash, &input)
    );
    assert!(!output[0].error);
    assert_eq!(host.error(), (code, addresses[0]));
    host.clear();
    host.check_run(&mut random);
}

/// Writes of constants that act are summed up, and no others; a zeroisation begins anew.
#[test]
fn constants_are_summed_up() {
    let mut random = Random::new(seed(60));
    let mut device = programmed(22);
    let mut host = Host::of(&mut device);
    let [data, place, checksum] = [
        registers::CONSTANT_DATA,
        registers::CONSTANT_ADDRESS,
        registers::CONSTANT_CHECKSUM,
    ];
    let mut sum = ConstantChecksum::from_register(host.read(checksum.address));
    assert_ne!(sum, ConstantChecksum::default());
    for _ in 0..300 {
        let value = random.next() as u32;
        let (address, value, acts) = match random.below(6) {
            // An entry of a matrix of both engines, and one of no sub-engine.
            0 => (place.address, 0x0030_0000, true),
            1 => (place.address, 0x0039_0000, false),
            2 => (registers::LEAVES.address, value, true),
            3 => (checksum.address, value, false),
            _ => (data.at(random.below(data.count.into()) as u32), value, true),
        };
        host.write(address, value);
        assert_eq!(host.chip.refused(), !acts, "0x{address:03X}");
        if acts {
            sum.write(address, value);
        }
        assert_eq!(host.read(checksum.address), sum.value());
    }
    host.clear();
    host.start(DIGESTS, 4);
    host.write(data.address, !0);
    assert!(host.chip.refused());
    host.clear();
    assert_eq!(host.read(checksum.address), sum.value());
    device.zeroise().unwrap();
    let mut host = Host::of(&mut device);
    assert_eq!(host.read(checksum.address), 0);
}

/// Writes in consecutive cycles all act: of two constants of one value, whichever was changed before.
#[test]
fn constants_are_written_in_every_cycle() {
    let mut random = Random::new(seed(92));
    let mut device = programmed(31);
    let limits = device.capabilities().limits;
    let program = ChipProgram::compile(short_pairs(), &limits).unwrap();
    // Of the engine that takes rows.
    let placed: Vec<_> = (program.constants.iter())
        .map(|constant| constant.placed(ROW_SET, &Bases::default()).unwrap())
        .filter(|constant| constant.engine_mask & 1 != 0 && constant.word != Word::default())
        .collect();
    let both = placed.iter().enumerate().find_map(|(number, first)| {
        let second = (placed[number + 1..].iter()).find(|other| other.word == first.word)?;
        Some([first, second])
    });
    let both = both.expect("two entries of the MDS matrix are equal");
    let mut host = Host::of(&mut device);
    let input = elements(&mut random, large_field(), 4);
    let root = reference_root(short_pairs(), LeafKind::Hash, &input);
    for changed in both {
        host.load_raw(&[ChipConstant {
            word: input[0],
            ..*changed
        }]);
        host.start(HASHES, 2);
        let output = host.finish(&input);
        assert_ne!([output[0].data], *root, "the constant is not read");
        host.clear();
        host.write_word(&registers::CONSTANT_DATA, &both[0].word);
        for constant in both {
            host.write(registers::CONSTANT_ADDRESS.address, address_of(1, constant));
        }
        host.check_run(&mut random);
    }
}

// ---- Commands, errors and interrupts ---------------------------------------------------------------

#[test]
fn start_during_a_run_is_refused() {
    let mut random = Random::new(seed(57));
    let mut device = programmed(19);
    let mut host = Host::of(&mut device);
    let input = elements(&mut random, large_field(), 8);
    host.start(HASHES, 4);
    assert_eq!(host.feed(&input[..5], 300), 5);
    host.write(registers::CONTROL.address, START);
    assert!(host.chip.refused());
    assert_eq!(host.error().0, registers::ERROR_COMMAND_WHILE_BUSY.code);
    assert_eq!(host.status(), BUSY | ERROR | REFUSED);
    let output = host.finish(&input[5..]);
    assert_eq!(
        [output[0].data],
        *reference_root(short_pairs(), LeafKind::Hash, &input)
    );
    host.clear();
    host.check_run(&mut random);
}

#[test]
fn unknown_registers_are_errors() {
    let mut random = Random::new(seed(58));
    let mut device = programmed(20);
    let max_height = device.capabilities().max_height;
    let mut host = Host::of(&mut device);
    let code = registers::ERROR_UNKNOWN_REGISTER.code;
    let known = |address: u32| {
        registers::REGISTERS.iter().any(|r| r.contains(address))
            && (RUNTIME_MODULUS || !registers::RADIX_SQUARED.contains(address))
            && registers::later_engine(address).is_none()
            && (!registers::LEVEL_TABLE.contains(address)
                || address < registers::LEVEL_TABLE.at(0) + 4 * (max_height + 1))
    };
    let mut unknown = 0;
    for address in (0..0x1000).step_by(4) {
        let value = host.read(address);
        let expected = if known(address) {
            (0, 0)
        } else {
            (code, address)
        };
        assert_eq!(
            host.chip.refused(),
            !known(address),
            "read of 0x{address:03X}"
        );
        if !known(address) {
            unknown += 1;
            assert_eq!(value, 0);
            assert_eq!(host.error(), expected, "read of 0x{address:03X}");
            host.clear();
            host.write(address, 0xFFFF_FFFF);
            assert!(host.chip.refused(), "write of 0x{address:03X}");
            assert_eq!(host.error(), expected, "write of 0x{address:03X}");
            host.clear();
        }
    }
    assert!(unknown > 0);
    // Read-only registers and addresses between registers.
    let mut read_only = vec![
        registers::ID.address,
        registers::CAPS_FIELD.address,
        registers::STATUS.address,
        registers::ERROR.address,
        registers::CYCLES.address,
    ];
    if !RUNTIME_MODULUS {
        read_only.push(registers::PRIME.at(3));
    }
    for address in read_only {
        let before = host.read(address);
        host.write(address, !before);
        assert!(host.chip.refused(), "write of 0x{address:03X}");
        assert_eq!(host.error(), (code, address));
        host.clear();
    }
    for address in [1, 0x042, 0x051, 0x123] {
        host.write(address, 1);
        assert!(host.chip.refused(), "write of 0x{address:03X}");
        assert_eq!(host.error(), (code, address));
        host.clear();
    }
    host.check_run(&mut random);
}

/// What the register map says that registers read after a reset, whatever was there before.
#[test]
fn registers_after_a_reset_are_those_of_the_map() {
    let mut device = rtl_device(21).unwrap();
    let max_height = device.capabilities().max_height;
    let mut host = Host::of(&mut device);
    let exists = |address: u32| {
        (RUNTIME_MODULUS || !registers::RADIX_SQUARED.contains(address))
            && registers::later_engine(address).is_none()
            && (!registers::LEVEL_TABLE.contains(address)
                || address < registers::LEVEL_TABLE.at(0) + 4 * (max_height + 1))
    };
    for before in ["power", "other values"] {
        host.chip.reset();
        let mut compared = 0;
        for register in registers::REGISTERS {
            let end = register.address + register.count * register.stride();
            for address in (register.address..end).step_by(4).filter(|&a| exists(a)) {
                let value = host.read(address);
                assert!(!host.chip.refused(), "read of 0x{address:03X}");
                if let Some(expected) = register.reset {
                    assert_eq!(value, expected, "0x{address:03X} after {before}");
                    compared += 1;
                }
            }
        }
        assert!(compared > 100, "{compared}");
        for register in registers::REGISTERS {
            for position in 0..register.count {
                host.write(register.at(position), 1);
            }
        }
        for register in [registers::ERROR, registers::LEAF.width, registers::LEAVES] {
            assert_ne!(host.read(register.address), 0, "{}", register.name);
        }
    }
}

/// Every register keeps every bit of what was written to it, whatever others are written.
#[test]
fn registers_keep_what_was_written() {
    let mut random = Random::new(seed(80));
    let mut device = rtl_device(22).unwrap();
    let max_height = device.capabilities().max_height;
    let mut host = Host::of(&mut device);
    // The address, the bits that are kept, and the value.
    let mut values = Vec::new();
    for register in registers::REGISTERS {
        let is_kept = match register.access {
            Access::ReadWrite => true,
            Access::ReadWriteRuntime => RUNTIME_MODULUS,
            _ => false,
        };
        let exists = |address: u32| {
            (RUNTIME_MODULUS || !registers::RADIX_SQUARED.contains(address))
                && registers::later_engine(address).is_none()
                && !registers::LEVEL_TABLE.contains(address)
        };
        let all = (0..register.count).map(|position| register.at(position));
        let kept = all.filter(|&address| is_kept && exists(address));
        values.extend(kept.map(|address| (address, u32::MAX, 0)));
    }
    let levels = (0..=max_height).map(|level| registers::LEVEL_TABLE.at(level));
    values.extend(levels.map(|address| (address, (1 << 18) - 1, 0)));
    for complement in [false, true] {
        for (address, mask, value) in &mut values {
            *value = if complement {
                !*value & *mask
            } else {
                random.next() as u32 & *mask
            };
            host.write(*address, *value);
            assert!(!host.chip.refused(), "0x{address:03X} = 0x{value:X}");
        }
        for &(address, _, value) in &values {
            assert_eq!(host.read(address), value, "0x{address:03X}");
        }
    }
    assert!(values.len() > 60, "{} registers", values.len());
}

/// Bits that no field has, and several commands at once.
#[test]
fn illegal_values_are_refused_and_change_nothing() {
    let mut random = Random::new(seed(64));
    let mut device = programmed(25);
    let mut host = Host::of(&mut device);
    let code = registers::ERROR_ILLEGAL_VALUE.code;
    host.set_up(HASHES, 4);
    let (control, table) = (registers::CONTROL.address, registers::LEVEL_TABLE.at(1));
    let [status, enable] = [registers::INTERRUPT_STATUS, registers::INTERRUPT_ENABLE];
    let mut cases: Vec<(u32, u32)> = (2..32).map(|bit| (control, START | 1 << bit)).collect();
    cases.extend([
        (control, CLEAR | START),
        (control, ZEROISE | CLEAR),
        (control, 1 << 31),
        (control, u32::MAX),
    ]);
    cases.extend((18..32).map(|bit| (table, 5 | 1 << bit)));
    cases.extend((3..32).flat_map(|bit| [(status.address, 1 << bit), (enable.address, 1 << bit)]));
    for (address, value) in cases {
        let before = host.read(address);
        host.write(address, value);
        assert!(host.chip.refused(), "0x{address:03X} = 0x{value:X}");
        assert_eq!(
            host.error(),
            (code, address),
            "0x{address:03X} = 0x{value:X}"
        );
        assert_eq!(host.status(), ERROR, "0x{address:03X} = 0x{value:X}");
        if address != status.address {
            assert_eq!(host.read(address), before, "0x{address:03X} = 0x{value:X}");
        }
        host.clear();
    }
    host.check_run(&mut random);
}

/// A host that only waits for the end of a run must not wait for ever, whatever was before.
#[test]
fn a_start_that_is_refused_while_an_error_is_pending_is_seen() {
    let mut random = Random::new(seed(65));
    let mut device = programmed(26);
    let mut host = Host::of(&mut device);
    let unknown = (registers::ERROR_UNKNOWN_REGISTER.code, 0xFFC);
    // A run before, which is done; an error that has nothing to do with the starts.
    let input = elements(&mut random, large_field(), 4);
    host.start(HASHES, 2);
    host.finish(&input);
    host.write(0xFFC, 0);
    assert_eq!(host.status(), DONE | ERROR);
    // Refused at once.
    host.write(registers::LEAVES.address, 0);
    host.write(registers::CONTROL.address, START);
    assert!(host.chip.refused());
    assert_eq!(host.status(), DONE | ERROR | REFUSED);
    assert_eq!(host.error(), unknown);
    // The flag is of the last start: the level table is looked at later.
    host.set_up(HASHES, 4);
    let no_groups = LevelEntry::of_nodes(0);
    host.write(registers::LEVEL_TABLE.at(1), no_groups.value());
    host.write(registers::CONTROL.address, START);
    assert!(!host.chip.refused());
    assert_eq!(host.status(), BUSY | ERROR);
    host.feed(&[], 20);
    assert_eq!(host.status(), ERROR | REFUSED);
    assert_eq!(host.error(), unknown);
    // A start that is accepted takes it back, with the error still there.
    host.start(HASHES, 2);
    assert_eq!(host.status(), BUSY | ERROR);
    // During a run.
    host.write(registers::CONTROL.address, START);
    assert_eq!(host.status(), BUSY | ERROR | REFUSED);
    let output = host.finish(&input);
    assert_eq!(
        [output[0].data],
        *reference_root(short_pairs(), LeafKind::Hash, &input)
    );
    assert_eq!(host.status(), DONE | ERROR | REFUSED);
    assert_eq!(host.error(), unknown);
    host.clear();
    host.check_run(&mut random);
}

/// An acknowledgement takes the interrupt back, and nothing else.
#[test]
fn interrupts_are_enabled_and_acknowledged() {
    let mut random = Random::new(seed(66));
    let mut device = programmed(27);
    let mut host = Host::of(&mut device);
    let [status, enable] =
        [registers::INTERRUPT_STATUS, registers::INTERRUPT_ENABLE].map(|register| register.address);
    let input = elements(&mut random, large_field(), 4);
    for enabled in 0..4 {
        host.write(enable, enabled);
        assert_eq!(host.read(enable), enabled);
        host.start(HASHES, 2);
        assert!(!host.chip.interrupt());
        // Both can be written during a run.
        host.write(enable, enabled);
        host.write(status, 0);
        assert_eq!(host.error(), (0, 0));
        host.finish(&input);
        assert_eq!(host.read(status), INTERRUPT_DONE);
        assert_eq!(host.chip.interrupt(), enabled & INTERRUPT_DONE != 0);
        // What is written elsewhere acknowledges nothing.
        host.write(0xFFC, u32::MAX);
        let error = host.error();
        assert_eq!(error, (registers::ERROR_UNKNOWN_REGISTER.code, 0xFFC));
        assert_eq!(host.read(status), INTERRUPT_DONE | INTERRUPT_ERROR);
        assert_eq!(host.chip.interrupt(), enabled != 0);
        let cycles = host.read(registers::CYCLES.address);
        assert!(cycles > 0);
        host.write(status, INTERRUPT_DONE);
        assert_eq!(host.read(status), INTERRUPT_ERROR);
        assert_eq!(host.chip.interrupt(), enabled & INTERRUPT_ERROR != 0);
        host.write(status, INTERRUPT_ERROR);
        assert_eq!(host.read(status), 0);
        assert!(!host.chip.interrupt());
        // A second error interrupts again, although the first one stays registered.
        host.read(0xFF8);
        assert_eq!(host.read(status), INTERRUPT_ERROR);
        assert_eq!(host.chip.interrupt(), enabled & INTERRUPT_ERROR != 0);
        host.write(status, INTERRUPT_ERROR);
        assert_eq!(host.error(), error);
        assert_eq!(host.status(), DONE | ERROR);
        assert_eq!(host.read(registers::CYCLES.address), cycles);
        host.clear();
        assert_eq!(
            host.read(enable),
            enabled,
            "a clear changed what is enabled"
        );
    }
    host.write(enable, INTERRUPT_DONE | INTERRUPT_ERROR);
    host.check_run(&mut random);
}

/// The last word of a void run says so, and no word changes while it waits: digests wait at the output
/// when a bad element comes.
#[test]
fn a_word_that_waits_does_not_become_void() {
    let mut random = Random::new(seed(67));
    let mut device = programmed(28);
    let mut host = Host::of(&mut device);
    let (leaves, bad) = (64, 80);
    let mut input = elements(&mut random, large_field(), 2 * leaves as usize);
    input[bad] = common::word(&prime(large_field()));
    host.start(DIGESTS, leaves);
    // The output is refused until the first digests wait there, then the rest of the input comes.
    host.chip.set_stalls(3, 0.0, 0.9999).unwrap();
    let mut output = Vec::new();
    let mut taken = host
        .chip
        .transfer(&input[..bad], &mut output, 8000)
        .unwrap();
    assert_eq!(taken, bad);
    taken += host
        .chip
        .transfer(&input[bad..], &mut output, 8000)
        .unwrap();
    host.chip.set_stalls(0, 0.0, 0.0).unwrap();
    output.extend(host.finish(&input[taken..]));
    let void = output.iter().filter(|word| word.error).count();
    assert!(output.last().unwrap().error);
    // Those that waited when the bad element came are of before it.
    assert!((1..output.len() - 4).contains(&void), "{void} void words");
    assert!(output.is_sorted_by_key(|word| word.error));
    host.clear();
    host.check_run(&mut random);
}

#[test]
fn the_first_error_stays() {
    let mut random = Random::new(seed(59));
    let mut device = programmed(21);
    let mut host = Host::of(&mut device);
    host.write(0xFFC, 1);
    host.read(0xFF8);
    host.write(
        registers::CONSTANT_ADDRESS.address,
        constant_address(14, 1, 0),
    );
    host.write(registers::LEAVES.address, 0);
    host.write(registers::CONTROL.address, START);
    assert_eq!(
        host.error(),
        (registers::ERROR_UNKNOWN_REGISTER.code, 0xFFC)
    );
    host.clear();
    host.check_run(&mut random);
}

#[test]
fn illegal_primes_do_not_start() {
    let mut random = Random::new(seed(60));
    let mut device = programmed(22);
    let prime = prime(large_field());
    let mut host = Host::of(&mut device);
    let found = (0..8).rev().fold(BigUint::default(), |value, i| {
        (value << 32_u32) + host.read(registers::PRIME.at(i))
    });
    assert_eq!(found, prime);
    let one = BigUint::from(1_u32);
    let illegal = [
        BigUint::default(),
        one.clone(),
        (&one << 250_u32) - (&one << 28_u32) + 1_u32,
        (&one << 255_u32) + 1_u32,
        (&one << 256_u32) - (&one << 28_u32) + 1_u32,
        &prime + 1_u32,
        &prime - 1_u32,
        &prime ^ (&one << 27_u32),
        (&one << 254_u32) + 3_u32,
    ];
    for value in illegal {
        if RUNTIME_MODULUS {
            host.write_word(&registers::PRIME, &common::word(&value));
            host.set_up(HASHES, 4);
            host.write(registers::CONTROL.address, START);
            let code = registers::ERROR_ILLEGAL_CONFIGURATION.code;
            assert_eq!(host.error(), (code, registers::PRIME.at(0)), "{value:x}");
            host.clear();
            host.write_word(&registers::PRIME, &common::word(&prime));
        } else {
            // A prime that was built in cannot be changed.
            host.write(
                registers::PRIME.at(0),
                value.iter_u32_digits().next().unwrap_or(0),
            );
            let code = registers::ERROR_UNKNOWN_REGISTER.code;
            assert_eq!(host.error(), (code, registers::PRIME.at(0)));
            host.clear();
        }
    }
    host.check_run(&mut random);
}

#[test]
fn a_clear_aborts_a_run_at_any_time() {
    let seed = seed(61);
    let mut random = Random::new(seed);
    let mut device = programmed(seed as u32);
    let mut host = Host::of(&mut device);
    for round in 0..9 {
        let run = [HASHES, ELEMENTS, DIGESTS][round % 3];
        let input = elements(&mut random, large_field(), 128);
        // From the first cycles over full engines to the time of the output.
        let cycles = random.below([20, 400, 5000][round / 3 % 3]);
        host.start(run, 128);
        host.chip.transfer(&input, &mut Vec::new(), cycles).unwrap();
        if round % 2 == 0 {
            host.clear();
        } else {
            // Abort and error at once: a second start is refused, then everything is cleared.
            host.write(registers::CONTROL.address, START);
            host.write(registers::CONTROL.address, CLEAR);
            assert_eq!(host.status() & (ERROR | REFUSED), 0);
            host.clear();
        }
        // Nothing of the aborted run may come out.
        assert_eq!(host.feed(&input, 300), 0, "an idle chip took input");
        host.check_run(&mut random);
    }
}

/// An acknowledgement and a clear may come in the very cycle in which a run ends: the interrupt of its end is lost by
/// none that comes with it or before, and a cleared run has left nothing.
#[test]
fn commands_meet_the_end_of_a_run() {
    let mut random = Random::new(seed(69));
    let mut device = programmed(31);
    let mut host = Host::of(&mut device);
    let input = elements(&mut random, large_field(), 4);
    // Starts a run and lets some cycles pass, or all until its last word.
    let run = |host: &mut Host<'_>, wait: Option<u64>| {
        host.start(HASHES, 2);
        let (mut taken, mut output, mut cycles) = (0, Vec::new(), 0);
        while wait.map_or(output.is_empty(), |wait| cycles < wait) {
            let left = &input[taken..];
            taken += host.chip.transfer(left, &mut output, 1).unwrap();
            cycles += 1;
        }
        cycles
    };
    let cycles = run(&mut host, None);
    host.clear();
    let mut pending = Vec::new();
    for wait in cycles - 6..cycles + 3 {
        let status = registers::INTERRUPT_STATUS.address;
        run(&mut host, Some(wait));
        host.write(status, INTERRUPT_DONE);
        host.chip.transfer(&[], &mut Vec::new(), 20).unwrap();
        assert_eq!(host.status(), DONE);
        pending.push(host.read(status) & INTERRUPT_DONE != 0);
        host.clear();

        run(&mut host, Some(wait));
        host.write(registers::CONTROL.address, CLEAR);
        // The last word may be taken as the clear comes.
        host.chip.transfer(&[], &mut Vec::new(), 2).unwrap();
        host.clear();
        assert_eq!(host.feed(&input, 50), 0, "an idle chip took input");
    }
    host.check_run(&mut random);
    assert!(pending.is_sorted_by(|one, next| one >= next), "{pending:?}");
    assert!(
        pending[0] && pending.last() == Some(&false),
        "no command came at the end: {pending:?}"
    );
}

#[test]
fn a_reset_during_a_run_is_survived() {
    let mut random = Random::new(seed(62));
    let mut device = programmed(23);
    let limits = device.capabilities().limits;
    let program = ChipProgram::compile(short_pairs(), &limits).unwrap();
    let mut host = Host::of(&mut device);
    let input = elements(&mut random, large_field(), 64);
    host.start(HASHES, 32);
    host.feed(&input, 700);
    host.chip.reset();
    assert_eq!(host.status(), 0);
    assert_eq!(host.error(), (0, 0));
    host.load(&program);
    host.check_run(&mut random);
}

#[test]
fn missing_input_and_refused_output_only_wait() {
    let mut random = Random::new(seed(63));
    let mut device = programmed(24);
    let mut host = Host::of(&mut device);
    let input = elements(&mut random, large_field(), 8);
    host.start(HASHES, 4);
    assert_eq!(host.feed(&input[..7], 5000), 7);
    assert_eq!(host.status(), BUSY);
    // Output refused in every cycle but one in a thousand.
    host.chip.set_stalls(46, 0.0, 0.999).unwrap();
    let output = host.finish(&input[7..]);
    assert_eq!(
        [output[0].data],
        *reference_root(short_pairs(), LeafKind::Hash, &input)
    );
    host.chip.set_stalls(0, 0.0, 0.0).unwrap();
    host.clear();
    host.check_run(&mut random);
}

// ---- Waveforms -------------------------------------------------------------------------------------

#[test]
#[cfg_attr(
    feature = "netlist",
    ignore = "waveforms of a netlist have its ports alone"
)]
fn waveforms_hold_a_window() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let sizes = [50, 400].map(|count| {
        let path = folder.join(format!("window-{count}.fst"));
        let mut chip = RtlChip::new(16).unwrap();
        chip.trace(&Waves {
            path: path.clone(),
            window: WaveformWindow {
                first: 100,
                count,
                depth: 0,
            },
        })
        .unwrap();
        chip.transfer(&[], &mut Vec::new(), 1000).unwrap();
        drop(chip);
        fs::metadata(&path).unwrap().len()
    });
    assert!(0 < sizes[0] && sizes[0] < sizes[1], "{sizes:?}");
}

// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! The chip with its buses and one clock: whole commitments through the ordinary driver with pauses of every
//! channel, the rules of AXI4-Lite, packets that are too short or too long, and runs that are aborted. Results
//! are those of the software, cycles those of the model of the bare core.
//!
//! Buses move words of any prime alike: these tests run with the default one.

#![cfg(feature = "bls12-381")]

mod common;

use acclmt_driver::chip::ChipPort;
use acclmt_driver::registers;
use acclmt_model::ModelChip;
use acclmt_poseidon::fields::FieldId;
use acclmt_tb::large_field;
use common::axi::{ALL_STROBES, AxiChip, Pauses, READ_LATENCY, read_latency};
use common::bits::START;
use common::runs::{self, PATIENCE, Run, hardware};
use common::{Random, rounds, seed};

#[test]
#[ignore = "long: with two clocks it is tested always"]
fn commitments_without_pauses() {
    runs::commitments(&AxiChip::new, |_| Pauses::default(), &[2, 8], seed(1));
}

#[test]
fn commitments_with_pauses() {
    runs::commitments(&AxiChip::new, Pauses::random, &[2], seed(2));
}

#[test]
#[ignore = "long: five arities"]
fn many_commitments_with_pauses() {
    let first = seed(100);
    for seed in first..first.saturating_add(rounds(2)) {
        println!("seed {seed}");
        runs::commitments(&AxiChip::new, Pauses::random, &[2, 3, 4, 8, 11], seed);
    }
}

/// Without pauses the buses cost a run nothing: every counter is that of the bare core.
#[test]
fn runs_take_the_cycles_of_the_core() {
    let mut random = Random::new(seed(3));
    for (field, leaf_count) in [
        (large_field(), 1),
        (large_field(), 2),
        (large_field(), 64),
        (FieldId::Goldilocks, 32),
    ] {
        // A tree of one leaf is no run of a tree.
        let run = Run::tree(&mut random, field, leaf_count.max(2));
        let mut chip = AxiChip::new(random.next(), Pauses::default());
        run.check_good(&mut chip);

        let mut model = ModelChip::new(hardware()).unwrap();
        for &(address, value) in &run.writes {
            model.write_register(address, value).unwrap();
        }
        let mut output = Vec::new();
        model
            .write_register(registers::CONTROL.address, START)
            .unwrap();
        model.transfer(&run.words, &mut output, PATIENCE).unwrap();
        assert!(output.last().unwrap().last);
        let mut cycles = 0;
        for register in registers::REGISTERS
            .iter()
            .filter(|register| register.counter)
        {
            for position in 0..register.count {
                let address = register.at(position);
                for address in [address, address + 4] {
                    let found = chip.read(address).unwrap().data;
                    let expected = model.read_register(address).unwrap();
                    assert_eq!(found, expected, "{} {position}", register.name);
                    cycles = cycles.max(found);
                }
            }
        }
        assert!(cycles > 100, "{cycles} cycles");
    }
}

// ---- Registers ---------------------------------------------------------------------------------------

#[test]
fn address_and_data_come_in_any_order() {
    let mut random = Random::new(seed(6));
    let mut chip = AxiChip::new(random.next(), Pauses::default());
    let register = registers::LEAVES.address;
    for distance in 0..12 {
        for address_first in [true, false] {
            let value = random.next() as u32;
            if address_first {
                chip.give_address(register);
            } else {
                chip.give_data(value, ALL_STROBES);
            }
            for _ in 0..distance {
                chip.cycle().unwrap();
            }
            if address_first {
                chip.give_data(value, ALL_STROBES);
            } else {
                chip.give_address(register);
            }
            let before = chip.cycles();
            let answer = chip.write_answer().unwrap();
            assert!(!answer.refused);
            // The documented latency: the cycle of the later one is the first.
            assert_eq!(answer.cycle - before, 4);
            assert_eq!(chip.read(register).unwrap().data, value);
        }
    }
    // Two addresses, then their data, and the other way round.
    for address_first in [true, false] {
        let values = [random.next() as u32, random.next() as u32];
        let addresses = [register, registers::TOP_LEVEL.address];
        let give_addresses =
            |chip: &mut AxiChip| addresses.map(|address| chip.give_address(address));
        let give_data = |chip: &mut AxiChip| values.map(|value| chip.give_data(value, ALL_STROBES));
        if address_first {
            give_addresses(&mut chip);
        } else {
            give_data(&mut chip);
        }
        for _ in 0..5 {
            chip.cycle().unwrap();
        }
        if address_first {
            give_data(&mut chip);
        } else {
            give_addresses(&mut chip);
        }
        for _ in 0..2 {
            assert!(!chip.write_answer().unwrap().refused);
        }
        for (address, value) in addresses.into_iter().zip(values) {
            assert_eq!(chip.read(address).unwrap().data, value);
        }
    }
}

/// The documented throughput: a write, or a read, in 3 cycles, and one of each in 4.
#[test]
fn registers_have_the_documented_throughput() {
    const COUNT: u32 = 32;
    let mut chip = AxiChip::new(seed(7), Pauses::default());
    assert_eq!(read_latency(&mut chip), READ_LATENCY);
    let data = registers::CONSTANT_DATA.address;
    let distances = |cycles: Vec<u64>| -> Vec<u64> {
        let pairs = cycles.windows(2);
        pairs.map(|pair| pair[1] - pair[0]).collect()
    };
    let give_writes = |chip: &mut AxiChip| {
        for number in 0..COUNT {
            chip.give_address(data + 4 * (number % 8));
            chip.give_data(number, ALL_STROBES);
        }
    };
    let give_reads = |chip: &mut AxiChip| {
        for number in 0..COUNT {
            chip.give_read(data + 4 * (number % 8));
        }
    };
    let writes = |chip: &mut AxiChip| {
        let answers = (0..COUNT).map(|_| chip.write_answer().unwrap().cycle);
        answers.collect::<Vec<_>>()
    };
    let reads = |chip: &mut AxiChip| {
        let answers = (0..COUNT).map(|_| chip.read_answer().unwrap());
        answers.collect::<Vec<_>>()
    };
    give_writes(&mut chip);
    let cycles = writes(&mut chip);
    assert!(distances(cycles).into_iter().all(|distance| distance == 3));
    give_reads(&mut chip);
    let answers = reads(&mut chip);
    for (number, answer) in (0..COUNT).zip(&answers) {
        assert_eq!(answer.data, COUNT - 8 + number % 8);
    }
    let cycles = answers.iter().map(|answer| answer.cycle).collect();
    assert!(distances(cycles).into_iter().all(|distance| distance == 3));
    give_writes(&mut chip);
    give_reads(&mut chip);
    let cycles = writes(&mut chip);
    assert!(distances(cycles).into_iter().all(|distance| distance == 4));
    let answers = reads(&mut chip);
    let cycles = answers.iter().map(|answer| answer.cycle).collect();
    assert!(distances(cycles).into_iter().all(|distance| distance == 4));
}

/// Every address of the map is read, and answered as the map says.
#[test]
fn every_address_is_answered() {
    runs::every_address_is_answered(&AxiChip::new, seed(4));
}

#[test]
fn what_is_no_whole_register_is_refused() {
    runs::what_is_no_whole_register_is_refused(&AxiChip::new, seed(5));
}

/// Writes and reads at once, with pauses of every channel: every answer is that of its own request.
#[test]
fn requests_do_not_mix() {
    runs::requests_do_not_mix(&AxiChip::new, seed(8));
}

#[test]
fn writes_during_a_run_are_refused() {
    runs::writes_during_a_run_are_refused(&AxiChip::new, seed(9));
}

/// TLAST comes too early: the run gets no word of the next packet, and a clear ends it.
#[test]
fn short_packets_are_told() {
    runs::short_packets_are_told(&AxiChip::new, seed(10));
}

/// TLAST comes too late, or not at all: the run is void, and the rest of its packet is discarded.
#[test]
fn long_packets_are_told() {
    runs::long_packets_are_told(&AxiChip::new, seed(11));
}

/// TKEEP is not all ones in a word: the run is void.
#[test]
#[ignore = "long: with two clocks it is tested always"]
fn partial_words_are_told() {
    runs::partial_words_are_told(&AxiChip::new, seed(12));
}

/// A start that is refused because of the level table loses no word of the packet that waits.
#[test]
#[ignore = "long: with two clocks it is tested always"]
fn refused_starts_keep_the_packet() {
    runs::refused_starts_keep_the_packet(&AxiChip::new, seed(18));
}

#[test]
fn resets_end_runs() {
    runs::resets_end_runs(&AxiChip::new, seed(13));
}

/// A clear takes nothing back that is on offer, and ends the packet.
#[test]
#[ignore = "long: with two clocks it is tested always"]
fn clears_end_runs() {
    runs::clears_end_runs(&AxiChip::new, seed(14));
}

/// A word that is looked at in the cycle of a clear is no error of what comes then.
#[test]
fn clears_forget_bad_words() {
    runs::clears_forget_bad_words(&AxiChip::new, seed(21));
}

#[test]
fn commands_meet_the_end_of_a_run() {
    runs::commands_meet_the_end_of_a_run(&AxiChip::new, seed(19));
}

/// Discarding, and its end by the host.
#[test]
#[ignore = "long: with two clocks it is tested always"]
fn packets_are_discarded() {
    runs::packets_are_discarded(&AxiChip::new, seed(15));
}

#[test]
fn starts_wait_for_discards() {
    runs::starts_wait_for_discards(&AxiChip::new, seed(16));
}

#[test]
#[ignore = "long: with two clocks it is tested always"]
fn discards_follow_one_another() {
    runs::discards_follow_one_another(&AxiChip::new, seed(17));
}

#[test]
fn zeroisations_leave_nothing_in_the_streams() {
    runs::zeroisations_leave_nothing_in_the_streams(&AxiChip::new, seed(16));
}

/// The interrupt of the core reaches the pin.
#[test]
fn the_end_of_a_run_interrupts() {
    runs::the_end_of_a_run_interrupts(&AxiChip::new, seed(17));
}

// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! The chip with its buses and a clock of its own for the core, edge by edge: clocks of any ratio and phase, with
//! jitter; first flops of synchronisers that are met by a change settle to the old or the new value, each bit for
//! itself. Everything that `tests/axi.rs` finds with one clock, and resets of either side. Then the buffers between
//! the clocks by themselves, and faulty ones, which must be found.
//!
//! Clocks are those of any prime alike: these tests run with the default one.

#![cfg(feature = "bls12-381")]

mod common;

use std::collections::VecDeque;

use acclmt_driver::chip::suite;
use acclmt_driver::registers;
use acclmt_tb::large_field;
use acclmt_verilated::{Bench, BenchKind};
use common::axi::{ALL_STROBES, AxiChip, Pauses, READ_LATENCY, read_latency, stream};
use common::clocks::{Clock, Clocks, Relation, STEP, Settling};
use common::runs::{self, Make, Run};
use common::{Random, rounds, seed};

/// The relations of clocks that tests of all of them take where they are to be short.
const SOME: [Relation; 1] = [Relation::NearlyEqual];

/// What is tested with chips of one kind, from a seed.
type Scenario = fn(Make<'_>, u64);

/// Runs the test with clocks of a kind.
fn with(relation: Relation, test: impl Fn(Make<'_>, u64), seed: u64) {
    println!("{relation:?}, seed {seed}");
    test(&|seed, pauses| chip(relation, seed, pauses), seed);
}

fn chip(relation: Relation, seed: u64, pauses: Pauses) -> AxiChip {
    let clocks = Clocks::of(relation, &mut Random::new(seed));
    AxiChip::with_clocks(seed, pauses, clocks)
}

fn random_chip(seed: u64, pauses: Pauses) -> AxiChip {
    AxiChip::with_clocks(seed, pauses, Clocks::random(&mut Random::new(seed)))
}

// ---- What holds with one clock -----------------------------------------------------------------------

fn commitments_with_pauses(make: Make<'_>, seed: u64) {
    runs::commitments(make, Pauses::random, &[2], seed);
}

#[test]
fn commitments_with_a_faster_bus() {
    with(Relation::FirstFaster, commitments_with_pauses, seed(1));
}

#[test]
#[ignore = "long: a minute"]
fn commitments_with_a_faster_core() {
    with(Relation::SecondFaster, commitments_with_pauses, seed(2));
}

#[test]
fn commitments_with_nearly_equal_clocks() {
    with(
        Relation::NearlyEqual,
        |make, seed| runs::commitments(make, |_| Pauses::default(), &[2], seed),
        seed(3),
    );
}

/// Everything that runs with one clock, with clocks of any kind.
#[test]
#[ignore = "long: every test of the buses"]
fn clocks_of_every_kind() {
    let tests: [(&str, Scenario); 17] = [
        ("commitments", commitments_with_pauses),
        ("addresses", runs::every_address_is_answered),
        ("strobes", runs::what_is_no_whole_register_is_refused),
        ("requests", runs::requests_do_not_mix),
        ("writes in a run", runs::writes_during_a_run_are_refused),
        ("short packets", runs::short_packets_are_told),
        ("long packets", runs::long_packets_are_told),
        ("partial words", runs::partial_words_are_told),
        ("refused starts", runs::refused_starts_keep_the_packet),
        ("clears", runs::clears_end_runs),
        ("resets", runs::resets_end_runs),
        ("ends", runs::commands_meet_the_end_of_a_run),
        ("discards", runs::packets_are_discarded),
        ("starts in discards", runs::starts_wait_for_discards),
        ("repeated discards", runs::discards_follow_one_another),
        (
            "zeroisations",
            runs::zeroisations_leave_nothing_in_the_streams,
        ),
        ("interrupts", runs::the_end_of_a_run_interrupts),
    ];
    let first = seed(100);
    for seed in first..first.saturating_add(rounds(1)) {
        let mut random = Random::new(seed);
        for (name, test) in tests {
            println!("{name}");
            with(*random.choose(&Relation::ALL), test, seed);
        }
    }
}

#[test]
#[ignore = "long: minutes"]
fn the_suite_of_every_port() {
    let seed = seed(30);
    let mut random = Random::new(seed);
    suite::run(random_chip(seed, Pauses::random(&mut random)), seed);
}

#[test]
fn every_address_is_answered() {
    with(
        Relation::NearlyEqual,
        runs::every_address_is_answered,
        seed(4),
    );
}

#[test]
fn what_is_no_whole_register_is_refused() {
    with(
        Relation::Locked,
        runs::what_is_no_whole_register_is_refused,
        seed(5),
    );
}

#[test]
fn requests_do_not_mix() {
    with(Relation::FirstFaster, runs::requests_do_not_mix, seed(6));
}

#[test]
fn writes_during_a_run_are_refused() {
    with(
        Relation::Simultaneous,
        runs::writes_during_a_run_are_refused,
        seed(7),
    );
}

#[test]
fn short_packets_are_told() {
    with(Relation::Locked, runs::short_packets_are_told, seed(8));
}

#[test]
#[ignore = "long: a minute"]
fn long_packets_are_told() {
    with(Relation::FirstFaster, runs::long_packets_are_told, seed(9));
}

#[test]
fn partial_words_are_told() {
    with(
        Relation::SecondFaster,
        runs::partial_words_are_told,
        seed(10),
    );
}

#[test]
fn refused_starts_keep_the_packet() {
    with(
        Relation::NearlyEqual,
        runs::refused_starts_keep_the_packet,
        seed(11),
    );
}

#[test]
fn clears_end_runs() {
    with(Relation::NearlyEqual, runs::clears_end_runs, seed(12));
}

#[test]
fn clears_forget_bad_words() {
    with(
        Relation::NearlyEqual,
        runs::clears_forget_bad_words,
        seed(22),
    );
}

#[test]
fn commands_meet_the_end_of_a_run() {
    with(
        Relation::Locked,
        runs::commands_meet_the_end_of_a_run,
        seed(35),
    );
}

#[test]
fn packets_are_discarded() {
    with(
        Relation::SecondFaster,
        runs::packets_are_discarded,
        seed(13),
    );
}

#[test]
fn starts_wait_for_discards() {
    for (relation, seed) in [
        (Relation::NearlyEqual, seed(31)),
        (Relation::FirstFaster, seed(32)),
    ] {
        with(relation, runs::starts_wait_for_discards, seed);
    }
}

#[test]
fn discards_follow_one_another() {
    for (relation, seed) in [
        (Relation::NearlyEqual, seed(33)),
        (Relation::SecondFaster, seed(34)),
    ] {
        with(relation, runs::discards_follow_one_another, seed);
    }
}

#[test]
fn packets_of_a_word_are_discarded() {
    with(
        Relation::FirstFaster,
        runs::packets_of_a_word_are_discarded,
        seed(36),
    );
}

#[test]
#[ignore = "long: a minute"]
fn zeroisations_leave_nothing_in_the_streams() {
    with(
        Relation::Locked,
        runs::zeroisations_leave_nothing_in_the_streams,
        seed(14),
    );
}

#[test]
fn the_end_of_a_run_interrupts() {
    with(
        Relation::FirstFaster,
        runs::the_end_of_a_run_interrupts,
        seed(15),
    );
}

// ---- Resets ------------------------------------------------------------------------------------------

/// A reset of the buses in mid-run, which resets both sides.
#[test]
#[ignore = "long: a minute"]
fn resets_of_the_bus_end_runs() {
    with(Relation::NearlyEqual, runs::resets_end_runs, seed(16));
}

/// The length of a reset in time steps: shorter than any cycle, or longer.
fn reset_length(random: &mut Random) -> u64 {
    match random.below(3) {
        0 => 1,
        1 => 1 + random.below(8),
        _ => 1 + random.below(300),
    }
}

/// Lets the reset of the core end, and the bus see it.
fn pass_core_reset(chip: &mut AxiChip) {
    while chip
        .clocked()
        .is_some_and(|clocks| clocks.is_core_reset_ahead())
    {
        chip.cycle().unwrap();
    }
    // The bus has it within SyncStages + 1 cycles, or one more.
    for _ in 0..4 {
        chip.cycle().unwrap();
    }
}

/// The core has forgotten everything, and works.
#[track_caller]
fn check_fresh(chip: &mut AxiChip, run: &Run) {
    chip.await_core().unwrap();
    assert_eq!(runs::status(chip), 0);
    assert_eq!(chip.read(stream::STATE).unwrap().data, 0);
    assert_eq!(chip.read(stream::EVENTS).unwrap().data, 0);
    assert_eq!(chip.read(stream::ENABLE).unwrap().data, 0);
    chip.configured = None;
    run.check_good(chip);
}

/// A reset of the core alone in mid-run, with requests on their way: the bus is left in order.
#[test]
fn resets_of_the_core_end_runs() {
    check_resets_of_the_core_end_runs(seed(17), &SOME);
}

#[test]
#[ignore = "long: every relation of the clocks"]
fn resets_of_the_core_end_runs_with_any_clocks() {
    check_resets_of_the_core_end_runs(seed(117), &Relation::ALL);
}

fn check_resets_of_the_core_end_runs(seed: u64, relations: &[Relation]) {
    let mut random = Random::new(seed);
    let run = Run::tree(&mut random, large_field(), 2);
    let (mut aborted, mut refused) = (0, 0);
    for &relation in relations {
        let mut chip = chip(relation, random.next(), Pauses::default());
        for _ in 0..3 {
            chip.pauses = Pauses::random(&mut random);
            runs::stop_in_run(&mut chip, &mut random, &run);
            if chip.output.last().is_some_and(|beat| beat.last) {
                chip.output.clear();
            }
            let begun = !chip.output.is_empty();
            let (after, length) = (random.below(40), reset_length(&mut random));
            chip.clocked().unwrap().reset_core(after, length);
            // Requests on their way are answered, whatever becomes of them.
            const REQUESTS: usize = 6;
            for _ in 0..REQUESTS {
                chip.give_read(registers::ID.address);
                chip.give_address(registers::LEAVES.address);
                chip.give_data(1, ALL_STROBES);
            }
            let id = u32::from_be_bytes(*b"ACMT");
            for _ in 0..REQUESTS {
                let answer = chip.read_answer().unwrap();
                assert_eq!(answer.data, if answer.refused { 0 } else { id });
                refused += u32::from(answer.refused);
                chip.write_answer().unwrap();
            }
            pass_core_reset(&mut chip);
            // No word of the packet is taken any more, and none gets into the next run.
            chip.forget_input();
            let left = chip.input_left();
            for _ in 0..50 {
                chip.cycle().unwrap();
            }
            assert_eq!(chip.input_left(), left);
            assert!(!chip.interrupt());
            chip.await_core().unwrap();
            if left == 1 {
                chip.give_input(run.beat(0, 1));
                let answer = chip.write(stream::CONTROL, stream::DISCARD, ALL_STROBES);
                assert!(!answer.unwrap().refused);
                chip.wait("the discarded words", 1000, |chip| chip.input_left() == 0)
                    .unwrap();
                while chip.read(stream::CONTROL).unwrap().data != 0 {}
            }
            let words = runs::end_packet(&mut chip, &run);
            assert!(!begun || !words.is_empty(), "the packet has no end");
            aborted += u32::from(words.last().is_some_and(|last| last.is_aborted()));
            check_fresh(&mut chip, &run);
        }
    }
    println!("{aborted} packets were aborted, {refused} reads refused");
    if relations.len() == Relation::ALL.len() {
        assert!(aborted > 0 && refused > 3);
    }
}

/// Resets of both sides that overlap in any way.
#[test]
fn resets_of_both_sides_end_runs() {
    check_resets_of_both_sides_end_runs(seed(18), &SOME);
}

#[test]
#[ignore = "long: every relation of the clocks"]
fn resets_of_both_sides_end_runs_with_any_clocks() {
    check_resets_of_both_sides_end_runs(seed(118), &Relation::ALL);
}

fn check_resets_of_both_sides_end_runs(seed: u64, relations: &[Relation]) {
    let mut random = Random::new(seed);
    let run = Run::tree(&mut random, large_field(), 2);
    for &relation in relations {
        let mut chip = chip(relation, random.next(), Pauses::default());
        for _ in 0..2 {
            chip.pauses = Pauses::random(&mut random);
            runs::stop_in_run(&mut chip, &mut random, &run);
            chip.give_read(registers::ID.address);
            let (after, length) = (random.below(60), reset_length(&mut random));
            chip.clocked().unwrap().reset_core(after, length);
            for _ in 0..random.below(12) {
                chip.cycle().unwrap();
            }
            chip.reset_alone().unwrap();
            pass_core_reset(&mut chip);
            check_fresh(&mut chip, &run);
        }
    }
}

/// While the core is in reset the bus answers with SLVERR at once, and takes no word.
#[test]
fn a_core_in_reset_is_told() {
    check_a_core_in_reset_is_told(seed(19), &SOME);
}

#[test]
#[ignore = "long: every relation of the clocks"]
fn a_core_in_reset_is_told_with_any_clocks() {
    check_a_core_in_reset_is_told(seed(119), &Relation::ALL);
}

fn check_a_core_in_reset_is_told(seed: u64, relations: &[Relation]) {
    let mut random = Random::new(seed);
    let run = Run::tree(&mut random, large_field(), 2);
    for &relation in relations {
        let mut chip = chip(relation, random.next(), Pauses::default());
        run.configure(&mut chip);
        let after = random.below(10);
        chip.clocked().unwrap().reset_core(after, u64::MAX);
        for _ in 0..20 {
            chip.cycle().unwrap();
        }
        for index in 0..run.words.len() {
            chip.give_input(run.beat(index, run.words.len()));
        }
        for _ in 0..8 {
            let before = chip.cycles();
            let read = chip.read(registers::ID.address).unwrap();
            assert!(read.refused && read.data == 0);
            let write = chip.write(registers::CONTROL.address, 1, ALL_STROBES);
            assert!(write.unwrap().refused);
            let cycles = chip.cycles() - before;
            assert!(cycles <= 12, "{cycles} cycles");
        }
        assert_eq!(chip.input_left(), run.words.len());
        let after = random.below(10);
        chip.clocked().unwrap().release_core(after);
        chip.await_core().unwrap();
        assert_eq!(runs::status(&mut chip), 0);
        // The packet that waits is that of the next run.
        chip.configured = None;
        run.start(&mut chip, 0);
        let output = Run::finish(&mut chip);
        run.check(&output, false);
        assert_eq!(chip.input_left(), 0);
    }
}

/// While the clock of the core stands requests wait, and nothing is lost; a reset of the bus passes.
#[test]
fn a_clock_that_stands_is_waited_for() {
    check_a_clock_that_stands_is_waited_for(seed(20), &SOME);
}

#[test]
#[ignore = "long: every relation of the clocks"]
fn a_clock_that_stands_is_waited_for_with_any_clocks() {
    check_a_clock_that_stands_is_waited_for(seed(120), &Relation::ALL);
}

fn check_a_clock_that_stands_is_waited_for(seed: u64, relations: &[Relation]) {
    let mut random = Random::new(seed);
    let run = Run::tree(&mut random, large_field(), 2);
    for &relation in relations {
        let mut chip = chip(relation, random.next(), Pauses::random(&mut random));
        run.start(&mut chip, run.words.len());
        for _ in 0..random.below(400) {
            chip.cycle().unwrap();
        }
        chip.clocked().unwrap().stop_core(true);
        chip.give_read(registers::ID.address);
        let before = chip.cycles();
        for _ in 0..300 {
            chip.cycle().unwrap();
        }
        chip.clocked().unwrap().stop_core(false);
        let answer = chip.read_answer().unwrap();
        assert!(!answer.refused && answer.cycle >= before + 300);
        assert_eq!(answer.data, u32::from_be_bytes(*b"ACMT"));
        let output = Run::finish(&mut chip);
        run.check(&output, false);
        // A reset that is over before the clock runs again.
        chip.clocked().unwrap().stop_core(true);
        chip.reset_alone().unwrap();
        for _ in 0..random.below(100) {
            chip.cycle().unwrap();
        }
        chip.clocked().unwrap().stop_core(false);
        check_fresh(&mut chip, &run);
    }
}

/// A core without a reset of its own, and flops that hold anything at power-up: after a reset of the bus, however
/// short, the core is there once and for all.
#[test]
fn a_core_without_a_reset_is_there_once() {
    /// acclmt_crossing_reset in tb/rtl/acclmt_tb_crossing.sv, and whether the core is there.
    const RESETS: u32 = 1 << 5;
    const UP: u32 = 1 << 24;
    for seed in 1..=20 {
        let mut bench = Bench::new(BenchKind::Crossing, seed);
        let (mut is_up, mut changes) = (false, 0);
        for step in 0..200 {
            let levels = [WRITE_CLOCK | READ_CLOCK, 0][step % 2];
            let out = bench.run(&[levels | RESETS << ENABLED, 0, 0, 0]).unwrap();
            changes += u32::from((out[0] & UP != 0) != is_up);
            is_up = out[0] & UP != 0;
        }
        assert!(is_up);
        assert_eq!(changes, 1, "seed {seed}");
    }
}

// ---- Latency -----------------------------------------------------------------------------------------

/// The documented latency of a register; and that first flops do settle to the old value.
#[test]
fn registers_have_the_documented_latency() {
    const SYNC_STAGES: u64 = 2;
    let seed = seed(21);
    let one = READ_LATENCY;
    let more = (1 + SYNC_STAGES) + (2 + SYNC_STAGES);
    let chip_with = |distance, settling| {
        let clocks = Clocks {
            first: Clock::new(STEP, 0, 0),
            second: Clock::new(STEP, 0, distance * STEP),
            settling,
        };
        AxiChip::with_clocks(seed, Pauses::default(), clocks)
    };
    // All edges at once: no change meets an edge.
    let mut chip = chip_with(0, Settling::Random);
    for _ in 0..20 {
        assert_eq!(read_latency(&mut chip), one + more);
    }
    // Every edge meets a change: the ways there and back end at half of a cycle each, which is one for both.
    let new = read_latency(&mut chip_with(1, Settling::New));
    let old = read_latency(&mut chip_with(1, Settling::Old));
    println!("one clock {one}, two clocks {}, {new}, {old}", one + more);
    assert!(new < old && old <= one + more + 2);
}

// ---- Buffers by themselves ---------------------------------------------------------------------------

/// The modules of tb/rtl/acclmt_tb_crossing.sv, and the words of its packed input and output.
const BUFFERS: usize = 4;
const GOOD: u32 = 0b00111;
const BINARY_POINTER: u32 = 0b01000;
const BINARY_CODE: u32 = 0b10000;
const INPUT: usize = 4;
const OUTPUT: usize = 5;

/// Flags of the packed input and output.
const WRITE_CLOCK: u32 = 1 << 0;
const READ_CLOCK: u32 = 1 << 1;
const OFFERED: u32 = 1 << 2;
const TAKEN: u32 = 1 << 3;
const ENABLED: u32 = 8;
const READY: u32 = 8;
const VALID: u32 = 16;

/// What was seen of the buffers.
#[derive(Debug, Default)]
struct Seen {
    /// Cycles of the slower clock.
    cycles: u64,
    /// Words that went through each buffer; how often it was full and empty.
    words: [u64; BUFFERS],
    full: [u64; BUFFERS],
    empty: [u64; BUFFERS],
}

/// Runs some of the modules, with words offered and taken in so many of 256 cycles, and compares what comes out
/// with what went in. The error says what was wrong.
fn run_buffers(
    modules: u32,
    mut clocks: Clocks,
    rates: [u64; 2],
    steps: u64,
    random: &mut Random,
) -> Result<Seen, String> {
    let mut bench = Bench::new(BenchKind::Crossing, random.next() as u32);
    assert_eq!((bench.input_words(), bench.output_words()), (INPUT, OUTPUT));
    // A step with all of them in reset, after which both clocks are low.
    bench.run(&[0; INPUT]).map_err(|error| error.to_string())?;
    let mut inside: [VecDeque<u32>; BUFFERS] = Default::default();
    let mut seen = Seen::default();
    let (mut word, mut offered, mut taken) = (0_u32, false, false);
    let (mut written_cycles, mut read_cycles) = (0, 0);
    for step in 0..steps {
        let before = [clocks.first.level(), clocks.second.level()];
        let levels = [
            clocks.first.step(step, random),
            clocks.second.step(step, random),
        ];
        let writes = levels[0] && !before[0];
        let reads = levels[1] && !before[1];
        let flag = |on: bool, flag: u32| if on { flag } else { 0 };
        let flags = flag(levels[0], WRITE_CLOCK)
            | flag(levels[1], READ_CLOCK)
            | flag(offered, OFFERED)
            | flag(taken, TAKEN)
            | modules << ENABLED;
        let [low, high] = clocks.settling.bits(random);
        let out = bench
            .run(&[flags, word, low, high])
            .map_err(|error| error.to_string())?;
        for (buffer, inside) in inside.iter_mut().enumerate() {
            if modules >> buffer & 1 == 0 {
                continue;
            }
            let ready = out[0] >> (READY + buffer as u32) & 1 != 0;
            let valid = out[0] >> (VALID + buffer as u32) & 1 != 0;
            // What is written in this step does not come out in it.
            if reads && valid && taken {
                let found = out[1 + buffer];
                let expected = inside.pop_front();
                if expected != Some(found) {
                    return Err(format!(
                        "buffer {buffer}, step {step}: {found} came out for {expected:?}"
                    ));
                }
                seen.words[buffer] += 1;
            }
            if writes && ready && offered {
                inside.push_back(word);
            }
            seen.full[buffer] += u64::from(writes && !ready);
            seen.empty[buffer] += u64::from(reads && !valid);
        }
        if writes {
            // No word twice, and every bit of it.
            word = word.wrapping_add(0x9e37_79b9);
            offered = random.below(256) < rates[0];
            written_cycles += 1;
        }
        if reads {
            taken = random.below(256) < rates[1];
            read_cycles += 1;
        }
    }
    seen.cycles = written_cycles.min(read_cycles);
    // What is inside fits, so nothing that went in is lost unseen.
    for (buffer, inside) in inside.iter().enumerate() {
        if inside.len() > 8 {
            return Err(format!("buffer {buffer} holds {} words", inside.len()));
        }
    }
    Ok(seen)
}

#[test]
fn buffers_lose_nothing() {
    let mut random = Random::new(seed(22));
    let mut total = Seen::default();
    for relation in Relation::ALL {
        for _ in 0..12 {
            let clocks = Clocks::of(relation, &mut random);
            let mut rate = || *random.choose(&[30, 128, 256]);
            let rates = [rate(), rate()];
            println!("{relation:?}, {clocks}, rates {rates:?}");
            let seen = run_buffers(GOOD, clocks, rates, 3000, &mut random)
                .unwrap_or_else(|error| panic!("{error}"));
            for buffer in 0..3 {
                assert!(seen.words[buffer] > 20, "{seen:?}");
                total.full[buffer] += seen.full[buffer];
                total.empty[buffer] += seen.empty[buffer];
            }
        }
    }
    println!("{total:?}");
    assert!(total.full[..3].iter().all(|&cycles| cycles > 1000));
    assert!(total.empty[..3].iter().all(|&cycles| cycles > 1000));
}

/// One word a cycle of the slower clock, where the buffer has 2 * `Stages` + 4 places.
#[test]
fn buffers_have_the_documented_throughput() {
    let mut random = Random::new(seed(23));
    for relation in Relation::ALL {
        for _ in 0..6 {
            let clocks = Clocks::of(relation, &mut random);
            println!("{relation:?}, {clocks}");
            let seen = run_buffers(GOOD, clocks, [256; 2], 4000, &mut random)
                .unwrap_or_else(|error| panic!("{error}"));
            println!("{seen:?}");
            // But for the way of the first word, and of the last one.
            assert!(seen.words[1] + 16 >= seen.cycles, "{seen:?}");
        }
    }
}

/// A binary pointer loses words, and does not where every first flop settles to the new value: it is the
/// settling that finds it.
#[test]
fn a_binary_pointer_is_found() {
    let mut random = Random::new(seed(24));
    let (mut wrong_words, mut assertions) = (0, 0);
    for relation in Relation::ALL {
        for _ in 0..6 {
            let mut clocks = Clocks::of(relation, &mut random);
            println!("{relation:?}, {clocks}");
            clocks.settling = Settling::New;
            let ideal = run_buffers(BINARY_POINTER, clocks.clone(), [200; 2], 3000, &mut random);
            let ideal = ideal.unwrap_or_else(|error| panic!("an ideal flop: {error}"));
            assert!(ideal.words[3] > 100);
            clocks.settling = Settling::Random;
            let found = run_buffers(BINARY_POINTER, clocks, [200; 2], 6000, &mut random);
            println!("{found:?}");
            match found {
                Err(error) if error.contains("came out for") => wrong_words += 1,
                Err(error) => {
                    assert!(error.contains("acclmt_gray_fifo: "), "{error}");
                    assertions += 1;
                }
                // Where the edges never meet a change there is nothing to find.
                Ok(_) => assert!(
                    matches!(relation, Relation::Simultaneous | Relation::Locked),
                    "{relation:?}: the binary pointer is not found"
                ),
            }
        }
    }
    println!("{wrong_words} times by its words, {assertions} times by an assertion");
    assert!(wrong_words > 0 && assertions > 0);
}

/// The assertion at the source of a code is active.
#[test]
fn a_binary_code_is_found() {
    let mut random = Random::new(seed(25));
    for relation in Relation::ALL {
        let clocks = Clocks::of(relation, &mut random);
        let error = run_buffers(BINARY_CODE, clocks, [256; 2], 200, &mut random)
            .expect_err("the binary code is not found");
        assert!(
            error.contains("more than one bit of the code changes"),
            "{error}"
        );
    }
}

// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! What a host does with the chip behind its buses, whatever its clocks are: commitments, requests of registers, good
//! and bad packets, runs that are ended. Results are those of the software.

use acclmt_driver::chip::{ChipDevice, ChipPort, OutputWord};
use acclmt_driver::device::{CommitRequest, LeafRule};
use acclmt_driver::program::LevelEntry;
use acclmt_driver::registers::{self, Access};
use acclmt_merkle::shape::Padding;
use acclmt_model::{Hardware, ModelChip};
use acclmt_poseidon::fields::{AnyParameters, FieldId};
use acclmt_poseidon::presets;
use acclmt_poseidon::word::Word;
use acclmt_tb::large_field;
use acclmt_verilated::RUNTIME_MODULUS;

use super::axi::{ALL_BYTES, ALL_STROBES, AxiChip, InputBeat, OutputBeat, Pauses, stream};
use super::bits::{BUSY, CLEAR, DONE, ERROR, REFUSED, START, ZEROISE, ZEROISED};
use super::chip::check_commit;
use super::clocks::Clocks;
use super::recorded::RecordedRun;
use super::{Random, elements};

/// Clock cycles within which every run of these tests ends.
pub const PATIENCE: u64 = 100_000;

/// Error codes, as docs/registers.md has them.
const WRITE_WHILE_RUNNING: u32 = 2;
const UNKNOWN_REGISTER: u32 = 4;

/// Whether a register of the core has this byte address.
fn is_of_the_core(address: u32) -> bool {
    (registers::REGISTERS.iter()).any(|register| register.contains(address))
}

/// Parameters of the chips of tb/rtl/acclmt_tb_axi.sv, acclmt_tb_clocks.sv and acclmt_tb_dma.sv.
pub fn hardware() -> Hardware {
    Hardware {
        field: large_field(),
        runtime_modulus: RUNTIME_MODULUS,
        num_engines: 1,
        num_partial: 1,
        partial_depth: 256,
        store: false,
        adders: false,
        max_height: 8,
        node_words: 128,
        ..Hardware::default()
    }
}

/// Makes a chip from a seed and pauses.
pub type Make<'a> = &'a dyn Fn(u64, Pauses) -> AxiChip;

/// Leaves for a request.
pub fn leaves(random: &mut Random, request: &CommitRequest<'_>) -> Vec<Word> {
    let count = request.leaf_length() * request.leaves as usize;
    elements(random, request.parameters.field(), count)
}

// ---- Commitments -------------------------------------------------------------------------------------

/// The presets of this build that make trees and fit into the chip, one of each of these arities.
pub fn tree_presets(field: FieldId, arities: &[usize]) -> Vec<&'static AnyParameters> {
    let limits = hardware().limits();
    let mut sets: Vec<&AnyParameters> = Vec::new();
    for preset in presets::all() {
        let set = preset.parameters();
        let fits = acclmt_driver::program::ChipProgram::compile(set, &limits).is_ok();
        if set.field() == field
            && arities.contains(&set.arity())
            && fits
            && sets.iter().all(|other| other.arity() != set.arity())
        {
            sets.push(set);
        }
    }
    sets
}

pub fn commitments(
    make: Make<'_>,
    pauses: impl Fn(&mut Random) -> Pauses,
    arities: &[usize],
    seed: u64,
) {
    let mut random = Random::new(seed);
    let chip = make(random.next(), pauses(&mut random));
    let mut device = ChipDevice::new(chip).expect("the chip answers");
    for field in [large_field(), FieldId::Goldilocks] {
        let sets = tree_presets(field, arities);
        assert!(!sets.is_empty());
        for set in sets {
            let arity = set.arity() as u64;
            device.port().pauses = pauses(&mut random);
            println!("{}, arity {arity}, {:?}", set.name(), device.port().pauses);
            // A full tree over hashed leaves; then one over ready digests that lacks some.
            let request = CommitRequest::new(set, LeafRule::Hash(set), arity * arity);
            check_commit(&mut device, &request, &leaves(&mut random, &request));
            let padding = elements(&mut random, field, set.digest_length());
            let request = CommitRequest {
                padding: Padding::Leaf(&padding),
                cap_height: 1,
                ..CommitRequest::new(set, LeafRule::Digest, arity * arity + 1)
            };
            check_commit(&mut device, &request, &leaves(&mut random, &request));
            if set.sponge().is_some() {
                let request = CommitRequest {
                    padding: Padding::Leaf(&padding),
                    ..CommitRequest::new(
                        set,
                        LeafRule::Row {
                            parameters: set,
                            columns: 13,
                        },
                        1 + random.below(9),
                    )
                };
                check_commit(&mut device, &request, &leaves(&mut random, &request));
            }
        }
    }
}

// ---- Runs without the driver -------------------------------------------------------------------------

/// A run, and what a host of the chip behind its buses does with it.
pub struct Run {
    pub writes: Vec<(u32, u32)>,
    pub words: Vec<Word>,
    /// In the order of the levels.
    pub expected: Vec<OutputWord>,
}

impl Run {
    /// A tree of pairs over so many leaves, all of whose nodes go out.
    pub fn tree(random: &mut Random, field: FieldId, leaf_count: u64) -> Self {
        let run = RecordedRun::tree(random, hardware(), field, leaf_count);
        let mut expected = run.output;
        expected.sort_by_key(|word| (word.level, word.index));
        Self {
            writes: run.writes,
            words: run.input,
            expected,
        }
    }

    /// The word at `index` of the input, whose packet has `length` words; words beyond the run are its first
    /// ones again.
    pub fn beat(&self, index: usize, length: usize) -> InputBeat {
        InputBeat {
            data: self.words[index % self.words.len()],
            keep: ALL_BYTES,
            last: index + 1 == length,
        }
    }

    /// Configures the chip, without pauses and with equal clocks, if it is not configured already.
    pub fn configure(&self, chip: &mut AxiChip) {
        if chip.configured.as_ref() == Some(&self.writes) {
            return;
        }
        let pauses = std::mem::take(&mut chip.pauses);
        let clocks = chip
            .clocked()
            .map(|chip| chip.replace_clocks(Clocks::fastest()));
        for &(address, value) in &self.writes {
            let answer = chip.write(address, value, ALL_STROBES).unwrap();
            assert!(!answer.refused, "write of {value:#x} to {address:#x}");
        }
        chip.pauses = pauses;
        if let (Some(chip), Some(clocks)) = (chip.clocked(), clocks) {
            chip.replace_clocks(clocks);
        }
        chip.configured = Some(self.writes.clone());
    }

    /// Configures and starts the chip, and gives it a packet of `length` words.
    pub fn start(&self, chip: &mut AxiChip, length: usize) {
        self.configure(chip);
        for index in 0..length {
            chip.give_input(self.beat(index, length));
        }
        chip.takes_output = true;
        let answer = chip
            .write(registers::CONTROL.address, START, ALL_STROBES)
            .unwrap();
        assert!(!answer.refused);
    }

    /// Lets the run end; returns its words.
    pub fn finish(chip: &mut AxiChip) -> Vec<OutputBeat> {
        let is_last = |chip: &AxiChip| chip.output.last().is_some_and(|beat| beat.last);
        chip.wait("the last word", PATIENCE, is_last).unwrap();
        chip.output.drain(..).collect()
    }

    /// What came out is what the software says, in the order of the levels.
    #[track_caller]
    pub fn check(&self, output: &[OutputBeat], is_void: bool) {
        assert!(output[..output.len() - 1].iter().all(|beat| !beat.last));
        let mut found: Vec<_> = output
            .iter()
            .map(|beat| {
                assert!(!beat.is_aborted());
                assert_eq!(beat.is_void(), is_void && beat.last, "{beat:x?}");
                OutputWord {
                    data: beat.data,
                    level: beat.level(),
                    index: u32::try_from(beat.index()).unwrap(),
                    last: beat.last,
                    error: false,
                }
            })
            .collect();
        found.sort_by_key(|word| (word.level, word.index));
        assert_eq!(found, self.expected);
    }

    /// A good run.
    #[track_caller]
    pub fn check_good(&self, chip: &mut AxiChip) {
        self.start(chip, self.words.len());
        let output = Self::finish(chip);
        self.check(&output, false);
        chip.takes_output = false;
        assert_eq!(status(chip) & (BUSY | DONE | ERROR), DONE);
        assert_eq!(chip.read(stream::EVENTS).unwrap().data, 0);
        assert_eq!(chip.stream_state(), 0);
    }
}

pub fn status(chip: &mut AxiChip) -> u32 {
    chip.read(registers::STATUS.address).unwrap().data
}

pub fn clear(chip: &mut AxiChip) {
    let answer = chip.write(registers::CONTROL.address, CLEAR, ALL_STROBES);
    assert!(!answer.unwrap().refused);
}

// ---- Registers ---------------------------------------------------------------------------------------

/// Every address of the map is read, and answered as the map says.
pub fn every_address_is_answered(make: Make<'_>, seed: u64) {
    let mut random = Random::new(seed);
    for pauses in [Pauses::default(), Pauses::random(&mut random)] {
        let mut chip = make(random.next(), pauses);
        let mut model = ModelChip::new(hardware()).unwrap();
        let levels = registers::LEVEL_TABLE.at(hardware().max_height + 1);
        let own = [
            stream::BUS_VERSION,
            stream::STATE,
            stream::CONTROL,
            stream::EVENTS,
            stream::ENABLE,
        ];
        let mut known = 0;
        for address in 0..0x1000 {
            let exists = is_of_the_core(address)
                && address % 4 == 0
                && !(levels..levels + 128).contains(&address)
                && (RUNTIME_MODULUS || !registers::RADIX_SQUARED.contains(address))
                && registers::later_engine(address).is_none();
            let answer = chip.read(address).unwrap();
            let is_own = own.contains(&address);
            assert_eq!(answer.refused, !exists && !is_own, "{address:#x}");
            if exists {
                // What no reset sets is random.
                let register = registers::REGISTERS
                    .iter()
                    .find(|register| register.contains(address))
                    .unwrap();
                let is_fixed = matches!(register.access, Access::ReadOnly) && !register.counter;
                let errors = [registers::ERROR.address, registers::ERROR_INFO.address];
                if is_fixed && address != registers::STATUS.address && !errors.contains(&address) {
                    assert_eq!(answer.data, model.read_register(address).unwrap());
                }
                known += 1;
            }
        }
        assert!(known > 100);
        assert_eq!(chip.read(stream::BUS_VERSION).unwrap().data, 0x0000_0100);
        // The first one that the core refused is in its log. What is unaligned did not come so far.
        let first = (0..0x1000)
            .step_by(4)
            .find(|&address| !is_of_the_core(address) && !own.contains(&address));
        assert_eq!(
            chip.read(registers::ERROR.address).unwrap().data,
            UNKNOWN_REGISTER
        );
        assert_eq!(
            chip.read(registers::ERROR_INFO.address).unwrap().data,
            first.unwrap()
        );
    }
}

pub fn what_is_no_whole_register_is_refused(make: Make<'_>, seed: u64) {
    let mut chip = make(seed, Pauses::default());
    let register = registers::LEAVES.address;
    assert!(
        !chip
            .write(register, 0x1234_5678, ALL_STROBES)
            .unwrap()
            .refused
    );
    for strobes in 0..ALL_STROBES {
        assert!(chip.write(register, u32::MAX, strobes).unwrap().refused);
        assert_eq!(chip.read(register).unwrap().data, 0x1234_5678);
        // Nor a register of the streams.
        assert!(chip.write(stream::ENABLE, 1, strobes).unwrap().refused);
        assert_eq!(chip.read(stream::ENABLE).unwrap().data, 0);
    }
    for offset in 1..4 {
        let answer = chip.write(register + offset, u32::MAX, ALL_STROBES);
        assert!(answer.unwrap().refused);
        let answer = chip.read(register + offset).unwrap();
        assert!(answer.refused);
        assert_eq!(answer.data, 0);
        assert_eq!(chip.read(register).unwrap().data, 0x1234_5678);
    }
    // The core has seen nothing of it.
    assert_eq!(status(&mut chip) & ERROR, 0);
    // Read only, and unknown.
    for address in [
        registers::ID.address,
        registers::STATUS.address,
        stream::BUS_VERSION,
        stream::STATE,
        0xffc,
    ] {
        clear(&mut chip);
        assert!(chip.write(address, 0, ALL_STROBES).unwrap().refused);
        let code = chip.read(registers::ERROR.address).unwrap().data;
        assert_eq!(code, UNKNOWN_REGISTER, "{address:#x}");
        let info = chip.read(registers::ERROR_INFO.address).unwrap().data;
        assert_eq!(info, address);
    }
    // Bits that no field has.
    for (address, value) in [
        (stream::CONTROL, 2),
        (stream::EVENTS, 8),
        (stream::ENABLE, 0x8000_0000),
    ] {
        assert!(chip.write(address, value, ALL_STROBES).unwrap().refused);
    }
}

/// Writes and reads at once, with pauses of every channel: every answer is that of its own request.
pub fn requests_do_not_mix(make: Make<'_>, seed: u64) {
    let mut random = Random::new(seed);
    for _ in 0..20 {
        let pauses = Pauses::random(&mut random);
        let mut chip = make(random.next(), pauses);
        let data = registers::CONSTANT_DATA.address;
        // Reads of what is not written; every fourth request is refused.
        let read = [
            registers::ID.address,
            registers::VERSION.address,
            0x7fc,
            registers::CAPS_ENGINE.address,
        ];
        let expected: Vec<_> = read.map(|address| chip.read(address).unwrap()).to_vec();
        let values: Vec<u32> = (0..8).map(|_| random.next() as u32).collect();
        for (number, &value) in (0..).zip(&values) {
            chip.give_address(data + 4 * number);
            chip.give_data(value, ALL_STROBES);
            chip.give_address(0x7f8);
            chip.give_data(0, ALL_STROBES);
            for address in read {
                chip.give_read(address);
            }
        }
        for _ in 0..values.len() {
            assert!(!chip.write_answer().unwrap().refused);
            assert!(chip.write_answer().unwrap().refused);
            for expected in &expected {
                let answer = chip.read_answer().unwrap();
                assert_eq!(
                    (answer.data, answer.refused),
                    (expected.data, expected.refused)
                );
            }
        }
        for (number, &value) in (0..).zip(&values) {
            assert_eq!(chip.read(data + 4 * number).unwrap().data, value);
        }
    }
}

pub fn writes_during_a_run_are_refused(make: Make<'_>, seed: u64) {
    let mut random = Random::new(seed);
    let mut chip = make(random.next(), Pauses::default());
    let run = Run::tree(&mut random, large_field(), 8);
    run.start(&mut chip, run.words.len());
    let answer = chip.write(registers::LEAVES.address, 3, ALL_STROBES);
    assert!(answer.unwrap().refused);
    let answer = chip.write(registers::CONTROL.address, START, ALL_STROBES);
    assert!(answer.unwrap().refused);
    // The packet of the run is not discarded either.
    assert_eq!(
        chip.read(stream::STATE).unwrap().data & stream::DISCARDING,
        0
    );
    let output = Run::finish(&mut chip);
    run.check(&output, false);
    let code = chip.read(registers::ERROR.address).unwrap().data;
    assert_eq!(code, WRITE_WHILE_RUNNING);
    let info = chip.read(registers::ERROR_INFO.address).unwrap().data;
    assert_eq!(info, registers::LEAVES.address);
}

// ---- Packets -----------------------------------------------------------------------------------------

/// TLAST comes too early: the run gets no word of the next packet, and a clear ends it.
pub fn short_packets_are_told(make: Make<'_>, seed: u64) {
    let mut random = Random::new(seed);
    let run = Run::tree(&mut random, large_field(), 8);
    let mut chip = make(random.next(), Pauses::default());
    for length in [1, 2, run.words.len() / 2, run.words.len() - 1] {
        chip.pauses = Pauses::random(&mut random);
        run.start(&mut chip, length);
        // The next packet waits.
        for index in 0..run.words.len() {
            chip.give_input(run.beat(index, run.words.len()));
        }
        let enable = chip.write(stream::ENABLE, stream::EARLY_LAST, ALL_STROBES);
        assert!(!enable.unwrap().refused);
        chip.wait("the interrupt", PATIENCE, AxiChip::interrupt)
            .unwrap();
        assert_eq!(chip.read(stream::EVENTS).unwrap().data, stream::EARLY_LAST);
        for _ in 0..500 {
            chip.cycle().unwrap();
        }
        assert_eq!(chip.input_left(), run.words.len(), "length {length}");
        assert_eq!(status(&mut chip) & (BUSY | DONE | ERROR), BUSY);
        // An acknowledgement acknowledges, and does no more.
        let answer = chip.write(stream::EVENTS, stream::EARLY_LAST, ALL_STROBES);
        assert!(!answer.unwrap().refused);
        assert_eq!(chip.read(stream::EVENTS).unwrap().data, 0);
        assert!(!chip.interrupt());
        clear(&mut chip);
        end_packet(&mut chip, &run);
        // The run that the waiting packet is for.
        chip.takes_output = true;
        let answer = chip.write(registers::CONTROL.address, START, ALL_STROBES);
        assert!(!answer.unwrap().refused);
        let output = Run::finish(&mut chip);
        run.check(&output, false);
        assert_eq!(chip.input_left(), 0);
        assert_eq!(chip.read(stream::EVENTS).unwrap().data, 0);
    }
}

/// Takes what is left of the packet of an aborted run: nothing, or words that end with an abort word. With two
/// clocks the last word may have left the core before the clear: then the packet is whole.
pub fn end_packet(chip: &mut AxiChip, run: &Run) -> Vec<OutputBeat> {
    let may_be_whole = chip.has_two_clocks();
    end_packet_or_run(chip, run, may_be_whole)
}

/// The same of a run that may have ended before the clear, if `may_be_whole`.
fn end_packet_or_run(chip: &mut AxiChip, run: &Run, may_be_whole: bool) -> Vec<OutputBeat> {
    chip.takes_output = true;
    while chip.read(stream::STATE).unwrap().data & stream::OUTPUT_OPEN != 0 {}
    chip.takes_output = false;
    let words: Vec<_> = chip.output.drain(..).collect();
    if let Some((last, rest)) = words.split_last() {
        if may_be_whole && !last.is_aborted() {
            run.check(&words, false);
            return words;
        }
        if chip.has_two_clocks() {
            for beat in rest {
                let is_same = |word: &&OutputWord| {
                    (word.level, u64::from(word.index)) == (beat.level(), beat.index())
                };
                let expected = run.expected.iter().find(is_same);
                assert_eq!(expected.map(|word| word.data), Some(beat.data), "{beat:x?}");
            }
        }
        assert!(
            last.is_aborted() && last.is_void() && last.last,
            "{last:x?}"
        );
        assert_eq!(last.data, Word::default());
        assert!(rest.iter().all(|beat| !beat.last && !beat.is_aborted()));
    }
    words
}

/// TLAST comes too late, or not at all: the run is void, and the rest of its packet is discarded.
pub fn long_packets_are_told(make: Make<'_>, seed: u64) {
    let mut random = Random::new(seed);
    let run = Run::tree(&mut random, large_field(), 8);
    let mut chip = make(random.next(), Pauses::default());
    for more in [1, 2, 3, 4, 40, 400] {
        chip.pauses = Pauses::random(&mut random);
        let answer = chip.write(stream::ENABLE, stream::LATE_LAST, ALL_STROBES);
        assert!(!answer.unwrap().refused);
        run.start(&mut chip, run.words.len() + more);
        // The next packet follows without a pause.
        for index in 0..run.words.len() {
            chip.give_input(run.beat(index, run.words.len()));
        }
        let output = Run::finish(&mut chip);
        run.check(&output, true);
        assert_eq!(chip.read(stream::EVENTS).unwrap().data, stream::LATE_LAST);
        assert!(chip.interrupt());
        // What is too much goes, and no more than that.
        let is_gone = |chip: &AxiChip| chip.input_left() == run.words.len();
        chip.wait("the rest of the packet", PATIENCE, is_gone)
            .unwrap();
        for _ in 0..100 {
            chip.cycle().unwrap();
        }
        assert_eq!(chip.input_left(), run.words.len());
        assert_eq!(chip.stream_state(), 0);
        chip.takes_output = false;
        // Whether the host clears or acknowledges: the next run is good.
        if more % 2 == 0 {
            clear(&mut chip);
        } else {
            let answer = chip.write(stream::EVENTS, stream::LATE_LAST, ALL_STROBES);
            assert!(!answer.unwrap().refused);
        }
        assert!(!chip.interrupt());
        chip.takes_output = true;
        let answer = chip.write(registers::CONTROL.address, START, ALL_STROBES);
        assert!(!answer.unwrap().refused);
        let output = Run::finish(&mut chip);
        run.check(&output, false);
        assert_eq!(chip.input_left(), 0);
    }
    // No TLAST at all, and no word too much: a clear ends the wait for it.
    run.start(&mut chip, 0);
    for index in 0..run.words.len() {
        chip.give_input(run.beat(index, usize::MAX));
    }
    let output = Run::finish(&mut chip);
    run.check(&output, true);
    chip.wait("the event", PATIENCE, AxiChip::interrupt)
        .unwrap();
    assert_eq!(chip.stream_state(), stream::DISCARDING);
    clear(&mut chip);
    assert_eq!(chip.stream_state(), 0);
    run.check_good(&mut chip);
}

/// TKEEP is not all ones in a word: the run is void.
pub fn partial_words_are_told(make: Make<'_>, seed: u64) {
    let mut random = Random::new(seed);
    let run = Run::tree(&mut random, large_field(), 4);
    let mut chip = make(random.next(), Pauses::random(&mut random));
    let length = run.words.len();
    for (index, keep) in [(0, 0x7fff_ffff), (length / 2, 0), (length - 1, 0xffff_fffe)] {
        run.start(&mut chip, 0);
        for number in 0..length {
            let beat = run.beat(number, length);
            let keep = if number == index { keep } else { ALL_BYTES };
            chip.give_input(InputBeat { keep, ..beat });
        }
        let output = Run::finish(&mut chip);
        run.check(&output, true);
        assert_eq!(
            chip.read(stream::EVENTS).unwrap().data,
            stream::PARTIAL_WORD
        );
        clear(&mut chip);
        run.check_good(&mut chip);
    }
}

/// A start that is refused because of the level table loses no word of the packet that waits.
pub fn refused_starts_keep_the_packet(make: Make<'_>, seed: u64) {
    let mut random = Random::new(seed);
    let mut chip = make(random.next(), Pauses::default());
    let table = registers::LEVEL_TABLE.at(0);
    for leaf_count in [2, 8] {
        let run = Run::tree(&mut random, large_field(), leaf_count);
        run.configure(&mut chip);
        let good = chip.read(table).unwrap().data;
        // No room for a group.
        let no_groups = LevelEntry::of_nodes(0).value();
        assert!(!chip.write(table, no_groups, ALL_STROBES).unwrap().refused);
        run.start(&mut chip, run.words.len());
        for _ in 0..100 {
            chip.cycle().unwrap();
        }
        assert_eq!(status(&mut chip) & (BUSY | REFUSED), REFUSED);
        assert!(chip.input_left() < run.words.len());
        assert!(!chip.write(table, good, ALL_STROBES).unwrap().refused);
        let answer = chip.write(registers::CONTROL.address, START, ALL_STROBES);
        assert!(!answer.unwrap().refused);
        let output = Run::finish(&mut chip);
        run.check(&output, false);
        assert_eq!(chip.input_left(), 0);
        assert_eq!(chip.read(stream::EVENTS).unwrap().data, 0);
    }
}

// ---- Runs that are ended -----------------------------------------------------------------------------

/// Somewhere in a run: an output word waits, or not.
pub fn stop_in_run(chip: &mut AxiChip, random: &mut Random, run: &Run) {
    run.start(chip, run.words.len());
    chip.takes_output = random.below(2) == 0;
    let words = random.below(run.expected.len() as u64 - 1) as usize;
    if chip.takes_output {
        let has_come = |chip: &AxiChip| chip.output.len() >= words;
        chip.wait("some words", PATIENCE, has_come).unwrap();
    }
    for _ in 0..random.below(300) {
        chip.cycle().unwrap();
    }
    chip.takes_output = false;
}

pub fn resets_end_runs(make: Make<'_>, seed: u64) {
    let mut random = Random::new(seed);
    let run = Run::tree(&mut random, large_field(), 8);
    let mut chip = make(random.next(), Pauses::default());
    let rounds = if chip.has_two_clocks() { 3 } else { 6 };
    for _ in 0..rounds {
        chip.pauses = Pauses::random(&mut random);
        stop_in_run(&mut chip, &mut random, &run);
        // In the middle of requests, too.
        chip.give_address(registers::LEAVES.address);
        chip.give_read(registers::ID.address);
        for _ in 0..random.below(4) {
            chip.cycle().unwrap();
        }
        chip.reset().unwrap();
        assert_eq!(status(&mut chip), 0);
        assert_eq!(chip.read(stream::STATE).unwrap().data, 0);
        assert_eq!(chip.read(stream::ENABLE).unwrap().data, 0);
        run.check_good(&mut chip);
    }
}

/// After a clear: the host's own word that is on offer cannot be taken back either, and goes with its packet.
fn drop_offered(chip: &mut AxiChip, run: &Run) {
    chip.forget_input();
    if chip.input_left() == 1 {
        // It may be the last one of its packet.
        if !chip.input_ends() {
            chip.give_input(run.beat(0, 1));
        }
        write_control(chip, stream::CONTROL, stream::DISCARD);
        chip.wait("the discarded words", PATIENCE, |chip| {
            chip.input_left() == 0
        })
        .unwrap();
    }
}

/// A clear takes nothing back that is on offer, and ends the packet.
pub fn clears_end_runs(make: Make<'_>, seed: u64) {
    let mut random = Random::new(seed);
    let run = Run::tree(&mut random, large_field(), 8);
    let mut chip = make(random.next(), Pauses::default());
    let mut aborted = 0;
    let (rounds, least) = if chip.has_two_clocks() {
        (6, 1)
    } else {
        (16, 4)
    };
    for _ in 0..rounds {
        chip.pauses = Pauses::random(&mut random);
        stop_in_run(&mut chip, &mut random, &run);
        if chip.output.last().is_some_and(|beat| beat.last) {
            chip.output.clear();
        }
        clear(&mut chip);
        drop_offered(&mut chip, &run);
        let begun = !chip.output.is_empty();
        let words = end_packet(&mut chip, &run);
        assert!(
            !begun || !words.is_empty(),
            "the packet that began has no end"
        );
        aborted += usize::from(!words.is_empty());
        assert_eq!(chip.read(stream::STATE).unwrap().data, 0);
        assert_eq!(status(&mut chip) & (BUSY | DONE | ERROR), 0);
        run.check_good(&mut chip);
    }
    println!("{aborted} packets were aborted");
    assert!(aborted >= least);
}

/// Words that are no elements come while their run is cleared, and the chip knows nothing of them behind that.
pub fn clears_forget_bad_words(make: Make<'_>, seed: u64) {
    let mut random = Random::new(seed);
    let good = Run::tree(&mut random, large_field(), 4);
    let mut bad = Run::tree(&mut random, large_field(), 32);
    bad.words.fill(super::word(&super::prime(large_field())));
    let mut chip = make(random.next(), Pauses::default());
    let mut in_mid_packet = 0;
    for _ in 0..20 {
        bad.start(&mut chip, bad.words.len());
        for _ in 0..random.below(60) {
            chip.cycle().unwrap();
        }
        let left = chip.input_left();
        clear(&mut chip);
        in_mid_packet += u32::from(0 < left && left < bad.words.len());
        drop_offered(&mut chip, &bad);
        end_packet(&mut chip, &bad);
        assert_eq!(status(&mut chip) & (BUSY | DONE | ERROR), 0);
    }
    good.check_good(&mut chip);
    assert!(in_mid_packet > 8, "{in_mid_packet} in mid-packet");
}

/// Discarding, and its end by the host.
pub fn packets_are_discarded(make: Make<'_>, seed: u64) {
    let mut random = Random::new(seed);
    let run = Run::tree(&mut random, large_field(), 4);
    let mut chip = make(random.next(), Pauses::random(&mut random));
    let control = |chip: &mut AxiChip, value| {
        chip.write(stream::CONTROL, value, ALL_STROBES)
            .unwrap()
            .refused
    };
    // Nothing is taken while no run wants it.
    for index in 0..7 {
        chip.give_input(run.beat(index, 7));
    }
    for _ in 0..50 {
        chip.cycle().unwrap();
    }
    assert_eq!(chip.input_left(), 7);
    assert!(!control(&mut chip, stream::DISCARD));
    chip.wait("the packet", PATIENCE, |chip| chip.input_left() == 0)
        .unwrap();
    // With two clocks the core has the last word some time later.
    while chip.has_two_clocks() && chip.read(stream::CONTROL).unwrap().data != 0 {}
    assert_eq!(chip.read(stream::CONTROL).unwrap().data, 0);
    // Not before a packet comes, and ended.
    assert!(!control(&mut chip, stream::DISCARD));
    assert_eq!(chip.read(stream::STATE).unwrap().data, stream::DISCARDING);
    assert!(!control(&mut chip, 0));
    assert_eq!(chip.read(stream::STATE).unwrap().data, 0);
    run.check_good(&mut chip);
    // Not the packet that a run takes.
    run.start(&mut chip, 0);
    assert_eq!(
        chip.read(stream::STATE).unwrap().data & stream::INPUT_OPEN,
        stream::INPUT_OPEN
    );
    assert!(control(&mut chip, stream::DISCARD));
    for index in 0..run.words.len() {
        chip.give_input(run.beat(index, run.words.len()));
    }
    let output = Run::finish(&mut chip);
    run.check(&output, false);
}

/// A start while words are discarded: the run takes the packet behind the one that is dropped.
pub fn starts_wait_for_discards(make: Make<'_>, seed: u64) {
    let mut random = Random::new(seed);
    let run = Run::tree(&mut random, large_field(), 4);
    let mut chip = make(random.next(), Pauses::default());
    // Words of the packet that is dropped, and those of them that come before the start.
    let give = |chip: &mut AxiChip, words: std::ops::Range<usize>, length: usize| {
        for index in words {
            chip.give_input(run.beat(index, length));
        }
    };
    let length = run.words.len();
    for dropped in [1, 2, 9, 40] {
        let early = random.below(dropped as u64) as usize;
        println!("{early} of {dropped} words before the start");
        chip.pauses = Pauses::random(&mut random);
        run.configure(&mut chip);
        write_control(&mut chip, stream::CONTROL, stream::DISCARD);
        give(&mut chip, 0..early, dropped);
        chip.takes_output = true;
        write_control(&mut chip, registers::CONTROL.address, START);
        let state = chip.read(stream::STATE).unwrap().data;
        assert_eq!(state, stream::INPUT_OPEN | stream::DISCARDING);
        give(&mut chip, early..dropped, dropped);
        give(&mut chip, 0..length, length);
        let output = Run::finish(&mut chip);
        run.check(&output, false);
        chip.takes_output = false;
        assert_eq!(chip.input_left(), 0);
        assert_eq!(chip.read(stream::EVENTS).unwrap().data, 0);
        assert_eq!(chip.stream_state(), 0);
    }
    // The rest of a packet that was too long, from a source that is slow with it.
    for more in [1, 2, 7, 30] {
        let early = random.below(more as u64) as usize;
        println!("{early} of {more} words too much before the start");
        chip.pauses = Pauses::random(&mut random);
        run.start(&mut chip, 0);
        give(&mut chip, 0..length + early, length + more);
        let output = Run::finish(&mut chip);
        run.check(&output, true);
        assert_eq!(chip.stream_state(), stream::DISCARDING);
        assert_eq!(chip.read(stream::EVENTS).unwrap().data, stream::LATE_LAST);
        write_control(&mut chip, stream::EVENTS, stream::LATE_LAST);
        write_control(&mut chip, registers::CONTROL.address, START);
        give(&mut chip, length + early..length + more, length + more);
        give(&mut chip, 0..length, length);
        let output = Run::finish(&mut chip);
        run.check(&output, false);
        chip.takes_output = false;
        assert_eq!(chip.input_left(), 0);
        assert_eq!(chip.read(stream::EVENTS).unwrap().data, 0);
        assert_eq!(chip.stream_state(), 0);
    }
    run.check_good(&mut chip);
}

/// Discards one behind the other, the later one at any time around the last word of the packet: it is for that
/// packet or the next one, and ends.
pub fn discards_follow_one_another(make: Make<'_>, seed: u64) {
    let mut random = Random::new(seed);
    let run = Run::tree(&mut random, large_field(), 2);
    let mut chip = make(random.next(), Pauses::default());
    let (mut same, mut next) = (0, 0);
    for round in 0..120 {
        write_control(&mut chip, stream::CONTROL, stream::DISCARD);
        // The last word of the packet, and the write, of which either is the earlier one.
        let (word_after, write_after) = match round % 24 {
            late @ 0..12 => (late, 0),
            late => (0, late - 12),
        };
        for cycle in 0..12 {
            if cycle == word_after {
                chip.give_input(run.beat(0, 1));
            }
            if cycle == write_after {
                chip.give_address(stream::CONTROL);
                chip.give_data(stream::DISCARD, ALL_STROBES);
            }
            chip.cycle().unwrap();
        }
        assert!(!chip.write_answer().unwrap().refused);
        chip.wait("the packet", PATIENCE, |chip| chip.input_left() == 0)
            .unwrap();
        for _ in 0..20 {
            chip.cycle().unwrap();
        }
        if chip.read(stream::CONTROL).unwrap().data == 0 {
            same += 1;
        } else {
            next += 1;
            chip.give_input(run.beat(0, 1));
            chip.wait("the next packet", PATIENCE, |chip| chip.input_left() == 0)
                .unwrap();
            chip.wait_for_discard();
        }
    }
    println!("{same} for the same packet, {next} for the next one");
    assert!(same > 0 && next > 0);
    run.check_good(&mut chip);
}

/// Packets of one word that wait to be discarded: with a bus that is much faster than the core each is through as the
/// core hears that it comes.
pub fn packets_of_a_word_are_discarded(make: Make<'_>, seed: u64) {
    let mut random = Random::new(seed);
    let run = Run::tree(&mut random, large_field(), 2);
    let mut chip = make(random.next(), Pauses::default());
    for _ in 0..40 {
        chip.give_input(run.beat(0, 1));
        for _ in 0..random.below(20) {
            chip.cycle().unwrap();
        }
        write_control(&mut chip, stream::CONTROL, stream::DISCARD);
        chip.wait("the packet", PATIENCE, |chip| chip.input_left() == 0)
            .unwrap();
        chip.wait_for_discard();
    }
    run.check_good(&mut chip);
}

/// A write that is answered without an error.
#[track_caller]
fn write_control(chip: &mut AxiChip, address: u32, value: u32) {
    assert!(!chip.write(address, value, ALL_STROBES).unwrap().refused);
}

pub fn zeroisations_leave_nothing_in_the_streams(make: Make<'_>, seed: u64) {
    let mut random = Random::new(seed);
    let run = Run::tree(&mut random, large_field(), 4);
    let mut chip = make(random.next(), Pauses::default());
    run.check_good(&mut chip);
    let answer = chip.write(registers::CONTROL.address, ZEROISE, ALL_STROBES);
    assert!(!answer.unwrap().refused);
    chip.takes_output = true;
    for _ in 0..100 {
        if status(&mut chip) & BUSY == 0 {
            break;
        }
        for _ in 0..1000 {
            chip.cycle().unwrap();
        }
    }
    assert_eq!(status(&mut chip) & (BUSY | DONE | ZEROISED), ZEROISED);
    assert!(chip.output.is_empty());
    chip.takes_output = false;
    assert_eq!(chip.read(stream::STATE).unwrap().data, 0);
    chip.configured = None;
    run.check_good(&mut chip);
}

/// The interrupt of the core reaches the pin.
pub fn the_end_of_a_run_interrupts(make: Make<'_>, seed: u64) {
    let mut random = Random::new(seed);
    let run = Run::tree(&mut random, large_field(), 2);
    let mut chip = make(random.next(), Pauses::default());
    let done = registers::INTERRUPT_DONE.with(1);
    let answer = chip.write(registers::INTERRUPT_ENABLE.address, done, ALL_STROBES);
    assert!(!answer.unwrap().refused);
    run.start(&mut chip, run.words.len());
    assert!(!chip.interrupt());
    let output = Run::finish(&mut chip);
    run.check(&output, false);
    chip.cycle().unwrap();
    if chip.has_two_clocks() {
        chip.wait("the interrupt", 100, AxiChip::interrupt).unwrap();
    }
    assert!(chip.interrupt());
    let answer = chip.write(registers::INTERRUPT_STATUS.address, done, ALL_STROBES);
    assert!(!answer.unwrap().refused);
    assert!(!chip.interrupt());
}

// ---- What meets the end of a run ---------------------------------------------------------------------

/// How many of the clears end a run before it has ended, and how many acknowledgements come before its event, until
/// commands are given no earlier.
const AHEAD: u64 = 8;

/// Clears, acknowledgements of the interrupt and the last word of a packet that is too long, each given in every
/// cycle around the end of a run: the run ends well, is void or is aborted, and the next one is good.
pub fn commands_meet_the_end_of_a_run(make: Make<'_>, seed: u64) {
    let mut random = Random::new(seed);
    let run = Run::tree(&mut random, FieldId::Goldilocks, 2);
    let length = run.words.len();
    let mut chip = make(random.next(), Pauses::default());
    let done = registers::INTERRUPT_DONE.with(1);
    run.configure(&mut chip);
    write_control(&mut chip, registers::INTERRUPT_ENABLE.address, done);
    run.start(&mut chip, length);
    let began = chip.cycles();
    run.check(&Run::finish(&mut chip), false);
    let cycles = chip.cycles() - began;
    let run_to = |chip: &mut AxiChip, early| {
        for _ in 0..cycles - early {
            chip.cycle().unwrap();
        }
    };
    // Cycles from a command to the last word on the bus.
    let mut early = 0;
    let (mut aborted, mut kept) = (0, 0);
    while aborted < AHEAD || kept < AHEAD {
        // The event stays that comes with its acknowledgement, or behind it.
        write_control(&mut chip, registers::INTERRUPT_STATUS.address, done);
        run.start(&mut chip, length);
        run_to(&mut chip, early);
        chip.give_address(registers::INTERRUPT_STATUS.address);
        chip.give_data(done, ALL_STROBES);
        run.check(&Run::finish(&mut chip), false);
        assert!(!chip.write_answer().unwrap().refused);
        let pending = chip.read(registers::INTERRUPT_STATUS.address).unwrap().data & done;
        assert_eq!(status(&mut chip) & (BUSY | DONE), DONE);
        kept += u64::from(pending != 0);

        // A clear: the packet is whole, or ends with an abort word.
        run.start(&mut chip, length);
        run_to(&mut chip, early);
        clear(&mut chip);
        let words = end_packet_or_run(&mut chip, &run, true);
        assert!(!words.is_empty());
        aborted += u64::from(words[words.len() - 1].is_aborted());
        assert_eq!(status(&mut chip) & (BUSY | DONE | ERROR), 0);
        assert_eq!(chip.stream_state(), 0);

        // A packet with a word too much, which the run has inside when it ends, or takes, or not.
        run.start(&mut chip, 0);
        for index in 0..length {
            chip.give_input(run.beat(index, usize::MAX));
        }
        run_to(&mut chip, early);
        chip.give_input(run.beat(length, length + 1));
        run.check(&Run::finish(&mut chip), true);
        chip.wait("the word too much", PATIENCE, |chip| chip.input_left() == 0)
            .unwrap();
        chip.takes_output = false;
        assert_eq!(chip.read(stream::EVENTS).unwrap().data, stream::LATE_LAST);
        write_control(&mut chip, stream::EVENTS, stream::LATE_LAST);
        chip.wait_for_discard();
        assert_eq!(chip.stream_state(), 0);
        early += 1;
    }
    println!("of {early}: {aborted} aborted, {kept} events kept");
    assert!(aborted < early && kept < early, "none is behind the end");

    // A clear while words wait that the core has no room for.
    let run = Run::tree(&mut random, FieldId::Goldilocks, 32);
    run.start(&mut chip, run.words.len());
    chip.takes_output = false;
    for _ in 0..cycles {
        chip.cycle().unwrap();
    }
    clear(&mut chip);
    drop_offered(&mut chip, &run);
    chip.wait_for_discard();
    end_packet(&mut chip, &run);
    run.check_good(&mut chip);
}

// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! Hash engines of every size, one or two full-round and one to six partial-round sub-engines: digests,
//! occupation of the sub-engines, and cycles per hash in the steady state.

mod common;

use acclmt_driver::device::{Device, NoProgress};
use acclmt_driver::program::{self, ChipConstant, ChipProgram, SUB_ENGINES};
use acclmt_driver::software::SoftwareDevice;
use acclmt_poseidon::fields::{AnyParameters, FieldId};
use acclmt_poseidon::random::{self, Ranges};
use acclmt_poseidon::word::Word;
use acclmt_tb::large_field;
use acclmt_verilated::{Bench, BenchKind};
use common::engine::{REGISTERS, limits, register_values, scaled};
use common::{Random, elements, seed};

/// Control bits of the packed input of tb/rtl/acclmt_tb_engines.sv.
const CLEAR: u32 = 1 << 4;
const CONSTANT: u32 = 1 << 5;
const WORD_VALID: u32 = 1 << 6;
const DIGEST_READY: u32 = 1 << 7;
const TAG_LSB: u32 = 8;
const GOLDILOCKS: u32 = 1 << 16;
const LAST_WORD: u32 = 1 << 17;
/// Flags of the packed output.
const READY: u32 = 1 << 0;
const VALID: u32 = 1 << 1;
const LAST: u32 = 1 << 2;
const IDLE: u32 = 1 << 3;
const BUSY_LSB: u32 = 4;
const OUTPUT_TAG_LSB: u32 = 12;

/// Clock cycles without a digest after which an engine has stopped.
const PATIENCE: u64 = 100_000;

/// One of the engines.
struct Engine<'a> {
    bench: &'a mut Bench,
    select: u32,
    field: u32,
    registers: [u32; REGISTERS],
}

/// What a run of hashes gave.
struct Run {
    digests: Vec<Word>,
    /// The cycle in which each digest was complete.
    ends: Vec<u64>,
    busy: [u64; SUB_ENGINES],
    /// Cycles from the first digest to the last input word, in which the engine is full, and in how many of
    /// them each sub-engine was busy.
    full: u64,
    busy_while_full: [u64; SUB_ENGINES],
}

impl Engine<'_> {
    /// A clock cycle; returns the digest word and the flags.
    fn cycle(&mut self, control: u32, address: u32, data: &Word) -> (Word, u32) {
        let mut input = vec![self.select | self.field | control, address];
        let (chunks, _) = data.as_chunks::<4>();
        input.extend(chunks.iter().map(|bytes| u32::from_le_bytes(*bytes)));
        input.extend(self.registers);
        let output = self.bench.run(&input).expect("no assertion fails");
        let mut word = Word::default();
        for (bytes, value) in word.as_chunks_mut::<4>().0.iter_mut().zip(&output) {
            *bytes = value.to_le_bytes();
        }
        (word, output[8])
    }

    fn load(&mut self, program: &ChipProgram) {
        self.registers = register_values(&program.registers);
        self.field = if program.registers.field == program::GOLDILOCKS {
            GOLDILOCKS
        } else {
            0
        };
        self.cycle(CLEAR, 0, &Word::default());
        for constant in &program.constants {
            let ChipConstant {
                sub_engine,
                bank,
                index,
                word,
                ..
            } = constant;
            let address = u32::from(*index) | u32::from(*bank) << 8 | u32::from(*sub_engine) << 16;
            self.cycle(CONSTANT, address, word);
        }
        // The last write is known in every register before hashes come.
        for _ in 0..2 {
            self.cycle(0, 0, &Word::default());
        }
    }

    /// Hashes words as fast as they are taken. `stall` of 16 cycles pass without input or output.
    fn hash(
        &mut self,
        program: &ChipProgram,
        words: &[Word],
        random: &mut Random,
        stall: u64,
    ) -> Run {
        let (input_words, output_words) = (program.input_words(), program.output_words());
        let hashes = words.len() / input_words;
        let mut run = Run {
            digests: Vec::new(),
            ends: Vec::new(),
            busy: [0; SUB_ENGINES],
            full: 0,
            busy_while_full: [0; SUB_ENGINES],
        };
        let (mut taken, mut last_end) = (0, 0);
        let mut offered = false;
        for cycle in 0_u64.. {
            assert!(
                cycle < last_end + PATIENCE,
                "{} of {hashes} hashes ended, {taken} of {} words taken",
                run.ends.len(),
                words.len()
            );
            // A word that was offered stays offered.
            offered = taken < words.len() && (offered || random.below(16) >= stall);
            let ready = random.below(16) >= stall;
            let mut control = 0;
            let mut data = Word::default();
            if offered {
                let tag = (taken / input_words) as u32 & 0xFF;
                control |= WORD_VALID | tag << TAG_LSB;
                if (taken + 1).is_multiple_of(input_words) {
                    control |= LAST_WORD;
                }
                data = words[taken];
            }
            if ready {
                control |= DIGEST_READY;
            }
            let (word, flags) = self.cycle(control, 0, &data);
            let is_full = !run.ends.is_empty() && taken < words.len();
            run.full += u64::from(is_full);
            for engine in 0..SUB_ENGINES {
                let busy = u64::from(flags >> BUSY_LSB >> engine & 1);
                run.busy[engine] += busy;
                run.busy_while_full[engine] += busy * u64::from(is_full);
            }
            if offered && flags & READY != 0 {
                taken += 1;
                offered = false;
            }
            if ready && flags & VALID != 0 {
                let tag = flags >> OUTPUT_TAG_LSB & 0xFF;
                assert_eq!(tag, run.ends.len() as u32 & 0xFF, "hashes change places");
                run.digests.push(word);
                let is_last = run.digests.len().is_multiple_of(output_words);
                assert_eq!(flags & LAST != 0, is_last, "the end of a digest");
                if is_last {
                    run.ends.push(cycle);
                    last_end = cycle;
                }
            }
            if run.ends.len() == hashes {
                break;
            }
        }
        let (_, flags) = self.cycle(0, 0, &Word::default());
        assert_ne!(flags & IDLE, 0, "hashes stay inside");
        run
    }
}

/// Random parameters with four full rounds at both ends.
fn parameters(field: FieldId, seed: u64, width: usize, partial_rounds: usize) -> AnyParameters {
    let ranges = Ranges {
        widths: width..=width,
        full_rounds: 4..=4,
        partial_rounds: partial_rounds..=partial_rounds,
        ..Ranges::default()
    };
    random::any_parameters(field, seed, &ranges).expect("every field has an exponent")
}

/// Hashes on an engine and with the reference.
fn check(
    engine: &mut Engine<'_>,
    parameters: &AnyParameters,
    program: &ChipProgram,
    count: usize,
    random: &mut Random,
    stall: u64,
) -> Run {
    let field = parameters.field();
    let inputs: Vec<Vec<Word>> = (0..count)
        .map(|_| elements(random, field, parameters.inputs()))
        .collect();
    let words: Vec<Word> = program
        .pack_inputs(&inputs.concat())
        .iter()
        .map(|word| scaled(field, word, true))
        .collect();
    let run = engine.hash(program, &words, random, stall);
    let digests: Vec<Word> = run
        .digests
        .iter()
        .map(|word| scaled(field, word, false))
        .collect();
    let expected = SoftwareDevice::new()
        .hash(parameters, &inputs, &mut NoProgress)
        .unwrap();
    let name = parameters.name();
    assert_eq!(program.unpack_outputs(&digests), expected.digests, "{name}");
    let busy = program.busy().map(|cycles| (cycles * count) as u64);
    assert_eq!(run.busy, busy, "{name}");
    run
}

fn check_engine(bench: &mut Bench, seed: u64, num_full: usize, num_partial: usize) {
    let mut random = Random::new(seed);
    let limits = limits(num_full, num_partial);
    let mut engine = Engine {
        bench,
        select: (6 * (num_full - 1) + num_partial - 1) as u32,
        field: 0,
        registers: [0; REGISTERS],
    };
    for (field, width, partial_rounds) in [
        (large_field(), 3, 55),
        (large_field(), 5, 56),
        (large_field(), 12, 48),
        (FieldId::Goldilocks, 12, 22),
    ] {
        let parameters = parameters(field, seed, width, partial_rounds);
        let program = ChipProgram::compile(&parameters, &limits).unwrap();
        engine.load(&program);
        check(&mut engine, &parameters, &program, 5, &mut random, 8);
        // A hash keeps the busiest sub-engine busy for the period, so the share of cycles in which that
        // one is busy tells the cycles per hash, whatever batches the hashes leave in.
        let period = program.period();
        let run = check(
            &mut engine,
            &parameters,
            &program,
            24_000 / period,
            &mut random,
            0,
        );
        let busiest = run.busy_while_full.iter().max().unwrap();
        let steady = (period as u64 * run.full) as f64 / *busiest as f64;
        println!(
            "{num_full} full, {num_partial} partial, {}: {steady:.2} cycles a hash, {period} by the \
             formula",
            parameters.name()
        );
        // A full-round sub-engine with one visit has no more places in its output buffer than states in its
        // loop, so that hardly any may wait there (docs/architecture.md).
        let tolerance = if num_full == 2 { 0.11 } else { 0.04 };
        assert!((steady / period as f64 - 1.0).abs() <= tolerance);
    }
}

#[test]
fn engines_with_one_full_round_sub_engine() {
    let seed = seed(71);
    let mut bench = Bench::new(BenchKind::Engines, seed as u32);
    for num_partial in 1..=6 {
        check_engine(&mut bench, seed, 1, num_partial);
    }
}

#[test]
fn engines_with_two_full_round_sub_engines() {
    let seed = seed(72);
    let mut bench = Bench::new(BenchKind::Engines, seed as u32);
    for num_partial in 1..=6 {
        check_engine(&mut bench, seed, 2, num_partial);
    }
}

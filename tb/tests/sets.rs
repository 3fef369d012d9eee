// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! A hash engine that mixes parameter sets: every digest is that of its set, digests of a set keep their
//! order, a mixture takes no more time than its hashes one after the other, and the model shows the same in every
//! clock cycle.

mod common;

use std::collections::VecDeque;

use acclmt_driver::device::{Device, NoProgress};
use acclmt_driver::messages::hash_messages_with;
use acclmt_driver::program::{
    self, Bases, ChipConstant, ChipProgram, ChipRegisters, ChipRows, EngineLimits, PASS_BANK,
    SUB_ENGINES,
};
use acclmt_driver::software::SoftwareDevice;
use acclmt_model::{Hash, MixedEngine, MixedOutput, MixedWord};
use acclmt_poseidon::dispatch;
use acclmt_poseidon::fields::{AnyParameters, FieldId};
use acclmt_poseidon::random::{self, Ranges};
use acclmt_poseidon::sponge::{Absorption, Capacity, Padding, Sponge};
use acclmt_poseidon::word::Word;
use acclmt_tb::large_field;
use acclmt_verilated::{Bench, BenchKind, RUNTIME_MODULUS};
use common::engine::{register_values, scaled};
use common::{Random, elements, has_chains, seed};

/// Parameter sets of the engine of tb/rtl/acclmt_tb_sets.sv, and its packed input.
const SETS: usize = 3;
const CLEAR: u32 = 1 << 0;
const CONSTANT: u32 = 1 << 1;
const WORD_VALID: u32 = 1 << 2;
const DIGEST_READY: u32 = 1 << 3;
const LAST_WORD: u32 = 1 << 4;
const GOLDILOCKS: u32 = 1 << 5;
const CONTINUES: u32 = 1 << 6;
const FIRST_BLOCK: u32 = 1 << 7;
const PAYLOAD_LSB: u32 = 8;
const SET_LSB: u32 = 16;
const OVERWRITE: u32 = 1 << 18;
const IN_USE_LSB: u32 = 20;
/// Flags of the packed output.
const READY: u32 = 1 << 0;
const VALID: u32 = 1 << 1;
const LAST: u32 = 1 << 2;
const IDLE: u32 = 1 << 3;
const BUSY_LSB: u32 = 4;
const OUTPUT_PAYLOAD_LSB: u32 = 12;
const OUTPUT_SET_LSB: u32 = 20;

/// Clock cycles without a digest after which the engine has stopped.
const PATIENCE: u64 = 20_000;

/// The limits of the engine.
fn limits() -> EngineLimits {
    EngineLimits {
        matrix_depth: 64,
        ..common::engine::limits(1, 4)
    }
}

/// What a set does.
struct Set {
    parameters: AnyParameters,
    program: ChipProgram,
    /// Its leaves are rows of blocks.
    rows: Option<(ChipRows, Sponge)>,
}

impl Set {
    fn new(parameters: &AnyParameters) -> Self {
        Self {
            parameters: parameters.clone(),
            program: ChipProgram::compile(parameters, &limits()).expect("the set fits alone"),
            rows: None,
        }
    }

    /// Rows of `blocks` whole blocks.
    fn of_rows(parameters: &AnyParameters, absorption: Absorption, blocks: usize) -> Self {
        let sponge = Sponge {
            rate_positions: (1..parameters.width()).collect(),
            absorption,
            padding: Padding::None,
            capacity: Capacity::InitialState,
            permute_empty: false,
            short_rows_are_digests: false,
        };
        let rows = ChipRows::compile(parameters, &sponge, blocks * sponge.rate(), &limits());
        let rows = rows
            .expect("the set fits alone")
            .expect("a row has a block");
        Self {
            parameters: parameters.clone(),
            program: rows.program.clone(),
            rows: Some((rows, sponge)),
        }
    }

    /// Beats of a state, and steps of a matrix.
    fn beats(&self) -> usize {
        self.program.shape().beats()
    }

    fn steps(&self) -> usize {
        let chunks = self.parameters.width().div_ceil(3);
        self.beats() * chunks.div_ceil(2)
    }

    fn recurrence(&self) -> bool {
        self.program.registers.order() != 0
    }

    /// What it has of each memory: steps of matrices, beats of constant vectors, beats of partial rounds, passes.
    fn entries(&self) -> [usize; 4] {
        let registers = &self.program.registers;
        let partial = registers.partial_rounds.map(|rounds| rounds as usize);
        let is_poseidon2 = dispatch!(&self.parameters, set => set.has_partial_matrix());
        let matrices = if is_poseidon2 {
            4
        } else if self.recurrence() {
            3
        } else {
            1
        };
        // A vector for each pass, and that of a beat of the digest alone.
        let vectors = (registers.passes[0] + registers.passes[1]) as usize + 1;
        let most = partial[1..SUB_ENGINES - 1].iter().max().expect("not empty");
        let table = (self.program.constants.iter())
            .filter(|constant| (constant.sub_engine, constant.bank) == (0, PASS_BANK));
        [
            matrices * self.steps(),
            vectors * self.beats(),
            most * self.beats(),
            table.count(),
        ]
    }
}

/// A stream of words that belong to a set, hash by hash.
struct Stream {
    words: VecDeque<(Word, u32)>,
    expected: Vec<Vec<Word>>,
}

/// The engine with its sets.
struct Engine<'a> {
    bench: &'a mut Bench,
    sets: &'a [Set],
    control: u32,
    registers: Vec<u32>,
    model: MixedEngine,
    busy: [u64; SUB_ENGINES],
}

struct Run {
    cycles: u64,
    /// Cycles from the first digest to the last word, and the periods of the hashes that ended in them.
    full: u64,
    work: f64,
}

impl<'a> Engine<'a> {
    fn new(bench: &'a mut Bench, sets: &'a [Set]) -> Self {
        let goldilocks = sets[0].program.registers.field == program::GOLDILOCKS;
        let in_use = (1 << sets.len()) - 1;
        let mut engine = Self {
            bench,
            sets,
            control: in_use << IN_USE_LSB | if goldilocks { GOLDILOCKS } else { 0 },
            registers: Vec::new(),
            model: model(sets),
            busy: [0; SUB_ENGINES],
        };
        let mut bases = [0; 4];
        let mut all_bases = Vec::new();
        for number in 0..SETS {
            // A set that is not in use has registers of its own, which nothing may look at.
            let set = sets.get(number).unwrap_or(&sets[0]);
            let [matrix, constant, partial, passes] = bases.map(|base| base as u8);
            engine.registers.extend(register_values(&ChipRegisters {
                partial_base: partial.into(),
                ..set.program.registers
            }));
            all_bases.push(Bases {
                matrix,
                constant,
                passes: [passes, 0],
                partial,
            });
            for (base, entries) in bases.iter_mut().zip(set.entries()) {
                *base += if number < sets.len() { entries } else { 0 };
            }
        }
        engine.cycle(CLEAR, 0, &Word::default());
        for (number, set) in sets.iter().enumerate() {
            for constant in &set.program.constants {
                let constant = constant.placed(number, &all_bases[number]);
                let ChipConstant {
                    sub_engine,
                    bank,
                    index,
                    word,
                    ..
                } = constant.expect("the constants of all sets fit");
                let address = u32::from(index) | u32::from(bank) << 8 | u32::from(sub_engine) << 16;
                engine.cycle(CONSTANT, address, &word);
            }
        }
        // The last write is known in every register before hashes come; the grid of the slots begins here.
        engine.cycle(0, 0, &Word::default());
        engine.cycle(CLEAR, 0, &Word::default());
        engine
    }

    /// A clock cycle of a run, in which the model does the same.
    fn compared_cycle(&mut self, cycle: u64, control: u32, data: &Word) -> (Word, u32) {
        let (word, flags) = self.cycle(control, 0, data);
        let hash = |set: u32, continues, payload| Hash {
            set: set as usize & 3,
            continues,
            payload: payload & 0xFF,
        };
        let offered = (control & WORD_VALID != 0).then(|| MixedWord {
            first_block: control & FIRST_BLOCK != 0,
            end: control & LAST_WORD != 0,
            hash: hash(
                control >> SET_LSB,
                control & CONTINUES != 0,
                control >> PAYLOAD_LSB,
            ),
        });
        let expected = self.model.cycle(offered, control & DIGEST_READY != 0);
        let set = flags >> OUTPUT_SET_LSB;
        let found = MixedOutput {
            ready: flags & READY != 0,
            digest: (flags & VALID != 0).then(|| {
                (
                    hash(set, false, flags >> OUTPUT_PAYLOAD_LSB),
                    flags & LAST != 0,
                )
            }),
        };
        assert_eq!(found, expected, "cycle {cycle}");
        let busy = self.model.busy();
        for (number, busy) in busy.iter().enumerate() {
            self.busy[number] += u64::from(flags >> BUSY_LSB >> number & 1);
            assert_eq!(
                self.busy[number], *busy,
                "sub-engine {number}, cycle {cycle}"
            );
        }
        (word, flags)
    }

    /// A clock cycle; returns the digest word and the flags.
    fn cycle(&mut self, control: u32, address: u32, data: &Word) -> (Word, u32) {
        let mut input = vec![self.control | control, address];
        let (chunks, _) = data.as_chunks::<4>();
        input.extend(chunks.iter().map(|bytes| u32::from_le_bytes(*bytes)));
        input.extend(&self.registers);
        let output = self.bench.run(&input).expect("no assertion fails");
        let mut word = Word::default();
        for (bytes, value) in word.as_chunks_mut::<4>().0.iter_mut().zip(&output) {
            *bytes = value.to_le_bytes();
        }
        (word, output[8])
    }

    /// The words of `count` hashes (or rows) of a set, with their control bits, and their digests.
    fn stream(&self, number: usize, count: usize, random: &mut Random) -> Stream {
        let set = &self.sets[number];
        let field = set.parameters.field();
        let mut software = SoftwareDevice::new();
        let label = |hash: usize, continues, first| {
            let mut control = (hash as u32 & 0xFF) << PAYLOAD_LSB | (number as u32) << SET_LSB;
            control |= if continues { CONTINUES } else { 0 };
            control |= if first { FIRST_BLOCK } else { 0 };
            control
        };
        let mut labels = Vec::new();
        let in_block = set.program.input_words();
        let (packed, expected) = if let Some((rows, sponge)) = &set.rows {
            let group = 1 + random.below(12) as usize;
            let rows = rows.clone().with_group(group).expect("a small group");
            let inputs: Vec<Vec<Word>> = (0..count)
                .map(|_| elements(random, field, rows.length()))
                .collect();
            let overwrite = match sponge.absorption {
                Absorption::Add | Absorption::AddClosed => 0,
                Absorption::Overwrite | Absorption::OverwriteChained => OVERWRITE,
            };
            let blocks = rows.blocks();
            for first in (0..count).step_by(group) {
                for block in 0..blocks {
                    for row in first..(first + group).min(count) {
                        let label = label(row, block + 1 != blocks, block == 0) | overwrite;
                        labels.extend(std::iter::repeat_n(label, in_block));
                    }
                }
            }
            let expected =
                hash_messages_with(&mut software, &set.parameters, sponge, &inputs).unwrap();
            (rows.pack(&inputs), expected)
        } else {
            let inputs: Vec<Vec<Word>> = (0..count)
                .map(|_| elements(random, field, set.parameters.inputs()))
                .collect();
            for hash in 0..count {
                labels.extend(std::iter::repeat_n(label(hash, false, true), in_block));
            }
            let expected = software
                .hash(&set.parameters, &inputs, &mut NoProgress)
                .unwrap();
            (set.program.pack_inputs(&inputs.concat()), expected.digests)
        };
        assert_eq!(packed.len(), labels.len());
        let words = packed.iter().zip(labels).enumerate();
        let words = words.map(|(index, (word, label))| {
            let is_last = (index + 1).is_multiple_of(in_block);
            let label = label | if is_last { LAST_WORD } else { 0 };
            (scaled(field, word, true), label)
        });
        Stream {
            words: words.collect(),
            expected,
        }
    }

    /// Hashes `counts` hashes of the sets, which come in random order in the proportion of what is left of
    /// them. `stall` of 16 cycles pass without input or output.
    fn hash(&mut self, counts: &[usize], random: &mut Random, stall: u64) -> Run {
        let mut streams: Vec<Stream> = (0..counts.len())
            .map(|number| self.stream(number, counts[number], random))
            .collect();
        let mut digests: Vec<Vec<Word>> = vec![Vec::new(); counts.len()];
        let mut ended = vec![0; counts.len()];
        let (mut full, mut work, mut last_end) = (0, 0.0, 0);
        let mut current: Option<usize> = None;
        let mut offered = false;
        for cycle in 0_u64.. {
            assert!(
                cycle < last_end + PATIENCE,
                "{ended:?} of {counts:?} hashes ended"
            );
            let left: u64 = streams.iter().map(|stream| stream.words.len() as u64).sum();
            if current.is_none() && left != 0 {
                let mut choice = random.below(left);
                current = streams.iter().position(|stream| {
                    let words = stream.words.len() as u64;
                    let is_chosen = choice < words;
                    choice = choice.saturating_sub(words);
                    is_chosen
                });
            }
            // A word that was offered stays offered.
            offered = current.is_some() && (offered || random.below(16) >= stall);
            let ready = random.below(16) >= stall;
            let mut control = if ready { DIGEST_READY } else { 0 };
            let mut data = Word::default();
            let mut label = 0;
            if let Some(number) = current.filter(|_| offered) {
                (data, label) = streams[number].words[0];
                control |= WORD_VALID | label;
            }
            let (word, flags) = self.compared_cycle(cycle, control, &data);
            let is_full = last_end != 0 && left != 0;
            full += u64::from(is_full);
            if let Some(number) = current.filter(|_| offered && flags & READY != 0) {
                streams[number].words.pop_front();
                offered = false;
                if label & LAST_WORD != 0 {
                    current = None;
                }
            }
            if ready && flags & VALID != 0 {
                let number = (flags >> OUTPUT_SET_LSB & 3) as usize;
                let payload = flags >> OUTPUT_PAYLOAD_LSB & 0xFF;
                assert_eq!(
                    payload,
                    ended[number] & 0xFF,
                    "hashes of a set change places"
                );
                digests[number].push(word);
                let words = self.sets[number].program.output_words();
                let is_last = digests[number].len().is_multiple_of(words);
                assert_eq!(flags & LAST != 0, is_last, "the end of a digest");
                if is_last {
                    ended[number] += 1;
                    last_end = cycle;
                    if is_full {
                        work += self.sets[number].program.period() as f64;
                    }
                }
            }
            if ended
                .iter()
                .zip(counts)
                .all(|(&ended, &count)| ended as usize == count)
            {
                break;
            }
        }
        let (_, flags) = self.cycle(0, 0, &Word::default());
        assert_ne!(flags & IDLE, 0, "hashes stay inside");
        for (number, words) in digests.iter().enumerate() {
            let set = &self.sets[number];
            let field = set.parameters.field();
            let words: Vec<Word> = words
                .iter()
                .map(|word| scaled(field, word, false))
                .collect();
            let found = set.program.unpack_outputs(&words);
            let name = set.parameters.name();
            assert_eq!(found, streams[number].expected, "set {number}, {name}");
        }
        Run {
            cycles: last_end,
            full,
            work,
        }
    }
}

/// The model of the engine.
fn model(sets: &[Set]) -> MixedEngine {
    let registers: Vec<_> = sets.iter().map(|set| set.program.registers).collect();
    MixedEngine::new(&registers, 1, 4, RUNTIME_MODULUS)
}

/// Whether sets can be mixed: one exponent, rounds on the same sub-engines, and room for their constants.
fn can_be_mixed(sets: &[Set]) -> bool {
    let kind = |set: &Set| {
        let registers = &set.program.registers;
        let partial = registers.partial_rounds.map(|rounds| rounds != 0);
        (registers.alpha, set.recurrence(), partial[1..7].to_vec())
    };
    let limits = limits();
    let depths = [
        limits.matrix_depth,
        limits.constant_depth,
        limits.partial_depth,
    ];
    let fits = (0..3).all(|memory| {
        let entries: usize = sets.iter().map(|set| set.entries()[memory]).sum();
        entries <= depths[memory]
    });
    fits && sets.iter().all(|set| kind(set) == kind(&sets[0]))
}

/// Random sets of a field that can be mixed, of any widths, exponents and rounds.
fn random_sets(field: FieldId, random: &mut Random) -> Vec<Set> {
    loop {
        let exponent = *random.choose(&[3, 5, 7]);
        let widest = match random.below(2) {
            0 => program::widest(field == FieldId::Goldilocks),
            _ => 9,
        };
        let ranges = Ranges {
            widths: 2..=widest,
            exponents: vec![exponent],
            full_rounds: 1..=4,
            partial_rounds: if random.below(4) == 0 { 0..=4 } else { 4..=24 },
            ..Ranges::default()
        };
        let count = 2 + random.below(2) as usize;
        let sets: Option<Vec<Set>> = (0..count)
            .map(|_| {
                let ranges = Ranges {
                    poseidon2: random.below(4) == 0,
                    zero_corner: random.below(4) == 0,
                    ..ranges.clone()
                };
                random::any_parameters(field, random.next(), &ranges)
            })
            .map(|parameters| parameters.map(|parameters| Set::new(&parameters)))
            .collect();
        if let Some(sets) = sets.filter(|sets| can_be_mixed(sets)) {
            return sets;
        }
    }
}

/// A set of a field with four full rounds at both ends.
fn set_of(field: FieldId, seed: u64, width: usize, partial_rounds: usize) -> AnyParameters {
    let ranges = Ranges {
        widths: width..=width,
        exponents: if field == FieldId::Goldilocks {
            vec![7]
        } else {
            vec![5, 3]
        },
        full_rounds: 4..=4,
        partial_rounds: partial_rounds..=partial_rounds,
        ..Ranges::default()
    };
    // One exponent, whatever the seed.
    (seed..)
        .filter_map(|seed| random::any_parameters(field, seed, &ranges))
        .find(|parameters| field == FieldId::Goldilocks || parameters.alpha() == exponent(field))
        .expect("seeds do not end")
}

/// The exponent of the sets of a field that are no random ones.
fn exponent(field: FieldId) -> u64 {
    let is_five = |field| {
        let five = Ranges {
            exponents: vec![5],
            ..Ranges::default()
        };
        random::any_parameters(field, 1, &five).is_some()
    };
    match field {
        FieldId::Goldilocks => 7,
        field if is_five(field) => 5,
        _ => 3,
    }
}

/// Whether S-boxes of one pass permute a field, which the sets here have.
fn has_one_pass(field: FieldId) -> bool {
    !has_chains(common::pairs(field))
}

#[test]
fn mixed_sets_hash_like_each_alone() {
    let seed = seed(81);
    let mut random = Random::new(seed);
    let mut bench = Bench::new(BenchKind::Sets, seed as u32);
    for field in [large_field(), FieldId::Goldilocks] {
        if !has_one_pass(field) {
            continue;
        }
        for _ in 0..common::rounds(6) {
            let sets = random_sets(field, &mut random);
            let names: Vec<_> = sets.iter().map(|set| set.parameters.name()).collect();
            println!("{names:?}");
            let mut engine = Engine::new(&mut bench, &sets);
            let counts: Vec<usize> = (0..sets.len()).map(|_| random.below(40) as usize).collect();
            let stall = random.below(14);
            engine.hash(&counts, &mut random, stall);
        }
    }
}

#[test]
fn rows_go_round_beside_other_sets() {
    let seed = seed(82);
    let mut random = Random::new(seed);
    let mut bench = Bench::new(BenchKind::Sets, seed as u32);
    for (field, width, partial_rounds) in [
        (large_field(), 9, 14),
        (FieldId::Goldilocks, 9, 12),
        (FieldId::Goldilocks, 16, 12),
    ] {
        if !has_one_pass(field) {
            continue;
        }
        for absorption in [Absorption::Add, Absorption::Overwrite] {
            let parameters = |width| set_of(field, random_seed(seed, width), width, partial_rounds);
            let sets = [
                Set::of_rows(&parameters(width), absorption, 3),
                Set::new(&parameters(4)),
                Set::new(&parameters(12)),
            ];
            assert!(can_be_mixed(&sets));
            let mut engine = Engine::new(&mut bench, &sets);
            let stall = random.below(10);
            engine.hash(&[25, 60, 30], &mut random, stall);
        }
    }
}

fn random_seed(seed: u64, width: usize) -> u64 {
    seed.wrapping_mul(100).wrapping_add(width as u64)
}

/// The steady state of mixtures: what Filecoin mixes, and a pair of sets whose slots differ most.
#[test]
fn a_mixture_takes_no_longer_than_its_parts() {
    let seed = seed(83);
    let mut random = Random::new(seed);
    let mut bench = Bench::new(BenchKind::Sets, seed as u32);
    let large = large_field();
    for (field, widths, counts) in [
        // Columns of eleven elements under a tree of arity 8, and a top of arity 2.
        (large, vec![(12, 57), (9, 57), (3, 55)], [560, 80, 5]),
        (large, vec![(3, 55), (9, 57)], [560, 80, 0]),
        (large, vec![(12, 57), (4, 56)], [300, 600, 0]),
        (FieldId::Goldilocks, vec![(12, 22), (8, 22)], [400, 200, 0]),
        (FieldId::Goldilocks, vec![(16, 22), (8, 22)], [300, 200, 0]),
    ] {
        if !has_one_pass(field) {
            continue;
        }
        let sets: Vec<Set> = widths
            .iter()
            .map(|&(width, rounds)| {
                Set::new(&set_of(field, random_seed(seed, width), width, rounds))
            })
            .collect();
        assert!(can_be_mixed(&sets), "{widths:?}");
        let mut engine = Engine::new(&mut bench, &sets);
        let run = engine.hash(&counts[..sets.len()], &mut random, 0);
        let share = run.work / run.full as f64;
        println!(
            "{field:?}, widths {widths:?}: {} cycles, {share:.3} of the rate of the sets one after the other",
            run.cycles
        );
        assert!(share >= 0.97, "{widths:?}: {share}");
    }
}

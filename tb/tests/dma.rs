// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! Chips with DMA, with beats of 512 bits, and with beats of 256 and a clock of its own for the core: runs described in
//! memory, every error of docs/dma.md, and everything that ends a run before its time. Whatever happens, nothing
//! but outputs and records is written.
//!
//! Registers, descriptors and records are written here as docs/dma.md has them. DMA moves words of any prime
//! alike: these tests run with the default one.

#![cfg(feature = "bls12-381")]

mod common;

use std::ops::Range;

use acclmt_driver::device::{CommitRequest, LeafRule};
use acclmt_driver::registers::{self, Access, Register};
use acclmt_poseidon::fields::FieldId;
use acclmt_tb::dma::{DmaChip, Ram, Timing, Variant, WriteOrder};
use acclmt_tb::large_field;
use acclmt_verilated::{Bench, BenchKind};
use common::bits::{BUSY, CLEAR, DONE, START, ZEROISE, ZEROISED};
use common::recorded::RecordedRun;
use common::runs::{self, hardware};
use common::{Random, rounds, seed};

/// Registers, and fields of them.
const CONTROL: u32 = 0x040;
const STATUS: u32 = 0x044;
const LEAVES: u32 = 0x058;
const STREAM_CONTROL: u32 = 0x808;
const STREAM_EVENTS: u32 = 0x80C;
const STREAM_ENABLE: u32 = 0x810;
const DMA_VERSION: u32 = 0x900;
const DMA_CAPS: u32 = 0x904;
const DMA_CONTROL: u32 = 0x908;
const DMA_STATUS: u32 = 0x90C;
const DMA_RING_BASE: u32 = 0x910;
const DMA_RING_SIZE: u32 = 0x918;
const DMA_TAIL: u32 = 0x91C;
const DMA_HEAD: u32 = 0x920;
const DMA_EVENTS: u32 = 0x924;
const DMA_ENABLE: u32 = 0x928;
const DMA_ERROR: u32 = 0x92C;
const DMA_ERROR_INFO: u32 = 0x930;

const ENABLE: u32 = 1;
const RESUME: u32 = 3;
const STOPPED: u32 = 2;
const EVENT_DONE: u32 = 1;
const EVENT_STOPPED: u32 = 2;
const EVENT_REFUSED: u32 = 4;

/// Flags of a descriptor.
const INTERRUPT: u32 = 1;
const TAGGED: u32 = 2;

/// Codes of errors.
const DESCRIPTOR_READ: u32 = 1;
const RECORD_ADDRESS: u32 = 2;
const RESERVED: u32 = 3;
const INPUT_ADDRESS: u32 = 4;
const INPUT_WORDS: u32 = 5;
const OUTPUT_ADDRESS: u32 = 6;
const OUTPUT_LIMIT: u32 = 7;
const INPUT_READ: u32 = 8;
const INPUT_TOO_SHORT: u32 = 9;
const INPUT_TOO_LONG: u32 = 10;
const OUTPUT_TOO_SMALL: u32 = 11;
const OUTPUT_WRITE: u32 = 12;
const RECORD_WRITE: u32 = 13;
const START_REFUSED: u32 = 14;
const RUN_VOID: u32 = 15;

/// Codes of the core.
const ILLEGAL_CONFIGURATION: u32 = 1;
const ELEMENT_TOO_LARGE: u32 = 3;
const UNKNOWN_REGISTER: u32 = 4;

/// Bytes of the memory, and of what a test lays out in it.
const MEMORY: usize = 1 << 16;
const DESCRIPTOR: u64 = 64;
const RECORD: u64 = 32;
const WORD: u64 = 32;

/// Clock cycles within which every wait of these tests ends.
const PATIENCE: u64 = 200_000;

// ---- A host ------------------------------------------------------------------------------------------

/// A job as a host describes it.
#[derive(Clone, Copy, Debug)]
struct Job {
    flags: u32,
    tag: u32,
    input: u64,
    input_words: u64,
    output: u64,
    output_limit: u64,
    record: u64,
    reserved: u128,
}

impl Job {
    fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        bytes.extend(self.flags.to_le_bytes());
        bytes.extend(self.tag.to_le_bytes());
        for number in [
            self.input,
            self.input_words,
            self.output,
            self.output_limit,
            self.record,
        ] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(self.reserved.to_le_bytes());
        bytes
    }

    /// Bytes of an output word.
    fn stride(&self) -> u64 {
        if self.flags & TAGGED == 0 { 32 } else { 64 }
    }
}

/// The fields of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Record {
    code: u32,
    core_error: u32,
    done: bool,
    tag: u32,
    words: u64,
    cycles: u64,
    core_info: u32,
    number: u32,
}

/// A chip with DMA, the host beside it, and what the host expects to be in memory.
struct Host {
    chip: DmaChip<Ram>,
    random: Random,
    /// What is in memory if the chip does what it should.
    expected: Vec<u8>,
    /// Places of the memory that are in use.
    used: Vec<std::ops::Range<u64>>,
    ring: u64,
    log2_ring: u32,
    given: u32,
}

/// Random times of the memory and the registers' bus.
fn random_timing(random: &mut Random) -> Timing {
    let mut share = || *random.choose(&[0, 20, 128, 220]);
    let pauses = [share(), share(), share(), share(), share()];
    Timing {
        pauses,
        register_pauses: share(),
        latency: *random.choose(&[0, 3, 50, 300]),
        order: *random.choose(&[
            WriteOrder::Any,
            WriteOrder::DataFirst,
            WriteOrder::AddressFirst,
        ]),
    }
}

impl Host {
    fn new(variant: Variant, seed: u64, timing: Timing) -> Self {
        Self::with_base(variant, seed, timing, None)
    }

    /// `base` is the first address of the memory; else it is random.
    fn with_base(variant: Variant, seed: u64, timing: Timing, base: Option<u64>) -> Self {
        let mut random = Random::new(seed);
        let base = base.unwrap_or_else(|| random.next() >> 8 & !0xfff);
        let bytes: Vec<u8> = (0..MEMORY).map(|_| random.next() as u8).collect();
        let bench = Bench::new(BenchKind::Dma, seed as u32);
        let memory = Ram::new(base, bytes.clone());
        let mut chip = DmaChip::new(bench, variant, random.next(), memory, timing);
        if variant.has_two_clocks() {
            chip.clocks = *random.choose(&[(256, 256), (100, 256), (256, 100), (150, 180)]);
            println!("clocks {:?}", chip.clocks);
        }
        chip.reset().unwrap();
        let mut host = Self {
            chip,
            random,
            expected: bytes,
            used: Vec::new(),
            ring: 0,
            log2_ring: 0,
            given: 0,
        };
        // A core with a clock of its own comes out of the reset later.
        while host.chip.read_register(0).unwrap().refused {}
        host
    }

    fn read(&mut self, address: u32) -> u32 {
        let answer = self.chip.read_register(address).unwrap();
        assert!(!answer.refused, "read of 0x{address:03X}");
        answer.data
    }

    fn write(&mut self, address: u32, value: u32) {
        let answer = self.chip.write_register(address, value).unwrap();
        assert!(!answer.refused, "write of {value:#x} to 0x{address:03X}");
    }

    #[track_caller]
    fn write_refused(&mut self, address: u32, value: u32) {
        let answer = self.chip.write_register(address, value).unwrap();
        assert!(answer.refused, "write of {value:#x} to 0x{address:03X}");
        assert_eq!(self.read(DMA_EVENTS) & EVENT_REFUSED, EVENT_REFUSED);
        self.write(DMA_EVENTS, EVENT_REFUSED);
    }

    /// A free place of the memory, at a random multiple.
    fn place(&mut self, bytes: u64, multiple: u64) -> u64 {
        let base = self.chip.memory().base();
        for _ in 0..100_000 {
            let places = (MEMORY as u64 - bytes) / multiple;
            let first = base + multiple * self.random.below(places);
            // A word between two places shows what is written beyond one of them.
            let range = first..first + bytes + WORD;
            let is_free =
                |used: &std::ops::Range<u64>| used.end <= first || range.end <= used.start;
            if self.used.iter().all(is_free) {
                self.used.push(range);
                return first;
            }
        }
        panic!("no place for {bytes} bytes");
    }

    /// Stores bytes, which stay as they are.
    fn store(&mut self, address: u64, bytes: &[u8]) {
        self.chip
            .memory()
            .at(address, bytes.len())
            .copy_from_slice(bytes);
        self.expect(address, bytes);
    }

    /// What the chip should write.
    fn expect(&mut self, address: u64, bytes: &[u8]) {
        let offset = (address - self.chip.memory().base()) as usize;
        self.expected[offset..offset + bytes.len()].copy_from_slice(bytes);
    }

    /// What the chip may write: it is taken as it is.
    fn accept(&mut self, address: u64, length: u64) {
        let found = self.chip.memory().at(address, length as usize).to_vec();
        self.expect(address, &found);
    }

    #[track_caller]
    fn check_memory(&mut self) {
        let base = self.chip.memory().base();
        let found = self.chip.memory().bytes();
        let pairs = found.iter().zip(&self.expected);
        let wrong = pairs
            .enumerate()
            .find(|(_, (found, expected))| found != expected);
        if let Some((offset, (found, expected))) = wrong {
            panic!(
                "address 0x{:x} (offset 0x{offset:x}): {found:02x}, expected {expected:02x}; used: {:x?}",
                base + offset as u64,
                self.used
            );
        }
    }

    fn configure(&mut self, run: &RecordedRun) {
        let pauses = std::mem::take(&mut self.chip.timing.register_pauses);
        // A clear ends the ring.
        let writes = run.writes.iter().filter(|(address, _)| *address != CONTROL);
        for &(address, value) in writes {
            self.write(address, value);
        }
        self.chip.timing.register_pauses = pauses;
    }

    /// Lays a ring out and enables it.
    fn enable(&mut self, log2_ring: u32) {
        self.ring = self.place(DESCRIPTOR << log2_ring, DESCRIPTOR);
        self.log2_ring = log2_ring;
        self.enable_again();
    }

    fn enable_again(&mut self) {
        self.given = 0;
        self.write(DMA_RING_BASE, self.ring as u32);
        self.write(DMA_RING_BASE + 4, (self.ring >> 32) as u32);
        self.write(DMA_RING_SIZE, self.log2_ring);
        self.write(DMA_CONTROL, ENABLE);
        assert_eq!(self.read(DMA_HEAD), 0);
        assert_eq!(self.read(DMA_TAIL), 0);
        assert_eq!(self.read(DMA_ERROR), 0);
    }

    /// Behind an end that came before that of these jobs: nothing moves, and nothing but what they are for was written.
    /// The ring is enabled again, and its memory used again from the place `used`.
    fn go_on_behind_end(&mut self, jobs: &[Job], used: usize) {
        assert!(self.chip.is_quiet());
        for job in jobs {
            self.accept(job.output, job.stride() * job.output_limit);
            self.accept(job.record, RECORD);
        }
        self.check_memory();
        self.enable_again();
        self.used.truncate(used);
    }

    /// Ends the use of the ring.
    fn disable(&mut self) {
        self.write(DMA_CONTROL, 0);
        self.wait();
    }

    /// Lays the areas of a run out, with its input.
    fn job(&mut self, run: &RecordedRun, flags: u32) -> Job {
        let stride = if flags & TAGGED == 0 { 32 } else { 64 };
        let input = self.place(WORD * run.input.len() as u64, WORD);
        self.store(input, run.input.as_flattened());
        let job = Job {
            flags,
            tag: self.random.next() as u32,
            input,
            input_words: run.input.len() as u64,
            output: self.place(stride * run.output.len() as u64, stride),
            output_limit: run.output.len() as u64,
            record: self.place(RECORD, RECORD),
            reserved: 0,
        };
        assert_eq!(job.stride(), stride);
        job
    }

    /// Puts a job into the ring, at the next place.
    fn put(&mut self, job: &Job) {
        let place = self.given % (1 << self.log2_ring);
        let address = self.ring + DESCRIPTOR * u64::from(place);
        self.store(address, &job.bytes());
        self.given += 1;
    }

    /// Tells the chip of the jobs in the ring.
    fn tell(&mut self) {
        let given = self.given;
        self.write(DMA_TAIL, given);
    }

    /// Waits until the chip is not busy.
    fn wait(&mut self) {
        for _ in 0..PATIENCE / 100 {
            self.chip.run(100).unwrap();
            if self.read(DMA_STATUS) & BUSY == 0 {
                return;
            }
        }
        panic!("the DMA is still busy");
    }

    /// Gives a job and waits for its end; the number of its descriptor.
    fn run(&mut self, job: &Job) -> u32 {
        let number = self.given;
        self.put(job);
        self.tell();
        self.wait();
        number
    }

    /// The same of a job that ends well. Returns the cycles of the run.
    #[track_caller]
    fn run_good(&mut self, job: &Job, run: &RecordedRun) -> u64 {
        let number = self.run(job);
        assert_eq!(self.read(DMA_ERROR), 0);
        self.check_good(job, run, number)
    }

    fn record(&mut self, job: &Job) -> Record {
        let bytes = self.chip.memory().at(job.record, RECORD as usize).to_vec();
        let word = |at: usize| u32::from_le_bytes([0, 1, 2, 3].map(|byte| bytes[at + byte]));
        let long = |at: usize| u64::from(word(at)) | u64::from(word(at + 4)) << 32;
        assert_eq!(word(0) & 0x7fff_0000, 0, "reserved bits of the record");
        Record {
            code: word(0) & 0xff,
            core_error: word(0) >> 8 & 0xff,
            done: word(0) >> 31 == 1,
            tag: word(4),
            words: long(8),
            cycles: long(16),
            core_info: word(24),
            number: word(28),
        }
    }

    /// The descriptor has ended well: output and record are in memory. Returns the cycles of the run.
    #[track_caller]
    fn check_good(&mut self, job: &Job, run: &RecordedRun, number: u32) -> u64 {
        for (index, word) in run.output.iter().enumerate() {
            let address = job.output + job.stride() * index as u64;
            self.expect(address, &word.data);
            if job.flags & TAGGED != 0 {
                let user = u64::from(word.index) | u64::from(word.level) << 40;
                self.expect(address + 32, &user.to_le_bytes());
                self.expect(address + 40, &[0; 24]);
            }
        }
        let record = self.record(job);
        let expected = Record {
            code: 0,
            core_error: 0,
            done: true,
            tag: job.tag,
            words: run.output.len() as u64,
            cycles: record.cycles,
            core_info: 0,
            number,
        };
        assert_eq!(record, expected);
        self.accept(job.record, RECORD);
        self.check_memory();
        record.cycles
    }

    /// The descriptor was ended by an error, and the ring stands.
    #[track_caller]
    fn check_failed(&mut self, job: &Job, number: u32, code: u32) -> Option<Record> {
        assert_eq!(self.read(DMA_STATUS), STOPPED);
        assert_eq!(self.read(DMA_ERROR), code, "DMA_ERROR");
        assert_eq!(self.read(DMA_HEAD), number + 1, "DMA_HEAD");
        let events = self.read(DMA_EVENTS);
        assert_eq!(events & EVENT_STOPPED, EVENT_STOPPED);
        self.write(DMA_EVENTS, EVENT_STOPPED);
        assert!(self.chip.is_quiet());
        // The output of a run that failed is void, and within its area.
        if code >= INPUT_READ {
            self.accept(job.output, job.stride() * job.output_limit);
        }
        let has_record = ![DESCRIPTOR_READ, RECORD_ADDRESS, RECORD_WRITE].contains(&code);
        let record = has_record.then(|| {
            let record = self.record(job);
            self.accept(job.record, RECORD);
            assert_eq!((record.code, record.done), (code, true));
            assert_eq!((record.tag, record.number), (job.tag, number));
            assert!(record.words <= job.output_limit);
            if code < INPUT_READ {
                assert_eq!((record.words, record.cycles), (0, 0));
            }
            let info = self.read(DMA_ERROR_INFO);
            assert_eq!(info, record.core_error);
            record
        });
        self.check_memory();
        record
    }

    /// A good run in the next place of the ring, which stands after an error or does not.
    #[track_caller]
    fn check_usable(&mut self, run: &RecordedRun) {
        let used = self.used.len();
        let flags = *self.random.choose(&[0, TAGGED]);
        let job = self.job(run, flags);
        let number = self.given;
        // The place may be that of a descriptor that was given before the error.
        self.put(&job);
        if self.read(DMA_STATUS) & STOPPED != 0 {
            self.write(DMA_CONTROL, RESUME);
            assert_eq!(self.read(DMA_ERROR), 0);
        }
        self.tell();
        self.wait();
        assert_eq!(self.read(DMA_ERROR), 0);
        assert_eq!(self.read(DMA_HEAD), number + 1);
        self.check_good(&job, run, number);
        self.used.truncate(used);
    }
}

/// A tree of pairs over Goldilocks, whose hashes take the fewest cycles.
fn tree(random: &mut Random, leaves: u64) -> RecordedRun {
    RecordedRun::tree(random, hardware(), FieldId::Goldilocks, leaves)
}

// ---- Runs --------------------------------------------------------------------------------------------

/// The registers say what the chip is.
#[test]
fn registers_tell_the_build() {
    for (variant, caps) in [
        (Variant::WIDE, 6 | 10 << 4 | 16 << 8 | 16 << 16),
        (Variant::TWO_CLOCKS, 5 | 8 << 4 | 16 << 8 | 16 << 16),
    ] {
        let mut host = Host::new(variant, 1, Timing::default());
        assert_eq!(host.read(DMA_VERSION), 0x0000_0100);
        assert_eq!(host.read(DMA_CAPS), caps);
        for address in [
            DMA_CONTROL,
            DMA_STATUS,
            DMA_RING_BASE,
            DMA_RING_BASE + 4,
            DMA_RING_SIZE,
            DMA_TAIL,
            DMA_HEAD,
            DMA_EVENTS,
            DMA_ENABLE,
            DMA_ERROR,
            DMA_ERROR_INFO,
        ] {
            assert_eq!(host.read(address), 0, "0x{address:03X}");
        }
        // Nothing is there, and nothing can be written.
        for address in [0x934, 0x9FC] {
            assert!(host.chip.read_register(address).unwrap().refused);
        }
        for address in [DMA_VERSION, DMA_CAPS, DMA_STATUS, DMA_HEAD, DMA_ERROR] {
            assert!(host.chip.write_register(address, 0).unwrap().refused);
        }
        // That is what the core says of it.
        assert_eq!(host.read(0x048), UNKNOWN_REGISTER);
        assert_eq!(host.read(DMA_EVENTS), 0);
    }
}

/// A register that can be written keeps every value of its fields, and what is refused changes nothing.
#[test]
fn registers_keep_what_is_written() {
    let can_be_written = |register: &&Register| {
        matches!(
            register.access,
            Access::ReadWrite | Access::ReadWriteAnytime
        ) && register.address != DMA_CONTROL
    };
    for variant in Variant::SMALL {
        let mut host = Host::new(variant, 2, Timing::default());
        let mut kept = 0;
        for register in registers::all_registers().filter(can_be_written) {
            let fields = register.fields.iter().map(|field| field.with(u32::MAX));
            let fields = fields.reduce(|one, other| one | other).unwrap_or(u32::MAX);
            for address in (0..register.count).map(|position| register.at(position)) {
                // Such as levels that this chip has not.
                if host.chip.read_register(address).unwrap().refused {
                    continue;
                }
                for value in [u32::MAX, 0x5555_5555, 0xAAAA_AAAA, 0].map(|value| value & fields) {
                    let before = host.read(address);
                    let answer = host.chip.write_register(address, value).unwrap();
                    let expected = if answer.refused { before } else { value };
                    assert_eq!(
                        host.read(address),
                        expected,
                        "{} at 0x{address:03X}, written 0x{value:08X}",
                        register.name
                    );
                    kept += u32::from(!answer.refused);
                }
            }
        }
        assert!(kept > 400, "{variant:?}: {kept}");
    }
}

/// Descriptors of a ring one after another, given singly and at once, with random times of everything.
#[test]
fn rings_are_worked_through() {
    rings(seed(41), 2);
}

#[test]
#[ignore = "long: more rings"]
fn many_rings_are_worked_through() {
    rings(seed(141), rounds(5));
}

fn rings(seed: u64, rounds: u64) {
    for (number, variant) in Variant::SMALL.into_iter().enumerate() {
        let mut random = Random::new(seed + number as u64);
        for round in 0..rounds {
            let timing = match round {
                0 => Timing::default(),
                _ => random_timing(&mut random),
            };
            println!("{variant:?}, {timing:?}");
            let mut host = Host::new(variant, random.next(), timing);
            let leaves = 1 << random.below(2);
            let run = tree(&mut random, leaves);
            host.configure(&run);
            host.write(DMA_ENABLE, EVENT_DONE);
            let log2_ring = random.below(3) as u32;
            host.enable(log2_ring);
            let mut done = 0;
            while done < 4 {
                let together = 1 + random.below(1 << log2_ring) as u32;
                let mut jobs = Vec::new();
                for _ in 0..together {
                    // Other data of the same shape.
                    let flags = random.below(4) as u32;
                    let job = host.job(&run, flags);
                    host.put(&job);
                    jobs.push(job);
                }
                assert!(!host.chip.interrupt());
                host.tell();
                host.wait();
                assert_eq!(host.read(DMA_STATUS), 0);
                assert_eq!(host.read(DMA_HEAD), host.given);
                let interrupts = jobs.iter().any(|job| job.flags & INTERRUPT != 0);
                assert_eq!(host.chip.interrupt(), interrupts);
                assert_eq!(host.read(DMA_EVENTS), u32::from(interrupts));
                host.write(DMA_EVENTS, EVENT_DONE);
                assert!(!host.chip.interrupt());
                for (index, job) in jobs.iter().enumerate() {
                    // All were written before any is looked at.
                    let number = done + index as u32;
                    for (index, word) in run.output.iter().enumerate() {
                        let address = job.output + job.stride() * index as u64;
                        assert_eq!(host.chip.memory().at(address, 32), word.data);
                    }
                    let cycles = host.record(job).cycles;
                    if round == 0 && !variant.has_two_clocks() {
                        assert_eq!(cycles, run.cycles, "cycles of the run");
                    }
                    assert_eq!(host.record(job).number, number);
                }
                for (index, job) in jobs.iter().enumerate() {
                    for later in &jobs[index..] {
                        host.accept(later.output, later.stride() * later.output_limit);
                        host.accept(later.record, RECORD);
                    }
                    host.check_good(job, &run, done + index as u32);
                }
                done += together;
                host.used.truncate(1);
            }
            assert!(host.chip.is_quiet());
        }
    }
}

/// Different inputs give different outputs: every job has its own.
#[test]
fn every_descriptor_has_its_own_data() {
    let mut random = Random::new(seed(42));
    for variant in Variant::SMALL {
        let runs: Vec<_> = (0..4).map(|_| tree(&mut random, 4)).collect();
        assert!(runs.iter().all(|run| run.writes == runs[0].writes));
        let timing = random_timing(&mut random);
        let mut host = Host::new(variant, random.next(), timing);
        host.configure(&runs[0]);
        host.enable(2);
        let jobs: Vec<_> = runs.iter().map(|run| host.job(run, TAGGED)).collect();
        jobs.iter().for_each(|job| host.put(job));
        host.tell();
        host.wait();
        for job in &jobs {
            host.accept(job.output, job.stride() * job.output_limit);
            host.accept(job.record, RECORD);
        }
        for (number, (job, run)) in jobs.iter().zip(&runs).enumerate() {
            host.check_good(job, run, number as u32);
        }
    }
}

/// A memory that answers writes late: as many bursts are without an answer as may be, the buffer fills up, and the
/// core waits.
#[test]
fn late_answers_only_delay() {
    let mut random = Random::new(seed(57));
    // The chip with short bursts: the output has sixteen, which are ready some hundred cycles after one another.
    let run = tree(&mut random, 32);
    let timing = Timing {
        latency: 5000,
        ..Timing::default()
    };
    let mut host = Host::new(Variant::TWO_CLOCKS, random.next(), timing);
    host.configure(&run);
    host.enable(1);
    let job = host.job(&run, TAGGED);
    let cycles = host.run_good(&job, &run);
    assert!(cycles > run.cycles, "{cycles} cycles");
}

/// The engines are as busy as without DMA, whatever the latency of the memory: a run takes as many cycles. At
/// 500 MHz these are 200, 500 and 1,000 ns.
#[test]
fn latency_costs_no_cycles() {
    latencies(seed(43), &[2, 11], &[500]);
}

#[test]
#[ignore = "long: more arities and latencies"]
fn any_latency_costs_no_cycles() {
    latencies(seed(143), &[2, 4, 8, 11], &[100, 250, 500]);
}

fn latencies(seed: u64, large: &[usize], of_binary_trees: &[u64]) {
    let mut random = Random::new(seed);
    let mut arities = Vec::new();
    for (field, measured) in [(large_field(), large), (FieldId::Goldilocks, &[2][..])] {
        for set in runs::tree_presets(field, measured) {
            arities.push(set.arity());
            let request = CommitRequest::new(set, LeafRule::Hash(set), set.arity() as u64);
            let mut runs = vec![RecordedRun::new(&mut random, hardware(), &request, true)];
            if set.sponge().is_some() && set.arity() == 2 {
                let rule = LeafRule::Row {
                    parameters: set,
                    columns: 40,
                };
                let request = CommitRequest::new(set, rule, 4);
                runs.push(RecordedRun::new(&mut random, hardware(), &request, false));
            }
            for run in runs {
                let latencies = match (set.arity(), field == large_field()) {
                    (2, true) => of_binary_trees,
                    _ => &[500],
                };
                for &latency in latencies {
                    let timing = Timing {
                        latency,
                        ..Timing::default()
                    };
                    let mut host = Host::new(Variant::WIDE, random.next(), timing);
                    host.configure(&run);
                    host.enable(0);
                    let job = host.job(&run, TAGGED);
                    host.run(&job);
                    let cycles = host.record(&job).cycles;
                    println!(
                        "{}, latency {latency}: {} words in, {} out, {cycles} cycles, {} without DMA",
                        set.name(),
                        run.input.len(),
                        run.output.len(),
                        run.cycles
                    );
                    assert_eq!(cycles, run.cycles);
                }
            }
        }
    }
    for arity in large {
        assert!(arities.contains(arity), "arity {arity} was measured");
    }
}

/// Between two runs the answers to the output's last burst and to the record are waited for, and little else.
#[test]
fn runs_follow_each_other() {
    let mut random = Random::new(seed(53));
    let run = tree(&mut random, 1);
    for latency in [10, 100, 500] {
        let timing = Timing {
            latency,
            ..Timing::default()
        };
        let mut host = Host::new(Variant::WIDE, random.next(), timing);
        host.configure(&run);
        host.write(DMA_ENABLE, EVENT_DONE);
        host.enable(1);
        let [one, two] = [1, 2].map(|jobs| {
            for left in (0..jobs).rev() {
                let job = host.job(&run, if left == 0 { INTERRUPT } else { 0 });
                host.put(&job);
            }
            host.tell();
            let before = host.chip.cycles();
            while !host.chip.interrupt() {
                host.chip.cycle().unwrap();
                assert!(host.chip.cycles() - before < PATIENCE);
            }
            host.write(DMA_EVENTS, EVENT_DONE);
            host.chip.cycles() - before
        });
        let gap = two - one - run.cycles;
        println!("latency {latency}: {gap} cycles between two runs");
        // One of them is for the set-up of a run without a tree.
        assert_eq!(gap, 2 * latency + 19);
    }
}

// ---- Descriptors that are wrong ----------------------------------------------------------------------

#[test]
fn wrong_descriptors_are_told() {
    let mut random = Random::new(seed(44));
    for variant in Variant::SMALL {
        let run = tree(&mut random, 2);
        let timing = random_timing(&mut random);
        let mut host = Host::new(variant, random.next(), timing);
        host.configure(&run);
        host.write(DMA_ENABLE, EVENT_STOPPED);
        host.enable(1);
        let good = host.job(&run, 0);
        let tagged = host.job(&run, TAGGED);
        let top = u64::MAX - 31;
        let cases = [
            (
                RECORD_ADDRESS,
                Job {
                    record: good.record + 16,
                    ..good
                },
            ),
            // The lowest code is told.
            (
                RECORD_ADDRESS,
                Job {
                    record: good.record + 1,
                    flags: 4,
                    ..good
                },
            ),
            (RESERVED, Job { flags: 4, ..good }),
            (
                RESERVED,
                Job {
                    flags: 1 << 31,
                    input: 1,
                    ..good
                },
            ),
            (
                RESERVED,
                Job {
                    reserved: 1 << 127,
                    ..good
                },
            ),
            (
                RESERVED,
                Job {
                    reserved: 1,
                    ..good
                },
            ),
            (
                INPUT_ADDRESS,
                Job {
                    input: good.input + 8,
                    ..good
                },
            ),
            (
                INPUT_ADDRESS,
                Job {
                    input: good.input + 1,
                    input_words: 0,
                    ..good
                },
            ),
            (
                INPUT_WORDS,
                Job {
                    input_words: 0,
                    ..good
                },
            ),
            (
                INPUT_WORDS,
                Job {
                    input_words: 1 << 59,
                    ..good
                },
            ),
            // As many words as there are, from the first address on.
            (
                INPUT_WORDS,
                Job {
                    input: 0,
                    input_words: 1 << 59,
                    ..good
                },
            ),
            (
                OUTPUT_LIMIT,
                Job {
                    output: 0,
                    output_limit: 1 << 59,
                    ..good
                },
            ),
            (
                INPUT_WORDS,
                Job {
                    input_words: u64::MAX,
                    ..good
                },
            ),
            (
                INPUT_WORDS,
                Job {
                    input: top,
                    input_words: 2,
                    ..good
                },
            ),
            (
                INPUT_WORDS,
                Job {
                    input: 32,
                    input_words: (1 << 59) - 1 + 1,
                    ..good
                },
            ),
            (
                OUTPUT_ADDRESS,
                Job {
                    output: good.output + 4,
                    ..good
                },
            ),
            (
                OUTPUT_ADDRESS,
                Job {
                    output: tagged.output + 32,
                    ..tagged
                },
            ),
            (
                OUTPUT_LIMIT,
                Job {
                    output_limit: 0,
                    ..good
                },
            ),
            (
                OUTPUT_LIMIT,
                Job {
                    output_limit: 1 << 59,
                    ..good
                },
            ),
            (
                OUTPUT_LIMIT,
                Job {
                    output_limit: 1 << 58,
                    ..tagged
                },
            ),
            (
                OUTPUT_LIMIT,
                Job {
                    output_limit: u64::MAX,
                    ..tagged
                },
            ),
            (
                OUTPUT_LIMIT,
                Job {
                    output: top,
                    output_limit: 2,
                    ..good
                },
            ),
            (
                OUTPUT_LIMIT,
                Job {
                    output: u64::MAX - 63,
                    output_limit: 2,
                    ..tagged
                },
            ),
        ];
        for (code, job) in cases {
            println!("{variant:?}: {code}, {job:x?}");
            let reads = host.chip.traffic().reads;
            let number = host.run(&job);
            assert!(host.chip.interrupt());
            let record = host.check_failed(&job, number, code);
            assert!(record.is_none_or(|record| record.core_error == 0));
            // The descriptor was read, and nothing else.
            assert_eq!(host.chip.traffic().reads, reads + 1);
            host.check_usable(&run);
        }
        // An area may end with the last address, and an output may have more room than memory.
        let job = Job {
            output_limit: (1 << 59) - (good.output >> 5),
            ..good
        };
        host.run_good(&job, &run);
    }
}

/// Every bit that has to be zero, one at a time.
#[test]
fn every_bit_of_a_descriptor_is_checked() {
    let mut random = Random::new(seed(62));
    for variant in Variant::SMALL {
        let run = tree(&mut random, 1);
        let mut host = Host::new(variant, random.next(), Timing::default());
        host.configure(&run);
        host.enable(1);
        let good = host.job(&run, TAGGED);
        type Change = fn(&mut Job, u32);
        let fields: [(u32, Range<u32>, Change); 7] = [
            (RECORD_ADDRESS, 0..5, |job, bit| job.record |= 1 << bit),
            (RESERVED, 2..32, |job, bit| job.flags |= 1 << bit),
            (RESERVED, 0..128, |job, bit| job.reserved |= 1 << bit),
            (INPUT_ADDRESS, 0..5, |job, bit| job.input |= 1 << bit),
            (INPUT_WORDS, 59..64, |job, bit| job.input_words |= 1 << bit),
            (OUTPUT_ADDRESS, 0..6, |job, bit| job.output |= 1 << bit),
            (OUTPUT_LIMIT, 59..64, |job, bit| {
                job.output_limit |= 1 << bit
            }),
        ];
        let cases = fields.into_iter().flat_map(|(code, bits, set)| {
            bits.map(move |bit| {
                let mut job = good;
                set(&mut job, bit);
                (code, job)
            })
        });
        for (code, job) in cases {
            println!("{variant:?}: {code}, {job:x?}");
            let number = host.run(&job);
            host.check_failed(&job, number, code);
            host.write(DMA_CONTROL, RESUME);
        }
        host.check_usable(&run);
    }
}

/// Room for one word more than a power of two never ends before a short output.
#[test]
fn outputs_may_have_any_room() {
    let mut random = Random::new(seed(63));
    let run = tree(&mut random, 2);
    assert_eq!(run.output.len(), 3);
    // The output lies in the first bytes that there are, so that all room is in memory.
    let mut host = Host::with_base(Variant::WIDE, random.next(), Timing::default(), Some(0));
    host.configure(&run);
    host.used.push(0..WORD * 4);
    host.enable(1);
    let job = host.job(&run, 0);
    for log2_room in 1..59 {
        let job = Job {
            output: 0,
            output_limit: (1 << log2_room) + 1,
            ..job
        };
        println!("{job:x?}");
        host.run_good(&job, &run);
    }
}

/// The last word of the output finds no room in any cycle between two questions of the DMA to the core, and while one is
/// answered.
#[test]
fn outputs_are_too_small_at_any_time() {
    let mut random = Random::new(seed(69));
    for variant in Variant::SMALL {
        let run = tree(&mut random, 2);
        let mut host = Host::new(variant, random.next(), Timing::default());
        host.configure(&run);
        host.enable(0);
        let job = host.job(&run, 0);
        let small = Job {
            output_limit: job.output_limit - 1,
            ..job
        };
        for latency in 0..48 {
            println!("{variant:?}, latency {latency}");
            host.chip.timing.latency = latency;
            host.fail_alone(&small, OUTPUT_TOO_SMALL);
        }
        host.check_usable(&run);
    }
}

/// Of an input that is too long by a power of two nothing is taken for the right one.
#[test]
fn inputs_of_any_length_are_told() {
    let mut random = Random::new(seed(68));
    let run = tree(&mut random, 1);
    // The input lies in the first bytes that there are, and what is read ahead is in memory.
    let mut host = Host::with_base(Variant::WIDE, random.next(), Timing::default(), Some(0));
    host.configure(&run);
    host.used.push(0..WORD * (run.input.len() as u64 + 1));
    host.store(0, run.input.as_flattened());
    host.enable(0);
    let job = host.job(&run, 0);
    for log2_more in 0..59 {
        let long = Job {
            input: 0,
            input_words: job.input_words + (1 << log2_more),
            ..job
        };
        host.fail(&long, INPUT_TOO_LONG, &run);
    }
}

/// A burst ends where its area does or at a multiple of the longest one, not before.
#[test]
fn bursts_are_as_long_as_may_be() {
    let mut random = Random::new(seed(64));
    for (variant, longest) in [(Variant::WIDE, 1024), (Variant::TWO_CLOCKS, 256)] {
        let run = tree(&mut random, 64);
        let mut host = Host::new(variant, random.next(), Timing::default());
        host.configure(&run);
        host.enable(1);
        for flags in [0, TAGGED] {
            let used = host.used.len();
            let job = host.job(&run, flags);
            let before = host.chip.traffic();
            host.run_good(&job, &run);
            let bursts = |first: u64, bytes: u64| {
                let last = first + bytes - 1;
                last / longest - first / longest + 1
            };
            let input = bursts(job.input, WORD * job.input_words);
            let output = bursts(job.output, job.stride() * job.output_limit);
            assert!(input.min(output) > 2, "{input} and {output} bursts");
            let traffic = host.chip.traffic();
            // One for the descriptor, and one for the record.
            assert_eq!(traffic.reads - before.reads, input + 1);
            assert_eq!(traffic.writes - before.writes, output + 1);
            host.used.truncate(used);
        }
    }
}

/// Memory that ends with the last address is used to the end.
#[test]
fn areas_end_with_the_last_address() {
    last_addresses(seed(45), &[Variant::WIDE]);
}

#[test]
#[ignore = "long: two clocks as well"]
fn areas_of_any_chip_end_with_the_last_address() {
    last_addresses(seed(145), &Variant::SMALL);
}

fn last_addresses(seed: u64, variants: &[Variant]) {
    let mut random = Random::new(seed);
    for &variant in variants {
        for which in 0..3 {
            let run = tree(&mut random, 2);
            let timing = random_timing(&mut random);
            let base = u64::MAX - (MEMORY as u64 - 1);
            let mut host = Host::with_base(variant, random.next(), timing, Some(base));
            host.configure(&run);
            let bytes = match which {
                0 => WORD * run.input.len() as u64,
                1 => 64 * run.output.len() as u64,
                _ => DESCRIPTOR << 1,
            };
            let last = 0_u64.wrapping_sub(bytes);
            host.used.push(last - WORD..u64::MAX);
            host.enable(1);
            if which == 2 {
                host.disable();
                host.ring = last;
                host.enable_again();
            }
            let mut job = host.job(&run, TAGGED);
            match which {
                0 => {
                    job.input = last;
                    host.store(last, run.input.as_flattened());
                }
                1 => job.output = last,
                _ => {}
            }
            host.put(&job);
            host.put(&job);
            host.tell();
            host.wait();
            assert_eq!(host.read(DMA_ERROR), 0);
            host.check_good(&job, &run, 1);
        }
    }
    // A ring may not go on at address 0.
    let mut host = Host::new(Variant::WIDE, 1, Timing::default());
    host.write(DMA_RING_BASE, 0xffff_ffc0);
    host.write(DMA_RING_BASE + 4, 0xffff_ffff);
    host.write(DMA_RING_SIZE, 1);
    host.write_refused(DMA_CONTROL, ENABLE);
    host.write(DMA_RING_SIZE, 0);
    host.write(DMA_CONTROL, ENABLE);
}

// ---- Memory that refuses, and runs that go wrong -----------------------------------------------------

#[test]
fn errors_of_the_memory_are_told() {
    // Of every kind, with a descriptor behind it and without.
    memory_errors(seed(46), 2..6);
}

#[test]
#[ignore = "long: more errors"]
fn many_errors_of_the_memory_are_told() {
    memory_errors(seed(146), 0..8);
}

fn memory_errors(seed: u64, rounds: Range<u64>) {
    let mut random = Random::new(seed);
    for variant in Variant::SMALL {
        let run = tree(&mut random, 2);
        let timing = random_timing(&mut random);
        println!("{variant:?}, {timing:?}");
        let mut host = Host::new(variant, random.next(), timing);
        host.configure(&run);
        host.enable(1);
        for round in rounds.clone() {
            let flags = random.below(4) as u32;
            let job = host.job(&run, flags);
            let number = host.given;
            host.put(&job);
            // A descriptor behind it, which is forgotten.
            let has_next = round < 4;
            if has_next {
                host.put(&job);
            }
            let word = |first: u64, bytes: u64, random: &mut Random| {
                let at = first + WORD * random.below(bytes / WORD);
                at..at + WORD
            };
            let (code, read, range) = match round % 4 {
                0 => (DESCRIPTOR_READ, true, {
                    let first = host.ring + DESCRIPTOR * u64::from(number % 2);
                    word(first, DESCRIPTOR, &mut random)
                }),
                1 => {
                    let bytes = WORD * job.input_words;
                    (INPUT_READ, true, word(job.input, bytes, &mut random))
                }
                2 => {
                    let bytes = job.stride() * job.output_limit;
                    (OUTPUT_WRITE, false, word(job.output, bytes, &mut random))
                }
                _ => (RECORD_WRITE, false, job.record..job.record + RECORD),
            };
            println!("{code} at {range:x?}");
            match read {
                true => host.chip.memory().unreadable.push(range),
                false => host.chip.memory().unwritable.push(range),
            }
            host.tell();
            host.wait();
            host.chip.memory().unreadable.clear();
            host.chip.memory().unwritable.clear();
            host.check_failed(&job, number, code);
            if code == RECORD_WRITE {
                host.accept(job.output, job.stride() * job.output_limit);
            }
            // Another descriptor takes its place.
            host.given -= u32::from(has_next);
            host.check_usable(&run);
            host.used.truncate(1);
        }
    }
}

/// Descriptor and input of the next run are read, and refused, while a run is under way, which is good; its successor
/// is told.
#[test]
fn errors_of_later_descriptors_leave_a_run_alone() {
    // Of every kind, half of them with random timing.
    later_errors(seed(54), 6..10);
}

#[test]
#[ignore = "long: more errors"]
fn many_errors_of_later_descriptors_leave_a_run_alone() {
    later_errors(seed(154), 0..16);
}

fn later_errors(seed: u64, rounds: Range<u64>) {
    let mut random = Random::new(seed);
    for variant in Variant::SMALL {
        let run = tree(&mut random, 2);
        let mut host = Host::new(variant, random.next(), Timing::default());
        host.configure(&run);
        host.enable(1);
        for round in rounds.clone() {
            host.chip.timing = match round {
                0..8 => Timing::default(),
                _ => random_timing(&mut random),
            };
            let flags = random.below(4) as u32;
            let jobs = [host.job(&run, flags), host.job(&run, flags)];
            let number = host.given;
            let place = u64::from((number + 1) % 2);
            jobs.iter().for_each(|job| host.put(job));
            let word = |first: u64, bytes: u64, random: &mut Random| {
                let at = first + WORD * random.below(bytes / WORD);
                at..at + WORD
            };
            let [job, next] = &jobs;
            let (code, is_read, range) = match round % 4 {
                0 => {
                    let first = host.ring + DESCRIPTOR * place;
                    (DESCRIPTOR_READ, true, word(first, DESCRIPTOR, &mut random))
                }
                // The first word is there long before its run.
                1 if round < 8 => (INPUT_READ, true, next.input..next.input + WORD),
                1 => {
                    let bytes = WORD * next.input_words;
                    (INPUT_READ, true, word(next.input, bytes, &mut random))
                }
                2 => {
                    let bytes = next.stride() * next.output_limit;
                    (OUTPUT_WRITE, false, word(next.output, bytes, &mut random))
                }
                _ => (RECORD_WRITE, false, next.record..next.record + RECORD),
            };
            println!("{code} at {range:x?}, {:?}", host.chip.timing);
            match is_read {
                true => host.chip.memory().unreadable.push(range),
                false => host.chip.memory().unwritable.push(range),
            }
            host.tell();
            host.wait();
            host.chip.memory().unreadable.clear();
            host.chip.memory().unwritable.clear();
            host.accept(next.output, next.stride() * next.output_limit);
            host.accept(next.record, RECORD);
            host.check_good(job, &run, number);
            host.check_failed(next, number + 1, code);
            host.check_usable(&run);
            host.used.truncate(1);
        }
    }
}

#[test]
fn runs_that_go_wrong_are_told() {
    let mut random = Random::new(seed(47));
    for variant in Variant::SMALL {
        let run = tree(&mut random, 2);
        let timing = random_timing(&mut random);
        println!("{variant:?}, {timing:?}");
        let mut host = Host::new(variant, random.next(), timing);
        host.configure(&run);
        host.enable(0);
        let job = host.job(&run, TAGGED);
        let plain = host.job(&run, 0);
        let more = host.place(WORD * 200, WORD);
        for length in [job.input_words + 1, 200] {
            let long = Job {
                input: more,
                input_words: length,
                ..job
            };
            host.store(more, run.input.as_flattened());
            host.fail(&long, INPUT_TOO_LONG, &run);
        }
        for length in [1, job.input_words - 1] {
            host.fail(
                &Job {
                    input_words: length,
                    ..job
                },
                INPUT_TOO_SHORT,
                &run,
            );
        }
        for limit in [1, job.output_limit - 1] {
            let small = Job {
                output_limit: limit,
                ..job
            };
            host.fail(&small, OUTPUT_TOO_SMALL, &run);
            let small = Job {
                output_limit: limit,
                ..plain
            };
            host.fail(&small, OUTPUT_TOO_SMALL, &run);
        }
        // Elements that are not below the prime: the first of the four in a word is told.
        let place = random.below(job.input_words);
        let address = job.input + WORD * place;
        let good = host.chip.memory().at(address, 32).to_vec();
        host.store(address, &[0xff; 32]);
        let record = host.fail(&job, RUN_VOID, &run);
        assert_eq!(record.core_error, ELEMENT_TOO_LARGE);
        assert_eq!(u64::from(record.core_info), 4 * place);
        assert!(record.cycles > 0);
        host.store(address, &good);
        // A configuration that is refused at once, and one whose level table is.
        let leaves = host.read(LEAVES);
        host.write(LEAVES, 0);
        host.disable();
        host.enable_again();
        let record = host.fail_alone(&job, START_REFUSED);
        assert_eq!(record.core_error, ILLEGAL_CONFIGURATION);
        host.write(LEAVES, leaves);
        host.check_usable(&run);
        let table = host.read(0x400);
        host.write(0x400, 0);
        let record = host.fail_alone(&job, START_REFUSED);
        assert_ne!(record.core_error, 0);
        host.write(0x400, table);
        host.check_usable(&run);
    }
}

impl Host {
    /// A job fails with `code`; then a good one passes.
    #[track_caller]
    fn fail(&mut self, job: &Job, code: u32, run: &RecordedRun) -> Record {
        let record = self.fail_alone(job, code);
        self.check_usable(run);
        record
    }

    #[track_caller]
    fn fail_alone(&mut self, job: &Job, code: u32) -> Record {
        println!("code {code}");
        if self.read(DMA_STATUS) & STOPPED != 0 {
            self.write(DMA_CONTROL, RESUME);
        }
        let number = self.run(job);
        self.check_failed(job, number, code)
            .expect("this code has a record")
    }
}

// ---- Register accesses -------------------------------------------------------------------------------

/// What the DMA refuses, and when.
#[test]
fn accesses_are_refused_while_it_works() {
    let mut random = Random::new(seed(48));
    for variant in Variant::SMALL {
        let run = tree(&mut random, 4);
        let timing = Timing {
            latency: 400,
            ..Timing::default()
        };
        let mut host = Host::new(variant, random.next(), timing);
        host.configure(&run);
        host.write_refused(CONTROL, START);
        host.write_refused(CONTROL, START | CLEAR);
        host.write_refused(STREAM_CONTROL, 1);
        host.write_refused(DMA_CONTROL, 2);
        host.write_refused(DMA_CONTROL, RESUME);
        host.write_refused(DMA_CONTROL, 4);
        host.write_refused(DMA_TAIL, 1);
        host.write_refused(DMA_RING_BASE, 32);
        host.write_refused(DMA_RING_SIZE, 17);
        host.write_refused(DMA_EVENTS, 8);
        host.write_refused(DMA_ENABLE, 8);
        host.enable(1);
        for (address, value) in [
            (DMA_RING_BASE, 0),
            (DMA_RING_BASE + 4, 0),
            (DMA_RING_SIZE, 0),
        ] {
            host.write_refused(address, value);
        }
        host.write_refused(DMA_TAIL, 3);
        host.write_refused(DMA_TAIL, u32::MAX);
        for bit in 2..32 {
            host.write_refused(DMA_TAIL, 1 << bit);
        }
        // Bits that no field has.
        for (address, fields) in [
            (DMA_CONTROL, ENABLE | RESUME),
            (DMA_EVENTS, EVENT_DONE | EVENT_STOPPED | EVENT_REFUSED),
            (DMA_ENABLE, EVENT_DONE | EVENT_STOPPED | EVENT_REFUSED),
        ] {
            for bit in fields.trailing_ones()..32 {
                host.write_refused(address, 1 << bit);
            }
        }
        // Of the streams, which tell no event of that.
        for (address, fields) in [
            (STREAM_CONTROL, 1_u32),
            (STREAM_EVENTS, 7),
            (STREAM_ENABLE, 7),
        ] {
            for bit in fields.trailing_ones()..32 {
                let answer = host.chip.write_register(address, 1 << bit).unwrap();
                assert!(answer.refused, "bit {bit} of 0x{address:03X}");
            }
        }
        // Enabled and idle: the configuration can be written.
        host.configure(&run);
        let jobs = [host.job(&run, 0), host.job(&run, 0)];
        jobs.iter().for_each(|job| host.put(job));
        host.tell();
        assert_eq!(host.read(DMA_STATUS), BUSY);
        host.write_refused(DMA_TAIL, 1);
        host.write_refused(LEAVES, 4);
        host.write_refused(0x400, 0);
        host.write_refused(STREAM_EVENTS, 1);
        host.write_refused(CONTROL, START);
        host.write_refused(STREAM_CONTROL, 1);
        host.write_refused(0xffc, 0);
        // Reads are answered, and some writes.
        assert_eq!(host.read(LEAVES), run_leaves(&run));
        host.write(0x098, 0);
        host.write(0x094, 0);
        host.write(0x810, 0);
        host.write(DMA_CONTROL, ENABLE);
        host.wait();
        // The core has not seen what was refused.
        assert_eq!(host.read(0x048), 0);
        for job in &jobs {
            host.accept(job.output, job.stride() * job.output_limit);
            host.accept(job.record, RECORD);
        }
        for (number, job) in jobs.iter().enumerate() {
            let cycles = host.check_good(job, &run, number as u32);
            if !variant.has_two_clocks() {
                assert_eq!(cycles, run.cycles);
            }
        }
    }
}

/// Counters of 64 bits are read as ever while the DMA works.
#[test]
fn counters_are_read_while_it_works() {
    let mut random = Random::new(seed(55));
    for variant in Variant::SMALL {
        let run = tree(&mut random, 2);
        let mut host = Host::new(variant, random.next(), Timing::default());
        host.configure(&run);
        host.enable(2);
        let jobs: Vec<_> = (0..4).map(|_| host.job(&run, 0)).collect();
        jobs.iter().for_each(|job| host.put(job));
        host.tell();
        let mut rounds = 0;
        while host.read(DMA_STATUS) & BUSY != 0 {
            // CYCLES, LEAF_HASHES, which stands at one between the runs, and HIGH_WATER, the last one.
            for counter in [0x200, 0x268, 0x2F8] {
                let low = host.read(counter);
                let high = host.read(counter + 4);
                let value = u64::from(high) << 32 | u64::from(low);
                assert!(value < PATIENCE, "0x{counter:03X}: {value:#x}");
                // The high word again; its low word is another one.
                assert_eq!(host.read(counter + 4), high);
            }
            // There is no counter, and the access is refused.
            assert!(host.chip.read_register(0x3F8).unwrap().refused);
            rounds += 1;
        }
        println!("{variant:?}: {rounds} rounds");
        assert!(rounds > 4);
        for job in &jobs {
            host.accept(job.output, job.stride() * job.output_limit);
            host.accept(job.record, RECORD);
        }
        for (number, job) in jobs.iter().enumerate() {
            let cycles = host.check_good(job, &run, number as u32);
            if !variant.has_two_clocks() {
                assert_eq!(cycles, run.cycles);
            }
        }
    }
}

/// LEAVES of a run.
fn run_leaves(run: &RecordedRun) -> u32 {
    let mut writes = run.writes.iter().rev();
    let write = writes.find(|(address, _)| *address == LEAVES);
    write.expect("the driver writes LEAVES").1
}

// ---- Ends before their time --------------------------------------------------------------------------

/// Whatever ends a run, and whenever: nothing is written after DMA_STATUS.Busy has fallen, nothing beside the
/// areas ever, and the next run is good.
#[test]
fn runs_are_ended() {
    ends(seed(49), 8);
}

#[test]
#[ignore = "long: more ends"]
fn many_runs_are_ended() {
    ends(seed(149), rounds(20));
}

fn ends(seed: u64, rounds: u64) {
    for (number, variant) in Variant::SMALL.into_iter().enumerate() {
        let mut random = Random::new(seed + number as u64);
        let run = tree(&mut random, 2);
        let mut timing = random_timing(&mut random);
        let mut host = Host::new(variant, random.next(), timing);
        host.configure(&run);
        host.enable(1);
        let used = host.used.len();
        for round in 0..rounds {
            timing = random_timing(&mut random);
            host.chip.timing = timing;
            let jobs = [host.job(&run, TAGGED), host.job(&run, 0)];
            jobs.iter().for_each(|job| host.put(job));
            host.tell();
            let cycles = random.below(2 * run.cycles + 2 * timing.latency);
            host.chip.run(cycles).unwrap();
            println!("{variant:?}: {round}, after {cycles} cycles, {timing:?}");
            match round % 4 {
                0 => host.write(DMA_CONTROL, 0),
                1 => host.write(CONTROL, CLEAR),
                2 => {
                    // A zeroisation is refused during a run.
                    let answer = host.chip.write_register(CONTROL, ZEROISE).unwrap();
                    if answer.refused {
                        host.write(DMA_CONTROL, 0);
                    }
                }
                _ => {
                    host.chip.reset().unwrap();
                    while host.chip.read_register(0).unwrap().refused {}
                }
            }
            assert_eq!(host.read(DMA_CONTROL), 0);
            host.wait();
            assert!(host.chip.is_quiet());
            let before = host.chip.memory().bytes().to_vec();
            for job in &jobs {
                host.accept(job.output, job.stride() * job.output_limit);
                host.accept(job.record, RECORD);
            }
            host.check_memory();
            host.chip.run(1000).unwrap();
            assert!(host.chip.memory().bytes() == before, "something is written");
            assert!(host.chip.is_quiet());
            assert_eq!(host.read(STATUS) & BUSY, 0);
            let zeroised = host.read(STATUS) & ZEROISED != 0;
            if round % 4 == 3 || zeroised {
                host.configure(&run);
            }
            host.enable_again();
            host.check_usable(&run);
            host.used.truncate(used);
        }
    }
}

/// A ring is stopped in any cycle behind the one in which a descriptor is given: nothing is written but what that job is
/// for, and the ring goes on.
#[test]
fn rings_are_stopped_in_any_cycle() {
    let mut random = Random::new(seed(58));
    let run = tree(&mut random, 2);
    let mut host = Host::new(Variant::WIDE, random.next(), Timing::default());
    host.configure(&run);
    host.enable(1);
    let used = host.used.len();
    for cycles in 0..40 {
        let job = host.job(&run, 0);
        host.put(&job);
        host.tell();
        host.chip.run(cycles).unwrap();
        host.write(DMA_CONTROL, 0);
        host.wait();
        host.chip.run(100).unwrap();
        host.go_on_behind_end(&[job], used);
    }
    host.check_usable(&run);
}

/// Behind the answer to an end no burst begins, however many wait.
#[test]
fn nothing_begins_after_an_end() {
    let mut random = Random::new(seed(56));
    for variant in Variant::SMALL {
        // An output of some bursts.
        let run = tree(&mut random, 16);
        let mut host = Host::new(variant, random.next(), Timing::default());
        host.configure(&run);
        host.enable(1);
        let used = host.used.len();
        for round in 0..24 {
            let jobs = [host.job(&run, TAGGED), host.job(&run, 0)];
            jobs.iter().for_each(|job| host.put(job));
            host.tell();
            // In the reads at the beginning, or while bursts of the output wait for slow data.
            if round % 2 == 0 {
                host.chip.timing = random_timing(&mut random);
                host.chip.run(random.below(60)).unwrap();
            } else {
                host.chip.timing.pauses = [0, 0, 0, 255, 0];
                let writes = host.chip.traffic().writes;
                let mut left = PATIENCE;
                while host.chip.traffic().writes == writes {
                    host.chip.cycle().unwrap();
                    left -= 1;
                    assert!(left > 0, "nothing is written");
                }
                host.chip.run(random.below(2000)).unwrap();
            }
            println!("{variant:?}: {round}, {:?}", host.chip.timing);
            match round / 2 % 2 {
                0 => host.write(DMA_CONTROL, 0),
                _ => host.write(CONTROL, CLEAR),
            }
            let begun = host.chip.traffic().begun;
            // The chip gives up its run while a burst waits for its data, or behind it.
            if round % 3 == 0 {
                host.chip.run(400).unwrap();
            }
            host.chip.timing = Timing::default();
            host.wait();
            host.chip.run(100).unwrap();
            assert_eq!(host.chip.traffic().begun, begun, "a burst begins");
            host.go_on_behind_end(&jobs, used);
        }
        host.check_usable(&run);
    }
}

/// Rings of every size, and small ones once around: of a large one only the beginning is in memory.
#[test]
fn rings_have_any_size() {
    let mut random = Random::new(seed(67));
    let run = tree(&mut random, 1);
    let mut host = Host::new(Variant::WIDE, random.next(), Timing::default());
    host.configure(&run);
    for log2_ring in 0..=16 {
        let around = 1 + (1_u64 << log2_ring);
        let jobs = if log2_ring <= 6 { around } else { 3 };
        host.ring = host.place(DESCRIPTOR * jobs, DESCRIPTOR);
        host.log2_ring = log2_ring;
        host.enable_again();
        for _ in 0..jobs {
            host.check_usable(&run);
        }
        host.disable();
        host.used.clear();
    }
}

/// Where no run is under way an end clears nothing: what the last run left is still to be read.
#[test]
fn an_end_between_runs_leaves_the_core_alone() {
    let mut random = Random::new(seed(65));
    for variant in Variant::SMALL {
        let run = tree(&mut random, 2);
        let mut host = Host::new(variant, random.next(), Timing::default());
        host.configure(&run);
        host.enable(1);
        for _ in 0..2 {
            host.check_usable(&run);
            let cycles = registers::CYCLES.address;
            let left = [host.read(STATUS), host.read(cycles)];
            assert_eq!(left[0] & DONE, DONE);
            assert!(left[1] > 0);
            host.disable();
            assert_eq!([host.read(STATUS), host.read(cycles)], left);
            host.enable_again();
        }
    }
}

/// The interrupt of the core itself, which the DMA does not ask for.
#[test]
fn the_end_of_a_run_interrupts() {
    let mut random = Random::new(seed(66));
    for variant in Variant::SMALL {
        let run = tree(&mut random, 2);
        let mut host = Host::new(variant, random.next(), Timing::default());
        host.configure(&run);
        host.enable(1);
        host.check_usable(&run);
        assert!(!host.chip.interrupt());
        let done = registers::INTERRUPT_DONE.with(1);
        let status = registers::INTERRUPT_STATUS.address;
        host.write(status, done);
        host.write(registers::INTERRUPT_ENABLE.address, done);
        assert!(!host.chip.interrupt());
        host.check_usable(&run);
        assert!(host.chip.interrupt());
        assert_eq!(host.read(status), done);
        host.write(status, done);
        // As long as another clock takes.
        host.chip.run(100).unwrap();
        assert!(!host.chip.interrupt());
    }
}

/// A reset of the core alone ends its run with an error, and the ring goes on after the core was configured again.
#[test]
fn resets_of_the_core_are_told() {
    core_resets(seed(50), 3);
}

#[test]
#[ignore = "long: more resets"]
fn many_resets_of_the_core_are_told() {
    core_resets(seed(150), rounds(10));
}

fn core_resets(seed: u64, rounds: u64) {
    let mut random = Random::new(seed);
    let run = tree(&mut random, 2);
    let mut host = Host::new(Variant::TWO_CLOCKS, random.next(), Timing::default());
    for _ in 0..rounds {
        host.configure(&run);
        host.chip.timing = random_timing(&mut random);
        host.used.clear();
        host.enable(0);
        let job = host.job(&run, 0);
        host.put(&job);
        host.tell();
        host.chip.run(random.below(2 * run.cycles)).unwrap();
        host.chip.core_reset = true;
        host.chip.run(20 + random.below(40)).unwrap();
        host.chip.core_reset = false;
        host.wait();
        while host.chip.read_register(0).unwrap().refused {}
        // Nothing is left of what the core was told.
        assert_eq!(host.read(LEAVES), 0);
        host.accept(job.output, job.stride() * job.output_limit);
        host.accept(job.record, RECORD);
        host.check_memory();
        // It may have been through, or not have begun, which a core without a configuration refuses.
        let record = host.record(&job);
        assert!(record.done);
        assert!(
            [0, RUN_VOID, START_REFUSED].contains(&record.code),
            "{record:?}"
        );
        host.disable();
        host.configure(&run);
        host.enable_again();
        host.check_usable(&run);
        host.disable();
    }
}

// ---- The driver for Linux ----------------------------------------------------------------------------

#[cfg(target_os = "linux")]
mod driver {
    use acclmt_driver::chip::suite;
    use acclmt_tb::dma::DmaBoard;

    use super::*;

    /// The tests of every port, through the driver for chips on Linux.
    #[test]
    #[ignore = "long: minutes"]
    fn the_port_of_the_driver() {
        port(Variant::WIDE, seed(51));
    }

    #[test]
    #[ignore = "long: as slow as the slower of two clocks"]
    fn the_port_of_the_driver_with_two_clocks() {
        port(Variant::TWO_CLOCKS, seed(52));
    }

    fn port(variant: Variant, seed: u64) {
        let mut random = Random::new(seed);
        let timing = Timing {
            register_pauses: 20,
            ..random_timing(&mut random)
        };
        println!("{variant:?}, {timing:?}");
        let memory = Ram::new(0x1_2345_0000, vec![0xA5; 1 << 20]);
        let bench = Bench::new(BenchKind::Dma, random.next() as u32);
        let chip = DmaChip::new(bench, variant, random.next(), memory, timing);
        let port = DmaBoard::new(chip).unwrap().port().unwrap();
        suite::run(port, random.next());
    }
}

// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! Host and memory of a chip with DMA, pin by pin: AXI4-Lite for the registers, and a memory behind the AXI4
//! master that answers when and how it is told to.
//!
//! The chip is a [`Bench`] whose pins are those of `tb/rtl/acclmt_tb_dma_pins.sv`.

#[cfg(target_os = "linux")]
mod board;

use std::collections::VecDeque;
use std::ops::Range;

use acclmt_driver::chip::PortError;
use acclmt_verilated::{Answer, Bench};

#[cfg(target_os = "linux")]
pub use board::DmaBoard;

/// Words of the packed input and output.
const INPUTS: usize = 20;
const OUTPUTS: usize = 24;

/// Flags of the packed input.
const RESET: u32 = 1 << 0;
const AW_VALID: u32 = 1 << 1;
const W_VALID: u32 = 1 << 2;
const B_READY: u32 = 1 << 3;
const AR_VALID: u32 = 1 << 4;
const R_READY: u32 = 1 << 5;
const MEMORY_AR_READY: u32 = 1 << 6;
const MEMORY_R_VALID: u32 = 1 << 7;
const MEMORY_R_LAST: u32 = 1 << 8;
const MEMORY_AW_READY: u32 = 1 << 9;
const MEMORY_W_READY: u32 = 1 << 10;
const MEMORY_B_VALID: u32 = 1 << 11;
const STROBES: u32 = 12;
const MEMORY_R_RESPONSE: u32 = 16;
const MEMORY_B_RESPONSE: u32 = 18;
const CHIP: u32 = 20;
const BUS_EDGE: u32 = 1 << 22;
const CORE_EDGE: u32 = 1 << 23;
const CORE_RESET: u32 = 1 << 24;

/// Flags of the packed output.
const AW_READY: u32 = 1 << 0;
const W_READY: u32 = 1 << 1;
const B_VALID: u32 = 1 << 2;
const AR_READY: u32 = 1 << 3;
const R_VALID: u32 = 1 << 4;
const MEMORY_AR_VALID: u32 = 1 << 5;
const MEMORY_R_READY: u32 = 1 << 6;
const MEMORY_AW_VALID: u32 = 1 << 7;
const MEMORY_W_VALID: u32 = 1 << 8;
const MEMORY_W_LAST: u32 = 1 << 9;
const MEMORY_B_READY: u32 = 1 << 10;
const INTERRUPT: u32 = 1 << 11;
const B_RESPONSE: u32 = 12;
const R_RESPONSE: u32 = 14;
const AR_LENGTH: u32 = 16;
const AW_LENGTH: u32 = 24;

/// Places of the payloads in the packed input and output, in words.
const READ_DATA: usize = 4;
const READ_ADDRESS: usize = 2;
const WRITE_ADDRESS: usize = 4;
const WRITE_STROBES: usize = 6;
const WRITE_DATA: usize = 8;

/// Clock cycles in which a register is answered in any case.
const PATIENCE: u64 = 100_000;

/// Bytes that no burst goes across.
const PAGE: u64 = 4096;

/// The memory refuses an access: nothing is there, or it is not for the chip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the memory has nothing at this address")]
pub struct Refused;

/// What a chip with DMA reads and writes.
pub trait HostMemory {
    /// Fills `bytes` with what is in memory from the byte address `address` on.
    ///
    /// # Errors
    ///
    /// When not all of it is there: the chip gets an error of the bus.
    fn read(&mut self, address: u64, bytes: &mut [u8]) -> Result<(), Refused>;

    /// Stores bytes.
    ///
    /// # Errors
    ///
    /// As of [`read`](Self::read). Nothing is stored then.
    fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), Refused>;
}

/// Memory that is a piece of the address space, with pieces in it that are not there.
#[derive(Clone, Debug)]
pub struct Ram {
    base: u64,
    bytes: Vec<u8>,
    /// Addresses that refuse reads, and addresses that refuse writes.
    pub unreadable: Vec<Range<u64>>,
    /// See [`unreadable`](Self::unreadable).
    pub unwritable: Vec<Range<u64>>,
}

impl Ram {
    /// Memory from `base` on that holds `bytes`.
    pub fn new(base: u64, bytes: Vec<u8>) -> Self {
        Self {
            base,
            bytes,
            unreadable: Vec::new(),
            unwritable: Vec::new(),
        }
    }

    /// Its first address.
    pub fn base(&self) -> u64 {
        self.base
    }

    /// What it holds.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// What it holds from an address on.
    ///
    /// # Panics
    ///
    /// When the piece is not within the memory.
    pub fn at(&mut self, address: u64, length: usize) -> &mut [u8] {
        let range = self.range(address, length).expect("it is within");
        &mut self.bytes[range]
    }

    fn range(&self, address: u64, length: usize) -> Option<Range<usize>> {
        let first = usize::try_from(address.checked_sub(self.base)?).ok()?;
        let end = first.checked_add(length)?;
        (end <= self.bytes.len()).then_some(first..end)
    }
}

/// Whether some of `length` bytes from `address` on are in one of the ranges.
fn touches(ranges: &[Range<u64>], address: u64, length: usize) -> bool {
    let Some(last) = (length as u64).checked_sub(1) else {
        return false;
    };
    let last = address.saturating_add(last);
    let mut ranges = ranges.iter();
    ranges.any(|range| address < range.end && last >= range.start)
}

impl HostMemory for Ram {
    fn read(&mut self, address: u64, bytes: &mut [u8]) -> Result<(), Refused> {
        let range = self.range(address, bytes.len()).ok_or(Refused)?;
        if touches(&self.unreadable, address, bytes.len()) {
            return Err(Refused);
        }
        bytes.copy_from_slice(&self.bytes[range]);
        Ok(())
    }

    fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), Refused> {
        let range = self.range(address, bytes.len()).ok_or(Refused)?;
        if touches(&self.unwritable, address, bytes.len()) {
            return Err(Refused);
        }
        self.bytes[range].copy_from_slice(bytes);
        Ok(())
    }
}

/// How the memory takes address and data of a write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WriteOrder {
    /// As they come.
    #[default]
    Any,
    /// An address only when data are on offer.
    DataFirst,
    /// Data only when their address was taken.
    AddressFirst,
}

/// When the memory answers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Timing {
    /// Clock cycles from the address of a read to its first beat, and from the last beat of a write to its answer.
    pub latency: u64,
    /// How often, out of 256 clock cycles, a channel of the memory pauses: addresses, data and answers.
    pub pauses: [u64; 5],
    /// The same of the registers' bus.
    pub register_pauses: u64,
    /// The order of address and data.
    pub order: WriteOrder,
}

/// Which of the chips of a bench is meant: bits of a beat, and whether its core has a clock of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variant {
    number: u32,
    bytes: usize,
    two_clocks: bool,
}

impl Variant {
    /// The default chip, `tb/rtl/acclmt_tb_dma_chip.sv`: beats of 256 bits.
    pub const DEFAULT: Self = Self::of(0, 32, false);
    /// Of `tb/rtl/acclmt_tb_dma.sv` the chip with beats of 512 bits.
    pub const WIDE: Self = Self::of(0, 64, false);
    /// Of the same the chip with beats of 256 bits and two clocks.
    pub const TWO_CLOCKS: Self = Self::of(1, 32, true);
    /// Both.
    pub const SMALL: [Self; 2] = [Self::WIDE, Self::TWO_CLOCKS];

    const fn of(number: u32, bytes: usize, two_clocks: bool) -> Self {
        Self {
            number,
            bytes,
            two_clocks,
        }
    }

    /// Bytes of a beat.
    pub fn beat_bytes(&self) -> usize {
        self.bytes
    }

    /// Whether the core has a clock of its own.
    pub fn has_two_clocks(&self) -> bool {
        self.two_clocks
    }
}

/// What went over the bus of the memory.
#[derive(Clone, Copy, Debug, Default)]
pub struct Traffic {
    /// Bursts of reads and of writes whose address was offered.
    pub begun: u64,
    /// Bursts of reads, and the most of them on their way at a time.
    pub reads: u64,
    /// See [`reads`](Self::reads).
    pub most_reads: usize,
    /// Beats that were read.
    pub read_beats: u64,
    /// Bursts of writes.
    pub writes: u64,
    /// Bytes that were written, those with a strobe.
    pub written_bytes: u64,
}

/// A burst on its way.
#[derive(Clone, Copy)]
struct Burst {
    address: u64,
    beats: u64,
    /// Beats that have gone.
    done: u64,
    due: u64,
}

/// Random numbers of the pauses: xorshift.
struct Pauser(u64);

impl Pauser {
    fn pauses(&mut self, share: u64) -> bool {
        if share == 0 {
            return false;
        }
        self.next() % 256 < share
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

/// A simulated chip with DMA, its host's bus and its memory.
pub struct DmaChip<M> {
    bench: Bench,
    variant: Variant,
    memory: M,
    /// When the memory answers from now on.
    pub timing: Timing,
    /// Shares of 256 of the cycles in which bus and core have a clock edge, where they have clocks of their own.
    pub clocks: (u64, u64),
    /// Whether the core is held in reset, where it has a reset of its own.
    pub core_reset: bool,
    random: Pauser,
    cycles: u64,
    interrupt: bool,
    traffic: Traffic,
    // Registers: what is on offer, and answers.
    write_address: Option<u32>,
    write_data: Option<(u32, u32)>,
    read_address: Option<u32>,
    answer: Option<Answer>,
    // Memory.
    reads: VecDeque<Burst>,
    writes: VecDeque<Burst>,
    /// Beats of writes whose address has not come, or that are not stored yet.
    data: VecDeque<(Vec<u8>, u64, bool)>,
    /// Answers of writes, and when they are due.
    answers: VecDeque<(u64, u32)>,
    /// The beat and the answer on offer.
    beat: Option<(Vec<u8>, bool, u32)>,
    written: Option<u32>,
    /// Whether the address of a read, and that of a write, were offered in the cycle before and not taken.
    waits: [bool; 2],
    /// What of AXI's rules the chip broke.
    error: Option<String>,
}

impl<M: HostMemory> DmaChip<M> {
    /// The chip of a bench after a reset, with a memory.
    ///
    /// # Panics
    ///
    /// When the bench has other pins.
    pub fn new(bench: Bench, variant: Variant, seed: u64, memory: M, timing: Timing) -> Self {
        let pins = (bench.input_words(), bench.output_words());
        assert_eq!(pins, (INPUTS, OUTPUTS), "the bench is one of a DMA");
        Self {
            bench,
            variant,
            memory,
            timing,
            clocks: (256, 256),
            core_reset: false,
            random: Pauser(seed | 1),
            cycles: 0,
            interrupt: false,
            traffic: Traffic::default(),
            write_address: None,
            write_data: None,
            read_address: None,
            answer: None,
            reads: VecDeque::new(),
            writes: VecDeque::new(),
            data: VecDeque::new(),
            answers: VecDeque::new(),
            beat: None,
            written: None,
            waits: [false; 2],
            error: None,
        }
    }

    /// Clock cycles of the bus since construction.
    pub fn cycles(&self) -> u64 {
        self.cycles
    }

    /// Whether the interrupt output was high in the last cycle.
    pub fn interrupt(&self) -> bool {
        self.interrupt
    }

    /// The memory.
    pub fn memory(&mut self) -> &mut M {
        &mut self.memory
    }

    /// What went over the bus of the memory since construction.
    pub fn traffic(&self) -> Traffic {
        self.traffic
    }

    /// Whether nothing is on its way over the bus of the memory.
    pub fn is_quiet(&self) -> bool {
        self.reads.is_empty()
            && self.writes.is_empty()
            && self.data.is_empty()
            && self.answers.is_empty()
            && self.beat.is_none()
            && self.written.is_none()
    }

    /// Resets the chip, host and memory's side of the bus.
    ///
    /// # Errors
    ///
    /// When an assertion of the design failed.
    pub fn reset(&mut self) -> Result<(), PortError> {
        self.write_address = None;
        self.write_data = None;
        self.read_address = None;
        self.answer = None;
        self.reads.clear();
        self.writes.clear();
        self.data.clear();
        self.answers.clear();
        self.beat = None;
        self.written = None;
        self.waits = [false; 2];
        let mut pins = [0; INPUTS];
        // First without a clock edge: a reset needs none.
        pins[0] = RESET | self.variant.number << CHIP;
        self.step(&pins)?;
        pins[0] |= BUS_EDGE | CORE_EDGE;
        for _ in 0..3 {
            let out = self.step(&pins)?;
            let offered = B_VALID | R_VALID | MEMORY_AR_VALID | MEMORY_AW_VALID | MEMORY_W_VALID;
            if out[0] & (offered | INTERRUPT) != 0 {
                return Err(PortError::new("something is offered during a reset"));
            }
        }
        Ok(())
    }

    fn step(&mut self, pins: &[u32; INPUTS]) -> Result<Vec<u32>, PortError> {
        self.cycles += 1;
        let out = self.bench.run(pins);
        out.map_err(|error| PortError::new(error.to_string()))
    }

    /// Lets clock cycles of the bus pass.
    ///
    /// # Errors
    ///
    /// When an assertion of the design failed, or the chip broke a rule of the bus.
    pub fn run(&mut self, cycles: u64) -> Result<(), PortError> {
        (0..cycles).try_for_each(|_| self.cycle())
    }

    /// Lets a clock cycle of the bus pass.
    ///
    /// # Errors
    ///
    /// As [`run`](Self::run).
    pub fn cycle(&mut self) -> Result<(), PortError> {
        let mut pins = [0; INPUTS];
        pins[0] = self.variant.number << CHIP | BUS_EDGE;
        if self.core_reset {
            pins[0] |= CORE_RESET;
        }
        if !self.variant.two_clocks || self.random.next() % 256 < self.clocks.1 {
            pins[0] |= CORE_EDGE;
        }
        // Cycles in which only the core has an edge: the bus looks the same.
        while self.variant.two_clocks && self.random.next() % 256 >= self.clocks.0 {
            let mut core = pins;
            core[0] = pins[0] & !BUS_EDGE | CORE_EDGE;
            self.bench
                .run(&core)
                .map_err(|error| PortError::new(error.to_string()))?;
        }
        self.drive_registers(&mut pins);
        self.drive_memory(&mut pins);
        let out = self.step(&pins)?;
        self.interrupt = out[0] & INTERRUPT != 0;
        self.see_registers(&pins, &out);
        self.see_memory(&pins, &out);
        match self.error.take() {
            Some(error) => Err(PortError::new(error)),
            None => Ok(()),
        }
    }

    fn drive_registers(&mut self, pins: &mut [u32; INPUTS]) {
        let share = self.timing.register_pauses;
        if let Some(address) = self.write_address {
            pins[0] |= AW_VALID;
            pins[1] = address;
        }
        if let Some((data, strobes)) = self.write_data {
            pins[0] |= W_VALID | strobes << STROBES;
            pins[2] = data;
        }
        if let Some(address) = self.read_address {
            pins[0] |= AR_VALID;
            pins[3] = address;
        }
        if !self.random.pauses(share) {
            pins[0] |= B_READY;
        }
        if !self.random.pauses(share) {
            pins[0] |= R_READY;
        }
    }

    fn see_registers(&mut self, pins: &[u32; INPUTS], out: &[u32]) {
        let passes = |valid: u32, ready: u32| pins[0] & valid != 0 && out[0] & ready != 0;
        if passes(AW_VALID, AW_READY) {
            self.write_address = None;
        }
        if passes(W_VALID, W_READY) {
            self.write_data = None;
        }
        if passes(AR_VALID, AR_READY) {
            self.read_address = None;
        }
        let answers = |valid: u32, ready: u32| out[0] & valid != 0 && pins[0] & ready != 0;
        if answers(B_VALID, B_READY) {
            self.answer = Some(Answer {
                data: 0,
                refused: out[0] >> B_RESPONSE & 3 != 0,
            });
        }
        if answers(R_VALID, R_READY) {
            self.answer = Some(Answer {
                data: out[1],
                refused: out[0] >> R_RESPONSE & 3 != 0,
            });
        }
    }

    fn drive_memory(&mut self, pins: &mut [u32; INPUTS]) {
        let [ar, r, aw, w, b] = self.timing.pauses;
        if !self.random.pauses(ar) {
            pins[0] |= MEMORY_AR_READY;
        }
        self.offer_beat(r);
        if let Some((bytes, last, response)) = &self.beat {
            pins[0] |= MEMORY_R_VALID | response << MEMORY_R_RESPONSE;
            if *last {
                pins[0] |= MEMORY_R_LAST;
            }
            for (pin, bytes) in pins[READ_DATA..].iter_mut().zip(bytes.as_chunks::<4>().0) {
                *pin = u32::from_le_bytes(*bytes);
            }
        }
        if !self.random.pauses(aw) {
            pins[0] |= MEMORY_AW_READY;
        }
        if !self.random.pauses(w) {
            pins[0] |= MEMORY_W_READY;
        }
        if self.written.is_none() && !self.random.pauses(b) {
            let is_due = |answer: &mut (u64, u32)| answer.0 <= self.cycles;
            self.written = self.answers.pop_front_if(is_due).map(|answer| answer.1);
        }
        if let Some(response) = self.written {
            pins[0] |= MEMORY_B_VALID | response << MEMORY_B_RESPONSE;
        }
        // What the memory waits for is known from the state of the writes before this cycle.
        let is_behind = self.data_bursts() >= self.writes.len();
        match self.timing.order {
            WriteOrder::Any => {}
            WriteOrder::DataFirst if self.data_bursts_begun() <= self.writes.len() => {
                pins[0] &= !MEMORY_AW_READY;
            }
            WriteOrder::AddressFirst if is_behind => pins[0] &= !MEMORY_W_READY,
            WriteOrder::DataFirst | WriteOrder::AddressFirst => {}
        }
    }

    /// Bursts of which all data, and of which some data are here and not stored.
    fn data_bursts(&self) -> usize {
        self.data.iter().filter(|(_, _, last)| *last).count()
    }

    fn data_bursts_begun(&self) -> usize {
        let whole = self.data_bursts();
        whole + usize::from(self.data.back().is_some_and(|(_, _, last)| !last))
    }

    /// The next beat of the reads, if it is due.
    fn offer_beat(&mut self, share: u64) {
        if self.beat.is_some() || self.random.pauses(share) {
            return;
        }
        let Some(burst) = self
            .reads
            .front_mut()
            .filter(|burst| burst.due <= self.cycles)
        else {
            return;
        };
        let mut bytes = vec![0; self.variant.bytes];
        let address = burst.address + burst.done * self.variant.bytes as u64;
        let response = match self.memory.read(address, &mut bytes) {
            Ok(()) => 0,
            // SLVERR or DECERR; what comes with it is of no value.
            Err(Refused) => {
                bytes.fill(0xEE);
                2 + (self.random.next() & 1) as u32
            }
        };
        burst.done += 1;
        let last = burst.done == burst.beats;
        self.traffic.read_beats += 1;
        if last {
            self.reads.pop_front();
        }
        self.beat = Some((bytes, last, response));
    }

    fn see_memory(&mut self, pins: &[u32; INPUTS], out: &[u32]) {
        let comes = |valid: u32, ready: u32| out[0] & valid != 0 && pins[0] & ready != 0;
        let goes = |valid: u32, ready: u32| pins[0] & valid != 0 && out[0] & ready != 0;
        let wide = |at: usize| u64::from(out[at]) | u64::from(out[at + 1]) << 32;
        let bytes = self.variant.bytes as u64;
        // A request begins when it is offered for the first time.
        let channels = [
            (MEMORY_AR_VALID, MEMORY_AR_READY),
            (MEMORY_AW_VALID, MEMORY_AW_READY),
        ];
        for ((valid, ready), waits) in channels.into_iter().zip(&mut self.waits) {
            let is_offered = out[0] & valid != 0;
            self.traffic.begun += u64::from(is_offered && !*waits);
            *waits = is_offered && pins[0] & ready == 0;
        }
        if goes(MEMORY_R_VALID, MEMORY_R_READY) {
            self.beat = None;
        }
        if goes(MEMORY_B_VALID, MEMORY_B_READY) {
            self.written = None;
        }
        let burst = |address: u64, length: u32, due: u64| Burst {
            address,
            beats: u64::from(length & 0xff) + 1,
            done: 0,
            due,
        };
        if comes(MEMORY_AR_VALID, MEMORY_AR_READY) {
            let due = self.cycles + self.timing.latency;
            let burst = burst(wide(READ_ADDRESS), out[0] >> AR_LENGTH, due);
            self.check(&burst, bytes);
            self.reads.push_back(burst);
            self.traffic.reads += 1;
            self.traffic.most_reads = self.traffic.most_reads.max(self.reads.len());
        }
        if comes(MEMORY_AW_VALID, MEMORY_AW_READY) {
            let burst = burst(wide(WRITE_ADDRESS), out[0] >> AW_LENGTH, 0);
            self.check(&burst, bytes);
            self.writes.push_back(burst);
            self.traffic.writes += 1;
        }
        if comes(MEMORY_W_VALID, MEMORY_W_READY) {
            let data = out[WRITE_DATA..].iter().flat_map(|word| word.to_le_bytes());
            let data: Vec<u8> = data.take(self.variant.bytes).collect();
            let last = out[0] & MEMORY_W_LAST != 0;
            self.data.push_back((data, wide(WRITE_STROBES), last));
        }
        while !self.writes.is_empty() && self.data_bursts() > 0 {
            self.store();
        }
    }

    /// Stores the oldest burst of writes, all of which is here.
    fn store(&mut self) {
        let Some(burst) = self.writes.pop_front() else {
            return;
        };
        let mut response = 0;
        let mut count = 0;
        while let Some((data, strobes, last)) = self.data.pop_front() {
            let address = burst.address + count * self.variant.bytes as u64;
            count += 1;
            for (number, piece) in data.as_chunks::<32>().0.iter().enumerate() {
                let strobes = strobes >> (32 * number) & 0xffff_ffff;
                if strobes == 0 {
                    continue;
                }
                if strobes != 0xffff_ffff {
                    self.fail(format!("strobes {strobes:08x} write a part of a word"));
                }
                self.traffic.written_bytes += 32;
                if self
                    .memory
                    .write(address + 32 * number as u64, piece)
                    .is_err()
                {
                    response = 2 + (self.random.next() & 1) as u32;
                }
            }
            if last {
                break;
            }
        }
        if count != burst.beats {
            self.fail(format!(
                "{count} beats are written and {} announced",
                burst.beats
            ));
        }
        self.answers
            .push_back((self.cycles + self.timing.latency, response));
    }

    /// The rules that the chip's own assertions state, too, and others.
    fn check(&mut self, burst: &Burst, bytes: u64) {
        let last = burst.address.wrapping_add(burst.beats * bytes - 1);
        if !burst.address.is_multiple_of(bytes) || burst.address / PAGE != last / PAGE {
            self.fail(format!(
                "a burst of {} beats at 0x{:x} is not aligned or crosses a multiple of 4096",
                burst.beats, burst.address
            ));
        }
    }

    fn fail(&mut self, text: String) {
        self.error.get_or_insert(text);
    }

    fn take_answer(&mut self, what: &str) -> Result<Answer, PortError> {
        for _ in 0..PATIENCE {
            if let Some(answer) = self.answer.take() {
                return Ok(answer);
            }
            self.cycle()?;
        }
        Err(PortError::new(format!("{what} is not answered")))
    }

    /// Writes a register.
    ///
    /// # Errors
    ///
    /// As [`run`](Self::run), or when there is no answer.
    pub fn write_register(&mut self, address: u32, value: u32) -> Result<Answer, PortError> {
        self.write_address = Some(address);
        self.write_data = Some((value, 0xf));
        self.take_answer("a write")
    }

    /// Reads a register.
    ///
    /// # Errors
    ///
    /// As [`write_register`](Self::write_register).
    pub fn read_register(&mut self, address: u32) -> Result<Answer, PortError> {
        self.read_address = Some(address);
        self.take_answer("a read")
    }
}

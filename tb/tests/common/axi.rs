// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! A host of the chip with its buses, pin by pin: AXI4-Lite for the registers, AXI4-Stream for input and
//! output, with pauses of every channel, behind the port of the driver. The core has the clock of the buses, or one
//! of its own.

use std::collections::VecDeque;
use std::mem;

use acclmt_driver::chip::{ChipPort, OutputWord, Patience, PortError, RunPlan};
use acclmt_driver::registers;
use acclmt_poseidon::word::{self, Word};
#[cfg(feature = "axi")]
use acclmt_verilated::BenchKind;
use acclmt_verilated::{Bench, SimulationError};

use super::Random;
use super::bits::{CLEAR, START, ZEROISE};
use super::clocks::{ClockedChip, Clocks};

/// The registers of the streams, as docs/buses.md has them and not by the code for it.
pub mod stream {
    pub const BUS_VERSION: u32 = 0x800;
    pub const STATE: u32 = 0x804;
    pub const CONTROL: u32 = 0x808;
    pub const EVENTS: u32 = 0x80C;
    pub const ENABLE: u32 = 0x810;

    pub const INPUT_OPEN: u32 = 1;
    pub const DISCARDING: u32 = 2;
    pub const OUTPUT_OPEN: u32 = 4;

    pub const DISCARD: u32 = 1;

    pub const EARLY_LAST: u32 = 1;
    pub const LATE_LAST: u32 = 2;
    pub const PARTIAL_WORD: u32 = 4;
}

/// Words of the packed input and output of tb/rtl/acclmt_tb_axi.sv.
const PINS: usize = 13;

/// Flags of the packed input.
const RESET: u32 = 1 << 0;
const AW_VALID: u32 = 1 << 1;
const W_VALID: u32 = 1 << 2;
const B_READY: u32 = 1 << 3;
const AR_VALID: u32 = 1 << 4;
const R_READY: u32 = 1 << 5;
const INPUT_VALID: u32 = 1 << 6;
const INPUT_LAST: u32 = 1 << 7;
const OUTPUT_READY: u32 = 1 << 8;
const STROBES: u32 = 12;

/// Flags of the packed output.
const AW_READY: u32 = 1 << 0;
const W_READY: u32 = 1 << 1;
const B_VALID: u32 = 1 << 2;
const AR_READY: u32 = 1 << 3;
const R_VALID: u32 = 1 << 4;
const INPUT_READY: u32 = 1 << 5;
const OUTPUT_VALID: u32 = 1 << 6;
const OUTPUT_LAST: u32 = 1 << 7;
const INTERRUPT: u32 = 1 << 8;
const B_RESPONSE: u32 = 12;
const R_RESPONSE: u32 = 14;

/// Clock cycles in which a register is answered in any case.
const PATIENCE: u64 = 10_000;

/// All bytes of a register, and of a word of a stream.
pub const ALL_STROBES: u32 = 0xf;
pub const ALL_BYTES: u32 = u32::MAX;

/// How often, out of 256 clock cycles, a channel pauses: nothing new is offered, nothing is taken.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pauses {
    pub aw: u64,
    pub w: u64,
    pub b: u64,
    pub ar: u64,
    pub r: u64,
    pub input: u64,
    pub output: u64,
}

impl Pauses {
    /// Of every channel its own.
    pub fn random(random: &mut Random) -> Self {
        let mut share = || *random.choose(&[0, 20, 128, 200]);
        Self {
            aw: share(),
            w: share(),
            b: share(),
            ar: share(),
            r: share(),
            input: share(),
            output: share(),
        }
    }
}

/// The answer of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// What was read; 0 after a write.
    pub data: u32,
    /// Whether it is SLVERR.
    pub refused: bool,
    /// Clock cycle in which it was taken.
    pub cycle: u64,
}

/// A word of the input.
#[derive(Clone, Copy, Debug)]
pub struct InputBeat {
    pub data: Word,
    pub keep: u32,
    pub last: bool,
}

/// A word of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutputBeat {
    pub data: Word,
    pub user: u64,
    pub last: bool,
}

impl OutputBeat {
    pub fn index(&self) -> u64 {
        self.user & 0xff_ffff_ffff
    }

    pub fn level(&self) -> u32 {
        (self.user >> 40) as u32 & 0xff
    }

    pub fn is_void(&self) -> bool {
        self.user >> 56 & 1 == 1
    }

    pub fn is_aborted(&self) -> bool {
        self.user >> 57 & 1 == 1
    }
}

/// What waits to be offered on a channel that the host drives; what is offered stays so until it is taken.
struct Channel<T> {
    waiting: VecDeque<T>,
    is_offered: bool,
}

impl<T> Default for Channel<T> {
    fn default() -> Self {
        Self {
            waiting: VecDeque::new(),
            is_offered: false,
        }
    }
}

impl<T: Copy> Channel<T> {
    /// What is offered in this cycle, if the channel does not pause.
    fn offer(&mut self, pauses: bool) -> Option<T> {
        self.is_offered |= !pauses && !self.waiting.is_empty();
        self.waiting.front().copied().filter(|_| self.is_offered)
    }

    /// The chip is ready, or is not.
    fn take(&mut self, is_ready: bool) -> bool {
        let is_taken = self.is_offered && is_ready;
        if is_taken {
            self.waiting.pop_front();
            self.is_offered = false;
        }
        is_taken
    }
}

/// What is simulated.
enum Simulation {
    OneClock(Bench),
    TwoClocks(Box<ClockedChip>),
}

impl Simulation {
    /// A clock cycle of the buses.
    fn cycle(&mut self, pins: &[u32; PINS]) -> Result<Vec<u32>, SimulationError> {
        match self {
            Self::OneClock(bench) => bench.run(pins),
            Self::TwoClocks(chip) => chip.cycle(pins),
        }
    }
}

/// The chip with its buses and a host.
pub struct AxiChip {
    simulation: Simulation,
    random: Random,
    pub pauses: Pauses,
    cycles: u64,
    aw: Channel<u32>,
    w: Channel<(u32, u32)>,
    ar: Channel<u32>,
    input: Channel<InputBeat>,
    b: VecDeque<Answer>,
    r: VecDeque<Answer>,
    /// What came out and was not looked at; the host takes what comes out only where it says so.
    pub output: Vec<OutputBeat>,
    pub takes_output: bool,
    /// Words of the input that were taken, and those of them that the driver knows of.
    pub accepted: u64,
    reported: u64,
    /// Words of the packet that the driver has not given.
    packet_left: u64,
    /// Words of the packet of the next run.
    planned: u64,
    refused: bool,
    interrupt: bool,
    /// What the chip was configured for; a reset forgets it.
    pub configured: Option<Vec<(u32, u32)>>,
    /// What was offered in the cycle before and not taken: B, R and the output.
    waiting: [Option<Vec<u32>>; 3],
}

/// Cycles of a read without pauses, with one clock.
pub const READ_LATENCY: u64 = 4;

/// Cycles of a read without pauses.
pub fn read_latency(chip: &mut AxiChip) -> u64 {
    let before = chip.cycles();
    chip.read(registers::ID.address).unwrap().cycle - before
}

impl AxiChip {
    /// The chip with one clock.
    #[cfg(feature = "axi")]
    pub fn new(seed: u64, pauses: Pauses) -> Self {
        let bench = Bench::new(BenchKind::Axi, seed as u32);
        assert_eq!((bench.input_words(), bench.output_words()), (PINS, PINS));
        Self::of(Simulation::OneClock(bench), seed, pauses)
    }

    /// The chip with a clock of its own for the core, which is there.
    pub fn with_clocks(seed: u64, pauses: Pauses, clocks: Clocks) -> Self {
        let chip = ClockedChip::new(seed, clocks);
        let mut chip = Self::of(Simulation::TwoClocks(Box::new(chip)), seed, pauses);
        chip.await_core().expect("the core answers");
        chip
    }

    fn of(simulation: Simulation, seed: u64, pauses: Pauses) -> Self {
        Self {
            simulation,
            random: Random::new(seed),
            pauses,
            cycles: 0,
            aw: Channel::default(),
            w: Channel::default(),
            ar: Channel::default(),
            input: Channel::default(),
            b: VecDeque::new(),
            r: VecDeque::new(),
            output: Vec::new(),
            takes_output: false,
            accepted: 0,
            reported: 0,
            packet_left: 0,
            planned: 0,
            refused: false,
            interrupt: false,
            configured: None,
            waiting: [None, None, None],
        }
    }

    /// The two clocks, if the core has one of its own.
    pub fn clocked(&mut self) -> Option<&mut ClockedChip> {
        match &mut self.simulation {
            Simulation::OneClock(_) => None,
            Simulation::TwoClocks(chip) => Some(chip),
        }
    }

    pub fn has_two_clocks(&self) -> bool {
        matches!(self.simulation, Simulation::TwoClocks(_))
    }

    /// Waits until the core answers: with two clocks it is there some time after a reset.
    pub fn await_core(&mut self) -> Result<(), PortError> {
        for _ in 0..PATIENCE {
            if !self.read(registers::ID.address)?.refused {
                return Ok(());
            }
        }
        Err(PortError::new("the core does not come out of its reset"))
    }

    /// STREAM_STATE when the last word of the output has left the bus, which with two clocks the core hears
    /// later.
    pub fn stream_state(&mut self) -> u32 {
        for _ in 0..PATIENCE {
            let state = self.read(stream::STATE).unwrap();
            assert!(!state.refused);
            if !self.has_two_clocks() || state.data & stream::OUTPUT_OPEN == 0 {
                return state.data;
            }
        }
        panic!("the output stays open");
    }

    /// Waits until nothing is discarded any more: with two clocks the core has the last word of a packet some time
    /// after the bus.
    pub fn wait_for_discard(&mut self) {
        for _ in 0..PATIENCE {
            if self.read(stream::CONTROL).unwrap().data == 0 {
                return;
            }
        }
        panic!("words are still discarded");
    }

    /// Clock cycles of the buses since the reset.
    pub fn cycles(&self) -> u64 {
        self.cycles
    }

    /// Whether the interrupt output was high in the last cycle.
    pub fn interrupt(&self) -> bool {
        self.interrupt
    }

    /// Whether the last register access was answered with SLVERR.
    pub fn refused(&self) -> bool {
        self.refused
    }

    /// Resets the chip and the host, whatever is under way, and waits for the core.
    pub fn reset(&mut self) -> Result<(), PortError> {
        self.reset_alone()?;
        if self.has_two_clocks() {
            self.await_core()?;
        }
        Ok(())
    }

    /// The same, without waiting.
    pub fn reset_alone(&mut self) -> Result<(), PortError> {
        let mut pins = [0; PINS];
        pins[0] = RESET;
        for _ in 0..3 {
            let out = self.run(&pins)?;
            assert_eq!(
                out[0] & (B_VALID | R_VALID | OUTPUT_VALID | INTERRUPT),
                0,
                "something is offered during a reset"
            );
        }
        self.aw = Channel::default();
        self.w = Channel::default();
        self.ar = Channel::default();
        self.input = Channel::default();
        self.b.clear();
        self.r.clear();
        self.output.clear();
        (self.accepted, self.reported, self.packet_left) = (0, 0, 0);
        self.planned = 0;
        self.configured = None;
        self.waiting = [None, None, None];
        Ok(())
    }

    fn run(&mut self, pins: &[u32; PINS]) -> Result<Vec<u32>, PortError> {
        self.cycles += 1;
        self.simulation
            .cycle(pins)
            .map_err(|error| PortError::new(error.to_string()))
    }

    fn pauses(&mut self, share: u64) -> bool {
        self.random.below(256) < share
    }

    /// A clock cycle of the buses.
    pub fn cycle(&mut self) -> Result<(), PortError> {
        let pauses = self.pauses;
        let mut pins = [0; PINS];
        let paused = self.pauses(pauses.aw);
        if let Some(address) = self.aw.offer(paused) {
            pins[0] |= AW_VALID;
            pins[1] = address;
        }
        let paused = self.pauses(pauses.w);
        if let Some((data, strobes)) = self.w.offer(paused) {
            pins[0] |= W_VALID | strobes << STROBES;
            pins[2] = data;
        }
        let paused = self.pauses(pauses.ar);
        if let Some(address) = self.ar.offer(paused) {
            pins[0] |= AR_VALID;
            pins[3] = address;
        }
        let paused = self.pauses(pauses.input);
        if let Some(beat) = self.input.offer(paused) {
            pins[0] |= INPUT_VALID | if beat.last { INPUT_LAST } else { 0 };
            pins[4] = beat.keep;
            for (pin, bytes) in pins[5..].iter_mut().zip(beat.data.as_chunks::<4>().0) {
                *pin = u32::from_le_bytes(*bytes);
            }
        }
        if !self.pauses(pauses.b) {
            pins[0] |= B_READY;
        }
        if !self.pauses(pauses.r) {
            pins[0] |= R_READY;
        }
        if self.takes_output && !self.pauses(pauses.output) {
            pins[0] |= OUTPUT_READY;
        }

        let out = self.run(&pins)?;
        let has = |flag: u32| out[0] & flag != 0;
        self.interrupt = has(INTERRUPT);
        let (b_ready, r_ready) = (pins[0] & B_READY != 0, pins[0] & R_READY != 0);
        let output_ready = pins[0] & OUTPUT_READY != 0;
        self.check_waiting(0, has(B_VALID), b_ready, vec![out[0] >> B_RESPONSE & 3]);
        self.check_waiting(
            1,
            has(R_VALID),
            r_ready,
            vec![out[0] >> R_RESPONSE & 3, out[1]],
        );
        let mut payload = out[2..].to_vec();
        payload.push(out[0] & OUTPUT_LAST);
        self.check_waiting(2, has(OUTPUT_VALID), output_ready, payload);

        self.aw.take(has(AW_READY));
        self.w.take(has(W_READY));
        self.ar.take(has(AR_READY));
        self.accepted += u64::from(self.input.take(has(INPUT_READY)));
        let answer = |response: u32, data| {
            assert!(response == 0 || response == 2, "response {response}");
            Answer {
                data,
                refused: response == 2,
                cycle: self.cycles,
            }
        };
        if has(B_VALID) && b_ready {
            self.b.push_back(answer(out[0] >> B_RESPONSE & 3, 0));
        }
        if has(R_VALID) && r_ready {
            self.r.push_back(answer(out[0] >> R_RESPONSE & 3, out[1]));
        }
        if has(OUTPUT_VALID) && output_ready {
            assert_eq!(out[4], ALL_BYTES, "TKEEP of the output");
            let mut data = Word::default();
            for (bytes, value) in data.as_chunks_mut::<4>().0.iter_mut().zip(&out[5..]) {
                *bytes = value.to_le_bytes();
            }
            let beat = OutputBeat {
                data,
                user: u64::from(out[2]) | u64::from(out[3]) << 32,
                last: has(OUTPUT_LAST),
            };
            // The engine is 0, and so are the bits without a meaning.
            assert_eq!(beat.user & 0xfcff_0000_0000_0000, 0, "{beat:x?}");
            self.output.push(beat);
        }
        Ok(())
    }

    /// What is offered by the chip stays until it is taken.
    fn check_waiting(&mut self, channel: usize, valid: bool, ready: bool, payload: Vec<u32>) {
        if let Some(expected) = &self.waiting[channel] {
            assert!(valid, "channel {channel}: VALID fell before READY was high");
            assert_eq!(&payload, expected, "channel {channel}: the payload changed");
        }
        self.waiting[channel] = (valid && !ready).then_some(payload);
    }

    /// Gives the address of a write, its data, the address of a read, or a word of the input.
    pub fn give_address(&mut self, address: u32) {
        self.aw.waiting.push_back(address);
    }

    pub fn give_data(&mut self, data: u32, strobes: u32) {
        self.w.waiting.push_back((data, strobes));
    }

    pub fn give_read(&mut self, address: u32) {
        self.ar.waiting.push_back(address);
    }

    pub fn give_input(&mut self, beat: InputBeat) {
        self.input.waiting.push_back(beat);
    }

    /// Words of the input that were given and not taken.
    pub fn input_left(&self) -> usize {
        self.input.waiting.len()
    }

    /// Whether the last one of these has TLAST.
    pub fn input_ends(&self) -> bool {
        self.input.waiting.back().is_some_and(|beat| beat.last)
    }

    /// Forgets the words that were given and not offered.
    pub fn forget_input(&mut self) {
        let offered = usize::from(self.input.is_offered);
        self.input.waiting.truncate(offered);
    }

    /// Lets cycles pass until there is an answer to a write.
    pub fn write_answer(&mut self) -> Result<Answer, PortError> {
        for _ in 0..PATIENCE {
            if let Some(answer) = self.b.pop_front() {
                return Ok(answer);
            }
            self.cycle()?;
        }
        Err(PortError::new("a write is not answered"))
    }

    /// Lets cycles pass until there is an answer to a read.
    pub fn read_answer(&mut self) -> Result<Answer, PortError> {
        for _ in 0..PATIENCE {
            if let Some(answer) = self.r.pop_front() {
                return Ok(answer);
            }
            self.cycle()?;
        }
        Err(PortError::new("a read is not answered"))
    }

    /// Writes some bytes of a register.
    pub fn write(&mut self, address: u32, data: u32, strobes: u32) -> Result<Answer, PortError> {
        self.give_address(address);
        self.give_data(data, strobes);
        let answer = self.write_answer()?;
        self.refused = answer.refused;
        Ok(answer)
    }

    /// Reads a register.
    pub fn read(&mut self, address: u32) -> Result<Answer, PortError> {
        self.give_read(address);
        let answer = self.read_answer()?;
        self.refused = answer.refused;
        Ok(answer)
    }

    /// Lets cycles pass until `condition` holds.
    pub fn wait(
        &mut self,
        what: &str,
        most: u64,
        condition: impl Fn(&Self) -> bool,
    ) -> Result<(), PortError> {
        for _ in 0..most {
            if condition(self) {
                return Ok(());
            }
            self.cycle()?;
        }
        Err(PortError::new(format!("{what}: not within {most} cycles")))
    }

    /// After a clear: ends the packet of the input if a word of it is on offer, which cannot be taken back, and
    /// takes what is left of the output.
    fn settle(&mut self) -> Result<(), PortError> {
        self.forget_input();
        if let Some(beat) = self.input.waiting.front().copied() {
            self.write(stream::CONTROL, stream::DISCARD, ALL_STROBES)?;
            if !beat.last {
                let data = word::from_u64(self.random.next());
                self.give_input(InputBeat {
                    data,
                    keep: ALL_BYTES,
                    last: true,
                });
            }
            self.wait("the rest of a packet", PATIENCE, |chip| {
                chip.input_left() == 0
            })?;
        }
        self.takes_output = true;
        while self.read(stream::STATE)?.data & stream::OUTPUT_OPEN != 0 {}
        self.takes_output = false;
        let state = self.read(stream::STATE)?.data;
        if state != 0 {
            return Err(PortError::new(format!(
                "STREAM_STATE is {state:#x} after a clear"
            )));
        }
        self.output.clear();
        self.reported = self.accepted;
        self.packet_left = 0;
        Ok(())
    }
}

impl ChipPort for AxiChip {
    fn name(&self) -> &str {
        "axi"
    }

    fn write_register(&mut self, address: u32, value: u32) -> Result<(), PortError> {
        let answer = self.write(address, value, ALL_STROBES)?;
        if address == registers::CONTROL.address && !answer.refused {
            if value & (CLEAR | ZEROISE) != 0 {
                self.settle()?;
            } else if value & START != 0 {
                self.packet_left = self.planned;
            }
        }
        self.refused = answer.refused;
        Ok(())
    }

    fn read_register(&mut self, address: u32) -> Result<u32, PortError> {
        Ok(self.read(address)?.data)
    }

    /// The clock of the core may be the slower one.
    fn patience(&self, cycles: u64) -> Patience {
        let ratio = if self.has_two_clocks() { 16 } else { 1 };
        Patience::Cycles(ratio * cycles)
    }

    fn begin_run(&mut self, plan: &RunPlan) -> Result<(), PortError> {
        self.planned = plan.input_words;
        Ok(())
    }

    fn transfer(
        &mut self,
        input: &[Word],
        output: &mut Vec<OutputWord>,
        cycles: u64,
    ) -> Result<usize, PortError> {
        // Words of this call that were offered in an earlier one, and taken since then or not.
        let mut given = (self.accepted - self.reported) as usize + self.input_left();
        self.takes_output = true;
        let mut is_last = false;
        for _ in 0..cycles {
            if is_last {
                break;
            }
            // A start that is refused has no packet.
            if self.packet_left > 0 && self.input_left() == 0 && given < input.len() {
                self.packet_left -= 1;
                self.give_input(InputBeat {
                    data: input[given],
                    keep: ALL_BYTES,
                    last: self.packet_left == 0,
                });
                given += 1;
            }
            self.cycle()?;
            for beat in self.output.drain(..) {
                if beat.is_aborted() {
                    return Err(PortError::new("an abort word came out of a run"));
                }
                is_last = beat.last;
                output.push(OutputWord {
                    data: beat.data,
                    level: beat.level(),
                    index: beat.index() as u32,
                    last: beat.last,
                    error: beat.is_void(),
                });
            }
        }
        self.takes_output = false;
        // What is not offered yet is given again.
        let before = self.input_left();
        self.forget_input();
        self.packet_left += (before - self.input_left()) as u64;
        let taken = self.accepted - mem::replace(&mut self.reported, self.accepted);
        Ok(taken as usize)
    }
}

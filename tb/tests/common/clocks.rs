// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! Two clocks of any ratio and phase, edge by edge, for the benches whose own clock is a time step.

use std::fmt;
use std::mem;
use std::ops::Range;

use acclmt_verilated::{Bench, BenchKind, SimulationError};

use super::Random;

/// A time step, in the units of a clock.
pub const STEP: u64 = 256;

/// The most steps of half a period.
const LONGEST_HALF: u64 = 4;

/// A clock: where it is, and when it rises or falls next.
#[derive(Clone, Debug)]
pub struct Clock {
    /// Half a period, and how much longer or shorter each of them may be.
    half: u64,
    jitter: u64,
    next: u64,
    level: bool,
    stands: bool,
}

impl fmt::Display for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let steps = |units: u64| units as f64 / STEP as f64;
        let (half, jitter) = (steps(self.half), steps(self.jitter));
        let phase = steps(self.next);
        write!(f, "2 * {half:.2} steps +- {jitter:.2}, from {phase:.2} on")
    }
}

impl Clock {
    /// A clock with halves of a period of `half` +- `jitter`, the first edge of which comes `phase` later.
    pub fn new(half: u64, jitter: u64, phase: u64) -> Self {
        assert!(half >= STEP + jitter, "two edges in a time step");
        Self {
            half,
            jitter,
            next: phase,
            level: false,
            stands: false,
        }
    }

    /// The level now.
    pub fn level(&self) -> bool {
        self.level
    }

    /// The level at the end of a time step.
    pub fn step(&mut self, step: u64, random: &mut Random) -> bool {
        if self.next < (step + 1) * STEP {
            let spread = random.below(2 * self.jitter + 1);
            self.next += self.half - self.jitter + spread;
            if !self.stands {
                self.level = !self.level;
            }
        }
        self.level
    }
}

/// What a first flop that is met by a change takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settling {
    /// The new value, as without the replacement.
    New,
    /// The old value.
    Old,
    /// Either of them, each bit for itself.
    Random,
}

impl Settling {
    /// The random bits of a time step.
    pub fn bits(self, random: &mut Random) -> [u32; 2] {
        match self {
            Self::New => [0; 2],
            Self::Old => [u32::MAX; 2],
            Self::Random => {
                let bits = random.next();
                [bits as u32, (bits >> 32) as u32]
            }
        }
    }
}

/// Two clocks, and what becomes of what passes from one to the other.
#[derive(Clone, Debug)]
pub struct Clocks {
    /// The clock of the bus, or the writing one.
    pub first: Clock,
    /// The clock of the core, or the reading one.
    pub second: Clock,
    pub settling: Settling,
}

impl fmt::Display for Clocks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { first, second, .. } = self;
        write!(f, "clocks: {first}; {second}; {:?}", self.settling)
    }
}

/// How two clocks relate to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// The first one is the faster one by 1.5 times and more.
    FirstFaster,
    SecondFaster,
    /// They drift past each other, within some dozens of cycles.
    NearlyEqual,
    /// All edges of both in the same steps.
    Simultaneous,
    /// The edges of one always at the same distance to those of the other.
    Locked,
}

impl Relation {
    pub const ALL: [Self; 5] = [
        Self::FirstFaster,
        Self::SecondFaster,
        Self::NearlyEqual,
        Self::Simultaneous,
        Self::Locked,
    ];
}

impl Clocks {
    /// Random clocks of a kind, and first flops that settle at random.
    pub fn of(relation: Relation, random: &mut Random) -> Self {
        let mut between = |from: u64, to: u64| from + random.below(to - from + 1);
        let (first, second) = match relation {
            Relation::FirstFaster | Relation::SecondFaster => {
                let fast = between(STEP, 2 * STEP);
                let slow = between(fast * 3 / 2, LONGEST_HALF * STEP);
                // Half of them regular, so that the distances of the edges repeat.
                let jitter = |half: u64, share: u64| (half - STEP).min(half / 2) * share / 2;
                let (fast_share, slow_share) = (between(0, 1), between(0, 2));
                let phases = [between(0, 2 * STEP), between(0, 2 * slow)];
                let fast = Clock::new(fast, jitter(fast, fast_share), phases[0]);
                let slow = Clock::new(slow, jitter(slow, slow_share), phases[1]);
                match relation {
                    Relation::FirstFaster => (fast, slow),
                    _ => (slow, fast),
                }
            }
            Relation::NearlyEqual => {
                let half = between(STEP + 16, 2 * STEP);
                let other = half + between(1, 16);
                let jitter = between(0, 15);
                let first = Clock::new(half, jitter, between(0, 4 * STEP));
                let second = Clock::new(other, 0, between(0, 4 * STEP));
                match between(0, 1) {
                    0 => (first, second),
                    _ => (second, first),
                }
            }
            Relation::Simultaneous | Relation::Locked => {
                let steps = between(1, 3);
                let distance = match relation {
                    Relation::Locked => between(1, 2 * steps - 1),
                    _ => 0,
                };
                let half = steps * STEP;
                (Clock::new(half, 0, 0), Clock::new(half, 0, distance * STEP))
            }
        };
        Self {
            first,
            second,
            settling: Settling::Random,
        }
    }

    /// Equal clocks, as fast as a time step allows.
    pub fn fastest() -> Self {
        Self {
            first: Clock::new(STEP, 0, 0),
            second: Clock::new(STEP, 0, 0),
            settling: Settling::Random,
        }
    }

    /// Random clocks of any kind.
    pub fn random(random: &mut Random) -> Self {
        Self::of(*random.choose(&Relation::ALL), random)
    }
}

/// Words of the packed input and output of tb/rtl/acclmt_tb_axi.sv, which those of
/// tb/rtl/acclmt_tb_clocks.sv begin with; the clocks and random bits behind them.
const PINS: usize = 13;
const ALL_PINS: usize = PINS + 3;

/// Flags of the pins, and of the word of the clocks.
const RESET: u32 = 1 << 0;
const FIRST_CLOCK: u32 = 1 << 0;
const SECOND_CLOCK: u32 = 1 << 1;
const CORE_RESET: u32 = 1 << 2;

/// Time steps within which the clock of the bus rises again.
const LONGEST_CYCLE: u64 = 64;

/// The chip with a clock of its own for the core.
pub struct ClockedChip {
    bench: Bench,
    random: Random,
    clocks: Clocks,
    step: u64,
    is_in_reset: bool,
    /// The steps in which the core is reset.
    core_reset: Range<u64>,
}

impl ClockedChip {
    pub fn new(seed: u64, clocks: Clocks) -> Self {
        println!("{clocks}");
        let mut bench = Bench::new(BenchKind::Clocks, seed as u32);
        assert_eq!(
            (bench.input_words(), bench.output_words()),
            (ALL_PINS, PINS)
        );
        // Both clocks are low.
        bench
            .run(&[0; ALL_PINS])
            .expect("nothing happens without an edge");
        Self {
            bench,
            random: Random::new(seed ^ 0x636c_6f63_6b73),
            clocks,
            step: 0,
            is_in_reset: false,
            core_reset: 0..0,
        }
    }

    /// The time steps up to the next rise of the clock of the bus, which ends a cycle. Returns what the chip
    /// shows before that.
    pub fn cycle(&mut self, pins: &[u32; PINS]) -> Result<Vec<u32>, SimulationError> {
        let mut input: Vec<[u32; ALL_PINS]> = Vec::new();
        let mut before = self.clocks.first.level();
        loop {
            let mut step = [0; ALL_PINS];
            step[..PINS].copy_from_slice(pins);
            let random = &mut self.random;
            let level = self.clocks.first.step(self.step, random);
            if level {
                step[PINS] |= FIRST_CLOCK;
            }
            if self.clocks.second.step(self.step, random) {
                step[PINS] |= SECOND_CLOCK;
            }
            if self.core_reset.contains(&self.step) {
                step[PINS] |= CORE_RESET;
            }
            step[PINS + 1..].copy_from_slice(&self.clocks.settling.bits(random));
            input.push(step);
            self.step += 1;
            if level && !before {
                break;
            }
            before = level;
            assert!((input.len() as u64) < LONGEST_CYCLE, "the clock stands");
        }
        // A reset of the bus may begin in any step, and ends with its clock.
        let resets = pins[0] & RESET != 0;
        if resets && !self.is_in_reset {
            let first = self.random.below(input.len() as u64) as usize;
            for step in &mut input[..first] {
                step[0] &= !RESET;
            }
        }
        self.is_in_reset = resets;
        let output = self.bench.run(input.as_flattened())?;
        Ok(output[output.len() - PINS..].to_vec())
    }

    /// Resets the core `after` steps from now, for `length` steps.
    pub fn reset_core(&mut self, after: u64, length: u64) {
        let first = self.step + after;
        self.core_reset = first..first.saturating_add(length);
    }

    /// Ends a reset of the core `after` steps from now.
    pub fn release_core(&mut self, after: u64) {
        self.core_reset.end = self.core_reset.end.min(self.step + after);
    }

    /// Whether the core is in reset, or will be.
    pub fn is_core_reset_ahead(&self) -> bool {
        self.step < self.core_reset.end
    }

    /// Lets the clock of the core stand, or run.
    pub fn stop_core(&mut self, stands: bool) {
        self.clocks.second.stands = stands;
    }

    /// Takes other clocks from now on, and returns those before. Their next edges are in steps to come.
    pub fn replace_clocks(&mut self, mut clocks: Clocks) -> Clocks {
        let now = (self.step + 1) * STEP;
        for (clock, before) in [
            (&mut clocks.first, &self.clocks.first),
            (&mut clocks.second, &self.clocks.second),
        ] {
            clock.next = clock.next.max(now);
            clock.level = before.level;
        }
        mem::replace(&mut self.clocks, clocks)
    }
}

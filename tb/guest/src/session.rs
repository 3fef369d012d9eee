// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! A guest from its start to its end, with the device beside it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::chip::{Chip, ChipError};
use crate::device::{Counts, Device, DeviceError, Step};
use crate::interrupt::{Interrupt, InterruptError};
use crate::machine::{Description, Machine, MachineError};
use crate::memory::{GuestMemory, Refusal};
use crate::proxy::{Proxy, ProxyError};
use crate::transcript::{Transcript, TranscriptError};

/// How long the device waits for a message before it looks at other things.
const LOOK: Duration = Duration::from_millis(20);

/// How long QEMU may take to end when it has closed its sockets.
const END: Duration = Duration::from_secs(10);

/// Why a session failed.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The machine failed.
    #[error(transparent)]
    Machine(#[from] MachineError),
    /// The device failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The guest does what it should not.
    #[error(transparent)]
    Transcript(#[from] TranscriptError),
    /// It took too long.
    #[error("the guest was not done after {limit:.0?}; its last lines:\n{last}")]
    Time {
        /// The limit.
        limit: Duration,
        /// The last lines of the console.
        last: String,
    },
    /// Somebody has ended it.
    #[error("ended by a signal")]
    Signal,
}

impl From<ProxyError> for SessionError {
    fn from(error: ProxyError) -> Self {
        Self::Device(error.into())
    }
}

impl From<InterruptError> for SessionError {
    fn from(error: InterruptError) -> Self {
        Self::Device(error.into())
    }
}

/// What is known at the end.
#[derive(Clone, Debug)]
pub struct Session {
    /// What the guest said.
    pub transcript: Transcript,
    /// Register accesses.
    pub counts: Counts,
    /// How often the interrupt was raised.
    pub interrupts: u64,
    /// Clock cycles of the chip.
    pub cycles: u64,
    /// Accesses of the chip that were refused, and why the last one was.
    pub refusals: (u64, Option<Refusal>),
    /// How long it took.
    pub time: Duration,
}

/// What happens meanwhile.
pub enum Event<'a> {
    /// A line of the console.
    Line(&'a str),
    /// What the guest does now.
    Note(&'a str),
}

/// Runs a guest to its end, with a chip that `chip` makes for its memory.
///
/// # Errors
///
/// When the machine or the chip fails, it takes longer than `limit`, or `stop` is set.
pub fn run<C: Chip>(
    description: &Description,
    chip: impl FnOnce(GuestMemory) -> Result<C, ChipError>,
    limit: Duration,
    stop: &AtomicBool,
    mut on_event: impl FnMut(Event<'_>),
) -> Result<Session, SessionError> {
    let began = Instant::now();
    let memory = GuestMemory::new();
    // It may take its time, which is none of the guest.
    let chip = chip(memory.clone()).map_err(DeviceError::from)?;
    let (mut machine, sockets) = Machine::start(description)?;
    let proxy = Proxy::new(sockets.device)?;
    let interrupt = Interrupt::new(sockets.test)?;
    let mut device = Device::new(chip, memory.clone(), proxy, interrupt);
    let mut transcript = Transcript::default();
    let mut take = |line: &str| -> Result<(), SessionError> {
        on_event(Event::Line(line));
        if let Some(note) = transcript.take(line)? {
            on_event(Event::Note(&note));
        }
        Ok(())
    };
    let mut is_late = false;
    while device.step(LOOK)? == Step::Alive {
        while let Some(line) = machine.line() {
            take(&line)?;
        }
        if stop.load(Ordering::Relaxed) {
            return Err(SessionError::Signal);
        }
        if began.elapsed() >= limit {
            is_late = true;
            break;
        }
    }
    if is_late {
        let last = transcript.last();
        return Err(SessionError::Time { limit, last });
    }
    for line in machine.wait(END)? {
        take(&line)?;
    }
    Ok(Session {
        transcript,
        counts: device.counts(),
        interrupts: device.interrupts(),
        cycles: device.chip().cycles(),
        refusals: memory.refusals(),
        time: began.elapsed(),
    })
}

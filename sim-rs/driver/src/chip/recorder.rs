// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! A port for tests that keeps what is done with another one.

use acclmt_poseidon::word::Word;

use super::{ChipPort, OutputWord, PortError, RunPlan};

/// What went to a chip or came from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A value was written to the register at a byte address.
    Write(u32, u32),
    /// A word was taken.
    Input(Word),
    /// A word came.
    Output(OutputWord),
}

/// A port that keeps what is done with another one.
pub struct Recorder<P> {
    port: P,
    /// What was done, in this order. Words that came are behind those that were taken in the same call.
    pub events: Vec<Event>,
}

impl<P: ChipPort> Recorder<P> {
    /// In front of a port.
    pub fn new(port: P) -> Self {
        Self {
            port,
            events: Vec::new(),
        }
    }
}

impl<P: ChipPort> ChipPort for Recorder<P> {
    fn name(&self) -> &str {
        self.port.name()
    }

    fn write_register(&mut self, address: u32, value: u32) -> Result<(), PortError> {
        self.events.push(Event::Write(address, value));
        self.port.write_register(address, value)
    }

    fn read_register(&mut self, address: u32) -> Result<u32, PortError> {
        self.port.read_register(address)
    }

    fn begin_run(&mut self, plan: &RunPlan) -> Result<(), PortError> {
        self.port.begin_run(plan)
    }

    fn transfer(
        &mut self,
        input: &[Word],
        output: &mut Vec<OutputWord>,
        cycles: u64,
    ) -> Result<usize, PortError> {
        let before = output.len();
        let taken = self.port.transfer(input, output, cycles)?;
        let words = input[..taken].iter().copied();
        self.events.extend(words.map(Event::Input));
        self.events
            .extend(output[before..].iter().copied().map(Event::Output));
        Ok(taken)
    }
}

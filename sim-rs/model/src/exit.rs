//! The exit from the recurrence: the sums of a state are reduced, word by word, on its way to the last visit.
//!
//! Like the visits of the chain its work is computed ahead: a state starts when it is complete at the input, the
//! one before is done, and a place is free in the buffer behind, which nothing changes that happens later. All
//! that its future depends on is in both buffers: the head of the input is there when the one before is done.

use super::buffer::StateBuffer;
use super::visits::Advance;
use crate::latencies::{EXIT_PLACES, Pipelines};
use acclmt_driver::program::LANES;

/// The exit between two buffers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exit {
    beats: u64,
    /// Cycles from the start of a state until its first beat enters the buffer behind.
    latency: u64,
    pub(super) input: usize,
    pub(super) output: usize,
}

impl Exit {
    /// An exit for states of so many beats.
    pub(super) fn new(beats: u64, pipelines: &Pipelines, input: usize, output: usize) -> Self {
        Self {
            beats,
            latency: pipelines.exit,
            input,
            output,
        }
    }

    /// The buffer behind an exit for states of so many beats.
    pub(super) fn buffer(beats: u64) -> StateBuffer {
        StateBuffer::new(EXIT_PLACES / beats)
    }

    /// Computes the starts of all states that have become known.
    pub(super) fn advance(&self, buffers: &mut [StateBuffer]) -> Advance {
        let mut advance = Advance::default();
        let Ok([input, output]) = buffers.get_disjoint_mut([self.input, self.output]) else {
            return advance;
        };
        // A word a cycle.
        let words = LANES as u64;
        loop {
            let start = input.head_from().max(output.place_from());
            if start == u64::MAX {
                return advance;
            }
            output.reserve_at(start);
            let first = start + self.latency;
            output.push(first, first + words * (self.beats - 1));
            advance.arrives = true;
            let freed = input.take(start + words * self.beats - 1);
            advance.freed = advance.freed.or(freed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_follow_one_another_while_there_are_places() {
        let beats = 2;
        let exit = Exit::new(beats, &Pipelines::new(false), 0, 1);
        let mut buffers = [StateBuffer::new(32), Exit::buffer(beats)];
        for _ in 0..5 {
            buffers[0].reserve();
            // All are there in cycle 10.
            buffers[0].push(8, 9);
        }
        assert!(exit.advance(&mut buffers).arrives);
        // Of eight places four states have one. They start in cycles 10, 16, 22, 28; the first beat of the first
        // one is there in cycle 20, the second one in cycle 23.
        assert_eq!(buffers[0].head_from(), 34);
        assert_eq!(buffers[1].place_from(), u64::MAX);
        assert_eq!(buffers[1].head_from(), 24);
        assert_eq!(buffers[1].take(41), Some(42));
        // The fifth starts as soon as there is a place.
        assert!(exit.advance(&mut buffers).arrives);
        assert_eq!(buffers[0].head_from(), u64::MAX);
        for last in [43, 45, 47] {
            assert_eq!(buffers[1].head_from(), last - 1);
            buffers[1].take(last);
        }
        assert_eq!(buffers[1].head_from(), 42 + 14);
    }
}

//! Queues of times: of what comes in order and is only ever looked at from its front.

use super::survey::Survey;

/// A queue of cycles.
#[derive(Clone, Debug)]
pub(super) struct Times {
    /// A power of two of them, at positions modulo that.
    times: Box<[u64]>,
    head: usize,
    len: usize,
    /// The first one; `u64::MAX` if there is none.
    front: u64,
}

impl Times {
    /// An empty queue with room for so many; it grows beyond.
    pub(super) fn new(room: u64) -> Self {
        let room = (room as usize).next_power_of_two();
        Self {
            times: vec![0; room].into_boxed_slice(),
            head: 0,
            len: 0,
            front: u64::MAX,
        }
    }

    /// The time at a position from the front on, which there must be.
    #[inline]
    pub(super) fn at(&self, position: usize) -> u64 {
        debug_assert!(position < self.len);
        self.times[(self.head + position) & (self.times.len() - 1)]
    }

    /// The first one; `u64::MAX`, which is never, if there is none.
    #[inline]
    pub(super) fn front(&self) -> u64 {
        self.front
    }

    /// Takes the first one away, which there must be.
    #[inline]
    pub(super) fn pop(&mut self) {
        debug_assert!(self.len != 0);
        self.head = (self.head + 1) & (self.times.len() - 1);
        self.len -= 1;
        self.front = if self.len == 0 { u64::MAX } else { self.at(0) };
    }

    #[inline]
    pub(super) fn push(&mut self, time: u64) {
        if self.len == self.times.len() {
            self.grow();
        }
        if self.len == 0 {
            self.front = time;
        }
        self.times[(self.head + self.len) & (self.times.len() - 1)] = time;
        self.len += 1;
    }

    #[cold]
    fn grow(&mut self) {
        let mut times: Vec<_> = self.iter().collect();
        times.resize(2 * self.times.len(), 0);
        self.times = times.into_boxed_slice();
        self.head = 0;
    }

    /// Lists all times.
    pub(super) fn survey(&mut self, survey: &mut Survey<'_>) {
        survey.number(self.len as u64);
        for position in 0..self.len {
            let position = (self.head + position) & (self.times.len() - 1);
            survey.time(&mut self.times[position]);
        }
        if self.len != 0 {
            self.front = self.at(0);
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = u64> + '_ {
        (0..self.len).map(|position| self.at(position))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_come_out_in_order() {
        let mut times = Times::new(3);
        assert_eq!(times.front(), u64::MAX);
        let mut expected = std::collections::VecDeque::new();
        for time in 0..100 {
            times.push(time);
            expected.push_back(time);
            if time % 3 == 0 {
                assert_eq!(Some(times.front()), expected.pop_front());
                times.pop();
            }
            assert!(times.iter().eq(expected.iter().copied()));
            assert_eq!(times.len, expected.len());
        }
    }
}

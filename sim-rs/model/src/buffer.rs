//! Buffers between the blocks, as times at which something is there.

use super::survey::Survey;
use super::times::Times;
use crate::latencies;

/// The output buffer of a sub-engine or of the loader (`acclmt_state_buffer`): states of one or more beats
/// in places that were reserved for them.
#[derive(Clone, Debug)]
pub(super) struct StateBuffer {
    /// States that fit.
    limit: u64,
    /// Places that are reserved, those included that are free from a time in `releases` on.
    taken: u64,
    releases: Times,
    /// When each state is complete.
    complete: Times,
    /// When the beats of the state before the head have left.
    head_from: u64,
}

impl StateBuffer {
    pub(super) fn new(limit: u64) -> Self {
        Self {
            limit,
            taken: 0,
            releases: Times::new(limit),
            complete: Times::new(limit),
            head_from: 0,
        }
    }

    /// Whether a place can be reserved in cycle `now`.
    #[inline]
    pub(super) fn is_available(&mut self, now: u64) -> bool {
        self.release(now);
        self.taken < self.limit
    }

    /// The places that are free in cycle `now` are no longer taken.
    #[inline]
    fn release(&mut self, now: u64) {
        while self.releases.front() <= now {
            self.releases.pop();
            self.taken -= 1;
        }
    }

    /// From when on a place can be reserved by a producer that computes ahead; `u64::MAX` if that is not
    /// known.
    #[inline]
    pub(super) fn place_from(&self) -> u64 {
        if self.taken < self.limit {
            0
        } else {
            self.releases.front()
        }
    }

    /// From when on a place can be reserved, as far as that is known: `u64::MAX` if it is not.
    #[inline]
    pub(super) fn available_from(&mut self, now: u64) -> u64 {
        if self.is_available(now) {
            now
        } else {
            self.releases.front()
        }
    }

    #[inline]
    pub(super) fn reserve(&mut self) {
        self.taken += 1;
    }

    /// Reserves a place from cycle `time` on, which is not before [`StateBuffer::place_from`].
    #[inline]
    pub(super) fn reserve_at(&mut self, time: u64) {
        self.release(time);
        self.taken += 1;
    }

    /// When a state is complete whose first and last beat come in these cycles.
    #[inline]
    pub(super) fn complete(first: u64, last: u64) -> u64 {
        (first + latencies::FIFO).max(last + 1)
    }

    /// A state comes, its first and its last beat in these cycles. Returns when it is complete.
    #[inline]
    pub(super) fn push(&mut self, first: u64, last: u64) -> u64 {
        let complete = Self::complete(first, last);
        self.complete.push(complete);
        complete
    }

    /// Lists all that its future depends on.
    pub(super) fn survey(&mut self, survey: &mut Survey<'_>) {
        survey.number(self.taken);
        self.releases.survey(survey);
        self.complete.survey(survey);
        survey.time(&mut self.head_from);
    }

    /// When the state at the head is there to be taken; `u64::MAX` if there is none.
    #[inline]
    pub(super) fn head_from(&self) -> u64 {
        self.complete.front().max(self.head_from)
    }

    /// The state at the head leaves, its last beat in cycle `last`. Returns when its place is free, if
    /// whoever fills the buffer may wait for one.
    #[inline]
    pub(super) fn take(&mut self, last: u64) -> Option<u64> {
        self.complete.pop();
        self.head_from = last + 1;
        self.releases.push(last + 1);
        (self.taken == self.limit).then_some(last + 1)
    }
}

/// A pipeline that never stalls with its output buffer (`acclmt_reserved_fifo`): a word enters only
/// while a place is reserved for it.
#[derive(Clone, Debug)]
pub(super) struct Conversion {
    cycles: u64,
    places: u64,
    taken: u64,
    /// When each word reaches the head of an empty buffer.
    arrivals: Times,
    /// The first cycle after the word before the head has left.
    head_from: u64,
}

impl Conversion {
    /// A pipeline of so many cycles.
    pub(super) fn new(cycles: u64) -> Self {
        Self {
            cycles,
            places: cycles + latencies::PLACES_BESIDES_STAGES,
            taken: 0,
            arrivals: Times::new(cycles + latencies::PLACES_BESIDES_STAGES),
            head_from: 0,
        }
    }

    /// Lists all that its future depends on.
    pub(super) fn survey(&mut self, survey: &mut Survey<'_>) {
        survey.number(self.taken);
        self.arrivals.survey(survey);
        survey.time(&mut self.head_from);
    }

    /// Whether no word is inside.
    pub(super) fn is_empty(&self) -> bool {
        self.taken == 0
    }

    /// Whether a word can enter in cycle `now`.
    pub(super) fn is_ready(&self, now: u64) -> bool {
        // A word that leaves in this cycle gives its place back in the next one.
        let left_now = u64::from(self.head_from == now + 1);
        self.taken + left_now < self.places
    }

    pub(super) fn enter(&mut self, now: u64) {
        self.taken += 1;
        self.arrivals.push(now + self.cycles + latencies::FIFO);
    }

    /// When the word at the head is there; `u64::MAX` if there is none.
    pub(super) fn head_from(&self) -> u64 {
        self.arrivals.front().max(self.head_from)
    }

    /// The word at the head leaves in cycle `now`.
    pub(super) fn leave(&mut self, now: u64) {
        self.arrivals.pop();
        self.taken -= 1;
        self.head_from = now + 1;
    }
}

/// A buffer with its head in a register (`acclmt_fifo`), cycle by cycle.
#[derive(Clone, Debug, Default)]
pub(super) struct Fifo {
    depth: usize,
    /// Words in the memory.
    count: usize,
    has_head: bool,
}

impl Fifo {
    pub(super) fn new(depth: u64) -> Self {
        Self {
            depth: depth as usize,
            ..Self::default()
        }
    }

    pub(super) fn is_ready(&self) -> bool {
        self.count != self.depth
    }

    pub(super) fn has_head(&self) -> bool {
        self.has_head
    }

    pub(super) fn is_empty(&self) -> bool {
        self.count == 0 && !self.has_head
    }

    /// Whether the next cycle differs from this one while nothing comes and the head is not taken.
    pub(super) fn moves(&self) -> bool {
        self.count != 0 && !self.has_head
    }

    /// A cycle passes, in which a word is pushed or not, and the receiver is ready or not.
    pub(super) fn cycle(&mut self, push: bool, ready: bool) {
        let fetch = self.count != 0 && (!self.has_head || ready);
        self.count = self.count + usize::from(push) - usize::from(fetch);
        self.has_head = fetch || (self.has_head && !ready);
    }
}

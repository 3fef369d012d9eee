//! The turns of a loop whose slots are all of one length, where a state keeps its slot until it leaves.

/// A turn of the loop.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turn {
    /// Cycles of a slot, and of the turn.
    pub(super) slot: u64,
    pub(super) cycles: u64,
    /// Slots of the turn.
    pub(super) slots: usize,
    /// 2^64 / cycles, rounded up.
    reciprocal: u64,
}

/// A slot of a turn, as the bit of its number.
pub(super) type Place = u128;

impl Turn {
    /// Turns of so many cycles, a multiple of those of a slot.
    pub(super) fn new(slot: u64, cycles: u64) -> Self {
        Self {
            slot,
            cycles,
            slots: (cycles / slot) as usize,
            reciprocal: (u64::MAX / cycles).wrapping_add(1),
        }
    }

    /// `time` modulo the cycles of the turn. The reciprocal makes it exact up to 2^56, beyond any run.
    fn phase(&self, time: u64) -> u64 {
        if self.cycles == 1 {
            return 0;
        }
        let turns = ((u128::from(time) * u128::from(self.reciprocal)) >> 64) as u64;
        time - turns * self.cycles
    }

    /// The number of the slot that begins at `time`.
    fn number(&self, time: u64) -> u64 {
        let phase = self.phase(time);
        match self.slot {
            1 => phase,
            2 => phase / 2,
            slot => phase / slot,
        }
    }

    /// The slot that begins at `time`.
    pub(super) fn place(&self, time: u64) -> Place {
        1 << self.number(time)
    }

    /// The begin of the first slot from `from` on, itself such a begin, that is not occupied; `u64::MAX`
    /// if all are.
    pub(super) fn free_slot(&self, from: u64, occupied: Place) -> u64 {
        let free = !occupied & ((1 << self.slots) - 1);
        if free == 0 || from == u64::MAX {
            return u64::MAX;
        }
        let number = self.number(from);
        let ahead = free >> number;
        if ahead != 0 {
            from + u64::from(ahead.trailing_zeros()) * self.slot
        } else {
            from + (self.slots as u64 - number + u64::from(free.trailing_zeros())) * self.slot
        }
    }

    /// Cycles of the slots of a state that entered so long ago, for so many rounds.
    pub(super) fn busy(&self, time: u64, rounds: u64) -> u64 {
        let turns = time / self.cycles;
        if turns >= rounds {
            // The last round of a state that left is over before it leaves.
            return rounds * self.slot;
        }
        turns * self.slot + (time % self.cycles).min(self.slot)
    }
}

/// The first multiple of `grid` at or after `time`.
pub(super) fn align(time: u64, grid: u64) -> u64 {
    match grid {
        1 => time,
        2 => time.saturating_add(time & 1),
        grid => time.checked_next_multiple_of(grid).unwrap_or(u64::MAX),
    }
}

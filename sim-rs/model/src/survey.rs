//! What the state of a block is, for comparing two moments and for moving it in time.

use super::hash_engine::Tag;

/// All that the future of a block depends on, as it is listed by the block itself: to compare two moments,
/// or to move it in time.
#[derive(Debug)]
pub(super) enum Survey<'a> {
    /// To be noted, relative to a cycle, and to the numbers of the youngest group of each level of the tree.
    Note {
        now: u64,
        youngest: &'a [u16],
        values: &'a mut Vec<u64>,
    },
    /// So many cycles pass.
    Shift(u64),
}

/// A cycle relative to another one; `u64::MAX` is never.
#[inline]
pub(super) fn relative(time: u64, now: u64) -> u64 {
    if time == u64::MAX {
        time
    } else {
        time.wrapping_sub(now)
    }
}

impl Survey<'_> {
    /// A cycle, past or future; `u64::MAX` is never.
    #[inline]
    pub(super) fn time(&mut self, time: &mut u64) {
        match self {
            Survey::Note { now, values, .. } => values.push(relative(*time, *now)),
            Survey::Shift(cycles) if *time != u64::MAX => *time += *cycles,
            Survey::Shift(_) => {}
        }
    }

    /// A cycle from which on something can happen: all past ones are alike.
    #[inline]
    pub(super) fn due(&mut self, time: &mut u64) {
        match self {
            Survey::Note { now, values, .. } => values.push(relative((*time).max(*now), *now)),
            Survey::Shift(_) => self.time(time),
        }
    }

    /// Something that does not depend on the time.
    #[inline]
    pub(super) fn number(&mut self, number: u64) {
        if let Survey::Note { values, .. } = self {
            values.push(number);
        }
    }

    /// What accompanies a hash.
    #[inline]
    pub(super) fn tag(&mut self, tag: Tag) {
        if let Survey::Note {
            youngest, values, ..
        } = self
        {
            values.push(tag.relative(youngest));
        }
    }

    /// Something happens at multiples of so many cycles only.
    #[inline]
    pub(super) fn grid(&mut self, cycles: u64) {
        if let Survey::Note { now, values, .. } = self {
            values.push(*now % cycles);
        }
    }

    pub(super) fn shifts(&self) -> bool {
        matches!(self, Survey::Shift(_))
    }
}

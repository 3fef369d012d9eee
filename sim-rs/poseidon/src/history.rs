//! The last values of a sequence in a row of memory.

/// Room for three times as many values as are kept.
const PERIODS: usize = 3;

/// The last `N` values of a sequence.
pub(crate) struct History<V, const N: usize> {
    values: [[V; N]; PERIODS],
    length: usize,
}

impl<V: Copy + Default, const N: usize> History<V, N> {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self {
            values: [[V::default(); N]; PERIODS],
            length: 0,
        }
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, value: V) {
        if self.length == PERIODS * N {
            self.values[0] = self.values[PERIODS - 1];
            self.length = N;
        }
        self.values.as_flattened_mut()[self.length] = value;
        self.length += 1;
    }

    /// The last `count` values, at most `N` and all that there were, oldest first.
    #[inline(always)]
    pub(crate) fn last(&self, count: usize) -> &[V] {
        &self.values.as_flattened()[..self.length][self.length - count..]
    }
}

/// Takes the first `count` of `slice` away.
#[inline(always)]
pub(crate) fn take<'a, T>(slice: &mut &'a [T], count: usize) -> &'a [T] {
    let (first, rest) = slice.split_at(count);
    *slice = rest;
    first
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_values_are_kept() {
        let mut history = History::<usize, 4>::new();
        for number in 0..50 {
            history.push(number);
            for count in 0..=4.min(number + 1) {
                let expected: Vec<_> = (number + 1 - count..=number).collect();
                assert_eq!(history.last(count), expected);
            }
        }
    }
}

//! Where the nodes of a tree wait for their siblings on the chip.
//!
//! Level 0 of a tree are the leaves, level l + 1 the hashes of the nodes of level l. On the chip every
//! level below the root is a queue in one of five memories (AcclMT paper, section III-C and figure
//! 6): the leaf hash buffer holds the leaves of a *standard tree*; the root hash buffer the levels of
//! its major aggregation, the scratch pad those of its minor aggregation; the hierarchical
//! intermediate data memory (HIDM) the levels that join standard trees. A level belongs to the memory
//! that holds the largest power of the arity which fits.
//!
//! The chip takes the table from registers; a smaller tree than a memory could hold, as in tests of
//! every level, is a matter of the table.

/// Number of node memories.
pub const MEMORIES: usize = 5;

/// Words of each node memory: leaf hash buffer, root hash buffer, scratch pad, levels 0 and 1 of the
/// HIDM.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NodeMemories {
    /// Words of each, in this order.
    pub words: [u32; MEMORIES],
}

impl NodeMemories {
    /// The sizes of the paper: 128 KB, 64 KB, 4 KB, 8 KB and 512 bytes.
    pub const PAPER: Self = Self {
        words: [4096, 2048, 128, 256, 16],
    };
}

/// The queue of a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LevelQueue {
    /// Its memory, an index into [`NodeMemories::words`].
    pub memory: usize,
    /// Groups of siblings that it has room for.
    pub groups: u32,
}

/// A tree has more levels than the memories can hold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the chip folds trees of arity {arity} with up to {max_height} levels above the leaves, this one \
     has {height}"
)]
pub struct TreeTooHigh {
    /// The arity.
    pub arity: usize,
    /// Levels above the leaves.
    pub height: usize,
    /// The most levels above the leaves.
    pub max_height: usize,
}

/// The largest e with base^e <= limit.
fn floor_log(base: usize, limit: u32) -> usize {
    let mut exponent = 0;
    let mut power = base as u64;
    while power <= u64::from(limit) {
        power *= base as u64;
        exponent += 1;
    }
    exponent
}

/// Levels of a tree of arity `arity`, at least 2, in the memories.
struct Layout {
    /// First level of the scratch pad, of level 0 of the HIDM, of level 1 of the HIDM, and the first
    /// level beyond.
    scratch: usize,
    hidm0: usize,
    hidm1: usize,
    end: usize,
}

impl Layout {
    fn new(arity: usize, memories: &NodeMemories) -> Self {
        let [standard, _, scratch, hidm0, hidm1] =
            memories.words.map(|words| floor_log(arity, words));
        // The nodes just below the root of a standard tree are the first ones of the HIDM.
        let first_hidm = standard.saturating_sub(1).max(1);
        let second_hidm = (standard.saturating_sub(1) + hidm0).max(first_hidm);
        Self {
            scratch: standard.saturating_sub(scratch).clamp(2, first_hidm.max(2)),
            hidm0: first_hidm,
            hidm1: second_hidm,
            end: second_hidm + hidm1,
        }
    }

    fn memory(&self, level: usize) -> usize {
        match level {
            0 => 0,
            _ if level >= self.hidm1 => 4,
            _ if level >= self.hidm0 => 3,
            _ if level >= self.scratch => 2,
            _ => 1,
        }
    }
}

/// Leaves of a standard tree of arity `arity`, at least 2: the largest power of the arity that the leaf
/// hash buffer holds.
pub fn standard_tree(arity: usize, memories: &NodeMemories) -> u64 {
    (arity as u64).pow(floor_log(arity, memories.words[0]) as u32)
}

/// The most levels above the leaves that a tree of arity `arity`, at least 2, can have.
pub fn max_height(arity: usize, memories: &NodeMemories) -> usize {
    let end = Layout::new(arity, memories).end;
    (0..=end)
        .rev()
        .find(|&height| queues(arity, height, memories).is_some())
        .unwrap_or(0)
}

/// The queues of the levels 0 to `height` - 1 of a tree of arity `arity`, at least 2.
///
/// The levels of a memory share it: a level makes one node of `arity` ones of the level below, so
/// each has the share of 1 - 1 / `arity` of what the levels below it have left.
///
/// # Errors
///
/// When the tree has more levels than the memories hold.
pub fn level_table(
    arity: usize,
    height: usize,
    memories: &NodeMemories,
) -> Result<Vec<LevelQueue>, TreeTooHigh> {
    let max_height = max_height(arity, memories);
    queues(arity, height, memories)
        .filter(|_| height <= max_height)
        .ok_or(TreeTooHigh {
            arity,
            height,
            max_height,
        })
}

/// The queues, or nothing when a memory has no room for a group of siblings of each of its levels.
fn queues(arity: usize, height: usize, memories: &NodeMemories) -> Option<Vec<LevelQueue>> {
    let layout = Layout::new(arity, memories);
    if height > layout.end {
        return None;
    }
    let mut table = Vec::with_capacity(height);
    for memory in 0..MEMORIES {
        let levels = (0..height).filter(|&level| layout.memory(level) == memory);
        let count = levels.count() as u32;
        let mut left = memories.words[memory] / arity as u32;
        for above in (0..count).rev() {
            let most = left.checked_sub(above).filter(|&most| most > 0)?;
            let share = (u64::from(left) * (arity as u64 - 1) / arity as u64) as u32;
            let groups = if above == 0 {
                left
            } else {
                share.clamp(1, most)
            };
            left -= groups;
            table.push(LevelQueue { memory, groups });
        }
    }
    Some(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_paper_has_23_levels_at_arity_2() {
        let expected = [23, 13, 11, 8, 7, 6, 6, 5, 5, 5];
        for (arity, expected) in (2..).zip(expected) {
            assert_eq!(
                max_height(arity, &NodeMemories::PAPER),
                expected,
                "arity {arity}"
            );
        }
        let table = level_table(2, 23, &NodeMemories::PAPER).unwrap();
        let memories: Vec<_> = table.iter().map(|queue| queue.memory).collect();
        let mut expected = vec![0];
        expected.extend([1; 4]);
        expected.extend([2; 6]);
        expected.extend([3; 8]);
        expected.extend([4; 4]);
        assert_eq!(memories, expected);
        let words: Vec<_> = table[..11].iter().map(|queue| 2 * queue.groups).collect();
        assert_eq!(words, [4096, 1024, 512, 256, 256, 64, 32, 16, 8, 4, 4]);
        let error = level_table(2, 24, &NodeMemories::PAPER).unwrap_err();
        assert!(error.to_string().contains("up to 23 levels"), "{error}");
    }

    /// The rules that the chip checks.
    #[test]
    fn every_table_fits_the_memories() {
        let small = [16, 4, 4, 16, 2];
        let uneven = [64, 16, 32, 64, 16];
        for words in [NodeMemories::PAPER.words, small, uneven] {
            let memories = NodeMemories { words };
            for arity in 2..=12 {
                for height in 0..=max_height(arity, &memories) {
                    let table = level_table(arity, height, &memories).unwrap();
                    assert_eq!(table.len(), height);
                    let mut used = [0; MEMORIES];
                    let mut last = 0;
                    for (level, queue) in table.iter().enumerate() {
                        assert!(queue.groups >= 1 && queue.memory >= last, "{table:?}");
                        assert_eq!(level == 0, queue.memory == 0);
                        last = queue.memory;
                        used[queue.memory] += queue.groups * arity as u32;
                    }
                    for (used, words) in used.into_iter().zip(words) {
                        assert!(used <= words, "arity {arity}, height {height}: {table:?}");
                    }
                }
            }
        }
    }
}

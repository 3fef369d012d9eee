//! Where the nodes of a tree wait for their siblings on the chip.
//!
//! Level 0 of a tree are the leaves, level l + 1 the hashes of the nodes of level l. On the chip every
//! level is a queue of groups of siblings, and all queues are in one memory; that of the top level, of the root
//! or of a cap, holds nodes that go out. The AcclMT
//! paper (section III-C and figure 6) has five in its place: a leaf hash buffer for the leaves of a
//! *standard tree*, a root hash buffer and a scratch pad for its levels, and the two levels of a
//! hierarchical intermediate data memory (HIDM) for the levels that join standard trees, 204 KB in all.
//! Only what the hash engine has under way needs room: since the job that is nearest to the root goes
//! first, a level never holds more than the places of its hashes and a few groups that are complete,
//! whatever the height of the tree.
//!
//! The chip takes the table from registers.

use crate::registers::MAX_HEIGHT;

/// Words of the node memory by default: 16 KB.
pub const NODE_WORDS: u32 = 512;

/// The same with the room of the five memories of the AcclMT paper, 6,544 words, as a power of two.
pub const PAPER_NODE_WORDS: u32 = 8192;

/// Leaves that a standard tree has at most (AcclMT paper, section III-C).
const STANDARD_LEAVES: u64 = 4096;

/// A tree has more levels than the node memory can hold.
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

/// Levels of a standard tree of arity `arity`, at least 2, above its leaves.
pub fn standard_height(arity: usize) -> u32 {
    STANDARD_LEAVES.ilog(arity as u64)
}

/// Leaves of a standard tree of arity `arity`, at least 2: the largest power of the arity up to 4096.
pub fn standard_tree(arity: usize) -> u64 {
    (arity as u64).pow(standard_height(arity))
}

/// The most levels above the leaves that a tree of arity `arity`, at least 2, can have in a memory of
/// `node_words` words: each, and the leaves, have room for a group of siblings.
pub fn max_height(arity: usize, node_words: u32) -> usize {
    (node_words as usize / arity)
        .saturating_sub(1)
        .min(MAX_HEIGHT)
}

/// The groups of siblings that the queues of the levels of a tree have room for in a memory of `node_words` words;
/// nothing for a tree without levels above its leaves, for which there are no queues. `arities` are the nodes of a group,
/// at least 2, of each level from the leaves to the top, which has `top_nodes` nodes.
///
/// While the only group of a level is fetched, nothing can be hashed into that level: each has two groups
/// where there is room for them. A third of the rest is for the leaves, which come while the hash engine is
/// at work on other levels. Of the hashes that are under way, 1 - 1 / arity are of leaves, as many of the
/// others of their parents and so on: so the levels above share what is left. A root alone needs no more than
/// its one place. Where the places of leaves are reserved as their rows begin (`reserves_leaves`, see
/// [`Roles::reserve_leaves`](crate::program::Roles::reserve_leaves)) each level has one group, and all others are shared
/// by what is under way, the leaves among it.
///
/// # Errors
///
/// When the tree has more levels than the memory can hold.
pub fn level_table(
    arities: &[usize],
    top_nodes: u64,
    node_words: u32,
    reserves_leaves: bool,
) -> Result<Vec<u32>, TreeTooHigh> {
    let height = arities.len().saturating_sub(1);
    let words = |groups: usize| arities.iter().map(|arity| groups * arity).sum::<usize>();
    if height > MAX_HEIGHT || words(1) > node_words as usize && height > 0 {
        let arity = arities[0];
        let mut room = node_words as usize;
        let fitting = arities.iter().take_while(|&&arity| {
            let fits = room >= arity;
            room = room.saturating_sub(arity);
            fits
        });
        return Err(TreeTooHigh {
            arity,
            height,
            max_height: fitting.count().saturating_sub(1).min(MAX_HEIGHT),
        });
    }
    let Some((&top_arity, below)) = arities.split_last().filter(|_| height > 0) else {
        return Ok(Vec::new());
    };
    let is_root = top_nodes == 1;
    let levels = if is_root { below } else { arities };
    let room = node_words as usize - if is_root { top_arity } else { 0 };
    if reserves_leaves {
        let mut table = shares(levels, room);
        table.extend(is_root.then_some(1));
        return Ok(table);
    }
    let needed = |groups: usize| levels.iter().map(|arity| groups * arity).sum::<usize>();
    let least = if needed(2) <= room { 2 } else { 1 };
    // In words, of whole groups where all levels have the same arity.
    let mut rest = room - needed(least);
    rest -= rest % top_arity;
    let mut table = Vec::with_capacity(height + 1);
    for (level, &arity) in levels.iter().enumerate() {
        let share = if level + 1 == levels.len() {
            rest / arity
        } else if level == 0 {
            rest / (3 * arity)
        } else {
            (rest * (arity - 1)).div_ceil(arity * arity)
        };
        let share = share.min(rest / arity);
        rest -= share * arity;
        table.push((least + share) as u32);
    }
    table.extend(is_root.then_some(1));
    Ok(table)
}

/// `words` words shared among the queues of levels with these arities, each of which has its hashes under way in it.
///
/// A node has its place from the begin of its hash until its group is fetched, so a queue is as long as the nodes of its
/// level that come meanwhile, of which every level has 1 / arity of those of the one below. Beside them it has one
/// group that is not full yet or is fetched. A level of which hardly ever two groups are under way needs no other than
/// that, and what it does not need makes the levels below longer, which work at full rate.
fn shares(arities: &[usize], words: usize) -> Vec<u32> {
    // Half groups of the leaves that are under way.
    let table = |halves: usize| {
        let mut scale = 1_usize;
        let mut queues = Vec::with_capacity(arities.len() + 1);
        for (level, arity) in arities.iter().enumerate() {
            if level > 0 {
                scale = scale.saturating_mul(*arity).min(1 << 32);
            }
            queues.push(1 + ((halves + scale) / (2 * scale)) as u32);
        }
        queues
    };
    let fits = |&halves: &usize| {
        let queues = table(halves);
        let taken = queues.iter().zip(arities);
        taken
            .map(|(&groups, arity)| groups as usize * arity)
            .sum::<usize>()
            <= words
    };
    let most = (0..2 * words).rev().find(fits).unwrap_or_default();
    table(most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn standard_trees_are_those_of_the_paper() {
        let leaves = [4096, 2187, 4096, 3125, 1296, 2401, 4096, 729, 1000, 1331];
        for (arity, leaves) in (2..).zip(leaves) {
            assert_eq!(standard_tree(arity), leaves, "arity {arity}");
        }
    }

    #[test]
    fn a_tree_of_the_most_leaves_fits() {
        for arity in 2..=11 {
            let levels = (1_usize..).find(|&height| (arity as u128).pow(height as u32) >= 1 << 32);
            let levels = levels.expect("some power is large enough");
            let table =
                level_table(&vec![arity; levels + 1], 1, NODE_WORDS, false).expect("the tree fits");
            let (root, below) = table.split_last().expect("there are queues");
            assert!(below.iter().all(|&groups| groups >= 2), "{table:?}");
            assert_eq!(*root, 1, "{table:?}");
        }
        let error = level_table(&[2; 34], 1, NODE_WORDS, false).expect_err("there are 33 queues");
        assert!(error.to_string().contains("up to 32 levels"), "{error}");
        let error = level_table(&[11; 3], 1, 32, false).expect_err("there is room for two groups");
        assert!(error.to_string().contains("up to 1 levels"), "{error}");
    }

    /// The rules that the chip checks.
    #[test]
    fn every_table_fits_the_memory() {
        for log2_words in 5..=13 {
            let words = 1 << log2_words;
            for arity in 2..=12 {
                for height in 0..=max_height(arity, words) {
                    for top_nodes in [1, 2, 1000] {
                        for reserves in [false, true] {
                            let table =
                                level_table(&vec![arity; height + 1], top_nodes, words, reserves);
                            let table = table.expect("the tree fits");
                            assert_eq!(table.len(), if height == 0 { 0 } else { height + 1 });
                            assert!(table.iter().all(|&groups| groups >= 1), "{table:?}");
                            let used = table.iter().sum::<u32>() * arity as u32;
                            assert!(used <= words, "arity {arity}, height {height}: {table:?}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn levels_of_several_arities_fit() {
        for reserves in [false, true] {
            let arities = [8, 8, 4, 2, 2];
            let table = level_table(&arities, 1, NODE_WORDS, reserves).expect("the tree fits");
            let words = (0..5).map(|level| arities[level] as u32 * table[level]);
            assert!(words.sum::<u32>() <= NODE_WORDS, "{table:?}");
            assert!(table.is_sorted_by(|one, other| one >= other) || !reserves);
            assert_eq!(table[4], 1, "{table:?}");
        }
        let error = level_table(&[8, 8, 8, 12], 1, 32, false).expect_err("there are 36 words");
        assert!(error.to_string().contains("up to 2 levels"), "{error}");
    }

    /// One group for each level, and of the rest the share of what is under way.
    #[test]
    fn reserved_leaves_have_the_share_of_what_is_under_way() {
        let table = level_table(&[2; 4], 1, 64, true).expect("the tree fits");
        // Of 31 groups beside the root's 28 are left: 16, 8 and 4.
        assert_eq!(table, [17, 9, 5, 1]);
        let table = level_table(&[8; 3], 1, NODE_WORDS, true).expect("the tree fits");
        assert_eq!(table, [1 + 54, 1 + 7, 1]);
        // Levels that have less than half a group under way have no more than the one.
        let table = level_table(&[2; 17], 1, NODE_WORDS, true).expect("the tree fits");
        let [below, above] = [&table[..9], &table[9..]];
        assert_eq!(below, [121, 61, 31, 16, 8, 5, 3, 2, 1]);
        assert_eq!(above, [1; 8]);
        // A node memory that holds no more than one group for each level.
        let table = level_table(&[2; 16], 1, 32, true).expect("the tree fits");
        assert_eq!(table, [1; 16]);
    }
}

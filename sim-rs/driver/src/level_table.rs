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

/// How leaves come into their queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeafQueue {
    /// They are ready digests, which come as fast as the stream brings them.
    Ready,
    /// A hash engine makes them in order, and each gets its place as it comes.
    InOrder,
    /// Their places are reserved as their rows begin, see
    /// [`Roles::reserve_leaves`](crate::program::Roles::reserve_leaves).
    Reserved,
}

/// Groups of the queue of leaves that are ready: one that is fetched, one that is next, and one that is filled.
const READY_GROUPS: usize = 3;

/// The groups of siblings that the queues of the levels of a tree have room for in a memory of `node_words` words;
/// nothing for a tree without levels above its leaves, for which there are no queues. `arities` are the nodes of a group,
/// at least 2, of each level from the leaves to the top, which has `top_nodes` nodes.
///
/// Of the hashes that are under way, 1 - 1 / arity are of leaves, as many of the others of their parents and so on. A
/// root alone needs no more than its one place.
///
/// - Leaves that are made in order come while the root hash engine is at work on other levels. While the only group of a
///   level is fetched, nothing can be hashed into that level: each has two groups where there is room for them. A third of
///   the rest is for the leaves, and the levels above share what is left by what is under way.
/// - Leaves whose places are reserved have those under way in their queue as well: each level has one group, and all
///   others are shared by what is under way.
/// - Leaves that are ready have nothing under way, so that few groups are enough for them.
///
/// # Errors
///
/// When the tree has more levels than the memory can hold.
pub fn level_table(
    arities: &[usize],
    top_nodes: u64,
    node_words: u32,
    leaves: LeafQueue,
) -> Result<Vec<u32>, TreeTooHigh> {
    let node_words = node_words as usize;
    check_height(arities, node_words)?;
    let Some((&top_arity, below)) = arities.split_last().filter(|(_, below)| !below.is_empty())
    else {
        return Ok(Vec::new());
    };
    let is_root = top_nodes == 1;
    let levels = if is_root { below } else { arities };
    let room = node_words - if is_root { top_arity } else { 0 };
    let mut table = match leaves {
        LeafQueue::Ready => ready_leaves(levels, room),
        LeafQueue::InOrder => leaves_in_order(levels, room),
        LeafQueue::Reserved => shares(levels, room),
    };
    table.extend(is_root.then_some(1));
    Ok(table)
}

/// Checks that each level has room for a group.
fn check_height(arities: &[usize], node_words: usize) -> Result<(), TreeTooHigh> {
    let height = arities.len().saturating_sub(1);
    let mut words = 0;
    let fitting = arities.iter().take_while(|&&arity| {
        words += arity;
        words <= node_words
    });
    let max_height = fitting.count().saturating_sub(1).min(MAX_HEIGHT);
    if height <= max_height {
        return Ok(());
    }
    Err(TreeTooHigh {
        arity: arities[0],
        height,
        max_height,
    })
}

/// The queues of levels with these arities in so many words, where leaves are made in order.
fn leaves_in_order(arities: &[usize], words: usize) -> Vec<u32> {
    let needed = |groups: usize| arities.iter().map(|arity| groups * arity).sum::<usize>();
    let least = if needed(2) <= words { 2 } else { 1 };
    let mut rest = words - needed(least);
    let mut table = Vec::with_capacity(arities.len() + 1);
    for (level, &arity) in arities.iter().enumerate() {
        let share = if level + 1 == arities.len() {
            rest / arity
        } else if level == 0 {
            rest / (3 * arity)
        } else {
            // Whole groups, where all levels have the same arity.
            let rest = rest - rest % arity;
            (rest * (arity - 1)).div_ceil(arity * arity)
        };
        let share = share.min(rest / arity);
        rest -= share * arity;
        table.push((least + share) as u32);
    }
    table
}

/// The same where leaves are ready.
fn ready_leaves(arities: &[usize], words: usize) -> Vec<u32> {
    let (of_leaves, above) = (arities[0], &arities[1..]);
    let needed: usize = above.iter().sum();
    let most = (words - needed) / of_leaves;
    let groups = if above.is_empty() {
        most
    } else {
        most.min(READY_GROUPS)
    };
    let mut table = vec![groups as u32];
    table.extend(shares(above, words - groups * of_leaves));
    table
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

    const QUEUES: [LeafQueue; 3] = [LeafQueue::Ready, LeafQueue::InOrder, LeafQueue::Reserved];

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
            let table = level_table(&vec![arity; levels + 1], 1, NODE_WORDS, LeafQueue::InOrder)
                .expect("the tree fits");
            let (root, below) = table.split_last().expect("there are queues");
            assert!(below.iter().all(|&groups| groups >= 2), "{table:?}");
            assert_eq!(*root, 1, "{table:?}");
        }
        let error = level_table(&[2; 34], 1, NODE_WORDS, LeafQueue::InOrder)
            .expect_err("there are 33 queues");
        assert!(error.to_string().contains("up to 32 levels"), "{error}");
        let error = level_table(&[11; 3], 1, 32, LeafQueue::InOrder)
            .expect_err("there is room for two groups");
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
                        for leaves in QUEUES {
                            let table =
                                level_table(&vec![arity; height + 1], top_nodes, words, leaves);
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
        for leaves in QUEUES {
            let arities = [8, 8, 4, 2, 2];
            let table = level_table(&arities, 1, NODE_WORDS, leaves).expect("the tree fits");
            let words = (0..5).map(|level| arities[level] as u32 * table[level]);
            assert!(words.sum::<u32>() <= NODE_WORDS, "{table:?}");
            assert_eq!(table[4], 1, "{table:?}");
        }
        let error =
            level_table(&[8, 8, 8, 12], 1, 32, LeafQueue::InOrder).expect_err("there are 36 words");
        assert!(error.to_string().contains("up to 2 levels"), "{error}");
    }

    /// One group for each level, and of the rest the share of what is under way.
    #[test]
    fn reserved_leaves_have_the_share_of_what_is_under_way() {
        let table = level_table(&[2; 4], 1, 64, LeafQueue::Reserved).expect("the tree fits");
        // Of 31 groups beside the root's 28 are left: 16, 8 and 4.
        assert_eq!(table, [17, 9, 5, 1]);
        let table =
            level_table(&[8; 3], 1, NODE_WORDS, LeafQueue::Reserved).expect("the tree fits");
        assert_eq!(table, [1 + 54, 1 + 7, 1]);
        // Levels that have less than half a group under way have no more than the one.
        let table =
            level_table(&[2; 17], 1, NODE_WORDS, LeafQueue::Reserved).expect("the tree fits");
        let [below, above] = [&table[..9], &table[9..]];
        assert_eq!(below, [121, 61, 31, 16, 8, 5, 3, 2, 1]);
        assert_eq!(above, [1; 8]);
        // A node memory that holds no more than one group for each level.
        let table = level_table(&[2; 16], 1, 32, LeafQueue::Reserved).expect("the tree fits");
        assert_eq!(table, [1; 16]);
    }

    /// A few groups for leaves that are ready, and for the levels above them the share of what is under way.
    #[test]
    fn ready_leaves_have_few_places() {
        let table = |arities: &[usize], words| level_table(arities, 1, words, LeafQueue::Ready);
        // Of 31 groups beside the root's 28 are left to two levels.
        assert_eq!(table(&[2; 4], 64), Ok(vec![3, 18, 10, 1]));
        assert_eq!(
            table(&[8; 5], NODE_WORDS),
            Ok(vec![3, 1 + 50, 1 + 6, 1 + 1, 1])
        );
        assert_eq!(table(&[2; 2], 64), Ok(vec![31, 1]));
        assert_eq!(table(&[2; 16], 32), Ok(vec![1; 16]));
        let error = table(&[2; 17], 32).expect_err("there are 17 queues");
        assert!(error.to_string().contains("up to 15 levels"), "{error}");
    }
}

//! How the hash engines of a chip divide the work of a run.

use crate::program::{ChipProgram, Roles, RowRegisters};

/// How a run uses the hash engines of a chip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sharing {
    /// Each has one role: some are leaf hash engines, the others root hash engines, as in the AcclMT paper. What
    /// there is one engine for both is shared nevertheless.
    #[default]
    Fixed,
    /// Every engine hashes whatever there is to hash, rows and nodes mixed.
    Shared,
}

/// What a run hashes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Work<'a> {
    /// The program of rows and what a row is, if leaves are hashed, and the number of leaves.
    pub(crate) rows: Option<(&'a ChipProgram, &'a RowRegisters)>,
    pub(crate) leaves: u64,
    /// The program of nodes, and how many of them there are, if there is a tree.
    pub(crate) nodes: Option<(&'a ChipProgram, u64)>,
}

impl Work<'_> {
    /// The roles of `engines` hash engines, at least 1.
    pub(crate) fn roles(&self, engines: usize, sharing: Sharing) -> Roles {
        let all = ((1_u32 << engines) - 1) as u8;
        if engines == 1 || sharing == Sharing::Shared {
            return Roles {
                rows: all,
                nodes: all,
                node_limit: 0,
            };
        }
        let row_engines = match (self.rows, self.nodes) {
            (Some((rows, row)), Some((nodes, count))) => {
                let row_cycles = self.leaves * u64::from(row.blocks) * rows.period() as u64;
                let node_cycles = count * nodes.period() as u64;
                let split = (1..engines as u64).min_by_key(|&row_engines| {
                    let row_cycles = row_cycles.div_ceil(row_engines);
                    row_cycles.max(node_cycles.div_ceil(engines as u64 - row_engines))
                });
                // Rows of several blocks wait for words that come later: one engine keeps them in order.
                if row.blocks > 1 {
                    1
                } else {
                    split.unwrap_or(1)
                }
            }
            // With two engines there is a leaf hash engine and a root hash engine, whatever is to be done.
            (Some(_), None) if engines > 2 => engines as u64,
            _ => 1,
        };
        let rows = ((1_u32 << row_engines) - 1) as u8;
        let nodes = if self.nodes.is_some() && rows == all {
            all
        } else {
            all & !rows
        };
        Roles {
            rows,
            nodes,
            node_limit: 0,
        }
    }
}

//! Who takes the nodes of a tree as they are made.

use acclmt_poseidon::word::Word;

use crate::error::DeviceError;

/// Takes nodes as they are made.
pub trait NodeSink {
    /// Whether the nodes of `level` are wanted.
    fn wants(&self, level: u32) -> bool;

    /// Takes the elements of node `index` of `level`. The nodes of a level come in order, those of
    /// different levels in any.
    ///
    /// # Errors
    ///
    /// When the node cannot be kept; that ends the computation.
    fn node(&mut self, level: u32, index: u64, digest: &[Word]) -> Result<(), DeviceError>;
}

/// Wants no nodes.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoNodes;

impl NodeSink for NoNodes {
    fn wants(&self, _level: u32) -> bool {
        false
    }

    fn node(&mut self, _level: u32, _index: u64, _digest: &[Word]) -> Result<(), DeviceError> {
        Ok(())
    }
}

/// Keeps every node in memory: the elements of all nodes of a level one after another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AllNodes {
    /// Level by level, the leaves first.
    pub levels: Vec<Vec<Word>>,
}

impl NodeSink for AllNodes {
    fn wants(&self, _level: u32) -> bool {
        true
    }

    fn node(&mut self, level: u32, _index: u64, digest: &[Word]) -> Result<(), DeviceError> {
        let level = level as usize;
        if self.levels.len() <= level {
            self.levels.resize(level + 1, Vec::new());
        }
        self.levels[level].extend(digest);
        Ok(())
    }
}

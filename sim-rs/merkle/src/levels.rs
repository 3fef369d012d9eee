//! What hashes the nodes of each level of a tree.
//!
//! A tree has a parameter set for its nodes, and may have others for its upper levels: the nodes of a level,
//! and of those above it, are hashed with another one. The nodes of level l are hashed in groups of
//! as many as the arity of the parameter set of level l, and the digests are the nodes of level l + 1. The trees of
//! Filecoin's 64 GiB sectors have arity 8, and their two nodes of level 10 are hashed with a set of arity 2.
//!
//! All parameter sets of a tree are over one field, and have digests of one length.

use std::fmt;

use acclmt_poseidon::fields::{AnyParameters, FieldId, PoseidonField};
use acclmt_poseidon::permutation::Poseidon;
use serde::{Deserialize, Serialize};

use crate::tree::{NoTree, check_tree};

/// The parameter set of upper levels of a tree.
#[derive(Clone, Copy, Debug)]
pub struct UpperLevels<'a> {
    /// The lowest level whose nodes are hashed with it, 1 or more; those above are too, up to the next such
    /// entry.
    pub from: u32,
    /// The parameter set.
    pub parameters: &'a AnyParameters,
}

/// Upper levels of a tree are wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UpperError {
    /// Leaves are hashed with the parameter set of the tree.
    #[error(
        "the nodes of level 0, the leaves, are hashed with the parameter set of the tree; give upper levels \
         from 1 on"
    )]
    Leaves,
    /// The levels do not ascend.
    #[error(
        "upper level {level} follows upper level {before}: upper levels ascend, and each is given once"
    )]
    Order {
        /// The level.
        level: u32,
        /// The one before it.
        before: u32,
    },
    /// The parameter sets have nodes of different kinds.
    #[error(
        "'{name}', of the levels from {level} on, makes no nodes for a tree of '{base}': it is over {field} with \
         digests of {digest_length}, the tree over {base_field} with digests of {base_digest_length}"
    )]
    Kind {
        /// The level.
        level: u32,
        /// Name of its parameter set.
        name: String,
        /// The field of that.
        field: FieldId,
        /// Elements of a digest of that.
        digest_length: usize,
        /// Name of the parameter set of the tree.
        base: String,
        /// The field of that.
        base_field: FieldId,
        /// Elements of a digest of that.
        base_digest_length: usize,
    },
    /// The tree has no node above the level.
    #[error(
        "no nodes of level {level} are hashed, as the tree has height {height}: an upper level is below that; \
         give a lower one, or none"
    )]
    NotReached {
        /// The level.
        level: u32,
        /// Levels above the leaves.
        height: u32,
    },
    /// The hash does not take digests.
    #[error(transparent)]
    NoTree(#[from] NoTree),
}

/// Something that every level of a tree has: one from the leaves on, and others from a level on upwards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ByLevel<T> {
    /// The first level of each; 0 for the first one.
    entries: Vec<(u32, T)>,
}

impl<T> ByLevel<T> {
    /// The same for all levels.
    pub fn new(base: T) -> Self {
        Self {
            entries: vec![(0, base)],
        }
    }

    /// Lets the levels from `level` on have another one.
    ///
    /// # Errors
    ///
    /// When the level is that of the leaves, or not above that of the call before.
    pub fn push(&mut self, level: u32, other: T) -> Result<(), UpperError> {
        let before = self.last_level();
        if level == 0 {
            return Err(UpperError::Leaves);
        }
        if level <= before {
            return Err(UpperError::Order { level, before });
        }
        self.entries.push((level, other));
        Ok(())
    }

    /// What `level` has.
    pub fn of_level(&self, level: u32) -> &T {
        &self.entries[self.index_of_level(level)].1
    }

    /// Which one `level` has, counted from 0 for that of the leaves.
    pub fn index_of_level(&self, level: u32) -> usize {
        (self.entries.partition_point(|(from, _)| *from <= level)).saturating_sub(1)
    }

    /// What the leaves have.
    pub fn base(&self) -> &T {
        &self.entries[0].1
    }

    /// The lowest level of each, and what it is; from the leaves on.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (u32, &T)> {
        self.entries.iter().map(|(from, it)| (*from, it))
    }

    /// The same levels with something else.
    pub fn map<U>(&self, mut other: impl FnMut(&T) -> U) -> ByLevel<U> {
        let entries = self.entries.iter();
        ByLevel {
            entries: entries.map(|(from, it)| (*from, other(it))).collect(),
        }
    }

    /// The same by reference.
    pub fn map_ref(&self) -> ByLevel<&T> {
        let entries = self.entries.iter();
        ByLevel {
            entries: entries.map(|(from, it)| (*from, it)).collect(),
        }
    }

    /// The last level from which on there is another one; 0 if all have the same.
    fn last_level(&self) -> u32 {
        self.entries.last().map_or(0, |(from, _)| *from)
    }

    /// Checks that every one is of use in a tree of this height.
    ///
    /// # Errors
    ///
    /// When a level has no nodes that are hashed.
    pub(crate) fn check_reached(&self, height: u32) -> Result<(), UpperError> {
        let mut upper = self.entries.iter().skip(1);
        match upper.find(|(from, _)| *from >= height) {
            None => Ok(()),
            Some(&(level, _)) => Err(UpperError::NotReached { level, height }),
        }
    }
}

/// The parameter set of each level of a tree.
///
/// # Errors
///
/// When upper levels do not ascend or are those of the leaves, and when their parameter set has another field or
/// digests of another length than `base`, or makes no trees. Whether `base` makes trees is not checked.
pub fn parameters_by_level<'a>(
    base: &'a AnyParameters,
    upper: &[UpperLevels<'a>],
) -> Result<ByLevel<&'a AnyParameters>, UpperError> {
    let mut levels = ByLevel::new(base);
    for &UpperLevels { from, parameters } in upper {
        levels.push(from, parameters)?;
        let kind = |set: &AnyParameters| (set.field(), set.digest_length());
        if kind(parameters) != kind(base) {
            return Err(UpperError::Kind {
                level: from,
                name: parameters.name().to_owned(),
                field: parameters.field(),
                digest_length: parameters.digest_length(),
                base: base.name().to_owned(),
                base_field: base.field(),
                base_digest_length: base.digest_length(),
            });
        }
        check_tree(parameters)?;
    }
    Ok(levels)
}

/// The prepared parameter sets, if all are over the field.
pub(crate) fn prepared<F: PoseidonField>(
    sets: &ByLevel<&AnyParameters>,
) -> Option<ByLevel<Poseidon<F>>> {
    let entries = sets.iter();
    let entries = entries.map(|(from, set)| Some((from, Poseidon::new(F::of(set)?))));
    Some(ByLevel {
        entries: entries.collect::<Option<_>>()?,
    })
}

/// The parameter set of upper levels as files name it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UpperPreset {
    /// The lowest level whose nodes are hashed with it.
    pub from: u32,
    /// Name of the parameter set.
    pub preset: String,
    /// Its arity.
    pub arity: usize,
}

impl UpperPreset {
    /// How files name these upper levels.
    pub fn of(upper: &[UpperLevels<'_>]) -> Vec<Self> {
        let upper = upper.iter();
        upper
            .map(|upper| Self {
                from: upper.from,
                preset: upper.parameters.name().to_owned(),
                arity: upper.parameters.arity(),
            })
            .collect()
    }

    /// The arity of each level of a tree of arity `base` with these upper levels.
    ///
    /// # Errors
    ///
    /// When the levels do not ascend or are those of the leaves.
    pub(crate) fn arities(base: usize, upper: &[Self]) -> Result<ByLevel<usize>, UpperError> {
        let mut arities = ByLevel::new(base);
        for upper in upper {
            arities.push(upper.from, upper.arity)?;
        }
        Ok(arities)
    }

    /// The same, of levels that were checked; without upper levels if they are wrong.
    pub(crate) fn arities_or_base(base: usize, upper: &[Self]) -> ByLevel<usize> {
        Self::arities(base, upper).unwrap_or_else(|_| ByLevel::new(base))
    }
}

/// The arities of the levels of a tree, from the leaves to below the root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arities {
    /// That of the leaves, of which there need be no group.
    base: usize,
    levels: Vec<usize>,
}

impl Arities {
    /// Those of the lowest `height` levels.
    pub fn new(arities: &ByLevel<usize>, height: u32) -> Self {
        Self {
            base: *arities.base(),
            levels: (0..height).map(|level| *arities.of_level(level)).collect(),
        }
    }

    /// The arity of each level, the leaves first.
    pub fn levels(&self) -> &[usize] {
        &self.levels
    }
}

/// `arity 8` or `arities 8, 8, 2`.
impl fmt::Display for Arities {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.levels.iter().all(|arity| *arity == self.base) {
            return write!(formatter, "arity {}", self.base);
        }
        let levels: Vec<_> = self.levels.iter().map(usize::to_string).collect();
        write!(formatter, "arities {}", levels.join(", "))
    }
}

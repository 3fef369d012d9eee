//! What the hash engines of a chip do in a run.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

use crate::program::Roles;
use acclmt_poseidon::text::shortened;

/// How the hash engines of a chip are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Sharing {
    /// Every hash engine has one role: it hashes rows into leaves, or siblings into nodes, as the leaf hash engine
    /// and the root hash engine of the AcclMT paper do.
    Fixed,
    /// Every hash engine does both, and its rows and nodes are mixed.
    Shared,
}

impl Sharing {
    /// That of a chip with so many hash engines where nothing is asked for.
    pub fn of_chip(num_engines: usize) -> Self {
        if num_engines < 2 {
            Self::Shared
        } else {
            Self::Fixed
        }
    }
}

/// A text names no way to use hash engines.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is no way to use hash engines, expected fixed or shared")]
pub struct SharingError(String);

impl FromStr for Sharing {
    type Err = SharingError;

    fn from_str(text: &str) -> Result<Self, SharingError> {
        match text {
            "fixed" => Ok(Self::Fixed),
            "shared" => Ok(Self::Shared),
            _ => Err(SharingError(shortened(text))),
        }
    }
}

impl fmt::Display for Sharing {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Fixed => "fixed",
            Self::Shared => "shared",
        })
    }
}

/// The hash engines below `count`.
fn first(count: usize) -> u8 {
    (0..count).fold(0, |mask, engine| mask | 1 << engine)
}

/// The roles in a run without tree.
pub(crate) fn roles_of_digests(sharing: Sharing, num_engines: usize) -> Roles {
    let rows = match sharing {
        Sharing::Fixed if num_engines <= 2 => 1,
        _ => first(num_engines),
    };
    Roles {
        rows,
        nodes: 0,
        node_limit: 0,
    }
}

/// The roles in a run over a tree with ready leaves.
pub(crate) fn roles_of_ready_leaves(sharing: Sharing, num_engines: usize) -> Roles {
    let all = first(num_engines);
    let nodes = match sharing {
        Sharing::Fixed if num_engines >= 2 => all & !1,
        _ => all,
    };
    Roles {
        rows: 0,
        nodes,
        node_limit: 0,
    }
}

/// How long the busiest sub-engine of one hash engine would take for all rows, and for all nodes, of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TreeWork {
    pub(crate) rows: u64,
    pub(crate) nodes: u64,
}

impl TreeWork {
    /// Cycles of the run when the hash engines have these roles and never wait.
    pub(crate) fn cycles(self, roles: Roles) -> u64 {
        let engines = |mask: u8| u64::from(mask.count_ones());
        if roles.are_shared() {
            return (self.rows + self.nodes).div_ceil(engines(roles.rows | roles.nodes));
        }
        let share = |work: u64, mask| work.div_ceil(engines(mask).max(1));
        share(self.rows, roles.rows).max(share(self.nodes, roles.nodes))
    }
}

/// The roles in a run over a tree whose leaves are hashed; nothing where roles are to be fixed and there is one
/// hash engine. Where `one_row_engine` is set no more than one takes rows.
pub(crate) fn roles_of_tree(
    sharing: Sharing,
    num_engines: usize,
    work: TreeWork,
    one_row_engine: bool,
) -> Option<Roles> {
    let all = first(num_engines);
    if sharing == Sharing::Shared {
        return Some(Roles {
            rows: all,
            nodes: all,
            node_limit: 0,
        });
    }
    let most = if one_row_engine { 1 } else { num_engines - 1 };
    let splits = (1..num_engines).take_while(|&rows| rows <= most);
    splits
        .map(|rows| Roles {
            rows: first(rows),
            nodes: all & !first(rows),
            node_limit: 0,
        })
        .min_by_key(|&roles| work.cycles(roles))
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn masks(rows: u8, nodes: u8) -> Roles {
        Roles {
            rows,
            nodes,
            node_limit: 0,
        }
    }

    #[test]
    fn names() {
        for sharing in [Sharing::Fixed, Sharing::Shared] {
            assert_eq!(sharing.to_string().parse(), Ok(sharing));
        }
        let error = "both".parse::<Sharing>().expect_err("no such word");
        assert!(error.to_string().contains("'both'"), "{error}");
        assert_eq!(Sharing::of_chip(1), Sharing::Shared);
        assert_eq!(Sharing::of_chip(2), Sharing::Fixed);
    }

    #[test]
    fn fixed_roles_end_soonest() {
        let roles = |engines, rows, nodes, one_row_engine| {
            let work = TreeWork { rows, nodes };
            roles_of_tree(Sharing::Fixed, engines, work, one_row_engine)
        };
        assert_eq!(roles(1, 1, 1, false), None);
        assert_eq!(roles(2, 100, 1, false), Some(Roles::LEAF_AND_ROOT));
        assert_eq!(roles(2, 1, 100, false), Some(Roles::LEAF_AND_ROOT));
        assert_eq!(roles(4, 100, 100, false), Some(masks(0b0011, 0b1100)));
        assert_eq!(roles(4, 300, 100, false), Some(masks(0b0111, 0b1000)));
        assert_eq!(roles(4, 300, 100, true), Some(masks(0b0001, 0b1110)));
        assert_eq!(roles(8, 100, 700, false), Some(masks(1, 0b1111_1110)));
    }

    #[test]
    fn shared_engines_do_everything() {
        let work = TreeWork { rows: 5, nodes: 6 };
        for (engines, all) in [(1, 1), (2, 0b11), (8, 0xFF)] {
            let roles = roles_of_tree(Sharing::Shared, engines, work, false);
            assert_eq!(roles, Some(masks(all, all)));
            assert_eq!(roles_of_digests(Sharing::Shared, engines), masks(all, 0));
            let ready = roles_of_ready_leaves(Sharing::Shared, engines);
            assert_eq!(ready, masks(0, all));
        }
        assert_eq!(work.cycles(masks(0b11, 0b11)), 6);
    }

    #[test]
    fn fixed_roles_without_rows_or_nodes() {
        for (engines, rows, nodes) in [(1, 1, 1), (2, 1, 0b10), (3, 0b111, 0b110)] {
            assert_eq!(roles_of_digests(Sharing::Fixed, engines), masks(rows, 0));
            let ready = roles_of_ready_leaves(Sharing::Fixed, engines);
            assert_eq!(ready, masks(0, nodes));
        }
    }
}

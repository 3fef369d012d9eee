//! What a sweep measures.

use serde::{Deserialize, Serialize};

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Measure {
    /// The leaf hash engine in its steady state.
    Engine,
    /// A whole tree.
    Tree,
}

impl Measure {
    /// As in specifications and rows.
    pub fn name(self) -> &'static str {
        match self {
            Self::Engine => "engine",
            Self::Tree => "tree",
        }
    }
}

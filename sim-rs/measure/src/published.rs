//! Figures that others have published, to stand beside what is measured.
//!
//! Cycles per hash are rates divided by clock rates. A figure that a source does not give is nothing.

use serde::Serialize;

/// What is known of the hash of one arity, with the parameters of Filecoin over BLS12-381.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HashFigures {
    /// The preset with these parameters.
    pub preset: &'static str,
    /// Children of a node.
    pub arity: usize,
    /// Cycles per hash of the AcclMT paper's engine of 30 modular multipliers (Table I: 14.11, 5.93, 3.79
    /// and 2.69 million hashes a second at 500 MHz).
    pub paper_cycles: f64,
    /// Cycles per hash of TRIDENT (datenlord/TRIDENT, README: 0.97, 0.358 and 0.305 million hashes a second
    /// at 100 MHz).
    pub trident_cycles: Option<f64>,
    /// Hashes a second of NEPTUNE on a thread of an Intel i7-13700F, measured by the AcclMT paper (Table I).
    pub paper_neptune_rate: f64,
}

/// All of them, by arity.
pub const HASHES: [HashFigures; 4] = [
    HashFigures {
        preset: "filecoin-arity-2",
        arity: 2,
        paper_cycles: 35.4,
        trident_cycles: Some(103.0),
        paper_neptune_rate: 97_000.0,
    },
    HashFigures {
        preset: "filecoin-arity-4",
        arity: 4,
        paper_cycles: 84.3,
        trident_cycles: None,
        paper_neptune_rate: 57_670.0,
    },
    HashFigures {
        preset: "filecoin-arity-8",
        arity: 8,
        paper_cycles: 131.9,
        trident_cycles: Some(279.0),
        paper_neptune_rate: 30_290.0,
    },
    HashFigures {
        preset: "filecoin-arity-11",
        arity: 11,
        paper_cycles: 185.9,
        trident_cycles: Some(328.0),
        paper_neptune_rate: 20_960.0,
    },
];

/// The figures for a preset.
pub fn hash_figures(preset: &str) -> Option<&'static HashFigures> {
    HASHES.iter().find(|figures| figures.preset == preset)
}

/// Times of a tree of arity 2 in the AcclMT paper, Table II. Every leaf is a hash.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TreeFigures {
    /// Number of leaves.
    pub leaves: u64,
    /// Milliseconds of the paper's chip at 500 MHz.
    pub paper_milliseconds: f64,
    /// Milliseconds of CSF '24 (C++, libff) on an Intel i9-13900KF.
    pub csf24_milliseconds: Option<f64>,
    /// Milliseconds of Dusk-network's library on an Intel Xeon Platinum 8358.
    pub dusk_milliseconds: f64,
}

const fn tree(leaves: u32, paper: f64, csf24: Option<f64>, dusk: f64) -> TreeFigures {
    TreeFigures {
        leaves: 1 << leaves,
        paper_milliseconds: paper,
        csf24_milliseconds: csf24,
        dusk_milliseconds: dusk,
    }
}

/// All of them, by size.
pub const TREES: [TreeFigures; 12] = [
    tree(12, 0.91, Some(75.8), 498.0),
    tree(13, 1.22, Some(152.0), 1_010.0),
    tree(14, 1.83, Some(303.0), 2_000.0),
    tree(15, 3.04, Some(607.0), 4_000.0),
    tree(16, 5.45, Some(1_213.0), 7_990.0),
    tree(17, 10.3, Some(2_426.0), 16_000.0),
    tree(18, 19.8, Some(4_852.0), 32_000.0),
    tree(19, 39.0, None, 64_000.0),
    tree(20, 77.4, None, 128_000.0),
    tree(21, 154.0, None, 256_000.0),
    tree(22, 308.0, None, 512_000.0),
    tree(23, 615.0, None, 1_024_000.0),
];

/// The figures for a tree of arity 2 whose leaves are hashes.
pub fn tree_figures(leaves: u64) -> Option<&'static TreeFigures> {
    TREES.iter().find(|figures| figures.leaves == leaves)
}

/// Average utilisation of the leaf hash engine and the root hash engine in the AcclMT paper (figure 8
/// and section IV-C).
pub const UTILISATION: (f64, f64) = (0.992, 0.959);

/// Average utilisation before the paper's chip merges the minor aggregation: less than this (section
/// IV-C).
pub const UTILISATION_WITHOUT_MERGING: f64 = 0.85;

/// Time that the paper's engine of a full-round and a partial-round sub-engine needs more than one of two
/// full-round sub-engines, on average over the four arities, and the area it saves (section IV-B).
pub const PARTIAL_SUB_ENGINE: (f64, f64) = (0.0704, 0.148);

/// A published time of PreCommit 2.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Pc2Figure {
    /// The program and what it ran on.
    pub what: &'static str,
    /// Seconds, from and to.
    pub seconds: [f64; 2],
}

/// The roots of TreeC and TreeR of a sector of 2 KiB over the elements of [`measure_pc2`](crate::pc2::measure_pc2):
/// those of `ColumnTreeBuilder` and `TreeBuilder` of neptune 13.0.0.
pub const PC2_2_KIB_ROOTS: [&str; 2] = [
    "0x31c4b011f4dfe2f7d538cf72cf8f102cd5a3d8f9e9459abb2ea1015b58027bfb",
    "0x345eac4f8cd045f4d2b0b1214949676ad1ce1b24ca49201fc51c58793cf0a7c6",
];

/// PreCommit 2 of a sector of 32 GiB: Supranational's `pc2_cuda` (filecoin-project/lotus, pull request 10983).
pub const PC2_32_GIB: Pc2Figure = Pc2Figure {
    what: "supraseal pc2_cuda, NVIDIA RTX 3090",
    seconds: [120.0, 150.0],
};

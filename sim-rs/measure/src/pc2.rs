//! Filecoin's PreCommit 2: the trees over the layers and over the replica of a sector.
//!
//! TreeC has the hashes of columns, one element of every layer, as leaves; TreeR the elements of the replica.
//! The nodes of both have eight children; above two trees of a 64 GiB sector there is a node of two
//! (`rust-fil-proofs`, `storage-proofs-porep`, stacked DRG: `ColumnArity`, `OctTree`, the tree shapes of the
//! sector sizes). Every hash is that of neptune with the tag of Merkle trees.

use std::str::FromStr;

use serde::Serialize;

use crate::large::count_tree;
use crate::measurement::{CLOCK_HZ, MeasurementError, engine_plan, no_hash_engine, tree_plan};
use crate::published::{PC2_32_GIB, Pc2Figure};
use acclmt_driver::device::{
    CommitRequest, Counters, Device, EngineCounters, LeafRule, NoProgress, Progress,
};
use acclmt_driver::sharing::Sharing;
use acclmt_merkle::levels::UpperLevels;
use acclmt_poseidon::fields::AnyParameters;
use acclmt_poseidon::presets;
use acclmt_poseidon::word::{self, Word};

/// Children of a node of a tree.
const ARITY: u64 = 8;

/// Bytes of a node.
const NODE_BYTES: u64 = size_of::<Word>() as u64;

/// Rows above the replica that are not kept of a TreeR (`rust-fil-proofs`, `default_rows_to_discard`).
const DISCARDED_ROWS: u32 = 2;

/// What the elements are made of: the rule and the names are those of vectors that were made with neptune
/// (`filecoin_column_trees`), so that the roots of a sector can be compared with them.
const SEED: &str = "public/filecoin_column_trees";

/// A sector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sector {
    /// Its size, as it is called.
    pub name: &'static str,
    /// Trees of one kind, joined by a node of so many children where there are several.
    pub trees: u64,
    /// Levels of a tree above its leaves.
    pub height: u32,
    /// Layers: elements of a column.
    pub layers: usize,
}

/// The sectors of Filecoin, the smallest first.
pub const SECTORS: [Sector; 5] = [
    Sector {
        name: "2KiB",
        trees: 1,
        height: 2,
        layers: 2,
    },
    Sector {
        name: "8MiB",
        trees: 1,
        height: 6,
        layers: 2,
    },
    Sector {
        name: "512MiB",
        trees: 1,
        height: 8,
        layers: 2,
    },
    Sector {
        name: "32GiB",
        trees: 1,
        height: 10,
        layers: 11,
    },
    Sector {
        name: "64GiB",
        trees: 2,
        height: 10,
        layers: 11,
    },
];

/// There is no such sector.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no sector of '{name}'; the sectors are 2KiB, 8MiB, 512MiB, 32GiB and 64GiB")]
pub struct UnknownSector {
    /// What was asked for.
    pub name: String,
}

impl FromStr for Sector {
    type Err = UnknownSector;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let sector = SECTORS.into_iter().find(|sector| sector.name == name);
        sector.ok_or_else(|| UnknownSector {
            name: name.to_owned(),
        })
    }
}

impl Sector {
    /// Leaves of a tree.
    pub fn leaves(&self) -> u64 {
        ARITY.pow(self.height)
    }

    /// Leaves of all trees of a kind.
    fn all_leaves(&self) -> u64 {
        self.leaves() * self.trees
    }

    /// Nodes of a tree from a level on, the root included.
    fn nodes_from(&self, level: u32) -> u64 {
        (level..=self.height)
            .map(|level| ARITY.pow(self.height - level))
            .sum()
    }
}

/// Which of both kinds of trees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Kind {
    /// The tree over the columns.
    TreeC,
    /// The tree over the replica.
    TreeR,
}

/// Both, in the order in which they are built.
pub const KINDS: [Kind; 2] = [Kind::TreeC, Kind::TreeR];

/// A tree of a sector, or two of them and the node above.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TreeFigures {
    /// Which of both.
    pub tree: Kind,
    /// Elements of a leaf.
    pub columns: usize,
    /// Leaves, of all trees of the kind.
    pub leaves: u64,
    /// Cycles from the first word in to the last root out.
    pub cycles: u64,
    /// Leaves of the largest tree that was simulated, where that is less than a tree, see
    /// [`TreeMeasurement::simulated_leaves`](crate::measurement::TreeMeasurement::simulated_leaves).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub simulated_leaves: Option<u64>,
    /// The cycles at 500 MHz.
    pub seconds: f64,
    /// Words of 256 bits in, and out if every node goes out that PreCommit 2 keeps: of a TreeC all, of a TreeR
    /// those from the third level above the replica on.
    pub words_in: u64,
    /// See `words_in`.
    pub words_out: u64,
    /// How busy the hash engines that take rows are with rows, from 0 to 1.
    pub lhe_utilisation: f64,
    /// The same of those that take nodes.
    pub rhe_utilisation: f64,
    /// The root, hexadecimal, where the backend computes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
}

/// PreCommit 2 of a sector.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Pc2Measurement {
    /// The sector.
    pub sector: String,
    /// Hash engines of the chip.
    pub engines: u64,
    /// How they are used.
    pub sharing: Sharing,
    /// Cycles of both trees, one after the other.
    pub cycles: u64,
    /// The same at 500 MHz.
    pub seconds: f64,
    /// Words in and out of both trees.
    pub words_in: u64,
    /// See `words_in`.
    pub words_out: u64,
    /// Gigabytes a second in and out that the chip needs at 500 MHz, of the tree that needs more.
    pub gigabytes_per_second_in: f64,
    /// See `gigabytes_per_second_in`.
    pub gigabytes_per_second_out: f64,
    /// How busy the busiest sub-engines of all hash engines are, on average, from 0 to 1.
    pub utilisation: f64,
    /// Both trees.
    pub trees: Vec<TreeFigures>,
    /// The hash of both roots, hexadecimal, where the backend computes them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comm_r: Option<String>,
    /// A published time of a GPU, if there is one of this sector.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gpu: Option<Pc2Figure>,
}

/// The parameter set of so many elements.
fn parameters(elements: usize) -> &'static AnyParameters {
    presets::by_name(&format!("filecoin-arity-{elements}")).expect("Filecoin's sets are presets")
}

/// The trees of one kind, in one run.
fn request(sector: &Sector, kind: Kind, sharing: Sharing) -> CommitRequest<'static> {
    let rule = match kind {
        Kind::TreeC => LeafRule::Hash(parameters(sector.layers)),
        Kind::TreeR => LeafRule::Digest,
    };
    // Above several trees there is a node of so many children.
    let joined = (sector.trees > 1).then(|| UpperLevels {
        from: sector.height,
        parameters: parameters(sector.trees as usize),
    });
    CommitRequest {
        upper: Vec::from_iter(joined),
        sharing: Some(sharing),
        ..CommitRequest::new(parameters(ARITY as usize), rule, sector.all_leaves())
    }
}

/// Hashes of PreCommit 2 of a sector, for progress.
///
/// # Errors
///
/// When the device has no hash engines, or not for these hashes.
pub fn hashes(device: &dyn Device, sector: &Sector) -> Result<u64, MeasurementError> {
    let mut hashes = 0;
    for kind in KINDS {
        let request = request(sector, kind, Sharing::Fixed);
        tree_plan(device, &request)?;
        hashes += request.hashes(&request.shape()?);
    }
    engine_plan(device, parameters(sector.layers))?;
    Ok(hashes)
}

/// What is worth knowing before the runs, one sentence each, as [`Device::commit_notes`].
pub fn notes(device: &mut dyn Device, sector: &Sector, sharing: Sharing) -> Vec<String> {
    let mut notes = Vec::new();
    for kind in KINDS {
        let of_tree = device.commit_notes(&request(sector, kind, sharing));
        notes.extend(of_tree.into_iter().map(|note| format!("{kind:?}: {note}")));
    }
    notes
}

/// Hash engines of a device.
fn engines(device: &dyn Device) -> Result<u64, MeasurementError> {
    let engines = device.num_engines().ok_or_else(|| no_hash_engine(device))?;
    Ok(engines as u64)
}

/// About the cycles of PreCommit 2 of a sector: all hash engines work at the same time.
///
/// # Errors
///
/// As [`hashes`].
pub fn expected_cycles(device: &dyn Device, sector: &Sector) -> Result<f64, MeasurementError> {
    let leaves = sector.all_leaves() as f64;
    let nodes = leaves / (ARITY - 1) as f64;
    let columns = engine_plan(device, parameters(sector.layers))?.period as f64;
    let node = engine_plan(device, parameters(ARITY as usize))?.period as f64;
    Ok((leaves * columns + 2.0 * nodes * node) / engines(device)? as f64)
}

/// Measures PreCommit 2 of a sector on a chip: the trees one after the other, over generated elements. Roots
/// must be those of the software, unless the device only counts cycles. Progress is counted in hashes.
///
/// # Errors
///
/// When the device has no hash engines, a run fails, or a root is wrong.
pub fn measure_pc2(
    device: &mut dyn Device,
    sector: &Sector,
    sharing: Sharing,
    progress: &mut dyn Progress,
) -> Result<Pc2Measurement, MeasurementError> {
    let total = hashes(device, sector)?;
    let engines = engines(device)?;
    let mut before = 0;
    let mut trees = Vec::new();
    let mut roots = Vec::new();
    let mut busy = 0.0;
    for kind in KINDS {
        let (figures, root, of_engines) =
            measure_trees(device, sector, kind, sharing, &mut |done, of| {
                progress.report(before + done, total);
                if done == of {
                    before += of;
                }
            })?;
        trees.push(figures);
        roots.extend(root);
        busy += of_engines;
    }
    let sum = |part: fn(&TreeFigures) -> u64| trees.iter().map(part).sum::<u64>();
    let cycles = sum(|tree| tree.cycles);
    let rate = |part: fn(&TreeFigures) -> u64| {
        let rates = trees.iter().map(|tree| {
            (part(tree) * NODE_BYTES) as f64 / (tree.seconds.max(f64::MIN_POSITIVE) * 1e9)
        });
        rates.fold(0.0, f64::max)
    };
    let comm_r = if roots.len() == KINDS.len() {
        Some(word::to_hex(&join(device, &roots)?.0))
    } else {
        None
    };
    Ok(Pc2Measurement {
        sector: sector.name.to_owned(),
        engines,
        sharing,
        cycles,
        seconds: seconds(cycles),
        words_in: sum(|tree| tree.words_in),
        words_out: sum(|tree| tree.words_out),
        gigabytes_per_second_in: rate(|tree| tree.words_in),
        gigabytes_per_second_out: rate(|tree| tree.words_out),
        utilisation: busy / (engines * cycles.max(1)) as f64,
        trees,
        comm_r,
        gpu: (sector.name == "32GiB").then_some(PC2_32_GIB),
    })
}

/// Measures the trees of one kind, with the node above where there are two. Returns the root, if the device
/// computes it, and the cycles in which the hash engines were busy, together.
fn measure_trees(
    device: &mut dyn Device,
    sector: &Sector,
    kind: Kind,
    sharing: Sharing,
    progress: &mut dyn Progress,
) -> Result<(TreeFigures, Option<Word>, f64), MeasurementError> {
    let engines = engines(device)?;
    let request = request(sector, kind, sharing);
    let shape = request.shape()?;
    let hashes = request.hashes(&shape);
    let nodes = engine_plan(device, request.parameters)?;
    let columns = match kind {
        Kind::TreeC => sector.layers,
        Kind::TreeR => 1,
    };
    let (name, lowest_kept) = match kind {
        Kind::TreeC => (format!("column{columns}_k{}", sector.height), 0),
        Kind::TreeR => (format!("leaf_k{}", sector.height), 1 + DISCARDED_ROWS),
    };
    let tree = count_tree(
        device,
        &request,
        &format!("{SEED}/{name}"),
        &mut |done: u64, _: u64| progress.report(done.min(hashes), hashes),
    )?;
    let cycles = tree.counters.span();
    let each = tree.counters.engines(engines as usize);
    // Rows and nodes may occupy different sub-engines most.
    let busy: u64 = each.map(EngineCounters::busiest).sum();
    let mut row_engines = engines;
    if sharing == Sharing::Fixed {
        let permutations = shape.leaves() * request.leaf_hashes();
        row_engines = engines_of(&tree.counters, engines, permutations);
    }
    let mut roots = tree.report.cap.into_iter().flatten();
    let root = roots.next().filter(|_| device.computes());
    let leaves = sector.all_leaves();
    let leaf_busy = match kind {
        Kind::TreeC => engine_plan(device, parameters(sector.layers))?.utilisation(leaves, cycles),
        Kind::TreeR => 0.0,
    };
    let node_busy = nodes.utilisation(shape.hashes(), cycles);
    let node_engines = match sharing {
        Sharing::Fixed if engines > 1 => engines - row_engines.max(1),
        _ => engines,
    };
    let kept = sector.nodes_from(lowest_kept.min(sector.height));
    let figures = TreeFigures {
        tree: kind,
        columns,
        leaves,
        cycles,
        simulated_leaves: tree.simulated_leaves,
        seconds: seconds(cycles),
        words_in: leaves * columns as u64,
        words_out: kept * sector.trees + u64::from(sector.trees > 1),
        lhe_utilisation: leaf_busy / row_engines.max(1) as f64,
        rhe_utilisation: node_busy / node_engines as f64,
        root: root.as_ref().map(word::to_hex),
    };
    Ok((figures, root, busy as f64))
}

/// How many of the first hash engines have begun so many permutations, those of the rows, in fixed roles.
fn engines_of(counters: &Counters, engines: u64, permutations: u64) -> u64 {
    let mut left = permutations;
    let each = counters.engines(engines as usize);
    let of_rows = each.take_while(|engine| {
        let is_one = left > 0;
        left = left.saturating_sub(engine.hashes);
        is_one
    });
    of_rows.count() as u64
}

/// The node above these, and the cycles that it takes.
fn join(device: &mut dyn Device, children: &[Word]) -> Result<(Word, u64), MeasurementError> {
    let parameters = parameters(children.len());
    let report = device.hash(parameters, &[children.to_vec()], &mut NoProgress)?;
    let root = report.digests.concat().first().copied().unwrap_or_default();
    let counters = report.counters.ok_or_else(|| no_hash_engine(device))?;
    Ok((root, counters.span()))
}

fn seconds(cycles: u64) -> f64 {
    cycles as f64 / CLOCK_HZ as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::published::PC2_2_KIB_ROOTS;
    use acclmt_driver::chip::ChipDevice;
    use acclmt_model::{ComputingChip, Hardware, ModelDevice};

    #[test]
    fn sectors_have_as_many_nodes_as_bytes() {
        for (sector, log2_bytes) in SECTORS.iter().zip([11, 23, 29, 35, 36]) {
            let nodes = sector.leaves() * sector.trees;
            assert_eq!(nodes * NODE_BYTES, 1 << log2_bytes, "{}", sector.name);
            assert_eq!(sector.name.parse(), Ok(*sector));
        }
        let error = "1GiB".parse::<Sector>().expect_err("there is none");
        assert!(error.to_string().contains("'1GiB'"), "{error}");
    }

    /// The trees of a kind and the node above them are a run, whose root is that of the software.
    #[test]
    fn two_trees_are_joined_in_their_run() {
        let sector = Sector {
            trees: 2,
            ..SECTORS[0]
        };
        let hardware = Hardware::default();
        let chip = ComputingChip::new(hardware).expect("the default is legal");
        let mut device = ChipDevice::new(chip).expect("the chip answers");
        let mut model = ModelDevice::new(hardware)
            .expect("the default is legal")
            .with_results(false);
        for sharing in [Sharing::Fixed, Sharing::Shared] {
            for kind in KINDS {
                let request = request(&sector, kind, sharing);
                assert_eq!(
                    device.commit_notes(&request),
                    Vec::<String>::new(),
                    "{kind:?}"
                );
            }
            let found = measure_pc2(&mut device, &sector, sharing, &mut NoProgress)
                .expect("the roots are right");
            assert_eq!(
                (found.words_in, found.words_out),
                (6 * 64, 2 * 73 + 1 + 2 + 1)
            );
            let counted =
                measure_pc2(&mut model, &sector, sharing, &mut NoProgress).expect("it is counted");
            assert_eq!(counted.cycles, found.cycles, "{sharing}");
        }
    }

    #[test]
    fn a_small_sector_has_the_roots_of_neptune() {
        let chip = ComputingChip::new(Hardware::default()).expect("the default is legal");
        let mut device = ChipDevice::new(chip).expect("the chip answers");
        let found = measure_pc2(&mut device, &SECTORS[0], Sharing::Fixed, &mut NoProgress)
            .expect("it is measured");
        let roots = found.trees.iter().map(|tree| tree.root.as_deref());
        assert!(roots.eq(PC2_2_KIB_ROOTS.map(Some)));
        // 64 columns of two and the words of the replica, 73 nodes and the root alone.
        assert_eq!((found.words_in, found.words_out), (3 * 64, 73 + 1));
        let mut model = ModelDevice::new(Hardware::default())
            .expect("the default is legal")
            .with_results(false);
        let counted = measure_pc2(&mut model, &SECTORS[0], Sharing::Fixed, &mut NoProgress)
            .expect("it is counted");
        assert_eq!(counted.cycles, found.cycles);
        assert_eq!(counted.comm_r, None);
    }
}

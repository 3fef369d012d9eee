//! Trees that devices build are neptune's.

#![allow(dead_code, reason = "not every test uses all of the common part")]

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use acclmt_driver::device::{
    CommitReport, CommitRequest, Device, DeviceError, HashReport, LeafRule, LeafSource, NoProgress,
    PermuteReport, Progress, Unsupported, WordSource,
};
use acclmt_driver::nodes::{AllNodes, NodeSink};
use acclmt_driver::software::SoftwareDevice;
use acclmt_neptune::{
    Batcher, ColumnTreeBuilder, ColumnTreeBuilderTrait as _, DEFAULT_MAX_BATCH_SIZE, SharedDevice,
    TreeBuilder, TreeBuilderTrait as _,
};
use acclmt_poseidon::fields::{self, AnyParameters};
use acclmt_poseidon::presets;
use acclmt_poseidon::word::{self, Word};
use ark_ff::PrimeField as _;
use blstrs::Scalar;
use common::{Random, hashes, hex, model, rows, shared, software};
use ff::PrimeField as _;
use generic_array::GenericArray;
use generic_array::sequence::GenericSequence as _;
use generic_array::typenum::{U1, U2, U3, U4, U8, U11};
use neptune::hash_type::HashType;
use neptune::poseidon::PoseidonConstants;
use neptune::{Arity, Strength};
use sha2::{Digest as _, Sha512};

/// A batcher, or none.
fn batcher<A: Arity<Scalar>>(device: Option<&SharedDevice>) -> Option<Batcher<Scalar, A>> {
    device.map(|device| Batcher::new(device.clone(), DEFAULT_MAX_BATCH_SIZE).unwrap())
}

/// Trees of every height up to `highest` with every number of rows that can be discarded; leaves are added in
/// pieces of random lengths, some of them empty.
fn leaf_trees<A: Arity<Scalar>>(device: Option<&SharedDevice>, highest: u32, random: &mut Random) {
    for height in 1..=highest {
        let count = A::to_usize().pow(height);
        for discarded in 0..height as usize {
            let leaves = random.elements(count);
            let mut builder =
                TreeBuilder::<Scalar, A>::new(batcher(device), count, discarded).unwrap();
            assert_eq!(builder.tree_height(), height as usize);
            let mut rest = &leaves[..];
            for _ in 0..random.below(4) {
                let (piece, others) = rest.split_at(random.below(rest.len() + 1));
                builder.add_leaves(piece).unwrap();
                rest = others;
            }
            let (base, tree) = builder.add_final_leaves(rest).unwrap();
            let expected = rows::<A>(Strength::Standard, &leaves)[discarded..].concat();
            assert_eq!((base, &tree), (leaves, &expected), "height {height}");
            assert_eq!(builder.tree_size(discarded), tree.len());
        }
    }
}

#[test]
fn leaf_trees_are_neptunes() {
    let mut random = Random::new(0x1711);
    for device in [None, Some(software()), Some(model())] {
        let device = device.as_ref();
        leaf_trees::<U8>(device, 2, &mut random);
        leaf_trees::<U2>(device, 5, &mut random);
        leaf_trees::<U3>(device, 2, &mut random);
    }
    leaf_trees::<U8>(Some(&software()), 4, &mut random);
    leaf_trees::<U11>(Some(&software()), 2, &mut random);
}

/// Column trees; the number of columns in a batch, which decides what is one run of the device, differs.
fn column_trees<C: Arity<Scalar>, T: Arity<Scalar>>(
    devices: [Option<&SharedDevice>; 2],
    height: u32,
    random: &mut Random,
) {
    let count = T::to_usize().pow(height);
    for batch in [1, count / 2, count, DEFAULT_MAX_BATCH_SIZE] {
        let columns = random.columns::<C>(count);
        let column_batcher = devices[0].map(|d| Batcher::new(d.clone(), batch).unwrap());
        let tree_batcher = batcher::<T>(devices[1]);
        let mut builder =
            ColumnTreeBuilder::<Scalar, C, T>::new(column_batcher, tree_batcher, count).unwrap();
        let mut rest = &columns[..];
        for _ in 0..random.below(4) {
            let (piece, others) = rest.split_at(random.below(rest.len() + 1));
            builder.add_columns(piece).unwrap();
            rest = others;
        }
        let (base, tree) = builder.add_final_columns(rest).unwrap();
        let expected_base = hashes(&PoseidonConstants::new(), &columns);
        let expected = rows::<T>(Strength::Standard, &expected_base).concat();
        assert_eq!(base, expected_base, "batch {batch}");
        assert_eq!(tree, expected, "batch {batch}");
        assert_eq!(builder.tree_size(), tree.len());
    }
}

#[test]
fn column_trees_are_neptunes() {
    let mut random = Random::new(0x1712);
    let (one, other) = (software(), software());
    for devices in [
        [Some(&one), Some(&one)],
        [Some(&one), Some(&other)],
        [None, Some(&one)],
        [Some(&one), None],
        [None, None],
    ] {
        column_trees::<U11, U8>(devices, 2, &mut random);
        column_trees::<U2, U8>(devices, 1, &mut random);
    }
    column_trees::<U11, U8>([Some(&one), Some(&one)], 3, &mut random);
    column_trees::<U1, U2>([Some(&one), Some(&one)], 4, &mut random);
    column_trees::<U4, U11>([Some(&one), Some(&one)], 2, &mut random);
    let chip = model();
    column_trees::<U11, U8>([Some(&chip), Some(&chip)], 2, &mut random);
    column_trees::<U2, U8>([Some(&chip), Some(&chip)], 1, &mut random);
}

/// What the real builders of neptune gave: its `ColumnTreeBuilder` and `TreeBuilder` on the processor, of
/// neptune 13.0.0 built with a GPU feature. Element i is SHA-512 of `seed:i` modulo the prime.
#[test]
fn roots_are_those_of_neptunes_own_builders() {
    let element = |seed: &str, index: usize| {
        let digest = Sha512::digest(format!("{seed}:{index}"));
        let element = fields::Bls12_381::from_be_bytes_mod_order(&digest);
        Scalar::from_repr_vartime(word::from_field(element)).unwrap()
    };
    let device = software();
    for (name, count, root) in [
        (
            "column11_k1",
            8,
            "0x5d4387f6df7a378538007dbb7abb125f692d52643a3257932c2e46bd1e38c3ff",
        ),
        (
            "column11_k2",
            64,
            "0x6ed23d806ac052e0ff6602e00349e5d0520adbdba07203f263064d9056282f07",
        ),
        (
            "column11_k3",
            512,
            "0x7324394501987b7f3715d3e47163521a8ed6253c45f3f5ee643ff8bc6553a579",
        ),
    ] {
        let seed = format!("public/filecoin_column_trees/{name}");
        let columns: Vec<GenericArray<Scalar, U11>> = (0..count)
            .map(|column| GenericArray::generate(|i| element(&seed, column * 11 + i)))
            .collect();
        let device = Some(&device);
        let mut builder =
            ColumnTreeBuilder::<_, U11, U8>::new(batcher(device), batcher(device), count).unwrap();
        let (_, tree) = builder.add_final_columns(&columns).unwrap();
        assert_eq!(hex(tree.last().unwrap()), root);
    }
    for (name, count, root) in [
        (
            "leaf_k1",
            8,
            "0x6b9fdb388643f8438dde858b751dc99f68261518b2eded41a960d08a821b8007",
        ),
        (
            "leaf_k2",
            64,
            "0x345eac4f8cd045f4d2b0b1214949676ad1ce1b24ca49201fc51c58793cf0a7c6",
        ),
        (
            "leaf_k3",
            512,
            "0x278e0482519bf82c393327ad0e206163e71284d40f95708d37aa22ed7b67c8df",
        ),
    ] {
        let seed = format!("public/filecoin_column_trees/{name}");
        let leaves: Vec<Scalar> = (0..count).map(|leaf| element(&seed, leaf)).collect();
        let mut builder = TreeBuilder::<_, U8>::new(batcher(Some(&device)), count, 0).unwrap();
        let (_, tree) = builder.add_final_leaves(&leaves).unwrap();
        assert_eq!(hex(tree.last().unwrap()), root);
    }
}

/// Counts the runs of a device, and fails when it is told to.
struct Counting {
    device: SoftwareDevice,
    runs: Arc<[AtomicUsize; 2]>,
    failures: Arc<AtomicUsize>,
}

impl Counting {
    fn run(&self, kind: usize) -> Result<(), DeviceError> {
        self.runs[kind].fetch_add(1, Ordering::Relaxed);
        let failures = self.failures.load(Ordering::Relaxed);
        self.failures
            .store(failures.saturating_sub(1), Ordering::Relaxed);
        if failures > 0 {
            return Err(DeviceError::failed("the cable is loose"));
        }
        Ok(())
    }
}

impl Device for Counting {
    fn name(&self) -> &str {
        "counting"
    }

    fn supports(&self, parameters: &AnyParameters) -> Result<(), Unsupported> {
        self.device.supports(parameters)
    }

    fn commit(
        &mut self,
        request: &CommitRequest<'_>,
        source: &mut dyn LeafSource,
        nodes: &mut dyn NodeSink,
        progress: &mut dyn Progress,
    ) -> Result<CommitReport, DeviceError> {
        let report = self.device.commit(request, source, nodes, progress)?;
        self.run(0).map(|()| report)
    }

    fn hash(
        &mut self,
        parameters: &AnyParameters,
        inputs: &[Vec<Word>],
        progress: &mut dyn Progress,
    ) -> Result<HashReport, DeviceError> {
        self.run(1)?;
        self.device.hash(parameters, inputs, progress)
    }

    fn permute(
        &mut self,
        parameters: &AnyParameters,
        states: &[Vec<Word>],
        progress: &mut dyn Progress,
    ) -> Result<PermuteReport, DeviceError> {
        self.device.permute(parameters, states, progress)
    }
}

fn counting() -> (SharedDevice, Arc<[AtomicUsize; 2]>, Arc<AtomicUsize>) {
    let (runs, failures) = (Arc::default(), Arc::default());
    let device = Counting {
        device: SoftwareDevice::new(),
        runs: Arc::clone(&runs),
        failures: Arc::clone(&failures),
    };
    (shared(device), runs, failures)
}

/// One run where the columns fit into a batch; otherwise batches and a run of the tree.
#[test]
fn a_column_tree_is_one_run_where_columns_fit_into_a_batch() {
    // 40 columns are two batches of up to 39; the other 24 are the next one.
    for (batch, expected) in [(usize::MAX, [1, 0]), (40, [1, 0]), (39, [1, 3])] {
        let (device, runs, _) = counting();
        let column_batcher = Batcher::new(device.clone(), batch).unwrap();
        let tree_batcher = Batcher::new(device, 1).unwrap();
        let columns = Random::new(0x1713).columns(64);
        let mut builder =
            ColumnTreeBuilder::<Scalar, U11, U8>::new(Some(column_batcher), Some(tree_batcher), 64)
                .unwrap();
        for columns in columns[..40].chunks(20) {
            builder.add_columns(columns).unwrap();
        }
        builder.add_final_columns(&columns[40..]).unwrap();
        assert_eq!(
            [0, 1].map(|kind| runs[kind].load(Ordering::Relaxed)),
            expected
        );
    }
}

/// TreeC is one run of a chip: one engine hashes the columns, the other one the nodes, and all levels come out.
#[test]
fn a_chip_builds_a_column_tree_in_one_run() {
    let set = |name| presets::by_name(name).unwrap();
    let leaf = LeafRule::Hash(set("filecoin-arity-11"));
    let request = CommitRequest::new(set("filecoin-arity-8"), leaf, 64);
    let columns = vec![word::from_u64(1); 64 * 11];
    let (device, mut nodes) = (model(), AllNodes::default());
    let mut device = device.lock().unwrap();
    assert_eq!(device.commit_notes(&request), Vec::<String>::new());
    let report = device.commit(
        &request,
        &mut WordSource(&columns),
        &mut nodes,
        &mut NoProgress,
    );
    // A tree that is not folded by the chip itself has no counters.
    let counters = report.unwrap().counters.unwrap();
    assert_eq!((counters.leaf.hashes, counters.root.hashes), (64, 8 + 1));
    assert_eq!(
        nodes.levels.iter().map(Vec::len).collect::<Vec<_>>(),
        [64, 8, 1]
    );
}

/// A device that fails loses nothing of what was added before.
#[test]
fn what_was_added_stays_when_the_device_fails() {
    for batch in [usize::MAX, 10] {
        let (device, _, failures) = counting();
        let columns = Random::new(0x1714).columns::<U2>(64);
        let mut builder = ColumnTreeBuilder::<Scalar, U2, U8>::new(
            Some(Batcher::new(device.clone(), batch).unwrap()),
            batcher(Some(&device)),
            64,
        )
        .unwrap();
        builder.add_columns(&columns[..9]).unwrap();
        if batch == 10 {
            failures.store(1, Ordering::Relaxed);
            let error = builder.add_columns(&columns[9..20]).unwrap_err();
            assert_eq!(error.to_string(), "the cable is loose");
        }
        builder.add_columns(&columns[9..20]).unwrap();
        failures.store(1, Ordering::Relaxed);
        let error = builder.add_final_columns(&columns[20..]).unwrap_err();
        assert_eq!(error.to_string(), "the cable is loose");
        let (base, tree) = builder.add_final_columns(&columns[20..]).unwrap();
        assert_eq!(base, hashes(&PoseidonConstants::new(), &columns));
        assert_eq!(tree, rows::<U8>(Strength::Standard, &base).concat());

        let leaves = Random::new(0x1715).elements(64);
        let mut builder = TreeBuilder::<_, U8>::new(batcher(Some(&device)), 64, 0).unwrap();
        builder.add_leaves(&leaves[..7]).unwrap();
        failures.store(1, Ordering::Relaxed);
        builder.add_final_leaves(&leaves[7..]).unwrap_err();
        let (base, tree) = builder.add_final_leaves(&leaves[7..]).unwrap();
        assert_eq!(base, leaves);
        assert_eq!(tree, rows::<U8>(Strength::Standard, &base).concat());
    }
}

#[test]
fn trees_that_do_not_exist_are_refused() {
    fn refused<A: Arity<Scalar>>(leaves: usize, rows: usize) -> String {
        let error = TreeBuilder::<Scalar, A>::new(batcher(Some(&software())), leaves, rows);
        error.unwrap_err().to_string()
    }
    for leaves in [0, 1, 2, 7, 9, 12, 16, 63, 65, 513, usize::MAX] {
        let message = refused::<U8>(leaves, 0);
        let expected = format!("{leaves} leaves fill no tree of arity 8");
        assert!(message.starts_with(&expected), "{message}");
        let columns = ColumnTreeBuilder::<Scalar, U11, U8>::new(
            batcher(Some(&software())),
            batcher(Some(&software())),
            leaves,
        );
        assert_eq!(columns.unwrap_err().to_string(), message);
    }
    assert_eq!(
        refused::<U1>(1, 0),
        "there is no tree of arity 1, expected at least 2"
    );
    for (rows, expected) in [(2, "2 rows are to be"), (3, "3 rows are to be")] {
        let message = refused::<U8>(64, rows);
        assert!(
            message.starts_with(expected) && message.contains("with 1 between"),
            "{message}"
        );
    }
    let hash_type = HashType::ConstantLength(5);
    let nodes = Batcher::with_strength_and_type(software(), Strength::Standard, hash_type, 8);
    let message = TreeBuilder::<Scalar, U8>::new(Some(nodes.unwrap()), 8, 0).unwrap_err();
    assert!(
        message.to_string().contains("makes no nodes of arity 8"),
        "{message}"
    );
}

#[test]
fn too_many_and_too_few_leaves_are_refused_and_change_nothing() {
    let (device, mut random) = (software(), Random::new(0x1716));
    let device = Some(&device);
    let leaves = random.elements(9);
    let mut builder = TreeBuilder::<_, U8>::new(batcher(device), 8, 0).unwrap();
    let message = builder.add_leaves(&leaves).unwrap_err().to_string();
    assert_eq!(
        message,
        "too many leaves: 0 of 8 are there, and 9 more were given"
    );
    builder.add_leaves(&leaves[..3]).unwrap();
    let message = builder.add_leaves(&leaves[3..]).unwrap_err().to_string();
    assert_eq!(
        message,
        "too many leaves: 3 of 8 are there, and 6 more were given"
    );
    let message = builder
        .add_final_leaves(&leaves[3..])
        .unwrap_err()
        .to_string();
    assert_eq!(
        message,
        "too many leaves: 3 of 8 are there, and 6 more were given"
    );
    let message = builder
        .add_final_leaves(&leaves[3..7])
        .unwrap_err()
        .to_string();
    assert_eq!(
        message,
        "too few leaves: 7 with the last ones, and the tree has 8"
    );
    assert!(
        builder
            .build_tree(0)
            .unwrap_err()
            .to_string()
            .starts_with("too few leaves: 3")
    );
    builder.add_leaves(&leaves[3..8]).unwrap();
    let built = builder.build_tree(0).unwrap();
    assert_eq!(built.0, leaves[..8]);
    assert!(
        builder
            .build_tree(1)
            .unwrap_err()
            .to_string()
            .starts_with("1 rows are to be")
    );
    assert_eq!(builder.add_final_leaves(&[]).unwrap(), built);
    // As new.
    builder.add_leaves(&leaves[..5]).unwrap();
    builder.reset();
    assert_eq!(builder.add_final_leaves(&leaves[..8]).unwrap(), built);

    let columns = random.columns::<U11>(9);
    let mut builder =
        ColumnTreeBuilder::<_, U11, U8>::new(batcher(device), batcher(device), 8).unwrap();
    let message = builder.add_columns(&columns).unwrap_err().to_string();
    assert_eq!(
        message,
        "too many columns: 0 of 8 are there, and 9 more were given"
    );
    builder.add_columns(&columns[..4]).unwrap();
    let message = builder
        .add_final_columns(&columns[4..])
        .unwrap_err()
        .to_string();
    assert_eq!(
        message,
        "too many columns: 4 of 8 are there, and 5 more were given"
    );
    let message = builder
        .add_final_columns(&columns[4..7])
        .unwrap_err()
        .to_string();
    assert_eq!(
        message,
        "too few columns: 7 with the last ones, and the tree has 8"
    );
    let built = builder.add_final_columns(&columns[4..8]).unwrap();
    assert_eq!(built.0, hashes(&PoseidonConstants::new(), &columns[..8]));
    builder.add_columns(&columns[..2]).unwrap();
    builder.reset();
    assert_eq!(builder.add_final_columns(&columns[..8]).unwrap(), built);
}

/// Columns of a constant length that is smaller than the arity, and another strength of the nodes.
#[test]
fn the_hashes_of_the_batchers_are_used() {
    let (device, mut random) = (software(), Random::new(0x1717));
    let mut columns = random.columns::<U4>(9);
    for column in &mut columns {
        column[3] = Scalar::from(0);
    }
    let build = |columns: &[GenericArray<Scalar, U4>]| {
        let hash_type = HashType::ConstantLength(3);
        let standard = Strength::Standard;
        let column_batcher =
            Batcher::with_strength_and_type(device.clone(), standard, hash_type, 100).unwrap();
        let tree_batcher = Batcher::with_strength(device.clone(), Strength::Strengthened, 100);
        let tree_batcher = tree_batcher.unwrap();
        let mut builder =
            ColumnTreeBuilder::<_, U4, U3>::new(Some(column_batcher), Some(tree_batcher), 9)
                .unwrap();
        let uniform = builder.compute_uniform_tree_root(&columns[0]);
        builder
            .add_final_columns(columns)
            .map(|built| (built, uniform))
    };
    let constants = PoseidonConstants::<Scalar, U4>::new_constant_length(3);
    let expected: Vec<Scalar> = (columns.iter())
        .map(|column| neptune::Poseidon::new_with_preimage(&column[..3], &constants).hash())
        .collect();
    let ((base, tree), _) = build(&columns).unwrap();
    assert_eq!(base, expected);
    assert_eq!(tree, rows::<U3>(Strength::Strengthened, &base).concat());
    // The check of neptune's for trees of one column.
    let ((_, tree), uniform) = build(&vec![columns[5]; 9]).unwrap();
    assert_eq!(*tree.last().unwrap(), uniform.unwrap());
    columns[7][3] = Scalar::from(1);
    let message = build(&columns).unwrap_err().to_string();
    assert!(
        message.starts_with("preimage 7 has an element"),
        "{message}"
    );
}

/// What neptune's own tests check: a tree of one column many times over.
#[test]
fn uniform_trees_have_the_roots_of_neptune() {
    let device = software();
    let device = Some(&device);
    let minus_one = -Scalar::from(1);
    for (element, root) in [
        (
            Scalar::from(0),
            "0x1568a3d9eff0e4a97e7d740c002756a8ee081bb26816dba368f2eb0ebde41f8f",
        ),
        (
            minus_one,
            "0x347387ddee352d280234d6df719ecc2e8d8d78b73e57e671a63a2b40edac2d96",
        ),
    ] {
        let column = GenericArray::<Scalar, U11>::generate(|_| element);
        let mut builder =
            ColumnTreeBuilder::<_, U11, U8>::new(batcher(device), batcher(device), 64).unwrap();
        let (_, tree) = builder.add_final_columns(&vec![column; 64]).unwrap();
        assert_eq!(hex(tree.last().unwrap()), root);
        let computed = builder.compute_uniform_tree_root(&column).unwrap();
        assert_eq!(hex(&computed), root);
    }
}

// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! Several devices against one: roots, caps and every node of random trees, with devices that fail.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use acclmt_driver::device::{
    CommitReport, CommitRequest, Device, DeviceError, HashReport, LeafKind, LeafRule, LeafSource,
    NoProgress, PermuteReport, Progress, Unsupported, WordSource, Zeros,
};
use acclmt_driver::nodes::{NoNodes, NodeSink};
use acclmt_driver::several::SeveralDevices;
use acclmt_driver::software::SoftwareDevice;
use acclmt_merkle::shape::Padding;
use acclmt_model::{Hardware, ModelDevice};
use acclmt_poseidon::fields::{AnyParameters, FieldId, words};
use acclmt_poseidon::params::{PoseidonParameters, PoseidonSpecification};
use acclmt_poseidon::random::{self, Generator, Ranges};
use acclmt_poseidon::word::{self, Word};
use acclmt_poseidon::{dispatch, presets, with_field};
use proptest::prelude::*;

/// A device that fails once it has read and put out so many elements.
struct Failing {
    device: Box<dyn Device + Send>,
    left: u64,
    /// Whether it is for the top of a tree of hashed leaves alone, whose nodes are its leaves.
    only_top: bool,
}

/// The error of [`Failing`], after it nothing works any more.
fn spend(left: &mut u64, elements: usize) -> Result<(), DeviceError> {
    *left = left.saturating_sub(elements as u64);
    match *left {
        0 => Err(DeviceError::failed("it went up in smoke")),
        _ => Ok(()),
    }
}

struct FailingSource<'a>(&'a mut dyn LeafSource, &'a Cell<u64>);

impl LeafSource for FailingSource<'_> {
    fn read(&mut self, elements: usize) -> Result<Vec<Word>, DeviceError> {
        let mut left = self.1.get();
        let spent = spend(&mut left, elements);
        self.1.set(left);
        spent.and_then(|()| self.0.read(elements))
    }
}

struct FailingNodes<'a>(&'a mut dyn NodeSink, &'a Cell<u64>);

impl NodeSink for FailingNodes<'_> {
    fn wants(&self, level: u32) -> bool {
        self.0.wants(level)
    }

    fn node(&mut self, level: u32, index: u64, digest: &[Word]) -> Result<(), DeviceError> {
        let mut left = self.1.get();
        let spent = spend(&mut left, digest.len());
        self.1.set(left);
        spent.and_then(|()| self.0.node(level, index, digest))
    }
}

impl Device for Failing {
    fn name(&self) -> &str {
        self.device.name()
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
        if self.only_top && !matches!(request.leaf, LeafRule::Digest) {
            return self.device.commit(request, source, nodes, progress);
        }
        if self.left == 0 {
            return Err(DeviceError::failed("it was asked again"));
        }
        let left = Cell::new(self.left);
        let report = self.device.commit(
            request,
            &mut FailingSource(source, &left),
            &mut FailingNodes(nodes, &left),
            progress,
        );
        self.left = left.get();
        report
    }

    fn hash(
        &mut self,
        parameters: &AnyParameters,
        inputs: &[Vec<Word>],
        progress: &mut dyn Progress,
    ) -> Result<HashReport, DeviceError> {
        spend(&mut self.left, inputs.concat().len())?;
        self.device.hash(parameters, inputs, progress)
    }

    fn permute(
        &mut self,
        parameters: &AnyParameters,
        states: &[Vec<Word>],
        progress: &mut dyn Progress,
    ) -> Result<PermuteReport, DeviceError> {
        spend(&mut self.left, states.concat().len())?;
        self.device.permute(parameters, states, progress)
    }
}

/// Keeps nodes, and refuses those out of order.
#[derive(Debug, Default, PartialEq)]
struct Nodes {
    levels: Vec<Vec<Vec<Word>>>,
    /// Levels that are not wanted.
    without: Vec<u32>,
}

impl NodeSink for Nodes {
    fn wants(&self, level: u32) -> bool {
        !self.without.contains(&level)
    }

    fn node(&mut self, level: u32, index: u64, digest: &[Word]) -> Result<(), DeviceError> {
        assert!(self.wants(level));
        let level = level as usize;
        if self.levels.len() <= level {
            self.levels.resize(level + 1, Vec::new());
        }
        assert_eq!(index, self.levels[level].len() as u64, "of level {level}");
        self.levels[level].push(digest.to_vec());
        Ok(())
    }
}

impl Nodes {
    /// Whether these are the first nodes of each level of others.
    fn begin(&self, all: &Self) -> bool {
        let mut levels = self.levels.iter().zip(&all.levels);
        self.levels.len() <= all.levels.len() && levels.all(|(some, all)| all.starts_with(some))
    }
}

/// A device: whether it is a model, and when it fails.
type Kind = (bool, Option<u64>);

fn device((is_model, fails): Kind) -> Box<dyn Device + Send> {
    let device: Box<dyn Device + Send> = match is_model {
        true => Box::new(ModelDevice::new(Hardware::default()).unwrap()),
        false => Box::new(SoftwareDevice::new()),
    };
    match fails {
        None => device,
        Some(left) => Box::new(Failing {
            device,
            left,
            only_top: false,
        }),
    }
}

fn several(kinds: &[Kind]) -> SeveralDevices {
    SeveralDevices::new(kinds.iter().copied().map(device).collect())
}

/// A random set with few rounds, whose digest is a node of a tree of `arity`.
fn random_set(seed: u64, goldilocks: bool, arity: usize) -> AnyParameters {
    let (field, length, arity) = match goldilocks {
        // Two to five nodes: states of one beat and of two.
        true => (FieldId::Goldilocks, 4, 2 + arity % 4),
        false => (FieldId::ALL[seed as usize % 5], 1, arity),
    };
    assert!(goldilocks || field != FieldId::Goldilocks);
    let width = length * (arity + 1);
    let ranges = Ranges {
        widths: width..=width,
        full_rounds: 1..=2,
        partial_rounds: 0..=4,
        ..Ranges::default()
    };
    let set = random::any_parameters(field, seed, &ranges).unwrap();
    dispatch!(&set, set => {
        PoseidonParameters::new(PoseidonSpecification {
            input_positions: (width - arity * length..width).collect(),
            digest_positions: (0..length).collect(),
            ..set.specification().clone()
        })
        .unwrap()
        .into()
    })
}

fn elements(parameters: &AnyParameters, seed: u64, count: usize) -> Vec<Word> {
    let mut generator = Generator::new(seed);
    with_field!(parameters.field(), F => words(&generator.elements::<F>(count)))
}

#[derive(Clone, Copy, Debug)]
enum Pad {
    Leaf,
    SubTree,
}

/// A tree and what comes out.
#[derive(Clone, Debug)]
struct Case {
    seed: u64,
    /// One of [`ROWS`] with this number of columns, or a random set.
    rows: Option<(usize, usize)>,
    goldilocks: bool,
    arity: usize,
    leaf_is_digest: bool,
    leaves: u64,
    pad: Pad,
    more_height: u32,
    /// Cap, by its share of the height.
    cap: f64,
    without: Vec<u32>,
}

/// Presets with sponges and trees.
const ROWS: [&str; 3] = ["plonky2", "dusk", "starknet"];

impl Case {
    fn parameters(&self) -> AnyParameters {
        match self.rows {
            Some((preset, _)) => presets::by_name(ROWS[preset]).unwrap().clone(),
            None => random_set(self.seed, self.goldilocks, self.arity),
        }
    }

    fn request<'a>(&self, parameters: &'a AnyParameters, pad: &'a [Word]) -> CommitRequest<'a> {
        let kind = match self.rows {
            Some((_, columns)) => LeafKind::Row(columns),
            None if self.leaf_is_digest => LeafKind::Digest,
            None => LeafKind::Hash,
        };
        let mut request = CommitRequest::new(parameters, kind.rule(parameters), self.leaves);
        request.padding = match self.pad {
            Pad::Leaf => Padding::Leaf(pad),
            Pad::SubTree => Padding::SubTree(pad),
        };
        let height = request.shape().unwrap().height() + self.more_height;
        request.height = Some(height);
        request.cap_height = (f64::from(height) * self.cap) as u32;
        request
    }
}

fn case() -> impl Strategy<Value = Case> {
    let rows = prop_oneof![
        4 => Just(None),
        1 => (0..ROWS.len(), 1_usize..=20).prop_map(Some),
    ];
    let leaves = prop_oneof![2 => 1_u64..=20, 2 => 1_u64..=300];
    let cap = prop_oneof![2 => Just(0.0), 1 => 0.0..=1.0, 1 => Just(1.0)];
    let pad = prop_oneof![Just(Pad::Leaf), Just(Pad::SubTree)];
    let without = prop::collection::vec(0_u32..6, 0..3);
    let set = (any::<u64>(), rows, prop::bool::weighted(0.2), 2_usize..=11);
    let tree = (any::<bool>(), leaves, pad, 0_u32..=2, cap, without);
    (set, tree).prop_map(
        |(
            (seed, rows, goldilocks, arity),
            (leaf_is_digest, leaves, pad, more_height, cap, without),
        )| Case {
            seed,
            rows,
            goldilocks,
            arity,
            leaf_is_digest,
            leaves,
            pad,
            more_height,
            cap,
            without,
        },
    )
}

fn kinds() -> impl Strategy<Value = Vec<Kind>> {
    let fails = prop_oneof![1 => Just(None), 1 => (1_u64..=2000).prop_map(Some), 1 => (1_u64..=60).prop_map(Some)];
    prop::collection::vec((prop::bool::weighted(0.3), fails), 1..=4)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    /// Everything is as of one device, or no device is left and what came out was right.
    #[test]
    fn several_devices_are_like_one(case in case(), kinds in kinds(), evenly: bool) {
        let parameters = case.parameters();
        let pad = elements(&parameters, case.seed ^ 1, parameters.digest_length());
        let request = case.request(&parameters, &pad);
        let leaves = elements(&parameters, case.seed, request.leaf_length() * case.leaves as usize);
        let nodes = || Nodes { without: case.without.clone(), ..Nodes::default() };

        let mut expected_nodes = nodes();
        let source = &mut WordSource(&leaves);
        let expected = SoftwareDevice::new()
            .commit(&request, source, &mut expected_nodes, &mut NoProgress)
            .unwrap();

        let mut devices = match evenly {
            true => several(&kinds).evenly(),
            false => several(&kinds),
        };
        let mut all = nodes();
        let mut told = Vec::new();
        let source = &mut WordSource(&leaves);
        let result = devices.commit(&request, source, &mut all, &mut |done, total| {
            told.push((done, total));
        });
        prop_assert!(told.is_sorted());
        prop_assert!(told.iter().all(|&(_, total)| total == expected.hashes));
        let failures: Vec<_> = devices.failures().map(|failure| failure.is_some()).collect();
        for (failed, (_, fails)) in failures.iter().zip(&kinds) {
            prop_assert!(!failed || fails.is_some());
        }
        let is_asked_again = |failure: &str| failure.contains("it was asked again");
        prop_assert!(!devices.failures().flatten().any(is_asked_again));
        let report = match result {
            Ok(report) => report,
            Err(error) => {
                prop_assert!(failures.iter().all(|failed| *failed), "{}", error);
                prop_assert!(error.to_string().contains("it went up in smoke"), "{}", error);
                prop_assert!(all.begin(&expected_nodes));
                return Ok(());
            }
        };
        prop_assert_eq!(told.first().unwrap().0, 0);
        prop_assert_eq!(told.last().unwrap().0, expected.hashes);
        prop_assert_eq!(&report.cap, &expected.cap);
        prop_assert_eq!(all, expected_nodes);
        prop_assert_eq!((report.leaves, report.hashes), (expected.leaves, expected.hashes));
        prop_assert_eq!(report.devices.len(), kinds.len());
        for (share, failed) in report.devices.iter().zip(&failures) {
            prop_assert_eq!(share.failed.is_some(), *failed);
        }
        let sub_trees: u64 = report.devices.iter().map(|share| share.sub_trees).sum();
        let joined = report.devices.iter().filter(|share| share.joined_top).count();
        prop_assert!(sub_trees >= 1 && joined <= 1);
        // What is not cut has no top: a single group of siblings, and a small tree of a single device.
        prop_assert!(sub_trees > 1 || joined == 0);
        let is_whole = case.leaves <= request.parameters.arity() as u64 || evenly && kinds.len() == 1;
        prop_assert!(is_whole || sub_trees > 1);
    }
}

/// Devices that have failed do not matter, wherever they stand and whenever it happens.
#[test]
fn a_device_may_fail_at_any_point() {
    let parameters = random_set(7, false, 3);
    let request = CommitRequest::new(&parameters, LeafRule::Hash(&parameters), 81);
    let leaves = elements(&parameters, 3, 3 * 81);
    let mut expected_nodes = Nodes::default();
    let source = &mut WordSource(&leaves);
    let expected = SoftwareDevice::new()
        .commit(&request, source, &mut expected_nodes, &mut NoProgress)
        .unwrap();
    let mut failed = 0;
    for position in 0..3 {
        for left in 1..400 {
            let mut kinds = [(false, None); 3];
            kinds[position].1 = Some(left);
            let mut nodes = Nodes::default();
            let source = &mut WordSource(&leaves);
            let report = several(&kinds)
                .commit(&request, source, &mut nodes, &mut NoProgress)
                .unwrap();
            assert_eq!((&report.cap, &nodes), (&expected.cap, &expected_nodes));
            let share = &report.devices[position];
            if let Some(failure) = &share.failed {
                failed += 1;
                let place = failure.strip_suffix(": it went up in smoke").unwrap();
                let is_place = place == "top of the tree" || place.starts_with("leaves ");
                assert!(is_place, "{failure}");
            }
            let failures = report.devices.iter().filter(|share| share.failed.is_some());
            assert!(failures.count() <= 1);
        }
    }
    // Which sub-trees a device gets depends on the others.
    assert!(failed > 100, "{failed} failures");
}

/// The top is joined on a device that works, and a failure there is told.
#[test]
fn the_top_is_joined_by_another_device() {
    let parameters = random_set(1, false, 2);
    let request = CommitRequest::new(&parameters, LeafRule::Hash(&parameters), 64);
    let leaves = elements(&parameters, 5, 128);
    let mut expected_nodes = Nodes::default();
    let source = &mut WordSource(&leaves);
    SoftwareDevice::new()
        .commit(&request, source, &mut expected_nodes, &mut NoProgress)
        .unwrap();
    // It makes nodes before it fails.
    let failing = |left| Failing {
        device: device((false, None)),
        left,
        only_top: true,
    };
    // The top has eight leaves.
    let mut devices = SeveralDevices::new(vec![Box::new(failing(8 + 3)), device((true, None))]);
    let mut nodes = Nodes::default();
    let source = &mut WordSource(&leaves);
    let report = devices.commit(&request, source, &mut nodes, &mut NoProgress);
    let [first, second] = &report.unwrap().devices[..] else {
        panic!("there are two devices");
    };
    let failure = "top of the tree: it went up in smoke";
    assert_eq!(first.failed.as_deref(), Some(failure));
    assert!(!first.joined_top && second.joined_top);
    assert_eq!(nodes, expected_nodes);

    // It has four.
    let mut alone = SeveralDevices::new(vec![Box::new(failing(4 + 2))]);
    let mut nodes = Nodes::default();
    let source = &mut WordSource(&leaves);
    let error = alone.commit(&request, source, &mut nodes, &mut NoProgress);
    assert_eq!(
        error.unwrap_err().to_string(),
        format!("no device is left that works: device 0 (software), {failure}")
    );
    // Those of the sub-trees are all there is.
    assert_eq!(nodes.levels, expected_nodes.levels[..5]);
}

/// The end of all devices is an error that names each, and the next run begins with all of them.
#[test]
fn all_devices_may_fail() {
    let parameters = random_set(2, false, 4);
    let request = CommitRequest::new(&parameters, LeafRule::Digest, 256);
    let leaves = elements(&parameters, 5, 256);
    let mut devices = several(&[(false, Some(1)), (true, Some(20))]);
    for _ in 0..2 {
        let source = &mut WordSource(&leaves);
        let error = devices.commit(&request, source, &mut NoNodes, &mut NoProgress);
        let message = error.unwrap_err().to_string();
        assert!(message.starts_with("no device is left that works: device 0 (software), leaves "));
        assert!(message.contains("; device 1 (model), leaves "), "{message}");
        assert_eq!(devices.failures().flatten().count(), 2);
    }
    let source = &mut WordSource(&leaves);
    let error = several(&[]).commit(&request, source, &mut NoNodes, &mut NoProgress);
    assert_eq!(
        error.unwrap_err().to_string(),
        "no device is left that works: there is none"
    );
}

/// An element that is not below the prime is told with its place among all leaves, and so is a missing one.
#[test]
fn errors_of_the_input_name_the_place_among_all() {
    let parameters = random_set(3, false, 2);
    let request = CommitRequest::new(&parameters, LeafRule::Hash(&parameters), 128);
    let all = elements(&parameters, 9, 256);
    let mut devices = several(&[(false, None), (true, None), (false, Some(40))]);
    for wrong in [0, 1, 17, 100, 254, 255] {
        let mut leaves = all.clone();
        leaves[wrong] = parameters.prime();
        let mut nodes = Nodes::default();
        let source = &mut WordSource(&leaves);
        let error = devices.commit(&request, source, &mut nodes, &mut NoProgress);
        let error = error.unwrap_err();
        assert!(matches!(error, DeviceError::Element(_)), "{error}");
        let begin = format!("element {wrong} is ");
        assert!(error.to_string().starts_with(&begin), "{error}");
        assert!(nodes.levels.first().map_or(0, Vec::len) <= wrong / 2);

        let source = &mut WordSource(&all[..wrong]);
        let error = devices.commit(&request, source, &mut NoNodes, &mut NoProgress);
        let message = error.unwrap_err().to_string();
        assert!(
            message.contains(&format!("has {wrong} of the 256")),
            "{message}"
        );
    }
    // The devices are as good as before.
    let expected = SoftwareDevice::new()
        .commit(
            &request,
            &mut WordSource(&all),
            &mut NoNodes,
            &mut NoProgress,
        )
        .unwrap();
    let source = &mut WordSource(&all);
    let report = devices.commit(&request, source, &mut NoNodes, &mut NoProgress);
    assert_eq!(report.unwrap().cap, expected.cap);
}

/// Takes some nodes and no more.
struct Full(u64);

impl NodeSink for Full {
    fn wants(&self, _level: u32) -> bool {
        true
    }

    fn node(&mut self, _level: u32, _index: u64, _digest: &[Word]) -> Result<(), DeviceError> {
        self.0 = (self.0.checked_sub(1)).ok_or_else(|| DeviceError::failed("the disk is full"))?;
        Ok(())
    }
}

#[test]
fn an_error_of_the_receiver_is_no_failure_of_a_device() {
    let parameters = random_set(4, false, 2);
    let request = CommitRequest::new(&parameters, LeafRule::Digest, 64);
    let leaves = elements(&parameters, 9, 64);
    let mut devices = several(&[(false, None), (true, None)]);
    for nodes in [0, 1, 30, 100, 126] {
        let source = &mut WordSource(&leaves);
        let error = devices.commit(&request, source, &mut Full(nodes), &mut NoProgress);
        assert_eq!(error.unwrap_err().to_string(), "the disk is full");
        assert_eq!(devices.failures().flatten().count(), 0);
    }
    let source = &mut WordSource(&leaves);
    let report = devices.commit(&request, source, &mut Full(127), &mut NoProgress);
    assert!(report.is_ok());
}

/// Counts the elements that are read.
struct Counted<'a>(WordSource<'a>, Arc<AtomicU64>);

impl LeafSource for Counted<'_> {
    fn read(&mut self, elements: usize) -> Result<Vec<Word>, DeviceError> {
        self.1.fetch_add(elements as u64, Ordering::SeqCst);
        self.0.read(elements)
    }
}

/// A slow device, which notes how many leaves are kept.
struct Slow {
    device: Box<dyn Device + Send>,
    time: Duration,
    read: Arc<AtomicU64>,
    done: Arc<AtomicU64>,
    most: Arc<AtomicU64>,
}

impl Device for Slow {
    fn name(&self) -> &str {
        "slow"
    }

    fn supports(&self, _parameters: &AnyParameters) -> Result<(), Unsupported> {
        Ok(())
    }

    fn commit(
        &mut self,
        request: &CommitRequest<'_>,
        source: &mut dyn LeafSource,
        nodes: &mut dyn NodeSink,
        progress: &mut dyn Progress,
    ) -> Result<CommitReport, DeviceError> {
        thread::sleep(self.time);
        let done = self.done.load(Ordering::SeqCst);
        let kept = self.read.load(Ordering::SeqCst).saturating_sub(done);
        self.most.fetch_max(kept, Ordering::SeqCst);
        let report = self.device.commit(request, source, nodes, progress);
        self.done.fetch_add(request.leaves, Ordering::SeqCst);
        report
    }

    fn hash(
        &mut self,
        _parameters: &AnyParameters,
        _inputs: &[Vec<Word>],
        _progress: &mut dyn Progress,
    ) -> Result<HashReport, DeviceError> {
        panic!("on purpose");
    }

    fn permute(
        &mut self,
        _parameters: &AnyParameters,
        _states: &[Vec<Word>],
        _progress: &mut dyn Progress,
    ) -> Result<PermuteReport, DeviceError> {
        panic!("on purpose");
    }
}

/// Leaves are read ahead, but no more than two sub-trees for each device.
#[test]
fn few_leaves_are_kept() {
    let parameters = random_set(5, false, 11);
    let count = 11_u64.pow(3);
    let request = CommitRequest::new(&parameters, LeafRule::Digest, count);
    let leaves = elements(&parameters, 9, count as usize);
    let [read, done, most] = [0; 3].map(|_| Arc::new(AtomicU64::new(0)));
    let slow = || Slow {
        device: device((false, None)),
        time: Duration::from_millis(5),
        read: Arc::clone(&read),
        done: Arc::clone(&done),
        most: Arc::clone(&most),
    };
    let mut devices = SeveralDevices::new((0..3).map(|_| Box::new(slow()) as _).collect());
    let source = &mut Counted(WordSource(&leaves), Arc::clone(&read));
    let report = devices
        .commit(&request, source, &mut NoNodes, &mut NoProgress)
        .unwrap();
    // 121 sub-trees of 11 leaves, as 11 would be too few.
    let sub_trees: u64 = report.devices.iter().map(|share| share.sub_trees).sum();
    assert_eq!(sub_trees, 121);
    let most = most.load(Ordering::SeqCst);
    assert!((3 * 11..=2 * 3 * 11).contains(&most), "{most} leaves");
}

/// A panic of a device is a failure of it, in whichever thread; it is not used again.
#[test]
fn a_panic_is_a_failure() {
    struct Panics;
    impl Device for Panics {
        fn name(&self) -> &str {
            "panics"
        }
        fn supports(&self, _parameters: &AnyParameters) -> Result<(), Unsupported> {
            Ok(())
        }
        fn commit(
            &mut self,
            _request: &CommitRequest<'_>,
            _source: &mut dyn LeafSource,
            _nodes: &mut dyn NodeSink,
            _progress: &mut dyn Progress,
        ) -> Result<CommitReport, DeviceError> {
            panic!("on purpose");
        }
        fn hash(
            &mut self,
            _parameters: &AnyParameters,
            _inputs: &[Vec<Word>],
            _progress: &mut dyn Progress,
        ) -> Result<HashReport, DeviceError> {
            Err(DeviceError::failed("it was used after a panic"))
        }
        fn permute(
            &mut self,
            _parameters: &AnyParameters,
            _states: &[Vec<Word>],
            _progress: &mut dyn Progress,
        ) -> Result<PermuteReport, DeviceError> {
            Err(DeviceError::failed("it was used after a panic"))
        }
    }
    let parameters = random_set(6, false, 2);
    let request = CommitRequest::new(&parameters, LeafRule::Digest, 64);
    let leaves = elements(&parameters, 9, 64);
    let mut devices = SeveralDevices::new(vec![Box::new(Panics), device((false, None))]);
    for _ in 0..2 {
        let source = &mut WordSource(&leaves);
        let report = devices.commit(&request, source, &mut NoNodes, &mut NoProgress);
        let failed = report.unwrap().devices[0].failed.clone().unwrap();
        assert!(
            failed.ends_with("the device panicked: on purpose"),
            "{failed}"
        );
    }
    let inputs = [leaves[..2].to_vec()];
    devices.hash(&parameters, &inputs, &mut NoProgress).unwrap();
}

/// Hashes go to the first device that works; wrong input is no failure.
#[test]
fn hashes_go_to_a_device_that_works() {
    let parameters = presets::by_name("plonky2").unwrap();
    let inputs: Vec<Vec<Word>> = (0..4).map(|_| elements(parameters, 2, 8)).collect();
    let states: Vec<Vec<Word>> = (0..4).map(|_| elements(parameters, 2, 12)).collect();
    let mut one = SoftwareDevice::new();
    let mut devices = several(&[(false, Some(1)), (true, None)]);
    let hashed = devices.hash(parameters, &inputs, &mut NoProgress).unwrap();
    let expected = one.hash(parameters, &inputs, &mut NoProgress).unwrap();
    assert_eq!(hashed.digests, expected.digests);
    // Of the model.
    assert!(hashed.cycles().is_some());
    assert_eq!(
        devices.failures().collect::<Vec<_>>(),
        [Some("hashes: it went up in smoke"), None]
    );
    let permuted = devices.permute(parameters, &states, &mut NoProgress);
    let expected = one.permute(parameters, &states, &mut NoProgress).unwrap();
    assert_eq!(permuted.unwrap().states, expected.states);
    let error = several(&[(true, None)]).hash(parameters, &states, &mut NoProgress);
    assert!(error.unwrap_err().to_string().starts_with("input 0 has 12"));
}

/// Counters are those of the longest way to the root.
#[test]
fn cycles_are_those_of_the_longest_way() {
    let parameters = presets::by_name("filecoin-arity-2").unwrap();
    let request = CommitRequest::new(parameters, LeafRule::Hash(parameters), 4096);
    let leaves: Vec<Word> = (0..8192).map(word::from_u64).collect();
    let commit = |devices: &mut dyn Device| {
        let source = &mut WordSource(&leaves);
        let report = devices.commit(&request, source, &mut NoNodes, &mut NoProgress);
        report.unwrap()
    };
    let one = commit(device((true, None)).as_mut());
    assert!(one.devices.is_empty());
    // One is slow.
    let with_slow = |others: usize| {
        let slow = Slow {
            device: device((true, None)),
            time: Duration::from_millis(300),
            read: Arc::default(),
            done: Arc::default(),
            most: Arc::default(),
        };
        let mut devices: Vec<Box<dyn Device + Send>> = vec![Box::new(slow)];
        devices.extend((0..others).map(|_| device((true, None))));
        SeveralDevices::new(devices)
    };
    let cycles = |report: &CommitReport| report.cycles().unwrap();
    let check = |four: &CommitReport| {
        let without_top = four.devices.iter().filter(|share| !share.joined_top);
        let longest = without_top.map(|share| share.cycles.unwrap()).max();
        assert!(Some(cycles(four)) > longest);
        let sub_trees = four.devices.iter().map(|share| share.sub_trees);
        let most = sub_trees.clone().max().unwrap();
        let leaves = 4096 / sub_trees.clone().sum::<u64>();
        let counters = four.counters.as_ref().unwrap();
        assert_eq!(counters.leaf.hashes, most * leaves);
        assert_eq!(
            counters.root.hashes,
            most * (leaves - 1) + 4096 / leaves - 1
        );
        sub_trees.collect::<Vec<_>>()
    };
    let first = check(&commit(&mut with_slow(3)));
    assert_eq!(first.iter().sum::<u64>(), 16);
    assert!(Some(&first[0]) < first.iter().max(), "{first:?}");
    // In turn, whoever is slow; few each, as runs are short.
    assert_eq!(check(&commit(&mut with_slow(2).evenly())), [3, 3, 2]);
    let even = commit(&mut with_slow(3).evenly());
    assert_eq!(check(&even), [1; 4]);
    assert!(cycles(&even) < cycles(&one), "{even:?}");
    // The software counts none, whatever it does.
    let mixed = commit(&mut several(&[(true, None), (false, None)]));
    let is_all = mixed.devices[1].sub_trees == 0 && !mixed.devices[1].joined_top;
    assert_eq!(mixed.cycles().is_some(), is_all);
    assert_eq!(mixed.devices[1].cycles, None);
}

/// A window of leaves is counted by one device alone.
#[test]
fn windows_are_refused() {
    let parameters = random_set(8, false, 2);
    let mut request = CommitRequest::new(&parameters, LeafRule::Digest, 64);
    request.window = Some(8..16);
    let leaves = elements(&parameters, 9, 64);
    let source = &mut WordSource(&leaves);
    let error = several(&[(true, None); 2]).commit(&request, source, &mut NoNodes, &mut NoProgress);
    let message = error.unwrap_err().to_string();
    assert!(message.contains("counted by one device"), "{message}");
}

/// Leaves that are all zero, as cycles alone are of interest, are neither read nor kept.
#[test]
fn zeros_are_not_read() {
    struct Unread;

    impl LeafSource for Unread {
        fn read(&mut self, _elements: usize) -> Result<Vec<Word>, DeviceError> {
            Err(DeviceError::failed("nobody should ask"))
        }

        fn is_zeros(&self) -> bool {
            true
        }
    }

    /// Zeros that are read.
    struct Read;

    impl LeafSource for Read {
        fn read(&mut self, elements: usize) -> Result<Vec<Word>, DeviceError> {
            Zeros.read(elements)
        }
    }

    let parameters = presets::by_name("filecoin-arity-4").unwrap();
    let request = CommitRequest::new(parameters, LeafRule::Hash(parameters), 1024);
    let commit = |computes: bool, source: &mut dyn LeafSource| {
        let chips = (0..3).map(|_| {
            let chip = ModelDevice::new(Hardware::default()).unwrap();
            Box::new(chip.with_results(computes)) as Box<dyn Device + Send>
        });
        let mut devices = SeveralDevices::new(chips.collect()).evenly();
        let report = devices.commit(&request, source, &mut NoNodes, &mut NoProgress);
        report.unwrap()
    };
    let counted = commit(false, &mut Unread);
    let computed = commit(true, &mut Unread);
    let read = commit(true, &mut Read);
    assert_eq!(counted.counters, read.counters);
    assert_eq!(
        (&computed.counters, &computed.cap),
        (&read.counters, &read.cap)
    );
}

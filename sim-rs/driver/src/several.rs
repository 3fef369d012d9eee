//! Several devices that build one tree together.
//!
//! The leaves are cut into sub-trees of one height. Every device has a thread and takes the next sub-tree whenever
//! it is done with one, or in turn; at the end one of the devices joins the roots of the sub-trees to the top of
//! the tree. All nodes are those of one device, padding included, as a sub-tree begins at a multiple of its leaves.
//! Of a tree with upper levels, sub-trees have those below their roots, and the top has the others; where the first
//! upper level has few nodes, the sub-trees are below it and have one parameter set.
//!
//! A sub-tree of a device that fails is given to another one. Therefore its leaves are kept until it is done, and
//! its nodes go to their receiver when it and all sub-trees before it are. What is kept for all sub-trees
//! together, leaves and nodes, is no more than 2^24 elements (512 MiB), unless two groups of siblings for each
//! device have more; beside that the roots of the sub-trees are kept, and the nodes above them if they are
//! wanted.
//!
//! The elements of leaves are checked before a device has them, and an error of the source, of an element or of
//! the receiver of nodes ends the commitment. Every other error is one of the device: it gets nothing more in this
//! run, and the next run begins with all devices again. After a panic it is never used again.

use std::any::Any;
use std::collections::{BTreeMap, VecDeque};
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::Duration;

use acclmt_merkle::levels::UpperLevels;
use acclmt_merkle::shape::{Padding, TreeShape};
use acclmt_poseidon::fields::AnyParameters;
use acclmt_poseidon::sponge::Sponge;
use acclmt_poseidon::word::Word;

use crate::device::{
    CommitReport, CommitRequest, Counters, Device, DeviceShare, EnginePlan, HashReport, LeafReader,
    LeafRule, LeafSource, PermuteReport, Progress, WordSource, Zeroisation, Zeros,
};
use crate::error::{DeviceError, Unsupported};
use crate::fold::full_cap;
use crate::nodes::NodeSink;
use crate::self_test::SelfTest;

/// Name of several devices.
pub const NAME: &str = "several";

/// Least number of sub-trees for each device, where the tree has so many: the last ones are shared evenly.
const SUB_TREES_PER_DEVICE: u64 = 4;

/// A run costs about so many hashes for each of its levels beside its own: a chip waits for the last hash of a level.
const HASHES_OF_A_LEVEL: u64 = 128;

/// Most nodes of the first upper level of a tree that are joined by one device, so that sub-trees have one parameter
/// set.
const MAX_UPPER_NODES: u64 = 1024;

/// Sub-trees for each device that are kept: one that it works on, and one that is ready or waits for those before.
const KEPT_PER_DEVICE: u64 = 2;

/// Most elements that are kept of all sub-trees together: their leaves and nodes.
const KEPT_ELEMENTS: u64 = 1 << 24;

/// All devices have failed, or there are none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no device is left that works: {}", if failures.is_empty() { "there is none" } else { failures })]
pub struct NoDeviceLeft {
    /// Which device failed where and why, one after another.
    failures: String,
}

/// A device panicked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the device panicked: {0}")]
struct Panicked(String);

/// The commitment has failed for another reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the commitment was given up")]
struct GivenUp;

/// Several devices that build one tree together, of any kinds.
///
/// The counters of a commitment are those of the device whose sub-trees took the most cycles, one run after the
/// other, with those of the top behind them: its cycles are those until the root is there, if all devices have one
/// clock and none waits for leaves. There are none when a device that did a part counts no cycles.
/// [`CommitReport::devices`] says what each of them did.
///
/// Hashes, rows and permutations without a tree are not shared: the first device that does not fail does them.
///
/// ```
/// use acclmt_driver::device::{CommitRequest, Device, LeafRule, NoProgress, WordSource};
/// use acclmt_driver::nodes::NoNodes;
/// use acclmt_driver::several::SeveralDevices;
/// use acclmt_driver::software::SoftwareDevice;
/// use acclmt_poseidon::{presets, word};
///
/// let parameters = presets::by_name("filecoin-arity-2")?;
/// let request = CommitRequest::new(parameters, LeafRule::Digest, 4);
/// let leaves = [0, 1, 2, 3].map(word::from_u64);
/// let mut devices = SeveralDevices::new(vec![
///     Box::new(SoftwareDevice::new()),
///     Box::new(SoftwareDevice::new()),
/// ]);
/// let source = &mut WordSource(&leaves);
/// let report = devices.commit(&request, source, &mut NoNodes, &mut NoProgress)?;
/// assert_eq!(
///     word::to_hex(&report.root()[0]),
///     "0x333edd9de0908b764241a566fcf4447556a2556fb71ef154ee0da1436fcf4f24"
/// );
/// let sub_trees: u64 = report.devices.iter().map(|share| share.sub_trees).sum();
/// assert_eq!(sub_trees, 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct SeveralDevices {
    members: Vec<Member>,
    evenly: bool,
}

/// One of the devices.
struct Member {
    device: Box<dyn Device + Send>,
    /// Where and why it failed in the last run.
    failure: Option<String>,
    panicked: bool,
}

/// Why a run of a device gave nothing.
struct Failure {
    error: DeviceError,
    panicked: bool,
}

impl Member {
    /// Takes down that the device failed at `place`.
    fn fail(&mut self, place: &str, failure: &Failure) {
        self.failure = Some(format!("{place}: {}", failure.error));
        self.panicked |= failure.panicked;
    }
}

impl SeveralDevices {
    /// These devices. They are counted from 0 in messages.
    pub fn new(devices: Vec<Box<dyn Device + Send>>) -> Self {
        let member = |device| Member {
            device,
            failure: None,
            panicked: false,
        };
        Self {
            members: devices.into_iter().map(member).collect(),
            evenly: false,
        }
    }

    /// With equal shares: the sub-trees go round, and not to whoever is done first, and there are fewer of them
    /// where runs would be short. This is for devices of one kind: who does what, and the cycles of simulated
    /// chips, do not depend on this machine.
    #[must_use]
    pub fn evenly(mut self) -> Self {
        self.evenly = true;
        self
    }

    /// Where and why each device failed in the last run, if it did.
    pub fn failures(&self) -> impl Iterator<Item = Option<&str>> {
        self.members.iter().map(|member| member.failure.as_deref())
    }

    /// A run begins, with all devices but those that a panic left in the middle of something.
    fn begin(&mut self) {
        for member in &mut self.members {
            if !member.panicked {
                member.failure = None;
            }
        }
    }

    /// The devices that have not failed, and their numbers.
    fn working(&mut self) -> impl Iterator<Item = (usize, &mut Member)> {
        let members = self.members.iter_mut().enumerate();
        members.filter(|(_, member)| member.failure.is_none())
    }

    fn none_left(&self) -> DeviceError {
        none_left(&self.members)
    }

    /// Runs on the first device that does not fail. An error that is no failure of a device is returned.
    fn on_any<R>(
        &mut self,
        place: &str,
        mut run: impl FnMut(&mut dyn Device) -> Result<R, DeviceError>,
    ) -> Result<R, DeviceError> {
        self.begin();
        for (_, member) in self.working() {
            match guarded(|| run(member.device.as_mut())) {
                Ok(result) => return Ok(result),
                Err(failure) => match failure.error {
                    DeviceError::Failed(_) | DeviceError::Unsupported(_) => {
                        member.fail(place, &failure);
                    }
                    error => return Err(error),
                },
            }
        }
        Err(self.none_left())
    }

    /// The notes of all devices, each once.
    fn all_notes(notes: impl Iterator<Item = Vec<String>>) -> Vec<String> {
        let mut all = Vec::new();
        for note in notes.flatten() {
            if !all.contains(&note) {
                all.push(note);
            }
        }
        all
    }
}

fn none_left(members: &[Member]) -> DeviceError {
    let failures = members.iter().enumerate().filter_map(|(number, member)| {
        let failure = member.failure.as_ref()?;
        Some(format!(
            "device {number} ({}), {failure}",
            member.device.name()
        ))
    });
    let failures = failures.collect::<Vec<_>>().join("; ");
    DeviceError::failed(NoDeviceLeft { failures })
}

/// Runs a device; a panic is an error as well.
fn guarded<R>(run: impl FnOnce() -> Result<R, DeviceError>) -> Result<R, Failure> {
    // A device is not used again after a panic.
    match panic::catch_unwind(AssertUnwindSafe(run)) {
        Ok(result) => result.map_err(|error| Failure {
            error,
            panicked: false,
        }),
        Err(panic) => Err(Failure {
            error: DeviceError::failed(Panicked(panic_text(panic.as_ref()))),
            panicked: true,
        }),
    }
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("nobody knows why").to_owned()
}

/// How a tree is cut.
struct Cut<'a> {
    request: &'a CommitRequest<'a>,
    shape: &'a TreeShape,
    /// Level of the nodes below each of which a sub-tree has its leaves.
    height: u32,
    /// Level up to which sub-trees are computed: `height`, or that of the cap.
    level: u32,
}

impl<'a> Cut<'a> {
    /// The highest sub-trees that are several for each of `devices` devices and whose elements can be kept; with
    /// equal shares higher ones, down to one for each device, where their runs cost less. A tree of a single group
    /// of siblings is not cut.
    fn new(
        request: &'a CommitRequest<'a>,
        shape: &'a TreeShape,
        devices: usize,
        evenly: bool,
    ) -> Self {
        let devices = devices.max(1) as u64;
        let kept = KEPT_ELEMENTS / (KEPT_PER_DEVICE * devices);
        // The nodes of a sub-tree are no more than twice its leaves.
        let elements = (request.leaf_length() + 2 * shape.digest_length()) as u64;
        let at = |height: u32| Self {
            request,
            shape,
            height,
            level: height.min(shape.top()),
        };
        let highest = |each: u64| {
            let heights = (1..=shape.height()).take_while(|&height| {
                let leaves = shape.nodes_below(height, 0).min(shape.leaves());
                shape.nodes(height) >= each * devices && leaves.saturating_mul(elements) <= kept
            });
            heights.last().unwrap_or(1).min(shape.height())
        };
        let mut cut = at(highest(SUB_TREES_PER_DEVICE));
        if evenly {
            let heights = cut.height..=highest(1);
            let cost = |height: &u32| at(*height).cost(devices);
            let least = heights.clone().map(|height| cost(&height)).min();
            let most = least.map_or(0, |least| least + least / 16);
            let mut cheap = heights.filter(|height| cost(height) <= most);
            cut = cheap.next().map_or(cut, at);
        }
        if let Some(first) = request.upper.first()
            && first.from < cut.height
            && shape.nodes(first.from) <= MAX_UPPER_NODES
        {
            cut = at(first.from);
        }
        match cut.count() {
            1 => at(shape.height()),
            _ => cut,
        }
    }

    /// Roughly how long the tree takes on `devices` devices with equal shares, in hashes.
    fn cost(&self, devices: u64) -> u64 {
        let run = |hashes: u64, levels: u32| hashes + HASHES_OF_A_LEVEL * u64::from(levels + 1);
        let levels = self.shape.top() - self.level;
        let rounds = self.count().div_ceil(devices);
        rounds * run(self.hashes(0), self.level) + run(self.top_hashes(), levels)
    }

    /// Number of sub-trees.
    fn count(&self) -> u64 {
        self.shape.nodes(self.height)
    }

    /// The first leaf of sub-tree `number`, and the number of its leaves, without padding.
    fn leaves(&self, number: u64) -> (u64, u64) {
        let whole = self.shape.nodes_below(self.height, 0);
        let first = number * whole;
        (first, whole.min(self.shape.leaves() - first))
    }

    /// The order to compute sub-tree `number`.
    fn sub_tree(&self, number: u64) -> CommitRequest<'a> {
        // Levels from that of its root on are of the top.
        let upper = self.request.upper.iter();
        CommitRequest {
            upper: (upper.copied())
                .filter(|upper| upper.from < self.height)
                .collect(),
            leaves: self.leaves(number).1,
            height: Some(self.height),
            cap_height: self.height - self.level,
            ..self.request.clone()
        }
    }

    /// Hashes of sub-tree `number`.
    fn hashes(&self, number: u64) -> u64 {
        let (_, leaves) = self.leaves(number);
        let nodes = (1..=self.level)
            .map(|level| leaves.div_ceil(self.shape.nodes_below(level, 0)))
            .sum::<u64>();
        leaves * self.request.leaf_hashes() + nodes
    }

    /// Hashes of the top.
    fn top_hashes(&self) -> u64 {
        let levels = self.level + 1..=self.shape.top();
        levels.map(|level| self.shape.nodes(level)).sum()
    }

    /// The order to compute the top from the nodes of `level`; nothing if they are the result.
    fn top(&'a self) -> Option<CommitRequest<'a>> {
        let padding = match (self.request.padding, self.shape.empty(self.level)) {
            (Padding::Leaf(_), Some(empty)) => Padding::Leaf(empty),
            (padding, _) => padding,
        };
        // The parameter set of its leaves is that of their level.
        let (below, above): (Vec<_>, Vec<_>) =
            (self.request.upper.iter().copied()).partition(|upper| upper.from <= self.level);
        let base = below
            .last()
            .map_or(self.request.parameters, |upper| upper.parameters);
        (self.level < self.shape.top()).then(|| CommitRequest {
            parameters: base,
            upper: (above.into_iter())
                .map(|upper| UpperLevels {
                    from: upper.from - self.level,
                    ..upper
                })
                .collect(),
            leaf: LeafRule::Digest,
            leaves: self.shape.nodes(self.level),
            padding,
            height: Some(self.shape.height() - self.level),
            ..self.request.clone()
        })
    }

    /// Sub-tree `number` for messages.
    fn place(&self, number: u64) -> String {
        let (first, leaves) = self.leaves(number);
        match leaves {
            1 => format!("leaf {first}"),
            _ => format!("leaves {first} to {}", first + leaves - 1),
        }
    }
}

/// The top of the tree for messages.
const TOP: &str = "top of the tree";

/// Keeps the nodes of the wanted levels, those of a level one after another.
struct Kept {
    wanted: Vec<bool>,
    levels: Vec<Vec<Word>>,
}

impl Kept {
    fn new(wanted: &[bool]) -> Self {
        Self {
            wanted: wanted.to_vec(),
            levels: vec![Vec::new(); wanted.len()],
        }
    }
}

impl NodeSink for Kept {
    fn wants(&self, level: u32) -> bool {
        self.wanted.get(level as usize) == Some(&true)
    }

    fn node(&mut self, level: u32, _index: u64, digest: &[Word]) -> Result<(), DeviceError> {
        if let Some(level) = self.levels.get_mut(level as usize) {
            level.extend(digest);
        }
        Ok(())
    }
}

/// The leaves of a sub-tree, until the commitment is given up.
struct JobSource<'a> {
    /// Leaves in memory, or zeros.
    leaves: Option<WordSource<'a>>,
    given_up: &'a AtomicBool,
}

impl LeafSource for JobSource<'_> {
    fn read(&mut self, elements: usize) -> Result<Vec<Word>, DeviceError> {
        if self.given_up.load(Ordering::Relaxed) {
            return Err(DeviceError::failed(GivenUp));
        }
        match &mut self.leaves {
            Some(leaves) => leaves.read(elements),
            None => Zeros.read(elements),
        }
    }

    fn is_zeros(&self) -> bool {
        self.leaves.is_none()
    }
}

/// A sub-tree that is to be computed.
struct Job {
    number: u64,
    /// Nothing where all elements are zero, see [`LeafSource::is_zeros`].
    leaves: Option<Vec<Word>>,
}

/// A sub-tree that was computed.
struct Finished {
    report: CommitReport,
    /// The wanted nodes.
    nodes: Vec<Vec<Word>>,
}

/// What the thread of a device says.
enum Event {
    /// So many hashes of its sub-tree are done.
    Progress(usize, u64),
    /// It is done with a sub-tree.
    End(usize, Job, Result<Box<Finished>, Failure>),
}

/// Computes the sub-trees of `jobs`, as long as there are any, on the device with this number.
fn work(
    number: usize,
    device: &mut dyn Device,
    cut: &Cut<'_>,
    wanted: &[bool],
    given_up: &AtomicBool,
    jobs: &Receiver<Job>,
    events: &Sender<Event>,
) {
    for job in jobs {
        let mut source = JobSource {
            leaves: job.leaves.as_deref().map(WordSource),
            given_up,
        };
        let mut nodes = Kept::new(wanted);
        // Nobody listens any more when the commitment was given up.
        let mut progress = |done: u64, _: u64| {
            let _ = events.send(Event::Progress(number, done));
        };
        let request = cut.sub_tree(job.number);
        let result = guarded(|| device.commit(&request, &mut source, &mut nodes, &mut progress));
        let result = result.map(|report| {
            Box::new(Finished {
                report,
                nodes: nodes.levels,
            })
        });
        if events.send(Event::End(number, job, result)).is_err() {
            return;
        }
    }
}

/// What a device has done, apart from failing.
#[derive(Default)]
struct Work {
    sub_trees: u64,
    joined_top: bool,
    counters: Option<Counters>,
    /// Whether it did something without counting cycles.
    uncounted: bool,
}

impl Work {
    fn add(&mut self, counters: Option<Counters>) {
        match counters {
            Some(run) => Counters::append_to(&mut self.counters, run),
            None => self.uncounted = true,
        }
    }
}

/// Tells how many of the hashes of a tree are done, and never less than before.
struct Tally<'a> {
    progress: &'a mut dyn Progress,
    total: u64,
    told: u64,
    /// Hashes of what is finished, and of the sub-tree that each device works on.
    finished: u64,
    running: Vec<u64>,
}

impl Tally<'_> {
    fn tell(&mut self) {
        let done = self.finished + self.running.iter().sum::<u64>();
        // What a device did before it failed is done again.
        self.told = self.told.max(done.min(self.total));
        self.progress.report(self.told, self.total);
    }
}

/// Where the nodes of sub-trees go, in the order of the sub-trees.
struct Delivery<'a> {
    cut: &'a Cut<'a>,
    nodes: &'a mut dyn NodeSink,
    /// Sub-trees that are finished, and wait for those before.
    waiting: BTreeMap<u64, Box<Finished>>,
    delivered: u64,
    /// The nodes of the level of the cut.
    roots: Vec<Vec<Word>>,
}

impl Delivery<'_> {
    /// Takes a sub-tree, and hands over the nodes of all whose turn it is.
    fn take(&mut self, number: u64, finished: Box<Finished>) -> Result<(), DeviceError> {
        self.waiting.insert(number, finished);
        while let Some(finished) = self.waiting.remove(&self.delivered) {
            let (cut, number) = (self.cut, self.delivered);
            for (level, digests) in (0..).zip(&finished.nodes) {
                let first = number * cut.shape.nodes_below(cut.height, level);
                hand_over(self.nodes, cut.shape, level, first, digests)?;
            }
            // Behind those of the last one may be the padding of the whole.
            self.roots.extend(finished.report.cap);
            self.delivered += 1;
        }
        Ok(())
    }
}

/// Hands over nodes of a level from the index `first` on.
fn hand_over(
    nodes: &mut dyn NodeSink,
    shape: &TreeShape,
    level: u32,
    first: u64,
    digests: &[Word],
) -> Result<(), DeviceError> {
    for (index, digest) in (first..).zip(digests.chunks(shape.digest_length())) {
        nodes.node(level, index, digest)?;
    }
    Ok(())
}

/// The thread of a device, as seen by who gives it sub-trees.
struct Worker {
    /// Nothing for a device that has failed.
    jobs: Option<Sender<Job>>,
    busy: bool,
}

/// Reads leaves, gives sub-trees to devices, and takes what they say.
struct Schedule<'a, 'b> {
    cut: &'a Cut<'a>,
    reader: LeafReader<'a>,
    /// Sub-trees that were read, and the most that are kept.
    read: u64,
    most: u64,
    ready: VecDeque<Job>,
    workers: Vec<Worker>,
    /// The devices whose turn it is, one after the other; nothing if it is that of whoever is done first.
    turns: Option<Vec<usize>>,
    work: &'b mut [Work],
    /// Failures of the devices: number, place, reason.
    failures: &'b mut Vec<(usize, String, Failure)>,
    delivery: &'b mut Delivery<'a>,
    tally: &'b mut Tally<'a>,
}

/// Why not all sub-trees were computed.
enum Stop {
    NoDeviceLeft,
    Error(DeviceError),
}

impl From<DeviceError> for Stop {
    fn from(error: DeviceError) -> Self {
        Self::Error(error)
    }
}

impl Schedule<'_, '_> {
    fn run(&mut self, events: &Receiver<Event>) -> Result<(), Stop> {
        while self.delivery.delivered < self.cut.count() {
            self.give_out()?;
            // Leaves are read while devices work.
            let may_read =
                self.read < self.cut.count() && self.read < self.delivery.delivered + self.most;
            let event = match may_read {
                true => events.try_recv().ok(),
                false => Some(events.recv().map_err(|_| Stop::NoDeviceLeft)?),
            };
            match event {
                None => self.read_next()?,
                Some(Event::Progress(device, done)) => {
                    self.tally.running[device] = done;
                    self.tally.tell();
                }
                Some(Event::End(device, job, result)) => self.end(device, job, result)?,
            }
        }
        Ok(())
    }

    /// Gives sub-trees to devices that have none.
    fn give_out(&mut self) -> Result<(), Stop> {
        if self.workers.iter().all(|worker| worker.jobs.is_none()) {
            return Err(Stop::NoDeviceLeft);
        }
        for device in 0..self.workers.len() {
            let worker = &self.workers[device];
            let Some(jobs) = worker.jobs.as_ref().filter(|_| !worker.busy) else {
                continue;
            };
            let mut ready = self.ready.iter();
            let place = ready.position(|job| self.may_take(device, job.number));
            if let Some(job) = place.and_then(|place| self.ready.remove(place)) {
                jobs.send(job).map_err(|_| Stop::NoDeviceLeft)?;
                self.workers[device].busy = true;
            }
        }
        Ok(())
    }

    /// Whether a device may have a sub-tree: it is its turn, or that of one that has failed.
    fn may_take(&self, device: usize, number: u64) -> bool {
        let Some(turns) = &self.turns else {
            return true;
        };
        let turn = turns[(number % turns.len() as u64) as usize];
        turn == device || self.workers[turn].jobs.is_none()
    }

    /// Reads the leaves of the next sub-tree, unless they are all zero.
    fn read_next(&mut self) -> Result<(), DeviceError> {
        let number = self.read;
        let leaves = match self.reader.is_zeros() {
            true => None,
            false => Some(self.reader.next(self.cut.leaves(number).1 as usize)?),
        };
        self.ready.push_back(Job { number, leaves });
        self.read += 1;
        Ok(())
    }

    /// Takes what a device made of a sub-tree.
    fn end(
        &mut self,
        device: usize,
        job: Job,
        result: Result<Box<Finished>, Failure>,
    ) -> Result<(), DeviceError> {
        self.tally.running[device] = 0;
        self.workers[device].busy = false;
        match result {
            Ok(mut finished) => {
                self.work[device].sub_trees += 1;
                self.work[device].add(finished.report.counters.take());
                self.tally.finished += self.cut.hashes(job.number);
                self.delivery.take(job.number, finished)?;
            }
            Err(failure) => {
                self.workers[device].jobs = None;
                let place = self.cut.place(job.number);
                self.failures.push((device, place, failure));
                // Others may wait for it.
                self.ready.push_front(job);
            }
        }
        self.tally.tell();
        Ok(())
    }
}

impl SeveralDevices {
    /// Computes all sub-trees, side by side. Whatever the result, failures are taken down.
    fn build_sub_trees<'a>(
        &mut self,
        cut: &'a Cut<'a>,
        source: &'a mut dyn LeafSource,
        wanted: &[bool],
        work_of: &mut [Work],
        delivery: &mut Delivery<'a>,
        tally: &mut Tally<'a>,
    ) -> Result<(), DeviceError> {
        let given_up = &AtomicBool::new(false);
        let mut failures = Vec::new();
        let result = thread::scope(|scope| {
            let (sender, events) = mpsc::channel();
            let mut workers = Vec::new();
            for (number, member) in self.members.iter_mut().enumerate() {
                let mut worker = Worker {
                    jobs: None,
                    busy: false,
                };
                if member.failure.is_none() {
                    let (jobs, receiver) = mpsc::channel();
                    worker.jobs = Some(jobs);
                    let (device, sender) = (member.device.as_mut(), sender.clone());
                    scope.spawn(move || {
                        work(number, device, cut, wanted, given_up, &receiver, &sender);
                    });
                }
                workers.push(worker);
            }
            drop(sender);
            let working = (0..workers.len()).filter(|&number| workers[number].jobs.is_some());
            let working: Vec<usize> = working.collect();
            let mut schedule = Schedule {
                cut,
                reader: LeafReader::new(cut.request, source),
                read: 0,
                most: KEPT_PER_DEVICE * working.len() as u64,
                ready: VecDeque::new(),
                workers,
                turns: self.evenly.then_some(working),
                work: work_of,
                failures: &mut failures,
                delivery,
                tally,
            };
            let result = schedule.run(&events);
            given_up.store(true, Ordering::Relaxed);
            result
        });
        for (number, place, failure) in &failures {
            self.members[*number].fail(place, failure);
        }
        match result {
            Ok(()) => Ok(()),
            Err(Stop::Error(error)) => Err(error),
            Err(Stop::NoDeviceLeft) => Err(self.none_left()),
        }
    }

    /// Joins the roots of the sub-trees on a device that works; returns its number and the report.
    fn join_top(
        &mut self,
        cut: &Cut<'_>,
        top: &CommitRequest<'_>,
        wanted: &[bool],
        delivery: &mut Delivery<'_>,
        tally: &mut Tally<'_>,
    ) -> Result<(usize, CommitReport), DeviceError> {
        // The roots of the sub-trees were delivered with them.
        let mut wanted = wanted[cut.level as usize..].to_vec();
        wanted[0] = false;
        let roots = delivery.roots.concat();
        for (number, member) in self.working() {
            let mut kept = Kept::new(&wanted);
            let result = guarded(|| {
                let mut progress = |done: u64, _: u64| {
                    tally.running[number] = done;
                    tally.tell();
                };
                let source = &mut WordSource(&roots);
                member.device.commit(top, source, &mut kept, &mut progress)
            });
            tally.running[number] = 0;
            match result {
                Err(failure) => member.fail(TOP, &failure),
                Ok(report) => {
                    for (level, digests) in (cut.level..).zip(&kept.levels) {
                        hand_over(delivery.nodes, cut.shape, level, 0, digests)?;
                    }
                    return Ok((number, report));
                }
            }
        }
        Err(self.none_left())
    }

    /// The counters of the device that took longest; nothing if one does not count.
    fn longest(work: &[Work]) -> Option<Counters> {
        if work.iter().any(|work| work.uncounted) {
            return None;
        }
        let counters = work.iter().filter_map(|work| work.counters.as_ref());
        // The first one of several.
        let longest = counters.rev().max_by_key(|counters| counters.cycles);
        longest.cloned()
    }
}

impl Device for SeveralDevices {
    fn name(&self) -> &str {
        NAME
    }

    /// All of them must.
    fn supports(&self, parameters: &AnyParameters) -> Result<(), Unsupported> {
        (self.members.iter()).try_for_each(|member| member.device.supports(parameters))
    }

    fn notes(&self, parameters: &AnyParameters) -> Vec<String> {
        let devices = self.members.iter();
        Self::all_notes(devices.map(|member| member.device.notes(parameters)))
    }

    /// That of the first device that has one.
    fn engine_plan(&self, parameters: &AnyParameters) -> Result<Option<EnginePlan>, Unsupported> {
        for member in &self.members {
            if let Some(plan) = member.device.engine_plan(parameters)? {
                return Ok(Some(plan));
            }
        }
        Ok(None)
    }

    /// That of the first device that has one.
    fn node_memory_bytes(&self) -> Option<u64> {
        let mut devices = self.members.iter();
        devices.find_map(|member| member.device.node_memory_bytes())
    }

    /// Those about a sub-tree, and about the top.
    fn commit_notes(&mut self, request: &CommitRequest<'_>) -> Vec<String> {
        let Ok(shape) = request.shape() else {
            return Vec::new();
        };
        let cut = Cut::new(request, &shape, self.members.len(), self.evenly);
        let requests = [Some(cut.sub_tree(0)), cut.top()];
        let requests = requests.iter().flatten();
        let notes = requests.flat_map(|request| {
            let devices = self.members.iter_mut();
            devices
                .map(|member| member.device.commit_notes(request))
                .collect::<Vec<_>>()
        });
        Self::all_notes(notes)
    }

    /// Shared evenly by as many devices as this machine has processors, as if those were what computes: the slowest
    /// one counts.
    fn commit_time(&mut self, request: &CommitRequest<'_>) -> Option<Duration> {
        let processors = thread::available_parallelism().map_or(1, usize::from);
        let parallel = processors.min(self.members.len()).max(1) as u32;
        let devices = self.members.iter_mut();
        let times = devices.map(|member| member.device.commit_time(request));
        Some(times.collect::<Option<Vec<_>>>()?.into_iter().max()? / parallel)
    }

    fn hash_time(
        &mut self,
        parameters: &AnyParameters,
        runs: u64,
        hashes: u64,
    ) -> Option<Duration> {
        let first = self.members.first_mut()?;
        first.device.hash_time(parameters, runs, hashes)
    }

    /// Ends all of them, also those that have failed.
    fn finish(&mut self) -> Result<Vec<String>, DeviceError> {
        let devices = self.members.iter_mut();
        let ends: Vec<_> = devices.map(|member| member.device.finish()).collect();
        let notes: Vec<_> = ends.into_iter().collect::<Result<_, _>>()?;
        Ok(notes.concat())
    }

    /// Zeroises all of them, also those that have failed.
    fn zeroise(&mut self) -> Result<Zeroisation, DeviceError> {
        let devices = self.members.iter_mut();
        let ends: Vec<_> = devices.map(|member| member.device.zeroise()).collect();
        let ends: Vec<_> = ends.into_iter().collect::<Result<_, _>>()?;
        let is_complete = ends.iter().all(|end| *end == Zeroisation::Complete);
        Ok(match is_complete {
            true => Zeroisation::Complete,
            false => Zeroisation::NothingKept,
        })
    }

    /// Tests all of them, also those that have failed.
    fn self_test(&mut self) -> Result<SelfTest, DeviceError> {
        let devices = self.members.iter_mut();
        let tests: Vec<_> = devices.map(|member| member.device.self_test()).collect();
        let mut all = SelfTest::default();
        for test in tests {
            let test = test?;
            all.engines += test.engines;
            all.sub_engines += test.sub_engines;
            all.hashes += test.hashes;
        }
        Ok(all)
    }

    fn computes(&self) -> bool {
        self.members.iter().all(|member| member.device.computes())
    }

    /// A window is for trees that are not cut.
    fn commit(
        &mut self,
        request: &CommitRequest<'_>,
        source: &mut dyn LeafSource,
        nodes: &mut dyn NodeSink,
        progress: &mut dyn Progress,
    ) -> Result<CommitReport, DeviceError> {
        let shape = request.shape()?;
        self.begin();
        let working = self.working().count();
        let cut = Cut::new(request, &shape, working, self.evenly);
        if request.window.is_some() && cut.count() > 1 {
            return Err(Unsupported {
                device: NAME.to_owned(),
                reason: "a window of leaves is counted by one device; take one, or no window"
                    .to_owned(),
            }
            .into());
        }
        let hashes = request.hashes(&shape);
        let wanted: Vec<bool> = (0..=shape.top()).map(|level| nodes.wants(level)).collect();
        let mut work: Vec<Work> = self.members.iter().map(|_| Work::default()).collect();
        let mut tally = Tally {
            progress,
            total: hashes,
            told: 0,
            finished: 0,
            running: vec![0; self.members.len()],
        };
        tally.tell();
        let mut delivery = Delivery {
            cut: &cut,
            nodes,
            waiting: BTreeMap::new(),
            delivered: 0,
            roots: Vec::new(),
        };
        let in_sub_trees = &wanted[..=cut.level as usize];
        self.build_sub_trees(
            &cut,
            source,
            in_sub_trees,
            &mut work,
            &mut delivery,
            &mut tally,
        )?;
        let mut counters = Self::longest(&work);
        let cap = match cut.top() {
            None => full_cap(&shape, delivery.roots),
            Some(top) => {
                let (number, report) =
                    self.join_top(&cut, &top, &wanted, &mut delivery, &mut tally)?;
                counters = (counters.zip(report.counters.clone())).map(|(mut counters, top)| {
                    counters.append(top);
                    counters
                });
                tally.finished += cut.top_hashes();
                work[number].joined_top = true;
                work[number].add(report.counters);
                report.cap
            }
        };
        tally.tell();
        let shares = self.members.iter().zip(work);
        Ok(CommitReport {
            cap,
            leaves: request.leaves,
            hashes,
            counters,
            devices: shares
                .map(|(member, work)| DeviceShare {
                    device: member.device.name().to_owned(),
                    sub_trees: work.sub_trees,
                    joined_top: work.joined_top,
                    cycles: work.counters.map(|counters| counters.cycles),
                    failed: member.failure.clone(),
                })
                .collect(),
        })
    }

    fn hash(
        &mut self,
        parameters: &AnyParameters,
        inputs: &[Vec<Word>],
        progress: &mut dyn Progress,
    ) -> Result<HashReport, DeviceError> {
        self.on_any("hashes", |device| device.hash(parameters, inputs, progress))
    }

    fn hash_rows(
        &mut self,
        parameters: &AnyParameters,
        sponge: &Sponge,
        rows: &[Vec<Word>],
        progress: &mut dyn Progress,
    ) -> Result<Option<HashReport>, DeviceError> {
        self.on_any("rows", |device| {
            device.hash_rows(parameters, sponge, rows, progress)
        })
    }

    fn permute(
        &mut self,
        parameters: &AnyParameters,
        states: &[Vec<Word>],
        progress: &mut dyn Progress,
    ) -> Result<PermuteReport, DeviceError> {
        self.on_any("permutations", |device| {
            device.permute(parameters, states, progress)
        })
    }
}

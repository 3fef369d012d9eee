//! The tests that every port of a chip has to pass, whatever is behind it.
//!
//! [`run`] drives a chip through the port alone and panics at the first thing that is not as it should be.
//! Expected results are those of the software. Registers and their values are written here as the
//! documentation has them.

use super::{ChipDevice, ChipPort, OutputWord, RunPlan};
use crate::device::{
    CommitRequest, Device, DeviceError, LeafRule, LeafSource, NoProgress, WordSource, Zeroisation,
};
use crate::nodes::{AllNodes, NodeSink};
use crate::program::{ChipProgram, EngineLimits};
use crate::software::SoftwareDevice;
use acclmt_merkle::shape::Padding;
use acclmt_poseidon::fields::{AnyParameters, FieldId};
use acclmt_poseidon::presets;
use acclmt_poseidon::word::{self, Word};

const ID: u32 = 0x000;
const CONTROL: u32 = 0x040;
const STATUS: u32 = 0x044;
const ERROR: u32 = 0x048;
const ERROR_INFO: u32 = 0x04C;

const START: u32 = 1;
const CLEAR: u32 = 2;

const BUSY: u32 = 1;
const HAS_ERROR: u32 = 4;
const REFUSED: u32 = 8;
const ZEROISED: u32 = 16;

const ILLEGAL_CONFIGURATION: u32 = 1;
const UNKNOWN_REGISTER: u32 = 4;
const ILLEGAL_VALUE: u32 = 8;

/// Looks at `STATUS` after which a chip that should be idle is not.
const LOOKS: usize = 10_000;

/// Runs all parts of the suite on the chip behind `port`, one after another. The random values are those of
/// `seed`.
///
/// # Panics
///
/// When the port, or the chip behind it, does not do what it should.
pub fn run<P: ChipPort>(port: P, seed: u64) {
    println!("port '{}', seed {seed}", port.name());
    let mut device = ChipDevice::new(port).unwrap_or_else(|error| panic!("{error}"));
    let mut suite = Suite {
        limits: device.capabilities().limits,
        numbers: Numbers(seed),
    };
    let parts: [(&str, Part<P>); 9] = [
        ("identity", Suite::identity),
        ("registers", Suite::registers),
        ("hashes", Suite::hashes),
        ("trees", Suite::trees),
        ("elements that are refused", Suite::bad_elements),
        ("configurations that are refused", Suite::bad_configurations),
        ("clears in mid-run", Suite::clears),
        ("runs whose host gives up", Suite::aborted_runs),
        ("zeroisation", Suite::zeroisation),
    ];
    for (name, part) in parts {
        println!("{name}");
        part(&mut suite, &mut device);
    }
}

type Part<P> = fn(&mut Suite, &mut ChipDevice<P>);

struct Suite {
    limits: EngineLimits,
    numbers: Numbers,
}

/// Random numbers: splitmix64.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut value = self.0;
        value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        value ^ (value >> 31)
    }

    /// Elements of a field; among them 0 and the largest.
    fn elements(&mut self, field: FieldId, count: usize) -> Vec<Word> {
        let prime = field.prime();
        let mut largest = prime;
        largest[0] -= 1;
        let element = |number: usize| match number % 16 {
            5 => Word::default(),
            11 => largest,
            _ => loop {
                let mut word = Word::default();
                let top = prime.iter().rposition(|&byte| byte != 0).unwrap_or(0);
                for bytes in word[..=top].chunks_mut(8) {
                    bytes.copy_from_slice(&self.next().to_le_bytes()[..bytes.len()]);
                }
                word[top] &= u8::MAX >> prime[top].leading_zeros();
                if word::is_below(&word, &prime) {
                    break word;
                }
            },
        };
        (0..count).map(element).collect()
    }
}

impl Suite {
    /// The fields that the chip computes in.
    fn fields(&self) -> Vec<FieldId> {
        let large = FieldId::from_prime(&self.limits.prime);
        let goldilocks = self.limits.goldilocks.then_some(FieldId::Goldilocks);
        large.into_iter().chain(goldilocks).collect()
    }

    /// The first preset over `field` that fits into the chip and is as `wanted`.
    fn preset(
        &self,
        field: FieldId,
        wanted: impl Fn(&AnyParameters) -> bool,
    ) -> Option<&'static AnyParameters> {
        let mut sets = presets::all().iter().map(|preset| preset.parameters());
        sets.find(|set| {
            let fits = ChipProgram::compile(set, &self.limits).is_ok();
            set.field() == field && fits && wanted(set)
        })
    }

    fn pairs(&self, field: FieldId) -> &'static AnyParameters {
        let pairs = self.preset(field, |set| set.arity() == 2);
        pairs.expect("every field has a preset of pairs")
    }

    fn identity<P: ChipPort>(&mut self, device: &mut ChipDevice<P>) {
        let port = device.port();
        assert!(!port.name().is_empty());
        assert_eq!(read(port, ID).to_be_bytes(), *b"ACMT");
        assert!(!self.fields().is_empty(), "no field of this library");
    }

    fn registers<P: ChipPort>(&mut self, device: &mut ChipDevice<P>) {
        let port = device.port();
        command(port, CLEAR);
        // LEAVES, WINDOW_FIRST and WINDOW_LAST hold any value.
        for address in [0x058, 0x080, 0x084] {
            let values = [0, u32::MAX, 0x0102_0304, self.numbers.next() as u32];
            for value in values {
                write(port, address, value);
                assert_eq!(read(port, address), value, "register 0x{address:03X}");
            }
        }
        assert_eq!(status(port) & (BUSY | HAS_ERROR), 0);
        let refused: [(u32, u32, u32, u32); 3] = [
            // ID is read only, 0x7FC is no register, and LEVEL_TABLE_0 has bits that no field has.
            (ID, 1, UNKNOWN_REGISTER, ID),
            (0x7FC, 1, UNKNOWN_REGISTER, 0x7FC),
            (0x400, u32::MAX, ILLEGAL_VALUE, 0x400),
        ];
        for (address, value, code, info) in refused {
            write(port, address, value);
            assert_eq!(status(port) & HAS_ERROR, HAS_ERROR, "0x{address:03X}");
            assert_eq!((read(port, ERROR), read(port, ERROR_INFO)), (code, info));
            command(port, CLEAR);
            assert_eq!((status(port) & HAS_ERROR, read(port, ERROR)), (0, 0));
        }
        assert_eq!(read(port, 0x7FC), 0);
        assert_eq!(read(port, ERROR), UNKNOWN_REGISTER);
        command(port, CLEAR);
        assert_eq!(read(port, ID).to_be_bytes(), *b"ACMT");
    }

    fn hashes<P: ChipPort>(&mut self, device: &mut ChipDevice<P>) {
        for field in self.fields() {
            for arity in [2, 4] {
                let Some(set) = self.preset(field, |set| set.arity() == arity) else {
                    continue;
                };
                let inputs: Vec<Vec<Word>> = (0..5)
                    .map(|_| self.numbers.elements(field, set.inputs()))
                    .collect();
                let hash = |device: &mut dyn Device| {
                    let report = device.hash(set, &inputs, &mut NoProgress);
                    report
                        .unwrap_or_else(|error| panic!("{}: {error}", set.name()))
                        .digests
                };
                assert_eq!(
                    hash(device),
                    hash(&mut SoftwareDevice::new()),
                    "{}",
                    set.name()
                );
            }
        }
    }

    fn trees<P: ChipPort>(&mut self, device: &mut ChipDevice<P>) {
        for field in self.fields() {
            let set = self.pairs(field);
            self.check_commit(device, &CommitRequest::new(set, LeafRule::Hash(set), 16));
            let padding = self.numbers.elements(field, set.digest_length());
            let padded = CommitRequest {
                padding: Padding::Leaf(&padding),
                cap_height: 1,
                ..CommitRequest::new(set, LeafRule::Digest, 11)
            };
            self.check_commit(device, &padded);
            // A leaf alone is a run of its own kind.
            self.check_commit(device, &CommitRequest::new(set, LeafRule::Hash(set), 1));
            let wide = self.preset(field, |set| set.arity() > 2 && set.sponge().is_none());
            if let Some(set) = wide {
                let leaves = (set.arity() * set.arity()) as u64;
                self.check_commit(device, &CommitRequest::new(set, LeafRule::Digest, leaves));
            }
            if let Some(set) = self.preset(field, |set| set.sponge().is_some() && set.arity() > 1) {
                let padding = self.numbers.elements(field, set.digest_length());
                let rows = LeafRule::Row {
                    parameters: set,
                    columns: 13,
                };
                let request = CommitRequest {
                    padding: Padding::Leaf(&padding),
                    ..CommitRequest::new(set, rows, 5)
                };
                self.check_commit(device, &request);
            }
        }
    }

    /// The commitment with all of its nodes equals that of the software.
    fn check_commit<P: ChipPort>(
        &mut self,
        device: &mut ChipDevice<P>,
        request: &CommitRequest<'_>,
    ) {
        let count = request.leaf_length() * request.leaves as usize;
        let words = self.numbers.elements(request.parameters.field(), count);
        let commit = |device: &mut dyn Device| {
            let mut nodes = AllNodes::default();
            let report = device
                .commit(
                    request,
                    &mut WordSource(&words),
                    &mut nodes,
                    &mut NoProgress,
                )
                .unwrap_or_else(|error| panic!("{request:?}: {error}"));
            (report.cap, nodes)
        };
        let found = commit(device);
        let expected = commit(&mut SoftwareDevice::new());
        assert_eq!(found.0, expected.0, "{request:?}: cap");
        assert!(found.1 == expected.1, "{request:?}: nodes");
    }

    /// A small tree, to see that all is well.
    fn check_usable<P: ChipPort>(&mut self, device: &mut ChipDevice<P>) {
        let set = self.pairs(self.fields()[0]);
        self.check_commit(device, &CommitRequest::new(set, LeafRule::Hash(set), 8));
    }

    /// The chip names an element that is not below the prime.
    fn bad_elements<P: ChipPort>(&mut self, device: &mut ChipDevice<P>) {
        for field in self.fields() {
            let set = self.pairs(field);
            let request = CommitRequest::new(set, LeafRule::Hash(set), 8);
            let count = request.leaf_length() * request.leaves as usize;
            let bad = (self.numbers.next() % count as u64) as usize;
            let mut words = self.numbers.elements(field, count);
            words[bad] = field.prime();
            let error = device
                .commit(
                    &request,
                    &mut WordSource(&words),
                    &mut AllNodes::default(),
                    &mut NoProgress,
                )
                .expect_err("the prime is no element");
            let text = error.to_string();
            assert!(text.contains(&format!("element {bad} ")), "{text}");
            self.check_usable(device);
        }
    }

    fn bad_configurations<P: ChipPort>(&mut self, device: &mut ChipDevice<P>) {
        self.check_usable(device);
        let words = self.numbers.elements(self.fields()[0], 16);
        let port = device.port();
        // LEAVES, ROW_GROUP and LEVEL_TABLE_0 of a run that is legal but for one of them.
        for (address, value) in [(0x058, 0), (0x068, 0), (0x400, 0)] {
            let before = read(port, address);
            command(port, CLEAR);
            write(port, address, value);
            announce(port, 16, 15);
            write(port, CONTROL, START);
            // A chip that is given whole packets may look at them before it starts.
            transfer(port, &words, &mut Vec::new(), 200);
            let status = idle(port);
            assert_eq!(
                status & (HAS_ERROR | REFUSED),
                HAS_ERROR | REFUSED,
                "0x{address:03X}"
            );
            assert_eq!(
                (read(port, ERROR), read(port, ERROR_INFO)),
                (ILLEGAL_CONFIGURATION, address)
            );
            command(port, CLEAR);
            write(port, address, before);
        }
        self.check_usable(device);
    }

    fn clears<P: ChipPort>(&mut self, device: &mut ChipDevice<P>) {
        for words in [0, 1, 7] {
            self.check_usable(device);
            let input = self.numbers.elements(self.fields()[0], words);
            let port = device.port();
            command(port, CLEAR);
            // The run of the tree again.
            announce(port, 16, 15);
            write(port, CONTROL, START);
            let mut output = Vec::new();
            let taken = transfer(port, &input, &mut output, 200);
            assert!(taken <= words && output.is_empty(), "{taken}, {output:?}");
            assert_eq!(status(port) & BUSY, BUSY);
            command(port, CLEAR);
            assert_eq!(status(port) & (BUSY | HAS_ERROR), 0);
            assert_eq!(transfer(port, &[], &mut output, 200), 0);
            assert!(output.is_empty(), "{output:?}");
            self.check_usable(device);
        }
    }

    /// A source that ends, and a sink that is full, in mid-run.
    fn aborted_runs<P: ChipPort>(&mut self, device: &mut ChipDevice<P>) {
        let set = self.pairs(self.fields()[0]);
        let request = CommitRequest::new(set, LeafRule::Hash(set), 512);
        let words = self.numbers.elements(set.field(), 1024);
        let text = "the sink is full";
        let error = device
            .commit(
                &request,
                &mut WordSource(&words),
                &mut Full,
                &mut NoProgress,
            )
            .map(drop)
            .expect_err(text);
        assert!(error.to_string().contains(text), "{error}");
        self.check_usable(device);
        let error = device
            .commit(
                &request,
                &mut Broken,
                &mut AllNodes::default(),
                &mut NoProgress,
            )
            .map(drop)
            .expect_err("the source is broken");
        assert!(
            error.to_string().contains("the source is broken"),
            "{error}"
        );
        self.check_usable(device);
    }

    fn zeroisation<P: ChipPort>(&mut self, device: &mut ChipDevice<P>) {
        self.check_usable(device);
        assert_ne!(read(device.port(), 0x058), 0, "LEAVES of the run");
        let zeroised = device.zeroise().unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(zeroised, Zeroisation::Complete);
        let port = device.port();
        assert_eq!(status(port) & (BUSY | HAS_ERROR | ZEROISED), ZEROISED);
        // LEAVES, TOP_LEVEL, CONSTANT_DATA_0 and LEVEL_TABLE_0.
        for address in [0x058, 0x054, 0x100, 0x400] {
            assert_eq!(read(port, address), 0, "register 0x{address:03X}");
        }
        self.check_usable(device);
    }
}

/// A sink that takes one node.
struct Full;

impl NodeSink for Full {
    fn wants(&self, _level: u32) -> bool {
        true
    }

    fn node(&mut self, _level: u32, _index: u64, _digest: &[Word]) -> Result<(), DeviceError> {
        Err(DeviceError::failed(std::io::Error::other(
            "the sink is full",
        )))
    }
}

struct Broken;

impl LeafSource for Broken {
    fn read(&mut self, _elements: usize) -> Result<Vec<Word>, DeviceError> {
        Err(DeviceError::failed(std::io::Error::other(
            "the source is broken",
        )))
    }
}

fn read(port: &mut impl ChipPort, address: u32) -> u32 {
    let value = port.read_register(address);
    value.unwrap_or_else(|error| panic!("register 0x{address:03X}: {error}"))
}

fn write(port: &mut impl ChipPort, address: u32, value: u32) {
    let result = port.write_register(address, value);
    result.unwrap_or_else(|error| panic!("register 0x{address:03X}: {error}"));
}

fn status(port: &mut impl ChipPort) -> u32 {
    read(port, STATUS)
}

fn announce(port: &mut impl ChipPort, input_words: u64, output_words: u64) {
    let plan = RunPlan {
        input_words,
        output_words,
    };
    port.begin_run(&plan)
        .unwrap_or_else(|error| panic!("{error}"));
}

fn transfer(
    port: &mut impl ChipPort,
    input: &[Word],
    output: &mut Vec<OutputWord>,
    cycles: u64,
) -> usize {
    port.transfer(input, output, cycles)
        .unwrap_or_else(|error| panic!("{error}"))
}

/// Waits until the chip is idle; returns `STATUS`.
fn idle(port: &mut impl ChipPort) -> u32 {
    for _ in 0..LOOKS {
        let status = status(port);
        if status & BUSY == 0 {
            return status;
        }
        transfer(port, &[], &mut Vec::new(), 16);
    }
    panic!("the chip is still busy after {LOOKS} looks");
}

fn command(port: &mut impl ChipPort, command: u32) {
    write(port, CONTROL, command);
    idle(port);
}

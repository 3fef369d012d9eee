// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! Runs as the driver makes them: what it writes before a start, what goes in, and what the model says comes
//! out, in which order and after how many cycles.

use acclmt_driver::chip::recorder::{Event, Recorder};
use acclmt_driver::chip::{ChipDevice, OutputWord};
use acclmt_driver::device::{CommitRequest, Device, LeafRule, NoProgress, WordSource};
use acclmt_driver::nodes::{AllNodes, NoNodes, NodeSink};
use acclmt_driver::registers;
use acclmt_driver::software::SoftwareDevice;
use acclmt_model::{ComputingChip, Hardware};
use acclmt_poseidon::fields::FieldId;
use acclmt_poseidon::word::Word;

use super::bits::START;
use super::{Random, elements, pairs};

/// A run of a chip.
pub struct RecordedRun {
    /// Registers and their values, before the start.
    pub writes: Vec<(u32, u32)>,
    pub input: Vec<Word>,
    pub output: Vec<OutputWord>,
    /// Clock cycles of a core whose input and output never wait for their partners.
    pub cycles: u64,
}

impl RecordedRun {
    /// The commitment of random elements, all of whose nodes go out if `all_nodes`. The model's cap and nodes are
    /// those of the software.
    pub fn new(
        random: &mut Random,
        hardware: Hardware,
        request: &CommitRequest<'_>,
        all_nodes: bool,
    ) -> Self {
        let count = request.leaf_length() * request.leaves as usize;
        let words = elements(random, request.parameters.field(), count);
        let model = ComputingChip::new(hardware).expect("the build is legal");
        let mut device = ChipDevice::new(Recorder::new(model)).expect("the model answers");
        let commit = |device: &mut dyn Device| {
            let mut nodes = AllNodes::default();
            let source = &mut WordSource(&words);
            let sink: &mut dyn NodeSink = match all_nodes {
                true => &mut nodes,
                false => &mut NoNodes,
            };
            let report = device
                .commit(request, source, sink, &mut NoProgress)
                .unwrap_or_else(|error| panic!("{request:?}: {error}"));
            (report, nodes)
        };
        let (report, nodes) = commit(&mut device);
        let expected = commit(&mut SoftwareDevice::new());
        assert_eq!(report.cap, expected.0.cap, "{request:?}");
        assert!(nodes == expected.1, "{request:?}: nodes");
        let cycles = report.cycles().expect("the model counts cycles");
        let events = &device.port().events;
        let start = Event::Write(registers::CONTROL.address, START);
        let starts = events.iter().filter(|event| **event == start);
        assert_eq!(starts.count(), 1, "{request:?} takes one run");
        let mut run = Self {
            writes: Vec::new(),
            input: Vec::new(),
            output: Vec::new(),
            cycles,
        };
        let mut starts = false;
        for event in events {
            starts |= *event == start;
            match *event {
                Event::Write(address, value) if !starts => run.writes.push((address, value)),
                Event::Write(..) => {}
                Event::Input(word) => run.input.push(word),
                Event::Output(word) => run.output.push(word),
            }
        }
        run
    }

    /// A tree of pairs over so many hashed leaves, all of whose nodes go out.
    pub fn tree(random: &mut Random, hardware: Hardware, field: FieldId, leaves: u64) -> Self {
        let set = pairs(field);
        let request = CommitRequest::new(set, LeafRule::Hash(set), leaves);
        Self::new(random, hardware, &request, true)
    }
}

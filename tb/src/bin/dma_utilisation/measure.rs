// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! The trees, and what is counted.

use std::error::Error;

use acclmt_driver::chip::{ChipDevice, ChipPort};
use acclmt_driver::device::{CommitRequest, Counters, Device, LeafRule, NoProgress, WordSource};
use acclmt_driver::nodes::AllNodes;
use acclmt_measure::evaluation::{DmaRun, DmaRuns, GOLDILOCKS_PRESET};
use acclmt_model::{ComputingChip, Hardware};
use acclmt_poseidon::presets;
use acclmt_poseidon::word::Word;
use acclmt_tb::dma::{DmaBoard, DmaChip, Ram, Timing, Variant};
use acclmt_verilated::{Bench, BenchKind};

/// The trees: presets, and leaves that fill the engine for some thousand cycles.
const TREES: [(&str, u64); 5] = [
    ("filecoin-arity-2", 1024),
    ("filecoin-arity-4", 256),
    ("filecoin-arity-8", 512),
    ("filecoin-arity-11", 121),
    (GOLDILOCKS_PRESET, 512),
];

/// Latencies of the memory in cycles: 200, 500 and 1,000 ns at 500 MHz.
const LATENCIES: [u64; 3] = [100, 250, 500];

/// Bytes of the memory: every tree is one descriptor.
const MEMORY: usize = 1 << 20;

/// Measures, and prints what was measured.
pub fn run() -> Result<(), Box<dyn Error>> {
    let mut runs = Vec::new();
    for (name, leaves) in TREES {
        let parameters = presets::by_name(name)?;
        let request = CommitRequest::new(parameters, LeafRule::Hash(parameters), leaves);
        let words: Vec<Word> = (0..leaves * request.leaf_length() as u64)
            .map(|number| {
                let mut word = Word::default();
                word[..7].copy_from_slice(
                    &number.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes()[1..],
                );
                word
            })
            .collect();
        let (bare, bare_counters) =
            commit(ComputingChip::new(Hardware::default())?, &request, &words)?;
        for latency in LATENCIES {
            eprintln!("{name}, {leaves} leaves, latency of {latency} cycles");
            let bench = Bench::new(BenchKind::DmaChip, 1);
            let memory = Ram::new(0x1_0000_0000, vec![0; MEMORY]);
            let timing = Timing {
                latency,
                ..Timing::default()
            };
            let chip = DmaChip::new(bench, Variant::DEFAULT, 1, memory, timing);
            let (found, counters) = commit(DmaBoard::new(chip)?.port()?, &request, &words)?;
            if found != bare {
                return Err(format!("{name}: the nodes are not those of the model").into());
            }
            runs.push(DmaRun {
                preset: name.to_owned(),
                arity: parameters.arity(),
                leaves,
                latency_cycles: latency,
                cycles: counters.cycles,
                bare_cycles: bare_counters.cycles,
                utilisation: utilisation(&counters),
                bare_utilisation: utilisation(&bare_counters),
            });
        }
    }
    let runs = DmaRuns {
        beat_bits: 8 * Variant::DEFAULT.beat_bytes(),
        runs,
    };
    println!("{}", serde_json::to_string_pretty(&runs)?);
    Ok(())
}

/// Utilisation of the leaf hash engine from the first word in to the last leaf out.
fn utilisation(counters: &Counters) -> f64 {
    let cycles = counters.cycle_last_leaf - counters.cycle_first_in;
    counters.leaf.utilisation(cycles)
}

/// What a device says of a tree.
#[derive(PartialEq)]
struct Tree {
    cap: Vec<Vec<Word>>,
    nodes: AllNodes,
}

fn commit(
    port: impl ChipPort,
    request: &CommitRequest<'_>,
    words: &[Word],
) -> Result<(Tree, Counters), Box<dyn Error>> {
    let mut device = ChipDevice::new(port)?;
    let mut nodes = AllNodes::default();
    let source = &mut WordSource(words);
    let report = device.commit(request, source, &mut nodes, &mut NoProgress)?;
    let counters = report.counters.ok_or("the chip has no counters")?;
    let cap = report.cap;
    Ok((Tree { cap, nodes }, counters))
}

// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! A core behind the packed input and output of `tb/rtl/acclmt_tb_pool.sv`, as a chip for the driver.

use std::ops::Range;

use acclmt_driver::chip::{ChipPort, OutputWord, PortError};
use acclmt_poseidon::word::Word;
use acclmt_verilated::{Bench, BenchKind, SimulationError};

/// Words of the packed input and output, without what a bench adds to them.
const INPUT: usize = 11;
const OUTPUT: usize = 12;

/// Flags of the packed input.
const EDGE: u32 = 1 << 0;
const ACCESS: u32 = 1 << 1;
const WRITE: u32 = 1 << 2;
const IN_VALID: u32 = 1 << 3;
const OUT_READY: u32 = 1 << 4;

/// Flags of the packed output.
const IN_READY: u32 = 1 << 1;
const OUT_VALID: u32 = 1 << 2;
const OUT_LAST: u32 = 1 << 3;
const OUT_ERROR: u32 = 1 << 4;

/// What a bench adds to the input.
pub struct Addition {
    /// In the cycles that end with these edges.
    pub edges: Range<u64>,
    /// In one of so many of them, the first one among them.
    pub every: u64,
    /// The words; in all other cycles they are zero.
    pub words: Vec<u32>,
}

/// The chip behind the port of the driver.
pub struct PackedChip {
    bench: Bench,
    /// Clock edges since the reset.
    edges: u64,
    /// The edge at which words of a stream were moved first.
    pub first_transfer: Option<u64>,
    /// What a bench adds to the input.
    pub addition: Option<Addition>,
    /// What it added to its output last.
    pub added: Vec<u32>,
}

impl PackedChip {
    pub fn new(kind: BenchKind, seed: u64) -> Self {
        Self {
            bench: Bench::new(kind, seed as u32),
            edges: 0,
            first_transfer: None,
            addition: None,
            added: Vec::new(),
        }
    }

    /// Clock edges since the reset.
    pub fn edges(&self) -> u64 {
        self.edges
    }

    fn run(&mut self, input: [u32; INPUT]) -> Result<[u32; OUTPUT], PortError> {
        let failed = |error: SimulationError| PortError::new(error.to_string());
        let mut packed = vec![0; self.bench.input_words()];
        packed[..INPUT].copy_from_slice(&input);
        if input[0] & EDGE != 0 {
            if let Some(addition) = &self.addition
                && addition.edges.contains(&self.edges)
                && (self.edges - addition.edges.start).is_multiple_of(addition.every)
            {
                packed[INPUT..].copy_from_slice(&addition.words);
            }
            self.edges += 1;
        }
        let output = self.bench.run(&packed).map_err(failed)?;
        let (output, added) = output.split_at(OUTPUT);
        self.added = added.to_vec();
        Ok(output
            .try_into()
            .expect("the packed output has twelve words"))
    }

    /// An access takes a cycle; its answer is there behind that.
    fn access(&mut self, flags: u32, address: u32, value: u32) -> Result<u32, PortError> {
        let mut input = [0; INPUT];
        input[..3].copy_from_slice(&[EDGE | ACCESS | flags, address, value]);
        self.run(input)?;
        Ok(self.run([0; INPUT])?[1])
    }
}

impl ChipPort for PackedChip {
    fn name(&self) -> &str {
        "packed"
    }

    fn write_register(&mut self, address: u32, value: u32) -> Result<(), PortError> {
        self.access(WRITE, address, value).map(drop)
    }

    fn read_register(&mut self, address: u32) -> Result<u32, PortError> {
        self.access(0, address, 0)
    }

    fn transfer(
        &mut self,
        input: &[Word],
        output: &mut Vec<OutputWord>,
        cycles: u64,
    ) -> Result<usize, PortError> {
        self.first_transfer.get_or_insert(self.edges);
        let mut taken = 0;
        for _ in 0..cycles {
            let mut packed = [0; INPUT];
            packed[0] = EDGE | OUT_READY;
            if let Some(word) = input.get(taken) {
                packed[0] |= IN_VALID;
                for (packed, bytes) in packed[3..].iter_mut().zip(word.as_chunks().0) {
                    *packed = u32::from_le_bytes(*bytes);
                }
            }
            let shown = self.run(packed)?;
            let flags = shown[0];
            taken += usize::from(taken < input.len() && flags & IN_READY != 0);
            if flags & OUT_VALID == 0 {
                continue;
            }
            let mut data = Word::default();
            for (bytes, packed) in data.as_chunks_mut().0.iter_mut().zip(&shown[4..]) {
                *bytes = packed.to_le_bytes();
            }
            let last = flags & OUT_LAST != 0;
            output.push(OutputWord {
                data,
                level: shown[2],
                index: shown[3],
                last,
                error: flags & OUT_ERROR != 0,
            });
            if last {
                break;
            }
        }
        Ok(taken)
    }
}

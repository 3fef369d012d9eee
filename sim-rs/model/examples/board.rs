// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! The first hash of the integration guide, `docs/integration.md`, by the driver over a port of one's own. Here
//! the model of the chip stands for the board.
//!
//! ```text
//! cargo run -p acclmt-model --example board
//! ```

use std::error::Error;

use acclmt_driver::chip::{ChipDevice, ChipPort, OutputWord, PortError};
use acclmt_driver::device::{CommitRequest, Device, LeafRule, NoProgress, WordSource};
use acclmt_driver::nodes::NoNodes;
use acclmt_model::{ComputingChip, Hardware};
use acclmt_poseidon::presets;
use acclmt_poseidon::word::{self, Word};

// The guide has the lines between "guide" and "end of guide".
// guide: the port
/// The way to the chip. With a board: its registers as they are mapped, and the two channels of its DMA.
struct MyBoard {
    chip: ComputingChip,
}

impl ChipPort for MyBoard {
    fn name(&self) -> &str {
        "my board"
    }

    fn write_register(&mut self, address: u32, value: u32) -> Result<(), PortError> {
        self.chip.write_register(address, value)
    }

    fn read_register(&mut self, address: u32) -> Result<u32, PortError> {
        self.chip.read_register(address)
    }

    /// Offers words, and takes what has come out: how many words were taken.
    fn transfer(
        &mut self,
        input: &[Word],
        output: &mut Vec<OutputWord>,
        cycles: u64,
    ) -> Result<usize, PortError> {
        self.chip.transfer(input, output, cycles)
    }
}
// end of guide

/// The root of the tree over the hashes of 1 and 2, 3 and 4, 5 and 6, 7 and 8.
fn first_hash(board: MyBoard) -> Result<Word, Box<dyn Error>> {
    // guide: the run
    let mut device = ChipDevice::new(board)?;
    let parameters = presets::by_name("filecoin-arity-2")?;
    let request = CommitRequest::new(parameters, LeafRule::Hash(parameters), 4);
    let elements = [1, 2, 3, 4, 5, 6, 7, 8].map(word::from_u64);
    let report = device.commit(
        &request,
        &mut WordSource(&elements),
        &mut NoNodes,
        &mut NoProgress,
    )?;
    println!("{}", word::to_hex(&report.root()[0]));
    // end of guide
    Ok(report.root()[0])
}

fn main() -> Result<(), Box<dyn Error>> {
    let chip = ComputingChip::new(Hardware::default())?;
    first_hash(MyBoard { chip })?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    fn file(path: &str) -> String {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        fs::read_to_string(root.join(path)).unwrap()
    }

    #[test]
    fn the_root_is_that_of_the_reference() {
        let chip = ComputingChip::new(Hardware::default()).unwrap();
        let root = word::to_hex(&first_hash(MyBoard { chip }).unwrap());
        let script = file("docs/examples/first-hash.txt");
        let expected = script.split_whitespace().last().unwrap();
        assert_eq!(root, format!("0x{expected}"));
    }

    #[test]
    fn the_guide_has_these_lines() {
        let (source, page) = (include_str!("board.rs"), file("docs/integration.md"));
        for title in ["the port", "the run"] {
            let begin = format!("// guide: {title}\n");
            let (_, part) = source.split_once(&begin).unwrap();
            let (part, _) = part.split_once("// end of guide").unwrap();
            // Without the indentation of a function's body.
            let first = part.lines().next().unwrap();
            let indentation = &first[..first.len() - first.trim_start().len()];
            let lines = part
                .trim_end()
                .lines()
                .map(|line| line.strip_prefix(indentation).unwrap_or(line));
            let block = format!(
                "```rust,ignore\n{}\n```\n",
                lines.collect::<Vec<_>>().join("\n")
            );
            assert!(
                page.contains(&block),
                "docs/integration.md has not:\n{block}"
            );
        }
    }
}

// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! The first hash of the integration guide: every register write and every word of a run, as a chip sees
//! them, in `docs/examples/first-hash.txt`. Software of any kind can send them; the testbench in
//! `tb/first_hash` does. The file is what the driver does on the model, and the root that the reference computes.
//!
//! ```text
//! UPDATE_FIRST_HASH=1 cargo test -p acclmt-model --test first_hash
//! ```

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use acclmt_driver::chip::ChipDevice;
use acclmt_driver::chip::recorder::{Event, Recorder};
use acclmt_driver::device::{CommitRequest, Device, DeviceError, LeafRule, LeafSource, NoProgress};
use acclmt_driver::nodes::NoNodes;
use acclmt_driver::software::SoftwareDevice;
use acclmt_model::{Hardware, ModelChip};
use acclmt_poseidon::presets;
use acclmt_poseidon::word::Word;

const FILE: &str = "docs/examples/first-hash.txt";
const PRESET: &str = "filecoin-arity-2";
/// The tree has four leaves, each the hash of two elements: 1 to 8.
const LEAVES: u64 = 4;
const ELEMENTS: u8 = 8;
/// The level of its root.
const LEVEL: u32 = 2;

/// A word as a number in hexadecimal.
fn number(word: &Word) -> String {
    word.iter().rev().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("a text takes everything");
        text
    })
}

struct Elements(u8);

impl LeafSource for Elements {
    fn read(&mut self, elements: usize) -> Result<Vec<Word>, DeviceError> {
        Ok((0..elements)
            .map(|_| {
                self.0 += 1;
                let mut word = Word::default();
                word[0] = self.0;
                word
            })
            .collect())
    }
}

fn root(device: &mut dyn Device) -> Word {
    let parameters = presets::by_name(PRESET).expect("the preset is there");
    let request = CommitRequest::new(parameters, LeafRule::Hash(parameters), LEAVES);
    let mut elements = Elements(0);
    let report = device
        .commit(&request, &mut elements, &mut NoNodes, &mut NoProgress)
        .expect("the tree is committed to");
    assert_eq!(elements.0, ELEMENTS);
    report.root()[0]
}

fn script() -> String {
    let hardware = Hardware {
        num_partial: 1,
        ..Hardware::default()
    };
    let port = ModelChip::new(hardware).expect("the hardware is legal");
    let mut chip = ChipDevice::new(Recorder::new(port)).expect("the driver knows the chip");
    root(&mut chip);
    let mut lines = String::new();
    for event in &chip.port().events {
        match event {
            Event::Write(address, value) => writeln!(lines, "write {address:x} {value:x}"),
            Event::Input(word) => writeln!(lines, "in 0 {}", number(word)),
            Event::Output(_) => Ok(()),
        }
        .expect("as above");
    }
    // The model knows when words move, and not what they are.
    let expected = root(&mut SoftwareDevice::new());
    writeln!(lines, "out {LEVEL} {}", number(&expected)).expect("as above");
    lines
}

#[test]
fn the_first_hash_of_the_guide_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(FILE);
    let script = script();
    if std::env::var_os("UPDATE_FIRST_HASH").is_some() {
        fs::write(&path, script).expect("the file can be written");
        return;
    }
    let committed = fs::read_to_string(&path).expect("the file can be read");
    assert!(
        committed == script,
        "{FILE} is not what the driver does; write it again with\n  UPDATE_FIRST_HASH=1 cargo test -p \
         acclmt-model --test first_hash"
    );
}

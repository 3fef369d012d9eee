// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! The first hash of the integration guide: every register write and every word of a run, as a chip sees
//! them, in `docs/examples/first-hash.txt`. Software of any kind can send them; the testbench in
//! `tb/first_hash` does. The file is what the driver does on the model, and the root that the reference computes.
//!
//! ```text
//! UPDATE_FIRST_HASH=1 cargo test -p acclmt-model --test first_hash
//! ```

use std::cell::RefCell;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::rc::Rc;

use acclmt_driver::chip::{ChipDevice, ChipPort, OutputWord, PortError};
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

/// What went over the pins, a line each.
type Script = Rc<RefCell<String>>;

/// A port that writes down what is done with another one.
struct Recorder {
    port: ModelChip,
    script: Script,
}

/// A word as a number in hexadecimal.
fn number(word: &Word) -> String {
    word.iter().rev().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("a text takes everything");
        text
    })
}

impl ChipPort for Recorder {
    fn name(&self) -> &str {
        self.port.name()
    }

    fn write_register(&mut self, address: u32, value: u32) -> Result<(), PortError> {
        writeln!(self.script.borrow_mut(), "write {address:x} {value:x}").expect("as above");
        self.port.write_register(address, value)
    }

    fn read_register(&mut self, address: u32) -> Result<u32, PortError> {
        self.port.read_register(address)
    }

    fn transfer(
        &mut self,
        input: &[Word],
        output: &mut Vec<OutputWord>,
        cycles: u64,
    ) -> Result<usize, PortError> {
        let taken = self.port.transfer(input, output, cycles)?;
        let mut script = self.script.borrow_mut();
        for word in &input[..taken] {
            writeln!(script, "in 0 {}", number(word)).expect("as above");
        }
        Ok(taken)
    }
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
    let script = Script::default();
    let port = Recorder {
        port: ModelChip::new(hardware).expect("the hardware is legal"),
        script: Rc::clone(&script),
    };
    let mut chip = ChipDevice::new(port).expect("the driver knows the chip");
    root(&mut chip);
    let mut lines = script.borrow().clone();
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

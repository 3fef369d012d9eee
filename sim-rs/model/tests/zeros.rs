//! A source of zeros on a chip that computes: the words are those of the rows, padding included.

use acclmt_driver::chip::ChipDevice;
use acclmt_driver::device::{CommitRequest, Device, LeafRule, NoProgress, Zeros};
use acclmt_driver::nodes::NoNodes;
use acclmt_driver::software::SoftwareDevice;
use acclmt_model::{ComputingChip, Hardware};
use acclmt_poseidon::presets;

#[test]
fn zeros_are_packed_as_other_elements_are() {
    let chip = ComputingChip::new(Hardware::default()).expect("the default is legal");
    let mut chip = ChipDevice::new(chip).expect("the chip answers");
    let mut rows = 0;
    for preset in presets::all().iter().map(presets::Preset::parameters) {
        if chip.supports(preset).is_err() || preset.arity() != 4 && preset.name() != "plonky2" {
            continue;
        }
        for columns in [1, 3, 4, 5, 9] {
            let leaf = LeafRule::Row {
                parameters: preset,
                columns,
            };
            let leaves = (preset.arity() as u64).pow(2);
            let request = CommitRequest::new(preset, leaf, leaves);
            let commit = |device: &mut dyn Device| {
                let report = device.commit(&request, &mut Zeros, &mut NoNodes, &mut NoProgress);
                report.map(|report| report.cap)
            };
            let Ok(expected) = commit(&mut SoftwareDevice::new()) else {
                // The set has no sponge.
                continue;
            };
            let found = commit(&mut chip).expect("what the software hashes the chip does");
            assert_eq!(found, expected, "{}, {columns} columns", preset.name());
            rows += 1;
        }
    }
    assert!(rows > 5, "{rows}");
}

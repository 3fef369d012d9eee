// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! The self-test of a chip: it passes a sound one, and names the hash engine that is none.

use acclmt_driver::chip::{ChipDevice, ChipPort, OutputWord, PortError};
use acclmt_driver::device::{Device, DeviceError};
use acclmt_driver::registers;
use acclmt_driver::self_test::{SelfTest, SelfTestError};
use acclmt_model::{ComputingChip, Hardware};
use acclmt_poseidon::fields::FieldId;
use acclmt_poseidon::word::Word;

/// A chip whose hash engines do what they should, but for one.
struct Broken {
    chip: ComputingChip,
    /// The engine of which a bit of each digest is another one.
    engine: Option<u32>,
    /// The sub-engine counter that stays 0.
    counter: Option<u32>,
    roles: u32,
}

impl ChipPort for Broken {
    fn name(&self) -> &str {
        "broken"
    }

    fn write_register(&mut self, address: u32, value: u32) -> Result<(), PortError> {
        if address == registers::ROLES.address {
            self.roles = value;
        }
        self.chip.write_register(address, value)
    }

    fn read_register(&mut self, address: u32) -> Result<u32, PortError> {
        let value = self.chip.read_register(address)?;
        let is_zero = Some(address) == self.counter;
        Ok(if is_zero { 0 } else { value })
    }

    fn transfer(
        &mut self,
        input: &[Word],
        output: &mut Vec<OutputWord>,
        cycles: u64,
    ) -> Result<usize, PortError> {
        let before = output.len();
        let taken = self.chip.transfer(input, output, cycles)?;
        let rows = registers::ROLES_ROWS.get(self.roles);
        if self.engine.is_some_and(|engine| rows == 1 << engine) {
            for word in &mut output[before..] {
                word.data[0] ^= 1;
            }
        }
        Ok(taken)
    }
}

/// The self-test of a chip for a field with so many sub-engines, with what is broken of it.
fn test(
    hardware: Hardware,
    engine: Option<u32>,
    counter: Option<u32>,
) -> Result<SelfTest, SelfTestError> {
    let port = Broken {
        chip: ComputingChip::new(hardware).expect("the build is legal"),
        engine,
        counter,
        roles: 0,
    };
    let mut device = ChipDevice::new(port).expect("the chip answers");
    device.self_test().map_err(|error| match error {
        DeviceError::Failed(error) => *error
            .downcast::<SelfTestError>()
            .expect("the self-test says what is wrong"),
        error => panic!("{error}"),
    })
}

#[test]
fn sound_chips_pass() {
    for (field, num_engines, num_full, num_partial) in [
        (FieldId::Bls12_381, 2, 1, 4),
        (FieldId::Pallas, 1, 2, 1),
        (FieldId::Bls12_377, 3, 1, 6),
    ] {
        let hardware = Hardware {
            field,
            num_engines,
            num_full,
            num_partial,
            ..Hardware::default()
        };
        let expected = SelfTest {
            engines: num_engines,
            sub_engines: num_engines * (num_full + num_partial),
            hashes: 8 * num_engines as u64,
        };
        assert_eq!(test(hardware, None, None), Ok(expected), "{field:?}");
    }
}

#[test]
fn a_wrong_digest_names_its_engine() {
    let error = test(Hardware::default(), Some(1), None).unwrap_err();
    assert!(
        matches!(
            error,
            SelfTestError::Digest {
                engine: 1,
                hash: 0,
                ..
            }
        ),
        "{error}"
    );
}

#[test]
fn a_sub_engine_that_does_nothing_is_named() {
    // The third partial-round sub-engine of the second hash engine.
    let counter = registers::ENGINE_COUNTERS[1].busy_partial.address + 2 * 8;
    let error = test(Hardware::default(), None, Some(counter)).unwrap_err();
    let expected = SelfTestError::Idle {
        engine: 1,
        sub_engine: "partial-round sub-engine 3".to_owned(),
    };
    assert_eq!(error, expected);
}

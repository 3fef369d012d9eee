//! The model chip with its arithmetic passes the tests of every port.

use acclmt_driver::chip::suite;
use acclmt_model::{ComputingChip, Hardware};
use acclmt_poseidon::fields::FieldId;

#[test]
fn the_suite_of_ports_passes() {
    suite::run(ComputingChip::new(Hardware::default()).unwrap(), 1);
}

#[test]
fn with_another_prime_and_with_a_runtime_modulus() {
    for (seed, field) in (2..).zip([FieldId::Bn254, FieldId::Pallas, FieldId::Starknet]) {
        for runtime_modulus in [false, true] {
            let hardware = Hardware {
                field,
                runtime_modulus,
                num_full: 2,
                ..Hardware::default()
            };
            suite::run(ComputingChip::new(hardware).unwrap(), seed);
        }
    }
}

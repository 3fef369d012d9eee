// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! The cycles from one hash to the next in the steady state, against the plan of the compiler.

use acclmt_driver::chip::ChipDevice;
use acclmt_driver::device::{Device, NoProgress};
use acclmt_driver::program::ChipProgram;
use acclmt_model::{Hardware, ModelChip};
use acclmt_poseidon::fields::FieldId;
use acclmt_poseidon::presets;
use acclmt_poseidon::word::Word;
use rayon::prelude::*;

/// Hashes of a run, which the engine begins and ends in some cycles more; those of a longer one.
const HASHES: [usize; 2] = [4000, 12_000];

/// Cycles of the plan, those that a hash may take, and from one hash to the next; nothing where the hardware refuses
/// the set.
fn periods(preset: &str, hardware: Hardware) -> Option<(usize, f64, f64)> {
    let parameters = presets::by_name(preset).unwrap();
    let program = ChipProgram::compile(parameters, &hardware.limits()).ok()?;
    let mut device = ChipDevice::new(ModelChip::new(hardware).unwrap()).unwrap();
    let cycles = HASHES.map(|hashes| {
        let inputs = vec![vec![Word::default(); parameters.inputs()]; hashes];
        let report = device.hash(parameters, &inputs, &mut NoProgress).unwrap();
        report.counters.unwrap().cycles
    });
    let hashes = HASHES[1] - HASHES[0];
    let plan = program.period();
    // Where layers are made by adders, a state waits for the multipliers now and then, and no grid orders them.
    let more = if program.registers.adders() {
        0.08
    } else {
        0.01
    };
    Some((
        plan,
        (1.0 + more) * plan as f64,
        (cycles[1] - cycles[0]) as f64 / hashes as f64,
    ))
}

/// The default engine is built for these.
#[test]
fn filecoin_and_plonky2_take_the_cycles_of_the_plan() {
    for (preset, expected) in [
        ("filecoin-arity-2", 13),
        ("filecoin-arity-4", 26),
        ("filecoin-arity-8", 51),
        ("filecoin-arity-11", 68),
        ("plonky2", 8),
    ] {
        let (plan, most, period) = periods(preset, Hardware::default()).unwrap();
        assert_eq!(plan, expected, "{preset}");
        assert!(period < most, "{preset}: {period} cycles");
    }
}

#[test]
fn every_preset_takes_the_cycles_of_the_plan() {
    presets::all().par_iter().for_each(|preset| {
        let parameters = preset.parameters();
        for runtime_modulus in [false, true] {
            let hardware = Hardware {
                field: match parameters.field() {
                    FieldId::Goldilocks => FieldId::Bls12_381,
                    field => field,
                },
                runtime_modulus,
                ..Hardware::default()
            };
            let name = parameters.name();
            if let Some((plan, most, period)) = periods(name, hardware) {
                assert!(period < most, "{name}: {period} cycles, not {plan}");
            }
        }
    });
}

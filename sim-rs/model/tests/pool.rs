// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! The registers of a pool of hash engines: what is legal, and what is counted, as a host sees it that writes
//! registers by itself.

use acclmt_driver::chip::{ChipPort, OutputWord};
use acclmt_driver::program::{
    Bases, ChipProgram, ChipRegisters, LevelEntry, PASS_BANK, Roles, RowRegisters,
};
use acclmt_driver::registers::{self, Register, SETS};
use acclmt_model::{ComputingChip, Hardware, ModelChip};
use acclmt_poseidon::fields::FieldId;
use acclmt_poseidon::presets;
use acclmt_poseidon::word::Word;

const SHARED: Roles = Roles {
    rows: 0b1,
    nodes: 0b1,
    node_limit: 0,
};

fn hardware(num_engines: usize) -> Hardware {
    Hardware {
        num_engines,
        ..Hardware::default()
    }
}

fn preset(arity: u32) -> ChipProgram {
    let preset = presets::by_name(&format!("filecoin-arity-{arity}")).expect("the preset exists");
    ChipProgram::compile(preset, &Hardware::default().limits()).expect("the preset fits")
}

struct Host<P>(P);

impl<P: ChipPort> Host<P> {
    fn write(&mut self, register: &Register, value: u32) {
        self.0
            .write_register(register.address, value)
            .expect("a model takes it");
    }

    fn read(&mut self, register: &Register) -> u32 {
        self.0
            .read_register(register.address)
            .expect("a model gives it")
    }

    /// The code of the error and its information; then there is none.
    fn error(&mut self) -> (u32, u32) {
        let error = (
            self.read(&registers::ERROR),
            self.read(&registers::ERROR_INFO),
        );
        self.write(&registers::CONTROL, registers::CONTROL_CLEAR.with(1));
        error
    }

    /// The configuration of a tree of two levels over four rows.
    fn configure(&mut self, sets: [&ChipRegisters; 2], roles: Roles) {
        let rows = RowRegisters::one_block(sets[0]);
        let writes = (SETS.into_iter().zip(sets)).flat_map(|(engine, set)| set.writes(engine));
        for (address, value) in writes.chain(rows.writes()) {
            self.0
                .write_register(address, value)
                .expect("a model takes it");
        }
        self.write(&registers::MODE, registers::MODE_LEAF_KIND.with(1));
        self.write(&registers::TOP_LEVEL, 2);
        self.write(&registers::LEAVES, 4);
        self.write(&registers::ROLES, roles.value());
        for level in 0..3 {
            let address = registers::LEVEL_TABLE.at(level);
            self.0
                .write_register(address, LevelEntry::of_nodes(4).value())
                .expect("a model takes it");
        }
    }

    /// Starts; returns the address of the register that is illegal, if one is.
    fn start(&mut self) -> Option<u32> {
        self.write(&registers::CONTROL, registers::CONTROL_START.with(1));
        let is_refused = registers::STATUS_START_REFUSED.is_set(self.read(&registers::STATUS));
        let (code, info) = self.error();
        let illegal = registers::ERROR_ILLEGAL_CONFIGURATION.code;
        assert_eq!(code, if is_refused { illegal } else { 0 });
        is_refused.then_some(info)
    }

    /// Hashes these words to a root.
    fn run(&mut self, input: &[Word]) -> Word {
        self.write(&registers::CONTROL, registers::CONTROL_START.with(1));
        let mut output: Vec<OutputWord> = Vec::new();
        let mut taken = 0;
        for _ in 0..1000 {
            if !output.is_empty() {
                break;
            }
            let more = self.0.transfer(&input[taken..], &mut output, 1000);
            taken += more.expect("the model computes");
        }
        assert!(output[0].last);
        output[0].data
    }
}

#[test]
fn capabilities_say_how_many_engines_there_are() {
    for engines in 1..=8 {
        let mut host = Host(ModelChip::new(hardware(engines)).unwrap());
        let pool = host.read(&registers::CAPS_POOL);
        assert_eq!(registers::CAPS_NUM_ENGINES.get(pool), engines as u32);
        for (number, counters) in registers::ENGINE_COUNTERS.iter().enumerate() {
            for register in [
                counters.hashes,
                counters.busy_full,
                counters.busy_partial,
                counters.busy_full_last,
            ] {
                assert_eq!(host.read(&register), 0);
                let (code, info) = host.error();
                if number < engines.max(2) {
                    assert_eq!(code, 0);
                } else {
                    assert_eq!(code, registers::ERROR_UNKNOWN_REGISTER.code);
                    assert_eq!(info, register.address);
                }
            }
        }
    }
    for engines in [0, 9] {
        let error = ModelChip::new(hardware(engines)).unwrap_err().to_string();
        let expected = format!("no chip has NumEngines = {engines}: it is 1 to 8");
        assert_eq!(error, expected);
    }
}

#[test]
fn constants_are_for_engines_that_there_are() {
    let mut host = Host(ModelChip::new(hardware(3)).unwrap());
    let address = |mask, sub_engine, bank, index| {
        registers::CONSTANT_ENGINE_MASK.with(mask)
            | registers::CONSTANT_ENGINE.with(sub_engine)
            | registers::CONSTANT_BANK.with(bank)
            | registers::CONSTANT_INDEX.with(index)
    };
    for (value, is_legal) in [
        (address(0b000, 0, 0, 0), false),
        (address(0b111, 0, 0, 63), true),
        (address(0b111, 0, 0, 64), false),
        (address(0b1000, 0, 0, 0), false),
        (address(0b001, 15, 2, 15), true),
        (address(0b100, 15, 0, 8), true),
        (address(0b100, 15, 0, 23), true),
        (address(0b100, 15, 0, 24), false),
        (address(0b100, 15, 3, 0), false),
        (address(0b001, 14, 0, 31), true),
        (address(0b111, 14, 0, 0), true),
        (address(0b010, 14, 0, 32), false),
    ] {
        host.write(&registers::CONSTANT_ADDRESS, value);
        let expected = if is_legal {
            (0, 0)
        } else {
            (registers::ERROR_ILLEGAL_CONSTANT_ADDRESS.code, value)
        };
        assert_eq!(host.error(), expected, "{value:#x}");
    }
}

#[test]
fn illegal_roles_and_bases_are_refused() {
    let (two, eight) = (preset(2).registers, preset(8).registers);
    let mut host = Host(ModelChip::new(hardware(2)).unwrap());
    let roles = Some(registers::ROLES.address);
    let role = |rows, nodes| Roles {
        rows,
        nodes,
        node_limit: 0,
    };
    for (roles, expected) in [
        (role(0b01, 0b10), None),
        (role(0b11, 0b11), None),
        (role(0b01, 0b11), None),
        (role(0b01, 0b00), roles),
        (role(0b101, 0b10), roles),
        (role(0b01, 0b100), roles),
    ] {
        host.configure([&eight, &two], roles);
        assert_eq!(host.start(), expected, "{roles:?}");
    }
    host.write(&registers::ROLES, 1 << 24 | Roles::LEAF_AND_ROOT.value());
    assert_eq!(host.start(), roles);
    // Without rows no engine has to take them.
    host.configure([&eight, &two], role(0b00, 0b10));
    host.write(&registers::MODE, 0);
    assert_eq!(host.start(), None);
    // Two sets in one engine have one exponent, and rounds in the same places.
    let other = ChipRegisters { alpha: 3, ..two };
    host.configure([&other, &two], Roles::LEAF_AND_ROOT);
    assert_eq!(host.start(), None);
    host.configure([&other, &two], SHARED);
    assert_eq!(host.start(), roles);
    let mut other = two;
    other.partial_rounds[4] = 0;
    host.configure([&other, &two], SHARED);
    assert_eq!(host.start(), roles);
    // A row whose leaf has a place is a block.
    host.configure([&two, &two], Roles::LEAF_AND_ROOT);
    host.write(&registers::ROW_BLOCKS, 2);
    assert_eq!(host.start(), None);
    for shared in [SHARED, role(0b11, 0b10)] {
        host.write(&registers::ROLES, shared.value());
        assert_eq!(host.start(), roles);
        host.write(&registers::LEAVES_HIGH, 2);
        assert_eq!(host.start(), Some(registers::LEAVES_HIGH.address));
        host.write(&registers::LEAVES_HIGH, 0);
    }
    // Rounds of arity 8 take 3 of the 128 beats each.
    for (set, engine) in SETS.into_iter().take(2).enumerate() {
        let base = Some(engine.partial_base.address);
        for (value, expected) in [
            (80, None),
            (127, Some(engine.partial_rounds.at(0))),
            (256, base),
            (1 << 24, base),
        ] {
            host.configure([&eight, &eight], Roles::LEAF_AND_ROOT);
            host.write(&engine.partial_base, value);
            assert_eq!(host.start(), expected, "set {set}, {value}");
        }
    }
}

/// The largest chip has every register, the default one all but the counters of more hash engines.
#[test]
fn every_register_is_there() {
    for num_engines in [2, 8] {
        let hardware = Hardware {
            runtime_modulus: true,
            ..hardware(num_engines)
        };
        let mut chip = ModelChip::new(hardware).unwrap();
        for register in registers::REGISTERS {
            for address in (0..register.count).map(|position| register.at(position)) {
                chip.read_register(address).unwrap();
                let error = chip.read_register(registers::ERROR.address).unwrap();
                let exists =
                    registers::later_engine(address).is_none_or(|engine| engine < num_engines);
                assert_eq!(error == 0, exists, "0x{address:03X}, {num_engines} engines");
                let clear = registers::CONTROL_CLEAR.with(1);
                chip.write_register(registers::CONTROL.address, clear)
                    .unwrap();
            }
        }
    }
}

/// A zeroisation comes to its end whatever the engines are.
#[test]
fn every_pool_is_zeroised() {
    for engines in 1..=8 {
        for runtime_modulus in [false, true] {
            let hardware = Hardware {
                field: if runtime_modulus {
                    FieldId::Bn254
                } else {
                    FieldId::Bls12_381
                },
                runtime_modulus,
                ..hardware(engines)
            };
            let mut host = Host(ModelChip::new(hardware).unwrap());
            host.write(&registers::ROLES, 0xFF);
            host.write(&registers::CONTROL, registers::CONTROL_ZEROISE.with(1));
            host.0.transfer(&[], &mut Vec::new(), 1_000_000).unwrap();
            let status = host.read(&registers::STATUS);
            assert!(
                registers::STATUS_ZEROISED.is_set(status),
                "{engines} engines"
            );
            assert_eq!(host.read(&registers::ROLES), 0);
        }
    }
}

/// A shared engine holds the constants of both sets, one behind the other, and its hashes are those of engines that
/// hold one each.
#[test]
fn a_shared_engine_computes_with_both_of_its_sets() {
    let programs = [preset(4), preset(2)];
    let input: Vec<Word> = (0..16)
        .map(|number| {
            let mut word = Word::default();
            word[0] = number;
            word
        })
        .collect();
    let root = |num_engines, roles: Roles, bases: Bases| {
        let mut host = Host(ComputingChip::new(hardware(num_engines)).unwrap());
        let mut sets = [programs[0].registers, programs[1].registers];
        sets[1].partial_base = bases.partial.into();
        for (set, program) in programs.iter().enumerate() {
            let bases = if set == 1 { bases } else { Bases::default() };
            let mask = [roles.rows, roles.nodes][set];
            for constant in &program.constants {
                let constant = constant.placed(set, &bases).unwrap();
                for (position, bytes) in (0..).zip(constant.word.as_chunks::<4>().0) {
                    let value = u32::from_le_bytes(*bytes);
                    let address = registers::CONSTANT_DATA.at(position);
                    host.0.write_register(address, value).unwrap();
                }
                let address = registers::CONSTANT_ENGINE_MASK.with(mask.into())
                    | registers::CONSTANT_ENGINE.with(constant.sub_engine.into())
                    | registers::CONSTANT_BANK.with(constant.bank.into())
                    | registers::CONSTANT_INDEX.with(constant.index.into());
                host.write(&registers::CONSTANT_ADDRESS, address);
            }
        }
        host.configure([&sets[0], &sets[1]], roles);
        assert_eq!(host.error(), (0, 0));
        let root = host.run(&input);
        let hashes = registers::ENGINE_COUNTERS[..num_engines].iter();
        let hashes: u32 = hashes.map(|engine| host.read(&engine.hashes)).sum();
        assert_eq!((hashes, host.error()), (4 + 2 + 1, (0, 0)));
        root
    };
    let entries = (programs[0].constants.iter())
        .filter(|constant| (constant.sub_engine, constant.bank) == (0, PASS_BANK))
        .count();
    let behind = Bases {
        matrix: 20,
        constant: 100,
        passes: [entries as u8, 0],
        partial: 60,
    };
    let fixed = root(2, Roles::LEAF_AND_ROOT, Bases::default());
    assert_ne!(fixed, Word::default());
    assert_eq!(root(1, SHARED, behind), fixed);
    let all = Roles {
        rows: 0b111,
        nodes: 0b111,
        node_limit: 0,
    };
    assert_eq!(root(3, all, behind), fixed);
}

// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! The chip of the build: its fields, runs against the reference, and a host that programs it by hand.

use std::sync::LazyLock;

use acclmt_driver::chip::{ChipDevice, ChipPort, OutputWord};
use acclmt_driver::device::{
    CommitRequest, Counters, Device, EngineCounters, LeafRule, NoProgress, WordSource,
};
use acclmt_driver::level_table::{LeafQueue, NODE_WORDS, level_table};
use acclmt_driver::nodes::{AllNodes, NoNodes};
use acclmt_driver::program::{
    self, Bases, ChipConstant, ChipProgram, ChipRegisters, LevelEntry, NODE_SET, PositionMap,
    ROW_SET, Roles, RowRegisters, SUB_ENGINES,
};
use acclmt_driver::registers::{self, EngineRegisters};
use acclmt_driver::software::SoftwareDevice;
use acclmt_poseidon::dispatch;
use acclmt_poseidon::fields::{AnyParameters, FieldId};
use acclmt_poseidon::params::{
    Compression, InverseRounds, PoseidonParameters, PoseidonSpecification, RoundOrder,
};
use acclmt_poseidon::presets;
use acclmt_poseidon::random::{self, Ranges};
use acclmt_poseidon::word::Word;
use acclmt_tb::{RtlChip, large_field, rtl_device};
use acclmt_verilated::RUNTIME_MODULUS;

use super::bits::{BUSY, CLEAR, DONE, START};
use super::{Random, elements};

/// Clock cycles within which every run of these tests ends.
const PATIENCE: u64 = 400_000;

/// Name of the preset of hashes of two elements over the large prime.
fn pair_preset() -> &'static str {
    match large_field() {
        FieldId::Bls12_381 => "filecoin-arity-2",
        FieldId::Bls12_377 => "penumbra-rate-2",
        FieldId::Bn254 => "circom-bn254-arity-2",
        FieldId::Pallas => "neptune-pallas-arity-2",
        FieldId::Vesta => "neptune-vesta-arity-2",
        FieldId::Starknet => "starknet",
        FieldId::Goldilocks => unreachable!("Goldilocks is no large prime"),
    }
}

/// Hashes of two elements over the large prime.
pub fn pairs() -> &'static AnyParameters {
    presets::by_name(pair_preset()).unwrap()
}

/// A parameter set with so many full rounds ahead of the partial ones and behind them, and so many partial ones: the
/// first ones of each.
pub fn with_rounds(set: &AnyParameters, full: (usize, usize), partial: usize) -> AnyParameters {
    dispatch!(set, set => {
        let specification = set.specification().clone();
        let constants = specification.round_constants;
        let begins = [
            0,
            specification.full_rounds_first,
            specification.full_rounds_first + specification.partial_rounds,
        ];
        let counts = [full.0, partial, full.1];
        let round_constants = (begins.into_iter().zip(counts))
            .flat_map(|(begin, count)| constants[begin..begin + count].to_vec())
            .collect();
        PoseidonParameters::new(PoseidonSpecification {
            name: format!("{} with {} + {partial} + {} rounds", specification.name, full.0, full.1),
            full_rounds_first: full.0,
            partial_rounds: partial,
            full_rounds_last: full.1,
            round_constants,
            ..specification
        })
        .unwrap()
        .into()
    })
}

/// [`pairs`] with fewer rounds, for tests that are not about the hash: they load a seventh of the constants, and the hashes
/// take a sixth of the cycles. Full rounds that make loops, and partial rounds for every sub-engine.
pub fn short_pairs() -> &'static AnyParameters {
    static SET: LazyLock<AnyParameters> = LazyLock::new(|| with_rounds(pairs(), (3, 3), 6));
    &SET
}

/// A set with these elements as input and digest.
pub fn with_positions(
    set: &AnyParameters,
    name: String,
    input: Vec<usize>,
    digest: Vec<usize>,
) -> AnyParameters {
    dispatch!(set, set => {
        PoseidonParameters::new(PoseidonSpecification {
            name,
            input_positions: input,
            digest_positions: digest,
            ..set.specification().clone()
        })
        .unwrap()
        .into()
    })
}

/// Random hashes of few rounds over the large prime, for trees.
pub fn short_hash(seed: u64, arity: usize) -> AnyParameters {
    let ranges = Ranges {
        widths: arity + 1..=arity + 1,
        full_rounds: 1..=1,
        partial_rounds: 1..=1,
        orders: vec![RoundOrder::ConstantsFirst],
        ..Ranges::default()
    };
    let set = random::any_parameters(large_field(), seed, &ranges).unwrap();
    let name = format!("short hash of {arity}");
    with_positions(&set, name, (1..=arity).collect(), vec![1])
}

/// Hashes of two digests of four Goldilocks elements.
pub fn goldilocks_pairs() -> &'static AnyParameters {
    presets::by_name("plonky2").unwrap()
}

/// Fields that the chip of this build computes in.
pub fn chip_fields() -> Vec<FieldId> {
    FieldId::ALL
        .into_iter()
        .filter(|&field| RUNTIME_MODULUS || field == large_field() || field == FieldId::Goldilocks)
        .collect()
}

/// `count` inputs of hashes.
pub fn random_inputs(
    random: &mut Random,
    parameters: &AnyParameters,
    count: usize,
) -> Vec<Vec<Word>> {
    (0..count)
        .map(|_| elements(random, parameters.field(), parameters.inputs()))
        .collect()
}

/// Hashes `inputs` on a device and with the reference; both must agree.
pub fn check_hashes(
    device: &mut dyn Device,
    parameters: &AnyParameters,
    inputs: &[Vec<Word>],
) -> Counters {
    let name = parameters.name();
    let report = device
        .hash(parameters, inputs, &mut NoProgress)
        .unwrap_or_else(|error| panic!("{name}: {error}"));
    let expected = SoftwareDevice::new()
        .hash(parameters, inputs, &mut NoProgress)
        .unwrap();
    for (index, (found, expected)) in report.digests.iter().zip(&expected.digests).enumerate() {
        assert_eq!(found, expected, "{name}: hash {index}");
    }
    assert_eq!(report.digests.len(), inputs.len(), "{name}");
    report.counters.unwrap()
}

/// What the words of a tree are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeafKind {
    /// Every leaf is a ready digest.
    Element,
    /// Every leaf is the hash of an input.
    Hash,
}

pub fn commit(
    device: &mut dyn Device,
    parameters: &AnyParameters,
    leaf: LeafKind,
    words: &[Word],
) -> (Vec<Word>, Option<Counters>) {
    let (rule, length) = match leaf {
        LeafKind::Element => (LeafRule::Digest, parameters.digest_length()),
        LeafKind::Hash => (LeafRule::Hash(parameters), parameters.inputs()),
    };
    let request = CommitRequest::new(parameters, rule, (words.len() / length) as u64);
    let source = &mut WordSource(words);
    let report = device
        .commit(&request, source, &mut NoNodes, &mut NoProgress)
        .unwrap();
    (report.root().to_vec(), report.counters)
}

/// The commitment with all of its nodes equals that of the software.
#[track_caller]
pub fn check_commit(device: &mut dyn Device, request: &CommitRequest<'_>, words: &[Word]) {
    let commit = |device: &mut dyn Device| {
        let mut nodes = AllNodes::default();
        let source = &mut WordSource(words);
        let report = device
            .commit(request, source, &mut nodes, &mut NoProgress)
            .unwrap_or_else(|error| panic!("{request:?}: {error}"));
        (report.cap, nodes)
    };
    let found = commit(device);
    let expected = commit(&mut SoftwareDevice::new());
    assert_eq!(found.0, expected.0, "{request:?}: cap");
    assert!(found.1 == expected.1, "{request:?}: nodes");
}

pub fn reference_root(parameters: &AnyParameters, leaf: LeafKind, words: &[Word]) -> Vec<Word> {
    commit(&mut SoftwareDevice::new(), parameters, leaf, words).0
}

/// The counters of an engine must tell what it did.
pub fn check_engine(counters: &EngineCounters, program: &ChipProgram, hashes: u64) {
    let busy = program.busy().map(|cycles| cycles as u64 * hashes);
    check_work(counters, hashes, busy);
}

/// So many permutations, and so many cycles of each sub-engine.
pub fn check_work(counters: &EngineCounters, hashes: u64, busy: [u64; SUB_ENGINES]) {
    assert_eq!(counters.hashes, hashes);
    assert_eq!(counters.busy_full, busy[0]);
    assert_eq!(counters.busy_full_last, busy[7]);
    assert_eq!(counters.busy_partial, busy[1..=counters.busy_partial.len()]);
}

/// The counters of a run must tell what the run was.
pub fn check_counters(
    counters: &Counters,
    program: &ChipProgram,
    words: u64,
    leaf_hashes: u64,
    root_hashes: u64,
) {
    check_engine(&counters.leaf, program, leaf_hashes);
    check_engine(&counters.root, program, root_hashes);
    assert!(counters.cycle_first_in <= counters.cycle_last_in);
    assert!(counters.cycle_last_in < counters.cycle_first_out);
    assert!(counters.cycle_first_out <= counters.cycle_last_out);
    assert!(counters.cycle_last_out <= counters.cycles);
    assert!(counters.cycle_last_in + 1 >= counters.cycle_first_in + words);
}

/// A map of positions of no element.
pub const NO_ELEMENTS: PositionMap = [0x0631_8C63; registers::MAP_REGISTERS as usize];

/// Of the interrupt: a run was completed, an error happened.
pub const INTERRUPT_DONE: u32 = 1;

pub const INTERRUPT_ERROR: u32 = 2;

/// What a run does: MODE, and whether there is a tree.
pub type Run = (u32, bool);

pub const ELEMENTS: Run = (0, true);

pub const HASHES: Run = (1, true);

pub const DIGESTS: Run = (1, false);

/// A host that programs the chip by hand.
pub struct Host<'a> {
    pub chip: &'a mut RtlChip,
}

impl<'a> Host<'a> {
    /// The host of a device's chip.
    pub fn of(device: &'a mut ChipDevice<RtlChip>) -> Self {
        Host {
            chip: device.port(),
        }
    }

    pub fn write(&mut self, address: u32, value: u32) {
        self.chip.write_register(address, value).unwrap();
    }

    pub fn write_word(&mut self, register: &registers::Register, word: &Word) {
        for (position, bytes) in (0..).zip(word.as_chunks::<4>().0) {
            self.write(register.at(position), u32::from_le_bytes(*bytes));
        }
    }

    pub fn read(&mut self, address: u32) -> u32 {
        self.chip.read_register(address).unwrap()
    }

    pub fn load(&mut self, program: &ChipProgram) {
        let interrupts = INTERRUPT_DONE | INTERRUPT_ERROR;
        self.write(registers::INTERRUPT_ENABLE.address, interrupts);
        self.load_registers(&program.registers);
        self.load_modulus(program);
        self.load_constants(&program.constants);
    }

    /// The registers of a parameter set.
    pub fn load_set(&mut self, set: &EngineRegisters, values: &ChipRegisters) {
        for (address, value) in values.writes(set) {
            self.write(address, value);
        }
    }

    pub fn load_registers(&mut self, values: &ChipRegisters) {
        for set in [&registers::LEAF, &registers::ROOT] {
            self.load_set(set, values);
        }
        for (address, value) in RowRegisters::one_block(values).writes() {
            self.write(address, value);
        }
        self.write(registers::ROLES.address, Roles::LEAF_AND_ROOT.value());
    }

    pub fn load_modulus(&mut self, program: &ChipProgram) {
        if let Some(modulus) = &program.modulus {
            self.write_word(&registers::PRIME, &modulus.prime);
            self.write_word(&registers::RADIX_SQUARED, &modulus.radix_squared);
        }
    }

    pub fn load_constants(&mut self, constants: &[program::ChipConstant]) {
        // Hash engine 0 takes rows, with parameter set 0, and hash engine 1 nodes, with parameter set 1.
        for constant in constants {
            for set in [ROW_SET, NODE_SET] {
                let engine = 1 << set;
                let constant = constant.placed(set, &Bases::default()).unwrap();
                self.write_word(&registers::CONSTANT_DATA, &constant.word);
                if constant.engine_mask & engine != 0 {
                    let address = address_of(engine.into(), &constant);
                    self.write(registers::CONSTANT_ADDRESS.address, address);
                }
            }
        }
        assert_eq!(self.error(), (0, 0));
    }

    /// Loads constants of hash engine 0 as they are.
    pub fn load_raw(&mut self, constants: &[ChipConstant]) {
        for constant in constants {
            self.write_word(&registers::CONSTANT_DATA, &constant.word);
            let address = address_of(1, constant);
            self.write(registers::CONSTANT_ADDRESS.address, address);
        }
    }

    /// Sets up a run over `leaves` leaves, for a tree a power of two.
    pub fn set_up(&mut self, (mode, is_tree): Run, leaves: u32) {
        self.write(registers::MODE.address, mode);
        self.write(registers::LEAVES.address, leaves);
        let top = if is_tree { leaves.ilog2() } else { 0 };
        self.write(registers::TOP_LEVEL.address, top);
        let queues = level_table(
            &vec![2; top as usize + 1],
            1,
            NODE_WORDS,
            LeafQueue::InOrder,
        )
        .unwrap();
        for (level, &groups) in (0..).zip(&queues) {
            self.write_queue(level, groups);
        }
    }

    /// The groups of nodes that the queue of a level has room for.
    pub fn write_queue(&mut self, level: u32, groups: u32) {
        let entry = LevelEntry::of_nodes(groups).value();
        self.write(registers::LEVEL_TABLE.at(level), entry);
    }

    pub fn start(&mut self, run: Run, leaves: u32) {
        self.set_up(run, leaves);
        self.write(registers::CONTROL.address, START);
        assert!(!self.chip.refused(), "error {:X?}", self.error());
    }

    pub fn status(&mut self) -> u32 {
        self.read(registers::STATUS.address)
    }

    /// ERROR and ERROR_INFO, which has no more than 32 bits in these tests.
    pub fn error(&mut self) -> (u32, u32) {
        let code = self.read(registers::ERROR.address);
        assert_eq!(self.read(registers::ERROR_INFO_HIGH.address), 0);
        (code, self.read(registers::ERROR_INFO.address))
    }

    /// Runs `cycles` clock cycles with `input`; returns how many words were taken.
    pub fn feed(&mut self, input: &[Word], cycles: u64) -> usize {
        let mut output = Vec::new();
        let taken = self.chip.transfer(input, &mut output, cycles).unwrap();
        assert!(output.is_empty());
        taken
    }

    /// Offers `input` until the last output word comes.
    pub fn finish(&mut self, input: &[Word]) -> Vec<OutputWord> {
        let mut output = Vec::new();
        let taken = self.chip.transfer(input, &mut output, PATIENCE).unwrap();
        assert_eq!(taken, input.len(), "the run did not take its input");
        assert!(
            output.last().is_some_and(|word| word.last),
            "the run did not end"
        );
        assert!(output.iter().rev().skip(1).all(|word| !word.last));
        output
    }

    /// A run on the chip as it is, with the program of [`short_pairs`], must give the right root.
    pub fn check_run(&mut self, random: &mut Random) {
        let input = elements(random, large_field(), 4);
        self.start(HASHES, 2);
        assert_eq!(self.error(), (0, 0));
        assert_eq!(self.status(), BUSY);
        let output = self.finish(&input);
        assert_eq!(output.len(), 1);
        assert_eq!(
            [output[0].data],
            *reference_root(short_pairs(), LeafKind::Hash, &input)
        );
        assert!(!output[0].error);
        assert_eq!(self.status(), DONE);
        assert!(self.chip.interrupt());
        self.clear();
    }

    pub fn clear(&mut self) {
        self.write(registers::CONTROL.address, CLEAR);
        assert!(!self.chip.refused());
        assert_eq!(self.status(), 0);
        assert_eq!(self.error(), (0, 0));
        assert!(!self.chip.interrupt());
    }
}

/// The value of CONSTANT_ADDRESS for both engines; only the root hash engine has empty sub-trees.
pub fn constant_address(sub_engine: u32, bank: u32, index: u32) -> u32 {
    let mask = if sub_engine == 14 { 2 } else { 3 };
    constant_address_of(mask, sub_engine, bank, index)
}

/// The value of CONSTANT_ADDRESS for the engines of `mask`.
pub fn constant_address_of(mask: u32, sub_engine: u32, bank: u32, index: u32) -> u32 {
    registers::CONSTANT_INDEX.with(index)
        | registers::CONSTANT_BANK.with(bank)
        | registers::CONSTANT_ENGINE.with(sub_engine)
        | registers::CONSTANT_ENGINE_MASK.with(mask)
}

/// The value of CONSTANT_ADDRESS for a constant of these engines.
pub fn address_of(mask: u32, constant: &ChipConstant) -> u32 {
    constant_address_of(
        mask,
        constant.sub_engine.into(),
        constant.bank.into(),
        constant.index.into(),
    )
}

/// A chip with the program of `parameters` in it.
pub fn programmed_for(parameters: &AnyParameters, seed: u32) -> ChipDevice<RtlChip> {
    let mut device = rtl_device(seed).unwrap();
    let limits = device.capabilities().limits;
    let program = ChipProgram::compile(parameters, &limits).unwrap();
    Host::of(&mut device).load(&program);
    device
}

/// A chip with the program of [`short_pairs`] in it.
pub fn programmed(seed: u32) -> ChipDevice<RtlChip> {
    programmed_for(short_pairs(), seed)
}

/// A random parameter set with these numbers of rounds.
pub fn set_with_rounds(
    field: FieldId,
    seed: u64,
    width: usize,
    order: RoundOrder,
    full: (usize, usize),
    partial: usize,
) -> AnyParameters {
    let ranges = |rounds: usize| Ranges {
        widths: width..=width,
        orders: vec![order],
        full_rounds: rounds..=rounds,
        partial_rounds: partial..=partial,
        ..Ranges::default()
    };
    let set = random::any_parameters(field, seed, &ranges(full.0.max(full.1))).unwrap();
    with_rounds(&set, full, partial)
}

/// Parameter sets of very different kinds, with few rounds.
pub fn kinds(seed: u64) -> Vec<AnyParameters> {
    let large = large_field();
    let usual = Ranges {
        full_rounds: 1..=2,
        ..Ranges::default()
    };
    let dense = Ranges {
        singular_minor: true,
        ..usual.clone()
    };
    let zero_corner = Ranges {
        zero_corner: true,
        ..usual.clone()
    };
    let adders = Ranges {
        small_integers: true,
        poseidon2: true,
        ..usual.clone()
    };
    let passes = Ranges {
        exponents: vec![11],
        ..usual.clone()
    };
    let rescue = Ranges {
        full_rounds: 2..=2,
        inverse_rounds: InverseRounds::EverySecond,
        ..usual.clone()
    };
    let jive = Ranges {
        compression: Compression::Jive,
        ..usual.clone()
    };
    let set = |field, width: usize, partial: usize, order, ranges: &Ranges| {
        let ranges = Ranges {
            widths: width..=width,
            orders: vec![order],
            partial_rounds: partial..=partial,
            ..ranges.clone()
        };
        random::any_parameters(field, seed, &ranges).unwrap()
    };
    let (first, last) = (RoundOrder::ConstantsFirst, RoundOrder::SboxFirst);
    let mut kinds = vec![
        set(large, 3, 5, first, &usual),
        set(large, 9, 4, last, &usual),
        set(large, 12, 4, first, &usual),
        set(large, 3, 0, last, &usual),
        set(large, 4, 3, first, &dense),
        set(FieldId::Goldilocks, 12, 5, first, &usual),
        set(FieldId::Goldilocks, 16, 4, last, &usual),
        set(FieldId::Goldilocks, 3, 4, last, &usual),
        set(FieldId::Goldilocks, 8, 3, first, &dense),
        set(large, 5, 4, last, &zero_corner),
        set(FieldId::Goldilocks, 6, 5, first, &zero_corner),
        set(FieldId::Goldilocks, 12, 5, first, &adders),
        set(FieldId::Goldilocks, 16, 3, last, &adders),
        set(FieldId::Goldilocks, 5, 3, first, &passes),
        set(FieldId::Goldilocks, 4, 0, last, &rescue),
        set(FieldId::Goldilocks, 8, 3, first, &jive),
    ];
    // Every exponent that the field has.
    for alpha in [3, 5, 7] {
        let ranges = Ranges {
            widths: 2..=7,
            exponents: vec![alpha],
            partial_rounds: 1..=4,
            ..usual.clone()
        };
        kinds.extend(random::any_parameters(large, seed + alpha, &ranges));
    }
    if RUNTIME_MODULUS {
        kinds.extend(
            chip_fields()
                .into_iter()
                .map(|field| set(field, 3, 3, first, &usual)),
        );
    }
    kinds
}

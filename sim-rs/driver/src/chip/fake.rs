//! A chip for tests: it follows the protocol of the registers and streams, computes with the interpreter
//! of programs, and has a fault if that is asked for.

use std::collections::HashMap;
use std::time::Duration;

use acclmt_poseidon::fields::FieldId;
use acclmt_poseidon::word::{self, Word};

use super::{ChipPort, OutputWord, Patience, PortError, RunPlan, leaf_queue};
use crate::checksum::ConstantChecksum;
use crate::level_table;
use crate::program::{
    self, ChipConstant, ChipRegisters, EngineLimits, LevelEntry, NODE_SET, ProgramError, ROW_SET,
    Roles, RowRegisters, check_mix, shared_rows_fit,
};
use crate::registers::{self, SETS};

/// What the chip of a test does wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Nothing.
    None,
    /// `ID` reads as this value.
    Id(u32),
    /// `VERSION` reads as this value.
    Version(u32),
    /// `CAPS_ENGINE` reads as this value.
    Engine(u32),
    /// Nothing is taken after this many words.
    StopsTaking(usize),
    /// The start is refused because of the register at this address.
    RefusesStart(u32),
    /// The start is refused, and nothing else is said.
    RefusesSilently,
    /// Every write of constants is refused, as during a run.
    RefusesConstants,
    /// There is no place for constants.
    HasNoConstants,
    /// A bit of the constant with this number comes as its opposite.
    FlipsConstant(usize),
    /// The word with this index is said to have an element that is not below the prime.
    RefusesWord(usize),
    /// The error code is one that does not exist.
    UnknownCode,
    /// A word more comes out than the run has.
    TooManyWords,
    /// The output ends after this many words.
    EndsEarly(usize),
    /// The output comes before the input was taken.
    IgnoresInput,
    /// The output words are said to be nodes of another level.
    WrongLevel,
    /// Every output word is marked as void.
    VoidOutput,
    /// These 64 bits of the output are all ones: number 0 is the lowest of the first word.
    Ones(usize),
    /// `STATUS.busy` stays after a clear.
    StaysBusy,
    /// A zeroisation is refused.
    RefusesZeroisation,
    /// The first clear is refused, as during a zeroisation.
    RefusesClear,
    /// The connection breaks at the first transfer.
    Disconnects,
    /// Every register reads as all ones once this many words were taken, as on a bus that nothing answers.
    Vanishes(usize),
    /// Nothing is taken, and the chip has a clock of its own: this long is too long for the port.
    StopsFor(Duration),
}

/// How the chip of a test was built.
pub const BUILD: EngineLimits = EngineLimits {
    prime: [0; 32],
    num_engines: 2,
    num_full: 1,
    num_partial: 3,
    matrix_depth: 32,
    constant_depth: 255,
    partial_depth: 128,
    goldilocks: true,
    montgomery_bits: 264,
    runtime_modulus: false,
    store: true,
    adders: true,
    places: 64,
    loop_cycles: 61,
};

/// The protocol of a chip, with the interpreter of programs for its arithmetic. A run computes when
/// its last input word was taken.
pub struct FakeChip {
    /// What it does wrong.
    pub fault: Fault,
    limits: EngineLimits,
    registers: HashMap<u32, u32>,
    /// By engine, sub-engine, bank and index.
    constants: HashMap<(usize, u8, u8, u8), ChipConstant>,
    /// Values of empty sub-trees by level.
    empty: HashMap<u8, Word>,
    /// Constants that were written so far.
    pub constant_writes: usize,
    taken: Vec<Word>,
    results: Option<Vec<Word>>,
    busy: bool,
    start_refused: bool,
    zeroised: bool,
    checksum: ConstantChecksum,
    /// Clears so far.
    pub clears: usize,
    /// What the next run is said to take and give.
    plan: Option<RunPlan>,
    /// Words that come out of this run, by its plan.
    output_words: u64,
}

impl FakeChip {
    /// A chip that is built as `limits` say.
    pub fn new(fault: Fault, limits: EngineLimits) -> Self {
        let engine = registers::CAPS_NUM_FULL.with(limits.num_full as u32)
            | registers::CAPS_NUM_PARTIAL.with(limits.num_partial as u32)
            | registers::CAPS_LANES.with(3)
            | registers::CAPS_LOOP_CYCLES_FULL.with(limits.loop_cycles as u32)
            | registers::CAPS_LOOP_CYCLES_PARTIAL.with(43)
            | registers::CAPS_LOG2_PLACES.with(limits.places.ilog2());
        let mut chip = Self {
            fault,
            limits,
            registers: HashMap::from([
                (registers::ID.address, registers::ID_VALUE),
                (registers::VERSION.address, registers::VERSION_VALUE),
                (registers::CAPS_ENGINE.address, engine),
                (
                    registers::CAPS_DEPTH.address,
                    registers::CAPS_MATRIX_DEPTH.with(limits.matrix_depth as u32)
                        | registers::CAPS_CONSTANT_DEPTH.with(limits.constant_depth as u32)
                        | registers::CAPS_PARTIAL_DEPTH.with(limits.partial_depth as u32)
                        | registers::CAPS_STORE.with(limits.store.into())
                        | registers::CAPS_ADDERS.with(limits.adders.into()),
                ),
                (
                    registers::CAPS_TREE.address,
                    registers::CAPS_MAX_HEIGHT.with(5) | registers::CAPS_LOG2_NODE_WORDS.with(6),
                ),
                (
                    registers::CAPS_FIELD.address,
                    registers::CAPS_GOLDILOCKS.with(limits.goldilocks.into())
                        | registers::CAPS_RUNTIME_MODULUS.with(limits.runtime_modulus.into())
                        | registers::CAPS_MONTGOMERY_BITS.with(limits.montgomery_bits),
                ),
                (
                    registers::CAPS_POOL.address,
                    registers::CAPS_NUM_ENGINES.with(limits.num_engines as u32),
                ),
            ]),
            constants: HashMap::new(),
            empty: HashMap::new(),
            constant_writes: 0,
            taken: Vec::new(),
            results: None,
            busy: false,
            start_refused: false,
            zeroised: false,
            checksum: ConstantChecksum::default(),
            clears: 0,
            plan: None,
            output_words: 0,
        };
        chip.set_word(&registers::PRIME, &limits.prime);
        match fault {
            Fault::Id(value) => chip.registers.insert(registers::ID.address, value),
            Fault::Version(value) => chip.registers.insert(registers::VERSION.address, value),
            Fault::Engine(value) => chip.registers.insert(registers::CAPS_ENGINE.address, value),
            _ => None,
        };
        chip
    }

    /// Resets it, as a board does that is configured anew: nothing of what was loaded is left.
    pub fn reset(&mut self) {
        self.forget();
        self.registers.insert(registers::ERROR.address, 0);
        self.start_refused = false;
        self.busy = false;
        self.zeroised = false;
        self.plan = None;
    }

    fn forget(&mut self) {
        self.constants.clear();
        self.empty.clear();
        self.checksum = ConstantChecksum::default();
        self.taken.clear();
        self.results = None;
        for register in registers::REGISTERS {
            if register.access == registers::Access::ReadWrite {
                for position in 0..register.count {
                    self.registers.remove(&register.at(position));
                }
            }
        }
        let prime = self.limits.prime;
        self.set_word(&registers::PRIME, &prime);
    }

    fn set_word(&mut self, register: &registers::Register, word: &Word) {
        for (position, bytes) in (0..).zip(word.as_chunks::<4>().0) {
            let value = u32::from_le_bytes(*bytes);
            self.registers.insert(register.at(position), value);
        }
    }

    fn get(&self, register: &registers::Register) -> u32 {
        self.get_at(register, 0)
    }

    fn get_at(&self, register: &registers::Register, position: u32) -> u32 {
        self.at(register.at(position))
    }

    fn get_word(&self, register: &registers::Register) -> Word {
        let mut word = Word::default();
        for (position, bytes) in (0..).zip(word.as_chunks_mut::<4>().0) {
            *bytes = self.get_at(register, position).to_le_bytes();
        }
        word
    }

    fn at(&self, address: u32) -> u32 {
        self.registers.get(&address).copied().unwrap_or(0)
    }

    /// The registers of a parameter set.
    fn chip_registers(&self, set: usize) -> ChipRegisters {
        ChipRegisters::read(SETS[set], |address| self.at(address))
    }

    /// The parameter set of a level, and its registers.
    fn level_set(&self, level: u32) -> usize {
        LevelEntry::read(self.get_at(&registers::LEVEL_TABLE, level)).set
    }

    fn level_registers(&self, level: u32) -> ChipRegisters {
        self.chip_registers(self.level_set(level))
    }

    fn roles(&self) -> Roles {
        Roles::read(self.get(&registers::ROLES))
    }

    /// Whether `ROLES` are legal.
    fn roles_are_legal(&self) -> bool {
        let roles = self.roles();
        let all = (1_u32 << self.limits.num_engines) - 1;
        let is_tree = self.get(&registers::TOP_LEVEL) != 0;
        let hashes = self.hashes_leaves();
        let exist = [roles.rows, roles.nodes].map(|mask| u32::from(mask) & !all == 0);
        if exist != [true; 2] || hashes && roles.rows == 0 || is_tree && roles.nodes == 0 {
            return false;
        }
        if !is_tree || !hashes || !roles.reserve_leaves() {
            return true;
        }
        let [rows, nodes] = [ROW_SET, NODE_SET].map(|set| self.chip_registers(set));
        let mixes = check_mix(&rows, &nodes).is_ok();
        // Nodes leave room for rows that wait for words.
        let leaves_room = self.row_registers().blocks == 1 || roles.node_limit != 0;
        !roles.are_shared() || mixes && leaves_room
    }

    fn row_registers(&self) -> RowRegisters {
        RowRegisters::read(|address| self.at(address))
    }

    fn report(&mut self, error: registers::ErrorCode, info: u32) {
        if self.get(&registers::ERROR) == 0 {
            self.registers.insert(registers::ERROR.address, error.code);
            self.registers.insert(registers::ERROR_INFO.address, info);
        }
    }

    fn start(&mut self) {
        self.taken.clear();
        self.results = None;
        if let Fault::RefusesStart(address) = self.fault {
            self.report(registers::ERROR_ILLEGAL_CONFIGURATION, address);
            return;
        }
        if self.fault == Fault::RefusesSilently {
            self.start_refused = true;
            return;
        }
        if !self.roles_are_legal() {
            self.report(
                registers::ERROR_ILLEGAL_CONFIGURATION,
                registers::ROLES.address,
            );
            return;
        }
        let registers = self.chip_registers(ROW_SET);
        if let Err(ProgramError::IllegalRegister { address, .. }) = registers.check(&self.limits) {
            self.report(registers::ERROR_ILLEGAL_CONFIGURATION, address);
            return;
        }
        let rows = self.row_registers();
        let row_engines = self.roles().rows.count_ones();
        let most_rows = registers.most_rows(&self.limits) as u32 * row_engines;
        let is_even = rows.blocks == 1 || rows.group.is_multiple_of(row_engines);
        let is_shared = self.get(&registers::TOP_LEVEL) != 0 && self.roles().are_shared();
        if self.hashes_leaves() && is_shared && rows.blocks > 1 {
            let nodes = self.chip_registers(NODE_SET);
            let (roles, limits) = (self.roles(), &self.limits);
            let beats = nodes.shape().beats();
            let fits = shared_rows_fit(&registers, beats, rows.group, roles, limits);
            assert!(fits, "{} rows leave no room for nodes", rows.group);
            let places = self.get_at(&registers::LEVEL_TABLE, 0) * nodes.arity;
            assert!(places >= rows.group + nodes.arity - 1, "{places} places");
        }
        if self.hashes_leaves() && !((1..=most_rows).contains(&rows.group) && is_even) {
            self.report(
                registers::ERROR_ILLEGAL_CONFIGURATION,
                registers::ROW_GROUP.address,
            );
            return;
        }
        let top = self.get(&registers::TOP_LEVEL);
        if top > 0 {
            let sets: Vec<_> = (0..=top).map(|level| self.level_registers(level)).collect();
            for registers in &sets {
                if let Err(error) = registers.check(&self.limits) {
                    panic!("{error}");
                }
                assert!(
                    registers.arity >= 2 && registers.digest_words == 1,
                    "no tree"
                );
            }
            for pair in sets.windows(2) {
                assert_eq!(check_mix(&pair[0], &pair[1]), Ok(()));
            }
            assert!(top <= registers::CAPS_MAX_HEIGHT.get(self.get(&registers::CAPS_TREE)));
            let table: Vec<_> = (0..=top)
                .map(|level| self.get_at(&registers::LEVEL_TABLE, level))
                .map(|entry| registers::LEVEL_GROUPS.get(entry))
                .collect();
            let words = 1 << registers::CAPS_LOG2_NODE_WORDS.get(self.get(&registers::CAPS_TREE));
            let arities: Vec<_> = sets
                .iter()
                .map(|registers| registers.arity as usize)
                .collect();
            let leaves = u64::from(self.get(&registers::LEAVES));
            let below = &arities[..top as usize];
            let nodes = below
                .iter()
                .fold(leaves, |nodes, &arity| nodes.div_ceil(arity as u64));
            let leaf_queue = leaf_queue(self.hashes_leaves(), self.roles());
            let expected = level_table::level_table(&arities, nodes, words, leaf_queue);
            assert_eq!(Ok(table), expected);
        }
        let plan = self
            .plan
            .take()
            .expect("a run is announced before its start");
        assert_eq!(plan.input_words, self.input_words() as u64);
        self.output_words = plan.output_words;
        self.busy = true;
    }

    /// Whether the run puts out the digests of its leaves, and folds no tree.
    pub fn digests(&self) -> bool {
        self.get(&registers::TOP_LEVEL) == 0
    }

    fn hashes_leaves(&self) -> bool {
        registers::MODE_LEAF_KIND.is_set(self.get(&registers::MODE))
    }

    /// Input words of a leaf.
    fn leaf_words(&self) -> usize {
        let rows = self.row_registers();
        if self.hashes_leaves() {
            let block = self.chip_registers(0).arity;
            ((rows.blocks - 1) * block + rows.last_words) as usize
        } else {
            1
        }
    }

    /// Input words of the run.
    fn input_words(&self) -> usize {
        let high = u64::from(self.get(&registers::LEAVES_HIGH)) << 32;
        let leaves = high | u64::from(self.get(&registers::LEAVES));
        leaves as usize * self.leaf_words()
    }

    fn field(&self) -> FieldId {
        if self.get(&registers::FIELD) == program::GOLDILOCKS {
            return FieldId::Goldilocks;
        }
        let prime = self.get_word(&registers::PRIME);
        let field = FieldId::from_prime(&prime).expect("the prime is that of one of the fields");
        if self.limits.runtime_modulus {
            let radix_squared = self.get_word(&registers::RADIX_SQUARED);
            assert_ne!(radix_squared, Word::default(), "R^2 was not loaded");
        }
        field
    }

    /// The constants that it holds.
    pub fn constants(&self) -> &HashMap<(usize, u8, u8, u8), ChipConstant> {
        &self.constants
    }

    /// The constants that a hash engine has of a parameter set whose coefficients on partial-round sub-engines begin there.
    fn constants_of(&self, engine: usize, set: usize, base: u32) -> Vec<ChipConstant> {
        let of_engine = self.constants.iter().filter(|((of, ..), _)| *of == engine);
        of_engine
            .filter_map(|(_, constant)| constant.of_set(set, base))
            .collect()
    }

    /// The results of `compute` with the constants of each hash engine of the mask, which are the same.
    fn on_each<T: PartialEq + std::fmt::Debug>(
        &self,
        engines: u8,
        set: usize,
        compute: impl Fn(&[ChipConstant]) -> T,
    ) -> T {
        let base = self.chip_registers(set).partial_base;
        let mut results = (0..registers::MAX_ENGINES)
            .filter(|engine| engines >> engine & 1 == 1)
            .map(|engine| compute(&self.constants_of(engine, set, base)));
        let first = results.next().expect("a run has an engine for its hashes");
        for other in results {
            assert_eq!(first, other, "the engines were loaded differently");
        }
        first
    }

    /// The words that come out, with level and index.
    fn compute(&self) -> Result<Vec<(Word, u32, u32)>, ProgramError> {
        let (field, limits) = (self.field(), &self.limits);
        let mut level = if self.hashes_leaves() {
            self.on_each(self.roles().rows, ROW_SET, |constants| {
                program::evaluate_rows(
                    field,
                    &self.chip_registers(ROW_SET),
                    &self.row_registers(),
                    constants,
                    ROW_SET,
                    limits,
                    &self.taken,
                    self.get(&registers::LEAVES) as usize,
                )
            })?
        } else {
            self.taken.clone()
        };
        let top = self.get(&registers::TOP_LEVEL);
        let emit = self.get(&registers::EMIT_LEVELS);
        if top == 0 {
            let words = self.chip_registers(0).digest_words;
            let nodes = (0..).zip(level);
            return Ok(nodes
                .map(|(index, word)| (word, 0, index / words))
                .collect());
        }
        let mut output = Vec::new();
        for number in 0..=top {
            if number == top || emit >> number & 1 == 1 {
                output.extend(
                    (0..)
                        .zip(&level)
                        .map(|(index, word)| (*word, number, index)),
                );
            }
            if number < top {
                let registers = self.level_registers(number);
                let arity = registers.arity as usize;
                let whole = level.len().next_multiple_of(arity);
                if level.len() < whole {
                    assert!(registers::MODE_PAD.is_set(self.get(&registers::MODE)));
                    let value = program::plain_word(field, limits, &self.empty[&(number as u8)]);
                    level.resize(whole, value);
                }
                let set = self.level_set(number);
                level = self.on_each(self.roles().nodes, set, |constants| {
                    program::evaluate(field, &registers, constants, set, limits, &level)
                })?;
            }
        }
        Ok(output)
    }
}

/// Little-endian bytes as a word.
fn padded(bytes: &[u8]) -> Word {
    let mut word = Word::default();
    word[..bytes.len()].copy_from_slice(bytes);
    word
}

impl ChipPort for FakeChip {
    fn name(&self) -> &str {
        "fake"
    }

    fn write_register(&mut self, address: u32, value: u32) -> Result<(), PortError> {
        if address == registers::CONTROL.address {
            if registers::CONTROL_ZEROISE.is_set(value) {
                if self.fault == Fault::RefusesZeroisation || self.busy {
                    self.report(registers::ERROR_COMMAND_WHILE_BUSY, value);
                    return Ok(());
                }
                self.forget();
                self.zeroised = true;
            }
            if registers::CONTROL_CLEAR.is_set(value) {
                self.clears += 1;
                if self.fault == Fault::RefusesClear && self.clears == 1 {
                    self.report(registers::ERROR_COMMAND_WHILE_BUSY, value);
                    return Ok(());
                }
                self.registers.insert(registers::ERROR.address, 0);
                self.start_refused = false;
                self.busy = self.fault == Fault::StaysBusy;
            }
            if registers::CONTROL_START.is_set(value) {
                self.start();
            }
            return Ok(());
        }
        self.zeroised = false;
        let value = if self.fault == Fault::FlipsConstant(self.constant_writes)
            && address == registers::CONSTANT_DATA.at(3)
        {
            value ^ 0x100
        } else {
            value
        };
        if address == registers::CONSTANT_ADDRESS.address {
            self.constant_writes += 1;
            match self.fault {
                Fault::RefusesConstants => {
                    self.report(registers::ERROR_WRITE_WHILE_RUNNING, address);
                }
                Fault::HasNoConstants => {
                    self.report(registers::ERROR_ILLEGAL_CONSTANT_ADDRESS, value);
                }
                _ => {
                    let constant = ChipConstant {
                        engine_mask: registers::CONSTANT_ENGINE_MASK.get(value) as u8,
                        sub_engine: registers::CONSTANT_ENGINE.get(value) as u8,
                        bank: registers::CONSTANT_BANK.get(value) as u8,
                        index: registers::CONSTANT_INDEX.get(value) as u8,
                        word: self.get_word(&registers::CONSTANT_DATA),
                    };
                    let all = (1_u32 << self.limits.num_engines) - 1;
                    let mask = u32::from(constant.engine_mask);
                    if mask == 0 || mask & !all != 0 {
                        self.report(registers::ERROR_ILLEGAL_CONSTANT_ADDRESS, value);
                        return Ok(());
                    }
                    self.checksum.write(address, value);
                    if constant.sub_engine == program::EMPTY_SUB_TREES {
                        self.empty.insert(constant.index, constant.word);
                        return Ok(());
                    }
                    for engine in 0..self.limits.num_engines {
                        let ChipConstant {
                            sub_engine,
                            bank,
                            index,
                            engine_mask,
                            ..
                        } = constant;
                        let place = (engine, sub_engine, bank, index);
                        if engine_mask >> engine & 1 == 1 {
                            self.constants.insert(place, constant);
                        }
                    }
                }
            }
            return Ok(());
        }
        let known = registers::REGISTERS.iter().find(|r| r.contains(address));
        let access = known.map(|register| register.access);
        let runtime = registers::RADIX_SQUARED.contains(address);
        match access {
            Some(registers::Access::ReadWrite) if !runtime || self.limits.runtime_modulus => {}
            Some(registers::Access::ReadWriteRuntime) if self.limits.runtime_modulus => {}
            _ => {
                self.report(registers::ERROR_UNKNOWN_REGISTER, address);
                return Ok(());
            }
        }
        self.checksum.write(address, value);
        self.registers.insert(address, value);
        Ok(())
    }

    fn read_register(&mut self, address: u32) -> Result<u32, PortError> {
        if let Fault::Vanishes(after) = self.fault
            && self.taken.len() >= after
        {
            return Ok(u32::MAX);
        }
        if address == registers::STATUS.address {
            let error = self.get(&registers::ERROR) != 0;
            return Ok(registers::STATUS_BUSY.with(u32::from(self.busy))
                | registers::STATUS_START_REFUSED.with(self.start_refused.into())
                | registers::STATUS_ZEROISED.with(self.zeroised.into())
                | registers::STATUS_ERROR.with(u32::from(error)));
        }
        if address == registers::CONSTANT_CHECKSUM.address {
            return Ok(self.checksum.value());
        }
        if address == registers::LEAF_HASHES.address {
            return Ok((self.taken.len() / self.leaf_words()) as u32);
        }
        if address == registers::LEAF_BUSY_FULL_LAST.address {
            return Ok(7);
        }
        if address == registers::CYCLES.address {
            return Ok(1000);
        }
        if address == registers::CYCLE_LAST_OUT.address {
            return Ok(999);
        }
        Ok(self.registers.get(&address).copied().unwrap_or(0))
    }

    fn begin_run(&mut self, plan: &RunPlan) -> Result<(), PortError> {
        self.plan = Some(*plan);
        Ok(())
    }

    fn patience(&self, cycles: u64) -> Patience {
        match self.fault {
            Fault::StopsFor(time) => Patience::Time(time),
            _ => Patience::Cycles(cycles),
        }
    }

    fn transfer(
        &mut self,
        input: &[Word],
        output: &mut Vec<OutputWord>,
        cycles: u64,
    ) -> Result<usize, PortError> {
        if self.fault == Fault::Disconnects && self.busy {
            return Err(PortError::new("the cable was pulled"));
        }
        if !self.busy || self.fault == Fault::StaysBusy {
            return Ok(0);
        }
        let mut room = self.input_words() - self.taken.len();
        if let Fault::StopsTaking(after) = self.fault {
            room = after.saturating_sub(self.taken.len());
        }
        if let Fault::StopsFor(_) = self.fault {
            std::thread::sleep(Duration::from_millis(1));
            room = 0;
        }
        let count = input.len().min(cycles as usize).min(room);
        self.taken.extend(&input[..count]);
        match self.fault {
            Fault::RefusesWord(index) if self.taken.len() > index => {
                self.report(registers::ERROR_ELEMENT_NOT_BELOW_PRIME, index as u32);
            }
            Fault::UnknownCode => {
                let code = registers::ErrorCode {
                    code: 99,
                    ..registers::ERROR_NONE
                };
                self.report(code, 7);
            }
            _ => {}
        }
        let void = vec![(Word::default(), self.get(&registers::TOP_LEVEL), 0)];
        let results = if self.taken.len() == self.input_words() {
            match self.compute() {
                Ok(results) => {
                    assert_eq!(results.len() as u64, self.output_words);
                    results
                }
                Err(ProgramError::InputNotBelowPrime { word }) => {
                    // In Goldilocks mode a word has four elements of eight bytes.
                    let prime = FieldId::Goldilocks.prime();
                    let is_good = |bytes: &&[u8]| word::is_below(&padded(bytes), &prime);
                    let index = if self.get(&registers::FIELD) == program::GOLDILOCKS {
                        let slices = self.taken[word].chunks(8);
                        4 * word + slices.take_while(is_good).count()
                    } else {
                        word
                    };
                    self.report(registers::ERROR_ELEMENT_NOT_BELOW_PRIME, index as u32);
                    void
                }
                Err(error) => panic!("{error}"),
            }
        } else if self.fault == Fault::IgnoresInput {
            let count = self.get(&registers::LEAVES);
            (0..count)
                .map(|index| (Word::default(), 0, index))
                .collect()
        } else {
            return Ok(count);
        };
        let words_out = match self.fault {
            Fault::TooManyWords => results.len() + 1,
            Fault::EndsEarly(after) => after,
            _ => results.len(),
        };
        for number in 0..words_out {
            let (mut data, level, index) = results[number % results.len()];
            if let Fault::Ones(place) = self.fault
                && place / 4 == number
            {
                data[8 * (place % 4)..][..8].fill(0xFF);
            }
            output.push(OutputWord {
                data,
                level: level + u32::from(self.fault == Fault::WrongLevel),
                index,
                last: number + 1 == words_out && self.fault != Fault::TooManyWords,
                error: self.fault == Fault::VoidOutput,
            });
        }
        self.busy = false;
        Ok(count)
    }
}

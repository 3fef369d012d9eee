//! The model chip with its arithmetic: what it puts out is what it computes from its registers, its constants
//! and its input, and not from a parameter set.

use std::collections::{HashMap, VecDeque};

use crate::chip::{Hardware, HardwareError, ModelChip};
use acclmt_driver::chip::{ChipPort, OutputWord, Patience, PortError, RunPlan};
use acclmt_driver::program::{
    self, ChipConstant, ChipRegisters, EMPTY_SUB_TREES, GOLDILOCKS, LevelEntry, ProgramError,
    ROW_SET, Roles, RowRegisters,
};
use acclmt_driver::registers::{self, Register, SETS};
use acclmt_driver::timeline::Timeline;
use acclmt_poseidon::fields::FieldId;
use acclmt_poseidon::word::Word;

/// Engine, sub-engine, bank and index of a constant.
type Place = (usize, u8, u8, u8);

/// A chip that can be used in place of the RTL: the cycles of [`ModelChip`], and the results of the interpreter
/// of programs ([`program::evaluate()`]).
///
/// A constant that was never written is 0. A prime that is none of [`FieldId`], constants that are not
/// below the prime, and programs that no parameter set has, are errors of the port.
pub struct ComputingChip {
    chip: ModelChip,
    constants: HashMap<Place, ChipConstant>,
    /// The values of empty sub-trees of the tree, by level.
    empty_sub_trees: HashMap<u8, Word>,
    run: Option<Run>,
}

/// A run, as far as its words are known.
struct Run {
    field: FieldId,
    /// The leaf hash engine, if it hashes.
    leaf: Option<(ChipRegisters, RowRegisters)>,
    /// Engines that hash rows and nodes: all have the same constants, as the driver loads them.
    row_engine: usize,
    node_engine: usize,
    pad: bool,
    emit: u32,
    /// Leaves, and those of them that are hashed.
    leaves: u64,
    hashed: u64,
    /// Words of leaves that are not hashed.
    input: Vec<Word>,
    /// From the leaves to the top.
    levels: Vec<Level>,
    /// A word was not below the prime: from now on nothing is computed.
    is_void: bool,
}

/// The nodes of a level.
#[derive(Default)]
struct Level {
    /// The parameter set with which they are hashed.
    set: usize,
    registers: Option<ChipRegisters>,
    /// Nodes of the level, and those of them that are known.
    nodes: u64,
    known: u64,
    /// Nodes without a parent.
    waiting: Vec<Word>,
    /// Words that have yet to come out.
    output: VecDeque<Word>,
}

impl Level {
    /// Nodes that are hashed together.
    fn arity(&self) -> usize {
        let arity = self.registers.map_or(1, |registers| registers.arity);
        (arity as usize).max(1)
    }
}

impl ComputingChip {
    /// A chip after its reset.
    ///
    /// # Errors
    ///
    /// When no chip can be built like this.
    pub fn new(hardware: Hardware) -> Result<Self, HardwareError> {
        Ok(Self {
            chip: ModelChip::new(hardware)?,
            constants: HashMap::new(),
            empty_sub_trees: HashMap::new(),
            run: None,
        })
    }

    /// The model of its cycles.
    pub fn model(&mut self) -> &mut ModelChip {
        &mut self.chip
    }

    fn begin(&self) -> Result<Run, PortError> {
        let get = |address| self.chip.at(address);
        let value = |register: &Register| get(register.address);
        let sets = SETS.map(|set| ChipRegisters::read(set, get));
        let leaf = sets[ROW_SET];
        let roles = Roles::read(value(&registers::ROLES));
        // Where there is none nothing is hashed.
        let first = |engines: u8| engines.trailing_zeros() as usize;
        let mode = value(&registers::MODE);
        let hashes = registers::MODE_LEAF_KIND.is_set(mode);
        let leaves = self.chip.leaves();
        let mut nodes = leaves;
        let levels = (0..=value(&registers::TOP_LEVEL)).map(|number| {
            let set = LevelEntry::read(get(registers::LEVEL_TABLE.at(number))).set;
            let level = Level {
                set,
                registers: sets.get(set).copied(),
                nodes,
                ..Level::default()
            };
            nodes = nodes.div_ceil(level.arity() as u64);
            level
        });
        Ok(Run {
            field: self.field()?,
            leaf: hashes.then(|| (leaf, RowRegisters::read(get))),
            levels: levels.collect(),
            row_engine: first(roles.rows),
            node_engine: first(roles.nodes),
            pad: registers::MODE_PAD.is_set(mode),
            emit: value(&registers::EMIT_LEVELS),
            leaves,
            hashed: 0,
            input: Vec::new(),
            is_void: false,
        })
    }

    fn field(&self) -> Result<FieldId, PortError> {
        if self.chip.at(registers::FIELD.address) == GOLDILOCKS {
            return Ok(FieldId::Goldilocks);
        }
        FieldId::from_prime(&self.chip.word(&registers::PRIME)).ok_or_else(|| {
            PortError::new(
                "the model computes with the primes of its fields alone, and PRIME is none of them; set one of \
                 `acclmt presets`",
            )
        })
    }

    /// Calls `evaluate` with the constants that an engine has of a set, until none is missing.
    fn evaluate<T>(
        constants: &HashMap<Place, ChipConstant>,
        engine: usize,
        set: usize,
        partial_base: u32,
        evaluate: impl Fn(&[ChipConstant]) -> Result<T, ProgramError>,
    ) -> Result<T, PortError> {
        let of_engine = constants.iter().filter(|((of, ..), _)| *of == engine);
        let mut list: Vec<_> = of_engine
            .filter_map(|(_, constant)| constant.of_set(set, partial_base))
            .collect();
        loop {
            match evaluate(&list) {
                Err(ProgramError::MissingConstant {
                    sub_engine,
                    bank,
                    index,
                }) => {
                    list.push(ChipConstant {
                        engine_mask: 1 << engine,
                        sub_engine,
                        bank,
                        index: index as u8,
                        word: Word::default(),
                    });
                }
                result => {
                    return result.map_err(|error| {
                        PortError::new(format!("the model cannot compute: {error}"))
                    });
                }
            }
        }
    }

    /// Computes what can be computed from the words that were taken.
    fn compute(&mut self) -> Result<(), PortError> {
        let limits = self.chip.hardware().limits();
        let Some(run) = &mut self.run else {
            return Ok(());
        };
        if run.is_void {
            return Ok(());
        }
        let field = run.field;
        let digests = match &run.leaf {
            None => std::mem::take(&mut run.input),
            Some((leaf, rows)) => {
                let row_words =
                    (rows.blocks as usize - 1) * leaf.arity as usize + rows.last_words as usize;
                let left = (run.leaves - run.hashed) as usize;
                let mut count = (run.input.len() / row_words).min(left);
                if count < left {
                    count -= count % rows.group as usize;
                }
                let words: Vec<Word> = run.input.drain(..count * row_words).collect();
                run.hashed += count as u64;
                if count == 0 {
                    Vec::new()
                } else {
                    Self::evaluate(
                        &self.constants,
                        run.row_engine,
                        ROW_SET,
                        leaf.partial_base,
                        |constants| {
                            program::evaluate_rows(
                                field, leaf, rows, constants, ROW_SET, &limits, &words, count,
                            )
                        },
                    )?
                }
            }
        };
        let top = run.levels.len() - 1;
        let mut nodes = digests;
        for number in 0..=top {
            let level = &mut run.levels[number];
            level.known += nodes.len() as u64;
            if number == top || run.emit >> number & 1 == 1 {
                level.output.extend(&nodes);
            }
            if number == top {
                break;
            }
            level.waiting.extend(nodes);
            let arity = level.arity();
            if level.known == level.nodes && run.pad {
                let empty = (self.empty_sub_trees.get(&(number as u8)))
                    .map_or_else(Word::default, |word| {
                        program::plain_word(field, &limits, word)
                    });
                let whole = level.waiting.len().next_multiple_of(arity);
                level.waiting.resize(whole, empty);
            }
            let whole = level.waiting.len() / arity * arity;
            let words: Vec<Word> = level.waiting.drain(..whole).collect();
            // The chip has refused a level without a parameter set.
            nodes = match level.registers.filter(|_| !words.is_empty()) {
                None => Vec::new(),
                Some(registers) => Self::evaluate(
                    &self.constants,
                    run.node_engine,
                    level.set,
                    registers.partial_base,
                    |constants| {
                        let set = level.set;
                        program::evaluate(field, &registers, constants, set, &limits, &words)
                    },
                )?,
            };
        }
        Ok(())
    }
}

impl ChipPort for ComputingChip {
    fn name(&self) -> &str {
        self.chip.name()
    }

    fn write_register(&mut self, address: u32, value: u32) -> Result<(), PortError> {
        self.chip.write_register(address, value)?;
        if let Some((value, word)) = self.chip.take_constant() {
            let constant = ChipConstant {
                engine_mask: registers::CONSTANT_ENGINE_MASK.get(value) as u8,
                sub_engine: registers::CONSTANT_ENGINE.get(value) as u8,
                bank: registers::CONSTANT_BANK.get(value) as u8,
                index: registers::CONSTANT_INDEX.get(value) as u8,
                word,
            };
            if constant.sub_engine == EMPTY_SUB_TREES {
                self.empty_sub_trees.insert(constant.index, constant.word);
            }
            for engine in
                (0..registers::MAX_ENGINES).filter(|it| constant.engine_mask >> it & 1 == 1)
            {
                let place = (engine, constant.sub_engine, constant.bank, constant.index);
                self.constants.insert(place, constant);
            }
        }
        if address == registers::CONTROL.address {
            if self.chip.is_zeroising() {
                self.constants.clear();
                self.empty_sub_trees.clear();
                self.run = None;
            } else if !self.chip.is_running() {
                self.run = None;
            } else if value == registers::CONTROL_START.with(1) && !self.chip.is_refused() {
                self.run = Some(self.begin()?);
            }
        }
        Ok(())
    }

    fn read_register(&mut self, address: u32) -> Result<u32, PortError> {
        self.chip.read_register(address)
    }

    fn begin_run(&mut self, plan: &RunPlan) -> Result<(), PortError> {
        self.chip.begin_run(plan)
    }

    fn transfer(
        &mut self,
        input: &[Word],
        output: &mut Vec<OutputWord>,
        cycles: u64,
    ) -> Result<usize, PortError> {
        let first = output.len();
        let taken = self.chip.transfer(input, output, cycles)?;
        if let Some(run) = &mut self.run {
            run.is_void |= self.chip.next_bad(&input[..taken], 0).is_some();
            run.input.extend(&input[..taken]);
        }
        self.compute()?;
        let Some(run) = &mut self.run else {
            return Ok(taken);
        };
        for word in &mut output[first..] {
            let level = run.levels.get_mut(word.level as usize);
            match level.and_then(|level| level.output.pop_front()) {
                Some(data) => word.data = data,
                None if run.is_void || word.error => {}
                None => {
                    return Err(PortError::new(format!(
                        "the model put out node {} of level {} before it knows its value",
                        word.index, word.level
                    )));
                }
            }
        }
        Ok(taken)
    }

    fn patience(&self, cycles: u64) -> Patience {
        self.chip.patience(cycles)
    }

    fn record_timeline(&mut self, on: bool) -> bool {
        self.chip.record_timeline(on)
    }

    fn take_timeline(&mut self, ended: bool) -> Option<Timeline> {
        self.chip.take_timeline(ended)
    }
}

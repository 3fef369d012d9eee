//! The compiler from a parameter set to registers and constants.

use std::collections::HashSet;

use ark_ff::PrimeField;

use super::adders::{ADDER_BANK, DENSE_BANK, DENSE_OF_VISIT, SmallMatrix};
use super::beside;
use super::chain::{Link, chain};
use super::error::ProgramError;
use super::evaluate::evaluate;
use super::limits::{EngineLimits, MAX_DEPTH, engine_multipliers};
use super::pass_table::{PASS_BANK, PassEntry, Store};
use super::passes::{Matrix, Pass, SBoxes, passes, tables};
use super::registers::{
    BOTH_ENGINES, ChipConstant, ChipRegisters, GOLDILOCKS, INITIAL_VECTOR, LARGE_PRIME,
    LATER_VECTOR_INDEX, ODD_BANK, PARTIAL_CONSTANT_BANK, PARTIAL_OUTPUT_BANK, RuntimeModulus,
    VECTOR_BANK, encode, recurrence,
};
use super::shape::{
    FIRST_FULL, LANES, Rounds, SECOND_FULL, SUB_ENGINES, Segments, Shape, Work, beats_up_to,
    in_word, most_words, widest,
};
use super::words::{from_slices, montgomery_radix, slices};
use acclmt_poseidon::absorb::initial_state;
use acclmt_poseidon::fields::{AnyParameters, FieldId, PoseidonField};
use acclmt_poseidon::normal_form::InternalOrder;
use acclmt_poseidon::params::{InverseRounds, PoseidonParameters};
use acclmt_poseidon::recurrence::{self, RecurrenceError, RecurrentRound, RecurrentRounds};
use acclmt_poseidon::sponge::{Absorption, Sponge};
use acclmt_poseidon::word::{self, Word};
use acclmt_poseidon::{dispatch, with_field};

/// Most rounds of a recurrence with sums that stay in their places, which have room for so many products.
const MOST_ROUNDS_OF_STAYING_SUMS: usize = 128;

/// What the chip is told of an exponent that takes several passes, all of which have slots of one kind.
const SEVERAL_PASSES: u64 = 5;

/// What a program takes in and gives out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose<'a> {
    /// Inputs of a hash, and digests.
    Hash,
    /// Whole states.
    Permutation,
    /// Blocks of rows of `length` elements, and digests.
    Rows { sponge: &'a Sponge, length: usize },
}

impl Purpose<'_> {
    /// Whether the digest of a block goes on beside the next one.
    fn is_chained(self) -> bool {
        match self {
            Self::Rows { sponge, length } => sponge.chains_digest(length),
            Self::Hash | Self::Permutation => false,
        }
    }
}

/// A parameter set compiled for a chip.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChipProgram {
    /// The register values.
    pub registers: ChipRegisters,
    /// What is written to `PRIME` and `RADIX_SQUARED`, for a large prime on a chip with a run-time
    /// modulus.
    pub modulus: Option<RuntimeModulus>,
    /// The constants, in the order of loading.
    pub constants: Vec<ChipConstant>,
    pub(super) field: FieldId,
    pub(super) shape: Shape,
    pub(super) work: Work,
    pub(super) segments: Segments,
    pub(super) limits: EngineLimits,
    /// Where the elements of the state are.
    pub(super) order: InternalOrder,
    pub(super) notes: Vec<String>,
    /// Field elements that the program takes, and how many of them are in a stream word.
    pub(super) inputs: usize,
    pub(super) inputs_in_word: usize,
    /// Field elements that the program gives.
    pub(super) outputs: usize,
}

impl ChipProgram {
    /// Compiles `parameters` for hashes on a chip with `limits`, with the segments that give the
    /// fewest cycles per hash.
    ///
    /// # Errors
    ///
    /// When the chip cannot compute with `parameters`.
    pub fn compile(
        parameters: &AnyParameters,
        limits: &EngineLimits,
    ) -> Result<Self, ProgramError> {
        dispatch!(parameters, parameters => {
            Self::build(parameters, limits, Purpose::Hash, None)
        })
    }

    /// Compiles the permutation of `parameters`: the program takes whole states, to which no
    /// initial state is added, and gives whole states.
    ///
    /// # Errors
    ///
    /// When the chip cannot compute with `parameters`.
    pub fn compile_permutation(
        parameters: &AnyParameters,
        limits: &EngineLimits,
    ) -> Result<Self, ProgramError> {
        dispatch!(parameters, parameters => {
            Self::build(parameters, limits, Purpose::Permutation, None)
        })
    }

    /// As [`ChipProgram::compile`] with `segments`, which need not be the best.
    ///
    /// # Errors
    ///
    /// When the chip cannot compute with `parameters`, or not with these segments.
    pub fn compile_segments(
        parameters: &AnyParameters,
        limits: &EngineLimits,
        segments: &Segments,
    ) -> Result<Self, ProgramError> {
        dispatch!(parameters, parameters => {
            Self::build(parameters, limits, Purpose::Hash, Some(*segments))
        })
    }

    pub(super) fn build<F: PoseidonField>(
        parameters: &PoseidonParameters<F>,
        limits: &EngineLimits,
        purpose: Purpose<'_>,
        segments: Option<Segments>,
    ) -> Result<Self, ProgramError> {
        let name = parameters.name();
        let field = check_field(parameters, limits)?;
        check_width(name, parameters.width(), field)?;
        // What is added to the digest behind the permutation.
        let sums = match purpose {
            Purpose::Hash => parameters.digest_sums().unwrap_or_default(),
            Purpose::Permutation | Purpose::Rows { .. } => Vec::new(),
        };
        let beside = sums.len();
        check_beside(name, parameters.width(), beside, field)?;
        let first_layer = parameters.first_layer() || beside > 0;
        let order = order(parameters, field, purpose);
        let s_boxes = s_boxes(parameters, limits)?;
        let [even, odd] = &s_boxes.chains;
        let takes_several = even.len() > 1;
        let rounds = Rounds {
            full_first: parameters.full_rounds_first() + usize::from(first_layer),
            partial: parameters.partial_rounds(),
            full_last: parameters.full_rounds_last(),
        };
        let shape = Shape {
            width: parameters.width() + beside,
            beside,
            alpha: if takes_several {
                SEVERAL_PASSES
            } else {
                parameters.alpha()
            },
            s_box_passes: [even.len(), odd.len()],
            s_box_products: [even, odd]
                .map(|chain| chain.iter().map(|(power, _)| power.products()).sum()),
            goldilocks: field == FieldId::Goldilocks,
            recurrent: false,
            adders: false,
            first_layer,
            partial_matrix: parameters.has_partial_matrix(),
            own_last_matrix: purpose.is_chained() || beside > 0,
            digest_beats: 1,
        };
        let maps = Maps::new(parameters, &order, shape, purpose);
        let shape = Shape {
            digest_beats: maps.digest_beats(shape),
            ..shape
        };
        let recurrence_order = recurrence::order(parameters);
        let adders = limits.adders
            && shape.fits_adders()
            && !shape.own_last_matrix
            && s_boxes.have_no_store()
            && SmallMatrix::new(parameters.mds()).is_some();
        let work = Work {
            shape,
            rounds,
            // Partial-round sub-engines have S-boxes of one pass.
            most_recurrent: if takes_several {
                0
            } else {
                most_recurrent(shape.width, &recurrence_order)
            },
            // Of a row of several blocks most permutations go on with the whole state.
            whole_states: matches!(
                purpose,
                Purpose::Rows { sponge, length } if sponge.padded_length(length) > sponge.rate()
            ),
            adders,
        };
        let too_many = || ProgramError::TooManyRounds {
            name: name.to_owned(),
            rounds,
            shape: Box::new(shape),
            limits: Box::new(*limits),
        };
        let segments = match segments {
            None => Segments::plan(work, limits).ok_or_else(too_many)?,
            Some(segments) if work.allows(&segments, limits) => segments,
            Some(segments) => {
                return Err(ProgramError::Segments {
                    name: name.to_owned(),
                    rounds,
                    segments: Box::new(segments),
                    limits: Box::new(*limits),
                });
            }
        };
        let shape = work.shape_with(&segments);
        let dense = [FIRST_FULL, SECOND_FULL].map(|engine| segments.partial[engine]);
        let mut chip_rounds = RecurrentRounds::in_order(parameters, &order, dense)?;
        let has_last_matrix = s_boxes.has_last_matrix;
        let mut own = OwnMatrices::default();
        if beside > 0 {
            let matrices =
                beside::stand(&mut chip_rounds, parameters, &order, &sums, has_last_matrix);
            let [entry, last] = matrices.map(Some);
            own = OwnMatrices { entry, last };
        } else if purpose.is_chained() {
            let rounds = &mut chip_rounds;
            own.last = Some(chain_digest(
                rounds,
                parameters,
                &order,
                purpose,
                has_last_matrix,
            ));
        }

        let mut loader = Loader {
            shape,
            radix: montgomery_radix(limits.montgomery_bits),
            small: SmallMatrix::new(&chip_rounds.mds).filter(|_| shape.adders),
            constants: Vec::new(),
        };
        let initial = match purpose {
            Purpose::Hash => chip_rounds.initial.clone(),
            Purpose::Permutation => chip_rounds.initial_constants.clone(),
            Purpose::Rows { sponge, length } => {
                let state = initial_state(sponge, parameters, length);
                let mut state = state.ok_or_else(|| ProgramError::RowTooLong {
                    name: name.to_owned(),
                    length,
                })?;
                // The chip adds the first block to the initial vector.
                let first = sponge.padded_length(length).min(sponge.rate());
                let replaced = match sponge.absorption {
                    Absorption::Add => 0..0,
                    Absorption::AddClosed => first..sponge.rate(),
                    Absorption::Overwrite | Absorption::OverwriteChained => 0..first,
                };
                for &position in &sponge.rate_positions[replaced] {
                    state[position] = F::ZERO;
                }
                (chip_rounds.initial_constants.iter())
                    .zip(order.apply(&state))
                    .map(|(&constant, element)| constant + element)
                    .collect()
            }
        };
        let beats = shape.beats();
        loader.vector(INITIAL_VECTOR, 0, 0, beats, &initial);
        if let Purpose::Rows { .. } = purpose {
            let later = &chip_rounds.initial_constants;
            loader.vector(INITIAL_VECTOR, 0, LATER_VECTOR_INDEX, beats, later);
        }
        let visits = passes(&segments, shape, limits.num_full, &s_boxes);
        loader.load(&chip_rounds, &own, &segments, &visits);
        let tables = tables(&visits, shape).ok_or_else(|| ProgramError::TooManyPasses {
            name: name.to_owned(),
            passes: visits.iter().map(Vec::len).sum(),
        })?;
        loader.tables(&tables);
        // All of these are small.
        let registers = ChipRegisters {
            arity: maps.inputs.len().div_ceil(maps.inputs_in_word) as u32,
            field: if shape.goldilocks {
                GOLDILOCKS
            } else {
                LARGE_PRIME
            },
            width: shape.width as u32,
            beside: shape.beside as u32,
            alpha: shape.alpha as u32,
            passes: visits.each_ref().map(|passes| passes.len() as u32),
            recurrence: (chip_rounds.partial.as_ref()).map_or(0, |partial| {
                recurrence(partial.order, partial.output_enters, shape.adders)
            }),
            digest_words: maps.outputs.len().div_ceil(maps.outputs_in_word) as u32,
            input_map: encode(&maps.inputs, maps.inputs_in_word, shape),
            digest_map: encode(&maps.outputs, maps.outputs_in_word, shape),
            partial_rounds: std::array::from_fn(|engine| match engine {
                FIRST_FULL | SECOND_FULL => 0,
                _ => segments.partial[engine] as u32,
            }),
            partial_base: 0,
        };
        let modulus = (limits.runtime_modulus && !shape.goldilocks).then(|| RuntimeModulus {
            prime: parameters.prime(),
            radix_squared: word::from_field(loader.radix.square()),
        });
        let mut program = Self {
            registers,
            modulus,
            constants: loader.constants,
            field,
            shape,
            work,
            segments,
            limits: *limits,
            order,
            notes: Vec::new(),
            inputs: maps.inputs.len(),
            inputs_in_word: maps.inputs_in_word,
            outputs: maps.outputs.len(),
        };
        program.notes = program.cost_notes(name, &recurrence_order);
        Ok(program)
    }

    /// What a user should know about the cost of the program of the parameter set `name`, of which the recurrence has
    /// this order.
    fn cost_notes(&self, name: &str, order: &Result<usize, RecurrenceError>) -> Vec<String> {
        let mut notes = Vec::new();
        let period = self.planned_period(&self.segments);
        let any_number = Work {
            most_recurrent: usize::MAX,
            ..self.work
        };
        let dense = self.work.rounds.partial - self.segments.recurrent_rounds();
        // Partial rounds of chains of passes never run as a recurrence.
        if !self.shape.has_identity()
            && let Some(best) = self.period_of(any_number, &self.limits)
            && best < period
            && self.period_of(self.work, &self.limits) != Some(best)
        {
            let why = match order {
                Err(error) => error.to_string(),
                Ok(order) => format!(
                    "in the recurrence of '{name}', whose order {order} is below {}, no more than \
                     {} rounds can run",
                    self.shape.width - 1,
                    self.work.most_recurrent,
                ),
            };
            notes.push(format!(
                "{why}; {dense} partial rounds run dense on the full-round sub-engines: {period} \
                 cycles per hash, with a recurrence of any number of rounds it would be {best}"
            ));
        }
        let deep = EngineLimits {
            matrix_depth: MAX_DEPTH,
            constant_depth: MAX_DEPTH,
            partial_depth: MAX_DEPTH,
            ..self.limits
        };
        if let Some(best) = self.period_of(self.work, &deep)
            && best < period
        {
            notes.push(format!(
                "the rounds of '{name}' are shared out unevenly, because the constant memories of \
                 the chip are small: {period} cycles per hash, with deeper memories it would be \
                 {best}"
            ));
        }
        notes
    }

    /// The period for which the segments are chosen, with the best segments for `work` on a chip with `limits`.
    fn period_of(&self, work: Work, limits: &EngineLimits) -> Option<usize> {
        let segments = Segments::plan(work, limits)?;
        Some(self.planned_period(&segments))
    }

    /// The period for which the segments are chosen, with these `segments`.
    fn planned_period(&self, segments: &Segments) -> usize {
        self.work.period(segments, self.limits.num_full)
    }

    /// The field.
    pub fn field(&self) -> FieldId {
        self.field
    }

    /// What the program costs in the sub-engines, besides the numbers of rounds.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Which sub-engine runs which rounds.
    pub fn segments(&self) -> &Segments {
        &self.segments
    }

    /// What a user should know about the program, one sentence each.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Cycles that a hash occupies each sub-engine, by number; of a row, the last permutation.
    pub fn busy(&self) -> [usize; SUB_ENGINES] {
        self.segments.busy(self.shape, self.limits.num_full)
    }

    /// Cycles that a hash occupies the busiest part of a hash engine: the steady-state cycles per hash.
    pub fn period(&self) -> usize {
        self.segments.period(self.shape, self.limits.num_full)
    }

    /// Multiplications and squarings of field elements for a hash.
    pub fn products(&self) -> usize {
        self.shape.products(&self.segments, self.outputs)
    }

    /// Field multipliers and squarers of a hash engine, four times as many in Goldilocks mode, see
    /// [`engine_multipliers`].
    pub fn multipliers(&self) -> usize {
        let words = engine_multipliers(self.limits.num_full, self.limits.num_partial);
        self.elements_in_word() * words
    }

    /// Stream words of the input of a hash.
    pub fn input_words(&self) -> usize {
        self.registers.arity as usize
    }

    /// Stream words of a digest.
    pub fn output_words(&self) -> usize {
        self.registers.digest_words as usize
    }

    /// Packs field elements, those of any number of hashes one after another, into stream words.
    /// Elements that do not make up a whole hash are left out.
    pub fn pack_inputs(&self, elements: &[Word]) -> Vec<Word> {
        self.pack(elements, self.inputs, self.inputs_in_word)
    }

    /// Packs field elements, those of any number of digests one after another, into stream words
    /// as they leave the chip, and as the leaves of a tree enter it.
    pub fn pack_outputs(&self, elements: &[Word]) -> Vec<Word> {
        self.pack(elements, self.outputs, self.elements_in_word())
    }

    fn pack(&self, elements: &[Word], length: usize, in_word: usize) -> Vec<Word> {
        if !self.shape.goldilocks {
            return elements.to_vec();
        }
        elements
            .chunks_exact(length)
            .flat_map(|elements| elements.chunks(in_word))
            .map(from_slices)
            .collect()
    }

    /// Unpacks the stream words of any number of digests: the elements of each.
    pub fn unpack_outputs(&self, words: &[Word]) -> Vec<Vec<Word>> {
        words
            .chunks_exact(self.output_words())
            .map(|words| {
                if !self.shape.goldilocks {
                    return words.to_vec();
                }
                let mut elements: Vec<_> = words.iter().flat_map(slices).collect();
                elements.truncate(self.outputs);
                elements
            })
            .collect()
    }

    /// The index in the input of the element that stream word `word` holds, in slice `slice` of it where a
    /// word has several; both are counted from 0.
    pub fn element_index(&self, word: usize, slice: usize) -> usize {
        let (hash, word) = (word / self.input_words(), word % self.input_words());
        hash * self.inputs + word * self.inputs_in_word + slice
    }

    /// Field elements of a digest.
    pub(crate) fn digest_elements(&self) -> usize {
        self.outputs
    }

    /// The word of a constant, in the chip's form, that is a digest of this program: an element of the
    /// large prime, or up to four Goldilocks elements.
    pub(crate) fn constant_word(&self, elements: &[Word]) -> Word {
        with_field!(self.field, F => {
            let elements: Vec<F> = elements.iter().filter_map(word::to_field).collect();
            let radix = montgomery_radix(self.limits.montgomery_bits);
            constant_word(self.shape, radix, &elements)
        })
    }

    /// The arity of the trees that the chip can fold: those whose nodes are a stream word each.
    pub fn tree_arity(&self) -> Option<usize> {
        let arity = self.input_words();
        let is_tree = arity >= 2
            && self.output_words() == 1
            && self.inputs == arity * self.outputs
            && self.inputs_in_word == self.outputs;
        is_tree.then_some(arity)
    }

    pub(super) fn elements_in_word(&self) -> usize {
        in_word(self.shape.goldilocks)
    }

    /// Computes the hashes of `words`, any number of inputs packed as stream words, with nothing
    /// but the registers and constants of the program, in the way the chip does. Returns the
    /// digests as stream words.
    ///
    /// # Errors
    ///
    /// When the number of words is wrong, one is not canonical, or the program is not complete.
    pub fn evaluate(&self, words: &[Word]) -> Result<Vec<Word>, ProgramError> {
        evaluate(
            self.field,
            &self.registers,
            &self.constants,
            0,
            &self.limits,
            words,
        )
    }
}

/// The state must fit into the chip.
fn check_width(name: &str, width: usize, field: FieldId) -> Result<(), ProgramError> {
    let most = widest(field == FieldId::Goldilocks);
    if width <= most {
        return Ok(());
    }
    Err(ProgramError::Width {
        name: name.to_owned(),
        width,
        field,
        most,
    })
}

/// What stands beside the state must fit into the chip, too.
fn check_beside(
    name: &str,
    width: usize,
    beside: usize,
    field: FieldId,
) -> Result<(), ProgramError> {
    let most = widest(field == FieldId::Goldilocks);
    if width + beside <= most {
        return Ok(());
    }
    Err(ProgramError::Compression {
        name: name.to_owned(),
        width,
        beside,
        most,
    })
}

/// Matrices of a parameter set that are those of no rounds, where it has such.
#[derive(Default)]
struct OwnMatrices<F> {
    /// That of the first layer.
    entry: Option<Vec<Vec<F>>>,
    /// That of the last round.
    last: Option<Vec<Vec<F>>>,
}

/// The chip must have the field of the parameters.
fn check_field<F: PrimeField>(
    parameters: &PoseidonParameters<F>,
    limits: &EngineLimits,
) -> Result<FieldId, ProgramError> {
    let prime = parameters.prime();
    let field = FieldId::from_prime(&prime).expect("the parameters are over one of the fields");
    let supported = match field {
        FieldId::Goldilocks => limits.goldilocks,
        _ => limits.runtime_modulus || prime == limits.prime,
    };
    if supported {
        return Ok(field);
    }
    Err(ProgramError::Field {
        name: parameters.name().to_owned(),
        field,
        limits: Box::new(*limits),
    })
}

/// The S-boxes of the rounds of `parameters`, as a chip with `limits` makes them.
fn s_boxes<F: PrimeField>(
    parameters: &PoseidonParameters<F>,
    limits: &EngineLimits,
) -> Result<SBoxes, ProgramError> {
    let is_there =
        |chain: &Vec<Link>| limits.store || chain.iter().all(|(_, store)| *store == Store::None);
    let chain = |alpha: u64| {
        chain(alpha)
            .filter(is_there)
            .ok_or_else(|| ProgramError::SBox {
                name: parameters.name().to_owned(),
                alpha,
            })
    };
    let [even, odd] = parameters.exponents();
    let even_chain = chain(even)?;
    let odd_chain = if odd == even {
        even_chain.clone()
    } else {
        chain(odd)?
    };
    Ok(SBoxes {
        chains: [even_chain, odd_chain],
        has_last_matrix: parameters.inverse_rounds() != InverseRounds::EverySecondWithoutLastMatrix,
    })
}

/// Most partial rounds that run as a recurrence of this order, of a set of this width.
fn most_recurrent(width: usize, order: &Result<usize, RecurrenceError>) -> usize {
    match order {
        Ok(order) if *order + 1 == width => usize::MAX,
        Ok(_) => MOST_ROUNDS_OF_STAYING_SUMS,
        Err(_) => 0,
    }
}

/// The order in which the chip has the elements of the state: as it is, but where another brings the digest
/// into fewer beats.
fn order<F: PrimeField>(
    parameters: &PoseidonParameters<F>,
    field: FieldId,
    purpose: Purpose<'_>,
) -> InternalOrder {
    let (width, partial_index) = (parameters.width(), parameters.partial_index());
    let digest = digest_positions(parameters, purpose);
    let swapped = InternalOrder::swapped(width, partial_index);
    if field == FieldId::Goldilocks || purpose == Purpose::Permutation {
        return swapped;
    }
    let near = InternalOrder::near(width, partial_index, &digest);
    let beats =
        |order: &InternalOrder| beats_up_to(digest.iter().map(|&element| order.place(element)));
    if beats(&near) < beats(&swapped) {
        near
    } else {
        swapped
    }
}

/// The elements of the state in which the digest is, behind the last pass.
fn digest_positions<F: PrimeField>(
    parameters: &PoseidonParameters<F>,
    purpose: Purpose<'_>,
) -> Vec<usize> {
    match purpose {
        Purpose::Rows { sponge, .. } if purpose.is_chained() => {
            sponge.positions_beside(parameters.width()).collect()
        }
        _ => parameters.digest_positions().to_vec(),
    }
}

/// Has the last round of rows whose digest goes on beside the next block make it there, in the elements that are not in
/// the rate, whose own values nothing uses: its constants change, and this is its matrix.
fn chain_digest<F: PrimeField>(
    rounds: &mut RecurrentRounds<F>,
    parameters: &PoseidonParameters<F>,
    order: &InternalOrder,
    purpose: Purpose<'_>,
    has_last_matrix: bool,
) -> Vec<Vec<F>> {
    // The row that each place takes.
    let mut rows: Vec<usize> = (0..parameters.width()).collect();
    let beside = digest_positions(parameters, purpose);
    for (position, &digest) in beside.into_iter().zip(parameters.digest_positions()) {
        rows[order.place(position)] = order.place(digest);
    }
    if let Some(constants) = rounds.full_last.last_mut() {
        *constants = rows.iter().map(|&row| constants[row]).collect();
    }
    let matrix = last_matrix(rounds, has_last_matrix);
    rows.iter().map(|&row| matrix[row].clone()).collect()
}

/// The matrix of the last round, where it has none of its own.
pub(super) fn last_matrix<F: PrimeField>(
    rounds: &RecurrentRounds<F>,
    has_last_matrix: bool,
) -> Vec<Vec<F>> {
    if has_last_matrix {
        rounds.mds.clone()
    } else {
        identity(rounds.mds.len())
    }
}

/// The matrix that changes nothing.
pub(super) fn identity<F: PrimeField>(width: usize) -> Vec<Vec<F>> {
    (0..width)
        .map(|i| (0..width).map(|j| F::from(i == j)).collect())
        .collect()
}

/// Where elements enter and leave the state, in internal order.
struct Maps {
    inputs: Vec<usize>,
    inputs_in_word: usize,
    outputs: Vec<usize>,
    outputs_in_word: usize,
}

impl Maps {
    fn new<F: PrimeField>(
        parameters: &PoseidonParameters<F>,
        order: &InternalOrder,
        shape: Shape,
        purpose: Purpose<'_>,
    ) -> Self {
        let internal = |positions: &mut dyn Iterator<Item = usize>| -> Vec<usize> {
            positions.map(|position| order.place(position)).collect()
        };
        let (inputs, outputs) = match purpose {
            Purpose::Hash => (
                internal(&mut parameters.input_positions().iter().copied()),
                internal(&mut parameters.digest_positions().iter().copied()),
            ),
            Purpose::Permutation => (
                internal(&mut (0..shape.width)),
                internal(&mut (0..shape.width)),
            ),
            Purpose::Rows { sponge, .. } => (
                internal(&mut sponge.rate_positions.iter().copied()),
                internal(&mut digest_positions(parameters, purpose).into_iter()),
            ),
        };
        let in_word = in_word(shape.goldilocks);
        // A hash of a few digests takes a word for each, as the tree does.
        let is_tree = purpose == Purpose::Hash
            && outputs.len() <= in_word
            && inputs.len().is_multiple_of(outputs.len())
            && (2..=most_words(shape.goldilocks)).contains(&(inputs.len() / outputs.len()));
        let inputs_in_word = if is_tree { outputs.len() } else { in_word };
        Self {
            inputs,
            inputs_in_word,
            outputs,
            outputs_in_word: in_word,
        }
    }

    /// Beats up to the last one that has an output.
    fn digest_beats(&self, shape: Shape) -> usize {
        if shape.goldilocks {
            return shape.beats();
        }
        beats_up_to(self.outputs.iter().copied())
    }
}

/// Collects constants in the chip's form.
struct Loader<F> {
    shape: Shape,
    radix: F,
    /// The MDS matrix, where adders make it.
    small: Option<SmallMatrix>,
    constants: Vec<ChipConstant>,
}

impl<F: PrimeField> Loader<F> {
    fn load(
        &mut self,
        rounds: &RecurrentRounds<F>,
        own: &OwnMatrices<F>,
        segments: &Segments,
        [first, last]: &[Vec<Pass>; 2],
    ) {
        let mut loaded = HashSet::new();
        let partial = rounds.partial.as_ref();
        // The constants of every pass, in order.
        let mut constants = (rounds.first_layer.iter())
            .chain(&rounds.first)
            .chain(partial.map(|partial| &partial.before.constants))
            .chain(partial.map(|partial| &partial.after.constants))
            .chain(&rounds.behind)
            .chain(&rounds.full_last);
        let identity = identity(rounds.mds.len());
        let matrix = |of: Matrix| -> &[Vec<F>] {
            match (of, partial) {
                (Matrix::Before, None) => &identity,
                (Matrix::Before, Some(partial)) => &partial.before.matrix,
                (Matrix::After, Some(partial)) => &partial.after.matrix,
                (Matrix::Partial, _) => &rounds.partial_matrix,
                (Matrix::Last, _) => own.last.as_ref().unwrap_or(&rounds.mds),
                (Matrix::Entry, _) => own.entry.as_ref().unwrap_or(&rounds.mds),
                _ => &rounds.mds,
            }
        };
        let mut with_adders = HashSet::new();
        let mut load = |loader: &mut Self, visit: &[Pass]| {
            for pass in visit {
                let matrix = matrix(pass.matrix);
                if with_adders.insert(pass.engine) {
                    loader.adder_rows(pass.engine);
                }
                if loaded.insert((pass.engine, pass.matrix)) {
                    loader.matrix(pass.engine, pass.matrix.number(), matrix);
                }
                if pass.add
                    && let Some(constants) = constants.next()
                {
                    loader.pass(*pass, matrix, constants);
                }
            }
        };
        load(self, first);
        if let Some(partial) = partial {
            let mut rounds = partial.rounds.iter();
            for engine in FIRST_FULL + 1..SECOND_FULL {
                let count = segments.partial[engine];
                for (index, round) in rounds.by_ref().take(count).enumerate() {
                    self.recurrent_round(engine, index, round);
                }
            }
        }
        load(self, last);
        if self.shape.is_short() {
            // Nothing is folded into the vector of a last round that makes beat 0 only.
            if let (Some(pass), Some(vector)) = (last.last(), rounds.full_last.last()) {
                let base = (pass.vector + 1) * self.shape.beats();
                self.vector(pass.engine as u8, VECTOR_BANK, base, 1, vector);
            }
        }
    }

    /// The tables of passes, which come behind what they name.
    fn tables(&mut self, tables: &[(usize, Vec<PassEntry>)]) {
        for (engine, entries) in tables {
            let constants = entries
                .iter()
                .enumerate()
                .map(|(index, entry)| ChipConstant {
                    engine_mask: BOTH_ENGINES,
                    sub_engine: *engine as u8,
                    bank: PASS_BANK,
                    index: index as u8,
                    word: entry.word(),
                });
            self.constants.extend(constants);
        }
    }

    /// The constants of a pass of a full-round sub-engine, with its matrix.
    fn pass(&mut self, pass: Pass, matrix: &[Vec<F>], constants: &[F]) {
        let of_adders = self.small.as_ref().filter(|_| pass.matrix == Matrix::Mds);
        let is_dense = self.small.is_some() && of_adders.is_none();
        let excess: Vec<F> = match of_adders {
            Some(small) => small.excess(),
            None => matrix.iter().map(|row| products_of_pairs(row)).collect(),
        };
        let folded: Vec<F> = (constants.iter().zip(excess))
            .map(|(&constant, excess)| constant - excess)
            .collect();
        let beats = self.shape.beats();
        let engine = pass.engine as u8;
        self.vector(engine, VECTOR_BANK, pass.vector * beats, beats, &folded);
        if is_dense {
            // Those of a dense layer are read as the adders read others.
            let visit = usize::from(pass.matrix == Matrix::After);
            self.vector(engine, DENSE_BANK, DENSE_OF_VISIT * visit, beats, &folded);
        }
    }

    /// The words of the adders of a full-round sub-engine.
    fn adder_rows(&mut self, engine: usize) {
        let words = self.small.as_ref().map(SmallMatrix::words);
        for (index, word) in words.into_iter().flatten().enumerate() {
            self.constants.push(ChipConstant {
                engine_mask: BOTH_ENGINES,
                sub_engine: engine as u8,
                bank: ADDER_BANK,
                index: index as u8,
                word,
            });
        }
    }

    /// Matrix `number` of a full-round sub-engine.
    fn matrix(&mut self, engine: usize, number: usize, matrix: &[Vec<F>]) {
        let entry = |row: usize, column: usize| {
            let row = matrix.get(row)?;
            row.get(column).copied()
        };
        let shape = self.shape;
        for beat in 0..shape.beats() {
            for step in 0..shape.steps() {
                let index = number * shape.matrix_entries() + beat * shape.steps() + step;
                for (i, j) in (0..LANES).flat_map(|i| (0..LANES).map(move |j| (i, j))) {
                    let bank = (LANES * i + j) as u8;
                    for (bank, group) in [(bank, 2 * step), (ODD_BANK + bank, 2 * step + 1)] {
                        let column = LANES * group + j;
                        let entries: Vec<F> = (shape.places(beat, i))
                            .map(|row| entry(row, column).unwrap_or_default())
                            .collect();
                        self.constant(engine as u8, bank, index, &entries);
                    }
                }
            }
        }
    }

    /// A round of a partial-round sub-engine.
    fn recurrent_round(&mut self, engine: usize, index: usize, round: &RecurrentRound<F>) {
        let engine = engine as u8;
        let beats = self.shape.beats();
        for (bank, part) in [(0, 0), (PARTIAL_OUTPUT_BANK, 1)] {
            // Place 0 has no sum.
            let sums = round.pairs.iter().map(|pair| pair[part]);
            let coefficients: Vec<F> = [F::ZERO].into_iter().chain(sums).collect();
            self.vector(engine, bank, index * beats, beats, &coefficients);
        }
        self.constant(
            engine,
            PARTIAL_CONSTANT_BANK,
            index * beats,
            &[round.constant],
        );
    }

    /// The first `beats` beats of the vector, at the memory entries from `base` of the banks from `bank` on.
    fn vector(&mut self, engine: u8, bank: u8, base: usize, beats: usize, vector: &[F]) {
        let element = |index: usize| vector.get(index).copied().unwrap_or_default();
        for beat in 0..beats {
            for lane in 0..LANES {
                let elements: Vec<F> = self.shape.places(beat, lane).map(element).collect();
                self.constant(engine, bank + lane as u8, base + beat, &elements);
            }
        }
    }

    /// One word: the first of `elements`, or in Goldilocks mode all of them.
    fn constant(&mut self, sub_engine: u8, bank: u8, index: usize, elements: &[F]) {
        let word = constant_word(self.shape, self.radix, elements);
        self.constants.push(ChipConstant {
            engine_mask: BOTH_ENGINES,
            sub_engine,
            bank,
            index: u8::try_from(index).expect("the segments fit into the memories"),
            word,
        });
    }
}

/// The first of `elements`, or in Goldilocks mode all of them, in the chip's form.
fn constant_word<F: PrimeField>(shape: Shape, radix: F, elements: &[F]) -> Word {
    if shape.goldilocks {
        let elements: Vec<_> = elements.iter().map(|&e| word::from_field(e)).collect();
        from_slices(&elements)
    } else {
        word::from_field(elements.first().copied().unwrap_or_default() * radix)
    }
}

/// The sum of the products of coefficients that are multiplied with a pair of elements: an element of an even
/// group of three and the one in the same place of the odd group behind it.
fn products_of_pairs<F: PrimeField>(row: &[F]) -> F {
    let steps = row.chunks(2 * LANES).map(|step| {
        let (even, odd) = step.split_at(LANES.min(step.len()));
        dot(even, odd)
    });
    steps.sum()
}

/// The sum of the products of the entries that both have.
fn dot<F: PrimeField>(a: &[F], b: &[F]) -> F {
    a.iter().zip(b).map(|(&x, y)| x * y).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parameter sets have bounds of their own, and none is wider today.
    #[test]
    fn states_that_are_too_wide_are_refused_by_name() {
        for (field, most) in [(FieldId::Bls12_381, 12), (FieldId::Goldilocks, 24)] {
            assert_eq!(check_width("a set", most, field), Ok(()));
            let error = check_width("a set", most + 1, field).unwrap_err();
            let expected = format!(
                "'a set' has a state of {} elements over {field}, of which the chip holds {most}; use the software device",
                most + 1
            );
            assert_eq!(error.to_string(), expected);
        }
    }
}

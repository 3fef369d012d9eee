//! How much a parameter set occupies the sub-engines, and how its rounds are shared out.

use super::adders::MOST_ADDER_ELEMENTS;
use super::limits::{EngineLimits, MAX_DEPTH, MAX_PASSES, MAX_ROUNDS};

/// Field elements, or words of four Goldilocks elements, that a sub-engine takes in a cycle.
pub const LANES: usize = 3;

/// Goldilocks elements of a word.
pub const SLICES: usize = 4;

/// Most beats of a state of the large prime.
const MAX_BEATS: usize = 4;

/// Most beats of a Goldilocks state.
const MAX_GOLDILOCKS_BEATS: usize = 2;

/// Elements of the widest state that a hash engine has room for, which is one of Goldilocks elements.
pub const MAX_ELEMENTS: usize = widest(true);

/// Elements of the widest state of the large prime, or in Goldilocks mode.
pub const fn widest(goldilocks: bool) -> usize {
    if goldilocks {
        MAX_GOLDILOCKS_BEATS * LANES * SLICES
    } else {
        MAX_BEATS * LANES
    }
}

/// Most stream words of a block, or of a digest: the elements of the widest state.
pub const fn most_words(goldilocks: bool) -> usize {
    widest(goldilocks) / in_word(goldilocks)
}

/// Elements of a word.
pub(super) const fn in_word(goldilocks: bool) -> usize {
    if goldilocks { SLICES } else { 1 }
}

/// Sub-engines in the numbering of the partial rounds: 0 the first full-round one, 1 to 6 the
/// partial-round ones, 7 the second full-round one.
pub const SUB_ENGINES: usize = 8;

/// Number of the first full-round sub-engine.
pub const FIRST_FULL: usize = 0;

/// Number of the second full-round sub-engine.
pub const SECOND_FULL: usize = SUB_ENGINES - 1;

/// Matrices of a full-round sub-engine: MDS, before and after a recurrence, that of dense partial rounds where it is
/// another one, that of the last round where it is, and that of the first layer where it is.
const MATRICES: usize = 6;

/// What the occupation of the sub-engines depends on, besides the numbers of rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Elements of the state, 2 to 12, or to 24 in Goldilocks mode: its width t, and those beside it.
    pub width: usize,
    /// The last elements of the state, so many, stand beside the permutation, and have no S-boxes: sums of the input,
    /// which are added to the digest.
    pub beside: usize,
    /// Exponent of the S-box that the chip is told: 3, 5 or 7; 5 where S-boxes take several passes.
    pub alpha: u64,
    /// Passes of a full-round sub-engine in which an S-box is made: of even and of odd rounds, counted from 0.
    pub s_box_passes: [usize; 2],
    /// Multiplications and squarings of these S-boxes.
    pub s_box_products: [usize; 2],
    /// Four elements in a word.
    pub goldilocks: bool,
    /// Partial rounds run as a recurrence, on partial-round sub-engines: there is a dense layer before them in
    /// place of a round's, and one after them on its own.
    pub recurrent: bool,
    /// Layers are made by adders, but for the dense ones before the recurrence and behind it.
    pub adders: bool,
    /// The first of the full rounds before the partial rounds has no S-boxes: it is the linear layer with which
    /// Poseidon2 begins, or the one that makes the elements beside the permutation.
    pub first_layer: bool,
    /// Dense partial rounds have a matrix of their own, as those of Poseidon2.
    pub partial_matrix: bool,
    /// The last round has a matrix of its own, which makes the digest where it goes on beside the next block, or which
    /// adds the elements beside the permutation.
    pub own_last_matrix: bool,
    /// Beats up to the last one that has an element of the digest, see [`Shape::is_short`].
    pub digest_beats: usize,
}

impl Shape {
    /// Groups of three elements that the state consists of.
    pub const fn groups(self) -> usize {
        self.width.div_ceil(LANES)
    }

    /// Cycles in which the state passes a sub-engine: b. A beat is a group of the large prime, or four of Goldilocks
    /// elements.
    pub const fn beats(self) -> usize {
        self.groups().div_ceil(in_word(self.goldilocks))
    }

    /// The elements of the state that lane `lane` has in beat `beat`, by slice.
    pub(super) fn places(self, beat: usize, lane: usize) -> impl Iterator<Item = usize> {
        let slices = in_word(self.goldilocks);
        (0..slices).map(move |slice| LANES * (slices * beat + slice) + lane)
    }

    /// Cycles in which a multiplier of the S-box is taken: 2 with x^7, which has two products.
    const fn s_box_cycles(self) -> usize {
        if self.alpha == 7 { 2 } else { 1 }
    }

    /// Steps of a row of a matrix, each of two groups of three elements: S.
    pub const fn steps(self) -> usize {
        self.groups().div_ceil(2)
    }

    /// Pairs of elements with a product that all rows of a matrix share: every element of an odd group has one.
    const fn pairs(self) -> usize {
        let (whole, rest) = (self.width / (2 * LANES), self.width % (2 * LANES));
        whole * LANES + rest.saturating_sub(LANES)
    }

    /// Cycles that a dense layer takes the multipliers of a full-round sub-engine whose other layers are made by
    /// adders.
    pub const fn dense_cycles(self) -> usize {
        self.matrix_entries()
    }

    /// Whether adders can make the layers of states of this shape.
    pub const fn fits_adders(self) -> bool {
        self.goldilocks && self.width <= MOST_ADDER_ELEMENTS && !self.has_identity()
    }

    /// Cycles that any pass of a full-round sub-engine takes but a short one: f. One multiplier makes the products
    /// that rows share. Where layers are made by adders, a pass takes the S-boxes a cycle for each beat, and so do
    /// layers the adders.
    pub const fn full_round_cycles(self) -> usize {
        if self.adders {
            return self.beats();
        }
        let shared = self.pairs().div_ceil(in_word(self.goldilocks));
        let s_boxes = self.s_box_cycles() * self.beats();
        max(max(self.matrix_entries(), shared), s_boxes)
    }

    /// Cycles from one beat to the next in a pass of a full-round sub-engine, but for a short one.
    pub const fn spacing(self) -> usize {
        if self.adders {
            1
        } else if !self.goldilocks {
            max(self.steps(), self.s_box_cycles())
        } else if self.beats() == 1 {
            self.s_box_cycles()
        } else {
            // A beat has elements for two steps.
            2
        }
    }

    /// Slots of a full-round sub-engine begin at multiples of so many cycles.
    pub const fn grid(self) -> usize {
        if self.beats() == 1 || self.adders {
            self.full_round_cycles()
        } else {
            self.s_box_cycles()
        }
    }

    /// Cycles that the first row of a pass of a full-round sub-engine waits for the products that rows share.
    pub const fn skew(self) -> usize {
        let (groups, last) = (self.groups(), (self.width - 1) % LANES + 1);
        if self.goldilocks {
            return match groups {
                ..=2 => 0,
                3..=5 => 1,
                6 => 2,
                _ => 3,
            };
        }
        if groups == 1 {
            return 0;
        }
        let (last_odd, pairs) = if groups.is_multiple_of(2) {
            (groups - 1, last)
        } else {
            (groups - 2, LANES)
        };
        self.spacing() * last_odd + pairs - 1
    }

    /// Whether the last full round of a hash is short: it makes no more than beat 0, by one product for each entry
    /// of the matrix, because the whole digest is there.
    pub const fn is_short(self) -> bool {
        self.alpha != 7 && !self.goldilocks && self.beats() > 1 && self.digest_beats == 1
    }

    /// Beats that the last full round of a hash makes.
    pub const fn last_beats(self) -> usize {
        if self.is_short() { 1 } else { self.beats() }
    }

    /// Cycles from one beat to the next, as the last full round of a hash takes them.
    pub const fn last_spacing(self) -> usize {
        if self.is_short() { 1 } else { self.spacing() }
    }

    /// Cycles that the last full round of a hash occupies a full-round sub-engine: l.
    pub const fn last_round_cycles(self) -> usize {
        if self.is_short() {
            self.beats()
        } else {
            self.full_round_cycles()
        }
    }

    /// The same where the state after the last round is used as a whole.
    #[must_use]
    pub const fn of_whole_states(self) -> Self {
        Self {
            digest_beats: self.beats(),
            ..self
        }
    }

    /// Passes of a full-round sub-engine after the recurrence that are no rounds.
    const fn passes_after(self) -> usize {
        if self.recurrent { 1 } else { 0 }
    }

    /// Vectors that the last full round needs beside its own: where it is short, those of whole states are
    /// other ones.
    const fn short_vectors(self) -> usize {
        if self.is_short() { 1 } else { 0 }
    }

    /// Cycles that a partial round with a dense matrix occupies a full-round sub-engine. Where S-boxes are not all
    /// alike there is none.
    const fn round_cycles(self) -> usize {
        self.s_box_passes[0] * self.full_round_cycles()
    }

    /// Cycles that so many rounds behind `before` others occupy a full-round sub-engine.
    const fn rounds_cycles(self, before: usize, rounds: usize) -> usize {
        let [even, odd] = self.s_box_passes;
        let (more, less) = (rounds.div_ceil(2), rounds / 2);
        let passes = if before.is_multiple_of(2) {
            more * even + less * odd
        } else {
            more * odd + less * even
        };
        passes * self.full_round_cycles()
    }

    /// Cycles that so many rounds occupy a full-round sub-engine; the first of those of a hash may be a layer.
    const fn first_rounds_cycles(self, rounds: usize) -> usize {
        if self.first_layer {
            // It goes past the S-boxes where layers are made by adders.
            let layer = if self.adders {
                0
            } else {
                self.full_round_cycles()
            };
            self.rounds_cycles(0, rounds - 1) + layer
        } else {
            self.rounds_cycles(0, rounds)
        }
    }

    /// Cycles that so many rounds, or layers behind a recurrence, occupy a full-round sub-engine, the last round of a
    /// hash among them; `first` rounds or layers are before them.
    const fn last_rounds_cycles(self, first: usize, rounds: usize) -> usize {
        let before = if self.first_layer { first - 1 } else { first };
        // A layer behind the recurrence goes past the S-boxes where others are made by adders.
        let taken = if self.adders {
            rounds - self.passes_after()
        } else {
            rounds
        };
        // The matrix of the last one may be short.
        self.rounds_cycles(before, taken) - self.full_round_cycles() + self.last_round_cycles()
    }

    /// Cycles that a partial round occupies a partial-round sub-engine: g.
    pub const fn partial_round_cycles(self) -> usize {
        // In Goldilocks mode a single element takes slices of its own for both products of x^7.
        if self.goldilocks {
            self.beats()
        } else {
            max(self.beats(), self.s_box_cycles())
        }
    }

    /// Entries of the matrix memories for a matrix: b * S.
    pub const fn matrix_entries(self) -> usize {
        self.beats() * self.steps()
    }

    /// Matrices up to the last one of a full-round sub-engine, with dense partial rounds or without.
    const fn matrices(self, dense: bool) -> usize {
        if self.beside > 0 {
            MATRICES
        } else if self.own_last_matrix {
            MATRICES - 1
        } else if self.partial_matrix && dense {
            MATRICES - 2
        } else if self.recurrent {
            MATRICES - 3
        } else if self.has_identity() {
            2
        } else {
            1
        }
    }

    /// Whether there are S-boxes of several passes, between which is no matrix.
    pub(super) const fn has_identity(self) -> bool {
        self.s_box_passes[0] > 1 || self.s_box_passes[1] > 1
    }

    /// Cycles in which the sums of the recurrence are reduced, behind the partial-round sub-engines.
    pub const fn exit_cycles(self) -> usize {
        if self.recurrent {
            LANES * self.beats()
        } else {
            0
        }
    }

    /// Cycles that a hash takes at least, whatever its rounds are: those in which the sums of the recurrence are
    /// reduced, and where layers are made by adders those in which the dense ones take the multipliers of a
    /// full-round sub-engine.
    const fn least_period(self, num_full: usize) -> usize {
        let layers = match num_full {
            _ if !self.adders => 0,
            1 => 2,
            _ => 1,
        };
        max(self.exit_cycles(), layers * self.dense_cycles())
    }

    /// Multiplications and squarings of a hash with `digest` elements: those of the S-boxes; in a dense layer one
    /// for each row and each pair or single element, and one for each pair; t for each element of the digest in a
    /// short last round; t in a round of the recurrence.
    pub const fn products(self, segments: &Segments, digest: usize) -> usize {
        let (t, pairs) = (self.width, self.pairs());
        let layer = t * (t - pairs) + pairs;
        let last = if self.is_short() { digest * t } else { layer };
        let on_full = segments.partial[FIRST_FULL] + segments.partial[SECOND_FULL];
        let recurrent = segments.recurrent_rounds();
        let full = segments.full_first + segments.full_last;
        // Adders make all layers but the dense ones before the recurrence and behind it.
        let layers = if self.adders {
            2
        } else {
            full + on_full + self.passes_after()
        };
        let with_s_boxes = if self.first_layer { full - 1 } else { full };
        let [even, odd] = self.s_box_products;
        (with_s_boxes.div_ceil(2) * even + with_s_boxes / 2 * odd) * (t - self.beside)
            + (on_full + recurrent) * even
            + layers.saturating_sub(1) * layer
            + last
            + recurrent * t
    }
}

/// Beats of a state of the large prime up to the last one that has an element at one of `places`.
pub(super) fn beats_up_to(places: impl Iterator<Item = usize>) -> usize {
    places.max().unwrap_or_default() / LANES + 1
}

const fn max(a: usize, b: usize) -> usize {
    if a > b { a } else { b }
}

/// Numbers of rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rounds {
    /// Full rounds before the partial rounds, a layer without S-boxes ahead of them among them.
    pub full_first: usize,
    /// Partial rounds.
    pub partial: usize,
    /// Full rounds after the partial rounds.
    pub full_last: usize,
}

/// What there is to share out among the sub-engines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Work {
    /// What the occupation depends on; whether there is a recurrence is found by sharing out.
    pub shape: Shape,
    /// The rounds.
    pub rounds: Rounds,
    /// Most partial rounds that can run as a recurrence: 0 where there is none.
    pub most_recurrent: usize,
    /// Whether the period that counts is the one of permutations whose states are used as a whole.
    pub whole_states: bool,
    /// Whether adders can make the layers where there is a recurrence.
    pub adders: bool,
}

impl Work {
    /// The same in one form: with a recurrence, or with all partial rounds dense.
    const fn in_form(self, recurrent: bool) -> Self {
        let shape = Shape {
            recurrent,
            adders: recurrent && self.adders,
            ..self.shape
        };
        Self { shape, ..self }
    }

    /// The shape of the permutations whose period counts.
    const fn costs(self) -> Shape {
        if self.whole_states {
            self.shape.of_whole_states()
        } else {
            self.shape
        }
    }

    /// The shape of programs with `segments`.
    pub const fn shape_with(self, segments: &Segments) -> Shape {
        self.in_form(segments.recurrent_rounds() > 0).shape
    }

    /// The period that counts, with `segments` that have room.
    pub fn period(self, segments: &Segments, num_full: usize) -> usize {
        let form = self.in_form(segments.recurrent_rounds() > 0);
        segments.period(form.costs(), num_full)
    }

    /// Whether `segments` are those of such work, and a chip with `limits` has room for them.
    pub fn allows(self, segments: &Segments, limits: &EngineLimits) -> bool {
        segments.has(self.rounds)
            && segments.recurrent_rounds() <= self.most_recurrent
            && segments.fit(self.shape_with(segments), limits)
    }
}

/// Which sub-engine runs which rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segments {
    /// Full rounds of the first full-round sub-engine before its partial rounds, a layer without S-boxes ahead of
    /// them among them.
    pub full_first: usize,
    /// Partial rounds of each sub-engine, in order: dense ones on the full-round sub-engines, those of the
    /// recurrence on the others.
    pub partial: [usize; SUB_ENGINES],
    /// Full rounds at the end, on the second full-round sub-engine where there is one.
    pub full_last: usize,
}

impl Segments {
    /// Shares out `work` so that the busiest part of a hash engine is occupied for as few cycles as possible, and
    /// among those ways so that the full-round sub-engines have as few passes as possible, and no recurrence
    /// where it makes no difference. `None` when the memories are too small for any way.
    pub fn plan(work: Work, limits: &EngineLimits) -> Option<Self> {
        let mut work = work;
        let rounds = &mut work.rounds;
        if rounds.partial == 0 && limits.num_full > 1 {
            // Nothing is between the halves, so they can be evened out.
            let full = rounds.full_first + rounds.full_last;
            rounds.full_first = full / 2;
            rounds.full_last = full - full / 2;
        }
        let forms = [false, true].map(|recurrent| work.in_form(recurrent));
        let plans = forms
            .iter()
            .filter_map(|form| Some((form, Room::new(*form, limits)?.plan()?)));
        plans
            .min_by_key(|(form, segments)| {
                let period = segments.period(form.costs(), limits.num_full);
                (period, segments.passes(form.shape))
            })
            .map(|(_, segments)| segments)
    }

    /// Partial rounds that run as a recurrence.
    pub const fn recurrent_rounds(&self) -> usize {
        let (mut rounds, mut engine) = (0_usize, FIRST_FULL + 1);
        while engine < SECOND_FULL {
            rounds = rounds.saturating_add(self.partial[engine]);
            engine += 1;
        }
        rounds
    }

    /// Passes of the full-round sub-engines, which are not so many that they overflow.
    fn passes(&self, shape: Shape) -> usize {
        let dense = self.partial[FIRST_FULL] + self.partial[SECOND_FULL];
        self.full_first + dense + shape.passes_after() + self.full_last
    }

    /// Whether these segments are those of a set with `rounds`.
    pub fn has(&self, rounds: Rounds) -> bool {
        let full = (rounds.full_first, rounds.full_last);
        sum(&self.partial) == Some(rounds.partial)
            && self.full_first > 0
            && self.full_last > 0
            && if rounds.partial == 0 {
                self.full_first.checked_add(self.full_last) == Some(full.0 + full.1)
            } else {
                (self.full_first, self.full_last) == full
            }
    }

    /// Whether the sub-engines exist, and their memories have room for the constants of these
    /// segments.
    pub fn fit(&self, shape: Shape, limits: &EngineLimits) -> bool {
        let dense = self.partial[FIRST_FULL] > 0 || self.partial[SECOND_FULL] > 0;
        matrices_fit(shape, dense, limits)
            && self.first_fit(shape, limits)
            && self.last_fit(shape, limits)
            && (0..SUB_ENGINES).all(|engine| self.partial_fit(engine, shape, limits))
    }

    /// Whether the first full-round sub-engine has room for the vectors of its first visit.
    fn first_fit(&self, shape: Shape, limits: &EngineLimits) -> bool {
        self.full_first <= MAX_ROUNDS
            && vectors_fit(&[self.full_first, self.partial[FIRST_FULL]], shape, limits)
    }

    /// Whether the sub-engine of the last full rounds has room for all its vectors.
    fn last_fit(&self, shape: Shape, limits: &EngineLimits) -> bool {
        let first = [self.full_first, self.partial[FIRST_FULL]];
        let last = [shape.passes_after(), self.full_last];
        let second_dense = [self.partial[SECOND_FULL]];
        let others = if limits.num_full > 1 {
            &second_dense[..]
        } else {
            &first
        };
        let vectors = [others, &last, &[shape.short_vectors()]].concat();
        let all = [&first[..], &second_dense, &last].concat();
        self.full_last <= MAX_ROUNDS
            && vectors_fit(&vectors, shape, limits)
            && sum(&all).is_some_and(|sum| sum <= MAX_PASSES)
    }

    /// Whether sub-engine `engine` exists, where it has partial rounds, and has room for all its constants if it is
    /// a partial-round sub-engine.
    fn partial_fit(&self, engine: usize, shape: Shape, limits: &EngineLimits) -> bool {
        let rounds = self.partial[engine];
        match engine {
            _ if rounds > MAX_ROUNDS => false,
            FIRST_FULL => true,
            SECOND_FULL => limits.num_full > 1 || rounds == 0,
            _ => partial_fits(engine, rounds, shape, limits),
        }
    }

    /// Cycles that a hash occupies each sub-engine.
    pub fn busy(&self, shape: Shape, num_full: usize) -> [usize; SUB_ENGINES] {
        let mut busy = self.partial.map(|n| n * shape.partial_round_cycles());
        let first = self.full_first + self.partial[FIRST_FULL];
        let after = shape.passes_after() + self.partial[SECOND_FULL] + self.full_last;
        busy[FIRST_FULL] = shape.first_rounds_cycles(first);
        busy[SECOND_FULL] = 0;
        let last = if num_full > 1 {
            SECOND_FULL
        } else {
            FIRST_FULL
        };
        busy[last] += shape.last_rounds_cycles(self.full_first, after);
        busy
    }

    /// Cycles that a hash occupies the busiest part of a hash engine: a sub-engine, its multipliers or adders where
    /// it has such, or the reduction of the sums of the recurrence.
    pub fn period(&self, shape: Shape, num_full: usize) -> usize {
        let busy = self.busy(shape, num_full);
        let least = shape.least_period(num_full);
        let period = busy.into_iter().fold(least, usize::max);
        if !shape.adders {
            return period;
        }
        // Adders of the busier full-round sub-engine.
        let first = self.full_first + self.partial[FIRST_FULL] - 1;
        let last = self.full_last + self.partial[SECOND_FULL];
        let layers = if num_full > 1 {
            first.max(last)
        } else {
            first + last
        };
        period.max(layers * shape.full_round_cycles())
    }
}

/// Whether partial-round sub-engine `engine` exists, where it has rounds, and has room for their constants. The first
/// of these sub-engines begins a recurrence, which the others go on with.
pub(super) fn partial_fits(
    engine: usize,
    rounds: usize,
    shape: Shape,
    limits: &EngineLimits,
) -> bool {
    if rounds > MAX_ROUNDS {
        return false;
    }
    if engine > limits.num_partial || !shape.recurrent {
        return rounds == 0;
    }
    let depth = limits.partial_depth.min(MAX_DEPTH);
    rounds * shape.beats() <= depth && (engine > 1 || rounds > 0)
}

/// Whether the matrix memories have room for the matrices, and the adders, which have one, for that of dense partial
/// rounds.
fn matrices_fit(shape: Shape, dense: bool, limits: &EngineLimits) -> bool {
    !(dense && shape.adders && shape.partial_matrix)
        && shape.matrices(dense) * shape.matrix_entries() <= limits.matrix_depth.min(MAX_DEPTH)
}

/// Vectors that a full-round sub-engine has room for.
fn vector_depth(shape: Shape, limits: &EngineLimits) -> usize {
    limits.constant_depth.min(MAX_DEPTH) / shape.beats()
}

/// Whether the vectors of `passes`, all in one full-round sub-engine, fit into its memories.
fn vectors_fit(passes: &[usize], shape: Shape, limits: &EngineLimits) -> bool {
    sum(passes).is_some_and(|sum| sum <= vector_depth(shape, limits))
}

/// The sum, `None` when it is too large.
fn sum(numbers: &[usize]) -> Option<usize> {
    numbers
        .iter()
        .try_fold(0_usize, |sum, &number| sum.checked_add(number))
}

/// What a full-round sub-engine has room for beside its other passes.
#[derive(Clone, Copy)]
struct FullRoom {
    /// Cycles of its other passes.
    cycles: usize,
    /// Partial rounds that its memories have room for.
    depth: usize,
}

/// Room for partial rounds in one form.
struct Room {
    costs: Shape,
    rounds: Rounds,
    /// Cycles that a hash takes at least.
    least: usize,
    num_partial: usize,
    partial_depth: usize,
    /// Most partial rounds of all partial-round sub-engines together.
    most_recurrent: usize,
    on_full: [FullRoom; 2],
    /// Partial rounds that all full-round sub-engines can have together.
    most_on_full: usize,
}

impl Room {
    /// `None` when not even the other passes fit, or there is no such form.
    fn new(work: Work, limits: &EngineLimits) -> Option<Self> {
        let Work {
            shape,
            rounds,
            most_recurrent,
            ..
        } = work;
        let costs = work.costs();
        if !matrices_fit(shape, false, limits)
            || shape.recurrent && rounds.partial.min(most_recurrent) == 0
        {
            return None;
        }
        let vectors = vector_depth(shape, limits);
        let has_dense = matrices_fit(shape, true, limits);
        let (first, last) = (rounds.full_first, shape.passes_after() + rounds.full_last);
        let full = |passes: usize, cycles: usize| {
            Some(FullRoom {
                cycles,
                depth: vectors.checked_sub(passes)? * usize::from(has_dense),
            })
        };
        let on_full = if limits.num_full > 1 {
            [
                full(first, costs.first_rounds_cycles(first))?,
                full(
                    last + shape.short_vectors(),
                    costs.last_rounds_cycles(first, last),
                )?,
            ]
        } else {
            let absent = FullRoom {
                cycles: 0,
                depth: 0,
            };
            let all = first + last;
            [
                full(
                    all + shape.short_vectors(),
                    costs.first_rounds_cycles(first) + costs.last_rounds_cycles(first, last),
                )?,
                absent,
            ]
        };
        Some(Self {
            costs,
            rounds,
            least: costs.least_period(limits.num_full),
            num_partial: limits.num_partial,
            partial_depth: (limits.partial_depth.min(MAX_DEPTH) / shape.beats()).min(MAX_ROUNDS),
            most_recurrent: if shape.recurrent { most_recurrent } else { 0 },
            on_full,
            most_on_full: MAX_PASSES.checked_sub(first + last)?,
        })
    }

    /// The segments with the shortest period.
    fn plan(&self) -> Option<Segments> {
        // The largest period that can make a difference: everything in one sub-engine.
        let round = (self.costs.round_cycles()).max(self.costs.partial_round_cycles());
        let others: usize = self.on_full.iter().map(|full| full.cycles).sum();
        let longest = others + self.rounds.partial * round + self.least;
        if !self.has_room(longest) {
            return None;
        }
        let (mut low, mut high) = (0, longest);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.has_room(middle) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        Some(self.share_out(low))
    }

    /// Whether a hash can be done in `period` cycles.
    fn has_room(&self, period: usize) -> bool {
        let on_partial = self.on_partial(period);
        let on_full: usize = self.on_full(period).iter().sum();
        self.on_full.iter().all(|full| full.cycles <= period)
            && self.least <= period
            && (on_partial > 0 || !self.costs.recurrent)
            && on_partial + on_full.min(self.most_on_full) >= self.rounds.partial
    }

    /// Partial rounds that the partial-round sub-engines can take in `period` cycles.
    fn on_partial(&self, period: usize) -> usize {
        let each = (self.partial_depth).min(period / self.costs.partial_round_cycles());
        (self.num_partial * each).min(self.most_recurrent)
    }

    /// Partial rounds that each full-round sub-engine can take in `period` cycles.
    fn on_full(&self, period: usize) -> [usize; 2] {
        self.on_full.map(|full| {
            let cycles = period.saturating_sub(full.cycles);
            full.depth.min(cycles / self.costs.round_cycles())
        })
    }

    /// Shares out the rounds, which fit into `period` cycles, evenly among sub-engines of a kind.
    fn share_out(&self, period: usize) -> Segments {
        let on_partial = self.rounds.partial.min(self.on_partial(period));
        let mut partial = [0; SUB_ENGINES];
        for (i, part) in partial[1..=self.num_partial].iter_mut().enumerate() {
            *part = on_partial / self.num_partial + usize::from(i < on_partial % self.num_partial);
        }
        let room = self.on_full(period);
        let mut cycles = self.on_full.map(|full| full.cycles);
        let mut on_full = [0; 2];
        for _ in on_partial..self.rounds.partial {
            let least_busy = (0..2)
                .filter(|&engine| on_full[engine] < room[engine])
                .min_by_key(|&engine| cycles[engine])
                .expect("the rounds fit into the period");
            on_full[least_busy] += 1;
            cycles[least_busy] += self.costs.round_cycles();
        }
        [partial[FIRST_FULL], partial[SECOND_FULL]] = on_full;
        Segments {
            full_first: self.rounds.full_first,
            partial,
            full_last: self.rounds.full_last,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use acclmt_poseidon::word;
    use proptest::prelude::*;

    fn limits(num_full: usize, num_partial: usize) -> EngineLimits {
        EngineLimits {
            num_engines: 2,
            prime: word::from_u64(0),
            num_full,
            num_partial,
            matrix_depth: 32,
            constant_depth: 255,
            partial_depth: 255,
            goldilocks: true,
            montgomery_bits: 264,
            runtime_modulus: false,
            store: true,
            adders: false,
            places: 64,
            loop_cycles: 61,
        }
    }

    const fn shape(width: usize, alpha: u64) -> Shape {
        Shape {
            width,
            beside: 0,
            alpha,
            s_box_passes: [1; 2],
            s_box_products: [if alpha == 5 { 3 } else { 4 }; 2],
            goldilocks: false,
            recurrent: true,
            adders: false,
            first_layer: false,
            partial_matrix: false,
            own_last_matrix: false,
            digest_beats: 1,
        }
    }

    const fn rounds(full: usize, partial: usize) -> Rounds {
        Rounds {
            full_first: full / 2,
            partial,
            full_last: full - full / 2,
        }
    }

    const fn work(shape: Shape, rounds: Rounds) -> Work {
        Work {
            shape,
            rounds,
            most_recurrent: usize::MAX,
            whole_states: false,
            adders: false,
        }
    }

    fn period(work: Work, limits: &EngineLimits) -> usize {
        let segments = Segments::plan(work, limits).unwrap();
        assert!(work.allows(&segments, limits), "{segments:?}");
        work.period(&segments, limits.num_full)
    }

    const FILECOIN: [(usize, usize); 4] = [(3, 55), (5, 56), (9, 57), (12, 57)];

    /// Cycles of passes by width, with x^5 and with x^7.
    #[test]
    fn cycles_of_passes() {
        let expected = [
            (2, [1, 1, 1], [2, 2, 2], 0),
            (3, [1, 1, 1], [2, 2, 2], 0),
            (4, [2, 2, 2], [4, 4, 2], 1),
            (5, [2, 2, 2], [4, 4, 2], 2),
            (6, [3, 2, 2], [4, 4, 2], 3),
            (7, [6, 3, 3], [6, 6, 3], 4),
            (9, [6, 3, 3], [6, 6, 3], 4),
            (10, [8, 4, 4], [8, 8, 4], 6),
            (12, [8, 4, 4], [8, 8, 4], 8),
        ];
        for (width, fifth, seventh, skew) in expected {
            for (alpha, expected) in [(5, fifth), (7, seventh)] {
                let shape = shape(width, alpha);
                let cycles = [
                    shape.full_round_cycles(),
                    shape.last_round_cycles(),
                    shape.partial_round_cycles(),
                ];
                assert_eq!(cycles, expected, "width {width}, x^{alpha}");
                assert_eq!(shape.is_short(), alpha == 5 && width > 3);
            }
            assert_eq!(shape(width, 5).skew(), skew, "width {width}");
        }
        for (width, expected) in [(2, [1, 0]), (6, [1, 0]), (7, [2, 1]), (12, [2, 1])] {
            let goldilocks = Shape {
                goldilocks: true,
                ..shape(width, 5)
            };
            let found = [goldilocks.full_round_cycles(), goldilocks.skew()];
            assert_eq!(found, expected, "width {width}");
            assert_eq!(goldilocks.partial_round_cycles(), 1);
            assert!(!goldilocks.is_short());
        }
        // Goldilocks states of two beats, whatever the exponent.
        for (width, steps, cycles, skew) in [
            (13, 3, 6, 1),
            (15, 3, 6, 1),
            (16, 3, 6, 2),
            (18, 3, 6, 2),
            (19, 4, 8, 3),
            (21, 4, 8, 3),
            (22, 4, 8, 3),
            (24, 4, 8, 3),
        ] {
            for (alpha, grid) in [(3, 1), (5, 1), (7, 2)] {
                for digest_beats in 1..=2 {
                    let wide = Shape {
                        goldilocks: true,
                        digest_beats,
                        ..shape(width, alpha)
                    };
                    assert_eq!((wide.beats(), wide.steps()), (2, steps), "width {width}");
                    assert_eq!((wide.grid(), wide.skew()), (grid, skew), "width {width}");
                    let found = [
                        wide.full_round_cycles(),
                        wide.last_round_cycles(),
                        wide.matrix_entries(),
                    ];
                    assert_eq!(found, [cycles; 3], "width {width}");
                    assert_eq!((wide.spacing(), wide.last_spacing()), (2, 2));
                    assert_eq!((wide.partial_round_cycles(), wide.exit_cycles()), (2, 6));
                    assert!(!wide.is_short() && wide.last_beats() == 2);
                }
            }
        }
        // Where adders make the layers, S-boxes and adders take a beat each cycle, and multipliers a dense layer.
        for (width, cycles, dense) in [
            (3, 1, 1),
            (6, 1, 1),
            (7, 1, 2),
            (12, 1, 2),
            (13, 2, 6),
            (16, 2, 6),
        ] {
            for alpha in [3, 5, 7] {
                let shape = Shape {
                    goldilocks: true,
                    adders: true,
                    ..shape(width, alpha)
                };
                assert!(shape.fits_adders());
                assert_eq!((shape.full_round_cycles(), shape.grid()), (cycles, cycles));
                assert_eq!(
                    (shape.spacing(), shape.dense_cycles()),
                    (1, dense),
                    "width {width}"
                );
            }
        }
        let wider = Shape {
            goldilocks: true,
            ..shape(17, 7)
        };
        assert!(!wider.fits_adders() && !shape(3, 5).fits_adders());
        let spacings = [3, 6, 9, 12].map(|width| {
            let shape = shape(width, 5);
            assert_eq!(self::shape(width, 7).spacing(), 2);
            (shape.spacing(), shape.last_spacing(), shape.exit_cycles())
        });
        assert_eq!(spacings, [(1, 1, 3), (1, 1, 6), (2, 1, 9), (2, 1, 12)]);
        assert_eq!(shape(12, 7).skew(), 2 * 3 + 2);
        assert_eq!(shape(5, 7).skew(), 2 + 1);
    }

    /// Where the elements of a state are: each of them is in one place.
    #[test]
    fn places_of_elements() {
        for goldilocks in [false, true] {
            let shape = Shape {
                goldilocks,
                ..shape(widest(goldilocks), 5)
            };
            let beats = 0..shape.beats();
            let places = beats.flat_map(|beat| (0..LANES).map(move |lane| (beat, lane)));
            let mut elements: Vec<_> = places
                .flat_map(|(beat, lane)| shape.places(beat, lane))
                .collect();
            elements.sort_unstable();
            assert!(elements.into_iter().eq(0..shape.width));
        }
        let wide = Shape {
            goldilocks: true,
            ..shape(24, 7)
        };
        assert!(wide.places(1, 2).eq([14, 17, 20, 23]));
        assert!(shape(12, 5).places(3, 1).eq([10]));
        assert_eq!([false, true].map(most_words), [12, 6]);
        assert_eq!([false, true].map(widest), [12, 24]);
    }

    #[test]
    fn periods_of_filecoin() {
        for (num_full, num_partial, expected) in [
            (1, 1, [32, 66, 132, 176]),
            (1, 3, [16, 34, 57, 76]),
            (1, 4, [13, 26, 51, 68]),
            (1, 6, [10, 20, 51, 68]),
            (2, 4, [11, 22, 42, 56]),
        ] {
            for ((width, partial), expected) in FILECOIN.into_iter().zip(expected) {
                assert_eq!(
                    period(
                        work(shape(width, 5), rounds(8, partial)),
                        &limits(num_full, num_partial)
                    ),
                    expected,
                    "width {width}, {num_full} full-round and {num_partial} partial-round"
                );
            }
        }
    }

    #[test]
    fn work_of_filecoin() {
        // S-boxes and layers of t = 3: 9 of 9 products, one after the recurrence, and 55 rounds of 3.
        let expected = [
            9 * 9 + 55 * 3 + (24 + 55) * 3,
            421 + 288,
            978 + 387,
            1320 + 459,
        ];
        for ((width, partial), expected) in FILECOIN.into_iter().zip(expected) {
            let mut segments = Segments {
                full_first: 4,
                partial: [0, partial, 0, 0, 0, 0, 0, 0],
                full_last: 4,
            };
            let shape = shape(width, 5);
            let products = shape.products(&segments, 1);
            assert_eq!(products, expected, "width {width}");
            segments.partial = [1, partial - 1, 0, 0, 0, 0, 0, 0];
            let layer = width * (width - shape.pairs()) + shape.pairs();
            assert_eq!(shape.products(&segments, 1), expected + layer - width);
        }
    }

    #[test]
    fn periods_of_other_hashes() {
        let default = limits(1, 4);
        // Mina: 55 full rounds with x^7.
        let mina = work(shape(3, 7), rounds(55, 0));
        assert_eq!(period(mina, &default), 110);
        assert_eq!(period(mina, &limits(2, 1)), 56);
        // Plonky2: 8 full rounds and a layer of 2 cycles, 22 partial rounds of 1.
        let plonky2 = Shape {
            goldilocks: true,
            ..shape(12, 7)
        };
        assert_eq!(plonky2.full_round_cycles(), 2);
        assert_eq!(plonky2.partial_round_cycles(), 1);
        assert_eq!(period(work(plonky2, rounds(8, 22)), &default), 18);
        // With adders the S-boxes take 8 cycles, the multipliers 4; Poseidon2 makes a layer more, past the S-boxes. Of
        // two beats the S-boxes take 16, the multipliers 12.
        for (width, expected) in [(12, [8, 8, 4]), (13, [16, 16, 8]), (16, [16, 16, 8])] {
            let with_adders = |first_layer, rounds| Work {
                adders: true,
                ..work(
                    Shape {
                        width,
                        first_layer,
                        ..plonky2
                    },
                    rounds,
                )
            };
            let poseidon2 = Rounds {
                full_first: 5,
                ..rounds(8, 22)
            };
            let periods = [
                period(with_adders(false, rounds(8, 22)), &default),
                period(with_adders(true, poseidon2), &default),
                period(with_adders(true, poseidon2), &limits(2, 6)),
            ];
            assert_eq!(periods, expected, "width {width}");
            // Few full rounds: the multipliers take most cycles, two dense layers or one.
            let dense = expected[0] / 8 * if width == 12 { 2 } else { 3 };
            let few = with_adders(false, rounds(2, 10));
            assert_eq!(period(few, &limits(1, 6)), 2 * dense, "width {width}");
            assert_eq!(period(few, &limits(2, 6)), dense.max(3), "width {width}");
        }
        // The same of two beats: 9 passes of 6 or 8 cycles.
        for (width, expected) in [(13, 54), (16, 54), (18, 54), (19, 72), (24, 72)] {
            let wide = Shape { width, ..plonky2 };
            assert_eq!(period(work(wide, rounds(8, 22)), &default), expected);
        }
        // Dense partial rounds: all on the full-round sub-engine.
        let dense = Work {
            most_recurrent: 0,
            ..work(shape(5, 5), rounds(8, 10))
        };
        assert_eq!(period(dense, &default), 18 * 2);
        assert_eq!(period(dense, &limits(2, 1)), 9 * 2);
        // A short last round, and the same of whole states.
        let wide = work(shape(12, 5), rounds(8, 20));
        assert_eq!(period(wide, &default), 8 * 8 + 4);
        let whole_states = true;
        let whole = Work {
            whole_states,
            ..wide
        };
        assert_eq!(period(whole, &default), 9 * 8);
        // One partial round is as well dense.
        let one = work(shape(5, 5), rounds(8, 1));
        let segments = Segments::plan(one, &default).unwrap();
        assert_eq!(segments.partial, [1, 0, 0, 0, 0, 0, 0, 0]);
        // The reduction of the sums takes longer than the rounds.
        assert_eq!(period(work(shape(3, 5), rounds(2, 9)), &limits(2, 6)), 3);
    }

    #[test]
    fn memories_limit_the_segments() {
        let work = work(shape(5, 5), rounds(8, 56));
        let shallow = EngineLimits {
            partial_depth: 20,
            ..limits(1, 3)
        };
        let segments = Segments::plan(work, &shallow).unwrap();
        assert_eq!(segments.partial, [26, 10, 10, 10, 0, 0, 0, 0]);
        // 3 matrices of 2 entries; vectors of 8 + 1 + 26 passes, and of the short round.
        let exact = EngineLimits {
            matrix_depth: 6,
            constant_depth: 2 * 36,
            ..shallow
        };
        assert!(Segments::plan(work, &exact).is_some());
        for too_small in [
            EngineLimits {
                matrix_depth: 5,
                ..exact
            },
            EngineLimits {
                constant_depth: 71,
                ..exact
            },
            EngineLimits {
                matrix_depth: 1,
                ..exact
            },
            EngineLimits {
                partial_depth: 19,
                ..exact
            },
        ] {
            assert_eq!(Segments::plan(work, &too_small), None);
        }
        // With room for the vectors of all rounds there is no need of the other matrices.
        let dense = EngineLimits {
            matrix_depth: 2,
            constant_depth: 2 * 65,
            ..exact
        };
        assert_eq!(period(work, &dense), 64 * 2);
        // No more than so many rounds in a recurrence.
        let work = Work {
            most_recurrent: 40,
            ..work
        };
        let segments = Segments::plan(work, &limits(1, 3)).unwrap();
        assert_eq!(segments.partial, [16, 14, 13, 13, 0, 0, 0, 0]);
    }

    /// The shortest period, the passes of full-round sub-engines and whether there is a recurrence, found by trying
    /// every number of dense partial rounds.
    fn shortest(work: Work, limits: &EngineLimits) -> Option<(usize, usize, bool)> {
        let Rounds {
            full_first,
            partial: all,
            full_last,
        } = work.rounds;
        (0..=all)
            .flat_map(|first| (0..=all - first).map(move |second| (first, second)))
            .filter_map(|(first, second)| {
                let mut partial = [0; SUB_ENGINES];
                (partial[FIRST_FULL], partial[SECOND_FULL]) = (first, second);
                let recurrent = all - first - second;
                for i in 0..recurrent {
                    partial[1 + i % limits.num_partial] += 1;
                }
                let segments = Segments {
                    full_first,
                    partial,
                    full_last,
                };
                let passes = full_first + first + second + full_last + usize::from(recurrent > 0);
                work.allows(&segments, limits).then(|| {
                    let period = work.period(&segments, limits.num_full);
                    (period, passes, recurrent > 0)
                })
            })
            .min()
    }

    proptest! {
        #[test]
        fn the_plan_is_the_best(
            width in 2_usize..=24,
            alpha in prop::sample::select(&[3_u64, 5, 7][..]),
            goldilocks: bool,
            digest_beats in 1_usize..=4,
            full_first in 1_usize..9,
            partial in 1_usize..60,
            full_last in 1_usize..9,
            most_recurrent in prop::sample::select(&[0, 1, 20, usize::MAX][..]),
            whole_states: bool,
            num_full in 1_usize..=2,
            num_partial in 1_usize..=6,
            matrix_depth in 8_usize..32,
            constant_depth in 8_usize..256,
            partial_depth in 4_usize..128,
            partial_matrix: bool,
            own_last_matrix: bool,
            s_box_passes in 1_usize..=3,
            adders: bool,
        ) {
            let shape = Shape {
                width: width.min(widest(goldilocks)),
                beside: 0,
                alpha,
                s_box_passes: [if alpha == 7 { 1 } else { s_box_passes }; 2],
                s_box_products: [3; 2],
                goldilocks,
                recurrent: false,
                adders: false,
                first_layer: partial_matrix,
                partial_matrix,
                own_last_matrix,
                digest_beats,
            };
            let digest_beats = digest_beats.min(shape.beats());
            let work = Work {
                shape: Shape { digest_beats, ..shape },
                rounds: Rounds { full_first, partial, full_last },
                most_recurrent,
                whole_states,
                adders: adders && shape.fits_adders() && !own_last_matrix,
            };
            let limits = EngineLimits {
                matrix_depth,
                constant_depth,
                partial_depth,
                ..limits(num_full, num_partial)
            };
            let found = Segments::plan(work, &limits).map(|segments| {
                assert!(work.allows(&segments, &limits));
                let period = work.period(&segments, num_full);
                let shape = work.shape_with(&segments);
                (period, segments.passes(shape), shape.recurrent)
            });
            prop_assert_eq!(found, shortest(work, &limits));
        }
    }
}

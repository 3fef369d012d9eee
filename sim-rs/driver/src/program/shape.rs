//! How much a parameter set occupies the sub-engines, and how its rounds are shared out.

use super::limits::{EngineLimits, MAX_DEPTH, MAX_ROUNDS};

/// Field elements, or words of four Goldilocks elements, that a sub-engine takes in a cycle.
pub const LANES: usize = 3;

/// Most beats of a state.
const MAX_BEATS: usize = 4;

/// Goldilocks elements of a word.
pub const SLICES: usize = 4;

/// Elements that the state of a hash engine has room for.
pub const MAX_ELEMENTS: usize = LANES * SLICES;

/// Sub-engines in the numbering of the partial rounds: 0 the first full-round one, 1 to 6 the
/// partial-round ones, 7 the second full-round one.
pub const SUB_ENGINES: usize = 8;

/// Number of the first full-round sub-engine.
pub const FIRST_FULL: usize = 0;

/// Number of the second full-round sub-engine.
pub const SECOND_FULL: usize = SUB_ENGINES - 1;

/// What the occupation of the sub-engines depends on, besides the numbers of rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// State width t in field elements, 2 to 12.
    pub width: usize,
    /// Exponent of the S-box: 3, 5 or 7.
    pub alpha: u64,
    /// Four elements in a word.
    pub goldilocks: bool,
    /// Partial rounds use the dense matrix, on full-round sub-engines.
    pub dense: bool,
    /// Beats up to the last one that has an element of the digest. The last full round of a hash makes no
    /// more, see [`Shape::last_beats`].
    pub digest_beats: usize,
}

impl Shape {
    /// Groups of three elements that the state consists of: b.
    pub const fn groups(self) -> usize {
        self.width.div_ceil(LANES)
    }

    /// Cycles in which the state passes a sub-engine: B.
    pub const fn beats(self) -> usize {
        if self.goldilocks { 1 } else { self.groups() }
    }

    /// Cycles in which a multiplier of the S-box is taken: 2 with x^7, which has two products.
    const fn s_box_cycles(self) -> usize {
        if self.alpha == 7 { 2 } else { 1 }
    }

    /// Steps of a row of a matrix: S.
    pub const fn steps(self) -> usize {
        max(self.groups(), self.s_box_cycles())
    }

    /// Cycles that a full round occupies a full-round sub-engine: f.
    pub const fn full_round_cycles(self) -> usize {
        self.beats() * self.steps()
    }

    /// Beats that the last full round of a hash makes: those up to the digest. With x^7 there are two at least of
    /// four, in whose time the beats of the state pass the S-boxes, and all of fewer: an element takes a multiplier
    /// twice, an odd number of cycles apart, so that elements at even distances never meet there, nor
    /// those at multiples of three cycles, but a mixture does.
    pub const fn last_beats(self) -> usize {
        match (self.alpha, self.beats()) {
            (7, MAX_BEATS) => max(self.digest_beats, 2),
            (7, beats) => beats,
            _ => self.digest_beats,
        }
    }

    /// Cycles from one beat to the next, as the last full round of a hash takes them.
    pub const fn last_spacing(self) -> usize {
        if self.last_beats() < self.beats() {
            self.s_box_cycles()
        } else {
            self.steps()
        }
    }

    /// Cycles that the last full round of a hash occupies a full-round sub-engine: l.
    pub const fn last_round_cycles(self) -> usize {
        self.last_beats() * self.steps()
    }

    /// The same where the state after the last round is used as a whole.
    #[must_use]
    pub const fn of_whole_states(self) -> Self {
        Self {
            digest_beats: self.beats(),
            ..self
        }
    }

    /// Cycles that full rounds occupy a full-round sub-engine, the last one of a hash among them.
    const fn last_rounds_cycles(self, full_rounds: usize) -> usize {
        full_rounds.saturating_sub(1) * self.full_round_cycles() + self.last_round_cycles()
    }

    /// Cycles that a partial round occupies a partial-round sub-engine: g.
    pub const fn partial_round_cycles(self) -> usize {
        max(self.beats(), self.s_box_cycles())
    }

    /// Cycles that a partial round occupies a full-round sub-engine: P, or f when it is dense.
    pub const fn partial_round_cycles_on_full(self) -> usize {
        if self.dense {
            self.full_round_cycles()
        } else {
            self.sparse_entries()
        }
    }

    /// Entries of the matrix memories for a matrix: B * S.
    pub const fn matrix_entries(self) -> usize {
        self.beats() * self.steps()
    }

    /// Entries of the matrix memories for a sparse partial round.
    pub const fn sparse_entries(self) -> usize {
        if self.beats() == 1 {
            self.steps()
        } else {
            self.beats()
        }
    }

    /// Multiplications and squarings of an S-box.
    const fn s_box_products(self) -> usize {
        match self.alpha {
            3 => 2,
            5 => 3,
            _ => 4,
        }
    }

    /// Multiplications and squarings that a hash with `digest` elements needs, see the Poseidon paper: those
    /// of the S-boxes, t^2 for a matrix, 2 t - 1 for a sparse one, and t for each element of the digest.
    pub const fn products(self, rounds: Rounds, digest: usize) -> usize {
        let t = self.width;
        let dense = t * t;
        let partial = if self.dense { dense } else { 2 * t - 1 };
        let full = rounds.full_first + rounds.full_last;
        full * t * self.s_box_products()
            + (full - 1) * dense
            + digest * t
            + rounds.partial * (partial + self.s_box_products())
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
    /// Full rounds before the partial rounds.
    pub full_first: usize,
    /// Partial rounds.
    pub partial: usize,
    /// Full rounds after the partial rounds.
    pub full_last: usize,
}

/// Which sub-engine runs which rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segments {
    /// Full rounds of the first full-round sub-engine before its partial rounds.
    pub full_first: usize,
    /// Partial rounds of each sub-engine, in order.
    pub partial: [usize; SUB_ENGINES],
    /// Full rounds at the end, on the second full-round sub-engine where there is one.
    pub full_last: usize,
}

impl Segments {
    /// Shares out `rounds` so that the busiest sub-engine is occupied for as few cycles as
    /// possible, and among those ways so that the full-round sub-engines have as few partial
    /// rounds as possible. `None` when the memories are too small for any way.
    pub fn plan(shape: Shape, rounds: Rounds, limits: &EngineLimits) -> Option<Self> {
        let mut rounds = rounds;
        if rounds.partial == 0 && limits.num_full > 1 {
            // Nothing is between the halves, so they can be evened out.
            let full = rounds.full_first + rounds.full_last;
            rounds.full_first = full / 2;
            rounds.full_last = full - full / 2;
        }
        let room = Room::new(shape, rounds, limits)?;
        // The largest period that can make a difference: everything in one sub-engine.
        let longest = shape.last_rounds_cycles(rounds.full_first + rounds.full_last)
            + rounds.partial
                * shape
                    .partial_round_cycles_on_full()
                    .max(shape.partial_round_cycles());
        if room.within(longest) < rounds.partial {
            return None;
        }
        let (mut low, mut high) = (0, longest);
        while low < high {
            let middle = low + (high - low) / 2;
            if room.fits(middle) && room.within(middle) >= rounds.partial {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        Some(room.share_out(low))
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
        self.first_fit(shape, limits)
            && self.last_fit(shape, limits)
            && (0..SUB_ENGINES).all(|engine| self.partial_fit(engine, shape, limits))
    }

    /// Whether the first full-round sub-engine has room for the vectors of the first full rounds and
    /// of its partial rounds.
    pub(super) fn first_fit(&self, shape: Shape, limits: &EngineLimits) -> bool {
        vectors_fit(&[self.full_first, self.partial[FIRST_FULL]], shape, limits)
    }

    /// Whether the sub-engine of the last full rounds has room for all its vectors.
    pub(super) fn last_fit(&self, shape: Shape, limits: &EngineLimits) -> bool {
        let first = [self.full_first, self.partial[FIRST_FULL]];
        let last = [self.partial[SECOND_FULL], self.full_last];
        let all = [first, last].concat();
        let together = if limits.num_full > 1 { &last[..] } else { &all };
        vectors_fit(together, shape, limits) && sum(&all).is_some_and(|sum| sum <= MAX_ROUNDS)
    }

    /// Whether sub-engine `engine` exists, where it has partial rounds, and has room for their
    /// matrices, or for all its constants if it is a partial-round sub-engine.
    pub(super) fn partial_fit(&self, engine: usize, shape: Shape, limits: &EngineLimits) -> bool {
        let rounds = self.partial[engine];
        let within = |entries: usize, depth: usize| {
            (rounds.checked_mul(entries)).is_some_and(|entries| entries <= depth)
        };
        match engine {
            _ if rounds > MAX_ROUNDS => false,
            SECOND_FULL if limits.num_full == 1 => rounds == 0,
            FIRST_FULL | SECOND_FULL => {
                let entries = if shape.dense {
                    0
                } else {
                    shape.sparse_entries()
                };
                (limits.matrix_depth.min(MAX_DEPTH))
                    .checked_sub(2 * shape.matrix_entries())
                    .is_some_and(|depth| within(entries, depth))
            }
            _ if engine > limits.num_partial || shape.dense => rounds == 0,
            _ => within(shape.beats(), limits.partial_depth.min(MAX_DEPTH)),
        }
    }

    /// Cycles that a hash occupies each sub-engine.
    pub fn busy(&self, shape: Shape, num_full: usize) -> [usize; SUB_ENGINES] {
        let mut busy = self.partial.map(|n| n * shape.partial_round_cycles());
        for engine in [FIRST_FULL, SECOND_FULL] {
            busy[engine] = self.partial[engine] * shape.partial_round_cycles_on_full();
        }
        let last = if num_full > 1 {
            SECOND_FULL
        } else {
            FIRST_FULL
        };
        busy[FIRST_FULL] += self.full_first * shape.full_round_cycles();
        busy[last] += shape.last_rounds_cycles(self.full_last);
        busy
    }
}

/// Whether the vectors of `rounds`, all in one full-round sub-engine, fit into its memories.
fn vectors_fit(rounds: &[usize], shape: Shape, limits: &EngineLimits) -> bool {
    let depth = limits.constant_depth.min(MAX_DEPTH) / shape.beats();
    sum(rounds).is_some_and(|sum| sum <= depth)
}

/// The sum, `None` when it is too large.
fn sum(numbers: &[usize]) -> Option<usize> {
    numbers
        .iter()
        .try_fold(0_usize, |sum, &number| sum.checked_add(number))
}

/// What a full-round sub-engine has room for beside its full rounds.
#[derive(Clone, Copy)]
struct FullRoom {
    /// Cycles of its full rounds.
    cycles: usize,
    /// Partial rounds that its memories have room for.
    depth: usize,
}

/// Room for partial rounds.
struct Room {
    shape: Shape,
    rounds: Rounds,
    num_partial: usize,
    partial_depth: usize,
    on_full: [FullRoom; 2],
    /// Partial rounds that all full-round sub-engines can have together.
    most_on_full: usize,
}

impl Room {
    /// `None` when not even the full rounds fit.
    fn new(shape: Shape, rounds: Rounds, limits: &EngineLimits) -> Option<Self> {
        let beats = shape.beats();
        let matrices = limits
            .matrix_depth
            .min(MAX_DEPTH)
            .checked_sub(2 * shape.matrix_entries())?;
        let matrices = if shape.dense {
            usize::MAX
        } else {
            matrices / shape.sparse_entries()
        };
        let vectors = (limits.constant_depth.min(MAX_DEPTH) / beats).min(MAX_ROUNDS);
        let full = |full_rounds: usize, cycles: usize| {
            Some(FullRoom {
                cycles,
                depth: vectors.checked_sub(full_rounds)?.min(matrices),
            })
        };
        let on_full = if limits.num_full > 1 {
            let (first, last) = (rounds.full_first, rounds.full_last);
            [
                full(first, first * shape.full_round_cycles())?,
                full(last, shape.last_rounds_cycles(last))?,
            ]
        } else {
            let absent = FullRoom {
                cycles: 0,
                depth: 0,
            };
            let all = rounds.full_first + rounds.full_last;
            [full(all, shape.last_rounds_cycles(all))?, absent]
        };
        Some(Self {
            shape,
            rounds,
            num_partial: limits.num_partial,
            partial_depth: if shape.dense {
                0
            } else {
                (limits.partial_depth.min(MAX_DEPTH) / beats).min(MAX_ROUNDS)
            },
            on_full,
            most_on_full: MAX_ROUNDS.checked_sub(rounds.full_first + rounds.full_last)?,
        })
    }

    /// Whether the full rounds take no more than `period` cycles.
    fn fits(&self, period: usize) -> bool {
        self.on_full.iter().all(|full| full.cycles <= period)
    }

    /// Partial rounds that a partial-round sub-engine can take in `period` cycles.
    fn on_partial(&self, period: usize) -> usize {
        self.partial_depth
            .min(period / self.shape.partial_round_cycles())
    }

    /// Partial rounds that each full-round sub-engine can take in `period` cycles.
    fn on_full(&self, period: usize) -> [usize; 2] {
        self.on_full.map(|full| {
            let cycles = period.saturating_sub(full.cycles);
            full.depth
                .min(cycles / self.shape.partial_round_cycles_on_full())
        })
    }

    /// Partial rounds that fit into `period` cycles.
    fn within(&self, period: usize) -> usize {
        let on_full: usize = self.on_full(period).iter().sum();
        self.num_partial * self.on_partial(period) + on_full.min(self.most_on_full)
    }

    /// Shares out the rounds, which fit into `period` cycles, evenly among sub-engines of a kind.
    fn share_out(&self, period: usize) -> Segments {
        let room = self.on_partial(period) * self.num_partial;
        let on_partial = self.rounds.partial.min(room);
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
            cycles[least_busy] += self.shape.partial_round_cycles_on_full();
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
            prime: word::from_u64(0),
            num_full,
            num_partial,
            matrix_depth: 255,
            constant_depth: 255,
            partial_depth: 255,
            goldilocks: true,
            montgomery_bits: 260,
            runtime_modulus: false,
            places: 64,
            loop_cycles: 59,
        }
    }

    const fn shape(width: usize, alpha: u64) -> Shape {
        Shape {
            width,
            alpha,
            goldilocks: false,
            dense: false,
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

    fn period(shape: Shape, rounds: Rounds, limits: &EngineLimits) -> usize {
        let segments = Segments::plan(shape, rounds, limits).unwrap();
        assert!(segments.fit(shape, limits));
        assert_eq!(segments.partial.iter().sum::<usize>(), rounds.partial);
        segments
            .busy(shape, limits.num_full)
            .into_iter()
            .max()
            .unwrap()
    }

    const FILECOIN: [(usize, usize); 4] = [(3, 55), (5, 56), (9, 57), (12, 57)];

    #[test]
    fn periods_of_filecoin() {
        for (num_full, num_partial, expected) in [
            (1, 1, [32, 72, 120, 172]),
            (1, 3, [16, 36, 66, 116]),
            (1, 6, [9, 30, 66, 116]),
            (2, 3, [13, 30, 48, 72]),
        ] {
            for ((width, partial), expected) in FILECOIN.into_iter().zip(expected) {
                assert_eq!(
                    period(
                        shape(width, 5),
                        rounds(8, partial),
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
        for ((width, partial), expected) in FILECOIN.into_iter().zip([578, 972, 1932, 2790]) {
            assert_eq!(shape(width, 5).products(rounds(8, partial), 1), expected);
        }
    }

    #[test]
    fn periods_of_other_hashes() {
        let default = limits(1, 3);
        // Mina: 55 full rounds with x^7.
        assert_eq!(period(shape(3, 7), rounds(55, 0), &default), 110);
        assert_eq!(period(shape(3, 7), rounds(55, 0), &limits(2, 1)), 56);
        // Plonky2: 8 full rounds of 4 cycles, 22 partial rounds of 2.
        let plonky2 = Shape {
            goldilocks: true,
            ..shape(12, 7)
        };
        assert_eq!(plonky2.full_round_cycles(), 4);
        assert_eq!(plonky2.partial_round_cycles(), 2);
        assert_eq!(period(plonky2, rounds(8, 22), &default), 32);
        // Dense partial rounds: all on the full-round sub-engine.
        let dense = Shape {
            dense: true,
            ..shape(5, 5)
        };
        assert_eq!(period(dense, rounds(8, 10), &default), 17 * 4 + 2);
        assert_eq!(period(dense, rounds(8, 10), &limits(2, 1)), 9 * 4);
        let whole = dense.of_whole_states();
        assert_eq!(period(whole, rounds(8, 10), &default), 18 * 4);
    }

    #[test]
    fn memories_limit_the_segments() {
        let shape = shape(5, 5);
        let shallow = EngineLimits {
            partial_depth: 20,
            ..limits(1, 3)
        };
        let segments = Segments::plan(shape, rounds(8, 56), &shallow).unwrap();
        assert_eq!(segments.partial, [26, 10, 10, 10, 0, 0, 0, 0]);
        // 2 matrices of 4 entries and 26 rounds of 2; 34 vectors of 2 beats.
        let exact = EngineLimits {
            matrix_depth: 8 + 52,
            constant_depth: 68,
            ..shallow
        };
        assert!(Segments::plan(shape, rounds(8, 56), &exact).is_some());
        for too_small in [
            EngineLimits {
                matrix_depth: 59,
                ..exact
            },
            EngineLimits {
                constant_depth: 67,
                ..exact
            },
            EngineLimits {
                matrix_depth: 7,
                ..exact
            },
            EngineLimits {
                partial_depth: 19,
                ..exact
            },
        ] {
            assert_eq!(Segments::plan(shape, rounds(8, 56), &too_small), None);
        }
    }

    /// The shortest period, found by trying every number of partial rounds on the full-round
    /// sub-engines.
    fn shortest(shape: Shape, rounds: Rounds, limits: &EngineLimits) -> Option<(usize, usize)> {
        (0..=rounds.partial)
            .flat_map(|first| (0..=rounds.partial - first).map(move |second| (first, second)))
            .filter_map(|(first, second)| {
                let mut partial = [0; SUB_ENGINES];
                (partial[FIRST_FULL], partial[SECOND_FULL]) = (first, second);
                for i in 0..rounds.partial - first - second {
                    partial[1 + i % limits.num_partial] += 1;
                }
                let segments = Segments {
                    full_first: rounds.full_first,
                    partial,
                    full_last: rounds.full_last,
                };
                let busy = segments.busy(shape, limits.num_full);
                segments
                    .fit(shape, limits)
                    .then(|| (*busy.iter().max().unwrap(), first + second))
            })
            .min()
    }

    proptest! {
        #[test]
        fn the_plan_is_the_best(
            width in 2_usize..=12,
            alpha in prop::sample::select(&[3_u64, 5, 7][..]),
            goldilocks: bool,
            dense: bool,
            digest_beats in 1_usize..=4,
            full_first in 1_usize..9,
            partial in 1_usize..60,
            full_last in 1_usize..9,
            num_full in 1_usize..=2,
            num_partial in 1_usize..=6,
            matrix_depth in 8_usize..200,
            constant_depth in 8_usize..256,
            partial_depth in 4_usize..128,
        ) {
            let whole = Shape { width, alpha, goldilocks, dense, digest_beats }.of_whole_states();
            let shape = Shape { digest_beats: digest_beats.min(whole.digest_beats), ..whole };
            let rounds = Rounds { full_first, partial, full_last };
            let limits = EngineLimits {
                matrix_depth,
                constant_depth,
                partial_depth,
                ..limits(num_full, num_partial)
            };
            let found = Segments::plan(shape, rounds, &limits).map(|segments| {
                assert!(segments.fit(shape, &limits));
                let busy = segments.busy(shape, num_full);
                let on_full = segments.partial[FIRST_FULL] + segments.partial[SECOND_FULL];
                (*busy.iter().max().unwrap(), on_full)
            });
            prop_assert_eq!(found, shortest(shape, rounds, &limits));
        }
    }
}

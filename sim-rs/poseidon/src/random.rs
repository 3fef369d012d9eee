//! Arbitrary parameter sets and field elements from a seed, for tests.
//!
//! Nothing about these sets is secure; every table is filled with what a generator of pseudo-random
//! numbers gives. The same seed gives the same values everywhere.

use std::ops::RangeInclusive;

use ark_ff::PrimeField;
use rand::seq::SliceRandom as _;
use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use crate::fields::{AnyParameters, FieldId, PoseidonField};
use crate::params::{
    Compression, InverseRounds, MAX_SMALL_DIGEST, MAX_WIDTH, MIN_WIDTH, PoseidonParameters,
    PoseidonSpecification, RoundOrder, is_permutation,
};
use crate::sponge::{Absorption, Capacity, Padding, Sponge};
use crate::with_field;

/// What is drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranges {
    /// State widths.
    pub widths: RangeInclusive<usize>,
    /// Which rounds have the inverse S-box.
    pub inverse_rounds: InverseRounds,
    /// S-box exponents; one that is no permutation of the field is not drawn. Over a field that has none of the
    /// usual 3, 5 and 7, as that of BLS12-377, these stand for 17.
    pub exponents: Vec<u64>,
    /// Orders of the steps of a round.
    pub orders: Vec<RoundOrder>,
    /// Full rounds of each half.
    pub full_rounds: RangeInclusive<usize>,
    /// Partial rounds.
    pub partial_rounds: RangeInclusive<usize>,
    /// Whether the matrix has no sparse form: it is singular without row and column of the partial
    /// S-box. (Without that, a matrix has one but for a probability of about 1 / p.)
    pub singular_minor: bool,
    /// Whether the entry of the matrix of partial rounds at the partial S-box is zero: its output does not enter the
    /// element that has the next one.
    pub zero_corner: bool,
    /// Whether partial rounds, where there are any, have a matrix of their own, and the permutation begins with a
    /// layer without S-boxes, as in Poseidon2.
    pub poseidon2: bool,
    /// Whether the entries of the MDS matrix are integers up to 170, of either sign.
    pub small_integers: bool,
    /// What of the state before the permutation is in the digest.
    pub compression: Compression,
    /// Whether there is a sponge: of any rate, absorption, padding and capacity. A compression leaves no room for one.
    pub sponge: bool,
}

impl Default for Ranges {
    /// All widths, exponents and orders, few rounds, a sparse form.
    fn default() -> Self {
        Self {
            widths: MIN_WIDTH..=MAX_WIDTH,
            exponents: USUAL_EXPONENTS.to_vec(),
            inverse_rounds: InverseRounds::None,
            orders: vec![RoundOrder::ConstantsFirst, RoundOrder::SboxFirst],
            full_rounds: 1..=5,
            partial_rounds: 0..=12,
            singular_minor: false,
            zero_corner: false,
            poseidon2: false,
            small_integers: false,
            compression: Compression::None,
            sponge: false,
        }
    }
}

/// Draws parameter sets and field elements.
#[derive(Clone, Debug)]
pub struct Generator(ChaCha8Rng);

const USUAL_EXPONENTS: [u64; 3] = [3, 5, 7];
const OTHER_EXPONENT: u64 = 17;

/// Largest of small integers.
const LARGEST_SMALL: i64 = 170;

impl Generator {
    /// The generator of `seed`.
    pub fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    /// Any field element, each with about the same probability.
    pub fn element<F: PrimeField>(&mut self) -> F {
        let mut bytes = [0; 64];
        self.0.fill(&mut bytes);
        F::from_le_bytes_mod_order(&bytes)
    }

    /// A field element, one time out of eight a corner value: 0, 1, p - 1, or one half.
    pub fn corner_element<F: PrimeField>(&mut self) -> F {
        match self.0.gen_range(0..32) {
            0 => F::ZERO,
            1 => F::ONE,
            2 => -F::ONE,
            3 => F::from(2_u64).inverse().unwrap_or(F::ONE),
            _ => self.element(),
        }
    }

    /// `count` elements by [`Generator::corner_element`].
    pub fn elements<F: PrimeField>(&mut self, count: usize) -> Vec<F> {
        (0..count).map(|_| self.corner_element()).collect()
    }

    /// `count` different indices below `width` in any order.
    fn positions(&mut self, width: usize, count: usize) -> Vec<usize> {
        let mut positions: Vec<usize> = (0..width).collect();
        positions.shuffle(&mut self.0);
        positions.truncate(count);
        positions
    }

    /// A sponge over a state of `width` elements, with digests of `digest_length`; `width` is above 1.
    fn sponge(&mut self, width: usize, digest_length: usize) -> Sponge {
        // The digest of a block takes all places beside the rate.
        let is_chained = digest_length < width && self.0.gen_ratio(1, 4);
        let (rate, absorption) = if is_chained {
            (width - digest_length, Absorption::OverwriteChained)
        } else {
            let some = [
                Absorption::Add,
                Absorption::AddClosed,
                Absorption::Overwrite,
            ];
            (self.0.gen_range(1..width), some[self.0.gen_range(0..3)])
        };
        let mut positions = self.positions(width, width);
        let beside = positions.split_off(rate);
        let position = beside[0];
        let domain = u64::from(self.0.r#gen::<u32>());
        let capacity = match (self.0.gen_range(0..7), beside.get(1)) {
            (0, _) => Capacity::InitialState,
            (1, _) => Capacity::Length { position },
            (2, _) => Capacity::Safe { position, domain },
            (3, _) => Capacity::WholeLength { position },
            (4, _) => Capacity::ShortBlock { position },
            (5, Some(&domain_position)) => Capacity::LengthModuloRate {
                position,
                domain_position,
                domain,
            },
            _ => Capacity::Zero,
        };
        let paddings = [
            Padding::None,
            Padding::Zeros,
            Padding::One,
            Padding::OneZerosOne,
        ];
        Sponge {
            rate_positions: positions,
            absorption,
            padding: paddings[self.0.gen_range(0..4)],
            capacity,
            permute_empty: self.0.r#gen(),
            short_rows_are_digests: self.0.gen_ratio(1, 4),
        }
    }

    /// A parameter set; `None` when no exponent of `ranges` is a permutation of the field, or a range
    /// is empty or goes beyond what a parameter set can have.
    pub fn parameters<F: PrimeField>(
        &mut self,
        name: &str,
        field_name: &str,
        ranges: &Ranges,
    ) -> Option<PoseidonParameters<F>> {
        let exponents: Vec<u64> = (ranges.exponents.iter().copied())
            .filter(|&alpha| is_permutation::<F>(alpha))
            .collect();
        let alpha = match exponents.choose(&mut self.0) {
            Some(&alpha) => alpha,
            None if ranges.exponents == USUAL_EXPONENTS => OTHER_EXPONENT,
            None => return None,
        };
        let round_order = *ranges.orders.choose(&mut self.0)?;
        let all = [&ranges.widths, &ranges.full_rounds, &ranges.partial_rounds];
        if all.into_iter().any(RangeInclusive::is_empty) {
            return None;
        }
        let width = self.0.gen_range(ranges.widths.clone());
        let full_rounds_first = self.0.gen_range(ranges.full_rounds.clone());
        let full_rounds_last = self.0.gen_range(ranges.full_rounds.clone());
        let partial_rounds = self.0.gen_range(ranges.partial_rounds.clone());
        let partial_index = self.0.gen_range(0..width);
        let inputs = self.0.gen_range(1..=width);
        let longest = if F::MODULUS_BIT_SIZE == 64 {
            MAX_SMALL_DIGEST.min(width)
        } else {
            1
        };
        let mut digest_length = self.0.gen_range(1..=longest);
        let is_jive = ranges.compression == Compression::Jive;
        while is_jive && (!width.is_multiple_of(digest_length) || digest_length == width) {
            digest_length -= 1;
        }
        let rounds = full_rounds_first + partial_rounds + full_rounds_last;
        let round_constants = (0..rounds).map(|_| self.elements(width)).collect();
        let mut mds: Vec<Vec<F>> = (0..width)
            .map(|_| {
                let entries = (0..width).map(|_| {
                    if ranges.small_integers {
                        F::from(self.0.gen_range(-LARGEST_SMALL..=LARGEST_SMALL))
                    } else {
                        self.element()
                    }
                });
                entries.collect()
            })
            .collect();
        let mut partial_matrix: Option<Vec<Vec<F>>> = (ranges.poseidon2 && partial_rounds > 0)
            .then(|| {
                (0..width)
                    .map(|_| (0..width).map(|_| self.element()).collect())
                    .collect()
            });
        let of_partial_rounds = partial_matrix.as_mut().unwrap_or(&mut mds);
        if ranges.singular_minor {
            make_minor_singular(of_partial_rounds, partial_index);
        }
        if ranges.zero_corner {
            of_partial_rounds[partial_index][partial_index] = F::ZERO;
        }
        let initial_state = self.elements(width);
        let input_positions = self.positions(width, inputs);
        let digest_positions = match ranges.compression {
            Compression::Jive => (0..digest_length).collect(),
            Compression::None | Compression::FeedForward => self.positions(width, digest_length),
        };
        let has_sponge = ranges.sponge && ranges.compression == Compression::None;
        PoseidonParameters::new(PoseidonSpecification {
            name: name.to_owned(),
            field_name: field_name.to_owned(),
            alpha,
            full_rounds_first,
            partial_rounds,
            full_rounds_last,
            round_order,
            partial_index,
            partial_matrix,
            first_layer: ranges.poseidon2,
            inverse_rounds: ranges.inverse_rounds,
            compression: ranges.compression,
            round_constants,
            mds,
            initial_state,
            input_positions,
            digest_positions,
            sponge: has_sponge.then(|| self.sponge(width, digest_length)),
        })
        .ok()
    }
}

/// Makes the minor without row and column `index` singular: two of its rows equal, or, where it has
/// one entry only, that zero.
fn make_minor_singular<F: PrimeField>(matrix: &mut [Vec<F>], index: usize) {
    let width = matrix.len();
    let others: Vec<usize> = (0..width).filter(|&i| i != index).collect();
    match *others.as_slice() {
        [only] => matrix[only][only] = F::ZERO,
        [first, second, ..] => {
            for &column in &others {
                matrix[second][column] = matrix[first][column];
            }
        }
        [] => {}
    }
}

/// A parameter set over `F` from `seed`; its name contains the seed. `None` as with
/// [`Generator::parameters`].
pub fn parameters<F: PoseidonField>(seed: u64, ranges: &Ranges) -> Option<PoseidonParameters<F>> {
    let name = format!("random-{}-{seed}", F::ID);
    Generator::new(seed).parameters(&name, F::ID.name(), ranges)
}

/// The same over a field that is told at run time.
pub fn any_parameters(field: FieldId, seed: u64, ranges: &Ranges) -> Option<AnyParameters> {
    with_field!(field, F => parameters::<F>(seed, ranges).map(F::wrap))
}

#[cfg(test)]
mod tests {
    use ark_ff::AdditiveGroup;

    use super::*;
    use crate::fields::Goldilocks;
    use crate::matrix::is_invertible;
    use crate::normal_form::DenseRounds;

    #[test]
    fn the_same_seed_gives_the_same_set() {
        let ranges = Ranges::default();
        for field in FieldId::ALL {
            let first = any_parameters(field, 1, &ranges);
            assert!(first.is_some());
            assert_eq!(first, any_parameters(field, 1, &ranges));
            assert_ne!(first, any_parameters(field, 2, &ranges));
        }
    }

    #[test]
    fn every_shape_is_drawn() {
        let ranges = Ranges::default();
        let sets: Vec<_> = (0..300)
            .filter_map(|seed| parameters::<Goldilocks>(seed, &ranges))
            .collect();
        assert_eq!(sets.len(), 300);
        for width in MIN_WIDTH..=MAX_WIDTH {
            assert!(sets.iter().any(|set| set.width() == width));
        }
        for length in 1..=4 {
            assert!(sets.iter().any(|set| set.digest_length() == length));
        }
        assert!(sets.iter().any(|set| set.inputs() == set.width()));
        assert!(sets.iter().any(|set| set.partial_rounds() == 0));
        assert!(sets.iter().any(|set| set.partial_index() > 0));
    }

    #[test]
    fn minors_are_singular_where_asked_for() {
        let ranges = Ranges {
            singular_minor: true,
            partial_rounds: 1..=3,
            ..Ranges::default()
        };
        for seed in 0..50 {
            let set = parameters::<Goldilocks>(seed, &ranges).unwrap();
            let minor: Vec<_> = DenseRounds::new(&set).mds[1..]
                .iter()
                .map(|row| row[1..].to_vec())
                .collect();
            assert!(!is_invertible(&minor));
            let warnings = set.warnings();
            assert!(
                warnings
                    .iter()
                    .all(|warning| !warning.contains("singular: ")),
                "{warnings:?}"
            );
            assert!(warnings[0].contains("not MDS"), "{warnings:?}");
        }
    }

    #[test]
    fn corners_are_zero_where_asked_for() {
        for (seed, poseidon2) in (0..20).zip([false, true].into_iter().cycle()) {
            let ranges = Ranges {
                zero_corner: true,
                poseidon2,
                partial_rounds: 1..=3,
                ..Ranges::default()
            };
            let set = parameters::<Goldilocks>(seed, &ranges).unwrap();
            let (matrix, corner) = (set.partial_matrix(), set.partial_index());
            assert_eq!(matrix[corner][corner], Goldilocks::ZERO);
            let zeros = |&entry: &&Goldilocks| *entry == Goldilocks::ZERO;
            assert_eq!(matrix.iter().flatten().filter(zeros).count(), 1);
        }
    }

    #[test]
    fn every_kind_of_sponge_is_drawn() {
        let ranges = Ranges {
            sponge: true,
            ..Ranges::default()
        };
        let plain = Ranges::default();
        let mut found = std::collections::BTreeSet::new();
        for seed in 0..400 {
            // The set is the same but for its sponge.
            let set = parameters::<Goldilocks>(seed, &ranges).unwrap();
            let sponge = set.sponge().unwrap();
            let mut specification = set.specification().clone();
            specification.sponge = None;
            let set = PoseidonParameters::new(specification);
            assert_eq!(set.ok(), parameters::<Goldilocks>(seed, &plain));
            found.insert(format!("{:?}", sponge.absorption));
            found.insert(format!("{:?}", sponge.padding));
            let capacity = format!("{:?}", sponge.capacity);
            found.insert(capacity.split(' ').next().unwrap().to_owned());
            found.insert(format!("empty: {}", sponge.permute_empty));
            found.insert(format!("short: {}", sponge.short_rows_are_digests));
        }
        // Absorptions, paddings, capacities and both of the two switches.
        assert_eq!(found.len(), 4 + 4 + 7 + 2 + 2, "{found:?}");
        let jive = Ranges {
            compression: Compression::Jive,
            ..ranges
        };
        assert!((0..40).any(|seed| parameters::<Goldilocks>(seed, &jive).is_some()));
    }

    #[test]
    fn exponents_that_are_no_permutations_are_not_drawn() {
        let ranges = Ranges {
            exponents: vec![3, 5],
            ..Ranges::default()
        };
        assert_eq!(parameters::<Goldilocks>(1, &ranges), None);
    }
}

//! A case of a soak: what is hashed, with which parameter set, on a device in which state. It follows from its seed,
//! is written down in JSON, and can be made smaller.

use acclmt_driver::sharing::Sharing;
use acclmt_model::stalls::Stalls;
use acclmt_poseidon::fields::{AnyParameters, FieldId, PoseidonField};
use acclmt_poseidon::params::{Compression, InverseRounds};
use acclmt_poseidon::presets;
use acclmt_poseidon::random::{self, Generator, Ranges};
use acclmt_poseidon::with_field;
use acclmt_poseidon::word::{self, Word};
use rand::seq::SliceRandom as _;
use rand::{Rng, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// Families of random parameter sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Family {
    Poseidon,
    Poseidon2,
    /// Partial rounds without a sparse form.
    Dense,
    /// The output of the partial S-box does not enter the next one.
    ZeroCorner,
    /// Matrices that adders can make.
    SmallIntegers,
    FeedForward,
    Jive,
    /// Every second round has the inverse S-box.
    Rescue,
    /// The same, without the last matrix.
    RescueOptimized,
}

const FAMILIES: [Family; 9] = [
    Family::Poseidon,
    Family::Poseidon2,
    Family::Dense,
    Family::ZeroCorner,
    Family::SmallIntegers,
    Family::FeedForward,
    Family::Jive,
    Family::Rescue,
    Family::RescueOptimized,
];

/// The parameter set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Set {
    Preset(String),
    Random {
        field: String,
        family: Family,
        width: usize,
        full_rounds: usize,
        partial_rounds: usize,
        /// Whether the exponent is one beyond the usual 3, 5 and 7, which takes more than a pass.
        #[serde(default)]
        long_exponent: bool,
        /// Whether there is a sponge, so that rows of any length are hashed.
        #[serde(default)]
        sponge: bool,
    },
}

/// Exponents beyond the usual ones; some of them are permutations of each field.
const LONG_EXPONENTS: [u64; 6] = [9, 11, 13, 17, 23, 257];

/// What a leaf is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Leaf {
    Digest,
    Hash,
    Row(usize),
}

/// What stands for missing leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Missing {
    Leaf,
    SubTree,
}

/// What is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Work {
    Hashes(usize),
    Permutations(usize),
    Tree {
        leaf: Leaf,
        leaves: u64,
        /// Levels more than the least.
        higher: u32,
        cap: u32,
        missing: Missing,
    },
    /// So many random writes and reads of registers of a chip that was just reset, then a hash.
    Registers(usize),
}

/// What happens to the device before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Before {
    Nothing,
    /// A run whose input ends after so many elements, which aborts it.
    InputEnds(usize),
    /// A run with an element that is not below the prime.
    BadElement,
    Zeroise,
}

/// A case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// Of the constants and of what is hashed.
    pub seed: u64,
    pub set: Set,
    pub work: Work,
    pub before: Before,
    /// `fixed` or `shared`.
    pub sharing: String,
    /// Rows that are under way together.
    pub row_group: Option<usize>,
    /// Shares of the cycles in which no word is offered, or taken.
    pub stalls_in: f64,
    pub stalls_out: f64,
}

/// Most leaves of a tree, and hashes of a batch: a case is to take seconds on the simulated chip.
const MOST_LEAVES: u64 = 90;
const MOST_HASHES: usize = 60;
const MOST_WRITES: usize = 400;
const MOST_COLUMNS: usize = 40;

impl Case {
    /// The case of a seed, over one of these fields.
    pub fn draw(seed: u64, fields: &[FieldId]) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let sets: Vec<_> = (presets::all().iter())
            .filter(|preset| fields.contains(&preset.field()))
            .collect();
        let set = match sets.choose(&mut random) {
            Some(preset) if random.gen_ratio(1, 4) => Set::Preset(preset.name().to_owned()),
            _ => {
                let family = *FAMILIES.choose(&mut random).unwrap_or(&Family::Poseidon);
                let is_rescue = matches!(family, Family::Rescue | Family::RescueOptimized);
                let field = match fields.choose(&mut random) {
                    // Inverse S-boxes are those of the small prime.
                    Some(&field) if !is_rescue => field,
                    _ => FieldId::Goldilocks,
                };
                let most = if field == FieldId::Goldilocks { 24 } else { 12 };
                Set::Random {
                    field: field.name().to_owned(),
                    family,
                    width: random.gen_range(2..=most),
                    full_rounds: random.gen_range(1..=5),
                    partial_rounds: if is_rescue {
                        0
                    } else {
                        random.gen_range(0..=60)
                    },
                    long_exponent: random.gen_ratio(1, 5),
                    sponge: !matches!(family, Family::FeedForward | Family::Jive) && random.r#gen(),
                }
            }
        };
        let work = match random.gen_range(0..8) {
            0 | 1 => Work::Hashes(random.gen_range(1..=MOST_HASHES)),
            2 => Work::Permutations(random.gen_range(1..=MOST_HASHES)),
            3 => Work::Registers(random.gen_range(1..=MOST_WRITES)),
            _ => Work::Tree {
                leaf: match random.gen_range(0..3) {
                    0 => Leaf::Digest,
                    1 => Leaf::Hash,
                    _ => Leaf::Row(random.gen_range(1..=MOST_COLUMNS)),
                },
                leaves: random.gen_range(1..=MOST_LEAVES),
                higher: random.gen_range(0..2),
                cap: random.gen_range(0..3),
                missing: if random.r#gen() {
                    Missing::Leaf
                } else {
                    Missing::SubTree
                },
            },
        };
        let before = match random.gen_range(0..8) {
            0 => Before::InputEnds(random.gen_range(0..100)),
            1 => Before::BadElement,
            2 => Before::Zeroise,
            _ => Before::Nothing,
        };
        let mut share = || match random.gen_range(0..3) {
            0 => 0.0,
            1 => f64::from(random.gen_range(1..10_u32)) / 100.0,
            _ => f64::from(random.gen_range(10..90_u32)) / 100.0,
        };
        let (stalls_in, stalls_out) = (share(), share());
        Self {
            seed,
            set,
            work,
            before,
            sharing: (if random.r#gen() {
                Sharing::Shared
            } else {
                Sharing::Fixed
            })
            .to_string(),
            row_group: random.gen_ratio(1, 3).then(|| random.gen_range(1..20)),
            stalls_in,
            stalls_out,
        }
    }

    /// The parameter set; `Err` says why there is none.
    pub fn parameters(&self) -> Result<AnyParameters, String> {
        match &self.set {
            Set::Preset(name) => presets::by_name(name)
                .cloned()
                .map_err(|error| error.to_string()),
            Set::Random {
                field,
                family,
                width,
                full_rounds,
                partial_rounds,
                long_exponent,
                sponge,
            } => {
                let field = FieldId::from_name(field).map_err(|error| error.to_string())?;
                let usual = Ranges::default();
                let ranges = Ranges {
                    widths: *width..=*width,
                    full_rounds: *full_rounds..=*full_rounds,
                    partial_rounds: *partial_rounds..=*partial_rounds,
                    singular_minor: *family == Family::Dense,
                    zero_corner: *family == Family::ZeroCorner,
                    poseidon2: *family == Family::Poseidon2,
                    small_integers: *family == Family::SmallIntegers,
                    compression: match family {
                        Family::FeedForward => Compression::FeedForward,
                        Family::Jive => Compression::Jive,
                        _ => Compression::None,
                    },
                    inverse_rounds: match family {
                        Family::Rescue => InverseRounds::EverySecond,
                        Family::RescueOptimized => InverseRounds::EverySecondWithoutLastMatrix,
                        _ => InverseRounds::None,
                    },
                    sponge: *sponge,
                    exponents: match long_exponent {
                        true => LONG_EXPONENTS.to_vec(),
                        false => usual.exponents,
                    },
                    orders: usual.orders,
                };
                random::any_parameters(field, self.seed, &ranges)
                    .ok_or_else(|| format!("there is no such set over {}", field.name()))
            }
        }
    }

    /// The pace of the host.
    pub fn stalls(&self) -> Stalls {
        Stalls {
            seed: self.seed,
            input: self.stalls_in,
            output: self.stalls_out,
            ..Stalls::default()
        }
    }

    /// Field elements, corner values among them.
    pub fn elements(&self, field: FieldId, count: usize) -> Vec<Word> {
        fn drawn<F: PoseidonField>(seed: u64, count: usize) -> Vec<Word> {
            let elements = Generator::new(seed).elements::<F>(count);
            elements.into_iter().map(word::from_field).collect()
        }
        with_field!(field, F => drawn::<F>(self.seed ^ ELEMENTS, count))
    }

    /// What might be as wrong, but is smaller, the smallest first.
    pub fn smaller(&self) -> Vec<Self> {
        let mut found = Vec::new();
        let mut with = |change: &dyn Fn(&mut Self)| {
            let mut case = self.clone();
            change(&mut case);
            if case != *self {
                found.push(case);
            }
        };
        with(&|case| case.before = Before::Nothing);
        with(&|case| case.stalls_in = 0.0);
        with(&|case| case.stalls_out = 0.0);
        with(&|case| case.row_group = None);
        for less in [lowest as fn(u64, u64) -> u64, half, one_less] {
            with(&|case| {
                case.work = match case.work {
                    Work::Hashes(count) => Work::Hashes(less(count as u64, 1) as usize),
                    Work::Permutations(count) => Work::Permutations(less(count as u64, 1) as usize),
                    Work::Registers(count) => Work::Registers(less(count as u64, 0) as usize),
                    Work::Tree {
                        leaf,
                        leaves,
                        higher,
                        cap,
                        missing,
                    } => Work::Tree {
                        leaf,
                        leaves: less(leaves, 1),
                        higher,
                        cap,
                        missing,
                    },
                }
            });
            with(&|case| {
                if let Work::Tree {
                    leaf: Leaf::Row(columns),
                    ..
                } = &mut case.work
                {
                    *columns = less(*columns as u64, 1) as usize;
                }
            });
            with(&|case| {
                if let Work::Tree { higher, cap, .. } = &mut case.work {
                    *higher = less(u64::from(*higher), 0) as u32;
                    *cap = less(u64::from(*cap), 0) as u32;
                }
            });
            for member in 0..3 {
                with(&|case| {
                    if let Set::Random {
                        width,
                        full_rounds,
                        partial_rounds,
                        ..
                    } = &mut case.set
                    {
                        match member {
                            0 => *partial_rounds = less(*partial_rounds as u64, 0) as usize,
                            1 => *full_rounds = less(*full_rounds as u64, 1) as usize,
                            _ => *width = less(*width as u64, 2) as usize,
                        }
                    }
                });
            }
        }
        with(&|case| {
            if let Set::Random { family, .. } = &mut case.set {
                *family = Family::Poseidon;
            }
        });
        with(&|case| {
            if let Set::Random { long_exponent, .. } = &mut case.set {
                *long_exponent = false;
            }
        });
        with(&|case| {
            if let Set::Random { sponge, .. } = &mut case.set {
                *sponge = false;
            }
        });
        found
    }
}

/// Tells the seed of elements from that of constants.
const ELEMENTS: u64 = 0x5EED_0000_0000_0000;

fn lowest(_value: u64, least: u64) -> u64 {
    least
}

fn half(value: u64, least: u64) -> u64 {
    (value / 2).max(least.min(value))
}

fn one_less(value: u64, least: u64) -> u64 {
    value.saturating_sub(1).max(least.min(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_follow_from_their_seed_and_are_of_every_kind() {
        let cases: Vec<_> = (0..400)
            .map(|seed| Case::draw(seed, &FieldId::ALL))
            .collect();
        for (seed, case) in (0..).zip(&cases) {
            assert_eq!(*case, Case::draw(seed, &FieldId::ALL));
            let text = serde_json::to_string(case).unwrap();
            assert_eq!(*case, serde_json::from_str(&text).unwrap(), "{text}");
        }
        let some = |test: &dyn Fn(&Case) -> bool| assert!(cases.iter().any(test));
        for family in FAMILIES {
            some(
                &|case| matches!(&case.set, Set::Random { family: found, .. } if *found == family),
            );
        }
        some(&|case| matches!(case.set, Set::Preset(_)));
        let is_row = |case: &Case| {
            matches!(
                case.work,
                Work::Tree {
                    leaf: Leaf::Row(_),
                    ..
                }
            )
        };
        // Rows of sets that have a sponge, and sets of every kind over every field that has them.
        some(&|case| {
            is_row(case)
                && matches!(&case.set, Set::Random { sponge: true, .. })
                && case.parameters().is_ok()
        });
        some(&|case| {
            matches!(
                &case.set,
                Set::Random {
                    long_exponent: true,
                    ..
                }
            ) && case.parameters().is_ok()
        });
        for family in FAMILIES {
            some(&|case| {
                matches!(&case.set, Set::Random { family: found, .. } if *found == family)
                    && case.parameters().is_ok()
            });
        }
        some(&|case| matches!(case.work, Work::Registers(_)));
        some(&|case| matches!(case.work, Work::Permutations(_)));
        some(&|case| case.before == Before::Zeroise);
        some(&|case| matches!(case.before, Before::InputEnds(_)));
    }

    #[test]
    fn smaller_cases_are_others_and_come_to_an_end() {
        for seed in 0..40 {
            let mut case = Case::draw(seed, &FieldId::ALL);
            let mut steps = 0;
            // Always the last one, which changes least.
            while let Some(next) = case.smaller().pop() {
                assert_ne!(next, case);
                case = next;
                steps += 1;
                assert!(steps < 1000, "{case:?}");
            }
        }
    }
}

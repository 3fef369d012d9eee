//! Round numbers that known attacks ask for.
//!
//! Sources: the Poseidon paper, section 5.5, and the reference script `generate_params_poseidon.sage`, whose inequalities
//! these are; the last one is from the Poseidon2 paper (Grassi, Khovratovich and Schofnegger, "Poseidon2: A Faster
//! Version of the Poseidon Hash Function", 2023), which takes the others over. The margin that the script adds behind
//! them, two full rounds and 7.5 % of the partial ones, is not asked for.
//!
//! Of Rescue Prime: Szepieniec, Ashur and Dhooghe, "Rescue-Prime: a Standard Specification (SoK)", 2020, section 2.5, and
//! Ashur, Kindi, Meier, Szepieniec and Threadbare, "Rescue-Prime Optimized", 2022, whose margin of 40 % is asked for.

use ark_ff::PrimeField;

use crate::params::{InverseRounds, PoseidonParameters};

/// Bits of security that are asked for.
const SECURITY: f64 = 128.0;

/// The numbers that the inequalities are about.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Numbers {
    /// The logarithm of the prime.
    log2_prime: f64,
    width: f64,
    alpha: f64,
    full: f64,
    partial: f64,
}

/// An attack for which a set has too few rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shortfall {
    /// Which one.
    pub attack: &'static str,
    /// How many full rounds there have to be at least with as many partial ones, where that can be told.
    pub full_rounds: Option<u64>,
}

/// The first attack for which `parameters` has too few rounds, if there is one.
pub(crate) fn shortfall<F: PrimeField>(parameters: &PoseidonParameters<F>) -> Option<Shortfall> {
    let prime = (F::MODULUS.as_ref().iter().rev())
        .fold(0.0, |value, &limb| value * 2_f64.powi(64) + limb as f64);
    if parameters.inverse_rounds() != InverseRounds::None {
        let rate = parameters
            .sponge()
            .map_or(parameters.inputs(), |sponge| sponge.rate());
        let needed = 2 * rounds_of_rescue(parameters.width(), rate, parameters.alpha());
        return (parameters.full_rounds() < needed).then_some(Shortfall {
            attack: "attacks by Groebner bases with a variable for each S-box",
            full_rounds: Some(needed as u64),
        });
    }
    Numbers {
        log2_prime: prime.log2(),
        width: parameters.width() as f64,
        alpha: parameters.alpha() as f64,
        full: parameters.full_rounds() as f64,
        partial: parameters.partial_rounds() as f64,
    }
    .shortfall()
}

/// Rounds of Rescue Prime, two S-boxes on each element in each of them, of a sponge with `rate` of `width` elements.
fn rounds_of_rescue(width: usize, rate: usize, alpha: u64) -> usize {
    let is_enough = |rounds: &usize| {
        let layers = (width * (rounds - 1)) as f64;
        let degree = (0.5 * (alpha as f64 - 1.0) * layers + 2.0).floor();
        let variables = layers + rate as f64;
        2.0 * log2_binomial(variables + degree, variables) > SECURITY
    };
    // More are never asked for: there is nothing in the specification beyond.
    let attacked = (1..25).find(is_enough).unwrap_or(25).max(5);
    (attacked * 7).div_ceil(5)
}

impl Numbers {
    fn shortfall(self) -> Option<Shortfall> {
        let Self {
            log2_prime,
            width,
            alpha,
            full,
            partial,
        } = self;
        // The logarithm of 2 to the base alpha.
        let halving = 1.0 / alpha.log2();
        let of_security = SECURITY.min(log2_prime);
        let statistical = if SECURITY <= (log2_prime - (alpha - 1.0) / 2.0).floor() * (width + 1.0)
        {
            6.0
        } else {
            10.0
        };
        let interpolation =
            1.0 + (halving * of_security).ceil() + (width.log2() * halving).ceil() - partial;
        let bases = [
            halving * of_security - partial,
            width - 1.0 + halving * (SECURITY / (width + 1.0)).min(log2_prime / 2.0) - partial,
            (width - 2.0 + SECURITY / 2.0 * halving - partial) / (width - 1.0),
        ];
        let of_bases = bases.into_iter().fold(0.0, f64::max);
        for (attack, needed) in [
            ("statistical attacks", statistical),
            ("interpolation attacks", interpolation),
            ("attacks by Groebner bases", of_bases),
        ] {
            if full < needed.ceil() {
                return Some(Shortfall {
                    attack,
                    full_rounds: Some(needed.ceil() as u64),
                });
            }
        }
        // Skipped rounds of a Groebner basis with a variable for each S-box.
        let skipped = (width / 3.0).floor();
        let degree = (skipped * full / 2.0 + partial + alpha).floor();
        let variables = ((full - 1.0) * width + partial + skipped).floor();
        let cost = (2.0 * log2_binomial(variables + degree, degree)).ceil();
        (cost < SECURITY).then_some(Shortfall {
            attack: "attacks by Groebner bases with a variable for each S-box",
            full_rounds: None,
        })
    }
}

/// The logarithm of the binomial coefficient of whole numbers.
fn log2_binomial(from: f64, count: f64) -> f64 {
    (1..=count as u64)
        .map(|i| (from - count + i as f64).log2() - (i as f64).log2())
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::dispatch;
    use crate::presets;

    /// Over a prime with this logarithm a set of this width, exponent, and full and partial rounds.
    fn of(log2_prime: f64, [width, alpha, full, partial]: [u32; 4]) -> Option<Shortfall> {
        Numbers {
            log2_prime,
            width: width.into(),
            alpha: alpha.into(),
            full: full.into(),
            partial: partial.into(),
        }
        .shortfall()
    }

    #[test]
    fn presets_have_rounds_enough() {
        for preset in presets::all() {
            dispatch!(preset.parameters(), set => {
                assert_eq!(shortfall(set), None, "{}", set.name());
            });
        }
    }

    /// The rounds of the table of "Rescue-Prime Optimized", and a state so small that the attack counts.
    #[test]
    fn rounds_of_rescue_prime() {
        assert_eq!(rounds_of_rescue(12, 8, 7), 7);
        assert_eq!(rounds_of_rescue(16, 10, 7), 7);
        assert!(rounds_of_rescue(2, 1, 3) > 7);
    }

    /// Sets that the scripts make, and with as many rounds less as their margins have and one more.
    #[test]
    fn sets_of_the_scripts_have_rounds_enough() {
        for (log2_prime, numbers, fewest) in [
            // The tables of Poseidon2 over BN254, BLS12-381 and Pallas.
            (254.0, [3, 5, 8, 56], 50),
            (254.0, [8, 5, 8, 57], 51),
            // Goldilocks: the reference script has 22.
            (64.0, [8, 7, 8, 22], 18),
            (64.0, [12, 7, 8, 22], 18),
            // KoalaBear; a prover had 13 partial rounds where there should be 20.
            (30.99, [16, 3, 8, 20], 16),
            (30.99, [24, 3, 8, 23], 19),
        ] {
            assert_eq!(of(log2_prime, numbers), None, "{numbers:?}");
            let [width, alpha, full, _] = numbers;
            let with = |partial| of(log2_prime, [width, alpha, full, partial]);
            assert_eq!(with(fewest), None, "{numbers:?}");
            assert!(with(fewest - 1).is_some(), "{numbers:?}");
        }
        let short = of(30.99, [16, 3, 8, 13]).unwrap();
        assert_eq!(
            (short.attack, short.full_rounds),
            ("interpolation attacks", Some(11))
        );
        let few = of(254.0, [3, 5, 5, 70]).unwrap();
        assert_eq!(
            (few.attack, few.full_rounds),
            ("statistical attacks", Some(6))
        );
    }

    #[test]
    fn binomial_coefficients() {
        for (from, count, expected) in [(5.0, 2.0, 10_f64), (19.0, 5.0, 11628.0), (7.0, 0.0, 1.0)] {
            assert!((log2_binomial(from, count) - expected.log2()).abs() < 1e-9);
        }
    }
}

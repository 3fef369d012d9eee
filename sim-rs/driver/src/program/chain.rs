//! S-boxes with exponents that take several passes: addition chains of what a pass can do.
//!
//! A pass makes the second to fifth or seventh power of what comes, or the second or fourth one times the element with
//! which the chain began, the base, which is stored.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::pass_table::{Power, Store};

/// What a pass with the S-boxes of a chain does.
pub(super) type Link = (Power, Store);

/// Exponents that are looked at of each length of a chain.
const BEAM: usize = 4096;

/// Most passes of a chain: more do not fit into a table.
const MOST_PASSES: usize = 120;

/// Passes that end with x^c: the power, and the exponent before it.
fn last_passes(exponent: u64) -> impl Iterator<Item = (Power, u64)> {
    let divided = |power: Power, by: u64, rest: u64| {
        let before = exponent.checked_sub(rest)?;
        (before.is_multiple_of(by) && before / by > 1).then_some((power, before / by))
    };
    [
        divided(Power::Fifth, 5, 0),
        divided(Power::Fourth, 4, 0),
        divided(Power::FourthBase, 4, 1),
        divided(Power::Third, 3, 0),
        divided(Power::Square, 2, 0),
        divided(Power::SquareBase, 2, 1),
    ]
    .into_iter()
    .flatten()
}

/// A short chain of passes that makes x^`exponent`; nothing where there is none. One of 3, 5 and 7 takes one pass.
pub(super) fn chain(exponent: u64) -> Option<Vec<Link>> {
    if let Some(power) = Power::of_exponent(exponent) {
        return Some(vec![(power, Store::None)]);
    }
    // From the last pass to the first one: what comes behind each exponent.
    let mut behind: HashMap<u64, (Power, u64)> = HashMap::new();
    let mut reached = vec![exponent];
    for _ in 1..MOST_PASSES {
        let mut next = Vec::new();
        for &exponent in &reached {
            for (power, before) in last_passes(exponent) {
                if let Entry::Vacant(entry) = behind.entry(before) {
                    entry.insert((power, exponent));
                    next.push(before);
                }
            }
        }
        // A chain begins with a power of x itself; one with x^7 would have slots of its own.
        let first = (next.iter().copied())
            .filter(|&first| first != 7)
            .find_map(|first| Some((Power::of_exponent(first)?, first)));
        if let Some((power, mut at)) = first {
            let mut powers = vec![power];
            while at != exponent {
                let (power, after) = behind[&at];
                powers.push(power);
                at = after;
            }
            return Some(with_base(&powers));
        }
        next.sort_unstable();
        next.truncate(BEAM);
        reached = next;
    }
    None
}

/// Stores the base in the first pass and keeps it as long as it is needed.
fn with_base(powers: &[Power]) -> Vec<Link> {
    let last_use = powers.iter().rposition(|power| power.uses_base());
    let store = |number: usize| match last_use {
        Some(_) if number == 0 => Store::Put,
        Some(last) if number < last => Store::Keep,
        Some(last) if number == last => Store::Take,
        _ => Store::None,
    };
    (powers.iter().enumerate())
        .map(|(number, &power)| (power, store(number)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The exponent that a chain makes, modulo 2^64.
    fn exponent(chain: &[Link]) -> u64 {
        let mut stored = false;
        let mut made = 1_u64;
        for (power, store) in chain {
            stored |= *store == Store::Put;
            assert_eq!(stored, *store != Store::None, "{chain:?}");
            made = made.wrapping_mul(power.exponent());
            if power.uses_base() {
                assert!(matches!(store, Store::Keep | Store::Take));
                made = made.wrapping_add(1);
            }
            stored &= *store != Store::Take;
        }
        assert!(!stored, "{chain:?}");
        made
    }

    #[test]
    fn chains_make_their_exponents() {
        for wanted in (2..2000).chain([
            u64::from(u32::MAX),
            10_540_996_611_094_048_183,
            u64::MAX,
            u64::MAX - 1,
        ]) {
            if wanted == 6 {
                continue;
            }
            let chain = chain(wanted).unwrap();
            assert_eq!(exponent(&chain), wanted, "{chain:?}");
        }
        for (wanted, passes) in [(3, 1), (5, 1), (7, 1), (9, 2), (11, 2), (13, 2), (17, 2)] {
            assert_eq!(chain(wanted).unwrap().len(), passes, "x^{wanted}");
        }
        // The inverse of x^7 over Goldilocks.
        let inverse = chain(10_540_996_611_094_048_183).unwrap().len();
        assert!(inverse <= 36, "{inverse} passes");
    }
}

//! A test of every hash engine of a chip: hashes whose digests are known.

use crate::device::{Counters, EngineCounters};
use crate::program::{EngineLimits, Power};
use acclmt_poseidon::fields::{AnyParameters, FieldId};
use acclmt_poseidon::random::{self, Generator, Ranges};
use acclmt_poseidon::with_field;
use acclmt_poseidon::word::{self, Word};

/// Hashes that each hash engine makes of each parameter set.
pub(crate) const HASHES: usize = 4;
/// Where parameter sets and inputs come from.
pub(crate) const SEED: u64 = 0x4143_4d54;

/// What a self-test did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SelfTest {
    /// Hash engines that were tested; none in a device that is no chip.
    pub engines: usize,
    /// Sub-engines that were.
    pub sub_engines: usize,
    /// Hashes that were made, all with the digest that was expected.
    pub hashes: u64,
}

/// Why a hash engine did not pass its self-test.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SelfTestError {
    /// A digest is another one.
    #[error(
        "hash engine {engine} computes wrong digests of {field}, at least that of hash {hash} of its self-test: do \
         not use it"
    )]
    Digest {
        /// The hash engine.
        engine: usize,
        /// The field of the parameter set.
        field: &'static str,
        /// The first hash with a wrong digest, from 0 on.
        hash: usize,
    },
    /// A sub-engine did nothing.
    #[error(
        "{sub_engine} of hash engine {engine} did nothing in its self-test, or its counter does not count: do not use it"
    )]
    Idle {
        /// The hash engine.
        engine: usize,
        /// The sub-engine.
        sub_engine: String,
    },
}

/// Small parameter sets that use every sub-engine of a hash engine, in each of its fields.
pub(crate) fn parameter_sets(limits: &EngineLimits) -> Vec<AnyParameters> {
    let mut fields = Vec::new();
    let large = || {
        FieldId::ALL
            .into_iter()
            .filter(|field| *field != FieldId::Goldilocks)
    };
    fields.extend(large().find(|field| field.prime() == limits.prime));
    if fields.is_empty() && limits.runtime_modulus {
        fields.extend(large().next());
    }
    if limits.goldilocks {
        fields.push(FieldId::Goldilocks);
    }
    let rounds = 2 * limits.num_partial;
    let set_of = |field| {
        let is_goldilocks = field == FieldId::Goldilocks;
        let width = if is_goldilocks { 12 } else { 4 };
        let ranges = Ranges {
            widths: width..=width,
            full_rounds: 2..=2,
            partial_rounds: rounds..=rounds,
            small_integers: is_goldilocks && limits.adders,
            ..Ranges::default()
        };
        random::any_parameters(field, SEED, &ranges)
    };
    fields.into_iter().filter_map(set_of).collect()
}

/// Sub-engines of a hash engine that the hashes of the sets need, if each of them was busy.
pub(crate) fn check_busy(
    limits: &EngineLimits,
    sets: &[AnyParameters],
    engine: usize,
    counters: &Counters,
) -> Result<usize, SelfTestError> {
    let idle = |sub_engine: String| SelfTestError::Idle { engine, sub_engine };
    let nothing = EngineCounters::default();
    let of_engine = counters
        .engines(limits.num_engines)
        .nth(engine)
        .unwrap_or(&nothing);
    if of_engine.busy_full == 0 {
        return Err(idle("the first full-round sub-engine".to_owned()));
    }
    // Other exponents take several passes, which only full-round sub-engines make.
    let is_recurrent = |set: &AnyParameters| Power::of_exponent(set.alpha()).is_some();
    let num_partial = match sets.iter().any(is_recurrent) {
        true => limits.num_partial,
        false => 0,
    };
    for number in 1..=num_partial {
        let busy = of_engine.busy_partial.get(number - 1);
        if busy.is_none_or(|&cycles| cycles == 0) {
            return Err(idle(format!("partial-round sub-engine {number}")));
        }
    }
    if limits.num_full > 1 && of_engine.busy_full_last == 0 {
        return Err(idle("the second full-round sub-engine".to_owned()));
    }
    Ok(limits.num_full + num_partial)
}

/// Inputs of the hashes of a parameter set: elements with long carries, and others.
pub(crate) fn inputs(set: &AnyParameters) -> Vec<Vec<Word>> {
    let mut random = Generator::new(SEED);
    let count = set.inputs();
    let mut of_hash = || -> Vec<Word> {
        with_field!(set.field(), F => {
            random.elements::<F>(count).into_iter().map(word::from_field).collect()
        })
    };
    (0..HASHES).map(|_| of_hash()).collect()
}

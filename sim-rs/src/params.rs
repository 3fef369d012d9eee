//! Poseidon parameter sets.
//!
//! Source: Grassi, Khovratovich, Rechberger, Roy and Schofnegger, "Poseidon: a new hash function
//! for zero-knowledge proof systems" (the permutation, section 2; round constants and MDS matrix,
//! appendix B and the reference scripts), and the specification of neptune (tag, digest).

use ark_ff::{Field, PrimeField};

use crate::grain::GrainLfsr;
use crate::word::{self, Word};

/// Smallest state width that a parameter set can have.
pub const MIN_WIDTH: usize = 2;

/// Largest state width that a parameter set can have.
pub const MAX_WIDTH: usize = 12;

/// Largest number of rounds of each kind: the Grain LFSR is seeded with 10 bits of it.
pub const MAX_ROUNDS: usize = 1023;

/// The values that make up a parameter set, before [`PoseidonParameters::new`] checks them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PoseidonSpecification<F> {
    /// Name of the set.
    pub name: String,
    /// Name of the field, for messages.
    pub field_name: String,
    /// Exponent of the S-box: 3, 5 or 7.
    pub alpha: u64,
    /// Full rounds before the partial rounds.
    pub full_rounds_first: usize,
    /// Partial rounds; their S-box is on element 0.
    pub partial_rounds: usize,
    /// Full rounds after the partial rounds.
    pub full_rounds_last: usize,
    /// `round_constants[r][i]` is added to element i at the start of round r.
    pub round_constants: Vec<Vec<F>>,
    /// `mds[i][j]`: row i, column j; a round ends with `new[i] = sum_j mds[i][j] * old[j]`.
    pub mds: Vec<Vec<F>>,
    /// Initial value of the state element that takes no input (domain tag, capacity).
    pub tag: F,
    /// Index of that element. The inputs fill the others in order.
    pub tag_index: usize,
    /// Index of the element of the final state that is the digest.
    pub digest_index: usize,
}

/// Values that are no parameter set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{name}' is no Poseidon parameter set: {problem}")]
pub struct ParameterError {
    name: String,
    problem: String,
}

/// A checked parameter set of a Poseidon hash of `arity` field elements to one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PoseidonParameters<F>(PoseidonSpecification<F>);

impl<F: PrimeField> PoseidonParameters<F> {
    /// Checks `specification`; the state width is the number of rows of its matrix.
    ///
    /// # Errors
    ///
    /// When a number is out of range or a table has not the size that the others ask for.
    pub fn new(specification: PoseidonSpecification<F>) -> Result<Self, ParameterError> {
        match problem(&specification) {
            None => Ok(Self(specification)),
            Some(problem) => Err(ParameterError {
                name: specification.name,
                problem,
            }),
        }
    }

    /// Generates the parameter set of neptune (Filecoin) for trees of `arity`: S-box x^5, round
    /// constants from the Grain LFSR whose header has the S-box field 1, the Cauchy matrix
    /// `mds[i][j] = 1 / (i + j + t)`, domain tag `2^arity - 1` in element 0, digest in element 1.
    ///
    /// # Errors
    ///
    /// When the numbers make up no parameter set.
    pub fn neptune(
        name: &str,
        field_name: &str,
        arity: usize,
        full_rounds: usize,
        partial_rounds: usize,
    ) -> Result<Self, ParameterError> {
        let width = arity.saturating_add(1);
        let error = |problem| ParameterError {
            name: name.to_owned(),
            problem,
        };
        // The other checks need the tables, and the tables need these.
        check_width(width).map_err(error)?;
        check_rounds(full_rounds, "full").map_err(error)?;
        check_rounds(partial_rounds, "partial").map_err(error)?;
        let mut grain = GrainLfsr::new(
            GrainLfsr::NEPTUNE_SBOX,
            F::MODULUS_BIT_SIZE,
            width,
            full_rounds,
            partial_rounds,
        );
        let round_constants = (0..full_rounds + partial_rounds)
            .map(|_| (0..width).map(|_| grain.next_field()).collect())
            .collect();
        Self::new(PoseidonSpecification {
            name: name.to_owned(),
            field_name: field_name.to_owned(),
            alpha: 5,
            full_rounds_first: full_rounds / 2,
            partial_rounds,
            full_rounds_last: full_rounds - full_rounds / 2,
            round_constants,
            mds: cauchy_matrix(width),
            tag: F::from((1_u64 << arity) - 1),
            tag_index: 0,
            digest_index: 1,
        })
    }

    /// The same parameter set with another initial value of the element that takes no input.
    #[must_use]
    pub fn with_tag(&self, tag: F) -> Self {
        let mut specification = self.0.clone();
        specification.tag = tag;
        Self(specification)
    }

    /// All values of the set.
    pub fn specification(&self) -> &PoseidonSpecification<F> {
        &self.0
    }

    /// Name of the set.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Name of the field, such as `bls12-381`.
    pub fn field_name(&self) -> &str {
        &self.0.field_name
    }

    /// The prime of the field.
    pub fn prime(&self) -> Word {
        word::prime::<F>()
    }

    /// State width t in field elements.
    pub fn width(&self) -> usize {
        self.0.mds.len()
    }

    /// Field elements that a hash takes: all of the state but the tag.
    pub fn arity(&self) -> usize {
        self.width() - 1
    }

    /// Exponent of the S-box.
    pub fn alpha(&self) -> u64 {
        self.0.alpha
    }

    /// Full rounds before the partial rounds.
    pub fn full_rounds_first(&self) -> usize {
        self.0.full_rounds_first
    }

    /// Full rounds after the partial rounds.
    pub fn full_rounds_last(&self) -> usize {
        self.0.full_rounds_last
    }

    /// Full rounds, both halves together.
    pub fn full_rounds(&self) -> usize {
        self.0.full_rounds_first + self.0.full_rounds_last
    }

    /// Partial rounds.
    pub fn partial_rounds(&self) -> usize {
        self.0.partial_rounds
    }

    /// All rounds.
    pub fn rounds(&self) -> usize {
        self.full_rounds() + self.partial_rounds()
    }

    /// Round constants, one vector of `width` elements for each round.
    pub fn round_constants(&self) -> &[Vec<F>] {
        &self.0.round_constants
    }

    /// The MDS matrix, row by row.
    pub fn mds(&self) -> &[Vec<F>] {
        &self.0.mds
    }

    /// Initial value of the element that takes no input.
    pub fn tag(&self) -> F {
        self.0.tag
    }

    /// Index of the element that takes no input.
    pub fn tag_index(&self) -> usize {
        self.0.tag_index
    }

    /// Index of the digest in the final state.
    pub fn digest_index(&self) -> usize {
        self.0.digest_index
    }
}

/// The Cauchy matrix `m[i][j] = 1 / (i + j + width)`.
fn cauchy_matrix<F: Field>(width: usize) -> Vec<Vec<F>> {
    let entry = |sum: usize| {
        F::from(sum as u64)
            .inverse()
            .expect("the sums are small and the prime is large")
    };
    (0..width)
        .map(|i| (0..width).map(|j| entry(i + j + width)).collect())
        .collect()
}

fn check_width(width: usize) -> Result<(), String> {
    if (MIN_WIDTH..=MAX_WIDTH).contains(&width) {
        return Ok(());
    }
    Err(format!(
        "its state width is {width}, widths from {MIN_WIDTH} to {MAX_WIDTH} are supported"
    ))
}

fn check_rounds(rounds: usize, kind: &str) -> Result<(), String> {
    if rounds <= MAX_ROUNDS {
        return Ok(());
    }
    Err(format!(
        "it has {rounds} {kind} rounds, at most {MAX_ROUNDS} are supported"
    ))
}

fn problem<F: PrimeField>(specification: &PoseidonSpecification<F>) -> Option<String> {
    let width = specification.mds.len();
    let full_rounds = specification
        .full_rounds_first
        .saturating_add(specification.full_rounds_last);
    let bits = F::MODULUS_BIT_SIZE;
    if !(64..=255).contains(&bits) {
        return Some(format!(
            "its prime has {bits} bits, primes of 64 to 255 bits are supported"
        ));
    }
    if let Err(problem) = check_width(width)
        .and_then(|()| check_rounds(full_rounds, "full"))
        .and_then(|()| check_rounds(specification.partial_rounds, "partial"))
    {
        return Some(problem);
    }
    if let Some(row) = specification.mds.iter().position(|row| row.len() != width) {
        return Some(format!(
            "row {row} of its matrix has {} entries, expected {width} as there are rows",
            specification.mds[row].len()
        ));
    }
    if ![3, 5, 7].contains(&specification.alpha) {
        return Some(format!(
            "its S-box exponent is {}, expected 3, 5 or 7",
            specification.alpha
        ));
    }
    if remainder(F::MODULUS.as_ref(), specification.alpha) == 1 {
        return Some(format!(
            "its S-box x^{0} is no permutation of this field, because {0} divides the prime less 1",
            specification.alpha
        ));
    }
    let rounds = full_rounds + specification.partial_rounds;
    if rounds == 0 {
        return Some("it has no rounds".to_owned());
    }
    let constants = &specification.round_constants;
    if constants.len() != rounds {
        return Some(format!(
            "it has {rounds} rounds but {} vectors of round constants",
            constants.len()
        ));
    }
    if let Some(round) = constants.iter().position(|vector| vector.len() != width) {
        return Some(format!(
            "round {round} has {} round constants, expected {width}, the state width",
            constants[round].len()
        ));
    }
    for (index, what) in [
        (specification.tag_index, "tag"),
        (specification.digest_index, "digest"),
    ] {
        if index >= width {
            return Some(format!(
                "the index of its {what} is {index}, expected less than {width}, the state width"
            ));
        }
    }
    None
}

/// Remainder of the integer with the little-endian `limbs` by a small `divisor`.
fn remainder(limbs: &[u64], divisor: u64) -> u64 {
    let divisor = u128::from(divisor);
    let remainder = limbs
        .iter()
        .rev()
        .fold(0, |rest, &limb| ((rest << 64) | u128::from(limb)) % divisor);
    // Below the divisor, which came from 64 bits.
    remainder as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use ark_bls12_381::Fr;

    fn specification() -> PoseidonSpecification<Fr> {
        PoseidonParameters::<Fr>::neptune("test", "bls12-381", 2, 8, 55)
            .unwrap()
            .specification()
            .clone()
    }

    #[test]
    fn neptune_round_numbers_and_tag() {
        let parameters = PoseidonParameters::<Fr>::neptune("test", "bls12-381", 8, 8, 57).unwrap();
        assert_eq!((parameters.width(), parameters.arity()), (9, 8));
        assert_eq!((parameters.full_rounds(), parameters.rounds()), (8, 65));
        assert_eq!(parameters.tag(), Fr::from(255));
        assert_eq!(parameters.mds()[3][4], Fr::from(16).inverse().unwrap());
    }

    #[test]
    fn wrong_values_are_named() {
        type Change = fn(&mut PoseidonSpecification<Fr>);
        let cases: [(Change, &str); 9] = [
            (|s| s.alpha = 4, "exponent is 4"),
            (|s| s.alpha = 3, "x^3 is no permutation"),
            (|s| s.full_rounds_first = 5, "has 64 rounds but 63 vectors"),
            (
                |s| s.full_rounds_last = 2000,
                "2004 full rounds, at most 1023",
            ),
            (
                |s| s.mds[1].truncate(2),
                "row 1 of its matrix has 2 entries",
            ),
            (|s| s.mds.truncate(1), "state width is 1"),
            (
                |s| s.round_constants[7].truncate(1),
                "round 7 has 1 round constants",
            ),
            (|s| s.tag_index = 3, "index of its tag is 3"),
            (|s| s.digest_index = 3, "index of its digest is 3"),
        ];
        for (change, expected) in cases {
            let mut specification = specification();
            change(&mut specification);
            let message = PoseidonParameters::new(specification)
                .unwrap_err()
                .to_string();
            assert!(message.contains(expected), "{message}");
        }
        assert!(PoseidonParameters::new(specification()).is_ok());
        for (arity, rounds, expected) in [
            (0, 8, "state width is 1"),
            (12, 8, "state width is 13"),
            (usize::MAX, 8, "state width is"),
            (2, 5000, "5000 full rounds"),
        ] {
            let message = PoseidonParameters::<Fr>::neptune("test", "bls12-381", arity, rounds, 55)
                .unwrap_err()
                .to_string();
            assert!(message.contains(expected), "{message}");
        }
    }
}

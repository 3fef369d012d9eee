//! Poseidon parameter sets.
//!
//! Source: Grassi, Khovratovich, Rechberger, Roy and Schofnegger, "Poseidon: a new hash function
//! for zero-knowledge proof systems" (the permutation, section 2; round constants and MDS matrix,
//! appendix B and the reference scripts), and the specifications of the protocols that use it.

use ark_ff::PrimeField;

pub use crate::bounds::{MAX_ROUNDS, MAX_SMALL_DIGEST, MAX_SMALL_WIDTH, MAX_WIDTH, MIN_WIDTH};
use crate::bounds::{check_positions, check_rounds, check_width};
use crate::matrix;
use crate::presets;
use crate::round_numbers::{self, Shortfall};
use crate::security;
use crate::sponge::Sponge;
use crate::word::{self, Word};

/// The order of the steps of a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RoundOrder {
    /// Add the round's constants, S-box, MDS matrix: the Poseidon paper.
    ConstantsFirst,
    /// S-box, MDS matrix, add the round's constants: Mina.
    SboxFirst,
}

/// Which full rounds have the inverse S-box, x^(1/alpha) in place of x^alpha.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum InverseRounds {
    /// None: Poseidon, Poseidon2.
    #[default]
    None,
    /// Every second one, the first round has x^alpha: Rescue Prime.
    EverySecond,
    /// The same, and the last round has no matrix: Rescue Prime Optimized, whose steps are those of rounds that begin
    /// with the matrix.
    EverySecondWithoutLastMatrix,
}

/// What of the state before the permutation is in the digest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Compression {
    /// Nothing.
    #[default]
    None,
    /// Feed-forward, after Davies and Meyer: the elements in the places of the digest are added to it.
    FeedForward,
    /// The Jive mode of the Anemoi paper (Bouvier and others, 2022): the state is cut into parts as long as a digest,
    /// and the digest is the sum of the parts of both states.
    Jive,
}

/// The values that make up a parameter set, before [`PoseidonParameters::new`] checks them.
///
/// A hash starts with the state `initial_state`, adds input i to element `input_positions[i]`,
/// applies the permutation, and takes the elements `digest_positions` of the result, to which it adds what `compression`
/// says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PoseidonSpecification<F> {
    /// Name of the set.
    pub name: String,
    /// Name of the field, for messages.
    pub field_name: String,
    /// Exponent of the S-box, beyond 1 and without a divisor in common with the prime less 1.
    pub alpha: u64,
    /// Full rounds before the partial rounds, at least 1.
    pub full_rounds_first: usize,
    /// Partial rounds; 0 is allowed.
    pub partial_rounds: usize,
    /// Full rounds after the partial rounds, at least 1.
    pub full_rounds_last: usize,
    /// The order of the steps of every round.
    pub round_order: RoundOrder,
    /// The element that has an S-box in partial rounds.
    pub partial_index: usize,
    /// `round_constants[r][i]` is added to element i in round r.
    pub round_constants: Vec<Vec<F>>,
    /// `mds[i][j]`: row i, column j; the matrix step is `new[i] = sum_j mds[i][j] * old[j]`.
    pub mds: Vec<Vec<F>>,
    /// The matrix of partial rounds, where it is another one: Poseidon2's internal matrix.
    pub partial_matrix: Option<Vec<Vec<F>>>,
    /// Whether the state is multiplied by the matrix of full rounds before the first round: Poseidon2.
    pub first_layer: bool,
    /// Which rounds have the inverse S-box.
    pub inverse_rounds: InverseRounds,
    /// The state before the inputs are added: the domain tag or capacity value in its place, 0
    /// elsewhere. One value for each element of the state.
    pub initial_state: Vec<F>,
    /// The state element that each input is added to; all different.
    pub input_positions: Vec<usize>,
    /// The state elements that are the digest, in order; all different. One of them, or 1 to 4
    /// over a prime of 64 bits.
    pub digest_positions: Vec<usize>,
    /// What of the state before the permutation is in the digest; nothing where there is a sponge.
    pub compression: Compression,
    /// How messages of other lengths are hashed, where that is defined.
    pub sponge: Option<Sponge>,
}

/// Values that are no parameter set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{name}' is no Poseidon parameter set: {problem}")]
pub struct ParameterError {
    name: String,
    problem: String,
}

impl ParameterError {
    /// The set `name` is wrong for the reason `problem`.
    pub(crate) fn new(name: &str, problem: impl Into<String>) -> Self {
        Self {
            name: name.to_owned(),
            problem: problem.into(),
        }
    }
}

/// A checked parameter set of a Poseidon hash of [`PoseidonParameters::inputs`] field elements to
/// [`PoseidonParameters::digest_length`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PoseidonParameters<F>(PoseidonSpecification<F>);

impl<F: PrimeField> PoseidonParameters<F> {
    /// Checks `specification`; the state width is the number of rows of its matrix.
    ///
    /// A matrix that is singular or not MDS is accepted, see [`PoseidonParameters::warnings`].
    ///
    /// # Errors
    ///
    /// When a number is out of range, a table has not the size that the others ask for, the matrix does not
    /// mix the state, as the identity does not, or the sponge has no capacity.
    pub fn new(specification: PoseidonSpecification<F>) -> Result<Self, ParameterError> {
        match check(&specification) {
            Ok(()) => Ok(Self(specification)),
            Err(problem) => Err(ParameterError::new(&specification.name, problem)),
        }
    }

    /// The same parameter set with another initial state, of one value for each state element.
    ///
    /// # Errors
    ///
    /// When the number of values is not the state width.
    pub fn with_initial_state(&self, initial_state: &[F]) -> Result<Self, ParameterError> {
        let mut specification = self.0.clone();
        specification.initial_state = initial_state.to_vec();
        Self::new(specification)
    }

    /// Jive's compression of a whole state to half of it, by the same permutation.
    ///
    /// # Errors
    ///
    /// When the state has an odd number of elements, or half of it is longer than a digest may be.
    pub fn with_jive(&self) -> Result<Self, ParameterError> {
        let mut specification = self.0.clone();
        let width = self.width();
        specification.initial_state = vec![F::ZERO; width];
        specification.input_positions = (0..width).collect();
        specification.digest_positions = (0..width / 2).collect();
        specification.compression = Compression::Jive;
        specification.sponge = None;
        Self::new(specification)
    }

    /// What a user of the set should know about its security, one sentence each: a matrix that is
    /// singular, one that is not MDS, and infinitely long subspace trails of the partial rounds (Grassi,
    /// Rechberger and Schofnegger, "Proving Resistance Against Infinitely Long Subspace Trails", 2021), and fewer
    /// rounds than known attacks ask for at 128 bits of security; two messages to which the sponge gives one digest,
    /// but for presets, whose sponges are those of their protocols. Other properties are not looked at, such as the
    /// size of the capacity.
    ///
    /// Takes up to 16 million products of field elements, for a matrix of width 12 that is no Cauchy matrix. Whether
    /// a wider one is MDS is not computed, where it is no Cauchy matrix and has no zero.
    pub fn warnings(&self) -> Vec<String> {
        let name = self.name();
        let mut warnings = Vec::new();
        let singular = |which: &str| {
            format!(
                "{which} of '{name}' is singular: its permutation is none, different inputs can \
                 collide in every round, and the hash is not secure"
            )
        };
        if self.has_partial_matrix() && !matrix::is_invertible(self.partial_matrix()) {
            warnings.push(singular("the matrix of partial rounds"));
        }
        let is_external = self.has_partial_matrix() && security::is_external(self.mds());
        if !matrix::is_invertible(self.mds()) {
            warnings.push(singular("the matrix"));
        } else if !is_external && let Some(minor) = security::singular_minor(self.mds()) {
            warnings.push(format!(
                "the matrix of '{name}' is not MDS: rows {:?} and columns {:?} of it make a singular \
                 matrix, so that the arguments for the security of the full rounds do not hold",
                minor.rows, minor.columns
            ));
        }
        if self.partial_rounds() > 0
            && let Some(trail) = security::trail(self.partial_matrix(), self.partial_index())
        {
            let which = if self.has_partial_matrix() {
                "the matrix of partial rounds"
            } else {
                "the matrix"
            };
            warnings.push(format!(
                "{which} of '{name}' allows infinitely long subspace trails: {}, so that the partial \
                 rounds add less security than they should",
                trail.problem()
            ));
        }
        if let Some(Shortfall {
            attack,
            full_rounds,
        }) = round_numbers::shortfall(self)
        {
            let hint = match full_rounds {
                Some(rounds) => format!(
                    "; with as many partial rounds there should be {rounds} full ones at least"
                ),
                None => String::new(),
            };
            warnings.push(format!(
                "'{name}' has {} full and {} partial rounds, too few against {attack} for 128 bits of \
                 security{hint}",
                self.full_rounds(),
                self.partial_rounds()
            ));
        }
        let collision = (self.sponge())
            .filter(|_| presets::find(name).is_err())
            .and_then(|sponge| sponge.collision(self.initial_state()));
        if let Some(messages) = collision {
            let [one, other] = messages.map(|message| {
                let elements: Vec<String> = message.iter().map(short_hex).collect();
                format!("[{}]", elements.join(", "))
            });
            warnings.push(format!(
                "the messages {one} and {other} have one digest by the sponge of '{name}', whose padding does not tell them apart: hash \
                 messages of one length only, as the rows of a tree are"
            ));
        }
        warnings
    }

    /// The first value in which another set differs, but for the name.
    pub(crate) fn difference(&self, other: &Self) -> Option<&'static str> {
        let (this, other) = (&self.0, &other.0);
        let equal = [
            ("width", this.mds.len() == other.mds.len()),
            ("alpha", this.alpha == other.alpha),
            (
                "full_rounds_first",
                this.full_rounds_first == other.full_rounds_first,
            ),
            (
                "partial_rounds",
                this.partial_rounds == other.partial_rounds,
            ),
            (
                "full_rounds_last",
                this.full_rounds_last == other.full_rounds_last,
            ),
            ("round_order", this.round_order == other.round_order),
            ("partial_index", this.partial_index == other.partial_index),
            ("initial_state", this.initial_state == other.initial_state),
            (
                "input_positions",
                this.input_positions == other.input_positions,
            ),
            (
                "digest_positions",
                this.digest_positions == other.digest_positions,
            ),
            ("constants", this.round_constants == other.round_constants),
            ("matrix", this.mds == other.mds),
            (
                "partial_matrix",
                this.partial_matrix == other.partial_matrix,
            ),
            ("first_layer", this.first_layer == other.first_layer),
            (
                "inverse_rounds",
                this.inverse_rounds == other.inverse_rounds,
            ),
            ("compression", this.compression == other.compression),
            ("sponge", this.sponge == other.sponge),
        ];
        equal
            .into_iter()
            .find_map(|(key, is_equal)| (!is_equal).then_some(key))
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

    /// Field elements that a hash takes.
    pub fn inputs(&self) -> usize {
        self.0.input_positions.len()
    }

    /// Field elements of a digest.
    pub fn digest_length(&self) -> usize {
        self.0.digest_positions.len()
    }

    /// Digests that a hash takes, rounded down: the arity of Merkle trees.
    pub fn arity(&self) -> usize {
        self.inputs() / self.digest_length()
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

    /// The order of the steps of every round.
    pub fn round_order(&self) -> RoundOrder {
        self.0.round_order
    }

    /// The element that has an S-box in partial rounds.
    pub fn partial_index(&self) -> usize {
        self.0.partial_index
    }

    /// Round constants, one vector of `width` elements for each round.
    pub fn round_constants(&self) -> &[Vec<F>] {
        &self.0.round_constants
    }

    /// The MDS matrix, row by row; of Poseidon2 the external matrix, which is that of full rounds.
    pub fn mds(&self) -> &[Vec<F>] {
        &self.0.mds
    }

    /// The matrix of partial rounds, row by row: the same but for Poseidon2.
    pub fn partial_matrix(&self) -> &[Vec<F>] {
        self.0.partial_matrix.as_ref().unwrap_or(&self.0.mds)
    }

    /// Whether partial rounds have a matrix of their own.
    pub fn has_partial_matrix(&self) -> bool {
        self.0.partial_matrix.is_some()
    }

    /// Whether the state is multiplied by the matrix of full rounds before the first round.
    pub fn first_layer(&self) -> bool {
        self.0.first_layer
    }

    /// The state before the inputs are added, one value for each element.
    pub fn initial_state(&self) -> &[F] {
        &self.0.initial_state
    }

    /// The state element that each input is added to.
    pub fn input_positions(&self) -> &[usize] {
        &self.0.input_positions
    }

    /// Which rounds have the inverse S-box.
    pub fn inverse_rounds(&self) -> InverseRounds {
        self.0.inverse_rounds
    }

    /// Exponents of the S-boxes of even and of odd rounds, counted from 0.
    pub fn exponents(&self) -> [u64; 2] {
        let alpha = self.0.alpha;
        match self.0.inverse_rounds {
            InverseRounds::None => [alpha; 2],
            _ => [alpha, inverse_exponent::<F>(alpha).unwrap_or(alpha)],
        }
    }

    /// What of the state before the permutation is in the digest.
    pub fn compression(&self) -> Compression {
        self.0.compression
    }

    /// For each element of the digest the elements of the states before and behind the permutation whose sum it is;
    /// nothing where it is an element of the permuted state.
    pub fn digest_sums(&self) -> Option<Vec<Vec<usize>>> {
        let digest = self.digest_positions().iter();
        match self.compression() {
            Compression::None => None,
            Compression::FeedForward => Some(digest.map(|&position| vec![position]).collect()),
            Compression::Jive => {
                let parts = |&position| (position..self.width()).step_by(self.digest_length());
                Some(digest.map(|position| parts(position).collect()).collect())
            }
        }
    }

    /// The state elements that are the digest, in order.
    pub fn digest_positions(&self) -> &[usize] {
        &self.0.digest_positions
    }

    /// How messages of other lengths are hashed, where that is defined.
    pub fn sponge(&self) -> Option<&Sponge> {
        self.0.sponge.as_ref()
    }
}

/// Whether `x^alpha` is a permutation of the field, and not the identity: `alpha` is beyond 1 and has no divisor in
/// common with the prime of the field less 1.
pub fn is_permutation<F: PrimeField>(alpha: u64) -> bool {
    if alpha < 2 {
        return false;
    }
    // The prime is odd, so that this is the remainder of the prime less 1.
    let (mut a, mut b) = (
        alpha,
        remainder(F::MODULUS.as_ref(), alpha).wrapping_sub(1) % alpha,
    );
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a == 1
}

/// The exponent that undoes `alpha` over a prime of 64 bits: its inverse modulo the prime less 1.
fn inverse_exponent<F: PrimeField>(alpha: u64) -> Option<u64> {
    let [prime] = *F::MODULUS.as_ref() else {
        return None;
    };
    let order = i128::from(prime - 1);
    // Of both numbers how often alpha is in them, modulo the order.
    let (mut a, mut b) = ((order, 0_i128), (i128::from(alpha), 1_i128));
    while b.0 != 0 {
        let quotient = a.0 / b.0;
        (a, b) = (b, (a.0 - quotient * b.0, a.1 - quotient * b.1));
    }
    (a.0 == 1).then(|| a.1.rem_euclid(order) as u64)
}

fn check<F: PrimeField>(specification: &PoseidonSpecification<F>) -> Result<(), String> {
    let width = specification.mds.len();
    let bits = F::MODULUS_BIT_SIZE;
    if !(64..=255).contains(&bits) {
        return Err(format!(
            "its prime has {bits} bits, primes of 64 to 255 bits are supported"
        ));
    }
    check_width(width, bits)?;
    check_rounds(
        specification.full_rounds_first,
        specification.partial_rounds,
        specification.full_rounds_last,
    )?;
    if let Some(row) = specification.mds.iter().position(|row| row.len() != width) {
        return Err(format!(
            "row {row} of its matrix has {} entries, expected {width} as there are rows",
            specification.mds[row].len()
        ));
    }
    if let Some(matrix) = &specification.partial_matrix {
        let wrong = matrix.iter().position(|row| row.len() != width);
        if matrix.len() != width || wrong.is_some() {
            let row = wrong.unwrap_or(0);
            return Err(format!(
                "its matrix of partial rounds has {} rows, and row {row} {} entries, expected {width}, the \
                 state width",
                matrix.len(),
                matrix.get(row).map_or(0, Vec::len)
            ));
        }
        if specification.partial_rounds == 0 {
            return Err(
                "it has a matrix of partial rounds, and no partial rounds; leave the matrix out"
                    .to_owned(),
            );
        }
    }
    let alpha = specification.alpha;
    if !is_permutation::<F>(alpha) {
        return Err(format!(
            "its S-box x^{alpha} is no permutation of this field, because {alpha} is below 2 or has a divisor in \
             common with the prime less 1"
        ));
    }
    if specification.inverse_rounds != InverseRounds::None {
        if specification.partial_rounds != 0 {
            return Err(format!(
                "it has inverse S-boxes and {} partial rounds; rounds of Rescue Prime are full",
                specification.partial_rounds
            ));
        }
        if inverse_exponent::<F>(alpha).is_none() {
            return Err(format!(
                "it has inverse S-boxes over a prime of {bits} bits; those of 64 bits are supported"
            ));
        }
    }
    if specification.partial_index >= width {
        return Err(format!(
            "the S-box of its partial rounds is on state element {}, expected less than {width}, \
             the state width",
            specification.partial_index
        ));
    }
    let rounds = specification.full_rounds_first
        + specification.partial_rounds
        + specification.full_rounds_last;
    let constants = &specification.round_constants;
    if constants.len() != rounds {
        return Err(format!(
            "it has {rounds} rounds but {} vectors of round constants",
            constants.len()
        ));
    }
    if let Some(round) = constants.iter().position(|vector| vector.len() != width) {
        return Err(format!(
            "round {round} has {} round constants, expected {width}, the state width",
            constants[round].len()
        ));
    }
    if specification.initial_state.len() != width {
        return Err(format!(
            "its initial state has {} values, expected {width}, the state width",
            specification.initial_state.len()
        ));
    }
    check_positions(&specification.input_positions, width, "input")?;
    check_positions(&specification.digest_positions, width, "digest element")?;
    let digest_length = specification.digest_positions.len();
    let longest = if bits == 64 { MAX_SMALL_DIGEST } else { 1 };
    if digest_length > longest {
        return Err(format!(
            "its digest has {digest_length} elements, at most {longest} are supported over a \
             prime of {bits} bits"
        ));
    }
    for (matrix, which) in [
        (Some(&specification.mds), "its matrix"),
        (
            specification.partial_matrix.as_ref(),
            "its matrix of partial rounds",
        ),
    ] {
        if let Some(problem) = matrix.and_then(|matrix| security::refusal(matrix)) {
            return Err(format!("{which} {problem}"));
        }
    }
    check_compression(specification)?;
    match &specification.sponge {
        Some(sponge) => {
            sponge.check(width)?;
            sponge.check_capacity()?;
            sponge.check_chaining(width, specification.digest_positions.len())
        }
        None => Ok(()),
    }
}

/// The parts of a Jive digest are whole and in order, and no sponge comes with a compression.
fn check_compression<F: PrimeField>(
    specification: &PoseidonSpecification<F>,
) -> Result<(), String> {
    let PoseidonSpecification {
        compression,
        digest_positions,
        mds,
        ..
    } = specification;
    if *compression == Compression::None {
        return Ok(());
    }
    if specification.sponge.is_some() {
        return Err("it has a sponge and a compression, of which there can be one".to_owned());
    }
    let (width, length) = (mds.len(), digest_positions.len());
    let is_jive = *compression == Compression::Jive;
    if is_jive && !digest_positions.iter().copied().eq(0..length) {
        return Err(format!(
            "its digest positions are {digest_positions:?}: those of a Jive digest are the first ones, in order"
        ));
    }
    if is_jive && (!width.is_multiple_of(length) || width == length) {
        return Err(format!(
            "its state of {width} elements is not cut into parts of {length}, the length of its Jive digest"
        ));
    }
    Ok(())
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

/// The word as `0x` and hexadecimal digits without zeros ahead.
fn short_hex(word: &Word) -> String {
    let digits = word::to_hex(word);
    let digits = digits.trim_start_matches("0x").trim_start_matches('0');
    format!("0x{}", if digits.is_empty() { "0" } else { digits })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ark_bls12_381::Fr;
    use ark_ff::AdditiveGroup;

    use crate::fields::{Goldilocks, Starknet};
    use crate::presets;
    use crate::sponge::{Absorption, Capacity, Padding};

    fn specification() -> PoseidonSpecification<Fr> {
        let set = presets::over::<Fr>("filecoin-arity-2").unwrap();
        set.specification().clone()
    }

    #[test]
    fn wrong_values_are_named() {
        type Change = fn(&mut PoseidonSpecification<Fr>);
        let cases: [(Change, &str); 26] = [
            (|s| s.alpha = 4, "x^4 is no permutation"),
            (|s| s.alpha = 3, "x^3 is no permutation"),
            (|s| s.full_rounds_first = 5, "has 64 rounds but 63 vectors"),
            (
                |s| s.full_rounds_last = 2000,
                "2004 full rounds, at most 1023",
            ),
            (
                |s| s.partial_rounds = 1024,
                "1024 partial rounds, at most 1023",
            ),
            (|s| s.full_rounds_first = 0, "no full round before"),
            (|s| s.full_rounds_last = 0, "no full round after"),
            (
                |s| s.mds[1].truncate(2),
                "row 1 of its matrix has 2 entries",
            ),
            (|s| s.mds.truncate(1), "state width is 1"),
            (
                |s| s.mds = vec![vec![Fr::ZERO; 13]; 13],
                "state width is 13",
            ),
            (
                |s| s.round_constants[7].truncate(1),
                "round 7 has 1 round constants",
            ),
            (|s| s.partial_index = 3, "is on state element 3"),
            (
                |s| s.initial_state.truncate(2),
                "initial state has 2 values",
            ),
            (|s| s.input_positions.clear(), "has no input"),
            (
                |s| s.input_positions = vec![1, 3],
                "input 1 is state element 3",
            ),
            (
                |s| s.input_positions = vec![2, 1, 2],
                "input 0 and input 2 are both state element 2",
            ),
            (|s| s.digest_positions.clear(), "has no digest element"),
            (
                |s| s.digest_positions = vec![3],
                "digest element 0 is state element 3",
            ),
            (
                |s| s.digest_positions = vec![0, 1],
                "digest has 2 elements, at most 1",
            ),
            (
                |s| {
                    s.compression = Compression::Jive;
                    s.digest_positions = vec![1];
                },
                "those of a Jive digest are the first ones",
            ),
            (
                |s| {
                    s.compression = Compression::FeedForward;
                    s.sponge = Some(Sponge {
                        rate_positions: vec![1],
                        absorption: Absorption::Add,
                        padding: Padding::None,
                        capacity: Capacity::Zero,
                        permute_empty: false,
                        short_rows_are_digests: false,
                    });
                },
                "has a sponge and a compression",
            ),
            (
                |s| {
                    s.sponge = Some(Sponge {
                        rate_positions: vec![0, 0],
                        absorption: Absorption::Add,
                        padding: Padding::None,
                        capacity: Capacity::Zero,
                        permute_empty: false,
                        short_rows_are_digests: false,
                    });
                },
                "rate element 0 and rate element 1 are both",
            ),
            (
                |s| {
                    s.sponge = Some(Sponge {
                        rate_positions: vec![0, 1],
                        absorption: Absorption::Add,
                        padding: Padding::None,
                        capacity: Capacity::Length { position: 3 },
                        permute_empty: false,
                        short_rows_are_digests: false,
                    });
                },
                "capacity is state element 3",
            ),
            (
                |s| {
                    s.sponge = Some(Sponge {
                        rate_positions: vec![0, 1, 2],
                        absorption: Absorption::Overwrite,
                        padding: Padding::One,
                        capacity: Capacity::Zero,
                        permute_empty: false,
                        short_rows_are_digests: false,
                    });
                },
                "sponge has no capacity: the rate is all 3 elements",
            ),
            (
                |s| {
                    s.sponge = Some(Sponge {
                        rate_positions: vec![0, 1],
                        absorption: Absorption::Add,
                        padding: Padding::None,
                        capacity: Capacity::Safe {
                            position: 1,
                            domain: 0,
                        },
                        permute_empty: false,
                        short_rows_are_digests: false,
                    });
                },
                "is state element 1, which blocks of the message go into",
            ),
            (
                |s| {
                    for (i, row) in s.mds.iter_mut().enumerate() {
                        for (j, entry) in row.iter_mut().enumerate() {
                            *entry = Fr::from(i == j);
                        }
                    }
                },
                "its matrix is the identity",
            ),
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
    }

    #[test]
    fn exponents_that_are_permutations() {
        let exponents = |is: fn(u64) -> bool| -> Vec<u64> {
            [3, 5, 7].into_iter().filter(|&alpha| is(alpha)).collect()
        };
        assert_eq!(exponents(is_permutation::<Fr>), [5, 7]);
        assert_eq!(exponents(is_permutation::<Starknet>), [3]);
        assert_eq!(exponents(is_permutation::<Goldilocks>), [7]);
    }

    #[test]
    fn a_singular_matrix_is_a_warning() {
        let mut specification = specification();
        assert!(
            PoseidonParameters::new(specification.clone())
                .unwrap()
                .warnings()
                .is_empty()
        );
        specification.mds = (0..3)
            .map(|i| (0..3).map(|j| Fr::from(3 * i + j + 1)).collect())
            .collect();
        let warnings = PoseidonParameters::new(specification).unwrap().warnings();
        assert!(
            warnings[0].contains("singular: its permutation"),
            "{warnings:?}"
        );
    }

    /// Two rows that are equal but for one entry, and a reflection.
    #[test]
    fn matrices_that_are_no_mds_or_leave_subspaces_alone_are_warnings() {
        let with = |mds: [[i64; 3]; 3], partial_rounds: usize| {
            let mut specification = specification();
            specification.mds = mds.map(|row| row.map(Fr::from).to_vec()).to_vec();
            specification.partial_rounds = partial_rounds;
            specification.round_constants.truncate(8 + partial_rounds);
            PoseidonParameters::new(specification).unwrap().warnings()
        };
        let not_mds = with([[1, 2, 3], [1, 2, 4], [9, 5, 7]], 55);
        assert_eq!(not_mds.len(), 1, "{not_mds:?}");
        let expected = "of 'filecoin-arity-2' is not MDS: rows [0, 1] and columns [0, 1]";
        assert!(not_mds[0].contains(expected), "{not_mds:?}");
        // 3 less twice the projection on (1, 1, 1), times 1/3 left out.
        let reflection = [[1, -2, -2], [-2, 1, -2], [-2, -2, 1]];
        let trail = with(reflection, 55);
        assert_eq!(trail.len(), 1, "{trail:?}");
        let expected = "infinitely long subspace trails: differences in a subspace of dimension 1";
        assert!(trail[0].contains(expected), "{trail:?}");
        let [few_rounds] = &with(reflection, 0)[..] else {
            panic!("there are no partial rounds to look at")
        };
        let expected = "has 8 full and 0 partial rounds, too few against interpolation attacks for 128 bits of \
                        security; with as many partial rounds there should be 58 full ones at least";
        assert!(few_rounds.contains(expected), "{few_rounds}");
    }
}

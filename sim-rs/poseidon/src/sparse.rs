//! Permutations in one normal form, and partial rounds with sparse matrices.
//!
//! In the normal form the state elements are in *internal order*, in which the S-box of partial
//! rounds is on element 0 ([`InternalOrder`]); constants are added once at the start and then at
//! the end of every round. That covers both orders of the steps of a round: where constants come
//! first, those of round 0 are the ones at the start, and those of round r + 1 come at the end of
//! round r. [`DenseRounds`] has nothing but that, [`SparseRounds`] has sparse partial rounds.
//!
//! Source: the Poseidon paper, appendix "Efficient implementation", and the specification of
//! neptune. A matrix A whose minor A^ (without row and column 0) is invertible is `A = S * D`:
//!
//! ```text
//! [ a  r  ]   [ a  r * A^^-1 ]   [ 1  0  ]
//! [ c  A^ ] = [ c  1         ] * [ 0  A^ ]
//! ```
//!
//! D leaves element 0 alone, and the S-box of a partial round leaves all others alone, so D
//! changes places with it and goes into the matrix of the round before. From the last partial
//! round backwards this makes the matrix of every partial round sparse: its first row, its first
//! column, and ones on the diagonal. What is left in front is the pre-sparse matrix, with which
//! the last full round of the first half ends.
//!
//! Of the constants at the end of a partial round all but the first can go before the round's sparse
//! matrix, because `S * (0, e) = (w * e, e)`, and so into the round before.

use ark_ff::PrimeField;

use crate::matrix::{dot, invert, row_times};
use crate::params::{PoseidonParameters, RoundOrder};

/// An order of the state elements in which the one that has the S-box in partial rounds is element 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InternalOrder {
    /// The element at each place.
    elements: Vec<usize>,
    /// The place of each element.
    places: Vec<usize>,
}

impl InternalOrder {
    /// Element `partial_index` of `width` and element 0 change places.
    ///
    /// # Panics
    ///
    /// When there is no such element.
    pub fn swapped(width: usize, partial_index: usize) -> Self {
        let mut elements: Vec<usize> = (0..width).collect();
        elements.swap(0, partial_index);
        Self::new(elements)
    }

    /// The elements `near` come as close behind element `partial_index` of `width` as they can, in their
    /// order, then the others in theirs.
    ///
    /// # Panics
    ///
    /// When there is no such element.
    pub fn near(width: usize, partial_index: usize, near: &[usize]) -> Self {
        let mut elements = vec![partial_index];
        for element in near.iter().copied().chain(0..width) {
            if !elements.contains(&element) {
                elements.push(element);
            }
        }
        Self::new(elements)
    }

    fn new(elements: Vec<usize>) -> Self {
        let mut places = vec![0; elements.len()];
        for (place, &element) in elements.iter().enumerate() {
            places[element] = place;
        }
        Self { elements, places }
    }

    /// The place of state element `element`.
    ///
    /// # Panics
    ///
    /// When there is no such element.
    pub fn place(&self, element: usize) -> usize {
        self.places[element]
    }

    /// The entries of `vector`, one for each state element, in this order.
    ///
    /// # Panics
    ///
    /// When it has fewer entries than there are elements.
    pub fn apply<T: Clone>(&self, vector: &[T]) -> Vec<T> {
        (self.elements.iter())
            .map(|&element| vector[element].clone())
            .collect()
    }
}

/// A matrix with a first row, a first column, and elsewhere the identity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SparseMatrix<F> {
    /// The first row w, of as many entries as the state is wide.
    pub row: Vec<F>,
    /// The first column v without its first entry, which is `row[0]`.
    pub column: Vec<F>,
}

/// A partial round: S-box on element 0, then the matrix, then the constant on element 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartialRound<F> {
    /// The matrix.
    pub matrix: SparseMatrix<F>,
    /// Is added to element 0 after the matrix.
    pub constant: F,
}

/// The rounds of a permutation in normal form, all in internal order.
///
/// The permutation starts with `state + initial_constants`, a hash with `initial` plus the inputs.
/// A full round is an S-box on every element, then the MDS matrix, then a vector of constants; a
/// partial round has the S-box on element 0 only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DenseRounds<F> {
    /// The constants before the first S-box.
    pub initial_constants: Vec<F>,
    /// The same plus the initial state of a hash.
    pub initial: Vec<F>,
    /// The MDS matrix, row by row.
    pub mds: Vec<Vec<F>>,
    /// Constants after the matrix of each full round of the first half.
    pub full_first: Vec<Vec<F>>,
    /// Constants after the matrix of each partial round.
    pub partial: Vec<Vec<F>>,
    /// Constants after the matrix of each full round of the second half.
    pub full_last: Vec<Vec<F>>,
}

impl<F: PrimeField> DenseRounds<F> {
    /// Rewrites the rounds of `parameters`, with as few elements out of their places as possible.
    pub fn new(parameters: &PoseidonParameters<F>) -> Self {
        let order = InternalOrder::swapped(parameters.width(), parameters.partial_index());
        Self::in_order(parameters, &order)
    }

    /// Rewrites the rounds of `parameters`, with the elements in `order`.
    pub fn in_order(parameters: &PoseidonParameters<F>, order: &InternalOrder) -> Self {
        let width = parameters.width();
        let internal = |vector: &[F]| order.apply(vector);
        let rows: Vec<Vec<F>> = (parameters.mds().iter()).map(|row| internal(row)).collect();
        let mds = order.apply(&rows);

        let mut constants: Vec<Vec<F>> = (parameters.round_constants().iter())
            .map(|vector| internal(vector))
            .collect();
        let zeros = vec![F::ZERO; width];
        let initial_constants = match parameters.round_order() {
            RoundOrder::ConstantsFirst => {
                constants.push(zeros);
                constants.remove(0)
            }
            RoundOrder::SboxFirst => zeros,
        };
        let initial = (initial_constants.iter())
            .zip(internal(parameters.initial_state()))
            .map(|(&constant, value)| constant + value)
            .collect();
        let full_last =
            constants.split_off(parameters.full_rounds_first() + parameters.partial_rounds());
        let partial = constants.split_off(parameters.full_rounds_first());
        Self {
            initial_constants,
            initial,
            mds,
            full_first: constants,
            partial,
            full_last,
        }
    }
}

/// The rounds of a permutation with sparse partial rounds, all in internal order.
///
/// The permutation starts with `state + initial_constants`, a hash with `initial` plus the inputs.
/// A full round is an S-box on every element, then the matrix, then a vector of constants. The
/// matrix is the MDS matrix, but for the last round of the first half, which has
/// [`SparseRounds::pre_sparse`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SparseRounds<F> {
    /// The constants before the first S-box.
    pub initial_constants: Vec<F>,
    /// The same plus the initial state of a hash.
    pub initial: Vec<F>,
    /// The MDS matrix, row by row.
    pub mds: Vec<Vec<F>>,
    /// Constants after the matrix of each full round of the first half.
    pub full_first: Vec<Vec<F>>,
    /// Matrix of the last full round of the first half, row by row. It is the MDS matrix when
    /// there are no partial rounds.
    pub pre_sparse: Vec<Vec<F>>,
    /// The partial rounds.
    pub partial: Vec<PartialRound<F>>,
    /// Constants after the matrix of each full round of the second half.
    pub full_last: Vec<Vec<F>>,
}

/// The partial rounds of a parameter set have no sparse form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SparseError {
    /// The matrix does not factor.
    #[error(
        "the matrix of '{name}' has no sparse factors: it is singular without row and column \
         {index}; its partial rounds can only be computed with the dense matrix"
    )]
    SingularMinor {
        /// Name of the parameter set.
        name: String,
        /// The element that has the S-box in partial rounds.
        index: usize,
    },
}

impl<F: PrimeField> SparseRounds<F> {
    /// Rewrites the rounds of `parameters`, with as few elements out of their places as possible.
    ///
    /// # Errors
    ///
    /// When the partial rounds have no sparse form; [`DenseRounds`] does without.
    pub fn new(parameters: &PoseidonParameters<F>) -> Result<Self, SparseError> {
        let order = InternalOrder::swapped(parameters.width(), parameters.partial_index());
        Self::in_order(parameters, &order)
    }

    /// Rewrites the rounds of `parameters`, with the elements in `order`.
    ///
    /// # Errors
    ///
    /// When the partial rounds have no sparse form; [`DenseRounds`] does without.
    pub fn in_order(
        parameters: &PoseidonParameters<F>,
        order: &InternalOrder,
    ) -> Result<Self, SparseError> {
        let DenseRounds {
            initial_constants,
            initial,
            mds,
            mut full_first,
            partial,
            full_last,
        } = DenseRounds::in_order(parameters, order);

        // The constants before each partial round, and at last those after all of them. Those
        // before the first one are the constants of the last full round.
        let mut constants = full_first.split_off(full_first.len() - 1);
        constants.extend(partial);

        let mut matrices = Vec::with_capacity(parameters.partial_rounds());
        let mut pre_sparse = mds.clone();
        for round in (0..parameters.partial_rounds()).rev() {
            let (sparse, rest) = factor(&pre_sparse).ok_or_else(|| SparseError::SingularMinor {
                name: parameters.name().to_owned(),
                index: parameters.partial_index(),
            })?;
            matrices.push(sparse);
            let before = &mut constants[round];
            let tail = multiply_vector(&rest, &before[1..]);
            before[1..].copy_from_slice(&tail);
            pre_sparse = multiply_below(&rest, &mds);
        }
        matrices.reverse();

        for (round, matrix) in matrices.iter().enumerate().rev() {
            let tail: Vec<F> = constants[round + 1][1..].to_vec();
            let folded = dot(&matrix.row[1..], &tail);
            constants[round + 1][0] -= folded;
            for (before, value) in constants[round][1..].iter_mut().zip(tail) {
                *before += value;
            }
        }

        let mut constants = constants.into_iter();
        full_first.extend(constants.next());
        let partial = matrices
            .into_iter()
            .zip(constants)
            .map(|(matrix, constants)| PartialRound {
                matrix,
                constant: constants[0],
            })
            .collect();
        Ok(Self {
            initial_constants,
            initial,
            mds,
            full_first,
            pre_sparse,
            partial,
            full_last,
        })
    }
}

/// Factors `matrix` into a sparse one and the minor that is the rest; `None` when the minor is
/// singular.
fn factor<F: PrimeField>(matrix: &[Vec<F>]) -> Option<(SparseMatrix<F>, Vec<Vec<F>>)> {
    let minor: Vec<Vec<F>> = matrix[1..].iter().map(|row| row[1..].to_vec()).collect();
    let inverse = invert(&minor)?;
    let size = minor.len();
    let mut row = vec![matrix[0][0]];
    row.extend((0..size).map(|j| {
        (0..size)
            .map(|i| matrix[0][1 + i] * inverse[i][j])
            .sum::<F>()
    }));
    let column = matrix[1..].iter().map(|row| row[0]).collect();
    Some((SparseMatrix { row, column }, minor))
}

/// `[[1, 0], [0, block]] * matrix`.
fn multiply_below<F: PrimeField>(block: &[Vec<F>], matrix: &[Vec<F>]) -> Vec<Vec<F>> {
    let mut product = vec![matrix[0].clone()];
    product.extend(block.iter().map(|row| row_times(row, &matrix[1..])));
    product
}

fn multiply_vector<F: PrimeField>(matrix: &[Vec<F>], vector: &[F]) -> Vec<F> {
    matrix.iter().map(|row| dot(row, vector)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ark_bls12_381::Fr;
    use ark_ff::{AdditiveGroup, Field};

    use crate::params::PoseidonSpecification;
    use crate::presets;

    /// The product of the sparse matrix with `[[1, 0], [0, rest]]`.
    fn product(sparse: &SparseMatrix<Fr>, rest: &[Vec<Fr>]) -> Vec<Vec<Fr>> {
        let width = sparse.row.len();
        let dense: Vec<Vec<Fr>> = (0..width)
            .map(|i| {
                (0..width)
                    .map(|j| match (i, j) {
                        (0, j) => sparse.row[j],
                        (i, 0) => sparse.column[i - 1],
                        (i, j) => Fr::from(i == j),
                    })
                    .collect()
            })
            .collect();
        let block = |i: usize, j: usize| match (i, j) {
            (0, 0) => Fr::ONE,
            (0, _) | (_, 0) => Fr::ZERO,
            (i, j) => rest[i - 1][j - 1],
        };
        (0..width)
            .map(|i| {
                (0..width)
                    .map(|j| (0..width).map(|k| dense[i][k] * block(k, j)).sum())
                    .collect()
            })
            .collect()
    }

    #[test]
    fn the_factors_multiply_to_the_matrix() {
        for arity in 1..=11 {
            let parameters = presets::over::<Fr>(&format!("filecoin-arity-{arity}")).unwrap();
            let (sparse, rest) = factor(parameters.mds()).unwrap();
            assert_eq!(product(&sparse, &rest), parameters.mds());
        }
    }

    #[test]
    fn a_singular_minor_has_no_sparse_form() {
        let parameters = presets::over::<Fr>("filecoin-arity-2").unwrap();
        let mut specification = PoseidonSpecification {
            mds: [[1, 2, 3], [4, 5, 6], [7, 10, 12]]
                .map(|row| row.map(Fr::from).to_vec())
                .to_vec(),
            ..parameters.specification().clone()
        };
        let singular = PoseidonParameters::new(specification.clone()).unwrap();
        assert_eq!(
            SparseRounds::new(&singular),
            Err(SparseError::SingularMinor {
                name: "filecoin-arity-2".to_owned(),
                index: 0
            })
        );
        // Another minor, and no partial round at all.
        specification.partial_index = 2;
        let other = PoseidonParameters::new(specification.clone()).unwrap();
        assert!(SparseRounds::new(&other).is_ok());
        specification.partial_index = 0;
        specification.round_constants.drain(4..59);
        specification.partial_rounds = 0;
        let none = PoseidonParameters::new(specification).unwrap();
        let rounds = SparseRounds::new(&none).unwrap();
        assert_eq!(rounds.pre_sparse, none.mds());
    }

    #[test]
    fn orders_begin_with_the_partial_s_box() {
        for width in 2..=12 {
            for partial_index in 0..width {
                let near = [width - 1, partial_index, 0];
                let swapped = InternalOrder::swapped(width, partial_index);
                let near = InternalOrder::near(width, partial_index, &near);
                for order in [&swapped, &near] {
                    assert_eq!(order.place(partial_index), 0);
                    let elements = order.apply(&(0..width).collect::<Vec<_>>());
                    for (place, element) in elements.into_iter().enumerate() {
                        assert_eq!(order.place(element), place);
                    }
                }
                assert_eq!(swapped.place(0), partial_index);
                assert!(near.place(width - 1) < 2 && near.place(0) < 3);
            }
        }
    }
}

//! Partial rounds with sparse matrices.
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
//! Round constants are added after the matrix, one round earlier than in the specification. In a
//! partial round all of them but the first can go before the round's sparse matrix, because
//! `S * (0, e) = (w * e, e)`, and so into the round before.

use ark_ff::PrimeField;

use crate::params::PoseidonParameters;

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

/// The rounds of a permutation with sparse partial rounds and constants after the matrices.
///
/// The state starts as `initial` plus the inputs. A full round is an S-box on every element, then
/// the matrix, then a vector of constants. The matrix is the MDS matrix, but for the last round of
/// the first half, which has [`SparseRounds::pre_sparse`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SparseRounds<F> {
    /// Tag and first round constants; the inputs are added to the elements without the tag.
    pub initial: Vec<F>,
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
        "the matrix of '{name}' has no sparse factors: it is singular without its first row and \
         column; its partial rounds can only be computed with the dense matrix"
    )]
    SingularMinor {
        /// Name of the parameter set.
        name: String,
    },
    /// Nothing takes the pre-sparse matrix.
    #[error(
        "'{name}' has partial rounds but no full round before them, which would take the \
         pre-sparse matrix; its partial rounds can only be computed with the dense matrix"
    )]
    NoFullRound {
        /// Name of the parameter set.
        name: String,
    },
}

impl<F: PrimeField> SparseRounds<F> {
    /// Rewrites the rounds of `parameters`.
    ///
    /// # Errors
    ///
    /// When the partial rounds have no sparse form.
    pub fn new(parameters: &PoseidonParameters<F>) -> Result<Self, SparseError> {
        let mds = parameters.mds();
        let first = parameters.full_rounds_first();
        let partial_rounds = parameters.partial_rounds();
        if partial_rounds > 0 && first == 0 {
            return Err(SparseError::NoFullRound {
                name: parameters.name().to_owned(),
            });
        }

        let mut initial = parameters.round_constants()[0].clone();
        initial[parameters.tag_index()] += parameters.tag();

        // constants[r] is added after the matrix of round r.
        let mut constants = parameters.round_constants()[1..].to_vec();
        constants.push(vec![F::ZERO; parameters.width()]);

        let mut matrices = Vec::with_capacity(partial_rounds);
        let mut dense = mds.to_vec();
        for round in (first..first + partial_rounds).rev() {
            let (sparse, rest) = factor(&dense).ok_or_else(|| SparseError::SingularMinor {
                name: parameters.name().to_owned(),
            })?;
            matrices.push(sparse);
            let before = &mut constants[round - 1];
            let tail = multiply_vector(&rest, &before[1..]);
            before[1..].copy_from_slice(&tail);
            dense = multiply_below(&rest, mds);
        }
        matrices.reverse();

        for (round, matrix) in (first..first + partial_rounds).zip(&matrices).rev() {
            let tail: Vec<F> = constants[round][1..].to_vec();
            let folded = dot(&matrix.row[1..], &tail);
            constants[round][0] -= folded;
            for (before, value) in constants[round - 1][1..].iter_mut().zip(tail) {
                *before += value;
            }
        }

        let full_last = constants.split_off(first + partial_rounds);
        let partial = matrices
            .into_iter()
            .zip(constants.split_off(first))
            .map(|(matrix, constants)| PartialRound {
                matrix,
                constant: constants[0],
            })
            .collect();
        Ok(Self {
            initial,
            full_first: constants,
            pre_sparse: dense,
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

/// The inverse by Gauss-Jordan elimination, `None` when there is none.
fn invert<F: PrimeField>(matrix: &[Vec<F>]) -> Option<Vec<Vec<F>>> {
    let size = matrix.len();
    let mut rows: Vec<Vec<F>> = matrix
        .iter()
        .enumerate()
        .map(|(i, row)| {
            let identity = (0..size).map(|j| if i == j { F::ONE } else { F::ZERO });
            row.iter().copied().chain(identity).collect()
        })
        .collect();
    for column in 0..size {
        let pivot = (column..size).find(|&i| !rows[i][column].is_zero())?;
        rows.swap(column, pivot);
        let scale = rows[column][column].inverse()?;
        for entry in &mut rows[column] {
            *entry *= scale;
        }
        let pivot_row = rows[column].clone();
        for (i, row) in rows.iter_mut().enumerate() {
            let multiple = row[column];
            if i != column && !multiple.is_zero() {
                for (entry, pivot) in row.iter_mut().zip(&pivot_row) {
                    *entry -= multiple * pivot;
                }
            }
        }
    }
    Some(
        rows.into_iter()
            .map(|mut row| row.split_off(size))
            .collect(),
    )
}

/// `[[1, 0], [0, block]] * matrix`.
fn multiply_below<F: PrimeField>(block: &[Vec<F>], matrix: &[Vec<F>]) -> Vec<Vec<F>> {
    let mut product = vec![matrix[0].clone()];
    product.extend(block.iter().map(|row| {
        (0..matrix.len())
            .map(|j| {
                row.iter()
                    .zip(&matrix[1..])
                    .map(|(&x, below)| x * below[j])
                    .sum()
            })
            .collect()
    }));
    product
}

fn multiply_vector<F: PrimeField>(matrix: &[Vec<F>], vector: &[F]) -> Vec<F> {
    matrix.iter().map(|row| dot(row, vector)).collect()
}

fn dot<F: PrimeField>(a: &[F], b: &[F]) -> F {
    a.iter().zip(b).map(|(&x, y)| x * y).sum()
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
        for preset in presets::all() {
            let (sparse, rest) = factor(preset.mds()).unwrap();
            assert_eq!(product(&sparse, &rest), preset.mds());
        }
    }

    #[test]
    fn what_has_no_sparse_form_is_refused() {
        let specification = presets::all()[0].specification();
        let singular = PoseidonSpecification {
            mds: [[1, 2, 3], [4, 5, 6], [7, 10, 12]]
                .map(|row| row.map(Fr::from).to_vec())
                .to_vec(),
            ..specification.clone()
        };
        let singular = PoseidonParameters::new(singular).unwrap();
        let error = SparseRounds::new(&singular).unwrap_err();
        assert!(
            matches!(error, SparseError::SingularMinor { .. }),
            "{error}"
        );

        let late = PoseidonSpecification {
            full_rounds_first: 0,
            full_rounds_last: 8,
            ..specification.clone()
        };
        let late = PoseidonParameters::new(late).unwrap();
        let error = SparseRounds::new(&late).unwrap_err();
        assert!(matches!(error, SparseError::NoFullRound { .. }), "{error}");
    }
}

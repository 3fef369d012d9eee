//! Linear algebra over a prime field, on matrices that are lists of rows.

use ark_ff::PrimeField;

/// Whether `matrix`, row by row and square, has an inverse.
pub(crate) fn is_invertible<F: PrimeField>(matrix: &[Vec<F>]) -> bool {
    invert(matrix).is_some()
}

/// A step of Gauss-Jordan elimination: `column` becomes that of the identity, with its one in the row of the same
/// number. `None` when the column is zero from there on.
fn eliminate<F: PrimeField>(rows: &mut [Vec<F>], column: usize) -> Option<()> {
    let pivot = (column..rows.len()).find(|&i| !rows[i][column].is_zero())?;
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
    Some(())
}

/// The inverse by Gauss-Jordan elimination, `None` when there is none.
pub(crate) fn invert<F: PrimeField>(matrix: &[Vec<F>]) -> Option<Vec<Vec<F>>> {
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
        eliminate(&mut rows, column)?;
    }
    Some(
        rows.into_iter()
            .map(|mut row| row.split_off(size))
            .collect(),
    )
}

/// The coefficients with which `rows`, which are independent, add up to `target`; `None` when there are none.
pub(crate) fn combination<F: PrimeField>(rows: &[Vec<F>], target: &[F]) -> Option<Vec<F>> {
    let count = rows.len();
    // An equation for each entry of the target, its right side last.
    let mut equations: Vec<Vec<F>> = (0..target.len())
        .map(|i| {
            let left = rows.iter().map(|row| row[i]);
            left.chain([target[i]]).collect()
        })
        .collect();
    for column in 0..count {
        eliminate(&mut equations, column)?;
    }
    let (solved, left) = equations.split_at(count);
    let right = |equation: &Vec<F>| equation[count];
    (left.iter().all(|equation| right(equation).is_zero()))
        .then(|| solved.iter().map(right).collect())
}

/// The sum of the products of the entries.
pub(crate) fn dot<F: PrimeField>(a: &[F], b: &[F]) -> F {
    a.iter().zip(b).map(|(&x, y)| x * y).sum()
}

/// `row * matrix`.
pub(crate) fn row_times<F: PrimeField>(row: &[F], matrix: &[Vec<F>]) -> Vec<F> {
    let width = matrix.first().map_or(0, Vec::len);
    let mut product = vec![F::ZERO; width];
    for (&factor, entries) in row.iter().zip(matrix) {
        for (sum, &entry) in product.iter_mut().zip(entries) {
            *sum += factor * entry;
        }
    }
    product
}

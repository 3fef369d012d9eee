//! Linear algebra over a prime field, on matrices that are lists of rows.

use ark_ff::PrimeField;

/// Whether `matrix`, row by row and square, has an inverse.
pub(crate) fn is_invertible<F: PrimeField>(matrix: &[Vec<F>]) -> bool {
    invert(matrix).is_some()
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

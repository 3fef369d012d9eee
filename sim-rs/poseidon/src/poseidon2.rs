//! The matrices of Poseidon2.
//!
//! Source: Grassi, Khovratovich and Schofnegger, "Poseidon2: A Faster Version of the Poseidon Hash Function" (2023),
//! sections 5.1 and 5.2. Protocols differ in the block of the matrix of full rounds and in the diagonal of that of
//! partial rounds.

use ark_ff::PrimeField;

/// Rows and columns of the block that external matrices of Poseidon2 are made of.
pub(crate) const EXTERNAL_BLOCK: usize = 4;

/// The matrix of full rounds. For widths that are a multiple of four blocks of four, those of the diagonal twice
/// `block` and the others `block` itself; for the width 4 `block`; for the widths 2 and 3, which have none, all ones
/// plus one on the diagonal.
///
/// # Errors
///
/// What is missing for it, or that there is none of the width.
pub(crate) fn external_matrix<F: PrimeField>(
    width: usize,
    block: Option<&[Vec<F>]>,
) -> Result<Vec<Vec<F>>, String> {
    let entry: Box<dyn Fn(usize, usize) -> F> = match (width, block) {
        (2 | 3, None) => Box::new(|i, j| F::from(1 + u64::from(i == j))),
        (EXTERNAL_BLOCK, Some(block)) => Box::new(|i, j| block[i][j]),
        (width, Some(block)) if width.is_multiple_of(EXTERNAL_BLOCK) => Box::new(|i, j| {
            let entry = block[i % EXTERNAL_BLOCK][j % EXTERNAL_BLOCK];
            if i / EXTERNAL_BLOCK == j / EXTERNAL_BLOCK {
                entry.double()
            } else {
                entry
            }
        }),
        _ if width.is_multiple_of(EXTERNAL_BLOCK) => {
            return Err("is missing, which the width needs".to_owned());
        }
        _ => {
            return Err(format!(
                "there is no external matrix of the width {width}: Poseidon2 has 2, 3 and multiples of 4"
            ));
        }
    };
    Ok((0..width)
        .map(|i| (0..width).map(|j| entry(i, j)).collect())
        .collect())
}

/// The matrix of partial rounds: all ones, plus `diagonal[i]` where `i == j`.
pub fn internal_matrix<F: PrimeField>(diagonal: &[F]) -> Vec<Vec<F>> {
    (diagonal.iter().enumerate())
        .map(|(i, &more)| {
            let mut row = vec![F::ONE; diagonal.len()];
            row[i] += more;
            row
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::fields::Starknet;

    #[test]
    fn matrices_of_three_elements() {
        let elements = |values: [i32; 3]| values.map(Starknet::from);
        assert_eq!(
            external_matrix::<Starknet>(3, None),
            Ok([[2, 1, 1], [1, 2, 1], [1, 1, 2]]
                .map(|row| elements(row).to_vec())
                .to_vec())
        );
        let error = external_matrix::<Starknet>(5, None).unwrap_err();
        assert!(
            error.contains("no external matrix of the width 5"),
            "{error}"
        );
        assert_eq!(
            internal_matrix(&elements([1, 1, 2])),
            [[2, 1, 1], [1, 2, 1], [1, 1, 3]].map(elements)
        );
    }
}

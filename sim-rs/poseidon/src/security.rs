//! What a matrix says about the security of a permutation: whether it mixes the state at all, whether it is
//! MDS, and whether it leaves subspaces in partial rounds alone.
//!
//! Sources: for MDS matrices the Poseidon paper, section 2; for the subspaces Grassi, Rechberger and
//! Schofnegger, "Proving Resistance Against Infinitely Long Subspace Trails: How to Choose the Linear Layer"
//! (IACR Transactions on Symmetric Cryptology, 2021), whose three algorithms the reference script of Poseidon
//! runs. Here they are computed exactly, by ranks, for the one S-box that a partial round has.

use ark_ff::PrimeField;

use crate::bounds::{MAX_SMALL_WIDTH, MAX_WIDTH};
use crate::matrix;
use crate::poseidon2;

/// Why `matrix`, row by row and square, can be no matrix of a permutation that mixes, as what is said of it: some
/// element of the state does not depend on some other, however many rounds there are. `None` where all depend on all.
pub(crate) fn refusal<F: PrimeField>(matrix: &[Vec<F>]) -> Option<String> {
    let width = matrix.len();
    // By bits: which elements the new element i depends on.
    let once: Vec<u32> = (matrix.iter())
        .map(|row| {
            (row.iter().enumerate())
                .map(|(j, entry)| u32::from(!entry.is_zero()) << j)
                .sum()
        })
        .collect();
    // A pattern some power of which has no zero has none from the power (width - 1)^2 + 1 on (Wielandt).
    const { assert!((MAX_SMALL_WIDTH - 1) * (MAX_SMALL_WIDTH - 1) < 1 << 10) };
    let mut later = once.clone();
    for _ in 0..10 {
        later = (later.iter())
            .map(|&row| {
                (0..width)
                    .filter(|&k| row >> k & 1 == 1)
                    .fold(0, |sum, k| sum | later[k])
            })
            .collect();
    }
    let all = (1 << width) - 1;
    let element = later.iter().position(|&row| row != all)?;
    let is_diagonal = (once.iter().enumerate()).all(|(i, row)| row & !(1 << i) == 0);
    let is_identity = is_diagonal && (0..width).all(|i| matrix[i][i].is_one());
    Some(if is_identity {
        "is the identity, which does not mix the state".to_owned()
    } else if is_diagonal {
        "is diagonal, which does not mix the state".to_owned()
    } else if once.iter().all(|row| row.count_ones() <= 1) {
        "has no row with more than one entry that is not zero, so it only moves the \
         elements of the state and does not mix them"
            .to_owned()
    } else {
        let other = (!later[element]).trailing_zeros();
        format!(
            "has so many zeros that it does not mix the state: after any number of \
             rounds element {element} does not depend on element {other}, or only in every few rounds"
        )
    })
}

/// Whether `matrix` is an external matrix of Poseidon2 for eight elements or more: of blocks of four, each the same
/// MDS matrix, those of the diagonal twice as much. It is not MDS itself (Grassi, Khovratovich and Schofnegger,
/// "Poseidon2: A Faster Version of the Poseidon Hash Function", section 5.1).
pub(crate) fn is_external<F: PrimeField>(matrix: &[Vec<F>]) -> bool {
    const BLOCK: usize = poseidon2::EXTERNAL_BLOCK;
    let width = matrix.len();
    if width < 2 * BLOCK || !width.is_multiple_of(BLOCK) {
        return false;
    }
    let block: Vec<Vec<F>> = (matrix[..BLOCK].iter())
        .map(|row| row[BLOCK..2 * BLOCK].to_vec())
        .collect();
    let external = poseidon2::external_matrix(width, Some(&block));
    external.is_ok_and(|external| external == matrix) && singular_minor(&block).is_none()
}

/// Rows and columns of a sub-matrix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Minor {
    pub rows: Vec<usize>,
    pub columns: Vec<usize>,
}

/// The rows and columns of a square sub-matrix that is singular, of the smallest rows first; `None` where there
/// is none, and the matrix is MDS.
///
/// A Cauchy matrix, scaled or not, is recognised and takes width^2 products. Any other takes
/// `sum k C(width, k)^2`, which are 16 million for width 12. Of wider ones no sub-matrix of more than one entry is
/// looked at.
pub(crate) fn singular_minor<F: PrimeField>(matrix: &[Vec<F>]) -> Option<Minor> {
    for (i, row) in matrix.iter().enumerate() {
        if let Some(j) = row.iter().position(F::is_zero) {
            return Some(Minor {
                rows: vec![i],
                columns: vec![j],
            });
        }
    }
    if is_cauchy(matrix) {
        return equal_sums(matrix);
    }
    let width = matrix.len();
    if width > MAX_WIDTH {
        return None;
    }
    let mut by_size = vec![Vec::new(); width + 1];
    for mask in 0_usize..1 << width {
        by_size[mask.count_ones() as usize].push(mask);
    }
    let mut search = MinorSearch {
        matrix,
        by_size,
        minors: vec![vec![F::ZERO; 1 << width]; width + 1],
        rows: Vec::new(),
    };
    search.minors[0][0] = F::ONE;
    search.find()
}

/// All minors of one row set after another, each by expansion along its last row.
struct MinorSearch<'a, F> {
    matrix: &'a [Vec<F>],
    /// Column sets as masks, by their number of columns.
    by_size: Vec<Vec<usize>>,
    /// `minors[k][mask]`: the minor of the first k of `rows` and the k columns of `mask`.
    minors: Vec<Vec<F>>,
    rows: Vec<usize>,
}

impl<F: PrimeField> MinorSearch<'_, F> {
    fn find(&mut self) -> Option<Minor> {
        let width = self.matrix.len();
        let size = self.rows.len() + 1;
        let from = self.rows.last().map_or(0, |last| last + 1);
        for next in from..width {
            self.rows.push(next);
            if let Some(mask) = self.expand(size) {
                return Some(Minor {
                    rows: self.rows.clone(),
                    columns: (0..width).filter(|&j| mask >> j & 1 == 1).collect(),
                });
            }
            let found = self.find();
            if found.is_some() {
                return found;
            }
            self.rows.pop();
        }
        None
    }

    /// Computes the minors of all `size` rows; the columns of one that is zero.
    fn expand(&mut self, size: usize) -> Option<usize> {
        let row = &self.matrix[*self.rows.last()?];
        let (before, after) = self.minors.split_at_mut(size);
        let (smaller, minors) = (&before[size - 1], &mut after[0]);
        for &mask in &self.by_size[size] {
            let (mut even, mut odd) = (F::ZERO, F::ZERO);
            let mut rest = mask;
            while rest != 0 {
                let column = rest.trailing_zeros() as usize;
                even += row[column] * smaller[mask & !(1 << column)];
                std::mem::swap(&mut even, &mut odd);
                rest &= rest - 1;
            }
            // But for its sign, which does not count: the signs alternate.
            let minor = even - odd;
            if minor.is_zero() {
                return Some(mask);
            }
            minors[mask] = minor;
        }
        None
    }
}

/// Whether `m[i][j] = 1 / (x[i] + y[j])` for some x and y. No entry is zero.
fn is_cauchy<F: PrimeField>(matrix: &[Vec<F>]) -> bool {
    let mut inverse: Vec<Vec<F>> = matrix.to_vec();
    for row in &mut inverse {
        ark_ff::batch_inversion(row);
    }
    let sum = |i: usize, j: usize| inverse[i][j] + inverse[0][0];
    (0..matrix.len()).all(|i| (0..matrix.len()).all(|j| sum(i, j) == inverse[i][0] + inverse[0][j]))
}

/// Two rows, or two columns, of a Cauchy matrix that are equal: its minors are zero there only.
fn equal_sums<F: PrimeField>(matrix: &[Vec<F>]) -> Option<Minor> {
    let width = matrix.len();
    for first in 0..width {
        for second in first + 1..width {
            if matrix[first][0] == matrix[second][0] {
                return Some(Minor {
                    rows: vec![first, second],
                    columns: vec![0, 1],
                });
            }
            if matrix[0][first] == matrix[0][second] {
                return Some(Minor {
                    rows: vec![0, 1],
                    columns: vec![first, second],
                });
            }
        }
    }
    None
}

/// A subspace of states whose cosets any number of partial rounds maps to cosets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trail {
    /// Differences in it never reach the S-box.
    Inactive {
        /// Dimension of the largest such subspace.
        dimension: usize,
    },
    /// It has the direction of the element with the S-box, and every round maps it to itself.
    Invariant {
        /// Dimension of the smallest such subspace.
        dimension: usize,
    },
    /// It has the direction of the element with the S-box, and returns after `period` rounds; in between it
    /// either has that direction or does not reach the S-box.
    Iterative {
        /// Rounds.
        period: usize,
        /// Dimension of the smallest such subspace.
        dimension: usize,
    },
}

impl Trail {
    /// What it means, for a warning.
    pub(crate) fn problem(&self) -> String {
        match self {
            Self::Inactive { dimension } => format!(
                "differences in a subspace of dimension {dimension} pass any number of partial rounds \
                 without reaching an S-box"
            ),
            Self::Invariant { dimension } => format!(
                "a proper subspace of dimension {dimension} with the element of the S-box is mapped to \
                 itself by every partial round"
            ),
            Self::Iterative { period, dimension } => format!(
                "a proper subspace of dimension {dimension} with the element of the S-box returns after \
                 {period} partial rounds"
            ),
        }
    }
}

/// The first infinitely long subspace trail of partial rounds with an S-box on element `index` that is found:
/// one without active S-boxes, then an invariant one with active S-boxes, then an iterative one with a period
/// of 2 to 4 times the width, as far as the reference script looks.
///
/// For the first two this is exact. With a matrix that has an inverse all trails are periodic, and of the
/// periods that are looked at none is missed; without an inverse iterative trails are not looked for.
pub(crate) fn trail<F: PrimeField>(matrix: &[Vec<F>], index: usize) -> Option<Trail> {
    let width = matrix.len();
    let longest = 4 * width;
    let unit: Vec<F> = (0..width)
        .map(|i| if i == index { F::ONE } else { F::ZERO })
        .collect();
    // What the S-box sees of a difference k rounds earlier, and where its output is k rounds later.
    let mut seen = vec![unit.clone()];
    let mut reached = vec![unit];
    for k in 0..longest {
        seen.push(times_matrix(&seen[k], matrix));
        reached.push(matrix_times(matrix, &reached[k]));
    }
    // By Cayley and Hamilton as many powers as the width span all.
    let dimension = width - Span::of(&seen[..width]).vectors.len();
    if dimension > 0 {
        return Some(Trail::Inactive { dimension });
    }
    let dimension = Span::of(&reached[..width]).vectors.len();
    if dimension < width {
        return Some(Trail::Invariant { dimension });
    }
    if !matrix::is_invertible(matrix) {
        return None;
    }
    let mut power = matrix.to_vec();
    (2..=longest).find_map(|period| {
        power = power.iter().map(|row| times_matrix(row, matrix)).collect();
        let dimension = iterative(&power, &seen, &reached, period);
        (dimension < width).then_some(Trail::Iterative { period, dimension })
    })
}

/// Dimension of the smallest subspace that has the direction of the S-box and returns after `period` rounds,
/// having that direction or not reaching the S-box in between: that of the whole state where no other does so.
/// `power` is that power of the matrix.
fn iterative<F: PrimeField>(
    power: &[Vec<F>],
    seen: &[Vec<F>],
    reached: &[Vec<F>],
    period: usize,
) -> usize {
    // After round j the subspace reaches the S-box or not. The rounds where it does only become more as it
    // grows, and each asks for another vector in it.
    let mut has_direction = vec![false; period];
    let mut space = Span::of(&[]);
    let mut pending = vec![0];
    while !pending.is_empty() {
        for round in pending.drain(..) {
            has_direction[round] = true;
            // It has the direction in this round, so the direction as many rounds later as are left.
            let mut vector = reached[(period - round) % period].clone();
            while space.insert(vector.clone()) {
                vector = matrix_times(power, &vector);
            }
        }
        let reaches = |round: usize| {
            let mut vectors = space.vectors.iter();
            vectors.any(|(_, vector)| !product(&seen[round], vector).is_zero())
        };
        pending = (1..period)
            .filter(|&round| !has_direction[round] && reaches(round))
            .collect();
    }
    space.vectors.len()
}

/// The span of vectors.
#[derive(Debug)]
struct Span<F> {
    /// Vectors that are 1 at an index where those after them are zero.
    vectors: Vec<(usize, Vec<F>)>,
}

impl<F: PrimeField> Span<F> {
    fn of(vectors: &[Vec<F>]) -> Self {
        let mut span = Self {
            vectors: Vec::new(),
        };
        for vector in vectors {
            span.insert(vector.clone());
        }
        span
    }

    /// Adds a vector; whether it was not in the span before.
    fn insert(&mut self, mut vector: Vec<F>) -> bool {
        for (index, other) in &self.vectors {
            let multiple = vector[*index];
            for (entry, other) in vector.iter_mut().zip(other) {
                *entry -= multiple * other;
            }
        }
        let found = vector.iter().position(|entry| !entry.is_zero());
        let Some((index, scale)) = found.and_then(|index| Some((index, vector[index].inverse()?)))
        else {
            return false;
        };
        for entry in &mut vector {
            *entry *= scale;
        }
        self.vectors.push((index, vector));
        true
    }
}

fn product<F: PrimeField>(row: &[F], column: &[F]) -> F {
    row.iter().zip(column).map(|(&a, &b)| a * b).sum()
}

fn matrix_times<F: PrimeField>(matrix: &[Vec<F>], column: &[F]) -> Vec<F> {
    matrix.iter().map(|row| product(row, column)).collect()
}

fn times_matrix<F: PrimeField>(row: &[F], matrix: &[Vec<F>]) -> Vec<F> {
    (0..matrix.len())
        .map(|j| row.iter().zip(matrix).map(|(&a, b)| a * b[j]).sum())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ark_ff::{AdditiveGroup, Field};
    use proptest::prelude::*;

    use crate::fields::{Bls12_381, Goldilocks};
    use crate::presets;
    use crate::random::Generator;

    fn of<const N: usize>(rows: [[i32; N]; N]) -> Vec<Vec<Goldilocks>> {
        rows.map(|row| row.map(Goldilocks::from).to_vec()).to_vec()
    }

    fn random<F: PrimeField>(seed: u64, width: usize) -> Vec<Vec<F>> {
        let mut generator = Generator::new(seed);
        (0..width)
            .map(|_| (0..width).map(|_| generator.element()).collect())
            .collect()
    }

    #[test]
    fn matrices_that_do_not_mix_are_refused() {
        for (matrix, expected) in [
            (of([[1, 0, 0], [0, 1, 0], [0, 0, 1]]), "is the identity"),
            (of([[1, 0, 0], [0, 2, 0], [0, 0, 1]]), "is diagonal"),
            (of([[0, 0], [0, 0]]), "is diagonal"),
            (of([[0, 3, 0], [0, 0, 1], [1, 0, 0]]), "only moves"),
            (
                of([[1, 0], [1, 1]]),
                "element 0 does not depend on element 1",
            ),
            (
                of([[1, 2, 0, 0], [3, 4, 0, 0], [0, 0, 5, 6], [0, 0, 7, 8]]),
                "element 0 does not depend on element 2",
            ),
            // Two halves that change places.
            (
                of([[0, 0, 1, 2], [0, 0, 3, 4], [5, 6, 0, 0], [7, 8, 0, 0]]),
                "only in every few rounds",
            ),
        ] {
            let message = refusal(&matrix).unwrap();
            assert!(message.contains(expected), "{message}");
        }
        for matrix in [of([[1, 1], [1, 0]]), of([[1, 1], [1, 1]])] {
            assert_eq!(refusal(&matrix), None);
        }
        // The pattern that takes the most rounds of all of its width: Wielandt's.
        let slowest: Vec<Vec<Goldilocks>> = (0..12)
            .map(|i| {
                (0..12)
                    .map(|j| Goldilocks::from(j == i + 1 || (i == 11 && j < 2)))
                    .collect()
            })
            .collect();
        assert_eq!(refusal(&slowest), None);
    }

    /// Whether the sub-matrix has an inverse, by elimination.
    fn is_regular<F: PrimeField>(matrix: &[Vec<F>], rows: &[usize], columns: &[usize]) -> bool {
        let part: Vec<Vec<F>> = (rows.iter())
            .map(|&i| columns.iter().map(|&j| matrix[i][j]).collect())
            .collect();
        matrix::is_invertible(&part)
    }

    fn sets(width: usize) -> Vec<Vec<usize>> {
        (1_usize..1 << width)
            .map(|mask| (0..width).filter(|&i| mask >> i & 1 == 1).collect())
            .collect()
    }

    proptest! {
        /// Small entries have many zero minors.
        #[test]
        fn minors_are_those_of_elimination(width in 2_usize..=5, most in 2_u64..60, seed: u64) {
            let mut generator = Generator::new(seed);
            let mut entry = || generator.element::<Goldilocks>().into_bigint().0[0] % most + 1;
            let matrix: Vec<Vec<Goldilocks>> = (0..width)
                .map(|_| (0..width).map(|_| Goldilocks::from(entry())).collect())
                .collect();
            let sets = sets(width);
            let is_mds = sets.iter().all(|rows| {
                let mut same_size = sets.iter().filter(|columns| columns.len() == rows.len());
                same_size.all(|columns| is_regular(&matrix, rows, columns))
            });
            let found = singular_minor(&matrix);
            prop_assert_eq!(found.is_none(), is_mds);
            if let Some(minor) = found {
                prop_assert!(!is_regular(&matrix, &minor.rows, &minor.columns));
            }
        }
    }

    /// The largest width, with one singular sub-matrix of half of it.
    #[test]
    fn one_singular_minor_of_many_is_found() {
        let mut matrix = random::<Bls12_381>(1, 12);
        assert_eq!(singular_minor(&matrix), None);
        let (rows, columns) = ([1, 2, 4, 7, 9, 11], [0, 3, 4, 5, 8, 10]);
        for column in columns {
            let sum = rows[..5].iter().map(|&row| matrix[row][column]).sum();
            matrix[11][column] = sum;
        }
        let minor = Minor {
            rows: rows.to_vec(),
            columns: columns.to_vec(),
        };
        assert_eq!(singular_minor(&matrix), Some(minor));
    }

    #[test]
    fn cauchy_matrices_are_recognised() {
        let cauchy = |x: &[u64], y: &[u64]| -> Vec<Vec<Bls12_381>> {
            let scale = Bls12_381::from(77_u64);
            (x.iter())
                .map(|x| {
                    let entry = |y| scale / Bls12_381::from(x + y);
                    y.iter().map(entry).collect()
                })
                .collect()
        };
        let matrix = cauchy(&[1, 2, 5, 9], &[0, 3, 7, 20]);
        assert!(is_cauchy(&matrix));
        assert_eq!(singular_minor(&matrix), None);
        let matrix = cauchy(&[1, 2, 5, 2], &[0, 3, 7, 20]);
        assert_eq!(singular_minor(&matrix).unwrap().rows, [1, 3]);
        let matrix = cauchy(&[1, 2, 5, 9], &[0, 3, 7, 3]);
        assert_eq!(singular_minor(&matrix).unwrap().columns, [1, 3]);
        let mut matrix = cauchy(&[1, 2, 5, 9], &[0, 3, 7, 20]);
        matrix[2][3] += Bls12_381::ONE;
        assert!(!is_cauchy(&matrix));
    }

    /// The matrix that maps by `blocks` in the basis of the columns of `basis`.
    fn in_basis(blocks: &[Vec<Goldilocks>], basis: &[Vec<Goldilocks>]) -> Vec<Vec<Goldilocks>> {
        let times = |a: &[Vec<Goldilocks>], b: &[Vec<Goldilocks>]| -> Vec<Vec<Goldilocks>> {
            a.iter().map(|row| times_matrix(row, b)).collect()
        };
        times(&times(basis, blocks), &matrix::invert(basis).unwrap())
    }

    #[test]
    fn subspaces_are_found() {
        for (seed, index) in (1..).zip(0..5) {
            let matrix = random::<Goldilocks>(seed, 5);
            assert_eq!(trail(&matrix, index), None);

            // The first two vectors of the basis are mapped to themselves and do not reach the S-box.
            let mut basis = random::<Goldilocks>(seed + 100, 5);
            basis[index][0] = Goldilocks::ZERO;
            basis[index][1] = Goldilocks::ZERO;
            let mut blocks = random::<Goldilocks>(seed + 200, 5);
            for row in &mut blocks[2..] {
                row[0] = Goldilocks::ZERO;
                row[1] = Goldilocks::ZERO;
            }
            let matrix = in_basis(&blocks, &basis);
            assert_eq!(
                trail(&matrix, index),
                Some(Trail::Inactive { dimension: 2 })
            );
            let others: Vec<_> = (0..5).filter(|&other| other != index).collect();
            assert!(others.iter().all(|&other| trail(&matrix, other).is_none()));

            // The same with the direction of the S-box in the place of the first vector.
            for (i, row) in basis.iter_mut().enumerate() {
                row[0] = Goldilocks::from(i == index);
            }
            let matrix = in_basis(&blocks, &basis);
            assert_eq!(
                trail(&matrix, index),
                Some(Trail::Invariant { dimension: 2 })
            );
        }
    }

    /// A reflection is its own inverse: two rounds map every difference to itself or a multiple of one vector.
    #[test]
    fn reflections_leave_most_of_the_state_alone() {
        let vector = [1, 2, 3, 5, 7, 11].map(Bls12_381::from);
        let norm: Bls12_381 = vector.iter().map(|x| x.square()).sum();
        let matrix: Vec<Vec<Bls12_381>> = (0..6)
            .map(|i| {
                let entry =
                    |j: usize| Bls12_381::from(i == j) - vector[i] * vector[j].double() / norm;
                (0..6).map(entry).collect()
            })
            .collect();
        assert_eq!(trail(&matrix, 0), Some(Trail::Inactive { dimension: 4 }));
    }

    /// A plane with the direction of the S-box, and one that does not reach it, take turns.
    #[test]
    fn subspaces_that_return_are_found() {
        let mut basis = random::<Goldilocks>(1, 4);
        for (i, row) in basis.iter_mut().enumerate() {
            row[0] = Goldilocks::from(i == 0);
        }
        basis[0][2] = Goldilocks::ZERO;
        basis[0][3] = Goldilocks::ZERO;
        let mut blocks = random::<Goldilocks>(2, 4);
        for (i, row) in blocks.iter_mut().enumerate() {
            for (j, entry) in row.iter_mut().enumerate() {
                if (i < 2) == (j < 2) {
                    *entry = Goldilocks::ZERO;
                }
            }
        }
        let matrix = in_basis(&blocks, &basis);
        assert_eq!(refusal(&matrix), None);
        let expected = Trail::Iterative {
            period: 2,
            dimension: 2,
        };
        assert_eq!(trail(&matrix, 0), Some(expected));
        assert!((1..4).all(|index| trail(&matrix, index).is_none()));
    }

    #[test]
    fn presets_have_none() {
        for preset in presets::all() {
            crate::dispatch!(preset.parameters(), set => {
                assert_eq!(refusal(set.mds()), None, "{}", set.name());
                let matrix = set.partial_matrix();
                if !(set.has_partial_matrix() && is_external(set.mds())) {
                    assert_eq!(singular_minor(set.mds()), None, "{}", set.name());
                }
                assert_eq!(trail(matrix, set.partial_index()), None, "{}", set.name());
            });
        }
    }
}

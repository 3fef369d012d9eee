//! The passes of the full-round sub-engines, in the order in which a permutation goes through them: the one list that
//! constants are loaded for, and that the interpreter follows.

use super::shape::{FIRST_FULL, SECOND_FULL, Segments, Shape};

/// Elements that go through the S-box in a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SBoxes {
    /// Those of a full round.
    All,
    /// That of a partial round.
    First,
    /// None: the pass is no round, but a layer ahead of all of them or behind the recurrence.
    None,
}

/// The matrix of a pass, by its number in a full-round sub-engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Matrix {
    /// That of full rounds, and of dense partial rounds where these have none of their own.
    Mds = 0,
    /// That of the last pass before the recurrence.
    Before = 1,
    /// That of the pass behind the recurrence.
    After = 2,
    /// That of dense partial rounds, where it is not the MDS matrix.
    Partial = 3,
}

impl Matrix {
    /// Its number among the matrices of a parameter set.
    pub const fn number(self) -> usize {
        self as usize
    }
}

/// A pass of a full-round sub-engine: S-boxes, a matrix, and a vector that is added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pass {
    /// The sub-engine.
    pub engine: usize,
    /// What goes through the S-boxes.
    pub s_boxes: SBoxes,
    /// The matrix.
    pub matrix: Matrix,
    /// The number of the vector in the sub-engine.
    pub vector: usize,
}

/// The passes of both visits, before the recurrence and behind it, with `segments` on a chip with so many full-round
/// sub-engines. Vectors are numbered through both visits where one sub-engine has them.
pub(super) fn passes(segments: &Segments, shape: Shape, num_full: usize) -> [Vec<Pass>; 2] {
    let dense_matrix = if shape.partial_matrix {
        Matrix::Partial
    } else {
        Matrix::Mds
    };
    let full = (SBoxes::All, Matrix::Mds);
    let dense = (SBoxes::First, dense_matrix);
    let mut first = vec![full; segments.full_first];
    if let Some((s_boxes, _)) = first.first_mut().filter(|_| shape.first_layer) {
        *s_boxes = SBoxes::None;
    }
    first.extend(vec![dense; segments.partial[FIRST_FULL]]);
    let mut last = Vec::new();
    if shape.recurrent {
        if let Some((_, matrix)) = first.last_mut() {
            *matrix = Matrix::Before;
        }
        last.push((SBoxes::None, Matrix::After));
    }
    let last_engine = if num_full > 1 {
        last.extend(vec![dense; segments.partial[SECOND_FULL]]);
        SECOND_FULL
    } else {
        FIRST_FULL
    };
    last.extend(vec![full; segments.full_last]);

    let before = if num_full > 1 { 0 } else { first.len() };
    [(first, FIRST_FULL, 0), (last, last_engine, before)].map(|(passes, engine, before)| {
        (passes.into_iter().enumerate())
            .map(|(number, (s_boxes, matrix))| Pass {
                engine,
                s_boxes,
                matrix,
                vector: before + number,
            })
            .collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Poseidon2 with dense partial rounds on both sides of the recurrence.
    #[test]
    fn passes_of_two_visits() {
        let segments = Segments {
            full_first: 2,
            partial: [1, 4, 4, 0, 0, 0, 0, 2],
            full_last: 1,
        };
        let shape = Shape {
            width: 3,
            alpha: 5,
            goldilocks: false,
            recurrent: true,
            first_layer: true,
            partial_matrix: true,
            digest_beats: 1,
        };
        let pass = |engine, s_boxes, matrix, vector| Pass {
            engine,
            s_boxes,
            matrix,
            vector,
        };
        assert_eq!(
            passes(&segments, shape, 2),
            [
                vec![
                    pass(0, SBoxes::None, Matrix::Mds, 0),
                    pass(0, SBoxes::All, Matrix::Mds, 1),
                    pass(0, SBoxes::First, Matrix::Before, 2),
                ],
                vec![
                    pass(7, SBoxes::None, Matrix::After, 0),
                    pass(7, SBoxes::First, Matrix::Partial, 1),
                    pass(7, SBoxes::First, Matrix::Partial, 2),
                    pass(7, SBoxes::All, Matrix::Mds, 3),
                ],
            ]
        );
        // With one sub-engine, without a recurrence, as Poseidon.
        let segments = Segments {
            full_first: 1,
            partial: [1, 0, 0, 0, 0, 0, 0, 0],
            full_last: 1,
        };
        let shape = Shape {
            recurrent: false,
            first_layer: false,
            partial_matrix: false,
            ..shape
        };
        assert_eq!(
            passes(&segments, shape, 1),
            [
                vec![
                    pass(0, SBoxes::All, Matrix::Mds, 0),
                    pass(0, SBoxes::First, Matrix::Mds, 1),
                ],
                vec![pass(0, SBoxes::All, Matrix::Mds, 2)],
            ]
        );
    }
}

//! The passes of the full-round sub-engines, in the order in which a permutation goes through them: the list that
//! constants and the tables of passes are made from.

use super::pass_table::{Begin, PassEntry, Power};
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

/// The tables of the full-round sub-engines for the passes of both visits: entries that are alike are a loop. Nothing
/// where S-boxes do not make the exponent in one pass.
pub(super) fn tables(
    visits: &[Vec<Pass>; 2],
    shape: Shape,
) -> Option<Vec<(usize, Vec<PassEntry>)>> {
    let power = Power::of_exponent(shape.alpha)?;
    let mut tables: Vec<(usize, Vec<PassEntry>)> = Vec::new();
    for (visit, passes) in visits.iter().enumerate() {
        let Some((last, before)) = passes.split_last() else {
            continue;
        };
        let known = tables.iter().position(|(engine, _)| *engine == last.engine);
        let known = known.unwrap_or_else(|| {
            tables.push((last.engine, Vec::new()));
            tables.len() - 1
        });
        let table = &mut tables[known].1;
        let first = passes.first().map_or(0, |pass| pass.vector) * shape.beats();
        let mut begin = Some(Begin {
            set: 0,
            visit,
            vector: u8::try_from(first).ok()?,
        });
        let entry = |pass: &Pass| PassEntry {
            power: match pass.s_boxes {
                SBoxes::All | SBoxes::First => power,
                SBoxes::None => Power::None,
            },
            first: pass.s_boxes == SBoxes::First,
            // All matrices of a set fit into the memory.
            matrix: (pass.matrix.number() * shape.matrix_entries()) as u8,
            add: true,
            ..PassEntry::default()
        };
        for run in before.chunk_by(|one, other| entry(one) == entry(other)) {
            let number = u8::try_from(table.len()).ok()?;
            let times = u8::try_from(run.len()).ok()?;
            let is_loop = times > 1;
            table.push(PassEntry {
                begin: begin.take(),
                loop_begins: is_loop,
                times: if is_loop { times } else { 0 },
                next: if is_loop { number } else { 0 },
                ..entry(&run[0])
            });
        }
        table.push(PassEntry {
            begin: begin.take(),
            leaves: true,
            ..entry(last)
        });
    }
    Some(tables)
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

//! The passes of the full-round sub-engines, in the order in which a permutation goes through them: the list that
//! constants and the tables of passes are made from.

use super::chain::Link;
use super::pass_table::{Begin, PASS_TABLE_DEPTH, PassEntry, Power, Store};
use super::shape::{FIRST_FULL, SECOND_FULL, Segments, Shape};

/// The matrix of a pass, by its number in a full-round sub-engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Matrix {
    /// That of full rounds, and of dense partial rounds where these have none of their own.
    Mds = 0,
    /// That of the last pass before the recurrence; where there is none, that which changes nothing.
    Before = 1,
    /// That of the pass behind the recurrence.
    After = 2,
    /// That of dense partial rounds, where it is not the MDS matrix.
    Partial = 3,
    /// That of the last round, where it has one of its own: its digest goes on beside the next block, or what stands
    /// beside the permutation is added.
    Last = 4,
    /// That of the first layer, where that makes what stands beside the permutation.
    Entry = 5,
}

impl Matrix {
    /// Its number among the matrices of a parameter set.
    pub const fn number(self) -> usize {
        self as usize
    }
}

/// A pass of a full-round sub-engine: S-boxes, a matrix, and a vector that may be added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pass {
    /// The sub-engine.
    pub engine: usize,
    /// What the S-boxes make of elements.
    pub power: Power,
    /// What becomes of the base.
    pub store: Store,
    /// Whether only element 0 goes through its S-box.
    pub first: bool,
    /// The matrix.
    pub matrix: Matrix,
    /// The number of the next vector in the sub-engine.
    pub vector: usize,
    /// Whether it is added.
    pub add: bool,
}

/// The S-boxes of a permutation.
pub(super) struct SBoxes {
    /// The chains of even and of odd rounds, counted from 0.
    pub chains: [Vec<Link>; 2],
    /// Whether the last round has a matrix.
    pub has_last_matrix: bool,
}

impl SBoxes {
    /// Whether no base is stored.
    pub fn have_no_store(&self) -> bool {
        let links = self.chains.iter().flatten();
        links.into_iter().all(|(_, store)| *store == Store::None)
    }
}

/// A round: on which elements it has S-boxes, those of a chain, and its matrix.
#[derive(Clone, Copy)]
struct Round<'a> {
    chain: &'a [Link],
    first: bool,
    matrix: Matrix,
}

/// A layer without S-boxes.
const NONE: [Link; 1] = [(Power::None, Store::None)];

/// The passes of both visits, before the recurrence and behind it, with `segments` on a chip with so many full-round
/// sub-engines and with these S-boxes. Vectors are numbered through both visits where one sub-engine has them.
pub(super) fn passes(
    segments: &Segments,
    shape: Shape,
    num_full: usize,
    SBoxes {
        chains,
        has_last_matrix,
    }: &SBoxes,
) -> [Vec<Pass>; 2] {
    let dense_matrix = if shape.partial_matrix {
        Matrix::Partial
    } else {
        Matrix::Mds
    };
    let round = |number: usize, first, matrix| Round {
        chain: &chains[number % 2],
        first,
        matrix,
    };
    let full =
        |numbers: std::ops::Range<usize>| numbers.map(|number| round(number, false, Matrix::Mds));
    let dense = round(0, true, dense_matrix);
    // Layers are no rounds.
    let of_first = segments.full_first - usize::from(shape.first_layer);
    let mut first = Vec::new();
    if shape.first_layer {
        let matrix = if shape.beside > 0 {
            Matrix::Entry
        } else {
            Matrix::Mds
        };
        first.push(Round {
            chain: &NONE,
            ..round(0, false, matrix)
        });
    }
    first.extend(full(0..of_first));
    first.extend(vec![dense; segments.partial[FIRST_FULL]]);
    let mut last = Vec::new();
    if shape.recurrent {
        if let Some(round) = first.last_mut() {
            round.matrix = Matrix::Before;
        }
        last.push(Round {
            chain: &NONE,
            ..round(0, false, Matrix::After)
        });
    }
    let last_engine = if num_full > 1 {
        last.extend(vec![dense; segments.partial[SECOND_FULL]]);
        SECOND_FULL
    } else {
        FIRST_FULL
    };
    last.extend(full(of_first..of_first + segments.full_last));
    if let Some(round) = last.last_mut() {
        if shape.own_last_matrix {
            round.matrix = Matrix::Last;
        } else if !has_last_matrix {
            round.matrix = Matrix::Before;
        }
    }

    let before = if num_full > 1 { 0 } else { first.len() };
    [(first, FIRST_FULL, 0), (last, last_engine, before)].map(|(rounds, engine, before)| {
        (rounds.iter().enumerate())
            .flat_map(|(number, round)| {
                let links = round.chain.iter().enumerate();
                links.map(move |(link, &(power, store))| {
                    // The matrix and the vector come with the last pass.
                    let is_last = link + 1 == round.chain.len();
                    Pass {
                        engine,
                        power,
                        store,
                        first: round.first,
                        matrix: if is_last {
                            round.matrix
                        } else {
                            Matrix::Before
                        },
                        vector: before + number,
                        add: is_last,
                    }
                })
            })
            .collect()
    })
}

/// Entries in a row that are made several times.
struct Run {
    entries: usize,
    times: usize,
}

/// The longest run that begins with the first of `entries`: by what it spares.
fn longest_run(entries: &[PassEntry]) -> Run {
    let mut longest = Run {
        entries: 1,
        times: 1,
    };
    for length in 1..=entries.len() / 2 {
        let body = &entries[..length];
        let times = entries
            .chunks_exact(length)
            .take_while(|&next| next == body);
        let times = times.count().min(usize::from(u8::MAX));
        // A base that is stored at its end and not at its beginning is that of a part of a chain.
        let is_whole = body.iter().all(|entry| entry.store == Store::Keep)
            || matches!(body[0].store, Store::None | Store::Put)
                && matches!(body[length - 1].store, Store::None | Store::Take);
        if is_whole && times > 1 && (times - 1) * length > (longest.times - 1) * longest.entries {
            longest = Run {
                entries: length,
                times,
            };
        }
    }
    longest
}

/// The tables of the full-round sub-engines for the passes of both visits: entries that are alike are a loop. Nothing
/// where they do not fit.
pub(super) fn tables(
    visits: &[Vec<Pass>; 2],
    shape: Shape,
) -> Option<Vec<(usize, Vec<PassEntry>)>> {
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
            power: pass.power,
            first: pass.first,
            store: pass.store,
            // All matrices of a set fit into the memory.
            matrix: (pass.matrix.number() * shape.matrix_entries()) as u8,
            add: pass.add,
            ..PassEntry::default()
        };
        let before: Vec<PassEntry> = before.iter().map(entry).collect();
        let mut rest = before.as_slice();
        while !rest.is_empty() {
            let Run { entries, times } = longest_run(rest);
            let (loop_begin, is_loop) = (u8::try_from(table.len()).ok()?, times > 1);
            for (number, entry) in rest[..entries].iter().enumerate() {
                let ends = is_loop && number + 1 == entries;
                table.push(PassEntry {
                    begin: begin.take(),
                    loop_begins: is_loop && number == 0,
                    times: if ends { times as u8 } else { 0 },
                    next: if ends { loop_begin } else { 0 },
                    ..*entry
                });
            }
            rest = &rest[entries * times..];
        }
        table.push(PassEntry {
            begin: begin.take(),
            leaves: true,
            ..entry(last)
        });
        if table.len() > PASS_TABLE_DEPTH {
            return None;
        }
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
            beside: 0,
            alpha: 5,
            s_box_passes: [1; 2],
            s_box_products: [3; 2],
            goldilocks: false,
            recurrent: true,
            adders: false,
            first_layer: true,
            partial_matrix: true,
            own_last_matrix: false,
            digest_beats: 1,
        };
        let pass = |engine, (power, first), matrix, vector| Pass {
            engine,
            power,
            store: Store::None,
            first,
            matrix,
            vector,
            add: true,
        };
        let (none, all, only_first) = (
            (Power::None, false),
            (Power::Fifth, false),
            (Power::Fifth, true),
        );
        let s_boxes = SBoxes {
            chains: [(); 2].map(|()| vec![(Power::Fifth, Store::None)]),
            has_last_matrix: true,
        };
        assert_eq!(
            passes(&segments, shape, 2, &s_boxes),
            [
                vec![
                    pass(0, none, Matrix::Mds, 0),
                    pass(0, all, Matrix::Mds, 1),
                    pass(0, only_first, Matrix::Before, 2),
                ],
                vec![
                    pass(7, none, Matrix::After, 0),
                    pass(7, only_first, Matrix::Partial, 1),
                    pass(7, only_first, Matrix::Partial, 2),
                    pass(7, all, Matrix::Mds, 3),
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
            adders: false,
            first_layer: false,
            partial_matrix: false,
            own_last_matrix: false,
            ..shape
        };
        assert_eq!(
            passes(&segments, shape, 1, &s_boxes),
            [
                vec![
                    pass(0, all, Matrix::Mds, 0),
                    pass(0, only_first, Matrix::Mds, 1),
                ],
                vec![pass(0, all, Matrix::Mds, 2)],
            ]
        );
    }
}

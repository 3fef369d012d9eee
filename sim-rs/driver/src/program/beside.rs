//! What stands beside a permutation: sums of the input that a compression adds to the digest.
//!
//! The chip keeps no input. A compression takes what it needs along in elements of the state of their own, behind those
//! of the permutation: a first layer makes them, all other layers leave them as they are, no S-box changes them, in the
//! recurrence their sums stay in their places, and the last layer adds them to the digest.

use ark_ff::PrimeField;

use super::compiler::{identity, last_matrix};
use acclmt_poseidon::normal_form::InternalOrder;
use acclmt_poseidon::params::PoseidonParameters;
use acclmt_poseidon::recurrence::{Layer, RecurrentRounds};

/// Has `rounds` take the sums of the compression of `parameters`, each of these elements, along behind the elements of
/// the state: one for each element of the digest. Returns the matrices of the first layer, which there is then, and of the last round.
pub(super) fn stand<F: PrimeField>(
    rounds: &mut RecurrentRounds<F>,
    parameters: &PoseidonParameters<F>,
    order: &InternalOrder,
    sums: &[Vec<usize>],
    has_last_matrix: bool,
) -> [Vec<Vec<F>>; 2] {
    let internal =
        |elements: &[usize]| -> Vec<usize> { elements.iter().map(|&it| order.place(it)).collect() };
    let sums: Vec<Vec<usize>> = sums.iter().map(|sum| internal(sum)).collect();
    let digest = internal(parameters.digest_positions());
    let (width, beside) = (parameters.width(), sums.len());

    // The state comes with the initial constants, which are not in the sums.
    let folded = sums.iter().map(|sum| {
        let constants = sum.iter().map(|&it| rounds.initial_constants[it]);
        -constants.sum::<F>()
    });
    let mut constants = (rounds.first_layer.take()).unwrap_or_else(|| vec![F::ZERO; width]);
    constants.extend(folded);
    let mut entry = if parameters.first_layer() {
        rounds.mds.clone()
    } else {
        identity(width)
    };
    let of_elements = |elements: &Vec<usize>| -> Vec<F> {
        (0..width)
            .map(|it| F::from(elements.contains(&it)))
            .collect()
    };
    entry.extend(sums.iter().map(of_elements));
    rounds.first_layer = Some(constants);
    for row in &mut entry {
        row.resize(width + beside, F::ZERO);
    }

    for matrix in [&mut rounds.mds, &mut rounds.partial_matrix] {
        extend(matrix, beside);
    }
    for vector in [&mut rounds.initial_constants, &mut rounds.initial]
        .into_iter()
        .chain(&mut rounds.first)
        .chain(&mut rounds.behind)
        .chain(&mut rounds.full_last)
    {
        vector.resize(width + beside, F::ZERO);
    }
    if let Some(recurrence) = &mut rounds.partial {
        for Layer { matrix, constants } in [&mut recurrence.before, &mut recurrence.after] {
            extend(matrix, beside);
            constants.resize(width + beside, F::ZERO);
        }
        // The first round begins the sums with what the layer before has made, times the first coefficient.
        let begin = std::iter::once(F::ONE).chain(std::iter::repeat(F::ZERO));
        for (round, begin) in recurrence.rounds.iter_mut().zip(begin) {
            round.pairs.resize(width - 1 + beside, [begin, F::ZERO]);
        }
    }

    let of_round = last_matrix(rounds, has_last_matrix);
    let mut last = of_round.clone();
    let constants = rounds.full_last.last().cloned().unwrap_or_default();
    for (number, (sum, &place)) in sums.iter().zip(&digest).enumerate() {
        last[place] = (0..width + beside)
            .map(|column| sum.iter().map(|&row| of_round[row][column]).sum())
            .collect();
        last[place][width + number] = F::ONE;
        if let Some(vector) = rounds.full_last.last_mut() {
            vector[place] = sum.iter().map(|&row| constants[row]).sum();
        }
    }
    [entry, last]
}

/// `matrix` for elements behind its own, so many, that stay as they are.
fn extend<F: PrimeField>(matrix: &mut Vec<Vec<F>>, beside: usize) {
    let width = matrix.len();
    for row in matrix.iter_mut() {
        row.resize(width + beside, F::ZERO);
    }
    matrix.extend(identity(width + beside).into_iter().skip(width));
}

//! Permutations in one normal form.
//!
//! In the normal form the state elements are in *internal order*, in which the S-box of partial
//! rounds is on element 0 ([`InternalOrder`]); constants are added once at the start and then at
//! the end of every round. That covers both orders of the steps of a round: where constants come
//! first, those of round 0 are the ones at the start, and those of round r + 1 come at the end of
//! round r ([`DenseRounds`]). Poseidon2 begins with a layer without S-boxes, behind which the constants of
//! round 0 come.

use ark_ff::PrimeField;

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

/// The rounds of a permutation in normal form, all in internal order.
///
/// The permutation starts with `state + initial_constants`, a hash with `initial` plus the inputs. Where there is
/// a first layer, the matrix of full rounds and its constants follow.
/// A full round is an S-box on every element, then the MDS matrix, then a vector of constants; a
/// partial round has the S-box on element 0 only, and the matrix of partial rounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DenseRounds<F> {
    /// The constants at the start.
    pub initial_constants: Vec<F>,
    /// The same plus the initial state of a hash.
    pub initial: Vec<F>,
    /// The MDS matrix of full rounds, row by row.
    pub mds: Vec<Vec<F>>,
    /// The matrix of partial rounds.
    pub partial_matrix: Vec<Vec<F>>,
    /// Constants after the matrix of the first layer, where there is one.
    pub first_layer: Option<Vec<F>>,
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
        let matrix = |matrix: &[Vec<F>]| -> Vec<Vec<F>> {
            let rows: Vec<Vec<F>> = matrix.iter().map(|row| internal(row)).collect();
            order.apply(&rows)
        };
        let mds = matrix(parameters.mds());
        let partial_matrix = matrix(parameters.partial_matrix());

        let mut constants: Vec<Vec<F>> = (parameters.round_constants().iter())
            .map(|vector| internal(vector))
            .collect();
        let zeros = vec![F::ZERO; width];
        let first_constants = match parameters.round_order() {
            RoundOrder::ConstantsFirst => {
                constants.push(zeros.clone());
                constants.remove(0)
            }
            RoundOrder::SboxFirst => zeros.clone(),
        };
        let (initial_constants, first_layer) = if parameters.first_layer() {
            (zeros, Some(first_constants))
        } else {
            (first_constants, None)
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
            partial_matrix,
            first_layer,
            full_first: constants,
            partial,
            full_last,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

//! Poseidon hashes of other libraries, called in their fastest way, to compare with those of
//! acclmt.

use acclmt::poseidon::Poseidon;
use acclmt::{generate, word};
use ark_bls12_381::Fr;
use blstrs::Scalar;
use ff::{Field as _, PrimeField as _};
use neptune::Arity;
use neptune::poseidon::{HashMode, PoseidonConstants};

/// The same inputs and parameters for both libraries.
pub struct Pair<A: Arity<Scalar>> {
    ours: Poseidon<Fr>,
    our_input: Vec<Fr>,
    constants: PoseidonConstants<Scalar, A>,
    input: Vec<Scalar>,
}

impl<A: Arity<Scalar>> Default for Pair<A> {
    fn default() -> Self {
        Self::new()
    }
}

impl<A: Arity<Scalar>> Pair<A> {
    /// Filecoin's parameters of this arity, and pseudo-random elements.
    pub fn new() -> Self {
        let arity = A::to_usize();
        let preset =
            generate::filecoin(arity, false).expect("only arities of presets are compared");
        let input: Vec<Scalar> = (1..=arity as u64)
            .map(|n| Scalar::from(n).pow_vartime([0x1234_5678_9ABC_DEF1, n, 3 * n, n]))
            .collect();
        let to_ours = |scalar: &Scalar| {
            word::to_field(&scalar.to_repr()).expect("the peer's elements are canonical")
        };
        Self {
            ours: Poseidon::new(&preset),
            our_input: input.iter().map(to_ours).collect(),
            constants: PoseidonConstants::new(),
            input,
        }
    }

    /// The arity.
    pub fn arity(&self) -> usize {
        self.input.len()
    }

    /// Makes a closure that hashes once with acclmt.
    pub fn acclmt(&self) -> impl FnMut() -> Fr + '_ {
        || {
            let digest = self.ours.hash(&self.our_input);
            digest.expect("the input has as many elements as the arity")[0]
        }
    }

    /// Makes a closure that hashes once with neptune, in its default and fastest mode.
    pub fn neptune(&self) -> impl FnMut() -> Scalar + '_ {
        let mut hasher = neptune::Poseidon::<Scalar, A>::new(&self.constants);
        move || {
            hasher.set_preimage(&self.input);
            hasher.hash_in_mode(HashMode::OptimizedStatic)
        }
    }

    /// Panics unless both libraries give the same digest.
    pub fn assert_equal_digests(&self) {
        let ours = word::from_field(self.acclmt()());
        assert_eq!(
            ours,
            self.neptune()().to_repr(),
            "digests of arity {}",
            self.arity()
        );
    }
}

#[cfg(test)]
mod tests {
    use generic_array::typenum::{U2, U4, U8, U11};

    use super::Pair;

    #[test]
    fn digests_are_equal() {
        Pair::<U2>::new().assert_equal_digests();
        Pair::<U4>::new().assert_equal_digests();
        Pair::<U8>::new().assert_equal_digests();
        Pair::<U11>::new().assert_equal_digests();
    }
}

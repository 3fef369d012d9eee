//! The prime fields, and parameter sets over any of them.

use std::fmt;

use ark_ff::{Fp64, Fp256, MontBackend, MontConfig, PrimeField};

use crate::params::{ParameterError, PoseidonParameters, RoundOrder};
use crate::permutation::PermutationField;
use crate::sponge::Sponge;
use crate::text::shortened;
use crate::word::{self, Word};

/// The scalar field of BLS12-381.
pub type Bls12_381 = ark_bls12_381::Fr;

/// The scalar field of BLS12-377.
pub type Bls12_377 = ark_bls12_377::Fr;

/// The scalar field of BN254.
pub type Bn254 = ark_bn254::Fr;

/// The base field of Pallas, which is the scalar field of Vesta.
pub type Pallas = ark_pallas::Fq;

/// The base field of Vesta, which is the scalar field of Pallas.
pub type Vesta = ark_vesta::Fq;

/// Configuration of [`Starknet`].
#[derive(MontConfig)]
#[modulus = "3618502788666131213697322783095070105623107215331596699973092056135872020481"]
#[generator = "3"]
pub struct StarknetConfig;

/// The field of Starknet: the prime 2^251 + 17 * 2^192 + 1.
pub type Starknet = Fp256<MontBackend<StarknetConfig, 4>>;

/// Configuration of [`Goldilocks`].
#[derive(MontConfig)]
#[modulus = "18446744069414584321"]
#[generator = "7"]
pub struct GoldilocksConfig;

/// The Goldilocks field: the prime 2^64 - 2^32 + 1.
pub type Goldilocks = Fp64<MontBackend<GoldilocksConfig, 1>>;

/// One of the fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FieldId {
    /// [`Bls12_381`]
    Bls12_381,
    /// [`Bls12_377`]
    Bls12_377,
    /// [`Bn254`]
    Bn254,
    /// [`Pallas`]
    Pallas,
    /// [`Vesta`]
    Vesta,
    /// [`Starknet`]
    Starknet,
    /// [`Goldilocks`]
    Goldilocks,
}

/// There is no field of this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown field '{}'; the fields are: {}",
    shortened(name),
    FieldId::names()
)]
pub struct UnknownField {
    name: String,
}

impl FieldId {
    /// All fields.
    pub const ALL: [Self; 7] = [
        Self::Bls12_381,
        Self::Bls12_377,
        Self::Bn254,
        Self::Pallas,
        Self::Vesta,
        Self::Starknet,
        Self::Goldilocks,
    ];

    /// Name of the field, such as `bls12-381`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bls12_381 => "bls12-381",
            Self::Bls12_377 => "bls12-377",
            Self::Bn254 => "bn254",
            Self::Pallas => "pallas",
            Self::Vesta => "vesta",
            Self::Starknet => "starknet",
            Self::Goldilocks => "goldilocks",
        }
    }

    /// The prime.
    pub fn prime(self) -> Word {
        match self {
            Self::Bls12_381 => word::prime::<Bls12_381>(),
            Self::Bls12_377 => word::prime::<Bls12_377>(),
            Self::Bn254 => word::prime::<Bn254>(),
            Self::Pallas => word::prime::<Pallas>(),
            Self::Vesta => word::prime::<Vesta>(),
            Self::Starknet => word::prime::<Starknet>(),
            Self::Goldilocks => word::prime::<Goldilocks>(),
        }
    }

    /// Bits of the prime.
    pub const fn bits(self) -> u32 {
        match self {
            Self::Bls12_381 => Bls12_381::MODULUS_BIT_SIZE,
            Self::Bls12_377 => Bls12_377::MODULUS_BIT_SIZE,
            Self::Bn254 => Bn254::MODULUS_BIT_SIZE,
            Self::Pallas => Pallas::MODULUS_BIT_SIZE,
            Self::Vesta => Vesta::MODULUS_BIT_SIZE,
            Self::Starknet => Starknet::MODULUS_BIT_SIZE,
            Self::Goldilocks => Goldilocks::MODULUS_BIT_SIZE,
        }
    }

    /// Bytes of an element in a file: 8 for a prime of 64 bits, 32 for the others.
    pub const fn element_bytes(self) -> usize {
        match self {
            Self::Goldilocks => 8,
            _ => 32,
        }
    }

    /// The field `name`.
    ///
    /// # Errors
    ///
    /// When there is none; the error lists the names.
    pub fn from_name(name: &str) -> Result<Self, UnknownField> {
        Self::ALL
            .into_iter()
            .find(|field| field.name() == name)
            .ok_or_else(|| UnknownField {
                name: name.to_owned(),
            })
    }

    /// The field with this prime, if it is one of these.
    pub fn from_prime(prime: &Word) -> Option<Self> {
        Self::ALL.into_iter().find(|field| field.prime() == *prime)
    }

    fn names() -> String {
        Self::ALL.map(Self::name).join(", ")
    }
}

impl fmt::Display for FieldId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// A word is no canonical field element.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "element {index} is {}, not below the prime {} of {field}; reduce it or pack the data into fewer bits \
     an element",
    word::to_hex(value),
    word::to_hex(&field.prime())
)]
pub struct ElementNotBelowPrime {
    /// Index of the element in the input, counted from 0.
    pub index: usize,
    /// Its value.
    pub value: Word,
    /// The field.
    pub field: FieldId,
}

impl ElementNotBelowPrime {
    /// The same error for elements that follow `first` others.
    #[must_use]
    pub fn after(self, first: usize) -> Self {
        Self {
            index: first + self.index,
            ..self
        }
    }
}

/// The fields as types.
pub trait PoseidonField: PermutationField {
    /// Which field it is.
    const ID: FieldId;

    /// The parameter set with its field told at run time.
    fn wrap(parameters: PoseidonParameters<Self>) -> AnyParameters;

    /// The parameter set if it is over this field.
    fn of(parameters: &AnyParameters) -> Option<&PoseidonParameters<Self>>;
}

/// A parameter set over any of the fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnyParameters {
    /// Over [`Bls12_381`].
    Bls12_381(PoseidonParameters<Bls12_381>),
    /// Over [`Bls12_377`].
    Bls12_377(PoseidonParameters<Bls12_377>),
    /// Over [`Bn254`].
    Bn254(PoseidonParameters<Bn254>),
    /// Over [`Pallas`].
    Pallas(PoseidonParameters<Pallas>),
    /// Over [`Vesta`].
    Vesta(PoseidonParameters<Vesta>),
    /// Over [`Starknet`].
    Starknet(PoseidonParameters<Starknet>),
    /// Over [`Goldilocks`].
    Goldilocks(PoseidonParameters<Goldilocks>),
}

/// Runs code that is generic over the field: `dispatch!(any, parameters => expression)` binds
/// `parameters` to the [`PoseidonParameters`] in an [`AnyParameters`] (or a reference to one).
#[macro_export]
macro_rules! dispatch {
    ($any:expr, $parameters:pat => $body:expr) => {
        match $any {
            $crate::fields::AnyParameters::Bls12_381($parameters) => $body,
            $crate::fields::AnyParameters::Bls12_377($parameters) => $body,
            $crate::fields::AnyParameters::Bn254($parameters) => $body,
            $crate::fields::AnyParameters::Pallas($parameters) => $body,
            $crate::fields::AnyParameters::Vesta($parameters) => $body,
            $crate::fields::AnyParameters::Starknet($parameters) => $body,
            $crate::fields::AnyParameters::Goldilocks($parameters) => $body,
        }
    };
}

/// Runs code with a field as a type: `with_field!(id, F => expression)` binds the type `F` to the
/// field that the [`FieldId`] names.
#[macro_export]
macro_rules! with_field {
    ($id:expr, $field:ident => $body:expr) => {
        match $id {
            $crate::fields::FieldId::Bls12_381 => {
                type $field = $crate::fields::Bls12_381;
                $body
            }
            $crate::fields::FieldId::Bls12_377 => {
                type $field = $crate::fields::Bls12_377;
                $body
            }
            $crate::fields::FieldId::Bn254 => {
                type $field = $crate::fields::Bn254;
                $body
            }
            $crate::fields::FieldId::Pallas => {
                type $field = $crate::fields::Pallas;
                $body
            }
            $crate::fields::FieldId::Vesta => {
                type $field = $crate::fields::Vesta;
                $body
            }
            $crate::fields::FieldId::Starknet => {
                type $field = $crate::fields::Starknet;
                $body
            }
            $crate::fields::FieldId::Goldilocks => {
                type $field = $crate::fields::Goldilocks;
                $body
            }
        }
    };
}

macro_rules! implement_field {
    ($($field:ident),*) => {$(
        impl PoseidonField for $field {
            const ID: FieldId = FieldId::$field;

            fn wrap(parameters: PoseidonParameters<Self>) -> AnyParameters {
                AnyParameters::$field(parameters)
            }

            fn of(parameters: &AnyParameters) -> Option<&PoseidonParameters<Self>> {
                match parameters {
                    AnyParameters::$field(parameters) => Some(parameters),
                    _ => None,
                }
            }
        }

        impl From<PoseidonParameters<$field>> for AnyParameters {
            fn from(parameters: PoseidonParameters<$field>) -> Self {
                Self::$field(parameters)
            }
        }
    )*};
}

implement_field!(
    Bls12_381, Bls12_377, Bn254, Pallas, Vesta, Starknet, Goldilocks
);

impl AnyParameters {
    /// The field.
    pub const fn field(&self) -> FieldId {
        match self {
            Self::Bls12_381(_) => FieldId::Bls12_381,
            Self::Bls12_377(_) => FieldId::Bls12_377,
            Self::Bn254(_) => FieldId::Bn254,
            Self::Pallas(_) => FieldId::Pallas,
            Self::Vesta(_) => FieldId::Vesta,
            Self::Starknet(_) => FieldId::Starknet,
            Self::Goldilocks(_) => FieldId::Goldilocks,
        }
    }

    /// The prime of the field.
    pub fn prime(&self) -> Word {
        self.field().prime()
    }

    /// Checks that every element is below the prime.
    ///
    /// # Errors
    ///
    /// When one is not; the error names the first.
    pub fn check_elements(&self, elements: &[Word]) -> Result<(), ElementNotBelowPrime> {
        let prime = self.prime();
        match elements
            .iter()
            .position(|element| !word::is_below(element, &prime))
        {
            None => Ok(()),
            Some(index) => Err(ElementNotBelowPrime {
                index,
                value: elements[index],
                field: self.field(),
            }),
        }
    }

    /// Name of the set.
    pub fn name(&self) -> &str {
        dispatch!(self, parameters => parameters.name())
    }

    /// State width t in field elements.
    pub fn width(&self) -> usize {
        dispatch!(self, parameters => parameters.width())
    }

    /// Field elements that a hash takes.
    pub fn inputs(&self) -> usize {
        dispatch!(self, parameters => parameters.inputs())
    }

    /// Field elements of a digest.
    pub fn digest_length(&self) -> usize {
        dispatch!(self, parameters => parameters.digest_length())
    }

    /// Digests that a hash takes, rounded down: the arity of Merkle trees.
    pub fn arity(&self) -> usize {
        dispatch!(self, parameters => parameters.arity())
    }

    /// Exponent of the S-box.
    pub fn alpha(&self) -> u64 {
        dispatch!(self, parameters => parameters.alpha())
    }

    /// Full rounds before the partial rounds.
    pub fn full_rounds_first(&self) -> usize {
        dispatch!(self, parameters => parameters.full_rounds_first())
    }

    /// Full rounds after the partial rounds.
    pub fn full_rounds_last(&self) -> usize {
        dispatch!(self, parameters => parameters.full_rounds_last())
    }

    /// Full rounds, both halves together.
    pub fn full_rounds(&self) -> usize {
        dispatch!(self, parameters => parameters.full_rounds())
    }

    /// Partial rounds.
    pub fn partial_rounds(&self) -> usize {
        dispatch!(self, parameters => parameters.partial_rounds())
    }

    /// All rounds.
    pub fn rounds(&self) -> usize {
        dispatch!(self, parameters => parameters.rounds())
    }

    /// The order of the steps of every round.
    pub fn round_order(&self) -> RoundOrder {
        dispatch!(self, parameters => parameters.round_order())
    }

    /// The element that has an S-box in partial rounds.
    pub fn partial_index(&self) -> usize {
        dispatch!(self, parameters => parameters.partial_index())
    }

    /// The state before the inputs are added, one value for each element.
    pub fn initial_state(&self) -> Vec<Word> {
        dispatch!(self, parameters => words(parameters.initial_state()))
    }

    /// The state element that each input is added to.
    pub fn input_positions(&self) -> &[usize] {
        dispatch!(self, parameters => parameters.input_positions())
    }

    /// The state elements that are the digest, in order.
    pub fn digest_positions(&self) -> &[usize] {
        dispatch!(self, parameters => parameters.digest_positions())
    }

    /// How messages of other lengths are hashed, where that is defined.
    pub fn sponge(&self) -> Option<&Sponge> {
        dispatch!(self, parameters => parameters.sponge())
    }

    /// What a user of the set should know about its security, one sentence each, see
    /// [`PoseidonParameters::warnings`].
    pub fn warnings(&self) -> Vec<String> {
        dispatch!(self, parameters => parameters.warnings())
    }

    /// The same parameter set with another initial state, of one value for each state element.
    ///
    /// # Errors
    ///
    /// When the number of values is not the state width, or a value is not below the prime.
    pub fn with_initial_state(&self, initial_state: &[Word]) -> Result<Self, ParameterError> {
        dispatch!(self, parameters => {
            let values = initial_state.iter().map(|value| {
                word::to_field(value).ok_or_else(|| {
                    ParameterError::new(
                        self.name(),
                        format!(
                            "the value {} of its initial state is not below the prime of {}",
                            word::to_hex(value),
                            self.field()
                        ),
                    )
                })
            });
            let values = values.collect::<Result<Vec<_>, _>>()?;
            Ok(parameters.with_initial_state(&values)?.into())
        })
    }
}

/// The canonical integers of field elements.
pub fn words<F: PrimeField>(elements: &[F]) -> Vec<Word> {
    elements
        .iter()
        .map(|&element| word::from_field(element))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_primes_tell_the_fields_apart() {
        for field in FieldId::ALL {
            assert_eq!(FieldId::from_name(field.name()), Ok(field));
            assert_eq!(FieldId::from_prime(&field.prime()), Some(field));
            let id = with_field!(field, F => F::ID);
            assert_eq!(id, field);
        }
        assert_eq!(
            FieldId::from_name("babybear").unwrap_err().to_string(),
            "unknown field 'babybear'; the fields are: bls12-381, bls12-377, bn254, pallas, vesta, starknet, \
             goldilocks"
        );
        assert_eq!(FieldId::from_prime(&word::from_u64(0x7800_0001)), None);
    }

    #[test]
    fn primes() {
        for (field, prime) in [
            (
                FieldId::Bls12_381,
                "0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001",
            ),
            (
                FieldId::Bn254,
                "0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001",
            ),
            (
                FieldId::Pallas,
                "0x40000000000000000000000000000000224698fc094cf91b992d30ed00000001",
            ),
            (
                FieldId::Vesta,
                "0x40000000000000000000000000000000224698fc0994a8dd8c46eb2100000001",
            ),
            (
                FieldId::Starknet,
                "0x0800000000000011000000000000000000000000000000000000000000000001",
            ),
            (FieldId::Goldilocks, "0xffffffff00000001"),
        ] {
            assert_eq!(field.prime(), word::from_hex(prime).unwrap());
        }
    }
}

//! Random elements, and trees that are neptune's hashes and nothing else.

use acclmt_driver::device::Device;
use acclmt_model::{Hardware, ModelDevice};
use acclmt_neptune::SharedDevice;
use blstrs::Scalar;
use ff::{Field as _, PrimeField as _};
use generic_array::GenericArray;
use generic_array::sequence::GenericSequence as _;
use neptune::poseidon::{Poseidon, PoseidonConstants};
use neptune::{Arity, Strength};
use rand::{RngCore as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

pub struct Random(ChaCha8Rng);

impl Random {
    /// The seed is printed: a test that fails shows it.
    pub fn new(seed: u64) -> Self {
        println!("seed {seed}");
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.0.next_u64() % bound as u64) as usize
    }

    /// An element, one in eight a corner value.
    pub fn element(&mut self) -> Scalar {
        match self.below(32) {
            0 => Scalar::ZERO,
            1 => Scalar::ONE,
            2 => -Scalar::ONE,
            3 => Scalar::from(u64::MAX),
            _ => loop {
                let mut bytes = [0; 32];
                self.0.fill_bytes(&mut bytes);
                bytes[31] >>= 1;
                if let Some(element) = Scalar::from_repr_vartime(bytes) {
                    break element;
                }
            },
        }
    }

    pub fn elements(&mut self, count: usize) -> Vec<Scalar> {
        (0..count).map(|_| self.element()).collect()
    }

    pub fn columns<A: Arity<Scalar>>(&mut self, count: usize) -> Vec<GenericArray<Scalar, A>> {
        (0..count)
            .map(|_| GenericArray::generate(|_| self.element()))
            .collect()
    }
}

/// neptune's hashes of the preimages.
pub fn hashes<A: Arity<Scalar>>(
    constants: &PoseidonConstants<Scalar, A>,
    preimages: &[GenericArray<Scalar, A>],
) -> Vec<Scalar> {
    (preimages.iter())
        .map(|preimage| Poseidon::new_with_preimage(preimage, constants).hash())
        .collect()
}

/// Every row above the leaves, by neptune's hash.
pub fn rows<A: Arity<Scalar>>(strength: Strength, leaves: &[Scalar]) -> Vec<Vec<Scalar>> {
    let constants = PoseidonConstants::<Scalar, A>::new_with_strength(strength);
    let mut rows = vec![leaves.to_vec()];
    while let Some(row) = rows.last().filter(|row| row.len() > 1) {
        let groups: Vec<GenericArray<Scalar, A>> = (row.chunks(A::to_usize()))
            .map(|group| GenericArray::from_exact_iter(group.iter().copied()).unwrap())
            .collect();
        rows.push(hashes(&constants, &groups));
    }
    rows.remove(0);
    rows
}

pub fn software() -> SharedDevice {
    shared(acclmt_driver::software::SoftwareDevice::new())
}

pub fn model() -> SharedDevice {
    shared(ModelDevice::new(Hardware::default()).unwrap())
}

pub fn shared(device: impl Device + Send + 'static) -> SharedDevice {
    let device: Box<dyn Device + Send> = Box::new(device);
    device.into()
}

/// An element as it is written in hexadecimal, the most significant digit first.
pub fn hex(element: &Scalar) -> String {
    acclmt_poseidon::word::to_hex(&element.to_repr())
}

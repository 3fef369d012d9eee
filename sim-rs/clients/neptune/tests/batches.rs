//! Batches of hashes on devices are neptune's.

#![allow(dead_code, reason = "not every test uses all of the common part")]

mod common;

use acclmt_driver::device::Device;
use acclmt_model::{Hardware, ModelDevice};
use acclmt_neptune::{Batcher, DEFAULT_MAX_BATCH_SIZE, SharedDevice};
use blstrs::Scalar;
use common::{Random, hashes, model, shared, software};
use ff::Field as _;
use generic_array::GenericArray;
use generic_array::typenum::{U0, U1, U2, U3, U4, U5, U6, U7, U8, U9, U10, U11, U12, U36};
use neptune::hash_type::{CType, HashType};
use neptune::poseidon::{Poseidon, PoseidonConstants};
use neptune::{Arity, BatchHasher as _, Strength};

const STRENGTHS: [Strength; 2] = [Strength::Standard, Strength::Strengthened];

fn batcher<A: Arity<Scalar>>(
    device: &SharedDevice,
    strength: Strength,
    hash_type: HashType<Scalar, A>,
) -> Batcher<Scalar, A> {
    Batcher::with_strength_and_type(device.clone(), strength, hash_type, DEFAULT_MAX_BATCH_SIZE)
        .unwrap()
}

/// Every strength and type that neptune supports.
fn all_types<A: Arity<Scalar>>(device: &SharedDevice, random: &mut Random, count: usize) {
    for strength in STRENGTHS {
        for hash_type in [
            || HashType::MerkleTree,
            || HashType::Encryption,
            || HashType::Sponge,
            || HashType::Custom(CType::Arbitrary(1)),
            || HashType::Custom(CType::Arbitrary(256)),
            || HashType::ConstantLength(A::to_usize()),
        ] as [fn() -> HashType<Scalar, A>; 6]
        {
            let constants = PoseidonConstants::new_with_strength_and_type(strength, hash_type());
            let preimages = random.columns::<A>(count);
            let mut batcher = batcher(device, strength, hash_type());
            let digests = batcher.hash(&preimages).unwrap();
            assert_eq!(digests, hashes(&constants, &preimages), "{batcher:?}");
            let mut slice = vec![Scalar::ZERO; count];
            batcher.hash_into_slice(&mut slice, &preimages).unwrap();
            assert_eq!(slice, digests);
        }
    }
}

macro_rules! every_arity {
    ($($arity:ty),*) => {
        #[test]
        fn hashes_of_every_arity_strength_and_type_are_neptunes() {
            let (device, mut random) = (software(), Random::new(0x1701));
            $(all_types::<$arity>(&device, &mut random, 3);)*
        }

        #[test]
        fn a_chip_hashes_every_arity() {
            let (device, mut random) = (model(), Random::new(0x1702));
            $({
                let preimages = random.columns::<$arity>(5);
                let mut batcher = batcher(&device, Strength::Standard, HashType::MerkleTree);
                let expected = hashes(&PoseidonConstants::new(), &preimages);
                assert_eq!(batcher.hash(&preimages).unwrap(), expected);
            })*
        }
    };
}

every_arity!(U1, U2, U3, U4, U5, U6, U7, U8, U9, U10, U11);

#[test]
fn batches_are_as_large_as_allowed_and_results_do_not_depend_on_it() {
    let (device, mut random) = (software(), Random::new(0x1703));
    let preimages = random.columns::<U4>(37);
    let expected = hashes(&PoseidonConstants::new(), &preimages);
    for most in [1, 2, 36, 37, 38, usize::MAX] {
        let mut batcher = Batcher::<Scalar, U4>::new(device.clone(), most).unwrap();
        assert_eq!(batcher.max_batch_size(), most);
        assert_eq!(batcher.hash(&preimages).unwrap(), expected);
        let mut slice = vec![Scalar::ONE; 37];
        batcher.hash_into_slice(&mut slice, &preimages).unwrap();
        assert_eq!(slice, expected);
    }
    let mut batcher = Batcher::<Scalar, U4>::new(device, 8).unwrap();
    assert!(batcher.hash(&[]).unwrap().is_empty());
    batcher.hash_into_slice(&mut [], &[]).unwrap();
}

/// Messages that are shorter than the arity, which neptune fills up with zeros.
#[test]
fn messages_of_a_constant_length_are_padded_with_zeros() {
    let (device, mut random) = (software(), Random::new(0x1704));
    for length in 0..=8 {
        let constants = PoseidonConstants::<Scalar, U8>::new_constant_length(length);
        let mut preimage = GenericArray::<Scalar, U8>::default();
        preimage[..length].copy_from_slice(&random.elements(length));
        let mut batcher = batcher(
            &device,
            Strength::Standard,
            HashType::ConstantLength(length),
        );
        let expected = Poseidon::new_with_preimage(&preimage[..length], &constants).hash();
        assert_eq!(batcher.hash(&[preimage]).unwrap(), [expected]);
        if length < 8 {
            preimage[7] = Scalar::ONE;
            let message = batcher.hash(&[preimage]).unwrap_err().to_string();
            let expected = format!(
                "preimage 0 has an element other than 0 at 7, behind the {length} elements of a message"
            );
            assert_eq!(message, expected);
        }
    }
}

fn refused<A: Arity<Scalar>>(hash_type: HashType<Scalar, A>) -> String {
    Batcher::<Scalar, A>::with_strength_and_type(software(), Strength::Standard, hash_type, 8)
        .unwrap_err()
        .to_string()
}

#[test]
fn hashes_that_do_not_exist_are_refused() {
    for message in [
        refused::<U0>(HashType::MerkleTree),
        refused::<U12>(HashType::MerkleTree),
        refused::<U36>(HashType::MerkleTree),
    ] {
        assert!(
            message.starts_with("there is no hash of arity")
                && message.contains("the arities are 1 to 11"),
            "{message}"
        );
    }
    let message = refused::<U2>(HashType::MerkleTreeSparse(3));
    assert!(message.contains("MerkleTreeSparse"), "{message}");
    let message = refused::<U2>(HashType::VariableLength);
    assert!(message.contains("VariableLength"), "{message}");
    for identifier in [0, 257, u64::MAX] {
        let message = refused::<U2>(HashType::Custom(CType::Arbitrary(identifier)));
        let expected =
            format!("the identifier of a custom hash type is {identifier}, expected 1 to 256");
        assert_eq!(message, expected);
    }
    let message = refused::<U2>(HashType::ConstantLength(3));
    assert!(
        message.starts_with("messages of 3 elements do not fit into a hash of arity 2"),
        "{message}"
    );
    let message = Batcher::<Scalar, U2>::new(software(), 0).unwrap_err();
    assert_eq!(
        message.to_string(),
        "the largest batch has 0 hashes, expected at least 1"
    );
}

#[test]
fn targets_of_another_length_are_refused() {
    let mut batcher = batcher::<U2>(&software(), Strength::Standard, HashType::MerkleTree);
    let preimages = Random::new(0x1705).columns(3);
    for length in [0, 2, 4] {
        let mut target = vec![Scalar::ONE; length];
        let error = batcher.hash_into_slice(&mut target, &preimages);
        assert_eq!(
            error.unwrap_err().to_string(),
            format!("there is room for {length} digests, and there are 3 preimages")
        );
        assert!(target.iter().all(|element| *element == Scalar::ONE));
    }
}

#[test]
fn devices_that_do_not_compute_are_refused() {
    let counter = ModelDevice::new(Hardware::default())
        .unwrap()
        .with_results(false);
    let error = Batcher::<Scalar, U2>::new(shared(counter), 8).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the device 'model' only counts cycles; make one that computes results"
    );
}

/// A device that is not `Send` has batchers, too, and one of a known type.
#[test]
fn devices_of_any_kind_are_taken() {
    let preimages = Random::new(0x1706).columns::<U2>(2);
    let expected = hashes(&PoseidonConstants::new(), &preimages);
    let boxed: Box<dyn Device> = Box::new(acclmt_driver::software::SoftwareDevice::new());
    let mut batcher = Batcher::<Scalar, U2, dyn Device>::new(boxed.into(), 8).unwrap();
    assert_eq!(batcher.hash(&preimages).unwrap(), expected);
    let known = SharedDevice::new(acclmt_driver::software::SoftwareDevice::new());
    let mut batcher = Batcher::<Scalar, U2, _>::new(known, 8).unwrap();
    assert_eq!(batcher.hash(&preimages).unwrap(), expected);
    let mut batcher = Batcher::<Scalar, U2>::new(software(), 8).unwrap();
    let preimages = std::thread::spawn(move || batcher.hash(&preimages).unwrap());
    assert_eq!(preimages.join().unwrap(), expected);
}

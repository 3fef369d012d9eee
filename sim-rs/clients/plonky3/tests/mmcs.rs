//! Commitments, openings and proofs are those of Plonky3, and each verifies the other's.

use acclmt_driver::device::Device;
use acclmt_driver::software::SoftwareDevice;
use acclmt_model::{Hardware, ModelDevice};
use acclmt_plonky3::{
    AcclmtMmcs, Plonky2Permutation, SharedDevice, plonky2, plonky3_poseidon1_8,
    plonky3_poseidon1_12,
};
use p3_commit::{BatchOpeningRef, Mmcs};
use p3_field::{PrimeCharacteristicRing as _, PrimeField64 as _};
use p3_goldilocks::Goldilocks;
use p3_goldilocks::poseidon1::{default_goldilocks_poseidon1_8, default_goldilocks_poseidon1_12};
use p3_matrix::dense::RowMajorMatrix;
use p3_matrix::horizontally_truncated::HorizontallyTruncated;
use p3_matrix::{Dimensions, Matrix as _};
use p3_symmetric::{CryptographicPermutation, Permutation as _};
use rand::{RngCore as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

type Rows = RowMajorMatrix<Goldilocks>;

struct Random(ChaCha8Rng);

impl Random {
    /// The seed is printed: a test that fails shows it.
    fn new(seed: u64) -> Self {
        println!("seed {seed}");
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.0.next_u64() % bound as u64) as usize
    }

    /// An element, one in eight a corner value.
    fn element(&mut self) -> Goldilocks {
        Goldilocks::new(match self.below(24) {
            0 => 0,
            1 => 1,
            2 => Goldilocks::ORDER_U64 - 1,
            _ => self.0.next_u64() % Goldilocks::ORDER_U64,
        })
    }

    fn matrix(&mut self, height: usize, width: usize) -> Rows {
        let values = (0..height * width).map(|_| self.element()).collect();
        RowMajorMatrix::new(values, width)
    }
}

fn software() -> SharedDevice {
    let device: Box<dyn Device + Send> = Box::new(SoftwareDevice::new());
    device.into()
}

fn model() -> SharedDevice {
    let device: Box<dyn Device + Send> = Box::new(ModelDevice::new(Hardware::default()).unwrap());
    device.into()
}

/// The commitment is Plonky3's, and so is every opening; each verifies the other's.
fn agree<P, const WIDTH: usize, const RATE: usize>(
    ours: &AcclmtMmcs<P, WIDTH, RATE>,
    matrices: &[Rows],
    random: &mut Random,
) where
    P: CryptographicPermutation<[Goldilocks; WIDTH]>,
{
    let theirs = ours.host();
    let dimensions: Vec<Dimensions> = matrices.iter().map(|m| m.dimensions()).collect();
    let shown = format!("{dimensions:?}, cap {}", theirs.cap_height());
    let (our_cap, our_tree) = ours.try_commit(matrices.to_vec()).unwrap();
    let (their_cap, their_tree) = theirs.commit(matrices.to_vec());
    assert_eq!(our_cap, their_cap, "{shown}");
    assert_eq!(
        ours.get_matrices(&our_tree),
        theirs.get_matrices(&their_tree)
    );
    let height = ours.get_max_height(&our_tree);
    assert_eq!(height, theirs.get_max_height(&their_tree));
    let indices: Vec<usize> = if height <= 16 {
        (0..height).collect()
    } else {
        (0..8).map(|_| random.below(height)).collect()
    };
    for &index in &indices {
        let (our_rows, our_proof) = ours.open_batch(index, &our_tree).unpack();
        let (their_rows, their_proof) = theirs.open_batch(index, &their_tree).unpack();
        assert_eq!(
            (&our_rows, &our_proof),
            (&their_rows, &their_proof),
            "{index}, {shown}"
        );
        let opening = BatchOpeningRef::new(&our_rows, &our_proof);
        theirs
            .verify_batch(&our_cap, &dimensions, index, opening)
            .unwrap();
        let opening = BatchOpeningRef::new(&their_rows, &their_proof);
        ours.verify_batch(&their_cap, &dimensions, index, opening)
            .unwrap();
        // Another element, another index or another node is refused.
        let mut wrong = our_rows.clone();
        if let Some(element) = wrong.iter_mut().flatten().next() {
            *element += Goldilocks::ONE;
            let opening = BatchOpeningRef::new(&wrong, &our_proof);
            ours.verify_batch(&our_cap, &dimensions, index, opening)
                .unwrap_err();
        }
        let mut wrong = our_proof.clone();
        if let Some(node) = wrong.first_mut() {
            node[3] += Goldilocks::ONE;
            let opening = BatchOpeningRef::new(&our_rows, &wrong);
            ours.verify_batch(&our_cap, &dimensions, index, opening)
                .unwrap_err();
        }
    }
    // Several rows at once, some of them twice, in any order.
    for count in [0, 1, 3, 9] {
        let indices: Vec<usize> = (0..count).map(|_| random.below(height)).collect();
        let (our_rows, our_proof) = ours.open_multi_batch(&indices, &our_tree);
        let (their_rows, their_proof) = theirs.open_multi_batch(&indices, &their_tree);
        assert_eq!(our_rows, their_rows, "{indices:?}, {shown}");
        assert_eq!(
            our_proof.sibling_hashes, their_proof.sibling_hashes,
            "{indices:?}, {shown}"
        );
        theirs
            .verify_multi_batch(&our_cap, &dimensions, &indices, &our_rows, &our_proof)
            .unwrap();
        ours.verify_multi_batch(&their_cap, &dimensions, &indices, &their_rows, &their_proof)
            .unwrap();
    }
}

/// Matrices of all heights that go together, one of them twice.
fn shapes() -> Vec<Vec<(usize, usize)>> {
    vec![
        vec![(1, 5)],
        vec![(2, 1)],
        vec![(8, 4)],
        vec![(16, 12)],
        // Heights that are no powers of two.
        vec![(3, 9)],
        vec![(13, 8)],
        vec![(21, 3)],
        // Several matrices of one height are one row.
        vec![(8, 3), (8, 7)],
        // Lower ones join the tree on their way.
        vec![(8, 2), (2, 20)],
        vec![(1, 3), (16, 5), (4, 4), (16, 1), (2, 8), (8, 6)],
        vec![(13, 5), (7, 9), (2, 3), (1, 1)],
        vec![(5, 2), (3, 3)],
    ]
}

fn all_shapes<P, const WIDTH: usize, const RATE: usize>(
    make: impl Fn(usize) -> AcclmtMmcs<P, WIDTH, RATE>,
    caps: &[usize],
    random: &mut Random,
) where
    P: CryptographicPermutation<[Goldilocks; WIDTH]>,
{
    for &cap_height in caps {
        let mmcs = make(cap_height);
        for shape in shapes() {
            let matrices: Vec<Rows> = (shape.iter())
                .map(|&(height, width)| random.matrix(height, width))
                .collect();
            let heights = || shape.iter().map(|&(height, _)| height);
            let (highest, lowest) = (heights().max().unwrap(), heights().min().unwrap());
            // See the tests of caps.
            let is_refused = cap_height > 0 && !highest.is_power_of_two()
                || highest.min(1 << cap_height) > lowest;
            if !is_refused {
                agree(&mmcs, &matrices, random);
            }
        }
    }
}

#[test]
fn commitments_by_poseidon_of_width_12_are_plonky3s() {
    let make = |cap| AcclmtMmcs::poseidon1_12(software(), cap).unwrap();
    all_shapes(make, &[0, 1, 3, 9], &mut Random::new(0x1721));
}

#[test]
fn commitments_by_poseidon_of_width_8_are_plonky3s() {
    let make = |cap| AcclmtMmcs::poseidon1_8(software(), cap).unwrap();
    all_shapes(make, &[0, 2], &mut Random::new(0x1722));
}

#[test]
fn commitments_by_poseidon2_are_plonky3s() {
    let make = |cap| AcclmtMmcs::poseidon2_12(software(), cap).unwrap();
    all_shapes(make, &[0, 2], &mut Random::new(0x1725));
    let make = |cap| AcclmtMmcs::poseidon2_8(software(), cap).unwrap();
    all_shapes(make, &[0, 2], &mut Random::new(0x1726));
}

#[test]
fn commitments_by_the_permutation_of_plonky2_are_plonky3s() {
    let make = |cap| AcclmtMmcs::plonky2(software(), cap).unwrap();
    all_shapes(make, &[0, 2], &mut Random::new(0x1723));
}

#[test]
fn a_chip_makes_the_same_commitments() {
    let (device, random) = (model(), &mut Random::new(0x1724));
    all_shapes(
        |cap| AcclmtMmcs::poseidon1_12(device.clone(), cap).unwrap(),
        &[0, 2],
        random,
    );
    all_shapes(
        |cap| AcclmtMmcs::poseidon1_8(device.clone(), cap).unwrap(),
        &[0],
        random,
    );
    all_shapes(
        |cap| AcclmtMmcs::poseidon2_12(device.clone(), cap).unwrap(),
        &[0, 2],
        random,
    );
    all_shapes(
        |cap| AcclmtMmcs::poseidon2_8(device.clone(), cap).unwrap(),
        &[0],
        random,
    );
}

/// Trees of some hundred rows, heights at random.
#[test]
fn larger_commitments_are_plonky3s() {
    let mut random = Random::new(0x1725);
    let mmcs = AcclmtMmcs::poseidon1_12(software(), 0).unwrap();
    for _ in 0..6 {
        let height = 1 + random.below(700);
        let matrices: Vec<Rows> = (0..10)
            .filter_map(|level| {
                let is_there = level == 0 || random.below(3) == 0;
                let width = 1 + random.below(20);
                is_there.then(|| random.matrix(height.div_ceil(1 << level), width))
            })
            .collect();
        agree(&mmcs, &matrices, &mut random);
    }
}

/// A cap is a layer of the padded tree; where that is no power of two Plonky3 panics.
#[test]
fn caps_that_are_no_powers_of_two_are_refused() {
    let mut random = Random::new(0x1726);
    for height in 1..=17_usize {
        for cap_height in 0..=6 {
            let mmcs = AcclmtMmcs::poseidon1_12(software(), cap_height).unwrap();
            let matrix = random.matrix(height, 2);
            let theirs = std::panic::catch_unwind(|| mmcs.host().commit_matrix(matrix.clone()).0);
            match mmcs.try_commit(vec![matrix.clone()]) {
                Ok((cap, _)) => assert_eq!(cap, theirs.unwrap(), "{height} {cap_height}"),
                Err(error) => {
                    assert!(theirs.is_err(), "{height} {cap_height}");
                    let expected = format!("a cap of height {cap_height} of a tree over {height}");
                    assert!(error.to_string().starts_with(&expected), "{error}");
                }
            }
        }
    }
}

/// Plonky3 verifies any row of a matrix that joins the tree above the cap; such commitments are refused.
#[test]
fn matrices_above_the_cap_are_refused() {
    let matrices = || {
        vec![
            RowMajorMatrix::new(vec![Goldilocks::ONE; 16], 2),
            Rows::new_col(vec![Goldilocks::ONE; 2]),
        ]
    };
    let dimensions: Vec<Dimensions> = matrices().iter().map(|m| m.dimensions()).collect();
    for cap_height in 0..=5 {
        let mmcs = AcclmtMmcs::poseidon1_12(software(), cap_height).unwrap();
        let theirs = mmcs.host();
        let (cap, tree) = theirs.commit(matrices());
        let (mut rows, proof) = theirs.open_batch(3, &tree).unpack();
        rows[1][0] = Goldilocks::TWO;
        let opening = BatchOpeningRef::new(&rows, &proof);
        let is_bound = theirs.verify_batch(&cap, &dimensions, 3, opening).is_err();
        match mmcs.try_commit(matrices()) {
            Ok(_) => assert!(is_bound, "{cap_height}"),
            Err(error) => {
                assert!(!is_bound, "{cap_height}");
                let expected = format!(
                    "a matrix of 2 rows joins the tree above a cap of height {}",
                    cap_height.min(3)
                );
                assert!(error.to_string().starts_with(&expected), "{error}");
            }
        }
    }
}

/// Rows without elements have the digest of the sponge's initial state, zeros.
#[test]
fn rows_without_elements_are_plonky3s() {
    let mut random = Random::new(0x1729);
    let mmcs = AcclmtMmcs::poseidon1_12(software(), 0).unwrap();
    let matrix = random.matrix(6, 3);
    let narrow = || vec![HorizontallyTruncated::new(matrix.clone(), 0).unwrap()];
    assert_eq!(
        narrow()[0].dimensions(),
        Dimensions {
            width: 0,
            height: 6
        }
    );
    let (cap, _) = mmcs.try_commit(narrow()).unwrap();
    assert_eq!(cap, mmcs.host().commit(narrow()).0);
}

#[test]
fn matrices_that_do_not_go_into_one_tree_are_refused_with_plonky3s_words() {
    let mut random = Random::new(0x1727);
    let mmcs = AcclmtMmcs::poseidon1_12(software(), 0).unwrap();
    for (heights, expected) in [
        (vec![], "empty batch"),
        (vec![0], "empty batch"),
        (
            vec![8, 3],
            "matrix height 3 incompatible with tallest height 8",
        ),
        (
            vec![5, 4],
            "matrix height 4 incompatible with tallest height 5",
        ),
        (
            vec![4, 0],
            "matrix height 0 incompatible with tallest height 4",
        ),
    ] {
        let matrices: Vec<Rows> = heights.iter().map(|&h| random.matrix(h, 3)).collect();
        let error = mmcs.try_commit(matrices).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{error}");
    }
    let caught = std::panic::catch_unwind(|| {
        let matrices = vec![Rows::new(vec![Goldilocks::ONE; 8], 1); 1];
        let (_, tree) = mmcs.commit(matrices);
        mmcs.open_batch(8, &tree)
    });
    let message = caught.err().unwrap();
    let message = message.downcast_ref::<String>().unwrap();
    assert_eq!(message, "index 8 out of bounds for height 8");
}

#[test]
fn parameter_sets_of_other_hashes_are_refused() {
    // Plonky2's constants and Plonky3's are different.
    let error = AcclmtMmcs::<_, 12, 8>::new(
        software(),
        plonky2().unwrap(),
        default_goldilocks_poseidon1_12(),
        0,
    );
    let error = error.unwrap_err().to_string();
    assert!(
        error.starts_with("'plonky2-in-plonky3' is another permutation than that of the host"),
        "{error}"
    );
    // The preset takes short rows as digests.
    let preset = acclmt_poseidon::presets::over("plonky2").unwrap().clone();
    let permutation = Plonky2Permutation::new().unwrap();
    let error = AcclmtMmcs::<_, 12, 8>::new(software(), preset, permutation.clone(), 0);
    let error = error.unwrap_err().to_string();
    assert!(error.contains("its sponge is not that of"), "{error}");
    let error = AcclmtMmcs::<_, 12, 4>::new(software(), plonky2().unwrap(), permutation.clone(), 0);
    let error = error.unwrap_err().to_string();
    assert!(error.contains("elements 0 to 3 overwritten"), "{error}");
    let narrow = plonky3_poseidon1_8().unwrap();
    let error = AcclmtMmcs::<_, 12, 8>::new(software(), narrow, permutation, 0);
    let error = error.unwrap_err().to_string();
    assert!(error.contains("its width is 8, expected 12"), "{error}");
    let counter = ModelDevice::new(Hardware::default())
        .unwrap()
        .with_results(false);
    let error = AcclmtMmcs::poseidon1_12(SharedDevice::new(counter), 0).unwrap_err();
    assert!(error.to_string().contains("only counts cycles"), "{error}");
}

/// The permutation of the preset against a value of Plonky2: the permutation of zeros.
#[test]
fn the_permutation_on_the_host_is_plonky2s() {
    let state = Plonky2Permutation::new()
        .unwrap()
        .permute([Goldilocks::ZERO; 12]);
    assert_eq!(state[0].as_canonical_u64(), 0x3c18_a978_6cb0_b359);
    let zeros = [Goldilocks::ZERO; 8];
    assert_ne!(default_goldilocks_poseidon1_8().permute(zeros), zeros);
    for parameters in [
        plonky3_poseidon1_8().unwrap(),
        plonky3_poseidon1_12().unwrap(),
    ] {
        assert!(
            parameters.warnings().is_empty(),
            "{:?}",
            parameters.warnings()
        );
    }
}

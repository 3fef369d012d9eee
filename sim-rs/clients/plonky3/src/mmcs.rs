use std::fmt;
use std::sync::Arc;

use acclmt_driver::device::{Device, DeviceError};
use acclmt_driver::shared::SharedDevice;
use acclmt_poseidon::fields::{self, AnyParameters, PoseidonField as _};
use acclmt_poseidon::params::PoseidonParameters;
use p3_commit::{BatchOpening, BatchOpeningRef, Mmcs};
use p3_goldilocks::poseidon1::{
    Poseidon1Goldilocks, default_goldilocks_poseidon1_8, default_goldilocks_poseidon1_12,
};
use p3_goldilocks::{
    Goldilocks, Poseidon2Goldilocks, default_goldilocks_poseidon2_8,
    default_goldilocks_poseidon2_12,
};
use p3_matrix::{Dimensions, Matrix};
use p3_merkle_tree::{MerkleCap, MerkleTreeError, MerkleTreeMmcs, PrunedMerklePaths};
use p3_symmetric::{CryptographicPermutation, PaddingFreeSponge, TruncatedPermutation};
use p3_util::log2_ceil_usize;

use crate::error::MmcsError;
use crate::parameters::{
    self, DIGEST, Plonky2Permutation, plonky2, plonky3_poseidon1_8, plonky3_poseidon1_12,
    plonky3_poseidon2_8, plonky3_poseidon2_12,
};
use crate::tree::{Digest, Tree, layers};

/// Plonky3's own commitments with the same hashes on the host: binary trees, digests of 4 elements.
pub type Plonky3Mmcs<P, const WIDTH: usize, const RATE: usize> = MerkleTreeMmcs<
    Goldilocks,
    Goldilocks,
    PaddingFreeSponge<P, WIDTH, RATE, DIGEST>,
    TruncatedPermutation<P, 2, DIGEST, WIDTH>,
    2,
    DIGEST,
>;

/// Commitments to matrices over Goldilocks whose trees a device builds: commitments, openings and proofs are
/// those of Plonky3's [`MerkleTreeMmcs`], see [`Plonky3Mmcs`], which also verifies them, on the host.
///
/// `P` is the permutation on the host. Clones use the same device, whose type `D` is as in [`SharedDevice`].
pub struct AcclmtMmcs<
    P,
    const WIDTH: usize,
    const RATE: usize,
    D: Device + ?Sized = dyn Device + Send,
> {
    device: SharedDevice<D>,
    parameters: Arc<AnyParameters>,
    host: Plonky3Mmcs<P, WIDTH, RATE>,
}

impl<D: Device + ?Sized> AcclmtMmcs<Poseidon1Goldilocks<12>, 12, 8, D> {
    /// With Plonky3's own Poseidon of width 12 and a cap of the given height.
    ///
    /// # Errors
    ///
    /// When the device does not compute with it.
    pub fn poseidon1_12(device: SharedDevice<D>, cap_height: usize) -> Result<Self, MmcsError> {
        let permutation = default_goldilocks_poseidon1_12();
        Self::new(device, plonky3_poseidon1_12()?, permutation, cap_height)
    }
}

impl<D: Device + ?Sized> AcclmtMmcs<Poseidon1Goldilocks<8>, 8, 4, D> {
    /// With Plonky3's own Poseidon of width 8 and a cap of the given height.
    ///
    /// # Errors
    ///
    /// When the device does not compute with it.
    pub fn poseidon1_8(device: SharedDevice<D>, cap_height: usize) -> Result<Self, MmcsError> {
        let permutation = default_goldilocks_poseidon1_8();
        Self::new(device, plonky3_poseidon1_8()?, permutation, cap_height)
    }
}

impl<D: Device + ?Sized> AcclmtMmcs<Poseidon2Goldilocks<12>, 12, 8, D> {
    /// With Plonky3's Poseidon2 of width 12 and a cap of the given height.
    ///
    /// # Errors
    ///
    /// When the device does not compute with it.
    pub fn poseidon2_12(device: SharedDevice<D>, cap_height: usize) -> Result<Self, MmcsError> {
        let permutation = default_goldilocks_poseidon2_12();
        Self::new(device, plonky3_poseidon2_12()?, permutation, cap_height)
    }
}

impl<D: Device + ?Sized> AcclmtMmcs<Poseidon2Goldilocks<8>, 8, 4, D> {
    /// With Plonky3's Poseidon2 of width 8 and a cap of the given height.
    ///
    /// # Errors
    ///
    /// When the device does not compute with it.
    pub fn poseidon2_8(device: SharedDevice<D>, cap_height: usize) -> Result<Self, MmcsError> {
        let permutation = default_goldilocks_poseidon2_8();
        Self::new(device, plonky3_poseidon2_8()?, permutation, cap_height)
    }
}

impl<D: Device + ?Sized> AcclmtMmcs<Plonky2Permutation, 12, 8, D> {
    /// With the permutation of Plonky2 and a cap of the given height.
    ///
    /// # Errors
    ///
    /// When the device does not compute with it.
    pub fn plonky2(device: SharedDevice<D>, cap_height: usize) -> Result<Self, MmcsError> {
        Self::new(device, plonky2()?, Plonky2Permutation::new()?, cap_height)
    }
}

impl<P, const WIDTH: usize, const RATE: usize, D: Device + ?Sized> AcclmtMmcs<P, WIDTH, RATE, D>
where
    P: CryptographicPermutation<[Goldilocks; WIDTH]>,
{
    /// With a parameter set of the device, the same permutation on the host, and a cap of the given height.
    ///
    /// # Errors
    ///
    /// When the parameter set has other hashes than [`Plonky3Mmcs`] with this permutation, which a few states
    /// show, or the device does not compute with it.
    pub fn new(
        device: SharedDevice<D>,
        parameters: PoseidonParameters<fields::Goldilocks>,
        permutation: P,
        cap_height: usize,
    ) -> Result<Self, MmcsError> {
        parameters::check::<P, WIDTH, RATE>(&parameters, &permutation)?;
        let parameters = fields::Goldilocks::wrap(parameters);
        {
            let device = device.lock()?;
            if !device.computes() {
                return Err(MmcsError::OnlyCycles(device.name().to_owned()));
            }
            (device.supports(&parameters)).map_err(DeviceError::from)?;
        }
        let hash = PaddingFreeSponge::new(permutation.clone());
        let compress = TruncatedPermutation::new(permutation);
        Ok(Self {
            device,
            parameters: Arc::new(parameters),
            host: MerkleTreeMmcs::new(hash, compress, cap_height),
        })
    }

    /// The same commitments on the host.
    pub fn host(&self) -> &Plonky3Mmcs<P, WIDTH, RATE> {
        &self.host
    }

    /// The parameter set that the device computes with.
    pub fn parameters(&self) -> &AnyParameters {
        &self.parameters
    }

    /// Commits to matrices, as [`Mmcs::commit`], whose signature has no room for an error.
    ///
    /// # Errors
    ///
    /// When Plonky3 does not put these heights into one tree, the cap is no power of two, a matrix joins the
    /// tree above the cap, or the device fails. Plonky3 accepts matrices above the cap, and any rows of them.
    pub fn try_commit<M: Matrix<Goldilocks>>(
        &self,
        inputs: Vec<M>,
    ) -> Result<(MerkleCap<Goldilocks, Digest>, Tree<M>), MmcsError> {
        let dimensions: Vec<Dimensions> = inputs.iter().map(Matrix::dimensions).collect();
        self.host.proof_arity_schedule(&dimensions)?;
        self.check_cap(&dimensions)?;
        let layers = layers(&self.device, &self.parameters, &inputs)?;
        let tree = Tree {
            matrices: inputs,
            layers,
        };
        Ok((self.cap(&tree)?, tree))
    }

    /// Refuses matrices that the cap does not commit to.
    fn check_cap(&self, dimensions: &[Dimensions]) -> Result<(), MmcsError> {
        let heights = || dimensions.iter().map(|matrix| matrix.height);
        let height = log2_ceil_usize(heights().max().unwrap_or(1));
        let cap_height = self.host.cap_height().min(height);
        match heights().min() {
            Some(rows) if log2_ceil_usize(rows) < cap_height => {
                Err(MmcsError::AboveCap { rows, cap_height })
            }
            _ => Ok(()),
        }
    }

    /// Layers below the cap.
    fn proof_levels<M>(&self, tree: &Tree<M>) -> usize {
        (tree.layers.len() - 1).saturating_sub(self.host.cap_height())
    }

    /// The cap: a layer with the padding that makes its length even.
    fn cap<M>(&self, tree: &Tree<M>) -> Result<MerkleCap<Goldilocks, Digest>, MmcsError> {
        let layer = self.proof_levels(tree);
        let real = tree.layers[layer].len();
        let padded = if real > 1 {
            real.next_multiple_of(2)
        } else {
            real
        };
        let nodes = padded.min(1 << (tree.layers.len() - 1 - layer));
        if !nodes.is_power_of_two() {
            return Err(MmcsError::Cap {
                cap_height: self.host.cap_height(),
                rows: tree.layers[0].len(),
                nodes,
            });
        }
        Ok(MerkleCap::new(
            (0..nodes).map(|index| tree.node(layer, index)).collect(),
        ))
    }
}

/// The row of each matrix at an index of the highest one.
fn open<M: Matrix<Goldilocks>>(matrices: &[M], index: usize) -> Vec<Vec<Goldilocks>> {
    let height = matrices
        .iter()
        .map(Matrix::height)
        .max()
        .unwrap_or_default();
    assert!(
        index < height,
        "index {index} out of bounds for height {height}"
    );
    (matrices.iter())
        .map(|matrix| {
            let above = log2_ceil_usize(height) - log2_ceil_usize(matrix.height());
            matrix.row(index >> above).into_iter().flatten().collect()
        })
        .collect()
}

impl<P, const WIDTH: usize, const RATE: usize, D: Device + ?Sized> Mmcs<Goldilocks>
    for AcclmtMmcs<P, WIDTH, RATE, D>
where
    P: CryptographicPermutation<[Goldilocks; WIDTH]>,
{
    type ProverData<M> = Tree<M>;
    type Commitment = MerkleCap<Goldilocks, Digest>;
    type Proof = Vec<Digest>;
    type MultiProof = PrunedMerklePaths<Goldilocks, DIGEST>;
    type Error = MerkleTreeError;

    /// # Panics
    ///
    /// Where [`AcclmtMmcs::try_commit`] has an error, with its text.
    fn commit<M: Matrix<Goldilocks>>(
        &self,
        inputs: Vec<M>,
    ) -> (Self::Commitment, Self::ProverData<M>) {
        self.try_commit(inputs)
            .unwrap_or_else(|error| panic!("{error}"))
    }

    /// # Panics
    ///
    /// When there is no such row, as Plonky3.
    fn open_batch<M: Matrix<Goldilocks>>(
        &self,
        index: usize,
        tree: &Self::ProverData<M>,
    ) -> BatchOpening<Goldilocks, Self> {
        let rows = open(&tree.matrices, index);
        let siblings = (0..self.proof_levels(tree))
            .map(|layer| tree.node(layer, (index >> layer) ^ 1))
            .collect();
        BatchOpening::new(rows, siblings)
    }

    fn get_matrices<'a, M: Matrix<Goldilocks>>(&self, tree: &'a Self::ProverData<M>) -> Vec<&'a M> {
        tree.matrices.iter().collect()
    }

    fn verify_batch(
        &self,
        commit: &Self::Commitment,
        dimensions: &[Dimensions],
        index: usize,
        opening: BatchOpeningRef<'_, Goldilocks, Self>,
    ) -> Result<(), MerkleTreeError> {
        let (rows, proof) = opening.unpack();
        let opening = BatchOpeningRef::new(rows, proof);
        self.host.verify_batch(commit, dimensions, index, opening)
    }

    /// # Panics
    ///
    /// When there is no such row, as Plonky3.
    fn open_multi_batch<M: Matrix<Goldilocks>>(
        &self,
        indices: &[usize],
        tree: &Self::ProverData<M>,
    ) -> (Vec<Vec<Vec<Goldilocks>>>, Self::MultiProof) {
        let rows = (indices.iter())
            .map(|&index| open(&tree.matrices, index))
            .collect();
        let mut nodes = indices.to_vec();
        nodes.sort_unstable();
        nodes.dedup();
        let mut sibling_hashes = Vec::new();
        for layer in 0..self.proof_levels(tree) {
            // A sibling that is on a path itself is computed by the verifier.
            let siblings = nodes.iter().map(|node| node ^ 1);
            let missing = siblings.filter(|sibling| nodes.binary_search(sibling).is_err());
            sibling_hashes.extend(missing.map(|sibling| tree.node(layer, sibling)));
            for node in &mut nodes {
                *node >>= 1;
            }
            nodes.dedup();
        }
        (rows, PrunedMerklePaths { sibling_hashes })
    }

    fn verify_multi_batch<R: AsRef<[Goldilocks]> + PartialEq>(
        &self,
        commit: &Self::Commitment,
        dimensions: &[Dimensions],
        indices: &[usize],
        opened_values: &[Vec<R>],
        proof: &Self::MultiProof,
    ) -> Result<(), MerkleTreeError> {
        self.host
            .verify_multi_batch(commit, dimensions, indices, opened_values, proof)
    }
}

impl<P: Clone, const WIDTH: usize, const RATE: usize, D: Device + ?Sized> Clone
    for AcclmtMmcs<P, WIDTH, RATE, D>
{
    fn clone(&self) -> Self {
        Self {
            device: self.device.clone(),
            parameters: Arc::clone(&self.parameters),
            host: self.host.clone(),
        }
    }
}

impl<P, const WIDTH: usize, const RATE: usize, D: Device + ?Sized> fmt::Debug
    for AcclmtMmcs<P, WIDTH, RATE, D>
{
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("AcclmtMmcs")
            .field("device", &self.device)
            .field("parameters", &self.parameters.name())
            .finish_non_exhaustive()
    }
}

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use acclmt_driver::device::{Device, DeviceError, NoProgress};
use acclmt_driver::shared::SharedDevice;
use acclmt_poseidon::bounds::MAX_WIDTH;
use acclmt_poseidon::fields::AnyParameters;
use acclmt_poseidon::presets;
use acclmt_poseidon::word::{self, Word};
use generic_array::GenericArray;
use neptune::hash_type::{CType, HashType};
use neptune::poseidon::PoseidonConstants;
use neptune::{Arity, BatchHasher, Error, Strength};

use crate::error::BatcherError;
use crate::field::DeviceField;

/// The largest batch where none is asked for, that of neptune's [`BatchHasher`].
pub const DEFAULT_MAX_BATCH_SIZE: usize = 700_000;

/// The largest arity: a state has one element more.
const MAX_ARITY: usize = MAX_WIDTH - 1;

/// The types of hash that neptune and the devices support.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    MerkleTree,
    ConstantLength(usize),
    Encryption,
    Custom(u64),
    Sponge,
}

impl Kind {
    fn new<F: DeviceField, A: Arity<F>>(hash_type: &HashType<F, A>) -> Result<Self, BatcherError> {
        let arity = A::to_usize();
        match *hash_type {
            HashType::MerkleTree => Ok(Self::MerkleTree),
            HashType::MerkleTreeSparse(_) => Err(BatcherError::HashType("MerkleTreeSparse")),
            HashType::VariableLength => Err(BatcherError::HashType("VariableLength")),
            HashType::ConstantLength(length) if length > arity => {
                Err(BatcherError::Length { length, arity })
            }
            HashType::ConstantLength(length) => Ok(Self::ConstantLength(length)),
            HashType::Encryption => Ok(Self::Encryption),
            // neptune panics at the tag of another one.
            HashType::Custom(CType::Arbitrary(identifier)) if (1..=256).contains(&identifier) => {
                Ok(Self::Custom(identifier))
            }
            HashType::Custom(CType::Arbitrary(identifier)) => {
                Err(BatcherError::CustomType(identifier))
            }
            HashType::Custom(CType::_Phantom(_)) => Err(BatcherError::HashType("Custom(_Phantom)")),
            HashType::Sponge => Ok(Self::Sponge),
        }
    }

    fn hash_type<F: DeviceField, A: Arity<F>>(self) -> HashType<F, A> {
        match self {
            Self::MerkleTree => HashType::MerkleTree,
            Self::ConstantLength(length) => HashType::ConstantLength(length),
            Self::Encryption => HashType::Encryption,
            Self::Custom(identifier) => HashType::Custom(CType::Arbitrary(identifier)),
            Self::Sponge => HashType::Sponge,
        }
    }
}

/// AcclMT's parameter set of a hash of neptune: the preset of the arity and the strength, with the domain tag
/// of the type of hash.
///
/// # Errors
///
/// When neptune does not support the type, or AcclMT has no preset of the arity.
///
/// ```
/// use acclmt_neptune::parameters;
/// use blstrs::Scalar;
/// use generic_array::typenum::U8;
/// use neptune::Strength;
/// use neptune::hash_type::HashType;
///
/// let nodes = parameters::<Scalar, U8>(Strength::Standard, &HashType::MerkleTree)?;
/// assert_eq!(nodes.name(), "filecoin-arity-8");
/// assert_eq!(nodes.initial_state()[0][0], 255);
/// # Ok::<(), acclmt_neptune::BatcherError>(())
/// ```
pub fn parameters<F: DeviceField, A: Arity<F>>(
    strength: Strength,
    hash_type: &HashType<F, A>,
) -> Result<AnyParameters, BatcherError> {
    let arity = A::to_usize();
    if !(1..=MAX_ARITY).contains(&arity) {
        return Err(BatcherError::Arity {
            arity,
            most: MAX_ARITY,
        });
    }
    Kind::new(hash_type)?;
    let preset = presets::by_name(&F::preset(arity, strength))?;
    let mut state = preset.initial_state();
    state[0] = hash_type.domain_tag().to_repr();
    Ok(preset.with_initial_state(&state)?)
}

/// neptune's hash of arity `A` on a device, for batches: what `neptune::batch_hasher::Batcher` is for GPUs.
///
/// Clones use the same device. The type `D` is that of the device, [`SharedDevice`] says more.
pub struct Batcher<F: DeviceField, A: Arity<F>, D: Device + ?Sized = dyn Device + Send> {
    device: SharedDevice<D>,
    parameters: Arc<AnyParameters>,
    strength: Strength,
    kind: Kind,
    max_batch_size: usize,
    hash: PhantomData<fn() -> (F, A)>,
}

impl<F: DeviceField, A: Arity<F>, D: Device + ?Sized> Batcher<F, A, D> {
    /// The hash of the nodes of Merkle trees, of neptune's standard strength, in batches of up to
    /// `max_batch_size` hashes.
    ///
    /// # Errors
    ///
    /// When there is no such hash on the device.
    pub fn new(device: SharedDevice<D>, max_batch_size: usize) -> Result<Self, Error> {
        Self::with_strength(device, Strength::Standard, max_batch_size)
    }

    /// The same of another strength.
    ///
    /// # Errors
    ///
    /// When there is no such hash on the device.
    pub fn with_strength(
        device: SharedDevice<D>,
        strength: Strength,
        max_batch_size: usize,
    ) -> Result<Self, Error> {
        Self::with_strength_and_type(device, strength, HashType::MerkleTree, max_batch_size)
    }

    /// The same with the domain tag of another type of hash. A preimage of
    /// [`HashType::ConstantLength`] is a message with zeros behind it.
    ///
    /// # Errors
    ///
    /// When there is no such hash on the device.
    pub fn with_strength_and_type(
        device: SharedDevice<D>,
        strength: Strength,
        hash_type: HashType<F, A>,
        max_batch_size: usize,
    ) -> Result<Self, Error> {
        if max_batch_size == 0 {
            return Err(BatcherError::NoBatch.into());
        }
        let parameters = parameters(strength, &hash_type)?;
        check_device(&device, &parameters)?;
        Ok(Self {
            device,
            parameters: Arc::new(parameters),
            strength,
            kind: Kind::new(&hash_type)?,
            max_batch_size,
            hash: PhantomData,
        })
    }

    /// The device.
    pub fn device(&self) -> &SharedDevice<D> {
        &self.device
    }

    /// The parameter set that the device computes with.
    pub fn parameters(&self) -> &AnyParameters {
        &self.parameters
    }

    /// neptune's constants of the same hash.
    pub fn constants(&self) -> PoseidonConstants<F, A> {
        PoseidonConstants::new_with_strength_and_type(self.strength, self.kind.hash_type())
    }

    /// Elements of a message; those of a preimage behind them are 0.
    pub(crate) fn message_length(&self) -> usize {
        match self.kind {
            Kind::ConstantLength(length) => length,
            _ => A::to_usize(),
        }
    }

    /// The type of hash.
    pub(crate) fn kind(&self) -> Kind {
        self.kind
    }

    /// Refuses preimages that are no messages of a constant length with zeros behind them, where the type of
    /// hash asks for that.
    pub(crate) fn check(&self, preimages: &[GenericArray<F, A>]) -> Result<(), BatcherError> {
        let Kind::ConstantLength(length) = self.kind else {
            return Ok(());
        };
        for (index, preimage) in preimages.iter().enumerate() {
            let mut rest = preimage.iter().skip(length);
            if let Some(position) = rest.position(|element| *element != F::ZERO) {
                return Err(BatcherError::NotPadded {
                    index,
                    position: length + position,
                    length,
                });
            }
        }
        Ok(())
    }

    /// The digests of preimages, checked ones.
    pub(crate) fn digests(&self, preimages: &[GenericArray<F, A>]) -> Result<Vec<F>, BatcherError> {
        let mut all = Vec::with_capacity(preimages.len());
        self.batches(preimages, |digests| all.extend(digests))?;
        Ok(all)
    }

    /// Hands the digests of checked preimages over, batch by batch.
    fn batches(
        &self,
        preimages: &[GenericArray<F, A>],
        mut take: impl FnMut(&[F]),
    ) -> Result<(), BatcherError> {
        let mut device = self.device.lock()?;
        for batch in preimages.chunks(self.max_batch_size) {
            let inputs: Vec<Vec<Word>> = (batch.iter())
                .map(|preimage| preimage.iter().map(F::to_repr).collect())
                .collect();
            let report = device.hash(&self.parameters, &inputs, &mut NoProgress)?;
            if report.digests.len() != batch.len() {
                return Err(BatcherError::Nodes {
                    given: report.digests.len(),
                    expected: batch.len(),
                });
            }
            let digests: Result<Vec<F>, _> = report.digests.iter().map(|d| element(d)).collect();
            take(&digests?);
        }
        Ok(())
    }
}

/// Refuses devices that do not compute with the parameters.
fn check_device<D: Device + ?Sized>(
    device: &SharedDevice<D>,
    parameters: &AnyParameters,
) -> Result<(), BatcherError> {
    let device = device.lock()?;
    if !device.computes() {
        return Err(BatcherError::OnlyCycles(device.name().to_owned()));
    }
    Ok(device.supports(parameters).map_err(DeviceError::from)?)
}

/// The element that is the digest.
pub(crate) fn element<F: DeviceField>(digest: &[Word]) -> Result<F, BatcherError> {
    let [word] = digest else {
        return Err(BatcherError::Digest(format!("{} words", digest.len())));
    };
    (F::from_repr(*word).into_option()).ok_or_else(|| BatcherError::Digest(word::to_hex(word)))
}

impl<F: DeviceField, A: Arity<F>, D: Device + ?Sized> BatchHasher<F, A> for Batcher<F, A, D> {
    /// The digests of any number of preimages, which go to the device in batches.
    fn hash(&mut self, preimages: &[GenericArray<F, A>]) -> Result<Vec<F>, Error> {
        self.check(preimages)?;
        Ok(self.digests(preimages)?)
    }

    /// The same into `target_slice`, whose content counts only if there is no error. Another number of
    /// preimages is an error, not a panic as in neptune.
    fn hash_into_slice(
        &mut self,
        target_slice: &mut [F],
        preimages: &[GenericArray<F, A>],
    ) -> Result<(), Error> {
        if target_slice.len() != preimages.len() {
            return Err(BatcherError::Target {
                target: target_slice.len(),
                preimages: preimages.len(),
            }
            .into());
        }
        self.check(preimages)?;
        let mut rest = target_slice;
        self.batches(preimages, |digests| {
            let (part, others) = std::mem::take(&mut rest).split_at_mut(digests.len());
            part.copy_from_slice(digests);
            rest = others;
        })?;
        Ok(())
    }

    fn max_batch_size(&self) -> usize {
        self.max_batch_size
    }
}

impl<F: DeviceField, A: Arity<F>, D: Device + ?Sized> Clone for Batcher<F, A, D> {
    fn clone(&self) -> Self {
        Self {
            device: self.device.clone(),
            parameters: Arc::clone(&self.parameters),
            strength: self.strength,
            kind: self.kind,
            max_batch_size: self.max_batch_size,
            hash: PhantomData,
        }
    }
}

impl<F: DeviceField, A: Arity<F>, D: Device + ?Sized> fmt::Debug for Batcher<F, A, D> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Batcher")
            .field("device", &self.device)
            .field("parameters", &self.parameters.name())
            .field("strength", &self.strength)
            .field("kind", &self.kind)
            .field("max_batch_size", &self.max_batch_size)
            .finish_non_exhaustive()
    }
}

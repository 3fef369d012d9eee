//! The model as a device: the cycles of the model chip, the results of the software device.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::time::Duration;

use crate::chip::{Hardware, HardwareError, ModelChip};
use crate::stalls::Stalls;
use acclmt_driver::chip::ChipDevice;
use acclmt_driver::device::{
    CommitReport, CommitRequest, Device, DeviceError, EnginePlan, HashReport, LeafSource,
    NoProgress, PermuteReport, Progress, Unsupported, Zeros,
};
use acclmt_driver::messages::hash_messages_with;
use acclmt_driver::nodes::{NoNodes, NodeSink};
use acclmt_driver::sharing::Sharing;
use acclmt_driver::software::SoftwareDevice;
use acclmt_driver::timeline::TimelineSink;
use acclmt_poseidon::fields::{AnyParameters, FieldId};
use acclmt_poseidon::sponge::Sponge;
use acclmt_poseidon::word::Word;

/// A chip of every field: the cycles of the model, and the results of the software reference.
pub struct ModelDevice {
    hardware: Hardware,
    /// One for each large prime, as a build of the RTL has one.
    chips: BTreeMap<&'static str, ChipDevice<ModelChip>>,
    computes: bool,
    stalls: Stalls,
    row_group: Option<usize>,
    sharing: Option<Sharing>,
}

impl ModelDevice {
    /// A device of chips that are built like `hardware`, with the prime that a parameter set needs.
    ///
    /// # Errors
    ///
    /// When no chip can be built like this.
    pub fn new(hardware: Hardware) -> Result<Self, HardwareError> {
        hardware.check()?;
        Ok(Self {
            hardware,
            chips: BTreeMap::new(),
            computes: true,
            stalls: Stalls::default(),
            row_group: None,
            sharing: None,
        })
    }

    /// Whether results are computed. Without them every element of a result is 0, and of the leaves only
    /// the number counts: nothing is read from their source.
    #[must_use]
    pub fn with_results(mut self, computes: bool) -> Self {
        self.computes = computes;
        self
    }

    /// With these stalls of the input and of the output, see [`ModelChip::set_host`].
    #[must_use]
    pub fn with_stalls(mut self, stalls: Stalls) -> Self {
        self.stalls = stalls;
        self
    }

    /// With so many rows under way together, see [`ChipDevice::set_row_group`].
    #[must_use]
    pub fn with_row_group(mut self, rows: Option<usize>) -> Self {
        self.row_group = rows;
        self
    }

    /// With hash engines that are used like this, see [`ChipDevice::set_sharing`].
    #[must_use]
    pub fn with_sharing(mut self, sharing: Option<Sharing>) -> Self {
        self.sharing = sharing;
        self
    }

    /// What the chip of a parameter set is built like.
    fn hardware_for(&self, parameters: &AnyParameters) -> Hardware {
        let field = match parameters.field() {
            FieldId::Goldilocks => self.hardware.field,
            field => field,
        };
        Hardware {
            field,
            ..self.hardware
        }
    }

    fn unsupported(error: &dyn std::error::Error) -> Unsupported {
        Unsupported {
            device: "model".to_owned(),
            reason: error.to_string(),
        }
    }

    fn new_chip(&self, parameters: &AnyParameters) -> Result<ChipDevice<ModelChip>, Unsupported> {
        let mut chip = Self::build(self.hardware_for(parameters), &self.stalls, self.row_group)?;
        chip.set_sharing(self.sharing);
        Ok(chip)
    }

    fn build(
        hardware: Hardware,
        stalls: &Stalls,
        row_group: Option<usize>,
    ) -> Result<ChipDevice<ModelChip>, Unsupported> {
        let mut chip = ModelChip::new(hardware).map_err(|error| Self::unsupported(&error))?;
        chip.set_host(stalls)
            .map_err(|error| Self::unsupported(&error))?;
        let mut device = ChipDevice::new(chip).map_err(|error| Self::unsupported(&error))?;
        device.set_row_group(row_group);
        Ok(device)
    }

    /// The chip that has the prime of a parameter set.
    fn chip(
        &mut self,
        parameters: &AnyParameters,
    ) -> Result<&mut ChipDevice<ModelChip>, Unsupported> {
        let hardware = self.hardware_for(parameters);
        let (stalls, row_group, sharing) = (self.stalls, self.row_group, self.sharing);
        match self.chips.entry(hardware.field.name()) {
            Entry::Occupied(entry) => Ok(entry.into_mut()),
            Entry::Vacant(entry) => {
                let chip = entry.insert(Self::build(hardware, &stalls, row_group)?);
                chip.set_sharing(sharing);
                Ok(chip)
            }
        }
    }
}

/// Wants the nodes that another sink wants, and drops them.
struct Wanted<'a>(&'a dyn NodeSink);

impl NodeSink for Wanted<'_> {
    fn wants(&self, level: u32) -> bool {
        self.0.wants(level)
    }

    fn node(&mut self, _level: u32, _index: u64, _digest: &[Word]) -> Result<(), DeviceError> {
        Ok(())
    }
}

/// So many lists of zeros as there are lists.
fn zeros(lists: &[Vec<Word>]) -> Vec<Vec<Word>> {
    let list = |list: &Vec<Word>| vec![Word::default(); list.len()];
    lists.iter().map(list).collect()
}

impl Device for ModelDevice {
    fn name(&self) -> &str {
        "model"
    }

    fn supports(&self, parameters: &AnyParameters) -> Result<(), Unsupported> {
        self.new_chip(parameters)?.supports(parameters)
    }

    fn notes(&self, parameters: &AnyParameters) -> Vec<String> {
        let chip = self.new_chip(parameters);
        chip.map_or_else(|_| parameters.warnings(), |chip| chip.notes(parameters))
    }

    fn engine_plan(&self, parameters: &AnyParameters) -> Result<Option<EnginePlan>, Unsupported> {
        self.new_chip(parameters)?.engine_plan(parameters)
    }

    fn num_engines(&self) -> Option<usize> {
        Some(self.hardware.num_engines)
    }

    fn node_memory_bytes(&self) -> Option<u64> {
        Some(u64::from(self.hardware.node_words) * size_of::<Word>() as u64)
    }

    fn commit_notes(&mut self, request: &CommitRequest<'_>) -> Vec<String> {
        let chip = self.chip(request.parameters);
        chip.map_or_else(|_| Vec::new(), |chip| chip.commit_notes(request))
    }

    /// That of the results: the cycles take less.
    fn commit_time(&mut self, request: &CommitRequest<'_>) -> Option<Duration> {
        let computes = self.computes;
        computes.then(|| SoftwareDevice::new().commit_time(request))?
    }

    fn hash_time(
        &mut self,
        parameters: &AnyParameters,
        runs: u64,
        hashes: u64,
    ) -> Option<Duration> {
        let computes = self.computes;
        computes.then(|| SoftwareDevice::new().hash_time(parameters, runs, hashes))?
    }

    fn computes(&self) -> bool {
        self.computes
    }

    fn commit(
        &mut self,
        request: &CommitRequest<'_>,
        source: &mut dyn LeafSource,
        nodes: &mut dyn NodeSink,
        progress: &mut dyn Progress,
    ) -> Result<CommitReport, DeviceError> {
        let computes = self.computes;
        let chip = self.chip(request.parameters)?;
        if !computes {
            return chip.commit(request, &mut Zeros, &mut NoNodes, progress);
        }
        let timed = chip.commit(request, &mut Zeros, &mut Wanted(nodes), &mut NoProgress)?;
        let report = SoftwareDevice::new().commit(request, source, nodes, progress)?;
        Ok(CommitReport {
            counters: timed.counters,
            ..report
        })
    }

    fn count_within(
        &mut self,
        request: &CommitRequest<'_>,
        leaves: u64,
        progress: &mut dyn Progress,
    ) -> Result<Option<CommitReport>, DeviceError> {
        if self.computes {
            let report = self.commit(request, &mut Zeros, &mut NoNodes, progress)?;
            return Ok(Some(report));
        }
        // On a chip of its own, as it may be left in the midst of the run.
        let mut chip = self.new_chip(request.parameters)?;
        chip.port().simulate_at_most(leaves);
        let counted = chip.commit(request, &mut Zeros, &mut NoNodes, progress);
        match counted {
            Err(_) if chip.port().has_given_up() => Ok(None),
            counted => counted.map(Some),
        }
    }

    /// On a chip of its own, as the other runs leave none behind.
    fn timeline(
        &mut self,
        request: &CommitRequest<'_>,
        sink: &mut dyn TimelineSink,
        progress: &mut dyn Progress,
    ) -> Result<u64, DeviceError> {
        self.new_chip(request.parameters)?
            .timeline(request, sink, progress)
    }

    fn hash(
        &mut self,
        parameters: &AnyParameters,
        inputs: &[Vec<Word>],
        progress: &mut dyn Progress,
    ) -> Result<HashReport, DeviceError> {
        let computes = self.computes;
        let chip = self.chip(parameters)?;
        let timed = chip.hash(parameters, &zeros(inputs), &mut NoProgress)?;
        if !computes {
            return Ok(timed);
        }
        let report = SoftwareDevice::new().hash(parameters, inputs, progress)?;
        Ok(HashReport {
            counters: timed.counters,
            ..report
        })
    }

    fn hash_rows(
        &mut self,
        parameters: &AnyParameters,
        sponge: &Sponge,
        rows: &[Vec<Word>],
        _progress: &mut dyn Progress,
    ) -> Result<Option<HashReport>, DeviceError> {
        let computes = self.computes;
        let chip = self.chip(parameters)?;
        let timed = chip.hash_rows(parameters, sponge, &zeros(rows), &mut NoProgress)?;
        let Some(timed) = timed.filter(|_| computes) else {
            return Ok(None);
        };
        let software = &mut SoftwareDevice::new();
        Ok(Some(HashReport {
            digests: hash_messages_with(software, parameters, sponge, rows)?,
            counters: timed.counters,
        }))
    }

    fn permute(
        &mut self,
        parameters: &AnyParameters,
        states: &[Vec<Word>],
        progress: &mut dyn Progress,
    ) -> Result<PermuteReport, DeviceError> {
        let computes = self.computes;
        let chip = self.chip(parameters)?;
        let timed = chip.permute(parameters, &zeros(states), &mut NoProgress)?;
        if !computes {
            return Ok(timed);
        }
        let report = SoftwareDevice::new().permute(parameters, states, progress)?;
        Ok(PermuteReport {
            counters: timed.counters,
            ..report
        })
    }
}

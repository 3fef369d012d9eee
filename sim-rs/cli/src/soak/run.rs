//! Runs a case, and compares it with the reference and with the model.

use acclmt_driver::chip::ChipDevice;
use acclmt_driver::device::{
    CommitRequest, Counters, Device, DeviceError, LeafRule, NoProgress, WordSource,
};
use acclmt_driver::nodes::NoNodes;
use acclmt_driver::software::SoftwareDevice;
use acclmt_merkle::shape::Padding;
use acclmt_poseidon::fields::{AnyParameters, FieldId};
use acclmt_poseidon::word::Word;
use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use super::case::{Before, Case, Leaf, Missing, Set, Work};
use crate::backends::{BackendFactory, BackendOptions, MODEL};

/// What came of a case that was right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Done {
    /// Hashes that were compared with the reference.
    pub hashes: u64,
    /// Cycles that the device counted, and whether they were compared with the model's.
    pub cycles: u64,
    pub compared: bool,
    /// The device does not support it, or there is no such tree: nothing was compared.
    pub refused: bool,
}

/// Results, and the counters of a device that has some.
type Results = (Vec<Vec<Word>>, Option<Counters>, u64);

/// What the device of an earlier case was opened with, and that device: states are carried from case to case.
type Kept = Option<(BackendOptions, Box<dyn Device + Send>)>;

/// Runs cases on a backend.
pub struct Runner<'a> {
    backends: &'a dyn BackendFactory,
    backend: &'a str,
    /// Whether the backend is a chip of this program, whose pace and use can be chosen.
    chooses: bool,
    kept: Kept,
}

impl<'a> Runner<'a> {
    pub fn new(backends: &'a dyn BackendFactory, backend: &'a str) -> Self {
        let chooses = backends.names().contains(&backend) && backend != crate::backends::SOFTWARE;
        Self {
            backends,
            backend,
            chooses,
            kept: None,
        }
    }

    /// The fields that the device computes in.
    pub fn fields(&mut self) -> Result<Vec<FieldId>, String> {
        let device = self.device(&BackendOptions::default())?;
        let supported = |field: FieldId| {
            let sets = acclmt_poseidon::presets::all().iter();
            sets.filter(|preset| preset.field() == field)
                .any(|preset| device.supports(preset.parameters()).is_ok())
        };
        Ok(FieldId::ALL
            .into_iter()
            .filter(|&field| supported(field))
            .collect())
    }

    fn options(&self, case: &Case) -> Result<BackendOptions, String> {
        if !self.chooses {
            return Ok(BackendOptions::default());
        }
        Ok(BackendOptions {
            sharing: Some(case.sharing.parse().map_err(|error| format!("{error}"))?),
            row_group: case.row_group,
            stalls: Some(case.stalls()),
            ..BackendOptions::default()
        })
    }

    /// The device of the last case, if it was opened with these options, or a new one.
    fn device(&mut self, options: &BackendOptions) -> Result<&mut (dyn Device + Send), String> {
        if self.kept.as_ref().is_none_or(|(kept, _)| kept != options) {
            let device = self
                .backends
                .open(self.backend, options)
                .map_err(|error| error.to_string())?;
            self.kept = Some((options.clone(), device));
        }
        let (_, device) = self.kept.as_mut().ok_or("there is no device")?;
        Ok(device.as_mut())
    }

    /// Runs a case: what was done, or what is wrong with it.
    pub fn run(&mut self, case: &Case) -> Result<Done, String> {
        let parameters = match (case.parameters(), &case.set) {
            (Ok(parameters), _) => parameters,
            // Small integers make a singular matrix now and then.
            (Err(_), Set::Random { .. }) => {
                return Ok(Done {
                    refused: true,
                    ..Done::default()
                });
            }
            (Err(error), Set::Preset(_)) => return Err(error),
        };
        let result = match case.work {
            Work::Registers(writes) => self.registers(case, &parameters, writes),
            _ => self.compute(case, &parameters),
        };
        if result.is_err() {
            // What is left of it is of no use to the next case.
            self.kept = None;
        }
        result
    }

    fn compute(&mut self, case: &Case, parameters: &AnyParameters) -> Result<Done, String> {
        let mut reference = SoftwareDevice::new();
        let expected = match results(&mut reference, case, parameters) {
            Ok(expected) => expected,
            // A tree that does not exist, a set without a sponge.
            Err(error) => return self.refuses(case, parameters, &error),
        };
        let options = self.options(case)?;
        let device = self.device(&options)?;
        if device.supports(parameters).is_err() {
            return Ok(Done {
                refused: true,
                ..Done::default()
            });
        }
        before(device, case, parameters)?;
        let found = match results(device, case, parameters) {
            Ok(found) => found,
            Err(DeviceError::Unsupported(_)) => {
                return Ok(Done {
                    refused: true,
                    ..Done::default()
                });
            }
            Err(error) => return Err(format!("it failed: {error}")),
        };
        compare(&found.0, &expected.0)?;
        let mut done = Done {
            hashes: found.2,
            ..Done::default()
        };
        if let Some(counters) = found.1 {
            done.cycles = counters.cycles;
            // Random pauses go on from where the cycles before the run left them, of which the model has not as many.
            let pauses = case.stalls_in != 0.0 || case.stalls_out != 0.0;
            let alike = case.before == Before::Nothing || !pauses;
            if self.backend != MODEL && self.chooses && alike {
                let mut model = self
                    .backends
                    .open(MODEL, &options)
                    .map_err(|error| error.to_string())?;
                before(model.as_mut(), case, parameters)?;
                let modelled = results(model.as_mut(), case, parameters);
                let modelled = modelled.map_err(|error| format!("the model failed: {error}"))?;
                if modelled.1.as_ref() != Some(&counters) {
                    return Err(format!(
                        "the model counts {:?}, the chip {counters:?}",
                        modelled.1
                    ));
                }
                done.compared = true;
            }
        }
        Ok(done)
    }

    /// What the reference refuses the device must refuse as well.
    fn refuses(
        &mut self,
        case: &Case,
        parameters: &AnyParameters,
        error: &DeviceError,
    ) -> Result<Done, String> {
        let options = self.options(case)?;
        let device = self.device(&options)?;
        match results(device, case, parameters) {
            Err(_) => Ok(Done {
                refused: true,
                ..Done::default()
            }),
            Ok(_) => Err(format!(
                "the reference refuses it ({error}), the device does not"
            )),
        }
    }

    /// Writes and reads anything on a chip; then it has to hash as if nothing had been.
    fn registers(
        &mut self,
        case: &Case,
        parameters: &AnyParameters,
        writes: usize,
    ) -> Result<Done, String> {
        let Ok(mut chip) = self
            .backends
            .open_chip(self.backend, &BackendOptions::default())
        else {
            return Ok(Done {
                refused: true,
                ..Done::default()
            });
        };
        let mut random = ChaCha8Rng::seed_from_u64(case.seed);
        for _ in 0..writes {
            // Registers more than other addresses; small values, single bits and any.
            let address = match random.gen_range(0..4) {
                0 => random.r#gen(),
                _ => 4 * random.gen_range(0..0x200_u32),
            };
            let value: u32 = match random.gen_range(0..3) {
                0 => random.gen_range(0..16),
                1 => 1 << random.gen_range(0..32),
                _ => random.r#gen(),
            };
            let done = match random.gen_range(0..4) {
                0 => chip.read_register(address).map(drop),
                1 => chip
                    .transfer(&[Word::default()], &mut Vec::new(), 20)
                    .map(drop),
                _ => chip.write_register(address, value),
            };
            done.map_err(|error| format!("the port failed: {error}"))?;
        }
        let mut device =
            ChipDevice::new(chip).map_err(|error| format!("no device behind that: {error}"))?;
        if device.supports(parameters).is_err() {
            return Ok(Done {
                refused: true,
                ..Done::default()
            });
        }
        let inputs = [case.elements(parameters.field(), parameters.inputs())];
        let hash = |device: &mut dyn Device| device.hash(parameters, &inputs, &mut NoProgress);
        let expected = hash(&mut SoftwareDevice::new()).map_err(|error| error.to_string())?;
        let found = hash(&mut device).map_err(|error| format!("it failed: {error}"))?;
        compare(&found.digests, &expected.digests)?;
        Ok(Done {
            hashes: 1,
            cycles: found.cycles().unwrap_or_default(),
            ..Done::default()
        })
    }
}

/// What happens to the device before the case, which is to change nothing.
fn before(device: &mut dyn Device, case: &Case, parameters: &AnyParameters) -> Result<(), String> {
    // A set whose hash takes less than a digest makes no tree, but a leaf.
    let leaves = parameters.arity().max(1).pow(2) as u64;
    let request = CommitRequest::new(parameters, LeafRule::Hash(parameters), leaves);
    let whole = usize::try_from(leaves).unwrap_or_default() * parameters.inputs();
    let mut elements = case.elements(parameters.field(), whole);
    match case.before {
        Before::Nothing => return Ok(()),
        Before::Zeroise => {
            device
                .zeroise()
                .map_err(|error| format!("no zeroisation: {error}"))?;
            return Ok(());
        }
        Before::InputEnds(after) => elements.truncate(after.min(whole - 1)),
        Before::BadElement => elements[whole / 2] = parameters.field().prime(),
    }
    // A tree of some arities and sets does not exist, and is refused before.
    match device.commit(
        &request,
        &mut WordSource(&elements),
        &mut NoNodes,
        &mut NoProgress,
    ) {
        Ok(_) => Err(format!("a run with {:?} is accepted", case.before)),
        Err(_) => Ok(()),
    }
}

/// Computes a case on a device.
fn results(
    device: &mut dyn Device,
    case: &Case,
    parameters: &AnyParameters,
) -> Result<Results, DeviceError> {
    let field = parameters.field();
    let parts = |length: usize, count: usize| -> Vec<Vec<Word>> {
        let elements = case.elements(field, length * count);
        elements.chunks(length).map(<[_]>::to_vec).collect()
    };
    match case.work {
        Work::Hashes(count) => {
            let report = device.hash(
                parameters,
                &parts(parameters.inputs(), count),
                &mut NoProgress,
            )?;
            Ok((report.digests, report.counters, count as u64))
        }
        Work::Permutations(count) => {
            let report = device.permute(
                parameters,
                &parts(parameters.width(), count),
                &mut NoProgress,
            )?;
            Ok((report.states, report.counters, count as u64))
        }
        Work::Tree {
            leaf,
            leaves,
            higher,
            cap,
            missing,
        } => {
            let rule = match leaf {
                Leaf::Digest => LeafRule::Digest,
                Leaf::Hash => LeafRule::Hash(parameters),
                Leaf::Row(columns) => LeafRule::Row {
                    parameters,
                    columns,
                },
            };
            let digest = case.elements(field, parameters.digest_length());
            let mut request = CommitRequest::new(parameters, rule, leaves);
            request.padding = match missing {
                Missing::Leaf => Padding::Leaf(&digest),
                Missing::SubTree => Padding::SubTree(&digest),
            };
            let height = request.shape()?.height() + higher;
            request.height = Some(height);
            request.cap_height = cap.min(height);
            let count = usize::try_from(leaves).unwrap_or_default() * request.leaf_length();
            let elements = case.elements(field, count);
            let mut source = WordSource(&elements);
            let report = device.commit(&request, &mut source, &mut NoNodes, &mut NoProgress)?;
            Ok((report.cap, report.counters, report.hashes))
        }
        Work::Registers(_) => Ok((Vec::new(), None, 0)),
    }
}

fn compare(found: &[Vec<Word>], expected: &[Vec<Word>]) -> Result<(), String> {
    if found.len() != expected.len() {
        return Err(format!(
            "{} results, expected {}",
            found.len(),
            expected.len()
        ));
    }
    match found
        .iter()
        .zip(expected)
        .position(|(found, expected)| found != expected)
    {
        None => Ok(()),
        Some(index) => Err(format!(
            "result {index} is {}, expected {}",
            crate::console::hex(&found[index]).join(" "),
            crate::console::hex(&expected[index]).join(" ")
        )),
    }
}

//! `acclmt presets`: the named parameter sets.

use clap::Args;
use serde::Serialize;

use crate::console::Console;
use crate::console::hex;
use crate::error::CommandError;
use acclmt_poseidon::fields::AnyParameters;
use acclmt_poseidon::params::RoundOrder;
use acclmt_poseidon::presets::{self, Preset as NamedPreset};
use acclmt_poseidon::word;

/// List the named parameter sets
#[derive(Args)]
pub struct PresetsArguments {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// A parameter set, in its JSON form.
#[derive(Serialize)]
struct Preset<'a> {
    name: &'a str,
    description: &'a str,
    field: &'a str,
    prime: String,
    width: usize,
    alpha: u64,
    full_rounds: usize,
    full_rounds_first: usize,
    full_rounds_last: usize,
    partial_rounds: usize,
    round_order: &'static str,
    partial_index: usize,
    arity: usize,
    inputs: usize,
    digest_length: usize,
    initial_state: Vec<String>,
    input_positions: &'a [usize],
    digest_positions: &'a [usize],
}

impl<'a> Preset<'a> {
    fn new(preset: &'a NamedPreset, parameters: &'a AnyParameters) -> Self {
        Self {
            name: preset.name(),
            description: preset.description(),
            field: preset.field().name(),
            prime: word::to_hex(&parameters.prime()),
            width: parameters.width(),
            alpha: parameters.alpha(),
            full_rounds: parameters.full_rounds(),
            full_rounds_first: parameters.full_rounds_first(),
            full_rounds_last: parameters.full_rounds_last(),
            partial_rounds: parameters.partial_rounds(),
            round_order: match parameters.round_order() {
                RoundOrder::ConstantsFirst => "constants-sbox-matrix",
                RoundOrder::SboxFirst => "sbox-matrix-constants",
            },
            partial_index: parameters.partial_index(),
            arity: parameters.arity(),
            inputs: parameters.inputs(),
            digest_length: parameters.digest_length(),
            initial_state: hex(&parameters.initial_state()),
            input_positions: parameters.input_positions(),
            digest_positions: parameters.digest_positions(),
        }
    }
}

/// The result of the command, in its JSON form.
#[derive(Serialize)]
struct Presets<'a> {
    presets: Vec<Preset<'a>>,
}

pub fn run(arguments: &PresetsArguments, console: &mut Console<'_>) -> Result<(), CommandError> {
    let presets = presets::all()
        .iter()
        .map(|preset| Preset::new(preset, preset.parameters()))
        .collect();
    let presets = Presets { presets };
    if arguments.json {
        console.json(&presets)?;
        return Ok(());
    }
    let name_width = presets
        .presets
        .iter()
        .map(|preset| preset.name.len())
        .max()
        .unwrap_or_default();
    console.line(format!(
        "{:<name_width$}  {:<10}  inputs  digest  width  S-box  full rounds  partial rounds  source",
        "name", "field"
    ))?;
    for preset in &presets.presets {
        console.line(format!(
            "{:<name_width$}  {:<10}  {:>6}  {:>6}  {:>5}  {:>5}  {:>11}  {:>14}  {}",
            preset.name,
            preset.field,
            preset.inputs,
            preset.digest_length,
            preset.width,
            format!("x^{}", preset.alpha),
            format!("{} + {}", preset.full_rounds_first, preset.full_rounds_last),
            preset.partial_rounds,
            preset.description
        ))?;
    }
    Ok(())
}

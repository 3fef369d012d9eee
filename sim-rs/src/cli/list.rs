//! `acclmt presets`: the named parameter sets.

use serde::Serialize;

use super::console::Console;
use super::{CommandError, PresetsArguments};
use crate::params::PoseidonParameters;
use crate::{presets, word};

/// A parameter set, in its JSON form.
#[derive(Serialize)]
struct Preset<'a> {
    name: &'a str,
    field: &'a str,
    prime: String,
    arity: usize,
    width: usize,
    alpha: u64,
    full_rounds: usize,
    partial_rounds: usize,
    domain_tag: String,
    digest_index: usize,
}

/// The result of the command, in its JSON form.
#[derive(Serialize)]
struct Presets<'a> {
    presets: Vec<Preset<'a>>,
}

pub fn run(arguments: &PresetsArguments, console: &mut Console<'_>) -> Result<(), CommandError> {
    if arguments.json {
        let presets = presets::all()
            .iter()
            .map(|preset| Preset {
                name: preset.name(),
                field: preset.field_name(),
                prime: word::to_hex(&preset.prime()),
                arity: preset.arity(),
                width: preset.width(),
                alpha: preset.alpha(),
                full_rounds: preset.full_rounds(),
                partial_rounds: preset.partial_rounds(),
                domain_tag: word::to_hex(&word::from_field(preset.tag())),
                digest_index: preset.digest_index(),
            })
            .collect();
        console.json(&Presets { presets })?;
        return Ok(());
    }
    let name_width = presets::all()
        .iter()
        .map(PoseidonParameters::name)
        .chain(["name"])
        .map(str::len)
        .max()
        .unwrap_or_default();
    console.line(format!(
        "{:<name_width$}  {:<9}  arity  width  S-box  full rounds  partial rounds",
        "name", "field"
    ))?;
    for preset in presets::all() {
        console.line(format!(
            "{:<name_width$}  {:<9}  {:>5}  {:>5}  {:>5}  {:>11}  {:>14}",
            preset.name(),
            preset.field_name(),
            preset.arity(),
            preset.width(),
            format!("x^{}", preset.alpha()),
            preset.full_rounds(),
            preset.partial_rounds()
        ))?;
    }
    Ok(())
}

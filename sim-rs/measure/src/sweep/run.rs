//! Measures a point.

use super::kind::Measure;
use super::point::{HASHES, Point};
use super::row::Measured;
use crate::measurement::{engine_plan, measure_engine, measure_tree};
use acclmt_driver::device::{CommitRequest, Device, LeafKind, LeafKindError, NoProgress};
use acclmt_driver::level_table::standard_tree;
use acclmt_driver::sharing::SharingError;
use acclmt_poseidon::fields::AnyParameters;

/// Measures a point on a device that is built like it.
///
/// # Errors
///
/// When nothing can be measured; the text says why.
pub fn measure(point: &Point, device: &mut dyn Device) -> Result<Measured, String> {
    let parameters = point.parameters()?;
    let plan = engine_plan(device, &parameters).map_err(|error| error.to_string())?;
    let common = Measured {
        parameters: Some(parameters.name().to_owned()),
        arity: Some(parameters.arity()),
        state_width: Some(parameters.width()),
        period: Some(plan.period),
        ..Measured::default()
    };
    match point.measure {
        Measure::Engine => engine_row(point, &parameters, common, device),
        Measure::Tree => tree_row(point, &parameters, common, device),
    }
}

fn engine_row(
    point: &Point,
    parameters: &AnyParameters,
    common: Measured,
    device: &mut dyn Device,
) -> Result<Measured, String> {
    let hashes = point.hashes.unwrap_or(HASHES);
    let engine = measure_engine(device, parameters, hashes, &mut NoProgress)
        .map_err(|error| error.to_string())?;
    Ok(Measured {
        cycles_per_hash: Some(engine.cycles_per_hash),
        latency_cycles: Some(engine.latency_cycles),
        ..common
    })
}

fn tree_row(
    point: &Point,
    parameters: &AnyParameters,
    common: Measured,
    device: &mut dyn Device,
) -> Result<Measured, String> {
    let standard = standard_tree(parameters.arity());
    let leaves = point.leaves.unwrap_or(standard);
    let kind: LeafKind = (point.leaf.parse()).map_err(|error: LeafKindError| error.to_string())?;
    let rule = kind.rule(parameters);
    let sharing = point.sharing.as_deref().map(str::parse).transpose();
    let request = CommitRequest {
        sharing: sharing.map_err(|error: SharingError| error.to_string())?,
        ..CommitRequest::new(parameters, rule, leaves)
    };
    if point.row_group.is_some() && request.leaf_hashes() == 1 {
        return Err(format!(
            "row_group does not apply to leaves of one block, such as '{}' of '{}'; leave it out",
            point.leaf,
            parameters.name()
        ));
    }
    let (tree, counters) = measure_tree(device, &request, standard, &mut NoProgress)
        .map_err(|error| error.to_string())?;
    Ok(Measured {
        tree_leaves: Some(leaves),
        cycles: Some(tree.cycles),
        cycles_per_leaf: Some(tree.cycles_per_leaf),
        lhe_utilisation: Some(tree.lhe_utilisation),
        rhe_utilisation: Some(tree.rhe_utilisation),
        stall_in: Some(counters.stall_in),
        missing_in: Some(counters.missing_in),
        stall_leaf: Some(counters.stall_leaf),
        starved_root: Some(counters.starved_root),
        high_water: Some(counters.high_water),
        simulated_leaves: tree.simulated_leaves,
        ..common
    })
}

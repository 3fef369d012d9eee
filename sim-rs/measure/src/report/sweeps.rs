//! Sweeps as sections of a report.

use std::collections::BTreeSet;

use super::document::{Block, Figure, Section, Table};
use super::figures::{
    Axis, Chart, FigureError, MOST_LINES, Series, panels, power_of_two, range_of, short,
};
use crate::clocks::ASAP7;
use crate::measurement::{CLOCK_HZ, milliseconds};
use crate::sweep::{Measure, Row};
use acclmt_driver::program::engine_multipliers;

/// A line of a figure: its label and its points.
type Line = (String, Vec<(f64, f64)>);

/// Rows of a table; of more the rest is left to the files of the sweep.
const MOST_ROWS: usize = 200;

/// The sections of a sweep: nothing if it has no rows.
pub(super) fn sections(name: &str, rows: &[Row]) -> Result<Vec<Section>, FigureError> {
    let mut sections = Vec::new();
    for (measure, title) in [(Measure::Engine, "hash engines"), (Measure::Tree, "trees")] {
        let rows: Vec<_> = rows
            .iter()
            .filter(|row| row.point.measure == measure)
            .collect();
        if rows.is_empty() {
            continue;
        }
        let mut blocks = vec![Block::Text(origin(&rows))];
        blocks.extend(match measure {
            Measure::Engine => engines(name, &rows)?,
            Measure::Tree => trees(name, &rows)?,
        });
        blocks.extend(errors(&rows));
        sections.push(Section {
            title: format!("Sweep {name}: {title}"),
            blocks,
        });
    }
    Ok(sections)
}

/// Values in the order in which they come, each once.
fn distinct<T: PartialEq>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut distinct = Vec::new();
    for value in values {
        if !distinct.contains(&value) {
            distinct.push(value);
        }
    }
    distinct
}

/// The most names that a sentence lists.
const MOST_NAMES: usize = 12;

/// Where rows come from: backends and parameter sets.
fn origin(rows: &[&Row]) -> String {
    let list = |names: Vec<String>| {
        let more = names.len().saturating_sub(MOST_NAMES);
        let names: Vec<_> = (names.iter().take(MOST_NAMES))
            .map(|name| format!("`{name}`"))
            .collect();
        let more = match more {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        format!("{}{more}", names.join(", "))
    };
    let backends = distinct(rows.iter().map(|row| row.backend.clone()));
    let sets = distinct(rows.iter().filter_map(|row| {
        let of_point = row.point.preset.as_ref();
        of_point.or(row.result.parameters.as_ref()).cloned()
    }));
    let sets = if sets.is_empty() {
        String::new()
    } else {
        format!(", parameter sets: {}", list(sets))
    };
    format!(
        "{} points, measured on the backend {}{sets}.",
        rows.len(),
        list(backends)
    )
}

/// The most reasons that are listed.
const MOST_REASONS: usize = 5;

/// How many points could not be measured, and why.
fn errors(rows: &[&Row]) -> Option<Block> {
    let errors: Vec<&str> = (rows.iter())
        .filter_map(|row| row.error.as_deref())
        .collect();
    if errors.is_empty() {
        return None;
    }
    let reasons = distinct(errors.iter().copied());
    let mut text = format!(
        "{} of {} points could not be measured: {}",
        errors.len(),
        rows.len(),
        reasons[..reasons.len().min(MOST_REASONS)].join("; ")
    );
    if reasons.len() > MOST_REASONS {
        text += &format!("; and for {} other reasons", reasons.len() - MOST_REASONS);
    }
    Some(Block::Text(text + ". Each reason stands in rows.csv."))
}

/// What a row measured, by which rows are told apart.
fn parameters(row: &Row) -> String {
    row.result.parameters.clone().unwrap_or_default()
}

/// A point of a front: cost, hash rate, and the sub-engines.
type Point = (f64, f64, (usize, usize));

/// Multipliers and squarers of a hash engine.
fn multipliers(row: &Row) -> f64 {
    engine_multipliers(row.point.num_full, row.point.num_partial) as f64
}

/// What an engine costs: its area in mm² where all rows have one, else its multipliers and squarers.
fn cost(row: &Row, has_areas: bool) -> f64 {
    match row.area.area_um2 {
        Some(area) if has_areas => area / 1e6,
        _ => multipliers(row),
    }
}

/// The points that no other point beats in both cost and rate, by cost.
fn front(points: &[Point]) -> Vec<Point> {
    let mut points = points.to_vec();
    points.sort_by(|a, b| a.0.total_cmp(&b.0).then(b.1.total_cmp(&a.1)));
    let mut best = 0.0;
    points.retain(|point| {
        let better = point.1 > best * 1.005;
        if better {
            best = point.1;
        }
        better
    });
    points
}

fn engines(name: &str, rows: &[&Row]) -> Result<Vec<Block>, FigureError> {
    let has_areas = rows.iter().all(|row| row.area.area_um2.is_some());
    let library = rows.first().and_then(|row| row.area.area_library.clone());
    let library = library.unwrap_or_default();
    let (cost_head, cost_axis) = if has_areas {
        (
            "area,\nmm²",
            format!("area of a hash engine in mm² ({library})"),
        )
    } else {
        (
            "multipliers and\nsquarers",
            "multipliers and squarers of a hash engine".to_owned(),
        )
    };
    // In the order of the rows, which is that of the specification.
    let mut fronts: Vec<((usize, String), Vec<Point>)> = Vec::new();
    for row in rows {
        let (Some(cycles), Some(arity)) = (row.result.cycles_per_hash, row.result.arity) else {
            continue;
        };
        let rate = CLOCK_HZ as f64 / cycles / 1e6;
        let point = (
            cost(row, has_areas),
            rate,
            (row.point.num_full, row.point.num_partial),
        );
        let set = (arity, parameters(row));
        match fronts.iter_mut().find(|(other, _)| *other == set) {
            Some((_, points)) => points.push(point),
            None => fronts.push((set, vec![point])),
        }
    }
    let mut table = Table::new([
        "parameter set",
        "arity",
        "sub-engines,\nfull + partial",
        cost_head,
        "Mhash/s at\n500 MHz",
        &ASAP7.head("Mhash/s"),
        if has_areas {
            "khash/s\nper mm²"
        } else {
            "khash/s\nfor each"
        },
    ]);
    let mut charts = Vec::new();
    for ((arity, parameters), points) in &fronts {
        let front = front(points);
        for (cost, rate, (full, partial)) in &front {
            table.rows.push(vec![
                parameters.clone(),
                arity.to_string(),
                format!("{full} + {partial}"),
                short(*cost),
                format!("{rate:.2}"),
                format!("{:.2}", ASAP7.rate(CLOCK_HZ as f64 / rate / 1e6) / 1e6),
                short((1e3 * rate / cost).round()),
            ]);
        }
        let most = |value: fn(&Point) -> f64| points.iter().map(value).fold(0.0, f64::max);
        let of = |full: usize| {
            let points = points.iter().filter(move |point| point.2.0 == full);
            points.map(|point| (point.0, point.1)).collect::<Vec<_>>()
        };
        charts.push(Chart {
            title: format!("{parameters} (arity {arity})"),
            x: Axis {
                label: cost_axis.clone(),
                range: (0.0, 1.1 * most(|point| point.0)),
                logarithmic: false,
            },
            y: Axis {
                label: "Mhash/s at 500 MHz".to_owned(),
                range: (0.0, 1.08 * most(|point| point.1)),
                logarithmic: false,
            },
            x_text: short,
            y_text: short,
            series: vec![
                Series::others(
                    "Pareto front",
                    6,
                    front.iter().map(|point| (point.0, point.1)).collect(),
                ),
                Series::dots("1 full-round sub-engine", 0, of(1)),
                Series::dots("2 full-round sub-engines", 1, of(2)),
            ],
        });
    }
    let left_out = charts.len().saturating_sub(MOST_PANELS);
    charts.truncate(MOST_PANELS);
    let mut blocks = vec![Block::Text(
        if has_areas {
            "The engines that no other beats in both hash rate and area, for each parameter set."
        } else {
            "The engines that no other beats in both hash rate and number of multipliers, for each parameter \
             set; `acclmt sweep --area` takes their areas instead."
        }
        .to_owned(),
    )];
    limited(&mut blocks, table);
    if !charts.is_empty() {
        let figure = format!("{name}-pareto");
        let note = if left_out == 0 {
            String::new()
        } else {
            format!(" {left_out} further parameter sets are in the table only.")
        };
        blocks.push(Block::Figure(Figure {
            svg: panels(&figure, &charts)?,
            name: figure,
            caption: format!("Hash rate against the {cost_axis}; a point is an engine.{note}"),
        }));
    }
    Ok(blocks)
}

/// The most panels of a figure.
const MOST_PANELS: usize = 8;

/// A table with no more than [`MOST_ROWS`] rows.
fn limited(blocks: &mut Vec<Block>, mut table: Table) {
    let left_out = table.rows.len().saturating_sub(MOST_ROWS);
    table.rows.truncate(MOST_ROWS);
    blocks.push(Block::Table(table));
    if left_out != 0 {
        blocks.push(Block::Text(format!(
            "{left_out} further rows are in rows.csv."
        )));
    }
}

/// What tells the lines of a parameter set apart: what is not the same in all rows.
fn label(row: &Row, varied: &BTreeSet<&'static str>) -> String {
    let point = &row.point;
    let values = [
        ("backend", row.backend.clone()),
        ("leaf", format!("leaf: {}", point.leaf)),
        (
            "engines",
            format!("{} + {} sub-engines", point.num_full, point.num_partial),
        ),
        (
            "depths",
            format!(
                "depths {}, {}, {}",
                point.matrix_depth, point.constant_depth, point.partial_depth
            ),
        ),
        (
            "memories",
            format!("node memory of {} words", point.node_words),
        ),
        ("input", format!("input stall {}", point.input_stall)),
        ("output", format!("output stall {}", point.output_stall)),
        ("rate", format!("input rate {}", point.input_rate)),
        (
            "pool",
            format!(
                "{} hash engines, {}",
                point.hardware().num_engines,
                point.sharing.as_deref().unwrap_or("default roles")
            ),
        ),
        (
            "group",
            format!("row group {}", point.row_group.unwrap_or(0)),
        ),
    ];
    let values = values.into_iter().filter(|(name, _)| varied.contains(name));
    let label: Vec<_> = values.map(|(_, value)| value).collect();
    label.join(", ")
}

/// Depths of the constant memories.
fn depths(row: &Row) -> [usize; 3] {
    let point = &row.point;
    [
        point.matrix_depth,
        point.constant_depth,
        point.partial_depth,
    ]
}

/// What is not the same in all rows, but for the parameter set.
fn varied(rows: &[&Row]) -> BTreeSet<&'static str> {
    let Some(first) = rows.first() else {
        return BTreeSet::new();
    };
    let mut varied = BTreeSet::new();
    for row in rows {
        let (a, b) = (&row.point, &first.point);
        for (name, differs) in [
            ("backend", row.backend != first.backend),
            ("depths", depths(row) != depths(first)),
            ("leaf", a.leaf != b.leaf),
            (
                "engines",
                (a.num_full, a.num_partial) != (b.num_full, b.num_partial),
            ),
            ("memories", a.node_words != b.node_words),
            ("input", a.input_stall != b.input_stall),
            ("output", a.output_stall != b.output_stall),
            ("rate", a.input_rate != b.input_rate),
            ("pool", (a.engines, &a.sharing) != (b.engines, &b.sharing)),
            ("group", a.row_group != b.row_group),
        ] {
            if differs {
                varied.insert(name);
            }
        }
    }
    varied
}

fn trees(name: &str, rows: &[&Row]) -> Result<Vec<Block>, FigureError> {
    let rows: Vec<&Row> = rows
        .iter()
        .copied()
        .filter(|row| row.error.is_none())
        .collect();
    let varied = varied(&rows);
    let sets = distinct(rows.iter().map(|row| parameters(row)));
    let mut table = Table::new([
        "parameter set",
        "what differs",
        "leaves",
        "cycles",
        "ms at\n500 MHz",
        &ASAP7.head("ms"),
        "cycles\nper leaf",
        "LHE",
        "RHE",
    ]);
    // The lines of each parameter set, in the order of the rows.
    let mut figures: Vec<Vec<Line>> = vec![Vec::new(); sets.len()];
    let share =
        |value: Option<f64>| value.map_or_else(String::new, |v| format!("{:.1} %", 100.0 * v));
    for row in &rows {
        let (Some(leaves), Some(cycles)) = (row.result.tree_leaves, row.result.cycles) else {
            continue;
        };
        let label = label(row, &varied);
        table.rows.push(vec![
            parameters(row),
            label.clone(),
            short(leaves as f64),
            short(cycles as f64),
            format!("{:.3}", milliseconds(cycles)),
            format!("{:.3}", 1e3 * ASAP7.seconds(cycles)),
            row.result
                .cycles_per_leaf
                .map_or_else(String::new, |value| format!("{value:.2}")),
            share(row.result.lhe_utilisation),
            share(row.result.rhe_utilisation),
        ]);
        let point = ((leaves as f64).log2(), cycles as f64);
        let set = sets.iter().position(|set| *set == parameters(row));
        let lines = &mut figures[set.unwrap_or_default()];
        match lines.iter_mut().find(|(other, _)| *other == label) {
            Some((_, points)) => points.push(point),
            None => lines.push((label, vec![point])),
        }
    }
    let mut blocks = Vec::new();
    let drawn = figures.len().min(MOST_PANELS);
    for (number, (set, lines)) in sets.iter().zip(&figures).enumerate().take(drawn) {
        let figure = match drawn {
            1 => format!("{name}-cycles"),
            _ => format!("{name}-cycles-{}", number + 1),
        };
        blocks.extend(tree_figure(figure, set, lines)?);
    }
    if figures.len() > drawn {
        blocks.push(Block::Text(format!(
            "{} further parameter sets are in the table only.",
            figures.len() - drawn
        )));
    }
    limited(&mut blocks, table);
    Ok(blocks)
}

/// The most lines of a figure.
const MOST_DRAWN: usize = 16;

// They differ in colour or in the shape of their points.
const _: () = assert!(MOST_DRAWN <= MOST_LINES);

/// Cycles of the trees of a parameter set; nothing if none was measured.
fn tree_figure(
    name: String,
    set: &str,
    lines: &[(String, Vec<(f64, f64)>)],
) -> Result<Option<Block>, FigureError> {
    let left_out = lines.len().saturating_sub(MOST_DRAWN);
    let lines = &lines[..lines.len() - left_out];
    let all = || lines.iter().flat_map(|(_, points)| points);
    if all().next().is_none() {
        return Ok(None);
    }
    let x = range_of(all().map(|point| point.0), false);
    let chart = Chart {
        title: set.to_owned(),
        x: Axis {
            label: "leaves".to_owned(),
            range: (x.0.floor() - 0.5, x.1.ceil() + 0.5),
            logarithmic: false,
        },
        y: Axis {
            label: "cycles".to_owned(),
            range: range_of(all().map(|point| point.1), true),
            logarithmic: true,
        },
        x_text: |value| {
            if value.fract() == 0.0 {
                power_of_two(value)
            } else {
                String::new()
            }
        },
        y_text: short,
        series: (lines.iter().enumerate())
            .map(|(number, (label, points))| {
                let mut points = points.clone();
                points.sort_by(|a, b| a.0.total_cmp(&b.0));
                Series::line(label.clone(), number, points)
            })
            .collect(),
    };
    let note = match left_out {
        0 => String::new(),
        more => format!(" {more} further lines are in the table only."),
    };
    Ok(Some(Block::Figure(Figure {
        svg: chart.svg(&name)?,
        name,
        caption: format!("Cycles of a tree of {set} against its number of leaves.{note}"),
    })))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_front_has_no_point_that_another_beats() {
        let points = [
            (10.0, 1.0, (1, 1)),
            (20.0, 3.0, (1, 2)),
            (30.0, 2.0, (2, 1)),
            (20.0, 2.5, (1, 3)),
            (40.0, 4.0, (2, 2)),
        ];
        let costs: Vec<_> = front(&points).iter().map(|point| point.0).collect();
        assert_eq!(costs, [10.0, 20.0, 40.0]);
    }
}

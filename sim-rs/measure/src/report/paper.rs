//! The paper's evaluation as sections of a report.

use super::document::{Block, Figure, Section, Table};
use super::figures::{
    Axis, Bar, Chart, FigureError, Gantt, Series, percent, power_of_two, range_of, short,
};
use crate::clocks::ASAP7;
use crate::evaluation::{
    DEFAULT_ENGINE, DmaRun, DmaRuns, Engine, Evaluation, GOLDILOCKS_PRESET, NodeMemory, Schedule,
    TREE_PRESET,
};
use crate::measurement::{CLOCK_HZ, TreeMeasurement};
use crate::published;
use acclmt_driver::level_table::NODE_WORDS;
use acclmt_driver::program::SUB_ENGINES;

/// The engine with as many sub-engines as the paper's.
const PAPERS: (usize, usize) = (1, 1);
/// The paper's baseline.
const FULL_ONLY: (usize, usize) = (2, 0);

/// All sections but that of the configuration.
pub(super) fn sections(evaluation: &Evaluation) -> Result<Vec<Section>, FigureError> {
    let mut sections = vec![
        rates(evaluation)?,
        trees(evaluation)?,
        utilisation(evaluation)?,
        schedule(evaluation)?,
        partial_sub_engine(evaluation),
        goldilocks(evaluation),
    ];
    sections.extend(wide_rows(evaluation));
    sections.extend(node_memory(evaluation)?);
    sections.extend(evaluation.dma.as_ref().map(dma));
    Ok(sections)
}

fn engine<'a>(
    evaluation: &'a Evaluation,
    preset: &str,
    sub_engines: (usize, usize),
) -> Option<&'a Engine> {
    let mut engines = evaluation.engines.iter();
    engines.find(|engine| {
        engine.preset == preset && (engine.num_full, engine.num_partial) == sub_engines
    })
}

/// A text, or a dash where there is nothing.
fn or_dash<T>(value: Option<T>, text: impl Fn(T) -> String) -> String {
    value.map_or_else(|| "–".to_owned(), text)
}

fn cycles(value: f64) -> String {
    format!("{value:.1}")
}

fn mega(rate: f64) -> String {
    format!("{:.2}", rate / 1e6)
}

fn kilo(rate: f64) -> String {
    format!("{:.1}", rate / 1e3)
}

/// A share in percent, to a hundredth.
fn precise(share: f64) -> String {
    format!("{:.2} %", 100.0 * share)
}

fn times(factor: f64) -> String {
    format!("{} ×", short((factor * 100.0).round() / 100.0))
}

/// Hashes a second of a library on one thread.
fn peer_rate(evaluation: &Evaluation, library: &str, preset: &str) -> Option<f64> {
    let peers = evaluation.peers.as_ref()?;
    let found = peers
        .hashes
        .iter()
        .find(|hash| hash.library == library && hash.preset == preset && hash.threads == 1)?;
    Some(1e9 / found.nanoseconds_per_hash)
}

/// Table I.
fn rates(evaluation: &Evaluation) -> Result<Section, FigureError> {
    let mut table = Table::new([
        "preset",
        "cycles\nper hash",
        "the paper",
        "TRIDENT",
        "against\nthe paper",
        "Mhash/s at\n500 MHz",
        "the paper",
        &ASAP7.head("Mhash/s"),
        "neptune here,\n1 thread, khash/s",
        "neptune in\nthe paper, khash/s",
        "latency,\ncycles",
        "multipliers\nat work",
    ]);
    let mut lines = Vec::new();
    let mut flat = false;
    for (colour, figures) in published::HASHES.iter().enumerate() {
        if let Some(engine) = engine(evaluation, figures.preset, DEFAULT_ENGINE) {
            table.rows.push(vec![
                figures.preset.to_owned(),
                cycles(engine.measurement.cycles_per_hash),
                cycles(figures.paper_cycles),
                or_dash(figures.trident_cycles, cycles),
                times(figures.paper_cycles / engine.measurement.cycles_per_hash),
                mega(engine.hash_rate),
                mega(evaluation.clock_hz as f64 / figures.paper_cycles),
                mega(ASAP7.rate(engine.measurement.cycles_per_hash)),
                or_dash(peer_rate(evaluation, "neptune", figures.preset), kilo),
                kilo(figures.paper_neptune_rate),
                short(engine.measurement.latency_cycles as f64),
                percent(engine.measurement.multiplier_utilisation),
            ]);
        }
        let points = evaluation.engines.iter().filter(|engine| {
            engine.preset == figures.preset && engine.num_full == 1 && engine.num_partial > 0
        });
        let points = points.map(|engine| {
            (
                engine.num_partial as f64,
                engine.measurement.cycles_per_hash,
            )
        });
        let points: Vec<(f64, f64)> = points.collect();
        // Cycles that another sub-engine hardly changes.
        flat |= (points.windows(2)).any(|pair| (pair[1].1 / pair[0].1 - 1.0).abs() < 0.02);
        lines.push(Series::line(figures.preset, colour, points));
        let label = if colour == 0 {
            "the paper, each arity"
        } else {
            ""
        };
        let of_paper = vec![(0.8, figures.paper_cycles), (6.2, figures.paper_cycles)];
        lines.push(Series::others(label, colour, of_paper));
    }
    let of_lines = |lines: &[Series]| {
        let points = lines.iter().flat_map(|line| &line.points);
        range_of(points.map(|point| point.1), true)
    };
    let chart = Chart {
        title: String::new(),
        x: Axis {
            label: "partial-round sub-engines of the hash engine (NumPartial), with one full-round sub-engine"
                .to_owned(),
            range: (0.8, 6.2),
            logarithmic: false,
        },
        y: Axis {
            label: "cycles per hash".to_owned(),
            range: of_lines(&lines),
            logarithmic: true,
        },
        x_text: |value| {
            if value.fract() == 0.0 { short(value) } else { String::new() }
        },
        y_text: short,
        series: lines,
    };
    Ok(Section {
        title: "Hash rate (Table I of the paper)".to_owned(),
        blocks: vec![
            Block::Text(
                "The default hash engine, one full-round and four partial-round sub-engines, in its steady \
                 state. TRIDENT runs at 100 MHz, so cycles are compared. \"Multipliers at work\" is the share of \
                 their cycles in which the multipliers and squarers do what the hash needs."
                    .to_owned(),
            ),
            Block::Table(table),
            Block::Figure(Figure {
                name: "cycles-per-hash".to_owned(),
                svg: chart.svg("cycles-per-hash")?,
                caption: "Cycles per hash against the number of partial-round sub-engines. Dashed: the paper's \
                          engine of one full-round and one partial-round sub-engine."
                    .to_owned()
                    + if flat {
                        " A line is flat where more partial-round sub-engines do not help: the full-round \
                         sub-engine has most to do."
                    } else {
                        ""
                    },
            }),
        ],
    })
}

/// Points of trees: the exponent of the number of leaves, and a value.
fn points(trees: &[TreeMeasurement], value: impl Fn(&TreeMeasurement) -> f64) -> Vec<(f64, f64)> {
    let exponent = |tree: &TreeMeasurement| (tree.leaves as f64).log2();
    trees
        .iter()
        .map(|tree| (exponent(tree), value(tree)))
        .collect()
}

/// The horizontal axis of figures about trees.
fn leaves_axis(evaluation: &Evaluation) -> Axis {
    let most = evaluation.trees.iter().map(|tree| tree.leaves).max();
    let most = (most.unwrap_or(2) as f64).log2();
    Axis {
        label: "leaves".to_owned(),
        range: (11.5, most.max(12.5) + 0.5),
        logarithmic: false,
    }
}

fn leaves_text(exponent: f64) -> String {
    if exponent.fract() == 0.0 {
        power_of_two(exponent)
    } else {
        String::new()
    }
}

fn series(label: &str, number: usize, points: Vec<(f64, f64)>) -> Series {
    Series::line(label, number, points)
}

/// Table II.
fn trees(evaluation: &Evaluation) -> Result<Section, FigureError> {
    let peers = evaluation.peers.as_ref();
    let peer = |leaves: u64, single: bool| {
        let trees = peers.iter().flat_map(|peers| &peers.trees);
        let mut trees = trees.filter(|tree| {
            tree.preset == TREE_PRESET && tree.leaves == leaves && (tree.threads == 1) == single
        });
        trees.next().map(|tree| tree.milliseconds)
    };
    let mut table = Table::new([
        "leaves",
        "cycles",
        "ms at\n500 MHz",
        "the paper,\nms",
        "against\nthe paper",
        &ASAP7.head("ms"),
        "neptune here,\n1 thread, ms",
        "neptune here,\nall threads, ms",
        "CSF '24, ms\n(in the paper)",
        "Dusk, ms\n(in the paper)",
    ]);
    for tree in &evaluation.trees {
        let figures = published::tree_figures(tree.leaves);
        table.rows.push(vec![
            power_of_two((tree.leaves as f64).log2()),
            short(tree.cycles as f64),
            format!("{:.3}", tree.milliseconds_at_500_mhz),
            or_dash(figures, |figures| short(figures.paper_milliseconds)),
            or_dash(figures, |f| {
                times(f.paper_milliseconds / tree.milliseconds_at_500_mhz)
            }),
            format!("{:.3}", 1e3 * ASAP7.seconds(tree.cycles)),
            or_dash(peer(tree.leaves, true), |time| format!("{time:.0}")),
            or_dash(peer(tree.leaves, false), |time| format!("{time:.0}")),
            or_dash(figures.and_then(|f| f.csf24_milliseconds), short),
            or_dash(figures, |figures| short(figures.dusk_milliseconds)),
        ]);
    }
    let shown: Vec<_> = (evaluation.trees.iter())
        .filter_map(|tree| published::tree_figures(tree.leaves))
        .collect();
    let exponent = |leaves: u64| (leaves as f64).log2();
    let others = |value: fn(&published::TreeFigures) -> Option<f64>| {
        let points = shown.iter();
        let points = points.filter_map(|f| Some((exponent(f.leaves), value(f)?)));
        points.collect::<Vec<_>>()
    };
    let mut lines = vec![
        series(
            "AcclMT, this chip",
            0,
            points(&evaluation.trees, |tree| tree.milliseconds_at_500_mhz),
        ),
        series(
            "the AcclMT paper",
            1,
            others(|f| Some(f.paper_milliseconds)),
        ),
        series(
            "CSF '24, CPU (in the paper)",
            2,
            others(|f| f.csf24_milliseconds),
        ),
        series(
            "Dusk, CPU (in the paper)",
            3,
            others(|f| Some(f.dusk_milliseconds)),
        ),
    ];
    let measured = peers.iter().flat_map(|peers| &peers.trees);
    let measured = measured
        .filter(|tree| tree.threads == 1 && tree.preset == TREE_PRESET)
        .map(|tree| (exponent(tree.leaves), tree.milliseconds));
    let measured: Vec<_> = measured.collect();
    if !measured.is_empty() {
        lines.push(series(
            "neptune, CPU, 1 thread (measured here)",
            4,
            measured,
        ));
    }
    let times = lines.iter().flat_map(|line| &line.points);
    let range = range_of(times.map(|point| point.1), true);
    let chart = Chart {
        title: String::new(),
        x: leaves_axis(evaluation),
        y: Axis {
            label: "time in ms".to_owned(),
            range,
            logarithmic: true,
        },
        x_text: leaves_text,
        y_text: short,
        series: lines,
    };
    Ok(Section {
        title: "Merkle trees (Table II of the paper)".to_owned(),
        blocks: vec![
            Block::Text(format!(
                "Trees of the preset `{TREE_PRESET}`; every leaf is the hash of two elements. Cycles are \
                     counted from the first word in to the root out. The time of the chip is cycles at 500 MHz, \
                     that of a CPU is measured."
            )),
            Block::Table(table),
            Block::Figure(Figure {
                name: "tree-times".to_owned(),
                svg: chart.svg("tree-times")?,
                caption: "Time of a tree against its number of leaves.".to_owned(),
            }),
        ],
    })
}

/// Figure 8, and the ablation of the merger.
fn utilisation(evaluation: &Evaluation) -> Result<Section, FigureError> {
    let (lhe, rhe) = published::UTILISATION;
    let axis = leaves_axis(evaluation);
    let across = |value: f64| vec![(axis.range.0, value), (axis.range.1, value)];
    let dashed = |label: &str, colour, value| Series::others(label, colour, across(value));
    let lines = vec![
        series(
            "leaf hash engine",
            0,
            points(&evaluation.trees, |tree| tree.lhe_utilisation),
        ),
        series(
            "root hash engine",
            1,
            points(&evaluation.trees, |tree| tree.rhe_utilisation),
        ),
        series(
            "root hash engine, minor aggregation not merged",
            4,
            points(&evaluation.unmerged, |tree| tree.rhe_utilisation),
        ),
        dashed("leaf hash engine, average of the paper", 0, lhe),
        dashed("root hash engine, average of the paper", 1, rhe),
    ];
    let shares = lines.iter().flat_map(|line: &Series| &line.points);
    let range = range_of(shares.map(|point| point.1), false);
    let chart = Chart {
        title: String::new(),
        x: axis.clone(),
        y: Axis {
            label: "utilisation".to_owned(),
            range,
            logarithmic: false,
        },
        x_text: leaves_text,
        y_text: percent,
        series: lines,
    };
    let mut table = Table::new([
        "leaves",
        "LHE, whole run",
        "RHE, whole run",
        "LHE, steady",
        "RHE, steady",
        "RHE, not merged",
        "cycles,\nnot merged",
        "more\ncycles",
    ]);
    for tree in &evaluation.trees {
        let unmerged = evaluation
            .unmerged
            .iter()
            .find(|other| other.leaves == tree.leaves);
        table.rows.push(vec![
            power_of_two((tree.leaves as f64).log2()),
            precise(tree.lhe_utilisation),
            precise(tree.rhe_utilisation),
            or_dash(tree.steady, |steady| precise(steady.lhe_utilisation)),
            or_dash(tree.steady, |steady| precise(steady.rhe_utilisation)),
            or_dash(unmerged, |tree| precise(tree.rhe_utilisation)),
            or_dash(unmerged, |tree| short(tree.cycles as f64)),
            or_dash(unmerged, |other| {
                percent(other.cycles as f64 / tree.cycles as f64 - 1.0)
            }),
        ]);
    }
    Ok(Section {
        title: "Utilisation of the hash engines (figure 8), and the merger (figure 7)".to_owned(),
        blocks: vec![
            Block::Text(format!(
                "Utilisation is hashes times the cycles that a hash occupies the busiest sub-engine, divided by \
                 cycles: of the whole run, with the first and the last hashes on a machine that is nearly empty, \
                 and from the last leaf of the first standard tree to the last leaf (steady). The paper's averages are {} \
                 for the leaf hash engine (LHE) and {} for the root hash engine (RHE). \"Not merged\": the root hash \
                 engine folds a standard tree to its end before it begins the next one, instead of taking the \
                 group that is highest in the tree whichever standard tree it belongs to; the paper states less \
                 than {} on average without its merger.",
                percent(lhe),
                percent(rhe),
                percent(published::UTILISATION_WITHOUT_MERGING)
            )),
            Block::Table(table),
            Block::Figure(Figure {
                name: "utilisation".to_owned(),
                svg: chart.svg("utilisation")?,
                caption: "Utilisation over the whole run against the number of leaves.".to_owned(),
            }),
        ],
    })
}

/// The row of each sub-engine and its name, from the top.
fn sub_engine_rows(schedule: &Schedule) -> Vec<(usize, String)> {
    let mut rows = vec![(0, "full-round sub-engine".to_owned())];
    for number in 1..=schedule.num_partial {
        rows.push((number, format!("partial-round sub-engine {number}")));
    }
    if schedule.num_full > 1 {
        rows[0].1 = "full-round sub-engine 1".to_owned();
        rows.push((SUB_ENGINES - 1, "full-round sub-engine 2".to_owned()));
    }
    rows
}

/// Kinds of work, and their colours.
const FIRST: usize = 0;
const PARTIAL: usize = 1;
const LAST: usize = 2;

fn kinds() -> Vec<(String, usize)> {
    let kinds = ["first full rounds", "partial rounds", "last full rounds"];
    kinds
        .iter()
        .zip([0, 4, 2])
        .map(|(kind, colour)| ((*kind).to_owned(), colour))
        .collect()
}

fn sub_engines(schedule: &Schedule) -> String {
    let count = |number: usize, kind: &str| {
        let ending = if number == 1 { "" } else { "s" };
        format!("{number} {kind} sub-engine{ending}")
    };
    let full = count(schedule.num_full, "full-round");
    match schedule.num_partial {
        0 => full,
        number => format!("{full} and {}", count(number, "partial-round")),
    }
}

/// Figure 5.
fn schedule(evaluation: &Evaluation) -> Result<Section, FigureError> {
    let mut blocks = vec![Block::Text(format!(
        "The leaf hash engine with the preset `{TREE_PRESET}`, from the model. The paper moves batches between its \
         sub-engines; here every hash moves by itself."
    ))];
    for schedule in &evaluation.schedules {
        let rows = sub_engine_rows(schedule);
        let row = |sub_engine: usize| rows.iter().position(|(number, _)| *number == sub_engine);
        let bars = schedule.slots.iter().filter_map(|slot| {
            Some(Bar {
                row: row(slot.sub_engine)?,
                span: (slot.begin as f64, (slot.begin + slot.cycles) as f64),
                kind: match (slot.partial, slot.last) {
                    (true, _) => PARTIAL,
                    (false, false) => FIRST,
                    (false, true) => LAST,
                },
            })
        });
        let name = format!("slots-{}-{}", schedule.num_full, schedule.num_partial);
        let bars: Vec<_> = bars.collect();
        let busy: f64 = bars.iter().map(|bar| bar.span.1 - bar.span.0).sum();
        let share = busy / (rows.len() as f64 * schedule.cycles as f64);
        let gantt = Gantt {
            title: String::new(),
            rows: rows.iter().map(|(_, name)| name.clone()).collect(),
            count: rows.len(),
            label: String::new(),
            range: (
                schedule.from as f64,
                (schedule.from + schedule.cycles) as f64,
            ),
            kinds: kinds(),
            bars,
            edges: schedule.is_by_slots(),
        };
        blocks.push(Block::Figure(Figure {
            svg: gantt.svg(&name, 130 + 52 * rows.len() as u32)?,
            name,
            caption: format!(
                "{} cycles of the steady state with {}{}. {} of the cycles are taken.",
                schedule.cycles,
                sub_engines(schedule),
                if schedule.is_by_slots() {
                    ": a box is a round of a hash"
                } else {
                    ""
                },
                percent(share.min(1.0))
            ),
        }));
    }
    if let Some(schedule) = evaluation.schedules.first() {
        let bars: Vec<_> = schedule
            .visits
            .iter()
            .map(|visit| Bar {
                row: visit.hash,
                span: (visit.begin as f64, visit.end as f64),
                kind: match (visit.sub_engine, visit.last) {
                    (0, false) => 0,
                    (0, true) | (7, _) => 1 + schedule.num_partial,
                    (number, _) => number,
                },
            })
            .collect();
        let end = bars.iter().map(|bar| bar.span.1).fold(1.0, f64::max);
        let mut kinds = vec![("full-round sub-engine, first rounds".to_owned(), 0)];
        for number in 1..=schedule.num_partial {
            kinds.push((
                format!("partial-round sub-engine {number}"),
                [4, 1, 3, 5, 6, 2][number - 1],
            ));
        }
        kinds.push(("full-round sub-engine, last rounds".to_owned(), 2));
        let gantt = Gantt {
            title: String::new(),
            rows: Vec::new(),
            count: schedule
                .visits
                .iter()
                .map(|visit| visit.hash + 1)
                .max()
                .unwrap_or(1),
            label: "hash".to_owned(),
            range: (0.0, end),
            kinds,
            bars,
            edges: false,
        };
        blocks.push(Block::Figure(Figure {
            name: "ring".to_owned(),
            svg: gantt.svg("ring", 520)?,
            caption: "The first hashes on their way through the ring, one a row; white is what lies between \
                      two sub-engines, most of it waiting."
                .to_owned(),
        }));
    }
    Ok(Section {
        title: "Schedule of the sub-engines (figure 5)".to_owned(),
        blocks,
    })
}

/// What the measured engines say: the time of one full-round and one partial-round sub-engine over that of two
/// full-round sub-engines, and that of three more partial-round sub-engines over it, for each preset.
fn worth(ratios: &[(f64, f64)]) -> String {
    let mean = ratios.iter().map(|(one, _)| one - 1.0).sum::<f64>() / ratios.len() as f64;
    let (least, most) = ratios
        .iter()
        .fold((f64::MAX, 0.0_f64), |(least, most), (_, default)| {
            (least.min(*default), most.max(*default))
        });
    format!(
        " Here one of each takes {} {} time on average, and with three more partial-round sub-engines {} to {} of \
         that.",
        percent(mean.abs()),
        if mean < 0.0 { "less" } else { "more" },
        percent(least),
        percent(most)
    )
}

/// The ablation of the partial-round sub-engine.
fn partial_sub_engine(evaluation: &Evaluation) -> Section {
    let mut ratios = Vec::new();
    let mut table = Table::new([
        "preset",
        "2 full-round:\ncycles",
        "products\nat work",
        "1 + 1:\ncycles",
        "products\nat work",
        "time\nagainst 2 full",
        "multipliers and\nsquarers, 1 + 1 : 2 + 0",
        "1 + 4:\ncycles",
        "products\nat work",
    ]);
    for figures in &published::HASHES {
        let [full, one, default] = [FULL_ONLY, PAPERS, DEFAULT_ENGINE]
            .map(|engines| engine(evaluation, figures.preset, engines));
        let (Some(full), Some(one), Some(default)) = (full, one, default) else {
            continue;
        };
        ratios.push((
            one.measurement.cycles_per_hash / full.measurement.cycles_per_hash,
            default.measurement.cycles_per_hash / one.measurement.cycles_per_hash,
        ));
        table.rows.push(vec![
            figures.preset.to_owned(),
            cycles(full.measurement.cycles_per_hash),
            percent(full.measurement.multiplier_utilisation),
            cycles(one.measurement.cycles_per_hash),
            percent(one.measurement.multiplier_utilisation),
            format!(
                "{:+.1} %",
                100.0 * (one.measurement.cycles_per_hash / full.measurement.cycles_per_hash - 1.0)
            ),
            format!("{} : {}", one.multipliers, full.multipliers),
            cycles(default.measurement.cycles_per_hash),
            percent(default.measurement.multiplier_utilisation),
        ]);
    }
    let (time, area) = published::PARTIAL_SUB_ENGINE;
    let mut text = format!(
        "The baseline of the paper, as in TRIDENT, has two full-round sub-engines, whose S-boxes are idle in partial \
         rounds. The paper's engine of one full-round and one partial-round sub-engine takes {} more time, on \
         average over the four arities, and {} less area.",
        percent(time),
        percent(area)
    );
    if !ratios.is_empty() {
        text += &worth(&ratios);
    }
    text += " Engines without a partial-round sub-engine exist in the model only.";
    Section {
        title: "What a partial-round sub-engine is worth (section IV-B)".to_owned(),
        blocks: vec![Block::Text(text), Block::Table(table)],
    }
}

fn goldilocks(evaluation: &Evaluation) -> Section {
    let mut table = Table::new([
        "sub-engines,\nfull + partial",
        "cycles\nper hash",
        "Mhash/s at\n500 MHz",
        &ASAP7.head("Mhash/s"),
        "multipliers\nat work",
        "latency,\ncycles",
    ]);
    for engine in &evaluation.engines {
        if engine.preset == GOLDILOCKS_PRESET {
            table.rows.push(vec![
                format!("{} + {}", engine.num_full, engine.num_partial),
                cycles(engine.measurement.cycles_per_hash),
                mega(engine.hash_rate),
                mega(ASAP7.rate(engine.measurement.cycles_per_hash)),
                percent(engine.measurement.multiplier_utilisation),
                short(engine.measurement.latency_cycles as f64),
            ]);
        }
    }
    let mut blocks = vec![
        Block::Text(format!(
            "The same machine with the preset `{GOLDILOCKS_PRESET}`, a hash of twelve Goldilocks elements: each \
             256-bit multiplier works as four of 64 bits."
        )),
        Block::Table(table),
    ];
    if let Some(peers) = &evaluation.peers {
        let mut table = Table::new([
            "measured on this CPU",
            "preset",
            "threads",
            "ns per hash",
            "khash/s",
        ]);
        for hash in &peers.hashes {
            table.rows.push(vec![
                format!("{} {}", hash.library, hash.version),
                if hash.same_constants {
                    hash.preset.clone()
                } else {
                    format!("{} (other constants)", hash.preset)
                },
                hash.threads.to_string(),
                format!("{:.0}", hash.nanoseconds_per_hash),
                kilo(1e9 / hash.nanoseconds_per_hash),
            ]);
        }
        blocks.push(Block::Text(format!(
            "Other libraries on a CPU ({}, {} threads), all fields:",
            peers.machine.cpu, peers.machine.threads
        )));
        blocks.push(Block::Table(table));
    }
    Section {
        title: "Goldilocks, and hashes on a CPU".to_owned(),
        blocks,
    }
}

/// Trees over rows of Goldilocks elements; nothing if none was measured.
fn wide_rows(evaluation: &Evaluation) -> Option<Section> {
    let first = evaluation.wide_rows.first()?;
    let mut table = Table::new([
        "columns",
        "permutations\nof a row",
        "rows",
        "cycles",
        "cycles\na row",
        "Mrow/s at\n500 MHz",
        &ASAP7.head("Mrow/s"),
        "Melement/s\nat 500 MHz",
        "GB/s in",
        "LHE",
        "RHE",
    ]);
    let has_shared = evaluation
        .wide_rows
        .iter()
        .any(|rows| rows.shared.is_some());
    if has_shared {
        let at_clock = ASAP7.head("Mrow/s");
        let more = [
            "shared:\ncycles",
            "Mrow/s at\n500 MHz",
            &at_clock,
            "engines\nbusy",
        ];
        table.head.extend(more.map(str::to_owned));
    }
    for rows in &evaluation.wide_rows {
        let mut cells = vec![
            rows.columns.to_string(),
            rows.permutations.to_string(),
            short(rows.tree.leaves as f64),
            short(rows.tree.cycles as f64),
            format!("{:.2}", rows.tree.cycles_per_leaf),
            format!("{:.3}", rows.row_rate / 1e6),
            format!("{:.3}", ASAP7.rate(rows.tree.cycles_per_leaf) / 1e6),
            cycles(rows.element_rate / 1e6),
            format!("{:.2}", rows.element_rate * GOLDILOCKS_BYTES / 1e9),
            precise(rows.tree.lhe_utilisation),
            precise(rows.tree.rhe_utilisation),
        ];
        if has_shared {
            let shared = rows.shared.as_ref();
            let cell =
                |value: fn(&TreeMeasurement) -> String| shared.map_or_else(String::new, value);
            cells.push(cell(|tree| short(tree.cycles as f64)));
            cells.push(cell(|tree| {
                format!("{:.3}", CLOCK_HZ as f64 / tree.cycles_per_leaf / 1e6)
            }));
            cells.push(cell(|tree| {
                format!("{:.3}", ASAP7.rate(tree.cycles_per_leaf) / 1e6)
            }));
            cells.push(cell(|tree| {
                precise((tree.lhe_utilisation + tree.rhe_utilisation) / 2.0)
            }));
        }
        table.rows.push(cells);
    }
    let shared = if has_shared {
        " In the last columns both hash engines take rows and nodes (shared)."
    } else {
        ""
    };
    Some(Section {
        title: "Wide rows of Goldilocks elements".to_owned(),
        blocks: vec![
            Block::Text(format!(
                "Trees of the preset `{}` on the default chip. A leaf is the digest of a row of so many columns, by the \
                 sponge of the preset, which absorbs eight elements before each permutation; Plonky2 has rows of 135. \
                 Cycles are those of the whole run, rows and the tree over them, from the first word in to the root \
                 out; the leaf hash engine (LHE) hashes the rows while the root hash engine (RHE) folds their digests. \
                 An element has {GOLDILOCKS_BYTES} bytes.{shared}",
                first.preset
            )),
            Block::Table(table),
        ],
    })
}

/// How busy the hash engines are with node memories of several sizes; nothing if that was not measured.
fn node_memory(evaluation: &Evaluation) -> Result<Option<Section>, FigureError> {
    let memories = &evaluation.node_memories;
    let mut arities: Vec<usize> = memories.iter().map(|memory| memory.arity).collect();
    arities.dedup();
    let mut words: Vec<u32> = memories.iter().map(|memory| memory.words).collect();
    words.sort_unstable();
    words.dedup();
    let (Some(&first), Some(&last)) = (words.first(), words.last()) else {
        return Ok(None);
    };
    let mut table = Table::new(["words", "KB"]);
    for arity in &arities {
        table.head.push(format!("arity {arity}:\ncycles"));
        table.head.push("engines\nbusy".to_owned());
    }
    for &words in &words {
        const WORD_BYTES: f64 = 32.0;
        let kilobytes = f64::from(words) * WORD_BYTES / 1024.0;
        let mut cells = vec![short(words.into()), short(kilobytes)];
        for &arity in &arities {
            let is_here = |memory: &&NodeMemory| (memory.arity, memory.words) == (arity, words);
            let here = memories.iter().find(is_here);
            cells.push(or_dash(here, |memory| short(memory.tree.cycles as f64)));
            cells.push(or_dash(here, |memory| precise(memory.utilisation)));
        }
        table.rows.push(cells);
    }
    let lines = arities.iter().enumerate().map(|(number, &arity)| {
        let of_arity = memories.iter().filter(|memory| memory.arity == arity);
        let points = of_arity.map(|memory| (f64::from(memory.words).log2(), memory.utilisation));
        Series::line(format!("arity {arity}"), number, points.collect())
    });
    let exponent = |words: u32| f64::from(words).log2();
    let chart = Chart {
        title: String::new(),
        x: Axis {
            label: "words of the node memory".to_owned(),
            range: (exponent(first) - 0.3, exponent(last) + 0.3),
            logarithmic: false,
        },
        y: Axis {
            label: "hash engines busy".to_owned(),
            range: (0.0, 1.05),
            logarithmic: false,
        },
        x_text: |exponent| {
            if exponent.fract() == 0.0 {
                short(exponent.exp2())
            } else {
                String::new()
            }
        },
        y_text: percent,
        series: lines.collect(),
    };
    let leaves: Vec<_> = arities
        .iter()
        .filter_map(|&arity| memories.iter().find(|memory| memory.arity == arity))
        .map(|memory| {
            format!(
                "{} of arity {}",
                short(memory.tree.leaves as f64),
                memory.arity
            )
        })
        .collect();
    Ok(Some(Section {
        title: "Node memory".to_owned(),
        blocks: vec![
            Block::Text(format!(
                "Trees on two shared hash engines with node memories of several sizes, over leaves that are hashed with \
                 the parameter set of the nodes (leaves: {}). What is under way needs room: a place is taken from the \
                 begin of a hash until its group is fetched. 512 words, 16 KB, are the default. The engines are \
                 busy from the last leaf of the first standard tree to the last leaf.",
                leaves.join(", ")
            )),
            Block::Table(table),
            Block::Figure(Figure {
                name: "node-memory".to_owned(),
                svg: chart.svg("node-memory")?,
                caption:
                    "How busy two shared hash engines are, against the words of the node memory."
                        .to_owned(),
            }),
        ],
    }))
}

/// Bytes of a Goldilocks element.
const GOLDILOCKS_BYTES: f64 = 8.0;

/// Runs through the DMA, by latency of the memory.
fn dma(runs: &DmaRuns) -> Section {
    let mut latencies: Vec<u64> = runs.runs.iter().map(|run| run.latency_cycles).collect();
    latencies.sort_unstable();
    latencies.dedup();
    let mut header = vec![
        "preset".to_owned(),
        "leaves".to_owned(),
        "cycles,\nbare core".to_owned(),
        "utilisation,\nbare core".to_owned(),
    ];
    let nanoseconds = |cycles: u64| cycles as f64 * 1e9 / CLOCK_HZ as f64;
    for &latency in &latencies {
        let nanoseconds = short(nanoseconds(latency));
        header.push(format!("cycles at\n{nanoseconds} ns"));
        header.push(format!("utilisation\nat {nanoseconds} ns"));
    }
    let mut table = Table {
        head: header,
        rows: Vec::new(),
    };
    let mut rest: Vec<&DmaRun> = runs.runs.iter().collect();
    while let Some(first) = rest.first().copied() {
        let is_same = |run: &&DmaRun| (&run.preset, run.leaves) == (&first.preset, first.leaves);
        let (row, others): (Vec<_>, Vec<_>) = rest.into_iter().partition(is_same);
        rest = others;
        let mut cells = vec![
            first.preset.clone(),
            short(first.leaves as f64),
            short(first.bare_cycles as f64),
            precise(first.bare_utilisation),
        ];
        for latency in &latencies {
            let run = row.iter().find(|run| run.latency_cycles == *latency);
            cells.push(or_dash(run, |run| short(run.cycles as f64)));
            cells.push(or_dash(run, |run| precise(run.utilisation)));
        }
        table.rows.push(cells);
    }
    Section {
        title: "Through the DMA".to_owned(),
        blocks: vec![
            Block::Text(format!(
                "Trees on the RTL of the default chip with DMA (`acclmt_axi_dma`, beats of {} bits): it reads the \
                 leaves, each a hash, from a memory and writes all nodes to it. The memory answers so many nanoseconds \
                 of a 500 MHz clock after the address of a read, and after the last beat of a write. Cycles are \
                 those of the run by the chip's counter, utilisation that of the leaf hash engine \
                 from the first word in to the last leaf; the bare core is its model, whose input and output never wait.",
                runs.beat_bits
            )),
            Block::Table(table),
        ],
    }
}

/// What was measured with what.
pub(super) fn configuration(evaluation: &Evaluation) -> Section {
    let mut table = Table::new(["what", "value"]);
    let mut row = |what: &str, value: String| table.rows.push(vec![what.to_owned(), value]);
    row("acclmt", evaluation.version.clone());
    if let Some(label) = &evaluation.label {
        row("label", label.clone());
    }
    row(
        "measured by",
        "the cycle-exact model, the backend model".to_owned(),
    );
    let mut presets: Vec<&str> = Vec::new();
    for engine in &evaluation.engines {
        if !presets.contains(&engine.preset.as_str()) {
            presets.push(&engine.preset);
        }
    }
    row("presets of the hash engines", presets.join(", "));
    row("preset of the trees", TREE_PRESET.to_owned());
    if let Some(rows) = evaluation.wide_rows.first() {
        row("preset of the wide rows", rows.preset.clone());
    }
    row("clock", format!("{} MHz", evaluation.clock_hz / 1_000_000));
    row(
        "hash engine",
        "1 full-round and 4 partial-round sub-engines, unless said".to_owned(),
    );
    row("node memory", format!("{} KB", NODE_WORDS / 32));
    if let Some(peers) = &evaluation.peers {
        row(
            "CPU",
            format!("{}, {} threads", peers.machine.cpu, peers.machine.threads),
        );
        if let Some(rustc) = &peers.machine.rustc {
            row("compiler of the CPU libraries", rustc.clone());
        }
        let mut libraries: Vec<_> = (peers.hashes.iter())
            .map(|hash| format!("{} {}", hash.library, hash.version))
            .collect();
        libraries.dedup();
        row("CPU libraries", libraries.join(", "));
    }
    Section {
        title: "Configuration and versions".to_owned(),
        blocks: vec![Block::Table(table)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_is_what_was_measured() {
        let text = worth(&[(1.10, 0.5), (0.98, 0.75)]);
        assert!(text.contains("takes 4 % more time on average"), "{text}");
        assert!(text.contains("50 % to 75 % of that"), "{text}");
        assert!(worth(&[(0.9, 2.0)]).contains("takes 10 % less time"));
        // Nothing is said of what was not measured.
        let section = partial_sub_engine(&Evaluation::default());
        let Block::Text(text) = &section.blocks[0] else {
            panic!("{section:?}");
        };
        assert!(!text.contains("Here"), "{text}");
    }
}

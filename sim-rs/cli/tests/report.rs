//! `acclmt bench paper` and `acclmt report`: what is measured, and the page of it.

use std::fs;
use std::path::Path;

use acclmt::LibraryBackends;
use acclmt_measure::clocks::ASAP7;
use acclmt_measure::evaluation::{DEFAULT_ENGINE, Evaluation, NODE_MEMORY_WORDS};
use serde_json::{Value, json};

/// Exit code, output and errors.
fn run(arguments: &[&str]) -> (u8, String, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let arguments = ["acclmt"].iter().chain(arguments);
    let code = acclmt::run_with(arguments, &LibraryBackends, &mut out, &mut err, false);
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (code, text(out), text(err))
}

#[track_caller]
fn succeed(arguments: &[&str]) -> String {
    let (code, out, err) = run(arguments);
    assert_eq!((code, err.as_str()), (0, ""), "{arguments:?}: {out}");
    out
}

fn text_of(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// A page needs nothing else: no scripts, styles, pictures or fonts from elsewhere.
#[track_caller]
fn is_self_contained(html: &str) {
    let html = html.replace("http://www.w3.org/2000/svg", "");
    for outside in [
        "http:", "https:", "src=", "<link", "<script", "@import", "url(",
    ] {
        assert!(!html.contains(outside), "{outside}");
    }
}

fn peers() -> Value {
    json!({
        "machine": {"cpu": "A CPU <x>", "threads": 2, "rustc": "rustc 1.95.0"},
        "hashes": [
            {"library": "neptune", "version": "13.0.0", "preset": "filecoin-arity-2", "arity": 2,
             "threads": 1, "nanoseconds_per_hash": 20_000.0, "digest_checked": true},
        ],
        "trees": [
            {"library": "neptune", "preset": "filecoin-arity-2", "leaves": 4096, "threads": 1,
             "milliseconds": 164.0},
        ],
    })
}

/// Runs through the DMA; one was not measured with the longer latency.
fn dma() -> Value {
    let run = |leaves: u64, latency: u64, cycles: u64, utilisation: f64| {
        json!({
            "preset": "filecoin-arity-2", "arity": 2, "leaves": leaves, "latency_cycles": latency,
            "cycles": cycles, "bare_cycles": 23_400, "utilisation": utilisation, "bare_utilisation": 0.75,
        })
    };
    json!({
        "beat_bits": 256,
        "runs": [run(1024, 100, 23_400, 0.75), run(1024, 250, 23_456, 0.7432), run(64, 100, 9_876, 0.5)],
    })
}

#[test]
fn the_evaluation_meets_its_targets_and_becomes_a_page() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::write(path.join("peers.json"), peers().to_string()).unwrap();
    fs::write(path.join("dma.json"), dma().to_string()).unwrap();
    let out = succeed(&[
        "bench",
        "paper",
        "--out",
        text_of(path),
        "--most-leaves",
        "8192",
        "--peers",
        text_of(&path.join("peers.json")),
        "--dma",
        text_of(&path.join("dma.json")),
        "--label",
        "a <label>",
        "--json",
    ]);
    let evaluation: Evaluation = serde_json::from_str(&out).unwrap();
    let text = fs::read_to_string(path.join("paper.json")).unwrap();
    assert_eq!(
        serde_json::from_str::<Evaluation>(&text).unwrap(),
        evaluation
    );

    // What the default engine is built for, in cycles per hash.
    for (preset, most) in [
        ("filecoin-arity-2", 13.5),
        ("filecoin-arity-4", 26.5),
        ("filecoin-arity-8", 51.5),
        ("filecoin-arity-11", 68.5),
        ("plonky2", 8.5),
    ] {
        let mut engines = evaluation.engines.iter();
        let engine = engines.find(|engine| {
            engine.preset == preset && (engine.num_full, engine.num_partial) == DEFAULT_ENGINE
        });
        let cycles = engine.unwrap().measurement.cycles_per_hash;
        assert!(cycles <= most && cycles > most / 2.0, "{preset}: {cycles}");
    }
    // The same cycles as on the RTL, see the README.
    let cycles: Vec<_> = evaluation
        .trees
        .iter()
        .map(|tree| (tree.leaves, tree.cycles))
        .collect();
    assert_eq!(cycles, [(4096, 92_232), (8192, 148_503)]);
    // One standard tree has nothing to merge, two have.
    assert_eq!(evaluation.unmerged[0], evaluation.trees[0]);
    assert!(evaluation.unmerged[1].cycles > 160_000);
    // Rows of eight elements a permutation, and the tree over them.
    let rows = evaluation.wide_rows.iter();
    let rows: Vec<_> = rows
        .map(|rows| (rows.columns, rows.permutations, rows.tree.cycles))
        .collect();
    assert_eq!(
        rows,
        [
            (8, 1, 86_345),
            (16, 2, 156_304),
            (100, 13, 899_757),
            (135, 17, 1_169_818),
            (1000, 125, 8_464_426)
        ]
    );
    // What is under way needs room: with too little of it the engines wait, and more than enough changes nothing.
    assert_eq!(evaluation.node_memories.len(), 4 * NODE_MEMORY_WORDS.len());
    for of_arity in evaluation.node_memories.chunks(NODE_MEMORY_WORDS.len()) {
        let cycles: Vec<_> = of_arity.iter().map(|memory| memory.tree.cycles).collect();
        assert!(cycles.is_sorted_by(|less, more| less >= more), "{cycles:?}");
        assert!(cycles[4] as f64 <= 1.001 * cycles[5] as f64, "{cycles:?}");
    }
    let pairs = &evaluation.node_memories[..NODE_MEMORY_WORDS.len()];
    assert!(pairs[0].utilisation < 0.3 && pairs[4].utilisation > 0.98);
    for rows in &evaluation.wide_rows {
        assert_eq!((rows.preset.as_str(), rows.tree.leaves), ("plonky2", 8192));
        let seconds = rows.tree.cycles as f64 / 500e6;
        let elements = (8192 * rows.columns) as f64;
        assert!((rows.row_rate * seconds / 8192.0 - 1.0).abs() < 1e-9);
        assert!((rows.element_rate * seconds / elements - 1.0).abs() < 1e-9);
        // A permutation occupies the busiest sub-engine for 8 cycles.
        let busy = (8192 * rows.permutations * 8) as f64;
        let share = rows.tree.lhe_utilisation * rows.tree.cycles as f64 / busy;
        assert!((share - 1.0).abs() < 1e-3, "{share}");
        // Shared engines have half the rows each, and the nodes, of which there is one for each row. As many rows
        // are under way as the node memory has places for their leaves, which keep them busy two thirds of the time.
        let shared = rows.shared.as_ref().expect("it is measured");
        let gain = rows.tree.cycles as f64 / shared.cycles as f64;
        let most = 2.0 * rows.permutations as f64 / (rows.permutations + 1) as f64;
        assert!((0.55 * most..=most).contains(&gain), "{gain} of {most}");
    }

    let html = fs::read_to_string(path.join("report.html")).unwrap();
    is_self_contained(&html);
    // Millions of rows a second at 500 MHz, and at the clock that is stated for ASAP7.
    let rates = [500.0, ASAP7.megahertz as f64]
        .map(|megahertz| format!("<td>{:.3}</td>", megahertz * 8192.0 / 1_169_818.0))
        .concat();
    let row = format!(
        "<td>135</td><td>17</td><td>8\u{202f}192</td><td>1\u{202f}169\u{202f}818</td><td>142.80</td>\
         {rates}<td>472.7</td><td>3.78</td><td>95.24 %</td><td>5.60 %</td>"
    );
    for text in [
        &row,
        "Table I of the paper",
        "Table II of the paper",
        "Through the DMA",
        "500 ns",
        "23\u{202f}456",
        "74.32 %",
        "figure 5",
        "figure 8",
        "92\u{202f}232",
        "Wide rows of Goldilocks elements",
        "preset of the wide rows",
        "A CPU &lt;x&gt;",
        "a &lt;label&gt;",
        "neptune 13.0.0",
        "164",
    ] {
        assert!(html.contains(text), "{text}");
    }
    assert_eq!(
        html.matches("<figure").count(),
        html.matches("</svg>").count()
    );
    assert_eq!(html.matches("<figure").count(), 8);
}

#[test]
fn sweeps_become_figures_and_a_chapter() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let write = |name: &str, text: &str| {
        fs::write(path.join(name), text).unwrap();
        text_of(&path.join(name)).to_owned()
    };
    let engines = write(
        "engines.toml",
        "measure = 'engine'\nhashes = 512\n[axes]\npreset = ['plonky2', 'filecoin-arity-2']\n\
         num_partial = [1, 2]\nnum_full = [1, 2]",
    );
    let trees = write(
        "trees.toml",
        "measure = 'tree'\n[axes]\npreset = ['filecoin-arity-2']\nleaves = [16, 32, 33, 64]\n\
         input_stall = [0.0, 0.5]",
    );
    let engine = |num_full: usize, num_partial: usize| {
        let area = 1e6 * (2 * num_full + num_partial) as f64;
        json!({"num_full": num_full, "num_partial": num_partial, "goldilocks": true,
            "area_um2": area, "ge": 10.0 * area})
    };
    let area = json!({"library": "asap7", "engines":
        [engine(1, 1), engine(1, 2), engine(2, 1), engine(2, 2)]});
    let area = write("area.json", &area.to_string());
    let results = path.join("results");
    let out = |name: &str| text_of(&results.join(name)).to_owned();
    let model = ["--backend", "model", "--out"];
    succeed(
        &[
            ["sweep", &engines].as_slice(),
            &model,
            &[&out("engines"), "--area", &area],
        ]
        .concat(),
    );
    succeed(&[["sweep", &trees].as_slice(), &model, &[&out("trees")]].concat());
    let chapter = path.join("chapter.md");
    let written = succeed(&[
        "report",
        text_of(&results),
        "--markdown",
        text_of(&chapter),
        "--json",
    ]);
    let written: Value = serde_json::from_str(&written).unwrap();
    assert_eq!(
        (&written["sections"], &written["figures"]),
        (&json!(2), &json!(2))
    );
    let html = fs::read_to_string(results.join("report.html")).unwrap();
    is_self_contained(&html);
    // The engines are drawn over their areas, the leaves that fill no tree are an error of two points.
    assert!(html.contains("area of a hash engine in mm² (asap7)"));
    assert!(html.contains("2 of 8 points could not be measured"));
    assert!(html.contains("input stall 0.5"));
    for text in [
        "8 points, measured on the backend <code>model</code>, parameter sets: <code>plonky2</code>, \
         <code>filecoin-arity-2</code>.",
        "33 leaves do not fill",
        "prefers-color-scheme: dark",
    ] {
        assert!(html.contains(text), "{text}: {html}");
    }
    // In the order of the specification, which is not that of the alphabet.
    let place = |text: &str| html.find(text).unwrap();
    assert!(place("<td>plonky2</td>") < place("<td>filecoin-arity-2</td>"));
    // A page has its own colours, a file fixed ones.
    assert!(!html.contains("fill=\"#") && !html.contains("stroke=\"#"));
    let chapter = fs::read_to_string(chapter).unwrap();
    for figure in ["chapter/engines-pareto.svg", "chapter/trees-cycles.svg"] {
        assert!(chapter.contains(figure), "{chapter}");
        let svg = fs::read_to_string(path.join(figure)).unwrap();
        assert!(svg.starts_with("<svg ") && svg.contains("http://www.w3.org/2000/svg"));
    }
}

#[test]
fn what_cannot_be_reported_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let (code, out, err) = run(&["report", text_of(path)]);
    assert_eq!((code, out.as_str()), (1, ""));
    assert!(err.contains("there are no results"), "{err}");
    assert!(!path.join("report.html").exists());

    let (code, _, err) = run(&["report", text_of(&path.join("nowhere"))]);
    assert!(code == 1 && err.contains("nowhere"), "{err}");

    fs::write(path.join("paper.json"), "{\"version\": 1}").unwrap();
    let (code, _, err) = run(&["report", text_of(path)]);
    assert!(code == 1 && err.contains("paper.json"), "{err}");

    // Wrong peers are refused before anything is measured or written.
    let out = path.join("out");
    fs::write(path.join("peers.json"), "{}").unwrap();
    let peers = path.join("peers.json");
    let arguments = [
        "bench",
        "paper",
        "--out",
        text_of(&out),
        "--peers",
        text_of(&peers),
    ];
    let (code, _, err) = run(&arguments);
    assert!(code == 1 && err.contains("peers.json"), "{err}");
    assert!(!out.exists());
    let mut wrong = self::peers();
    wrong["hashes"][0]["nanoseconds_per_hash"] = json!(-20.0);
    fs::write(&peers, wrong.to_string()).unwrap();
    let (code, _, err) = run(&arguments);
    assert_eq!(code, 1, "{err}");
    assert!(
        err.contains("nanoseconds_per_hash of neptune for filecoin-arity-2 is -20"),
        "{err}"
    );
    assert!(!out.exists());

    // So are wrong runs through the DMA.
    let mut wrong = self::dma();
    wrong["runs"][1]["cycles"] = json!(0);
    let dma = path.join("dma.json");
    fs::write(&dma, wrong.to_string()).unwrap();
    let arguments = [
        "bench",
        "paper",
        "--out",
        text_of(&out),
        "--dma",
        text_of(&dma),
    ];
    let (code, _, err) = run(&arguments);
    assert!(
        code == 1 && err.contains("cycles of filecoin-arity-2 through DMA is 0"),
        "{err}"
    );
    assert!(!out.exists());

    for leaves in ["100", "5000", "16777216", "x"] {
        let (code, _, err) = run(&["bench", "paper", "--most-leaves", leaves]);
        assert!(
            code == 2 && err.contains("the paper's trees have 4096, 8192"),
            "{err}"
        );
    }
}

/// Every sweep that measured something is drawn, however many lines it has.
#[test]
fn many_lines_are_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let specification = format!(
        "{}/../../docs/examples/trees.toml",
        env!("CARGO_MANIFEST_DIR")
    );
    let out = text_of(path);
    succeed(&["sweep", &specification, "--backend", "model", "--out", out]);
    let written = succeed(&["report", out, "--json"]);
    let written: Value = serde_json::from_str(&written).unwrap();
    assert_eq!(written["figures"], 3);
    let html = fs::read_to_string(path.join("report.html")).unwrap();
    for text in [
        "Cycles of a tree of filecoin-arity-8 against",
        "leaf: hash, 1 + 1 sub-engines, input stall 0.9",
    ] {
        assert!(html.contains(text), "{text}");
    }
}

/// What was measured is not overwritten, and what cannot have been measured is not shown.
#[test]
fn results_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let results = path.join("results");
    let specification = path.join("one.toml");
    fs::write(
        &specification,
        "measure = 'engine'\nhashes = 512\n[axes]\npreset = ['plonky2']",
    )
    .unwrap();
    let out = text_of(&results).to_owned();
    succeed(&[
        "sweep",
        text_of(&specification),
        "--backend",
        "model",
        "--out",
        &out,
    ]);
    let rows = results.join("rows.jsonl");
    let before = fs::read_to_string(&rows).unwrap();
    let page = path.join("page.md");
    for arguments in [
        vec!["--out", text_of(&rows)],
        vec!["--markdown", text_of(&rows)],
        vec!["--out", text_of(&page), "--markdown", text_of(&page)],
    ] {
        let (code, _, err) = run(&[&["report", &out], &arguments[..]].concat());
        assert!(code == 2 && err.contains("error: "), "{arguments:?}: {err}");
        assert_eq!(fs::read_to_string(&rows).unwrap(), before);
        assert!(!page.exists());
    }
    let mut row: Value = serde_json::from_str(&before).unwrap();
    row["cycles_per_hash"] = json!(-1.0);
    fs::write(&rows, format!("{row}\n")).unwrap();
    let (code, _, err) = run(&["report", &out]);
    assert_eq!(code, 1);
    assert!(
        err.contains("rows.jsonl, line 1") && err.contains("cycles_per_hash = -1"),
        "{err}"
    );

    // The same of an evaluation, and two of them.
    let first = path.join("evaluations");
    let figures = ["--most-leaves", "4096", "--json", "--out"];
    let evaluation = succeed(&[&["bench", "paper"], &figures[..], &[text_of(&first)]].concat());
    let paper = first.join("paper.json");
    let mut wrong: Value = serde_json::from_str(&evaluation).unwrap();
    wrong["trees"][0]["milliseconds_at_500_mhz"] = json!(-0.5);
    fs::write(&paper, wrong.to_string()).unwrap();
    let (code, _, err) = run(&["report", text_of(&first)]);
    assert_eq!(code, 1);
    assert!(
        err.contains("milliseconds_at_500_mhz of 4096 leaves is -0.5"),
        "{err}"
    );
    let mut wrong: Value = serde_json::from_str(&evaluation).unwrap();
    wrong["wide_rows"][3]["element_rate"] = json!(0);
    fs::write(&paper, wrong.to_string()).unwrap();
    let (code, _, err) = run(&["report", text_of(&first)]);
    assert_eq!(code, 1);
    assert!(
        err.contains("element_rate of rows of 135 elements is 0"),
        "{err}"
    );
    // An evaluation of before, without them.
    for part in ["wide_rows", "node_memories"] {
        wrong.as_object_mut().unwrap().remove(part);
    }
    fs::write(&paper, wrong.to_string()).unwrap();
    succeed(&["report", text_of(&first)]);
    let page_of = || fs::read_to_string(first.join("report.html")).unwrap();
    assert!(!page_of().contains("ide rows"));
    fs::write(&paper, &evaluation).unwrap();
    succeed(&["report", text_of(&first)]);
    assert!(page_of().contains("Wide rows") && page_of().contains("Node memory"));
    fs::create_dir(first.join("other")).unwrap();
    fs::write(first.join("other/paper.json"), &evaluation).unwrap();
    let (code, _, err) = run(&["report", text_of(&first)]);
    assert!(code == 1 && err.contains("are two evaluations"), "{err}");
}

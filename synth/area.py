#!/usr/bin/env python3
# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0
"""Measures area and timing of the design on a library of cells: `make area`.

Without --top the whole chip is measured, the hash engines of every size and the baseline, and the results
go to synth/results/LIB.json. With --top only the module and what is below it; the results go to
target/area/LIB/TOP.json, and with --json FILE elsewhere. Needs the packages of requirements.txt, and
OpenSTA for every library but `generic`.
"""

import argparse
import hashlib
import json
import pickle
import subprocess
import sys
import time
from pathlib import Path

import elaborate
from flow import design as designs
from flow import library as libraries
from flow import results, tools
from flow.errors import FlowError
from flow.memory import MemoryModel
from flow.runner import Runner

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "target" / "area"
RESULTS = ROOT / "synth" / "results"
BASELINE = ROOT / "synth" / "baseline" / "acclmt_baseline_montgomery.sv"
CYCLES = ROOT / "synth" / "cycles.json"
CHIP, ENGINE, BASELINE_TOP = "acclmt_core", "acclmt_hash_engine", "acclmt_baseline_montgomery"
NUM_FULL, NUM_PARTIAL = range(1, 3), range(1, 7)
DEFAULT_ENGINE = (1, 4)


def say(text):
    """A line of progress."""
    print(f"area: {text}", flush=True)


def elaborated(top, parameters):
    """The design below a module; kept for the next run with the same sources."""
    sources = elaborate.read_file_list(elaborate.FILE_LIST) + [BASELINE]
    if top not in [path.stem for path in sources]:
        raise FlowError(f"TOP={top} is no module of {elaborate.FILE_LIST.relative_to(ROOT)}")
    digest = hashlib.sha256(json.dumps([top, parameters, tools.versions()["yosys"]]).encode())
    for path in [*sources, Path(designs.__file__)]:
        digest.update(path.read_bytes())
    file = TARGET / "elaborated" / f"{digest.hexdigest()[:16]}.pickle"
    if file.is_file():
        return pickle.loads(file.read_bytes())
    values = " ".join(f"{key}={value}" for key, value in parameters.items())
    say(f"elaborating {top} {values}".rstrip())
    design = designs.elaborate(sources, top, parameters, TARGET / "elaborated")
    partial = file.with_suffix(".partial")
    partial.write_bytes(pickle.dumps(design))
    partial.rename(file)
    return design


def commit(root=ROOT):
    """The commit of the sources, with -dirty if they differ from it; None outside a repository.

    The sources are the RTL and the flow: results and pages that a run has written are none.
    """
    git = ["git", "-C", str(root)]
    head = subprocess.run(
        [*git, "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True, check=False
    )
    if head.returncode != 0:
        return None
    sources = ["rtl", "synth", ":(exclude)synth/results"]
    clean = subprocess.run([*git, "diff", "--quiet", "HEAD", "--", *sources], check=False)
    return head.stdout.strip() + ("" if clean.returncode == 0 else "-dirty")


def write(path, text):
    """Writes a file as a whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".partial")
    partial.write_text(text)
    partial.rename(path)


def write_netlists(runner, wanted, folder):
    """The netlist of each unit, MODULE.v alone and, for the tops, TOP.v with everything below."""
    for design in wanted:
        texts = []
        for unit in design.order():
            text = (runner.unit_folder(unit.name) / "netlist.v").read_text()
            write(folder / "modules" / f"{unit.name}.v", text)
            texts.append(text)
        write(folder / f"{design.top}.v", "\n".join(texts))


def describe_library(library):
    """The library, for the results."""
    entry = {
        "library": library.name,
        "description": library.description,
        "reference_gate": library.reference_gate,
        "clock_ns": library.clock_ns,
        "memory_model": {
            "source": library.memory["source"],
            "area_per_bit": [
                {
                    "macro": macro.name,
                    "up_to_words": macro.depth,
                    ("um2" if library.mapped else "ge"): round(macro.area_per_bit, 5),
                }
                for macro in library.macros
            ],
        },
    }
    if library.mapped:
        entry["reference_gate_um2"] = library.reference_area
        entry["liberty_sha256"] = library.digest
    return entry


def comparison(runner, model, cycles, runtime_modulus):
    """Engines, baseline, ratios and prices; that of the run-time modulus only if asked for."""
    engine = {
        kind: elaborated(ENGINE, parameters)
        for kind, parameters in {
            "default": {},
            "large_prime_only": {"Goldilocks": 0},
            "without_store": {"Store": 0},
            "without_adders": {"Adders": 0},
            "with_parity": {"MemoryParity": 1},
            "runtime_modulus": {"Reduction": 1},
        }.items()
        if runtime_modulus or kind != "runtime_modulus"
    }
    baseline = elaborated(BASELINE_TOP, {})
    sizes = {
        (full, partial): (
            engine["default"]
            if (full, partial) == DEFAULT_ENGINE
            else elaborated(ENGINE, {"NumFull": full, "NumPartial": partial})
        )
        for full in NUM_FULL
        for partial in NUM_PARTIAL
    }
    runner.run([*engine.values(), baseline, *sizes.values()])
    found = {}
    for design in [*engine.values(), baseline, *sizes.values()]:
        found.update(results.totals(design, runner.results, model))
    whole = {kind: found[design.top] for kind, design in engine.items()}
    multiplier = found[baseline.top]
    paper_ge = results.PAPER_MULTIPLIERS * multiplier.ge
    size = {key: found[design.top] for key, design in sizes.items()}
    base = size[DEFAULT_ENGINE].ge

    def price(ge):
        return {"ge": round(ge - base, 1), "percent": round(100 * (ge / base - 1), 2)}

    baseline_entry = results.total_entry(multiplier)
    baseline_entry["module"] = baseline.top
    baseline_entry["multipliers"] = results.PAPER_MULTIPLIERS
    baseline_entry["engine_ge"] = round(paper_ge, 1)
    if multiplier.area_um2 is not None:
        baseline_entry["engine_area_um2"] = round(
            results.PAPER_MULTIPLIERS * multiplier.area_um2, 1
        )
    ratios = results.hashes_per_area(whole["default"].ge, paper_ge, cycles)
    ratios["large_prime_only"] = results.hashes_per_area(
        whole["large_prime_only"].ge, paper_ge, cycles
    )
    ratios["area"] = {
        "multiplier": results.block_ge(results.MULTIPLIER_PARTS, found, "__Goldilocks0"),
        "squarer": results.block_ge(results.SQUARER_PARTS, found, "__Goldilocks0"),
        "multiplier_both_fields": results.block_ge(results.MULTIPLIER_PARTS, found),
        "squarer_both_fields": results.block_ge(results.SQUARER_PARTS, found),
    }
    ratios["area"] = {k: round(v / multiplier.ge, 4) for k, v in ratios["area"].items()}
    ratios["area"]["engine"] = round(whole["default"].ge / paper_ge, 4)
    ratios["area"]["engine_large_prime_only"] = round(whole["large_prime_only"].ge / paper_ge, 4)
    entry = {
        "engine": {kind: results.total_entry(total) for kind, total in whole.items()},
        "baseline": baseline_entry,
        "ratios": ratios,
        "prices": {
            "goldilocks": {
                "ge": round(whole["default"].ge - whole["large_prime_only"].ge, 1),
                "percent": round(100 * (base / whole["large_prime_only"].ge - 1), 2),
            },
            "adders": {
                "ge": round(base - whole["without_adders"].ge, 1),
                "percent": round(100 * (base / whole["without_adders"].ge - 1), 2),
            },
            "store": {
                "ge": round(base - whole["without_store"].ge, 1),
                "percent": round(100 * (base / whole["without_store"].ge - 1), 2),
            },
            "memory_parity": price(whole["with_parity"].ge),
            "runtime_modulus": (
                price(whole["runtime_modulus"].ge) if runtime_modulus else None
            ),
            "full_round_sub_engine": price(size[DEFAULT_ENGINE[0] + 1, DEFAULT_ENGINE[1]].ge),
            "partial_round_sub_engine": price(size[DEFAULT_ENGINE[0], DEFAULT_ENGINE[1] + 1].ge),
        },
        "cycles": cycles,
        "engines": [
            {
                "num_full": full,
                "num_partial": partial,
                "goldilocks": True,
                "area_um2": results.rounded(total.area_um2),
                "ge": results.rounded(total.ge),
            }
            for (full, partial), total in size.items()
        ],
    }
    return entry, [*engine.values(), baseline]


def measure(arguments):
    """Runs the flow; returns the results."""
    started = time.time()
    library = libraries.load(arguments.library)
    versions = tools.versions()
    folder = TARGET / library.name
    if library.mapped:
        tools.find_sta()
        library.unpack(folder / "liberty")
    else:
        versions["opensta"] = None
    model = MemoryModel(library)
    runner = Runner(library, model, folder, versions, arguments.jobs, say)
    data = describe_library(library)
    data["commit"] = commit()
    data["tools"] = versions
    wanted = []
    if arguments.top is None or arguments.top == ENGINE:
        cycles = json.loads(CYCLES.read_text())
        entry, wanted = comparison(runner, model, cycles, not arguments.no_runtime_modulus)
        data.update(entry)
    top = arguments.top or CHIP
    if top != ENGINE:
        design = elaborated(top, dict(arguments.parameter))
        runner.run([design])
        wanted.append(design)
    modules, memories = {}, {}
    for design in wanted:
        found = results.totals(design, runner.results, model)
        for unit in design.order():
            modules[unit.name] = results.module_entry(
                runner.results[unit.name], found[unit.name], library
            )
        for name, (width, depth) in design.memories.items():
            memories[name] = {
                "width": width,
                "depth": depth,
                "area_um2": results.rounded(model.area_um2(width, depth), 2),
                "ge": results.rounded(model.ge(width, depth), 2),
            }
    if top != ENGINE:
        data["top"] = {"module": wanted[-1].top, **results.total_entry(found[wanted[-1].top])}
        if library.mapped:
            unit = wanted[-1].units[wanted[-1].top]
            data["top"]["ports"] = results.port_entries(unit, runner.results[unit.name].timing)
    data["modules"] = dict(sorted(modules.items()))
    data["memories"] = dict(sorted(memories.items()))
    data["run"] = {
        "seconds": round(time.time() - started, 1),
        "unit_seconds": round(sum(r.seconds for r in runner.results.values()), 1),
        "peak_mb_of_a_unit": max(r.peak_mb for r in runner.results.values()),
    }
    write_netlists(runner, wanted, folder)
    return data, wanted


def print_table(data, wanted):
    """The modules, largest first, and the ratios."""
    print(f"{'module':48} {'um^2':>10} {'GE':>10} {'own GE':>9} {'FF':>7} {'memory bit':>10} {'ns':>6}")
    for name, entry in sorted(data["modules"].items(), key=lambda item: -item[1]["ge"]):
        area = "-" if entry["area_um2"] is None else f"{entry['area_um2']:.0f}"
        worst = "-" if entry["worst_path_ns"] is None else f"{entry['worst_path_ns']:.2f}"
        print(
            f"{name:48} {area:>10} {entry['ge']:10.0f} {entry['own_ge']:9.0f}"
            f" {entry['flip_flops']:7} {entry['memory_bits']:10} {worst:>6}"
        )
    if "ratios" in data:
        for title, ratios in (
            ("both fields", data["ratios"]),
            ("large prime only", data["ratios"]["large_prime_only"]),
        ):
            figures = ", ".join(f"{key[6:]}: {ratios[key]:.2f}" for key in ratios if key.startswith("arity_"))
            print(f"hashes per cycle per area against the paper's engine, {title}, at arity {figures}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--library", default="generic", help="asap7, sg13g2 or generic [generic]")
    parser.add_argument("--top", help=f"module to measure [{CHIP}, engines and baseline]")
    elaborate.add_parameter_argument(parser, "the module of --top")
    parser.add_argument(
        "--no-runtime-modulus",
        action="store_true",
        help="leave the engine with the run-time modulus out, which takes the longest; its price is null",
    )
    parser.add_argument("--jobs", type=int, default=2, help="units at a time [2]")
    parser.add_argument("--json", type=Path, help="where the results go")
    arguments = parser.parse_args()
    try:
        if arguments.jobs < 1:
            raise FlowError(f"--jobs {arguments.jobs} is not above 0")
        if arguments.parameter and arguments.top in (None, ENGINE):
            raise FlowError("--parameter needs a --top, and the engine has its own list of them")
        data, wanted = measure(arguments)
        if arguments.json:
            path = arguments.json
        elif arguments.top is None:
            path = RESULTS / f"{arguments.library}.json"
        else:
            path = TARGET / arguments.library / f"{arguments.top}.json"
        write(path, json.dumps(data, indent=1) + "\n")
        print_table(data, wanted)
        say(f"written: {path}")
    except (FlowError, OSError, ValueError) as error:
        sys.exit(f"area: {error}")


if __name__ == "__main__":
    main()

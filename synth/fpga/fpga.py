#!/usr/bin/env python3
# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0
"""Counts what the design takes of an FPGA: LUTs, DSP blocks, flip-flops and block RAM: `make fpga`.

Every unit of the design, as `make area` cuts it, and every size of memory is synthesised once by the flow of
Yosys for the family, and kept in target/fpga; what is above adds up. Nothing is placed: there is no clock here.

Needs the packages of synth/requirements.txt.
"""

import argparse
import json
import sys
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import area  # noqa: E402
import elaborate  # noqa: E402
import route  # noqa: E402
from flow import tools  # noqa: E402
from flow.design import MEMORY, parse_rtlil  # noqa: E402
from flow.errors import FlowError  # noqa: E402
from flow.runner import digest_of, keep  # noqa: E402

ROOT = HERE.parent.parent
TARGET = ROOT / "target" / "fpga"
FAMILIES = HERE / "families.toml"
KINDS = ("lut", "ff", "dsp", "bram")
# The leaves of multipliers and squarers, and what takes their places.
LEAVES = {"acclmt_mul_leaf": "acclmt_dsp_mul", "acclmt_sqr_leaf": "acclmt_dsp_sqr"}
MULTIPLIERS = ("dsp", "inferred")
# Measured without TOP, blocks and engines as modules of them: a chip for an FPGA, and the default one.
SMALL = {"NumEngines": 1, "NumPartial": 1, "Store": 0, "Adders": 0}
DESIGNS = [("acclmt_core", SMALL), ("acclmt_core", {})]


def say(text):
    print(f"fpga: {text}", file=sys.stderr, flush=True)


class Family:
    """A family of FPGAs, of families.toml, and how its multipliers are made, one of `MULTIPLIERS`."""

    def __init__(self, name, multiplier="dsp"):
        data = tomllib.loads(FAMILIES.read_text())
        self.name = name
        self.multiplier = multiplier
        self.data = data[name]
        self.known = {
            cell for kind in (*KINDS, "free") for cell in self.data[kind]
        }

    def leaves(self, text):
        """The Yosys commands that put the leaves of the family in place of those of a unit's text (RTLIL)."""
        if self.multiplier == "inferred":
            return []
        commands = [f"read_verilog -lib {cells}" for cells in self.data["cells"]]
        for module in parse_rtlil(text).values():
            base, name = module.base.split("__")[0], module.name.removeprefix("\\")
            if base in LEAVES:
                leaf = LEAVES[base]
                commands += [
                    f"delete {name}",
                    f"read_verilog -overwrite {HERE / self.data['leaves']}",
                    f"chparam -set Width {module.parameters['Width']} {leaf}",
                    f"rename {leaf} {name}",
                ]
        return commands

    def commands(self, top):
        """The Yosys commands that synthesise the module `top`, once it is read."""
        return [
            f"hierarchy -check -top {top}",
            "proc",
            "flatten",
            "opt_expr",
            "opt_clean",
            "opt -nodffe -nosdff",
            # Sums of many terms become trees of adders of three. Products are left for DSP blocks.
            "wreduce t:$add t:$sub t:$mul %u %u %n",
            "peepopt",
            "opt_clean",
            "alumacc t:$add t:$sub",
            "opt_clean",
            f"techmap -map {HERE / 'sums.v'}",
            "opt_expr",
            "opt_clean",
            f"techmap -map {HERE / self.data['ternary']}",
            "opt_expr",
            "opt_clean",
            self.data["synthesis"].format(top=top),
        ]

    def digest(self):
        """Of everything that the counts of a text depend on."""
        names = ["sums.v", self.data["ternary"], self.data["leaves"]]
        return digest_of([*self.commands("TOP"), self.multiplier, *((HERE / name).read_text() for name in names)])

    def count(self, cells, below, what):
        """LUTs, flip-flops, DSP blocks and block RAMs of cells (type -> number)."""
        unknown = sorted(set(cells) - self.known - set(below))
        if unknown:
            raise FlowError(f"{what}: {', '.join(unknown)} has no price in {FAMILIES.relative_to(ROOT)}")
        return {
            kind: sum(price * cells.get(cell, 0) for cell, price in self.data[kind].items())
            for kind in KINDS
        }


def memory_source(sources, width, depth):
    """What the result of a memory depends on, and the commands that read it with its module."""
    text = next(path for path in sources if path.stem == MEMORY).read_text() + f"{width} {depth}"
    files = [p for p in sources if p.parent.name == "pkg" or p.stem in (MEMORY, "acclmt_memory_pkg")]
    read = [
        "read_verilog -sv -D SYNTHESIS " + " ".join(f'"{path}"' for path in files),
        f"chparam -set Width {width} -set Depth {depth} {MEMORY}",
    ]
    return text, (read, MEMORY)


class Counter:
    """Synthesises units and memories for a family, each once; the counts stay in `folder`."""

    def __init__(self, family, folder, version, jobs):
        self.family = family
        self.folder = folder
        self.basis = [family.digest(), version]
        self.jobs = jobs
        self.cells = {}

    def run(self, designs):
        """Name -> cells of every unit and memory of the designs."""
        sources = elaborate.read_file_list(elaborate.FILE_LIST)
        # What the result depends on; how it is read (a unit: that text), and its name then.
        work = {}
        for design in designs:
            for unit in design.order():
                work[unit.name] = (unit.text, ([], unit.name))
            for name, (width, depth) in design.memories.items():
                work[name] = memory_source(sources, width, depth)
        waiting = sorted(
            (name for name in work if name not in self.cells), key=lambda name: -len(work[name][0])
        )
        done = 0
        with ThreadPoolExecutor(self.jobs) as pool:
            running = {pool.submit(self.synthesise, name, *work[name]): name for name in waiting}
            try:
                for future in as_completed(running):
                    name = running[future]
                    self.cells[name], seconds = future.result()
                    done += 1
                    used = "kept" if seconds is None else f"{seconds:.0f} s"
                    say(f"[{done}/{len(waiting)}] {name} ({used})")
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise

    def synthesise(self, name, text, source):
        """Cells of a unit or memory, and the seconds that it took; None if it was there."""
        folder = self.folder / "units" / digest_of([*self.basis, text])
        file = folder / "cells.json"
        if file.is_file():
            return json.loads(file.read_text()), None
        began = time.monotonic()
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "unit.il").write_text(text)
        read, top = source
        read = read or [f"read_rtlil {folder / 'unit.il'}", *self.family.leaves(text)]
        commands = [*read, *self.family.commands(top), f"tee -q -o {folder / 'stat.json'} stat -json"]
        tools.run_yosys(commands, f"synthesis of {name}", folder / "yosys.log")
        modules = json.loads((folder / "stat.json").read_text())["modules"]
        cells = modules["\\" + top]["num_cells_by_type"]
        keep(file, cells)
        return cells, time.monotonic() - began

    def totals(self, design):
        """Name -> counts with everything below, and own counts."""
        own, found = {}, {}
        for name in design.memories:
            found[name] = self.family.count(self.cells[name], {}, name)
        for unit in design.order():
            below = {**unit.units, **unit.memories}
            cells = self.cells[unit.name]
            for name, times in below.items():
                if cells.get(name) != times:
                    raise FlowError(f"{unit.name}: {cells.get(name)} of {name} after synthesis, not {times}")
            own[unit.name] = self.family.count(cells, below, unit.name)
            found[unit.name] = {
                kind: own[unit.name][kind] + sum(times * found[name][kind] for name, times in below.items())
                for kind in KINDS
            }
        return found, own


def title(top, parameters):
    return " ".join([top, *(f"{key}={value}" for key, value in parameters.items())])


def measure(arguments):
    family = Family(arguments.family, arguments.multiplier)
    wanted = DESIGNS if arguments.top is None else [(arguments.top, dict(arguments.parameter))]
    versions = tools.versions()
    counter = Counter(family, TARGET / family.name, versions["yosys"], arguments.jobs)
    designs = [(title(top, parameters), area.elaborated(top, parameters)) for top, parameters in wanted]
    counter.run([design for _, design in designs])
    data = {
        "family": family.name,
        "description": family.data["description"],
        "multiplier": family.multiplier,
        "commit": area.commit(),
        "yosys": versions["yosys"],
        "device": family.data.get("device"),
        "designs": {},
        "modules": {},
    }
    for name, design in designs:
        found, own = counter.totals(design)
        data["designs"][name] = found[design.top]
        for unit in design.order():
            data["modules"][unit.name] = {"total": found[unit.name], "own": own[unit.name]}
        for memory, (width, depth) in design.memories.items():
            data["modules"][memory] = {"total": found[memory], "width": width, "depth": depth}
    data["modules"] = dict(sorted(data["modules"].items()))
    return data


def routed(arguments):
    """A block placed and routed, and its counts by Yosys."""
    family = Family(arguments.family, arguments.multiplier)
    design = area.elaborated(arguments.top, dict(arguments.parameter))
    name = title(arguments.top, dict(arguments.parameter))
    folder = TARGET / family.name / "routed" / design.top
    clock, used = route.route(family, design.units[design.top], folder, arguments.seed)
    return {
        "family": family.name,
        "device": route.DEVICE_NAME,
        "multiplier": family.multiplier,
        "commit": area.commit(),
        "seed": arguments.seed,
        "design": name,
        "clock_mhz": clock and round(clock, 1),
        "used": used,
    }


def print_routed(data):
    used = ", ".join(f"{count} {kind}" for kind, (count, _) in data["used"].items())
    clock = f"{data['clock_mhz']} MHz" if data["clock_mhz"] else "no path"
    print(f"{data['design']}: {clock} from register to register on {data['device']}; {used}")


def print_table(data):
    """Modules and designs, the largest first."""
    print(f"{'module':56} {'LUT':>9} {'own LUT':>9} {'FF':>9} {'DSP':>6} {'BRAM':>7}")
    rows = sorted(data["modules"].items(), key=lambda item: -item[1]["total"]["lut"])
    for name, entry in rows:
        total = entry["total"]
        own = f"{entry['own']['lut']:.0f}" if "own" in entry else "-"
        print(
            f"{name:56} {total['lut']:9.0f} {own:>9} {total['ff']:9.0f} {total['dsp']:6.0f} {total['bram']:7.1f}"
        )
    device = data["device"]
    for name, total in data["designs"].items():
        share = ""
        if device:
            lut, dsp = 100 * total["lut"] / device["lut"], 100 * total["dsp"] / device["dsp"]
            share = f", {lut:.1f} % of the LUTs and {dsp:.1f} % of the DSPs of an {device['name']}"
        counts = f"{total['lut']:.0f} LUT, {total['dsp']:.0f} DSP, {total['ff']:.0f} FF, {total['bram']:.1f} BRAM"
        print(f"{name}: {counts}{share}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    families = sorted(tomllib.loads(FAMILIES.read_text()))
    parser.add_argument("--family", choices=families, default="xcup", help="[xcup]")
    parser.add_argument(
        "--multiplier",
        choices=MULTIPLIERS,
        default="dsp",
        help="leaves of multipliers and squarers: DSP blocks with their chains, or what Yosys makes of a product [dsp]",
    )
    parser.add_argument("--top", help="module to count [the chip with one small engine, and the default one]")
    elaborate.add_parameter_argument(parser, "the module of --top")
    parser.add_argument("--route", action="store_true", help="place and route --top, a block by itself, on ecp5")
    parser.add_argument("--seed", type=int, help="of the placement, with --route [1]")
    parser.add_argument("--jobs", type=int, default=2, help="units at a time [2]")
    parser.add_argument("--json", type=Path, help="where the results go [target/fpga/FAMILY/TOP.json]")
    arguments = parser.parse_args()
    try:
        if arguments.jobs < 1:
            raise FlowError(f"--jobs {arguments.jobs} is not above 0")
        if arguments.parameter and arguments.top is None:
            raise FlowError("--parameter needs a --top")
        if arguments.route and arguments.top is None:
            raise FlowError("--route needs a --top")
        if arguments.seed is not None and not arguments.route:
            raise FlowError("--seed needs --route")
        if arguments.seed is None:
            arguments.seed = 1
        data = routed(arguments) if arguments.route else measure(arguments)
        name = f"{arguments.top or 'all'}{'_routed' if arguments.route else ''}.json"
        path = arguments.json or TARGET / arguments.family / name
        area.write(path, json.dumps(data, indent=1) + "\n")
        (print_routed if arguments.route else print_table)(data)
        say(f"written: {path}")
    except (FlowError, OSError, ValueError) as error:
        sys.exit(f"fpga: {error}")


if __name__ == "__main__":
    main()

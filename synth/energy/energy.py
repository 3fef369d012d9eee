#!/usr/bin/env python3
# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0
"""Measures the energy of the arithmetic blocks, of layouts of `make place`, by the switching activity of a
simulation with the delays of the routed netlist: `make energy`.

For each block: OpenROAD writes the delays (SDF) of its layout; Icarus Verilog simulates the netlist with them,
the operands random residues as a hash has them, an operation each cycle, each result compared with the integers of
Python; OpenSTA in OpenROAD reads the activity of every pin and sums the power up, clock tree and glitches
included. Where OpenROAD or a layout is missing nothing is done, which is said, and is no failure.

Needs the packages of synth/requirements.txt, OpenROAD-flow-scripts, Icarus Verilog, and the layouts.
"""

import argparse
import json
import os
import random as random_numbers
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "gates"), str(HERE.parent / "place")]

import cells  # noqa: E402
import hashes  # noqa: E402
import area  # noqa: E402
import place  # noqa: E402
from blocks import LATENCIES, reduce_latency  # noqa: E402
from fields import Goldilocks, Large  # noqa: E402
from flow.errors import FlowError  # noqa: E402
from netlists import Netlists  # noqa: E402

TARGET = ROOT / "target" / "energy"
# Cycles whose activity counts, and those before them, in which the pipeline fills.
CYCLES, BEFORE = 64, 24
# Inputs change in this part of the period, as those of a neighbour with registers do.
ARRIVAL = 0.2
# Rows of the report: internal, switching, leakage, total power in W.
GROUP = re.compile(
    r"^(Sequential|Combinational|Clock|Macro|Total)\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)\s+\d+\.\d+%\s*$", re.M
)
ANNOTATED = re.compile(r"^(vcd|unannotated)\s+(\d+)\s*$", re.M)
# The smallest share of pins whose activity must come from the simulation.
LEAST_ANNOTATED = 0.98


class EnergyError(Exception):
    """What is wrong, for the user."""


def say(text):
    print(f"energy: {text}", file=sys.stderr, flush=True)


class Stimulus:
    """What a block is given in each cycle and puts out: a module, its latency, and a function of a field and
    random numbers that makes inputs and the result."""

    def __init__(self, latency, output, make):
        self.latency = latency
        self.output = output
        self.make = make


def multiplication(mode, random):
    """Operands are sums of a coefficient and an element, below 2 p."""
    a, b = (mode.operand(mode.random(random), mode.random(random)) for _ in range(2))
    return {"a_i": a, "b_i": b}, mode.product(a, b)


def squaring(mode, random):
    a = mode.random(random)
    return {"a_i": a}, mode.product(a, a)


def reduction(mode, random):
    value = mode.product(mode.random(random), mode.random(random))
    return {"value_i": value}, mode.reduce(value)


def addition(mode, random):
    a, b = mode.random(random), mode.random(random)
    return {"a_i": a, "b_i": b}, mode.add(a, b)


STIMULI = {
    "acclmt_mul": Stimulus(LATENCIES["MulLatency"], "product_o", multiplication),
    "acclmt_sqr": Stimulus(LATENCIES["MulLatency"], "square_o", squaring),
    "acclmt_reduce_constant": Stimulus(reduce_latency(0), "residue_o", reduction),
    "acclmt_mod_add": Stimulus(1, "sum_o", addition),
}
FIELDS = {"large": Large, "goldilocks": Goldilocks}


def ports_of(netlist, top):
    """Name -> (direction, width) of the ports of a routed netlist."""
    body = netlist[netlist.index(f"module {top} ") :]
    found = re.findall(r"^\s*(input|output) (?:\[(\d+):0\] )?(\w+);", body, re.M)
    return {name: (direction, int(high or 0) + 1) for direction, high, name in found}


def testbench(top, ports, stimulus, period, vcd):
    """Verilog that gives a row of inputs each cycle and compares the output with that of `latency` rows ago."""
    inputs = [name for name, (direction, _) in ports.items() if direction == "input" and name != "clk_i"]
    width = sum(ports[name][1] for name in inputs)
    result = ports[stimulus.output][1]
    rows = BEFORE + CYCLES
    connections = [".clk_i(clk)"]
    low = 0
    for name in inputs:
        connections.append(f".{name}(given[{low}+:{ports[name][1]}])")
        low += ports[name][1]
    connections.append(f".{stimulus.output}(result)")
    arrival, settled = round(ARRIVAL * period), round(0.9 * period)
    return f"""`timescale 1ps/1ps
module testbench;
  reg clk = 0;
  reg [{width - 1}:0] given = 0;
  reg [{width - 1}:0] inputs[0:{rows - 1}];
  reg [{result - 1}:0] results[0:{rows - 1}];
  wire [{result - 1}:0] result;
  integer cycle, wrong = 0;
  {top} dut({", ".join(connections)});
  initial begin
    $readmemh("inputs.hex", inputs);
    $readmemh("results.hex", results);
    for (cycle = 0; cycle < {rows}; cycle = cycle + 1) begin
      if (cycle == {BEFORE}) begin
        $dumpfile("{vcd}");
        $dumpvars(0, dut);
      end
      clk = 1;
      #{arrival} given = inputs[cycle];
      #{period // 2 - arrival} clk = 0;
      #{settled - period // 2};
      if (cycle >= {stimulus.latency} && result !== results[cycle - {stimulus.latency}]) begin
        wrong = wrong + 1;
      end
      #{period - settled};
    end
    $dumpflush;
    $display("wrong %0d", wrong);
    $finish;
  end
endmodule
"""


def write_rows(folder, ports, stimulus, mode, random):
    """The files of inputs and results, a row of hexadecimal digits a cycle."""
    names = [name for name, (direction, _) in ports.items() if direction == "input" and name != "clk_i"]
    inputs, results = [], []
    for _ in range(BEFORE + CYCLES):
        given, result = stimulus.make(mode, random)
        given = {"goldilocks_i": mode.goldilocks, "prime_i": mode.prime, **given}
        row = low = 0
        for name in names:
            row |= given.get(name, 0) << low
            low += ports[name][1]
        inputs.append(f"{row:x}")
        results.append(f"{result:x}")
    (folder / "inputs.hex").write_text("\n".join(inputs) + "\n")
    (folder / "results.hex").write_text("\n".join(results) + "\n")


def run(command, folder, what):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise EnergyError(f"{what} failed:\n{(done.stdout + done.stderr)[-2000:]}")
    return done.stdout


def read_power(report):
    """Group -> power in W (internal, switching, leakage, total), of a report of OpenSTA, with the share of pins
    whose activity is known."""
    groups = {row[0].lower(): [float(value) for value in row[1:]] for row in GROUP.findall(report)}
    if "total" not in groups:
        raise EnergyError(f"the report of OpenSTA has no total:\n{report[-1500:]}")
    annotated = {kind: int(count) for kind, count in ANNOTATED.findall(report)}
    known = annotated.get("vcd", 0)
    share = known / max(1, known + annotated.get("unannotated", 0))
    return groups, share


def measure(block, field, job, flow, netlists, seed):
    """The energy of an operation of a block in a field."""
    stimulus, mode = STIMULI[block], FIELDS[field]()
    folder = TARGET / job.arguments.library / f"{block}_{field}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    layout = job.folder("results")
    values = json.loads((layout / "place.json").read_text())
    period = max(values["period_ps"], values["shortest_period_ps"])
    period = 2 * round(period * 1.05 / 2)
    delays = layout / "delays.sdf"
    if not delays.is_file():
        partial = delays.with_suffix(".partial")
        script(job, flow, HERE / "sdf.tcl", {"ACCLMT_SDF": str(partial)}, folder / "sdf.log")
        partial.rename(delays)
    netlist = (layout / "layout.v").read_text()
    with delays.open() as lines:
        known = cells.read_delays(lines)
    text, missing = cells.annotated(netlist, known, netlists.cells)
    (folder / "netlist.v").write_text("`timescale 1ps/1ps\n" + text)
    ports = ports_of(netlist, block)
    vcd = folder / "activity.vcd"
    (folder / "testbench.v").write_text(testbench(block, ports, stimulus, period, vcd.name))
    write_rows(folder, ports, stimulus, mode, random_numbers.Random(seed))
    run(["iverilog", "-g2005-sv", "-o", "simulation", "testbench.v", "netlist.v"], folder, "iverilog")
    output = run(["vvp", "-n", "simulation"], folder, "the simulation")
    if "wrong 0\n" not in output:
        raise EnergyError(f"{block}, {field}: results differ in the simulation with delays: {output.strip()}")
    report = script(job, flow, HERE / "power.tcl", {"ACCLMT_VCD": str(vcd)}, folder / "power.log")
    groups, share = read_power(report)
    if share < LEAST_ANNOTATED:
        raise EnergyError(f"{block}: only {100 * share:.1f} % of the pins have the activity of the simulation")
    vcd.unlink()
    # Of the simulated period; leakage as well.
    picojoules = {group: row[3] * period for group, row in groups.items()}
    leakage = groups["total"][2] * period
    return {
        "block": block,
        "field": field,
        "library": job.arguments.library,
        "period_ps": period,
        "picojoules": round(picojoules["total"], 3),
        "parts": {group: round(value, 3) for group, value in picojoules.items() if group != "total"},
        "leakage_picojoules": round(leakage, 4),
        "pins_annotated_percent": round(100 * share, 2),
        "outputs_without_delay": missing,
        "cycles": CYCLES,
        "seed": seed,
    }


def script(job, flow, path, variables, log):
    """Runs a Tcl script in OpenROAD with the variables of OpenROAD-flow-scripts; returns what it printed."""
    makefile = log.with_suffix(".mk")
    makefile.write_text(
        f"include {flow / 'Makefile'}\nacclmt:\n\t$(OPENROAD_CMD) -no_splash {path}\n"
    )
    environment = job.environment | variables | {"FLOW_HOME": str(flow)}
    done = subprocess.run(
        ["make", "-C", str(flow), "-f", str(makefile), "acclmt"],
        env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    log.write_text(done.stdout + done.stderr)
    if done.returncode != 0:
        raise EnergyError(f"{path.name} failed, see {log}:\n{(done.stdout + done.stderr)[-1500:]}")
    return done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--library", choices=sorted(place.PLATFORMS), default="asap7", help="[asap7]")
    parser.add_argument("--block", action="append", choices=sorted(STIMULI), help="repeat it [all]")
    parser.add_argument("--field", action="append", choices=sorted(FIELDS), help="repeat it [all]")
    parser.add_argument("--seed", type=int, default=1, help="of the operands [1]")
    parser.add_argument("--json", type=Path, help="where the figures go [target/energy/LIBRARY.json]")
    arguments = parser.parse_args()
    openroad = os.environ.get("OPENROAD_EXE") or shutil.which("openroad")
    if openroad is None:
        print(place.INSTALL.replace("place:", "energy:"), file=sys.stderr)
        return
    if shutil.which("iverilog") is None:
        sys.exit("energy: Icarus Verilog (iverilog) is not on the PATH. On Debian and Ubuntu: apt-get install iverilog")
    try:
        flow = place.existing_flow(None)
        netlists = Netlists(arguments.library, ROOT / "target" / "area", say=say)
        found = []
        for block in arguments.block or sorted(STIMULI):
            job = place.Flow(place.parse_arguments(["--library", arguments.library, "--top", block]))
            job.environment["OPENROAD_EXE"] = openroad
            if not (job.folder("results") / "place.json").is_file():
                say(f"{block}: skipped, there is no layout: `make place LIB={arguments.library} TOP={block}` makes it")
                continue
            for field in arguments.field or sorted(FIELDS):
                entry = measure(block, field, job, flow, netlists, arguments.seed)
                found.append(entry)
                parts = ", ".join(f"{group} {value:.2f}" for group, value in entry["parts"].items() if value)
                say(f"{block}, {field}: {entry['picojoules']:.2f} pJ ({parts})")
        data = {"commit": area.commit(), "blocks": found}
        if arguments.library in hashes.LIBRARIES and found:
            data["sum"] = hashes.summed(arguments.library, found)
            print(hashes.table(data["sum"]))
        path = arguments.json or TARGET / f"{arguments.library}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix(".partial")
        partial.write_text(json.dumps(data, indent=1) + "\n")
        partial.rename(path)
        say(f"written: {path}")
    except (EnergyError, FlowError, OSError, place.PlaceError, cells.CellError, hashes.HashError) as error:
        sys.exit(f"energy: {error}")


if __name__ == "__main__":
    main()

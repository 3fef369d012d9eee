#!/usr/bin/env python3
# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0
"""Checks the function of the netlists that `make area` measures: see docs/gates.md.

Netlists of the arithmetic blocks and of a partial-round sub-engine are simulated against the integers of
Python; units are compared with their RTL by formal equivalence where the tools manage it.
"""

import argparse
import json
import os
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "synth"))

import blocks
import engine
import equivalence
from blocks import Mismatch
from flow.errors import FlowError
from netlists import Netlists
from simulator import NetlistError, Simulation

# Units whose equivalence is tried: block -> units below its top (a prefix of their names, or all).
EQUIVALENCES = {
    "mod_add": ("acclmt_mod_add",),
    "mod_add_runtime": ("acclmt_mod_add",),
    "delay": ("acclmt_delay",),
    "fifo": ("acclmt_fifo",),
    "reduce_goldilocks": ("acclmt_reduce_goldilocks",),
    "from_montgomery": ("acclmt_from_montgomery",),
    "sbox": ("acclmt_sbox",),
    "operand_add": ("acclmt_operand_add",),
    "operand_add_runtime": ("acclmt_operand_add",),
    "slot_sum": ("acclmt_slot_sum",),
    "pair_product": ("acclmt_pair_product",),
    "pair_row": ("acclmt_pair_row",),
    "sum_reduction": ("acclmt_sum_reduction",),
    "partial_round_engine": ("acclmt_partial_round_engine", "acclmt_slot_control"),
}


def progress(line):
    """A line about work that takes long."""
    print(line, flush=True)


def all_blocks():
    """Everything that is simulated, by name."""
    return {block.name: block for block in [*blocks.blocks(), *engine.blocks()]}


def simulate(netlists, block, seed, modules=None, say=lambda _: None):
    """Simulates a block; a result for the report."""
    cut = netlists.design(block.top, block.parameters)
    started = time.time()
    circuit = netlists.circuit(cut, modules)
    simulation = Simulation(circuit, block.number, seed)
    compared, cycles = blocks.run(block, simulation, seed, say)
    gates, flip_flops, memories = circuit.count()
    return {
        "block": block.name,
        "module": block.top,
        "parameters": block.parameters,
        "gates": gates,
        "flip_flops": flip_flops,
        "memories": memories,
        "runs": block.number,
        "cycles": cycles,
        "compared": compared,
        "seconds": round(time.time() - started, 1),
    }


def prove(netlists, block, seconds):
    """Tries the equivalence of the units of a block; results for the report."""
    cut = netlists.design(block.top, block.parameters)
    for name, unit in cut.units.items():
        if unit.base in EQUIVALENCES.get(block.name, ()):
            started = time.time()
            verdict = equivalence.check(netlists, cut, name, seconds)
            yield {
                "unit": name,
                "result": verdict.result,
                "reason": verdict.reason,
                "registers": verdict.registers,
                "compared": verdict.compared,
                "seconds": round(time.time() - started, 1),
            }


def write(path, report):
    """Writes the report, or nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial")
    partial.write_text(json.dumps(report, indent=1) + "\n")
    partial.rename(path)


def main():
    known = all_blocks()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--library", default="generic", help="generic, asap7 or sg13g2 [generic]")
    parser.add_argument("--blocks", nargs="+", metavar="NAME", help=f"of: {', '.join(known)}")
    parser.add_argument("--quick", action="store_true", help="leave out what takes minutes, and the run-time modulus")
    parser.add_argument("--seed", type=int, default=1, help="of random operands [1]")
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count(), help="units synthesised at a time"
    )
    parser.add_argument("--seconds", type=int, default=60, help="for a proof [60]")
    parser.add_argument("--folder", type=Path, default=ROOT / "target" / "area")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write a report, too")
    arguments = parser.parse_args()
    quick = [name for name, b in known.items() if not b.large and not b.parameters.get("Reduction")]
    names = arguments.blocks or (quick if arguments.quick else list(known))
    unknown = [name for name in names if name not in known]
    if unknown:
        sys.exit(f"gates: there is no block {unknown[0]}; the blocks are: {', '.join(known)}")
    try:
        netlists = Netlists(arguments.library, arguments.folder, arguments.jobs, progress)
        report = {"library": arguments.library, "seed": arguments.seed}
        report |= {"simulations": [], "equivalences": []}
        print(f"seed {arguments.seed}", flush=True)
        for name in names:
            result = simulate(netlists, known[name], arguments.seed, say=progress)
            report["simulations"].append(result)
            print(
                f"{name}: {result['compared']} values right, in {result['runs']} runs of "
                f"{result['cycles']} cycles ({result['gates']} gates, {result['flip_flops']} "
                f"flip-flops, {result['memories']} memories; {result['seconds']} s)",
                flush=True,
            )
            for result in prove(netlists, known[name], arguments.seconds):
                report["equivalences"].append(result)
                reason = f": {result['reason']}" if result["reason"] else ""
                print(
                    f"{result['unit']}: equivalence {result['result']}{reason} "
                    f"({result['registers']} registers; {result['seconds']} s)",
                    flush=True,
                )
                if result["result"] in equivalence.DIFFERENT:
                    sys.exit(f"gates: the netlist of {result['unit']} is not equivalent to its RTL")
    except (FlowError, NetlistError, Mismatch, OSError) as error:
        sys.exit(f"gates: {error}")
    if arguments.json:
        write(arguments.json, report)


if __name__ == "__main__":
    main()

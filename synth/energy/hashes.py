# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0
"""Sums the energy of a hash up, from the energies of the laid-out blocks (energy.py), the composition of the
hash engine (synth/results/asap7.json) and the cycles of a hash (synth/cycles.json); docs/energy.md says how.

Every part has an estimate with a lower and an upper bound:

  blocks     that have a layout: measured, an operation in every cycle of the hash, so never idle
  registers  of the other units: as those of the laid-out blocks, clock tree included
  gates      of the other units: energy per um^2 as that of the gates of the laid-out blocks
  memories   by a model: each is read and written in every cycle

What is no input of a block is not held still where a slot is empty, so an empty slot is counted as a full one.
"""

import json
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
# Libraries that model.toml has a memory of.
LIBRARIES = ("asap7",)
ENGINE = "acclmt_hash_engine"
MODEL = HERE / "model.toml"
RESULTS = ROOT / "synth" / "results"
CYCLES = ROOT / "synth" / "cycles.json"
PARTS = ("blocks", "registers", "gates", "memories")


class HashError(Exception):
    """What is missing, for the user."""


def read_json(path, how):
    try:
        return json.loads(path.read_text())
    except (OSError, json.JSONDecodeError) as error:
        raise HashError(f"{path} cannot be read ({error}): {how}") from None


def instances(modules, top):
    """Module -> how many of it are in `top`, itself included."""
    if top not in modules:
        raise HashError(f"the results of `make area` have no module {top}")
    found = {}

    def visit(name, times):
        found[name] = found.get(name, 0) + times
        for child, count in modules[name]["units"].items():
            visit(child, times * count)

    visit(top, 1)
    return found


def add(total, low, typical, high):
    return [a + b for a, b in zip(total, (low, typical, high))]


def densities(blocks, modules, flip_flop_um2):
    """Energy in pJ of a flip-flop with its share of the clock tree, and of an um^2 of gates: the least, the mean
    and the most of the blocks."""
    registers, gates = [], []
    for name, entry in blocks.items():
        module = modules[name]
        parts = entry["parts"]
        flip_flops = module["flip_flops"]
        registers.append((parts["sequential"] + parts.get("clock", 0)) / flip_flops)
        area = module["own_area_um2"] - flip_flops * flip_flop_um2
        gates.append(parts["combinational"] / area)
    return [(min(some), sum(some) / len(some), max(some)) for some in (registers, gates)]


def memory_energy(width, depth, model):
    """Energy in pJ of a read and a write of a memory: precharge and swing of two bit lines for each bit, and the
    register of what is read."""
    line = 2 * depth * model["bit_line_ff_per_word"] * 1e-3 * model["voltage"] ** 2
    return width * (2 * line + model["output_register_pj"])


def per_cycle(blocks, results, model, flip_flop_um2):
    """Part -> [least, typical, most] energy in pJ of an engine in a cycle."""
    modules = results["modules"]
    known = {name: entry for name, entry in blocks.items() if name in modules}
    if not known:
        raise HashError("no block of the engine has a measured energy")
    register, gate = densities(known, modules, flip_flop_um2)
    parts = {part: [0.0, 0.0, 0.0] for part in PARTS}
    counts = instances(modules, ENGINE)
    for name, times in counts.items():
        module = modules[name]
        if name in known:
            energy = times * known[name]["picojoules"]
            parts["blocks"] = add(parts["blocks"], *(energy * factor for factor in model["block_bounds"]))
            continue
        own_registers = module["flip_flops"] - sum(
            count * modules[child]["flip_flops"] for child, count in module["units"].items()
        )
        own_gates = max(0.0, module["own_area_um2"] - own_registers * flip_flop_um2)
        parts["registers"] = add(parts["registers"], *(times * own_registers * pj for pj in register))
        parts["gates"] = add(parts["gates"], *(times * own_gates * pj for pj in gate))
        for memory, count in module["memories"].items():
            size = results["memories"][memory]
            energy = times * count * memory_energy(size["width"], size["depth"], model)
            parts["memories"] = add(
                parts["memories"], *(energy * factor for factor in model["memory_bounds"])
            )
    return parts, counts, sorted(known)


def hash_energy(parts, cycles):
    """Part -> [least, typical, most] energy of a hash in nJ, and of all."""
    found = {part: [value * cycles / 1000 for value in values] for part, values in parts.items()}
    found["all"] = [sum(found[part][bound] for part in PARTS) for bound in range(3)]
    return found


def summed(library, measured):
    """The energies of hashes, of the energies of blocks as energy.py has them."""
    results = read_json(RESULTS / f"{library}.json", "`make area` writes it")
    cycles = read_json(CYCLES, "it is in the repository")["arities"]
    model = tomllib.loads(MODEL.read_text())[library]
    found = {}
    names = set()
    for field, hashes in (
        ("large", {f"arity {arity}": entry["cycles"] for arity, entry in cycles.items()}),
        ("goldilocks", {"Plonky2": model["plonky2_cycles"]}),
    ):
        blocks = {entry["block"]: entry for entry in measured if entry["field"] == field}
        if not blocks:
            continue
        parts, counts, known = per_cycle(blocks, results, model, model["flip_flop_um2"])
        names.update((name, counts[name]) for name in known)
        for name, number in hashes.items():
            found[name] = {"cycles": number, "nanojoules": hash_energy(parts, number)}
    return {
        "commit_of_areas": results["commit"],
        "bounds": ["least", "typical", "most"],
        "instances_of_measured_blocks": dict(sorted(names)),
        "hashes": found,
    }


def table(data):
    """The energies of hashes for people."""
    columns = (*PARTS, "all")
    lines = [f"{'nJ a hash':12} {'cycles':>8} " + " ".join(f"{part:>10}" for part in columns) + "  bounds"]
    for name, entry in data["hashes"].items():
        values = entry["nanojoules"]
        typical = " ".join(f"{values[part][1]:10.2f}" for part in columns)
        bounds = f"{values['all'][0]:.1f} to {values['all'][2]:.1f}"
        lines.append(f"{name:12} {entry['cycles']:8.2f} {typical}  {bounds}")
    return "\n".join(lines)

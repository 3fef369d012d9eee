# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0
"""Sums the energy of a hash up, from the energies of the laid-out blocks (energy.py), the composition of the
hash engine (synth/results/asap7.json) and the cycles of a hash (synth/cycles.json); docs/energy.md says how.

Every part has an estimate with a lower and an upper bound:

  blocks     that have a layout: measured, with an operation and with operands that are held still
  registers  of the other units: as those of the laid-out blocks, clock tree included
  gates      of the other units: energy per um^2 as that of the gates of the laid-out blocks
  memories   by a model: each is read and written in every cycle

Operands are held still in an empty slot of a sub-engine, and in the partial rounds, of which one element of a state
passes the S-box, for its later beats; in Goldilocks mode the other slices are. What else a sub-engine does not use
(elements beyond a state, steps in which a row goes on) counts as used.
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
# Operands of a block: new in each cycle, the same all the time, in Goldilocks mode those of one element.
NEW, HELD, ONE_SLICE = "new", "held", "one slice"
# What is held still, step by step; energies of hashes are those with the last one.
STEPS = ("nothing held", "S-boxes of the partial rounds", "empty slots")
# Elements in a beat of a state.
BEAT = {"large": 3, "goldilocks": 12}
# In Goldilocks mode the multiplier of the S-boxes of the partial rounds makes x^3 in one slice and x^7 in another.
SLICES_OF_MULTIPLIER = 2


class HashError(Exception):
    """What is missing, for the user."""


def read_json(path, how):
    try:
        return json.loads(path.read_text())
    except (OSError, json.JSONDecodeError) as error:
        raise HashError(f"{path} cannot be read ({error}): {how}") from None


def visits(modules, top):
    """(path of the modules' names without parameters, module) -> how many of it are in `top`, itself included."""
    if top not in modules:
        raise HashError(f"the results of `make area` have no module {top}")
    found = {}

    def visit(above, name, times):
        path = (*above, name.split("__")[0])
        found[path, name] = found.get((path, name), 0) + times
        for child, count in modules[name]["units"].items():
            visit(path, child, times * count)

    visit((), top, 1)
    return found


def instances(modules, top):
    """Module -> how many of it are in `top`, itself included."""
    found = {}
    for (_, name), times in visits(modules, top).items():
        found[name] = found.get(name, 0) + times
    return found


def used(path, hash_, step):
    """The share of the cycles in which a block has an operation, by its path and the number of the step, and
    whether that is one of a single element."""
    partial = "acclmt_partial_round_engine" in path
    # The reduction beside the S-box is that of the sum that becomes its next element.
    single = partial and step >= 1 and ("acclmt_sbox" in path or path[-2:-1] == ("acclmt_partial_round_engine",))
    share = 1.0
    if step >= 2 and partial:
        share = hash_["busy_partial"]
    elif step >= 2 and "acclmt_full_round_engine" in path:
        share = hash_["busy_full"]
    if single:
        share /= -(-hash_["width"] // BEAT[hash_["field"]])
    return share, single


def block_energy(path, runs, hash_, step):
    """Energy in pJ of a block in a cycle, on average."""
    share, single = used(path, hash_, step)
    held = runs[HELD]
    operation = runs[NEW]
    if single and hash_["field"] == "goldilocks":
        slices = SLICES_OF_MULTIPLIER if path[-1] == "acclmt_mul" else 1
        operation = held + slices * (runs[ONE_SLICE] - held)
    return share * operation + (1 - share) * held


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


def own_parts(module, modules, flip_flop_um2):
    """Flip-flops of a module without those of its units, and the area of its gates in um^2."""
    registers = module["flip_flops"] - sum(
        count * modules[child]["flip_flops"] for child, count in module["units"].items()
    )
    return registers, max(0.0, module["own_area_um2"] - registers * flip_flop_um2)


def at_rest(blocks, results, model, flip_flop_um2):
    """Energy in pJ of a cycle of an engine without a hash: its registers are clocked and keep what they have, and
    memories are read and written as ever. With its clock stopped only leakage is left."""
    modules = results["modules"]
    known = {name: runs for name, runs in blocks.items() if name in modules}
    area = {name: modules[name]["own_area_um2"] for name in known}
    leakage = sum(runs[HELD]["leakage_picojoules"] for runs in known.values()) / sum(area.values())
    clocked = [
        (runs[HELD]["parts"]["sequential"] + runs[HELD]["parts"].get("clock", 0)) / modules[name]["flip_flops"]
        for name, runs in known.items()
    ]
    register = sum(clocked) / len(clocked)
    found = {"clocked": 0.0, "memories": 0.0, "stopped": 0.0}
    for name, times in instances(modules, ENGINE).items():
        module = modules[name]
        found["stopped"] += times * module["own_area_um2"] * leakage
        if name in known:
            found["clocked"] += times * known[name][HELD]["picojoules"]
        else:
            found["clocked"] += times * own_parts(module, modules, flip_flop_um2)[0] * register
        for memory, count in module["memories"].items():
            size = results["memories"][memory]
            found["memories"] += times * count * memory_energy(size["width"], size["depth"], model)
    return found


def per_cycle(blocks, results, model, flip_flop_um2, hash_, step=len(STEPS) - 1):
    """Part -> [least, typical, most] energy in pJ of an engine in a cycle of a hash; how many of each measured block
    it has. The blocks: name -> operands -> what energy.py has of them."""
    modules = results["modules"]
    known = {name: runs for name, runs in blocks.items() if name in modules}
    if not known:
        raise HashError("no block of the engine has a measured energy")
    register, gate = densities({name: runs[NEW] for name, runs in known.items()}, modules, flip_flop_um2)
    parts = {part: [0.0, 0.0, 0.0] for part in PARTS}
    counts = {}
    for (path, name), times in visits(modules, ENGINE).items():
        module = modules[name]
        if name in known:
            counts[name] = counts.get(name, 0) + times
            picojoules = {operands: entry["picojoules"] for operands, entry in known[name].items()}
            energy = times * block_energy(path, picojoules, hash_, step)
            parts["blocks"] = add(parts["blocks"], *(energy * factor for factor in model["block_bounds"]))
            continue
        own_registers, own_gates = own_parts(module, modules, flip_flop_um2)
        parts["registers"] = add(parts["registers"], *(times * own_registers * pj for pj in register))
        parts["gates"] = add(parts["gates"], *(times * own_gates * pj for pj in gate))
        for memory, count in module["memories"].items():
            size = results["memories"][memory]
            energy = times * count * memory_energy(size["width"], size["depth"], model)
            parts["memories"] = add(
                parts["memories"], *(energy * factor for factor in model["memory_bounds"])
            )
    return parts, counts


def hash_energy(parts, cycles):
    """Part -> [least, typical, most] energy of a hash in nJ, and of all."""
    found = {part: [value * cycles / 1000 for value in values] for part, values in parts.items()}
    found["all"] = [sum(found[part][bound] for part in PARTS) for bound in range(3)]
    return found


def runs_of(measured, field):
    """Block -> operands -> its energy in a field. With held operands fields do not differ."""
    found = {}
    for entry in measured:
        if entry["field"] == field or entry["operands"] == HELD:
            found.setdefault(entry["block"], {})[entry["operands"]] = entry
    needed = {NEW, HELD} | ({ONE_SLICE} if field == "goldilocks" else set())
    return {block: runs for block, runs in found.items() if needed <= set(runs)}


def summed(library, measured):
    """The energies of hashes, of the energies of blocks as energy.py has them."""
    results = read_json(RESULTS / f"{library}.json", "`make area` writes it")
    cycles = read_json(CYCLES, "it is in the repository")
    model = tomllib.loads(MODEL.read_text())[library]
    found = {}
    names = set()
    rest = None
    named = [(f"arity {arity}", entry) for arity, entry in cycles["arities"].items()]
    named += cycles["goldilocks"].items()
    for name, hash_ in named:
        blocks = runs_of(measured, hash_["field"])
        if not blocks:
            continue
        rest = rest or at_rest(blocks, results, model, model["flip_flop_um2"])
        totals = {}
        for number, step in enumerate(STEPS):
            parts, counts = per_cycle(blocks, results, model, model["flip_flop_um2"], hash_, number)
            energy = hash_energy(parts, hash_["cycles"])
            totals[step] = energy["all"][1]
        names.update(counts.items())
        found[name] = {"cycles": hash_["cycles"], "nanojoules": energy, "steps": totals}
    return {
        "commit_of_areas": results["commit"],
        "bounds": ["least", "typical", "most"],
        "instances_of_measured_blocks": dict(sorted(names)),
        "hashes": found,
        "rest_picojoules": rest,
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

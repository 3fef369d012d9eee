# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0
"""Adds the results of units up, and compares engines with the baseline."""

from dataclasses import dataclass

# The paper's engine has so many modular multipliers.
PAPER_MULTIPLIERS = 30
MULTIPLIER_PARTS = ("acclmt_mul", "acclmt_reduce_constant")
SQUARER_PARTS = ("acclmt_sqr", "acclmt_reduce_constant")


@dataclass
class Total:
    """A module with everything below it."""

    area_um2: float | None
    ge: float
    memory_um2: float | None
    memory_ge: float
    memory_bits: int
    flip_flops: int


def add(a, b):
    """The sum of two areas, None without a library."""
    return None if a is None or b is None else a + b


def totals(design, results, memory_model):
    """Unit name -> Total, of all units of a design."""
    found = {}
    for unit in design.order():
        own = results[unit.name]
        total = Total(own.area_um2, own.ge, 0.0, 0.0, 0, own.flip_flops)
        if own.area_um2 is None:
            total.memory_um2 = None
        for name, count in unit.memories.items():
            width, depth = design.memories[name]
            area, ge = memory_model.area_um2(width, depth), memory_model.ge(width, depth)
            if area is not None:
                total.area_um2 += count * area
                total.memory_um2 += count * area
            total.ge += count * ge
            total.memory_ge += count * ge
            total.memory_bits += count * width * depth
        for name, count in unit.units.items():
            below = found[name]
            if below.area_um2 is not None:
                total.area_um2 += count * below.area_um2
                total.memory_um2 += count * below.memory_um2
            total.ge += count * below.ge
            total.memory_ge += count * below.memory_ge
            total.memory_bits += count * below.memory_bits
            total.flip_flops += count * below.flip_flops
        found[unit.name] = total
    return found


def rounded(value, digits=1):
    """A number for JSON."""
    return None if value is None else round(value, digits)


def module_entry(result, total, library):
    """What the results say of a module."""
    entry = {
        "area_um2": rounded(total.area_um2),
        "ge": rounded(total.ge),
        "own_area_um2": rounded(result.area_um2),
        "own_ge": rounded(result.ge),
        "memory_um2": rounded(total.memory_um2),
        "memory_ge": rounded(total.memory_ge),
        "memory_bits": total.memory_bits,
        "flip_flops": total.flip_flops,
        "units": result.units,
        "memories": result.memories,
        "worst_path_ns": None,
        "slack_ns": None,
        "hold_slack_ns": None,
        "paths": [],
        "seconds": result.seconds,
        "peak_mb": result.peak_mb,
    }
    if result.timing:
        worst = result.timing.worst_ns
        entry["worst_path_ns"] = rounded(worst, 4)
        entry["slack_ns"] = None if worst is None else rounded(library.clock_ns - worst, 4)
        entry["hold_slack_ns"] = result.timing.hold_slack_ns
        entry["paths"] = [
            {"start": path.start, "end": path.end, "ns": path.ns} for path in result.timing.paths
        ]
    return entry


def total_entry(total):
    """Area of a whole, for JSON."""
    return {
        "area_um2": rounded(total.area_um2),
        "ge": rounded(total.ge),
        "memory_um2": rounded(total.memory_um2),
        "memory_ge": rounded(total.memory_ge),
        "memory_bits": total.memory_bits,
        "flip_flops": total.flip_flops,
    }


def port_entries(unit, timing):
    """The times of the ports of a unit, for JSON, in ns: of an input those that it must be stable before and
    after the clock edge (`setup`, `hold`), of an output the longest and the shortest from the edge
    (`delay`, `early_delay`), and the inputs that reach it without a register (`through`)."""
    entries = {}
    for name, direction, width in unit.ports:
        entry = {"direction": direction, "width": width}
        if direction == "input":
            times = {"setup_ns": timing.setup.get(name), "hold_ns": timing.hold.get(name)}
        else:
            times = {
                "delay_ns": timing.delay.get(name, [None])[0],
                "early_delay_ns": timing.early_delay.get(name),
            }
        entry.update({key: rounded(value, 4) for key, value in times.items()})
        if name in timing.through:
            entry["through_ns"] = {
                source: rounded(ns, 4) for source, ns in timing.through[name].items()
            }
        entries[name] = entry
    return entries


def hashes_per_area(engine_ge, baseline_ge, cycles):
    """Hashes per cycle per area against the paper's engine, for each arity."""
    return {
        f"arity_{arity}": rounded(
            figures["paper_cycles"] / figures["cycles"] * baseline_ge / engine_ge, 3
        )
        for arity, figures in cycles["arities"].items()
    }


def block_ge(parts, found, suffix=""):
    """Gate equivalents of blocks that stand one behind the other."""
    return sum(found[part + suffix].ge for part in parts)

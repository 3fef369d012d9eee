# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0
"""Gives cells of a mapped netlist the drive strength that their loads need.

abc sizes gates, but it sees one load where many full adders hang on a wire. So cells are made larger (never
smaller) here, until a load is no more than `load_per_drive` for each unit of drive strength, or the family
has no larger cell.
"""

import json
import re
from collections import defaultdict

# Larger cells are larger loads; this many times.
ROUNDS = 4


def families(cells, pattern, dont_use):
    """Cell -> cells that differ in drive strength only, smallest first, as (strength, cell)."""
    groups = defaultdict(list)
    for name, cell in cells.items():
        match = re.fullmatch(pattern, name)
        if match and not any(re.fullmatch(glob_to_regex(glob), name) for glob in dont_use):
            groups[match["family"], tuple(sorted(cell.pins))].append((float(match["drive"]), name))
    return {name: sorted(group) for group in groups.values() for _, name in group}


def glob_to_regex(glob):
    """A pattern of Liberty's dont_use as a regular expression."""
    return re.escape(glob).replace(r"\*", ".*")


def resize(instances, cells, family, load_per_drive, port_load, child_load):
    """New types of instances; `instances`: name -> (type, {pin: bits})."""
    loads_at = defaultdict(list)
    driver = {}
    types = {name: kind for name, (kind, _) in instances.items()}
    for name, (kind, pins) in instances.items():
        for pin, bits in pins.items():
            for bit in bits:
                if kind not in cells:
                    loads_at[bit].append((None, pin))
                elif cells[kind].pins[pin] is None:
                    driver[bit] = name
                else:
                    loads_at[bit].append((name, pin))
    for _ in range(ROUNDS):
        changed = False
        for bit, name in driver.items():
            choices = family.get(types[name])
            if not choices:
                continue
            load = port_load.get(bit, 0.0) + sum(
                child_load if sink is None else cells[types[sink]].pins[pin]
                for sink, pin in loads_at[bit]
            )
            strength = next(s for s, kind in choices if kind == types[name])
            fitting = [c for c in choices if c[0] >= strength and c[0] * load_per_drive >= load]
            kind = fitting[0][1] if fitting else choices[-1][1]
            if kind != types[name]:
                types[name] = kind
                changed = True
        if not changed:
            break
    return {name: kind for name, kind in types.items() if kind != instances[name][0]}


def apply(json_file, rtlil_in, rtlil_out, library, top):
    """Resizes the cells of the mapped module `top`."""
    with open(json_file) as file:
        module = json.load(file)["modules"][top]
    instances = {
        name: (cell["type"], cell["connections"]) for name, cell in module["cells"].items()
    }
    port_load = {
        bit: library.load
        for port in module["ports"].values()
        if port["direction"] == "output"
        for bit in port["bits"]
    }
    family = families(library.cells, library.drive_pattern, library.dont_use)
    types = resize(
        instances, library.cells, family, library.load_per_drive, port_load, library.load
    )

    def replaced(match):
        name = match[2].removeprefix("\\")
        return f"cell \\{types.get(name, match[1])} {match[2]}"

    with open(rtlil_in) as file:
        text = file.read()
    text = re.sub(r"(?<=^  )cell \\(\S+) (\S+)$", replaced, text, flags=re.MULTILINE)
    with open(rtlil_out, "w") as file:
        file.write(text)

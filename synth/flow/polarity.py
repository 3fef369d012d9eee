# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0
"""Chooses which full adders of a netlist work with inverted inputs.

A full adder with inverted outputs is self-dual: with all inputs inverted its outputs are the true ones.
So where the adders of a tree take turns, no inverter stands between them. An edge between two adders
needs one only if both work the same way; the choice is a cut of the graph of adders, made by levels first
and then improved adder by adder.
"""

import json
import re
from collections import defaultdict

# Cell type of a full adder until this choice, and the two after it.
PLAIN = "ACCLMT_FULL_ADDER"
DIRECT = "ACCLMT_FULL_ADDER_DIRECT"
INVERTED = "ACCLMT_FULL_ADDER_INVERTED"
INPUTS, OUTPUTS = ("A", "B", "C"), ("X", "Y")
# Times that all adders are looked at again.
ROUNDS = 20


def choose(adders):
    """Names of adders that take inverted inputs; `adders`: name -> (input bits, output bits)."""
    driver = {bit: name for name, (_, outputs) in adders.items() for bit in outputs}
    edges = defaultdict(list)
    level = {}

    def feeding(name):
        return [driver[bit] for bit in adders[name][0] if bit in driver]

    for name in adders:
        for other in feeding(name):
            edges[name].append(other)
            edges[other].append(name)
    # Levels: one above the highest adder that feeds an adder.
    for start in adders:
        stack = [start]
        while stack:
            name = stack[-1]
            if name in level:
                stack.pop()
                continue
            open_ones = [other for other in feeding(name) if other not in level]
            if open_ones:
                stack.extend(open_ones)
            else:
                level[name] = 1 + max((level[other] for other in feeding(name)), default=-1)
                stack.pop()
    inverted = {name: level[name] % 2 == 1 for name in adders}
    for _ in range(ROUNDS):
        changed = False
        for name in adders:
            same = sum(inverted[other] == inverted[name] for other in edges[name])
            if 2 * same > len(edges[name]):
                inverted[name] = not inverted[name]
                changed = True
        if not changed:
            break
    return {name for name, value in inverted.items() if value}


def apply(json_file, rtlil_in, rtlil_out):
    """Replaces the plain full adders of a design by the two others."""
    with open(json_file) as file:
        modules = json.load(file)["modules"]
    adders = {}
    for module in modules.values():
        for name, cell in module["cells"].items():
            if cell["type"] == PLAIN:
                pins = cell["connections"]
                adders[name] = (
                    [bit for pin in INPUTS for bit in pins[pin]],
                    [bit for pin in OUTPUTS for bit in pins[pin]],
                )
    inverted = choose(adders)

    def replaced(match):
        name = match[1].removeprefix("\\")
        return f"cell \\{INVERTED if name in inverted else DIRECT} {match[1]}"

    with open(rtlil_in) as file:
        text = file.read()
    text = re.sub(rf"cell \\{PLAIN} (\S+)", replaced, text)
    with open(rtlil_out, "w") as file:
        file.write(text)

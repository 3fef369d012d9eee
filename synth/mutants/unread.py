# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0
"""Bits of a design that nothing reads.

A bit is read if a change of it can get to an output of the top, through any number of cells, registers, memories and
instances, whatever the other bits hold that are not constant. Where one is not, no test can tell the mutant that changes
it from the design.
"""

from collections import defaultdict

from constants import is_held

# Bit i of the output depends on bit i of these inputs, and on all bits of all others.
BITWISE = {
    "$not": "A",
    "$pos": "A",
    "$and": "AB",
    "$or": "AB",
    "$xor": "AB",
    "$xnor": "AB",
    "$mux": "AB",
    "$pmux": "AB",
    **dict.fromkeys(["$dff", "$dffe", "$adff", "$adffe", "$sdff", "$sdffe", "$sdffce", "$dffsr", "$dlatch"], "D"),
}
# Bit i of the output depends on bits 0 to i of all inputs.
RISING = {"$add", "$sub", "$neg", "$mul"}
# Cells of a small module.
FEW_CELLS = 200
# Cells of memories, with the ports of the words.
READ, WRITE = "$memrd", "$memwr_v2"


def number(value):
    """A parameter of a cell as a number, in whichever of Yosys' two ways it is written."""
    return int(value, 2) if isinstance(value, str) else value


def is_bitwise(kind, port):
    return port in BITWISE.get(kind, "")


def bits_of(cell, port, index):
    """The bits of an input of a bitwise cell that bit `index` of the output depends on."""
    width = len(cell["connections"][port])
    if cell["type"] == "$pmux" and port == "B":
        return range(index, width, number(cell["parameters"]["WIDTH"]))
    # A sign goes on above the last bit of an input.
    return [min(index, width - 1)]


def depends(cell, index, port, bit):
    """Whether bit `index` of the output of a cell, none of an instance, depends on a bit of an input."""
    if is_bitwise(cell["type"], port):
        return bit in bits_of(cell, port, index)
    return cell["type"] not in RISING or bit <= index


def by_place(modules, top):
    """Modules with a copy of each small one for each of its instances; name -> names of the copies; and the name of
    the module that each is a copy of."""
    small = {
        name
        for name, module in modules.items()
        if name != top
        and len(module["cells"]) <= FEW_CELLS
        and not any(cell["type"] in modules for cell in module["cells"].values())
    }
    copied, places = {}, {name: [] if name in small else [name] for name in modules}
    originals = {name: name for name in modules}
    for name, module in modules.items():
        if name in small:
            continue
        cells = {}
        for cell_name, cell in module["cells"].items():
            kind = cell["type"]
            if kind in small:
                place = f"{kind} as {cell_name} of {name}"
                places[kind].append(place)
                originals[place] = kind
                copied[place] = modules[kind]
                cell = {**cell, "type": place}
            cells[cell_name] = cell
        copied[name] = {**module, "cells": cells}
    return copied, places, originals


class Reading:
    """What is read of the design in the JSON of Yosys' `write_json`, from the outputs of `top` on, where these bits are
    constant (`Constants` of the same design).

    Modules of few cells, such as those that choose one of several values, are looked at in each of their places: what is
    read of them differs.
    """

    def __init__(self, design, top, constants):
        self.constants = constants
        self.modules, self.places, self.originals = by_place(design["modules"], top)
        self.read = {name: set() for name in self.modules}
        # Of every module: net -> [(cell, port, bit)] that drive it.
        self.drivers = {}
        # Of every module: where its instances are, (module, cell).
        self.instances = defaultdict(list)
        # Of every module: memory -> its cells; net -> [(port, bit)] of the module that bring it.
        self.memories, self.brought = {}, {}
        for name, module in self.modules.items():
            drivers, memories = defaultdict(list), defaultdict(list)
            for cell_name, cell in module["cells"].items():
                if cell["type"] in self.modules:
                    self.instances[cell["type"]].append((name, cell_name))
                if "MEMID" in cell["parameters"]:
                    memories[cell["parameters"]["MEMID"]].append(cell_name)
                for port, direction in cell["port_directions"].items():
                    if direction != "input":
                        for index, net in enumerate(cell["connections"][port]):
                            drivers[net].append((cell_name, port, index))
            brought = defaultdict(list)
            for port, described in module["ports"].items():
                if described["direction"] != "output":
                    for index, net in enumerate(described["bits"]):
                        brought[net].append((port, index))
            self.drivers[name], self.memories[name], self.brought[name] = drivers, memories, brought
        # Of every module and memory: bits of the words that are read.
        self.words = defaultdict(set)
        # Of cells, (module, cell): bits of the output, from the lowest on, of which it is known what they depend on.
        self.looked_at = {}
        self.pending = []
        for port in self.modules[top]["ports"].values():
            if port["direction"] != "input":
                self.add(top, port["bits"])
        while self.pending:
            self.follow(*self.pending.pop())

    def add(self, module, nets):
        for net in nets:
            if isinstance(net, int) and net not in self.read[module]:
                self.read[module].add(net)
                self.pending.append((module, net))

    def follow(self, module, net):
        """Adds what this bit of the module depends on."""
        for cell, port, index in self.drivers[module][net]:
            self.add(module, self.inputs(module, cell, port, index))
        for port, index in self.brought[module][net]:
            for parent, instance in self.instances[module]:
                self.add(parent, [self.modules[parent]["cells"][instance]["connections"][port][index]])

    def inputs(self, module, name, port, index):
        """The nets of inputs of a cell that bit `index` of its output depends on. Those of an instance are found inside."""
        cell = self.modules[module]["cells"][name]
        kind = cell["type"]
        if kind in self.modules:
            self.add(kind, [self.modules[kind]["ports"][port]["bits"][index]])
            return []
        if kind == READ:
            self.add_word(module, cell["parameters"]["MEMID"], index)
        # No input is looked at twice where many bits of the output depend on it.
        first = self.looked_at.get((module, name), 0)
        self.looked_at[module, name] = max(first, index + 1)
        nets = []
        for port, direction in cell["port_directions"].items():
            of_port = cell["connections"][port]
            if direction == "input" and is_bitwise(kind, port):
                nets += [of_port[bit] for bit in bits_of(cell, port, index) if not self.is_held(module, cell, port, bit)]
            elif direction == "input" and self.is_held(module, cell, port, 0):
                continue
            elif direction == "input" and kind in RISING:
                nets += of_port[first : index + 1]
            elif direction == "input" and first == 0:
                nets += of_port
        return nets

    def is_held(self, module, cell, port, bit):
        """Whether a constant input of a cell keeps its output from depending on this bit."""
        original = self.originals[module]
        return is_held(cell, port, bit, lambda nets: self.constants.values(original, nets))

    def add_word(self, module, memory, index):
        """Adds what is written to bit `index` of all words of a memory, and where it is."""
        words = self.words[module, memory]
        if index in words:
            return
        words.add(index)
        for name in self.memories[module][memory]:
            cell = self.modules[module]["cells"][name]
            if cell["type"] != READ:
                for port, nets in cell["connections"].items():
                    self.add(module, [nets[index]] if port in ("DATA", "EN") and cell["type"] == WRITE else nets)

    def reads(self, module, name, port, bit):
        """Whether this bit of a port of a cell is read in any of the places of its module."""
        return any(self.reads_in(place, name, port, bit) for place in self.places[module])

    def reads_in(self, module, name, port, bit):
        cell = self.modules[module]["cells"][name]
        kind = cell["type"]
        if cell["port_directions"][port] != "input":
            return cell["connections"][port][bit] in self.read[module]
        if kind in self.modules:
            return self.modules[kind]["ports"][port]["bits"][bit] in self.read[kind]
        if kind == WRITE:
            words = self.words[module, cell["parameters"]["MEMID"]]
            return bit in words if port in ("DATA", "EN") else bool(words)
        if self.is_held(module, cell, port, bit):
            return False
        return any(
            net in self.read[module] and depends(cell, index, port, bit)
            for output, direction in cell["port_directions"].items()
            if direction != "input"
            for index, net in enumerate(cell["connections"][output])
        )

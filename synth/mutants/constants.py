# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0
"""Bits of a design that are constant.

A bit is constant if it is tied to a value, in every instance of its module where it is an input of that, if gates make
it of such bits, or if it is what an instance answers whatever that is told. Registers and memories are taken as unknown.
"""

from collections import defaultdict

VALUES = ("0", "1")


def logic_of(bits):
    """Whether one of these bits is set: "0", "1", or None where that is not known."""
    if "1" in bits:
        return "1"
    return None if None in bits else "0"


def inverted(bit):
    return {"0": "1", "1": "0"}.get(bit)


def conjunction(a, b):
    if "0" in (a, b):
        return "0"
    return "1" if (a, b) == ("1", "1") else None


def evaluate(kind, inputs, width):
    """The output bits of a cell; `inputs` are bits by its ports, None where they are unknown."""
    a, b, s = (inputs.get(port, []) for port in "ABS")
    if kind == "$mux":
        if s[0] is None:
            return [x if x == y else None for x, y in zip(a, b, strict=True)]
        return b if s[0] == "1" else a
    if kind in ("$logic_and", "$logic_or", "$logic_not", "$reduce_or", "$reduce_bool"):
        left, right = logic_of(a), logic_of(b)
        if kind == "$logic_and":
            first = conjunction(left, right)
        elif kind == "$logic_or":
            first = inverted(conjunction(inverted(left), inverted(right)))
        else:
            first = inverted(left) if kind == "$logic_not" else left
        return [first] + ["0"] * (width - 1)
    if kind in ("$and", "$or", "$not") and all(len(bits) in (0, width) for bits in (a, b)):
        if kind == "$not":
            return [inverted(x) for x in a]
        if kind == "$and":
            return [conjunction(x, y) for x, y in zip(a, b, strict=True)]
        return [inverted(conjunction(inverted(x), inverted(y))) for x, y in zip(a, b, strict=True)]
    return [None] * width


# Of gates: what an input is that holds the output, whatever the other one is.
HOLDING = {"$and": "0", "$logic_and": "0", "$or": "1", "$logic_or": "1"}


def is_held(cell, port, bit, values):
    """Whether the output of a cell does not depend on this bit of an input, as another input holds it; `values` says
    what is known of bits. Of two inputs that both hold it neither is said to: what changes one may change both."""
    kind, nets = cell["type"], cell["connections"]
    if kind == "$mux" and port in "AB":
        return values(nets["S"])[0] == ("1" if port == "A" else "0")
    if kind not in HOLDING:
        return False
    own, other = nets[port], nets["B" if port == "A" else "A"]
    if kind in ("$and", "$or"):
        if len(own) != len(other):
            return False
        own, other = own[bit : bit + 1], other[bit : bit + 1]
    return logic_of(values(other)) == HOLDING[kind] != logic_of(values(own))


class Constants:
    """The constant bits of the design in the JSON of Yosys' `write_json`."""

    def __init__(self, design, top):
        self.modules = design["modules"]
        # Of every module: net -> value.
        self.known = {}
        # Of every module: what it answers whatever it is told, by its output ports.
        self.answers = {}
        for name in self.modules:
            self.find_answers(name)
        # Of every module: what its instances that were looked at are told, by its ports.
        self.told = defaultdict(list)
        waiting = defaultdict(int)
        for module in self.modules.values():
            for cell in module["cells"].values():
                waiting[cell["type"]] += 1
        # From the top down: a module when all of its instances are known.
        ready = [top]
        while ready:
            name = ready.pop()
            self.find(name, self.told[name])
            for cell in self.modules[name]["cells"].values():
                kind = cell["type"]
                if kind in self.modules:
                    self.told[kind].append(
                        {port: self.values(name, nets) for port, nets in cell["connections"].items()}
                    )
                    waiting[kind] -= 1
                    if waiting[kind] == 0:
                        ready.append(kind)

    def values(self, module, nets):
        """What is known of bits: "0" or "1", None where nothing is."""
        return [net if net in VALUES else self.known[module].get(net) for net in nets]

    def find_answers(self, name):
        """What a module answers, and those below it, whatever they are told."""
        if name in self.answers:
            return
        module = self.modules[name]
        for cell in module["cells"].values():
            if cell["type"] in self.modules:
                self.find_answers(cell["type"])
        self.find(name, [])
        self.answers[name] = {
            port: self.values(name, described["bits"])
            for port, described in module["ports"].items()
            if described["direction"] == "output"
        }

    def find(self, name, told):
        """Finds the nets of a module that are constant, where its instances are told this."""
        module = self.modules[name]
        known = self.known[name] = {}
        for port, described in module["ports"].items():
            if described["direction"] == "input" and told:
                values = zip(*(of_instance[port] for of_instance in told), strict=True)
                for net, of_instances in zip(described["bits"], values, strict=True):
                    if len(set(of_instances)) == 1 and of_instances[0] is not None:
                        known[net] = of_instances[0]
        for cell in module["cells"].values():
            for port, values in self.answers.get(cell["type"], {}).items():
                nets = cell["connections"].get(port)
                for net, value in zip(nets, values, strict=True) if nets else ():
                    if value is not None and net not in VALUES:
                        known[net] = value
        # Cells by the nets that they read.
        readers = defaultdict(list)
        for cell in module["cells"].values():
            if cell["type"] in self.modules:
                continue
            for port, direction in cell["port_directions"].items():
                if direction == "input":
                    for net in cell["connections"][port]:
                        readers[net].append(cell)
        pending = [cell for net in [*known, *VALUES] for cell in readers[net]]
        while pending:
            cell = pending.pop()
            outputs = cell["connections"].get("Y", [])
            inputs = {
                port: self.values(name, nets)
                for port, nets in cell["connections"].items()
                if cell["port_directions"][port] == "input"
            }
            for net, value in zip(outputs, evaluate(cell["type"], inputs, len(outputs)), strict=True):
                if value is not None and net not in known:
                    known[net] = value
                    pending += readers[net]

    def changes_nothing(self, module, cell, port, mode, bit, control):
        """Whether a mutation puts a bit to the value that it has anyway, is turned on by a bit that never does it, or is of a
        bit that the design leaves undefined."""
        nets = self.modules[module]["cells"][cell]["connections"][port]
        if nets[bit] == "x":
            return True
        value, condition = self.values(module, [nets[bit], nets[control]])
        return (value is not None and mode == f"const{value}") or (
            condition is not None and mode == f"cnot{inverted(condition)}"
        )

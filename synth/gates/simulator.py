# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0
"""Cycle-accurate simulation of netlists, many runs at a time.

A netlist is what Yosys writes as JSON: modules of the gates of Yosys (`$_AND_`, `$_DFF_P_`, ...), of
modules that have the functions of a library's cells, of further units, and of memories. All of it is
flattened. A wire is a row of 64-bit words with a bit for each run (a *lane*); the gates of a level and
type are evaluated by one operation of NumPy. There are two values and no delays: registers and memories
begin with random bits, which must not reach what is compared.
"""

from dataclasses import dataclass, field

import numpy

ALL = numpy.uint64(0xFFFFFFFFFFFFFFFF)
# Pins of the gates of Yosys, the output first, and their functions.
GATES = {
    "$_BUF_": (("Y", "A"), lambda a: a),
    "$_NOT_": (("Y", "A"), lambda a: ~a),
    "$_AND_": (("Y", "A", "B"), lambda a, b: a & b),
    "$_NAND_": (("Y", "A", "B"), lambda a, b: ~(a & b)),
    "$_OR_": (("Y", "A", "B"), lambda a, b: a | b),
    "$_NOR_": (("Y", "A", "B"), lambda a, b: ~(a | b)),
    "$_XOR_": (("Y", "A", "B"), lambda a, b: a ^ b),
    "$_XNOR_": (("Y", "A", "B"), lambda a, b: ~(a ^ b)),
    "$_ANDNOT_": (("Y", "A", "B"), lambda a, b: a & ~b),
    "$_ORNOT_": (("Y", "A", "B"), lambda a, b: a | ~b),
    "$_MUX_": (("Y", "A", "B", "S"), lambda a, b, s: a ^ ((a ^ b) & s)),
    "$_AOI3_": (("Y", "A", "B", "C"), lambda a, b, c: ~((a & b) | c)),
    "$_OAI3_": (("Y", "A", "B", "C"), lambda a, b, c: ~((a | b) & c)),
}
# Pins of the flip-flops: output, clock, data, then those that set or reset it, with their active
# levels and the value that they give. A later one is the stronger.
FLIP_FLOPS = {
    "$_DFF_P_": (("Q", "C", "D"), ()),
    "$_DFF_PN0_": (("Q", "C", "D", "R"), ((0, 0),)),
    "$_DFF_PN1_": (("Q", "C", "D", "R"), ((0, 1),)),
    "$_DFF_PP0_": (("Q", "C", "D", "R"), ((1, 0),)),
    "$_DFF_PP1_": (("Q", "C", "D", "R"), ((1, 1),)),
    "$_DFFSR_PPP_": (("Q", "C", "D", "S", "R"), ((1, 1), (1, 0))),
}
MEMORY_PINS = (
    "clk_i",
    "memory_config_i",
    "write_enable_i",
    "write_address_i",
    "write_data_i",
    "read_enable_i",
    "read_address_i",
    "read_data_o",
)
# Deeper logic than this is a loop.
MOST_LEVELS = 5000


class NetlistError(Exception):
    """The netlist is not what can be simulated; the message says where and why."""


@dataclass
class Circuit:
    """A module, flattened; wires are numbers, of which 0 and 1 are the constants."""

    name: str
    # Port -> (direction, wires).
    ports: dict
    wires: int
    # Type of gate -> rows of wires in the order of its pins.
    gates: dict = field(default_factory=dict)
    # (depth, pin -> wires) of each memory.
    memories: list = field(default_factory=list)

    def count(self):
        """Number of gates, of flip-flops and of memories; those that nothing comes out of do not count."""
        live, _ = used_gates(self)
        flip_flops = sum(len(rows) for kind, rows in live.items() if kind in FLIP_FLOPS)
        gates = sum(len(rows) for kind, rows in live.items() if kind in GATES)
        return gates, flip_flops, len(self.memories)


class Flattener:
    """Flattens modules of Yosys JSON; `memories`: name of a memory -> (width, depth)."""

    def __init__(self, modules, memories):
        self.modules = modules
        self.memories = memories
        self.done = {}

    def circuit(self, name):
        """The flattened module of this name."""
        if name not in self.done:
            if name not in self.modules:
                raise NetlistError(f"the module {name} is in no netlist and no library")
            self.done[name] = self._flatten(name, self.modules[name])
        return self.done[name]

    def _flatten(self, name, module):
        wires, gates, memories = {"0": 0, "1": 1, "x": 0}, {}, []
        number = 2

        def wire(bit):
            nonlocal number
            if bit not in wires:
                if isinstance(bit, str):
                    raise NetlistError(f"{name}: a pin is connected to '{bit}'")
                wires[bit] = number
                number += 1
            return wires[bit]

        ports, outputs = {}, []
        for port, data in module["ports"].items():
            if data["direction"] == "input":
                ports[port] = ("input", [wire(bit) for bit in data["bits"]])
        # Every bit of an output has a wire of its own.
        taken = {0, 1}.union(w for _, bits in ports.values() for w in bits)
        for port, data in module["ports"].items():
            if data["direction"] != "input":
                bits = []
                for bit in data["bits"]:
                    inner = wire(bit)
                    if inner in taken:
                        outputs.append((number, inner))
                        inner = number
                        number += 1
                    taken.add(inner)
                    bits.append(inner)
                ports[port] = ("output", bits)

        rows, parts = {}, {}
        for cell_name, cell in module["cells"].items():
            kind = cell["type"]
            pins = cell["connections"]
            order = GATES[kind][0] if kind in GATES else FLIP_FLOPS.get(kind, [None])[0]
            if order:
                rows.setdefault(kind, []).append([wire(pins[pin][0]) for pin in order])
            elif kind in self.memories:
                width, depth = self.memories[kind]
                if set(pins) != set(MEMORY_PINS) or len(pins["read_data_o"]) != width:
                    raise NetlistError(f"{name}: {cell_name} is not connected like a {kind}")
                connected = {pin: [wire(bit) for bit in bits] for pin, bits in pins.items()}
                memories.append((depth, connected))
            else:
                try:
                    part = self.circuit(kind)
                except NetlistError as error:
                    raise NetlistError(f"{name}, {cell_name}: {error}") from error
                row = []
                for port, (direction, bits) in part.ports.items():
                    given = pins.get(port, [])
                    if len(given) < len(bits):
                        if given or direction == "input":
                            raise NetlistError(f"{name}: {cell_name} has a pin {port} left open")
                        # An output that nobody uses.
                        row += range(number, number + len(bits))
                        number += len(bits)
                    else:
                        row += [wire(bit) for bit in given]
                parts.setdefault(kind, []).append(row)
        for row in outputs:
            rows.setdefault("$_BUF_", []).append(list(row))

        gates = {kind: [numpy.array(table)] for kind, table in rows.items()}
        for kind, table in parts.items():
            part = self.circuit(kind)
            inner = [w for _, bits in part.ports.values() for w in bits]
            # Wires of all instances: constants, ports, and those inside.
            place = numpy.full((len(table), part.wires), -1)
            place[:, 0], place[:, 1] = 0, 1
            place[:, inner] = numpy.array(table)
            free = numpy.flatnonzero(place[0] < 0)
            place[:, free] = number + numpy.arange(len(table) * len(free)).reshape(len(table), -1)
            number += len(table) * len(free)
            for gate, pins in part.gates.items():
                gates.setdefault(gate, []).append(place[:, pins].reshape(-1, pins.shape[1]))
            for instance in place:
                for depth, pins in part.memories:
                    memories.append((depth, {pin: list(instance[w]) for pin, w in pins.items()}))
        gates = {kind: numpy.concatenate(tables) for kind, tables in gates.items()}
        return Circuit(name, ports, number, gates, memories)


class Simulation:
    """Simulates a circuit in `lanes` runs, each with values of its own at the inputs."""

    def __init__(self, circuit, lanes=64, seed=1):
        if lanes % 64 or lanes <= 0:
            raise ValueError(f"lanes = {lanes} is no multiple of 64")
        self.name, self.lanes = circuit.name, lanes
        self.random = numpy.random.default_rng(seed)
        self._arrange(circuit)
        self.values = self._random_bits(circuit.wires)
        self.values[0], self.values[1] = 0, ALL
        self.contents = [
            self._random_bits(depth, len(pins["read_data_o"])) for depth, pins in self.memories
        ]

    def _random_bits(self, *shape):
        return self.random.integers(0, 2**64, (*shape, self.lanes // 64), numpy.uint64)

    def _arrange(self, circuit):
        """Orders the gates by levels, and numbers the wires so that each group has a range."""
        driven = numpy.zeros(circuit.wires, numpy.int64)
        driven[:2] = 1
        sources = [
            w for direction, bits in circuit.ports.values() if direction == "input" for w in bits
        ]
        sources += [w for _, pins in circuit.memories for w in pins["read_data_o"]]
        numpy.add.at(driven, sources, 1)
        for rows in circuit.gates.values():
            numpy.add.at(driven, rows[:, 0], 1)
        live, used = used_gates(circuit)
        flip_flops = {k: rows for k, rows in live.items() if k in FLIP_FLOPS}
        gates = {k: rows for k, rows in live.items() if k in GATES}
        if (driven > 1).any():
            raise NetlistError(
                f"{circuit.name}: {(driven > 1).sum()} wires are driven more than once"
            )
        if (used & (driven == 0)).any():
            raise NetlistError(
                f"{circuit.name}: {(used & (driven == 0)).sum()} wires are not driven"
            )
        clock = circuit.ports["clk_i"][1][0]
        clocks = [rows[:, 1] for rows in flip_flops.values()]
        clocks += [numpy.array(pins["clk_i"]) for _, pins in circuit.memories]
        if any((wires != clock).any() for wires in clocks):
            raise NetlistError(f"{circuit.name}: something is not clocked by clk_i")

        level = numpy.zeros(circuit.wires, numpy.int64)
        for _ in range(MOST_LEVELS):
            changed = False
            for rows in gates.values():
                new = level[rows[:, 1:]].max(axis=1) + 1
                changed = changed or (level[rows[:, 0]] != new).any()
                level[rows[:, 0]] = new
            if not changed:
                break
        else:
            raise NetlistError(f"{circuit.name}: there is a combinational loop")

        # The new numbers: constants, then all that is no gate's output, then groups.
        position = numpy.full(circuit.wires, -1)
        outputs = [rows[:, 0] for rows in gates.values()]
        is_gate = numpy.zeros(circuit.wires, bool)
        if outputs:
            is_gate[numpy.concatenate(outputs)] = True
        others = numpy.flatnonzero(~is_gate)
        position[others] = numpy.arange(len(others))
        number, groups = len(others), []
        for kind, rows in gates.items():
            levels = level[rows[:, 0]]
            order = numpy.argsort(levels, kind="stable")
            cuts = numpy.flatnonzero(numpy.diff(levels[order])) + 1
            for part in numpy.split(order, cuts):
                groups.append((levels[part[0]], kind, rows[part]))
        groups.sort(key=lambda group: (group[0], group[1]))
        self.steps = []
        for _, kind, rows in groups:
            position[rows[:, 0]] = numpy.arange(number, number + len(rows))
            inputs = [
                numpy.ascontiguousarray(position[rows[:, i]]) for i in range(1, rows.shape[1])
            ]
            self.steps.append((GATES[kind][1], slice(number, number + len(rows)), inputs, kind))
            number += len(rows)
        self.flip_flops = [(position[rows].T, FLIP_FLOPS[k][1]) for k, rows in flip_flops.items()]
        self.memories = [
            (depth, {pin: position[wires] for pin, wires in pins.items()})
            for depth, pins in circuit.memories
        ]
        self.ports = {port: (d, position[bits]) for port, (d, bits) in circuit.ports.items()}
        self.levels = max((group[0] for group in groups), default=0)

    def set(self, port, values):
        """Gives an input its value in each lane; one value is for all lanes."""
        direction, wires = self.ports[port]
        if direction != "input":
            raise ValueError(f"{port} is no input of {self.name}")
        if isinstance(values, int):
            values = [values] * self.lanes
        size = (len(wires) + 7) // 8
        data = b"".join(value.to_bytes(size, "little") for value in values)
        rows = numpy.frombuffer(data, numpy.uint8).reshape(self.lanes, size)
        bits = numpy.unpackbits(rows, axis=1, bitorder="little")
        if bits[:, len(wires) :].any():
            raise ValueError(f"a value for {port} has more than {len(wires)} bits")
        packed = numpy.packbits(bits[:, : len(wires)].T, axis=1, bitorder="little")
        self.values[wires] = numpy.ascontiguousarray(packed).view(numpy.uint64)

    def get(self, port):
        """The value of a port in each lane."""
        wires = self.ports[port][1]
        data = numpy.ascontiguousarray(self.values[wires]).view(numpy.uint8)
        bits = numpy.unpackbits(data, axis=1, bitorder="little")
        rows = numpy.packbits(bits.T, axis=1, bitorder="little")
        return [int.from_bytes(row.tobytes(), "little") for row in rows]

    def evaluate(self):
        """Brings all gates up to date."""
        values = self.values
        for function, outputs, inputs, _ in self.steps:
            values[outputs] = function(*(values[wires] for wires in inputs))

    def clock(self):
        """A rising edge of the clock, after `evaluate`. Resets take effect here."""
        values = self.values
        new = []
        for pins, controls in self.flip_flops:
            data = values[pins[2]]
            for wires, (active, value) in zip(pins[3:], controls):
                on = values[wires] if active else ~values[wires]
                data = data | on if value else data & ~on
            new.append((pins[0], data))
        for (depth, pins), content in zip(self.memories, self.contents):
            data = self._access(depth, pins, content)
            new.append((pins["read_data_o"], data))
        for wires, data in new:
            values[wires] = data

    def _access(self, depth, pins, content):
        """Reads and writes a memory; returns its new output."""
        values = self.values
        output = values[pins["read_data_o"]]
        reads = list(self._selected(depth, pins["read_enable_i"], pins["read_address_i"]))
        for address, lanes in reads:
            output ^= (output ^ content[address]) & lanes
        data = values[pins["write_data_i"]]
        for address, lanes in self._selected(
            depth, pins["write_enable_i"], pins["write_address_i"]
        ):
            content[address] ^= (content[address] ^ data) & lanes
        return output

    def _selected(self, depth, enable, address):
        """The words that are accessed, and in which lanes."""
        enabled = self.values[enable[0]]
        if not enabled.any():
            return
        bits = self.values[address]
        chosen = [enabled]
        for bit in bits[::-1]:
            chosen = [part for mask in chosen for part in (mask & ~bit, mask & bit)]
        for word, lanes in enumerate(chosen[:depth]):
            if lanes.any():
                yield word, lanes


def used_gates(circuit):
    """The gates of which something comes out, such as one of the two outputs of a flip-flop, and the
    wires that are used."""
    kept = dict(circuit.gates)
    while True:
        used = numpy.zeros(circuit.wires, bool)
        for rows in kept.values():
            used[rows[:, 1:]] = True
        for direction, bits in circuit.ports.values():
            if direction == "output":
                used[bits] = True
        for _, pins in circuit.memories:
            for pin in MEMORY_PINS[:-1]:
                used[pins[pin]] = True
        fewer = {kind: rows[used[rows[:, 0]]] for kind, rows in kept.items()}
        if all(len(fewer[kind]) == len(rows) for kind, rows in kept.items()):
            return kept, used
        kept = fewer

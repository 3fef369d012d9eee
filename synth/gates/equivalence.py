# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0
"""Formal equivalence of a unit's netlist and its RTL, register by register, with abc.

The RTL is what the front end of Yosys made of it, brought to gates by Yosys' simple mappings alone: none
of the passes that shape the netlist's arithmetic, and no abc. Units and memories below are cut off: what
they put out is an input of both sides, what they are given is compared.

Registers are matched by what they hold in a random simulation of both sides, up to inversion. Whether the
match is right is not assumed but proven: in both sides matched registers begin with the same value, and
then their next values and all outputs must be the same, whatever the inputs and registers are (`cec` of
abc). So both sides do the same for ever if they begin with the same values, as they do after a reset, or
once a pipeline without reset has been filled. A register that always holds the same bit in the simulation
is taken to begin with it. Resets are sampled by the clock.
"""

import json
import re
import subprocess
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy

from flow import tools
from flow.errors import FlowError
from simulator import Flattener, Simulation

# Rows of a table of BLIF for each gate.
COVERS = {
    "$_BUF_": ("1 1",),
    "$_NOT_": ("0 1",),
    "$_AND_": ("11 1",),
    "$_NAND_": ("0- 1", "-0 1"),
    "$_OR_": ("1- 1", "-1 1"),
    "$_NOR_": ("00 1",),
    "$_XOR_": ("10 1", "01 1"),
    "$_XNOR_": ("11 1", "00 1"),
    "$_ANDNOT_": ("10 1",),
    "$_ORNOT_": ("1- 1", "-0 1"),
    "$_MUX_": ("1-0 1", "-11 1"),
    "$_AOI3_": ("0-0 1", "-00 1"),
    "$_OAI3_": ("00- 1", "--0 1"),
}
# Cycles of the simulation that matches registers: first, to forget how they began, and then.
CYCLES_BEFORE, CYCLES, CYCLES_OF_PHASE = 100, 300, 100
PROVEN, REFUTED, UNDECIDED = "proven", "refuted", "undecided"
# Registers of one side hold what no register of the other one does.
UNMATCHED = "registers do not match"
DIFFERENT = (REFUTED, UNMATCHED)


@dataclass
class Verdict:
    """What came out; `reason` says why nothing was decided."""

    result: str
    registers: int
    compared: int
    reason: str = ""


def cut_boxes(module, directions):
    """The module without its instances of boxes, whose pins become ports.

    `directions`: type of box -> pin -> direction.
    """
    ports, cells = dict(module["ports"]), {}
    for name, cell in module["cells"].items():
        kind = cell["type"]
        if kind not in directions:
            cells[name] = cell
            continue
        for pin, bits in cell["connections"].items():
            if pin != "clk_i":
                direction = "input" if directions[kind][pin] == "output" else "output"
                ports[f"{name}.{pin}"] = {"direction": direction, "bits": bits}
    return {**module, "ports": ports, "cells": cells}


def rtl_module(unit, folder):
    """The RTL of a unit as a module of Yosys JSON, in gates."""
    source, file = folder / "rtl.il", folder / "rtl.json"
    folder.mkdir(parents=True, exist_ok=True)
    source.write_text(unit.text)
    tools.run_yosys(
        [
            f"read_rtlil {source}",
            f"hierarchy -top {unit.name}",
            "proc",
            "flatten",
            "delete t:$scopeinfo",
            "opt_clean",
            "techmap",
            "opt_clean",
            f"write_json -selected {file}",
        ],
        f"gates of the RTL of {unit.name}",
        folder / "rtl.log",
    )
    return json.loads(file.read_text())["modules"][unit.name]


class Side:
    """One of the two sides: a simulation, and what its registers hold in each cycle."""

    def __init__(self, circuit):
        self.simulation = simulation = Simulation(circuit, 64)
        self.q, self.next = [], []
        for pins, controls in simulation.flip_flops:
            for column in pins.T:
                self.q.append(int(column[0]))
                self.next.append((column, controls))
        self.inputs = {}
        self.outputs = {}
        for port, (direction, wires) in simulation.ports.items():
            if port != "clk_i":
                (self.inputs if direction == "input" else self.outputs)[port] = list(
                    map(int, wires)
                )

    def histories(self):
        """What each register holds over the simulation."""
        simulation = self.simulation
        seen = []
        for cycle in range(CYCLES_BEFORE + CYCLES):
            for port, wires in self.inputs.items():
                name = zlib.crc32(port.encode())
                generator = numpy.random.default_rng([name, cycle])
                value = stimulus(generator, len(wires))
                if port == "rst_ni":
                    value = value * 0 if cycle < 2 else ~rare(generator, len(wires))
                elif port == "clear_i":
                    value = rare(generator, len(wires))
                elif len(wires) == 1 and cycle >= CYCLES_BEFORE:
                    phase = numpy.random.default_rng([name, cycle // CYCLES_OF_PHASE, 1])
                    value = biased(phase, generator)
                simulation.values[wires] = value[:, None]
            simulation.evaluate()
            if cycle >= CYCLES_BEFORE:
                seen.append(simulation.values[self.q][:, 0])
            simulation.clock()
        return numpy.array(seen).T

    def blif(self, file, inputs, states, outputs):
        """Writes the next values and outputs as functions of inputs and states.

        `inputs`: (name, wires); `states`: register -> (name or constant, inverted); `outputs`: names and
        what they are: a wire, or the next value of a register and whether it is inverted.
        """
        simulation = self.simulation
        lines = [".model side"]
        names = [f"{name}[{i}]" for name, wires in inputs for i in range(len(wires))]
        names += sorted({name for name, _ in states.values() if isinstance(name, str)})
        lines.append(".inputs " + " ".join(names))
        lines.append(".outputs " + " ".join(name for name, _, _ in outputs))
        lines += [".names w0", ".names w1", "1"]
        for name, wires in inputs:
            lines += [f".names {name}[{i}] w{wire}\n1 1" for i, wire in enumerate(wires)]
        for register, (name, inverted) in states.items():
            wire = self.q[register]
            if isinstance(name, str):
                lines.append(f".names {name} w{wire}\n{int(not inverted)} 1")
            else:
                lines.append(f".names w{wire}" + ("\n1" if name ^ inverted else ""))
        for _, outputs_of_step, pins, kind in simulation.steps:
            cover = "\n".join(COVERS[kind])
            columns = [range(outputs_of_step.start, outputs_of_step.stop), *pins]
            for output, *given in zip(*columns):
                lines.append(f".names {' '.join(f'w{w}' for w in given)} w{output}\n{cover}")
        for name, value, inverted in outputs:
            if isinstance(value, bool):
                lines.append(f".names {name}" + ("\n1" if value ^ inverted else ""))
                continue
            kind, number = value
            if kind == "wire":
                lines.append(f".names w{number} {name}\n1 1")
                continue
            column, controls = self.next[number]
            now = f"w{column[2]}"
            for i, (wire, (active, given)) in enumerate(zip(column[3:], controls)):
                after = f"{name}_{i}"
                # Set: now or active; reset: now and not active.
                cover = f"1- 1\n-{active} 1" if given else f"1{1 - active} 1"
                lines.append(f".names {now} w{wire} {after}\n{cover}")
                now = after
            lines.append(f".names {now} {name}\n{int(not inverted)} 1")
        file.write_text("\n".join([*lines, ".end"]) + "\n")


def stimulus(generator, width):
    """Random bits for a port in 64 lanes, of which every digit of 32, or all, may be zeros or ones throughout."""
    digit = 32 if generator.integers(2) else width
    bits = generator.integers(0, 2**64, (width, 1), numpy.uint64)[:, 0]
    digits = generator.integers(0, 2**64, (3, -(-width // digit)), numpy.uint64).repeat(digit, axis=1)
    plain, value = digits[0, :width], digits[1, :width] & digits[2, :width]
    return (bits & plain) | (value & ~plain)


def biased(phase, generator):
    """A bit that is mostly set in some lanes, mostly not in others, so that queues fill and run empty."""
    one, two = phase.integers(0, 2**64, (2, 1), numpy.uint64)
    a, b, c = generator.integers(0, 2**64, (3, 1), numpy.uint64)
    return (one & two & (a | b | c)) | (one & ~two & a & b & c) | (~one & a)


def rare(generator, width):
    """Bits that are set one time in 4096."""
    bits = generator.integers(0, 2**64, (12, width), numpy.uint64)
    return numpy.bitwise_and.reduce(bits)


def match(left, right):
    """Classes of registers that hold the same: key -> ([(register, inverted)] of each side)."""
    classes = {}
    for side, part in enumerate((left, right)):
        for register, history in enumerate(part.histories()):
            inverted = bool(history[0] & numpy.uint64(1))
            key = (~history if inverted else history).tobytes()
            classes.setdefault(key, ([], []))[side].append((register, inverted))
    return classes


def in_pairs(classes):
    """The classes with as many registers on each side cut into pairs, in order."""
    pairs = {}
    for key, members in classes.items():
        if len(members[0]) != len(members[1]):
            pairs[key] = members
            continue
        for i, pair in enumerate(zip(*members)):
            pairs[key + i.to_bytes(2, "little") + b"\1"] = tuple([one] for one in pair)
    return pairs


def compare(left, right, folder, seconds):
    """Whether two circuits are equivalent, as far as abc finds out in the time given.

    Registers that hold the same in the simulation are first taken to be the same, then as pairs: they may
    only not have been told apart. A wrong match is never proven.
    """
    left, right = Side(left), Side(right)
    classes = match(left, right)
    verdict = compare_matched(left, right, classes, folder, seconds)
    if verdict.result == REFUTED:
        verdict = compare_matched(left, right, in_pairs(classes), folder, seconds)
    return verdict


def compare_matched(left, right, classes, folder, seconds):
    """The verdict for these classes of registers."""
    for name in ("inputs", "outputs"):
        mine, other = getattr(left, name), getattr(right, name)
        widths = [{port: len(wires) for port, wires in ports.items()} for ports in (mine, other)]
        if name == "outputs" and widths[0] != widths[1]:
            return Verdict(UNDECIDED, 0, 0, "the two sides have different boxes or ports")
    ports = sorted(left.inputs.keys() | right.inputs.keys())
    inputs = [
        [(f"i{i}", side.inputs.get(port, [])) for i, port in enumerate(ports)]
        for side in (left, right)
    ]
    for (name, mine), (_, other) in zip(*inputs):
        if len(mine) != len(other):
            return Verdict(UNDECIDED, 0, 0, "the two sides have different boxes or ports")
    outputs = ([], [])
    for i, port in enumerate(sorted(left.outputs)):
        for bit in range(len(left.outputs[port])):
            for side, part in enumerate((left, right)):
                outputs[side].append((f"o{i}_{bit}", ("wire", part.outputs[port][bit]), False))
    states, alone = ({}, {}), 0
    for number, (key, members) in enumerate(sorted(classes.items())):
        constant = not any(key)
        name = False if constant else f"s{number}"
        for side in (0, 1):
            states[side].update({r: (name, inverted) for r, inverted in members[side]})
        if constant:
            for side in (0, 1):
                for register, inverted in members[side]:
                    output = f"n{number}_{side}_{register}"
                    outputs[side].append((output, ("next", register), inverted))
                    outputs[1 - side].append((output, False, False))
        elif members[0] and members[1]:
            pairs = [(mine, members[1][0]) for mine in members[0]]
            pairs += [(members[0][0], other) for other in members[1][1:]]
            for pair in pairs:
                output = f"n{number}_{pair[0][0]}_{pair[1][0]}"
                for side in (0, 1):
                    register, inverted = pair[side]
                    outputs[side].append((output, ("next", register), inverted))
        else:
            alone += len(members[0]) + len(members[1])
    registers = len(right.q)
    if alone:
        return Verdict(UNMATCHED, registers, 0, f"{alone} have no counterpart")
    # Both sides have the same inputs, states included.
    files = [folder / "rtl.blif", folder / "netlist.blif"]
    for side, part in enumerate((left, right)):
        part.blif(files[side], inputs[side], states[side], outputs[side])
    return Verdict(*prove(files, folder, seconds, registers, len(outputs[0])))


def abc_program():
    """The abc of the Python package of Yosys."""
    import pyosys

    return Path(pyosys.__file__).parent / "yosys-abc"


def prove(files, folder, seconds, registers, compared):
    """Runs abc; the fields of a verdict."""
    aigs = [file.with_suffix(".aig") for file in files]
    script = "; ".join(
        [f"read_blif {file}; strash; write_aiger {aig}" for file, aig in zip(files, aigs)]
        + [f"cec -T {seconds} -C 100000 {aigs[0]} {aigs[1]}"]
    )
    late = UNDECIDED, registers, compared, f"abc did not decide in {seconds} s"
    log = folder / "abc.log"
    with log.open("w") as output:
        try:
            # It does not always keep its own limit.
            done = subprocess.run(
                [abc_program(), "-c", script],
                stdout=output,
                stderr=subprocess.STDOUT,
                timeout=seconds + 30,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return late
    text = log.read_text()
    if re.search(r"NOT EQUIVALENT", text, re.IGNORECASE):
        return REFUTED, registers, compared
    if re.search(r"Networks are equivalent", text, re.IGNORECASE):
        return PROVEN, registers, compared
    if done.returncode == 0 and re.search(r"UNDECIDED|Timed out", text, re.IGNORECASE):
        return late
    raise FlowError(f"abc failed, see {log}:\n{text[-1000:]}")


def directions_of(cut):
    """Directions of the pins of what is below the units of a design."""
    memory = {
        pin: "output" if pin.endswith("_o") else "input"
        for pin in (
            "clk_i memory_config_i write_enable_i write_address_i write_data_i read_enable_i"
            " read_address_i read_data_o"
        ).split()
    }
    found = {name: memory for name in cut.memories}
    for name, unit in cut.units.items():
        found[name] = {port: direction for port, direction, _ in unit.ports}
    return found


def check(netlists, cut, name, seconds, module=None):
    """The verdict about a unit of a design, or about `module` in place of its netlist."""
    folder = netlists.folder / "equivalence" / name
    directions = directions_of(cut)
    rtl = cut_boxes(rtl_module(cut.units[name], folder), directions)
    netlist = cut_boxes(module or netlists.modules(cut)[name], directions)
    sides = [Flattener({**netlists.cells, name: part}, {}).circuit(name) for part in (rtl, netlist)]
    return compare(*sides, folder, seconds)

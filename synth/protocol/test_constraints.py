#!/usr/bin/env python3
# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0
"""Checks the crossing between two clocks as Yosys elaborates it.

What rtl/crossing/acclmt_crossing.sdc names exists, and every path from a flop of one clock to a flop of the other
ends where it may: in a synchroniser, or in a flop that takes a word of a buffer or a held request or answer. Faults
that are planted must be found. Needs the packages of ../requirements.txt.
"""

import json
import re
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

import protocol
from protocol import elaborate

TOP = "acclmt_clock_crossing"
CONSTRAINTS = elaborate.ROOT / "rtl" / "crossing" / "acclmt_crossing.sdc"
# Where a path may begin, by the name of the register, if it does not end in the first flop of a synchroniser.
HELD = re.compile(r"\.(places_q|request_(write|addr|wdata)_q|answer_(rdata|error)_q)$")


def netlist(sources):
    """The crossing with two clocks as one module of cells, and its wires."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "crossing.json"
        files = " ".join(str(source) for source in sources)
        passed, said = protocol.yosys(
            [
                f"read_slang -D SYNTHESIS -G SeparateClocks=1 --top {TOP} {files}",
                f"hierarchy -check -top {TOP}",
                f"prep -flatten -top {TOP}",
                f"write_json {output}",
            ]
        )
        if not passed:
            protocol.fail(f"{TOP} is not elaborated", said)
        modules = json.loads(output.read_text())["modules"]
    return next(module for name, module in modules.items() if name.startswith(TOP))


def is_flop(cell):
    return "CLK" in cell["connections"]


def crossings(module):
    """Pairs of registers of different clocks with a path between them that is not allowed."""
    names = {}
    for name, net in module["netnames"].items():
        for bit in net["bits"]:
            # A register has the longest name of its bits: the others are wires that it drives.
            if name.endswith("_q") and isinstance(bit, int):
                names[bit] = name
    clock_of, drives, flops = {}, defaultdict(list), []
    for cell in module["cells"].values():
        connections, directions = cell["connections"], cell["port_directions"]
        inputs = [bit for port, bits in connections.items() if directions[port] == "input" for bit in bits]
        outputs = [bit for port, bits in connections.items() if directions[port] == "output" for bit in bits]
        if is_flop(cell):
            clock = connections["CLK"][0]
            flops.append((cell, clock))
            for bit in outputs:
                clock_of[bit] = clock
        else:
            for bit in outputs:
                drives[bit] = [value for value in inputs if isinstance(value, int)]
    found = set()
    for cell, clock in flops:
        target = names.get(cell["connections"]["Q"][0], "?")
        ports = [port for port in cell["connections"] if port not in ("CLK", "Q")]
        seen, stack = set(), [bit for port in ports for bit in cell["connections"][port] if isinstance(bit, int)]
        direct = set(stack)
        while stack:
            bit = stack.pop()
            if bit in seen:
                continue
            seen.add(bit)
            if bit in clock_of:
                if clock_of[bit] != clock:
                    source = names.get(bit, "?")
                    # A synchroniser takes a bit of a flop as it is.
                    into = "synchroniser.stages_q" in target and bit in direct
                    # The asynchronous reset of a reset synchroniser.
                    into |= target.endswith(".released_q") and bit in direct
                    if not into and not HELD.search(source):
                        found.add((source, target))
            else:
                stack.extend(drives.get(bit, []))
    return len(flops), found


def check_names(module):
    """The instances and registers that the constraints name below the crossing exist."""
    text = "\n".join(line for line in CONSTRAINTS.read_text().splitlines() if not line.startswith("#"))
    prefix = re.search(r"set crossing \S*/(\w+) \}", text).group(1)
    wanted = re.findall(r"\$crossing/(\S+)\*/", text)
    if not wanted:
        sys.exit(f"test_constraints: {CONSTRAINTS} names no register")
    for name in wanted:
        path = f"{prefix}.{name.replace('/', '.')}"
        if path not in module["netnames"]:
            sys.exit(f"test_constraints: {CONSTRAINTS} names {name}, which the design has not")
    return len(wanted)


FAULTS = (
    # Past a synchroniser; logic in front of one.
    ("acclmt_clock_crossing", ".ask_i(ask_synced),", ".ask_i(ask),"),
    ("acclmt_clock_crossing", ".d_i(out_open_q),", ".d_i(out_open_q || up),"),
    ("acclmt_gray_fifo", "assign held = written - taken_synced;", "assign held = written - taken;"),
)


def main():
    listed = elaborate.read_file_list(elaborate.FILE_LIST)
    count, found = crossings(module := netlist(listed))
    if found:
        sys.exit("test_constraints: paths between the clocks:\n" + "\n".join(f"{a} -> {b}" for a, b in sorted(found)))
    print(f"{TOP}: {count} registers, every path between the clocks is allowed; {check_names(module)} names exist")
    with tempfile.TemporaryDirectory() as folder:
        for name, original, fault in FAULTS:
            source = elaborate.ROOT / "rtl" / "crossing" / f"{name}.sv"
            text = source.read_text()
            if text.count(original) != 1:
                sys.exit(f"test_constraints: {source} must have '{original}' once; adapt the list of faults")
            copy = Path(folder) / source.name
            copy.write_text(text.replace(original, fault))
            if not crossings(netlist([copy if path == source else path for path in listed]))[1]:
                sys.exit(f"test_constraints: a fault is not found: '{fault}' for '{original}'")
    print(f"{TOP}: {len(FAULTS)} planted faults are found")


if __name__ == "__main__":
    main()

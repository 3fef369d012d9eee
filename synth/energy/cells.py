# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0
"""A routed netlist for a simulator: models of the library's cells with a delay for each output, and the
delays of an SDF file, one for each output of each instance.

An output changes once its inputs have been stable for its delay (an inertial delay, the mean of all arcs, edges
and corners that the file has for it), so that glitches shorter than a gate do not pass it. Wires are within the
delays of the cells that drive them, as OpenROAD writes them where it says so, else without delay.
"""

import re

GATES = {
    "$_BUF_": "{A}",
    "$_NOT_": "~{A}",
    "$_AND_": "{A} & {B}",
    "$_NAND_": "~({A} & {B})",
    "$_OR_": "{A} | {B}",
    "$_NOR_": "~({A} | {B})",
    "$_XOR_": "{A} ^ {B}",
    "$_XNOR_": "~({A} ^ {B})",
    "$_ANDNOT_": "{A} & ~{B}",
    "$_ORNOT_": "{A} | ~{B}",
    "$_MUX_": "{S} ? {B} : {A}",
}
# Flip-flops: condition, level at which they are set or reset, and to what.
RESETS = {
    "$_DFF_P_": None,
    "$_DFF_PN0_": ("negedge", "!", 0),
    "$_DFF_PN1_": ("negedge", "!", 1),
    "$_DFF_PP0_": ("posedge", "", 0),
    "$_DFF_PP1_": ("posedge", "", 1),
}
INSTANCE = re.compile(r"\(INSTANCE\s+([^)\s]*)\s*\)")
PATH = re.compile(r"\(IOPATH\s+(?:\((?:posedge|negedge)\s+\S+\)|\S+)\s+(\S+)\s+(.*)\)\s*$")
TIMESCALE = re.compile(r"\(TIMESCALE\s+([\d.]+)\s*(fs|ps|ns|us)\)")
PICOSECONDS = {"fs": 1e-3, "ps": 1.0, "ns": 1e3, "us": 1e6}
# Cells without pins: taps, fill.
EMPTY = re.compile(r"^\s*\w+ (?:\\\S+|\w+) +\(\);\n", re.M)
CELL_IN_NETLIST = re.compile(r"^(\s*)(\w+) (\\\S+|\w+) +\(", re.M)


class CellError(Exception):
    """A cell or a file that the simulation cannot take; the message says which and why."""


def read_delays(lines):
    """(instance, output) -> mean delay in ps, of the lines of an SDF file."""
    scale, instance, found = None, None, {}
    for line in lines:
        if match := TIMESCALE.search(line):
            scale = float(match[1]) * PICOSECONDS[match[2]]
        elif match := INSTANCE.search(line):
            instance = match[1].replace("\\", "")
        elif match := PATH.search(line.strip()):
            if scale is None:
                raise CellError("the SDF file has no TIMESCALE before its first path")
            # Each pair of parentheses is an edge with its minimum, typical and maximum.
            edges = re.findall(r"\(([^()]*)\)", match[2])
            values = [float(value) for edge in edges for value in edge.split(":") if value]
            if values:
                entry = found.setdefault((instance, match[1]), [0.0, 0])
                entry[0] += sum(values) / len(values) * scale
                entry[1] += 1
    return {key: total / count for key, (total, count) in found.items()}


def names_of(module):
    """Bit number of Yosys JSON -> an expression in Verilog, for the wires of a cell's function."""
    names = {"0": "1'b0", "1": "1'b1", "x": "1'bx"}
    for name, port in module["ports"].items():
        if len(port["bits"]) != 1:
            raise CellError(f"the port {name} of a cell has {len(port['bits'])} bits")
        if port["direction"] == "input":
            names[port["bits"][0]] = name
    return names


def model(name, module):
    """Verilog of a cell by its function, with a parameter D_PIN for the delay of each output in ps."""
    names = names_of(module)
    ports = module["ports"]
    outputs = [pin for pin, port in ports.items() if port["direction"] == "output"]
    # Declared first: the cells come in any order.
    declared, body = [], []

    def of(bit):
        bit = str(bit) if isinstance(bit, str) else bit
        return names.setdefault(bit, f"n{bit}")

    for cell in module["cells"].values():
        kind, pins = cell["type"], {pin: bits[0] for pin, bits in cell["connections"].items()}
        if kind in GATES:
            inputs = {pin: of(bit) for pin, bit in pins.items() if pin != "Y"}
            declared.append(f"  wire {of(pins['Y'])};")
            body.append(f"  assign {of(pins['Y'])} = {GATES[kind].format(**inputs)};")
        elif kind in RESETS:
            register = of(pins["Q"])
            sensitive, data = f"posedge {of(pins['C'])}", of(pins["D"])
            declared.append(f"  reg {register} = 0;")
            if RESETS[kind] is None:
                body.append(f"  always @({sensitive}) {register} <= {data};")
            else:
                edge, negated, value = RESETS[kind]
                reset = of(pins["R"])
                body.append(
                    f"  always @({sensitive} or {edge} {reset})"
                    f" if ({negated}{reset}) {register} <= {value}; else {register} <= {data};"
                )
        else:
            raise CellError(f"the cell {name} has a {kind} in it, which has no model here")
    head = ", ".join(f"{port['direction']} {pin}" for pin, port in ports.items())
    lines = [f"module {name} ({head});"]
    lines += [f"  parameter D_{pin} = 1;" for pin in outputs]
    lines += declared + body
    lines += [f"  assign #(D_{pin}) {pin} = {of(ports[pin]['bits'][0])};" for pin in outputs]
    return "\n".join([*lines, "endmodule", ""])


def annotated(netlist, delays, functions):
    """The netlist with the delays at its instances, the models of its cells before it, and how many outputs
    have no delay in the file."""
    used, missing = set(), 0

    def replace(match):
        nonlocal missing
        space, kind, name = match[1], match[2], match[3]
        if kind not in functions:
            return match[0]
        used.add(kind)
        values = []
        for pin, port in functions[kind]["ports"].items():
            if port["direction"] == "output":
                delay = delays.get((name.lstrip("\\"), pin))
                missing += delay is None
                if delay is not None:
                    values.append(f".D_{pin}({max(1, round(delay))})")
        parameters = f" #({', '.join(values)})" if values else ""
        return f"{space}{kind}{parameters} {name} ("

    text = CELL_IN_NETLIST.sub(replace, EMPTY.sub("", netlist))
    models = "".join(model(kind, functions[kind]) for kind in sorted(used))
    return models + text, missing

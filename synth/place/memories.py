#!/usr/bin/env python3
# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0
"""Prepares a mapped netlist for OpenROAD: writes it with a cell for each size of memory, and their
abstracts, and without the modules that have a layout of their own.

The memories of a netlist are black boxes, instances of `acclmt_mem_1r1w`. Their width is that of
their data, their depth the parameter Depth: of the instance, of the module, or in the name of the
module, as Yosys or `make area` writes it; where it is left out, that of the RTL. One that is wider
than a macro may be becomes banks. Each size becomes
a cell of its own, as `acclmt_mem_1r1w_256x64` (width, depth), with an abstract in LEF and in
Liberty: a rectangle of the area that the bits take in a memory of the library, with pins at its
sides and the timing of such a memory (LIBRARY/memories.toml, docs/place.md).

Needs the packages of synth/requirements.txt.
"""

import argparse
import json
import math
import re
import sys
import tomllib
from dataclasses import dataclass, replace
from pathlib import Path

MEMORY = "acclmt_mem_1r1w"
HERE = Path(__file__).resolve().parent
LIBRARIES = HERE.parent / "libraries"
# Quasi-static: nothing is timed that ends there.
CONFIGURATION = "memory_config_i"
RTL = HERE.parent.parent / "rtl" / "memory" / f"{MEMORY}.sv"
DEFAULT_DEPTH = re.compile(r"^\s*parameter int unsigned Depth = (\d+)\b", re.M)
# In a name of Yosys, \$paramod\acclmt_mem_1r1w\Depth=s32'00..01101, and in one of `make area`,
# acclmt_mem_1r1w__Width8_Depth13.
DEPTH_OF_YOSYS = re.compile(r"\\Depth=s?32'([01]+)(?:\\|$)")
DEPTH_IN_NAME = re.compile(r"_Depth(\d+)(?:_|$)")
# Of unmapped cells that many are named in the error.
NAMED_CELLS = 5


class PlaceError(Exception):
    """What is wrong with the input, for its user."""


@dataclass(frozen=True, order=True)
class Size:
    """Width in bits, depth in words, bits of the configuration."""

    width: int
    depth: int
    configuration: int

    @property
    def cell(self):
        return f"{MEMORY}_{self.width}x{self.depth}"

    @property
    def address_width(self):
        return max(1, (self.depth - 1).bit_length())


def inputs(size):
    """Names of the input pins, a bus as a pair of its name and width."""
    return [
        "clk_i",
        (CONFIGURATION, size.configuration),
        "write_enable_i",
        "read_enable_i",
        ("write_address_i", size.address_width),
        ("read_address_i", size.address_width),
        ("write_data_i", size.width),
    ]


def outputs(size):
    return [("read_data_o", size.width)]


def bits(pins):
    """The pins with each bit of a bus by itself."""
    for pin in pins:
        if isinstance(pin, str):
            yield pin
        else:
            yield from (f"{pin[0]}[{bit}]" for bit in range(pin[1]))


def memory_of(library):
    """How memories of a library look (LIBRARY/memories.toml), with the macros that `make area` counts with."""
    memory = tomllib.loads((HERE / library / "memories.toml").read_text())["memory"]
    counted = tomllib.loads((LIBRARIES / f"{library}.toml").read_text())
    return memory | {"macro": counted["memory"]["macro"]}


def area_per_bit(depth, memory):
    """Of the macro with the next larger depth, or else of the deepest, in um^2."""
    macros = sorted(memory["macro"], key=lambda macro: macro["depth"])
    macro = next((macro for macro in macros if macro["depth"] >= depth), macros[-1])
    width, height = macro["size_um"]
    return width * height / (macro["depth"] * macro["width"])


def dimensions(size, memory):
    """Width and height in um: about a square of the bits' area, with room for the pins of each
    side, for a strap of each supply and for the power grid above; whole pin pitches."""
    pitch = memory["pin_pitch_um"]
    area = size.width * size.depth * area_per_bit(size.depth, memory)
    rows = max(len(list(bits(inputs(size)))), len(list(bits(outputs(size)))))
    straps = math.ceil((memory["strap_pitch_um"] + memory["strap_width_um"]) / pitch)
    height = max(math.ceil(math.sqrt(area) / pitch), rows + 1, straps) * pitch
    width = math.ceil(round(max(area / height, memory["min_width_um"]) / pitch, 6)) * pitch
    return width, height


def rectangle(left, bottom, right, top):
    return f"      RECT {left:.3f} {bottom:.3f} {right:.3f} {top:.3f} ;"


def lef_pin(name, direction, use, layer, rectangles):
    return [
        f"  PIN {name}",
        f"    DIRECTION {direction} ;",
        f"    USE {use} ;",
        "    PORT",
        f"      LAYER {layer} ;",
        *rectangles,
        "    END",
        f"  END {name}",
    ]


def lef(sizes, memory):
    """LEF abstracts: inputs at the left side, outputs at the right, supply straps between."""
    lines = ["VERSION 5.8 ;", 'BUSBITCHARS "[]" ;', 'DIVIDERCHAR "/" ;', ""]
    thick, pitch = memory["pin_width_um"], memory["pin_pitch_um"]
    for size in sizes:
        width, height = dimensions(size, memory)
        lines += [
            f"MACRO {size.cell}",
            "  CLASS BLOCK ;",
            "  ORIGIN 0 0 ;",
            f"  FOREIGN {size.cell} 0 0 ;",
            f"  SIZE {width:.3f} BY {height:.3f} ;",
            "  SYMMETRY X Y ;",
        ]
        for pins, direction, left in (
            (inputs(size), "INPUT", 0),
            (outputs(size), "OUTPUT", width - thick),
        ):
            for row, name in enumerate(bits(pins), start=1):
                middle = row * pitch
                shape = rectangle(left, middle - thick / 2, left + thick, middle + thick / 2)
                use = "CLOCK" if name == "clk_i" else "SIGNAL"
                lines += lef_pin(name, direction, use, memory["pin_layer"], [shape])
        supplies = {"VSS": [], "VDD": []}
        straps = int((height - memory["strap_width_um"]) / memory["strap_pitch_um"]) + 1
        for strap in range(straps):
            bottom = strap * memory["strap_pitch_um"]
            shape = rectangle(pitch, bottom, width - pitch, bottom + memory["strap_width_um"])
            supplies["VDD" if strap % 2 else "VSS"].append(shape)
        lines += lef_pin("VSS", "INOUT", "GROUND", memory["strap_layer"], supplies["VSS"])
        lines += lef_pin("VDD", "INOUT", "POWER", memory["strap_layer"], supplies["VDD"])
        lines.append("  OBS")
        for layer in memory["blocked_layers"]:
            lines += [f"      LAYER {layer} ;", rectangle(0, 0, width, height)]
        lines += ["  END", f"END {size.cell}", ""]
    lines += ["END LIBRARY", ""]
    return "\n".join(lines)


def table(name, picoseconds):
    return f'{name} (scalar) {{ values ("{picoseconds / 1000:.4f}"); }}'


def liberty(sizes, memory):
    """Liberty abstracts in ns and pF: constant delays, setup and hold; no power."""
    checks = []
    for kind, value in (("setup", memory["setup_ps"]), ("hold", memory["hold_ps"])):
        checks += [
            "      timing () {",
            '        related_pin : "clk_i";',
            f"        timing_type : {kind}_rising;",
            f"        {table('rise_constraint', value)}",
            f"        {table('fall_constraint', value)}",
            "      }",
        ]
    access = [
        "      timing () {",
        '        related_pin : "clk_i";',
        "        timing_type : rising_edge;",
    ]
    access += [
        f"        {table(f'cell_{edge}', memory['clock_to_data_ps'])}" for edge in ("rise", "fall")
    ]
    access += [
        f"        {table(f'{edge}_transition', memory['transition_ps'])}"
        for edge in ("rise", "fall")
    ]
    access += ["      }"]
    capacitance = memory["input_capacitance_ff"] / 1000
    lines = [
        "library (acclmt_memories) {",
        "  delay_model : table_lookup;",
        '  time_unit : "1ns";',
        '  voltage_unit : "1V";',
        '  current_unit : "1uA";',
        '  leakage_power_unit : "1nW";',
        '  pulling_resistance_unit : "1kohm";',
        "  capacitive_load_unit (1, pf);",
        *(
            f"  {kind}_threshold_pct_{edge} : 50;"
            for kind in ("input", "output")
            for edge in ("rise", "fall")
        ),
        *(f"  slew_lower_threshold_pct_{edge} : 20;" for edge in ("rise", "fall")),
        *(f"  slew_upper_threshold_pct_{edge} : 80;" for edge in ("rise", "fall")),
    ]
    widths = sorted({width for size in sizes for width in (size.width, size.address_width, size.configuration)})
    for width in widths:
        lines += [
            f"  type (bits_{width}) {{",
            "    base_type : array; data_type : bit; downto : true;",
            f"    bit_width : {width}; bit_from : {width - 1}; bit_to : 0;",
            "  }",
        ]
    for size in sizes:
        width, height = dimensions(size, memory)
        lines += [
            f"  cell ({size.cell}) {{",
            f"    area : {width * height:.4f};",
            "    is_macro_cell : true;",
        ]
        for pin in inputs(size) + outputs(size):
            if isinstance(pin, str):
                lines.append(f"    pin ({pin}) {{")
            else:
                lines += [f"    bus ({pin[0]}) {{", f"      bus_type : bits_{pin[1]};"]
            if pin in outputs(size):
                lines += ["      direction : output;"]
                lines += [
                    f"      max_capacitance : {memory['max_capacitance_ff'] / 1000:.4f};",
                    *access,
                ]
            elif pin == "clk_i":
                lines += ["      direction : input;", "      clock : true;"]
                lines += [f"      capacitance : {memory['clock_capacitance_ff'] / 1000:.4f};"]
            else:
                lines += ["      direction : input;", f"      capacitance : {capacitance:.4f};"]
                if pin[0] != CONFIGURATION:
                    lines += checks
            lines.append("    }")
        lines.append("  }")
    lines += ["}", ""]
    return "\n".join(lines)


def depth_of(module, parameters):
    """The depth of a memory by the name of its module and the parameters that the netlist has of
    it; None where they do not say."""
    if "Depth" in parameters:
        return parameters["Depth"]
    if found := DEPTH_OF_YOSYS.search(module):
        return int(found[1], 2)
    if found := DEPTH_IN_NAME.search(module):
        return int(found[1])
    # A digest stands for all parameters.
    if module.startswith("$paramod$"):
        return None
    found = DEFAULT_DEPTH.search(RTL.read_text())
    return int(found[1]) if found else None


def size_of(instance, module, parameters, data_width, address_width, configuration):
    """The size of a memory with data, addresses and configuration of these widths."""
    depth = depth_of(module, parameters)
    size = Size(data_width, depth or 0, configuration)
    if depth is None or size.address_width != address_width:
        found = "" if depth is None else f": {depth} words do not fit"
        raise PlaceError(
            f"the depth of the memory {instance} ({module}), which has {address_width} bits of "
            f"address, is not in the netlist{found}; keep its parameter Depth at the instance, the "
            "module or in the module's name"
        )
    return size


def integers(parameters):
    return {name.str().lstrip("\\"): value.as_int() for name, value in parameters.items()}


def port_width(cell, instance, port):
    from pyosys import libyosys  # Needed here only.

    name = libyosys.IdString("\\" + port)
    if not cell.hasPort(name):
        raise PlaceError(f"the memory {instance} has nothing at its port {port}")
    return cell.getPort(name).size()


def bank_widths(width, most):
    """The widths of as few banks as hold the width, as equal as can be."""
    banks = math.ceil(width / most)
    return [width // banks + (bank < width % banks) for bank in range(banks)]


def make_banks(module, cell, sizes):
    """Puts memories of these sizes, which share all but the data, in the place of one; a single one has its name."""
    from pyosys import libyosys  # Needed here only.

    name, first = cell.name.str(), 0
    ports = {port.str(): signal for port, signal in cell.connections_.items()}
    module.remove(cell)
    for number, size in enumerate(sizes):
        bank_name = f"{name}_bank{number}" if len(sizes) > 1 else name
        bank = module.addCell(libyosys.IdString(bank_name), libyosys.IdString("\\" + size.cell))
        for port, signal in ports.items():
            if port in ("\\write_data_i", "\\read_data_o"):
                signal = signal.extract(first, size.width)
            bank.setPort(libyosys.IdString(port), signal)
        first += size.width


def read_netlist(path, top, blocks, most_bits):
    """The design of the netlist below `top`, memories as cells of their sizes, in banks of so many bits
    at most, without the modules of `blocks`; and the sizes."""
    from pyosys import libyosys  # Needed here only.

    design = libyosys.Design()
    libyosys.run_pass(f'read_verilog "{path}"', design)
    modules = {module.name.str().lstrip("\\"): module for module in design.modules_.values()}
    if top not in modules:
        raise PlaceError(
            f"{path} has no module {top}; its modules: {', '.join(sorted(modules)) or 'none'}"
        )
    for block in blocks:
        if block not in modules or block == top:
            raise PlaceError(f"{path} has no module {block} below {top}, which is to be a block of it")
        design.remove(modules.pop(block))
    # Not checked: blocks and memories need not be modules of it. What is not below the top goes.
    libyosys.run_pass(f"hierarchy -top {top}", design)
    modules = {module.name.str().lstrip("\\"): module for module in design.modules_.values()}
    boxes = {name: module for name, module in modules.items() if MEMORY in name}
    sizes, unmapped = set(), set()
    for name, module in modules.items():
        if name in boxes:
            continue
        for cell in list(module.cells_.values()):
            kind = cell.type.str()
            if kind.startswith("$") and kind not in modules and MEMORY not in kind:
                unmapped.add(kind)
            if MEMORY in kind:
                kind = kind.lstrip("\\")
                parameters = integers(boxes[kind].parameter_default_values) if kind in boxes else {}
                parameters |= integers(cell.parameters)
                instance = f"{name}/{cell.name.str()}"
                widths = [
                    port_width(cell, instance, port)
                    for port in ("write_data_i", "write_address_i", CONFIGURATION)
                ]
                size = size_of(instance, kind, parameters, *widths)
                banks = [replace(size, width=width) for width in bank_widths(size.width, most_bits)]
                make_banks(module, cell, banks)
                sizes.update(banks)
    if unmapped:
        named = ", ".join(sorted(unmapped)[:NAMED_CELLS])
        raise PlaceError(f"{path} is not mapped to a library: it has cells of the kinds {named}")
    for module in boxes.values():
        design.remove(module)
    # OpenROAD knows the constants 0 and 1 only.
    libyosys.run_pass("setundef -zero", design)
    return design, sorted(sizes)


def write_netlist(design, path):
    from pyosys import libyosys  # Needed here only.

    libyosys.run_pass(f'write_verilog -noattr -noexpr -nohex -nodec "{path}"', design)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--netlist", type=Path, required=True, help="mapped netlist, Verilog")
    parser.add_argument("--top", required=True, help="module that is placed")
    parser.add_argument("--library", choices=["asap7", "sg13g2"], required=True)
    parser.add_argument(
        "--block", action="append", default=[], help="module that has a layout of its own; repeat it"
    )
    parser.add_argument("--out", type=Path, required=True, help="folder, which exists")
    arguments = parser.parse_args()
    try:
        memory = memory_of(arguments.library)
        design, sizes = read_netlist(
            arguments.netlist, arguments.top, arguments.block, memory["max_width_bits"]
        )
        write_netlist(design, arguments.out / "netlist.v")
        if sizes:
            (arguments.out / "memories.lef").write_text(lef(sizes, memory))
            (arguments.out / "memories.lib").write_text(liberty(sizes, memory))
        found = []
        for size in sizes:
            width, height = dimensions(size, memory)
            found.append(
                {
                    "cell": size.cell,
                    "width_um": round(width, 3),
                    "height_um": round(height, 3),
                }
            )
        (arguments.out / "memories.json").write_text(json.dumps(found, indent=2) + "\n")
    except (OSError, PlaceError) as error:
        sys.exit(f"memories: {error}")


if __name__ == "__main__":
    main()

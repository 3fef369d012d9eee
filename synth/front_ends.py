#!/usr/bin/env python3
# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0
"""Proves that the two front ends of Yosys read the same design.

The synthesis takes the Verilog front end of Yosys, which has read expressions wrongly without a word (elaborate.py refuses
those that are known). slang, which the proofs take, and Verilator, which simulates the design, read them as the standard
has it. Here both front ends elaborate a module with its parameters, and each module that is made for it is compared with
that of the other one: same inputs and registers, same outputs, next registers, and inputs of the instances below, which
are compared on their own. Of several instances that Yosys makes one module of, one is compared.

Left out are memories; files of `rtl/field`, whose long sums do not end: `make gates` compares netlists of these with
integers; and the products of `acclmt_configuration` and sums of `acclmt_adder_unit`, which do not end either: netlists with
mutants run with these.

Needs the packages of requirements.txt.
"""

import argparse
import json
import re
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import elaborate
from flow import tools
from flow.design import parse_rtlil
from flow.errors import FlowError

FRONT_ENDS = ("yosys", "slang")
# Modules, and folders of the design, that are not compared.
LEFT_OUT = ("acclmt_mem_1r1w", "acclmt_configuration", "acclmt_adder_unit")
LEFT_OUT_FOLDER = "/rtl/field/"
# Names that Yosys gives to generate blocks without a name.
UNNAMED = re.compile(r"genblk\d+\.")


@dataclass
class Design:
    """What a front end has read: its modules as JSON, and their texts in RTLIL."""

    modules: dict
    texts: dict

    def below(self, module):
        """The instances in a module: name -> module."""
        cells = self.modules[module]["cells"]
        return {name: cell["type"] for name, cell in cells.items() if cell["type"] in self.modules}


def rtlil(name):
    """A name as RTLIL has it."""
    return name if name.startswith("$") else f"\\{name}"


def read(front_end, top, parameters, sources, folder):
    """The design below a module."""
    files = {kind: folder / f"{front_end}.{kind}" for kind in ("il", "json")}
    commands = elaborate.commands(front_end, top, sources, parameters)
    commands += ["proc", "opt_clean", f"write_rtlil {files['il']}", f"write_json {files['json']}"]
    tools.run_yosys(commands, f"elaboration of {top} by {front_end}")
    text, modules = (UNNAMED.sub("", files[kind].read_text()) for kind in ("il", "json"))
    texts = {name: module.text for name, module in parse_rtlil(text).items()}
    return Design(json.loads(modules)["modules"], texts)


def pairs(designs):
    """Module of the first design -> the one of the second that stands in the same place, from the top on."""
    first, second = designs
    tops = [next(name for name, module in design.modules.items() if "top" in module["attributes"]) for design in designs]
    found, left = {}, [tuple(tops)]
    while left:
        one, other = left.pop()
        if one in found:
            continue
        found[one] = other
        below, below_other = first.below(one), second.below(other)
        if below.keys() != below_other.keys():
            names = ", ".join(sorted(below.keys() ^ below_other.keys()))
            raise FlowError(f"one front end alone has the instances {names} in {one}")
        left += [(module, below_other[name]) for name, module in below.items()]
    return found


def base(design, module):
    """The name of a module in the sources."""
    return design.modules[module]["attributes"].get("hdlname", module)


def compare(designs, one, other, folder):
    """The signals that are compared in a pair of modules, and the names of those that are not proved equal."""
    first, second = designs
    below = first.below(one)
    boxes = {module: f"below_{number}" for number, module in enumerate(sorted(set(below.values())))}

    def renamed(text, name):
        """The text of a module with another name, and with the boxes in the places of its instances."""

        def cell(found):
            module = below.get(found[2].removeprefix("\\"))
            return f"  cell \\{boxes[module]} {found[2]}" if module else found[0]

        text = re.sub(r"^module \S+", lambda _: f"module \\{name}", text, flags=re.MULTILINE)
        return re.sub(r"^  cell (\S+) (\S+)$", cell, text, flags=re.MULTILINE)

    box_file, pair_file, status = folder / "boxes.il", folder / "pair.il", folder / "status.txt"
    box_file.write_text("".join(renamed(first.texts[rtlil(module)], name) for module, name in boxes.items()))
    pair_file.write_text(
        renamed(first.texts[rtlil(one)], "yosys") + renamed(second.texts[rtlil(other)], "slang")
    )
    script = [
        *([f"read_rtlil {box_file}", "blackbox *"] if boxes else []),
        f"read_rtlil {pair_file}",
        "opt_expr yosys slang",
        "opt_clean yosys slang",
        "async2sync yosys slang",
        "equiv_make yosys slang both",
        "hierarchy -top both",
        "opt_clean both",
        "equiv_struct both",
        "equiv_simple both",
        f"tee -o {status} equiv_status both",
    ]
    tools.run_yosys(script, f"comparison of {one}")
    text = status.read_text()
    signals = re.search(r"^Found (\d+) \$equiv", text, re.MULTILINE)
    return int(signals[1]) if signals else 0, re.findall(r"^ *Unproven \$equiv \S+: (.*)$", text, re.MULTILINE)


def compare_all(top, parameters, sources, folder):
    """Compares all modules below one; returns how many, and of how many signals."""
    designs = [read(front_end, top, parameters, sources, folder) for front_end in FRONT_ENDS]
    modules, signals = 0, 0
    found = pairs(designs)
    for number, (one, other) in enumerate(found.items(), start=1):
        name = base(designs[0], one)
        if name in LEFT_OUT or LEFT_OUT_FOLDER in designs[0].modules[one]["attributes"]["src"]:
            continue
        print(f"front_ends: {number} of {len(found)}: {name}", file=sys.stderr, flush=True)
        count, unproved = compare(designs, one, other, folder)
        if unproved:
            raise FlowError(f"{name} is not the same by both front ends: {', '.join(unproved[:3])}")
        modules += 1
        signals += count
    return modules, signals


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--top", default="acclmt_core", help="top module [acclmt_core]")
    elaborate.add_parameter_argument(parser, "the top module")
    parser.add_argument("--file-list", type=Path, default=elaborate.FILE_LIST, help="[rtl/acclmt.f]")
    parsed = parser.parse_args(arguments)
    values = "".join(f" {name}={value}" for name, value in parsed.parameter)
    try:
        sources = elaborate.read_file_list(parsed.file_list)
        with tempfile.TemporaryDirectory() as folder:
            modules, signals = compare_all(parsed.top, parsed.parameter, sources, Path(folder))
    except (FlowError, OSError, ValueError) as error:
        sys.exit(f"front_ends: {error}")
    print(f"{parsed.top}{values}: {modules} modules, {signals} signals are the same by both front ends")


if __name__ == "__main__":
    main()

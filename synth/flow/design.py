# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0
"""Elaborates the design and cuts it into units, each of which is synthesised once.

A unit is a module with given parameters. What is below it and small, or a part of it by recursion, is
flattened into it; the other modules below it are units of their own, of which it sees the ports only.
Memories (`acclmt_mem_1r1w`) are never looked into.

The text of a unit (RTLIL) is made independent of everything that does not change the hardware: paths,
line numbers and the numbers that Yosys counts through all modules. So equal units have equal texts, and
a result can be kept under the digest of the text.
"""

import hashlib
import re
from dataclasses import dataclass, field

from . import tools
from .errors import FlowError

MEMORY = "acclmt_mem_1r1w"
# Modules that are flattened into what uses them: small ones, those whose outputs come from no register, and
# the rooms of a full-round sub-engine, which are measured as one.
FLATTENED = {
    "acclmt_beat_fifo",
    "acclmt_const_mul",
    "acclmt_delay",
    "acclmt_engine_clock",
    "acclmt_fifo",
    "acclmt_full_round_loop",
    "acclmt_full_round_passes",
    "acclmt_full_round_rows",
    "acclmt_full_round_sboxes",
    "acclmt_full_round_sequencer",
    "acclmt_level_queue",
    "acclmt_memory",
    "acclmt_mul_leaf",
    "acclmt_one_hot_select",
    "acclmt_reduce",
    "acclmt_reduce_goldilocks",
    "acclmt_reserved_fifo",
    "acclmt_set_select",
    "acclmt_sqr_leaf",
    "acclmt_state_buffer",
    "acclmt_turns",
    "acclmt_valid_pipe",
}


@dataclass
class Module:
    """A module of RTLIL with given parameters."""

    name: str
    base: str
    parameters: dict
    text: str
    # Name of the module below -> number of instances.
    children: dict
    # (name, direction, width) of each port, in order.
    ports: list


@dataclass
class Unit:
    """What is synthesised as one."""

    name: str
    base: str
    parameters: dict
    # RTLIL of the unit, with the modules below it that are units of their own as black boxes.
    text: str
    # Names of units and memories below -> number of instances.
    units: dict = field(default_factory=dict)
    memories: dict = field(default_factory=dict)
    ports: list = field(default_factory=list)

    @property
    def digest(self):
        """Of the hardware that it describes."""
        return hashlib.sha256(self.text.encode()).hexdigest()


@dataclass
class Design:
    """Units below a top module, and memories: name -> (width, depth), name -> ports as those of a unit."""

    top: str
    units: dict
    memories: dict
    memory_ports: dict = field(default_factory=dict)

    def order(self):
        """Units, each after those below it."""
        done = []

        def visit(name):
            if name not in done:
                for child in self.units[name].units:
                    visit(child)
                done.append(name)

        visit(self.top)
        return [self.units[name] for name in done]


MODULE = re.compile(r"^module (\S+)$")
PARAMETER = re.compile(r"^  parameter (?:signed )?\\(\S+) (.+)$")
CELL = re.compile(r"^ +cell (\S+) \S+$")
PORT = re.compile(r"^  wire (?:.* )?(input|output|inout) \d+ (?:.* )?(\\\S+)$")
WIDTH = re.compile(r" width (\d+) ")


def parse_value(text):
    """A parameter's value in RTLIL: an integer, or else the text."""
    bits = re.fullmatch(r"\d+'s?([01]+)", text)
    if bits:
        return int(bits[1], 2)
    return int(text) if re.fullmatch(r"-?\d+", text) else text


def parse_rtlil(text):
    """Modules of an RTLIL text, by their names in it."""
    modules = {}
    lines, name = [], None
    for line in text.splitlines():
        match = MODULE.match(line)
        if match:
            name = match[1]
            modules[name] = Module(name, "", {}, "", {}, [])
            lines = [line]
            continue
        if name is None:
            continue
        module = modules[name]
        if re.match(r" *attribute ", line):
            # Where it stands in the sources is no part of the hardware, nor are the other ones.
            if re.match(r" *attribute \\(src|hdlname|dynports|top|cells_not_processed) ", line):
                continue
        lines.append(line)
        if match := PARAMETER.match(line):
            module.parameters[match[1]] = parse_value(match[2])
        elif match := CELL.match(line):
            child = match[1]
            if child.startswith(("\\", "$paramod")):
                module.children[child] = module.children.get(child, 0) + 1
        elif match := PORT.match(line):
            width = WIDTH.search(line)
            module.ports.append((match[2][1:], match[1], int(width[1]) if width else 1))
        elif line == "end":
            module.text = "\n".join(lines) + "\n"
            module.base = name.split("\\")[1] if "\\" in name else name
            name = None
    return modules


def short_value(value):
    """A value as a part of a name."""
    if isinstance(value, int) and 0 <= value < 2**32:
        return str(value)
    return "h" + hashlib.sha256(str(value).encode()).hexdigest()[:6]


def readable_names(modules, defaults):
    """A name for each module that shows the parameters which differ from the defaults.

    Yosys has a module twice if its parameters are given once and are the defaults once; they share a name.
    """
    names = {}
    for rtlil_name, module in modules.items():
        default = defaults[module.base].parameters if module.base in defaults else {}
        changed = [
            f"{key}{short_value(value)}"
            for key, value in module.parameters.items()
            if default.get(key) != value
        ]
        names[rtlil_name] = "__".join([module.base, "_".join(changed)]) if changed else module.base
    return names


def anonymous(text):
    """The text without paths, lines and counted numbers."""
    text = re.sub(r"[^\s$\\]*/[^\s$:]*:\d+(\.\d+)?(-\d+\.\d+)?", "", text)
    numbers = {}

    def renumber(match):
        return "$" + str(numbers.setdefault(match[1], len(numbers)))

    return re.sub(r"\$(\d+)", renumber, text)


def black_box(module, name):
    """RTLIL of a module's ports alone."""
    ports = [line for line in module.text.splitlines() if PORT.match(line)]
    return "\n".join([f"attribute \\blackbox 1", f"module \\{name}", *ports, "end"]) + "\n"


def cut(modules, defaults, top):
    """The units at and below the module `top`."""
    names = readable_names(modules, defaults)
    by_name = {names[key]: module for key, module in modules.items()}
    top_name = next((n for n, m in by_name.items() if m.base == top and n == names.get("\\" + top)), None)
    if top_name is None:
        candidates = [n for n, m in by_name.items() if m.base == top]
        if len(candidates) != 1:
            raise FlowError(f"TOP={top} is no module of the design, or there are several of it")
        top_name = candidates[0]
    children = {}
    for name, module in by_name.items():
        children[name] = {}
        for child, count in module.children.items():
            children[name][names[child]] = children[name].get(names[child], 0) + count
    # Every name in the text is replaced in one go.
    pattern = re.compile(r"(?<=[ ])(\$paramod\S*|\\\S+)(?=\s)")

    def renamed(text):
        return pattern.sub(lambda m: "\\" + names[m[1]] if m[1] in names else m[1], text)

    def is_unit(parent, child):
        base = by_name[child].base
        return base not in FLATTENED and base != by_name[parent].base and base != MEMORY

    design = Design(top_name, {}, {})

    def build(name):
        if name in design.units:
            return
        module = by_name[name]
        inside, below = [], {}

        def collect(part, times):
            inside.append(part)
            for child, count in children[part].items():
                base = by_name[child].base
                if base == MEMORY or is_unit(part, child):
                    below[child] = below.get(child, 0) + times * count
                else:
                    collect(child, times * count)

        collect(name, 1)
        inside = sorted(set(inside))
        text = "".join(renamed(by_name[part].text) for part in inside)
        # Numbers of Yosys go on above those of the text.
        text = "autoidx 10000000\n" + anonymous(text)
        text += "".join(black_box(by_name[child], child) for child in sorted(below))
        unit = Unit(name, module.base, module.parameters, text, ports=module.ports)
        for child, count in below.items():
            part = by_name[child]
            if part.base == MEMORY:
                unit.memories[child] = count
                design.memories[child] = (part.parameters["Width"], part.parameters["Depth"])
                design.memory_ports[child] = part.ports
            else:
                unit.units[child] = count
        design.units[name] = unit
        for child in unit.units:
            build(child)

    build(top_name)
    return design


def elaborate(sources, top, parameters, folder):
    """The design below `top` with these parameters, cut into units; `folder` holds files meanwhile."""
    folder.mkdir(parents=True, exist_ok=True)
    before, after = folder / "read.il", folder / "elaborated.il"
    files = " ".join(f'"{source}"' for source in sources)
    values = "".join(f" -set {key} {value}" for key, value in parameters.items())
    tools.run_yosys(
        [
            f"read_verilog -sv -D SYNTHESIS {files}",
            f"write_rtlil {before}",
            *([f"chparam{values} {top}"] if values else []),
            f"hierarchy -check -top {top}",
            f"write_rtlil {after}",
        ],
        f"elaboration of {top}",
    )
    defaults = {m.base: m for m in parse_rtlil(before.read_text()).values()}
    return cut(parse_rtlil(after.read_text()), defaults, top)

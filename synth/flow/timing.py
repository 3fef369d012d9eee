# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0
"""Timing of one unit with OpenSTA, and the timing model that it leaves for what is above it.

Units below are Liberty cells with the setup and hold times and the delays that were measured on them, so that
a path from a register through gates of this unit into a unit below is timed whole. They have two files, one
with the longest delays for setup, the other with the shortest for hold. A unit with a path from an
input to an output without a register is two cells: one has its registers, the other joins what comes
from them with what comes from the inputs. A single cell with both would be taken for a latch.
"""

import dataclasses
import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path as FilePath

from . import tools

CLOCK = "clk_i"
RESET = "rst_ni"
# The two cells of a unit, as instances; and what goes from one to the other.
REGISTERS = "registers"
JOIN = "join"
FROM_REGISTERS = "__from_registers"
# Paths with more than one cycle.
EXCEPTIONS = FilePath(__file__).parent / "exceptions.toml"
# Paths from register to register that are reported, each to another register.
PATHS = 12
# Bits of registers that are looked through for those paths.
ENDPOINTS = 2000
# Loads of outputs for which delays are measured, in loads of the library.
LOADS = (1, 8)


@dataclass
class Path:
    """A path: its ends, and the shortest clock period that it allows in ns (of a path with more than one
    cycle, what it takes of the last one)."""

    start: str
    end: str
    ns: float


@dataclass
class Timing:
    """Timing of a unit, in ns."""

    paths: list = field(default_factory=list)
    # Input -> time that it must be stable before the clock edge.
    setup: dict = field(default_factory=dict)
    # Output -> time from the clock edge, for each of LOADS.
    delay: dict = field(default_factory=dict)
    # Output -> input -> time between them, where no register is.
    through: dict = field(default_factory=dict)
    # Input -> time that it must be stable after the clock edge; below 0, it may change so much before.
    hold: dict = field(default_factory=dict)
    # The shortest times: output -> from the clock edge; output -> input -> between them.
    early_delay: dict = field(default_factory=dict)
    early_through: dict = field(default_factory=dict)
    # What the shortest path between registers has to spare at an ideal clock; None without any.
    hold_slack_ns: float | None = None

    @property
    def worst_ns(self):
        """The shortest clock period that registers in the unit and below it allow; None without any."""
        return max((path.ns for path in self.paths), default=None)

    @property
    def joined_inputs(self):
        """Inputs with a path to an output without a register."""
        return {source for times in self.through.values() for source in times}


def port_pattern(name, width):
    """The ports of a bus for get_ports."""
    return f"{{{name}}}" if width == 1 else f"{{{name}[*]}}"


def script(unit, library, models, netlist):
    """The OpenSTA script that measures a unit."""
    period = library.clock_ns / library.time_unit_ns
    inputs = [p for p in unit.ports if p[1] == "input" and p[0] not in (CLOCK, RESET)]
    outputs = [p for p in unit.ports if p[1] == "output"]
    lines = [f"read_liberty {path}" for path in library.files]
    for path in models:
        lines += [f"read_liberty -max {path}", f"read_liberty -min {early_file(path)}"]
    lines += [f"read_verilog {file}" for file in map(module_file, models) if file.is_file()]
    lines += [
        f"read_verilog {netlist}",
        f"link_design {unit.name}",
    ]
    if not any(p[0] == CLOCK for p in unit.ports):
        return "\n".join([*lines, 'puts "no clock"'])
    lines += [
        f"create_clock -name clock -period {period} [get_ports {CLOCK}]",
        f"set_driving_cell -lib_cell {library.driver} [all_inputs]",
        f"set_load {library.load} [all_outputs]",
    ]
    if any(p[0] == RESET for p in unit.ports):
        lines.append(f"set_false_path -from [get_ports {RESET}]")
    lines += exceptions(unit.name)
    # Inputs have no time yet and outputs no limit, so these are the paths between registers.
    lines += [
        'puts "section paths"',
        f"report_checks -group_count {ENDPOINTS} -format summary -digits 4",
        'puts "section worst"',
        "report_checks -format full -fields {capacitance slew} -digits 4",
        'puts "section hold_slack"',
        "report_checks -path_delay min -format full -digits 4",
    ]
    ideal = [f"set_input_delay 0 -clock clock [get_ports {port_pattern(p[0], p[2])}]" for p in inputs]
    lines += ideal
    for name, _, width in inputs:
        lines += [
            f'puts "section setup {name}"',
            f"report_checks -from [get_ports {port_pattern(name, width)}] -format full -digits 4",
            f'puts "section hold {name}"',
            f"report_checks -path_delay min -from [get_ports {port_pattern(name, width)}] -format full"
            " -digits 4",
        ]
    lines += [
        f"set_output_delay 0 -clock clock [get_ports {port_pattern(p[0], p[2])}]" for p in outputs
    ]
    # Paths without a register, from each input to each output that has one.
    for name, _, width in outputs if inputs else []:
        ports = f"[get_ports {port_pattern(name, width)}]"
        lines.append(f"if {{[llength [find_timing_paths -from [all_inputs] -to {ports}]] > 0}} {{")
        for source, _, source_width in inputs:
            lines += [
                f'puts "section through {source} {name}"',
                f"report_checks -from [get_ports {port_pattern(source, source_width)}] -to {ports}"
                " -format full -digits 4",
                f'puts "section early_through {source} {name}"',
                f"report_checks -path_delay min -from [get_ports {port_pattern(source, source_width)}]"
                f" -to {ports} -format full -digits 4",
            ]
        lines.append("}")
    lines += [line.replace("set_input_delay 0", "unset_input_delay 0") for line in ideal]
    for load in LOADS:
        lines.append(f"set_load {load * library.load} [all_outputs]")
        for name, _, width in outputs:
            lines += [
                f'puts "section delay {name}"',
                f"report_checks -to [get_ports {port_pattern(name, width)}] -format full -digits 4",
            ]
        if load == LOADS[0]:
            for name, _, width in outputs:
                lines += [
                    f'puts "section early_delay {name}"',
                    f"report_checks -path_delay min -to [get_ports {port_pattern(name, width)}]"
                    " -format full -digits 4",
                ]
    return "\n".join(lines)


def exceptions(name):
    """The commands for the paths of a unit that have more than one cycle."""
    lines = []
    for entry in tomllib.loads(EXCEPTIONS.read_text()).get(name.partition("__")[0], []):
        instance, cycles = entry["instance"], entry["cycles"]
        for output in entry["outputs"]:
            # The output of a cell, or of one of the two cells of a unit.
            patterns = " ".join(
                f"{{{instance}/{cell}{output}{bits}}}"
                for cell in ("", f"{REGISTERS}/", f"{JOIN}/")
                for bits in ("", "[*]")
            )
            lines += [
                "set pins {}",
                f"foreach pattern {{{patterns}}} {{ set pins [concat $pins [get_pins -quiet $pattern]] }}",
                f'if {{[llength $pins] == 0}} {{ error "{name} has no {instance}/{output}" }}',
                f"set_multicycle_path {cycles} -setup -through $pins",
                # The data must still not change too early at the edge that launches the next one.
                f"set_multicycle_path {cycles - 1} -hold -through $pins",
            ]
    return lines


# A line of the summary: register and pin (cell), twice, and slack.
SUMMARY = re.compile(r"^(\S+) \(\S+\)\s+(\S+) \(\S+\)\s+(-?[\d.]+)$", re.MULTILINE)
REPORT = re.compile(
    r"(-?[\d.]+) +data arrival time.*?^ *(-?[\d.]+) +slack", re.MULTILINE | re.DOTALL
)


def register_name(pin):
    """The register that a pin belongs to, without bits, pins and what synthesis appended."""
    name = pin.rsplit("/", 1)[0].replace("\\", "")
    name = re.sub(rf"/({REGISTERS}|{JOIN})$", "", name)
    name = re.sub(r"\$_[A-Z]*(DFF|LATCH)\w*$", "", name)
    return re.sub(r"\[\d+\]$", "", name)


def parse(output, library):
    """The timing of a unit, from the output of its script."""
    timing = Timing()
    seen = set()
    for section in re.split(r"^section ", output, flags=re.MULTILINE)[1:]:
        head, _, text = section.partition("\n")
        kind, _, name = head.partition(" ")
        if kind == "paths":
            for match in SUMMARY.finditer(text):
                ends = register_name(match[1]), register_name(match[2])
                if ends[1] not in seen and len(timing.paths) < PATHS:
                    seen.add(ends[1])
                    slack = float(match[3]) * library.time_unit_ns
                    timing.paths.append(Path(*ends, round(library.clock_ns - slack, 4)))
            continue
        match = REPORT.search(text)
        if match is None:
            continue
        arrival, slack = (float(match[i]) * library.time_unit_ns for i in (1, 2))
        if kind == "setup":
            timing.setup[name] = library.clock_ns - slack
        elif kind == "through":
            source, _, target = name.partition(" ")
            timing.through.setdefault(target, {})[source] = arrival
        elif kind == "delay":
            timing.delay.setdefault(name, []).append(arrival)
        elif kind == "hold_slack":
            timing.hold_slack_ns = round(slack, 4)
        elif kind == "hold":
            timing.hold[name] = -slack
        elif kind == "early_through":
            source, _, target = name.partition(" ")
            timing.early_through.setdefault(target, {})[source] = arrival
        elif kind == "early_delay":
            timing.early_delay[name] = arrival
    return timing


def module_file(model_file):
    """The module that puts the two cells of a unit together, beside the file of the cells."""
    return model_file.with_suffix(".v")


def early_file(model_file):
    """The file with the shortest delays, beside that with the longest."""
    return model_file.with_stem(model_file.stem + "_early")


def early(timing):
    """The timing with the shortest delays in place of the longest."""
    return dataclasses.replace(
        timing,
        delay={name: [ns] * len(LOADS) for name, ns in timing.early_delay.items()},
        through=timing.early_through,
    )


def write_models(file, name, ports, timing, library):
    """Writes both models of a unit, or memory."""
    file.write_text(model(name, ports, timing, library))
    early_file(file).write_text(model(name, ports, early(timing), library, "_early"))


def model(name, ports, timing, library, suffix=""):
    """Liberty of a unit, or memory, with measured, or assumed, times."""
    widths = sorted({width for _, _, width in ports if width > 1})
    unit = {1e-6: "1fs", 1e-3: "1ps", 1.0: "1ns"}[library.time_unit_ns]
    lines = [
        f"library (model_{name}{suffix}) {{",
        "  delay_model : table_lookup;",
        f'  time_unit : "{unit}";',
        f"  capacitive_load_unit (1,{library.capacitance_unit});",
        '  voltage_unit : "1V"; current_unit : "1mA"; pulling_resistance_unit : "1kohm";',
        "  input_threshold_pct_rise : 50; input_threshold_pct_fall : 50;",
        "  output_threshold_pct_rise : 50; output_threshold_pct_fall : 50;",
        "  slew_lower_threshold_pct_rise : 20; slew_lower_threshold_pct_fall : 20;",
        "  slew_upper_threshold_pct_rise : 80; slew_upper_threshold_pct_fall : 80;",
        "  lu_table_template (load) {",
        "    variable_1 : total_output_net_capacitance;",
        f'    index_1 ("{", ".join(f"{n * library.load:.6f}" for n in LOADS)}");',
        "  }",
    ]
    for width in widths:
        lines += [
            f"  type (bus{width}) {{ base_type : array; data_type : bit; bit_width : {width};"
            f" bit_from : {width - 1}; bit_to : 0; downto : true; }}",
        ]
    joined = timing.through
    inputs = [port for port in ports if port[1] == "input"]
    outputs = [port for port in ports if port[1] == "output"]
    # The registers: setup times of inputs, delays of outputs, or of what is joined into outputs.
    pins = [(port, input_arcs(port[0], timing, library)) for port in inputs]
    for port in outputs:
        arc = delay_arc(CLOCK, "rising_edge", timing.delay.get(port[0]), library)
        if port[0] not in joined:
            pins.append((port, arc))
        elif port[0] in timing.delay:
            least = timing.delay[port[0]][:1] * len(LOADS)
            arc = delay_arc(CLOCK, "rising_edge", least, library)
            pins.append(((port[0] + FROM_REGISTERS, *port[1:]), arc))
    if not joined:
        return "\n".join([*lines, *cell(name, pins, library.load), "}"]) + "\n"
    lines += cell(f"{name}__{REGISTERS}", pins, library.load)
    # The join: what comes from the registers is later by what its load takes.
    pins = [(port, "") for port in inputs if port[0] in timing.joined_inputs]
    for port in outputs:
        if port[0] not in joined:
            continue
        arcs = [
            delay_arc(source, "combinational", [ns] * len(LOADS), library)
            for source, ns in joined[port[0]].items()
        ]
        if port[0] in timing.delay:
            pins.append(((port[0] + FROM_REGISTERS, "input", port[2]), ""))
            later = [ns - timing.delay[port[0]][0] for ns in timing.delay[port[0]]]
            arcs.append(delay_arc(port[0] + FROM_REGISTERS, "combinational", later, library))
        pins.append((port, "\n".join(arcs)))
    return "\n".join([*lines, *cell(f"{name}__{JOIN}", pins, 0.0), "}"]) + "\n"


def module(name, ports, timing):
    """The module that puts the two cells of a unit together; None if it is one cell."""
    joined = timing.through
    if not joined:
        return None

    def bus(width):
        return f"[{width - 1}:0] " if width > 1 else ""

    lines = [f"module {name} ({', '.join(port for port, _, _ in ports)});"]
    lines += [f"  {direction} {bus(width)}{port};" for port, direction, width in ports]
    between = [p for p in ports if p[0] in joined and p[0] in timing.delay]
    lines += [f"  wire {bus(width)}{port}{FROM_REGISTERS};" for port, _, width in between]
    wires = [port + FROM_REGISTERS for port, _, _ in between]
    registers = [port for port, direction, _ in ports if direction == "input" or port not in joined]
    join = [port for port, _, _ in ports if port in timing.joined_inputs or port in joined]
    for kind, pins in ((REGISTERS, registers + wires), (JOIN, join + wires)):
        connections = ", ".join(f".{pin}({pin})" for pin in pins)
        lines.append(f"  {name}__{kind} {kind} ({connections});")
    return "\n".join([*lines, "endmodule"]) + "\n"


def cell(name, pins, load):
    """The lines of a cell with pins (name, direction, width) and their timing arcs."""
    lines = [f"  cell ({name}) {{ area : 0; dont_touch : true;"]
    for (port, direction, width), arcs in pins:
        kind = f"bus ({port}) {{ bus_type : bus{width};" if width > 1 else f"pin ({port}) {{"
        lines.append(f"    {kind} direction : {direction};")
        if direction == "input":
            lines.append(f"      capacitance : {load};")
        if port == CLOCK:
            lines.append("      clock : true;")
        if arcs:
            lines.append(arcs)
        lines.append("    }")
    return [*lines, "  }"]


def time_value(ns, library):
    """A time in the unit of the library."""
    return f"{ns / library.time_unit_ns:.5f}"


def input_arcs(port, timing, library):
    """The setup and the hold time of an input, if it has them."""
    arcs = []
    for kind, times in (("setup", timing.setup), ("hold", timing.hold)):
        if port in times:
            value = time_value(times[port], library)
            arcs.append(
                f'      timing () {{ related_pin : "{CLOCK}"; timing_type : {kind}_rising;'
                f' rise_constraint (scalar) {{ values ("{value}"); }}'
                f' fall_constraint (scalar) {{ values ("{value}"); }} }}'
            )
    return "\n".join(arcs)


def delay_arc(source, kind, times, library):
    """The timing arc from a pin with a time for each of LOADS, if there are any."""
    if times is None:
        return ""
    # Of every output; loads are in the delays.
    slew = time_value(library.clock_ns * 0.02, library)
    values = ", ".join(time_value(ns, library) for ns in times)
    tables = " ".join(
        f'cell_{edge} (load) {{ values ("{values}"); }} {edge}_transition (scalar) {{ values ("{slew}"); }}'
        for edge in ("rise", "fall")
    )
    return (
        f'      timing () {{ related_pin : "{source}"; timing_type : {kind};'
        f" timing_sense : non_unate; {tables} }}"
    )


def measure(unit, library, models, folder):
    """Times a unit that was synthesised in `folder`, and writes its model there."""
    text = script(unit, library, models, folder / "netlist.v")
    timing = parse(tools.run_sta(text, f"timing of {unit.name}", folder / "sta.log"), library)
    file = folder / "model.lib"
    write_models(file, unit.name, unit.ports, timing, library)
    text = module(unit.name, unit.ports, timing)
    if text is None:
        module_file(file).unlink(missing_ok=True)
    else:
        module_file(file).write_text(text)
    return timing

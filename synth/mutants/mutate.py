#!/usr/bin/env python3
# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0
"""Writes a netlist of the design that holds many mutants, one of which a simulation turns on.

Yosys elaborates a module of the design with all that is below it (`proc; opt`), and lists mutations of every module of
`rtl/` in it: an input or an output of a cell whose bit is inverted, is constant, or changes with another bit (its command
`mutate`). They are sampled with a seed, as many of each file, over the modules that its parameters make of it.

In the folder that is named: `mutants.json`, and the netlist `netlist.sv`, whose top is a module with the name and the
parameters of the one in the sources, and is the last one in it. The mutant with the number that the C function
`acclmt_mutant` returns is on, none for 0. Where a mutant would change the bit that it is of, on or not, the netlist calls
`acclmt_differs` with its number: tests in which it never does need not be run on the mutant.

The top may be a module of a testbench, whose sources are named by --source; mutants are made of the files of `rtl/` alone,
or of those that --of names.

The list says which mutants are of bits that nothing reads (see unread.py), and which put a constant bit to its value (see
constants.py): no test can find these.

With --compare the mutants that live by `report.json` of the folder are compared formally with the module that each is a
mutation of, registers and instances cut open; `mutants.json` says which are equal, whatever the registers hold.

Needs the packages of synth/requirements.txt.
"""

import argparse
import hashlib
import json
import re
import sys
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent))

import elaborate  # noqa: E402
from constants import Constants  # noqa: E402
from flow import tools  # noqa: E402
from flow.errors import FlowError  # noqa: E402
from flow.runner import keep  # noqa: E402
from unread import Reading  # noqa: E402

# Bits of the number of a mutant.
NUMBER_WIDTH = 16
# The input that has it, of every module that is or contains a mutant.
NUMBER = "acclmt_mutant_number"
# What the netlist calls of the simulation.
PACKAGE = "acclmt_mutant_pkg"
IMPORTS = f"""package {PACKAGE};
  import "DPI-C" function int unsigned acclmt_mutant();
  import "DPI-C" function void acclmt_differs(input int unsigned number);
endpackage

"""
# Ports that are clocks and asynchronous resets, of cells; those of modules have these ends.
CLOCKS_AND_RESETS = {"CLK", "RD_CLK", "WR_CLK", "ARST"}
CLOCK_AND_RESET_ENDS = ("clk_i", "rst_ni", "rst_no")
# Seconds for the comparison of a mutant with its module.
COMPARISON_SECONDS = 10


def say(text):
    print(f"mutate: {text}", file=sys.stderr, flush=True)


def modules_of(text):
    """Name -> (name in the design, file of the design) of every module of a design in RTLIL."""
    modules = {}
    attributes = {}
    for line in text.splitlines():
        if line.startswith("attribute "):
            _, name, value = line.split(" ", 2)
            attributes[name] = value.strip('"')
        elif line.startswith("module "):
            name = line.split(" ", 1)[1]
            base = name.split("\\")[1]
            modules[name] = (base, attributes["\\src"].split(":")[0])
            attributes = {}
    return modules


def read_design(top, parameters, folder, sources):
    """Writes the elaborated design into `folder`: all of it, each module, and the ports of all; returns the names of its
    modules by the files of the design."""
    commands = elaborate.commands("yosys", top, sources, parameters)
    il = folder / "elaborated.il"
    tools.run_yosys([*commands, "opt", f"write_rtlil {il}"], f"elaboration of {top}")
    # Paths from the root do not change from machine to machine.
    text = il.read_text().replace(f"{ROOT}/", "")
    il.unlink()
    # Names without the values of the parameters: those of a module are numbered. Verilator has no names with two
    # underscores in a row.
    counts, files, names = {}, {}, {}
    for name, (base, file) in sorted(modules_of(text).items()):
        counts[base] = counts.get(base, 0) + 1
        names[name] = f"{base}_v{counts[base]}"
        files.setdefault(file, []).append(names[name])
    text = re.sub(
        r"^(module|  cell) (\S+)",
        lambda found: f"{found[1]} " + (f"\\{names[found[2]]}" if found[2] in names else found[2]),
        text,
        flags=re.MULTILINE,
    )
    (folder / "design.il").write_text(text)
    modules = [module for names in files.values() for module in names]
    script = [f"read_rtlil {folder}/design.il"]
    for module in modules:
        script += [f"select {module}", f"write_rtlil -selected {folder}/{module}.il", "select -clear"]
    script += ["blackbox *", f"write_rtlil {folder}/ports.il"]
    tools.run_yosys(script, f"writing the modules of {top}")
    return {file: files[file] for file in sorted(files)}


def option(command, name):
    """The value of an option of a mutation, `mutate -mode inv -module ..`."""
    words = command.split()
    return words[words.index(f"-{name}") + 1].removeprefix("\\")


def is_clock_or_reset(port):
    return port in CLOCKS_AND_RESETS or port.endswith(CLOCK_AND_RESET_ENDS)


def chosen(files, names):
    """Those of the files that are of the names, or in the folders of these."""
    for name in names:
        if not any(Path(file).is_relative_to(name) for file in files):
            raise FlowError(f"--of is {name}, and no file of the design is there")
    return {
        file: modules for file, modules in files.items() if any(Path(file).is_relative_to(name) for name in names)
    }


def sample(files, per_file, seed, folder):
    """Mutations of every file of the design: (file, command). None is of a clock or of a reset: logic in the way of
    these would let registers read what others have just stored, or not see the first reset."""
    script = [f"read_rtlil {folder}/design.il"]
    lists = {file: folder / f"list-{number}.txt" for number, file in enumerate(files)}
    for file, modules in files.items():
        # More than are wanted, for those that are left out.
        script.append(
            f"mutate -list {2 * per_file} -seed {seed} -o {lists[file]} {' '.join(modules)}"
        )
    tools.run_yosys(script, "sampling")
    found = []
    for file, path in lists.items():
        lines = path.read_text().splitlines()
        path.unlink()
        kept = [line for line in dict.fromkeys(lines) if not is_clock_or_reset(option(line, "port"))]
        found += [(file, line) for line in kept[:per_file]]
    return found


class Effects:
    """What is known of the effects of mutations of the design in a folder."""

    def __init__(self, top, folder):
        path = folder / "design.json"
        tools.run_yosys([f"read_rtlil {folder}/design.il", f"write_json {path}"], "writing the design")
        design = json.loads(path.read_text())
        path.unlink()
        self.constants = Constants(design, top)
        self.reading = Reading(design, top, self.constants)

    def of(self, command):
        """`unread`, `equal` to the module without it, or `unknown`."""
        module, cell, port, mode, bit = [
            option(command, name) for name in ("module", "cell", "port", "mode", "portbit")
        ]
        control = option(command, "ctrlbit") if mode.startswith("cnot") else bit
        if not self.reading.reads(module, cell, port, int(bit)):
            return "unread"
        if self.constants.changes_nothing(module, cell, port, mode, int(bit), int(control)):
            return "equal"
        return "unknown"


def compare(module, commands, folder):
    """For each command, a mutation of `module`, whether it changes nothing that leaves the module or is stored: True,
    False, or None where Yosys has not found out in its time, or cannot tell."""
    script = [
        f"read_rtlil {folder}/ports.il",
        f"delete {module}",
        f"read_rtlil {folder}/{module}.il",
        "design -save whole",
    ]
    results = [folder / f"compared-{module}-{number}.txt" for number in range(len(commands))]
    for command, result in zip(commands, results, strict=True):
        result.unlink(missing_ok=True)
        mutation = command.replace(f"-module {module} ", "-module mutant ")
        script += [
            "design -load whole",
            f"copy {module} sound",
            f"rename {module} mutant",
            mutation,
            "select sound mutant",
            "dffunmap",
            "expose -evert -evert-dff",
            "select -clear",
            "miter -equiv -flatten sound mutant miter",
            f"tee -q -o {result} sat -timeout {COMPARISON_SECONDS} -prove trigger 0 miter",
        ]
    try:
        tools.run_yosys(script, f"comparison of {module}")
    except FlowError:
        # A register of which only a part is mutated has another name then, and Yosys' SAT solver knows no memories. That
        # ends the process.
        if len(commands) > 1:
            return [compare(module, [command], folder)[0] for command in commands]
        return [None]
    finally:
        texts = [path.read_text() if path.exists() else "" for path in results]
        for path in results:
            path.unlink(missing_ok=True)
    return [
        True if "proof finished - no model found: SUCCESS" in text
        else False if "proof finished - model found: FAIL" in text
        else None
        for text in texts
    ]  # fmt: skip


def compare_all(mutants, folder, jobs):
    """Says in every mutant's `compared` whether it is `equal` or `different`, or that this is `unknown`."""
    batches = {}
    for mutant in mutants:
        batches.setdefault(option(mutant["mutation"], "module"), []).append(mutant)
    done = 0
    with ThreadPoolExecutor(jobs) as pool:
        running = {
            pool.submit(compare, module, [mutant["mutation"] for mutant in batch], folder): batch
            for module, batch in batches.items()
        }
        for future in as_completed(running):
            batch = running[future]
            for mutant, equal in zip(batch, future.result(), strict=True):
                mutant["compared"] = {True: "equal", False: "different", None: "unknown"}[equal]
            done += len(batch)
            say(f"compared {done} of {len(mutants)} mutants")


def write_netlist(mutants, folder):
    """The text of the netlist with the numbered mutants; its top has the number as an input."""
    script = [f"read_rtlil {folder}/design.il"]
    for mutant in mutants:
        control = f"-ctrl {NUMBER} {NUMBER_WIDTH} {mutant['number']}"
        script.append(mutant["mutation"].replace("mutate ", f"mutate {control} ", 1))
    written = folder / "written.v"
    script.append(f"write_verilog -noattr {written}")
    tools.run_yosys(script, "writing the netlist")
    text = written.read_text()
    written.unlink()
    return text


def with_notes(text, count):
    """The netlist of so many mutants, which says where each would change its bit."""
    chosen = rf"^  assign (\S+) = {NUMBER} == {NUMBER_WIDTH}'h([0-9a-f]+);$"
    modules = text.split("endmodule\n")
    noted = 0
    for place, module in enumerate(modules):
        notes = []
        for control, number in re.findall(chosen, module, re.MULTILINE):
            changes = re.findall(rf"^  assign .* = {re.escape(control)} \? (.+) : (.+);$", module, re.MULTILINE)
            for changed, unchanged in changes:
                call = f"{PACKAGE}::acclmt_differs({int(number, 16)})"
                notes.append(f"  always_comb if ({changed} != {unchanged}) {call};\n")
        modules[place] += "".join(notes)
        noted += len(notes)
    if noted != count:
        raise FlowError(f"the netlist has {noted} changed bits, and {count} mutants")
    return "endmodule\n".join(modules)


def wrapper(top, sources):
    """A module with the ports and parameters of that of the sources, around the netlist's top; its parameters are those
    that the netlist was made with, whatever it is told."""
    source = next((path for path in sources if path.stem == top), None)
    if source is None:
        raise FlowError(f"no source is named {top}.sv")
    head = re.search(rf"^module {top} .*?^\);", source.read_text(), re.MULTILINE | re.DOTALL)
    if not head:
        raise FlowError(f"{source} has no 'module {top} .. );'")
    return f"""
{head[0]}
  logic [{NUMBER_WIDTH - 1}:0] {NUMBER};
  initial {NUMBER} = {NUMBER_WIDTH}'({PACKAGE}::acclmt_mutant());
  {top}_v1 u_netlist (.*);
endmodule
"""


def read_json(path):
    """A file of this program, or of the one that runs the tests."""
    try:
        return json.loads(path.read_text())
    except OSError as error:
        raise FlowError(f"{path} cannot be read ({error.strerror}); `make mutants` writes it") from None
    except ValueError as error:
        raise FlowError(f"{path} is no JSON: {error}") from None


def make(parsed, folder):
    """Makes the netlist, and the list of the mutants in it."""
    say(f"elaborates {parsed.top}")
    sources = elaborate.read_file_list(elaborate.FILE_LIST) + [path.resolve() for path in parsed.source]
    files = chosen(read_design(parsed.top, parsed.parameter, folder, sources), parsed.of or ["rtl"])
    sampled = sample(files, parsed.per_file, parsed.seed, folder)
    if len(sampled) >= 2**NUMBER_WIDTH:
        raise FlowError(f"{len(sampled)} mutants are more than a netlist holds; ask for fewer of each file")
    effects = Effects(f"{parsed.top}_v1", folder)
    mutants = [
        {
            "file": file,
            "mutation": mutation,
            "compared": effects.of(mutation),
            "number": number,
        }
        for number, (file, mutation) in enumerate(sampled, start=1)
    ]
    modules = write_netlist(mutants, folder)
    around = wrapper(parsed.top, sources)
    (folder / "netlist.sv").write_text(IMPORTS + with_notes(modules, len(mutants)) + around)
    result = {
        "top": parsed.top,
        "seed": parsed.seed,
        "per_file": parsed.per_file,
        "netlist": hashlib.sha256((modules + around).encode()).hexdigest(),
        "modules": files,
        "mutants": mutants,
    }
    keep(folder / "mutants.json", result)
    without = sum(mutant["compared"] != "unknown" for mutant in mutants)
    say(f"{len(mutants)} mutants of {len(files)} files, {without} of them without an effect")


def compare_living(folder, jobs):
    """Compares the mutants that no test has found, as the report says, and keeps what comes of it in the list."""
    result = read_json(folder / "mutants.json")
    report = read_json(folder / "report.json")
    numbers = {living["number"] for living in report["living"]}
    living = [mutant for mutant in result["mutants"] if mutant["number"] in numbers]
    asked = [mutant for mutant in living if mutant["compared"] == "unknown"]
    compare_all(asked, folder, jobs)
    keep(folder / "mutants.json", result)
    equal = sum(mutant["compared"] == "equal" for mutant in living)
    say(f"{equal} of {len(living)} mutants that live are equal to their module")


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--top", default="acclmt_core", help="module of the design [acclmt_core]")
    elaborate.add_parameter_argument(parser, "the module")
    parser.add_argument("--source", type=Path, action="append", default=[], help="of a testbench around the design; repeat it")
    parser.add_argument("--of", action="append", default=[], help="file or folder of the design that has mutants [rtl]; repeat it")
    parser.add_argument("--per-file", type=int, default=8, help="mutants of each file [8]")
    parser.add_argument("--seed", type=int, default=1, help="of the sample [1]")
    parser.add_argument("--jobs", type=int, default=2, help="processes [2]")
    parser.add_argument("--folder", type=Path, required=True, help="of the results")
    parser.add_argument("--compare", action="store_true", help="compare the mutants that live; nothing is made")
    parsed = parser.parse_args(arguments)
    if not 1 <= parsed.per_file <= 1000:
        parser.error(f"--per-file is {parsed.per_file}, not from 1 to 1000")
    if parsed.jobs < 1:
        parser.error(f"--jobs is {parsed.jobs}, less than 1")
    return parsed


def main(arguments=None):
    parsed = parse(arguments)
    folder = parsed.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    try:
        if parsed.compare:
            compare_living(folder, parsed.jobs)
        else:
            make(parsed, folder)
    except (FlowError, OSError, ValueError) as error:
        sys.exit(f"mutate: {error}")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0
"""Elaborates the design with Yosys and fails when it cannot be synthesised as it stands.

Two front ends read the one file list of the design:

  slang   the SystemVerilog front end that takes the whole language and checks it strictly
  yosys   the Verilog front end of Yosys, which synthesis uses because it shares equal modules;
          no wire may be undriven, driven twice or part of a combinational loop

With both the hierarchy must be complete. Needs the packages of requirements.txt.
"""

import argparse
import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FILE_LIST = ROOT / "rtl" / "acclmt.f"

# Runs its arguments as Yosys commands. In a process of its own because an error ends the process.
RUN_YOSYS = """
import sys
from pyosys import libyosys
design = libyosys.Design()
for command in sys.argv[1:]:
    libyosys.run_pass(command, design)
"""
# Lines of the log that are printed after an error: the error stands at the end.
LINES_AFTER_ERROR = 25


def read_file_list(path):
    """Source files of a file list, in order; their paths are relative to the list's folder."""
    sources = []
    for number, line in enumerate(path.read_text().splitlines(), start=1):
        entry = line.split("//")[0].split("#")[0].strip()
        if not entry:
            continue
        if entry.startswith(("-", "+")):
            raise ValueError(f"{path}:{number}: only file names are expected, not '{entry}'")
        source = path.parent / entry
        if not source.is_file():
            raise ValueError(f"{path}:{number}: {source} does not exist")
        sources.append(source)
    if not sources:
        raise ValueError(f"{path}: no source file is listed")
    return sources


def parameter(text):
    """A parameter of the top module, `NAME=VALUE`, as a pair."""
    name, separator, value = text.partition("=")
    if not (separator and name.isidentifier() and value):
        raise argparse.ArgumentTypeError(f"'{text}' is no NAME=VALUE")
    return name, value


def add_parameter_argument(parser, of):
    """The argument --parameter of a program, which can be repeated; `of` says of what module."""
    parser.add_argument(
        "--parameter",
        type=parameter,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help=f"parameter of {of}",
    )


def is_in_concatenation(text, position):
    """Whether a position of the text of an expression is between braces."""
    depth = 0
    for character in reversed(text[:position]):
        if character == ";":
            break
        depth += (character == "}") - (character == "{")
        if depth < 0:
            return True
    return False


def check_casts(source):
    """Refuses a unary operator ahead of a cast, such as `~Width'(1)`: the Verilog front end of Yosys takes the operator
    for a part of the width, and what it makes is another design, without a word. And a cast that is chosen in a
    concatenation, such as `{a, Choice ? b : Width'(0)}`: with a constant choice it has 32 bits, whatever its width."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/", lambda found: "\n" * found[0].count("\n"), source.read_text(), flags=re.DOTALL)
    # These have a left side as well.
    text = text.replace("&&", ",,").replace("||", ",,")
    found = re.search(r"(?:[=(,?:;&|^~!+\-*/%<>{\[]|\breturn)\s*([~!&|^+-]\s*[\w:]+'\()", text)
    if found:
        line = text.count("\n", 0, found.start(1)) + 1
        raise ValueError(
            f"{source}:{line}: Yosys reads the operator of `{found[1]}..)` as a part of the cast's width; write it "
            "otherwise, such as with parentheses around the cast"
        )
    for found in re.finditer(r"[?:]\s*([\w:]+'\()", text):
        choice = text.rfind("?", 0, found.start(1))
        if is_in_concatenation(text, found.start()) and is_in_concatenation(text, choice):
            line = text.count("\n", 0, found.start(1)) + 1
            raise ValueError(
                f"{source}:{line}: Yosys gives `{found[1]}..)`, which is chosen in a concatenation, 32 bits where the choice is "
                "constant; choose it outside of the concatenation"
            )


def commands(front_end, top, sources, parameters=()):
    """The Yosys commands that elaborate `sources` below the module `top` with `parameters`."""
    files = " ".join(shlex.quote(str(source)) for source in sources)
    if front_end == "slang":
        # One module for each instance: looking through all their wires would take many minutes.
        values = "".join(f" -G {name}={value}" for name, value in parameters)
        read = f"read_slang -D SYNTHESIS --keep-hierarchy --top {top}{values} {files}"
        return [read, f"hierarchy -check -top {top}"]
    for source in sources:
        check_casts(source)
    values = "".join(f" -set {name} {value}" for name, value in parameters)
    change = [f"chparam{values} {top}"] if values else []
    return [
        f"read_verilog -sv -D SYNTHESIS {files}",
        *change,
        f"hierarchy -check -top {top}",
        "proc",
        "check -assert",
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--front-end", choices=["slang", "yosys"], required=True)
    parser.add_argument("--top", default="acclmt_core", help="top module [acclmt_core]")
    add_parameter_argument(parser, "the top module")
    parser.add_argument("--file-list", type=Path, default=FILE_LIST, help="[rtl/acclmt.f]")
    parser.add_argument("--log", action="store_true", help="print everything that Yosys says")
    arguments = parser.parse_args()
    try:
        sources = read_file_list(arguments.file_list)
        read = commands(arguments.front_end, arguments.top, sources, arguments.parameter)
    except (OSError, ValueError) as error:
        sys.exit(f"elaborate: {error}")

    done = subprocess.run(
        [sys.executable, "-c", RUN_YOSYS, *read], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    if arguments.log:
        print(done.stdout)
    if done.returncode != 0:
        lines = done.stdout.splitlines()
        warnings = [line for line in lines[:-LINES_AFTER_ERROR] if "Warning" in line]
        print("\n".join(warnings + lines[-LINES_AFTER_ERROR:]), file=sys.stderr)
        sys.exit(f"elaborate: {arguments.front_end} refused the design, see above")
    values = "".join(f" {name}={value}" for name, value in arguments.parameter)
    print(f"{arguments.front_end}: {arguments.top}{values} elaborated from {len(sources)} files")


if __name__ == "__main__":
    main()

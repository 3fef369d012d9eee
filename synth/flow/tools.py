# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0
"""Runs Yosys and OpenSTA."""

import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from .errors import FlowError

# Runs its input's lines as Yosys commands, in a process of its own because an error ends the process.
# Lines that begin with ! are steps of `steps.py`.
RUN_YOSYS = """
import resource, sys
sys.path.insert(0, sys.argv[1])
from pyosys import libyosys
from flow import steps
design = libyosys.Design()
for command in sys.stdin.read().splitlines():
    if command.startswith("!"):
        steps.run(command[1:], lambda line: libyosys.run_pass(line, design))
    else:
        libyosys.run_pass(command, design)
peak = max(resource.getrusage(who).ru_maxrss
           for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
print("peak memory", peak)
"""
FOLDER = str(Path(__file__).resolve().parent.parent)
# Lines of a log that an error shows.
LINES_AFTER_ERROR = 25


def run_yosys(commands, what, log=None):
    """Runs the commands; returns the log and the peak memory in MB."""
    return _run([sys.executable, "-c", RUN_YOSYS, FOLDER], "\n".join(commands) + "\n", what, log)


def run_sta(script, what, log=None):
    """Runs an OpenSTA script; returns its output."""
    # In 2.0 an error in a script does not end the program with a code.
    text = f"if {{[catch {{\n{script}\n}} message]}} {{ puts \"flow error: $message\"; exit 1 }}\nexit 0\n"
    script_file = log.with_suffix(".tcl")
    script_file.write_text(text)
    command = [find_sta(), "-no_splash", "-exit", str(script_file)]
    output, _ = _run(command, "", what, log)
    if "flow error:" in output or re.search(r"^Error:", output, re.MULTILINE):
        raise FlowError(f"OpenSTA failed in {what}, see {log}")
    return output


def find_sta():
    """The command of OpenSTA."""
    command = shutil.which(os.environ.get("STA", "sta"))
    if command is None:
        raise FlowError(
            "OpenSTA (the command sta) was not found. On Debian and Ubuntu: apt-get install opensta; "
            "or set STA to its path."
        )
    return command


def _run(command, text, what, log):
    done = subprocess.run(
        command, input=text, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    if log is not None:
        log.write_text(done.stdout)
    if done.returncode != 0:
        last = "\n".join(done.stdout.splitlines()[-LINES_AFTER_ERROR:])
        raise FlowError(f"{what} failed{f', see {log}' if log else ''}:\n{last}")
    peak = re.search(r"^peak memory (\d+)$", done.stdout, re.MULTILINE)
    return done.stdout, int(peak[1]) // 1024 if peak else 0


def versions():
    """Versions of Yosys, and of OpenSTA or None where it is missing."""
    try:
        yosys = importlib.metadata.version("pyosys")
    except importlib.metadata.PackageNotFoundError as error:
        raise FlowError(
            "Yosys (the Python package pyosys) was not found. `make area` installs it; by hand: "
            "pip install -r synth/requirements.txt"
        ) from error
    sta = None
    if shutil.which(os.environ.get("STA", "sta")):
        done = subprocess.run(
            [find_sta(), "-version"], capture_output=True, text=True, check=False
        )
        sta = done.stdout.split()[0] if done.stdout.split() else None
    return {"yosys": yosys, "opensta": sta}

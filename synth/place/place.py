#!/usr/bin/env python3
# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0
"""Places and routes (globally) one module of the chip by OpenROAD-flow-scripts, and reports area, timing,
wire length and congestion: `make place`.

Prepares the netlist of `make area` (memories.py), runs the flow's own Makefile with the design configuration
of the library (LIBRARY/config.mk), and sums up its metrics. What is done already is kept while netlist and
configuration stay the same. Without `openroad` nothing is done, which is said, and is no failure.

Needs the packages of synth/requirements.txt, make, OpenROAD and a clone of OpenROAD-flow-scripts.
"""

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent

# Steps of OpenROAD-flow-scripts, and the files in which each leaves its metrics.
STEPS = ["synth", "floorplan", "place", "cts", "grt"]
CLOCKED, ROUTED = "4_1_cts", "5_1_grt"
# The libraries, with their names in OpenROAD-flow-scripts.
PLATFORMS = {"asap7": "asap7", "sg13g2": "ihp-sg13g2"}
# Of the period, for jitter (constraints.sdc).
UNCERTAINTY = 0.05

INSTALL = """place: skipped: `openroad` is neither on the PATH nor named by OPENROAD_EXE.
place: Install OpenROAD (https://openroad.readthedocs.io, "Getting Started": packages for Debian and
place: Ubuntu, a container, or from source), put it on the PATH, and start again."""

# Of the design configuration, what is used here.
VARIABLES = (
    "ACCLMT_PERIOD_PS",
    "ACCLMT_UNITS_PER_PS",
    "ACCLMT_INPUT_SHARE",
    "ACCLMT_OUTPUT_SHARE",
    "ACCLMT_BLOCKS",
    "ACCLMT_HARDENED",
)
# What may be set in the environment, and changes a layout.
USERS_VARIABLES = (
    "ACCLMT_PERIOD_PS",
    "ACCLMT_CLOCK_LATENCY_PS",
    "ACCLMT_INPUT_SHARE",
    "ACCLMT_OUTPUT_SHARE",
    "ACCLMT_MACRO_MARGIN",
    "ACCLMT_MACRO_ROWS",
    "ACCLMT_MAX_WIRE_UM",
    "ACCLMT_QUASI_STATIC_INPUTS",
    "CORE_ASPECT_RATIO",
    "CORE_UTILIZATION",
    "DETAIL_PLACEMENT_ARGS",
    "GPL_ROUTABILITY_DRIVEN",
    "GPL_TIMING_DRIVEN",
    "MACRO_PLACE_HALO",
    "MAX_ROUTING_LAYER",
    "PLACE_DENSITY_LB_ADDON",
    "ROUTING_LAYER_ADJUSTMENT",
    "SKIP_CTS_REPAIR_TIMING",
    "SLEW_MARGIN",
)
# Lines of the log that are shown after an error.
LINES_AFTER_ERROR = 25
SECONDS_BETWEEN_SIGNS_OF_LIFE = 30

# The row of all layers in the congestion report of global routing: resource, demand, usage in
# percent, and overflows of the worst tiles, horizontal and vertical, and of all.
CONGESTION = re.compile(
    r"^Total\s+(\d+)\s+(\d+)\s+([\d.]+)%\s+(\d+)\s*/\s*(\d+)\s*/\s*(\d+)\s*$", re.M
)
STAGE = re.compile(r"^Running \S+, stage (\S+)$", re.M)


class PlaceError(Exception):
    """What is wrong, for the user."""


def positive(text):
    value = float(text)
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"'{text}' is not positive")
    return value


def percent(text):
    value = positive(text)
    if value > 100:
        raise argparse.ArgumentTypeError(f"'{text}' is more than 100 percent")
    return value


def module_name(text):
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", text):
        raise argparse.ArgumentTypeError(f"'{text}' is no name of a module")
    return text


def parse_arguments(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--library", choices=sorted(PLATFORMS), default="asap7", help="[asap7]")
    parser.add_argument(
        "--top", type=module_name, default="acclmt_hash_engine", help="[acclmt_hash_engine]"
    )
    parser.add_argument("--netlist", type=Path, help="mapped netlist [target/area/LIBRARY/TOP.v]")
    parser.add_argument(
        "--flow-dir",
        type=Path,
        help="a clone of OpenROAD-flow-scripts [the variable ORFS_DIR]",
    )
    parser.add_argument("--period-ps", type=positive, help="clock period [of the configuration]")
    parser.add_argument(
        "--utilization", type=percent, help="percent of the core [of the configuration]"
    )
    parser.add_argument(
        "--pin-access",
        action="store_true",
        help="find the access to the pins before global routing, for a detailed routing that follows",
    )
    parser.add_argument(
        "--until-cts",
        action="store_true",
        help="end behind the clock tree, with the periods that wires as the placement estimates them ask for",
    )
    parser.add_argument(
        "--prepare",
        action="store_true",
        help="end with the netlist prepared, for the Makefile of OpenROAD-flow-scripts; needs no OpenROAD",
    )
    parser.add_argument("--out", type=Path, help="folder of all results [target/place]")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    found = parser.parse_args(arguments)
    if found.until_cts and (found.prepare or found.pin_access):
        parser.error("--until-cts ends before what --pin-access is for and behind what --prepare ends with")
    return found


def say(text):
    print(f"place: {text}", file=sys.stderr, flush=True)


def existing_netlist(path, arguments):
    netlist = path or ROOT / "target" / "area" / arguments.library / f"{arguments.top}.v"
    if not netlist.is_file():
        how = (
            f"`make area LIB={arguments.library} TOP={arguments.top}` writes it"
            if path is None
            else "name another one"
        )
        raise PlaceError(f"the netlist {netlist} does not exist: {how}")
    return netlist.resolve()


def existing_flow(path):
    """The folder `flow` of a clone of OpenROAD-flow-scripts."""
    value = path or os.environ.get("ORFS_DIR")
    if not value:
        raise PlaceError(
            "OpenROAD-flow-scripts is not named: set ORFS_DIR to a clone of "
            "https://github.com/The-OpenROAD-Project/OpenROAD-flow-scripts"
        )
    flow = Path(value).resolve() / "flow"
    for name in ("Makefile", "scripts/global_route.tcl", "platforms"):
        if not (flow / name).exists():
            raise PlaceError(
                f"{flow / name} does not exist: ORFS_DIR is to name a clone of OpenROAD-flow-scripts"
            )
    return flow


def netlist_python():
    """A Python that has pyosys: this one, or that of target/venv."""
    for python in (sys.executable, str(ROOT / "target" / "venv" / "bin" / "python")):
        if Path(python).is_file():
            check = "from importlib.util import find_spec; exit(find_spec('pyosys') is None)"
            if subprocess.run([python, "-c", check], check=False).returncode == 0:
                return python
    raise PlaceError(
        "Yosys (the package pyosys) is not installed, which prepares the netlist. Run: "
        "python3 -m venv target/venv && target/venv/bin/pip install -r synth/requirements.txt"
    )


def contents(folder):
    """Name -> bytes of the files of a folder; nothing where it does not exist."""
    return {path.name: path.read_bytes() for path in folder.iterdir()} if folder.is_dir() else {}


class Flow:
    """The configuration of a module, and the Makefile of OpenROAD-flow-scripts on it."""

    def __init__(self, arguments):
        self.arguments = arguments
        self.work = (arguments.out or ROOT / "target" / "place").resolve()
        self.prepared = self.work / "netlists" / arguments.library / arguments.top
        self.configuration = HERE / arguments.library / "config.mk"
        self.environment = os.environ | {
            "DESIGN_CONFIG": str(self.configuration),
            "DESIGN_NAME": arguments.top,
            "WORK_HOME": str(self.work),
            "FLOW_VARIANT": "base",
            "POST_CTS_TCL": str(HERE / "after_cts.tcl"),
            "POST_GLOBAL_ROUTE_TCL": str(HERE / "after_routing.tcl"),
        }
        if not arguments.pin_access:
            self.environment["PRE_GLOBAL_ROUTE_TCL"] = str(HERE / "before_routing.tcl")
        if arguments.period_ps:
            self.environment["ACCLMT_PERIOD_PS"] = f"{arguments.period_ps:g}"
        if arguments.utilization:
            self.environment["CORE_UTILIZATION"] = f"{arguments.utilization:g}"
        for name in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES"):
            self.environment.pop(name, None)

    @classmethod
    def of(cls, library, top):
        """That of a module, in the folder and by the configuration that are the defaults."""
        return cls(parse_arguments(["--library", library, "--top", top]))

    def folder(self, kind, top=None):
        """A folder of OpenROAD-flow-scripts: results, logs, reports or objects, of this module or another one."""
        platform = PLATFORMS[self.arguments.library]
        return self.work / kind / platform / (top or self.arguments.top) / "base"

    def layout_file(self, name):
        """A file of the layout, which has to be there."""
        path = self.folder("results") / name
        if not path.is_file():
            library, top = self.arguments.library, self.arguments.top
            raise PlaceError(f"{path} does not exist: `make place LIB={library} TOP={top}` writes it")
        return path

    def variables(self, *names):
        """Variables of the design configuration, without OpenROAD-flow-scripts."""
        show = "".join(f"$(info {name}=$({name}))" for name in names)
        command = ["make", "-s", "-f", str(self.configuration), f"--eval=acclmt: ; @:{show}", "acclmt"]
        try:
            done = subprocess.run(
                command, env=self.environment, capture_output=True, text=True, check=False
            )
        except FileNotFoundError:
            raise PlaceError("make was not found, which reads the design configuration") from None
        if done.returncode != 0:
            raise PlaceError(f"{self.configuration} cannot be read:\n{done.stderr.strip()}")
        return dict(line.split("=", 1) for line in done.stdout.splitlines() if "=" in line)

    def prepare(self, netlist, blocks):
        """Netlist with named memories and without the blocks, and the memories' abstracts."""
        command = [netlist_python(), str(HERE / "memories.py"), "--netlist", str(netlist)]
        command += ["--top", self.arguments.top, "--library", self.arguments.library]
        for block in blocks:
            command += ["--block", block]
        partial = self.prepared.with_name(self.prepared.name + ".partial")
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(parents=True)
        done = subprocess.run([*command, "--out", str(partial)], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise PlaceError(f"the netlist cannot be prepared: {done.stderr.strip()}")
        # Make goes by the age of files: what is the same stays as old as it is.
        if contents(partial) == contents(self.prepared):
            shutil.rmtree(partial)
        else:
            shutil.rmtree(self.prepared, ignore_errors=True)
            partial.rename(self.prepared)

    def digest(self, flow, blocks):
        """Of everything that a layout depends on, but for the version of OpenROAD and its flow."""
        digest = hashlib.sha256(str(flow).encode())
        files = [self.configuration, HERE / "common.mk", HERE / "constraints.sdc", HERE / "macros.tcl"]
        files.append(HERE / "before_resizing.tcl")
        files += sorted(self.configuration.parent.glob("**/*.mk"))
        files += sorted(self.configuration.parent.glob("*.tcl"))
        files += sorted(self.prepared.iterdir())
        for block in blocks:
            lef = self.abstract(block)
            files += [lef, lef.with_name(f"{block}_typ.lib")]
        for path in files:
            digest.update(path.read_bytes())
        for name, value in sorted(self.environment.items()):
            if value != os.environ.get(name) or name in USERS_VARIABLES:
                digest.update(f"{name}={value}\n".encode())
        return digest.hexdigest()

    def begin(self, flow, blocks):
        """Clears what is of other inputs, and puts the netlist where the synthesis would leave it."""
        stamp = self.folder("results") / "inputs.sha256"
        digest = self.digest(flow, blocks)
        if not stamp.is_file() or stamp.read_text() != digest:
            for kind in ("results", "logs", "reports", "objects"):
                shutil.rmtree(self.folder(kind), ignore_errors=True)
            self.folder("results").mkdir(parents=True)
            shutil.copyfile(self.prepared / "netlist.v", self.folder("results") / "1_2_yosys.v")
            stamp.write_text(digest)

    def abstract(self, block):
        """The abstract of a block, which has a layout already."""
        lef = self.folder("results", block) / f"{block}.lef"
        if not lef.is_file():
            raise PlaceError(
                f"the block {block} of {self.arguments.top} has no layout yet: run "
                f"`make place LIB={self.arguments.library} TOP={block}` first"
            )
        return lef

    def run(self, flow, step, label):
        """Runs make for a step, its output into a log, with signs of life."""
        log = self.folder("logs") / f"{step}.make.log"
        log.parent.mkdir(parents=True, exist_ok=True)
        # The netlist is there: nothing is synthesised.
        command = ["make", "-C", str(flow), f"--old-file={self.folder('results') / '1_2_yosys.v'}", step]
        if step == "generate_abstract":
            command[-1:] = ["do-generate_abstract", f"ABSTRACT_SOURCE={ROUTED}"]
        began = told = time.monotonic()
        with log.open("w") as output:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=self.environment,
            )
            try:
                while True:
                    try:
                        code = process.wait(timeout=1)
                        break
                    except subprocess.TimeoutExpired:
                        now = time.monotonic()
                        if now - told >= SECONDS_BETWEEN_SIGNS_OF_LIFE:
                            told = now
                            stages = STAGE.findall(log.read_text(errors="replace"))
                            say(f"{label}: {now - began:.0f} s, {stages[-1] if stages else 'begins'}")
            except BaseException:
                process.terminate()
                process.wait()
                raise
        if code != 0:
            tail = "\n".join(log.read_text(errors="replace").splitlines()[-LINES_AFTER_ERROR:])
            raise PlaceError(f"{step} failed (exit code {code}), {log} ends:\n{tail}")
        say(f"{label}: done, {time.monotonic() - began:.0f} s")


def read_metrics(path, stage="globalroute__"):
    try:
        metrics = json.loads(path.read_text())
    except (OSError, json.JSONDecodeError) as error:
        raise PlaceError(f"{path} has no metrics: {error}") from None
    return {name.removeprefix(stage): value for name, value in metrics.items()}


def metric(metrics, name):
    """A figure of OpenROAD's metrics; None where it is not finite or not there."""
    try:
        value = float(metrics[name])
    except (KeyError, TypeError, ValueError):
        return None
    return value if abs(value) < 1e30 else None


def shares(inputs, outputs):
    """Kind of path -> its share of the period: the rest is the neighbours' and jitter's."""
    return {
        "registers": 1 - UNCERTAINTY,
        "from_inputs": 1 - UNCERTAINTY - inputs,
        "to_outputs": 1 - UNCERTAINTY - outputs,
        "through": 1 - UNCERTAINTY - inputs - outputs,
    }


def shortest_period(period_ps, slacks, share):
    """The shortest period that the slacks (kind of path -> ps) leave, and which kind of path it is.

    Jitter and the neighbours' share grow with the period, so a path needs its delay by its own share."""
    periods = {
        kind: (share[kind] * period_ps - slack) / share[kind]
        for kind, slack in slacks.items()
        if slack is not None
    }
    kind = max(periods, key=periods.get, default=None)
    return (periods[kind], kind) if kind else (None, None)


def asked(variables):
    """Of the variables of the configuration: the period in ps, each kind of path's share of it, the library's units
    in a ps."""
    share = shares(float(variables["ACCLMT_INPUT_SHARE"]), float(variables["ACCLMT_OUTPUT_SHARE"]))
    return float(variables["ACCLMT_PERIOD_PS"]), share, float(variables["ACCLMT_UNITS_PER_PS"])


def slacks_of(metrics, share, units_per_ps):
    """Kind of path -> its slack in ps, None without such a path."""
    found = {kind: metric(metrics, f"acclmt__slack__{kind}") for kind in share}
    return {kind: None if slack is None else slack / units_per_ps for kind, slack in found.items()}


def areas_of(metrics):
    """Numbers and areas of cells and macros, and the core's."""
    return {
        "cells": metric(metrics, "design__instance__count__stdcell"),
        "macros": metric(metrics, "design__instance__count__macros"),
        "cell_area_um2": metric(metrics, "design__instance__area__stdcell"),
        "macro_area_um2": metric(metrics, "design__instance__area__macros"),
        "core_area_um2": metric(metrics, "design__core__area"),
    }


def estimates(flow, variables):
    """What is known behind the clock tree: areas, and the period that each kind of path asks for."""
    period_ps, share, units_per_ps = asked(variables)
    metrics = read_metrics(flow.folder("logs") / f"{CLOCKED}.json", "cts__")
    periods = {
        f"estimated_period_{kind}_ps": shortest_period(period_ps, {kind: slack}, share)[0]
        for kind, slack in slacks_of(metrics, share, units_per_ps).items()
    }
    return {
        "library": flow.arguments.library,
        "top": flow.arguments.top,
        "period_ps": period_ps,
        **areas_of(metrics),
        **periods,
    }


def figures(flow, variables):
    """The result in figures, of the metrics of global routing and variables of the configuration."""
    period_ps, share, units_per_ps = asked(variables)
    metrics = read_metrics(flow.folder("logs") / f"{ROUTED}.json")
    log = (flow.folder("logs") / f"{ROUTED}.log").read_text(errors="replace")

    def scaled(name, factor=1 / units_per_ps):
        value = metric(metrics, name)
        return None if value is None else value * factor

    slacks = slacks_of(metrics, share, units_per_ps)
    shortest, kind = shortest_period(period_ps, slacks, share)
    skew = scaled("clock__skew__setup")
    congestion = CONGESTION.findall(log)
    return {
        "library": flow.arguments.library,
        "top": flow.arguments.top,
        "period_ps": period_ps,
        "input_share": float(variables["ACCLMT_INPUT_SHARE"]),
        "output_share": float(variables["ACCLMT_OUTPUT_SHARE"]),
        **areas_of(metrics),
        "die_area_um2": metric(metrics, "design__die__area"),
        "utilization_percent": scaled("design__instance__utilization", 100),
        "setup_worst_slack_ps": scaled("timing__setup__ws"),
        "setup_total_negative_slack_ps": scaled("timing__setup__tns"),
        **{f"setup_slack_{kind}_ps": slack for kind, slack in slacks.items()},
        "shortest_period_ps": shortest,
        "shortest_period_of": kind,
        "frequency_mhz": shortest and 1e6 / shortest,
        "hold_worst_slack_ps": scaled("timing__hold__ws"),
        "hold_violations": metric(metrics, "timing__drv__hold_violation_count"),
        # OpenROAD counts the uncertainty of the clock, too. Without register to register there is none.
        "clock_skew_setup_ps": skew and skew - UNCERTAINTY * period_ps,
        "slew_violations": metric(metrics, "timing__drv__max_slew"),
        "load_violations": metric(metrics, "timing__drv__max_cap"),
        "wire_length_um": metric(metrics, "global_route__wirelength"),
        "routing_usage_percent": float(congestion[-1][2]) if congestion else None,
        "routing_overflow": int(congestion[-1][5]) if congestion else None,
    }


def broken_limits(values):
    """What of a layout is no matter of the period, and makes it none."""
    names = ("hold_violations", "slew_violations", "load_violations", "routing_overflow")
    return [f"{name} is {values[name]:.0f}" for name in names if values[name]]


def table(values):
    width = max(len(name) for name in values)
    lines = []
    for name, value in values.items():
        if value is None:
            value = "-"
        elif isinstance(value, float):
            value = (
                f"{value:.0f}"
                if value.is_integer()
                else f"{value:.4g}" if abs(value) < 1000 else f"{value:.1f}"
            )
        lines.append(f"  {name:{width}}  {value}")
    return "\n".join(lines)


def place(arguments):
    openroad = os.environ.get("OPENROAD_EXE") or shutil.which("openroad")
    if openroad is None and not arguments.prepare:
        print(INSTALL, file=sys.stderr)
        return
    job = Flow(arguments)
    source = None if arguments.prepare else existing_flow(arguments.flow_dir)
    netlist = existing_netlist(arguments.netlist, arguments)
    variables = job.variables(*VARIABLES)
    blocks = variables["ACCLMT_BLOCKS"].split()
    for block in blocks:
        job.abstract(block)
    job.prepare(netlist, blocks)
    say(f"netlist prepared: {job.prepared}")
    if arguments.prepare:
        return
    job.begin(source, blocks)
    job.environment["OPENROAD_EXE"] = openroad
    steps = STEPS + (["generate_abstract"] if variables["ACCLMT_HARDENED"] == "1" else [])
    if arguments.until_cts:
        steps = STEPS[: STEPS.index("cts") + 1]
    for number, step in enumerate(steps, start=1):
        job.run(source, step, f"[{number}/{len(steps)}] {step}")
    if arguments.until_cts:
        values = estimates(job, variables)
        print(json.dumps(values, indent=2) if arguments.json else table(values))
        return
    values = figures(job, variables)
    path = job.folder("results") / "place.json"
    partial = path.with_suffix(".partial")
    partial.write_text(json.dumps(values, indent=2) + "\n")
    partial.rename(path)
    print(json.dumps(values, indent=2) if arguments.json else table(values))
    say(f"figures in {path}, reports in {job.folder('reports')}")
    if broken := broken_limits(values):
        raise PlaceError(f"the layout does not hold: {', '.join(broken)}")


def main():
    arguments = parse_arguments()
    try:
        place(arguments)
    except (OSError, PlaceError) as error:
        sys.exit(f"place: {error}")
    except KeyboardInterrupt:
        sys.exit("place: interrupted")


if __name__ == "__main__":
    main()

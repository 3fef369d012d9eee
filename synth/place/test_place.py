#!/usr/bin/env python3
# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0
"""Tests of place.py and of the Tcl: the lint with its command specification, and whole runs with
recorder.tcl in place of OpenROAD and a small platform in place of one of OpenROAD-flow-scripts."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import place

HERE = Path(__file__).resolve().parent
TCLINT = shutil.which(
    "tclint", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
)
TCLFMT = shutil.which(
    "tclfmt", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
)

NETLIST = """
module acclmt_part(clk_i, rst_ni, a_i, q_o);
  input clk_i; input rst_ni; input [3:0] a_i; output [7:0] q_o;
  MEMORY
  BUFx2 u_buffer(.A(a_i[0]), .Y(q_o[0]));
endmodule
"""
MEMORY = """acclmt_mem_1r1w #(.Width(8), .Depth(13)) u_memory(.clk_i(clk_i), .write_enable_i(1'b1),
    .write_address_i(a_i), .write_data_i({a_i, a_i}), .read_enable_i(1'b1), .read_address_i(a_i),
    .memory_config_i({a_i, a_i, 2'b0}), .read_data_o(q_o));"""
PORTS = "clk_i rst_ni a_i q_o"

PLATFORM = {
    "config.mk": """
export TECH_LEF = $(PLATFORM_DIR)/tech.lef
export SC_LEF ?= $(PLATFORM_DIR)/cells.lef
export LIB_FILES += $(PLATFORM_DIR)/cells.lib
export PDN_TCL = $(PLATFORM_DIR)/pdn.tcl
export FASTROUTE_TCL = $(PLATFORM_DIR)/fastroute.tcl
export TAPCELL_TCL = $(PLATFORM_DIR)/tapcell.tcl
export PLACE_SITE = site
export CORE_MARGIN ?= 17.5
export IO_PLACER_H = M4
export IO_PLACER_V = M5
export MACRO_PLACE_HALO ?= 10 20
export PLACE_DENSITY ?= 0.6
export TIEHI_CELL_AND_PORT = TIEHI H
export TIELO_CELL_AND_PORT = TIELO L
export ABC_DRIVER_CELL = BUFx2
export ABC_LOAD_IN_FF = 4.0
export DONT_USE_CELLS = *x1p* SDF*
export MIN_ROUTING_LAYER = M2
""",
    "setRC.tcl": "set_layer_rc -layer M1 -resistance 1 -capacitance 2\n"
    "set_wire_rc -signal -resistance 1 -capacitance 2\n",
    "make_tracks.tcl": "make_tracks M1 -x_offset 0.0 -x_pitch 0.1 -y_offset 0.0 -y_pitch 0.1\n",
    "fastroute.tcl": "set_routing_layers -signal $::env(MIN_ROUTING_LAYER)-M7\n"
    "set_global_routing_layer_adjustment M2-M7 0.25\n",
    "tapcell.tcl": "tapcell -distance 25 -tapcell_master TAP -endcap_master TAP\n",
    "pdn.tcl": "add_global_connection -net VDD -inst_pattern .* -pin_pattern {^VDD$} -power\n"
    "global_connect\nset_voltage_domain -name CORE -power VDD -ground VSS\n"
    "define_pdn_grid -name top -voltage_domains CORE -pins M6\n"
    "add_pdn_stripe -grid top -layer M1 -width 0.1 -followpins\n"
    "add_pdn_connect -grid top -layers {M1 M5}\n",
    "tech.lef": "",
    "cells.lef": "",
    "cells.lib": 'library (cells) {\n  time_unit : "1ps";\n  capacitive_load_unit (1,ff);\n}\n',
}


def specification():
    """The commands of commands/*.json, by their names."""
    commands = {}
    for path in sorted((HERE / "commands").glob("*.json")):
        commands |= json.loads(path.read_text())["commands"]
    return commands


def value_type(rule):
    """The type of a switch's value, `none` for a flag."""
    return rule["value"]["type"] if rule["value"] else "none"


def tcl_specification():
    """The same as a Tcl dictionary for recorder.tcl."""
    lines = []
    for name, command in specification().items():
        switches = " ".join(
            "%s {%d %d %s}" % (switch, rule["required"], rule["repeated"], value_type(rule))
            for switch, rule in command["switches"].items()
        )
        least = sum(positional["required"] for positional in command["positionals"])
        endless = any(
            positional["value"]["type"] == "variadic" for positional in command["positionals"]
        )
        most = -1 if endless else len(command["positionals"])
        lines.append(f"{name} {{switches {{{switches}}} positionals {{{least} {most}}}}}")
    return "\n".join(lines) + "\n"


def lint(*paths):
    done = subprocess.run([TCLINT, *map(str, paths)], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


class Lint(unittest.TestCase):
    def test_scripts_are_clean(self):
        code, output = lint(HERE)
        self.assertEqual((code, output), (0, ""))
        done = subprocess.run(
            [TCLFMT, "--check", str(HERE)], capture_output=True, text=True, check=False
        )
        self.assertEqual(
            done.returncode, 0, f"{done.stdout}{done.stderr}: format it with tclfmt --in-place"
        )

    def test_every_command_is_checked(self):
        """Planted arguments are refused of every command: the lint leaves no specification out."""
        named = [
            line.split('"')[1]
            for line in (HERE / "tclint.toml").read_text().splitlines()
            if ".json" in line
        ]
        self.assertEqual(
            named, sorted(f"commands/{path.name}" for path in (HERE / "commands").glob("*.json"))
        )
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / "place"
            shutil.copytree(HERE / "commands", copy / "commands")
            shutil.copy(HERE / "tclint.toml", copy)
            planted = copy / "planted.tcl"
            names = list(specification())
            planted.write_text("".join(f"{name} -planted_option 1 2 3 4\n" for name in names))
            code, output = lint(planted)
            self.assertNotEqual(code, 0)
            for number, name in enumerate(names, start=1):
                self.assertRegex(output, rf"planted\.tcl:{number}:1: .*{name}.*command-args")

    def test_misspelt_options_are_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / "place"
            shutil.copytree(HERE, copy, ignore=shutil.ignore_patterns("__pycache__"))
            for step, right, wrong in [
                ("clock_tree", "-sink_clustering_enable", "-sink_clustering_enabled"),
                ("floorplan", "-core_space", "-core_spacing"),
                ("global_route", "-congestion_iterations 50", "-congestion_iterations many"),
                ("report", "-path_delay max", "-path_delays max"),
                ("read_design", "link_design [setting PLACE_TOP]", "link_design"),
            ]:
                with self.subTest(wrong):
                    path = copy / "steps" / f"{step}.tcl"
                    original = path.read_text()
                    self.assertIn(right, original)
                    path.write_text(original.replace(right, wrong, 1))
                    code, output = lint(path)
                    path.write_text(original)
                    self.assertNotEqual(code, 0)
                    self.assertIn("command-args", output)


class Run(unittest.TestCase):
    """Whole runs, each in a folder of its own."""

    def setUp(self):
        if not shutil.which("tclsh"):
            self.fail("tclsh is not on the PATH: install the package tcl")
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name).resolve()
        self.platform = self.folder / "asap7"
        self.platform.mkdir()
        for name, text in PLATFORM.items():
            (self.platform / name).write_text(text)
        (self.folder / "bin").mkdir()
        openroad = self.folder / "bin" / "openroad"
        openroad.write_text(f'#!/bin/sh\nexec tclsh {HERE / "recorder.tcl"} "$@"\n')
        openroad.chmod(0o755)
        (self.folder / "commands.tcl").write_text(tcl_specification())
        self.netlist = self.folder / "netlist.v"
        self.netlist.write_text(NETLIST.replace("MEMORY", MEMORY))
        self.calls = self.folder / "calls"
        self.out = self.folder / "out"
        self.environment = os.environ | {
            "PATH": f"{self.folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "ORFS_PLATFORM_DIR": str(self.platform),
            "RECORDER_COMMANDS": str(self.folder / "commands.tcl"),
            "RECORDER_CALLS": str(self.calls),
            "RECORDER_PORTS": PORTS,
        }

    def place(self, *arguments, library="asap7", **environment):
        """Runs place.py; returns its exit code, its output and its errors."""
        command = [
            sys.executable,
            str(HERE / "place.py"),
            "--library",
            library,
            "--top",
            "acclmt_part",
        ]
        command += ["--netlist", str(self.netlist), "--out", str(self.out), *arguments]
        done = subprocess.run(
            command, env=self.environment | environment, capture_output=True, text=True, check=False
        )
        return done.returncode, done.stdout, done.stderr

    def recorded(self):
        return self.calls.read_text().splitlines() if self.calls.exists() else []

    def names(self):
        return [call.split()[0] for call in self.recorded()]

    def assert_order(self, *names):
        """The first calls of these commands come in this order."""
        recorded = self.names()
        places = [recorded.index(name) for name in names]
        self.assertEqual(places, sorted(places), names)

    def assert_refused(self, message, *arguments, **environment):
        code, output, errors = self.place(*arguments, **environment)
        self.assertEqual((code, output), (1, ""), errors)
        self.assertIn(message, errors)
        self.assertNotIn("Traceback", errors)
        self.assertEqual(self.recorded(), [])

    def test_whole_run_with_memories(self):
        code, output, errors = self.place("--json")
        self.assertEqual(code, 0, errors)
        self.assert_order(
            *"read_liberty read_lef read_verilog link_design set_layer_rc read_sdc".split(),
            *"create_clock initialize_floorplan make_tracks set_routing_layers insert_tiecells repair_tie_fanout".split(),
            *"rtl_macro_placer tapcell define_pdn_grid pdngen global_placement place_pins".split(),
            *"buffer_ports repair_design detailed_placement check_placement".split(),
            *"clock_tree_synthesis set_propagated_clock repair_timing".split(),
            *"pin_access global_route report_checks write_def".split(),
        )
        calls = self.recorded()
        self.assertIn(f"read_verilog {self.out / '0_netlist' / 'netlist.v'}", calls)
        memories = self.out / "2_floorplan.partial" / "memories"
        halo = "-halo_width 2 -halo_height 2 -target_util 0.6"
        self.assertIn(f"rtl_macro_placer {halo} -report_directory {memories}", calls)
        # The core margin of asap7.toml stands before the default of the platform.
        self.assertIn(
            "initialize_floorplan -utilization 50 -aspect_ratio 1.0 -core_space 1.0 -site site",
            calls,
        )
        self.assertIn("create_clock -name clk_i -period 2000 clk_i", calls)
        self.assertIn("set_load 4 q_o", calls)
        self.assertIn("insert_tiecells TIEHI/H", calls)
        # Cells before memories, in every step: the units of the first Liberty file hold.
        libraries = [call.split()[1] for call in calls if call.startswith("read_liberty")]
        self.assertEqual(len(libraries), 2 * len(place.STEPS))
        self.assertTrue(all(path.endswith("cells.lib") for path in libraries[::2]))
        self.assertTrue(all(path.endswith("memories.lib") for path in libraries[1::2]))
        values = json.loads(output)
        self.assertEqual(values, json.loads((self.out / "place.json").read_text()))
        self.assertEqual(values["setup_worst_slack_ps"], -12.5)
        self.assertAlmostEqual(values["frequency_mhz"], 1e6 / 2012.5)
        self.assertEqual(values["power_mw"], 12.5)
        self.assertAlmostEqual(values["utilization_percent"], 50.1)
        self.assertEqual((values["routing_usage_percent"], values["routing_overflow"]), (12.5, 2))
        self.assertEqual(values["wire_length_um"], 12345)
        self.assertNotIn(None, values.values())
        self.assertEqual(list(self.out.glob("*.partial")), [])
        for name in ("setup.rpt", "hold.rpt", "power.rpt", "wire_length.csv", "design.def"):
            self.assertTrue((self.out / "9_report" / name).is_file(), name)

    def test_whole_run_without_memories_in_ns(self):
        self.netlist.write_text(NETLIST.replace("MEMORY", ""))
        platform = self.platform.rename(self.folder / "ihp-sg13g2")
        (platform / "cells.lib").write_text(
            'library (c) {\n  time_unit : "1ns";\n  capacitive_load_unit (1,pf);\n}\n'
        )
        with (platform / "config.mk").open("a") as config:
            config.write("export MATCH_CELL_FOOTPRINT = 1\n")
        options = {"library": "sg13g2", "ORFS_PLATFORM_DIR": str(platform)}
        code, output, errors = self.place("--period-ps", "12500", **options)
        self.assertEqual(code, 0, errors)
        self.assertIn("setup_worst_slack_ps", output)
        calls = self.recorded()
        self.assertNotIn("rtl_macro_placer", self.names())
        self.assertIn("create_clock -name clk_i -period 12.5 clk_i", calls)
        self.assertIn("set_load 0.004 q_o", calls)
        self.assertIn("repair_design -verbose -match_cell_footprint", calls)
        self.assertIn(
            "initialize_floorplan -utilization 50 -aspect_ratio 1.0 -core_space 17.5 -site site",
            calls,
        )
        self.assertEqual(self.names().count("define_pdn_grid"), 1)
        values = json.loads((self.out / "place.json").read_text())
        self.assertEqual(values["setup_worst_slack_ps"], -12500)

    def test_memories_of_sg13g2_have_a_power_grid(self):
        platform = self.platform.rename(self.folder / "ihp-sg13g2")
        code, _, errors = self.place(library="sg13g2", ORFS_PLATFORM_DIR=str(platform))
        self.assertEqual(code, 0, errors)
        grids = [call for call in self.recorded() if call.startswith("define_pdn_grid")]
        self.assertEqual(len(grids), 2)
        self.assertIn("-macro", grids[1])

    def test_failed_step_is_not_done(self):
        code, output, errors = self.place(RECORDER_FAILS="repair_design")
        self.assertEqual((code, output), (1, ""))
        self.assertIn("the step resize failed", errors)
        self.assertIn("repair_design fails, as the test wants", errors)
        self.assertTrue((self.out / "4_global_placement").is_dir())
        self.assertFalse((self.out / "5_resize").exists())
        self.assertFalse((self.out / "place.json").exists())
        # It goes on where it stood.
        before = len(self.recorded())
        code, _, errors = self.place("--from", "resize")
        self.assertEqual(code, 0, errors)
        again = self.names()[before:]
        self.assertNotIn("link_design", again)
        self.assertIn("repair_design", again)
        # A failure in a later run leaves nothing of the earlier one behind it.
        self.place("--from", "pins", RECORDER_FAILS="place_pins")
        left = sorted(path.name for path in self.out.iterdir())
        self.assertEqual(left, ["0_netlist", "1_read_design", "2_floorplan", "3_pins.partial"])

    def test_first_step_needs_the_one_before(self):
        self.assert_refused("the step before, clock_tree, is not done", "--from", "global_route")

    def test_missing_input_is_named(self):
        self.assert_refused("set ORFS_PLATFORM_DIR to flow/platforms/asap7", ORFS_PLATFORM_DIR="")
        self.assert_refused(f"{self.folder} has no config.mk", ORFS_PLATFORM_DIR=str(self.folder))
        self.assert_refused(
            "is not the platform of the library sg13g2: ihp-sg13g2", "--library", "sg13g2"
        )
        self.assert_refused("SC_LEF of", SC_LEF=str(self.folder / "none.lef"))
        (self.platform / "pdn.tcl").unlink()
        self.assert_refused("pdn.tcl does not exist, PDN_TCL of")
        (self.platform / "pdn.tcl").write_text("")
        (self.platform / "cells.lib").write_text("library (cells) {\n}\n")
        self.assert_refused("names no units of time and capacitance")
        (self.platform / "cells.lib").write_text(PLATFORM["cells.lib"])
        (self.platform / "config.mk").write_text(
            PLATFORM["config.mk"].replace("export PLACE_SITE = site\n", "")
        )
        self.assert_refused("does not set PLACE_SITE")
        (self.platform / "config.mk").write_text("ifeq\n")
        self.assert_refused("config.mk cannot be read")
        (self.platform / "config.mk").write_text(PLATFORM["config.mk"])
        self.netlist.write_text("module other; endmodule\n")
        self.assert_refused("has no module acclmt_part")
        self.netlist.unlink()
        self.assert_refused("netlist.v does not exist: name another one")

    def test_default_netlist_names_make_area(self):
        arguments = place.parse_arguments(["--top", "acclmt_no_such_module"])
        with self.assertRaisesRegex(place.PlaceError, "`make area LIB=asap7` writes it"):
            place.existing_netlist(None, arguments)

    def test_wrong_arguments_are_refused(self):
        for arguments in (
            ["--library", "other"], ["--top", "a b"], ["--period-ps", "0"], ["--period-ps", "nan"],
            ["--utilization", "101"], ["--threads", "0"], ["--from", "nowhere"],
        ):  # fmt: skip
            with self.subTest(arguments):
                code, _, errors = self.place(*arguments)
                self.assertEqual(code, 2)
                self.assertIn(arguments[0], errors)
                self.assertIn(arguments[1], errors)

    def test_skipped_without_openroad(self):
        code, output, errors = self.place(PATH=str(self.folder / "nothing"))
        self.assertEqual((code, output), (0, ""))
        self.assertIn("skipped: `openroad` is not on the PATH", errors)
        self.assertIn("Install OpenROAD", errors)
        self.assertFalse(self.out.exists())

    def test_recorder_refuses_wrong_calls(self):
        """The stand-in is as strict as the specification."""
        cases = {
            "no option -no_such": "detailed_placement -no_such",
            "-site is missing": "initialize_floorplan -utilization 50",
            "takes an integer": "global_route -congestion_iterations many",
            "has no value": "global_placement -density",
            "is given twice": "estimate_parasitics -placement -placement",
            "1 to 1 are expected": "read_db one two",
            "invalid command name": "detailled_placement",
        }
        for message, line in cases.items():
            with self.subTest(line):
                script = self.folder / "wrong.tcl"
                script.write_text(line + "\n")
                command = [str(self.folder / "bin" / "openroad"), "-no_init", "-no_splash", "-exit"]
                command += [
                    "-threads",
                    "1",
                    "-metrics",
                    str(self.folder / "metrics.json"),
                    str(script),
                ]
                done = subprocess.run(
                    command, env=self.environment, capture_output=True, text=True, check=False
                )
                self.assertEqual(done.returncode, 1)
                self.assertIn(message, done.stdout)


if __name__ == "__main__":
    unittest.main()

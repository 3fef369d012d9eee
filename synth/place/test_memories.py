#!/usr/bin/env python3
# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0
"""Tests of the netlist and the abstracts that memories.py writes, and of constraints.sdc. OpenSTA
reads the abstracts and the constraints where `sta` is on the PATH."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import memories
from memories import Size

HERE = Path(__file__).resolve().parent
PLATFORMS = ["asap7", "sg13g2"]

PORTS = """(.clk_i(clk_i), .write_enable_i(1'b1), .write_address_i(a_i), .write_data_i(d_i),
    .read_enable_i(1'bx), .read_address_i(a_i), .memory_config_i(10'd0), .read_data_o(q_o))"""
TOP = """
module top(clk_i, a_i, d_i, q_o);
  input clk_i; input [3:0] a_i; input [7:0] d_i; output [7:0] q_o;
  MEMORY u_memory PORTS;
endmodule
"""
UNMAPPED = """
module top(a_i, q_o);
  input a_i; output q_o;
  assign q_o = ~a_i;
endmodule
"""


def prepare(text, top="top", name="asap7"):
    """Runs memories.py; returns its exit code, its errors and what it wrote."""
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        (folder / "in.v").write_text(text)
        command = [sys.executable, str(HERE / "memories.py"), "--netlist", str(folder / "in.v")]
        command += ["--top", top, "--out", str(folder)]
        command += ["--library", name]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        written = {path.name: path.read_text() for path in folder.iterdir() if path.name != "in.v"}
        return done.returncode, done.stderr, written


def netlist(memory):
    return TOP.replace("MEMORY", memory).replace("PORTS", PORTS)


class Netlist(unittest.TestCase):
    def test_what_is_not_below_the_top_is_left_out(self):
        text = netlist("acclmt_mem_1r1w__Width8_Depth13") + "module other(a); input a; endmodule\n"
        code, errors, written = prepare(text, top="other")
        self.assertEqual(code, 0, errors)
        self.assertNotIn("module top", written["netlist.v"])
        self.assertNotIn("memories.lef", written)

    def test_depth_of_instance_module_or_name(self):
        box = (
            "module \\$paramod$0123\\acclmt_mem_1r1w (clk_i);\n"
            "  parameter Depth = 32'd13;\n  input clk_i;\nendmodule\n"
        )
        forms = {
            "instance": netlist("acclmt_mem_1r1w #(.Width(32'd8), .Depth(32'sd13))"),
            "module": netlist("\\$paramod$0123\\acclmt_mem_1r1w ") + box,
            "name of Yosys": netlist(
                f"\\$paramod\\acclmt_mem_1r1w\\Width=s32'{8:032b}\\Depth=s32'{13:032b} "
            ),
            "name of make area": netlist("acclmt_mem_1r1w__Width8_Depth13"),
        }
        for form, text in forms.items():
            with self.subTest(form):
                code, errors, written = prepare(text)
                self.assertEqual(code, 0, errors)
                self.assertIn("acclmt_mem_1r1w_8x13 u_memory (", written["netlist.v"])
                self.assertNotIn("#(", written["netlist.v"])
                # The unknown bit has become a 0.
                self.assertIn(".read_enable_i(1'b0)", written["netlist.v"])
                self.assertEqual(written["netlist.v"].count("endmodule"), 1)
                self.assertIn("MACRO acclmt_mem_1r1w_8x13\n", written["memories.lef"])
                self.assertIn("cell (acclmt_mem_1r1w_8x13)", written["memories.lib"])

    def test_depth_of_the_rtl_where_it_is_left_out(self):
        text = (
            netlist("acclmt_mem_1r1w").replace("a_i;", "a_i; wire [5:0] b;").replace("(a_i)", "(b)")
        )
        code, errors, written = prepare(text)
        self.assertEqual(code, 0, errors)
        self.assertIn("acclmt_mem_1r1w_8x64 u_memory (", written["netlist.v"])

    def test_wide_memories_are_banks(self):
        text = netlist("acclmt_mem_1r1w__Width1030_Depth13").replace("[7:0]", "[1029:0]")
        code, errors, written = prepare(text)
        self.assertEqual(code, 0, errors)
        instances = dict(re.findall(r"(acclmt_mem_1r1w\S+ \w+) +\((.*?)\);\n", written["netlist.v"], re.S))
        expected = {
            "acclmt_mem_1r1w_344x13 u_memory_bank0": "343:0",
            "acclmt_mem_1r1w_343x13 u_memory_bank1": "686:344",
            "acclmt_mem_1r1w_343x13 u_memory_bank2": "1029:687",
        }
        self.assertEqual(instances.keys(), expected.keys())
        for instance, bits in expected.items():
            for port in (f"write_data_i(d_i[{bits}])", f"read_data_o(q_o[{bits}])"):
                self.assertIn(port, instances[instance].replace(" ", ""))
            for port in ("read_address_i(a_i)", "write_address_i(a_i)", "memory_config_i(10'b0000000000)"):
                self.assertIn(port, instances[instance].replace("10'h000", "10'b0000000000"))
        self.assertEqual(re.findall(r"MACRO (\S+)", written["memories.lef"]),
                         ["acclmt_mem_1r1w_343x13", "acclmt_mem_1r1w_344x13"])

    def test_banks_are_few_and_equal(self):
        self.assertEqual(memories.bank_widths(512, 512), [512])
        self.assertEqual(memories.bank_widths(513, 512), [257, 256])
        self.assertEqual(memories.bank_widths(1655, 512), [414, 414, 414, 413])

    def test_no_memories_no_abstracts(self):
        code, errors, written = prepare(
            "module top(a_i, q_o); input a_i; output q_o;\n  BUF u(.A(a_i), .Y(q_o));\nendmodule\n"
        )
        self.assertEqual(code, 0, errors)
        self.assertEqual(sorted(written), ["memories.json", "netlist.v"])

    def test_bad_netlists_are_refused(self):
        refused = {
            "has 4 bits of address, is not in the netlist; keep": netlist(
                "\\$paramod$01\\acclmt_mem_1r1w "
            ),
            "64 words do not fit": netlist("acclmt_mem_1r1w"),
            "nothing at its port write_data_i": netlist("acclmt_mem_1r1w").replace(
                ".write_data_i(d_i),", ""
            ),
            "nothing at its port memory_config_i": netlist("acclmt_mem_1r1w #(.Depth(13))").replace(
                ".memory_config_i(10'd0),", ""
            ),
            "17 words do not fit": netlist("acclmt_mem_1r1w #(.Width(8), .Depth(17))"),
            "is not mapped to a library": UNMAPPED,
            "has no module top; its modules: other": "module other; endmodule\n",
            "ERROR": "module top(;\n",
        }
        for message, text in refused.items():
            with self.subTest(message):
                code, errors, written = prepare(text)
                self.assertNotEqual(code, 0)
                if message != "ERROR":
                    self.assertIn(message, errors)
                self.assertEqual(written, {})


class Abstracts(unittest.TestCase):
    def test_area_follows_the_bits(self):
        for name in PLATFORMS:
            memory = memories.memory_of(name)
            width, height = memories.dimensions(Size(256, 4096, 10), memory)
            bits = 256 * 4096 * memories.area_per_bit(4096, memory)
            self.assertAlmostEqual(width * height / bits, 1, delta=0.01)
            # Small ones are as large as their pins ask for.
            width, height = memories.dimensions(Size(256, 2, 10), memory)
            self.assertGreaterEqual(height, 259 * memory["pin_pitch_um"])
            self.assertGreaterEqual(width, memory["min_width_um"])

    def test_area_per_bit_is_that_of_the_next_macro(self):
        memory = memories.memory_of("asap7")
        sizes = [(*macro["size_um"], macro["depth"] * macro["width"]) for macro in memory["macro"]]
        small, middle, large = (width * height / bits for width, height, bits in sizes)
        for depth, expected in ((2, small), (64, small), (65, middle), (256, large), (4096, large)):
            self.assertAlmostEqual(memories.area_per_bit(depth, memory), expected)

    def test_pins_lie_inside_and_apart(self):
        for name in PLATFORMS:
            for size in (Size(1, 1, 10), Size(8, 13, 10), Size(768, 7, 10), Size(256, 4096, 10)):
                with self.subTest(f"{name}, {size}"):
                    self.check_lef(memories.lef([size], memories.memory_of(name)), size)

    def check_lef(self, text, size):
        width, height = (
            float(number) for number in re.search(r"SIZE (\S+) BY (\S+)", text).groups()
        )
        shapes = []
        for pin in re.finditer(r"  PIN (\S+)\n(.*?)  END \1\n", text, re.S):
            layer = re.search(r"LAYER (\S+)", pin[2])[1]
            for shape in re.findall(r"RECT (\S+) (\S+) (\S+) (\S+)", pin[2]):
                left, bottom, right, top = (float(number) for number in shape)
                self.assertTrue(
                    0 <= left < right <= width + 1e-9 and 0 <= bottom < top <= height + 1e-9
                )
                shapes.append((pin[1], layer, left, bottom, right, top))
        names = {shape[0] for shape in shapes}
        expected = set(memories.bits(memories.inputs(size) + memories.outputs(size))) | {
            "VDD",
            "VSS",
        }
        self.assertEqual(names, expected)
        # From bottom to top, only neighbours can overlap: of equal height, or of sides.
        for layer in {shape[1] for shape in shapes}:
            here = [shape for shape in shapes if shape[1] == layer]
            for one in here[:: max(1, len(here) // 100)]:
                for other in here:
                    apart = (
                        one[4] <= other[2]
                        or other[4] <= one[2]
                        or one[5] <= other[3]
                        or other[5] <= one[3]
                    )
                    self.assertTrue(one == other or apart, f"{one} overlaps {other}")

    def test_address_widths(self):
        self.assertEqual(
            [Size(1, depth, 10).address_width for depth in (1, 2, 3, 4, 5, 256, 257)],
            [1, 1, 2, 2, 3, 8, 9],
        )


LIBRARY = """library (toy) {
  delay_model : table_lookup; time_unit : "TIME"; voltage_unit : "1V"; current_unit : "1uA";
  leakage_power_unit : "1nW"; pulling_resistance_unit : "1kohm"; capacitive_load_unit (1, UNIT);
  input_threshold_pct_rise : 50; input_threshold_pct_fall : 50; output_threshold_pct_rise : 50;
  output_threshold_pct_fall : 50;
  slew_lower_threshold_pct_rise : 20; slew_lower_threshold_pct_fall : 20;
  slew_upper_threshold_pct_rise : 80; slew_upper_threshold_pct_fall : 80;
  cell (BUF) { area : 1;
    pin (A) { direction : input; capacitance : 0.001; }
    pin (Y) { direction : output; function : "A";
      timing () { related_pin : "A"; timing_sense : positive_unate;
        cell_rise (scalar) { values ("DELAY"); } cell_fall (scalar) { values ("DELAY"); }
        rise_transition (scalar) { values ("0.01"); }
        fall_transition (scalar) { values ("0.01"); } } } }
  cell (DFFR) { area : 4; ff (IQ, IQN) { clocked_on : "CK"; next_state : "D"; clear : "RN'"; }
    pin (CK) { direction : input; clock : true; capacitance : 0.001; }
    pin (RN) { direction : input; capacitance : 0.001;
      timing () { related_pin : "CK"; timing_type : recovery_rising;
        rise_constraint (scalar) { values ("0.9"); } } }
    pin (D) { direction : input; capacitance : 0.001;
      timing () { related_pin : "CK"; timing_type : setup_rising;
        rise_constraint (scalar) { values ("0"); } fall_constraint (scalar) { values ("0"); } } }
    pin (Q) { direction : output; function : "IQ";
      timing () { related_pin : "CK"; timing_type : rising_edge;
        cell_rise (scalar) { values ("DELAY"); } cell_fall (scalar) { values ("DELAY"); }
        rise_transition (scalar) { values ("0.01"); }
        fall_transition (scalar) { values ("0.01"); } } } }
}
"""
TIMED = """module top(clk_i, rst_ni, a_i, d_i, q_o, r_o);
  input clk_i; input rst_ni; input [3:0] a_i; input [7:0] d_i; output [7:0] q_o; output r_o;
  wire d;
  acclmt_mem_1r1w_8x13 u_memory (.clk_i(clk_i), .write_enable_i(d_i[0]), .write_address_i(a_i),
    .write_data_i(d_i), .read_enable_i(d), .read_address_i(a_i),
    .memory_config_i({d_i, d_i[1:0]}), .read_data_o(q_o));
  BUF u_b(.A(d_i[7]), .Y(d));
  DFFR u_r(.CK(clk_i), .RN(rst_ni), .D(d), .Q(r_o));
endmodule
"""


@unittest.skipUnless(shutil.which("sta"), "OpenSTA (`sta`) is not on the PATH")
class Timing(unittest.TestCase):
    """OpenSTA on a memory, a buffer and a register between the ports, with constraints.sdc."""

    def report(self, time, unit, units_per_ps, commands, quasi_static="", latency="0"):
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            delay = {"1ns": "0.1", "1ps": "100"}[time]
            library = LIBRARY.replace("TIME", time).replace("UNIT", unit).replace("DELAY", delay)
            (folder / "cells.lib").write_text(library)
            (folder / "memories.lib").write_text(memories.liberty([Size(8, 13, 10)], memories.memory_of("asap7")))
            (folder / "top.v").write_text(TIMED)
            script = ["read_liberty cells.lib", "read_liberty memories.lib", "read_verilog top.v"]
            script += [
                "link_design top",
                f"read_sdc {HERE / 'constraints.sdc'}",
                "check_setup -verbose",
            ]
            (folder / "run.tcl").write_text("\n".join(script + commands) + "\n")
            environment = os.environ | {
                "ACCLMT_PERIOD_PS": "2000",
                "ACCLMT_UNITS_PER_PS": units_per_ps,
                "ACCLMT_CLOCK_LATENCY_PS": latency,
                "ACCLMT_INPUT_SHARE": "0.4",
                "ACCLMT_OUTPUT_SHARE": "0.4",
                "ACCLMT_LOAD": "0.004",
                "ACCLMT_DRIVER": "BUF",
                "ACCLMT_MAX_SLEW": "0.3",
                "ACCLMT_QUASI_STATIC_INPUTS": quasi_static,
            }
            command = ["sta", "-no_splash", "-exit", "run.tcl"]
            done = subprocess.run(
                command, cwd=folder, env=environment, capture_output=True, text=True, check=False
            )
            output = done.stdout + done.stderr
            return output

    def slack(self, output):
        self.assertNotRegex(output, "(?i)error|warning")
        return float(re.search(r"(-?[\d.]+)\s+slack", output)[1])

    def test_paths_have_the_expected_slack(self):
        # Of 2 ns: 0.8 ns outside, 0.1 ns uncertainty, and in the library 0.1 ns a cell; the memory
        # has a setup of 0.05 ns and an access of 0.218 ns. The driving cell adds nothing, for its
        # delay does not depend on the load.
        paths = {
            "-from [get_ports {a_i[0]}] -to u_memory/read_address_i[0]": 2 - 0.8 - 0.1 - 0.05,
            "-from [get_ports {d_i[7]}] -to u_r/D": 2 - 0.8 - 0.1 - 0.1,
            "-from u_memory/clk_i -to [get_ports {q_o[3]}]": 2 - 0.8 - 0.1 - 0.218,
            "-from u_r/CK -to [get_ports r_o]": 2 - 0.8 - 0.1 - 0.1,
        }
        for time, unit, units_per_ps, scale in (("1ns", "pf", "0.001", 1), ("1ps", "ff", "1", 1000)):
            for path, slack in paths.items():
                with self.subTest(f"{time}, {path}"):
                    output = self.report(
                        time, unit, units_per_ps, [f"report_checks -path_delay max {path}"]
                    )
                    self.assertAlmostEqual(self.slack(output) / scale, slack, delta=0.011)

    def test_the_clock_takes_as_long_to_the_neighbours(self):
        # Between neighbours and registers, and from register to register, the same 2 ns are there as long as
        # no tree is. With one of another delay, here of none, the difference shows at the ports.
        paths = {
            "-from [get_ports {d_i[7]}] -to u_r/D": (2 - 0.8 - 0.1 - 0.1, -0.3),
            "-from u_r/CK -to [get_ports r_o]": (2 - 0.8 - 0.1 - 0.1, 0.3),
        }
        for path, (slack, late) in paths.items():
            for commands, expected in ([], slack), (["set_propagated_clock [all_clocks]"], slack + late):
                with self.subTest(f"{path}, {commands}"):
                    commands = [*commands, f"report_checks -path_delay max {path}"]
                    output = self.report("1ns", "pf", "0.001", commands, latency="300")
                    self.assertAlmostEqual(self.slack(output), expected, delta=0.011)

    def test_reset_and_hold_at_ports_are_not_judged(self):
        commands = [
            "report_checks -path_delay max -from [get_ports rst_ni]",
            "report_checks -path_delay min -from [get_ports {d_i[7]}]",
            "report_checks -path_delay min -to [get_ports r_o]",
        ]
        for command in commands:
            with self.subTest(command):
                output = self.report("1ns", "pf", "0.001", [command])
                self.assertNotRegex(output, "(?i)error|warning")
                self.assertIn("No paths found", output)

    def test_quasi_static_inputs_are_not_judged(self):
        command = "report_checks -path_delay max -from [get_ports {NAME}]"
        for name, judged in ("a_i[0]", False), ("a_i[3]", False), ("d_i[7]", True):
            with self.subTest(name):
                output = self.report("1ns", "pf", "0.001", [command.replace("NAME", name)], "a_i")
                self.assertNotRegex(output, "(?i)error")
                self.assertEqual("No paths found" not in output, judged)
        # The whole name, of an input that is there.
        output = self.report("1ns", "pf", "0.001", [], "a_")
        self.assertIn("names a_, which is no input", output)


if __name__ == "__main__":
    unittest.main()

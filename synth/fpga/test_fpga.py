#!/usr/bin/env python3
# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0
"""Tests of fpga.py: small modules whose LUTs, flip-flops, DSP blocks and block RAMs are known."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace

import fpga
from flow import tools
from flow.design import Design, Unit
from flow.errors import FlowError

LEAF = """
module leaf(clk_i, a_i, b_i, product_o);
  input clk_i; input [16:0] a_i, b_i; output reg [33:0] product_o;
  always @(posedge clk_i) product_o <= a_i * b_i;
endmodule
"""
TOP = """
(* blackbox *) module leaf(input clk_i, input [16:0] a_i, b_i, output [33:0] product_o); endmodule
module top(clk_i, a_i, b_i, x_o, y_o);
  input clk_i; input [16:0] a_i, b_i; output [33:0] x_o, y_o;
  leaf x_i(.clk_i(clk_i), .a_i(a_i), .b_i(b_i), .product_o(x_o));
  reg [16:0] a_q;
  always @(posedge clk_i) a_q <= a_i ^ b_i;
  leaf y_i(.clk_i(clk_i), .a_i(a_q), .b_i(b_i), .product_o(y_o));
endmodule
"""
MEMORY = "acclmt_mem_1r1w__Width72_Depth512"


def unit(name, text, folder, units=(), memories=()):
    """A unit of a design, of Verilog."""
    (folder / "text.v").write_text(text)
    tools.run_yosys(
        [f"read_verilog {folder / 'text.v'}", f"write_rtlil {folder / 'text.il'}"], f"test of {name}"
    )
    return Unit(name, name, {}, (folder / "text.il").read_text(), dict(units), dict(memories))


class Count(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def counter(self, family="xcup"):
        return fpga.Counter(fpga.Family(family), self.folder, "any", 1)

    def test_designs_add_up(self):
        leaf = unit("leaf", LEAF, self.folder)
        top = unit("top", TOP, self.folder, {"leaf": 2})
        design = Design("top", {"leaf": leaf, "top": top}, {})
        for family in ("xcup", "ecp5"):
            counter = self.counter(family)
            counter.run([design])
            found, own = counter.totals(design)
            with self.subTest(family):
                self.assertEqual(found["leaf"]["dsp"], 1)
                self.assertEqual(own["top"], {"lut": 17, "ff": 17, "dsp": 0, "bram": 0})
                for kind in fpga.KINDS:
                    self.assertEqual(found["top"][kind], own["top"][kind] + 2 * found["leaf"][kind])
            # A second run finds everything.
            again = self.counter(family)
            again.synthesise = lambda name, text, source: self.kept(counter, name)
            again.run([design])
            self.assertEqual(again.totals(design)[0], found)

    @staticmethod
    def kept(counter, name):
        return counter.cells[name], None

    def test_deep_memories_are_block_rams_and_shallow_ones_luts(self):
        box = {MEMORY: 1, "acclmt_mem_1r1w__Width72_Depth8": 1}
        design = SimpleNamespace(
            order=lambda: [], memories={MEMORY: (72, 512), "acclmt_mem_1r1w__Width72_Depth8": (72, 8)}
        )
        counter = self.counter()
        counter.run([design])
        found, _ = counter.totals(design)
        self.assertEqual((found[MEMORY]["bram"], found[MEMORY]["lut"]), (1, 0))
        shallow = found["acclmt_mem_1r1w__Width72_Depth8"]
        self.assertEqual(shallow["bram"], 0)
        self.assertGreater(shallow["lut"], 0)
        self.assertEqual(set(box), set(found))

    def test_cells_without_price_are_refused(self):
        with self.assertRaisesRegex(FlowError, r"top: URAM288 has no price in synth/fpga/families\.toml"):
            fpga.Family("xcup").count({"URAM288": 1, "LUT1": 2}, {}, "top")

    def test_what_is_below_must_be_there(self):
        leaf = unit("leaf", LEAF, self.folder)
        top = unit("top", TOP, self.folder, {"leaf": 3})
        design = Design("top", {"leaf": leaf, "top": top}, {})
        counter = self.counter()
        counter.run([design])
        with self.assertRaisesRegex(FlowError, "top: 2 of leaf after synthesis, not 3"):
            counter.totals(design)


SUMS = """
module top(a_i, b_i, c_i, d_i, e_i, f_i, sum_o, difference_o, product_o);
  input [9:0] a_i, b_i, c_i, d_i, e_i; input signed [6:0] f_i;
  output [12:0] sum_o; output [11:0] difference_o; output [12:0] product_o;
  assign sum_o = a_i + (b_i << 2) + c_i + d_i - e_i + f_i;
  assign difference_o = a_i - (b_i << 3) - (c_i << 5);
  assign product_o = a_i[4:0] * b_i[4:0] + c_i + d_i;
endmodule
"""


class Sums(unittest.TestCase):
    """Trees of adders of three terms, proved equal to what they are made of."""

    def proved(self, family, changed=("", "")):
        """Whether the sums are equal; `changed` is replaced in the map of the adder."""
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            (folder / "sums.v").write_text(SUMS)
            commands = fpga.Family(family).commands("top")[:-1]
            self.assertEqual(commands[-3].split()[0], "techmap")
            adder = (fpga.HERE / fpga.Family(family).data["ternary"]).read_text()
            (folder / "adder.v").write_text(adder.replace(*changed))
            commands[-3] = f"techmap -map {folder / 'adder.v'}"
            read = f"read_verilog {folder / 'sums.v'}"
            made = [read, *commands, f"write_rtlil {folder / 'made.il'}", f"tee -o {folder / 'stat'} stat"]
            tools.run_yosys(made, "test of sums")
            self.left = (folder / "stat").read_text()
            prove = [
                read, "hierarchy -top top", "proc", "design -stash gold",
                f"read_rtlil {folder / 'made.il'}", "read_verilog +/xilinx/cells_sim.v",
                "hierarchy -top top", "proc", "flatten", "design -stash gate",
                "design -copy-from gold -as gold top", "design -copy-from gate -as gate top",
                "miter -equiv -flatten gold gate miter", "hierarchy -top miter",
                "sat -verify -prove trigger 0 miter",
            ]  # fmt: skip
            try:
                tools.run_yosys(prove, "proof")
            except FlowError as error:
                self.assertIn("model found: FAIL", str(error))
                return False
            return True

    def test_trees_are_equal_to_sums(self):
        for family in ("xcup", "ecp5"):
            with self.subTest(family):
                self.assertTrue(self.proved(family))
                # Only what has a product in it is left.
                self.assertLessEqual(self.left.count("$macc"), 1)

    def test_a_wrong_adder_is_noticed(self):
        self.assertFalse(self.proved("xcup", ("e8e8e8e8", "e8e8e8e9")))
        self.assertFalse(self.proved("ecp5", ("two + C", "two - C")))


class Arguments(unittest.TestCase):
    def test_wrong_ones_are_refused(self):
        for arguments, code, message in [
            (["--family", "other"], 2, "invalid choice: 'other'"),
            (["--top", "acclmt_none"], 1, "fpga: TOP=acclmt_none is no module of"),
            (["--parameter", "NumPartial=1"], 1, "fpga: --parameter needs a --top"),
            (["--jobs", "0"], 1, "fpga: --jobs 0 is not above 0"),
        ]:
            with self.subTest(arguments):
                command = [sys.executable, fpga.__file__, *arguments]
                done = subprocess.run(command, capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, code)
                self.assertIn(message, done.stderr)
                self.assertNotIn("Traceback", done.stderr)


if __name__ == "__main__":
    unittest.main()

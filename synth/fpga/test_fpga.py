#!/usr/bin/env python3
# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0
"""Tests of fpga.py: small modules whose LUTs, flip-flops, DSP blocks and block RAMs are known."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import fpga
from flow import design as designs
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


# What the leaves use of a block, as AMD's UG579 has it: the product, and what comes by the chain, shifted or not.
DSP48E2 = """
module DSP48E2 #(
  parameter AREG = 1, ACASCREG = 1, BREG = 1, BCASCREG = 1, CREG = 1, DREG = 1, ADREG = 1, MREG = 1, PREG = 1,
  parameter ALUMODEREG = 1, CARRYINREG = 1, CARRYINSELREG = 1, INMODEREG = 1, OPMODEREG = 1,
  parameter USE_MULT = "MULTIPLY", USE_SIMD = "ONE48", AMULTSEL = "A", BMULTSEL = "B",
  parameter A_INPUT = "DIRECT", B_INPUT = "DIRECT"
) (
  input CLK, input [29:0] A, input [17:0] B, input [47:0] C, input [26:0] D, input [29:0] ACIN, input [17:0] BCIN,
  input [47:0] PCIN, input CARRYCASCIN, MULTSIGNIN, CARRYIN, input [3:0] ALUMODE, input [2:0] CARRYINSEL,
  input [4:0] INMODE, input [8:0] OPMODE, input CEA1, CEA2, CEAD, CEALUMODE, CEB1, CEB2, CEC, CECARRYIN, CECTRL, CED,
  input CEINMODE, CEM, CEP, RSTA, RSTALLCARRYIN, RSTALUMODE, RSTB, RSTC, RSTCTRL, RSTD, RSTINMODE, RSTM, RSTP,
  output [47:0] P, PCOUT
);
  wire signed [26:0] a = A[26:0];
  wire signed [17:0] b = B;
  wire signed [47:0] product = a * b;
  wire signed [47:0] chain = PCIN;
  wire [47:0] z = (OPMODE[6:4] == 3'b000) ? 48'd0 : (OPMODE[6:4] == 3'b001) ? chain :
                  (OPMODE[6:4] == 3'b101) ? chain >>> 17 : 48'bx;
  wire plain = AREG + BREG + CREG + DREG + ADREG + MREG + ALUMODEREG + CARRYINREG + CARRYINSELREG + INMODEREG +
               OPMODEREG == 0 && ALUMODE == 0 && CARRYINSEL == 0 && INMODE == 0 && {OPMODE[8:7], OPMODE[3:0]} == 6'b000101 &&
               !CARRYIN;
  wire [47:0] sum = plain ? z + product : 48'bx;
  reg [47:0] sum_q;
  always @(posedge CLK) if (CEP) sum_q <= sum;
  assign P = (PREG == 1) ? sum_q : sum;
  assign PCOUT = P;
endmodule
"""
# Compares leaves of a width with products, at corners and at random operands.
LEAVES = """
module test;
  parameter Width = 34;
  reg clk = 0, failed = 0;
  reg [Width-1:0] a, b;
  wire [2*Width-1:0] product, square;
  reg [2*Width-1:0] expected_product, expected_square;
  acclmt_dsp_mul #(.Width(Width)) mul(.clk_i(clk), .a_i(a), .b_i(b), .product_o(product));
  acclmt_dsp_sqr #(.Width(Width)) sqr(.clk_i(clk), .a_i(a), .square_o(square));
  integer i;
  function [Width-1:0] corner(input integer number);
    case (number)
      0: corner = 0;
      1: corner = 1;
      2: corner = {Width{1'b1}};
      3: corner = 17'h1ffff;
      4: corner = {Width{1'b1}} << 17;
      5: corner = 1 << 16;
      6: corner = 1 << (Width - 1);
      default: corner = {$random, $random};
    endcase
  endfunction
  initial begin
    for (i = 0; i < 4000; i = i + 1) begin
      a = corner((i < 64) ? i % 8 : 8);
      b = corner((i < 64) ? i / 8 : 8);
      expected_product = a * b;
      expected_square = a * a;
      #1 clk = 1;
      // The operands are read at the edge.
      #1 a = ~a; b = ~b;
      #1 clk = 0;
      #1 if (product !== expected_product || square !== expected_square) failed = 1;
    end
    if (failed) $display("different"); else $display("equal");
  end
endmodule
"""


class Leaves(unittest.TestCase):
    """The leaves of multipliers and squarers as DSP blocks."""

    def simulated(self, name, width, changed=("", "")):
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            leaves = (fpga.HERE / fpga.Family(name).data["leaves"]).read_text()
            self.assertIn(changed[0], leaves)
            (folder / "all.v").write_text(leaves.replace(*changed) + DSP48E2 + LEAVES)
            command = ["iverilog", "-g2005-sv", f"-Ptest.Width={width}", "-s", "test", "-o", folder / "run", folder / "all.v"]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            self.assertEqual(done.stderr, "")
            return subprocess.run(["vvp", "-n", folder / "run"], capture_output=True, text=True, check=True).stdout

    def test_leaves_multiply_and_square(self):
        for name in ("xcup", "ecp5"):
            for width in (18, 31, 32, 33, 34, 12, 40):
                with self.subTest(name, width=width):
                    self.assertEqual(self.simulated(name, width), "equal\n")

    def test_wrong_leaves_are_noticed(self):
        for name, change in [
            ("xcup", ("3'b101", "3'b001")),
            ("xcup", ("17], 1'b0}", "17], 1'b1}")),
            ("xcup", ("{both[16:0], low[16:0]}", "{both[16:0], low[17:1]}")),
            ("ecp5", ("low[33:18]", "low[32:17]")),
        ]:
            with self.subTest(change):
                self.assertEqual(self.simulated(name, 34, change), "different\n")

    def test_they_take_the_places_of_those_of_the_design(self):
        sources = [fpga.ROOT / "rtl" / "field" / f"{module}.sv" for module in fpga.LEAVES]
        wrapper = """
        module top(input clk_i, input [33:0] a_i, b_i, output [67:0] product_o, square_o);
          acclmt_mul_leaf mul(.clk_i(clk_i), .a_i(a_i), .b_i(b_i), .product_o(product_o));
          acclmt_sqr_leaf sqr(.clk_i(clk_i), .a_i(a_i), .square_o(square_o));
        endmodule
        """
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            (folder / "top.sv").write_text(wrapper)
            design = designs.elaborate([*sources, folder / "top.sv"], "top", {}, folder)
            found = {}
            for multiplier in fpga.MULTIPLIERS:
                counter = fpga.Counter(fpga.Family("xcup", multiplier), folder, "any", 1)
                counter.run([design])
                found[multiplier] = counter.totals(design)[0]["top"]
        self.assertEqual(found["dsp"], {"lut": 0, "ff": 68, "dsp": 7, "bram": 0})
        self.assertGreater(found["inferred"]["lut"], 0)


# Stands for nextpnr: writes the report of its variable, or fails.
NEXTPNR = """#!/bin/sh
test -f netlist.json || { echo "no netlist"; exit 1; }
test -n "$REPORT" || { echo "ERROR: no room"; exit 1; }
echo "$REPORT" >report.json
"""


class Route(unittest.TestCase):
    """Placement and routing, with a stand-in for nextpnr."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        program = self.folder / "nextpnr"
        program.write_text(NEXTPNR)
        program.chmod(0o755)
        patch = mock.patch.object(fpga.route, "find", lambda: str(program))
        patch.start()
        self.addCleanup(patch.stop)
        self.leaf = unit("leaf", LEAF, self.folder)

    def routed(self, report, name="ecp5", block=None):
        with mock.patch.dict("os.environ", {"REPORT": report}):
            return fpga.route.route(fpga.Family(name), block or self.leaf, self.folder / "routed", 1)

    def test_clock_and_resources_are_those_of_the_report(self):
        report = {
            "fmax": {"$glbnet$clk_i$TRELLIS_IO_IN": {"achieved": 61.5, "constraint": 100}},
            "utilization": {"MULT18X18D": {"used": 1, "available": 156}, "DCCA": {"used": 0, "available": 56}},
        }
        self.assertEqual(self.routed(json.dumps(report)), (61.5, {"MULT18X18D": (1, 156)}))
        report["fmax"] = {}
        self.assertIsNone(self.routed(json.dumps(report))[0])

    def test_failures_are_told(self):
        with self.assertRaisesRegex(FlowError, "nextpnr of leaf failed, see .*nextpnr.log:\nERROR: no room"):
            self.routed("")
        with self.assertRaisesRegex(FlowError, "--route: xcup has no open place and route; ecp5 has"):
            self.routed("", "xcup")
        top = unit("top", TOP, self.folder, {"leaf": 2})
        with self.assertRaisesRegex(FlowError, "--route: top has leaf below it; only a block by itself"):
            self.routed("", block=top)


class Page(unittest.TestCase):
    def data(self):
        total = {"lut": 500, "ff": 20, "dsp": 3, "bram": 1.5}
        own = {"lut": 100, "ff": 2, "dsp": 0, "bram": 0}
        module = {"total": total, "own": own, "designs": ["chip A=1"]}
        return {
            "commit": "abc",
            "yosys": "0.1",
            "description": "a family",
            "device": {"name": "device", "lut": 1000, "dsp": 10},
            "designs": {"chip A=1": total, "chip": total | {"lut": 2000}},
            "published": [{"name": "another", "lut": 610, "dsp": 7, "ff": 1, "bram": 2}],
            "modules": {
                "small": module | {"own": own | {"lut": 5}},
                "large": module,
                "other": module | {"designs": ["chip"]},
                "memory": {"total": total, "width": 1, "depth": 1},
            },
        }

    def test_it_has_shares_and_the_largest_modules_and_what_was_routed(self):
        block = {"design": "leaf", "device": "d", "clock_mhz": 61.5, "used": {"MULT": [4, 156]}, "commit": "def"}
        text = "\n".join(fpga.page_lines(self.data(), [block, block | {"design": "wires", "clock_mhz": None}]))
        for line in [
            "Of commit abc, by Yosys 0.1 for a family:",
            "| `chip A=1` | 500 | 3 | 20 | 1.5 | 50.0 % | 30.0 % |",
            "| `chip` | 2,000 | 3 | 20 | 1.5 | 200.0 % | 30.0 % |",
            "| another | 610 | 7 | 1 | 2.0 | 61.0 % | 70.0 % |",
            "| `large` | 500 | 100 | 20 | 3 |\n| `small` | 500 | 5 | 20 | 3 |",
            "| `leaf` | d | 61.5 | 4 MULT | def |",
            "| `wires` | d | - | 4 MULT | def |",
        ]:
            self.assertIn(line, text)
        self.assertNotIn("`other`", text)
        self.assertNotIn("`memory`", text)

    def test_it_stands_between_its_markers(self):
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder) / "page.md"
            with mock.patch.multiple(fpga, PAGE=page, TARGET=Path(folder)):
                page.write_text(f"before {fpga.BEGIN} old {fpga.END} after")
                fpga.publish(self.data())
                text = page.read_text()
                self.assertTrue(text.startswith("before ") and text.endswith(" after"))
                self.assertNotIn("old", text)
                self.assertNotIn("placed and routed", text)
                page.write_text("nothing")
                with self.assertRaisesRegex(FlowError, "markers"):
                    fpga.publish(self.data())
        self.assertIn(fpga.BEGIN, fpga.PAGE.read_text())


class Arguments(unittest.TestCase):
    def test_wrong_ones_are_refused(self):
        for arguments, code, message in [
            (["--family", "other"], 2, "invalid choice: 'other'"),
            (["--top", "acclmt_none"], 1, "fpga: TOP=acclmt_none is no module of"),
            (["--parameter", "NumPartial=1"], 1, "fpga: --parameter needs a --top"),
            (["--route"], 1, "fpga: --route needs a --top"),
            (["--top", "acclmt_sqr", "--seed", "2"], 1, "fpga: --seed needs --route"),
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

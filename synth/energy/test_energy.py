#!/usr/bin/env python3
# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0
"""Tests of cells.py and energy.py without OpenROAD: models and delays in Icarus Verilog, and reports."""

import json
import random
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import cells
import energy
import hashes


def cell(inputs, outputs, inside):
    """A cell's function as Yosys writes it."""
    numbers = {name: number for number, name in enumerate(inputs + outputs, start=2)}
    ports = {name: {"direction": "input", "bits": [numbers[name]]} for name in inputs}
    ports |= {name: {"direction": "output", "bits": [numbers[name]]} for name in outputs}
    made = {}
    for index, (kind, pins) in enumerate(inside):
        bits = {pin: [numbers.get(net, net)] for pin, net in pins.items()}
        made[f"c{index}"] = {"type": kind, "connections": bits}
    return {"ports": ports, "cells": made}


FUNCTIONS = {
    # The cells stand in the wrong order.
    "AOI": cell(
        ["A", "B", "C"],
        ["Y"],
        [
            ("$_NOT_", {"A": 91, "Y": "Y"}),
            ("$_OR_", {"A": 90, "B": "C", "Y": 91}),
            ("$_AND_", {"A": "A", "B": "B", "Y": 90}),
        ],
    ),
    # Inverted output, as the flip-flops of ASAP7 have it.
    "DFF": cell(
        ["D", "CLK"],
        ["QN"],
        [("$_DFF_P_", {"D": "D", "C": "CLK", "Q": 90}), ("$_NOT_", {"A": 90, "Y": "QN"})],
    ),
    "DFFR": cell(
        ["D", "CLK", "RN"], ["Q"], [("$_DFF_PN1_", {"D": "D", "C": "CLK", "R": "RN", "Q": "Q"})]
    ),
}
NETLIST = """module top (a, b, c, clk, y, q, r, reset);
 input a; input b; input c; input clk; input reset; output y; output q; output r;
 TAPCELL PHY_0 ();
 AOI \\u/aoi (.A(a), .B(b), .C(c), .Y(y));
 DFF u_dff (.D(y), .CLK(clk), .QN(q));
 DFFR u_dffr (.D(y), .CLK(clk), .RN(reset), .Q(r));
endmodule
"""
SDF = r"""(DELAYFILE
 (TIMESCALE 1ns)
 (CELL (CELLTYPE "AOI")
  (INSTANCE u\/aoi)
  (DELAY (ABSOLUTE
    (IOPATH A Y (0.010:0.010:0.010) (0.020:0.020:0.020))
    (IOPATH C Y (0.030:0.030:0.030) (0.040:0.040:0.040))
 )))
 (CELL (CELLTYPE "DFF")
  (INSTANCE u_dff)
  (DELAY (ABSOLUTE
    (IOPATH (posedge CLK) QN (0.030::0.030) (0.050::0.050))
 )))
)
"""


def simulate(text, folder):
    (folder / "all.v").write_text(text)
    command = ["iverilog", "-g2005-sv", "-o", str(folder / "run"), str(folder / "all.v")]
    subprocess.run(command, check=True, capture_output=True)
    done = subprocess.run([str(folder / "run")], check=True, capture_output=True, text=True)
    return done.stdout.splitlines()


@unittest.skipUnless(shutil.which("iverilog"), "Icarus Verilog is not on the PATH")
class Delays(unittest.TestCase):
    def test_edges_and_arcs_are_averaged(self):
        delays = cells.read_delays(SDF.splitlines())
        self.assertEqual(set(delays), {("u/aoi", "Y"), ("u_dff", "QN")})
        self.assertAlmostEqual(delays["u/aoi", "Y"], 25)
        self.assertAlmostEqual(delays["u_dff", "QN"], 40)
        with self.assertRaisesRegex(cells.CellError, "no TIMESCALE"):
            cells.read_delays(["(INSTANCE a)", "(IOPATH A Y (1:1:1))"])

    def test_netlist_has_functions_and_delays(self):
        text, missing = cells.annotated(NETLIST, cells.read_delays(SDF.splitlines()), FUNCTIONS)
        self.assertEqual(missing, 1)
        self.assertNotIn("TAPCELL", text)
        test = """
module test;
  reg a = 0, b = 0, c = 0, clk = 0, reset = 1; wire y, q, r;
  top dut(a, b, c, clk, y, q, r, reset);
  always @(y or q or r) $display("%0d y=%b q=%b r=%b", $time, y, q, r);
  initial begin
    #50 reset = 0; #50 reset = 1;
    // A pulse that is shorter than the delay does not pass.
    #100 c = 1; #10 c = 0;
    #90 a = 1; b = 1;
    #100 clk = 1;
    #100 $finish;
  end
endmodule
"""
        with tempfile.TemporaryDirectory() as folder:
            lines = simulate("`timescale 1ps/1ps\n" + text + test, Path(folder))
        # y falls 25 ps after 300; both registers take the zero at 400, the second without a delay of the file.
        self.assertIn("325 y=0 q=1 r=1", lines)
        self.assertIn("401 y=0 q=1 r=0", lines)
        self.assertFalse([line for line in lines if line.startswith(("21", "22", "23"))])

    def test_every_gate_has_its_function(self):
        """Each gate against its truth table."""
        table = {
            "$_BUF_": lambda a, b, s: a,
            "$_NOT_": lambda a, b, s: 1 - a,
            "$_AND_": lambda a, b, s: a & b,
            "$_NAND_": lambda a, b, s: 1 - (a & b),
            "$_OR_": lambda a, b, s: a | b,
            "$_NOR_": lambda a, b, s: 1 - (a | b),
            "$_XOR_": lambda a, b, s: a ^ b,
            "$_XNOR_": lambda a, b, s: 1 - (a ^ b),
            "$_ANDNOT_": lambda a, b, s: a & (1 - b),
            "$_ORNOT_": lambda a, b, s: a | (1 - b),
            "$_MUX_": lambda a, b, s: b if s else a,
        }
        self.assertEqual(set(table), set(cells.GATES))
        models, wires, shown = "", "", []
        for index, kind in enumerate(table):
            pins = {"A": "A", "Y": "Y"}
            pins |= {"B": "B"} if "{B}" in cells.GATES[kind] else {}
            pins |= {"S": "S"} if "{S}" in cells.GATES[kind] else {}
            models += cells.model(f"G{index}", cell(["A", "B", "S"], ["Y"], [(kind, pins)]))
            wires += f"wire y{index}; G{index} g{index}(v[0], v[1], v[2], y{index});\n"
            shown.insert(0, f"y{index}")
        test = f"""module test; reg [2:0] v; {wires} integer i;
initial for (i = 0; i < 8; i = i + 1) begin v = i; #10 $display("%b", {{{", ".join(shown)}}}); end
endmodule
"""
        with tempfile.TemporaryDirectory() as folder:
            lines = simulate("`timescale 1ps/1ps\n" + models + test, Path(folder))
        for value, line in enumerate(lines):
            for index, (kind, function) in enumerate(table.items()):
                expected = function(value & 1, value >> 1 & 1, value >> 2)
                self.assertEqual(int(line[-1 - index]), expected, (kind, value))

    def test_unknown_parts_are_refused(self):
        with self.assertRaisesRegex(cells.CellError, r"the cell L has a \$_DLATCH_P_ in it"):
            cells.model("L", cell(["D", "E"], ["Q"], [("$_DLATCH_P_", {"D": "D", "E": "E", "Q": "Q"})]))


@unittest.skipUnless(shutil.which("iverilog"), "Icarus Verilog is not on the PATH")
class Testbench(unittest.TestCase):
    """The testbench on a behavioural block, right and wrong."""

    def wrong_results(self, changed="", held=False):
        stimulus = energy.STIMULI["acclmt_mod_add"]
        prime = energy.Large().prime
        block = f"""module acclmt_mod_add (clk_i, goldilocks_i, a_i, b_i, prime_i, sum_o);
  input clk_i;
  input goldilocks_i;
  input [255:0] a_i;
  input [255:0] b_i;
  input [255:0] prime_i;
  output [255:0] sum_o;
  wire [256:0] sum = a_i + b_i {changed};
  reg [255:0] sum_q;
  always @(posedge clk_i) sum_q <= sum >= 256'd{prime} ? sum - 256'd{prime} : sum;
  assign #40 sum_o = sum_q;
endmodule
"""
        ports = energy.ports_of(block, "acclmt_mod_add")
        self.assertEqual(ports["a_i"], ("input", 256))
        self.assertEqual(ports["clk_i"], ("input", 1))
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            bench = energy.testbench("acclmt_mod_add", ports, stimulus, 1000, "a.vcd")
            energy.write_rows(folder, ports, stimulus, energy.Large(), random.Random(1), held=held)
            rows = (folder / "inputs.hex").read_text().split()
            self.assertEqual(len(set(rows)), 1 if held else len(rows))
            (folder / "a.v").write_text(bench + block)
            energy.run(["iverilog", "-g2005-sv", "-o", "a", "a.v"], folder, "iverilog")
            output = energy.run(["vvp", "-n", "a"], folder, "vvp")
            self.assertIn("$enddefinitions", (folder / "a.vcd").read_text())
            return int(output.split("wrong ")[1].split()[0])

    def test_right_results_are_none_wrong(self):
        self.assertEqual(self.wrong_results(), 0)
        self.assertEqual(self.wrong_results(held=True), 0)

    def test_one_slice_has_an_element(self):
        mode, numbers = energy.OneSlice(), random.Random(1)
        for stimulus in energy.STIMULI.values():
            given, result = stimulus.make(mode, numbers)
            for name, value in given.items():
                self.assertTrue(0 < value < 2 ** (energy.SLICE_BITS * (3 if name == "value_i" else 1)), name)
            self.assertLess(result, 2**128)

    def test_wrong_results_are_counted(self):
        self.assertEqual(self.wrong_results("+ 1"), energy.BEFORE + energy.CYCLES - 1)


REPORT = """
vcd                 15044
unannotated             0
Group                  Internal  Switching    Leakage      Total
                          Power      Power      Power      Power (Watts)
----------------------------------------------------------------
Sequential           4.1e-04 1.2e-04 1.0e-07 5.3e-04  13.0%
Combinational        1.5e-03 1.9e-03 5.0e-07 3.4e-03  80.0%
Clock                2.0e-04 1.0e-04 1.0e-08 3.0e-04   7.0%
Macro                0.0e+00 0.0e+00 0.0e+00 0.0e+00   0.0%
Pad                  0.0e+00 0.0e+00 0.0e+00 0.0e+00   0.0%
----------------------------------------------------------------
Total                2.1e-03 2.1e-03 6.1e-07 4.2e-03 100.0%
"""


class Report(unittest.TestCase):
    def test_power_of_groups(self):
        groups, share = energy.read_power(REPORT)
        self.assertEqual(groups["total"], [2.1e-3, 2.1e-3, 6.1e-7, 4.2e-3])
        self.assertEqual(groups["clock"][3], 3.0e-4)
        self.assertEqual(share, 1)
        _, share = energy.read_power(REPORT.replace("unannotated             0", "unannotated 15044"))
        self.assertEqual(share, 0.5)
        with self.assertRaisesRegex(energy.EnergyError, "has no total"):
            energy.read_power("Error")


class Page(unittest.TestCase):
    def test_tables_have_the_figures(self):
        block = {
            "block": "acclmt_mul", "field": "large", "operands": "new", "period_ps": 1312, "picojoules": 60.5,
            "parts": {"sequential": 5.0, "combinational": 50.25, "clock": 5.25},
            "leakage_picojoules": 0.125,
        }  # fmt: skip
        values = {part: [1.0, 2.0, 3.0] for part in (*hashes.PARTS, "all")}
        total = {
            "instances_of_measured_blocks": {"acclmt_mul": 29}, "commit_of_areas": "abc",
            "hashes": {"arity 2": {
                "cycles": 13.0, "nanojoules": values, "steps": dict(zip(hashes.STEPS, (4.0, 3.0, 2.0))),
            }},
            "rest_picojoules": {"clocked": 700.4, "memories": 300.0, "stopped": 0.25},
        }  # fmt: skip
        text = energy.page(
            f"before\n{energy.BEGIN}\nold\n{energy.END}\nbehind\n",
            {"asap7": {"blocks": [block], "sum": total}, "sg13g2": {"blocks": []}},
        )
        self.assertIn("| asap7 | `acclmt_mul` | large | new | 1312 | 60.50 | 5.00 | 50.25 | 5.25 | 0.12 |", text)
        self.assertIn("| arity 2 | 13.00 | 2.0 | 2.0 | 2.0 | 2.0 | 2.0 | 1 to 3 |", text)
        self.assertIn("| arity 2 | 4.0 | 3.0 | 2.0 | 50.0 % |", text)
        self.assertIn("700 pJ a cycle in registers and their clock, at most 300 in memories; with its clock stopped 0.2.", text)
        self.assertNotIn("old", text)
        self.assertTrue(text.startswith("before") and text.endswith("behind\n"))
        with self.assertRaisesRegex(energy.EnergyError, "markers"):
            energy.page("nothing", {})


class Joined(unittest.TestCase):
    def test_what_was_not_run_again_stays(self):
        def run(commit, *blocks):
            keys = ("block", "field", "operands", "picojoules")
            entries = [dict(zip(keys, block)) for block in blocks]
            return {"commit": commit, "blocks": entries}

        old = run("a", ("sqr", "large", "new", 1.0), ("mul", "large", "new", 2.0), ("mul", "large", "held", 2.5))
        new = run("b", ("mul", "large", "new", 3.0), ("mul", "goldilocks", "new", 4.0))
        # No sum: there is no model of memories.
        data = energy.joined(old, new, "sg13g2")
        found = [(entry["block"], entry["field"], entry["picojoules"]) for entry in data["blocks"]]
        expected = [("mul", "goldilocks", 4.0), ("mul", "large", 2.5), ("mul", "large", 3.0), ("sqr", "large", 1.0)]
        self.assertEqual(found, expected)
        self.assertEqual(data["commit"], "b")
        self.assertIs(energy.joined(None, new, "sg13g2"), new)


class Again(unittest.TestCase):
    def test_hashes_are_summed_up_anew(self):
        results = json.loads(energy.RESULTS.read_text())
        stale = results["asap7"] | {"sum": "old"}
        self.assertTrue(stale["blocks"])
        found = energy.summed_again({"asap7": stale, "sg13g2": {"blocks": []}})
        self.assertEqual(found["asap7"]["sum"], hashes.summed("asap7", stale["blocks"]))
        self.assertEqual(found["asap7"]["blocks"], stale["blocks"])
        # Libraries without a model of memories have no sum.
        self.assertEqual(found["sg13g2"], {"blocks": []})
        with self.assertRaisesRegex(energy.EnergyError, "no block to sum up"):
            energy.summed_again({"sg13g2": {"blocks": []}})

    def test_options_of_measurements_do_not_go_with_it(self):
        for option in ("--publish", "--block=acclmt_mul", "--field=large", "--operands=held", "--json=x"):
            done = subprocess.run(
                [sys.executable, Path(energy.__file__), "--sum-only", option], capture_output=True, text=True, check=False
            )
            self.assertEqual(done.returncode, 2, done)
            self.assertIn("measures nothing", done.stderr)


class Hash(unittest.TestCase):
    """The sum on an engine of two blocks, a register file and a memory."""

    RESULTS = {
        "modules": {
            "acclmt_hash_engine": {
                "units": {"acclmt_mul": 2, "glue": 1}, "memories": {"ram": 3}, "flip_flops": 30,
                "own_area_um2": 0.0,
            },
            "acclmt_mul": {"units": {}, "memories": {}, "flip_flops": 10, "own_area_um2": 12.0},
            "glue": {"units": {}, "memories": {}, "flip_flops": 10, "own_area_um2": 4.0},
        },
        "memories": {"ram": {"width": 8, "depth": 10}},
    }  # fmt: skip
    MODEL = {
        "block_bounds": [0.5, 1, 2], "memory_bounds": [1, 1, 1], "bit_line_ff_per_word": 1.0,
        "voltage": 1.0, "output_register_pj": 0.01,
    }  # fmt: skip

    RUNS = {
        "new": {"picojoules": 7.0, "parts": {"sequential": 1.0, "clock": 1.0, "combinational": 5.0}},
        "held": {
            "picojoules": 2.0, "parts": {"sequential": 0.5, "clock": 1.0, "combinational": 0.0}, "leakage_picojoules": 0.6,
        },
        "one slice": {"picojoules": 3.0},
    }  # fmt: skip
    HASH = {"field": "large", "width": 5, "busy_full": 0.5, "busy_partial": 0.75}

    def test_operands_are_held_still_where_nobody_reads_them(self):
        runs = {operands: entry["picojoules"] for operands, entry in self.RUNS.items()}
        engine, partial = "acclmt_hash_engine", "acclmt_partial_round_engine"
        sbox = (engine, partial, "acclmt_sbox")

        def energies(path, **changes):
            return [hashes.block_energy(path, runs, self.HASH | changes, step) for step in range(len(hashes.STEPS))]

        # Outside of sub-engines nothing is.
        self.assertEqual(energies((engine, "acclmt_reduce_constant")), [7.0, 7.0, 7.0])
        # Half of the slots have no state.
        self.assertEqual(energies((engine, "acclmt_full_round_engine", "acclmt_mul")), [7.0, 7.0, 4.5])
        self.assertEqual(energies((engine, partial, "acclmt_pair_product", "acclmt_mul")), [7.0, 7.0, 5.75])
        # One of the two beats of a state passes the S-box, and one of its sums the reduction.
        self.assertEqual(energies((*sbox, "acclmt_mul")), [7.0, 4.5, 3.875])
        self.assertEqual(energies((engine, partial, "acclmt_reduce_constant")), [7.0, 4.5, 3.875])
        self.assertEqual(energies((*sbox, "acclmt_sqr"), width=3), [7.0, 7.0, 5.75])
        # Goldilocks: of the only beat one slice, or two of the multiplier.
        self.assertEqual(energies((*sbox, "acclmt_sqr"), field="goldilocks", width=12), [7.0, 3.0, 2.75])
        self.assertEqual(energies((*sbox, "acclmt_mul"), field="goldilocks", width=12), [7.0, 4.0, 3.5])

    def test_blocks_need_all_their_runs(self):
        def entry(block, field, operands):
            return {"block": block, "field": field, "operands": operands}

        large = [entry("a", "large", "new"), entry("a", "large", "held"), entry("b", "large", "new")]
        slices = [entry("a", "goldilocks", "new"), entry("a", "goldilocks", "one slice")]
        self.assertEqual(list(hashes.runs_of(large, "large")), ["a"])
        self.assertEqual(hashes.runs_of(large, "goldilocks"), {})
        runs = hashes.runs_of(large + slices, "goldilocks")
        self.assertEqual({name: entry["field"] for name, entry in runs["a"].items()},
                         {"held": "large", "new": "goldilocks", "one slice": "goldilocks"})  # fmt: skip

    def test_parts_add_up(self):
        parts, counts = hashes.per_cycle({"acclmt_mul": self.RUNS}, self.RESULTS, self.MODEL, 0.2, self.HASH)
        self.assertEqual(hashes.instances(self.RESULTS["modules"], "acclmt_hash_engine")["glue"], 1)
        self.assertEqual(counts, {"acclmt_mul": 2})
        self.assertEqual(parts["blocks"], [7.0, 14.0, 28.0])
        # 0.2 pJ a flip-flop, and 0.5 pJ an um^2 of gates: 10 um^2 of the block, 2 um^2 of the glue.
        self.assertAlmostEqual(parts["registers"][1], 2.0)
        self.assertAlmostEqual(parts["gates"][1], 1.0)
        # Two bit lines of 10 fF at 1 V for each bit, read and written, and its register.
        self.assertAlmostEqual(parts["memories"][1], 3 * 8 * (2 * 0.02 + 0.01))
        whole = hashes.hash_energy(parts, 100)
        self.assertAlmostEqual(whole["all"][1], 0.1 * (14 + 2 + 1 + 1.2))

    def test_an_engine_rests(self):
        rest = hashes.at_rest({"acclmt_mul": self.RUNS}, self.RESULTS, self.MODEL, 0.2)
        # Two blocks, and ten registers of 0.15 pJ beside them; the engine itself has none of its own.
        self.assertAlmostEqual(rest["clocked"], 2 * 2.0 + 10 * 0.15)
        self.assertAlmostEqual(rest["memories"], 3 * 8 * (2 * 0.02 + 0.01))
        # 0.05 pJ an um^2, of which there are 28.
        self.assertAlmostEqual(rest["stopped"], 28 * 0.05)

    def test_what_is_missing_is_named(self):
        with self.assertRaisesRegex(hashes.HashError, "no block of the engine has a measured energy"):
            hashes.per_cycle({}, self.RESULTS, self.MODEL, 0.2, self.HASH)
        with self.assertRaisesRegex(hashes.HashError, "have no module acclmt_hash_engine"):
            hashes.instances({}, "acclmt_hash_engine")


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0
"""Tests of the area flow: its parts, and whole runs on small modules."""

import json
import os
import random
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace

import area
import area_page
from flow import design, library, memory, polarity, results, runner, sizing, synthesis, timing, tools
from flow.errors import FlowError

SCRIPT = Path(__file__).resolve().parent / "area.py"

SOURCE = """
module acclmt_mem_1r1w #(parameter Width = 8, parameter Depth = 4) (
  input logic clk_i, input logic [Width-1:0] write_data_i, output logic [Width-1:0] read_data_o);
  logic [Width-1:0] q; always_ff @(posedge clk_i) q <= write_data_i; assign read_data_o = q;
endmodule
module leaf #(parameter Width = 8) (
  input logic clk_i, input logic [Width-1:0] a_i, output logic [Width-1:0] b_o);
  logic [Width-1:0] q;
  always_ff @(posedge clk_i) q <= a_i + 1'b1;
  assign b_o = q;
endmodule
module top (input logic clk_i, input logic [15:0] a_i, output logic [15:0] b_o);
  logic [15:0] c;
  leaf #(.Width(16)) u_first (.clk_i, .a_i, .b_o(c));
  logic [15:0] d;
  leaf #(.Width(16)) u_second (.clk_i, .a_i(c), .b_o(d));
  acclmt_mem_1r1w #(.Width(16), .Depth(40)) u_memory (.clk_i, .write_data_i(d), .read_data_o(b_o));
endmodule
"""
OTHER_LINES = "// A comment that moves every line.\n\n" + SOURCE
ARRAY = """
module top (input logic clk_i, input logic [3:0] w_i, r_i, input logic [7:0] a_i, output logic [7:0] b_o);
  logic [7:0] words[16];
  always_ff @(posedge clk_i) begin
    words[w_i] <= a_i;
    b_o <= words[r_i];
  end
endmodule
"""


def elaborate(text):
    """The design of a text."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "source.sv"
        source.write_text(text)
        return design.elaborate([source], "top", {}, Path(folder) / "work")


class Units(unittest.TestCase):
    def test_design_is_cut_into_units_and_memories(self):
        found = elaborate(SOURCE)
        self.assertEqual([u.name for u in found.order()], ["leaf__Width16", "top"])
        self.assertEqual(found.units["top"].units, {"leaf__Width16": 2})
        self.assertEqual(found.units["top"].memories, {"acclmt_mem_1r1w__Width16_Depth40": 1})
        self.assertEqual(found.memories, {"acclmt_mem_1r1w__Width16_Depth40": (16, 40)})

    def test_digest_is_that_of_the_hardware(self):
        first, moved = elaborate(SOURCE), elaborate(OTHER_LINES)
        changed = elaborate(SOURCE.replace("a_i + 1'b1", "a_i + 2'd3"))
        for name in first.units:
            self.assertEqual(first.units[name].digest, moved.units[name].digest)
        self.assertNotEqual(
            first.units["leaf__Width16"].digest, changed.units["leaf__Width16"].digest
        )
        self.assertEqual(first.units["top"].digest, changed.units["top"].digest)


class Run(unittest.TestCase):
    def setUp(self):
        self.library = library.load("generic")
        self.model = memory.MemoryModel(self.library)

    def run_design(self, found, folder):
        lines = []
        run = runner.Runner(self.library, self.model, folder, {}, 1, lines.append)
        run.run([found])
        return run, lines

    def test_areas_add_up_and_results_are_kept(self):
        with tempfile.TemporaryDirectory() as folder:
            found = elaborate(SOURCE)
            run, lines = self.run_design(found, Path(folder))
            self.assertEqual(len(lines), 2)
            total = results.totals(found, run.results, self.model)["top"]
            leaf = run.results["leaf__Width16"]
            self.assertEqual(leaf.flip_flops, 16)
            self.assertEqual(total.flip_flops, 32)
            self.assertEqual(total.memory_bits, 640)
            self.assertAlmostEqual(total.memory_ge, 640 * 0.653)
            self.assertAlmostEqual(total.ge, 2 * leaf.ge + 640 * 0.653 + run.results["top"].ge)
            _, again = self.run_design(found, Path(folder))
            self.assertTrue(all("(kept)" in line for line in again), again)

    def test_memory_that_is_no_macro_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(FlowError, "synthesis of top failed"):
                self.run_design(elaborate(ARRAY), Path(folder))


class Netlist(unittest.TestCase):
    def test_wires_have_no_sign(self):
        with tempfile.TemporaryDirectory() as folder:
            netlist = Path(folder) / "netlist.v"
            netlist.write_text("  wire signed [1:0] \\f.$result ;\n  wire signed_i;\n")
            synthesis.drop_signs(netlist)
            self.assertEqual(
                netlist.read_text(), "  wire [1:0] \\f.$result ;\n  wire signed_i;\n"
            )


SQUARE = """
module top (input logic [6:0] a_i, b_i, output logic [13:0] square_o, product_o);
  assign square_o = a_i * a_i;
  assign product_o = a_i * b_i;
endmodule
"""


class Square(unittest.TestCase):
    def test_square_is_a_sum_and_a_product_is_none(self):
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "square.sv"
            source.write_text(SQUARE)
            tools.run_yosys(
                [
                    f"read_verilog -sv {source}",
                    "hierarchy -top top",
                    "copy top gold",
                    "select -module top",
                    f"techmap -map {synthesis.SQUARE}",
                    "select -clear",
                    # The product is left as it is; only it.
                    "select -assert-count 1 top/t:$mul",
                    "miter -equiv -flatten gold top miter",
                    "sat -verify -prove trigger 0 miter",
                ],
                "square",
            )


class Polarity(unittest.TestCase):
    def test_chain_takes_turns(self):
        adders = {str(i): ([i], [i + 1]) for i in range(10)}
        inverted = polarity.choose(adders)
        for i in range(9):
            self.assertNotEqual(str(i) in inverted, str(i + 1) in inverted)

    def test_netlist_keeps_its_function(self):
        # The map's two kinds against the sum of three bits, with a cell whose outputs are inverted.
        full_adder = {"cell": "FA", "inputs": ["A", "B", "CI"], "carry": "CON", "sum": "SN"}
        full_adder["inverted"] = True
        polarity_map = synthesis.full_adder_map(full_adder)
        cell = (
            "module FA (input A, B, CI, output CON, SN);"
            " assign {CON, SN} = ~({1'b0, A} + B + CI); endmodule\n"
        )
        gold = "module gold (input A, B, C, output X, Y); assign {X, Y} = {1'b0, A} + B + C; endmodule\n"
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "adders.v"
            source.write_text(cell + gold + polarity_map)
            for gate in (polarity.DIRECT, polarity.INVERTED):
                tools.run_yosys(
                    [
                        f"read_verilog {source}",
                        "proc",
                        "flatten",
                        f"miter -equiv -flatten gold {gate} miter",
                        "sat -verify -prove trigger 0 miter",
                    ],
                    gate,
                )


class Split(unittest.TestCase):
    # The carry of `first` is 0, whence that of `second` a gate, and that of `third`, whose two inputs are one bit,
    # another input of `fourth`. Behind a register `fifth` has a constant as well. `sixth` stays.
    SOURCE = r"""
module top (input clk, input [5:0] a, output [6:0] y);
  wire [5:0] x;
  reg q;
  always @(posedge clk) q <= x[0];
  \$fa #(.WIDTH(1)) first (.A(a[0]), .B(1'b0), .C(1'b0), .X(x[0]), .Y(y[0]));
  \$fa #(.WIDTH(1)) second (.A(a[1]), .B(x[0]), .C(a[2]), .X(x[1]), .Y(y[1]));
  \$fa #(.WIDTH(1)) third (.A(a[3]), .B(a[3]), .C(x[1]), .X(x[2]), .Y(y[2]));
  \$fa #(.WIDTH(1)) fourth (.A(a[3]), .B(x[2]), .C(a[4]), .X(x[3]), .Y(y[3]));
  \$fa #(.WIDTH(1)) fifth (.A(q), .B(a[4]), .C(a[5]), .X(x[4]), .Y(y[4]));
  \$fa #(.WIDTH(1)) sixth (.A(x[4]), .B(a[5]), .C(x[3]), .X(y[6]), .Y(y[5]));
endmodule
"""

    def test_no_constant_is_left(self):
        plain = f"module {polarity.PLAIN} (input A, B, C, output X, Y); assign {{X, Y}} = A + B + C; endmodule\n"
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for file, text in (
                ("top.v", self.SOURCE),
                ("bits.v", synthesis.FULL_ADDER_BITS),
                ("split.v", synthesis.FULL_ADDER_SPLIT),
                ("box.v", synthesis.FULL_ADDER_BOX),
                ("plain.v", plain),
            ):
                (folder / file).write_text(text)
            tools.run_yosys(
                [
                    f"read_verilog -icells {folder}/top.v",
                    "proc",
                    "copy top gold",
                    "select top",
                    f"read_verilog {folder}/box.v",
                    f"techmap -map {folder}/bits.v",
                    "select top",
                    f'!split ["{folder}/split.v", "{folder}/adders.txt"]',
                    f"select -assert-count 1 top/t:{polarity.PLAIN}",
                    "select -clear",
                    f"delete {polarity.PLAIN}",
                    f"read_verilog {folder}/plain.v",
                    "proc",
                    "flatten top",
                    "miter -equiv -flatten gold top miter",
                    # The register is what it is going to be after a cycle.
                    "sat -seq 1 -tempinduct -verify -prove trigger 0 -set-def-inputs miter",
                ],
                "split",
            )
            names = (folder / "adders.txt").read_text().splitlines()
            self.assertRegex("\n".join(names), r"\Atop/sixth\.[^\n]*\Z")


class Sizing(unittest.TestCase):
    CELLS = {
        f"INVx{n}": library.Cell(0.1 * n, False, {"A": 0.5 * n, "Y": None}) for n in (1, 2, 4, 8)
    }
    PATTERN = r"(?P<family>[A-Z]+)x(?P<drive>\d+)"

    def test_heavy_wire_has_a_larger_cell(self):
        family = sizing.families(self.CELLS, self.PATTERN, [])
        instances = {"driver": ("INVx1", {"A": [1], "Y": [2]})}
        instances |= {f"sink{i}": ("INVx1", {"A": [2], "Y": [10 + i]}) for i in range(20)}
        changed = sizing.resize(instances, self.CELLS, family, 2.0, {}, 1.0)
        # 20 * 0.5 over 2.0 a unit: drive 5 or more.
        self.assertEqual(changed, {"driver": "INVx8"})
        without = sizing.families(self.CELLS, self.PATTERN, ["*x8"])
        self.assertEqual(
            sizing.resize(instances, self.CELLS, without, 2.0, {}, 1.0), {"driver": "INVx4"}
        )


class Timing(unittest.TestCase):
    def test_registers_are_named(self):
        self.assertEqual(timing.register_name("u_a.sum_q[3]$_DFF_P_/QN"), "u_a.sum_q")
        self.assertEqual(timing.register_name("u_memory/read_data_o[7]"), "u_memory")
        self.assertEqual(timing.register_name("u_a/u_b/join/ready_o[7]"), "u_a/u_b")
        self.assertEqual(timing.register_name("u_a/registers/clk_i"), "u_a")

    LIBRARY = SimpleNamespace(time_unit_ns=1.0, capacitance_unit="ff", load=1.0, clock_ns=1.0)
    PORTS = [("clk_i", "input", 1), ("a_i", "input", 4), ("q_o", "output", 4), ("y_o", "output", 1)]

    def test_model_has_a_cell_a_unit(self):
        times = timing.Timing(setup={"a_i": 0.3}, delay={"q_o": [0.1, 0.2], "y_o": [0.4, 0.6]})
        text = timing.model("unit", self.PORTS, times, self.LIBRARY)
        self.assertEqual(re.findall(r"cell \((\w+)\)", text), ["unit"])
        self.assertIn("setup_rising", text)
        self.assertIsNone(timing.module("unit", self.PORTS, times))

    def test_model_for_hold_has_the_shortest_times(self):
        times = timing.Timing(
            setup={"a_i": 0.3},
            hold={"a_i": -0.02},
            delay={"q_o": [0.1, 0.2]},
            early_delay={"q_o": 0.07},
            through={"y_o": {"a_i": 0.5}},
            early_through={"y_o": {"a_i": 0.04}},
        )
        late = timing.model("unit", self.PORTS, times, self.LIBRARY)
        early = timing.model("unit", self.PORTS, timing.early(times), self.LIBRARY, "_early")
        self.assertRegex(early, r'hold_rising; rise_constraint \(scalar\) \{ values \("-0.02000"\)')
        for text, q, y in ((late, "0.10000, 0.20000", "0.50000, 0.50000"), (early, "0.07000, 0.07000", "0.04000, 0.04000")):
            self.assertIn(f'cell_rise (load) {{ values ("{q}"); }}', text)
            self.assertIn(f'cell_rise (load) {{ values ("{y}"); }}', text)
        self.assertEqual(re.findall(r"cell \((\w+)\)", late), re.findall(r"cell \((\w+)\)", early))

    def test_times_of_ports_are_parsed(self):
        def report(kind, arrival, slack):
            return f"section {kind}\n  {arrival}   data arrival time\n\n   {slack}   slack (MET)\n"

        text = "".join(
            report(*values)
            for values in (
                ("hold_slack", 0.05, 0.03),
                ("setup a_i", 0.2, 0.7),
                ("hold a_i", 0.04, 0.02),
                ("through a_i y_o", 0.5, 0.5),
                ("early_through a_i y_o", 0.04, 0.04),
                ("delay q_o", 0.1, 0.9),
                ("early_delay q_o", 0.07, 0.07),
                ("delay q_o", 0.2, 0.8),
            )
        )
        times = timing.parse(text, self.LIBRARY)
        self.assertEqual(times.hold_slack_ns, 0.03)
        self.assertEqual(times.delay, {"q_o": [0.1, 0.2]})
        unit = SimpleNamespace(ports=self.PORTS)
        ports = results.port_entries(unit, times)
        self.assertEqual((ports["a_i"]["setup_ns"], ports["a_i"]["hold_ns"]), (0.3, -0.02))
        self.assertEqual((ports["q_o"]["delay_ns"], ports["q_o"]["early_delay_ns"]), (0.1, 0.07))
        self.assertEqual(ports["y_o"]["through_ns"], {"a_i": 0.5})

    def test_path_without_a_register_has_a_cell_of_its_own(self):
        # One cell with a clocked output, a setup time and a path between the two would be a latch.
        times = timing.Timing(
            setup={"a_i": 0.3}, delay={"q_o": [0.1, 0.2], "y_o": [0.4, 0.6]}, through={"y_o": {"a_i": 0.5}}
        )
        text = timing.model("unit", self.PORTS, times, self.LIBRARY)
        registers, join = text.split("cell (unit__join)")
        self.assertIn("cell (unit__registers)", registers)
        self.assertIn("setup_rising", registers)
        self.assertNotIn("combinational", registers)
        self.assertNotIn("_rising", join.replace("rising_edge", "_rising"))
        self.assertIn('related_pin : "a_i"', join)
        # What the load adds is in the join: 0 and 0.2.
        self.assertRegex(join, r'y_o__from_registers"; timing_type : combinational.*"0.00000, 0.20000"')
        module = timing.module("unit", self.PORTS, times)
        self.assertIn("unit__registers registers (.clk_i(clk_i), .a_i(a_i), .q_o(q_o),", module)
        self.assertIn("unit__join join (.a_i(a_i), .y_o(y_o), .y_o__from_registers", module)


class Libraries(unittest.TestCase):
    def test_missing_files_are_named(self):
        with self.assertRaisesRegex(FlowError, "LIB=none is no library; the libraries are: asap7"):
            library.load("none")
        with self.assertRaisesRegex(FlowError, "ASAP7_DIR is not set"):
            library.load("asap7", {})
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(FlowError, "sg13g2_stdcell_typ_1p20V_25C.lib does not exist"):
                library.load("sg13g2", {"SG13G2_DIR": folder})

    def test_memories_have_the_macro_of_their_depth(self):
        generic = library.load("generic")
        self.assertEqual([generic.macro(d).depth for d in (4, 64, 65, 256, 4096)], [64, 64, 128, 256, 256])


class Program(unittest.TestCase):
    def run_program(self, *arguments):
        environment = {k: v for k, v in os.environ.items() if not k.endswith("_DIR")}
        done = subprocess.run(
            [sys.executable, SCRIPT, *arguments], capture_output=True, text=True, check=False, env=environment
        )
        return done.returncode, done.stdout + done.stderr

    def test_module_is_measured(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "result.json"
            code, output = self.run_program("--top", "acclmt_mod_add", "--json", str(file))
            self.assertEqual(code, 0, output)
            data = json.loads(file.read_text())
            entry = data["modules"]["acclmt_mod_add"]
            self.assertEqual(entry["flip_flops"], 256)
            self.assertGreater(entry["ge"], 1000)
            self.assertIsNone(entry["area_um2"])
            self.assertEqual(data["library"], "generic")

    def test_mistakes_are_named(self):
        for arguments, message in [
            (["--top", "absent"], "TOP=absent is no module of rtl/acclmt.f"),
            (["--library", "absent"], "LIB=absent is no library"),
            (["--library", "asap7"], "ASAP7_DIR is not set"),
            (["--jobs", "0"], "--jobs 0"),
        ]:
            with self.subTest(message):
                code, output = self.run_program(*arguments)
                self.assertNotEqual(code, 0)
                self.assertIn(message, output)
                self.assertNotIn("Traceback", output)


class Results(unittest.TestCase):
    def test_default_engine_is_that_of_the_rtl(self):
        text = (area.ROOT / "rtl" / "engine" / f"{area.ENGINE}.sv").read_text()
        default = tuple(int(re.search(rf" {name} = (\d+),", text)[1]) for name in ("NumFull", "NumPartial"))
        cycles = json.loads(area.CYCLES.read_text())
        self.assertEqual(area.DEFAULT_ENGINE, default)
        self.assertEqual((cycles["num_full"], cycles["num_partial"]), default)

    def test_hashes_per_area(self):
        cycles = {"arities": {"2": {"cycles": 10.0, "paper_cycles": 30.0}}}
        self.assertEqual(results.hashes_per_area(200.0, 400.0, cycles), {"arity_2": 6.0})

    def test_page_needs_its_markers(self):
        with self.assertRaisesRegex(ValueError, "markers"):
            area_page.page("no marker", [])
        text = area_page.page(f"a {area_page.BEGIN} old {area_page.END} b", [])
        self.assertNotIn("old", text)

    def test_pages_are_those_of_the_results(self):
        """Pages that are handed in are what the results give."""
        found = [
            json.loads((area_page.RESULTS / f"{name}.json").read_text()) for name in area_page.LIBRARIES
        ]
        text = area_page.PAGE.read_text()
        self.assertEqual(area_page.page(text, found), text)
        summary_of_pages = (area_page.PAGE.parent / "SUMMARY.md").read_text()
        for data in found:
            name = f"area/{data['library']}.md"
            self.assertIn(f"({name})", summary_of_pages)
            self.assertIn(f"({name})", text)
            page = (area_page.PAGE.parent / name).read_text()
            self.assertEqual("\n".join(area_page.library_page(data)), page)
            self.assertIn("`acclmt_core`", page)


class Commit(unittest.TestCase):
    """The commit that results name."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def git(self, *arguments):
        identity = ["-c", "user.name=test", "-c", "user.email=test@localhost"]
        subprocess.run(["git", "-C", self.root, *identity, *arguments], check=True, capture_output=True)

    def write(self, name, text):
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def test_results_and_pages_are_no_sources(self):
        self.assertIsNone(area.commit(self.root))
        files = ["rtl/mul.sv", "synth/area.py", "synth/results/asap7.json", "docs/area.md"]
        for name in files:
            self.write(name, "as committed")
        self.git("init", "-q")
        self.assertIsNone(area.commit(self.root))
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "all")
        clean = area.commit(self.root)
        self.assertRegex(clean, "^[0-9a-f]{12}$")
        for name, expected in zip(files, [f"{clean}-dirty"] * 2 + [clean] * 2):
            self.write(name, "changed")
            self.assertEqual(area.commit(self.root), expected, name)
            self.write(name, "as committed")


if __name__ == "__main__":
    unittest.main()

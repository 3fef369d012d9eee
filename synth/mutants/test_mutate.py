#!/usr/bin/env python3
# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0
"""Tests of mutate.py, with small designs."""

import contextlib
import io
import re
import tempfile
import unittest
from pathlib import Path

import mutate
from flow.errors import FlowError
from flow.runner import keep

# `y` does not depend on `b`, and `z` on its own register and on the instance.
DESIGN = """\
module below #(parameter int Width = 1) (input logic [Width-1:0] a_i, output logic [Width-1:0] y_o);
  assign y_o = a_i + 1'b1;
endmodule
module above (
  input logic clk_i, input logic rst_ni, input logic a_i, input logic b_i, input logic [2:0] c_i, output logic y_o, output logic [2:0] z_o
);
  logic [2:0] sum, sum_q;
  assign y_o = a_i || (a_i && b_i);
  below #(.Width(3)) u_below (.a_i(c_i), .y_o(sum));
  always_ff @(posedge clk_i, negedge rst_ni) begin
    if (!rst_ni) sum_q <= '0;
    else sum_q <= sum & {3{a_i}};
  end
  assign z_o = sum_q;
endmodule
"""


class Mutate(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        source = self.folder / "design.sv"
        source.write_text(DESIGN)
        self.file = str(source)
        self.modules = mutate.read_design("above", [], self.folder, [source])

    def cell(self, kind):
        """The name of the cell of a kind in `above`."""
        text = (self.folder / "above_v1.il").read_text()
        return re.search(rf"^  cell {re.escape(kind)} (\S+)$", text, re.MULTILINE)[1]

    def test_modules_are_named_by_their_files(self):
        self.assertEqual(list(self.modules), [self.file])
        self.assertEqual(sorted(self.modules[self.file]), ["above_v1", "below_v1"])

    def test_samples_are_of_every_file_and_repeat(self):
        found = mutate.sample(self.modules, 4, 3, self.folder)
        self.assertEqual({file for file, _ in found}, {self.file})
        self.assertEqual(len(found), 4)
        self.assertEqual(found, mutate.sample(self.modules, 4, 3, self.folder))
        self.assertNotEqual(found, mutate.sample(self.modules, 4, 4, self.folder))

    def test_no_clock_and_no_reset_is_mutated(self):
        found = mutate.sample(self.modules, 500, 1, self.folder)
        ports = {mutate.option(command, "port") for _, command in found}
        self.assertLessEqual({"D", "Q", "A", "Y"}, ports)
        self.assertTrue(ports.isdisjoint(mutate.CLOCKS_AND_RESETS), ports)

    def test_mutants_that_change_nothing_are_known(self):
        conjunction = f"mutate -module above_v1 -cell {self.cell('$logic_and')} -portbit 0"
        register = f"mutate -module above_v1 -cell {self.cell('$adff')} -portbit 1"
        answers = mutate.compare(
            "above_v1",
            [
                # a || a && x is a; that of an inverted a is not.
                f"{conjunction} -mode inv -port B",
                f"{conjunction} -mode inv -port A",
                # What is stored counts.
                f"{register} -mode inv -port D",
                # A part of a register gets another name, which cannot be compared.
                f"{register} -mode inv -port Q",
            ],
            self.folder,
        )
        self.assertEqual(answers, [True, False, False, None])

    def test_what_an_instance_is_told_counts(self):
        text = (self.folder / "above_v1.il").read_text()
        instance = re.search(r"^  cell \\below_v1 (\S+)$", text, re.MULTILINE)[1]
        command = f"mutate -module above_v1 -cell {instance} -port a_i -portbit 2 -mode const1"
        self.assertEqual(mutate.compare("above_v1", [command], self.folder), [False])

    def test_mutants_that_live_are_compared(self):
        conjunction = f"mutate -module above_v1 -cell {self.cell('$logic_and')} -portbit 0"
        mutants = [
            {"number": number, "mutation": f"{conjunction} {what}", "compared": "unknown"}
            for number, what in enumerate(["-mode inv -port B", "-mode inv -port A", "-mode inv -port A"], start=1)
        ]
        keep(self.folder / "mutants.json", {"top": "above", "mutants": mutants})
        with self.assertRaisesRegex(FlowError, "report.json cannot be read"):
            mutate.compare_living(self.folder, 1)
        (self.folder / "report.json").write_text('{"living": [{"number": 1}, {"number": 3}]}')
        with contextlib.redirect_stderr(io.StringIO()) as said:
            mutate.compare_living(self.folder, 1)
        self.assertIn("1 of 2 mutants that live are equal", said.getvalue())
        found = mutate.read_json(self.folder / "mutants.json")
        self.assertEqual(found["top"], "above")
        self.assertEqual(
            [mutant["compared"] for mutant in found["mutants"]], ["equal", "unknown", "different"]
        )

    def test_the_top_of_the_netlist_is_told_the_number(self):
        mutants = [
            {"number": number, "mutation": mutation}
            for number, (_, mutation) in enumerate(mutate.sample(self.modules, 6, 1, self.folder), start=1)
        ]
        text = mutate.write_netlist(mutants, self.folder)
        top = text[text.index("module above_v1(") :]
        self.assertIn(f"  input [15:0] {mutate.NUMBER};", top[: top.index("endmodule")])
        self.assertIn(f".{mutate.NUMBER}({mutate.NUMBER})", top)
        for number in range(1, 7):
            self.assertIn(f"16'h{number:04x}", text)

    def test_the_wrapper_has_the_ports_of_the_design(self):
        text = mutate.wrapper("acclmt_core")
        self.assertIn("module acclmt_core #(", text)
        self.assertIn("acclmt_core_v1 u_netlist (.*);", text)
        self.assertIn("acclmt_mutant_pkg::acclmt_mutant()", text)

    def test_bad_arguments_are_refused(self):
        for arguments in (["--per-file", "0"], ["--jobs", "0"], ["--parameter", "x"]):
            with (
                self.subTest(arguments=arguments),
                contextlib.redirect_stderr(io.StringIO()),
                self.assertRaises(SystemExit),
            ):
                mutate.parse(["--folder", "x", *arguments])

    def test_what_yosys_refuses_is_told(self):
        with self.assertRaisesRegex(FlowError, "elaboration of absent failed"):
            mutate.read_design("absent", [], self.folder, [Path(self.file)])


if __name__ == "__main__":
    unittest.main()

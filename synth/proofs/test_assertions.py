#!/usr/bin/env python3
# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0
"""Tests of assertions.py: each form that the RTL uses, and what is not understood."""

import unittest

import control
from assertions import NotUnderstood, Translator


def lines(text, assumed=()):
    return [line.strip() for line in Translator(assumed).translate(text).splitlines() if line.strip()]


class Translate(unittest.TestCase):
    def test_an_implication_becomes_a_state(self):
        found = lines(
            'x_a : assert property (@(posedge clk_i) disable iff (!rst_ni)\n    a && (b || c) |-> d)\nelse $error("x: (%0d", e);\n'
        )
        self.assertEqual(
            found, ["x_a : assert property (@(posedge clk_i) disable iff (!rst_ni) !(a && (b || c)) || (d));"]
        )

    def test_the_next_cycle_is_that_behind_a_register(self):
        found = lines("x_a : assert property (@(posedge c) disable iff (r || s) a |=> b);")
        self.assertEqual(
            found,
            [
                "logic before_1_q;",
                "always_ff @(posedge c) before_1_q <= (a) && !(r || s);",
                "x_a : assert property (@(posedge c) disable iff (r || s) !before_1_q || (b));",
            ],
        )

    def test_past_and_stable_are_registers(self):
        found = lines("x_a : assert property (@(posedge c) a |=> $stable({b, d}) && $past(f(e)));")
        self.assertEqual(
            found,
            [
                "logic [$bits({b, d})-1:0] before_1_q;",
                "always_ff @(posedge c) before_1_q <= {b, d};",
                "logic [$bits(f(e))-1:0] before_2_q;",
                "always_ff @(posedge c) before_2_q <= f(e);",
                "logic before_3_q;",
                "always_ff @(posedge c) before_3_q <= (a) && !(1'b0);",
                "x_a : assert property (@(posedge c) disable iff (1'b0) !before_3_q || (({b, d} == before_1_q) && before_2_q));",
            ],
        )

    def test_what_only_a_simulation_sees_is_left_out(self):
        text = "x_c : cover property (@(posedge c) a);\ny_a : assert property (@(posedge c)\n  !$isunknown(a))\nelse $error(\"y\");\nassign z = a;\n"
        self.assertEqual(lines(text), ["assign z = a;"])

    def test_a_named_assertion_is_assumed(self):
        text = "x_a : assert property (@(posedge c) a);\ny_a : assert property (@(posedge c) b);"
        self.assertEqual([line.split()[2] for line in lines(text, ("y_a",))], ["assert", "assume"])

    def test_what_is_not_understood_is_refused(self):
        for text, message in [
            ("x_a : assert property (a);", "x_a: no clock"),
            ("x_a : assert property (@(posedge c) (a);", "a parenthesis is not closed"),
            ("x_a : assert property (@(posedge c) a ##1 b);", "x_a: ## is not understood"),
            ("x_a : assert property (@(posedge c) a) begin end", "x_a: no end of the statement"),
        ]:
            with self.subTest(text), self.assertRaisesRegex(NotUnderstood, message):
                lines(text)
        with self.assertRaisesRegex(NotUnderstood, "there is no assertion z_a"):
            lines("x_a : assert property (@(posedge c) a);", ("z_a",))

    def test_every_file_of_the_design_is_understood(self):
        for source in control.elaborate.read_file_list(control.elaborate.FILE_LIST):
            with self.subTest(source.name):
                Translator(()).translate(source.read_text())


if __name__ == "__main__":
    unittest.main()

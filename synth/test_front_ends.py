#!/usr/bin/env python3
# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0
"""Tests that front_ends.py passes what both front ends read alike, and finds what they do not."""

import tempfile
import unittest
from pathlib import Path
from unittest import mock

import elaborate
import front_ends
from flow.errors import FlowError

CHILD = """
module child #(parameter int unsigned Width = 2) (input logic clk_i, input logic rst_ni, input logic [Width-1:0] a_i, output logic [Width-1:0] b_o);
  typedef struct packed {
    logic [Width-1:0] value;
    logic valid;
  } state_t;
  state_t state_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) state_q <= '0;
    else if (a_i != '0) begin
      state_q.value <= a_i + 1'b1;
      state_q.valid <= 1'b1;
    end
  end
  assign b_o = state_q.valid ? state_q.value : '0;
endmodule
"""
TOP = """
module top #(parameter int unsigned Width = 4) (
  input logic clk_i, input logic rst_ni, input logic [3:0] a_i, output logic [3:0] b_o, output logic [3:0] c_o
);
  logic [3:0] a;
  assign a = EXPRESSION;
  if (Width > 1) begin
    child #(.Width(4)) u_first (.clk_i, .rst_ni, .a_i(a), .b_o);
    child #(.Width(4)) u_second (.clk_i, .rst_ni, .a_i(a_i), .b_o(c_o));
  end
endmodule
"""
# With Width = 2 Yosys' front end gives the cast 32 bits.
MISREAD = "{a_i[3], Width == 4 ? a_i[2:0] : 3'(1)}"


class FrontEnds(unittest.TestCase):
    def compare(self, expression, width):
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            sources = []
            for name, text in [("child", CHILD), ("top", TOP.replace("EXPRESSION", expression))]:
                sources.append(folder / f"{name}.sv")
                sources[-1].write_text(text)
            with mock.patch.object(elaborate, "check_casts"):
                return front_ends.compare_all("top", [("Width", width)], sources, folder)

    def test_what_is_read_alike_passes(self):
        for expression in ["a_i[Width-1:0]", "Width'(a_i ^ 4'd5) + 1'b1"]:
            modules, signals = self.compare(expression, "4")
            # Both children are one module.
            self.assertEqual(modules, 2)
            self.assertGreater(signals, 10)

    def test_what_is_misread_is_found(self):
        self.compare(MISREAD, "4")
        with self.assertRaisesRegex(FlowError, "top is not the same by both front ends: "):
            self.compare(MISREAD, "2")

    def test_registers_and_instances_are_compared(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            source = folder / "child.sv"
            source.write_text(CHILD)
            changed = folder / "changed.sv"
            first = front_ends.read("yosys", "child", [], [source], folder)
            for original, fault, message in [
                ("a_i + 1'b1", "a_i + 2'd2", "state_q"),
                ("!= '0)", "!= 1)", "state_q"),
                ("'0;\nendmodule", "'1;\nendmodule", "b_o"),
            ]:
                with self.subTest(fault):
                    self.assertEqual(CHILD.count(original), 1)
                    changed.write_text(CHILD.replace(original, fault))
                    second = front_ends.read("slang", "child", [], [changed], folder)
                    ((one, other),) = front_ends.pairs([first, second]).items()
                    _, unproved = front_ends.compare([first, second], one, other, folder)
                    self.assertRegex(" ".join(unproved), message)

    def test_instances_of_one_front_end_alone_are_told(self):
        designs = [
            front_ends.Design({"top": {"attributes": {"top": "1"}, "cells": cells}, "below": {"attributes": {}, "cells": {}}}, {})
            for cells in ({}, {"u_below": {"type": "below"}})
        ]
        with self.assertRaisesRegex(FlowError, "alone has the instances u_below in top"):
            front_ends.pairs(designs)


if __name__ == "__main__":
    unittest.main()

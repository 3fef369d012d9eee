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

import constants
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


# Nothing reads the high bits of what is stored, and only itself `kept_q`; both instances have the same enable.
BITS = """\
module part (
  input logic clk_i, input logic on_i, input logic [3:0] a_i, input logic [3:0] b_i, output logic [3:0] y_o,
  output logic [3:0] kept_o
);
  logic [3:0] kept_q, memory [4], read_q;
  always_ff @(posedge clk_i) begin
    kept_q <= kept_q ^ b_i;
    if (on_i) memory[b_i[1:0]] <= a_i;
    read_q <= memory[b_i[3:2]];
  end
  assign y_o = read_q + {b_i[3], 3'b0};
  assign kept_o = kept_q;
endmodule
module whole (
  input logic clk_i, input logic on_i, input logic [3:0] a_i, input logic [3:0] b_i, output logic y_o, output logic [1:0] z_o
);
  logic [3:0] y, z;
  part u_y (.clk_i, .on_i(1'b1), .a_i, .b_i, .y_o(y), .kept_o());
  part u_z (.clk_i, .on_i(1'b1), .a_i, .b_i(b_i & {on_i, 3'b011}), .y_o(z), .kept_o());
  assign y_o = y[0];
  assign z_o = z[1:0];
endmodule
"""


# The instance answers 0 whatever it is told, which keeps `b_i` from the outputs, and `a_i` from the last one.
HELD = """\
module quiet (input logic a_i, output logic fault_o);
  assign fault_o = 1'b0;
endmodule
module held (
  input logic a_i, input logic b_i, output logic x_o, output logic [1:0] y_o, output logic z_o
);
  logic fault;
  quiet u_quiet (.a_i(a_i ^ b_i), .fault_o(fault));
  assign x_o = fault ? ~b_i : a_i;
  assign y_o = {a_i, a_i} & ~{~fault, fault};
  assign z_o = fault && !(a_i || !fault);
endmodule
"""


class Bits(unittest.TestCase):
    """What nothing reads, and what is constant."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        folder = Path(temporary.name)
        self.folder = folder
        self.read(BITS, "whole")

    def read(self, text, top):
        source = self.folder / "design.sv"
        source.write_text(text)
        mutate.read_design(top, [], self.folder, [source])
        self.effects = mutate.Effects(f"{top}_v1", self.folder)
        self.modules = self.effects.constants.modules

    def of(self, module, kind, port, bit, mode="inv", control=0):
        """What is known of a mutation of the cell of a kind."""
        cells = self.modules[module]["cells"]
        (cell,) = [name for name, cell in cells.items() if cell["type"] == kind]
        command = f"mutate -mode {mode} -module {module} -cell {cell} -port {port} -portbit {bit}"
        return self.effects.of(f"{command} -ctrlbit {control}" if mode.startswith("cnot") else command)

    def test_what_gets_to_an_output_is_read(self):
        # Bits 0 and 1 of a sum, and of what is stored, are those of an output.
        for kind, port in [("$add", "Y"), ("$add", "A"), ("$memwr_v2", "DATA"), ("$memrd", "DATA")]:
            answers = [self.of("part_v1", kind, port, bit) for bit in range(4)]
            self.assertEqual(answers, ["unknown", "unknown", "unread", "unread"], f"{kind} {port}")
        # Which word it is counts, and what only a register reads that nothing reads does not.
        self.assertEqual(self.of("part_v1", "$memrd", "ADDR", 1), "unknown")
        self.assertEqual(self.of("part_v1", "$xor", "B", 0), "unread")

    def test_what_is_read_depends_on_the_place(self):
        # Of the first instance bit 0 is read, of the second one bit 1 as well.
        for cell, expected in [("u_y", "unread"), ("u_z", "unknown")]:
            command = f"mutate -mode inv -module whole_v1 -cell {cell} -port a_i -portbit 1"
            self.assertEqual(self.effects.of(command), expected, cell)

    def test_constants_are_known_through_instances(self):
        # Both instances have the enable on, and bit 2 of one of them is low.
        known = self.effects.constants
        ports = self.modules["part_v1"]["ports"]
        self.assertEqual(known.values("part_v1", ports["on_i"]["bits"]), ["1"])
        self.assertEqual(known.values("part_v1", ports["b_i"]["bits"]), [None] * 4)
        self.assertEqual(self.of("part_v1", "$memwr_v2", "EN", 0, "const1"), "equal")
        self.assertEqual(self.of("part_v1", "$memwr_v2", "EN", 0, "const0"), "unknown")
        self.assertEqual(self.of("part_v1", "$memwr_v2", "EN", 0, "cnot0", 1), "equal")
        self.assertEqual(self.of("part_v1", "$memwr_v2", "EN", 0, "cnot1", 1), "unknown")
        self.assertEqual(self.of("whole_v1", "$and", "Y", 2, "const0"), "equal")
        self.assertEqual(self.of("whole_v1", "$and", "Y", 3, "const0"), "unknown")

    def test_what_a_constant_holds_is_not_read(self):
        self.read(HELD, "held")
        self.assertEqual(self.effects.constants.answers["quiet_v1"], {"fault_o": ["0"]})
        for kind, port, bit, mode, expected in [
            # The other side of the choice, and what nothing reads but an instance that is not heard.
            ("$mux", "B", 0, "inv", "unread"),
            ("$mux", "A", 0, "inv", "unknown"),
            ("$mux", "S", 0, "inv", "unknown"),
            ("$mux", "S", 0, "const0", "equal"),
            ("$xor", "Y", 0, "inv", "unread"),
            ("$logic_or", "A", 0, "inv", "unread"),
            # What holds is read, on both sides where both do.
            ("quiet_v1", "fault_o", 0, "inv", "unknown"),
            ("$logic_and", "A", 0, "inv", "unknown"),
            ("$logic_and", "B", 0, "inv", "unknown"),
            # Bit by bit.
            ("$and", "A", 0, "inv", "unknown"),
            ("$and", "A", 1, "inv", "unread"),
        ]:
            with self.subTest(kind=kind, port=port, bit=bit, mode=mode):
                self.assertEqual(self.of("held_v1", kind, port, bit, mode), expected)

    def test_gates_of_constants_are_constant(self):
        one, zero, unknown = "1", "0", None
        for kind, inputs, output in [
            ("$mux", {"A": [one], "B": [zero], "S": [unknown]}, [unknown]),
            ("$mux", {"A": [one], "B": [one], "S": [unknown]}, [one]),
            ("$mux", {"A": [one], "B": [zero], "S": [one]}, [zero]),
            ("$and", {"A": [zero, one, one], "B": [unknown, unknown, one]}, [zero, unknown, one]),
            ("$or", {"A": [zero, one, zero], "B": [unknown, unknown, zero]}, [unknown, one, zero]),
            ("$not", {"A": [zero, one, unknown]}, [one, zero, unknown]),
            ("$logic_and", {"A": [zero, zero], "B": [unknown]}, [zero]),
            ("$logic_and", {"A": [zero, one], "B": [one, unknown]}, [one]),
            ("$logic_or", {"A": [unknown, one], "B": [unknown]}, [one]),
            ("$logic_or", {"A": [zero], "B": [unknown]}, [unknown]),
            ("$logic_not", {"A": [zero, unknown]}, [unknown]),
            ("$reduce_bool", {"A": [zero, zero]}, [zero, zero]),
            ("$add", {"A": [zero], "B": [zero]}, [unknown]),
        ]:
            found = constants.evaluate(kind, inputs, len(output))
            self.assertEqual(found, output, f"{kind} {inputs}")


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
        self.assertEqual([port for port in ports if mutate.is_clock_or_reset(port)], [])
        # Those of the modules between two clocks have longer names.
        for port, expected in [("core_clk_i", True), ("source_rst_no", True), ("CLK", True), ("valid_i", False)]:
            self.assertIs(mutate.is_clock_or_reset(port), expected, port)

    def test_files_and_folders_are_chosen(self):
        files = {"rtl/bus/a.sv": ["a_v1"], "rtl/dma/b.sv": ["b_v1", "b_v2"], "rtl/c.sv": ["c_v1"], "tb/d.sv": ["d_v1"]}
        self.assertEqual(list(mutate.chosen(files, ["rtl"])), ["rtl/bus/a.sv", "rtl/dma/b.sv", "rtl/c.sv"])
        self.assertEqual(mutate.chosen(files, ["rtl/c.sv", "rtl/dma"]), {"rtl/dma/b.sv": ["b_v1", "b_v2"], "rtl/c.sv": ["c_v1"]})
        with self.assertRaisesRegex(FlowError, "--of is rtl/d, and no file"):
            mutate.chosen(files, ["rtl/bus", "rtl/d"])

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

    def test_the_netlist_says_where_mutants_change_a_bit(self):
        conjunction = f"mutate -module above_v1 -cell {self.cell('$logic_and')} -portbit 0"
        mutants = [
            {"number": number, "mutation": f"{conjunction} {what}"}
            for number, what in enumerate(["-mode const1 -port B", "-mode inv -port Y"], start=17)
        ]
        text = mutate.write_netlist(mutants, self.folder)
        noted = mutate.with_notes(text, 2)
        notes = re.findall(r"^  always_comb if \((.+) != (.+)\) acclmt_mutant_pkg::acclmt_differs\((\d+)\);$", noted, re.MULTILINE)
        self.assertEqual([number for _, _, number in notes], ["17", "18"])
        self.assertEqual(notes[0][0], "1'h1")
        # Nothing else is new, and a bit that is not found is told.
        kept = [line for line in noted.splitlines() if "acclmt_differs" not in line]
        self.assertEqual(kept, text.splitlines())
        with self.assertRaisesRegex(FlowError, "2 changed bits, and 3 mutants"):
            mutate.with_notes(text, 3)

    def test_the_wrapper_has_the_ports_of_the_design(self):
        sources = mutate.elaborate.read_file_list(mutate.elaborate.FILE_LIST)
        text = mutate.wrapper("acclmt_core", sources)
        self.assertIn("module acclmt_core #(", text)
        self.assertIn("acclmt_core_v1 u_netlist (.*);", text)
        self.assertIn("acclmt_mutant_pkg::acclmt_mutant()", text)
        with self.assertRaisesRegex(FlowError, "no source is named acclmt_absent.sv"):
            mutate.wrapper("acclmt_absent", sources)

    def test_the_package_of_the_build_has_the_values_of_the_design(self):
        def values(path):
            text = " ".join((mutate.ROOT / path).read_text().split())
            return dict(re.findall(r"localparam [^=;]*?(\w+) = ([^;]*);", text))

        design, build = values("rtl/pkg/acclmt_pkg.sv"), values("synth/mutants/acclmt_tb_build_pkg.sv")
        self.assertEqual(
            build, {"Prime": design["PrimeBls12381"], "Reduction": design["ReductionConstant"]}
        )

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

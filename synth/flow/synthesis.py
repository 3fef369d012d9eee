# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0
"""Synthesis of one unit with Yosys and abc."""

import json
import re
from pathlib import Path

from . import polarity, tools

# abc: area-oriented mapping, then buffers and sizes for the driver and load of the constraints. It cannot see
# through full adders, nor how many of them are on a wire: `sizing` does, and timing is OpenSTA's. `buffer` is without
# `-c`: that takes the wire loads of a Liberty file, and puts a buffer behind half of the gates where a library has any.
ABC_SCRIPT = (
    "strash;&get,-n;&st;&dch,-f;&nf;&put;topo;buffer,-N,24;topo;stime,-p;upsize;dnsize;stime,-p"
)

# How a square is a sum.
SQUARE = Path(__file__).parent / "square.v"

# The Booth multiplier widens the shorter factor to the longer one: the digit of the run-time reduction, 28 bits, to
# the 227 bits of its other factor, for four times the area. Rows of ANDs serve such products better.
BALANCED_PRODUCTS = "t:$mul r:A_WIDTH<=128 %i r:B_WIDTH<=128 %i"

# Carries by Sklansky's tree: a few levels less than Yosys's own, by Brent and Kung, for a little area.
CARRIES = "techmap -map +/techmap.v -map +/choices/sklansky.v"

# What abc may use without a library.
GENERIC_GATES = "AND,NAND,OR,NOR,XOR,XNOR,MUX,AOI3,OAI3"


# Verilog that splits `$fa` into full adders of a bit.
FULL_ADDER_BITS = f"""
(* techmap_celltype = "$fa" *)
module full_adder_to_cells (A, B, C, X, Y);
  parameter WIDTH = 1;
  (* force_downto *) input [WIDTH-1:0] A, B, C;
  (* force_downto *) output [WIDTH-1:0] X, Y;
  genvar i;
  generate
    for (i = 0; i < WIDTH; i = i + 1) begin : bits
      {polarity.PLAIN} cell_i (.A(A[i]), .B(B[i]), .C(C[i]), .X(X[i]), .Y(Y[i]));
    end
  endgenerate
endmodule
"""
# Verilog that makes gates of those of which an input is a constant, and wires where two are the same bit.
FULL_ADDER_SPLIT = f"""
(* techmap_celltype = "{polarity.PLAIN}" *)
module full_adder_to_gates (A, B, C, X, Y);
  parameter _TECHMAP_CONSTMSK_A_ = 0;
  parameter _TECHMAP_CONSTMSK_B_ = 0;
  parameter _TECHMAP_CONSTMSK_C_ = 0;
  parameter _TECHMAP_BITS_CONNMAP_ = 0;
  parameter [_TECHMAP_BITS_CONNMAP_-1:0] _TECHMAP_CONNMAP_A_ = 0;
  parameter [_TECHMAP_BITS_CONNMAP_-1:0] _TECHMAP_CONNMAP_B_ = 0;
  parameter [_TECHMAP_BITS_CONNMAP_-1:0] _TECHMAP_CONNMAP_C_ = 0;
  input A, B, C;
  output X, Y;
  localparam CONSTANT = _TECHMAP_CONSTMSK_A_ || _TECHMAP_CONSTMSK_B_ || _TECHMAP_CONSTMSK_C_;
  localparam SAME_AB = _TECHMAP_CONNMAP_A_ == _TECHMAP_CONNMAP_B_;
  localparam SAME_AC = _TECHMAP_CONNMAP_A_ == _TECHMAP_CONNMAP_C_;
  localparam SAME_BC = _TECHMAP_CONNMAP_B_ == _TECHMAP_CONNMAP_C_;
  wire _TECHMAP_FAIL_ = !(CONSTANT || SAME_AB || SAME_AC || SAME_BC);
  assign X = (SAME_AB || SAME_AC) ? A : SAME_BC ? B : (A & B) | (A & C) | (B & C);
  assign Y = SAME_AB ? C : SAME_AC ? B : SAME_BC ? A : A ^ B ^ C;
endmodule
"""
FULL_ADDER_BOX = f"""
(* blackbox *)
module {polarity.PLAIN} (input A, B, C, output X, Y);
endmodule
"""


def full_adder_map(full_adder):
    """Verilog that maps the full adders to the cell of the library."""
    a, b, c = full_adder["inputs"]
    text = ""
    for name, invert_in in ((polarity.PLAIN, ""), (polarity.DIRECT, ""), (polarity.INVERTED, "~")):
        invert_out = "~" if full_adder["inverted"] and not invert_in else ""
        text += f"""
module {name} (input A, B, C, output X, Y);
  wire carry, sum;
  {full_adder["cell"]} cell_i (
    .{a}({invert_in}A), .{b}({invert_in}B), .{c}({invert_in}C),
    .{full_adder["carry"]}(carry), .{full_adder["sum"]}(sum)
  );
  assign X = {invert_out}carry;
  assign Y = {invert_out}sum;
endmodule
"""
    return text


def commands(unit, library, folder):
    """The Yosys commands that synthesise `unit`; files go to `folder`."""
    name = unit.name
    # To arithmetic that is known to Yosys: squares to sums, multipliers to Booth rows, sums of more than two terms to
    # full adders with one carry look-ahead adder at the end.
    lines = [
        f"read_rtlil {folder / 'unit.il'}",
        f"hierarchy -check -top {name}",
        "proc",
        "flatten",
        "opt_expr",
        "opt_clean",
        "check -assert",
        "opt -nodffe -nosdff",
        # Sums and products stay as wide as they are: a narrowed one would not be joined with the next sum.
        "wreduce t:$add t:$sub t:$mul %u %u %n",
        "peepopt",
        "opt_clean",
        f"techmap -map {SQUARE}",
        "opt_expr",
        "opt_clean",
        f"booth {BALANCED_PRODUCTS}",
        "alumacc",
        "maccmap",
        "opt -fast -nodffe -nosdff",
        # A memory that is no macro would become flip-flops: refused.
        "select -assert-none t:$mem* t:$memrd* t:$memwr* t:$memory",
    ]
    if library.full_adder:
        (folder / "full_adder_bits.v").write_text(FULL_ADDER_BITS)
        (folder / "full_adder_split.v").write_text(FULL_ADDER_SPLIT)
        (folder / "full_adder.v").write_text(full_adder_map(library.full_adder))
        lines += [
            "opt_clean",
            f"read_verilog {folder / 'full_adder_box.v'}",
            f"techmap -map {folder / 'full_adder_bits.v'}",
            # What an adder that is split puts out may be a constant, behind a register too.
            f"!split {json.dumps([str(folder / 'full_adder_split.v'), str(folder / 'adders.txt')])}",
        ]
        (folder / "full_adder_box.v").write_text(FULL_ADDER_BOX)
        if library.full_adder["inverted"]:
            files = [folder / name for name in ("adders.json", "adders.il", "polarity.il")]
            lines += [
                f"write_json {files[0]}",
                f"write_rtlil {files[1]}",
                f"!polarity {json.dumps([str(file) for file in files])}",
                "design -reset",
                f"read_rtlil {files[2]}",
            ]
        lines += [f"techmap -map {folder / 'full_adder.v'}", "opt_expr", "opt_clean"]
    # Flip-flops are called as their wires from here on.
    lines += [CARRIES, "opt -fast -nodffe -nosdff", "rename -wire"]
    output = [
        f"tee -q -o {folder / 'stat.json'} stat -json",
        f"write_verilog -simple-lhs -noattr -noexpr -nohex -nodec {folder / 'netlist.v'}",
    ]
    if not library.mapped:
        return [
            *lines,
            "dfflegalize -cell $_DFF_P_ x -cell $_DFF_PN0_ x -cell $_DFF_PN1_ x",
            "opt -fast -nodffe -nosdff",
            "setundef -zero",
            f"abc -g {GENERIC_GATES}",
            "opt_clean -purge",
            *output,
        ]
    liberty = " ".join(f"-liberty {path}" for path in library.files)
    dont_use = " ".join(f"-dont_use {pattern}" for pattern in library.dont_use)
    (folder / "abc.constr").write_text(
        f"set_driving_cell {library.driver}\nset_load {library.load}\n"
    )
    return [
        *lines,
        f"dfflibmap {liberty} {dont_use}",
        "opt -fast -nodffe -nosdff",
        "setundef -zero",
        f"abc {liberty} {dont_use} -constr {folder / 'abc.constr'} -script +{ABC_SCRIPT}",
        "opt_clean -purge",
        f"hilomap -singleton -hicell {' '.join(library.tie_high)} -locell {' '.join(library.tie_low)}",
        "opt_clean -purge",
        f"write_json {folder / 'mapped.json'}",
        f"write_rtlil {folder / 'mapped.il'}",
        "!sizing "
        + json.dumps(
            {
                "files": [str(folder / name) for name in ("mapped.json", "mapped.il", "sized.il")],
                "library": str(library.path),
                "folder": str(library.files[0].parent),
                "top": name,
            }
        ),
        "design -reset",
        f"read_rtlil {folder / 'sized.il'}",
        *output,
    ]


def drop_signs(netlist):
    """Declares the wires of `netlist` without a sign: gates know none, and OpenSTA does not read it."""
    netlist.write_text(re.sub(r"^( *wire) signed ", r"\1 ", netlist.read_text(), flags=re.MULTILINE))


def synthesise(unit, library, folder):
    """Synthesises `unit`; returns its cells (type -> number) and the peak memory in MB."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "unit.il").write_text(unit.text)
    _, peak_mb = tools.run_yosys(
        commands(unit, library, folder), f"synthesis of {unit.name}", folder / "yosys.log"
    )
    drop_signs(folder / "netlist.v")
    statistics = json.loads((folder / "stat.json").read_text())
    module = statistics["modules"]["\\" + unit.name]
    return module["num_cells_by_type"], peak_mb

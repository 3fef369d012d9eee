# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0
"""Synthesis of one unit with Yosys and abc."""

import json

from . import tools

# abc: area-oriented mapping, then buffers and sizes for the driver and load of the constraints.
# It cannot see through full adders; timing is OpenSTA's.
ABC_SCRIPT = (
    "strash;&get,-n;&st;&dch,-f;&nf;&put;topo;buffer,-c;topo;stime,-p;upsize;dnsize;stime,-p"
)


def full_adder_map(full_adder):
    """Verilog that maps `$fa` to the library's full adder, and to gates where an input is constant."""
    a, b, c = full_adder["inputs"]
    invert = "~" if full_adder["inverted"] else ""
    return f"""
(* techmap_celltype = "$fa" *)
module full_adder_to_cells (A, B, C, X, Y);
  parameter WIDTH = 1;
  parameter _TECHMAP_CONSTMSK_A_ = 0;
  parameter _TECHMAP_CONSTMSK_B_ = 0;
  parameter _TECHMAP_CONSTMSK_C_ = 0;
  (* force_downto *) input [WIDTH-1:0] A, B, C;
  (* force_downto *) output [WIDTH-1:0] X, Y;
  localparam [WIDTH-1:0] CONSTANT =
      _TECHMAP_CONSTMSK_A_ | _TECHMAP_CONSTMSK_B_ | _TECHMAP_CONSTMSK_C_;
  genvar i;
  generate
    for (i = 0; i < WIDTH; i = i + 1) begin : bits
      if (CONSTANT[i]) begin
        assign X[i] = (A[i] & B[i]) | (A[i] & C[i]) | (B[i] & C[i]);
        assign Y[i] = A[i] ^ B[i] ^ C[i];
      end else begin
        wire carry, sum;
        {full_adder["cell"]} cell_i (
          .{a}(A[i]), .{b}(B[i]), .{c}(C[i]), .{full_adder["carry"]}(carry), .{full_adder["sum"]}(sum)
        );
        assign X[i] = {invert}carry;
        assign Y[i] = {invert}sum;
      end
    end
  endgenerate
endmodule
"""


def commands(unit, library, folder):
    """The Yosys commands that synthesise `unit`; files go to `folder`."""
    name = unit.name
    # To arithmetic that is known to Yosys: multipliers to Booth rows, sums of more than two terms to
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
        # Sums stay as wide as they are: a narrowed sum would not be joined with the next one.
        "wreduce t:$add t:$sub %u %n",
        "peepopt",
        "opt_clean",
        "booth",
        "alumacc",
        "maccmap",
        "opt -fast -nodffe -nosdff",
        # A memory that is no macro would become flip-flops: refused.
        "select -assert-none t:$mem* t:$memrd* t:$memwr* t:$memory",
    ]
    if not library.mapped:
        lines += [
            "techmap",
            "opt -fast -nodffe -nosdff",
            "dfflegalize -cell $_DFF_P_ x -cell $_DFF_PN0_ x -cell $_DFF_PN1_ x",
            "setundef -zero",
            "abc -g cmos2",
            "opt_clean -purge",
            f"tee -q -o {folder / 'stat.json'} stat -json",
            f"write_verilog -simple-lhs -noattr -noexpr -nohex -nodec {folder / 'netlist.v'}",
        ]
        return lines
    liberty = " ".join(f"-liberty {path}" for path in library.files)
    dont_use = " ".join(f"-dont_use {pattern}" for pattern in library.dont_use)
    if library.full_adder:
        (folder / "full_adder.v").write_text(full_adder_map(library.full_adder))
        lines += ["opt_clean", f"techmap -map {folder / 'full_adder.v'}", "opt_expr", "opt_clean"]
    (folder / "abc.constr").write_text(
        f"set_driving_cell {library.driver}\nset_load {library.load}\n"
    )
    lines += [
        "techmap",
        "opt -fast -nodffe -nosdff",
        # Flip-flops are called as their wires from here on.
        "rename -wire",
        f"dfflibmap {liberty} {dont_use}",
        "opt -fast -nodffe -nosdff",
        "setundef -zero",
        f"abc {liberty} {dont_use} -constr {folder / 'abc.constr'} -script +{ABC_SCRIPT}",
        "opt_clean -purge",
        f"hilomap -singleton -hicell {' '.join(library.tie_high)} -locell {' '.join(library.tie_low)}",
        "opt_clean -purge",
        f"tee -q -o {folder / 'stat.json'} stat -json",
        f"write_verilog -simple-lhs -noattr -noexpr -nohex -nodec {folder / 'netlist.v'}",
    ]
    return lines


def synthesise(unit, library, folder):
    """Synthesises `unit`; returns its cells (type -> number) and the peak memory in MB."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "unit.il").write_text(unit.text)
    _, peak_mb = tools.run_yosys(
        commands(unit, library, folder), f"synthesis of {unit.name}", folder / "yosys.log"
    )
    statistics = json.loads((folder / "stat.json").read_text())
    module = statistics["modules"]["\\" + unit.name]
    return module["num_cells_by_type"], peak_mb

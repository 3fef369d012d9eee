// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Testbench only: blocks with deliberate faults, which the tests of the blocks must find. The modules
/// with `_mutant` in their names are copies that tb/verilated/build.rs makes of the blocks, with one
/// fault each.
module acclmt_tb_mutants (
  input logic clk_i,
  input logic rst_ni,
  /// As acclmt_tb_units.
  input logic [42*32-1:0] in_i,
  /// a * b (16), a * a (16), the residue of the value with a faulty carry (8) and with a faulty
  /// subtraction (8), a + b (8).
  output logic [56*32-1:0] out_o
);

  localparam int unsigned WordWidth = acclmt_pkg::WordWidth;

  acclmt_pkg::word_t a, b;
  acclmt_pkg::sum_t value;
  assign a = in_i[0+:WordWidth];
  assign b = in_i[8*32+:WordWidth];
  assign value = in_i[24*32+:acclmt_pkg::SumWidth];

  acclmt_pkg::product_t product, square;
  acclmt_pkg::word_t residue_carry, residue_subtraction, sum;

  acclmt_mul_mutant u_mul (
    .clk_i,
    .a_i(a),
    .b_i(b),
    .product_o(product)
  );
  acclmt_sqr_mutant u_sqr (
    .clk_i,
    .a_i(a),
    .square_o(square)
  );
  acclmt_reduce_mutant_carry u_reduce_carry (
    .clk_i,
    .value_i(value),
    .residue_o(residue_carry)
  );
  acclmt_reduce_mutant_subtraction u_reduce_subtraction (
    .clk_i,
    .value_i(value),
    .residue_o(residue_subtraction)
  );
  acclmt_mod_add_mutant u_mod_add (
    .clk_i,
    .a_i(a),
    .b_i(b),
    .sum_o(sum)
  );

  assign out_o = {sum, residue_subtraction, residue_carry, square, product};

  logic unused_input;
  assign unused_input = ^{rst_ni, in_i[23*32+31:16*32], in_i[42*32-1:24*32+acclmt_pkg::SumWidth]};

endmodule

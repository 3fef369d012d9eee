// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Testbench only: blocks with deliberate faults, which the tests of the blocks must find. The
/// modules with `_mutant` in their names are copies that tb/verilated/build.rs makes of the blocks,
/// with one fault each.
module acclmt_tb_mutants (
  input logic clk_i,
  input logic rst_ni,
  /// As acclmt_tb_units.
  input logic [106*32-1:0] in_i,
  /// a * b with a fault of both modes and with one of Goldilocks mode, a * a (16 each), the sums of
  /// products by slices and across them (17 each), the residues of the value by the constant prime
  /// with a faulty carry and with a faulty subtraction, by the Goldilocks prime and by the run-time
  /// prime, a + b with a fault of each slice and of the borrow between them, a power of a (8 each).
  output logic [138*32-1:0] out_o
);

  localparam int unsigned WordWidth = acclmt_pkg::WordWidth;
  localparam int unsigned ProductWidth = acclmt_pkg::ProductWidth;
  localparam int unsigned Slices = acclmt_pkg::Slices;
  localparam int unsigned ChunkWidth = acclmt_pkg::ChunkWidth;
  localparam int unsigned Lanes = acclmt_pkg::Lanes;

  acclmt_pkg::word_t a, b, prime;
  logic [Slices-1:0][ChunkWidth-1:0] value;
  logic [Lanes-1:0][ProductWidth-1:0] products;
  logic [31:0] control;
  assign a = in_i[0+:WordWidth];
  assign b = in_i[8*32+:WordWidth];
  assign value = in_i[24*32+:Slices*ChunkWidth];
  assign products = in_i[41*32+:Lanes*ProductWidth];
  assign prime = in_i[89*32+:WordWidth];
  assign control = in_i[105*32+:32];

  logic goldilocks;
  assign goldilocks = control[0];

  acclmt_pkg::product_t product_carry, product_goldilocks, square;
  acclmt_mul_mutant_carry u_mul_carry (
    .clk_i,
    .goldilocks_i(goldilocks),
    .a_i(a),
    .b_i(b),
    .product_o(product_carry)
  );
  acclmt_mul_mutant_goldilocks u_mul_goldilocks (
    .clk_i,
    .goldilocks_i(goldilocks),
    .a_i(a),
    .b_i(b),
    .product_o(product_goldilocks)
  );
  acclmt_sqr_mutant u_sqr (
    .clk_i,
    .goldilocks_i(goldilocks),
    .a_i(a),
    .square_o(square)
  );

  logic [Slices-1:0][ChunkWidth-1:0] accumulated, across;
  acclmt_accumulate_mutant_carry u_accumulate (
    .clk_i,
    .goldilocks_i(goldilocks),
    .first_i(control[6]),
    .enable_i(control[18:16]),
    .product_i(products),
    .sum_o(accumulated)
  );
  acclmt_accumulate_mutant_across #(
    .Across(1'b1)
  ) u_accumulate_across (
    .clk_i,
    .goldilocks_i(goldilocks),
    .first_i(control[6]),
    .enable_i(control[18:16]),
    .product_i(products),
    .sum_o(across)
  );

  acclmt_pkg::word_t residue_carry, residue_subtraction, residue_goldilocks, residue_runtime;
  acclmt_reduce_constant_mutant_carry #(
    .Prime(acclmt_tb_build_pkg::Prime)
  ) u_reduce_carry (
    .clk_i,
    .goldilocks_i(goldilocks),
    .value_i(value),
    .residue_o(residue_carry)
  );
  acclmt_reduce_constant_mutant_subtraction #(
    .Prime(acclmt_tb_build_pkg::Prime)
  ) u_reduce_subtraction (
    .clk_i,
    .goldilocks_i(goldilocks),
    .value_i(value),
    .residue_o(residue_subtraction)
  );
  acclmt_reduce_goldilocks_mutant u_reduce_goldilocks (
    .clk_i,
    .value_i(value),
    .residue_o(residue_goldilocks)
  );
  acclmt_reduce_runtime_mutant u_reduce_runtime (
    .clk_i,
    .goldilocks_i(goldilocks),
    .prime_i(prime),
    .value_i(value),
    .residue_o(residue_runtime)
  );

  acclmt_pkg::word_t sum_slice, sum_borrow;
  acclmt_mod_add_mutant_slice #(
    .Prime(acclmt_tb_build_pkg::Prime)
  ) u_mod_add_slice (
    .clk_i,
    .goldilocks_i(goldilocks),
    .prime_i(prime),
    .a_i(a),
    .b_i(b),
    .sum_o(sum_slice)
  );
  acclmt_mod_add_mutant_borrow #(
    .Prime(acclmt_tb_build_pkg::Prime)
  ) u_mod_add_borrow (
    .clk_i,
    .goldilocks_i(goldilocks),
    .prime_i(prime),
    .a_i(a),
    .b_i(b),
    .sum_o(sum_borrow)
  );

  acclmt_pkg::word_t power;
  acclmt_sbox_mutant #(
    .Prime(acclmt_tb_build_pkg::Prime),
    .Reduction(acclmt_tb_build_pkg::Reduction)
  ) u_sbox (
    .clk_i,
    .rst_ni,
    .memory_config_i(acclmt_memory_pkg::MemoryConfigDefault),
    .clear_i(1'b0),
    .goldilocks_i(goldilocks),
    .prime_i(prime),
    .alpha_i(acclmt_pkg::alpha_e'(control[25:24])),
    .valid_i(control[7]),
    .x_i(a),
    .bypass_i(control[23:20]),
    .y_o(power)
  );

  assign out_o = {
    power, sum_borrow, sum_slice, residue_runtime, residue_goldilocks, residue_subtraction,
    residue_carry, 16'b0, across, 16'b0, accumulated, square, product_goldilocks, product_carry
  };

  logic unused_input;
  assign unused_input = ^{
    in_i[24*32-1:16*32], in_i[41*32-1:24*32+Slices*ChunkWidth], in_i[105*32-1:97*32],
    control[31:26], control[19], control[15:8], control[5:1]
  };

endmodule

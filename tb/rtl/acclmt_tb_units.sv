// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Testbench only: the arithmetic blocks, the S-box, the two linear blocks, the delay line, the buffer and
/// the memory side by side, all fed from one packed input. tb/src/units.rs knows the layout.
module acclmt_tb_units #(
  /// Cycles of the delay line and words of the buffer and of the memory.
  parameter int unsigned DelayCycles = 26,
  parameter int unsigned FifoDepth = 5,
  parameter int unsigned MemoryDepth = 16
) (
  input logic clk_i,
  input logic rst_ni,
  /// From the least significant word: operands a, b and c (8 words each), the value to reduce (17),
  /// control bits (1).
  input logic [42*32-1:0] in_i,
  /// a * b (16), a * a (16), the residue of the value (8), a + b (8), the S-box of a (8), the dot product
  /// of (a, b, c) and (b, c, a) (8), a + b * c (8), a delayed (8), the buffer's head (8), the memory's
  /// word (8), flags (1).
  output logic [97*32-1:0] out_o
);

  localparam int unsigned WordWidth = acclmt_pkg::WordWidth;

  acclmt_pkg::word_t a, b, c;
  acclmt_pkg::sum_t value;
  logic [31:0] control;
  assign a = in_i[0+:WordWidth];
  assign b = in_i[8*32+:WordWidth];
  assign c = in_i[16*32+:WordWidth];
  assign value = in_i[24*32+:acclmt_pkg::SumWidth];
  assign control = in_i[41*32+:32];

  acclmt_pkg::product_t product, square;
  acclmt_pkg::word_t residue, sum, fifth_power, dot, scaled, delayed, head, stored;
  logic fifo_ready, fifo_valid;

  acclmt_mul u_mul (
    .clk_i,
    .a_i(a),
    .b_i(b),
    .product_o(product)
  );
  acclmt_sqr u_sqr (
    .clk_i,
    .a_i(a),
    .square_o(square)
  );
  acclmt_reduce u_reduce (
    .clk_i,
    .value_i(value),
    .residue_o(residue)
  );
  acclmt_mod_add u_mod_add (
    .clk_i,
    .a_i(a),
    .b_i(b),
    .sum_o(sum)
  );
  acclmt_sbox #(
    .Bypass(1'b1)
  ) u_sbox (
    .clk_i,
    .rst_ni,
    .x_i(a),
    .bypass_i(control[0]),
    .y_o(fifth_power)
  );
  acclmt_dot_product u_dot_product (
    .clk_i,
    .element_i({c, b, a}),
    .coefficient_i({a, c, b}),
    .result_o(dot)
  );
  acclmt_scaled_add u_scaled_add (
    .clk_i,
    .rst_ni,
    .addend_i(a),
    .factor_i(b),
    .coefficient_i(c),
    .result_o(scaled)
  );
  acclmt_delay #(
    .Width(WordWidth),
    .Cycles(DelayCycles)
  ) u_delay (
    .clk_i,
    .rst_ni,
    .data_i(a),
    .data_o(delayed)
  );
  acclmt_fifo #(
    .Width(WordWidth),
    .Depth(FifoDepth)
  ) u_fifo (
    .clk_i,
    .rst_ni,
    .clear_i(control[3]),
    .valid_i(control[1]),
    .ready_o(fifo_ready),
    .data_i(a),
    .valid_o(fifo_valid),
    .ready_i(control[2]),
    .data_o(head)
  );
  acclmt_mem_1r1w #(
    .Width(WordWidth),
    .Depth(MemoryDepth)
  ) u_memory (
    .clk_i,
    .write_enable_i(control[4]),
    .write_address_i(control[11:8]),
    .write_data_i(a),
    .read_enable_i(control[5]),
    .read_address_i(control[15:12]),
    .read_data_o(stored)
  );

  assign out_o = {
    {30'b0, fifo_valid, fifo_ready}, stored, head, delayed, scaled, dot, fifth_power, sum, residue,
    square, product
  };

  // Spare bits of the packed input.
  logic unused_input;
  assign unused_input = ^{in_i[41*32-1:24*32+acclmt_pkg::SumWidth], control[31:16], control[7:6]};

endmodule

// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Testbench only: the arithmetic blocks with both kinds of reduction, the conversions, the S-box,
/// the two linear blocks, the delay line, the buffer and the memory side by side, all fed from one
/// packed input. tb/tests/units.rs knows the layout.
module acclmt_tb_units #(
  /// Cycles of the delay line and words of the buffer and of the memory.
  parameter int unsigned DelayCycles = 26,
  parameter int unsigned FifoDepth = 5,
  parameter int unsigned MemoryDepth = 16
) (
  input logic clk_i,
  input logic rst_ni,
  /// From the least significant word: operands a, b and c (8 words each), the value to reduce (17),
  /// three products (48), the run-time prime and its R^2 (8 each), control bits (1).
  input logic [106*32-1:0] in_i,
  /// a * b (16), a * a (16), the sums of products by slices and across them (17 each), the residue
  /// of the value, a + b, a to and from Montgomery form, each by the constant prime and then by the
  /// run-time one (8 each), a power of a (8), the dot products of (a, b, c) and (b, c, a) by slices
  /// and across them (8 each), a + b * c (8), a delayed (8), the buffer's head (8), the memory's
  /// word (8), flags (1).
  output logic [187*32-1:0] out_o
);

  localparam int unsigned WordWidth = acclmt_pkg::WordWidth;
  localparam int unsigned ProductWidth = acclmt_pkg::ProductWidth;
  localparam int unsigned Slices = acclmt_pkg::Slices;
  localparam int unsigned ChunkWidth = acclmt_pkg::ChunkWidth;
  localparam int unsigned Lanes = acclmt_pkg::Lanes;

  acclmt_pkg::word_t a, b, c, prime, radix_squared;
  logic [Slices-1:0][ChunkWidth-1:0] value;
  logic [Lanes-1:0][ProductWidth-1:0] products;
  logic [31:0] control;
  assign a = in_i[0+:WordWidth];
  assign b = in_i[8*32+:WordWidth];
  assign c = in_i[16*32+:WordWidth];
  assign value = in_i[24*32+:Slices*ChunkWidth];
  assign products = in_i[41*32+:Lanes*ProductWidth];
  assign prime = in_i[89*32+:WordWidth];
  assign radix_squared = in_i[97*32+:WordWidth];
  assign control = in_i[105*32+:32];

  logic goldilocks;
  assign goldilocks = control[0];

  // ---- Products and sums ------------------------------------------------------------------------

  acclmt_pkg::product_t product, square;
  logic [Slices-1:0][ChunkWidth-1:0] accumulated, across;
  acclmt_mul u_mul (
    .clk_i,
    .goldilocks_i(goldilocks),
    .a_i(a),
    .b_i(b),
    .product_o(product)
  );
  acclmt_sqr u_sqr (
    .clk_i,
    .goldilocks_i(goldilocks),
    .a_i(a),
    .square_o(square)
  );
  acclmt_accumulate u_accumulate (
    .clk_i,
    .goldilocks_i(goldilocks),
    .first_i(control[6]),
    .enable_i(control[18:16]),
    .product_i(products),
    .sum_o(accumulated)
  );
  acclmt_accumulate #(
    .Across(1'b1)
  ) u_accumulate_across (
    .clk_i,
    .goldilocks_i(goldilocks),
    .first_i(control[6]),
    .enable_i(control[18:16]),
    .product_i(products),
    .sum_o(across)
  );

  // ---- Reduction, addition and conversion: 0 by the constant prime, 1 by the run-time one -------

  acclmt_pkg::word_t residue[2], sum[2], to_montgomery[2], from_montgomery[2];
  logic [1:0] to_ready, to_valid, to_idle, not_below_prime, from_ready, from_valid;
  logic [1:0][1:0] bad_slice;
  for (genvar i = 0; i < 2; i++) begin : gen_reduction
    acclmt_reduce #(
      .Prime(acclmt_tb_build_pkg::Prime),
      .Reduction(i)
    ) u_reduce (
      .clk_i,
      .goldilocks_i(goldilocks),
      .prime_i(prime),
      .value_i(value),
      .residue_o(residue[i])
    );
    acclmt_mod_add #(
      .Prime(acclmt_tb_build_pkg::Prime),
      .Reduction(i)
    ) u_mod_add (
      .clk_i,
      .goldilocks_i(goldilocks),
      .prime_i(prime),
      .a_i(a),
      .b_i(b),
      .sum_o(sum[i])
    );
    logic unused_to_label, unused_from_label;
    acclmt_to_montgomery #(
      .Prime(acclmt_tb_build_pkg::Prime),
      .Reduction(i)
    ) u_to_montgomery (
      .clk_i,
      .rst_ni,
      .memory_config_i(acclmt_memory_pkg::MemoryConfigDefault),
      .clear_i(control[28]),
      .goldilocks_i(goldilocks),
      .prime_i(prime),
      .radix_squared_i(radix_squared),
      .valid_i(control[26]),
      .ready_o(to_ready[i]),
      .element_i(a),
      .label_i(control[29]),
      .not_below_prime_o(not_below_prime[i]),
      .slice_o(bad_slice[i]),
      .valid_o(to_valid[i]),
      .ready_i(control[27]),
      .residue_o(to_montgomery[i]),
      .label_o(unused_to_label),
      .idle_o(to_idle[i])
    );
    acclmt_from_montgomery #(
      .Prime(acclmt_tb_build_pkg::Prime),
      .Reduction(i)
    ) u_from_montgomery (
      .clk_i,
      .rst_ni,
      .memory_config_i(acclmt_memory_pkg::MemoryConfigDefault),
      .clear_i(control[28]),
      .goldilocks_i(goldilocks),
      .prime_i(prime),
      .valid_i(control[26]),
      .ready_o(from_ready[i]),
      .residue_i(a),
      .label_i(control[29]),
      .valid_o(from_valid[i]),
      .ready_i(control[27]),
      .element_o(from_montgomery[i]),
      .label_o(unused_from_label)
    );
  end

  // ---- Blocks of a round ------------------------------------------------------------------------

  acclmt_pkg::word_t power, dot, dot_across, scaled;
  acclmt_sbox #(
    .Prime(acclmt_tb_build_pkg::Prime),
    .Reduction(acclmt_tb_build_pkg::Reduction)
  ) u_sbox (
    .clk_i,
    .rst_ni,
    .memory_config_i(acclmt_memory_pkg::MemoryConfigDefault),
    .clear_i(control[28]),
    .goldilocks_i(goldilocks),
    .prime_i(prime),
    .alpha_i(acclmt_pkg::alpha_e'(control[25:24])),
    .valid_i(control[7]),
    .x_i(a),
    .bypass_i(control[23:20]),
    .y_o(power)
  );
  logic [1:0][Lanes-1:0][ProductWidth-1:0] dot_products;
  logic [1:0][Slices-1:0][ChunkWidth-1:0] dot_sums;
  acclmt_dot_product #(
    .Prime(acclmt_tb_build_pkg::Prime),
    .Reduction(acclmt_tb_build_pkg::Reduction)
  ) u_dot_product (
    .clk_i,
    .goldilocks_i(goldilocks),
    .prime_i(prime),
    .element_i({c, b, a}),
    .coefficient_i({a, c, b}),
    .first_i(control[6]),
    .enable_i(control[18:16]),
    .product_o(dot_products[0]),
    .sum_o(dot_sums[0]),
    .take_other_i(control[19]),
    .other_i(value),
    .result_o(dot)
  );
  acclmt_dot_product #(
    .Prime(acclmt_tb_build_pkg::Prime),
    .Reduction(acclmt_tb_build_pkg::Reduction),
    .Across(1'b1)
  ) u_dot_product_across (
    .clk_i,
    .goldilocks_i(goldilocks),
    .prime_i(prime),
    .element_i({c, b, a}),
    .coefficient_i({a, c, b}),
    .first_i(control[6]),
    .enable_i(control[18:16]),
    .product_o(dot_products[1]),
    .sum_o(dot_sums[1]),
    .take_other_i(control[19]),
    .other_i(value),
    .result_o(dot_across)
  );
  acclmt_scaled_add #(
    .Prime(acclmt_tb_build_pkg::Prime),
    .Reduction(acclmt_tb_build_pkg::Reduction)
  ) u_scaled_add (
    .clk_i,
    .rst_ni,
    .memory_config_i(acclmt_memory_pkg::MemoryConfigDefault),
    .goldilocks_i(goldilocks),
    .prime_i(prime),
    .addend_i(a),
    .factor_i(b),
    .coefficient_i(c),
    .result_o(scaled)
  );

  // ---- Common blocks ----------------------------------------------------------------------------

  acclmt_pkg::word_t delayed, head, stored;
  logic fifo_ready, fifo_valid;
  acclmt_delay #(
    .Width(WordWidth),
    .Cycles(DelayCycles)
  ) u_delay (
    .clk_i,
    .rst_ni,
    .memory_config_i(acclmt_memory_pkg::MemoryConfigDefault),
    .data_i(a),
    .data_o(delayed)
  );
  acclmt_fifo #(
    .Width(WordWidth),
    .Depth(FifoDepth)
  ) u_fifo (
    .clk_i,
    .rst_ni,
    .memory_config_i(acclmt_memory_pkg::MemoryConfigDefault),
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
    .memory_config_i(acclmt_memory_pkg::MemoryConfigDefault),
    .write_enable_i(control[4]),
    .write_address_i(control[11:8]),
    .write_data_i(a),
    .read_enable_i(control[5]),
    .read_address_i(control[15:12]),
    .read_data_o(stored)
  );

  logic [31:0] flags;
  assign flags = {
    14'b0, bad_slice, from_valid, from_ready, not_below_prime, to_idle, to_valid, to_ready,
    fifo_valid, fifo_ready
  };
  assign out_o = {
    flags, stored, head, delayed, scaled, dot_across, dot, power,
    from_montgomery[1], to_montgomery[1], sum[1], residue[1],
    from_montgomery[0], to_montgomery[0], sum[0], residue[0],
    16'b0, across, 16'b0, accumulated, square, product
  };

  // Spare bits of the packed input, and what only the engines use.
  logic unused_input;
  assign unused_input = ^{
    in_i[41*32-1:24*32+Slices*ChunkWidth], control[31:29], dot_products, dot_sums
  };

endmodule

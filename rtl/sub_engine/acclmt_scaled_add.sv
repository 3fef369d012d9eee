// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Update of an element in a sparse matrix product: result = addend + factor * coefficient.
///
/// Handshake:  none; addend, factor and coefficient enter together, and the result leaves
///             `acclmt_timing_pkg::mod_mul_latency` + 1 = 14 cycles (20 with the run-time
///             reduction) later.
/// Throughput: one update a cycle; four in Goldilocks mode.
module acclmt_scaled_add #(
  /// The modulus, whether Goldilocks mode exists, and the kind of reduction.
  parameter acclmt_pkg::word_t Prime = acclmt_pkg::PrimeBls12381,
  parameter bit Goldilocks = 1'b1,
  parameter int unsigned Reduction = acclmt_pkg::ReductionConstant
) (
  /// Clock and reset (of the delay line's pointer).
  input logic clk_i,
  input logic rst_ni,
  /// Configuration of the memories below, see acclmt_memory_pkg; quasi-static. Its bits: a module
  /// that Verilator 5.006 builds by itself (tb/rtl) has no structures at its ports.
  input logic [acclmt_memory_pkg::MemoryConfigWidth-1:0] memory_config_i,
  /// Goldilocks mode and run-time modulus; stable while operands are inside.
  input logic goldilocks_i,
  input acclmt_pkg::word_t prime_i,
  /// Operands, canonical residues.
  input logic [acclmt_pkg::WordWidth-1:0] addend_i,
  input logic [acclmt_pkg::WordWidth-1:0] factor_i,
  input logic [acclmt_pkg::WordWidth-1:0] coefficient_i,
  /// Canonical residue of the result.
  output logic [acclmt_pkg::WordWidth-1:0] result_o
);

  localparam int unsigned WordWidth = acclmt_pkg::WordWidth;

  logic [acclmt_pkg::ProductWidth-1:0] product;
  logic [WordWidth-1:0] scaled, addend;

  acclmt_mul #(
    .Goldilocks(Goldilocks)
  ) u_mul (
    .clk_i,
    .goldilocks_i,
    .a_i(factor_i),
    .b_i(coefficient_i),
    .product_o(product)
  );
  acclmt_reduce #(
    .Prime(Prime),
    .Goldilocks(Goldilocks),
    .Reduction(Reduction)
  ) u_reduce (
    .clk_i,
    .goldilocks_i,
    .prime_i,
    .value_i(acclmt_pkg::product_as_sum(product)),
    .residue_o(scaled)
  );
  acclmt_delay #(
    .Width(WordWidth),
    .Cycles(acclmt_timing_pkg::mod_mul_latency(int'(Reduction)))
  ) u_addend (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .data_i(addend_i),
    .data_o(addend)
  );
  acclmt_mod_add #(
    .Prime(Prime),
    .Goldilocks(Goldilocks),
    .Reduction(Reduction)
  ) u_add (
    .clk_i,
    .goldilocks_i,
    .prime_i,
    .a_i(addend),
    .b_i(scaled),
    .sum_o(result_o)
  );

endmodule

// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Three lanes of a row of a matrix, by pairs, in steps, with one reduction: the sum over the steps
/// and the lanes of (a + x)(b + y), plus what the sum begins with.
///
/// The full products are added, step by step, and only the sum is reduced. In Goldilocks mode each
/// slice has a sum of its own.
///
/// Handshake:  none; the sum of a step and those since the last `first_i` leaves
///             `OperandLatency` + `acclmt_timing_pkg::dot_latency` = 16 cycles (22 with the
///             run-time reduction) after the operands of the step, in order.
/// Throughput: one step a cycle.
module acclmt_pair_row #(
  /// The modulus, whether Goldilocks mode exists, and the kind of reduction.
  parameter acclmt_pkg::word_t Prime = acclmt_pkg::PrimeBls12381,
  parameter bit Goldilocks = 1'b1,
  parameter int unsigned Reduction = acclmt_pkg::ReductionConstant
) (
  /// Clock.
  input logic clk_i,
  /// Goldilocks mode and run-time modulus; stable while operands are inside.
  input logic goldilocks_i,
  input logic [acclmt_pkg::WordWidth-1:0] prime_i,
  /// Coefficients a and b, elements x and y, canonical residues.
  input logic [acclmt_pkg::Lanes-1:0][acclmt_pkg::WordWidth-1:0] a_i,
  input logic [acclmt_pkg::Lanes-1:0][acclmt_pkg::WordWidth-1:0] x_i,
  input logic [acclmt_pkg::Lanes-1:0][acclmt_pkg::WordWidth-1:0] b_i,
  input logic [acclmt_pkg::Lanes-1:0][acclmt_pkg::WordWidth-1:0] y_i,
  /// With the products, `OperandLatency` + `MulLatency` cycles after their operands: the first step
  /// of a sum, and what it begins with.
  input logic first_i,
  input logic [acclmt_pkg::Slices-1:0][acclmt_pkg::ChunkWidth-1:0] initial_i,
  /// Canonical residue of the sum.
  output logic [acclmt_pkg::WordWidth-1:0] result_o
);

  localparam int unsigned Lanes = acclmt_pkg::Lanes;

  logic [Lanes-1:0][acclmt_pkg::ProductWidth-1:0] product;
  for (genvar lane = 0; lane < Lanes; lane++) begin : gen_lane
    acclmt_pair_product #(
      .Prime(Prime),
      .Goldilocks(Goldilocks),
      .Reduction(Reduction)
    ) u_product (
      .clk_i,
      .goldilocks_i,
      .prime_i,
      .a_i(a_i[lane]),
      .x_i(x_i[lane]),
      .b_i(b_i[lane]),
      .y_i(y_i[lane]),
      .negative_i(1'b0),
      .product_o(product[lane])
    );
  end

  logic [acclmt_pkg::Slices-1:0][acclmt_pkg::ChunkWidth-1:0] sum;
  acclmt_accumulate #(
    .Goldilocks(Goldilocks)
  ) u_accumulate (
    .clk_i,
    .goldilocks_i,
    .first_i,
    .initial_i,
    .product_i(product),
    .sum_o(sum)
  );

  acclmt_reduce #(
    .Prime(Prime),
    .Goldilocks(Goldilocks),
    .Reduction(Reduction)
  ) u_reduce (
    .clk_i,
    .goldilocks_i,
    .prime_i,
    .value_i(sum),
    .residue_o(result_o)
  );

endmodule

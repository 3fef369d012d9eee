// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Dot product, in steps of three elements, with one reduction: the sum over the steps and the
/// lanes of element_i[lane] * coefficient_i[lane].
///
/// The full products are added, step by step, and only the sum is reduced. In Goldilocks mode each
/// slice has a sum of its own, or with `Across` all slices are added into slice 0.
///
/// A second sum can take the place of this one at the reduction: `other_i`, if `take_other_i`.
///
/// Handshake:  none; the sum of a step and those since the last `first_i` leaves
///             `acclmt_timing_pkg::dot_latency` = 15 cycles (21 with the run-time reduction) after
///             the operands of the step, in order.
/// Throughput: one step a cycle.
module acclmt_dot_product #(
  /// The modulus, whether Goldilocks mode exists, and the kind of reduction.
  parameter acclmt_pkg::word_t Prime = acclmt_pkg::PrimeBls12381,
  parameter bit Goldilocks = 1'b1,
  parameter int unsigned Reduction = acclmt_pkg::ReductionConstant,
  /// Goldilocks mode: add the slices.
  parameter bit Across = 1'b0
) (
  /// Clock.
  input logic clk_i,
  /// Goldilocks mode and run-time modulus; stable while operands are inside.
  input logic goldilocks_i,
  input acclmt_pkg::word_t prime_i,
  /// Elements and coefficients, canonical residues.
  input logic [acclmt_pkg::Lanes-1:0][acclmt_pkg::WordWidth-1:0] element_i,
  input logic [acclmt_pkg::Lanes-1:0][acclmt_pkg::WordWidth-1:0] coefficient_i,
  /// With the products, `MulLatency` cycles after their operands: the first step of a sum, and the
  /// lanes that count.
  input logic first_i,
  input logic [acclmt_pkg::Lanes-1:0] enable_i,
  /// The products, `MulLatency` cycles after their operands.
  output logic [acclmt_pkg::Lanes-1:0][acclmt_pkg::ProductWidth-1:0] product_o,
  /// The sum before its reduction, `AccumulateLatency` cycles after the products, and another one
  /// to reduce in its place.
  output logic [acclmt_pkg::Slices-1:0][acclmt_pkg::ChunkWidth-1:0] sum_o,
  input logic take_other_i,
  input logic [acclmt_pkg::Slices-1:0][acclmt_pkg::ChunkWidth-1:0] other_i,
  /// Canonical residue of the dot product.
  output logic [acclmt_pkg::WordWidth-1:0] result_o
);

  localparam int unsigned Lanes = acclmt_pkg::Lanes;

  for (genvar lane = 0; lane < Lanes; lane++) begin : gen_lane
    acclmt_mul #(
      .Goldilocks(Goldilocks)
    ) u_mul (
      .clk_i,
      .goldilocks_i,
      .a_i(element_i[lane]),
      .b_i(coefficient_i[lane]),
      .product_o(product_o[lane])
    );
  end

  acclmt_accumulate #(
    .Goldilocks(Goldilocks),
    .Across(Across)
  ) u_accumulate (
    .clk_i,
    .goldilocks_i,
    .first_i,
    .enable_i,
    .product_i(product_o),
    .sum_o
  );

  acclmt_reduce #(
    .Prime(Prime),
    .Goldilocks(Goldilocks),
    .Reduction(Reduction)
  ) u_reduce (
    .clk_i,
    .goldilocks_i,
    .prime_i,
    .value_i(take_other_i ? other_i : sum_o),
    .residue_o(result_o)
  );

endmodule

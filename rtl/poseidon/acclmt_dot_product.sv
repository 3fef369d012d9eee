// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Dot product of two beats with one reduction: sum of element_i[k] * coefficient_i[k] over the
/// lanes.
///
/// The full products are added and reduced once, instead of one reduction a product.
///
/// Handshake:  none; a result leaves `Latency` = multiplier + sum + reduction = 14 cycles after its
///             operands, in order.
/// Throughput: one dot product a cycle.
module acclmt_dot_product #(
  /// The modulus.
  parameter acclmt_pkg::word_t Prime = acclmt_pkg::PrimeBls12381
) (
  /// Clock.
  input logic clk_i,
  /// Elements and coefficients, canonical Montgomery residues.
  input logic [acclmt_pkg::Lanes-1:0][acclmt_pkg::WordWidth-1:0] element_i,
  input logic [acclmt_pkg::Lanes-1:0][acclmt_pkg::WordWidth-1:0] coefficient_i,
  /// Canonical Montgomery residue of the dot product.
  output logic [acclmt_pkg::WordWidth-1:0] result_o
);

  localparam int unsigned Lanes = acclmt_pkg::Lanes;
  localparam int unsigned ProductWidth = acclmt_pkg::ProductWidth;
  localparam int unsigned SumWidth = acclmt_pkg::SumWidth;

  if (Lanes != 3) begin : gen_illegal_lanes
    $error("acclmt_dot_product: the sum is written for 3 lanes, not %0d", Lanes);
  end

  logic [Lanes-1:0][ProductWidth-1:0] product;
  for (genvar lane = 0; lane < Lanes; lane++) begin : gen_lane
    acclmt_mul u_mul (
      .clk_i,
      .a_i(element_i[lane]),
      .b_i(coefficient_i[lane]),
      .product_o(product[lane])
    );
  end

  logic [SumWidth-1:0] sum_q;
  always_ff @(posedge clk_i) begin
    sum_q <= SumWidth'(product[0]) + SumWidth'(product[1]) + SumWidth'(product[2]);
  end

  acclmt_reduce #(
    .Prime(Prime)
  ) u_reduce (
    .clk_i,
    .value_i(sum_q),
    .residue_o(result_o)
  );

endmodule

// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Update of an element in a sparse matrix product: result = addend + factor * coefficient.
///
/// Handshake:  none; the factor and the coefficient enter together, the addend enters with them,
///             and the result leaves `acclmt_pkg::LinearLatency` = 15 cycles later: as long as a
///             dot product and the addition of its round constant take.
/// Throughput: one update a cycle.
module acclmt_scaled_add #(
  /// The modulus.
  parameter acclmt_pkg::word_t Prime = acclmt_pkg::PrimeBls12381
) (
  /// Clock and reset (of the delay line's pointer).
  input logic clk_i,
  input logic rst_ni,
  /// Operands, canonical Montgomery residues.
  input logic [acclmt_pkg::WordWidth-1:0] addend_i,
  input logic [acclmt_pkg::WordWidth-1:0] factor_i,
  input logic [acclmt_pkg::WordWidth-1:0] coefficient_i,
  /// Canonical Montgomery residue of the result.
  output logic [acclmt_pkg::WordWidth-1:0] result_o
);

  localparam int unsigned WordWidth = acclmt_pkg::WordWidth;
  localparam int unsigned ProductWidth = acclmt_pkg::ProductWidth;
  localparam int unsigned SumPad = acclmt_pkg::SumWidth - ProductWidth;

  logic [ProductWidth-1:0] product;
  logic [WordWidth-1:0] scaled, addend, sum;

  acclmt_mul u_mul (
    .clk_i,
    .a_i(factor_i),
    .b_i(coefficient_i),
    .product_o(product)
  );
  acclmt_reduce #(
    .Prime(Prime)
  ) u_reduce (
    .clk_i,
    .value_i({{SumPad{1'b0}}, product}),
    .residue_o(scaled)
  );
  acclmt_delay #(
    .Width(WordWidth),
    .Cycles(acclmt_pkg::ModMulLatency)
  ) u_addend (
    .clk_i,
    .rst_ni,
    .data_i(addend_i),
    .data_o(addend)
  );
  acclmt_mod_add #(
    .Prime(Prime)
  ) u_add (
    .clk_i,
    .a_i(addend),
    .b_i(scaled),
    .sum_o(sum)
  );
  // A dot product has a stage more: the sum of its products.
  acclmt_delay #(
    .Width(WordWidth),
    .Cycles(acclmt_pkg::SumLatency)
  ) u_align (
    .clk_i,
    .rst_ni,
    .data_i(sum),
    .data_o(result_o)
  );

endmodule

// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Poseidon S-box x^5: two squarings and a multiplication, each followed by a reduction.
///
/// Handshake:  none; a result leaves `acclmt_pkg::SboxLatency` = 39 cycles after its element, in
///             order.
/// Throughput: one element a cycle.
///
/// With `Bypass` the element itself accompanies its power, and `bypass_i` chooses it at the output:
/// the elements of a partial round that pass no S-box.
module acclmt_sbox #(
  /// The modulus.
  parameter acclmt_pkg::word_t Prime = acclmt_pkg::PrimeBls12381,
  /// Whether `bypass_i` exists.
  parameter bit Bypass = 1'b0
) (
  /// Clock and reset (of the delay lines' pointers).
  input logic clk_i,
  input logic rst_ni,
  /// Element x, canonical Montgomery residue.
  input logic [acclmt_pkg::WordWidth-1:0] x_i,
  /// In the cycle of the result: take x instead of x^5.
  input logic bypass_i,
  /// x^5, or x.
  output logic [acclmt_pkg::WordWidth-1:0] y_o
);

  localparam int unsigned WordWidth = acclmt_pkg::WordWidth;
  localparam int unsigned ProductWidth = acclmt_pkg::ProductWidth;
  localparam int unsigned SumPad = acclmt_pkg::SumWidth - ProductWidth;

  logic [ProductWidth-1:0] square_product, fourth_product, fifth_product;
  logic [WordWidth-1:0] square, fourth, fifth, x_with_fourth;

  acclmt_sqr u_square (
    .clk_i,
    .a_i(x_i),
    .square_o(square_product)
  );
  acclmt_reduce #(
    .Prime(Prime)
  ) u_reduce_square (
    .clk_i,
    .value_i({{SumPad{1'b0}}, square_product}),
    .residue_o(square)
  );

  acclmt_sqr u_fourth (
    .clk_i,
    .a_i(square),
    .square_o(fourth_product)
  );
  acclmt_reduce #(
    .Prime(Prime)
  ) u_reduce_fourth (
    .clk_i,
    .value_i({{SumPad{1'b0}}, fourth_product}),
    .residue_o(fourth)
  );

  acclmt_delay #(
    .Width(WordWidth),
    .Cycles(2 * acclmt_pkg::ModMulLatency)
  ) u_delay_to_fourth (
    .clk_i,
    .rst_ni,
    .data_i(x_i),
    .data_o(x_with_fourth)
  );
  acclmt_mul u_fifth (
    .clk_i,
    .a_i(fourth),
    .b_i(x_with_fourth),
    .product_o(fifth_product)
  );
  acclmt_reduce #(
    .Prime(Prime)
  ) u_reduce_fifth (
    .clk_i,
    .value_i({{SumPad{1'b0}}, fifth_product}),
    .residue_o(fifth)
  );

  if (Bypass) begin : gen_bypass
    logic [WordWidth-1:0] x_with_fifth;
    acclmt_delay #(
      .Width(WordWidth),
      .Cycles(acclmt_pkg::ModMulLatency)
    ) u_delay_to_fifth (
      .clk_i,
      .rst_ni,
      .data_i(x_with_fourth),
      .data_o(x_with_fifth)
    );
    assign y_o = bypass_i ? x_with_fifth : fifth;
  end else begin : gen_no_bypass
    logic unused_bypass;
    assign unused_bypass = bypass_i;
    assign y_o = fifth;
  end

endmodule

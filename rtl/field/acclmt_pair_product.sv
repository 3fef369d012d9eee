// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Product of two sums of a coefficient and an element, with which one multiplication does the work
/// of two (Winograd 1968):
///
///     (a + x)(b + y) = a * y + b * x  +  a * b + x * y
///
/// The product of the coefficients is in a constant that the host makes; the product of the
/// elements is the same for many coefficients, and -x * y is added to all their sums. It is made by
/// a multiplier of this kind, too: (p - x)(0 + y).
///
/// Handshake:  none; a product leaves `OperandLatency` + `MulLatency` = 7 cycles after its
///             operands, in order.
/// Throughput: one product a cycle.
module acclmt_pair_product #(
  /// The modulus, whether Goldilocks mode exists, and the kind of reduction.
  parameter acclmt_pkg::word_t Prime = acclmt_pkg::PrimeBls12381,
  parameter bit Goldilocks = 1'b1,
  parameter int unsigned Reduction = acclmt_pkg::ReductionConstant,
  /// Whether p - x can take the place of a + x.
  parameter bit Negative = 1'b0
) (
  /// Clock.
  input logic clk_i,
  /// Goldilocks mode, four products of 64-bit slices, and run-time modulus; static.
  input logic goldilocks_i,
  input logic [acclmt_pkg::WordWidth-1:0] prime_i,
  /// Coefficients a and b, elements x and y, canonical residues; whether p - x takes the place of
  /// a + x, in Goldilocks mode in slice 0.
  input logic [acclmt_pkg::WordWidth-1:0] a_i,
  input logic [acclmt_pkg::WordWidth-1:0] x_i,
  input logic [acclmt_pkg::WordWidth-1:0] b_i,
  input logic [acclmt_pkg::WordWidth-1:0] y_i,
  input logic negative_i,
  /// Product, registered.
  output logic [acclmt_pkg::ProductWidth-1:0] product_o
);

  logic [acclmt_pkg::WordWidth-1:0] left, right;

  acclmt_operand_add #(
    .Prime(Prime),
    .Goldilocks(Goldilocks),
    .Reduction(Reduction),
    .Negative(Negative)
  ) u_left (
    .clk_i,
    .goldilocks_i,
    .prime_i,
    .coefficient_i(a_i),
    .element_i(x_i),
    .negative_i,
    .operand_o(left)
  );
  acclmt_operand_add #(
    .Prime(Prime),
    .Goldilocks(Goldilocks),
    .Reduction(Reduction)
  ) u_right (
    .clk_i,
    .goldilocks_i,
    .prime_i,
    .coefficient_i(b_i),
    .element_i(y_i),
    .negative_i(1'b0),
    .operand_o(right)
  );
  acclmt_pkg::product_t unused_beside;
  acclmt_mul #(
    .Goldilocks(Goldilocks)
  ) u_mul (
    .clk_i,
    .goldilocks_i,
    .a_i(left),
    .b_i(right),
    .product_o,
    .beside_a_i('0),
    .beside_b_i('0),
    .beside_o(unused_beside)
  );

endmodule

// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Textbook Montgomery multiplier, the yardstick of the area flow; no part of the chip.
///
///     t      = a * b
///     m      = (t mod R) * (-1/prime mod R) mod R              with R = 2^256
///     result = (t + m * prime) / R, less prime if it is not below it
///
/// Three full Karatsuba multipliers, as the AcclMT paper and TRIDENT use them, here the multiplier of
/// the chip without its Goldilocks mode. The modulus is an operand. The low halves of t and
/// m * prime add up to R, and carry, unless both are zero.
///
/// Handshake:  none; a result leaves `Latency` = 20 cycles after its operands, in order.
/// Throughput: one product a cycle.
module acclmt_baseline_montgomery (
  /// Clock and reset (of the delay line's pointer only).
  input logic clk_i,
  input logic rst_ni,
  /// Modulus: odd, below 2^255; and -1/modulus mod R. Static.
  input logic [acclmt_pkg::WordWidth-1:0] prime_i,
  input logic [acclmt_pkg::WordWidth-1:0] negative_inverse_i,
  /// Operands, residues below the modulus.
  input logic [acclmt_pkg::WordWidth-1:0] a_i,
  input logic [acclmt_pkg::WordWidth-1:0] b_i,
  /// a * b / R mod prime, registered.
  output logic [acclmt_pkg::WordWidth-1:0] residue_o
);

  localparam int unsigned WordWidth = acclmt_pkg::WordWidth;
  localparam int unsigned MulLatency = acclmt_latency_pkg::MulLatency;

  logic [2*WordWidth-1:0] product, quotient, multiple;
  acclmt_pkg::product_t unused_beside_0;
  acclmt_mul #(
    .Goldilocks(1'b0)
  ) u_product (
    .clk_i,
    .goldilocks_i(1'b0),
    .a_i,
    .b_i,
    .product_o(product),
    .beside_a_i('0),
    .beside_b_i('0),
    .beside_o(unused_beside_0)
  );
  acclmt_pkg::product_t unused_beside_1;
  acclmt_mul #(
    .Goldilocks(1'b0)
  ) u_quotient (
    .clk_i,
    .goldilocks_i(1'b0),
    .a_i(product[WordWidth-1:0]),
    .b_i(negative_inverse_i),
    .product_o(quotient),
    .beside_a_i('0),
    .beside_b_i('0),
    .beside_o(unused_beside_1)
  );
  acclmt_pkg::product_t unused_beside_2;
  acclmt_mul #(
    .Goldilocks(1'b0)
  ) u_multiple (
    .clk_i,
    .goldilocks_i(1'b0),
    .a_i(quotient[WordWidth-1:0]),
    .b_i(prime_i),
    .product_o(multiple),
    .beside_a_i('0),
    .beside_b_i('0),
    .beside_o(unused_beside_2)
  );

  // The high half of the product waits for the other two multiplications, and whether the low half
  // is zero.
  logic [WordWidth-1:0] high;
  logic carry, unused_fault;
  acclmt_delay #(
    .Width(WordWidth + 1),
    .Cycles(2 * MulLatency)
  ) u_high (
    .clk_i,
    .rst_ni,
    .memory_config_i(acclmt_memory_pkg::MemoryConfigDefault),
    .memory_fault_o(unused_fault),
    .data_i({|product[WordWidth-1:0], product[2*WordWidth-1:WordWidth]}),
    .data_o({carry, high})
  );

  // Below twice the modulus, so below 2^256.
  logic [WordWidth-1:0] sum_q, residue_q;
  logic [WordWidth:0] difference;
  assign difference = {1'b0, sum_q} - {1'b0, prime_i};
  always_ff @(posedge clk_i) begin
    sum_q <= high + multiple[2*WordWidth-1:WordWidth] + WordWidth'(carry);
    residue_q <= difference[WordWidth] ? sum_q : difference[WordWidth-1:0];
  end
  assign residue_o = residue_q;

  logic unused_halves;
  assign unused_halves = ^{quotient[2*WordWidth-1:WordWidth], multiple[WordWidth-1:0]};

endmodule

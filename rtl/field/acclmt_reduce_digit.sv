// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// One step of the Montgomery reduction by a prime that is set at run time: clears the lowest digit
/// q of the remainder by a multiple of the prime p = 1 mod 2^28, and takes the next digit d of the
/// value in at the top:
///
///     result = (remainder - q * p) / 2^28 + d * 2^228
///            = (remainder >> 28) - q * (p >> 28) + d * 2^228
///
/// From -p < remainder < 2^256 follows the same of the result.
///
/// Handshake:  none; a result leaves one cycle after its remainder.
/// Throughput: one remainder a cycle.
module acclmt_reduce_digit (
  /// Clock.
  input logic clk_i,
  /// p >> 28; zero leaves the digits as they are.
  input logic [acclmt_pkg::RuntimeMultiplierBits-1:0] multiplier_i,
  /// What is left of the digits so far, signed.
  input logic [acclmt_pkg::WordWidth:0] remainder_i,
  /// The digit of the value above them.
  input logic [acclmt_pkg::RuntimeDigitBits-1:0] digit_i,
  /// What is left after the step, signed, registered.
  output logic [acclmt_pkg::WordWidth:0] remainder_o
);

  localparam int unsigned Width = acclmt_pkg::WordWidth + 1;
  localparam int unsigned DigitBits = acclmt_pkg::RuntimeDigitBits;

  // As wide as the sum, so that synthesis adds its rows up with the other terms.
  logic [Width-1:0] product;
  assign product = Width'(multiplier_i) * Width'(remainder_i[DigitBits-1:0]);

  logic [Width-1:0] shifted, entered, remainder_q;
  assign shifted = {{DigitBits{remainder_i[Width-1]}}, remainder_i[Width-1:DigitBits]};
  assign entered = {1'b0, digit_i, {(Width - 1 - DigitBits) {1'b0}}};
  always_ff @(posedge clk_i) remainder_q <= shifted + entered - product;
  assign remainder_o = remainder_q;

endmodule

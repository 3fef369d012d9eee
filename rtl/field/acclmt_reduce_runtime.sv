// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Montgomery reduction by a prime that is set at run time: result = value / R mod prime, for the
/// primes p = 1 mod 2^28 between 2^250 and 2^255.
///
/// Ten steps (`acclmt_reduce_digit`) clear a digit of 28 bits each. Because p is 1 modulo 2^28, the
/// lowest digit q of the value is the multiple of p to subtract, and no other product than
/// q * (p >> 28) is needed:
///
///     value' = (value - q * p) / 2^28 = (value >> 28) - q * (p >> 28)
///
/// A step works on the lowest 256 bits and a sign; the digits above them wait and enter one by one.
/// The value may become negative, but stays above -p: from value > -p and q <= 2^28 - 1 follows
/// value' > (-p - (2^28 - 1) * p) / 2^28 = -p. A value of at most 512 * p^2 ends below p,
/// because 512 * p < R, so that one addition of p to a negative end makes it canonical.
///
/// In Goldilocks mode the four residues enter as the uppermost digits, and the multiplier is zero,
/// so that nothing is subtracted from them.
///
/// Handshake:  none; a residue leaves `acclmt_timing_pkg::reduce_latency(ReductionRuntime)` = 13
///             cycles after its value, in order. The first stage only takes the value in and the
///             last one hands the residue out: the way to and from the steps has cycles of its own.
/// Throughput: one value a cycle.
module acclmt_reduce_runtime #(
  /// Whether Goldilocks mode exists.
  parameter bit Goldilocks = 1'b1
) (
  /// Clock.
  input logic clk_i,
  /// Goldilocks mode. Static.
  input logic goldilocks_i,
  /// The modulus p. Static.
  input logic [acclmt_pkg::WordWidth-1:0] prime_i,
  /// Value to reduce, at most 512 * p^2. Goldilocks mode: four values, any.
  input logic [acclmt_pkg::Slices-1:0][acclmt_pkg::ChunkWidth-1:0] value_i,
  /// Canonical residue of value / R, registered. Goldilocks mode: of the four values.
  output logic [acclmt_pkg::WordWidth-1:0] residue_o
);

  localparam int unsigned WordWidth = acclmt_pkg::WordWidth;
  localparam int unsigned SumWidth = acclmt_pkg::SumWidth;
  localparam int unsigned ChunkWidth = acclmt_pkg::ChunkWidth;
  localparam int unsigned DigitWidth = acclmt_pkg::DigitWidth;
  localparam int unsigned Digits = acclmt_latency_pkg::RuntimeDigits;
  localparam int unsigned DigitBits = acclmt_pkg::RuntimeDigitBits;
  localparam int unsigned RadixBits = Digits * DigitBits;

  logic goldilocks;
  assign goldilocks = Goldilocks && goldilocks_i;

  logic [WordWidth-1:0] goldilocks_residues;
  if (Goldilocks) begin : gen_goldilocks
    acclmt_reduce_goldilocks u_reduce (
      .clk_i,
      .value_i,
      .residue_o(goldilocks_residues)
    );
  end else begin : gen_no_goldilocks
    assign goldilocks_residues = '0;
    logic unused_room;
    assign unused_room = ^{value_i[2][ChunkWidth-1:DigitWidth], value_i[1][ChunkWidth-1:DigitWidth],
                           value_i[0][ChunkWidth-1:DigitWidth]};
  end

  // Stage 1: the value.
  logic [SumWidth-1:0] value_q;
  always_ff @(posedge clk_i) begin
    value_q <= {
      value_i[3], value_i[2][DigitWidth-1:0], value_i[1][DigitWidth-1:0], value_i[0][DigitWidth-1:0]
    };
  end

  // Stages 2 to 11: one digit each.
  logic [acclmt_pkg::RuntimeMultiplierBits-1:0] multiplier;
  assign multiplier =
      goldilocks ? '0 : prime_i[DigitBits+:acclmt_pkg::RuntimeMultiplierBits];

  // What each step begins with, and the digits that have not entered by then.
  logic [Digits:0][WordWidth:0] remainder;
  logic [Digits-1:0][RadixBits-1:0] digits;
  assign remainder[0] = goldilocks ? '0 : {1'b0, value_q[WordWidth-1:0]};
  assign digits[0] = goldilocks ? {goldilocks_residues, {(RadixBits - WordWidth) {1'b0}}} :
      RadixBits'(value_q[SumWidth-1:WordWidth]);
  for (genvar i = 0; i < Digits; i++) begin : gen_digit
    acclmt_reduce_digit u_digit (
      .clk_i,
      .multiplier_i(multiplier),
      .remainder_i(remainder[i]),
      .digit_i(digits[i][DigitBits*i+:DigitBits]),
      .remainder_o(remainder[i+1])
    );
    if (i + 1 < Digits) begin : gen_later_digits
      localparam int unsigned Low = DigitBits * (i + 1);
      logic [RadixBits-1:Low] later_q;
      always_ff @(posedge clk_i) later_q <= digits[i][RadixBits-1:Low];
      assign digits[i+1] = {later_q, {Low{1'b0}}};
    end
  end

  // Stage 12: one addition, if the end is negative; residues of Goldilocks mode are not. Stage 13.
  logic negative;
  logic [WordWidth-1:0] corrected_q, residue_q;
  assign negative = remainder[Digits][WordWidth];
  always_ff @(posedge clk_i) begin
    corrected_q <= remainder[Digits][WordWidth-1:0] + (negative ? prime_i : '0);
    residue_q <= corrected_q;
  end
  assign residue_o = residue_q;

  // Digits that have entered.
  logic unused_digits;
  assign unused_digits = ^digits;

endmodule

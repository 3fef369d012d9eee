// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Montgomery reduction by a prime that is set at run time: result = value / R mod prime, for the
/// primes p = 1 mod 2^28 between 2^250 and 2^255.
///
/// Ten steps clear a digit of 28 bits each. Because p is 1 modulo 2^28, the lowest digit q of the
/// value is the multiple of p to subtract, and no other product than q * (p >> 28) is needed:
///
///     value' = (value - q * p) / 2^28 = (value >> 28) - q * (p >> 28)
///
/// The value may become negative, but stays above -p: from value > -p and q <= 2^28 - 1 follows
/// value' > (-p - (2^28 - 1) * p) / 2^28 = -p. A value of at most 12 * (p - 1)^2 ends below p,
/// because 12 * p < R, so that one addition of p to a negative end makes it canonical.
///
/// In Goldilocks mode the four residues take the place of the digits above the ten, and the
/// multiplier is zero, so that nothing is subtracted from them.
///
/// Handshake:  none; a residue leaves `acclmt_pkg::reduce_latency(ReductionRuntime)` = 13 cycles
///             after its value, in order. The first stage only takes the value in and the last one
///             hands the residue out: the way to and from the steps has cycles of its own.
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
  /// Value to reduce, at most 12 * (p - 1)^2. Goldilocks mode: four values, any.
  input logic [acclmt_pkg::Slices-1:0][acclmt_pkg::ChunkWidth-1:0] value_i,
  /// Canonical residue of value / R, registered. Goldilocks mode: of the four values.
  output logic [acclmt_pkg::WordWidth-1:0] residue_o
);

  localparam int unsigned WordWidth = acclmt_pkg::WordWidth;
  localparam int unsigned SumWidth = acclmt_pkg::SumWidth;
  localparam int unsigned Digits = acclmt_latency_pkg::RuntimeDigits;
  localparam int unsigned DigitBits = acclmt_pkg::RuntimeDigitBits;
  localparam int unsigned RadixBits = Digits * DigitBits;
  // Columns of a value: a signed word remains above the digits.
  localparam int unsigned Columns = RadixBits + WordWidth;
  // Bits of p >> 28.
  localparam int unsigned MultiplierBits = 255 - DigitBits;

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
    assign unused_room = ^{value_i[2][131:128], value_i[1][131:128], value_i[0][131:128]};
  end

  // Stage 1: the value, or the residues of Goldilocks mode above the digits.
  logic [SumWidth-1:0] value_q;
  always_ff @(posedge clk_i) begin
    value_q <= {value_i[3], value_i[2][127:0], value_i[1][127:0], value_i[0][127:0]};
  end

  // Stages 2 to 11: one digit each. The columns stay where they are; those of the digits that are
  // cleared are dropped.
  logic [MultiplierBits-1:0] multiplier;
  assign multiplier = goldilocks ? '0 : prime_i[DigitBits+:MultiplierBits];

  logic [Digits:0][Columns-1:0] value;
  assign value[0] = goldilocks ? {goldilocks_residues, {RadixBits{1'b0}}} : Columns'(value_q);
  for (genvar i = 0; i < Digits; i++) begin : gen_digit
    localparam int unsigned Low = DigitBits * (i + 1);
    logic [DigitBits-1:0] digit;
    logic [MultiplierBits+DigitBits-1:0] product;
    logic [Columns-1:Low] next_q;
    assign digit = value[i][DigitBits*i+:DigitBits];
    assign product = multiplier * digit;
    always_ff @(posedge clk_i) next_q <= value[i][Columns-1:Low] - (Columns - Low)'(product);
    assign value[i+1] = {next_q, {Low{1'b0}}};
  end

  // Stage 12: one conditional addition; what is left in Goldilocks mode has no sign. Stage 13.
  logic [WordWidth-1:0] remainder, corrected_q, residue_q;
  logic negative;
  assign remainder = value[Digits][Columns-1:RadixBits];
  assign negative = remainder[WordWidth-1] && !goldilocks;
  always_ff @(posedge clk_i) begin
    corrected_q <= remainder + (negative ? prime_i : '0);
    residue_q <= corrected_q;
  end
  assign residue_o = residue_q;

  // Columns that are dropped.
  logic unused_columns;
  assign unused_columns = ^value;

endmodule

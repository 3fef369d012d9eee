// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Modular addition of two canonical residues: sum = a + b mod prime.
///
/// a + b and a + b - prime are computed side by side. In Goldilocks mode the same two adders work
/// on four slices: a bit between two slices hands the carry on or keeps it.
///
/// Handshake:  none; a sum leaves one cycle (`AddLatency`) after its operands, in order.
/// Throughput: one sum a cycle.
module acclmt_mod_add #(
  /// The modulus with `ReductionConstant`, below 2^255.
  parameter acclmt_pkg::word_t Prime = acclmt_pkg::PrimeBls12381,
  /// Whether Goldilocks mode exists.
  parameter bit Goldilocks = 1'b1,
  /// `acclmt_pkg::ReductionConstant` or `acclmt_pkg::ReductionRuntime`.
  parameter int unsigned Reduction = acclmt_pkg::ReductionConstant
) (
  /// Clock.
  input logic clk_i,
  /// Goldilocks mode: four sums of 64-bit slices. Static.
  input logic goldilocks_i,
  /// The modulus with `ReductionRuntime`, below 2^255. Static.
  input logic [acclmt_pkg::WordWidth-1:0] prime_i,
  /// Operands, below the modulus.
  input logic [acclmt_pkg::WordWidth-1:0] a_i,
  input logic [acclmt_pkg::WordWidth-1:0] b_i,
  /// Canonical sum, registered.
  output logic [acclmt_pkg::WordWidth-1:0] sum_o
);

  localparam int unsigned WordWidth = acclmt_pkg::WordWidth;
  localparam int unsigned SliceWidth = acclmt_pkg::SliceWidth;
  localparam int unsigned Slices = acclmt_pkg::Slices;

  if (Prime[WordWidth-1]) begin : gen_illegal_prime
    $error("acclmt_mod_add: Prime = %0h is not below 2^255", Prime);
  end

  logic goldilocks;
  assign goldilocks = Goldilocks && goldilocks_i;

  logic [WordWidth-1:0] prime;
  if (Reduction == acclmt_pkg::ReductionRuntime) begin : gen_runtime
    assign prime = goldilocks ? {Slices{acclmt_pkg::GoldilocksPrime}} : prime_i;
  end else begin : gen_constant
    assign prime = goldilocks ? {Slices{acclmt_pkg::GoldilocksPrime}} : Prime;
    logic unused_prime;
    assign unused_prime = ^prime_i;
  end

  // a + b - prime in redundant form, rest + carry: -prime is its complement and one, of the word or
  // of every slice.
  logic [WordWidth-1:0] rest, majority, carry;
  assign rest = a_i ^ b_i ^ ~prime;
  assign majority = (a_i & b_i) | ((a_i | b_i) & ~prime);

  // Operands with a bit above every slice: one in the first operand hands a carry on.
  logic [Slices-1:0][SliceWidth:0] a, b, sum, first, second, difference;
  logic [Slices-1:0] not_below;
  always_comb begin
    carry = {majority[WordWidth-2:0], 1'b1};
    for (int s = 0; s < int'(Slices); s++) begin
      if (goldilocks) carry[int'(SliceWidth)*s] = 1'b1;
      a[s] = {!goldilocks, a_i[int'(SliceWidth)*s+:SliceWidth]};
      b[s] = {1'b0, b_i[int'(SliceWidth)*s+:SliceWidth]};
      first[s] = {!goldilocks, rest[int'(SliceWidth)*s+:SliceWidth]};
      second[s] = {1'b0, carry[int'(SliceWidth)*s+:SliceWidth]};
    end
    sum = a + b;
    difference = first + second;
    // The difference is not negative if it carries out of its top bit. The bit above it shows
    // that, or the contrary where it hands the carry on.
    for (int s = 0; s < int'(Slices); s++) begin
      not_below[s] = majority[int'(SliceWidth)*(s+1)-1] ||
          (difference[s][SliceWidth] ^ !goldilocks);
    end
  end

  logic [WordWidth-1:0] sum_q;
  always_ff @(posedge clk_i) begin
    for (int s = 0; s < int'(Slices); s++) begin
      sum_q[int'(SliceWidth)*s+:SliceWidth] <= not_below[goldilocks ? s : int'(Slices) - 1] ?
          difference[s][SliceWidth-1:0] : sum[s][SliceWidth-1:0];
    end
  end
  assign sum_o = sum_q;

endmodule

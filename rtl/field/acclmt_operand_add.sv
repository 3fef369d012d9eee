// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Sum of a coefficient and an element, an operand of a multiplication; or p - x of an element x.
///
/// The sum of two canonical residues of the large prime needs no reduction: it is below 2^256. In
/// Goldilocks mode it may have 65 bits, and is reduced: s + 2^32 - 1 has a carry out of 64 bits
/// exactly if s is not below p, and is s - p without it. p - x, from 1 to p, never borrows and is
/// not reduced, so that p stands for zero.
///
/// Handshake:  none; a sum leaves one cycle (`OperandLatency`) after its operands, in order.
/// Throughput: one sum a cycle, four in Goldilocks mode.
module acclmt_operand_add #(
  /// The modulus with `ReductionConstant`, below 2^255.
  parameter acclmt_pkg::word_t Prime = acclmt_pkg::PrimeBls12381,
  /// Whether Goldilocks mode exists.
  parameter bit Goldilocks = 1'b1,
  /// `acclmt_pkg::ReductionConstant` or `acclmt_pkg::ReductionRuntime`.
  parameter int unsigned Reduction = acclmt_pkg::ReductionConstant,
  /// Whether the negative of an element can take the place of a sum.
  parameter bit Negative = 1'b0
) (
  /// Clock.
  input logic clk_i,
  /// Goldilocks mode: four sums of 64-bit slices. Static.
  input logic goldilocks_i,
  /// The modulus with `ReductionRuntime`, below 2^255. Static.
  input logic [acclmt_pkg::WordWidth-1:0] prime_i,
  /// Coefficient and element, canonical residues; whether the result is p - x. Goldilocks mode: in
  /// slice 0 alone.
  input logic [acclmt_pkg::WordWidth-1:0] coefficient_i,
  input logic [acclmt_pkg::WordWidth-1:0] element_i,
  input logic negative_i,
  /// The operand, registered.
  output logic [acclmt_pkg::WordWidth-1:0] operand_o
);

  localparam int unsigned WordWidth = acclmt_pkg::WordWidth;
  localparam int unsigned SliceWidth = acclmt_pkg::SliceWidth;
  localparam int unsigned Slices = acclmt_pkg::Slices;

  if (Prime[WordWidth-1]) begin : gen_illegal_prime
    $error("acclmt_operand_add: Prime = %0h is not below 2^255", Prime);
  end

  logic goldilocks;
  assign goldilocks = Goldilocks && goldilocks_i;

  // What is added: coefficient and element, or p and -x - 1 with a carry.
  logic [WordWidth-1:0] first, second;
  logic carry_in;
  logic [Slices-1:0] negative;
  if (Negative) begin : gen_negative
    logic [WordWidth-1:0] prime, mask;
    if (Reduction == acclmt_pkg::ReductionRuntime) begin : gen_runtime
      assign prime = prime_i;
    end else begin : gen_constant
      assign prime = Prime;
      logic unused_prime;
      assign unused_prime = ^prime_i;
    end
    assign negative = {{(Slices - 1) {negative_i && !goldilocks}}, negative_i};
    assign carry_in = negative_i;
    always_comb begin
      for (int s = 0; s < int'(Slices); s++) begin
        mask[int'(SliceWidth)*s+:SliceWidth] = {SliceWidth{negative[s]}};
      end
      first = negative_i && !goldilocks ? prime : coefficient_i;
      if (negative_i && goldilocks) first[SliceWidth-1:0] = acclmt_pkg::GoldilocksPrime;
      second = element_i ^ mask;
    end
  end else begin : gen_sum_only
    assign first = coefficient_i;
    assign second = element_i;
    assign carry_in = 1'b0;
    assign negative = '0;
    logic unused_negative;
    assign unused_negative = ^{negative_i, prime_i};
  end

  // Operands with a bit above every slice: one in the first operand hands a carry on.
  logic [Slices-1:0][SliceWidth:0] a, b, sum;
  logic [Slices-1:0][SliceWidth:0] reduced;
  always_comb begin
    for (int s = 0; s < int'(Slices); s++) begin
      a[s] = {!goldilocks, first[int'(SliceWidth)*s+:SliceWidth]};
      b[s] = {1'b0, second[int'(SliceWidth)*s+:SliceWidth]};
      reduced[s] = {1'b0, first[int'(SliceWidth)*s+:SliceWidth]} +
                   {1'b0, second[int'(SliceWidth)*s+:SliceWidth]} +
                   ({1'b0, ~acclmt_pkg::GoldilocksPrime} + 1'b1);
    end
    sum = a + b + (Slices * (SliceWidth + 1))'(carry_in);
  end

  logic [WordWidth-1:0] operand_q;
  always_ff @(posedge clk_i) begin
    for (int s = 0; s < int'(Slices); s++) begin
      operand_q[int'(SliceWidth)*s+:SliceWidth] <=
          (goldilocks && !negative[s] && reduced[s][SliceWidth]) ? reduced[s][SliceWidth-1:0]
                                                                 : sum[s][SliceWidth-1:0];
    end
  end
  assign operand_o = operand_q;

endmodule

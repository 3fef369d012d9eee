// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Montgomery reduction by a prime that is fixed at elaboration: result = value / R mod Prime.
///
///     m      = (value mod R) * (-1/Prime mod R) mod R
///     result = (value + m * Prime) / R, less Prime if it is not below it
///
/// Both multiplications are by constants (`acclmt_const_mul`). The low half of m * Prime is never
/// built: it is known to be the negative of value mod R, so that only its carry into the high half is
/// needed, which the top column of the carry-save form gives.
///
/// The value may be a sum of up to twelve products of residues, 12 * (Prime - 1)^2: with R = 2^260 and
/// Prime < 2^255 the quotient stays below 1.375 * Prime, and one subtraction makes it canonical.
///
/// Handshake:  none; a residue leaves `acclmt_pkg::ReduceLatency` = 7 cycles after its value, in order.
/// Throughput: one value a cycle.
module acclmt_reduce #(
  /// The modulus: odd, 2^250 < Prime < 2^255.
  parameter acclmt_pkg::word_t Prime = acclmt_pkg::PrimeBls12381
) (
  /// Clock.
  input logic clk_i,
  /// Value to reduce, at most 12 * (Prime - 1)^2.
  input logic [acclmt_pkg::SumWidth-1:0] value_i,
  /// Canonical residue of value / R, registered.
  output logic [acclmt_pkg::WordWidth-1:0] residue_o
);

  localparam int unsigned RadixBits = acclmt_pkg::MontgomeryBits;
  localparam int unsigned WordWidth = acclmt_pkg::WordWidth;
  localparam int unsigned SumWidth = acclmt_pkg::SumWidth;
  localparam int unsigned HighWidth = SumWidth - RadixBits;
  localparam acclmt_pkg::radix_t NegativeInverse = acclmt_pkg::negative_inverse(Prime);

  if (!Prime[0] || Prime[WordWidth-1:255] != 0 || Prime[254:250] == 0) begin : gen_illegal_prime
    $error("acclmt_reduce: Prime = %0h is not an odd number between 2^250 and 2^255", Prime);
  end

  // Stage 1: odd multiples of the low half, modulo R.
  logic [RadixBits-1:0] low, low1_q, low3_q, low5_q;
  assign low = value_i[RadixBits-1:0];
  always_ff @(posedge clk_i) begin
    low1_q <= low;
    low3_q <= low + {low[RadixBits-2:0], 1'b0};
    low5_q <= low + {low[RadixBits-3:0], 2'b0};
  end

  // Stage 2: m in carry-save form.
  logic [RadixBits-1:0] m_sum, m_carry, m_sum_q, m_carry_q;
  acclmt_const_mul #(
    .LowColumn(0),
    .HighColumn(RadixBits),
    .Constant(NegativeInverse)
  ) u_quotient (
    .x1_i(low1_q),
    .x3_i(low3_q),
    .x5_i(low5_q),
    .sum_o(m_sum),
    .carry_o(m_carry)
  );
  always_ff @(posedge clk_i) begin
    m_sum_q <= m_sum;
    m_carry_q <= m_carry;
  end

  // Stage 3: m.
  logic [RadixBits-1:0] m_q;
  always_ff @(posedge clk_i) m_q <= m_sum_q + m_carry_q;

  // Stage 4: odd multiples of m.
  logic [RadixBits-1:0] m1_q;
  logic [RadixBits+1:0] m3_q;
  logic [RadixBits+2:0] m5_q;
  always_ff @(posedge clk_i) begin
    m1_q <= m_q;
    m3_q <= {2'b0, m_q} + {1'b0, m_q, 1'b0};
    m5_q <= {3'b0, m_q} + {1'b0, m_q, 2'b0};
  end

  // Stage 5: high half of m * Prime in carry-save form, and the column just below it.
  logic [SumWidth-RadixBits:0] mp_sum, mp_carry, mp_sum_q, mp_carry_q;
  acclmt_const_mul #(
    .LowColumn(RadixBits - 1),
    .HighColumn(SumWidth),
    .Constant(acclmt_pkg::radix_t'(Prime))
  ) u_product (
    .x1_i(SumWidth'(m1_q)),
    .x3_i(SumWidth'(m3_q)),
    .x5_i(SumWidth'(m5_q)),
    .sum_o(mp_sum),
    .carry_o(mp_carry)
  );
  always_ff @(posedge clk_i) begin
    mp_sum_q <= mp_sum;
    mp_carry_q <= mp_carry;
  end

  // The high half of the value, and what is to be known of its low half, wait for stage 6: whether it
  // is zero (then nothing carries), and the top bit of its negative (the sum bit of column
  // RadixBits-1 of m * Prime), which is the complement of its own top bit unless the bits below are 0.
  localparam int unsigned WaitStages = 5;
  logic [WaitStages-1:0][HighWidth-1:0] high_q;
  logic [WaitStages-1:0] top_q;
  logic [WaitStages-2:0] rest_nonzero_q;
  always_ff @(posedge clk_i) begin
    high_q <= {high_q[WaitStages-2:0], value_i[SumWidth-1:RadixBits]};
    top_q <= {top_q[WaitStages-2:0], value_i[RadixBits-1]};
    rest_nonzero_q <= {rest_nonzero_q[WaitStages-3:0], |low1_q[RadixBits-2:0]};
  end

  // Stage 6: the quotient. The carry out of column RadixBits-1 is the majority of its two bits and its
  // carry in, and the carry in follows from the known sum bit.
  logic rest_nonzero, top, low_nonzero, negative_top, known_carry, low_carry;
  assign rest_nonzero = rest_nonzero_q[WaitStages-2];
  assign top = top_q[WaitStages-1];
  assign low_nonzero = rest_nonzero | top;
  assign negative_top = rest_nonzero ? ~top : top;
  assign known_carry = mp_sum_q[0] ^ mp_carry_q[0] ^ negative_top;
  assign low_carry =
      (mp_sum_q[0] & mp_carry_q[0]) | (known_carry & (mp_sum_q[0] ^ mp_carry_q[0]));

  logic [HighWidth-1:0] quotient_q;
  always_ff @(posedge clk_i) begin
    quotient_q <= high_q[WaitStages-1] + mp_sum_q[HighWidth:1] + mp_carry_q[HighWidth:1]
        + HighWidth'(low_carry) + HighWidth'(low_nonzero);
  end

  // Stage 7: one conditional subtraction.
  logic [HighWidth:0] difference;
  assign difference = {1'b0, quotient_q} - {1'b0, Prime};
  logic [WordWidth-1:0] residue_q;
  always_ff @(posedge clk_i) begin
    residue_q <= difference[HighWidth] ? quotient_q[WordWidth-1:0] : difference[WordWidth-1:0];
  end
  assign residue_o = residue_q;

endmodule

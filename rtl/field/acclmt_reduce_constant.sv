// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Montgomery reduction by a prime that is fixed at elaboration: result = value / R mod Prime.
///
///     m      = (value mod R) * (-1/Prime mod R) mod R
///     result = (value + m * Prime) / R, less Prime if it is not below it
///
/// Both multiplications are by constants (`acclmt_const_mul`). The low half of m * Prime is never
/// built: it is known to be the negative of value mod R, so that only its carry into the high half
/// is needed, which seven columns give.
///
/// The value may be a sum of hundreds of products of residues: with R = 2^264 and Prime < 2^255 the
/// quotient of c * Prime^2 stays below (1 + c / 512) * Prime, and one subtraction makes it
/// canonical for c <= 512.
///
/// In Goldilocks mode the four residues take the place of the high half, and m is zero.
///
/// Handshake:  none; a residue leaves `acclmt_timing_pkg::reduce_latency(ReductionConstant)` = 7
///             cycles after its value, in order.
/// Throughput: one value a cycle.
module acclmt_reduce_constant #(
  /// The modulus: odd, 2^250 < Prime < 2^255.
  parameter acclmt_pkg::word_t Prime = acclmt_pkg::PrimeBls12381,
  /// Whether Goldilocks mode exists.
  parameter bit Goldilocks = 1'b1
) (
  /// Clock.
  input logic clk_i,
  /// Goldilocks mode. Static.
  input logic goldilocks_i,
  /// Value to reduce, at most 512 * Prime^2. Goldilocks mode: four values, any.
  input logic [acclmt_pkg::Slices-1:0][acclmt_pkg::ChunkWidth-1:0] value_i,
  /// Canonical residue of value / R, registered. Goldilocks mode: of the four values.
  output logic [acclmt_pkg::WordWidth-1:0] residue_o
);

  localparam int unsigned RadixBits = acclmt_prime_pkg::ConstantMontgomeryBits;
  localparam int unsigned WordWidth = acclmt_pkg::WordWidth;
  localparam int unsigned SumWidth = acclmt_pkg::SumWidth;
  localparam int unsigned ChunkWidth = acclmt_pkg::ChunkWidth;
  localparam int unsigned DigitWidth = acclmt_pkg::DigitWidth;
  localparam int unsigned HighWidth = SumWidth - RadixBits;
  localparam acclmt_prime_pkg::radix_t NegativeInverse = acclmt_prime_pkg::negative_inverse(Prime);

  if (HighWidth != WordWidth) begin : gen_illegal_radix
    $error("acclmt_reduce_constant: the high half of %0d bits is not a word", HighWidth);
  end
  if (!Prime[0] || Prime[WordWidth-1:255] != 0 || Prime[254:250] == 0) begin : gen_illegal_prime
    $error("acclmt_reduce_constant: Prime = %0h is not an odd number between 2^250 and 2^255",
           Prime);
  end

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

  // The value of a large prime.
  logic [SumWidth-1:0] value;
  assign value = {
    value_i[3], value_i[2][DigitWidth-1:0], value_i[1][DigitWidth-1:0], value_i[0][DigitWidth-1:0]
  };

  // Stage 1: odd multiples of the low half, modulo R.
  logic [RadixBits-1:0] low, low1_q, low3_q, low5_q;
  assign low = goldilocks ? '0 : value[RadixBits-1:0];
  always_ff @(posedge clk_i) begin
    low1_q <= low;
    low3_q <= low + {low[RadixBits-2:0], 1'b0};
    low5_q <= low + {low[RadixBits-3:0], 2'b0};
  end

  // Stage 2: m in redundant form.
  logic [RadixBits-1:0] m_sum, m_carry, m_sum_q, m_carry_q;
  logic unused_below;
  acclmt_const_mul #(
    .LowColumn(0),
    .HighColumn(RadixBits),
    .Constant(NegativeInverse)
  ) u_quotient (
    .x1_i(low1_q),
    .x3_i(low3_q),
    .x5_i(low5_q),
    .sum_o(m_sum),
    .carry_o(m_carry),
    .below_o(unused_below)
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

  // Stage 5: high half of m * Prime in redundant form, and what the columns just below it tell.
  logic [HighWidth-1:0] mp_sum, mp_carry, mp_sum_q, mp_carry_q;
  logic mp_below, mp_below_q;
  acclmt_const_mul #(
    .LowColumn(RadixBits),
    .HighColumn(SumWidth),
    .Constant(acclmt_prime_pkg::radix_t'(Prime))
  ) u_product (
    .x1_i(SumWidth'(m1_q)),
    .x3_i(SumWidth'(m3_q)),
    .x5_i(SumWidth'(m5_q)),
    .sum_o(mp_sum),
    .carry_o(mp_carry),
    .below_o(mp_below)
  );
  always_ff @(posedge clk_i) begin
    mp_sum_q <= mp_sum;
    mp_carry_q <= mp_carry;
    mp_below_q <= mp_below;
  end

  // The high half of the value waits for stage 6, and so does what is to be known of its low half:
  // its top bit, and whether another one is set. The residues of Goldilocks mode join after their
  // own first stage.
  localparam int unsigned WaitStages = 5;
  logic [WaitStages-1:0][HighWidth-1:0] high_q;
  logic [WaitStages-2:0] top_q, rest_nonzero_q;
  always_ff @(posedge clk_i) begin
    high_q <= {
      high_q[WaitStages-2:1], goldilocks ? goldilocks_residues : high_q[0],
      value[SumWidth-1:RadixBits]
    };
    top_q <= {top_q[WaitStages-3:0], low1_q[RadixBits-1]};
    rest_nonzero_q <= {rest_nonzero_q[WaitStages-3:0], |low1_q[RadixBits-2:0]};
  end

  // Stage 6: the quotient. The low half of m * Prime is the negative of the value's low half: the
  // columns that were not built have overflowed if its top bit is 0 and their sum without what is
  // below them says 1. The two low halves add up to R, and carry, unless both are zero.
  logic rest_nonzero, top, negative_top, below_carry, low_nonzero;
  assign rest_nonzero = rest_nonzero_q[WaitStages-2];
  assign top = top_q[WaitStages-2];
  assign negative_top = top ^ rest_nonzero;
  assign below_carry = mp_below_q && !negative_top;
  assign low_nonzero = rest_nonzero || top;

  logic [HighWidth-1:0] quotient_q;
  always_ff @(posedge clk_i) begin
    quotient_q <= high_q[WaitStages-1] + mp_sum_q + mp_carry_q
        + HighWidth'(below_carry) + HighWidth'(low_nonzero);
  end

  // Stage 7: one conditional subtraction; in Goldilocks mode the quotient is the result.
  logic [HighWidth:0] difference;
  assign difference = {1'b0, quotient_q} - {1'b0, Prime};
  logic [WordWidth-1:0] residue_q;
  always_ff @(posedge clk_i) begin
    residue_q <= difference[HighWidth] || goldilocks ? quotient_q : difference[WordWidth-1:0];
  end
  assign residue_o = residue_q;

endmodule

// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Pipelined unsigned squarer: recursive additive Karatsuba on one operand.
///
///     a * a = high^2 << 2h  +  ((high + low)^2 - high^2 - low^2) << h  +  low^2
///
/// Handshake:  none; a square leaves `Latency` cycles after its operand, in order.
/// Latency:    1 (leaf) + `Levels` (recombination) + one for each set bit of `PreRegister`, which
///             must be `Latency`: the same as `acclmt_mul` with the same parameters.
/// Throughput: one square a cycle.
///
/// Goldilocks mode squares slice by slice: on the levels above a slice the squares of the halves
/// stand side by side, and the middle term is zero.
module acclmt_sqr #(
  /// Bits of the operand.
  parameter int unsigned Width = acclmt_pkg::WordWidth,
  /// Karatsuba levels above the leaves.
  parameter int unsigned Levels = 3,
  /// Bit l: register the operands of level l's sub-squarers (the outermost level is the highest).
  parameter logic [3:0] PreRegister = 4'b1010,
  /// Cycles from operands to square, which those who wait for it count on.
  parameter int unsigned Latency = acclmt_latency_pkg::MulLatency,
  /// Whether Goldilocks mode exists.
  parameter bit Goldilocks = 1'b1
) (
  /// Clock.
  input logic clk_i,
  /// Goldilocks mode: four squares of 64-bit slices. Static.
  input logic goldilocks_i,
  /// Operand.
  input logic [Width-1:0] a_i,
  /// Square, registered.
  output logic [2*Width-1:0] square_o
);

  if (Levels > 3) begin : gen_illegal_levels
    $error("acclmt_sqr: Levels = %0d is not at most 3, which PreRegister describes", Levels);
  end
  if (PreRegister >> (Levels + 1) != '0 || PreRegister[0]) begin : gen_illegal_pre_register
    $error("acclmt_sqr: PreRegister = %0d is not within the bits 1 to Levels = %0d", PreRegister,
           Levels);
  end
  if (Latency != 1 + Levels + 32'(PreRegister[1]) + 32'(PreRegister[2]) + 32'(PreRegister[3]))
  begin : gen_illegal_latency
    $error("acclmt_sqr: Latency = %0d is not that of Levels = %0d and PreRegister = %0d", Latency,
           Levels, PreRegister);
  end

  if (Goldilocks && ((Width != acclmt_pkg::WordWidth && Width != acclmt_pkg::WordWidth / 2) ||
                     2 ** Levels * acclmt_pkg::SliceWidth < Width)) begin : gen_illegal_width
    $error("acclmt_sqr: Goldilocks mode is not possible with Width = %0d and Levels = %0d", Width,
           Levels);
  end

  // The halves of the operand are squared on their own.
  logic separate;
  assign separate = Goldilocks && Width > acclmt_pkg::SliceWidth && goldilocks_i;

  if (Levels == 0) begin : gen_leaf
    logic unused_separate;
    assign unused_separate = separate;

    acclmt_sqr_leaf #(
      .Width(Width)
    ) u_leaf (
      .clk_i,
      .a_i,
      .square_o
    );
  end else begin : gen_split
    localparam int unsigned Low = (Width + 1) / 2;
    localparam int unsigned High = Width - Low;
    localparam int unsigned Sum = Low + 1;
    // Of the squarers of the next level.
    localparam logic [3:0] InnerPreRegister = PreRegister & ((4'd1 << Levels) - 4'd1);
    localparam int unsigned InnerLatency = Latency - 1 - 32'(PreRegister[Levels]);

    logic [Low-1:0] a_low;
    logic [High-1:0] a_high;
    logic [Sum-1:0] a_sum;

    if (PreRegister[Levels]) begin : gen_pre_register
      logic [Low-1:0] a_low_q;
      logic [High-1:0] a_high_q;
      logic [Sum-1:0] a_sum_q;
      always_ff @(posedge clk_i) begin
        a_low_q <= a_i[Low-1:0];
        a_high_q <= a_i[Width-1:Low];
        a_sum_q <= separate ? '0 : Sum'(a_i[Low-1:0]) + Sum'(a_i[Width-1:Low]);
      end
      assign a_low = a_low_q;
      assign a_high = a_high_q;
      assign a_sum = a_sum_q;
    end else begin : gen_pre_comb
      assign a_low = a_i[Low-1:0];
      assign a_high = a_i[Width-1:Low];
      assign a_sum = separate ? '0 : Sum'(a_i[Low-1:0]) + Sum'(a_i[Width-1:Low]);
    end

    localparam bit GoldilocksHalf = Goldilocks && Low > acclmt_pkg::SliceWidth;
    logic [2*Low-1:0] low_square;
    logic [2*High-1:0] high_square;
    logic [2*Sum-1:0] middle;

    acclmt_sqr #(
      .Width(Low),
      .Levels(Levels - 1),
      .PreRegister(InnerPreRegister),
      .Latency(InnerLatency),
      .Goldilocks(GoldilocksHalf)
    ) u_low (
      .clk_i,
      .goldilocks_i,
      .a_i(a_low),
      .square_o(low_square)
    );
    acclmt_sqr #(
      .Width(High),
      .Levels(Levels - 1),
      .PreRegister(InnerPreRegister),
      .Latency(InnerLatency),
      .Goldilocks(GoldilocksHalf)
    ) u_high (
      .clk_i,
      .goldilocks_i,
      .a_i(a_high),
      .square_o(high_square)
    );
    acclmt_sqr #(
      .Width(Sum),
      .Levels(Levels - 1),
      .PreRegister(InnerPreRegister),
      .Latency(InnerLatency),
      .Goldilocks(1'b0)
    ) u_cross (
      .clk_i,
      .goldilocks_i(1'b0),
      .a_i(a_sum),
      .square_o(middle)
    );

    // What the middle term subtracts.
    logic [2*Low-1:0] low;
    logic [2*High-1:0] high;
    assign low = separate ? '0 : low_square;
    assign high = separate ? '0 : high_square;

    localparam int unsigned Upper = 2 * Width - Low;
    logic [2*Width-1:0] square_q;
    always_ff @(posedge clk_i) begin
      square_q <= {
        {high_square, low_square[2*Low-1:Low]} + Upper'(middle) - Upper'(low) - Upper'(high),
        low_square[Low-1:0]
      };
    end
    assign square_o = square_q;
  end

endmodule

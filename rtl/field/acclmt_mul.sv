// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Pipelined unsigned multiplier: recursive additive Karatsuba.
///
/// Each level splits both operands in halves, multiplies the low halves, the high halves and the
/// sums of the halves with three multipliers of the next level, and combines the three products:
///
///     a * b = high << 2h  +  (middle - high - low) << h  +  low
///
/// Handshake:  none; a product leaves `Latency` cycles after its operands, in order.
/// Latency:    1 (leaf) + `Levels` (recombination) + one for each set bit of `PreRegister`, which
///             must be `Latency`.
/// Throughput: one product a cycle.
///
/// With the defaults the width is 256 and the 27 leaves have 32 to 34 bits: pre-addition of 128
/// bits, pre-additions of 64 and 32 bits, leaf, and three recombinations make six stages.
///
/// Goldilocks mode multiplies slice by slice: on the levels above a slice the products of the
/// halves stand side by side, and the middle term is zero.
module acclmt_mul #(
  /// Bits of an operand.
  parameter int unsigned Width = acclmt_pkg::WordWidth,
  /// Karatsuba levels above the leaves.
  parameter int unsigned Levels = 3,
  /// Bit l: register the operands of level l's sub-multipliers (the outermost level is the
  /// highest).
  parameter logic [3:0] PreRegister = 4'b1010,
  /// Cycles from operands to product, which those who wait for it count on.
  parameter int unsigned Latency = acclmt_latency_pkg::MulLatency,
  /// Whether Goldilocks mode exists.
  parameter bit Goldilocks = 1'b1
) (
  /// Clock.
  input logic clk_i,
  /// Goldilocks mode: four products of 64-bit slices. Static.
  input logic goldilocks_i,
  /// Operands.
  input logic [Width-1:0] a_i,
  input logic [Width-1:0] b_i,
  /// Product, registered.
  output logic [2*Width-1:0] product_o
);

  if (Levels > 3) begin : gen_illegal_levels
    $error("acclmt_mul: Levels = %0d is not at most 3, which PreRegister describes", Levels);
  end
  if (PreRegister >> (Levels + 1) != '0 || PreRegister[0]) begin : gen_illegal_pre_register
    $error("acclmt_mul: PreRegister = %0d is not within the bits 1 to Levels = %0d", PreRegister,
           Levels);
  end
  if (Latency != 1 + Levels + 32'(PreRegister[1]) + 32'(PreRegister[2]) + 32'(PreRegister[3]))
  begin : gen_illegal_latency
    $error("acclmt_mul: Latency = %0d is not that of Levels = %0d and PreRegister = %0d", Latency,
           Levels, PreRegister);
  end

  if (Goldilocks && ((Width != acclmt_pkg::WordWidth && Width != acclmt_pkg::WordWidth / 2) ||
                     2 ** Levels * acclmt_pkg::SliceWidth < Width)) begin : gen_illegal_width
    $error("acclmt_mul: Goldilocks mode is not possible with Width = %0d and Levels = %0d", Width,
           Levels);
  end

  // The halves of the operands are multiplied on their own.
  logic separate;
  assign separate = Goldilocks && Width > acclmt_pkg::SliceWidth && goldilocks_i;

  if (Levels == 0) begin : gen_leaf
    logic unused_separate;
    assign unused_separate = separate;

    logic [2*Width-1:0] product_q;
    always_ff @(posedge clk_i) product_q <= a_i * b_i;
    assign product_o = product_q;
  end else begin : gen_split
    localparam int unsigned Low = (Width + 1) / 2;
    localparam int unsigned High = Width - Low;
    localparam int unsigned Sum = Low + 1;
    // Of the multipliers of the next level.
    localparam logic [3:0] InnerPreRegister = PreRegister & ((4'd1 << Levels) - 4'd1);
    localparam int unsigned InnerLatency = Latency - 1 - 32'(PreRegister[Levels]);

    logic [Low-1:0] a_low, b_low;
    logic [High-1:0] a_high, b_high;
    logic [Sum-1:0] a_sum, b_sum;

    if (PreRegister[Levels]) begin : gen_pre_register
      logic [Low-1:0] a_low_q, b_low_q;
      logic [High-1:0] a_high_q, b_high_q;
      logic [Sum-1:0] a_sum_q, b_sum_q;
      always_ff @(posedge clk_i) begin
        a_low_q <= a_i[Low-1:0];
        b_low_q <= b_i[Low-1:0];
        a_high_q <= a_i[Width-1:Low];
        b_high_q <= b_i[Width-1:Low];
        a_sum_q <= separate ? '0 : Sum'(a_i[Low-1:0]) + Sum'(a_i[Width-1:Low]);
        b_sum_q <= separate ? '0 : Sum'(b_i[Low-1:0]) + Sum'(b_i[Width-1:Low]);
      end
      assign a_low = a_low_q;
      assign b_low = b_low_q;
      assign a_high = a_high_q;
      assign b_high = b_high_q;
      assign a_sum = a_sum_q;
      assign b_sum = b_sum_q;
    end else begin : gen_pre_comb
      assign a_low = a_i[Low-1:0];
      assign b_low = b_i[Low-1:0];
      assign a_high = a_i[Width-1:Low];
      assign b_high = b_i[Width-1:Low];
      assign a_sum = separate ? '0 : Sum'(a_i[Low-1:0]) + Sum'(a_i[Width-1:Low]);
      assign b_sum = separate ? '0 : Sum'(b_i[Low-1:0]) + Sum'(b_i[Width-1:Low]);
    end

    localparam bit GoldilocksHalf = Goldilocks && Low > acclmt_pkg::SliceWidth;
    logic [2*Low-1:0] low_product;
    logic [2*High-1:0] high_product;
    logic [2*Sum-1:0] middle;

    acclmt_mul #(
      .Width(Low),
      .Levels(Levels - 1),
      .PreRegister(InnerPreRegister),
      .Latency(InnerLatency),
      .Goldilocks(GoldilocksHalf)
    ) u_low (
      .clk_i,
      .goldilocks_i,
      .a_i(a_low),
      .b_i(b_low),
      .product_o(low_product)
    );
    acclmt_mul #(
      .Width(High),
      .Levels(Levels - 1),
      .PreRegister(InnerPreRegister),
      .Latency(InnerLatency),
      .Goldilocks(GoldilocksHalf)
    ) u_high (
      .clk_i,
      .goldilocks_i,
      .a_i(a_high),
      .b_i(b_high),
      .product_o(high_product)
    );
    acclmt_mul #(
      .Width(Sum),
      .Levels(Levels - 1),
      .PreRegister(InnerPreRegister),
      .Latency(InnerLatency),
      .Goldilocks(1'b0)
    ) u_cross (
      .clk_i,
      .goldilocks_i(1'b0),
      .a_i(a_sum),
      .b_i(b_sum),
      .product_o(middle)
    );

    // What the middle term subtracts.
    logic [2*Low-1:0] low;
    logic [2*High-1:0] high;
    assign low = separate ? '0 : low_product;
    assign high = separate ? '0 : high_product;

    // The middle term is not negative, and the lowest Low bits of the product are those of the
    // product of the low halves.
    localparam int unsigned Upper = 2 * Width - Low;
    logic [2*Width-1:0] product_q;
    always_ff @(posedge clk_i) begin
      product_q <= {
        {high_product, low_product[2*Low-1:Low]} + Upper'(middle) - Upper'(low) - Upper'(high),
        low_product[Low-1:0]
      };
    end
    assign product_o = product_q;
  end

endmodule

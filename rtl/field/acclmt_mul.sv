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
/// halves stand side by side, and the middle term is zero. The multipliers of the middle terms have
/// nothing to do then: with `Beside` four of them make four more products of slices, which leave
/// two cycles before the product.
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
  parameter bit Goldilocks = 1'b1,
  /// Whether four products of slices are made beside in Goldilocks mode: `acclmt_pkg::BesideNone`
  /// or `BesideFour`. Inside, of a half: `BesideMiddle`, its middle multiplier makes one; of the
  /// middle term: `BesideHalves`, those of its halves make two.
  parameter int unsigned Beside = acclmt_pkg::BesideNone
) (
  /// Clock.
  input logic clk_i,
  /// Goldilocks mode: four products of 64-bit slices. Static.
  input logic goldilocks_i,
  /// Operands.
  input logic [Width-1:0] a_i,
  input logic [Width-1:0] b_i,
  /// Product, registered.
  output logic [2*Width-1:0] product_o,
  /// Goldilocks mode with `Beside`: operands of the products beside, and these, 64 and 128 bits
  /// each.
  input logic [acclmt_pkg::WordWidth-1:0] beside_a_i,
  input logic [acclmt_pkg::WordWidth-1:0] beside_b_i,
  output logic [acclmt_pkg::ProductWidth-1:0] beside_o
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

  if ((Beside == acclmt_pkg::BesideFour && (Levels != 3 || !Goldilocks || !PreRegister[3])) ||
      Beside > acclmt_pkg::BesideHalves) begin : gen_illegal_beside
    $error("acclmt_mul: Beside = %0d is not possible with Levels = %0d and PreRegister = %0d",
           Beside, Levels, PreRegister);
  end

  // The halves of the operands are multiplied on their own.
  logic separate;
  assign separate = Goldilocks && Width > acclmt_pkg::SliceWidth && goldilocks_i;

  if (Levels == 0) begin : gen_leaf
    logic unused_separate;
    assign unused_separate = separate;

    acclmt_mul_leaf #(
      .Width(Width)
    ) u_leaf (
      .clk_i,
      .a_i,
      .b_i,
      .product_o
    );
    assign beside_o = '0;
    logic unused_beside;
    assign unused_beside = ^{beside_a_i, beside_b_i};
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

    // What the middle multiplier takes where the halves are multiplied on their own: nothing, the
    // operands of a product beside, or those of two in its halves. Operands of the halves'.
    localparam int unsigned SliceWidth = acclmt_pkg::SliceWidth;
    logic [Sum-1:0] a_beside, b_beside;
    logic [SliceWidth-1:0] a_beside_low, b_beside_low, a_beside_high, b_beside_high;
    if (Beside == acclmt_pkg::BesideFour) begin : gen_beside_four
      assign a_beside = Sum'({beside_a_i[3*SliceWidth+:SliceWidth], 1'b0,
                              beside_a_i[2*SliceWidth+:SliceWidth]});
      assign b_beside = Sum'({beside_b_i[3*SliceWidth+:SliceWidth], 1'b0,
                              beside_b_i[2*SliceWidth+:SliceWidth]});
    end else if (Beside == acclmt_pkg::BesideMiddle) begin : gen_beside_middle
      assign a_beside = Sum'(beside_a_i[SliceWidth-1:0]);
      assign b_beside = Sum'(beside_b_i[SliceWidth-1:0]);
    end else begin : gen_no_beside
      assign a_beside = '0;
      assign b_beside = '0;
    end

    if (PreRegister[Levels]) begin : gen_pre_register
      logic [Low-1:0] a_low_q, b_low_q;
      logic [High-1:0] a_high_q, b_high_q;
      logic [Sum-1:0] a_sum_q, b_sum_q;
      always_ff @(posedge clk_i) begin
        a_low_q <= a_i[Low-1:0];
        b_low_q <= b_i[Low-1:0];
        a_high_q <= a_i[Width-1:Low];
        b_high_q <= b_i[Width-1:Low];
        a_sum_q <= separate ? a_beside : Sum'(a_i[Low-1:0]) + Sum'(a_i[Width-1:Low]);
        b_sum_q <= separate ? b_beside : Sum'(b_i[Low-1:0]) + Sum'(b_i[Width-1:Low]);
      end
      if (Beside == acclmt_pkg::BesideFour) begin : gen_beside
        logic [4*SliceWidth-1:0] halves_q;
        always_ff @(posedge clk_i) begin
          halves_q <= {beside_b_i[2*SliceWidth-1:0], beside_a_i[2*SliceWidth-1:0]};
        end
        assign {b_beside_high, b_beside_low, a_beside_high, a_beside_low} = halves_q;
      end else begin : gen_none_beside
        assign {b_beside_high, b_beside_low, a_beside_high, a_beside_low} = '0;
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
      assign a_sum = separate ? a_beside : Sum'(a_i[Low-1:0]) + Sum'(a_i[Width-1:Low]);
      assign b_sum = separate ? b_beside : Sum'(b_i[Low-1:0]) + Sum'(b_i[Width-1:Low]);
      assign {b_beside_high, b_beside_low, a_beside_high, a_beside_low} = '0;
    end

    localparam bit GoldilocksHalf = Goldilocks && Low > acclmt_pkg::SliceWidth;
    localparam int unsigned BesideHalf =
        (Beside == acclmt_pkg::BesideFour) ? acclmt_pkg::BesideMiddle : acclmt_pkg::BesideNone;
    localparam int unsigned BesideCross =
        (Beside == acclmt_pkg::BesideFour) ? acclmt_pkg::BesideHalves : acclmt_pkg::BesideNone;
    localparam int unsigned WordWidth = acclmt_pkg::WordWidth;
    localparam int unsigned ProductWidth = acclmt_pkg::ProductWidth;
    logic [2*Low-1:0] low_product;
    logic [2*High-1:0] high_product;
    logic [2*Sum-1:0] middle;
    logic [ProductWidth-1:0] low_beside, high_beside, middle_beside;

    acclmt_mul #(
      .Width(Low),
      .Levels(Levels - 1),
      .PreRegister(InnerPreRegister),
      .Latency(InnerLatency),
      .Goldilocks(GoldilocksHalf),
      .Beside(BesideHalf)
    ) u_low (
      .clk_i,
      .goldilocks_i,
      .a_i(a_low),
      .b_i(b_low),
      .product_o(low_product),
      .beside_a_i(WordWidth'(a_beside_low)),
      .beside_b_i(WordWidth'(b_beside_low)),
      .beside_o(low_beside)
    );
    acclmt_mul #(
      .Width(High),
      .Levels(Levels - 1),
      .PreRegister(InnerPreRegister),
      .Latency(InnerLatency),
      .Goldilocks(GoldilocksHalf),
      .Beside(BesideHalf)
    ) u_high (
      .clk_i,
      .goldilocks_i,
      .a_i(a_high),
      .b_i(b_high),
      .product_o(high_product),
      .beside_a_i(WordWidth'(a_beside_high)),
      .beside_b_i(WordWidth'(b_beside_high)),
      .beside_o(high_beside)
    );
    acclmt_mul #(
      .Width(Sum),
      .Levels(Levels - 1),
      .PreRegister(InnerPreRegister),
      .Latency(InnerLatency),
      .Goldilocks(1'b0),
      .Beside(BesideCross)
    ) u_cross (
      .clk_i,
      .goldilocks_i(1'b0),
      .a_i(a_sum),
      .b_i(b_sum),
      .product_o(middle),
      .beside_a_i(WordWidth'(0)),
      .beside_b_i(WordWidth'(0)),
      .beside_o(middle_beside)
    );

    // What the middle term subtracts.
    logic [2*Low-1:0] low;
    logic [2*High-1:0] high;
    assign low = separate ? '0 : low_product;
    assign high = separate ? '0 : high_product;
    // A product beside is no middle term.
    logic [2*Sum-1:0] added;
    assign added = (Beside != acclmt_pkg::BesideNone && separate) ? '0 : middle;

    // The middle term is not negative, and the lowest Low bits of the product are those of the
    // product of the low halves.
    localparam int unsigned Upper = 2 * Width - Low;
    logic [2*Width-1:0] product_q;
    always_ff @(posedge clk_i) begin
      product_q <= {
        {high_product, low_product[2*Low-1:Low]} + Upper'(added) - Upper'(low) - Upper'(high),
        low_product[Low-1:0]
      };
    end
    assign product_o = product_q;

    localparam int unsigned DigitWidth = acclmt_pkg::DigitWidth;
    if (Beside == acclmt_pkg::BesideFour) begin : gen_four_products
      assign beside_o = {middle_beside[2*DigitWidth-1:0], high_beside[DigitWidth-1:0],
                         low_beside[DigitWidth-1:0]};
    end else if (Beside == acclmt_pkg::BesideMiddle) begin : gen_middle_product
      assign beside_o = ProductWidth'(middle[DigitWidth-1:0]);
    end else if (Beside == acclmt_pkg::BesideHalves) begin : gen_products_of_halves
      assign beside_o =
          ProductWidth'({high_product[DigitWidth-1:0], low_product[DigitWidth-1:0]});
    end else begin : gen_no_product
      assign beside_o = '0;
    end
    logic unused_beside;
    assign unused_beside = ^{beside_a_i, beside_b_i, low_beside, high_beside, middle_beside,
                             a_beside_low, b_beside_low, a_beside_high, b_beside_high};
  end

endmodule

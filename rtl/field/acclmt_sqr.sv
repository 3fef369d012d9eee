// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Pipelined unsigned squarer: recursive additive Karatsuba on one operand.
///
///     a * a = high^2 << 2h  +  ((high + low)^2 - high^2 - low^2) << h  +  low^2
///
/// A leaf adds its two half-width squares and twice their middle product (three half-width products
/// instead of a multiplier's four).
///
/// Handshake:  none; a square leaves `Latency` cycles after its operand, in order.
/// Latency:    1 (leaf) + `Levels` (recombination) + one for each set bit of `PreRegister`: the
///             same as `acclmt_mul` with the same parameters.
/// Throughput: one square a cycle.
module acclmt_sqr #(
  /// Bits of the operand.
  parameter int unsigned Width = acclmt_pkg::WordWidth,
  /// Karatsuba levels above the leaves.
  parameter int unsigned Levels = 3,
  /// Bit l: register the operands of level l's sub-squarers (the outermost level is the highest).
  parameter logic [3:0] PreRegister = 4'b1010
) (
  /// Clock.
  input logic clk_i,
  /// Operand.
  input logic [Width-1:0] a_i,
  /// Square, registered.
  output logic [2*Width-1:0] square_o
);

  if (Levels > 3) begin : gen_illegal_levels
    $error("acclmt_sqr: Levels = %0d, but PreRegister describes at most 3 levels", Levels);
  end

  localparam int unsigned Low = (Width + 1) / 2;
  localparam int unsigned High = Width - Low;

  if (Levels == 0) begin : gen_leaf
    logic [2*Low-1:0] low;
    logic [2*High-1:0] high;
    logic [Width-1:0] middle;
    assign low = a_i[Low-1:0] * a_i[Low-1:0];
    assign high = a_i[Width-1:Low] * a_i[Width-1:Low];
    assign middle = a_i[Width-1:Low] * a_i[Low-1:0];

    logic [2*Width-1:0] square_q;
    always_ff @(posedge clk_i) begin
      square_q <= {high, low} + {{(High - 1) {1'b0}}, middle, {(Low + 1) {1'b0}}};
    end
    assign square_o = square_q;
  end else begin : gen_split
    localparam int unsigned Sum = Low + 1;

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
        a_sum_q <= Sum'(a_i[Low-1:0]) + Sum'(a_i[Width-1:Low]);
      end
      assign a_low = a_low_q;
      assign a_high = a_high_q;
      assign a_sum = a_sum_q;
    end else begin : gen_pre_comb
      assign a_low = a_i[Low-1:0];
      assign a_high = a_i[Width-1:Low];
      assign a_sum = Sum'(a_i[Low-1:0]) + Sum'(a_i[Width-1:Low]);
    end

    logic [2*Low-1:0] low;
    logic [2*High-1:0] high;
    logic [2*Sum-1:0] middle;

    acclmt_sqr #(
      .Width(Low),
      .Levels(Levels - 1),
      .PreRegister(PreRegister)
    ) u_low (
      .clk_i,
      .a_i(a_low),
      .square_o(low)
    );
    acclmt_sqr #(
      .Width(High),
      .Levels(Levels - 1),
      .PreRegister(PreRegister)
    ) u_high (
      .clk_i,
      .a_i(a_high),
      .square_o(high)
    );
    acclmt_sqr #(
      .Width(Sum),
      .Levels(Levels - 1),
      .PreRegister(PreRegister)
    ) u_cross (
      .clk_i,
      .a_i(a_sum),
      .square_o(middle)
    );

    localparam int unsigned Upper = 2 * Width - Low;
    logic [2*Width-1:0] square_q;
    always_ff @(posedge clk_i) begin
      square_q <= {
        {high, low[2*Low-1:Low]} + Upper'(middle) - Upper'(low) - Upper'(high), low[Low-1:0]
      };
    end
    assign square_o = square_q;
  end

endmodule

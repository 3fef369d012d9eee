// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Counter in a gray code, for another clock: one bit of the code changes with a count, so that a
/// synchroniser that is met by the change gives the count before or the one after.
///
/// Handshake:  none. Latency: one cycle from `advance_i` to the count.
module acclmt_gray_counter #(
  /// Bits of the count, which wraps around.
  parameter int unsigned Width = 4
) (
  /// Clock and asynchronous reset.
  input logic clk_i,
  input logic rst_ni,
  /// Back to zero, in which several bits may change: the other clock must not look at the code.
  input logic clear_i,
  /// Counts.
  input logic advance_i,
  /// The count, for this clock, and its code, for the other one: both come out of flops.
  output logic [Width-1:0] count_o,
  output logic [Width-1:0] gray_o
);

  if (Width < 2) begin : gen_illegal_width
    $error("acclmt_gray_counter: Width = %0d is not at least 2", Width);
  end

  logic [Width-1:0] count_q, gray_q, next;
  assign next = count_q + 1'b1;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q <= '0;
      gray_q <= '0;
    end else if (clear_i) begin
      count_q <= '0;
      gray_q <= '0;
    end else if (advance_i) begin
      count_q <= next;
      gray_q <= next ^ (next >> 1);
    end
  end
  assign count_o = count_q;
  assign gray_o = gray_q;

`ifndef SYNTHESIS
  // What the other clock may meet is a change of one bit.
  logic [Width-1:0] before_q, changed;
  logic cleared_q, one_bit_changes, code_is_of_count;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      before_q <= '0;
      cleared_q <= 1'b0;
    end else begin
      before_q <= gray_q;
      cleared_q <= clear_i;
    end
  end
  assign changed = gray_q ^ before_q;
  assign one_bit_changes = cleared_q || (changed & (changed - 1'b1)) == '0;
  assign code_is_of_count = gray_q == (count_q ^ (count_q >> 1));
  one_bit_changes_a : assert property (@(posedge clk_i) disable iff (!rst_ni) one_bit_changes)
  else $error("acclmt_gray_counter: more than one bit of the code changes");
  code_is_of_count_a : assert property (@(posedge clk_i) disable iff (!rst_ni) code_is_of_count)
  else $error("acclmt_gray_counter: the code is not that of the count");
`endif

endmodule

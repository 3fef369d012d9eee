// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// The value that belongs to the one bit that is set, as a balanced tree: nothing waits for the
/// values before it.
///
/// Handshake: none. Latency: combinational.
module acclmt_one_hot_select #(
  /// Values, and bits of one.
  parameter int unsigned Count = 2,
  parameter int unsigned Width = 1
) (
  /// The choice: one bit, or none.
  input logic [Count-1:0] choice_i,
  /// The values, value 0 in the low bits.
  input logic [Count*Width-1:0] values_i,
  /// The value that was chosen; 0 if none was.
  output logic [Width-1:0] value_o
);

  if (Count < 1) begin : gen_illegal_count
    $error("acclmt_one_hot_select: Count = %0d is not at least 1", Count);
  end

  // Node n of the tree has the nodes 2n and 2n + 1 below it; node 1 is the root.
  localparam int unsigned Leaves = 2 ** $clog2(Count);
  logic [2*Leaves*Width-1:0] nodes;
  always_comb begin
    nodes = '0;
    for (int i = 0; i < int'(Count); i++) begin
      nodes[(int'(Leaves)+i)*int'(Width)+:Width] =
          choice_i[i] ? values_i[i*int'(Width)+:Width] : '0;
    end
    for (int n = int'(Leaves) - 1; n > 0; n--) begin
      nodes[n*int'(Width)+:Width] =
          nodes[2*n*int'(Width)+:Width] | nodes[(2*n+1)*int'(Width)+:Width];
    end
  end
  assign value_o = nodes[Width+:Width];

  logic unused_bits;
  assign unused_bits = ^nodes[Width-1:0];

endmodule

// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Puts the nodes that the host asked for on their way out, each with its level and its index in
/// the level. Leaves and digests come from two sides; while a digest is there, a leaf is not looked
/// at.
///
/// Handshake:  ready/valid, with one ready for both inputs; the nodes of a level come in order.
/// Latency:    2 cycles. Throughput: one word a cycle.
module acclmt_node_output (
  /// Clock and reset.
  input logic clk_i,
  input logic rst_ni,
  /// Configuration of the memories below, see acclmt_memory_pkg; quasi-static.
  input acclmt_memory_pkg::memory_config_t memory_config_i,
  /// Forgets every node, and counts from 0 again.
  input logic clear_i,
  /// A leaf, or else a digest, is taken.
  output logic ready_o,
  /// Leaves; `end` marks the last word of a leaf, `last` that of the last leaf of a run without
  /// tree.
  input logic leaf_valid_i,
  input acclmt_pkg::word_t leaf_i,
  input logic leaf_end_i,
  input logic leaf_last_i,
  /// Digests, their level, and whether it is the last one of the top level.
  input logic digest_valid_i,
  input acclmt_pkg::word_t digest_i,
  input acclmt_tree_pkg::level_t digest_level_i,
  input logic digest_last_i,
  /// Nodes.
  output logic valid_o,
  input logic ready_i,
  output acclmt_pkg::word_t node_o,
  output acclmt_tree_pkg::node_label_t label_o
);

  localparam int unsigned NumLevels = acclmt_tree_pkg::MaxQueues + 1;
  localparam int unsigned IndexWidth = acclmt_tree_pkg::NodeIndexWidth;

  logic from_leaf, taken;
  acclmt_pkg::word_t node;
  acclmt_tree_pkg::node_label_t label;
  logic [NumLevels-1:0][IndexWidth-1:0] index_q;

  assign from_leaf = !digest_valid_i;
  assign taken = ready_o && (digest_valid_i || leaf_valid_i);
  always_comb begin
    node = from_leaf ? leaf_i : digest_i;
    label.level = from_leaf ? '0 : digest_level_i;
    label.index = index_q[label.level];
    label.last = from_leaf ? leaf_last_i : digest_last_i;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) index_q <= '0;
    else if (clear_i) index_q <= '0;
    else if (taken && (!from_leaf || leaf_end_i)) begin
      index_q[label.level] <= index_q[label.level] + 1'b1;
    end
  end

  acclmt_fifo #(
    .Width(acclmt_tree_pkg::NodeLabelWidth + acclmt_pkg::WordWidth),
    .Depth(acclmt_latency_pkg::NodeOutputDepth)
  ) u_fifo (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .clear_i,
    .valid_i(taken),
    .ready_o,
    .data_i({label, node}),
    .valid_o,
    .ready_i,
    .data_o({label_o, node_o})
  );

`ifndef SYNTHESIS
  known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !$isunknown({leaf_valid_i, digest_valid_i, ready_o, valid_o}))
  else $error("acclmt_node_output: a handshake is unknown");
  ready_known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      valid_o |-> !$isunknown(ready_i))
  else $error("acclmt_node_output: ready_i is unknown");
  both_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      leaf_valid_i && digest_valid_i);
  full_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      digest_valid_i && !ready_o);
`endif

endmodule

// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Puts the nodes that the host asked for on their way out, each with its level and its index in
/// the level.
///
/// Handshake:  ready/valid; the nodes of a level come in order.
/// Latency:    2 cycles. Throughput: one word a cycle.
module acclmt_node_output #(
  /// Whether memories keep parity, see acclmt_memory.
  parameter bit MemoryParity = 1'b0
) (
  /// Clock and reset.
  input logic clk_i,
  input logic rst_ni,
  /// Configuration of the memories below, see acclmt_memory_pkg; quasi-static.
  input acclmt_memory_pkg::memory_config_t memory_config_i,
  /// A word that a memory below shows is not the one that was written; one cycle.
  output logic memory_fault_o,
  /// Forgets every node, and counts from 0 again.
  input logic clear_i,
  /// Words of nodes, with their level; `end` marks the last word of a node, `last` that of the run.
  input logic valid_i,
  output logic ready_o,
  input acclmt_pkg::word_t node_i,
  input acclmt_tree_pkg::level_t level_i,
  input logic end_i,
  input logic last_i,
  /// Nodes.
  output logic valid_o,
  input logic ready_i,
  output acclmt_pkg::word_t node_o,
  output acclmt_tree_pkg::node_label_t label_o
);

  localparam int unsigned NumLevels = acclmt_tree_pkg::MaxQueues;
  localparam int unsigned IndexWidth = acclmt_tree_pkg::NodeIndexWidth;

  logic taken;
  acclmt_tree_pkg::node_label_t label;
  logic [NumLevels-1:0][IndexWidth-1:0] index_q;

  assign taken = ready_o && valid_i;
  always_comb begin
    label.level = level_i;
    label.index = index_q[level_i];
    label.last = last_i;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) index_q <= '0;
    else if (clear_i) index_q <= '0;
    else if (taken && end_i) index_q[level_i] <= index_q[level_i] + 1'b1;
  end

  acclmt_fifo #(
    .Width(acclmt_tree_pkg::NodeLabelWidth + acclmt_pkg::WordWidth),
    .Depth(acclmt_latency_pkg::NodeOutputDepth),
    .MemoryParity(MemoryParity)
  ) u_fifo (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .memory_fault_o,
    .clear_i,
    .valid_i(taken),
    .ready_o,
    .data_i({label, node_i}),
    .valid_o,
    .ready_i,
    .data_o({label_o, node_o})
  );

`ifndef SYNTHESIS
  known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !$isunknown({valid_i, ready_o, valid_o}))
  else $error("acclmt_node_output: a handshake is unknown");
  ready_known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      valid_o |-> !$isunknown(ready_i))
  else $error("acclmt_node_output: ready_i is unknown");
  full_c : cover property (@(posedge clk_i) disable iff (!rst_ni) valid_i && !ready_o);
`endif

endmodule

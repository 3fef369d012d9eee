// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// The queue of one level of the tree: where its nodes are, which groups of siblings are complete,
/// and where there is room. The nodes themselves are in a memory.
///
/// The queue is a ring of groups, each of as many words as a node has children. Nodes come in the
/// order of their leaves. A place is reserved before its node is hashed; a group is taken when all
/// of its nodes are there, or those that the level has, and freed when they were read.
///
/// Handshake:  `reserve_i` only while `place_free_o`; `write_i` only for a reserved place, in
///             order; `take_i` only while `group_ready_o`; `free_i` for a group that was taken.
/// Latency:    a group can be taken the cycle after its last node was written.
module acclmt_level_queue (
  /// Clock and reset.
  input logic clk_i,
  input logic rst_ni,
  /// Forgets every node.
  input logic clear_i,
  /// Sets up the queue, when it is empty: its first word, and the groups that it has room for.
  input logic setup_i,
  input acclmt_tree_pkg::node_address_t base_i,
  input acclmt_tree_pkg::node_address_t groups_i,
  /// Children of a node, at least 2; stable while nodes are inside.
  input acclmt_tree_pkg::sibling_count_t arity_i,
  /// A place is reserved for the next node.
  output logic place_free_o,
  input logic reserve_i,
  /// The next node is written; it is the last one of the level.
  input logic write_i,
  input logic write_last_i,
  output acclmt_tree_pkg::node_address_t write_address_o,
  /// The oldest group: the address of its first node, the nodes that it has, and whether it is the
  /// last one of the level.
  output logic group_ready_o,
  input logic take_i,
  output acclmt_tree_pkg::node_address_t read_address_o,
  output acclmt_tree_pkg::sibling_count_t read_count_o,
  output logic read_last_o,
  /// The oldest group that was taken has been read.
  input logic free_i,
  /// No place is taken.
  output logic idle_o
);

  acclmt_tree_pkg::node_address_t base_q, groups_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      base_q <= '0;
      groups_q <= '0;
    end else if (setup_i) begin
      base_q <= base_i;
      groups_q <= groups_i;
    end
  end

  // ---- Places -----------------------------------------------------------------------------------

  // Places reserved in the youngest group, and groups of which a place is.
  acclmt_tree_pkg::sibling_count_t reserve_index_q;
  acclmt_tree_pkg::node_address_t groups_used_q;
  logic reserve_first;
  assign reserve_first = reserve_i && reserve_index_q == '0;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      reserve_index_q <= '0;
      groups_used_q <= '0;
    end else if (clear_i || setup_i) begin
      reserve_index_q <= '0;
      groups_used_q <= '0;
    end else begin
      if (reserve_i) begin
        reserve_index_q <= (reserve_index_q + 1'b1 == arity_i) ? '0 : reserve_index_q + 1'b1;
      end
      if (reserve_first != free_i) begin
        groups_used_q <= reserve_first ? groups_used_q + 1'b1 : groups_used_q - 1'b1;
      end
    end
  end
  assign place_free_o = reserve_index_q != '0 || groups_used_q != groups_q;
  assign idle_o = groups_used_q == '0;

  // ---- Nodes ------------------------------------------------------------------------------------

  acclmt_tree_pkg::sibling_count_t write_index_q, last_count_q;
  logic group_written, complete_q;
  acclmt_tree_pkg::node_address_t write_group_q, write_address_q, read_group_q, read_address_q;
  acclmt_tree_pkg::node_address_t groups_ready_q;
  assign group_written = write_i && (write_last_i || write_index_q + 1'b1 == arity_i);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_index_q <= '0;
      last_count_q <= '0;
      complete_q <= 1'b0;
      write_group_q <= '0;
      write_address_q <= '0;
      read_group_q <= '0;
      read_address_q <= '0;
      groups_ready_q <= '0;
    end else if (clear_i || setup_i) begin
      write_index_q <= '0;
      last_count_q <= '0;
      complete_q <= 1'b0;
      write_group_q <= '0;
      write_address_q <= setup_i ? base_i : base_q;
      read_group_q <= '0;
      read_address_q <= setup_i ? base_i : base_q;
      groups_ready_q <= '0;
    end else begin
      if (write_i) begin
        write_index_q <= group_written ? '0 : write_index_q + 1'b1;
        write_address_q <= write_address_q + 1'b1;
        if (write_last_i) begin
          complete_q <= 1'b1;
          last_count_q <= write_index_q + 1'b1;
        end
      end
      if (group_written) begin
        write_group_q <= write_group_q + 1'b1;
        if (write_group_q + 1'b1 == groups_q) begin
          write_group_q <= '0;
          write_address_q <= base_q;
        end
      end
      if (take_i) begin
        read_group_q <= read_group_q + 1'b1;
        read_address_q <= read_address_q + acclmt_tree_pkg::node_address_t'(arity_i);
        if (read_group_q + 1'b1 == groups_q) begin
          read_group_q <= '0;
          read_address_q <= base_q;
        end
      end
      if (group_written != take_i) begin
        groups_ready_q <= group_written ? groups_ready_q + 1'b1 : groups_ready_q - 1'b1;
      end
    end
  end

  assign write_address_o = write_address_q;
  assign group_ready_o = groups_ready_q != '0;
  assign read_address_o = read_address_q;
  assign read_last_o = complete_q && groups_ready_q == acclmt_tree_pkg::node_address_t'(1);
  assign read_count_o = read_last_o ? last_count_q : arity_i;

`ifndef SYNTHESIS
  // Places reserved and nodes written since the queue was set up.
  logic [63:0] reserved_q, written_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      reserved_q <= '0;
      written_q <= '0;
    end else if (clear_i || setup_i) begin
      reserved_q <= '0;
      written_q <= '0;
    end else begin
      reserved_q <= reserved_q + 64'(reserve_i);
      written_q <= written_q + 64'(write_i);
    end
  end
  no_overflow_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      reserve_i && !clear_i |-> place_free_o)
  else $error("acclmt_level_queue: a place was reserved and none was free");
  written_place_is_reserved_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      write_i && !clear_i |-> written_q < reserved_q + 64'(reserve_i))
  else $error("acclmt_level_queue: a node was written to a place that was not reserved");
  nothing_after_the_last_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      write_i && !clear_i |-> !complete_q)
  else $error("acclmt_level_queue: a node was written after the last one of its level");
  taken_group_is_ready_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      take_i && !clear_i |-> group_ready_o)
  else $error("acclmt_level_queue: a group was taken that is not complete");
  freed_group_was_taken_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      free_i && !clear_i |-> groups_used_q > groups_ready_q)
  else $error("acclmt_level_queue: a group was freed before it was taken");
  known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !$isunknown({setup_i, reserve_i, write_i, take_i, free_i}))
  else $error("acclmt_level_queue: a handshake is unknown");
  full_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      !place_free_o);
  wrap_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      take_i && read_group_q + 1'b1 == groups_q);
  short_group_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      take_i && read_count_o != arity_i);
`endif

endmodule

// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// The queue of one level of the tree: where its nodes are, which groups of siblings are complete,
/// and where there is room. The nodes themselves are in a memory.
///
/// The queue is a ring of groups, each of as many words as a node has children. Places are reserved
/// in the order of the leaves, each before its node is hashed, and the nodes are written in any
/// order. The oldest group is taken when all of its nodes are there, or those that the level has,
/// and freed when they were read. How many nodes of a group are there is counted outside
/// (acclmt_group_counts): of the group that a node is written to, and of the one that becomes the
/// oldest.
///
/// Handshake:  `reserve_i` only while `place_free_o`, and not after the last node; `take_i` only
///             while `group_ready_o`; `free_i` for a group that was taken. `looked_i` is high in
///             the cycle after `take_i`.
/// Latency:    a group can be taken the cycle after its last node was written, and two cycles after
///             the group before it was taken.
module acclmt_level_queue (
  /// Clock and reset.
  input logic clk_i,
  input logic rst_ni,
  /// Forgets every node.
  input logic clear_i,
  /// Sets up the queue, when it is empty: the parameter set of the level and the children of a
  /// node, at least 2; its first word and the one behind its last, and the groups that it has room
  /// for.
  input logic setup_i,
  input logic [acclmt_tree_pkg::LevelSetWidth-1:0] set_i,
  input acclmt_tree_pkg::sibling_count_t arity_i,
  input acclmt_tree_pkg::node_address_t base_i,
  input acclmt_tree_pkg::node_address_t limit_i,
  input acclmt_tree_pkg::node_address_t groups_i,
  /// The parameter set, and the children of a node.
  output logic [acclmt_tree_pkg::LevelSetWidth-1:0] set_o,
  output acclmt_tree_pkg::sibling_count_t arity_o,
  /// The place of the next node: its group, and its number there. It is reserved; its node is the
  /// last one of the level.
  output logic place_free_o,
  output acclmt_tree_pkg::group_address_t place_group_o,
  output acclmt_tree_pkg::sibling_count_t place_index_o,
  input logic reserve_i,
  input logic reserve_last_i,
  /// A node of this group, which may be one of another level, is written, and so many nodes of it
  /// are there then; it is the last one of this level, and its place is reserved in this cycle.
  input logic written_i,
  input acclmt_tree_pkg::group_address_t written_group_i,
  input acclmt_tree_pkg::sibling_count_t written_count_i,
  input logic written_last_i,
  /// Nodes of the oldest group that were there before this cycle.
  input logic looked_i,
  input acclmt_tree_pkg::sibling_count_t looked_count_i,
  /// The oldest group: the address of its first node, whether its nodes are there, their number,
  /// and whether it is the last one of the level.
  output acclmt_tree_pkg::group_address_t read_group_o,
  output logic group_ready_o,
  input logic take_i,
  output acclmt_tree_pkg::sibling_count_t read_count_o,
  output logic read_last_o,
  /// The oldest group that was taken has been read.
  input logic free_i,
  /// No place is taken.
  output logic idle_o
);

  localparam int unsigned AddressWidth = acclmt_tree_pkg::NodeAddressWidth;

  acclmt_tree_pkg::node_address_t base_q, limit_q, groups_q;
  acclmt_tree_pkg::sibling_count_t arity_q;
  logic [acclmt_tree_pkg::LevelSetWidth-1:0] set_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      set_q <= '0;
      arity_q <= '0;
      base_q <= '0;
      limit_q <= '0;
      groups_q <= '0;
    end else if (setup_i) begin
      set_q <= set_i;
      arity_q <= arity_i;
      base_q <= base_i;
      limit_q <= limit_i;
      groups_q <= groups_i;
    end
  end

  assign set_o = set_q;
  assign arity_o = arity_q;

  // ---- Places -----------------------------------------------------------------------------------

  // The group whose places are reserved, places of it that are, groups of which a place is; whether
  // the last place of the level is reserved, and the nodes of its group.
  acclmt_tree_pkg::node_address_t reserve_group_q, reserve_group_next, groups_used_q;
  acclmt_tree_pkg::sibling_count_t reserve_index_q, reserve_index_next, last_count_q;
  logic complete_q, reserve_first;
  assign reserve_first = reserve_i && reserve_index_q == '0;
  assign reserve_index_next = reserve_index_q + 1'b1;
  assign reserve_group_next = reserve_group_q + AddressWidth'(arity_q);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      reserve_group_q <= '0;
      reserve_index_q <= '0;
      groups_used_q <= '0;
      last_count_q <= '0;
      complete_q <= 1'b0;
    end else if (clear_i || setup_i) begin
      reserve_group_q <= setup_i ? base_i : base_q;
      reserve_index_q <= '0;
      groups_used_q <= '0;
      last_count_q <= '0;
      complete_q <= 1'b0;
    end else begin
      if (reserve_i) begin
        reserve_index_q <= (reserve_index_next == arity_q) ? '0 : reserve_index_next;
        // The group of the last node stays.
        if (reserve_last_i) begin
          last_count_q <= reserve_index_next;
          complete_q <= 1'b1;
        end else if (reserve_index_next == arity_q) begin
          reserve_group_q <= (reserve_group_next == limit_q) ? base_q : reserve_group_next;
        end
      end
      if (reserve_first != free_i) begin
        groups_used_q <= reserve_first ? groups_used_q + 1'b1 : groups_used_q - 1'b1;
      end
    end
  end
  assign place_free_o = reserve_index_q != '0 || groups_used_q != groups_q;
  assign place_group_o = reserve_group_q[AddressWidth-2:0];
  assign place_index_o = reserve_index_q;
  assign idle_o = groups_used_q == '0;

  // ---- The oldest group -------------------------------------------------------------------------

  acclmt_tree_pkg::node_address_t read_group_q, read_group_next;
  acclmt_tree_pkg::sibling_count_t read_count;
  logic is_last, ready_q, becomes_ready;
  assign read_group_next = read_group_q + AddressWidth'(arity_q);
  assign is_last = read_group_q == reserve_group_q && (complete_q || written_last_i);
  always_comb begin
    read_count = arity_q;
    if (is_last) read_count = complete_q ? last_count_q : reserve_index_next;
  end
  assign becomes_ready =
      (written_i && written_group_i == read_group_q[AddressWidth-2:0] &&
       written_count_i == read_count) ||
      (looked_i && looked_count_i == read_count);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      read_group_q <= '0;
      ready_q <= 1'b0;
    end else if (clear_i || setup_i) begin
      read_group_q <= setup_i ? base_i : base_q;
      ready_q <= 1'b0;
    end else begin
      if (take_i) begin
        read_group_q <= (read_group_next == limit_q) ? base_q : read_group_next;
      end
      ready_q <= !take_i && (ready_q || becomes_ready);
    end
  end

  assign group_ready_o = ready_q;
  assign read_group_o = read_group_q[AddressWidth-2:0];
  assign read_count_o = read_count;
  assign read_last_o = is_last;

`ifndef SYNTHESIS
  // Groups that were taken and are not freed.
  acclmt_tree_pkg::node_address_t taken_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) taken_q <= '0;
    else if (clear_i || setup_i) taken_q <= '0;
    else taken_q <= taken_q + AddressWidth'(take_i) - AddressWidth'(free_i);
  end
  no_overflow_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      reserve_i && !clear_i |-> place_free_o)
  else $error("acclmt_level_queue: a place was reserved and none was free");
  nothing_after_the_last_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      reserve_i && !clear_i |-> !complete_q)
  else $error("acclmt_level_queue: a place was reserved after the last one of its level");
  taken_group_is_ready_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      take_i && !clear_i |-> group_ready_o)
  else $error("acclmt_level_queue: a group was taken that is not complete");
  freed_group_was_taken_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      free_i && !clear_i |-> taken_q != '0)
  else $error("acclmt_level_queue: a group was freed before it was taken");
  ready_group_has_places_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      group_ready_o |-> groups_used_q != '0)
  else $error("acclmt_level_queue: a group is complete that has no place");
  one_reason_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      becomes_ready && !clear_i && !setup_i |-> !ready_q)
  else $error("acclmt_level_queue: a node was written to a group that was complete");
  known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !$isunknown({setup_i, reserve_i, written_i, looked_i, take_i, free_i}))
  else $error("acclmt_level_queue: a handshake is unknown");
  full_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      !place_free_o);
  wrap_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      take_i && read_group_next == limit_q);
  short_group_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      take_i && read_count_o != arity_q);
  complete_before_it_is_the_oldest_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      looked_i && looked_count_i == read_count);
`endif

endmodule

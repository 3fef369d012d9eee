// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Lays out the queues of a tree's levels in the node memory before a run, from the level table,
/// and checks that they fit. The queues follow each other without gaps in the order of the levels.
/// Every queue has room for a group of siblings at least, that of the leaves for what their rows
/// reserve at once.
///
/// Handshake:  `start_i` begins; `done_o` or `illegal_o` ends, with the level at fault.
/// Latency:    one cycle a level up to the top, one without a tree, and
///             `acclmt_latency_pkg::LevelSetupLatency`: the entry of a level is looked up (that of
///             level 0 in the cycle of `start_i`), the words of its queue are multiplied out, and
///             the queue is placed. None is shorter: what is wrong with a program whose last entry
///             is written right ahead of a start must be known by the end.
/// Throughput: one layout at a time.
module acclmt_level_setup #(
  /// Levels above the leaves that a tree can have, and words of the node memory.
  parameter int unsigned MaxHeight = 32,
  parameter int unsigned NodeWords = 512
) (
  /// Clock and reset.
  input logic clk_i,
  input logic rst_ni,
  /// Ends without a result.
  input logic clear_i,
  /// Begins.
  input logic start_i,
  /// Level table, children of a node of each parameter set, set 0 in the low bits, and top level;
  /// stable until the end.
  input logic [MaxHeight:0][acclmt_tree_pkg::LevelEntryWidth-1:0] level_table_i,
  input logic [acclmt_pkg::NumSets*acclmt_tree_pkg::SiblingCountWidth-1:0] arities_i,
  input acclmt_tree_pkg::level_t top_i,
  /// Places that the queue of the leaves needs at least.
  input logic [15:0] leaf_places_i,
  /// The queue of a level.
  output acclmt_tree_pkg::level_setup_t setup_o,
  /// All queues are set up; or the queue of `illegal_level_o` cannot be.
  output logic done_o,
  output logic illegal_o,
  output acclmt_tree_pkg::level_t illegal_level_o
);

  localparam int unsigned AddressWidth = acclmt_tree_pkg::NodeAddressWidth;
  localparam int unsigned EndWidth = AddressWidth + 5;

  // Stages with a level: its words are multiplied out, its queue is placed.
  localparam int unsigned Stages = acclmt_latency_pkg::LevelSetupLatency;
  logic [Stages-1:0] stage_q;
  logic active, ends;
  assign active = stage_q[Stages-1];
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) stage_q <= '0;
    else if (clear_i || start_i || ends) stage_q <= Stages'(start_i && !clear_i);
    else stage_q <= {stage_q[Stages-2:0], stage_q[0]};
  end

  // ---- The entry of a level ---------------------------------------------------------------------

  // It waits at level 0 for a start.
  acclmt_tree_pkg::level_t lookup_level_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) lookup_level_q <= '0;
    else if (clear_i || ends) lookup_level_q <= '0;
    else if (start_i || stage_q != '0) lookup_level_q <= lookup_level_q + 1'b1;
  end

  logic [acclmt_tree_pkg::LevelEntryWidth-1:0] looked_up;
  always_comb begin
    looked_up = '0;
    for (int l = 0; l <= int'(MaxHeight); l++) begin
      if (lookup_level_q == acclmt_tree_pkg::level_t'(l)) looked_up = level_table_i[l];
    end
  end

  // ---- Words of its queue, and its place behind the queue of the level below --------------------

  acclmt_tree_pkg::level_t multiply_level_q, level_q;
  logic [acclmt_tree_pkg::LevelSetWidth-1:0] multiply_set_q, set_q;
  acclmt_tree_pkg::sibling_count_t multiply_arity, arity_q;
  acclmt_tree_pkg::node_address_t multiply_groups_q, groups_q, base_q;
  logic [EndWidth-1:0] words_q, queue_end;
  acclmt_set_select #(
    .NumSets(acclmt_pkg::NumSets),
    .Width(acclmt_tree_pkg::SiblingCountWidth)
  ) u_arity (
    .values_i(arities_i),
    .set_i(multiply_set_q),
    .value_o(multiply_arity)
  );
  assign queue_end = EndWidth'(base_q) + words_q;

  logic is_end, legal, enough;
  // Behind the top level; without a tree there are no queues, and level 0 is passed by.
  logic has_queue;
  assign has_queue = active && !is_end && top_i != '0;
  assign is_end = level_q == top_i + 1'b1;
  assign enough = level_q != '0 || words_q >= EndWidth'(leaf_places_i);
  assign legal = groups_q != '0 && queue_end <= EndWidth'(NodeWords) && enough;
  assign ends = done_o || illegal_o;

  always_ff @(posedge clk_i) begin
    if (start_i) base_q <= '0;
    else if (active) base_q <= queue_end[AddressWidth-1:0];
    multiply_level_q <= lookup_level_q;
    {multiply_set_q, multiply_groups_q} <= looked_up;
    level_q <= multiply_level_q;
    set_q <= multiply_set_q;
    arity_q <= multiply_arity;
    groups_q <= multiply_groups_q;
    words_q <= EndWidth'(multiply_groups_q) * EndWidth'(multiply_arity);
  end

  always_comb begin
    setup_o.valid = has_queue && legal;
    setup_o.level = level_q;
    setup_o.parameter_set = set_q;
    setup_o.arity = arity_q;
    setup_o.base = base_q;
    setup_o.limit = queue_end[AddressWidth-1:0];
    setup_o.groups = groups_q;
  end
  assign done_o = active && is_end;
  assign illegal_o = has_queue && !legal;
  assign illegal_level_o = level_q;

`ifndef SYNTHESIS
  known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !$isunknown({clear_i, start_i, setup_o.valid, done_o, illegal_o}))
  else $error("acclmt_level_setup: a command or a result is unknown");
  start_when_idle_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      start_i && !clear_i |-> stage_q == '0 && lookup_level_q == '0)
  else $error("acclmt_level_setup: a set-up begins before the last one has ended");
  one_result_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      $onehot0({setup_o.valid, done_o, illegal_o}))
  else $error("acclmt_level_setup: two results at once");
  no_tree_c : cover property (@(posedge clk_i) done_o && top_i == '0);
  tree_c : cover property (@(posedge clk_i) done_o && top_i != '0);
  full_c : cover property (@(posedge clk_i)
      setup_o.valid && queue_end == EndWidth'(NodeWords));
  illegal_first_c : cover property (@(posedge clk_i) illegal_o && level_q == '0);
  illegal_later_c : cover property (@(posedge clk_i) illegal_o && level_q != '0);
  aborted_c : cover property (@(posedge clk_i) clear_i && stage_q != '0);
`endif

endmodule

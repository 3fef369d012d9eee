// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Dispatch scheduler of the root hash engine: which nodes are hashed next, and where their digest
/// goes.
///
/// Every level of the tree below the top is a queue of nodes in the order of their leaves, in the
/// node memory; the level table says how long it is. A job takes the oldest group of siblings of a
/// level and makes one node of the level above; the last group of a level may lack siblings. The
/// deepest ready job (the one nearest to the root) goes first, which keeps the upper queues short.
/// A job is ready when its group is complete and a place is free for its digest in the level above;
/// the job that makes a node of the top level needs none. Leaves are accepted while their queue has
/// room. No queue can overflow, and since the job nearest to the root is never blocked by one
/// further away, the tree always ends (both asserted).
///
/// The module holds the bookkeeping only: another scheduler with these ports can take its place.
///
/// Handshake:  job: ready/valid; a job that is offered may give way to a deeper one until it is
///             taken. Its operands are read after it was taken; `fetched_i` says when they are no
///             longer needed in their places. Leaves: ready/valid; the leaf is written at
///             `leaf_address_o` in the cycle in which it is taken. Digests: no back-pressure;
///             written at `digest_address_o` in the cycle of `digest_valid_i`.
/// Latency:    a node can be in a job the cycle after it was written. Throughput: one job a cycle.
module acclmt_dispatch_scheduler #(
  /// Levels with a queue: the top level is at most this one.
  parameter int unsigned MaxHeight = 32
) (
  /// Clock and reset.
  input logic clk_i,
  input logic rst_ni,
  /// Forgets every node.
  input logic clear_i,
  /// Sets up the queue of a level; while no node is inside.
  input acclmt_tree_pkg::level_setup_t setup_i,
  /// Children of a node, and the level whose nodes are not hashed any more, 1 .. MaxHeight; stable
  /// while nodes are inside.
  input acclmt_tree_pkg::sibling_count_t arity_i,
  input acclmt_tree_pkg::level_t top_i,
  /// A leaf is written; it is the last one.
  input logic leaf_valid_i,
  input logic leaf_last_i,
  output logic leaf_ready_o,
  output acclmt_tree_pkg::node_address_t leaf_address_o,
  /// Job: a group of nodes of level `level`, from `address` on, `count` of them; `last`: the last
  /// one of its level.
  output logic job_valid_o,
  input logic job_ready_i,
  output acclmt_tree_pkg::node_job_t job_o,
  /// The operands of the last job, which were of level `fetched_level_i`, have left their memory.
  input logic fetched_i,
  input acclmt_tree_pkg::level_t fetched_level_i,
  /// The digest of a job whose operands were of level `digest_level_i` is written, or
  /// (`digest_is_top_i`) is of the top level; `digest_last_i`: the job was the last one of its
  /// level.
  input logic digest_valid_i,
  input acclmt_tree_pkg::level_t digest_level_i,
  input logic digest_is_top_i,
  input logic digest_last_i,
  output acclmt_tree_pkg::node_address_t digest_address_o,
  /// No node is queued and no job is under way.
  output logic idle_o
);

  localparam int unsigned LevelWidth = acclmt_tree_pkg::LevelWidth;
  localparam int unsigned AddressWidth = acclmt_tree_pkg::NodeAddressWidth;

  if (MaxHeight < 1 || MaxHeight > acclmt_tree_pkg::MaxQueues) begin : gen_illegal_height
    $error("acclmt_dispatch_scheduler: MaxHeight = %0d is not within 1..%0d", MaxHeight,
           acclmt_tree_pkg::MaxQueues);
  end

  // Level l of these vectors is level l of the tree.
  logic [MaxHeight-1:0] group_ready, group_last, place_free, level_idle, job_ready, job_grant;
  logic [MaxHeight-1:0][acclmt_tree_pkg::SiblingCountWidth-1:0] group_count;
  logic [MaxHeight-1:0][AddressWidth-1:0] write_address, read_address;

  logic job_taken, digest_stored;
  assign job_taken = job_valid_o && job_ready_i;
  assign digest_stored = digest_valid_i && !digest_is_top_i;

  for (genvar l = 0; l < MaxHeight; l++) begin : gen_level
    logic reserve, write, write_last, take;
    if (l == 0) begin : gen_leaves
      assign reserve = leaf_valid_i && leaf_ready_o;
      assign write = reserve;
      assign write_last = leaf_last_i;
    end else begin : gen_nodes
      assign reserve = job_taken && job_grant[l-1] && LevelWidth'(l) != top_i;
      assign write = digest_stored && digest_level_i == LevelWidth'(l - 1);
      assign write_last = digest_last_i;
    end
    assign take = job_taken && job_grant[l];

    acclmt_level_queue u_queue (
      .clk_i,
      .rst_ni,
      .clear_i,
      .setup_i(setup_i.valid && setup_i.level == LevelWidth'(l)),
      .base_i(setup_i.base),
      .groups_i(setup_i.groups),
      .arity_i,
      .place_free_o(place_free[l]),
      .reserve_i(reserve),
      .write_i(write),
      .write_last_i(write_last),
      .write_address_o(write_address[l]),
      .group_ready_o(group_ready[l]),
      .take_i(take),
      .read_address_o(read_address[l]),
      .read_count_o(group_count[l]),
      .read_last_o(group_last[l]),
      .free_i(fetched_i && fetched_level_i == LevelWidth'(l)),
      .idle_o(level_idle[l])
    );

    // The place above: none is needed at the top.
    if (l + 1 < MaxHeight) begin : gen_place_above
      assign job_ready[l] = group_ready[l] && (LevelWidth'(l + 1) == top_i || place_free[l+1]);
    end else begin : gen_top_above
      assign job_ready[l] = group_ready[l];
    end
  end

  // Deepest first: the highest level with a ready job.
  always_comb begin
    job_grant = '0;
    job_o = '0;
    for (int l = 0; l < int'(MaxHeight); l++) begin
      if (job_ready[l]) begin
        job_grant = '0;
        job_grant[l] = 1'b1;
        job_o.level = LevelWidth'(l);
        job_o.address = read_address[l];
        job_o.count = group_count[l];
        job_o.last = group_last[l];
      end
    end
  end
  assign job_valid_o = |job_ready;

  // The digest goes to the level above that of its operands.
  always_comb begin
    digest_address_o = '0;
    for (int l = 1; l < int'(MaxHeight); l++) begin
      if (digest_level_i == LevelWidth'(l - 1)) digest_address_o = write_address[l];
    end
  end

  assign leaf_ready_o = place_free[0];
  assign leaf_address_o = write_address[0];

  // Jobs under way, which hold no place once their operands were read.
  logic [AddressWidth:0] under_way_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) under_way_q <= '0;
    else if (clear_i) under_way_q <= '0;
    else under_way_q <= under_way_q + (AddressWidth + 1)'(job_taken)
                                    - (AddressWidth + 1)'(digest_valid_i);
  end
  assign idle_o = &level_idle && under_way_q == '0;

`ifndef SYNTHESIS
  digest_of_a_job_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      digest_valid_i && !clear_i |-> under_way_q != '0)
  else $error("acclmt_dispatch_scheduler: a digest came back that no job asked for");
  top_is_the_top_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      digest_valid_i && !clear_i |-> digest_is_top_i == (digest_level_i + 1'b1 == top_i))
  else $error("acclmt_dispatch_scheduler: level %0d is taken for the top, or the top is not",
              digest_level_i + 1'b1);
  top_in_range_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      job_valid_o |-> top_i != '0 && 32'(top_i) <= MaxHeight)
  else $error("acclmt_dispatch_scheduler: top level %0d is not within 1..%0d", top_i, MaxHeight);
  setup_while_idle_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      setup_i.valid && !clear_i |-> idle_o)
  else $error("acclmt_dispatch_scheduler: a queue is set up while nodes are inside");
  // Liveness: with a full leaf queue, something is always ready or under way.
  no_deadlock_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      leaf_valid_i && !leaf_ready_o && !setup_i.valid |-> job_valid_o || under_way_q != '0)
  else $error("acclmt_dispatch_scheduler: the leaf queue is full and nothing can move");
  known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !$isunknown({leaf_valid_i, leaf_ready_o, job_valid_o, digest_valid_i}))
  else $error("acclmt_dispatch_scheduler: a handshake is unknown");
  choice_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      job_taken && $countones(job_ready) > 1);
  leaf_waits_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      leaf_valid_i && !leaf_ready_o);
`endif

endmodule

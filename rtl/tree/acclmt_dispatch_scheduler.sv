// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Dispatch scheduler of the root hash engine: which nodes are hashed next, and where their digest
/// goes.
///
/// Every level of the tree up to the top is a queue of nodes in the order of their leaves, in the
/// node memory; the level table says how long it is. A job takes the oldest group of siblings of a
/// level and makes one node of the level above, or is of the top level, whose nodes go out; the
/// last group of a level may lack siblings. A leaf reserves its place as it comes, or, where leaves
/// are digests too, ahead of its hash. The deepest ready job (the one nearest to the root)
/// goes first, which keeps the upper queues short. A job is ready when its group is complete and a
/// place is free for its digest in the level above; one of the top level needs none. The place is
/// reserved when the job is taken, so that digests may come back in any order: a group is complete
/// when as many of its nodes have been written as it has, and how many the last group of a level
/// has is known as soon as the place of its last node is reserved. Leaves are accepted while their
/// queue has room. No queue can overflow, and since the job nearest to the root is never blocked by
/// one further away, and the top level only by the output, the tree always ends (both asserted).
///
/// The module holds the bookkeeping only: another scheduler with these ports can take its place.
///
/// Handshake:  job: ready/valid; a job that is offered may give way to a deeper one until it is
///             taken. Its operands are read after it was taken; `fetched_i` says when they are no
///             longer needed in their places. Leaves: ready/valid; the leaf gets its place in the
///             cycle in which it is taken, and is written there if it is no digest. Digests: no
///             back-pressure; written to their places in the cycle of `digest_valid_i`.
/// Latency:    a node can be in a job the cycle after it was written. Throughput: one job a cycle,
///             and one of a level in two.
module acclmt_dispatch_scheduler #(
  /// Levels above the leaves that a tree can have: the top level is at most this one.
  parameter int unsigned MaxHeight = 32,
  /// Words of the node memory, a power of two.
  parameter int unsigned NodeWords = 512
) (
  /// Clock and reset.
  input logic clk_i,
  input logic rst_ni,
  /// Forgets every node.
  input logic clear_i,
  /// Sets up the queue of a level; while no node is inside.
  input acclmt_tree_pkg::level_setup_t setup_i,
  /// The level whose nodes go out and are not hashed, 1 .. MaxHeight; stable while nodes are
  /// inside.
  input acclmt_tree_pkg::level_t top_i,
  /// A leaf gets this place, and is written there in the same cycle; or it has the place reserved,
  /// as soon as so many are free, and comes as a digest later; which of both this run has; it is
  /// the last one.
  input logic leaf_valid_i,
  input logic leaf_reserve_i,
  input logic leaf_writes_i,
  input logic [15:0] leaf_places_i,
  input logic leaf_last_i,
  output logic leaf_ready_o,
  output acclmt_tree_pkg::group_address_t leaf_group_o,
  output acclmt_tree_pkg::sibling_count_t leaf_index_o,
  /// Job: a group of siblings to be hashed, and the place of its digest, or one of the top level.
  output logic job_valid_o,
  input logic job_ready_i,
  output acclmt_tree_pkg::node_job_t job_o,
  /// The nodes of the last job, which were of level `fetched_level_i`, have left their memory.
  input logic fetched_i,
  input acclmt_tree_pkg::level_t fetched_level_i,
  /// A digest is written to its place, that with this number in this group. Never in the cycle in
  /// which a leaf is written.
  input logic digest_valid_i,
  input acclmt_tree_pkg::group_address_t digest_group_i,
  input acclmt_tree_pkg::sibling_count_t digest_index_i,
  /// No node is queued and no job is under way.
  output logic idle_o
);

  localparam int unsigned LevelWidth = acclmt_tree_pkg::LevelWidth;
  localparam int unsigned LevelSetWidth = acclmt_tree_pkg::LevelSetWidth;
  localparam int unsigned AddressWidth = acclmt_tree_pkg::NodeAddressWidth;
  localparam int unsigned GroupWidth = acclmt_tree_pkg::GroupAddressWidth;
  localparam int unsigned CountWidth = acclmt_tree_pkg::SiblingCountWidth;

  if (MaxHeight < 1 || MaxHeight > acclmt_tree_pkg::MostHeight) begin : gen_illegal_height
    $error("acclmt_dispatch_scheduler: MaxHeight = %0d is not within 1..%0d", MaxHeight,
           acclmt_tree_pkg::MostHeight);
  end

  // Level l of these vectors is level l of the tree.
  localparam int unsigned NumLevels = MaxHeight + 1;
  logic [NumLevels-1:0] group_ready, group_last, place_free, level_idle, job_ready, job_grant;
  logic [NumLevels-1:0] is_top;
  logic [NumLevels-1:0][CountWidth-1:0] group_count, arity;
  logic [NumLevels-1:0][LevelSetWidth-1:0] level_set;
  logic [NumLevels-1:0][GroupWidth-1:0] read_group;
  // There is no place above the last level.
  logic [NumLevels:0][GroupWidth-1:0] place_group;
  logic [NumLevels:0][CountWidth-1:0] place_index;
  assign place_group[NumLevels] = '0;
  assign place_index[NumLevels] = '0;

  logic job_taken, leaf_taken, leaf_written, written;
  acclmt_tree_pkg::group_address_t written_group;
  acclmt_tree_pkg::sibling_count_t written_count, looked_count;
  assign job_taken = job_valid_o && job_ready_i;
  // What is written does not wait for whether a place can be reserved.
  assign leaf_taken = leaf_written || (leaf_reserve_i && leaf_ready_o);
  assign leaf_written = leaf_valid_i && place_free[0];
  assign written = leaf_written || digest_valid_i;
  assign written_group = digest_valid_i ? digest_group_i : leaf_group_o;

  // The cycle after a group was taken: the group behind it, which may be complete, and the taken
  // one, which is the same in a queue of one group.
  logic looks;
  logic [NumLevels-1:0] look_q;
  acclmt_tree_pkg::group_address_t taken_group_q, look_group;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      look_q <= '0;
      taken_group_q <= '0;
    end else begin
      look_q <= (job_taken && !clear_i) ? job_grant : '0;
      if (job_taken) taken_group_q <= job_o.group;
    end
  end
  acclmt_one_hot_select #(
    .Count(NumLevels),
    .Width(GroupWidth)
  ) u_look_group (
    .choice_i(look_q),
    .values_i(read_group),
    .value_o(look_group)
  );
  assign looks = look_group != taken_group_q;

  acclmt_group_counts #(
    .NodeWords(NodeWords)
  ) u_counts (
    .clk_i,
    .rst_ni,
    .clear_i,
    .write_i(written),
    .write_group_i(written_group),
    .written_count_o(written_count),
    .look_group_i(look_group),
    .look_count_o(looked_count),
    .forget_i(look_q != '0),
    .forget_group_i(taken_group_q)
  );

  for (genvar l = 0; l < NumLevels; l++) begin : gen_level
    // Leaves that are written are of level 0 alone.
    logic exists, reserve, reserve_last, written_last, written_here;
    acclmt_tree_pkg::group_address_t written_group_here;
    assign is_top[l] = LevelWidth'(l) == top_i;
    if (l == 0) begin : gen_leaves
      assign exists = 1'b1;
      assign reserve = leaf_taken;
      assign reserve_last = leaf_last_i;
      assign written_last = leaf_written && leaf_last_i;
      assign written_here = written && exists;
      assign written_group_here = written_group;
    end else begin : gen_nodes
      assign exists = LevelWidth'(l) <= top_i;
      assign reserve = job_taken && job_grant[l-1] && exists;
      assign reserve_last = group_last[l-1];
      assign written_last = 1'b0;
      assign written_here = digest_valid_i && exists;
      assign written_group_here = digest_group_i;
    end

    acclmt_level_queue u_queue (
      .clk_i,
      .rst_ni,
      .clear_i,
      .setup_i(setup_i.valid && setup_i.level == LevelWidth'(l)),
      .set_i(setup_i.parameter_set),
      .arity_i(setup_i.arity),
      .base_i(setup_i.base),
      .limit_i(setup_i.limit),
      .groups_i(setup_i.groups),
      .set_o(level_set[l]),
      .arity_o(arity[l]),
      .place_free_o(place_free[l]),
      .place_group_o(place_group[l]),
      .place_index_o(place_index[l]),
      .reserve_i(reserve),
      .reserve_last_i(reserve_last),
      .written_i(written_here),
      .written_group_i(written_group_here),
      .written_count_i(written_count),
      .written_last_i(written_last),
      .looked_i(look_q[l] && looks),
      .looked_count_i(looked_count),
      .read_group_o(read_group[l]),
      .group_ready_o(group_ready[l]),
      .take_i(job_taken && job_grant[l]),
      .read_count_o(group_count[l]),
      .read_last_o(group_last[l]),
      .free_i(fetched_i && fetched_level_i == LevelWidth'(l)),
      .idle_o(level_idle[l])
    );

    // The place above: none is needed at the top.
    if (l + 1 < NumLevels) begin : gen_place_above
      assign job_ready[l] = group_ready[l] && (is_top[l] || place_free[l+1]);
    end else begin : gen_top
      assign job_ready[l] = group_ready[l];
    end
  end

  // Deepest first: the highest level with a ready job, of which none above has one.
  logic [NumLevels-1:0] from_above;
  always_comb begin
    from_above = job_ready;
    for (int distance = 1; distance < int'(NumLevels); distance *= 2) begin
      from_above = from_above | (from_above >> distance);
    end
    job_grant = job_ready & ~(from_above >> 1);
  end
  localparam int unsigned JobWidth = acclmt_tree_pkg::NodeJobWidth;
  logic [NumLevels-1:0][JobWidth-1:0] jobs;
  for (genvar l = 0; l < NumLevels; l++) begin : gen_job
    acclmt_tree_pkg::node_job_t of_level;
    always_comb begin
      of_level.level = LevelWidth'(l);
      of_level.is_top = is_top[l];
      of_level.parameter_set = level_set[l];
      of_level.arity = arity[l];
      of_level.group = read_group[l];
      of_level.count = group_count[l];
      of_level.last = group_last[l];
      of_level.parent_group = place_group[l+1];
      of_level.parent_index = place_index[l+1];
    end
    assign jobs[l] = of_level;
  end
  acclmt_one_hot_select #(
    .Count(NumLevels),
    .Width(JobWidth)
  ) u_job (
    .choice_i(job_grant),
    .values_i(jobs),
    .value_o(job_o)
  );
  assign job_valid_o = |job_ready;

  // Places of the leaves that are free.
  logic [AddressWidth-1:0] leaf_words_q, leaf_places_q;
  logic leaf_setup, leaf_freed;
  assign leaf_setup = setup_i.valid && setup_i.level == '0;
  assign leaf_freed = fetched_i && fetched_level_i == '0;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      leaf_words_q <= '0;
      leaf_places_q <= '0;
    end else if (leaf_setup) begin
      leaf_words_q <= setup_i.limit - setup_i.base;
      leaf_places_q <= setup_i.limit - setup_i.base;
    end else if (clear_i) begin
      leaf_places_q <= leaf_words_q;
    end else begin
      leaf_places_q <= leaf_places_q - AddressWidth'(leaf_taken) +
                       (leaf_freed ? AddressWidth'(arity[0]) : '0);
    end
  end
  assign leaf_ready_o = leaf_writes_i ? place_free[0] : leaf_places_q >= leaf_places_i;
  assign leaf_group_o = place_group[0];
  assign leaf_index_o = place_index[0];

  // Hashes under way.
  logic [AddressWidth:0] under_way_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) under_way_q <= '0;
    else if (clear_i) under_way_q <= '0;
    else under_way_q <= under_way_q + (AddressWidth + 1)'(job_taken && !job_o.is_top)
                                    + (AddressWidth + 1)'(leaf_reserve_i && leaf_ready_o)
                                    - (AddressWidth + 1)'(digest_valid_i);
  end
  assign idle_o = &level_idle && under_way_q == '0;

`ifdef SYNTHESIS
  logic unused_index;
  assign unused_index = ^digest_index_i;
`else
  // The places that are reserved and not written, by address.
  logic [NodeWords-1:0] reserved_q;
  logic [$clog2(NodeWords)-1:0] reserved_address, written_address, leaf_address;
  logic reserves_place, reserves_leaf;
  assign reserves_leaf = leaf_reserve_i && leaf_ready_o;
  assign leaf_address = $clog2(NodeWords)'(leaf_group_o + GroupWidth'(leaf_index_o));
  assign reserves_place = job_taken && !job_o.is_top;
  assign reserved_address =
      $clog2(NodeWords)'(job_o.parent_group + GroupWidth'(job_o.parent_index));
  assign written_address = $clog2(NodeWords)'(digest_group_i + GroupWidth'(digest_index_i));
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) reserved_q <= '0;
    else if (clear_i) reserved_q <= '0;
    else begin
      if (reserves_place) reserved_q[reserved_address] <= 1'b1;
      if (reserves_leaf) reserved_q[leaf_address] <= 1'b1;
      if (digest_valid_i) reserved_q[written_address] <= 1'b0;
    end
  end

  // The arity of the level of each place that was reserved, by address.
  logic [CountWidth-1:0] place_arity_q[NodeWords];
  acclmt_tree_pkg::sibling_count_t written_arity, parent_arity;
  assign written_arity =
      leaf_written ? arity[0] : place_arity_q[$clog2(NodeWords)'(written_group)];
  always_comb begin
    parent_arity = '0;
    for (int l = 1; l < int'(NumLevels); l++) begin
      if (job_grant[l-1]) parent_arity = arity[l];
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) place_arity_q <= '{default: '0};
    else if (clear_i) place_arity_q <= '{default: '0};
    else begin
      if (reserves_leaf) place_arity_q[$clog2(NodeWords)'(leaf_group_o)] <= arity[0];
      if (reserves_place) place_arity_q[$clog2(NodeWords)'(job_o.parent_group)] <= parent_arity;
    end
  end

  reserved_once_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      reserves_place && !clear_i |-> !reserved_q[reserved_address])
  else $error("acclmt_dispatch_scheduler: place %0d was reserved twice", reserved_address);
  leaf_reserved_once_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      reserves_leaf && !clear_i |-> !reserved_q[leaf_address])
  else $error("acclmt_dispatch_scheduler: leaf place %0d was reserved twice", leaf_address);
  leaf_places_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !clear_i && !setup_i.valid |-> (leaf_places_q != '0) == place_free[0])
  else $error("acclmt_dispatch_scheduler: %0d places of leaves are free, and that is wrong",
              leaf_places_q);
  written_place_is_reserved_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      digest_valid_i && !clear_i |-> reserved_q[written_address])
  else $error("acclmt_dispatch_scheduler: a digest is written to place %0d, which is not reserved",
              written_address);
  count_in_range_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      written && !clear_i |-> written_count <= written_arity)
  else $error("acclmt_dispatch_scheduler: a group has %0d nodes", written_count);
  one_write_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      leaf_written |-> !digest_valid_i)
  else $error("acclmt_dispatch_scheduler: a leaf and a digest are written at once");
  digest_of_a_job_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      digest_valid_i && !clear_i |-> under_way_q != '0)
  else $error("acclmt_dispatch_scheduler: a digest came back that no job asked for");
  top_in_range_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      job_valid_o |-> top_i != '0 && 32'(top_i) <= MaxHeight)
  else $error("acclmt_dispatch_scheduler: top level %0d is not within 1..%0d", top_i, MaxHeight);
  setup_while_idle_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      setup_i.valid && !clear_i |-> idle_o)
  else $error("acclmt_dispatch_scheduler: a queue is set up while nodes are inside");
  // Liveness: with a full leaf queue, something is always ready or under way.
  logic fetching_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) fetching_q <= 1'b0;
    else if (clear_i || fetched_i) fetching_q <= 1'b0;
    else if (job_taken) fetching_q <= 1'b1;
  end
  no_deadlock_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      (leaf_valid_i || leaf_reserve_i) && !leaf_ready_o && !setup_i.valid |->
      job_valid_o || fetching_q || under_way_q != '0)
  else $error("acclmt_dispatch_scheduler: the leaf queue is full and nothing can move");
  known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !$isunknown({leaf_valid_i, leaf_reserve_i, leaf_ready_o, job_valid_o, digest_valid_i}))
  else $error("acclmt_dispatch_scheduler: a handshake is unknown");
  digest_out_of_order_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      digest_valid_i && 32'(written_count) != 32'(digest_index_i) + 1);
  choice_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      job_taken && $countones(job_ready) > 1);
  leaf_waits_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      (leaf_valid_i || leaf_reserve_i) && !leaf_ready_o);
`endif

endmodule

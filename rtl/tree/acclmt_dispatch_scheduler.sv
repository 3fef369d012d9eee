// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Dispatch scheduler of the root hash engine: which pair of nodes is hashed next, and where its
/// digest goes.
///
/// Every level of the tree below the root is a queue of nodes in the order of their leaves. A job
/// takes the two oldest nodes of a level and makes one node of the level above. The deepest ready
/// job (the one nearest to the root) goes first, which keeps the upper queues short. A job is ready
/// when its level has two nodes and a place is reserved for its digest in the level above; the job
/// that makes the root needs none. Leaves are accepted while the leaf queue has room. No queue can
/// overflow, and since the job nearest to the root is never blocked by one further away, the tree
/// always ends (both asserted).
///
/// The module holds the bookkeeping only: another scheduler with these ports can take its place.
///
/// Handshake:  job: ready/valid; a job that is offered may give way to a deeper one until it is
///             taken. Its operands are read after it was taken; `fetched_i` says when they are no
///             longer needed in their places. Leaves: ready/valid; the leaf is written at
///             `leaf_place_o` in the cycle in which it is taken. Digests: no back-pressure; written
///             at `digest_place_o` in the cycle of `digest_valid_i`.
/// Latency:    a node can be in a job the cycle after it was written. Throughput: one job a cycle.
module acclmt_dispatch_scheduler #(
  /// Most levels of a tree: up to 2^MaxHeight leaves.
  parameter int unsigned MaxHeight = 13,
  /// Words of the leaf hash buffer and the root hash buffer, powers of two.
  parameter int unsigned LeafWords = 4096,
  parameter int unsigned RootWords = 2048
) (
  /// Clock and reset.
  input logic clk_i,
  input logic rst_ni,
  /// Forgets every node.
  input logic clear_i,
  /// Levels of this tree, 1 .. MaxHeight; stable during a run.
  input acclmt_pkg::level_t height_i,
  /// A leaf is written.
  input logic leaf_valid_i,
  output logic leaf_ready_o,
  output acclmt_pkg::node_place_t leaf_place_o,
  /// Job: the level of its operands, which are at `job_place_o` and the address after it.
  output logic job_valid_o,
  input logic job_ready_i,
  output acclmt_pkg::level_t job_level_o,
  output acclmt_pkg::node_place_t job_place_o,
  /// The operands of the last job, which were of level `fetched_level_i`, have left their memory.
  input logic fetched_i,
  input acclmt_pkg::level_t fetched_level_i,
  /// The digest of a job whose operands were of level `digest_level_i` is written, or is the root.
  input logic digest_valid_i,
  input acclmt_pkg::level_t digest_level_i,
  output acclmt_pkg::node_place_t digest_place_o,
  output logic digest_is_root_o,
  /// No node is queued and no job is under way.
  output logic idle_o
);

  localparam int unsigned LevelWidth = acclmt_pkg::LevelWidth;
  localparam int unsigned AddressWidth = acclmt_pkg::NodeAddressWidth;

  if (MaxHeight < 1 || MaxHeight >= 2 ** LevelWidth) begin : gen_illegal_height
    $error("acclmt_dispatch_scheduler: MaxHeight = %0d is not within 1..%0d", MaxHeight,
           2 ** LevelWidth - 1);
  end
  if (LeafWords < 2 || LeafWords != 2 ** $clog2(LeafWords) || $clog2(LeafWords) > AddressWidth)
  begin : gen_illegal_leaf_words
    $error("acclmt_dispatch_scheduler: LeafWords = %0d is no power of two within 2..2^%0d",
           LeafWords, AddressWidth);
  end
  if (RootWords < 4 || RootWords != 2 ** $clog2(RootWords) || $clog2(RootWords) > AddressWidth)
  begin : gen_illegal_root_words
    $error("acclmt_dispatch_scheduler: RootWords = %0d is no power of two within 4..2^%0d",
           RootWords, AddressWidth);
  end

  // Level l of these vectors is level l of the tree.
  logic [MaxHeight-1:0] pair_ready, place_free, level_idle, job_ready, job_grant;
  logic [MaxHeight-1:0][AddressWidth-1:0] write_address, read_address;

  logic job_taken, digest_stored;
  assign job_taken = job_valid_o && job_ready_i;
  assign digest_is_root_o = digest_level_i + 1'b1 == height_i;
  assign digest_stored = digest_valid_i && !digest_is_root_o;

  for (genvar l = 0; l < MaxHeight; l++) begin : gen_level
    localparam int unsigned Words =
        acclmt_pkg::queue_words(l, int'(LeafWords), int'(RootWords));
    localparam int unsigned Base = acclmt_pkg::queue_base(l, int'(RootWords));
    localparam int unsigned PointerWidth = $clog2(Words);
    localparam int unsigned CountWidth = $clog2(Words + 1);

    // Nodes written, pairs taken by jobs, nodes waiting, places not free.
    logic [PointerWidth-1:0] write_pointer_q, read_pointer_q;
    logic [CountWidth-1:0] waiting_q, reserved_q;
    logic reserve, write, take, free;

    if (l == 0) begin : gen_leaves
      assign reserve = leaf_valid_i && leaf_ready_o;
      assign write = reserve;
    end else begin : gen_nodes
      assign reserve = job_taken && job_grant[l-1] && LevelWidth'(l) != height_i;
      assign write = digest_stored && digest_level_i == LevelWidth'(l - 1);
    end
    assign take = job_taken && job_grant[l];
    assign free = fetched_i && fetched_level_i == LevelWidth'(l);

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        write_pointer_q <= '0;
        read_pointer_q <= '0;
        waiting_q <= '0;
        reserved_q <= '0;
      end else if (clear_i) begin
        write_pointer_q <= '0;
        read_pointer_q <= '0;
        waiting_q <= '0;
        reserved_q <= '0;
      end else begin
        if (write) write_pointer_q <= write_pointer_q + 1'b1;
        if (take) read_pointer_q <= read_pointer_q + PointerWidth'(2);
        waiting_q <= waiting_q + CountWidth'(write) - CountWidth'({take, 1'b0});
        reserved_q <= reserved_q + CountWidth'(reserve) - CountWidth'({free, 1'b0});
      end
    end

    assign pair_ready[l] = waiting_q >= CountWidth'(2);
    assign place_free[l] = reserved_q != CountWidth'(Words);
    assign level_idle[l] = reserved_q == '0;
    assign write_address[l] = AddressWidth'(Base) + AddressWidth'(write_pointer_q);
    assign read_address[l] = AddressWidth'(Base) + AddressWidth'(read_pointer_q);

`ifndef SYNTHESIS
    no_overflow_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
        reserve && !clear_i |-> place_free[l])
    else $error("acclmt_dispatch_scheduler: the queue of level %0d overflows", l);
    written_place_is_reserved_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
        write && !clear_i |-> (l == 0) || waiting_q < reserved_q)
    else $error("acclmt_dispatch_scheduler: a node of level %0d was written to a free place", l);
    freed_place_was_taken_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
        free && !clear_i |-> reserved_q >= CountWidth'(2) &&
        reserved_q - CountWidth'(2) >= waiting_q)
    else $error("acclmt_dispatch_scheduler: a place of level %0d was freed before it was read", l);
`endif

    // The place above: none is needed for the root.
    if (l + 1 < MaxHeight) begin : gen_place_above
      assign job_ready[l] = pair_ready[l] && (LevelWidth'(l + 1) == height_i || place_free[l+1]);
    end else begin : gen_root_above
      assign job_ready[l] = pair_ready[l];
    end
  end

  // Deepest first: the highest level with a ready job.
  always_comb begin
    job_grant = '0;
    job_level_o = '0;
    job_place_o.address = '0;
    for (int l = 0; l < int'(MaxHeight); l++) begin
      if (job_ready[l]) begin
        job_grant = '0;
        job_grant[l] = 1'b1;
        job_level_o = LevelWidth'(l);
        job_place_o.address = read_address[l];
      end
    end
  end
  assign job_valid_o = |job_ready;

  // The memory that holds a level's queue.
  localparam logic [LevelWidth-1:0] LastRootLevel =
      LevelWidth'(acclmt_pkg::last_root_level(int'(RootWords)));
  acclmt_pkg::level_t digest_queue;
  assign digest_queue = digest_level_i + 1'b1;

  always_comb begin
    job_place_o.memory = acclmt_pkg::RootHashBuffer;
    if (job_level_o == '0) job_place_o.memory = acclmt_pkg::LeafHashBuffer;
    else if (job_level_o > LastRootLevel) job_place_o.memory = acclmt_pkg::Hidm;

    digest_place_o.memory = (digest_queue > LastRootLevel) ? acclmt_pkg::Hidm
                                                           : acclmt_pkg::RootHashBuffer;
    digest_place_o.address = '0;
    for (int l = 1; l < int'(MaxHeight); l++) begin
      if (digest_queue == LevelWidth'(l)) digest_place_o.address = write_address[l];
    end
  end

  assign leaf_ready_o = place_free[0];
  assign leaf_place_o.memory = acclmt_pkg::LeafHashBuffer;
  assign leaf_place_o.address = write_address[0];

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
  height_in_range_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      job_valid_o |-> height_i != '0 && 32'(height_i) <= MaxHeight)
  else $error("acclmt_dispatch_scheduler: height %0d is not within 1..%0d", height_i, MaxHeight);
  // Liveness: with a full leaf queue, something is always ready or under way.
  no_deadlock_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !leaf_ready_o |-> job_valid_o || under_way_q != '0)
  else $error("acclmt_dispatch_scheduler: the leaf queue is full and nothing can move");
`endif

endmodule

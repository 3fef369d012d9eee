// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// The tree without its hash engines: takes the leaves, offers groups of siblings to be hashed,
/// keeps their digests until they have siblings themselves, and puts out the nodes that the host
/// asked for.
///
/// Leaves are written to the node memory; the dispatch scheduler names groups of siblings; the
/// fetch unit reads them as operands of the hash engine; digests go back to the node memory, where
/// each has a place from the time on when its operands are chosen, which its tag names. While a
/// digest is written, a leaf waits. With `reserve_leaves` leaves are digests as well: what is asked
/// for then is the place of one, ahead of its hash. Nodes of the top level are read to go out
/// instead. Nodes of another level that the host asked for go out as they are read: so the nodes of
/// a level leave in order, in whatever order they were made, and a digest never waits for the host.
/// With top level 0 the leaves go out, and there is no tree.
///
///     leaves -+-> node memory -> fetch -+-> operands
///             |         ^               +-> node output
///             |         +------------------ digests
///             +-> node output (no tree)
///
/// Handshake:  ready/valid for leaves, operands and nodes that go out. Digests come in any order,
///             and are taken at once.
/// Latency:    3 cycles from the last leaf of a group to its first operand.
/// Throughput: one leaf a cycle; a group in one cycle more than its operands.
module acclmt_tree #(
  /// Levels above the leaves that a tree can have, and words of the node memory.
  parameter int unsigned MaxHeight = 32,
  parameter int unsigned NodeWords = 512,
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
  /// Forgets every node; before a run.
  input logic clear_i,
  /// The tree; stable during a run.
  input acclmt_tree_pkg::tree_config_t tree_i,
  /// Sets up the queue of a level.
  input acclmt_tree_pkg::level_setup_t setup_i,
  /// Writes of constants: the values of empty sub-trees.
  input acclmt_pkg::constant_write_t constant_write_i,
  /// Zeroisation: a word of the node memory is overwritten.
  input acclmt_tree_pkg::node_sweep_t node_sweep_i,
  /// Leaves, in order; `end` marks the last word of one. With `reserve_leaves`, if there is a tree:
  /// a place for a leaf is asked for (`reserve`), so many of which must be free; which place it is.
  input logic reserve_leaves_i,
  input logic leaf_valid_i,
  input logic leaf_reserve_i,
  output logic leaf_ready_o,
  input acclmt_pkg::word_t leaf_i,
  input logic leaf_end_i,
  input logic [15:0] leaf_places_i,
  output logic [acclmt_pkg::TagPayloadWidth-1:0] leaf_place_o,
  /// Operands (`end` marks the last one of a hash), with the parameter set of their level and the
  /// place of the digest.
  output logic operand_valid_o,
  input logic operand_ready_i,
  output acclmt_pkg::word_t operand_o,
  output logic operand_end_o,
  output logic [acclmt_tree_pkg::LevelSetWidth-1:0] operand_set_o,
  output logic [acclmt_pkg::TagPayloadWidth-1:0] operand_place_o,
  /// Digests, with their places.
  input logic digest_valid_i,
  input acclmt_pkg::word_t digest_i,
  input logic [acclmt_pkg::TagPayloadWidth-1:0] digest_place_i,
  /// Nodes that go out.
  output logic node_valid_o,
  input logic node_ready_i,
  output acclmt_pkg::word_t node_o,
  output acclmt_tree_pkg::node_label_t label_o,
  /// A group lacks siblings.
  output logic incomplete_o,
  /// There is no group to be hashed (performance counter).
  output logic starved_o,
  /// Words written and freed in the node memory (performance counters).
  output acclmt_tree_pkg::node_traffic_t traffic_o,
  /// No node is inside, but for those that go out.
  output logic idle_o
);

  localparam int unsigned GroupWidth = acclmt_tree_pkg::GroupAddressWidth;
  localparam int unsigned CountWidth = acclmt_tree_pkg::SiblingCountWidth;
  localparam int unsigned LowerLevelWidth = acclmt_tree_pkg::LowerLevelWidth;

  if (acclmt_pkg::TagPayloadWidth != GroupWidth + CountWidth) begin : gen_illegal_payload_width
    $error("acclmt_tree: TagPayloadWidth = %0d is not that of a place",
           acclmt_pkg::TagPayloadWidth);
  end

  // ---- Leaves: to the tree, or out --------------------------------------------------------------

  logic is_tree, place_free, output_ready, leaf_last;
  acclmt_tree_pkg::leaf_count_t leaves_left_q;
  assign is_tree = tree_i.top != '0;
  // A digest is written first.
  assign leaf_ready_o =
      is_tree ? place_free && (reserve_leaves_i || !digest_valid_i) : output_ready;
  assign leaf_last = leaf_end_i && leaves_left_q == acclmt_tree_pkg::leaf_count_t'(1);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) leaves_left_q <= '0;
    else if (clear_i) leaves_left_q <= tree_i.leaves;
    else if (((leaf_valid_i && leaf_end_i) || leaf_reserve_i) && leaf_ready_o) begin
      leaves_left_q <= leaves_left_q - 1'b1;
    end
  end

  // ---- Scheduler --------------------------------------------------------------------------------

  logic job_valid, job_ready, fetched, scheduler_idle, leaf_write;
  acclmt_tree_pkg::node_job_t job;
  acclmt_tree_pkg::level_t fetched_level;
  acclmt_tree_pkg::sibling_count_t fetched_count, leaf_index, digest_index;
  acclmt_tree_pkg::group_address_t leaf_group, digest_group;

  assign {digest_index, digest_group} = digest_place_i;
  assign leaf_place_o = {leaf_index, leaf_group};
  assign leaf_write = leaf_valid_i && leaf_ready_o && is_tree;
  acclmt_dispatch_scheduler #(
    .MaxHeight(MaxHeight),
    .NodeWords(NodeWords)
  ) u_scheduler (
    .clk_i,
    .rst_ni,
    .clear_i,
    .setup_i,
    .top_i(tree_i.top),
    .leaf_valid_i(leaf_valid_i && is_tree && !digest_valid_i),
    .leaf_reserve_i(leaf_reserve_i && is_tree),
    .leaf_writes_i(!reserve_leaves_i),
    .leaf_places_i,
    .leaf_last_i(leaf_last),
    .leaf_ready_o(place_free),
    .leaf_group_o(leaf_group),
    .leaf_index_o(leaf_index),
    .job_valid_o(job_valid),
    .job_ready_i(job_ready),
    .job_o(job),
    .fetched_i(fetched),
    .fetched_level_i(fetched_level),
    .digest_valid_i,
    .digest_group_i(digest_group),
    .digest_index_i(digest_index),
    .idle_o(scheduler_idle)
  );

  // ---- Nodes: they are written, and read in groups ----------------------------------------------

  logic read, fetched_valid, fetched_ready, is_node, word_end, fetch_idle;
  acclmt_pkg::word_t read_data, word;
  acclmt_tree_pkg::node_job_t word_job;
  acclmt_tree_pkg::node_address_t read_address, write_address;
  logic fetch_fault;
  acclmt_node_fetch #(
    .MaxHeight(MaxHeight),
    .MemoryParity(MemoryParity)
  ) u_fetch (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .memory_fault_o(fetch_fault),
    .clear_i,
    .constant_write_i,
    .job_valid_i(job_valid),
    .job_ready_o(job_ready),
    .job_i(job),
    .fetched_o(fetched),
    .fetched_level_o(fetched_level),
    .fetched_count_o(fetched_count),
    .read_o(read),
    .read_address_o(read_address),
    .read_data_i(read_data),
    .valid_o(fetched_valid),
    .ready_i(fetched_ready),
    .word_o(word),
    .end_o(word_end),
    .is_node_o(is_node),
    .job_o(word_job),
    .incomplete_o,
    .idle_o(fetch_idle)
  );
  acclmt_tree_pkg::group_address_t write_group;
  acclmt_tree_pkg::sibling_count_t write_index;
  assign write_group = digest_valid_i ? digest_group : leaf_group;
  assign write_index = digest_valid_i ? digest_index : leaf_index;
  assign write_address = acclmt_tree_pkg::node_address_t'(write_group) +
                         acclmt_tree_pkg::node_address_t'(write_index);
  logic memory_fault;
  acclmt_node_memory #(
    .NodeWords(NodeWords),
    .MemoryParity(MemoryParity)
  ) u_memory (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .memory_fault_o(memory_fault),
    .sweep_i(node_sweep_i),
    .write_i(leaf_write || digest_valid_i),
    .write_address_i(write_address),
    .write_data_i(digest_valid_i ? digest_i : leaf_i),
    .read_i(read),
    .read_address_i(read_address),
    .read_data_o(read_data)
  );

  // ---- Words that were read: to the hash engine, or out, or both --------------------------------

  // A word that goes both ways is taken by both at once.
  logic goes_out;
  assign goes_out =
      is_node && (word_job.is_top || tree_i.emit[word_job.level[LowerLevelWidth-1:0]]);
  assign operand_valid_o = fetched_valid && !word_job.is_top && (!goes_out || output_ready);
  assign operand_o = word;
  assign operand_end_o = word_end;
  assign operand_set_o = word_job.parameter_set;
  assign operand_place_o = {word_job.parent_index, word_job.parent_group};
  assign fetched_ready =
      (word_job.is_top || operand_ready_i) && (!goes_out || output_ready);

  // Without a tree nothing is read.
  logic output_valid;
  assign output_valid =
      is_tree ? fetched_valid && goes_out && (word_job.is_top || operand_ready_i) : leaf_valid_i;
  logic output_fault;
  acclmt_node_output #(
    .MemoryParity(MemoryParity)
  ) u_output (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .memory_fault_o(output_fault),
    .clear_i,
    .valid_i(output_valid),
    .ready_o(output_ready),
    .node_i(is_tree ? word : leaf_i),
    .level_i(is_tree ? word_job.level : '0),
    .end_i(is_tree || leaf_end_i),
    .last_i(is_tree ? word_job.is_top && word_job.last && word_end : leaf_last),
    .valid_o(node_valid_o),
    .ready_i(node_ready_i),
    .node_o,
    .label_o
  );

  // ---- Events -----------------------------------------------------------------------------------

  assign starved_o = operand_ready_i && !fetched_valid && !job_valid;
  always_comb begin
    traffic_o = '0;
    traffic_o.written = leaf_write || digest_valid_i;
    traffic_o.freed_count = fetched ? fetched_count : '0;
  end
  assign idle_o = scheduler_idle && fetch_idle;

  logic unused_bits;
  assign unused_bits = ^{tree_i.pad, word_job};

  assign memory_fault_o = fetch_fault || memory_fault || output_fault;

`ifndef SYNTHESIS
  known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !$isunknown({leaf_valid_i, leaf_reserve_i, leaf_ready_o, operand_valid_o, operand_ready_i,
                   digest_valid_i, node_valid_o, node_ready_i}))
  else $error("acclmt_tree: a handshake is unknown");
  digest_known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      digest_valid_i |-> !$isunknown(digest_place_i))
  else $error("acclmt_tree: a digest has an unknown place");
  one_kind_of_leaves_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !clear_i |-> !(leaf_valid_i && reserve_leaves_i) && !(leaf_reserve_i && !reserve_leaves_i))
  else $error("acclmt_tree: leaves that have no place come, or a place is reserved for others");
  digest_of_a_tree_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      digest_valid_i && !clear_i |-> is_tree)
  else $error("acclmt_tree: a digest comes and there is no tree");
  operand_stable_a : assert property (@(posedge clk_i) disable iff (!rst_ni || clear_i)
      operand_valid_o && !operand_ready_i |=> operand_valid_o && $stable(operand_o))
  else $error("acclmt_tree: an operand changed before it was taken");
  leaf_waits_for_digest_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      leaf_valid_i && is_tree && !reserve_leaves_i && place_free && digest_valid_i);
  leaf_is_reserved_beside_digest_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      leaf_reserve_i && place_free && digest_valid_i);
  leaf_waits_for_queue_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      (leaf_valid_i || leaf_reserve_i) && is_tree && !place_free);
  node_waits_for_output_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      fetched_valid && goes_out && !output_ready);
  node_waits_for_engine_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      fetched_valid && goes_out && output_ready && !fetched_ready);
  last_node_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      fetched && word_job.is_top && word_job.last);
`endif

endmodule

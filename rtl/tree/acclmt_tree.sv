// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// The tree of the root hash engine without its hash engine: takes the leaves, offers groups of
/// siblings to be hashed, keeps their digests until they have siblings themselves, and puts out the
/// nodes that the host asked for.
///
/// Leaves are written to the node memory; the dispatch scheduler names groups of siblings; the
/// fetch unit reads them as operands of the hash engine; digests go back to the node memory until
/// they are of the top level. While a digest is written, a leaf waits. Nodes of the top level, and
/// those of every level that the host asked for, go out as they are made. With top level 0 the
/// leaves go out, and there is no tree.
///
///     leaves -+-> node memory -> fetch -> operands
///             |         ^------------------------------ digests
///             +-> node output <------------------------+
///
/// Handshake:  ready/valid on all four sides; digests come in the order of their operands.
/// Latency:    3 cycles from the last leaf of a group to its first operand.
/// Throughput: one leaf a cycle; a group in one cycle more than its operands.
module acclmt_tree #(
  /// Levels with a queue, and words of the node memory.
  parameter int unsigned MaxHeight = 32,
  parameter int unsigned NodeWords = 512
) (
  /// Clock and reset.
  input logic clk_i,
  input logic rst_ni,
  /// Configuration of the memories below, see acclmt_memory_pkg; quasi-static.
  input acclmt_memory_pkg::memory_config_t memory_config_i,
  /// Forgets every node; before a run.
  input logic clear_i,
  /// Children of a node, and the tree; stable during a run.
  input acclmt_tree_pkg::sibling_count_t arity_i,
  input acclmt_tree_pkg::tree_config_t tree_i,
  /// Sets up the queue of a level.
  input acclmt_tree_pkg::level_setup_t setup_i,
  /// Writes of constants: the values of empty sub-trees.
  input acclmt_pkg::constant_write_t constant_write_i,
  /// Zeroisation: a word of the node memory is overwritten.
  input acclmt_tree_pkg::node_sweep_t node_sweep_i,
  /// Leaves, in order; `end` marks the last word of one.
  input logic leaf_valid_i,
  output logic leaf_ready_o,
  input acclmt_pkg::word_t leaf_i,
  input logic leaf_end_i,
  /// Operands, `arity_i` a hash (`end` marks the last one), with what belongs to its digest.
  output logic operand_valid_o,
  input logic operand_ready_i,
  output acclmt_pkg::word_t operand_o,
  output logic operand_end_o,
  output acclmt_pkg::tag_t operand_tag_o,
  /// Digests, with the tags of their operands.
  input logic digest_valid_i,
  output logic digest_ready_o,
  input acclmt_pkg::word_t digest_i,
  input acclmt_pkg::tag_t digest_tag_i,
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

  localparam int unsigned QueueWidth = acclmt_tree_pkg::QueueWidth;

  if (acclmt_pkg::TagPayloadWidth != acclmt_tree_pkg::QueueWidth + 3) begin : gen_illegal_tag_width
    $error("acclmt_tree: TagPayloadWidth = %0d is not that of a queue and three flags",
           acclmt_pkg::TagPayloadWidth);
  end

  // ---- Leaves: to the tree, or out, or both -----------------------------------------------------

  logic is_tree, emit_leaf, place_free, queue_ready, output_leaf_ready, leaf_last;
  acclmt_tree_pkg::leaf_count_t leaves_left_q;
  assign is_tree = tree_i.top != '0;
  assign emit_leaf = !is_tree || tree_i.emit[0];
  assign leaf_ready_o = (!is_tree || queue_ready) && (!emit_leaf || output_leaf_ready);
  assign leaf_last = leaf_end_i && leaves_left_q == acclmt_tree_pkg::leaf_count_t'(1);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) leaves_left_q <= '0;
    else if (clear_i) leaves_left_q <= tree_i.leaves;
    else if (leaf_valid_i && leaf_ready_o && leaf_end_i) leaves_left_q <= leaves_left_q - 1'b1;
  end

  // ---- Scheduler --------------------------------------------------------------------------------

  logic job_valid, job_ready, fetched, scheduler_idle;
  acclmt_tree_pkg::node_job_t job;
  acclmt_tree_pkg::level_t digest_level, fetched_level;
  acclmt_tree_pkg::sibling_count_t fetched_count;
  acclmt_tree_pkg::node_address_t leaf_address, digest_address, read_address;
  logic leaf_write, digest_write, digest_goes_out, digest_is_top, digest_taken, digest_last;

  logic leaf_to_tree;
  assign queue_ready = place_free && !(digest_valid_i && !digest_is_top);
  assign leaf_to_tree = leaf_valid_i && is_tree && (!emit_leaf || output_leaf_ready) &&
                        !(digest_valid_i && !digest_is_top);
  assign leaf_write = leaf_to_tree && place_free;
  acclmt_dispatch_scheduler #(
    .MaxHeight(MaxHeight)
  ) u_scheduler (
    .clk_i,
    .rst_ni,
    .clear_i,
    .setup_i,
    .arity_i,
    .top_i(tree_i.top),
    .leaf_valid_i(leaf_to_tree),
    .leaf_last_i(leaf_last),
    .leaf_ready_o(place_free),
    .leaf_address_o(leaf_address),
    .job_valid_o(job_valid),
    .job_ready_i(job_ready),
    .job_o(job),
    .fetched_i(fetched),
    .fetched_level_i(fetched_level),
    .digest_valid_i(digest_taken),
    .digest_level_i(digest_level),
    .digest_is_top_i(digest_is_top),
    .digest_last_i(digest_last),
    .digest_address_o(digest_address),
    .idle_o(scheduler_idle)
  );

  // ---- Operands ---------------------------------------------------------------------------------

  logic read, operand_last, fetch_idle;
  acclmt_pkg::word_t read_data;
  acclmt_tree_pkg::level_t operand_level;
  acclmt_node_fetch #(
    .MaxHeight(MaxHeight)
  ) u_fetch (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .clear_i,
    .arity_i,
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
    .valid_o(operand_valid_o),
    .ready_i(operand_ready_i),
    .word_o(operand_o),
    .end_o(operand_end_o),
    .level_o(operand_level),
    .last_o(operand_last),
    .incomplete_o,
    .idle_o(fetch_idle)
  );
  acclmt_node_memory #(
    .NodeWords(NodeWords)
  ) u_memory (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .sweep_i(node_sweep_i),
    .write_i(leaf_write || digest_write),
    .write_address_i(digest_write ? digest_address : leaf_address),
    .write_data_i(digest_write ? digest_i : leaf_i),
    .read_i(read),
    .read_address_i(read_address),
    .read_data_o(read_data)
  );

  // What becomes of the digest is known with its operands, and travels in their tag: whether the
  // node is of the top level, whether it goes out, and of the group whether it is the last one of
  // its level.
  acclmt_tree_pkg::level_t operand_node_level;
  logic operand_is_top;
  assign operand_node_level = operand_level + 1'b1;
  assign operand_is_top = operand_node_level == tree_i.top;
  assign operand_tag_o = acclmt_pkg::TagWidth'({
    operand_is_top || tree_i.emit[operand_node_level[QueueWidth-1:0]], operand_is_top, operand_last,
    operand_level[QueueWidth-1:0]
  });

  // ---- Digests: to their place, or out, or both -------------------------------------------------

  logic output_ready, output_digest;
  acclmt_tree_pkg::level_t digest_node_level;
  assign {digest_goes_out, digest_is_top, digest_last} = digest_tag_i[QueueWidth+:3];
  assign digest_level = acclmt_tree_pkg::level_t'(digest_tag_i[QueueWidth-1:0]);
  assign digest_node_level = digest_level + 1'b1;
  assign digest_ready_o = !digest_goes_out || output_ready;
  assign digest_taken = digest_valid_i && digest_ready_o;
  assign digest_write = digest_taken && !digest_is_top;
  assign output_digest = digest_valid_i && digest_goes_out;
  // Digests go first.
  assign output_leaf_ready = output_ready && !output_digest;
  acclmt_node_output u_output (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .clear_i,
    .ready_o(output_ready),
    .leaf_valid_i(leaf_valid_i && emit_leaf && (!is_tree || queue_ready)),
    .leaf_i,
    .leaf_end_i,
    .leaf_last_i(leaf_last && !is_tree),
    .digest_valid_i(output_digest),
    .digest_i,
    .digest_level_i(digest_node_level),
    .digest_last_i(digest_last && digest_is_top),
    .valid_o(node_valid_o),
    .ready_i(node_ready_i),
    .node_o,
    .label_o
  );

  // ---- Events -----------------------------------------------------------------------------------

  assign starved_o = operand_ready_i && !operand_valid_o && !job_valid;
  always_comb begin
    traffic_o = '0;
    traffic_o.written = leaf_write || digest_write;
    traffic_o.freed_count = fetched ? fetched_count : '0;
  end
  assign idle_o = scheduler_idle && fetch_idle;

  logic unused_bits;
  assign unused_bits = tree_i.pad;

`ifndef SYNTHESIS
  known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !$isunknown({leaf_valid_i, leaf_ready_o, operand_valid_o, operand_ready_i, digest_valid_i,
                   node_valid_o, node_ready_i}))
  else $error("acclmt_tree: a handshake is unknown");
  digest_known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      digest_valid_i |-> !$isunknown({digest_tag_i, digest_ready_o}))
  else $error("acclmt_tree: a digest has an unknown tag");
  one_write_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(leaf_write && digest_write))
  else $error("acclmt_tree: a leaf and a digest are written at once");
  leaf_waits_for_digest_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      leaf_valid_i && ((emit_leaf && output_digest) || (is_tree && digest_write)));
  digest_waits_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      digest_valid_i && !digest_ready_o);
  leaf_waits_for_queue_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      leaf_valid_i && is_tree && !queue_ready);
  root_c : cover property (@(posedge clk_i) disable iff (!rst_ni) digest_taken && digest_is_top);
`endif

endmodule

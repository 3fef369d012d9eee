// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Root hash engine: folds a stream of leaves into the root of its Merkle tree, or into the nodes
/// of a lower level (a cap), with one hash engine.
///
///     leaves -> tree -+-> nodes
///               ^     +-> hash engine -+
///               +----------------------+
///
/// Handshake:  ready/valid for leaves and nodes. All words are residues.
/// Latency:    top level * (latency of the hash engine + arity + 3) and 2 cycles from the last leaf
///             to the root.
/// Throughput: that of the hash engine.
module acclmt_root_hash_engine #(
  /// The modulus, whether Goldilocks mode exists, and the kind of reduction.
  parameter acclmt_pkg::word_t Prime = acclmt_pkg::PrimeBls12381,
  parameter bit Goldilocks = 1'b1,
  parameter int unsigned Reduction = acclmt_pkg::ReductionConstant,
  /// Parameters of the hash engine.
  parameter int unsigned NumFull = 1,
  parameter int unsigned NumPartial = 4,
  parameter int unsigned MatrixDepth = 32,
  parameter int unsigned ConstantDepth = 256,
  parameter int unsigned PartialDepth = 128,
  /// Levels above the leaves that a tree can have, and words of the node memory.
  parameter int unsigned MaxHeight = 32,
  parameter int unsigned NodeWords = 512
) (
  /// Clock and reset.
  input logic clk_i,
  input logic rst_ni,
  /// Configuration of the memories below, see acclmt_memory_pkg; quasi-static.
  input acclmt_memory_pkg::memory_config_t memory_config_i,
  /// Forgets everything.
  input logic clear_i,
  /// Goldilocks mode, run-time modulus, parameters of the hash engine and the tree; stable during a
  /// run.
  input logic goldilocks_i,
  input acclmt_pkg::word_t prime_i,
  input acclmt_pkg::engine_config_t config_i,
  input acclmt_tree_pkg::tree_config_t tree_i,
  /// Sets up the queue of a level.
  input acclmt_tree_pkg::level_setup_t setup_i,
  /// Writes of constants.
  input acclmt_pkg::constant_write_t constant_write_i,
  /// Zeroisation: a word of the node memory is overwritten.
  input acclmt_tree_pkg::node_sweep_t node_sweep_i,
  /// Leaves, in order; `end` marks the last word of one.
  input logic valid_i,
  output logic ready_o,
  input acclmt_pkg::word_t leaf_i,
  input logic leaf_end_i,
  /// Nodes.
  output logic valid_o,
  input logic ready_i,
  output acclmt_pkg::word_t node_o,
  output acclmt_tree_pkg::node_label_t label_o,
  /// A group lacks siblings.
  output logic incomplete_o,
  /// A permutation begins; the hash engine could take a word and there is no job (performance
  /// counters).
  output logic hash_begun_o,
  output logic starved_o,
  /// Words taken and freed in the node memory (performance counters).
  output acclmt_tree_pkg::node_traffic_t traffic_o,
  /// The slot of a round is under way (performance counters), see acclmt_hash_engine.
  output logic [acclmt_pkg::MaxSubEngines-1:0] busy_o,
  /// Nothing is inside.
  output logic idle_o
);

  // Siblings are a block, and a hash.
  acclmt_pkg::block_t siblings;
  always_comb begin
    siblings.first = 1'b1;
    siblings.overwrite = 1'b0;
    siblings.input_words = config_i.input_words;
    siblings.input_map = config_i.input_map;
  end

  logic operand_end, operand_valid, operand_ready, digest_valid;
  logic tree_idle, engine_idle;
  acclmt_pkg::word_t operand, digest;
  acclmt_pkg::tag_t operand_tag, digest_tag;
  acclmt_tree #(
    .MaxHeight(MaxHeight),
    .NodeWords(NodeWords)
  ) u_tree (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .clear_i,
    .arity_i(config_i.input_words),
    .tree_i,
    .setup_i,
    .constant_write_i,
    .node_sweep_i,
    .leaf_valid_i(valid_i),
    .leaf_ready_o(ready_o),
    .leaf_i,
    .leaf_end_i,
    .operand_valid_o(operand_valid),
    .operand_ready_i(operand_ready),
    .operand_o(operand),
    .operand_end_o(operand_end),
    .operand_tag_o(operand_tag),
    .digest_valid_i(digest_valid),
    .digest_i(digest),
    .digest_tag_i(digest_tag),
    .node_valid_o(valid_o),
    .node_ready_i(ready_i),
    .node_o,
    .label_o,
    .incomplete_o,
    .starved_o,
    .traffic_o,
    .idle_o(tree_idle)
  );

  logic unused_last;
  acclmt_hash_engine #(
    .Prime(Prime),
    .Goldilocks(Goldilocks),
    .Reduction(Reduction),
    .NumFull(NumFull),
    .NumPartial(NumPartial),
    .MatrixDepth(MatrixDepth),
    .ConstantDepth(ConstantDepth),
    .PartialDepth(PartialDepth)
  ) u_hash_engine (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .clear_i,
    .goldilocks_i,
    .prime_i,
    .configs_i(config_i),
    .sets_i(1'b1),
    .constant_write_i,
    .valid_i(operand_valid),
    .ready_o(operand_ready),
    .word_i(operand),
    .block_i(siblings),
    .block_end_i(operand_end),
    .tag_i(operand_tag),
    .valid_o(digest_valid),
    .ready_i(1'b1),
    .word_o(digest),
    .last_o(unused_last),
    .tag_o(digest_tag),
    .begun_o(hash_begun_o),
    .busy_o,
    .idle_o(engine_idle)
  );

  assign idle_o = tree_idle && engine_idle;

`ifndef SYNTHESIS
  known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !$isunknown({valid_i, ready_o, operand_valid, operand_ready, digest_valid, valid_o}))
  else $error("acclmt_root_hash_engine: a handshake is unknown");
  digest_known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      digest_valid |-> !$isunknown(digest_tag))
  else $error("acclmt_root_hash_engine: what becomes of a digest is unknown");
  leaf_meets_digest_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      valid_i && digest_valid);
  operand_waits_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      operand_valid && !operand_ready);
  node_waits_c : cover property (@(posedge clk_i) disable iff (!rst_ni) valid_o && !ready_i);
`endif

endmodule

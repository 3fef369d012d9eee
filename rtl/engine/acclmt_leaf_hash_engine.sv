// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Leaf hash engine: turns the stream of words into a stream of digests.
///
/// In hash mode a row of blocks of input words becomes a digest, in as many permutations as it has
/// blocks; in element mode every word is a ready leaf and passes through.
///
/// Handshake:  ready/valid on both sides. All words are residues.
/// Latency:    that of the hash engine, or none in element mode.
/// Throughput: that of the hash engine, or one leaf a cycle.
module acclmt_leaf_hash_engine #(
  /// The modulus, whether Goldilocks mode exists, and the kind of reduction.
  parameter acclmt_pkg::word_t Prime = acclmt_pkg::PrimeBls12381,
  parameter bit Goldilocks = 1'b1,
  parameter int unsigned Reduction = acclmt_pkg::ReductionConstant,
  /// Parameters of the hash engine.
  parameter int unsigned NumFull = 1,
  parameter int unsigned NumPartial = 4,
  parameter int unsigned MatrixDepth = 32,
  parameter int unsigned ConstantDepth = 256,
  parameter int unsigned PartialDepth = 128
) (
  /// Clock and reset.
  input logic clk_i,
  input logic rst_ni,
  /// Configuration of the memories below, see acclmt_memory_pkg; quasi-static.
  input acclmt_memory_pkg::memory_config_t memory_config_i,
  /// Forgets everything.
  input logic clear_i,
  /// Goldilocks mode, run-time modulus and parameters of the hash engine; stable during a run.
  input logic goldilocks_i,
  input acclmt_pkg::word_t prime_i,
  input acclmt_pkg::engine_config_t config_i,
  input acclmt_pkg::row_config_t row_i,
  /// Hash words into leaves, instead of passing them through; stable during a run.
  input logic hash_leaves_i,
  /// Writes of constants.
  input acclmt_pkg::constant_write_t constant_write_i,
  /// Words, in order.
  input logic valid_i,
  output logic ready_o,
  input acclmt_pkg::word_t word_i,
  input acclmt_pkg::input_label_t label_i,
  /// Leaves (words of digests), in order; `end` marks the last word of one.
  output logic valid_o,
  input logic ready_i,
  output acclmt_pkg::word_t leaf_o,
  output logic leaf_end_o,
  /// A permutation begins (performance counter).
  output logic hash_begun_o,
  /// The slot of a round is under way (performance counters), see acclmt_hash_engine.
  output logic [acclmt_pkg::MaxSubEngines-1:0] busy_o,
  /// Nothing is inside.
  output logic idle_o
);

  logic engine_ready, digest_valid, digest_last;
  acclmt_pkg::word_t digest;
  acclmt_pkg::tag_t tag, unused_tag;
  always_comb begin
    tag = '0;
    tag[acclmt_pkg::TagContinues] = !label_i.last_block;
  end
  // The last block of a row may be short, and has a map of its own.
  acclmt_pkg::block_t block;
  always_comb begin
    block.first = label_i.first_block;
    block.overwrite = row_i.overwrite;
    block.input_words = label_i.last_block ? row_i.last_words : config_i.input_words;
    block.input_map = label_i.last_block ? row_i.last_map : config_i.input_map;
  end
  logic unused_row;
  assign unused_row = ^{row_i.blocks, row_i.group};
  acclmt_hash_engine #(
    .Prime(Prime),
    .Goldilocks(Goldilocks),
    .Reduction(Reduction),
    .NumFull(NumFull),
    .NumPartial(NumPartial),
    .MatrixDepth(MatrixDepth),
    .ConstantDepth(ConstantDepth),
    .PartialDepth(PartialDepth),
    .Sponge(1'b1)
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
    .valid_i(hash_leaves_i && valid_i),
    .ready_o(engine_ready),
    .word_i,
    .block_i(block),
    .block_end_i(label_i.block_end),
    .tag_i(tag),
    .valid_o(digest_valid),
    .ready_i(hash_leaves_i && ready_i),
    .word_o(digest),
    .last_o(digest_last),
    .tag_o(unused_tag),
    .begun_o(hash_begun_o),
    .busy_o,
    .idle_o
  );

  assign ready_o = hash_leaves_i ? engine_ready : ready_i;
  assign valid_o = hash_leaves_i ? digest_valid : valid_i;
  assign leaf_o = hash_leaves_i ? digest : word_i;
  assign leaf_end_o = !hash_leaves_i || digest_last;

`ifndef SYNTHESIS
  known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !$isunknown({valid_i, ready_o, valid_o}))
  else $error("acclmt_leaf_hash_engine: a handshake is unknown");
  ready_known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      valid_o |-> !$isunknown(ready_i))
  else $error("acclmt_leaf_hash_engine: ready_i is unknown");
  pass_through_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      valid_o && ready_i && !hash_leaves_i);
  later_block_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      hash_leaves_i && valid_i && ready_o && !label_i.first_block);
  leaf_waits_c : cover property (@(posedge clk_i) disable iff (!rst_ni) valid_o && !ready_i);
`endif

endmodule

// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Leaf hash engine: turns the stream of elements into a stream of leaves.
///
/// In hash mode every two elements (the arity) become a leaf by one hash; in element mode every
/// element is a ready leaf and passes through.
///
/// Handshake:  ready/valid on both sides. All words are Montgomery residues.
/// Latency:    that of the hash engine, or none in element mode.
/// Throughput: that of the hash engine, or one leaf a cycle.
module acclmt_leaf_hash_engine #(
  /// The modulus.
  parameter acclmt_pkg::word_t Prime = acclmt_pkg::PrimeBls12381,
  /// Parameters of the hash engine.
  parameter int unsigned NumPartial = 3,
  parameter int unsigned MatrixDepth = 32,
  parameter int unsigned ConstantDepth = 64,
  parameter int unsigned PartialDepth = 64
) (
  /// Clock and reset.
  input logic clk_i,
  input logic rst_ni,
  /// Forgets everything.
  input logic clear_i,
  /// Run-time parameters of the hash engine; stable during a run.
  input acclmt_pkg::engine_config_t config_i,
  /// Hash elements into leaves, instead of passing them through; stable during a run.
  input logic hash_leaves_i,
  /// Writes of constants.
  input acclmt_pkg::constant_write_t constant_write_i,
  /// Elements, in order.
  input logic valid_i,
  output logic ready_o,
  input acclmt_pkg::word_t element_i,
  /// Leaves, in order.
  output logic valid_o,
  input logic ready_i,
  output acclmt_pkg::word_t leaf_o,
  /// A digest leaves the hash engine (performance counter).
  output logic hash_done_o,
  /// A round is issued: bit 0 full-round, bit i partial-round sub-engine i (performance counters).
  output logic [NumPartial:0] busy_o,
  /// Nothing is inside.
  output logic idle_o
);

  // The first element of a pair waits for the second.
  logic first_held_q, engine_valid, engine_ready, take_first;
  acclmt_pkg::word_t first_q;
  assign engine_valid = hash_leaves_i && first_held_q && valid_i;
  assign take_first = hash_leaves_i && !first_held_q && valid_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) first_held_q <= 1'b0;
    else if (clear_i) first_held_q <= 1'b0;
    else if (take_first) first_held_q <= 1'b1;
    else if (engine_valid && engine_ready) first_held_q <= 1'b0;
  end
  always_ff @(posedge clk_i) begin
    if (take_first) first_q <= element_i;
  end

  logic digest_valid, digest_ready, engine_idle;
  acclmt_pkg::word_t digest;
  acclmt_pkg::tag_t unused_tag;
  acclmt_hash_engine #(
    .Prime(Prime),
    .NumPartial(NumPartial),
    .MatrixDepth(MatrixDepth),
    .ConstantDepth(ConstantDepth),
    .PartialDepth(PartialDepth)
  ) u_hash_engine (
    .clk_i,
    .rst_ni,
    .clear_i,
    .config_i,
    .constant_write_i,
    .valid_i(engine_valid),
    .ready_o(engine_ready),
    .inputs_i({element_i, first_q}),
    .tag_i('0),
    .valid_o(digest_valid),
    .ready_i(digest_ready),
    .digest_o(digest),
    .tag_o(unused_tag),
    .busy_o,
    .idle_o(engine_idle)
  );

  assign digest_ready = hash_leaves_i && ready_i;
  assign hash_done_o = digest_valid && digest_ready;
  assign ready_o = hash_leaves_i ? (!first_held_q || engine_ready) : ready_i;
  assign valid_o = hash_leaves_i ? digest_valid : valid_i;
  assign leaf_o = hash_leaves_i ? digest : element_i;
  assign idle_o = engine_idle && !first_held_q;

endmodule

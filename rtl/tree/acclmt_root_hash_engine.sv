// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Root hash engine: folds a stream of leaves into the root of its Merkle tree.
///
/// Leaves are written to the leaf hash buffer; the dispatch scheduler names pairs of nodes; a fetch
/// unit reads a pair in two cycles and hands it to the hash engine; digests go to the root hash
/// buffer, to the HIDM (nodes that join standard trees), or, the last one, out as the root.
///
///     leaves -> leaf hash buffer ---+
///               root hash buffer ---+--> fetch -> hash engine -+-> root
///               HIDM ---------------+                          |
///                 ^--------------------------------------------+
///
/// Handshake:  ready/valid for leaves and root. All words are Montgomery residues.
/// Latency:    height * (latency of the hash engine + 5) from the last leaf to the root.
/// Throughput: that of the hash engine.
module acclmt_root_hash_engine #(
  /// The modulus, whether Goldilocks mode exists, and the kind of reduction.
  parameter acclmt_pkg::word_t Prime = acclmt_pkg::PrimeBls12381,
  parameter bit Goldilocks = 1'b1,
  parameter int unsigned Reduction = acclmt_pkg::ReductionConstant,
  /// Parameters of the hash engine.
  parameter int unsigned NumFull = 1,
  parameter int unsigned NumPartial = 3,
  parameter int unsigned MatrixDepth = 128,
  parameter int unsigned ConstantDepth = 256,
  parameter int unsigned PartialDepth = 128,
  /// Most levels of a tree.
  parameter int unsigned MaxHeight = 13,
  /// Words of the leaf hash buffer (128 KB by default) and of the root hash buffer (64 KB).
  parameter int unsigned LeafWords = 4096,
  parameter int unsigned RootWords = 2048
) (
  /// Clock and reset.
  input logic clk_i,
  input logic rst_ni,
  /// Forgets everything.
  input logic clear_i,
  /// Run-time modulus and parameters of the hash engine, and levels of the tree; stable during a
  /// run.
  input acclmt_pkg::word_t prime_i,
  input acclmt_pkg::engine_config_t config_i,
  input acclmt_pkg::level_t height_i,
  /// Writes of constants.
  input acclmt_pkg::constant_write_t constant_write_i,
  /// Leaves, in order.
  input logic valid_i,
  output logic ready_o,
  input acclmt_pkg::word_t leaf_i,
  /// The root.
  output logic valid_o,
  input logic ready_i,
  output acclmt_pkg::word_t root_o,
  /// A digest leaves the hash engine (performance counter).
  output logic hash_done_o,
  /// The slot of a round is under way (performance counters), see acclmt_hash_engine.
  output logic [acclmt_pkg::MaxSubEngines-1:0] busy_o,
  /// Nothing is inside.
  output logic idle_o
);

  localparam int unsigned WordWidth = acclmt_pkg::WordWidth;
  localparam int unsigned TagWidth = acclmt_pkg::TagWidth;
  localparam int unsigned LevelWidth = acclmt_pkg::LevelWidth;
  localparam int unsigned HidmWords =
      acclmt_pkg::hidm_words(int'(MaxHeight), int'(RootWords));
  localparam int unsigned LeafAddressWidth = $clog2(LeafWords);
  localparam int unsigned RootAddressWidth = $clog2(RootWords);
  localparam int unsigned HidmAddressWidth = $clog2(HidmWords);

  // ---- Scheduler --------------------------------------------------------------------------------

  logic job_valid, job_ready, fetched, scheduler_idle;
  acclmt_pkg::level_t job_level, digest_level, fetch_level_q;
  acclmt_pkg::node_place_t job_place, leaf_place, digest_place;
  logic digest_valid, digest_ready, digest_is_root, digest_taken;
  acclmt_pkg::word_t digest;
  acclmt_pkg::tag_t digest_tag;

  acclmt_dispatch_scheduler #(
    .MaxHeight(MaxHeight),
    .LeafWords(LeafWords),
    .RootWords(RootWords)
  ) u_scheduler (
    .clk_i,
    .rst_ni,
    .clear_i,
    .height_i,
    .leaf_valid_i(valid_i),
    .leaf_ready_o(ready_o),
    .leaf_place_o(leaf_place),
    .job_valid_o(job_valid),
    .job_ready_i(job_ready),
    .job_level_o(job_level),
    .job_place_o(job_place),
    .fetched_i(fetched),
    .fetched_level_i(fetch_level_q),
    .digest_valid_i(digest_taken),
    .digest_level_i(digest_level),
    .digest_place_o(digest_place),
    .digest_is_root_o(digest_is_root),
    .idle_o(scheduler_idle)
  );

  // ---- Fetch unit: reads the two operands of a job and offers them to the engine ----------------

  typedef enum logic [1:0] {
    FetchIdle,
    FetchFirst,
    FetchSecond
  } fetch_state_e;
  fetch_state_e fetch_state_d, fetch_state_q;
  acclmt_pkg::node_place_t fetch_place_q;
  acclmt_pkg::word_t operand;
  logic read_enable, engine_valid, engine_ready;
  acclmt_pkg::node_place_t read_place;

  // The first operand is read as the job is taken, the second as the first is taken; each word is
  // there the cycle after its read, and stays in the memory's output register.
  always_comb begin
    fetch_state_d = fetch_state_q;
    job_ready = 1'b0;
    read_enable = 1'b0;
    read_place = fetch_place_q;
    fetched = 1'b0;
    engine_valid = 1'b0;
    unique case (fetch_state_q)
      FetchIdle: begin
        job_ready = 1'b1;
        read_enable = job_valid;
        read_place = job_place;
        if (job_valid) fetch_state_d = FetchFirst;
      end
      FetchFirst: begin
        engine_valid = 1'b1;
        read_enable = engine_ready;
        read_place.address = fetch_place_q.address + 1'b1;
        if (engine_ready) fetch_state_d = FetchSecond;
      end
      FetchSecond: begin
        engine_valid = 1'b1;
        fetched = engine_ready;
        if (engine_ready) fetch_state_d = FetchIdle;
      end
      default: fetch_state_d = FetchIdle;
    endcase
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) fetch_state_q <= FetchIdle;
    else if (clear_i) fetch_state_q <= FetchIdle;
    else fetch_state_q <= fetch_state_d;
  end
  always_ff @(posedge clk_i) begin
    if (fetch_state_q == FetchIdle) begin
      fetch_place_q <= job_place;
      fetch_level_q <= job_level;
    end
  end

  // ---- Node buffers -----------------------------------------------------------------------------

  acclmt_pkg::word_t leaf_word, root_word, hidm_word;
  logic write_node;
  assign write_node = digest_taken && !digest_is_root;

  acclmt_mem_1r1w #(
    .Width(WordWidth),
    .Depth(LeafWords)
  ) u_leaf_hash_buffer (
    .clk_i,
    .write_enable_i(valid_i && ready_o),
    .write_address_i(leaf_place.address[LeafAddressWidth-1:0]),
    .write_data_i(leaf_i),
    .read_enable_i(read_enable && read_place.memory == acclmt_pkg::LeafHashBuffer),
    .read_address_i(read_place.address[LeafAddressWidth-1:0]),
    .read_data_o(leaf_word)
  );
  acclmt_mem_1r1w #(
    .Width(WordWidth),
    .Depth(RootWords)
  ) u_root_hash_buffer (
    .clk_i,
    .write_enable_i(write_node && digest_place.memory == acclmt_pkg::RootHashBuffer),
    .write_address_i(digest_place.address[RootAddressWidth-1:0]),
    .write_data_i(digest),
    .read_enable_i(read_enable && read_place.memory == acclmt_pkg::RootHashBuffer),
    .read_address_i(read_place.address[RootAddressWidth-1:0]),
    .read_data_o(root_word)
  );
  acclmt_mem_1r1w #(
    .Width(WordWidth),
    .Depth(HidmWords)
  ) u_hidm (
    .clk_i,
    .write_enable_i(write_node && digest_place.memory == acclmt_pkg::Hidm),
    .write_address_i(digest_place.address[HidmAddressWidth-1:0]),
    .write_data_i(digest),
    .read_enable_i(read_enable && read_place.memory == acclmt_pkg::Hidm),
    .read_address_i(read_place.address[HidmAddressWidth-1:0]),
    .read_data_o(hidm_word)
  );

  // Both operands of a job are in the same memory.
  always_comb begin
    unique case (fetch_place_q.memory)
      acclmt_pkg::LeafHashBuffer: operand = leaf_word;
      acclmt_pkg::RootHashBuffer: operand = root_word;
      default: operand = hidm_word;
    endcase
  end

  // ---- Hash engine ------------------------------------------------------------------------------

  logic engine_idle, digest_last;
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
    .clear_i,
    .prime_i,
    .config_i,
    .constant_write_i,
    .valid_i(engine_valid),
    .ready_o(engine_ready),
    .word_i(operand),
    .tag_i(TagWidth'(fetch_level_q)),
    .valid_o(digest_valid),
    .ready_i(digest_ready),
    .word_o(digest),
    .last_o(digest_last),
    .tag_o(digest_tag),
    .busy_o,
    .idle_o(engine_idle)
  );

  assign digest_level = digest_tag[LevelWidth-1:0];
  // Nodes always have their place; only the root can be held up.
  assign digest_ready = !digest_is_root || ready_i;
  assign digest_taken = digest_valid && digest_ready;
  assign valid_o = digest_valid && digest_is_root;
  assign root_o = digest;
  assign hash_done_o = digest_taken;
  assign idle_o = scheduler_idle && engine_idle && fetch_state_q == FetchIdle;

  logic unused_bits;
  assign unused_bits = ^{digest_last, digest_tag[TagWidth-1:LevelWidth], leaf_place, digest_place, read_place};

endmodule

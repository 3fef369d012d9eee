// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Poseidon hash engine: one or two full-round sub-engines and `NumPartial` partial-round
/// sub-engines in a ring.
///
///     NumFull = 1:
///     words -> initial state -> full-round -> partial 1 -> .. -> partial N -> exit -+
///                               ^                                                   |
///                    digest <---+---------------------------------------------------+
///
///     NumFull = 2:
///     words -> initial state -> full-round -> partial 1 -> .. -> partial N -> exit -+
///                                                                                   |
///                                                           digest <- full-round <--+
///
/// The exit makes residues of the sums with which the partial rounds end (`acclmt_sum_reduction`).
/// Every sub-engine loops over the rounds of its own segment, so that all of them work on different
/// hashes at the same time. The host chooses the segments such that the longest is as short as
/// possible (docs/architecture.md, "Segments").
///
/// Handshake:  words of both sides: ready/valid, the tag with the first word of a hash. Digests
///             leave in the order of their inputs, with their tags.
/// Latency:    rounds of the hash * loop cycles, and about ten cycles for each sub-engine.
/// Throughput: the longest segment: one hash in
///             max((RF1 + RF2 + p0) * f + l, p1 * g, .., pN * g) cycles if NumFull = 1, with f, l
///             and g cycles a round of a full-round sub-engine (one of them is the layer behind the
///             recurrence), the last full round, and a round of a partial-round sub-engine; at
///             most one word in and one in two cycles out.
module acclmt_hash_engine #(
  /// The modulus, whether Goldilocks mode exists, and the kind of reduction.
  parameter acclmt_pkg::word_t Prime = acclmt_pkg::PrimeBls12381,
  parameter bit Goldilocks = 1'b1,
  parameter int unsigned Reduction = acclmt_pkg::ReductionConstant,
  /// Full-round and partial-round sub-engines.
  parameter int unsigned NumFull = 1,
  parameter int unsigned NumPartial = 4,
  /// Steps of matrices and beats of constant vectors of a full-round sub-engine.
  parameter int unsigned MatrixDepth = 32,
  parameter int unsigned ConstantDepth = 256,
  /// Beats of the matrices of a partial-round sub-engine.
  parameter int unsigned PartialDepth = 128,
  /// Whether the engine hashes rows of blocks: states go round once more for each block.
  parameter bit Sponge = 1'b0
) (
  /// Clock and reset.
  input logic clk_i,
  input logic rst_ni,
  /// Configuration of the memories below, see acclmt_memory_pkg; quasi-static.
  input acclmt_memory_pkg::memory_config_t memory_config_i,
  /// Forgets every hash.
  input logic clear_i,
  /// Goldilocks mode, run-time modulus and parameters of the hash; stable while hashes are inside.
  input logic goldilocks_i,
  input acclmt_pkg::word_t prime_i,
  input acclmt_pkg::engine_config_t config_i,
  /// Writes of constants.
  input acclmt_pkg::constant_write_t constant_write_i,
  /// Input words, residues, with their block, whose last word `block_end` marks. Without `Sponge`
  /// every block begins a hash.
  input logic valid_i,
  output logic ready_o,
  input acclmt_pkg::word_t word_i,
  input acclmt_pkg::block_t block_i,
  input logic block_end_i,
  input acclmt_pkg::tag_t tag_i,
  /// Digest words, residues.
  output logic valid_o,
  input logic ready_i,
  output acclmt_pkg::word_t word_o,
  output logic last_o,
  output acclmt_pkg::tag_t tag_o,
  /// A permutation begins (performance counter).
  output logic begun_o,
  /// The slot of a round is under way: bit 0 first full-round, bit i partial-round i, bit 7 second
  /// full-round sub-engine.
  output logic [acclmt_pkg::MaxSubEngines-1:0] busy_o,
  /// No hash is inside.
  output logic idle_o
);

  localparam int unsigned Lanes = acclmt_pkg::Lanes;
  localparam int unsigned WordWidth = acclmt_pkg::WordWidth;
  localparam int unsigned LaneWidth = acclmt_pkg::LaneWidth;
  localparam int unsigned TagWidth = acclmt_pkg::TagWidth;
  localparam int unsigned MaxSubEngines = acclmt_pkg::MaxSubEngines;
  localparam int unsigned Second = MaxSubEngines - 1;

  if (NumFull < 1 || NumFull > acclmt_pkg::MaxNumFull) begin : gen_illegal_num_full
    $error("acclmt_hash_engine: NumFull = %0d is not within 1..%0d", NumFull,
           acclmt_pkg::MaxNumFull);
  end
  if (NumPartial < 1 || NumPartial > acclmt_pkg::MaxNumPartial) begin : gen_illegal_num_partial
    $error("acclmt_hash_engine: NumPartial = %0d is not within 1..%0d", NumPartial,
           acclmt_pkg::MaxNumPartial);
  end

  // ---- Initial state ----------------------------------------------------------------------------

  logic start_valid, start_take, loader_idle;
  logic [Lanes-1:0][WordWidth-1:0] start_state;
  acclmt_pkg::tag_t start_tag;
  logic final_valid, final_take, back_valid, back_take;
  logic [Lanes-1:0][WordWidth-1:0] final_state;
  acclmt_state_loader #(
    .Prime(Prime),
    .Goldilocks(Goldilocks),
    .Reduction(Reduction),
    .Sponge(Sponge)
  ) u_loader (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .clear_i,
    .goldilocks_i,
    .prime_i,
    .config_i,
    .constant_write_i,
    .valid_i,
    .ready_o,
    .word_i,
    .block_i,
    .block_end_i,
    .tag_i,
    .back_valid_i(back_valid),
    .back_take_o(back_take),
    .back_state_i(final_state),
    .valid_o(start_valid),
    .take_i(start_take),
    .state_o(start_state),
    .tag_o(start_tag),
    .begun_o,
    .idle_o(loader_idle)
  );

  // ---- The ring: link 0 leaves the first full-round sub-engine, link i partial-round i ----------

  logic [NumPartial:0] link_valid, link_take;
  logic [NumPartial:0][Lanes-1:0][LaneWidth-1:0] link_state;
  logic [NumPartial:0][TagWidth-1:0] link_tag;
  logic [Lanes-1:0][WordWidth-1:0] first_state, exit_state;
  logic exit_valid, exit_take, exit_idle;
  acclmt_pkg::tag_t exit_tag;
  for (genvar lane = 0; lane < Lanes; lane++) begin : gen_first_lane
    assign link_state[0][lane] = LaneWidth'(first_state[lane]);
  end
  acclmt_pkg::tag_t final_tag;
  logic [MaxSubEngines-1:0] sub_engine_idle;

  if (NumFull == 1) begin : gen_one_full
    acclmt_full_round_engine #(
      .Prime(Prime),
      .Goldilocks(Goldilocks),
      .Reduction(Reduction),
      .MatrixDepth(MatrixDepth),
      .ConstantDepth(ConstantDepth),
      .Sponge(Sponge)
    ) u_full (
      .clk_i,
      .rst_ni,
      .memory_config_i,
      .clear_i,
      .goldilocks_i,
      .prime_i,
      .config_i,
      .full_first_i(config_i.full_rounds_first),
      .partial_first_i(config_i.partial_rounds[0]),
      .partial_last_i('0),
      .full_last_i(config_i.full_rounds_last),
      .number_i('0),
      .constant_write_i,
      .valid_i({exit_valid, start_valid}),
      .take_o({exit_take, start_take}),
      .state_i({exit_state, start_state}),
      .tag_i({exit_tag, start_tag}),
      .valid_o({final_valid, link_valid[0]}),
      .take_i({final_take, link_take[0]}),
      .state_o({final_state, first_state}),
      .tag_o({final_tag, link_tag[0]}),
      .busy_o(busy_o[0]),
      .idle_o(sub_engine_idle[0])
    );
    assign busy_o[Second] = 1'b0;
    assign sub_engine_idle[Second] = 1'b1;
  end else begin : gen_two_full
    // The first one has no last visit, the second one no first visit.
    logic unused_first_valid, unused_first_take, unused_second_valid, unused_second_take;
    logic [Lanes*WordWidth-1:0] unused_first_state, unused_second_state;
    acclmt_pkg::tag_t unused_first_tag, unused_second_tag;
    acclmt_full_round_engine #(
      .Prime(Prime),
      .Goldilocks(Goldilocks),
      .Reduction(Reduction),
      .MatrixDepth(MatrixDepth),
      .ConstantDepth(ConstantDepth)
    ) u_first (
      .clk_i,
      .rst_ni,
      .memory_config_i,
      .clear_i,
      .goldilocks_i,
      .prime_i,
      .config_i,
      .full_first_i(config_i.full_rounds_first),
      .partial_first_i(config_i.partial_rounds[0]),
      .partial_last_i('0),
      .full_last_i('0),
      .number_i('0),
      .constant_write_i,
      .valid_i({1'b0, start_valid}),
      .take_o({unused_first_take, start_take}),
      .state_i({start_state, start_state}),
      .tag_i({start_tag, start_tag}),
      .valid_o({unused_first_valid, link_valid[0]}),
      .take_i({1'b0, link_take[0]}),
      .state_o({unused_first_state, first_state}),
      .tag_o({unused_first_tag, link_tag[0]}),
      .busy_o(busy_o[0]),
      .idle_o(sub_engine_idle[0])
    );
    acclmt_full_round_engine #(
      .Prime(Prime),
      .Goldilocks(Goldilocks),
      .Reduction(Reduction),
      .MatrixDepth(MatrixDepth),
      .ConstantDepth(ConstantDepth),
      .Sponge(Sponge)
    ) u_second (
      .clk_i,
      .rst_ni,
      .memory_config_i,
      .clear_i,
      .goldilocks_i,
      .prime_i,
      .config_i,
      .full_first_i('0),
      .partial_first_i('0),
      .partial_last_i(config_i.partial_rounds[Second]),
      .full_last_i(config_i.full_rounds_last),
      .number_i(acclmt_pkg::SecondFullSubEngine),
      .constant_write_i,
      .valid_i({exit_valid, 1'b0}),
      .take_o({exit_take, unused_second_take}),
      .state_i({exit_state, exit_state}),
      .tag_i({exit_tag, exit_tag}),
      .valid_o({final_valid, unused_second_valid}),
      .take_i({final_take, 1'b0}),
      .state_o({final_state, unused_second_state}),
      .tag_o({final_tag, unused_second_tag}),
      .busy_o(busy_o[Second]),
      .idle_o(sub_engine_idle[Second])
    );
  end

  for (genvar i = 1; i < Second; i++) begin : gen_partial
    if (i <= NumPartial) begin : gen_present
      acclmt_partial_round_engine #(
        .Prime(Prime),
        .Goldilocks(Goldilocks),
        .Reduction(Reduction),
        .Depth(PartialDepth)
      ) u_partial (
        .clk_i,
        .rst_ni,
        .memory_config_i,
        .clear_i,
        .goldilocks_i,
        .prime_i,
        .config_i,
        .num_rounds_i(config_i.partial_rounds[i]),
        .number_i(acclmt_pkg::SubEngineWidth'(i)),
        .constant_write_i,
        .valid_i(link_valid[i-1]),
        .take_o(link_take[i-1]),
        .state_i(link_state[i-1]),
        .tag_i(link_tag[i-1]),
        .valid_o(link_valid[i]),
        .take_i(link_take[i]),
        .state_o(link_state[i]),
        .tag_o(link_tag[i]),
        .busy_o(busy_o[i]),
        .idle_o(sub_engine_idle[i])
      );
    end else begin : gen_absent
      assign busy_o[i] = 1'b0;
      assign sub_engine_idle[i] = 1'b1;
    end
  end

  acclmt_sum_reduction #(
    .Prime(Prime),
    .Goldilocks(Goldilocks),
    .Reduction(Reduction)
  ) u_exit (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .clear_i,
    .goldilocks_i,
    .prime_i,
    .config_i,
    .valid_i(link_valid[NumPartial]),
    .take_o(link_take[NumPartial]),
    .state_i(link_state[NumPartial]),
    .tag_i(link_tag[NumPartial]),
    .valid_o(exit_valid),
    .take_i(exit_take),
    .state_o(exit_state),
    .tag_o(exit_tag),
    .idle_o(exit_idle)
  );

  // ---- Digest, or once more ---------------------------------------------------------------------

  logic reader_idle, reader_take, continues;
  assign continues = Sponge && final_tag[acclmt_pkg::TagContinues];
  assign back_valid = final_valid && continues;
  assign final_take = continues ? back_take : reader_take;
  acclmt_digest_reader u_reader (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .clear_i,
    .goldilocks_i,
    .config_i,
    .valid_i(final_valid && !continues),
    .take_o(reader_take),
    .state_i(final_state),
    .tag_i(final_tag),
    .valid_o,
    .ready_i,
    .word_o,
    .last_o,
    .tag_o,
    .idle_o(reader_idle)
  );

  assign idle_o = &sub_engine_idle && exit_idle && loader_idle && reader_idle;

`ifndef SYNTHESIS
  known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !$isunknown({valid_i, ready_o, start_valid, final_valid, final_take, valid_o}))
  else $error("acclmt_hash_engine: a handshake is unknown");
  final_meets_new_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      final_valid && start_valid);
  digest_waits_c : cover property (@(posedge clk_i) disable iff (!rst_ni) valid_o && !ready_i);
  state_waits_for_reader_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      final_valid && !continues && !reader_take);
  if (Sponge) begin : gen_sponge_covers
    once_more_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
        back_valid && back_take);
    waits_for_block_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
        back_valid && !back_take);
  end
`endif

endmodule

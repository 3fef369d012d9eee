// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Step sequencer of a full-round sub-engine: which beats of the turn memory meet which chunks of
/// the matrix in a cycle.
///
/// The steps of a round start so late that the beats and the products of their pairs are always
/// there: `skew_i` cycles after the first beat (see `acclmt_pkg::engine_config_t`). A row chunk
/// takes `steps` steps of two beats, a round as many row chunks as the state has beats. A round
/// that makes the beat of the digest only has one row chunk, in steps of one beat. In Goldilocks
/// mode a step takes two slices: the lower and the upper ones of the first beat, and of the second
/// one.
///
/// With adders the rounds are dense layers, which wait here in their order until the steps of the
/// one before end and `may_start_i` says that they may begin.
///
/// Handshake:  none. `read_o` reads the beats and the coefficients of a step; they are there in the
///             next cycle, with `step_valid_o`.
/// Latency:    `skew_i` + 2 cycles from `start_i` to the first step, with adders `FifoLatency` + 2
///             at least. Throughput: one step a cycle; a round may start when the steps of the one
///             before end (asserted, with adders it waits).
module acclmt_full_round_sequencer #(
  /// Bits of the address of a step in the matrix memories, and of one in the turn memory.
  parameter int unsigned MatrixAddressWidth = 5,
  parameter int unsigned TurnAddressWidth = 3,
  /// Whether there are adders.
  parameter bit Adders = 1'b0,
  /// Parameter sets.
  parameter int unsigned NumSets = 1,
  /// Whether memories keep parity, see acclmt_memory.
  parameter bit MemoryParity = 1'b0
) (
  /// Clock and reset.
  input logic clk_i,
  input logic rst_ni,
  /// Configuration of the memory below, see acclmt_memory_pkg; quasi-static.
  input acclmt_memory_pkg::memory_config_t memory_config_i,
  /// A word that a memory below shows is not the one that was written; one cycle.
  output logic memory_fault_o,
  /// Forgets every state.
  input logic clear_i,
  /// Goldilocks mode, parameters of the sets, and the skew that they have in common; stable while
  /// states are inside.
  input logic goldilocks_i,
  input logic [NumSets*acclmt_pkg::EngineConfigWidth-1:0] configs_i,
  input logic [3:0] skew_i,
  /// Adders are in use, and a dense layer may begin in this cycle; one begins.
  input logic adders_i,
  input logic may_start_i,
  output logic dense_start_o,
  /// The first beat of a round is written to the turn memory: whether the round makes the beat of
  /// the digest only, what the program says of the state, its tag, and the first step of the
  /// matrix.
  input logic start_i,
  input logic digest_i,
  input acclmt_pkg::pass_label_t label_i,
  input acclmt_pkg::tag_t tag_i,
  input logic [MatrixAddressWidth-1:0] matrix_i,
  /// A step reads its coefficients, and of a pair of beats the even one, the odd one, or both.
  output logic read_o,
  output logic [1:0] turn_read_o,
  output logic [TurnAddressWidth-1:0] turn_address_o,
  output logic [MatrixAddressWidth-1:0] matrix_address_o,
  /// The step whose operands are there.
  output logic step_valid_o,
  output acclmt_pkg::full_round_step_t step_o
);

  localparam int unsigned TagWidth = acclmt_pkg::TagWidth;
  localparam int unsigned LabelWidth = acclmt_pkg::PassLabelWidth;
  localparam int unsigned BeatWidth = acclmt_pkg::BeatWidth;

  // ---- Start of a round -------------------------------------------------------------------------

  localparam int unsigned MaxSkew = 8;
  localparam int unsigned RoundInfoWidth = 1 + LabelWidth + TagWidth + MatrixAddressWidth;
  logic adders;
  assign adders = Adders && adders_i;
  logic [MaxSkew:0] start_at;
  logic [MaxSkew:0][RoundInfoWidth-1:0] info_at;
  logic [MaxSkew-1:0] start_q;
  logic [MaxSkew-1:0][RoundInfoWidth-1:0] info_q;
  assign start_at = {start_q, start_i && !adders};
  assign info_at = {info_q, digest_i, label_i, tag_i, matrix_i};
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) start_q <= '0;
    else if (clear_i) start_q <= '0;
    else start_q <= start_at[MaxSkew-1:0];
  end
  always_ff @(posedge clk_i) info_q <= info_at[MaxSkew-1:0];

  // With adders they wait. A place of the turn memory holds one state. Without, what goes through
  // leaves nothing of them.
  logic dense_waits, dense_start, steps_free;
  logic [RoundInfoWidth-1:0] dense_info;
  if (Adders) begin : gen_waiting
    logic fifo_ready;
    acclmt_fifo #(
      .Width(RoundInfoWidth),
      .Depth(2 ** TurnAddressWidth),
      .MemoryParity(MemoryParity)
    ) u_waiting (
      .clk_i,
      .rst_ni,
      .memory_config_i,
      .memory_fault_o,
      .clear_i,
      .valid_i(start_i),
      .ready_o(fifo_ready),
      .data_i({digest_i, label_i, tag_i, matrix_i}),
      .valid_o(dense_waits),
      .ready_i(dense_start || !adders),
      .data_o(dense_info)
    );
    assign dense_start = adders && dense_waits && may_start_i && steps_free;
`ifndef SYNTHESIS
    room_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
        start_i && !clear_i |-> fifo_ready)
    else $error("acclmt_full_round_sequencer: a dense layer comes and there is no room");
    waits_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
        adders && dense_waits && may_start_i && !steps_free);
`else
    logic unused_ready;
    assign unused_ready = fifo_ready;
`endif
  end else begin : gen_no_waiting
    assign {dense_waits, dense_start} = '0;
    assign dense_info = '0;
    assign memory_fault_o = 1'b0;
    logic unused_waiting;
    assign unused_waiting = ^{memory_config_i, adders_i, may_start_i, dense_waits, steps_free};
  end
  assign dense_start_o = dense_start;

  logic start;
  assign start = start_at[skew_i] || dense_start;

  // ---- Steps ------------------------------------------------------------------------------------

  // Of the round whose matrix is under way: step and row chunk, and what is known of the round.
  logic steps_q, digest_q;
  logic [BeatWidth-1:0] step_q, row_q;
  acclmt_pkg::pass_label_t label_q;
  acclmt_pkg::tag_t tag_q;
  logic [MatrixAddressWidth-1:0] row_base_q;
  logic [TurnAddressWidth-1:0] turn_base_q;
  logic start_digest, row_ends, round_ends;
  logic [LabelWidth-1:0] start_label;
  acclmt_pkg::tag_t start_tag;
  logic [MatrixAddressWidth-1:0] start_matrix;
  assign {start_digest, start_label, start_tag, start_matrix} =
      dense_start ? dense_info : info_at[skew_i];

  // The parameters of the set of that round.
  acclmt_pkg::engine_config_t of_round;
  acclmt_set_select #(
    .NumSets(NumSets)
  ) u_config (
    .values_i(configs_i),
    .set_i(tag_q[acclmt_pkg::TagSet+:acclmt_pkg::SetWidth]),
    .value_o(of_round)
  );

  logic last_row;
  assign last_row = row_q + 1'b1 == of_round.beats;
  assign row_ends = step_q + 1'b1 == (digest_q ? of_round.beats : of_round.steps);
  assign round_ends = row_ends && (digest_q || last_row);
  assign steps_free = !steps_q || round_ends;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) steps_q <= 1'b0;
    else if (clear_i) steps_q <= 1'b0;
    else if (start) steps_q <= 1'b1;
    else if (round_ends) steps_q <= 1'b0;
  end
  // A state has as many pairs of beats as a row chunk has steps, in Goldilocks mode one.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) turn_base_q <= '0;
    else if (clear_i) turn_base_q <= '0;
    else if (steps_q && round_ends) begin
      turn_base_q <= turn_base_q + (goldilocks_i ? TurnAddressWidth'(1)
                                                 : TurnAddressWidth'(of_round.steps));
    end
  end
  always_ff @(posedge clk_i) begin
    if (start) begin
      step_q <= '0;
      row_q <= '0;
      digest_q <= start_digest;
      label_q <= start_label;
      tag_q <= start_tag;
      row_base_q <= start_matrix;
    end else if (steps_q) begin
      step_q <= row_ends ? '0 : step_q + 1'b1;
      if (row_ends) begin
        row_q <= row_q + 1'b1;
        row_base_q <= row_base_q + MatrixAddressWidth'(of_round.steps);
      end
    end
  end

  // A step of two beats has an address, and so have two steps of one beat. The slices of Goldilocks
  // mode are chosen later.
  logic [BeatWidth-1:0] pair;
  logic odd_exists;
  assign pair = digest_q ? {1'b0, step_q[BeatWidth-1:1]} : step_q;
  assign read_o = steps_q;
  always_comb begin
    turn_read_o = {steps_q && odd_exists, steps_q};
    if (goldilocks_i) turn_read_o = {steps_q && step_q[1], steps_q && !step_q[1]};
  end
  assign turn_address_o = turn_base_q + (goldilocks_i ? '0 : TurnAddressWidth'(pair));
  assign matrix_address_o = row_base_q + MatrixAddressWidth'(pair);

  // ---- Control that accompanies a step; its operands are there the cycle after ------------------

  // In a step of two beats the last one may have no odd beat.
  assign odd_exists = goldilocks_i || {pair[BeatWidth-2:0], 1'b1} < of_round.beats;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) step_valid_o <= 1'b0;
    else if (clear_i) step_valid_o <= 1'b0;
    else step_valid_o <= steps_q;
  end
  always_ff @(posedge clk_i) begin
    step_o.even <= !digest_q || !step_q[0];
    step_o.odd <= digest_q ? step_q[0] : odd_exists;
    step_o.first <= step_q == '0;
    step_o.pairs <= of_round.pairs && !digest_q;
    step_o.pairs_end <= of_round.pairs && !digest_q && step_q == '0 && last_row;
    step_o.upper <= step_q[0];
    step_o.of_odd_beat <= step_q[1];
    step_o.row <= row_q;
    step_o.row_ends <= row_ends;
    step_o.round_ends <= round_ends;
    step_o.digest <= digest_q;
    step_o.label <= label_q;
    step_o.tag <= tag_q;
  end

  logic unused_bits;
  assign unused_bits = ^of_round;

`ifndef SYNTHESIS
  one_round_at_a_time_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      start && !clear_i |-> steps_free)
  else $error("acclmt_full_round_sequencer: two rounds need the matrix in one cycle");
  skew_in_range_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      start_i |-> 32'(skew_i) <= MaxSkew)
  else $error("acclmt_full_round_sequencer: the steps start too late");
  known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !$isunknown({start_i, read_o, step_valid_o}))
  else $error("acclmt_full_round_sequencer: a start, a read or a step is unknown");
  back_to_back_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      start && steps_q && round_ends);
  digest_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      steps_q && round_ends && digest_q);
  several_rows_c : cover property (@(posedge clk_i) disable iff (!rst_ni) steps_q && row_q != '0);
  single_beat_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      steps_q && !digest_q && !odd_exists);
`endif

endmodule

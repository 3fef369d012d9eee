// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Full-round sub-engine: full rounds and some partial rounds of the Poseidon permutation.
///
/// A round: S-box on all elements (full) or on element 0 (partial), then a matrix, then a vector of
/// round constants:
///
///     state' = matrix * sbox(state) + k
///
/// A hash can visit it twice: the first visit has `full_first_i` full rounds and then
/// `partial_first_i` partial rounds, the last visit `partial_last_i` partial rounds and then
/// `full_last_i` full rounds. Rounds are numbered through both. The last full round of the first
/// visit uses matrix 1 (the pre-sparse matrix), the other full rounds matrix 0 (the MDS matrix);
/// each sparse partial round has a matrix of its own; dense partial rounds use matrix 0. The last
/// full round of a hash makes the beats of its digest only (`acclmt_full_round_loop`).
///
/// Its rooms:
///
///     acclmt_full_round_loop       which state takes the next slot; queues and output buffers
///     acclmt_full_round_sboxes     S-boxes and turn memory
///     acclmt_full_round_sequencer  steps of the matrix
///     acclmt_full_round_rows       multipliers, their memories, sums and reductions
///
///     state -> slot -> S-boxes -> turn memory -> steps -> reduction -> + k -> queue -+
///               ^                                                                    |
///               +--------------------------------------------------------------------+--> out
///
/// The pipeline never stalls: see `acclmt_slot_control`. States that come for their last visit have
/// precedence over new ones.
///
/// Handshake:  states on all four ports: `valid` shows a complete state, `take` takes a beat.
/// Latency:    a round takes `acclmt_timing_pkg::full_loop_cycles` + beats * (steps - 1) cycles,
///             rounded up to the grid of steps.
/// Throughput: beats * steps cycles a full round; a partial round that is sparse takes as many
///             cycles as the state has beats (steps, if it is one beat).
module acclmt_full_round_engine #(
  /// The modulus, whether Goldilocks mode exists, and the kind of reduction.
  parameter acclmt_pkg::word_t Prime = acclmt_pkg::PrimeBls12381,
  parameter bit Goldilocks = 1'b1,
  parameter int unsigned Reduction = acclmt_pkg::ReductionConstant,
  /// Steps (3 x 3 chunks of matrices) and beats of constant vectors that fit, powers of two.
  parameter int unsigned MatrixDepth = 128,
  parameter int unsigned ConstantDepth = 256,
  /// Whether tags say that a state is not final: it goes round once more, with all its beats.
  parameter bit Sponge = 1'b0
) (
  /// Clock and reset.
  input logic clk_i,
  input logic rst_ni,
  /// Configuration of the memories below, see acclmt_memory_pkg; quasi-static.
  input acclmt_memory_pkg::memory_config_t memory_config_i,
  /// Forgets every state.
  input logic clear_i,
  /// Goldilocks mode, run-time modulus, parameters of the hash, and rounds of both visits;
  /// stable while states are inside.
  input logic goldilocks_i,
  input acclmt_pkg::word_t prime_i,
  input acclmt_pkg::engine_config_t config_i,
  input acclmt_pkg::round_t full_first_i,
  input acclmt_pkg::round_t partial_first_i,
  input acclmt_pkg::round_t partial_last_i,
  input acclmt_pkg::round_t full_last_i,
  /// Number of this sub-engine in constant writes; constant.
  input acclmt_pkg::sub_engine_t number_i,
  /// Writes of constants: bank 3 * row + lane at the index of the step (matrix 0, matrix 1, then
  /// the sparse partial rounds), bank 9 + lane at index round * beats + beat.
  input acclmt_pkg::constant_write_t constant_write_i,
  /// States of port 0 (first visit) and port 1 (last visit) that enter, with their tags.
  input logic [1:0] valid_i,
  output logic [1:0] take_o,
  input logic [1:0][acclmt_pkg::Lanes-1:0][acclmt_pkg::WordWidth-1:0] state_i,
  input logic [1:0][acclmt_pkg::TagWidth-1:0] tag_i,
  /// States of both ports that leave.
  output logic [1:0] valid_o,
  input logic [1:0] take_i,
  output logic [1:0][acclmt_pkg::Lanes-1:0][acclmt_pkg::WordWidth-1:0] state_o,
  output logic [1:0][acclmt_pkg::TagWidth-1:0] tag_o,
  /// The slot of a round is under way (performance counter).
  output logic busy_o,
  /// No state is inside.
  output logic idle_o
);

  localparam int unsigned Lanes = acclmt_pkg::Lanes;
  localparam int unsigned WordWidth = acclmt_pkg::WordWidth;
  localparam int unsigned MatrixAddressWidth = $clog2(MatrixDepth);
  // Rounds whose beats are in the turn memory: one that is written, one that is read, and some
  // room.
  localparam int unsigned TurnAddressWidth = 4;
  localparam int unsigned RoundInfoWidth =
      2 + acclmt_pkg::RoundWidth + acclmt_pkg::TagWidth + MatrixAddressWidth;

  // Sparse rounds of several beats share the multipliers out; those of one beat are written dense.
  logic sparse_beats;
  assign sparse_beats = !config_i.partial_dense && config_i.beats != acclmt_pkg::BeatWidth'(1);

  logic issue, issue_first, issue_partial, issue_last, issue_digest;
  acclmt_pkg::round_t issue_round;
  acclmt_pkg::tag_t issue_tag;
  logic [MatrixAddressWidth-1:0] issue_matrix;
  logic [Lanes-1:0][WordWidth-1:0] issue_state;
  logic beat_end, beat_end_last, beat_end_waits, dot_end, end_last;
  acclmt_pkg::round_t end_round;
  acclmt_pkg::tag_t end_tag;
  logic [Lanes-1:0][WordWidth-1:0] end_state;
  acclmt_full_round_loop #(
    .Reduction(Reduction),
    .MatrixAddressWidth(MatrixAddressWidth),
    .Sponge(Sponge)
  ) u_loop (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .clear_i,
    .config_i,
    .full_first_i,
    .partial_first_i,
    .partial_last_i,
    .full_last_i,
    .sparse_beats_i(sparse_beats),
    .valid_i,
    .take_o,
    .state_i,
    .tag_i,
    .issue_o(issue),
    .issue_first_o(issue_first),
    .issue_partial_o(issue_partial),
    .issue_last_o(issue_last),
    .issue_digest_o(issue_digest),
    .issue_round_o(issue_round),
    .issue_tag_o(issue_tag),
    .issue_matrix_o(issue_matrix),
    .issue_state_o(issue_state),
    .end_i(beat_end),
    .end_beat_last_i(beat_end_last),
    .end_waits_i(beat_end_waits),
    .end_last_i(end_last),
    .end_round_i(end_round),
    .end_tag_i(end_tag),
    .end_state_i(end_state),
    .end_dot_i(dot_end),
    .valid_o,
    .take_i,
    .state_o,
    .tag_o,
    .busy_o,
    .idle_o
  );

  logic start, start_partial, read, step_valid;
  logic [RoundInfoWidth-1:0] start_info;
  logic [TurnAddressWidth-1:0] turn_address;
  logic [MatrixAddressWidth-1:0] matrix_address;
  logic [Lanes-1:0][WordWidth-1:0] turned;
  acclmt_pkg::full_round_step_t step;
  acclmt_full_round_sboxes #(
    .Prime(Prime),
    .Goldilocks(Goldilocks),
    .Reduction(Reduction),
    .RoundInfoWidth(RoundInfoWidth),
    .TurnAddressWidth(TurnAddressWidth)
  ) u_sboxes (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .clear_i,
    .goldilocks_i,
    .prime_i,
    .alpha_i(config_i.alpha),
    .sparse_beats_i(sparse_beats),
    .valid_i(issue),
    .first_i(issue_first),
    .partial_i(issue_partial),
    .state_i(issue_state),
    .round_i({issue_digest, issue_last, issue_round, issue_tag, issue_matrix}),
    .start_o(start),
    .partial_o(start_partial),
    .round_o(start_info),
    .read_i(read),
    .read_address_i(turn_address),
    .state_o(turned)
  );

  logic start_digest, start_last;
  acclmt_pkg::round_t start_round;
  acclmt_pkg::tag_t start_tag;
  logic [MatrixAddressWidth-1:0] start_matrix;
  assign {start_digest, start_last, start_round, start_tag, start_matrix} = start_info;
  acclmt_full_round_sequencer #(
    .MatrixAddressWidth(MatrixAddressWidth),
    .TurnAddressWidth(TurnAddressWidth)
  ) u_sequencer (
    .clk_i,
    .rst_ni,
    .clear_i,
    .goldilocks_i,
    .beats_i(config_i.beats),
    .digest_beats_i(config_i.digest_beats),
    .steps_i(config_i.steps),
    .skew_i(config_i.skew),
    .sparse_beats_i(sparse_beats),
    .start_i(start),
    .partial_i(start_partial),
    .digest_i(start_digest),
    .last_i(start_last),
    .round_i(start_round),
    .tag_i(start_tag),
    .matrix_i(start_matrix),
    .read_o(read),
    .turn_address_o(turn_address),
    .matrix_address_o(matrix_address),
    .step_valid_o(step_valid),
    .step_o(step)
  );

  acclmt_full_round_rows #(
    .Prime(Prime),
    .Goldilocks(Goldilocks),
    .Reduction(Reduction),
    .MatrixDepth(MatrixDepth),
    .ConstantDepth(ConstantDepth)
  ) u_rows (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .clear_i,
    .goldilocks_i,
    .prime_i,
    .beats_i(config_i.beats),
    .number_i,
    .constant_write_i,
    .read_i(read),
    .read_address_i(matrix_address),
    .step_valid_i(step_valid),
    .step_i(step),
    .state_i(turned),
    .valid_o(beat_end),
    .beat_last_o(beat_end_last),
    .waits_o(beat_end_waits),
    .last_o(end_last),
    .round_o(end_round),
    .tag_o(end_tag),
    .state_o(end_state),
    .dot_o(dot_end)
  );

`ifndef SYNTHESIS
  no_write_while_busy_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      constant_write_i.valid |-> idle_o)
  else $error("acclmt_full_round_engine: a constant was written while states were inside");
`endif

endmodule

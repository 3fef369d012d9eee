// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Step sequencer of a full-round sub-engine: which beat of the turn memory meets which chunk of
/// the matrix in a cycle.
///
/// The steps of a round start so late that the beats are always there: `skew_i` cycles after the
/// first one (see `acclmt_pkg::engine_config_t`). A row chunk takes `steps_i` steps, a round
/// `beats_i` row chunks, or `digest_beats_i` if it makes the beats of the digest only; a sparse
/// round that shares the multipliers out has one step a beat.
///
/// Handshake:  none. `read_o` reads the beat and the coefficients of a step; they are there in the
///             next cycle, with `step_valid_o`.
/// Latency:    `skew_i` + 2 cycles from `start_i` to the first step. Throughput: one step a cycle;
///             a round may start when the steps of the one before end (asserted).
module acclmt_full_round_sequencer #(
  /// Bits of the address of a step in the matrix memories, and of one in the turn memory.
  parameter int unsigned MatrixAddressWidth = 7,
  parameter int unsigned TurnAddressWidth = 4
) (
  /// Clock and reset.
  input logic clk_i,
  input logic rst_ni,
  /// Forgets every state.
  input logic clear_i,
  /// Goldilocks mode, beats of a state and of a digest, steps of a row chunk, delay of the first
  /// step, and whether sparse rounds share the multipliers out; stable while states are inside.
  input logic goldilocks_i,
  input acclmt_pkg::beat_t beats_i,
  input acclmt_pkg::beat_t digest_beats_i,
  input acclmt_pkg::beat_t steps_i,
  input logic [3:0] skew_i,
  input logic sparse_beats_i,
  /// The first beat of a round is written to the turn memory: whether the round is partial, makes
  /// the beats of the digest only, its visit, its number, the tag of the state, and the first step
  /// of its matrix.
  input logic start_i,
  input logic partial_i,
  input logic digest_i,
  input logic last_i,
  input acclmt_pkg::round_t round_i,
  input acclmt_pkg::tag_t tag_i,
  input logic [MatrixAddressWidth-1:0] matrix_i,
  /// A step reads its beat and its coefficients.
  output logic read_o,
  output logic [TurnAddressWidth-1:0] turn_address_o,
  output logic [MatrixAddressWidth-1:0] matrix_address_o,
  /// The step whose operands are there.
  output logic step_valid_o,
  output acclmt_pkg::full_round_step_t step_o
);

  localparam int unsigned TagWidth = acclmt_pkg::TagWidth;
  localparam int unsigned RoundWidth = acclmt_pkg::RoundWidth;
  localparam int unsigned BeatWidth = acclmt_pkg::BeatWidth;
  localparam int unsigned Slices = acclmt_pkg::Slices;

  // ---- Start of a round -------------------------------------------------------------------------

  localparam int unsigned MaxSkew = (acclmt_pkg::MaxBeats - 1) * (acclmt_pkg::MaxBeats - 1);
  localparam int unsigned RoundInfoWidth = 3 + RoundWidth + TagWidth + MatrixAddressWidth;
  logic [MaxSkew:0] start_at;
  logic [MaxSkew:0][RoundInfoWidth-1:0] info_at;
  logic [MaxSkew-1:0] start_q;
  logic [MaxSkew-1:0][RoundInfoWidth-1:0] info_q;
  assign start_at = {start_q, start_i};
  assign info_at = {info_q, partial_i, digest_i, last_i, round_i, tag_i, matrix_i};
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) start_q <= '0;
    else if (clear_i) start_q <= '0;
    else start_q <= start_at[MaxSkew-1:0];
  end
  always_ff @(posedge clk_i) info_q <= info_at[MaxSkew-1:0];

  logic start;
  assign start = start_at[skew_i];

  // ---- Steps ------------------------------------------------------------------------------------

  // Of the round whose matrix is under way: step and row chunk, and what is known of the round.
  logic steps_q, sparse_q, digest_q, last_q;
  logic [BeatWidth-1:0] step_q, row_q, steps_of_row, rows;
  acclmt_pkg::round_t round_q;
  acclmt_pkg::tag_t tag_q;
  logic [MatrixAddressWidth-1:0] matrix_q;
  logic [TurnAddressWidth-1:0] turn_base_q;
  logic start_partial, start_digest, start_last, row_ends, round_ends;
  acclmt_pkg::round_t start_round;
  acclmt_pkg::tag_t start_tag;
  logic [MatrixAddressWidth-1:0] start_matrix;
  assign {start_partial, start_digest, start_last, start_round, start_tag, start_matrix} =
      info_at[skew_i];

  assign steps_of_row = sparse_q ? beats_i : steps_i;
  always_comb begin
    rows = beats_i;
    if (sparse_q) rows = BeatWidth'(1);
    else if (digest_q) rows = digest_beats_i;
  end
  assign row_ends = step_q + 1'b1 == steps_of_row;
  assign round_ends = row_ends && row_q + 1'b1 == rows;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) steps_q <= 1'b0;
    else if (clear_i) steps_q <= 1'b0;
    else if (start) steps_q <= 1'b1;
    else if (round_ends) steps_q <= 1'b0;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) turn_base_q <= '0;
    else if (clear_i) turn_base_q <= '0;
    else if (steps_q && round_ends) turn_base_q <= turn_base_q + TurnAddressWidth'(beats_i);
  end
  always_ff @(posedge clk_i) begin
    if (start) begin
      step_q <= '0;
      row_q <= '0;
      sparse_q <= start_partial && sparse_beats_i;
      digest_q <= start_digest;
      last_q <= start_last;
      round_q <= start_round;
      tag_q <= start_tag;
      matrix_q <= start_matrix;
    end else if (steps_q) begin
      matrix_q <= matrix_q + 1'b1;
      step_q <= row_ends ? '0 : step_q + 1'b1;
      if (row_ends) row_q <= row_q + 1'b1;
    end
  end

  // A step reads the beat of its column chunk; the slices of a state of one beat are chosen later,
  // and steps beyond the beats have coefficients of zero.
  assign read_o = steps_q;
  assign turn_address_o = turn_base_q +
      ((step_q < beats_i) ? TurnAddressWidth'(step_q) : TurnAddressWidth'(0));
  assign matrix_address_o = matrix_q;

  // ---- Control that accompanies a step; its operands are there the cycle after ------------------

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) step_valid_o <= 1'b0;
    else if (clear_i) step_valid_o <= 1'b0;
    else step_valid_o <= steps_q;
  end
  always_ff @(posedge clk_i) begin
    step_o.sparse <= sparse_q;
    step_o.first <= step_q == '0;
    step_o.sparse_first <= sparse_q && step_q == '0;
    step_o.later <= sparse_q && step_q != '0;
    step_o.dense <= !sparse_q && !goldilocks_i;
    step_o.slice <= goldilocks_i ? Slices'(1) << step_q[1:0] : '0;
    step_o.whole <= !goldilocks_i;
    step_o.number <= step_q;
    step_o.row <= row_q;
    step_o.row_ends <= row_ends;
    step_o.round_ends <= round_ends;
    step_o.last <= last_q;
    step_o.round <= round_q;
    step_o.tag <= tag_q;
  end

`ifndef SYNTHESIS
  one_round_at_a_time_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      start && !clear_i |-> !steps_q || round_ends)
  else $error("acclmt_full_round_sequencer: two rounds need the matrix in one cycle");
  known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !$isunknown({start_i, read_o, step_valid_o}))
  else $error("acclmt_full_round_sequencer: a start, a read or a step is unknown");
  back_to_back_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      start && steps_q && round_ends);
  sparse_c : cover property (@(posedge clk_i) disable iff (!rst_ni) steps_q && sparse_q);
  digest_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      steps_q && round_ends && digest_q);
  several_rows_c : cover property (@(posedge clk_i) disable iff (!rst_ni) steps_q && row_q != '0);
  idle_steps_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      steps_q && step_q >= beats_i);
`endif

endmodule

// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Full-round sub-engine: full rounds and some partial rounds of the Poseidon permutation, and the
/// dense layers around the recurrence of the other partial rounds.
///
/// A round: S-box on all elements (full), on element 0 (partial) or on none (the layer behind the
/// recurrence, and that ahead of all rounds of Poseidon2), then a matrix, then a vector of
/// constants:
///
///     state' = matrix * sbox(state) + k
///
/// A hash can visit it twice: the first visit has `full_first_i` full rounds and then
/// `partial_first_i` partial rounds, the last visit the layer behind the recurrence, if there is
/// one, `partial_last_i` partial rounds and then `full_last_i` full rounds. Rounds are numbered
/// through both. With a recurrence the last round of the first visit uses matrix 1 (`MatrixBefore`)
/// and that layer matrix 2 (`MatrixAfter`), all others matrix 0 (the MDS matrix), but for partial
/// rounds with a matrix of their own, which is matrix 3 (`MatrixPartial`). The last full round of a
/// hash makes the beat of its digest only (`acclmt_full_round_loop`).
///
/// A matrix takes half a multiplication an entry: elements are multiplied in pairs
/// (`acclmt_full_round_rows`).
///
/// Its rooms:
///
///     acclmt_full_round_loop       which state takes the next slot; queue and output buffers
///     acclmt_full_round_sboxes     S-boxes and turn memory
///     acclmt_full_round_pairs      products of the pairs of elements
///     acclmt_full_round_sequencer  steps of the matrix
///     acclmt_full_round_rows       multipliers, their memories, sums and reductions
///
///     state -> slot -> S-boxes -> turn memory -> steps -> reduction -> + k -> queue -+
///               ^          \--> pairs ----------------^                              |
///               +--------------------------------------------------------------------+--> out
///
/// The pipeline never stalls: see `acclmt_slot_control`. States that come for their last visit have
/// precedence over new ones.
///
/// Handshake:  states on all four ports: `valid` shows a complete state, `take` takes a beat.
/// Latency:    a round takes `acclmt_timing_pkg::full_loop_cycles` + `skew_i` + steps - 1 cycles
///             until its first beat comes round.
/// Throughput: 1, 2, 3, 6, 8 cycles a round for t = 2 and 3, 4 and 5, 6, 7 to 9, 10 to 12; with x^7
///             two for each beat at least; in Goldilocks mode one up to t = 6, else two.
module acclmt_full_round_engine #(
  /// The modulus, whether Goldilocks mode exists, and the kind of reduction.
  parameter acclmt_pkg::word_t Prime = acclmt_pkg::PrimeBls12381,
  parameter bit Goldilocks = 1'b1,
  parameter int unsigned Reduction = acclmt_pkg::ReductionConstant,
  /// Steps (3 x 3 chunks of matrices) and beats of constant vectors that fit, powers of two.
  parameter int unsigned MatrixDepth = 32,
  parameter int unsigned ConstantDepth = 256,
  /// Whether tags say that a state is not final: it goes round once more, with all its beats.
  parameter bit Sponge = 1'b0,
  /// Parameter sets.
  parameter int unsigned NumSets = 1
) (
  /// Clock and reset.
  input logic clk_i,
  input logic rst_ni,
  /// Configuration of the memories below, see acclmt_memory_pkg; quasi-static.
  input acclmt_memory_pkg::memory_config_t memory_config_i,
  /// Forgets every state.
  input logic clear_i,
  /// Goldilocks mode, run-time modulus, parameters of the sets, their rounds of both visits, and
  /// what they have in common (`acclmt_mixed_timing`); stable while states are inside.
  input logic goldilocks_i,
  input acclmt_pkg::word_t prime_i,
  input logic [NumSets*acclmt_pkg::EngineConfigWidth-1:0] configs_i,
  input logic [NumSets*acclmt_pkg::RoundWidth-1:0] full_first_i,
  input logic [NumSets*acclmt_pkg::RoundWidth-1:0] partial_first_i,
  input logic [NumSets*acclmt_pkg::RoundWidth-1:0] partial_last_i,
  input logic [NumSets*acclmt_pkg::RoundWidth-1:0] full_last_i,
  input acclmt_pkg::alpha_e alpha_i,
  input acclmt_pkg::beat_t grid_i,
  input acclmt_pkg::beat_t most_beats_i,
  input logic [3:0] skew_i,
  /// Number of this sub-engine in constant writes; constant.
  input acclmt_pkg::sub_engine_t number_i,
  /// Writes of constants: bank 3 * row + lane for elements of even beats and 9 + 3 * row + lane for
  /// those of odd beats, at `matrix_base` of the set + the index of the step (matrix 0, then 1, 2
  /// and 3), bank 18 + lane at index `constant_base` + round * beats + beat.
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
  // Pairs of beats in the turn memory: of rounds that are written, wait for their steps, and are
  // read; with several sets states of one beat may wait longer.
  localparam int unsigned TurnAddressWidth = (NumSets == 1) ? 3 : 4;
  localparam int unsigned RoundInfoWidth =
      2 + acclmt_pkg::RoundWidth + acclmt_pkg::TagWidth + MatrixAddressWidth;

  logic issue, issue_last_beat, issue_last, issue_digest;
  acclmt_pkg::beat_t issue_beat;
  acclmt_pkg::pass_e issue_pass;
  acclmt_pkg::round_t issue_round;
  acclmt_pkg::tag_t issue_tag;
  logic [MatrixAddressWidth-1:0] issue_matrix;
  logic [Lanes-1:0][WordWidth-1:0] issue_state;
  logic beat_end, beat_end_last, end_last;
  acclmt_pkg::round_t end_round;
  acclmt_pkg::tag_t end_tag;
  logic [Lanes-1:0][WordWidth-1:0] end_state;
  acclmt_full_round_loop #(
    .Reduction(Reduction),
    .MatrixAddressWidth(MatrixAddressWidth),
    .Sponge(Sponge),
    .NumSets(NumSets)
  ) u_loop (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .clear_i,
    .configs_i,
    .full_first_i,
    .partial_first_i,
    .partial_last_i,
    .full_last_i,
    .grid_i,
    .most_beats_i,
    .valid_i,
    .take_o,
    .state_i,
    .tag_i,
    .issue_o(issue),
    .issue_beat_o(issue_beat),
    .issue_last_beat_o(issue_last_beat),
    .issue_pass_o(issue_pass),
    .issue_last_o(issue_last),
    .issue_digest_o(issue_digest),
    .issue_round_o(issue_round),
    .issue_tag_o(issue_tag),
    .issue_matrix_o(issue_matrix),
    .issue_state_o(issue_state),
    .end_i(beat_end),
    .end_beat_last_i(beat_end_last),
    .end_last_i(end_last),
    .end_round_i(end_round),
    .end_tag_i(end_tag),
    .end_state_i(end_state),
    .valid_o,
    .take_i,
    .state_o,
    .tag_o,
    .busy_o,
    .idle_o
  );

  logic start, turn_valid, read, step_valid;
  acclmt_pkg::beat_t turn_beat;
  logic [RoundInfoWidth-1:0] turn_info;
  logic [TurnAddressWidth-1:0] turn_address;
  logic [MatrixAddressWidth-1:0] matrix_address;
  logic [Lanes-1:0][WordWidth-1:0] after_sbox, even, odd;
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
    .alpha_i,
    .valid_i(issue),
    .beat_i(issue_beat),
    .last_beat_i(issue_last_beat),
    .pass_i(issue_pass),
    .state_i(issue_state),
    .round_i({issue_digest, issue_last, issue_round, issue_tag, issue_matrix}),
    .start_o(start),
    .round_o(turn_info),
    .valid_o(turn_valid),
    .beat_o(turn_beat),
    .after_sbox_o(after_sbox),
    .read_i(read),
    .read_address_i(turn_address),
    .even_o(even),
    .odd_o(odd)
  );

  logic turn_digest, turn_last;
  acclmt_pkg::round_t turn_round;
  acclmt_pkg::tag_t turn_tag;
  logic [MatrixAddressWidth-1:0] turn_matrix;
  assign {turn_digest, turn_last, turn_round, turn_tag, turn_matrix} = turn_info;

  // The set of a beat says whether its state has pairs.
  acclmt_pkg::engine_config_t of_beat;
  acclmt_set_select #(
    .NumSets(NumSets)
  ) u_config (
    .values_i(configs_i),
    .set_i(turn_tag[acclmt_pkg::TagSet+:acclmt_pkg::SetWidth]),
    .value_o(of_beat)
  );
  logic unused_bits;
  assign unused_bits = ^of_beat;

  logic pairs_take;
  logic [acclmt_pkg::Slices-1:0][acclmt_pkg::ChunkWidth-1:0] pairs;
  acclmt_full_round_pairs #(
    .Prime(Prime),
    .Goldilocks(Goldilocks),
    .Reduction(Reduction),
    .NumSets(NumSets)
  ) u_pairs (
    .clk_i,
    .rst_ni,
    .clear_i,
    .goldilocks_i,
    .prime_i,
    .configs_i,
    .valid_i(turn_valid && of_beat.pairs && !turn_digest),
    .beat_i(turn_beat),
    .set_i(turn_tag[acclmt_pkg::TagSet+:acclmt_pkg::SetWidth]),
    .state_i(after_sbox),
    .take_i(pairs_take),
    .sum_o(pairs)
  );

  acclmt_full_round_sequencer #(
    .MatrixAddressWidth(MatrixAddressWidth),
    .TurnAddressWidth(TurnAddressWidth),
    .NumSets(NumSets)
  ) u_sequencer (
    .clk_i,
    .rst_ni,
    .clear_i,
    .goldilocks_i,
    .configs_i,
    .skew_i,
    .start_i(start),
    .digest_i(turn_digest),
    .last_i(turn_last),
    .round_i(turn_round),
    .tag_i(turn_tag),
    .matrix_i(turn_matrix),
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
    .ConstantDepth(ConstantDepth),
    .NumSets(NumSets)
  ) u_rows (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .clear_i,
    .goldilocks_i,
    .prime_i,
    .configs_i,
    .number_i,
    .constant_write_i,
    .read_i(read),
    .read_address_i(matrix_address),
    .step_valid_i(step_valid),
    .step_i(step),
    .even_i(even),
    .odd_i(odd),
    .pairs_take_o(pairs_take),
    .pairs_i(pairs),
    .valid_o(beat_end),
    .beat_last_o(beat_end_last),
    .last_o(end_last),
    .round_o(end_round),
    .tag_o(end_tag),
    .state_o(end_state)
  );

`ifndef SYNTHESIS
  no_write_while_busy_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      constant_write_i.valid |-> idle_o)
  else $error("acclmt_full_round_engine: a constant was written while states were inside");
`endif

endmodule

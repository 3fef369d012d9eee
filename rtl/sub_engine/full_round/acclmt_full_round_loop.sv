// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Loop closure of a full-round sub-engine: which state takes the next slot, which round and which
/// matrix it has, the queue of the states that come round, and the output buffers of both visits.
///
/// Rounds are numbered through both visits. States that come for their last visit have precedence
/// over new ones. With a recurrence the last round of the first visit has the matrix ahead of it,
/// and the last visit begins with the layer behind it, which has no S-box. So has the first round
/// of the first visit, where the set says so.
///
/// The last full round of a hash makes the beat of its digest only, where that is the first one,
/// and so has a shorter slot, in which it takes a beat a cycle; the state that leaves has one beat.
/// With x^7, and where a state is not final, it is a full round like others.
///
/// Handshake:  states on all four ports: `valid` shows a complete state, `take` takes a beat.
///             Towards the pipeline none: a beat that is issued comes back after its round.
/// Latency:    1 cycle from the choice of a beat to `issue_o`; 2 from a beat that comes back to the
///             choice. Throughput: one beat a cycle, in slots (see `acclmt_slot_control`).
module acclmt_full_round_loop #(
  /// Kind of reduction.
  parameter int unsigned Reduction = acclmt_pkg::ReductionConstant,
  /// Bits of the address of a step in the matrix memories.
  parameter int unsigned MatrixAddressWidth = 5,
  /// Whether tags say that a state is not final.
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
  /// Parameters of the sets, their rounds of both visits, the grid of the slots and the beats of
  /// the largest states; stable while states are inside.
  input logic [NumSets*acclmt_pkg::EngineConfigWidth-1:0] configs_i,
  input logic [NumSets*acclmt_pkg::RoundWidth-1:0] full_first_i,
  input logic [NumSets*acclmt_pkg::RoundWidth-1:0] partial_first_i,
  input logic [NumSets*acclmt_pkg::RoundWidth-1:0] partial_last_i,
  input logic [NumSets*acclmt_pkg::RoundWidth-1:0] full_last_i,
  input acclmt_pkg::beat_t grid_i,
  input acclmt_pkg::beat_t most_beats_i,
  /// States of port 0 (first visit) and port 1 (last visit) that enter, with their tags.
  input logic [1:0] valid_i,
  output logic [1:0] take_o,
  input logic [1:0][acclmt_pkg::Lanes-1:0][acclmt_pkg::WordWidth-1:0] state_i,
  input logic [1:0][acclmt_pkg::TagWidth-1:0] tag_i,
  /// A beat enters the pipeline: its number in its state, whether it is the last one; what passes
  /// the S-boxes; of the last visit, of a round that makes the beat of the digest only; the number
  /// of its round, its tag, and the first step of the matrix of its round.
  output logic issue_o,
  output acclmt_pkg::beat_t issue_beat_o,
  output logic issue_last_beat_o,
  output acclmt_pkg::pass_e issue_pass_o,
  output logic issue_last_o,
  output logic issue_digest_o,
  output acclmt_pkg::round_t issue_round_o,
  output acclmt_pkg::tag_t issue_tag_o,
  output logic [MatrixAddressWidth-1:0] issue_matrix_o,
  output logic [acclmt_pkg::Lanes-1:0][acclmt_pkg::WordWidth-1:0] issue_state_o,
  /// A beat comes back: the last one of its state; visit, number of its round, tag.
  input logic end_i,
  input logic end_beat_last_i,
  input logic end_last_i,
  input acclmt_pkg::round_t end_round_i,
  input acclmt_pkg::tag_t end_tag_i,
  input logic [acclmt_pkg::Lanes-1:0][acclmt_pkg::WordWidth-1:0] end_state_i,
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
  localparam int unsigned TagWidth = acclmt_pkg::TagWidth;
  localparam int unsigned RoundWidth = acclmt_pkg::RoundWidth;
  localparam int unsigned BeatWidth = acclmt_pkg::BeatWidth;
  localparam int unsigned Places = acclmt_timing_pkg::places(int'(Reduction));

  // Of each set: whether the first visit begins with a full round and the last one, without
  // a recurrence, with a partial round; round numbers at which the full rounds of the first visit
  // end, that visit ends, the partial rounds of the last visit end, and that visit ends.
  localparam int unsigned ConfigWidth = acclmt_pkg::EngineConfigWidth;
  localparam int unsigned SetWidth = acclmt_pkg::SetWidth;
  localparam int unsigned TagSet = acclmt_pkg::TagSet;
  localparam int unsigned VisitsWidth = 3 + 4 * RoundWidth;
  logic [NumSets*VisitsWidth-1:0] visits;
  for (genvar set = 0; set < NumSets; set++) begin : gen_set
    acclmt_pkg::engine_config_t of_set;
    acclmt_pkg::round_t full_first, full_last, partial_last, first_end, partial_end, last_end;
    // The first round of a state that enters for its last visit makes the digest only.
    logic digest_begins;
    assign of_set = configs_i[ConfigWidth*set+:ConfigWidth];
    assign full_first = full_first_i[RoundWidth*set+:RoundWidth];
    assign partial_last = partial_last_i[RoundWidth*set+:RoundWidth];
    assign full_last = full_last_i[RoundWidth*set+:RoundWidth];
    assign first_end = full_first + partial_first_i[RoundWidth*set+:RoundWidth];
    assign partial_end = first_end + RoundWidth'(of_set.order != '0) + partial_last;
    assign last_end = partial_end + full_last;
    assign digest_begins = of_set.digest_short && first_end + 1'b1 == last_end;
    assign visits[VisitsWidth*set+:VisitsWidth] = {
      digest_begins, full_first != '0, partial_last != '0, full_first, first_end, partial_end,
      last_end
    };
    logic unused_bits;
    assign unused_bits = ^of_set;
  end

  // Of the states of both ports, the one at the head of the queue, the one that is issued, and the
  // one that comes back: the parameters of their sets.
  localparam int unsigned OfNew = 0;
  localparam int unsigned OfNewLast = 1;
  localparam int unsigned OfHead = 2;
  localparam int unsigned OfIssue = 3;
  localparam int unsigned OfEnd = 4;
  localparam int unsigned NumLooks = 5;
  acclmt_pkg::tag_t head_tag;
  logic [NumLooks-1:0][SetWidth-1:0] look_set;
  logic [NumLooks-1:0][ConfigWidth-1:0] look_config;
  logic [NumLooks-1:0][VisitsWidth-1:0] look_visits;
  assign look_set[OfNew] = tag_i[0][TagSet+:SetWidth];
  assign look_set[OfNewLast] = tag_i[1][TagSet+:SetWidth];
  assign look_set[OfHead] = head_tag[TagSet+:SetWidth];
  assign look_set[OfIssue] = issue_tag_o[TagSet+:SetWidth];
  assign look_set[OfEnd] = end_tag_i[TagSet+:SetWidth];
  for (genvar look = 0; look < NumLooks; look++) begin : gen_look
    acclmt_set_select #(
      .NumSets(NumSets)
    ) u_config (
      .values_i(configs_i),
      .set_i(look_set[look]),
      .value_o(look_config[look])
    );
    acclmt_set_select #(
      .NumSets(NumSets),
      .Width(VisitsWidth)
    ) u_visits (
      .values_i(visits),
      .set_i(look_set[look]),
      .value_o(look_visits[look])
    );
  end
  acclmt_pkg::engine_config_t new_config, new_last_config, head_config, issue_config, end_config;
  assign new_config = look_config[OfNew];
  assign new_last_config = look_config[OfNewLast];
  assign head_config = look_config[OfHead];
  assign issue_config = look_config[OfIssue];
  assign end_config = look_config[OfEnd];
  logic new_begins_full, new_last_begins_partial;
  acclmt_pkg::round_t new_last_first_end, issue_first_end;
  acclmt_pkg::round_t end_full_first, end_first_end, end_partial_end, end_last_end;
  assign new_begins_full = look_visits[OfNew][4*RoundWidth+1];
  assign new_last_begins_partial = look_visits[OfNewLast][4*RoundWidth];
  assign new_last_first_end = look_visits[OfNewLast][2*RoundWidth+:RoundWidth];
  assign issue_first_end = look_visits[OfIssue][2*RoundWidth+:RoundWidth];
  assign {end_full_first, end_first_end, end_partial_end, end_last_end} =
      look_visits[OfEnd][4*RoundWidth-1:0];

  // ---- Which state takes the next slot ----------------------------------------------------------

  logic queue_complete, queue_last, head_valid, head_take, head_last, head_done, head_digest;
  logic [1:0] head_pass;
  acclmt_pkg::beat_t head_spacing, new_last_spacing;
  logic [4:0] head_cycles, new_last_cycles;
  logic [Lanes-1:0][WordWidth-1:0] head_state;
  acclmt_pkg::round_t head_round;
  logic new_digest;
  assign new_digest = look_visits[OfNewLast][4*RoundWidth+2] &&
                      !(Sponge && tag_i[1][acclmt_pkg::TagContinues]);

  logic [1:0] place_available, accept;
  logic issue, issue_last_beat, leave, unused_first;
  acclmt_pkg::beat_t issue_beat;
  assign head_spacing = head_digest ? BeatWidth'(1) : head_config.spacing;
  assign head_cycles = head_digest ? 5'(head_config.beats) : 5'(head_config.full_interval);
  assign new_last_spacing = new_digest ? BeatWidth'(1) : new_last_config.spacing;
  assign new_last_cycles =
      new_digest ? 5'(new_last_config.beats) : 5'(new_last_config.full_interval);
  acclmt_slot_control #(
    .Places(Places)
  ) u_control (
    .clk_i,
    .rst_ni,
    .clear_i,
    .grid_i,
    .most_beats_i,
    .head_valid_i(head_valid),
    .head_complete_i(queue_complete),
    .head_last_i(queue_last),
    .head_beats_i(head_config.beats),
    .head_arrival_i(head_config.steps),
    .head_done_i(head_done),
    .head_spacing_i(head_spacing),
    .head_cycles_i(head_cycles),
    .head_take_o(head_take),
    .new_valid_i(valid_i),
    .new_place_i(place_available),
    .new_beats_i({new_last_config.beats, new_config.beats}),
    .new_spacing_i({new_last_spacing, new_config.spacing}),
    .new_cycles_i({new_last_cycles, 5'(new_config.full_interval)}),
    .new_take_o(take_o),
    .new_accept_o(accept),
    .issue_o(issue),
    .first_o(unused_first),
    .last_o(issue_last_beat),
    .beat_o(issue_beat),
    .exit_o(leave),
    .busy_o
  );

  // Of a beat: the visit and the round; of a round: what passes the S-boxes.
  logic [Lanes-1:0][WordWidth-1:0] issue_state;
  acclmt_pkg::round_t issue_round;
  acclmt_pkg::tag_t issue_tag;
  logic issue_last, issue_digest;
  logic [1:0] issue_pass;
  always_comb begin
    issue_state = head_state;
    issue_round = head_round;
    issue_tag = head_tag;
    issue_last = head_last;
    issue_pass = head_pass;
    issue_digest = head_digest;
    if (take_o[1]) begin
      issue_state = state_i[1];
      issue_round = new_last_first_end;
      issue_tag = tag_i[1];
      issue_last = 1'b1;
      issue_pass = acclmt_pkg::PassFull;
      if (new_last_config.order != '0) issue_pass = acclmt_pkg::PassNone;
      else if (new_last_begins_partial) issue_pass = acclmt_pkg::PassPartial;
      issue_digest = new_digest;
    end else if (take_o[0]) begin
      issue_state = state_i[0];
      issue_round = '0;
      issue_tag = tag_i[0];
      issue_last = 1'b0;
      issue_pass = new_begins_full ? acclmt_pkg::PassFull : acclmt_pkg::PassPartial;
      if (new_config.first_layer) issue_pass = acclmt_pkg::PassNone;
      issue_digest = 1'b0;
    end
  end

  // The choice of a beat fills a cycle; what it begins comes in the next one.
  logic [1:0] issue_pass_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) issue_o <= 1'b0;
    else issue_o <= issue && !clear_i;
  end
  always_ff @(posedge clk_i) begin
    issue_beat_o <= issue_beat;
    issue_last_beat_o <= issue_last_beat;
    issue_pass_q <= issue_pass;
    issue_last_o <= issue_last;
    issue_digest_o <= issue_digest;
    issue_state_o <= issue_state;
    issue_round_o <= issue_round;
    issue_tag_o <= issue_tag;
  end
  assign issue_pass_o = acclmt_pkg::pass_e'(issue_pass_q);

  // First step of the matrix of the round.
  logic [1:0] issue_matrix;
  logic [MatrixAddressWidth-1:0] matrix_steps;
  logic recurrence;
  assign recurrence = issue_config.order != '0;
  assign matrix_steps =
      MatrixAddressWidth'(issue_config.beats) * MatrixAddressWidth'(issue_config.steps);
  always_comb begin
    issue_matrix = acclmt_pkg::MatrixRounds;
    if (recurrence && issue_last_o && issue_round_o == issue_first_end) begin
      issue_matrix = acclmt_pkg::MatrixAfter;
    end else if (recurrence && !issue_last_o && issue_round_o + 1'b1 == issue_first_end) begin
      issue_matrix = acclmt_pkg::MatrixBefore;
    end else if (issue_config.partial_matrix && issue_pass_q == acclmt_pkg::PassPartial) begin
      issue_matrix = acclmt_pkg::MatrixPartial;
    end
  end
  assign issue_matrix_o = issue_config.matrix_base[MatrixAddressWidth-1:0] +
                          MatrixAddressWidth'(issue_matrix) * matrix_steps;

  // ---- The queue that closes the loop -----------------------------------------------------------

  // A beat knows the number of its next round, what passes the S-boxes in it, whether it makes the
  // beat of the digest only, and whether there is one.
  acclmt_pkg::round_t next_round;
  logic next_done, next_partial, next_digest;
  logic [1:0] next_pass;
  assign next_round = end_round_i + 1'b1;
  assign next_done = next_round == (end_last_i ? end_last_end : end_first_end);
  assign next_partial = end_last_i ? next_round < end_partial_end : next_round >= end_full_first;
  assign next_pass = next_partial ? acclmt_pkg::PassPartial : acclmt_pkg::PassFull;
  // The last full round of a final state.
  assign next_digest = end_config.digest_short && end_last_i &&
                       next_round + 1'b1 == end_last_end &&
                       !(Sponge && end_tag_i[acclmt_pkg::TagContinues]);
  acclmt_beat_fifo #(
    .Width(Lanes * WordWidth + 5 + RoundWidth + TagWidth),
    .Depth(Places)
  ) u_queue (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .clear_i,
    .valid_i(end_i),
    .last_i(end_beat_last_i),
    .data_i({end_last_i, next_done, next_pass, next_digest, next_round, end_tag_i, end_state_i}),
    .head_valid_o(head_valid),
    .complete_o(queue_complete),
    .last_o(queue_last),
    .data_o({head_last, head_done, head_pass, head_digest, head_round, head_tag, head_state}),
    .take_i(head_take)
  );

  // ---- Output buffers ---------------------------------------------------------------------------

  logic [1:0] buffer_idle;
  for (genvar port = 0; port < 2; port++) begin : gen_output
    acclmt_state_buffer #(
      .Places(Places),
      .NumSets(NumSets)
    ) u_output (
      .clk_i,
      .rst_ni,
      .memory_config_i,
      .clear_i,
      .configs_i,
      .reserve_beats_i((port == 1) ? new_last_config.beats : new_config.beats),
      .most_beats_i,
      .available_o(place_available[port]),
      .reserve_i(accept[port]),
      .valid_i(leave && head_last == (port == 1)),
      .last_i(queue_last),
      .state_i(head_state),
      .tag_i(head_tag),
      .valid_o(valid_o[port]),
      .take_i(take_i[port]),
      .state_o(state_o[port]),
      .tag_o(tag_o[port]),
      .idle_o(buffer_idle[port])
    );
  end
  assign idle_o = &buffer_idle;

  logic unused_bits;
  assign unused_bits = ^{new_config, new_last_config, head_config, issue_config, end_config,
                         look_visits};

`ifndef SYNTHESIS
  round_in_range_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      head_valid && !clear_i |->
          head_round <= (head_last ? look_visits[OfHead][RoundWidth-1:0]
                                   : look_visits[OfHead][2*RoundWidth+:RoundWidth]))
  else $error("acclmt_full_round_loop: a state ran past its last round");
  known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !$isunknown({valid_i, take_o, valid_o, take_i, issue_o, end_i}))
  else $error("acclmt_full_round_loop: a handshake is unknown");
  last_visit_first_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      accept[1] && valid_i[0]);
  comes_round_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      issue && issue_beat == '0 && accept == '0);
  digest_round_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      issue_o && issue_beat_o == '0 && issue_digest_o);
  digest_round_waits_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      head_valid && head_digest && !queue_complete);
  layer_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      issue_o && issue_pass_o == acclmt_pkg::PassNone);
  first_layer_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      issue_o && !issue_last_o && issue_pass_o == acclmt_pkg::PassNone);
  partial_matrix_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      issue_o && issue_matrix == acclmt_pkg::MatrixPartial);
  no_place_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      valid_i[0] && !place_available[0]);
`endif

endmodule

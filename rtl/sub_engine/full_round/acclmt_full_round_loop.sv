// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Loop closure of a full-round sub-engine: which state takes the next slot, which round and which
/// matrix it has, the queue of the states that come round, and the output buffers of both visits.
///
/// Rounds are numbered through both visits. The new element 0 of a sparse round waits in a queue of
/// its own for the beat that it belongs to. States that come for their last visit have precedence
/// over new ones.
///
/// The last full round of a hash makes no more than the row chunks that its digest is in, and so
/// has a shorter slot, in which it takes a beat a cycle, or in two cycles with x^7; the state that
/// leaves has so many beats (`digest_beats` of the configuration).
/// Where the digest is in the last beat, and where a state is not final, it is a full round like
/// others.
///
/// Handshake:  states on all four ports: `valid` shows a complete state, `take` takes a beat.
///             Towards the pipeline none: a beat that is issued comes back after its round.
/// Latency:    1 cycle from the choice of a beat to `issue_o`; 2 from a beat that comes back to the
///             choice. Throughput: one beat a cycle, in slots (see `acclmt_slot_control`).
module acclmt_full_round_loop #(
  /// Kind of reduction.
  parameter int unsigned Reduction = acclmt_pkg::ReductionConstant,
  /// Bits of the address of a step in the matrix memories.
  parameter int unsigned MatrixAddressWidth = 7,
  /// Whether tags say that a state is not final.
  parameter bit Sponge = 1'b0
) (
  /// Clock and reset.
  input logic clk_i,
  input logic rst_ni,
  /// Configuration of the memories below, see acclmt_memory_pkg; quasi-static.
  input acclmt_memory_pkg::memory_config_t memory_config_i,
  /// Forgets every state.
  input logic clear_i,
  /// Parameters of the hash, rounds of both visits, and whether sparse rounds share the multipliers
  /// out; stable while states are inside.
  input acclmt_pkg::engine_config_t config_i,
  input acclmt_pkg::round_t full_first_i,
  input acclmt_pkg::round_t partial_first_i,
  input acclmt_pkg::round_t partial_last_i,
  input acclmt_pkg::round_t full_last_i,
  input logic sparse_beats_i,
  /// States of port 0 (first visit) and port 1 (last visit) that enter, with their tags.
  input logic [1:0] valid_i,
  output logic [1:0] take_o,
  input logic [1:0][acclmt_pkg::Lanes-1:0][acclmt_pkg::WordWidth-1:0] state_i,
  input logic [1:0][acclmt_pkg::TagWidth-1:0] tag_i,
  /// A beat enters the pipeline: the first one of its state, of a partial round, of the last visit,
  /// of a round that makes the beats of the digest only; the number of its round, its tag, and the
  /// first step of the matrix of its round.
  output logic issue_o,
  output logic issue_first_o,
  output logic issue_partial_o,
  output logic issue_last_o,
  output logic issue_digest_o,
  output acclmt_pkg::round_t issue_round_o,
  output acclmt_pkg::tag_t issue_tag_o,
  output logic [MatrixAddressWidth-1:0] issue_matrix_o,
  output logic [acclmt_pkg::Lanes-1:0][acclmt_pkg::WordWidth-1:0] issue_state_o,
  /// A beat comes back: the last one of its state, its element 0 comes later; visit, number of its
  /// round, tag.
  input logic end_i,
  input logic end_beat_last_i,
  input logic end_waits_i,
  input logic end_last_i,
  input acclmt_pkg::round_t end_round_i,
  input acclmt_pkg::tag_t end_tag_i,
  input logic [acclmt_pkg::Lanes-1:0][acclmt_pkg::WordWidth-1:0] end_state_i,
  /// Lane 0 of `end_state_i` is an element 0 that comes later.
  input logic end_dot_i,
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

  // Round numbers at which the first visit ends, the last partial round is done, and the last
  // round.
  acclmt_pkg::round_t first_end, partial_end, last_end;
  assign first_end = full_first_i + partial_first_i;
  assign partial_end = first_end + partial_last_i;
  assign last_end = partial_end + full_last_i;

  logic [BeatWidth-1:0] partial_steps;
  assign partial_steps = sparse_beats_i ? config_i.beats : config_i.steps;

  logic [4:0] partial_cycles, digest_cycles;
  assign partial_cycles = config_i.partial_dense ? config_i.full_interval : 5'(partial_steps);

  // A round that makes the beats of the digest only: the last one of a final state.
  logic digest_shorter, new_digest;
  assign digest_shorter = config_i.digest_beats != config_i.beats;
  assign digest_cycles = 5'(config_i.digest_beats) * 5'(config_i.steps);
  assign new_digest = digest_shorter && first_end + 1'b1 == last_end &&
                      !(Sponge && tag_i[1][acclmt_pkg::TagContinues]);

  // ---- Which state takes the next slot ----------------------------------------------------------

  logic queue_valid, queue_complete, queue_last, head_valid, head_take, head_last;
  logic head_waits_for_first, first_valid, head_done, head_partial, head_digest;
  acclmt_pkg::beat_t partial_spacing, digest_spacing, head_spacing, new_last_spacing;
  logic [4:0] head_cycles, new_last_cycles;
  logic [Lanes-1:0][WordWidth-1:0] queue_state, head_state;
  acclmt_pkg::tag_t head_tag;
  acclmt_pkg::round_t head_round;

  logic [1:0] place_available, accept;
  logic issue, issue_first, issue_last_beat, leave;
  // The S-box of x^7 takes an element in two cycles.
  assign digest_spacing = (config_i.alpha == acclmt_pkg::AlphaSeven) ? BeatWidth'(2)
                                                                      : BeatWidth'(1);
  assign partial_spacing = sparse_beats_i ? BeatWidth'(1) : config_i.steps;
  always_comb begin
    head_spacing = config_i.steps;
    head_cycles = config_i.full_interval;
    if (head_partial) begin
      head_spacing = partial_spacing;
      head_cycles = partial_cycles;
    end else if (head_digest) begin
      head_spacing = digest_spacing;
      head_cycles = digest_cycles;
    end
    new_last_spacing = config_i.steps;
    new_last_cycles = config_i.full_interval;
    if (partial_last_i != '0) begin
      new_last_spacing = partial_spacing;
      new_last_cycles = partial_cycles;
    end else if (new_digest) begin
      new_last_spacing = digest_spacing;
      new_last_cycles = digest_cycles;
    end
  end
  acclmt_slot_control #(
    .Places(Places)
  ) u_control (
    .clk_i,
    .rst_ni,
    .clear_i,
    .beats_i(config_i.beats),
    .grid_i(config_i.steps),
    .head_valid_i(head_valid),
    .head_complete_i(queue_complete),
    .head_last_i(queue_last),
    .head_done_i(head_done),
    .head_spacing_i(head_spacing),
    .head_cycles_i(head_cycles),
    .head_take_o(head_take),
    .new_valid_i(valid_i),
    .new_place_i(place_available),
    .new_spacing_i({new_last_spacing, config_i.steps}),
    .new_cycles_i({new_last_cycles, config_i.full_interval}),
    .new_take_o(take_o),
    .new_accept_o(accept),
    .issue_o(issue),
    .first_o(issue_first),
    .last_o(issue_last_beat),
    .exit_o(leave),
    .busy_o
  );

  // Of a beat: the visit and the round; of a round: whether it is partial.
  logic [Lanes-1:0][WordWidth-1:0] issue_state;
  acclmt_pkg::round_t issue_round;
  acclmt_pkg::tag_t issue_tag;
  logic issue_last, issue_partial, issue_digest;
  always_comb begin
    issue_state = head_state;
    issue_round = head_round;
    issue_tag = head_tag;
    issue_last = head_last;
    issue_partial = head_partial;
    issue_digest = head_digest;
    if (take_o[1]) begin
      issue_state = state_i[1];
      issue_round = first_end;
      issue_tag = tag_i[1];
      issue_last = 1'b1;
      issue_partial = partial_last_i != '0;
      issue_digest = new_digest;
    end else if (take_o[0]) begin
      issue_state = state_i[0];
      issue_round = '0;
      issue_tag = tag_i[0];
      issue_last = 1'b0;
      issue_partial = full_first_i == '0;
      issue_digest = 1'b0;
    end
  end

  // The choice of a beat fills a cycle; what it begins comes in the next one.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) issue_o <= 1'b0;
    else issue_o <= issue && !clear_i;
  end
  always_ff @(posedge clk_i) begin
    issue_first_o <= issue_first;
    issue_partial_o <= issue_partial;
    issue_last_o <= issue_last;
    issue_digest_o <= issue_digest;
    issue_state_o <= issue_state;
    issue_round_o <= issue_round;
    issue_tag_o <= issue_tag;
  end

  // First step of the matrix of the round.
  logic [MatrixAddressWidth-1:0] partial_index;
  assign partial_index = MatrixAddressWidth'(issue_round_o) - MatrixAddressWidth'(full_first_i);
  always_comb begin
    issue_matrix_o = '0;
    if (issue_partial_o) begin
      if (!config_i.partial_dense) begin
        issue_matrix_o = MatrixAddressWidth'({config_i.full_interval, 1'b0}) +
            partial_index * MatrixAddressWidth'(partial_steps);
      end
    end else if (!issue_last_o && issue_round_o + 1'b1 == full_first_i) begin
      issue_matrix_o = MatrixAddressWidth'(config_i.full_interval);
    end
  end

  // ---- The queues that close the loop -----------------------------------------------------------

  // A beat knows the number of its next round, whether it is partial or makes the beats of the
  // digest only, and whether there is one.
  acclmt_pkg::round_t next_round;
  logic next_done, next_partial, next_digest;
  assign next_round = end_round_i + 1'b1;
  assign next_done = next_round == (end_last_i ? last_end : first_end);
  assign next_partial = end_last_i ? next_round < partial_end : next_round >= full_first_i;
  assign next_digest = digest_shorter && end_last_i && next_round + 1'b1 == last_end &&
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
    .data_i({end_waits_i, end_last_i, next_done, next_partial, next_digest, next_round, end_tag_i,
             end_state_i}),
    .head_valid_o(queue_valid),
    .complete_o(queue_complete),
    .last_o(queue_last),
    .data_o({head_waits_for_first, head_last, head_done, head_partial, head_digest, head_round,
             head_tag, queue_state}),
    .take_i(head_take)
  );

  logic [WordWidth-1:0] head_first;
  logic first_ready;
  acclmt_fifo #(
    .Width(WordWidth),
    .Depth(Places / 2)
  ) u_first_queue (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .clear_i,
    .valid_i(end_dot_i),
    .ready_o(first_ready),
    .data_i(end_state_i[0]),
    .valid_o(first_valid),
    .ready_i(head_take && head_waits_for_first),
    .data_o(head_first)
  );
  assign head_valid = queue_valid && (first_valid || !head_waits_for_first);
  always_comb begin
    head_state = queue_state;
    if (head_waits_for_first) head_state[0] = head_first;
  end

  // ---- Output buffers ---------------------------------------------------------------------------

  logic [1:0] buffer_idle;
  for (genvar port = 0; port < 2; port++) begin : gen_output
    acclmt_state_buffer #(
      .Places(Places)
    ) u_output (
      .clk_i,
      .rst_ni,
      .memory_config_i,
      .clear_i,
      .beats_i(config_i.beats),
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
  assign unused_bits = ^{config_i, issue_last_beat};

`ifndef SYNTHESIS
  round_in_range_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      queue_valid && !clear_i |-> head_round <= (head_last ? last_end : first_end))
  else $error("acclmt_full_round_loop: a state ran past its last round");
  first_has_room_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      end_dot_i && !clear_i |-> first_ready)
  else $error("acclmt_full_round_loop: a new element 0 comes and there is no room");
  known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !$isunknown({valid_i, take_o, valid_o, take_i, issue_o, end_i, end_dot_i}))
  else $error("acclmt_full_round_loop: a handshake is unknown");
  last_visit_first_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      accept[1] && valid_i[0]);
  comes_round_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      issue && issue_first && accept == '0);
  digest_round_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      issue_o && issue_first_o && issue_digest_o);
  digest_round_waits_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      head_valid && head_digest && !queue_complete);
  waits_for_element_0_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      queue_valid && head_waits_for_first && !first_valid);
  no_place_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      valid_i[0] && !place_available[0]);
`else
  logic unused_ready;
  assign unused_ready = first_ready;
`endif

endmodule

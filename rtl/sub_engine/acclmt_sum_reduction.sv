// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Exit of the recurrence: makes the residues that the layer behind it takes of the sums with which
/// the partial-round sub-engines end.
///
/// A state that leaves them is the element y, the output x of the S-box before it, and sums (see
/// `acclmt_partial_round_engine`). Place 0 becomes y, place `order`, whose sum is empty, x, the
/// other places the residues of their sums; places beyond the state become zero. One reduction
/// makes a word a cycle.
///
/// Handshake:  states on both sides: `valid` shows a complete state, `take` takes a beat.
/// Latency:    2 + `ResolveLatency` + `acclmt_timing_pkg::reduce_latency` cycles from the start of
///             a state until its first beat enters the buffer, three more for each other beat.
/// Throughput: one state in three cycles for each beat.
module acclmt_sum_reduction #(
  /// The modulus, whether Goldilocks mode exists, and the kind of reduction.
  parameter acclmt_pkg::word_t Prime = acclmt_pkg::PrimeBls12381,
  parameter bit Goldilocks = 1'b1,
  parameter int unsigned Reduction = acclmt_pkg::ReductionConstant,
  /// Parameter sets.
  parameter int unsigned NumSets = 1,
  /// Whether memories keep parity, see acclmt_memory.
  parameter bit MemoryParity = 1'b0
) (
  /// Clock and reset.
  input logic clk_i,
  input logic rst_ni,
  /// Configuration of the memories below, see acclmt_memory_pkg; quasi-static.
  input acclmt_memory_pkg::memory_config_t memory_config_i,
  /// A word that a memory below shows is not the one that was written; one cycle.
  output logic memory_fault_o,
  /// Forgets every state.
  input logic clear_i,
  /// Goldilocks mode, run-time modulus and parameters of the sets; stable while states are inside.
  input logic goldilocks_i,
  input acclmt_pkg::word_t prime_i,
  input logic [NumSets*acclmt_pkg::EngineConfigWidth-1:0] configs_i,
  /// States that enter, with their tags.
  input logic valid_i,
  output logic take_o,
  input logic [acclmt_pkg::Lanes-1:0][acclmt_pkg::LaneWidth-1:0] state_i,
  input acclmt_pkg::tag_t tag_i,
  /// States that leave.
  output logic valid_o,
  input logic take_i,
  output logic [acclmt_pkg::Lanes-1:0][acclmt_pkg::WordWidth-1:0] state_o,
  output acclmt_pkg::tag_t tag_o,
  /// No state is inside.
  output logic idle_o
);

  localparam int unsigned Lanes = acclmt_pkg::Lanes;
  localparam int unsigned WordWidth = acclmt_pkg::WordWidth;
  localparam int unsigned LaneWidth = acclmt_pkg::LaneWidth;
  localparam int unsigned Slices = acclmt_pkg::Slices;
  localparam int unsigned SliceWidth = acclmt_pkg::SliceWidth;
  localparam int unsigned ChunkWidth = acclmt_pkg::ChunkWidth;
  localparam int unsigned TagWidth = acclmt_pkg::TagWidth;
  localparam int unsigned BeatWidth = acclmt_pkg::BeatWidth;
  localparam int unsigned Places = acclmt_latency_pkg::ExitPlaces;
  localparam int unsigned ToResidue =
      acclmt_latency_pkg::ResolveLatency + acclmt_timing_pkg::reduce_latency(int'(Reduction));

  logic goldilocks;
  assign goldilocks = Goldilocks && goldilocks_i;

  // The parameters of the set of the state.
  acclmt_pkg::engine_config_t of_state;
  acclmt_set_select #(
    .NumSets(NumSets)
  ) u_config (
    .values_i(configs_i),
    .set_i(tag_i[acclmt_pkg::TagSet+:acclmt_pkg::SetWidth]),
    .value_o(of_state)
  );

  // ---- Which word is next -----------------------------------------------------------------------

  logic [1:0] lane_q;
  logic [BeatWidth-1:0] beat_q;
  logic begins, active, lane_ends, beat_ends, place_available;
  assign begins = lane_q == '0 && beat_q == '0;
  assign active = begins ? valid_i && place_available : 1'b1;
  assign lane_ends = lane_q == 2'(Lanes - 1);
  assign beat_ends = beat_q + 1'b1 == of_state.beats;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      lane_q <= '0;
      beat_q <= '0;
    end else if (clear_i) begin
      lane_q <= '0;
      beat_q <= '0;
    end else if (active) begin
      lane_q <= lane_ends ? '0 : lane_q + 1'b1;
      if (lane_ends) beat_q <= beat_ends ? '0 : beat_q + 1'b1;
    end
  end
  assign take_o = active && lane_ends;

  // ---- The word: a sum, and what takes the place of its residue ---------------------------------

  logic [LaneWidth-1:0] lane;
  always_comb begin
    case (lane_q)
      2'd1: lane = state_i[1];
      2'd2: lane = state_i[2];
      default: lane = state_i[0];
    endcase
  end

  // Element and output of the S-box are in place 0; the output waits for its place.
  logic [WordWidth-1:0] element, output_of_sbox, output_q, instead;
  logic [Slices-1:0] is_instead;
  always_comb begin
    element = lane[WordWidth-1:0];
    output_of_sbox = output_q;
    if (begins) begin
      output_of_sbox = lane[WordWidth+:WordWidth];
      if (goldilocks) output_of_sbox = {Slices{lane[SliceWidth+:SliceWidth]}};
    end
  end
  always_ff @(posedge clk_i) begin
    if (active) output_q <= output_of_sbox;
  end
  localparam int unsigned PlaceWidth = acclmt_pkg::ElementCountWidth;
  for (genvar s = 0; s < Slices; s++) begin : gen_place
    logic [PlaceWidth-1:0] place;
    logic is_element, is_output, is_beyond;
    assign place = PlaceWidth'(lane_q) + PlaceWidth'(Lanes) *
                   (goldilocks ? PlaceWidth'({beat_q[0], 2'(s)}) : PlaceWidth'(beat_q));
    assign is_element = place == '0;
    assign is_output = place == of_state.order;
    assign is_beyond = place >= of_state.width;
    assign is_instead[s] = is_element || is_output || is_beyond;
    always_comb begin
      instead[SliceWidth*s+:SliceWidth] = '0;
      if (is_element) instead[SliceWidth*s+:SliceWidth] = element[SliceWidth*s+:SliceWidth];
      if (is_output) instead[SliceWidth*s+:SliceWidth] = output_of_sbox[SliceWidth*s+:SliceWidth];
    end
  end

  logic [Slices-1:0][ChunkWidth-1:0] resolved_q;
  always_ff @(posedge clk_i) resolved_q <= acclmt_pkg::resolve_carries(goldilocks, lane);
  logic [WordWidth-1:0] residue;
  acclmt_reduce #(
    .Prime(Prime),
    .Goldilocks(Goldilocks),
    .Reduction(Reduction)
  ) u_reduce (
    .clk_i,
    .goldilocks_i,
    .prime_i,
    .value_i(resolved_q),
    .residue_o(residue)
  );

  logic [WordWidth-1:0] instead_at_residue;
  logic [Slices-1:0] is_instead_at_residue;
  logic [1:0] lane_at_residue;
  logic last_at_residue, valid_at_residue, unused_ahead;
  acclmt_pkg::tag_t tag_at_residue;
  logic to_residue_fault;
  acclmt_delay #(
    .Width(WordWidth + Slices + 3 + TagWidth),
    .Cycles(ToResidue),
    .MemoryParity(MemoryParity)
  ) u_to_residue (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .memory_fault_o(to_residue_fault),
    .data_i({instead, is_instead, lane_q, beat_ends, tag_i}),
    .data_o({instead_at_residue, is_instead_at_residue, lane_at_residue, last_at_residue,
             tag_at_residue})
  );
  acclmt_valid_pipe #(
    .Cycles(ToResidue)
  ) u_valid_to_residue (
    .clk_i,
    .rst_ni,
    .clear_i,
    .valid_i(active),
    .valid_o(valid_at_residue),
    .ahead_o(unused_ahead)
  );

  // ---- Beats ------------------------------------------------------------------------------------

  logic [WordWidth-1:0] word;
  logic [Lanes-2:0][WordWidth-1:0] word_q;
  always_comb begin
    for (int s = 0; s < int'(Slices); s++) begin
      word[int'(SliceWidth)*s+:SliceWidth] = is_instead_at_residue[s]
          ? instead_at_residue[int'(SliceWidth)*s+:SliceWidth]
          : residue[int'(SliceWidth)*s+:SliceWidth];
    end
  end
  always_ff @(posedge clk_i) begin
    if (valid_at_residue) word_q <= {word, word_q[Lanes-2:1]};
  end

  logic output_fault;
  acclmt_state_buffer #(
    .Places(Places),
    .NumSets(NumSets),
    .MemoryParity(MemoryParity)
  ) u_output (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .memory_fault_o(output_fault),
    .clear_i,
    .configs_i,
    .reserve_beats_i(of_state.beats),
    .most_beats_i(of_state.beats),
    .available_o(place_available),
    .reserve_i(active && begins),
    .valid_i(valid_at_residue && lane_at_residue == 2'(Lanes - 1)),
    .last_i(last_at_residue),
    .state_i({word, word_q}),
    .tag_i(tag_at_residue),
    .valid_o,
    .take_i,
    .state_o,
    .tag_o,
    .idle_o
  );

  logic unused_bits;
  assign unused_bits = ^of_state;

  assign memory_fault_o = to_residue_fault || output_fault;

`ifndef SYNTHESIS
  beat_is_there_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      active && !clear_i |-> valid_i)
  else $error("acclmt_sum_reduction: a beat is due and not there");
  known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !$isunknown({valid_i, take_o, valid_o, take_i}))
  else $error("acclmt_sum_reduction: a handshake is unknown");
  no_place_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      begins && valid_i && !place_available);
  back_to_back_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      active && begins && valid_at_residue);
`endif

endmodule

// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Output buffer of a sub-engine: states wait for the next one, in places that were reserved as
/// they entered the sub-engine, so that its pipeline never stalls.
///
/// Handshake:  `reserve_i` only while `available_o`; to each reservation belongs one state, whose
///             beats are always accepted. Output: `valid_o` shows that a complete state is at the
///             head; from then on `take_i` takes its beats, at most one a cycle.
/// Latency:    2 cycles from the last beat. Throughput: one beat a cycle.
module acclmt_state_buffer #(
  /// Bits of a lane of a beat.
  parameter int unsigned LaneWidth = acclmt_pkg::WordWidth,
  /// Beats, at least 4.
  parameter int unsigned Places = 64,
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
  /// Empties the buffer and gives all places back.
  input logic clear_i,
  /// Parameters of the sets, set 0 in the low bits; stable while states are inside.
  input logic [NumSets*acclmt_pkg::EngineConfigWidth-1:0] configs_i,
  /// Reservation, as a state of so many beats enters the sub-engine; places for one of so many are
  /// there.
  input acclmt_pkg::beat_t reserve_beats_i,
  input acclmt_pkg::beat_t most_beats_i,
  output logic available_o,
  input logic reserve_i,
  /// A beat leaves the sub-engine.
  input logic valid_i,
  input logic last_i,
  input logic [acclmt_pkg::Lanes-1:0][LaneWidth-1:0] state_i,
  input acclmt_pkg::tag_t tag_i,
  /// Output.
  output logic valid_o,
  input logic take_i,
  output logic [acclmt_pkg::Lanes-1:0][LaneWidth-1:0] state_o,
  output acclmt_pkg::tag_t tag_o,
  /// No place is taken: nothing is in the sub-engine or in the buffer.
  output logic idle_o
);

  localparam int unsigned CountWidth = $clog2(Places + 1);
  localparam int unsigned Width = acclmt_pkg::Lanes * LaneWidth;

  if (Places < acclmt_pkg::MaxBeats) begin : gen_illegal_places
    $error("acclmt_state_buffer: Places = %0d is not enough for a state of %0d beats", Places,
           acclmt_pkg::MaxBeats);
  end

  // A state gives back as many places as were reserved for it: it may have fewer beats by now.
  logic head_valid, last, give_back;
  logic [CountWidth-1:0] taken_q, taken_d;
  acclmt_pkg::engine_config_t of_head;
  acclmt_set_select #(
    .NumSets(NumSets)
  ) u_head_config (
    .values_i(configs_i),
    .set_i(tag_o[acclmt_pkg::TagSet+:acclmt_pkg::SetWidth]),
    .value_o(of_head)
  );
  logic unused_bits;
  assign unused_bits = ^of_head;
  assign give_back = take_i && last;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) taken_q <= '0;
    else if (clear_i) taken_q <= '0;
    else taken_q <= taken_d;
  end
  // Each sum by itself, since whether a state enters or leaves is known late.
  always_comb begin
    case ({reserve_i, give_back})
      2'b11: taken_d = taken_q + CountWidth'(reserve_beats_i) - CountWidth'(of_head.beats);
      2'b10: taken_d = taken_q + CountWidth'(reserve_beats_i);
      2'b01: taken_d = taken_q - CountWidth'(of_head.beats);
      default: taken_d = taken_q;
    endcase
  end
  assign available_o = taken_q <= CountWidth'(Places) - CountWidth'(most_beats_i);
  assign idle_o = taken_q == '0;

  acclmt_beat_fifo #(
    .Width(acclmt_pkg::TagWidth + Width),
    .Depth(Places),
    .MemoryParity(MemoryParity)
  ) u_fifo (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .memory_fault_o,
    .clear_i,
    .valid_i,
    .last_i,
    .data_i({tag_i, state_i}),
    .head_valid_o(head_valid),
    .complete_o(valid_o),
    .last_o(last),
    .data_o({tag_o, state_o}),
    .take_i
  );

`ifndef SYNTHESIS
  reserve_available_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      reserve_i && !clear_i |-> available_o && reserve_beats_i <= most_beats_i)
  else $error("acclmt_state_buffer: a place was reserved and none was free");
  reserved_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      valid_i && !clear_i |-> !idle_o)
  else $error("acclmt_state_buffer: a beat came without a reserved place");
  take_what_is_there_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      take_i && !clear_i |-> head_valid)
  else $error("acclmt_state_buffer: a beat is taken that is not there");
  known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !$isunknown({reserve_i, valid_i, valid_o, take_i}))
  else $error("acclmt_state_buffer: a handshake is unknown");
  full_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      !available_o);
  reserve_as_one_leaves_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      reserve_i && give_back);
`else
  logic unused_head;
  assign unused_head = head_valid;
`endif

endmodule

// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Control of a full-round sub-engine's loop where its layers are made by adders: which state
/// enters the S-boxes, and which one enters behind them.
///
/// S-boxes and adders take a beat each cycle; the multipliers take longer for a dense layer, and so
/// dense layers wait for them in the turn memory. Those are the last one of the first visit and the
/// first one of the last visit, the latter without S-boxes.
///
///     S-boxes:  the state behind the dense layer of its last visit, which comes at a time that is
///               known and never waits; else the one at the head of the queue; else a new one of
///               its first visit
///     behind:   a new state of its last visit, for its dense layer; else one of its first visit
///               that begins with a layer without S-boxes
///
/// S-boxes have a time line of the states that come out of them: a state enters behind them only if
/// its unit is not needed by another one in that cycle. What would find the turn memory full does
/// not enter.
///
/// States of two beats take slots of two cycles. Those of the S-boxes begin in even cycles, those
/// behind them so that both meet. The state that comes back is then the one whose first beat came
/// two cycles before: its second one comes three cycles behind it.
///
/// Of two new states one enters in a cycle. A state of the first visit leaves room for one of the
/// last visit that waits for its unit.
///
/// Handshake:  port: `new_valid_i` shows a state, `new_accept_o` accepts it, `new_take_o` takes its
///             beats. Head: `head_valid_i` shows a beat, `head_take_o` takes it.
/// Latency:    none. Throughput: two beats a cycle, one into the S-boxes and one behind them.
module acclmt_adder_control #(
  /// Beats inside at most.
  parameter int unsigned Places = 64,
  /// Cycles of the S-boxes, and from the start of a dense layer of one step until it is made.
  parameter int unsigned Lead = 39,
  parameter int unsigned Layer = 19,
  /// States that fit in the turn memory.
  parameter int unsigned TurnDepth = 16
) (
  /// Clock and reset.
  input logic clk_i,
  input logic rst_ni,
  /// Forgets every state.
  input logic clear_i,
  /// Layers are made by adders, those of states of two beats; stable while states are inside. Else
  /// nothing happens.
  input logic enable_i,
  input logic two_beats_i,
  /// The state at the head of the queue, whose next layer is dense.
  input logic head_valid_i,
  input logic head_dense_i,
  output logic head_take_o,
  /// The first beat of a state comes back from the dense layer of its last visit.
  input logic return_i,
  /// New states of the two ports, for each of which a place is reserved as it enters. That of port
  /// 0 begins with a layer without S-boxes; its first layer is dense.
  input logic [1:0] new_valid_i,
  input logic [1:0] new_place_i,
  input logic new_enters_i,
  input logic new_dense_i,
  output logic [1:0] new_accept_o,
  output logic [1:0] new_take_o,
  /// So many states leave, 0 to 2.
  input logic [1:0] left_i,
  /// The multipliers begin a dense layer; they may do so in this cycle.
  input logic start_i,
  output logic may_start_o,
  /// A beat enters the S-boxes: of the state that comes back, of the new one of port 0, or of the
  /// head; the second one of its state.
  output logic issue_o,
  output logic issue_return_o,
  output logic issue_new_o,
  output logic issue_beat_o,
  /// A beat of a new state enters behind the S-boxes: of the port of its number; the second one of
  /// its state.
  output logic enter_o,
  output logic enter_last_o,
  output logic enter_beat_o
);

  localparam int unsigned CountWidth = $clog2(Places + 1);
  localparam int unsigned BookedWidth = $clog2(TurnDepth + 1);
  // Of two that come in one cycle, and one that is read, all have places.
  localparam logic [BookedWidth-1:0] MostBooked = BookedWidth'(TurnDepth - 2);
  // The cycle of a slot of the S-boxes in which another one begins behind them, and in which the
  // multipliers begin.
  localparam logic EnterPhase = 1'(Lead % 2);
  localparam logic StartPhase = 1'(Layer % 2);

  if (TurnDepth < 4) begin : gen_illegal_depth
    $error("acclmt_adder_control: TurnDepth = %0d, at least 4 are needed", TurnDepth);
  end

  // ---- Slots ------------------------------------------------------------------------------------

  logic phase_q, may_issue, may_enter;
  assign may_issue = enable_i && (!two_beats_i || !phase_q);
  assign may_enter = enable_i && (!two_beats_i || phase_q == EnterPhase);
  assign may_start_o = enable_i && (!two_beats_i || phase_q == StartPhase);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) phase_q <= 1'b0;
    else if (clear_i) phase_q <= 1'b0;
    else phase_q <= two_beats_i && !phase_q;
  end

  // The state that comes back, in the cycle in which it enters.
  logic comes_q, came_q, back;
  assign back = enable_i && (two_beats_i ? came_q : return_i);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {comes_q, came_q} <= '0;
    else if (clear_i) {comes_q, came_q} <= '0;
    else {comes_q, came_q} <= {return_i && two_beats_i, comes_q};
  end

  // Of the state whose first beat has entered in the last cycle, where it has two.
  logic second_back_q, second_head_q, second_new_q, second_enter_q, second_last_q;

  // ---- Choice -----------------------------------------------------------------------------------

  // States that come out of the S-boxes, bit k in k + 1 cycles from the one of the choice on, and
  // enter the turn memory or the adders then.
  logic [Lead-1:0] dense_q, adders_q;
  logic issue_dense, first_issue, first_head, first_new, first_enter, first_enter_last;

  logic [CountWidth-1:0] inside_q, most;
  logic [BookedWidth-1:0] booked_q;
  logic room, room_for_two, new_first, dense_fits, last_waits;
  assign most = two_beats_i ? CountWidth'(Places / 2) : CountWidth'(Places);
  assign room = inside_q < most;
  assign room_for_two = inside_q < most - 1'b1;
  assign dense_fits = booked_q < MostBooked;
  // One whose second beat is taken does not wait any more.
  assign last_waits = new_valid_i[1] && new_place_i[1] && !second_last_q;

  // Into the S-boxes.
  assign first_head =
      may_issue && !back && head_valid_i && (!head_dense_i || dense_fits);
  assign first_new = may_issue && new_first && !new_enters_i && !back && !first_head &&
                     (!new_dense_i || dense_fits);
  assign first_issue = back || first_head || first_new;
  assign issue_dense = (first_head && head_dense_i) || (first_new && new_dense_i);

  // Behind them.
  assign first_enter_last = may_enter && last_waits && room && dense_fits && !dense_q[0];
  assign new_first = new_valid_i[0] && new_place_i[0] && !first_enter_last &&
                     (last_waits ? room_for_two : room);
  assign first_enter =
      first_enter_last || (may_enter && new_first && new_enters_i && !adders_q[0]);
  assign new_accept_o = {first_enter_last, first_new || (first_enter && !first_enter_last)};

  // ---- Beats ------------------------------------------------------------------------------------

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {second_back_q, second_head_q, second_new_q, second_enter_q, second_last_q} <= '0;
    end else if (clear_i || !two_beats_i) begin
      {second_back_q, second_head_q, second_new_q, second_enter_q, second_last_q} <= '0;
    end else begin
      second_back_q <= back;
      second_head_q <= first_head;
      second_new_q <= first_new;
      second_enter_q <= first_enter;
      second_last_q <= first_enter_last;
    end
  end
  assign head_take_o = first_head || second_head_q;
  assign issue_o = first_issue || issue_beat_o;
  assign issue_beat_o = second_back_q || second_head_q || second_new_q;
  assign issue_return_o = back || second_back_q;
  assign issue_new_o = first_new || second_new_q;
  assign enter_o = first_enter || second_enter_q;
  assign enter_beat_o = second_enter_q;
  assign enter_last_o = first_enter_last || second_last_q;
  assign new_take_o = {enter_last_o, issue_new_o || (enter_o && !enter_last_o)};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      dense_q <= '0;
      adders_q <= '0;
      inside_q <= '0;
      booked_q <= '0;
    end else if (clear_i) begin
      dense_q <= '0;
      adders_q <= '0;
      inside_q <= '0;
      booked_q <= '0;
    end else begin
      dense_q <= {issue_dense, dense_q[Lead-1:1]};
      adders_q <= {first_issue && !issue_dense, adders_q[Lead-1:1]};
      inside_q <= inside_q + CountWidth'(new_accept_o != '0) - CountWidth'(left_i);
      booked_q <= booked_q + BookedWidth'(issue_dense) + BookedWidth'(first_enter_last) -
                  BookedWidth'(start_i);
    end
  end

`ifndef SYNTHESIS
  only_inside_leave_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !clear_i |-> CountWidth'(left_i) <= inside_q)
  else $error("acclmt_adder_control: a state leaves that never entered");
  only_booked_start_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      start_i && !clear_i |-> booked_q != '0)
  else $error("acclmt_adder_control: a dense layer begins that nobody has");
  turn_memory_fits_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      32'(booked_q) < TurnDepth)
  else $error("acclmt_adder_control: the turn memory has no room for all dense layers");
  returns_in_time_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      back && !clear_i |-> may_issue)
  else $error("acclmt_adder_control: a state comes back between two slots");
  one_to_a_unit_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(first_enter_last && dense_q[0]) &&
      !(first_enter && !first_enter_last && adders_q[0]))
  else $error("acclmt_adder_control: two states enter a unit in one cycle");
  known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !$isunknown({enable_i, head_valid_i, return_i, new_valid_i, new_place_i, left_i, start_i}))
  else $error("acclmt_adder_control: a handshake is unknown");
  both_c : cover property (@(posedge clk_i) disable iff (!rst_ni) issue_o && enter_o);
  two_beats_both_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      issue_beat_o && enter_o);
  head_waits_for_multipliers_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      may_issue && head_valid_i && head_dense_i && !dense_fits);
  head_waits_for_return_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      back && head_valid_i);
  last_waits_for_turn_memory_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      may_enter && last_waits && room && dense_q[0]);
  first_waits_for_adders_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      may_enter && new_first && new_enters_i && adders_q[0]);
  full_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      enable_i && new_valid_i != '0 && !room);
`endif

endmodule

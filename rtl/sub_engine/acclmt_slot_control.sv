// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Control of a sub-engine's loop: which state enters the pipeline next, and when.
///
/// Time is divided into slots, each for one round of one state. A slot begins when the last one has
/// ended, on a grid of `grid_i` cycles. It goes to the state that comes round and has rounds left,
/// else to a new state: one from port 1 if there is, or one from port 0. A state that comes round
/// and is done leaves in the slot that its successor takes. A new state enters only while a place
/// is free for it in its output buffer, and while fewer beats than `Places` are inside. So nothing
/// that is inside ever waits for anything outside.
///
/// A state that comes round waits for its last beats where its next slot takes them faster than
/// they come. New states may enter meanwhile: they have as many rounds left as it or more, so that
/// it still leaves before them.
///
/// A state that leaves may have fewer beats than inside; its last one says so.
///
/// In a slot the beats of the state move at the slot's spacing, one in so many cycles, as the
/// S-boxes or the matrix take them; they come round at a spacing of their own. A state that leaves
/// moves in step with the one that takes its slot, if that has as many beats, else a beat a cycle.
///
/// States may be of different sizes. If there is no room for a state of port 1, one of port 0 waits
/// as well: a small one never keeps a large one out.
///
/// Handshake:  port: `new_valid_i` shows a complete state, `new_take_o` takes a beat of it.
///             Head (the state that comes round): `head_valid_i` shows its first beat,
///             `head_complete_i` all of them; `head_take_o` takes a beat.
/// Latency:    none. Throughput: one state in the length of its slots.
module acclmt_slot_control #(
  /// Beats inside at most.
  parameter int unsigned Places = 64
) (
  /// Clock and reset.
  input logic clk_i,
  input logic rst_ni,
  /// Forgets every state.
  input logic clear_i,
  /// The grid, and the beats of the largest states: there is room for a state if there is for one
  /// of those, which does not depend on the state; stable while states are inside.
  input acclmt_pkg::beat_t grid_i,
  input acclmt_pkg::beat_t most_beats_i,
  /// The state that comes round: its first beat is there, all are; the beat is its last one. Beats
  /// that it had as it entered, and cycles from one to the next as they come round. It is done, or
  /// its next slot takes a beat in so many cycles, and so many cycles in all.
  input logic head_valid_i,
  input logic head_complete_i,
  input logic head_last_i,
  input acclmt_pkg::beat_t head_beats_i,
  input acclmt_pkg::beat_t head_arrival_i,
  input logic head_done_i,
  input acclmt_pkg::beat_t head_spacing_i,
  input logic [4:0] head_cycles_i,
  output logic head_take_o,
  /// New states of the two ports, their beats, and their first slots.
  input logic [1:0] new_valid_i,
  input logic [1:0] new_place_i,
  input logic [1:0][acclmt_pkg::BeatWidth-1:0] new_beats_i,
  input logic [1:0][acclmt_pkg::BeatWidth-1:0] new_spacing_i,
  input logic [1:0][4:0] new_cycles_i,
  output logic [1:0] new_take_o,
  /// A new state enters: reserve its place.
  output logic [1:0] new_accept_o,
  /// A beat enters the pipeline; the first and the last one of its state, and its number. It comes
  /// from a port (`new_take_o`) or else from the head.
  output logic issue_o,
  output logic first_o,
  output logic last_o,
  output acclmt_pkg::beat_t beat_o,
  /// A beat of the head leaves for the output buffer.
  output logic exit_o,
  /// The slot of a state is under way (performance counter).
  output logic busy_o
);

  localparam int unsigned CountWidth = $clog2(Places + 1);
  localparam int unsigned BeatWidth = acclmt_pkg::BeatWidth;

  // ---- Beginning of a slot ----------------------------------------------------------------------

  logic [BeatWidth-1:0] grid_q;
  logic [4:0] left_q;
  logic boundary, start, reissue, leave, head_pending;
  // Beats inside, and those that stay.
  logic [CountWidth-1:0] inside_q, staying;
  // With and without the state that leaves, since whether one does is known late.
  logic [CountWidth-1:0] most_inside;
  logic room;
  assign staying = inside_q - (leave ? CountWidth'(head_beats_i) : '0);
  assign most_inside = CountWidth'(Places) - CountWidth'(most_beats_i);
  assign room = leave ? (CountWidth + 1)'(inside_q) <=
                        (CountWidth + 1)'(most_inside) + (CountWidth + 1)'(head_beats_i)
                      : inside_q <= most_inside;

  assign boundary = left_q == '0 && grid_q == '0;
  assign head_pending = head_valid_i && !head_done_i;
  assign reissue = boundary && head_pending &&
                   (head_complete_i || head_spacing_i >= head_arrival_i);
  assign leave = boundary && head_valid_i && head_done_i && head_complete_i;
  logic [1:0] accept, eligible;
  assign eligible = (boundary && !reissue) ? new_valid_i & new_place_i : '0;
  assign accept = room ? {eligible[1], eligible[0] && !eligible[1]} : '0;
  assign start = reissue || leave || accept != '0;
  assign new_accept_o = accept;

  // A state that only leaves takes one beat a cycle.
  logic [BeatWidth-1:0] start_beats, start_spacing, exit_spacing;
  logic [4:0] start_cycles;
  always_comb begin
    start_beats = head_beats_i;
    start_spacing = BeatWidth'(1);
    start_cycles = 5'(head_beats_i);
    if (reissue) begin
      start_spacing = head_spacing_i;
      start_cycles = head_cycles_i;
    end else if (accept[1]) begin
      start_beats = new_beats_i[1];
      start_spacing = new_spacing_i[1];
      start_cycles = new_cycles_i[1];
    end else if (accept[0]) begin
      start_beats = new_beats_i[0];
      start_spacing = new_spacing_i[0];
      start_cycles = new_cycles_i[0];
    end
    exit_spacing = start_spacing;
    if (start_beats != head_beats_i) begin
      exit_spacing = BeatWidth'(1);
      if (leave && start_cycles < 5'(head_beats_i)) start_cycles = 5'(head_beats_i);
    end
  end

  // ---- Inside a slot ----------------------------------------------------------------------------

  // What moves, its beats, those that are still to move, and cycles until the next one; of a state
  // that leaves, cycles until its next beat.
  logic reissue_q, leave_q;
  logic [1:0] accept_q;
  logic [BeatWidth-1:0] beats_q, spacing_q, beats_left_q, wait_q, exit_spacing_q, exit_wait_q;
  logic next_beat, next_exit;
  assign next_beat = beats_left_q != '0 && wait_q == '0;
  assign next_exit = leave_q && exit_wait_q == '0;

  // All beats of a slot have moved when the next one begins (asserted), so what begins and what
  // goes on never meet.
  assign head_take_o = reissue || exit_o || (next_beat && reissue_q);
  assign exit_o = leave || next_exit;
  assign new_take_o = accept | (next_beat ? accept_q : '0);
  assign issue_o = reissue || accept != '0 || (next_beat && (reissue_q || accept_q != '0));
  assign first_o = start;
  assign last_o = start ? start_beats == BeatWidth'(1) : beats_left_q == BeatWidth'(1);
  assign beat_o = start ? '0 : beats_q - beats_left_q;
  assign busy_o = start ? reissue || accept != '0
                        : left_q != '0 && (reissue_q || accept_q != '0);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      grid_q <= '0;
      left_q <= '0;
      inside_q <= '0;
      reissue_q <= 1'b0;
      leave_q <= 1'b0;
      beats_q <= BeatWidth'(1);
      spacing_q <= BeatWidth'(1);
      exit_spacing_q <= BeatWidth'(1);
      accept_q <= '0;
      beats_left_q <= '0;
      wait_q <= '0;
      exit_wait_q <= '0;
    end else if (clear_i) begin
      grid_q <= '0;
      left_q <= '0;
      inside_q <= '0;
      reissue_q <= 1'b0;
      leave_q <= 1'b0;
      beats_q <= BeatWidth'(1);
      spacing_q <= BeatWidth'(1);
      exit_spacing_q <= BeatWidth'(1);
      accept_q <= '0;
      beats_left_q <= '0;
      wait_q <= '0;
      exit_wait_q <= '0;
    end else begin
      grid_q <= (grid_q + 1'b1 >= grid_i) ? '0 : grid_q + 1'b1;
      inside_q <= staying + ((accept != '0) ? CountWidth'(start_beats) : '0);
      if (start) begin
        left_q <= start_cycles - 1'b1;
        reissue_q <= reissue;
        leave_q <= leave && !head_last_i;
        beats_q <= start_beats;
        spacing_q <= start_spacing;
        exit_spacing_q <= exit_spacing;
        accept_q <= accept;
        beats_left_q <= (reissue || accept != '0) ? start_beats - 1'b1 : '0;
        wait_q <= start_spacing - 1'b1;
        exit_wait_q <= exit_spacing - 1'b1;
      end else begin
        if (left_q != '0) left_q <= left_q - 1'b1;
        if (next_exit && head_last_i) leave_q <= 1'b0;
        if (next_exit) exit_wait_q <= exit_spacing_q - 1'b1;
        else if (exit_wait_q != '0) exit_wait_q <= exit_wait_q - 1'b1;
        if (next_beat) begin
          beats_left_q <= beats_left_q - 1'b1;
          wait_q <= spacing_q - 1'b1;
        end else if (wait_q != '0) begin
          wait_q <= wait_q - 1'b1;
        end
      end
    end
  end

`ifndef SYNTHESIS
  slot_long_enough_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      start && !clear_i |-> beats_left_q == '0 && !leave_q)
  else $error("acclmt_slot_control: a slot begins before the beats of the last one have moved");
  beat_is_there_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      head_take_o && !clear_i |-> head_valid_i)
  else $error("acclmt_slot_control: a beat of the head is due and not there");
  only_inside_leave_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      leave && !clear_i |-> inside_q >= CountWidth'(head_beats_i))
  else $error("acclmt_slot_control: a state leaves that never entered");
  most_beats_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      first_o && new_accept_o != '0 && !clear_i |-> start_beats <= most_beats_i)
  else $error("acclmt_slot_control: a state is larger than the largest one");
  known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !$isunknown({head_valid_i, new_valid_i, new_place_i, issue_o, exit_o}))
  else $error("acclmt_slot_control: a handshake is unknown");
  full_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      eligible != '0 && !room);
  spaced_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      reissue && head_spacing_i >= head_arrival_i && head_beats_i != BeatWidth'(1));
  faster_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      reissue && head_spacing_i < head_arrival_i && head_beats_i != BeatWidth'(1));
  both_ports_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      &eligible);
  enter_as_one_waits_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      accept != '0 && head_pending);
  sizes_differ_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      leave && accept != '0 && start_beats != head_beats_i);
  enter_as_one_leaves_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      leave && new_valid_i != '0);
`endif

endmodule

// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Control of a full-round sub-engine's loop where its layers are made by adders: which state
/// enters the S-boxes, and which one enters behind them.
///
/// S-boxes and adders take a state of one beat each cycle, the multipliers one of a dense layer in
/// two. Dense layers are the last one of the first visit and the first one of the last visit, the
/// latter without S-boxes. Both units have time lines, of the states that come out of the S-boxes:
///
///     S-boxes:  the state behind the dense layer of its last visit, which comes at a time that is
///               known and never waits; else the one at the head of the queue; else a new one of
///               its first visit
///     behind:   a new state of its last visit, for its dense layer; else one of its first visit
///               that begins with a layer without S-boxes
///
/// A state whose next layer is dense enters the S-boxes only if the multipliers are free when it
/// leaves them, and a state enters behind the S-boxes only if its unit is not needed by another one
/// in that cycle. The one at the head waits for a cycle or two at most.
///
/// Of two new states one enters in a cycle. A state of the first visit leaves room for one of the
/// last visit that waits for its unit.
///
/// Handshake:  port: `new_valid_i` shows a state, `new_accept_o` takes it. Head: `head_valid_i`
///             shows a state, `head_take_o` takes it.
/// Latency:    none. Throughput: two states a cycle, one into the S-boxes and one behind them.
module acclmt_adder_control #(
  /// States inside at most.
  parameter int unsigned Places = 64,
  /// Cycles of the S-boxes.
  parameter int unsigned Lead = 39
) (
  /// Clock and reset.
  input logic clk_i,
  input logic rst_ni,
  /// Forgets every state.
  input logic clear_i,
  /// Layers are made by adders; stable while states are inside. Else nothing happens.
  input logic enable_i,
  /// The state at the head of the queue, whose next layer is dense.
  input logic head_valid_i,
  input logic head_dense_i,
  output logic head_take_o,
  /// A state comes back from the dense layer of its last visit.
  input logic return_i,
  /// New states of the two ports, for each of which a place is reserved as it enters. That of port
  /// 0 begins with a layer without S-boxes; its first layer is dense.
  input logic [1:0] new_valid_i,
  input logic [1:0] new_place_i,
  input logic new_enters_i,
  input logic new_dense_i,
  output logic [1:0] new_accept_o,
  /// So many states leave, 0 to 2.
  input logic [1:0] left_i,
  /// A state enters the S-boxes: the one that comes back, the new one of port 0, or the head.
  output logic issue_o,
  output logic issue_return_o,
  output logic issue_new_o,
  /// A new state enters behind the S-boxes: of the port of its number.
  output logic enter_o,
  output logic enter_last_o
);

  localparam int unsigned CountWidth = $clog2(Places + 1);

  // States that come out of the S-boxes, bit k in k + 1 cycles from the one of the choice on, and
  // enter the multipliers or the adders then; what entered the multipliers in the last cycle.
  logic [Lead-1:0] dense_q, adders_q;
  logic dense_last_q, dense_now;
  logic issue_dense;

  logic [CountWidth-1:0] inside_q;
  logic room, room_for_two, new_first, dense_fits;
  assign room = inside_q < CountWidth'(Places);
  assign room_for_two = inside_q < CountWidth'(Places - 1);

  // Into the S-boxes, so that the dense layer that follows does not meet the one before.
  assign dense_fits = !dense_q[Lead-1];
  assign issue_return_o = enable_i && return_i;
  assign head_take_o =
      enable_i && !return_i && head_valid_i && (!head_dense_i || dense_fits);
  assign issue_new_o = new_first && !new_enters_i && !issue_return_o && !head_take_o &&
                       (!new_dense_i || dense_fits);
  assign issue_o = issue_return_o || head_take_o || issue_new_o;
  assign issue_dense = (head_take_o && head_dense_i) || (issue_new_o && new_dense_i);

  // Behind them.
  assign enter_last_o = enable_i && new_valid_i[1] && new_place_i[1] && room &&
                        !dense_last_q && !dense_q[0] && !dense_q[1];
  assign new_first = enable_i && new_valid_i[0] && new_place_i[0] && !enter_last_o &&
                     ((new_valid_i[1] && new_place_i[1]) ? room_for_two : room);
  assign enter_o = enter_last_o || (new_first && new_enters_i && !adders_q[0]);
  assign dense_now = dense_q[0] || enter_last_o;
  assign new_accept_o = {enter_last_o, issue_new_o || (enter_o && !enter_last_o)};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      dense_q <= '0;
      adders_q <= '0;
      dense_last_q <= 1'b0;
      inside_q <= '0;
    end else if (clear_i) begin
      dense_q <= '0;
      adders_q <= '0;
      dense_last_q <= 1'b0;
      inside_q <= '0;
    end else begin
      dense_q <= {issue_dense, dense_q[Lead-1:1]};
      adders_q <= {issue_o && !issue_dense, adders_q[Lead-1:1]};
      dense_last_q <= dense_now;
      inside_q <= inside_q + CountWidth'(new_accept_o != '0) - CountWidth'(left_i);
    end
  end

`ifndef SYNTHESIS
  only_inside_leave_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !clear_i |-> CountWidth'(left_i) <= inside_q)
  else $error("acclmt_adder_control: a state leaves that never entered");
  dense_layers_apart_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      dense_now |-> !dense_last_q)
  else $error("acclmt_adder_control: two dense layers begin in consecutive cycles");
  one_to_a_unit_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(enter_last_o && dense_q[0]) && !(enter_o && !enter_last_o && adders_q[0]))
  else $error("acclmt_adder_control: two states enter a unit in one cycle");
  known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !$isunknown({enable_i, head_valid_i, return_i, new_valid_i, new_place_i, left_i}))
  else $error("acclmt_adder_control: a handshake is unknown");
  both_c : cover property (@(posedge clk_i) disable iff (!rst_ni) issue_o && enter_o);
  head_waits_for_multipliers_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      enable_i && head_valid_i && head_dense_i && !dense_fits);
  head_waits_for_return_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      enable_i && head_valid_i && return_i);
  last_waits_for_multipliers_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      enable_i && new_valid_i[1] && new_place_i[1] && room && !enter_last_o);
  first_waits_for_adders_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      new_first && new_enters_i && adders_q[0]);
  full_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      enable_i && new_valid_i != '0 && !room);
`endif

endmodule

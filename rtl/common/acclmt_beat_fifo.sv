// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// First-in first-out buffer of states that are made of beats, which also knows whether the state
/// at its head is complete.
///
/// Handshake:  input: a beat with `valid_i` is always accepted; its user keeps it from overflowing
///             (asserted). Output: `head_valid_o` shows a beat, `take_i` removes it;
///             `complete_o` tells that the whole state at the head is inside, so that its beats can
///             be taken one a cycle.
/// Latency:    2 cycles. Throughput: one beat a cycle.
module acclmt_beat_fifo #(
  /// Bits of a beat.
  parameter int unsigned Width = acclmt_pkg::Lanes * acclmt_pkg::WordWidth,
  /// Beats, at least 2.
  parameter int unsigned Depth = 16,
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
  /// Empties the buffer.
  input logic clear_i,
  /// A beat enters; the last one of its state.
  input logic valid_i,
  input logic last_i,
  input logic [Width-1:0] data_i,
  /// The beat at the head, and whether its state is complete.
  output logic head_valid_o,
  output logic complete_o,
  output logic last_o,
  output logic [Width-1:0] data_o,
  /// The beat at the head leaves.
  input logic take_i
);

  localparam int unsigned CountWidth = $clog2(Depth + 2);

  logic fifo_ready;
  acclmt_fifo #(
    .Width(1 + Width),
    .Depth(Depth),
    .MemoryParity(MemoryParity)
  ) u_fifo (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .memory_fault_o,
    .clear_i,
    .valid_i,
    .ready_o(fifo_ready),
    .data_i({last_i, data_i}),
    .valid_o(head_valid_o),
    .ready_i(take_i),
    .data_o({last_o, data_o})
  );

  // Last beats inside: a state is complete as soon as one is, because states leave in order.
  logic [CountWidth-1:0] complete_q;
  logic enter, leave;
  assign enter = valid_i && last_i;
  assign leave = take_i && head_valid_o && last_o;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) complete_q <= '0;
    else if (clear_i) complete_q <= '0;
    else if (enter != leave) complete_q <= enter ? complete_q + 1'b1 : complete_q - 1'b1;
  end
  assign complete_o = head_valid_o && complete_q != '0;

`ifndef SYNTHESIS
  no_overflow_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      valid_i && !clear_i |-> fifo_ready)
  else $error("acclmt_beat_fifo: a beat comes and there is no room");
  take_what_is_there_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      take_i && !clear_i |-> head_valid_o)
  else $error("acclmt_beat_fifo: a beat is taken that is not there");
  known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !$isunknown({valid_i, head_valid_o, take_i}))
  else $error("acclmt_beat_fifo: a handshake is unknown");
  incomplete_head_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      head_valid_o && !complete_o);
`else
  // Its user makes sure that there is room.
  logic unused_ready;
  assign unused_ready = fifo_ready;
`endif

endmodule

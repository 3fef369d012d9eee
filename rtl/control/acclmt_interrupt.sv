// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Interrupt: which events have happened since they were acknowledged, and which of them the host
/// wants to be told. An acknowledgement changes nothing else.
///
/// Handshake:  an event in the cycle of its acknowledgement stays. `irq_o` is high while an event
///             is pending that is enabled.
/// Latency:    one cycle from an event to `irq_o`.
module acclmt_interrupt #(
  /// Number of kinds of events.
  parameter int unsigned NumEvents = 2
) (
  /// Clock and reset.
  input logic clk_i,
  input logic rst_ni,
  /// Forgets all events.
  input logic clear_i,
  /// Events of this cycle.
  input logic [NumEvents-1:0] events_i,
  /// Acknowledges the events whose bit is 1.
  input logic acknowledge_i,
  /// Sets which events interrupt.
  input logic enable_write_i,
  /// What is acknowledged or enabled.
  input logic [NumEvents-1:0] data_i,
  /// Events that are pending, and those that interrupt.
  output logic [NumEvents-1:0] pending_o,
  output logic [NumEvents-1:0] enable_o,
  /// Interrupt.
  output logic irq_o
);

  logic [NumEvents-1:0] pending_q, enable_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      pending_q <= '0;
      enable_q <= '0;
    end else begin
      if (enable_write_i) enable_q <= data_i;
      if (clear_i) pending_q <= '0;
      else pending_q <= (pending_q & ~(acknowledge_i ? data_i : '0)) | events_i;
    end
  end
  assign pending_o = pending_q;
  assign enable_o = enable_q;
  assign irq_o = (pending_q & enable_q) != '0;

`ifndef SYNTHESIS
  known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !$isunknown({clear_i, events_i, acknowledge_i, enable_write_i, irq_o}))
  else $error("acclmt_interrupt: an event, a command or the interrupt is unknown");
  event_stays_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      events_i != '0 && !clear_i |=> (pending_q & $past(events_i)) == $past(events_i))
  else $error("acclmt_interrupt: an event was lost");
  for (genvar i = 0; i < NumEvents; i++) begin : gen_cover
    interrupt_c : cover property (@(posedge clk_i) pending_q[i] && enable_q[i]);
    silent_c : cover property (@(posedge clk_i) pending_q[i] && !enable_q[i]);
    acknowledge_c : cover property (@(posedge clk_i) pending_q[i] && acknowledge_i && data_i[i]);
    event_meets_acknowledge_c : cover property (@(posedge clk_i)
        events_i[i] && acknowledge_i && data_i[i]);
  end
`endif

endmodule

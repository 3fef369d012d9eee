// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

`ifndef SYNTHESIS
/// Assertions for one channel with VALID and READY, of AXI4-Lite or AXI4-Stream: what is offered is
/// offered until it is taken, and does not change.
///
/// A property is a condition on this cycle and on registers, which simulators and provers read
/// alike. A proof (FORMAL) takes what the other side must do for granted, a simulation asserts it.
///
/// Handshake:  none. Latency: none.
module acclmt_handshake_checks #(
  /// Bits of the payload.
  parameter int unsigned Width = 1,
  /// Whether the channel is driven from outside.
  parameter bit Driven = 1'b0
) (
  /// Clock and reset.
  input logic clk_i,
  input logic rst_ni,
  /// The channel.
  input logic valid_i,
  input logic ready_i,
  input logic [Width-1:0] payload_i
);

  // The payload waited in the cycle before.
  logic waits_q;
  logic [Width-1:0] payload_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) waits_q <= 1'b0;
    else waits_q <= valid_i && !ready_i;
  end
  always_ff @(posedge clk_i) payload_q <= payload_i;

  logic valid_stays, payload_stays;
  assign valid_stays = !waits_q || valid_i;
  assign payload_stays = !waits_q || payload_i == payload_q;

`ifdef FORMAL
  if (Driven) begin : gen_assume
    valid_stays_a : assume property (@(posedge clk_i) disable iff (!rst_ni) valid_stays);
    payload_stays_a : assume property (@(posedge clk_i) disable iff (!rst_ni) payload_stays);
  end else begin : gen_assert
    valid_stays_a : assert property (@(posedge clk_i) disable iff (!rst_ni) valid_stays);
    payload_stays_a : assert property (@(posedge clk_i) disable iff (!rst_ni) payload_stays);
    silent_in_reset_a : assert property (@(posedge clk_i) rst_ni || !valid_i);
  end
`else
  valid_stays_a : assert property (@(posedge clk_i) disable iff (!rst_ni) valid_stays)
  else $error("acclmt_handshake_checks: %m: VALID fell before READY was high");
  payload_stays_a : assert property (@(posedge clk_i) disable iff (!rst_ni) payload_stays)
  else $error("acclmt_handshake_checks: %m: the payload changed before READY was high");
  if (!Driven) begin : gen_own
    silent_in_reset_a : assert property (@(posedge clk_i) rst_ni || !valid_i)
    else $error("acclmt_handshake_checks: %m: VALID is high during the reset");
  end
  known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !$isunknown({valid_i, ready_i}))
  else $error("acclmt_handshake_checks: %m: VALID or READY is unknown");
  wait_c : cover property (@(posedge clk_i) valid_i && !ready_i);
  early_ready_c : cover property (@(posedge clk_i) !valid_i && ready_i);
  taken_c : cover property (@(posedge clk_i) valid_i && ready_i);
`endif

endmodule
`endif

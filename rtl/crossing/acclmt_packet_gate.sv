// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// The bus side of the input of a clock crossing: takes words of one packet each time that the side
/// of the core asks for one, so that the next packet waits outside as it does with one clock.
///
/// See acclmt_packet_window, which asks.
///
/// Handshake:  `ask_i` and `asked_o` are a handshake of four phases: `asked_o` follows `ask_i`. The
///             gate opens as `asked_o` rises, and shuts behind a word with TLAST or as `asked_o`
///             falls: no word passes after that.
/// Latency:    one cycle from `ask_i` to an open gate; none for words.
module acclmt_packet_gate (
  /// Clock and asynchronous reset of the bus; shut and forget.
  input logic clk_i,
  input logic rst_ni,
  input logic clear_i,
  /// The core is there.
  input logic up_i,
  /// The other side.
  input logic ask_i,
  output logic asked_o,
  /// Words: those of the bus, and those that pass.
  input logic tvalid_i,
  output logic tready_o,
  input logic tlast_i,
  output logic valid_o,
  input logic ready_i
);

  logic open_q, asked_q, pass;
  assign pass = open_q && up_i;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      open_q <= 1'b0;
      asked_q <= 1'b0;
    end else if (clear_i) begin
      open_q <= 1'b0;
      asked_q <= 1'b0;
    end else begin
      asked_q <= ask_i;
      if (!ask_i) open_q <= 1'b0;
      else if (!asked_q) open_q <= 1'b1;
      else if (valid_o && ready_i && tlast_i) open_q <= 1'b0;
    end
  end
  assign asked_o = asked_q;
  assign valid_o = tvalid_i && pass;
  assign tready_o = ready_i && pass;

`ifndef SYNTHESIS
  logic open_if_asked, shut_behind_last, ended_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) ended_q <= 1'b0;
    else if (clear_i || !asked_q) ended_q <= 1'b0;
    else if (valid_o && ready_i && tlast_i) ended_q <= 1'b1;
  end
  assign open_if_asked = !open_q || asked_q;
  assign shut_behind_last = !(ended_q && open_q);
  open_if_asked_a : assert property (@(posedge clk_i) disable iff (!rst_ni) open_if_asked)
  else $error("acclmt_packet_gate: words pass that were not asked for");
  shut_behind_last_a : assert property (@(posedge clk_i) disable iff (!rst_ni) shut_behind_last)
  else $error("acclmt_packet_gate: a word passes behind the last one of its packet");
`endif

endmodule

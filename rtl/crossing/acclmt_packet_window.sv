// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// The core side of the input of a clock crossing: asks the gate at the bus for a packet when the
/// core takes one, and drops what is left of it when the core ends that, so that no word of a
/// packet gets into the next run.
///
/// `open_i` is high while words are taken, for a run or to discard them. When it falls because of a
/// clear, and behind a word with TLAST, the gate is told to shut. Words may pass it until it has;
/// they, and those in the buffer, are dropped here, before the gate is asked again. Behind TLAST
/// there are none, because the gate has shut by itself; it is asked for the next packet if `open_i`
/// stays high, as it does when a packet is discarded and the next one is that of a run.
/// `settling_o` is high until the gate is shut: an answer to the host that waits for it says that
/// no word is taken any more.
///
/// Handshake:  `ask_o` and `asked_i` are a handshake of four phases. Words: ready/valid; a word
///             that is offered to the core is taken back when `open_i` falls.
/// Latency:    none for words. From the end of a packet, or the fall of `open_i`, to an empty
///             buffer: a way to the bus and back, two cycles, and one for each word left.
module acclmt_packet_window (
  /// Clock and asynchronous reset of the core.
  input logic clk_i,
  input logic rst_ni,
  /// The core takes words.
  input logic open_i,
  /// The gate, in this clock.
  output logic ask_o,
  input logic asked_i,
  /// Words of the buffer, and those that the core gets.
  input logic valid_i,
  output logic ready_o,
  output logic tvalid_o,
  input logic tready_i,
  input logic tlast_i,
  /// The gate may still be open for a packet that the core does not take any more.
  output logic settling_o
);

  // Shut: the gate is shut, the buffer is empty. Opening, Open: the gate was asked for a packet,
  // and has heard it. Cancel: as Opening, for nothing or for a packet that is through already.
  // Closing: the gate was told to shut. Settled, Empty: it has, and what passed before arrives
  // within a cycle.
  typedef enum logic [2:0] {
    Shut,
    Opening,
    Open,
    Cancel,
    Closing,
    Settled,
    Empty
  } state_e;
  state_e state_q, state_d;
  logic ask_q, passes, packet_ends, ends;
  // The core ends the packet, or it is through: the gate has shut behind it, and passes no word of
  // the next one before it is asked again.
  assign packet_ends = tvalid_o && tready_i && tlast_i;
  assign ends = !open_i || packet_ends;

  always_comb begin
    state_d = state_q;
    case (state_q)
      Shut: if (open_i) state_d = Opening;
      Opening: begin
        if (ends) state_d = asked_i ? Closing : Cancel;
        else if (asked_i) state_d = Open;
      end
      Open: if (ends) state_d = Closing;
      Cancel: if (asked_i) state_d = Closing;
      Closing: if (!asked_i) state_d = Settled;
      Settled: state_d = Empty;
      Empty: if (!valid_i) state_d = Shut;
      default: state_d = Closing;
    endcase
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Shut;
      ask_q <= 1'b0;
    end else begin
      state_q <= state_d;
      ask_q <= state_d == Opening || state_d == Open || state_d == Cancel;
    end
  end
  assign ask_o = ask_q;

  assign passes = open_i && (state_q == Opening || state_q == Open);
  assign tvalid_o = valid_i && passes;
  assign ready_o = passes ? tready_i : state_q != Shut;
  assign settling_o =
      state_q == Cancel || state_q == Closing ||
      (!open_i && (state_q == Opening || state_q == Open));

`ifndef SYNTHESIS
  // Words of one packet at most pass each time that the gate is asked.
  logic empty_when_shut, one_packet, ended_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) ended_q <= 1'b0;
    else if (state_q == Shut) ended_q <= 1'b0;
    else if (packet_ends) ended_q <= 1'b1;
  end
  assign empty_when_shut = state_q != Shut || !valid_i;
  assign one_packet = !(ended_q && (valid_i || passes));
  one_packet_a : assert property (@(posedge clk_i) disable iff (!rst_ni) one_packet)
  else $error("acclmt_packet_window: a word comes behind the last one of its packet");
  empty_when_shut_a : assert property (@(posedge clk_i) disable iff (!rst_ni) empty_when_shut)
  else $error("acclmt_packet_window: a word is left when the input is shut");
`ifndef FORMAL
  cancel_c : cover property (@(posedge clk_i) state_q == Cancel);
  dropped_c : cover property (@(posedge clk_i) valid_i && ready_o && !passes);
  reopened_c : cover property (@(posedge clk_i) open_i && state_q == Closing);
  next_packet_c : cover property (@(posedge clk_i) open_i && ended_q && state_q == Shut);
  ends_unheard_c : cover property (@(posedge clk_i) packet_ends && state_q == Opening);
`endif
`endif

endmodule

// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Output of runs to AXI4-Stream: a packet is the output of one run, and its last word has TLAST.
///
/// A word that is offered cannot be taken back, not even by a clear: it stays until it is taken. A
/// clear drops what is behind it. If a packet has begun then and not ended, an abort word ends it:
/// TDATA is 0, TLAST is 1 and TUSER is `AbortUser`, so that a receiver that waits for TLAST ends as
/// well, and nothing of the aborted run can be taken for a part of the next one.
///
/// Handshake:  ready/valid on both sides; every output comes from registers alone. A clear lasts
///             one cycle. A place without a word holds zero.
/// Latency:    one cycle. Throughput: one word a cycle. Capacity: two words.
module acclmt_stream_output #(
  /// Bits of a word, and of what goes with it.
  parameter int unsigned Width = acclmt_pkg::WordWidth,
  parameter int unsigned UserWidth = acclmt_bus_pkg::UserWidth,
  /// What goes with an abort word.
  parameter logic [UserWidth-1:0] AbortUser = '1
) (
  /// Clock and asynchronous reset.
  input logic clk_i,
  input logic rst_ni,
  /// The run is ended.
  input logic clear_i,
  /// The core.
  input logic valid_i,
  output logic ready_o,
  input logic [Width-1:0] data_i,
  input logic [UserWidth-1:0] user_i,
  input logic last_i,
  /// AXI4-Stream.
  output logic tvalid_o,
  input logic tready_i,
  output logic [Width-1:0] tdata_o,
  output logic [UserWidth-1:0] tuser_o,
  output logic tlast_o,
  /// A word waits to be taken, or a packet has begun and not ended.
  output logic open_o
);

  typedef struct packed {
    logic last;
    logic [UserWidth-1:0] user;
    logic [Width-1:0] data;
  } word_t;

  word_t head_q, second_q, word, abort_word;
  logic head_valid_q, second_valid_q;
  // Words of a packet were taken, and its last one was not.
  logic packet_q;

  assign ready_o = !second_valid_q;
  assign word = {last_i, user_i, data_i};
  always_comb begin
    abort_word = '0;
    abort_word.last = 1'b1;
    abort_word.user = AbortUser;
  end

  logic pushed, taken, abort;
  assign pushed = valid_i && ready_o && !clear_i;
  assign taken = head_valid_q && tready_i;
  assign abort = clear_i && (head_valid_q ? !head_q.last : packet_q);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) packet_q <= 1'b0;
    else if (taken) packet_q <= !head_q.last;
  end

  // What comes behind the word that is offered: an abort word, none after a clear without one, or
  // what is in the second place or at the input.
  logic next_valid;
  word_t next;
  always_comb begin
    next_valid = second_valid_q || pushed;
    next = second_valid_q ? second_q : (pushed ? word : '0);
    if (clear_i) begin
      next_valid = abort;
      next = abort ? abort_word : '0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      head_valid_q <= 1'b0;
      second_valid_q <= 1'b0;
      head_q <= '0;
      second_q <= '0;
    end else if (head_valid_q && !tready_i) begin
      second_valid_q <= next_valid;
      second_q <= next;
    end else begin
      head_valid_q <= next_valid;
      head_q <= next;
      second_valid_q <= 1'b0;
      second_q <= '0;
    end
  end

  assign tvalid_o = head_valid_q;
  assign tdata_o = head_q.data;
  assign tuser_o = head_q.user;
  assign tlast_o = head_q.last;
  assign open_o = packet_q || head_valid_q;

`ifndef SYNTHESIS
  acclmt_handshake_checks #(.Width(Width + UserWidth + 1)) u_checks (
    .clk_i,
    .rst_ni,
    .valid_i(tvalid_o),
    .ready_i(tready_i),
    .payload_i({tlast_o, tuser_o, tdata_o})
  );

  // The packet that the bus has seen, or been offered, the beginning of; a clear ended it.
  logic offered_open, must_end_q;
  assign offered_open = head_valid_q ? !head_q.last : packet_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) must_end_q <= 1'b0;
    else if (clear_i) must_end_q <= offered_open;
    else if (taken && head_q.last) must_end_q <= 1'b0;
  end

  logic places_in_order, places_hold_zero, abort_waits;
  assign places_in_order = head_valid_q || !second_valid_q;
  assign places_hold_zero =
      (head_valid_q || head_q == '0) && (second_valid_q || second_q == '0);
  // After a clear in a packet its end is due, behind one word at most, and nothing else.
  assign abort_waits =
      !must_end_q || (head_valid_q && head_q == abort_word) ||
      (head_valid_q && !head_q.last && second_valid_q && second_q == abort_word);
  places_in_order_a : assert property (@(posedge clk_i) disable iff (!rst_ni) places_in_order)
  else $error("acclmt_stream_output: a word waits behind an empty place");
  places_hold_zero_a : assert property (@(posedge clk_i) disable iff (!rst_ni) places_hold_zero)
  else $error("acclmt_stream_output: a place without a word is not zero");
  abort_waits_a : assert property (@(posedge clk_i) disable iff (!rst_ni) abort_waits)
  else $error("acclmt_stream_output: the packet of an aborted run does not end");

`ifdef FORMAL
  // For any n: word n of those that came in without a clear goes out as word n.
  (* anyconst *) logic [7:0] chosen;
  logic [7:0] in_q, out_q;
  word_t chosen_word_q;
  // There was a clear.
  logic cleared_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      in_q <= '0;
      out_q <= '0;
      cleared_q <= 1'b0;
    end else begin
      in_q <= in_q + 8'(pushed);
      out_q <= out_q + 8'(taken);
      cleared_q <= cleared_q || clear_i;
    end
  end
  always_ff @(posedge clk_i) begin
    if (pushed && in_q == chosen) chosen_word_q <= word;
  end
  logic in_order;
  assign in_order =
      cleared_q ||
      (in_q - out_q == 8'(head_valid_q) + 8'(second_valid_q) &&
       (!(head_valid_q && out_q == chosen) || head_q == chosen_word_q) &&
       (!(second_valid_q && out_q + 8'd1 == chosen) || second_q == chosen_word_q));
  in_order_a : assert property (@(posedge clk_i) disable iff (!rst_ni) in_order);
`else
  known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !$isunknown({valid_i, clear_i, tready_i}))
  else $error("acclmt_stream_output: a handshake or a clear is unknown");
  abort_behind_word_c : cover property (@(posedge clk_i) abort && head_valid_q && !tready_i);
  abort_after_word_c : cover property (@(posedge clk_i) abort && !head_valid_q);
  clear_with_last_c : cover property (@(posedge clk_i) clear_i && head_valid_q && !abort);
  full_c : cover property (@(posedge clk_i) valid_i && !ready_o);
`endif
`endif

endmodule

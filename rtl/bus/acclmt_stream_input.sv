// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Input of a run from AXI4-Stream: a packet is the input of one run, and its last word has TLAST.
///
/// TREADY is low but from a start to the word with TLAST, so that the packet of the next run waits
/// outside whatever becomes of this one. How many words a run takes is for the core to know; here
/// it shows whether the packet has as many:
///
/// - too few: the core waits for a word after the one with TLAST. `early_last_o`; the run gets no
///   word of another packet, and waits for a clear.
/// - too many: the run ends and the word with TLAST was not taken. `late_last_o`; what is left of
///   the packet is discarded, up to the word with TLAST. The run's last word must be marked as
///   void, because `void_o` is high with it.
/// - TKEEP of a word is not all ones: `partial_word_o`, and `void_o` until the run ends. Words are
///   whole field elements; the word is taken as it stands.
///
/// A clear drops the words in here and shuts the input. What is left of the packet of a run that it
/// ended stays outside: `discard_i` drops what comes up to the next word with TLAST.
///
/// Handshake:  ready/valid on both sides; every output to the bus comes from registers alone.
///             Commands last one cycle. A place without a word holds zero.
/// Latency:    one cycle. Throughput: one word a cycle. Capacity: two words.
module acclmt_stream_input #(
  /// Bits of a word, whole bytes.
  parameter int unsigned Width = acclmt_pkg::WordWidth,
  /// Whether the source takes back a word that waits when the input is shut, as the buffer of a
  /// clock crossing does. It is no bus then.
  parameter bit Withdraws = 1'b0
) (
  /// Clock and asynchronous reset.
  input logic clk_i,
  input logic rst_ni,
  /// A run starts; everything is forgotten; the last word of a run leaves the core.
  input logic start_i,
  input logic clear_i,
  input logic run_done_i,
  /// Discards what comes up to the next word with TLAST; ends that.
  input logic discard_i,
  input logic keep_i,
  /// AXI4-Stream.
  input logic tvalid_i,
  output logic tready_o,
  input logic [Width-1:0] tdata_i,
  input logic [Width/8-1:0] tkeep_i,
  input logic tlast_i,
  /// The core.
  output logic valid_o,
  input logic ready_i,
  output logic [Width-1:0] data_o,
  /// Words are taken for a run; words are discarded; as things are, the run is void.
  output logic open_o,
  output logic discarding_o,
  output logic void_o,
  /// Events of one cycle.
  output logic early_last_o,
  output logic late_last_o,
  output logic partial_word_o
);

  if (Width < 8 || Width % 8 != 0) begin : gen_illegal_width
    $error("acclmt_stream_input: Width = %0d is not a whole number of bytes", Width);
  end

  // The packet of the run: it is taken, its word with TLAST is in here, the core has that word.
  logic open_q, last_inside_q, last_taken_q;
  logic discard_q, partial_q, early_q;
  logic head_valid_q, second_valid_q, head_last_q, second_last_q;
  logic [Width-1:0] head_q, second_q;

  logic accepted, pushed, taken, drop, packet_ends;
  assign tready_o = discard_q || (open_q && !second_valid_q);
  assign accepted = tvalid_i && tready_o;
  assign packet_ends = accepted && tlast_i;
  assign pushed = accepted && !discard_q;
  assign taken = head_valid_q && ready_i;

  assign late_last_o = run_done_i && !last_taken_q && !clear_i;
  assign early_last_o = last_taken_q && ready_i && !early_q && !clear_i;
  assign partial_word_o = pushed && tkeep_i != '1 && !clear_i;
  assign drop = clear_i || late_last_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      open_q <= 1'b0;
      discard_q <= 1'b0;
      last_inside_q <= 1'b0;
      last_taken_q <= 1'b0;
      partial_q <= 1'b0;
      early_q <= 1'b0;
    end else begin
      if (clear_i || run_done_i || (pushed && tlast_i)) open_q <= 1'b0;
      else if (start_i) open_q <= !last_inside_q;

      if (clear_i) discard_q <= 1'b0;
      else if (discard_i) discard_q <= 1'b1;
      else if (keep_i) discard_q <= 1'b0;
      else if (late_last_o) discard_q <= !last_inside_q && !packet_ends;
      else if (packet_ends) discard_q <= 1'b0;

      if (drop || (taken && head_last_q)) last_inside_q <= 1'b0;
      else if (pushed && tlast_i) last_inside_q <= 1'b1;
      if (clear_i || run_done_i) last_taken_q <= 1'b0;
      else if (taken && head_last_q) last_taken_q <= 1'b1;
      if (clear_i || run_done_i) early_q <= 1'b0;
      else if (early_last_o) early_q <= 1'b1;
      if (clear_i || run_done_i) partial_q <= 1'b0;
      else if (partial_word_o) partial_q <= 1'b1;
    end
  end

  // ---- Two places -------------------------------------------------------------------------------

  logic to_head, to_second;
  assign to_head = pushed && (!head_valid_q || taken);
  assign to_second = pushed && !to_head;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      head_valid_q <= 1'b0;
      second_valid_q <= 1'b0;
      head_last_q <= 1'b0;
      second_last_q <= 1'b0;
      head_q <= '0;
      second_q <= '0;
    end else if (drop) begin
      head_valid_q <= 1'b0;
      second_valid_q <= 1'b0;
      head_last_q <= 1'b0;
      second_last_q <= 1'b0;
      head_q <= '0;
      second_q <= '0;
    end else begin
      if (to_head) begin
        head_valid_q <= 1'b1;
        head_last_q <= tlast_i;
        head_q <= tdata_i;
      end else if (taken) begin
        head_valid_q <= second_valid_q;
        head_last_q <= second_last_q;
        head_q <= second_q;
      end
      if (to_second) begin
        second_valid_q <= 1'b1;
        second_last_q <= tlast_i;
        second_q <= tdata_i;
      end else if (taken) begin
        second_valid_q <= 1'b0;
        second_last_q <= 1'b0;
        second_q <= '0;
      end
    end
  end

  assign valid_o = head_valid_q;
  assign data_o = head_q;
  assign open_o = open_q;
  assign discarding_o = discard_q;
  assign void_o = !last_taken_q || partial_q;

`ifndef SYNTHESIS
  if (!Withdraws) begin : gen_bus
    acclmt_handshake_checks #(.Width(Width + Width / 8 + 1), .Driven(1'b1)) u_checks (
      .clk_i,
      .rst_ni,
      .valid_i(tvalid_i),
      .ready_i(tready_o),
      .payload_i({tlast_i, tkeep_i, tdata_i})
    );
  end else begin : gen_buffer
    // A word that waits stays and does not change, unless the input is shut.
    logic offered_q, source_stays;
    logic [Width+Width/8:0] offered_word_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) offered_q <= 1'b0;
      else offered_q <= tvalid_i && !tready_o;
    end
    always_ff @(posedge clk_i) offered_word_q <= {tlast_i, tkeep_i, tdata_i};
    assign source_stays = !offered_q || !(open_q || discard_q) ||
                          (tvalid_i && {tlast_i, tkeep_i, tdata_i} == offered_word_q);
    source_stays_a : assert property (@(posedge clk_i) disable iff (!rst_ni) source_stays)
    else $error("acclmt_stream_input: a word was taken back or changed before it was taken");
  end

  // The core's side: a word waits unchanged but for a clear.
  logic waits_q;
  logic [Width-1:0] waiting_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) waits_q <= 1'b0;
    else waits_q <= valid_o && !ready_i && !drop;
  end
  always_ff @(posedge clk_i) waiting_q <= data_o;

  // Words that went in and not out, of the run's packet and none behind its last.
  logic [1:0] inside_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) inside_q <= '0;
    else if (drop) inside_q <= '0;
    else inside_q <= inside_q + 2'(pushed) - 2'(taken);
  end

  logic word_stays, words_kept, places_hold_zero, last_is_last, shut_behind_last;
  assign word_stays = !waits_q || (valid_o && data_o == waiting_q);
  assign words_kept = inside_q == 2'(head_valid_q) + 2'(second_valid_q) &&
                      (head_valid_q || !second_valid_q);
  assign places_hold_zero = (head_valid_q || (head_q == '0 && !head_last_q)) &&
                            (second_valid_q || (second_q == '0 && !second_last_q));
  assign last_is_last = last_inside_q == (head_last_q || second_last_q) &&
                        !(head_last_q && second_valid_q);
  assign shut_behind_last = !(last_inside_q && open_q);
  word_stays_a : assert property (@(posedge clk_i) disable iff (!rst_ni) word_stays)
  else $error("acclmt_stream_input: a word changed before the core took it");
  words_kept_a : assert property (@(posedge clk_i) disable iff (!rst_ni) words_kept)
  else $error("acclmt_stream_input: a word was lost or doubled");
  places_hold_zero_a : assert property (@(posedge clk_i) disable iff (!rst_ni) places_hold_zero)
  else $error("acclmt_stream_input: a place without a word is not zero");
  last_is_last_a : assert property (@(posedge clk_i) disable iff (!rst_ni) last_is_last)
  else $error("acclmt_stream_input: a word is behind the last word of a packet");
  shut_behind_last_a : assert property (@(posedge clk_i) disable iff (!rst_ni) shut_behind_last)
  else $error("acclmt_stream_input: the input is open behind the last word of a packet");

`ifdef FORMAL
  // For any n: word n of those that went in since the places were last emptied comes out as word n.
  (* anyconst *) logic [7:0] chosen;
  logic [7:0] in_q, out_q;
  logic [Width:0] chosen_word_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      in_q <= '0;
      out_q <= '0;
    end else if (drop) begin
      in_q <= '0;
      out_q <= '0;
    end else begin
      in_q <= in_q + 8'(pushed);
      out_q <= out_q + 8'(taken);
    end
  end
  always_ff @(posedge clk_i) begin
    if (pushed && in_q == chosen) chosen_word_q <= {tlast_i, tdata_i};
  end
  logic in_order;
  assign in_order =
      in_q - out_q == 8'(inside_q) &&
      (!(head_valid_q && out_q == chosen) || {head_last_q, head_q} == chosen_word_q) &&
      (!(second_valid_q && out_q + 8'd1 == chosen) ||
       {second_last_q, second_q} == chosen_word_q);
  in_order_a : assert property (@(posedge clk_i) disable iff (!rst_ni) in_order);
`else
  known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !$isunknown({start_i, clear_i, run_done_i, discard_i, keep_i, ready_i}))
  else $error("acclmt_stream_input: a command or a handshake is unknown");
  late_and_inside_c : cover property (@(posedge clk_i) late_last_o && last_inside_q);
  late_and_ends_c : cover property (@(posedge clk_i) late_last_o && packet_ends);
  late_c : cover property (@(posedge clk_i) late_last_o && !last_inside_q && !packet_ends);
  early_c : cover property (@(posedge clk_i) early_last_o);
  partial_c : cover property (@(posedge clk_i) partial_word_o);
  clear_with_words_c : cover property (@(posedge clk_i) clear_i && second_valid_q);
  discarded_c : cover property (@(posedge clk_i) discard_q && packet_ends);
  full_c : cover property (@(posedge clk_i) tvalid_i && open_q && second_valid_q);
`endif
`endif

endmodule

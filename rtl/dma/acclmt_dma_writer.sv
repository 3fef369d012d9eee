// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Writes words one behind the other to memory, over the write channels of AXI4.
///
/// An area begins with `start_i` and ends with a word that has `last_i`. Words wait in a buffer
/// until a burst is whole: one that ends with a multiple of `BurstBytes`, or with the area. So data
/// follow one another without a pause, whoever is late with the words. Addresses and data of a
/// burst do not wait for each other. All bursts have one ID.
///
/// Handshake:  words: ready/valid. `start_i` lasts one cycle, and comes while `idle_o` is high.
///             `flush_i` lasts one cycle: bursts that have begun are finished, the rest is dropped;
///             until `flushed_o` is high again this goes on and the buffer is wiped. While
///             `hold_i` is high no burst begins; a flush follows.
/// Latency:    5 cycles from the last word of a burst to AWVALID. Throughput: one word a cycle but
///             for 2 cycles of each burst.
module acclmt_dma_writer #(
  /// Bits of a beat, 256 or 512.
  parameter int unsigned DataWidth = 256,
  /// Bytes of the longest burst, a power of two.
  parameter int unsigned BurstBytes = 1024,
  /// Whether memories keep parity, see acclmt_memory.
  parameter bit MemoryParity = 1'b0
) (
  /// Clock and asynchronous reset.
  input logic clk_i,
  input logic rst_ni,
  /// Configuration of the memory, see acclmt_memory_pkg; quasi-static.
  input acclmt_memory_pkg::memory_config_t memory_config_i,
  /// Forgets what has not begun; it is forgotten.
  input logic flush_i,
  output logic flushed_o,
  /// Everything is to end: bursts that wait do not begin.
  input logic hold_i,
  /// An area begins: number of its first word in memory.
  input logic start_i,
  input logic [acclmt_dma_pkg::IndexWidth-1:0] index_i,
  /// Words of the area.
  input logic valid_i,
  output logic ready_o,
  input logic [acclmt_dma_pkg::WordWidth-1:0] data_i,
  input logic last_i,
  /// Everything that was begun was answered; a burst of the area was answered with an error, or a
  /// bit of its words has changed in the buffer.
  output logic idle_o,
  output logic error_o,
  /// AXI4: address, data and answer of writes.
  output logic awvalid_o,
  input logic awready_i,
  output logic [acclmt_dma_pkg::AddressWidth-1:0] awaddr_o,
  output logic [7:0] awlen_o,
  output logic wvalid_o,
  input logic wready_i,
  output logic [DataWidth-1:0] wdata_o,
  output logic [DataWidth/8-1:0] wstrb_o,
  output logic wlast_o,
  input logic bvalid_i,
  output logic bready_o,
  input logic [1:0] bresp_i
);

  localparam int unsigned WordWidth = acclmt_dma_pkg::WordWidth;
  localparam int unsigned IndexWidth = acclmt_dma_pkg::IndexWidth;
  localparam int unsigned AddressWidth = acclmt_dma_pkg::AddressWidth;
  localparam int unsigned BeatsWidth = acclmt_dma_pkg::BeatsWidth;
  // Not 0, so that an illegal DataWidth is what is told of.
  localparam int unsigned BeatWords = (DataWidth < WordWidth) ? 1 : DataWidth / WordWidth;
  localparam int unsigned BurstWords = BurstBytes * 8 / WordWidth;
  localparam int unsigned BurstIndexWidth = $clog2(BurstWords);
  localparam int unsigned Depth = 2 * BurstWords / BeatWords;
  localparam int unsigned BeatBits = $clog2(DataWidth / 8);
  localparam int unsigned IndexBits = BeatBits - $clog2(WordWidth / 8);
  // Bursts that wait for their answers.
  localparam int unsigned MostOutstanding = 7;

  // ---- Beats ------------------------------------------------------------------------------------

  // A beat with the words of it that are written.
  typedef struct packed {
    logic [BeatWords-1:0] words;
    logic [DataWidth-1:0] data;
  } beat_t;

  logic [IndexWidth-1:0] index_q;
  logic [DataWidth-1:0] gathered;
  logic [BeatWords-1:0] gathered_words;
  logic taken, beat_ends, burst_ends, room, flushing, begun_q;
  assign ready_o = room && begun_q && !flushing;
  assign taken = valid_i && ready_o;
  assign burst_ends = last_i || index_q[BurstIndexWidth-1:0] == '1;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      index_q <= '0;
      begun_q <= 1'b0;
    end else if (start_i) begin
      index_q <= index_i;
      begun_q <= 1'b1;
    end else if (flush_i) begin
      begun_q <= 1'b0;
    end else if (taken) begin
      index_q <= index_q + 1'b1;
      begun_q <= !last_i;
    end
  end

  if (BeatWords == 1) begin : gen_single
    assign beat_ends = 1'b1;
    assign gathered = data_i;
    assign gathered_words = '1;
  end else begin : gen_pairs
    // The lower word of a beat waits for the upper one.
    logic lower_valid_q;
    logic [WordWidth-1:0] lower_q;
    assign beat_ends = index_q[0] || last_i;
    assign gathered = index_q[0] ? {data_i, lower_q} : {WordWidth'(0), data_i};
    assign gathered_words = {index_q[0], lower_valid_q || !index_q[0]};
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        lower_valid_q <= 1'b0;
        lower_q <= '0;
      end else if (flushing || start_i || (taken && beat_ends)) begin
        lower_valid_q <= 1'b0;
        lower_q <= '0;
      end else if (taken) begin
        lower_valid_q <= 1'b1;
        lower_q <= data_i;
      end
    end
  end

  // ---- Bursts that are whole --------------------------------------------------------------------

  typedef struct packed {
    logic [IndexWidth-1:0] index;
    logic [BeatsWidth-1:0] beats;
  } burst_t;

  burst_t waiting_q, issue;
  logic waiting_valid_q, issue_ready;
  // Of the burst that is gathered: beats so far, and number of its first word.
  logic [BeatsWidth-1:0] beats_q;
  logic [IndexWidth-1:0] first_q;
  logic first_word_q, burst_done;
  assign burst_done = taken && burst_ends;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      beats_q <= '0;
      first_q <= '0;
      first_word_q <= 1'b1;
      waiting_valid_q <= 1'b0;
    end else if (flushing || start_i) begin
      beats_q <= '0;
      first_word_q <= 1'b1;
      if (flushing) waiting_valid_q <= 1'b0;
    end else begin
      if (taken) begin
        beats_q <= burst_ends ? '0 : beats_q + BeatsWidth'(beat_ends);
        first_word_q <= burst_ends;
        if (first_word_q) first_q <= index_q;
      end
      if (burst_done) waiting_valid_q <= 1'b1;
      else if (issue_ready) waiting_valid_q <= 1'b0;
    end
  end
  always_ff @(posedge clk_i) begin
    if (burst_done) begin
      waiting_q.index <= first_word_q ? index_q : first_q;
      waiting_q.beats <= beats_q + BeatsWidth'(1);
    end
  end
  assign issue = waiting_q;

  beat_t beat;
  logic beat_ready, beat_valid, buffer_ready, buffer_fault, on_bus;
  assign flushed_o = !flushing;
  acclmt_dma_buffer #(
    .Width(DataWidth + BeatWords),
    .Depth(Depth),
    .MemoryParity(MemoryParity)
  ) u_buffer (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .memory_fault_o(buffer_fault),
    .flush_i,
    .quiet_i(!on_bus),
    .flushing_o(flushing),
    .valid_i(taken && beat_ends),
    .ready_o(buffer_ready),
    .data_i({gathered_words, gathered}),
    .valid_o(beat_valid),
    .ready_i(beat_ready),
    .data_o(beat)
  );
  // A burst may end if the one before it has gone.
  assign room = buffer_ready && (!waiting_valid_q || !burst_ends);

  // ---- Bursts on the bus ------------------------------------------------------------------------

  logic awvalid_q, issues, w_done, answered, error_q;
  logic [AddressWidth-1:0] awaddr_q;
  logic [7:0] awlen_q;
  logic [BeatsWidth-1:0] w_left_q;
  logic [2:0] outstanding_q;
  assign w_done = wvalid_o && wready_i;
  assign answered = bvalid_i;
  assign issue_ready = !awvalid_q && w_left_q == '0 &&
                       outstanding_q != 3'(MostOutstanding) && !flushing && !hold_i;
  assign issues = waiting_valid_q && issue_ready;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      awvalid_q <= 1'b0;
      w_left_q <= '0;
      outstanding_q <= '0;
      error_q <= 1'b0;
    end else begin
      if (issues) awvalid_q <= 1'b1;
      else if (awready_i) awvalid_q <= 1'b0;
      if (issues) w_left_q <= issue.beats;
      else if (w_done) w_left_q <= w_left_q - 1'b1;
      outstanding_q <= outstanding_q + 3'(issues) - 3'(answered);
      if (start_i) error_q <= 1'b0;
      else if (answered && bresp_i[acclmt_dma_pkg::RespErrorBit]) error_q <= 1'b1;
      else if (buffer_fault) error_q <= 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (issues) begin
      awaddr_q <= '0;
      awaddr_q[AddressWidth-1:BeatBits] <= issue.index[IndexWidth-1:IndexBits];
      awlen_q <= issue.beats - 8'd1;
    end
  end
  assign awvalid_o = awvalid_q;
  assign awaddr_o = awaddr_q;
  assign awlen_o = awlen_q;
  assign wvalid_o = w_left_q != '0 && beat_valid;
  assign wdata_o = beat.data;
  for (genvar i = 0; i < BeatWords; i++) begin : gen_strobes
    assign wstrb_o[i*WordWidth/8+:WordWidth/8] = {(WordWidth / 8) {beat.words[i]}};
  end
  assign wlast_o = w_left_q == BeatsWidth'(1);
  assign beat_ready = w_left_q != '0 && wready_i;
  assign bready_o = 1'b1;

  assign on_bus = awvalid_q || w_left_q != '0 || outstanding_q != '0;
  assign idle_o = !begun_q && !waiting_valid_q && !on_bus && !flushing;
  assign error_o = error_q;

  logic unused_bits;
  assign unused_bits = ^{bresp_i, issue.index};

`ifndef SYNTHESIS
  logic address_taken, data_taken;
  logic [7:0] length_taken, beat_taken, bursts_taken;
  acclmt_axi_write_checks #(
    .DataWidth(DataWidth),
    .AddressWidth(AddressWidth),
    .MostOutstanding(MostOutstanding)
  ) u_checks (
    .clk_i,
    .rst_ni,
    .awvalid_i(awvalid_o),
    .awready_i,
    .awaddr_i(awaddr_o),
    .awlen_i(awlen_o),
    .wvalid_i(wvalid_o),
    .wready_i,
    .wdata_i(wdata_o),
    .wstrb_i(wstrb_o),
    .wlast_i(wlast_o),
    .bvalid_i,
    .bready_i(bready_o),
    .bresp_i,
    .address_taken_o(address_taken),
    .length_o(length_taken),
    .beat_o(beat_taken),
    .data_taken_o(data_taken),
    .outstanding_o(bursts_taken)
  );

  // What the bus has seen of a burst is what is known of it here.
  logic burst_kept, bursts_kept, length_kept;
  assign burst_kept = (awvalid_q || w_left_q != '0) ?
      (data_taken == (w_left_q == '0) && address_taken == !awvalid_q) :
      (!data_taken && !address_taken);
  assign bursts_kept =
      8'(outstanding_q) == bursts_taken + 8'(awvalid_q || w_left_q != '0);
  assign length_kept =
      (w_left_q == '0) ? beat_taken == '0 :
      (w_left_q <= awlen_q + 8'd1 && beat_taken == awlen_q + 8'd1 - w_left_q &&
       (!address_taken || length_taken == awlen_q));
  burst_kept_a : assert property (@(posedge clk_i) disable iff (!rst_ni) burst_kept)
  else $error("acclmt_dma_writer: a burst on the bus is another");
  bursts_kept_a : assert property (@(posedge clk_i) disable iff (!rst_ni) bursts_kept)
  else $error("acclmt_dma_writer: a burst was lost or doubled");
  length_kept_a : assert property (@(posedge clk_i) disable iff (!rst_ni) length_kept)
  else $error("acclmt_dma_writer: beats of a burst were lost or doubled");

  // No burst begins while they are held.
  logic held_q, address_q, holds;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      held_q <= 1'b0;
      address_q <= 1'b0;
    end else begin
      held_q <= hold_i;
      address_q <= awvalid_q && !awready_i;
    end
  end
  assign holds = !(held_q && awvalid_q && !address_q);
  holds_a : assert property (@(posedge clk_i) disable iff (!rst_ni) holds)
  else $error("acclmt_dma_writer: a burst begins when everything is to end");

  // A burst is within a multiple of BurstBytes: the one on the bus, the one that waits, and the one
  // that is gathered.
  localparam int unsigned BurstBeats = BurstWords / BeatWords;
  logic bus_within, waiting_within, gathered_within;
  logic [31:0] bus_first, waiting_first, gathered_first;
  assign bus_first = 32'(awaddr_q) / (DataWidth / 8) % BurstBeats;
  assign waiting_first = 32'(waiting_q.index) % BurstWords / BeatWords;
  assign gathered_first = 32'(first_q) % BurstWords / BeatWords;
  assign bus_within = !awvalid_q || (bus_first + 32'(awlen_q) < BurstBeats &&
                                     32'(awaddr_q) % (DataWidth / 8) == 0);
  assign waiting_within = !waiting_valid_q || (waiting_q.beats != '0 &&
                                               waiting_first + 32'(waiting_q.beats) <= BurstBeats);
  assign gathered_within =
      !begun_q || (first_word_q && beats_q == '0) ||
      (!first_word_q &&
       gathered_first + 32'(beats_q) == 32'(index_q) % BurstWords / BeatWords &&
       index_q[IndexWidth-1:BurstIndexWidth] == first_q[IndexWidth-1:BurstIndexWidth]);
  bus_within_a : assert property (@(posedge clk_i) disable iff (!rst_ni) bus_within)
  else $error("acclmt_dma_writer: a burst on the bus crosses a multiple of BurstBytes");
  waiting_within_a : assert property (@(posedge clk_i) disable iff (!rst_ni) waiting_within)
  else $error("acclmt_dma_writer: a burst that waits crosses a multiple of BurstBytes");
  gathered_within_a : assert property (@(posedge clk_i) disable iff (!rst_ni) gathered_within)
  else $error("acclmt_dma_writer: the beats of a burst are not those of its words");

  logic starts_idle;
  assign starts_idle = !start_i || idle_o;
`ifdef FORMAL
  starts_idle_a : assume property (@(posedge clk_i) disable iff (!rst_ni) starts_idle);
`else
  starts_idle_a : assert property (@(posedge clk_i) disable iff (!rst_ni) starts_idle)
  else $error("acclmt_dma_writer: an area begins before the one before has ended");
  known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !$isunknown({flush_i, hold_i, start_i, valid_i, awready_i, wready_i, bvalid_i}))
  else $error("acclmt_dma_writer: a handshake or a command is unknown");
  data_first_c : cover property (@(posedge clk_i) awvalid_q && w_left_q == '0);
  address_first_c : cover property (@(posedge clk_i) !awvalid_q && wvalid_o && !wready_i);
  burst_waits_c : cover property (@(posedge clk_i) waiting_valid_q && !issue_ready);
  outstanding_c : cover property (@(posedge clk_i) outstanding_q == 3'(MostOutstanding));
  error_c : cover property (@(posedge clk_i) error_q);
  held_c : cover property (@(posedge clk_i) hold_i && waiting_valid_q && w_left_q == '0);
  flush_in_burst_c : cover property (@(posedge clk_i) flush_i && w_left_q != '0);
`endif
`endif

endmodule

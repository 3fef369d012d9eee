// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Reads memory over the read channels of AXI4: descriptors, which are kept beside, and input,
/// which comes out as the packets of runs.
///
/// A burst of input is asked for when the buffer has room for it, so RREADY is always high. All
/// requests have one ID: what comes back is in order.
///
/// Handshake:  bursts: ready/valid. Packets: ready/valid; `tvalid_o` is low while `open_i` is, and
///             before a word that was read with an error: `error_o` is high then. `flush_i` lasts
///             one cycle and forgets everything; until `flushed_o` is high again answers of the bus
///             are dropped, and the buffer is wiped. `flush_i` has to come with the flush of the
///             source of the bursts.
/// Latency:    one cycle from a burst to ARVALID, 3 cycles from RVALID to a word. Throughput: one
///             word a cycle.
module acclmt_dma_reader #(
  /// Bits of a beat, 256 or 512.
  parameter int unsigned DataWidth = 256,
  /// Bytes of the longest burst, a power of two.
  parameter int unsigned BurstBytes = 1024,
  /// Bursts on their way, a power of two and at least 2; the buffer has room for so many.
  parameter int unsigned Bursts = 16,
  /// Whether memories keep parity, see acclmt_memory.
  parameter bit MemoryParity = 1'b0
) (
  /// Clock and asynchronous reset.
  input logic clk_i,
  input logic rst_ni,
  /// Configuration of the memory, see acclmt_memory_pkg; quasi-static.
  input acclmt_memory_pkg::memory_config_t memory_config_i,
  /// Forgets everything; it is forgotten.
  input logic flush_i,
  output logic flushed_o,
  /// Bursts: number of the first word, words, beats; for a descriptor; the last of an input.
  input logic burst_valid_i,
  output logic burst_ready_o,
  input logic [acclmt_dma_pkg::IndexWidth-1:0] burst_index_i,
  input logic [acclmt_dma_pkg::BeatsWidth-1:0] burst_words_i,
  input logic [acclmt_dma_pkg::BeatsWidth-1:0] burst_beats_i,
  input logic burst_descriptor_i,
  input logic burst_last_i,
  /// A descriptor has come, or an error instead. It stays until the next one comes.
  output logic descriptor_valid_o,
  output logic descriptor_error_o,
  output logic [acclmt_dma_pkg::DescriptorWords*acclmt_dma_pkg::WordWidth-1:0] descriptor_o,
  /// The packet of the run that comes next: it may go, until its run has ended; its first word is
  /// here; a word of it could not be read. What is here of the packet behind it is not told of
  /// before `open_i` has fallen.
  input logic open_i,
  output logic waiting_o,
  output logic error_o,
  output logic tvalid_o,
  input logic tready_i,
  output logic [acclmt_dma_pkg::WordWidth-1:0] tdata_o,
  output logic tlast_o,
  /// AXI4: address and data of reads.
  output logic arvalid_o,
  input logic arready_i,
  output logic [acclmt_dma_pkg::AddressWidth-1:0] araddr_o,
  output logic [7:0] arlen_o,
  input logic rvalid_i,
  output logic rready_o,
  input logic [DataWidth-1:0] rdata_i,
  input logic [1:0] rresp_i,
  input logic rlast_i
);

  if (Bursts < 2 || (Bursts & (Bursts - 1)) != 0) begin : gen_illegal_bursts
    $error("acclmt_dma_reader: Bursts = %0d is not a power of two and at least 2", Bursts);
  end

  localparam int unsigned WordWidth = acclmt_dma_pkg::WordWidth;
  localparam int unsigned AddressWidth = acclmt_dma_pkg::AddressWidth;
  localparam int unsigned IndexWidth = acclmt_dma_pkg::IndexWidth;
  // Not 0, so that an illegal DataWidth is what is told of.
  localparam int unsigned BeatWords = (DataWidth < WordWidth) ? 1 : DataWidth / WordWidth;
  localparam int unsigned Depth = Bursts * BurstBytes * 8 / DataWidth;
  localparam int unsigned CreditWidth = $clog2(Depth + 1);
  localparam int unsigned PlaceWidth = $clog2(Bursts);
  localparam int unsigned BeatBits = $clog2(DataWidth / 8);

  // ---- Requests ---------------------------------------------------------------------------------

  // What is known of a burst on its way: for a descriptor, the last of an input, the words before
  // it and behind it in its first and its last beat are none of it.
  logic [Bursts-1:0] descriptor_place_q, last_place_q, skip_first_place_q, skip_last_place_q;
  logic burst_descriptor, burst_last, burst_skip_first, burst_skip_last;

  logic arvalid_q, flushing, ask, burst_ends, taken;
  logic [AddressWidth-1:0] araddr_q;
  logic [7:0] arlen_q;
  logic [CreditWidth-1:0] free_q;
  logic [PlaceWidth-1:0] ask_place_q, answer_place_q;
  logic [PlaceWidth:0] outstanding_q;

  assign burst_ready_o = (!arvalid_q || arready_i) && outstanding_q != (PlaceWidth + 1)'(Bursts) &&
                         (burst_descriptor_i || free_q >= CreditWidth'(burst_beats_i)) && !flushing;
  assign ask = burst_valid_i && burst_ready_o;
  assign burst_ends = rvalid_i && rlast_i;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      arvalid_q <= 1'b0;
      outstanding_q <= '0;
      ask_place_q <= '0;
      answer_place_q <= '0;
      free_q <= CreditWidth'(Depth);
    end else begin
      if (ask) arvalid_q <= 1'b1;
      else if (arready_i) arvalid_q <= 1'b0;
      if (ask) ask_place_q <= ask_place_q + 1'b1;
      if (burst_ends) answer_place_q <= answer_place_q + 1'b1;
      outstanding_q <= outstanding_q + (PlaceWidth + 1)'(ask) - (PlaceWidth + 1)'(burst_ends);
      if (flushing) begin
        free_q <= CreditWidth'(Depth);
      end else begin
        free_q <= free_q + CreditWidth'(taken) -
                  ((ask && !burst_descriptor_i) ? CreditWidth'(burst_beats_i) : '0);
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (ask) begin
      araddr_q <= '0;
      araddr_q[AddressWidth-1:BeatBits] <=
          burst_index_i[IndexWidth-1:BeatBits-$clog2(WordWidth/8)];
      arlen_q <= burst_beats_i - 8'd1;
      descriptor_place_q[ask_place_q] <= burst_descriptor_i;
      last_place_q[ask_place_q] <= burst_last_i;
      skip_first_place_q[ask_place_q] <= BeatWords == 2 && burst_index_i[0];
      skip_last_place_q[ask_place_q] <= BeatWords == 2 && (burst_index_i[0] ^ burst_words_i[0]);
    end
  end
  assign arvalid_o = arvalid_q;
  assign araddr_o = araddr_q;
  assign arlen_o = arlen_q;
  assign rready_o = 1'b1;
  assign burst_descriptor = descriptor_place_q[answer_place_q];
  assign burst_last = last_place_q[answer_place_q];
  assign burst_skip_first = skip_first_place_q[answer_place_q];
  assign burst_skip_last = skip_last_place_q[answer_place_q];

  logic unused_bits;
  assign unused_bits = ^{burst_index_i, burst_words_i, rresp_i};

  // ---- Answers ----------------------------------------------------------------------------------

  logic first_beat_q, error;
  assign error = rresp_i[acclmt_dma_pkg::RespErrorBit];
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) first_beat_q <= 1'b1;
    else if (rvalid_i) first_beat_q <= rlast_i;
  end

  // The last beat of a descriptor is its upper one; with one beat it is all of it.
  localparam int unsigned DescriptorWidth = acclmt_dma_pkg::DescriptorWords * WordWidth;
  logic descriptor_valid_q, descriptor_error_q;
  logic [DescriptorWidth-1:0] descriptor_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) descriptor_valid_q <= 1'b0;
    else descriptor_valid_q <= burst_ends && burst_descriptor && !flushing && !flush_i;
  end
  if (BeatWords == 1) begin : gen_two_beats
    always_ff @(posedge clk_i) begin
      if (rvalid_i && burst_descriptor) begin
        descriptor_q <= {rdata_i, descriptor_q[DescriptorWidth-1:WordWidth]};
        descriptor_error_q <= error || (!first_beat_q && descriptor_error_q);
      end
    end
  end else begin : gen_one_beat
    always_ff @(posedge clk_i) begin
      if (rvalid_i && burst_descriptor) begin
        descriptor_q <= rdata_i;
        descriptor_error_q <= error;
      end
    end
  end
  assign descriptor_valid_o = descriptor_valid_q;
  assign descriptor_error_o = descriptor_error_q;
  assign descriptor_o = descriptor_q;

  // ---- Buffer -----------------------------------------------------------------------------------

  typedef struct packed {
    logic error;
    logic last;
    logic skip_lower;
    logic skip_upper;
    logic [DataWidth-1:0] data;
  } beat_t;

  beat_t in_beat, beat;
  logic beat_valid, beat_ready, buffer_ready, buffer_fault, quiet;
  assign quiet = !arvalid_q && outstanding_q == '0;
  assign flushed_o = !flushing;
  // In the order of beat_t.
  assign in_beat = {
    error, rlast_i && burst_last, first_beat_q && burst_skip_first, rlast_i && burst_skip_last,
    rdata_i
  };
  acclmt_dma_buffer #(
    .Width(DataWidth + 4),
    .Depth(Depth),
    .MemoryParity(MemoryParity)
  ) u_buffer (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .memory_fault_o(buffer_fault),
    .flush_i,
    .quiet_i(quiet),
    .flushing_o(flushing),
    .valid_i(rvalid_i && !burst_descriptor && !flushing),
    .ready_o(buffer_ready),
    .data_i(in_beat),
    .valid_o(beat_valid),
    .ready_i(beat_ready),
    .data_o(beat)
  );

  // ---- Words ------------------------------------------------------------------------------------

  // The packet of the run is through: what is at the head is for the run after it.
  logic ended_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) ended_q <= 1'b0;
    else if (!open_i) ended_q <= 1'b0;
    else if (taken && beat.last) ended_q <= 1'b1;
  end
  // A bit of the beat at the head has changed in the buffer: it is as good as not read.
  logic fault_q, unreadable;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) fault_q <= 1'b0;
    else if (flushing) fault_q <= 1'b0;
    else if (buffer_fault) fault_q <= 1'b1;
  end
  assign unreadable = beat.error || buffer_fault || fault_q;
  assign waiting_o = beat_valid && !unreadable && !ended_q;
  assign error_o = beat_valid && unreadable && !ended_q;
  assign tvalid_o = waiting_o && open_i;
  if (BeatWords == 1) begin : gen_single
    assign tdata_o = beat.data;
    assign tlast_o = beat.last;
    assign beat_ready = tvalid_o && tready_i;
    logic unused_skips;
    assign unused_skips = ^{beat.skip_lower, beat.skip_upper};
  end else begin : gen_pairs
    // The lower word of the beat was taken.
    logic upper_q, upper, ends;
    assign upper = upper_q || beat.skip_lower;
    assign ends = upper || beat.skip_upper;
    assign tdata_o = upper ? beat.data[DataWidth-1:WordWidth] : beat.data[WordWidth-1:0];
    assign tlast_o = beat.last && ends;
    assign beat_ready = tvalid_o && tready_i && ends;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) upper_q <= 1'b0;
      else if (flushing) upper_q <= 1'b0;
      else if (tvalid_o && tready_i) upper_q <= !ends;
    end
  end
  assign taken = beat_valid && beat_ready;

`ifndef SYNTHESIS
  logic [PlaceWidth:0] bursts_taken;
  acclmt_axi_read_checks #(
    .DataWidth(DataWidth),
    .AddressWidth(AddressWidth),
    .MostOutstanding(Bursts)
  ) u_checks (
    .clk_i,
    .rst_ni,
    .arvalid_i(arvalid_o),
    .arready_i,
    .araddr_i(araddr_o),
    .arlen_i(arlen_o),
    .rvalid_i,
    .rready_i(rready_o),
    .rdata_i,
    .rresp_i,
    .rlast_i,
    .outstanding_o(bursts_taken)
  );

  // Every burst that was asked for is on the bus or about to be.
  logic bursts_kept;
  assign bursts_kept = 32'(outstanding_q) == 32'(bursts_taken) + 32'(arvalid_q) &&
                       32'(outstanding_q) <= Bursts;
  bursts_kept_a : assert property (@(posedge clk_i) disable iff (!rst_ni) bursts_kept)
  else $error("acclmt_dma_reader: a burst was lost or doubled");

  // A burst on the bus is within a multiple of BurstBytes.
  localparam int unsigned BurstBeats = BurstBytes * 8 / DataWidth;
  logic bus_within;
  assign bus_within =
      !arvalid_q || (32'(araddr_q) / (DataWidth / 8) % BurstBeats + 32'(arlen_q) < BurstBeats &&
                     32'(araddr_q) % (DataWidth / 8) == 0);
  bus_within_a : assert property (@(posedge clk_i) disable iff (!rst_ni) bus_within)
  else $error("acclmt_dma_reader: a burst on the bus crosses a multiple of BurstBytes");

  // Nothing is told of what is behind the last word of a packet while its run is under way.
  logic packet_ended_q, ended_kept, one_packet;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) packet_ended_q <= 1'b0;
    else if (!open_i) packet_ended_q <= 1'b0;
    else if (tvalid_o && tready_i && tlast_o) packet_ended_q <= 1'b1;
  end
  assign ended_kept = ended_q == packet_ended_q;
  assign one_packet = !(packet_ended_q && (tvalid_o || error_o));
  ended_kept_a : assert property (@(posedge clk_i) disable iff (!rst_ni) ended_kept)
  else $error("acclmt_dma_reader: the end of a packet was missed");
  one_packet_a : assert property (@(posedge clk_i) disable iff (!rst_ni) one_packet)
  else $error("acclmt_dma_reader: a run is told of what is behind its packet");

  logic has_room, within_burst;
  assign has_room = !(rvalid_i && !burst_descriptor && !flushing) || buffer_ready;
  // A burst is within a multiple of BurstBytes, as acclmt_dma_burst makes them.
  localparam int unsigned BurstWords = BurstBytes * 8 / WordWidth;
  logic [31:0] first_word;
  assign first_word = 32'(burst_index_i[$clog2(BurstWords)-1:0]);
  assign within_burst =
      !burst_valid_i ||
      (burst_words_i != '0 && first_word + 32'(burst_words_i) <= BurstWords &&
       32'(burst_beats_i) == (first_word % BeatWords + 32'(burst_words_i) + BeatWords - 1) /
                             BeatWords);
`ifdef FORMAL
  within_burst_a : assume property (@(posedge clk_i) disable iff (!rst_ni) within_burst);
`else
  within_burst_a : assert property (@(posedge clk_i) disable iff (!rst_ni) within_burst)
  else $error("acclmt_dma_reader: a burst reaches beyond a multiple of BurstBytes");
  has_room_a : assert property (@(posedge clk_i) disable iff (!rst_ni) has_room)
  else $error("acclmt_dma_reader: a beat comes and there is no room");
  known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !$isunknown({flush_i, burst_valid_i, open_i, tready_i, arready_i, rvalid_i}))
  else $error("acclmt_dma_reader: a handshake or a command is unknown");
  outstanding_c : cover property (@(posedge clk_i) outstanding_q == (PlaceWidth + 1)'(Bursts));
  no_room_c : cover property (@(posedge clk_i)
      burst_valid_i && !burst_descriptor_i && free_q < CreditWidth'(burst_beats_i));
  error_c : cover property (@(posedge clk_i) error_o);
  error_behind_c : cover property (@(posedge clk_i) beat_valid && beat.error && ended_q);
  flush_outstanding_c : cover property (@(posedge clk_i) flush_i && outstanding_q != '0);
`endif
`endif

endmodule

// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Fetches descriptors of the ring, and has their input read.
///
///     idle -> address -> descriptor -> check -> job -> input -> idle
///                            |            |
///                            +------------+--> job with a code -> halt
///
/// The next descriptor is fetched when the job of the one before was taken: so its input is on its
/// way while the run before is under way. Nothing is fetched behind a descriptor with an error,
/// until the ring is stopped and goes on.
///
/// Handshake:  `run_i` is a level: as it rises fetching begins with descriptor `head_i`. `flush_i`
///             lasts one cycle: job and request are forgotten, and `run_i` has to fall and rise
///             before it goes on. Jobs and requests for bursts: ready/valid, stable until taken but
///             for a flush and the fall of `run_i`.
/// Latency:    one cycle from the rise of `run_i`, or from a job that is taken, to the request for
///             a descriptor; 4 cycles from the descriptor to the job and to the first request for
///             input. Throughput: a request in 2 cycles.
module acclmt_dma_fetcher #(
  /// Bits of a beat, and bytes of the longest burst.
  parameter int unsigned DataWidth = 256,
  parameter int unsigned BurstBytes = 1024
) (
  /// Clock and asynchronous reset.
  input logic clk_i,
  input logic rst_ni,
  /// The ring: it is used, number of its first word in memory, base-2 logarithm of its descriptors,
  /// descriptors that have ended and that were given.
  input logic run_i,
  input logic flush_i,
  input logic [acclmt_dma_pkg::IndexWidth-1:0] ring_index_i,
  input logic [4:0] ring_size_i,
  input logic [31:0] head_i,
  input logic [31:0] tail_i,
  /// Requests for bursts: number of the first word, words, beats; for a descriptor; the last of an
  /// input.
  output logic burst_valid_o,
  input logic burst_ready_i,
  output logic [acclmt_dma_pkg::IndexWidth-1:0] burst_index_o,
  output logic [acclmt_dma_pkg::BeatsWidth-1:0] burst_words_o,
  output logic [acclmt_dma_pkg::BeatsWidth-1:0] burst_beats_o,
  output logic burst_descriptor_o,
  output logic burst_last_o,
  /// The descriptor has come; reading it was answered with an error.
  input logic descriptor_valid_i,
  input logic descriptor_error_i,
  input logic [acclmt_dma_pkg::DescriptorWords*acclmt_dma_pkg::WordWidth-1:0] descriptor_i,
  /// Jobs, in the order of the ring.
  output logic job_valid_o,
  input logic job_ready_i,
  output acclmt_dma_pkg::job_t job_o
);

  localparam int unsigned IndexWidth = acclmt_dma_pkg::IndexWidth;
  localparam int unsigned BeatsWidth = acclmt_dma_pkg::BeatsWidth;
  localparam int unsigned DescriptorWords = acclmt_dma_pkg::DescriptorWords;

  typedef enum logic [2:0] {
    Idle,
    Address,
    Descriptor,
    Check,
    Next,
    Input,
    Halt
  } state_e;
  state_e state_q, state_d;

  // ---- The ring ---------------------------------------------------------------------------------

  // The descriptor that is fetched next.
  logic run_q, begins;
  logic [31:0] fetch_q;
  assign begins = run_i && !run_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      run_q <= 1'b0;
      fetch_q <= '0;
    end else begin
      run_q <= run_i;
      if (begins) fetch_q <= head_i;
      else if (state_q == Address && burst_valid_o && burst_ready_i) fetch_q <= fetch_q + 32'd1;
    end
  end
  logic [31:0] place;
  assign place = fetch_q & ~(32'hffffffff << ring_size_i);

  // ---- The job ----------------------------------------------------------------------------------

  logic check_valid, job_valid_q, stop;
  acclmt_dma_pkg::job_t check_job, job_q;
  logic [IndexWidth-1:0] input_index;
  logic [IndexWidth:0] input_words;
  acclmt_dma_check u_check (
    .clk_i,
    .rst_ni,
    .clear_i(stop),
    .valid_i(state_q == Descriptor && descriptor_valid_i && !descriptor_error_i),
    .descriptor_i,
    .valid_o(check_valid),
    .job_o(check_job),
    .input_index_o(input_index),
    .input_words_o(input_words)
  );
  assign stop = flush_i || !run_i;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      job_valid_q <= 1'b0;
      job_q <= '0;
    end else if (stop) begin
      job_valid_q <= 1'b0;
      job_q <= '0;
    end else if (state_q == Descriptor && descriptor_valid_i && descriptor_error_i) begin
      job_valid_q <= 1'b1;
      job_q <= '0;
      job_q.code <= acclmt_reg_pkg::DmaErrorDescriptorRead;
    end else if (state_q == Check && check_valid) begin
      job_valid_q <= 1'b1;
      job_q <= check_job;
    end else if (job_ready_i) begin
      job_valid_q <= 1'b0;
    end
  end
  assign job_valid_o = job_valid_q && !stop;
  assign job_o = job_q;

  // ---- The input --------------------------------------------------------------------------------

  logic [IndexWidth-1:0] index_q;
  logic [IndexWidth:0] left_q;
  logic [BeatsWidth-1:0] words, beats, words_q, beats_q;
  logic last, last_q;
  acclmt_dma_burst #(
    .DataWidth(DataWidth),
    .BurstBytes(BurstBytes)
  ) u_burst (
    .index_i(index_q),
    .words_i(left_q),
    .words_o(words),
    .beats_o(beats),
    .last_o(last)
  );

  // An input burst is worked out in the state Next and asked for in the state Input.
  always_comb begin
    state_d = state_q;
    case (state_q)
      Idle: if (fetch_q != tail_i && !job_valid_q) state_d = Address;
      Address: if (burst_ready_i) state_d = Descriptor;
      Descriptor: if (descriptor_valid_i) state_d = descriptor_error_i ? Halt : Check;
      Check: begin
        if (check_valid) state_d = check_job.code == acclmt_reg_pkg::DmaErrorNone ? Next : Halt;
      end
      Next: state_d = Input;
      Input: if (burst_ready_i) state_d = last_q ? Idle : Next;
      Halt: if (begins) state_d = Idle;
      default: state_d = Halt;
    endcase
    if (stop && !begins) state_d = Halt;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) state_q <= Halt;
    else state_q <= state_d;
  end
  always_ff @(posedge clk_i) begin
    if (state_q == Check) begin
      index_q <= input_index;
      left_q <= input_words;
    end else if (state_q == Input && burst_ready_i) begin
      index_q <= index_q + IndexWidth'(words_q);
      left_q <= left_q - (IndexWidth + 1)'(words_q);
    end
    if (state_q == Next) begin
      words_q <= words;
      beats_q <= beats;
      last_q <= last;
    end
  end

  // A request that was not taken is none any more when everything is to end.
  assign burst_valid_o = !stop && (state_q == Address || state_q == Input);
  assign burst_descriptor_o = state_q == Address;
  assign burst_index_o =
      (state_q == Address) ? ring_index_i + IndexWidth'(place) * IndexWidth'(DescriptorWords) :
                             index_q;
  assign burst_words_o = (state_q == Address) ? BeatsWidth'(DescriptorWords) : words_q;
  assign burst_beats_o =
      (state_q == Address) ?
      BeatsWidth'(DescriptorWords * acclmt_dma_pkg::WordWidth / DataWidth) : beats_q;
  assign burst_last_o = state_q == Input && last_q;

`ifndef SYNTHESIS
`ifndef FORMAL
  known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !$isunknown({run_i, flush_i, burst_ready_i, descriptor_valid_i, job_ready_i}))
  else $error("acclmt_dma_fetcher: a handshake or a command is unknown");
  descriptor_expected_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !descriptor_valid_i || stop || state_q == Descriptor)
  else $error("acclmt_dma_fetcher: a descriptor comes that was not asked for");
  ahead_c : cover property (@(posedge clk_i) state_q == Input && fetch_q != head_i + 32'd1);
  stop_in_request_c : cover property (@(posedge clk_i)
      stop && (state_q == Address || state_q == Input) && burst_ready_i);
  stop_in_check_c : cover property (@(posedge clk_i) stop && state_q == Check);
`endif
`endif

endmodule

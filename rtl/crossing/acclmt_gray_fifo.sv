// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// First-in first-out buffer between two clocks of any ratio, with pointers in a gray code.
///
/// The places are flops of the writing clock. A place without a word holds zero, from the time on
/// at which the writing side knows that its word was taken.
///
/// Reset and clear: both sides have to be emptied before either of them goes on, see
/// acclmt_crossing_reset.
///
/// Handshake:  ready/valid on both sides; every output comes from registers alone, and a word that
///             is offered stays.
/// Latency:    one cycle of the writing clock and `Stages` to `Stages` + 1 of the reading one, from
///             a word's push to `valid_o`; a place is free again as many cycles later, the other
///             way round.
/// Throughput: one word a cycle of the slower clock, if `Depth` is at least 2 * `Stages` + 4.
module acclmt_gray_fifo #(
  /// Bits of a word.
  parameter int unsigned Width = acclmt_pkg::WordWidth,
  /// Words, a power of two and at least 4.
  parameter int unsigned Depth = 8,
  /// Flops of a synchroniser.
  parameter int unsigned Stages = 2
) (
  /// Writing side: clock, asynchronous reset, and a synchronous one.
  input logic write_clk_i,
  input logic write_rst_ni,
  input logic write_clear_i,
  input logic valid_i,
  output logic ready_o,
  input logic [Width-1:0] data_i,
  /// No word is inside, as far as the writing side knows.
  output logic empty_o,
  /// Reading side.
  input logic read_clk_i,
  input logic read_rst_ni,
  input logic read_clear_i,
  output logic valid_o,
  input logic ready_i,
  output logic [Width-1:0] data_o
);

  if (Depth < 4 || (Depth & (Depth - 1)) != 0) begin : gen_illegal_depth
    $error("acclmt_gray_fifo: Depth = %0d is not a power of two from 4 on", Depth);
  end

  localparam int unsigned AddressWidth = $clog2(Depth);
  localparam int unsigned CountWidth = AddressWidth + 1;

  logic push, pop;
  logic [CountWidth-1:0] written, written_gray, written_gray_synced;
  logic [CountWidth-1:0] taken, taken_gray, taken_gray_synced, taken_synced;

  // ---- Writing side -----------------------------------------------------------------------------

  logic [CountWidth-1:0] held;
  assign push = valid_i && ready_o;
  acclmt_gray_counter #(
    .Width(CountWidth)
  ) u_written (
    .clk_i(write_clk_i),
    .rst_ni(write_rst_ni),
    .clear_i(write_clear_i),
    .advance_i(push),
    .count_o(written),
    .gray_o(written_gray)
  );
  acclmt_synchroniser #(
    .Width(CountWidth),
    .Stages(Stages)
  ) u_taken_synchroniser (
    .clk_i(write_clk_i),
    .rst_ni(write_rst_ni),
    .d_i(taken_gray),
    .q_o(taken_gray_synced)
  );
  always_comb begin
    for (int unsigned i = 0; i < CountWidth; i++) taken_synced[i] = ^(taken_gray_synced >> i);
  end
  assign held = written - taken_synced;
  assign ready_o = held != CountWidth'(Depth);
  assign empty_o = held == '0;

  logic [Depth*Width-1:0] places_q;
  for (genvar i = 0; i < Depth; i++) begin : gen_place
    logic written_here, is_kept;
    assign written_here = push && written[AddressWidth-1:0] == AddressWidth'(i);
    assign is_kept =
        CountWidth'(AddressWidth'(AddressWidth'(i) - taken_synced[AddressWidth-1:0])) < held;
    always_ff @(posedge write_clk_i or negedge write_rst_ni) begin
      if (!write_rst_ni) places_q[i*Width+:Width] <= '0;
      else if (write_clear_i) places_q[i*Width+:Width] <= '0;
      else if (written_here) places_q[i*Width+:Width] <= data_i;
      else if (!is_kept) places_q[i*Width+:Width] <= '0;
    end
  end

  // ---- Reading side -----------------------------------------------------------------------------

  assign pop = valid_o && ready_i;
  acclmt_gray_counter #(
    .Width(CountWidth)
  ) u_taken (
    .clk_i(read_clk_i),
    .rst_ni(read_rst_ni),
    .clear_i(read_clear_i),
    .advance_i(pop),
    .count_o(taken),
    .gray_o(taken_gray)
  );
  acclmt_synchroniser #(
    .Width(CountWidth),
    .Stages(Stages)
  ) u_written_synchroniser (
    .clk_i(read_clk_i),
    .rst_ni(read_rst_ni),
    .d_i(written_gray),
    .q_o(written_gray_synced)
  );
  assign valid_o = written_gray_synced != taken_gray;
  // The place that is read does not change while a word is offered.
  assign data_o = valid_o ? places_q[32'(taken[AddressWidth-1:0])*Width+:Width] : '0;

`ifndef SYNTHESIS
  logic no_overflow, no_underflow;
  logic [CountWidth-1:0] written_synced;
  always_comb begin
    for (int unsigned i = 0; i < CountWidth; i++) written_synced[i] = ^(written_gray_synced >> i);
  end
  assign no_overflow = held <= CountWidth'(Depth);
  assign no_underflow = CountWidth'(written_synced - taken) <= CountWidth'(Depth);
  no_overflow_a : assert property (@(posedge write_clk_i) disable iff (!write_rst_ni)
      write_clear_i || no_overflow)
  else $error("acclmt_gray_fifo: more words are inside than there are places");
  no_underflow_a : assert property (@(posedge read_clk_i) disable iff (!read_rst_ni)
      read_clear_i || no_underflow)
  else $error("acclmt_gray_fifo: more words were taken than were written");
`ifndef FORMAL
  full_c : cover property (@(posedge write_clk_i) valid_i && !ready_o);
  through_c : cover property (@(posedge read_clk_i) pop);
`endif
`endif

endmodule

// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// The packet of the output of a run as words of memory: the words of the nodes, each followed by
/// what goes with it where the descriptor wants that.
///
/// Words beyond the room of the output are taken and dropped. So is everything outside of a run,
/// after `discard_i`, up to the next run.
///
/// Handshake:  packets and words of memory: ready/valid. `start_i` and `discard_i` last one cycle.
///             `done_o` and the flags stay until the next start.
/// Latency:    none for the first word of a pair, one cycle for the second. Throughput: one word of
///             memory a cycle.
module acclmt_dma_output (
  /// Clock and asynchronous reset.
  input logic clk_i,
  input logic rst_ni,
  /// A run begins: whether what goes with a word is wanted, and words that there is room for.
  input logic start_i,
  input logic with_user_i,
  input logic [acclmt_dma_pkg::AddressWidth-1:0] limit_i,
  /// The rest is dropped.
  input logic discard_i,
  /// The packet.
  input logic tvalid_i,
  output logic tready_o,
  input logic [acclmt_dma_pkg::WordWidth-1:0] tdata_i,
  input logic [acclmt_bus_pkg::UserWidth-1:0] tuser_i,
  input logic tlast_i,
  /// Words of memory; the last one of the run.
  output logic valid_o,
  input logic ready_i,
  output logic [acclmt_dma_pkg::WordWidth-1:0] data_o,
  output logic last_o,
  /// The packet has ended; it is void; there was no room for a word; words that there was room for.
  output logic done_o,
  output logic void_o,
  output logic too_small_o,
  output logic [acclmt_dma_pkg::AddressWidth-1:0] words_o
);

  localparam int unsigned AddressWidth = acclmt_dma_pkg::AddressWidth;
  localparam int unsigned WordWidth = acclmt_dma_pkg::WordWidth;

  logic open_q, with_user_q, second_q, done_q, void_q, small_q;
  logic [AddressWidth-1:0] left_q, words_q;

  logic no_room, drop, aborted, taken;
  assign no_room = left_q == '0;
  assign aborted = tuser_i[acclmt_bus_pkg::UserAbortedBit];
  // An aborted run has no result; its last word is none.
  assign drop = !open_q || no_room || aborted || small_q;
  assign tready_o = drop || (ready_i && (!with_user_q || second_q));
  assign taken = tvalid_i && tready_o;
  assign valid_o = tvalid_i && !drop;
  assign data_o = second_q ? WordWidth'(tuser_i) : tdata_i;
  assign last_o = tlast_i && (!with_user_q || second_q);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      open_q <= 1'b0;
      with_user_q <= 1'b0;
      second_q <= 1'b0;
      done_q <= 1'b0;
      void_q <= 1'b0;
      small_q <= 1'b0;
      left_q <= '0;
      words_q <= '0;
    end else if (start_i) begin
      open_q <= 1'b1;
      with_user_q <= with_user_i;
      second_q <= 1'b0;
      done_q <= 1'b0;
      void_q <= 1'b0;
      small_q <= 1'b0;
      left_q <= limit_i;
      words_q <= '0;
    end else if (discard_i) begin
      open_q <= 1'b0;
      second_q <= 1'b0;
    end else begin
      if (valid_o && ready_i && with_user_q) second_q <= !second_q;
      if (open_q && taken) begin
        if (no_room && !aborted) small_q <= 1'b1;
        if (!drop) begin
          left_q <= left_q - 1'b1;
          words_q <= words_q + 1'b1;
        end
        if (tlast_i) begin
          open_q <= 1'b0;
          done_q <= 1'b1;
          void_q <= tuser_i[acclmt_bus_pkg::UserErrorBit];
        end
      end
    end
  end
  assign done_o = done_q;
  assign void_o = void_q;
  assign too_small_o = small_q;
  assign words_o = words_q;

`ifndef SYNTHESIS
`ifndef FORMAL
  known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !$isunknown({start_i, discard_i, tvalid_i, ready_i}))
  else $error("acclmt_dma_output: a handshake or a command is unknown");
  too_small_c : cover property (@(posedge clk_i) small_q);
  dropped_c : cover property (@(posedge clk_i) tvalid_i && !open_q);
  waits_in_pair_c : cover property (@(posedge clk_i) second_q && !ready_i);
`endif
`endif

endmodule

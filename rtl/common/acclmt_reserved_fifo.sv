// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Buffer at the end of a free-running pipeline, with places that are reserved at its beginning.
///
/// A datum may enter the pipeline only while `available_o` is high; it takes a place then and gives
/// it back when it leaves the buffer, so that the buffer can never overflow and the pipeline never
/// stalls.
///
/// Handshake:  `reserve_i` only while `available_o`; to each reservation belongs one `valid_i`, in
///             the same cycle or later, which is always accepted. Output: as in acclmt_fifo.
/// Latency:    2 cycles from `valid_i` to `valid_o`. Throughput: one word a cycle.
module acclmt_reserved_fifo #(
  /// Bits of a word.
  parameter int unsigned Width = acclmt_pkg::WordWidth,
  /// Places.
  parameter int unsigned Places = 16,
  /// Whether memories keep parity, see acclmt_memory.
  parameter bit MemoryParity = 1'b0
) (
  /// Clock and reset.
  input logic clk_i,
  input logic rst_ni,
  /// Configuration of the memories below, see acclmt_memory_pkg; quasi-static.
  input acclmt_memory_pkg::memory_config_t memory_config_i,
  /// A word that a memory below shows is not the one that was written; one cycle.
  output logic memory_fault_o,
  /// Empties the buffer and gives all places back.
  input logic clear_i,
  /// Reservation, as a datum enters the pipeline.
  output logic available_o,
  input logic reserve_i,
  /// The datum leaves the pipeline.
  input logic valid_i,
  input logic [Width-1:0] data_i,
  /// Output.
  output logic valid_o,
  input logic ready_i,
  output logic [Width-1:0] data_o,
  /// No place is taken: nothing is in the pipeline or in the buffer.
  output logic idle_o
);

  localparam int unsigned CountWidth = $clog2(Places + 1);

  logic leave;
  assign leave = valid_o && ready_i;

  logic [CountWidth-1:0] taken_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) taken_q <= '0;
    else if (clear_i) taken_q <= '0;
    else taken_q <= taken_q + CountWidth'(reserve_i) - CountWidth'(leave);
  end
  assign available_o = taken_q != CountWidth'(Places);
  assign idle_o = taken_q == '0;

  logic fifo_ready;
  acclmt_fifo #(
    .Width(Width),
    .Depth(Places),
    .MemoryParity(MemoryParity)
  ) u_fifo (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .memory_fault_o,
    .clear_i,
    .valid_i,
    .ready_o(fifo_ready),
    .data_i,
    .valid_o,
    .ready_i,
    .data_o
  );

`ifndef SYNTHESIS
  reserve_available_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      reserve_i && !clear_i |-> available_o)
  else $error("acclmt_reserved_fifo: a place was reserved and none was free");
  has_room_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      valid_i && !clear_i |-> fifo_ready && (reserve_i || !idle_o))
  else $error("acclmt_reserved_fifo: a datum came without a reserved place");
  known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !$isunknown({reserve_i, valid_i}))
  else $error("acclmt_reserved_fifo: a handshake is unknown");
  full_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      !available_o);
`else
  // Room is certain where places are reserved.
  logic unused_fifo_ready;
  assign unused_fifo_ready = fifo_ready;
`endif

endmodule

// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// First-in first-out buffer on a memory that a macro can replace, with the head in the memory's
/// output register.
///
/// Handshake:  ready/valid on both sides; `valid_o` does not depend on `ready_i`, and the head is
///             stable until it is taken.
/// Latency:    2 cycles from an empty buffer's input to its output. Throughput: one word a cycle.
/// Capacity:   `Depth` words in the memory and the head.
module acclmt_fifo #(
  /// Bits of a word.
  parameter int unsigned Width = acclmt_pkg::WordWidth,
  /// Words in the memory, at least 2.
  parameter int unsigned Depth = 4,
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
  /// Empties the buffer.
  input logic clear_i,
  /// Input.
  input logic valid_i,
  output logic ready_o,
  input logic [Width-1:0] data_i,
  /// Output.
  output logic valid_o,
  input logic ready_i,
  output logic [Width-1:0] data_o
);

  if (Depth < 2) begin : gen_illegal_depth
    $error("acclmt_fifo: Depth = %0d, at least 2 are needed", Depth);
  end

  localparam int unsigned PointerWidth = $clog2(Depth);
  localparam logic [PointerWidth-1:0] Last = PointerWidth'(Depth - 1);
  localparam int unsigned CountWidth = $clog2(Depth + 1);

  logic [PointerWidth-1:0] write_pointer_q, read_pointer_q;
  logic [CountWidth-1:0] count_q;
  logic head_valid_q;

  logic push, fetch;
  assign ready_o = count_q != CountWidth'(Depth);
  assign push = valid_i && ready_o;
  assign fetch = count_q != '0 && (!head_valid_q || ready_i);
  assign valid_o = head_valid_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_pointer_q <= '0;
      read_pointer_q <= '0;
      count_q <= '0;
      head_valid_q <= 1'b0;
    end else if (clear_i) begin
      write_pointer_q <= '0;
      read_pointer_q <= '0;
      count_q <= '0;
      head_valid_q <= 1'b0;
    end else begin
      if (push) write_pointer_q <= (write_pointer_q == Last) ? '0 : write_pointer_q + 1'b1;
      if (fetch) read_pointer_q <= (read_pointer_q == Last) ? '0 : read_pointer_q + 1'b1;
      if (push != fetch) count_q <= push ? count_q + 1'b1 : count_q - 1'b1;
      if (fetch) head_valid_q <= 1'b1;
      else if (ready_i) head_valid_q <= 1'b0;
    end
  end

  acclmt_memory #(
    .Width(Width),
    .Depth(Depth),
    .MemoryParity(MemoryParity)
  ) u_memory (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .memory_fault_o,
    .write_enable_i(push),
    .write_address_i(write_pointer_q),
    .write_data_i(data_i),
    .read_enable_i(fetch),
    .read_address_i(read_pointer_q),
    .read_data_o(data_o)
  );

`ifndef SYNTHESIS
  // The memory keeps a word until the next one is read.
  head_stays_a : assert property (@(posedge clk_i) disable iff (!rst_ni || clear_i)
      valid_o && !ready_i |=> valid_o)
  else $error("acclmt_fifo: the head left before it was taken");
  head_stable_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      valid_o && !ready_i |-> !fetch)
  else $error("acclmt_fifo: the head changed before it was taken");
  known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !$isunknown({valid_i, ready_o, valid_o}))
  else $error("acclmt_fifo: a handshake is unknown");
  ready_known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      valid_o |-> !$isunknown(ready_i))
  else $error("acclmt_fifo: ready_i is unknown");
  full_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      valid_i && !ready_o);
  through_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      push && valid_o && ready_i);
`endif

endmodule

// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// First-in first-out buffer on a memory that a macro can replace, which can be flushed: then every
/// word of the memory, and the word at the head, is zero.
///
/// Handshake:  ready/valid on both sides; `valid_o` does not depend on `ready_i`, and the head is
///             stable until it is taken. `flush_i` lasts one cycle; `flushing_o` is high from the
///             next cycle on. Words go on until `quiet_i` is high too: then the buffer is emptied
///             and wiped, and nothing enters or leaves until `flushing_o` is low.
/// Latency:    2 cycles from an empty buffer's input to its output; `Depth` + 2 cycles for a wipe.
/// Throughput: one word a cycle. Capacity: `Depth` words in the memory and the head.
module acclmt_dma_buffer #(
  /// Bits of a word.
  parameter int unsigned Width = acclmt_pkg::WordWidth,
  /// Words in the memory, a power of two and at least 2.
  parameter int unsigned Depth = 64,
  /// Whether memories keep parity, see acclmt_memory.
  parameter bit MemoryParity = 1'b0
) (
  /// Clock and asynchronous reset.
  input logic clk_i,
  input logic rst_ni,
  /// Configuration of the memory, see acclmt_memory_pkg; quasi-static.
  input acclmt_memory_pkg::memory_config_t memory_config_i,
  /// A word that a memory below shows is not the one that was written; one cycle.
  output logic memory_fault_o,
  /// Empties the buffer and overwrites it; the user needs no more of its words; that is under way.
  input logic flush_i,
  input logic quiet_i,
  output logic flushing_o,
  /// Input.
  input logic valid_i,
  output logic ready_o,
  input logic [Width-1:0] data_i,
  /// Output.
  output logic valid_o,
  input logic ready_i,
  output logic [Width-1:0] data_o
);

  if (Depth < 2 || (Depth & (Depth - 1)) != 0) begin : gen_illegal_depth
    $error("acclmt_dma_buffer: Depth = %0d is not a power of two and at least 2", Depth);
  end

  localparam int unsigned PointerWidth = $clog2(Depth);
  localparam int unsigned CountWidth = PointerWidth + 1;

  logic [PointerWidth-1:0] write_pointer_q, read_pointer_q;
  logic [CountWidth-1:0] count_q;
  // A flush waits for the user; words are overwritten; the head is.
  logic head_valid_q, flush_q, sweep_q, head_wipe_q;

  logic push, fetch, wipe, wiping;
  assign wipe = flush_q && quiet_i;
  assign wiping = sweep_q || head_wipe_q;
  assign flushing_o = flush_q || wiping;
  assign ready_o = count_q != CountWidth'(Depth) && !wiping;
  assign push = valid_i && ready_o;
  assign fetch = count_q != '0 && (!head_valid_q || ready_i);
  assign valid_o = head_valid_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) flush_q <= 1'b0;
    else if (flush_i) flush_q <= 1'b1;
    else if (wipe) flush_q <= 1'b0;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_pointer_q <= '0;
      read_pointer_q <= '0;
      count_q <= '0;
      head_valid_q <= 1'b0;
      sweep_q <= 1'b0;
      head_wipe_q <= 1'b0;
    end else if (wipe) begin
      write_pointer_q <= '0;
      read_pointer_q <= '0;
      count_q <= '0;
      head_valid_q <= 1'b0;
      sweep_q <= 1'b1;
      head_wipe_q <= 1'b0;
    end else begin
      if (push || sweep_q) write_pointer_q <= write_pointer_q + 1'b1;
      if (fetch) read_pointer_q <= read_pointer_q + 1'b1;
      if (push != fetch) count_q <= push ? count_q + 1'b1 : count_q - 1'b1;
      if (fetch) head_valid_q <= 1'b1;
      else if (ready_i) head_valid_q <= 1'b0;
      sweep_q <= sweep_q && write_pointer_q != '1;
      head_wipe_q <= sweep_q && write_pointer_q == '1;
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
    .write_enable_i(push || sweep_q),
    .write_address_i(write_pointer_q),
    .write_data_i(sweep_q ? '0 : data_i),
    .read_enable_i(fetch || head_wipe_q),
    .read_address_i(read_pointer_q),
    .read_data_o(data_o)
  );

`ifndef SYNTHESIS
  logic wiped_head, within_bounds, pointers_agree;
  assign pointers_agree =
      sweep_q ? read_pointer_q == '0 && !head_wipe_q :
                write_pointer_q - read_pointer_q == count_q[PointerWidth-1:0];
  pointers_agree_a : assert property (@(posedge clk_i) disable iff (!rst_ni) pointers_agree)
  else $error("acclmt_dma_buffer: the pointers are not as far apart as there are words");
  assign within_bounds = 32'(count_q) <= Depth;
  assign wiped_head = !wiping || (count_q == '0 && !head_valid_q);
  within_bounds_a : assert property (@(posedge clk_i) disable iff (!rst_ni) within_bounds)
  else $error("acclmt_dma_buffer: more words than there is room for");
  wiped_head_a : assert property (@(posedge clk_i) disable iff (!rst_ni) wiped_head)
  else $error("acclmt_dma_buffer: a word is left while the buffer is wiped");
`ifdef FORMAL
  // When a flush has ended nothing is left of any word, here or at the head.
  logic [Depth-1:0][Width-1:0] kept_q;
  logic wiping_q, nothing_left;
  always_ff @(posedge clk_i) begin
    if (push || sweep_q) kept_q[write_pointer_q] <= sweep_q ? '0 : data_i;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) wiping_q <= 1'b0;
    else wiping_q <= wiping;
  end
  assign nothing_left = !wiping_q || wiping || (kept_q == '0 && data_o == '0);
  nothing_left_a : assert property (@(posedge clk_i) disable iff (!rst_ni) nothing_left);
`else
  known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !$isunknown({valid_i, ready_o, valid_o, flush_i, quiet_i}))
  else $error("acclmt_dma_buffer: a handshake is unknown");
  full_c : cover property (@(posedge clk_i) valid_i && !ready_o && !wiping);
  wipe_filled_c : cover property (@(posedge clk_i) wipe && count_q != '0);
`endif
`endif

endmodule

// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Delay line: what enters leaves `Cycles` cycles later.
///
/// Data that only waits lives in a memory that a macro can replace: a ring of `Cycles` words,
/// written at a pointer and read just ahead of it. A delay of one cycle is a register. With
/// `RegisterOutput` the last cycle is one too, for what has much to do in the cycle that follows: a
/// register's output comes sooner than that of a memory. The line always moves; what is valid in it
/// is known to its user.
///
/// Handshake:  none. Latency: `Cycles`. Throughput: one word a cycle.
module acclmt_delay #(
  /// Bits of a word.
  parameter int unsigned Width = acclmt_pkg::WordWidth,
  /// Delay in cycles, at least 1.
  parameter int unsigned Cycles = 2,
  /// Whether the last cycle is a register.
  parameter bit RegisterOutput = 1'b0,
  /// Whether memories keep parity, see acclmt_memory.
  parameter bit MemoryParity = 1'b0
) (
  /// Clock and reset (of the pointer only).
  input logic clk_i,
  input logic rst_ni,
  /// Configuration of the memories below, see acclmt_memory_pkg; quasi-static.
  input acclmt_memory_pkg::memory_config_t memory_config_i,
  /// A word that a memory below shows is not the one that was written; one cycle.
  output logic memory_fault_o,
  /// Word that enters.
  input logic [Width-1:0] data_i,
  /// Word that entered `Cycles` cycles ago.
  output logic [Width-1:0] data_o
);

  if (Cycles == 0) begin : gen_illegal_cycles
    $error("acclmt_delay: Cycles = 0, use a wire");
  end

  if (Cycles == 1) begin : gen_register
    logic [Width-1:0] data_q;
    always_ff @(posedge clk_i) data_q <= data_i;
    assign data_o = data_q;
    assign memory_fault_o = 1'b0;
    // There is neither a pointer to reset nor a memory.
    logic unused_inputs;
    assign unused_inputs = ^{rst_ni, memory_config_i};
  end else if (RegisterOutput) begin : gen_registered
    logic [Width-1:0] data, data_q;
    acclmt_delay #(
      .Width(Width),
      .Cycles(Cycles - 1),
      .MemoryParity(MemoryParity)
    ) u_delay (
      .clk_i,
      .rst_ni,
      .memory_config_i,
      .memory_fault_o,
      .data_i,
      .data_o(data)
    );
    always_ff @(posedge clk_i) data_q <= data;
    assign data_o = data_q;
  end else begin : gen_ring
    localparam int unsigned PointerWidth = $clog2(Cycles);
    localparam logic [PointerWidth-1:0] Last = PointerWidth'(Cycles - 1);
    logic [PointerWidth-1:0] pointer_d, pointer_q;
    assign pointer_d = (pointer_q == Last) ? '0 : pointer_q + 1'b1;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) pointer_q <= '0;
      else pointer_q <= pointer_d;
    end

    logic memory_fault;
    acclmt_memory #(
      .Width(Width),
      .Depth(Cycles),
      .MemoryParity(MemoryParity)
    ) u_memory (
      .clk_i,
      .rst_ni,
      .memory_config_i,
      .memory_fault_o(memory_fault),
      .write_enable_i(1'b1),
      .write_address_i(pointer_q),
      .write_data_i(data_i),
      .read_enable_i(1'b1),
      .read_address_i(pointer_d),
      .read_data_o(data_o)
    );
    // What the memory held before the ring has been filled is nobody's word.
    if (MemoryParity) begin : gen_filled
      logic filled_q;
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) filled_q <= 1'b0;
        else if (pointer_q == Last) filled_q <= 1'b1;
      end
      assign memory_fault_o = memory_fault && filled_q;
    end else begin : gen_no_parity
      assign memory_fault_o = memory_fault;
    end
  end

endmodule

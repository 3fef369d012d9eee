// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Memory that keeps the parity of its words, if the chip is to notice bits that flip in it.
///
/// With `MemoryParity` a bit goes with every 64 bits of a word, or less at its end, and makes the
/// number of ones even: a word of zeros has none. Each word that is read is checked: one flipped
/// bit of it is noticed, and every odd number of them in 64. Without it this is the memory alone.
///
/// Handshake:  none; see acclmt_mem_1r1w. What is read must have been written.
/// Latency:    1 cycle, to the word and to `memory_fault_o`. Throughput: one read and one write a
///             cycle.
module acclmt_memory #(
  /// Bits of a word.
  parameter int unsigned Width = acclmt_pkg::WordWidth,
  /// Words.
  parameter int unsigned Depth = 64,
  /// Whether it keeps parity.
  parameter bit MemoryParity = 1'b0,
  /// Bits of an address (derived).
  localparam int unsigned AddressWidth = (Depth > 1) ? $clog2(Depth) : 1
) (
  /// Clock and reset (of the check only).
  input logic clk_i,
  input logic rst_ni,
  /// Configuration of the memory, see acclmt_memory_pkg; quasi-static.
  input acclmt_memory_pkg::memory_config_t memory_config_i,
  /// The word that appears in this cycle is not the one that was written.
  output logic memory_fault_o,
  /// Write port.
  input logic write_enable_i,
  input logic [AddressWidth-1:0] write_address_i,
  input logic [Width-1:0] write_data_i,
  /// Read port.
  input logic read_enable_i,
  input logic [AddressWidth-1:0] read_address_i,
  output logic [Width-1:0] read_data_o
);

  // Bits of a word that one bit of parity is for.
  localparam int unsigned Guarded = 64;
  localparam int unsigned Guards = (Width + Guarded - 1) / Guarded;

  if (MemoryParity) begin : gen_parity
    logic [Guards-1:0] write_parity, read_parity, wrong;
    for (genvar g = 0; g < Guards; g++) begin : gen_guard
      localparam int unsigned First = Guarded * g;
      localparam int unsigned Bits = (Width - First < Guarded) ? Width - First : Guarded;
      assign write_parity[g] = ^write_data_i[First+:Bits];
      assign wrong[g] = ^{read_parity[g], read_data_o[First+:Bits]};
    end

    acclmt_mem_1r1w #(
      .Width(Guards + Width),
      .Depth(Depth)
    ) u_memory (
      .clk_i,
      .memory_config_i,
      .write_enable_i,
      .write_address_i,
      .write_data_i({write_parity, write_data_i}),
      .read_enable_i,
      .read_address_i,
      .read_data_o({read_parity, read_data_o})
    );

    logic read_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) read_q <= 1'b0;
      else read_q <= read_enable_i;
    end
    assign memory_fault_o = read_q && wrong != '0;

`ifndef SYNTHESIS
    fault_c : cover property (@(posedge clk_i) disable iff (!rst_ni) memory_fault_o);
`endif
  end else begin : gen_plain
    acclmt_mem_1r1w #(
      .Width(Width),
      .Depth(Depth)
    ) u_memory (
      .clk_i,
      .memory_config_i,
      .write_enable_i,
      .write_address_i,
      .write_data_i,
      .read_enable_i,
      .read_address_i,
      .read_data_o
    );
    assign memory_fault_o = 1'b0;
    logic unused_reset;
    assign unused_reset = rst_ni;
  end

endmodule

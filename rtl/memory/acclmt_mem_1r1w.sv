// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Memory with one write port and one synchronous read port: every memory of the chip. This one is
/// a model of behaviour, which FPGA tools make block RAM of.
///
/// For macros an integrator replaces this one file by a module with the same name, parameters and
/// ports, which picks a macro by `Width` and `Depth` and connects what it has of margins to
/// `memory_config_i`; other pins are added to acclmt_memory_pkg. It may count on this: nothing
/// reads an address in the cycle in which it is written (asserted); no content is assumed after
/// reset; enables are known from the reset on, and addresses where a port is enabled;
/// `memory_config_i` is that of `acclmt_core` (synth/four_state shows both, with such a file). It
/// must keep the handshake below, word by word: `read_data_o` is looked at in later cycles, too.
///
/// Handshake:  none. `read_data_o` shows the word the cycle after `read_enable_i` and keeps it
///             until the next read.
/// Latency:    1 cycle. Throughput: one read and one write a cycle.
module acclmt_mem_1r1w #(
  /// Bits of a word.
  parameter int unsigned Width = acclmt_pkg::WordWidth,
  /// Words.
  parameter int unsigned Depth = 64,
  /// Bits of an address (derived).
  localparam int unsigned AddressWidth = (Depth > 1) ? $clog2(Depth) : 1
) (
  /// Clock.
  input logic clk_i,
  /// What a macro takes besides accesses; quasi-static, of no use here.
  input acclmt_memory_pkg::memory_config_t memory_config_i,
  /// Write port.
  input logic write_enable_i,
  input logic [AddressWidth-1:0] write_address_i,
  input logic [Width-1:0] write_data_i,
  /// Read port.
  input logic read_enable_i,
  input logic [AddressWidth-1:0] read_address_i,
  output logic [Width-1:0] read_data_o
);

  logic [Width-1:0] memory[Depth];
  logic [Width-1:0] read_data_q;

  always_ff @(posedge clk_i) begin
    if (write_enable_i) memory[write_address_i] <= write_data_i;
    if (read_enable_i) read_data_q <= memory[read_address_i];
  end
  assign read_data_o = read_data_q;

  logic unused_config;
  assign unused_config = ^memory_config_i;

`ifndef SYNTHESIS
  no_collision_a : assert property (@(posedge clk_i)
      !(write_enable_i && read_enable_i && write_address_i == read_address_i))
  else $error("acclmt_mem_1r1w: address %0d is read while it is written", read_address_i);
  write_in_range_a : assert property (@(posedge clk_i)
      !write_enable_i || 32'(write_address_i) < Depth)
  else $error("acclmt_mem_1r1w: write to address %0d of %0d", write_address_i, Depth);
  read_in_range_a : assert property (@(posedge clk_i)
      !read_enable_i || 32'(read_address_i) < Depth)
  else $error("acclmt_mem_1r1w: read of address %0d of %0d", read_address_i, Depth);
`endif

endmodule

// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Testbench only: the core with four hash engines, with one partial-round sub-engine in each, and
/// a small node memory. tb/tests/pool.rs plays the host, and knows the layout.
module acclmt_tb_pool #(
  localparam int unsigned NumEngines = 4,
  localparam int unsigned NumPartial = 1,
  localparam int unsigned PartialDepth = 256,
  localparam int unsigned MaxHeight = 12,
  localparam int unsigned NodeWords = 256
) (
  input logic clk_i,
  input logic rst_ni,
  /// From the least significant word: flags, address, data of a register, and a word of the input
  /// (8 words). Flags: bit 0 the core has a clock edge in this cycle, 1 a register is accessed, 2
  /// and written, 3 a word of the input is there, 4 one of the output is taken.
  input logic [11*32-1:0] in_i,
  /// Flags, data of a register, level and index of a word of the output, and the word (8 words).
  /// Flags: bit 0 the access is refused, 1 the word of the input is taken, 2 a word of the output
  /// is there, 3 it is the last one, 4 it is void.
  output logic [12*32-1:0] out_o
);

  // Between two edges the host sees what came of the last one.
  logic clk;
  assign clk = clk_i && (in_i[0] || !rst_ni);

  logic reg_rvalid, reg_error, in_ready, out_valid, out_last, out_error, irq;
  logic [31:0] reg_rdata;
  acclmt_pkg::word_t out_data;
  acclmt_tree_pkg::level_t out_level;
  logic [acclmt_tree_pkg::NodeIndexWidth-1:0] out_index;
  acclmt_core #(
    .Prime(acclmt_tb_build_pkg::Prime),
    .Reduction(acclmt_tb_build_pkg::Reduction),
    .NumEngines(NumEngines),
    .NumPartial(NumPartial),
    .PartialDepth(PartialDepth),
    .MaxHeight(MaxHeight),
    .NodeWords(NodeWords)
  ) u_core (
    .clk_i(clk),
    .rst_ni,
    .memory_config_i(acclmt_memory_pkg::MemoryConfigDefault),
    .reg_valid_i(in_i[1]),
    .reg_write_i(in_i[2]),
    .reg_addr_i(in_i[32+:12]),
    .reg_wdata_i(in_i[2*32+:32]),
    .reg_rvalid_o(reg_rvalid),
    .reg_rdata_o(reg_rdata),
    .reg_error_o(reg_error),
    .in_valid_i(in_i[3]),
    .in_ready_o(in_ready),
    .in_data_i(in_i[3*32+:256]),
    .out_valid_o(out_valid),
    .out_ready_i(in_i[4]),
    .out_data_o(out_data),
    .out_level_o(out_level),
    .out_index_o(out_index),
    .out_last_o(out_last),
    .out_error_o(out_error),
    .irq_o(irq)
  );

  assign out_o = {
    out_data, out_index, 32'(out_level), reg_rdata,
    27'b0, out_error, out_last, out_valid, in_ready, reg_error
  };

  logic unused_bits;
  assign unused_bits = ^{in_i, reg_rvalid, irq};

endmodule

// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Testbench only: a core with one hash engine whose memories keep parity, and whose memories'
/// bits flip where they are told to. tb/tests/flips.rs plays the host and the fate.
module acclmt_tb_flips #(
  localparam int unsigned NumPartial = 1,
  localparam int unsigned PartialDepth = 256,
  localparam int unsigned MaxHeight = 8,
  localparam int unsigned NodeWords = 64
) (
  input logic clk_i,
  input logic rst_ni,
  /// As acclmt_tb_pool, and behind it three words: of a flip its number, the place and the position
  /// (acclmt_tb_flips_pkg). Bit 31 of the first one: a bit flips; bit 30: two do; bit 29: the words
  /// that are not zero are counted.
  input logic [14*32-1:0] in_i,
  /// As acclmt_tb_pool, and behind it the number of memories, the words that were counted, and
  /// their sum.
  output logic [15*32-1:0] out_o
);

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
    .NumEngines(1),
    .NumPartial(NumPartial),
    .PartialDepth(PartialDepth),
    .MaxHeight(MaxHeight),
    .NodeWords(NodeWords),
    .MemoryParity(1'b1)
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

  always_ff @(posedge clk) begin
    acclmt_tb_flips_pkg::flip.valid <= in_i[11*32+31];
    acclmt_tb_flips_pkg::flip.two <= in_i[11*32+30];
    acclmt_tb_flips_pkg::flip.look <= in_i[11*32+29];
    acclmt_tb_flips_pkg::flip.memory <= in_i[11*32+:16];
    acclmt_tb_flips_pkg::flip.place <= in_i[12*32+:32];
    acclmt_tb_flips_pkg::flip.position <= in_i[13*32+:32];
  end

  assign out_o = {
    acclmt_tb_flips_pkg::sum_found, acclmt_tb_flips_pkg::words_found,
    acclmt_tb_flips_pkg::memories, out_data, out_index, 32'(out_level), reg_rdata,
    27'b0, out_error, out_last, out_valid, in_ready, reg_error
  };

  logic unused_bits;
  assign unused_bits = ^{in_i, reg_rvalid, irq};

endmodule

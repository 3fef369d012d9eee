// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Testbench only: small chips with DMA and one hash engine: 0 with beats of 512 bits, 1 with beats
/// of 256 bits and a clock of its own for the core. Only the chosen one has a clock, but for the
/// reset of the bench.
module acclmt_tb_dma (
  input logic clk_i,
  input logic rst_ni,
  /// As acclmt_tb_dma_pins; besides in the flags bit 0 reset, 20 the chip, 22 the bus and 23 the
  /// core of chip 1 have a clock edge in this cycle, 24 reset of its core.
  input logic [20*32-1:0] in_i,
  /// As acclmt_tb_dma_pins, of the chosen chip.
  output logic [24*32-1:0] out_o
);

  localparam int unsigned Chips = 2;

  logic chosen;
  assign chosen = in_i[20];
  logic [Chips-1:0] clk, core_clk;
  logic [Chips-1:0][24*32-1:0] out;
  assign clk = {clk_i && (!rst_ni || (chosen && in_i[22])), clk_i && (!rst_ni || !chosen)};
  assign core_clk = {clk_i && (!rst_ni || (chosen && in_i[23])), 1'b0};

  for (genvar i = 0; i < Chips; i++) begin : gen_chip
    acclmt_tb_dma_pins #(
      .NumEngines(1),
      .NumPartial(1),
      .PartialDepth(256),
      .Store(1'b0),
      .Adders(1'b0),
      .MaxHeight(8),
      .NodeWords(128),
      .SeparateClocks(i == 1),
      .DataWidth(i == 1 ? 256 : 512),
      // Different shapes of buffers, too.
      .BurstBytes(i == 1 ? 256 : 1024)
    ) u_pins (
      .clk_i(clk[i]),
      .core_clk_i(core_clk[i]),
      .rst_ni(rst_ni && !in_i[0]),
      .core_rst_ni(rst_ni && !in_i[0] && !in_i[24]),
      .in_i,
      .out_o(out[i])
    );
  end
  assign out_o = chosen ? out[1] : out[0];

endmodule

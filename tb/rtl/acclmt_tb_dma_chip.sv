// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Testbench only: the default chip with DMA.
module acclmt_tb_dma_chip (
  input logic clk_i,
  input logic rst_ni,
  /// As acclmt_tb_dma_pins; besides in the flags bit 0 reset.
  input logic [20*32-1:0] in_i,
  /// As acclmt_tb_dma_pins.
  output logic [24*32-1:0] out_o
);

  acclmt_tb_dma_pins u_pins (
    .clk_i,
    .core_clk_i(1'b0),
    .rst_ni(rst_ni && !in_i[0]),
    .core_rst_ni(1'b0),
    .in_i,
    .out_o
  );

endmodule

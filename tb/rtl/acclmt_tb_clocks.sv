// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Testbench only: the small chip of acclmt_tb_axi with a clock of its own for the core, and with
/// clock gates. The clock of the bench is a time step. The host, tb/tests/common/axi.rs, says in
/// which steps the clocks rise and fall, and gives the random bits of acclmt_tb_synchroniser.
module acclmt_tb_clocks (
  input logic clk_i,
  input logic rst_ni,
  /// From the least significant word: the 13 words of acclmt_tb_axi, clocks, random bits (2 words).
  /// Clocks: level of the clock of the bus (bit 0) and of that of the core (1) from the end of this
  /// step on; reset of the core (2), at once.
  input logic [16*32-1:0] in_i,
  /// As acclmt_tb_axi.
  output logic [13*32-1:0] out_o
);

  localparam int unsigned AddressWidth = acclmt_control_pkg::AddressWidth;

  logic rst_n, core_rst_n, bus_clk_q, core_clk_q;
  assign rst_n = rst_ni && !in_i[0];
  assign core_rst_n = rst_ni && !in_i[13*32+2];
  // Both run while the bench is in reset: flops whose reset is low from the start on see no edge of
  // it, and so are reset by a clock edge.
  always_ff @(posedge clk_i) begin
    bus_clk_q <= rst_ni ? in_i[13*32] : !bus_clk_q;
    core_clk_q <= rst_ni ? in_i[13*32+1] : !core_clk_q;
  end
  assign acclmt_tb_steps_pkg::step = clk_i;
  assign acclmt_tb_steps_pkg::random = in_i[14*32+:acclmt_tb_steps_pkg::RandomBits];

  logic awready, wready, bvalid, arready, rvalid, in_ready, out_valid, out_last, irq;
  logic [1:0] bresp, rresp;
  logic [31:0] rdata, out_keep;
  logic [63:0] out_user;
  acclmt_pkg::word_t out_data;
  acclmt_axi #(
    .Prime(acclmt_tb_build_pkg::Prime),
    .Reduction(acclmt_tb_build_pkg::Reduction),
    .NumEngines(1),
    .NumPartial(1),
    .PartialDepth(256),
    .Store(1'b0),
    .Adders(1'b0),
    .MaxHeight(8),
    .NodeWords(128),
    .EngineRestCycles(64),
    .SeparateClocks(1'b1)
  ) u_axi (
    .clk_i(bus_clk_q),
    .rst_ni(rst_n),
    .core_clk_i(core_clk_q),
    .core_rst_ni(core_rst_n),
    .memory_config_i(acclmt_memory_pkg::MemoryConfigDefault),
    .s_axil_awvalid_i(in_i[1]),
    .s_axil_awready_o(awready),
    .s_axil_awaddr_i(in_i[32+:AddressWidth]),
    .s_axil_awprot_i('0),
    .s_axil_wvalid_i(in_i[2]),
    .s_axil_wready_o(wready),
    .s_axil_wdata_i(in_i[2*32+:32]),
    .s_axil_wstrb_i(in_i[15:12]),
    .s_axil_bvalid_o(bvalid),
    .s_axil_bready_i(in_i[3]),
    .s_axil_bresp_o(bresp),
    .s_axil_arvalid_i(in_i[4]),
    .s_axil_arready_o(arready),
    .s_axil_araddr_i(in_i[3*32+:AddressWidth]),
    .s_axil_arprot_i('0),
    .s_axil_rvalid_o(rvalid),
    .s_axil_rready_i(in_i[5]),
    .s_axil_rdata_o(rdata),
    .s_axil_rresp_o(rresp),
    .s_axis_tvalid_i(in_i[6]),
    .s_axis_tready_o(in_ready),
    .s_axis_tdata_i(in_i[5*32+:acclmt_pkg::WordWidth]),
    .s_axis_tkeep_i(in_i[4*32+:32]),
    .s_axis_tlast_i(in_i[7]),
    .m_axis_tvalid_o(out_valid),
    .m_axis_tready_i(in_i[8]),
    .m_axis_tdata_o(out_data),
    .m_axis_tkeep_o(out_keep),
    .m_axis_tuser_o(out_user),
    .m_axis_tlast_o(out_last),
    .irq_o(irq)
  );

  assign out_o = {
    out_data, out_keep, out_user, rdata, 16'b0, rresp, bresp, 3'b0, irq, out_last, out_valid,
    in_ready, rvalid, arready, bvalid, wready, awready
  };

  logic unused_bits;
  assign unused_bits = ^in_i;

endmodule

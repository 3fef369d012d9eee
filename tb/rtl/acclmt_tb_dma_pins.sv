// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Testbench only: a chip with DMA, its pins packed. tb/src/dma.rs plays host and memory, and knows
/// the layout.
module acclmt_tb_dma_pins #(
  /// As acclmt_axi_dma.
  parameter int unsigned NumEngines = 2,
  parameter int unsigned NumPartial = 4,
  parameter int unsigned PartialDepth = 128,
  parameter bit Store = 1'b1,
  parameter bit Adders = 1'b1,
  parameter int unsigned MaxHeight = 32,
  parameter int unsigned NodeWords = 512,
  parameter bit SeparateClocks = 1'b0,
  parameter int unsigned DataWidth = 256,
  parameter int unsigned BurstBytes = 1024,
  parameter int unsigned ReadBursts = 16
) (
  input logic clk_i,
  input logic core_clk_i,
  input logic rst_ni,
  input logic core_rst_ni,
  /// From the least significant word: flags, address and data of a register write, address of a
  /// register read, RDATA (16 words). Flags: bit 1 AWVALID, 2 WVALID, 3 BREADY, 4 ARVALID, 5 RREADY
  /// of the registers; of the memory 6 ARREADY, 7 RVALID, 8 RLAST, 9 AWREADY, 10 WREADY, 11 BVALID,
  /// 17:16 RRESP, 19:18 BRESP; 15:12 WSTRB of the registers.
  input logic [20*32-1:0] in_i,
  /// Flags, data of a register read, ARADDR (2 words), AWADDR (2 words), WSTRB (2 words), WDATA (16
  /// words). Flags: bit 0 AWREADY, 1 WREADY, 2 BVALID, 3 ARREADY, 4 RVALID of the registers; of the
  /// memory 5 ARVALID, 6 RREADY, 7 AWVALID, 8 WVALID, 9 WLAST, 10 BREADY; 11 interrupt; 13:12 BRESP
  /// and 15:14 RRESP of the registers; 23:16 ARLEN, 31:24 AWLEN.
  output logic [24*32-1:0] out_o
);

  localparam int unsigned AddressWidth = acclmt_control_pkg::AddressWidth;

  logic awready, wready, bvalid, arready, rvalid, irq;
  logic m_arvalid, m_rready, m_awvalid, m_wvalid, m_wlast, m_bready, m_awlock, m_arlock;
  logic m_awid, m_arid;
  logic [1:0] bresp, rresp, m_awburst, m_arburst;
  logic [2:0] m_awsize, m_arsize, m_awprot, m_arprot;
  logic [3:0] m_awcache, m_arcache, m_awqos, m_arqos;
  logic [7:0] m_arlen, m_awlen;
  logic [31:0] rdata;
  logic [63:0] m_araddr, m_awaddr;
  logic [DataWidth/8-1:0] m_wstrb;
  logic [DataWidth-1:0] m_wdata;
  acclmt_axi_dma #(
    .Prime(acclmt_tb_build_pkg::Prime),
    .Reduction(acclmt_tb_build_pkg::Reduction),
    .NumEngines(NumEngines),
    .NumPartial(NumPartial),
    .PartialDepth(PartialDepth),
    .Store(Store),
    .Adders(Adders),
    .MaxHeight(MaxHeight),
    .NodeWords(NodeWords),
    .SeparateClocks(SeparateClocks),
    .DataWidth(DataWidth),
    .BurstBytes(BurstBytes),
    .ReadBursts(ReadBursts)
  ) u_chip (
    .clk_i,
    .rst_ni,
    .core_clk_i,
    .core_rst_ni,
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
    .m_axi_awvalid_o(m_awvalid),
    .m_axi_awready_i(in_i[9]),
    .m_axi_awid_o(m_awid),
    .m_axi_awaddr_o(m_awaddr),
    .m_axi_awlen_o(m_awlen),
    .m_axi_awsize_o(m_awsize),
    .m_axi_awburst_o(m_awburst),
    .m_axi_awlock_o(m_awlock),
    .m_axi_awcache_o(m_awcache),
    .m_axi_awprot_o(m_awprot),
    .m_axi_awqos_o(m_awqos),
    .m_axi_wvalid_o(m_wvalid),
    .m_axi_wready_i(in_i[10]),
    .m_axi_wdata_o(m_wdata),
    .m_axi_wstrb_o(m_wstrb),
    .m_axi_wlast_o(m_wlast),
    .m_axi_bvalid_i(in_i[11]),
    .m_axi_bready_o(m_bready),
    .m_axi_bid_i(1'b0),
    .m_axi_bresp_i(in_i[19:18]),
    .m_axi_arvalid_o(m_arvalid),
    .m_axi_arready_i(in_i[6]),
    .m_axi_arid_o(m_arid),
    .m_axi_araddr_o(m_araddr),
    .m_axi_arlen_o(m_arlen),
    .m_axi_arsize_o(m_arsize),
    .m_axi_arburst_o(m_arburst),
    .m_axi_arlock_o(m_arlock),
    .m_axi_arcache_o(m_arcache),
    .m_axi_arprot_o(m_arprot),
    .m_axi_arqos_o(m_arqos),
    .m_axi_rvalid_i(in_i[7]),
    .m_axi_rready_o(m_rready),
    .m_axi_rid_i(1'b0),
    .m_axi_rdata_i(in_i[4*32+:DataWidth]),
    .m_axi_rresp_i(in_i[17:16]),
    .m_axi_rlast_i(in_i[8]),
    .irq_o(irq)
  );

  assign out_o = {
    512'(m_wdata), 64'(m_wstrb), m_awaddr, m_araddr, rdata, m_awlen, m_arlen, rresp, bresp, irq,
    m_bready, m_wlast, m_wvalid, m_awvalid, m_rready, m_arvalid, rvalid, arready, bvalid, wready,
    awready
  };

  // What does not change.
  logic constant;
  assign constant =
      {m_awsize, m_arsize} == {2{3'($clog2(DataWidth / 8))}} && {m_awburst, m_arburst} == 4'b0101 &&
      {m_awlock, m_arlock, m_awid, m_arid} == '0 && {m_awcache, m_arcache} == 8'h33 &&
      {m_awprot, m_arprot, m_awqos, m_arqos} == '0;
`ifndef SYNTHESIS
  constant_a : assert property (@(posedge clk_i) disable iff (!rst_ni) constant)
  else $error("acclmt_tb_dma_pins: a constant signal of the memory's bus is another");
`else
  logic unused_constant;
  assign unused_constant = constant;
`endif

  logic unused_bits;
  assign unused_bits = ^in_i;

endmodule

// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// acclmt_axi with one partial-round sub-engine in each hash engine, under the names that cocotbext-axi
/// looks for.
module acclmt_cocotb_axi (
  input logic aclk,
  input logic aresetn,
  input logic s_axil_awvalid,
  output logic s_axil_awready,
  input logic [11:0] s_axil_awaddr,
  input logic [2:0] s_axil_awprot,
  input logic s_axil_wvalid,
  output logic s_axil_wready,
  input logic [31:0] s_axil_wdata,
  input logic [3:0] s_axil_wstrb,
  output logic s_axil_bvalid,
  input logic s_axil_bready,
  output logic [1:0] s_axil_bresp,
  input logic s_axil_arvalid,
  output logic s_axil_arready,
  input logic [11:0] s_axil_araddr,
  input logic [2:0] s_axil_arprot,
  output logic s_axil_rvalid,
  input logic s_axil_rready,
  output logic [31:0] s_axil_rdata,
  output logic [1:0] s_axil_rresp,
  input logic s_axis_tvalid,
  output logic s_axis_tready,
  input logic [255:0] s_axis_tdata,
  input logic [31:0] s_axis_tkeep,
  input logic s_axis_tlast,
  output logic m_axis_tvalid,
  input logic m_axis_tready,
  output logic [255:0] m_axis_tdata,
  output logic [31:0] m_axis_tkeep,
  output logic [63:0] m_axis_tuser,
  output logic m_axis_tlast,
  output logic irq
);

  acclmt_axi #(
    .NumPartial(1)
  ) u_axi (
    .clk_i(aclk),
    .rst_ni(aresetn),
    .core_clk_i(1'b0),
    .core_rst_ni(1'b0),
    .memory_config_i(acclmt_memory_pkg::MemoryConfigDefault),
    .s_axil_awvalid_i(s_axil_awvalid),
    .s_axil_awready_o(s_axil_awready),
    .s_axil_awaddr_i(s_axil_awaddr),
    .s_axil_awprot_i(s_axil_awprot),
    .s_axil_wvalid_i(s_axil_wvalid),
    .s_axil_wready_o(s_axil_wready),
    .s_axil_wdata_i(s_axil_wdata),
    .s_axil_wstrb_i(s_axil_wstrb),
    .s_axil_bvalid_o(s_axil_bvalid),
    .s_axil_bready_i(s_axil_bready),
    .s_axil_bresp_o(s_axil_bresp),
    .s_axil_arvalid_i(s_axil_arvalid),
    .s_axil_arready_o(s_axil_arready),
    .s_axil_araddr_i(s_axil_araddr),
    .s_axil_arprot_i(s_axil_arprot),
    .s_axil_rvalid_o(s_axil_rvalid),
    .s_axil_rready_i(s_axil_rready),
    .s_axil_rdata_o(s_axil_rdata),
    .s_axil_rresp_o(s_axil_rresp),
    .s_axis_tvalid_i(s_axis_tvalid),
    .s_axis_tready_o(s_axis_tready),
    .s_axis_tdata_i(s_axis_tdata),
    .s_axis_tkeep_i(s_axis_tkeep),
    .s_axis_tlast_i(s_axis_tlast),
    .m_axis_tvalid_o(m_axis_tvalid),
    .m_axis_tready_i(m_axis_tready),
    .m_axis_tdata_o(m_axis_tdata),
    .m_axis_tkeep_o(m_axis_tkeep),
    .m_axis_tuser_o(m_axis_tuser),
    .m_axis_tlast_o(m_axis_tlast),
    .irq_o(irq)
  );

endmodule

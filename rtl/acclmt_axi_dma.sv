// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// AcclMT with DMA: AXI4-Lite for the registers, an AXI4 master that fetches input and writes
/// output, in a clock of their own where SeparateClocks is 1.
///
///     s_axil -> acclmt_axi_lite -> acclmt_dma <-> m_axi
///                                      ^
///                                      v
///                            acclmt_clock_crossing
///                                      ^
///                                      v
///                              acclmt_packet_core
///
/// The names of ports are those of AXI in lower case, behind the name of their bus. Registers:
/// those of the core, of the streams and of the DMA, see docs/registers.md. docs/dma.md says how
/// runs are described in memory.
///
/// The master uses INCR bursts of whole beats with one ID, 0, which cross no multiple of 4096;
/// what it writes, and nothing else, has WSTRB 1. AxCACHE is 0011, AxPROT 000, AxLOCK and AxQOS 0.
///
/// Handshake:  AXI4-Lite and AXI4; no combinational path from an input of a bus to an output.
/// Latency:    see acclmt_dma and acclmt_packet_core. Throughput: one word a cycle from and to
///             memory; registers as acclmt_axi_lite.
module acclmt_axi_dma #(
  /// As acclmt_core.
  parameter acclmt_pkg::word_t Prime = acclmt_pkg::PrimeBls12381,
  parameter bit Goldilocks = 1'b1,
  parameter int unsigned Reduction = acclmt_pkg::ReductionConstant,
  parameter int unsigned NumEngines = 2,
  parameter int unsigned NumFull = 1,
  parameter int unsigned NumPartial = 4,
  parameter int unsigned MatrixDepth = 64,
  parameter int unsigned ConstantDepth = 256,
  parameter int unsigned PartialDepth = 128,
  parameter bit Store = 1'b1,
  parameter bit Adders = 1'b1,
  parameter int unsigned MaxHeight = 32,
  parameter int unsigned NodeWords = 512,
  /// Whether the core has a clock of its own, flops of a synchroniser, and words of the buffers
  /// between the clocks: see acclmt_clock_crossing.
  parameter bit SeparateClocks = 1'b0,
  parameter int unsigned SyncStages = 2,
  parameter int unsigned CrossingWords = 8,
  /// The bus of the memory: bits of a beat, bytes of the longest burst, bursts of reads on their
  /// way, base-2 logarithm of the descriptors of the largest ring: see acclmt_dma.
  parameter int unsigned DataWidth = 256,
  parameter int unsigned BurstBytes = 1024,
  parameter int unsigned ReadBursts = 16,
  parameter int unsigned MaxLog2Ring = 16,
  /// Bits of an ID, at least 1.
  parameter int unsigned IdWidth = 1,
  /// Whether memories keep parity, see acclmt_memory.
  parameter bit MemoryParity = 1'b0,
  /// Cycles without work behind which the clock of a hash engine stands still, 64..65536, by
  /// acclmt_clock_gate; 0: it never does.
  parameter int unsigned EngineRestCycles = 0
) (
  /// Clock and asynchronous reset, ACLK and ARESETn of all buses; of the core, too, where
  /// SeparateClocks is 0.
  input logic clk_i,
  input logic rst_ni,
  /// Clock of the core, and its reset, of any clock; without a meaning where SeparateClocks is 0.
  input logic core_clk_i,
  input logic core_rst_ni,
  /// Configuration of every memory, see acclmt_memory_pkg; quasi-static, else
  /// `acclmt_memory_pkg::MemoryConfigDefault`.
  input acclmt_memory_pkg::memory_config_t memory_config_i,
  /// AXI4-Lite slave: the registers.
  input logic s_axil_awvalid_i,
  output logic s_axil_awready_o,
  input logic [acclmt_control_pkg::AddressWidth-1:0] s_axil_awaddr_i,
  input logic [2:0] s_axil_awprot_i,
  input logic s_axil_wvalid_i,
  output logic s_axil_wready_o,
  input logic [31:0] s_axil_wdata_i,
  input logic [3:0] s_axil_wstrb_i,
  output logic s_axil_bvalid_o,
  input logic s_axil_bready_i,
  output logic [1:0] s_axil_bresp_o,
  input logic s_axil_arvalid_i,
  output logic s_axil_arready_o,
  input logic [acclmt_control_pkg::AddressWidth-1:0] s_axil_araddr_i,
  input logic [2:0] s_axil_arprot_i,
  output logic s_axil_rvalid_o,
  input logic s_axil_rready_i,
  output logic [31:0] s_axil_rdata_o,
  output logic [1:0] s_axil_rresp_o,
  /// AXI4 master: the memory.
  output logic m_axi_awvalid_o,
  input logic m_axi_awready_i,
  output logic [IdWidth-1:0] m_axi_awid_o,
  output logic [acclmt_dma_pkg::AddressWidth-1:0] m_axi_awaddr_o,
  output logic [7:0] m_axi_awlen_o,
  output logic [2:0] m_axi_awsize_o,
  output logic [1:0] m_axi_awburst_o,
  output logic m_axi_awlock_o,
  output logic [3:0] m_axi_awcache_o,
  output logic [2:0] m_axi_awprot_o,
  output logic [3:0] m_axi_awqos_o,
  output logic m_axi_wvalid_o,
  input logic m_axi_wready_i,
  output logic [DataWidth-1:0] m_axi_wdata_o,
  output logic [DataWidth/8-1:0] m_axi_wstrb_o,
  output logic m_axi_wlast_o,
  input logic m_axi_bvalid_i,
  output logic m_axi_bready_o,
  input logic [IdWidth-1:0] m_axi_bid_i,
  input logic [1:0] m_axi_bresp_i,
  output logic m_axi_arvalid_o,
  input logic m_axi_arready_i,
  output logic [IdWidth-1:0] m_axi_arid_o,
  output logic [acclmt_dma_pkg::AddressWidth-1:0] m_axi_araddr_o,
  output logic [7:0] m_axi_arlen_o,
  output logic [2:0] m_axi_arsize_o,
  output logic [1:0] m_axi_arburst_o,
  output logic m_axi_arlock_o,
  output logic [3:0] m_axi_arcache_o,
  output logic [2:0] m_axi_arprot_o,
  output logic [3:0] m_axi_arqos_o,
  input logic m_axi_rvalid_i,
  output logic m_axi_rready_o,
  input logic [IdWidth-1:0] m_axi_rid_i,
  input logic [DataWidth-1:0] m_axi_rdata_i,
  input logic [1:0] m_axi_rresp_i,
  input logic m_axi_rlast_i,
  /// An event is pending that INTERRUPT_ENABLE, STREAM_ENABLE or DMA_ENABLE names.
  output logic irq_o
);

  if (IdWidth < 1) begin : gen_illegal_id
    $error("acclmt_axi_dma: IdWidth = %0d is not at least 1", IdWidth);
  end

  localparam int unsigned AddressWidth = acclmt_control_pkg::AddressWidth;

  // ---- Registers --------------------------------------------------------------------------------

  logic reg_valid, reg_write, reg_rvalid, reg_error;
  logic [AddressWidth-1:0] reg_addr;
  logic [31:0] reg_wdata, reg_rdata;
  acclmt_axi_lite #(
    .AddressWidth(AddressWidth)
  ) u_axi_lite (
    .clk_i,
    .rst_ni,
    .awvalid_i(s_axil_awvalid_i),
    .awready_o(s_axil_awready_o),
    .awaddr_i(s_axil_awaddr_i),
    .wvalid_i(s_axil_wvalid_i),
    .wready_o(s_axil_wready_o),
    .wdata_i(s_axil_wdata_i),
    .wstrb_i(s_axil_wstrb_i),
    .bvalid_o(s_axil_bvalid_o),
    .bready_i(s_axil_bready_i),
    .bresp_o(s_axil_bresp_o),
    .arvalid_i(s_axil_arvalid_i),
    .arready_o(s_axil_arready_o),
    .araddr_i(s_axil_araddr_i),
    .rvalid_o(s_axil_rvalid_o),
    .rready_i(s_axil_rready_i),
    .rdata_o(s_axil_rdata_o),
    .rresp_o(s_axil_rresp_o),
    .reg_valid_o(reg_valid),
    .reg_write_o(reg_write),
    .reg_addr_o(reg_addr),
    .reg_wdata_o(reg_wdata),
    .reg_rvalid_i(reg_rvalid),
    .reg_rdata_i(reg_rdata),
    .reg_error_i(reg_error)
  );

  // ---- DMA --------------------------------------------------------------------------------------

  logic next_valid, next_write, next_rvalid, next_error, dma_irq, chip_irq;
  logic [AddressWidth-1:0] next_addr;
  logic [31:0] next_wdata, next_rdata;
  logic bus_in_tvalid, bus_in_tready, bus_in_tlast, bus_out_tvalid, bus_out_tready, bus_out_tlast;
  logic [acclmt_pkg::WordWidth-1:0] bus_in_tdata, bus_out_tdata;
  logic [acclmt_bus_pkg::UserWidth-1:0] bus_out_tuser;
  acclmt_dma #(
    .DataWidth(DataWidth),
    .BurstBytes(BurstBytes),
    .ReadBursts(ReadBursts),
    .MaxLog2Ring(MaxLog2Ring),
    .MemoryParity(MemoryParity)
  ) u_dma (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .reg_valid_i(reg_valid),
    .reg_write_i(reg_write),
    .reg_addr_i(reg_addr),
    .reg_wdata_i(reg_wdata),
    .reg_rvalid_o(reg_rvalid),
    .reg_rdata_o(reg_rdata),
    .reg_error_o(reg_error),
    .core_reg_valid_o(next_valid),
    .core_reg_write_o(next_write),
    .core_reg_addr_o(next_addr),
    .core_reg_wdata_o(next_wdata),
    .core_reg_rvalid_i(next_rvalid),
    .core_reg_rdata_i(next_rdata),
    .core_reg_error_i(next_error),
    .in_tvalid_o(bus_in_tvalid),
    .in_tready_i(bus_in_tready),
    .in_tdata_o(bus_in_tdata),
    .in_tlast_o(bus_in_tlast),
    .out_tvalid_i(bus_out_tvalid),
    .out_tready_o(bus_out_tready),
    .out_tdata_i(bus_out_tdata),
    .out_tuser_i(bus_out_tuser),
    .out_tlast_i(bus_out_tlast),
    .awvalid_o(m_axi_awvalid_o),
    .awready_i(m_axi_awready_i),
    .awaddr_o(m_axi_awaddr_o),
    .awlen_o(m_axi_awlen_o),
    .wvalid_o(m_axi_wvalid_o),
    .wready_i(m_axi_wready_i),
    .wdata_o(m_axi_wdata_o),
    .wstrb_o(m_axi_wstrb_o),
    .wlast_o(m_axi_wlast_o),
    .bvalid_i(m_axi_bvalid_i),
    .bready_o(m_axi_bready_o),
    .bresp_i(m_axi_bresp_i),
    .arvalid_o(m_axi_arvalid_o),
    .arready_i(m_axi_arready_i),
    .araddr_o(m_axi_araddr_o),
    .arlen_o(m_axi_arlen_o),
    .rvalid_i(m_axi_rvalid_i),
    .rready_o(m_axi_rready_o),
    .rdata_i(m_axi_rdata_i),
    .rresp_i(m_axi_rresp_i),
    .rlast_i(m_axi_rlast_i),
    .irq_o(dma_irq)
  );
  assign irq_o = dma_irq || chip_irq;

  assign m_axi_awid_o = '0;
  assign m_axi_awsize_o = 3'($clog2(DataWidth / 8));
  assign m_axi_awburst_o = acclmt_dma_pkg::BurstIncr;
  assign m_axi_awlock_o = 1'b0;
  assign m_axi_awcache_o = acclmt_dma_pkg::Cache;
  assign m_axi_awprot_o = acclmt_dma_pkg::Prot;
  assign m_axi_awqos_o = '0;
  assign m_axi_arid_o = '0;
  assign m_axi_arsize_o = 3'($clog2(DataWidth / 8));
  assign m_axi_arburst_o = acclmt_dma_pkg::BurstIncr;
  assign m_axi_arlock_o = 1'b0;
  assign m_axi_arcache_o = acclmt_dma_pkg::Cache;
  assign m_axi_arprot_o = acclmt_dma_pkg::Prot;
  assign m_axi_arqos_o = '0;

  // ---- Crossing ---------------------------------------------------------------------------------

  logic core_clk, core_rst_n, core_reg_valid, core_reg_write, core_reg_rvalid, core_reg_error;
  logic in_open, in_tvalid, in_tready, in_tlast, out_tvalid, out_tready, out_tlast, out_pending;
  logic core_irq;
  logic [AddressWidth-1:0] core_reg_addr;
  logic [31:0] core_reg_wdata, core_reg_rdata;
  logic [acclmt_pkg::WordWidth-1:0] in_tdata, out_tdata;
  logic [acclmt_pkg::WordWidth/8-1:0] in_tkeep;
  logic [acclmt_bus_pkg::UserWidth-1:0] out_tuser;
  acclmt_clock_crossing #(
    .SeparateClocks(SeparateClocks),
    .Stages(SyncStages),
    .Words(CrossingWords)
  ) u_crossing (
    .clk_i,
    .rst_ni,
    .core_clk_i,
    .core_rst_ni,
    .core_clk_o(core_clk),
    .core_rst_no(core_rst_n),
    .reg_valid_i(next_valid),
    .reg_write_i(next_write),
    .reg_addr_i(next_addr),
    .reg_wdata_i(next_wdata),
    .reg_rvalid_o(next_rvalid),
    .reg_rdata_o(next_rdata),
    .reg_error_o(next_error),
    .in_tvalid_i(bus_in_tvalid),
    .in_tready_o(bus_in_tready),
    .in_tdata_i(bus_in_tdata),
    .in_tkeep_i('1),
    .in_tlast_i(bus_in_tlast),
    .out_tvalid_o(bus_out_tvalid),
    .out_tready_i(bus_out_tready),
    .out_tdata_o(bus_out_tdata),
    .out_tuser_o(bus_out_tuser),
    .out_tlast_o(bus_out_tlast),
    .irq_o(chip_irq),
    .core_reg_valid_o(core_reg_valid),
    .core_reg_write_o(core_reg_write),
    .core_reg_addr_o(core_reg_addr),
    .core_reg_wdata_o(core_reg_wdata),
    .core_reg_rvalid_i(core_reg_rvalid),
    .core_reg_rdata_i(core_reg_rdata),
    .core_reg_error_i(core_reg_error),
    .core_in_open_i(in_open),
    .core_in_tvalid_o(in_tvalid),
    .core_in_tready_i(in_tready),
    .core_in_tdata_o(in_tdata),
    .core_in_tkeep_o(in_tkeep),
    .core_in_tlast_o(in_tlast),
    .core_out_tvalid_i(out_tvalid),
    .core_out_tready_o(out_tready),
    .core_out_tdata_i(out_tdata),
    .core_out_tuser_i(out_tuser),
    .core_out_tlast_i(out_tlast),
    .core_out_pending_o(out_pending),
    .core_irq_i(core_irq)
  );

  // ---- Packets and core -------------------------------------------------------------------------

  acclmt_packet_core #(
    .Prime(Prime),
    .Goldilocks(Goldilocks),
    .Reduction(Reduction),
    .NumEngines(NumEngines),
    .NumFull(NumFull),
    .NumPartial(NumPartial),
    .MatrixDepth(MatrixDepth),
    .ConstantDepth(ConstantDepth),
    .PartialDepth(PartialDepth),
    .Store(Store),
    .Adders(Adders),
    .MaxHeight(MaxHeight),
    .NodeWords(NodeWords),
    .Withdraws(1'b1),
    .MemoryParity(MemoryParity),
    .EngineRestCycles(EngineRestCycles)
  ) u_packet_core (
    .clk_i(core_clk),
    .rst_ni(core_rst_n),
    .memory_config_i,
    .reg_valid_i(core_reg_valid),
    .reg_write_i(core_reg_write),
    .reg_addr_i(core_reg_addr),
    .reg_wdata_i(core_reg_wdata),
    .reg_rvalid_o(core_reg_rvalid),
    .reg_rdata_o(core_reg_rdata),
    .reg_error_o(core_reg_error),
    .in_open_o(in_open),
    .in_tvalid_i(in_tvalid),
    .in_tready_o(in_tready),
    .in_tdata_i(in_tdata),
    .in_tkeep_i(in_tkeep),
    .in_tlast_i(in_tlast),
    .out_tvalid_o(out_tvalid),
    .out_tready_i(out_tready),
    .out_tdata_o(out_tdata),
    .out_tuser_o(out_tuser),
    .out_tlast_o(out_tlast),
    .out_pending_i(out_pending),
    .irq_o(core_irq)
  );

  logic unused_bits;
  assign unused_bits = ^{s_axil_awprot_i, s_axil_arprot_i, m_axi_bid_i, m_axi_rid_i};

endmodule

// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// AcclMT with buses: AXI4-Lite for the registers, AXI4-Stream for input and output, in a
/// clock of their own where SeparateClocks is 1.
///
///     s_axil -> acclmt_axi_lite -> acclmt_clock_crossing -> register port of acclmt_packet_core
///     s_axis --------------------> acclmt_clock_crossing -> input packets
///     m_axis <-------------------- acclmt_clock_crossing <- output packets
///
/// The names of ports are those of AXI in lower case, behind the name of their bus. Registers:
/// those of the core at their addresses (docs/registers.md), those of the streams from 0x800 on
/// (docs/buses.md). A packet is the input, or the output, of one run. TDATA is a word of the core,
/// little-endian: byte n in bits 8n+7 to 8n.
///
/// - Input: TKEEP is all ones in every word, and so has to be tied where the source has none. There
///   is no TSTRB. See acclmt_stream_input for TLAST.
/// - Output: TKEEP is all ones. TUSER: bits 39:0 the index of the node in its level, 47:40 the
///   level, 55:48 the engine (0), bit 56 the run is void, bit 57 the run was aborted, 63:58 are 0.
///   The word with TLAST tells whether the run is void. See acclmt_stream_output for aborted runs.
///
/// A run is void for the reasons of acclmt_core and if its input packet was too long or had a word
/// whose TKEEP is not all ones.
///
/// Handshake:  AXI4-Lite and AXI4-Stream; no combinational path from an input of a bus to an
///             output.
/// Latency:    one cycle more than the core on either stream. A run takes as many cycles as in the
///             core alone, because the first words are here before it takes them; STATUS.Done is
///             set as the last word leaves the core, a cycle before it is offered.
/// Throughput: one word a cycle on either stream; registers as acclmt_axi_lite.
module acclmt_axi #(
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
  /// AXI4-Stream slave: field elements.
  input logic s_axis_tvalid_i,
  output logic s_axis_tready_o,
  input logic [acclmt_pkg::WordWidth-1:0] s_axis_tdata_i,
  input logic [acclmt_pkg::WordWidth/8-1:0] s_axis_tkeep_i,
  input logic s_axis_tlast_i,
  /// AXI4-Stream master: nodes.
  output logic m_axis_tvalid_o,
  input logic m_axis_tready_i,
  output logic [acclmt_pkg::WordWidth-1:0] m_axis_tdata_o,
  output logic [acclmt_pkg::WordWidth/8-1:0] m_axis_tkeep_o,
  output logic [acclmt_bus_pkg::UserWidth-1:0] m_axis_tuser_o,
  output logic m_axis_tlast_o,
  /// An event is pending that INTERRUPT_ENABLE or STREAM_ENABLE names.
  output logic irq_o
);

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
    .reg_valid_i(reg_valid),
    .reg_write_i(reg_write),
    .reg_addr_i(reg_addr),
    .reg_wdata_i(reg_wdata),
    .reg_rvalid_o(reg_rvalid),
    .reg_rdata_o(reg_rdata),
    .reg_error_o(reg_error),
    .in_tvalid_i(s_axis_tvalid_i),
    .in_tready_o(s_axis_tready_o),
    .in_tdata_i(s_axis_tdata_i),
    .in_tkeep_i(s_axis_tkeep_i),
    .in_tlast_i(s_axis_tlast_i),
    .out_tvalid_o(m_axis_tvalid_o),
    .out_tready_i(m_axis_tready_i),
    .out_tdata_o(m_axis_tdata_o),
    .out_tuser_o(m_axis_tuser_o),
    .out_tlast_o(m_axis_tlast_o),
    .irq_o,
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
    .Withdraws(SeparateClocks),
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
  assign m_axis_tkeep_o = '1;

  logic unused_bits;
  assign unused_bits = ^{s_axil_awprot_i, s_axil_arprot_i};

endmodule

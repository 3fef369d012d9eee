// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// AcclMT with buses: AXI4-Lite for the registers, AXI4-Stream for input and output. One clock.
///
///     s_axil -> acclmt_axi_lite -> acclmt_bus_registers -> register port of acclmt_core
///     s_axis -> acclmt_stream_input --------------------> data input
///     m_axis <- acclmt_stream_output <------------------- data output
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
  parameter int unsigned NumFull = 1,
  parameter int unsigned NumPartial = 3,
  parameter int unsigned MatrixDepth = 128,
  parameter int unsigned ConstantDepth = 256,
  parameter int unsigned PartialDepth = 128,
  parameter int unsigned MaxHeight = 23,
  parameter int unsigned LeafWords = 4096,
  parameter int unsigned RootWords = 2048,
  parameter int unsigned ScratchWords = 128,
  parameter int unsigned HidmWords0 = 256,
  parameter int unsigned HidmWords1 = 16
) (
  /// Clock and asynchronous reset, ACLK and ARESETn of all buses.
  input logic clk_i,
  input logic rst_ni,
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
  localparam int unsigned WordWidth = acclmt_pkg::WordWidth;
  localparam int unsigned UserWidth = acclmt_bus_pkg::UserWidth;

  if (acclmt_tree_pkg::NodeIndexWidth > acclmt_bus_pkg::UserIndexWidth) begin : gen_illegal_index
    $error("acclmt_axi: NodeIndexWidth = %0d is not within the %0d bits of TUSER",
           acclmt_tree_pkg::NodeIndexWidth, acclmt_bus_pkg::UserIndexWidth);
  end

  // ---- Registers --------------------------------------------------------------------------------

  logic bus_valid, bus_write, bus_rvalid, bus_error;
  logic [AddressWidth-1:0] bus_addr;
  logic [31:0] bus_wdata, bus_rdata;
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
    .reg_valid_o(bus_valid),
    .reg_write_o(bus_write),
    .reg_addr_o(bus_addr),
    .reg_wdata_o(bus_wdata),
    .reg_rvalid_i(bus_rvalid),
    .reg_rdata_i(bus_rdata),
    .reg_error_i(bus_error)
  );

  logic reg_valid, reg_write, reg_rvalid, reg_error;
  logic [AddressWidth-1:0] reg_addr;
  logic [31:0] reg_wdata, reg_rdata;
  logic start, clear, discard, keep, input_open, discarding, output_open, core_irq, stream_irq;
  logic [acclmt_bus_pkg::NumEvents-1:0] events;
  acclmt_bus_registers u_bus_registers (
    .clk_i,
    .rst_ni,
    .reg_valid_i(bus_valid),
    .reg_write_i(bus_write),
    .reg_addr_i(bus_addr),
    .reg_wdata_i(bus_wdata),
    .reg_rvalid_o(bus_rvalid),
    .reg_rdata_o(bus_rdata),
    .reg_error_o(bus_error),
    .core_valid_o(reg_valid),
    .core_write_o(reg_write),
    .core_addr_o(reg_addr),
    .core_wdata_o(reg_wdata),
    .core_rvalid_i(reg_rvalid),
    .core_rdata_i(reg_rdata),
    .core_error_i(reg_error),
    .start_o(start),
    .clear_o(clear),
    .discard_o(discard),
    .keep_o(keep),
    .input_open_i(input_open),
    .discarding_i(discarding),
    .output_open_i(output_open),
    .events_i(events),
    .irq_o(stream_irq)
  );
  assign irq_o = core_irq || stream_irq;

  // ---- Streams ----------------------------------------------------------------------------------

  logic in_valid, in_ready, out_valid, out_ready, out_last, out_error, run_done, input_void;
  logic [WordWidth-1:0] in_data, out_data;
  acclmt_tree_pkg::level_t out_level;
  logic [acclmt_tree_pkg::NodeIndexWidth-1:0] out_index;
  assign run_done = out_valid && out_ready && out_last && !clear;
  acclmt_stream_input #(
    .Width(WordWidth)
  ) u_input (
    .clk_i,
    .rst_ni,
    .start_i(start),
    .clear_i(clear),
    .run_done_i(run_done),
    .discard_i(discard),
    .keep_i(keep),
    .tvalid_i(s_axis_tvalid_i),
    .tready_o(s_axis_tready_o),
    .tdata_i(s_axis_tdata_i),
    .tkeep_i(s_axis_tkeep_i),
    .tlast_i(s_axis_tlast_i),
    .valid_o(in_valid),
    .ready_i(in_ready),
    .data_o(in_data),
    .open_o(input_open),
    .discarding_o(discarding),
    .void_o(input_void),
    .early_last_o(events[acclmt_bus_pkg::EventEarlyLastBit]),
    .late_last_o(events[acclmt_bus_pkg::EventLateLastBit]),
    .partial_word_o(events[acclmt_bus_pkg::EventPartialWordBit])
  );

  logic [UserWidth-1:0] user;
  always_comb begin
    user = '0;
    user[acclmt_bus_pkg::UserIndexLsb+:acclmt_bus_pkg::UserIndexWidth] =
        acclmt_bus_pkg::UserIndexWidth'(out_index);
    user[acclmt_bus_pkg::UserLevelLsb+:acclmt_bus_pkg::UserLevelWidth] =
        acclmt_bus_pkg::UserLevelWidth'(out_level);
    // The only one.
    user[acclmt_bus_pkg::UserEngineLsb+:acclmt_bus_pkg::UserEngineWidth] = '0;
    user[acclmt_bus_pkg::UserErrorBit] = out_error || (out_last && input_void);
  end
  localparam logic [UserWidth-1:0] AbortUser =
      (UserWidth'(1) << acclmt_bus_pkg::UserErrorBit) |
      (UserWidth'(1) << acclmt_bus_pkg::UserAbortedBit);
  acclmt_stream_output #(
    .Width(WordWidth),
    .UserWidth(UserWidth),
    .AbortUser(AbortUser)
  ) u_output (
    .clk_i,
    .rst_ni,
    .clear_i(clear),
    .valid_i(out_valid),
    .ready_o(out_ready),
    .data_i(out_data),
    .user_i(user),
    .last_i(out_last),
    .tvalid_o(m_axis_tvalid_o),
    .tready_i(m_axis_tready_i),
    .tdata_o(m_axis_tdata_o),
    .tuser_o(m_axis_tuser_o),
    .tlast_o(m_axis_tlast_o),
    .open_o(output_open)
  );
  assign m_axis_tkeep_o = '1;

  // ---- Core -------------------------------------------------------------------------------------

  acclmt_core #(
    .Prime(Prime),
    .Goldilocks(Goldilocks),
    .Reduction(Reduction),
    .NumFull(NumFull),
    .NumPartial(NumPartial),
    .MatrixDepth(MatrixDepth),
    .ConstantDepth(ConstantDepth),
    .PartialDepth(PartialDepth),
    .MaxHeight(MaxHeight),
    .LeafWords(LeafWords),
    .RootWords(RootWords),
    .ScratchWords(ScratchWords),
    .HidmWords0(HidmWords0),
    .HidmWords1(HidmWords1)
  ) u_core (
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
    .in_valid_i(in_valid),
    .in_ready_o(in_ready),
    .in_data_i(in_data),
    .out_valid_o(out_valid),
    .out_ready_i(out_ready),
    .out_data_o(out_data),
    .out_level_o(out_level),
    .out_index_o(out_index),
    .out_last_o(out_last),
    .out_error_o(out_error),
    .irq_o(core_irq)
  );

  logic unused_bits;
  assign unused_bits = ^{s_axil_awprot_i, s_axil_arprot_i};

endmodule

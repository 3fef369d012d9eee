// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// The core and what belongs to it on buses: the registers of the streams and the ends of the
/// packet streams. All of it is in the clock of the core; a bus, and a crossing between clocks, is
/// in front of it.
///
///     register port --> acclmt_bus_registers --> register port of acclmt_core
///     input packets --> acclmt_stream_input ---> data input
///     output packets <- acclmt_stream_output <-- data output
///
/// Registers: those of the core at their addresses (docs/registers.md), those of the streams from
/// 0x800 on (docs/buses.md). A packet is the input, or the output, of one run.
///
/// - Input: see acclmt_stream_input for TLAST and TKEEP.
/// - Output: TUSER: bits 39:0 the index of the node in its level, 47:40 the level, 55:48 the engine
///   (0), bit 56 the run is void, bit 57 the run was aborted, 63:58 are 0. The word with TLAST
///   tells whether the run is void. See acclmt_stream_output for aborted runs.
///
/// A run is void for the reasons of acclmt_core and if its input packet was too long or had a word
/// whose TKEEP is not all ones.
///
/// Handshake:  streams: ready/valid as AXI4-Stream, no combinational path from an input to an
///             output. Register port: a request lasts one cycle and is answered by `reg_rvalid_o`
///             in a later one; there must be no further request before.
/// Latency:    one cycle more than the core on either stream. A run takes as many cycles as in the
///             core alone, because the first words are here before it takes them; STATUS.Done is
///             set as the last word leaves the core, a cycle before it is offered.
/// Throughput: one word a cycle on either stream.
module acclmt_packet_core #(
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
  /// See acclmt_stream_input.
  parameter bit Withdraws = 1'b0,
  /// Whether memories keep parity, see acclmt_memory.
  parameter bit MemoryParity = 1'b0,
  /// Cycles without work behind which the clock of a hash engine stands still, 64..65536, by
  /// acclmt_clock_gate; 0: it never does.
  parameter int unsigned EngineRestCycles = 0
) (
  /// Clock and asynchronous reset.
  input logic clk_i,
  input logic rst_ni,
  /// Configuration of every memory, see acclmt_memory_pkg; quasi-static, else
  /// `acclmt_memory_pkg::MemoryConfigDefault`.
  input acclmt_memory_pkg::memory_config_t memory_config_i,
  /// Register port.
  input logic reg_valid_i,
  input logic reg_write_i,
  input logic [acclmt_control_pkg::AddressWidth-1:0] reg_addr_i,
  input logic [31:0] reg_wdata_i,
  output logic reg_rvalid_o,
  output logic [31:0] reg_rdata_o,
  output logic reg_error_o,
  /// Words of the input are taken, for a run or to discard them.
  output logic in_open_o,
  /// Input packets: field elements.
  input logic in_tvalid_i,
  output logic in_tready_o,
  input logic [acclmt_pkg::WordWidth-1:0] in_tdata_i,
  input logic [acclmt_pkg::WordWidth/8-1:0] in_tkeep_i,
  input logic in_tlast_i,
  /// Output packets: nodes.
  output logic out_tvalid_o,
  input logic out_tready_i,
  output logic [acclmt_pkg::WordWidth-1:0] out_tdata_o,
  output logic [acclmt_bus_pkg::UserWidth-1:0] out_tuser_o,
  output logic out_tlast_o,
  /// Words of the output that were taken here have not left the bus: 0 where the bus takes them.
  input logic out_pending_i,
  /// An event is pending that INTERRUPT_ENABLE or STREAM_ENABLE names.
  output logic irq_o
);

  localparam int unsigned AddressWidth = acclmt_control_pkg::AddressWidth;
  localparam int unsigned WordWidth = acclmt_pkg::WordWidth;
  localparam int unsigned UserWidth = acclmt_bus_pkg::UserWidth;

  if (acclmt_tree_pkg::NodeIndexWidth > acclmt_bus_pkg::UserIndexWidth) begin : gen_illegal_index
    $error("acclmt_packet_core: NodeIndexWidth = %0d is not within the %0d bits of TUSER",
           acclmt_tree_pkg::NodeIndexWidth, acclmt_bus_pkg::UserIndexWidth);
  end

  // ---- Registers --------------------------------------------------------------------------------

  logic core_valid, core_write, core_rvalid, core_error;
  logic [AddressWidth-1:0] core_addr;
  logic [31:0] core_wdata, core_rdata;
  logic start, clear, discard, keep, input_open, discarding, output_open, core_irq, stream_irq;
  logic [acclmt_bus_pkg::NumEvents-1:0] events;
  acclmt_bus_registers u_bus_registers (
    .clk_i,
    .rst_ni,
    .reg_valid_i,
    .reg_write_i,
    .reg_addr_i,
    .reg_wdata_i,
    .reg_rvalid_o,
    .reg_rdata_o,
    .reg_error_o,
    .core_valid_o(core_valid),
    .core_write_o(core_write),
    .core_addr_o(core_addr),
    .core_wdata_o(core_wdata),
    .core_rvalid_i(core_rvalid),
    .core_rdata_i(core_rdata),
    .core_error_i(core_error),
    .start_o(start),
    .clear_o(clear),
    .discard_o(discard),
    .keep_o(keep),
    .input_open_i(input_open),
    .discarding_i(discarding),
    .output_open_i(output_open || out_pending_i),
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
  assign in_open_o = input_open || discarding;
  acclmt_stream_input #(
    .Width(WordWidth),
    .Withdraws(Withdraws)
  ) u_input (
    .clk_i,
    .rst_ni,
    .start_i(start),
    .clear_i(clear),
    .run_done_i(run_done),
    .discard_i(discard),
    .keep_i(keep),
    .tvalid_i(in_tvalid_i),
    .tready_o(in_tready_o),
    .tdata_i(in_tdata_i),
    .tkeep_i(in_tkeep_i),
    .tlast_i(in_tlast_i),
    .valid_o(in_valid),
    .ready_i(in_ready),
    .data_o(in_data),
    .open_o(input_open),
    .discarding_o(discarding),
    .void_o(input_void),
    .early_last_o(events[acclmt_reg_pkg::StreamEventsEarlyLastBit]),
    .late_last_o(events[acclmt_reg_pkg::StreamEventsLateLastBit]),
    .partial_word_o(events[acclmt_reg_pkg::StreamEventsPartialWordBit])
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
  acclmt_stream_output #(
    .Width(WordWidth),
    .UserWidth(UserWidth),
    .AbortUser(acclmt_bus_pkg::AbortUser)
  ) u_output (
    .clk_i,
    .rst_ni,
    .clear_i(clear),
    .valid_i(out_valid),
    .ready_o(out_ready),
    .data_i(out_data),
    .user_i(user),
    .last_i(out_last),
    .tvalid_o(out_tvalid_o),
    .tready_i(out_tready_i),
    .tdata_o(out_tdata_o),
    .tuser_o(out_tuser_o),
    .tlast_o(out_tlast_o),
    .open_o(output_open)
  );

  // ---- Core -------------------------------------------------------------------------------------

  acclmt_core #(
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
    .MemoryParity(MemoryParity),
    .EngineRestCycles(EngineRestCycles)
  ) u_core (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .reg_valid_i(core_valid),
    .reg_write_i(core_write),
    .reg_addr_i(core_addr),
    .reg_wdata_i(core_wdata),
    .reg_rvalid_o(core_rvalid),
    .reg_rdata_o(core_rdata),
    .reg_error_o(core_error),
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

endmodule

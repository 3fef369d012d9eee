// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Zeroisation: overwrites with zero what the chip holds of the data and the constants of the host,
/// and the programs with a fixed one.
///
/// The memories of the nodes and of the constants are swept, word by word, side by side. Then a run
/// of zero words is made, with all constants zero, that passes every pipeline and fills every
/// buffer of the hash engines: its words take the places of what was there. The configuration of
/// that run stands in the registers meanwhile; they are as after a reset at the end.
///
///     idle -- start --> sweep of the memories --> flush: load, start, run -- last word --> idle
///
/// Handshake:  `start_i` begins, only while nothing runs; `busy_o` until all is done.
/// Latency:    the words of the node memory or the number of constants, whichever is more,
///             and the run.
module acclmt_zeroiser #(
  /// Parameters of the hash engines, which decide what constants there are.
  parameter int unsigned NumFull = 1,
  parameter int unsigned NumPartial = 4,
  parameter int unsigned MatrixDepth = 64,
  parameter int unsigned ConstantDepth = 256,
  parameter int unsigned PartialDepth = 128,
  parameter bit Adders = 1'b1,
  parameter int unsigned MaxHeight = 32,
  /// Words of the node memory.
  parameter int unsigned NodeWords = 512
) (
  /// Clock and reset.
  input logic clk_i,
  input logic rst_ni,
  /// Begins.
  input logic start_i,
  /// The last word of the run leaves.
  input logic run_done_i,
  /// A zeroisation is under way; its run is, or is about to start or has just ended.
  output logic busy_o,
  output logic flush_o,
  /// A word of the node memory is overwritten.
  output acclmt_tree_pkg::node_sweep_t node_sweep_o,
  /// A constant is overwritten.
  output logic constant_valid_o,
  output acclmt_pkg::sub_engine_t constant_sub_engine_o,
  output logic [acclmt_pkg::BankWidth-1:0] constant_bank_o,
  output logic [acclmt_pkg::IndexWidth-1:0] constant_index_o,
  /// The configuration of the run is loaded; the run is started; all is done, and the registers are
  /// reset.
  output logic load_o,
  output logic start_run_o,
  output logic done_o
);

  localparam int unsigned AddressWidth = acclmt_tree_pkg::NodeAddressWidth;
  localparam int unsigned BankWidth = acclmt_pkg::BankWidth;
  localparam int unsigned IndexWidth = acclmt_pkg::IndexWidth;
  // Banks of the kind of sub-engine that has most.
  localparam int unsigned LastBank = acclmt_pkg::AdderBank;
  localparam acclmt_pkg::sub_engine_t LastSubEngine = '1;

  if (LastSubEngine < acclmt_pkg::InitialSubEngine) begin : gen_illegal_sub_engines
    $error("acclmt_zeroiser: LastSubEngine = %0d is not the last number", LastSubEngine);
  end

  typedef enum logic [2:0] {
    Idle,
    Sweep,
    Load,
    Start,
    Flush,
    Finish
  } phase_e;
  phase_e phase_d, phase_q;
  logic nodes_swept_q, constants_swept_q, sweep;
  always_comb begin
    phase_d = phase_q;
    case (phase_q)
      Idle: if (start_i) phase_d = Sweep;
      Sweep: if (nodes_swept_q && constants_swept_q) phase_d = Load;
      Load: phase_d = Start;
      Start: phase_d = Flush;
      Flush: if (run_done_i) phase_d = Finish;
      default: phase_d = Idle;
    endcase
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) phase_q <= Idle;
    else phase_q <= phase_d;
  end
  assign sweep = phase_q == Sweep;
  assign busy_o = phase_q != Idle;
  assign flush_o = phase_q == Load || phase_q == Start || phase_q == Flush || phase_q == Finish;
  assign load_o = phase_q == Load;
  assign start_run_o = phase_q == Start;
  assign done_o = phase_q == Finish;

  // ---- Node memory ------------------------------------------------------------------------------

  logic [AddressWidth-1:0] address_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      address_q <= '0;
      nodes_swept_q <= 1'b0;
    end else if (!sweep) begin
      address_q <= '0;
      nodes_swept_q <= 1'b0;
    end else if (!nodes_swept_q) begin
      address_q <= address_q + 1'b1;
      nodes_swept_q <= address_q == AddressWidth'(NodeWords - 1);
    end
  end
  assign node_sweep_o.valid = sweep && !nodes_swept_q;
  assign node_sweep_o.address = address_q;

  // ---- Constants --------------------------------------------------------------------------------

  // The place that is next, which there may not be.
  acclmt_pkg::sub_engine_t sub_engine_q;
  logic [BankWidth-1:0] bank_q;
  logic [IndexWidth-1:0] index_q;
  logic [31:0] depth;
  logic last_index, last_bank;
  assign depth = acclmt_control_pkg::constant_depth(
      sub_engine_q, 8'(bank_q), int'(NumFull), int'(NumPartial), int'(MatrixDepth),
      int'(ConstantDepth), int'(PartialDepth), int'(MaxHeight), Adders);
  assign last_index = 32'(index_q) + 32'd1 >= depth;
  assign last_bank = bank_q == BankWidth'(LastBank);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      sub_engine_q <= '0;
      bank_q <= '0;
      index_q <= '0;
      constants_swept_q <= 1'b0;
    end else if (!sweep) begin
      sub_engine_q <= '0;
      bank_q <= '0;
      index_q <= '0;
      constants_swept_q <= 1'b0;
    end else if (!constants_swept_q) begin
      index_q <= last_index ? '0 : index_q + 1'b1;
      if (last_index) bank_q <= last_bank ? '0 : bank_q + 1'b1;
      if (last_index && last_bank) begin
        sub_engine_q <= sub_engine_q + 1'b1;
        constants_swept_q <= sub_engine_q == LastSubEngine;
      end
    end
  end
  assign constant_valid_o = sweep && !constants_swept_q && depth != '0;
  assign constant_sub_engine_o = sub_engine_q;
  assign constant_bank_o = bank_q;
  assign constant_index_o = index_q;

`ifndef SYNTHESIS
  known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !$isunknown({start_i, run_done_i, phase_q}))
  else $error("acclmt_zeroiser: a command or the phase is unknown");
  start_when_idle_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      start_i |-> phase_q == Idle)
  else $error("acclmt_zeroiser: a zeroisation begins while one is under way");
  start_c : cover property (@(posedge clk_i) start_i);
  constants_last_c : cover property (@(posedge clk_i)
      sweep && nodes_swept_q && !constants_swept_q);
  nodes_last_c : cover property (@(posedge clk_i)
      sweep && !nodes_swept_q && constants_swept_q);
  done_c : cover property (@(posedge clk_i) done_o);
`endif

endmodule

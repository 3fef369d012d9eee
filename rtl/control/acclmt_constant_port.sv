// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Writes constants to the memories of the hash engines and of the tree: holds CONSTANT_DATA,
/// checks a value of CONSTANT_ADDRESS, and sends the word to the engines that it names.
///
/// A zeroisation writes through it as well.
///
/// Handshake:  `data_write_i` and `address_write_i` with `data_i`; an address that is illegal
///             (`illegal_o`, in the same cycle) writes nothing.
/// Latency:    one cycle from an address to the write. Throughput: a constant a cycle.
module acclmt_constant_port #(
  /// Hash engines, and their parameters, which decide what constants there are.
  parameter int unsigned NumEngines = 2,
  parameter int unsigned NumFull = 1,
  parameter int unsigned NumPartial = 4,
  parameter int unsigned MatrixDepth = 64,
  parameter int unsigned ConstantDepth = 256,
  parameter int unsigned PartialDepth = 128,
  parameter bit Adders = 1'b1,
  parameter int unsigned MaxHeight = 32
) (
  /// Clock and reset.
  input logic clk_i,
  input logic rst_ni,
  /// A word of CONSTANT_DATA, with its number, or CONSTANT_ADDRESS is written.
  input logic data_write_i,
  input logic [2:0] data_index_i,
  input logic address_write_i,
  input logic [31:0] data_i,
  /// Zeroisation: a constant of all engines is overwritten; CONSTANT_DATA is.
  input acclmt_pkg::constant_write_t sweep_i,
  input logic reset_i,
  /// CONSTANT_DATA and CONSTANT_CHECKSUM.
  output logic [7:0][31:0] constant_data_o,
  output logic [31:0] checksum_o,
  /// `data_i` is no address of a constant.
  output logic illegal_o,
  /// Writes, and the hash engines that they are for.
  output acclmt_pkg::constant_write_t write_o,
  output logic [NumEngines-1:0] engines_o
);

  logic [7:0] index, bank;
  acclmt_pkg::sub_engine_t sub_engine;
  acclmt_pkg::engine_mask_t engines;
  assign index = data_i[acclmt_reg_pkg::ConstantAddressIndexLsb+:8];
  assign bank = data_i[acclmt_reg_pkg::ConstantAddressBankLsb+:8];
  assign sub_engine = data_i[acclmt_reg_pkg::ConstantAddressSubEngineLsb+:4];
  assign engines =
      data_i[acclmt_reg_pkg::ConstantAddressEngineMaskLsb+:acclmt_pkg::MaxNumEngines];

  logic [31:0] depth;
  assign depth = acclmt_control_pkg::constant_depth(
      sub_engine, bank, int'(NumFull), int'(NumPartial), int'(MatrixDepth), int'(ConstantDepth),
      int'(PartialDepth), int'(MaxHeight), Adders);
  assign illegal_o = 32'(index) >= depth || engines == '0 || 32'(engines) >> NumEngines != '0 ||
                     (data_i & ~acclmt_reg_pkg::ConstantAddressMask) != '0;

  logic [7:0][31:0] constant_data_q;
  acclmt_pkg::constant_write_t write_q;
  logic [NumEngines-1:0] engines_q;
  logic write;
  assign write = address_write_i && !illegal_o;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      constant_data_q <= '0;
      write_q <= '0;
      engines_q <= '0;
    end else begin
      if (reset_i) constant_data_q <= '0;
      else if (data_write_i) constant_data_q[data_index_i] <= data_i;
      write_q.valid <= write || sweep_i.valid;
      if (sweep_i.valid) begin
        write_q <= sweep_i;
        engines_q <= '1;
      end else if (write) begin
        write_q.index <= index;
        write_q.bank <= bank[acclmt_pkg::BankWidth-1:0];
        write_q.sub_engine <= sub_engine;
        write_q.data <= constant_data_q;
        engines_q <= engines[NumEngines-1:0];
      end
    end
  end
  assign constant_data_o = constant_data_q;

  // Of every write of the host that acts, so that it can see that all came as they were sent.
  logic [31:0] checksum_q;
  logic [7:0] register_number;
  assign register_number =
      write ? acclmt_control_pkg::ChecksumAddressNumber : 8'(data_index_i);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) checksum_q <= '0;
    else if (reset_i) checksum_q <= '0;
    else if (data_write_i || write) begin
      checksum_q <= acclmt_control_pkg::crc32(checksum_q, data_i, register_number);
    end
  end
  assign checksum_o = checksum_q;

  assign write_o = write_q;
  assign engines_o = engines_q;

`ifndef SYNTHESIS
  one_write_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(data_write_i && address_write_i))
  else $error("acclmt_constant_port: two registers are written at once");
  known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !$isunknown({data_write_i, address_write_i, write_o.valid}))
  else $error("acclmt_constant_port: whether a constant is written is unknown");
  no_write_in_sweep_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(sweep_i.valid && (address_write_i || data_write_i)))
  else $error("acclmt_constant_port: the host writes while the constants are swept");
  write_has_engine_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      write_q.valid |-> engines_q != '0)
  else $error("acclmt_constant_port: a constant goes to no hash engine");
  write_to_all_c : cover property (@(posedge clk_i) write_o.valid && &engines_o);
  write_to_one_c : cover property (@(posedge clk_i) write_o.valid && $onehot(engines_o));
  illegal_c : cover property (@(posedge clk_i) address_write_i && illegal_o);
  back_to_back_c : cover property (@(posedge clk_i) write_q.valid && address_write_i);
`endif

endmodule

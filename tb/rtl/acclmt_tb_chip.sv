// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Testbench only: the chip with the parameters that the features of tb/verilated choose.
module acclmt_tb_chip (
  input logic clk_i,
  input logic rst_ni,
  /// As acclmt_core.
  input logic reg_valid_i,
  input logic reg_write_i,
  input logic [11:0] reg_addr_i,
  input logic [31:0] reg_wdata_i,
  output logic reg_rvalid_o,
  output logic [31:0] reg_rdata_o,
  output logic reg_error_o,
  input logic in_valid_i,
  output logic in_ready_o,
  input logic [acclmt_pkg::WordWidth-1:0] in_data_i,
  output logic out_valid_o,
  input logic out_ready_i,
  output logic [acclmt_pkg::WordWidth-1:0] out_data_o,
  output logic [acclmt_pkg::LevelWidth-1:0] out_level_o,
  output logic [acclmt_pkg::NodeIndexWidth-1:0] out_index_o,
  output logic out_last_o,
  output logic out_error_o,
  output logic irq_o
);

  acclmt_core #(
    .Prime(acclmt_tb_build_pkg::Prime),
    .Reduction(acclmt_tb_build_pkg::Reduction)
  ) u_core (
    .clk_i,
    .rst_ni,
    .reg_valid_i,
    .reg_write_i,
    .reg_addr_i,
    .reg_wdata_i,
    .reg_rvalid_o,
    .reg_rdata_o,
    .reg_error_o,
    .in_valid_i,
    .in_ready_o,
    .in_data_i,
    .out_valid_o,
    .out_ready_i,
    .out_data_o,
    .out_level_o,
    .out_index_o,
    .out_last_o,
    .out_error_o,
    .irq_o
  );

endmodule

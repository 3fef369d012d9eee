// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Registers the first error since a clear, and what it is about.
///
/// Errors of one cycle: that of a memory first, then that of the data, then those of commands and
/// writes, of which there is one in a cycle.
///
/// Handshake:  none. Latency: one cycle from an error to `error_o`.
module acclmt_error_log (
  /// Clock and reset.
  input logic clk_i,
  input logic rst_ni,
  /// Forgets the error.
  input logic clear_i,
  /// A memory shows a word that is not the one that was written, and where.
  input acclmt_pkg::memory_fault_t memory_fault_i,
  /// An input element is not below the prime, and its index in the stream.
  input logic element_i,
  input logic [63:0] element_index_i,
  /// A group of nodes lacks siblings in a run without padding.
  input logic incomplete_i,
  /// A start is refused because the queue of a level does not fit, because a parameter set has no
  /// program that can run (why, and which set), or because a register holds an
  /// illegal value (its address); a command is refused because a run or a zeroisation is under way.
  input logic level_illegal_i,
  input acclmt_tree_pkg::level_t level_i,
  input logic program_illegal_i,
  input acclmt_pkg::program_fault_t program_fault_i,
  input acclmt_pkg::set_t program_fault_set_i,
  input logic configuration_illegal_i,
  input logic [acclmt_control_pkg::AddressWidth-1:0] configuration_address_i,
  input logic command_while_busy_i,
  /// A request is refused: a write during a run, a constant without a place, a value that the
  /// register cannot take, an address without register.
  input logic write_while_running_i,
  input logic constant_illegal_i,
  input logic value_illegal_i,
  input logic unknown_i,
  /// The request.
  input acclmt_control_pkg::request_t request_i,
  /// Code of the first error, and what it is about.
  output logic [7:0] error_o,
  output logic [63:0] error_info_o,
  /// Something of these happens in this cycle.
  output logic event_o
);

  logic [7:0] error, error_q;
  logic [63:0] info, info_q;
  always_comb begin
    error = acclmt_reg_pkg::ErrorNone;
    info = 64'(request_i.address);
    if (memory_fault_i.valid) begin
      error = acclmt_reg_pkg::ErrorMemoryFault;
      info = 64'({5'b0, memory_fault_i.engine, 4'b0, memory_fault_i.unit});
    end else if (element_i) begin
      error = acclmt_reg_pkg::ErrorElementNotBelowPrime;
      info = element_index_i;
    end else if (incomplete_i) begin
      error = acclmt_reg_pkg::ErrorIncompleteTree;
      info = '0;
    end else if (level_illegal_i) begin
      error = acclmt_reg_pkg::ErrorIllegalConfiguration;
      info = 64'(acclmt_reg_pkg::RegLevelTable0) + 64'({level_i, 2'b00});
    end else if (program_illegal_i) begin
      error = acclmt_reg_pkg::ErrorIllegalProgram;
      info = 64'({6'b0, program_fault_set_i, 5'b0, program_fault_i});
    end else if (configuration_illegal_i) begin
      error = acclmt_reg_pkg::ErrorIllegalConfiguration;
      info = 64'(configuration_address_i);
    end else if (command_while_busy_i) begin
      error = acclmt_reg_pkg::ErrorCommandWhileBusy;
      info = 64'(request_i.data);
    end else if (write_while_running_i) begin
      error = acclmt_reg_pkg::ErrorWriteWhileRunning;
    end else if (constant_illegal_i) begin
      error = acclmt_reg_pkg::ErrorIllegalConstantAddress;
      info = 64'(request_i.data);
    end else if (value_illegal_i) begin
      error = acclmt_reg_pkg::ErrorIllegalValue;
    end else if (unknown_i) begin
      error = acclmt_reg_pkg::ErrorUnknownRegister;
    end
  end
  assign event_o = error != acclmt_reg_pkg::ErrorNone;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      error_q <= acclmt_reg_pkg::ErrorNone;
      info_q <= '0;
    end else if (clear_i) begin
      error_q <= acclmt_reg_pkg::ErrorNone;
      info_q <= '0;
    end else if (error_q == acclmt_reg_pkg::ErrorNone && event_o) begin
      error_q <= error;
      info_q <= info;
    end
  end
  assign error_o = error_q;
  assign error_info_o = info_q;

  logic unused_bits;
  assign unused_bits = ^{request_i.valid, request_i.write};

`ifndef SYNTHESIS
  known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !$isunknown({clear_i, memory_fault_i.valid, element_i, incomplete_i, level_illegal_i,
                   program_illegal_i, configuration_illegal_i,
                   command_while_busy_i, write_while_running_i, constant_illegal_i,
                   value_illegal_i, unknown_i}))
  else $error("acclmt_error_log: whether there is an error is unknown");
  one_request_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      $onehot0({configuration_illegal_i, command_while_busy_i, write_while_running_i,
                constant_illegal_i, value_illegal_i, unknown_i}))
  else $error("acclmt_error_log: a request is refused for two reasons");
  first_stays_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      error_q != acclmt_reg_pkg::ErrorNone && !clear_i |=> $stable({error_q, info_q}))
  else $error("acclmt_error_log: the first error was lost");
  first_c : cover property (@(posedge clk_i) event_o && error_q == acclmt_reg_pkg::ErrorNone);
  second_c : cover property (@(posedge clk_i) event_o && error_q != acclmt_reg_pkg::ErrorNone);
  cleared_c : cover property (@(posedge clk_i)
      clear_i && error_q != acclmt_reg_pkg::ErrorNone);
  memory_c : cover property (@(posedge clk_i) memory_fault_i.valid);
  element_c : cover property (@(posedge clk_i) element_i);
  incomplete_c : cover property (@(posedge clk_i) incomplete_i);
  level_c : cover property (@(posedge clk_i) level_illegal_i);
  program_c : cover property (@(posedge clk_i) program_illegal_i);
  configuration_c : cover property (@(posedge clk_i) configuration_illegal_i);
  command_while_busy_c : cover property (@(posedge clk_i) command_while_busy_i);
  write_while_running_c : cover property (@(posedge clk_i) write_while_running_i);
  constant_c : cover property (@(posedge clk_i) constant_illegal_i);
  value_c : cover property (@(posedge clk_i) value_illegal_i);
  unknown_c : cover property (@(posedge clk_i) unknown_i);
`endif

endmodule

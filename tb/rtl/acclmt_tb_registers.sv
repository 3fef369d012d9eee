// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Testbench only: the register file alone, with the writes of a file, one a cycle. The last of
/// them is the start of a run that nothing ends; later the first is written again, which is
/// refused. Made for tb/tests/faults.rs, which runs it on the register file as it is and on broken
/// copies.
///
/// Plus-argument: `+writes=FILE`, an address and a value in hexadecimal a line.
module acclmt_tb_registers;

  // From the start to the second write: longer than the set-up of the queues.
  localparam int unsigned CyclesToRun = 64;

  logic clk = 1'b0;
  logic rst_n = 1'b0;
  always #5 clk = !clk;

  logic valid = 1'b0;
  logic [11:0] address = '0;
  logic [31:0] data = '0;
  logic answer, error, start, running;
  acclmt_register_file u_registers (
    .clk_i(clk),
    .rst_ni(rst_n),
    .reg_valid_i(valid),
    .reg_write_i(1'b1),
    .reg_addr_i(address),
    .reg_wdata_i(data),
    .reg_rvalid_o(answer),
    .reg_rdata_o(),
    .reg_error_o(error),
    .prime_o(),
    .radix_squared_o(),
    .run_config_o(),
    .tree_config_o(),
    .leaf_config_o(),
    .root_config_o(),
    .level_setup_o(),
    .constant_write_o(),
    .constant_engines_o(),
    .node_sweep_o(),
    .flush_o(),
    .running_o(running),
    .start_o(start),
    .clear_o(),
    .run_done_i(1'b0),
    .element_error_i(1'b0),
    .element_index_i('0),
    .incomplete_i(1'b0),
    .memory_fault_i('0),
    .output_fault_i(1'b0),
    .program_fault_i(acclmt_pkg::ProgramSound),
    .program_fault_set_i('0),
    .void_o(),
    .events_i('0),
    .traffic_i('0),
    .hash_begun_i('0),
    .busy_i('0),
    .irq_o()
  );

  int unsigned starts = 0;
  int unsigned errors = 0;
  always_ff @(posedge clk) begin
    starts <= starts + 32'(rst_n && start);
    errors <= errors + 32'(rst_n && answer && error);
  end

  logic [11:0] first_address, next_address;
  logic [31:0] first_data, next_data;
  int file, number;
  string name;
  initial begin
    if ($value$plusargs("writes=%s", name) == 0) $fatal(1, "acclmt_tb_registers: no +writes=FILE");
    file = $fopen(name, "r");
    if (file == 0) $fatal(1, "acclmt_tb_registers: %s cannot be read", name);
    repeat (4) @(negedge clk);
    rst_n = 1'b1;
    @(negedge clk);
    number = 0;
    while ($fscanf(file, "%h %h", next_address, next_data) == 2) begin
      valid = 1'b1;
      address = next_address;
      data = next_data;
      if (number == 0) begin
        first_address = next_address;
        first_data = next_data;
      end
      number++;
      @(negedge clk);
    end
    valid = 1'b0;
    repeat (int'(CyclesToRun)) @(negedge clk);
    valid = 1'b1;
    address = first_address;
    data = ~first_data;
    @(negedge clk);
    valid = 1'b0;
    repeat (4) @(negedge clk);
    $display("writes %0d, starts %0d, running %0d, errors %0d", number, starts, running, errors);
    $finish;
  end

endmodule

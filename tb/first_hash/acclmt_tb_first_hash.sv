// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Testbench in SystemVerilog alone: sends the first hash of the integration guide to a small chip,
/// and compares what comes out. Any simulator with time will do.
///
/// Plus-argument: `+script=FILE`, else first-hash.txt in the working folder. Its lines are
/// `write ADDRESS VALUE`, `in 0 WORD` and `out LEVEL WORD` in hexadecimal, in the order of a run.
module acclmt_tb_first_hash;

  // The script is for a chip with one partial-round sub-engine; the other parameters are defaults.
  localparam int unsigned NumPartial = 1;
  // A hash takes some thousand cycles.
  localparam int unsigned MostCycles = 100_000;

  logic clk = 1'b0;
  logic rst_n = 1'b0;
  always #1 clk = !clk;

  logic reg_valid = 1'b0;
  logic [11:0] reg_address = '0;
  logic [31:0] reg_data = '0;
  logic reg_answer, reg_error;
  logic in_valid = 1'b0;
  logic [acclmt_pkg::WordWidth-1:0] in_data = '0;
  logic in_ready, out_valid, out_last, out_error;
  logic [acclmt_pkg::WordWidth-1:0] out_data;
  logic [acclmt_tree_pkg::LevelWidth-1:0] out_level;
  acclmt_core #(
    .NumPartial(NumPartial)
  ) u_core (
    .clk_i(clk),
    .rst_ni(rst_n),
    .memory_config_i(acclmt_memory_pkg::MemoryConfigDefault),
    .reg_valid_i(reg_valid),
    .reg_write_i(1'b1),
    .reg_addr_i(reg_address),
    .reg_wdata_i(reg_data),
    .reg_rvalid_o(reg_answer),
    .reg_rdata_o(),
    .reg_error_o(reg_error),
    .in_valid_i(in_valid),
    .in_ready_o(in_ready),
    .in_data_i(in_data),
    .out_valid_o(out_valid),
    .out_ready_i(1'b1),
    .out_data_o(out_data),
    .out_level_o(out_level),
    .out_index_o(),
    .out_last_o(out_last),
    .out_error_o(out_error),
    .irq_o()
  );

  int unsigned cycles = 0;
  always_ff @(posedge clk) begin
    cycles <= cycles + 1;
    if (cycles == MostCycles) $fatal(1, "acclmt_tb_first_hash: no root in %0d cycles", MostCycles);
    if (reg_answer && reg_error) $fatal(1, "acclmt_tb_first_hash: a write is refused");
  end

  string name, command;
  int file;
  int unsigned writes = 0;
  int unsigned outputs = 0;
  logic [31:0] number;
  logic [acclmt_pkg::WordWidth-1:0] value;
  initial begin
    if ($value$plusargs("script=%s", name) == 0) name = "first-hash.txt";
    file = $fopen(name, "r");
    if (file == 0) $fatal(1, "acclmt_tb_first_hash: %s cannot be read", name);
    repeat (4) @(negedge clk);
    rst_n = 1'b1;
    @(negedge clk);
    while ($fscanf(file, "%s %h %h", command, number, value) == 3) begin
      if (command == "write") begin
        reg_valid = 1'b1;
        reg_address = number[11:0];
        reg_data = value[31:0];
        writes++;
        @(negedge clk);
        reg_valid = 1'b0;
      end else if (command == "in") begin
        in_valid = 1'b1;
        in_data = value;
        while (!in_ready) @(negedge clk);
        @(negedge clk);
        in_valid = 1'b0;
      end else if (command == "out") begin
        while (!out_valid) @(negedge clk);
        if (out_data != value || 32'(out_level) != number || out_error) begin
          $fatal(1, "acclmt_tb_first_hash: %h of level %0d, error %0d, instead of %h of level %0d",
                 out_data, out_level, out_error, value, number);
        end
        outputs++;
        if (out_last) break;
        @(negedge clk);
      end else begin
        $fatal(1, "acclmt_tb_first_hash: %s has the line '%s'", name, command);
      end
    end
    $fclose(file);
    if (outputs == 0 || !out_last) $fatal(1, "acclmt_tb_first_hash: %s ends early", name);
    $display("acclmt_tb_first_hash: passed, %0d register writes, root %h, %0d cycles", writes,
             out_data, cycles);
    $finish;
  end

endmodule

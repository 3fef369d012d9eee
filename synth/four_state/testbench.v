// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Testbench of four_state.py: writes registers, gives a run its input, and prints what comes out. Nothing has a
// value before the reset. After it no handshake may be unknown, and nothing that is offered.

`timescale 1ns / 1ps

module testbench;

  // Writes: 12 bits of address, 32 of data. Both files are made by four_state.py.
  reg [43:0] writes[0:`WRITES-1];
  reg [255:0] elements[0:`ELEMENTS-1];

  reg clk, rst_n, after_reset;
  integer errors, accesses, number, cycle;
  reg reg_valid, reg_write, in_valid, finished;
  reg [11:0] reg_addr;
  reg [31:0] reg_wdata;
  reg [255:0] in_data;
  wire reg_rvalid, reg_error, in_ready, out_valid, out_last, out_error, irq;
  wire [31:0] reg_rdata, out_index;
  wire [255:0] out_data;
  wire [4:0] out_level;

  \acclmt_core u_core (
    .clk_i(clk),
    .rst_ni(rst_n),
    .memory_config_i(`CONFIG),
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
    .out_ready_i(1'b1),
    .out_data_o(out_data),
    .out_level_o(out_level),
    .out_index_o(out_index),
    .out_last_o(out_last),
    .out_error_o(out_error),
    .irq_o(irq)
  );

  always #5 clk = !clk;

  always @(posedge clk) begin
    cycle = cycle + 1;
    if (after_reset) begin
      if (^{in_ready, out_valid, reg_rvalid, irq} === 1'bx) begin
        $display("error: in_ready %b, out_valid %b, reg_rvalid %b, irq %b", in_ready, out_valid, reg_rvalid, irq);
        errors = errors + 1;
      end
      if (reg_rvalid === 1'b1 && ^{reg_rdata, reg_error} === 1'bx) begin
        $display("error: reg_rdata %h, reg_error %b", reg_rdata, reg_error);
        errors = errors + 1;
      end
      if (reg_rvalid === 1'b1 && reg_error === 1'b1) begin
        $display("error: a request was refused");
        errors = errors + 1;
      end
      if (out_valid === 1'b1) begin
        $display("output %h %d %d %b %b", out_data, out_level, out_index, out_last, out_error);
        if (out_last !== 1'b0) finished = 1'b1;
      end
    end
  end

  task request(input write, input [11:0] address, input [31:0] data);
    begin
      reg_valid = 1'b1;
      reg_write = write;
      reg_addr = address;
      reg_wdata = data;
      @(negedge clk);
      reg_valid = 1'b0;
    end
  endtask

  initial begin
    $readmemh("writes.hex", writes);
    $readmemh("elements.hex", elements);
    clk = 1'b0;
    after_reset = 1'b0;
    errors = 0;
    accesses = 0;
    cycle = 0;
    reg_valid = 1'b0;
    reg_write = 1'b0;
    in_valid = 1'b0;
    finished = 1'b0;
    rst_n = 1'b1;
    #1 rst_n = 1'b0;
    repeat (3) @(negedge clk);
    rst_n = 1'b1;
    after_reset = 1'b1;
    for (number = 0; number < `WRITES; number = number + 1) begin
      request(1'b1, writes[number][43:32], writes[number][31:0]);
    end
    // The last write has had its effect before the first element.
    repeat (4) @(negedge clk);
    for (number = 0; number < `ELEMENTS; number = number + 1) begin
      in_valid = 1'b1;
      in_data = elements[number];
      #1;
      while (in_ready !== 1'b1 && cycle < `CYCLES) @(negedge clk) #1;
      @(negedge clk);
    end
    in_valid = 1'b0;
    while (!finished && cycle < `CYCLES) @(negedge clk);
    repeat (4) @(negedge clk);
    // STATUS.
    request(1'b0, `STATUS, 32'd0);
    repeat (4) @(negedge clk);
    $display("done: %0d errors, %0d accesses of memories, %0d cycles", errors, accesses, cycle);
    $finish;
  end

endmodule

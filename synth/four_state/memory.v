// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0
//
// A memory as a macro of the libraries behaves: where it is enabled by an unknown bit or at an unknown
// address, or reads a word while it is written, its content or its output is unknown from then on. All
// of these are reported, as is a configuration that is not the one at the port of the chip. It takes the place
// of rtl/memory/acclmt_mem_1r1w.sv in a four-state simulator.

`timescale 1ns / 1ps

module acclmt_mem_1r1w #(
  parameter Width = 256,
  parameter Depth = 64,
  parameter AddressWidth = (Depth > 1) ? $clog2(Depth) : 1
) (
  input clk_i,
  input [`CONFIG_WIDTH-1:0] memory_config_i,
  input write_enable_i,
  input [AddressWidth-1:0] write_address_i,
  input [Width-1:0] write_data_i,
  input read_enable_i,
  input [AddressWidth-1:0] read_address_i,
  output [Width-1:0] read_data_o
);

  reg [Width-1:0] memory[0:Depth-1];
  reg [Width-1:0] read_data_q;
  assign read_data_o = read_data_q;

  // Said once of each memory.
  reg config_is_wrong;
  initial config_is_wrong = 1'b0;

  integer i;
  always @(posedge clk_i) begin
    if (testbench.after_reset) begin
      if (memory_config_i !== `CONFIG && !config_is_wrong) begin
        $display("error: %m: configuration %b instead of %b", memory_config_i, `CONFIG);
        testbench.errors = testbench.errors + 1;
        config_is_wrong = 1'b1;
      end
      if (^{write_enable_i, read_enable_i} === 1'bx) begin
        $display("error: %m: enable write %b, read %b", write_enable_i, read_enable_i);
        testbench.errors = testbench.errors + 1;
      end
      if (write_enable_i === 1'b1 && ^write_address_i === 1'bx) begin
        $display("error: %m: write address %b", write_address_i);
        testbench.errors = testbench.errors + 1;
        for (i = 0; i < Depth; i = i + 1) memory[i] = {Width{1'bx}};
      end
      if (read_enable_i === 1'b1 && ^read_address_i === 1'bx) begin
        $display("error: %m: read address %b", read_address_i);
        testbench.errors = testbench.errors + 1;
      end
      testbench.accesses = testbench.accesses + (write_enable_i === 1'b1) + (read_enable_i === 1'b1);
    end
    if (read_enable_i === 1'b1) begin
      read_data_q <= (write_enable_i === 1'b1 && write_address_i === read_address_i) ? {Width{1'bx}}
                                                                                    : memory[read_address_i];
    end
    if (write_enable_i === 1'b1 && ^write_address_i !== 1'bx) memory[write_address_i] <= write_data_i;
  end

endmodule

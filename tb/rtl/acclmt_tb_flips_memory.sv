// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Testbench only: the memory of the chip, with bits that flip. It takes the place of
/// rtl/memory/acclmt_mem_1r1w.sv. A word that is written in the cycle of a flip is as written.
module acclmt_mem_1r1w #(
  parameter int unsigned Width = acclmt_pkg::WordWidth,
  parameter int unsigned Depth = 64,
  localparam int unsigned AddressWidth = (Depth > 1) ? $clog2(Depth) : 1
) (
  input logic clk_i,
  input acclmt_memory_pkg::memory_config_t memory_config_i,
  input logic write_enable_i,
  input logic [AddressWidth-1:0] write_address_i,
  input logic [Width-1:0] write_data_i,
  input logic read_enable_i,
  input logic [AddressWidth-1:0] read_address_i,
  output logic [Width-1:0] read_data_o
);

  int unsigned own_number;
  initial own_number = acclmt_tb_flips_pkg::next_number();

  logic flips;
  logic [AddressWidth-1:0] place;
  logic [Width-1:0] mask;
  always_comb begin
    flips = acclmt_tb_flips_pkg::flip.valid &&
            32'(acclmt_tb_flips_pkg::flip.memory) == own_number;
    place = AddressWidth'(acclmt_tb_flips_pkg::flip.place % Depth);
    mask = Width'(1) << acclmt_tb_flips_pkg::flip.position % Width;
    if (acclmt_tb_flips_pkg::flip.two) begin
      mask |= Width'(1) << (acclmt_tb_flips_pkg::flip.position + 1) % Width;
    end
  end

  logic [Width-1:0] memory[Depth];
  logic [Width-1:0] read_data_q;
  always_ff @(posedge clk_i) begin
    if (read_enable_i) read_data_q <= memory[read_address_i];
    if (flips && !(write_enable_i && write_address_i == place)) begin
      memory[place] <= memory[place] ^ mask;
    end
    if (write_enable_i) memory[write_address_i] <= write_data_i;
  end
  assign read_data_o = read_data_q;

  logic unused_config;
  assign unused_config = ^memory_config_i;

endmodule

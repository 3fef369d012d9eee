// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Testbench only: the memory of the chip, with bits that flip and words that are looked at. It
/// takes the place of rtl/memory/acclmt_mem_1r1w.sv. A word that is written in the cycle of a flip
/// is as written.
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
  /// Other words have other digests, but for chance.
  localparam int unsigned Parts = (Width + 31) / 32;
  function automatic int unsigned digest_of(input logic [Width-1:0] word);
    logic [Parts-1:0][31:0] parts;
    parts = (32 * Parts)'(word);
    digest_of = 0;
    for (int i = 0; i < int'(Parts); i++) begin
      digest_of = (digest_of * 32'hc2b2_ae35) ^ parts[i];
    end
  endfunction
  always_ff @(posedge clk_i) begin
    if (acclmt_tb_flips_pkg::flip.look) begin
      for (int i = 0; i < int'(Depth); i++) begin
        if (memory[i] != '0) acclmt_tb_flips_pkg::found_word(own_number, digest_of(memory[i]));
      end
    end
  end
  assign read_data_o = read_data_q;

  logic unused_config;
  assign unused_config = ^memory_config_i;

endmodule

// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Testbench only: buffers between two clocks, good ones and faulty ones, with the first flops of
/// acclmt_tb_synchroniser, and the resets of a crossing whose core has none. The modules with
/// `_mutant` in their names are copies that tb/verilated/build.rs makes, with one fault each. The
/// clock of the bench is a time step.
module acclmt_tb_crossing (
  input logic clk_i,
  input logic rst_ni,
  /// From the least significant word: flags, a word for every buffer, random bits (2 words). Flags:
  /// level of the writing clock (bit 0) and of the reading one (1) from the end of this step on;
  /// bit 2 a word is offered, 3 a word is taken; from 8 on a bit for each of the modules, which is
  /// in reset where it is 0.
  input logic [4*32-1:0] in_i,
  /// From the least significant word: flags, and the words that the buffers offer. Flags: bit
  /// 8 + n: buffer n takes a word, 16 + n: it offers one. Buffers: of 4 and of 8 words, of 8 with
  /// synchronisers of three flops, of 8 with binary pointers. The fifth module is a counter whose
  /// code is binary, the sixth one acclmt_crossing_reset; bit 24: the core is there.
  output logic [5*32-1:0] out_o
);

  logic write_clk_q, read_clk_q;
  // Both run while the bench is in reset: flops whose reset is low from the start on see no edge of
  // it, and so are reset by a clock edge.
  always_ff @(posedge clk_i) begin
    write_clk_q <= rst_ni ? in_i[0] : !write_clk_q;
    read_clk_q <= rst_ni ? in_i[1] : !read_clk_q;
  end
  assign acclmt_tb_steps_pkg::step = clk_i;
  assign acclmt_tb_steps_pkg::random = in_i[2*32+:acclmt_tb_steps_pkg::RandomBits];

  logic offered, taken;
  assign offered = in_i[2];
  assign taken = in_i[3];

  logic [5:0] rst_n;
  assign rst_n = {6{rst_ni}} & in_i[13:8];

  logic [3:0] ready, valid, empty;
  logic [3:0][31:0] data;
  for (genvar n = 0; n < 3; n++) begin : gen_buffer
    acclmt_gray_fifo #(
      .Width(32),
      .Depth(n == 0 ? 4 : 8),
      .Stages(n == 2 ? 3 : 2)
    ) u_fifo (
      .write_clk_i(write_clk_q),
      .write_rst_ni(rst_n[n]),
      .write_clear_i(1'b0),
      .valid_i(offered),
      .ready_o(ready[n]),
      .data_i(in_i[32+:32]),
      .empty_o(empty[n]),
      .read_clk_i(read_clk_q),
      .read_rst_ni(rst_n[n]),
      .read_clear_i(1'b0),
      .valid_o(valid[n]),
      .ready_i(taken),
      .data_o(data[n])
    );
  end
  acclmt_gray_fifo_mutant #(
    .Width(32),
    .Depth(8),
    .Stages(2)
  ) u_faulty_fifo (
    .write_clk_i(write_clk_q),
    .write_rst_ni(rst_n[3]),
    .write_clear_i(1'b0),
    .valid_i(offered),
    .ready_o(ready[3]),
    .data_i(in_i[32+:32]),
    .empty_o(empty[3]),
    .read_clk_i(read_clk_q),
    .read_rst_ni(rst_n[3]),
    .read_clear_i(1'b0),
    .valid_o(valid[3]),
    .ready_i(taken),
    .data_o(data[3])
  );

  logic [3:0] count, code;
  acclmt_gray_counter_mutant_code #(
    .Width(4)
  ) u_faulty_counter (
    .clk_i(write_clk_q),
    .rst_ni(rst_n[4]),
    .clear_i(1'b0),
    .advance_i(offered),
    .count_o(count),
    .gray_o(code)
  );

  logic up, clear, core_rst_n;
  acclmt_crossing_reset u_reset (
    .clk_i(write_clk_q),
    .rst_ni(rst_n[5]),
    .core_clk_i(read_clk_q),
    .core_rst_ni(1'b1),
    .up_o(up),
    .clear_o(clear),
    .core_rst_no(core_rst_n)
  );

  assign out_o = {data, 7'b0, up, 4'b0, valid, 4'b0, ready, 8'b0};

  logic unused_bits;
  assign unused_bits = ^{in_i, empty, count, code, clear, core_rst_n};

endmodule

// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// What is proved of acclmt_gray_fifo, for four words of two bits, two clocks with edges at any time,
/// and both sides that do what they like: every word that went in comes out once, in order. Not part
/// of the design: crossing.py reads it.
///
/// For any n: the last word whose number is n, modulo twice the depth, comes out as that number.
module acclmt_gray_fifo_proof (
  input logic write_clk_i,
  input logic read_clk_i,
  input logic rst_ni,
  input logic valid_i,
  input logic [1:0] data_i,
  input logic ready_i,
  input logic [2:0] chosen_i
);

  logic ready, empty, valid;
  logic [1:0] data;
  acclmt_gray_fifo #(
    .Width(2),
    .Depth(4),
    .Stages(2)
  ) u_fifo (
    .write_clk_i,
    .write_rst_ni(rst_ni),
    .write_clear_i(1'b0),
    .valid_i,
    .ready_o(ready),
    .data_i,
    .empty_o(empty),
    .read_clk_i,
    .read_rst_ni(rst_ni),
    .read_clear_i(1'b0),
    .valid_o(valid),
    .ready_i,
    .data_o(data)
  );

  // Words that went in and came out; the number of a word, chosen in the reset, and that word.
  logic [2:0] in_q, out_q, chosen_q;
  logic [1:0] chosen_word_q;
  always_ff @(posedge write_clk_i or negedge rst_ni) begin
    if (!rst_ni) in_q <= '0;
    else in_q <= in_q + 3'(valid_i && ready);
  end
  always_ff @(posedge read_clk_i or negedge rst_ni) begin
    if (!rst_ni) out_q <= '0;
    else out_q <= out_q + 3'(valid && ready_i);
  end
  always_ff @(posedge write_clk_i) begin
    if (!rst_ni) chosen_q <= chosen_i;
    if (valid_i && ready && in_q == chosen_q) chosen_word_q <= data_i;
  end

  // The pointers on their way: those of the writing side, in the first and in the second flop of the
  // reading side; those of the reading side likewise.
  function automatic logic [2:0] binary(logic [2:0] gray);
    binary = {gray[2], gray[2] ^ gray[1], gray[2] ^ gray[1] ^ gray[0]};
  endfunction
  logic [2:0] written, written_1, written_2, taken, taken_1, taken_2;
  assign written = u_fifo.written;
  assign written_1 = binary(u_fifo.u_written_synchroniser.stages_q[2:0]);
  assign written_2 = binary(u_fifo.u_written_synchroniser.stages_q[5:3]);
  assign taken = u_fifo.taken;
  assign taken_1 = binary(u_fifo.u_taken_synchroniser.stages_q[2:0]);
  assign taken_2 = binary(u_fifo.u_taken_synchroniser.stages_q[5:3]);

  // None of them passes the one before, and the first one is not ahead of the last by more than the
  // depth.
  logic [2:0] d_1, d_2, d_3, d_4, d_5;
  logic [5:0] total;
  assign d_1 = written - written_1;
  assign d_2 = written_1 - written_2;
  assign d_3 = written_2 - taken;
  assign d_4 = taken - taken_1;
  assign d_5 = taken_1 - taken_2;
  assign total = 6'(d_1) + 6'(d_2) + 6'(d_3) + 6'(d_4) + 6'(d_5);

  // The chosen word is in its place from its push to its pop.
  logic [2:0] ahead, held;
  logic kept;
  assign ahead = chosen_q - taken;
  assign held = written - taken;
  always_comb begin
    kept = 1'b1;
    for (int i = 0; i < 4; i++) begin
      if (chosen_q[1:0] == 2'(i) && ahead < held && u_fifo.places_q[2*i+:2] != chosen_word_q) begin
        kept = 1'b0;
      end
    end
  end

  always_comb begin
    if (rst_ni) begin
      codes_a : assert (binary(u_fifo.written_gray) == written &&
                        binary(u_fifo.taken_gray) == taken);
      pointers_in_order_a : assert (total <= 6'd4);
      nothing_lost_a : assert (in_q == written && out_q == taken);
      kept_a : assert (kept);
      in_order_a : assert (!(valid && out_q == chosen_q) || data == chosen_word_q);
    end
  end

endmodule

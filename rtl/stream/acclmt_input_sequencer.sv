// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Says what each word of the input stream is: which permutation of which leaf takes it.
///
/// A leaf is a row of one or more blocks, each of which is absorbed before a permutation; the last
/// block may have fewer words. Rows come in groups: the first blocks of all rows of a group, then
/// their second blocks, and so on, so that as many permutations are under way as the hash engine
/// needs. The last group has the rows that are left. Rows of one block come one after another.
///
/// Handshake:  `open_o` while words of the run are to come; `take_i` when one is taken. The label
///             is that of the word that comes next.
/// Latency:    none. Throughput: one word a cycle.
module acclmt_input_sequencer (
  /// Clock and reset.
  input logic clk_i,
  input logic rst_ni,
  /// Ends the run.
  input logic clear_i,
  /// Begins a run.
  input logic start_i,
  /// Number of leaves, what a leaf is, and words of a block but the last; stable during a run.
  input acclmt_tree_pkg::leaf_count_t leaves_i,
  input acclmt_pkg::row_config_t row_i,
  input acclmt_pkg::word_count_t block_words_i,
  /// Words of the run are to come.
  output logic open_o,
  input logic take_i,
  /// The word belongs to the first or the last row of its group, to the first block or the last
  /// block of its row; it is the last one of its block.
  output acclmt_pkg::input_label_t label_o
);

  // Leaves whose rows have not begun, rows of this group, and the row, block and word that are due.
  logic open_q;
  acclmt_tree_pkg::leaf_count_t leaves_left_q, leaves_next;
  logic [31:0] block_q;
  logic [15:0] group_q, row_q;
  acclmt_pkg::word_count_t word_q;

  logic [15:0] next_group;
  assign leaves_next = start_i ? leaves_i : leaves_left_q;
  assign next_group =
      (leaves_next < acclmt_tree_pkg::leaf_count_t'(row_i.group)) ? leaves_next[15:0] : row_i.group;

  logic last_block, last_word, last_row, group_ends;
  assign last_block = block_q + 32'd1 == row_i.blocks;
  assign last_word = word_q + 1'b1 == (last_block ? row_i.last_words : block_words_i);
  assign last_row = row_q + 16'd1 == group_q;
  assign group_ends = last_word && last_row && last_block;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      open_q <= 1'b0;
      leaves_left_q <= '0;
      block_q <= '0;
      group_q <= '0;
      row_q <= '0;
      word_q <= '0;
    end else if (clear_i) begin
      open_q <= 1'b0;
    end else if (start_i || (take_i && group_ends)) begin
      open_q <= leaves_next != '0;
      leaves_left_q <= leaves_next - acclmt_tree_pkg::leaf_count_t'(next_group);
      group_q <= next_group;
      block_q <= '0;
      row_q <= '0;
      word_q <= '0;
    end else if (take_i) begin
      word_q <= last_word ? '0 : word_q + 1'b1;
      if (last_word) row_q <= last_row ? '0 : row_q + 16'd1;
      if (last_word && last_row) block_q <= block_q + 32'd1;
    end
  end

  assign open_o = open_q;
  always_comb begin
    label_o.first_row = row_q == '0;
    label_o.last_row = last_row;
    label_o.first_block = block_q == '0;
    label_o.last_block = last_block;
    label_o.block_end = last_word;
  end

  logic unused_bits;
  assign unused_bits = ^row_i;

`ifndef SYNTHESIS
  take_while_open_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      take_i && !clear_i |-> open_q)
  else $error("acclmt_input_sequencer: a word was taken that no leaf needs");
  known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !$isunknown({start_i, open_o, take_i}))
  else $error("acclmt_input_sequencer: a handshake is unknown");
  later_block_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      take_i && block_q != '0);
  short_group_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      take_i && group_ends && next_group != row_i.group);
`endif

endmodule

// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Lays out the queues of a tree's levels in the node memories before a run, from the level table,
/// and checks that they fit.
///
/// The queues of a memory follow each other without gaps in the order of the levels. Level 0 is in
/// the leaf hash buffer and no other level is; the memories of the levels above are in ascending
/// order. Every queue has room for a group of siblings at least.
///
/// Handshake:  `start_i` begins; `done_o` or `illegal_o` ends, with the level at fault.
/// Latency:    one cycle a level below the top, and one. Throughput: one layout at a time.
module acclmt_level_setup #(
  /// Levels with a queue, and words of the node memories.
  parameter int unsigned MaxHeight = 23,
  parameter int unsigned LeafWords = 4096,
  parameter int unsigned RootWords = 2048,
  parameter int unsigned ScratchWords = 128,
  parameter int unsigned HidmWords0 = 256,
  parameter int unsigned HidmWords1 = 16
) (
  /// Clock and reset.
  input logic clk_i,
  input logic rst_ni,
  /// Ends without a result.
  input logic clear_i,
  /// Begins.
  input logic start_i,
  /// Level table, children of a node and top level; stable until the end.
  input logic [MaxHeight-1:0][acclmt_pkg::LevelEntryWidth-1:0] level_table_i,
  input logic [3:0] arity_i,
  input acclmt_pkg::level_t top_i,
  /// The queue of a level.
  output acclmt_pkg::level_setup_t setup_o,
  /// All queues are set up; or the queue of `illegal_level_o` cannot be.
  output logic done_o,
  output logic illegal_o,
  output acclmt_pkg::level_t illegal_level_o
);

  localparam int unsigned AddressWidth = acclmt_pkg::NodeAddressWidth;
  localparam int unsigned EndWidth = AddressWidth + 5;

  logic active_q;
  acclmt_pkg::level_t level_q;
  acclmt_pkg::node_memory_e memory_q;
  acclmt_pkg::node_address_t end_q;

  acclmt_pkg::level_entry_t entry;
  always_comb begin
    entry = '0;
    for (int l = 0; l < int'(MaxHeight); l++) begin
      if (level_q == acclmt_pkg::level_t'(l)) entry = level_table_i[l];
    end
  end

  // Words of the memory, and the first word behind the queue.
  logic [EndWidth-1:0] words, queue_end;
  acclmt_pkg::node_address_t base;
  always_comb begin
    words = '0;
    for (int m = 0; m < int'(acclmt_pkg::NumNodeMemories); m++) begin
      if (entry.memory == acclmt_pkg::node_memory_e'(m)) begin
        words = EndWidth'(acclmt_pkg::node_words(
            m, int'(LeafWords), int'(RootWords), int'(ScratchWords), int'(HidmWords0),
            int'(HidmWords1)));
      end
    end
  end
  assign base = (entry.memory == memory_q) ? end_q : '0;
  assign queue_end = EndWidth'(base) + EndWidth'(entry.groups) * EndWidth'(arity_i);

  logic is_end, legal;
  assign is_end = level_q == top_i;
  assign legal = entry.groups != '0 && queue_end <= words && entry.memory >= memory_q &&
                 (level_q == '0) == (entry.memory == acclmt_pkg::LeafHashBuffer);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      active_q <= 1'b0;
      level_q <= '0;
      memory_q <= acclmt_pkg::LeafHashBuffer;
      end_q <= '0;
    end else if (clear_i || start_i) begin
      active_q <= start_i && !clear_i;
      level_q <= '0;
      memory_q <= acclmt_pkg::LeafHashBuffer;
      end_q <= '0;
    end else if (active_q) begin
      if (is_end || !legal) active_q <= 1'b0;
      level_q <= level_q + 1'b1;
      memory_q <= entry.memory;
      end_q <= queue_end[AddressWidth-1:0];
    end
  end

  always_comb begin
    setup_o.valid = active_q && !is_end && legal;
    setup_o.level = level_q;
    setup_o.memory = entry.memory;
    setup_o.base = base;
    setup_o.groups = entry.groups;
  end
  assign done_o = active_q && is_end;
  assign illegal_o = active_q && !is_end && !legal;
  assign illegal_level_o = level_q;

endmodule

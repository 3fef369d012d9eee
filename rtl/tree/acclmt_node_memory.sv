// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// The memories that hold the nodes of a tree that wait for their siblings:
///
///     leaf hash buffer    leaves of the standard tree in progress
///     root hash buffer    major aggregation: the lower levels of a standard tree
///     scratch pad         minor aggregation: its upper levels
///     HIDM levels 0, 1    hierarchical intermediate data memory: the levels that join standard
///     trees
///
/// Leaves are written to the leaf hash buffer, digests to the others.
///
/// Handshake:  none; see acclmt_mem_1r1w. `read_data_o` keeps the word that was read last.
/// Latency:    1 cycle. Throughput: one leaf, one digest and one read a cycle.
module acclmt_node_memory #(
  /// Words of each memory, powers of two.
  parameter int unsigned LeafWords = 4096,
  parameter int unsigned RootWords = 2048,
  parameter int unsigned ScratchWords = 128,
  parameter int unsigned HidmWords0 = 256,
  parameter int unsigned HidmWords1 = 16
) (
  /// Clock and reset.
  input logic clk_i,
  input logic rst_ni,
  /// Configuration of the memories below, see acclmt_memory_pkg; quasi-static.
  input acclmt_memory_pkg::memory_config_t memory_config_i,
  /// Zeroisation: every memory is overwritten with zero at this address, and no node is written.
  input acclmt_tree_pkg::node_sweep_t sweep_i,
  /// A leaf is written.
  input logic leaf_write_i,
  input acclmt_tree_pkg::node_place_t leaf_place_i,
  input acclmt_pkg::word_t leaf_i,
  /// A digest is written.
  input logic digest_write_i,
  input acclmt_tree_pkg::node_place_t digest_place_i,
  input acclmt_pkg::word_t digest_i,
  /// A node is read.
  input logic read_i,
  input acclmt_tree_pkg::node_place_t read_place_i,
  output acclmt_pkg::word_t read_data_o
);

  localparam int unsigned WordWidth = acclmt_pkg::WordWidth;
  localparam int unsigned NodeAddressWidth = acclmt_tree_pkg::NodeAddressWidth;
  localparam int unsigned NumMemories = acclmt_tree_pkg::NumNodeMemories;

  logic [NumMemories-1:0][WordWidth-1:0] data;
  for (genvar m = 0; m < NumMemories; m++) begin : gen_memory
    localparam int unsigned Depth = acclmt_tree_pkg::node_words(
        m, int'(LeafWords), int'(RootWords), int'(ScratchWords), int'(HidmWords0),
        int'(HidmWords1));
    localparam int unsigned AddressWidth = $clog2(Depth);
    localparam acclmt_tree_pkg::node_memory_e Memory = acclmt_tree_pkg::node_memory_e'(m);
    if (Depth < 2 || Depth != 2 ** AddressWidth ||
        AddressWidth > acclmt_tree_pkg::NodeAddressWidth - 1)
    begin : gen_illegal_words
      $error("acclmt_node_memory: Depth = %0d is no power of two within 2..2^%0d (memory %0d)",
             Depth, acclmt_tree_pkg::NodeAddressWidth - 1, m);
    end

    logic write;
    logic [AddressWidth-1:0] write_address;
    acclmt_pkg::word_t write_data;
    if (Memory == acclmt_tree_pkg::LeafHashBuffer) begin : gen_leaves
      assign write = leaf_write_i;
      assign write_address = leaf_place_i.address[AddressWidth-1:0];
      assign write_data = leaf_i;
    end else begin : gen_digests
      assign write = digest_write_i && digest_place_i.memory == Memory;
      assign write_address = digest_place_i.address[AddressWidth-1:0];
      assign write_data = digest_i;
    end
    // A sweep also reads a word that it has overwritten, for the register at the output.
    logic sweep, sweep_read;
    assign sweep = sweep_i.valid && 32'(sweep_i.address) < Depth;
    assign sweep_read = sweep && sweep_i.address == NodeAddressWidth'(1);
    acclmt_mem_1r1w #(
      .Width(WordWidth),
      .Depth(Depth)
    ) u_memory (
      .clk_i,
      .memory_config_i,
      .write_enable_i(write || sweep),
      .write_address_i(sweep ? sweep_i.address[AddressWidth-1:0] : write_address),
      .write_data_i(sweep ? '0 : write_data),
      .read_enable_i(sweep_read || (read_i && read_place_i.memory == Memory)),
      .read_address_i(sweep ? '0 : read_place_i.address[AddressWidth-1:0]),
      .read_data_o(data[m])
    );
  end

  acclmt_tree_pkg::node_memory_e memory_q;
  always_ff @(posedge clk_i) begin
    if (read_i) memory_q <= read_place_i.memory;
  end
  always_comb begin
    read_data_o = data[acclmt_tree_pkg::LeafHashBuffer];
    for (int m = 1; m < int'(NumMemories); m++) begin
      if (memory_q == acclmt_tree_pkg::node_memory_e'(m)) read_data_o = data[m];
    end
  end

  logic unused_bits;
  assign unused_bits = ^{leaf_place_i, digest_place_i, read_place_i};

`ifndef SYNTHESIS
  nothing_during_sweep_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      sweep_i.valid |-> !leaf_write_i && !digest_write_i && !read_i)
  else $error("acclmt_node_memory: a node is written or read while the memories are swept");
  leaf_in_leaf_hash_buffer_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      leaf_write_i |-> leaf_place_i.memory == acclmt_tree_pkg::LeafHashBuffer)
  else $error("acclmt_node_memory: a leaf goes elsewhere than to the leaf hash buffer");
  digest_elsewhere_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      digest_write_i |-> digest_place_i.memory != acclmt_tree_pkg::LeafHashBuffer)
  else $error("acclmt_node_memory: a digest goes to the leaf hash buffer");
`endif

endmodule

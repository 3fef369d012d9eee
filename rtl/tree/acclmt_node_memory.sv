// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// The memory that holds the nodes of a tree that wait for their siblings, or to go out: a queue
/// for each level up to the top, one behind the other. It takes the places of the leaf hash buffer,
/// the root hash buffer, the scratch pad and both levels of the HIDM of the AcclMT paper: what the
/// hash engine has under way decides how many words are used, not the height of the tree.
///
/// Handshake:  none; see acclmt_mem_1r1w. `read_data_o` keeps the word that was read last.
/// Latency:    1 cycle. Throughput: one node written and one read a cycle.
module acclmt_node_memory #(
  /// Words, a power of two.
  parameter int unsigned NodeWords = 512,
  /// Whether memories keep parity, see acclmt_memory.
  parameter bit MemoryParity = 1'b0
) (
  /// Clock and reset.
  input logic clk_i,
  input logic rst_ni,
  /// Configuration of the memory, see acclmt_memory_pkg; quasi-static.
  input acclmt_memory_pkg::memory_config_t memory_config_i,
  /// A word that a memory below shows is not the one that was written; one cycle.
  output logic memory_fault_o,
  /// Zeroisation: the memory is overwritten with zero at this address, and no node is written.
  input acclmt_tree_pkg::node_sweep_t sweep_i,
  /// A node is written.
  input logic write_i,
  input acclmt_tree_pkg::node_address_t write_address_i,
  input acclmt_pkg::word_t write_data_i,
  /// A node is read.
  input logic read_i,
  input acclmt_tree_pkg::node_address_t read_address_i,
  output acclmt_pkg::word_t read_data_o
);

  localparam int unsigned AddressWidth = $clog2(NodeWords);

  if (NodeWords < 2 || NodeWords != 2 ** AddressWidth ||
      AddressWidth > acclmt_tree_pkg::NodeAddressWidth - 1) begin : gen_illegal_words
    $error("acclmt_node_memory: NodeWords = %0d is no power of two within 2..2^%0d", NodeWords,
           acclmt_tree_pkg::NodeAddressWidth - 1);
  end

  // A sweep also reads a word that it has overwritten, for the register at the output.
  logic sweep_read;
  assign sweep_read =
      sweep_i.valid && sweep_i.address == acclmt_tree_pkg::node_address_t'(1);
  acclmt_memory #(
    .Width(acclmt_pkg::WordWidth),
    .Depth(NodeWords),
    .MemoryParity(MemoryParity)
  ) u_memory (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .memory_fault_o,
    .write_enable_i(write_i || sweep_i.valid),
    .write_address_i(sweep_i.valid ? sweep_i.address[AddressWidth-1:0]
                                   : write_address_i[AddressWidth-1:0]),
    .write_data_i(sweep_i.valid ? '0 : write_data_i),
    .read_enable_i(sweep_read || read_i),
    .read_address_i(sweep_i.valid ? '0 : read_address_i[AddressWidth-1:0]),
    .read_data_o
  );

  logic unused_bits;
  assign unused_bits = ^{rst_ni, sweep_i, write_address_i, read_address_i};

`ifndef SYNTHESIS
  nothing_during_sweep_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      sweep_i.valid |-> !write_i && !read_i)
  else $error("acclmt_node_memory: a node is written or read while the memory is swept");
  write_within_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      write_i |-> 32'(write_address_i) < NodeWords)
  else $error("acclmt_node_memory: a node is written to address %0d, beyond the last one",
              write_address_i);
  read_within_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      read_i |-> 32'(read_address_i) < NodeWords)
  else $error("acclmt_node_memory: a node is read at address %0d, beyond the last one",
              read_address_i);
  both_c : cover property (@(posedge clk_i) write_i && read_i);
`endif

endmodule

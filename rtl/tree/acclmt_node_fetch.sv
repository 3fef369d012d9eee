// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Fetch unit of the root hash engine: reads the nodes of a job and offers them, to be hashed, and
/// to go out. Siblings that a group lacks have the value of an empty sub-tree of their level, which
/// is a constant for each level; a group of the top level lacks none, as it is not hashed.
///
/// Handshake:  job: ready/valid; the operands are read from the cycle on in which it is taken.
///             Memory: the word is there the cycle after its read, and stays. Words: ready/valid.
/// Latency:    1 cycle. Throughput: a job in one cycle more than its words.
module acclmt_node_fetch #(
  /// Levels that are hashed.
  parameter int unsigned MaxHeight = 32,
  /// Whether memories keep parity, see acclmt_memory.
  parameter bit MemoryParity = 1'b0
) (
  /// Clock and reset.
  input logic clk_i,
  input logic rst_ni,
  /// Configuration of the memory below, see acclmt_memory_pkg; quasi-static.
  input acclmt_memory_pkg::memory_config_t memory_config_i,
  /// A word that a memory below shows is not the one that was written; one cycle.
  output logic memory_fault_o,
  /// Forgets the job.
  input logic clear_i,
  /// Writes of constants: the value of an empty sub-tree, index level.
  input acclmt_pkg::constant_write_t constant_write_i,
  /// Job.
  input logic job_valid_i,
  output logic job_ready_o,
  input acclmt_tree_pkg::node_job_t job_i,
  /// The nodes of a job have left the memory: their level and their number.
  output logic fetched_o,
  output acclmt_tree_pkg::level_t fetched_level_o,
  output acclmt_tree_pkg::sibling_count_t fetched_count_o,
  /// Read port of the node memory.
  output logic read_o,
  output acclmt_tree_pkg::node_address_t read_address_o,
  input acclmt_pkg::word_t read_data_i,
  /// Words, with the job that they belong to; `end` marks the last one, `is_node` those that are no
  /// empty sub-trees.
  output logic valid_o,
  input logic ready_i,
  output acclmt_pkg::word_t word_o,
  output logic end_o,
  output logic is_node_o,
  output acclmt_tree_pkg::node_job_t job_o,
  /// A group lacks siblings (for the check of runs that have no empty sub-trees).
  output logic incomplete_o,
  /// No job is inside.
  output logic idle_o
);

  localparam int unsigned AddressWidth = (MaxHeight > 1) ? $clog2(MaxHeight) : 1;

  // The word on offer, and the job that it belongs to.
  logic active_q;
  acclmt_tree_pkg::sibling_count_t index_q;
  acclmt_tree_pkg::node_job_t job_q;
  acclmt_tree_pkg::node_address_t address_q;
  logic job_taken, word_taken, last_word, incomplete_q;
  assign job_ready_o = !active_q;
  assign job_taken = job_valid_i && job_ready_o;
  assign word_taken = valid_o && ready_i;
  assign last_word = index_q + 1'b1 == (job_q.is_top ? job_q.count : job_q.arity);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) active_q <= 1'b0;
    else if (clear_i) active_q <= 1'b0;
    else if (job_taken) active_q <= 1'b1;
    else if (word_taken && last_word) active_q <= 1'b0;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) incomplete_q <= 1'b0;
    else incomplete_q <= job_taken && !job_i.is_top && job_i.count != job_i.arity && !clear_i;
  end
  always_ff @(posedge clk_i) begin
    if (job_taken) begin
      index_q <= '0;
      job_q <= job_i;
      address_q <= acclmt_tree_pkg::node_address_t'(job_i.group);
    end else if (word_taken) begin
      index_q <= index_q + 1'b1;
      address_q <= address_q + 1'b1;
    end
  end

  // The first word is read as the job is taken, each other one as the one before it is taken.
  logic read, next_is_empty, empty_q;
  assign read = job_taken || (word_taken && !last_word);
  assign next_is_empty = !job_taken && index_q + 1'b1 >= job_q.count;
  always_ff @(posedge clk_i) begin
    if (read) empty_q <= next_is_empty;
  end
  assign read_o = read && !next_is_empty;
  assign read_address_o =
      job_taken ? acclmt_tree_pkg::node_address_t'(job_i.group) : address_q + 1'b1;

  acclmt_pkg::word_t empty_word;
  acclmt_memory #(
    .Width(acclmt_pkg::WordWidth),
    .Depth(MaxHeight),
    .MemoryParity(MemoryParity)
  ) u_empty (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .memory_fault_o,
    .write_enable_i(constant_write_i.valid &&
                    constant_write_i.sub_engine == acclmt_pkg::EmptySubTrees &&
                    constant_write_i.bank == '0),
    .write_address_i(constant_write_i.index[AddressWidth-1:0]),
    .write_data_i(constant_write_i.data),
    .read_enable_i(read && next_is_empty),
    .read_address_i(job_q.level[AddressWidth-1:0]),
    .read_data_o(empty_word)
  );

  assign valid_o = active_q;
  assign word_o = empty_q ? empty_word : read_data_i;
  assign end_o = last_word;
  assign is_node_o = !empty_q;
  assign job_o = job_q;
  assign fetched_o = word_taken && last_word;
  assign fetched_level_o = job_q.level;
  assign fetched_count_o = job_q.count;
  assign incomplete_o = incomplete_q;
  assign idle_o = !active_q;

  logic unused_bits;
  assign unused_bits = ^constant_write_i;

`ifndef SYNTHESIS
  word_stable_a : assert property (@(posedge clk_i) disable iff (!rst_ni || clear_i)
      valid_o && !ready_i |=> valid_o && $stable(word_o))
  else $error("acclmt_node_fetch: a word changed before it was taken");
  count_in_range_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      job_taken && !clear_i |-> job_i.count != '0 && job_i.count <= job_i.arity)
  else $error("acclmt_node_fetch: a job has %0d nodes", job_i.count);
  known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !$isunknown({job_valid_i, job_ready_o, valid_o}))
  else $error("acclmt_node_fetch: a handshake is unknown");
  ready_known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      valid_o |-> !$isunknown(ready_i))
  else $error("acclmt_node_fetch: ready_i is unknown");
  empty_sub_tree_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      read && next_is_empty);
  waits_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      valid_o && !ready_i);
`endif

endmodule

// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Testbench only: the tree without its hash engines, with a node memory of
/// few words, so that small trees fill every level. tb/tests/tree.rs plays the hash engine, and
/// knows the layout.
module acclmt_tb_tree #(
  parameter int unsigned MaxHeight = 12,
  parameter int unsigned NodeWords = 128
) (
  input logic clk_i,
  input logic rst_ni,
  /// From the least significant word: control bits, arity of the level that is set up, leaves, top
  /// level, levels that go out, set-up of a level's queue (level, base, groups), index and data
  /// (2 words) of a constant, leaf (2), digest (2) and its place. The parameter set of a level is
  /// the lower bits of its number.
  input logic [16*32-1:0] in_i,
  /// Flags, which show, too, whether a word of a job was read and is taken, the level of the job,
  /// and the parameter set of the operand; operand (2 words) and the place of its digest, node that
  /// goes out (2), its level and
  /// index, the place of the leaf.
  output logic [9*32-1:0] out_o
);

  localparam int unsigned PlaceWidth = acclmt_pkg::TagPayloadWidth;

  acclmt_tree_pkg::tree_config_t tree;
  acclmt_tree_pkg::level_setup_t setup;
  acclmt_pkg::constant_write_t constant_write;
  always_comb begin
    tree.leaves = acclmt_tree_pkg::leaf_count_t'(in_i[2*32+:32]);
    tree.top = in_i[3*32+:acclmt_tree_pkg::LevelWidth];
    tree.pad = 1'b1;
    tree.emit = in_i[4*32+:32];
    setup.valid = in_i[5];
    setup.level = in_i[5*32+:acclmt_tree_pkg::LevelWidth];
    setup.parameter_set = in_i[5*32+:acclmt_tree_pkg::LevelSetWidth];
    setup.arity = in_i[32+:4];
    setup.base = in_i[6*32+:acclmt_tree_pkg::NodeAddressWidth];
    setup.groups = in_i[7*32+:acclmt_tree_pkg::NodeAddressWidth];
    setup.limit = setup.base + setup.groups * acclmt_tree_pkg::node_address_t'(in_i[32+:4]);
    constant_write.valid = in_i[6];
    constant_write.sub_engine = acclmt_pkg::EmptySubTrees;
    constant_write.bank = '0;
    constant_write.index = in_i[8*32+:acclmt_pkg::IndexWidth];
    constant_write.data = acclmt_pkg::word_t'(in_i[9*32+:64]);
  end

  logic leaf_ready, operand_valid, node_valid, incomplete, starved, idle;
  acclmt_pkg::word_t operand, node;
  logic [PlaceWidth-1:0] operand_place, leaf_place;
  acclmt_tree_pkg::node_label_t label;
  acclmt_tree_pkg::node_traffic_t unused_traffic;
  logic [acclmt_tree_pkg::LevelSetWidth-1:0] operand_set;
  logic unused_end;
  acclmt_tree #(
    .MaxHeight(MaxHeight),
    .NodeWords(NodeWords)
  ) u_tree (
    .clk_i,
    .rst_ni,
    .memory_config_i(acclmt_memory_pkg::MemoryConfigDefault),
    .memory_fault_o(),
    .clear_i(in_i[4]),
    .tree_i(tree),
    .setup_i(setup),
    .constant_write_i(constant_write),
    .node_sweep_i('0),
    .reserve_leaves_i(in_i[7]),
    .leaf_valid_i(in_i[0] && !in_i[7]),
    .leaf_reserve_i(in_i[0] && in_i[7]),
    .leaf_ready_o(leaf_ready),
    .leaf_i(acclmt_pkg::word_t'(in_i[11*32+:64])),
    .leaf_end_i(1'b1),
    .leaf_places_i(16'd1),
    .leaf_place_o(leaf_place),
    .operand_valid_o(operand_valid),
    .operand_ready_i(in_i[1]),
    .operand_o(operand),
    .operand_end_o(unused_end),
    .operand_set_o(operand_set),
    .operand_place_o(operand_place),
    .digest_valid_i(in_i[2]),
    .digest_i(acclmt_pkg::word_t'(in_i[13*32+:64])),
    .digest_place_i(in_i[15*32+:PlaceWidth]),
    .node_valid_o(node_valid),
    .node_ready_i(in_i[3]),
    .node_o(node),
    .label_o(label),
    .incomplete_o(incomplete),
    .starved_o(starved),
    .traffic_o(unused_traffic),
    .idle_o(idle)
  );

  assign out_o = {
    32'(leaf_place), label.index, 32'(label.level), node[63:0], 32'(operand_place), operand[63:0],
    15'b0, operand_set, u_tree.word_job.level, u_tree.fetched_ready, u_tree.fetched_valid,
    starved, incomplete, idle, label.last, node_valid, operand_valid, leaf_ready
  };

  logic unused_bits;
  assign unused_bits = ^{in_i, operand, node};

endmodule

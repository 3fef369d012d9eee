// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Testbench only: the tree of the root hash engine, with queues of a few groups, and digests that
/// come back in any order. Says how many nodes came out, and how many of them were not the hash of
/// the right children or not in order, for tb/tests/faults.rs.
module acclmt_tb_places;

  localparam int unsigned MaxHeight = 4;
  localparam int unsigned NodeWords = 64;
  localparam int unsigned Arity = 3;
  localparam int unsigned Leaves = 80;
  localparam int unsigned Hashes = 12;
  localparam int unsigned Patience = 20000;
  localparam int unsigned Groups[MaxHeight+1] = '{4, 3, 2, 1, 1};

  logic clk = 1'b0;
  logic rst_n = 1'b0;
  always #5 clk = !clk;

  acclmt_tree_pkg::level_setup_t setup;
  acclmt_tree_pkg::tree_config_t tree;
  logic clear, leaf_valid, leaf_ready, operand_valid, operand_ready, operand_end;
  logic digest_valid, node_valid, node_ready;
  acclmt_pkg::word_t leaf, operand, digest, node;
  logic [acclmt_pkg::TagPayloadWidth-1:0] operand_place, digest_place;
  acclmt_tree_pkg::node_label_t label;
  acclmt_tree #(
    .MaxHeight(MaxHeight),
    .NodeWords(NodeWords)
  ) u_tree (
    .clk_i(clk),
    .rst_ni(rst_n),
    .memory_config_i(acclmt_memory_pkg::MemoryConfigDefault),
    .memory_fault_o(),
    .clear_i(clear),
    .tree_i(tree),
    .setup_i(setup),
    .constant_write_i('0),
    .node_sweep_i('0),
    .reserve_leaves_i(1'b0),
    .leaf_valid_i(leaf_valid),
    .leaf_reserve_i(1'b0),
    .leaf_ready_o(leaf_ready),
    .leaf_i(leaf),
    .leaf_end_i(1'b1),
    .leaf_places_i(16'd1),
    .leaf_place_o(),
    .operand_valid_o(operand_valid),
    .operand_ready_i(operand_ready),
    .operand_o(operand),
    .operand_end_o(operand_end),
    .operand_set_o(),
    .operand_place_o(operand_place),
    .digest_valid_i(digest_valid),
    .digest_i(digest),
    .digest_place_i(digest_place),
    .node_valid_o(node_valid),
    .node_ready_i(node_ready),
    .node_o(node),
    .label_o(label),
    .incomplete_o(),
    .starved_o(),
    .traffic_o(),
    .idle_o()
  );

  // Stands for the hash: depends on every operand and its position.
  function automatic logic [63:0] mix(input logic [63:0] state, input logic [63:0] value);
    logic [63:0] product;
    product = (state ^ value) * 64'h9e37_79b9_7f4a_7c15;
    mix = (product ^ (product >> 29)) + 64'h7f4a_7c15;
  endfunction

  // ---- What comes out ---------------------------------------------------------------------------

  // Every level; siblings that a group lacks are zero.
  logic [63:0] expected[MaxHeight+1][Leaves+1];
  int unsigned count[MaxHeight+1], received[MaxHeight+1];
  int unsigned nodes = 0, wrong = 0;
  logic ended = 1'b0;
  always @(posedge clk) begin
    if (rst_n && node_valid && node_ready) begin
      nodes = nodes + 1;
      if (32'(label.index) != received[label.level] ||
          node[63:0] != expected[label.level][label.index]) wrong = wrong + 1;
      received[label.level] = received[label.level] + 1;
      if (label.last) ended = 1'b1;
    end
  end

  // ---- The hash engine --------------------------------------------------------------------------

  logic [Hashes-1:0] busy = '0;
  logic [63:0] digests[Hashes], state = 64'd77;
  logic [acclmt_pkg::TagPayloadWidth-1:0] places[Hashes];
  int unsigned chosen = 0, free;
  logic [31:0] random = 32'd1;
  int unsigned received_leaves = 0;
  // What the tree is given changes between two edges of its clock.
  always @(negedge clk) begin
    free = 0;
    for (int unsigned i = 0; i < Hashes; i++) begin
      if (!busy[i]) free = i;
    end
    operand_ready = busy != '1;
    digest_valid = rst_n && !clear && busy[chosen] && random[3];
    digest = acclmt_pkg::word_t'(digests[chosen]);
    digest_place = places[chosen];
    node_ready = random[7] || random[9];
    leaf_valid = rst_n && !clear && !setup.valid && random[5] && received_leaves < Leaves;
    leaf = acclmt_pkg::word_t'(expected[0][received_leaves]);
  end
  always @(posedge clk) begin
    if (rst_n && !clear) begin
      random <= {random[30:0], random[31] ^ random[21] ^ random[1] ^ random[0]};
      chosen <= 32'(random[15:8]) % Hashes;
      if (leaf_valid && leaf_ready) received_leaves <= received_leaves + 1;
      if (digest_valid) busy[chosen] <= 1'b0;
      if (operand_valid && operand_ready) begin
        state <= operand_end ? 64'd77 : mix(state, operand[63:0]);
        if (operand_end) begin
          busy[free] <= 1'b1;
          digests[free] <= mix(state, operand[63:0]);
          places[free] <= operand_place;
        end
      end
    end
  end

  int unsigned base, cycles;
  logic [63:0] value;
  initial begin
    clear = 1'b0;
    setup = '0;
    tree.leaves = acclmt_tree_pkg::leaf_count_t'(Leaves);
    tree.top = acclmt_tree_pkg::level_t'(MaxHeight);
    tree.pad = 1'b1;
    tree.emit = '1;
    count[0] = Leaves;
    for (int unsigned i = 0; i < Leaves; i++) expected[0][i] = mix(64'd5, 64'(i));
    for (int unsigned l = 0; l < MaxHeight; l++) begin
      count[l+1] = (count[l] + Arity - 1) / Arity;
      for (int unsigned i = 0; i < count[l+1]; i++) begin
        value = 64'd77;
        for (int unsigned j = 0; j < Arity; j++) begin
          value = mix(value, (Arity * i + j < count[l]) ? expected[l][Arity*i+j] : '0);
        end
        expected[l+1][i] = value;
      end
    end
    for (int unsigned l = 0; l <= MaxHeight; l++) received[l] = 0;
    for (int unsigned l = 0; l < MaxHeight; l++) begin
      u_tree.u_fetch.u_empty.gen_plain.u_memory.memory[l] = '0;
    end
    repeat (4) @(negedge clk);
    rst_n = 1'b1;
    base = 0;
    for (int unsigned l = 0; l <= MaxHeight; l++) begin
      setup.valid = 1'b1;
      setup.level = acclmt_tree_pkg::level_t'(l);
      setup.parameter_set = '0;
      setup.arity = 4'(Arity);
      setup.base = acclmt_tree_pkg::node_address_t'(base);
      base = base + Groups[l] * Arity;
      setup.limit = acclmt_tree_pkg::node_address_t'(base);
      setup.groups = acclmt_tree_pkg::node_address_t'(Groups[l]);
      @(negedge clk);
    end
    setup.valid = 1'b0;
    clear = 1'b1;
    @(negedge clk);
    clear = 1'b0;
    cycles = 0;
    while (!ended && cycles < Patience) begin
      @(negedge clk);
      cycles = cycles + 1;
    end
    if (ended) $display("ended: %0d nodes, %0d wrong", nodes, wrong);
    else $display("unfinished: %0d nodes, %0d wrong", nodes, wrong);
    $finish;
  end

endmodule

// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Testbench only: a pool of three hash engines with the tree, in runs with every kind of roles,
/// one after the other. acclmt_tb_hash_engine stands for the engines. Says of each run how many
/// words of nodes came out, and how many of them were not the hash of the right words or not in
/// order, for tb/tests/faults.rs.
module acclmt_tb_dealing;

  localparam int unsigned NumEngines = 3;
  localparam int unsigned MaxHeight = 4;
  localparam int unsigned NodeWords = 64;
  localparam int unsigned MostLeaves = 80;
  localparam int unsigned Patience = 20000;
  localparam int unsigned PlaceWidth = acclmt_pkg::TagPayloadWidth;
  localparam int unsigned NumSets = acclmt_pkg::NumSets;

  logic clk = 1'b0;
  logic rst_n = 1'b0;
  always #5 clk = !clk;

  acclmt_pkg::run_config_t run;
  acclmt_tree_pkg::tree_config_t tree;
  acclmt_tree_pkg::level_setup_t setup;
  acclmt_pkg::engine_config_t of_set[NumSets];
  logic [NumSets*acclmt_pkg::EngineConfigWidth-1:0] configs;

  // ---- Sequencer, pool and tree, as in acclmt_core ----------------------------------------------

  logic start = 1'b0, configures = 1'b1;
  logic input_open, row_valid, row_ready;
  acclmt_pkg::input_label_t row_label;
  acclmt_pkg::word_count_t row_words;
  acclmt_pkg::word_t row_word;
  acclmt_input_sequencer u_sequencer (
    .clk_i(clk),
    .rst_ni(rst_n),
    .clear_i(1'b0),
    .start_i(start),
    .leaves_i(tree.leaves),
    .row_i(run.row),
    .block_words_i(row_words),
    .open_o(input_open),
    .take_i(row_valid && row_ready),
    .label_o(row_label)
  );

  logic leaf_valid, leaf_reserve, leaf_ready, leaf_end, operand_valid, operand_ready, operand_end;
  logic digest_valid, node_valid, node_ready, pool_idle, tree_idle;
  logic [15:0] leaf_places;
  acclmt_pkg::set_t operand_set;
  logic [PlaceWidth-1:0] leaf_place, operand_place, digest_place;
  acclmt_pkg::word_t leaf, operand, digest, node;
  acclmt_tree_pkg::node_label_t label;
  acclmt_engine_pool #(
    .NumEngines(NumEngines),
    .EngineRestCycles(64)
  ) u_pool (
    .clk_i(clk),
    .rst_ni(rst_n),
    .memory_config_i(acclmt_memory_pkg::MemoryConfigDefault),
    .memory_fault_o(),
    .clear_i(start),
    .wake_i(configures || !pauses),
    .prime_i('0),
    .run_i(run),
    .is_tree_i(tree.top != '0),
    .configs_i(configs),
    .constant_write_i('0),
    .constant_engines_i('0),
    .row_valid_i(row_valid),
    .row_ready_o(row_ready),
    .row_word_i(row_word),
    .row_label_i(row_label),
    .leaf_valid_o(leaf_valid),
    .leaf_reserve_o(leaf_reserve),
    .leaf_ready_i(leaf_ready),
    .leaf_o(leaf),
    .leaf_end_o(leaf_end),
    .leaf_places_o(leaf_places),
    .leaf_place_i(leaf_place),
    .node_valid_i(operand_valid),
    .node_ready_o(operand_ready),
    .node_word_i(operand),
    .node_end_i(operand_end),
    .node_set_i(operand_set),
    .node_place_i(operand_place),
    .digest_valid_o(digest_valid),
    .digest_o(digest),
    .digest_place_o(digest_place),
    .digest_is_leaf_o(),
    .hash_begun_o(),
    .busy_o(),
    .program_fault_o(),
    .program_fault_set_o(),
    .idle_o(pool_idle)
  );
  acclmt_tree #(
    .MaxHeight(MaxHeight),
    .NodeWords(NodeWords)
  ) u_tree (
    .clk_i(clk),
    .rst_ni(rst_n),
    .memory_config_i(acclmt_memory_pkg::MemoryConfigDefault),
    .memory_fault_o(),
    .clear_i(start),
    .tree_i(tree),
    .setup_i(setup),
    .constant_write_i('0),
    .node_sweep_i('0),
    .reserve_leaves_i(run.reserve_leaves),
    .leaf_valid_i(leaf_valid),
    .leaf_reserve_i(leaf_reserve),
    .leaf_ready_o(leaf_ready),
    .leaf_i(leaf),
    .leaf_end_i(leaf_end),
    .leaf_places_i(leaf_places),
    .leaf_place_o(leaf_place),
    .operand_valid_o(operand_valid),
    .operand_ready_i(operand_ready),
    .operand_o(operand),
    .operand_end_o(operand_end),
    .operand_set_o(operand_set),
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
    .idle_o(tree_idle)
  );

  // ---- What goes in -----------------------------------------------------------------------------

  function automatic logic [63:0] word_of_input(input int unsigned number);
    word_of_input = acclmt_tb_hash_pkg::mix(64'd5, 64'(number));
  endfunction

  logic [31:0] random = 32'd1;
  int unsigned words_taken = 0;
  logic row_waits = 1'b0;
  logic [8:0] slow_q = '0;
  // Words come in bunches, between which the engines rest; in other runs they never do.
  logic pauses = 1'b0;
  int unsigned rests = 0;
  // What the blocks are given changes between two edges of their clock.
  always @(negedge clk) begin
    configs = {of_set[2], of_set[1], of_set[0]};
    row_words = of_set[0].input_words;
    // The output is slow at times.
    node_ready = slow_q[6] ? random[7] && random[9] : random[7] || random[9];
    row_valid = rst_n && !start && input_open && (row_waits || random[5] || random[17]) &&
                (row_waits || !pauses || slow_q[8:6] == '0);
    row_word = acclmt_pkg::word_t'(word_of_input(words_taken));
  end
  always @(posedge clk) begin
    if (rst_n) random <= {random[30:0], random[31] ^ random[21] ^ random[1] ^ random[0]};
    slow_q <= slow_q + 1'b1;
    if (u_pool.gen_engine[0].rests) rests <= rests + 1;
    row_waits <= row_valid && !row_ready;
    if (start) words_taken <= 0;
    else if (row_valid && row_ready) words_taken <= words_taken + 1;
  end

  // ---- What comes out ---------------------------------------------------------------------------

  // Every level; siblings that a group lacks are zero. A digest without a tree has several words.
  logic [63:0] expected[MaxHeight+1][MostLeaves];
  int unsigned count[MaxHeight+1], received[MaxHeight+1];
  int unsigned nodes = 0, wrong = 0, number = 0;
  logic ended = 1'b0;
  always @(posedge clk) begin
    if (rst_n && !start && node_valid && node_ready) begin
      nodes = nodes + 1;
      if (ended || 32'(label.index) != received[label.level] ||
          node[63:0] != acclmt_tb_hash_pkg::digest_word(expected[label.level][label.index], number))
        wrong = wrong + 1;
      number = (tree.top == '0) ? (number + 1) % 32'(of_set[0].digest_words) : 0;
      if (number == 0) received[label.level] = received[label.level] + 1;
      if (label.last) ended = 1'b1;
    end
  end

  // ---- Runs -------------------------------------------------------------------------------------

  // Of each level: the children of a node above it and their parameter set, groups of its queue.
  int unsigned arity[MaxHeight+1], level_set[MaxHeight+1], groups[MaxHeight+1];

  // Rows of one block and nodes of arity 3, each on every engine.
  task automatic usual_run();
    run = '0;
    run.hash_leaves = 1'b1;
    run.row_engines = acclmt_pkg::engine_mask_t'(3'b111);
    run.node_engines = acclmt_pkg::engine_mask_t'(3'b111);
    run.node_sets = 3'b010;
    run.reserve_leaves = 1'b1;
    run.row.blocks = 32'd1;
    run.row.group = 16'd1;
    run.row.last_words = 4'd2;
    run.row.last_map = 120'h1234_5678_9abc;
    tree = '0;
    tree.leaves = acclmt_tree_pkg::leaf_count_t'(MostLeaves);
    tree.top = acclmt_tree_pkg::level_t'(MaxHeight);
    tree.pad = 1'b1;
    tree.emit = '1;
    for (int unsigned set = 0; set < NumSets; set++) begin
      of_set[set] = '0;
      of_set[set].input_words = 4'd3;
      of_set[set].digest_words = 4'd1;
      of_set[set].input_map = 120'h1111_2222_3333 * (120'(set) + 120'd1);
    end
    groups = '{4, 3, 2, 1, 1};
    for (int unsigned l = 0; l <= MaxHeight; l++) begin
      arity[l] = 3;
      level_set[l] = 1;
    end
  endtask

  // What the run should make.
  task automatic expect_nodes();
    int unsigned words, rows, leaves, block_words;
    acclmt_pkg::set_t set;
    logic last;
    logic [63:0] value;
    words = 0;
    leaves = 32'(tree.leaves);
    for (int unsigned first = 0; first < leaves; first += 32'(run.row.group)) begin
      rows = (leaves - first < 32'(run.row.group)) ? leaves - first : 32'(run.row.group);
      for (int unsigned b = 0; b < run.row.blocks; b++) begin
        last = b + 1 == run.row.blocks;
        for (int unsigned i = first; i < first + rows; i++) begin
          value = acclmt_tb_hash_pkg::empty_block(last ? run.row.last_map : of_set[0].input_map,
                                                  run.row.overwrite);
          block_words = last ? 32'(run.row.last_words) : 32'(of_set[0].input_words);
          for (int unsigned w = 0; w < block_words; w++) begin
            value = acclmt_tb_hash_pkg::mix(value, word_of_input(words));
            words = words + 1;
          end
          if (b != 0) value = acclmt_tb_hash_pkg::mix(expected[0][i], value);
          expected[0][i] = run.hash_leaves ? acclmt_tb_hash_pkg::permuted(value, '0)
                                           : word_of_input(i);
        end
      end
    end
    count[0] = leaves;
    for (int unsigned l = 0; l < MaxHeight; l++) begin
      set = acclmt_pkg::set_t'(level_set[l]);
      count[l+1] = (count[l] + arity[l] - 1) / arity[l];
      for (int unsigned i = 0; i < count[l+1]; i++) begin
        value = acclmt_tb_hash_pkg::empty_block(of_set[set].input_map, 1'b0);
        for (int unsigned j = 0; j < arity[l]; j++) begin
          value = acclmt_tb_hash_pkg::mix(
              value, (arity[l] * i + j < count[l]) ? expected[l][arity[l]*i+j] : '0);
        end
        expected[l+1][i] = acclmt_tb_hash_pkg::permuted(value, set);
      end
    end
  endtask

  // The runs by number; the same text for all of them keeps what Verilator makes small.
  localparam int unsigned Runs = 11;
  string name;
  task automatic choose_run(input int unsigned index);
    usual_run();
    case (index)
      0: name = "shared";
      1: begin
        name = "two engines for rows";
        run.row_engines = acclmt_pkg::engine_mask_t'(3'b011);
        run.node_engines = acclmt_pkg::engine_mask_t'(3'b100);
      end
      2: begin
        name = "one engine for rows";
        run.row_engines = acclmt_pkg::engine_mask_t'(3'b001);
        run.node_engines = acclmt_pkg::engine_mask_t'(3'b110);
        run.reserve_leaves = 1'b0;
      end
      3: begin
        // Some nodes have the set that rows would have.
        name = "elements";
        run.hash_leaves = 1'b0;
        run.reserve_leaves = 1'b0;
        run.row.last_words = 4'd1;
        run.node_sets = 3'b011;
        level_set[0] = 0;
        level_set[2] = 0;
      end
      4: begin
        // An engine holds these rows and so many nodes, and no more.
        name = "two blocks";
        run.row.blocks = 32'd2;
        run.row.group = 16'd10;
        run.row.overwrite = 1'b1;
        run.node_limit = acclmt_pkg::node_limit_t'(2);
        tree.leaves = acclmt_tree_pkg::leaf_count_t'(47);
        groups = '{6, 3, 2, 1, 1};
        for (int unsigned l = 0; l <= MaxHeight; l++) arity[l] = 2;
        of_set[1].input_words = 4'd2;
      end
      5: begin
        // Nodes of all rows on one engine: many wait for it.
        name = "two blocks, one engine for nodes";
        run.node_engines = acclmt_pkg::engine_mask_t'(3'b001);
        run.row.blocks = 32'd2;
        run.row.group = 16'd10;
        run.node_limit = acclmt_pkg::node_limit_t'(2);
        groups = '{8, 3, 2, 1, 1};
        for (int unsigned l = 0; l <= MaxHeight; l++) arity[l] = 2;
        of_set[1].input_words = 4'd2;
      end
      6: begin
        name = "no tree";
        run.node_engines = '0;
        run.node_sets = '0;
        run.reserve_leaves = 1'b0;
        tree.top = '0;
        of_set[0].digest_words = 4'd2;
      end
      7: begin
        name = "three blocks and no tree";
        run.node_engines = '0;
        run.node_sets = '0;
        run.reserve_leaves = 1'b0;
        run.row.blocks = 32'd3;
        run.row.group = 16'd7;
        tree.top = '0;
        tree.leaves = acclmt_tree_pkg::leaf_count_t'(30);
        of_set[0].digest_words = 4'd2;
      end
      8: begin
        name = "two arities";
        run.node_sets = 3'b110;
        tree.leaves = acclmt_tree_pkg::leaf_count_t'(70);
        groups = '{4, 3, 2, 2, 1};
        for (int unsigned l = 1; l <= MaxHeight; l++) begin
          arity[l] = 2;
          level_set[l] = 2;
        end
        of_set[2].input_words = 4'd2;
      end
      9: begin
        name = "two blocks, two engines for rows";
        run.row_engines = acclmt_pkg::engine_mask_t'(3'b110);
        run.node_engines = acclmt_pkg::engine_mask_t'(3'b001);
        run.row.blocks = 32'd2;
        run.row.group = 16'd7;
        tree.leaves = acclmt_tree_pkg::leaf_count_t'(40);
      end
      default: begin
        name = "pauses";
        pauses = 1'b1;
      end
    endcase
  endtask

  int unsigned all_nodes = 0, all_wrong = 0, base, cycles;
  initial begin
    setup = '0;
    choose_run(0);
    for (int unsigned l = 0; l < MaxHeight; l++) begin
      u_tree.u_fetch.u_empty.gen_plain.u_memory.memory[l] = '0;
    end
    repeat (4) @(negedge clk);
    rst_n = 1'b1;
    ended = 1'b1;
    for (int unsigned i = 0; i < Runs && ended; i++) begin
      choose_run(i);
      expect_nodes();
      @(negedge clk);
      base = 0;
      for (int unsigned l = 0; l <= MaxHeight; l++) begin
        setup.valid = 1'b1;
        setup.level = acclmt_tree_pkg::level_t'(l);
        setup.parameter_set = acclmt_pkg::set_t'(level_set[l]);
        setup.arity = acclmt_tree_pkg::sibling_count_t'(arity[l]);
        setup.base = acclmt_tree_pkg::node_address_t'(base);
        base = base + groups[l] * arity[l];
        setup.limit = acclmt_tree_pkg::node_address_t'(base);
        setup.groups = acclmt_tree_pkg::node_address_t'(groups[l]);
        received[l] = 0;
        @(negedge clk);
      end
      setup.valid = 1'b0;
      nodes = 0;
      wrong = 0;
      number = 0;
      ended = 1'b0;
      start = 1'b1;
      @(negedge clk);
      start = 1'b0;
      configures = 1'b0;
      cycles = 0;
      while (!ended && cycles < Patience) begin
        @(negedge clk);
        cycles = cycles + 1;
      end
      $display("%0s: %0s: %0d nodes, %0d wrong", name, ended ? "ended" : "unfinished", nodes,
               wrong);
      all_nodes = all_nodes + nodes;
      all_wrong = all_wrong + wrong;
      // What follows the last node is not in the tree of the next run.
      repeat (4) @(negedge clk);
      configures = 1'b1;
      if (ended && (!pool_idle || !tree_idle))
        $error("acclmt_tb_dealing: something is inside after a run");
    end
    $display("%0s: %0d nodes, %0d wrong", ended ? "all ended" : "unfinished", all_nodes, all_wrong);
    if (ended && rests == 0) $error("acclmt_tb_dealing: engine 0 has not rested");
    $finish;
  end

endmodule

// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// A pool of equal hash engines: hashes rows of input words into leaves, and groups of siblings
/// into nodes. The run says which engines take rows and which take nodes. The leaf hash engine and
/// the root hash engine of the AcclMT paper are a pool of two with one role each; an engine with
/// both roles mixes its rows and its nodes slot by slot.
///
///     rows  -+-> engine 0 --+-> digests, each with its place
///            +-> engine 1 --+
///     nodes -+-> ..         +-> leaves in order
///
/// A block goes to one engine, from its first word to its last; blocks are dealt by turns to the
/// engines that have room. An engine that could begin a row and a node begins the node: so the
/// nodes that are nearest to the root come first, and the least words wait in the node memory. Rows
/// that have several blocks, and those without a tree, are dealt strictly in turn, the rows of each
/// round of blocks from engine 0 on: so each block finds its state, and digests come in order as
/// they are collected in turn.
///
/// With `reserve_leaves` the place of a leaf in the tree is reserved as its row begins, and its
/// digest goes there whenever it comes. Rows of several blocks wait inside for words that come
/// later in the stream: the first row of a group begins only when there are places for all of
/// them, so that none waits for a node that is behind them.
///
/// In element mode rows are ready leaves, and pass through.
///
/// Handshake:  ready/valid for rows, nodes and leaves. With `reserve_leaves` the leaf port asks for
///             a place, which `leaf_place_i` names. Digests come in any order, and are taken at
///             once.
/// Latency:    that of the hash engine.
/// Throughput: that of the hash engines, one word of a row and one of a node a cycle; one digest a
///             cycle.
module acclmt_engine_pool #(
  /// The modulus, whether Goldilocks mode exists, and the kind of reduction.
  parameter acclmt_pkg::word_t Prime = acclmt_pkg::PrimeBls12381,
  parameter bit Goldilocks = 1'b1,
  parameter int unsigned Reduction = acclmt_pkg::ReductionConstant,
  /// Hash engines, 1..8, and parameters of each.
  parameter int unsigned NumEngines = 2,
  parameter int unsigned NumFull = 1,
  parameter int unsigned NumPartial = 4,
  parameter int unsigned MatrixDepth = 64,
  parameter int unsigned ConstantDepth = 256,
  parameter int unsigned PartialDepth = 128,
  parameter bit Store = 1'b1,
  parameter bit Adders = 1'b1,
  /// Whether memories keep parity, see acclmt_memory.
  parameter bit MemoryParity = 1'b0,
  /// Cycles without work behind which the clock of an engine stands still, see
  /// acclmt_engine_clock; 0: it never does.
  parameter int unsigned EngineRestCycles = 0
) (
  /// Clock and reset.
  input logic clk_i,
  input logic rst_ni,
  /// Configuration of the memories below, see acclmt_memory_pkg; quasi-static.
  input acclmt_memory_pkg::memory_config_t memory_config_i,
  /// A word that a memory below shows is not the one that was written; one cycle.
  output acclmt_pkg::memory_fault_t memory_fault_o,
  /// Forgets everything.
  input logic clear_i,
  /// A register is written: what follows from the configuration changes from the next cycle on.
  input logic wake_i,
  /// Run-time modulus, what the run does, whether it has a tree, and the parameter sets,
  /// set 0 in the low bits; stable during a run.
  input acclmt_pkg::word_t prime_i,
  input acclmt_pkg::run_config_t run_i,
  input logic is_tree_i,
  input logic [acclmt_pkg::NumSets*acclmt_pkg::EngineConfigWidth-1:0] configs_i,
  /// Writes of constants, and the engines that take them.
  input acclmt_pkg::constant_write_t constant_write_i,
  input logic [NumEngines-1:0] constant_engines_i,
  /// Words of rows, in order.
  input logic row_valid_i,
  output logic row_ready_o,
  input acclmt_pkg::word_t row_word_i,
  input acclmt_pkg::input_label_t row_label_i,
  /// Leaves, in order; `end` marks the last word of one. With `reserve_leaves`: a place for a leaf
  /// is asked for (`reserve`), so many of which must be free; which place it is.
  output logic leaf_valid_o,
  output logic leaf_reserve_o,
  input logic leaf_ready_i,
  output acclmt_pkg::word_t leaf_o,
  output logic leaf_end_o,
  output logic [15:0] leaf_places_o,
  input logic [acclmt_pkg::TagPayloadWidth-1:0] leaf_place_i,
  /// Operands of nodes, with their parameter sets and the places of their digests; `end` marks the
  /// last one of a group.
  input logic node_valid_i,
  output logic node_ready_o,
  input acclmt_pkg::word_t node_word_i,
  input logic node_end_i,
  input acclmt_pkg::set_t node_set_i,
  input logic [acclmt_pkg::TagPayloadWidth-1:0] node_place_i,
  /// Digests that have a place, and whether one is that of a row.
  output logic digest_valid_o,
  output acclmt_pkg::word_t digest_o,
  output logic [acclmt_pkg::TagPayloadWidth-1:0] digest_place_o,
  output logic digest_is_leaf_o,
  /// Of each engine: a permutation begins; the slot of a round is under way, see acclmt_hash_engine
  /// (performance counters).
  output logic [NumEngines-1:0] hash_begun_o,
  output logic [NumEngines*acclmt_pkg::MaxSubEngines-1:0] busy_o,
  /// Why the program of a set that an engine uses cannot run, of the first such engine and set;
  /// a register behind the configuration.
  output acclmt_pkg::program_fault_t program_fault_o,
  output acclmt_pkg::set_t program_fault_set_o,
  /// Nothing is inside.
  output logic idle_o
);

  localparam int unsigned WordWidth = acclmt_pkg::WordWidth;
  localparam int unsigned MaxSubEngines = acclmt_pkg::MaxSubEngines;
  localparam int unsigned PayloadWidth = acclmt_pkg::TagPayloadWidth;
  localparam int unsigned TagWidth = acclmt_pkg::TagWidth;
  localparam int unsigned TagSet = acclmt_pkg::TagSet;
  localparam int unsigned SetWidth = acclmt_pkg::SetWidth;
  localparam int unsigned TagContinues = acclmt_pkg::TagContinues;
  localparam int unsigned NumSets = acclmt_pkg::NumSets;
  // More elements than a block has.
  localparam acclmt_pkg::element_count_t AllElements = '1;
  localparam acclmt_pkg::set_t RowSet = acclmt_pkg::RowSet;

  if (NumEngines < 1 || NumEngines > acclmt_pkg::MaxNumEngines) begin : gen_illegal_num_engines
    $error("acclmt_engine_pool: NumEngines = %0d is not within 1..%0d", NumEngines,
           acclmt_pkg::MaxNumEngines);
  end

  // The parameter sets of rows, and of the node on offer.
  acclmt_pkg::engine_config_t row_config, node_config;
  localparam int unsigned ConfigWidth = acclmt_pkg::EngineConfigWidth;
  assign row_config = configs_i[ConfigWidth*int'(RowSet)+:ConfigWidth];
  acclmt_set_select #(
    .NumSets(NumSets)
  ) u_node_config (
    .values_i(configs_i),
    .set_i(node_set_i),
    .value_o(node_config)
  );

  // Rows that are hashed, and the engines that have each role.
  logic hash_rows, reserve_leaves, several_blocks, in_turn, unused_roles;
  logic [NumEngines-1:0] row_engines, node_engines, engine_ready;
  assign hash_rows = run_i.hash_leaves;
  assign reserve_leaves = run_i.reserve_leaves;
  assign row_engines = run_i.row_engines[NumEngines-1:0];
  assign node_engines = run_i.node_engines[NumEngines-1:0];
  assign several_blocks = run_i.row.blocks != 32'd1;
  assign in_turn = !is_tree_i || several_blocks;
  assign unused_roles = ^{run_i, row_config, node_config};

  // ---- Nodes: to the next engine that has room --------------------------------------------------

  // The engine that is in the midst of a block of a node, and of a row; none between two blocks.
  logic [NumEngines-1:0] node_lock_q, row_lock_q, node_can, node_choice, node_target, within_limit;
  logic node_taken;
  assign node_can = node_engines & engine_ready & within_limit & ~row_lock_q;
  acclmt_turns #(
    .Count(NumEngines)
  ) u_node_turns (
    .clk_i,
    .rst_ni,
    .clear_i,
    .request_i(node_can),
    .choice_o(node_choice),
    .advance_i((node_taken && node_end_i) ? node_target : '0)
  );
  assign node_target = (node_lock_q != '0) ? node_lock_q : node_choice;
  assign node_ready_o = node_target != '0;
  assign node_taken = node_valid_i && node_ready_o;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) node_lock_q <= '0;
    else if (clear_i) node_lock_q <= '0;
    else if (node_taken) node_lock_q <= node_end_i ? '0 : node_target;
  end

  // ---- Rows: to one that does not begin a node --------------------------------------------------

  logic [NumEngines-1:0] row_can, row_choice, row_target;
  logic row_begins, row_ready, row_taken, round_ends;
  assign row_can = row_engines & engine_ready & ~node_lock_q & ~(node_valid_i ? node_target : '0);
  acclmt_turns #(
    .Count(NumEngines)
  ) u_row_turns (
    .clk_i,
    .rst_ni,
    .clear_i(clear_i || round_ends),
    .request_i(in_turn ? row_engines : row_can),
    .choice_o(row_choice),
    .advance_i((row_taken && row_label_i.block_end) ? row_target : '0)
  );
  assign row_target = (row_lock_q != '0) ? row_lock_q : (row_choice & row_can);
  assign row_begins = row_lock_q == '0 && row_label_i.first_block && row_target != '0;
  assign row_ready = row_target != '0 && !(reserve_leaves && row_begins && !leaf_ready_i);
  assign row_taken = hash_rows && row_valid_i && row_ready;
  assign round_ends = row_taken && several_blocks && row_label_i.block_end && row_label_i.last_row;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) row_lock_q <= '0;
    else if (clear_i) row_lock_q <= '0;
    else if (row_taken) row_lock_q <= row_label_i.block_end ? '0 : row_target;
  end

  // ---- What the engines take --------------------------------------------------------------------

  logic [TagWidth-1:0] row_tag, node_tag;
  always_comb begin
    row_tag = '0;
    row_tag[TagContinues] = !row_label_i.last_block;
    row_tag[TagSet+:SetWidth] = RowSet;
    // In order, the last row of a group of several blocks is marked.
    row_tag[PayloadWidth-1:0] = reserve_leaves ? leaf_place_i
                                               : PayloadWidth'(several_blocks &&
                                                               row_label_i.last_row);
    node_tag = '0;
    node_tag[TagSet+:SetWidth] = node_set_i;
    node_tag[PayloadWidth-1:0] = node_place_i;
  end
  // The last block of a row may be short, and has a map of its own. Siblings are a block, and a
  // hash.
  acclmt_pkg::block_t row_block, node_block;
  always_comb begin
    row_block.first = row_label_i.first_block;
    row_block.added = run_i.row.overwrite ? '0 : AllElements;
    if (row_label_i.last_block && run_i.row.close_from != '0) begin
      row_block.added = run_i.row.close_from;
    end
    row_block.input_words =
        row_label_i.last_block ? run_i.row.last_words : row_config.input_words;
    row_block.input_map = row_label_i.last_block ? run_i.row.last_map : row_config.input_map;
    node_block.first = 1'b1;
    node_block.added = AllElements;
    node_block.input_words = node_config.input_words;
    node_block.input_map = node_config.input_map;
  end

  // ---- Engines ----------------------------------------------------------------------------------

  logic [NumEngines-1:0] digest_valid, digest_last, digest_ready, digest_is_row, digest_has_place;
  logic [NumEngines-1:0] digest_ends_group, engine_idle;
  logic [NumEngines-1:0][WordWidth-1:0] digest;
  logic [NumEngines-1:0][PayloadWidth-1:0] digest_place;
  logic [NumEngines-1:0][2:0] program_fault;
  logic [NumEngines-1:0][SetWidth-1:0] program_fault_set;
  logic [NumEngines-1:0][acclmt_pkg::MemoryFaultWidth-1:0] engine_fault;
  for (genvar e = 0; e < NumEngines; e++) begin : gen_engine
    logic takes_node;
    logic [NumSets-1:0] sets;
    acclmt_pkg::block_t block;
    acclmt_pkg::constant_write_t constant_write;
    logic [TagWidth-1:0] tag;
    assign takes_node = node_valid_i && node_target[e];
    assign block = takes_node ? node_block : row_block;
    always_comb begin
      sets = node_engines[e] ? run_i.node_sets : '0;
      if (row_engines[e] && hash_rows) sets[RowSet] = 1'b1;
      constant_write = constant_write_i;
      constant_write.valid = constant_write_i.valid && constant_engines_i[e];
    end
    logic valid, clk, rests;
    assign valid = takes_node || (row_taken && row_target[e]);
    acclmt_engine_clock #(
      .RestCycles(EngineRestCycles)
    ) u_clock (
      .clk_i,
      .rst_ni,
      .wake_i(wake_i || clear_i || constant_write.valid || valid || !engine_ready[e] ||
              !engine_idle[e]),
      .clk_o(clk),
      .rests_o(rests)
    );
    acclmt_hash_engine #(
      .Prime(Prime),
      .Goldilocks(Goldilocks),
      .Reduction(Reduction),
      .NumFull(NumFull),
      .NumPartial(NumPartial),
      .MatrixDepth(MatrixDepth),
      .ConstantDepth(ConstantDepth),
      .PartialDepth(PartialDepth),
      .Store(Store),
      .Adders(Adders),
      .Sponge(1'b1),
      .NumSets(NumSets),
      .MemoryParity(MemoryParity)
    ) u_hash_engine (
      .clk_i(clk),
      .rst_ni,
      .memory_config_i,
      .memory_fault_o(engine_fault[e]),
      .clear_i,
      .goldilocks_i(run_i.goldilocks),
      .prime_i,
      .configs_i,
      .sets_i(sets),
      .constant_write_i(constant_write),
      .valid_i(valid),
      .ready_o(engine_ready[e]),
      .word_i(takes_node ? node_word_i : row_word_i),
      .block_i(block),
      .block_end_i(takes_node ? node_end_i : row_label_i.block_end),
      .tag_i(takes_node ? node_tag : row_tag),
      .valid_o(digest_valid[e]),
      .ready_i(digest_ready[e]),
      .word_o(digest[e]),
      .last_o(digest_last[e]),
      .tag_o(tag),
      .begun_o(hash_begun_o[e]),
      .busy_o(busy_o[MaxSubEngines*e+:MaxSubEngines]),
      .program_fault_o(program_fault[e]),
      .program_fault_set_o(program_fault_set[e]),
      .idle_o(engine_idle[e])
    );
    assign digest_is_row[e] = hash_rows && tag[TagSet+:SetWidth] == RowSet;
    assign digest_has_place[e] = digest_valid[e] && (reserve_leaves || !digest_is_row[e]);
    assign digest_place[e] = tag[PayloadWidth-1:0];
    assign digest_ends_group[e] = tag[0];

    // Nodes that are inside: those of rows of several blocks leave room for each other.
    acclmt_pkg::node_limit_t nodes_q;
    logic node_begins, node_ends;
    assign node_begins = node_taken && node_lock_q == '0 && node_target[e];
    assign node_ends = digest_has_place[e] && digest_ready[e] && !digest_is_row[e];
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) nodes_q <= '0;
      else if (clear_i) nodes_q <= '0;
      else if (run_i.node_limit != '0 && node_begins != node_ends) begin
        nodes_q <= node_begins ? nodes_q + 1'b1 : nodes_q - 1'b1;
      end
    end
    assign within_limit[e] = run_i.node_limit == '0 || nodes_q != run_i.node_limit;

    logic unused_tag;
    assign unused_tag = ^{tag[TagContinues], rests};

`ifndef SYNTHESIS
    rests_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
        rests && $past(rests) |->
            $stable({configs_i, sets, prime_i, run_i.goldilocks, memory_config_i}) &&
            !hash_begun_o[e] && !engine_fault[e][acclmt_pkg::MemoryFaultWidth-1])
    else $error("acclmt_engine_pool: something happens to engine %0d, whose clock rests", e);
`endif
  end

  // What comes of the configuration is known a cycle later: no run starts before.
  always_comb begin
    program_fault_o = acclmt_pkg::ProgramSound;
    program_fault_set_o = '0;
    for (int e = int'(NumEngines) - 1; e >= 0; e--) begin
      if (program_fault[e] != acclmt_pkg::ProgramSound) begin
        program_fault_o = program_fault[e];
        program_fault_set_o = program_fault_set[e];
      end
    end
  end

  // ---- Digests that have a place ----------------------------------------------------------------

  logic [NumEngines-1:0] digest_choice;
  acclmt_turns #(
    .Count(NumEngines)
  ) u_digest_turns (
    .clk_i,
    .rst_ni,
    .clear_i,
    .request_i(digest_has_place),
    .choice_o(digest_choice),
    .advance_i(digest_choice)
  );
  assign digest_valid_o = digest_choice != '0;
  always_comb begin
    digest_o = '0;
    digest_place_o = '0;
    digest_is_leaf_o = 1'b0;
    for (int e = 0; e < int'(NumEngines); e++) begin
      if (digest_choice[e]) begin
        digest_o = digest_o | digest[e];
        digest_place_o = digest_place_o | digest_place[e];
        digest_is_leaf_o = digest_is_leaf_o || digest_is_row[e];
      end
    end
  end

  // ---- Leaves: digests in turn, or the input itself ---------------------------------------------

  logic [NumEngines-1:0] leaf_choice;
  logic leaf_taken, leaf_offered, leaf_last, leaf_ends_group;
  acclmt_pkg::word_t leaf_digest;
  acclmt_turns #(
    .Count(NumEngines)
  ) u_leaf_turns (
    .clk_i,
    .rst_ni,
    .clear_i(clear_i || (leaf_taken && leaf_last && leaf_ends_group)),
    .request_i(row_engines),
    .choice_o(leaf_choice),
    .advance_i((leaf_taken && leaf_last) ? leaf_choice : '0)
  );
  always_comb begin
    leaf_offered = 1'b0;
    leaf_last = 1'b0;
    leaf_ends_group = 1'b0;
    leaf_digest = '0;
    for (int e = 0; e < int'(NumEngines); e++) begin
      if (leaf_choice[e] && digest_valid[e] && !digest_has_place[e]) begin
        leaf_offered = hash_rows;
        leaf_last = digest_last[e];
        leaf_ends_group = digest_ends_group[e];
        leaf_digest = leaf_digest | digest[e];
      end
    end
  end
  assign leaf_taken = leaf_offered && leaf_ready_i;
  assign digest_ready = digest_choice |
                        (leaf_choice & ~digest_has_place & {NumEngines{hash_rows && leaf_ready_i}});

  always_comb begin
    leaf_valid_o = leaf_offered;
    leaf_reserve_o = 1'b0;
    leaf_o = leaf_digest;
    leaf_end_o = leaf_last;
    leaf_places_o = 16'd1;
    row_ready_o = row_ready;
    if (!hash_rows) begin
      leaf_valid_o = row_valid_i;
      leaf_o = row_word_i;
      leaf_end_o = 1'b1;
      row_ready_o = leaf_ready_i;
    end else if (reserve_leaves) begin
      leaf_reserve_o = row_valid_i && row_begins;
      leaf_end_o = 1'b1;
      leaf_places_o = row_label_i.first_row ? run_i.row.group : 16'd1;
    end
  end

  assign idle_o = &engine_idle && row_lock_q == '0 && node_lock_q == '0;

  // ---- Faults of memories -----------------------------------------------------------------------

  // Of the first engine that has one.
  acclmt_pkg::memory_fault_t fault;
  always_comb begin
    memory_fault_o = '0;
    fault = '0;
    for (int e = int'(NumEngines) - 1; e >= 0; e--) begin
      fault = engine_fault[e];
      if (fault.valid) begin
        memory_fault_o = fault;
        memory_fault_o.engine = 3'(e);
      end
    end
  end

`ifndef SYNTHESIS
  one_block_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      $onehot0(row_target) && $onehot0(node_target) &&
      !(row_taken && node_taken && (row_target & node_target) != '0))
  else $error("acclmt_engine_pool: an engine takes a row and a node at once");
  locked_engine_is_ready_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !clear_i |-> ((row_lock_q | node_lock_q) & ~engine_ready) == '0 &&
                   (row_lock_q & node_lock_q) == '0)
  else $error("acclmt_engine_pool: an engine in the midst of a block takes no word");
  digest_is_a_word_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      digest_valid_o && !clear_i |-> (digest_choice & ~digest_last) == '0)
  else $error("acclmt_engine_pool: a digest that has a place has several words");
  rows_only_where_asked_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !clear_i |-> (row_lock_q & ~row_engines) == '0 && (node_lock_q & ~node_engines) == '0)
  else $error("acclmt_engine_pool: an engine takes what it has no role for");
  leaf_stays_a : assert property (@(posedge clk_i) disable iff (!rst_ni || clear_i)
      !reserve_leaves && leaf_valid_o && !leaf_ready_i |=> leaf_valid_o && $stable(leaf_o))
  else $error("acclmt_engine_pool: a leaf changed before it was taken");
  // A digest waits for those of the other engines only, each once.
  localparam int unsigned MostWait = NumEngines;
  for (genvar e = 0; e < NumEngines; e++) begin : gen_wait
    logic [3:0] waits_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) waits_q <= '0;
      else if (clear_i || !digest_has_place[e] || digest_choice[e]) waits_q <= '0;
      else waits_q <= waits_q + 1'b1;
    end
    fair_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
        32'(waits_q) < MostWait)
    else $error("acclmt_engine_pool: the digest of engine %0d waits for too long", e);
  end
  known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !$isunknown({row_valid_i, row_ready_o, node_valid_i, node_ready_o, leaf_valid_o,
                   digest_valid_o}))
  else $error("acclmt_engine_pool: a handshake is unknown");
  ready_known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      leaf_valid_o |-> !$isunknown(leaf_ready_i))
  else $error("acclmt_engine_pool: leaf_ready_i is unknown");
  digest_known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      digest_valid_o |-> !$isunknown({digest_place_o, digest_is_leaf_o}))
  else $error("acclmt_engine_pool: what becomes of a digest is unknown");
  pass_through_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      leaf_valid_o && leaf_ready_i && !hash_rows);
  later_block_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      row_taken && !row_label_i.first_block);
  row_waits_for_place_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      reserve_leaves && row_valid_i && row_begins && !leaf_ready_i);
  row_and_node_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      row_taken && node_taken);
  node_goes_first_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      row_valid_i && hash_rows && row_target == '0 && node_taken && node_lock_q == '0);
  node_waits_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      node_valid_i && !node_ready_o);
  digests_meet_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      !$onehot0(digest_has_place));
`endif

endmodule

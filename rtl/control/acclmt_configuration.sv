// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Decodes the configuration registers into what a run does and into the parameter sets of rows and
/// of nodes, and finds the first register that holds an illegal value. The registers of a set that
/// the run does not use may hold anything: that of rows is used where rows are hashed, the others
/// where a level of the tree up to the top names them.
///
/// Handshake:  none. Latency: combinational; the registers are stable during a run.
module acclmt_configuration #(
  /// Parameters of the chip that limit the configuration.
  parameter bit Goldilocks = 1'b1,
  parameter int unsigned Reduction = acclmt_pkg::ReductionConstant,
  parameter int unsigned NumEngines = 2,
  parameter int unsigned NumPartial = 4,
  parameter int unsigned PartialDepth = 128,
  parameter bit Adders = 1'b1,
  parameter int unsigned MaxHeight = 32
) (
  /// The registers of the run, MODE first, and of each set, INPUT_WORDS first.
  input logic [acclmt_pkg::NumRunConfig-1:0][31:0] run_i,
  input logic [acclmt_pkg::NumEngineConfig-1:0][31:0] leaf_i,
  input logic [acclmt_pkg::NumEngineConfig-1:0][31:0] root_i,
  input logic [acclmt_pkg::NumEngineConfig-1:0][31:0] top_i,
  /// The level table.
  input logic [MaxHeight:0][acclmt_tree_pkg::LevelEntryWidth-1:0] level_table_i,
  /// What they mean.
  output acclmt_pkg::run_config_t run_config_o,
  output acclmt_tree_pkg::tree_config_t tree_config_o,
  output acclmt_pkg::engine_config_t leaf_config_o,
  output acclmt_pkg::engine_config_t root_config_o,
  output acclmt_pkg::engine_config_t top_config_o,
  /// Places that the queue of the leaves needs at least.
  output logic [15:0] leaf_places_o,
  /// Leaves between which sub-engines are counted as busy.
  output logic [31:0] window_first_o,
  output logic [31:0] window_last_o,
  /// A register holds an illegal value, and the byte address of the first one.
  output logic illegal_o,
  output logic [11:0] illegal_address_o
);

  localparam int unsigned NumRegisters = acclmt_pkg::NumRunConfig;
  localparam int unsigned NumSets = acclmt_pkg::NumSets;
  localparam int unsigned MaxNumPartial = acclmt_pkg::MaxNumPartial;
  localparam int unsigned LevelSetLsb = acclmt_tree_pkg::NodeAddressWidth;
  localparam int unsigned LevelSetWidth = acclmt_tree_pkg::LevelSetWidth;
  localparam int unsigned MaxWidth = acclmt_pkg::MaxWidth;
  localparam int unsigned MaxGoldilocksWords = acclmt_pkg::MaxGoldilocksWords;
  localparam int unsigned MaxGoldilocksWidth = acclmt_pkg::MaxGoldilocksWidth;
  localparam int unsigned MapRegisters = acclmt_pkg::MapRegisters;
  localparam int unsigned WordCountWidth = acclmt_pkg::WordCountWidth;
  localparam int unsigned ElementCountWidth = acclmt_pkg::ElementCountWidth;

  // Positions of the registers.
  localparam int unsigned Mode = 0;
  localparam int unsigned TopLevel = 1;
  localparam int unsigned Leaves = 2;
  localparam int unsigned Field = 3;
  localparam int unsigned EmitLevels = 4;
  localparam int unsigned RowBlocks = 5;
  localparam int unsigned RowGroup = 6;
  localparam int unsigned LastWords = 7;
  localparam int unsigned LastMap = 8;
  localparam int unsigned WindowFirst = LastMap + MapRegisters;
  localparam int unsigned WindowLast = WindowFirst + 1;
  localparam int unsigned LeavesHigh = WindowFirst + 2;
  localparam int unsigned Roles = WindowFirst + 3;

  if (acclmt_reg_pkg::RegLastInputWords != acclmt_reg_pkg::RegMode + 12'(4 * LastWords) ||
      acclmt_reg_pkg::RegWindowLast != acclmt_reg_pkg::RegMode + 12'(4 * WindowLast) ||
      NumRegisters != Roles + 1)
  begin : gen_illegal_map
    $error("acclmt_configuration: the positions of the registers do not agree with acclmt_reg_pkg");
  end

  // ---- The parameter sets -----------------------------------------------------------------------

  logic hash_leaves, is_tree, goldilocks;
  logic [NumSets-1:0] set_illegal;
  logic [4:0] leaf_index, root_index, top_index;
  assign hash_leaves = run_i[Mode][acclmt_reg_pkg::ModeLeafKindBit];
  acclmt_pkg::element_count_t close_from;
  assign close_from = run_i[Mode][acclmt_reg_pkg::ModeCloseFromLsb+:ElementCountWidth];
  assign is_tree = run_i[TopLevel] != '0;
  assign goldilocks = Goldilocks && run_i[Field][0];

  acclmt_engine_configuration #(
    .Goldilocks(Goldilocks),
    .NumPartial(NumPartial),
    .PartialDepth(PartialDepth),
    .Adders(Adders)
  ) u_leaf (
    .registers_i(leaf_i),
    .goldilocks_i(goldilocks),
    .digests_are_nodes_i(is_tree),
    .inputs_are_nodes_i(!hash_leaves),
    .config_o(leaf_config_o),
    .illegal_o(set_illegal[0]),
    .illegal_index_o(leaf_index)
  );
  acclmt_engine_configuration #(
    .Goldilocks(Goldilocks),
    .NumPartial(NumPartial),
    .PartialDepth(PartialDepth),
    .Adders(Adders)
  ) u_root (
    .registers_i(root_i),
    .goldilocks_i(goldilocks),
    .digests_are_nodes_i(1'b1),
    .inputs_are_nodes_i(1'b1),
    .config_o(root_config_o),
    .illegal_o(set_illegal[1]),
    .illegal_index_o(root_index)
  );
  acclmt_engine_configuration #(
    .Goldilocks(Goldilocks),
    .NumPartial(NumPartial),
    .PartialDepth(PartialDepth),
    .Adders(Adders)
  ) u_top (
    .registers_i(top_i),
    .goldilocks_i(goldilocks),
    .digests_are_nodes_i(1'b1),
    .inputs_are_nodes_i(1'b1),
    .config_o(top_config_o),
    .illegal_o(set_illegal[2]),
    .illegal_index_o(top_index)
  );

  // ---- Parameter sets of the levels -------------------------------------------------------------

  // Those of the tree, and those of the run. That of rows is for nodes where rows are not hashed.
  logic [NumSets-1:0] node_sets, used_sets;
  logic [MaxHeight:0] level_illegal;
  logic [5:0] illegal_level;
  logic [acclmt_tree_pkg::SiblingCountWidth-1:0] leaf_arity;
  always_comb begin
    node_sets = '0;
    level_illegal = '0;
    illegal_level = '0;
    for (int l = int'(MaxHeight); l >= 0; l--) begin
      if (is_tree && 32'(l) <= run_i[TopLevel]) begin
        for (int set = 0; set < int'(NumSets); set++) begin
          if (level_table_i[l][LevelSetLsb+:LevelSetWidth] == LevelSetWidth'(set)) begin
            node_sets[set] = 1'b1;
          end
        end
        level_illegal[l] =
            32'(level_table_i[l][LevelSetLsb+:LevelSetWidth]) >= NumSets ||
            (hash_leaves && level_table_i[l][LevelSetLsb+:LevelSetWidth] == '0);
        if (level_illegal[l]) illegal_level = 6'(l);
      end
    end
    used_sets = node_sets;
    if (hash_leaves) used_sets[0] = 1'b1;
  end
  acclmt_set_select #(
    .NumSets(NumSets),
    .Width(acclmt_tree_pkg::SiblingCountWidth)
  ) u_leaf_arity (
    .values_i({top_config_o.input_words, root_config_o.input_words, leaf_config_o.input_words}),
    .set_i(level_table_i[0][LevelSetLsb+:LevelSetWidth]),
    .value_o(leaf_arity)
  );

  // ---- Roles of the hash engines ----------------------------------------------------------------

  acclmt_pkg::engine_mask_t row_engines, node_engines, used_engines;
  acclmt_pkg::node_limit_t node_limit;
  logic reserve_leaves, several_blocks, shared;
  assign row_engines =
      run_i[Roles][acclmt_reg_pkg::RolesRowsLsb+:acclmt_pkg::MaxNumEngines];
  assign node_engines =
      run_i[Roles][acclmt_reg_pkg::RolesNodesLsb+:acclmt_pkg::MaxNumEngines];
  assign node_limit =
      run_i[Roles][acclmt_reg_pkg::RolesNodeLimitLsb+:acclmt_pkg::NodeLimitWidth];
  assign used_engines = row_engines | node_engines;
  // One leaf hash engine with nothing else to do makes its leaves in order.
  assign shared = hash_leaves && is_tree && (row_engines & node_engines) != '0;
  assign reserve_leaves = shared || (hash_leaves && is_tree && !$onehot(row_engines));
  assign several_blocks = run_i[RowBlocks] != 32'd1;
  // A group of rows, and the leaves that still wait for siblings.
  assign leaf_places_o = reserve_leaves
                         ? run_i[RowGroup][15:0] + 16'(leaf_arity) - 16'd1 : 16'd1;

  logic [3:0] num_row_engines;
  always_comb begin
    num_row_engines = '0;
    for (int e = 0; e < int'(acclmt_pkg::MaxNumEngines); e++) begin
      num_row_engines = num_row_engines + 4'(row_engines[e]);
    end
  end

  // ---- The run ----------------------------------------------------------------------------------

  always_comb begin
    run_config_o.goldilocks = goldilocks;
    run_config_o.hash_leaves = hash_leaves;
    run_config_o.row_engines = row_engines;
    run_config_o.node_engines = node_engines;
    run_config_o.node_sets = node_sets;
    run_config_o.reserve_leaves = reserve_leaves;
    run_config_o.node_limit = node_limit;
    run_config_o.row.overwrite = run_i[Mode][acclmt_reg_pkg::ModeOverwriteBit];
    run_config_o.row.close_from = close_from;
    // A leaf that is not hashed is a word.
    run_config_o.row.blocks = hash_leaves ? run_i[RowBlocks] : 32'd1;
    run_config_o.row.group = hash_leaves ? run_i[RowGroup][15:0] : 16'd1;
    run_config_o.row.last_words =
        hash_leaves ? run_i[LastWords][WordCountWidth-1:0] : WordCountWidth'(1);
    run_config_o.row.last_map =
        acclmt_pkg::map_of_registers(run_i[LastMap+MapRegisters-1:LastMap]);
    tree_config_o.leaves = {run_i[LeavesHigh][0], run_i[Leaves]};
    tree_config_o.top = run_i[TopLevel][acclmt_tree_pkg::LevelWidth-1:0];
    tree_config_o.pad = run_i[Mode][acclmt_reg_pkg::ModePadBit];
    tree_config_o.emit = run_i[EmitLevels];
  end

  assign window_first_o = run_i[WindowFirst];
  assign window_last_o = run_i[WindowLast];

  // ---- Legal values -----------------------------------------------------------------------------

  // What sets that are mixed have in common: they share the S-boxes of a ring and its wires, and
  // its adders with their slots. The beats of the largest states of nodes.
  logic [NumSets-1:0][MaxNumPartial-1:0] has_rounds;
  logic [NumSets-1:0][1:0] alpha;
  logic [NumSets-1:0] adders;
  logic [NumSets-1:0][acclmt_pkg::BeatWidth-1:0] beats;
  logic [NumSets-1:0] mixed_sets;
  logic [MaxNumPartial-1:0] mixed_rounds;
  logic [1:0] mixed_alpha;
  logic mixed_adders;
  acclmt_pkg::beat_t mixed_beats;
  acclmt_pkg::beat_t node_beats;
  logic mixes, mix_illegal;
  assign alpha = {top_config_o.alpha, root_config_o.alpha, leaf_config_o.alpha};
  assign adders = {top_config_o.adders, root_config_o.adders, leaf_config_o.adders};
  assign beats = {top_config_o.beats, root_config_o.beats, leaf_config_o.beats};
  assign mixed_sets = shared ? used_sets : node_sets;
  always_comb begin
    for (int i = 0; i < int'(MaxNumPartial); i++) begin
      has_rounds[0][i] = leaf_config_o.partial_rounds[i] != '0;
      has_rounds[1][i] = root_config_o.partial_rounds[i] != '0;
      has_rounds[2][i] = top_config_o.partial_rounds[i] != '0;
    end
    mixes = 1'b0;
    mix_illegal = 1'b0;
    mixed_alpha = '0;
    mixed_adders = 1'b0;
    mixed_beats = '0;
    mixed_rounds = '0;
    node_beats = '0;
    for (int set = 0; set < int'(NumSets); set++) begin
      if (mixed_sets[set]) begin
        if (mixes && (alpha[set] != mixed_alpha || has_rounds[set] != mixed_rounds ||
                      adders[set] != mixed_adders ||
                      (mixed_adders && beats[set] != mixed_beats))) begin
          mix_illegal = 1'b1;
        end
        mixes = 1'b1;
        mixed_alpha = alpha[set];
        mixed_adders = adders[set];
        mixed_beats = beats[set];
        mixed_rounds = has_rounds[set];
      end
      if (node_sets[set] && beats[set] > node_beats) node_beats = beats[set];
    end
  end

  // Rows that the rings of the hash engines hold in their output buffers.
  logic [31:0] most_rows;
  logic rows_fit;
  acclmt_pkg::word_count_t most_words;
  assign most_rows = 32'(num_row_engines) *
      32'(acclmt_timing_pkg::most_rows(int'(Reduction), leaf_config_o.beats, has_rounds[0]));
  assign rows_fit = acclmt_timing_pkg::shared_rows_fit(
      int'(Reduction), run_i[RowGroup][15:0], int'(num_row_engines), leaf_config_o.beats,
      node_limit, node_beats, has_rounds[0]);
  assign most_words = WordCountWidth'(goldilocks ? MaxGoldilocksWords : MaxWidth);

  logic [NumRegisters-1:0] illegal;
  always_comb begin
    illegal = '0;
    // Leaves that are neither hashed nor folded would be the input itself.
    illegal[Mode] = (run_i[Mode] & ~acclmt_reg_pkg::ModeMask) != '0 ||
        (!is_tree && !hash_leaves) ||
        (close_from != '0 && (run_i[Mode][acclmt_reg_pkg::ModeOverwriteBit] ||
                              close_from > ElementCountWidth'(MaxGoldilocksWidth)));
    illegal[TopLevel] = run_i[TopLevel] > 32'(MaxHeight);
    illegal[Leaves] = run_i[Leaves] == '0 && run_i[LeavesHigh] == '0;
    // 2^32 leaves at most.
    illegal[LeavesHigh] =
        run_i[LeavesHigh] > 32'd1 || (run_i[LeavesHigh] != '0 && run_i[Leaves] != '0);
    illegal[Field] = run_i[Field] > 32'(Goldilocks);
    // What is hashed has an engine.
    illegal[Roles] = (run_i[Roles] & ~acclmt_reg_pkg::RolesMask) != '0 ||
        32'(used_engines) >> NumEngines != '0 ||
        (hash_leaves && row_engines == '0) || (is_tree && node_engines == '0) ||
        ((used_sets & set_illegal) == '0 &&
         (mix_illegal || (shared && several_blocks && node_limit == '0)));
    // What a row may be depends on the parameters of its hash.
    if (hash_leaves && !set_illegal[0]) begin
      illegal[RowBlocks] = run_i[RowBlocks] == '0;
      illegal[RowGroup] = run_i[RowGroup] == '0 ||
          (row_engines != '0 && run_i[RowGroup] > most_rows) ||
          (shared && several_blocks && !rows_fit);
      illegal[LastWords] = run_i[LastWords] == '0 || run_i[LastWords] > 32'(most_words);
      illegal[LastMap+:MapRegisters] =
          ~acclmt_pkg::map_is_legal(run_i[LastMap+MapRegisters-1:LastMap], leaf_i[1]);
    end
  end

  assign illegal_o =
      illegal != '0 || (used_sets & set_illegal) != '0 || level_illegal != '0;
  always_comb begin
    illegal_address_o = acclmt_reg_pkg::RegLevelTable0 + 12'({illegal_level, 2'b00});
    if (used_sets[2] && set_illegal[2]) begin
      illegal_address_o = acclmt_reg_pkg::RegTopInputWords + 12'({top_index, 2'b00});
    end
    if (used_sets[1] && set_illegal[1]) begin
      illegal_address_o = acclmt_reg_pkg::RegRootInputWords + 12'({root_index, 2'b00});
    end
    if (used_sets[0] && set_illegal[0]) begin
      illegal_address_o = acclmt_reg_pkg::RegLeafInputWords + 12'({leaf_index, 2'b00});
    end
    for (int i = int'(NumRegisters) - 1; i >= 0; i--) begin
      if (illegal[i]) begin
        illegal_address_o = acclmt_reg_pkg::RegMode + 12'(4 * i);
        if (i == int'(LeavesHigh)) illegal_address_o = acclmt_reg_pkg::RegLeavesHigh;
        if (i == int'(Roles)) illegal_address_o = acclmt_reg_pkg::RegRoles;
      end
    end
  end

endmodule

// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Configuration of the run that ends a zeroisation, in the words of the register map.
///
/// Every word that the run moves is zero, and it goes wherever the words of a run can go: the
/// widest states fill every lane and every beat; they have a pass in both visits of the full-round
/// sub-engines (`acclmt_control_pkg::flush_constant`), and all
/// partial-round sub-engines have rounds of a recurrence in which all sums move; a row
/// has a later block; the digest is in the last beat, so that final states have all of theirs;
/// leaves go out as well as nodes; the last group lacks a sibling; every engine hashes rows and
/// nodes. The leaves and the nodes share the node memory. There are so many nodes that the beats of
/// their states fill the largest buffer of each engine, and as many rows are under way as there are
/// places for.
/// The configuration need not be legal: rounds beyond a small memory read its other words, which
/// are zero.
///
/// Handshake:  none; the outputs are constants.
/// Latency:    none. Throughput: none.
module acclmt_flush_configuration #(
  /// The kind of reduction.
  parameter int unsigned Reduction = acclmt_pkg::ReductionConstant,
  /// Hash engines, partial-round sub-engines of one.
  parameter int unsigned NumEngines = 2,
  parameter int unsigned NumPartial = 4,
  /// Words of the node memory.
  parameter int unsigned NodeWords = 512
) (
  /// Registers of the run, and those of each parameter set.
  output logic [acclmt_pkg::NumRunConfig-1:0][31:0] run_o,
  output logic [acclmt_pkg::NumEngineConfig-1:0][31:0] engine_o,
  /// Entries of the level table for the leaves and for the level above.
  output logic [acclmt_tree_pkg::LevelEntryWidth-1:0] level_o
);

  localparam int unsigned MaxWidth = acclmt_pkg::MaxWidth;
  localparam int unsigned Nodes =
      acclmt_timing_pkg::places(int'(Reduction)) / acclmt_pkg::MaxBeats + 1;
  localparam int unsigned Leaves = NumEngines * Nodes * MaxWidth - 1;
  // Groups of siblings of each level, and rows of a group, which all have places.
  localparam int unsigned Groups = NodeWords / (2 * MaxWidth);
  localparam int unsigned Places = Groups * MaxWidth - (MaxWidth - 1);
  localparam int unsigned Rows = (NumEngines * Nodes < Places) ? NumEngines * Nodes : Places;
  // Nodes inside of an engine: a share of the room that the rows leave.
  localparam int unsigned NodeLimit = Nodes;
  localparam logic [31:0] Roles =
      (32'(2 ** NumEngines - 1) << acclmt_reg_pkg::RolesRowsLsb) |
      (32'(2 ** NumEngines - 1) << acclmt_reg_pkg::RolesNodesLsb) |
      (32'(NodeLimit) << acclmt_reg_pkg::RolesNodeLimitLsb);
  localparam int unsigned PartialRounds = 2;
  localparam int unsigned CodeWidth = acclmt_pkg::PositionCodeWidth;
  localparam int unsigned CodesInRegister = acclmt_pkg::CodesInRegister;
  localparam int unsigned MapRegisters = acclmt_pkg::MapRegisters;
  localparam int unsigned Lanes = acclmt_pkg::Lanes;
  // Element j of a block is element j of the state.
  localparam logic [MapRegisters*32-1:0] Map = identity_map();
  // The digest is its last one.
  localparam logic [31:0] DigestMap = 32'(position_of(MaxWidth - 1));
  localparam logic [11:0] RunBase = acclmt_reg_pkg::RegMode;
  localparam logic [11:0] EngineBase = acclmt_reg_pkg::RegLeafInputWords;
  localparam int unsigned FirstPartial =
      (32'(acclmt_reg_pkg::RegLeafPartialRounds1) - 32'(EngineBase)) / 4;

  /// Position code of an element.
  function automatic logic [CodeWidth-1:0] position_of(input int unsigned element);
    position_of = CodeWidth'((element / Lanes) * 4 + element % Lanes);
  endfunction

  /// The positions of all elements, and none behind them.
  function automatic logic [MapRegisters*32-1:0] identity_map();
    identity_map = '0;
    for (int unsigned j = 0; j < acclmt_pkg::PositionCodes; j++) begin
      identity_map[32*(j/CodesInRegister)+CodeWidth*(j%CodesInRegister)+:CodeWidth] =
          (j < MaxWidth) ? position_of(j) : CodeWidth'(acclmt_pkg::NoLane);
    end
  endfunction

  if (NodeWords < 2 * MaxWidth) begin : gen_illegal_node_words
    $error("acclmt_flush_configuration: NodeWords = %0d is not at least %0d, for zeroisations",
           NodeWords, 2 * MaxWidth);
  end

  assign level_o = {acclmt_pkg::NodeSet, acclmt_tree_pkg::node_address_t'(Groups)};

  always_comb begin
    run_o = '0;
    run_o[0][acclmt_reg_pkg::ModeLeafKindBit] = 1'b1;
    run_o[0][acclmt_reg_pkg::ModePadBit] = 1'b1;
    run_o[(acclmt_reg_pkg::RegTopLevel-RunBase)/4] = 32'd1;
    run_o[(acclmt_reg_pkg::RegLeaves-RunBase)/4] = 32'(Leaves);
    run_o[(acclmt_reg_pkg::RegEmitLevels-RunBase)/4] = 32'd1;
    run_o[(acclmt_reg_pkg::RegRowBlocks-RunBase)/4] = 32'd2;
    run_o[(acclmt_reg_pkg::RegRowGroup-RunBase)/4] = 32'(Rows);
    run_o[(acclmt_reg_pkg::RegLastInputWords-RunBase)/4] = 32'(MaxWidth);
    run_o[(acclmt_reg_pkg::RegLastInputMap0-RunBase)/4+:MapRegisters] = Map;
    // It is the last one of the words, wherever its address is.
    run_o[acclmt_pkg::NumRunConfig-1] = Roles;
  end

  always_comb begin
    engine_o = '0;
    engine_o[0] = 32'(MaxWidth);
    engine_o[(acclmt_reg_pkg::RegLeafWidth-EngineBase)/4] = 32'(MaxWidth);
    engine_o[(acclmt_reg_pkg::RegLeafAlpha-EngineBase)/4] = 32'd5;
    engine_o[(acclmt_reg_pkg::RegLeafPasses-EngineBase)/4] =
        (32'd1 << acclmt_reg_pkg::LeafPassesFirstLsb) |
        (32'd1 << acclmt_reg_pkg::LeafPassesLastLsb);
    engine_o[(acclmt_reg_pkg::RegLeafRecurrence-EngineBase)/4] =
        (32'(MaxWidth - 1) << acclmt_reg_pkg::LeafRecurrenceOrderLsb) |
        (32'd1 << acclmt_reg_pkg::LeafRecurrenceOutputEntersBit);
    engine_o[(acclmt_reg_pkg::RegLeafDigestWords-EngineBase)/4] = 32'd1;
    engine_o[(acclmt_reg_pkg::RegLeafInputMap0-EngineBase)/4+:MapRegisters] = Map;
    engine_o[(acclmt_reg_pkg::RegLeafDigestMap0-EngineBase)/4] = DigestMap;
    for (int i = 0; i < int'(NumPartial); i++) begin
      engine_o[int'(FirstPartial)+i] = 32'(PartialRounds);
    end
  end

endmodule

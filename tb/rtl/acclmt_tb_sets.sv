// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Testbench only: a hash engine that mixes parameter sets. tb/tests/sets.rs knows the layout.
module acclmt_tb_sets (
  input logic clk_i,
  input logic rst_ni,
  /// From the least significant word: control bits, place of a constant (as in CONSTANT_ADDRESS),
  /// data of the constant or input word (8); of each set the values of its configuration registers
  /// (17).
  input logic [73*32-1:0] in_i,
  /// Digest word (8), flags (1).
  output logic [9*32-1:0] out_o
);

  localparam int unsigned NumSets = acclmt_pkg::MaxNumSets;
  localparam int unsigned ConfigWidth = acclmt_pkg::EngineConfigWidth;
  localparam int unsigned NumRegisters = acclmt_pkg::NumEngineConfig;

  // ---- Input ------------------------------------------------------------------------------------

  logic goldilocks;
  acclmt_pkg::set_t set;
  acclmt_pkg::tag_t tag;
  acclmt_pkg::word_t data;
  acclmt_pkg::constant_write_t constant_write;
  assign goldilocks = in_i[5];
  assign set = in_i[16+:acclmt_pkg::SetWidth];
  assign data = in_i[2*32+:acclmt_pkg::WordWidth];
  always_comb begin
    tag = '0;
    tag[7:0] = in_i[15:8];
    tag[acclmt_pkg::TagSet+:acclmt_pkg::SetWidth] = set;
    tag[acclmt_pkg::TagContinues] = in_i[6];
    constant_write.valid = in_i[1];
    constant_write.index = in_i[32+:8];
    constant_write.bank = in_i[32+8+:acclmt_pkg::BankWidth];
    constant_write.sub_engine = in_i[32+16+:4];
    constant_write.data = data;
  end

  // ---- Parameter sets: the limits of the engine do not matter, only legal values are given ------

  logic [NumSets*ConfigWidth-1:0] configs;
  for (genvar i = 0; i < NumSets; i++) begin : gen_set
    acclmt_pkg::engine_config_t of_set;
    logic unused_illegal;
    logic [4:0] unused_illegal_index;
    acclmt_engine_configuration u_configuration (
      .registers_i(in_i[32*(10+NumRegisters*i)+:32*NumRegisters]),
      .goldilocks_i(goldilocks),
      .digests_are_nodes_i(1'b0),
      .inputs_are_nodes_i(1'b0),
      .config_o(of_set),
      .illegal_o(unused_illegal),
      .illegal_index_o(unused_illegal_index)
    );
    assign configs[ConfigWidth*i+:ConfigWidth] = of_set;
  end

  logic [ConfigWidth-1:0] chosen;
  acclmt_pkg::engine_config_t of_block;
  acclmt_set_select #(
    .NumSets(NumSets)
  ) u_block_config (
    .values_i(configs),
    .set_i(set),
    .value_o(chosen)
  );
  assign of_block = chosen;
  acclmt_pkg::block_t block;
  assign block = '{
    first: in_i[7], added: in_i[18] ? '0 : '1, input_words: of_block.input_words,
    input_map: of_block.input_map
  };
  logic unused_bits;
  assign unused_bits = ^{of_block, digest_tag, in_i[31:23], in_i[63:52], in_i[47:45]};

  // ---- Engine -----------------------------------------------------------------------------------

  logic word_ready, digest_valid, last, idle, unused_begun;
  acclmt_pkg::word_t digest;
  acclmt_pkg::tag_t digest_tag;
  logic [acclmt_pkg::MaxSubEngines-1:0] busy;
  acclmt_pkg::program_fault_t program_fault;
  acclmt_pkg::set_t unused_fault_set;
  acclmt_hash_engine #(
    .Prime(acclmt_tb_build_pkg::Prime),
    .Reduction(acclmt_tb_build_pkg::Reduction),
    .MatrixDepth(64),
    .Sponge(1'b1),
    .NumSets(NumSets)
  ) u_engine (
    .clk_i,
    .rst_ni,
    .memory_config_i(acclmt_memory_pkg::MemoryConfigDefault),
    .memory_fault_o(),
    .clear_i(in_i[0]),
    .goldilocks_i(goldilocks),
    .prime_i(acclmt_tb_build_pkg::Prime),
    .configs_i(configs),
    .sets_i(in_i[20+:NumSets]),
    .constant_write_i(constant_write),
    .valid_i(in_i[2]),
    .ready_o(word_ready),
    .word_i(data),
    .block_i(block),
    .block_end_i(in_i[4]),
    .tag_i(tag),
    .valid_o(digest_valid),
    .ready_i(in_i[3]),
    .word_o(digest),
    .last_o(last),
    .tag_o(digest_tag),
    .begun_o(unused_begun),
    .busy_o(busy),
    .program_fault_o(program_fault),
    .program_fault_set_o(unused_fault_set),
    .idle_o(idle)
  );

  program_sound_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      in_i[2] |-> program_fault == acclmt_pkg::ProgramSound)
  else $error("acclmt_tb_sets: a program has the fault %0d", program_fault);

  assign out_o = {
    10'b0, digest_tag[acclmt_pkg::TagSet+:acclmt_pkg::SetWidth], digest_tag[7:0], busy, idle, last,
    digest_valid, word_ready, digest
  };

endmodule

// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Testbench only: hash engines of every size, one of which runs at a time. Only its clock runs.
/// tb/tests/engines.rs knows the layout.
module acclmt_tb_engines #(
  /// Engines; with fewer than all the last ones are missing.
  parameter int unsigned NumEngines = acclmt_pkg::MaxNumFull * acclmt_pkg::MaxNumPartial
) (
  input logic clk_i,
  input logic rst_ni,
  /// From the least significant word: control bits, place of a constant (as in CONSTANT_ADDRESS),
  /// data of the constant or input word (8), values of the configuration registers of an engine
  /// (17).
  input logic [31*32-1:0] in_i,
  /// Digest word (8), flags (1).
  output logic [9*32-1:0] out_o
);

  localparam int unsigned WordWidth = acclmt_pkg::WordWidth;
  localparam int unsigned MaxSubEngines = acclmt_pkg::MaxSubEngines;

  // ---- Input ------------------------------------------------------------------------------------

  logic [3:0] select;
  logic clear, word_valid, digest_ready;
  acclmt_pkg::tag_t tag;
  acclmt_pkg::word_t data;
  acclmt_pkg::constant_write_t constant_write;
  assign select = in_i[3:0];
  assign clear = in_i[4];
  assign word_valid = in_i[6];
  assign digest_ready = in_i[7];
  assign tag = acclmt_pkg::tag_t'(in_i[8+:8]);
  assign data = in_i[2*32+:WordWidth];
  always_comb begin
    constant_write.valid = in_i[5];
    constant_write.index = in_i[32+:8];
    constant_write.bank = in_i[32+8+:acclmt_pkg::BankWidth];
    constant_write.sub_engine = in_i[32+16+:4];
    constant_write.data = data;
  end

  // The limits of the engines do not matter: only legal values are given.
  acclmt_pkg::engine_config_t engine_config;
  logic unused_illegal;
  logic [4:0] unused_illegal_index;
  acclmt_engine_configuration #(
    .NumPartial(acclmt_pkg::MaxNumPartial)
  ) u_configuration (
    .registers_i(in_i[10*32+:acclmt_pkg::NumEngineConfig*32]),
    .goldilocks_i(in_i[16]),
    .digests_are_nodes_i(1'b0),
    .inputs_are_nodes_i(1'b0),
    .config_o(engine_config),
    .illegal_o(unused_illegal),
    .illegal_index_o(unused_illegal_index)
  );

  // Hashes of one block.
  acclmt_pkg::block_t block;
  assign block = '{
    first: 1'b1, added: '1, input_words: engine_config.input_words,
    input_map: engine_config.input_map
  };

  // ---- Engines: number 6 * (NumFull - 1) + NumPartial - 1 ---------------------------------------

  logic [NumEngines-1:0] word_ready, digest_valid, last, idle;
  logic [NumEngines-1:0][WordWidth-1:0] digest;
  logic [NumEngines-1:0][acclmt_pkg::TagWidth-1:0] digest_tag;
  logic [NumEngines-1:0][MaxSubEngines-1:0] busy;
  for (genvar i = 0; i < NumEngines; i++) begin : gen_engine
    logic chosen, clk, unused_begun;
    acclmt_pkg::program_fault_t program_fault;
    acclmt_pkg::memory_fault_t memory_fault;
    acclmt_pkg::set_t unused_fault_set;
    assign chosen = select == 4'(i);
    // The choice changes while the clock is low. Every engine has a clock in the reset: from it on
    // assertions know what was before.
    assign clk = clk_i && (chosen || !rst_ni);
    program_sound_a : assert property (@(posedge clk) disable iff (!rst_ni)
        word_valid |-> program_fault == acclmt_pkg::ProgramSound)
    else $error("acclmt_tb_engines: the program has the fault %0d", program_fault);
    memory_sound_a : assert property (@(posedge clk) disable iff (!rst_ni) !memory_fault.valid)
    else $error("acclmt_tb_engines: a memory has the fault %x", memory_fault);
    acclmt_hash_engine #(
      .Prime(acclmt_tb_build_pkg::Prime),
      .Reduction(acclmt_tb_build_pkg::Reduction),
      .NumFull(i / acclmt_pkg::MaxNumPartial + 1),
      .NumPartial(i % acclmt_pkg::MaxNumPartial + 1)
    ) u_engine (
      .clk_i(clk),
      .rst_ni,
      .memory_config_i(acclmt_memory_pkg::MemoryConfigDefault),
      .memory_fault_o(memory_fault),
      .clear_i(clear),
      .goldilocks_i(in_i[16]),
      .prime_i(acclmt_tb_build_pkg::Prime),
      .configs_i(engine_config),
      .sets_i(1'b1),
      .constant_write_i(constant_write),
      .valid_i(word_valid),
      .ready_o(word_ready[i]),
      .word_i(data),
      .block_i(block),
      .block_end_i(in_i[17]),
      .tag_i(tag),
      .valid_o(digest_valid[i]),
      .ready_i(digest_ready),
      .word_o(digest[i]),
      .last_o(last[i]),
      .tag_o(digest_tag[i]),
      .begun_o(unused_begun),
      .busy_o(busy[i]),
      .program_fault_o(program_fault),
      .program_fault_set_o(unused_fault_set),
      .idle_o(idle[i])
    );
  end

  assign out_o = {
    12'b0, digest_tag[select][7:0], busy[select], idle[select], last[select], digest_valid[select],
    word_ready[select], digest[select]
  };

  // Spare bits of the packed input.
  logic unused_input;
  assign unused_input = ^{in_i[31:18], in_i[63:52], in_i[47:45]};

endmodule

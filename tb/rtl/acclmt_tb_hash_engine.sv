// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Testbench only: takes the place of the hash engine, with the same ports. Two blocks wait ahead
/// of a ring with room for a few states; each takes a random time, and those of a set stay in
/// order, while sets overtake each other. States that have left the ring wait in order: one that is
/// to absorb another block holds all behind it back until that block comes. Digests are those of
/// acclmt_tb_hash_pkg. What the user of the engine owes it is asserted.
module acclmt_hash_engine #(
  parameter acclmt_pkg::word_t Prime = acclmt_pkg::PrimeBls12381,
  parameter bit Goldilocks = 1'b1,
  parameter int unsigned Reduction = acclmt_pkg::ReductionConstant,
  parameter int unsigned NumFull = 1,
  parameter int unsigned NumPartial = 4,
  parameter int unsigned MatrixDepth = 32,
  parameter int unsigned ConstantDepth = 256,
  parameter int unsigned PartialDepth = 128,
  parameter bit Store = 1'b1,
  parameter bit Adders = 1'b1,
  parameter bit Sponge = 1'b0,
  parameter int unsigned NumSets = 1,
  parameter bit MemoryParity = 1'b0
) (
  input logic clk_i,
  input logic rst_ni,
  input acclmt_memory_pkg::memory_config_t memory_config_i,
  output acclmt_pkg::memory_fault_t memory_fault_o,
  input logic clear_i,
  input logic goldilocks_i,
  input acclmt_pkg::word_t prime_i,
  input logic [NumSets*acclmt_pkg::EngineConfigWidth-1:0] configs_i,
  input logic [NumSets-1:0] sets_i,
  input acclmt_pkg::constant_write_t constant_write_i,
  input logic valid_i,
  output logic ready_o,
  input acclmt_pkg::word_t word_i,
  input acclmt_pkg::block_t block_i,
  input logic block_end_i,
  input acclmt_pkg::tag_t tag_i,
  output logic valid_o,
  input logic ready_i,
  output acclmt_pkg::word_t word_o,
  output logic last_o,
  output acclmt_pkg::tag_t tag_o,
  output logic begun_o,
  output logic [acclmt_pkg::MaxSubEngines-1:0] busy_o,
  output acclmt_pkg::program_fault_t program_fault_o,
  output acclmt_pkg::set_t program_fault_set_o,
  output logic idle_o
);

  assign program_fault_o = acclmt_pkg::ProgramSound;
  assign program_fault_set_o = '0;

  localparam int unsigned Pages = 2;
  localparam int unsigned States = 6;
  localparam int unsigned LongestTime = 40;
  localparam int unsigned PayloadWidth = acclmt_pkg::TagPayloadWidth;
  localparam int unsigned TagSet = acclmt_pkg::TagSet;
  localparam int unsigned SetWidth = acclmt_pkg::SetWidth;
  localparam int unsigned TagContinues = acclmt_pkg::TagContinues;

  // The block whose words are coming: the next word, and what came with the first one. Rows whose
  // next block is to come.
  int unsigned word = 0, open_rows = 0;
  acclmt_pkg::block_t block;
  acclmt_pkg::tag_t tag;
  logic [63:0] value;

  // Blocks that are complete, states in the ring, and those that have left it, the oldest first.
  int unsigned pages = 0, hashes = 0, finals = 0;
  logic [63:0] page_value[Pages], hash_value[States], final_value[States];
  acclmt_pkg::tag_t page_tag[Pages], hash_tag[States], final_tag[States];
  logic page_first[Pages];
  int unsigned hash_time[States];

  int unsigned digest_number = 0, leaving, empty_cycles = 0;
  logic [63:0] random = 64'd1;
  logic absorbs, pause;
  logic [NumSets-1:0] seen;
  acclmt_pkg::engine_config_t of_digest;

  task automatic take_final();
    for (int unsigned i = 1; i < States; i++) begin
      final_value[i-1] = final_value[i];
      final_tag[i-1] = final_tag[i];
    end
    finals = finals - 1;
  endtask

  // Takes a word of a block.
  task automatic take_word();
    if (word == 0) begin
      block = block_i;
      tag = tag_i;
      value = acclmt_tb_hash_pkg::empty_block(block.input_map, block.added == '0);
      if ((sets_i & NumSets'(1 << tag[TagSet+:SetWidth])) == '0)
        $error("acclmt_tb_hash_engine: a block has set %0d, which is not in use",
               tag[TagSet+:SetWidth]);
      if (!block.first && open_rows == 0)
        $error("acclmt_tb_hash_engine: a block comes that no state waits for");
      open_rows = open_rows + 32'(tag[TagContinues]) - 32'(!block.first);
    end
    // Of the tag what is no place stays.
    if (block_i != block || tag_i[TagContinues:TagSet] != tag[TagContinues:TagSet])
      $error("acclmt_tb_hash_engine: a word of another block comes within a block");
    word = word + 1;
    if (block_end_i != (word == 32'(block.input_words)))
      $error("acclmt_tb_hash_engine: word %0d of a block of %0d words ends it: %0d", word,
             block.input_words, block_end_i);
    value = acclmt_tb_hash_pkg::mix(value, word_i[63:0]);
    random = acclmt_tb_hash_pkg::mix(random, value);
    if (block_end_i) begin
      page_value[pages] = value;
      page_tag[pages] = tag;
      page_first[pages] = block.first;
      pages = pages + 1;
      word = 0;
    end
  endtask

  // The oldest block enters the ring as a new state, or with the state that waits for it.
  task automatic absorb();
    absorbs = page_first[0] ? hashes + finals < States : finals != 0 && final_tag[0][TagContinues];
    if (absorbs) begin
      hash_tag[hashes] = page_tag[0];
      hash_value[hashes] = page_value[0];
      if (!page_first[0]) begin
        hash_tag[hashes][PayloadWidth-1:0] = final_tag[0][PayloadWidth-1:0];
        hash_value[hashes] = acclmt_tb_hash_pkg::mix(final_value[0], page_value[0]);
        take_final();
      end
      hash_value[hashes] =
          acclmt_tb_hash_pkg::permuted(hash_value[hashes], hash_tag[hashes][TagSet+:SetWidth]);
      hash_time[hashes] = 5 + 32'(random[15:0]) % LongestTime;
      hashes = hashes + 1;
      page_value[0] = page_value[1];
      page_tag[0] = page_tag[1];
      page_first[0] = page_first[1];
      pages = pages - 1;
    end
  endtask

  // The first state whose time is over, and that has none of its set ahead of it, leaves the ring.
  task automatic leave();
    leaving = States;
    seen = '0;
    for (int unsigned i = 0; i < hashes; i++) begin
      if (hash_time[i] != 0) hash_time[i] = hash_time[i] - 1;
      else if (leaving == States && !seen[hash_tag[i][TagSet+:SetWidth]]) leaving = i;
      seen[hash_tag[i][TagSet+:SetWidth]] = 1'b1;
    end
    if (leaving != States) begin
      final_value[finals] = hash_value[leaving];
      final_tag[finals] = hash_tag[leaving];
      finals = finals + 1;
      hashes = hashes - 1;
      for (int unsigned i = leaving; i < hashes; i++) begin
        hash_value[i] = hash_value[i+1];
        hash_tag[i] = hash_tag[i+1];
        hash_time[i] = hash_time[i+1];
      end
    end
  endtask

  always @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      word = 0;
      open_rows = 0;
      pages = 0;
      hashes = 0;
      finals = 0;
      digest_number = 0;
      empty_cycles = 0;
      absorbs = 1'b0;
    end else begin
      random = acclmt_tb_hash_pkg::mix(random, 64'd1);
      absorbs = 1'b0;
      if (valid_o && ready_i) begin
        digest_number = last_o ? 0 : digest_number + 1;
        if (last_o) take_final();
      end
      if (pages != 0) absorb();
      leave();
      if (valid_i && ready_o) take_word();
    end
    // Within a block there is room for its words. One that has been empty for a while is ready.
    empty_cycles = (word == 0 && pages == 0 && hashes == 0 && finals == 0) ? empty_cycles + 1 : 0;
    pause = random[20] && random[23] && empty_cycles < 200;
    of_digest = configs_i[acclmt_pkg::EngineConfigWidth*32'(final_tag[0][TagSet+:SetWidth])+:
                          acclmt_pkg::EngineConfigWidth];
    ready_o <= word != 0 || (pages != Pages && !pause);
    valid_o <= finals != 0 && !final_tag[0][TagContinues];
    word_o <= acclmt_pkg::word_t'(acclmt_tb_hash_pkg::digest_word(final_value[0], digest_number));
    last_o <= digest_number + 1 == 32'(of_digest.digest_words);
    tag_o <= final_tag[0];
    begun_o <= absorbs;
    idle_o <= word == 0 && pages == 0 && hashes == 0 && finals == 0;
  end
  assign busy_o = '0;

  assign memory_fault_o = '0;
  logic unused_bits;
  assign unused_bits = ^{Prime, Goldilocks, Reduction, NumFull, NumPartial, MatrixDepth,
                         ConstantDepth, PartialDepth, Store, Adders, Sponge, MemoryParity,
                         memory_config_i,
                         goldilocks_i, prime_i, constant_write_i, word_i, of_digest};

endmodule

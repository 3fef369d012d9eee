// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Testbench only: blocks with deliberate faults, which the tests of the blocks must find. The
/// modules with `_mutant` in their names are copies that tb/verilated/build.rs makes of the blocks,
/// with one fault each.
module acclmt_tb_mutants (
  input logic clk_i,
  input logic rst_ni,
  /// As acclmt_tb_units.
  input logic [237*32-1:0] in_i,
  /// a * b with a fault of both modes and with one of Goldilocks mode, a * a (16 each), the sums of
  /// the products without carries, without the uppermost carry of a chunk and without the room of
  /// what they begin with, a sum of two products (17 each), the residues of the sum by the constant
  /// prime with a faulty carry and with a faulty subtraction, by the Goldilocks prime with a faulty
  /// subtraction and without some room, and by the run-time prime, a + b with a fault of each slice
  /// and of the borrow between them, the operand a + b or p - b without carries between the slices,
  /// without some reductions, one too small, and with negatives in all slices (8 each), the product
  /// of lane 0 (16), a power of a (8), the sum of the pairs of (a, b, c) (17), the state behind the
  /// exit (24) and its flags (1), the rows of (a, b, c) by the adders (24).
  output logic [294*32-1:0] out_o
);

  localparam int unsigned WordWidth = acclmt_pkg::WordWidth;
  localparam int unsigned ProductWidth = acclmt_pkg::ProductWidth;
  localparam int unsigned Slices = acclmt_pkg::Slices;
  localparam int unsigned ChunkWidth = acclmt_pkg::ChunkWidth;
  localparam int unsigned LaneWidth = acclmt_pkg::LaneWidth;
  localparam int unsigned Lanes = acclmt_pkg::Lanes;

  acclmt_pkg::word_t a, b, c, prime;
  logic [Lanes-1:0][Slices-1:0][ChunkWidth-1:0] values;
  logic [Slices-1:0][ChunkWidth-1:0] value;
  logic [Lanes-1:0][ProductWidth-1:0] products;
  logic [31:0] control, shape;
  assign a = in_i[0+:WordWidth];
  assign b = in_i[8*32+:WordWidth];
  assign c = in_i[16*32+:WordWidth];
  assign values = in_i[24*32+:Lanes*LaneWidth];
  assign value = values[0];
  assign products = in_i[75*32+:Lanes*ProductWidth];
  assign prime = in_i[219*32+:WordWidth];
  assign control = in_i[235*32+:32];
  assign shape = in_i[236*32+:32];

  logic goldilocks;
  assign goldilocks = control[0];

  acclmt_pkg::engine_config_t engine_config;
  always_comb begin
    engine_config = '0;
    engine_config.beats = shape[2:0];
    engine_config.last_pairs = shape[4:3];
    engine_config.order = shape[9:5];
    engine_config.width = shape[14:10];
  end

  acclmt_pkg::product_t product_carry, product_goldilocks, square;
  acclmt_pkg::product_t unused_beside_of_product_carry, unused_beside_of_product_goldilocks;
  acclmt_mul_mutant_carry u_mul_carry (
    .clk_i,
    .goldilocks_i(goldilocks),
    .a_i(a),
    .b_i(b),
    .product_o(product_carry),
    .beside_a_i('0),
    .beside_b_i('0),
    .beside_o(unused_beside_of_product_carry)
  );
  acclmt_mul_mutant_goldilocks u_mul_goldilocks (
    .clk_i,
    .goldilocks_i(goldilocks),
    .a_i(a),
    .b_i(b),
    .product_o(product_goldilocks),
    .beside_a_i('0),
    .beside_b_i('0),
    .beside_o(unused_beside_of_product_goldilocks)
  );
  acclmt_sqr_mutant u_sqr (
    .clk_i,
    .goldilocks_i(goldilocks),
    .a_i(a),
    .square_o(square)
  );

  logic [Slices-1:0][ChunkWidth-1:0] sum_carry_lost, sum_room_lost, sum_initial_lost, slot_sum;
  acclmt_accumulate_mutant_carry u_accumulate_carry (
    .clk_i,
    .goldilocks_i(goldilocks),
    .first_i(control[6]),
    .initial_i(value),
    .product_i(products),
    .sum_o(sum_carry_lost)
  );
  acclmt_accumulate_mutant_room u_accumulate_room (
    .clk_i,
    .goldilocks_i(goldilocks),
    .first_i(control[6]),
    .initial_i(value),
    .product_i(products),
    .sum_o(sum_room_lost)
  );
  acclmt_accumulate_mutant_initial u_accumulate_initial (
    .clk_i,
    .goldilocks_i(goldilocks),
    .first_i(control[6]),
    .initial_i(value),
    .product_i(products),
    .sum_o(sum_initial_lost)
  );
  acclmt_slot_sum_mutant u_slot_sum (
    .clk_i,
    .keep_i(control[17]),
    .sum_i(value),
    .product_i(products[0]),
    .common_i(products[1]),
    .sum_o(slot_sum)
  );

  acclmt_pkg::word_t residue_carry, residue_subtraction, residue_runtime;
  acclmt_pkg::word_t residue_goldilocks, residue_goldilocks_room;
  acclmt_reduce_constant_mutant_carry #(
    .Prime(acclmt_tb_build_pkg::Prime)
  ) u_reduce_carry (
    .clk_i,
    .goldilocks_i(goldilocks),
    .value_i(value),
    .residue_o(residue_carry)
  );
  acclmt_reduce_constant_mutant_subtraction #(
    .Prime(acclmt_tb_build_pkg::Prime)
  ) u_reduce_subtraction (
    .clk_i,
    .goldilocks_i(goldilocks),
    .value_i(value),
    .residue_o(residue_subtraction)
  );
  acclmt_reduce_goldilocks_mutant u_reduce_goldilocks (
    .clk_i,
    .value_i(value),
    .residue_o(residue_goldilocks)
  );
  acclmt_reduce_goldilocks_mutant_room u_reduce_goldilocks_room (
    .clk_i,
    .value_i(value),
    .residue_o(residue_goldilocks_room)
  );
  acclmt_reduce_runtime_mutant u_reduce_runtime (
    .clk_i,
    .goldilocks_i(goldilocks),
    .prime_i(prime),
    .value_i(value),
    .residue_o(residue_runtime)
  );

  acclmt_pkg::word_t sum_slice, sum_borrow;
  acclmt_mod_add_mutant_slice #(
    .Prime(acclmt_tb_build_pkg::Prime)
  ) u_mod_add_slice (
    .clk_i,
    .goldilocks_i(goldilocks),
    .prime_i(prime),
    .a_i(a),
    .b_i(b),
    .sum_o(sum_slice)
  );
  acclmt_mod_add_mutant_borrow #(
    .Prime(acclmt_tb_build_pkg::Prime)
  ) u_mod_add_borrow (
    .clk_i,
    .goldilocks_i(goldilocks),
    .prime_i(prime),
    .a_i(a),
    .b_i(b),
    .sum_o(sum_borrow)
  );

  acclmt_pkg::word_t operand_carry, operand_reduction, operand_one, operand_slices;
  acclmt_operand_add_mutant_carry #(
    .Prime(acclmt_tb_build_pkg::Prime),
    .Negative(1'b1)
  ) u_operand_add_carry (
    .clk_i,
    .goldilocks_i(goldilocks),
    .prime_i(prime),
    .coefficient_i(a),
    .element_i(b),
    .negative_i(control[16]),
    .operand_o(operand_carry)
  );
  acclmt_operand_add_mutant_reduction #(
    .Prime(acclmt_tb_build_pkg::Prime),
    .Negative(1'b1)
  ) u_operand_add_reduction (
    .clk_i,
    .goldilocks_i(goldilocks),
    .prime_i(prime),
    .coefficient_i(a),
    .element_i(b),
    .negative_i(control[16]),
    .operand_o(operand_reduction)
  );
  acclmt_operand_add_mutant_one #(
    .Prime(acclmt_tb_build_pkg::Prime),
    .Negative(1'b1)
  ) u_operand_add_one (
    .clk_i,
    .goldilocks_i(goldilocks),
    .prime_i(prime),
    .coefficient_i(a),
    .element_i(b),
    .negative_i(control[16]),
    .operand_o(operand_one)
  );
  acclmt_operand_add_mutant_slices #(
    .Prime(acclmt_tb_build_pkg::Prime),
    .Negative(1'b1)
  ) u_operand_add_slices (
    .clk_i,
    .goldilocks_i(goldilocks),
    .prime_i(prime),
    .coefficient_i(a),
    .element_i(b),
    .negative_i(control[16]),
    .operand_o(operand_slices)
  );

  acclmt_pkg::product_t pair_product;
  acclmt_pair_product_mutant #(
    .Prime(acclmt_tb_build_pkg::Prime),
    .Reduction(acclmt_tb_build_pkg::Reduction),
    .Negative(1'b1)
  ) u_pair_product (
    .clk_i,
    .goldilocks_i(goldilocks),
    .prime_i(prime),
    .a_i(in_i[123*32+:WordWidth]),
    .x_i(in_i[147*32+:WordWidth]),
    .b_i(in_i[171*32+:WordWidth]),
    .y_i(in_i[195*32+:WordWidth]),
    .negative_i(control[16]),
    .product_o(pair_product)
  );

  acclmt_pkg::word_t power;
  acclmt_sbox_mutant #(
    .Prime(acclmt_tb_build_pkg::Prime),
    .Reduction(acclmt_tb_build_pkg::Reduction)
  ) u_sbox (
    .clk_i,
    .rst_ni,
    .memory_config_i(acclmt_memory_pkg::MemoryConfigDefault),
    .memory_fault_o(),
    .clear_i(1'b0),
    .goldilocks_i(goldilocks),
    .prime_i(prime),
    .power_i(acclmt_pkg::sbox_e'(3'd3 + 3'(control[25:24]))),
    .valid_i(control[7]),
    .x_i(a),
    .x_o(),
    .base_i('0),
    .bypass_i(control[23:20]),
    .y_o(power)
  );

  logic [Slices-1:0][ChunkWidth-1:0] pair_sum;
  acclmt_full_round_pairs_mutant #(
    .Prime(acclmt_tb_build_pkg::Prime),
    .Reduction(acclmt_tb_build_pkg::Reduction)
  ) u_pairs (
    .clk_i,
    .rst_ni,
    .memory_config_i(acclmt_memory_pkg::MemoryConfigDefault),
    .memory_fault_o(),
    .clear_i(1'b0),
    .goldilocks_i(goldilocks),
    .prime_i(prime),
    .configs_i(engine_config),
    .adders_i(1'b0),
    .valid_i(shape[15]),
    .beat_i(shape[18:16]),
    .set_i('0),
    .state_i({c, b, a}),
    .take_i(1'b0),
    .sum_o(pair_sum)
  );

  logic exit_take, exit_valid, exit_idle;
  logic [Lanes-1:0][WordWidth-1:0] exit_state;
  acclmt_pkg::tag_t exit_tag;
  acclmt_sum_reduction_mutant #(
    .Prime(acclmt_tb_build_pkg::Prime),
    .Reduction(acclmt_tb_build_pkg::Reduction)
  ) u_exit (
    .clk_i,
    .rst_ni,
    .memory_config_i(acclmt_memory_pkg::MemoryConfigDefault),
    .memory_fault_o(),
    .clear_i(1'b0),
    .goldilocks_i(goldilocks),
    .prime_i(prime),
    .configs_i(engine_config),
    .valid_i(shape[19]),
    .take_o(exit_take),
    .state_i(values),
    .tag_i(acclmt_pkg::tag_t'(shape[28:21])),
    .valid_o(exit_valid),
    .take_i(shape[20]),
    .state_o(exit_state),
    .tag_o(exit_tag),
    .idle_o(exit_idle)
  );

  // ---- Adders of small integers -----------------------------------------------------------------

  // Words of the matrix come as coefficients a of lane 0; nothing is added.
  logic [1:0] adders_loaded;
  logic adders_two_beats, adders_second;
  logic [Lanes-1:0][WordWidth-1:0] adders_state;
  acclmt_pkg::constant_write_t adders_write;
  acclmt_pkg::pass_label_t adders_label;
  logic unused_constant_read, unused_pass_read, unused_pass_made;
  logic unused_adders_valid, unused_adders_last;
  acclmt_pkg::index_t unused_constant_address;
  acclmt_pkg::pass_index_t unused_pass;
  acclmt_pkg::pass_label_t unused_adders_label;
  acclmt_pkg::tag_t unused_adders_tag;
  always_comb begin
    adders_label = '0;
    adders_write.valid = control[30];
    adders_write.sub_engine = '0;
    adders_write.bank = acclmt_pkg::BankWidth'(acclmt_pkg::AdderBank);
    adders_two_beats = control[19];
    adders_second = control[31];
    adders_write.index = acclmt_pkg::IndexWidth'(control[15:12]) +
        (adders_second ? acclmt_pkg::IndexWidth'(acclmt_pkg::AdderWidth) : '0);
    adders_write.data = in_i[123*32+:WordWidth];
  end
  acclmt_full_round_adders_mutant #(
    .Prime(acclmt_tb_build_pkg::Prime),
    .Reduction(acclmt_tb_build_pkg::Reduction)
  ) u_adders (
    .clk_i,
    .rst_ni,
    .memory_config_i(acclmt_memory_pkg::MemoryConfigDefault),
    .memory_fault_o(),
    .clear_i(1'b0),
    .number_i('0),
    .constant_write_i(adders_write),
    .erase_i(1'b0),
    .loaded_o(adders_loaded),
    .two_beats_i(adders_two_beats),
    .valid_i(control[18] && (adders_two_beats ? adders_loaded[1] : adders_loaded[0])),
    .second_i(adders_second),
    .state_i({c, b, a}),
    .label_i(adders_label),
    .tag_i('0),
    .constant_read_o(unused_constant_read),
    .constant_address_o(unused_constant_address),
    .constant_i('0),
    .pass_read_o(unused_pass_read),
    .pass_made_o(unused_pass_made),
    .pass_o(unused_pass),
    .valid_o(unused_adders_valid),
    .last_o(unused_adders_last),
    .label_o(unused_adders_label),
    .tag_o(unused_adders_tag),
    .state_o(adders_state)
  );

  assign out_o = {
    adders_state,
    16'b0, exit_tag[7:0], 5'b0, exit_idle, exit_valid, exit_take, exit_state, pair_sum,
    power, pair_product, operand_slices, operand_one, operand_reduction, operand_carry,
    sum_borrow, sum_slice, residue_runtime, residue_goldilocks_room, residue_goldilocks,
    residue_subtraction, residue_carry, slot_sum, sum_initial_lost, sum_room_lost, sum_carry_lost,
    square, product_goldilocks, product_carry
  };

  // Operands of other lanes, and what only acclmt_tb_units has.
  logic unused_input;
  assign unused_input = ^{
    in_i[147*32-1:131*32], in_i[171*32-1:155*32], in_i[195*32-1:179*32], in_i[219*32-1:203*32],
    in_i[235*32-1:227*32], shape[31:29], control[29:26],
    control[11:8], control[5:1]
  };

endmodule

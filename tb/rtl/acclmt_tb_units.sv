// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Testbench only: the arithmetic blocks with both kinds of reduction, the conversions, the S-box,
/// the row of a matrix, the sum of the pairs, the exit of the recurrence, the delay line, the
/// buffer and the memory side by side, all fed from one packed input. tb/tests/units.rs knows the
/// layout.
module acclmt_tb_units #(
  /// Cycles of the delay line and words of the buffer and of the memory.
  parameter int unsigned DelayCycles = 26,
  parameter int unsigned FifoDepth = 5,
  parameter int unsigned MemoryDepth = 16
) (
  input logic clk_i,
  input logic rst_ni,
  /// From the least significant word: operands a, b and c (8 words each), three sums (17 each), the
  /// first of which is reduced and begins other sums, three products (48), of the three lanes the
  /// coefficients a (24), elements x (24), coefficients b (24) and elements y (24), the run-time
  /// prime and its R^2 (8 each), control bits (1), shape and handshakes of states (1).
  input logic [237*32-1:0] in_i,
  /// a * b (16), a * a (16), the sum of the products and one of two products (17 each), the residue
  /// of the sum, a + b, the operand a + b or p - b, a to and from Montgomery form, each by the
  /// constant prime and then by the run-time one (8 each), the operand a + b of a block that makes
  /// no p - b (8), a power of a (8), the product of lane 0 (16), the row (8), a delayed (8), the
  /// sum of the pairs of (a, b, c) (17), the state behind the exit (24) and its flags (1), the
  /// buffer's head (8), the memory's word (8), flags (1), the products of the slices of b and c
  /// that are made beside (16), the rows of (a, b, c) by the adders (24).
  output logic [293*32-1:0] out_o
);

  localparam int unsigned WordWidth = acclmt_pkg::WordWidth;
  localparam int unsigned ProductWidth = acclmt_pkg::ProductWidth;
  localparam int unsigned Slices = acclmt_pkg::Slices;
  localparam int unsigned ChunkWidth = acclmt_pkg::ChunkWidth;
  localparam int unsigned LaneWidth = acclmt_pkg::LaneWidth;
  localparam int unsigned Lanes = acclmt_pkg::Lanes;

  acclmt_pkg::word_t a, b, c, prime, radix_squared;
  logic [Lanes-1:0][Slices-1:0][ChunkWidth-1:0] values;
  logic [Slices-1:0][ChunkWidth-1:0] value;
  logic [Lanes-1:0][ProductWidth-1:0] products;
  logic [Lanes-1:0][WordWidth-1:0] lane_a, lane_x, lane_b, lane_y;
  logic [31:0] control, shape;
  assign a = in_i[0+:WordWidth];
  assign b = in_i[8*32+:WordWidth];
  assign c = in_i[16*32+:WordWidth];
  assign values = in_i[24*32+:Lanes*LaneWidth];
  assign value = values[0];
  assign products = in_i[75*32+:Lanes*ProductWidth];
  assign lane_a = in_i[123*32+:Lanes*WordWidth];
  assign lane_x = in_i[147*32+:Lanes*WordWidth];
  assign lane_b = in_i[171*32+:Lanes*WordWidth];
  assign lane_y = in_i[195*32+:Lanes*WordWidth];
  assign prime = in_i[219*32+:WordWidth];
  assign radix_squared = in_i[227*32+:WordWidth];
  assign control = in_i[235*32+:32];
  assign shape = in_i[236*32+:32];

  logic goldilocks;
  assign goldilocks = control[0];

  // What the blocks that take states need of the configuration of their engine.
  acclmt_pkg::engine_config_t engine_config;
  always_comb begin
    engine_config = '0;
    engine_config.beats = shape[2:0];
    engine_config.last_pairs = shape[4:3];
    engine_config.order = shape[9:5];
    engine_config.width = shape[14:10];
  end

  // ---- Products and sums ------------------------------------------------------------------------

  acclmt_pkg::product_t product, square;
  logic [Slices-1:0][ChunkWidth-1:0] accumulated, slot_sum;
  acclmt_pkg::product_t beside;
  acclmt_mul #(
    .Beside(acclmt_pkg::BesideFour)
  ) u_mul (
    .clk_i,
    .goldilocks_i(goldilocks),
    .a_i(a),
    .b_i(b),
    .product_o(product),
    .beside_a_i(b),
    .beside_b_i(c),
    .beside_o(beside)
  );
  acclmt_sqr u_sqr (
    .clk_i,
    .goldilocks_i(goldilocks),
    .a_i(a),
    .square_o(square)
  );
  acclmt_accumulate u_accumulate (
    .clk_i,
    .goldilocks_i(goldilocks),
    .first_i(control[6]),
    .initial_i(value),
    .product_i(products),
    .sum_o(accumulated)
  );
  acclmt_slot_sum u_slot_sum (
    .clk_i,
    .keep_i(control[17]),
    .sum_i(value),
    .product_i(products[0]),
    .common_i(products[1]),
    .sum_o(slot_sum)
  );

  // ---- Reduction, addition and conversion: 0 by the constant prime, 1 by the run-time one -------

  acclmt_pkg::word_t residue[2], sum[2], operand[2], to_montgomery[2], from_montgomery[2];
  logic [1:0] to_ready, to_valid, to_idle, not_below_prime, from_ready, from_valid;
  logic [1:0][1:0] bad_slice;
  for (genvar i = 0; i < 2; i++) begin : gen_reduction
    acclmt_reduce #(
      .Prime(acclmt_tb_build_pkg::Prime),
      .Reduction(i)
    ) u_reduce (
      .clk_i,
      .goldilocks_i(goldilocks),
      .prime_i(prime),
      .value_i(value),
      .residue_o(residue[i])
    );
    acclmt_mod_add #(
      .Prime(acclmt_tb_build_pkg::Prime),
      .Reduction(i)
    ) u_mod_add (
      .clk_i,
      .goldilocks_i(goldilocks),
      .prime_i(prime),
      .a_i(a),
      .b_i(b),
      .sum_o(sum[i])
    );
    acclmt_operand_add #(
      .Prime(acclmt_tb_build_pkg::Prime),
      .Reduction(i),
      .Negative(1'b1)
    ) u_operand_add (
      .clk_i,
      .goldilocks_i(goldilocks),
      .prime_i(prime),
      .coefficient_i(a),
      .element_i(b),
      .negative_i(control[16]),
      .operand_o(operand[i])
    );
    logic unused_to_label, unused_from_label;
    acclmt_to_montgomery #(
      .Prime(acclmt_tb_build_pkg::Prime),
      .Reduction(i)
    ) u_to_montgomery (
      .clk_i,
      .rst_ni,
      .memory_config_i(acclmt_memory_pkg::MemoryConfigDefault),
      .memory_fault_o(),
      .clear_i(control[28]),
      .goldilocks_i(goldilocks),
      .prime_i(prime),
      .radix_squared_i(radix_squared),
      .valid_i(control[26]),
      .ready_o(to_ready[i]),
      .element_i(a),
      .label_i(control[29]),
      .not_below_prime_o(not_below_prime[i]),
      .slice_o(bad_slice[i]),
      .valid_o(to_valid[i]),
      .ready_i(control[27]),
      .residue_o(to_montgomery[i]),
      .label_o(unused_to_label),
      .idle_o(to_idle[i])
    );
    acclmt_from_montgomery #(
      .Prime(acclmt_tb_build_pkg::Prime),
      .Reduction(i)
    ) u_from_montgomery (
      .clk_i,
      .rst_ni,
      .memory_config_i(acclmt_memory_pkg::MemoryConfigDefault),
      .memory_fault_o(),
      .clear_i(control[28]),
      .goldilocks_i(goldilocks),
      .prime_i(prime),
      .valid_i(control[26]),
      .ready_o(from_ready[i]),
      .residue_i(a),
      .label_i(control[29]),
      .label_set_i('0),
      .valid_o(from_valid[i]),
      .ready_i(control[27]),
      .element_o(from_montgomery[i]),
      .label_o(unused_from_label)
    );
  end

  acclmt_pkg::word_t operand_plain;
  acclmt_operand_add #(
    .Prime(acclmt_tb_build_pkg::Prime),
    .Reduction(acclmt_tb_build_pkg::Reduction)
  ) u_operand_add_plain (
    .clk_i,
    .goldilocks_i(goldilocks),
    .prime_i(prime),
    .coefficient_i(a),
    .element_i(b),
    .negative_i(1'b0),
    .operand_o(operand_plain)
  );

  // ---- Blocks of a round ------------------------------------------------------------------------

  acclmt_pkg::word_t power, row;
  acclmt_pkg::product_t pair_product;
  logic [Slices-1:0][ChunkWidth-1:0] pair_sum;
  acclmt_sbox #(
    .Prime(acclmt_tb_build_pkg::Prime),
    .Reduction(acclmt_tb_build_pkg::Reduction)
  ) u_sbox (
    .clk_i,
    .rst_ni,
    .memory_config_i(acclmt_memory_pkg::MemoryConfigDefault),
    .memory_fault_o(),
    .clear_i(control[28]),
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
  acclmt_pair_product #(
    .Prime(acclmt_tb_build_pkg::Prime),
    .Reduction(acclmt_tb_build_pkg::Reduction),
    .Negative(1'b1)
  ) u_pair_product (
    .clk_i,
    .goldilocks_i(goldilocks),
    .prime_i(prime),
    .a_i(lane_a[0]),
    .x_i(lane_x[0]),
    .b_i(lane_b[0]),
    .y_i(lane_y[0]),
    .negative_i(control[16]),
    .product_o(pair_product)
  );
  acclmt_pair_row #(
    .Prime(acclmt_tb_build_pkg::Prime),
    .Reduction(acclmt_tb_build_pkg::Reduction)
  ) u_pair_row (
    .clk_i,
    .goldilocks_i(goldilocks),
    .prime_i(prime),
    .a_i(lane_a),
    .x_i(lane_x),
    .b_i(lane_b),
    .y_i(lane_y),
    .first_i(control[6]),
    .initial_i(value),
    .result_o(row)
  );
  acclmt_full_round_pairs #(
    .Prime(acclmt_tb_build_pkg::Prime),
    .Reduction(acclmt_tb_build_pkg::Reduction)
  ) u_pairs (
    .clk_i,
    .rst_ni,
    .memory_config_i(acclmt_memory_pkg::MemoryConfigDefault),
    .memory_fault_o(),
    .clear_i(control[28]),
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

  // ---- Exit of the recurrence -------------------------------------------------------------------

  logic exit_take, exit_valid, exit_idle;
  logic [Lanes-1:0][WordWidth-1:0] exit_state;
  acclmt_pkg::tag_t exit_tag;
  acclmt_sum_reduction #(
    .Prime(acclmt_tb_build_pkg::Prime),
    .Reduction(acclmt_tb_build_pkg::Reduction)
  ) u_exit (
    .clk_i,
    .rst_ni,
    .memory_config_i(acclmt_memory_pkg::MemoryConfigDefault),
    .memory_fault_o(),
    .clear_i(control[28]),
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
  acclmt_full_round_adders #(
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

  // ---- Common blocks ----------------------------------------------------------------------------

  acclmt_pkg::word_t delayed, head, stored;
  logic fifo_ready, fifo_valid;
  acclmt_delay #(
    .Width(WordWidth),
    .Cycles(DelayCycles)
  ) u_delay (
    .clk_i,
    .rst_ni,
    .memory_config_i(acclmt_memory_pkg::MemoryConfigDefault),
    .memory_fault_o(),
    .data_i(a),
    .data_o(delayed)
  );
  acclmt_fifo #(
    .Width(WordWidth),
    .Depth(FifoDepth)
  ) u_fifo (
    .clk_i,
    .rst_ni,
    .memory_config_i(acclmt_memory_pkg::MemoryConfigDefault),
    .memory_fault_o(),
    .clear_i(control[3]),
    .valid_i(control[1]),
    .ready_o(fifo_ready),
    .data_i(a),
    .valid_o(fifo_valid),
    .ready_i(control[2]),
    .data_o(head)
  );
  acclmt_mem_1r1w #(
    .Width(WordWidth),
    .Depth(MemoryDepth)
  ) u_memory (
    .clk_i,
    .memory_config_i(acclmt_memory_pkg::MemoryConfigDefault),
    .write_enable_i(control[4]),
    .write_address_i(control[11:8]),
    .write_data_i(a),
    .read_enable_i(control[5]),
    .read_address_i(control[15:12]),
    .read_data_o(stored)
  );

  logic [31:0] flags;
  assign flags = {
    14'b0, bad_slice, from_valid, from_ready, not_below_prime, to_idle, to_valid, to_ready,
    fifo_valid, fifo_ready
  };
  assign out_o = {
    adders_state, beside,
    flags, stored, head,
    16'b0, exit_tag[7:0], 5'b0, exit_idle, exit_valid, exit_take, exit_state, pair_sum,
    delayed, row, pair_product, power, operand_plain,
    from_montgomery[1], to_montgomery[1], operand[1], sum[1], residue[1],
    from_montgomery[0], to_montgomery[0], operand[0], sum[0], residue[0],
    slot_sum, accumulated, square, product
  };

  // Spare bits of the packed input.
  logic unused_input;
  assign unused_input = ^shape[31:29];

endmodule

// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Matrix rows of a full-round sub-engine: its matrix and constant memories, nine multipliers, and
/// the sums, reductions and additions behind them.
///
/// A step takes three rows of the matrix, and of two beats the elements x of the even one and y of
/// the odd one, lane by lane, with the coefficients a of x and b of y:
///
///     (a + y)(b + x) = a * x + b * y  +  a * b + x * y
///
/// The first step of a row adds the sum of all -x * y (`acclmt_full_round_pairs`), the host has
/// taken the a * b off the constants. A step of one beat alone multiplies plainly. In Goldilocks
/// mode a step takes two slices of each lane of a beat, broadcast, with packed columns, so that
/// four slices of a row chunk grow in two steps for each beat of the state. The steps of a row
/// chunk are added before they are reduced.
///
/// With adders the multipliers make the dense layers only, whose constants are elsewhere: those of
/// the adders' layers are read at the same time.
///
/// Handshake:  none. The coefficients of a step are read the cycle before it. A beat leaves after
///             the steps of its row chunk.
/// Latency:    `OperandLatency` + `acclmt_timing_pkg::dot_latency` + 1 cycles from the last step of
///             a row chunk.
/// Throughput: one step a cycle.
module acclmt_full_round_rows #(
  /// The modulus, whether Goldilocks mode exists, and the kind of reduction.
  parameter acclmt_pkg::word_t Prime = acclmt_pkg::PrimeBls12381,
  parameter bit Goldilocks = 1'b1,
  parameter int unsigned Reduction = acclmt_pkg::ReductionConstant,
  /// Steps of matrices and beats of constant vectors that fit, powers of two.
  parameter int unsigned MatrixDepth = 32,
  parameter int unsigned ConstantDepth = 256,
  /// Whether there are adders.
  parameter bit Adders = 1'b0,
  /// Parameter sets.
  parameter int unsigned NumSets = 1,
  /// Whether memories keep parity, see acclmt_memory.
  parameter bit MemoryParity = 1'b0,
  /// Bits of the address of a step (derived).
  localparam int unsigned MatrixAddressWidth = $clog2(MatrixDepth)
) (
  /// Clock and reset.
  input logic clk_i,
  input logic rst_ni,
  /// Configuration of the memories below, see acclmt_memory_pkg; quasi-static.
  input acclmt_memory_pkg::memory_config_t memory_config_i,
  /// A word that a memory below shows is not the one that was written; one cycle.
  output logic memory_fault_o,
  /// Forgets every state.
  input logic clear_i,
  /// Goldilocks mode, run-time modulus and parameters of the sets; stable while states are inside.
  input logic goldilocks_i,
  input acclmt_pkg::word_t prime_i,
  input logic [NumSets*acclmt_pkg::EngineConfigWidth-1:0] configs_i,
  /// Number of the sub-engine in constant writes; constant.
  input acclmt_pkg::sub_engine_t number_i,
  /// Writes of constants, see acclmt_full_round_engine.
  input acclmt_pkg::constant_write_t constant_write_i,
  /// The coefficients of the next step are read.
  input logic read_i,
  input logic [MatrixAddressWidth-1:0] read_address_i,
  /// A step, and the beats of the turn memory that it takes.
  input logic step_valid_i,
  input acclmt_pkg::full_round_step_t step_i,
  input logic [acclmt_pkg::Lanes-1:0][acclmt_pkg::WordWidth-1:0] even_i,
  input logic [acclmt_pkg::Lanes-1:0][acclmt_pkg::WordWidth-1:0] odd_i,
  /// With the products of a step, `OperandLatency` + `MulLatency` cycles after it: the sum over the
  /// pairs of its state; no other step needs it.
  output logic pairs_take_o,
  input logic [acclmt_pkg::Slices-1:0][acclmt_pkg::ChunkWidth-1:0] pairs_i,
  /// Adders are in use, and read constants, which are there in the next cycle.
  input logic adders_i,
  input logic layer_read_i,
  input acclmt_pkg::index_t layer_address_i,
  output logic [acclmt_pkg::Lanes-1:0][acclmt_pkg::WordWidth-1:0] layer_constant_o,
  /// In the cycle before: the next pass of the state of a beat that leaves is read; whether it is
  /// made.
  output logic pass_read_o,
  output logic pass_made_o,
  output acclmt_pkg::pass_index_t pass_o,
  /// A beat after the round, the last one of its state; what the program says of it, and its tag.
  output logic valid_o,
  output logic beat_last_o,
  output acclmt_pkg::pass_label_t label_o,
  output acclmt_pkg::tag_t tag_o,
  output logic [acclmt_pkg::Lanes-1:0][acclmt_pkg::WordWidth-1:0] state_o
);

  localparam int unsigned Lanes = acclmt_pkg::Lanes;
  localparam int unsigned WordWidth = acclmt_pkg::WordWidth;
  localparam int unsigned Slices = acclmt_pkg::Slices;
  localparam int unsigned SliceWidth = acclmt_pkg::SliceWidth;
  localparam int unsigned ChunkWidth = acclmt_pkg::ChunkWidth;
  localparam int unsigned TagWidth = acclmt_pkg::TagWidth;
  localparam int unsigned LabelWidth = acclmt_pkg::PassLabelWidth;
  localparam int unsigned ConstantAddressWidth = $clog2(ConstantDepth);
  localparam int unsigned MatrixBanks = acclmt_pkg::FullMatrixBanks;
  localparam int unsigned OddBanks = MatrixBanks / 2;

  if (MatrixDepth < 32 || MatrixDepth > 256 || MatrixDepth != 2 ** MatrixAddressWidth)
  begin : gen_illegal_matrix_depth
    $error("acclmt_full_round_rows: MatrixDepth = %0d is no power of two within 32..256",
           MatrixDepth);
  end
  if (ConstantDepth < 16 || ConstantDepth > 256 || ConstantDepth != 2 ** ConstantAddressWidth)
  begin : gen_illegal_constant_depth
    $error("acclmt_full_round_rows: ConstantDepth = %0d is no power of two within 16..256",
           ConstantDepth);
  end

  // ---- Coefficients and constants ---------------------------------------------------------------

  logic write_constant;
  assign write_constant = constant_write_i.valid && constant_write_i.sub_engine == number_i;

  logic [MatrixBanks-1:0][WordWidth-1:0] coefficient;
  logic [MatrixBanks-1:0] matrix_fault;
  for (genvar bank = 0; bank < MatrixBanks; bank++) begin : gen_matrix_bank
    acclmt_memory #(
      .Width(WordWidth),
      .Depth(MatrixDepth),
      .MemoryParity(MemoryParity)
    ) u_bank (
      .clk_i,
      .rst_ni,
      .memory_config_i,
      .memory_fault_o(matrix_fault[bank]),
      .write_enable_i(write_constant &&
                      constant_write_i.bank == acclmt_pkg::BankWidth'(bank)),
      .write_address_i(constant_write_i.index[MatrixAddressWidth-1:0]),
      .write_data_i(constant_write_i.data),
      .read_enable_i(read_i),
      .read_address_i(read_address_i),
      .read_data_o(coefficient[bank])
    );
  end

  // ---- Control that accompanies a step ----------------------------------------------------------

  localparam int unsigned ToProduct =
      acclmt_latency_pkg::OperandLatency + acclmt_latency_pkg::MulLatency;
  localparam int unsigned ToDot =
      acclmt_latency_pkg::OperandLatency + acclmt_timing_pkg::dot_latency(int'(Reduction));
  localparam int unsigned ToEnd = ToDot + acclmt_latency_pkg::AddLatency;

  // With the products: a new row begins, with the sum over the pairs.
  logic product_first, product_pairs;
  logic to_product_fault;
  acclmt_delay #(
    .Width(2),
    .Cycles(ToProduct),
    .RegisterOutput(1'b1),
    .MemoryParity(MemoryParity)
  ) u_to_product (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .memory_fault_o(to_product_fault),
    .data_i({step_i.first, step_i.pairs}),
    .data_o({product_first, product_pairs})
  );

  logic unused_pairs_ahead;
  acclmt_valid_pipe #(
    .Cycles(ToProduct)
  ) u_pairs_to_product (
    .clk_i,
    .rst_ni,
    .clear_i,
    .valid_i(step_valid_i && step_i.pairs_end),
    .valid_o(pairs_take_o),
    .ahead_o(unused_pairs_ahead)
  );

  // With the residues: the constants, which are read the cycle before, and the beat that ends.
  logic beat_comes;
  acclmt_valid_pipe #(
    .Cycles(ToEnd),
    .Ahead(ToEnd - ToDot + 1)
  ) u_beat_to_end (
    .clk_i,
    .rst_ni,
    .clear_i,
    .valid_i(step_valid_i && step_i.row_ends),
    .valid_o,
    .ahead_o(beat_comes)
  );

  // A beat alone has no pairs, and so constants of its own: the vector behind that of its round.
  acclmt_pkg::engine_config_t of_step;
  acclmt_set_select #(
    .NumSets(NumSets)
  ) u_config (
    .values_i(configs_i),
    .set_i(step_i.tag[acclmt_pkg::TagSet+:acclmt_pkg::SetWidth]),
    .value_o(of_step)
  );
  logic unused_bits;
  assign unused_bits = ^of_step;
  logic [ConstantAddressWidth-1:0] step_constant, constant_at_read;
  logic adds_at_read, adds_q, beat_reads;
  assign step_constant =
      step_i.label.constants[ConstantAddressWidth-1:0] + ConstantAddressWidth'(step_i.row) +
      (step_i.digest ? ConstantAddressWidth'(of_step.beats) : '0);
  localparam int unsigned DenseAddressWidth = $clog2(acclmt_pkg::DenseDepth);
  logic adders;
  logic [DenseAddressWidth-1:0] step_dense, dense_at_read;
  assign adders = Adders && adders_i;
  assign step_dense = Adders ? {step_i.tag[acclmt_pkg::TagSet+:acclmt_pkg::SetWidth],
                                step_i.label.last, step_i.row[0]} : '0;
  logic to_constant_fault;
  acclmt_delay #(
    .Width(1 + DenseAddressWidth + ConstantAddressWidth),
    .Cycles(ToDot - 1),
    .MemoryParity(MemoryParity)
  ) u_to_constant (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .memory_fault_o(to_constant_fault),
    .data_i({step_i.label.add, step_dense, step_constant}),
    .data_o({adds_at_read, dense_at_read, constant_at_read})
  );
  assign beat_reads = beat_comes && adds_at_read;
  always_ff @(posedge clk_i) adds_q <= adds_at_read;

  logic [Lanes-1:0][WordWidth-1:0] constant, own_constant;
  logic [Lanes-1:0] constant_fault, dense_fault;
  for (genvar lane = 0; lane < Lanes; lane++) begin : gen_constant_bank
    acclmt_memory #(
      .Width(WordWidth),
      .Depth(ConstantDepth),
      .MemoryParity(MemoryParity)
    ) u_bank (
      .clk_i,
      .rst_ni,
      .memory_config_i,
      .memory_fault_o(constant_fault[lane]),
      .write_enable_i(write_constant &&
                      constant_write_i.bank == acclmt_pkg::BankWidth'(MatrixBanks + lane)),
      .write_address_i(constant_write_i.index[ConstantAddressWidth-1:0]),
      .write_data_i(constant_write_i.data),
      .read_enable_i(adders ? layer_read_i : beat_reads),
      .read_address_i(adders ? layer_address_i[ConstantAddressWidth-1:0] : constant_at_read),
      .read_data_o(constant[lane])
    );
    if (Adders) begin : gen_dense
      logic [WordWidth-1:0] dense_constant;
      logic dense_word_fault;
      acclmt_memory #(
        .Width(WordWidth),
        .Depth(acclmt_pkg::DenseDepth),
        .MemoryParity(MemoryParity)
      ) u_dense (
        .clk_i,
        .rst_ni,
        .memory_config_i,
        .memory_fault_o(dense_word_fault),
        .write_enable_i(write_constant &&
                        32'(constant_write_i.bank) == acclmt_pkg::DenseBank + lane),
        .write_address_i(constant_write_i.index[DenseAddressWidth-1:0]),
        .write_data_i(constant_write_i.data),
        .read_enable_i(beat_reads),
        .read_address_i(dense_at_read),
        .read_data_o(dense_constant)
      );
      assign own_constant[lane] = adders ? dense_constant : constant[lane];
      // Without adders a word is read all the same, so that a zeroisation leaves none: perhaps it
      // was never written.
      assign dense_fault[lane] = dense_word_fault && adders;
    end else begin : gen_no_dense
      assign own_constant[lane] = constant[lane];
      assign dense_fault[lane] = 1'b0;
    end
  end
  assign layer_constant_o = constant;
  logic unused_layer;
  assign unused_layer = ^{adders_i, layer_read_i, layer_address_i, dense_at_read, step_dense};

  // The cycle before, what the state does next is read, if it does not leave.
  logic [LabelWidth-1:0] label_at_read;
  logic [TagWidth-1:0] tag_at_read;
  logic last_at_read, beat_ends_q;
  if (ToEnd != ToDot + 1) begin : gen_illegal_latency
    $error("acclmt_full_round_rows: AddLatency = %0d is not 1", ToEnd - ToDot);
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) beat_ends_q <= 1'b0;
    else beat_ends_q <= beat_comes && !clear_i;
  end
  logic to_read_fault;
  acclmt_delay #(
    .Width(1 + LabelWidth + TagWidth),
    .Cycles(ToEnd - 1),
    .MemoryParity(MemoryParity)
  ) u_to_read (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .memory_fault_o(to_read_fault),
    .data_i({step_i.round_ends, step_i.label, step_i.tag}),
    .data_o({last_at_read, label_at_read, tag_at_read})
  );
  acclmt_pkg::pass_label_t of_read;
  assign of_read = label_at_read;
  assign pass_read_o = beat_ends_q;
  assign pass_made_o = !of_read.leaves;
  assign pass_o = of_read.next;
  always_ff @(posedge clk_i) begin
    beat_last_o <= last_at_read;
    label_o <= label_at_read;
    tag_o <= tag_at_read;
  end
  logic unused_label;
  assign unused_label = ^of_read;

  // ---- Operands ---------------------------------------------------------------------------------

  // In Goldilocks mode a step broadcasts two slices of each lane of a beat.
  logic [Lanes-1:0][WordWidth-1:0] x, y;
  for (genvar lane = 0; lane < Lanes; lane++) begin : gen_column
    logic [SliceWidth-1:0] even_slice, odd_slice;
    logic [WordWidth-1:0] of_beat;
    assign of_beat = step_i.of_odd_beat ? odd_i[lane] : even_i[lane];
    assign even_slice = acclmt_pkg::slice_of(of_beat, {step_i.upper, 1'b0});
    assign odd_slice = acclmt_pkg::slice_of(of_beat, {step_i.upper, 1'b1});
    always_comb begin
      x[lane] = step_i.even ? even_i[lane] : '0;
      y[lane] = step_i.odd ? odd_i[lane] : '0;
      if (Goldilocks && goldilocks_i) begin
        x[lane] = {Slices{even_slice}};
        y[lane] = {Slices{odd_slice}};
      end
    end
  end

  // A beat alone has no use for the coefficients of the other one.
  logic [MatrixBanks-1:0][WordWidth-1:0] enabled;
  always_comb begin
    for (int bank = 0; bank < int'(MatrixBanks); bank++) begin
      enabled[bank] =
          ((bank < int'(OddBanks)) ? step_i.even : step_i.odd) ? coefficient[bank] : '0;
    end
  end

  // ---- Rows -------------------------------------------------------------------------------------

  logic [Slices-1:0][ChunkWidth-1:0] initial_sum;
  assign initial_sum = product_pairs ? pairs_i : '0;

  for (genvar row = 0; row < Lanes; row++) begin : gen_row
    logic [WordWidth-1:0] residue;
    acclmt_pair_row #(
      .Prime(Prime),
      .Goldilocks(Goldilocks),
      .Reduction(Reduction)
    ) u_row (
      .clk_i,
      .goldilocks_i,
      .prime_i,
      .a_i(enabled[Lanes*row+:Lanes]),
      .x_i(y),
      .b_i(enabled[OddBanks+Lanes*row+:Lanes]),
      .y_i(x),
      .first_i(product_first),
      .initial_i(initial_sum),
      .result_o(residue)
    );
    acclmt_mod_add #(
      .Prime(Prime),
      .Goldilocks(Goldilocks),
      .Reduction(Reduction)
    ) u_add_constant (
      .clk_i,
      .goldilocks_i,
      .prime_i,
      .a_i(residue),
      .b_i(adds_q ? own_constant[row] : '0),
      .sum_o(state_o[row])
    );
  end

  assign memory_fault_o = matrix_fault != '0 || constant_fault != '0 || dense_fault != '0 ||
                          to_product_fault || to_constant_fault || to_read_fault;

`ifndef SYNTHESIS
  known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !$isunknown({write_constant, read_i, step_valid_i, valid_o}))
  else $error("acclmt_full_round_rows: a write, a step or an end is unknown");
  beat_alone_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      step_valid_i && !(step_i.even && step_i.odd));
  pairs_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      step_valid_i && step_i.first && step_i.pairs);
`endif

endmodule

// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Matrix rows of a full-round sub-engine: its matrix and constant memories, nine multipliers, and
/// the sums, reductions and additions behind them.
///
/// Nine multipliers take a 3 x 3 chunk of the matrix in a step; in Goldilocks mode a step takes one
/// slice of each lane, broadcast, times a packed column, so that four slices of a row chunk grow in
/// four steps. The steps of a row chunk are added before they are reduced.
///
/// A sparse partial round of more than one beat has one step a beat, in which the nine multipliers
/// are shared out like this (x: element 0 after the S-box, y: the beat):
///
///     row 0   w0*y0 + w1*y1 + w2*y2  -> the dot product, over all beats -> new element 0
///     row 1   v1*x  + 1*y1           -> element 1 of the beat;  v0*x  -+
///     row 2   v2*x  + 1*y2           -> element 2 of the beat;  1*y0  -+-> element 0 of the beat
///
/// Row 0's reduction takes element 0 of the second and later beats, and the dot product in the
/// cycle after the last beat, in which no first beat needs it: `dot_o`.
///
/// Handshake:  none. The coefficients of a step are read the cycle before it. A beat leaves after
///             the steps of its row chunk, in a sparse round after each step.
/// Latency:    `acclmt_timing_pkg::dot_latency` + 1 cycles from the last step of a row chunk.
/// Throughput: one step a cycle.
module acclmt_full_round_rows #(
  /// The modulus, whether Goldilocks mode exists, and the kind of reduction.
  parameter acclmt_pkg::word_t Prime = acclmt_pkg::PrimeBls12381,
  parameter bit Goldilocks = 1'b1,
  parameter int unsigned Reduction = acclmt_pkg::ReductionConstant,
  /// Steps (3 x 3 chunks of matrices) and beats of constant vectors that fit, powers of two.
  parameter int unsigned MatrixDepth = 128,
  parameter int unsigned ConstantDepth = 256,
  /// Bits of the address of a step (derived).
  localparam int unsigned MatrixAddressWidth = $clog2(MatrixDepth)
) (
  /// Clock and reset.
  input logic clk_i,
  input logic rst_ni,
  /// Configuration of the memories below, see acclmt_memory_pkg; quasi-static.
  input acclmt_memory_pkg::memory_config_t memory_config_i,
  /// Forgets every state.
  input logic clear_i,
  /// Goldilocks mode, run-time modulus and beats of a state; stable while states are inside.
  input logic goldilocks_i,
  input acclmt_pkg::word_t prime_i,
  input acclmt_pkg::beat_t beats_i,
  /// Number of the sub-engine in constant writes; constant.
  input acclmt_pkg::sub_engine_t number_i,
  /// Writes of constants, see acclmt_full_round_engine.
  input acclmt_pkg::constant_write_t constant_write_i,
  /// The coefficients of the next step are read.
  input logic read_i,
  input logic [MatrixAddressWidth-1:0] read_address_i,
  /// A step, and the beat of the turn memory that it takes.
  input logic step_valid_i,
  input acclmt_pkg::full_round_step_t step_i,
  input logic [acclmt_pkg::Lanes-1:0][acclmt_pkg::WordWidth-1:0] state_i,
  /// A beat after the round, the last one of its state; its element 0 comes later, as a dot
  /// product; visit, number of the round and tag.
  output logic valid_o,
  output logic beat_last_o,
  output logic waits_o,
  output logic last_o,
  output acclmt_pkg::round_t round_o,
  output acclmt_pkg::tag_t tag_o,
  output logic [acclmt_pkg::Lanes-1:0][acclmt_pkg::WordWidth-1:0] state_o,
  /// Lane 0 of `state_o` is the new element 0 of a state whose beats have left.
  output logic dot_o
);

  localparam int unsigned Lanes = acclmt_pkg::Lanes;
  localparam int unsigned WordWidth = acclmt_pkg::WordWidth;
  localparam int unsigned ProductWidth = acclmt_pkg::ProductWidth;
  localparam int unsigned Slices = acclmt_pkg::Slices;
  localparam int unsigned SliceWidth = acclmt_pkg::SliceWidth;
  localparam int unsigned ChunkWidth = acclmt_pkg::ChunkWidth;
  localparam int unsigned TagWidth = acclmt_pkg::TagWidth;
  localparam int unsigned RoundWidth = acclmt_pkg::RoundWidth;
  localparam int unsigned BeatWidth = acclmt_pkg::BeatWidth;
  localparam int unsigned ConstantAddressWidth = $clog2(ConstantDepth);
  localparam int unsigned MatrixBanks = acclmt_pkg::FullMatrixBanks;

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
  for (genvar bank = 0; bank < MatrixBanks; bank++) begin : gen_matrix_bank
    acclmt_mem_1r1w #(
      .Width(WordWidth),
      .Depth(MatrixDepth)
    ) u_bank (
      .clk_i,
      .memory_config_i,
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

  localparam int unsigned ToProduct = acclmt_latency_pkg::MulLatency;
  localparam int unsigned ToSum = ToProduct + acclmt_latency_pkg::AccumulateLatency;
  localparam int unsigned ToDot = acclmt_timing_pkg::dot_latency(int'(Reduction));
  localparam int unsigned ToEnd = ToDot + acclmt_latency_pkg::AddLatency;

  // With the products: which of them are added up.
  logic product_sparse, product_first;
  acclmt_delay #(
    .Width(2),
    .Cycles(ToProduct),
    .RegisterOutput(1'b1)
  ) u_to_product (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .data_i({step_i.sparse, step_i.first}),
    .data_o({product_sparse, product_first})
  );

  // With the sums: a beat leaves after the steps of its row chunk; in a sparse round after each
  // step, and the dot product a cycle after the last one.
  logic step_beat, step_beat_last, beat_at_sum, unused_ahead, sum_sparse, sum_dot, dot_at_sum;
  logic [BeatWidth-1:0] step_beat_number;
  assign step_beat = step_valid_i && (step_i.sparse || step_i.row_ends);
  assign step_beat_last = step_i.round_ends;
  assign step_beat_number = step_i.sparse ? step_i.number : step_i.row;
  acclmt_valid_pipe #(
    .Cycles(ToSum)
  ) u_beat_to_sum (
    .clk_i,
    .rst_ni,
    .clear_i,
    .valid_i(step_beat),
    .valid_o(beat_at_sum),
    .ahead_o(unused_ahead)
  );
  acclmt_delay #(
    .Width(2),
    .Cycles(ToSum),
    .RegisterOutput(1'b1)
  ) u_to_sum (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .data_i({step_i.sparse, step_valid_i && step_i.sparse && step_i.round_ends}),
    .data_o({sum_sparse, sum_dot})
  );
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) dot_at_sum <= 1'b0;
    else if (clear_i) dot_at_sum <= 1'b0;
    else dot_at_sum <= sum_dot && beat_at_sum;
  end

  // With the residues: the constants, which are read the cycle before, and the beat that ends.
  logic beat_reads, dot_reads;
  acclmt_valid_pipe #(
    .Cycles(ToEnd - ToSum),
    .Ahead(ToEnd - ToDot + 1)
  ) u_beat_to_end (
    .clk_i,
    .rst_ni,
    .clear_i,
    .valid_i(beat_at_sum),
    .valid_o(valid_o),
    .ahead_o(beat_reads)
  );
  acclmt_valid_pipe #(
    .Cycles(ToEnd - ToSum),
    .Ahead(ToEnd - ToDot + 1)
  ) u_dot_to_end (
    .clk_i,
    .rst_ni,
    .clear_i,
    .valid_i(dot_at_sum),
    .valid_o(dot_o),
    .ahead_o(dot_reads)
  );

  logic [ConstantAddressWidth-1:0] step_constant, constant_at_read, dot_constant_q;
  assign step_constant = ConstantAddressWidth'(step_i.round) * ConstantAddressWidth'(beats_i) +
                         ConstantAddressWidth'(step_beat_number);
  acclmt_delay #(
    .Width(ConstantAddressWidth),
    .Cycles(ToDot - 1)
  ) u_to_constant (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .data_i(step_constant),
    .data_o(constant_at_read)
  );
  // The dot product is a cycle behind the last step, and its constant is that of the first beat.
  always_ff @(posedge clk_i) begin
    dot_constant_q <= constant_at_read + 1'b1 - ConstantAddressWidth'(beats_i);
  end

  logic [Lanes-1:0][WordWidth-1:0] constant;
  for (genvar lane = 0; lane < Lanes; lane++) begin : gen_constant_bank
    acclmt_mem_1r1w #(
      .Width(WordWidth),
      .Depth(ConstantDepth)
    ) u_bank (
      .clk_i,
      .memory_config_i,
      .write_enable_i(write_constant &&
                      constant_write_i.bank == acclmt_pkg::BankWidth'(MatrixBanks + lane)),
      .write_address_i(constant_write_i.index[ConstantAddressWidth-1:0]),
      .write_data_i(constant_write_i.data),
      .read_enable_i(beat_reads || (lane == 0 && dot_reads)),
      .read_address_i((lane == 0 && dot_reads) ? dot_constant_q : constant_at_read),
      .read_data_o(constant[lane])
    );
  end

  acclmt_delay #(
    .Width(3 + RoundWidth + TagWidth),
    .Cycles(ToEnd)
  ) u_to_end (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .data_i({step_i.last, step_beat_last, step_i.sparse && step_i.first, step_i.round, step_i.tag}),
    .data_o({last_o, beat_last_o, waits_o, round_o, tag_o})
  );

  // ---- Operands ---------------------------------------------------------------------------------

  // In Goldilocks mode a step broadcasts one slice of each lane (zero in the other mode).
  logic [Lanes-1:0][WordWidth-1:0] broadcast, column;
  for (genvar lane = 0; lane < Lanes; lane++) begin : gen_column
    logic [SliceWidth-1:0] slice;
    always_comb begin
      slice = '0;
      for (int s = 0; s < int'(Slices); s++) begin
        slice |= state_i[lane][int'(SliceWidth)*s+:SliceWidth] & {SliceWidth{step_i.slice[s]}};
      end
    end
    assign broadcast[lane] = {Slices{slice}};
    assign column[lane] = broadcast[lane] | (state_i[lane] & {WordWidth{step_i.whole}});
  end

  // Element 0 after its S-box, kept for the later steps of a sparse round (which has no slices).
  logic [WordWidth-1:0] x_q;
  always_ff @(posedge clk_i) begin
    if (step_i.first) x_q <= state_i[0];
  end

  logic [Lanes-1:0][Lanes-1:0][WordWidth-1:0] operand;
  always_comb begin
    operand[0] = column;
    operand[1] = column;
    operand[2] = column;
    if (step_i.later) begin
      operand[1][0] = x_q;
      operand[2][0] = x_q;
    end
    operand[1][2] = broadcast[2] | (state_i[2] & {WordWidth{step_i.dense}}) |
        (state_i[0] & {WordWidth{step_i.sparse_first}}) | (x_q & {WordWidth{step_i.later}});
    operand[2][1] = broadcast[1] | (state_i[1] & {WordWidth{step_i.dense}}) |
        (state_i[0] & {WordWidth{step_i.sparse}});
  end

  // ---- Rows -------------------------------------------------------------------------------------

  logic [Lanes-1:0][Lanes-1:0][ProductWidth-1:0] product;
  logic [Lanes-1:0][Slices-1:0][ChunkWidth-1:0] sum;
  logic [Slices-1:0][ChunkWidth-1:0] element_sum, dot_sum_q, other_sum;
  logic [Lanes-1:0][WordWidth-1:0] residue;

  for (genvar row = 0; row < Lanes; row++) begin : gen_row
    // Row 1 gives its product 2, and row 2 its product 1, to element 0 of the beat.
    localparam logic [Lanes-1:0] SparseEnable =
        (row == 0) ? '1 : ~(Lanes'(1) << (Lanes - row));
    acclmt_dot_product #(
      .Prime(Prime),
      .Goldilocks(Goldilocks),
      .Reduction(Reduction)
    ) u_dot_product (
      .clk_i,
      .goldilocks_i,
      .prime_i,
      .element_i(operand[row]),
      .coefficient_i(coefficient[Lanes*row+:Lanes]),
      .first_i(product_first || (product_sparse && row != 0)),
      .enable_i(product_sparse ? SparseEnable : '1),
      .product_o(product[row]),
      .sum_o(sum[row]),
      .take_other_i(row == 0 && (sum_sparse || dot_at_sum)),
      .other_i(other_sum),
      .result_o(residue[row])
    );
    acclmt_mod_add #(
      .Prime(Prime),
      .Goldilocks(Goldilocks),
      .Reduction(Reduction)
    ) u_add_constant (
      .clk_i,
      .goldilocks_i,
      .prime_i,
      .a_i(residue[row]),
      .b_i(constant[row]),
      .sum_o(state_o[row])
    );
  end

  acclmt_accumulate #(
    .Goldilocks(Goldilocks)
  ) u_element_sum (
    .clk_i,
    .goldilocks_i,
    .first_i(1'b1),
    .enable_i(~(Lanes'(1) << (Lanes - 1))),
    .product_i({product[0][0], product[2][1], product[1][2]}),
    .sum_o(element_sum)
  );
  always_ff @(posedge clk_i) dot_sum_q <= sum[0];
  assign other_sum = dot_at_sum ? dot_sum_q : element_sum;

  logic unused_bits;
  assign unused_bits = ^{sum, product[0][2:1], product[1][1:0], product[2][2], product[2][0]};

`ifndef SYNTHESIS
  one_reduction_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      dot_at_sum && beat_at_sum && !clear_i |-> sum_sparse)
  else $error("acclmt_full_round_rows: a dot product and a row need one reduction");
  known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !$isunknown({write_constant, read_i, step_valid_i, valid_o, dot_o}))
  else $error("acclmt_full_round_rows: a write, a step or an end is unknown");
  dot_meets_sparse_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      dot_at_sum && beat_at_sum);
  dot_alone_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      dot_at_sum && !beat_at_sum);
  beat_meets_dot_c : cover property (@(posedge clk_i) disable iff (!rst_ni) valid_o && dot_o);
`endif

endmodule

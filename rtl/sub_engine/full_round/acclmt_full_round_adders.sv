// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Adders of a full-round sub-engine: a matrix of small integers times a Goldilocks state of one
/// beat, without multipliers.
///
/// An entry of the matrix is four signed digits of weights 1, 4, 16 and 64, each of them -2 to 2,
/// which are loaded. A digit selects x or 2x, or the complement of that among 66 bits: -d x less by
/// one, and more by 2^66. What the complements add to a row does not depend on the state, and the
/// host takes it off the constants:
///
///     row = sum of (digits of the entry) * x + (2^66 - 1) * (weights of the negative digits)
///
/// A row stays below 2^76 and is reduced by 2^64 = 2^32 - 1 modulo p, once, and one subtraction.
///
/// Handshake:  none; a state leaves `Latency` cycles after it enters, in order. What the state does
///             next, and the constants, are read through ports.
/// Latency:    `acclmt_latency_pkg::AddersLatency`. Throughput: one state a cycle.
module acclmt_full_round_adders #(
  /// The modulus of the other mode, and the kind of its reduction.
  parameter acclmt_pkg::word_t Prime = acclmt_pkg::PrimeBls12381,
  parameter int unsigned Reduction = acclmt_pkg::ReductionConstant
) (
  /// Clock and reset.
  input logic clk_i,
  input logic rst_ni,
  /// Configuration of the memories below, see acclmt_memory_pkg; quasi-static.
  input acclmt_memory_pkg::memory_config_t memory_config_i,
  /// Forgets every state.
  input logic clear_i,
  /// Number of the sub-engine in constant writes; constant.
  input acclmt_pkg::sub_engine_t number_i,
  /// Writes of constants: bank `acclmt_pkg::AdderBank` at the index of a row, its entries from the
  /// low bits on, each a digit after another: x, 2x, negative.
  input acclmt_pkg::constant_write_t constant_write_i,
  /// No matrix is loaded any more.
  input logic erase_i,
  /// All rows are loaded, and their digits are legal.
  output logic loaded_o,
  /// A state, what the program says of it, and its tag.
  input logic valid_i,
  input logic [acclmt_pkg::Lanes-1:0][acclmt_pkg::WordWidth-1:0] state_i,
  input acclmt_pkg::pass_label_t label_i,
  input acclmt_pkg::tag_t tag_i,
  /// The constants of a state are read; they are there in the next cycle.
  output logic constant_read_o,
  output acclmt_pkg::index_t constant_address_o,
  input logic [acclmt_pkg::Lanes-1:0][acclmt_pkg::WordWidth-1:0] constant_i,
  /// The next pass of a state is read, in the cycle before it leaves.
  output logic pass_read_o,
  output acclmt_pkg::pass_index_t pass_o,
  /// The state after the pass, with what is known of it.
  output logic valid_o,
  output acclmt_pkg::pass_label_t label_o,
  output acclmt_pkg::tag_t tag_o,
  output logic [acclmt_pkg::Lanes-1:0][acclmt_pkg::WordWidth-1:0] state_o
);

  localparam int unsigned Lanes = acclmt_pkg::Lanes;
  localparam int unsigned WordWidth = acclmt_pkg::WordWidth;
  localparam int unsigned Slices = acclmt_pkg::Slices;
  localparam int unsigned SliceWidth = acclmt_pkg::SliceWidth;
  localparam int unsigned TagWidth = acclmt_pkg::TagWidth;
  localparam int unsigned LabelWidth = acclmt_pkg::PassLabelWidth;
  localparam int unsigned Width = acclmt_pkg::AdderWidth;
  localparam int unsigned Digits = acclmt_pkg::AdderDigits;
  localparam int unsigned DigitWidth = acclmt_pkg::AdderDigitWidth;
  localparam int unsigned RowWidth = Width * Digits * DigitWidth;
  localparam int unsigned IndexWidth = acclmt_pkg::IndexWidth;
  localparam int unsigned RowIndexWidth = $clog2(Width);
  localparam int unsigned Latency = acclmt_latency_pkg::AddersLatency;

  // Bits of x or 2x with its complement; of half a row, and of a row.
  localparam int unsigned TermWidth = SliceWidth + 2;
  localparam int unsigned HalfWidth = TermWidth + 9;
  localparam int unsigned SumWidth = HalfWidth + 1;
  localparam int unsigned HighWidth = SumWidth - SliceWidth;

  if (Latency != 6) begin : gen_illegal_latency
    $error("acclmt_full_round_adders: AddersLatency = %0d is not 6", Latency);
  end

  // ---- The matrix -------------------------------------------------------------------------------

  logic write, legal;
  logic [Width-1:0] loaded_q;
  logic [RowWidth-1:0] row_data;
  assign write = constant_write_i.valid && constant_write_i.sub_engine == number_i &&
                 32'(constant_write_i.bank) == acclmt_pkg::AdderBank;
  assign row_data = constant_write_i.data[RowWidth-1:0];
  // No digit is both x and 2x.
  always_comb begin
    legal = constant_write_i.data[WordWidth-1:RowWidth] == '0;
    for (int d = 0; d < int'(Width * Digits); d++) begin
      if (row_data[int'(DigitWidth)*d+:2] == 2'b11) legal = 1'b0;
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) loaded_q <= '0;
    else if (erase_i) loaded_q <= '0;
    else if (write && 32'(constant_write_i.index) < Width) begin
      loaded_q[constant_write_i.index[RowIndexWidth-1:0]] <= legal;
    end
  end
  assign loaded_o = &loaded_q;

  // ---- Rows -------------------------------------------------------------------------------------

  // Element e is in lane e mod 3, slice e div 3.
  logic [Lanes-1:0][WordWidth-1:0] x_q;
  always_ff @(posedge clk_i) x_q <= state_i;

  logic [Lanes-1:0][WordWidth-1:0] residue;
  for (genvar row = 0; row < Width; row++) begin : gen_row
    localparam int unsigned RowLane = row % Lanes;
    localparam int unsigned RowSlice = row / Lanes;
    logic [RowWidth-1:0] entries_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) entries_q <= '0;
      else if (write && constant_write_i.index == IndexWidth'(row)) entries_q <= row_data;
    end

    // Two halves of a row, of so many columns each.
    localparam int unsigned Columns = Width / 2;
    logic [2*HalfWidth-1:0] half_q;
    for (genvar half = 0; half < 2; half++) begin : gen_half
      logic [Columns*Digits*TermWidth-1:0] terms;
      for (genvar column = 0; column < Columns; column++) begin : gen_column
        localparam int unsigned Element = Columns * half + column;
        logic [SliceWidth-1:0] x;
        assign x = x_q[Element%Lanes][SliceWidth*(Element/Lanes)+:SliceWidth];
        for (genvar d = 0; d < Digits; d++) begin : gen_digit
          logic once, twice, negative;
          logic [TermWidth-1:0] multiple;
          assign {negative, twice, once} =
              entries_q[DigitWidth*(Digits*Element+d)+:DigitWidth];
          assign multiple = (once ? TermWidth'(x) : '0) | (twice ? {1'b0, x, 1'b0} : '0);
          assign terms[TermWidth*(Digits*column+d)+:TermWidth] =
              multiple ^ {TermWidth{negative}};
        end
      end
      logic [HalfWidth-1:0] sum;
      always_comb begin
        sum = '0;
        for (int unsigned column = 0; column < Columns; column++) begin
          for (int unsigned d = 0; d < Digits; d++) begin
            sum = sum + (HalfWidth'(terms[TermWidth*(Digits*column+d)+:TermWidth]) << (2 * d));
          end
        end
      end
      always_ff @(posedge clk_i) half_q[HalfWidth*half+:HalfWidth] <= sum;
    end

    // The whole row, and its residue: the bits above 64 are times 2^32 - 1.
    logic [SumWidth-1:0] total_q;
    logic [HighWidth-1:0] high;
    logic [SliceWidth:0] folded_q, reduced;
    logic [SliceWidth-1:0] residue_q;
    assign high = total_q[SumWidth-1:SliceWidth];
    always_ff @(posedge clk_i) begin
      total_q <= SumWidth'(half_q[HalfWidth-1:0]) + SumWidth'(half_q[2*HalfWidth-1:HalfWidth]);
      folded_q <= (SliceWidth + 1)'(total_q[SliceWidth-1:0]) +
                  {{(SliceWidth + 1 - 32 - HighWidth) {1'b0}}, high, 32'b0} -
                  (SliceWidth + 1)'(high);
      residue_q <= reduced[SliceWidth] ? folded_q[SliceWidth-1:0] : reduced[SliceWidth-1:0];
    end
    // Less p; bit 64 says that it is negative.
    logic [SliceWidth+1:0] less;
    assign less = {1'b0, folded_q} - (SliceWidth + 2)'(acclmt_pkg::GoldilocksPrime);
    assign reduced = {less[SliceWidth+1], less[SliceWidth-1:0]};
    logic unused_less;
    assign unused_less = less[SliceWidth];
    assign residue[RowLane][SliceWidth*RowSlice+:SliceWidth] = residue_q;
  end

  // ---- Constants --------------------------------------------------------------------------------

  logic adds_q;
  for (genvar lane = 0; lane < Lanes; lane++) begin : gen_lane
    acclmt_mod_add #(
      .Prime(Prime),
      .Goldilocks(1'b1),
      .Reduction(Reduction)
    ) u_add_constant (
      .clk_i,
      .goldilocks_i(1'b1),
      .prime_i('0),
      .a_i(residue[lane]),
      .b_i(adds_q ? constant_i[lane] : '0),
      .sum_o(state_o[lane])
    );
  end
  if (Slices * Lanes != Width) begin : gen_illegal_width
    $error("acclmt_full_round_adders: AdderWidth = %0d is not a beat", Width);
  end

  // ---- Control that accompanies a state ---------------------------------------------------------

  // Two cycles before it leaves its constants are read, one cycle before its next pass is.
  logic [LabelWidth-1:0] label_at_constant;
  logic [TagWidth-1:0] tag_at_constant;
  acclmt_pkg::pass_label_t of_constant, label_q;
  acclmt_pkg::tag_t tag_q;
  acclmt_valid_pipe #(
    .Cycles(Latency),
    .Ahead(2)
  ) u_valid (
    .clk_i,
    .rst_ni,
    .clear_i,
    .valid_i,
    .valid_o,
    .ahead_o(constant_read_o)
  );
  acclmt_delay #(
    .Width(LabelWidth + TagWidth),
    .Cycles(Latency - 2)
  ) u_label (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .data_i({label_i, tag_i}),
    .data_o({label_at_constant, tag_at_constant})
  );
  assign of_constant = label_at_constant;
  assign constant_address_o = of_constant.constants;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) pass_read_o <= 1'b0;
    else pass_read_o <= constant_read_o && !clear_i;
  end
  always_ff @(posedge clk_i) begin
    label_q <= label_at_constant;
    tag_q <= tag_at_constant;
    label_o <= label_q;
    tag_o <= tag_q;
  end
  assign adds_q = label_q.add;
  assign pass_o = label_q.next;

  logic unused_bits;
  assign unused_bits = ^{of_constant, constant_write_i};

`ifndef SYNTHESIS
  logic valid_q;
  always_ff @(posedge clk_i) valid_q <= valid_i;
  loaded_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      valid_i && !clear_i |-> loaded_o)
  else $error("acclmt_full_round_adders: a state comes and no matrix is loaded");
  known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !$isunknown({valid_i, write, valid_o, loaded_o}))
  else $error("acclmt_full_round_adders: a state, a write or an end is unknown");
  back_to_back_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      valid_i && valid_q);
  illegal_c : cover property (@(posedge clk_i) disable iff (!rst_ni) write && !legal);
`endif

endmodule

// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Adders of a full-round sub-engine: a matrix of small integers times a Goldilocks state of one
/// beat, or of up to sixteen elements in two, without multipliers.
///
/// An entry of the matrix is four signed digits of weights 1, 4, 16 and 64, each of them -2 to 2,
/// which are loaded. A digit selects x or 2x, or the complement of that among 66 bits: -d x less by
/// one, and more by 2^66. What the complements add to a row does not depend on the state, and the
/// host takes it off the constants:
///
///     row = sum of (digits of the entry) * x + (2^66 - 1) * (weights of the negative digits)
///
/// A row stays below 2^77 and is reduced by 2^64 = 2^32 - 1 modulo p, once, and one subtraction.
///
/// Twelve units have the digits of twelve entries each, in two halves. With the first beat unit r
/// makes row r of twelve elements. With the second one, elements 12 to 15, it has other digits: its
/// first half goes on with row r, and the second halves of three units make one of the last four
/// rows, from elements of both beats:
///
///                    first beat                   second beat
///     first half     row r, elements 0 to 5       row r, elements 12 to 15
///     second half    row r, elements 6 to 11      row 12 + r div 3, elements 6 (r mod 3) + 0 to 5
///
/// Handshake:  none; a state leaves `Latency` cycles after it enters, one of two beats one cycle
///             later, in order. What the state does next, and the constants, are read through
///             ports.
/// Latency:    `acclmt_latency_pkg::AddersLatency`. Throughput: one beat a cycle.
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
  /// Writes of constants: bank `acclmt_pkg::AdderBank` at the index of a unit, for the second beat
  /// `acclmt_pkg::AdderWidth` behind it, its entries from the low bits on, each a digit after
  /// another: x, 2x, negative.
  input acclmt_pkg::constant_write_t constant_write_i,
  /// No matrix is loaded any more.
  input logic erase_i,
  /// All rows are loaded, and their digits are legal: those of states of one beat, of two.
  output logic [1:0] loaded_o,
  /// States have two beats; stable while states are inside.
  input logic two_beats_i,
  /// A beat, the second one of its state; what the program says of the state, and its tag.
  input logic valid_i,
  input logic second_i,
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
  /// A beat of the state after the pass, the last one; what is known of the state.
  output logic valid_o,
  output logic last_o,
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
  localparam int unsigned Words = acclmt_pkg::AdderWords;
  localparam int unsigned Digits = acclmt_pkg::AdderDigits;
  localparam int unsigned DigitWidth = acclmt_pkg::AdderDigitWidth;
  localparam int unsigned EntryWidth = Digits * DigitWidth;
  localparam int unsigned RowWidth = Width * EntryWidth;
  localparam int unsigned IndexWidth = acclmt_pkg::IndexWidth;
  localparam int unsigned WordIndexWidth = $clog2(Words);
  localparam int unsigned Latency = acclmt_latency_pkg::AddersLatency;

  // Entries of half a unit; elements, and so rows, of a second beat; units that make one of those.
  localparam int unsigned Columns = Width / 2;
  localparam int unsigned More = acclmt_pkg::AdderMostElements - Width;
  localparam int unsigned Helpers = Width / More;
  // Bits of x or 2x with its complement; of the sum of half a unit, and of a row.
  localparam int unsigned TermWidth = SliceWidth + 2;
  localparam int unsigned HalfWidth = TermWidth + 9;
  localparam int unsigned SumWidth = HalfWidth + 2;
  localparam int unsigned HighWidth = SumWidth - SliceWidth;

  if (Latency != 6) begin : gen_illegal_latency
    $error("acclmt_full_round_adders: AddersLatency = %0d is not 6", Latency);
  end
  if (Slices * Lanes != Width || More > Columns || Helpers * Columns < Width + More ||
      2 * Columns != Width) begin : gen_illegal_width
    $error("acclmt_full_round_adders: states of %0d elements, and of %0d, are not possible", Width,
           acclmt_pkg::AdderMostElements);
  end

  // ---- The matrix -------------------------------------------------------------------------------

  // The word of a unit, and behind those the second ones.
  logic write, legal;
  logic [Words-1:0] loaded_q;
  logic [RowWidth-1:0] row_data;
  assign write = constant_write_i.valid && constant_write_i.sub_engine == number_i &&
                 32'(constant_write_i.bank) == acclmt_pkg::AdderBank;
  assign row_data = constant_write_i.data[RowWidth-1:0];
  // No digit is both x and 2x, and none is where a second word has no element.
  always_comb begin
    legal = constant_write_i.data[WordWidth-1:RowWidth] == '0;
    for (int d = 0; d < int'(Width * Digits); d++) begin
      if (row_data[int'(DigitWidth)*d+:2] == 2'b11) legal = 1'b0;
    end
    for (int unsigned unit = 0; unit < Width; unit++) begin
      if (constant_write_i.index == IndexWidth'(Width + unit)) begin
        for (int unsigned i = 0; i < Columns; i++) begin
          if (i >= More && row_data[EntryWidth*i+:EntryWidth] != '0) legal = 1'b0;
          if (Columns * (unit % Helpers) + i >= Width + More &&
              row_data[EntryWidth*(Columns+i)+:EntryWidth] != '0) begin
            legal = 1'b0;
          end
        end
      end
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) loaded_q <= '0;
    else if (erase_i) loaded_q <= '0;
    else if (write && 32'(constant_write_i.index) < Words) begin
      loaded_q[constant_write_i.index[WordIndexWidth-1:0]] <= legal;
    end
  end
  assign loaded_o = {&loaded_q, &loaded_q[Width-1:0]};

  // ---- Sums -------------------------------------------------------------------------------------

  // Element e of a beat is in lane e mod 3, slice e div 3. The beat; whether it is a second one,
  // as it comes, here, in the halves, as its row is complete, and as the other rows are.
  logic [Lanes-1:0][WordWidth-1:0] x_q;
  logic second, second_q, of_halves_q, of_rows_q, of_others_q;
  assign second = two_beats_i && second_i;
  always_ff @(posedge clk_i) begin
    x_q <= state_i;
    second_q <= second;
    of_halves_q <= second_q;
    of_rows_q <= of_halves_q;
    of_others_q <= of_rows_q;
  end

  // What a second half takes, by the unit modulo `Helpers`: elements 6 to 11, and with a second
  // beat those of its row. As that of the digits, the choice is made before the registers: behind
  // them it would have thousands of loads on the longest path.
  logic [Helpers*Columns*SliceWidth-1:0] operands_q;
  for (genvar helper = 0; helper < Helpers; helper++) begin : gen_helper
    for (genvar column = 0; column < Columns; column++) begin : gen_operand
      localparam int unsigned Own = Columns + column;
      localparam int unsigned Other = Columns * helper + column;
      logic [SliceWidth-1:0] own, other;
      assign own = state_i[Own%Lanes][SliceWidth*(Own/Lanes)+:SliceWidth];
      if (Other < Width) begin : gen_before
        assign other = x_q[Other%Lanes][SliceWidth*(Other/Lanes)+:SliceWidth];
      end else if (Other < Width + More) begin : gen_second
        localparam int unsigned Place = Other - Width;
        assign other = state_i[Place%Lanes][SliceWidth*(Place/Lanes)+:SliceWidth];
      end else begin : gen_none
        // Its digits are zero.
        assign other = own;
      end
      always_ff @(posedge clk_i) begin
        operands_q[SliceWidth*(Columns*helper+column)+:SliceWidth] <= second ? other : own;
      end
    end
  end

  // Sums of the second halves, a unit after the other.
  logic [Width*HalfWidth-1:0] seconds;
  // Rows behind those of the units.
  logic [More*SumWidth-1:0] others_q;
  for (genvar row = 0; row < More; row++) begin : gen_other
    logic [SumWidth-1:0] sum;
    always_comb begin
      sum = '0;
      for (int unsigned i = 0; i < Helpers; i++) begin
        sum = sum + SumWidth'(seconds[HalfWidth*(Helpers*row+i)+:HalfWidth]);
      end
    end
    always_ff @(posedge clk_i) begin
      // Without second beats, what goes through leaves nothing of them.
      if (of_halves_q || !two_beats_i) others_q[SumWidth*row+:SumWidth] <= sum;
    end
  end

  logic [Lanes-1:0][WordWidth-1:0] residue;
  for (genvar unit = 0; unit < Width; unit++) begin : gen_unit
    localparam int unsigned UnitLane = unit % Lanes;
    localparam int unsigned UnitSlice = unit / Lanes;
    // Elements of its second half with the second beat.
    localparam int unsigned First = Columns * (unit % Helpers);
    localparam int unsigned Reached = (First + Columns < Width + More) ? Columns
                                                                       : Width + More - First;
    localparam int unsigned SecondWidth = EntryWidth * (More + Reached);
    logic [RowWidth-1:0] first_q, other, entries_q;
    logic [SecondWidth-1:0] other_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) first_q <= '0;
      else if (write && constant_write_i.index == IndexWidth'(unit)) first_q <= row_data;
    end
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) other_q <= '0;
      else if (write && constant_write_i.index == IndexWidth'(Width + unit)) begin
        other_q <= {row_data[EntryWidth*Columns+:EntryWidth*Reached],
                    row_data[EntryWidth*More-1:0]};
      end
    end
    always_comb begin
      other = '0;
      other[EntryWidth*More-1:0] = other_q[EntryWidth*More-1:0];
      other[EntryWidth*Columns+:EntryWidth*Reached] = other_q[EntryWidth*More+:EntryWidth*Reached];
    end
    always_ff @(posedge clk_i) entries_q <= second ? other : first_q;

    logic [2*HalfWidth-1:0] half_q;
    for (genvar half = 0; half < 2; half++) begin : gen_half
      logic [Columns*Digits*TermWidth-1:0] terms;
      for (genvar column = 0; column < Columns; column++) begin : gen_column
        localparam int unsigned Element = Columns * half + column;
        logic [SliceWidth-1:0] x;
        if (half == 0) begin : gen_beat
          assign x = x_q[Element%Lanes][SliceWidth*(Element/Lanes)+:SliceWidth];
        end else begin : gen_chosen
          assign x = operands_q[SliceWidth*(Columns*(unit%Helpers)+column)+:SliceWidth];
        end
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
    assign seconds[HalfWidth*unit+:HalfWidth] = half_q[HalfWidth+:HalfWidth];

    // The whole row, and its residue: the bits above 64 are times 2^32 - 1.
    logic [SumWidth-1:0] total_q, row;
    logic [HighWidth-1:0] high;
    logic [SliceWidth:0] folded_q, reduced;
    logic [SliceWidth-1:0] residue_q;
    if (unit < More) begin : gen_two_rows
      assign row = of_others_q ? others_q[SumWidth*unit+:SumWidth] : total_q;
    end else begin : gen_row
      assign row = of_others_q ? '0 : total_q;
    end
    assign high = row[SumWidth-1:SliceWidth];
    always_ff @(posedge clk_i) begin
      total_q <= SumWidth'(half_q[HalfWidth-1:0]) +
                 (of_halves_q ? total_q : SumWidth'(half_q[2*HalfWidth-1:HalfWidth]));
      folded_q <= (SliceWidth + 1)'(row[SliceWidth-1:0]) +
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
    assign residue[UnitLane][SliceWidth*UnitSlice+:SliceWidth] = residue_q;
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

  // ---- Control that accompanies a beat ----------------------------------------------------------

  // A beat of two comes a cycle later.
  localparam int unsigned InfoWidth = 1 + LabelWidth + TagWidth;
  logic valid_q, enters;
  logic [InfoWidth-1:0] info_q, info;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= 1'b0;
    else valid_q <= valid_i && two_beats_i && !clear_i;
  end
  always_ff @(posedge clk_i) begin
    info_q <= {second_i, label_i, tag_i};
  end
  assign enters = two_beats_i ? valid_q : valid_i;
  assign info = two_beats_i ? info_q : {1'b0, label_i, tag_i};

  // Two cycles before it leaves its constants are read, one cycle before its next pass is.
  logic second_at_constant, second_at_pass_q, second_out_q;
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
    .valid_i(enters),
    .valid_o,
    .ahead_o(constant_read_o)
  );
  acclmt_delay #(
    .Width(InfoWidth),
    .Cycles(Latency - 2)
  ) u_label (
    .clk_i,
    .rst_ni,
    .memory_config_i,
    .data_i(info),
    .data_o({second_at_constant, label_at_constant, tag_at_constant})
  );
  assign of_constant = label_at_constant;
  assign constant_address_o = of_constant.constants + IndexWidth'(second_at_constant);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) pass_read_o <= 1'b0;
    else pass_read_o <= constant_read_o && !clear_i;
  end
  always_ff @(posedge clk_i) begin
    second_at_pass_q <= second_at_constant;
    label_q <= label_at_constant;
    tag_q <= tag_at_constant;
    second_out_q <= second_at_pass_q;
    label_o <= label_q;
    tag_o <= tag_q;
  end
  assign last_o = !two_beats_i || second_out_q;
  assign adds_q = label_q.add;
  assign pass_o = label_q.next;

  logic unused_bits;
  assign unused_bits = ^{of_constant, constant_write_i};

`ifndef SYNTHESIS
  logic before_valid_q;
  always_ff @(posedge clk_i) before_valid_q <= valid_i;
  loaded_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      valid_i && !clear_i |-> (two_beats_i ? loaded_o[1] : loaded_o[0]))
  else $error("acclmt_full_round_adders: a state comes and no matrix is loaded");
  first_before_second_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      valid_i && second_i && !clear_i |-> two_beats_i && before_valid_q)
  else $error("acclmt_full_round_adders: a second beat comes without the first one");
  known_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !$isunknown({valid_i, write, valid_o, loaded_o}))
  else $error("acclmt_full_round_adders: a state, a write or an end is unknown");
  back_to_back_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
      valid_i && !second_i && before_valid_q);
  illegal_c : cover property (@(posedge clk_i) disable iff (!rst_ni) write && !legal);
`endif

endmodule

// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// A matrix of small integers times a Goldilocks state of one beat, or of up to sixteen elements in
/// two, without multipliers.
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
/// Handshake:  none; a beat comes in each cycle. Rows come after the only beat of a state, or after
///             its second one and those of the second beat in the next cycle.
/// Latency:    5 cycles. Throughput: one beat a cycle.
module acclmt_adder_rows (
  /// Clock and reset.
  input logic clk_i,
  input logic rst_ni,
  /// A word of the matrix: of a unit, for the second beat `acclmt_pkg::AdderWidth` behind it; its
  /// entries from the low bits on, each a digit after another: x, 2x, negative.
  input logic write_i,
  input logic [acclmt_pkg::IndexWidth-1:0] index_i,
  input logic [acclmt_pkg::AdderRowWidth-1:0] word_i,
  /// States have two beats; stable while states are inside.
  input logic two_beats_i,
  /// A beat, the second one of its state.
  input logic second_i,
  input logic [acclmt_pkg::Lanes-1:0][acclmt_pkg::WordWidth-1:0] state_i,
  /// Rows of a state, reduced.
  output logic [acclmt_pkg::Lanes-1:0][acclmt_pkg::WordWidth-1:0] residue_o
);

  localparam int unsigned Lanes = acclmt_pkg::Lanes;
  localparam int unsigned WordWidth = acclmt_pkg::WordWidth;
  localparam int unsigned Slices = acclmt_pkg::Slices;
  localparam int unsigned SliceWidth = acclmt_pkg::SliceWidth;
  localparam int unsigned Width = acclmt_pkg::AdderWidth;
  localparam int unsigned RowWidth = acclmt_pkg::AdderRowWidth;
  localparam int unsigned EntryWidth = RowWidth / Width;
  localparam int unsigned IndexWidth = acclmt_pkg::IndexWidth;

  // Entries of half a unit; elements, and so rows, of a second beat; units that make one of those.
  localparam int unsigned Columns = Width / 2;
  localparam int unsigned More = acclmt_pkg::AdderMostElements - Width;
  localparam int unsigned Helpers = Width / More;
  // Bits of the sum of half a unit, and of a row.
  localparam int unsigned HalfWidth = acclmt_pkg::AdderHalfWidth;
  localparam int unsigned SumWidth = HalfWidth + 2;
  localparam int unsigned HighWidth = SumWidth - SliceWidth;

  if (Slices * Lanes != Width || More > Columns || Helpers * Columns < Width + More ||
      2 * Columns != Width) begin : gen_illegal_width
    $error("acclmt_adder_rows: states of %0d elements, and of %0d, are not possible", Width,
           acclmt_pkg::AdderMostElements);
  end

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
      else if (write_i && index_i == IndexWidth'(unit)) first_q <= word_i;
    end
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) other_q <= '0;
      else if (write_i && index_i == IndexWidth'(Width + unit)) begin
        other_q <= {word_i[EntryWidth*Columns+:EntryWidth*Reached],
                    word_i[EntryWidth*More-1:0]};
      end
    end
    always_comb begin
      other = '0;
      other[EntryWidth*More-1:0] = other_q[EntryWidth*More-1:0];
      other[EntryWidth*Columns+:EntryWidth*Reached] = other_q[EntryWidth*More+:EntryWidth*Reached];
    end
    always_ff @(posedge clk_i) entries_q <= second ? other : first_q;

    // The elements of the beat in order, those of the second half chosen.
    logic [Width*SliceWidth-1:0] elements;
    logic [2*HalfWidth-1:0] halves;
    for (genvar column = 0; column < Columns; column++) begin : gen_column
      assign elements[SliceWidth*column+:SliceWidth] =
          x_q[column%Lanes][SliceWidth*(column/Lanes)+:SliceWidth];
      assign elements[SliceWidth*(Columns+column)+:SliceWidth] =
          operands_q[SliceWidth*(Columns*(unit%Helpers)+column)+:SliceWidth];
    end
    acclmt_adder_unit u_unit (
      .clk_i,
      .entries_i(entries_q),
      .elements_i(elements),
      .sums_o(halves)
    );
    assign seconds[HalfWidth*unit+:HalfWidth] = halves[HalfWidth+:HalfWidth];

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
      total_q <= SumWidth'(halves[HalfWidth-1:0]) +
                 (of_halves_q ? total_q : SumWidth'(halves[HalfWidth+:HalfWidth]));
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
    assign residue_o[UnitLane][SliceWidth*UnitSlice+:SliceWidth] = residue_q;
  end

endmodule

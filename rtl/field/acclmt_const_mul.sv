// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Multiplication by a constant, in carry-save form, from prepared odd multiples of the operand.
///
/// The constant is recoded into signed digits 1, 3 and 5 (`acclmt_pkg::recode`); each digit is a
/// shifted, possibly complemented, multiple of the operand, and a tree of full adders compresses the
/// rows to two. The product is taken modulo 2^`HighColumn`, and only the columns from `LowColumn` up are
/// delivered. Few columns below `LowColumn` are built: a column depends only on as many lower columns as
/// the tree is deep.
///
/// Handshake:  none. Latency: combinational.
module acclmt_const_mul #(
  /// First column that is delivered.
  parameter int unsigned LowColumn = 0,
  /// Column above the last one that is delivered.
  parameter int unsigned HighColumn = acclmt_pkg::MontgomeryBits,
  /// The constant.
  parameter acclmt_pkg::radix_t Constant = '1
) (
  /// The operand, and three and five times it, modulo 2^HighColumn.
  input logic [HighColumn-1:0] x1_i,
  input logic [HighColumn-1:0] x3_i,
  input logic [HighColumn-1:0] x5_i,
  /// sum_o + carry_o = x1_i * Constant in the columns LowColumn .. HighColumn-1.
  output logic [HighColumn-LowColumn-1:0] sum_o,
  output logic [HighColumn-LowColumn-1:0] carry_o
);

  /// More than the tree is deep: 16 levels of full adders compress hundreds of rows.
  localparam int unsigned GuardColumns = 16;
  localparam int unsigned FirstColumn = (LowColumn > GuardColumns) ? LowColumn - GuardColumns : 0;
  localparam int unsigned Columns = HighColumn - FirstColumn;
  localparam acclmt_pkg::digits_t Digits = acclmt_pkg::recode(Constant);
  localparam int unsigned NumDigits =
      acclmt_pkg::digits_below(Digits, int'(acclmt_pkg::DigitPositions));
  /// One row a digit, and one that completes the two's complements of the negative rows.
  localparam int unsigned NumRows = NumDigits + 1;
  localparam acclmt_pkg::sum_t Correction = acclmt_pkg::negative_correction(Digits);

  if (HighColumn > acclmt_pkg::SumWidth || LowColumn >= HighColumn) begin : gen_illegal_columns
    $error("acclmt_const_mul: columns %0d..%0d are not within 0..%0d", LowColumn, HighColumn,
           acclmt_pkg::SumWidth);
  end
  if (NumRows < 3) begin : gen_illegal_constant
    $error("acclmt_const_mul: the constant has fewer than two signed digits");
  end

  logic [Columns-1:0] row[NumRows];

  for (genvar position = 0; position < acclmt_pkg::DigitPositions; position++) begin : gen_digit
    if (Digits[3*position+:2] != 2'b00) begin : gen_row
      localparam int unsigned Index = acclmt_pkg::digits_below(Digits, position);
      logic [HighColumn-1:0] multiple;
      if (Digits[3*position+:2] == 2'b01) begin : gen_one
        assign multiple = x1_i;
      end else if (Digits[3*position+:2] == 2'b10) begin : gen_three
        assign multiple = x3_i;
      end else begin : gen_five
        assign multiple = x5_i;
      end
      // A complemented multiple has ones above it, and zeros below it where it is shifted up.
      logic [Columns-1:0] aligned;
      if (position >= FirstColumn) begin : gen_up
        logic [HighColumn-1:0] complemented;
        assign complemented = Digits[3*position+2] ? ~multiple : multiple;
        assign aligned = Columns'(complemented << (position - FirstColumn));
      end else begin : gen_down
        logic [Columns-1:0] shifted;
        assign shifted = Columns'(multiple >> (FirstColumn - position));
        assign aligned = Digits[3*position+2] ? ~shifted : shifted;
      end
      assign row[Index] = aligned;
    end
  end
  assign row[NumDigits] = Correction[HighColumn-1:FirstColumn];

  // Full adders take the rows in the order in which they become available, which balances the tree:
  // nodes 0 .. NumRows-1 are the rows, each adder turns the next three nodes into two.
  logic [Columns-1:0] node[3*NumRows-4];
  always_comb begin
    for (int i = 0; i < int'(NumRows); i++) node[i] = row[i];
    for (int i = 0; i < int'(NumRows) - 2; i++) begin
      node[int'(NumRows)+2*i] = node[3*i] ^ node[3*i+1] ^ node[3*i+2];
      node[int'(NumRows)+2*i+1] =
          ((node[3*i] & node[3*i+1]) | (node[3*i+2] & (node[3*i] ^ node[3*i+1]))) << 1;
    end
  end
  assign sum_o = node[3*NumRows-6][Columns-1:LowColumn-FirstColumn];
  assign carry_o = node[3*NumRows-5][Columns-1:LowColumn-FirstColumn];

endmodule

// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Multiplication by a constant, in redundant form, from prepared odd multiples of the operand.
///
/// The constant is recoded into signed digits 1, 3 and 5 (`acclmt_prime_pkg::recode`); each digit
/// is a row: a shifted, possibly complemented, multiple of the operand. The columns are cut into
/// chunks of `ChunkColumns`. Within a chunk all rows are added (a tree of full adders and a short
/// carry chain), and what overflows into the next chunk, at most six bits, is delivered beside it,
/// so that no carry runs over the whole width:
///
///     x1_i * Constant = sum_o + carry_o        (modulo 2^HighColumn)
///
/// Only the columns from `LowColumn` up are delivered. Of the columns below, seven are built, for a
/// user who knows the true product there. What those below them carry has at most six bits: with it
/// the sum of the seven overflows exactly if its top bit `below_o` is 1 and that of the true
/// product is 0.
///
/// Handshake:  none. Latency: combinational.
module acclmt_const_mul #(
  /// First column that is delivered: 0, or at least 7.
  parameter int unsigned LowColumn = 0,
  /// Column above the last one that is delivered.
  parameter int unsigned HighColumn = acclmt_prime_pkg::ConstantMontgomeryBits,
  /// The constant.
  parameter acclmt_prime_pkg::radix_t Constant = '1,
  /// Columns of a chunk, at least 8: fewer have a shorter carry chain and more overflows.
  parameter int unsigned ChunkColumns = 26
) (
  /// The operand, and three and five times it, modulo 2^HighColumn.
  input logic [HighColumn-1:0] x1_i,
  input logic [HighColumn-1:0] x3_i,
  input logic [HighColumn-1:0] x5_i,
  /// Product in the columns LowColumn .. HighColumn-1.
  output logic [HighColumn-LowColumn-1:0] sum_o,
  output logic [HighColumn-LowColumn-1:0] carry_o,
  /// Column LowColumn - 1 of the sum of the seven columns below LowColumn (0 if LowColumn is 0).
  output logic below_o
);

  localparam int unsigned OverflowBits = 6;
  localparam int unsigned BelowColumns = OverflowBits + 1;
  localparam int unsigned ChunkBits = ChunkColumns + OverflowBits;

  localparam acclmt_prime_pkg::digits_t Digits = acclmt_prime_pkg::recode(Constant);
  localparam int unsigned NumDigits = acclmt_prime_pkg::count_digits(Digits);
  localparam logic [acclmt_prime_pkg::MaxDigits*acclmt_prime_pkg::PositionWidth-1:0] Positions =
      acclmt_prime_pkg::digit_positions(Digits);
  localparam acclmt_pkg::sum_t Correction = acclmt_prime_pkg::negative_correction(Digits);
  localparam int unsigned Columns = HighColumn - LowColumn;
  localparam int unsigned NumChunks = (Columns + ChunkColumns - 1) / ChunkColumns;

  if (HighColumn > acclmt_pkg::SumWidth || LowColumn >= HighColumn ||
      (LowColumn != 0 && LowColumn < BelowColumns)) begin : gen_illegal_columns
    $error("acclmt_const_mul: columns %0d..%0d are not within 0..%0d, or end less than %0d above 0",
           LowColumn, HighColumn, acclmt_pkg::SumWidth, BelowColumns);
  end
  if (ChunkColumns < BelowColumns) begin : gen_illegal_chunk
    $error("acclmt_const_mul: ChunkColumns = %0d is not at least %0d", ChunkColumns, BelowColumns);
  end
  if (NumDigits + 1 >= 2 ** OverflowBits) begin : gen_illegal_constant
    $error("acclmt_const_mul: %0d rows overflow a chunk by more than %0d bits", NumDigits + 1,
           OverflowBits);
  end

  // Chunk -1 (index 0 here) is that of the columns below; it is empty if LowColumn is 0.
  logic [NumChunks:0][ChunkBits-1:0] chunk_sum;

  for (genvar c = 0; c <= NumChunks; c++) begin : gen_chunk
    localparam int unsigned First =
        (c == 0) ? LowColumn - ((LowColumn == 0) ? 0 : BelowColumns) :
                   LowColumn + (c - 1) * ChunkColumns;
    localparam int unsigned End = (c == 0) ? LowColumn :
        ((First + ChunkColumns < HighColumn) ? First + ChunkColumns : HighColumn);

    if (End == First) begin : gen_empty
      assign chunk_sum[c] = '0;
    end else begin : gen_columns
      // Every row's part of this chunk is added to the one before; the first adds the completion of
      // the two's complements of the negative rows.
      logic [ChunkBits-1:0] partial[NumDigits+1]  /*verilator split_var*/;
      assign partial[0] = ChunkBits'(Correction[End-1:First]);
      for (genvar row = 0; row < NumDigits; row++) begin : gen_row
        localparam int unsigned Position =
            32'(Positions[acclmt_prime_pkg::PositionWidth*row+:acclmt_prime_pkg::PositionWidth]);
        localparam logic [1:0] Magnitude = Digits[3*Position+:2];
        localparam bit Negative = Digits[3*Position+2];
        if (Position >= End) begin : gen_above
          assign partial[row+1] = partial[row];
        end else begin : gen_part
          // Columns of the chunk that this row reaches, and the operand's bit in the lowest of
          // them.
          localparam int unsigned Shift = (Position > First) ? Position - First : 0;
          localparam int unsigned Bit = (Position > First) ? 0 : First - Position;
          localparam int unsigned Bits = End - First - Shift;
          logic [Bits-1:0] part, signed_part;
          if (Magnitude == 2'b01) begin : gen_one
            assign part = x1_i[Bit+:Bits];
          end else if (Magnitude == 2'b10) begin : gen_three
            assign part = x3_i[Bit+:Bits];
          end else begin : gen_five
            assign part = x5_i[Bit+:Bits];
          end
          assign signed_part = Negative ? ~part : part;
          assign partial[row+1] = partial[row] + (ChunkBits'(signed_part) << Shift);
        end
      end
      assign chunk_sum[c] = partial[NumDigits];
    end

    if (c > 0) begin : gen_deliver
      localparam int unsigned To = First - LowColumn;
      localparam int unsigned Size = End - First;
      assign sum_o[To+:Size] = chunk_sum[c][Size-1:0];
      // What overflows from the chunk below.
      localparam int unsigned From = (c == 1) ? BelowColumns : ChunkColumns;
      if (Size > OverflowBits) begin : gen_overflow
        assign carry_o[To+:Size] = Size'(chunk_sum[c-1][From+:OverflowBits]);
      end else begin : gen_short_overflow
        assign carry_o[To+:Size] = chunk_sum[c-1][From+:Size];
      end
    end
  end
  assign below_o = chunk_sum[0][BelowColumns-1];

  // Which of the upper bits of the multiples are used depends on the constant.
  logic unused_multiples;
  assign unused_multiples = ^{x1_i, x3_i, x5_i};

endmodule

// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// A unit of `acclmt_adder_rows`: twelve elements of a Goldilocks state times small integers, the
/// sum of each half of them.
///
/// An integer is four signed digits of weights 1, 4, 16 and 64, each of them -2 to 2: x, 2x,
/// negative. A negative multiple of x is a complement among 66 bits, see `acclmt_adder_rows`.
///
/// Handshake:  none. Latency: one cycle. Throughput: one set of operands a cycle.
module acclmt_adder_unit (
  /// Clock.
  input logic clk_i,
  /// The integers from the low bits on, and the elements.
  input logic [acclmt_pkg::AdderRowWidth-1:0] entries_i,
  input logic [acclmt_pkg::AdderWidth-1:0][acclmt_pkg::SliceWidth-1:0] elements_i,
  /// The sums of the products of the first half of the elements, and of the second half.
  output logic [1:0][acclmt_pkg::AdderHalfWidth-1:0] sums_o
);

  localparam int unsigned SliceWidth = acclmt_pkg::SliceWidth;
  localparam int unsigned Columns = acclmt_pkg::AdderWidth / 2;
  localparam int unsigned Digits = acclmt_pkg::AdderDigits;
  localparam int unsigned DigitWidth = acclmt_pkg::AdderDigitWidth;
  localparam int unsigned HalfWidth = acclmt_pkg::AdderHalfWidth;
  // Bits of x or 2x with its complement.
  localparam int unsigned TermWidth = SliceWidth + 2;

  if (HalfWidth != TermWidth + 9 || Columns * (4 ** Digits - 1) / 3 >= 2 ** 9) begin
    : gen_illegal_width
    $error("acclmt_adder_unit: %0d terms of each weight do not fit %0d bits", Columns, HalfWidth);
  end

  // The sum of the products of half the elements. It is made in the registers' own process, which
  // a simulation runs once a cycle.
  function automatic logic [HalfWidth-1:0] sum_of(
      logic [Columns*Digits*DigitWidth-1:0] entries, logic [Columns*SliceWidth-1:0] elements);
    logic once, twice, negative;
    logic [SliceWidth-1:0] x;
    logic [TermWidth-1:0] term;
    sum_of = '0;
    for (int unsigned column = 0; column < Columns; column++) begin
      x = elements[SliceWidth*column+:SliceWidth];
      for (int unsigned d = 0; d < Digits; d++) begin
        {negative, twice, once} = entries[DigitWidth*(Digits*column+d)+:DigitWidth];
        term = (once ? TermWidth'(x) : '0) | (twice ? {1'b0, x, 1'b0} : '0);
        term = term ^ {TermWidth{negative}};
        sum_of = sum_of + (HalfWidth'(term) << (2 * d));
      end
    end
  endfunction

  for (genvar half = 0; half < 2; half++) begin : gen_half
    always_ff @(posedge clk_i) begin
      sums_o[half] <= sum_of(
          entries_i[Columns*Digits*DigitWidth*half+:Columns*Digits*DigitWidth],
          elements_i[Columns*half+:Columns]);
    end
  end

endmodule

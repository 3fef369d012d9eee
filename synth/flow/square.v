// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

// A number times itself, as synthesis sees it: the product of two different bits is needed once, at
// twice its weight. The rows are summed by full adders, like all sums of many terms.
(* techmap_celltype = "$mul" *)
module square_to_sum (A, B, Y);
  parameter A_SIGNED = 0;
  parameter B_SIGNED = 0;
  parameter A_WIDTH = 1;
  parameter B_WIDTH = 1;
  parameter Y_WIDTH = 1;
  parameter _TECHMAP_CONNMAP_A_ = 0;
  parameter _TECHMAP_CONNMAP_B_ = 0;
  input [A_WIDTH-1:0] A;
  input [B_WIDTH-1:0] B;
  output [Y_WIDTH-1:0] Y;

  wire _TECHMAP_FAIL_ = A_SIGNED || B_SIGNED || A_WIDTH != B_WIDTH || Y_WIDTH < 2 * A_WIDTH ||
      _TECHMAP_CONNMAP_A_ != _TECHMAP_CONNMAP_B_;

  genvar i;
  generate
    for (i = 0; i < A_WIDTH; i = i + 1) begin : row
      wire [Y_WIDTH-1:0] bits, sum;
      if (i == A_WIDTH - 1) begin
        assign bits = {1'b0, A[i]} << (2 * i);
      end else begin
        assign bits = {A[A_WIDTH-1:i+1] & {(A_WIDTH-1-i){A[i]}}, 1'b0, A[i]} << (2 * i);
      end
      if (i == 0) assign sum = bits;
      else assign sum = row[i-1].sum + bits;
    end
  endgenerate
  assign Y = row[A_WIDTH-1].sum;
endmodule

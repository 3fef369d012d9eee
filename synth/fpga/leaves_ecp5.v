// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

// The leaves of multipliers and squarers (`acclmt_mul_leaf`, `acclmt_sqr_leaf`) for families whose blocks make a product of 17
// bits and nothing else that is used here. Yosys cuts a product; a square is cut here, as it takes one product less.

module acclmt_dsp_mul (clk_i, a_i, b_i, product_o);
  parameter Width = 34;
  input clk_i;
  input [Width-1:0] a_i, b_i;
  output reg [2*Width-1:0] product_o;
  always @(posedge clk_i) product_o <= a_i * b_i;
endmodule

module acclmt_dsp_sqr (clk_i, a_i, square_o);
  parameter Width = 34;
  input clk_i;
  input [Width-1:0] a_i;
  output reg [2*Width-1:0] square_o;

  generate
    if (Width > 17 && Width <= 34) begin : blocks
      localparam High = Width - 17;
      wire [33:0] low = a_i[16:0] * a_i[16:0];
      wire [Width-1:0] both = a_i[Width-1:17] * a_i[16:0];
      wire [2*High-1:0] high = a_i[Width-1:17] * a_i[Width-1:17];
      // The squares of the parts stand side by side.
      always @(posedge clk_i) square_o <= {{high, low[33:18]} + both, low[17:0]};
    end else begin : inferred
      always @(posedge clk_i) square_o <= a_i * a_i;
    end
  endgenerate
endmodule

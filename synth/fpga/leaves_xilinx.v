// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

// The leaves of multipliers and squarers (`acclmt_mul_leaf`, `acclmt_sqr_leaf`) as DSP blocks of UltraScale+: operands are cut
// at bit 17, each product of two parts is a block, and sums are made in the chain from block to block, in which a block can
// shift what comes by 17 bits. No LUT is used. The last block has the register of the result.

module acclmt_dsp_mul (clk_i, a_i, b_i, product_o);
  parameter Width = 34;
  input clk_i;
  input [Width-1:0] a_i, b_i;
  output [2*Width-1:0] product_o;

  generate
    if (Width > 17 && Width <= 34) begin : blocks
      localparam High = Width - 17;
      wire [47:0] low, one, both, high, low_chain, one_chain, both_chain;
      reg [33:0] lower_q;
      always @(posedge clk_i) lower_q <= {both[16:0], low[16:0]};
      acclmt_dsp_block #(.CHAIN(0), .REGISTER(0)) low_low (
        .clk_i(clk_i), .a_i({10'd0, a_i[16:0]}), .b_i({1'b0, b_i[16:0]}), .chain_i(48'd0),
        .sum_o(low), .chain_o(low_chain)
      );
      acclmt_dsp_block #(.CHAIN(2), .REGISTER(0)) high_low (
        .clk_i(clk_i), .a_i({{(27 - High) {1'b0}}, a_i[Width-1:17]}), .b_i({1'b0, b_i[16:0]}), .chain_i(low_chain),
        .sum_o(one), .chain_o(one_chain)
      );
      acclmt_dsp_block #(.CHAIN(1), .REGISTER(0)) low_high (
        .clk_i(clk_i), .a_i({10'd0, a_i[16:0]}), .b_i({{(18 - High) {1'b0}}, b_i[Width-1:17]}), .chain_i(one_chain),
        .sum_o(both), .chain_o(both_chain)
      );
      acclmt_dsp_block #(.CHAIN(2), .REGISTER(1)) high_high (
        .clk_i(clk_i), .a_i({{(27 - High) {1'b0}}, a_i[Width-1:17]}), .b_i({{(18 - High) {1'b0}}, b_i[Width-1:17]}),
        .chain_i(both_chain), .sum_o(high), .chain_o()
      );
      assign product_o = {high[2*Width-35:0], lower_q};
    end else begin : inferred
      reg [2*Width-1:0] product_q;
      always @(posedge clk_i) product_q <= a_i * b_i;
      assign product_o = product_q;
    end
  endgenerate
endmodule

// The product of the two parts is there twice: it is made once, of one part and the double of the other.
module acclmt_dsp_sqr (clk_i, a_i, square_o);
  parameter Width = 34;
  input clk_i;
  input [Width-1:0] a_i;
  output [2*Width-1:0] square_o;

  generate
    if (Width > 17 && Width <= 34) begin : blocks
      localparam High = Width - 17;
      wire [47:0] low, both, high, low_chain, both_chain;
      reg [33:0] lower_q;
      always @(posedge clk_i) lower_q <= {both[16:0], low[16:0]};
      acclmt_dsp_block #(.CHAIN(0), .REGISTER(0)) low_low (
        .clk_i(clk_i), .a_i({10'd0, a_i[16:0]}), .b_i({1'b0, a_i[16:0]}), .chain_i(48'd0),
        .sum_o(low), .chain_o(low_chain)
      );
      acclmt_dsp_block #(.CHAIN(2), .REGISTER(0)) high_low (
        .clk_i(clk_i), .a_i({{(26 - High) {1'b0}}, a_i[Width-1:17], 1'b0}), .b_i({1'b0, a_i[16:0]}),
        .chain_i(low_chain), .sum_o(both), .chain_o(both_chain)
      );
      acclmt_dsp_block #(.CHAIN(2), .REGISTER(1)) high_high (
        .clk_i(clk_i), .a_i({{(27 - High) {1'b0}}, a_i[Width-1:17]}), .b_i({{(18 - High) {1'b0}}, a_i[Width-1:17]}),
        .chain_i(both_chain), .sum_o(high), .chain_o()
      );
      assign square_o = {high[2*Width-35:0], lower_q};
    end else begin : inferred
      reg [2*Width-1:0] square_q;
      always @(posedge clk_i) square_q <= a_i * a_i;
      assign square_o = square_q;
    end
  endgenerate
endmodule

// A block: `a_i` times `b_i`, and nothing (CHAIN = 0), what the chain brings (1), or that without its low 17 bits (2).
module acclmt_dsp_block (clk_i, a_i, b_i, chain_i, sum_o, chain_o);
  parameter CHAIN = 0;
  parameter REGISTER = 0;
  input clk_i;
  input [26:0] a_i;
  input [17:0] b_i;
  input [47:0] chain_i;
  output [47:0] sum_o, chain_o;

  localparam [2:0] SELECTED = (CHAIN == 0) ? 3'b000 : (CHAIN == 1) ? 3'b001 : 3'b101;

  DSP48E2 #(
    .AREG(0), .ACASCREG(0), .BREG(0), .BCASCREG(0), .CREG(0), .DREG(0), .ADREG(0), .MREG(0), .PREG(REGISTER),
    .ALUMODEREG(0), .CARRYINREG(0), .CARRYINSELREG(0), .INMODEREG(0), .OPMODEREG(0),
    .USE_MULT("MULTIPLY"), .USE_SIMD("ONE48"), .AMULTSEL("A"), .BMULTSEL("B"), .A_INPUT("DIRECT"), .B_INPUT("DIRECT")
  ) block (
    .CLK(clk_i), .A({3'd0, a_i}), .B(b_i), .C(48'd0), .D(27'd0),
    .ACIN(30'd0), .BCIN(18'd0), .PCIN(chain_i), .CARRYCASCIN(1'b0), .MULTSIGNIN(1'b0), .CARRYIN(1'b0),
    .ALUMODE(4'b0000), .CARRYINSEL(3'b000), .INMODE(5'b00000), .OPMODE({2'b00, SELECTED, 4'b0101}),
    .CEA1(1'b0), .CEA2(1'b0), .CEAD(1'b0), .CEALUMODE(1'b0), .CEB1(1'b0), .CEB2(1'b0), .CEC(1'b0), .CECARRYIN(1'b0),
    .CECTRL(1'b0), .CED(1'b0), .CEINMODE(1'b0), .CEM(1'b0), .CEP(1'b1),
    .RSTA(1'b0), .RSTALLCARRYIN(1'b0), .RSTALUMODE(1'b0), .RSTB(1'b0), .RSTC(1'b0), .RSTCTRL(1'b0), .RSTD(1'b0),
    .RSTINMODE(1'b0), .RSTM(1'b0), .RSTP(1'b0),
    .P(sum_o), .PCOUT(chain_o)
  );
endmodule

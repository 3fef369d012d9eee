// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

// Sums of three and more terms (`$macc_v2` without products) as a tree of adders of three terms. Yosys makes full
// adders of them, of two LUTs each; an adder of three terms takes one LUT a bit for two terms.

(* techmap_celltype = "$macc_v2" *)
module acclmt_sum_to_tree (A, B, C, Y);
  parameter NPRODUCTS = 0;
  parameter NADDENDS = 0;
  parameter A_WIDTHS = 16'h0000;
  parameter B_WIDTHS = 16'h0000;
  parameter [16*NADDENDS-1:0] C_WIDTHS = 0;
  parameter Y_WIDTH = 0;
  parameter PRODUCT_NEGATED = 1'bx;
  parameter [NADDENDS-1:0] ADDEND_NEGATED = 0;
  parameter A_SIGNED = 1'bx;
  parameter B_SIGNED = 1'bx;
  parameter [NADDENDS-1:0] C_SIGNED = 0;

  // Where term `index` begins among the bits of C.
  function integer first_bit(input integer index);
    integer i;
    begin
      first_bit = 0;
      for (i = 0; i < index; i = i + 1) first_bit = first_bit + C_WIDTHS[16*i+:16];
    end
  endfunction
  // The negative of a term is its complement and one.
  function integer negated(input integer count);
    integer i;
    begin
      negated = 0;
      for (i = 0; i < count; i = i + 1) negated = negated + ADDEND_NEGATED[i];
    end
  endfunction

  localparam NEGATED = negated(NADDENDS);
  localparam TERMS = NADDENDS + (NEGATED != 0);

  input A, B;
  (* force_downto *) input [first_bit(NADDENDS)-1:0] C;
  (* force_downto *) output [Y_WIDTH-1:0] Y;

  wire _TECHMAP_FAIL_ = NPRODUCTS != 0 || NADDENDS < 3;

  wire [TERMS*Y_WIDTH-1:0] terms;
  genvar i;
  generate
    for (i = 0; i < NADDENDS; i = i + 1) begin : term
      localparam WIDTH = C_WIDTHS[16*i+:16];
      localparam FIRST = first_bit(i);
      wire [Y_WIDTH-1:0] value;
      if (WIDTH >= Y_WIDTH) assign value = C[FIRST+:Y_WIDTH];
      else if (C_SIGNED[i]) assign value = {{(Y_WIDTH - WIDTH){C[FIRST+WIDTH-1]}}, C[FIRST+:WIDTH]};
      else assign value = {{(Y_WIDTH - WIDTH){1'b0}}, C[FIRST+:WIDTH]};
      assign terms[Y_WIDTH*i+:Y_WIDTH] = ADDEND_NEGATED[i] ? ~value : value;
    end
    if (NEGATED != 0) assign terms[Y_WIDTH*NADDENDS+:Y_WIDTH] = NEGATED;
  endgenerate

  acclmt_sum_tree #(.TERMS(TERMS), .WIDTH(Y_WIDTH)) tree (.terms(terms), .sum(Y));
endmodule

// The sum of the terms, three of which at a time become one.
module acclmt_sum_tree (terms, sum);
  parameter TERMS = 1;
  parameter WIDTH = 1;
  localparam NEXT = (TERMS + 2) / 3;
  input [TERMS*WIDTH-1:0] terms;
  output [WIDTH-1:0] sum;
  genvar i;
  generate
    if (TERMS == 1) begin : one
      assign sum = terms;
    end else begin : more
      wire [NEXT*WIDTH-1:0] next;
      for (i = 0; i < NEXT; i = i + 1) begin : group
        if (TERMS - 3 * i >= 3) begin : three
          acclmt_add3 #(.WIDTH(WIDTH)) add (
            .A(terms[3*i*WIDTH+:WIDTH]), .B(terms[(3*i+1)*WIDTH+:WIDTH]),
            .C(terms[(3*i+2)*WIDTH+:WIDTH]), .Y(next[i*WIDTH+:WIDTH])
          );
        end else if (TERMS - 3 * i == 2) begin : two
          assign next[i*WIDTH+:WIDTH] = terms[3*i*WIDTH+:WIDTH] + terms[(3*i+1)*WIDTH+:WIDTH];
        end else begin : rest
          assign next[i*WIDTH+:WIDTH] = terms[3*i*WIDTH+:WIDTH];
        end
      end
      acclmt_sum_tree #(.TERMS(NEXT), .WIDTH(WIDTH)) tree (.terms(next), .sum(sum));
    end
  endgenerate
endmodule

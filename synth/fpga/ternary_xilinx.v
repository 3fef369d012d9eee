// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

// An adder of three terms: a LUT with two outputs a bit, and the carry chain. The LUT of bit i makes of its three bits the
// sum, which goes on with the carry of those of bit i - 1 as the chain's propagate, and the carry, which goes to the LUT and
// to the chain of bit i + 1. Low bits of which two terms are 0 are those of the third.

module acclmt_add3 (A, B, C, Y);
  parameter WIDTH = 1;
  parameter [WIDTH-1:0] _TECHMAP_CONSTMSK_A_ = 0;
  parameter [WIDTH-1:0] _TECHMAP_CONSTVAL_A_ = 0;
  parameter [WIDTH-1:0] _TECHMAP_CONSTMSK_B_ = 0;
  parameter [WIDTH-1:0] _TECHMAP_CONSTVAL_B_ = 0;
  parameter [WIDTH-1:0] _TECHMAP_CONSTMSK_C_ = 0;
  parameter [WIDTH-1:0] _TECHMAP_CONSTVAL_C_ = 0;
  (* force_downto *) input [WIDTH-1:0] A, B, C;
  (* force_downto *) output [WIDTH-1:0] Y;

  localparam [WIDTH-1:0] ZERO_A = _TECHMAP_CONSTMSK_A_ & ~_TECHMAP_CONSTVAL_A_;
  localparam [WIDTH-1:0] ZERO_B = _TECHMAP_CONSTMSK_B_ & ~_TECHMAP_CONSTVAL_B_;
  localparam [WIDTH-1:0] ZERO_C = _TECHMAP_CONSTMSK_C_ & ~_TECHMAP_CONSTVAL_C_;
  localparam [WIDTH-1:0] PLAIN = (ZERO_A & ZERO_B) | (ZERO_A & ZERO_C) | (ZERO_B & ZERO_C);

  // How many of the lowest bits need no adder.
  function integer plain_bits(input integer unused);
    integer i;
    reg going;
    begin
      plain_bits = 0;
      going = 1;
      for (i = 0; i < WIDTH; i = i + 1) begin
        if (!PLAIN[i]) going = 0;
        if (going) plain_bits = plain_bits + 1;
      end
    end
  endfunction

  localparam LOW = plain_bits(0);
  localparam BITS = WIDTH - LOW;
  localparam SLICES = (BITS + 3) / 4;

  genvar i;
  generate
    if (LOW != 0) assign Y[LOW-1:0] = A[LOW-1:0] | B[LOW-1:0] | C[LOW-1:0];
    if (BITS != 0) begin : adder
      wire [4*SLICES-1:0] propagate, passed, sum;
      wire [4*SLICES:0] carry;
      wire [BITS:0] three;
      assign three[0] = 1'b0;
      for (i = 0; i < 4 * SLICES; i = i + 1) begin : bits
        if (i < BITS) begin : used
          LUT6_2 #(.INIT(64'h69966996e8e8e8e8)) lut (
            .I0(A[LOW+i]), .I1(B[LOW+i]), .I2(C[LOW+i]), .I3(three[i]), .I4(1'b0), .I5(1'b1),
            .O6(propagate[i]), .O5(three[i+1])
          );
          assign passed[i] = three[i];
          assign Y[LOW+i] = sum[i];
        end else begin : unused
          assign propagate[i] = 1'b0;
          assign passed[i] = 1'b0;
        end
      end
      assign carry[0] = 1'b0;
      for (i = 0; i < SLICES; i = i + 1) begin : slices
        CARRY4 chain (
          .CYINIT(1'b0), .CI(carry[4*i]), .DI(passed[4*i+:4]), .S(propagate[4*i+:4]),
          .O(sum[4*i+:4]), .CO(carry[4*i+1+:4])
        );
      end
    end
  endgenerate
endmodule

// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

// An adder of three terms: two carry chains, of one LUT a bit each.

module acclmt_add3 (A, B, C, Y);
  parameter WIDTH = 1;
  (* force_downto *) input [WIDTH-1:0] A, B, C;
  (* force_downto *) output [WIDTH-1:0] Y;
  (* force_downto *) wire [WIDTH-1:0] two = A + B;
  assign Y = two + C;
endmodule

// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Product of two short words, registered: the bottom of `acclmt_mul`. Whatever multiplies better
/// than gates can take its place, as the DSP blocks of an FPGA do (synth/fpga).
///
/// Handshake:  none; a product leaves a cycle after its operands.
/// Latency:    1.
/// Throughput: one product a cycle.
module acclmt_mul_leaf #(
  /// Bits of an operand.
  parameter int unsigned Width = 34
) (
  /// Clock.
  input logic clk_i,
  /// Operands.
  input logic [Width-1:0] a_i,
  input logic [Width-1:0] b_i,
  /// Product, registered.
  output logic [2*Width-1:0] product_o
);

  if (Width == 0) begin : gen_illegal_width
    $error("acclmt_mul_leaf: Width = %0d is not above 0", Width);
  end

  logic [2*Width-1:0] product_q;
  always_ff @(posedge clk_i) product_q <= a_i * b_i;
  assign product_o = product_q;

endmodule

// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Square of a short word, registered: the bottom of `acclmt_sqr`. A number times itself, of which
/// synthesis needs the product of two different bits once only. Whatever squares better than gates
/// can take its place, as the DSP blocks of an FPGA do (synth/fpga).
///
/// Handshake:  none; a square leaves a cycle after its operand.
/// Latency:    1.
/// Throughput: one square a cycle.
module acclmt_sqr_leaf #(
  /// Bits of the operand.
  parameter int unsigned Width = 34
) (
  /// Clock.
  input logic clk_i,
  /// Operand.
  input logic [Width-1:0] a_i,
  /// Square, registered.
  output logic [2*Width-1:0] square_o
);

  if (Width == 0) begin : gen_illegal_width
    $error("acclmt_sqr_leaf: Width = %0d is not above 0", Width);
  end

  logic [2*Width-1:0] square_q;
  always_ff @(posedge clk_i) square_q <= a_i * a_i;
  assign square_o = square_q;

endmodule

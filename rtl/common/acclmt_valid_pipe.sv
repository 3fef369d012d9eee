// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Shift register of valid bits that accompanies a free-running pipeline.
///
/// Handshake:  none. Latency: `Cycles`. Throughput: one bit a cycle.
module acclmt_valid_pipe #(
  /// Stages of the pipeline, at least 2.
  parameter int unsigned Cycles = 2,
  /// Cycles that `ahead_o` is ahead of `valid_o`, less than `Cycles`.
  parameter int unsigned Ahead = 1
) (
  /// Clock and reset.
  input logic clk_i,
  input logic rst_ni,
  /// Empties the pipeline.
  input logic clear_i,
  /// Whether a datum enters.
  input logic valid_i,
  /// Whether the datum of `Cycles` cycles ago leaves.
  output logic valid_o,
  /// Whether a datum leaves `Ahead` cycles later, unless the pipeline is emptied: enables what is
  /// read for it.
  output logic ahead_o
);

  if (Cycles < 2) begin : gen_illegal_cycles
    $error("acclmt_valid_pipe: Cycles = %0d, at least 2 are needed", Cycles);
  end

  if (Ahead >= Cycles) begin : gen_illegal_ahead
    $error("acclmt_valid_pipe: Ahead = %0d is not less than Cycles = %0d", Ahead, Cycles);
  end

  logic [Cycles-1:0] valid_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= '0;
    else if (clear_i) valid_q <= '0;
    else valid_q <= {valid_q[Cycles-2:0], valid_i};
  end
  assign valid_o = valid_q[Cycles-1];
  assign ahead_o = valid_q[Cycles-1-Ahead];

endmodule

// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Reduction modulo the Goldilocks prime p = 2^64 - 2^32 + 1 of the four chunks of a sum.
///
/// 2^64 = 2^32 - 1 and 2^96 = -1 modulo p. With value = x0 + x1 * 2^64 + x2 * 2^96:
///
///     total   = x0 + x1 * 2^32 - x1 - x2      from -(2^40 - 1) to 2p - 2
///     residue = total, plus p if it is negative, less p if it is not below p
///
/// Handshake:  none; the residues stand at the output in the cycle after their values, and are
///             meant to be registered there.
/// Throughput: four values a cycle.
module acclmt_reduce_goldilocks (
  /// Clock.
  input logic clk_i,
  /// Values to reduce, any.
  input logic [acclmt_pkg::Slices-1:0][acclmt_pkg::ChunkWidth-1:0] value_i,
  /// Canonical residues, not registered.
  output logic [acclmt_pkg::WordWidth-1:0] residue_o
);

  localparam int unsigned SliceWidth = acclmt_pkg::SliceWidth;
  localparam int unsigned Width = SliceWidth + 2;
  localparam logic [Width-1:0] Prime = Width'(acclmt_pkg::GoldilocksPrime);

  for (genvar s = 0; s < acclmt_pkg::Slices; s++) begin : gen_slice
    logic [Width-1:0] x0, x1, x2, total_q;
    assign x0 = Width'(value_i[s][63:0]);
    assign x1 = Width'(value_i[s][95:64]);
    assign x2 = Width'(value_i[s][acclmt_pkg::ChunkWidth-1:96]);
    always_ff @(posedge clk_i) total_q <= x0 + (x1 << 32) - x1 - x2;

    logic negative;
    logic [Width-1:0] corrected;
    assign negative = total_q[Width-1];
    assign corrected = total_q + (negative ? Prime : -Prime);
    // What is negative once corrected was below the prime.
    assign residue_o[SliceWidth*s+:SliceWidth] =
        corrected[Width-1] ? total_q[SliceWidth-1:0] : corrected[SliceWidth-1:0];

    // Below 2^64 once corrected.
    logic unused_corrected;
    assign unused_corrected = ^{corrected[SliceWidth], total_q[SliceWidth]};
  end

endmodule

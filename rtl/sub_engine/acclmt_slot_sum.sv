// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Adds to a sum of a recurrence what a round gives it: a product, and another one that is the same
/// for all sums of the round.
///
/// The chunks are added on their own, without carries between them: each has room for 128 rounds.
///
/// Handshake:  none; a sum leaves one cycle after its operands, in order.
/// Throughput: one sum a cycle.
module acclmt_slot_sum (
  /// Clock.
  input logic clk_i,
  /// The sum so far, and whether it counts.
  input logic keep_i,
  input logic [acclmt_pkg::Slices-1:0][acclmt_pkg::ChunkWidth-1:0] sum_i,
  /// The products.
  input logic [acclmt_pkg::ProductWidth-1:0] product_i,
  input logic [acclmt_pkg::ProductWidth-1:0] common_i,
  /// The new sum, registered.
  output logic [acclmt_pkg::Slices-1:0][acclmt_pkg::ChunkWidth-1:0] sum_o
);

  localparam int unsigned ChunkWidth = acclmt_pkg::ChunkWidth;
  localparam int unsigned DigitWidth = acclmt_pkg::DigitWidth;

  logic [acclmt_pkg::Slices-1:0][ChunkWidth-1:0] sum_q;
  always_ff @(posedge clk_i) begin
    for (int k = 0; k < int'(acclmt_pkg::Slices); k++) begin
      sum_q[k] <= (keep_i ? sum_i[k] : '0)
          + ChunkWidth'(product_i[int'(DigitWidth)*k+:DigitWidth])
          + ChunkWidth'(common_i[int'(DigitWidth)*k+:DigitWidth]);
    end
  end
  assign sum_o = sum_q;

endmodule

// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Running sum of products, with something to begin with: a row of a matrix.
///
/// The chunks of a product are added on their own, without carries between them; the second stage
/// makes the sum of a large prime's products one number again.
///
/// Handshake:  none. A step takes the products of three lanes; `first_i` starts a new sum with
///             `initial_i`. The running sum is at the output `AccumulateLatency` cycles after each
///             step.
/// Throughput: one step a cycle.
module acclmt_accumulate #(
  /// Whether Goldilocks mode exists.
  parameter bit Goldilocks = 1'b1
) (
  /// Clock.
  input logic clk_i,
  /// Goldilocks mode. Static.
  input logic goldilocks_i,
  /// First step of a sum, and what it begins with. All chunks have room for the whole sum.
  input logic first_i,
  input logic [acclmt_pkg::Slices-1:0][acclmt_pkg::ChunkWidth-1:0] initial_i,
  /// Products of the lanes.
  input logic [acclmt_pkg::Lanes-1:0][acclmt_pkg::ProductWidth-1:0] product_i,
  /// Sum, its carries resolved.
  output logic [acclmt_pkg::Slices-1:0][acclmt_pkg::ChunkWidth-1:0] sum_o
);

  localparam int unsigned Slices = acclmt_pkg::Slices;
  localparam int unsigned ChunkWidth = acclmt_pkg::ChunkWidth;
  localparam int unsigned DigitWidth = acclmt_pkg::DigitWidth;

  if (acclmt_pkg::Lanes != 3) begin : gen_illegal_lanes
    $error("acclmt_accumulate: Lanes = %0d is not 3", acclmt_pkg::Lanes);
  end

  // Stage 1: sums of the chunks.
  logic [Slices-1:0][ChunkWidth-1:0] sum_q;
  always_ff @(posedge clk_i) begin
    for (int k = 0; k < int'(Slices); k++) begin
      sum_q[k] <= (first_i ? initial_i[k] : sum_q[k])
          + ChunkWidth'(product_i[0][int'(DigitWidth)*k+:DigitWidth])
          + ChunkWidth'(product_i[1][int'(DigitWidth)*k+:DigitWidth])
          + ChunkWidth'(product_i[2][int'(DigitWidth)*k+:DigitWidth]);
    end
  end

  // Stage 2: what the chunks of a large number carry into the next ones.
  logic [Slices-1:0][ChunkWidth-1:0] resolved_q;
  always_ff @(posedge clk_i) begin
    resolved_q <= acclmt_pkg::resolve_carries(Goldilocks && goldilocks_i, sum_q);
  end
  assign sum_o = resolved_q;

endmodule

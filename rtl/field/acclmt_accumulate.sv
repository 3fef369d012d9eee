// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Running sum of the products of a dot product, up to twelve in all.
///
/// The chunks of a product are added on their own, without carries between them; the second stage
/// makes the sum of a large prime's products one number again.
///
/// Handshake:  none. A step takes the enabled products of three lanes; `first_i` starts a new sum.
///             The running sum is at the output `AccumulateLatency` cycles after each step.
/// Throughput: one step a cycle.
module acclmt_accumulate #(
  /// Whether Goldilocks mode exists.
  parameter bit Goldilocks = 1'b1,
  /// Goldilocks mode: add the sums of the four slices, to the sum of one dot product (1), or keep
  /// four sums (0).
  parameter bit Across = 1'b0
) (
  /// Clock.
  input logic clk_i,
  /// Goldilocks mode. Static.
  input logic goldilocks_i,
  /// First step of a sum.
  input logic first_i,
  /// Which lanes count in this step.
  input logic [acclmt_pkg::Lanes-1:0] enable_i,
  /// Products of the lanes.
  input logic [acclmt_pkg::Lanes-1:0][acclmt_pkg::ProductWidth-1:0] product_i,
  /// Sum. With `Across`, in Goldilocks mode: in chunk 0, the other chunks are zero.
  output logic [acclmt_pkg::Slices-1:0][acclmt_pkg::ChunkWidth-1:0] sum_o
);

  localparam int unsigned Slices = acclmt_pkg::Slices;
  localparam int unsigned ChunkWidth = acclmt_pkg::ChunkWidth;
  // Bits of a chunk of a product, and room above them.
  localparam int unsigned Chunk = acclmt_pkg::ProductWidth / Slices;
  localparam int unsigned Room = ChunkWidth - Chunk;

  if (acclmt_pkg::Lanes != 3) begin : gen_illegal_lanes
    $error("acclmt_accumulate: Lanes = %0d is not 3", acclmt_pkg::Lanes);
  end

  logic goldilocks;
  assign goldilocks = Goldilocks && goldilocks_i;

  // Stage 1: sums of the chunks.
  logic [Slices-1:0][ChunkWidth-1:0] sum_q;
  always_ff @(posedge clk_i) begin
    for (int k = 0; k < int'(Slices); k++) begin
      sum_q[k] <= (first_i ? '0 : sum_q[k])
          + (enable_i[0] ? ChunkWidth'(product_i[0][int'(Chunk)*k+:Chunk]) : '0)
          + (enable_i[1] ? ChunkWidth'(product_i[1][int'(Chunk)*k+:Chunk]) : '0)
          + (enable_i[2] ? ChunkWidth'(product_i[2][int'(Chunk)*k+:Chunk]) : '0);
    end
  end

  // Stage 2: what the chunks of a large number carry into the next ones.
  logic [Slices-1:0][ChunkWidth-1:0] carried_q;
  logic [Slices*Chunk+Room-1:0] digits, carries, number;
  assign digits = {sum_q[3], sum_q[2][Chunk-1:0], sum_q[1][Chunk-1:0], sum_q[0][Chunk-1:0]};
  assign carries = {
    {Chunk{1'b0}}, sum_q[2][Chunk+:Room], {(Chunk - Room) {1'b0}}, sum_q[1][Chunk+:Room],
    {(Chunk - Room) {1'b0}}, sum_q[0][Chunk+:Room], {Chunk{1'b0}}
  };
  assign number = digits + carries;
  always_ff @(posedge clk_i) begin
    for (int k = 0; k < int'(Slices); k++) begin
      if (goldilocks && Across) carried_q[k] <= '0;
      else if (goldilocks) carried_q[k] <= sum_q[k];
      else carried_q[k] <= ChunkWidth'(number[int'(Chunk)*k+:Chunk]);
    end
    if (goldilocks && Across) carried_q[0] <= sum_q[0] + sum_q[1] + sum_q[2] + sum_q[3];
    if (!goldilocks) carried_q[Slices-1][Chunk+:Room] <= number[Slices*Chunk+:Room];
  end
  assign sum_o = carried_q;

endmodule

// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Montgomery reduction of a sum of products, by a constant prime or by one that is set at run
/// time: result = value / R mod prime, with R = 2^`acclmt_prime_pkg::montgomery_bits(Reduction)`.
/// In Goldilocks mode four values are reduced, without a division.
///
/// Handshake:  none; a residue leaves `acclmt_timing_pkg::reduce_latency(Reduction)` cycles after
///             its value, in order.
/// Throughput: one value a cycle.
module acclmt_reduce #(
  /// The modulus with `ReductionConstant`: odd, 2^250 < Prime < 2^255.
  parameter acclmt_pkg::word_t Prime = acclmt_pkg::PrimeBls12381,
  /// Whether Goldilocks mode exists.
  parameter bit Goldilocks = 1'b1,
  /// `acclmt_pkg::ReductionConstant` or `acclmt_pkg::ReductionRuntime`.
  parameter int unsigned Reduction = acclmt_pkg::ReductionConstant
) (
  /// Clock.
  input logic clk_i,
  /// Goldilocks mode. Static.
  input logic goldilocks_i,
  /// The modulus p with `ReductionRuntime`: p = 1 mod 2^28, 2^250 < p < 2^255. Static.
  input logic [acclmt_pkg::WordWidth-1:0] prime_i,
  /// Value to reduce, at most 512 * p^2. Goldilocks mode: four values, any.
  input logic [acclmt_pkg::Slices-1:0][acclmt_pkg::ChunkWidth-1:0] value_i,
  /// Canonical residue of value / R, registered. Goldilocks mode: of the four values.
  output logic [acclmt_pkg::WordWidth-1:0] residue_o
);

  if (Reduction == acclmt_pkg::ReductionConstant) begin : gen_constant
    acclmt_reduce_constant #(
      .Prime(Prime),
      .Goldilocks(Goldilocks)
    ) u_reduce (
      .clk_i,
      .goldilocks_i,
      .value_i,
      .residue_o
    );
    logic unused_prime;
    assign unused_prime = ^prime_i;
  end else if (Reduction == acclmt_pkg::ReductionRuntime) begin : gen_runtime
    acclmt_reduce_runtime #(
      .Goldilocks(Goldilocks)
    ) u_reduce (
      .clk_i,
      .goldilocks_i,
      .prime_i,
      .value_i,
      .residue_o
    );
  end else begin : gen_illegal_reduction
    $error("acclmt_reduce: Reduction = %0d is no kind of reduction", Reduction);
  end

endmodule

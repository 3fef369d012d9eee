// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Conversion of the elements that enter the chip: canonical integer x to Montgomery residue x * R.
///
/// Multiplies by the constant R^2 mod Prime (`acclmt_const_mul`) and reduces. An element that is
/// not below the prime is reported; its residue is that of the element modulo the prime.
///
/// Handshake:  ready/valid on both sides. An element enters only while a place is reserved for it
///             in the output buffer, so that the pipeline never stalls.
/// Latency:    3 (product) + 7 (reduction) + 2 (buffer). Throughput: one element a cycle.
module acclmt_to_montgomery #(
  /// The modulus.
  parameter acclmt_pkg::word_t Prime = acclmt_pkg::PrimeBls12381
) (
  /// Clock and reset.
  input logic clk_i,
  input logic rst_ni,
  /// Forgets every element.
  input logic clear_i,
  /// Canonical integer.
  input logic valid_i,
  output logic ready_o,
  input acclmt_pkg::word_t element_i,
  /// High in the cycle in which an element that is not below the prime is taken.
  output logic not_below_prime_o,
  /// Montgomery residue.
  output logic valid_o,
  input logic ready_i,
  output acclmt_pkg::word_t residue_o,
  /// No element is inside.
  output logic idle_o
);

  localparam int unsigned WordWidth = acclmt_pkg::WordWidth;
  localparam int unsigned SumWidth = acclmt_pkg::SumWidth;
  localparam int unsigned ProductCycles = 3;
  localparam int unsigned PipelineCycles = ProductCycles + acclmt_pkg::ReduceLatency;
  localparam int unsigned Places = 16;
  localparam acclmt_pkg::word_t RadixSquared =
      acclmt_pkg::power_of_two(Prime, 2 * int'(acclmt_pkg::MontgomeryBits));

  logic accept, place_available;
  assign ready_o = place_available;
  assign accept = valid_i && ready_o;
  assign not_below_prime_o = accept && element_i >= Prime;

  // Product with R^2: odd multiples, redundant form, sum.
  logic [WordWidth-1:0] x1_q;
  logic [WordWidth+1:0] x3_q;
  logic [WordWidth+2:0] x5_q;
  logic [SumWidth-1:0] sum, carry, sum_q, carry_q, product_q;
  always_ff @(posedge clk_i) begin
    x1_q <= element_i;
    x3_q <= {2'b0, element_i} + {1'b0, element_i, 1'b0};
    x5_q <= {3'b0, element_i} + {1'b0, element_i, 2'b0};
    sum_q <= sum;
    carry_q <= carry;
    product_q <= sum_q + carry_q;
  end
  logic [7:0] unused_below;
  acclmt_const_mul #(
    .LowColumn(0),
    .HighColumn(SumWidth),
    .Constant(acclmt_pkg::radix_t'(RadixSquared))
  ) u_product (
    .x1_i(SumWidth'(x1_q)),
    .x3_i(SumWidth'(x3_q)),
    .x5_i(SumWidth'(x5_q)),
    .sum_o(sum),
    .carry_o(carry),
    .below_o(unused_below)
  );

  logic [WordWidth-1:0] residue;
  acclmt_reduce #(
    .Prime(Prime)
  ) u_reduce (
    .clk_i,
    .value_i(product_q),
    .residue_o(residue)
  );

  logic pipe_valid, unused_any;
  acclmt_valid_pipe #(
    .Cycles(PipelineCycles)
  ) u_valid (
    .clk_i,
    .rst_ni,
    .clear_i,
    .valid_i(accept),
    .valid_o(pipe_valid),
    .any_o(unused_any)
  );
  acclmt_reserved_fifo #(
    .Width(WordWidth),
    .Places(Places)
  ) u_output (
    .clk_i,
    .rst_ni,
    .clear_i,
    .available_o(place_available),
    .reserve_i(accept),
    .valid_i(pipe_valid),
    .data_i(residue),
    .valid_o,
    .ready_i,
    .data_o(residue_o),
    .idle_o
  );

endmodule

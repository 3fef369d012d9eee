// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Conversion of the words that leave the chip: Montgomery residue x * R to canonical integer x, by
/// one reduction.
///
/// Handshake:  ready/valid on both sides. A residue enters only while a place is reserved for it in
///             the output buffer, so that the pipeline never stalls.
/// Latency:    7 (reduction) + 2 (buffer). Throughput: one word a cycle.
module acclmt_from_montgomery #(
  /// The modulus.
  parameter acclmt_pkg::word_t Prime = acclmt_pkg::PrimeBls12381
) (
  /// Clock and reset.
  input logic clk_i,
  input logic rst_ni,
  /// Forgets every word.
  input logic clear_i,
  /// Montgomery residue.
  input logic valid_i,
  output logic ready_o,
  input acclmt_pkg::word_t residue_i,
  /// Canonical integer.
  output logic valid_o,
  input logic ready_i,
  output acclmt_pkg::word_t element_o
);

  localparam int unsigned WordWidth = acclmt_pkg::WordWidth;
  localparam int unsigned Places = 16;

  logic accept, pipe_valid, unused_any, unused_idle;
  assign accept = valid_i && ready_o;

  logic [WordWidth-1:0] element;
  acclmt_reduce #(
    .Prime(Prime)
  ) u_reduce (
    .clk_i,
    .value_i(acclmt_pkg::SumWidth'(residue_i)),
    .residue_o(element)
  );
  acclmt_valid_pipe #(
    .Cycles(acclmt_pkg::ReduceLatency)
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
    .available_o(ready_o),
    .reserve_i(accept),
    .valid_i(pipe_valid),
    .data_i(element),
    .valid_o,
    .ready_i,
    .data_o(element_o),
    .idle_o(unused_idle)
  );

endmodule

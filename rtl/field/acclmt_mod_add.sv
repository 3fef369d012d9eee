// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Modular addition of two canonical residues: sum = a + b mod Prime.
///
/// Handshake:  none; a sum leaves `acclmt_pkg::AddLatency` = 1 cycle after its operands, in order.
/// Throughput: one sum a cycle.
module acclmt_mod_add #(
  /// The modulus, below 2^255.
  parameter acclmt_pkg::word_t Prime = acclmt_pkg::PrimeBls12381
) (
  /// Clock.
  input logic clk_i,
  /// Operands, below Prime.
  input logic [acclmt_pkg::WordWidth-1:0] a_i,
  input logic [acclmt_pkg::WordWidth-1:0] b_i,
  /// Canonical sum, registered.
  output logic [acclmt_pkg::WordWidth-1:0] sum_o
);

  localparam int unsigned WordWidth = acclmt_pkg::WordWidth;

  if (Prime[WordWidth-1]) begin : gen_illegal_prime
    $error("acclmt_mod_add: Prime = %0h is not below 2^255", Prime);
  end

  // a + b < 2^256, and a + b - Prime fits in 256 bits with its sign.
  logic [WordWidth-1:0] sum, difference;
  assign sum = a_i + b_i;
  assign difference = a_i + b_i - Prime;

  logic [WordWidth-1:0] sum_q;
  always_ff @(posedge clk_i) sum_q <= difference[WordWidth-1] ? sum : difference;
  assign sum_o = sum_q;

endmodule

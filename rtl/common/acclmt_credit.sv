// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Counter of the places that are reserved in a buffer at the end of a free-running pipeline.
///
/// A datum may enter the pipeline only while `available_o` is high; it takes a place then and gives
/// it back when it leaves the buffer, so that the buffer can never overflow and the pipeline never
/// stalls.
module acclmt_credit #(
  /// Places in the buffer.
  parameter int unsigned Places = 4
) (
  /// Clock and reset.
  input logic clk_i,
  input logic rst_ni,
  /// Gives all places back.
  input logic clear_i,
  /// A datum enters the pipeline.
  input logic take_i,
  /// A datum leaves the buffer.
  input logic give_i,
  /// A place is free.
  output logic available_o,
  /// No place is taken.
  output logic idle_o
);

  localparam int unsigned CountWidth = $clog2(Places + 1);
  logic [CountWidth-1:0] taken_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) taken_q <= '0;
    else if (clear_i) taken_q <= '0;
    else taken_q <= taken_q + CountWidth'(take_i) - CountWidth'(give_i);
  end
  assign available_o = taken_q != CountWidth'(Places);
  assign idle_o = taken_q == '0;

`ifndef SYNTHESIS
  no_overflow_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      take_i && !clear_i |-> available_o)
  else $error("acclmt_credit: a datum entered without a free place");
  no_underflow_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
      give_i && !clear_i |-> !idle_o)
  else $error("acclmt_credit: a place was given back that was not taken");
`endif

endmodule

// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Synchroniser: brings bits of another clock into this one. A cell of a library, or of a device,
/// can take the place of this module; it must keep the ports, the reset to zero and `Stages`.
///
/// A first flop that is met by a change settles to the old or the new value, each bit for itself.
/// So several bits need a code of which one bit changes at a time, see acclmt_gray_counter. What
/// comes in has to come out of a flop, and has to stay for longer than a cycle of this clock if it
/// must not be missed.
///
/// Handshake:  none. Latency: `Stages` cycles, or one more where a change meets the clock edge.
module acclmt_synchroniser #(
  /// Bits.
  parameter int unsigned Width = 1,
  /// Flops in a row, at least 2.
  parameter int unsigned Stages = 2
) (
  /// Clock of the output, and asynchronous reset.
  input logic clk_i,
  input logic rst_ni,
  /// Bits of the other clock.
  input logic [Width-1:0] d_i,
  /// The same in this one.
  output logic [Width-1:0] q_o
);

  if (Stages < 2) begin : gen_illegal_stages
    $error("acclmt_synchroniser: Stages = %0d is not at least 2", Stages);
  end

  // ASYNC_REG keeps the flops of a row together and untouched, in tools that know it.
  (* ASYNC_REG = "TRUE" *) logic [Stages*Width-1:0] stages_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) stages_q <= '0;
    else stages_q <= {stages_q[(Stages-1)*Width-1:0], d_i};
  end
  assign q_o = stages_q[(Stages-1)*Width+:Width];

endmodule

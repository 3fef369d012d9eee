// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Reset synchroniser: a reset that is asserted at any time is asserted at once, and released with
/// the clock. However short it is, the output is low at `Stages` - 1 clock edges at least.
///
/// Handshake:  none. Latency: none when it is asserted, `Stages` cycles when it is released.
module acclmt_reset_synchroniser #(
  /// Flops in a row, at least 2.
  parameter int unsigned Stages = 2
) (
  /// Clock in which the reset is released.
  input logic clk_i,
  /// Asynchronous reset, of any clock.
  input logic rst_ni,
  /// The same, released with `clk_i`.
  output logic rst_no
);

  if (Stages < 2) begin : gen_illegal_stages
    $error("acclmt_reset_synchroniser: Stages = %0d is not at least 2", Stages);
  end

  (* ASYNC_REG = "TRUE" *) logic [Stages-1:0] released_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) released_q <= '0;
    else released_q <= {released_q[Stages-2:0], 1'b1};
  end
  assign rst_no = released_q[Stages-1];

endmodule

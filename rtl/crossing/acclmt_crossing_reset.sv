// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Resets of a clock crossing: a reset of either clock empties both sides before they go on.
///
/// `rst_ni` resets both sides at once, and the core stays in reset as long as after `core_rst_ni`.
/// `core_rst_ni` is seen by the clock of the bus, however short it is, and acts in this order, so
/// that the bus never sees half of it:
///
/// 1. `up_o` falls: the side of the bus neither looks at the core nor gives it anything.
/// 2. `core_rst_no` falls, a cycle later.
/// 3. `clear_o` rises, a cycle later: the side of the bus is emptied.
/// 4. When `core_rst_ni` is high again, and what the core's flops showed when they were reset has
///    passed the synchronisers of the bus: `core_rst_no` rises with the clock of the core,
///    `clear_o` falls, `up_o` rises. The core may be the later one: it sees what has changed since
///    its reset.
///
/// Handshake:  levels. Latency: `Stages` + 1 to `Stages` + 2 cycles of the bus from `core_rst_ni`
///             to `core_rst_no`; the core is in reset for at least 2 * `Stages` + 2 of them.
module acclmt_crossing_reset #(
  /// Flops of a synchroniser.
  parameter int unsigned Stages = 2
) (
  /// The bus: clock, and reset, released with it.
  input logic clk_i,
  input logic rst_ni,
  /// The core: clock, and asynchronous reset of any clock.
  input logic core_clk_i,
  input logic core_rst_ni,
  /// In the clock of the bus: the core is there; the side of the bus is emptied.
  output logic up_o,
  output logic clear_o,
  /// Reset of everything in the clock of the core, released with it.
  output logic core_rst_no
);

  // `core_run_q` is `run_q` again, and nothing but the reset of the core.
  logic requested_n, seen_n, run_q, core_run_q, clear_q;
  // Of both resets, so that it begins with a known state where `core_rst_ni` is tied high. Either
  // is asserted at any time; both in a row are one.
  acclmt_reset_synchroniser #(
    .Stages(2 * Stages + 3)
  ) u_request (
    .clk_i,
    .rst_ni(core_rst_ni && rst_ni),
    .rst_no(requested_n)
  );
  acclmt_synchroniser #(
    .Width(1),
    .Stages(Stages)
  ) u_request_synchroniser (
    .clk_i,
    .rst_ni,
    .d_i(requested_n),
    .q_o(seen_n)
  );
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      run_q <= 1'b0;
      core_run_q <= 1'b0;
      clear_q <= 1'b1;
    end else begin
      run_q <= seen_n;
      core_run_q <= seen_n;
      clear_q <= !run_q;
    end
  end
  acclmt_reset_synchroniser #(
    .Stages(Stages)
  ) u_core (
    .clk_i(core_clk_i),
    .rst_ni(core_run_q),
    .rst_no(core_rst_no)
  );
  assign up_o = seen_n && run_q && !clear_q;
  assign clear_o = clear_q;

`ifndef SYNTHESIS
  logic isolated;
  assign isolated = !up_o || (run_q && !clear_q);
  isolated_a : assert property (@(posedge clk_i) disable iff (!rst_ni) isolated)
  else $error("acclmt_crossing_reset: the bus looks at a core that is reset");
`ifndef FORMAL
  core_reset_c : cover property (@(posedge clk_i) disable iff (!rst_ni) run_q && !seen_n);
`endif
`endif

endmodule

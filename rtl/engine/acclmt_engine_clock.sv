// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Clock of a hash engine: it stands still once nothing has happened to the engine for `RestCycles`
/// cycles, and goes on in the cycle in which something does. Until then what follows from the
/// configuration settles, also that of the set-up of a run, which takes less than 64 cycles.
///
/// Handshake:  none. Whatever changes a register of the engine comes with `wake_i`, in the same
///             cycle or less than `RestCycles` cycles before.
/// Latency:    none.
/// Throughput: an edge a cycle.
module acclmt_engine_clock #(
  /// Cycles until the clock stands still, 64..65536; 0: it never does, and is `clk_i`.
  parameter int unsigned RestCycles = 0
) (
  /// Clock and reset.
  input logic clk_i,
  input logic rst_ni,
  /// Something happens to the engine, or it has hashes inside.
  input logic wake_i,
  /// Clock of the engine.
  output logic clk_o,
  /// It has no edge at the end of this cycle.
  output logic rests_o
);

  if (RestCycles != 0 && (RestCycles < 64 || RestCycles > 65536)) begin : gen_illegal_rest_cycles
    $error("acclmt_engine_clock: RestCycles = %0d is not 0 or within 64..65536", RestCycles);
  end

  if (RestCycles != 0) begin : gen_gate
    localparam int unsigned CountWidth = $clog2(RestCycles);
    localparam logic [CountWidth-1:0] Last = CountWidth'(RestCycles - 1);
    logic [CountWidth-1:0] still_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) still_q <= '0;
      else if (wake_i) still_q <= '0;
      else if (still_q != Last) still_q <= still_q + 1'b1;
    end
    assign rests_o = !wake_i && still_q == Last;
    acclmt_clock_gate u_gate (
      .clk_i,
      .enable_i(!rests_o),
      .clk_o
    );
`ifndef SYNTHESIS
    known_a : assert property (@(posedge clk_i) disable iff (!rst_ni) !$isunknown(wake_i))
    else $error("acclmt_engine_clock: whether the engine is awake is unknown");
    rests_c : cover property (@(posedge clk_i) disable iff (!rst_ni) rests_o);
    wakes_c : cover property (@(posedge clk_i) disable iff (!rst_ni)
        wake_i && still_q == Last);
`endif
  end else begin : gen_no_gate
    assign clk_o = clk_i;
    assign rests_o = 1'b0;
    logic unused_inputs;
    assign unused_inputs = ^{rst_ni, wake_i};
  end

endmodule
